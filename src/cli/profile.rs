//! `drrvm profile`: reports the cost and the effect of rules on real input.

use std::cmp::Reverse;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::drive::drive;
use super::exit::Failed;
use super::options::{DriverArgs, MessageArgs, NativesArgs, ReportFormat, RuleArgs, TableGenArgs};
use super::output::OutputArgs;
use super::page::{Counts, Input, Page};
use super::session::{Session, new_host};
use super::split::SplitArgs;
use super::text::{count, nanoseconds, origin_text};
use super::{error, output};
use crate::bytecode::{self, Address, NodeMap, Program};
use crate::compile;
use crate::host::{Natives, NoListener};
use crate::id::Id;
use crate::ir::{self, IrHost};
use crate::matcher_tree::{self, Printer, Tree, TreeNodeId};
use crate::pdl::{PatternId, RuleSet};
use crate::rewrite::Report;
use crate::source::{FileId, SourceMap};
use crate::vm::{LinkOptions, Profile, Profiler};

/// Show the cost and the effect of rules on real input
///
/// Rewrites each INPUT as `opt` does, discards the result, and reports: the number of visited operations; how often
/// each rule was tried, matched, fired or was rolled back; the predicates that most often reject rules that never
/// fire; and the time spent on matching and rewriting.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm profile input.mlir --rules rules.td
      A table of the rules, ordered by how often they fire.
  drrvm profile a.mlir b.mlir --rules rules.td --html profile.html
      Also an HTML page with the decision tree, the rules, and the places where they fired.")]
pub(super) struct ProfileArgs {
    /// MLIR files; `-` is standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Write a self-contained HTML page to FILE; `-` replaces the table on standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    /// List at most N rules and N tree nodes [default: 20]
    #[arg(long, value_name = "N", default_value_t = 20, hide_default_value = true)]
    top: usize,
    #[command(flatten)]
    split: SplitArgs,
    /// Drop rules that call natives that are not registered, with a warning for each
    #[arg(long)]
    allow_missing_natives: bool,
    /// Print the result even if a native of a script fails with an error
    #[arg(long)]
    keep_going: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    natives: NativesArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    driver: DriverArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

pub(super) fn run(args: &ProfileArgs, natives: &Natives<IrHost>) -> Result<(), Failed> {
    let mut session = Session::with_rules(&args.messages, &args.rules.files)?;
    let (natives, scripts) = session.natives(&args.natives, natives)?;
    let (program, tree, left_out) = if args.rules.files.iter().any(|file| compile::is_program(file)) {
        if args.html.is_some() {
            return Err(session.fail(error::no_tree_to_show()));
        }
        let compiled = session.program(&args.rules, &args.tablegen)?;
        (compiled.program, None, compiled.left_out)
    } else {
        let rules = session.rules(&args.rules, &args.tablegen)?;
        let verified = rules.verify().map_err(|e| session.fail(e))?;
        let tree = matcher_tree::build(verified, &matcher_tree::Config::default());
        let tree = tree.map_err(|e| session.fail(e))?;
        let (program, places) = bytecode::compile_mapped(verified, &tree).map_err(|e| session.fail(e))?;
        (program, Some((rules, tree, places)), Vec::new())
    };
    let program = Arc::new(program);
    let files = args.inputs.iter().map(|input| session.load(input)).collect::<Result<Vec<_>, _>>()?;
    let mut host = new_host();
    let options = LinkOptions { allow_missing: args.allow_missing_natives, left_out };
    let matcher = session.link(program.clone(), &mut host, &natives, &options)?;

    let profiler = Profiler::new(&matcher);
    let mut totals = Totals::default();
    for &file in &files {
        let source = session.sources.file(file);
        for part in args.split.parts(source.text()) {
            host.module =
                ir::parse_part(&mut host.context, source, part).map_err(|errors| session.fail(errors))?;
            session.report(ir::verify(&host.context, &host.module))?;
            session.phase("rewriting and counting");
            totals.operations += host.module.op_count() as u64;
            let report = drive(&args.driver, &profiler, &mut host, &mut NoListener);
            totals.add(&report);
            if let Some(stopped) = &report.not_converged {
                // The counts until then are still useful.
                session.report(error::not_converged(stopped, &program, true).into())?;
            }
        }
    }
    session.report_scripts(&scripts, args.keep_going)?;
    let profile = profiler.into_profile();
    let report = ProfileReport {
        sources: &session.sources,
        host: &host,
        tree: tree.as_ref().map(|(rules, tree, places)| TreeOf { rules, tree, places }),
        program: &program,
        profile: &profile,
        totals,
    };
    if let (Some(path), Some(tree)) = (&args.html, &report.tree) {
        let page = report.page(tree, &files);
        output::write(path, |out| out.write_all(page.as_bytes())).map_err(|e| session.fail(e))?;
        if path == Path::new("-") && args.output.is_stdout() {
            return Ok(());
        }
    }
    let text = match args.format {
        ReportFormat::Text => report.text(args.top),
        ReportFormat::Json => format!("{:#}\n", report.json(args.top)),
    };
    args.output.write(&session, text)
}

/// The driver's counts, over all inputs.
#[derive(Default)]
struct Totals {
    operations: u64,
    rewrites: u64,
    refused: u64,
    removed: u64,
    sweeps: u64,
}

impl Totals {
    fn add(&mut self, report: &Report) {
        self.rewrites += report.rewrites;
        self.refused += report.refused;
        self.removed += report.removed;
        self.sweeps += u64::from(report.sweeps);
    }
}

/// The tree that the program was compiled from.
struct TreeOf<'a> {
    rules: &'a RuleSet,
    tree: &'a Tree,
    places: &'a NodeMap,
}

/// The report of `profile`.
struct ProfileReport<'a> {
    sources: &'a SourceMap,
    host: &'a IrHost,
    tree: Option<TreeOf<'a>>,
    program: &'a Program,
    profile: &'a Profile<IrHost>,
    totals: Totals,
}

impl ProfileReport<'_> {
    fn matching(&self) -> Duration {
        self.profile.rules.iter().map(|rule| rule.matching).sum::<Duration>() + self.profile.unmatched
    }

    fn rewriting(&self) -> Duration {
        self.profile.rules.iter().map(|rule| rule.rewriting).sum()
    }

    fn predicates_per_visit(&self) -> f64 {
        let asked = self.profile.asked(self.program);
        #[allow(clippy::cast_precision_loss, reason = "an approximate figure for the report")]
        let ratio = asked as f64 / self.profile.visits.max(1) as f64;
        ratio
    }

    fn fired_rules(&self) -> usize {
        self.profile.rules.iter().filter(|rule| rule.fired > 0).count()
    }

    /// The rules, ordered by how often they fired.
    fn ranked(&self) -> Vec<PatternId> {
        let rules = &self.profile.rules;
        let mut ranked: Vec<PatternId> = rules.ids().collect();
        ranked.sort_by_key(|&rule| {
            let counts = &rules[rule];
            (Reverse((counts.fired, counts.matched, counts.tried)), rule)
        });
        ranked
    }

    /// The tree nodes that are reached most often, each with its text and count. If the input was a compiled
    /// program, its instructions.
    fn hottest(&self, top: usize) -> Vec<(u32, String, u64)> {
        let steps = &self.profile.steps;
        let mut reached: Vec<(u32, u64)> = match &self.tree {
            Some(TreeOf { tree, places, .. }) => {
                let count = |at: &Option<Address>| at.and_then(|at| steps.get(at.index())).copied();
                let nodes = places.iter_enumerated();
                let nodes = nodes.filter(|(node, _)| tree.nodes()[*node] != matcher_tree::TreeNode::Fail);
                nodes.filter_map(|(node, at)| Some((node.raw(), count(at)?))).collect()
            }
            None => (0u32..).zip(steps.iter().copied()).collect(),
        };
        reached.retain(|&(_, count)| count > 0);
        reached.sort_by_key(|&(at, count)| (Reverse(count), at));
        reached.truncate(top);
        let printer = self.tree.as_ref().map(|of| Printer::new(of.rules, of.tree));
        let text = |at: u32| match &printer {
            Some(printer) => printer.head(TreeNodeId::from_raw(at)),
            None => bytecode::disassemble_one(self.program, self.sources, Address::from_raw(at))
                .unwrap_or_default(),
        };
        reached.into_iter().map(|(at, count)| (at, text(at), count)).collect()
    }

    /// The most frequent reason why a rule that never fired was rejected: its text, its place, and its count.
    fn stopper(&self, rule: PatternId) -> Option<(String, String, u64)> {
        if let Some((ask, times)) = self.profile.stopper(rule) {
            let text = self.program.predicate_text(rule, Some(ask));
            return Some((
                text,
                origin_text(self.sources, self.program.predicate_origin(rule, Some(ask))),
                times,
            ));
        }
        let counts = &self.profile.rules[rule];
        let why = counts.refusal.as_ref().filter(|_| counts.fired == 0)?;
        Some((
            format!("rewriting: {why}"),
            origin_text(self.sources, self.program.pattern_debug(rule).origin),
            counts.refused,
        ))
    }

    fn summary(&self) -> Vec<(&'static str, String)> {
        let mut summary = vec![
            ("operations", self.totals.operations.to_string()),
            ("visits", self.profile.visits.to_string()),
            ("predicates evaluated per visit", format!("{:.2}", self.predicates_per_visit())),
            ("rewrites", self.totals.rewrites.to_string()),
            ("rules that fired", format!("{} of {}", self.fired_rules(), self.program.patterns().len())),
            ("matching", milliseconds(self.matching())),
            ("rewriting", milliseconds(self.rewriting())),
        ];
        if self.totals.refused > 0 {
            summary.push(("rolled back", self.totals.refused.to_string()));
        }
        summary
    }

    fn text(&self, top: usize) -> String {
        let mut out = String::new();
        self.write(&mut out, top).expect("writing to a string does not fail");
        out
    }

    fn write(&self, out: &mut String, top: usize) -> std::fmt::Result {
        for (label, figure) in self.summary() {
            writeln!(out, "{figure:>12}  {label}")?;
        }
        let name = |rule: PatternId| self.program.pattern_name(rule);
        let ranked = self.ranked();
        let active: Vec<PatternId> =
            ranked.iter().copied().filter(|&rule| self.profile.rules[rule].matched > 0).collect();
        let width = active.iter().take(top).map(|&rule| name(rule).chars().count()).max().unwrap_or(0).max(4);
        writeln!(
            out,
            "\n{:width$}  {:>9}  {:>9}  {:>9}  {:>11}  {:>10}  {:>10}",
            "rule", "tried", "matched", "fired", "rolled back", "matching", "rewriting"
        )?;
        for &rule in active.iter().take(top) {
            let counts = &self.profile.rules[rule];
            writeln!(
                out,
                "{:width$}  {:>9}  {:>9}  {:>9}  {:>11}  {:>10}  {:>10}",
                name(rule),
                counts.tried,
                counts.matched,
                counts.fired,
                counts.refused,
                milliseconds(counts.matching),
                milliseconds(counts.rewriting)
            )?;
        }
        more(out, active.len(), top)?;
        let stopped: Vec<(PatternId, (String, String, u64))> =
            ranked.iter().filter_map(|&rule| Some((rule, self.stopper(rule)?))).collect();
        if !stopped.is_empty() {
            writeln!(
                out,
                "\nRules that were tried but never fired, and the predicate that rejects them most often:"
            )?;
            for (rule, (text, place, times)) in stopped.iter().take(top) {
                let tried = self.profile.rules[*rule].tried;
                writeln!(out, "{}: {times} of {tried} at {place}\n    {text}", name(*rule))?;
            }
            more(out, stopped.len(), top)?;
        }
        let idle = ranked.iter().filter(|&&rule| self.profile.rules[rule].tried == 0).count();
        if idle > 0 {
            writeln!(
                out,
                "\n{} never tried: no visited operation can match the root.",
                count(idle as u64, "rule")
            )?;
        }
        let hottest = self.hottest(top);
        if !hottest.is_empty() {
            let (noun, letter) =
                if self.tree.is_some() { ("nodes of the tree", "n") } else { ("instructions", "") };
            writeln!(out, "\nThe {noun} that are reached most often:")?;
            for (at, text, count) in hottest {
                writeln!(out, "{count:>9}  {letter}{at}: {text}")?;
            }
        }
        Ok(())
    }

    fn json(&self, top: usize) -> Value {
        let rules = self.ranked().into_iter().map(|rule| {
            let counts = &self.profile.rules[rule];
            let stopper = self.stopper(rule);
            let stopper = stopper.map(
                |(predicate, place, times)| json!({ "predicate": predicate, "place": place, "times": times }),
            );
            json!({
                "rule": self.program.pattern_name(rule),
                "place": origin_text(self.sources, self.program.pattern_debug(rule).origin),
                "benefit": self.program.patterns()[rule].benefit,
                "tried": counts.tried,
                "matched": counts.matched,
                "fired": counts.fired,
                "undone": counts.refused,
                "matching_ns": nanoseconds(counts.matching),
                "rewriting_ns": nanoseconds(counts.rewriting),
                "stopped_by": stopper,
            })
        });
        let (hottest, key) = match self.tree {
            Some(_) => ("hottest_nodes", "node"),
            None => ("hottest_instructions", "address"),
        };
        let nodes = self
            .hottest(top)
            .into_iter()
            .map(|(at, text, count)| json!({ key: at, "asks": text, "reached": count }));
        json!({
            "operations": self.totals.operations,
            "visits": self.profile.visits,
            "sweeps": self.totals.sweeps,
            "rewrites": self.totals.rewrites,
            "undone": self.totals.refused,
            "dead_removed": self.totals.removed,
            "predicates_asked": self.profile.asked(self.program),
            "matching_ns": nanoseconds(self.matching()),
            "rewriting_ns": nanoseconds(self.rewriting()),
            "rules": rules.collect::<Vec<_>>(),
            hottest: nodes.collect::<Vec<_>>(),
        })
    }

    fn page(&self, tree: &TreeOf<'_>, files: &[FileId]) -> String {
        let mut fired: Vec<(usize, u32, PatternId)> = Vec::with_capacity(self.profile.fired.len());
        for &(rule, location) in &self.profile.fired {
            let span = self.host.context.loc_span(location);
            let Some(at) = self.sources.locate(span) else { continue };
            let input = files.iter().position(|&file| self.sources.file(file) == at.file);
            fired.extend(input.map(|input| (input, at.line, rule)));
        }
        fired.sort_unstable();
        let input = |(i, &file): (usize, &FileId)| {
            let file = self.sources.file(file);
            let lines = fired.chunk_by(|a, b| a == b).filter(|chunk| chunk[0].0 == i);
            let fired = lines.map(|chunk| (chunk[0].1, chunk[0].2, chunk.len() as u64)).collect();
            Input { name: file.name().to_owned(), text: file.text(), fired }
        };
        let names: Vec<&str> = files
            .iter()
            .map(|&file| {
                let name = self.sources.file(file).name();
                Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or(name)
            })
            .collect();
        let page = Page {
            title: format!("Profile of {}", names.join(", ")),
            sources: self.sources,
            rules: tree.rules,
            tree: tree.tree,
            counts: Some(Counts {
                program: self.program,
                places: tree.places,
                profile: self.profile,
                inputs: files.iter().enumerate().map(input).collect(),
            }),
            summary: self.summary(),
        };
        page.html()
    }
}

fn more(out: &mut String, all: usize, shown: usize) -> std::fmt::Result {
    match all.checked_sub(shown).filter(|&more| more > 0) {
        Some(more) => writeln!(out, "and {more} more"),
        None => Ok(()),
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}
