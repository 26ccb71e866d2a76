//! Types of the dialect `llvm`. Inside them, types of this dialect are written without the prefix `!llvm.`, except
//! `!llvm.ppc_fp128`.

use super::class_lists::{items_until, size};
use crate::ir::dialect::{ClassForm, ClassText, FormResult, Forms};

pub(super) fn register(forms: &mut Forms) {
    forms.add_class("!llvm.array", Array);
    forms.add_class("!llvm.func", Func);
    forms.add_class("!llvm.struct", Struct);
}

/// The names of the types that are written without the prefix `!llvm.`.
const NAMES: &[&str] =
    &["array", "func", "label", "metadata", "ptr", "struct", "target", "token", "void", "x86_amx"];

fn ty(text: &mut dyn ClassText) -> FormResult<()> {
    // MLIR prints this type with its dialect, because it is one of the float types.
    if text.skip("ppc_fp128") || text.skip("!llvm.ppc_fp128") {
        return text.write_type("!llvm.ppc_fp128");
    }
    text.type_of_dialect("llvm", NAMES)
}

/// `<4 x f32>`
#[derive(Debug)]
struct Array;

impl ClassForm for Array {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        size(text)?;
        ty(text)?;
        text.literal(">")
    }
}

/// `<void (i32, ...)>`
#[derive(Debug)]
struct Func;

impl ClassForm for Func {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        ty(text)?;
        text.write(" ");
        text.literal("(")?;
        items_until(text, ")", |text| if text.is_literal("...") { text.literal("...") } else { ty(text) })?;
        text.literal(">")
    }
}

/// `<"name", packed (i32, f32)>`
#[derive(Debug)]
struct Struct;

impl ClassForm for Struct {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        if let Some(name) = text.optional_string() {
            text.write_string(&name);
            if !text.skip(",") {
                return text.literal(">");
            }
            text.write(", ");
        }
        if text.is_literal("opaque") {
            text.literal("opaque")?;
            return text.literal(">");
        }
        if text.is_literal("packed") {
            text.literal("packed")?;
            text.write(" ");
        }
        text.literal("(")?;
        items_until(text, ")", ty)?;
        text.literal(">")
    }
}
