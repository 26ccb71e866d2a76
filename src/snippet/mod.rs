//! Typed expressions of the snippet language: what rules compute, without C++.
//!
//! Specification: evaluating a snippet gives what the C++ text it was read from gives in MLIR 22.1.
//!
//! Snippets are data: they are stored in a program and evaluated over a host's
//! [`Facets`](crate::host::Facets). Which calls there are is one table.

use crate::id::define_ids;

define_ids! {
    /// A snippet of a [`Snippets`] table.
    pub struct SnippetId;
}

/// All snippets of a rule set.
#[derive(Clone, Debug, Default)]
pub struct Snippets {}
