//! Lets rules match commutative operations with their operands in either order.
//!
//! Specification: after [`RuleSet::commute`], a rule matches an operation if and only if the original rule, or a copy
//! of it in which the operands of some of its commutative operations are exchanged, matches the operation. The rule
//! stays one rule: the orders are `either` pairs. A warning reports each rule for which this equivalence does not hold.

use crate::id::IdVec;
use crate::intern::StrId;
use crate::source::Span;

use super::error;
use super::match_part::{Arg, MatchPart, Node, NodeId, OperandGroup};
use super::op_table::{OpTable, Trait};
use super::rule_set::{Pattern, RuleSet};
use super::verify::MAX_EITHER;
use crate::source::Diagnostics;

impl RuleSet {
    /// Lets every rule match commutative operations ([`Trait::Commutative`]) with two operands in both orders of these
    /// operands. The order in the rule is tried first; the other order is tried if the first leads to no match. Returns
    /// a warning for each rule in which some or all of these operations keep their order, because the rule has several
    /// roots or too many such operations.
    ///
    /// ```
    /// use drrvm::RuleSet;
    /// use drrvm::pdl::{OpDef, Trait, term::{op, var}};
    /// let mut rules = RuleSet::default();
    /// let add = rules.intern("t.add");
    /// rules.ops_mut().insert(OpDef::new(add).traits([Trait::Commutative]));
    /// rules.replacement("add_neg", 1, &op("t.add", [var("x"), op("t.neg", [var("x")])]), &op("t.zero", []))?;
    /// // The rule now also matches neg(x) + x.
    /// assert!(rules.commute().is_empty());
    /// # Ok::<(), drrvm::Diagnostics>(())
    /// ```
    pub fn commute(&mut self) -> Diagnostics {
        let Self { strings, ops, patterns, .. } = self;
        let mut warnings = Diagnostics::default();
        for id in patterns.ids() {
            let pattern = &mut patterns[id];
            let found = exchangeable(pattern, ops);
            let span = match pattern.origin {
                super::Origin::Span(span) => span,
                super::Origin::Rust(_) => Span::NONE,
            };
            let name = &strings[pattern.name];
            if !found.is_empty() && !pattern.matcher.climbs().is_empty() {
                warnings.push(error::roots_do_not_commute(name, span));
                continue;
            }
            let stated: usize =
                pattern.matcher.iter().filter_map(Node::as_operation).map(|op| op.either.len()).sum();
            let room = MAX_EITHER.saturating_sub(stated);
            if found.len() > room {
                warnings.push(error::too_many_commute(name, found.len(), room, span));
            }
            for &node in found.iter().take(room) {
                if let Node::Operation(op) = &mut pattern.matcher[node] {
                    op.either.push((0, 1));
                }
            }
        }
        warnings
    }
}

/// The commutative operations of a rule that have two operands and no `either`, except those whose operands the rule
/// does not distinguish. Each operation comes before the operations that define its operands.
fn exchangeable(pattern: &Pattern, ops: &OpTable) -> Vec<NodeId> {
    let part = &pattern.matcher;
    let mentions = mentions(part);
    let commutes = |name: Option<StrId>| {
        name.and_then(|name| ops.find(name)).is_some_and(|def| def.traits.contains(&Trait::Commutative))
    };
    let is_free =
        |value: NodeId| mentions[value] == 1 && matches!(part[value], Node::Value { ty: None, source: None });
    let distinguished = |&node: &NodeId| {
        let Some(op) = part[node].as_operation() else { return false };
        match op.operands.as_deref() {
            Some(&[OperandGroup::One(a), OperandGroup::One(b)]) => {
                commutes(op.name) && op.either.is_empty() && a != b && !(is_free(a) && is_free(b))
            }
            _ => false,
        }
    };
    let mut found: Vec<NodeId> = part.ops_in_post_order().into_iter().filter(distinguished).collect();
    found.reverse();
    found
}

/// The number of times that the match part mentions each node.
fn mentions(part: &MatchPart) -> IdVec<NodeId, u32> {
    let mut mentions: IdVec<NodeId, u32> = part.iter().map(|_| 0).collect();
    part.iter().for_each(|node| node.for_each_child(|child| mentions[child] += 1));
    for call in &part.constraints {
        call.args.iter().filter_map(Arg::taken).for_each(|node| mentions[node] += 1);
        call.results.iter().for_each(|&node| mentions[node] += 1);
    }
    mentions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdl::op_table::OpDef;
    use crate::pdl::term::{Term, op, var};

    fn commuted(from: &Term) -> (usize, Diagnostics) {
        let mut rules = RuleSet::default();
        let add = rules.intern("t.add");
        rules.ops_mut().insert(OpDef::new(add).traits([Trait::Commutative]));
        let rule = rules.replacement("r", 1, from, &var("x")).expect("a valid rule");
        let warnings = rules.commute();
        rules.verify().expect("the rule stays valid");
        let either = rules.patterns[rule].matcher.iter().filter_map(Node::as_operation);
        (either.map(|op| op.either.len()).sum(), warnings)
    }

    #[test]
    fn operands_that_a_rule_does_not_distinguish_keep_their_order() {
        let add = |a, b| op("t.add", [a, b]);
        let neg = || op("t.neg", [var("y")]);
        assert_eq!(commuted(&add(var("x"), var("y"))).0, 0);
        assert_eq!(commuted(&add(var("x"), var("x"))).0, 0);
        assert_eq!(commuted(&add(var("x"), neg())).0, 1);
        assert_eq!(commuted(&add(var("x"), add(var("x"), var("y")))).0, 2);
        assert_eq!(commuted(&op("t.sub", [var("x"), neg()])).0, 0);
    }

    #[test]
    fn a_rule_with_too_many_commutative_operations_is_reported() {
        let chain = |length| (0..length).fold(var("x"), |inner, _| op("t.add", [inner, op("t.c", [])]));
        let (count, warnings) = commuted(&chain(MAX_EITHER));
        assert_eq!((count, warnings.len()), (MAX_EITHER, 0));
        let (count, warnings) = commuted(&chain(MAX_EITHER + 2));
        assert_eq!((count, warnings.len()), (MAX_EITHER, 1));
        let message = "rule 'r' has 14 commutative operations, of which only 12 match with their operands in either order";
        assert_eq!(warnings.iter().next().expect("a warning").message, message);
    }
}
