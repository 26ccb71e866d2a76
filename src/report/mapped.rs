//! A program together with the tree that it was compiled from.

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::page::{Page, tree_nodes};
use crate::bytecode::{self, Address, NodeMap, Program};
use crate::ir::{IrHost, OpId};
use crate::matcher_tree::{self, Tree, TreeNodeId};
use crate::pdl::RuleSet;
use crate::source::{Diagnostics, SourceMap};
use crate::vm::Matcher;

/// A program, its rules, the tree that it was compiled from, and the first instruction of each node of the tree.
pub struct MappedProgram {
    pub(super) rules: RuleSet,
    pub(super) tree: Tree,
    pub(super) places: NodeMap,
    program: Arc<Program>,
}

impl MappedProgram {
    /// Compiles rules like [`compile::program`](crate::compile::program), and keeps the tree.
    ///
    /// # Errors
    /// The errors of [`compile::program`](crate::compile::program).
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
        let mut ran = matcher.visited(host, op);
        let numbers: HashMap<TreeNodeId, u32, FxBuildHasher> =
            tree_nodes(&self.tree).into_iter().zip(0u32..).collect();
        let starting = self.places.iter_enumerated().filter_map(|(node, at)| Some(((*at)?, node)));
        let starting: HashMap<Address, TreeNodeId, FxBuildHasher> = starting.collect();
        let mut visited: Vec<TreeNodeId> = Vec::new();
        let mut edges = BTreeSet::new();
        for node in ran.iter().filter_map(|at| starting.get(at)).filter(|node| numbers.contains_key(*node)) {
            // After a failure, matching continues below a node that it visited before.
            let above = visited.iter().rev().find_map(|&above| self.path(above, *node));
            edges.extend(above.into_iter().flatten().map(|(from, to)| (numbers[&from], numbers[&to])));
            visited.push(*node);
        }
        let nodes: BTreeSet<u32> =
            visited.iter().map(|node| numbers[node]).chain(edges.iter().map(|edge| edge.1)).collect();
        ran.sort_unstable();
        ran.dedup();
        Trace {
            nodes: nodes.into_iter().collect(),
            edges: edges.into_iter().collect(),
            instructions: ran.into_iter().map(Address::raw).collect(),
        }
    }

    /// The edges from a node to a node below it, if only nodes without instructions are between them.
    fn path(&self, from: TreeNodeId, to: TreeNodeId) -> Option<Vec<(TreeNodeId, TreeNodeId)>> {
        let mut above: HashMap<TreeNodeId, TreeNodeId, FxBuildHasher> = HashMap::default();
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for child in self.tree.children(node) {
                if child == to {
                    let mut edges = vec![(node, to)];
                    while let Some(&(below, _)) = edges.last()
                        && let Some(&parent) = above.get(&below)
                    {
                        edges.push((parent, below));
                    }
                    return Some(edges);
                }
                if self.places.get(child).copied().flatten().is_none()
                    && above.try_insert(child, node).is_ok()
                {
                    open.push(child);
                }
            }
        }
        None
    }
}

/// The part of a tree that matching at one operation visits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The visited nodes, as numbered in [`MappedProgram::page_data`], in ascending order.
    pub nodes: Vec<u32>,
    /// The edges that matching takes between the visited nodes.
    pub edges: Vec<(u32, u32)>,
    /// The addresses of the instructions that run, as in [`disassemble`](crate::disassemble), in ascending order.
    pub instructions: Vec<u32>,
}
