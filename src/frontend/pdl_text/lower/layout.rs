//! The layout of a matched operation's operands, results and attributes, if `pdl` cannot express it.

use super::lowering::Lowering;
use crate::ir::{AttrId, AttrKind};
use crate::pdl::{Constant, GroupSplit, Node, NodeId, OperandGroup, Presence};

impl Lowering<'_, '_, '_> {
    /// Applies a layout dictionary to an operation. Returns `None` if the dictionary does not fit the operation.
    pub(super) fn layout(&mut self, node: NodeId, layout: AttrId) -> Option<()> {
        let mut operation = self.rule.matcher[node].as_operation()?.clone();
        if let Some(words) = self.entry(layout, "operands") {
            let AttrKind::Array(words) = words else { return None };
            let nodes: Vec<NodeId> =
                operation.operands.as_deref()?.iter().flat_map(OperandGroup::nodes).copied().collect();
            let mut nodes = nodes.into_iter();
            let mut groups = Vec::new();
            for &word in words {
                groups.push(match self.context.attr_kind(word) {
                    AttrKind::Integer { value, .. } => {
                        let count = usize::try_from(value.to_i64()?).ok()?;
                        let list: Vec<NodeId> = nodes.by_ref().take(count).collect();
                        if list.len() != count {
                            return None;
                        }
                        OperandGroup::List(list)
                    }
                    word => match self.string(word)?.as_str() {
                        "one" => OperandGroup::One(nodes.next()?),
                        "optional" => OperandGroup::Optional(nodes.next()?),
                        "range" => OperandGroup::Range(nodes.next()?),
                        _ => return None,
                    },
                });
            }
            if nodes.next().is_some() {
                return None;
            }
            operation.operands = Some(groups);
        }
        if let Some(split) = self.split_word(layout, "operand_split")? {
            operation.operand_split = split;
        }
        if let Some(split) = self.split_word(layout, "result_split")? {
            operation.result_split = split;
        }
        if let Some(pairs) = self.entry(layout, "either") {
            let AttrKind::Array(pairs) = pairs else { return None };
            for &pair in pairs {
                let AttrKind::Array(pair) = self.context.attr_kind(pair) else { return None };
                let &[a, b] = &**pair else { return None };
                let index = |attr| match self.context.attr_kind(attr) {
                    AttrKind::Integer { value, .. } => u32::try_from(value.to_i64()?).ok(),
                    _ => None,
                };
                operation.either.push((index(a)?, index(b)?));
            }
        }
        if let Some(words) = self.entry(layout, "attributes") {
            let AttrKind::Array(words) = words else { return None };
            if words.len() != operation.attributes.len() {
                return None;
            }
            for (i, &word) in words.iter().enumerate() {
                let kind = self.context.attr_kind(word);
                operation.attributes[i].presence = match (kind, self.string(kind).as_deref()) {
                    (_, Some("required")) => Presence::Required,
                    (_, Some("optional")) => Presence::Optional,
                    (AttrKind::Dictionary(_), _) => {
                        if let Some(code) = self.text_entry(word, "code") {
                            let at = self.rule.matcher.span(node);
                            let text = self.text_entry(word, "computed")?;
                            Presence::Default(Constant::Snippet(self.code(&code, &text, at)?))
                        } else {
                            let name = self.context.find_attr_name("default")?;
                            let default = self.context.entry(word, name)?;
                            Presence::Default(self.attr(default))
                        }
                    }
                    _ => return None,
                };
            }
        }
        self.rule.matcher[node] = Node::Operation(operation);
        Some(())
    }

    /// Reads a division into groups from the entry with this name. Returns `Some(None)` if there is no such entry.
    #[allow(clippy::option_option, reason = "absent and malformed are different")]
    fn split_word(&mut self, layout: AttrId, name: &str) -> Option<Option<GroupSplit>> {
        let Some(word) = self.entry(layout, name) else { return Some(None) };
        Some(Some(match (word, self.string(word).as_deref()) {
            (_, Some("rest")) => GroupSplit::Rest,
            (_, Some("equal")) => GroupSplit::Equal,
            (AttrKind::Dictionary(_), _) => {
                let name = self.context.find_attr_name(name)?;
                let name = self.text_entry(self.context.entry(layout, name)?, "attribute")?;
                GroupSplit::Attribute(self.intern(&name))
            }
            _ => return None,
        }))
    }
}
