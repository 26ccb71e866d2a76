//! Lowers all `Pattern` records of a run.

use std::sync::Arc;

use super::classes::builtin_interfaces;
use super::fold::fold;
use super::session::{Reported, RuleContext, Session, Try};
use super::{constraint, create, dag, error, order, result, source};
use crate::frontend::cxx::{Functions, Helpers};
use crate::frontend::loaded::{Loaded, Rejected};
use crate::frontend::ods::Definitions;
use crate::frontend::tablegen::{Dag, Record, Records, Value};
use crate::pdl::{Origin, Pattern, RuleSet};
#[cfg(any(test, feature = "fuzzing"))]
use crate::source::Diagnostics;
use crate::source::{SourceMap, Span};

/// Appends the rules of a run's records to a rule set, and fills its operation table. Returns the warnings.
///
/// # Errors
/// The diagnostics of all rules, if any rule has an error. The rule set must not be used in this case.
#[cfg(any(test, feature = "fuzzing"))]
pub fn lower(
    defs: &Definitions<'_>,
    sources: &SourceMap,
    rules: &mut RuleSet,
) -> Result<Diagnostics, Diagnostics> {
    let loaded = load(defs, sources, rules, &Arc::default()).with_errors_of_rules();
    if loaded.diagnostics.has_errors() { Err(loaded.diagnostics) } else { Ok(loaded.diagnostics) }
}

/// Appends rules as [`lower`] does, but the rule set is usable even if some rules have errors. The result has the
/// diagnostics of the rules without errors. It also lists the rules with errors, each with its own diagnostics.
///
/// Rules can call `functions`. A called function outside the snippet language stays a native, and a note states the
/// reason.
pub(crate) fn load(
    defs: &Definitions<'_>,
    sources: &SourceMap,
    rules: &mut RuleSet,
    functions: &Arc<Functions>,
) -> Loaded {
    let mut session = Session::new(defs, rules, Helpers::new(functions));
    builtin_interfaces(&mut session.rules.snippets, defs);
    session.fill_op_table(None);
    let mut loaded = Loaded::from(std::mem::take(&mut session.errors));
    for (id, name) in order::patterns(defs.records) {
        let record = defs.records.record(id);
        let pattern = pattern(&mut session, record, &name, sources);
        let diagnostics = std::mem::take(&mut session.errors);
        match pattern {
            Ok(pattern) => {
                session.rules.patterns.push(pattern);
                loaded.diagnostics.extend(diagnostics);
            }
            Err(Reported) => loaded.reject(Rejected {
                labels: labels(record, defs.records, sources),
                root: root_name(defs, record),
                ..Rejected::of_record(name, record.span(), diagnostics)
            }),
        }
    }
    loaded.diagnostics.extend(session.helpers.notes());
    fold(rules);
    loaded
}

/// The name of the root operation of a rule's source pattern.
fn root_name(defs: &Definitions<'_>, record: Record<'_>) -> Option<String> {
    match dag::head(defs.records, &record.dag_field("sourcePattern").ok()?) {
        dag::Head::Op(op) => Some(match defs.op_of(op.id()) {
            Some(op) => defs.ops[op].name.clone(),
            None => op.name().to_owned(),
        }),
        _ => None,
    }
}

/// Fills the operation table of a rule set with all operations or, if `dialect` is given, with the operations of this
/// dialect. In the second case, the table allows properties to be absent. Adds no rules.
pub(crate) fn fill(defs: &Definitions<'_>, dialect: Option<&str>, rules: &mut RuleSet) {
    Session::new(defs, rules, Helpers::default()).fill_op_table(dialect);
    fold(rules);
}

/// The field that marks a rule as recursive.
const RECURSIVE: &str = "hasBoundedRewriteRecursion";

fn pattern<'a>(
    session: &mut Session<'_, 'a>,
    record: Record<'a>,
    name: &str,
    sources: &SourceMap,
) -> Try<Pattern> {
    let records = session.defs.records;
    let span = record.span();
    let dag = |session: &mut Session<'_, '_>, field: &str| match record.dag_field(field) {
        Ok(dag) => Ok(dag),
        Err(problem) => Err(session.fail(problem.into())),
    };
    let source = dag(session, "sourcePattern")?;
    let benefit = benefit(session, record, source);
    let results = dags(session, record, "resultPatterns");
    let constraints = dags(session, record, "constraints");
    let supplemental = dags(session, record, "supplementalPatterns");
    let mut rule = RuleContext::new(session, sources, name, span);
    let mut graph = source::lower(&mut rule, source);
    let mut result = if graph.incomplete { Err(Reported) } else { Ok(()) };
    for constraint in constraints.iter().flatten() {
        result = result.and(constraint::lower(&mut rule, &mut graph, *constraint));
    }
    // All phases run even after an error, so that one run reports all errors.
    let rewrite = results.and_then(|results| {
        let plan = result::plan(&mut rule, &mut graph, &results, &supplemental?)?;
        create::lower(&mut rule, &graph, plan)
    });
    result?;
    constraints?;
    let (benefit, matcher, rewrite) = (benefit?, graph.part, rewrite?);
    let recursive = match record.find_field(RECURSIVE).map(|_| record.bit_field(RECURSIVE)) {
        Some(Err(problem)) => return Err(session.fail(problem.into())),
        Some(Ok(marked)) => marked,
        None => false,
    };
    let labels = labels(record, records, sources);
    let strings = &mut session.rules.strings;
    Ok(Pattern {
        name: strings.intern(name),
        labels: labels.iter().map(|label| strings.intern(label)).collect(),
        benefit,
        choice: None,
        recursive,
        origin: Origin::Span(span),
        matcher,
        rewrite,
    })
}

/// The dags of a field that holds a list of dags.
fn dags<'a>(session: &mut Session<'_, '_>, record: Record<'a>, field: &str) -> Try<Vec<Dag<'a>>> {
    let values = match record.list_field(field) {
        Ok(values) => values,
        Err(problem) => return Err(session.fail(problem.into())),
    };
    let mut all = Vec::new();
    for value in values {
        match value {
            Value::Dag(dag) => all.push(record.records().dag(dag)),
            _ => {
                let span = record.find_field(field).map_or(record.span(), |field| field.span);
                return Err(session.fail(match field {
                    "constraints" => error::constraint_dag(span),
                    _ => error::results_not_dags(span),
                }));
            }
        }
    }
    Ok(all)
}

/// The number of operations in the source pattern, plus the rule's `benefitDelta`.
fn benefit(session: &mut Session<'_, '_>, record: Record<'_>, source: Dag<'_>) -> Try<u16> {
    let delta = match record.dag_field("benefitDelta") {
        Ok(delta) => delta,
        Err(problem) => return Err(session.fail(problem.into())),
    };
    let span = if delta.span().is_none() { record.span() } else { delta.span() };
    let mut args = delta.args();
    let (Some(arg), None) = (args.next(), args.next()) else {
        return Err(session.fail(error::benefit_dag(span)));
    };
    let Value::Int(added) = arg.value else {
        return Err(session.fail(error::benefit_dag(span)));
    };
    let ops = i128::try_from(dag::count_ops(record.records(), source)).expect("a count fits in 128 bits");
    let benefit = ops.saturating_add(i128::from(added));
    match u16::try_from(benefit) {
        Ok(benefit) if benefit <= Pattern::MAX_BENEFIT => Ok(benefit),
        _ => Err(session.fail(error::benefit_range(benefit, span))),
    }
}

/// The labels of a rule: the stem of its file's name, the names of the `defm`s around it, and its `debugLabels`.
fn labels(record: Record<'_>, records: &Records, sources: &SourceMap) -> Vec<String> {
    let mut labels = Vec::new();
    let mut add = |label: &str| {
        if !label.is_empty() && !labels.iter().any(|other| other == label) {
            labels.push(label.to_owned());
        }
    };
    if let Some(file) = sources.file_of(record.span()) {
        add(std::path::Path::new(file.name()).file_stem().and_then(|stem| stem.to_str()).unwrap_or(""));
    }
    for &span in record.instantiated_from() {
        add(identifier(sources, span));
    }
    for label in record.list_field("debugLabels").into_iter().flatten() {
        if let Value::String(label) = label {
            add(records.str(label));
        }
    }
    labels
}

/// The text of a span if it is a word, or else an empty text.
fn identifier(sources: &SourceMap, span: Span) -> &str {
    let text = sources.snippet(span);
    let word = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if word { text } else { "" }
}
