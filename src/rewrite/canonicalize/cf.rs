//! The rules of `cf`, which exist only as C++ code in MLIR.
//!
//! Specification: each rule has the name and the effect of a rule of MLIR 22.1.

use hashbrown::HashSet;

use super::branch::{Branch, Target, single_edge};
use super::edit::{Editor, New};
use super::elements::{constant_int, integer};
use super::names::Names;
use crate::host::{
    AttrKind, AttrSpec, Blocks, ElementValue, Facets, InsertionPoint, Ir, NamedAttr, Signedness, TypeSpec,
    args_of, ops_of, users_of, uses_of,
};
use crate::number::ApInt;

/// A rule that is a function. It returns `None` and changes nothing if it does not apply.
pub(super) type Apply<H> = fn(&mut Editor<'_, H>, <H as Ir>::Op, &Names) -> Option<()>;
/// The operation, the name of the rule, and the rule.
pub(super) type Rule<H> = (&'static str, &'static str, Apply<H>);

/// All rules. The rules of one operation are in the order in which they are tried.
pub(super) fn rules<H: Facets + Blocks>() -> Vec<Rule<H>> {
    vec![
        ("cf.assert", "AssertOp::canonicalize", remove_assertion),
        ("cf.br", "BranchOp::canonicalize", merge_single_predecessor),
        ("cf.br", "BranchOp::canonicalize", pass_through),
        ("cf.cond_br", "SimplifyConstCondBranchPred", constant_condition),
        ("cf.cond_br", "SimplifyPassThroughCondBranch", pass_through_conditional),
        ("cf.cond_br", "SimplifyCondBranchIdenticalSuccessors", identical_successors),
        ("cf.cond_br", "SimplifyCondBranchFromCondBranchOnSameCondition", same_condition),
        ("cf.cond_br", "CondBranchTruthPropagation", propagate_truth),
        ("cf.cond_br", "DropUnreachableCondBranch", drop_unreachable),
        ("cf.switch", "simplifySwitchWithOnlyDefault", only_default),
        ("cf.switch", "dropSwitchCasesThatMatchDefault", cases_like_default),
        ("cf.switch", "simplifyConstSwitchValue", constant_flag),
        ("cf.switch", "simplifyPassThroughSwitch", pass_through_switch),
        ("cf.switch", "simplifySwitchFromSwitchOnSameCondition", same_flag),
        ("cf.switch", "simplifySwitchFromDefaultSwitchOnSameCondition", same_flag_by_default),
    ]
}

/// The integer of a value that an `arith.constant` defines; for elements, the integer that all of them equal.
pub(super) fn constant<H: Facets + Blocks>(host: &H, value: H::Value, names: &Names) -> Option<ApInt> {
    let op = host.defining_op(value).filter(|&op| host.op_name(op) == names.constant)?;
    integer(host, host.attr(op, names.attr.value))
}

fn remove_assertion<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    if first_operand(e.host, op).and_then(|value| constant(e.host, value, names))?.is_one() {
        e.erase(op);
        return Some(());
    }
    None
}

fn first_operand<H: Facets + Blocks>(host: &H, op: H::Op) -> Option<H::Value> {
    (host.operand_count(op) > 0).then(|| host.operand(op, 0))
}

/// Replaces a branch by an unconditional branch to a target.
fn jump<H: Facets + Blocks>(
    e: &mut Editor<'_, H>,
    op: H::Op,
    target: &Target<H>,
    names: &Names,
) -> Option<()> {
    let (block, operands) = target;
    let new = New { name: names.br, operands, types: &[], attributes: &[], successors: &[*block] };
    e.create(op, &new).ok()?;
    e.erase(op);
    Some(())
}

/// Replaces a branch by a new branch of the same name.
fn replace_branch<H: Facets + Blocks>(
    e: &mut Editor<'_, H>,
    op: H::Op,
    branch: &Branch<H>,
    more: &[NamedAttr<H::Attr>],
    names: &Names,
) -> Option<()> {
    let name = e.host.op_name(op);
    let mut attributes = branch.attributes(e.host, name, names)?;
    attributes.extend_from_slice(more);
    let successors: Vec<H::Block> = branch.targets.iter().map(|(block, _)| *block).collect();
    let operands = branch.operands();
    let new = New { name, operands: &operands, types: &[], attributes: &attributes, successors: &successors };
    e.create(op, &new).ok()?;
    e.erase(op);
    Some(())
}

/// The unconditional branch at the end of a block.
fn branch_of<H: Facets + Blocks>(host: &H, block: H::Block, names: &Names) -> Option<(H::Op, Target<H>)> {
    let last = host.last_op(block).filter(|&op| host.op_name(op) == names.br)?;
    let branch = Branch::read(host, last, names)?;
    Some((last, branch.targets.into_iter().next()?))
}

/// If the block of a target contains only an unconditional branch, and only this branch uses the arguments of the
/// block, returns the target of the branch. Returns `None` for other blocks, and if the unconditional branches that
/// follow form a loop.
fn collapse<H: Facets + Blocks>(host: &H, target: &Target<H>, names: &Names) -> Option<Target<H>> {
    let &(block, ref values) = target;
    let (last, (next, operands)) = branch_of(host, block, names)?;
    let args: Vec<H::Value> = args_of(host, block).collect();
    if host.first_op(block) != Some(last) || next == block || args.len() != values.len() {
        return None;
    }
    for &arg in &args {
        if users_of(host, arg).any(|user| user != last) {
            return None;
        }
    }
    let mut visited: HashSet<H::Block> = HashSet::from_iter([block, next]);
    let mut at = next;
    while let Some((_, (after, _))) = branch_of(host, at, names) {
        if !visited.insert(after) {
            return None;
        }
        at = after;
    }
    let passed =
        |operand: H::Value| args.iter().position(|&arg| arg == operand).map_or(operand, |at| values[at]);
    Some((next, operands.into_iter().map(passed).collect()))
}

fn merge_single_predecessor<H: Facets + Blocks>(
    e: &mut Editor<'_, H>,
    op: H::Op,
    names: &Names,
) -> Option<()> {
    let mut branch = Branch::read(e.host, op, names)?;
    let (block, values) = branch.targets.pop()?;
    let here = e.host.block(op)?;
    let args: Vec<H::Value> = args_of(e.host, block).collect();
    let passes_its_arg = values.iter().any(|value| args.contains(value));
    if block == here || passes_its_arg || args.len() != values.len() || single_edge(e.host, block).is_none() {
        return None;
    }
    e.erase(op);
    for (arg, value) in args.iter().zip(values) {
        e.replace_value(*arg, value);
    }
    for op in ops_of(e.host, block).collect::<Vec<_>>() {
        e.move_op(op, InsertionPoint::End(here));
    }
    e.host.detach_block(block);
    e.host.erase_block(block);
    Some(())
}

fn pass_through<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let target = Branch::read(e.host, op, names)?.targets.pop()?;
    if Some(target.0) == e.host.block(op) {
        return None;
    }
    let target = collapse(e.host, &target, names)?;
    jump(e, op, &target, names)
}

fn constant_condition<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let branch = Branch::read(e.host, op, names)?;
    let condition = constant(e.host, branch.leading?, names)?;
    jump(e, op, branch.targets.get(usize::from(condition.is_zero()))?, names)
}

/// Collapses the targets of a branch. Returns `None` if none can be collapsed.
fn collapse_all<H: Facets + Blocks>(host: &H, branch: &mut Branch<H>, names: &Names) -> Option<()> {
    let mut changed = None;
    for target in &mut branch.targets {
        if let Some(collapsed) = collapse(host, target, names) {
            *target = collapsed;
            changed = Some(());
        }
    }
    changed
}

fn pass_through_conditional<H: Facets + Blocks>(
    e: &mut Editor<'_, H>,
    op: H::Op,
    names: &Names,
) -> Option<()> {
    let mut branch = Branch::read(e.host, op, names)?;
    collapse_all(e.host, &mut branch, names)?;
    let name = names.attr.weights;
    let weights = e.host.attr(op, name).map(|value| NamedAttr { name, value, inherent: true });
    replace_branch(e, op, &branch, weights.as_slice(), names)
}

fn identical_successors<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let branch = Branch::read(e.host, op, names)?;
    let [(yes, yes_values), (no, no_values)] = &branch.targets[..] else { return None };
    if yes != no {
        return None;
    }
    if yes_values == no_values {
        return jump(e, op, &branch.targets[0], names);
    }
    let edges = e.host.edges_to(*yes, 3);
    if yes_values.len() != no_values.len() || edges.iter().any(|edge| edge.0 != op) {
        return None;
    }
    let mut merged = Vec::with_capacity(yes_values.len());
    for (&a, &b) in yes_values.iter().zip(no_values) {
        if a == b {
            merged.push(a);
            continue;
        }
        let operands = [branch.leading?, a, b];
        let types = [e.host.value_type(a)];
        let new =
            New { name: names.select, operands: &operands, types: &types, attributes: &[], successors: &[] };
        let select = e.create(op, &new).ok()?;
        merged.push(e.host.result(select, 0));
    }
    jump(e, op, &(*yes, merged), names)
}

fn same_condition<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let branch = Branch::read(e.host, op, names)?;
    let (before, index) = single_edge(e.host, e.host.block(op)?)?;
    let earlier = Branch::read(e.host, before, names).filter(|_| e.host.op_name(before) == names.cond_br)?;
    if earlier.leading != branch.leading {
        return None;
    }
    jump(e, op, branch.targets.get(index as usize)?, names)
}

/// Creates a constant of a type before an operation.
pub(super) fn create_constant<H: Facets + Blocks>(
    e: &mut Editor<'_, H>,
    before: H::Op,
    value: H::Attr,
    ty: H::Type,
    names: &Names,
) -> Option<H::Value> {
    let attributes = [NamedAttr { name: names.attr.value, value, inherent: true }];
    let new =
        New { name: names.constant, operands: &[], types: &[ty], attributes: &attributes, successors: &[] };
    let op = e.create(before, &new).ok()?;
    Some(e.host.result(op, 0))
}

fn propagate_truth<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let branch = Branch::read(e.host, op, names)?;
    let condition = branch.leading?;
    let ty = e.host.value_type(condition);
    let mut changed = None;
    for ((block, _), truth) in branch.targets.iter().zip([-1, 0]) {
        if single_edge(e.host, *block).is_none() {
            continue;
        }
        let uses: Vec<_> =
            uses_of(e.host, condition).map(|used| (e.host.use_owner(used), e.host.use_index(used))).collect();
        let mut made = None;
        for (user, index) in
            uses.into_iter().filter(|&(user, _)| e.host.block(user) == Some(*block)).collect::<Vec<_>>()
        {
            if made.is_none() {
                let attr = constant_int(e.host, truth, ty);
                made = attr.and_then(|attr| create_constant(e, op, attr, ty, names));
            }
            let Some(value) = made else { return changed };
            e.set_operand(user, index, value);
            changed = Some(());
        }
    }
    changed
}

fn drop_unreachable<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let branch = Branch::read(e.host, op, names)?;
    let is_unreachable = |block: H::Block| {
        let last = e.host.last_op(block);
        last.is_some_and(|op| e.host.op_name(op) == names.unreachable && e.host.first_op(block) == last)
    };
    let [yes, no] = &branch.targets[..] else { return None };
    if is_unreachable(yes.0) {
        jump(e, op, no, names)
    } else if is_unreachable(no.0) {
        jump(e, op, yes, names)
    } else {
        None
    }
}

/// The values of the cases of a switch.
fn case_values<H: Facets + Blocks>(host: &H, op: H::Op, names: &Names) -> Option<Vec<ApInt>> {
    let Some(attr) = host.attr(op, names.attr.case_values) else { return Some(Vec::new()) };
    let AttrKind::DenseElements { len, .. } = host.attr_kind(attr) else { return None };
    let value = |index| match host.attr_element(attr, index) {
        Some(ElementValue::Int(value)) => Some(value),
        _ => None,
    };
    if len > u64::from(host.successor_count(op)) {
        return None;
    }
    (0..len).map(value).collect()
}

/// The parts of a switch, and the values of its cases. The target of the default comes before those of the cases.
fn read_switch<H: Facets + Blocks>(host: &H, op: H::Op, names: &Names) -> Option<(Branch<H>, Vec<ApInt>)> {
    if host.op_name(op) != names.switch {
        return None;
    }
    let (branch, values) = (Branch::read(host, op, names)?, case_values(host, op, names)?);
    (branch.targets.len() == values.len() + 1).then_some((branch, values))
}

/// Replaces a switch by a switch with only those cases for which `keep` holds. Changes nothing if `keep` holds for all
/// cases.
fn retain_cases<H: Facets + Blocks>(
    e: &mut Editor<'_, H>,
    op: H::Op,
    names: &Names,
    keep: impl Fn(&Branch<H>, &ApInt, &Target<H>) -> bool,
) -> Option<()> {
    let (branch, values) = read_switch(e.host, op, names)?;
    let cases = values.iter().zip(&branch.targets[1..]);
    let kept: Vec<_> = cases.filter(|(value, target)| keep(&branch, value, target)).collect();
    if kept.len() == values.len() {
        return None;
    }
    let mut targets = vec![branch.targets[0].clone()];
    targets.extend(kept.iter().map(|(_, target)| (*target).clone()));
    let mut attributes = Vec::new();
    if let Some((first, _)) = kept.first() {
        let element = TypeSpec::Integer { width: first.width(), signedness: Signedness::Signless };
        let shape = vec![i64::try_from(kept.len()).ok()?];
        let element = e.host.make_type(&element)?;
        let ty = e.host.make_type(&TypeSpec::Vector { shape, scalable: vec![false], element })?;
        let numbers = kept.iter().map(|(value, _)| (*value).clone()).collect();
        let value = e.host.make_attr(&AttrSpec::DenseInts(numbers, ty))?;
        attributes.push(NamedAttr { name: names.attr.case_values, value, inherent: true });
    }
    replace_branch(e, op, &Branch { leading: branch.leading, targets }, &attributes, names)
}

fn only_default<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let (branch, _) = read_switch(e.host, op, names)?;
    match &branch.targets[..] {
        [default] => jump(e, op, default, names),
        _ => None,
    }
}

fn cases_like_default<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    retain_cases(e, op, names, |branch, _, target| *target != branch.targets[0])
}

/// Replaces a switch by an unconditional branch to the target for this value of the flag.
fn take_case<H: Facets + Blocks>(
    e: &mut Editor<'_, H>,
    op: H::Op,
    flag: &ApInt,
    names: &Names,
) -> Option<()> {
    let (branch, values) = read_switch(e.host, op, names)?;
    let index = values.iter().position(|value| value == flag).map_or(0, |case| case + 1);
    jump(e, op, &branch.targets[index], names)
}

fn constant_flag<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let flag = constant(e.host, first_operand(e.host, op)?, names)?;
    take_case(e, op, &flag, names)
}

fn pass_through_switch<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let (mut branch, _) = read_switch(e.host, op, names)?;
    collapse_all(e.host, &mut branch, names)?;
    let name = names.attr.case_values;
    let values = e.host.attr(op, name).map(|value| NamedAttr { name, value, inherent: true });
    replace_branch(e, op, &branch, values.as_slice(), names)
}

/// If the only edge to the block of a switch comes from another switch on the same flag, returns the other switch, the
/// values of its cases, and the index of the edge.
fn earlier_switch<H: Facets + Blocks>(
    host: &H,
    op: H::Op,
    names: &Names,
) -> Option<(Branch<H>, Vec<ApInt>, usize)> {
    let (before, index) = single_edge(host, host.block(op)?)?;
    let (branch, values) = read_switch(host, before, names)?;
    (branch.leading == first_operand(host, op)).then_some((branch, values, index as usize))
}

fn same_flag<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let (_, values, index) = earlier_switch(e.host, op, names)?;
    let value = values.get(index.checked_sub(1)?)?.clone();
    take_case(e, op, &value, names)
}

fn same_flag_by_default<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let (_, values, index) = earlier_switch(e.host, op, names)?;
    if index != 0 {
        return None;
    }
    let excluded: HashSet<ApInt> = values.into_iter().collect();
    retain_cases(e, op, names, |_, value, _| !excluded.contains(value))
}
