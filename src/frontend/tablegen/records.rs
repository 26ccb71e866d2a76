//! The public view of the records of one run.
//!
//! [`Records`] is immutable outside this folder, and refers to its parts by ids. A [`Record`] is a view of one record.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use super::ids::{OptName, OriginId, RecordId, SeqId, TypeId, ValueId};
use super::name_order::compare_names;
use super::record::{Kind, RecordData, Shape, Shapes, superclasses};
use super::types::{Type, Types};
use super::value::{Node, Values};
use crate::id::{IdVec, define_ids};
use crate::intern::{Interner, StrId};
use crate::source::{Diagnostic, Span};

define_ids! {
    /// The bits of a `bits<n>` value: see [`Records::bits`].
    pub struct BitsId;
    /// A list value: see [`Records::list`].
    pub struct ListId;
    /// A dag value: see [`Records::dag`].
    pub struct DagId;
    /// An unresolved expression: see [`Records::display`]. Only fields of classes, fields that are declared with
    /// `field`, and bits can have such a value.
    pub struct ExprId;
}

/// A value of a field, list or dag. If two values of one [`Records`] compare equal, they are equivalent. Dags from
/// different places never compare equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// `?`.
    Unset,
    /// A `bit`.
    Bit(bool),
    /// An `int`.
    Int(i64),
    /// A `bits<n>`.
    Bits(BitsId),
    /// A `string`. Code is a string too.
    String(StrId),
    /// A `list<t>`.
    List(ListId),
    /// A record.
    Def(RecordId),
    /// A `dag`.
    Dag(DagId),
    /// An expression that may stay unresolved.
    Unresolved(ExprId),
}

/// All records and classes of a run.
///
/// ```
/// use drrvm::tablegen::{self, Config};
/// use drrvm::source::SourceMap;
/// let mut sources = SourceMap::default();
/// let file = sources.add("a.td", "class C<int n> { int twice = !mul(n, 2); } def d : C<21>;").unwrap();
/// let records = tablegen::parse(&mut sources, file, &Config::default()).unwrap().records;
/// let d = records.find("d").unwrap();
/// assert_eq!(records.record(d).int_field("twice").unwrap(), 42);
/// ```
#[derive(Debug, Default)]
pub struct Records {
    pub(super) strings: Interner,
    pub(super) types: Types,
    pub(super) values: Values,
    pub(super) shapes: Shapes,
    pub(super) records: IdVec<RecordId, RecordData>,
    pub(super) classes: Vec<RecordId>,
    pub(super) defs: Vec<RecordId>,
    pub(super) class_names: HashMap<StrId, RecordId, FxBuildHasher>,
    pub(super) def_names: HashMap<StrId, RecordId, FxBuildHasher>,
    /// The classes and records whose definitions have errors.
    pub(super) broken: HashSet<RecordId, FxBuildHasher>,
    /// The files of [`Config::files_after_main`](super::Config::files_after_main) that were read.
    pub(super) read_after_main: Vec<&'static str>,
}

/// A view of a dag.
#[derive(Clone, Copy, Debug)]
pub struct Dag<'a> {
    records: &'a Records,
    op: ValueId,
    name: OptName,
    args: SeqId,
    origin: OriginId,
}

/// An argument of a dag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DagArg<'a> {
    /// Its value. [`Value::Unset`] if only a name is written.
    pub value: Value,
    /// The name, which is written `:$name` after a value, or `$name` without a value.
    pub name: Option<&'a str>,
    /// Its place in the text, or [`Span::NONE`].
    pub span: Span,
}

impl<'a> Dag<'a> {
    /// The operator.
    pub fn operator(&self) -> Value {
        self.records.public(self.op)
    }

    /// The name of the operator: `$x` in `(Op:$x …)`.
    pub fn operator_name(&self) -> Option<&'a str> {
        self.records.name(self.name)
    }

    /// The number of arguments.
    pub fn len(&self) -> usize {
        self.records.values.count(self.args) / 2
    }

    /// True if there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The arguments in order.
    pub fn args(&self) -> impl ExactSizeIterator<Item = DagArg<'a>> + use<'a> {
        let records = self.records;
        let spans = &records.values.origin_of(self.origin).args;
        records.values.pairs(self.args).enumerate().map(move |(i, (value, name))| DagArg {
            value: records.public(value),
            name: records.name(name),
            span: spans.get(i).copied().unwrap_or(Span::NONE),
        })
    }

    /// Argument `index`.
    pub fn arg(&self, index: usize) -> Option<DagArg<'a>> {
        self.args().nth(index)
    }

    /// The place of the dag in the text, including the parentheses. [`Span::NONE`] if `!dag` built the dag.
    pub fn span(&self) -> Span {
        self.records.values.origin_of(self.origin).span
    }
}

/// A view of a record.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    records: &'a Records,
    id: RecordId,
}

/// A field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub ty: TypeId,
    /// Its value.
    pub value: Value,
    /// The place where its value was last set, or else the place of its declaration.
    pub span: Span,
    /// The place of the first token of the value that was last set, or else the place of its declaration.
    pub value_span: Span,
    /// The place of its declaration.
    pub declared: Span,
}

/// The error of a typed read of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    kind: FieldErrorKind,
    record: String,
    field: String,
    span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FieldErrorKind {
    Missing,
    Unset,
    WrongType { expected: &'static str, found: String },
}

impl FieldError {
    /// The place where the field was set, or the place of the record if it has no such field.
    pub fn span(&self) -> Span {
        self.span
    }

    /// True if the field exists and its value is `?`.
    pub fn is_unset(&self) -> bool {
        self.kind == FieldErrorKind::Unset
    }

    /// True if the record has no such field.
    pub fn is_missing(&self) -> bool {
        self.kind == FieldErrorKind::Missing
    }
}

impl std::fmt::Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { record, field, .. } = self;
        match &self.kind {
            FieldErrorKind::Missing => write!(f, "record '{record}' has no field '{field}'"),
            FieldErrorKind::Unset => write!(f, "field '{field}' of record '{record}' is not set"),
            FieldErrorKind::WrongType { expected, found } => {
                write!(f, "field '{field}' of record '{record}' is {found}, expected {expected}")
            }
        }
    }
}

impl std::error::Error for FieldError {}

impl From<FieldError> for Diagnostic {
    fn from(error: FieldError) -> Self {
        Diagnostic::error(error.to_string()).at(error.span, "")
    }
}

impl<'a> Record<'a> {
    fn data(&self) -> &'a RecordData {
        &self.records.records[self.id]
    }

    fn shape(&self) -> &'a Shape {
        &self.records.shapes.all[self.data().shape]
    }

    /// Its id.
    pub fn id(&self) -> RecordId {
        self.id
    }

    /// The records to which it belongs.
    pub fn records(&self) -> &'a Records {
        self.records
    }

    /// Its name.
    pub fn name(&self) -> &'a str {
        match self.records.values.node(self.data().name) {
            Node::Str(name, _) => self.records.str(name),
            _ => "",
        }
    }

    /// True if the record is anonymous.
    pub fn is_anonymous(&self) -> bool {
        self.data().kind == Kind::Anonymous
    }

    /// True if the record is a class.
    pub fn is_class(&self) -> bool {
        self.data().kind == Kind::Class
    }

    /// The place of its definition: its name, or the `def` keyword if the name does not start with an identifier. For a
    /// record that `Class<args>` created, the place of the class name there.
    pub fn span(&self) -> Span {
        self.data().span
    }

    /// The `defm`s that created it, innermost first.
    pub fn instantiated_from(&self) -> &'a [Span] {
        &self.data().defms
    }

    /// All its superclasses in the order in which they were added, parents before children. A class that is inherited
    /// twice occurs twice.
    pub fn superclasses(&self) -> Vec<RecordId> {
        superclasses(&self.records.records, &self.data().parents)
    }

    /// True if its definition or the definition of a superclass has an error, so that parts of it may be missing.
    pub fn is_broken(&self) -> bool {
        let broken = &self.records.broken;
        !broken.is_empty()
            && (broken.contains(&self.id) || self.superclasses().iter().any(|class| broken.contains(class)))
    }

    /// Its direct superclasses in the order in which they were added.
    pub fn direct_superclasses(&self) -> impl ExactSizeIterator<Item = RecordId> + use<'a> {
        self.data().parents.iter().map(|&(class, _)| class)
    }

    /// True if the record derives from the class with this name.
    pub fn is_subclass_of(&self, class: &str) -> bool {
        self.records.find_class(class).is_some_and(|class| self.records.derives(self.id, class))
    }

    /// The fields in order of declaration.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = Field<'a>> + use<'a> {
        let record = *self;
        (0..self.data().values.len()).map(move |i| record.field_at(i))
    }

    fn field_at(&self, index: usize) -> Field<'a> {
        let data = self.data();
        let decl = &self.shape().fields[index];
        Field {
            name: self.records.str(decl.name),
            ty: decl.ty,
            value: self.records.public(data.values[index]),
            span: data.value_span(index, decl),
            value_span: data.assignment(index).map_or(decl.span, |assignment| assignment.value),
            declared: decl.span,
        }
    }

    /// Finds a field by name.
    pub fn find_field(&self, name: &str) -> Option<Field<'a>> {
        let name = self.records.strings.find(name)?;
        self.shape().find(name).map(|i| self.field_at(i))
    }

    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<Value> {
        let name = self.records.strings.find(name)?;
        self.shape().find(name).map(|i| self.records.public(self.data().values[i]))
    }

    fn typed<T>(
        &self,
        name: &str,
        expected: &'static str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Result<T, FieldError> {
        let fail = |kind, span| FieldError { kind, record: self.name().into(), field: name.into(), span };
        let Some(field) = self.find_field(name) else {
            return Err(fail(FieldErrorKind::Missing, self.span()));
        };
        if field.value == Value::Unset {
            return Err(fail(FieldErrorKind::Unset, field.span));
        }
        read(field.value).ok_or_else(|| {
            let found = format!("'{}'", self.records.display(field.value));
            fail(FieldErrorKind::WrongType { expected, found }, field.span)
        })
    }

    /// The text of a string field.
    ///
    /// # Errors
    /// The field is missing, unset or has another type.
    pub fn string_field(&self, name: &str) -> Result<&'a str, FieldError> {
        let records = self.records;
        self.typed(name, "a string", |value| match value {
            Value::String(text) => Some(records.str(text)),
            _ => None,
        })
    }

    /// The integer in a field. A `bit` counts as an integer, and so do at most 64 `bits` that all have a value.
    ///
    /// # Errors
    /// The errors of [`string_field`](Self::string_field).
    pub fn int_field(&self, name: &str) -> Result<i64, FieldError> {
        self.typed(name, "an integer", |value| self.records.int(value))
    }

    /// The value of a bit field.
    ///
    /// # Errors
    /// The errors of [`string_field`](Self::string_field).
    pub fn bit_field(&self, name: &str) -> Result<bool, FieldError> {
        self.typed(name, "a bit", |value| match value {
            Value::Bit(bit) => Some(bit),
            _ => None,
        })
    }

    /// The elements of a list field.
    ///
    /// # Errors
    /// The errors of [`string_field`](Self::string_field).
    pub fn list_field(
        &self,
        name: &str,
    ) -> Result<impl DoubleEndedIterator<Item = Value> + ExactSizeIterator + use<'a>, FieldError> {
        let records = self.records;
        self.typed(name, "a list", |value| match value {
            Value::List(list) => Some(records.list(list)),
            _ => None,
        })
    }

    /// The record in a field.
    ///
    /// # Errors
    /// The errors of [`string_field`](Self::string_field).
    pub fn def_field(&self, name: &str) -> Result<Record<'a>, FieldError> {
        let records = self.records;
        self.typed(name, "a record", |value| match value {
            Value::Def(id) => Some(records.record(id)),
            _ => None,
        })
    }

    /// The dag in a field.
    ///
    /// # Errors
    /// The errors of [`string_field`](Self::string_field).
    pub fn dag_field(&self, name: &str) -> Result<Dag<'a>, FieldError> {
        let records = self.records;
        self.typed(name, "a dag", |value| match value {
            Value::Dag(dag) => Some(records.dag(dag)),
            _ => None,
        })
    }
}

impl Records {
    /// The files of [`Config::files_after_main`](super::Config::files_after_main) that were read, because the main file
    /// does not include them.
    pub(in crate::frontend) fn read_after_main(&self) -> &[&'static str] {
        &self.read_after_main
    }

    /// Returns the view of a record.
    pub fn record(&self, id: RecordId) -> Record<'_> {
        Record { records: self, id }
    }

    /// Finds a concrete record by name.
    pub fn find(&self, name: &str) -> Option<RecordId> {
        self.def_names.get(&self.strings.find(name)?).copied()
    }

    /// Finds a class by name.
    pub fn find_class(&self, name: &str) -> Option<RecordId> {
        self.class_names.get(&self.strings.find(name)?).copied()
    }

    /// All classes in the order in which they were first declared.
    pub fn classes(&self) -> &[RecordId] {
        &self.classes
    }

    /// All concrete records, anonymous ones included, in the order in which they were completed.
    pub fn definitions(&self) -> &[RecordId] {
        &self.defs
    }

    /// The concrete records that derive from a class, in the order in which they were completed.
    pub fn derived_definitions(&self, class: &str) -> Vec<RecordId> {
        let Some(class) = self.find_class(class) else { return Vec::new() };
        self.defs.iter().copied().filter(|&def| self.derives(def, class)).collect()
    }

    /// Sorts records by name, as `llvm-tblgen` does: digit runs compare as numbers.
    pub(crate) fn sort_by_name(&self, records: &mut [RecordId]) {
        records.sort_unstable_by(|&a, &b| compare_names(self.record(a).name(), self.record(b).name()));
    }

    /// True if `record` derives from `class`, directly or indirectly.
    pub fn derives(&self, record: RecordId, class: RecordId) -> bool {
        // Classes are acyclic, so the recursion ends.
        let parents = &self.records[record].parents;
        parents.iter().any(|&(parent, _)| parent == class || self.derives(parent, class))
    }

    /// True if `record` derives from the class with this name.
    pub fn is_subclass_of(&self, record: RecordId, class: &str) -> bool {
        self.record(record).is_subclass_of(class)
    }

    /// The text of an interned string.
    pub fn str(&self, id: StrId) -> &str {
        &self.strings[id]
    }

    fn name(&self, name: OptName) -> Option<&str> {
        name.get().map(|name| self.str(name))
    }

    /// Returns the elements of a list.
    pub fn list(&self, list: ListId) -> impl DoubleEndedIterator<Item = Value> + ExactSizeIterator {
        let seq = match self.values.node(ValueId::from_raw(list.raw())) {
            Node::List(seq, _) => seq,
            _ => SeqId::EMPTY,
        };
        self.values.items(seq).map(|id| self.public(id))
    }

    /// Returns the bits of a `bits<n>` value, least significant first. A bit may be unset or unresolved.
    pub fn bits(&self, bits: BitsId) -> impl DoubleEndedIterator<Item = Value> + ExactSizeIterator {
        let seq = match self.values.node(ValueId::from_raw(bits.raw())) {
            Node::Bits(seq) => seq,
            _ => SeqId::EMPTY,
        };
        self.values.items(seq).map(|id| self.public(id))
    }

    /// Returns the view of a dag.
    pub fn dag(&self, dag: DagId) -> Dag<'_> {
        match self.values.node(ValueId::from_raw(dag.raw())) {
            Node::Dag { op, name, args, origin } => Dag { records: self, op, name, args, origin },
            _ => Dag {
                records: self,
                op: ValueId::UNSET,
                name: OptName::NONE,
                args: SeqId::EMPTY,
                origin: OriginId::NONE,
            },
        }
    }

    /// Returns the integer value of an int, of a bit, or of at most 64 bits that all have a value.
    pub fn int(&self, value: Value) -> Option<i64> {
        match value {
            Value::Int(int) => Some(int),
            Value::Bit(bit) => Some(i64::from(bit)),
            Value::Bits(bits) => {
                let bits = self.bits(bits);
                if bits.len() > 64 {
                    return None;
                }
                bits.enumerate().try_fold(0i64, |sum, (i, bit)| match bit {
                    Value::Bit(bit) => Some(sum | i64::from(bit) << i),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    /// Returns the element type if `ty` is a list type.
    pub fn element_type(&self, ty: TypeId) -> Option<TypeId> {
        self.types.element(ty)
    }

    /// Returns the classes of a record type, or `None` for other types.
    pub fn record_type_classes(&self, ty: TypeId) -> Option<&[RecordId]> {
        match self.types.get(ty) {
            Type::Record(classes) => Some(classes),
            _ => None,
        }
    }

    pub(super) fn public(&self, id: ValueId) -> Value {
        let raw = id.raw();
        match self.values.node(id) {
            Node::Unset => Value::Unset,
            Node::Bit(bit) => Value::Bit(bit),
            Node::Int(int) => Value::Int(int),
            Node::Str(text, _) => Value::String(text),
            Node::Bits(_) => Value::Bits(BitsId::from_raw(raw)),
            Node::List(..) => Value::List(ListId::from_raw(raw)),
            Node::Def(def) => Value::Def(def),
            Node::Dag { .. } => Value::Dag(DagId::from_raw(raw)),
            Node::Var(..)
            | Node::VarBit(..)
            | Node::Field(..)
            | Node::Call { .. }
            | Node::Instance(..)
            | Node::Anonymous(_) => Value::Unresolved(ExprId::from_raw(raw)),
        }
    }
}
