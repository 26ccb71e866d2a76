//! A program together with the tree that it was compiled from.

use std::sync::Arc;

use super::page::Page;
use crate::bytecode::{self, NodeMap, Program};
use crate::matcher_tree::{self, Tree};
use crate::pdl::RuleSet;
use crate::source::{Diagnostics, SourceMap};

/// A program, its rules, the tree that it was compiled from, and the first instruction of each node of the tree.
pub struct MappedProgram {
    pub(super) rules: RuleSet,
    pub(super) tree: Tree,
    pub(super) places: NodeMap,
    program: Arc<Program>,
}

impl MappedProgram {
    /// Compiles rules as [`compile::program`](crate::compile::program) does, and keeps the tree.
    ///
    /// # Errors
    /// As for [`compile::program`](crate::compile::program).
    pub fn compile(rules: RuleSet) -> Result<Self, Diagnostics> {
        let verified = rules.verify()?;
        let tree = matcher_tree::build(verified, &matcher_tree::Config::default())?;
        let (program, places) = bytecode::compile_mapped(verified, &tree)?;
        Ok(Self { rules, tree, places, program: Arc::new(program) })
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The rules.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The JSON data of the page that shows the tree and the rules.
    pub fn page_data(&self, sources: &SourceMap) -> String {
        Page::of_tree(sources, &self.rules, &self.tree).data()
    }
}
