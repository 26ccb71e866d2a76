//! Rules as text of the `pdl` dialect.
//!
//! Specification: `mlir-opt` parses and verifies what is printed; reading it back gives rules that
//! match and do the same. What `pdl` cannot say is a native call whose name [`extension`] documents,
//! with a comment.
//!
//! [`extension`]: super::extension

mod calls;
mod matching;
mod rewriting;

use std::fmt::Write;

use hashbrown::HashSet;

use crate::id::IdVec;
use crate::intern::StrId;
use crate::pdl::benefits::{Benefit, whole};
use crate::pdl::extension::{self as ext};
use crate::pdl::{Arg, Callee, LocalId, Node, NodeId, Pattern, PatternId, RuleSet};
use crate::stack::with_room;
use matching::placeholder;

/// All rules as one module, in rule-list order. The rules are verified ones.
///
/// ```
/// use drrvm::pdl::{RuleSet, print};
/// # fn main() -> Result<(), drrvm::source::Diagnostics> {
/// let mut rules = RuleSet::default();
/// let mut rule = rules.pattern("drop", 1);
/// let op = rule.op("t.nop").no_operands().no_results().matched();
/// rule.erase(op);
/// rule.finish()?;
/// assert_eq!(print(&rules), r#"module {
///   pdl.pattern @drop : benefit(1) {
///     %0 = pdl.operation "t.nop"
///     pdl.rewrite %0 {
///       pdl.erase %0
///     }
///   }
/// }
/// "#);
/// # Ok(()) }
/// ```
pub fn print(rules: &RuleSet) -> String {
    let mut out = String::from("module {\n");
    let mut symbols = HashSet::new();
    let patterns = rules.patterns.as_slice();
    let mut next = 0;
    while let Some(pattern) = patterns.get(next) {
        // The instances of one rule are printed as one.
        let count = pattern.choice.map_or(1, |choice| choice.count as usize);
        let instances = patterns.get(next..).and_then(|rest| rest.get(..count)).unwrap_or_default();
        if let Some((rule, benefits)) = whole(instances) {
            print_into(&mut out, rules, &rule, &benefits, &mut symbols);
            next += count;
        } else {
            print_into(&mut out, rules, pattern, &[], &mut symbols);
            next += 1;
        }
    }
    out.push_str("}\n");
    out
}

/// One rule, indented as in a module; of a rule with several benefits, this instance.
pub fn print_pattern(rules: &RuleSet, pattern: PatternId) -> String {
    let mut out = String::new();
    print_into(&mut out, rules, &rules.patterns[pattern], &[], &mut HashSet::new());
    out
}

fn print_into<'r>(
    out: &mut String,
    rules: &'r RuleSet,
    pattern: &Pattern,
    benefits: &[Benefit],
    symbols: &mut HashSet<&'r str>,
) {
    let mut printer = Printer {
        out,
        rules,
        pattern,
        depth: 1,
        next: 0,
        used: HashSet::new(),
        nodes: pattern.matcher.iter().map(|_| None).collect(),
        visiting: pattern.matcher.iter().map(|_| false).collect(),
        calls: 0,
        locals: pattern.rewrite.locals.iter().map(|_| String::new()).collect(),
    };
    printer.pattern(benefits, symbols);
}

/// A string in MLIR's syntax.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            0x20..=0x7e => out.push(char::from(byte)),
            _ => write!(out, "\\{byte:02X}").expect("writing to a string"),
        }
    }
    out.push('"');
    out
}

fn is_bare(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'))
}

struct Printer<'o, 'r, 'p> {
    out: &'o mut String,
    rules: &'r RuleSet,
    pattern: &'p Pattern,
    depth: usize,
    /// The next number for what has no name.
    next: usize,
    used: HashSet<String>,
    nodes: IdVec<NodeId, Option<String>>,
    visiting: IdVec<NodeId, bool>,
    /// How many constraints are printed.
    calls: usize,
    locals: IdVec<LocalId, String>,
}

impl<'r, 'p> Printer<'_, 'r, 'p> {
    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn str(&self, id: StrId) -> &'r str {
        &self.rules.strings[id]
    }

    fn quoted(&self, id: StrId) -> String {
        quoted(self.str(id))
    }

    fn fresh(&mut self) -> String {
        loop {
            let name = format!("%{}", self.next);
            self.next += 1;
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }

    fn node_name(&mut self, node: NodeId) -> String {
        if let Some(name) = self.pattern.matcher.name(node) {
            let name = self.str(name);
            let name = format!("%{name}");
            if is_bare(&name[1..]) && self.used.insert(name.clone()) {
                return name;
            }
        }
        self.fresh()
    }

    fn pattern(&mut self, benefits: &[Benefit], symbols: &mut HashSet<&'r str>) {
        let pattern = self.pattern;
        let mut extra = Vec::new();
        let name = self.rules.strings[pattern.name].to_owned();
        let mut symbol = String::new();
        if !name.is_empty() {
            // A module's symbols are distinct; rule names need not be.
            if symbols.insert(&self.rules.strings[pattern.name]) {
                symbol = format!(" @{}", if is_bare(&name) { name } else { quoted(&name) });
            } else {
                extra.push(format!("{} = {}", ext::NAME, quoted(&name)));
            }
        }
        let benefit = i16::try_from(pattern.benefit).unwrap_or(i16::MAX);
        if benefit.unsigned_abs() != pattern.benefit {
            extra.push(format!("{} = {} : i32", ext::BENEFIT, pattern.benefit));
        }
        if !pattern.labels.is_empty() {
            let labels: Vec<String> = pattern.labels.iter().map(|&label| self.quoted(label)).collect();
            extra.push(format!("{} = [{}]", ext::LABELS, labels.join(", ")));
        }
        if !benefits.is_empty() {
            let benefits: Vec<String> = benefits.iter().map(|benefit| self.benefit(benefit)).collect();
            extra.push(format!("{} = [{}]", ext::BENEFITS, benefits.join(", ")));
        }
        if pattern.recursive {
            extra.push(ext::RECURSIVE.to_owned());
        }
        let extra =
            if extra.is_empty() { String::new() } else { format!(" attributes {{{}}}", extra.join(", ")) };
        self.line(&format!("pdl.pattern{symbol} : benefit({benefit}){extra} {{"));
        self.depth += 1;
        for node in pattern.matcher.ids() {
            self.node(node);
        }
        self.calls_before(pattern.matcher.constraints.len());
        for call in benefits.iter().filter_map(|benefit| benefit.constraint.as_ref()) {
            with_room(|| self.constraint_call(call));
        }
        let root = self.matched(pattern.matcher.roots[0]);
        self.line(&format!("pdl.rewrite {root} {{"));
        if pattern.rewrite.steps.is_empty() {
            // Without a label the region would have no block.
            self.line("^bb0:");
        }
        self.depth += 1;
        for step in &pattern.rewrite.steps {
            self.step(step);
        }
        self.depth -= 1;
        self.line("}");
        self.depth -= 1;
        self.line("}");
    }

    /// A pair of constraint and benefit, as an attribute.
    fn benefit(&self, benefit: &Benefit) -> String {
        let name = benefit.constraint.as_ref().map(|call| match call.callee {
            Callee::Native(name) => format!("{}, ", self.quoted(name)),
            Callee::Snippet(_) => format!("{}, ", quoted(ext::SNIPPET)),
        });
        format!("[{}{} : i32]", name.unwrap_or_default(), benefit.benefit)
    }

    fn matched(&self, node: NodeId) -> String {
        self.nodes[node].clone().expect("nodes are printed before what uses them")
    }

    /// Prints a node, after all that it needs.
    fn node(&mut self, node: NodeId) {
        let mut path = vec![node];
        while let Some(&top) = path.last() {
            if self.nodes[top].is_some() {
                path.pop();
                continue;
            }
            let mut missing = Vec::new();
            if !self.visiting[top] {
                self.visiting[top] = true;
                self.pattern.matcher[top].for_each_child(|child| missing.push(child));
                missing.retain(|&child| self.nodes[child].is_none());
                missing.reverse();
            }
            if missing.is_empty() {
                path.pop();
                self.define(top);
            } else {
                path.extend(missing);
            }
        }
    }

    fn define(&mut self, node: NodeId) {
        let kind = self.pattern.matcher[node].kind();
        if self.is_given(node) {
            let maker = self.pattern.matcher.constraints.iter().position(|call| call.results.contains(&node));
            if let Some(maker) = maker
                && self.can_call(maker)
            {
                self.calls_before(maker + 1);
            }
            if self.nodes[node].is_none() {
                // Used by what the call takes: named ahead, made equal afterwards.
                let name = self.node_name(node);
                let op = placeholder(kind);
                self.line(&format!("{name} = {op}"));
                self.nodes[node] = Some(name);
            }
            return;
        }
        let (name, text, after) = match &self.pattern.matcher[node] {
            Node::Operation(op) => self.operation(node, op),
            _ => {
                let name = self.node_name(node);
                let (text, after) = self.node_text(node, &name);
                (name, text, after)
            }
        };
        self.line(&format!("{name} = {text}"));
        self.nodes[node] = Some(name);
        for (comment, line) in after {
            self.line(&format!("// Not in pdl: {comment}."));
            line.iter().for_each(|line| self.line(line));
        }
    }

    /// Whether a node is what a constraint gives and nothing more is asked of it.
    fn is_given(&self, node: NodeId) -> bool {
        let free = matches!(
            self.pattern.matcher[node],
            Node::Value { ty: None, source: None }
                | Node::Values { types: None, source: None }
                | Node::Attribute { value: None, ty: None }
                | Node::Type { value: None }
                | Node::Types { values: None }
        );
        matches!(self.pattern.matcher[node], Node::Bound { .. })
            || free && self.pattern.matcher.constraints.iter().any(|call| call.results.contains(&node))
    }

    /// Whether everything the calls up to this one take can be printed without the nodes that are
    /// being printed.
    fn can_call(&self, call: usize) -> bool {
        let calls = &self.pattern.matcher.constraints[self.calls.min(call)..=call];
        let mut todo: Vec<NodeId> =
            calls.iter().flat_map(|call| call.args.iter().filter_map(Arg::taken)).collect();
        let mut seen = HashSet::new();
        while let Some(node) = todo.pop() {
            if self.nodes[node].is_some() || !seen.insert(node) {
                continue;
            }
            if self.visiting[node] {
                return false;
            }
            self.pattern.matcher[node].for_each_child(|child| todo.push(child));
            let makers = self.pattern.matcher.constraints.iter().filter(|call| call.results.contains(&node));
            todo.extend(makers.flat_map(|call| call.args.iter().filter_map(Arg::taken)));
        }
        true
    }
}

#[cfg(test)]
mod tests;
