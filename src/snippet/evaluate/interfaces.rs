//! Which interfaces types and attributes have.
//!
//! Specification: an answer is MLIR's. Definitions declare interfaces, and C++ can attach more; so where no
//! definition is known, or where what is attached counts, what is not declared is not known, and asking fails.

use super::value::Val;
use super::{Evaluator, split_class};
use crate::host::{AttrKind, Facets, Refusal, TypeKind};
use crate::snippet::data::ObjectClass;
use crate::snippet::text::declares;
use crate::snippet::{AttrClass, TypeClass};

impl<H: Facets> Evaluator<'_, H> {
    fn text_of(&self, value: &Val<H>) -> String {
        match value {
            Val::Type(t) => self.type_text(t),
            Val::Attr(a) => self.attr_text(a),
            _ => String::new(),
        }
    }

    /// Whether a type or attribute has the interface of this name, which these definitions declare.
    pub(super) fn has_interface(
        &mut self,
        interface: &str,
        declared: &str,
        value: &Val<H>,
    ) -> Result<bool, Refusal> {
        let text = self.text_of(value);
        let known = match split_class(&text) {
            Some((own, _)) => declares(declared, &own),
            None => self.builtin_declares(interface, value),
        };
        match known {
            Some(true) => Ok(true),
            Some(false) if !self.linked.attached => Ok(false),
            _ => self.unknown(format!(
                "no definition says whether '{text}' has the interface '{interface}': a native constraint \
                 'isa<{interface}>' can"
            )),
        }
    }

    /// Whether a dialect's own type or attribute is declared to have the interface that a built-in class is.
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

    /// Whether a dialect's own type or attribute is declared to have an interface of the built-in dialect. These
    /// are not attached to what has a definition.
    pub(super) fn declares(&mut self, interface: &str, value: &Val<H>) -> Result<bool, Refusal> {
        let is_dialects = match value {
            Val::Type(t) => matches!(self.type_kind(t), TypeKind::Dialect),
            Val::Attr(a) => matches!(self.attr_kind(a), AttrKind::Other),
            _ => false,
        };
        if !is_dialects {
            return Ok(false);
        }
        let text = self.text_of(value);
        if split_class(&text).is_none() {
            return Ok(false);
        }
        self.step(1)?;
        match self.snippets.declares(interface, &text) {
            Some(known) => Ok(known),
            None if self.linked.attached => {
                self.unknown(format!("no definition says whether '{text}' has the interface '{interface}'"))
            }
            None => Ok(false),
        }
    }

    /// Whether a built-in type or attribute is declared to have an interface of the built-in dialect; none if the
    /// interface is no such.
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
