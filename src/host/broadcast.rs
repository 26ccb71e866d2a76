//! Broadcasting of shapes, as `OpTrait::util::getBroadcastedShape` of MLIR computes it.

/// The shape to which two shapes broadcast; `None` if two sizes do not fit. A size that is `None` is dynamic.
pub(crate) fn broadcast_shape(a: &[Option<i64>], b: &[Option<i64>]) -> Option<Vec<Option<i64>>> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let mut shape = long.to_vec();
    for (size, &other) in shape.iter_mut().rev().zip(short.iter().rev()) {
        *size = match (*size, other) {
            (x, y) if x == y => x,
            (None, Some(known)) | (Some(known), None) => (known > 1).then_some(known),
            (x, Some(1)) => x,
            (Some(1), y) => y,
            _ => return None,
        };
    }
    Some(shape)
}
