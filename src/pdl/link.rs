//! Binding a rule set's or program's names to a host: operation and attribute names, constants,
//! natives.
//!
//! Specification: after linking, nothing is looked up by text any more, and every native that is
//! called exists and takes and gives what its callers pass and expect. What is missing is reported
//! all together, each native with the signature to register.

use std::fmt::Write;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::host::{AttrNameId, Bind, ConstraintFn, Kind, Natives, OpNameId, RewriteFn, Signature};
use crate::snippet::{NativeId, SnippetId, Snippets};
use crate::source::{Diagnostic, Diagnostics, Span};

/// What a native is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NativeRole {
    /// While matching.
    Constraint,
    /// While rewriting.
    Rewrite,
}

/// A call of a native: what is passed and what is expected back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NativeCall {
    /// The native's name.
    pub name: String,
    /// What it is called for.
    pub role: NativeRole,
    /// The kinds of the arguments; `None`: known only when it is called.
    pub params: Option<Vec<Kind>>,
    /// The kinds of the results.
    pub results: Vec<Kind>,
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
}

impl MissingNative {
    /// The error to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let NativeCall { name, role, params, results } = &self.call;
        let what = match role {
            NativeRole::Constraint => "constraint",
            NativeRole::Rewrite => "rewrite",
        };
        let wanted = signature(params.as_deref(), results);
        let mut diagnostic = match &self.registered {
            None => Diagnostic::error(format!("native {what} '{name}' is not registered")),
            Some(found) => {
                let found = signature(found.params.as_deref(), &found.results);
                Diagnostic::error(format!("native {what} '{name}' is registered as {found}"))
            }
        };
        let mut places: Vec<Span> = Vec::new();
        for (rule, span) in &self.callers {
            if places.is_empty() {
                diagnostic = diagnostic.at(*span, format!("rule '{rule}' calls it"));
            } else if !places.contains(span) {
                diagnostic = diagnostic.note_at(*span, format!("rule '{rule}' calls it too"));
            }
            places.push(*span);
        }
        diagnostic.help(format!("register it as {wanted}"))
    }
}

/// All missing natives as errors.
pub fn missing_natives(missing: &[MissingNative]) -> Diagnostics {
    let mut out = Diagnostics::default();
    missing.iter().for_each(|native| out.push(native.diagnostic()));
    out
}

fn fits(found: &Signature, call: &NativeCall) -> bool {
    let params = found.params.as_ref().zip(call.params.as_ref());
    params.is_none_or(|(found, wanted)| found == wanted) && found.results == call.results
}

/// `(value, attribute) -> type`.
fn signature(params: Option<&[Kind]>, results: &[Kind]) -> String {
    let list = |kinds: &[Kind]| kinds.iter().map(Kind::to_string).collect::<Vec<_>>().join(", ");
    let mut text = params.map_or_else(|| "(...)".to_owned(), |params| format!("({})", list(params)));
    match results {
        [] => {}
        [one] => write!(text, " -> {one}").expect("writing to a string"),
        _ => write!(text, " -> ({})", list(results)).expect("writing to a string"),
    }
    text
}

/// Binds names and constants to a host, and gathers the natives that are missing.
pub struct Linker<'a, H: Bind> {
    host: &'a mut H,
    natives: &'a Natives<H>,
    missing: Vec<MissingNative>,
    seen: HashMap<NativeCall, usize>,
}

impl<'a, H: Bind> Linker<'a, H> {
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
        rule: &str,
        at: Span,
    ) -> Option<Arc<ConstraintFn<H>>> {
        let found = self.natives.find_constraint(&call.name);
        if let Some(found) = found.filter(|found| fits(&found.signature, &call)) {
            return Some(found.run.clone());
        }
        self.miss(call, found.map(|found| &found.signature), rule, at);
        None
    }

    /// The rewrite that a rule calls so; otherwise it is remembered as missing.
    pub(crate) fn rewrite(&mut self, call: NativeCall, rule: &str, at: Span) -> Option<Arc<RewriteFn<H>>> {
        let found = self.natives.find_rewrite(&call.name);
        if let Some(found) = found.filter(|found| fits(&found.signature, &call)) {
            return Some(found.run.clone());
        }
        self.miss(call, found.map(|found| &found.signature), rule, at);
        None
    }

    fn miss(&mut self, call: NativeCall, registered: Option<&Signature>, rule: &str, at: Span) {
        let next = self.missing.len();
        let index = *self.seen.entry(call.clone()).or_insert(next);
        if index == next {
            self.missing.push(MissingNative { call, registered: registered.cloned(), callers: Vec::new() });
        }
        self.missing[index].callers.push((rule.to_owned(), at));
    }

    /// Whether the natives that a snippet calls are there; those among `missing`, which linking the
    /// snippets found, are remembered.
    pub fn snippet(
        &mut self,
        snippets: &Snippets,
        missing: &[NativeId],
        snippet: SnippetId,
        rule: &str,
        at: Span,
    ) -> bool {
        if missing.is_empty() {
            return true;
        }
        let mut found = true;
        for native in snippets.natives_of(snippet).into_iter().filter(|native| missing.contains(native)) {
            found = false;
            let native = &snippets.natives[native];
            let call = NativeCall {
                name: snippets.str(native.name).to_owned(),
                role: if native.matching { NativeRole::Constraint } else { NativeRole::Rewrite },
                params: native.params.iter().copied().collect(),
                results: native.results.iter().copied().flatten().collect(),
            };
            self.miss(call, None, rule, at);
        }
        found
    }

    /// The natives that are missing, in the order they were asked for.
    pub fn into_missing(self) -> Vec<MissingNative> {
        self.missing
    }
}
