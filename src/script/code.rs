//! The functions of a loaded file, and their failures.

use std::sync::{Arc, Mutex, PoisonError};

use rhai::{AST, Dynamic, Engine, FnPtr, Position};

use super::call::{Call, QueryOf};
use super::value::Maker;
use super::{answer, error};
use crate::host::{Entity, Facets, IrMut, Refusal};
use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};

/// The maximum number of steps in one run of a function.
pub(super) const STEP_LIMIT: u64 = 1_000_000;
/// The maximum number of different queries in one call.
const QUERY_LIMIT: u32 = 1_000;
/// The maximum depth of function calls.
pub(super) const CALL_DEPTH_LIMIT: usize = 24;
/// The maximum number of failures that are kept.
const FAILURE_LIMIT: usize = 100;

/// The failures of functions, one for each message and place.
#[derive(Default)]
pub(super) struct Failures {
    pub(super) diagnostics: Mutex<Diagnostics>,
}

impl Failures {
    fn add(&self, failure: Diagnostic) {
        let mut diagnostics = self.diagnostics.lock().unwrap_or_else(PoisonError::into_inner);
        let repeated =
            diagnostics.iter().any(|old| old.message == failure.message && old.labels == failure.labels);
        if !repeated && diagnostics.len() < FAILURE_LIMIT {
            diagnostics.push(failure);
        }
    }
}

/// The functions of a loaded file, and the engine that runs them.
pub(super) struct Code {
    pub(super) engine: Engine,
    pub(super) ast: AST,
    pub(super) failures: Arc<Failures>,
    pub(super) name: String,
    pub(super) text: Arc<str>,
    /// The position of the file in its source map.
    pub(super) base: u32,
}

impl Code {
    /// Runs a function again and again until all its queries are answered. Failures without a place are reported at
    /// `place`.
    pub(super) fn run<H: Facets + IrMut>(
        &self,
        function: &FnPtr,
        place: Position,
        args: impl Fn(&Arc<Call<H>>) -> Vec<Dynamic>,
        answer: impl FnMut(&Arc<Call<H>>, &QueryOf<H>) -> Result<Dynamic, String>,
    ) -> Result<Dynamic, Refusal> {
        let call = Call::new();
        let result = self.run_in(&call, function, place, args, answer);
        call.forget();
        result
    }

    fn run_in<H: Facets + IrMut>(
        &self,
        call: &Arc<Call<H>>,
        function: &FnPtr,
        place: Position,
        args: impl Fn(&Arc<Call<H>>) -> Vec<Dynamic>,
        mut answer: impl FnMut(&Arc<Call<H>>, &QueryOf<H>) -> Result<Dynamic, String>,
    ) -> Result<Dynamic, Refusal> {
        for _ in 0..=QUERY_LIMIT {
            call.restart();
            let mut all = vec![Dynamic::from(Maker::new(call))];
            all.append(&mut args(call));
            let failed = match function.call::<Dynamic>(&self.engine, &self.ast, all) {
                Ok(value) => return Ok(value),
                Err(failed) => failed,
            };
            match call.take_pending() {
                Some(query) => match answer(call, &query) {
                    Ok(answer) => call.record(query, answer),
                    Err(reason) => return Err(self.fail(&reason, or(innermost(&failed), place))),
                },
                None => {
                    let add = if is_thrown(&failed) { error::thrown } else { error::while_running };
                    return Err(self.refuse(add, &message(&failed), or(innermost(&failed), place)));
                }
            }
        }
        Err(self.fail(&format!("it makes more than {QUERY_LIMIT} queries to the IR"), place))
    }

    /// Runs a function that only reads the IR; `None` if it fails.
    pub(super) fn ask<H: Facets + IrMut>(
        &self,
        function: &FnPtr,
        place: Position,
        ir: &H,
        args: &[Entity<H>],
    ) -> Option<Dynamic> {
        let args_of = |call: &Arc<Call<H>>| answer::all_to_script(call, args);
        self.run(function, place, args_of, |call, query| answer::answer(ir, call, query)).ok()
    }

    /// Records an error, and returns a refusal.
    pub(super) fn fail(&self, message: &str, at: Position) -> Refusal {
        self.refuse(error::while_running, message, at)
    }

    /// Records a failure, and returns a refusal.
    fn refuse(&self, failure: fn(&str, Span) -> Diagnostic, message: &str, at: Position) -> Refusal {
        let place = place(&self.text, self.base, at);
        self.failures.add(failure(message, place));
        match (at.line(), at.position()) {
            (Some(line), Some(column)) => Refusal::new(format!("{}:{line}:{column}: {message}", self.name)),
            _ => Refusal::new(format!("{}: {message}", self.name)),
        }
    }
}

fn or(at: Position, place: Position) -> Position {
    if at.is_none() { place } else { at }
}

/// True if the script refuses with `throw`.
fn is_thrown(error: &rhai::EvalAltResult) -> bool {
    match error {
        rhai::EvalAltResult::ErrorInFunctionCall(_, _, inner, _) => is_thrown(inner),
        rhai::EvalAltResult::ErrorRuntime(..) => true,
        _ => false,
    }
}

/// The place where the innermost call failed.
pub(super) fn innermost(error: &rhai::EvalAltResult) -> Position {
    match error {
        rhai::EvalAltResult::ErrorInFunctionCall(_, _, inner, at) => {
            let inner = innermost(inner);
            if inner.is_none() { *at } else { inner }
        }
        other => other.position(),
    }
}

/// The message of a failure without its places, which the diagnostic shows by labels.
pub(super) fn message(error: &rhai::EvalAltResult) -> String {
    match error {
        rhai::EvalAltResult::ErrorInFunctionCall(_, _, inner, _) => message(inner),
        rhai::EvalAltResult::ErrorTooManyOperations(_) => format!("it takes more than {STEP_LIMIT} steps"),
        rhai::EvalAltResult::ErrorStackOverflow(_) => {
            format!("functions call each other more than {CALL_DEPTH_LIMIT} levels deep")
        }
        other => {
            let text = other.to_string();
            let text = text.strip_prefix("Runtime error: ").unwrap_or(&text);
            text.rsplit_once(" (line ").map_or(text, |(before, _)| before).to_owned()
        }
    }
}

/// The span of the word at a place.
pub(super) fn span(file: &SourceFile, at: Position) -> Span {
    place(file.text(), file.span(0..0).lo, at)
}

/// The span of the word at a place in a text that starts at `base`.
fn place(text: &str, base: u32, at: Position) -> Span {
    let (Some(line), column) = (at.line(), at.position().unwrap_or(1)) else { return Span::NONE };
    let Some(start) =
        text.split_inclusive('\n').take(line - 1).map(str::len).reduce(|a, b| a + b).or(Some(0))
    else {
        return Span::NONE;
    };
    let rest = text.get(start..).unwrap_or("");
    let skipped: usize = rest.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
    let word = rest[skipped..].chars().take_while(|c| c.is_alphanumeric() || *c == '_');
    let length = word.map(char::len_utf8).sum::<usize>().max(1);
    let number = |n: usize| u32::try_from(n).ok().and_then(|n| base.checked_add(n));
    match (number(start + skipped), number((start + skipped + length).min(text.len()))) {
        (Some(lo), Some(hi)) => Span { lo, hi: hi.max(lo) },
        _ => Span::NONE,
    }
}
