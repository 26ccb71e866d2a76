//! Resolution of the symbols that result patterns, constraints and C++ texts mention.

use super::error;
use super::graph::{MatchGraph, whole_op};
use super::session::{Reported, RuleContext, Try};
use super::symbols::{CallId, CreationId, Symbol, split_index};
use super::value::TypedSource;
use super::words::variables;
use crate::frontend::cxx::ClassInCxx;
use crate::frontend::ods::OpId;
use crate::host::Kind;
use crate::pdl::{Arity, NodeId};
use crate::snippet::Ty;
use crate::source::Span;

/// The value that a symbol refers to.
#[derive(Clone, Debug)]
pub(super) enum Reference {
    /// A matched entity.
    Matched(TypedSource),
    /// The matched values of a `variadic` list.
    List(Vec<NodeId>),
    /// A result group of an operation that the rewrite creates. `None` stands for all results, or for the operation
    /// itself if it has no results.
    Created { creation: CreationId, op: OpId, group: Option<usize> },
    /// A result of a native call, or all results.
    Called { call: CallId, index: Option<usize> },
}

/// Resolves `$name` or `$name__N`.
pub(super) fn resolve<'a>(
    rule: &mut RuleContext<'_, '_, 'a>,
    graph: &mut MatchGraph<'a>,
    written: &str,
    span: Span,
) -> Try<Reference> {
    let span = rule.place(span);
    let (name, index) = split_index(written);
    let Some((symbol, bound)) = graph.symbols.find(name).cloned() else {
        if graph.incomplete {
            return Err(Reported);
        }
        let similar = graph.symbols.similar(name);
        return Err(rule.fail(error::unbound(written, similar, span)));
    };
    let indexed = matches!(symbol, Symbol::Matched { .. } | Symbol::Created { .. } | Symbol::Called { .. });
    if index.is_some() && !indexed {
        return Err(rule.fail(error::index_on_value(name, span)));
    }
    Ok(match symbol {
        Symbol::Operand { node, arity } => {
            let kind = if arity == Arity::Variadic { Kind::Values } else { Kind::Value };
            let optional = arity == Arity::Optional;
            Reference::Matched(TypedSource { optional, ..TypedSource::new(node, kind) })
        }
        Symbol::List(nodes) => Reference::List(nodes),
        Symbol::Attribute { node, ty, reading, optional } => {
            Reference::Matched(attribute(node, ty, reading, optional))
        }
        Symbol::Captured { node, ty, kind } => {
            Reference::Matched(TypedSource { ty, ..TypedSource::new(node, kind) })
        }
        Symbol::Matched { node, op } => {
            Reference::Matched(matched_results(rule, graph, name, (node, op), index, span)?)
        }
        Symbol::Created { op, creation: Some(creation) } => {
            let group = result_group(rule, name, op, index, span)?;
            Reference::Created { creation, op, group }
        }
        Symbol::Called { count, call: Some(call) } => {
            match index {
                Some(index) if count > 1 => check_index(rule, name, index, count, span)?,
                Some(_) => return Err(rule.fail(error::index_on_value(name, span))),
                None => {}
            }
            Reference::Called { call, index }
        }
        Symbol::Created { creation: None, .. } | Symbol::Called { call: None, .. } => {
            return Err(rule.fail(error::used_before_built(name, span, bound)));
        }
    })
}

/// Reports an error if a symbol has an index.
pub(super) fn check_no_index(rule: &mut RuleContext<'_, '_, '_>, name: &str, span: Span) -> Try<()> {
    match split_index(name).1 {
        Some(_) => Err(rule.fail(error::index_on_argument(name, span))),
        None => Ok(()),
    }
}

/// The result group that `$name__N` or `$name` refers to. Without an index, this is the only group of the operation, or
/// `None` if the operation does not have exactly one group.
pub(super) fn result_group(
    rule: &mut RuleContext<'_, '_, '_>,
    name: &str,
    op: OpId,
    index: Option<usize>,
    span: Span,
) -> Try<Option<usize>> {
    let count = rule.defs.ops[op].results.len();
    match index {
        Some(index) => check_index(rule, name, index, count, span).map(|()| Some(index)),
        None => Ok((count == 1).then_some(0)),
    }
}

fn check_index(
    rule: &mut RuleContext<'_, '_, '_>,
    name: &str,
    index: usize,
    count: usize,
    span: Span,
) -> Try<()> {
    if index < count { Ok(()) } else { Err(rule.fail(error::no_such_result(name, index, count, span))) }
}

fn matched_results<'a>(
    rule: &mut RuleContext<'_, '_, 'a>,
    graph: &mut MatchGraph<'a>,
    name: &str,
    (node, op): (NodeId, OpId),
    index: Option<usize>,
    span: Span,
) -> Try<TypedSource> {
    let group = result_group(rule, name, op, index, span)?;
    let results = &rule.defs.ops[op].results;
    if results.is_empty() {
        return Ok(whole_op(rule, node, op));
    }
    let (node, kind) = graph.result_node(rule, node, op, group);
    let optional = group.is_some_and(|group| results[group].arity == Arity::Optional);
    let class = if kind == Kind::Value { ClassInCxx::OpResult } else { ClassInCxx::OfType };
    Ok(TypedSource { optional, class, ..TypedSource::new(node, kind) })
}

fn attribute(node: NodeId, ty: Ty, reading: Option<Ty>, optional: bool) -> TypedSource {
    TypedSource { ty, reading, optional, ..TypedSource::new(node, Kind::Attr) }
}

/// The variables of the generated C++ that a text mentions in addition to its placeholders: symbols of matched
/// operations and attributes, and `op0` and `castedOp0`, which are the root. Published rules use such variables.
pub(super) fn generated_variables(
    rule: &mut RuleContext<'_, '_, '_>,
    graph: &MatchGraph<'_>,
    text: &str,
) -> Vec<(String, TypedSource)> {
    let mut found: Vec<(String, TypedSource)> = Vec::new();
    for word in variables(text) {
        if found.iter().any(|(name, _)| name == word) {
            continue;
        }
        let value = match (graph.symbols.find(word), graph.root_op) {
            (Some(&(Symbol::Matched { node, op }, _)), _) => whole_op(rule, node, op),
            (Some(&(Symbol::Attribute { node, ty, reading, optional }, _)), _) => {
                attribute(node, ty, reading, optional)
            }
            (None, Some(_)) if word == "op0" => TypedSource::new(graph.root, Kind::Op),
            (None, Some(op)) if word == "castedOp0" => whole_op(rule, graph.root, op),
            _ => continue,
        };
        found.push((word.to_owned(), value));
    }
    found
}
