//! The errors of custom directives.

use crate::ir::dialect::{DirectiveArg, FormReader};
use crate::source::Diagnostic;

/// A format calls a directive with a wrong number of arguments. `expected` is text such as `two arguments`.
pub(super) fn wrong_arguments(
    reader: &dyn FormReader,
    directive: &str,
    expected: &str,
    args: &[DirectiveArg],
) -> Box<Diagnostic> {
    let given = match args.len() {
        1 => "1 is given".to_owned(),
        count => format!("{count} are given"),
    };
    reader.fail(&format!("`{directive}` takes {expected}, but {given}"))
}
