//! The errors that several custom forms and directives report.

use crate::ir::dialect::{DirectiveArg, FormReader};
use crate::plural::count;
use crate::source::Diagnostic;

/// The error for a directive that a format calls with a wrong number of arguments. `expected` is text such as `two
/// arguments`.
pub(super) fn wrong_arguments(
    reader: &dyn FormReader,
    directive: &str,
    expected: &str,
    args: &[DirectiveArg],
) -> Box<Diagnostic> {
    reader.fail(&format!("`{directive}` takes {expected}, but {}", given(args.len())))
}

/// The error for a wrong number of operands after an affine map or set. `noun` is the word for the map or set, and
/// `operand` the word for the operands.
pub(super) fn wrong_operands(
    reader: &dyn FormReader,
    noun: &str,
    operand: &str,
    expected: usize,
    found: usize,
) -> Box<Diagnostic> {
    let expected = count(expected, operand);
    reader.fail(&format!("the {noun} takes {expected}, but {}", given(found)))
}

fn given(count: usize) -> String {
    if count == 1 { "1 is given".to_owned() } else { format!("{count} are given") }
}
