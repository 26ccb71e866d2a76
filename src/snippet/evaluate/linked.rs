//! Snippets that are linked to a host: its names and the natives that it registers.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use super::budget::Exhausted;
use super::entity::is_scalar;
use super::value::Val;
use crate::host::{
    AttrNameId, Bind, ConstraintFn, CreatedFold, Entity, Facets, Ir, Kind, Natives, OpNameId, Overload,
    Overloads, RewriteFn, Signature,
};
use crate::id::{Id, IdVec};
use crate::intern::StrId;
use crate::snippet::data::{
    Cases, ClassKind, EnumId, Expr, ExprId, ExprList, Form, NativeId, NativeUse, Param, Snippet, SnippetId,
    SnippetResult, Snippets,
};
use crate::snippet::library::{ROWS, Receiver};

/// The natives that a call can reach, the best first. There are several only if the kinds of the arguments are unknown
/// before evaluation, or if a constraint and a rewrite have the same name.
pub(super) struct Native<H: Facets> {
    rewrites: Vec<Overload<RewriteFn<H>>>,
    constraints: Vec<Overload<ConstraintFn<H>>>,
    /// All signatures with the name, for messages.
    registered: Vec<Signature>,
}

/// A native that has the name of a constraint or interface, but does not replace it because the signatures differ.
#[derive(Clone, Debug)]
pub struct SignatureMismatch {
    /// The name of a constraint, or `isa<…>` with the name of an interface.
    pub name: StrId,
    /// The kinds of the arguments.
    pub params: Vec<Option<Kind>>,
    /// The signatures of the native.
    pub registered: Vec<Signature>,
}

/// Snippets that are linked to a host. The value is immutable and shared between threads.
pub struct Linked<H: Facets> {
    natives: Vec<Native<H>>,
    /// The natives that replace built-in functions and interface tests, by name.
    overrides: HashMap<StrId, usize>,
    /// The constraints of definitions that natives replace.
    replaced: HashSet<SnippetId>,
    /// The native of each snippet that a native replaces, or that only calls a native with the snippet's arguments.
    deciders: IdVec<SnippetId, Option<Arc<ConstraintFn<H>>>>,
    mismatches: HashMap<SnippetId, Vec<SignatureMismatch>>,
    op_names: HashMap<StrId, OpNameId>,
    /// The string literals, which values share.
    texts: HashMap<StrId, Arc<str>>,
    /// The cases of all enumerations.
    pub(super) enums: IdVec<EnumId, Cases>,
    pub(super) attr_names: HashMap<StrId, AttrNameId>,
    pub(super) constant_ops: HashMap<OpNameId, AttrNameId>,
    /// The folds of the operations that snippets create.
    pub(super) folds: HashMap<OpNameId, CreatedFold<H>>,
    missing: Vec<NativeId>,
    /// The snippets that exceeded the budget of an evaluation.
    pub(super) exhausted: Exhausted,
    /// True if types and attributes may implement interfaces that their definitions do not declare.
    pub(super) attached: bool,
}

impl<H: Facets> Native<H> {
    /// The constraint, if the native is a single constraint that returns no result, or one result that is a Boolean or
    /// an entity of the host.
    pub(super) fn simple_constraint(&self) -> Option<&Overload<ConstraintFn<H>>> {
        let ([], [constraint]) = (&self.rewrites[..], &self.constraints[..]) else { return None };
        let simple = matches!(
            constraint.signature.results[..],
            [] | [Some(Kind::Bool | Kind::Op | Kind::Value | Kind::Type | Kind::Attr)]
        );
        simple.then_some(constraint)
    }

    /// The rewrite for these arguments.
    pub(super) fn rewrite(&self, args: &[Entity<H>]) -> Option<&Overload<RewriteFn<H>>> {
        choose(&self.rewrites, args)
    }

    /// The constraint for these arguments.
    pub(super) fn constraint(&self, args: &[Entity<H>]) -> Option<&Overload<ConstraintFn<H>>> {
        choose(&self.constraints, args)
    }

    fn is_registered(&self) -> bool {
        !self.rewrites.is_empty() || !self.constraints.is_empty()
    }
}

/// The best overload for arguments. A single overload is returned without a check, because it does not hold for
/// arguments of other kinds.
fn choose<'n, H: Ir, F: ?Sized>(overloads: &'n [Overload<F>], args: &[Entity<H>]) -> Option<&'n Overload<F>> {
    if let [one] = overloads {
        return Some(one);
    }
    let kinds: SmallVec<[Option<Kind>; 4]> = args.iter().map(|arg| Some(arg.kind())).collect();
    let fits = overloads.iter().filter_map(|overload| {
        let distance = overload.signature.distance(&kinds, is_result_of)?;
        Some((distance, overload))
    });
    fits.min_by_key(|(distance, _)| *distance).map(|(_, overload)| overload)
}

/// Replaces an operation by its only result if the native takes a value.
pub(super) fn adapt<H: Ir>(signature: &Signature, host: &H, args: &mut [Entity<H>]) {
    for (arg, want) in args.iter_mut().zip(signature.params.iter().flatten()) {
        if let (Entity::Op(op), Some(Kind::Value)) = (&*arg, want)
            && host.result_count(*op) == 1
        {
            *arg = Entity::Value(Some(host.result(*op, 0)));
        }
    }
}

impl<H: Facets> Linked<H> {
    /// The natives that are not registered, that are registered only with another signature, or that are called while
    /// matching but registered only as a rewrite. [`Snippets::natives`] has the required signatures. Evaluating a
    /// snippet that calls one fails.
    pub fn missing(&self) -> &[NativeId] {
        &self.missing
    }

    /// Assumes that C++ code may attach any interface to any type or attribute. Then the test for an interface that a
    /// definition does not declare fails, unless a native decides it.
    #[must_use]
    pub fn with_attached_interfaces(self) -> Self {
        Self { attached: true, ..self }
    }

    /// The snippets that exceeded the budget of an evaluation so far.
    pub(crate) fn exhausted(&self) -> &Exhausted {
        &self.exhausted
    }

    /// Records the snippets that exceed their budget in the list of another link of the same snippets.
    pub(crate) fn record_exhausted_in(&mut self, list: &Exhausted) {
        self.exhausted = list.clone();
    }

    /// True if a native replaces the snippet, so that the natives that the snippet calls are not needed.
    pub(crate) fn is_replaced(&self, id: SnippetId) -> bool {
        self.replaced.contains(&id)
    }

    /// The native that decides a snippet when it is called with the snippet's arguments.
    pub(crate) fn decider(&self, id: SnippetId) -> Option<&Arc<ConstraintFn<H>>> {
        self.deciders.get(id)?.as_ref()
    }

    /// The native that a predicate calls if it does nothing else: `isEven($0, $1)`.
    fn only_native(&self, snippets: &Snippets, snippet: &Snippet) -> Option<Arc<ConstraintFn<H>>> {
        let mut root = snippets.exprs.get(snippet.root)?;
        while let Expr::Truth(inner, _) = root {
            root = snippets.exprs.get(*inner)?;
        }
        let Expr::Native(native, args, ExprList { len: 0, .. }) = *root else { return None };
        if snippet.result != SnippetResult::Predicate || args.len as usize != snippet.params.len() {
            return None;
        }
        let native = self.natives.get(native.index())?.simple_constraint()?;
        let kinds = native.signature.params.as_deref()?;
        // If a parameter is a scalar or range, the evaluator converts the attribute that is passed for it.
        let as_given = |param: &Param| !param.out && !is_scalar(param.ty) && param.ty.form != Form::Range;
        let passes = |((number, &arg), (param, kind)): ((u32, &ExprId), (&Param, &Option<Kind>))| {
            matches!(snippets.exprs.get(arg), Some(&Expr::Param(index)) if index == number)
                && as_given(param)
                && kind.is_none_or(|kind| param.ty.kind() == Some(kind))
        };
        let mut args = (0..).zip(snippets.list(args)).zip(snippet.params.iter().zip(kinds));
        (native.signature.results.is_empty() && kinds.len() == snippet.params.len() && args.all(passes))
            .then(|| native.run.clone())
    }

    /// The natives with the name of the constraint that a snippet defines, or of an interface that it tests, but with
    /// another signature.
    pub fn mismatches(&self, id: SnippetId) -> &[SignatureMismatch] {
        self.mismatches.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The signatures with which a native is registered.
    pub fn registered(&self, id: NativeId) -> &[Signature] {
        self.natives.get(id.index()).map_or(&[], |native| &native.registered)
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
            replaced: HashSet::new(),
            deciders: IdVec::default(),
            mismatches: HashMap::new(),
            op_names: HashMap::new(),
            texts: HashMap::new(),
            enums: snippets.enums.iter().map(|definition| Cases::of(definition, snippets)).collect(),
            attr_names: HashMap::new(),
            constant_ops: HashMap::new(),
            folds: HashMap::new(),
            missing: Vec::new(),
            exhausted: Exhausted::default(),
            attached: false,
        };
        let called = snippets.called_natives();
        for (id, used) in snippets.natives() {
            let name = snippets.str(used.name);
            let native = Native {
                rewrites: if used.matching {
                    Vec::new()
                } else {
                    reachable(natives.find_rewrite(name), &used.params, &|results| returns(results, used))
                },
                constraints: reachable(natives.find_constraint(name), &used.params, &|results| {
                    returns(results, used)
                }),
                registered: registered(natives, name, !used.matching),
            };
            if called[id.index()] && !native.is_registered() {
                linked.missing.push(id);
            }
            linked.natives.push(native);
        }
        let interfaces = snippets.classes.iter().filter_map(|class| match class.kind {
            ClassKind::OneOf(kind, _) | ClassKind::Foreign(kind, _) => {
                Some((snippets.isa_name(class), Some(kind)))
            }
            _ => None,
        });
        let functions =
            ROWS.iter().filter(|row| row.receiver == Receiver::Free).map(|row| (row.name.to_owned(), None));
        for (function, kind) in functions.chain(interfaces) {
            let Some(name) = snippets.strings.find(&function) else { continue };
            let native = match kind {
                Some(kind) => {
                    let one = |results: &[Option<Kind>]| results.len() <= 1;
                    Native {
                        rewrites: reachable(natives.find_rewrite(&function), &[Some(kind)], &one),
                        constraints: reachable(natives.find_constraint(&function), &[Some(kind)], &one),
                        registered: registered(natives, &function, true),
                    }
                }
                None => Native {
                    rewrites: natives.find_rewrite(&function).map(Overloads::all).unwrap_or_default(),
                    constraints: natives.find_constraint(&function).map(Overloads::all).unwrap_or_default(),
                    registered: Vec::new(),
                },
            };
            if native.is_registered() {
                linked.overrides.insert(name, linked.natives.len());
                linked.natives.push(native);
            } else if let Some(kind) = kind.filter(|_| !native.registered.is_empty()) {
                for id in snippets.snippets.ids().filter(|&id| snippets.calls_function(id, name)) {
                    let registered = native.registered.clone();
                    let mismatch = SignatureMismatch { name, params: vec![Some(kind)], registered };
                    linked.mismatches.entry(id).or_default().push(mismatch);
                }
            }
        }
        linked.deciders =
            snippets.snippets.iter().map(|snippet| linked.only_native(snippets, snippet)).collect();
        for (id, snippet) in snippets.snippets.iter_enumerated() {
            let Some(name) = snippet.constraint else { continue };
            let Some(native) = natives.find_constraint(snippets.str(name)) else { continue };
            let kinds: Vec<Option<Kind>> = snippet.inputs().map(|param| param.ty.kind()).collect();
            let tests = native.ranked(&kinds, is_result_of);
            if let Some(test) = tests.into_iter().find(|test| test.signature.results.is_empty()) {
                linked.replaced.insert(id);
                linked.deciders[id] = Some(test.run.clone());
            } else {
                let mismatch = SignatureMismatch { name, params: kinds, registered: native.signatures() };
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
            let name = host.bind_op_name(snippets.str(plan.op));
            linked.op_names.insert(plan.op, name);
            if let Some(fold) = natives.find_fold(snippets.str(plan.op)) {
                linked.folds.insert(name, fold);
            }
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

/// True if an argument converts to a parameter: an operation with one result to its value.
fn is_result_of(arg: Kind, param: Kind) -> bool {
    arg == Kind::Op && param == Kind::Value
}

/// The overloads that a call with these arguments can reach, the best first. If the kinds of all arguments are known,
/// there is at most one such overload.
fn reachable<F: ?Sized>(
    overloads: Option<&Overloads<F>>,
    args: &[Option<Kind>],
    returns: &dyn Fn(&[Option<Kind>]) -> bool,
) -> Vec<Overload<F>> {
    let ranked = overloads.map(|overloads| overloads.ranked(args, is_result_of)).unwrap_or_default();
    let most = if args.contains(&None) { usize::MAX } else { 1 };
    let fitting = ranked.into_iter().filter(|overload| returns(&overload.signature.results));
    fitting.take(most).cloned().collect()
}

/// The signatures of the natives with a name: those of the rewrites, if rewrites can be called and there are any, and
/// otherwise those of the constraints.
fn registered<H: Ir>(natives: &Natives<H>, name: &str, rewrites: bool) -> Vec<Signature> {
    let rewrites = natives.find_rewrite(name).filter(|_| rewrites).map(Overloads::signatures);
    let constraints = || natives.find_constraint(name).map(Overloads::signatures);
    rewrites.or_else(constraints).unwrap_or_default()
}

/// True if a native with these results returns the results that a call requires.
fn returns(results: &[Option<Kind>], used: &NativeUse) -> bool {
    let converts = |(result, wanted): (&Option<Kind>, &Option<Kind>)| match (*result, *wanted) {
        (Some(result), Some(wanted)) => converts_to(result, wanted),
        _ => true,
    };
    match used.results.as_slice() {
        // A native that is used only as a condition may have no result.
        [None | Some(Kind::Bool)] => results.len() <= 1,
        wanted => results.len() == wanted.len() && results.iter().zip(wanted).all(converts),
    }
}
