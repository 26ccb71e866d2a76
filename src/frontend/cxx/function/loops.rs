//! Lowers loops.
//!
//! A range-based loop reads the elements of the range when it starts. If the body changes the range or its elements,
//! the loop has a counter instead, and each round refers to an element of the variable that holds the range.

use super::changes::zipped;
use super::lvalue::Held;
use super::place::{Place, Step};
use super::view::is_handle;
use crate::frontend::cxx::ast::{Node, NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error;
use crate::frontend::cxx::lower::{Bound, ContainerKind, Lower, Lowered, NumberedElement, Order};
use crate::snippet::{BinaryOp, Form, IntTy, Ty};

/// The variable of a loop over the elements of a range.
enum LoopVariable {
    /// `T &name`.
    Reference,
    /// `T name`, with the type `T`; `None` for `auto`.
    Copy(Option<Ty>),
}

impl Lower<'_, '_> {
    /// Lowers a `for` loop that is not over a range, or a `while` loop.
    pub(super) fn counted(
        &mut self,
        node: NodeId,
        declarations: &[NodeId],
        condition: Option<NodeId>,
        step: Option<NodeId>,
        body: NodeId,
    ) -> Lowered {
        let nothing = self.build(node, |b| b.null(Ty::NULL))?;
        let always = self.build(node, |b| b.bool(true))?;
        let step = match step {
            Some(step) => self.expression(step, None)?,
            None => nothing,
        };
        if declarations.is_empty() {
            let condition = match condition {
                Some(condition) => self.expression(condition, None)?,
                None => always,
            };
            let body = self.effects(node, &[body])?;
            return self.build(node, |b| b.repeat(condition, step, body));
        }
        // `while (auto x = e)` declares the variable in each round.
        let round = self.with_declarations(node, declarations, |this| {
            let condition = match condition {
                Some(condition) => this.expression(condition, None)?,
                None => always,
            };
            let stop = this.build(node, |b| b.break_loop())?;
            let body = this.effects(node, &[body])?;
            this.build(node, |b| b.branch(condition, body, stop))
        })?;
        self.build(node, |b| b.repeat(always, step, round))
    }

    /// Lowers `for (T name : range) body`.
    pub(super) fn each(
        &mut self,
        node: NodeId,
        ty: &TypeName,
        names: &[String],
        range: NodeId,
        body: NodeId,
    ) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let is_object = match ty.path.as_str() {
            // The result of a call is in no variable, so the static type of its elements decides if they are objects.
            "auto" if matches!(self.ast[range].kind, NodeKind::Call(..) | NodeKind::Deref(_)) => {
                let range = self.expression(range, None)?;
                self.b.element(range).item.is_object()
            }
            _ => self.refers_to_object(ty),
        };
        let is_reference = !is_object
            && (ty.is_forwarding || matches!(ty.passing, Passing::Reference | Passing::ConstReference))
            && !(ty.is_forwarding && zipped(self.ast, range).is_some());
        let (inside, end) = (self.ast[body].lo, self.ast[body].hi);
        let changes = match ty.is_forwarding {
            true => self.range_may_change(range, inside, end),
            false => self.changes_after(range, inside),
        };
        let assigned = names.iter().any(|name| self.changed.within(name, inside, end));
        let is_const = ty.passing == Passing::ConstReference;
        let changes_elements = ty.is_forwarding || ty.passing == Passing::Reference || names.len() > 1;
        if assigned && changes_elements && !is_const && self.is_deduced_view(range) {
            return Err(error::unsupported("a loop over references to changing elements", lo, hi));
        }
        if is_reference && (changes || assigned && !is_const) {
            if self.variable(range).is_some_and(|local| self.container(local).order == Order::Unstated) {
                return Err(error::unstated_order(lo, hi));
            }
            let mut held = Held::new();
            let Some(place) = self.place(range, &mut held)? else {
                return Err(error::unsupported("a loop over references to changing elements", lo, hi));
            };
            if let NodeKind::Name(name) = &self.ast[range].kind
                && self.container(place.root).kind != ContainerKind::List
                && !self.changed.only_by(names, &name.path, inside, end)
            {
                return Err(error::unsupported("a loop over a set or map that changes", lo, hi));
            }
            self.insert_keys(range, &place, &mut held)?;
            return self.each_place(node, names, place, held, body, LoopVariable::Reference);
        }
        if names.len() > 1 && self.is_zip(range, names) {
            return self.each_of_several(node, names, range, body);
        }
        // The element of `enumerate(range)` is a number and a reference.
        if names.len() == 1
            && self.is_enumerated(range)
            && (assigned || self.range_may_change(range, inside, end))
        {
            return self.each_of_several(node, names, range, body);
        }
        if self.range_may_change(range, inside, end) {
            let mut held = Held::new();
            let place = match self.place(range, &mut held)? {
                Some(place) if self.place_ty(node, &place)?.form == Form::Range => place,
                _ => return Err(error::unsupported("a loop over a view of a changing variable", lo, hi)),
            };
            if self.container(place.root).is_special()
                || self.container(place.root).kind == ContainerKind::Set
            {
                return Err(error::unsupported("a loop over a set or map that changes", lo, hi));
            }
            self.insert_keys(range, &place, &mut held)?;
            let element = Ty::one(self.place_ty(node, &place)?.item);
            let declared = self.type_of_conversion(ty, element)?;
            return self.each_place(node, names, place, held, body, LoopVariable::Copy(declared));
        }
        let is_zipped = zipped(self.ast, range).is_some();
        let class = match ty.path.as_str() {
            "auto" => self.element_class(range),
            class => Some(class).filter(|class| *class == "BlockArgument"),
        };
        let inner = self.variable(range).and_then(|local| self.container(local).inner);
        let range = self.expression(range, None)?;
        if is_zipped {
            // The fields are references to the elements of the ranges.
            let fields = self.b.element(range);
            let fields = self.b.field_types(fields).unwrap_or_else(|| vec![fields]);
            let changes = |(number, name): (usize, &String)| {
                let of = if names.len() > 1 { fields.get(number..=number) } else { Some(&fields[..]) };
                self.changed.within(name, inside, end)
                    && of.unwrap_or_default().iter().any(|&field| !is_handle(field))
            };
            if names.iter().enumerate().any(changes) {
                return Err(error::unsupported("a change of an element of several ranges", lo, hi));
            }
        }
        if self.container_of(range).order == Order::Unstated && !self.is_order_free(body, names, range) {
            return Err(error::unstated_order(lo, hi));
        }
        let range = self.build(node, |b| b.as_range(range))?;
        let element = inner.unwrap_or(Ty::one(range.ty.item));
        let declared = self.type_of_conversion(ty, element)?;
        let local = self.build(node, |b| b.new_local(element))?;
        // A declared type converts each element.
        let (bound, converted) = match declared {
            Some(to) if to != element => {
                let read = self.build(node, |b| b.local(local))?;
                let value = self.build(node, |b| b.returned(read, to))?;
                let second = self.build(node, |b| b.new_local(to))?;
                (second, Some(value))
            }
            _ => (local, None),
        };
        let scope = self.scope.len();
        if let Some(class) = class {
            self.classes.insert(bound, class.to_owned());
        }
        match names {
            [name] => self.scope.push((name.clone(), Bound::Local(bound))),
            _ => self.bind_fields(node, names, &Place { root: bound, steps: Vec::new() })?,
        }
        let body = self.effects(node, &[body]);
        self.scope.truncate(scope);
        let mut body = body?;
        if let Some(value) = converted {
            let all = self.b.bind(bound, value, body);
            body = self.at_node(node, all)?;
        }
        self.build(node, |b| b.for_each(local, range, body))
    }

    /// Lowers `for (T &name : range) body` or `for (T name : range) body`, where the body changes the range or its
    /// elements.
    fn each_place(
        &mut self,
        node: NodeId,
        names: &[String],
        place: Place,
        mut held: Held,
        body: NodeId,
        variable: LoopVariable,
    ) -> Lowered {
        let zero = self.build(node, |b| b.int(0, IntTy::I64))?;
        let index = self.build(node, |b| b.new_local(zero.ty))?;
        held.push((index, zero));
        let at = self.build(node, |b| b.local(index))?;
        let range = self.read_place(node, &place)?;
        let size = self.size_of(node, range)?;
        let condition = self.build(node, |b| b.binary(BinaryOp::Lt, at, size))?;
        let mut element = place;
        element.steps.push(Step::At(at));
        let mut copy = Held::new();
        if let LoopVariable::Copy(declared) = variable {
            let value = self.read_place(node, &element)?;
            let value = self.build(node, |b| b.returned(value, declared.unwrap_or(value.ty)))?;
            let local = self.build(node, |b| b.new_local(value.ty))?;
            copy.push((local, value));
            element = Place { root: local, steps: Vec::new() };
        }
        let scope = self.scope.len();
        match names {
            [name] if !copy.is_empty() => self.scope.push((name.clone(), Bound::Local(element.root))),
            [name] => self.bind_place(name, element),
            _ => self.bind_fields(node, names, &element)?,
        }
        let body = self.effects(node, &[body]);
        self.scope.truncate(scope);
        let body = self.bind_held(node, copy, body?)?;
        let one = self.build(node, |b| b.int(1, IntTy::I64))?;
        let next = self.build(node, |b| b.binary(BinaryOp::Add, at, one))?;
        let step = self.build(node, |b| b.set(index, next))?;
        let all = self.build(node, |b| b.repeat(condition, step, body))?;
        self.bind_held(node, held, all)
    }

    /// The range and the end of the loop over `zip(…)` or `enumerate(…)` that contains `node` and has the variable
    /// `value`. `None` if there is no such loop. The fields of `value` are references.
    pub(super) fn loop_of_zipped(&self, node: NodeId, value: NodeId) -> Option<(NodeId, usize)> {
        let NodeKind::Name(element) = &self.ast[value].kind else { return None };
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        self.ast.iter().find_map(|outer| match &outer.kind {
            NodeKind::ForEach { names, range, .. } => {
                let is_outer = outer.lo <= lo && hi <= outer.hi && *names == [element.path.as_str()];
                (is_outer && zipped(self.ast, *range).is_some()).then_some((*range, outer.hi))
            }
            _ => None,
        })
    }

    /// True for a variable that is declared as `auto` or `iterator_range` and is a view of another variable.
    fn is_deduced_view(&self, node: NodeId) -> bool {
        let NodeKind::Name(of) = &self.ast[node].kind else { return false };
        let is_view = self.variable(node).is_some_and(|local| self.views.get(&local) == Some(&false));
        let deduces = |other: &Node| match &other.kind {
            NodeKind::Declare { ty, name, .. } => {
                *name == of.path && matches!(ty.path.as_str(), "auto" | "iterator_range")
            }
            _ => false,
        };
        is_view && self.ast.iter().any(deduces)
    }

    /// True for `enumerate(range)`.
    fn is_enumerated(&self, range: NodeId) -> bool {
        let NodeKind::Call(callee, ranges) = &self.ast[range].kind else { return false };
        let is_name = matches!(&self.ast[*callee].kind, NodeKind::Name(name) if name.path == "enumerate");
        is_name && ranges.len() == 1
    }

    /// True for `zip(…)` and `enumerate(…)` if the number of names fits the number of ranges.
    fn is_zip(&self, range: NodeId, names: &[String]) -> bool {
        let NodeKind::Call(callee, ranges) = &self.ast[range].kind else { return false };
        let NodeKind::Name(function) = &self.ast[*callee].kind else { return false };
        let numbered = match function.path.as_str() {
            "zip" | "zip_equal" | "zip_first" => false,
            "enumerate" => true,
            _ => return false,
        };
        names.len() == ranges.len() + usize::from(numbered)
    }

    /// Lowers `for (auto [a, b] : llvm::zip(x, y)) body`, or the same loop with `enumerate`.
    fn each_of_several(&mut self, node: NodeId, names: &[String], range: NodeId, body: NodeId) -> Lowered {
        let ast = self.ast;
        let (lo, hi) = (ast[node].lo, ast[node].hi);
        let unsupported = || error::unsupported("a structured binding", lo, hi);
        let NodeKind::Call(callee, ranges) = &ast[range].kind else { return Err(unsupported()) };
        let NodeKind::Name(function) = &ast[*callee].kind else { return Err(unsupported()) };
        let numbered = match function.path.as_str() {
            "zip" | "zip_equal" | "zip_first" => false,
            "enumerate" => true,
            _ => return Err(unsupported()),
        };
        // One name denotes the number and the element.
        let is_whole = numbered && names.len() == 1 && ranges.len() == 1;
        if !is_whole && names.len() != ranges.len() + usize::from(numbered) {
            return Err(unsupported());
        }
        let (inside, end) = (ast[body].lo, ast[body].hi);
        let is_assigned = |this: &Self, name: &String| this.text_may_change(name, inside, end);
        let (number, elements) = names.split_at(usize::from(numbered && !is_whole));
        if number.iter().any(|name| is_assigned(self, name)) {
            return Err(error::unsupported("a change of the number of an element", lo, hi));
        }
        // The elements of a range that changes are read from the variable.
        let mut held = Held::new();
        let mut places = Vec::new();
        for (&range, name) in ranges.iter().zip(elements) {
            let (changes, assigned) = (self.range_may_change(range, inside, end), is_assigned(self, name));
            let place = if changes || assigned { self.place(range, &mut held)? } else { None };
            if let Some(place) = place
                && self.place_ty(node, &place)?.form == Form::Range
                && self.container(place.root).kind == ContainerKind::List
                && !self.container(place.root).is_special()
            {
                places.push((place, true));
                continue;
            }
            if changes {
                return Err(error::unsupported("a loop over a view of a changing variable", lo, hi));
            }
            let range = self.expression(range, None)?;
            let range = self.build(node, |b| b.as_range(range))?;
            if is_whole || assigned && !is_handle(Ty::one(range.ty.item)) {
                return Err(error::unsupported("a change of an element of several ranges", lo, hi));
            }
            let local = self.build(node, |b| b.new_local(range.ty))?;
            held.push((local, range));
            places.push((Place { root: local, steps: Vec::new() }, false));
        }
        let zero = self.build(node, |b| b.int(0, IntTy::U64))?;
        let index = self.build(node, |b| b.new_local(zero.ty))?;
        let read = |this: &mut Self, local| this.build(node, |b| b.local(local));
        // The loop ends with the shortest range.
        let always = self.b.bool(true);
        let mut condition = self.at_node(node, always)?;
        for (place, _) in &places {
            let (at, range) = (read(self, index)?, self.read_place(node, place)?);
            let size = self.library_method(node, range, "size", &[])?;
            let less = self.build(node, |b| b.binary(BinaryOp::Lt, at, size))?;
            let both = self.b.and(condition, less);
            condition = self.at_node(node, both)?;
        }
        let scope = self.scope.len();
        if let [name] = number {
            self.scope.push((name.clone(), Bound::Local(index)));
        }
        let mut copies = Held::new();
        for (name, (mut place, changes)) in elements.iter().zip(places) {
            place.steps.push(Step::At(read(self, index)?));
            if is_whole {
                self.elements.push(NumberedElement { index, value: place });
                self.scope.push((name.clone(), Bound::Element(self.elements.len() - 1)));
                continue;
            }
            if changes {
                self.bind_place(name, place);
                continue;
            }
            let element = self.read_place(node, &place)?;
            let bound = self.build(node, |b| b.new_local(element.ty))?;
            self.scope.push((name.clone(), Bound::Local(bound)));
            copies.push((bound, element));
        }
        let body = self.effects(node, &[body]);
        self.scope.truncate(scope);
        let body = self.bind_held(node, copies, body?)?;
        let (at, one) = (read(self, index)?, self.b.int(1, IntTy::U64));
        let one = self.at_node(node, one)?;
        let next = self.build(node, |b| b.binary(BinaryOp::Add, at, one))?;
        let step = self.build(node, |b| b.set(index, next))?;
        let all = self.build(node, |b| b.repeat(condition, step, body))?;
        held.insert(0, (index, zero));
        self.bind_held(node, held, all)
    }
}
