//! The diagnostics about rules, one constructor each.

use super::rule_set::Origin;
use crate::host::Kind;
use crate::source::{Diagnostic, Span, similar};

/// A rule's name in messages. A rule in `pdl` text can be without a name.
pub(crate) fn shown_name(name: &str) -> &str {
    if name.is_empty() { "<unnamed>" } else { name }
}

pub(crate) fn unknown_rule<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    let error = Diagnostic::error(format!("no rule has the name or label '{name}'"));
    match similar(name, known) {
        Some(similar) => error.help(format!("did you mean '{similar}'?")),
        None => error,
    }
    .help("`drrvm dump --stage pdl` shows the rules with their names")
}

pub(super) fn benefit_out_of_range(at: Span, given: i64, limit: u16) -> Diagnostic {
    Diagnostic::error(format!("benefit {given} is out of range: the largest is {limit}")).at(at, "")
}

pub(super) fn not_the_largest_benefit(at: Span, given: u16, largest: i64) -> Diagnostic {
    Diagnostic::error(format!(
        "the benefit of the rule must be the largest of its benefits: expected {largest}, found {given}"
    ))
    .at(at, "the largest")
}

pub(super) fn too_many_benefits(at: Span, given: usize, limit: usize) -> Diagnostic {
    Diagnostic::error(format!("{given} benefits of one rule; the limit is {limit}")).at(at, "")
}

pub(super) fn benefit_never_used(at: Span, given: i64, rest: Span) -> Diagnostic {
    Diagnostic::error(format!("benefit {given} is never used: an equal or higher benefit has no constraint"))
        .at(at, "")
        .at(rest, "this benefit needs no constraint")
}

pub(super) fn results_of_benefit(at: Span) -> Diagnostic {
    Diagnostic::error("the constraint of a benefit cannot have results")
        .at(at, "a match does not need this constraint to hold")
}

pub(super) fn no_root(at: Span) -> Diagnostic {
    Diagnostic::error("a rule must match at least one operation").at(at, "no operation here")
}

pub(super) fn unbound_variable(name: &str) -> Diagnostic {
    Diagnostic::error(format!("the rule does not bind the variable '{name}'"))
        .help("use a variable of the term to match")
}

pub(super) fn root_twice(at: Span) -> Diagnostic {
    Diagnostic::error("an operation is listed as a root twice").at(at, "")
}

pub(super) fn no_such_node(at: Span, what: &str) -> Diagnostic {
    Diagnostic::error(format!("{what} refers to a node that the rule does not have")).at(at, "")
}

pub(super) fn foreign_ids(at: Span, origin: Origin) -> Diagnostic {
    let error = Diagnostic::error("a rule refers to strings or snippets that its rule set does not have")
        .at(at, "")
        .help("add a rule only to the set that it was built for");
    match origin {
        Origin::Rust(at) => error.with_note(format!("built at {}:{}", at.file(), at.line())),
        Origin::Span(_) => error,
    }
}

pub(super) fn wrong_kind(at: Span, what: &str, expected: &str, found: Kind) -> Diagnostic {
    Diagnostic::error(format!("{what} must be {expected}, not {}", found.with_article())).at(at, "")
}

pub(super) fn one_value_of_all_results(at: Span) -> Diagnostic {
    Diagnostic::error("all results of an operation are a range, not one value").at(at, "")
}

pub(super) fn range_of_one_result(at: Span) -> Diagnostic {
    Diagnostic::error("a range must be a result group or all results of an operation").at(at, "")
}

pub(super) fn no_such_result_group(at: Span, group: u32, groups: usize) -> Diagnostic {
    Diagnostic::error(format!(
        "no result group {group}: the number of the operation's result groups is {groups}"
    ))
    .at(at, "")
}

pub(super) fn no_such_result(at: Span, index: u32, results: usize) -> Diagnostic {
    Diagnostic::warning(format!("the rule never matches: no result {index}, because the number of the operation's results is {results}"))
        .at(at, "")
}

pub(super) fn ambiguous_groups(at: Span, what: &str, open: usize) -> Diagnostic {
    Diagnostic::error(format!("{open} {what} groups have an open size, and nothing determines their sizes"))
        .at(at, "")
        .help("give all groups the same size, or name the attribute that lists the sizes")
}

pub(super) fn bad_either(at: Span, reason: &str) -> Diagnostic {
    Diagnostic::error(format!("operands cannot match in either order: {reason}")).at(at, "")
}

/// Reports that the commutative operations of a rule keep their order because the rule has several roots.
pub(super) fn roots_do_not_commute(rule: &str, span: Span) -> Diagnostic {
    let text = format!(
        "the commutative operations of rule '{}' match only with their operands in the order of the rule, because it has several roots",
        shown_name(rule)
    );
    Diagnostic::warning(text).at(span, "")
}

/// Reports a rule with more commutative operations than the allowed number of `either` pairs.
pub(super) fn too_many_commute(rule: &str, found: usize, allowed: usize, span: Span) -> Diagnostic {
    let text = format!(
        "rule '{}' has {found} commutative operations, of which only {allowed} match with their operands in either order",
        shown_name(rule)
    );
    Diagnostic::warning(text).at(span, "")
}

pub(super) fn too_many_either(at: Span, given: usize, limit: usize) -> Diagnostic {
    Diagnostic::error(format!(
        "{given} pairs of operands match in either order; the limit of a rule is {limit}"
    ))
    .at(at, "")
}

pub(super) fn each_of_no_range(at: Span, found: Kind) -> Diagnostic {
    Diagnostic::error(format!("a call for each element needs a range, not {}", found.with_article()))
        .at(at, "")
}

pub(super) fn each_in_rewrite(at: Span) -> Diagnostic {
    Diagnostic::error("only a constraint can be called for each element of a range").at(at, "")
}

pub(super) fn several_each(at: Span) -> Diagnostic {
    Diagnostic::error("a call can iterate over one range only").at(at, "")
}

pub(super) fn results_of_each(at: Span) -> Diagnostic {
    Diagnostic::error("a call for each element of a range cannot have results").at(at, "")
}

pub(super) fn results_of_negated(at: Span) -> Diagnostic {
    Diagnostic::error("a negated constraint cannot have results")
        .at(at, "a constraint binds its results only if it holds")
}

pub(super) fn unbound_argument(at: Span, node: &str, bound_at: Span) -> Diagnostic {
    Diagnostic::error(format!("{node} is used by a constraint before it is bound"))
        .at(at, "used here")
        .at(bound_at, "bound here, after the constraint")
}

pub(super) fn never_bound_argument(at: Span, node: &str, declared_at: Span) -> Diagnostic {
    Diagnostic::error(format!("{node} is used by a constraint, but never bound"))
        .at(at, "used here")
        .at(declared_at, "nothing binds it")
}

pub(super) fn disconnected(at: Span, node: &str, root: Span) -> Diagnostic {
    Diagnostic::error(format!("{node} is not connected to the root"))
        .at(at, "no operand, result, type or attribute connects it to the root")
        .at(root, "the root")
}

pub(super) fn cycle(at: Span) -> Diagnostic {
    Diagnostic::error("an operation takes its own results as operands").at(at, "")
}

pub(super) fn no_such_local(at: Span) -> Diagnostic {
    Diagnostic::error("a rewrite step refers to a local that the rule does not have").at(at, "")
}

pub(super) fn defined_twice(at: Span) -> Diagnostic {
    Diagnostic::error("two rewrite steps define the same local").at(at, "")
}

pub(super) fn used_before_made(at: Span) -> Diagnostic {
    Diagnostic::error("a rewrite step uses a local that no earlier step defines").at(at, "")
}

pub(super) fn never_made(at: Span, count: usize) -> Diagnostic {
    Diagnostic::error(format!("no rewrite step defines {count} of the rule's locals")).at(at, "")
}

pub(super) fn root_not_listed(at: Span, root: Span) -> Diagnostic {
    Diagnostic::error("an operation whose results no other operation takes must be a root")
        .at(at, "not listed as a root")
        .at(root, "the first root")
}

pub(super) fn too_many_roots(at: Span, given: usize, limit: usize) -> Diagnostic {
    Diagnostic::error(format!("the rule has {given} roots; the limit is {limit}"))
        .at(at, "")
        .help("split the rule into several")
}
