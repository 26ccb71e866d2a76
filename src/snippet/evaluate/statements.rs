//! Statements, and calls of functions and lambdas.
//!
//! All locals are in one stack, in which each call has a frame. A lambda uses the frame of the call that created it. A
//! jump (`return`, `break`, `continue`) is a request in the state of the evaluator. While there is a request, blocks
//! and loops end early. A loop clears the request of a `break` or `continue`. The body of a function or lambda clears
//! the request of a `return`.

use super::error::{fail, index_out_of_range};
use super::evaluator::{Evaluator, Jump};
use super::value::{Evaluated, SmallList, Val};
use crate::host::{Facets, Refusal};
use crate::id::Id;
use crate::snippet::data::{Expr, ExprId, ExprList, FunctionId, LocalId, Update};
use std::sync::Arc;

impl<H: Facets> Evaluator<'_, H> {
    /// Calls a function. The frame of the caller is restored even if the evaluation of the body fails, because an
    /// operand of `&&` or `||` may fail without an effect on the result.
    pub(super) fn call_function(&mut self, id: FunctionId, args: ExprList, outs: ExprList) -> Evaluated<H> {
        let snippets = self.snippets;
        let Some(function) = snippets.functions.get(id) else { return fail("a function does not exist") };
        if function.params != args.len || args.len > function.locals {
            return fail("the snippet is malformed");
        }
        self.step(u64::from(function.locals))?;
        let mut values: SmallList<Val<H>> = SmallList::new();
        for &arg in self.list(args) {
            values.push(self.eval(arg)?);
        }
        let frame = self.locals.len();
        self.locals.extend(values);
        self.locals.resize(frame + function.locals as usize, Val::Null);
        let caller = std::mem::replace(&mut self.frame, frame);
        let value = self.body(function.body);
        if value.is_err() {
            self.failed_in(id);
        }
        let outputs: SmallList<Val<H>> = function
            .reference_params
            .iter()
            .map(|&param| self.locals.get(frame + param as usize).cloned().unwrap_or(Val::Null))
            .collect();
        self.locals.truncate(frame);
        self.frame = caller;
        let value = value?;
        for (&out, output) in self.list(outs).iter().zip(outputs) {
            match snippets.exprs.get(out) {
                Some(&Expr::Local(local)) => self.set_local(local, output)?,
                Some(&Expr::Param(param)) => drop(self.assign(param, output)?),
                _ => return fail("the snippet is malformed"),
            }
        }
        Ok(value)
    }

    /// Evaluates the statements of a function or lambda.
    pub(super) fn body(&mut self, body: ExprId) -> Evaluated<H> {
        let value = self.eval(body)?;
        Ok(match self.jump.take() {
            Some(Jump::Return(value)) => value,
            _ => value,
        })
    }

    /// Calls a lambda.
    pub(super) fn apply(&mut self, lambda: &Val<H>, args: &[Val<H>]) -> Evaluated<H> {
        let Val::Lambda { first, params, body, frame } = *lambda else {
            return fail("a value that is not a lambda is called");
        };
        if params as usize != args.len() {
            return fail("a lambda is called with the wrong number of arguments");
        }
        let caller = std::mem::replace(&mut self.frame, frame);
        let value = self.apply_here(first, args, body);
        self.frame = caller;
        value
    }

    fn apply_here(&mut self, first: LocalId, args: &[Val<H>], body: ExprId) -> Evaluated<H> {
        for (local, arg) in first.and_following().zip(args) {
            self.set_local(local, arg.clone())?;
        }
        self.eval(body)
    }

    /// The statements of the first case whose label equals the subject of a `switch`; if no label equals it, those of
    /// `default`. `None` if the list is empty.
    pub(super) fn case(&mut self, subject: &Val<H>, list: ExprList) -> Result<Option<ExprId>, Refusal> {
        let subject = subject.int()?;
        let Some((&otherwise, cases)) = self.list(list).split_last() else { return Ok(None) };
        self.step(cases.len() as u64 / 2)?;
        for case in cases.chunks_exact(2) {
            if matches!(self.snippets.exprs.get(case[0]), Some(Expr::Int(label)) if *label == subject) {
                return Ok(Some(case[1]));
            }
        }
        Ok(Some(otherwise))
    }

    /// Clears the request of a `break` or `continue`, and keeps that of a `return`. Returns true if the loop ends.
    fn leaves(&mut self) -> bool {
        match self.jump {
            None => false,
            Some(Jump::Continue) => {
                self.jump = None;
                false
            }
            Some(Jump::Break) => {
                self.jump = None;
                true
            }
            Some(Jump::Return(_)) => true,
        }
    }

    pub(super) fn repeat(&mut self, condition: ExprId, step: ExprId, body: ExprId) -> Evaluated<H> {
        while self.truth(condition)? {
            self.eval(body)?;
            if self.leaves() {
                break;
            }
            self.eval(step)?;
            if self.leaves() {
                break;
            }
        }
        Ok(Val::Null)
    }

    pub(super) fn for_each(&mut self, local: LocalId, range: ExprId, body: ExprId) -> Evaluated<H> {
        let range = self.eval(range)?;
        let items = self.items(&range)?;
        for item in items.iter() {
            self.step(1)?;
            if self.is_erased(item) {
                continue;
            }
            self.set_local(local, item.clone())?;
            self.eval(body)?;
            if self.leaves() {
                break;
            }
        }
        Ok(Val::Null)
    }

    /// Changes the range in a local.
    pub(super) fn update(&mut self, update: Update, local: LocalId, args: Vec<Val<H>>) -> Evaluated<H> {
        let at = self.frame + local.index();
        let Some(slot) = self.locals.get_mut(at) else { return fail("the snippet is malformed") };
        let value = std::mem::replace(slot, Val::Null);
        let mut items = match value {
            Val::Range(items) => items,
            other => self.items(&other)?,
        };
        let position = |value: &Val<H>| match value {
            Val::Iterator(_, at) => Ok(*at),
            other => match usize::try_from(other.int()?) {
                Ok(at) => Ok(at),
                Err(_) => fail("an index is negative"),
            },
        };
        let mut args = args.into_iter();
        let (first, second) = (args.next(), args.next());
        let appended = match (update, &first) {
            (Update::Append, Some(range)) => Some(self.items(range)?),
            _ => None,
        };
        let count = match (update, &first) {
            (Update::Resize, Some(count)) => position(count)?,
            _ => 0,
        };
        let cost = match update {
            // One element is changed in place, unless the range is shared.
            Update::Push | Update::Pop | Update::SetAt if Arc::strong_count(&items) == 1 => 1,
            Update::Append => (items.len() + appended.as_ref().map_or(0, |range| range.len())) as u64,
            Update::Resize => (items.len() as u64).saturating_add(count as u64),
            _ => items.len() as u64,
        };
        self.step(cost)?;
        let list = Arc::make_mut(&mut items);
        let result = match (update, first, second) {
            (Update::Push, Some(item), _) => {
                list.push(item);
                Val::Null
            }
            (Update::Append, ..) => {
                list.extend(appended.iter().flat_map(|range| range.iter().cloned()));
                Val::Null
            }
            (Update::Pop, ..) => match list.pop() {
                Some(last) => last,
                None => return fail("an element is removed from an empty range"),
            },
            (Update::Clear, ..) => {
                list.clear();
                Val::Null
            }
            (Update::Resize, _, filler) => {
                list.resize(count, filler.unwrap_or(Val::Null));
                Val::Null
            }
            (Update::SetAt, Some(at), Some(item)) => {
                let (len, at) = (list.len(), position(&at)?);
                match list.get_mut(at) {
                    Some(slot) => *slot = item.clone(),
                    None => return index_out_of_range(at, len),
                }
                item
            }
            (Update::Insert, Some(at), Some(item)) => {
                let at = position(&at)?;
                if at > list.len() {
                    return index_out_of_range(at, list.len());
                }
                list.insert(at, item);
                Val::Null
            }
            (Update::Erase, Some(at), _) => {
                let at = position(&at)?;
                if at >= list.len() {
                    return index_out_of_range(at, list.len());
                }
                list.remove(at)
            }
            (Update::Reverse, ..) => {
                list.reverse();
                Val::Null
            }
            _ => return fail("the snippet is malformed"),
        };
        match self.locals.get_mut(at) {
            Some(slot) => *slot = Val::Range(items),
            None => return fail("the snippet is malformed"),
        }
        Ok(result)
    }
}
