//! The attributes that store the sizes of operand groups.
//!
//! Specification: [`sizes`] returns the sizes from which [`size_attr`] made an attribute.

use crate::host::{
    AttrKind, AttrNameId, AttrSpec, Blocks, ElementValue, Facets, NamedAttr, Refusal, Signedness, TypeSpec,
};
use crate::number::ApInt;

/// Replaces the values of attributes. Adds absent attributes as inherent attributes.
pub(super) fn set_attributes<H: Blocks>(host: &mut H, op: H::Op, new: &[(AttrNameId, H::Attr)]) {
    let mut attributes = host.attributes(op);
    for &(name, value) in new {
        match attributes.iter_mut().find(|attr| attr.name == name) {
            Some(attr) => attr.value = value,
            None => attributes.push(NamedAttr { name, value, inherent: true }),
        }
    }
    host.set_attributes(op, &attributes);
}

/// Returns the sizes of operand groups that the attribute of this name stores; `None` if the attribute is absent or not
/// an array of sizes.
pub(super) fn sizes<H: Facets>(host: &H, op: H::Op, name: AttrNameId) -> Option<Vec<usize>> {
    let attr = host.attr(op, name)?;
    let AttrKind::DenseArray { len } = host.attr_kind(attr) else { return None };
    let size = |index| match host.attr_element(attr, index) {
        Some(ElementValue::Int(size)) => usize::try_from(size.to_u64()?).ok(),
        _ => None,
    };
    (0..len).map(size).collect()
}

/// Makes the `i32` array attribute with these sizes.
pub(super) fn size_attr<H: Facets>(host: &mut H, sizes: &[usize]) -> Result<H::Attr, Refusal> {
    let refusal =
        || Refusal::new("the host cannot create the attribute that stores the sizes of operand groups");
    let spec = TypeSpec::Integer { width: 32, signedness: Signedness::Signless };
    let ty = host.make_type(&spec).ok_or_else(refusal)?;
    let sizes = sizes.iter().map(|&size| ApInt::from_u64(32, size as u64)).collect();
    host.make_attr(&AttrSpec::DenseArray(sizes, ty)).ok_or_else(refusal)
}
