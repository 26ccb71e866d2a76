//! The diagnostics about rules that the tree builder rejects, one constructor each.

use crate::pdl::{MatchPart, NodeId, Origin, shown_name};
use crate::source::{Diagnostic, Span};

use super::position::Positions;

fn placed(diagnostic: Diagnostic, origin: Origin) -> Diagnostic {
    match origin {
        Origin::Span(span) => diagnostic.at(span, "this rule"),
        Origin::Rust(location) => diagnostic.with_note(format!("the rule was built at {location}")),
    }
}

pub(super) fn no_root(pattern: &str, origin: Origin) -> Diagnostic {
    placed(Diagnostic::error(format!("rule '{}' has no root operation", shown_name(pattern))), origin)
}

pub(super) fn unreachable_node(pattern: &str, part: &MatchPart, node: NodeId) -> Diagnostic {
    Diagnostic::error(format!(
        "rule '{}' refers to an entity that is not connected to its root",
        shown_name(pattern)
    ))
    .at(part.span(node), "not reached from the root by operands, users or results of constraints")
}

pub(super) fn argument_unbound(pattern: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!(
        "a constraint of rule '{}' takes an argument that is not bound yet",
        shown_name(pattern)
    ))
    .at(span, "this call")
}

pub(super) fn unknown_group(pattern: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!(
        "rule '{}' takes a result group that its operation does not have",
        shown_name(pattern)
    ))
    .at(span, "no such group")
}

pub(super) fn too_deep(pattern: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("rule '{}' is nested too deeply", shown_name(pattern))).at(
        span,
        format!("{0} steps from the root; the limit is {1}", Positions::MAX_DEPTH + 1, Positions::MAX_DEPTH),
    )
}

pub(super) fn too_many_operands(pattern: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!(
        "an operation of rule '{}' has more than {} operands",
        shown_name(pattern),
        u32::MAX
    ))
    .at(span, "")
}

pub(super) fn too_many_nodes(limit: usize, rules: usize, left: usize) -> Diagnostic {
    Diagnostic::error(format!("{rules} rules need a matcher tree of more than {limit} nodes"))
        .with_note(format!("at least {left} more nodes are needed"))
}
