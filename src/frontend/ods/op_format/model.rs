//! The data of formats: elements and the origins of types.

use crate::ir::dialect::Element;

/// The format of an operation, with the origin of each type.
#[derive(Clone, Debug)]
pub struct OpFormat<'a> {
    /// The text in the definition.
    pub text: &'a str,
    /// The elements.
    pub elements: Vec<Element>,
    /// The origin of the type of each group of operands.
    pub operand_types: Vec<TypeOrigin<'a>>,
    /// The origin of the type of each group of results.
    pub result_types: Vec<TypeOrigin<'a>>,
    /// The names of the attributes that hold the segment sizes of `VariadicOfVariadic` operands. The reader computes
    /// these sizes from the text.
    pub inferred: Vec<&'a str>,
    /// True if the format has `prop-dict`.
    pub prop_dict: bool,
}

/// The origin of the type of a group of operands or results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeOrigin<'a> {
    /// The format contains the type.
    Written,
    /// C++ code that builds the only possible type.
    Fixed(&'a str),
    /// The type of another value or of an attribute. If there is a C++ expression, it computes the wanted type from
    /// this type.
    From(TypePlace, Option<&'a str>),
    /// C++ code that infers the types of results.
    Inferred,
}

/// The place of a type in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypePlace {
    /// The index of a group of operands.
    Operand(usize),
    /// The index of a group of results.
    Result(usize),
    /// The index of an attribute.
    Attribute(usize),
}
