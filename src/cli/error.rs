//! What a run of the rules can have to say, one constructor each.

use std::path::{Path, PathBuf};

use super::explain::At;
use super::summary::{count, rule_name};
use crate::bytecode::Program;
use crate::host::{Ir, Refusal};
use crate::ir::{IrHost, OpId};
use crate::pdl::{MissingNative, Origin, Pattern, PatternId, RuleSet, shown_name};
use crate::rewrite::{Limit, NotConverged};
use crate::source::{Diagnostic, Severity, Span};

fn rule_span(program: &Program, rule: PatternId) -> Span {
    match program.patterns().get(rule).map(|_| program.pattern_debug(rule).origin) {
        Some(Origin::Span(span)) => span,
        _ => Span::NONE,
    }
}

/// How many rules a message names.
const NAMED: usize = 8;

/// The rules keep firing. A warning if the user wants the result all the same.
pub(super) fn not_converged(stopped: &NotConverged, program: &Program, allowed: bool) -> Diagnostic {
    let limit = match stopped.limit {
        Limit::Sweeps(n) => count(u64::from(n), "sweep"),
        Limit::Rewrites(n) => count(n, "rewrite"),
    };
    let message = format!("the rules do not come to an end: something still changed after {limit}");
    let mut diagnostic = if allowed { Diagnostic::warning(message) } else { Diagnostic::error(message) };
    for &(rule, times) in stopped.firing.iter().take(NAMED) {
        let text = format!(
            "'{}' made {times} of the last {}",
            rule_name(program, rule),
            count(stopped.window, "rewrite")
        );
        let span = rule_span(program, rule);
        diagnostic = if span.is_none() { diagnostic.with_note(text) } else { diagnostic.at(span, text) };
    }
    if let Some(more) = stopped.firing.len().checked_sub(NAMED).filter(|&more| more > 0) {
        diagnostic = diagnostic.with_note(format!("and {} more", count(more as u64, "rule")));
    }
    if let Some(cycle) = &stopped.cycle {
        let names: Vec<_> = cycle.iter().chain(&cycle[..1]).map(|&rule| rule_name(program, rule)).collect();
        diagnostic = diagnostic.with_note(format!("they fire in a cycle: {}", names.join(" -> ")));
    }
    let (option, more) = match stopped.limit {
        Limit::Sweeps(_) => ("--max-iterations", "sweeps"),
        Limit::Rewrites(_) => ("--max-rewrites", "rewrites"),
    };
    diagnostic = diagnostic.help(format!("`{option} N` allows more {more}"));
    if allowed {
        diagnostic
    } else {
        diagnostic.help("`--allow-nonconvergence` prints the result all the same")
    }
}

/// A rule calls what nobody registered, and the user goes on without it.
pub(super) fn left_out(rule: PatternId, program: &Program, missing: &[MissingNative]) -> Diagnostic {
    let name = rule_name(program, rule);
    let mut diagnostic =
        Diagnostic::warning(format!("rule '{name}' is left out: it calls what is not registered"));
    for native in missing {
        for (_, span) in native.callers.iter().filter(|(caller, _)| shown_name(caller) == name) {
            diagnostic = diagnostic.at(*span, format!("no native '{}'", native.call.name));
        }
    }
    diagnostic
}

/// There is no such subcommand.
pub(super) fn no_such_command(name: &str, known: &[&str]) -> Diagnostic {
    Diagnostic::error(format!("there is no command '{name}'")).help(format!("there are {}", known.join(", ")))
}

/// A picture that nobody could look at.
pub(super) fn picture_too_large(nodes: usize, limit: usize) -> Diagnostic {
    Diagnostic::error(format!("the tree has {nodes} nodes, and a picture at most {limit}"))
        .help("`--format html` shows trees of any size; `--enable` takes only some of the rules")
}

/// A form that a stage does not have.
pub(super) fn no_such_picture() -> Diagnostic {
    Diagnostic::error("only the tree is shown as a picture").help("`--stage tree`")
}

/// The environment asks for a log, and not in a way that is understood.
pub(super) fn bad_log_filter(why: &str) -> Diagnostic {
    Diagnostic::warning(format!("nothing is logged, as RUST_LOG is not understood: {why}"))
}

/// No operation of the input is what was asked about.
pub(super) fn nothing_at(at: &At, input: &str) -> Diagnostic {
    match at {
        At::Line(line) => Diagnostic::error(format!("no operation starts on line {line} of '{input}'"))
            .help("an operation is on the line of its name; those with a location of their own have no line"),
        At::Value(name) => Diagnostic::error(format!("no operation of '{input}' defines a value {name}"))
            .help("arguments of blocks are defined by no operation"),
        At::Name(name) => Diagnostic::error(format!("'{input}' has no operation '{name}'")),
    }
}

/// A command that reads rules was given none.
pub(super) fn no_rules() -> Diagnostic {
    Diagnostic::error("no rule file is given").help("name a '.td' or '.mlir' file of rules")
}

/// What runs the rules must register a native. One registered otherwise is an error as it stands.
pub(super) fn missing_native(native: &MissingNative) -> Diagnostic {
    let mut diagnostic = native.diagnostic();
    if native.registered.is_none() {
        diagnostic.severity = Severity::Warning;
    }
    diagnostic
}

/// A native that verifies operations says that one is wrong.
pub(super) fn not_verified(host: &IrHost, op: OpId, refusal: &Refusal) -> Diagnostic {
    let name = host.op_name_text(host.op_name(op));
    Diagnostic::error(format!("'{name}' op {refusal}")).at(host.context.loc_span(host.location(op)), "")
}

/// What is wrong is in what rules made of the input.
pub(super) fn after_rewriting(wrong: Diagnostic) -> Diagnostic {
    wrong.with_note("this is after rewriting: what was read is valid")
}

/// A rule that may have made the operation that is wrong.
pub(super) fn made_by(wrong: Diagnostic, maker: &Pattern, rules: &RuleSet) -> Diagnostic {
    let text = format!(
        "rule '{}', which was applied, makes such operations",
        shown_name(&rules.strings[maker.name])
    );
    match maker.origin {
        Origin::Span(span) => wrong.note_at(span, text),
        Origin::Rust(_) => wrong.with_note(text),
    }
}

/// The reference engine wants rules.
pub(super) fn no_reference() -> Diagnostic {
    Diagnostic::error("a compiled program cannot run rule by rule: it has no rules any more, only their tree")
        .help("give the files that it was compiled from, or leave out `--engine reference`")
}

/// A stage before the program is asked for.
pub(super) fn no_such_stage(stage: &str) -> Diagnostic {
    Diagnostic::error(format!("a compiled program has no stage '{stage}'"))
        .help("`--stage bytecode` shows it; the stages before are made from the files it was compiled from")
}

/// A page shows the tree, and there is none.
pub(super) fn no_tree_to_show() -> Diagnostic {
    Diagnostic::error("`--html` shows the tree of rules, and a compiled program has none any more")
        .help("give the files that it was compiled from, or leave out `--html`")
}

/// Bytes would go to a screen.
pub(super) fn program_on_terminal() -> Diagnostic {
    Diagnostic::error("a compiled program is not text, and standard output is a terminal")
        .help("name a file with `-o`, or write to a pipe")
}

/// `--engine` names more than two.
pub(super) fn too_many_engines(given: usize) -> Diagnostic {
    Diagnostic::error(format!("two engines can be compared, {given} are given"))
}

/// One rule set and one engine.
pub(super) fn nothing_to_compare() -> Diagnostic {
    Diagnostic::error("there is nothing to compare with")
        .help("name a second rule file, or two engines (`--engine tree,reference`)")
        .help("or ask whether the rules keep what operations mean (`--mode semantics`)")
}

/// No operation for IR that both sides have something to say about.
pub(super) fn nothing_in_common<'p>(
    a: &Path,
    b: Option<&Path>,
    empty: impl Iterator<Item = &'p PathBuf>,
) -> Diagnostic {
    let a = a.display();
    let error = match b {
        Some(b) => Diagnostic::error(format!(
            "'{a}' and '{}' have no operation in common: nothing was compared",
            b.display()
        ))
        .with_note("IR is made of the operations that the rules of both match or make"),
        None => Diagnostic::error(format!("the rules of '{a}' name no operation: nothing was compared")),
    };
    empty.fold(error, |error, path| error.with_note(format!("of '{}' there are no rules", path.display())))
}

/// A comparison of meanings in which nothing could be interpreted.
pub(super) fn nothing_interpreted(cases: u64) -> Diagnostic {
    let modules = count(cases, "module");
    Diagnostic::warning(format!("none of {modules} could be interpreted: nothing is said of what they mean"))
        .with_note("operations of 'arith', 'func' and 'cf' are interpreted, on static shapes")
        .help("`--mode rewrite` compares what rules make of any operations")
}

/// A comparison in which no rule had its say.
pub(super) fn nothing_fired(cases: u64) -> Diagnostic {
    let cases = count(cases, "case");
    Diagnostic::warning(format!(
        "no rule fired on either side in {cases}: that there is no difference says nothing"
    ))
    .help("rules whose constraints are natives or C++ may never hold on random IR")
}

/// A name that is of no rule.
pub(super) fn unknown_on_both(name: &str) -> Diagnostic {
    Diagnostic::error(format!("no rule has the name or label '{name}', on either side"))
}

/// Rules that cannot run on one side are compared on neither.
pub(super) fn left_out_on_both(rules: &[String]) -> Diagnostic {
    let named: Vec<&str> = rules.iter().take(NAMED).map(String::as_str).collect();
    let more = rules.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Diagnostic::warning(format!("left out on both sides, for want of natives: {}{more}", named.join(", ")))
        .with_note("the other rules are compared")
}

/// One side of a comparison goes on forever.
pub(super) fn does_not_end(
    side: &str,
    case: u64,
    times: u64,
    stopped: &NotConverged,
    program: &Program,
) -> Diagnostic {
    let mut diagnostic = Diagnostic::warning(format!(
        "the rules of '{side}' do not come to an end with {}, case {case} the first",
        count(times, "module")
    ));
    if let Some(cycle) = &stopped.cycle {
        let names: Vec<_> = cycle.iter().chain(&cycle[..1]).map(|&rule| rule_name(program, rule)).collect();
        diagnostic = diagnostic.with_note(format!("they fire in a cycle: {}", names.join(" -> ")));
    }
    for &(rule, fired) in stopped.firing.iter().take(NAMED) {
        let text = format!(
            "'{}' made {fired} of the last {}",
            rule_name(program, rule),
            count(stopped.window, "rewrite")
        );
        let span = rule_span(program, rule);
        diagnostic = if span.is_none() { diagnostic.with_note(text) } else { diagnostic.at(span, text) };
    }
    diagnostic
        .with_note("these modules were compared after each operation had been tried once, on both sides")
        .help("`--max-rewrites N` allows more rewrites of one module")
}

/// A folder for counterexamples.
pub(super) fn cannot_make_dir(dir: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(format!("cannot make the folder '{}': {error}", dir.display()))
}
