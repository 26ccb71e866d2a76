//! Snippets that are linked to a host: its names and the natives that it registers.

use std::sync::Arc;

use hashbrown::HashMap;

use super::cases::Cases;
use super::value::Val;
use crate::host::{
    AttrNameId, Bind, ConstraintFn, Entity, Facets, Kind, Natives, OpNameId, RewriteFn, Signature,
};
use crate::id::{Id, IdVec};
use crate::intern::StrId;
use crate::snippet::data::{ClassKind, EnumId, Expr, NativeId, NativeUse, SnippetId, Snippets};
use crate::snippet::library::{ROWS, Receiver};

/// A registered native: a constraint, a rewrite or both.
pub(super) struct Native<H: Facets> {
    /// The signature, if the native has one.
    signature: Option<Signature>,
    pub(super) constraint: Option<Arc<ConstraintFn<H>>>,
    pub(super) rewrite: Option<Arc<RewriteFn<H>>>,
}

/// A native with the name of a constraint or interface, but another signature, so it does not replace it.
#[derive(Clone, Debug)]
pub struct SignatureMismatch {
    /// The name of a constraint, or `isa<…>` with the name of an interface.
    pub name: StrId,
    /// The kinds of the arguments.
    pub params: Vec<Option<Kind>>,
    /// The signature of the native.
    pub registered: Signature,
}

/// Snippets that are linked to a host. The value is immutable and shared between threads.
pub struct Linked<H: Facets> {
    natives: Vec<Native<H>>,
    /// The natives that replace built-in functions and interface tests, by name.
    overrides: HashMap<StrId, usize>,
    /// The natives that replace constraints of definitions.
    pub(super) replaced: HashMap<SnippetId, Arc<ConstraintFn<H>>>,
    mismatches: HashMap<SnippetId, Vec<SignatureMismatch>>,
    op_names: HashMap<StrId, OpNameId>,
    /// The string literals, which values share.
    texts: HashMap<StrId, Arc<str>>,
    /// The cases of all enumerations.
    pub(super) enums: IdVec<EnumId, Cases>,
    pub(super) attr_names: HashMap<StrId, AttrNameId>,
    pub(super) constant_ops: HashMap<OpNameId, AttrNameId>,
    missing: Vec<NativeId>,
    /// True if types and attributes may implement interfaces that their definitions do not declare.
    pub(super) attached: bool,
}

impl<H: Facets> Native<H> {
    /// True if it returns only its truth, or one thing of the host or a Boolean.
    pub(super) fn has_simple_result(&self) -> bool {
        let results = self.signature.as_ref().map(|signature| &*signature.results);
        matches!(results, Some([] | [Kind::Bool | Kind::Op | Kind::Value | Kind::Type | Kind::Attr]))
    }

    /// Replaces an operation by its only result if the native takes a value.
    pub(super) fn adapt(&self, host: &H, args: &mut [Entity<H>]) {
        let Some(params) = self.signature.as_ref().and_then(|s| s.params.as_ref()) else { return };
        for (arg, want) in args.iter_mut().zip(params) {
            if let (Entity::Op(op), Some(Kind::Value)) = (&*arg, want)
                && host.result_count(*op) == 1
            {
                *arg = Entity::Value(Some(host.result(*op, 0)));
            }
        }
    }
}

impl<H: Facets> Linked<H> {
    /// The natives that are not registered, or only with another signature or only as a rewrite although they are called
    /// while matching. [`Snippets::natives`] has the required signatures. Evaluating a snippet that calls one fails.
    pub fn missing(&self) -> &[NativeId] {
        &self.missing
    }

    /// Assumes that C++ code may attach any interface to any type or attribute. Then the test for an interface that a
    /// definition does not declare fails, unless a native decides it.
    #[must_use]
    pub fn with_attached_interfaces(self) -> Self {
        Self { attached: true, ..self }
    }

    /// True if a native replaces the snippet, so that the natives that the snippet calls are not needed.
    pub(crate) fn is_replaced(&self, id: SnippetId) -> bool {
        self.replaced.contains_key(&id)
    }

    /// The natives with the name of the constraint that a snippet defines, or of an interface that it tests, but with
    /// another signature.
    pub fn mismatches(&self, id: SnippetId) -> &[SignatureMismatch] {
        self.mismatches.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The signature with which a native is registered.
    pub fn registered(&self, id: NativeId) -> Option<Signature> {
        self.natives.get(id.index())?.signature.clone()
    }

    pub(super) fn native(&self, index: usize) -> Option<&Native<H>> {
        self.natives.get(index)
    }
    pub(super) fn override_of(&self, name: StrId) -> Option<usize> {
        if self.overrides.is_empty() { None } else { self.overrides.get(&name).copied() }
    }
    /// The value of a string literal.
    pub(super) fn text(&self, snippets: &Snippets, text: StrId) -> Val<H> {
        match self.texts.get(&text) {
            Some(shared) => Val::Str(shared.clone()),
            None => Val::str(snippets.str(text)),
        }
    }

    /// The text of a string literal, which natives take.
    pub(super) fn shared_text(&self, text: StrId) -> Option<Arc<str>> {
        self.texts.get(&text).cloned()
    }

    /// The value of a constant operation; `None` for another operation.
    pub(super) fn constant_of(&self, host: &H, op: H::Op) -> Option<H::Attr> {
        let name = self.constant_ops.get(&host.op_name(op))?;
        host.attr(op, *name)
    }

    pub(super) fn op_name(&self, name: StrId) -> Option<OpNameId> {
        self.op_names.get(&name).copied()
    }
}

impl<H: Facets + Bind> Linked<H> {
    /// Links snippets to a host and the natives that it registers.
    pub fn link(snippets: &Snippets, host: &mut H, natives: &Natives<H>) -> Self {
        let mut linked = Linked {
            natives: Vec::new(),
            overrides: HashMap::new(),
            replaced: HashMap::new(),
            mismatches: HashMap::new(),
            op_names: HashMap::new(),
            texts: HashMap::new(),
            enums: snippets.enums.iter().map(|definition| Cases::of(definition, snippets)).collect(),
            attr_names: HashMap::new(),
            constant_ops: HashMap::new(),
            missing: Vec::new(),
            attached: false,
        };
        let find = |name: &str, matching: bool| {
            let constraint = natives.find_constraint(name);
            let rewrite = natives.find_rewrite(name);
            let signature = match (constraint, rewrite) {
                (_, Some(rewrite)) if !matching => Some(&rewrite.signature),
                (constraint, _) => constraint.map(|c| &c.signature),
            };
            Native {
                signature: signature.cloned(),
                constraint: constraint.map(|n| n.run.clone()),
                rewrite: rewrite.map(|n| n.run.clone()),
            }
        };
        let called = snippets.called_natives();
        for (id, used) in snippets.natives() {
            let native = find(snippets.str(used.name), used.matching);
            if called[id.index()] && !native.signature.as_ref().is_some_and(|found| fits(found, used)) {
                linked.missing.push(id);
            }
            linked.natives.push(native);
        }
        let interfaces = snippets.classes.iter().filter_map(|class| match class.kind {
            ClassKind::OneOf(kind, _) => Some((snippets.isa_name(class), Some(kind))),
            _ => None,
        });
        let functions =
            ROWS.iter().filter(|row| row.receiver == Receiver::Free).map(|row| (row.name.to_owned(), None));
        for (function, kind) in functions.chain(interfaces) {
            let Some(name) = snippets.strings.find(&function) else { continue };
            let native = find(&function, false);
            if let (Some(kind), Some(registered)) = (kind, &native.signature)
                && !(takes(registered, &[Some(kind)]) && registered.results.len() <= 1)
            {
                for id in snippets.snippets.ids().filter(|&id| snippets.calls_function(id, name)) {
                    let mismatch =
                        SignatureMismatch { name, params: vec![Some(kind)], registered: registered.clone() };
                    linked.mismatches.entry(id).or_default().push(mismatch);
                }
                continue;
            }
            if native.constraint.is_some() || native.rewrite.is_some() {
                linked.overrides.insert(name, linked.natives.len());
                linked.natives.push(native);
            }
        }
        for (id, snippet) in snippets.snippets.iter_enumerated() {
            let Some(name) = snippet.constraint else { continue };
            let Some(native) = natives.find_constraint(snippets.str(name)) else { continue };
            let kinds: Vec<Option<Kind>> = snippet.inputs().map(|param| param.ty.kind()).collect();
            if takes(&native.signature, &kinds) && native.signature.results.is_empty() {
                linked.replaced.insert(id, native.run.clone());
            } else {
                let mismatch =
                    SignatureMismatch { name, params: kinds, registered: native.signature.clone() };
                linked.mismatches.entry(id).or_default().push(mismatch);
            }
        }
        let literals = snippets.exprs.iter().filter_map(|expr| match expr {
            Expr::Str(text) => Some((*text, Arc::from(snippets.str(*text)))),
            _ => None,
        });
        linked.texts = literals.collect();
        for class in snippets.classes.iter() {
            if let ClassKind::Op(name) = class.kind {
                linked.op_names.insert(name, host.bind_op_name(snippets.str(name)));
            }
        }
        for plan in snippets.plans.iter() {
            linked.op_names.insert(plan.op, host.bind_op_name(snippets.str(plan.op)));
            for name in plan.attr_names() {
                linked.attr_names.insert(name, host.bind_attr_name(snippets.str(name)));
            }
        }
        for name in snippets.attr_names() {
            linked.attr_names.insert(name, host.bind_attr_name(snippets.str(name)));
        }
        for (&op, &attr) in &snippets.constant_ops {
            let op = host.bind_op_name(snippets.str(op));
            linked.constant_ops.insert(op, host.bind_attr_name(snippets.str(attr)));
        }
        linked
    }
}

/// True if a value of one kind converts to another: an operation to its results, a value to a range of one, an
/// attribute to the value that it holds.
fn converts_to(from: Kind, to: Kind) -> bool {
    from == to
        || matches!(
            (from, to),
            (Kind::Op, Kind::Value | Kind::Values)
                | (Kind::Value, Kind::Values)
                | (Kind::Type, Kind::Types)
                | (
                    Kind::Attr,
                    Kind::Attrs | Kind::Str | Kind::Int | Kind::Bool | Kind::ApInt | Kind::ApFloat
                )
                | (Kind::ApInt | Kind::Bool, Kind::Int)
        )
}

/// True if a native accepts an argument. An operation with one result converts to its value.
fn accepts(param: Kind, arg: Option<Kind>) -> bool {
    arg.is_none_or(|arg| arg == param || (param == Kind::Value && arg == Kind::Op))
}

/// True if a registered native accepts arguments of these kinds.
fn takes(registered: &Signature, args: &[Option<Kind>]) -> bool {
    registered.params.as_ref().is_none_or(|params| {
        params.len() == args.len()
            && params.iter().zip(args).all(|(param, arg)| param.is_none_or(|param| accepts(param, *arg)))
    })
}

/// True if a registered native has the signature of a call.
fn fits(registered: &Signature, used: &NativeUse) -> bool {
    // A native of which only the truth is used may have no result.
    let results_fit = match used.results.as_slice() {
        [None | Some(Kind::Bool)] => registered.results.len() <= 1,
        wanted => {
            registered.results.len() == wanted.len()
                && registered
                    .results
                    .iter()
                    .zip(wanted)
                    .all(|(result, wanted)| wanted.is_none_or(|wanted| converts_to(*result, wanted)))
        }
    };
    takes(registered, &used.params) && results_fit
}
