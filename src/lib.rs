//! A pattern matcher and rewriter for compiler IRs, driven by declarative rules.
//!
//! Rules are written as MLIR's declarative rewrite rules (`.td`) or as `pdl` text, or are built in Rust. drrvm merges
//! all rules into one decision tree, compiles the tree to byte code, and matches and rewrites any IR that implements
//! its traits. No code is generated, and no C++ compiler is needed.
//!
//! # Five steps
//!
//! 1. **Describe your IR** with the traits of [`host`], or use the built-in IR [`ir`], which reads and writes MLIR
//!    text.
//! 2. **Load rules** from files with [`compile::rules`], or build them with [`RuleSet::pattern`].
//! 3. **Compile** them with [`compile::program`] to a [`Program`], which can be stored in a file and embedded
//!    ([`build`]).
//! 4. **Link** the program to an IR with [`Matcher::link`]. The functions that rules call are [`Natives`].
//! 5. **Match** with [`Matcher::match_first`], or **rewrite** with a driver of [`rewrite`].
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
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`host`] | the traits of an IR, natives, the transactional rewriter |
//! | [`pdl`] | rules built in Rust |
//! | [`compile`] | from rule files to a program |
//! | [`vm`] | engines that match and rewrite; explanations and profiles |
//! | [`rewrite`] | drivers |
//! | [`source`] | files, positions, diagnostics |
//! | [`ir`] | the built-in IR (feature `ir`) |
//! | [`ods_verify`] | verification of operations by their definitions (feature `ir`) |
//! | [`equivalence`] | random IR, comparison of rule sets and engines (feature `ir`) |
//! | [`prove`] | proofs and refutations of rules over integers (feature `prove`) |
//! | [`tablegen`] | `.td` files to records (feature `frontend`) |
//! | [`build`] | compiling rules in a build script (feature `frontend`) |
//! | [`report`] | explanations, profiles and differences as text, JSON and pages (feature `report`) |
//! | [`natives`] | functions that well-known rule files call |
//! | [`script`] | natives in a script language (feature `script`) |
//! | [`conformance`] | tests of an IR's implementation of the traits (feature `conformance`) |

#![cfg_attr(
    not(all(feature = "fuzzing", feature = "cli")),
    allow(unreachable_pub, reason = "the feature `fuzzing` shows these items to the project's own tests")
)]
#![cfg_attr(
    not(feature = "cli"),
    allow(
        dead_code,
        unused_imports,
        reason = "the feature `cli` uses these items, and a build with this feature warns of unused items"
    )
)]

#[cfg(feature = "frontend")]
pub mod build;
mod bytecode;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod compile;
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(feature = "conformance")]
mod corpus;
mod envelope;
#[cfg(feature = "ir")]
pub mod equivalence;
#[cfg(feature = "frontend")]
mod frontend;
#[cfg(all(feature = "frontend", feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
pub mod host;
mod id;
mod identifier;
mod intern;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod internal;
#[cfg(feature = "ir")]
pub mod ir;
mod log;
mod matcher_tree;
pub mod natives;
mod number;
#[cfg(feature = "ir")]
pub mod ods_verify;
pub mod pdl;
mod plural;
#[cfg(feature = "prove")]
pub mod prove;
#[cfg(feature = "report")]
pub mod report;
pub mod rewrite;
#[cfg(feature = "script")]
pub mod script;
mod semantics;
mod snippet;
pub mod source;
mod stack;
mod stopwatch;
mod string_literal;
#[cfg(test)]
mod test_seed;
pub mod vm;
mod wire;

pub use bytecode::{LoadError, Program, disassemble};
#[cfg(feature = "frontend")]
pub use frontend::tablegen;
pub use host::{Natives, NoListener};
pub use pdl::RuleSet;
pub use source::{Diagnostics, SourceMap};
pub use vm::{LinkOptions, Matcher};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(all(doctest, feature = "frontend"))]
#[doc = include_str!("../docs/FORMATS.md")]
struct Formats;

#[cfg(all(doctest, feature = "ir"))]
#[doc = include_str!("../docs/MLIRBC.md")]
struct Mlirbc;
