//! An automaton-compiled pattern matcher for compiler IRs.
//!
//! Rules come from `.td` files ([`compile::rules`]) or from Rust ([`pdl::RuleSet::pattern`]); they
//! are compiled to a [`Program`](bytecode::Program), which a [`Matcher`](vm::Matcher) binds to an IR.
//! Any IR will do that implements [`host::Ir`] to be matched and [`host::IrMut`] to be rewritten; the
//! crate has one of its own, [`ir`], which reads and writes MLIR's text.
//!
//! The stages, in the order in which data flows through them:
//!
//! | module | what it does |
//! |---|---|
//! | [`source`] | files, positions, diagnostics |
//! | [`number`] | integers of any width, MLIR's floats |
//! | [`host`] | the traits of an IR, and natives |
//! | [`snippet`] | the expressions in rules |
//! | [`ir`] | the built-in IR |
//! | [`natives`] | helpers of well-known rule files |
//! | `script` | natives in an embedded script language (feature `script`) |
//! | [`pdl`] | rules, and the reference matcher |
//! | [`ods_verify`] | verifies the built-in IR by definitions |
//! | [`frontend`] | TableGen, ODS, C++ snippets, DRR, `pdl` text |
//! | [`matcher_tree`] | all rules as one decision DAG |
//! | [`bytecode`] | the DAG and the rewrites as a program |
//! | [`vm`] | runs a program on an IR |
//! | [`rewrite`] | drivers |
//! | [`equivalence`] | random IR, comparison of rule sets and engines |
//! | [`compile`] | calls the stages in order |
//! | `corpus` | cases that every engine and host has to get right (feature `conformance`) |
//! | `conformance` | compares an embedder's host with the built-in IR (feature `conformance`) |
//! | [`build`] | compiles rules in a build script |

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
#[cfg(feature = "frontend")]
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
pub mod vm;
mod wire;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
