//! Snippets that are linked to a host: its names and the natives that it registers.

use std::sync::{Arc, Mutex};

use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use super::budget::ExhaustedSnippets;
use super::failed::FailedRewrites;
use super::number::Number;
use super::predicate::{CompiledPredicate, Dependency};
use super::undecided::UndecidedTests;
use super::value::Val;
use crate::host::{
    AttrNameId, ConstraintFn, CreatedFold, Entity, Facets, Ir, Kind, OpNameId, Overload, RewriteFn, Signature,
};
use crate::id::{Id, IdVec};
use crate::intern::StrId;
use crate::snippet::data::{Cases, EnumId, NativeId, SnippetId, Snippets};

/// The natives that a call can reach. The evaluator chooses one of them by the kinds of the arguments.
pub(super) struct Native<H: Facets> {
    pub(super) rewrites: Vec<Overload<RewriteFn<H>>>,
    pub(super) constraints: Vec<Overload<ConstraintFn<H>>>,
    /// All signatures with the name, for messages.
    pub(super) registered: Vec<Signature>,
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

/// The values of global variables, by their keys.
pub(super) type Globals = Mutex<HashMap<Arc<str>, Number>>;

/// Snippets that are linked to a host. Threads share the value. Only rewrites change its global variables.
pub struct Linked<H: Facets> {
    pub(super) natives: Vec<Native<H>>,
    /// The natives that replace built-in functions and interface tests, by name.
    pub(super) overrides: HashMap<StrId, usize>,
    /// The snippets of constraints that natives replace.
    pub(super) replaced: HashSet<SnippetId>,
    /// For each snippet that a native replaces, or that only passes its arguments to a native, this native.
    pub(super) deciders: IdVec<SnippetId, Option<Arc<ConstraintFn<H>>>>,
    /// For each snippet that only passes its arguments to a native rewrite, this native.
    pub(super) native_rewrites: IdVec<SnippetId, Option<Arc<RewriteFn<H>>>>,
    /// The compact form of each predicate that has one and that no native decides.
    pub(super) compiled: IdVec<SnippetId, Option<CompiledPredicate<H>>>,
    pub(super) mismatches: HashMap<SnippetId, Vec<SignatureMismatch>>,
    pub(super) op_names: HashMap<StrId, OpNameId>,
    /// The string literals, which values share.
    pub(super) texts: HashMap<StrId, Arc<str>>,
    /// The cases of all enumerations.
    pub(super) enums: IdVec<EnumId, Cases>,
    pub(super) attr_names: HashMap<StrId, AttrNameId>,
    pub(super) constant_ops: HashMap<OpNameId, AttrNameId>,
    /// The folds of the operations that snippets create.
    pub(super) folds: HashMap<OpNameId, CreatedFold<H>>,
    pub(super) missing: Vec<NativeId>,
    /// The snippets that exceeded the budget of an evaluation.
    pub(super) exhausted: ExhaustedSnippets,
    /// The class tests that decided nothing, because the class has no definition.
    pub(super) undecided: UndecidedTests,
    /// The snippets whose evaluation failed while rewriting.
    pub(super) failed: FailedRewrites,
    /// The global variables (of source files) that rewrites have changed, each with its value.
    pub(super) globals: Globals,
    /// True if types and attributes may implement interfaces that their definitions do not declare.
    pub(super) allows_attached_interfaces: bool,
}

impl<H: Facets> Native<H> {
    /// The constraint, if the native is a single constraint that returns no result, or one result of a known kind that
    /// is not a range.
    pub(super) fn simple_constraint(&self) -> Option<&Overload<ConstraintFn<H>>> {
        let ([], [constraint]) = (&self.rewrites[..], &self.constraints[..]) else { return None };
        let is_range = |kind: Kind| matches!(kind, Kind::Values | Kind::Types | Kind::Attrs);
        match constraint.signature.results[..] {
            [] => Some(constraint),
            [Some(kind)] if !is_range(kind) => Some(constraint),
            _ => None,
        }
    }

    /// The rewrite for these arguments.
    pub(super) fn rewrite(&self, args: &[Entity<H>]) -> Option<&Overload<RewriteFn<H>>> {
        choose(&self.rewrites, args)
    }

    /// The constraint for these arguments.
    pub(super) fn constraint(&self, args: &[Entity<H>]) -> Option<&Overload<ConstraintFn<H>>> {
        choose(&self.constraints, args)
    }

    pub(super) fn is_registered(&self) -> bool {
        !self.rewrites.is_empty() || !self.constraints.is_empty()
    }
}

/// The best overload for arguments. A single overload is returned without a check, because the overload itself rejects
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

/// Replaces each argument that is an operation by the only result of the operation, if the native takes a value there.
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
    /// matching but registered only as a rewrite. Evaluating a call of one of these natives fails.
    /// [`Snippets::natives`] has the required signatures.
    pub fn missing(&self) -> &[NativeId] {
        &self.missing
    }

    /// Assumes that C++ code may attach any interface to any type or attribute. The test for an interface that a
    /// definition does not declare then fails, unless a native decides it.
    #[must_use]
    pub fn with_attached_interfaces(self) -> Self {
        Self { allows_attached_interfaces: true, ..self }
    }

    /// The snippets that exceeded the budget of an evaluation so far.
    pub(crate) fn exhausted(&self) -> &ExhaustedSnippets {
        &self.exhausted
    }

    /// The class tests that decided nothing so far, because the class has no definition.
    pub(crate) fn undecided(&self) -> &UndecidedTests {
        &self.undecided
    }

    /// The evaluations of rewrites that failed so far.
    pub(crate) fn failed(&self) -> &FailedRewrites {
        &self.failed
    }

    /// Records the failures of evaluations in the lists of `other`, which links the same snippets.
    pub(crate) fn record_failures_in(&mut self, other: &Self) {
        self.exhausted = other.exhausted.clone();
        self.undecided = other.undecided.clone();
        self.failed = other.failed.clone();
    }

    /// True if a native replaces the snippet, so that the natives that the snippet calls are not needed.
    pub(crate) fn is_replaced(&self, id: SnippetId) -> bool {
        self.replaced.contains(&id)
    }

    /// The native that decides a snippet from the snippet's arguments.
    pub(crate) fn decider(&self, id: SnippetId) -> Option<&Arc<ConstraintFn<H>>> {
        self.deciders.get(id)?.as_ref()
    }

    /// The native rewrite that has the same effects and results as a snippet for the same arguments.
    pub(crate) fn native_rewrite(&self, id: SnippetId) -> Option<&Arc<RewriteFn<H>>> {
        self.native_rewrites.get(id)?.as_ref()
    }

    /// The types and attributes that determine the answer of a predicate; `None` if the answer also depends on other
    /// things, or if the predicate has outputs.
    pub(crate) fn dependencies(&self, snippets: &Snippets, id: SnippetId) -> Option<Vec<Dependency>> {
        let snippet = snippets.get(id);
        if snippet.pure && !self.is_replaced(id) && self.overrides.is_empty() {
            return Some((0..snippet.params.len()).map(Dependency::Input).collect());
        }
        self.compiled(id)?.dependencies()
    }

    pub(super) fn compiled(&self, id: SnippetId) -> Option<&CompiledPredicate<H>> {
        self.compiled.get(id)?.as_ref()
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

    /// The text of a string literal, in the form that natives take.
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

/// True if an argument of one kind converts to a parameter of another kind: an operation to its only result.
pub(super) fn is_result_of(arg: Kind, param: Kind) -> bool {
    arg == Kind::Op && param == Kind::Value
}
