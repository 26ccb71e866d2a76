//! Instances and near-misses of rules: small pieces of IR that a generator plants.
//!
//! Specification: at the root of an instance the rule matches, so says the reference matcher; a near-miss
//! differs from an instance in one thing, or agrees with the rule in everything that one node says, and the
//! rule does not match.
//!
//! Method: pieces that have what the rule asks for are tried ([`super::attempt`]), and the reference matcher is
//! asked. What relates several things (two types are equal, one width is the sum of two) is found by drawing
//! again.

use hashbrown::HashMap;

use super::Random;
use super::attempt::{Allowed, Tests};
use super::instance::{Instance, Wanted};
use super::vocabulary::{Judge, Vocabulary};
use crate::host::{Bind, Entity, Kind};
use crate::ir::{AttrId, BlockId, Context, IrHost, Module, OpId, TypeId, ValueId};
use crate::pdl::{Arg, Callee, Constant, Node, NodeId, PatternId, ReferenceMatcher, RuleSet};
use crate::snippet::{Linked, SnippetId};

/// A piece of IR: operations over inputs, in an order in which they can stand in a block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Plan {
    pub(super) inputs: Vec<TypeId>,
    pub(super) ops: Vec<PlannedOp>,
    /// Which operation the rule is meant for.
    pub(super) root: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PlannedOp {
    pub(super) instance: Instance,
    pub(super) operands: Vec<PlannedValue>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PlannedValue {
    Input(usize),
    Result { op: usize, index: usize },
}

/// What was found for one rule.
#[derive(Clone, Debug, Default)]
pub(super) struct Plans {
    pub(super) instances: Vec<Plan>,
    pub(super) near_misses: Vec<Plan>,
}

/// How much to look for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    pub(super) instances: usize,
    pub(super) near_misses: usize,
    pub(super) attempts: usize,
}

/// Finds plans for the rules of one set.
pub(super) struct Planner<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) words: &'a Vocabulary,
    pub(super) judge: &'a Judge,
    matcher: ReferenceMatcher<'a, IrHost>,
    linked: Linked<IrHost>,
    attrs: HashMap<Constant, Option<AttrId>>,
    types: HashMap<Constant, Option<TypeId>>,
    /// The attributes that pass a rule's test of storage.
    pub(super) stored: HashMap<SnippetId, Vec<AttrId>>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(
        rules: &'a RuleSet,
        words: &'a Vocabulary,
        judge: &'a Judge,
        matcher: ReferenceMatcher<'a, IrHost>,
        linked: Linked<IrHost>,
    ) -> Self {
        let (attrs, types, stored) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { rules, words, judge, matcher, linked, attrs, types, stored }
    }

    /// Plans for a rule.
    pub(super) fn plan(
        &mut self,
        pattern: PatternId,
        host: &mut IrHost,
        effort: &Effort,
        random: &mut Random,
    ) -> Plans {
        let mut found = Plans::default();
        let part = &self.rules.patterns[pattern].matcher;
        let known = |node: &Node| match node.as_operation().and_then(|op| op.name) {
            Some(name) => {
                let name = host.context.find_op_name(&self.rules.strings[name]);
                name.is_some_and(|name| self.words.by_name.contains_key(&name))
            }
            None => true,
        };
        if !part.iter().all(known) || self.words.forms.is_empty() {
            return found;
        }
        let tests = self.tests(pattern, host);
        for _ in 0..effort.attempts {
            let Some(plan) = self.attempt(pattern, &tests, host, random) else { continue };
            let matches = self.matches(pattern, &plan, host);
            let (list, wanted) = match matches {
                true => (&mut found.instances, effort.instances),
                false => (&mut found.near_misses, effort.near_misses / 2),
            };
            if list.len() < wanted && !list.contains(&plan) {
                list.push(plan);
            }
            if found.instances.len() == effort.instances {
                break;
            }
        }
        for _ in 0..effort.near_misses * 8 {
            let Some(plan) = random.pick(&found.instances) else { break };
            let Some(plan) = self.changed(plan, host, random) else { continue };
            if !found.near_misses.contains(&plan) && !self.matches(pattern, &plan, host) {
                found.near_misses.push(plan);
            }
            if found.near_misses.len() >= effort.near_misses {
                break;
            }
        }
        host.module = Module::new(&mut host.context);
        found
    }

    /// Whether the rule matches at the root of a plan that stands alone.
    fn matches(&self, pattern: PatternId, plan: &Plan, host: &mut IrHost) -> bool {
        host.module = Module::new(&mut host.context);
        let body = host.module.body();
        let IrHost { context, module } = host;
        let inputs: Vec<ValueId> =
            plan.inputs.iter().map(|&ty| module.add_arg(body, ty, Context::UNKNOWN)).collect();
        let ops = plan.append(self.words, &inputs, module, context, body);
        self.matcher.matches_of(host, pattern, ops[plan.root]).next().is_some()
    }

    /// For each node the constraints that speak of it alone.
    fn tests(&mut self, pattern: PatternId, host: &mut IrHost) -> Tests {
        let rules = self.rules;
        let part = &rules.patterns[pattern].matcher;
        let mut tests: Tests = part.iter().map(|_| None).collect();
        let mut calls: HashMap<NodeId, Vec<SnippetId>> = HashMap::new();
        for call in &part.constraints {
            if let ([Arg::Of(node)], Callee::Snippet(snippet), true, false) =
                (&call.args[..], call.callee, call.results.is_empty(), call.negated)
            {
                calls.entry(*node).or_default().push(snippet);
            }
        }
        for (id, node) in part.iter_enumerated() {
            let Some(snippets) = calls.get(&id) else { continue };
            let holds = |thing: Entity<IrHost>, host: &IrHost| {
                snippets.iter().all(|&snippet| {
                    matches!(
                        self.linked.holds(&rules.snippets, snippet, host, std::slice::from_ref(&thing)),
                        Ok(Some(_))
                    )
                })
            };
            match node.kind() {
                Kind::Attr => {
                    let all = self.words.pool.attrs.iter().copied();
                    tests[id] = Some(Allowed::Attrs(
                        all.filter(|&attr| holds(Entity::Attr(Some(attr)), host)).collect(),
                        holds(Entity::Attr(None), host),
                    ));
                }
                Kind::Type => {
                    let all = self.words.pool.types.iter().copied();
                    tests[id] =
                        Some(Allowed::Types(all.filter(|&ty| holds(Entity::Type(ty), host)).collect()));
                }
                _ => {}
            }
        }
        for node in part.iter() {
            let Some(op) = node.as_operation() else { continue };
            for edge in &op.attributes {
                let Some(storage) = edge.storage else { continue };
                self.stored.entry(storage).or_insert_with(|| {
                    let all = self.words.pool.attrs.iter().copied();
                    let holds = |attr: &AttrId| {
                        let thing = [Entity::Attr(Some(*attr))];
                        matches!(self.linked.holds(&rules.snippets, storage, host, &thing), Ok(Some(_)))
                    };
                    all.filter(holds).collect()
                });
            }
        }
        tests
    }

    /// A constant of the rules.
    pub(super) fn attr(&mut self, constant: Constant, host: &mut IrHost) -> Option<AttrId> {
        let (rules, linked) = (self.rules, &self.linked);
        *self.attrs.entry(constant).or_insert_with(|| match constant {
            Constant::Text(text) => host.bind_attr(&rules.strings[text]),
            Constant::Snippet(id) => match linked.make(&rules.snippets, id, host) {
                Ok(Entity::Attr(attr)) => attr,
                _ => None,
            },
        })
    }

    /// A type constant of the rules.
    pub(super) fn ty(&mut self, constant: Constant, host: &mut IrHost) -> Option<TypeId> {
        let (rules, linked) = (self.rules, &self.linked);
        *self.types.entry(constant).or_insert_with(|| match constant {
            Constant::Text(text) => host.bind_type(&rules.strings[text]),
            Constant::Snippet(id) => match linked.make(&rules.snippets, id, host) {
                Ok(Entity::Type(ty)) => Some(ty),
                _ => None,
            },
        })
    }

    /// The plan with one thing changed, if it is still well typed.
    fn changed(&self, plan: &Plan, host: &mut IrHost, random: &mut Random) -> Option<Plan> {
        let mut plan = plan.clone();
        let at = random.below(plan.ops.len());
        let PlannedOp { instance, operands } = &mut plan.ops[at];
        match random.below(5) {
            // Another attribute, or none.
            0 if !instance.attributes.is_empty() => {
                let which = random.below(instance.attributes.len());
                match random.percent(20) {
                    true => {
                        instance.attributes.remove(which);
                    }
                    false => instance.attributes[which].1 = *random.pick(&self.words.pool.attrs)?,
                }
            }
            // What an operand was before is cut off.
            1 | 2 if !operands.is_empty() => {
                let which = random.below(operands.len());
                plan.inputs.push(instance.operands[which]);
                operands[which] = PlannedValue::Input(plan.inputs.len() - 1);
            }
            // Two operands change places.
            3 if operands.len() > 1 => {
                let (a, b) = (random.below(operands.len()), random.below(operands.len()));
                operands.swap(a, b);
                instance.operands.swap(a, b);
            }
            // Another operation.
            _ => {
                let other = random.pick(&self.words.forms)?;
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
                let other = self.words.instance(other, host, self.judge, &wanted, random)?;
                if other.operands.len() != operands.len() || other.results.len() != instance.results.len() {
                    return None;
                }
                *instance = other;
            }
        }
        self.words.is_valid(&plan.ops[at].instance, host, self.judge).then_some(plan)
    }
}

impl Plan {
    /// Makes the operations at the end of a block.
    pub(super) fn append(
        &self,
        words: &Vocabulary,
        inputs: &[ValueId],
        module: &mut Module,
        context: &mut Context,
        block: BlockId,
    ) -> Vec<OpId> {
        let mut made: Vec<OpId> = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            let value = |value: &PlannedValue| match *value {
                PlannedValue::Input(index) => inputs[index],
                PlannedValue::Result { op, index } => {
                    module.results(made[op]).nth(index).expect("a plan names results that there are")
                }
            };
            let operands: Vec<ValueId> = op.operands.iter().map(value).collect();
            made.push(words.append(&op.instance, &operands, module, context, block));
        }
        made
    }
}
