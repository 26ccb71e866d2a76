//! Binding a rule set's or program's names to a host: operation and attribute names, constants,
//! natives.
//!
//! Specification: after linking, nothing is looked up by text any more, and every native that is
//! called exists and takes and gives what its callers pass and expect. What is missing is reported
//! all together, each native with the signature to register.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::host::{
    AttrNameId, Bind, ConstraintFn, Facets, InferFn, Kind, Natives, OpNameId, RewriteFn, Signature,
    show_signature,
};
use crate::snippet::{Linked, SnippetId, Snippets};
use crate::source::{Diagnostic, Diagnostics, Span, similar};

/// What a native is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NativeRole {
    /// While matching.
    Constraint,
    /// While rewriting.
    Rewrite,
    /// While rewriting, for the result types of a new operation of its name.
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

/// A call of a native: what is passed and what is expected back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NativeCall {
    /// The native's name.
    pub name: String,
    /// What it is called for.
    pub role: NativeRole,
    /// The kinds of the arguments; `None`: known only when it is called.
    pub params: Vec<Option<Kind>>,
    /// The kinds of the results; `None`: any.
    pub results: Vec<Option<Kind>>,
}

impl NativeCall {
    /// How it is called: `(value, attribute) -> type`.
    pub fn signature(&self) -> String {
        show_signature(Some(&self.params), &self.results)
    }

    /// Whether a native that is registered so can be called so.
    fn fits(&self, found: &Signature) -> bool {
        let accepts = |found: &[Kind], wanted: &[Option<Kind>]| {
            found.len() == wanted.len()
                && found
                    .iter()
                    .zip(wanted)
                    .all(|(found, wanted)| wanted.is_none_or(|wanted| wanted == *found))
        };
        found.params.as_ref().is_none_or(|params| accepts(params, &self.params))
            && accepts(&found.results, &self.results)
    }
}

/// A native that no rule calling it can use: nobody registered it, or with another signature.
#[derive(Clone, Debug)]
pub struct MissingNative {
    /// How it is called.
    pub call: NativeCall,
    /// How it is registered, if it is.
    pub registered: Option<Signature>,
    /// The rules that call it so, by name and place, in the order they were linked.
    pub callers: Vec<(String, Span)>,
    /// A registered native with a similar name.
    pub similar: Option<String>,
}

impl MissingNative {
    /// The error to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let NativeCall { name, role, .. } = &self.call;
        let mut diagnostic = match &self.registered {
            None => Diagnostic::error(format!("native {role} '{name}' is not registered")),
            Some(found) => Diagnostic::error(format!("native {role} '{name}' is registered as {found}")),
        };
        let mut places: Vec<Span> = Vec::new();
        for (rule, span) in &self.callers {
            let rule = super::shown_name(rule);
            if places.is_empty() {
                diagnostic = diagnostic.at(*span, format!("rule '{rule}' calls it"));
            } else if !places.contains(span) {
                diagnostic = diagnostic.note_at(*span, format!("rule '{rule}' calls it too"));
            }
            places.push(*span);
        }
        if let Some(similar) = &self.similar {
            diagnostic = diagnostic.help(format!("did you mean '{similar}'?"));
        }
        diagnostic.help(match role {
            NativeRole::TypeInference => format!("register what infers the result types of '{name}'"),
            _ => format!("register it as {}", self.call.signature()),
        })
    }
}

/// All missing natives as errors.
pub fn missing_natives(missing: &[MissingNative]) -> Diagnostics {
    let mut out = Diagnostics::default();
    missing.iter().for_each(|native| out.push(native.diagnostic()));
    out
}

/// Binds names and constants to a host, and gathers the natives that are missing.
pub struct Linker<'a, H: Bind> {
    host: &'a mut H,
    natives: &'a Natives<H>,
    missing: Vec<MissingNative>,
    seen: HashMap<NativeCall, usize>,
}

impl<'a, H: Bind + Facets> Linker<'a, H> {
    /// Binds to this host and these natives.
    pub fn new(host: &'a mut H, natives: &'a Natives<H>) -> Self {
        Self { host, natives, missing: Vec::new(), seen: HashMap::new() }
    }

    /// The host.
    pub fn host(&mut self) -> &mut H {
        self.host
    }

    /// The host's number for an operation name.
    pub fn op_name(&mut self, name: &str) -> OpNameId {
        self.host.bind_op_name(name)
    }

    /// The host's number for an attribute name.
    pub fn attr_name(&mut self, name: &str) -> AttrNameId {
        self.host.bind_attr_name(name)
    }

    /// The attribute that this text means; `None`: no operation has it.
    pub fn attr(&mut self, text: &str) -> Option<H::Attr> {
        self.host.bind_attr(text)
    }

    /// The type that this text means; `None`: nothing has it.
    pub fn ty(&mut self, text: &str) -> Option<H::Type> {
        self.host.bind_type(text)
    }

    /// The constraint that a rule calls so; otherwise it is remembered as missing.
    pub(crate) fn constraint(
        &mut self,
        call: NativeCall,
        rule: &dyn Fn() -> String,
        at: Span,
    ) -> Option<Arc<ConstraintFn<H>>> {
        let found = self.natives.find_constraint(&call.name);
        if let Some(found) = found.filter(|found| call.fits(&found.signature)) {
            return Some(found.run.clone());
        }
        self.miss(call, found.map(|found| &found.signature), rule, at);
        None
    }

    /// The rewrite that a rule calls so; otherwise it is remembered as missing.
    pub(crate) fn rewrite(
        &mut self,
        call: NativeCall,
        rule: &dyn Fn() -> String,
        at: Span,
    ) -> Option<Arc<RewriteFn<H>>> {
        let found = self.natives.find_rewrite(&call.name);
        if let Some(found) = found.filter(|found| call.fits(&found.signature)) {
            return Some(found.run.clone());
        }
        self.miss(call, found.map(|found| &found.signature), rule, at);
        None
    }

    /// What infers the result types of a new operation; otherwise it is remembered as missing.
    pub(crate) fn inference(
        &mut self,
        op: &str,
        rule: &dyn Fn() -> String,
        at: Span,
    ) -> Option<Arc<InferFn<H>>> {
        let found = self.natives.find_inference(op);
        if found.is_none() {
            let role = NativeRole::TypeInference;
            let params = vec![Some(Kind::Values), Some(Kind::Attrs)];
            let call = NativeCall { name: op.to_owned(), role, params, results: vec![Some(Kind::Types)] };
            self.miss(call, None, rule, at);
        }
        found.cloned()
    }

    fn miss(
        &mut self,
        call: NativeCall,
        registered: Option<&Signature>,
        rule: &dyn Fn() -> String,
        at: Span,
    ) {
        let next = self.missing.len();
        let index = *self.seen.entry(call.clone()).or_insert(next);
        if index == next {
            let similar = match (registered, call.role) {
                (Some(_), _) => None,
                (None, NativeRole::Constraint) => similar(&call.name, self.natives.constraint_names()),
                (None, NativeRole::Rewrite) => similar(&call.name, self.natives.rewrite_names()),
                (None, NativeRole::TypeInference) => similar(&call.name, self.natives.inference_names()),
            };
            self.missing.push(MissingNative {
                similar: similar.map(str::to_owned),
                call,
                registered: registered.cloned(),
                callers: Vec::new(),
            });
        }
        self.missing[index].callers.push((rule(), at));
    }

    /// Whether the natives that a snippet calls are there; those that linking the snippets found to be
    /// missing are remembered.
    pub fn snippet(
        &mut self,
        snippets: &Snippets,
        linked: &Linked<H>,
        snippet: SnippetId,
        rule: &dyn Fn() -> String,
        at: Span,
    ) -> bool {
        let mut found = true;
        for mismatch in linked.mismatches(snippet) {
            found = false;
            let (name, role) = (snippets.str(mismatch.name).to_owned(), NativeRole::Constraint);
            let call = NativeCall { name, role, params: mismatch.params.clone(), results: Vec::new() };
            self.miss(call, Some(&mismatch.registered), rule, at);
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
            self.miss(call, linked.registered(id).as_ref(), rule, at);
        }
        found
    }

    /// The natives that are missing, in the order they were asked for.
    pub fn into_missing(self) -> Vec<MissingNative> {
        self.missing
    }
}
