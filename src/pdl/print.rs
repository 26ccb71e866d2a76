//! Rules as text of the `pdl` dialect.
//!
//! Specification: `mlir-opt` parses and verifies what is printed; reading it back gives rules that
//! match and do the same. What `pdl` cannot say is a native call whose name [`extension`] documents,
//! with a comment.
//!
//! [`extension`]: super::extension

use std::fmt::Write;

use hashbrown::HashSet;

use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::snippet::SnippetId;

use super::benefits::{Benefit, whole};
use super::extension::{self as ext, pdl_type};
use super::{
    Arg, Call, Callee, Constant, CreateOp, GroupSplit, LocalId, LocationSpec, Node, NodeId, OperandGroup,
    OperationNode, Pattern, PatternId, Presence, Replacement, ResultTypes, RuleSet, Source, Step,
    ValueSource,
};

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
        nodes: pattern.matcher.nodes.iter().map(|_| None).collect(),
        visiting: pattern.matcher.nodes.iter().map(|_| false).collect(),
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
        if let Some(name) = self.pattern.matcher.names[node] {
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
        for node in pattern.matcher.nodes.ids() {
            self.node(node);
        }
        self.calls_before(pattern.matcher.constraints.len());
        for call in benefits.iter().filter_map(|benefit| benefit.constraint.as_ref()) {
            self.constraint_call(call);
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
                self.pattern.matcher.nodes[top].for_each_child(|child| missing.push(child));
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
        let kind = self.pattern.matcher.nodes[node].kind();
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
        let (name, text, after) = match &self.pattern.matcher.nodes[node] {
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
            self.pattern.matcher.nodes[node],
            Node::Value { ty: None, source: None }
                | Node::Values { types: None, source: None }
                | Node::Attribute { value: None, ty: None }
                | Node::Type { value: None }
                | Node::Types { values: None }
        );
        matches!(self.pattern.matcher.nodes[node], Node::Bound { .. })
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
            self.pattern.matcher.nodes[node].for_each_child(|child| todo.push(child));
            let makers = self.pattern.matcher.constraints.iter().filter(|call| call.results.contains(&node));
            todo.extend(makers.flat_map(|call| call.args.iter().filter_map(Arg::taken)));
        }
        true
    }

    /// What defines a node, and for what `pdl` cannot say of it a comment and lines.
    #[allow(clippy::type_complexity, reason = "two lists of lines")]
    fn node_text(&mut self, node: NodeId, name: &str) -> (String, Vec<(String, Vec<String>)>) {
        let mut after = Vec::new();
        let nodes = &self.pattern.matcher.nodes;
        let text = match &nodes[node] {
            // Printed by `operation`.
            Node::Operation(_) => placeholder(Kind::Op).to_owned(),
            Node::Value { ty, source: None } => {
                format!("pdl.operand{}", ty.map(|ty| format!(" : {}", self.matched(ty))).unwrap_or_default())
            }
            Node::Values { types, source: None } => {
                let types = types.map(|types| format!(" : {}", self.matched(types)));
                format!("pdl.operands{}", types.unwrap_or_default())
            }
            Node::Value { ty, source: Some(source) } => {
                if let Some(ty) = *ty {
                    after.push(self.has_type(node, name, ty, "the type of a result"));
                }
                let op = self.matched(source.op());
                match source {
                    ValueSource::Result { index, .. } => format!("pdl.result {index} of {op}"),
                    ValueSource::Results { group: Some(group), .. } => {
                        format!("pdl.results {group} of {op} -> !pdl.value")
                    }
                    ValueSource::Results { group: None, .. } => format!("pdl.results of {op}"),
                    ValueSource::DefinedBy { .. } => {
                        let listed = nodes[source.op()].as_operation().and_then(|op| op.results.as_deref());
                        if !matches!(listed, Some(&[one]) if nodes[one].kind() == Kind::Type) {
                            let call = constraint(ext::ANY_RESULT, &format!("{name} : !pdl.value"));
                            after.push(("any result".to_owned(), vec![call]));
                        }
                        format!("pdl.result 0 of {op}")
                    }
                }
            }
            Node::Values { types, source: Some(source) } => {
                if let Some(types) = *types {
                    after.push(self.has_type(node, name, types, "the types of results"));
                }
                let op = self.matched(source.op());
                match source {
                    ValueSource::Results { group: Some(group), .. } => {
                        format!("pdl.results {group} of {op} -> !pdl.range<value>")
                    }
                    _ => format!("pdl.results of {op}"),
                }
            }
            Node::Attribute { value: None, ty } => {
                let ty = ty.map(|ty| format!(" : {}", self.matched(ty)));
                format!("pdl.attribute{}", ty.unwrap_or_default())
            }
            Node::Attribute { value: Some(value), ty } => {
                if let Some(ty) = *ty {
                    after.push(self.has_type(node, name, ty, "the type of a constant"));
                }
                let value = *value;
                match value {
                    Constant::Text(text) => format!("pdl.attribute = {}", self.str(text)),
                    Constant::Snippet(_) => {
                        after.push(self.computed(name, Kind::Attr, value));
                        "pdl.attribute".to_owned()
                    }
                }
            }
            Node::Type { value: None } => "pdl.type".to_owned(),
            Node::Type { value: Some(value) } => match *value {
                Constant::Text(text) => format!("pdl.type : {}", self.str(text)),
                value @ Constant::Snippet(_) => {
                    after.push(self.computed(name, Kind::Type, value));
                    "pdl.type".to_owned()
                }
            },
            Node::Types { values: None } => "pdl.types".to_owned(),
            Node::Types { values: Some(values) }
                if values.iter().any(|value| matches!(value, Constant::Snippet(_))) =>
            {
                let values = values.clone();
                let parts: Vec<(String, String)> =
                    values.iter().map(|&value| (self.fresh(), self.constant_text(value))).collect();
                let mut lines: Vec<String> =
                    parts.iter().map(|(at, text)| format!("{at} = {text}")).collect();
                let mut args = vec![(name.to_owned(), Kind::Types)];
                args.extend(parts.into_iter().map(|(at, _)| (at, Kind::Attr)));
                lines.push(constraint(ext::CONSTANT, &typed(&args)));
                after.push(("constants that are computed".to_owned(), lines));
                "pdl.types".to_owned()
            }
            Node::Types { values: Some(values) } => self.types(values),
            Node::Bound { kind } => placeholder(*kind).to_owned(),
        };
        (text, after)
    }

    fn types(&self, values: &[Constant]) -> String {
        let text = |value: &Constant| match *value {
            Constant::Text(text) => Some(self.str(text)),
            Constant::Snippet(_) => None,
        };
        format!("pdl.types : [{}]", values.iter().filter_map(text).collect::<Vec<_>>().join(", "))
    }

    fn has_type(&self, node: NodeId, name: &str, ty: NodeId, what: &str) -> (String, Vec<String>) {
        let nodes = &self.pattern.matcher.nodes;
        let kinds = format!("{}, {}", pdl_type(nodes[node].kind()), pdl_type(nodes[ty].kind()));
        let call = constraint(ext::HAS_TYPE, &format!("{name}, {} : {kinds}", self.matched(ty)));
        (what.to_owned(), vec![call])
    }

    fn snippet_text(&self, id: SnippetId) -> String {
        let snippets = &self.rules.snippets;
        snippets.str(snippets.get(id).text).to_owned()
    }

    /// What an expression was read as, in hexadecimal.
    fn code(&self, id: SnippetId) -> String {
        let mut text = String::from("\"");
        for byte in self.rules.snippets.to_bytes(id) {
            write!(text, "{byte:02x}").expect("writing to a string");
        }
        text.push('"');
        text
    }

    /// The attribute that is an expression's text, and carries it; or is a constant.
    fn constant_text(&self, value: Constant) -> String {
        match value {
            Constant::Text(text) => format!("pdl.attribute = {}", self.str(text)),
            Constant::Snippet(id) => format!(
                "pdl.attribute = {} attributes {{{} = {}}}",
                quoted(&self.snippet_text(id)),
                ext::CODE,
                self.code(id)
            ),
        }
    }

    fn computed(&mut self, name: &str, kind: Kind, value: Constant) -> (String, Vec<String>) {
        let at = self.fresh();
        let lines = vec![
            format!("{at} = {}", self.constant_text(value)),
            constraint(ext::CONSTANT, &format!("{name}, {at} : {}, !pdl.attribute", pdl_type(kind))),
        ];
        ("a constant that is computed".to_owned(), lines)
    }
}

fn constraint(name: &str, args: &str) -> String {
    format!("pdl.apply_native_constraint \"{name}\"({args})")
}

fn placeholder(kind: Kind) -> &'static str {
    match kind {
        Kind::Value => "pdl.operand",
        Kind::Values => "pdl.operands",
        Kind::Type => "pdl.type",
        Kind::Types => "pdl.types",
        Kind::Op => "pdl.operation",
        _ => "pdl.attribute",
    }
}

/// An operation to match.
impl Printer<'_, '_, '_> {
    #[allow(clippy::type_complexity, reason = "two lists of lines")]
    fn operation(
        &mut self,
        node: NodeId,
        op: &OperationNode,
    ) -> (String, String, Vec<(String, Vec<String>)>) {
        let nodes = &self.pattern.matcher.nodes;
        let mut text = String::from("pdl.operation");
        if let Some(op_name) = op.name {
            write!(text, " {}", self.quoted(op_name)).expect("writing to a string");
        }
        let mut operands = Vec::new();
        match &op.operands {
            None => operands.push((self.anonymous("pdl.operands"), Kind::Values)),
            Some(groups) => {
                for group in groups {
                    if *group == OperandGroup::Any {
                        operands.push((self.anonymous("pdl.operands"), Kind::Values));
                    }
                    operands
                        .extend(group.nodes().iter().map(|&node| (self.matched(node), nodes[node].kind())));
                }
            }
        }
        if !operands.is_empty() {
            write!(text, "({})", typed(&operands)).expect("writing to a string");
        }
        if !op.attributes.is_empty() {
            let edges = op.attributes.iter();
            let edges: Vec<String> = edges
                .map(|edge| format!("{} = {}", self.quoted(edge.name), self.matched(edge.node)))
                .collect();
            write!(text, " {{{}}}", edges.join(", ")).expect("writing to a string");
        }
        let results = match &op.results {
            None => vec![(self.anonymous("pdl.types"), Kind::Types)],
            Some(types) => types.iter().map(|&ty| (self.matched(ty), nodes[ty].kind())).collect(),
        };
        if !results.is_empty() {
            write!(text, " -> ({})", typed(&results)).expect("writing to a string");
        }
        let name = self.node_name(node);
        let mut after = Vec::new();
        let (comments, entries) = self.layout(op);
        if !entries.is_empty() {
            let at = self.fresh();
            let lines = vec![
                format!("{at} = pdl.attribute = {{{}}}", entries.join(", ")),
                constraint(ext::OPERATION, &format!("{name}, {at} : !pdl.operation, !pdl.attribute")),
            ];
            after.push((comments.join(", "), lines));
        }
        for edge in &op.attributes {
            if let Some(storage) = edge.storage {
                let (key, value) = (self.fresh(), self.fresh());
                let args = format!("{name}, {key}, {value} : !pdl.operation, !pdl.attribute, !pdl.attribute");
                let lines = vec![
                    format!("{key} = pdl.attribute = {}", self.quoted(edge.name)),
                    format!("{value} = {}", self.constant_text(Constant::Snippet(storage))),
                    constraint(ext::STORAGE, &args),
                ];
                after.push(("an attribute of another kind is absent".to_owned(), lines));
            }
        }
        (name, text, after)
    }

    fn anonymous(&mut self, op: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {op}"));
        name
    }

    /// What `pdl.operation` leaves open: in words, and as dictionary entries.
    fn layout(&self, op: &OperationNode) -> (Vec<&'static str>, Vec<String>) {
        let (mut comments, mut entries) = (Vec::new(), Vec::new());
        let groups = op.operands.as_deref().unwrap_or_default();
        let open = groups.iter().filter(|group| group.size().1.is_none()).count();
        let split = op.operand_split;
        let lists = groups.iter().any(|group| matches!(group, OperandGroup::List(_)));
        let optional = groups.iter().any(|group| matches!(group, OperandGroup::Optional(_)));
        if optional || lists {
            comments.push(if optional { "optional operands" } else { "groups of operands" });
            let word = |group: &OperandGroup| match group {
                OperandGroup::One(_) => "\"one\"".to_owned(),
                OperandGroup::Optional(_) => "\"optional\"".to_owned(),
                OperandGroup::Range(_) | OperandGroup::Any => "\"range\"".to_owned(),
                OperandGroup::List(nodes) => format!("{} : i64", nodes.len()),
            };
            entries.push(format!("operands = [{}]", groups.iter().map(word).collect::<Vec<_>>().join(", ")));
        }
        if optional || lists || open > 1 || split != GroupSplit::Rest {
            comments.push("how operands divide");
            entries.push(format!("operand_split = {}", self.split(split)));
        }
        if !op.either.is_empty() {
            comments.push("operands in either order");
            let pairs: Vec<String> =
                op.either.iter().map(|(a, b)| format!("[{a} : i64, {b} : i64]")).collect();
            entries.push(format!("either = [{}]", pairs.join(", ")));
        }
        if op.attributes.iter().any(|edge| edge.presence != Presence::Required) {
            comments.push("attributes that may be absent");
            let word = |presence: &Presence| match presence {
                Presence::Required => "\"required\"".to_owned(),
                Presence::Optional => "\"optional\"".to_owned(),
                Presence::Default(Constant::Text(text)) => format!("{{default = {}}}", self.str(*text)),
                Presence::Default(Constant::Snippet(id)) => {
                    format!("{{code = {}, computed = {}}}", self.code(*id), quoted(&self.snippet_text(*id)))
                }
            };
            let words: Vec<String> = op.attributes.iter().map(|edge| word(&edge.presence)).collect();
            entries.push(format!("attributes = [{}]", words.join(", ")));
        }
        let results = op.results.as_deref().unwrap_or_default();
        let open = results.iter().filter(|&&ty| self.pattern.matcher.nodes[ty].kind() == Kind::Types).count();
        if open > 1 || op.result_split != GroupSplit::Rest {
            comments.push("how results divide");
            entries.push(format!("result_split = {}", self.split(op.result_split)));
        }
        (comments, entries)
    }

    fn split(&self, split: GroupSplit) -> String {
        match split {
            GroupSplit::Rest => "\"rest\"".to_owned(),
            GroupSplit::Equal => "\"equal\"".to_owned(),
            GroupSplit::Attribute(name) => format!("{{attribute = {}}}", self.quoted(name)),
        }
    }
}

/// `%a, %b : !pdl.value, !pdl.type`
fn typed(args: &[(String, Kind)]) -> String {
    let names: Vec<&str> = args.iter().map(|(name, _)| name.as_str()).collect();
    let types: Vec<&str> = args.iter().map(|&(_, kind)| pdl_type(kind)).collect();
    format!("{} : {}", names.join(", "), types.join(", "))
}

/// Calls, while matching and while rewriting.
impl Printer<'_, '_, '_> {
    /// Prints the constraints before this one, in order.
    fn calls_before(&mut self, end: usize) {
        while self.calls < end {
            let call = &self.pattern.matcher.constraints[self.calls];
            self.calls += 1;
            self.constraint_call(call);
        }
    }

    fn constraint_call(&mut self, call: &Call) {
        for node in call.args.iter().filter_map(Arg::taken) {
            self.node(node);
        }
        let mut extra = Vec::new();
        if call.negated {
            extra.push("isNegated = true".to_owned());
        }
        let mut args: Vec<(String, Kind)> = Vec::new();
        for (i, arg) in call.args.iter().enumerate() {
            let arg = match *arg {
                Arg::Of(node) | Arg::Each(node) => {
                    if matches!(arg, Arg::Each(_)) {
                        extra.push(format!("{} = {i} : i64", ext::EACH));
                    }
                    (self.matched(node), self.pattern.matcher.nodes[node].kind())
                }
                Arg::Attr(value) => self.constant(Kind::Attr, value),
                Arg::Type(value) => self.constant(Kind::Type, value),
                Arg::Int(value) => self.literal(Kind::Int, &format!("{value} : i64")),
                Arg::Bool(value) => self.literal(Kind::Bool, if value { "true" } else { "false" }),
                Arg::Str(value) => self.literal(Kind::Str, &self.quoted(value)),
            };
            args.push(arg);
        }
        let callee = self.callee(call.callee, &mut args);
        if args.is_empty() {
            extra.push(ext::NO_ARGS.to_owned());
            args.push((self.matched(self.pattern.matcher.roots[0]), Kind::Op));
        }
        let mut names = Vec::new();
        let mut equal = Vec::new();
        for &node in &call.results {
            let name = match (&self.pattern.matcher.nodes[node], &self.nodes[node]) {
                (_, None) if self.is_given(node) => {
                    let name = self.node_name(node);
                    self.nodes[node] = Some(name.clone());
                    name
                }
                _ => {
                    let name = self.fresh();
                    equal.push((name.clone(), node));
                    name
                }
            };
            names.push((name, self.pattern.matcher.nodes[node].kind()));
        }
        self.call_line("pdl.apply_native_constraint", &callee, &args, &names, extra);
        if !equal.is_empty() {
            self.line("// Not in pdl: what a constraint gives is something else that is matched.");
        }
        for (name, node) in equal {
            self.node(node);
            let kind = self.pattern.matcher.nodes[node].kind();
            self.line(&constraint(ext::EQUAL, &typed(&[(name, kind), (self.matched(node), kind)])));
        }
    }

    /// The name of what is called; a snippet's text becomes the first argument.
    fn callee(&mut self, callee: Callee, args: &mut Vec<(String, Kind)>) -> String {
        match callee {
            Callee::Native(name) => self.quoted(name),
            Callee::Snippet(id) => {
                self.line("// Not in pdl: a C++ expression.");
                let name = self.fresh();
                let text = self.constant_text(Constant::Snippet(id));
                self.line(&format!("{name} = {text}"));
                args.insert(0, (name, Kind::Attr));
                quoted(ext::SNIPPET)
            }
        }
    }

    fn call_line(
        &mut self,
        op: &str,
        callee: &str,
        args: &[(String, Kind)],
        results: &[(String, Kind)],
        mut extra: Vec<String>,
    ) {
        let mut line = String::new();
        if !results.is_empty() {
            let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
            write!(line, "{} = ", names.join(", ")).expect("writing to a string");
        }
        write!(line, "{op} {callee}").expect("writing to a string");
        if !args.is_empty() {
            write!(line, "({})", typed(args)).expect("writing to a string");
        }
        if !results.is_empty() {
            let types: Vec<&str> = results.iter().map(|&(_, kind)| pdl_type(kind)).collect();
            write!(line, " : {}", types.join(", ")).expect("writing to a string");
        }
        let words: Vec<Option<&str>> = results.iter().map(|&(_, kind)| ext::kind_word(kind)).collect();
        if words.iter().any(Option::is_some) {
            let words: Vec<String> = words.iter().map(|word| quoted(word.unwrap_or_default())).collect();
            extra.push(format!("{} = [{}]", ext::KINDS, words.join(", ")));
        }
        if !extra.is_empty() {
            write!(line, " {{{}}}", extra.join(", ")).expect("writing to a string");
        }
        self.line(&line);
    }

    /// A line of its own for an argument that is a constant.
    fn constant(&mut self, kind: Kind, value: Constant) -> (String, Kind) {
        let name = self.fresh();
        match (kind, value) {
            (Kind::Type, Constant::Text(text)) => {
                self.line(&format!("{name} = pdl.type : {}", self.str(text)));
            }
            (_, Constant::Text(text)) => {
                self.line(&format!("{name} = pdl.attribute = {}", self.str(text)));
            }
            (_, Constant::Snippet(id)) => {
                self.line("// Not in pdl: a constant that is computed.");
                let (text, code) = (quoted(&self.snippet_text(id)), self.code(id));
                let extra = format!("{} = {code}, {} = \"{}\"", ext::CODE, ext::KIND, ext::COMPUTED);
                self.line(&format!("{name} = pdl.attribute = {text} attributes {{{extra}}}"));
                return (name, Kind::Attr);
            }
        }
        (name, kind)
    }

    fn literal(&mut self, kind: Kind, text: &str) -> (String, Kind) {
        let name = self.fresh();
        let word = ext::kind_word(kind).unwrap_or_default();
        self.line(&format!("{name} = pdl.attribute = {text} attributes {{{} = \"{word}\"}}", ext::KIND));
        (name, Kind::Attr)
    }
}

/// Rewriting.
impl Printer<'_, '_, '_> {
    fn source(&self, source: Source) -> (String, Kind) {
        let name = match source {
            Source::Matched(node) => self.matched(node),
            Source::Local(local) => self.locals[local].clone(),
        };
        (name, self.pattern.kind(source))
    }

    fn name(&self, source: Source) -> String {
        self.source(source).0
    }

    fn make(&mut self, local: LocalId) -> String {
        let name = self.fresh();
        self.locals[local] = name.clone();
        name
    }

    /// A native call that gives one thing.
    fn native(&mut self, to: &str, name: &str, args: &[(String, Kind)], kind: Kind, extra: Vec<String>) {
        let result = [(to.to_owned(), kind)];
        self.call_line("pdl.apply_native_rewrite", &quoted(name), args, &result, extra);
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Attr { value, to } => {
                let kind = Kind::Attr;
                self.locals[*to] = self.made_constant(kind, *value);
            }
            Step::Type { value, to } => self.locals[*to] = self.made_constant(Kind::Type, *value),
            Step::TypeOf { of, to } => {
                let (arg, kind) = (self.source(*of), self.pattern.rewrite.locals[*to]);
                let to = self.make(*to);
                self.line("// Not in pdl: the type of a value.");
                self.native(&to, ext::TYPE_OF, &[arg], kind, Vec::new());
            }
            Step::Result { op, index, to } => {
                let (op, to) = (self.name(*op), self.make(*to));
                self.line(&format!("{to} = pdl.result {index} of {op}"));
            }
            Step::Results { op, range: None, to } => {
                let (op, to) = (self.name(*op), self.make(*to));
                self.line(&format!("{to} = pdl.results of {op}"));
            }
            Step::Results { op, range: Some((first, count)), to } => {
                self.line("// Not in pdl: some results of an operation, by number.");
                let op = self.source(*op);
                let [first, count] = [first, count].map(|number| {
                    let name = self.fresh();
                    self.line(&format!("{name} = pdl.attribute = {number} : i64"));
                    (name, Kind::Attr)
                });
                let to = self.make(*to);
                self.native(&to, ext::RESULTS, &[op, first, count], Kind::Values, Vec::new());
            }
            Step::Range { parts, to } => self.range(parts, *to),
            Step::Location { spec, to } => {
                let name = self.location(spec);
                self.locals[*to] = name;
            }
            Step::Call { callee, args, to, .. } => self.rewrite_call(*callee, args, to),
            Step::Create(create) => self.create(create),
            Step::Replace { op, with } => {
                let op = self.name(*op);
                let with = match with {
                    Replacement::Op(by) => format!(" {}", self.name(*by)),
                    Replacement::Values(values) if values.is_empty() => String::new(),
                    Replacement::Values(values) => {
                        let values: Vec<_> = values.iter().map(|&value| self.source(value)).collect();
                        format!(" ({})", typed(&values))
                    }
                };
                self.line(&format!("pdl.replace {op} with{with}"));
            }
            Step::Erase { op } => {
                let op = self.name(*op);
                self.line(&format!("pdl.erase {op}"));
            }
        }
    }

    fn made_constant(&mut self, kind: Kind, value: Constant) -> String {
        match value {
            Constant::Text(_) => self.constant(kind, value).0,
            Constant::Snippet(id) => {
                self.line("// Not in pdl: a constant that is computed.");
                let (text, to) = (self.fresh(), self.fresh());
                self.line(&format!("{text} = {}", self.constant_text(Constant::Snippet(id))));
                self.native(&to, ext::CONSTANT, &[(text, Kind::Attr)], kind, Vec::new());
                to
            }
        }
    }

    fn range(&mut self, parts: &[Source], to: LocalId) {
        let parts: Vec<_> = parts.iter().map(|&part| self.source(part)).collect();
        let kind = self.pattern.rewrite.locals[to];
        let to = self.make(to);
        if kind == Kind::Attrs {
            self.line("// Not in pdl: a range of attributes.");
            self.native(&to, ext::RANGE, &parts, kind, Vec::new());
        } else if parts.is_empty() {
            self.line(&format!("{to} = pdl.range : {}", pdl_type(kind)));
        } else {
            self.line(&format!("{to} = pdl.range {}", typed(&parts)));
        }
    }

    fn rewrite_call(&mut self, callee: Callee, args: &[Arg<Source>], to: &[LocalId]) {
        let mut extra = Vec::new();
        let mut given = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let arg = match *arg {
                Arg::Of(source) => self.source(source),
                Arg::Each(source) => {
                    extra.push(format!("{} = {i} : i64", ext::EACH));
                    self.source(source)
                }
                Arg::Attr(value) => (self.made_constant(Kind::Attr, value), Kind::Attr),
                Arg::Type(value) => (self.made_constant(Kind::Type, value), Kind::Type),
                Arg::Int(value) => self.literal(Kind::Int, &format!("{value} : i64")),
                Arg::Bool(value) => self.literal(Kind::Bool, if value { "true" } else { "false" }),
                Arg::Str(value) => self.literal(Kind::Str, &self.quoted(value)),
            };
            given.push(arg);
        }
        let callee = self.callee(callee, &mut given);
        if given.is_empty() && to.is_empty() {
            extra.push(ext::NO_ARGS.to_owned());
            given.push((self.matched(self.pattern.matcher.roots[0]), Kind::Op));
        }
        let results: Vec<_> =
            to.iter().map(|&local| (self.make(local), self.pattern.rewrite.locals[local])).collect();
        self.call_line("pdl.apply_native_rewrite", &callee, &given, &results, extra);
    }

    fn location(&mut self, spec: &LocationSpec) -> String {
        let (of, extra): (&[Source], _) = match spec {
            LocationSpec::Fused { of, metadata } => {
                (of, metadata.map(|text| format!("{} = {}", ext::METADATA, self.quoted(text))))
            }
            LocationSpec::Named { name, child } => {
                (child.as_slice(), Some(format!("{} = {}", ext::NAME, self.quoted(*name))))
            }
        };
        let args: Vec<_> = of.iter().map(|&source| self.source(source)).collect();
        let to = self.fresh();
        self.line("// Not in pdl: a location.");
        self.native(&to, ext::LOCATION, &args, Kind::Location, extra.into_iter().collect());
        to
    }

    fn create(&mut self, create: &CreateOp) {
        let operands: Vec<_> = create.operands.iter().map(|&operand| self.source(operand)).collect();
        let mut attributes: Vec<String> = create
            .attributes
            .iter()
            .map(|&(name, value, _)| format!("{} = {}", self.quoted(name), self.name(value)))
            .collect();
        let results = match &create.results {
            ResultTypes::Listed(types) => types.iter().map(|&ty| self.result_type(ty)).collect(),
            ResultTypes::Inferred => {
                let to = self.fresh();
                self.line("// Not in pdl: that the host infers result types, whatever is replaced.");
                self.native(&to, ext::INFER_TYPES, &[], Kind::Types, Vec::new());
                vec![(to, Kind::Types)]
            }
        };
        let sizes =
            [(create.operand_segments, ext::OPERAND_SIZES), (create.result_segments, ext::RESULT_SIZES)];
        for (segments, native) in sizes {
            if let Some(segments) = segments {
                let to = self.fresh();
                self.line("// Not in pdl: the sizes of groups, as an attribute.");
                self.native(&to, native, &[], Kind::Attr, Vec::new());
                attributes.push(format!("{} = {to}", self.quoted(segments)));
            }
        }
        let everything = LocationSpec::Fused {
            of: self.pattern.matcher.ops_in_post_order().into_iter().map(Source::Matched).collect(),
            metadata: None,
        };
        if create.location != everything {
            let to = self.location(&create.location);
            attributes.push(format!("\"{}\" = {to}", ext::LOCATION));
        }
        let to = self.make(create.to);
        let mut line = format!("{to} = pdl.operation {}", self.quoted(create.name));
        if !operands.is_empty() {
            write!(line, "({})", typed(&operands)).expect("writing to a string");
        }
        if !attributes.is_empty() {
            write!(line, " {{{}}}", attributes.join(", ")).expect("writing to a string");
        }
        if !results.is_empty() {
            write!(line, " -> ({})", typed(&results)).expect("writing to a string");
        }
        let declared: Vec<String> = create
            .attributes
            .iter()
            .filter(|&&(_, _, declared)| declared)
            .map(|&(name, _, _)| self.quoted(name))
            .collect();
        if !declared.is_empty() {
            write!(line, " {{{} = [{}]}}", ext::DECLARED, declared.join(", ")).expect("writing to a string");
        }
        self.line(&line);
    }

    /// A result type in a form that MLIR's verifier takes: a constant, what a native gives, or what
    /// the match part lists for an operand or operation.
    fn result_type(&mut self, ty: Source) -> (String, Kind) {
        let (name, kind) = self.source(ty);
        let takes = match ty {
            Source::Matched(node) => {
                self.pattern.matcher.nodes[node].is_constant() || self.pattern.matcher.lists_type(node)
            }
            Source::Local(local) => self.pattern.rewrite.steps.iter().any(|step| {
                matches!(step, Step::Type { .. } | Step::TypeOf { .. } | Step::Call { .. })
                    && step.made().contains(&local)
            }),
        };
        if takes {
            return (name, kind);
        }
        let to = self.fresh();
        self.line("// Only for MLIR's verifier, that takes no other type here.");
        self.native(&to, ext::SAME, &[(name, kind)], kind, Vec::new());
        (to, kind)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use super::*;
    use crate::pdl::PatternBuilder;

    /// What `mlir-opt-22` says to a text; `None`, with a word why, where it is not installed.
    pub(crate) fn mlir_opt(text: &str) -> Option<Result<String, String>> {
        let child = Command::new("mlir-opt-22")
            .args(["--allow-unregistered-dialect", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            println!("skipped: mlir-opt-22 is not on the path");
            return None;
        };
        child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("mlir-opt reads");
        let output = child.wait_with_output().expect("mlir-opt ends");
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        Some(if output.status.success() { Ok(out) } else { Err(err) })
    }

    fn printed(build: impl FnOnce(&mut PatternBuilder<'_>)) -> String {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("rule", 1);
        build(&mut rule);
        rule.finish().expect("a good rule");
        let text = print(&rules);
        if let Some(Err(error)) = mlir_opt(&text) {
            panic!("mlir-opt rejects\n{text}\n{error}");
        }
        text
    }

    #[test]
    fn what_pdl_says_is_said_in_pdl() {
        let text = printed(|rule| {
            let i32 = rule.type_constant("i32");
            let (a, types) = (rule.value_of(i32), rule.any_types());
            let rest = rule.values_of(types);
            rule.name(a, "a");
            let value = rule.attr_of(i32);
            let inner =
                rule.op("t.inner").operand(a).operands(rest).attr("v", value).result_type(i32).matched();
            let x = rule.result(inner, 0);
            let root = rule.any_op().operand(x).operand(a).no_results().matched();
            rule.constraint("check", [x, value]);
            rule.forbid("not", [root]);
            let new = rule.make_type("f32");
            let b = rule.make_attr("\"text\"");
            let range = rule.range([a, x]);
            let made =
                rule.create("t.new").operand(range).discardable_attr("w", b).result_type(new).created();
            let y = rule.result_of(made, 0);
            rule.rewrite_call("tell", [y], &[]);
            rule.erase(root);
        });
        let expected = r#"module {
  pdl.pattern @rule : benefit(1) {
    %0 = pdl.type : i32
    %a = pdl.operand : %0
    %1 = pdl.types
    %2 = pdl.operands : %1
    %3 = pdl.attribute : %0
    %4 = pdl.operation "t.inner"(%a, %2 : !pdl.value, !pdl.range<value>) {"v" = %3} -> (%0 : !pdl.type)
    %5 = pdl.result 0 of %4
    %6 = pdl.operation(%5, %a : !pdl.value, !pdl.value)
    pdl.apply_native_constraint "check"(%5, %3 : !pdl.value, !pdl.attribute)
    pdl.apply_native_constraint "not"(%6 : !pdl.operation) {isNegated = true}
    pdl.rewrite %6 {
      %7 = pdl.type : f32
      %8 = pdl.attribute = "text"
      %9 = pdl.range %a, %5 : !pdl.value, !pdl.value
      %10 = pdl.operation "t.new"(%9 : !pdl.range<value>) {"w" = %8} -> (%7 : !pdl.type)
      %11 = pdl.result 0 of %10
      pdl.apply_native_rewrite "tell"(%11 : !pdl.value)
      pdl.erase %6
    }
  }
}
"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn what_pdl_cannot_say_is_a_call_and_a_comment() {
        let text = printed(|rule| {
            let (a, b, c) = (rule.value(), rule.value(), rule.value());
            let inner = rule.op("t.inner").operand(a).operand(b).either(0, 1).matched();
            let x = rule.defined_by(inner);
            let v = rule.any_attr();
            let root = rule.op("t.root").operand(x).optional_operand(c).default_attr("v", v, "7 : i32");
            let root = root.no_results().matched();
            let bound = rule.constraint_with_results("pick", [Arg::Of(v), Arg::Int(3)], &[Kind::Attr])[0];
            let ty = rule.type_of(a);
            let made = rule.create("t.new").operand(a).attr("v", bound).operand_segments("sizes");
            let made =
                made.result_type(ty).location(LocationSpec::Fused { of: vec![root.into()], metadata: None });
            made.created();
            let made = rule.create("t.guess").operand(a).infer_results().created();
            rule.results_of(made);
            rule.erase(root);
        });
        let expected = r#"module {
  pdl.pattern @rule : benefit(1) {
    %0 = pdl.operand
    %1 = pdl.operand
    %2 = pdl.operand
    %3 = pdl.types
    %4 = pdl.operation "t.inner"(%0, %1 : !pdl.value, !pdl.value) -> (%3 : !pdl.range<type>)
    // Not in pdl: operands in either order.
    %5 = pdl.attribute = {either = [[0 : i64, 1 : i64]]}
    pdl.apply_native_constraint "drrvm.operation"(%4, %5 : !pdl.operation, !pdl.attribute)
    %6 = pdl.result 0 of %4
    // Not in pdl: any result.
"#;
        assert!(text.starts_with(expected), "{text}");
        for name in [
            ext::ANY_RESULT,
            ext::OPERATION,
            ext::TYPE_OF,
            ext::OPERAND_SIZES,
            ext::LOCATION,
            ext::INFER_TYPES,
        ] {
            assert!(text.contains(&format!("\"{name}\"")), "{name} in\n{text}");
        }
    }

    #[test]
    fn odd_rules_are_still_good_text() {
        printed(|rule| {
            rule.op("t.\"odd\\\n").matched();
            rule.rewrite_call("nothing \u{e9}", [Arg::<Source>::Bool(true)], &[]);
        });
        printed(|rule| {
            let root = rule.any_op().matched();
            rule.replace(root, [0u32; 0].map(LocalId::from_raw));
            rule.label("some label");
            rule.recursive();
        });
        let mut rules = RuleSet::default();
        for _ in 0..2 {
            let mut rule = rules.pattern("same name", Pattern::MAX_BENEFIT);
            rule.any_op().matched();
            rule.finish().expect("a good rule");
        }
        let text = print(&rules);
        assert!(text.contains("@\"same name\" : benefit(32767) attributes {drrvm.benefit = 65534 : i32}"));
        if let Some(Err(error)) = mlir_opt(&text) {
            panic!("mlir-opt rejects\n{text}\n{error}");
        }
    }
}
