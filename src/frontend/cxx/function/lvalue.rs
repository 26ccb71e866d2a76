//! Lowers lvalues: expressions that denote a variable, an element or field of a variable, or a reference to one of
//! these.
//!
//! A local of a snippet holds a value and has no address. A C++ reference is therefore lowered to a *place*: a
//! variable, with the steps to the element or field. A read of a reference reads the place, and an assignment changes
//! the variable.

use super::changes::{is_map, is_set};
use super::place::{Place, Step};
use crate::frontend::cxx::ast::{NodeId, NodeKind, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Bound, ContainerKind, Lower, Lowered, NumberedElement, Order};
use crate::snippet::{BinaryOp, Builder, Builtin, Form, IntTy, Item, LocalId, Ty, TypeError, Typed, Update};

/// The type `char`.
pub(in crate::frontend::cxx) const CHAR: Ty = Ty::one(Item::Int(IntTy::I8));

/// Locals with their values, to bind before an expression.
pub(in crate::frontend::cxx) type Held = Vec<(LocalId, Typed)>;

/// The range with the elements between two iterators replaced by those of `new`, or removed if `new` is `None`.
pub(super) fn spliced(
    b: &mut Builder<'_>,
    range: Typed,
    [first, last]: [Typed; 2],
    new: Option<Typed>,
) -> Result<Typed, TypeError> {
    let iterator = Ty { item: range.ty.item, form: Form::Iterator };
    let begin = b.algorithm(Builtin::Begin, &[range], iterator)?;
    let end = b.algorithm(Builtin::End, &[range], iterator)?;
    let mut front = b.algorithm(Builtin::IterRange, &[begin, first], range.ty)?;
    if let Some(new) = new {
        front = b.algorithm(Builtin::Concat, &[front, new], range.ty)?;
    }
    let after = b.algorithm(Builtin::IterRange, &[last, end], range.ty)?;
    b.algorithm(Builtin::Concat, &[front, after], range.ty)
}

impl Lower<'_, '_> {
    /// The place that an expression denotes; `None` if it denotes a value. Indices and keys that are not constant are
    /// added to `held`; the caller binds them before it uses the place.
    pub(in crate::frontend::cxx) fn place(
        &mut self,
        node: NodeId,
        held: &mut Held,
    ) -> Result<Option<Place>, Fault> {
        let ast = self.ast;
        let (of, step) = match &ast[node].kind {
            NodeKind::Name(_) | NodeKind::Placeholder(..) => {
                let name = match &ast[node].kind {
                    NodeKind::Name(name) => name.path.as_str(),
                    NodeKind::Placeholder(name, _) => name.as_str(),
                    _ => return Ok(None),
                };
                return Ok(match self.scope.iter().rev().find(|(bound, _)| bound == name) {
                    Some((_, Bound::Local(local))) => Some(Place { root: *local, steps: Vec::new() }),
                    Some((_, Bound::Place(place))) => self.places.get(*place).cloned(),
                    _ => None,
                });
            }
            NodeKind::Deref(of) => {
                let local = self.variable(node);
                return match local {
                    Some(local) => Ok(Some(Place { root: local, steps: Vec::new() })),
                    None if matches!(ast[*of].kind, NodeKind::AddressOf(_)) => self.place(*of, held),
                    None => match self.place_of_iterator(node, *of, held)? {
                        Some(place) => Ok(Some(place)),
                        None => match self.place_of_found(*of, held)? {
                            Some(place) => Ok(Some(place)),
                            None => self.place_of_value(node, *of, held),
                        },
                    },
                };
            }
            NodeKind::AddressOf(of) => return self.place(*of, held),
            NodeKind::Index(of, index) => (*of, PlaceStep::At(*index)),
            NodeKind::Member { object, name, .. } => (*object, PlaceStep::Field(name)),
            NodeKind::Call(callee, args) => match (&ast[*callee].kind, &args[..]) {
                (NodeKind::Member { object, name, .. }, [])
                    if name == "value"
                        && let Some(element) = self.numbered_element(*object) =>
                {
                    return Ok(Some(element.value.clone()));
                }
                (NodeKind::Member { object, name, .. }, []) if name == "value" => {
                    return self.place_of_value(node, *object, held);
                }
                (NodeKind::Member { object, name, .. }, []) if name == "front" => (*object, PlaceStep::Front),
                (NodeKind::Member { object, name, .. }, []) if name == "back" => (*object, PlaceStep::Back),
                (NodeKind::Name(name), &[of]) if name.path == "get" => match tuple_index(name) {
                    Some(index) => (of, PlaceStep::Number(index)),
                    None => return Ok(None),
                },
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let before = held.len();
        let element = match step {
            PlaceStep::Field(_) => self.place_of_iterator(node, of, held)?,
            _ => None,
        };
        let place = match element {
            Some(place) => Some(place),
            None => self.place(of, held)?,
        };
        let Some(mut place) = place else { return Ok(None) };
        let mut ty = self.place_ty(node, &place)?;
        // `x->field` of an optional.
        if ty.form == Form::Optional
            && matches!(step, PlaceStep::Field(_))
            && self.container_of_place(&place).held.is_none()
        {
            place.steps.push(Step::Value);
            ty = Ty::one(ty.item);
        }
        let is_range = ty.form == Form::Range || ty == Ty::UNKNOWN || ty == Ty::STR;
        let step = match step {
            PlaceStep::Field(name) => self.b.field_index(ty, name).map(Step::Field),
            PlaceStep::Number(index) => self.b.field_types(ty).map(|_| Step::Field(index)),
            _ if !is_range => None,
            PlaceStep::At(key)
                if place.steps.is_empty() && self.container(place.root).kind == ContainerKind::Map =>
            {
                let key = self.map_key(node, ty, key)?;
                Some(Step::Key(self.hold(node, key, held)?))
            }
            PlaceStep::At(index) => {
                let index = self.expression(index, None)?;
                let index = self.build(node, |b| b.convert(index, Ty::I64))?;
                Some(Step::At(self.hold(node, index, held)?))
            }
            PlaceStep::Front => {
                let zero = self.b.int(0, IntTy::I64);
                Some(Step::At(self.at_node(node, zero)?))
            }
            PlaceStep::Back => {
                let range = self.read_place(node, &place)?;
                let size = self.size_of(node, range)?;
                let one = self.build(node, |b| b.int(1, IntTy::I64))?;
                let last = self.build(node, |b| b.binary(BinaryOp::Sub, size, one))?;
                Some(Step::At(self.hold(node, last, held)?))
            }
        };
        match step {
            Some(step) => {
                place.steps.push(step);
                Ok(Some(place))
            }
            None => {
                held.truncate(before);
                Ok(None)
            }
        }
    }

    /// The value of an optional in a place; `None` for another expression.
    fn place_of_value(&mut self, node: NodeId, of: NodeId, held: &mut Held) -> Result<Option<Place>, Fault> {
        let before = held.len();
        let Some(mut place) = self.place(of, held)? else { return Ok(None) };
        let holds_range = self.container_of_place(&place).held.is_some();
        if self.place_ty(node, &place)?.form != Form::Optional || holds_range {
            held.truncate(before);
            return Ok(None);
        }
        place.steps.push(Step::Value);
        Ok(Some(place))
    }

    /// The element of a loop over `enumerate(range)` that a name denotes.
    fn numbered_element(&self, node: NodeId) -> Option<&NumberedElement> {
        let NodeKind::Name(name) = &self.ast[node].kind else { return None };
        match self.scope.iter().rev().find(|(bound, _)| *bound == name.path)?.1 {
            Bound::Element(element) => self.elements.get(element),
            _ => None,
        }
    }

    /// Lowers `element.index()` and `element.value()`, where `element` is the variable of a loop over
    /// `enumerate(range)`; `None` for another call.
    pub(in crate::frontend::cxx) fn part_of_element(
        &mut self,
        node: NodeId,
        object: NodeId,
        method: &str,
    ) -> Result<Option<Typed>, Fault> {
        let Some(NumberedElement { index, value }) = self.numbered_element(object).cloned() else {
            return Ok(None);
        };
        match method {
            "index" => self.build(node, |b| b.local(index)).map(Some),
            "value" => {
                let read = self.read_place(node, &value)?;
                self.set_container(read, self.container_of_place(&value));
                Ok(Some(read))
            }
            _ => Ok(None),
        }
    }

    /// The value of a variable. An iterator over a variable that changes is read as an iterator over the current
    /// elements.
    pub(in crate::frontend::cxx) fn read_local(&mut self, node: NodeId, local: LocalId) -> Lowered {
        self.require_valid(node, local)?;
        let read = self.build(node, |b| b.local(local))?;
        let Some(&root) = self.iterators.get(&local) else { return Ok(read) };
        self.build(node, |b| {
            let range = b.local(root)?;
            let begin = b.algorithm(Builtin::Begin, &[range], read.ty)?;
            let index = b.algorithm(Builtin::Distance, &[begin, read], Ty::I64)?;
            b.algorithm(Builtin::Next, &[begin, index], read.ty)
        })
    }

    /// The element to which an iterator in a variable points; `None` if `self.iterators` does not contain the iterator.
    pub(super) fn place_of_iterator(
        &mut self,
        node: NodeId,
        of: NodeId,
        held: &mut Held,
    ) -> Result<Option<Place>, Fault> {
        let Some(local) = self.variable(of) else { return Ok(None) };
        let Some(&root) = self.iterators.get(&local) else { return Ok(None) };
        self.require_valid(of, local)?;
        let index = self.build(node, |b| {
            let (range, to) = (b.local(root)?, b.local(local)?);
            let iterator = Ty { item: range.ty.item, form: Form::Iterator };
            let begin = b.algorithm(Builtin::Begin, &[range], iterator)?;
            b.algorithm(Builtin::Distance, &[begin, to], Ty::I64)
        })?;
        let index = self.hold(node, index, held)?;
        Ok(Some(Place { root, steps: vec![Step::At(index)] }))
    }

    /// The element of a variable that a call such as `llvm::find(v, x)` finds; `None` for another expression.
    fn place_of_found(&mut self, node: NodeId, held: &mut Held) -> Result<Option<Place>, Fault> {
        let ast = self.ast;
        let NodeKind::Call(callee, args) = &ast[node].kind else { return Ok(None) };
        let (NodeKind::Name(name), Some(&range)) = (&ast[*callee].kind, args.first()) else {
            return Ok(None);
        };
        let finds = matches!(name.path.as_str(), "find" | "find_if" | "max_element" | "min_element");
        let is_helper = self.functions().is_some_and(|functions| !functions.named(&name.path).is_empty());
        let Some(root) = self.variable(range).filter(|_| finds && !is_helper) else { return Ok(None) };
        if self.container(root).kind != ContainerKind::List || self.b.local_ty(root).form != Form::Range {
            return Ok(None);
        }
        let found = self.expression(node, None)?;
        let index = self.build(node, |b| {
            let begin = b.local(root)?;
            let begin = b.algorithm(Builtin::Begin, &[begin], found.ty)?;
            b.algorithm(Builtin::Distance, &[begin, found], Ty::I64)
        })?;
        let index = self.hold(node, index, held)?;
        Ok(Some(Place { root, steps: vec![Step::At(index)] }))
    }

    /// The value of the element to which an iterator points; `None` if `self.iterators` does not contain the iterator.
    /// The value is read from the range, because the iterator holds the elements as they were before a change.
    pub(in crate::frontend::cxx) fn element_of_iterator(
        &mut self,
        node: NodeId,
        of: NodeId,
    ) -> Result<Option<Typed>, Fault> {
        let mut held = Held::new();
        let Some(place) = self.place_of_iterator(node, of, &mut held)? else { return Ok(None) };
        let value = self.read_place(node, &place)?;
        self.bind_held(node, held, value).map(Some)
    }

    /// The size of a range, as `int64_t`.
    pub(super) fn size_of(&mut self, node: NodeId, range: Typed) -> Lowered {
        let size = self.build(node, |b| b.as_range(range))?;
        self.build(node, |b| b.algorithm(Builtin::Size, &[size], Ty::I64))
    }

    /// Adds a value to `held`, and returns an expression that reads it without evaluating it again.
    pub(in crate::frontend::cxx) fn hold(&mut self, node: NodeId, value: Typed, held: &mut Held) -> Lowered {
        if self.b.is_literal(value) {
            return Ok(value);
        }
        let local = self.build(node, |b| b.new_local(value.ty))?;
        held.push((local, value));
        self.build(node, |b| b.local(local))
    }

    /// Binds the held values before an expression.
    pub(in crate::frontend::cxx) fn bind_held(
        &mut self,
        node: NodeId,
        held: Held,
        mut value: Typed,
    ) -> Lowered {
        for (local, of) in held.into_iter().rev() {
            let all = self.b.bind(local, of, value);
            value = self.at_node(node, all)?;
        }
        Ok(value)
    }

    /// The value of a place.
    pub(in crate::frontend::cxx) fn read_place(&mut self, node: NodeId, place: &Place) -> Lowered {
        let mut value = self.read_local(node, place.root)?;
        for (depth, &step) in place.steps.iter().enumerate() {
            value = match step {
                Step::At(index) => {
                    let element = self.build(node, |b| b.index(value, index))?;
                    let inner = self.container(place.root).inner.filter(|_| depth == 0);
                    Typed { ty: inner.unwrap_or(element.ty), ..element }
                }
                Step::Value => self.build(node, |b| b.deref(value))?,
                Step::Field(field) => self.field_of(node, value, field)?,
                Step::Key(key) => self.map_value(node, value, key)?,
            };
        }
        Ok(value)
    }

    /// The type of a place.
    pub(super) fn place_ty(&mut self, node: NodeId, place: &Place) -> Result<Ty, Fault> {
        let mut ty = self.b.local_ty(place.root);
        for (depth, step) in place.steps.iter().enumerate() {
            ty = match step {
                Step::At(_)
                    if depth == 0
                        && let Some(inner) = self.container(place.root).inner =>
                {
                    inner
                }
                Step::At(_) if ty == Ty::STR => CHAR,
                Step::At(_) | Step::Value => Ty::one(ty.item),
                Step::Key(_) => self.map_types(node, ty)?[1],
                Step::Field(field) => {
                    match self.b.field_types(ty).and_then(|f| f.get(*field as usize).copied()) {
                        Some(ty) => ty,
                        None => return Err(error::not_assignable(self.ast[node].lo, self.ast[node].hi)),
                    }
                }
            };
        }
        Ok(ty)
    }

    /// The type of the elements of a range of ranges; `None` for another type, for sets and maps as elements, and for
    /// elements of unknown type.
    pub(in crate::frontend::cxx) fn inner_range(&mut self, ty: &TypeName) -> Option<Ty> {
        let element = ty.args.first().filter(|element| !is_set(&element.path) && !is_map(&element.path))?;
        let (outer, inner) = (self.static_type(ty)?, self.static_type(element)?);
        let nests = outer == Ty::range(Item::Unknown) && inner.form == Form::Range;
        (nests && inner.item != Item::Unknown).then_some(inner)
    }

    /// The variable that holds a range of ranges in `v[i]`, `v[i][k]`, `v.back()` and similar expressions.
    fn nested_root(&self, mut node: NodeId) -> Option<LocalId> {
        loop {
            node = match &self.ast[node].kind {
                NodeKind::Name(_) => {
                    return self.variable(node).filter(|&local| self.container(local).inner.is_some());
                }
                NodeKind::Index(of, _) => *of,
                NodeKind::Call(callee, args) if args.is_empty() => match &self.ast[*callee].kind {
                    NodeKind::Member { object, name, .. } if matches!(name.as_str(), "front" | "back") => {
                        *object
                    }
                    _ => return None,
                },
                _ => return None,
            };
        }
    }

    /// A part of a variable that holds a range of ranges, with the type that the declaration states; `None` for another
    /// expression.
    pub(in crate::frontend::cxx) fn nested_element(&mut self, node: NodeId) -> Result<Option<Typed>, Fault> {
        if self.nested_root(node).is_none() {
            return Ok(None);
        }
        let mut held = Held::new();
        let Some(place) = self.place(node, &mut held)? else { return Ok(None) };
        let value = self.read_place(node, &place)?;
        self.bind_held(node, held, value).map(Some)
    }

    /// Converts the inner ranges of a range of ranges to their declared type `inner`. Only ranges of floats need this,
    /// because a braced list can contain integers where floats are declared.
    pub(in crate::frontend::cxx) fn inner_numbers(
        &mut self,
        node: NodeId,
        value: Typed,
        inner: Ty,
    ) -> Lowered {
        match inner.item {
            Item::Double | Item::Float => self.build(node, |b| b.convert_inner(value, inner.item)),
            _ => Ok(value),
        }
    }

    /// Assigns a value to a place.
    pub(super) fn store_place(&mut self, node: NodeId, place: &Place, value: Typed) -> Lowered {
        let ty = self.place_ty(node, place)?;
        // An `APInt` to which a machine integer is assigned keeps its width.
        let value = match (ty, value.ty) {
            (Ty::AP_INT, Ty { item: Item::Int(_), form: Form::One }) => {
                let old = self.read_place(node, place)?;
                self.build(node, |b| {
                    let width = b.algorithm(Builtin::BitWidth, &[old], Ty::U32)?;
                    let (all, number) = (b.int(64, IntTy::U32)?, b.convert(value, Ty::U64)?);
                    let number = b.algorithm(Builtin::MakeApInt, &[all, number], Ty::AP_INT)?;
                    b.algorithm(Builtin::ZextOrTrunc, &[number, width], Ty::AP_INT)
                })?
            }
            _ => value,
        };
        // An `APSInt` to which an `APInt` is assigned keeps its signedness.
        let value = match value.ty == Ty::AP_INT && self.b.is_signed_number(ty) {
            true => {
                let old = self.read_place(node, place)?;
                self.build(node, |b| {
                    let is_unsigned = b.is_unsigned(old)?;
                    b.signed_number(value, is_unsigned)
                })?
            }
            false => value,
        };
        let Some((&last, before)) = place.steps.split_last() else {
            let value = match self.container(place.root).inner {
                Some(inner) => self.inner_numbers(node, value, inner)?,
                None => value,
            };
            return self.build(node, |b| b.set(place.root, value));
        };
        let value = self.build(node, |b| b.returned(value, ty))?;
        if let (Step::At(index), []) = (last, before)
            && self.b.local_ty(place.root) != Ty::STR
        {
            return self.build(node, |b| b.update(Update::SetAt, place.root, &[index, value]));
        }
        // The parts of the variable that contain the changed part are rebuilt.
        let mut held = Held::new();
        let value = self.hold(node, value, &mut held)?;
        let mut part = value;
        for depth in (0..place.steps.len()).rev() {
            let outer = Place { root: place.root, steps: place.steps[..depth].to_vec() };
            let outer = self.read_place(node, &outer)?;
            let index = match place.steps[depth] {
                Step::Key(key) => {
                    let sorted = self.container(place.root).order == Order::Ascending;
                    part = self.map_with(node, outer, key, part, sorted)?;
                    continue;
                }
                // An assignment to the value of an empty optional is undefined.
                Step::Value => {
                    part = self.build(node, |b| {
                        let present = b.deref(outer)?;
                        b.then(present, part)
                    })?;
                    continue;
                }
                Step::At(index) if outer.ty == Ty::STR => {
                    part = self.with_character(node, outer, index, part)?;
                    continue;
                }
                Step::At(index) => index,
                Step::Field(field) => {
                    let field = self.b.int(i128::from(field), IntTy::I64);
                    self.at_node(node, field)?
                }
            };
            let with = self.b.algorithm(Builtin::WithElement, &[outer, index, part], outer.ty);
            part = self.at_node(node, with)?;
        }
        let e = self.build(node, |b| b.set(place.root, part))?;
        let both = self.build(node, |b| b.then(e, value))?;
        self.bind_held(node, held, both)
    }

    /// The text with another character at an index.
    fn with_character(&mut self, node: NodeId, text: Typed, index: Typed, character: Typed) -> Lowered {
        let before = self.part_of_text(node, text, "take_front", index)?;
        let one = self.build(node, |b| b.int(1, IntTy::I64))?;
        let next = self.build(node, |b| b.binary(BinaryOp::Add, index, one))?;
        let after = self.part_of_text(node, text, "drop_front", next)?;
        self.build(node, |b| {
            let changed = b.binary(BinaryOp::Add, before, character)?;
            b.binary(BinaryOp::Add, changed, after)
        })
    }

    /// Replaces the value of a place by the value that `make` computes from it.
    pub(super) fn update_place(
        &mut self,
        node: NodeId,
        target: NodeId,
        make: impl FnOnce(&mut Self, Typed) -> Lowered,
    ) -> Lowered {
        let mut held = Held::new();
        let Some(place) = self.place(target, &mut held)? else {
            return Err(error::not_assignable(self.ast[target].lo, self.ast[target].hi));
        };
        let read = self.read_place(node, &place)?;
        let value = make(self, read)?;
        let stored = self.store_place(node, &place, value)?;
        self.bind_held(node, held, stored)
    }

    /// Like [`Self::update_place`], for a `make` that needs only the builder.
    pub(super) fn update_with(
        &mut self,
        node: NodeId,
        target: NodeId,
        make: impl FnOnce(&mut Builder<'_>, Typed) -> Result<Typed, TypeError>,
    ) -> Lowered {
        self.update_place(node, target, |this, value| this.build(node, |b| make(b, value)))
    }

    /// Performs the effect `stored` if a condition holds. The value is `result` if the condition holds, and the
    /// opposite otherwise.
    pub(super) fn store_if(
        &mut self,
        node: NodeId,
        condition: Typed,
        stored: Typed,
        result: bool,
    ) -> Lowered {
        self.build(node, |b| {
            let (then, otherwise) = (b.bool(result)?, b.bool(!result)?);
            let then = b.then(stored, then)?;
            b.select(condition, then, otherwise)
        })
    }

    /// Adds the keys in a place to their maps, as `map[key]` does, before the place is bound to a reference. The effect
    /// becomes the value of an unused local.
    pub(super) fn insert_keys(&mut self, node: NodeId, place: &Place, held: &mut Held) -> Result<(), Fault> {
        if !place.steps.iter().any(|step| matches!(step, Step::Key(_))) {
            return Ok(());
        }
        let value = self.read_place(node, place)?;
        let value = self.hold(node, value, held)?;
        let stored = self.store_place(node, place, value)?;
        let local = self.build(node, |b| b.new_local(stored.ty))?;
        held.push((local, stored));
        Ok(())
    }

    /// Binds a name to a place.
    pub(in crate::frontend::cxx) fn bind_place(&mut self, name: &str, place: Place) {
        self.places.push(place);
        self.scope.push((name.to_owned(), Bound::Place(self.places.len() - 1)));
    }

    /// Binds names to the fields of a tuple in a place.
    pub(super) fn bind_fields(&mut self, node: NodeId, names: &[String], place: &Place) -> Result<(), Fault> {
        let ty = self.place_ty(node, place)?;
        let count = self.b.field_types(ty).map(|fields| fields.len());
        if count != Some(names.len()) {
            let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
            return Err(error::unsupported("a structured binding of this type", lo, hi));
        }
        for (field, name) in (0..).zip(names) {
            let mut part = place.clone();
            part.steps.push(Step::Field(field));
            self.bind_place(name, part);
        }
        Ok(())
    }

    /// The variable that stands for an argument of a reference parameter: the argument itself, or a copy of a part of a
    /// variable. The copy is stored back after the call.
    pub(super) fn reference(
        &mut self,
        node: NodeId,
        arg: NodeId,
        held: &mut Held,
    ) -> Result<Option<(LocalId, Option<Place>)>, Fault> {
        let Some(place) = self.place(arg, held)? else { return Ok(None) };
        if place.steps.is_empty() {
            return Ok(Some((place.root, None)));
        }
        let read = self.read_place(node, &place)?;
        let local = self.build(node, |b| b.new_local(read.ty))?;
        held.push((local, read));
        Ok(Some((local, Some(place))))
    }
}

/// The last step to a place, before the step is lowered.
enum PlaceStep<'a> {
    At(NodeId),
    Field(&'a str),
    Number(u32),
    Front,
    Back,
}

/// `N` in `get<N>`.
pub(super) fn tuple_index(name: &TypeName) -> Option<u32> {
    name.args.first()?.path.parse().ok()
}

/// True for a range, and for a value of unknown type, which may be a range.
pub(super) fn is_range(ty: Ty) -> bool {
    ty.form == Form::Range || matches!(ty, Ty { item: Item::Unknown, form: Form::One })
}
