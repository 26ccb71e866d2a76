//! The symbols of a rule.

use hashbrown::HashMap;

use crate::frontend::ods::OpId;
use crate::host::Kind;
use crate::id::define_ids;
use crate::pdl::{Arity, NodeId};
use crate::snippet::Ty;
use crate::source::Span;

define_ids! {
    /// An operation that the rewrite creates.
    pub(super) struct CreationId;
    /// A native call of the rewrite.
    pub(super) struct CallId;
}

/// The entity that a symbol is bound to.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A matched operand.
    Operand {
        /// The value or range.
        node: NodeId,
        /// The arity of the operand.
        arity: Arity,
    },
    /// The operands in a `variadic` list.
    List(Vec<NodeId>),
    /// A matched attribute or property.
    Attribute {
        /// The attribute.
        node: NodeId,
        /// The static type in snippets.
        ty: Ty,
        /// The static type of the C++ value that the attribute may be read as.
        reading: Option<Ty>,
        /// True if the attribute may be null.
        optional: bool,
    },
    /// A matched operation, which stands for its results.
    Matched {
        /// The operation.
        node: NodeId,
        /// Its definition.
        op: OpId,
    },
    /// An entity that a native call in the source pattern binds.
    Captured {
        /// The entity.
        node: NodeId,
        /// The static type in snippets.
        ty: Ty,
        /// The kind of the entity in calls of natives.
        kind: Kind,
    },
    /// An operation that the rewrite creates, which stands for its results.
    Created {
        /// Its definition.
        op: OpId,
        /// The creation; `None` before it is planned.
        creation: Option<CreationId>,
    },
    /// The results of a native call in the rewrite.
    Called {
        /// The number of results.
        count: usize,
        /// The call; `None` before it is planned, or if it has no results.
        call: Option<CallId>,
    },
}

/// The symbols of one rule.
#[derive(Debug, Default)]
pub(super) struct Symbols<'a> {
    names: HashMap<&'a str, (Symbol, Span)>,
}

impl<'a> Symbols<'a> {
    /// The binding of a name, and its span.
    pub(super) fn find(&self, name: &str) -> Option<&(Symbol, Span)> {
        self.names.get(name)
    }

    /// The binding of a name, as a mutable reference.
    pub(super) fn find_mut(&mut self, name: &str) -> Option<&mut Symbol> {
        self.names.get_mut(name).map(|(symbol, _)| symbol)
    }

    /// Binds a name. The error is the span of an earlier binding.
    pub(super) fn bind(&mut self, name: &'a str, symbol: Symbol, span: Span) -> Result<(), Span> {
        if let Some((_, first)) = self.names.get(name) {
            return Err(*first);
        }
        self.names.insert(name, (symbol, span));
        Ok(())
    }

    /// A bound name that is spelt like `name`, for messages.
    pub(super) fn similar(&self, name: &str) -> Option<&'a str> {
        let mut names: Vec<&'a str> = self.names.keys().copied().collect();
        names.sort_unstable();
        names
            .into_iter()
            .find(|other| other.eq_ignore_ascii_case(name) || name.len() > 2 && differs_by_one(other, name))
    }
}

fn differs_by_one(a: &str, b: &str) -> bool {
    let prefix = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a.as_bytes()[prefix..], &b.as_bytes()[prefix..]);
    match (a, b) {
        ([_, a @ ..], [_, b @ ..]) if a == b => true,
        ([_, a @ ..], b) if a == b => true,
        (a, [_, b @ ..]) => a == b,
        _ => false,
    }
}

/// Splits `name__N` into the name and the index.
pub(super) fn split_index(symbol: &str) -> (&str, Option<usize>) {
    match symbol.rsplit_once("__") {
        Some((name, digits)) if !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit()) => {
            digits.parse().map_or((symbol, None), |index| (name, Some(index)))
        }
        _ => (symbol, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailing_number_is_an_index() {
        assert_eq!(split_index("res__1"), ("res", Some(1)));
        assert_eq!(split_index("a__b__12"), ("a__b", Some(12)));
        for whole in ["res", "res__", "res__x", "res_1", "__", "res__1x"] {
            assert_eq!(split_index(whole), (whole, None));
        }
    }

    #[test]
    fn names_that_differ_by_a_letter_are_similar() {
        assert!(differs_by_one("input", "inputs") && differs_by_one("inputs", "input"));
        assert!(differs_by_one("lhs", "rhs") && differs_by_one("ahs", "hs"));
        assert!(!differs_by_one("lhs", "result"));
    }
}
