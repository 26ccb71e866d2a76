//! Prints the match part: the lines that define each node, and a call for each condition that `pdl` lacks.
//!
//! A node is printed after the nodes that it refers to. A constraint is printed after its arguments, and its line
//! defines the nodes of its results. So nodes and constraints are printed in one recursion. If the node of a result has
//! conditions of its own, the node is printed like any other node, and another line compares it with the result of the
//! call.

use std::fmt::Write;

use hashbrown::HashSet;

use super::text::{Text, constraint, placeholder, quoted, typed};
use crate::host::Kind;
use crate::id::IdVec;
use crate::pdl::benefits::Benefit;
use crate::pdl::extension::{self as ext, pdl_type};
use crate::pdl::match_part::{
    Arg, Call, Constant, GroupSplit, Node, NodeId, OperandGroup, OperationNode, Presence, ValueSource,
};
use crate::pdl::rule_set::Pattern;
use crate::stack::with_room;

/// A condition that `pdl` lacks: a comment, and lines that express it as a call.
type Condition = (String, Vec<String>);

/// The names of printed nodes.
pub(super) type NodeNames = IdVec<NodeId, Option<String>>;

/// Prints the match part of a rule. Returns the names of its nodes.
pub(super) fn print_match_part(text: &mut Text<'_>, pattern: &Pattern, benefits: &[Benefit]) -> NodeNames {
    let part = &pattern.matcher;
    let mut printer = MatchPrinter {
        text,
        pattern,
        nodes: part.iter().map(|_| None).collect(),
        visiting: part.iter().map(|_| false).collect(),
        calls: 0,
    };
    part.ids().for_each(|node| printer.node(node));
    printer.calls_before(part.constraints.len());
    for call in benefits.iter().filter_map(|benefit| benefit.constraint.as_ref()) {
        with_room(|| printer.constraint_call(call));
    }
    printer.nodes
}

struct MatchPrinter<'t, 'r, 'p> {
    text: &'t mut Text<'r>,
    pattern: &'p Pattern,
    nodes: NodeNames,
    visiting: IdVec<NodeId, bool>,
    /// The number of constraints that have been printed.
    calls: usize,
}

impl MatchPrinter<'_, '_, '_> {
    /// The name of a node that is already printed.
    fn matched(&self, node: NodeId) -> String {
        self.nodes[node].clone().expect("a node is printed before its users")
    }

    /// Prints a node after all nodes that it needs.
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

    /// Prints a node whose children have been printed.
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
                // An argument of the call uses the node. So the node is defined here, and a line after the call
                // compares it with the result.
                let name = self.text.name(self.pattern.matcher.name(node));
                let op = placeholder(kind);
                self.text.line(&format!("{name} = {op}"));
                self.nodes[node] = Some(name);
            }
            return;
        }
        let (name, text, after) = match &self.pattern.matcher[node] {
            Node::Operation(op) => self.operation(node, op),
            _ => {
                let name = self.text.name(self.pattern.matcher.name(node));
                let (text, after) = self.node_text(node, &name);
                (name, text, after)
            }
        };
        self.text.line(&format!("{name} = {text}"));
        self.nodes[node] = Some(name);
        for (comment, line) in after {
            self.text.line(&format!("// Not in pdl: {comment}."));
            line.iter().for_each(|line| self.text.line(line));
        }
    }

    /// True if a node is the result of a constraint, without further conditions.
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

    /// True if the arguments of all constraints up to this one can be printed before the nodes that are being printed.
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

    /// Prints the constraints with an index below `end`, in order.
    fn calls_before(&mut self, end: usize) {
        while self.calls < end {
            let call = &self.pattern.matcher.constraints[self.calls];
            self.calls += 1;
            with_room(|| self.constraint_call(call));
        }
    }

    /// Prints one constraint, after its arguments.
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
                    (self.matched(node), self.pattern.matcher[node].kind())
                }
                Arg::Attr(value) => self.text.constant(Kind::Attr, value),
                Arg::Type(value) => self.text.constant(Kind::Type, value),
                Arg::Int(value) => self.text.literal(Kind::Int, &format!("{value} : i64")),
                Arg::Bool(value) => self.text.literal(Kind::Bool, if value { "true" } else { "false" }),
                Arg::Str(value) => self.text.literal(Kind::Str, &self.text.quoted(value)),
            };
            args.push(arg);
        }
        let callee = self.text.callee(call.callee, &mut args);
        if args.is_empty() {
            extra.push(ext::NO_ARGS.to_owned());
            args.push((self.matched(self.pattern.matcher.roots[0]), Kind::Op));
        }
        let mut names = Vec::new();
        let mut equal = Vec::new();
        for &node in &call.results {
            let name = match (&self.pattern.matcher[node], &self.nodes[node]) {
                (_, None) if self.is_given(node) => {
                    let name = self.text.name(self.pattern.matcher.name(node));
                    self.nodes[node] = Some(name.clone());
                    name
                }
                _ => {
                    let name = self.text.fresh();
                    equal.push((name.clone(), node));
                    name
                }
            };
            names.push((name, self.pattern.matcher[node].kind()));
        }
        self.text.call_line("pdl.apply_native_constraint", &callee, &args, &names, extra);
        if !equal.is_empty() {
            self.text.line("// Not in pdl: a result of a constraint equals another matched entity.");
        }
        for (name, node) in equal {
            self.node(node);
            let kind = self.pattern.matcher[node].kind();
            self.text.line(&constraint(ext::EQUAL, &typed(&[(name, kind), (self.matched(node), kind)])));
        }
    }

    /// The text of the `pdl` operation that defines a node, with a comment and lines for each condition that `pdl`
    /// lacks.
    fn node_text(&mut self, node: NodeId, name: &str) -> (String, Vec<Condition>) {
        let mut after = Vec::new();
        let nodes = &self.pattern.matcher;
        let text = match &nodes[node] {
            // `operation` prints operations.
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
                    Constant::Text(text) => format!("pdl.attribute = {}", self.text.str(text)),
                    Constant::Snippet(_) => {
                        after.push(self.text.computed(name, Kind::Attr, value));
                        "pdl.attribute".to_owned()
                    }
                }
            }
            Node::Type { value: None } => "pdl.type".to_owned(),
            Node::Type { value: Some(value) } => match *value {
                Constant::Text(text) => format!("pdl.type : {}", self.text.str(text)),
                value @ Constant::Snippet(_) => {
                    after.push(self.text.computed(name, Kind::Type, value));
                    "pdl.type".to_owned()
                }
            },
            Node::Types { values: None } => "pdl.types".to_owned(),
            Node::Types { values: Some(values) }
                if values.iter().any(|value| matches!(value, Constant::Snippet(_))) =>
            {
                let values = values.clone();
                let parts: Vec<(String, String)> =
                    values.iter().map(|&value| (self.text.fresh(), self.text.constant_text(value))).collect();
                let mut lines: Vec<String> =
                    parts.iter().map(|(at, text)| format!("{at} = {text}")).collect();
                let mut args = vec![(name.to_owned(), Kind::Types)];
                args.extend(parts.into_iter().map(|(at, _)| (at, Kind::Attr)));
                lines.push(constraint(ext::CONSTANT, &typed(&args)));
                after.push(("constants that are computed".to_owned(), lines));
                "pdl.types".to_owned()
            }
            Node::Types { values: Some(values) } => self.text.types(values),
            Node::Bound { kind } => placeholder(*kind).to_owned(),
        };
        (text, after)
    }

    /// A condition that `pdl` lacks: a result or constant has this type.
    fn has_type(&self, node: NodeId, name: &str, ty: NodeId, what: &str) -> Condition {
        let nodes = &self.pattern.matcher;
        let kinds = format!("{}, {}", pdl_type(nodes[node].kind()), pdl_type(nodes[ty].kind()));
        let call = constraint(ext::HAS_TYPE, &format!("{name}, {} : {kinds}", self.matched(ty)));
        (what.to_owned(), vec![call])
    }

    /// The name and definition of an operation, with a comment and lines for each condition that `pdl` lacks.
    fn operation(&mut self, node: NodeId, op: &OperationNode) -> (String, String, Vec<Condition>) {
        let nodes = &self.pattern.matcher;
        let mut text = String::from("pdl.operation");
        if let Some(op_name) = op.name {
            write!(text, " {}", self.text.quoted(op_name)).expect("writing to a string");
        }
        let mut operands = Vec::new();
        match &op.operands {
            None => operands.push((self.text.anonymous("pdl.operands"), Kind::Values)),
            Some(groups) => {
                for group in groups {
                    if *group == OperandGroup::Any {
                        operands.push((self.text.anonymous("pdl.operands"), Kind::Values));
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
                .map(|edge| format!("{} = {}", self.text.quoted(edge.name), self.matched(edge.node)))
                .collect();
            write!(text, " {{{}}}", edges.join(", ")).expect("writing to a string");
        }
        let results = match &op.results {
            None => vec![(self.text.anonymous("pdl.types"), Kind::Types)],
            Some(types) => types.iter().map(|&ty| (self.matched(ty), nodes[ty].kind())).collect(),
        };
        if !results.is_empty() {
            write!(text, " -> ({})", typed(&results)).expect("writing to a string");
        }
        let name = self.text.name(self.pattern.matcher.name(node));
        let mut after = Vec::new();
        let (comments, entries) = self.layout(op);
        if !entries.is_empty() {
            let at = self.text.fresh();
            let lines = vec![
                format!("{at} = pdl.attribute = {{{}}}", entries.join(", ")),
                constraint(ext::OPERATION, &format!("{name}, {at} : !pdl.operation, !pdl.attribute")),
            ];
            after.push((comments.join(", "), lines));
        }
        for edge in &op.attributes {
            if let Some(storage) = edge.storage {
                let (key, value) = (self.text.fresh(), self.text.fresh());
                let args = format!("{name}, {key}, {value} : !pdl.operation, !pdl.attribute, !pdl.attribute");
                let lines = vec![
                    format!("{key} = pdl.attribute = {}", self.text.quoted(edge.name)),
                    format!("{value} = {}", self.text.constant_text(Constant::Snippet(storage))),
                    constraint(ext::STORAGE, &args),
                ];
                after.push(("an attribute of another class counts as absent".to_owned(), lines));
            }
        }
        (name, text, after)
    }

    /// The conditions that `pdl.operation` lacks: in words, and as dictionary entries.
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
            comments.push("the division of operands");
            entries.push(format!("operand_split = {}", self.text.split(split)));
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
                Presence::Default(Constant::Text(text)) => format!("{{default = {}}}", self.text.str(*text)),
                Presence::Default(Constant::Snippet(id)) => {
                    format!(
                        "{{code = {}, computed = {}}}",
                        self.text.code(*id),
                        quoted(&self.text.snippet_text(*id))
                    )
                }
            };
            let words: Vec<String> = op.attributes.iter().map(|edge| word(&edge.presence)).collect();
            entries.push(format!("attributes = [{}]", words.join(", ")));
        }
        let results = op.results.as_deref().unwrap_or_default();
        let open = results.iter().filter(|&&ty| self.pattern.matcher[ty].kind() == Kind::Types).count();
        if open > 1 || op.result_split != GroupSplit::Rest {
            comments.push("the division of results");
            entries.push(format!("result_split = {}", self.text.split(op.result_split)));
        }
        (comments, entries)
    }
}
