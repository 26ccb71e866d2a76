//! Functions from types to types, which definitions refer to.

use std::fmt::Debug;

/// A function from a type, or from an attribute, to types. Both are texts, because the reader that calls the function
/// and the evaluator that computes it do not share a context.
pub(crate) trait TypeFunction: Debug + Send + Sync {
    /// Returns the types, or the reason why there are none.
    ///
    /// # Errors
    /// The function has no result for this argument, or only C++ code can compute it.
    fn apply(&self, argument: &str) -> Result<Vec<String>, String>;
}
