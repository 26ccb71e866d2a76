//! Compatibility of shapes, as in MLIR's type utilities.

use crate::ir::{Context, DYNAMIC, TypeId, TypeKind};

/// True if a type is a shaped type, ranked or unranked.
pub(super) fn is_shaped(kind: &TypeKind) -> bool {
    matches!(
        kind,
        TypeKind::Vector { .. }
            | TypeKind::RankedTensor { .. }
            | TypeKind::UnrankedTensor(_)
            | TypeKind::MemRef { .. }
            | TypeKind::UnrankedMemRef { .. }
    )
}

/// Returns the element type of a shaped type, or any other type itself.
pub(super) fn element_or_self(context: &Context, ty: TypeId) -> TypeId {
    let kind = context.type_kind(ty);
    if is_shaped(kind) { kind.element().unwrap_or(ty) } else { ty }
}

/// Returns the element type of a vector or tensor type, or any other type itself.
pub(super) fn tensor_element_or_self(context: &Context, ty: TypeId) -> TypeId {
    match *context.type_kind(ty) {
        TypeKind::Vector { element, .. }
        | TypeKind::RankedTensor { element, .. }
        | TypeKind::UnrankedTensor(element) => element,
        _ => ty,
    }
}

/// True if two types can have the same shape, or if neither is a shaped type.
pub(super) fn compatible(context: &Context, a: TypeId, b: TypeId) -> bool {
    let (a, b) = (context.type_kind(a), context.type_kind(b));
    if !is_shaped(a) || !is_shaped(b) {
        return is_shaped(a) == is_shaped(b);
    }
    match (a.shape(), b.shape()) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| fits(a, b)),
        _ => true,
    }
}

/// True if two sizes can be equal.
fn fits(a: i64, b: i64) -> bool {
    a == DYNAMIC || b == DYNAMIC || a == b
}

/// True if no type is a shaped type. Also true if all types can have the same shape, and all or none of them are
/// scalable vectors.
pub(super) fn all_compatible(context: &Context, types: &[TypeId]) -> bool {
    let kinds: Vec<&TypeKind> = types.iter().map(|&ty| context.type_kind(ty)).collect();
    let shaped = kinds.iter().filter(|kind| is_shaped(kind)).count();
    if shaped == 0 {
        return true;
    }
    let scalable = |kind: &&&TypeKind| match kind {
        TypeKind::Vector { scalable, .. } => scalable.contains(&true),
        _ => false,
    };
    let scalables = kinds.iter().filter(scalable).count();
    if shaped != kinds.len() || (scalables != 0 && scalables != kinds.len()) {
        return false;
    }
    let shapes: Vec<&[i64]> = kinds.iter().filter_map(|kind| kind.shape()).collect();
    let Some(first) = shapes.first() else { return true };
    if shapes.iter().any(|shape| shape.len() != first.len()) {
        return false;
    }
    (0..first.len()).all(|dim| {
        let mut known = shapes.iter().map(|shape| shape[dim]).filter(|&size| size != DYNAMIC);
        let wanted = known.next();
        known.all(|size| Some(size) == wanted)
    })
}
