//! Binding the calls of a program's rules to natives.

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::{PatternCall, Program, RewriteCallId};
use crate::host::{Bind, ConstraintFn, Facets, InferFn, Natives, RewriteFn};
use crate::id::{Id, IdVec};
use crate::intern::StrId;
use crate::matcher_tree::CallId;
use crate::pdl::{Callee, Linker, MissingNative, NativeCall, NativeRole, PatternId};
use crate::snippet::Linked;

/// The natives that a program calls, and the rules that are left out.
pub(super) struct Calls<H: Facets> {
    /// Of constraints, by call.
    pub(super) constraints: Vec<Option<Arc<ConstraintFn<H>>>>,
    pub(super) rewrites: IdVec<RewriteCallId, Option<Arc<RewriteFn<H>>>>,
    pub(super) inferences: HashMap<StrId, Arc<InferFn<H>>, FxBuildHasher>,
    pub(super) dropped: Vec<bool>,
    pub(super) missing: Vec<MissingNative>,
}

/// Binds what the rules call. A rule of which something is missing is left out, as are those of `left_out`.
pub(super) fn calls<H: Facets + Bind>(
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
        rewrites: program.rewrite_calls.iter().map(|_| None).collect(),
        inferences: HashMap::default(),
    };
    for pattern in program.patterns.ids() {
        if dropped[pattern.index()] {
            continue;
        }
        // All of its calls are asked for, so that all that are missing are known.
        for &call in program.calls(pattern) {
            dropped[pattern.index()] |= !binder.bind(pattern, call);
        }
    }
    Calls {
        constraints: binder.constraints,
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
    rewrites: IdVec<RewriteCallId, Option<Arc<RewriteFn<H>>>>,
    inferences: HashMap<StrId, Arc<InferFn<H>>, FxBuildHasher>,
}

impl<H: Facets + Bind> Binder<'_, H> {
    /// Binds a call of a rule; whether what it calls is there.
    fn bind(&mut self, pattern: PatternId, call: PatternCall) -> bool {
        let program = self.program;
        let rule = &|| program.pattern_name(pattern).to_owned();
        match call {
            PatternCall::Constraint(id) => self.constraint(id, rule),
            PatternCall::Rewrite(id) => self.rewrite(pattern, id, rule),
            PatternCall::Snippet(snippet) => {
                let at = program.snippets.get(snippet).span;
                self.linker.snippet(&program.snippets, self.snippets, snippet, rule, at)
            }
            PatternCall::Inference { name, span } => {
                let run = self.linker.inference(&program.strings[name], rule, span);
                let found = run.is_some();
                self.inferences.extend(run.map(|run| (name, run)));
                found
            }
        }
    }

    fn constraint(&mut self, id: CallId, rule: &dyn Fn() -> String) -> bool {
        let program = self.program;
        let call = &program.predicates.calls()[id];
        let Callee::Native(name) = call.callee else { return true };
        let kind = |p| program.positions.kind(p);
        let wanted = NativeCall {
            name: program.strings[name].to_owned(),
            role: NativeRole::Constraint,
            params: call.args.iter().filter_map(|a| a.kind(kind)).map(Some).collect(),
            results: call.results.iter().copied().map(Some).collect(),
        };
        let run = self.linker.constraint(wanted, rule, program.predicates.call_span(id));
        let found = run.is_some();
        self.constraints[id.index()] = run;
        found
    }

    fn rewrite(&mut self, pattern: PatternId, id: RewriteCallId, rule: &dyn Fn() -> String) -> bool {
        let program = self.program;
        let call = &program.rewrite_calls[id];
        let Callee::Native(name) = call.callee else { return true };
        let wanted = NativeCall {
            name: program.strings[name].to_owned(),
            role: NativeRole::Rewrite,
            params: program.rewrite_params(pattern, id).into_iter().map(Some).collect(),
            results: call.kinds.iter().copied().map(Some).collect(),
        };
        let run = self.linker.rewrite(wanted, rule, call.span);
        let found = run.is_some();
        self.rewrites[id] = run;
        found
    }
}
