//! Random instances of operation forms.
//!
//! Specification: an instance has the operand groups and result groups of its form, and satisfies the requirements
//! ([`Wanted`]). It has the required attributes of its form, some of the optional attributes, and the attributes that
//! the requirements add. An operation without a definition sometimes gets another attribute `value`.
//!
//! Method: draw each type from the candidates of its group, and each attribute from its candidates. Groups with the
//! same tie share one draw, except that the values of a variadic group sometimes get other types. Requirements are
//! applied before the draws.

use super::form::{Group, OpForm, Sizes};
use super::pool::Pool;
use super::random::Random;
use crate::host::{AttrNameId, Bind, OpNameId};
use crate::ir::{AttrId, AttrKind, IrHost, TypeId};
use crate::pdl::{Arity, Segments};

/// The maximum size of a variadic group, unless a rule requires more.
const MAX_VARIADIC: usize = 3;

/// The name, types and attributes of an operation.
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

/// The properties that an instance must have. Everything else is random.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// The sizes of the operand groups.
    pub(super) operand_sizes: Option<Vec<usize>>,
    /// The sizes of the result groups.
    pub(super) result_sizes: Option<Vec<usize>>,
    /// The operand types by index.
    pub(super) operands: Vec<(usize, TypeId)>,
    /// The result types by index.
    pub(super) results: Vec<(usize, TypeId)>,
    /// The allowed values of attributes. `None` stands for an absent attribute.
    pub(super) attributes: Vec<(AttrNameId, Vec<Option<AttrId>>)>,
    /// The minimum number of results.
    pub(super) least_results: usize,
}

impl OpForm {
    /// The required group sizes, or random sizes; `None` if the required sizes do not fit the groups.
    fn sizes(
        groups: &[Group],
        rule: Sizes,
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
            let equal = rule != Sizes::Equal || open.all(|size| Some(size) == first);
            return (wanted.len() == groups.len() && groups.iter().zip(wanted).all(fits) && equal)
                .then(|| wanted.clone());
        }
        let same = random.below(MAX_VARIADIC);
        let size = |group: &Group| match (group.arity, rule) {
            (Arity::One, _) => 1,
            (Arity::Optional, Sizes::Equal) => same.min(1),
            (Arity::Variadic, Sizes::Equal) => same,
            (Arity::Optional, _) => random.below(2),
            (Arity::Variadic, _) => random.below(MAX_VARIADIC + 1),
        };
        Some(groups.iter().map(size).collect())
    }

    /// Draws an instance that satisfies the requirements. Returns `None` if the requirements contradict the form or the
    /// random choices, or if a group or attribute has no candidate.
    pub(super) fn draw(
        &self,
        host: &mut IrHost,
        pool: &Pool,
        wanted: &Wanted,
        random: &mut Random,
    ) -> Option<Instance> {
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
        // A required type also determines the types of the groups that have the same tie.
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
        for (rule, sizes) in [(self.operand_sizes, operand_sizes), (self.result_sizes, result_sizes)] {
            if let Sizes::Attribute(name) = rule {
                attributes.retain(|&(other, _)| other != name);
                attributes.push((name, host.bind_attr(&Segments::text(&sizes))?));
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
        let is = |name: AttrNameId| move |rule: Sizes| rule == Sizes::Attribute(name);
        for place in &self.attributes {
            if [self.operand_sizes, self.result_sizes].into_iter().any(is(place.name)) {
                continue;
            }
            let asked = wanted.attributes.iter().find(|(name, _)| *name == place.name);
            let stated = self.stated.iter().find(|(_, name, _)| *name == place.name);
            let fits = |attr: AttrId, draw: &Draw<'_>| match stated {
                Some(&(tie, _, held)) => {
                    let ty = stated_type(host, attr, held);
                    ty.is_some() && draw.ties[tie].is_none_or(|tied| Some(tied) == ty)
                }
                None => true,
            };
            let chosen = match asked {
                Some((_, asked)) => {
                    let may_be = |attr| fits(attr, draw) && place.values.contains(&attr);
                    let fitting: Vec<Option<AttrId>> =
                        asked.iter().copied().filter(|value| value.is_none_or(may_be)).collect();
                    // If none of the attributes that the rule allows fits the form, one of them is taken nevertheless.
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
        // A rule can also require attributes that the form does not have.
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
                && !all.iter().any(|&(other, _)| other == name)
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

/// The state of a draw: the type of each tie, the types that were drawn so far, and the source of random numbers.
struct Draw<'a> {
    ties: Vec<Option<TypeId>>,
    drawn: Vec<TypeId>,
    random: &'a mut Random,
}

impl Draw<'_> {
    fn fix(&mut self, group: &Group, ty: TypeId) -> Option<()> {
        let tied = self.ties[group.tie].get_or_insert(ty);
        // The values of a variadic group may have other types than the tie. For other groups, another type is a
        // contradiction.
        (*tied == ty || group.arity == Arity::Variadic).then_some(())?;
        group.types.contains(&ty).then_some(())
    }

    fn ty(&mut self, group: &Group, fixed: Option<TypeId>) -> Option<TypeId> {
        let ty = match (fixed, self.ties[group.tie]) {
            (Some(ty), _) => ty,
            (None, Some(ty)) if group.arity != Arity::Variadic || self.random.percent(80) => ty,
            _ => {
                // Constraints between several values hold more often if types that were drawn before are drawn again.
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
