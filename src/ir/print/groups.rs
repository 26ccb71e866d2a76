//! The division of an operation's operands and results into the groups of its definition.

use smallvec::SmallVec;

use crate::host::{Arity, AttrNameId};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::definitions::BoundSyntax;
use crate::ir::dialect::{GroupSizes, ValueGroup};
use crate::ir::ids::AttrId;
use crate::ir::module::{Module, OpId};

/// For each group, the start and the end of its values among the operands or results of an operation.
pub(super) type GroupRanges = SmallVec<[(u32, u32); 6]>;

/// The range of the operands in each group; `None` if the operands do not have the groups of the definition.
pub(super) fn operand_groups(
    context: &Context,
    module: &Module,
    op: OpId,
    bound: &BoundSyntax,
) -> Option<GroupRanges> {
    let syntax = &bound.syntax;
    let sizes = (syntax.operand_sizes, bound.segments[0]);
    ranges(context, module, op, &syntax.operands, sizes, module.operand_count(op))
}

/// The range of the results in each group; `None` if the results do not have the groups of the definition.
pub(super) fn result_groups(
    context: &Context,
    module: &Module,
    op: OpId,
    bound: &BoundSyntax,
) -> Option<GroupRanges> {
    let syntax = &bound.syntax;
    let sizes = (syntax.result_sizes, bound.segments[1]);
    ranges(context, module, op, &syntax.results, sizes, module.result_count(op))
}

/// The elements of an array of 32-bit integers.
pub(super) fn i32_items(context: &Context, attr: AttrId) -> Option<SmallVec<[i32; 8]>> {
    match context.attr_kind(attr) {
        AttrKind::DenseArray { element, data } if *element == Context::I32 => {
            data.chunks(4).map(|bytes| Some(i32::from_le_bytes(bytes.try_into().ok()?))).collect()
        }
        _ => None,
    }
}

fn ranges(
    context: &Context,
    module: &Module,
    op: OpId,
    groups: &[ValueGroup],
    (sizes, segments): (GroupSizes, AttrNameId),
    count: u32,
) -> Option<GroupRanges> {
    let mut all = GroupRanges::new();
    let mut start = 0u32;
    let mut push = |group: &ValueGroup, size: u32| {
        let fits = match group.arity {
            Arity::One => size == 1,
            Arity::Optional => size <= 1,
            Arity::Variadic => true,
        };
        let end = start.checked_add(size).filter(|&end| fits && end <= count)?;
        all.push((start, end));
        start = end;
        Some(())
    };
    match sizes {
        GroupSizes::Attribute => {
            let sizes = i32_items(context, module.attr(context, op, segments)?)?;
            if sizes.len() != groups.len() {
                return None;
            }
            for (group, size) in groups.iter().zip(sizes) {
                push(group, u32::try_from(size).ok()?)?;
            }
        }
        GroupSizes::OneVariable | GroupSizes::Equal => {
            let open = groups.iter().filter(|group| group.is_variable()).count();
            let fixed = u32::try_from(groups.len() - open).ok()?;
            let open = u32::try_from(open).ok()?;
            let rest = count.checked_sub(fixed)?;
            let each = rest.checked_div(open).unwrap_or(0);
            if each * open != rest {
                return None;
            }
            for group in groups {
                push(group, if group.is_variable() { each } else { 1 })?;
            }
        }
    }
    (start == count).then_some(all)
}
