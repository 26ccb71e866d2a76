//! Binds the names of rules or programs to a host: those of operations, attributes and natives.
//!
//! Specification: after linking, the names of a rule are not looked up by text. Every native that a linked rule calls
//! is registered with a signature that fits the call. All missing natives are reported together, each with the
//! signature to register.

use std::cmp::Reverse;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use crate::host::{
    AttrNameId, Bind, ConstraintFn, Entity, Facets, InferFn, Ir, Kind, Natives, OpNameId, Overload,
    Overloads, RewriteFn, Signature, show_signature, show_signatures,
};
use crate::pdl::rule_set::PatternId;
use crate::snippet::{Linked, SnippetId, Snippets};
use crate::source::{Diagnostic, Diagnostics, Span, similar};

/// The purpose of a native.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NativeRole {
    /// Called while matching.
    Constraint,
    /// Called while rewriting.
    Rewrite,
    /// Called while rewriting, to compute the result types of new operations. The native has the name of the operation.
    TypeInference,
}

impl std::fmt::Display for NativeRole {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NativeRole::Constraint => "constraint",
            NativeRole::Rewrite => "rewrite",
            NativeRole::TypeInference => "type inference",
        })
    }
}

/// The signature of a call of a native.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NativeCall {
    /// The native's name.
    pub name: String,
    /// The purpose of the call.
    pub role: NativeRole,
    /// The kinds of the arguments; `None` for a kind that is known only during evaluation.
    pub params: Vec<Option<Kind>>,
    /// The kinds of the results; `None` for any kind.
    pub results: Vec<Option<Kind>>,
}

impl NativeCall {
    /// The signature as text: `(value, attribute) -> type`.
    pub fn signature(&self) -> String {
        show_signature(Some(&self.params), &self.results)
    }

    /// The overload of a native that fits the call best; `None` if no overload fits.
    fn choose<'n, F: ?Sized>(&self, found: &'n Overloads<F>) -> Option<&'n Overload<F>> {
        let ranked = found.ranked(&self.params, |_, _| false);
        ranked.into_iter().find(|overload| self.accepts(&overload.signature.results))
    }

    /// True if results of these kinds can be the results of the call.
    fn accepts(&self, found: &[Option<Kind>]) -> bool {
        let accepts = |(found, wanted): (&Option<Kind>, &Option<Kind>)| {
            found.is_none() || wanted.is_none() || found == wanted
        };
        found.len() == self.results.len() && found.iter().zip(&self.results).all(accepts)
    }
}

/// Returns a constraint that calls `run` and holds only if the results have these kinds.
fn with_results<H: Ir>(run: Arc<ConstraintFn<H>>, kinds: Vec<Option<Kind>>) -> Arc<ConstraintFn<H>> {
    let accepts = |(entity, kind): (&Entity<H>, &Option<Kind>)| kind.is_none_or(|kind| entity.kind() == kind);
    Arc::new(move |host, args| {
        let results = run(host, args)?;
        (results.len() == kinds.len() && results.iter().zip(&kinds).all(accepts)).then_some(results)
    })
}

/// A native that is not registered, or is registered with signatures that do not fit.
#[derive(Clone, Debug)]
pub struct MissingNative {
    /// The call.
    pub call: NativeCall,
    /// The registered signatures, in the order of registration.
    pub registered: Vec<Signature>,
    /// The rules with such a call, each with the place of the call, in the order in which they were linked.
    pub callers: Vec<(String, Span)>,
    /// The rule of each of `callers`. Rules can have equal names, or no name.
    rules: Vec<PatternId>,
    /// The name of a registered native that is similar to the name of the call.
    pub similar: Option<String>,
}

impl MissingNative {
    /// The number of rules with such a call.
    pub(crate) fn rule_count(&self) -> usize {
        self.rules.iter().collect::<HashSet<_>>().len()
    }

    /// True if a rule has such a call.
    pub(crate) fn is_called_by(&self, rule: PatternId) -> bool {
        self.rules.contains(&rule)
    }

    /// The places of the calls of a rule.
    pub(crate) fn calls_of(&self, rule: PatternId) -> impl Iterator<Item = Span> {
        let calls = self.rules.iter().zip(&self.callers);
        calls.filter(move |&(&caller, _)| caller == rule).map(|(_, &(_, at))| at)
    }

    /// The error, without places.
    pub fn diagnostic(&self) -> Diagnostic {
        let NativeCall { name, role, .. } = &self.call;
        let signature = self.call.signature();
        let (rules, call, create) = match (self.rule_count(), &self.callers[..]) {
            (1, [(rule, _), ..]) => (format!("rule '{}'", super::shown_name(rule)), "calls", "creates"),
            (count, _) => (format!("{count} rules"), "call", "create"),
        };
        let error = Diagnostic::error(match (&self.registered[..], role) {
            ([], NativeRole::TypeInference) => {
                format!("native {role} '{name}' is not registered, but {rules} {create} such operations")
            }
            ([], _) => {
                format!("native {role} '{name}' is not registered, but {rules} {call} it as {signature}")
            }
            (found, _) => {
                let found = show_signatures(found);
                format!(
                    "native {role} '{name}' is registered as {found}, but {rules} {call} it as {signature}"
                )
            }
        });
        match &self.similar {
            Some(similar) => error.help(format!("did you mean '{similar}'?")),
            None => error,
        }
    }

    /// The error, with the place of each call.
    pub fn diagnostic_with_places(&self) -> Diagnostic {
        let mut diagnostic = self.diagnostic();
        let mut places: Vec<Span> = Vec::new();
        let calls = match self.call.role {
            NativeRole::TypeInference => "creates such an operation",
            _ => "calls it",
        };
        for (rule, span) in &self.callers {
            let rule = super::shown_name(rule);
            if places.is_empty() {
                diagnostic = diagnostic.at(*span, format!("rule '{rule}' {calls}"));
            } else if !places.contains(span) {
                diagnostic = diagnostic.note_at(*span, format!("rule '{rule}' {calls} too"));
            }
            places.push(*span);
        }
        diagnostic
    }
}

/// Missing natives in order of the number of rules that call them, largest first.
///
/// ```
/// use drrvm::{LinkOptions, Matcher, Natives, RuleSet, compile, pdl};
/// # use drrvm::ir::{Context, IrHost, Module};
/// # let mut context = Context::new();
/// # let module = Module::new(&mut context);
/// # let mut host = IrHost::new(context, module);
/// let mut rules = RuleSet::default();
/// let mut rule = rules.pattern("erase_even", 1);
/// let root = rule.op("t.nop").matched();
/// rule.constraint("isEven", [root]);
/// rule.erase(root);
/// rule.finish()?;
/// let program = compile::program(&rules)?.into();
/// let Err(error) = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default()) else {
///     panic!("no native 'isEven' is registered");
/// };
/// let ranked = pdl::rank_missing(error.missing());
/// assert_eq!(ranked[0].call.name, "isEven");
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub fn rank_missing<'m>(missing: impl IntoIterator<Item = &'m MissingNative>) -> Vec<&'m MissingNative> {
    let mut ranked: Vec<&MissingNative> = missing.into_iter().collect();
    ranked.sort_by_cached_key(|native| Reverse(native.rule_count()));
    ranked
}

/// One error for each missing native, in the order of [`rank_missing`].
///
/// ```
/// use drrvm::{LinkOptions, Matcher, Natives, RuleSet, compile, pdl};
/// # use drrvm::ir::{Context, IrHost, Module};
/// # let mut context = Context::new();
/// # let module = Module::new(&mut context);
/// # let mut host = IrHost::new(context, module);
/// let mut rules = RuleSet::default();
/// let mut rule = rules.pattern("erase_even", 1);
/// let root = rule.op("t.nop").matched();
/// rule.constraint("isEven", [root]);
/// rule.erase(root);
/// rule.finish()?;
/// let program = compile::program(&rules)?.into();
/// let Err(error) = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default()) else {
///     panic!("no native 'isEven' is registered");
/// };
/// assert_eq!(pdl::missing_natives(error.missing()).error_count(), 1);
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub fn missing_natives(missing: &[MissingNative]) -> Diagnostics {
    let mut out = Diagnostics::default();
    rank_missing(missing).into_iter().for_each(|native| out.push(native.diagnostic()));
    out
}

/// A rule whose calls are linked.
pub(crate) struct Caller<'a> {
    pub(crate) rule: PatternId,
    pub(crate) name: &'a dyn Fn() -> String,
}

/// Binds names to a host, finds natives, and collects missing natives.
pub(crate) struct Linker<'a, H: Bind> {
    host: &'a mut H,
    natives: &'a Natives<H>,
    missing: Vec<MissingNative>,
    seen: HashMap<NativeCall, usize>,
}

impl<'a, H: Bind + Facets> Linker<'a, H> {
    /// A linker for this host and these natives.
    pub(crate) fn new(host: &'a mut H, natives: &'a Natives<H>) -> Self {
        Self { host, natives, missing: Vec::new(), seen: HashMap::new() }
    }

    pub(crate) fn host(&mut self) -> &mut H {
        self.host
    }

    /// The host's id of an operation name.
    pub(crate) fn op_name(&mut self, name: &str) -> OpNameId {
        self.host.bind_op_name(name)
    }

    /// The host's id of an attribute name.
    pub(crate) fn attr_name(&mut self, name: &str) -> AttrNameId {
        self.host.bind_attr_name(name)
    }

    /// The constraint for a call. If none is registered with a fitting signature, the call is recorded as missing.
    pub(crate) fn constraint(
        &mut self,
        call: NativeCall,
        caller: &Caller<'_>,
        at: Span,
    ) -> Option<Overload<ConstraintFn<H>>> {
        let found = self.natives.find_constraint(&call.name);
        if let Some(chosen) = found.and_then(|found| call.choose(found)) {
            let mut chosen = chosen.clone();
            if chosen.signature.results.contains(&None) {
                chosen.run = with_results(chosen.run, call.results);
            }
            return Some(chosen);
        }
        self.record_missing(call, found.map(Overloads::signatures).unwrap_or_default(), caller, at);
        None
    }

    /// The rewrite for a call. If none is registered with a fitting signature, the call is recorded as missing.
    pub(crate) fn rewrite(
        &mut self,
        call: NativeCall,
        caller: &Caller<'_>,
        at: Span,
    ) -> Option<Arc<RewriteFn<H>>> {
        let found = self.natives.find_rewrite(&call.name);
        if let Some(chosen) = found.and_then(|found| call.choose(found)) {
            return Some(chosen.run.clone());
        }
        self.record_missing(call, found.map(Overloads::signatures).unwrap_or_default(), caller, at);
        None
    }

    /// The type inference for a new operation. If it is not registered, it is recorded as missing.
    pub(crate) fn inference(&mut self, op: &str, caller: &Caller<'_>, at: Span) -> Option<Arc<InferFn<H>>> {
        let found = self.natives.find_inference(op);
        if found.is_none() {
            let role = NativeRole::TypeInference;
            let params = vec![Some(Kind::Values), Some(Kind::Attrs)];
            let call = NativeCall { name: op.to_owned(), role, params, results: vec![Some(Kind::Types)] };
            self.record_missing(call, Vec::new(), caller, at);
        }
        found.cloned()
    }

    fn record_missing(
        &mut self,
        call: NativeCall,
        registered: Vec<Signature>,
        caller: &Caller<'_>,
        at: Span,
    ) {
        let next = self.missing.len();
        let index = *self.seen.entry(call.clone()).or_insert(next);
        if index == next {
            let similar = match call.role {
                _ if !registered.is_empty() => None,
                NativeRole::Constraint => similar(&call.name, self.natives.constraint_names()),
                NativeRole::Rewrite => similar(&call.name, self.natives.rewrite_names()),
                NativeRole::TypeInference => similar(&call.name, self.natives.inference_names()),
            };
            self.missing.push(MissingNative {
                similar: similar.map(str::to_owned),
                call,
                registered,
                callers: Vec::new(),
                rules: Vec::new(),
            });
        }
        self.missing[index].callers.push(((caller.name)(), at));
        self.missing[index].rules.push(caller.rule);
    }

    /// Returns true if the natives that a snippet needs are registered with fitting signatures. Otherwise, records the
    /// missing natives.
    pub(crate) fn snippet(
        &mut self,
        snippets: &Snippets,
        linked: &Linked<H>,
        snippet: SnippetId,
        caller: &Caller<'_>,
        at: Span,
    ) -> bool {
        if linked.is_replaced(snippet) {
            return true;
        }
        let mut found = true;
        for mismatch in linked.mismatches(snippet) {
            found = false;
            let (name, role) = (snippets.str(mismatch.name).to_owned(), NativeRole::Constraint);
            let call = NativeCall { name, role, params: mismatch.params.clone(), results: Vec::new() };
            self.record_missing(call, mismatch.registered.clone(), caller, at);
        }
        let missing = linked.missing();
        for id in snippets.natives_of(snippet).into_iter().filter(|native| missing.contains(native)) {
            found = false;
            let native = &snippets.natives[id];
            let call = NativeCall {
                name: snippets.str(native.name).to_owned(),
                role: if native.matching { NativeRole::Constraint } else { NativeRole::Rewrite },
                params: native.params.clone(),
                results: native.results.clone(),
            };
            self.record_missing(call, linked.registered(id).to_vec(), caller, at);
        }
        found
    }

    /// The missing natives, in the order of the calls.
    pub(crate) fn into_missing(self) -> Vec<MissingNative> {
        self.missing
    }
}
