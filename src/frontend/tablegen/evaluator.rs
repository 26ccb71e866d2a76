//! The state of evaluation: the records so far, the types of values, and conversions.
//!
//! There are two conversions. [`Evaluator::convert`] converts known values, and accepts other values only if their
//! types fit. [`Evaluator::cast`] also converts values that are not known yet, by wrapping them in `!cast`.

use std::cell::RefCell;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::bang::Op;
use super::error::{self, Failed, Result};
use super::ids::{RecordId, SeqId, TypeId, ValueId};
use super::record::Kind;
use super::records::Records;
use super::types::Type;
use super::value::{DEPTH_LIMIT, Node};
use crate::intern::StrId;
use crate::source::{Diagnostic, Diagnostics, Span};
use crate::stack::with_room;

/// The maximum number of elements in a list, and of bits in a bit range.
pub(super) const LIST_LIMIT: usize = 1 << 22;
/// The maximum number of distinct values.
const VALUE_LIMIT: usize = 1 << 27;
/// The maximum number of bytes in all distinct strings.
const STRING_LIMIT: usize = 1 << 28;
/// The maximum number of ids in all sequences.
const POOL_LIMIT: usize = 1 << 28;
/// The maximum number of records.
const RECORD_LIMIT: usize = 1 << 20;
/// The maximum number of evaluation steps. This many steps take minutes.
const STEP_LIMIT: u64 = 1 << 29;
/// The maximum nesting of evaluations.
const NESTING_LIMIT: u32 = 30_000;

/// For a pair of types, true if the first is a subtype of the second.
type Subtypes = HashMap<(TypeId, TypeId), bool, FxBuildHasher>;

/// The state of a run.
pub(super) struct Evaluator {
    pub(super) out: Records,
    pub(super) diagnostics: Diagnostics,
    /// The variables and defsets of the outermost scope.
    pub(super) globals: HashMap<StrId, ValueId, FxBuildHasher>,
    /// The record of each `Class<args>`.
    pub(super) instances: HashMap<(RecordId, SeqId), RecordId, FxBuildHasher>,
    /// The place of each `Class<args>`, which becomes the place of the record.
    pub(super) instance_spans: HashMap<ValueId, Span, FxBuildHasher>,
    pub(super) anonymous: u32,
    /// The number of records when the first file of [`Config::files_after_main`](super::Config::files_after_main) was
    /// entered.
    pub(super) records_of_main: Option<usize>,
    /// The place of the parser. Errors without a better place are reported here.
    pub(super) here: Span,
    pub(super) nesting: u32,
    /// True if the run must end, because it exceeded a limit. Some other limits only cause an error in one statement.
    pub(super) stopped: bool,
    steps: u64,
    /// A buffer for joining strings.
    pub(super) pasted: String,
    pub(super) name_word: StrId,
    /// For each type, the number of records that `!instances` has examined and the instances found among them.
    pub(super) instances_of: HashMap<TypeId, (usize, Vec<RecordId>), FxBuildHasher>,
    /// The compiled regular expressions.
    pub(super) regexes: HashMap<StrId, regex_lite::Regex, FxBuildHasher>,
    /// The cached subtype relations of record types.
    subtypes: RefCell<Subtypes>,
}

impl Evaluator {
    pub(super) fn new() -> Self {
        let mut out = Records::default();
        let empty = out.strings.intern("");
        debug_assert_eq!(empty, StrId::from_raw(0));
        let name_word = out.strings.intern("NAME");
        Self {
            out,
            diagnostics: Diagnostics::default(),
            globals: HashMap::default(),
            instances: HashMap::default(),
            instance_spans: HashMap::default(),
            anonymous: 0,
            records_of_main: None,
            here: Span::NONE,
            nesting: 0,
            stopped: false,
            steps: 0,
            pasted: String::new(),
            name_word,
            instances_of: HashMap::default(),
            regexes: HashMap::default(),
            subtypes: RefCell::default(),
        }
    }

    /// Reports an error and returns [`Failed`].
    pub(super) fn fail<T>(&mut self, diagnostic: Diagnostic) -> Result<T> {
        self.diagnostics.push(diagnostic);
        Err(Failed)
    }

    /// Reports an error at a record, or at the place of the parser.
    pub(super) fn fail_in<T>(&mut self, record: Option<RecordId>, message: impl Into<String>) -> Result<T> {
        let Some(record) = record.filter(|&record| !self.out.records[record].span.is_none()) else {
            return self.fail(error::at(self.here, message));
        };
        let problem = error::at(self.out.records[record].span, message);
        let problem = self.with_defm_notes(record, problem);
        self.fail(problem)
    }

    /// Adds "instantiated from multiclass" notes.
    pub(super) fn with_defm_notes(&self, record: RecordId, diagnostic: Diagnostic) -> Diagnostic {
        self.out.records[record]
            .defms
            .iter()
            .fold(diagnostic, |diagnostic, &span| diagnostic.note_at(span, "instantiated from multiclass"))
    }

    /// Counts an evaluation step and checks the limits on the totals of the run.
    pub(super) fn step(&mut self) -> Result<()> {
        self.steps += 1;
        let (what, limit) = if self.steps > STEP_LIMIT {
            ("the steps of evaluation", STEP_LIMIT)
        } else if self.out.values.len() > VALUE_LIMIT {
            ("the values of this run", VALUE_LIMIT as u64)
        } else if self.out.strings.text_len() > STRING_LIMIT {
            ("the strings of this run", STRING_LIMIT as u64)
        } else if self.out.values.pooled() > POOL_LIMIT {
            ("the lists of this run", POOL_LIMIT as u64)
        } else if self.out.records.len() > RECORD_LIMIT {
            ("the records of this run", RECORD_LIMIT as u64)
        } else {
            return Ok(());
        };
        self.stopped = true;
        self.fail(error::limit(self.here, what, limit))
    }

    /// Runs `f` with the nesting increased by one. Fails if the nesting would exceed [`NESTING_LIMIT`].
    pub(super) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting >= NESTING_LIMIT {
            self.stopped = true;
            return self.fail(error::depth(self.here, "evaluation nests", NESTING_LIMIT));
        }
        self.nesting += 1;
        let result = with_room(|| f(self));
        self.nesting -= 1;
        result
    }

    /// Interns a value and checks its depth.
    pub(super) fn make(&mut self, node: Node) -> Result<ValueId> {
        let id = self.out.values.intern(node);
        if self.out.values.depth(id) > DEPTH_LIMIT {
            return self.fail(error::depth(self.here, "values nest", DEPTH_LIMIT));
        }
        Ok(id)
    }

    /// Creates the node of an operator that cannot be computed yet.
    pub(super) fn call(&mut self, op: Op, ty: TypeId, args: &[ValueId]) -> Result<ValueId> {
        let args = self.out.values.value_seq(args);
        self.make(Node::Call { op, ty, args })
    }

    /// Returns the type `bits<width>`.
    pub(super) fn bits_type(&mut self, width: usize) -> Result<TypeId> {
        match u32::try_from(width) {
            Ok(width) => Ok(self.out.types.bits(width)),
            Err(_) => self.fail(error::limit(self.here, "the bits of a value", u32::MAX)),
        }
    }

    /// Creates a list value.
    pub(super) fn list(&mut self, items: &[ValueId], element: TypeId) -> Result<ValueId> {
        self.check_length(items.len() as u64)?;
        let seq = self.out.values.value_seq(items);
        self.make(Node::List(seq, element))
    }

    /// Checks the length of a list.
    pub(super) fn check_length(&mut self, len: u64) -> Result<()> {
        if len > LIST_LIMIT as u64 {
            return self.fail(error::limit(self.here, "the elements of a list", LIST_LIMIT));
        }
        Ok(())
    }

    /// Creates a string value.
    pub(super) fn text(&mut self, text: &str) -> ValueId {
        let id = self.out.strings.intern(text);
        self.out.values.string(id)
    }

    pub(super) fn node(&self, id: ValueId) -> Node {
        self.out.values.node(id)
    }

    /// Returns the text of a string value.
    pub(super) fn as_str(&self, id: ValueId) -> Option<StrId> {
        match self.node(id) {
            Node::Str(text, _) => Some(text),
            _ => None,
        }
    }

    /// Returns the elements of a list value.
    pub(super) fn as_list(&self, id: ValueId) -> Option<SeqId> {
        match self.node(id) {
            Node::List(seq, _) => Some(seq),
            _ => None,
        }
    }

    /// Returns the integer that a known value converts to.
    pub(super) fn as_int(&self, id: ValueId) -> Option<i64> {
        match self.node(id) {
            Node::Int(int) => Some(int),
            Node::Bit(bit) => Some(i64::from(bit)),
            Node::Bits(seq) => {
                let mut sum = 0i64;
                for (i, bit) in self.out.values.items(seq).enumerate() {
                    match self.node(bit) {
                        Node::Bit(bit) if i < 64 => sum |= i64::from(bit) << i,
                        Node::Bit(_) => {}
                        _ => return None,
                    }
                }
                Some(sum)
            }
            _ => None,
        }
    }

    /// Returns the type of a value. `?` has no type.
    pub(super) fn type_of(&mut self, id: ValueId) -> Option<TypeId> {
        Some(match self.node(id) {
            Node::Unset => return None,
            Node::Bit(_) | Node::VarBit(..) => TypeId::BIT,
            Node::Int(_) => TypeId::INT,
            Node::Str(..) | Node::Anonymous(_) => TypeId::STRING,
            Node::Bits(seq) => {
                let width = self.out.values.width(seq);
                self.out.types.bits(width)
            }
            Node::List(_, element) => self.out.types.list(element),
            Node::Def(def) => self.record_type(def),
            Node::Dag { .. } => TypeId::DAG,
            Node::Var(_, ty) | Node::Field(_, _, ty) => ty,
            Node::Call { op: Op::IsA | Op::Exists, .. } => TypeId::INT,
            Node::Call { op: Op::Instances, ty, .. } => self.out.types.list(ty),
            Node::Call { ty, .. } => ty,
            Node::Instance(class, _) => self.class_type(class),
        })
    }

    /// Returns the type of a record, which is the set of its direct superclasses.
    pub(super) fn record_type(&mut self, id: RecordId) -> TypeId {
        match *self.out.records[id].parents {
            [] => TypeId::ANY_RECORD,
            [(class, _)] => self.class_type(class),
            ref parents => {
                let classes = parents.iter().map(|&(class, _)| class).collect();
                self.classes_type(classes)
            }
        }
    }

    /// Returns the type of records that derive from a class.
    pub(super) fn class_type(&mut self, class: RecordId) -> TypeId {
        self.out.types.class(class)
    }

    /// Returns the type of records that derive from all of these classes.
    fn classes_type(&mut self, mut classes: Vec<RecordId>) -> TypeId {
        if classes.len() > 1 {
            classes.sort_unstable_by(|&a, &b| self.out.record(a).name().cmp(self.out.record(b).name()));
            classes.dedup();
        }
        self.out.types.intern(Type::Record(classes.into()))
    }

    /// True if a record that derives from all of `classes` derives from `class`.
    fn classes_derive(&self, classes: &[RecordId], class: RecordId) -> bool {
        classes.iter().any(|&own| own == class || self.out.derives(own, class))
    }

    /// True if values of the type `from` may convert to the type `to`. From `int` to `bit` or `bits`, the value
    /// decides.
    pub(super) fn convertible(&self, from: TypeId, to: TypeId) -> bool {
        if from == to {
            return true;
        }
        let types = &self.out.types;
        match (types.get(from), types.get(to)) {
            (Type::Bit, Type::Int) => true,
            (Type::Bit, Type::Bits(1)) | (Type::Bits(1), Type::Bit) => true,
            (Type::Bits(_), Type::Int) => true,
            (Type::Int, Type::Bit | Type::Bits(_)) => true,
            (Type::List(from), Type::List(to)) => self.convertible(*from, *to),
            (Type::Record(classes), Type::Record(wanted)) => {
                let pair = (from, to);
                if let Some(&known) = self.subtypes.borrow().get(&pair) {
                    return known;
                }
                let holds = wanted.iter().all(|&class| self.classes_derive(classes, class));
                // A negative answer is stored only if the definitions of the classes have been read, because parents
                // may be added until then.
                if holds || classes.iter().all(|&class| self.out.records[class].complete) {
                    self.subtypes.borrow_mut().insert(pair, holds);
                }
                holds
            }
            _ => false,
        }
    }

    /// True if `from` is a subtype of `to`.
    pub(super) fn is_a(&self, from: TypeId, to: TypeId) -> bool {
        if from == to {
            return true;
        }
        let types = &self.out.types;
        match (types.get(from), types.get(to)) {
            (Type::List(from), Type::List(to)) => self.is_a(*from, *to),
            (Type::Record(_), Type::Record(_)) => self.convertible(from, to),
            _ => false,
        }
    }

    /// Returns a type to which values of both types may convert.
    pub(super) fn common_type(&mut self, a: TypeId, b: TypeId) -> Option<TypeId> {
        if a == b {
            return Some(a);
        }
        if let (Type::Record(first), Type::Record(second)) = (self.out.types.get(a), self.out.types.get(b)) {
            let mut common = Vec::new();
            let mut stack = first.to_vec();
            let second = second.clone();
            while let Some(class) = stack.pop() {
                if self.classes_derive(&second, class) {
                    if !common.contains(&class) {
                        common.push(class);
                    }
                } else {
                    stack.extend(self.out.records[class].parents.iter().map(|&(parent, _)| parent));
                }
            }
            return Some(self.classes_type(common));
        }
        if self.convertible(a, b) {
            return Some(b);
        }
        if self.convertible(b, a) {
            return Some(a);
        }
        let (a, b) = (self.out.types.element(a)?, self.out.types.element(b)?);
        let element = self.common_type(a, b)?;
        Some(self.out.types.list(element))
    }

    /// Converts a value to a type. Returns `None` if it does not convert, or if only `!cast` can convert it later.
    pub(super) fn convert(&mut self, id: ValueId, to: TypeId) -> Option<ValueId> {
        match (self.node(id), self.out.types.get(to)) {
            (Node::Unset, _) => Some(id),
            (Node::Bit(_), Type::Bit) | (Node::Int(_), Type::Int) => Some(id),
            (Node::Str(..), Type::String) | (Node::Dag { .. }, Type::Dag) => Some(id),
            (Node::Bit(bit), Type::Int) => Some(self.out.values.int(i64::from(bit))),
            (Node::Bit(_), Type::Bits(1)) => Some(self.out.values.bits(&[id])),
            (Node::Bits(seq), Type::Bit) => match self.out.values.count(seq) {
                1 => self.out.values.item(seq, 0),
                _ => None,
            },
            (Node::Bits(seq), Type::Bits(width)) => {
                (self.out.values.count(seq) == *width as usize).then_some(id)
            }
            (Node::Bits(_), Type::Int) => self.as_int(id).map(|int| self.out.values.int(int)),
            (Node::Int(int @ (0 | 1)), Type::Bit) => Some(ValueId::bit(int == 1)),
            (Node::Int(int), &Type::Bits(width)) => fits(int, width).then(|| {
                let bits: SmallVec<[_; 64]> =
                    (0..width).map(|i| ValueId::bit(i < 64 && int >> i & 1 == 1)).collect();
                self.out.values.bits(&bits)
            }),
            (Node::List(seq, own), &Type::List(element)) => {
                if own == element {
                    return Some(id);
                }
                let items: Vec<_> = self.out.values.items(seq).collect();
                let converted: Vec<_> =
                    items.iter().map(|&item| self.convert(item, element)).collect::<Option<_>>()?;
                if converted == items {
                    return Some(id);
                }
                Some(self.out.values.list(&converted, element))
            }
            (Node::Def(_), Type::Record(_)) => {
                let own = self.type_of(id)?;
                self.convertible(own, to).then_some(id)
            }
            (Node::Bit(_) | Node::Bits(_) | Node::Int(_) | Node::Str(..), _) => None,
            (Node::List(..) | Node::Def(_) | Node::Dag { .. }, _) => None,
            (
                Node::Var(..)
                | Node::VarBit(..)
                | Node::Field(..)
                | Node::Call { .. }
                | Node::Instance(..)
                | Node::Anonymous(_),
                wanted,
            ) => {
                let one_bit = *wanted == Type::Bits(1);
                let own = self.type_of(id)?;
                if self.is_a(own, to) {
                    return Some(id);
                }
                (own == TypeId::BIT && one_bit).then(|| self.out.values.bits(&[id]))
            }
        }
    }

    /// Converts a value to a type, with `!cast` if the value is not known yet.
    pub(super) fn cast(&mut self, id: ValueId, to: TypeId) -> Result<Option<ValueId>> {
        if let Some(converted) = self.convert(id, to) {
            return Ok(Some(converted));
        }
        match self.type_of(id) {
            Some(own) if self.convertible(own, to) => {
                self.operate(Op::Cast, to, &[id], None, false).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns one bit of a value.
    pub(super) fn bit(&mut self, id: ValueId, index: u32) -> Result<ValueId> {
        Ok(match self.node(id) {
            Node::Unset | Node::Bit(_) | Node::VarBit(..) => id,
            Node::Bits(seq) => self.out.values.item(seq, index as usize).unwrap_or(ValueId::UNSET),
            Node::Int(int) => ValueId::bit(index < 64 && int >> index & 1 == 1),
            _ if self.type_of(id) == Some(TypeId::BIT) => id,
            _ => self.make(Node::VarBit(id, index))?,
        })
    }

    /// Returns the bits of a value with these indices. The first index gives the least significant bit of the result.
    /// Returns `None` if a bit does not exist.
    pub(super) fn bit_range(&mut self, id: ValueId, bits: &[u32]) -> Result<Option<ValueId>> {
        let width = match (self.node(id), self.type_of(id)) {
            (Node::Bits(seq), _) => self.out.values.count(seq),
            (Node::Int(_), _) => 64,
            (_, Some(ty)) => match self.out.types.get(ty) {
                Type::Bits(width) => *width as usize,
                _ => return Ok(None),
            },
            (_, None) => return Ok(None),
        };
        if bits.iter().any(|&bit| bit as usize >= width) {
            return Ok(None);
        }
        let chosen = bits.iter().map(|&bit| self.bit(id, bit)).collect::<Result<Vec<_>>>()?;
        Ok(Some(self.out.values.bits(&chosen)))
    }

    /// Converts a value to the type of a field. Returns `None` if it does not convert.
    pub(super) fn fit_field(&mut self, id: ValueId, ty: TypeId) -> Result<Option<ValueId>> {
        let Some(value) = self.cast(id, ty)? else { return Ok(None) };
        let &Type::Bits(width) = self.out.types.get(ty) else { return Ok(Some(value)) };
        if let Node::Bits(_) = self.node(value) {
            return Ok(Some(value));
        }
        let bits = (0..width).map(|bit| self.bit(value, bit)).collect::<Result<SmallVec<[_; 64]>>>()?;
        let seq = self.out.values.value_seq(&bits);
        self.make(Node::Bits(seq)).map(Some)
    }

    /// Returns the type of a field of a value.
    pub(super) fn field_type(&mut self, of: ValueId, name: StrId) -> Option<TypeId> {
        if let Node::Def(def) = self.node(of) {
            return self.declared(def, name);
        }
        let ty = self.type_of(of)?;
        let Type::Record(classes) = self.out.types.get(ty) else { return None };
        classes.iter().find_map(|&class| self.declared(class, name))
    }

    fn declared(&self, record: RecordId, name: StrId) -> Option<TypeId> {
        let shape = &self.out.shapes.all[self.out.records[record].shape];
        shape.find(name).map(|i| shape.fields[i].ty)
    }

    /// Returns the value of a field of a record.
    pub(super) fn field_value(&self, record: RecordId, name: StrId) -> Option<ValueId> {
        let data = &self.out.records[record];
        self.out.shapes.all[data.shape].find(name).map(|i| data.values[i])
    }

    /// Finds a concrete record by name.
    pub(super) fn def(&self, name: StrId) -> Option<RecordId> {
        self.out.def_names.get(&name).copied()
    }

    /// Returns the qualified name of a template argument: `Class:name` or `Multiclass::name`.
    pub(super) fn qualify(&mut self, owner: RecordId, name: StrId) -> StrId {
        if name == self.name_word
            && let Some(known) = self.out.records[owner].implicit_name
        {
            return known;
        }
        let colons = if self.out.records[owner].kind == Kind::Multiclass { "::" } else { ":" };
        let text = format!("{}{colons}{}", self.out.record(owner).name(), &self.out.strings[name]);
        let qualified = self.out.strings.intern(&text);
        if name == self.name_word {
            self.out.records[owner].implicit_name = Some(qualified);
        }
        qualified
    }

    /// Returns a name with a new number for an anonymous record.
    pub(super) fn next_anonymous(&mut self) -> ValueId {
        let number = self.anonymous;
        self.anonymous += 1;
        self.out.values.intern(Node::Anonymous(number))
    }

    /// Returns an unused name for a record whose name is used. The part after the first underscore stays the same,
    /// because it is the name of the C++ class.
    pub(super) fn other_name(&mut self, name: StrId) -> ValueId {
        let name = self.out.strings[name].to_owned();
        let (prefix, class) = name.split_once('_').unwrap_or(("Dialect", &name));
        let mut names = (2..).map(|number| format!("{prefix}{number}_{class}"));
        let unused = |name: &String| self.out.strings.find(name).is_none_or(|name| self.def(name).is_none());
        let name = names.find(unused).unwrap_or_default();
        self.text(&name)
    }

    /// Joins two strings, as `a # b` does.
    pub(super) fn concat(&mut self, a: ValueId, b: ValueId) -> Result<ValueId> {
        self.operate(Op::StrConcat, TypeId::STRING, &[a, b], None, false)
    }
}

/// True if an integer fits into `width` bits, signed or unsigned.
fn fits(int: i64, width: u32) -> bool {
    width >= 64 || int >> width == 0 || (width > 0 && int >> (width - 1) == -1)
}
