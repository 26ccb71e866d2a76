//! Positions: where in the matched IR something is, as a path from the root.
//!
//! Specification: equal paths have equal ids, whichever rules they come from.
//!
//! A position is defined by an earlier one, so the table has no cycles, and how deep a path goes is
//! bounded by [`Positions::MAX_DEPTH`]. Evaluating one never fails: what is not there is null.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::Kind;
use crate::id::{IdVec, define_ids};
use crate::intern::StrId;
use crate::pdl::{Constant, GroupSplit};
use crate::snippet::SnippetId;

define_ids! {
    /// A position of a [`Positions`] table.
    pub struct PositionId;
    /// How a list of operands or results divides, of a [`Positions`] table.
    pub struct SplitId;
    /// An attribute or type constant, of a [`Positions`] table.
    pub struct ConstantId;
    /// A list of type constants, of a [`Positions`] table.
    pub struct ConstantListId;
    /// A distinct call of a constraint, of a [`Predicates`](super::Predicates) table.
    pub struct CallId;
}

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// The operation that is matched.
    Root,
    /// The operation that a walk of users is at; `choice` counts the choices of one rule.
    User {
        /// Which choice.
        choice: u32,
    },
    /// The operation that defines a value, or the first value of a range.
    DefiningOp(PositionId),
    /// One operand by its index.
    Operand {
        /// Of which operation.
        op: PositionId,
        /// Which.
        index: u32,
    },
    /// One result by its index.
    Result {
        /// Of which operation.
        op: PositionId,
        /// Which.
        index: u32,
    },
    /// One of two values: `first` in the first order of an `either`, else `second`.
    Either {
        /// Which choice.
        choice: u32,
        /// In the first order.
        first: PositionId,
        /// In the second order.
        second: PositionId,
    },
    /// A group of operands or results.
    Slice {
        /// Of which operation.
        op: PositionId,
        /// Operands or results.
        side: Side,
        /// How they divide.
        split: SplitId,
        /// Which group.
        group: u32,
    },
    /// A value of a range; null past its end.
    Element {
        /// The range.
        range: PositionId,
        /// Which.
        index: u32,
    },
    /// An attribute or property.
    Attribute {
        /// Of which operation.
        op: PositionId,
        /// Its name.
        name: StrId,
        /// A predicate that it must meet or count as absent.
        storage: Option<SnippetId>,
        /// What it is when absent.
        default: Option<ConstantId>,
    },
    /// The type of a value, or the types of a range of values.
    TypeOf(PositionId),
    /// The type that an attribute states.
    AttrType(PositionId),
    /// A result of a constraint call.
    CallResult {
        /// Which call.
        call: CallId,
        /// Which of its results.
        index: u32,
        /// Its kind.
        kind: Kind,
    },
    /// A constant.
    Constant(ConstantId),
    /// A range of type constants.
    Constants(ConstantListId),
}

/// Operands or results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Operands.
    Operands,
    /// Results.
    Results,
}

/// How many values a group has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupSize {
    /// This many.
    Exactly(u32),
    /// None or one.
    Optional,
    /// Any number.
    Any,
}

/// How a list divides into groups.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// The groups.
    pub groups: Vec<GroupSize>,
    /// How the sizes of open groups are found.
    pub rule: GroupSplit,
    /// Whether there are more groups, of sizes that only an attribute knows.
    pub partial: bool,
}

impl Split {
    fn fixed(&self) -> u32 {
        let size = |g: &GroupSize| if let GroupSize::Exactly(n) = g { *n } else { 0 };
        self.groups.iter().map(size).fold(0, u32::saturating_add)
    }

    /// The common size of the open groups in a list of `count`, where the count decides it.
    pub fn open_size(&self, count: u32) -> Option<u32> {
        let open = self.groups.iter().filter(|g| !matches!(g, GroupSize::Exactly(_)));
        let many = u32::try_from(open.clone().count()).ok()?;
        let rest = count.checked_sub(self.fixed())?;
        let size = match many {
            0 => return (rest == 0).then_some(0),
            n if rest % n == 0 => rest / n,
            _ => return None,
        };
        (size <= 1 || !open.clone().any(|g| matches!(g, GroupSize::Optional))).then_some(size)
    }

    /// Whether a list of `count` divides so; `None`: an attribute of the operation decides.
    pub fn fits(&self, count: u32) -> Option<bool> {
        match self.rule {
            GroupSplit::Attribute(_) => None,
            GroupSplit::Rest | GroupSplit::Equal => Some(self.open_size(count).is_some()),
        }
    }

    /// Whether every count fits.
    pub fn always_fits(&self) -> bool {
        !matches!(self.rule, GroupSplit::Attribute(_)) && self.groups == [GroupSize::Any]
    }

    /// The index at which each group starts, and the last one ends, if it is the same for every count.
    pub fn fixed_starts(&self) -> impl Iterator<Item = Option<u32>> {
        let mut next = Some(0u32);
        let starts = self.groups.iter().map(move |size| {
            next = match size {
                GroupSize::Exactly(n) => next.and_then(|start| start.checked_add(*n)),
                GroupSize::Optional | GroupSize::Any => None,
            };
            next
        });
        std::iter::once(Some(0)).chain(starts)
    }

    /// Start and length of a group in a list of `count`; `size` gives the size that an attribute
    /// states for a group. `None`: the list does not divide so.
    pub fn bounds(
        &self,
        count: u32,
        group: usize,
        size: &mut dyn FnMut(usize) -> Option<u32>,
    ) -> Option<(u32, u32)> {
        let mut open = 0;
        if !matches!(self.rule, GroupSplit::Attribute(_)) {
            open = self.open_size(count)?;
        }
        let (mut start, mut found) = (0u32, None);
        for (i, group_size) in self.groups.iter().enumerate() {
            let len = match self.rule {
                GroupSplit::Attribute(_) => {
                    let len = size(i)?;
                    let fits = match group_size {
                        GroupSize::Exactly(n) => len == *n,
                        GroupSize::Optional => len <= 1,
                        GroupSize::Any => true,
                    };
                    fits.then_some(len)?
                }
                GroupSplit::Rest | GroupSplit::Equal => match group_size {
                    GroupSize::Exactly(n) => *n,
                    GroupSize::Optional | GroupSize::Any => open,
                },
            };
            if i == group {
                found = Some((start, len));
            }
            start = start.checked_add(len)?;
        }
        (self.partial || start == count).then_some(found?)
    }
}

/// What is known of a position when it is made.
#[derive(Clone, Copy, Debug)]
struct Facts {
    kind: Kind,
    late: bool,
    depth: u16,
}

/// Every position that the rules look at, each once.
#[derive(Clone, Debug, Default)]
pub struct Positions {
    positions: IdVec<PositionId, Position>,
    facts: IdVec<PositionId, Facts>,
    ids: HashMap<Position, PositionId, FxBuildHasher>,
    splits: IdVec<SplitId, Split>,
    split_ids: HashMap<Split, SplitId, FxBuildHasher>,
    constants: IdVec<ConstantId, (Kind, Constant)>,
    constant_ids: HashMap<(Kind, Constant), ConstantId, FxBuildHasher>,
    lists: IdVec<ConstantListId, Vec<ConstantId>>,
    list_ids: HashMap<Vec<ConstantId>, ConstantListId, FxBuildHasher>,
}

impl Positions {
    /// How many steps a path may have.
    pub const MAX_DEPTH: u16 = 512;

    /// The id of a position; `None` for a path that is too long.
    pub fn intern(&mut self, position: Position) -> Option<PositionId> {
        if let Some(&id) = self.ids.get(&position) {
            return Some(id);
        }
        let facts = self.facts_of(position);
        if facts.depth > Self::MAX_DEPTH {
            return None;
        }
        let id = self.positions.push(position);
        self.facts.push(facts);
        self.ids.insert(position, id);
        Some(id)
    }

    /// Appends a position that was read, and is not looked for; whether the path is short enough.
    pub(super) fn append(&mut self, position: Position) -> bool {
        let facts = self.facts_of(position);
        self.positions.push(position);
        self.facts.push(facts);
        facts.depth <= Self::MAX_DEPTH
    }

    /// No positions yet, over tables that were read.
    pub(super) fn over(
        splits: IdVec<SplitId, Split>,
        constants: IdVec<ConstantId, (Kind, Constant)>,
        lists: IdVec<ConstantListId, Vec<ConstantId>>,
    ) -> Self {
        Self { splits, constants, lists, ..Self::default() }
    }

    /// The id of a position that was made before.
    pub(crate) fn find(&self, position: Position) -> Option<PositionId> {
        self.ids.get(&position).copied()
    }

    fn facts_of(&self, position: Position) -> Facts {
        let below = |id: PositionId, kind: Kind| {
            let parent = self.facts[id];
            Facts { kind, late: parent.late, depth: parent.depth + 1 }
        };
        match position {
            Position::Root => Facts { kind: Kind::Op, late: false, depth: 0 },
            Position::User { .. } => Facts { kind: Kind::Op, late: true, depth: 0 },
            Position::DefiningOp(value) => below(value, Kind::Op),
            Position::Operand { op, .. } | Position::Result { op, .. } => below(op, Kind::Value),
            Position::Either { first, second, .. } => {
                let depth = self.facts[first].depth.max(self.facts[second].depth) + 1;
                Facts { kind: Kind::Value, late: true, depth }
            }
            Position::Slice { op, .. } => below(op, Kind::Values),
            Position::Element { range, .. } => below(range, Kind::Value),
            Position::Attribute { op, .. } => below(op, Kind::Attr),
            Position::TypeOf(of) => match self.facts[of].kind {
                Kind::Values => below(of, Kind::Types),
                _ => below(of, Kind::Type),
            },
            Position::AttrType(attr) => below(attr, Kind::Type),
            Position::CallResult { kind, .. } => Facts { kind, late: true, depth: 0 },
            Position::Constant(c) => Facts { kind: self.constants[c].0, late: false, depth: 0 },
            Position::Constants(_) => Facts { kind: Kind::Types, late: false, depth: 0 },
        }
    }

    /// What kind of thing is there.
    pub fn kind(&self, id: PositionId) -> Kind {
        self.facts[id].kind
    }

    /// Whether where it is depends on a choice or a call.
    pub fn is_late(&self, id: PositionId) -> bool {
        self.facts[id].late
    }

    /// The position that this one is defined by, if it is one step of a path.
    pub fn parent(&self, id: PositionId) -> Option<PositionId> {
        match self.positions[id] {
            Position::DefiningOp(parent)
            | Position::Operand { op: parent, .. }
            | Position::Result { op: parent, .. }
            | Position::Slice { op: parent, .. }
            | Position::Element { range: parent, .. }
            | Position::Attribute { op: parent, .. }
            | Position::TypeOf(parent)
            | Position::AttrType(parent) => Some(parent),
            Position::Root
            | Position::User { .. }
            | Position::Either { .. }
            | Position::CallResult { .. }
            | Position::Constant(_)
            | Position::Constants(_) => None,
        }
    }

    /// The id of a way to divide.
    pub fn intern_split(&mut self, split: &Split) -> SplitId {
        if let Some(&id) = self.split_ids.get(split) {
            return id;
        }
        let id = self.splits.push(split.clone());
        self.split_ids.insert(split.clone(), id);
        id
    }

    /// A way to divide.
    pub fn split(&self, id: SplitId) -> &Split {
        &self.splits[id]
    }

    /// The id of an attribute ([`Kind::Attr`]) or type constant.
    pub fn intern_constant(&mut self, kind: Kind, constant: Constant) -> ConstantId {
        let constants = &mut self.constants;
        *self.constant_ids.entry((kind, constant)).or_insert_with(|| constants.push((kind, constant)))
    }

    /// The constants, each with its kind.
    pub fn constants(&self) -> &IdVec<ConstantId, (Kind, Constant)> {
        &self.constants
    }

    /// The id of a list of type constants.
    pub fn intern_list(&mut self, list: Vec<ConstantId>) -> ConstantListId {
        if let Some(&id) = self.list_ids.get(&list) {
            return id;
        }
        let id = self.lists.push(list.clone());
        self.list_ids.insert(list, id);
        id
    }

    /// A list of type constants.
    pub fn list(&self, id: ConstantListId) -> &[ConstantId] {
        &self.lists[id]
    }

    /// The ways to divide in id order.
    pub(crate) fn splits(&self) -> std::slice::Iter<'_, Split> {
        self.splits.iter()
    }

    /// The lists of type constants in id order.
    pub(crate) fn lists(&self) -> std::slice::Iter<'_, Vec<ConstantId>> {
        self.lists.iter()
    }

    /// Whether the kinds of what a position is defined by are those it wants.
    pub(super) fn is_well_kinded(&self, position: Position) -> bool {
        let is = |id: PositionId, kinds: &[Kind]| kinds.contains(&self.facts[id].kind);
        match position {
            Position::DefiningOp(of) | Position::TypeOf(of) => is(of, &[Kind::Value, Kind::Values]),
            Position::Operand { op, .. } | Position::Result { op, .. } | Position::Attribute { op, .. } => {
                is(op, &[Kind::Op])
            }
            Position::Slice { op, split, group, .. } => {
                is(op, &[Kind::Op]) && (group as usize) < self.splits[split].groups.len()
            }
            Position::Either { first, second, .. } => is(first, &[Kind::Value]) && is(second, &[Kind::Value]),
            Position::Element { range, .. } => is(range, &[Kind::Values]),
            Position::AttrType(attr) => is(attr, &[Kind::Attr]),
            Position::Root
            | Position::User { .. }
            | Position::CallResult { .. }
            | Position::Constant(_)
            | Position::Constants(_) => true,
        }
    }

    /// How many positions there are.
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// The positions in id order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (PositionId, &Position)> {
        self.positions.iter_enumerated()
    }
}

impl std::ops::Index<PositionId> for Positions {
    type Output = Position;
    fn index(&self, id: PositionId) -> &Position {
        &self.positions[id]
    }
}
