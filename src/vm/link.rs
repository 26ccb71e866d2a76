//! Binding a program to a host, once: names, constants, natives and snippets.

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::{PatternCall, Program};
use crate::host::{AttrNameId, Bind, Entity, Facets, Ir, Kind, Natives, OpNameId, RewriteFn};
use crate::id::{Id, IdVec};
use crate::intern::StrId;
use crate::log::span;
use crate::matcher_tree::{CallId, Position, Question, is_plain};
use crate::pdl::{Arg, Callee, Constant, PatternId, TypeRecipe};
use crate::pdl::{Linker, MissingNative, NativeCall, NativeRole, missing_natives};
use crate::snippet::{Linked, SnippetId};
use crate::source::Diagnostics;

use super::Matcher;
use super::signature::{self, SignatureDifference};

/// How to link.
#[derive(Clone, Debug, Default)]
pub struct LinkOptions {
    /// Whether rules that call missing natives are left out. Otherwise linking fails.
    pub allow_missing: bool,
    /// Rules to leave out; see [`Program::unselected`]. Their natives may be missing.
    pub left_out: Vec<PatternId>,
}

/// Why a program cannot be linked to a host.
#[derive(Debug)]
pub struct LinkError {
    missing: Vec<MissingNative>,
    differences: Vec<SignatureDifference>,
}

impl LinkError {
    /// The natives that are missing, each with the signature to register.
    pub fn missing(&self) -> &[MissingNative] {
        &self.missing
    }

    /// The operations that the host defines differently from what the program was compiled against.
    pub fn differences(&self) -> &[SignatureDifference] {
        &self.differences
    }

    /// One error for each missing native and each difference.
    pub fn diagnostics(&self) -> Diagnostics {
        let mut errors = missing_natives(&self.missing);
        self.differences.iter().for_each(|difference| errors.push(difference.diagnostic()));
        errors
    }
}

impl std::fmt::Display for LinkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let missing: Vec<&str> = self.missing.iter().map(|m| m.call.name.as_str()).collect();
        if !missing.is_empty() {
            write!(f, "natives are not registered: {}", missing.join(", "))?;
        }
        let ops: Vec<&str> = self.differences.iter().map(|d| d.op.as_str()).collect();
        if !ops.is_empty() {
            let sign = if missing.is_empty() { "" } else { "; " };
            write!(f, "{sign}operations have another signature: {}", ops.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for LinkError {}

impl From<LinkError> for Diagnostics {
    fn from(error: LinkError) -> Self {
        error.diagnostics()
    }
}

pub(super) fn link<H: Facets + Bind>(
    program: Arc<Program>,
    host: &mut H,
    natives: &Natives<H>,
    options: &LinkOptions,
) -> Result<Matcher<H>, LinkError> {
    span!("link", rules = program.patterns.len());
    let snippets = Linked::link(&program.snippets, host, natives);
    let mut tables = Tables::<H> {
        program: &program,
        snippets: &snippets,
        attr_names: vec![None; program.strings.len()],
        known: HashMap::default(),
    };
    tables.names(host);
    tables.constants(host);
    let Tables { attr_names, known, .. } = tables;

    let mut attrs = Vec::with_capacity(program.positions.constants().len());
    let mut types = Vec::with_capacity(program.positions.constants().len());
    let (mut attr_keys, mut type_keys) = (HashMap::default(), HashMap::default());
    for (id, &(kind, constant)) in program.positions.constants().iter_enumerated() {
        let bound = known.get(&(kind, constant)).copied();
        let plain = matches!(constant, Constant::Text(text) if is_plain(kind, &program.strings[text]));
        let attr = bound.and_then(|b| if let Bound::Attr(a) = b { Some(a) } else { None });
        let ty = bound.and_then(|b| if let Bound::Type(t) = b { Some(t) } else { None });
        if let Some(attr) = attr.filter(|_| plain) {
            attr_keys.insert(attr, id);
        }
        if let Some(ty) = ty.filter(|_| plain) {
            type_keys.insert(ty, id);
        }
        attrs.push(attr);
        types.push(ty);
    }

    let names: Vec<OpNameId> =
        program.op_names.iter().map(|&name| host.bind_op_name(&program.strings[name])).collect();
    let size = names.iter().map(|n| n.index() + 1).max().unwrap_or(0);
    let mut numbers = vec![u32::MAX; size];
    for (number, name) in (0u32..).zip(&names) {
        numbers[name.index()] = number;
    }
    let mut roots = vec![program.any; size];
    for &(name, at) in &program.entries {
        roots[names[name as usize].index()] = at;
    }

    let mut linker = Linker::new(host, natives);
    let mut constraints = vec![None; program.predicates.calls().len()];
    let mut rewrites: IdVec<_, Option<Arc<RewriteFn<H>>>> =
        program.rewrite_calls.iter().map(|_| None).collect();
    let mut inferences = HashMap::default();
    let mut dropped = vec![false; program.patterns.len()];
    for &pattern in &options.left_out {
        if let Some(dropped) = dropped.get_mut(pattern.index()) {
            *dropped = true;
        }
    }
    for pattern in program.patterns.ids() {
        if dropped[pattern.index()] {
            continue;
        }
        let rule = &|| program.pattern_name(pattern).to_owned();
        for call in program.calls(pattern) {
            let found = match *call {
                PatternCall::Constraint(id) => {
                    let call = &program.predicates.calls()[id];
                    match call.callee {
                        Callee::Snippet(_) => true,
                        Callee::Native(name) => {
                            let kind = |p| program.positions.kind(p);
                            let wanted = NativeCall {
                                name: program.strings[name].to_owned(),
                                role: NativeRole::Constraint,
                                params: call.args.iter().filter_map(|a| a.kind(kind)).map(Some).collect(),
                                results: call.results.iter().copied().map(Some).collect(),
                            };
                            let at = program.predicates.call_span(id);
                            let run = linker.constraint(wanted, rule, at);
                            let found = run.is_some();
                            constraints[id.index()] = run;
                            found
                        }
                    }
                }
                PatternCall::Rewrite(id) => {
                    let call = &program.rewrite_calls[id];
                    match call.callee {
                        Callee::Snippet(_) => true,
                        Callee::Native(name) => {
                            let wanted = NativeCall {
                                name: program.strings[name].to_owned(),
                                role: NativeRole::Rewrite,
                                params: program.rewrite_params(pattern, id).into_iter().map(Some).collect(),
                                results: call.kinds.iter().copied().map(Some).collect(),
                            };
                            let run = linker.rewrite(wanted, rule, call.span);
                            let found = run.is_some();
                            rewrites[id] = run;
                            found
                        }
                    }
                }
                PatternCall::Snippet(snippet) => {
                    let at = program.snippets.get(snippet).span;
                    linker.snippet(&program.snippets, &snippets, snippet, rule, at)
                }
                PatternCall::Inference { name, span } => {
                    let run = linker.inference(&program.strings[name], rule, span);
                    let found = run.is_some();
                    inferences.extend(run.map(|run| (name, run)));
                    found
                }
            };
            dropped[pattern.index()] |= !found;
        }
    }
    let missing = linker.into_missing();
    let differences = signature::differences(&program, host);
    if !differences.is_empty() || !missing.is_empty() && !options.allow_missing {
        return Err(LinkError { missing, differences });
    }
    let hooks = natives.hooks(host);
    let remember_call = remembered_calls(&program, natives);
    let (snippet_slots, remembered) = snippet_slots(&program);
    let args = program.predicates.calls().iter().flat_map(|call| &call.args);
    let texts = args.filter_map(|arg| match *arg {
        Arg::Str(text) => Some((text, Arc::from(&program.strings[text]))),
        _ => None,
    });
    let texts = texts.collect();
    Ok(Matcher {
        any: program.any,
        program,
        roots,
        numbers,
        names,
        attr_names: attr_names
            .into_iter()
            .map(|name| name.unwrap_or(AttrNameId::from_raw(u32::MAX)))
            .collect(),
        attrs,
        types,
        attr_keys,
        type_keys,
        known,
        texts,
        constraints,
        remember_call,
        rewrites,
        inferences,
        hooks,
        dropped,
        missing,
        snippets,
        snippet_slots,
        remembered,
    })
}

/// A constant as the host has it.
pub(super) enum Bound<H: Ir> {
    Attr(H::Attr),
    Type(H::Type),
}

impl<H: Ir> Clone for Bound<H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H: Ir> Copy for Bound<H> {}

pub(super) type Known<H> = HashMap<(Kind, Constant), Bound<H>, FxBuildHasher>;

struct Tables<'a, H: Facets> {
    program: &'a Program,
    snippets: &'a Linked<H>,
    attr_names: Vec<Option<AttrNameId>>,
    known: Known<H>,
}

impl<H: Facets + Bind> Tables<'_, H> {
    fn names(&mut self, host: &mut H) {
        let program = self.program;
        for name in program.bound_attr_names() {
            self.attr_name(host, name);
        }
    }

    fn attr_name(&mut self, host: &mut H, name: StrId) {
        if self.attr_names[name.index()].is_none() {
            self.attr_names[name.index()] = Some(host.bind_attr_name(&self.program.strings[name]));
        }
    }

    fn constants(&mut self, host: &mut H) {
        let program = self.program;
        for &(kind, constant) in program.positions.constants().iter() {
            self.constant(host, kind, constant);
        }
        let calls = program.predicates.calls().iter();
        let args = calls.flat_map(|c| c.args.iter().map(constant_of));
        let rewrite_args = program.rewrite_calls.iter().flat_map(|c| c.args.iter().map(constant_of));
        for (kind, constant) in args.chain(rewrite_args).flatten() {
            self.constant(host, kind, constant);
        }
        for op in program.ops.iter() {
            for recipe in op.result_types.iter().flatten() {
                let mut recipe = recipe;
                while let TypeRecipe::Transform(_, inner) = recipe {
                    recipe = inner;
                }
                if let TypeRecipe::Fixed(constant) = recipe {
                    self.constant(host, Kind::Type, *constant);
                }
            }
        }
    }

    fn constant(&mut self, host: &mut H, kind: Kind, constant: Constant) {
        if self.known.contains_key(&(kind, constant)) {
            return;
        }
        let bound = match constant {
            Constant::Text(text) => {
                let text = &self.program.strings[text];
                match kind {
                    Kind::Type => host.bind_type(text).map(Bound::Type),
                    _ => host.bind_attr(text).map(Bound::Attr),
                }
            }
            Constant::Snippet(snippet) => {
                match (kind, self.snippets.make(&self.program.snippets, snippet, host)) {
                    (Kind::Type, Ok(Entity::Type(ty))) => Some(Bound::Type(ty)),
                    (Kind::Attr, Ok(Entity::Attr(Some(attr)))) => Some(Bound::Attr(attr)),
                    _ => None,
                }
            }
        };
        self.known.extend(bound.map(|bound| ((kind, constant), bound)));
    }
}

fn constant_of<N>(arg: &Arg<N>) -> Option<(Kind, Constant)> {
    match *arg {
        Arg::Attr(constant) => Some((Kind::Attr, constant)),
        Arg::Type(constant) => Some((Kind::Type, constant)),
        _ => None,
    }
}

/// Which calls have one answer for a root: those of pure natives and of snippets, on arguments that
/// depend on no choice and on no call that has several.
fn remembered_calls<H: Ir>(program: &Program, natives: &Natives<H>) -> Vec<bool> {
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
fn snippet_slots(program: &Program) -> (HashMap<SnippetId, usize, FxBuildHasher>, usize) {
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
