//! Binds the reference parameters of lambdas to the variables that are their arguments.
//!
//! A lambda is lowered again for each call by its name, so a parameter can denote the place of its argument. It must
//! denote this place if the lambda changes the parameter, or if the lambda changes the variable of the argument in
//! another way. In all other cases, a copy of the argument has the same effect.

use super::changes::{forwarded, may_change_argument, may_denote_variable, roots};
use super::lvalue::Held;
use super::place::Place;
use super::view::{holds_view, is_view};
use crate::frontend::cxx::ast::{Node, NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Bound, Lower, Signature, is_number};
use crate::snippet::{Form, LocalId, Typed};

impl Lower<'_, '_> {
    /// Returns the indices of the parameters that a call of a lambda must bind as references. Each index comes with the
    /// place of its argument, or `None` if the argument is a new value. If there is a place, replaces the entry of the
    /// argument in `values` by the value at this place.
    pub(in crate::frontend::cxx) fn bound_references(
        &mut self,
        lambda: NodeId,
        signature: Option<&Signature>,
        args: &[NodeId],
        values: &mut [Typed],
        held: &mut Held,
    ) -> Result<Vec<(usize, Option<Place>)>, Fault> {
        let ast = self.ast;
        let NodeKind::Lambda(params, ..) = &ast[lambda].kind else { return Ok(Vec::new()) };
        let (lo, hi) = (ast[lambda].lo, ast[lambda].hi);
        let changes: Vec<bool> = params
            .iter()
            .map(|(ty, name)| may_change_argument(ty) && self.changed.in_text(name, lo, hi))
            .collect();
        let stores_view = |index: usize| changes.get(index) == Some(&true) && holds_view(&params[index].0);
        // The lambda can also store a view of an argument in a variable outside of it.
        let changes_outer = self.scope.iter().any(|(name, bound)| {
            matches!(bound, Bound::Local(local) if self.views.contains_key(local))
                && self.changed.in_text(name, lo, hi)
        });
        if changes_outer || (0..params.len()).any(stores_view) {
            self.require_fixed_stored(args, stores_view)?;
        }
        let changed = changes.iter().zip(args).filter(|(changes, _)| **changes);
        let changed: Vec<&str> =
            changed.flat_map(|(_, &arg)| roots(ast, self.functions(), forwarded(ast, arg))).collect();
        let mut references = Vec::new();
        for (index, ((ty, _), &arg)) in params.iter().zip(args).enumerate() {
            let Some(value) = values.get_mut(index) else { continue };
            let may_change = |this: &Self, names: &[String]| {
                names.iter().any(|name| this.changed.in_lambda(name) || changed.contains(&name.as_str()))
            };
            let viewed = self.viewed(arg, value.ty);
            let by_reference = is_by_reference(signature, index);
            if !refers(ty) || !by_reference || self.refers_to_object(ty) {
                if may_change(self, &viewed) {
                    return Err(error::unsupported(
                        "a view of a changing variable",
                        ast[arg].lo,
                        ast[arg].hi,
                    ));
                }
                continue;
            }
            let arg = forwarded(ast, arg);
            let mut held_by_place = Held::new();
            let place = self.place(arg, &mut held_by_place)?;
            let names = self.names_of(place.as_ref(), arg);
            let changes_target = may_change(self, &names) || place.is_none() && may_change(self, &viewed);
            if !changes[index] && !changes_target {
                continue;
            }
            match place {
                Some(place) => {
                    let of = self.place_ty(arg, &place)?;
                    let declared = if ty.path == "auto" { None } else { self.static_type(ty) };
                    // A number of another type is converted to a new value.
                    let converts = declared.is_some_and(|to| to != of && (is_number(to) || is_number(of)));
                    if !converts
                        && (ty.passing != Passing::Value || ty.is_forwarding || of.form == Form::Range)
                    {
                        held.append(&mut held_by_place);
                        self.insert_keys(arg, &place, held)?;
                        *value = self.read_place(arg, &place)?;
                        references.push((index, Some(place)));
                    }
                }
                None if changes_target
                    && (may_denote_variable(ast, self.functions(), arg) || may_change(self, &viewed)) =>
                {
                    return Err(error::changing_reference(ast[arg].lo, ast[arg].hi));
                }
                None if !may_denote_variable(ast, self.functions(), arg) => references.push((index, None)),
                None => {}
            }
        }
        Ok(references)
    }

    /// Checks the arguments of a call of a function that is stored in a variable. Reports an error if an argument is
    /// passed by reference and denotes a variable that a lambda changes.
    pub(in crate::frontend::cxx) fn require_fixed_arguments(
        &mut self,
        signature: Option<&Signature>,
        args: &[NodeId],
    ) -> Result<(), Fault> {
        let ast = self.ast;
        for (index, &arg) in args.iter().enumerate() {
            let by_reference = is_by_reference(signature, index);
            let arg = forwarded(ast, arg);
            if !by_reference || !may_denote_variable(ast, self.functions(), arg) {
                continue;
            }
            let place = self.place(arg, &mut Held::new())?;
            if let Some(place) = &place
                && self.place_ty(arg, place)?.item.is_object()
            {
                continue;
            }
            if self.names_of(place.as_ref(), arg).iter().any(|name| self.changed.in_lambda(name)) {
                return Err(error::changing_reference(ast[arg].lo, ast[arg].hi));
            }
        }
        Ok(())
    }

    /// Reports an error if an argument for a const reference denotes a variable that another argument of the call
    /// changes. The reference sees the change in C++, but the call passes a copy of the value, which does not change.
    /// Changes by lambdas are checked elsewhere.
    pub(super) fn require_unchanged_arguments(
        &self,
        call: NodeId,
        args: &[NodeId],
        is_const_reference: impl Fn(usize) -> bool,
    ) -> Result<(), Fault> {
        let ast = self.ast;
        // A change by the called operator itself is recorded at the first byte of the call. It does not count here.
        let after = ast[call].lo + 1;
        for (index, &arg) in args.iter().enumerate() {
            if !is_const_reference(index) || !may_denote_variable(ast, self.functions(), arg) {
                continue;
            }
            let names = roots(ast, self.functions(), arg);
            let changes = |other: &Node| {
                !matches!(other.kind, NodeKind::Lambda(..))
                    && names.iter().any(|name| self.changed.in_text(name, other.lo.max(after), other.hi))
            };
            if args.iter().enumerate().any(|(at, &other)| at != index && changes(&ast[other])) {
                return Err(error::changing_reference(ast[arg].lo, ast[arg].hi));
            }
        }
        Ok(())
    }

    /// The names of the variables to which an expression refers, and all names of the variable in which `place` lies.
    fn names_of(&self, place: Option<&Place>, node: NodeId) -> Vec<String> {
        let mut names: Vec<String> =
            roots(self.ast, self.functions(), node).into_iter().map(str::to_owned).collect();
        names.extend(place.into_iter().flat_map(|place| self.names_of_local(place.root)));
        names
    }

    /// The names in scope that denote a variable or a part of it.
    pub(super) fn names_of_local(&self, local: LocalId) -> impl Iterator<Item = String> {
        let denotes = move |bound: &Bound| match *bound {
            Bound::Local(other) => other == local,
            Bound::Place(place) => self.places.get(place).is_some_and(|place| place.root == local),
            Bound::Lambda(_) | Bound::Element(_) => false,
        };
        self.scope.iter().filter(move |(_, bound)| denotes(bound)).map(|(name, _)| name.clone())
    }
}

/// True if the parameter with this number in a signature is a reference, or if its type is not known.
fn is_by_reference(signature: Option<&Signature>, index: usize) -> bool {
    signature.is_none_or(|of| of.by_reference.get(index) != Some(&false))
}

/// True for a parameter of a lambda that refers to its argument.
fn refers(ty: &TypeName) -> bool {
    matches!(ty.passing, Passing::Reference | Passing::ConstReference) || ty.is_forwarding || is_view(ty)
}
