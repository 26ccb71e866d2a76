//! The tuple of a plan: the combination of an operation's own properties, as one number.
//!
//! A part of the tuple is about one attribute, one type or one pair of operands. It numbers the combinations of values
//! that its properties have, in the order in which they occur. There are few combinations, because the properties of
//! one attribute depend on each other: each predicate on its class has a fixed answer for each plain constant.

use smallvec::SmallVec;

use super::candidates::{self, Candidate, CandidateSet, retain};
use super::ids::{KindId, PropertyId, PropertyValue};
use super::rules::{Property, Rules};
use super::transition::{MAX_STEPS, MAX_TUPLES, Source};

/// The properties that depend on one attribute, on one type, or on one pair of operands.
#[derive(Debug)]
pub(super) struct TuplePart {
    pub(super) source: Source,
    pub(super) digits: Vec<Digit>,
    /// The number by which the tuple's number grows if the number of the combination grows by one.
    stride: usize,
    /// The maximum number of combinations that get a number.
    capacity: usize,
    combinations: Vec<Combination>,
}

/// A property, and the values that the plan distinguishes.
#[derive(Debug)]
pub(super) struct Digit {
    pub(super) property: PropertyId,
    /// The values, ascending. The first value has digit 1. All values that are not in this list have digit 0.
    values: Box<[PropertyValue]>,
}

/// A combination of digits that occurred, and the candidates that it leaves.
#[derive(Debug)]
struct Combination {
    digits: Digits,
    left: CandidateSet,
}

type Digits = SmallVec<[u8; 6]>;

/// The values of the properties of one part, and the kind of the attribute or type that has them.
#[derive(Debug)]
pub(super) struct PartValues {
    /// [`KindId::UNKNOWN`] for a pair of operands, if an evaluation failed, or if the kind has no number.
    pub(super) kind: KindId,
    pub(super) values: SmallVec<[PropertyValue; 4]>,
}

/// The values of all parts of a tuple.
pub(super) type TupleValues = SmallVec<[PartValues; MAX_STEPS]>;

impl Source {
    /// The source of a property that a tuple can contain; `None` for other properties.
    fn of(property: Property) -> Option<Self> {
        match property {
            Property::Attr(name) | Property::AttrHolds(name, _) => Some(Self::Attr(name)),
            Property::TypeOf(side, index) | Property::TypeHolds(side, index, _) => {
                Some(Self::TypeOf(side, index))
            }
            Property::SameOperands(a, b) => Some(Self::SameOperands(a, b)),
            Property::DefiningOp(_) | Property::Constant(_) | Property::Holds(_) => None,
        }
    }
}

/// The number of combinations of answers for which a part of a tuple has room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Room for the usual case: at most one of the predicates on an attribute or type holds, or the predicates can be
    /// ordered so that each implies the next.
    Usual,
    /// Room for every combination.
    All,
}

/// Adds a property, and the values that subpatterns require of it, to a tuple. Returns false if the tuple cannot
/// contain the property: the property has no source, compares an operand that does not exist, or would give the tuple
/// too many parts or combinations.
pub(super) fn add(
    tuple: &mut Vec<TuplePart>,
    rules: &Rules,
    room: Room,
    operands: u32,
    property: PropertyId,
    values: impl Iterator<Item = PropertyValue>,
) -> bool {
    let Some(source) = Source::of(rules.properties[property]) else { return false };
    if matches!(source, Source::SameOperands(a, b) if a.max(b) >= operands) {
        return false;
    }
    let at = tuple.iter().position(|part| part.source == source).unwrap_or(tuple.len());
    if at == MAX_STEPS {
        return false;
    }
    if at == tuple.len() {
        tuple.push(TuplePart {
            source,
            digits: Vec::new(),
            stride: 1,
            capacity: 1,
            combinations: Vec::new(),
        });
    }
    tuple[at].digits.push(Digit { property, values: distinguished(values) });
    let capacity = tuple[at].expected(rules, room);
    let others = tuple.iter().enumerate().filter(|&(index, _)| index != at);
    let others: usize = others.map(|(_, part)| part.capacity).product();
    let fits = capacity.saturating_mul(others) <= MAX_TUPLES;
    if fits {
        tuple[at].capacity = capacity;
    } else {
        tuple[at].digits.pop();
        tuple.retain(|part| !part.digits.is_empty());
    }
    fits
}

/// Assigns the strides of the parts. No property is added afterwards.
pub(super) fn finish(tuple: &mut [TuplePart]) {
    let mut stride = 1;
    for part in tuple {
        part.stride = stride;
        stride *= part.capacity;
    }
}

impl TuplePart {
    /// The number of combinations of values, if each plain constant has one combination of answers.
    fn expected(&self, rules: &Rules, room: Room) -> usize {
        if matches!(self.source, Source::SameOperands(..)) {
            return 2;
        }
        let (mut constants, mut answers) = (0usize, 1usize);
        for Digit { property, values } in &self.digits {
            match (rules.properties[*property], room) {
                (Property::Attr(_) | Property::TypeOf(..), _) => constants += values.len(),
                (_, Room::Usual) => answers += values.len(),
                (_, Room::All) => answers = answers.saturating_mul(values.len() + 1),
            }
        }
        constants.saturating_add(answers)
    }

    /// The number that a combination of values adds to the tuple's number; `None` if too many combinations occurred.
    pub(super) fn added(
        &mut self,
        rules: &Rules,
        candidates: &[Candidate],
        values: &[PropertyValue],
    ) -> Option<u8> {
        let digits: Digits = self.digits.iter().zip(values).map(|(digit, &value)| digit.of(value)).collect();
        let found = self.combinations.iter().position(|combination| combination.digits == digits);
        let number = match found {
            Some(number) => number,
            None if self.combinations.len() == self.capacity => return None,
            None => {
                let left = self.left(rules, candidates, values);
                self.combinations.push(Combination { digits, left });
                self.combinations.len() - 1
            }
        };
        Some(u8::try_from(number * self.stride).expect("a plan has at most 256 tuples"))
    }

    /// The candidates that a combination of values leaves.
    pub(super) fn left(
        &self,
        rules: &Rules,
        candidates: &[Candidate],
        values: &[PropertyValue],
    ) -> CandidateSet {
        let mut left = candidates::all(candidates);
        for (digit, value) in self.digits.iter().zip(values) {
            let mask =
                candidates::mask(candidates, rules, digit.property, |required| value.fulfils(required));
            retain(&mut left, &mask);
        }
        left
    }

    /// The candidates that the combination in a tuple leaves.
    pub(super) fn left_by(&self, tuple: u32) -> &[u64] {
        &self.combinations[tuple as usize / self.stride % self.capacity].left
    }

    /// The approximate size in memory.
    pub(super) fn bytes(&self) -> usize {
        let values: usize = self.digits.iter().map(|digit| size_of::<Digit>() + 4 * digit.values.len()).sum();
        let sets: usize = self.combinations.iter().map(|combination| 8 * combination.left.len()).sum();
        size_of::<Self>() + values + self.combinations.capacity() * size_of::<Combination>() + sets
    }
}

impl Digit {
    fn of(&self, value: PropertyValue) -> u8 {
        let digit = self.values.binary_search(&value).map_or(0, |index| index + 1);
        u8::try_from(digit).expect("a plan has at most 256 tuples")
    }
}

/// The values that a digit distinguishes for these required values, ascending.
fn distinguished(required: impl Iterator<Item = PropertyValue>) -> Box<[PropertyValue]> {
    let mut values: Vec<PropertyValue> = required
        .map(|value| if value == PropertyValue::PRESENT { PropertyValue::ABSENT } else { value })
        .collect();
    values.sort_unstable();
    values.dedup();
    values.into()
}
