//! The fold of `builtin.unrealized_conversion_cast`, and the rules of `func.call_indirect` and `arith.select` that
//! exist only as C++ code in MLIR.

use super::arith::{Fold, Results};
use super::cf::{Rule, constant, create_constant};
use super::edit::{Editor, New};
use super::elements::{constant_int, element, element_type};
use super::names::Names;
use crate::host::{Blocks, Facets, Folded, NamedAttr};
use crate::semantics::Element;

/// The rules of `arith.select` and `func.call_indirect`.
pub(super) fn rules<H: Facets + Blocks>() -> Vec<Rule<H>> {
    vec![
        ("arith.select", "SelectToExtUI", select_to_extension),
        ("func.call_indirect", "CallIndirectOp::canonicalize", call_directly),
    ]
}

/// Folds a cast to the same types, and a cast of a cast back to the original types.
pub(super) fn fold_cast<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let host = &*f.host;
    let inputs =
        |op: H::Op| (0..host.operand_count(op)).map(|index| host.operand(op, index)).collect::<Vec<_>>();
    let results =
        |op: H::Op| (0..host.result_count(op)).map(|index| host.result(op, index)).collect::<Vec<_>>();
    let types = |values: &[H::Value]| values.iter().map(|&value| host.value_type(value)).collect::<Vec<_>>();
    let (given, made) = (inputs(f.op), results(f.op));
    let folded = |values: Vec<H::Value>| Some(values.into_iter().map(Folded::Value).collect());
    let &first = given.first()?;
    if types(&given) == types(&made) {
        return folded(given);
    }
    let inner = host.defining_op(first).filter(|&op| host.op_name(op) == f.names.cast)?;
    let from = inputs(inner);
    if results(inner) != given || types(&from) != types(&made) {
        return None;
    }
    folded(from)
}

fn select_to_extension<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let ty = e.host.value_type(e.host.result(op, 0));
    let width = match element(e.host, ty)? {
        Element::Int(width) if !element_type(e.host, ty).1 => width,
        _ => return None,
    };
    let is_index = matches!(e.host.type_kind(ty), crate::host::TypeKind::Index);
    if width == 1 || is_index {
        return None;
    }
    let mut condition = e.host.operand(op, 0);
    let [yes, no] = [1, 2].map(|index| constant(e.host, e.host.operand(op, index), names));
    let (yes, no) = (yes?, no?);
    if yes.is_zero() && no.is_one() {
        let bit = e.host.value_type(condition);
        let attr = constant_int(e.host, -1, bit)?;
        let ones = create_constant(e, op, attr, bit, names)?;
        let operands = [condition, ones];
        let new =
            New { name: names.xori, operands: &operands, types: &[bit], attributes: &[], successors: &[] };
        let not = e.create(op, &new).ok()?;
        condition = e.host.result(not, 0);
    } else if !yes.is_one() || !no.is_zero() {
        return None;
    }
    let operands = [condition];
    let new = New { name: names.extui, operands: &operands, types: &[ty], attributes: &[], successors: &[] };
    let extended = e.create(op, &new).ok()?;
    e.replace(op, &[e.host.result(extended, 0)]);
    Some(())
}

fn call_directly<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let callee = (e.host.operand_count(op) > 0).then(|| e.host.operand(op, 0))?;
    let function = e.host.defining_op(callee).filter(|&op| e.host.op_name(op) == names.func_constant)?;
    let value = e.host.attr(function, names.attr.value)?;
    let operands: Vec<_> = (1..e.host.operand_count(op)).map(|index| e.host.operand(op, index)).collect();
    let types: Vec<_> =
        (0..e.host.result_count(op)).map(|index| e.host.value_type(e.host.result(op, index))).collect();
    let attributes = [NamedAttr { name: names.attr.callee, value, inherent: true }];
    let new = New {
        name: names.call,
        operands: &operands,
        types: &types,
        attributes: &attributes,
        successors: &[],
    };
    let call = e.create(op, &new).ok()?;
    let results: Vec<_> = (0..e.host.result_count(call)).map(|index| e.host.result(call, index)).collect();
    e.replace(op, &results);
    Some(())
}
