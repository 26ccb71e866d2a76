//! What is matched: what defines each node, and for what `pdl` cannot say of it a call.

use std::fmt::Write;

use super::Printer;
use super::calls::typed;
use super::quoted;
use crate::host::Kind;
use crate::pdl::extension::{self as ext, pdl_type};
use crate::pdl::{Constant, GroupSplit, Node, NodeId, OperandGroup, OperationNode, Presence, ValueSource};
use crate::snippet::SnippetId;

impl Printer<'_, '_, '_> {
    /// What defines a node, and for what `pdl` cannot say of it a comment and lines.
    #[allow(clippy::type_complexity, reason = "two lists of lines")]
    pub(super) fn node_text(&mut self, node: NodeId, name: &str) -> (String, Vec<(String, Vec<String>)>) {
        let mut after = Vec::new();
        let nodes = &self.pattern.matcher;
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

    pub(super) fn types(&self, values: &[Constant]) -> String {
        let text = |value: &Constant| match *value {
            Constant::Text(text) => Some(self.str(text)),
            Constant::Snippet(_) => None,
        };
        format!("pdl.types : [{}]", values.iter().filter_map(text).collect::<Vec<_>>().join(", "))
    }

    pub(super) fn has_type(&self, node: NodeId, name: &str, ty: NodeId, what: &str) -> (String, Vec<String>) {
        let nodes = &self.pattern.matcher;
        let kinds = format!("{}, {}", pdl_type(nodes[node].kind()), pdl_type(nodes[ty].kind()));
        let call = constraint(ext::HAS_TYPE, &format!("{name}, {} : {kinds}", self.matched(ty)));
        (what.to_owned(), vec![call])
    }

    pub(super) fn snippet_text(&self, id: SnippetId) -> String {
        let snippets = &self.rules.snippets;
        snippets.str(snippets.get(id).text).to_owned()
    }

    /// What an expression was read as, in hexadecimal.
    pub(super) fn code(&self, id: SnippetId) -> String {
        let mut text = String::from("\"");
        for byte in self.rules.snippets.to_bytes(id) {
            write!(text, "{byte:02x}").expect("writing to a string");
        }
        text.push('"');
        text
    }

    /// The attribute that is an expression's text, and carries it; or is a constant.
    pub(super) fn constant_text(&self, value: Constant) -> String {
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

    pub(super) fn computed(&mut self, name: &str, kind: Kind, value: Constant) -> (String, Vec<String>) {
        let at = self.fresh();
        let lines = vec![
            format!("{at} = {}", self.constant_text(value)),
            constraint(ext::CONSTANT, &format!("{name}, {at} : {}, !pdl.attribute", pdl_type(kind))),
        ];
        ("a constant that is computed".to_owned(), lines)
    }
}

pub(super) fn constraint(name: &str, args: &str) -> String {
    format!("pdl.apply_native_constraint \"{name}\"({args})")
}

pub(super) fn placeholder(kind: Kind) -> &'static str {
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
    pub(super) fn operation(
        &mut self,
        node: NodeId,
        op: &OperationNode,
    ) -> (String, String, Vec<(String, Vec<String>)>) {
        let nodes = &self.pattern.matcher;
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

    pub(super) fn anonymous(&mut self, op: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {op}"));
        name
    }

    /// What `pdl.operation` leaves open: in words, and as dictionary entries.
    pub(super) fn layout(&self, op: &OperationNode) -> (Vec<&'static str>, Vec<String>) {
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
        let open = results.iter().filter(|&&ty| self.pattern.matcher[ty].kind() == Kind::Types).count();
        if open > 1 || op.result_split != GroupSplit::Rest {
            comments.push("how results divide");
            entries.push(format!("result_split = {}", self.split(op.result_split)));
        }
        (comments, entries)
    }

    pub(super) fn split(&self, split: GroupSplit) -> String {
        match split {
            GroupSplit::Rest => "\"rest\"".to_owned(),
            GroupSplit::Equal => "\"equal\"".to_owned(),
            GroupSplit::Attribute(name) => format!("{{attribute = {}}}", self.quoted(name)),
        }
    }
}
