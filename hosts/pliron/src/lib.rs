//! pliron's IR as a host: rules match and rewrite its operations in place.
//!
//! Specification: the engine behaves on pliron's IR as on the built-in IR. Operations, values and types are
//! pliron's ids. Attributes and locations are objects that are compared by value; the host numbers them, so that
//! equal objects have equal numbers.
//!
//! Operations of pliron are Rust types. A rule can match any operation by name (`llvm.add`), and create operations that
//! were [registered](PlironHost::register). pliron verifies each new operation that has neither regions nor successors.
//! If it rejects an operation, the rewrite is undone.
//!
//! ```
//! use std::sync::Arc;
//! use drrvm::host::{NoListener, Natives};
//! use drrvm::rewrite::{Config, apply_greedily};
//! use drrvm::vm::{LinkOptions, Matcher};
//! use drrvm::{compile, pdl::RuleSet};
//! use drrvm_pliron::PlironHost;
//! use pliron::context::Context;
//! # use pliron_llvm as _;
//!
//! // (x ^ y) ^ y => x.
//! let mut rules = RuleSet::default();
//! let mut rule = rules.pattern("twice", 1);
//! let (x, y) = (rule.value(), rule.value());
//! let inner = rule.op("llvm.xor").operand(x).operand(y).matched();
//! let inner = rule.result(inner, 0);
//! let root = rule.op("llvm.xor").operand(inner).operand(y).matched();
//! rule.replace(root, [x]);
//! rule.finish()?;
//! let program = Arc::new(compile::program(&rules)?);
//!
//! let text = "
//! builtin.module @m {
//! ^block():
//!   llvm.func @f: llvm.func <builtin.integer i64 (builtin.integer i64, builtin.integer i64) variadic = false> [] {
//!   ^entry(x: builtin.integer i64, y: builtin.integer i64):
//!     a = llvm.xor x, y : builtin.integer i64;
//!     b = llvm.xor a, y : builtin.integer i64;
//!     llvm.return b
//!   }
//! }";
//! let mut host = PlironHost::parse(Context::new(), text).expect("pliron accepts the text");
//! let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default())?;
//! let top = host.top();
//! let report = apply_greedily(&mut host, top, &matcher, &Config::default(), &mut NoListener);
//! assert_eq!(report.rewrites, 1);
//! assert!(host.verify().is_ok());
//! # Ok::<(), drrvm::source::Diagnostics>(())
//! ```

mod blocks;
mod facets;
mod host;
mod numbered;
mod text;

pub use host::{AttrId, LocationId, PlironHost, UseId};
