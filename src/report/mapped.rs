//! A program together with the tree that it was compiled from.

use std::sync::Arc;

use super::page::{Page, node_counts, tree_nodes};
use crate::bytecode::{self, NodeMap, Program};
use crate::ir::{IrHost, OpId};
use crate::matcher_tree::{self, Tree};
use crate::pdl::RuleSet;
use crate::source::{Diagnostics, SourceMap};
use crate::vm::{Engine, Matcher, Profiler};

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

    /// The part of the tree that matching at an operation visits until the first match. `matcher` is linked from this
    /// program.
    pub fn trace(&self, matcher: &Matcher<IrHost>, host: &IrHost, op: OpId) -> Trace {
        let profiler = Profiler::new(matcher);
        profiler.match_first(host, op, &mut profiler.cache());
        let profile = profiler.into_profile();
        let nodes = tree_nodes(&self.tree);
        let counts = node_counts(&self.tree, &self.places, &profile, &nodes);
        let visited = |(_, node): &(u32, _)| counts.get(node).is_some_and(|&count| count > 0);
        let nodes = (0u32..).zip(nodes).filter(visited).map(|(number, _)| number).collect();
        let ran = profile.steps.iter().zip(0u32..).filter(|&(&count, _)| count > 0);
        Trace { nodes, instructions: ran.map(|(_, address)| address).collect() }
    }
}

/// The part of a tree that matching at one operation visits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The visited nodes, as numbered in [`MappedProgram::page_data`], in order.
    pub nodes: Vec<u32>,
    /// The addresses of the instructions that ran, as in [`disassemble`](crate::disassemble), in order.
    pub instructions: Vec<u32>,
}
