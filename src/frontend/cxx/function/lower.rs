//! Lowers statements.
//!
//! A body becomes one expression if conditional expressions can replace its `return`s: `if (c) return a; return b;` is
//! `c ? a : b`. Other bodies, for example those with a `return` inside a loop, become statements.

use super::changes::update_of;
use super::flow::{Jump, aborts, jumps_out};
use super::guard::has_guard;
use super::lvalue::{Held, spliced};
use super::place::Place;
use super::view::is_handle;
use crate::frontend::cxx::ast::{Ast, Group, NodeId, NodeKind, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Bound, Lower, Lowered};
use crate::snippet::{BinaryOp, Builtin, Form, IntTy, Item, LocalId, Ty, Typed, Update};
use crate::stack::with_room;

/// The maximum nesting of statements. In a body that becomes one expression, a statement counts as nested in the
/// statement before it.
const STATEMENT_LIMIT: u32 = 2_000;

/// The remaining statements of a block, and those that follow the block.
struct Rest<'c> {
    statements: &'c [NodeId],
    outer: Option<&'c Rest<'c>>,
    /// The number of names that are in scope for the outer statements.
    outer_scope: usize,
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

/// True if control never reaches the end of the statements.
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

/// The arguments of `tie(a, b)`, and the name `tie`; `None` for another expression.
fn arguments_of_tie(ast: &Ast, node: NodeId) -> Option<(&TypeName, &[NodeId])> {
    let NodeKind::Call(callee, args) = &ast[node].kind else { return None };
    match &ast[*callee].kind {
        NodeKind::Name(name) if name.path == "tie" => Some((name, args)),
        _ => None,
    }
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

    /// Lowers the statements of a function or lambda to the value that they return. `result` is the declared result
    /// type.
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
            // The effect of the guard ends with its block.
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

    /// Lowers a statement without a jump, and then the value of the statements after it.
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

    /// `c ? a : b`. An alternative that always fails takes the type of the other alternative.
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

    /// Lowers statements for their effects, in a new scope.
    pub(super) fn effects(&mut self, node: NodeId, statements: &[NodeId]) -> Lowered {
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
    pub(super) fn effect(&mut self, node: NodeId) -> Lowered {
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
            NodeKind::Select(condition, then, otherwise) => {
                let condition = self.expression(*condition, None)?;
                let (then, otherwise) = (self.effects(node, &[*then])?, self.effects(node, &[*otherwise])?);
                self.build(node, |b| b.branch(condition, then, otherwise))
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
        // A `switch` with a nested `break` becomes a loop of one round. A `continue` in the `switch` would continue
        // this loop instead of the outer loop.
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

    /// Lowers calls that occur mostly in function bodies, such as assertions, calls that do not return, and matchers
    /// that bind variables. Returns `None` for another call.
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
            (_, []) if let Some((class, op)) = self.operator_class(name) => {
                return self.operator_lambda(node, &class, op, [Ty::UNKNOWN; 2]).map(Some);
            }
            ("matchPattern", &[on, matcher]) => {
                return match self.match_class(node, on, matcher)? {
                    Some(e) => Ok(Some(e)),
                    None => self.match_into(node, on, matcher),
                };
            }
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

    /// `std::plus<T>()` and similar objects as a lambda. Its arguments have the types `given`.
    pub(in crate::frontend::cxx) fn operator_lambda(
        &mut self,
        node: NodeId,
        name: &TypeName,
        op: BinaryOp,
        given: [Ty; 2],
    ) -> Lowered {
        let stated = self.template_type(&name.args)?;
        let types = given.map(|given| stated.unwrap_or(given));
        let parameters = self.lambda_parameters(node, &types, &given, |_| true)?;
        let [x, y] = parameters.variables[..] else {
            return Err(error::statement(&name.path, self.ast[node].lo, self.ast[node].hi));
        };
        let (x, y) = self.build(node, |b| Ok((b.local(x)?, b.local(y)?)))?;
        self.require_known(node, op, [x, y])?;
        let value = self.build(node, |b| b.binary(op, x, y))?;
        // The result of `std::plus<T>` has the type `T`, and the result of `std::plus<>` has the type of the sum.
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

    /// The values of the variables in `tie(a, b)`, as an operand of a comparison; `None` for another expression.
    pub(in crate::frontend::cxx) fn tied(&mut self, node: NodeId) -> Result<Option<Typed>, Fault> {
        let ast = self.ast;
        match arguments_of_tie(ast, node) {
            Some((name, args)) => self.make_tuple(node, name, args),
            None => Ok(None),
        }
    }

    /// Lowers `a = b`, `a[i] = b`, `*p = b`.
    pub(in crate::frontend::cxx) fn assign(&mut self, node: NodeId, to: NodeId, value: NodeId) -> Lowered {
        let ast = self.ast;
        if let Some((_, targets)) = arguments_of_tie(ast, to) {
            for &target in targets {
                self.require_fixed_value(target, value, Ty::UNKNOWN)?;
            }
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
        // Copies of captured variables are recorded for a lambda that initialises a variable, but not for a lambda that
        // is assigned.
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

    /// Assigns a value to a variable, a part of a variable, or an output of the snippet.
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
        if self.b.is_global(target) {
            return self.build(node, |b| b.set_global(target, value));
        }
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
        // C++ evaluates the right operand first.
        let mut held = Held::new();
        let value = self.expression(by, None)?;
        let by = if self.may_change(by) { self.hold(node, value, &mut held)? } else { value };
        let place = self.place(to, &mut held)?;
        let read = match &place {
            Some(place) => self.read_place(node, place)?,
            None => self.expression(to, None)?,
        };
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
        let operator = if up { "++" } else { "--" };
        // The function of a postfix operator has an `int` as its second parameter.
        let operands = [read, one];
        let operands = if postfix { &operands[..] } else { &operands[..1] };
        if held.is_empty()
            && let Some(e) = self.enum_operator(node, operator, operands, &[of])?
        {
            return Ok(e);
        }
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
        } else if let ("emplace_back", [_, _, ..], Some(class)) =
            (method, args, class_with_constructors(element))
        {
            let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
            values.push(self.call_name(node, node, &TypeName::plain(class, lo, hi), args, None)?);
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
        // The result is an iterator to the new element, or to the element after the erased elements.
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
pub(super) fn function_object(class: &TypeName) -> Option<BinaryOp> {
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

/// The class of the elements of a range, if the library has constructors of the class with several parameters.
fn class_with_constructors(element: Ty) -> Option<&'static str> {
    match element {
        Ty::AP_INT => Some("APInt"),
        Ty::AP_FLOAT => Some("APFloat"),
        Ty::STR => Some("string"),
        _ => None,
    }
}
