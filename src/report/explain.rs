//! Explanations of why rules match or do not match at operations of a module, as text and as JSON.
//!
//! Specification: a report shows the results of [`Matcher::explain`] and [`Matcher::preview`], with entities as they
//! are written in the input. The module stays unchanged.

use std::fmt::Write;

use serde_json::{Value, json};

use super::text::{name_list, origin_text};
use crate::bytecode::Program;
use crate::ir::{IrHost, IrText, OpId, StatedLocs};
use crate::pdl::{self, PatternId};
use crate::plural::count;
use crate::source::{Color, Diagnostics, SourceMap};
use crate::vm::{Matcher, Observed, Scratch};

/// The maximum number of rules in a list.
const MAX_LISTED: usize = 20;

/// The rules with these names or labels, or all rules if there are no names, in the order in which they are tried.
fn select_rules(program: &Program, names: &[String]) -> Result<Vec<PatternId>, Diagnostics> {
    let mut errors = Diagnostics::default();
    let patterns = program.patterns();
    let has_name = |rule: PatternId, name: &str| {
        program.pattern_name(rule) == name || program.labels(rule).any(|label| label == name)
    };
    for name in names.iter().filter(|name| !patterns.ids().any(|rule| has_name(rule, name))) {
        let known = patterns
            .ids()
            .flat_map(|rule| std::iter::once(program.pattern_name(rule)).chain(program.labels(rule)));
        errors.push(pdl::unknown_rule(name, known));
    }
    if errors.has_errors() {
        return Err(errors);
    }
    let selected = |rule: &PatternId| names.is_empty() || names.iter().any(|name| has_name(*rule, name));
    let mut rules: Vec<PatternId> = patterns.ids().filter(selected).collect();
    rules.sort_unstable_by_key(|&rule| program.precedence(rule));
    Ok(rules)
}

/// An explainer of the rules of a matcher.
///
/// ```
/// use std::sync::Arc;
/// use drrvm::ir::{Context, IrHost, parse_module};
/// use drrvm::report::Explainer;
/// use drrvm::source::Color;
/// use drrvm::{LinkOptions, Matcher, Natives, RuleSet, SourceMap, compile};
/// # fn main() -> Result<(), drrvm::Diagnostics> {
/// let mut rules = RuleSet::default();
/// let mut rule = rules.pattern("EraseNop", 1);
/// let root = rule.op("t.nop").matched();
/// rule.erase(root);
/// rule.finish()?;
/// let program = Arc::new(compile::program(&rules)?);
///
/// let mut sources = SourceMap::default();
/// let file = sources.add("a.mlir", "\"t.nop\"() : () -> ()\n")?;
/// let mut context = Context::new();
/// let module = parse_module(&mut context, sources.file(file))?;
/// let mut host = IrHost::new(context, module);
/// let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default())?;
///
/// let ops: Vec<_> = host.module.ops(host.module.body()).collect();
/// let report = Explainer::new(&sources, &matcher, &[])?.at(&mut host, &ops);
/// assert!(report.text(Color::Never).contains(", benefit 1: matches and fires"));
/// # Ok(()) }
/// ```
pub struct Explainer<'a> {
    sources: &'a SourceMap,
    matcher: &'a Matcher<IrHost>,
    /// The rules to explain, in the order in which they are tried.
    selected: Vec<PatternId>,
    /// True if the rules were selected by names or labels.
    by_name: bool,
    /// The locations that the input states.
    stated: Option<&'a StatedLocs>,
    /// True if the input was rewritten first.
    after: bool,
}

impl<'a> Explainer<'a> {
    /// Explains the rules with these names or labels, or all rules if there are no names.
    ///
    /// # Errors
    /// One of the names is neither the name nor a label of any rule.
    pub fn new(
        sources: &'a SourceMap,
        matcher: &'a Matcher<IrHost>,
        names: &[String],
    ) -> Result<Self, Diagnostics> {
        let selected = select_rules(matcher.program(), names)?;
        Ok(Self { sources, matcher, selected, by_name: !names.is_empty(), stated: None, after: false })
    }

    /// Shows operations at the locations that the input states.
    #[cfg(feature = "cli")]
    #[must_use]
    pub(crate) fn stated(self, stated: &'a StatedLocs) -> Self {
        Self { stated: Some(stated), ..self }
    }

    /// Marks the module as the result of rewrites.
    #[cfg(feature = "cli")]
    #[must_use]
    pub(crate) fn after_rewrites(self, after: bool) -> Self {
        Self { after, ..self }
    }

    fn text<'h>(&self, host: &'h IrHost) -> IrText<'h>
    where
        'a: 'h,
    {
        let text = IrText::new(self.sources, host);
        match self.stated {
            Some(stated) => text.with_stated(stated),
            None => text,
        }
    }

    /// For each of these operations, explains the rules whose root can match it. Rules that were selected by names or
    /// labels are explained at all operations.
    pub fn at(&self, host: &mut IrHost, ops: &[OpId]) -> ExplainReport {
        let mut report = ExplainReport::default();
        let mut scratch = self.matcher.cache();
        for &op in ops {
            let rules = if self.by_name { self.selected.clone() } else { self.matcher.candidates(host, op) };
            report.ops.push(self.explain(host, &mut scratch, op, &rules));
        }
        report
    }

    /// For rules that match no operation, explains at most `count` pairs of an operation and a rule that come closest
    /// to a match.
    pub fn nearest(&self, host: &mut IrHost, count: usize) -> ExplainReport {
        let Self { matcher, selected, .. } = self;
        let program = matcher.program();
        let ops: Vec<OpId> = host.module.preorder(host.module.top()).collect();
        let survey = matcher.nearest(host, &ops, selected, count);
        let mut scratch = matcher.cache();
        let mut report = ExplainReport::default();
        for near in &survey.nearest {
            report.ops.push(self.explain(host, &mut scratch, near.op, &[near.rule]));
        }
        let names = |rules: &[PatternId]| -> Vec<String> {
            rules.iter().map(|&rule| program.pattern_name(rule).to_owned()).collect()
        };
        let dropped: Vec<PatternId> = matcher.dropped().filter(|rule| selected.contains(rule)).collect();
        report.never_started = Some(names(&survey.never_started));
        report.matching = survey.matching.len();
        report.rules = selected.len() - dropped.len();
        report.left_out = names(&dropped);
        report.after = self.after;
        report
    }

    /// Explains some rules at an operation.
    fn explain(
        &self,
        host: &mut IrHost,
        scratch: &mut Scratch<IrHost>,
        op: OpId,
        rules: &[PatternId],
    ) -> OpReport {
        let Self { sources, matcher, .. } = self;
        let program = matcher.program();
        let mut refused: Vec<(PatternId, String)> = Vec::new();
        let mut fires: Option<(PatternId, Vec<String>)> = None;
        let mut matched = matcher.match_first(host, op, scratch);
        while let Some(rule) = matched {
            let seen = matcher.preview(host, scratch, |host, preview| {
                let mut text = self.text(host);
                for (i, &op) in preview.created.iter().enumerate() {
                    text.generated.insert(op, format!("%new{i}"));
                }
                let mut done: Vec<String> =
                    preview.created.iter().map(|&op| format!("builds {}", text.op(op))).collect();
                done.extend(preview.modified.iter().map(|&op| format!("changes {}", text.op(op))));
                for (old, with) in &preview.replaced {
                    let with: Vec<String> = with.iter().map(|&value| text.value(value)).collect();
                    let with = if with.is_empty() { "nothing".to_owned() } else { with.join(", ") };
                    done.push(format!("replaces {} by {with}", text.op(*old)));
                }
                done.extend(preview.erased.iter().map(|&op| format!("erases {}", text.op(op))));
                done
            });
            match seen {
                Ok(done) => {
                    fires = Some((rule, done));
                    break;
                }
                Err(refusal) => refused.push((rule, refusal.to_string())),
            }
            matched = matcher.next_match(host, scratch);
        }
        let text = self.text(host);
        let missing = |rule: PatternId| -> Vec<String> {
            let calls = matcher.missing().iter().filter(|missing| missing.is_called_by(rule));
            calls.map(|missing| missing.call.name.clone()).collect()
        };
        let reports = rules.iter().map(|&rule| {
            let explanation = matcher.explain_with(host, op, rule, scratch);
            let verdict = match &fires {
                _ if explanation.left_out => Verdict::LeftOut(missing(rule)),
                _ if !explanation.matches => Verdict::Fails,
                Some((fired, done)) if *fired == rule => Verdict::Fires(done.clone()),
                _ => match refused.iter().find(|(refused, _)| *refused == rule) {
                    Some((_, why)) => Verdict::Refuses(why.clone()),
                    None => Verdict::Outranked,
                },
            };
            let steps = explanation.steps.iter().map(|step| StepReport {
                place: origin_text(sources, program.predicate_origin(rule, step.predicate)),
                text: program.predicate_text(rule, step.predicate),
                found: found(&text, &step.observed),
                holds: step.holds,
            });
            RuleReport {
                name: program.pattern_name(rule).to_owned(),
                place: origin_text(sources, program.pattern_debug(rule).origin),
                benefit: program.patterns()[rule].benefit,
                verdict,
                steps: steps.collect(),
                predicates: explanation.predicates,
                alternatives: explanation.alternatives,
            }
        });
        OpReport {
            text: text.op(op),
            place: text.place(op),
            rules: reports.collect(),
            fires: fires
                .map(|(rule, _)| (program.pattern_name(rule).to_owned(), program.patterns()[rule].benefit)),
        }
    }
}

/// Explanations of some operations; the result of [`Explainer`].
#[derive(Debug, Default)]
pub struct ExplainReport {
    ops: Vec<OpReport>,
    /// The rules whose root name does not occur in the input. `None` if operations were selected.
    never_started: Option<Vec<String>>,
    /// The number of rules that match somewhere.
    matching: usize,
    /// The number of explained rules, without those that are left out.
    rules: usize,
    /// The rules that call natives that are not registered.
    left_out: Vec<String>,
    /// True if the input was rewritten first.
    after: bool,
}

#[derive(Debug)]
struct OpReport {
    text: String,
    place: Option<String>,
    /// The rule that is applied, and its benefit.
    fires: Option<(String, u16)>,
    rules: Vec<RuleReport>,
}

#[derive(Debug)]
struct RuleReport {
    name: String,
    place: String,
    benefit: u16,
    verdict: Verdict,
    steps: Vec<StepReport>,
    predicates: usize,
    alternatives: u64,
}

#[derive(Debug)]
enum Verdict {
    Fails,
    LeftOut(Vec<String>),
    Refuses(String),
    Fires(Vec<String>),
    Outranked,
}

#[derive(Debug)]
struct StepReport {
    place: String,
    text: String,
    found: String,
    /// True if the predicate holds; `None` if this depends on a native that is not registered.
    holds: Option<bool>,
}

/// The text of the part of the IR that a predicate tested.
pub(crate) fn found(text: &IrText<'_>, found: &Observed<IrHost>) -> String {
    match found {
        Observed::Nothing => "nothing".to_owned(),
        Observed::Name(name) => format!("'{}'", text.host.context.op_name_text(*name)),
        Observed::Count(count) => count.to_string(),
        Observed::Entities(entities) => {
            let show = |entity: &Option<_>| entity.as_ref().map_or("nothing".to_owned(), |e| text.entity(e));
            entities.iter().map(show).collect::<Vec<_>>().join(", ")
        }
        Observed::Undefined(value) => format!("{}, which no operation defines", text.entity(value)),
        Observed::Swapped(false) => "in source order".to_owned(),
        Observed::Swapped(true) => "swapped".to_owned(),
    }
}

impl ExplainReport {
    /// The report for people.
    pub fn text(&self, color: Color) -> String {
        let paint = |code: &str, text: &str| match color {
            Color::Always => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Color::Never => text.to_owned(),
        };
        let mut out = String::new();
        for op in &self.ops {
            op.write(&mut out, &paint).expect("writing to a string does not fail");
            out.push('\n');
        }
        if let Some(never_started) = &self.never_started {
            let unmatched = self.rules - self.matching;
            let _ = write!(
                out,
                "{unmatched} of {} {} no operation of the {}",
                count(self.rules, "rule"),
                if unmatched == 1 { "matches" } else { "match" },
                if self.after { "rewritten input" } else { "input" }
            );
            if !never_started.is_empty() {
                let names = name_list(never_started, MAX_LISTED);
                let _ = write!(out, "; no operation has the name of the root of: {names}");
            }
            out.push('\n');
            if unmatched > 0 && !self.after {
                out.push_str(
                    "a rule may match only operations that other rules create: --after explains the rewritten input\n",
                );
            }
            if !self.left_out.is_empty() {
                let names = name_list(&self.left_out, MAX_LISTED);
                let _ = writeln!(out, "left out, because natives are not registered: {names}");
            }
        }
        out
    }

    /// The report as one JSON object, as `drrvm explain --format json` prints it.
    pub fn json(&self) -> String {
        let ops: Vec<Value> = self.ops.iter().map(OpReport::json).collect();
        let mut report = json!({ "operations": ops });
        if let Some(never_started) = &self.never_started {
            report["rules"] = self.rules.into();
            report["matching"] = self.matching.into();
            report["never_started"] = never_started.clone().into();
            report["left_out"] = self.left_out.clone().into();
        }
        format!("{report:#}\n")
    }
}

impl OpReport {
    fn write(&self, out: &mut String, paint: &dyn Fn(&str, &str) -> String) -> std::fmt::Result {
        let place = self.place.as_ref().map_or_else(String::new, |place| format!("{place}: "));
        writeln!(out, "{}{}", paint("1", &place), paint("1", &self.text))?;
        if self.rules.is_empty() {
            writeln!(out, "  no rule has a root that can match this operation")?;
        }
        for rule in &self.rules {
            let verdict = match (&rule.verdict, &self.fires) {
                (Verdict::Fires(_), _) => paint("32", "matches and fires"),
                (Verdict::Outranked, Some((winner, benefit))) if *benefit > rule.benefit => {
                    format!("matches, but {winner} with benefit {benefit} is tried first")
                }
                (Verdict::Outranked, Some((winner, _))) => {
                    format!("matches, but {winner} with the same benefit is tried first")
                }
                (Verdict::Outranked, None) => "matches".to_owned(),
                (Verdict::Refuses(why), _) => paint("33", &format!("matches, but cannot rewrite: {why}")),
                (Verdict::LeftOut(natives), _) => {
                    let names: Vec<String> = natives.iter().map(|native| format!("'{native}'")).collect();
                    let (noun, verb) = if names.len() == 1 { ("native", "is") } else { ("natives", "are") };
                    let names = names.join(", ");
                    paint("33", &format!("is left out: {noun} {names} {verb} not registered"))
                }
                (Verdict::Fails, _) => paint("31", "does not match"),
            };
            writeln!(
                out,
                "  {} ({}), benefit {}: {verdict}",
                paint("1", &rule.name),
                rule.place,
                rule.benefit
            )?;
            let width = rule.steps.iter().map(|step| step.place.chars().count()).max().unwrap_or(0);
            for step in &rule.steps {
                let answer = match step.holds {
                    Some(true) => paint("32", "yes"),
                    Some(false) => paint("31", "no "),
                    None => paint("33", "?  "),
                };
                write!(out, "    {answer} {:width$}  {}", step.place, step.text)?;
                // If a predicate that requires a name, number or constant holds, its text already contains the value.
                if step.holds != Some(true) || !step.text.contains(&step.found) {
                    write!(out, "{}", paint("2", &format!("; found {}", step.found)))?;
                }
                if step.holds.is_none() {
                    write!(out, "{}", paint("33", "; unknown, because a native is not registered"))?;
                }
                out.push('\n');
            }
            let left = rule.predicates - rule.steps.len();
            if left > 0 {
                writeln!(out, "        {} not evaluated", count(left, "predicate"))?;
            }
            let failed = matches!(rule.verdict, Verdict::Fails | Verdict::LeftOut(_));
            if rule.alternatives > 1 && failed {
                writeln!(out, "        the closest of {} alternatives", rule.alternatives)?;
            }
            if let Verdict::Fires(done) = &rule.verdict {
                done.iter().try_for_each(|done| writeln!(out, "    =>  {done}"))?;
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let rules = self.rules.iter().map(|rule| {
            let steps = rule.steps.iter().map(|step| {
                json!({ "place": step.place, "predicate": step.text, "found": step.found, "holds": step.holds })
            });
            let (verdict, detail) = match &rule.verdict {
                Verdict::Fails => ("fails", None),
                Verdict::LeftOut(natives) => ("left out", Some(("natives", Value::from(natives.clone())))),
                Verdict::Refuses(why) => ("refuses", Some(("why", Value::from(why.clone())))),
                Verdict::Fires(done) => ("fires", Some(("rewrite", Value::from(done.clone())))),
                Verdict::Outranked => {
                    ("outranked", self.fires.as_ref().map(|(winner, _)| ("by", Value::from(winner.clone()))))
                }
            };
            let mut object = json!({
                "rule": rule.name,
                "place": rule.place,
                "benefit": rule.benefit,
                "verdict": verdict,
                "tests": steps.collect::<Vec<_>>(),
                "predicates": rule.predicates,
                "alternatives": rule.alternatives,
            });
            if let Some((key, value)) = detail {
                object[key] = value;
            }
            object
        });
        json!({
            "operation": self.text,
            "place": self.place,
            "fires": self.fires.as_ref().map(|(rule, _)| rule),
            "rules": rules.collect::<Vec<_>>(),
        })
    }
}
