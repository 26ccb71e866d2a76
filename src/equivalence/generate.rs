//! Generates random modules in which given rules match.
//!
//! A module has one or two functions over the operations that the rules mention. Values enter as arguments, leave
//! through `func.return`, and reach other blocks directly or as block arguments, so that only the operations of the
//! rules compute values. Inserted fragments take existing values as inputs, so that instances of rules use the results
//! of other instances.

use super::candidates::Candidates;
use super::fragment::{Fragment, Fragments, NoInstance};
use super::instance::Instance;
use super::random::Random;
use super::search::{Effort, FragmentSearch};
use super::vocabulary::{Validator, Vocabulary};
use crate::host::{Bind, Natives};
use crate::id::IdVec;
use crate::ir::{AttrKind, BlockId, Context, IrHost, Module, OpId, OpSpec, TypeId, TypeKind, ValueId};
use crate::pdl::{PatternId, ReferenceMatcher, RuleSet};
use crate::snippet::Linked;
use crate::source::Diagnostics;

/// The indices with which [`Random::fork`] derives the random decisions for the examples and for the cases. The indices
/// for the rules are smaller.
const EXAMPLES: u64 = u64::MAX - 1;
const CASES: u64 = u64::MAX;

/// The parameters of an [`IrGenerator`].
///
/// ```
/// use drrvm::equivalence::Config;
/// let config = Config::default().seed(7).max_pieces(10);
/// assert_eq!(config.seed, 7);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// The seed of all random decisions.
    pub seed: u64,
    /// The maximum number of instances of each rule.
    pub instances: usize,
    /// The maximum number of near-misses of each rule.
    pub near_misses: usize,
    /// The maximum number of attempts to find instances of a rule.
    pub attempts: usize,
    /// The maximum number of random pieces in the entry block of a function, and in the block after it. Other blocks
    /// have at most 2 pieces. A piece is an instance, a near-miss or another operation.
    pub max_pieces: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { seed: 0, instances: 8, near_misses: 8, attempts: 800, max_pieces: 5 }
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

    /// Sets [`Config::max_pieces`].
    #[must_use]
    pub fn max_pieces(mut self, max: usize) -> Self {
        self.max_pieces = max;
        self
    }
}

/// A generator of modules for rule sets. A module depends only on the rules, the natives, the [`Config`] and the number
/// of the case.
///
/// ```
/// use std::sync::Arc;
/// use drrvm::{LinkOptions, Matcher, Natives, RuleSet, compile};
/// use drrvm::equivalence::{Config, IrGenerator};
/// use drrvm::ir::{Context, IrHost, Module};
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
/// let program = Arc::new(compile::program(&rules)?);
/// let matcher = Matcher::link(program, &mut host, &natives, &LinkOptions::default())?;
/// let mut cache = matcher.cache();
/// let mut found = 0;
/// for case in 0..100 {
///     generator.generate(case, &mut host);
///     let mut ops = host.module.preorder(host.module.top());
///     found += usize::from(ops.any(|op| matcher.match_first(&host, op, &mut cache).is_some()));
/// }
/// assert!(found > 50);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct IrGenerator {
    vocabulary: Vocabulary,
    fragments: Vec<IdVec<PatternId, Fragments>>,
    /// The rules that have instances: the index of the rule set, and the rule.
    with_instances: Vec<(usize, PatternId)>,
    /// The rules that have near-misses, in the same form.
    with_near_misses: Vec<(usize, PatternId)>,
    random: Random,
    pieces: usize,
}

impl IrGenerator {
    /// Creates a generator for the rules of these sets, and interns names, types and attributes in the host. Modules
    /// can be generated in this host and in its copies.
    ///
    /// Runs the reference matcher for each rule: at most [`Config::attempts`] times to find instances, and at most 8 *
    /// [`Config::near_misses`] times to find near-misses.
    ///
    /// # Errors
    /// A rule does not verify, or a native that a match part calls is not registered with a fitting signature.
    pub fn new(
        sets: &[&RuleSet],
        host: &mut IrHost,
        natives: &Natives<IrHost>,
        config: &Config,
    ) -> Result<Self, Diagnostics> {
        let tables = sets.iter().map(|set| (&set.ops, &set.strings, &set.snippets));
        let validator = Validator::new(tables, host, natives);
        let random = Random::new(config.seed);
        let vocabulary = Vocabulary::new(sets, host, natives, &validator, &random.fork(EXAMPLES));
        let effort = Effort {
            instances: config.instances,
            near_misses: config.near_misses,
            attempts: config.attempts,
        };
        let mut fragments = Vec::new();
        let (mut with_instances, mut with_near_misses) = (Vec::new(), Vec::new());
        for (number, set) in sets.iter().enumerate() {
            let linked = Linked::link(&set.snippets, host, natives);
            let matcher = ReferenceMatcher::new(set, host, natives)?;
            let candidates = Candidates::new(set, &vocabulary, &validator, linked);
            let mut search = FragmentSearch { candidates, matcher };
            let mut of_set = IdVec::default();
            for pattern in set.patterns.ids() {
                // The random choices for a rule depend on the seed, the rule's id and its set, and not on the rules
                // before it.
                let mut random = random.fork(u64::from(pattern.raw()) << 8 | number as u64);
                let found = search.find(pattern, host, &effort, &mut random);
                if !found.instances.is_empty() {
                    with_instances.push((number, pattern));
                }
                if !found.near_misses.is_empty() {
                    with_near_misses.push((number, pattern));
                }
                of_set.push(found);
            }
            fragments.push(of_set);
        }
        let random = random.fork(CASES);
        Ok(Self {
            vocabulary,
            fragments,
            with_instances,
            with_near_misses,
            random,
            pieces: config.max_pieces.max(1),
        })
    }

    /// The rules of a set for which no instance was found, with the reasons. These rules seldom match in generated
    /// modules.
    pub fn without_instances(&self, set: usize) -> impl Iterator<Item = (PatternId, &NoInstance)> {
        let fragments = self.fragments.get(set).into_iter().flat_map(IdVec::iter_enumerated);
        fragments.filter_map(|(id, fragments)| Some((id, fragments.no_instance.as_ref()?)))
    }

    /// True if there are no operations to generate modules from.
    pub fn is_empty(&self) -> bool {
        self.vocabulary.forms.is_empty()
    }

    /// Replaces the host's module by the module of a case. The host must be the one that the generator was created
    /// with, or a copy of it.
    pub fn generate(&self, case: u64, host: &mut IrHost) {
        let mut random = self.random.fork(case);
        host.module = Module::new(&mut host.context);
        // The rules take turns, so that `with_instances.len()` consecutive cases contain an instance of each rule that
        // has instances.
        let turn =
            case.checked_rem(self.with_instances.len() as u64).and_then(|turn| usize::try_from(turn).ok());
        let mut first = turn.and_then(|turn| self.with_instances.get(turn)).copied();
        let functions = 1 + usize::from(random.percent(20));
        for number in 0..functions {
            Function::make(self, host, &mut random, number, first.take());
        }
    }
}

/// A value that can be an operand. A value with `preferred` is returned, yielded or passed to another block more often
/// than other values.
#[derive(Clone, Copy)]
struct Available {
    value: ValueId,
    ty: TypeId,
    preferred: bool,
}

/// A function under construction.
struct Function<'a> {
    generator: &'a IrGenerator,
    host: &'a mut IrHost,
    random: &'a mut Random,
    /// The entry block.
    entry: BlockId,
}

impl<'a> Function<'a> {
    /// Builds a function, which starts with an instance of the rule `first`, if there is one.
    fn make(
        generator: &'a IrGenerator,
        host: &'a mut IrHost,
        random: &'a mut Random,
        number: usize,
        first: Option<(usize, PatternId)>,
    ) {
        let name = host.context.op_name("func.func");
        let function = host.module.create(&OpSpec { regions: 1, ..OpSpec::new(name) });
        let body = host.module.body();
        host.module.append(body, function);
        let region = host.module.region(function, 0);
        let entry = host.module.append_block(region);
        Function { generator, host, random, entry }.body(function, number, first);
    }

    fn body(&mut self, function: OpId, number: usize, first: Option<(usize, PatternId)>) {
        let entry = self.entry;
        let region = self.host.module.region(function, 0);
        let mut available = Vec::new();
        if let Some((set, pattern)) = first {
            self.insert_fragment(entry, &mut available, 2, &self.generator.fragments[set][pattern].instances);
        }
        self.fill(entry, &mut available, self.generator.pieces, 2);
        let last = match self.random.below(10) {
            0..=5 => entry,
            6..=7 => {
                let next = self.host.module.append_block(region);
                let carried = self.carried(&available);
                self.branch(entry, next, &carried);
                self.enter(next, &carried, &mut available);
                self.fill(next, &mut available, self.generator.pieces, 2);
                next
            }
            _ => self.diamond(region, entry, &mut available),
        };
        let returned: Vec<Available> = available
            .iter()
            .copied()
            .filter(|available| self.random.percent(if available.preferred { 85 } else { 8 }))
            .collect();
        let values: Vec<ValueId> = returned.iter().map(|available| available.value).collect();
        self.end(last, "func.return", &values, &[], None);
        let IrHost { context, module } = self.host;
        let inputs = module.args(entry).iter().map(|&arg| module.value_type(arg)).collect();
        let results = returned.iter().map(|available| available.ty).collect();
        let ty = context.intern_type(TypeKind::Function { inputs, results });
        let ty = context.intern_attr(AttrKind::Type(ty));
        let symbol = context.string_attr(&format!("f{number}"));
        let (ty_name, symbol_name) = (context.attr_name("function_type"), context.attr_name("sym_name"));
        let properties = context.dictionary(&mut vec![(ty_name, ty), (symbol_name, symbol)]);
        module.set_properties(function, properties);
    }

    /// Appends a conditional branch, its two blocks, and a block that joins them. Returns the last block.
    fn diamond(
        &mut self,
        region: crate::ir::RegionId,
        entry: BlockId,
        available: &mut Vec<Available>,
    ) -> BlockId {
        let [left, right, join] = [(); 3].map(|()| self.host.module.append_block(region));
        let condition = self.host.context.signless(1);
        let condition = self.value(condition, available);
        let sizes = self.host.bind_attr("array<i32: 1, 0, 0>");
        self.end(entry, "cf.cond_br", &[condition], &[left, right], sizes);
        let before = available.len();
        let mut in_left = available.clone();
        self.fill(left, &mut in_left, 2, 1);
        let carried: Vec<Available> = self.carried(&in_left);
        self.branch(left, join, &carried);
        let mut in_right = available.clone();
        self.fill(right, &mut in_right, 2, 1);
        // Both predecessors pass values of the same types.
        let other: Vec<Available> = carried
            .iter()
            .map(|&Available { ty, .. }| Available { value: self.value(ty, &in_right), ty, preferred: true })
            .collect();
        self.branch(right, join, &other);
        available.truncate(before);
        self.enter(join, &carried, available);
        self.fill(join, available, 2, 1);
        join
    }

    /// Chooses a few values to pass to the next block.
    fn carried(&mut self, available: &[Available]) -> Vec<Available> {
        let mut carried: Vec<Available> = available
            .iter()
            .copied()
            .filter(|available| available.preferred && self.random.percent(50))
            .collect();
        carried.truncate(3);
        carried
    }

    fn branch(&mut self, from: BlockId, to: BlockId, carried: &[Available]) {
        let values: Vec<ValueId> = carried.iter().map(|available| available.value).collect();
        self.end(from, "cf.br", &values, &[to], None);
    }

    fn enter(&mut self, block: BlockId, carried: &[Available], available: &mut Vec<Available>) {
        for &Available { ty, .. } in carried {
            let value = self.host.module.add_arg(block, ty, Context::UNKNOWN);
            available.push(Available { value, ty, preferred: true });
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

    /// Inserts random pieces at the end of a block.
    fn fill(&mut self, block: BlockId, available: &mut Vec<Available>, pieces: usize, depth: usize) {
        for _ in 0..1 + self.random.below(pieces) {
            match self.random.below(100) {
                0..60 => {
                    let Some(&(set, pattern)) = self.random.pick(&self.generator.with_instances) else {
                        continue;
                    };
                    self.insert_fragment(
                        block,
                        available,
                        depth,
                        &self.generator.fragments[set][pattern].instances,
                    );
                }
                60..80 => {
                    let Some(&(set, pattern)) = self.random.pick(&self.generator.with_near_misses) else {
                        continue;
                    };
                    self.insert_fragment(
                        block,
                        available,
                        depth,
                        &self.generator.fragments[set][pattern].near_misses,
                    );
                }
                80..93 => self.random_op(block, available, depth),
                _ if depth > 0 => self.region(block, available, depth),
                _ => {}
            }
        }
    }

    /// Inserts one of the fragments.
    fn insert_fragment(
        &mut self,
        block: BlockId,
        available: &mut Vec<Available>,
        depth: usize,
        fragments: &'a [Fragment],
    ) {
        let generator = self.generator;
        let Some(fragment) = self.random.pick(fragments) else { return };
        let ends = fragment.ops.iter().position(|op| op.instance.terminator);
        let block = match ends {
            None => block,
            // A terminator needs a separate block.
            Some(at) if at + 1 == fragment.ops.len() => self.empty_region(block),
            Some(_) => return,
        };
        let inputs: Vec<ValueId> = fragment.inputs.iter().map(|&ty| self.value(ty, available)).collect();
        let IrHost { context, module } = self.host;
        let ops = fragment.append(&generator.vocabulary, &inputs, module, context, block);
        for (i, &op) in ops.iter().enumerate() {
            self.inside(op, available, depth);
            if ends.is_none() {
                self.offer(op, available, i == fragment.root);
            }
        }
    }

    /// Inserts a random operation.
    fn random_op(&mut self, block: BlockId, available: &mut Vec<Available>, depth: usize) {
        let generator = self.generator;
        let Some(instance) =
            self.random.pick(&generator.vocabulary.examples).and_then(|examples| self.random.pick(examples))
        else {
            return;
        };
        let operands: Vec<ValueId> = instance.operands.iter().map(|&ty| self.value(ty, available)).collect();
        let op = self.append(instance, &operands, block);
        self.inside(op, available, depth);
        self.offer(op, available, true);
    }

    fn append(&mut self, instance: &Instance, operands: &[ValueId], block: BlockId) -> OpId {
        let IrHost { context, module } = self.host;
        self.generator.vocabulary.append(instance, operands, module, context, block)
    }

    /// Inserts an operation with a region, and pieces in this region.
    fn region(&mut self, block: BlockId, available: &[Available], depth: usize) {
        let inner = self.empty_region(block);
        let mut inside = available.to_vec();
        self.fill(inner, &mut inside, 2, depth - 1);
        let values: Vec<ValueId> = inside[available.len().min(inside.len())..]
            .iter()
            .filter(|available| available.preferred)
            .map(|available| available.value)
            .collect();
        let end = self.generator.vocabulary.end;
        let end = self.host.module.create(&OpSpec::new(end).operands(&values));
        self.host.module.append(inner, end);
    }

    fn empty_region(&mut self, block: BlockId) -> BlockId {
        let module = &mut self.host.module;
        let op = module.create(&OpSpec { regions: 1, ..OpSpec::new(self.generator.vocabulary.region) });
        module.append(block, op);
        module.append_block(module.region(op, 0))
    }

    /// Inserts pieces into the regions of an operation, before the terminators.
    fn inside(&mut self, op: OpId, available: &[Available], depth: usize) {
        if depth == 0 {
            return;
        }
        for region in self.host.module.regions(op).to_vec() {
            let Some(block) = self.host.module.first_block(region) else { continue };
            let Some(end) = self.host.module.last_op(block).filter(|_| self.random.percent(50)) else {
                continue;
            };
            self.host.module.detach(end);
            let mut inside = available.to_vec();
            self.fill(block, &mut inside, 1, depth - 1);
            let values: Vec<ValueId> = inside[available.len()..]
                .iter()
                .filter(|available| available.preferred)
                .map(|available| available.value)
                .collect();
            self.host.module.set_operands(end, &values);
            self.host.module.append(block, end);
        }
    }

    fn offer(&mut self, op: OpId, available: &mut Vec<Available>, preferred: bool) {
        for value in self.host.module.results(op) {
            available.push(Available { value, ty: self.host.module.value_type(value), preferred });
        }
    }

    /// A value of a type: one of the last three available values of the type, or an existing or new argument of the
    /// function.
    fn value(&mut self, ty: TypeId, available: &[Available]) -> ValueId {
        let fitting: Vec<ValueId> = available
            .iter()
            .filter(|available| available.ty == ty)
            .map(|available| available.value)
            .collect();
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
