//! Constants as numbers.
//!
//! Specification: an attribute of integers or floats is one number, or one number for each element.
//! [`crate::semantics`] does all arithmetic. A result that is undefined or poison is not computed.

use crate::host::{AttrKind, AttrSpec, ElementValue, Facets, TypeKind};
use crate::number::{ApFloat, ApInt};
use crate::semantics::arith::{self, Flags};
use crate::semantics::{Element, Scalar};

/// The largest number of elements of a constant that is computed element by element.
const MAX_ELEMENTS: u64 = 1 << 20;

/// The numbers of a constant.
#[derive(Clone, Debug)]
pub(super) enum Elements {
    /// One number, for all elements.
    Same(Scalar),
    /// A number for each element.
    Each(Vec<Scalar>),
}

impl Elements {
    fn at(&self, index: usize) -> Option<&Scalar> {
        match self {
            Self::Same(scalar) => Some(scalar),
            Self::Each(all) => all.get(index),
        }
    }
}

/// The element type and true for a vector, tensor or memref; the type itself and false for any other type.
pub(super) fn element_type<H: Facets>(host: &H, ty: H::Type) -> (H::Type, bool) {
    match host.type_kind(ty) {
        TypeKind::Vector { element, .. }
        | TypeKind::RankedTensor { element, .. }
        | TypeKind::UnrankedTensor(element)
        | TypeKind::MemRef { element, .. }
        | TypeKind::UnrankedMemRef(element) => (element, true),
        _ => (ty, false),
    }
}

/// The kind of numbers of a type or of its elements; `None` if they are not integers, `index` or floats.
pub(super) fn element<H: Facets>(host: &H, ty: H::Type) -> Option<Element> {
    match host.type_kind(element_type(host, ty).0) {
        TypeKind::Integer { width, .. } => Some(Element::Int(width)),
        TypeKind::Index => Some(Element::Int(64)),
        TypeKind::Float(format) => Some(Element::Float(format)),
        _ => None,
    }
}

/// True if the type has constants: it is a scalar, a vector, or a tensor of static shape.
pub(super) fn has_constants<H: Facets>(host: &H, ty: H::Type) -> bool {
    match host.type_kind(ty) {
        TypeKind::Integer { .. } | TypeKind::Index | TypeKind::Float(_) | TypeKind::Vector { .. } => true,
        TypeKind::RankedTensor { rank, .. } => (0..rank).all(|dim| host.type_dim(ty, dim).is_some()),
        _ => false,
    }
}

/// The numbers of an attribute of integers or floats; `None` for other attributes, and for an attribute with more than
/// [`MAX_ELEMENTS`] elements that are not all equal.
pub(super) fn read<H: Facets>(host: &H, attr: H::Attr) -> Option<Elements> {
    if let AttrKind::DenseElements { splat: false, len, .. } = host.attr_kind(attr) {
        let all = (0..len).map(|index| scalar(host.attr_element(attr, index)?));
        return if len <= MAX_ELEMENTS { all.collect::<Option<_>>().map(Elements::Each) } else { None };
    }
    splat(host, attr).map(Elements::Same)
}

fn scalar<A>(value: ElementValue<A>) -> Option<Scalar> {
    match value {
        ElementValue::Int(value) => Some(Scalar::Int(value)),
        ElementValue::Float(value) => Some(Scalar::Float(value)),
        _ => None,
    }
}

/// The number of an attribute, or the common number of all its elements; `None` if there is no such number.
fn splat<H: Facets>(host: &H, attr: H::Attr) -> Option<Scalar> {
    match host.attr_kind(attr) {
        AttrKind::Integer | AttrKind::Float | AttrKind::DenseElements { .. } => {
            scalar(host.attr_splat(attr)?)
        }
        _ => None,
    }
}

/// The constant of this type with these numbers; `None` if the type has no such constant.
pub(super) fn make<H: Facets>(host: &mut H, elements: Elements, ty: H::Type) -> Option<H::Attr> {
    if !has_constants(host, ty) {
        return None;
    }
    let is_shaped = element_type(host, ty).1;
    let numbers = match elements {
        Elements::Same(scalar) => vec![scalar],
        Elements::Each(all) if all.windows(2).all(|pair| same(&pair[0], &pair[1])) => {
            all[..1.min(all.len())].to_vec()
        }
        Elements::Each(all) => all,
    };
    if numbers.is_empty() {
        return None;
    }
    if let Scalar::Int(_) = numbers[0] {
        let ints = numbers
            .into_iter()
            .map(|number| if let Scalar::Int(value) = number { Some(value) } else { None });
        let mut ints = ints.collect::<Option<Vec<ApInt>>>()?;
        let spec = if is_shaped { AttrSpec::DenseInts(ints, ty) } else { AttrSpec::Integer(ints.pop()?, ty) };
        return host.make_attr(&spec);
    }
    let floats =
        numbers.into_iter().map(|number| if let Scalar::Float(value) = number { Some(value) } else { None });
    let mut floats = floats.collect::<Option<Vec<ApFloat>>>()?;
    let spec = if is_shaped { AttrSpec::DenseFloats(floats, ty) } else { AttrSpec::Float(floats.pop()?, ty) };
    host.make_attr(&spec)
}

/// True if two numbers have the same bits.
fn same(a: &Scalar, b: &Scalar) -> bool {
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => a == b,
        (Scalar::Float(a), Scalar::Float(b)) => a.to_bits() == b.to_bits(),
        _ => false,
    }
}

/// Computes results element by element. `compute` gets one number of each constant.
pub(super) fn map<H: Facets>(
    host: &H,
    args: &[H::Attr],
    mut compute: impl FnMut(&[&Scalar]) -> Option<Vec<Scalar>>,
) -> Option<Vec<Elements>> {
    let args: Vec<Elements> = args.iter().map(|&attr| read(host, attr)).collect::<Option<_>>()?;
    let len = args.iter().find_map(|arg| if let Elements::Each(all) = arg { Some(all.len()) } else { None });
    let Some(len) = len else {
        let numbers: Vec<&Scalar> = args.iter().map(|arg| arg.at(0)).collect::<Option<_>>()?;
        return Some(compute(&numbers)?.into_iter().map(Elements::Same).collect());
    };
    let mut results: Vec<Vec<Scalar>> = Vec::new();
    for index in 0..len {
        let numbers: Vec<&Scalar> = args.iter().map(|arg| arg.at(index)).collect::<Option<_>>()?;
        let computed = compute(&numbers)?;
        results.resize_with(computed.len(), || Vec::with_capacity(len));
        results.iter_mut().zip(computed).for_each(|(result, number)| result.push(number));
    }
    Some(results.into_iter().map(Elements::Each).collect())
}

/// Computes an operation of `arith` on constants, without the flags that make results poison. Returns a constant for
/// each result type.
pub(super) fn compute<H: Facets>(
    host: &mut H,
    name: &str,
    predicate: u64,
    args: &[H::Attr],
    types: &[H::Type],
) -> Option<Vec<H::Attr>> {
    let to: Vec<Element> = types.iter().map(|&ty| element(host, ty)).collect::<Option<_>>()?;
    let flags = Flags { predicate, ..Flags::default() };
    let results = map(host, args, |numbers| {
        let results = arith::apply(name, flags, numbers, &to).ok()?;
        (!results.contains(&Scalar::Poison)).then_some(results)
    })?;
    results.into_iter().zip(types).map(|(elements, &ty)| make(host, elements, ty)).collect()
}

/// The integer of an attribute, or the common integer of all its elements.
pub(super) fn integer<H: Facets>(host: &H, attr: Option<H::Attr>) -> Option<ApInt> {
    if let Scalar::Int(value) = splat(host, attr?)? { Some(value) } else { None }
}

/// The float of an attribute, or the common float of all its elements.
pub(super) fn float<H: Facets>(host: &H, attr: Option<H::Attr>) -> Option<ApFloat> {
    if let Scalar::Float(value) = splat(host, attr?)? { Some(value) } else { None }
}

/// The constant whose elements all equal this integer.
pub(super) fn constant_int<H: Facets>(host: &mut H, value: i64, ty: H::Type) -> Option<H::Attr> {
    let Element::Int(width) = element(host, ty)? else { return None };
    make(host, Elements::Same(Scalar::Int(ApInt::from_i64(width, value))), ty)
}
