//! The stages, for the project's own tests and benches.
//!
//! This module exists only with the feature `fuzzing`. Its folders are those of `src/`.

use crate::source::Diagnostics;

/// As [`compile::program`](crate::compile::program), with a configuration of the matcher tree.
///
/// # Errors
/// As [`compile::program`](crate::compile::program).
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
    //! The cases that every engine must get right.
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
    pub use crate::pdl::match_part::{Call, Callee, Node};
    pub use crate::pdl::rewrite_part::Step;
    pub use crate::pdl::{Arg, OpTable, Pattern, ReferenceMatcher};
}
pub mod snippet {
    //! The expressions in rules.
    pub use crate::snippet::{Linked, ParamKind, Snippets, Ty};
}
