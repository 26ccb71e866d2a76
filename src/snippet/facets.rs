//! The kinds of questions about types and attributes that a snippet asks the host ([`crate::host::Facets`]).

use std::collections::BTreeSet;

use super::data::{
    AttrClass, ClassKind, Expr, Group, ObjectClass, SnippetId, SnippetResult, Snippets, TypeClass,
};
use crate::host::Kind;

/// A kind of question about types or attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FacetKind {
    /// The kinds and parts of types: `isInteger(32)`, `getElementType()`.
    Types,
    /// The texts of types, from which the evaluator finds the class of a dialect's type.
    TypeTexts,
    /// Lookup of types: `$_builder.getI32Type()`.
    FindTypes,
    /// The kinds and values of attributes: `getInt()`, `isa<StringAttr>`.
    Attrs,
    /// The texts of attributes, from which the evaluator finds the class of a dialect's attribute and reads affine
    /// maps.
    AttrTexts,
    /// Lookup of attributes: `$_builder.getUnitAttr()`.
    FindAttrs,
}

impl Snippets {
    /// Finds kinds of questions that a snippet asks. Questions of built-ins over values and ranges are not found.
    pub(crate) fn facets_of(&self, id: SnippetId) -> BTreeSet<FacetKind> {
        let is_predicate = self.snippets[id].result == SnippetResult::Predicate;
        let kinds = self.expressions_of(id).filter_map(|expr| match expr {
            Expr::IsA(_, class) | Expr::Cast(_, class, _) => self.facet_of_class(*class),
            Expr::Builtin(builtin, _) => match builtin.group() {
                Group::Types => Some(FacetKind::Types),
                Group::Attrs => Some(FacetKind::Attrs),
                // Only predicates look types and attributes up. Other snippets create them.
                Group::MakeTypes if is_predicate => Some(FacetKind::FindTypes),
                Group::MakeAttrs if is_predicate => Some(FacetKind::FindAttrs),
                Group::Affine | Group::MakeAffine => Some(FacetKind::AttrTexts),
                _ => None,
            },
            _ => None,
        });
        kinds.collect()
    }

    fn facet_of_class(&self, class: ObjectClass) -> Option<FacetKind> {
        if let Some(class) = class.named() {
            return match self.classes[class].kind {
                ClassKind::Type(_) | ClassKind::OneOf(Kind::Type, _) | ClassKind::Foreign(Kind::Type, _) => {
                    Some(FacetKind::TypeTexts)
                }
                ClassKind::Attr(_)
                | ClassKind::EnumAttr(..)
                | ClassKind::OneOf(Kind::Attr, _)
                | ClassKind::Foreign(Kind::Attr, _) => Some(FacetKind::AttrTexts),
                ClassKind::IntEnumAttr(..) => Some(FacetKind::Attrs),
                ClassKind::Op(_) | ClassKind::Native(_) | ClassKind::OneOf(..) | ClassKind::Foreign(..) => {
                    None
                }
            };
        }
        match class {
            ObjectClass::Type(TypeClass::Any) | ObjectClass::Attr(AttrClass::Any) => None,
            ObjectClass::Type(_) => Some(FacetKind::Types),
            ObjectClass::Attr(_) => Some(FacetKind::Attrs),
            _ => None,
        }
    }
}
