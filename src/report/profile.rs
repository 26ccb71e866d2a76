//! The cost and the effect of rules on real input, as text, as JSON, and as an HTML page.

use std::cmp::Reverse;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::mapped::MappedProgram;
use super::page::{Counts, Input, Page};
use super::text::{nanoseconds, origin_text};
use crate::bytecode::{self, Address, Program};
use crate::host::Ir;
use crate::id::Id;
use crate::matcher_tree::{self, Printer, TreeNodeId};
use crate::pdl::PatternId;
use crate::plural::count;
use crate::rewrite::Report;
use crate::source::{FileId, SourceMap, Span};
use crate::vm::Profile;

/// The counts of a driver over several modules.
#[derive(Clone, Debug, Default)]
pub struct DriverTotals {
    operations: u64,
    rewrites: u64,
    refused: u64,
    removed: u64,
    sweeps: u64,
}

impl DriverTotals {
    /// Adds a run on a module that had `operations` operations before the run.
    pub fn add(&mut self, operations: u64, report: &Report) {
        self.operations += operations;
        self.rewrites += report.rewrites;
        self.refused += report.refused;
        self.removed += report.removed;
        self.sweeps += u64::from(report.sweeps);
    }
}

/// A profile as text, as JSON, or as an HTML page.
pub struct ProfileReport<'a, H: Ir> {
    sources: &'a SourceMap,
    spans: Box<dyn Fn(H::Location) -> Span + 'a>,
    program: &'a Program,
    mapped: Option<&'a MappedProgram>,
    profile: &'a Profile<H>,
    totals: DriverTotals,
}

impl<'a, H: Ir> ProfileReport<'a, H> {
    /// Reports a profile of a program. `spans` returns the place of a location in `sources`, as
    /// [`Context::loc_span`](crate::ir::Context::loc_span) does for the built-in IR.
    pub fn new(
        sources: &'a SourceMap,
        spans: impl Fn(H::Location) -> Span + 'a,
        program: &'a Program,
        profile: &'a Profile<H>,
        totals: DriverTotals,
    ) -> Self {
        Self { sources, spans: Box::new(spans), program, mapped: None, profile, totals }
    }

    /// Also reports the tree that the program was compiled from.
    #[must_use]
    pub fn with_tree(mut self, mapped: &'a MappedProgram) -> Self {
        self.mapped = Some(mapped);
        self
    }

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

    /// The rules, those that fired most often first.
    fn ranked(&self) -> Vec<PatternId> {
        let rules = &self.profile.rules;
        let mut ranked: Vec<PatternId> = rules.ids().collect();
        ranked.sort_unstable_by_key(|&rule| {
            let counts = &rules[rule];
            (Reverse((counts.fired, counts.matched, counts.tried)), rule)
        });
        ranked
    }

    /// The tree nodes that are reached most often, each with its text and count. Without a tree, the list has the
    /// instructions of the program instead.
    fn hottest(&self, top: usize) -> Vec<(u32, String, u64)> {
        let steps = &self.profile.steps;
        let mut reached: Vec<(u32, u64)> = match self.mapped {
            Some(MappedProgram { tree, places, .. }) => {
                let count = |at: &Option<Address>| at.and_then(|at| steps.get(at.index())).copied();
                let nodes = places.iter_enumerated();
                let nodes = nodes.filter(|(node, _)| tree.nodes()[*node] != matcher_tree::TreeNode::Fail);
                nodes.filter_map(|(node, at)| Some((node.raw(), count(at)?))).collect()
            }
            None => (0u32..).zip(steps.iter().copied()).collect(),
        };
        reached.retain(|&(_, count)| count > 0);
        reached.sort_unstable_by_key(|&(at, count)| (Reverse(count), at));
        reached.truncate(top);
        let printer = self.mapped.map(|of| Printer::new(&of.rules, &of.tree));
        let text = |at: u32| match &printer {
            Some(printer) => printer.head(TreeNodeId::from_raw(at)),
            None => bytecode::disassemble_one(self.program, self.sources, Address::from_raw(at))
                .unwrap_or_default(),
        };
        reached.into_iter().map(|(at, count)| (at, text(at), count)).collect()
    }

    /// The most frequent reason why a rule that never fired was rejected: its text, its place, and its count.
    fn failing_test(&self, rule: PatternId) -> Option<(String, String, u64)> {
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

    /// The report for people, with at most `top` entries in each list.
    pub fn text(&self, top: usize) -> String {
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
            ranked.iter().filter_map(|&rule| Some((rule, self.failing_test(rule)?))).collect();
        if !stopped.is_empty() {
            writeln!(out, "\nRules that were tried but never fired, and the most frequent reason:")?;
            for (rule, (text, place, times)) in stopped.iter().take(top) {
                let tried = self.profile.rules[*rule].tried;
                writeln!(out, "{}: {times} of {tried} at {place}\n    {text}", name(*rule))?;
            }
            more(out, stopped.len(), top)?;
        }
        let idle = ranked.iter().filter(|&&rule| self.profile.rules[rule].tried == 0).count();
        if idle > 0 {
            writeln!(out, "\n{} never tried: no visited operation can match the root.", count(idle, "rule"))?;
        }
        let hottest = self.hottest(top);
        if !hottest.is_empty() {
            let (noun, letter) =
                if self.mapped.is_some() { ("nodes of the tree", "n") } else { ("instructions", "") };
            writeln!(out, "\nThe {noun} that are reached most often:")?;
            for (at, text, count) in hottest {
                writeln!(out, "{count:>9}  {letter}{at}: {text}")?;
            }
        }
        Ok(())
    }

    /// The report as one JSON object, with at most `top` tree nodes or instructions. `drrvm profile --format json`
    /// prints it.
    pub fn json(&self, top: usize) -> String {
        let rules = self.ranked().into_iter().map(|rule| {
            let counts = &self.profile.rules[rule];
            let stopper = self.failing_test(rule);
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
                "rolled_back": counts.refused,
                "matching_ns": nanoseconds(counts.matching),
                "rewriting_ns": nanoseconds(counts.rewriting),
                "stopped_by": stopper,
            })
        });
        let (hottest, key) = match self.mapped {
            Some(_) => ("hottest_nodes", "node"),
            None => ("hottest_instructions", "address"),
        };
        let nodes = self
            .hottest(top)
            .into_iter()
            .map(|(at, text, count)| json!({ key: at, "test": text, "reached": count }));
        let report = json!({
            "operations": self.totals.operations,
            "visits": self.profile.visits,
            "sweeps": self.totals.sweeps,
            "rewrites": self.totals.rewrites,
            "rolled_back": self.totals.refused,
            "dead_removed": self.totals.removed,
            "predicates_evaluated": self.profile.asked(self.program),
            "matching_ns": nanoseconds(self.matching()),
            "rewriting_ns": nanoseconds(self.rewriting()),
            "rules": rules.collect::<Vec<_>>(),
            hottest: nodes.collect::<Vec<_>>(),
        });
        format!("{report:#}\n")
    }

    /// A self-contained HTML page about the run on these files; `None` without a tree.
    pub fn html(&self, files: &[FileId]) -> Option<String> {
        self.page(files).map(|page| page.html())
    }

    /// The JSON data of the page; `None` without a tree.
    pub fn page_data(&self, files: &[FileId]) -> Option<String> {
        self.page(files).map(|page| page.data())
    }

    fn page(&self, files: &[FileId]) -> Option<Page<'_, H>> {
        let mapped = self.mapped?;
        let mut fired: Vec<(usize, u32, PatternId)> = Vec::with_capacity(self.profile.fired.len());
        for &(rule, location) in &self.profile.fired {
            let span = (self.spans)(location);
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
        Some(Page {
            title: format!("Profile of {}", names.join(", ")),
            sources: self.sources,
            rules: &mapped.rules,
            tree: &mapped.tree,
            counts: Some(Counts {
                program: self.program,
                places: &mapped.places,
                profile: self.profile,
                inputs: files.iter().enumerate().map(input).collect(),
            }),
            summary: self.summary(),
        })
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
