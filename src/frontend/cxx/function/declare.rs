//! Lowers declarations: the variables and their initial values.

use super::array::is_array;
use super::changes::roots;
use super::guard::is_guard;
use super::lvalue::Held;
use super::place::Place;
use super::view::{is_text_view, names_type};
use crate::frontend::cxx::ast::{Ast, Initialiser, NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Bound, Lower, Lowered, Order};
use crate::snippet::{Builtin, Form, IntTy, Item, LocalId, Ty, Typed, Update};

/// The captures `[x = e]` of a lambda, and the lambda.
fn initialised_captures(ast: &Ast, mut node: NodeId) -> (Vec<(&str, NodeId)>, NodeId) {
    let mut captures = Vec::new();
    while let NodeKind::Let(name, value, rest) = &ast[node].kind {
        captures.push((name.as_str(), *value));
        node = *rest;
    }
    (captures, node)
}

impl Lower<'_, '_> {
    /// Lowers declarations, and the statements after them in their scope.
    pub(super) fn with_declarations(
        &mut self,
        node: NodeId,
        declarations: &[NodeId],
        then: impl FnOnce(&mut Self) -> Lowered,
    ) -> Lowered {
        let mut bound = Vec::new();
        for &declaration in declarations {
            match self.declare(declaration)? {
                Some(one) => bound.extend(one),
                None => {
                    let effect = self.effect(declaration)?;
                    // An expression is evaluated for its effect, as the value of an unused local.
                    let local = self.b.new_local(effect.ty);
                    bound.push((self.at_node(node, local)?, effect));
                }
            }
        }
        let mut value = then(self)?;
        for (local, init) in bound.into_iter().rev() {
            let all = self.b.bind(local, init, value);
            value = self.at_node(node, all)?;
        }
        Ok(value)
    }

    /// Declares the variables of a declaration. Returns the locals with their values, or `None` for another statement.
    fn declare(&mut self, node: NodeId) -> Result<Option<Vec<(LocalId, Typed)>>, Fault> {
        let ast = self.ast;
        Ok(Some(match &ast[node].kind {
            NodeKind::Declare { ty, name, init } => {
                if let Initialiser::Value(value) = init
                    && let (lets, lambda) = initialised_captures(ast, *value)
                    && let NodeKind::Lambda(_, _, _, copies) = &ast[lambda].kind
                {
                    let (mut copies, mut bound) = self.copies(node, lambda, copies)?;
                    for (name, init) in lets {
                        let value = self.expression(init, None)?;
                        if !self.viewed(init, value.ty).is_empty() {
                            self.require_fixed_ranges(init, init, ast[lambda].hi)?;
                        }
                        let local = self.build(node, |b| b.new_local(value.ty))?;
                        self.containers.insert(local, self.container_of(value));
                        bound.push((local, value));
                        copies.push((name.to_owned(), local));
                    }
                    let signature = self.signature(ty)?;
                    self.bind_lambda(name, lambda, copies, signature);
                    return Ok(Some(bound));
                }
                if self.in_function && self.declared_operator(node).is_some() {
                    self.bind_lambda(name, node, Vec::new(), None);
                    return Ok(Some(Vec::new()));
                }
                if is_guard(ast, node) {
                    return Ok(Some(Vec::new()));
                }
                if let Some(held) = self.declare_reference(node, ty, name, init)? {
                    return Ok(Some(held));
                }
                let value = self.initial(node, ty, init)?;
                let has_views = self.require_fixed_target(node, ty, init, value.ty)?;
                if is_text_view(ty) {
                    self.require_fixed_text(node)?;
                }
                let local = self.build(node, |b| b.new_local(value.ty))?;
                if matches!(ty.path.as_str(), "string" | "SmallString") {
                    self.strings.insert(local);
                }
                if has_views {
                    self.views.insert(local, names_type(ty, "MutableArrayRef"));
                }
                if let Some(&class) = self.value_types.get(&value.id) {
                    self.local_types.insert(local, class);
                }
                self.declare_container(local, ty, self.container_of(value));
                if let (Initialiser::Value(from), "auto") = (init, ty.path.as_str())
                    && let Some(class) = self.class_in_cxx(*from)
                {
                    self.classes.insert(local, class);
                }
                self.declare_callable(local, ty, false)?;
                self.declare_class_args(local, ty, init);
                self.declare_iterator(local, name, init);
                self.scope.push((name.clone(), Bound::Local(local)));
                vec![(local, value)]
            }
            NodeKind::Unpack { ty, names, value } => {
                let mut held = Held::new();
                let (lo, hi) = (ast[node].lo, ast[node].hi);
                let assigned = names.iter().any(|name| self.changed.contains(name));
                if let Some((range, end)) = self.loop_of_zipped(node, *value)
                    && (assigned || self.range_may_change(range, hi, end))
                {
                    return Err(error::unsupported("a change of an element of several ranges", lo, hi));
                }
                let is_mutable = ty.passing == Passing::Reference;
                let may_be_copy = ty.passing == Passing::ConstReference || ty.is_forwarding;
                let changes = (is_mutable || may_be_copy) && self.changes_after(*value, hi);
                let refers = is_mutable || changes || may_be_copy && assigned;
                let place = if refers { self.place(*value, &mut held)? } else { None };
                // A change of a copy would not change the variable that contains the part.
                let copies_part = || refers && assigned && !roots(ast, self.functions(), *value).is_empty();
                let place = match place {
                    Some(place) => {
                        for name in names {
                            self.require_fixed_element(node, name, &place)?;
                        }
                        self.insert_keys(*value, &place, &mut held)?;
                        place
                    }
                    None if changes || copies_part() => {
                        return Err(error::changing_reference(lo, hi));
                    }
                    None => {
                        let init = *value;
                        let value = self.expression(init, None)?;
                        if !self.viewed(init, value.ty).is_empty() {
                            self.require_fixed_ranges(node, init, hi)?;
                        }
                        if self.b.field_types(value.ty).is_some_and(|fields| fields.contains(&Ty::STR)) {
                            self.require_fixed_text(node)?;
                        }
                        let root = self.build(node, |b| b.new_local(value.ty))?;
                        held.push((root, value));
                        Place { root, steps: Vec::new() }
                    }
                };
                self.bind_fields(node, names, &place)?;
                held
            }
            _ => return Ok(None),
        }))
    }

    /// Copies of the variables that a lambda captures by value and that change later.
    pub(super) fn copies(
        &mut self,
        node: NodeId,
        lambda: NodeId,
        copies: &[String],
    ) -> Result<(Vec<(String, LocalId)>, Held), Fault> {
        let ast = self.ast;
        let (lo, hi) = (ast[lambda].lo, ast[lambda].hi);
        let all = copies.iter().any(|copy| copy == "=");
        let mut names: Vec<&str> = Vec::new();
        for inner in ast.iter().filter(|inner| lo <= inner.lo && inner.hi <= hi) {
            if let NodeKind::Name(name) = &inner.kind
                && (all || copies.contains(&name.path))
                && self.changed.after(&name.path, lo)
                && !self.is_own_member(&name.path)
                && !names.contains(&name.path.as_str())
            {
                names.push(&name.path);
            }
        }
        let (mut copied, mut bound) = (Vec::new(), Held::new());
        for name in names {
            let (value, container) = match self.scope.iter().rev().find(|(bound, _)| bound == name) {
                Some((_, Bound::Local(local))) => {
                    let read = self.b.local(*local);
                    (self.at_node(node, read)?, self.container(*local))
                }
                Some((_, Bound::Place(place))) => {
                    let place = self.places[*place].clone();
                    (self.read_place(node, &place)?, self.container_of_place(&place))
                }
                _ => continue,
            };
            let local = self.build(node, |b| b.new_local(value.ty))?;
            self.containers.insert(local, container);
            bound.push((local, value));
            copied.push((name.to_owned(), local));
        }
        Ok((copied, bound))
    }

    /// The initial value of a variable, with the type of the variable.
    pub(super) fn initial(&mut self, node: NodeId, ty: &TypeName, init: &Initialiser) -> Lowered {
        let value = self.initial_of_class(node, ty, init)?;
        // A variable that is declared `auto` has the class of its value.
        if ty.path != "auto" && self.container_class(ty).order != Order::Unstated {
            self.require_order(node, value)?;
        }
        Ok(value)
    }

    fn initial_of_class(&mut self, node: NodeId, ty: &TypeName, init: &Initialiser) -> Lowered {
        if ty.path == "auto" {
            let value = match init {
                Initialiser::Value(value) => *value,
                Initialiser::Arguments(args) | Initialiser::Braces(args) if args.len() == 1 => args[0],
                _ => return Err(error::statement("auto …", self.ast[node].lo, self.ast[node].hi)),
            };
            return self.expression(value, None);
        }
        let Some(to) = self.static_type(ty) else {
            return Err(self.unknown_type(ty));
        };
        if is_array(ty) && to.form == Form::Range {
            match init {
                Initialiser::Default => return self.default_array(node, ty, to),
                Initialiser::Value(value) => {
                    if let NodeKind::Braces(items) = &self.ast[*value].kind {
                        return self.construct(node, ty, items, true);
                    }
                }
                _ => {}
            }
        }
        match init {
            Initialiser::Value(value) => {
                let e = self.initialised(*value, to)?;
                let e = self.build(*value, |b| b.returned(e, to))?;
                self.distinct(node, ty, e)
            }
            Initialiser::Default => match self.array_of_parameter(node, ty, to, &[]) {
                Some(array) => array,
                None => self.default_value(node, to),
            },
            Initialiser::Arguments(args) | Initialiser::Braces(args) if to == Ty::BUILDER => {
                for &arg in args {
                    self.expression(arg, None)?;
                }
                self.build(node, |b| b.opaque(Item::Builder))
            }
            Initialiser::Arguments(args) => {
                self.construct(node, ty, args, false).map(|e| Typed { ty: to, ..e })
            }
            Initialiser::Braces(args) => self.construct(node, ty, args, true).map(|e| Typed { ty: to, ..e }),
        }
    }

    /// The value of a variable without an initialiser.
    pub(in crate::frontend::cxx) fn default_value(&mut self, node: NodeId, to: Ty) -> Lowered {
        let value = match (to.form, to.item) {
            (Form::Range, _) => self.b.list(&[]).map(|list| Typed { ty: to, ..list }),
            (Form::One, Item::Bool) => self.b.bool(false),
            (Form::One, Item::Int(int)) => self.b.int(0, int),
            (Form::One, Item::Enum(_)) => self.b.int(0, IntTy::I64).map(|e| Typed { ty: to, ..e }),
            (Form::One, Item::Double) => self.b.double(0.0),
            (Form::One, Item::Str) => self.b.str(""),
            (Form::One, Item::Float) => self.b.double(0.0).map(|e| Typed { ty: to, ..e }),
            (Form::One, Item::Tuple(id)) => {
                let mut fields = Vec::new();
                if let Some(class) = self.class_of_objects(to) {
                    if class.has_constructors {
                        return self.constructor_call(node, &class, &[], false);
                    }
                    let values = self.member_values(node, &class)?;
                    return self.build(node, |b| b.tuple(id, &values));
                }
                for ty in self.b.field_types(to).unwrap_or_default() {
                    fields.push(self.default_value(node, ty)?);
                }
                self.b.tuple(id, &fields)
            }
            (Form::One, Item::ApInt) => {
                let (width, zero) = (self.b.int(1, IntTy::U32), self.b.int(0, IntTy::U64));
                let args = [self.at_node(node, width)?, self.at_node(node, zero)?];
                self.b.function("APInt", &args, None).unwrap_or_else(|| self.b.null(to))
            }
            _ => self.b.null(to),
        };
        self.at_node(node, value)
    }

    /// Lowers `SmallVector<T> x(count, value)`, `x(range)`, `x(begin, end)`. If the elements of `x` are ranges, `inner`
    /// is their type.
    pub(in crate::frontend::cxx) fn filled(
        &mut self,
        node: NodeId,
        to: Ty,
        inner: Option<Ty>,
        args: &[NodeId],
    ) -> Lowered {
        if let &[begin, end] = args
            && let Some(range) = self.whole_range(begin, end)
        {
            let range = self.expression(range, None)?;
            return self.build(node, |b| b.convert(range, to));
        }
        let element = Ty::one(to.item);
        let values = self.items(args, Some(element))?;
        if let &[begin, end] = &values[..]
            && begin.ty.form == Form::Iterator
        {
            return self.build(node, |b| {
                let range = b.algorithm(Builtin::IterRange, &[begin, end], Ty::range(begin.ty.item))?;
                b.convert(range, to)
            });
        }
        let is_count =
            |e: &Typed| e.ty.form == Form::One && matches!(e.ty.item, Item::Int(_) | Item::Enum(_));
        let (count, filler) = match values[..] {
            [one] if !is_count(&one) => {
                return self.build(node, |b| b.convert(one, to));
            }
            [count] => (count, self.default_value(node, inner.unwrap_or(element))?),
            [count, filler] if is_count(&count) => {
                let filler = self.b.returned(filler, element);
                (count, self.at_node(node, filler)?)
            }
            _ => return Err(error::unsupported("this constructor", self.ast[node].lo, self.ast[node].hi)),
        };
        self.repeated(node, to, count, filler)
    }

    /// A range of `count` elements that are equal to `filler`.
    pub(super) fn repeated(&mut self, node: NodeId, to: Ty, count: Typed, filler: Typed) -> Lowered {
        let empty = self.build(node, |b| b.list(&[]).map(|list| Typed { ty: to, ..list }))?;
        let local = self.build(node, |b| b.new_local(to))?;
        let filled = self.build(node, |b| b.update(Update::Resize, local, &[count, filler]))?;
        let read = self.build(node, |b| b.local(local))?;
        let both = self.build(node, |b| b.then(filled, read))?;
        self.build(node, |b| b.bind(local, empty, both))
    }
}
