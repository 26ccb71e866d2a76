//! The folds and rules of `tensor.cast` and `memref.cast`.

use super::arith::{Fold, Results};
use super::cf::Rule;
use super::edit::{Editor, New};
use super::names::Names;
use crate::host::{Blocks, Facets, Folded, TypeKind};

/// The rules of `tensor.cast`.
pub(super) fn rules<H: Facets + Blocks>() -> Vec<Rule<H>> {
    vec![("tensor.cast", "ChainedTensorCast", chained_tensor_cast)]
}

/// Folds a cast to the same type. A `memref.cast` of a `memref.cast` takes the operand of the inner cast, unless this
/// operand is unranked.
pub(super) fn fold_cast<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    if f.host.operand_count(f.op) != 1 || f.host.result_count(f.op) != 1 {
        return None;
    }
    let operand = f.operand(0);
    if f.host.op_name(f.op) == f.names.memref_cast
        && let Some(inner) = f.defined_by(operand, f.names.memref_cast)
        && f.host.operand_count(inner) == 1
    {
        let from = f.host.operand(inner, 0);
        if !matches!(f.host.type_kind(f.host.value_type(from)), TypeKind::UnrankedMemRef(_)) {
            return f.set_operand(from);
        }
    }
    let is_same = f.host.value_type(operand) == f.host.value_type(f.host.result(f.op, 0));
    is_same.then(|| vec![Folded::Value(operand)])
}

/// The dimensions of a tensor type; `None` if it is unranked. A dynamic dimension is `None`.
type Shape = Option<Vec<Option<i64>>>;

fn shape<H: Facets>(host: &H, ty: H::Type) -> Option<Shape> {
    match host.type_kind(ty) {
        TypeKind::RankedTensor { rank, .. } => {
            Some(Some((0..rank).map(|dim| host.type_dim(ty, dim)).collect()))
        }
        TypeKind::UnrankedTensor(_) => Some(None),
        _ => None,
    }
}

/// The shape with the rank and sizes that at least one of the two shapes states; `None` if they contradict each other.
fn join(a: &Shape, b: &Shape) -> Option<Shape> {
    let (Some(first), Some(second)) = (a, b) else { return Some(a.as_ref().or(b.as_ref()).cloned()) };
    if first.len() != second.len() {
        return None;
    }
    let dimension = |(&a, &b): (&Option<i64>, &Option<i64>)| match (a, b) {
        (Some(a), Some(b)) if a != b => None,
        _ => Some(a.or(b)),
    };
    first.iter().zip(second).map(dimension).collect::<Option<Vec<_>>>().map(Some)
}

/// Replaces a cast of a cast by one cast, if the first and the last type together state the rank and all sizes that the
/// type between the casts states.
fn chained_tensor_cast<H: Facets + Blocks>(e: &mut Editor<'_, H>, op: H::Op, names: &Names) -> Option<()> {
    let operand = (e.host.operand_count(op) == 1).then(|| e.host.operand(op, 0))?;
    let inner = e.host.defining_op(operand).filter(|&inner| e.host.op_name(inner) == names.tensor_cast)?;
    let source = (e.host.operand_count(inner) == 1).then(|| e.host.operand(inner, 0))?;
    let to = (e.host.result_count(op) == 1).then(|| e.host.value_type(e.host.result(op, 0)))?;
    let [from, between, result] =
        [e.host.value_type(source), e.host.value_type(operand), to].map(|ty| shape(e.host, ty));
    let (from, between, result) = (from?, between?, result?);
    if join(&join(&from, &between)?, &result)? != join(&from, &result)? {
        return None;
    }
    let operands = [source];
    let new =
        New { name: names.tensor_cast, operands: &operands, types: &[to], attributes: &[], successors: &[] };
    let cast = e.create(op, &new).ok()?;
    e.replace(op, &[e.host.result(cast, 0)]);
    Some(())
}
