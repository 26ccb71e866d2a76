//! What the `pdl` dialect cannot say, as names of native calls and discardable attributes.
//!
//! The printer writes them, with a comment; the reader of `pdl` text understands them and calls no
//! native. Another tool that runs such text would have to register them.
//!
//! While matching:
//!
//! | call | says |
//! |---|---|
//! | `drrvm.operation(op, dictionary)` | `operands`: what each operand group is, `"one"`, `"optional"`, `"range"` or the length of a list; `operand_split`, `result_split`: `"rest"`, `"equal"`, or `{attribute = "name"}`; `either`: pairs of operand groups that match in either order; `attributes`: for each listed attribute `"required"`, `"optional"` or `{default = value}` |
//! | `drrvm.any_result(value)` | a `pdl.result 0` that may be any result |
//! | `drrvm.has_type(thing, type)` | the type of a result, or of a constant attribute |
//! | `drrvm.equal(bound, thing)` | the result of a constraint is this thing |
//! | `drrvm.snippet("text", …)` | a C++ expression over the other arguments, `$0`, `$1`, … |
//! | `drrvm.constant(thing, "text")` | an attribute or type that a C++ expression gives; of a range of types one argument for each |
//! | `drrvm.storage(op, "name", "text")` | an attribute that fails this C++ predicate is absent |
//!
//! The text of a C++ expression is for people: what it means depends on definitions that are not in the
//! file. The attribute that is the text carries the expression as it was read, as `drrvm.code`.
//!
//! While rewriting:
//!
//! | call | gives |
//! |---|---|
//! | `drrvm.type_of(value)` | its type; of a range its types |
//! | `drrvm.results(op, first, count)` | these results |
//! | `drrvm.range(…)` | a range of attributes |
//! | `drrvm.infer_types()` | the result types that the host infers, as the only ones of an operation |
//! | `drrvm.same(types…)` | its argument: some places take no other value in MLIR's verifier |
//! | `drrvm.operand_sizes()`, `drrvm.result_sizes()` | as an attribute of an operation: the size of each of its groups |
//! | `drrvm.location(…)` | the fused location of its arguments; `drrvm.metadata` and `drrvm.name` as discardable attributes. As attribute `drrvm.location` of an operation: its location |
//! | `drrvm.snippet("text", …)`, `drrvm.constant("text")` | as while matching |

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

/// Of a location: the string it carries.
pub(crate) const METADATA: &str = "drrvm.metadata";
/// Of a location: its name. Of a pattern: its name, where the symbol cannot be it.
pub(crate) const NAME: &str = "drrvm.name";
/// Of the text of an expression: what it was read as, the bytes in hexadecimal.
pub(crate) const CODE: &str = "drrvm.code";
/// How [`KIND`] names an attribute or type that an expression gives.
pub(crate) const COMPUTED: &str = "computed";
/// Of a constant: that it is an integer, Boolean or string of the snippet language.
pub(crate) const KIND: &str = "drrvm.kind";
/// Of a call: kinds of its results that pdl has no type for.
pub(crate) const KINDS: &str = "drrvm.kinds";
/// Of a call: the argument whose elements it is asked of, one by one.
pub(crate) const EACH: &str = "drrvm.each";
/// Of a call: that it takes nothing; pdl asks for an argument.
pub(crate) const NO_ARGS: &str = "drrvm.no_args";
/// Of an operation to make: the attributes that it declares.
pub(crate) const DECLARED: &str = "drrvm.declared";
/// Of a pattern: its labels.
pub(crate) const LABELS: &str = "drrvm.labels";
/// Of a pattern: that it may fire on what it produced.
pub(crate) const RECURSIVE: &str = "drrvm.recursive";
/// Of a pattern: a benefit past what `pdl` can say.
pub(crate) const BENEFIT: &str = "drrvm.benefit";
/// Of a pattern: its benefits, each with the name of the constraint it depends on, `["name", 3 : i32]`, the
/// last perhaps without. Each takes the next constraint of that name, which need not hold for a match.
pub(crate) const BENEFITS: &str = "drrvm.benefits";

use crate::host::Kind;

/// The `pdl` type of things of a kind; what has none travels as an attribute.
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

/// How [`KIND`] and [`KINDS`] name a kind that `pdl` has no type for.
pub(crate) fn kind_word(kind: Kind) -> Option<&'static str> {
    WORDS.iter().find(|(word, _)| *word == kind).map(|&(_, text)| text)
}

/// The kind that a word names.
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
