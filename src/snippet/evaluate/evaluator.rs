//! The state of an evaluation, and its bounds.

use std::borrow::Cow;

use super::access::Access;
use super::error::fail;
use super::linked::Linked;
use super::value::{SmallList, Val};
use crate::host::{Facets, Refusal};
use crate::id::Id;
use crate::snippet::data::{DEPTH_LIMIT, ExprId, ExprList, LocalId, Snippet, Snippets};
use crate::stack::with_room;

/// The maximum number of steps of an evaluation. Each element of a range is a step.
pub(super) const STEP_LIMIT: u64 = 4_000_000;

/// The state of one evaluation.
pub(super) struct Evaluator<'a, H: Facets> {
    pub(super) snippets: &'a Snippets,
    pub(super) linked: &'a Linked<H>,
    pub(super) access: &'a mut dyn Access<H>,
    pub(super) params: &'a [Val<H>],
    /// The locals of all calls that have not returned.
    pub(super) locals: SmallList<Val<H>>,
    /// The first local of the current call.
    pub(super) frame: usize,
    /// The jump that the current statement requests.
    pub(super) jump: Option<Jump<H>>,
    pub(super) outputs: SmallList<Option<Val<H>>>,
    pub(super) declared: &'a Snippet,
    pub(super) steps: u64,
    pub(super) depth: u32,
    /// True if the last failure means "not known" instead of "undefined in C++".
    pub(super) unknown: bool,
}

/// A jump that ends a statement early.
pub(super) enum Jump<H: Facets> {
    Return(Val<H>),
    Break,
    Continue,
}

impl<'a, H: Facets> Evaluator<'a, H> {
    pub(super) fn host(&self) -> &H {
        self.access.host()
    }

    /// Counts steps, and fails if the evaluation exceeds its budget.
    pub(super) fn step(&mut self, count: u64) -> Result<(), Refusal> {
        match self.steps.checked_sub(count) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => fail("the snippet takes too many steps"),
        }
    }

    pub(super) fn list(&self, list: ExprList) -> &'a [ExprId] {
        self.snippets.list(list)
    }

    /// Fails because the definitions do not determine the result of C++ code.
    pub(super) fn unknown<T>(&mut self, reason: impl Into<Cow<'static, str>>) -> Result<T, Refusal> {
        self.unknown = true;
        fail(reason)
    }

    pub(super) fn set_local(&mut self, local: LocalId, value: Val<H>) -> Result<(), Refusal> {
        match self.locals.get_mut(self.frame + local.index()) {
            Some(slot) => {
                *slot = value;
                Ok(())
            }
            None => fail("the snippet is malformed"),
        }
    }

    /// Calls `read` one level of recursion deeper.
    pub(super) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        if self.depth >= DEPTH_LIMIT {
            return fail("an attribute or type is nested too deeply");
        }
        self.step(1)?;
        self.depth += 1;
        let result = with_room(|| read(self));
        self.depth -= 1;
        result
    }
}
