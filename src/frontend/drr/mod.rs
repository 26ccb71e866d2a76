//! DRR: `Pattern` records become rules of the intermediate form.
//!
//! Specification: a rule matches and does what the C++ that `mlir-tblgen -gen-rewriters` of MLIR 22.1
//! generates for it matches and does, in the same order of rules; `docs/RULES.md` lists the few
//! differences. What is an error there, in the generator or in compiling what it generates, is an
//! error here.
//!
//! Records and what ODS understood of them go in; [`Pattern`]s are appended to a [`RuleSet`], in
//! `mlir-tblgen`'s order, with the operation table and the snippets they need. All errors of a run
//! come out together; the rules that have none are appended all the same.
//!
//! Method: per rule, the source pattern becomes the match graph while its symbols are bound, then
//! constraints become calls, then result patterns become steps. C++ texts become snippets; those
//! that are no expressions become natives named by their record.
//!
//! Source: MLIR's "Table-driven Declarative Rewrite Rule", and what the generator does.

mod body;
mod builder;
mod cpp;
mod create;
mod dag;
mod error;
mod order;
mod resolve;
mod result;
mod rule;
mod source;
mod symbols;
mod table;

use hashbrown::HashSet;

use cpp::Cpp;
use rule::{Reported, Rule, Session, Try};

use crate::frontend::ods::Definitions;
use crate::frontend::tablegen::{Dag, Record, Records, Value};
use crate::pdl::{Origin, Pattern, RuleSet};
use crate::source::{Diagnostics, SourceMap, Span};

/// Appends the rules of a run's records to a rule set, and fills its operation table.
///
/// Gives warnings.
///
/// # Errors
/// All that is wrong with any rule; the rule set is then not to be used.
pub fn lower(
    defs: &Definitions<'_>,
    sources: &SourceMap,
    rules: &mut RuleSet,
) -> Result<Diagnostics, Diagnostics> {
    let loaded = load(defs, sources, rules);
    if loaded.diagnostics.has_errors() { Err(loaded.diagnostics) } else { Ok(loaded.diagnostics) }
}

/// What came of loading rules one by one.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// All that was said.
    pub diagnostics: Diagnostics,
    /// The rules that did not load, in the order of the others.
    pub rejected: Vec<Rejected>,
}

impl From<Diagnostics> for Loaded {
    fn from(diagnostics: Diagnostics) -> Self {
        Self { diagnostics, rejected: Vec::new() }
    }
}

/// A rule that did not load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Its name.
    pub name: String,
    /// The operation its source pattern starts with, if that much is clear.
    pub root: Option<String>,
    /// Where it was written.
    pub span: Span,
    /// What is wrong with it, a sentence each.
    pub reasons: Vec<String>,
}

/// As [`lower`], but rules that load are there to be looked at even if others do not.
pub fn load(defs: &Definitions<'_>, sources: &SourceMap, rules: &mut RuleSet) -> Loaded {
    let mut session =
        Session { defs, rules, cpp: Cpp::default(), errors: Diagnostics::default(), broken: HashSet::new() };
    resolve::builtin_interfaces(&mut session.rules.snippets, defs);
    session.fill_op_table();
    let mut rejected = Vec::new();
    for (id, name) in order::patterns(defs.records) {
        if session.errors.at_limit() {
            break;
        }
        let record = defs.records.record(id);
        let before = session.errors.len();
        match pattern(&mut session, record, &name, sources) {
            Ok(pattern) => drop(session.rules.patterns.push(pattern)),
            Err(Reported) => {
                let errors = session.errors.iter().skip(before).filter(|diagnostic| diagnostic.is_error());
                let mut reasons: Vec<String> = errors.map(|error| error.message.clone()).collect();
                if reasons.is_empty() {
                    reasons.push("an operation of it is not well-defined".to_owned());
                }
                rejected.push(Rejected { name, root: root_name(defs, record), span: record.span(), reasons });
            }
        }
    }
    Loaded { diagnostics: session.errors, rejected }
}

/// The operation that a rule's source pattern starts with.
fn root_name(defs: &Definitions<'_>, record: Record<'_>) -> Option<String> {
    match dag::head(defs.records, &record.dag_field("sourcePattern").ok()?) {
        dag::Head::Op(op) => Some(match defs.op_of(op.id()) {
            Some(op) => defs.ops[op].name.clone(),
            None => op.name().to_owned(),
        }),
        _ => None,
    }
}

/// Fills the operation table of a rule set from definitions, without any rule.
pub fn fill(defs: &Definitions<'_>, rules: &mut RuleSet) {
    let errors = Diagnostics::default();
    Session { defs, rules, cpp: Cpp::default(), errors, broken: HashSet::new() }.fill_op_table();
}

/// The field by which a rule says that it may fire on what it made.
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
    let mut rule = Rule::new(session, name, span);
    let matched = rule.source(source);
    rule.source_failed = matched.is_err();
    let mut result = matched;
    for constraint in constraints.iter().flatten() {
        result = result.and(rule.constraint_list(*constraint));
    }
    if let (Ok(results), Ok(supplemental)) = (&results, &supplemental) {
        result = result.and(rule.results(results, supplemental));
    }
    let (matcher, rewrite) = (rule.matcher, rule.rewrite);
    result?;
    let (benefit, _, _, _) = (benefit?, results?, constraints?, supplemental?);
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

/// The dags of a field that holds a list of them.
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

/// Number of operations in the source pattern and what the rule adds.
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
    let ops = i128::try_from(dag::count_ops(record.records(), source)).unwrap_or(i128::MAX);
    let benefit = ops.saturating_add(i128::from(added));
    match u16::try_from(benefit) {
        Ok(benefit) if benefit <= Pattern::MAX_BENEFIT => Ok(benefit),
        _ => Err(session.fail(error::benefit_range(benefit, span))),
    }
}

/// What a rule can be enabled or disabled by: its file's stem, the `defm`s that made it, and its
/// `debugLabels`.
fn labels(record: Record<'_>, records: &Records, sources: &SourceMap) -> Vec<String> {
    let mut labels = Vec::new();
    let mut add = |label: &str| {
        if !label.is_empty() && !labels.iter().any(|known| known == label) {
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

/// The text of a span if it is one word.
fn identifier(sources: &SourceMap, span: Span) -> &str {
    let text = sources.snippet(span);
    let word = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if word { text } else { "" }
}
