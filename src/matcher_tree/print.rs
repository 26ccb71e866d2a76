//! The tree as text, and as Graphviz.
//!
//! In the text, each node has a line with its number and the result of [`Printer::head`], and a line for each
//! successor. The lines of a node with a question end with the names of the rules that require an answer to the
//! question, at most 8 of them. The number of a shared node occurs in the lines of several nodes.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter, Write};

use crate::host::Kind;
use crate::intern::StrId;
use crate::pdl::{Arg, Callee, Constant, RuleSet};
use crate::stack::with_room;

use super::position::{CallId, ConstantId, GroupSize, Position, PositionId, Side};
use super::predicate::{Answer, Question, QuestionId};
use super::row::Guard;
use super::tree::{Tree, TreeNode, TreeNodeId};

/// A printer of the parts of a tree, with the names of its rules.
#[derive(Clone, Copy)]
pub struct Printer<'a> {
    rules: &'a RuleSet,
    tree: &'a Tree,
}

impl<'a> Printer<'a> {
    /// A printer of `tree`, which was built from `rules`.
    pub fn new(rules: &'a RuleSet, tree: &'a Tree) -> Self {
        Self { rules, tree }
    }

    /// The whole tree as text: counts, the root table, then the reachable nodes by number.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write_text(&mut out).expect("writing to a string does not fail");
        out
    }

    /// The whole tree in the `dot` language.
    pub fn dot(&self) -> String {
        let mut out = String::new();
        self.write_dot(&mut out).expect("writing to a string does not fail");
        out
    }

    fn write_text(&self, out: &mut String) -> fmt::Result {
        let s = self.tree.stats();
        writeln!(
            out,
            "// {} rules, {} tests: {} nodes ({} switches, {} leaves, {} fallbacks), {} shared, depth {}, \
             {} fallbacks that repeat a question",
            s.rows, s.tests, s.nodes, s.switches, s.leaves, s.fallbacks, s.shared, s.depth, s.repeated
        )?;
        for &(name, node) in self.tree.entries() {
            writeln!(out, "root {} -> {}", &self.rules.strings[name], number(node))?;
        }
        writeln!(out, "root * -> {}", number(self.tree.any()))?;
        for node in self.reached() {
            write!(out, "{}: {}", number(node), self.head(node))?;
            for (label, to) in self.edges(node) {
                write!(out, "\n    {label} -> {}", number(to))?;
            }
            let askers: BTreeSet<&str> =
                self.tree.provenance(node).iter().map(|a| self.pattern(a.pattern)).collect();
            if !askers.is_empty() {
                let shown: Vec<&str> = askers.iter().copied().take(8).collect();
                let more = if askers.len() > 8 { ", …" } else { "" };
                write!(out, "    // {}{more}", shown.join(", "))?;
            }
            out.push('\n');
        }
        Ok(())
    }

    fn write_dot(&self, out: &mut String) -> fmt::Result {
        let s = self.tree.stats();
        writeln!(out, "digraph matcher {{")?;
        writeln!(
            out,
            "  label={};",
            quoted(&format!("{} rules, {} nodes, {} shared", s.rows, s.nodes, s.shared))
        )?;
        writeln!(out, "  node [shape=box];\n  root [shape=circle];")?;
        for &(name, node) in self.tree.entries() {
            writeln!(out, "  root -> {} [label={}];", number(node), quoted(&self.rules.strings[name]))?;
        }
        writeln!(out, "  root -> {} [label=\"*\"];", number(self.tree.any()))?;
        for node in self.reached() {
            writeln!(out, "  {} [label={}];", number(node), quoted(&self.head(node)))?;
            for (label, to) in self.edges(node) {
                writeln!(out, "  {} -> {} [label={}];", number(node), number(to), quoted(&label))?;
            }
        }
        writeln!(out, "}}")
    }

    fn reached(&self) -> BTreeSet<TreeNodeId> {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<TreeNodeId> = self.tree.roots().collect();
        while let Some(node) = todo.pop() {
            if seen.insert(node) {
                todo.extend(self.tree.children(node));
            }
        }
        seen
    }

    fn pattern(&self, id: crate::pdl::PatternId) -> &'a str {
        &self.rules.strings[self.rules.patterns[id].name]
    }

    /// The question of a switch, the rule and the guards of a leaf, or `fail` or `try`.
    pub fn head(&self, node: TreeNodeId) -> String {
        match &self.tree.nodes()[node] {
            TreeNode::Fail => "fail".to_owned(),
            TreeNode::Try { .. } => "try".to_owned(),
            TreeNode::Switch { question, .. } => self.question(*question),
            TreeNode::Leaf { row, .. } => {
                let row = &self.tree.rows()[*row];
                let mut head = format!("match @{}", self.pattern(row.pattern));
                for guard in &row.guards {
                    head.push_str(", ");
                    head.push_str(&self.guard(guard));
                }
                head
            }
        }
    }

    /// The successors of a node, each with a label: an answer or `else` for a switch, `first` or `then` for a `try`,
    /// and `next` for a leaf.
    pub fn edges(&self, node: TreeNodeId) -> Vec<(String, TreeNodeId)> {
        match &self.tree.nodes()[node] {
            TreeNode::Fail => Vec::new(),
            TreeNode::Leaf { next, .. } => vec![("next".to_owned(), *next)],
            TreeNode::Try { first, then } => vec![("first".to_owned(), *first), ("then".to_owned(), *then)],
            TreeNode::Switch { question, cases, otherwise } => {
                let case = |&(answer, to): &(Answer, TreeNodeId)| (self.answer(*question, answer), to);
                cases.iter().map(case).chain([("else".to_owned(), *otherwise)]).collect()
            }
        }
    }

    /// A guard as text.
    pub fn guard(&self, guard: &Guard) -> String {
        match guard {
            Guard::Test { question, answer, .. } => {
                format!("{} = {}", self.question(*question), self.answer(*question, *answer))
            }
            Guard::EachUser { choice, value, place } => {
                format!("for user{choice} of {} at {}", self.position(*value), self.position(*place))
            }
            Guard::Either { choice } => format!("either{choice}"),
            Guard::Call { call, negated } => {
                format!("{}{}", if *negated { "not " } else { "" }, self.call(*call))
            }
        }
    }

    fn call(&self, id: CallId) -> String {
        let call = &self.tree.predicates().calls()[id];
        let callee = match call.callee {
            Callee::Native(name) => self.rules.strings[name].to_owned(),
            Callee::Snippet(snippet) => self.rules.snippets.code_line(snippet),
        };
        let arg = |arg: &Arg<PositionId>| match *arg {
            Arg::Of(p) => self.position(p),
            Arg::Each(p) => format!("each {}", self.position(p)),
            Arg::Attr(c) | Arg::Type(c) => self.constant(c),
            Arg::Int(i) => i.to_string(),
            Arg::Bool(b) => b.to_string(),
            Arg::Str(s) => quoted(&self.rules.strings[s]),
        };
        format!("{callee}({})", call.args.iter().map(arg).collect::<Vec<_>>().join(", "))
    }

    /// A question as text.
    pub fn question(&self, id: QuestionId) -> String {
        match self.tree.predicates()[id] {
            Question::Name(p) => format!("name {}", self.position(p)),
            Question::Present(p) => format!("present {}", self.position(p)),
            Question::Count { op, side } => format!("count {} of {}", Sided(side), self.position(op)),
            Question::Fits { op, side, split } => {
                let split = self.tree.positions().split(split);
                let groups = split.groups.iter().map(|g| match g {
                    GroupSize::Exactly(n) => n.to_string(),
                    GroupSize::Optional => "?".to_owned(),
                    GroupSize::Any => "*".to_owned(),
                });
                let groups = groups.collect::<Vec<_>>().join(" ");
                format!("{} of {} divide as [{groups}]", Sided(side), self.position(op))
            }
            Question::Constant(p) => format!("constant {}", self.position(p)),
            Question::Is(p, c) => format!("{} is {}", self.position(p), self.constant_id(c)),
            Question::Are(p, list) => {
                let list = self.tree.positions().list(list).iter().map(|&c| self.constant_id(c));
                format!("{} are [{}]", self.position(p), list.collect::<Vec<_>>().join(", "))
            }
            Question::Same(a, b) => format!("{} same as {}", self.position(a), self.position(b)),
            Question::Holds(snippet, p) => {
                format!("{} of {}", self.rules.snippets.code_line(snippet), self.position(p))
            }
        }
    }

    fn answer(&self, question: QuestionId, answer: Answer) -> String {
        match self.tree.predicates()[question] {
            Question::Name(_) => self.rules.strings[StrId::from_raw(answer.0)].to_owned(),
            Question::Count { .. } => answer.0.to_string(),
            Question::Constant(_) => self.constant_id(ConstantId::from_raw(answer.0)),
            _ if answer == Answer::YES => "yes".to_owned(),
            _ => "no".to_owned(),
        }
    }

    fn constant_id(&self, id: ConstantId) -> String {
        self.constant(self.tree.positions().constants()[id].1)
    }

    fn constant(&self, constant: Constant) -> String {
        match constant {
            Constant::Text(text) => self.rules.strings[text].to_owned(),
            Constant::Snippet(snippet) => self.rules.snippets.code_line(snippet),
        }
    }

    /// A position as text. [`Positions::MAX_DEPTH`](super::Positions::MAX_DEPTH) bounds the length of its path.
    ///
    /// The two operands of an `either` belong to one operation. If the path of this operation contains another
    /// `either`, the text shows the path only for the first operand, so that the text does not double at each `either`.
    pub fn position(&self, id: PositionId) -> String {
        let of = |p| with_room(|| self.position(p));
        match self.tree.positions()[id] {
            Position::Root => "root".to_owned(),
            Position::User { choice } => format!("user{choice}"),
            Position::DefiningOp(v) => format!("{}.op", of(v)),
            Position::Operand { op, index } => format!("{}.operand{index}", of(op)),
            Position::Result { op, index } => format!("{}.result{index}", of(op)),
            Position::Either { choice, first, second } => {
                let other = if self.contains_either(first) { self.last_step(second) } else { of(second) };
                format!("(either{choice}: {} | {other})", of(first))
            }
            Position::Slice { op, side, group, .. } => format!("{}.{}[{group}]", of(op), Sided(side)),
            Position::Element { range, index } => format!("{}[{index}]", of(range)),
            Position::Attribute { op, name, .. } => {
                format!("{}.{}", of(op), quoted(&self.rules.strings[name]))
            }
            Position::TypeOf(v) if self.tree.positions().kind(id) == Kind::Types => {
                format!("{}.types", of(v))
            }
            Position::TypeOf(v) | Position::AttrType(v) => format!("{}.type", of(v)),
            Position::CallResult { call, index, .. } => format!("call{}.{index}", call.raw()),
            Position::Constant(c) => self.constant_id(c),
            Position::Constants(list) => format!("types{}", list.raw()),
        }
    }

    /// True if the path of a position contains an `either`.
    fn contains_either(&self, id: PositionId) -> bool {
        let positions = self.tree.positions();
        let mut path = std::iter::successors(Some(id), |&id| positions.parent(id));
        path.any(|id| matches!(positions[id], Position::Either { .. }))
    }

    /// An operand as text, with `…` for its operation.
    fn last_step(&self, id: PositionId) -> String {
        match self.tree.positions()[id] {
            Position::Operand { index, .. } => format!("….operand{index}"),
            Position::Slice { side, group, .. } => format!("….{}[{group}]", Sided(side)),
            Position::Element { range, index } => format!("{}[{index}]", with_room(|| self.last_step(range))),
            _ => "…".to_owned(),
        }
    }
}

struct Sided(Side);

impl Display for Sided {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Side::Operands => "operands",
            Side::Results => "results",
        })
    }
}

fn number(node: TreeNodeId) -> String {
    format!("n{}", node.raw())
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " "))
}
