//! Which answers a matcher may remember.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::Program;
use crate::host::{Ir, Natives};
use crate::id::Id;
use crate::matcher_tree::{CallId, Position, Question};
use crate::pdl::{Arg, Callee};
use crate::snippet::SnippetId;

/// Which calls have one answer for a root: those of pure natives and of snippets, on arguments that
/// depend on no choice and on no call that has several.
pub(super) fn remembered_calls<H: Ir>(program: &Program, natives: &Natives<H>) -> Vec<bool> {
    let calls = program.predicates.calls();
    let mut remember: Vec<bool> = Vec::with_capacity(calls.len());
    for call in calls.iter() {
        let pure = match call.callee {
            Callee::Native(name) => {
                natives.find_constraint(&program.strings[name]).is_some_and(|native| native.pure)
            }
            Callee::Snippet(_) => true,
        };
        let stable = call.args.iter().all(|arg| match *arg {
            Arg::Of(p) | Arg::Each(p) => program.call_below(p).is_none_or(|c: CallId| remember[c.index()]),
            _ => true,
        });
        remember.push(pure && stable && !call.chosen);
    }
    remember
}

/// A slot for each snippet whose answers are remembered by type or attribute.
pub(super) fn snippet_slots(program: &Program) -> (HashMap<SnippetId, usize, FxBuildHasher>, usize) {
    let mut slots = HashMap::default();
    let mut add = |snippet: SnippetId| {
        let next = slots.len();
        slots.entry(snippet).or_insert(next);
    };
    for (_, question) in program.predicates.iter() {
        if let Question::Holds(snippet, _) = question {
            add(*snippet);
        }
    }
    for (_, position) in program.positions.iter() {
        if let Position::Attribute { storage: Some(snippet), .. } = position {
            add(*snippet);
        }
    }
    let count = slots.len();
    (slots, count)
}
