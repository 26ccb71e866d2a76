//! `drrvm check`: checks rules without IR.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hashbrown::HashMap;
use serde_json::{Value, json};

use super::error;
use super::exit::Failed;
use super::options::{MessageArgs, NativesArgs, ReportFormat, SelectArgs, TableGenArgs};
use super::output::OutputArgs;
use super::ranking::{self, Ranked};
use super::session::{Session, new_host, with_empty_files};
use super::stubs::{self, StubLanguage};
use crate::compile;
use crate::frontend::load::Rejected;
use crate::host::Natives;
use crate::ir::IrHost;
use crate::pdl::{self, MissingNative, NativeRole, Node, Origin, Pattern, PatternId, RuleSet, shown_name};
use crate::plural::count;
use crate::report::Advice;
use crate::source::{Diagnostics, Severity, SourceMap, Span};
use crate::vm::{LinkOptions, Matcher};

/// The rules to check. A compiled program cannot be checked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
struct SourceRuleArgs {
    /// Load rules from FILE, DRR (.td) or pdl (.mlir). Repeat the option for more files; their order breaks ties
    /// between rules of equal benefit
    #[arg(long = "rules", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    select: SelectArgs,
}

/// Check rules without IR
///
/// Prints a table of the rules, with root, benefit and status, and a table of the natives that they call, with
/// signature and status. Errors and warnings go to standard error. The exit status is 1 if there is an error, and 0
/// if there are only warnings.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm check rules.td -I llvm-project/mlir/include
      Do all rules load, and which natives do they need?
  drrvm check a.td b.mlir --format json -o report.json
      The same as JSON.
  drrvm check rules.td --helpers lib/Transforms
      Which helpers of the project's C++ sources can be read, and which remain to be written?
  drrvm check rules.td --stubs script -o natives.rhai
      Stubs of the missing natives, for `drrvm opt --rules rules.td --natives natives.rhai`.")]
pub(super) struct CheckArgs {
    /// Rule files, DRR (.td) or pdl (.mlir). They come before the files of `--rules`
    #[arg(value_name = "RULES")]
    inputs: Vec<PathBuf>,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    /// Instead of the report, print a stub in this language for each missing native
    #[arg(long, value_name = "LANGUAGE", conflicts_with = "format")]
    stubs: Option<StubLanguage>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    rules: SourceRuleArgs,
    #[command(flatten)]
    natives: NativesArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

pub(super) fn run(args: &CheckArgs, natives: &Natives<IrHost>) -> Result<(), Failed> {
    let files: Vec<PathBuf> = args.inputs.iter().chain(&args.rules.files).cloned().collect();
    let mut session = Session::with_rules(&args.messages, &files)?;
    let (natives, _) = session.natives(&args.natives, natives)?;
    let options = args.rules.select.options(&args.tablegen);
    let (rules, loaded) = compile::load(&mut session.sources, &files, &options);
    let mut diagnostics = with_empty_files(loaded.diagnostics, rules.patterns.is_empty(), &files, &options);
    let (called, compiled) = match called(&rules, &natives) {
        Ok(called) => (called, true),
        Err(errors) => {
            // Rules that do not load can cause these errors, so the errors are reported only if loading had none.
            if !diagnostics.has_errors() {
                diagnostics.extend(errors);
            }
            (Vec::new(), false)
        }
    };
    let advice = if compiled { Advice::new(&rules, &natives, &session.sources) } else { Advice::default() };
    if !diagnostics.has_errors() {
        diagnostics.extend(advice.warnings);
    }
    let missing = called.iter().filter(|native| !native.registered).map(|native| &native.call);
    let missing = pdl::rank_missing(missing);
    for native in &missing {
        diagnostics.push(error::missing_native(native, session.is_verbose()));
    }
    let no_rules = rules.patterns.is_empty() && loaded.rejected.is_empty();
    if no_rules && args.format == ReportFormat::Text && diagnostics.has_errors() {
        return session.report(diagnostics);
    }
    let report =
        Report { rules: &rules, rejected: &loaded.rejected, called: &called, compiled, dead: &advice.dead };
    let text = match (args.stubs, args.format) {
        (Some(language), _) => stubs::write(language, &missing, &rules, &session.sources),
        (None, ReportFormat::Text) => report.table(),
        (None, ReportFormat::Json) => format!("{:#}\n", report.json(&session.sources, &diagnostics)),
    };
    args.output.write(&session, text)?;
    if !missing.is_empty() && !session.is_verbose() {
        diagnostics.push(error::no_places_of_natives());
    }
    session.report(diagnostics)
}

/// A native that rules call.
struct CalledNative {
    call: MissingNative,
    registered: bool,
}

/// The natives that rules call. Linking without any natives finds all calls.
fn called(rules: &RuleSet, natives: &Natives<IrHost>) -> Result<Vec<CalledNative>, Diagnostics> {
    let program = Arc::new(compile::program(rules)?);
    let mut host = new_host();
    let options = LinkOptions { allow_missing: true, ..LinkOptions::default() };
    let mut missing =
        |natives: &Natives<IrHost>| match Matcher::link(program.clone(), &mut host, natives, &options) {
            Ok(matcher) => Ok(matcher.missing().to_vec()),
            Err(error) => Err(error.diagnostics()),
        };
    let unregistered = missing(natives)?;
    let all = missing(&Natives::new())?;
    let find = |call: &MissingNative| unregistered.iter().find(|missing| missing.call == call.call);
    let is_registered = |call: &MissingNative| match call.call.role {
        NativeRole::TypeInference => natives.find_inference(&call.call.name).is_some(),
        _ => {
            natives.find_constraint(&call.call.name).is_some()
                || natives.find_rewrite(&call.call.name).is_some()
        }
    };
    Ok(all
        .into_iter()
        .filter_map(|call| match find(&call) {
            Some(missing) => Some(CalledNative { call: missing.clone(), registered: false }),
            // A native that is neither registered nor missing is not needed: only a predicate calls it, and another
            // native replaces this predicate.
            None => is_registered(&call).then_some(CalledNative { call, registered: true }),
        })
        .collect())
}

/// The report of `check`.
struct Report<'a> {
    rules: &'a RuleSet,
    rejected: &'a [Rejected],
    called: &'a [CalledNative],
    /// True if the rules compile and link.
    compiled: bool,
    /// The rules that have no errors, but can never be applied, each with the reason.
    dead: &'a HashMap<PatternId, String>,
}

impl Report<'_> {
    fn name(&self, pattern: &Pattern) -> &str {
        &self.rules.strings[pattern.name]
    }

    /// The name of a rule's root operation; `None` if the root can be any operation.
    fn root(&self, pattern: &Pattern) -> Option<&str> {
        let root = *pattern.matcher.roots.first()?;
        match pattern.matcher.get(root)? {
            Node::Operation(op) => op.name.map(|name| &self.rules.strings[name]),
            _ => None,
        }
    }

    /// The natives that a rule calls.
    fn natives_of(&self, rule: PatternId) -> impl Iterator<Item = &CalledNative> {
        self.called.iter().filter(move |native| native.call.is_called_by(rule))
    }

    /// The status of a rule that is not rejected. If the rule can never be applied, also the reason.
    fn status(&self, id: PatternId) -> (&'static str, Option<&str>) {
        match self.dead.get(&id) {
            _ if !self.compiled => ("not compiled", None),
            Some(reason) => ("never applied", Some(reason)),
            None => ("loaded", None),
        }
    }

    /// The number of rules that can be applied, once their natives are registered.
    fn loaded(&self) -> usize {
        self.rules.patterns.ids().filter(|&id| self.status(id).0 == "loaded").count()
    }

    fn table(&self) -> String {
        let mut rows = vec![["rule", "root", "benefit", "status"].map(str::to_owned)];
        for (id, pattern) in self.rules.patterns.iter_enumerated() {
            let name = self.name(pattern);
            let missing: Vec<&MissingNative> =
                self.natives_of(id).filter(|n| !n.registered).map(|n| &n.call).collect();
            // The signature distinguishes natives of one name.
            let shown = |native: &&MissingNative| {
                let name = &native.call.name;
                let is_repeated = missing.iter().filter(|other| other.call.name == *name).count() > 1;
                let called_as = called_as(native);
                match called_as.find('(').filter(|_| is_repeated) {
                    Some(at) => format!("{name} {}", &called_as[at..]),
                    None => name.clone(),
                }
            };
            let mut status = match self.status(id) {
                (status, Some(reason)) => format!("{status}: {reason}"),
                (status, None) => status.to_owned(),
            };
            if !missing.is_empty() {
                let _ =
                    write!(status, ", needs {}", missing.iter().map(shown).collect::<Vec<_>>().join(", "));
            }
            let root = self.root(pattern).unwrap_or("any").to_owned();
            rows.push([shown_name(name).to_owned(), root, pattern.benefit.to_string(), status]);
        }
        for rule in self.rejected {
            let root = rule.root.clone().unwrap_or_else(|| "?".to_owned());
            let status = format!("rejected: {}", rule.reasons().join("; "));
            rows.push([shown_name(&rule.name).to_owned(), root, "-".to_owned(), status]);
        }
        let mut text = columns(&rows);
        if !self.called.is_empty() {
            let mut rows = vec![["native", "called as", "status", "by"].map(str::to_owned)];
            for native in self.called {
                let call = &native.call.call;
                let status = match &native.call.registered[..] {
                    _ if native.registered => "registered".to_owned(),
                    [] => "missing".to_owned(),
                    _ => "wrong signature".to_owned(),
                };
                rows.push([call.name.clone(), called_as(&native.call), status, callers(&native.call)]);
            }
            text.push('\n');
            text.push_str(&columns(&rows));
        }
        let missing = self.called.iter().filter(|native| !native.registered).count();
        let all_rules = self.rules.patterns.len() + self.rejected.len();
        let _ = write!(text, "\n{} of {} loaded", self.loaded(), count(all_rules, "rule"));
        if !self.called.is_empty() {
            let _ = write!(text, ", {} of {} missing", missing, count(self.called.len(), "native"));
        }
        text.push('\n');
        if missing > 0 {
            text.push_str(&self.missing_natives_table(all_rules));
        }
        text
    }

    /// For each rule that can be applied once its natives are registered: the missing natives, as indices of `called`.
    fn needs(&self) -> Vec<Vec<usize>> {
        let lacks = |rule: PatternId| {
            let missing = self.called.iter().enumerate().filter(|(_, native)| !native.registered);
            missing.filter(|(_, native)| native.call.is_called_by(rule)).map(|(index, _)| index).collect()
        };
        let rules = self.rules.patterns.ids();
        rules.filter(|&id| self.status(id).0 == "loaded").map(lacks).collect()
    }

    /// The missing natives in the recommended order of writing them.
    fn ranking(&self) -> Vec<Ranked> {
        let missing = |ranked: &Ranked| !self.called[ranked.native].registered;
        ranking::rank(self.called.len(), &self.needs()).into_iter().filter(missing).collect()
    }

    /// A table of the natives to write. Each row has the number of additional rules that run once this native and the
    /// natives above it are written, and the sum of these numbers so far.
    fn missing_natives_table(&self, all_rules: usize) -> String {
        let needs = self.needs();
        let blocked = needs.iter().filter(|need| !need.is_empty()).count();
        let ranking = self.ranking();
        let mut rows = vec![["write", "as", "frees", "in all"].map(str::to_owned)];
        let mut total = 0;
        for ranked in &ranking {
            let call = &self.called[ranked.native].call;
            total += ranked.frees;
            rows.push([call.call.name.clone(), called_as(call), ranked.frees.to_string(), total.to_string()]);
        }
        let first: usize = ranking.iter().take(3).map(|ranked| ranked.frees).sum();
        let (need, natives) = (if blocked == 1 { "needs" } else { "need" }, count(ranking.len(), "native"));
        let runs = needs.len() - blocked;
        let mut text = format!(
            "\n{}\n{runs} of {} run; {blocked} {need} {natives}",
            columns(&rows),
            count(all_rules, "rule")
        );
        if ranking.len() > 3 {
            let _ = write!(text, "; the first three free {first}");
        }
        text.push('\n');
        text
    }

    fn json(&self, sources: &SourceMap, diagnostics: &Diagnostics) -> Value {
        let names = |natives: Vec<&CalledNative>| -> Vec<Value> {
            natives.iter().map(|native| native.call.call.name.as_str().into()).collect()
        };
        let loaded = self.rules.patterns.iter_enumerated().map(|(id, pattern)| {
            let name = self.name(pattern);
            let (status, reason) = self.status(id);
            json!({
                "name": name,
                "root": self.root(pattern),
                "benefit": pattern.benefit,
                "place": origin(sources, pattern.origin),
                "status": status,
                "reasons": reason.into_iter().collect::<Vec<_>>(),
                "natives": names(self.natives_of(id).collect()),
                "missing": names(self.natives_of(id).filter(|native| !native.registered).collect()),
            })
        });
        let rejected = self.rejected.iter().map(|rule| {
            json!({
                "name": rule.name,
                "root": rule.root,
                "benefit": null,
                "place": place(sources, rule.span),
                "status": "rejected",
                "reasons": rule.reasons(),
                "natives": [],
                "missing": [],
            })
        });
        let natives = self.called.iter().map(|native| {
            let call = &native.call.call;
            let calls = native.call.callers.iter();
            let calls = calls.map(|(rule, span)| json!({ "rule": rule, "place": place(sources, *span) }));
            json!({
                "name": call.name,
                "role": call.role.to_string(),
                "signature": call.signature(),
                "registered": native.registered,
                "registered_as": native.call.registered.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "calls": calls.collect::<Vec<_>>(),
            })
        });
        let diagnostics = diagnostics.iter().map(|diagnostic| {
            let severity = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            };
            let place = place(sources, diagnostic.span());
            json!({ "severity": severity, "message": diagnostic.message, "place": place, "help": diagnostic.help })
        });
        json!({
            "rules": loaded.chain(rejected).collect::<Vec<_>>(),
            "natives": natives.collect::<Vec<_>>(),
            "missing": self.ranking().iter().map(|ranked| {
                json!({ "name": self.called[ranked.native].call.call.name, "frees": ranked.frees })
            }).collect::<Vec<_>>(),
            "diagnostics": diagnostics.collect::<Vec<_>>(),
        })
    }
}

/// The role and signature of a native: `constraint (attribute)`, `rewrite (value, attribute) -> attribute`.
fn called_as(native: &MissingNative) -> String {
    format!("{} {}", native.call.role, native.call.signature())
}

/// The first rule that calls a native, and the number of other rules that call it.
fn callers(native: &MissingNative) -> String {
    let Some((first, _)) = native.callers.first() else { return String::new() };
    match native.rule_count() {
        1 => shown_name(first).to_owned(),
        count => format!("{} and {} more", shown_name(first), count - 1),
    }
}

fn origin(sources: &SourceMap, origin: Origin) -> Value {
    match origin {
        Origin::Span(span) => place(sources, span),
        Origin::Rust(_) => Value::Null,
    }
}

fn place(sources: &SourceMap, span: Span) -> Value {
    let at = sources.locate(span);
    at.map_or(Value::Null, |at| json!({ "file": at.file.name(), "line": at.line, "column": at.column }))
}

/// Prints a table. The first row is the heading.
fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
