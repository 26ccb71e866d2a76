//! The class tests that decided nothing, because the class has no definition.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::intern::StrId;
use crate::snippet::data::SnippetId;

/// The reason why the definitions do not determine the result of C++ code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// No definition of the class with this C++ name is known.
    Class(StrId),
    Other,
}

/// The snippets whose evaluation failed because no definition of a class is known, each with the C++ name of the class.
/// Clones share the set.
#[derive(Clone, Debug, Default)]
pub(crate) struct UndecidedTests(Arc<Mutex<BTreeSet<(SnippetId, StrId)>>>);

impl UndecidedTests {
    pub(super) fn add(&self, snippet: SnippetId, class: StrId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((snippet, class));
    }

    /// The snippets with the classes, sorted.
    pub(crate) fn sorted(&self) -> Vec<(SnippetId, StrId)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }
}
