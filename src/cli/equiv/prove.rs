//! `drrvm equiv --prove`: compares rules with the same names for all integers.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use super::args::EquivArgs;
use super::rules::load;
use crate::cli::exit::Failed;
use crate::cli::proof::described_operations;
use crate::cli::session::Session;
use crate::cli::{error, output};
use crate::pdl::{PatternId, RuleSet, shown_name};
use crate::plural::count;
use crate::prove::{self, After, Sameness};

pub(super) fn run(args: &EquivArgs, files: [&Path; 2], session: &mut Session) -> ExitCode {
    ExitCode::from(match compare(args, files, session) {
        Ok((_, different, _)) if different > 0 => 1,
        Ok((_, _, 0)) => 0,
        Ok(_) | Err(_) => 2,
    })
}

/// Compares the rules and prints the report. Returns the numbers of pairs of rules that are the same, different and
/// unknown. A rule that only one side has counts as an unknown pair.
fn compare(
    args: &EquivArgs,
    files: [&Path; 2],
    session: &mut Session,
) -> Result<(usize, usize, usize), Failed> {
    let sides = load(session, args)?;
    let mut sets = Vec::new();
    for (path, side) in files.iter().zip(&sides) {
        sets.push(side.rules().ok_or_else(|| session.fail(error::program_is_not_proved(path)))?);
    }
    let [a, b] = [sets[0], sets[1]];
    let operations = described_operations(files, &args.tablegen, session)?;
    let options = args.proof.options().operations(operations);
    let mut out = String::new();
    let (mut same, mut different, mut unknown) = (0, 0, 0);
    for (name_of_rule, rule, other) in pairs(a, b) {
        let Some(other) = other else {
            unknown += 1;
            let _ = writeln!(out, "{name_of_rule}: only in {}", files[0].display());
            continue;
        };
        match prove::compare([(a, rule), (b, other)], &options) {
            Sameness::Same(types) => {
                same += 1;
                let _ = writeln!(out, "{name_of_rule}: the same for {}", types.join("; "));
            }
            Sameness::Different(found) => {
                different += 1;
                let _ = writeln!(out, "{name_of_rule}: different\n  types:    {}", found.types);
                for (operand, value) in &found.operands {
                    let _ = writeln!(out, "  {operand} = {value}");
                }
                for (path, after) in files.iter().zip([&found.first, &found.second]) {
                    let _ = writeln!(out, "  {}: {}", path.display(), text(after));
                }
                for line in found.module.lines() {
                    let _ = writeln!(out, "    {line}");
                }
            }
            Sameness::Unknown(reasons) => {
                unknown += 1;
                let _ = writeln!(out, "{name_of_rule}: unknown");
                for reason in reasons {
                    let _ = writeln!(out, "  {reason}");
                }
            }
        }
    }
    for (name, _, _) in pairs(b, a).filter(|(_, _, other)| other.is_none()) {
        unknown += 1;
        let _ = writeln!(out, "{name}: only in {}", files[1].display());
    }
    let total = count(same + different + unknown, "rule");
    let _ = writeln!(out, "{total}: {same} the same, {different} different, {unknown} unknown");
    output::write(Path::new("-"), |to| to.write_all(out.as_bytes())).map_err(|e| session.fail(e))?;
    Ok((same, different, unknown))
}

/// Each rule of `a` with its name and the rule of `b` that has the same name; `None` if `b` has no such rule. If
/// several rules have the same name, they are paired in their order. A rule without a name is paired with `None`.
fn pairs<'a>(
    a: &'a RuleSet,
    b: &'a RuleSet,
) -> impl Iterator<Item = (&'a str, PatternId, Option<PatternId>)> {
    let name = |rules: &'a RuleSet, rule: PatternId| &rules.strings()[rules.patterns()[rule].name];
    let mut left: HashMap<&str, VecDeque<PatternId>> = HashMap::new();
    for rule in b.patterns().ids().filter(|&rule| !name(b, rule).is_empty()) {
        left.entry(name(b, rule)).or_default().push_back(rule);
    }
    a.patterns().ids().map(move |rule| {
        let name = name(a, rule);
        (shown_name(name), rule, left.get_mut(name).and_then(VecDeque::pop_front))
    })
}

fn text(after: &Option<After>) -> String {
    match after {
        None => "the rule does not match".to_owned(),
        Some(After::Results(results)) => results.join(", "),
        Some(After::Undefined) => "undefined behaviour".to_owned(),
        Some(After::Invalid(reason)) => format!("invalid IR: {reason}"),
    }
}
