//! Lists, integers and sizes in the text of attributes and types. To transcribe a text is to read it and to write it as
//! MLIR prints it.

use crate::ir::dialect::{ClassText, FormResult};

/// Transcribes items, which are separated by commas, and the closing bracket after them. The items are written with a
/// comma and a blank between them.
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
