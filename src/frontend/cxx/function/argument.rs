//! Passes arguments to functions of the source files.
//!
//! In a snippet, a function cannot refer to a variable of its caller. A reference parameter starts with the value of
//! the variable that is its argument, and this variable gets the value of the parameter after the call. This has the
//! effect of a reference only if no other argument refers to the variable, so [`Arguments`] records the variables of
//! all arguments.

use hashbrown::HashSet;

use super::changes::{forwarded, may_denote_variable, roots};
use super::lvalue::Held;
use super::place::Place;
use super::view::is_text_view;
use crate::frontend::cxx::ast::{Node, NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Bound, Lower, Lowered};
use crate::snippet::{Form, Item, LocalId, Ty, Typed};

/// The object of a call of a member function.
pub(super) struct Object {
    pub(super) value: Typed,
    /// The variable or part of a variable that holds the object.
    pub(super) place: Option<Place>,
    /// True for a `const` object, false for another object, and `None` if this is not known.
    pub(super) is_const: Option<bool>,
    /// True for a new object, as in `T(x).f()`.
    pub(super) is_new: bool,
}

impl Object {
    /// An object that is in no variable.
    pub(super) fn value(value: Typed) -> Self {
        Self { value, place: None, is_const: None, is_new: false }
    }
}

/// True if a function can change a variable of the caller through a parameter of this type. A parameter `T &&` counts
/// only if `changes` returns true.
pub(super) fn is_reference(declared: &TypeName, ty: Ty, changes: impl FnOnce() -> bool) -> bool {
    match declared.passing {
        Passing::Value if declared.is_forwarding => {
            !ty.item.is_object() && ty.item != Item::Lambda && changes()
        }
        Passing::Value => declared.path == "MutableArrayRef",
        Passing::Reference => !ty.item.is_object() && ty.item != Item::Lambda,
        Passing::Pointer => !ty.item.is_object() && ty.item != Item::Unknown,
        _ => false,
    }
}

impl Lower<'_, '_> {
    /// True if a node is a symbol of a rule, and not a variable.
    pub(super) fn is_symbol(&self, node: NodeId) -> bool {
        match &self.ast[node].kind {
            NodeKind::Placeholder(name, _) => !self.scope.iter().any(|(bound, _)| bound == name),
            _ => false,
        }
    }

    /// Passes the object of a member function, by reference if the function may change it.
    pub(super) fn pass_object(
        &mut self,
        node: NodeId,
        object: &Object,
        changes: bool,
        all: &mut Arguments,
    ) -> Result<(), Fault> {
        if !changes {
            all.aliases.extend(object.place.as_ref().map(Target::of));
            all.passed.push(object.value);
            return Ok(());
        }
        let (local, part) = self.changed_object(node, object, &mut all.copies)?;
        all.targets.push(part.as_ref().map_or(Target::Part(local, None), Target::of));
        all.stored_back.extend(part.map(|place| (local, place)));
        let read = self.build(node, |b| b.local(local))?;
        all.by_reference.push(read);
        all.passed.push(read);
        Ok(())
    }

    /// Passes a variable, a part of a variable, or an output of the snippet to a reference parameter. A symbol, or a
    /// new value for `T &&`, is first copied to a new variable.
    pub(super) fn pass_reference(
        &mut self,
        node: NodeId,
        arg: Option<NodeId>,
        (declared, want): (&TypeName, Ty),
        value: Typed,
        all: &mut Arguments,
    ) -> Result<(), Fault> {
        let arg = arg.map(|arg| if declared.is_forwarding { forwarded(self.ast, arg) } else { arg });
        let is_new = |arg| declared.is_forwarding && !may_denote_variable(self.ast, self.functions(), arg);
        if let Some(output) = self.b.as_output(value) {
            all.targets.push(Target::Output(output));
            let nothing = self.b.null(want);
            all.passed.push(self.at_node(node, nothing)?);
            all.by_reference.push(value);
            return Ok(());
        }
        let local = match arg {
            Some(arg) if self.is_symbol(arg) || is_new(arg) => {
                let value =
                    if want.is_unknown() { value } else { self.build(node, |b| b.returned(value, want))? };
                let copy = self.build(node, |b| b.new_local(value.ty))?;
                all.copies.push((copy, value));
                Some((copy, None))
            }
            Some(arg) => self.reference(node, arg, &mut all.copies)?,
            None => None,
        };
        let Some((local, part)) = local else {
            return Err(error::not_assignable(self.ast[node].lo, self.ast[node].hi));
        };
        all.targets.push(part.as_ref().map_or(Target::Part(local, None), Target::of));
        all.stored_back.extend(part.map(|place| (local, place)));
        let out = self.build(node, |b| b.local(local))?;
        all.passed.push(Typed { ty: value.ty, ..out });
        all.by_reference.push(out);
        Ok(())
    }

    /// An argument, converted to the type of its parameter.
    pub(super) fn converted_argument(&mut self, node: NodeId, want: Ty, value: Typed) -> Lowered {
        let converted = match self.location_of_builder(node, value)? {
            Some(_) if want == Ty::BUILDER => self.b.opaque(Item::Builder),
            _ if want.is_unknown() => Ok(value),
            _ => self.b.returned(value, want),
        };
        self.at_node(node, converted)
    }

    /// Passes an argument that has the type of its parameter.
    pub(super) fn pass_value(
        &mut self,
        node: NodeId,
        arg: Option<NodeId>,
        (declared, want): (&TypeName, Ty),
        mut argument: Typed,
        all: &mut Arguments,
    ) -> Result<(), Fault> {
        if let Some(arg) = arg {
            if refers(declared, want) || argument.ty.form == Form::Iterator {
                match self.place(forwarded(self.ast, arg), &mut Held::new())? {
                    Some(place) => all.aliases.push(Target::of(&place)),
                    None => all.aliases.extend(self.referred(arg, argument.ty)),
                }
            }
            if argument.ty.item == Item::Lambda {
                self.find_captured(arg, all);
            }
            if all.has_references && self.may_change(arg) {
                argument = self.hold(node, argument, &mut all.evaluated_first)?;
            }
        }
        all.passed.push(argument);
        Ok(())
    }

    /// The variables to which an argument without a place refers directly, or through an iterator or view of their
    /// elements.
    fn referred(&self, arg: NodeId, ty: Ty) -> Vec<Target> {
        let mut names = self.viewed(arg, ty);
        if may_denote_variable(self.ast, self.functions(), arg) {
            names.extend(roots(self.ast, self.functions(), arg).into_iter().map(str::to_owned));
        }
        let target = |name: String| {
            let name = name.split('.').next().unwrap_or_default();
            match self.scope.iter().rev().find(|(bound, _)| bound == name)?.1 {
                Bound::Local(local) => Some(Target::Part(local, None)),
                Bound::Place(place) => self.places.get(place).map(Target::of),
                Bound::Lambda(_) | Bound::Element(_) => None,
            }
        };
        names.into_iter().filter_map(target).collect()
    }

    /// Records the variables that the lambdas in an argument read or change.
    fn find_captured(&self, arg: NodeId, all: &mut Arguments) {
        let ast = self.ast;
        let (mut pending, mut seen) = (vec![arg], HashSet::new());
        while let Some(node) = pending.pop() {
            let (lo, hi) = (ast[node].lo, ast[node].hi);
            let inside = || ast.iter().filter(|inner| lo <= inner.lo && inner.hi <= hi);
            let lambdas: Vec<_> =
                inside().filter(|inner| matches!(inner.kind, NodeKind::Lambda(..))).collect();
            for inner in inside() {
                let NodeKind::Name(name) = &inner.kind else { continue };
                let is_parameter = |node: &&Node| match &node.kind {
                    NodeKind::Lambda(params, ..) if node.lo <= inner.lo && inner.hi <= node.hi => {
                        params.iter().any(|(_, param)| *param == name.path)
                    }
                    _ => false,
                };
                if lambdas.iter().any(is_parameter) {
                    continue;
                }
                let bound = self.scope.iter().rev().find(|(bound, _)| *bound == name.path);
                let mut changes = self.changed.after(&name.path, lo);
                let target = match bound.map(|(_, bound)| *bound) {
                    Some(Bound::Lambda(lambda)) => {
                        if seen.insert(lambda) {
                            pending.push(self.named_lambdas[lambda].node);
                        }
                        continue;
                    }
                    // A lambda that is a parameter of the current function refers only to variables of its callers,
                    // which cannot be arguments here. The variables to which any other lambda refers are unknown.
                    Some(Bound::Local(local)) if self.b.local_ty(local).item == Item::Lambda => {
                        all.has_unknown |=
                            !self.callables.get(&local).is_some_and(|callable| callable.of_parameter);
                        continue;
                    }
                    Some(Bound::Local(local)) => Target::Part(local, None),
                    Some(Bound::Place(place)) => Target::of(&self.places[place]),
                    Some(Bound::Element(element)) => Target::of(&self.elements[element].value),
                    None => {
                        let member = self.functions().and_then(|f| f.member_changes(&name.path));
                        let (Some(this), Some(member)) = (self.own_object_local(), member) else { continue };
                        changes = member;
                        Target::Part(this, None)
                    }
                };
                all.captured.push((target, changes));
            }
        }
    }

    /// Stores copies of parts of variables back after a call. Returns the result of the call.
    pub(super) fn store_back(
        &mut self,
        node: NodeId,
        back: Vec<(LocalId, Place)>,
        held: &mut Held,
        made: Typed,
    ) -> Lowered {
        if back.is_empty() {
            return Ok(made);
        }
        let result = self.hold(node, made, held)?;
        let mut stored = Vec::new();
        for (local, place) in back {
            let new = self.build(node, |b| b.local(local))?;
            stored.push(self.store_place(node, &place, new)?);
        }
        let block = self.build(node, |b| b.block(&stored))?;
        self.build(node, |b| b.then(block, result))
    }

    /// True if the evaluation of an expression may change a variable.
    pub(super) fn may_change(&self, node: NodeId) -> bool {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        self.ast.iter().any(|inner| {
            let changes = matches!(
                inner.kind,
                NodeKind::Call(..) | NodeKind::Assign(..) | NodeKind::Compound(..) | NodeKind::Increment(..)
            );
            changes && lo <= inner.lo && inner.hi <= hi
        })
    }

    /// The variable that a call changes as its object. If the object is new or a part of another variable, this
    /// variable is a copy. The returned place is the part to which the copy is stored after the call.
    fn changed_object(
        &mut self,
        node: NodeId,
        object: &Object,
        held: &mut Held,
    ) -> Result<(LocalId, Option<Place>), Fault> {
        match &object.place {
            Some(place) if place.steps.is_empty() => Ok((place.root, None)),
            None if !object.is_new => {
                let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
                Err(error::unsupported("a change of a temporary object", lo, hi))
            }
            place => {
                let local = self.build(node, |b| b.new_local(object.value.ty))?;
                held.push((local, object.value));
                Ok((local, place.clone()))
            }
        }
    }
}

/// True for a parameter through which a function reads a variable of the caller.
fn refers(declared: &TypeName, ty: Ty) -> bool {
    let is_view =
        matches!(declared.path.as_str(), "ArrayRef" | "MutableArrayRef" | "ValueRange" | "TypeRange");
    let is_handle = matches!(ty.item, Item::Builder | Item::Op(_) | Item::Context | Item::Lambda);
    let is_constant = declared.passing == Passing::ConstReference || declared.is_forwarding;
    is_view || is_text_view(declared) || is_constant && !is_handle
}

/// The arguments of a call, while they are lowered.
#[derive(Default)]
pub(super) struct Arguments {
    /// True if the function has a reference parameter, or if it is called on an object in a variable.
    has_references: bool,
    pub(super) passed: Vec<Typed>,
    /// The variables and outputs that are passed to reference parameters.
    pub(super) by_reference: Vec<Typed>,
    /// The variables that the function may change.
    targets: Vec<Target>,
    /// The variables that the function reads through `const` references and views.
    aliases: Vec<Target>,
    /// The variables to which lambdas refer. The flag is true if a lambda may change the variable.
    captured: Vec<(Target, bool)>,
    /// True if a lambda refers to variables that are not known.
    has_unknown: bool,
    /// Arguments with effects, which are evaluated before the variables of references are read.
    pub(super) evaluated_first: Held,
    /// Copies of parts of variables, symbols and new values, each with the variable that holds it.
    pub(super) copies: Held,
    /// The parts of variables to store after the call.
    pub(super) stored_back: Vec<(LocalId, Place)>,
}

impl Arguments {
    pub(super) fn new(has_references: bool) -> Self {
        Self { has_references, ..Self::default() }
    }

    /// True if the function may change, itself or through a lambda, a variable to which another argument refers.
    pub(super) fn has_overlap(&self) -> bool {
        let twice = |(number, target): (usize, &Target)| {
            self.targets[..number].iter().any(|other| target.overlaps(*other))
        };
        let captured = |target: &Target| self.captured.iter().any(|(other, _)| target.overlaps(*other));
        let changed = |target: &Target| {
            self.captured.iter().any(|(other, changes)| *changes && target.overlaps(*other))
        };
        let read = |target: &Target| self.aliases.iter().any(|other| target.overlaps(*other));
        self.targets.iter().enumerate().any(twice)
            || self.targets.iter().any(|target| read(target) || captured(target))
            || self.aliases.iter().any(changed)
            || self.has_unknown && !self.targets.is_empty()
    }
}

/// A variable, field or output to which an argument refers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// A variable, or one of its fields.
    Part(LocalId, Option<u32>),
    /// An output of the snippet.
    Output(u32),
}

impl Target {
    fn of(place: &Place) -> Self {
        Self::Part(place.root, place.first_field())
    }

    /// True if both can denote the same value. Different fields of a variable do not overlap.
    fn overlaps(self, other: Self) -> bool {
        match (self, other) {
            (Self::Part(a, Some(x)), Self::Part(b, Some(y))) => a == b && x == y,
            (Self::Part(a, _), Self::Part(b, _)) => a == b,
            _ => self == other,
        }
    }
}
