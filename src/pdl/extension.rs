//! The extensions of the `pdl` dialect: names of native calls and of discardable attributes.
//!
//! The printer writes a comment before the call of each such native. The reader of `pdl` text translates the extensions
//! back and calls no native. Another tool that runs such text must register natives with these names.
//!
//! While matching:
//!
//! - `drrvm.operation(op, dictionary)`: the form of an operation. In the dictionary, `operands` has the kind of each
//!   operand group: `"one"`, `"optional"`, `"range"` or the length of a list. `operand_split` and `result_split` are
//!   `"rest"`, `"equal"` or `{attribute = "name"}`. `either` has the pairs of operand groups that match in either
//!   order. For each listed attribute, `attributes` has `"required"`, `"optional"`, `{default = value}` or, if a C++
//!   expression computes the default, `{code = …, computed = "text"}`.
//! - `drrvm.any_result(value)`: the value, a `pdl.result 0` of an operation, can be any result of this operation
//! - `drrvm.has_type(entity, type)`: the type of a result or of a constant attribute
//! - `drrvm.equal(bound, entity)`: the result of a constraint equals this entity
//! - `drrvm.snippet("text", …)`: a C++ expression over the other arguments, `$0`, `$1`, …
//! - `drrvm.constant(entity, "text")`: an attribute or type that a C++ expression computes; a range of types has one
//!   text for each type
//! - `drrvm.storage(op, "name", "text")`: an attribute that fails this C++ predicate counts as absent
//!
//! The text of a C++ expression is for human readers, because its meaning depends on definitions outside the file. The
//! attribute with the text also carries the encoded expression, as `drrvm.code`.
//!
//! While rewriting:
//!
//! - `drrvm.type_of(value)`: the type of a value, or the types of a range
//! - `drrvm.results(op, first, count)`: `count` results of an operation, from number `first` on
//! - `drrvm.range(…)`: a range of attributes
//! - `drrvm.infer_types()`: all result types of an operation, which the host infers
//! - `drrvm.same(types)`: its argument, a type or a range of types, in places where MLIR's verifier accepts only the
//!   result of a call
//! - `drrvm.operand_sizes()`, `drrvm.result_sizes()`: the sizes of the operand groups or result groups of the new
//!   operation that takes this result as an attribute
//! - `drrvm.location(…)`: if the call has the attribute `drrvm.name`, a location with this name, around the argument if
//!   there is one. If not, the fused location of the arguments, with the string in the attribute `drrvm.metadata` of
//!   the call. The attribute `drrvm.location` of a new operation is its location
//! - `drrvm.snippet("text", …)`, `drrvm.constant("text")`: the result of a C++ expression, as in match parts

pub(crate) const OPERATION: &str = "drrvm.operation";
pub(crate) const ANY_RESULT: &str = "drrvm.any_result";
pub(crate) const HAS_TYPE: &str = "drrvm.has_type";
pub(crate) const EQUAL: &str = "drrvm.equal";
pub(crate) const SNIPPET: &str = "drrvm.snippet";
pub(crate) const CONSTANT: &str = "drrvm.constant";
pub(crate) const STORAGE: &str = "drrvm.storage";
pub(crate) const TYPE_OF: &str = "drrvm.type_of";
pub(crate) const RESULTS: &str = "drrvm.results";
pub(crate) const RANGE: &str = "drrvm.range";
pub(crate) const INFER_TYPES: &str = "drrvm.infer_types";
pub(crate) const SAME: &str = "drrvm.same";
pub(crate) const OPERAND_SIZES: &str = "drrvm.operand_sizes";
pub(crate) const RESULT_SIZES: &str = "drrvm.result_sizes";
pub(crate) const LOCATION: &str = "drrvm.location";

// Discardable attributes.

/// On a location: the string that it carries.
pub(crate) const METADATA: &str = "drrvm.metadata";
/// On a location: its name. On a pattern: its name, if the name is not its symbol.
pub(crate) const NAME: &str = "drrvm.name";
/// On the text of an expression: the encoded expression, in hexadecimal.
pub(crate) const CODE: &str = "drrvm.code";
/// The value of [`KIND`] for an attribute or type that an expression computes.
pub(crate) const COMPUTED: &str = "computed";
/// On a constant: the kind of an integer, Boolean or string argument of a call; [`COMPUTED`] if an expression computes
/// the constant.
pub(crate) const KIND: &str = "drrvm.kind";
/// On a call: for each result, its kind if the kind has no `pdl` type, and an empty string otherwise.
pub(crate) const KINDS: &str = "drrvm.kinds";
/// On a call: the number of the argument whose elements are passed one after the other.
pub(crate) const EACH: &str = "drrvm.each";
/// On a call that has no arguments, although `pdl` requires one.
pub(crate) const NO_ARGS: &str = "drrvm.no_args";
/// On a new operation: the names of its inherent attributes.
pub(crate) const DECLARED: &str = "drrvm.declared";
/// On a new operation: the number of its regions, which are empty.
pub(crate) const REGIONS: &str = "drrvm.regions";
/// On a pattern: its labels.
pub(crate) const LABELS: &str = "drrvm.labels";
/// On a pattern: the mark as recursive.
pub(crate) const RECURSIVE: &str = "drrvm.recursive";
/// On a pattern: a benefit above the limit of `pdl`.
pub(crate) const BENEFIT: &str = "drrvm.benefit";
/// On a pattern: its benefits, each with the name of its constraint, `["name", 3 : i32]`. The last benefit can be
/// without a constraint. The reader assigns calls to benefits from the last benefit to the first: each benefit gets the
/// last call of its constraint that is not assigned yet. An assigned call is not a condition of the pattern itself.
pub(crate) const BENEFITS: &str = "drrvm.benefits";

use crate::host::Kind;

/// The `pdl` type of a kind. An entity of a kind without a `pdl` type is passed as an attribute.
pub(crate) fn pdl_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Op => "!pdl.operation",
        Kind::Value => "!pdl.value",
        Kind::Values => "!pdl.range<value>",
        Kind::Type => "!pdl.type",
        Kind::Types => "!pdl.range<type>",
        Kind::Attrs => "!pdl.range<attribute>",
        _ => "!pdl.attribute",
    }
}

/// The word of [`KIND`] and [`KINDS`] for a kind without a `pdl` type.
pub(crate) fn kind_word(kind: Kind) -> Option<&'static str> {
    WORDS.iter().find(|(word, _)| *word == kind).map(|&(_, text)| text)
}

/// The kind for a word of [`KIND`] or [`KINDS`].
#[cfg(feature = "frontend")]
pub(crate) fn kind_of_word(word: &str) -> Option<Kind> {
    WORDS.iter().find(|(_, text)| *text == word).map(|&(kind, _)| kind)
}

const WORDS: &[(Kind, &str)] = &[
    (Kind::Int, "int"),
    (Kind::Bool, "bool"),
    (Kind::Str, "str"),
    (Kind::ApInt, "apint"),
    (Kind::ApFloat, "apfloat"),
    (Kind::Location, "location"),
];
