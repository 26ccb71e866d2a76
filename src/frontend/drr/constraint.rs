//! Lowers the constraints of a rule: the constraints on nodes of the match graph, and the `constraints` list of the
//! record.

use super::dag::{Head, head, span_of};
use super::error;
use super::graph::MatchGraph;
use super::names::{self, Reference, generated_variables};
use super::session::{RuleContext, Try, collect, small};
use super::value::TypedSource;
use crate::frontend::cxx::Placeholder;
use crate::frontend::tablegen::{Dag, Record};
use crate::host::Kind;
use crate::pdl::{Arg, Call, Callee, NodeId, Source};
use crate::snippet::Ty;
use crate::source::Span;

/// The maximum number of arguments of a constraint.
const ARGUMENT_LIMIT: usize = 4;

/// A matched argument of a constraint.
enum ConstraintArg {
    One(TypedSource, NodeId),
    /// A `variadic` list.
    List(Vec<NodeId>),
}

/// Adds a constraint on a node, to which `$_self` refers. `owner` is the operation whose arguments are being matched,
/// or the root for an item of the `constraints` list.
pub(super) fn constrain<'a>(
    rule: &mut RuleContext<'_, '_, 'a>,
    graph: &mut MatchGraph<'a>,
    record: Record<'a>,
    (node, ty, reading): (NodeId, Ty, Option<Ty>),
    owner: NodeId,
    span: Span,
) -> Try<()> {
    let constraint = rule.defs.constraint_of(record.id());
    let (callee, of_owner) = rule.session.constraint(constraint, ty, reading, span)?;
    let mut args = vec![Arg::Of(node)];
    args.extend(of_owner.then_some(Arg::Of(owner)));
    graph.constrain(Call { callee, args, results: Vec::new(), negated: false, span });
    Ok(())
}

/// Adds a constraint on the type of a value node.
pub(super) fn constrain_type<'a>(
    rule: &mut RuleContext<'_, '_, 'a>,
    graph: &mut MatchGraph<'a>,
    record: Record<'a>,
    value: NodeId,
    owner: NodeId,
    span: Span,
) -> Try<()> {
    let ty = graph.type_node(value);
    constrain(rule, graph, record, (ty, Ty::TYPE, None), owner, span)
}

/// Lowers an item of the `constraints` list.
pub(super) fn lower<'a>(
    rule: &mut RuleContext<'_, '_, 'a>,
    graph: &mut MatchGraph<'a>,
    constraint: Dag<'a>,
) -> Try<()> {
    let span = rule.place(constraint.span());
    let Head::Op(record) = head(rule.defs.records, &constraint) else {
        return Err(rule.fail(error::constraint_dag(span)));
    };
    let record = rule.defs.records.record(rule.defs.constraint_of(record.id()));
    if !record.is_subclass_of("Constraint") {
        return Err(rule.fail(error::constraint_dag(span)));
    }
    let args = collect(constraint.args().map(|arg| {
        let span = span_of(&arg, span);
        match arg.name {
            Some(name) => Ok((name, matched(rule, graph, name, span)?)),
            None => Err(rule.fail(error::constraint_operand(span))),
        }
    }));
    let subject = match constraint.operator_name() {
        Some(name) => Some((name, matched(rule, graph, name, span)?)),
        None => None,
    };
    let args = args?;
    if record.is_subclass_of("TypeConstraint") {
        let [(name, arg)] = &args[..] else {
            return Err(rule.fail(error::type_constraint_arity(span)));
        };
        let ConstraintArg::One(TypedSource { kind: Kind::Value, .. }, node) = *arg else {
            return Err(rule.fail(error::type_of_non_value(name, span)));
        };
        return constrain_type(rule, graph, record, node, graph.root, span);
    }
    if record.is_subclass_of("AttrConstraint") {
        return Err(rule.fail(error::attr_constraint_in_list(span)));
    }
    if args.len() > ARGUMENT_LIMIT {
        return Err(rule.fail(error::too_many_arguments(args.len(), ARGUMENT_LIMIT, span)));
    }
    let subject = subject.map(|subject| ("$_self".to_owned(), subject));
    let numbered = (0..).map(|i: usize| format!("${i}")).zip(args);
    let args = subject.into_iter().chain(numbered);
    let call = predicate_call(rule, graph, record, args, span)?;
    graph.constrain(call);
    Ok(())
}

/// The call of a predicate. Each argument comes with its placeholder and its symbol.
fn predicate_call<'a>(
    rule: &mut RuleContext<'_, '_, 'a>,
    graph: &MatchGraph<'a>,
    record: Record<'a>,
    arguments: impl Iterator<Item = (String, (&'a str, ConstraintArg))>,
    span: Span,
) -> Try<Call> {
    let condition = rule.session.condition(record.id())?.clone();
    let mut params = Vec::new();
    let mut args = Vec::new();
    let mut list = None;
    for (placeholder, (name, arg)) in arguments {
        match arg {
            ConstraintArg::One(value, node) => {
                params.push(value.placeholder(placeholder));
                args.push(Arg::Of(node));
            }
            ConstraintArg::List(nodes) => {
                list = Some(name);
                params.push(Placeholder::list(placeholder, small(nodes.len())));
                args.extend(nodes.into_iter().map(Arg::Of));
            }
        }
    }
    for (name, value) in generated_variables(rule, graph, condition.as_str()) {
        if let Source::Matched(node) = value.source {
            params.push(value.placeholder(name));
            args.push(Arg::Of(node));
        }
    }
    let name = rule.native_name(record);
    let callee = rule.session.named_predicate(&condition, span, &params, record, &name)?;
    if let (Callee::Native(_), Some(name)) = (&callee, list) {
        return Err(rule.fail(error::constrained_list(name, span)));
    }
    Ok(Call { callee, args, results: Vec::new(), negated: false, span })
}

/// Resolves a symbol to the matched entities that it refers to.
fn matched<'a>(
    rule: &mut RuleContext<'_, '_, 'a>,
    graph: &mut MatchGraph<'a>,
    name: &str,
    span: Span,
) -> Try<ConstraintArg> {
    match names::resolve(rule, graph, name, span)? {
        Reference::List(nodes) => Ok(ConstraintArg::List(nodes)),
        Reference::Matched(value) => match value.source {
            Source::Matched(node) => Ok(ConstraintArg::One(value, node)),
            Source::Local(_) => Err(rule.fail(error::unbound(name, None, span))),
        },
        Reference::Created { .. } | Reference::Called { .. } => {
            Err(rule.fail(error::unbound(name, None, span)))
        }
    }
}
