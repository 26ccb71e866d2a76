//! The errors about rules whose expressions or helpers exceeded the budget of an evaluation.

use crate::bytecode::{PatternCall, Program};
use crate::matcher_tree::CallId;
use crate::pdl::{Callee, PatternId};
use crate::snippet::{ExhaustedSnippets, Exhaustion, SnippetId};
use crate::source::{Diagnostic, Diagnostics};

/// One error for each rule that evaluates one of the exhausted snippets, and one for each exhausted snippet that no
/// rule evaluates.
pub(super) fn failures(program: &Program, exhausted: &ExhaustedSnippets) -> Diagnostics {
    let mut errors = Diagnostics::default();
    let exhausted = exhausted.sorted();
    if exhausted.is_empty() {
        return errors;
    }
    for rule in program.patterns.ids() {
        if let Some(&(snippet, exhaustion)) = exhausted.iter().find(|(id, _)| uses(program, rule, *id)) {
            errors.push(failure(program, Some(rule), snippet, exhaustion));
        }
    }
    for (snippet, exhaustion) in exhausted {
        if !program.patterns.ids().any(|rule| uses(program, rule, snippet)) {
            errors.push(failure(program, None, snippet, exhaustion));
        }
    }
    errors
}

/// True if a rule evaluates a snippet.
pub(super) fn uses(program: &Program, rule: PatternId, snippet: SnippetId) -> bool {
    let of_constraint = |id: CallId| program.predicates.calls()[id].callee;
    program.calls(rule).iter().any(|call| match *call {
        PatternCall::Snippet(id) => id == snippet,
        PatternCall::Constraint(id) => of_constraint(id) == Callee::Snippet(snippet),
        PatternCall::Rewrite(id) => program.rewrite_calls[id].callee == Callee::Snippet(snippet),
        PatternCall::Inference { .. } => false,
    })
}

/// The error that an expression or helper exceeded the budget, so that a rule failed.
fn failure(
    program: &Program,
    rule: Option<PatternId>,
    id: SnippetId,
    Exhaustion { limit, functions }: Exhaustion,
) -> Diagnostic {
    let snippet = program.snippets.get(id);
    let who = match rule {
        Some(rule) => format!("rule '{}' failed", program.pattern_name(rule)),
        None => "a rule failed".to_owned(),
    };
    let called = functions.and_then(|(called, innermost)| {
        let function = program.snippets.function(called)?;
        Some((function, program.snippets.function(innermost).filter(|_| innermost != called)))
    });
    let error = match called {
        Some((function, innermost)) => {
            let name = program.snippets.str(function.name);
            let error = Diagnostic::error(format!("{who}: the helper '{name}' takes more than {limit}"))
                .at(function.span, "this helper");
            let error = match innermost {
                Some(innermost) => error.at(innermost.span, "the evaluation ended in this helper"),
                None => error,
            };
            error.at(snippet.span, "called here")
        }
        None => Diagnostic::error(format!("{who}: an expression takes more than {limit}"))
            .at(snippet.span, "this expression"),
    };
    error.with_note(
        "a rule does not match if one of its constraints fails; a rewrite that fails is rolled back",
    )
}
