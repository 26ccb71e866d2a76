//! Types of the dialect `spirv`.

use super::class_lists::{integer, items_until, size};
use crate::ir::dialect::{ClassForm, ClassText, FormResult, Forms};

pub(super) fn register(forms: &mut Forms) {
    forms.add_class("!spirv.array", Array { sized: true });
    forms.add_class("!spirv.rtarray", Array { sized: false });
    forms.add_class("!spirv.matrix", Array { sized: true });
    forms.add_class("!spirv.struct", Struct);
}

/// `<4 x f32, stride=4>`
#[derive(Debug)]
struct Array {
    sized: bool,
}

impl ClassForm for Array {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        if self.sized {
            size(text)?;
        }
        text.ty()?;
        if text.skip(",") {
            text.write(", ");
            text.literal("stride")?;
            text.literal("=")?;
            integer(text)?;
        }
        text.literal(">")
    }
}

/// `<name, (f32 [0, NonWritable], i32 [4]), Block>`
#[derive(Debug)]
struct Struct;

impl ClassForm for Struct {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        if !text.is_literal("(") {
            let name = text.item();
            text.write(&name);
            if !text.skip(",") {
                return text.literal(">");
            }
            text.write(", ");
        }
        text.literal("(")?;
        items_until(text, ")", |text| {
            text.ty()?;
            if text.is_literal("[") {
                text.write(" ");
                text.literal("[")?;
                items_until(text, "]", decoration)?;
            }
            Ok(())
        })?;
        if text.skip(",") {
            text.write(", ");
            return items_until(text, ">", decoration);
        }
        text.literal(">")
    }
}

/// Transcribes `0`, `NonWritable`, or `MatrixStride=16`.
fn decoration(text: &mut dyn ClassText) -> FormResult<()> {
    let item = text.item();
    let parts: Vec<&str> = item.split('=').map(str::trim).collect();
    text.write(&parts.join("="));
    Ok(())
}
