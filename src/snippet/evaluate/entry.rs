//! The entry points: evaluation of a snippet while matching, linking and rewriting.

use super::access::{Access, Linking, Matching, Rewriting};
use super::budget::STEP_LIMIT;
use super::entity::{from_entity, is_scalar, to_entity};
use super::error::fail;
use super::evaluator::Evaluator;
use super::linked::Linked;
use super::undecided::Unknown;
use super::value::{Evaluated, SmallList, Val};
use crate::host::{AttrKind, Bind, Entity, Facets, IrMut, Kind, Refusal, Rewriter};
use crate::snippet::data::{Form, Snippet, SnippetId, SnippetResult, Snippets, Ty};

/// The value of a snippet, and its outputs. The list has an entry for each parameter. An entry is `None` unless its
/// parameter is a bound output. The list is empty if the snippet has no output.
type Outcome<H> = (Val<H>, SmallList<Option<Val<H>>>);

impl<H: Facets> Linked<H> {
    fn run(
        &self,
        snippets: &Snippets,
        id: SnippetId,
        access: &mut dyn Access<H>,
        args: &[Entity<H>],
    ) -> Result<Outcome<H>, Refusal> {
        let Some(snippet) = snippets.snippets.get(id) else { return fail("the snippet does not exist") };
        if snippet.inputs().count() != args.len() {
            return fail(format!(
                "the number of arguments of the snippet is {} instead of {}",
                args.len(),
                snippet.inputs().count()
            ));
        }
        if self.exhausted.takes_too_many_steps(id) {
            return fail("an earlier evaluation of the snippet took too many steps");
        }
        let mut evaluator = Evaluator {
            snippets,
            linked: self,
            access,
            params: SmallList::new(),
            locals: SmallList::new(),
            frame: 0,
            jump: None,
            outputs: SmallList::new(),
            snippet,
            steps: STEP_LIMIT,
            depth: 0,
            unknown: None,
            exhausted: None,
            refused_by_native: false,
        };
        // PERF: lists are filled in place, because moving them takes longer than a small snippet.
        if snippet.locals > 0 {
            evaluator.locals.resize(snippet.locals as usize, Val::Null);
        }
        let mut args = args.iter();
        for param in &snippet.params {
            let arg = if param.out { None } else { args.next() };
            if param.out {
                evaluator.outputs.resize(snippet.params.len(), None);
            }
            let value = match arg {
                Some(arg) => as_param(&mut evaluator, from_entity(arg.clone()), param.ty)
                    .map_err(|refusal| self.refused(id, &evaluator, refusal))?,
                None => Val::Null,
            };
            evaluator.params.push(value);
        }
        match evaluator.eval(snippet.root) {
            Ok(value) => Ok((value, evaluator.outputs)),
            Err(refusal) => Err(self.refused(id, &evaluator, refusal)),
        }
    }

    /// Records an evaluation that exceeded a limit, that failed because no definition of a class is known, or that failed
    /// while rewriting. Returns the refusal.
    #[cold]
    fn refused(&self, id: SnippetId, evaluator: &Evaluator<'_, H>, refusal: Refusal) -> Refusal {
        if let Some(exhaustion) = evaluator.exhausted {
            self.exhausted.add(id, exhaustion);
        }
        if let Some(Unknown::Class(class)) = evaluator.unknown {
            self.undecided.add(id, class);
        } else if evaluator.access.rewrites() && evaluator.exhausted.is_none() && !evaluator.refused_by_native
        {
            self.failed.add(id, &refusal.0);
        }
        refusal
    }

    /// Evaluates a predicate. Returns its outputs if it holds.
    ///
    /// # Errors
    /// Evaluation failed. In this case, neither the predicate nor its negation holds.
    pub fn holds(
        &self,
        snippets: &Snippets,
        id: SnippetId,
        host: &H,
        args: &[Entity<H>],
    ) -> Result<Option<Vec<Entity<H>>>, Refusal> {
        let mut outputs = Vec::new();
        Ok(self.holds_in(snippets, id, host, args, &mut outputs)?.then_some(outputs))
    }

    /// Evaluates a predicate. If it holds, returns true and appends its outputs to `outputs`, which must be empty.
    ///
    /// # Errors
    /// The errors of [`Linked::holds`].
    pub fn holds_in(
        &self,
        snippets: &Snippets,
        id: SnippetId,
        host: &H,
        args: &[Entity<H>],
        outputs: &mut Vec<Entity<H>>,
    ) -> Result<bool, Refusal> {
        // PERF: calling the native takes a fraction of the time of an evaluation; `cargo bench --bench natives`.
        let results = if let Some(native) = self.decider(id) {
            native(host, args)
        } else {
            if let Some(found) = self.compiled(id).and_then(|it| it.decide(self, host, args, outputs)) {
                // A native that is not pure can answer differently when it is called again.
                debug_assert!(
                    found.called_native
                        || self.evaluated(snippets, id, host, args).is_ok_and(|value| same_outputs(
                            value.as_deref(),
                            found.holds.then_some(outputs)
                        ))
                );
                return Ok(found.holds);
            }
            self.evaluated(snippets, id, host, args)?
        };
        let holds = results.is_some();
        outputs.extend(results.into_iter().flatten());
        Ok(holds)
    }

    fn evaluated(
        &self,
        snippets: &Snippets,
        id: SnippetId,
        host: &H,
        args: &[Entity<H>],
    ) -> Result<Option<Vec<Entity<H>>>, Refusal> {
        let mut access = Matching::new(host);
        let (value, mut outputs) = self.run(snippets, id, &mut access, args)?;
        if !value.is_true() {
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

    /// Evaluates a snippet while matching.
    ///
    /// # Errors
    /// Evaluation failed, or returned a type or attribute that the host does not have.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn value(
        &self,
        snippets: &Snippets,
        id: SnippetId,
        host: &H,
        args: &[Entity<H>],
    ) -> Result<Vec<Entity<H>>, Refusal> {
        let mut access = Matching::new(host);
        let (value, _) = self.run(snippets, id, &mut access, args)?;
        results(snippets.get(id), value)
    }
}

impl<H: Facets + Bind> Linked<H> {
    /// Evaluates a snippet without parameters that returns a type or attribute. Creates the type or attribute if the
    /// host lacks it.
    ///
    /// # Errors
    /// Evaluation failed, or the host cannot create the type or attribute.
    pub fn make(&self, snippets: &Snippets, id: SnippetId, host: &mut H) -> Result<Entity<H>, Refusal> {
        let (value, _) = self.run(snippets, id, &mut Linking(host), &[])?;
        to_entity(value, kind_of(snippets.get(id)))
    }
}

impl<H: Facets + Bind> Linked<H> {
    /// Evaluates a snippet with arguments. Creates those of the returned types and attributes that the host lacks.
    ///
    /// # Errors
    /// The errors of [`Linked::make`].
    pub fn make_from(
        &self,
        snippets: &Snippets,
        id: SnippetId,
        host: &mut H,
        args: &[Entity<H>],
    ) -> Result<Vec<Entity<H>>, Refusal> {
        let (value, _) = self.run(snippets, id, &mut Linking(host), args)?;
        results(snippets.get(id), value)
    }
}

impl<H: Facets + IrMut> Linked<H> {
    /// Evaluates a snippet while rewriting.
    ///
    /// # Errors
    /// Evaluation failed. The caller rolls the rewrite back.
    pub fn rewrite(
        &self,
        snippets: &Snippets,
        id: SnippetId,
        rewriter: &mut Rewriter<'_, H>,
        args: &[Entity<H>],
    ) -> Result<Vec<Entity<H>>, Refusal> {
        let (value, _) = self.run(snippets, id, &mut Rewriting::new(rewriter), args)?;
        results(snippets.get(id), value)
    }
}

/// True if two results of a predicate that binds only attributes are equal.
fn same_outputs<H: Facets>(a: Option<&[Entity<H>]>, b: Option<&[Entity<H>]>) -> bool {
    let same = |pair: (&Entity<H>, &Entity<H>)| matches!(pair, (Entity::Attr(a), Entity::Attr(b)) if a == b);
    match (a, b) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(same),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// If an attribute is passed for a scalar or a range, reads its value or its elements. Other arguments are unchanged.
fn as_param<H: Facets>(evaluator: &mut Evaluator<'_, H>, value: Val<H>, ty: Ty) -> Evaluated<H> {
    let scalar = is_scalar(ty);
    match (&value, ty.form) {
        // An array with at most one element represents an optional property.
        (Val::Attr(a), Form::Optional)
            if scalar && matches!(evaluator.attr_kind(a), AttrKind::Array { .. }) =>
        {
            match evaluator.items(&value)?.first() {
                Some(held) => evaluator.convert(held.clone(), ty.item),
                None => Ok(Val::Null),
            }
        }
        (Val::Attr(_), Form::One | Form::Optional) if scalar => evaluator.convert(value, ty.item),
        (Val::Attr(_), Form::Range) => {
            let items = evaluator.items(&value)?;
            if scalar { evaluator.convert(Val::Range(items), ty.item) } else { Ok(Val::Range(items)) }
        }
        _ => Ok(value),
    }
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
                return fail(format!(
                    "the number of results of a native is {} instead of {count}",
                    items.len()
                ));
            }
            items.iter().map(|value| to_entity(value.clone(), None)).collect()
        }
        (SnippetResult::Many(1), value) => Ok(vec![to_entity(value, None)?]),
        (SnippetResult::Many(count), _) => fail(format!("the number of results of a native is not {count}")),
        (SnippetResult::Predicate, value) => Ok(vec![Entity::Bool(value.is_true())]),
        (SnippetResult::Value(_), value) => Ok(vec![to_entity(value, kind_of(snippet))?]),
    }
}
