//! Lowers statements.
//!
//! A body becomes one expression if conditional expressions can replace its `return`s: `if (c) return a; return b;` is
//! `c ? a : b`. Other bodies, for example those with a `return` inside a loop, become statements.

use super::changes::{roots, update_of, zipped};
use super::flow::{Jump, aborts, jumps_out};
use super::guard::{has_guard, is_guard};
use super::lvalue::{Held, spliced};
use super::place::{Place, Step};
use super::view::{is_handle, is_text_view, names_type};
use crate::frontend::cxx::ast::{Ast, Group, Initialiser, Node, NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Bound, ContainerKind, Lower, Lowered, NumberedElement, Order};
use crate::snippet::{BinaryOp, Builtin, Form, IntTy, Item, LocalId, Ty, Typed, Update};
use crate::stack::with_room;

/// The maximum nesting of statements. In a body that becomes one expression, a statement counts as nested in the one
/// before it.
const STATEMENT_LIMIT: u32 = 2_000;

/// The remaining statements of a block, and those that follow the block.
struct Rest<'c> {
    statements: &'c [NodeId],
    outer: Option<&'c Rest<'c>>,
    /// The number of names that are in scope for the outer statements.
    outer_scope: usize,
}

/// The variable of a loop over the elements of a range.
enum LoopVariable {
    /// `T &name`.
    Reference,
    /// `T name`, with the type `T`; `None` for `auto`.
    Copy(Option<Ty>),
}

/// The captures `[x = e]` of a lambda, and the lambda.
fn initialised_captures(ast: &Ast, mut node: NodeId) -> (Vec<(&str, NodeId)>, NodeId) {
    let mut captures = Vec::new();
    while let NodeKind::Let(name, value, rest) = &ast[node].kind {
        captures.push((name.as_str(), *value));
        node = *rest;
    }
    (captures, node)
}

/// True if a statement contains a `return`, or, unless `returns_only` is true, a `break` or `continue`. Jumps that end
/// a lambda or an inner loop do not count.
fn jumps(ast: &Ast, node: NodeId, returns_only: bool) -> bool {
    let any = |nodes: &[NodeId], returns_only: bool| nodes.iter().any(|&node| jumps(ast, node, returns_only));
    with_room(|| match &ast[node].kind {
        NodeKind::Return(_) => true,
        NodeKind::Break | NodeKind::Continue => !returns_only,
        NodeKind::Block(statements) => any(statements, returns_only),
        NodeKind::If { then, otherwise, .. } => {
            jumps(ast, *then, returns_only) || otherwise.is_some_and(|node| jumps(ast, node, returns_only))
        }
        NodeKind::Loop { body, .. } | NodeKind::ForEach { body, .. } | NodeKind::DoWhile(body, _) => {
            jumps(ast, *body, true)
        }
        NodeKind::Switch(_, groups) => groups.iter().any(|group| any(&group.statements, returns_only)),
        _ => false,
    })
}

/// True if a statement contains a `return` with a value.
fn returns_value(ast: &Ast, node: NodeId) -> bool {
    with_room(|| match &ast[node].kind {
        NodeKind::Return(value) => value.is_some(),
        NodeKind::Block(statements) => statements.iter().any(|&node| returns_value(ast, node)),
        NodeKind::If { then, otherwise, .. } => {
            returns_value(ast, *then) || otherwise.is_some_and(|node| returns_value(ast, node))
        }
        NodeKind::Loop { body, .. } | NodeKind::ForEach { body, .. } | NodeKind::DoWhile(body, _) => {
            returns_value(ast, *body)
        }
        NodeKind::Switch(_, groups) => {
            groups.iter().flat_map(|group| &group.statements).any(|&node| returns_value(ast, node))
        }
        _ => false,
    })
}

/// True if the statements never reach their end.
fn exits(ast: &Ast, statements: &[NodeId]) -> bool {
    statements.iter().any(|&node| {
        with_room(|| match &ast[node].kind {
            NodeKind::Return(_) => true,
            NodeKind::Block(inner) => exits(ast, inner),
            NodeKind::If { then, otherwise: Some(otherwise), .. } => {
                exits(ast, &[*then]) && exits(ast, &[*otherwise])
            }
            NodeKind::Switch(_, groups) => {
                let last_exits = |group: &Group| exits(ast, &group.statements);
                groups.iter().any(|group| group.labels.contains(&None)) && groups.iter().all(last_exits)
            }
            _ => aborts(ast, node),
        })
    })
}

impl Lower<'_, '_> {
    fn nest<T>(&mut self, lower: impl FnOnce(&mut Self) -> Result<T, Fault>, at: usize) -> Result<T, Fault> {
        if self.statements >= STATEMENT_LIMIT {
            return Err(error::too_deep(at));
        }
        self.statements += 1;
        let result = with_room(|| lower(self));
        self.statements -= 1;
        result
    }

    /// Lowers the statements of a function or lambda. `result` is its declared result type. The value has the type of
    /// the result.
    pub(in crate::frontend::cxx) fn body(&mut self, node: NodeId, result: Option<Ty>) -> Lowered {
        let NodeKind::Block(statements) = &self.ast[node].kind else { return self.expression(node, result) };
        let scope = self.scope.len();
        // A lambda in which no `return` has a value has no result.
        let result = result.or_else(|| (!returns_value(self.ast, node)).then_some(Ty::NULL));
        self.results.push(result);
        let guards = (std::mem::take(&mut self.guards), std::mem::take(&mut self.loop_guards));
        let rest = Rest { statements, outer: None, outer_scope: scope };
        let value = if self.is_expression(&rest) {
            self.value(node, &rest)
        } else {
            self.effects(node, statements).and_then(|block| {
                let ty = self.results.last().copied().flatten().unwrap_or(Ty::NULL);
                let end = self.end_of_body(node)?;
                let block = self.build(node, |b| b.block(&[block, end]))?;
                self.build(node, |b| b.body(block, ty))
            })
        };
        self.results.pop();
        (self.guards, self.loop_guards) = guards;
        self.scope.truncate(scope);
        value
    }

    /// True if statements can become one expression.
    fn is_expression(&self, rest: &Rest<'_>) -> bool {
        let ast = self.ast;
        let Some((&first, after)) = rest.statements.split_first() else {
            return rest.outer.is_none_or(|outer| self.is_expression(outer));
        };
        let after = Rest { statements: after, ..*rest };
        let inside = |statements: &[NodeId]| {
            let inner = Rest { statements, outer: Some(&after), outer_scope: 0 };
            self.is_expression(&inner)
        };
        with_room(|| match &ast[first].kind {
            NodeKind::Return(_) => true,
            NodeKind::Break | NodeKind::Continue => false,
            NodeKind::Block(statements) if has_guard(ast, statements) => match exits(ast, statements) {
                true => self.is_expression(&Rest { statements, outer: None, outer_scope: 0 }),
                false => !jumps(ast, first, false) && self.is_expression(&after),
            },
            NodeKind::Block(statements) => inside(statements),
            NodeKind::If { then, otherwise, .. } => {
                let otherwise: Vec<NodeId> = otherwise.iter().copied().collect();
                if exits(ast, &[*then]) {
                    self.is_expression(&Rest { statements: &[*then], outer: None, outer_scope: 0 })
                        && inside(&otherwise)
                } else if exits(ast, &otherwise) {
                    self.is_expression(&Rest { statements: &otherwise, outer: None, outer_scope: 0 })
                        && inside(&[*then])
                } else {
                    !jumps(ast, first, false) && self.is_expression(&after)
                }
            }
            NodeKind::Switch(_, groups) => {
                let alone = |group: &Group| {
                    let inner = Rest { statements: &group.statements, outer: None, outer_scope: 0 };
                    exits(ast, &group.statements) && self.is_expression(&inner)
                };
                if groups.iter().all(alone) {
                    exits(ast, &[first]) || self.is_expression(&after)
                } else {
                    !jumps(ast, first, true) && self.is_expression(&after)
                }
            }
            NodeKind::Loop { .. } | NodeKind::ForEach { .. } | NodeKind::DoWhile(..) => {
                !jumps(ast, first, true) && self.is_expression(&after)
            }
            _ if aborts(ast, first) => true,
            _ => self.is_expression(&after),
        })
    }

    /// The value that statements return.
    fn value(&mut self, node: NodeId, rest: &Rest<'_>) -> Lowered {
        self.nest(|this| this.value_inside(node, rest), self.ast[node].lo)
    }

    fn value_inside(&mut self, node: NodeId, rest: &Rest<'_>) -> Lowered {
        let ast = self.ast;
        let Some((&first, after)) = rest.statements.split_first() else {
            let Some(outer) = rest.outer else { return self.end_of_body(node) };
            // Names of the inner block are not visible after it.
            let hidden = self.scope.split_off(rest.outer_scope.min(self.scope.len()));
            let value = self.value(node, outer);
            self.scope.truncate(rest.outer_scope);
            self.scope.extend(hidden);
            return value;
        };
        let after = Rest { statements: after, ..*rest };
        let scope = self.scope.len();
        let inner = |statements| Rest { statements, outer: Some(&after), outer_scope: scope };
        match &ast[first].kind {
            NodeKind::Return(value) => self.returned(first, *value),
            // The guard ends with its block.
            NodeKind::Block(statements) if has_guard(ast, statements) && !exits(ast, statements) => {
                self.effect_before(first, &after)
            }
            NodeKind::Declare { .. } if self.guards(first) => {
                let (point, now) = self.insertion_point(first)?;
                let value = self.value(node, &after)?;
                let value = self.restored(first, value, point)?;
                self.build(first, |b| b.bind(point, now, value))
            }
            NodeKind::Block(statements) => {
                let value = self.value(first, &inner(statements));
                self.scope.truncate(scope);
                value
            }
            NodeKind::If { declarations, condition, then, otherwise } => {
                let (then, otherwise): (&[NodeId], Vec<NodeId>) =
                    (std::slice::from_ref(then), otherwise.iter().copied().collect());
                if !exits(ast, then) && !exits(ast, &otherwise) {
                    return self.effect_before(first, &after);
                }
                self.with_declarations(first, declarations, |this| {
                    let condition = this.expression(*condition, None)?;
                    let names = this.scope.len();
                    let alone = |statements| Rest { statements, outer: None, outer_scope: scope };
                    let (then, otherwise) = match exits(ast, then) {
                        true => (alone(then), inner(&otherwise)),
                        false => (inner(then), alone(&otherwise)),
                    };
                    let constant = this.b.constant_truth(condition);
                    let mut lower = |rest| {
                        let value = this.value(first, rest);
                        this.scope.truncate(names);
                        value
                    };
                    // In a template, a branch that is never taken need not be well-typed.
                    match constant {
                        Some(true) => return lower(&then),
                        Some(false) => return lower(&otherwise),
                        None => {}
                    }
                    let (a, b) = (lower(&then)?, lower(&otherwise)?);
                    this.alternatives(first, condition, a, b)
                })
            }
            NodeKind::Switch(subject, groups) => {
                let returns = |group: &Group| exits(ast, &group.statements);
                if !groups.iter().all(returns) || !jumps(ast, first, true) {
                    return self.effect_before(first, &after);
                }
                self.switch(first, *subject, groups, |this, group| match group {
                    Some(group) => {
                        let alone = Rest { statements: &group.statements, outer: None, outer_scope: scope };
                        let value = this.value(first, &alone);
                        this.scope.truncate(scope);
                        value
                    }
                    None => this.value(first, &after),
                })
            }
            NodeKind::Declare { .. } | NodeKind::Unpack { .. } => {
                let value = self.with_declarations(first, &[first], |this| this.value(node, &after));
                self.scope.truncate(scope);
                value
            }
            _ if aborts(ast, first) => self.expression(first, None),
            _ => self.effect_before(first, &after),
        }
    }

    /// A statement without a jump, and the value of the statements after it.
    fn effect_before(&mut self, node: NodeId, after: &Rest<'_>) -> Lowered {
        let effect = self.effect(node)?;
        let value = self.value(node, after)?;
        self.build(node, |b| b.then(effect, value))
    }

    /// The end of a body without `return`.
    fn end_of_body(&mut self, node: NodeId) -> Lowered {
        let value = match self.results.last() {
            Some(Some(Ty::NULL)) => self.b.null(Ty::NULL),
            result => {
                let ty = result.copied().flatten().unwrap_or(Ty::NULL);
                self.b.fail("a function ends without a return").map(|e| Typed { ty, ..e })
            }
        };
        self.at_node(node, value)
    }

    /// The value of a `return`, converted to the result type.
    pub(super) fn returned(&mut self, node: NodeId, value: Option<NodeId>) -> Lowered {
        let result = self.results.last().copied().flatten();
        let Some(value) = value else {
            return self.build(node, |b| b.null(Ty::NULL));
        };
        let e = match result {
            Some(ty) => self.initialised(value, ty)?,
            None => self.expression(value, None)?,
        };
        self.returned_container = self.returned_container.or(self.container_of(e));
        match result {
            Some(ty) if ty == Ty::NULL => Ok(e),
            Some(ty) => self.build(value, |b| b.returned(e, ty)),
            None => Ok(e),
        }
    }

    /// `c ? a : b`. An alternative that always fails takes the type of the other one.
    fn alternatives(&mut self, node: NodeId, condition: Typed, x: Typed, y: Typed) -> Lowered {
        let (x, y) = match (self.b.always_fails(x), self.b.always_fails(y)) {
            (true, false) => (Typed { ty: y.ty, ..x }, y),
            (false, true) => (x, Typed { ty: x.ty, ..y }),
            _ => (x, y),
        };
        let result = self.results.last().copied().flatten();
        let same = x.ty == y.ty || result.is_none();
        let (x, y) = match result {
            // Both alternatives are already converted to the result type.
            Some(ty) if !same => (Typed { ty, ..x }, Typed { ty, ..y }),
            _ => (x, y),
        };
        self.build(node, |b| b.select(condition, x, y))
    }

    /// Lowers declarations, and the statements after them in their scope.
    fn with_declarations(
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
                    let signature = self.signature(ty);
                    self.bind_lambda(name, lambda, copies, signature);
                    return Ok(Some(bound));
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
                self.declare_callable(local, ty, false);
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
                let changes = may_be_copy && self.changes_after(*value, hi);
                let refers = is_mutable || changes || may_be_copy && assigned;
                let place = if refers { self.place(*value, &mut held)? } else { None };
                // A change of the copy of a part would not change the part.
                let copies_part = || refers && assigned && !roots(ast, self.functions(), *value).is_empty();
                let place = match place {
                    Some(place) => {
                        for name in names {
                            self.require_fixed_element(node, name, &place)?;
                        }
                        self.insert_keys(*value, &place, &mut held)?;
                        place
                    }
                    None if changes && !is_mutable || copies_part() => {
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
    fn copies(
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
        // `auto` has the class of the value.
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
        match init {
            Initialiser::Value(value) => {
                let e = self.initialised(*value, to)?;
                let e = self.build(*value, |b| b.returned(e, to))?;
                self.distinct(node, ty, e)
            }
            Initialiser::Default => self.default_value(node, to),
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

    /// Lowers `SmallVector<T> x(count, value)`, `x(range)`, `x(begin, end)`. `inner` is the type of the elements of a
    /// range of ranges.
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
        let empty = self.build(node, |b| b.list(&[]).map(|list| Typed { ty: to, ..list }))?;
        let local = self.build(node, |b| b.new_local(to))?;
        let filled = self.build(node, |b| b.update(Update::Resize, local, &[count, filler]))?;
        let read = self.build(node, |b| b.local(local))?;
        let both = self.build(node, |b| b.then(filled, read))?;
        self.build(node, |b| b.bind(local, empty, both))
    }

    /// Lowers statements for their effects, in a new scope.
    fn effects(&mut self, node: NodeId, statements: &[NodeId]) -> Lowered {
        let (scope, guards) = (self.scope.len(), self.guards.len());
        let mut all = Vec::with_capacity(statements.len());
        for &statement in statements {
            let at = self.ast[statement].lo;
            if self.guards(statement) {
                let (point, now) = self.insertion_point(statement)?;
                all.push(self.build(statement, |b| b.set(point, now))?);
                self.guards.push(point);
                continue;
            }
            all.push(self.nest(|this| this.effect(statement), at)?);
        }
        for point in self.guards.split_off(guards).into_iter().rev() {
            all.push(self.restore(node, point)?);
        }
        self.scope.truncate(scope);
        self.build(node, |b| b.block(&all))
    }

    /// Lowers a statement for its effect. The names that a declaration declares stay in scope.
    fn effect(&mut self, node: NodeId) -> Lowered {
        let ast = self.ast;
        let nothing = self.build(node, |b| b.null(Ty::NULL))?;
        let scope = self.scope.len();
        let loop_guards = self.loop_guards;
        if matches!(&ast[node].kind, NodeKind::Loop { .. } | NodeKind::DoWhile(..) | NodeKind::ForEach { .. })
        {
            self.loop_guards = self.guards.len();
        }
        let lowered = match &ast[node].kind {
            NodeKind::Declare { .. } | NodeKind::Unpack { .. } => {
                return self.with_declarations(node, &[node], |_| Ok(nothing));
            }
            NodeKind::Block(statements) => self.effects(node, statements),
            NodeKind::Return(value) => self.return_from(node, *value),
            NodeKind::Break | NodeKind::Continue => self.jump(node),
            NodeKind::If { declarations, condition, then, otherwise } => {
                self.with_declarations(node, declarations, |this| {
                    let condition = this.expression(*condition, None)?;
                    let constant = this.b.constant_truth(condition);
                    let mut lower = |branch: Option<NodeId>| match branch {
                        Some(branch) => this.effects(node, &[branch]),
                        None => Ok(nothing),
                    };
                    match constant {
                        Some(true) => return lower(Some(*then)),
                        Some(false) => return lower(*otherwise),
                        None => {}
                    }
                    let (then, otherwise) = (lower(Some(*then))?, lower(*otherwise)?);
                    this.build(node, |b| b.branch(condition, then, otherwise))
                })
            }
            NodeKind::Loop { init, declarations, condition, step, body } => {
                self.with_declarations(node, init, |this| {
                    this.counted(node, declarations, *condition, *step, *body)
                })
            }
            NodeKind::DoWhile(body, condition) => {
                let body = self.effects(node, &[*body])?;
                let condition = self.expression(*condition, None)?;
                let stop = self.build(node, |b| b.break_loop())?;
                let step = self.build(node, |b| b.branch(condition, nothing, stop))?;
                let always = self.build(node, |b| b.bool(true))?;
                self.build(node, |b| b.repeat(always, step, body))
            }
            NodeKind::ForEach { ty, names, range, body } => self.each(node, ty, names, *range, *body),
            NodeKind::Switch(subject, groups) => self.switch_for_effects(node, *subject, groups),
            _ => return self.expression(node, None),
        };
        self.loop_guards = loop_guards;
        self.scope.truncate(scope);
        lowered
    }

    /// A `switch` whose cases are statements.
    fn switch_for_effects(&mut self, node: NodeId, subject: NodeId, groups: &[Group]) -> Lowered {
        let ast = self.ast;
        let nothing = self.build(node, |b| b.null(Ty::NULL))?;
        let statements: Vec<NodeId> =
            groups.iter().flat_map(|group| with_following(ast, group, groups)).collect();
        let any = |jump: Jump| statements.iter().any(|&statement| jumps_out(ast, statement, jump));
        // A `switch` with a nested `break` becomes a loop of one round. A `continue` in it would continue this loop
        // instead of the outer one.
        let has_nested_break = any(Jump::Break);
        if has_nested_break && any(Jump::Continue) {
            let what = "a switch with a nested 'break' and a 'continue'";
            return Err(error::unsupported(what, ast[node].lo, ast[node].hi));
        }
        if has_nested_break {
            self.loop_guards = self.guards.len();
        }
        let switch = self.switch(node, subject, groups, |this, group| match group {
            Some(group) => this.effects(node, &with_following(ast, group, groups)),
            None => Ok(nothing),
        })?;
        if !has_nested_break {
            return Ok(switch);
        }
        self.build(node, |b| {
            let (always, stop) = (b.bool(true)?, b.break_loop()?);
            let round = b.block(&[switch, stop])?;
            b.repeat(always, nothing, round)
        })
    }

    /// A `for` loop with counters, or a `while` loop.
    fn counted(
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
    fn each(
        &mut self,
        node: NodeId,
        ty: &TypeName,
        names: &[String],
        range: NodeId,
        body: NodeId,
    ) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let is_object = match ty.path.as_str() {
            // The elements of the result of a call are in no variable, so the static type of an element decides.
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
            let declared = if ty.path == "auto" { None } else { self.static_type(ty) };
            return self.each_place(node, names, place, held, body, LoopVariable::Copy(declared));
        }
        let is_zipped = zipped(self.ast, range).is_some();
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
        if self.container_of(range).order == Order::Unstated && !self.is_order_free(body, names) {
            return Err(error::unstated_order(lo, hi));
        }
        let range = self.build(node, |b| b.as_range(range))?;
        let element = inner.unwrap_or(Ty::one(range.ty.item));
        let declared = if ty.path == "auto" { None } else { self.static_type(ty) };
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

    /// The range of the loop over `zip(…)` or `enumerate(…)` whose element an expression around a node names, and the
    /// end of the loop. The fields of the element are references.
    fn loop_of_zipped(&self, node: NodeId, value: NodeId) -> Option<(NodeId, usize)> {
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

    /// True for a variable that `auto` declares as a view, whose elements are those of another variable.
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

    /// A `switch`. `lower` lowers the statements of a group or, without a group, the case of a value that has no label.
    fn switch(
        &mut self,
        node: NodeId,
        subject: NodeId,
        groups: &[Group],
        mut lower: impl FnMut(&mut Self, Option<&Group>) -> Lowered,
    ) -> Lowered {
        let subject = self.expression(subject, None)?;
        let mut cases: Vec<(i128, Typed)> = Vec::new();
        let mut otherwise = None;
        let mut ty = self.results.last().copied().flatten();
        for group in groups {
            let body = lower(self, Some(group))?;
            ty = ty.or(Some(body.ty));
            for label in &group.labels {
                match label {
                    None => otherwise = Some(body),
                    Some(label) => {
                        let e = self.expression(*label, None)?;
                        let Some(value) = self.b.literal(e) else {
                            let (lo, hi) = (self.ast[*label].lo, self.ast[*label].hi);
                            return Err(error::unsupported("a label that is not a constant", lo, hi));
                        };
                        cases.push((value, body));
                    }
                }
            }
        }
        let otherwise = match otherwise {
            Some(otherwise) => otherwise,
            None => lower(self, None)?,
        };
        self.build(node, |b| b.switch(subject, &cases, otherwise, ty.unwrap_or(Ty::NULL)))
    }

    /// Lowers calls that occur mostly in function bodies: assertions, calls that do not return, function objects, and
    /// matchers that bind variables. Returns `None` for another call.
    pub(in crate::frontend::cxx) fn body_call(
        &mut self,
        node: NodeId,
        name: &TypeName,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let e = match (name.path.as_str(), args) {
            // Assertions have no effect in a release build.
            ("assert", _) => self.b.null(Ty::NULL),
            ("LLVM_LIKELY" | "LLVM_UNLIKELY", &[condition]) => {
                let condition = self.expression(condition, None)?;
                self.b.truth(condition)
            }
            ("llvm_unreachable" | "report_fatal_error" | "abort", _) => {
                let what = match args.first().map(|&arg| &self.ast[arg].kind) {
                    Some(NodeKind::Str(text)) => format!("{}: {text}", name.path),
                    _ => name.path.clone(),
                };
                self.b.fail(&what)
            }
            ("emitError" | "emitOptionalError", _) if self.in_function => {
                return self.library_function(node, "failure", &[]).map(Some);
            }
            ("OpTrait::util::getBroadcastedShape" | "getBroadcastedShape", &[a, b, shape]) => {
                return self.broadcast_shape(node, [a, b], shape).map(Some);
            }
            (_, []) if let Some(op) = function_object(name) => {
                return self.operator_lambda(node, name, op, Ty::UNKNOWN).map(Some);
            }
            ("matchPattern", &[on, matcher]) => return self.match_into(node, on, matcher),
            _ => return Ok(None),
        };
        self.at_node(node, e).map(Some)
    }

    /// Lowers `getBroadcastedShape(a, b, shape)`, which is true if the shapes `a` and `b` broadcast, and stores the
    /// common shape in `shape`.
    fn broadcast_shape(&mut self, node: NodeId, shapes: [NodeId; 2], result: NodeId) -> Lowered {
        let ty = Ty::range(IntTy::I64.item());
        let mut held = Held::new();
        let sizes = |this: &mut Self, shape| {
            let shape = this.expression(shape, Some(Ty::I64))?;
            this.build(node, |b| b.convert(shape, ty))
        };
        let (a, b) = (sizes(self, shapes[0])?, sizes(self, shapes[1])?);
        let found = self.build(node, |builder| builder.algorithm(Builtin::BroadcastShape, &[a, b], ty))?;
        let found = self.hold(node, found, &mut held)?;
        let (fits, shape) = self.build(node, |b| {
            let fits = b.algorithm(Builtin::HasValue, &[found], Ty::BOOL)?;
            let empty = b.list(&[])?;
            Ok((fits, b.select(fits, found, Typed { ty, ..empty })?))
        })?;
        let stored = self.store(node, result, shape)?;
        let both = self.build(node, |b| b.then(stored, fits))?;
        self.bind_held(node, held, both)
    }

    /// `std::plus<T>()` and similar objects as a lambda. `element` is the type of the arguments of `std::plus<>()`.
    pub(super) fn operator_lambda(
        &mut self,
        node: NodeId,
        name: &TypeName,
        op: BinaryOp,
        element: Ty,
    ) -> Lowered {
        let stated = name.args.first().and_then(|ty| self.static_type(ty));
        let ty = stated.unwrap_or(element);
        let parameters = self.lambda_parameters(node, &[ty, ty], &[element, element], |_| true)?;
        let [x, y] = parameters.variables[..] else {
            return Err(error::statement(&name.path, self.ast[node].lo, self.ast[node].hi));
        };
        let (x, y) = self.build(node, |b| Ok((b.local(x)?, b.local(y)?)))?;
        self.require_known(node, op, [x, y])?;
        let value = self.build(node, |b| b.binary(op, x, y))?;
        // `std::plus<T>` returns `T`, and `std::plus<>` the type of the sum.
        let result = stated.filter(|_| !op.compares()).unwrap_or(value.ty);
        let value = self.convert_number(node, value, result)?;
        let value = self.bind_held(node, parameters.converted, value)?;
        self.build(node, |b| b.lambda(&parameters.locals, value))
    }

    /// Lowers `matchPattern(on, m_Constant(&variable))`, and the same with `m_ConstantInt` and `m_ConstantFloat`.
    /// Returns `None` for a matcher that binds no variable.
    fn match_into(&mut self, node: NodeId, on: NodeId, matcher: NodeId) -> Result<Option<Typed>, Fault> {
        let ast = self.ast;
        let NodeKind::Call(callee, bound) = &ast[matcher].kind else { return Ok(None) };
        let (NodeKind::Name(name), &[target]) = (&ast[*callee].kind, &bound[..]) else { return Ok(None) };
        let NodeKind::AddressOf(variable) = ast[target].kind else { return Ok(None) };
        let Some(local) = self.variable(variable) else { return Ok(None) };
        let ty = self.b.local_ty(local);
        let on = self.expression(on, None)?;
        let found = match name.path.as_str() {
            "m_Constant" => self.b.constant_value(on, ty),
            "m_ConstantInt" => self.b.constant_number(on, Item::ApInt),
            "m_ConstantFloat" => self.b.constant_number(on, Item::ApFloat),
            _ => return Ok(None),
        };
        let found = self.at_node(node, found)?;
        let held = self.build(node, |b| b.new_local(found.ty))?;
        let read = self.build(node, |b| b.local(held))?;
        let value = if read.ty.form == Form::Optional { self.b.deref(read) } else { Ok(read) };
        let value = self.at_node(node, value)?;
        let stored = self.build(node, |b| b.set(local, value))?;
        let select = self.store_if(node, read, stored, true)?;
        self.build(node, |b| b.bind(held, found, select)).map(Some)
    }

    /// Lowers `a = b`, `a[i] = b`, `*p = b`.
    pub(in crate::frontend::cxx) fn assign(&mut self, node: NodeId, to: NodeId, value: NodeId) -> Lowered {
        if let NodeKind::Call(callee, targets) = &self.ast[to].kind
            && matches!(&self.ast[*callee].kind, NodeKind::Name(name) if name.path == "tie")
        {
            let value = self.expression(value, None)?;
            return self.store_tied(node, targets, value);
        }
        let hint = self.variable(to).map(|local| Ty::one(self.b.local_ty(local).item));
        let is_pointer = matches!(self.ast[value].kind, NodeKind::AddressOf(_));
        let is_list = matches!(self.ast[value].kind, NodeKind::Braces(_));
        if let Some(local) = self.variable(to) {
            self.require_same_range(local, value)?;
        }
        let assigned = value;
        // A variable that is declared with a lambda holds the copies, unlike one to which a lambda is assigned.
        if let NodeKind::Lambda(_, _, _, copies) = &self.ast[assigned].kind
            && !self.copies(node, assigned, copies)?.1.is_empty()
        {
            let (lo, hi) = (self.ast[assigned].lo, self.ast[assigned].hi);
            return Err(error::unsupported("a copy of a changing variable in an assigned lambda", lo, hi));
        }
        let mut value = self.expression(assigned, hint)?;
        self.require_fixed_value(to, assigned, value.ty)?;
        if let Some(local) = self.variable(to).filter(|_| is_list) {
            value = self.assigned_list(node, local, value)?;
        }
        if is_pointer && !is_handle(value.ty) {
            let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
            return Err(error::unsupported("a pointer to several variables", lo, hi));
        }
        self.store(node, to, value)
    }

    /// The local that a name or a dereferenced pointer denotes.
    pub(in crate::frontend::cxx) fn variable(&self, node: NodeId) -> Option<LocalId> {
        match &self.ast[node].kind {
            NodeKind::Name(name) => match self.scope.iter().rev().find(|(bound, _)| *bound == name.path)?.1 {
                Bound::Local(local) => Some(local),
                Bound::Lambda(_) | Bound::Place(_) | Bound::Element(_) => None,
            },
            NodeKind::Deref(of) => self.variable(*of).filter(|local| self.pointers.contains(local)),
            _ => None,
        }
    }

    /// Assigns a value to a variable or to an element of a variable.
    pub(super) fn store(&mut self, node: NodeId, to: NodeId, value: Typed) -> Lowered {
        if let Some(local) = self.variable(to) {
            return self.store_place(node, &Place { root: local, steps: Vec::new() }, value);
        }
        let mut held = Held::new();
        if let Some(place) = self.place(to, &mut held)? {
            if held.is_empty() {
                return self.store_place(node, &place, value);
            }
            // The value is evaluated before the indices.
            let mut first = Held::new();
            let value = self.hold(node, value, &mut first)?;
            first.append(&mut held);
            let stored = self.store_place(node, &place, value)?;
            return self.bind_held(node, first, stored);
        }
        let target = self.expression(to, None)?;
        let Some(output) = self.b.as_output(target) else {
            return Err(error::not_assignable(self.ast[node].lo, self.ast[node].hi));
        };
        self.build(node, |b| b.assign(output, value))
    }

    /// Lowers `a += b`.
    pub(in crate::frontend::cxx) fn compound(
        &mut self,
        node: NodeId,
        op: BinaryOp,
        to: NodeId,
        by: NodeId,
    ) -> Lowered {
        if self.in_function
            && let Some(e) = self.class_assignment(node, op, to, by)?
        {
            return Ok(e);
        }
        let mut held = Held::new();
        let place = self.place(to, &mut held)?;
        let read = match &place {
            Some(place) => self.read_place(node, place)?,
            None => self.expression(to, None)?,
        };
        let by = self.expression(by, None)?;
        let value = match (op, read.ty) {
            (BinaryOp::Shr, Ty::AP_INT) => {
                let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
                return Err(error::unsupported("'>>=' on an 'APInt'", lo, hi));
            }
            _ => {
                self.require_known(node, op, [read, by])?;
                self.b.binary(op, read, by)
            }
        };
        let value = self.at_node(node, value)?;
        let stored = match place {
            Some(place) => self.store_place(node, &place, value)?,
            None => self.store(node, to, value)?,
        };
        self.bind_held(node, held, stored)
    }

    /// `++a` and `a++`.
    pub(in crate::frontend::cxx) fn increment(
        &mut self,
        node: NodeId,
        of: NodeId,
        up: bool,
        postfix: bool,
    ) -> Lowered {
        let mut held = Held::new();
        let place = self.place(of, &mut held)?;
        let read = match &place {
            Some(place) => self.read_place(node, place)?,
            None => self.expression(of, None)?,
        };
        let one = self.build(node, |b| b.int(1, IntTy::I32))?;
        self.require_known(node, BinaryOp::Add, [read, one])?;
        let value =
            self.build(node, |b| b.binary(if up { BinaryOp::Add } else { BinaryOp::Sub }, read, one))?;
        if !postfix {
            let stored = match place {
                Some(place) => self.store_place(node, &place, value)?,
                None => self.store(node, of, value)?,
            };
            return self.bind_held(node, held, stored);
        }
        let before = self.build(node, |b| b.new_local(read.ty))?;
        let stored = match place {
            Some(place) => self.store_place(node, &place, value)?,
            None => self.store(node, of, value)?,
        };
        let old = self.build(node, |b| b.local(before))?;
        let both = self.build(node, |b| b.then(stored, old))?;
        let all = self.build(node, |b| b.bind(before, read, both))?;
        self.bind_held(node, held, all)
    }

    /// Lowers `v.insert(at, {a, b})`, `v.insert(at, count, x)` and `v.insert(at, begin, end)`.
    fn insert_elements(&mut self, node: NodeId, local: LocalId, at: NodeId, elements: &[NodeId]) -> Lowered {
        let ty = self.b.local_ty(local);
        let mut held = Held::new();
        let at = self.expression(at, None)?;
        let inserted = match *elements {
            [list] => {
                let list = self.initialised(list, ty)?;
                self.build(node, |b| b.convert(list, ty))?
            }
            _ => self.filled(node, ty, None, elements)?,
        };
        let inserted = self.hold(node, inserted, &mut held)?;
        let all = self.build(node, |b| {
            let range = b.local(local)?;
            let all = spliced(b, range, [at, at], Some(inserted))?;
            let stored = b.set(local, all)?;
            let nothing = b.null(Ty::NULL)?;
            b.then(stored, nothing)
        })?;
        self.bind_held(node, held, all)
    }

    /// `v.push_back(x)` and other changes of a range in a variable.
    pub(in crate::frontend::cxx) fn change(
        &mut self,
        node: NodeId,
        local: LocalId,
        method: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let Some(update) = update_of(method) else { return Ok(None) };
        let ty = self.b.local_ty(local);
        if ty.form != Form::Range {
            return Ok(None);
        }
        let element = self.container(local).inner.unwrap_or(Ty::one(ty.item));
        if let (Update::Insert, &[at, first, ref rest @ ..]) = (update, args)
            && (!rest.is_empty() || matches!(self.ast[first].kind, NodeKind::Braces(_)))
        {
            return self.insert_elements(node, local, at, &args[1..]).map(Some);
        }
        let mut values = Vec::new();
        if let (Update::Append, &[begin, end]) = (update, args) {
            match self.whole_range(begin, end) {
                Some(range) => values.push(self.expression(range, None)?),
                None => {
                    return Err(error::unsupported(
                        "'append' with a part of a range",
                        self.ast[node].lo,
                        self.ast[node].hi,
                    ));
                }
            }
        } else if let ("emplace_back", Some(class)) = (method, self.constructed_class(element)) {
            values.push(self.constructor_call(node, &class, args, false)?);
        } else if let ("emplace_back", []) = (method, args) {
            values.push(self.default_value(node, element)?);
        } else if let ("emplace_back", [_, _, ..], Item::Tuple(id)) = (method, args, ty.item) {
            let fields = self.items(args, None)?;
            values.push(match self.construct_components(node, element, &fields)? {
                Some(components) => components,
                None => self.build(node, |b| b.tuple(id, &fields))?,
            });
        } else {
            for &arg in args {
                values.push(self.initialised(arg, element)?);
            }
        }
        let fits = match update {
            Update::Push | Update::Append | Update::Erase => values.len() == 1,
            Update::Pop | Update::Clear => values.is_empty(),
            Update::Insert => {
                values.len() == 2 && values[0].ty.form == Form::Iterator && values[1].ty.form == Form::One
            }
            Update::Resize => matches!(values.len(), 1 | 2),
            _ => false,
        };
        if !fits {
            return Err(error::unsupported(
                &format!("'{method}' with these arguments"),
                self.ast[node].lo,
                self.ast[node].hi,
            ));
        }
        match update {
            Update::Push | Update::Insert => {
                if let Some(last) = values.last_mut() {
                    let converted = self.b.returned(*last, element);
                    *last = self.at_node(node, converted)?;
                }
            }
            Update::Append => {
                self.require_order(node, values[0])?;
                let converted = self.b.convert(values[0], ty);
                values[0] = self.at_node(node, converted)?;
            }
            Update::Resize => {
                let filler = match values.get(1) {
                    Some(&filler) => filler,
                    None => self.default_value(node, element)?,
                };
                let filler = self.build(node, |b| b.returned(filler, element))?;
                values.truncate(1);
                values.push(filler);
            }
            _ => {}
        }
        let place = values.first_mut().filter(|at| at.ty.form == Form::Iterator);
        let Some(place) = place.filter(|_| matches!(update, Update::Insert | Update::Erase)) else {
            return self.build(node, |b| b.update(update, local, &values)).map(Some);
        };
        // The result is an iterator to the new element, or to the one after the erased element.
        let mut held = Held::new();
        let at = self.hold(node, *place, &mut held)?;
        *place = at;
        let index = self.build(node, |b| {
            let range = b.local(local)?;
            let begin = b.algorithm(Builtin::Begin, &[range], at.ty)?;
            b.algorithm(Builtin::Distance, &[begin, at], Ty::I64)
        })?;
        let index = self.hold(node, index, &mut held)?;
        let changed = self.build(node, |b| {
            let changed = b.update(update, local, &values)?;
            let range = b.local(local)?;
            let begin = b.algorithm(Builtin::Begin, &[range], at.ty)?;
            let result = b.algorithm(Builtin::Next, &[begin, index], at.ty)?;
            b.then(changed, result)
        })?;
        self.bind_held(node, held, changed).map(Some)
    }
}

/// The statements of a group, without the final `break`, and the statements of the following groups into which the
/// group falls through.
fn with_following(ast: &Ast, group: &Group, groups: &[Group]) -> Vec<NodeId> {
    let from = groups.iter().position(|other| std::ptr::eq(other, group)).unwrap_or(groups.len());
    let mut all = Vec::new();
    for group in &groups[from..] {
        match group.statements.split_last() {
            Some((&last, before)) if matches!(ast[last].kind, NodeKind::Break) => {
                all.extend_from_slice(before);
                break;
            }
            Some((&last, _)) if matches!(ast[last].kind, NodeKind::Continue) => {
                all.extend_from_slice(&group.statements);
                break;
            }
            _ => all.extend_from_slice(&group.statements),
        }
        if exits(ast, &group.statements) {
            break;
        }
    }
    all
}

/// The class of `X()` and `X{}`.
pub(super) fn constructed(ast: &Ast, node: NodeId) -> Option<&TypeName> {
    match &ast[node].kind {
        NodeKind::Construct(class, args) if args.is_empty() => Some(class),
        NodeKind::Call(callee, args) if args.is_empty() => match &ast[*callee].kind {
            NodeKind::Name(class) => Some(class),
            _ => None,
        },
        _ => None,
    }
}

/// The operator of `std::plus<T>` and similar classes.
pub(in crate::frontend::cxx) fn function_object(class: &TypeName) -> Option<BinaryOp> {
    Some(match class.path.as_str() {
        "plus" => BinaryOp::Add,
        "minus" => BinaryOp::Sub,
        "multiplies" => BinaryOp::Mul,
        "divides" => BinaryOp::Div,
        "modulus" => BinaryOp::Rem,
        "bit_and" => BinaryOp::And,
        "bit_or" => BinaryOp::Or,
        "bit_xor" => BinaryOp::Xor,
        "equal_to" => BinaryOp::Eq,
        "not_equal_to" => BinaryOp::Ne,
        "less" => BinaryOp::Lt,
        "less_equal" => BinaryOp::Le,
        "greater" => BinaryOp::Gt,
        "greater_equal" => BinaryOp::Ge,
        _ => return None,
    })
}
