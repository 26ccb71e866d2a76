//! The functions that C++ calls: those of `include/drrvm/detail.h`, those that generated code calls
//! (`src/cli/gen_rewriters/runtime.inc` of drrvm), and the entry point of a pass plugin.
//!
//! Invariants of all functions: pointers to objects of MLIR come from the process that loaded the library; each array
//! has as many elements as the length that is passed with it; a pointer to rules was returned by `drrvm_rules_load` or
//! `drrvm_generated_load`; rules are destroyed once, and not used afterwards. A panic ends the process, because it
//! cannot pass into C++.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use drrvm::compile;
use drrvm::source::{Diagnostic, Severity, SourceMap};

use crate::bridge::RewriterRef;
use crate::capi::{Context, Operation};
use crate::foreign::{
    Counts, ENGINE_AUTO, ENGINE_AUTOMATON, RawDriver, RawMessage, RawNative, RawPattern, RawSource, Report,
    RuleCount, Str, Strs, slice,
};
use crate::natives::CxxNative;
use crate::rules::{Driver, EngineChoice, RootPattern, Rules, Source, Tried};

/// The handle of rules in C++.
pub struct RulesHandle(Arc<Rules>);

/// Sends a message without a place.
fn send_message(report: Report, user: *mut c_void, severity: Severity, text: &str) {
    send(report, user, severity, text, ("", 0, 0));
}

fn send(report: Report, user: *mut c_void, severity: Severity, text: &str, place: (&str, u32, u32)) {
    let severity = match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Note => 2,
    };
    let (file, line, column) = place;
    let message = RawMessage { severity, text: Str::new(text), file: Str::new(file), line, column };
    // SAFETY: the function accepts any message during the call.
    unsafe { report(user, &raw const message) }
}

/// Sends a diagnostic: its message at the primary place, and its other parts as notes.
fn send_diagnostic(report: Report, user: *mut c_void, diagnostic: &Diagnostic, sources: &SourceMap) {
    let at = |span| match sources.locate(span) {
        Some(place) => (place.file.name().to_owned(), place.line, place.column),
        None => (String::new(), 0, 0),
    };
    let send = |severity, text: &str, span| {
        let (file, line, column) = at(span);
        send(report, user, severity, text, (&file, line, column));
    };
    let text = match diagnostic.labels.first() {
        Some(label) if !label.text.is_empty() => format!("{}: {}", diagnostic.message, label.text),
        _ => diagnostic.message.clone(),
    };
    send(diagnostic.severity, &text, diagnostic.span());
    for label in diagnostic.labels.iter().skip(1) {
        send(Severity::Note, &label.text, label.span);
    }
    diagnostic.notes.iter().for_each(|note| send(Severity::Note, &note.text, note.span));
    diagnostic.help.iter().for_each(|help| send(Severity::Note, help, diagnostic.span()));
}

/// Registers a native for all rules that are loaded later.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_register_native(native: *const RawNative) {
    // SAFETY: the invariants of the module hold.
    unsafe { CxxNative::new(&*native) }.register();
}

/// Loads rules and links them to a context.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_load(
    context: usize,
    source: *const RawSource,
    report: Report,
    user: *mut c_void,
) -> *mut RulesHandle {
    // SAFETY: the invariants of the module hold.
    let source = unsafe {
        let source = &*source;
        let paths = |paths: Strs| -> Vec<PathBuf> { paths.get().into_iter().map(PathBuf::from).collect() };
        Source {
            files: paths(source.files),
            program: slice(source.program, source.program_size).to_vec(),
            options: compile::Options {
                include_dirs: paths(source.includes),
                defines: source.defines.get(),
                enable: source.enable.get(),
                disable: source.disable.get(),
                ..compile::Options::default()
            },
            scripts: paths(source.scripts),
            allow_missing: source.allow_missing,
            profile: source.profile,
            natives: slice(source.natives, source.native_count)
                .iter()
                .map(|raw| CxxNative::new(raw))
                .collect(),
        }
    };
    match Rules::load(Context(context), source) {
        Ok((rules, warnings)) => {
            warnings.iter().for_each(|warning| send_diagnostic(report, user, warning, rules.sources()));
            Box::into_raw(Box::new(RulesHandle(rules)))
        }
        Err((errors, sources)) => {
            errors.iter().for_each(|error| send_diagnostic(report, user, error, &sources));
            std::ptr::null_mut()
        }
    }
}

/// Destroys rules.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_destroy(rules: *mut RulesHandle) {
    // SAFETY: by the invariants of the module, a function that loads rules returned the pointer.
    drop(unsafe { Box::from_raw(rules) });
}

/// The number of patterns.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_pattern_count(rules: *const RulesHandle) -> usize {
    // SAFETY: the invariants of the module hold.
    unsafe { &*rules }.0.patterns().len()
}

/// A pattern, with a string that lives as long as the rules.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_pattern(rules: *const RulesHandle, index: usize) -> RawPattern {
    // SAFETY: the invariants of the module hold.
    raw_pattern(&unsafe { &*rules }.0.patterns()[index])
}

fn raw_pattern(pattern: &RootPattern) -> RawPattern {
    RawPattern { root: Str::new(pattern.root.as_deref().unwrap_or_default()), benefit: pattern.benefit }
}

/// Tries a pattern on an operation.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_apply(
    rules: *const RulesHandle,
    index: usize,
    op: usize,
    rewriter: RewriterRef,
    reason: Report,
    user: *mut c_void,
) -> i32 {
    // SAFETY: the invariants of the module hold.
    send_refusal(unsafe { &*rules }.0.apply(index, Operation(op), rewriter), reason, user)
}

/// Sends the reason of a refusal. Returns a `DrrvmOutcome`.
fn send_refusal(tried: Tried, reason: Report, user: *mut c_void) -> i32 {
    if let Tried::Refused(why) = &tried {
        send_message(reason, user, Severity::Note, why);
    }
    outcome(&tried)
}

fn outcome(tried: &Tried) -> i32 {
    match tried {
        Tried::NoMatch => 0,
        Tried::Applied => 1,
        Tried::Refused(_) => 2,
    }
}

/// The number of roots.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_root_count(rules: *const RulesHandle) -> usize {
    // SAFETY: the invariants of the module hold.
    unsafe { &*rules }.0.roots().len()
}

/// A root, with a string that lives as long as the rules.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_root(rules: *const RulesHandle, index: usize) -> RawPattern {
    // SAFETY: the invariants of the module hold.
    raw_pattern(&unsafe { &*rules }.0.roots()[index])
}

/// Tries all rules on an operation.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_apply_all(
    rules: *const RulesHandle,
    op: usize,
    rewriter: RewriterRef,
    reason: Report,
    user: *mut c_void,
) -> i32 {
    // SAFETY: the invariants of the module hold.
    send_refusal(unsafe { &*rules }.0.apply_all(Operation(op), rewriter), reason, user)
}

/// Applies all rules inside an operation with drrvm's own driver.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_drive(
    rules: *const RulesHandle,
    op: usize,
    driver: *const RawDriver,
    report: Report,
    user: *mut c_void,
) -> bool {
    // SAFETY: the invariants of the module hold.
    let (rules, raw) = unsafe { (&(*rules).0, &*driver) };
    let driver = if raw.walk {
        Driver::Walk
    } else {
        let RawDriver { top_down, fold, unique_constants, max_iterations, max_rewrites, .. } = *raw;
        Driver::greedy(top_down, fold, unique_constants, max_iterations, max_rewrites)
    };
    let engine = match raw.engine {
        ENGINE_AUTOMATON => EngineChoice::Automaton,
        ENGINE_AUTO => EngineChoice::Auto,
        _ => EngineChoice::Tree,
    };
    match rules.drive(Operation(op), &driver, engine) {
        Ok(()) => true,
        Err(why) => {
            send_message(report, user, Severity::Error, &why);
            false
        }
    }
}

/// Sends the lines of `Rules::explain`.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_explain(
    rules: *const RulesHandle,
    op: usize,
    rule: Str,
    report: Report,
    user: *mut c_void,
) {
    // SAFETY: the invariants of the module hold.
    let lines = unsafe { (*rules).0.explain(Operation(op), &rule.get()) };
    lines.iter().for_each(|line| send_message(report, user, Severity::Note, line));
}

/// Checks that a rule has this name or label, and reports an error if there is no such rule.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_find(
    rules: *const RulesHandle,
    name: Str,
    report: Report,
    user: *mut c_void,
) -> bool {
    // SAFETY: the invariants of the module hold.
    let (rules, name) = unsafe { (&(*rules).0, name.get()) };
    let Err(errors) = rules.find(&name) else { return true };
    errors.iter().for_each(|error| send_diagnostic(report, user, error, rules.sources()));
    false
}

/// The number of operations at which at least one rule matches.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_match(
    rules: *const RulesHandle,
    ops: *const Operation,
    count: usize,
    automaton: bool,
) -> usize {
    // SAFETY: the invariants of the module hold.
    unsafe { (*rules).0.count_matches(slice(ops, count), automaton) }
}

/// Visits an operation and the operations inside it. Returns the number of visits.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_walk(rules: *const RulesHandle, op: usize) -> usize {
    // SAFETY: the invariants of the module hold.
    unsafe { &*rules }.0.walk(Operation(op))
}

/// The numbers of matches, rewrites and refusals up to now.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_counts(rules: *const RulesHandle) -> Counts {
    // SAFETY: the invariants of the module hold.
    let [matches, rewrites, refusals] = unsafe { &*rules }.0.counts();
    Counts { matches, rewrites, refusals }
}

/// Calls a function with each rule and the number of its rewrites.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_count_by_rule(
    rules: *const RulesHandle,
    each: RuleCount,
    user: *mut c_void,
) {
    // SAFETY: the invariants of the module hold.
    for (rule, rewrites) in unsafe { &(*rules).0 }.counts_by_rule() {
        // SAFETY: the function accepts any text during the call.
        unsafe { each(user, Str::new(rule), rewrites) };
    }
}

/// Calls a function with each rule of `Rules::take_recent` and its count.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_take_recent(
    rules: *const RulesHandle,
    each: RuleCount,
    user: *mut c_void,
) {
    // SAFETY: the invariants of the module hold.
    for (rule, rewrites) in unsafe { &(*rules).0 }.take_recent() {
        // SAFETY: the function accepts any text during the call.
        unsafe { each(user, Str::new(rule), rewrites) };
    }
}

/// Writes the profile of rules to a file.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_write_profile(
    rules: *const RulesHandle,
    path: Str,
    operations: u64,
    report: Report,
    user: *mut c_void,
) -> bool {
    // SAFETY: the invariants of the module hold.
    let (rules, path) = unsafe { (&(*rules).0, path.get()) };
    match rules.write_profile(Path::new(&path), operations) {
        Ok(()) => true,
        Err(why) => {
            send_message(report, user, Severity::Error, &why);
            false
        }
    }
}

/// Reports the failures that no call has reported yet: failures of natives in scripts, and expressions or helpers that
/// exceeded their budget. Returns true if a failure is an error.
///
/// # Safety
/// The header states the requirements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rules_failures(
    rules: *const RulesHandle,
    report: Report,
    user: *mut c_void,
) -> bool {
    // SAFETY: the invariants of the module hold.
    let rules = unsafe { &(*rules).0 };
    let failures = rules.new_failures();
    failures.iter().for_each(|failure| send_diagnostic(report, user, failure, rules.sources()));
    failures.has_errors()
}

/// The role by which generated code marks a native whose C++ function does not exist.
const ABSENT: u32 = 3;

/// A function of generated code that receives a message as a text with its length.
pub type SayText = unsafe extern "C" fn(*mut c_void, *const u8, usize);

/// Loads the program in generated code.
///
/// # Safety
/// The header states the requirements for `drrvm_rules_load`. The types in `src/cli/gen_rewriters/runtime.inc` of drrvm
/// have the layout of the types in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_generated_load(
    context: usize,
    program: *const u8,
    size: usize,
    natives: *const RawNative,
    native_count: usize,
    report: SayText,
    user: *mut c_void,
) -> *mut RulesHandle {
    // SAFETY: the invariants of the module hold.
    let (program, natives) = unsafe {
        // If the project does not declare a helper, the built-in native with its name is used.
        let present = slice(natives, native_count).iter().filter(|raw| raw.role != ABSENT);
        let natives = present.map(|raw| CxxNative::new(raw)).collect();
        (slice(program, size).to_vec(), natives)
    };
    let (files, scripts, options) = (Vec::new(), Vec::new(), compile::Options::default());
    let (allow_missing, profile) = (false, false);
    let source = Source { files, program, options, scripts, allow_missing, profile, natives };
    match Rules::load(Context(context), source) {
        Ok((rules, _)) => Box::into_raw(Box::new(RulesHandle(rules))),
        Err((errors, sources)) => {
            let text = drrvm::source::render_classic(&errors, &sources);
            let text = text.trim_end();
            // SAFETY: the function accepts any text during the call.
            unsafe { report(user, text.as_ptr(), text.len()) };
            std::ptr::null_mut()
        }
    }
}

/// Destroys the rules of generated code.
///
/// # Safety
/// The header states the requirements for `drrvm_rules_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_generated_destroy(rules: *mut RulesHandle) {
    // SAFETY: the invariants of the module hold.
    unsafe { drrvm_rules_destroy(rules) }
}

/// The number of patterns.
///
/// # Safety
/// The header states the requirements for `drrvm_rules_pattern_count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_generated_pattern_count(rules: *const RulesHandle) -> usize {
    // SAFETY: the invariants of the module hold.
    unsafe { drrvm_rules_pattern_count(rules) }
}

/// Writes the root of a pattern, and returns its benefit.
///
/// # Safety
/// The header states the requirements for `drrvm_rules_pattern`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_generated_pattern(
    rules: *const RulesHandle,
    index: usize,
    root: *mut *const u8,
    length: *mut usize,
) -> u32 {
    // SAFETY: the invariants of the module hold.
    unsafe {
        let rules: &Rules = &(*rules).0;
        let pattern = &rules.patterns()[index];
        let name = pattern.root.as_deref().unwrap_or_default();
        *root = name.as_ptr();
        *length = name.len();
        u32::from(pattern.benefit)
    }
}

/// Tries a pattern on an operation.
///
/// # Safety
/// The header states the requirements for `drrvm_rules_apply`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_generated_apply(
    rules: *const RulesHandle,
    index: usize,
    op: usize,
    rewriter: RewriterRef,
) -> i32 {
    // SAFETY: the invariants of the module hold.
    outcome(&unsafe { &*rules }.0.apply(index, Operation(op), rewriter))
}

/// Tries one rule on an operation.
///
/// # Safety
/// The header states the requirements for `drrvm_rules_apply`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_generated_apply_rule(
    rules: *const RulesHandle,
    rule: usize,
    op: usize,
    rewriter: RewriterRef,
) -> i32 {
    // SAFETY: the invariants of the module hold.
    outcome(&unsafe { &*rules }.0.apply_rule(rule, Operation(op), rewriter))
}

/// `mlir::PassPluginLibraryInfo`.
#[repr(C)]
pub struct PluginInfo {
    api_version: u32,
    name: *const std::ffi::c_char,
    version: *const std::ffi::c_char,
    register: extern "C" fn(),
}

unsafe extern "C" {
    fn drrvm_cpp_register_passes();
}

extern "C" fn register_passes() {
    // SAFETY: MLIR calls this function once, after it has loaded the library.
    unsafe { drrvm_cpp_register_passes() }
}

/// The entry point of a pass plugin of MLIR.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "MLIR determines the name")]
pub extern "C" fn mlirGetPassPluginInfo() -> PluginInfo {
    let version = concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast();
    PluginInfo { api_version: 1, name: c"drrvm".as_ptr(), version, register: register_passes }
}
