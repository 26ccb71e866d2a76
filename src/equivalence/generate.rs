//! Random modules in which given rules have something to do.
//!
//! A module is a few functions over operations that the rules mention. Values come in as arguments, go out
//! through `func.return`, and cross blocks as block arguments, so that nothing but the rules' own operations
//! has a meaning. What is planted takes its inputs from what is there: instances of rules grow into deep
//! nests of each other.

use hashbrown::HashSet;

use super::Random;
use super::instance::Instance;
use super::plan::{Effort, Plan, Planner, Plans};
use super::vocabulary::{Judge, Vocabulary};
use crate::host::{Bind, Natives};
use crate::id::IdVec;
use crate::ir::{AttrKind, BlockId, Context, IrHost, Module, OpId, OpSpec, TypeId, TypeKind, ValueId};
use crate::pdl::{PatternId, ReferenceMatcher, RuleSet};
use crate::snippet::Linked;
use crate::source::Diagnostics;

/// How modules are made.
///
/// ```
/// use drrvm::equivalence::Config;
/// let config = Config::default().seed(7).pieces(10);
/// assert_eq!(config.seed, 7);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// What all decisions follow from.
    pub seed: u64,
    /// How many instances of each rule are kept, to be planted in turn.
    pub instances: usize,
    /// How many near-misses of each rule are kept.
    pub near_misses: usize,
    /// How often an instance of a rule is looked for.
    pub attempts: usize,
    /// How many things are planted in a block at most.
    pub pieces: usize,
    /// Whether to leave out operations that not every rule set mentions, and rules that match them.
    pub common: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { seed: 0, instances: 8, near_misses: 8, attempts: 800, pieces: 5, common: false }
    }
}

impl Config {
    /// Sets [`Config::seed`].
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets [`Config::instances`] and [`Config::near_misses`].
    #[must_use]
    pub fn instances(mut self, count: usize) -> Self {
        (self.instances, self.near_misses) = (count, count);
        self
    }

    /// Sets [`Config::attempts`].
    #[must_use]
    pub fn attempts(mut self, count: usize) -> Self {
        self.attempts = count;
        self
    }

    /// Sets [`Config::pieces`].
    #[must_use]
    pub fn pieces(mut self, count: usize) -> Self {
        self.pieces = count;
        self
    }

    /// Sets [`Config::common`].
    #[must_use]
    pub fn common(mut self, common: bool) -> Self {
        self.common = common;
        self
    }
}

/// Makes modules for rule sets: the same module for the same rules, seed and case, always.
///
/// ```
/// use drrvm::equivalence::{Config, IrGenerator};
/// use drrvm::host::{Ir, Natives};
/// use drrvm::ir::{Context, IrHost, Module};
/// use drrvm::pdl::{ReferenceMatcher, RuleSet};
/// # fn main() -> Result<(), drrvm::source::Diagnostics> {
/// let mut rules = RuleSet::default();
/// let mut rule = rules.pattern("twice", 1);
/// let x = rule.value();
/// let inner = rule.op("my.neg").operand(x).matched();
/// let value = rule.result(inner, 0);
/// let outer = rule.op("my.neg").operand(value).matched();
/// rule.replace(outer, [x]);
/// rule.finish()?;
///
/// let mut context = Context::new();
/// let module = Module::new(&mut context);
/// let mut host = IrHost::new(context, module);
/// let natives = Natives::new();
/// let generator = IrGenerator::new(&[&rules], &mut host, &natives, &Config::default())?;
/// let matcher = ReferenceMatcher::new(&rules, &mut host, &natives)?;
/// let mut found = 0;
/// for case in 0..100 {
///     generator.generate(case, &mut host);
///     found += host.module.preorder(host.module.top()).flat_map(|op| matcher.matches(&host, op)).count();
/// }
/// assert!(found > 100);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct IrGenerator {
    words: Vocabulary,
    plans: Vec<IdVec<PatternId, Plans>>,
    /// The rules that have an instance, or a near-miss.
    planted: Vec<(usize, PatternId)>,
    missed: Vec<(usize, PatternId)>,
    random: Random,
    pieces: usize,
}

impl IrGenerator {
    /// A generator for the rules of these sets, and what they need of it made in a host. Modules are made in
    /// the context of that host, or of a copy of it.
    ///
    /// Asks the reference matcher up to [`Config::attempts`] times for each rule.
    ///
    /// # Errors
    /// Every native constraint that nobody registered.
    pub fn new(
        sets: &[&RuleSet],
        host: &mut IrHost,
        natives: &Natives<IrHost>,
        config: &Config,
    ) -> Result<Self, Diagnostics> {
        let names: Vec<HashSet<&str>> = sets
            .iter()
            .map(|set| set.mentioned_ops().into_iter().map(|name| &set.strings[name]).collect())
            .collect();
        let keep = |name: &str| !config.common || names.iter().all(|names| names.contains(name));
        let tables = sets.iter().map(|set| (&set.ops, &set.strings, &set.snippets));
        let judge = Judge::new(tables, host, natives);
        let random = Random::new(config.seed);
        let words = Vocabulary::new(sets, host, natives, &judge, &keep, &random.fork(u64::MAX - 1));
        let effort = Effort {
            instances: config.instances,
            near_misses: config.near_misses,
            attempts: config.attempts,
        };
        let mut plans = Vec::new();
        let (mut planted, mut missed) = (Vec::new(), Vec::new());
        for (number, set) in sets.iter().enumerate() {
            let linked = Linked::link(&set.snippets, host, natives);
            let matcher = ReferenceMatcher::new(set, host, natives)?;
            let mut planner = Planner::new(set, &words, &judge, matcher, linked);
            let mut of_set = IdVec::default();
            for pattern in set.patterns.ids() {
                // A rule's plans follow from the seed and its place alone, not from the rules before it.
                let mut random = random.fork(u64::from(pattern.raw()) << 8 | number as u64);
                let found = planner.plan(pattern, host, &effort, &mut random);
                if !found.instances.is_empty() {
                    planted.push((number, pattern));
                }
                if !found.near_misses.is_empty() {
                    missed.push((number, pattern));
                }
                of_set.push(found);
            }
            plans.push(of_set);
        }
        let random = random.fork(u64::MAX);
        Ok(Self { words, plans, planted, missed, random, pieces: config.pieces.max(1) })
    }

    /// The rules of a set that no instance was found of, so that they are seldom or never met.
    pub fn unplanned(&self, set: usize) -> Vec<PatternId> {
        let Some(plans) = self.plans.get(set) else { return Vec::new() };
        plans.iter_enumerated().filter(|(_, plans)| plans.instances.is_empty()).map(|(id, _)| id).collect()
    }

    /// Whether there is no operation to make IR of.
    pub fn is_empty(&self) -> bool {
        self.words.forms.is_empty()
    }

    /// Makes the module of a case the host's; that is the one the generator was made with, or a copy of it.
    pub fn generate(&self, case: u64, host: &mut IrHost) {
        let mut random = self.random.fork(case);
        host.module = Module::new(&mut host.context);
        let functions = 1 + usize::from(random.percent(20));
        for number in 0..functions {
            Function::make(self, host, &mut random, number);
        }
    }
}

/// A value to take as operand, and whether it is what a rule is about.
#[derive(Clone, Copy)]
struct Seen {
    value: ValueId,
    ty: TypeId,
    wanted: bool,
}

/// One function in the making.
struct Function<'a> {
    all: &'a IrGenerator,
    host: &'a mut IrHost,
    random: &'a mut Random,
    /// The block whose arguments are the function's.
    entry: BlockId,
}

impl<'a> Function<'a> {
    fn make(all: &'a IrGenerator, host: &'a mut IrHost, random: &'a mut Random, number: usize) {
        let name = host.context.op_name("func.func");
        let function = host.module.create(&OpSpec { regions: 1, ..OpSpec::new(name) });
        let body = host.module.body();
        host.module.append(body, function);
        let region = host.module.region(function, 0);
        let entry = host.module.append_block(region);
        Function { all, host, random, entry }.body(function, number);
    }

    fn body(&mut self, function: OpId, number: usize) {
        let entry = self.entry;
        let region = self.host.module.region(function, 0);
        let mut seen = Vec::new();
        self.fill(entry, &mut seen, self.all.pieces, 2);
        let last = match self.random.below(10) {
            0..=5 => entry,
            6..=7 => {
                let next = self.host.module.append_block(region);
                let carried = self.carried(&seen);
                self.branch(entry, next, &carried);
                self.enter(next, &carried, &mut seen);
                self.fill(next, &mut seen, self.all.pieces, 2);
                next
            }
            _ => self.diamond(region, entry, &mut seen),
        };
        let returned: Vec<Seen> = seen
            .iter()
            .copied()
            .filter(|seen| self.random.percent(if seen.wanted { 85 } else { 8 }))
            .collect();
        let values: Vec<ValueId> = returned.iter().map(|seen| seen.value).collect();
        self.end(last, "func.return", &values, &[], None);
        let IrHost { context, module } = self.host;
        let inputs = module.args(entry).iter().map(|&arg| module.value_type(arg)).collect();
        let results = returned.iter().map(|seen| seen.ty).collect();
        let ty = context.intern_type(TypeKind::Function { inputs, results });
        let ty = context.intern_attr(AttrKind::Type(ty));
        let symbol = context.string_attr(&format!("f{number}"));
        let (ty_name, symbol_name) = (context.attr_name("function_type"), context.attr_name("sym_name"));
        let properties = context.dictionary(&mut vec![(ty_name, ty), (symbol_name, symbol)]);
        module.set_properties(function, properties);
    }

    /// A condition, two blocks, and one after both.
    fn diamond(&mut self, region: crate::ir::RegionId, entry: BlockId, seen: &mut Vec<Seen>) -> BlockId {
        let [left, right, join] = [(); 3].map(|()| self.host.module.append_block(region));
        let condition = self.host.context.signless(1);
        let condition = self.value(condition, seen);
        let sizes = self.host.bind_attr("array<i32: 1, 0, 0>");
        self.end(entry, "cf.cond_br", &[condition], &[left, right], sizes);
        let before = seen.len();
        let mut in_left = seen.clone();
        self.fill(left, &mut in_left, 2, 1);
        let carried: Vec<Seen> = self.carried(&in_left);
        self.branch(left, join, &carried);
        let mut in_right = seen.clone();
        self.fill(right, &mut in_right, 2, 1);
        // The other block gives values of the same types.
        let other: Vec<Seen> = carried
            .iter()
            .map(|&Seen { ty, .. }| Seen { value: self.value(ty, &in_right), ty, wanted: true })
            .collect();
        self.branch(right, join, &other);
        seen.truncate(before);
        self.enter(join, &carried, seen);
        self.fill(join, seen, 2, 1);
        join
    }

    /// A few values for the block after this one.
    fn carried(&mut self, seen: &[Seen]) -> Vec<Seen> {
        let mut carried: Vec<Seen> =
            seen.iter().copied().filter(|seen| seen.wanted && self.random.percent(50)).collect();
        carried.truncate(3);
        carried
    }

    fn branch(&mut self, from: BlockId, to: BlockId, carried: &[Seen]) {
        let values: Vec<ValueId> = carried.iter().map(|seen| seen.value).collect();
        self.end(from, "cf.br", &values, &[to], None);
    }

    fn enter(&mut self, block: BlockId, carried: &[Seen], seen: &mut Vec<Seen>) {
        for &Seen { ty, .. } in carried {
            let value = self.host.module.add_arg(block, ty, Context::UNKNOWN);
            seen.push(Seen { value, ty, wanted: true });
        }
    }

    fn end(
        &mut self,
        block: BlockId,
        name: &str,
        operands: &[ValueId],
        successors: &[BlockId],
        sizes: Option<crate::ir::AttrId>,
    ) {
        let IrHost { context, module } = self.host;
        let name = context.op_name(name);
        let mut properties = Vec::new();
        if let Some(sizes) = sizes {
            properties.push((context.attr_name("operandSegmentSizes"), sizes));
        }
        let properties = context.dictionary(&mut properties);
        let spec = OpSpec { successors, properties, ..OpSpec::new(name).operands(operands) };
        let op = module.create(&spec);
        module.append(block, op);
    }

    /// Plants things at the end of a block.
    fn fill(&mut self, block: BlockId, seen: &mut Vec<Seen>, pieces: usize, depth: usize) {
        for _ in 0..1 + self.random.below(pieces) {
            match self.random.below(100) {
                0..60 => self.plant(block, seen, depth, &self.all.planted, |plans| &plans.instances),
                60..80 => self.plant(block, seen, depth, &self.all.missed, |plans| &plans.near_misses),
                80..93 => self.any(block, seen, depth),
                _ if depth > 0 => self.region(block, seen, depth),
                _ => {}
            }
        }
    }

    /// Plants an instance or near-miss of a rule.
    fn plant(
        &mut self,
        block: BlockId,
        seen: &mut Vec<Seen>,
        depth: usize,
        rules: &[(usize, PatternId)],
        list: impl Fn(&Plans) -> &Vec<Plan>,
    ) {
        let all = self.all;
        let Some(&(set, pattern)) = self.random.pick(rules) else { return };
        let Some(plan) = self.random.pick(list(&all.plans[set][pattern])) else { return };
        let ends = plan.ops.iter().position(|op| op.instance.terminator);
        let block = match ends {
            None => block,
            // What ends a block gets one of its own.
            Some(at) if at + 1 == plan.ops.len() => self.empty_region(block),
            Some(_) => return,
        };
        let inputs: Vec<ValueId> = plan.inputs.iter().map(|&ty| self.value(ty, seen)).collect();
        let IrHost { context, module } = self.host;
        let ops = plan.append(&all.words, &inputs, module, context, block);
        for (i, &op) in ops.iter().enumerate() {
            self.inside(op, seen, depth);
            if ends.is_none() {
                self.see(op, seen, i == plan.root);
            }
        }
    }

    /// Plants any operation.
    fn any(&mut self, block: BlockId, seen: &mut Vec<Seen>, depth: usize) {
        let all = self.all;
        let Some(instance) = self.random.pick(&all.words.examples).and_then(|all| self.random.pick(all))
        else {
            return;
        };
        let operands: Vec<ValueId> = instance.operands.iter().map(|&ty| self.value(ty, seen)).collect();
        let op = self.append(instance, &operands, block);
        self.inside(op, seen, depth);
        self.see(op, seen, true);
    }

    fn append(&mut self, instance: &Instance, operands: &[ValueId], block: BlockId) -> OpId {
        let IrHost { context, module } = self.host;
        self.all.words.append(instance, operands, module, context, block)
    }

    /// Plants an operation with a region that things are planted in.
    fn region(&mut self, block: BlockId, seen: &[Seen], depth: usize) {
        let inner = self.empty_region(block);
        let mut inside = seen.to_vec();
        self.fill(inner, &mut inside, 2, depth - 1);
        let values: Vec<ValueId> = inside[seen.len().min(inside.len())..]
            .iter()
            .filter(|seen| seen.wanted)
            .map(|seen| seen.value)
            .collect();
        let end = self.all.words.end;
        let end = self.host.module.create(&OpSpec::new(end).operands(&values));
        self.host.module.append(inner, end);
    }

    fn empty_region(&mut self, block: BlockId) -> BlockId {
        let module = &mut self.host.module;
        let op = module.create(&OpSpec { regions: 1, ..OpSpec::new(self.all.words.region) });
        module.append(block, op);
        module.append_block(module.region(op, 0))
    }

    /// Plants things in the regions of an operation, before what ends them.
    fn inside(&mut self, op: OpId, seen: &[Seen], depth: usize) {
        if depth == 0 {
            return;
        }
        for region in self.host.module.regions(op).to_vec() {
            let Some(block) = self.host.module.first_block(region) else { continue };
            let Some(end) = self.host.module.last_op(block).filter(|_| self.random.percent(50)) else {
                continue;
            };
            self.host.module.detach(end);
            let mut inside = seen.to_vec();
            self.fill(block, &mut inside, 1, depth - 1);
            let values: Vec<ValueId> =
                inside[seen.len()..].iter().filter(|seen| seen.wanted).map(|seen| seen.value).collect();
            self.host.module.set_operands(end, &values);
            self.host.module.append(block, end);
        }
    }

    fn see(&mut self, op: OpId, seen: &mut Vec<Seen>, wanted: bool) {
        for value in self.host.module.results(op) {
            seen.push(Seen { value, ty: self.host.module.value_type(value), wanted });
        }
    }

    /// A value of a type: one that is there, late ones likelier, or a new argument of the function.
    fn value(&mut self, ty: TypeId, seen: &[Seen]) -> ValueId {
        let fitting: Vec<ValueId> = seen.iter().filter(|seen| seen.ty == ty).map(|seen| seen.value).collect();
        if !fitting.is_empty() && self.random.percent(60) {
            let late = fitting.len().saturating_sub(3);
            return *self.random.pick(&fitting[late..]).unwrap_or(&fitting[0]);
        }
        let entry = self.entry;
        let args: Vec<ValueId> = self.host.module.args(entry).to_vec();
        let fitting: Vec<ValueId> =
            args.into_iter().filter(|&arg| self.host.module.value_type(arg) == ty).collect();
        if !fitting.is_empty() && self.random.percent(40) {
            return fitting[self.random.below(fitting.len())];
        }
        self.host.module.add_arg(entry, ty, Context::UNKNOWN)
    }
}
