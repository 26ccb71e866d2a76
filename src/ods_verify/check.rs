//! The checks of one operation, in the order in which MLIR performs them.

use super::definitions::Definitions;
use super::error::{self, CheckResult, Counted};
use super::traits::check_count;
use crate::host::Entity;
use crate::intern::StrId;
use crate::ir::{IrHost, OpId, ValueId};
use crate::pdl::{Arity, AttrDef, Check, OpDef, ValueDef};
use crate::source::Diagnostic;

impl Definitions {
    /// Returns the first violation of an operation's definition, or of the declared format of an attribute or type. The
    /// operations in the operation's regions are not checked. If an operation has no definition, only the texts of its
    /// attributes and types are checked against the formats of their classes.
    pub fn check(&self, host: &IrHost, op: OpId) -> Option<Diagnostic> {
        match self.texts.check_op(host, &self.snippets, op) {
            Ok(()) => self.check_definition_of(host, op),
            Err(problem) => Some(violation(host, op, &problem)),
        }
    }

    /// Does the same as [`Self::check`], but does not compare the texts of attributes and types with the formats of
    /// their classes.
    pub(super) fn check_definition_of(&self, host: &IrHost, op: OpId) -> Option<Diagnostic> {
        let def = self.ops.get(&host.module.name(op))?;
        let problem = self.check_definition(host, op, def).err()?;
        Some(violation(host, op, &problem))
    }

    fn check_definition(&self, host: &IrHost, op: OpId, def: &OpDef) -> CheckResult {
        let module = &host.module;
        let operands = module.operands(op);
        let results: Vec<ValueId> = module.results(op).collect();
        let regions = match def.regions.as_slice() {
            [before @ .., last] if last.variadic => (before.len(), None),
            all => (all.len(), Some(all.len())),
        };
        let successors = (def.successors.least as usize, def.successors.most.map(|most| most as usize));
        check_count(Counted::Region, regions, module.regions(op).len())?;
        check_count(Counted::Result, value_bounds(&def.results), results.len())?;
        check_count(Counted::Successor, successors, module.successors(op).len())?;
        check_count(Counted::Operand, value_bounds(&def.operands), operands.len())?;
        for check in &def.checks {
            match check {
                Check::Trait(known) => self.check_trait(host, op, def, *known)?,
                Check::Parent(names) => self.check_parent(host, op, names)?,
                Check::RegionTerminator(name) => self.check_terminators(host, op, *name)?,
                Check::Constraints => {
                    for attribute in &def.attributes {
                        self.check_attribute(host, op, attribute)?;
                    }
                    self.check_groups(host, op, Counted::Operand, def, operands)?;
                    self.check_groups(host, op, Counted::Result, def, &results)?;
                }
                Check::Holds(condition) => {
                    let outcome = self.linked.holds(&self.snippets, condition.holds, host, &[Entity::Op(op)]);
                    if matches!(outcome, Ok(None)) {
                        return Err(error::predicate(&self.strings[condition.summary]));
                    }
                }
                Check::Regions => self.check_regions(host, op, def)?,
            }
        }
        Ok(())
    }

    fn check_attribute(&self, host: &IrHost, op: OpId, attribute: &AttrDef) -> CheckResult {
        let name = &self.strings[attribute.name];
        let Some(attr) = self.attr(host, op, attribute.name) else {
            return if attribute.optional { Ok(()) } else { Err(error::no_attribute(name)) };
        };
        let summary =
            attribute.constraint.map_or("an attribute of its storage class", |c| &self.strings[c.summary]);
        for test in attribute.storage.into_iter().chain(attribute.constraint.map(|c| c.holds)) {
            if !self.attr_satisfies(host, test, attr) {
                let id = self.attr_names.get(&attribute.name);
                let is_property = id.is_some_and(|&id| host.context.is_property(host.module.name(op), id));
                return Err(error::attribute(name, is_property, summary));
            }
        }
        Ok(())
    }

    /// Checks operands or results against their constraints.
    fn check_groups(
        &self,
        host: &IrHost,
        op: OpId,
        what: Counted,
        def: &OpDef,
        all: &[ValueId],
    ) -> CheckResult {
        let (specs, segments) = match what {
            Counted::Result => (&def.results, def.result_segments),
            _ => (&def.operands, def.operand_segments),
        };
        let sizes = self.sizes(host, op, what, specs, segments, all.len())?;
        let mut start = 0;
        for (spec, size) in specs.iter().zip(sizes) {
            let end = start + size;
            if let Some(segments) = spec.segments {
                self.segments(host, op, &self.strings[spec.name], segments, size)?;
            }
            if let Some(constraint) = spec.constraint {
                for (index, &value) in all.iter().enumerate().take(end).skip(start) {
                    let ty = host.module.value_type(value);
                    if !self.type_satisfies(host, constraint, ty) {
                        let summary = &self.strings[constraint.summary];
                        return Err(error::value_type(what, index, summary, &host.context.brief_type(ty)));
                    }
                }
            }
            if spec.arity == Arity::Optional && size > 1 {
                return Err(error::segment_size(what, start, "0 or 1 element", size));
            }
            start = end;
        }
        Ok(())
    }

    fn check_parent(&self, host: &IrHost, op: OpId, names: &[StrId]) -> CheckResult {
        let parent = host.module.parent(op).map(|parent| host.module.name(parent));
        let is_parent = |name: &StrId| parent.is_some() && self.op_names.get(name).copied() == parent;
        if names.iter().any(is_parent) {
            return Ok(());
        }
        let names: Vec<&str> = names.iter().map(|&name| &self.strings[name]).collect();
        Err(error::parent(&names))
    }

    fn check_terminators(&self, host: &IrHost, op: OpId, wanted: StrId) -> CheckResult {
        let module = &host.module;
        for &region in module.regions(op) {
            let last = module.first_block(region).and_then(|block| module.last_op(block));
            let Some(name) = last.map(|last| module.name(last)) else { continue };
            if self.op_names.get(&wanted) != Some(&name) {
                return Err(error::region_end(&self.strings[wanted], host.context.op_name_text(name)));
            }
        }
        Ok(())
    }

    fn check_regions(&self, host: &IrHost, op: OpId, def: &OpDef) -> CheckResult {
        let Some(last) = def.regions.last() else { return Ok(()) };
        let specs = def.regions.iter().chain(std::iter::repeat(last));
        for (index, (&region, spec)) in host.module.regions(op).iter().zip(specs).enumerate() {
            if !spec.blocks.allows(host.module.region_blocks(region).count()) {
                let (name, summary) = (&self.strings[spec.name], &self.strings[spec.summary]);
                return Err(error::region(index, name, summary));
            }
        }
        Ok(())
    }
}

fn violation(host: &IrHost, op: OpId, problem: &str) -> Diagnostic {
    let name = host.context.op_name_text(host.module.name(op));
    error::violation(name, problem, host.context.loc_span(host.module.loc(op)))
}

/// The least number of values that these specifications allow, and the greatest number if no group has a variable size.
/// [`Definitions::check_groups`] checks the limit of one value for an optional group.
fn value_bounds(specs: &[ValueDef]) -> (usize, Option<usize>) {
    let fixed = specs.iter().filter(|spec| spec.arity == Arity::One).count();
    (fixed, (fixed == specs.len()).then_some(fixed))
}
