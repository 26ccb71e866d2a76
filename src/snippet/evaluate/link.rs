//! Links snippets to a host: binds the names that they mention and the natives that they call, and compiles predicates.
//!
//! Specification: each call of a native in a linked snippet calls the native that is registered under the same name and
//! accepts the kinds of the arguments. A native with the name of a built-in function, of a constraint, or of the test
//! for an interface (`isa<…>`) replaces this function, constraint or test.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::budget::ExhaustedSnippets;
use super::compiled;
use super::entity::is_scalar;
use super::failed::FailedRewrites;
use super::linked::{Globals, Linked, Native, SignatureMismatch, is_result_of};
use super::undecided::UndecidedTests;
use crate::host::{Bind, ConstraintFn, Facets, Ir, Kind, Natives, Overload, Overloads, RewriteFn, Signature};
use crate::id::{Id, IdVec};
use crate::snippet::data::{
    Cases, ClassKind, Expr, ExprId, ExprList, Form, NativeUse, Param, Snippet, SnippetResult, Snippets,
};
use crate::snippet::library::{ROWS, Receiver};

impl<H: Facets + Bind> Linked<H> {
    /// Links snippets to a host and the natives that it registers.
    pub fn link(snippets: &Snippets, host: &mut H, natives: &Natives<H>) -> Self {
        let mut linked = Linked {
            natives: Vec::new(),
            overrides: HashMap::new(),
            replaced: HashSet::new(),
            deciders: IdVec::default(),
            native_rewrites: IdVec::default(),
            compiled: IdVec::default(),
            mismatches: HashMap::new(),
            op_names: HashMap::new(),
            texts: HashMap::new(),
            enums: snippets.enums.iter().map(|definition| Cases::of(definition, snippets)).collect(),
            attr_names: HashMap::new(),
            constant_ops: HashMap::new(),
            folds: HashMap::new(),
            missing: Vec::new(),
            exhausted: ExhaustedSnippets::default(),
            undecided: UndecidedTests::default(),
            failed: FailedRewrites::default(),
            globals: Globals::default(),
            allows_attached_interfaces: false,
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
        for (overridable, kind) in functions.chain(interfaces) {
            let Some(name) = snippets.strings.find(&overridable) else { continue };
            let native = match kind {
                Some(kind) => {
                    let one = |results: &[Option<Kind>]| results.len() <= 1;
                    Native {
                        rewrites: reachable(natives.find_rewrite(&overridable), &[Some(kind)], &one),
                        constraints: reachable(natives.find_constraint(&overridable), &[Some(kind)], &one),
                        registered: registered(natives, &overridable, true),
                    }
                }
                None => Native {
                    rewrites: natives.find_rewrite(&overridable).map(Overloads::all).unwrap_or_default(),
                    constraints: natives
                        .find_constraint(&overridable)
                        .map(Overloads::all)
                        .unwrap_or_default(),
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
            snippets.snippets.iter().map(|snippet| linked.only_constraint(snippets, snippet)).collect();
        linked.native_rewrites =
            snippets.snippets.iter().map(|snippet| linked.only_rewrite(snippets, snippet)).collect();
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
        let predicates = snippets.snippets.iter_enumerated().map(|(id, snippet)| {
            let applies = snippet.result == SnippetResult::Predicate && linked.decider(id).is_none();
            if applies { compiled::compile(&linked, snippets, id) } else { None }
        });
        linked.compiled = predicates.collect();
        linked
    }
}

impl<H: Facets> Linked<H> {
    /// The native constraint that a predicate calls if it does nothing else: `isEven($0, $1)`.
    fn only_constraint(&self, snippets: &Snippets, snippet: &Snippet) -> Option<Arc<ConstraintFn<H>>> {
        let mut root = snippets.exprs.get(snippet.root)?;
        while let Expr::Truth(inner, _) = root {
            root = snippets.exprs.get(*inner)?;
        }
        let (native, args) = self.only_native(snippets, root)?;
        let constraint = native.simple_constraint()?;
        let signature = &constraint.signature;
        let fits = snippet.result == SnippetResult::Predicate
            && signature.results.is_empty()
            && passes_params(snippets, snippet, args, signature);
        fits.then(|| constraint.run.clone())
    }

    /// The native rewrite that a snippet calls if it does nothing else: `addAttrs($0, $1)`.
    fn only_rewrite(&self, snippets: &Snippets, snippet: &Snippet) -> Option<Arc<RewriteFn<H>>> {
        let (native, args) = self.only_native(snippets, snippets.exprs.get(snippet.root)?)?;
        let ([rewrite], []) = (&native.rewrites[..], &native.constraints[..]) else { return None };
        let signature = &rewrite.signature;
        let returns_results = match snippet.result {
            SnippetResult::Many(count) => signature.results.len() == count as usize,
            SnippetResult::Value(ty) => matches!(signature.results[..], [kind] if kind == ty.kind()),
            SnippetResult::Nothing | SnippetResult::Predicate => false,
        };
        let fits = returns_results && passes_params(snippets, snippet, args, signature);
        fits.then(|| rewrite.run.clone())
    }

    /// The native that an expression calls without outputs, and the arguments; `None` for other expressions.
    fn only_native<'s>(&self, snippets: &'s Snippets, root: &Expr) -> Option<(&Native<H>, &'s [ExprId])> {
        let Expr::Native(native, args, ExprList { len: 0, .. }) = *root else { return None };
        Some((self.natives.get(native.index())?, snippets.list(args)))
    }
}

/// True if the arguments of a native are the parameters of a snippet, in order, of the kinds that the native takes.
fn passes_params(snippets: &Snippets, snippet: &Snippet, args: &[ExprId], native: &Signature) -> bool {
    let Some(kinds) = native.params.as_deref() else { return false };
    // If a parameter is a scalar or range, the evaluator converts the attribute that is passed for it.
    let as_given = |param: &Param| !param.out && !is_scalar(param.ty) && param.ty.form != Form::Range;
    let passes = |((number, &arg), (param, kind)): ((u32, &ExprId), (&Param, &Option<Kind>))| {
        matches!(snippets.exprs.get(arg), Some(&Expr::Param(index)) if index == number)
            && as_given(param)
            && kind.is_none_or(|kind| param.ty.kind() == Some(kind))
    };
    args.len() == snippet.params.len()
        && kinds.len() == snippet.params.len()
        && (0..).zip(args).zip(snippet.params.iter().zip(kinds)).all(passes)
}

/// True if a value of one kind converts to another, for example an operation to its results, a value to a range of one
/// element, or an attribute to the value that it holds.
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

/// The signatures of the natives with this name. If `rewrites` is true and rewrites have this name, these are the
/// signatures of the rewrites; otherwise, they are the signatures of the constraints.
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
