//! The stages, for the project's own tests and benches.
//!
//! This module exists only with the feature `fuzzing`. Its modules have the names of the modules of the crate.

use crate::source::Diagnostics;

/// Like [`compile::program`](crate::compile::program), with a configuration of the matcher tree.
///
/// # Errors
/// The errors of [`compile::program`](crate::compile::program).
pub fn program_with(
    rules: &crate::RuleSet,
    config: &matcher_tree::Config,
) -> Result<crate::Program, Diagnostics> {
    crate::compile::program_with(rules, config)
}

pub mod bytecode {
    //! Compiled programs.
    pub use crate::bytecode::{Program, Section, disassemble, section_sizes};
}
#[cfg(feature = "conformance")]
pub mod corpus {
    //! The cases of the corpus.
    pub use crate::corpus::{Case, cases, natives};
}
#[cfg(feature = "frontend")]
pub mod frontend {
    //! The stages of the front ends.
    pub use crate::frontend::tablegen;
    pub mod cxx {
        //! C++ text to snippets.
        pub use crate::frontend::cxx::{
            Expected, Functions, Helpers, NoResolver, Placeholder, Request, Text, compile,
        };
    }
    pub mod drr {
        //! `Pattern` records to rules.
        pub use crate::frontend::drr::lower;
    }
    pub mod ods {
        //! Records to definitions.
        pub use crate::frontend::ods::{
            Definitions, DialectId, Op, OpFormat, TypeOrigin, TypePlace, accessor_name, advise, markdown,
            print, print_dialect, read,
        };
    }
    pub mod pdl_text {
        //! `pdl` text to rules.
        pub use crate::frontend::pdl_text::parse;
    }
    pub mod prelude {
        //! The embedded headers.
        pub use crate::frontend::prelude::FILES;
    }
}
pub mod intern {
    //! Interned strings.
    pub use crate::intern::{Interner, StrId};
}
pub mod matcher_tree {
    //! The decision tree.
    pub use crate::matcher_tree::{Config, Printer, build};
}
pub mod pdl {
    //! The rule form.
    use crate::intern::StrId;
    use crate::pdl::NodeId;
    pub use crate::pdl::match_part::{Call, Callee, Node};
    pub use crate::pdl::print::print_pattern;
    pub use crate::pdl::reference::ReferenceMatcher;
    pub use crate::pdl::rewrite_part::Step;
    pub use crate::pdl::{Arg, OpTable, Pattern};

    /// The nodes of the match part of a rule, with their names.
    pub fn nodes(pattern: &Pattern) -> impl Iterator<Item = (NodeId, &Node, Option<StrId>)> {
        let matcher = &pattern.matcher;
        matcher.iter_enumerated().map(|(id, node)| (id, node, matcher.name(id)))
    }

    /// The node at which a rule matches.
    pub fn root(pattern: &Pattern) -> &Node {
        &pattern.matcher[pattern.matcher.roots[0]]
    }

    /// The calls of constraints of a rule, in order.
    pub fn constraints(pattern: &Pattern) -> &[Call] {
        &pattern.matcher.constraints
    }

    /// The steps of the rewrite part of a rule, in order.
    pub fn steps(pattern: &Pattern) -> &[Step] {
        &pattern.rewrite.steps
    }
}
pub mod snippet {
    //! The expressions in rules.
    pub use crate::snippet::{Linked, ParamKind, Snippets, Ty};
}
pub mod vm {
    //! Engines that only the command uses.
    pub use crate::vm::layers::{Log, LoggingEngine};
}
#[cfg(feature = "ir")]
pub mod equivalence {
    //! Random decisions.
    pub use crate::equivalence::random::Random;
}
