//! Finds instances and near-misses of rules.
//!
//! Specification: the reference matcher finds a match at the root of each instance and none at the root of a
//! near-miss. A near-miss is an instance with one change, or a failed [`attempt`] at an instance.
//!
//! Method: each attempt has the structure that the rule requires, and the reference matcher decides if the rule matches
//! it. Constraints that relate several nodes, such as equal types or a sum of widths, are satisfied by repeated
//! attempts.

use super::attempt::attempt;
use super::candidates::Candidates;
use super::fragment::{Fragment, FragmentOp, FragmentValue, Fragments, NoInstance};
use super::instance::Wanted;
use super::random::Random;
use crate::ir::{Context, IrHost, Module, ValueId};
use crate::pdl::{Node, PatternId, ReferenceMatcher};

/// Limits of the search for the fragments of one rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    pub(super) instances: usize,
    pub(super) near_misses: usize,
    pub(super) attempts: usize,
}

/// A search for fragments of the rules of one set.
pub(super) struct FragmentSearch<'a> {
    pub(super) candidates: Candidates<'a>,
    pub(super) matcher: ReferenceMatcher<'a, IrHost>,
}

impl FragmentSearch<'_> {
    /// Finds fragments for a rule.
    pub(super) fn find(
        &mut self,
        pattern: PatternId,
        host: &mut IrHost,
        effort: &Effort,
        random: &mut Random,
    ) -> Fragments {
        let mut fragments = Fragments::default();
        let (rules, vocabulary) = (self.candidates.rules, self.candidates.vocabulary);
        let without_form = |node: &Node| {
            let name = &rules.strings[node.as_operation()?.name?];
            let id = host.context.find_op_name(name);
            let has_form = id.is_some_and(|id| vocabulary.forms_of(id).next().is_some());
            (!has_form).then(|| name.to_owned())
        };
        if let Some(name) = rules.patterns[pattern].matcher.iter().find_map(without_form) {
            fragments.no_instance = Some(NoInstance::Operation(name));
            return fragments;
        }
        let nodes = self.candidates.of_nodes(pattern, host);
        let mut built = 0;
        for _ in 0..effort.attempts {
            let Some(fragment) = attempt(&mut self.candidates, pattern, &nodes, host, random) else {
                continue;
            };
            built += 1;
            let matches = self.matches(pattern, &fragment, host);
            let (list, wanted) = match matches {
                true => (&mut fragments.instances, effort.instances),
                false => (&mut fragments.near_misses, effort.near_misses / 2),
            };
            if list.len() < wanted && !list.contains(&fragment) {
                list.push(fragment);
            }
            if fragments.instances.len() == effort.instances {
                break;
            }
        }
        if fragments.instances.is_empty() {
            let unsatisfied = self.candidates.unsatisfied(pattern, &nodes);
            fragments.no_instance = Some(match built {
                _ if !unsatisfied.is_empty() => NoInstance::Candidate(unsatisfied),
                0 => NoInstance::Structure(effort.attempts),
                _ => NoInstance::Constraints(built, self.candidates.constraints(pattern, |_| true)),
            });
        }
        for _ in 0..effort.near_misses * 8 {
            let Some(fragment) = random.pick(&fragments.instances) else { break };
            let Some(fragment) = self.mutate(fragment, host, random) else { continue };
            if !fragments.near_misses.contains(&fragment) && !self.matches(pattern, &fragment, host) {
                fragments.near_misses.push(fragment);
            }
            if fragments.near_misses.len() >= effort.near_misses {
                break;
            }
        }
        host.module = Module::new(&mut host.context);
        fragments
    }

    /// True if the rule matches at the root of a fragment in a module that contains nothing else.
    fn matches(&self, pattern: PatternId, fragment: &Fragment, host: &mut IrHost) -> bool {
        host.module = Module::new(&mut host.context);
        let body = host.module.body();
        let IrHost { context, module } = host;
        let inputs: Vec<ValueId> =
            fragment.inputs.iter().map(|&ty| module.add_arg(body, ty, Context::UNKNOWN)).collect();
        let ops = fragment.append(self.candidates.vocabulary, &inputs, module, context, body);
        self.matcher.matches_of(host, pattern, ops[fragment.root]).next().is_some()
    }

    /// The fragment with one random change; `None` if nothing fits at the drawn place, or if the changed operation does
    /// not verify.
    fn mutate(&self, fragment: &Fragment, host: &mut IrHost, random: &mut Random) -> Option<Fragment> {
        let Candidates { vocabulary, validator, .. } = self.candidates;
        let mut fragment = fragment.clone();
        let at = random.below(fragment.ops.len());
        let FragmentOp { instance, operands } = &mut fragment.ops[at];
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
                fragment.inputs.push(instance.operands[which]);
                operands[which] = FragmentValue::Input(fragment.inputs.len() - 1);
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
        vocabulary.is_valid(&fragment.ops[at].instance, host, validator).then_some(fragment)
    }
}
