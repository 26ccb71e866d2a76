//! Errors and warnings about rules, options and inputs, with one constructor for each.

use std::path::{Path, PathBuf};

use crate::bytecode::Program;
use crate::host::{Ir, Refusal};
use crate::ir::{IrHost, OpId};
use crate::pdl::{MissingNative, NativeCall, Origin, Pattern, PatternId, RuleSet, shown_name};
use crate::plural::count;
use crate::report::OpSelector;
use crate::report::text::{MAX_NAMED, name_list, rule_name};
use crate::report::{self, with_firing_rules};
use crate::rewrite::{Limit, NotConverged};
use crate::source::{Diagnostic, Severity, Span, similar};

/// `--debug conversion` without a conversion.
pub(super) fn no_conversion_to_log() -> Diagnostic {
    Diagnostic::error("`--debug conversion` logs a conversion, and there is none")
        .help("`--convert` converts the input")
}

/// Adds `did you mean 'x'?` if a known name is similar.
fn with_suggestion<'a>(
    diagnostic: Diagnostic,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    match similar(name, known) {
        Some(similar) => diagnostic.help(format!("did you mean '{similar}'?")),
        None => diagnostic,
    }
}

/// The rules do not converge. If `allowed` is true, this is a warning. `sweeps` is the option that allows more sweeps.
pub(super) fn not_converged(
    stopped: &NotConverged,
    program: &Program,
    sweeps: &str,
    allowed: bool,
) -> Diagnostic {
    let (option, noun) = match stopped.limit {
        Limit::Sweeps(_) => (sweeps, "sweeps"),
        Limit::Rewrites(_) => ("--max-rewrites N", "rewrites"),
        Limit::Interrupt => return report::not_converged(stopped, program),
    };
    let mut diagnostic =
        report::not_converged(stopped, program).help(format!("`{option}` allows more {noun}"));
    if allowed {
        diagnostic.severity = Severity::Warning;
        return diagnostic;
    }
    diagnostic.help("`--allow-nonconvergence` prints the result anyway")
}

/// A rule is dropped because it calls a native that is not registered.
pub(super) fn dropped_rule(rule: PatternId, program: &Program, missing: &[MissingNative]) -> Diagnostic {
    let name = rule_name(program, rule);
    let mut diagnostic = Diagnostic::warning(format!(
        "rule '{name}' is dropped, because it calls a native that is not registered"
    ));
    for native in missing {
        for span in native.calls_of(rule) {
            diagnostic = diagnostic.at(span, format!("native '{}' is not registered", native.call.name));
        }
    }
    diagnostic
}

/// `ods` is called with several files, although it lists the definitions of only one file.
pub(super) fn several_definitions() -> Diagnostic {
    Diagnostic::error("expected one file of definitions")
        .help("only `--pack` accepts several files and folders")
}

/// `ods --pack` is called without a file or folder.
pub(super) fn pack_without_input() -> Diagnostic {
    Diagnostic::error("`--pack` needs files or folders with definitions")
        .help("name them before or after `--pack`")
}

/// A pack would be written to a terminal.
pub(super) fn pack_to_terminal() -> Diagnostic {
    Diagnostic::error("a pack is not text, and would be written to a terminal")
        .help("`-o FILE` writes a file")
}

/// Byte code would be written to a terminal.
pub(super) fn binary_to_terminal() -> Diagnostic {
    Diagnostic::error("byte code is not text, and would be written to a terminal")
        .help("`-o FILE` writes a file; `-f` writes to the terminal")
}

/// A proof needs the sources of the rules.
pub(super) fn program_is_not_proved(path: &Path) -> Diagnostic {
    Diagnostic::error(format!("'{}' is a compiled program", path.display()))
        .help("give the .td or .mlir files that it was compiled from")
}

/// An option of `equiv --prove` is given without `--prove`.
pub(super) fn only_with_prove(option: &str) -> Diagnostic {
    Diagnostic::error(format!("'{option}' is an option of proofs"))
        .help("add `--prove` to compare the rules for all integers instead of on random modules")
}

/// A record that describes the meaning of an operation is invalid.
pub(super) fn bad_meaning(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error("the meaning of an operation is invalid").at(span, reason).help(
        "a meaning has the form `comb.mux(c, a, b) = select(c, a, b)`, with the integer operations of arith",
    )
}

/// The threads of a command cannot be started.
pub(super) fn cannot_start_threads(reason: &str) -> Diagnostic {
    Diagnostic::error(format!("cannot start threads: {reason}")).help("`--jobs 1` uses one thread")
}

/// The name of a subcommand is unknown.
pub(super) fn no_such_command(name: &str, known: &[&str]) -> Diagnostic {
    with_suggestion(Diagnostic::error(format!("unknown command '{name}'")), name, known.iter().copied())
        .help(format!("the commands are {}", known.join(", ")))
}

/// A dialect is not defined in the file.
pub(super) fn unknown_dialect(name: &str, known: &[&str]) -> Diagnostic {
    let error = Diagnostic::error(format!("unknown dialect '{name}'"));
    if known.is_empty() {
        return error.help("the file defines no dialects");
    }
    let quoted: Vec<String> = known.iter().map(|known| format!("'{known}'")).collect();
    with_suggestion(error, name, known.iter().copied())
        .help(format!("the file defines {}", quoted.join(", ")))
}

/// The selected format exists only for the tree.
pub(super) fn no_such_picture() -> Diagnostic {
    Diagnostic::error("this format is available only for the tree").help("add `--stage tree`")
}

/// RUST_LOG is invalid.
pub(super) fn bad_log_filter(why: &str) -> Diagnostic {
    Diagnostic::warning(format!("RUST_LOG is invalid, so nothing is logged: {why}"))
}

/// `--at` selects no operation.
pub(super) fn nothing_at(at: &OpSelector, input: &str, host: &IrHost) -> Diagnostic {
    match at {
        OpSelector::Line(line) => {
            Diagnostic::error(format!("no operation of '{input}' has its name on line {line}"))
                .help("lines are those of the input's text, not those that locations (`loc(…)`) state")
        }
        OpSelector::Value(name) => {
            Diagnostic::error(format!("no operation of '{input}' defines a value {name}"))
                .help("block arguments are not defined by operations")
        }
        OpSelector::Name(name) => {
            let ops = host.module.preorder(host.module.top());
            let names = ops.map(|op| host.context.op_name_text(host.module.name(op)));
            with_suggestion(Diagnostic::error(format!("'{input}' has no operation '{name}'")), name, names)
        }
    }
}

/// A command that needs rules is called without rules.
pub(super) fn no_rules() -> Diagnostic {
    Diagnostic::error("no rule file is given").help("add a '.td' or '.mlir' file with rules")
}

/// Rule files contain no rules.
pub(super) fn no_rules_in(files: &[PathBuf]) -> Diagnostic {
    let names: Vec<String> = files.iter().map(|path| format!("'{}'", path.display())).collect();
    let verb = if names.len() == 1 { "contains" } else { "contain" };
    Diagnostic::warning(format!("{} {verb} no rules", names.join(", ")))
        .help("a rule is a `def` of `Pat` or `Pattern` in a `.td` file, or a `pdl.pattern` in a `.mlir` file")
}

/// A native is not registered (a warning), or its signature does not fit a call (an error).
pub(super) fn missing_native(native: &MissingNative, places: bool) -> Diagnostic {
    let mut diagnostic = if places { native.diagnostic_with_places() } else { native.diagnostic() };
    if native.registered.is_empty() {
        diagnostic.severity = Severity::Warning;
    }
    diagnostic
}

/// Generated C++ code cannot call this native.
pub(super) fn no_helper(native: &MissingNative) -> Diagnostic {
    let error =
        Diagnostic::error(format!("no C++ is known for native {} '{}'", native.call.role, native.call.name));
    error
        .at(first_call(native), "called here")
        .help("call a function by its name in the rule, and declare it where the output is included")
}

/// Calls of a native differ only in the builder or the context, so that they have the same signature.
pub(super) fn same_signature(native: &MissingNative) -> Diagnostic {
    let NativeCall { name, .. } = &native.call;
    let error = Diagnostic::error(format!(
        "calls of '{name}' with the signature {} differ in `$_builder` or in the context",
        native.call.signature()
    ));
    error
        .at(first_call(native), "called here")
        .help("write these arguments alike in all calls, or use functions with different names")
}

fn first_call(native: &MissingNative) -> Span {
    native.callers.first().map_or(Span::NONE, |caller| caller.1)
}

/// `-v` shows more about missing natives.
pub(super) fn no_places_of_natives() -> Diagnostic {
    Diagnostic::note("`-v` shows the places of the calls")
}

/// A verifier that is written as a native rejects an operation.
pub(super) fn not_verified(host: &IrHost, op: OpId, refusal: &Refusal) -> Diagnostic {
    let name = host.op_name_text(host.op_name(op));
    Diagnostic::error(format!("'{name}' op {refusal}")).at(host.context.loc_span(host.location(op)), "")
}

/// Verification fails after rewriting.
pub(super) fn after_rewriting(error: Diagnostic) -> Diagnostic {
    error.with_note("this is after rewriting; the input is valid")
}

/// Names a rule that may have created an invalid operation.
pub(super) fn created_by(error: Diagnostic, rule: &Pattern, rules: &RuleSet) -> Diagnostic {
    let text = format!(
        "rule '{}', which was applied, creates such operations",
        shown_name(&rules.strings[rule.name])
    );
    match rule.origin {
        Origin::Span(span) => error.note_at(span, text),
        Origin::Rust(_) => error.with_note(text),
    }
}

/// The input of `bench` is empty.
pub(super) fn nothing_to_time() -> Diagnostic {
    Diagnostic::error("the input has no operations, so there is nothing to time")
        .help("give an input on which the rules are meant to run")
}

/// The rules of `bench` never match.
pub(super) fn no_match_to_time(operations: usize) -> Diagnostic {
    let operations = count(operations, "operation");
    Diagnostic::error(format!(
        "no rule matches any of the input's {operations}, so a time would say nothing about the rules"
    ))
    .help("`drrvm explain` shows the predicates that fail at an operation")
}

/// Some figures of `bench` are missing.
pub(super) fn too_short_to_time(seconds: f64) -> Diagnostic {
    let seconds = count(seconds, "second");
    Diagnostic::warning(format!("{seconds} for each engine is too short, so some figures are missing"))
        .help("give more time with `--seconds`, or a longer input")
}

/// The reference engine is selected for a compiled program.
pub(super) fn no_reference() -> Diagnostic {
    Diagnostic::error("`--engine reference` needs the rules, which a compiled program does not contain")
        .help("give the rule files that it was compiled from, or leave out `--engine reference`")
}

/// A stage before the byte code is selected for a compiled program.
pub(super) fn no_such_stage(stage: &str) -> Diagnostic {
    Diagnostic::error(format!("a compiled program does not contain the stage '{stage}'")).help(
        "`--stage bytecode` shows it; for earlier stages, give the rule files that it was compiled from",
    )
}

/// A page with the tree is requested for a compiled program.
pub(super) fn no_tree_to_show() -> Diagnostic {
    Diagnostic::error("`--html` shows the decision tree, which a compiled program does not contain")
        .help("give the rule files that it was compiled from, or leave out `--html`")
}

/// A compiled program would be written to a terminal.
pub(super) fn program_on_terminal() -> Diagnostic {
    Diagnostic::error("a compiled program is binary, and standard output is a terminal")
        .help("name a file with `-o`, or write to a pipe")
}

/// `--engine` names more than two engines.
pub(super) fn too_many_engines(given: usize) -> Diagnostic {
    Diagnostic::error(format!("`equiv` compares two engines, and `--engine` names {given}"))
}

/// One rule set and one engine are given.
pub(super) fn nothing_to_compare() -> Diagnostic {
    Diagnostic::error("there is nothing to compare with")
        .help("name a second rule file, or two engines (`--engine tree,reference`)")
        .help("or check that the rules preserve the meaning of operations (`--mode semantics`)")
}

/// The generator has no operations.
pub(super) fn no_operations<'p>(
    a: &Path,
    b: Option<&Path>,
    empty: impl Iterator<Item = &'p PathBuf>,
) -> Diagnostic {
    let a = a.display();
    let error = match b {
        Some(b) => Diagnostic::error(format!(
            "the rules of '{a}' and '{}' name no operation, so nothing was compared",
            b.display()
        )),
        None => Diagnostic::error(format!("the rules of '{a}' name no operation, so nothing was compared")),
    };
    empty.fold(error, |error, path| error.with_note(format!("'{}' contains no rules", path.display())))
}

/// `--mode semantics` could interpret no module.
pub(super) fn nothing_interpreted(cases: u64) -> Diagnostic {
    let message = match cases {
        1 => "the only module could not be interpreted, so no meanings were compared".to_owned(),
        _ => format!("none of {cases} modules could be interpreted, so no meanings were compared"),
    };
    Diagnostic::warning(message)
        .with_note("operations of 'arith', 'func' and 'cf' with static shapes can be interpreted")
        .help("`--mode rewrite` compares the rewritten modules, with any operations")
}

/// Two rule sets rewrite some modules differently, and `--mode semantics` cannot interpret these modules.
pub(super) fn differences_not_interpreted(modules: u64) -> Diagnostic {
    let (modules, verb) = (count(modules, "module"), if modules == 1 { "was" } else { "were" });
    Diagnostic::warning(format!(
        "{modules} {verb} rewritten differently and cannot be interpreted, so the comparison is not decided"
    ))
    .with_note("operations of 'arith', 'func' and 'cf' with static shapes can be interpreted")
    .help("`--mode rewrite` compares the rewritten modules, with any operations")
}

/// No rule fired in a comparison. `fired` is the verb of the message, "fired" or "matched".
pub(super) fn nothing_fired(cases: u64, fired: &str) -> Diagnostic {
    let cases = count(cases, "case");
    Diagnostic::warning(format!("no rule {fired} on either side in {cases}, so nothing was compared"))
        .help("constraints that are natives or C++ may never hold on random IR")
}

/// An option of `--canonicalize` names a rule that does not exist.
pub(super) fn no_rule_to_canonicalize<'a>(
    option: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    with_suggestion(Diagnostic::warning(format!("'{option}': no rule has the name '{name}'")), name, known)
}

/// Some rules never fired in a comparison. `fired` is the verb of the message, "fired" or "matched".
pub(super) fn rules_never_fired(rules: &[String], cases: u64, fired: &str) -> Diagnostic {
    let (noun, cases) = (if rules.len() == 1 { "rule" } else { "rules" }, count(cases, "case"));
    let names = name_list(rules, MAX_NAMED);
    Diagnostic::warning(format!("{noun} {names} never {fired} in {cases}, so the comparison is not decided"))
        .with_note("the report has the reason for each rule")
        .help("`--cases N` compares more modules, and `--allow-unfired` accepts these rules")
}

/// A rule name is unknown on both sides.
pub(super) fn unknown_on_both<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    let error = Diagnostic::error(format!("no rule has the name or label '{name}', on either side"));
    with_suggestion(error, name, known)
}

/// Rules that cannot run on one side are left out on both sides.
pub(super) fn left_out_on_both(rules: &[String]) -> Diagnostic {
    let (noun, verb) = if rules.len() == 1 { ("rule", "is") } else { ("rules", "are") };
    Diagnostic::warning(format!(
        "{noun} {} {verb} left out on both sides, because natives are not registered",
        name_list(&rules.iter().map(|rule| shown_name(rule).to_owned()).collect::<Vec<_>>(), MAX_NAMED)
    ))
    .with_note("the other rules are compared")
}

/// The rules of one side do not converge for some modules.
pub(super) fn does_not_end(
    side: &str,
    case: u64,
    times: u64,
    stopped: &NotConverged,
    program: &Program,
) -> Diagnostic {
    let modules = count(times, "module");
    let warning = Diagnostic::warning(format!(
        "the rules of '{side}' do not converge for {modules}; the first is case {case}"
    ));
    with_firing_rules(warning, stopped, program)
        .with_note("for these modules, both sides visited each operation once, and the results were compared")
        .help("`--max-rewrites N` allows more rewrites of one module")
}

/// The folder for counterexamples cannot be created.
pub(super) fn cannot_make_dir(dir: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(format!("cannot create the folder '{}': {error}", dir.display()))
}
