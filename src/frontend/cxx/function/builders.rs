//! Builders: the functions `build` of an operation's class, which add the parts of a new operation to a state.
//!
//! Specification: `XOp::create(builder, location, args…)` creates the operation whose state the function
//! `XOp::build(builder, state, args…)` fills.
//!
//! A builder is compiled as a function that returns the new operation. The state is an object of the class
//! `OperationState` of `creation.h`. A call `build(builder, state, args…)` at the end of the body becomes `return
//! XOp::create(…)`. If the body has no such call, the operation is created from the parts of the state at the end.

use std::sync::Arc;

use super::parse::Parameter;
use super::source::{Functions, SourceClass};
use crate::frontend::cxx::ast::{Ast, Group, NodeId, NodeKind, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{FROM_STATE, Lower};
use crate::frontend::cxx::parse::{BuilderNames, Parser};
use crate::snippet::{Item, Typed};
use crate::stack::with_room;

/// The C++ class of the state.
const STATE: &str = "OperationState";

/// The names in the body of a builder; `None` for another function.
pub(super) fn builder_names(
    functions: &Functions,
    function: usize,
    params: &[Parameter],
) -> Option<BuilderNames> {
    let path = &functions.definition(function).path;
    let (name, class) = path.split_last()?;
    let [(_, builder, _), (state_class, state, _), ..] = params else { return None };
    let is_builder = name == "build" && !class.is_empty() && state_class.path == STATE;
    is_builder.then(|| BuilderNames {
        builder: builder.clone(),
        state: state.clone(),
        class: class.strip_prefix(&["mlir".to_owned()]).unwrap_or(class).join("::"),
        builds: false,
    })
}

/// The result type of a builder, which is the class of the operation; `None` for another function.
pub(super) fn builder_result(
    functions: &Functions,
    function: usize,
    params: &[Parameter],
) -> Option<TypeName> {
    let names = builder_names(functions, function, params)?;
    let name = &functions.definition(function).name;
    Some(TypeName::plain(names.class, name.start, name.end))
}

/// Returns an error if a statement may follow the call that creates the operation, or if a path returns without this
/// call.
pub(super) fn require_last_build(ast: &Ast, body: NodeId) -> Result<(), Fault> {
    require_last(ast, body, true)
}

/// `is_last` is true if no statement follows `node` in the function.
fn require_last(ast: &Ast, node: NodeId, is_last: bool) -> Result<(), Fault> {
    let (lo, hi) = (ast[node].lo, ast[node].hi);
    let inside = |node: NodeId, is_last: bool| with_room(|| require_last(ast, node, is_last));
    match &ast[node].kind {
        // A `return` of the text starts before its value and ends the function. A `return` that replaces a call of
        // `build` starts at its value.
        NodeKind::Return(Some(value)) if is_last || ast[*value].lo > lo => Ok(()),
        NodeKind::Return(Some(_)) => {
            Err(error::unsupported("a call of 'build' before the end of a builder", lo, hi))
        }
        NodeKind::Return(None) => {
            Err(error::unsupported("'return' in a builder without a call of 'build' before it", lo, hi))
        }
        NodeKind::Block(statements) => require_last_of(ast, statements, is_last),
        NodeKind::If { then, otherwise, .. } => {
            inside(*then, is_last)?;
            otherwise.map_or(Ok(()), |otherwise| inside(otherwise, is_last))
        }
        NodeKind::Switch(_, groups) => {
            let group = |group: &Group| require_last_of(ast, &group.statements, is_last);
            groups.iter().try_for_each(group)
        }
        NodeKind::Loop { body, .. } | NodeKind::ForEach { body, .. } | NodeKind::DoWhile(body, _) => {
            inside(*body, false)
        }
        _ => Ok(()),
    }
}

fn require_last_of(ast: &Ast, statements: &[NodeId], is_last: bool) -> Result<(), Fault> {
    for (at, &statement) in statements.iter().enumerate() {
        let is_last = match statements.get(at + 1).map(|&next| &ast[next].kind) {
            None => is_last,
            Some(NodeKind::Return(None)) => true,
            Some(NodeKind::Break) => is_last,
            Some(_) => false,
        };
        let ends = at > 0
            && matches!(ast[statement].kind, NodeKind::Return(None))
            && always_builds(ast, statements[at - 1]);
        if !ends {
            require_last(ast, statement, is_last)?;
        }
    }
    Ok(())
}

/// True if each path through a statement creates the operation.
fn always_builds(ast: &Ast, node: NodeId) -> bool {
    match &ast[node].kind {
        NodeKind::Return(value) => value.is_some(),
        NodeKind::Block(statements) => {
            statements.last().is_some_and(|&last| with_room(|| always_builds(ast, last)))
        }
        NodeKind::If { then, otherwise: Some(otherwise), .. } => {
            [then, otherwise].into_iter().all(|&node| with_room(|| always_builds(ast, node)))
        }
        _ => false,
    }
}

impl Parser<'_> {
    /// Turns a call `build(builder, state, args…)` in a builder into the creation of the operation. Returns false for
    /// another expression.
    pub(super) fn builds(&mut self, node: NodeId) -> bool {
        let Some(BuilderNames { builder, state, class, .. }) = &self.builder else { return false };
        let NodeKind::Call(callee, args) = &self.ast[node].kind else { return false };
        let is_named = |node: &NodeId, wanted: &str| match &self.ast[*node].kind {
            NodeKind::Name(name) => name.path == wanted,
            _ => false,
        };
        let [first, second, ..] = &args[..] else { return false };
        let NodeKind::Name(name) = &self.ast[*callee].kind else { return false };
        let is_own = match name.path.strip_suffix("build").map(|of| of.strip_suffix("::").unwrap_or(of)) {
            Some("") => true,
            Some(of) => class.strip_suffix(of).is_some_and(|outer| outer.is_empty() || outer.ends_with("::")),
            None => false,
        };
        if !is_own || !is_named(first, builder) || !is_named(second, state) {
            return false;
        }
        let (path, lo, hi) = (format!("{class}::create"), name.lo, name.hi);
        let callee = *callee;
        self.ast[callee].kind = NodeKind::Name(TypeName::plain(path, lo, hi));
        self.builder.iter_mut().for_each(|names| names.builds = true);
        true
    }

    /// Adds the creation of the operation from the state to the end of the body of a builder that calls no other
    /// builder.
    pub(super) fn end_builder(&mut self, body: NodeId) {
        let Some(BuilderNames { state, class, builds: false, .. }) = &self.builder else { return };
        let (state, path) = (state.clone(), format!("{class}::{FROM_STATE}"));
        let hi = self.ast[body].hi;
        let mut name = |path: String| self.node(NodeKind::Name(TypeName::plain(path, hi, hi)), hi);
        let (callee, state) = (name(path), name(state));
        let call = self.node(NodeKind::Call(callee, vec![state]), hi);
        let end = self.node(NodeKind::Return(Some(call)), hi);
        if let NodeKind::Block(statements) = &mut self.ast[body].kind {
            statements.push(end);
        }
    }
}

impl Lower<'_, '_> {
    /// The class of the state of a new operation.
    pub(in crate::frontend::cxx) fn operation_state(&mut self) -> Option<Arc<SourceClass>> {
        self.source_class("mlir::drrvm::OperationState", 0)
    }

    /// The location in the state of a new operation; `None` for another value.
    pub(in crate::frontend::cxx) fn location_of_state(
        &mut self,
        node: NodeId,
        e: Typed,
    ) -> Result<Option<Typed>, Fault> {
        let is_state = matches!(e.ty.item, Item::Tuple(_))
            && self.operation_state().is_some_and(|class| class.ty == e.ty);
        if is_state { self.build(node, |b| b.field_at(e, 0)).map(Some) } else { Ok(None) }
    }
}
