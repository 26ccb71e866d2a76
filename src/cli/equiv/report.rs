//! The report of `equiv`.

use std::fmt::Write;
use std::io::IsTerminal;

use super::args::{EquivArgs, EquivMode};
use crate::cli::session::color;
use crate::cli::side_by_side;
use crate::equivalence::{Comparison, Difference, DifferenceKind, NoInstance, Side};
use crate::pdl::PatternId;
use crate::plural::count;
use crate::source::Color;

/// The maximum width of the left column.
const LEFT_WIDTH: usize = 80;

/// The report on standard output.
pub(super) struct Report<'a> {
    pub(super) args: &'a EquivArgs,
    pub(super) sides: [&'a Side<'a>; 2],
    pub(super) titles: [String; 2],
    pub(super) compared: &'a Comparison,
    /// The rules of each side that never fired or, with `--mode match`, never matched. If no instance of a rule was
    /// found, the reason is listed with the rule.
    pub(super) unfired: Vec<Vec<(PatternId, Option<NoInstance>)>>,
    /// True if rules were left out because they call natives that are missing.
    pub(super) natives_missing: bool,
}

/// A reason why a comparison without a difference is not decided. The most important reason comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doubt {
    /// Modules that the sides rewrite differently could not be interpreted.
    Undecided,
    NothingInterpreted,
    Endless,
    NothingFired,
    SomeUnfired,
    NativesMissing,
}

impl Report<'_> {
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let Comparison { cases, difference, .. } = self.compared;
        let tried = format!("{}, seed {}", count(*cases, "case"), self.args.effort.seed);
        match difference {
            Some(found) => self.difference(&mut out, found),
            None => {
                let _ = match self.doubts().into_iter().min() {
                    Some(doubt) => {
                        let doubt = self.doubt(doubt);
                        writeln!(out, "not decided: no difference was found, but {doubt} ({tried})")
                    }
                    None => writeln!(out, "no difference ({tried})"),
                };
            }
        }
        if self.compared.uninterpreted > 0 {
            let skipped = count(self.compared.uninterpreted, "module");
            let _ = writeln!(out, "{skipped} could not be interpreted");
        }
        if difference.is_none() {
            self.coverage(&mut out);
        }
        out
    }

    /// The reasons why a comparison without a difference is not decided, in the order of their messages; empty if it is
    /// decided.
    pub(super) fn doubts(&self) -> Vec<Doubt> {
        let Comparison { cases, undecided, uninterpreted, fired, endless_example, .. } = self.compared;
        let nothing_fired = fired.iter().flatten().all(|&count| count == 0);
        let some_unfired = !self.args.allow_unfired && self.unfired.iter().any(|unfired| !unfired.is_empty());
        let nothing_interpreted =
            self.args.mode == EquivMode::Semantics && *cases > 0 && uninterpreted == cases;
        let all = [
            (Doubt::NothingInterpreted, nothing_interpreted),
            (Doubt::Undecided, *undecided > 0),
            (Doubt::Endless, endless_example.iter().any(Option::is_some)),
            (Doubt::NothingFired, nothing_fired),
            (Doubt::SomeUnfired, some_unfired && !nothing_fired),
            (Doubt::NativesMissing, self.natives_missing),
        ];
        all.into_iter().filter_map(|(doubt, applies)| applies.then_some(doubt)).collect()
    }

    /// The text of a doubt after "no difference was found, but".
    fn doubt(&self, doubt: Doubt) -> String {
        let fired = self.args.mode.fired();
        match doubt {
            Doubt::Undecided => {
                let modules = count(self.compared.undecided, "module");
                format!("{modules} that the two sides rewrite differently could not be interpreted")
            }
            Doubt::NothingInterpreted => "no module could be interpreted".to_owned(),
            Doubt::Endless => "some rewriting did not end".to_owned(),
            Doubt::NothingFired => format!("no rule {fired}"),
            Doubt::SomeUnfired => format!("some rules never {fired}"),
            Doubt::NativesMissing => "some rules call missing natives".to_owned(),
        }
    }

    /// Writes the number of rules that fired on each side or, with `--mode match`, matched. For each other rule, writes
    /// the reason why it did not.
    fn coverage(&self, out: &mut String) {
        let fired = self.args.mode.fired();
        for side in 0..2 {
            if side == 1 && self.args.b.is_none() && self.compared.fired[0] == self.compared.fired[1] {
                continue;
            }
            let (rules, unfired) = (self.compared.fired[side].len(), &self.unfired[side]);
            let fired_count = self.compared.fired[side].iter().filter(|count| **count > 0).count();
            let _ = writeln!(out, "{}: {}, {fired_count} {fired}", self.titles[side], count(rules, "rule"));
            if unfired.is_empty() {
                continue;
            }
            let _ = writeln!(out, "  these rules never {fired}, so they were not compared:");
            for (rule, reason) in unfired {
                let reason = match reason {
                    Some(reason) => format!("no instance was found: {reason}"),
                    None => {
                        format!("instances were found, but none {fired}; another rule may be applied first")
                    }
                };
                let _ = writeln!(out, "    {}: {reason}", self.sides[side].rule_name(*rule));
            }
        }
    }

    /// The names of the rules in [`Self::unfired`].
    pub(super) fn unfired_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (side, unfired) in self.sides.iter().zip(&self.unfired) {
            names.extend(unfired.iter().map(|(rule, _)| side.rule_name(*rule).to_owned()));
        }
        names.sort();
        names.dedup();
        names
    }

    fn difference(&self, out: &mut String, found: &Difference) {
        let (before, after) = found.ops;
        let _ = writeln!(
            out,
            "a difference: case {} of seed {}, shrunk from {before} operations to {after}\n",
            found.case, self.args.effort.seed
        );
        let _ = writeln!(out, "{}", found.input);
        match &found.kind {
            DifferenceKind::Modules => {}
            DifferenceKind::Matches { op, rules } => {
                let _ = writeln!(out, "The matches at {op} differ:");
                for ((side, title), rules) in self.sides.iter().zip(&self.titles).zip(rules) {
                    let names: Vec<&str> = rules.iter().map(|&rule| side.rule_name(rule)).collect();
                    let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
                    let _ = writeln!(out, "  {title}: {names}");
                }
                return;
            }
            DifferenceKind::Meaning { side, change } => {
                let list = |texts: &[String]| texts.join(", ");
                let _ = writeln!(
                    out,
                    "{} changes the meaning of function {}:",
                    self.titles[*side], change.function
                );
                let _ = writeln!(out, "  inputs: {}", list(&change.inputs));
                let _ = writeln!(out, "  before: {}", list(&change.before));
                let after = change.after.as_deref().map_or("undefined behaviour".to_owned(), list);
                let _ = writeln!(out, "  after:  {after}\n");
            }
        }
        let color = color(&self.args.messages, std::io::stdout().is_terminal()) == Color::Always;
        let [a, b] = &found.outputs;
        // Equal modules need only one column.
        if a == b {
            let _ = writeln!(out, "{a}");
        } else {
            let widest = a.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            let width = widest.max(self.titles[0].chars().count()).min(LEFT_WIDTH);
            let shown = side_by_side::columns([&self.titles[0], &self.titles[1]], [a, b], width, color);
            let _ = writeln!(out, "{shown}");
        }
        for side in 0..2 {
            if side == 1 && self.args.b.is_none() && found.fired[0] == found.fired[1] {
                continue;
            }
            let fired: Vec<String> = found.fired[side]
                .iter()
                .map(|&(rule, times)| format!("{} {times}", self.sides[side].rule_name(rule)))
                .collect();
            let fired = if fired.is_empty() { "nothing".to_owned() } else { fired.join(", ") };
            let _ = writeln!(out, "{} {}: {fired}", self.titles[side], self.args.mode.fired());
        }
    }
}
