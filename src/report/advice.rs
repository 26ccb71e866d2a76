//! Warnings about rules without errors, with one constructor for each kind.

use std::fmt::Write;

use hashbrown::HashMap;

use super::constants::EvaluatedConstants;
use super::cycles::{self, Cycle, TooManyPairs};
use super::text::{MAX_NAMED, origin_span, source_rule_name as rule_name};
use crate::host::Natives;
use crate::intern::StrId;
use crate::ir::IrHost;
use crate::matcher_tree::{self, Finding, FindingKind};
use crate::pdl::{self, Callee, ConstantUse, MatchPart, Origin, PatternId, RefusedConstant, RuleSet};
use crate::plural::count;
use crate::source::{Diagnostic, Diagnostics, SourceMap, Span};

/// Warns of rules that compile, but are probably wrong: rules that can never match or are never applied, need a
/// constant that cannot be created, depend on the order of the rules, may rewrite without end, bind symbols that they
/// do not use, or may change types.
///
/// ```
/// use drrvm::{Natives, RuleSet, SourceMap, report};
/// let mut rules = RuleSet::default();
/// for _ in 0..2 {
///     let mut rule = rules.pattern("EraseNop", 1);
///     let root = rule.op("t.nop").matched();
///     rule.erase(root);
///     rule.finish()?;
/// }
/// let warnings = report::advise(&rules, &Natives::new(), &SourceMap::default());
/// assert_eq!(warnings.len(), 1);
/// assert!(warnings.iter().all(|warning| warning.message.contains("tried later")));
/// # Ok::<(), drrvm::Diagnostics>(())
/// ```
pub fn advise(rules: &RuleSet, natives: &Natives<IrHost>, sources: &SourceMap) -> Diagnostics {
    Advice::new(rules, natives, sources).warnings
}

/// The warnings about rules without errors.
#[derive(Default)]
pub(crate) struct Advice {
    pub(crate) warnings: Diagnostics,
    /// The rules that can never be applied, each with a short reason. Rules that another rule shadows are not included.
    pub(crate) dead: HashMap<PatternId, String>,
}

impl Advice {
    pub(crate) fn new(rules: &RuleSet, natives: &Natives<IrHost>, sources: &SourceMap) -> Self {
        let constants = EvaluatedConstants::new(rules, natives);
        let mut advice = Self::default();
        for found in rules.verify().iter().flat_map(|rules| matcher_tree::analyse_with(*rules, &constants)) {
            if found.kind == FindingKind::Unreachable {
                advice.dead.insert(found.pattern, "its predicates contradict each other".to_owned());
            }
            advice.warnings.push(finding(rules, found));
        }
        for (id, pattern) in rules.patterns.iter_enumerated() {
            let found = pdl::verify_rule(rules, pattern);
            if !found.is_empty() {
                advice.dead.entry(id).or_insert_with(|| "it never matches".to_owned());
            }
            // Only the warnings about rules that Rust code builds are added, because front ends have reported those
            // about rules in files.
            if matches!(pattern.origin, Origin::Rust(_)) {
                advice.warnings.extend(found);
            }
        }
        for refused in constants.refused() {
            advice.warnings.push(refused_constant(rules, &refused));
            if refused.usage != ConstantUse::Default {
                let reason = format!("the {} '{}' cannot be made", refused.kind, refused.text);
                advice.dead.insert(refused.pattern, reason);
            }
        }
        for (id, pattern) in rules.patterns.iter_enumerated() {
            if let Some((text, span)) = changing_constraint(rules, &pattern.matcher, natives) {
                advice.warnings.push(changes_ir(rules, id, &text, span));
                advice.dead.entry(id).or_insert_with(|| format!("the constraint {text} changes the IR"));
            }
        }
        match cycles::find(rules, &constants) {
            Ok(cycles) => cycles.iter().for_each(|found| advice.warnings.push(cycle(rules, found))),
            Err(TooManyPairs) => advice.warnings.push(too_many_pairs()),
        }
        advice.warnings.extend(warnings(rules, sources));
        advice
    }
}

/// The text and place of the first constraint that changes the IR. Only a rewrite may change the IR.
fn changing_constraint(
    rules: &RuleSet,
    matcher: &MatchPart,
    natives: &Natives<IrHost>,
) -> Option<(String, Span)> {
    matcher.constraints.iter().find_map(|call| {
        let Callee::Snippet(id) = call.callee else { return None };
        let snippet = rules.snippets.get(id);
        let is_replaced = |name| natives.find_constraint(rules.snippets.str(name)).is_some();
        let changes = snippet.rewrites && !snippet.constraint.is_some_and(is_replaced);
        changes.then(|| (rules.snippets.code_line(id), call.span))
    })
}

/// The warnings about unused symbols and about results whose type may change.
fn warnings(rules: &RuleSet, sources: &SourceMap) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    // In pdl, all values have names, so an unused name is no mistake.
    let in_pdl = |pattern: PatternId| match rules.patterns[pattern].origin {
        Origin::Span(span) => sources.snippet(span).trim_matches('"') == "pdl.pattern",
        Origin::Rust(_) => false,
    };
    for (pattern, names) in pdl::unused_symbols(rules) {
        if in_pdl(pattern) {
            continue;
        }
        diagnostics.push(unused_symbols(rules, pattern, &names));
    }
    for (pattern, result) in pdl::retyping_replacements(rules) {
        diagnostics.push(may_change_type(rules, pattern, result));
    }
    diagnostics
}

fn rule_span(rules: &RuleSet, rule: PatternId) -> Span {
    origin_span(rules.patterns[rule].origin)
}

/// The warning about a finding of the analysis.
fn finding(rules: &RuleSet, finding: Finding) -> Diagnostic {
    let name = rule_name(rules, finding.pattern);
    let here = |message: String| Diagnostic::warning(message).at(rule_span(rules, finding.pattern), "");
    let other = |diagnostic: Diagnostic, other: PatternId| {
        let (span, text) = (rule_span(rules, other), format!("'{}' is here", rule_name(rules, other)));
        if span.is_none() { diagnostic } else { diagnostic.note_at(span, text) }
    };
    match finding.kind {
        FindingKind::Unreachable => {
            here(format!("rule '{name}' can never match, because its predicates contradict each other"))
        }
        FindingKind::Shadowed { by } => {
            let by_name = rule_name(rules, by);
            let message = format!(
                "rule '{name}' is never applied, because '{by_name}' matches the same operations and is tried first"
            );
            other(here(message), by)
        }
        FindingKind::Duplicate { of } => {
            let of_name = rule_name(rules, of);
            let message = format!(
                "rule '{name}' matches exactly the operations that '{of_name}' matches, and is tried later"
            );
            other(here(message), of)
        }
        FindingKind::Overlaps { with } => {
            let with_name = rule_name(rules, with);
            let message = format!(
                "rules '{name}' and '{with_name}' can match the same operation and have the same benefit, so their order decides"
            );
            other(here(message), with).help("give a higher benefit to the rule that should be applied")
        }
    }
}

/// The warning about a constant that the built-in IR cannot create.
fn refused_constant(rules: &RuleSet, refused: &RefusedConstant) -> Diagnostic {
    let (name, RefusedConstant { kind, text, reason, .. }) = (rule_name(rules, refused.pattern), refused);
    let effect = match refused.usage {
        ConstantUse::Matched => "can never match",
        ConstantUse::Default => "does not match if the attribute is absent",
        ConstantUse::Made => "can never be applied",
    };
    let message = format!("rule '{name}' {effect}, because the {kind} '{text}' cannot be made: {reason}");
    let span = if refused.span.is_none() { rule_span(rules, refused.pattern) } else { refused.span };
    Diagnostic::warning(message).at(span, "")
}

/// The warning about a constraint that changes the IR.
fn changes_ir(rules: &RuleSet, rule: PatternId, constraint: &str, span: Span) -> Diagnostic {
    let name = rule_name(rules, rule);
    let message =
        format!("rule '{name}' is never applied, because its constraint {constraint} changes the IR");
    let span = if span.is_none() { rule_span(rules, rule) } else { span };
    Diagnostic::warning(message).at(span, "").help("change the IR in a native call of the result pattern")
}

/// The warning about a rule that can match its own result, or rules that can match each other's results.
fn cycle(rules: &RuleSet, cycle: &Cycle) -> Diagnostic {
    let mut message = match cycle.rules[..] {
        [one] => format!("rule '{}' can match its own result, so it may never stop", rule_name(rules, one)),
        _ => {
            let around = cycle.rules.iter().chain(&cycle.rules[..1]);
            let names: Vec<_> = around.map(|&rule| format!("'{}'", rule_name(rules, rule))).collect();
            format!("rules can match each other's results, so they may never stop: {}", names.join(" -> "))
        }
    };
    if cycle.others > 0 {
        write!(message, "; longer cycles contain {}", count(cycle.others, "more rule"))
            .expect("writing to a string never fails");
    }
    cycle.rules.iter().take(MAX_NAMED).fold(Diagnostic::warning(message), |diagnostic, &rule| {
        let span = rule_span(rules, rule);
        if span.is_none() { diagnostic } else { diagnostic.at(span, "") }
    })
}

/// The warning that there are too many rules to search for those that can match each other's results.
fn too_many_pairs() -> Diagnostic {
    let limit = cycles::LIMIT;
    Diagnostic::warning(format!(
        "the search for rules that can match each other's results is skipped, because it would compare more than {limit} pairs; a pair consists of an operation or value in the output of a rule, and of an operation that a rule matches"
    ))
    .help("`--enable` and `--disable` select fewer rules")
}

/// The warning that a rule binds symbols that it does not use.
fn unused_symbols(rules: &RuleSet, rule: PatternId, names: &[StrId]) -> Diagnostic {
    let symbols: Vec<_> = names.iter().map(|&name| format!("'${}'", &rules.strings[name])).collect();
    let (noun, pronoun) = if names.len() == 1 { ("symbol", "it") } else { ("symbols", "them") };
    let name = rule_name(rules, rule);
    let text = format!("rule '{name}' binds {noun} {} and does not use {pronoun}", symbols.join(", "));
    Diagnostic::warning(text)
        .at(rule_span(rules, rule), "")
        .help("remove the symbol, or write `$_` for an argument")
}

/// The warning that the type of a replacement may differ from that of the replaced result.
fn may_change_type(rules: &RuleSet, rule: PatternId, result: usize) -> Diagnostic {
    let name = rule_name(rules, rule);
    Diagnostic::warning(format!("rule '{name}' may replace result {result} by a value of another type"))
        .at(rule_span(rules, rule), "")
        .help("add a constraint that compares both types")
}
