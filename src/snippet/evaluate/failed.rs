//! The evaluations of rewrites that failed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::snippet::data::SnippetId;

/// The snippets whose evaluation failed while rewriting, each with the reason of the first such evaluation. A snippet
/// that returns null or `failure()` does not count. Clones share the map.
#[derive(Clone, Debug, Default)]
pub(crate) struct FailedRewrites(Arc<Mutex<BTreeMap<SnippetId, String>>>);

impl FailedRewrites {
    pub(super) fn add(&self, snippet: SnippetId, reason: &str) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(snippet).or_insert_with(|| reason.to_owned());
    }

    /// The snippets with the reasons, sorted.
    pub(crate) fn sorted(&self) -> Vec<(SnippetId, String)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(&snippet, reason)| (snippet, reason.clone())).collect()
    }
}
