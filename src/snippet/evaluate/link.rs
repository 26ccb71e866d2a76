//! Snippets bound to a host: names, natives, and the ways to evaluate.

use std::sync::Arc;

use hashbrown::HashMap;
use smallvec::smallvec;

use super::enums::Cases;
use super::value::Val;
use super::world::{Linking, Matching, Rewriting, World};
use super::{Evaluator, Few, STEP_LIMIT, as_param, direct, fail, from_entity, is_true, to_entity};
use crate::host::{
    AttrNameId, Bind, ConstraintFn, Entity, Facets, IrMut, Kind, Natives, OpNameId, Refusal, RewriteFn,
    Rewriter, Signature,
};
use crate::id::{Id, IdVec};
use crate::intern::StrId;
use crate::snippet::data::{ClassKind, Expr};
use crate::snippet::library::{ROWS, Receiver};
use crate::snippet::{EnumId, NativeId, NativeUse, Snippet, SnippetId, SnippetResult, Snippets};

/// A native as it is registered: one or both of these.
pub(super) struct Native<H: Facets> {
    /// What it takes, if it says so: both, where both are registered.
    signature: Option<Signature>,
    pub(super) constraint: Option<Arc<ConstraintFn<H>>>,
    pub(super) rewrite: Option<Arc<RewriteFn<H>>>,
}

/// What an evaluation gives, and what it binds: an entry a parameter.
type Given<H> = (Val<H>, Few<Option<Val<H>>>);

/// A native that has the name of what it is to replace, and takes or gives something else.
#[derive(Clone, Debug)]
pub struct Misfit {
    /// The name: of a constraint, or `isa<…>` of an interface.
    pub name: StrId,
    /// What it is asked about.
    pub params: Vec<Option<Kind>>,
    /// How it is registered.
    pub registered: Signature,
}

/// Snippets bound to a host: immutable, shared by all who evaluate.
pub struct Linked<H: Facets> {
    natives: Vec<Native<H>>,
    overrides: HashMap<StrId, usize>,
    /// Natives in the place of constraints of definitions.
    replaced: HashMap<SnippetId, Arc<ConstraintFn<H>>>,
    misfits: HashMap<SnippetId, Vec<Misfit>>,
    op_names: HashMap<StrId, OpNameId>,
    /// The string literals, as values share them.
    texts: HashMap<StrId, Arc<str>>,
    /// The enumerations of the table, with their texts at hand.
    pub(super) enums: IdVec<EnumId, Cases>,
    pub(super) attr_names: HashMap<StrId, AttrNameId>,
    pub(super) constant_ops: HashMap<OpNameId, AttrNameId>,
    missing: Vec<NativeId>,
    /// Whether what is defined may have more interfaces than its definition declares.
    pub(super) attached: bool,
}

impl<H: Facets> Native<H> {
    /// The arguments as the native wants them: an operation with one result for its value.
    pub(super) fn adapt(&self, host: &H, args: &mut [Entity<H>]) {
        let Some(params) = self.signature.as_ref().and_then(|s| s.params.as_ref()) else { return };
        for (arg, want) in args.iter_mut().zip(params) {
            if let (Entity::Op(op), Kind::Value) = (&*arg, want)
                && host.result_count(*op) == 1
            {
                *arg = Entity::Value(Some(host.result(*op, 0)));
            }
        }
    }
}

impl<H: Facets> Linked<H> {
    /// The natives that nobody registered, or with another signature, or only for rewriting where
    /// one is asked while matching. The signatures wanted are [`Snippets::natives`]'s; evaluating a
    /// snippet that calls one fails.
    pub fn missing(&self) -> &[NativeId] {
        &self.missing
    }

    /// Takes no type or attribute to lack an interface: its definition need not declare what C++ attaches. To
    /// be asked for one that is not declared fails then, where no native says it.
    #[must_use]
    pub fn with_attached_interfaces(self) -> Self {
        Self { attached: true, ..self }
    }

    /// The natives that have the names of the constraint that a snippet is and of interfaces that it asks for,
    /// but take or give something else.
    pub fn misfits(&self, id: SnippetId) -> &[Misfit] {
        self.misfits.get(&id).map_or(&[], Vec::as_slice)
    }

    /// How a native is registered, if it is.
    pub fn registered(&self, id: NativeId) -> Option<Signature> {
        self.natives.get(id.index())?.signature.clone()
    }

    pub(super) fn native(&self, index: usize) -> Option<&Native<H>> {
        self.natives.get(index)
    }
    pub(super) fn override_of(&self, name: StrId) -> Option<usize> {
        if self.overrides.is_empty() { None } else { self.overrides.get(&name).copied() }
    }
    /// A string literal.
    pub(super) fn text(&self, snippets: &Snippets, text: StrId) -> Val<H> {
        match self.texts.get(&text) {
            Some(shared) => Val::Str(shared.clone()),
            None => Val::str(snippets.str(text)),
        }
    }

    /// The value of the constant that an operation is.
    pub(super) fn constant_of(&self, host: &H, op: H::Op) -> Option<H::Attr> {
        let name = self.constant_ops.get(&host.op_name(op))?;
        host.attr(op, *name)
    }

    pub(super) fn op_name(&self, name: StrId) -> Option<OpNameId> {
        self.op_names.get(&name).copied()
    }

    fn run(
        &self,
        snippets: &Snippets,
        id: SnippetId,
        world: &mut dyn World<H>,
        args: &[Entity<H>],
    ) -> Result<Given<H>, Refusal> {
        let Some(snippet) = snippets.snippets.get(id) else { return fail("there is no such snippet") };
        if snippet.inputs().count() != args.len() {
            return fail(format!(
                "the snippet takes {} arguments, {} are given",
                snippet.inputs().count(),
                args.len()
            ));
        }
        let mut evaluator = Evaluator {
            snippets,
            linked: self,
            world,
            params: &[],
            locals: smallvec![Val::Null; snippet.locals as usize],
            outputs: smallvec![None; snippet.params.len()],
            declared: snippet,
            steps: STEP_LIMIT,
            depth: 0,
            unknown: false,
        };
        let mut params: Few<_> = smallvec![Val::Null; snippet.params.len()];
        let mut args = args.iter();
        for (value, param) in params.iter_mut().zip(&snippet.params).filter(|(_, param)| !param.out) {
            if let Some(arg) = args.next() {
                *value = as_param(&mut evaluator, from_entity(arg.clone()), param.ty)?;
            }
        }
        let mut evaluator = Evaluator { params: &params, ..evaluator };
        let value = evaluator.eval(snippet.root)?;
        Ok((value, evaluator.outputs))
    }

    /// Whether a predicate holds; if so, what it binds.
    ///
    /// # Errors
    /// Evaluation failed: the predicate does not hold, negated or not.
    pub fn holds(
        &self,
        snippets: &Snippets,
        id: SnippetId,
        host: &H,
        args: &[Entity<H>],
    ) -> Result<Option<Vec<Entity<H>>>, Refusal> {
        if let Some(native) = self.replaced.get(&id) {
            return Ok(native(host, args));
        }
        // PERF: an evaluation takes many times as long.
        if let Some(found) = direct::holds(self, snippets, id, host, args) {
            debug_assert!(self.evaluated(snippets, id, host, args).is_ok_and(|value| same(&value, &found)));
            return Ok(found);
        }
        self.evaluated(snippets, id, host, args)
    }

    fn evaluated(
        &self,
        snippets: &Snippets,
        id: SnippetId,
        host: &H,
        args: &[Entity<H>],
    ) -> Result<Option<Vec<Entity<H>>>, Refusal> {
        let mut world = Matching(host);
        let (value, mut outputs) = self.run(snippets, id, &mut world, args)?;
        if !is_true(&value) {
            return Ok(None);
        }
        let mut bound = Vec::new();
        for (param, output) in snippets.get(id).params.iter().zip(outputs.iter_mut()) {
            if param.out {
                let Some(value) = output.take() else { return fail("the snippet leaves an output unbound") };
                bound.push(to_entity(value, param.ty.kind())?);
            }
        }
        Ok(Some(bound))
    }

    /// What a snippet gives while matching.
    ///
    /// # Errors
    /// Evaluation failed, or gives a type or attribute that the host does not have.
    pub fn value(
        &self,
        snippets: &Snippets,
        id: SnippetId,
        host: &H,
        args: &[Entity<H>],
    ) -> Result<Vec<Entity<H>>, Refusal> {
        let mut world = Matching(host);
        let (value, _) = self.run(snippets, id, &mut world, args)?;
        results(snippets.get(id), value)
    }
}

impl<H: Facets + Bind> Linked<H> {
    /// Binds snippets to a host and the natives it registers.
    pub fn link(snippets: &Snippets, host: &mut H, natives: &Natives<H>) -> Self {
        let mut linked = Linked {
            natives: Vec::new(),
            overrides: HashMap::new(),
            replaced: HashMap::new(),
            misfits: HashMap::new(),
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
                    let misfit = Misfit { name, params: vec![Some(kind)], registered: registered.clone() };
                    linked.misfits.entry(id).or_default().push(misfit);
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
            let given: Vec<Option<Kind>> = snippet.inputs().map(|param| param.ty.kind()).collect();
            if takes(&native.signature, &given) && native.signature.results.is_empty() {
                linked.replaced.insert(id, native.run.clone());
            } else {
                let misfit = Misfit { name, params: given, registered: native.signature.clone() };
                linked.misfits.entry(id).or_default().push(misfit);
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

    /// The type or attribute that a snippet without parameters gives, made if the host lacks it.
    ///
    /// # Errors
    /// Evaluation failed, or the host cannot make it.
    pub fn make(&self, snippets: &Snippets, id: SnippetId, host: &mut H) -> Result<Entity<H>, Refusal> {
        let (value, _) = self.run(snippets, id, &mut Linking(host), &[])?;
        to_entity(value, kind_of(snippets.get(id)))
    }
}

impl<H: Facets + IrMut> Linked<H> {
    /// What a snippet gives while rewriting.
    ///
    /// # Errors
    /// Evaluation failed: the rewrite is rolled back.
    pub fn rewrite(
        &self,
        snippets: &Snippets,
        id: SnippetId,
        rewriter: &mut Rewriter<'_, H>,
        args: &[Entity<H>],
    ) -> Result<Vec<Entity<H>>, Refusal> {
        let (value, _) = self.run(snippets, id, &mut Rewriting(rewriter), args)?;
        results(snippets.get(id), value)
    }
}

/// Whether two answers to a predicate that binds attributes at most are the same.
fn same<H: Facets>(a: &Option<Vec<Entity<H>>>, b: &Option<Vec<Entity<H>>>) -> bool {
    let same = |pair: (&Entity<H>, &Entity<H>)| matches!(pair, (Entity::Attr(a), Entity::Attr(b)) if a == b);
    match (a, b) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(same),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Whether what a native gives can be taken for something: an operation for its values, one for a range of
/// one, an attribute for what it holds.
fn stands_for(given: Kind, wanted: Kind) -> bool {
    given == wanted
        || matches!(
            (given, wanted),
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

/// Whether a native that takes one kind can be given another. An operation with one result stands for its
/// value.
fn accepts(want: Kind, given: Option<Kind>) -> bool {
    given.is_none_or(|given| given == want || (want == Kind::Value && given == Kind::Op))
}

/// Whether a native as it is registered takes arguments of these kinds.
fn takes(found: &Signature, given: &[Option<Kind>]) -> bool {
    found.params.as_ref().is_none_or(|params| {
        params.len() == given.len() && params.iter().zip(given).all(|(want, given)| accepts(*want, *given))
    })
}

/// Whether a native as it is registered can be called so.
fn fits(found: &Signature, used: &NativeUse) -> bool {
    // What is asked for its truth alone may give nothing.
    let gives = match used.results.as_slice() {
        [None | Some(Kind::Bool)] => found.results.len() <= 1,
        wanted => {
            found.results.len() == wanted.len()
                && found
                    .results
                    .iter()
                    .zip(wanted)
                    .all(|(found, wanted)| wanted.is_none_or(|wanted| stands_for(*found, wanted)))
        }
    };
    takes(found, &used.params) && gives
}

fn kind_of(snippet: &Snippet) -> Option<Kind> {
    match snippet.result {
        SnippetResult::Value(ty) => ty.kind(),
        _ => None,
    }
}

fn results<H: Facets>(snippet: &Snippet, value: Val<H>) -> Result<Vec<Entity<H>>, Refusal> {
    match (snippet.result, value) {
        (SnippetResult::Nothing, _) => Ok(Vec::new()),
        (SnippetResult::Many(count), Val::Range(items)) => {
            if items.len() != count as usize {
                return fail(format!("a native gives {} results, {count} are expected", items.len()));
            }
            items.iter().map(|value| to_entity(value.clone(), None)).collect()
        }
        (SnippetResult::Many(1), value) => Ok(vec![to_entity(value, None)?]),
        (SnippetResult::Many(count), _) => {
            fail(format!("a native does not give the {count} results expected"))
        }
        (SnippetResult::Predicate, value) => Ok(vec![Entity::Bool(is_true(&value))]),
        (SnippetResult::Value(_), value) => Ok(vec![to_entity(value, kind_of(snippet))?]),
    }
}
