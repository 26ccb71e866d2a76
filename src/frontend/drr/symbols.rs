//! What the names of a rule stand for.

use hashbrown::HashMap;

use crate::frontend::ods::OpId;
use crate::host::Kind;
use crate::pdl::{Arity, LocalId, NodeId};
use crate::snippet::Ty;
use crate::source::Span;

/// What a name is bound to.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A matched operand.
    Operand {
        /// The value or range.
        node: NodeId,
        /// Which of the two.
        arity: Arity,
    },
    /// The operands that a `variadic` lists.
    List(Vec<NodeId>),
    /// A matched attribute or property.
    Attribute {
        /// The attribute.
        node: NodeId,
        /// What snippets see it as.
        ty: Ty,
        /// Whether it may be null.
        optional: bool,
    },
    /// A matched operation, standing for its results.
    Matched {
        /// The operation.
        node: NodeId,
        /// Its definition.
        op: OpId,
    },
    /// What a native call in the source has bound.
    Captured {
        /// What it is.
        node: NodeId,
        /// What snippets see it as.
        ty: Ty,
        /// What it is to natives.
        kind: Kind,
    },
    /// An operation that the rewrite makes; `None` until then.
    Built {
        /// Its definition.
        op: OpId,
        /// The operation.
        local: Option<LocalId>,
    },
    /// What a native call of the rewrite gives; empty until then.
    Native {
        /// How many results it has.
        count: usize,
        /// The results, with what they are.
        locals: Vec<(LocalId, Kind)>,
    },
}

/// The names of one rule.
#[derive(Debug, Default)]
pub(super) struct Symbols<'a> {
    names: HashMap<&'a str, (Symbol, Span)>,
}

impl<'a> Symbols<'a> {
    /// What a name is bound to, and where.
    pub(super) fn find(&self, name: &str) -> Option<&(Symbol, Span)> {
        self.names.get(name)
    }

    /// To change what a name is bound to.
    pub(super) fn find_mut(&mut self, name: &str) -> Option<&mut Symbol> {
        self.names.get_mut(name).map(|(symbol, _)| symbol)
    }

    /// Binds a name; gives the place of its first binding if it has one already.
    pub(super) fn bind(&mut self, name: &'a str, symbol: Symbol, span: Span) -> Result<(), Span> {
        if let Some((_, first)) = self.names.get(name) {
            return Err(*first);
        }
        self.names.insert(name, (symbol, span));
        Ok(())
    }

    /// A bound name that looks like `name`, for messages.
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

/// Divides `name__N` into the name of the whole and the number; a name without number is itself.
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
