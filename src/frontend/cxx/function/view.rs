//! Lowers declarations of references, pointers and views.
//!
//! A reference or pointer to a variable that changes is bound to the place of the variable. A view is a copy of the
//! elements, so a view of a variable that changes later is outside the language.

use super::changes::{is_stream, roots};
use super::lvalue::Held;
use crate::frontend::cxx::ast::{Initialiser, Node, NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Bound, Lower};
use crate::snippet::{Form, Item, Ty};

impl Lower<'_, '_> {
    /// True if a variable to which an expression may refer changes after this byte.
    pub(super) fn changes_after(&self, node: NodeId, at: usize) -> bool {
        roots(self.ast, self.functions(), node).iter().any(|root| self.changed.after(root, at))
    }

    /// True for a reference or pointer to an object that programs never copy (`Block &`); false for a reference to a
    /// pointer (`Block *&`).
    pub(in crate::frontend::cxx) fn refers_to_object(&mut self, ty: &TypeName) -> bool {
        let to_pointer = matches!(ty.passing, Passing::Reference | Passing::ConstReference)
            && self.text.get(ty.lo..ty.hi).is_some_and(|text| text.contains('*'));
        !to_pointer && self.static_type(ty).is_some_and(|ty| ty.item.is_object())
    }

    /// Declares a reference whose target changes later, or is changed through the reference. Returns the indices to
    /// bind; `None` if a copy has the same effect as the reference.
    pub(super) fn declare_reference(
        &mut self,
        node: NodeId,
        ty: &TypeName,
        name: &str,
        init: &Initialiser,
    ) -> Result<Option<Held>, Fault> {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let Some(of) = init.first() else { return Ok(None) };
        if self.refers_to_object(ty) {
            return Ok(None);
        }
        let is_pointer = matches!(self.ast[of].kind, NodeKind::AddressOf(_));
        let changes_target =
            is_pointer || ty.passing == Passing::Reference || ty.path == "MutableArrayRef" || is_stream(ty);
        let is_reference = changes_target || ty.passing == Passing::ConstReference;
        let refers = is_reference || is_view(ty);
        let changes = refers && self.changes_after(of, hi);
        let assigned = changes_target && self.changed.contains(name);
        if !changes && !assigned {
            return Ok(None);
        }
        let mut held = Held::new();
        if is_reference && let Some(place) = self.place(of, &mut held)? {
            if is_pointer && is_handle(self.place_ty(node, &place)?) {
                return Ok(None);
            }
            self.bind_place(name, place);
            return Ok(Some(held));
        }
        if ty.path == "auto" && self.expression(of, None)?.ty.item.is_object() {
            return Ok(None);
        }
        Err(error::unsupported("a reference to a changing variable", lo, hi))
    }

    /// Reports an error if a variable is a view of a range, or contains such a view, and the range changes later.
    pub(super) fn require_fixed_target(
        &mut self,
        node: NodeId,
        ty: &TypeName,
        init: &Initialiser,
        of: Ty,
    ) -> Result<(), Fault> {
        let ast = self.ast;
        let class = self.class_of_objects(of);
        let has_views = is_view(ty)
            || class.is_some_and(|class| {
                class.members.iter().any(|&member| match &class.ast[member].kind {
                    NodeKind::Declare { ty, .. } => is_view(ty),
                    _ => false,
                })
            });
        let inits: &[NodeId] = match init {
            Initialiser::Default => &[],
            Initialiser::Value(value) => std::slice::from_ref(value),
            Initialiser::Arguments(args) | Initialiser::Braces(args) => args,
        };
        let (lo, hi) = (ast[node].lo, ast[node].hi);
        for &init in inits {
            if !has_views && (ty.path != "auto" || of.form != Form::Range || !self.makes_view(init)) {
                continue;
            }
            let inside = || ast.iter().filter(|inner| ast[init].lo <= inner.lo && inner.hi <= ast[init].hi);
            for inner in inside() {
                let NodeKind::Name(name) = &inner.kind else { continue };
                let is_lambda = |outer: &&Node| {
                    matches!(outer.kind, NodeKind::Lambda(..)) && outer.lo <= inner.lo && inner.hi <= outer.hi
                };
                let is_range = match self.scope.iter().rev().find(|(bound, _)| *bound == name.path) {
                    Some((_, Bound::Local(local))) => {
                        !matches!(self.b.local_ty(*local).item, Item::Int(_) | Item::Bool)
                            || self.b.local_ty(*local).form != Form::One
                    }
                    bound => bound.is_some(),
                };
                if (is_range || inside().any(|outer| is_lambda(&outer))) && self.changed.after(&name.path, hi)
                {
                    return Err(error::unsupported("a view of a changing variable", lo, hi));
                }
            }
        }
        Ok(())
    }

    /// True for a call that returns a view of one of its arguments.
    fn makes_view(&self, node: NodeId) -> bool {
        let NodeKind::Call(callee, _) = &self.ast[node].kind else { return false };
        let (name, is_library) = match &self.ast[*callee].kind {
            NodeKind::Name(name) => {
                let library = [
                    "map_range",
                    "make_filter_range",
                    "reverse",
                    "drop_begin",
                    "drop_end",
                    "zip",
                    "zip_equal",
                    "zip_first",
                    "enumerate",
                    "concat",
                    "make_range",
                    "ArrayRef",
                    "MutableArrayRef",
                    "make_first_range",
                    "make_second_range",
                ];
                (name.path.as_str(), library.contains(&name.path.as_str()))
            }
            NodeKind::Member { name, .. } => {
                let library = ["drop_front", "drop_back", "take_front", "take_back", "slice"];
                (name.as_str(), library.contains(&name.as_str()))
            }
            _ => return false,
        };
        is_library || self.functions().is_some_and(|functions| functions.returns_view(name))
    }
}

/// True for a type whose values refer to the elements of a range, or contain such a value.
fn is_view(ty: &TypeName) -> bool {
    matches!(ty.path.as_str(), "ArrayRef" | "MutableArrayRef" | "ValueRange" | "TypeRange" | "iterator_range")
        || ty.args.iter().any(is_view)
}

/// True for the type of values that are pointers themselves, such as operations and attributes.
pub(super) fn is_handle(ty: Ty) -> bool {
    let is_data = matches!(
        ty.item,
        Item::Bool
            | Item::Int(_)
            | Item::Double
            | Item::Float
            | Item::ApInt
            | Item::ApFloat
            | Item::Str
            | Item::Enum(_)
            | Item::Tuple(_)
            | Item::FoldResult
            | Item::Unknown
    );
    ty.form == Form::One && !is_data
}
