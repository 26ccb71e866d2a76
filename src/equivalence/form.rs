//! Operation forms: the operand groups, result groups and attributes of the operations of one name.
//!
//! Specification: the form of a defined operation has the groups and attributes of its definition. An operation counts
//! as defined if its definition has checks for the verifier. The forms of any other operation are those with which
//! rules match or create it. Each group and attribute lists the candidates that satisfy its constraint, or all
//! candidates if none satisfies it.

use hashbrown::HashMap;

use super::pool::Pool;
use crate::host::{AttrNameId, Entity, Kind, OpNameId};
use crate::intern::StrId;
use crate::ir::{AttrId, IrHost, OpTraits, TypeId};
use crate::pdl::{
    Arity, GroupSplit, NodeId, OpDef, OperandGroup, OperationNode, Pattern, PatternId, Presence, Replacement,
    ResultTypes, RuleSet, Segments, Source, Step, Trait, TypeRecipe, ValueDef, ValueSource,
};
use crate::snippet::{Linked, SnippetId};

/// The method that divides operands or results into groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    OneVariable,
    Equal,
    Attribute(AttrNameId),
}

/// A group of operands or results.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) arity: Arity,
    /// The allowed types.
    pub(super) types: Vec<TypeId>,
    /// Groups with the same tie have the same type, except that the values of a variadic group may have other types.
    pub(super) tie: usize,
}

/// An attribute of a form.
#[derive(Clone, Debug)]
pub(super) struct AttrPlace {
    pub(super) name: AttrNameId,
    pub(super) required: bool,
    pub(super) values: Vec<AttrId>,
}

/// A form of the operations of one name.
#[derive(Clone, Debug)]
pub(super) struct OpForm {
    pub(super) name: OpNameId,
    pub(super) operands: Vec<Group>,
    pub(super) operand_sizes: Sizes,
    pub(super) results: Vec<Group>,
    pub(super) result_sizes: Sizes,
    pub(super) attributes: Vec<AttrPlace>,
    /// True if the operation counts as defined, so that its attributes are properties.
    pub(super) declared: bool,
    /// The ties whose type an attribute determines: the tie, the attribute, and a flag. The flag is true if the
    /// attribute holds the type as its value, and false if the type is the type of the attribute.
    pub(super) stated: Vec<(usize, AttrNameId, bool)>,
    pub(super) ties: usize,
    pub(super) regions: usize,
    pub(super) terminator: bool,
    pub(super) constant: bool,
}

/// A builder of forms for the operations of one rule set.
pub(super) struct FormBuilder<'a> {
    rules: &'a RuleSet,
    linked: Linked<IrHost>,
    types: HashMap<SnippetId, Vec<TypeId>>,
    attrs: HashMap<SnippetId, Vec<AttrId>>,
}

impl<'a> FormBuilder<'a> {
    pub(super) fn new(rules: &'a RuleSet, linked: Linked<IrHost>) -> Self {
        Self { rules, linked, types: HashMap::new(), attrs: HashMap::new() }
    }

    /// The types that satisfy a constraint, or all types if no type does.
    fn types(&mut self, constraint: Option<SnippetId>, pool: &Pool, host: &IrHost) -> Vec<TypeId> {
        let Some(id) = constraint else { return pool.types.clone() };
        let fit = || satisfying(self.rules, &self.linked, id, &pool.types, Entity::Type, host);
        self.types.entry(id).or_insert_with(fit).clone()
    }

    /// The attributes that satisfy a constraint, or all attributes if no attribute does.
    fn attrs(&mut self, constraint: Option<SnippetId>, pool: &Pool, host: &IrHost) -> Vec<AttrId> {
        let Some(id) = constraint else { return pool.attrs.clone() };
        let entity = |attr| Entity::Attr(Some(attr));
        let fit = || satisfying(self.rules, &self.linked, id, &pool.attrs, entity, host);
        self.attrs.entry(id).or_insert_with(fit).clone()
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

    /// The form of a defined operation.
    pub(super) fn defined(&mut self, def: &OpDef, name: OpNameId, pool: &Pool, host: &mut IrHost) -> OpForm {
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
        for set in &def.same_types {
            let mut set = set.iter().map(|&operand| operand as usize);
            let Some(tie) = set.next().and_then(|first| Some(operands.get(first)?.tie)) else { continue };
            for operand in set {
                if let Some(group) = operands.get_mut(operand) {
                    group.tie = tie;
                }
            }
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
            Segments::Rest => Sizes::OneVariable,
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

    /// The forms of an operation without a definition, from the rules that match or create it.
    pub(super) fn guessed(
        &mut self,
        name: StrId,
        id: OpNameId,
        pool: &Pool,
        host: &mut IrHost,
    ) -> Vec<OpForm> {
        let mut forms: Vec<OpForm> = Vec::new();
        let rules = self.rules;
        let traits = host.context.traits(id);
        for pattern in rules.patterns.ids() {
            for (operands, results, split, attrs) in uses(rules, pattern, name) {
                let mut ties = 0;
                let mut groups = |arities: Vec<Arity>| -> Vec<Group> {
                    let group = |arity| {
                        ties += 1;
                        Group { arity, types: pool.types.clone(), tie: ties - 1 }
                    };
                    arities.into_iter().map(group).collect()
                };
                let (mut operands, mut results) = (groups(operands), groups(results));
                if traits.contains(OpTraits::SAME_OPERANDS_AND_RESULT_TYPE) {
                    operands.iter_mut().chain(&mut results).for_each(|group| group.tie = 0);
                }
                let mut attr_name = |name| host.context.attr_name(&rules.strings[name]);
                let place = |(name, required)| AttrPlace {
                    name: attr_name(name),
                    required,
                    values: pool.attrs.clone(),
                };
                let attributes = attrs.into_iter().map(place).collect();
                let form = OpForm {
                    name: id,
                    operands,
                    operand_sizes: match split {
                        GroupSplit::Rest => Sizes::OneVariable,
                        GroupSplit::Equal => Sizes::Equal,
                        GroupSplit::Attribute(name) => Sizes::Attribute(attr_name(name)),
                    },
                    results,
                    result_sizes: Sizes::OneVariable,
                    attributes,
                    declared: false,
                    stated: Vec::new(),
                    ties,
                    regions: 0,
                    terminator: traits.contains(OpTraits::TERMINATOR),
                    constant: traits.contains(OpTraits::CONSTANT_LIKE),
                };
                if !forms.iter().any(|existing| existing.has_same_structure(&form)) {
                    forms.push(form);
                }
            }
        }
        forms
    }
}

/// The candidates that satisfy a constraint, or all candidates if no candidate does.
fn satisfying<T: Copy>(
    rules: &RuleSet,
    linked: &Linked<IrHost>,
    constraint: SnippetId,
    all: &[T],
    entity: impl Fn(T) -> Entity<IrHost>,
    host: &IrHost,
) -> Vec<T> {
    let holds =
        |&item: &T| matches!(linked.holds(&rules.snippets, constraint, host, &[entity(item)]), Ok(Some(_)));
    let found: Vec<T> = all.iter().copied().filter(holds).collect();
    if found.is_empty() { all.to_vec() } else { found }
}

type OpUse = (Vec<Arity>, Vec<Arity>, GroupSplit, Vec<(StrId, bool)>);

/// The forms with which one rule matches and creates operations of a name.
fn uses(rules: &RuleSet, pattern: PatternId, name: StrId) -> Vec<OpUse> {
    let pattern = &rules.patterns[pattern];
    let part = &pattern.matcher;
    let mut found = Vec::new();
    for (id, node) in part.iter_enumerated() {
        let Some(op) = node.as_operation().filter(|op| op.name == Some(name)) else { continue };
        let groups = op.operands.iter().flatten().flat_map(|group| match group {
            OperandGroup::One(_) => vec![Arity::One],
            OperandGroup::Optional(_) => vec![Arity::Optional],
            OperandGroup::List(nodes) => vec![Arity::One; nodes.len()],
            OperandGroup::Range(_) | OperandGroup::Any => vec![Arity::Variadic],
        });
        let attrs = op.attributes.iter().map(|edge| (edge.name, edge.presence == Presence::Required));
        found.push((groups.collect(), results_of(pattern, id, op), op.operand_split, attrs.collect()));
    }
    for step in &pattern.rewrite.steps {
        let Step::Create(create) = step else { continue };
        if create.name != name {
            continue;
        }
        let arity = |&source: &Source| match pattern.kind(source) {
            Kind::Values | Kind::Types => Arity::Variadic,
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

/// The results that a rule requires of an operation.
fn results_of(pattern: &Pattern, id: NodeId, op: &OperationNode) -> Vec<Arity> {
    let part = &pattern.matcher;
    let kind = |node| part[node].kind();
    if let Some(types) = op.listed_results(kind) {
        let arity = |&node: &NodeId| match kind(node) {
            Kind::Types => Arity::Variadic,
            _ => Arity::One,
        };
        return types.iter().map(arity).collect();
    }
    let highest = part.iter().filter_map(|node| match node.source()? {
        ValueSource::Result { op, index } if op == id => Some(index as usize + 1),
        ValueSource::DefinedBy { op } | ValueSource::Results { op, .. } if op == id => Some(1),
        _ => None,
    });
    // An operation that is replaced by values has one result for each value.
    let replaced = pattern.rewrite.steps.iter().filter_map(|step| match step {
        Step::Replace { op, with: Replacement::Values(values) } if *op == id.into() => Some(values.len()),
        Step::Replace { op, .. } if *op == id.into() => Some(1),
        _ => None,
    });
    vec![Arity::One; highest.chain(replaced).max().unwrap_or(0).min(16)]
}

impl OpForm {
    /// True if both forms have the same groups and attributes, apart from their candidates.
    fn has_same_structure(&self, other: &OpForm) -> bool {
        let arities = |groups: &[Group]| groups.iter().map(|group| group.arity).collect::<Vec<_>>();
        let names = |form: &OpForm| {
            form.attributes.iter().map(|place| (place.name, place.required)).collect::<Vec<_>>()
        };
        arities(&self.operands) == arities(&other.operands)
            && arities(&self.results) == arities(&other.results)
            && self.operand_sizes == other.operand_sizes
            && names(self) == names(other)
    }
}
