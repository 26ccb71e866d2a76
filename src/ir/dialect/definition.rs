//! The definitions of a dialect: the syntax of its operations, attributes and types, and the constraints of its
//! operations.
//!
//! Specification: a context with these definitions reads and writes the same text and byte code as MLIR with the
//! dialect.

use std::sync::Arc;

use super::format::Element;
use super::type_function::TypeFunction;
use crate::host::Arity;
use crate::ir::traits::OpTraits;
use crate::snippet::{IntTy, Snippets};

/// The definitions of a dialect.
#[derive(Clone, Debug, Default)]
pub struct Dialect {
    /// Its definitions. Definitions that were evaluated together are one part.
    pub(crate) parts: Vec<DialectPart>,
}

/// Definitions of a dialect that were evaluated together.
#[derive(Clone, Debug, Default)]
pub(crate) struct DialectPart {
    /// Its operations.
    pub(crate) ops: Vec<OpSyntax>,
    /// The formats of its attributes (`#dialect.name`) and types (`!dialect.name`), and the expressions that compute
    /// types.
    pub(crate) snippets: Arc<Snippets>,
    /// The classes of its attributes, `dialect.name`, and their alias names.
    pub(crate) attributes: Vec<(String, Option<String>)>,
    /// The classes of its types, `dialect.name`, and their alias names.
    pub(crate) types: Vec<(String, Option<String>)>,
    /// The constraints of its operations, in the encoding of `ods_verify`; empty if the definitions are only for
    /// reading and printing.
    pub(crate) constraints: Arc<[u8]>,
}

/// The part of an operation's definition that determines the text and the byte code of the operation.
#[derive(Clone, Debug)]
pub(crate) struct OpSyntax {
    /// The full name, with the dialect.
    pub name: String,
    /// The C++ class, with its namespaces and without leading `::`.
    pub class: String,
    /// Its traits.
    pub traits: OpTraits,
    /// The groups of operands.
    pub operands: Vec<ValueGroup>,
    /// The division of the operands into groups.
    pub operand_sizes: GroupSizes,
    /// The groups of results.
    pub results: Vec<ValueGroup>,
    /// The division of the results into groups.
    pub result_sizes: GroupSizes,
    /// Its attributes.
    pub attributes: Vec<AttributeDef>,
    /// Its properties.
    pub properties: Vec<PropertyDef>,
    /// Its regions.
    pub regions: Vec<RegionOrSuccessor>,
    /// Its successors.
    pub successors: Vec<RegionOrSuccessor>,
    /// The terminator that is added to each region whose text has no terminator.
    pub terminator: Option<Terminator>,
    /// True if an empty region gets a block.
    pub single_block: bool,
    /// True if declared attributes are properties.
    pub uses_properties: bool,
    /// True if only C++ code reads and writes the properties in byte code.
    pub cxx_bytecode: bool,
    /// True if the names of the results in the definition are suggested as the names of values.
    pub names_results: bool,
    /// The default dialect of the regions: inside them, the names of its operations are written without the dialect.
    pub default_dialect: Option<String>,
    /// Its syntax.
    pub syntax: Syntax,
}

/// The terminator that an operation adds to its regions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Terminator {
    /// The operation with this name.
    Op(String),
    /// The operation with this C++ class. The files that define the enclosing operation do not define this class.
    Class(String),
}

/// The description of an operation's custom form.
#[derive(Clone, Debug)]
pub(crate) enum Syntax {
    /// The operation has only the generic form.
    Generic,
    /// Only C++ code reads and prints the custom form.
    Cxx,
    /// A declarative format, with the text that it was read from.
    Declared {
        /// The elements.
        elements: Vec<Element>,
        /// The text in the definition.
        text: String,
        /// The names of attributes that the format sets without naming them.
        inferred: Vec<String>,
        /// True if the format has `prop-dict`.
        prop_dict: bool,
    },
}

/// The rule that divides operands or results into groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupSizes {
    /// At most one group has a variable size.
    OneVariable,
    /// All groups of variable size have the same size.
    Equal,
    /// An attribute lists the sizes.
    Attribute,
}

/// A group of operands or results.
#[derive(Clone, Debug)]
pub(crate) struct ValueGroup {
    /// Its name.
    pub name: String,
    /// The number of values that it stands for.
    pub arity: Arity,
    /// The attribute with the sizes of the lists, if the group is a list of lists.
    pub segments: Option<String>,
    /// The syntax of `type($name)`.
    pub ty: TypeSyntax,
    /// The source from which the parser gets the type of the group.
    pub source: TypeSource,
}

/// The syntax of a type in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeSyntax {
    /// The usual text of the type.
    Full,
    /// The usual text without the class, `!dialect.name`.
    Stripped(String),
}

/// The source from which the parser gets the type of a group.
#[derive(Clone, Debug)]
pub(crate) enum TypeSource {
    /// The format contains the type.
    Written,
    /// A fixed type, as its text.
    Fixed(String),
    /// The type of a group of operands, or a function of this type.
    Operand(usize, Option<TypeFunction>),
    /// The type of a group of results, or a function of this type.
    Result(usize, Option<TypeFunction>),
    /// The type of an attribute, or a function of this type.
    Attribute(usize, Option<TypeFunction>),
    /// A function of the tuple type that lists the types of all operands.
    Operands(TypeFunction),
    /// The C++ code that computes the type. drrvm cannot evaluate this code.
    Cxx(String),
}

/// An attribute of an operation.
#[derive(Clone, Debug)]
pub(crate) struct AttributeDef {
    /// Its name.
    pub name: String,
    /// True if the attribute may be absent.
    pub optional: bool,
    /// The text of the value that an absent attribute stands for.
    pub default: Option<String>,
    /// True if the definition has a default, even if only C++ code can compute it.
    pub has_default: bool,
    /// The syntax in a format.
    pub syntax: AttrSyntax,
}

/// The syntax of an attribute in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AttrSyntax {
    /// The usual text of the attribute.
    Any,
    /// The usual text without the type.
    TypeOmitted {
        /// The type.
        ty: String,
        /// The C++ class of the attribute, such as `StringAttr`.
        class: String,
    },
    /// The usual text of an attribute of this builtin class, such as `ArrayAttr`.
    Builtin(String),
    /// A list in brackets, which is stored as `array<…>` of this element type.
    Array(String),
    /// A symbol name, `@name`, which is stored as a string.
    SymbolName,
    /// The cases of an enum.
    Enum(EnumSyntax),
    /// The usual text without the class, `#dialect.name`.
    Stripped(String),
    /// No text: the attribute is only present or absent.
    Unit,
}

/// An enum whose cases are words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnumSyntax {
    /// The number of bits of its values.
    pub width: u32,
    /// True if a value is a set of bits, so that cases can be combined.
    pub is_bit_set: bool,
    /// The separator of combined cases.
    pub separator: String,
    /// True if combined cases are written in quotes.
    pub quoted: bool,
    /// True if a case that has several bits is written in place of the cases of the single bits.
    pub groups: bool,
    /// The numbers and texts of the cases.
    pub cases: Vec<(i64, String)>,
}

impl EnumSyntax {
    /// The value of a case.
    pub(crate) fn case(&self, word: &str) -> Option<i64> {
        self.cases.iter().find(|(_, text)| text == word).map(|(value, _)| *value)
    }

    /// The value of a case or, if cases can be combined, of several cases with separators between them.
    pub(crate) fn value(&self, text: &str) -> Option<i64> {
        if !self.is_bit_set {
            return self.case(text);
        }
        let mut values = text.split(self.separator.trim()).map(|word| self.case(word.trim()));
        values.try_fold(0, |all, value| Some(all | value?))
    }
}

/// A property of an operation.
#[derive(Clone, Debug)]
pub(crate) struct PropertyDef {
    /// Its name.
    pub name: String,
    /// The text of the value that an absent property stands for.
    pub default: Option<String>,
    /// True if the definition has a default, even if only C++ code can compute it.
    pub has_default: bool,
    /// The syntax in a format.
    pub syntax: PropertySyntax,
    /// Its encoding in MLIR's byte code.
    pub bytecode_encoding: PropertyEncoding,
    /// Its encoding as an attribute. It is `Cxx` if only C++ code converts the attribute.
    pub attribute_encoding: PropertyEncoding,
}

/// The encoding of a property in MLIR's byte code, or as an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PropertyEncoding {
    /// Byte code: a Boolean. Attribute: `unit` or `false`.
    Unit,
    /// Byte code: a Boolean. Attribute: `true` or `false`.
    Bool,
    /// Byte code: a number. Attribute: an integer attribute with this number of bits. A shorter attribute is extended
    /// by its sign if `signed` is true, and by zeros otherwise.
    Integer { width: u32, signed: bool },
    /// Byte code: a number. Attribute: an integer attribute with the width of the enum. An attribute of the class
    /// `#dialect.name` with a case is also accepted, and is stored as the integer.
    Enum { class: String, cases: EnumSyntax },
    /// Byte code: the index of a string. Attribute: a string attribute.
    Str,
    /// Byte code: a Boolean, and if it is true, the value. Attribute: an array of at most one attribute.
    Optional(Box<PropertyEncoding>),
    /// Byte code: the number of values, and the values. Attribute: an array.
    List(Box<PropertyEncoding>),
    /// Byte code: the number of integers, and the integers. Attribute: `array<…>` of integers with this number of bits.
    IntegerList(u32),
    /// Only C++ code reads and writes the property.
    Cxx,
}

/// The syntax of a property in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PropertySyntax {
    /// `unit` or `unit_absent`. If the property is the anchor of an optional group but not the first element of the
    /// group, the property is not written, because the presence of the group states the value.
    Unit,
    /// `true` or `false`.
    Bool,
    /// An integer of a C++ type.
    Integer(IntTy),
    /// A string in quotes.
    Str,
    /// The cases of an enum.
    Enum(EnumSyntax),
    /// A word, and the cases of an enum in angle brackets.
    NamedEnum(String, EnumSyntax),
    /// A list in brackets, whose elements have this syntax. As an attribute, the list is an array.
    List(Box<PropertySyntax>),
    /// A list of integers in brackets. As an attribute, the list is an `array<…>`.
    IntegerList(IntTy),
    /// `none`, or a value.
    Optional {
        /// The syntax of the value.
        of: Box<PropertySyntax>,
        /// True if the value is written as `some<…>`.
        marked: bool,
    },
    /// Only C++ code reads and prints the property.
    Cxx,
}

/// A region or successor of an operation.
#[derive(Clone, Debug)]
pub(crate) struct RegionOrSuccessor {
    /// True if it stands for any number of regions or successors.
    pub variadic: bool,
}

impl Dialect {
    /// Adds definitions that were evaluated separately.
    pub(crate) fn extend(&mut self, more: Self) {
        self.parts.extend(more.parts);
    }

    /// Replaces the C++ classes of terminators by the names of the operations, if the dialect has these operations.
    pub(crate) fn resolve_terminators(&mut self) {
        let ops = || self.parts.iter().flat_map(|part| &part.ops);
        let known = |class: &str| ops().find(|op| op.class == class).map(|op| op.name.clone());
        let ends = |op: &&OpSyntax, class: &str| {
            op.class.strip_suffix(class).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
        };
        let resolved: Vec<Option<String>> = ops()
            .map(|op| match &op.terminator {
                Some(Terminator::Class(class)) => {
                    // As in C++, a class in the namespace of the operation has precedence.
                    let namespace = op.class.rsplit_once("::").map_or("", |(namespace, _)| namespace);
                    known(&format!("{namespace}::{class}"))
                        .or_else(|| ops().find(|op| ends(op, class)).map(|op| op.name.clone()))
                }
                _ => None,
            })
            .collect();
        let ops = self.parts.iter_mut().flat_map(|part| &mut part.ops);
        for (op, name) in ops.zip(resolved) {
            op.terminator = name.map(Terminator::Op).or(op.terminator.take());
        }
    }

    /// True if the dialect has operations.
    pub(crate) fn has_operations(&self) -> bool {
        self.parts.iter().any(|part| !part.ops.is_empty())
    }
}

impl AttributeDef {
    /// True if an operation without the attribute is valid.
    pub(crate) fn may_be_absent(&self) -> bool {
        self.optional || self.has_default
    }
}

impl ValueGroup {
    /// True if the number of values can differ from one.
    pub(crate) fn is_variable(&self) -> bool {
        self.arity != Arity::One
    }
}

impl OpSyntax {
    /// The names of all properties: the declared attributes, the other properties, and the sizes of groups.
    pub(crate) fn inherent_names(&self) -> Vec<String> {
        let attributes = self.attributes.iter().map(|attribute| attribute.name.clone());
        let properties = self.properties.iter().map(|property| property.name.clone());
        let sizes = [(self.operand_sizes, "operandSegmentSizes"), (self.result_sizes, "resultSegmentSizes")];
        let sizes = sizes.into_iter().filter(|(sizes, _)| *sizes == GroupSizes::Attribute);
        attributes.chain(properties).chain(sizes.map(|(_, name)| name.to_owned())).collect()
    }
}
