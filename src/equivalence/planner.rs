//! Finds instances and near-misses of rules.
//!
//! Specification: the reference matcher finds a match at the root of each instance and none at the root of a
//! near-miss. A near-miss is an instance with one change, or a failed [`attempt`] at an instance.
//!
//! Method: each attempt has the structure that the rule requires, and the reference matcher decides whether it matches.
//! Constraints that relate several nodes, such as equal types or a sum of widths, are satisfied by repeated attempts.

use super::attempt::attempt;
use super::candidates::Candidates;
use super::instance::Wanted;
use super::plan::{NoInstance, Plan, PlannedOp, PlannedValue, Plans};
use super::random::Random;
use crate::ir::{Context, IrHost, Module, ValueId};
use crate::pdl::{Node, PatternId, ReferenceMatcher};

/// Limits of the search for the plans of one rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    pub(super) instances: usize,
    pub(super) near_misses: usize,
    pub(super) attempts: usize,
}

/// A search for plans of the rules of one set.
pub(super) struct Planner<'a> {
    pub(super) candidates: Candidates<'a>,
    pub(super) matcher: ReferenceMatcher<'a, IrHost>,
}

impl Planner<'_> {
    /// Finds plans for a rule.
    pub(super) fn plan(
        &mut self,
        pattern: PatternId,
        host: &mut IrHost,
        effort: &Effort,
        random: &mut Random,
    ) -> Plans {
        let mut plans = Plans::default();
        let (rules, vocabulary) = (self.candidates.rules, self.candidates.vocabulary);
        let without_form = |node: &Node| {
            let name = &rules.strings[node.as_operation()?.name?];
            let id = host.context.find_op_name(name);
            let has_form = id.is_some_and(|id| vocabulary.forms_of(id).next().is_some());
            (!has_form).then(|| name.to_owned())
        };
        if let Some(name) = rules.patterns[pattern].matcher.iter().find_map(without_form) {
            plans.no_instance = Some(NoInstance::Operation(name));
            return plans;
        }
        let nodes = self.candidates.of_nodes(pattern, host);
        let mut built = 0;
        for _ in 0..effort.attempts {
            let Some(plan) = attempt(&mut self.candidates, pattern, &nodes, host, random) else { continue };
            built += 1;
            let matches = self.matches(pattern, &plan, host);
            let (list, wanted) = match matches {
                true => (&mut plans.instances, effort.instances),
                false => (&mut plans.near_misses, effort.near_misses / 2),
            };
            if list.len() < wanted && !list.contains(&plan) {
                list.push(plan);
            }
            if plans.instances.len() == effort.instances {
                break;
            }
        }
        if plans.instances.is_empty() {
            let unsatisfied = self.candidates.unsatisfied(pattern, &nodes);
            plans.no_instance = Some(match built {
                _ if !unsatisfied.is_empty() => NoInstance::Candidate(unsatisfied),
                0 => NoInstance::Structure(effort.attempts),
                _ => NoInstance::Constraints(built, self.candidates.constraints(pattern, |_| true)),
            });
        }
        for _ in 0..effort.near_misses * 8 {
            let Some(plan) = random.pick(&plans.instances) else { break };
            let Some(plan) = self.mutate(plan, host, random) else { continue };
            if !plans.near_misses.contains(&plan) && !self.matches(pattern, &plan, host) {
                plans.near_misses.push(plan);
            }
            if plans.near_misses.len() >= effort.near_misses {
                break;
            }
        }
        host.module = Module::new(&mut host.context);
        plans
    }

    /// True if the rule matches at the root of a plan in a module that contains nothing else.
    fn matches(&self, pattern: PatternId, plan: &Plan, host: &mut IrHost) -> bool {
        host.module = Module::new(&mut host.context);
        let body = host.module.body();
        let IrHost { context, module } = host;
        let inputs: Vec<ValueId> =
            plan.inputs.iter().map(|&ty| module.add_arg(body, ty, Context::UNKNOWN)).collect();
        let ops = plan.append(self.candidates.vocabulary, &inputs, module, context, body);
        self.matcher.matches_of(host, pattern, ops[plan.root]).next().is_some()
    }

    /// The plan with one change; `None` if the changed operation does not verify.
    fn mutate(&self, plan: &Plan, host: &mut IrHost, random: &mut Random) -> Option<Plan> {
        let Candidates { vocabulary, validator, .. } = self.candidates;
        let mut plan = plan.clone();
        let at = random.below(plan.ops.len());
        let PlannedOp { instance, operands } = &mut plan.ops[at];
        match random.below(5) {
            // Replace or remove an attribute.
            0 if !instance.attributes.is_empty() => {
                let which = random.below(instance.attributes.len());
                match random.percent(20) {
                    true => {
                        instance.attributes.remove(which);
                    }
                    false => instance.attributes[which].1 = *random.pick(&vocabulary.pool.attrs)?,
                }
            }
            // Replace an operand by a new input.
            1 | 2 if !operands.is_empty() => {
                let which = random.below(operands.len());
                plan.inputs.push(instance.operands[which]);
                operands[which] = PlannedValue::Input(plan.inputs.len() - 1);
            }
            // Swap two operands.
            3 if operands.len() > 1 => {
                let (a, b) = (random.below(operands.len()), random.below(operands.len()));
                operands.swap(a, b);
                instance.operands.swap(a, b);
            }
            // Replace the operation.
            _ => {
                let other = random.pick(vocabulary.forms.as_slice())?;
                let same = other.operands.len() == instance.operands.len()
                    && other.results.len() == instance.results.len();
                if !same || other.terminator || other.regions > 0 {
                    return None;
                }
                let wanted = Wanted {
                    operands: instance.operands.iter().copied().enumerate().collect(),
                    results: instance.results.iter().copied().enumerate().collect(),
                    ..Wanted::default()
                };
                let other = vocabulary.instance(other, host, validator, &wanted, random)?;
                if other.operands.len() != operands.len() || other.results.len() != instance.results.len() {
                    return None;
                }
                *instance = other;
            }
        }
        vocabulary.is_valid(&plan.ops[at].instance, host, validator).then_some(plan)
    }
}
