//! When shapes are compatible, as MLIR's type utilities decide it.

use crate::ir::{Context, DYNAMIC, TypeId, TypeKind};

/// Whether a type has a shape, known or not.
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

/// The element type of a shaped type; any other type itself.
pub(super) fn element_or_self(context: &Context, ty: TypeId) -> TypeId {
    let kind = context.type_kind(ty);
    if is_shaped(kind) { kind.element().unwrap_or(ty) } else { ty }
}

/// The element type of a vector or tensor type; any other type itself.
pub(super) fn tensor_element_or_self(context: &Context, ty: TypeId) -> TypeId {
    match *context.type_kind(ty) {
        TypeKind::Vector { element, .. }
        | TypeKind::RankedTensor { element, .. }
        | TypeKind::UnrankedTensor(element) => element,
        _ => ty,
    }
}

/// Whether two types can have one shape.
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

/// Whether sizes can be equal.
fn fits(a: i64, b: i64) -> bool {
    a == DYNAMIC || b == DYNAMIC || a == b
}

/// Whether all types can have one shape.
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

/// The shape that two shapes broadcast to.
pub(super) fn broadcast(a: &[i64], b: &[i64]) -> Option<Vec<i64>> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let mut shape = long.to_vec();
    let offset = long.len() - short.len();
    for (to, &other) in shape[offset..].iter_mut().zip(short) {
        *to = match (*to, other) {
            (one, other) if one == other => one,
            // A size that is known and not 1 is what a dynamic one must turn out to be.
            (DYNAMIC, 1) | (1, DYNAMIC) => DYNAMIC,
            (DYNAMIC, size) | (size, DYNAMIC) | (1, size) | (size, 1) => size,
            _ => return None,
        };
    }
    Some(shape)
}
