//! Rules whose benefit depends on the match.
//!
//! Specification: a match has the highest of the rule's benefits whose constraint holds for it. A benefit without a
//! constraint applies to every match. If no benefit applies, the rule does not match. Each set of bindings is therefore
//! found at most once.
//!
//! Method: the rule list gets one instance of the rule for each benefit, from the highest benefit to the lowest. An
//! instance requires that its own constraint holds and that the constraints of all instances before it fail. A compiled
//! program evaluates a pure constraint only once for each root, unless its arguments depend on a choice. Engines need
//! no support for rules with several benefits, and compute no benefits. Source: Thier, Ertl and Krall, "Fast and
//! flexible instruction selection with constraints" (2018).

use std::cmp::Reverse;

use super::error;
use super::match_part::Call;
use super::rule_set::{Choice, Pattern, PatternId, RuleSet};
use super::verify::verify_rule;
use crate::source::{Diagnostics, Span};

/// The largest number of benefits of a rule. Each instance checks the constraints of all instances before it.
const MAX_BENEFITS: usize = 64;

/// One benefit of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Benefit {
    /// The benefit itself.
    pub(crate) benefit: i64,
    /// The constraint that must hold; `None` for the benefit that applies if no higher benefit does.
    pub(crate) constraint: Option<Call>,
    /// The place where the benefit was written.
    pub(crate) span: Span,
}

impl RuleSet {
    /// Adds a verified rule, once for each of its benefits, or once if the list of benefits is empty. Returns the id of
    /// the first instance.
    pub(crate) fn add_rule(
        &mut self,
        rule: Pattern,
        benefits: Vec<Benefit>,
    ) -> Result<PatternId, Diagnostics> {
        if benefits.is_empty() {
            return Ok(self.patterns.push(rule));
        }
        let mut lower = instances(rule, benefits)?;
        // The last instance has the constraints of all instances.
        if let Some(last) = lower.last() {
            let found = verify_rule(self, last);
            if found.has_errors() {
                return Err(found);
            }
        }
        let first = self.patterns.push(lower.remove(0));
        for instance in lower {
            self.patterns.push(instance);
        }
        Ok(first)
    }
}

/// The instances of a rule, one for each of its benefits, from the highest benefit to the lowest. `benefits` must not
/// be empty.
fn instances(rule: Pattern, mut benefits: Vec<Benefit>) -> Result<Vec<Pattern>, Diagnostics> {
    benefits.sort_by_key(|benefit| Reverse(benefit.benefit));
    let mut errors = Diagnostics::default();
    if benefits.len() > MAX_BENEFITS {
        return Err(error::too_many_benefits(benefits[0].span, benefits.len(), MAX_BENEFITS).into());
    }
    if benefits[0].benefit != i64::from(rule.benefit) {
        errors.push(error::not_the_largest_benefit(benefits[0].span, rule.benefit, benefits[0].benefit));
    }
    let mut instances: Vec<Pattern> = Vec::new();
    let count = benefits.len();
    let mut others = rule.matcher.constraints.clone();
    let mut rest: Option<Span> = None;
    for (index, Benefit { benefit, constraint, span }) in benefits.into_iter().enumerate() {
        if let Some(rest) = rest {
            errors.push(error::benefit_never_used(span, benefit, rest));
        }
        let value = u16::try_from(benefit).ok().filter(|&value| value <= Pattern::MAX_BENEFIT);
        if value.is_none() {
            errors.push(error::benefit_out_of_range(span, benefit, Pattern::MAX_BENEFIT));
        }
        if constraint.as_ref().is_some_and(|call| !call.results.is_empty()) {
            errors.push(error::results_of_benefit(span));
        }
        let mut instance = rule.clone();
        instance.benefit = value.unwrap_or_default();
        instance.matcher.constraints.clone_from(&others);
        instance.choice = (count > 1).then_some(Choice { index, count });
        match constraint {
            Some(call) => {
                others.push(Call { negated: !call.negated, ..call.clone() });
                instance.matcher.constraints.push(call);
            }
            None => rest = Some(span),
        }
        instances.push(instance);
    }
    if errors.has_errors() { Err(errors) } else { Ok(instances) }
}

/// The rule with these instances, and its benefits; `None` if `instances` is not the complete list of the instances of
/// one rule.
pub(super) fn whole(instances: &[Pattern]) -> Option<(Pattern, Vec<Benefit>)> {
    let (first, last) = (instances.first()?, instances.last()?);
    let fits = |(index, pattern): (usize, &Pattern)| {
        pattern.name == first.name && pattern.choice == Some(Choice { index, count: instances.len() })
    };
    if !instances.iter().enumerate().all(fits) {
        return None;
    }
    let mut rule = last.clone();
    rule.benefit = first.benefit;
    rule.choice = None;
    // The first instance has one more constraint than the rule. The last instance has the constraints of all instances.
    let common = first.matcher.constraints.len().checked_sub(1)?;
    let mut calls =
        rule.matcher.constraints.split_off(common.min(rule.matcher.constraints.len())).into_iter();
    let mut benefits = Vec::new();
    for (place, instance) in instances.iter().enumerate() {
        let constraint = calls.next().map(|call| {
            let negated = if place + 1 < instances.len() { !call.negated } else { call.negated };
            Call { negated, ..call }
        });
        benefits.push(Benefit { benefit: instance.benefit.into(), constraint, span: Span::NONE });
    }
    Some((rule, benefits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::mock::{Mock, MockOp};
    use crate::host::{Entity, Ir, Natives};
    use crate::pdl::builder::PatternBuilder;
    use crate::pdl::reference::ReferenceMatcher;

    /// Adds the match of `t.root(x)` and of one of its users to a rule. Returns the nodes of the root and of the user.
    fn with_users(rule: &mut PatternBuilder<'_>) -> [crate::pdl::NodeId; 2] {
        let x = rule.value();
        let root = rule.op("t.root").operand(x).matched();
        let y = rule.result(root, 0);
        let rest = rule.values();
        let user = rule.op("t.user").operand(y).operands(rest).matched();
        rule.root(root);
        rule.rewrite_call("seen", [user], &[]);
        [root, user]
    }

    fn ir() -> Mock {
        let mut ir = Mock::default();
        let x = ir.arg("i32");
        for users in 0..5 {
            let y = ir.value("t.root", &[x], &[], "i32");
            for extra in 0..users {
                ir.op("t.user", &vec![y; 1 + (extra * users) % 4], &[], &[]);
            }
        }
        ir
    }

    fn natives() -> Natives<Mock> {
        type Op = crate::host::arg::Op<Mock>;
        Natives::new()
            .constraint("one", |ir: &Mock, op: Op| ir.operand_count(op.0) == 1)
            .constraint("two", |ir: &Mock, op: Op| ir.operand_count(op.0) == 2)
            .constraint("few", |ir: &Mock, op: Op| (1..=3).contains(&ir.operand_count(op.0)))
    }

    /// The matches at each operation, in order: benefit and bindings.
    fn matches(rules: &RuleSet, ir: &mut Mock) -> Vec<Vec<(u16, Vec<Entity<Mock>>)>> {
        let matcher = ReferenceMatcher::new(rules, ir, &natives()).expect("it links");
        let found = |op: &MockOp| {
            let all = matcher.matches(ir, *op);
            all.map(|m| (rules.patterns[m.pattern].benefit, m.bindings().cloned().collect())).collect()
        };
        ir.block().iter().map(found).collect()
    }

    #[test]
    fn a_match_has_the_highest_benefit_whose_constraint_holds() {
        let choices: &[(i64, Option<&str>)] = &[(3, Some("few")), (9, Some("two")), (5, Some("one"))];
        for otherwise in [None, Some(1)] {
            let mut plain = RuleSet::default();
            let mut rule = plain.pattern("plain", 0);
            let [_, user] = with_users(&mut rule);
            rule.finish().expect("a valid rule");
            let mut rules = RuleSet::default();
            let mut rule = rules.pattern("rule", 9);
            with_users(&mut rule);
            for &(benefit, constraint) in choices {
                rule.benefit_if(
                    u16::try_from(benefit).expect("small"),
                    constraint.expect("each of these benefits has a constraint"),
                    [user],
                );
            }
            if let Some(benefit) = otherwise {
                rule.benefit_otherwise(benefit);
            }
            rule.finish().expect("a valid rule");
            // The benefit of this rule lies between those of the first rule, so it makes the order visible.
            let mut between = rules.pattern("between", 4);
            let x = between.value();
            between.op("t.root").operand(x).matched();
            between.finish().expect("a valid rule");

            let (mut ir, natives) = (ir(), natives());
            let holds = |ir: &Mock, name: &str, op: &Entity<Mock>| {
                (natives.find_constraint(name).expect("registered").all()[0].run)(
                    ir,
                    std::slice::from_ref(op),
                )
                .is_some()
            };
            let all = matches(&plain, &mut ir);
            let mut expected: Vec<Vec<(u16, Vec<Entity<Mock>>)>> = Vec::new();
            for (op, found) in ir.block().to_vec().into_iter().zip(all) {
                let mut with_benefit: Vec<_> = found
                    .into_iter()
                    .filter_map(|(_, bindings)| {
                        let user = &bindings[crate::id::Id::index(user)];
                        let of = |&(benefit, name): &(i64, Option<&str>)| {
                            holds(&ir, name.expect("each of these benefits has a constraint"), user)
                                .then(|| u16::try_from(benefit).expect("small"))
                        };
                        let best = choices.iter().filter_map(of).max().or(otherwise);
                        best.map(|benefit| (benefit, bindings))
                    })
                    .collect();
                if ir.op_name_text(ir.op_name(op)) == "t.root" {
                    let x = Entity::Value(Some(ir.operand(op, 0)));
                    with_benefit.push((4, vec![x, Entity::Op(op)]));
                }
                with_benefit.sort_by_key(|found| Reverse(found.0));
                expected.push(with_benefit);
            }
            assert!(expected.iter().flatten().filter(|found| found.0 != 4).count() > 5);
            assert_eq!(matches(&rules, &mut ir), expected, "{otherwise:?}");
        }
    }

    #[test]
    fn invalid_benefits_are_errors() {
        let errors = |build: fn(&mut PatternBuilder<'_>, crate::pdl::NodeId)| -> Vec<String> {
            let mut rules = RuleSet::default();
            let mut rule = rules.pattern("rule", 7);
            let op = rule.op("t.a").matched();
            build(&mut rule, op);
            let found = rule.finish().expect_err("an invalid rule");
            assert!(rules.patterns.is_empty());
            found.into_iter().map(|error| error.message).collect()
        };
        assert_eq!(
            errors(|rule, op| rule.benefit_if(9, "one", [op])),
            ["the benefit of the rule must be the largest of its benefits: expected 9, found 7"]
        );
        assert_eq!(
            errors(|rule, op| {
                rule.benefit_otherwise(7);
                rule.benefit_if(2, "one", [op]);
            }),
            ["benefit 2 is never used: an equal or higher benefit has no constraint"]
        );
        assert_eq!(
            errors(|rule, op| (0..65).for_each(|_| rule.benefit_if(7, "one", [op]))),
            ["65 benefits of one rule; the limit is 64"]
        );
        assert_eq!(
            errors(|rule, _| rule.benefit_if(7, "one", [crate::pdl::NodeId::from_raw(40)])),
            ["a constraint refers to a node that the rule does not have"]
        );
    }
}
