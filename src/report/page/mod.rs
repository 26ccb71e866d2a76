//! A self-contained HTML page with the decision tree as a picture, the rules as a table, and the input with the rules
//! that fired.
//!
//! The file contains the data, one style sheet and one script, and loads nothing from a network. The browser lays out
//! only the unfolded part of the tree, so that pages of large rule sets open quickly.

mod svg;
mod template;

use std::collections::BTreeMap;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use serde_json::{Value, json};

use super::error;
use super::text::nanoseconds;
use crate::bytecode::{NodeMap, Program};
use crate::host::Ir;
use crate::id::{Id, IdVec};
use crate::ir::IrHost;
use crate::ir::source_text::shortened;
use crate::matcher_tree::{Printer, Tree, TreeNode, TreeNodeId};
use crate::pdl::{Origin, PatternId, RuleSet};
use crate::snippet::SnippetId;
use crate::source::{Diagnostic, SourceMap, Span};
use crate::vm::Profile;

/// The maximum number of rules that are listed for a node.
const LISTED_RULES: usize = 6;
/// The maximum number of lines of an input that are shown.
const LINES: usize = 4_000;
/// The maximum number of nodes in a picture.
const PICTURE: usize = 2_000;
/// The number of context lines around a line where a rule fired.
const CONTEXT: u32 = 2;

/// The contents of a page.
pub(crate) struct Page<'a, H: Ir = IrHost> {
    pub(crate) title: String,
    pub(crate) sources: &'a SourceMap,
    pub(crate) rules: &'a RuleSet,
    pub(crate) tree: &'a Tree,
    /// The counts of a profile, if there is one.
    pub(crate) counts: Option<Counts<'a, H>>,
    /// Labels and figures for the top of the page.
    pub(crate) summary: Vec<(&'static str, String)>,
}

/// A profile, with its program and its inputs.
pub(crate) struct Counts<'a, H: Ir> {
    pub(crate) program: &'a Program,
    pub(crate) places: &'a NodeMap,
    pub(crate) profile: &'a Profile<H>,
    pub(crate) inputs: Vec<Input<'a>>,
}

/// An input, and the number of times that each rule fired on each line, ordered by line and rule.
pub(crate) struct Input<'a> {
    pub(crate) name: String,
    pub(crate) text: &'a str,
    pub(crate) fired: Vec<(u32, PatternId, u64)>,
}

impl<'a> Page<'a> {
    /// A page about a tree.
    pub(crate) fn of_tree(sources: &'a SourceMap, rules: &'a RuleSet, tree: &'a Tree) -> Self {
        let stats = tree.stats();
        let summary = vec![
            ("rules", stats.rows.to_string()),
            ("nodes", stats.nodes.to_string()),
            ("shared", stats.shared.to_string()),
            ("nodes on the longest path", stats.depth.to_string()),
        ];
        Self { title: "Decision tree".to_owned(), sources, rules, tree, counts: None, summary }
    }
}

impl<H: Ir> Page<'_, H> {
    /// Returns the page. The time is linear in the size of the tree, the rules and the inputs.
    pub(crate) fn html(&self) -> String {
        template::page(&self.title, &self.data())
    }

    /// The tree as one picture.
    ///
    /// # Errors
    /// Fails if the tree has too many nodes for a picture.
    pub(crate) fn svg(&self) -> Result<String, Diagnostic> {
        let nodes = tree_nodes(self.tree);
        if nodes.len() > PICTURE {
            return Err(error::picture_too_large(nodes.len(), PICTURE));
        }
        Ok(svg::picture(self.rules, self.tree, &nodes))
    }

    /// The JSON data that the page's script shows.
    pub(crate) fn data(&self) -> String {
        let mut tables = Tables::new(self.sources);
        let printer = Printer::new(self.rules, self.tree);
        let nodes = tree_nodes(self.tree);
        let numbers: HashMap<TreeNodeId, usize, FxBuildHasher> =
            nodes.iter().copied().zip(0usize..).collect();
        let counts = self.counts.as_ref();
        let counts = counts.map(|of| node_counts(self.tree, of.places, of.profile, &nodes));
        let counts = counts.unwrap_or_default();
        let is_fail = |node: TreeNodeId| self.tree.nodes()[node] == TreeNode::Fail;
        let mut rows = Vec::with_capacity(nodes.len());
        for &node in &nodes {
            let (kind, rule) = match &self.tree.nodes()[node] {
                TreeNode::Fail => (0, -1),
                TreeNode::Try { .. } => (1, -1),
                TreeNode::Switch { .. } => (2, -1),
                TreeNode::Leaf { row, .. } => (3, i64::from(self.tree.rows()[*row].pattern.raw())),
            };
            let mut edges = Vec::new();
            for (label, to) in printer.edges(node) {
                if !is_fail(to) {
                    edges.push(tables.label(&label));
                    edges.push(numbers[&to]);
                }
            }
            let mut requirers: Vec<(PatternId, Span)> = Vec::new();
            for ask in self.tree.provenance(node) {
                let span = self.rules.patterns[ask.pattern].matcher.span(ask.node);
                if requirers.last().is_none_or(|last| last.0 != ask.pattern) {
                    requirers.push((ask.pattern, span));
                }
            }
            let more = requirers.len().saturating_sub(LISTED_RULES);
            let listed: Vec<i64> = requirers
                .iter()
                .take(LISTED_RULES)
                .flat_map(|&(rule, span)| [i64::from(rule.raw()), tables.line(Origin::Span(span))])
                .collect();
            let label = tables.label(&printer.head(node));
            let count = counts.get(&node).map_or(-1, |&count| number(count));
            rows.push(json!([kind, label, count, rule, edges, listed, more]));
        }
        let mut roots = Vec::new();
        for &(name, node) in self.tree.entries() {
            roots.push(tables.label(&self.rules.strings[name]));
            roots.push(numbers[&node]);
        }
        if !is_fail(self.tree.any()) {
            roots.push(tables.label("any other operation"));
            roots.push(numbers[&self.tree.any()]);
        }
        let rules: Vec<Value> = self.rules.patterns.ids().map(|rule| self.rule(rule, &mut tables)).collect();
        let inputs = self.counts.iter().flat_map(|counts| &counts.inputs);
        let ir: Vec<Value> = inputs.map(Input::data).collect();
        json!({
            "counted": self.counts.is_some(),
            "summary": self.summary,
            "files": tables.files,
            "lines": tables.lines,
            "labels": tables.labels,
            "snippets": self.snippets(&tables),
            "nodes": rows,
            "roots": roots,
            "rules": rules,
            "ir": ir,
        })
        .to_string()
    }

    /// The C++ text of the snippets that labels mention.
    fn snippets(&self, tables: &Tables<'_>) -> BTreeMap<String, String> {
        let mut texts = BTreeMap::new();
        for label in &tables.labels {
            for (at, name) in label.match_indices("snippet") {
                let rest = &label[at + name.len()..];
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let Ok(number) = rest[..digits].parse() else { continue };
                let snippets = &self.rules.snippets;
                if (number as usize) < snippets.len() {
                    let snippet = snippets.get(SnippetId::from_raw(number));
                    let text = shortened(&snippets.str(snippet.text).replace('\n', " "));
                    texts.insert(format!("snippet{number}"), text);
                }
            }
        }
        texts
    }

    /// The row of a rule: name, benefit, line. With a profile, the row also has the numbers of trials, matches,
    /// rewrites and roll-backs, the times of matching and rewriting in ns, and the text, line and count of the most
    /// frequent reason for rejection.
    fn rule(&self, rule: PatternId, tables: &mut Tables<'_>) -> Value {
        let pattern = &self.rules.patterns[rule];
        let line = tables.line(pattern.origin);
        let name = &self.rules.strings[pattern.name];
        let Some(counts) = &self.counts else { return json!([name, pattern.benefit, line]) };
        let profile = &counts.profile.rules[rule];
        let (text, place, times) = match (counts.profile.stopper(rule), &profile.refusal) {
            (Some((ask, times)), _) => {
                let origin = counts.program.predicate_origin(rule, Some(ask));
                let text = counts.program.predicate_text(rule, Some(ask));
                (text, tables.line(origin), times)
            }
            (None, Some(why)) if profile.fired == 0 => (format!("rewriting: {why}"), line, profile.refused),
            _ => (String::new(), -1, 0),
        };
        json!([
            name,
            pattern.benefit,
            line,
            number(profile.tried),
            number(profile.matched),
            number(profile.fired),
            number(profile.refused),
            number(nanoseconds(profile.matching)),
            number(nanoseconds(profile.rewriting)),
            text,
            place,
            number(times),
        ])
    }
}

/// The reachable nodes except the failure node, in depth-first preorder. The page numbers them in this order.
pub(crate) fn tree_nodes(tree: &Tree) -> Vec<TreeNodeId> {
    let mut seen = IdVec::<TreeNodeId, bool>::from_iter(tree.nodes().iter().map(|_| false));
    let mut nodes = Vec::new();
    let mut todo: Vec<TreeNodeId> = tree.roots().collect();
    todo.reverse();
    while let Some(node) = todo.pop() {
        if seen[node] || tree.nodes()[node] == TreeNode::Fail {
            continue;
        }
        seen[node] = true;
        nodes.push(node);
        todo.extend(tree.children(node));
    }
    nodes
}

/// The number of times that each node was reached. A node without instructions has the count of one of its parents.
fn node_counts<H: Ir>(
    tree: &Tree,
    places: &NodeMap,
    profile: &Profile<H>,
    nodes: &[TreeNodeId],
) -> HashMap<TreeNodeId, u64, FxBuildHasher> {
    let mut found = HashMap::default();
    for &node in nodes {
        let step = places.get(node).copied().flatten();
        let counted = step.and_then(|at| profile.steps.get(at.index())).copied();
        let count = counted.or_else(|| found.get(&node).copied()).unwrap_or(0);
        found.insert(node, count);
        for child in tree.children(node) {
            if places.get(child).copied().flatten().is_none() {
                found.insert(child, count);
            }
        }
    }
    found
}

/// A count for JavaScript, which represents integers exactly only up to 2^53.
fn number(count: u64) -> i64 {
    count.min(1 << 53).cast_signed()
}

impl Input<'_> {
    fn data(&self) -> Value {
        let whole = self.text.lines().count() <= LINES;
        let has_context = |no: u32| {
            let at = self.fired.partition_point(|fired| fired.0 + CONTEXT < no);
            self.fired.get(at).is_some_and(|fired| fired.0 <= no + CONTEXT)
        };
        let (mut lines, mut left) = (Vec::new(), 0u64);
        for (no, text) in (1u32..).zip(self.text.lines()) {
            if !whole && !has_context(no) {
                continue;
            }
            if lines.len() == LINES {
                left += 1;
                continue;
            }
            let start = self.fired.partition_point(|fired| fired.0 < no);
            let fired = self.fired[start..].iter().take_while(|fired| fired.0 == no);
            let fired: Vec<i64> =
                fired.flat_map(|&(_, rule, times)| [i64::from(rule.raw()), number(times)]).collect();
            lines.push(json!([no, shortened(text), fired]));
        }
        json!([self.name, lines, left])
    }
}

/// Tables of labels, files and lines, to which the data refers by index.
struct Tables<'a> {
    sources: &'a SourceMap,
    labels: Vec<String>,
    label_ids: HashMap<String, usize>,
    files: Vec<String>,
    lines: Vec<(usize, u32, String)>,
    line_ids: HashMap<(usize, u32), i64, FxBuildHasher>,
}

impl<'a> Tables<'a> {
    fn new(sources: &'a SourceMap) -> Self {
        Self {
            sources,
            labels: Vec::new(),
            label_ids: HashMap::new(),
            files: Vec::new(),
            lines: Vec::new(),
            line_ids: HashMap::default(),
        }
    }

    fn label(&mut self, text: &str) -> usize {
        if let Some(&id) = self.label_ids.get(text) {
            return id;
        }
        self.labels.push(text.to_owned());
        self.label_ids.insert(text.to_owned(), self.labels.len() - 1);
        self.labels.len() - 1
    }

    fn file(&mut self, name: &str) -> usize {
        self.files.iter().position(|file| file == name).unwrap_or_else(|| {
            self.files.push(name.to_owned());
            self.files.len() - 1
        })
    }

    /// The index of a source line; -1 if the place is unknown.
    fn line(&mut self, origin: Origin) -> i64 {
        let (file, line, text) = match origin {
            Origin::Span(span) => {
                let Some(at) = self.sources.locate(span) else { return -1 };
                let start = at.file.text()[..(span.lo - at.file.span(0..0).lo) as usize].rfind('\n');
                let text = &at.file.text()[start.map_or(0, |end| end + 1)..];
                (self.file(at.file.name()), at.line, shortened(text).trim().to_owned())
            }
            Origin::Rust(at) => (self.file(at.file()), at.line(), String::new()),
        };
        let next = i64::try_from(self.lines.len()).unwrap_or(-1);
        let Self { line_ids, lines, .. } = self;
        *line_ids.entry((file, line)).or_insert_with(|| {
            lines.push((file, line, text));
            next
        })
    }
}
