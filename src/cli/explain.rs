//! `drrvm explain`: reports why rules match or do not match.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::error;
use super::exit::Failed;
use super::op_selector::OpSelector;
use super::options::{MessageArgs, NativesArgs, ReportFormat, RuleArgs, TableGenArgs};
use super::output::OutputArgs;
use super::session::{Session, color, new_host};
use super::text::{count, name_list, origin_text};
use crate::bytecode::Program;
use crate::host::Natives;
use crate::ir::IrText;
use crate::ir::{self, IrHost, OpId};
use crate::pdl::{self, PatternId};
use crate::source::{Color, Diagnostics, FileId, SourceMap};
use crate::vm::{LinkOptions, Matcher, Observed, Scratch};

/// Show why rules match or do not match
///
/// For each selected operation and each rule whose root can match it, prints the rule's predicates in source order
/// with the values found in the input, up to the first predicate that does not hold. Also prints which rule would
/// be applied, and its effect. The input is not rewritten.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm explain input.mlir --rules rules.td --at 12
      All rules whose root can match an operation on line 12.
  drrvm explain input.mlir --rules rules.td --at %sum --rule AddZero
      One rule at the operation that defines %sum.
  drrvm explain input.mlir --rules rules.td --nearest 5
      The 5 operations that come closest to a rule without any match.")]
pub(super) struct ExplainArgs {
    /// MLIR file; `-` is standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    input: PathBuf,
    /// Explain the operations on this line, with this name, or the one that defines this value; can be repeated
    #[arg(long, value_name = "LINE|%value|op.name", conflicts_with = "nearest", value_parser = OpSelector::parse)]
    at: Vec<OpSelector>,
    /// Explain the N operations that come closest to a rule without any match [default without --at: 3]
    #[arg(long, value_name = "N")]
    nearest: Option<usize>,
    /// Explain only rules with this name or label; the other rules can still be applied first
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    rule: Vec<String>,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    natives: NativesArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

/// The number of operations to explain by default.
const NEAREST: usize = 3;
/// The maximum number of rules in a list.
const MAX_LISTED: usize = 20;

pub(super) fn run(args: &ExplainArgs, natives: &Natives<IrHost>) -> Result<(), Failed> {
    let mut session = Session::with_rules(&args.messages, &args.rules.files)?;
    let (natives, _) = session.natives(&args.natives, natives)?;
    let compiled = session.program(&args.rules, &args.tablegen)?;
    let file = session.load(&args.input)?;
    let program = Arc::new(compiled.program);
    let mut host = new_host();
    host.module =
        ir::parse_module(&mut host.context, session.sources.file(file)).map_err(|e| session.fail(e))?;
    session.report(ir::verify(&host.context, &host.module))?;
    // Rules that call unregistered natives are explained, too.
    let options = LinkOptions { allow_missing: true, left_out: compiled.left_out };
    let matcher =
        Matcher::link(program.clone(), &mut host, &natives, &options).map_err(|e| session.fail(e))?;

    let selected = select_rules(&program, &args.rule).map_err(|e| session.fail(e))?;
    let ops: Vec<OpId> = host.module.preorder(host.module.top()).collect();
    let mut report = Report::default();
    let mut scratch = matcher.cache();
    if args.at.is_empty() {
        let wanted = args.nearest.unwrap_or(NEAREST);
        let survey = matcher.nearest(&host, &ops, &selected, wanted);
        for near in &survey.nearest {
            let rules = [near.rule];
            let explanation = explain(&session.sources, &matcher, &mut host, &mut scratch, near.op, &rules);
            report.ops.push(explanation);
        }
        let names = |rules: &[PatternId]| -> Vec<String> {
            rules.iter().map(|&r| program.pattern_name(r).to_owned()).collect()
        };
        report.never_started = Some(names(&survey.never_started));
        report.matching = survey.matching.len();
        let dropped: Vec<PatternId> = matcher.dropped().filter(|rule| selected.contains(rule)).collect();
        report.rules = selected.len() - dropped.len();
        report.left_out = names(&dropped);
    } else {
        let input = name_of(&args.input);
        for at in &args.at {
            let found = find(&session.sources, &host, file, &ops, at);
            if found.is_empty() {
                return Err(session.fail(error::nothing_at(at, &input, &host)));
            }
            for op in found {
                let mut rules = matcher.candidates(&host, op);
                if args.rule.is_empty() {
                    rules.retain(|rule| selected.contains(rule));
                } else {
                    rules.clone_from(&selected);
                }
                report.ops.push(explain(&session.sources, &matcher, &mut host, &mut scratch, op, &rules));
            }
        }
    }
    let text = match args.format {
        ReportFormat::Json => format!("{:#}\n", report.json()),
        ReportFormat::Text => {
            let terminal = args.output.is_terminal();
            report.text(color(&args.messages, terminal))
        }
    };
    args.output.write(&session, text)
}

fn name_of(path: &Path) -> String {
    if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// The rules with these names or labels in the order in which they are tried, or all rules.
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
    rules.sort_by_key(|&rule| {
        (std::cmp::Reverse(patterns[rule].benefit), program.pattern_debug(rule).root.is_none())
    });
    Ok(rules)
}

/// The selected operations.
///
/// A value is first searched in the text, and then only among the operations on lines that can define it.
fn find(sources: &SourceMap, host: &IrHost, file: FileId, ops: &[OpId], at: &OpSelector) -> Vec<OpId> {
    let text = &IrText::new(sources, host);
    let mut value = None;
    let lines: Vec<std::ops::Range<usize>> = match at {
        OpSelector::Name(name) => {
            let name = host.context.find_op_name(name);
            let is_selected = |op: &OpId| *op != host.module.top() && Some(host.module.name(*op)) == name;
            return ops.iter().copied().filter(is_selected).collect();
        }
        OpSelector::Line(line) => {
            let whole = sources.file(file).text();
            let mut starts =
                std::iter::once(0).chain(memchr::memchr_iter(b'\n', whole.as_bytes()).map(|at| at + 1));
            let Some(start) = starts.nth(*line as usize - 1) else { return Vec::new() };
            std::iter::once(start..starts.next().unwrap_or(whole.len() + 1)).collect()
        }
        OpSelector::Value(name) => {
            value = Some(name);
            lines_defining(sources.file(file).text(), name)
        }
    };
    let base = sources.file(file).span(0..0).lo as usize;
    let is_selected = |op: OpId| {
        let span = text.span(op);
        let Some(at) = (span.lo as usize).checked_sub(base).filter(|_| !span.is_none()) else { return false };
        let line = lines.partition_point(|line| line.end <= at);
        lines.get(line).is_some_and(|line| line.contains(&at))
            && match value {
                Some(value) => text.result_names(op).iter().any(|result| result == value),
                None => true,
            }
    };
    // Rules do not match the top-level module.
    ops.iter().copied().filter(|&op| op != host.module.top() && is_selected(op)).collect()
}

/// The ranges of the lines on which the name comes before a `=`, in order.
fn lines_defining(text: &str, name: &str) -> Vec<std::ops::Range<usize>> {
    let mut lines: Vec<std::ops::Range<usize>> = Vec::new();
    for at in memchr::memmem::find_iter(text.as_bytes(), name) {
        if lines.last().is_some_and(|line| line.contains(&at)) {
            continue;
        }
        let start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
        if memchr::memchr(b'=', &text.as_bytes()[at..end]).is_some() {
            lines.push(start..end + 1);
        }
    }
    lines
}

/// The report of `explain`.
#[derive(Default)]
struct Report {
    ops: Vec<OpReport>,
    /// The rules whose root name does not occur in the input. `None` if operations were selected.
    never_started: Option<Vec<String>>,
    /// The number of rules that match somewhere.
    matching: usize,
    /// The number of explained rules, without those that are left out.
    rules: usize,
    /// The rules that call natives that are not registered.
    left_out: Vec<String>,
}

struct OpReport {
    text: String,
    place: Option<String>,
    /// The rule that is applied, and its benefit.
    fires: Option<(String, u16)>,
    rules: Vec<RuleReport>,
}

struct RuleReport {
    name: String,
    place: String,
    benefit: u16,
    verdict: Verdict,
    steps: Vec<StepReport>,
    predicates: usize,
    alternatives: u64,
}

enum Verdict {
    Fails,
    LeftOut(Vec<String>),
    Refuses(String),
    Fires(Vec<String>),
    Outranked,
}

struct StepReport {
    place: String,
    text: String,
    found: String,
    /// `None` if this depends on a native that is not registered.
    holds: Option<bool>,
}

/// Explains some rules at an operation.
fn explain(
    sources: &SourceMap,
    matcher: &Matcher<IrHost>,
    host: &mut IrHost,
    scratch: &mut Scratch<IrHost>,
    op: OpId,
    rules: &[PatternId],
) -> OpReport {
    let program = matcher.program();
    let mut refused: Vec<(PatternId, String)> = Vec::new();
    let mut fires: Option<(PatternId, Vec<String>)> = None;
    let mut matched = matcher.match_first(host, op, scratch);
    while let Some(rule) = matched {
        let seen = matcher.preview(host, scratch, |host, preview| {
            let mut text = IrText::new(sources, host);
            for (i, &op) in preview.created.iter().enumerate() {
                text.generated.insert(op, format!("%new{i}"));
            }
            let mut done: Vec<String> =
                preview.created.iter().map(|&op| format!("builds {}", text.op(op))).collect();
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
    let text = IrText::new(sources, host);
    let missing = |rule: PatternId| -> Vec<String> {
        let name = program.pattern_name(rule);
        let calls = matcher.missing().iter().filter(|m| m.callers.iter().any(|(caller, _)| caller == name));
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

/// The text of a value that a predicate was evaluated on.
pub(super) fn found(text: &IrText<'_>, found: &Observed<IrHost>) -> String {
    match found {
        Observed::Nothing => "nothing".to_owned(),
        Observed::Name(name) => format!("'{}'", text.host.context.op_name_text(*name)),
        Observed::Count(count) => count.to_string(),
        Observed::Entities(things) => {
            let thing = |thing: &Option<_>| thing.as_ref().map_or("nothing".to_owned(), |t| text.entity(t));
            things.iter().map(thing).collect::<Vec<_>>().join(", ")
        }
        Observed::Undefined(value) => format!("{}, which no operation defines", text.entity(value)),
        Observed::Swapped(false) => "in source order".to_owned(),
        Observed::Swapped(true) => "swapped".to_owned(),
    }
}

impl Report {
    fn text(&self, color: Color) -> String {
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
                "{unmatched} of {} match no operation of the input",
                count(self.rules as u64, "rule")
            );
            if !never_started.is_empty() {
                let names = name_list(never_started, MAX_LISTED);
                let _ = write!(out, "; for these, no operation has the name of the root: {names}");
            }
            out.push('\n');
            if !self.left_out.is_empty() {
                let names = name_list(&self.left_out, MAX_LISTED);
                let _ = writeln!(out, "left out, because natives are not registered: {names}");
            }
        }
        out
    }

    fn json(&self) -> Value {
        let ops: Vec<Value> = self.ops.iter().map(OpReport::json).collect();
        let mut report = json!({ "operations": ops });
        if let Some(never_started) = &self.never_started {
            report["rules"] = self.rules.into();
            report["matching"] = self.matching.into();
            report["never_started"] = never_started.clone().into();
            report["left_out"] = self.left_out.clone().into();
        }
        report
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
                    let are = if names.len() == 1 { ("native", "is") } else { ("natives", "are") };
                    paint(
                        "33",
                        &format!("is left out: {} {} {} not registered", are.0, names.join(", "), are.1),
                    )
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
                // If the predicate requires a name, number or constant, its text already has the value.
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
                writeln!(out, "        {} not evaluated", count(left as u64, "predicate"))?;
            }
            if rule.alternatives > 1 {
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
                "asked": steps.collect::<Vec<_>>(),
                "predicates": rule.predicates,
                "ways": rule.alternatives,
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
