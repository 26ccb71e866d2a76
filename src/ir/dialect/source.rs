//! The interface through which a context finds the definitions of a dialect.

use std::fmt::Debug;

use super::definition::Dialect;
use crate::source::Diagnostic;

/// A source of the definitions of dialects, by the name of the dialect.
pub trait DialectSource: Debug + Send + Sync {
    /// Returns the definitions of a dialect; `None` if there are none. The context asks once for each dialect.
    ///
    /// # Errors
    /// The definitions have errors. Reading an operation of the dialect in custom form reports the diagnostic.
    fn dialect(&self, name: &str) -> Result<Option<Dialect>, Diagnostic>;

    /// True if the definitions also apply to operations whose text is in generic form. The attributes of these
    /// operations are then divided into properties and discardable attributes, and the operations are printed in custom
    /// form.
    fn defines_generic_form(&self) -> bool {
        true
    }
}
