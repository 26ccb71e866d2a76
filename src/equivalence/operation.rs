//! The operations that random IR consists of: what each looks like, and random instances of it.
//!
//! Specification: an instance has the operands, attributes and results that its definition asks for, and
//! verification, by definitions and of the built-in dialects, finds nothing wrong with it.
//!
//! A definition comes from the operation table, or, for an operation that nobody described, from the places
//! where rules match or make it. Method: types and attributes are drawn from those candidates that satisfy
//! the constraint of their place; places that must agree share one draw; whatever relates several is left
//! to who verifies, and drawn again.

use hashbrown::HashMap;

use super::Random;
use super::pool::Pool;
use super::semantics::casts_well;
use crate::host::{AttrNameId, Bind, Entity, Natives, OpNameId};
use crate::intern::{Interner, StrId};
use crate::ir::{
    self, AttrId, AttrKind, BlockId, Context, IrHost, Module, OpId, OpSpec, OpTraits, TypeId, ValueId,
};
use crate::ods_verify::Definitions;
use crate::pdl::{
    Arity, GroupSplit, OpDef, OpTable, OperandGroup, OperationNode, Pattern, PatternId, ResultTypes, RuleSet,
    Segments, Step, Trait, TypeRecipe, ValueDef, ValueSource,
};
use crate::snippet::{Linked, SnippetId, Snippets};

/// An operation of no dialect that holds a region, so that rules meet IR that is nested.
pub(super) const REGION: &str = "drrvm.region";
/// What ends the blocks in regions.
pub(super) const YIELD: &str = "drrvm.yield";
/// Tries until an instance is given up.
const TRIES: usize = 40;
/// How many instances of an operation are kept for who wants any.
const EXAMPLES: usize = 24;
/// The most values an open group gets unless a rule asks for more.
const OPEN: usize = 3;

/// How sizes of groups are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    Rest,
    Equal,
    Attribute(AttrNameId),
}

/// A group of operands or results.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) arity: Arity,
    /// The types it may have.
    types: Vec<TypeId>,
    /// Groups of the same number have the same type.
    tie: usize,
}

#[derive(Clone, Debug)]
struct AttrPlace {
    name: AttrNameId,
    required: bool,
    values: Vec<AttrId>,
}

/// What the operations of one name look like.
#[derive(Clone, Debug)]
pub(super) struct OpForm {
    pub(super) name: OpNameId,
    pub(super) operands: Vec<Group>,
    operand_sizes: Sizes,
    pub(super) results: Vec<Group>,
    result_sizes: Sizes,
    attributes: Vec<AttrPlace>,
    /// Whether its attributes are kept as properties.
    declared: bool,
    /// A tie whose type an attribute states, or holds.
    stated: Vec<(usize, AttrNameId, bool)>,
    ties: usize,
    pub(super) regions: usize,
    pub(super) terminator: bool,
    pub(super) constant: bool,
}

/// One operation, ready to be made but for its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Instance {
    pub(super) name: OpNameId,
    pub(super) operands: Vec<TypeId>,
    pub(super) results: Vec<TypeId>,
    pub(super) attributes: Vec<(AttrNameId, AttrId)>,
    pub(super) declared: bool,
    pub(super) regions: usize,
    pub(super) terminator: bool,
}

/// What an instance is to have; what is not said is free.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// Sizes of the operand groups.
    pub(super) operand_sizes: Option<Vec<usize>>,
    /// Sizes of the result groups.
    pub(super) result_sizes: Option<Vec<usize>>,
    /// Types of operands, by place.
    pub(super) operands: Vec<(usize, TypeId)>,
    /// Types of results, by place.
    pub(super) results: Vec<(usize, TypeId)>,
    /// Attributes: one of these; `None` among them: it may be absent.
    pub(super) attributes: Vec<(AttrNameId, Vec<Option<AttrId>>)>,
    /// How many results there must be at least.
    pub(super) least_results: usize,
}

/// All that random IR can consist of.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    pub(super) pool: Pool,
    pub(super) forms: Vec<OpForm>,
    pub(super) by_name: HashMap<OpNameId, Vec<usize>>,
    /// Instances of each form that has some.
    pub(super) examples: Vec<Vec<Instance>>,
    pub(super) region: OpNameId,
    pub(super) end: OpNameId,
}

/// Who says whether an operation is well formed.
pub(super) struct Judge {
    definitions: Vec<Definitions>,
}

impl Judge {
    /// What these definitions say, with the strings and snippets they refer to, and the verifier of the
    /// built-in dialects.
    pub(super) fn new<'a>(
        tables: impl IntoIterator<Item = (&'a OpTable, &'a Interner, &'a Snippets)>,
        host: &mut IrHost,
        natives: &Natives<IrHost>,
    ) -> Self {
        let mut definitions = Vec::new();
        for (ops, strings, snippets) in tables {
            // A definition that asks nothing knows no more than a few traits.
            let mut table = OpTable::default();
            ops.iter().filter(|def| !def.checks.is_empty()).for_each(|def| {
                table.insert(def.clone());
            });
            definitions.push(Definitions::link(&table, strings, snippets, host, natives));
        }
        Self { definitions }
    }

    /// Whether nothing is wrong with a host's module.
    pub(super) fn accepts(&self, host: &IrHost) -> bool {
        let mut casts = true;
        let errors = ir::verify(&host.context, &host.module, |op, errors| {
            casts &= casts_well(host, op);
            let found = self.definitions.iter().find_map(|definitions| definitions.check(host, op));
            found.into_iter().for_each(|error| errors.push(error));
        });
        casts && !errors.has_errors()
    }
}

/// Names that only frame random IR; they are no part of it.
const FRAME: &[&str] =
    &["builtin.module", "func.func", "func.return", "cf.br", "cf.cond_br", "cf.switch", "func.call"];

impl Vocabulary {
    /// The operations `keep` keeps of those that these rule sets mention.
    pub(super) fn new(
        sets: &[&RuleSet],
        host: &mut IrHost,
        natives: &Natives<IrHost>,
        judge: &Judge,
        keep: &dyn Fn(&str) -> bool,
        random: &Random,
    ) -> Self {
        let pool = Pool::new(sets, host, natives);
        let (region, end) = (host.context.op_name(REGION), host.context.op_name(YIELD));
        let (forms, by_name, examples) = (Vec::new(), HashMap::new(), Vec::new());
        let mut all = Self { pool, forms, by_name, examples, region, end };
        for set in sets {
            let linked = Linked::link(&set.snippets, host, natives);
            let mut maker = FormMaker { rules: set, linked, types: HashMap::new(), attrs: HashMap::new() };
            let mentioned = set.mentioned_ops();
            let constants = constants_beside(set, &mentioned);
            for name in mentioned.iter().chain(&constants).copied() {
                let text = &set.strings[name];
                if FRAME.contains(&text) || !keep(text) && !constants.contains(&name) {
                    continue;
                }
                let id = host.context.op_name(text);
                let known = all.by_name.get(&id).map_or(&[][..], Vec::as_slice);
                let defined = known.iter().any(|&form| all.forms[form].declared);
                let forms = match set.ops.find(name).filter(|def| !def.checks.is_empty()) {
                    Some(_) if defined => continue,
                    Some(def) => vec![maker.defined(def, id, &all.pool, host)],
                    None if defined => continue,
                    None => maker.guessed(name, id, &all.pool, host),
                };
                for form in forms {
                    all.by_name.entry(id).or_default().push(all.forms.len());
                    all.forms.push(form);
                }
            }
        }
        all.examples(host, judge, random);
        all
    }

    /// A random instance of a form that is as wanted; `None` if a few tries give none. Leaves another module in
    /// the host.
    pub(super) fn instance(
        &self,
        form: &OpForm,
        host: &mut IrHost,
        judge: &Judge,
        wanted: &Wanted,
        random: &mut Random,
    ) -> Option<Instance> {
        (0..TRIES).find_map(|_| {
            let instance = form.draw(host, &self.pool, wanted, random)?;
            self.is_valid(&instance, host, judge).then_some(instance)
        })
    }

    /// Whether nothing is wrong with the operation by itself. Leaves another module in the host.
    pub(super) fn is_valid(&self, instance: &Instance, host: &mut IrHost, judge: &Judge) -> bool {
        if !host.context.traits(instance.name).has(OpTraits::KNOWN) || instance.terminator {
            return true;
        }
        host.module = Module::new(&mut host.context);
        let IrHost { context, module } = host;
        let source = module.create(&OpSpec::new(self.region).results(&instance.operands));
        module.append(module.body(), source);
        let operands: Vec<ValueId> = module.results(source).collect();
        let body = module.body();
        self.append(instance, &operands, module, context, body);
        judge.accepts(host)
    }

    /// A few instances of each form, for who wants any operation.
    fn examples(&mut self, host: &mut IrHost, judge: &Judge, random: &Random) {
        for at in 0..self.forms.len() {
            let form = self.forms[at].clone();
            if form.terminator {
                continue;
            }
            let mut random = random.fork(at as u64);
            let drawn = (0..EXAMPLES)
                .filter_map(|_| self.instance(&form, host, judge, &Wanted::default(), &mut random))
                .collect::<Vec<_>>();
            if !drawn.is_empty() {
                self.examples.push(drawn);
            }
        }
    }

    /// Makes the operation at the end of a block. Its regions get a block that ends, and nothing else.
    pub(super) fn append(
        &self,
        instance: &Instance,
        operands: &[ValueId],
        module: &mut Module,
        context: &mut Context,
        block: BlockId,
    ) -> OpId {
        let dictionary = context.dictionary(&mut instance.attributes.clone());
        let (properties, attrs) = match instance.declared {
            true => (dictionary, Context::EMPTY_DICTIONARY),
            false => (Context::EMPTY_DICTIONARY, dictionary),
        };
        let spec = OpSpec::new(instance.name).operands(operands).results(&instance.results);
        let op = module.create(&OpSpec { properties, attrs, regions: instance.regions, ..spec });
        for region in module.regions(op).to_vec() {
            let block = module.append_block(region);
            let end = module.create(&OpSpec::new(self.end));
            module.append(block, end);
        }
        module.append(block, op);
        op
    }
}

/// The constants of the dialects whose operations rules mention: rules ask for their values, without naming them.
fn constants_beside(rules: &RuleSet, mentioned: &[StrId]) -> Vec<StrId> {
    let dialect = |name: StrId| rules.strings[name].split_once('.').map(|(dialect, _)| dialect);
    let is_beside = |def: &&OpDef| {
        let near = || mentioned.iter().any(|&name| dialect(name) == dialect(def.name));
        def.traits.contains(&Trait::ConstantLike) && !mentioned.contains(&def.name) && near()
    };
    rules.ops.iter().filter(is_beside).map(|def| def.name).collect()
}

/// Makes forms of the operations of one rule set.
struct FormMaker<'a> {
    rules: &'a RuleSet,
    linked: Linked<IrHost>,
    types: HashMap<SnippetId, Vec<TypeId>>,
    attrs: HashMap<SnippetId, Vec<AttrId>>,
}

impl FormMaker<'_> {
    /// The types that satisfy a constraint; all, if none does: then it cannot be asked.
    fn types(&mut self, constraint: Option<SnippetId>, pool: &Pool, host: &IrHost) -> Vec<TypeId> {
        let Some(id) = constraint else { return pool.types.clone() };
        let Self { rules, linked, types, .. } = self;
        types
            .entry(id)
            .or_insert_with(|| {
                let holds = |ty: &TypeId| {
                    matches!(linked.holds(&rules.snippets, id, host, &[Entity::Type(*ty)]), Ok(Some(_)))
                };
                let found: Vec<TypeId> = pool.types.iter().copied().filter(holds).collect();
                if found.is_empty() { pool.types.clone() } else { found }
            })
            .clone()
    }

    fn attrs(&mut self, constraint: Option<SnippetId>, pool: &Pool, host: &IrHost) -> Vec<AttrId> {
        let Some(id) = constraint else { return pool.attrs.clone() };
        let Self { rules, linked, attrs, .. } = self;
        attrs
            .entry(id)
            .or_insert_with(|| {
                let holds = |attr: &AttrId| {
                    matches!(
                        linked.holds(&rules.snippets, id, host, &[Entity::Attr(Some(*attr))]),
                        Ok(Some(_))
                    )
                };
                let found: Vec<AttrId> = pool.attrs.iter().copied().filter(holds).collect();
                if found.is_empty() { pool.attrs.clone() } else { found }
            })
            .clone()
    }

    fn groups(&mut self, values: &[ValueDef], ties: &mut usize, pool: &Pool, host: &IrHost) -> Vec<Group> {
        let group = |value: &ValueDef| {
            let tie = *ties;
            *ties += 1;
            Group {
                arity: value.arity,
                types: self.types(value.constraint.map(|c| c.holds), pool, host),
                tie,
            }
        };
        values.iter().map(group).collect()
    }

    /// The form that the operation table states.
    fn defined(&mut self, def: &OpDef, name: OpNameId, pool: &Pool, host: &mut IrHost) -> OpForm {
        let mut ties = 0;
        let mut operands = self.groups(&def.operands, &mut ties, pool, host);
        let mut results = self.groups(&def.results, &mut ties, pool, host);
        let has = |wanted| def.traits.contains(&wanted);
        let mut stated = Vec::new();
        if has(Trait::SameOperandsAndResultType) {
            operands.iter_mut().chain(&mut results).for_each(|group| group.tie = 0);
        } else if has(Trait::SameTypeOperands) {
            operands.iter_mut().for_each(|group| group.tie = 0);
        }
        for (i, recipe) in def.result_types.iter().flatten().enumerate() {
            match recipe {
                TypeRecipe::Operand(j) => {
                    if let (Some(from), Some(to)) = (operands.get(*j as usize), results.get(i)) {
                        let (from, to) = (from.tie, to.tie);
                        let tied = operands.iter_mut().chain(&mut results).filter(|group| group.tie == to);
                        tied.for_each(|group| group.tie = from);
                    }
                }
                TypeRecipe::Result(j) => {
                    if let (Some(from), true) =
                        (results.get(*j as usize).map(|from| from.tie), i < results.len())
                    {
                        results[i].tie = from;
                    }
                }
                TypeRecipe::AttrType(attr) | TypeRecipe::HeldType(attr) if i < results.len() => {
                    let held = matches!(recipe, TypeRecipe::HeldType(_));
                    let attr = host.context.attr_name(&self.rules.strings[*attr]);
                    stated.push((results[i].tie, attr, held));
                }
                _ => {}
            }
        }
        let attributes = def.attributes.iter().map(|attr| AttrPlace {
            name: host.context.attr_name(&self.rules.strings[attr.name]),
            required: !attr.optional,
            values: self.attrs(attr.constraint.map(|c| c.holds).or(attr.storage), pool, host),
        });
        let attributes = attributes.collect();
        let mut sizes = |segments| match segments {
            Segments::Rest => Sizes::Rest,
            Segments::Equal => Sizes::Equal,
            Segments::Attribute(name) => Sizes::Attribute(host.context.attr_name(&self.rules.strings[name])),
        };
        OpForm {
            name,
            operand_sizes: sizes(def.operand_segments),
            result_sizes: sizes(def.result_segments),
            operands,
            results,
            attributes,
            declared: true,
            stated,
            ties,
            regions: def.regions.iter().filter(|region| !region.variadic).count(),
            terminator: has(Trait::Terminator) || def.successors.least > 0,
            constant: has(Trait::ConstantLike),
        }
    }

    /// The forms in which rules match and make an operation that nobody described.
    fn guessed(&mut self, name: StrId, id: OpNameId, pool: &Pool, host: &mut IrHost) -> Vec<OpForm> {
        let mut forms: Vec<OpForm> = Vec::new();
        let rules = self.rules;
        let traits = host.context.traits(id);
        for pattern in rules.patterns.ids() {
            let mut add = |operands: Vec<Arity>,
                           results: Vec<Arity>,
                           split: GroupSplit,
                           attrs: Vec<(AttrNameId, bool)>,
                           host: &mut IrHost| {
                let mut ties = 0;
                let mut groups = |arities: Vec<Arity>| -> Vec<Group> {
                    let group = |arity| {
                        ties += 1;
                        Group { arity, types: pool.types.clone(), tie: ties - 1 }
                    };
                    arities.into_iter().map(group).collect()
                };
                let (mut operands, mut results) = (groups(operands), groups(results));
                if traits.has(OpTraits::SAME_OPERANDS_AND_RESULT_TYPE) {
                    operands.iter_mut().chain(&mut results).for_each(|group| group.tie = 0);
                }
                let place = |(name, required)| AttrPlace { name, required, values: pool.attrs.clone() };
                let form = OpForm {
                    name: id,
                    operands,
                    operand_sizes: match split {
                        GroupSplit::Rest => Sizes::Rest,
                        GroupSplit::Equal => Sizes::Equal,
                        GroupSplit::Attribute(name) => {
                            Sizes::Attribute(host.context.attr_name(&rules.strings[name]))
                        }
                    },
                    results,
                    result_sizes: Sizes::Rest,
                    attributes: attrs.into_iter().map(place).collect(),
                    declared: false,
                    stated: Vec::new(),
                    ties,
                    regions: 0,
                    terminator: traits.has(OpTraits::TERMINATOR),
                    constant: traits.has(OpTraits::CONSTANT_LIKE),
                };
                if !forms.iter().any(|known| known.looks_like(&form)) {
                    forms.push(form);
                }
            };
            for (operands, results, split, attrs) in uses(rules, pattern, name) {
                let attrs = attrs
                    .into_iter()
                    .map(|(attr, required)| (host.context.attr_name(&rules.strings[attr]), required));
                let attrs = attrs.collect();
                add(operands, results, split, attrs, host);
            }
        }
        forms
    }
}

type Use = (Vec<Arity>, Vec<Arity>, GroupSplit, Vec<(StrId, bool)>);

/// How one rule matches and makes operations of a name.
fn uses(rules: &RuleSet, pattern: PatternId, name: StrId) -> Vec<Use> {
    let pattern = &rules.patterns[pattern];
    let part = &pattern.matcher;
    let mut found = Vec::new();
    for (id, node) in part.nodes.iter_enumerated() {
        let Some(op) = node.as_operation().filter(|op| op.name == Some(name)) else { continue };
        let groups = op.operands.iter().flatten().flat_map(|group| match group {
            OperandGroup::One(_) => vec![Arity::One],
            OperandGroup::Optional(_) => vec![Arity::Optional],
            OperandGroup::List(nodes) => vec![Arity::One; nodes.len()],
            OperandGroup::Range(_) | OperandGroup::Any => vec![Arity::Variadic],
        });
        let attrs =
            op.attributes.iter().map(|edge| (edge.name, edge.presence == crate::pdl::Presence::Required));
        found.push((groups.collect(), results_of(pattern, id, op), op.operand_split, attrs.collect()));
    }
    for step in &pattern.rewrite.steps {
        let Step::Create(create) = step else { continue };
        if create.name != name {
            continue;
        }
        let arity = |&source: &crate::pdl::Source| match pattern.kind(source) {
            crate::host::Kind::Values | crate::host::Kind::Types => Arity::Variadic,
            _ => Arity::One,
        };
        let operands: Vec<Arity> = create.operands.iter().map(arity).collect();
        let split = match create.operand_segments {
            Some(name) => GroupSplit::Attribute(name),
            None if operands.iter().filter(|&&arity| arity != Arity::One).count() > 1 => continue,
            None => GroupSplit::Rest,
        };
        let results = match &create.results {
            ResultTypes::Listed(types) => types.iter().map(arity).collect(),
            ResultTypes::Inferred => vec![Arity::One],
        };
        let attrs = create.attributes.iter().map(|&(name, _, _)| (name, false)).collect();
        found.push((operands, results, split, attrs));
    }
    found
}

/// How many results a rule takes an operation to have.
fn results_of(pattern: &Pattern, id: crate::pdl::NodeId, op: &OperationNode) -> Vec<Arity> {
    let part = &pattern.matcher;
    let kind = |node| part.nodes[node].kind();
    if let Some(types) = op.listed_results(kind) {
        let arity = |&node: &crate::pdl::NodeId| match kind(node) {
            crate::host::Kind::Types => Arity::Variadic,
            _ => Arity::One,
        };
        return types.iter().map(arity).collect();
    }
    let highest = part.nodes.iter().filter_map(|node| match node.source()? {
        ValueSource::Result { op, index } if op == id => Some(index as usize + 1),
        ValueSource::DefinedBy { op } | ValueSource::Results { op, .. } if op == id => Some(1),
        _ => None,
    });
    // An operation that is replaced by values has as many results.
    let replaced = pattern.rewrite.steps.iter().filter_map(|step| match step {
        Step::Replace { op, with: crate::pdl::Replacement::Values(values) } if *op == id.into() => {
            Some(values.len())
        }
        Step::Replace { op, .. } if *op == id.into() => Some(1),
        _ => None,
    });
    vec![Arity::One; highest.chain(replaced).max().unwrap_or(0).min(16)]
}

impl OpForm {
    fn looks_like(&self, other: &OpForm) -> bool {
        let arities = |groups: &[Group]| groups.iter().map(|group| group.arity).collect::<Vec<_>>();
        let names = |form: &OpForm| {
            form.attributes.iter().map(|place| (place.name, place.required)).collect::<Vec<_>>()
        };
        arities(&self.operands) == arities(&other.operands)
            && arities(&self.results) == arities(&other.results)
            && self.operand_sizes == other.operand_sizes
            && names(self) == names(other)
    }

    /// Sizes for groups: as wanted, or random.
    fn sizes(
        groups: &[Group],
        stated: Sizes,
        wanted: Option<&Vec<usize>>,
        random: &mut Random,
    ) -> Option<Vec<usize>> {
        if let Some(wanted) = wanted {
            let fits = |(group, &size): (&Group, &usize)| match group.arity {
                Arity::One => size == 1,
                Arity::Optional => size <= 1,
                Arity::Variadic => true,
            };
            let mut open = groups.iter().zip(wanted).filter(|(g, _)| g.arity != Arity::One).map(|(_, &s)| s);
            let first = open.next();
            let equal = stated != Sizes::Equal || open.all(|size| Some(size) == first);
            return (wanted.len() == groups.len() && groups.iter().zip(wanted).all(fits) && equal)
                .then(|| wanted.clone());
        }
        let same = random.below(OPEN);
        let size = |group: &Group| match (group.arity, stated) {
            (Arity::One, _) => 1,
            (Arity::Optional, Sizes::Equal) => same.min(1),
            (Arity::Variadic, Sizes::Equal) => same,
            (Arity::Optional, _) => random.below(2),
            (Arity::Variadic, _) => random.below(OPEN + 1),
        };
        Some(groups.iter().map(size).collect())
    }

    fn draw(&self, host: &mut IrHost, pool: &Pool, wanted: &Wanted, random: &mut Random) -> Option<Instance> {
        let operand_sizes =
            Self::sizes(&self.operands, self.operand_sizes, wanted.operand_sizes.as_ref(), random)?;
        let result_sizes =
            Self::sizes(&self.results, self.result_sizes, wanted.result_sizes.as_ref(), random)?;
        let places = |groups: &[Group], sizes: &[usize]| -> Vec<usize> {
            (0..groups.len()).flat_map(|i| std::iter::repeat_n(i, sizes[i])).collect()
        };
        let operand_groups = places(&self.operands, &operand_sizes);
        let result_groups = places(&self.results, &result_sizes);
        if result_groups.len() < wanted.least_results {
            return None;
        }
        let mut draw = Draw { ties: vec![None; self.ties], drawn: Vec::new(), random };
        // What is wanted comes first, so that what is tied to it follows.
        for &(place, ty) in &wanted.operands {
            draw.fix(&self.operands[*operand_groups.get(place)?], ty)?;
        }
        for &(place, ty) in &wanted.results {
            draw.fix(&self.results[*result_groups.get(place)?], ty)?;
        }
        let attributes = self.attributes(host, pool, wanted, &mut draw)?;
        let fixed = |list: &[(usize, TypeId)], place: usize| {
            list.iter().find(|(at, _)| *at == place).map(|&(_, ty)| ty)
        };
        let mut operands = Vec::with_capacity(operand_groups.len());
        for (place, &group) in operand_groups.iter().enumerate() {
            operands.push(draw.ty(&self.operands[group], fixed(&wanted.operands, place))?);
        }
        let mut results = Vec::with_capacity(result_groups.len());
        for (place, &group) in result_groups.iter().enumerate() {
            results.push(draw.ty(&self.results[group], fixed(&wanted.results, place))?);
        }
        let mut attributes = attributes;
        for (stated, sizes) in [(self.operand_sizes, operand_sizes), (self.result_sizes, result_sizes)] {
            if let Sizes::Attribute(name) = stated {
                let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
                let text =
                    format!("array<i32{}{}>", if sizes.is_empty() { "" } else { ": " }, sizes.join(", "));
                attributes.retain(|&(known, _)| known != name);
                attributes.push((name, host.bind_attr(&text)?));
            }
        }
        Some(Instance {
            name: self.name,
            operands,
            results,
            attributes,
            declared: self.declared,
            regions: self.regions,
            terminator: self.terminator,
        })
    }

    fn attributes(
        &self,
        host: &IrHost,
        pool: &Pool,
        wanted: &Wanted,
        draw: &mut Draw<'_>,
    ) -> Option<Vec<(AttrNameId, AttrId)>> {
        let mut all = Vec::new();
        let is = |name: AttrNameId| move |stated: Sizes| stated == Sizes::Attribute(name);
        for place in &self.attributes {
            if [self.operand_sizes, self.result_sizes].into_iter().any(is(place.name)) {
                continue;
            }
            let asked = wanted.attributes.iter().find(|(name, _)| *name == place.name);
            let stated = self.stated.iter().find(|(_, name, _)| *name == place.name);
            let fits = |attr: AttrId, draw: &Draw<'_>| match stated {
                Some(&(tie, _, held)) => {
                    let ty = stated_type(host, attr, held);
                    ty.is_some() && draw.ties[tie].is_none_or(|known| Some(known) == ty)
                }
                None => true,
            };
            let chosen = match asked {
                Some((_, asked)) => {
                    let may_be = |attr| fits(attr, draw) && place.values.contains(&attr);
                    let fitting: Vec<Option<AttrId>> =
                        asked.iter().copied().filter(|value| value.is_none_or(may_be)).collect();
                    // What a rule names need not be among the candidates.
                    *draw.random.pick(if fitting.is_empty() { asked } else { &fitting })?
                }
                None if !place.required && draw.random.percent(60) => None,
                None => {
                    let values: Vec<AttrId> = match stated {
                        Some(_) => place.values.iter().copied().filter(|&attr| fits(attr, draw)).collect(),
                        None => Vec::new(),
                    };
                    let from = if stated.is_some() { &values } else { &place.values };
                    Some(*draw.random.pick(from)?)
                }
            };
            let Some(attr) = chosen else { continue };
            if let Some(&(tie, _, held)) = stated {
                draw.ties[tie] = stated_type(host, attr, held);
            }
            all.push((place.name, attr));
        }
        // What a rule asks for beyond the definition is a discardable attribute.
        for (name, values) in &wanted.attributes {
            if !self.attributes.iter().any(|place| place.name == *name)
                && let Some(attr) = *draw.random.pick(values)?
            {
                all.push((*name, attr));
            }
        }
        if !self.declared && draw.random.percent(3) {
            let (name, attr) = (host.context.find_attr_name("value"), draw.random.pick(&pool.attrs));
            if let (Some(name), Some(&attr)) = (name, attr)
                && !all.iter().any(|&(known, _)| known == name)
            {
                all.push((name, attr));
            }
        }
        Some(all)
    }
}

fn stated_type(host: &IrHost, attr: AttrId, held: bool) -> Option<TypeId> {
    match (held, host.context.attr_kind(attr)) {
        (true, AttrKind::Type(ty)) => Some(*ty),
        (true, _) => None,
        (false, _) => host.context.attr_type(attr),
    }
}

/// Types as they are drawn.
struct Draw<'a> {
    ties: Vec<Option<TypeId>>,
    drawn: Vec<TypeId>,
    random: &'a mut Random,
}

impl Draw<'_> {
    fn fix(&mut self, group: &Group, ty: TypeId) -> Option<()> {
        let known = self.ties[group.tie].get_or_insert(ty);
        // The values of an open group may differ, unless another group is tied to it.
        (*known == ty || group.arity == Arity::Variadic).then_some(())?;
        group.types.contains(&ty).then_some(())
    }

    fn ty(&mut self, group: &Group, fixed: Option<TypeId>) -> Option<TypeId> {
        let ty = match (fixed, self.ties[group.tie]) {
            (Some(ty), _) => ty,
            (None, Some(ty)) if group.arity != Arity::Variadic || self.random.percent(80) => ty,
            _ => {
                // Types that are there already are likelier to fit what relates several.
                let again =
                    self.drawn.iter().copied().filter(|ty| group.types.contains(ty)).collect::<Vec<_>>();
                match self.random.percent(50) {
                    true if !again.is_empty() => *self.random.pick(&again)?,
                    _ => *self.random.pick(&group.types)?,
                }
            }
        };
        if !group.types.contains(&ty) {
            return None;
        }
        self.ties[group.tie].get_or_insert(ty);
        self.drawn.push(ty);
        Some(ty)
    }
}
