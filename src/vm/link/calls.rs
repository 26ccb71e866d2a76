//! Binds the calls of a program's rules to natives.

use std::sync::Arc;

use bitvec::slice::BitSlice;
use bitvec::vec::BitVec;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::{PatternCall, Program, RewriteCallId};
use crate::host::{Bind, ConstraintFn, DependsOn, Facets, InferFn, Kind, Natives, RewriteFn};
use crate::id::{Id, IdVec};
use crate::intern::StrId;
use crate::matcher_tree::{CallId, ConstraintCall, Position, Question};
use crate::pdl::{Arg, Callee, Caller, Linker, NativeCall, NativeRole, PatternId};
use crate::snippet::{Dependency, Linked};
use crate::vm::linked::{Calls, KeyPart, MAX_KEY, SnippetSlots};

/// Binds the calls of all rules except those in `left_out`. A rule that calls a missing native is left out too.
pub(super) fn bind<H: Facets + Bind>(
    program: &Program,
    snippets: &Linked<H>,
    host: &mut H,
    natives: &Natives<H>,
    left_out: &[PatternId],
) -> Calls<H> {
    let mut dropped = vec![false; program.patterns.len()];
    for &pattern in left_out {
        if let Some(dropped) = dropped.get_mut(pattern.index()) {
            *dropped = true;
        }
    }
    let mut binder = Binder {
        program,
        snippets,
        linker: Linker::new(host, natives),
        constraints: vec![None; program.predicates.calls().len()],
        pure: BitVec::repeat(false, program.predicates.calls().len()),
        rewrites: program.rewrite_calls.iter().map(|_| None).collect(),
        inferences: HashMap::default(),
    };
    for pattern in program.patterns.ids() {
        if dropped[pattern.index()] {
            continue;
        }
        // All calls are bound even if one fails, so that all missing natives are reported.
        for &call in program.calls(pattern) {
            dropped[pattern.index()] |= !binder.bind(pattern, call);
        }
    }
    Calls {
        constraints: binder.constraints,
        has_one_answer: one_answer_calls(program, &binder.pure),
        keys: program.predicates.calls().iter().map(|call| key(program, snippets, call)).collect(),
        texts: texts(program),
        rewrites: binder.rewrites,
        inferences: binder.inferences,
        dropped,
        missing: binder.linker.into_missing(),
    }
}

struct Binder<'a, H: Facets + Bind> {
    program: &'a Program,
    snippets: &'a Linked<H>,
    linker: Linker<'a, H>,
    constraints: Vec<Option<Arc<ConstraintFn<H>>>>,
    /// For each constraint call, true if it calls a pure native.
    pure: BitVec,
    rewrites: IdVec<RewriteCallId, Option<Arc<RewriteFn<H>>>>,
    inferences: HashMap<StrId, Arc<InferFn<H>>, FxBuildHasher>,
}

impl<H: Facets + Bind> Binder<'_, H> {
    /// Binds a call of a rule. Returns false if a native is missing.
    fn bind(&mut self, pattern: PatternId, call: PatternCall) -> bool {
        let program = self.program;
        let caller = &Caller { rule: pattern, name: &|| program.pattern_name(pattern).to_owned() };
        match call {
            PatternCall::Constraint(id) => self.constraint(id, caller),
            PatternCall::Rewrite(id) => self.rewrite(id, caller),
            PatternCall::Snippet(snippet) => {
                let at = program.snippets.get(snippet).span;
                self.linker.snippet(&program.snippets, self.snippets, snippet, caller, at)
            }
            PatternCall::Inference { name, span } => {
                let run = self.linker.inference(&program.strings[name], caller, span);
                let found = run.is_some();
                self.inferences.extend(run.map(|run| (name, run)));
                found
            }
        }
    }

    fn constraint(&mut self, id: CallId, caller: &Caller<'_>) -> bool {
        let program = self.program;
        let call = &program.predicates.calls()[id];
        let name = match call.callee {
            Callee::Native(name) => name,
            Callee::Snippet(snippet) => {
                self.constraints[id.index()] = self.snippets.decider(snippet).cloned();
                return true;
            }
        };
        let kind = |p| program.positions.kind(p);
        let wanted = NativeCall {
            name: program.strings[name].to_owned(),
            role: NativeRole::Constraint,
            params: call.args.iter().filter_map(|a| a.kind(kind)).map(Some).collect(),
            results: call.results.iter().copied().map(Some).collect(),
        };
        let Some(native) = self.linker.constraint(wanted, caller, program.predicates.call_span(id)) else {
            return false;
        };
        self.pure.set(id.index(), native.depends_on != DependsOn::Anything);
        self.constraints[id.index()] = Some(native.run);
        true
    }

    fn rewrite(&mut self, id: RewriteCallId, caller: &Caller<'_>) -> bool {
        let program = self.program;
        let call = &program.rewrite_calls[id];
        let name = match call.callee {
            Callee::Native(name) => name,
            Callee::Snippet(snippet) => {
                self.rewrites[id] = self.snippets.native_rewrite(snippet).cloned();
                return true;
            }
        };
        let wanted = NativeCall {
            name: program.strings[name].to_owned(),
            role: NativeRole::Rewrite,
            params: program.rewrite_params(caller.rule, id).into_iter().map(Some).collect(),
            results: call.kinds.iter().copied().map(Some).collect(),
        };
        let run = self.linker.rewrite(wanted, caller, call.span);
        let found = run.is_some();
        self.rewrites[id] = run;
        found
    }
}

/// The string arguments of constraints.
fn texts(program: &Program) -> HashMap<StrId, Arc<str>, FxBuildHasher> {
    let args = program.predicates.calls().iter().flat_map(|call| &call.args);
    let texts = args.filter_map(|arg| match *arg {
        Arg::Str(text) => Some((text, Arc::from(&program.strings[text]))),
        _ => None,
    });
    texts.collect()
}

/// Finds the calls that have one answer for each root. The callee of such a call is a pure native or a snippet, and its
/// arguments depend on no choice and on no call that has several answers.
fn one_answer_calls(program: &Program, pure_natives: &BitSlice) -> Vec<bool> {
    let calls = program.predicates.calls();
    let mut one_answer: Vec<bool> = Vec::with_capacity(calls.len());
    for (call, pure_native) in calls.iter().zip(pure_natives.iter().by_vals()) {
        let pure = match call.callee {
            Callee::Native(_) => pure_native,
            Callee::Snippet(_) => true,
        };
        let stable = call.args.iter().all(|arg| match *arg {
            Arg::Of(p) | Arg::Each(p) => {
                program.starting_call(p).is_none_or(|c: CallId| one_answer[c.index()])
            }
            _ => true,
        });
        one_answer.push(pure && stable && !call.chosen);
    }
    one_answer
}

/// The positions whose types and attributes determine the answer of a call; empty if the answer depends on anything
/// else, or on more than [`MAX_KEY`] types and attributes.
fn key<H: Facets>(program: &Program, snippets: &Linked<H>, call: &ConstraintCall) -> Box<[KeyPart]> {
    let Callee::Snippet(snippet) = call.callee else { return Box::default() };
    let dependencies = snippets.dependencies(&program.snippets, snippet).filter(|_| call.results.is_empty());
    let mut parts = Vec::new();
    for dependency in dependencies.into_iter().flatten() {
        let (Dependency::Input(input) | Dependency::TypeOf(input)) = dependency;
        let part = match call.args.get(input) {
            Some(&Arg::Of(at)) => match (program.positions.kind(at), dependency) {
                (Kind::Type, _) => KeyPart::Type(at),
                (Kind::Attr, _) => KeyPart::Attr(at),
                (Kind::Value, Dependency::TypeOf(_)) => KeyPart::TypeOf(at),
                _ => return Box::default(),
            },
            Some(Arg::Each(_)) | None => return Box::default(),
            // A constant is the same in all evaluations of the call.
            Some(Arg::Attr(_) | Arg::Type(_) | Arg::Int(_) | Arg::Bool(_) | Arg::Str(_)) => continue,
        };
        parts.push(part);
    }
    if parts.len() <= MAX_KEY { parts.into() } else { Box::default() }
}

/// Gives a slot to each snippet whose answers are cached by type or attribute.
pub(super) fn snippet_slots(program: &Program) -> SnippetSlots {
    let mut slots = SnippetSlots::default();
    for (_, question) in program.predicates.iter() {
        if let Question::Holds(snippet, _) = question {
            slots.add(*snippet);
        }
    }
    for (_, position) in program.positions.iter() {
        if let Position::Attribute { storage: Some(snippet), .. } = position {
            slots.add(*snippet);
        }
    }
    slots
}
