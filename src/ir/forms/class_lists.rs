//! Lists, integers and sizes in the text of attributes and types.

use crate::ir::dialect::{ClassText, FormResult};

/// Transcribes items and the closing bracket after them. The items are separated by commas, and are written with `, `
/// between them.
pub(super) fn items_until(
    text: &mut dyn ClassText,
    close: &str,
    mut item: impl FnMut(&mut dyn ClassText) -> FormResult<()>,
) -> FormResult<()> {
    if !text.is_literal(close) {
        loop {
            item(text)?;
            if !text.skip(",") {
                break;
            }
            text.write(", ");
        }
    }
    text.literal(close)
}

/// Transcribes an integer.
pub(super) fn integer(text: &mut dyn ClassText) -> FormResult<i64> {
    let Some(value) = text.optional_integer() else { return Err(text.expected("an integer")) };
    text.write(&value.to_string());
    Ok(value)
}

/// Transcribes an integer and the `x` after it.
pub(super) fn size(text: &mut dyn ClassText) -> FormResult<()> {
    integer(text)?;
    if !text.skip_x() {
        return Err(text.expected("'x'"));
    }
    text.write(" x ");
    Ok(())
}
