//! In which order rules are tried.
//!
//! Specification: higher benefit first; among equals, rules whose root names an operation before
//! those for any; then the order of the rule list. Every engine uses this and no other order.

use std::cmp::Reverse;

use super::{Pattern, PatternId, RuleSet};

impl RuleSet {
    /// The rules in the order they are tried.
    pub fn in_order(&self) -> Vec<PatternId> {
        let mut order: Vec<PatternId> = self.patterns.ids().collect();
        order
            .sort_by_key(|&id| (Reverse(self.patterns[id].benefit), self.patterns[id].root_name().is_none()));
        order
    }
}

impl Pattern {
    /// The operation name that the rule matches at; `None`: any.
    pub fn root_name(&self) -> Option<crate::intern::StrId> {
        let root = *self.matcher.roots.first()?;
        self.matcher.get(root)?.as_operation()?.name
    }
}
