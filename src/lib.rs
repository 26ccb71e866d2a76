//! A pattern matcher and rewriter for compiler IRs, driven by declarative rules.
//!
//! Rules come from `.td` or `pdl` files ([`compile::rules`]) or from Rust ([`RuleSet::pattern`](pdl::RuleSet::pattern)).
//! [`compile::program`] compiles them to a [`Program`], and a [`Matcher`] links the program to an IR. An IR
//! implements [`Ir`] and [`Facets`] to be matched, [`Bind`] to be linked, and [`IrMut`] to be rewritten. The crate
//! includes one IR, [`ir`], which reads and writes MLIR text.
//!
//! ```
//! # #[cfg(feature = "ir")]
//! # fn main() -> Result<(), drrvm::source::Diagnostics> {
//! use std::sync::Arc;
//! use drrvm::ir::{Context, IrHost, parse_module};
//! use drrvm::{LinkOptions, Matcher, Natives, NoListener, RuleSet, SourceMap, compile, rewrite};
//!
//! // not(not(x)) is x.
//! let mut rules = RuleSet::default();
//! let mut rule = rules.pattern("not_not", 1);
//! let x = rule.value();
//! let inner = rule.op("t.not").operand(x).matched();
//! let inverted = rule.result(inner, 0);
//! let root = rule.op("t.not").operand(inverted).matched();
//! rule.replace(root, [x]);
//! rule.finish()?;
//! let program = Arc::new(compile::program(&rules)?);
//!
//! let text = r#"
//!     %0 = "t.input"() : () -> i1
//!     %1 = "t.not"(%0) : (i1) -> i1
//!     %2 = "t.not"(%1) : (i1) -> i1
//!     "t.output"(%2) : (i1) -> ()
//! "#;
//! let mut sources = SourceMap::default();
//! let file = sources.add("input.mlir", text.to_owned())?;
//! let mut context = Context::new();
//! let module = parse_module(&mut context, sources.file(file))?;
//! let mut host = IrHost::new(context, module);
//!
//! let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default())?;
//! let top = host.module.top();
//! let report = rewrite::apply_greedily(&mut host, top, &matcher, &Default::default(), &mut NoListener);
//! assert_eq!(report.rewrites, 1);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "ir"))]
//! # fn main() {}
//! ```
//!
//! The stages, in the order in which data flows through them:
//!
//! | module | what it does |
//! |---|---|
//! | [`id`], [`intern`] | typed indices, interned strings |
//! | [`source`] | files, positions, diagnostics |
//! | [`number`] | integers of any width, MLIR's floats |
//! | [`host`] | the traits of an IR, and natives |
//! | [`snippet`] | the expressions in rules |
//! | [`ir`] | the built-in IR (feature `ir`) |
//! | [`natives`] | helpers of well-known rule files |
//! | `script` | natives in a script language (feature `script`) |
//! | [`pdl`] | rules, and the reference matcher |
//! | [`ods_verify`] | verifies the built-in IR by definitions (feature `ir`) |
//! | [`frontend`] | TableGen, ODS, C++ snippets, DRR, `pdl` text (feature `frontend`) |
//! | [`matcher_tree`] | all rules as one decision DAG |
//! | [`bytecode`] | the DAG and the rewrites as a program |
//! | [`vm`] | runs a program on an IR |
//! | [`rewrite`] | drivers |
//! | [`equivalence`] | random IR, comparison of rule sets and engines (feature `ir`) |
//! | [`compile`] | calls the stages in order |
//! | `corpus` | test cases for engines and hosts (feature `conformance`) |
//! | `conformance` | compares an embedder's host with the built-in IR (feature `conformance`) |
//! | [`build`] | compiles rules in a build script (feature `frontend`) |

#[cfg(feature = "frontend")]
pub mod build;
pub mod bytecode;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compile;
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(feature = "conformance")]
pub mod corpus;
#[cfg(feature = "frontend")]
pub mod frontend;
#[cfg(all(feature = "frontend", feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
pub mod host;
pub mod id;
pub mod intern;
mod log;
#[cfg(feature = "ir")]
pub mod ods_verify;

#[cfg(feature = "ir")]
pub mod equivalence;
#[cfg(feature = "ir")]
pub mod ir;
pub mod matcher_tree;
pub mod natives;
pub mod number;
pub mod pdl;
pub mod rewrite;
#[cfg(feature = "script")]
pub mod script;
pub mod snippet;
pub mod source;
mod stack;
mod string_literal;
#[cfg(test)]
#[path = "../tests/it/common/seed.rs"]
mod test_seed;
pub mod vm;
mod wire;

pub use bytecode::Program;
pub use host::{Bind, Facets, Ir, IrMut, Listener, Natives, NoListener, Refusal, Rewriter};
pub use pdl::{PatternId, RuleSet};
pub use source::{Diagnostic, Diagnostics, SourceMap};
pub use vm::{Automaton, Engine, LinkError, LinkOptions, Matcher};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
