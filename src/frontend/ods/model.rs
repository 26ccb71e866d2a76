//! The data model of ODS.

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

/// All definitions of one run, in the order of their records.
#[derive(Debug)]
pub struct Definitions<'a> {
    /// The records that the definitions were read from.
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
    /// The last components of the namespaces of dialects that the rule file does not include. A class in such a
    /// namespace is found only by a name that contains `::`.
    pub(super) qualified: Vec<&'static str>,
    pub(super) broken: Vec<(RecordId, Diagnostics)>,
    pub(super) op_of: HashMap<RecordId, OpId>,
    pub(super) enum_of: HashMap<RecordId, EnumId>,
    pub(super) index: ClassIndex,
}

/// Definitions by their unqualified C++ class names, and operations also by their full names.
#[derive(Debug, Default)]
pub(super) struct ClassIndex {
    pub(super) ops: HashMap<String, Vec<OpId>>,
    /// The first operation of each full name.
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
    /// The prefix of its operations. It may be empty.
    pub name: &'a str,
    /// The C++ namespace, without leading `::`.
    pub namespace: &'a str,
    /// True if operations store their declared attributes as properties.
    pub uses_properties: bool,
}

/// The division of operands or results into groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// At most one group has a variable size.
    OneVariable,
    /// All groups of variable size have the same size.
    Equal,
    /// An attribute lists the sizes.
    Attribute,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Op<'a> {
    /// Its record.
    pub record: RecordId,
    /// The place of its definition.
    pub span: Span,
    /// The full name, with the dialect.
    pub name: String,
    /// The dialect.
    pub dialect: DialectId,
    /// The C++ class, without namespace.
    pub class: &'a str,
    /// The C++ namespace, without leading `::`.
    pub namespace: &'a str,
    /// Operands, attributes and properties in the order of `arguments`.
    pub args: Vec<Arg<'a>>,
    /// Operands.
    pub operands: Vec<ValueSpec<'a>>,
    /// The division of the operands into groups.
    pub operand_sizes: Sizes,
    /// Attributes.
    pub attributes: Vec<Attribute<'a>>,
    /// The names of attributes that C++ computes. They are not arguments.
    pub derived: Vec<&'a str>,
    /// Properties.
    pub properties: Vec<Property<'a>>,
    /// Results.
    pub results: Vec<ValueSpec<'a>>,
    /// The division of the results into groups.
    pub result_sizes: Sizes,
    /// Regions.
    pub regions: Vec<RegionOrSuccessor<'a>>,
    /// Successors.
    pub successors: Vec<RegionOrSuccessor<'a>>,
    /// The traits that matter to drivers, verifiers and builders.
    pub traits: Vec<Trait>,
    /// The records of all traits and interfaces in order, without duplicates.
    pub trait_records: Vec<RecordId>,
    /// True if the result types are determined by the first attribute.
    pub first_attr_type: bool,
    /// The recipe of each result type, if all of them can be inferred.
    pub inferred: Option<Vec<Recipe<'a>>>,
    /// True if C++ infers the result types.
    pub infers_in_cpp: bool,
    /// The builders of the definition, without the generated builders.
    pub builders: Vec<Builder<'a>>,
    /// The text of its declarative assembly format and the place of the text. [`Definitions::format`] reads it.
    pub assembly_format: Option<(&'a str, Span)>,
    /// True if C++ code parses and prints the operation.
    pub custom_format: bool,
}

/// An entry of an operation's `arguments`.
#[derive(Clone, Copy, Debug)]
pub struct Arg<'a> {
    /// Its name, or an empty text.
    pub name: &'a str,
    /// Its kind and its index among the arguments of that kind.
    pub kind: ArgKind,
}

/// The kind and index of an argument.
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
    /// Its name, or an empty text.
    pub name: &'a str,
    /// The number of values that it stands for.
    pub arity: Arity,
    /// Its type constraint.
    pub constraint: RecordId,
    /// C++ code that builds its type, if only one type is allowed.
    pub builder: Option<&'a str>,
    /// The attribute with the segment sizes of a `VariadicOfVariadic`.
    pub segments: Option<&'a str>,
}

/// A region or successor.
#[derive(Clone, Copy, Debug)]
pub struct RegionOrSuccessor<'a> {
    /// Its name, or an empty text.
    pub name: &'a str,
    /// Its constraint.
    pub constraint: RecordId,
    /// True if it stands for any number of regions or successors. Only the last region or successor can be variadic.
    pub variadic: bool,
}

/// An attribute of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its constraint and its C++ types.
    pub spec: AttrSpec<'a>,
    /// C++ code that builds its type, if only one type is allowed.
    pub type_builder: Option<&'a str>,
}

/// The contents of an `Attr` record.
#[derive(Clone, Copy, Debug)]
pub struct AttrSpec<'a> {
    /// The record, which is also a constraint.
    pub record: RecordId,
    /// The C++ class of the attribute.
    pub storage: &'a str,
    /// The C++ type that its accessor returns.
    pub value_type: &'a str,
    /// C++ code that computes the value of the accessor from the attribute (`$_self`).
    pub from_storage: &'a str,
    /// C++ code that builds the attribute from a value (`$0`), or an empty text.
    pub builder: &'a str,
    /// The C++ value of an absent attribute, or an empty text.
    pub default: &'a str,
    /// True if the attribute may be absent.
    pub optional: bool,
    /// True if the attribute holds a type.
    pub is_type: bool,
}

impl AttrSpec<'_> {
    /// True if the accessor returns the value that the attribute holds, and not a value that C++ code computes from it.
    pub(in crate::frontend) fn reads_held_value(&self) -> bool {
        const READS: &[&str] = &[
            "",
            "$_self",
            "$_self!=nullptr",
            "$_self.getValue()",
            "$_self.getValue().str()",
            "$_self.getValue().getZExtValue()",
            "$_self.getValue().getSExtValue()",
            "$_self.getValueAsDouble()",
            "$_self.getInt()",
            "$_self.getSInt()",
            "$_self.getUInt()",
            "$_self.getAPSInt()",
            "$_self.asArrayRef()",
        ];
        let text: String = self.from_storage.split_whitespace().collect();
        // The accessor of an optional attribute is `$_self ? ::std::optional<T>(…) : (::std::nullopt)`.
        let optional = text.strip_prefix("$_self?").and_then(|rest| {
            let (_, inner) = rest.split_once('(')?;
            inner.strip_suffix("):(::std::nullopt)")
        });
        let text = optional.unwrap_or(&text);
        let cast = ["::llvm::cast<", "static_cast<"].iter().any(|cast| text.starts_with(cast));
        let cast_of = text.split_once(">(").and_then(|(_, of)| of.strip_suffix(')'));
        READS.contains(&text) || cast && cast_of.is_some_and(|of| READS.contains(&of))
    }

    /// True if the attribute is a unit attribute, which has no contents.
    pub fn is_unit(&self) -> bool {
        self.storage.trim_start_matches("::") == "mlir::UnitAttr"
    }
}

/// A property of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Property<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its record, which is also a constraint.
    pub record: RecordId,
    /// The C++ type that its accessor returns.
    pub accessor_type: &'a str,
    /// The C++ value of an absent property, or an empty text.
    pub default: &'a str,
    /// The enum whose values the property holds, if any.
    pub enumeration: Option<RecordId>,
    /// True if its value can be an attribute of the enum as well as an integer.
    pub reads_attr_form: bool,
    /// The C++ class of the attribute that stores the value in place of an integer.
    pub attr_form: Option<&'a str>,
    /// True if the definition has C++ code that parses an optional property, so that the text of the property may be
    /// absent.
    pub has_optional_parser: bool,
}

/// The source of a result type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe<'a> {
    /// C++ code that builds the type.
    Fixed(&'a str),
    /// A C++ expression in which `$_self` is the type of an argument.
    Arg {
        /// The index of the argument.
        arg: usize,
        /// The expression.
        transform: &'a str,
    },
    /// A C++ expression in which `$_self` is the type of another result.
    Result {
        /// The index of that result.
        result: usize,
        /// The expression.
        transform: &'a str,
    },
}

/// An `OpBuilder`.
#[derive(Clone, Debug)]
pub struct Builder<'a> {
    /// Its parameters after the builder and the state.
    pub params: Vec<BuilderParam<'a>>,
    /// Its body, or `None` if the body is in a C++ file.
    pub body: Option<&'a str>,
    /// Its place in the text.
    pub span: Span,
}

/// A parameter of a builder.
#[derive(Clone, Copy, Debug)]
pub struct BuilderParam<'a> {
    /// Its name, or an empty text.
    pub name: &'a str,
    /// Its C++ type.
    pub ty: &'a str,
    /// The C++ value of an omitted argument. Empty if the argument is required.
    pub default: &'a str,
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum<'a> {
    /// Its record.
    pub record: RecordId,
    /// The C++ class, without namespace.
    pub class: &'a str,
    /// The C++ namespace, without leading `::`.
    pub namespace: &'a str,
    /// The number of bits of its values.
    pub width: u32,
    /// True if cases can be combined.
    pub is_bit_set: bool,
    /// The separator of combined cases in text.
    pub separator: &'a str,
    /// True if combined cases are written in quotes.
    pub quoted: bool,
    /// True if cases with several bits are written in place of their bits.
    pub groups: bool,
    /// The cases in order.
    pub cases: Vec<EnumCase<'a>>,
    /// The C++ class of the enum's specialised attribute (`specializedAttrClassName`), an integer attribute that holds
    /// only values of the enum; `None` if the enum has no such attribute.
    pub attr_class: Option<&'a str>,
    /// The C++ function from a number to a case.
    pub symbolize: &'a str,
    /// The C++ function from text to a case.
    pub parse: &'a str,
    /// The C++ function from a case to text.
    pub stringify: &'a str,
    /// The C++ function that returns the greatest number.
    pub max: &'a str,
}

/// A case of an enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumCase<'a> {
    /// Its C++ name.
    pub symbol: &'a str,
    /// Its number.
    pub value: i64,
    /// Its name in text.
    pub text: &'a str,
}

/// An attribute or type that a dialect defines.
#[derive(Clone, Debug)]
pub struct Definition<'a> {
    /// Its record.
    pub record: RecordId,
    /// The dialect.
    pub dialect: DialectId,
    /// The C++ class, without namespace.
    pub class: &'a str,
    /// The C++ namespace, without leading `::`.
    pub namespace: &'a str,
    /// Its name in text, without the dialect, or an empty text.
    pub mnemonic: &'a str,
    /// Parameters.
    pub params: Vec<DefParam<'a>>,
    /// The records of its traits and interfaces.
    pub trait_records: Vec<RecordId>,
    /// The enum of an `EnumAttr`.
    pub enumeration: Option<RecordId>,
    /// The declarative assembly format, if it has one.
    pub format: Option<Vec<BodyPart<&'a str>>>,
    /// True if C++ code parses and prints the attribute or type.
    pub custom_format: bool,
}

/// A parameter of an attribute or type that a dialect defines.
#[derive(Clone, Copy, Debug)]
pub struct DefParam<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its C++ type.
    pub ty: &'a str,
    /// The C++ value of an omitted parameter. `None` if the parameter is required.
    pub default: Option<&'a str>,
    /// True if it has its own C++ parser.
    pub custom_parser: bool,
    /// True if it is the self type of an attribute.
    pub self_type: bool,
    /// True if the format contains `qualified($parameter)`, so that the text of the parameter starts with the prefix of
    /// its class.
    pub qualified: bool,
}

/// The entities that can implement an interface.
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
    /// The kind of its implementers.
    pub kind: InterfaceKind,
    /// The C++ class, without namespace.
    pub class: &'a str,
    /// The C++ namespace, without leading `::`.
    pub namespace: &'a str,
    /// The C++ classes of its base interfaces.
    pub bases: Vec<&'a str>,
    /// Its methods.
    pub methods: Vec<Method<'a>>,
}

/// A method of an interface.
#[derive(Clone, Debug)]
pub struct Method<'a> {
    /// Its record.
    pub record: RecordId,
    /// Its name.
    pub name: &'a str,
    /// The C++ type of its result.
    pub returns: &'a str,
    /// The name and C++ type of each parameter.
    pub params: Vec<(&'a str, &'a str)>,
    /// True if the method is static.
    pub is_static: bool,
    /// The C++ body for all implementers, or an empty text.
    pub body: &'a str,
    /// The C++ body for implementers that do not override it, or an empty text.
    pub default_body: &'a str,
}

impl<'a> Op<'a> {
    /// The C++ class with its namespace, without leading `::`.
    pub fn qualified_class(&self) -> String {
        qualified(self.namespace, self.class)
    }

    /// The number of regions that are not variadic.
    pub fn fixed_regions(&self) -> usize {
        self.regions.iter().filter(|region| !region.variadic).count()
    }

    /// True if the operation has this trait.
    pub fn has(&self, wanted: Trait) -> bool {
        self.traits.contains(&wanted)
    }
}

/// Joins a C++ namespace and a name.
pub(super) fn qualified(namespace: &str, class: &str) -> String {
    if namespace.is_empty() { class.to_owned() } else { format!("{namespace}::{class}") }
}
