//! Tests whether types and attributes implement an interface.
//!
//! Specification: the answer of `has_interface` is MLIR's, provided that C++ code attaches no interfaces that
//! definitions do not declare. If the linked snippets allow attached interfaces, `has_interface` fails for an interface
//! that the definition does not declare. It also fails if neither a definition nor this module states the answer. For
//! the built-in interfaces (`ShapedType` …), `declares` is the test.

use super::evaluator::Evaluator;
use super::value::Val;
use crate::host::{AttrKind, Facets, Refusal, TypeKind};
use crate::snippet::data::{AttrClass, ObjectClass, TypeClass};
use crate::snippet::text::{declares, split_class};

impl<H: Facets> Evaluator<'_, H> {
    /// True if a type or attribute implements an interface. `declared` lists the definitions with and without the
    /// interface, as in [`ClassKind::OneOf`](crate::snippet::data::ClassKind::OneOf).
    pub(super) fn has_interface(
        &mut self,
        interface: &str,
        declared: &str,
        value: &Val<H>,
    ) -> Result<bool, Refusal> {
        let text = self.text_of(value);
        let listed = match split_class(&text) {
            Some((own, _)) => declares(declared, &own),
            None => self.builtin_declares(interface, value),
        };
        match listed {
            Some(true) => Ok(true),
            Some(false) if !self.linked.allows_attached_interfaces => Ok(false),
            _ => self.unknown(format!(
                "no definition states whether '{text}' has the interface '{interface}': a native constraint \
                 'isa<{interface}>' can decide"
            )),
        }
    }

    /// True if `class` is a built-in interface and the value is a dialect's type or attribute that declares it.
    pub(super) fn dialect_declares(&mut self, class: ObjectClass, value: &Val<H>) -> Result<bool, Refusal> {
        let interface = match class {
            ObjectClass::Type(TypeClass::Shaped) => "ShapedType",
            ObjectClass::Type(TypeClass::Float) => "FloatType",
            ObjectClass::Attr(AttrClass::Elements) => "ElementsAttr",
            ObjectClass::Attr(AttrClass::Typed) => "TypedAttr",
            _ => return Ok(false),
        };
        self.declares(interface, value)
    }

    /// True if a dialect's type or attribute declares a built-in interface. C++ code does not attach these interfaces
    /// to types and attributes with definitions. Without a definition, the answer is false, or the test fails if the
    /// linked snippets allow attached interfaces.
    pub(super) fn declares(&mut self, interface: &str, value: &Val<H>) -> Result<bool, Refusal> {
        let is_of_dialect = match value {
            Val::Type(t) => matches!(self.type_kind(t), TypeKind::Dialect),
            Val::Attr(a) => matches!(self.attr_kind(a), AttrKind::Other),
            _ => false,
        };
        if !is_of_dialect {
            return Ok(false);
        }
        let text = self.text_of(value);
        if split_class(&text).is_none() {
            return Ok(false);
        }
        self.step(1)?;
        match self.snippets.declares(interface, &text) {
            Some(declared) => Ok(declared),
            None if self.linked.allows_attached_interfaces => {
                self.unknown(format!("no definition states whether '{text}' has the interface '{interface}'"))
            }
            None => Ok(false),
        }
    }

    /// True if a type or attribute of the builtin dialect implements an interface; `None` if this function does not
    /// know the answer.
    fn builtin_declares(&self, interface: &str, value: &Val<H>) -> Option<bool> {
        Some(match (value, interface) {
            (Val::Type(t), _) => match (interface, self.type_kind(t)) {
                (_, TypeKind::Dialect) => return None,
                ("VectorElementTypeInterface", kind) => {
                    matches!(kind, TypeKind::Integer { .. } | TypeKind::Index | TypeKind::Float(_))
                }
                ("PtrLikeTypeInterface", kind) => {
                    matches!(kind, TypeKind::MemRef { .. } | TypeKind::UnrankedMemRef(_))
                }
                ("MemRefElementTypeInterface", _) => false,
                _ => return None,
            },
            (Val::Attr(a), "MemRefLayoutAttrInterface") => {
                self.attr_is(a, AttrClass::AffineMap) || self.attr_text(a).starts_with("strided<")
            }
            (Val::Attr(a), "BlobAttr") => {
                matches!(self.attr_kind(a), AttrKind::DenseArray { .. })
                    || self.attr_text(a).starts_with("dense_resource<")
            }
            _ => return None,
        })
    }
}
