//! The number of steps that each rule needs until the operations that it creates are legal.
//!
//! Specification: as in MLIR's conversion driver, a rule whose created operations cannot all become legal is not
//! applied, and rules that need fewer steps are tried first.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::OpNameId;

/// The facts about one rule.
pub(super) struct RuleFacts {
    /// The name of the root; `None` for a rule for any operation.
    pub(super) root: Option<OpNameId>,
    /// The names of the operations that the rule creates, as far as they are known before the rule is applied.
    pub(super) created: Vec<OpNameId>,
}

/// The number of steps to legal operations, by rule; `None` for a rule that cannot succeed.
pub(super) fn depths(rules: &[RuleFacts], is_legal: impl Fn(OpNameId) -> bool) -> Vec<Option<u32>> {
    let mut of_rule: Vec<Option<u32>> = vec![None; rules.len()];
    let mut of_op: HashMap<OpNameId, u32, FxBuildHasher> = HashMap::default();
    // A rule for any operation is assumed to make every operation legal in one step.
    let any_depth = rules.iter().any(|rule| rule.root.is_none()).then_some(1);
    // Each round finds the rules of the next larger depth, so that the first depth that is found for an operation is
    // its smallest.
    loop {
        let mut found = Vec::new();
        for (rule, facts) in rules.iter().enumerate().filter(|&(rule, _)| of_rule[rule].is_none()) {
            let depth = |&op: &OpNameId| match of_op.get(&op) {
                Some(&depth) => Some(depth),
                None if is_legal(op) => Some(0),
                None => any_depth,
            };
            let created: Option<Vec<u32>> = facts.created.iter().map(depth).collect();
            if let Some(depths) = created {
                found.push((rule, 1 + depths.into_iter().max().unwrap_or(0)));
            }
        }
        let Some(least) = found.iter().map(|&(_, depth)| depth).min() else { return of_rule };
        for (rule, depth) in found.into_iter().filter(|&(_, depth)| depth == least) {
            of_rule[rule] = Some(depth);
            if let Some(root) = rules[rule].root {
                of_op.entry(root).or_insert(depth);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(number: u32) -> OpNameId {
        OpNameId::from_raw(number)
    }

    fn rule(root: u32, created: &[u32]) -> RuleFacts {
        RuleFacts { root: Some(op(root)), created: created.iter().copied().map(op).collect() }
    }

    #[test]
    fn each_created_operation_counts_with_the_rule_of_least_depth() {
        // The operations 0 and 1 are legal.
        let rules = [
            rule(2, &[0]),
            rule(3, &[2, 1]),
            rule(4, &[3]),
            rule(4, &[4]),
            rule(5, &[6]),
            rule(6, &[5]),
            rule(4, &[0, 1]),
            rule(7, &[4]),
        ];
        let found = depths(&rules, |op| op.raw() < 2);
        let expected = [Some(1), Some(2), Some(3), Some(2), None, None, Some(1), Some(2)];
        assert_eq!(found, expected);
    }
}
