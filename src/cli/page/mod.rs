//! One HTML page that needs nothing else: the decision tree as a picture, the rules as a table, the input
//! with the rules that fired.
//!
//! The page is data, one style sheet and one script, all in the file; it asks for nothing from any
//! network. What it draws is laid out in the browser, and only as far as it is unfolded, so that large rule
//! sets open at once.

mod svg;

use std::collections::BTreeMap;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use serde_json::{Value, json};

use super::error;
use crate::bytecode::{NodeMap, Program};
use crate::id::IdVec;
use crate::ir::IrHost;
use crate::ir::source_text::shortened;
use crate::matcher_tree::{Printer, Tree, TreeNode, TreeNodeId};
use crate::pdl::{Origin, PatternId, RuleSet};
use crate::snippet::SnippetId;
use crate::source::{Diagnostic, SourceMap, Span};
use crate::vm::Profile;

const HTML: &str = include_str!("page.html");
const CSS: &str = include_str!("page.css");
const JS: &str = include_str!("page.js");

/// How many askers of a node are listed.
const ASKS: usize = 6;
/// How many lines of an input are shown.
const LINES: usize = 4_000;
/// How many nodes a picture has at most.
const PICTURE: usize = 2_000;
/// How many lines around one where a rule fired.
const AROUND: u32 = 2;

/// What a page shows.
pub(super) struct Page<'a> {
    pub(super) title: String,
    pub(super) sources: &'a SourceMap,
    pub(super) rules: &'a RuleSet,
    pub(super) tree: &'a Tree,
    /// What was counted, if anything was.
    pub(super) counts: Option<Counts<'a>>,
    /// Labels and figures above everything.
    pub(super) summary: Vec<(&'static str, String)>,
}

/// What was counted, and of what.
pub(super) struct Counts<'a> {
    pub(super) program: &'a Program,
    pub(super) places: &'a NodeMap,
    pub(super) profile: &'a Profile<IrHost>,
    pub(super) inputs: Vec<Input<'a>>,
}

/// An input, and how often each rule fired on a line, lines and rules ascending.
pub(super) struct Input<'a> {
    pub(super) name: String,
    pub(super) text: &'a str,
    pub(super) fired: Vec<(u32, PatternId, u64)>,
}

impl Page<'_> {
    /// The page. Linear in the size of the tree and the rules.
    pub(super) fn html(&self) -> String {
        // Nothing in the data ends the script element.
        let data = self.data().to_string().replace('<', "\\u003c");
        let title = self.title.replace('&', "&amp;").replace('<', "&lt;");
        let mut page = String::with_capacity(HTML.len() + CSS.len() + JS.len() + data.len());
        let mut rest = HTML;
        while let Some((before, after)) = rest.split_once("{{") {
            page += before;
            let Some((name, after)) = after.split_once("}}") else { break };
            page += match name {
                "css" => CSS,
                "js" => JS,
                "data" => &data,
                _ => &title,
            };
            rest = after;
        }
        page + rest
    }

    /// The tree as one picture.
    ///
    /// # Errors
    /// There are more nodes than a picture can show.
    pub(super) fn svg(&self) -> Result<String, Diagnostic> {
        let nodes = self.tree_nodes();
        if nodes.len() > PICTURE {
            return Err(error::picture_too_large(nodes.len(), PICTURE));
        }
        Ok(svg::picture(self.rules, self.tree, &nodes))
    }

    fn data(&self) -> Value {
        let mut tables = Tables::new(self.sources);
        let printer = Printer::new(self.rules, self.tree);
        let nodes = self.tree_nodes();
        let numbers: HashMap<TreeNodeId, usize, FxBuildHasher> =
            nodes.iter().copied().zip(0usize..).collect();
        let counts = self.node_counts(&nodes);
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
            let mut asks: Vec<(PatternId, Span)> = Vec::new();
            for ask in self.tree.asks(node) {
                let span = self.rules.patterns[ask.pattern].matcher.span(ask.node);
                if asks.last().is_none_or(|last| last.0 != ask.pattern) {
                    asks.push((ask.pattern, span));
                }
            }
            let more = asks.len().saturating_sub(ASKS);
            let listed: Vec<i64> = asks
                .iter()
                .take(ASKS)
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
    }

    /// The C++ of the snippets that labels name.
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

    /// The nodes that are reached, each before what it leads to where the graph allows; without the failing one.
    fn tree_nodes(&self) -> Vec<TreeNodeId> {
        let mut seen = IdVec::<TreeNodeId, bool>::from_iter(self.tree.nodes().iter().map(|_| false));
        let mut nodes = Vec::new();
        let mut todo: Vec<TreeNodeId> = self.tree.roots().collect();
        todo.reverse();
        while let Some(node) = todo.pop() {
            if seen[node] || self.tree.nodes()[node] == TreeNode::Fail {
                continue;
            }
            seen[node] = true;
            nodes.push(node);
            todo.extend(self.tree.children(node));
        }
        nodes
    }

    /// How often each node was reached; one without code of its own, as often as the one before it.
    fn node_counts(&self, nodes: &[TreeNodeId]) -> HashMap<TreeNodeId, u64, FxBuildHasher> {
        let mut found = HashMap::default();
        let Some(counts) = &self.counts else { return found };
        for &node in nodes {
            let step = counts.places.get(node).copied().flatten();
            let own = step.and_then(|at| counts.profile.steps.get(at as usize)).copied();
            let count = own.or_else(|| found.get(&node).copied()).unwrap_or(0);
            found.insert(node, count);
            for child in self.tree.children(node) {
                if counts.places.get(child).copied().flatten().is_none() {
                    found.insert(child, count);
                }
            }
        }
        found
    }

    /// Name, benefit, line; if counted: tried, matched, fired, undone, times in ns, and what stopped it with
    /// its line and how often.
    fn rule(&self, rule: PatternId, tables: &mut Tables<'_>) -> Value {
        let pattern = &self.rules.patterns[rule];
        let line = tables.line(pattern.origin);
        let name = &self.rules.strings[pattern.name];
        let Some(counts) = &self.counts else { return json!([name, pattern.benefit, line]) };
        let profile = &counts.profile.rules[rule];
        let nanoseconds =
            |time: std::time::Duration| number(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        let (text, place, times) = match (counts.profile.stopper(rule), &profile.refusal) {
            (Some((ask, times)), _) => {
                let origin = counts.program.predicate_origin(rule, Some(ask));
                let text = counts.program.predicate_text(rule, Some(ask));
                (text, tables.line(origin), times)
            }
            (None, Some(why)) if profile.fired == 0 => (format!("rewriting: {why}"), -1, profile.refused),
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
            nanoseconds(profile.matching),
            nanoseconds(profile.rewriting),
            text,
            place,
            number(times),
        ])
    }
}

/// A count as JavaScript has it, which knows no larger integers exactly.
fn number(count: u64) -> i64 {
    i64::try_from(count.min(1 << 53)).unwrap_or(0)
}

impl Input<'_> {
    fn data(&self) -> Value {
        let whole = self.text.lines().count() <= LINES;
        let near = |no: u32| {
            let at = self.fired.partition_point(|fired| fired.0 + AROUND < no);
            self.fired.get(at).is_some_and(|fired| fired.0 <= no + AROUND)
        };
        let (mut lines, mut left) = (Vec::new(), 0u64);
        for (no, text) in (1u32..).zip(self.text.lines()) {
            if !whole && !near(no) {
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

/// What is said more than once, each by a number.
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

    /// The line where something was written; -1 if that is unknown.
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
