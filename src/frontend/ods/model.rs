//! The data of ODS: definitions as the rules are read against them.

use hashbrown::HashMap;

use crate::frontend::tablegen::{RecordId, Records};
use crate::id::{IdVec, define_ids};
use crate::pdl::{Arity, Trait};
use crate::snippet::BodyPart;
use crate::source::{Diagnostics, Span};

define_ids! {
    /// A dialect of [`Definitions`].
    pub struct DialectId;
    /// An operation of [`Definitions`].
    pub struct OpId;
    /// An enum of [`Definitions`].
    pub struct EnumId;
    /// An attribute or type definition of [`Definitions`].
    pub struct DefId;
}

/// All that one run's records define. Everything is in the order of the records.
#[derive(Debug)]
pub struct Definitions<'a> {
    /// The records behind it.
    pub records: &'a Records,
    /// Dialects.
    pub dialects: IdVec<DialectId, Dialect<'a>>,
    /// Operations.
    pub ops: IdVec<OpId, Op<'a>>,
    /// Enums.
    pub enums: IdVec<EnumId, Enum<'a>>,
    /// Attributes that dialects define.
    pub attributes: IdVec<DefId, Definition<'a>>,
    /// Types that dialects define.
    pub types: IdVec<DefId, Definition<'a>>,
    /// Interfaces of operations, attributes and types.
    pub interfaces: Vec<Interface<'a>>,
    pub(super) broken: Vec<(RecordId, Diagnostics)>,
    pub(super) op_of: HashMap<RecordId, OpId>,
    pub(super) enum_of: HashMap<RecordId, EnumId>,
    pub(super) index: ClassIndex,
}

/// Unqualified C++ class names to all that have them.
#[derive(Debug, Default)]
pub(super) struct ClassIndex {
    pub(super) ops: HashMap<String, Vec<OpId>>,
    /// Full operation names to the first operation of that name.
    pub(super) names: HashMap<String, OpId>,
    pub(super) enums: HashMap<String, Vec<EnumId>>,
    pub(super) attributes: HashMap<String, Vec<DefId>>,
    pub(super) types: HashMap<String, Vec<DefId>>,
}

/// A dialect.
#[derive(Clone, Debug)]
pub struct Dialect<'a> {
    /// Its record.
    pub record: RecordId,
    /// The prefix of its operations; may be empty.
    pub name: &'a str,
    /// The C++ namespace, without leading `::`.
    pub namespace: &'a str,
    /// Whether declared attributes are properties.
    pub uses_properties: bool,
}

/// How the values of operands or results divide into groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// At most one group has an open size.
    Rest,
    /// All groups of open size have the same size.
    Equal,
    /// An attribute lists the sizes.
    Attribute,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Op<'a> {
    /// Its record.
    pub record: RecordId,
    /// Where it was defined.
    pub span: Span,
    /// Full name with dialect.
    pub name: String,
    /// The dialect.
    pub dialect: DialectId,
    /// C++ class, without namespace.
    pub class: &'a str,
    /// C++ namespace, without leading `::`.
    pub namespace: &'a str,
    /// Operands, attributes and properties in the order of `arguments`.
    pub args: Vec<Arg<'a>>,
    /// Operands.
    pub operands: Vec<ValueSpec<'a>>,
    /// How operands divide.
    pub operand_sizes: Sizes,
    /// Attributes.
    pub attributes: Vec<Attribute<'a>>,
    /// Attributes that C++ computes; they are not arguments.
    pub derived: Vec<&'a str>,
    /// Properties.
    pub properties: Vec<Property<'a>>,
    /// Results.
    pub results: Vec<ValueSpec<'a>>,
    /// How results divide.
    pub result_sizes: Sizes,
    /// Regions.
    pub regions: Vec<RegionOrSuccessor<'a>>,
    /// Successors.
    pub successors: Vec<RegionOrSuccessor<'a>>,
    /// Traits with a meaning to drivers, verifiers and builders.
    pub traits: Vec<Trait>,
    /// The records of all traits and interfaces, in order, each once.
    pub trait_records: Vec<RecordId>,
    /// Whether result types are those of the first attribute.
    pub first_attr_type: bool,
    /// How the type of each result follows, if all do.
    pub inferred: Option<Vec<Recipe<'a>>>,
    /// Whether C++ infers the result types.
    pub infers_in_cpp: bool,
    /// Builders beside the generated ones.
    pub builders: Vec<Builder<'a>>,
}

/// An entry of an operation's `arguments`.
#[derive(Clone, Copy, Debug)]
pub struct Arg<'a> {
    /// Its name; empty if it has none.
    pub name: &'a str,
    /// What it is, and which one of these.
    pub kind: ArgKind,
    /// Where it was written.
    pub span: Span,
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// Index into [`Op::operands`].
    Operand(usize),
    /// Index into [`Op::attributes`].
    Attribute(usize),
    /// Index into [`Op::properties`].
    Property(usize),
}

/// An operand or result.
#[derive(Clone, Copy, Debug)]
pub struct ValueSpec<'a> {
    /// Its name; empty if it has none.
    pub name: &'a str,
    /// How many values.
    pub arity: Arity,
    /// Its type constraint.
    pub constraint: RecordId,
    /// C++ that makes its type, if there is just one.
    pub builder: Option<&'a str>,
    /// The attribute that lists the sizes of a `VariadicOfVariadic`.
    pub segments: Option<&'a str>,
}

/// A region or successor.
#[derive(Clone, Copy, Debug)]
pub struct RegionOrSuccessor<'a> {
    /// Its name; empty if it has none.
    pub name: &'a str,
    /// Its constraint.
    pub constraint: RecordId,
    /// Whether it stands for any number; only the last can.
    pub variadic: bool,
}

/// An attribute of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it may be.
    pub spec: AttrSpec<'a>,
}

/// What an `Attr` record says.
#[derive(Clone, Copy, Debug)]
pub struct AttrSpec<'a> {
    /// The record, which is a constraint as well.
    pub record: RecordId,
    /// C++ class of the attribute.
    pub storage: &'a str,
    /// C++ type that its accessor gives.
    pub value_type: &'a str,
    /// C++ that turns the attribute (`$_self`) into what its accessor gives.
    pub from_storage: &'a str,
    /// C++ that makes the attribute from a value (`$0`); empty if there is none.
    pub builder: &'a str,
    /// C++ value it has when absent; empty if there is none.
    pub default: &'a str,
    /// Whether it may be absent.
    pub optional: bool,
    /// Whether it holds a type.
    pub is_type: bool,
}

impl AttrSpec<'_> {
    /// Whether it is a flag: present or absent, with nothing inside.
    pub fn is_unit(&self) -> bool {
        self.storage.trim_start_matches("::") == "mlir::UnitAttr"
    }
}

/// A property of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Property<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its record, which is a constraint as well.
    pub record: RecordId,
    /// C++ type it is stored as.
    pub storage: &'a str,
    /// C++ type that snippets see.
    pub interface: &'a str,
    /// C++ value it has when absent; empty if there is none.
    pub default: &'a str,
    /// The enum it holds, if it is one.
    pub enumeration: Option<RecordId>,
    /// Whether an attribute of the enum can hold it as well as an integer.
    pub reads_attr_form: bool,
    /// C++ class of the attribute that holds it in place of an integer.
    pub attr_form: Option<&'a str>,
}

/// How the type of a result follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe<'a> {
    /// C++ that makes it.
    Fixed(&'a str),
    /// A C++ function of the type of argument number `arg`; `$_self` is that type.
    Arg {
        /// Which argument.
        arg: usize,
        /// The function.
        transform: &'a str,
    },
    /// A C++ function of the type of another result.
    Result {
        /// Which result.
        result: usize,
        /// The function.
        transform: &'a str,
    },
}

/// An `OpBuilder`.
#[derive(Clone, Debug)]
pub struct Builder<'a> {
    /// What it takes beside the builder and the state.
    pub params: Vec<BuilderParam<'a>>,
    /// Its body; `None` if it is in a C++ file.
    pub body: Option<&'a str>,
    /// Where it was written.
    pub span: Span,
}

/// A parameter of a builder.
#[derive(Clone, Copy, Debug)]
pub struct BuilderParam<'a> {
    /// Its name; empty if it has none.
    pub name: &'a str,
    /// C++ type.
    pub ty: &'a str,
    /// C++ value if it is left out; empty if it must be given.
    pub default: &'a str,
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum<'a> {
    /// Its record.
    pub record: RecordId,
    /// C++ class, without namespace.
    pub class: &'a str,
    /// C++ namespace, without leading `::`.
    pub namespace: &'a str,
    /// Bits of its values.
    pub width: u32,
    /// Whether cases can be combined.
    pub bits: bool,
    /// What is between combined cases in text.
    pub separator: &'a str,
    /// Cases in order.
    pub cases: Vec<EnumCase<'a>>,
    /// C++ class of the attribute that is an integer restricted to the cases, if there is one.
    pub attr_class: Option<&'a str>,
    /// C++ function from number to case.
    pub symbolize: &'a str,
    /// C++ function from text to case.
    pub parse: &'a str,
    /// C++ function from case to text.
    pub stringify: &'a str,
    /// C++ function that gives the greatest number.
    pub max: &'a str,
}

/// A case of an enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumCase<'a> {
    /// C++ name.
    pub symbol: &'a str,
    /// Number.
    pub value: i64,
    /// Name in text.
    pub text: &'a str,
}

/// An attribute or type that a dialect defines.
#[derive(Clone, Debug)]
pub struct Definition<'a> {
    /// Its record.
    pub record: RecordId,
    /// The dialect.
    pub dialect: DialectId,
    /// C++ class, without namespace.
    pub class: &'a str,
    /// C++ namespace, without leading `::`.
    pub namespace: &'a str,
    /// Name in text after the dialect's; empty if it has none.
    pub mnemonic: &'a str,
    /// Parameters.
    pub params: Vec<DefParam<'a>>,
    /// The records of its traits and interfaces.
    pub trait_records: Vec<RecordId>,
    /// The enum it wraps, if it is an `EnumAttr`.
    pub enumeration: Option<RecordId>,
    /// The declarative assembly format, if there is one.
    pub format: Option<Vec<BodyPart<&'a str>>>,
    /// Whether C++ reads and writes it.
    pub custom_format: bool,
}

/// A parameter of an attribute or type that a dialect defines.
#[derive(Clone, Copy, Debug)]
pub struct DefParam<'a> {
    /// Its name.
    pub name: &'a str,
    /// C++ type.
    pub ty: &'a str,
    /// C++ value it has when it is not written; `None` if it must be written.
    pub default: Option<&'a str>,
    /// Whether it has a C++ parser of its own.
    pub custom_parser: bool,
    /// Whether it is the type that stands after an attribute.
    pub self_type: bool,
}

/// What an interface is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterfaceKind {
    /// Operations.
    Op,
    /// Attributes.
    Attr,
    /// Types.
    Type,
}

/// An interface.
#[derive(Clone, Debug)]
pub struct Interface<'a> {
    /// Its record.
    pub record: RecordId,
    /// What it is for.
    pub kind: InterfaceKind,
    /// C++ class, without namespace.
    pub class: &'a str,
    /// C++ namespace, without leading `::`.
    pub namespace: &'a str,
    /// C++ classes of the interfaces it builds on.
    pub bases: Vec<&'a str>,
    /// What can be asked.
    pub methods: Vec<Method<'a>>,
}

/// A method of an interface.
#[derive(Clone, Debug)]
pub struct Method<'a> {
    /// Its record.
    pub record: RecordId,
    /// Its name.
    pub name: &'a str,
    /// C++ type of what it gives.
    pub returns: &'a str,
    /// Parameters: name and C++ type.
    pub params: Vec<(&'a str, &'a str)>,
    /// Whether it is asked of the class.
    pub is_static: bool,
    /// C++ body that holds for all that have the interface; empty if there is none.
    pub body: &'a str,
    /// C++ body for those that have none of their own; empty if there is none.
    pub default_body: &'a str,
}

impl<'a> Op<'a> {
    /// C++ class with namespace, without leading `::`.
    pub fn qualified_class(&self) -> String {
        qualified(self.namespace, self.class)
    }

    /// Whether it has this trait.
    pub fn has(&self, wanted: Trait) -> bool {
        self.traits.contains(&wanted)
    }

    /// The attribute that an argument is.
    pub fn attribute(&self, arg: usize) -> Option<&Attribute<'a>> {
        match self.args.get(arg)?.kind {
            ArgKind::Attribute(i) => self.attributes.get(i),
            _ => None,
        }
    }
}

/// A C++ name in a namespace.
pub(super) fn qualified(namespace: &str, class: &str) -> String {
    if namespace.is_empty() { class.to_owned() } else { format!("{namespace}::{class}") }
}
