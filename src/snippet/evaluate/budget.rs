//! The budget of an evaluation, and the evaluations that exceeded it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::snippet::data::{DEPTH_LIMIT, FunctionId, SnippetId};

/// The maximum number of steps of an evaluation. Each expression takes a step. Each object that an expression visits or
/// copies (an element of a range or attribute, a local of a called function, an operation …) takes another step.
pub(super) const STEP_LIMIT: u64 = 4_000_000;

/// A limit of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Steps,
    Depth,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Steps => write!(f, "{STEP_LIMIT} steps"),
            Self::Depth => write!(f, "{DEPTH_LIMIT} levels of nesting"),
        }
    }
}

/// An evaluation that exceeded a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exhaustion {
    pub(crate) limit: Limit,
    /// The function that the snippet called, and the innermost function, in which the evaluation ended; `None` if the
    /// snippet itself exceeded the limit.
    pub(crate) functions: Option<(FunctionId, FunctionId)>,
}

/// The snippets whose evaluation exceeded a limit, each with its first such evaluation. Clones share the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExhaustedSnippets(Arc<Exhausted>);

#[derive(Debug, Default)]
struct Exhausted {
    /// True if an evaluation exceeded the maximum number of steps.
    by_steps: AtomicBool,
    all: Mutex<Vec<(SnippetId, Exhaustion)>>,
}

impl ExhaustedSnippets {
    pub(super) fn add(&self, snippet: SnippetId, exhaustion: Exhaustion) {
        let mut all = self.0.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.iter().all(|(known, _)| *known != snippet) {
            all.push((snippet, exhaustion));
        }
        if exhaustion.limit == Limit::Steps {
            self.0.by_steps.store(true, Ordering::Release);
        }
    }

    /// True if an evaluation of the snippet exceeded the maximum number of steps. Such a snippet is not evaluated
    /// again, because each evaluation could take this number of steps.
    pub(super) fn takes_too_many_steps(&self, snippet: SnippetId) -> bool {
        // Almost no snippet exceeds the limit, so evaluations rarely take the lock.
        let is_exceeded = || {
            let all = self.0.all.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter().any(|(id, found)| *id == snippet && found.limit == Limit::Steps)
        };
        self.0.by_steps.load(Ordering::Acquire) && is_exceeded()
    }

    /// Replaces the list by a list that [`Self::sorted`] returned earlier.
    #[cfg(any(feature = "parallel", feature = "ir"))]
    pub(crate) fn restore(&self, earlier: Vec<(SnippetId, Exhaustion)>) {
        let by_steps = earlier.iter().any(|(_, found)| found.limit == Limit::Steps);
        self.0.by_steps.store(by_steps, Ordering::Release);
        *self.0.all.lock().unwrap_or_else(PoisonError::into_inner) = earlier;
    }

    /// The list in the order of the snippet ids, so that the order does not depend on the scheduling of threads.
    pub(crate) fn sorted(&self) -> Vec<(SnippetId, Exhaustion)> {
        let mut all = self.0.all.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.sort_unstable_by_key(|(snippet, _)| *snippet);
        all
    }
}
