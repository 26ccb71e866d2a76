//! The state of an evaluation, and its bounds.

use std::borrow::Cow;

use super::access::Access;
use super::budget::{Exhaustion, Limit};
use super::error::fail;
use super::linked::Linked;
use super::undecided::Unknown;
use super::value::{SmallList, Val};
use crate::host::{Facets, Refusal};
use crate::id::Id;
use crate::snippet::data::{DEPTH_LIMIT, ExprId, ExprList, FunctionId, LocalId, Snippet, Snippets};
use crate::stack::with_room;

/// The state of one evaluation.
pub(super) struct Evaluator<'a, H: Facets> {
    pub(super) snippets: &'a Snippets,
    pub(super) linked: &'a Linked<H>,
    pub(super) access: &'a mut dyn Access<H>,
    pub(super) params: SmallList<Val<H>>,
    /// The locals of all calls that have not returned.
    pub(super) locals: SmallList<Val<H>>,
    /// The first local of the current call.
    pub(super) frame: usize,
    /// The jump that the current statement requests.
    pub(super) jump: Option<Jump<H>>,
    /// An entry for each parameter; empty if the snippet has no output.
    pub(super) outputs: SmallList<Option<Val<H>>>,
    pub(super) snippet: &'a Snippet,
    /// The number of steps that are left.
    pub(super) steps: u64,
    pub(super) depth: u32,
    /// The reason why a result is not known, if the last failure means "not known" instead of "undefined in C++".
    pub(super) unknown: Option<Unknown>,
    /// The limit that the evaluation exceeded.
    pub(super) exhausted: Option<Exhaustion>,
    /// True if a native refused the rewrite.
    pub(super) refused_by_native: bool,
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
            None => self.exhaust(Limit::Steps, "the snippet takes too many steps"),
        }
    }

    /// Fails because the evaluation exceeds a limit.
    #[cold]
    pub(super) fn exhaust<T>(&mut self, limit: Limit, reason: &'static str) -> Result<T, Refusal> {
        self.exhausted.get_or_insert(Exhaustion { limit, functions: None });
        fail(reason)
    }

    /// Records the function whose body failed, if it failed because the evaluation exceeded a limit.
    #[cold]
    pub(super) fn failed_in(&mut self, function: FunctionId) {
        if let Some(exhaustion) = &mut self.exhausted {
            let innermost = exhaustion.functions.map_or(function, |(_, innermost)| innermost);
            exhaustion.functions = Some((function, innermost));
        }
    }

    pub(super) fn list(&self, list: ExprList) -> &'a [ExprId] {
        self.snippets.list(list)
    }

    /// Fails because the definitions do not determine the result of C++ code.
    pub(super) fn unknown<T>(&mut self, reason: impl Into<Cow<'static, str>>) -> Result<T, Refusal> {
        self.unknown = Some(Unknown::Other);
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
            return self.exhaust(Limit::Depth, "an attribute or type is nested too deeply");
        }
        self.step(1)?;
        self.depth += 1;
        let result = with_room(|| read(self));
        self.depth -= 1;
        result
    }
}
