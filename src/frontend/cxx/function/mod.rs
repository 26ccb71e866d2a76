//! Functions in C++ source files, compiled to functions of snippets.
//!
//! Specification: a call of a function has the result and the effects of the C++ function, or the function is outside
//! the language and a native replaces it.
//!
//! A [`Problem`](source::Problem) states why a function is outside the language. The files are:
//!
//! - `expand` expands the macros of files. `scan` finds definitions in a file without parsing it, and `source` holds
//!   the definitions of all files.
//! - `packs` expands the packs of variadic templates. `head` reads the heads of definitions, and `body` their bodies.
//!   `constants` finds the values of constants, enumerators and macros.
//! - `call` chooses the definition for a call by the types of the arguments, as overload resolution does, and `rank`
//!   ranks the conversions of the arguments. `template` finds the meanings of template arguments, and `lookup` finds
//!   functions in the namespaces of the arguments' classes. `call` compiles a definition once for each list of types.
//!   `argument` passes the arguments of a call.
//! - `parse` parses statements, and `lower` lowers them. `declare` lowers declarations, `array` lowers arrays of a fixed
//!   size, and `loops` lowers loops.
//! - `reference` binds the reference parameters of lambdas.
//! - `place` defines the type of places, to which references refer. `lvalue` lowers expressions that denote places, and
//!   assignments to places. `view` handles the declarations of references, pointers and views. `changes` finds the
//!   variables that a text changes, and `flow` decides if control can flow from a change to a use.
//! - `algorithm` handles calls of algorithms of LLVM and the standard library. `two_ranges` handles the algorithms over
//!   two ranges, and `changing` handles the calls that change a range or another variable. `order` decides if a loop or
//!   an algorithm may use an unordered set or map.
//! - `map` handles the methods of maps, and `method` handles other methods that the library does not list. `stream`
//!   lowers output to strings.
//! - `composed` lowers methods to combinations of other methods. `signed` lowers the methods of `APSInt`.
//! - `matcher` handles matchers that the files define. `selection` handles `StringSwitch` and `TypeSwitch`.
//! - `inference` calls the functions that infer result types, and `properties` handles the properties of operations in
//!   these functions. `builders` reads the builders of operations, and `create` calls the builders.
//! - `class` handles objects of classes, `callable` handles objects that are called, and `guard` handles insertion guards.

mod algorithm;
mod argument;
mod array;
#[cfg(test)]
mod block_oracle;
mod body;
mod builders;
mod call;
mod callable;
mod changes;
mod changing;
mod class;
mod composed;
mod constants;
mod create;
mod declare;
mod expand;
mod flow;
mod guard;
mod head;
mod inference;
#[cfg(test)]
mod ir_oracle;
#[cfg(test)]
mod language_tests;
mod lookup;
mod loops;
mod lower;
mod lvalue;
mod map;
mod matcher;
mod method;
#[cfg(test)]
mod oracle;
mod order;
mod packs;
mod parse;
mod place;
mod properties;
mod rank;
mod reference;
mod scan;
mod selection;
#[cfg(test)]
mod semantics_tests;
mod signed;
mod source;
mod stream;
mod template;
#[cfg(test)]
mod tests;
mod two_ranges;
mod view;

pub(super) use array::is_array;
pub(super) use changes::{Changes, is_map, is_set, may_change_argument};
pub(super) use class::MethodCall;
pub(crate) use create::build_op;
pub(crate) use expand::{Expanded, expand_macros};
pub(crate) use inference::{InferringOp, infer_types};
pub(super) use lvalue::{CHAR, Held};
pub(super) use place::Place;
pub(crate) use source::AmbiguousName;
pub(super) use source::Applied;
pub use source::{Functions, Helpers};
pub(super) use view::is_view;
