//! Pointers, descriptors of tensors, and descriptors of memory.

use crate::ir::dialect::{ClassForm, ClassText, FormResult, Forms};

pub(super) fn register(forms: &mut Forms) {
    forms.add_class("!tt.ptr", Pointer);
    forms.add_class("!tt.tensordesc", TensorDescriptor);
    forms.add_class("!ttng.tensordesc_im2col", TensorDescriptor);
    forms.add_class("!ttg.memdesc", MemoryDescriptor);
}

/// `<f32>`, or `<f32, "constant">` with an address space that is not `global`
#[derive(Debug)]
struct Pointer;

impl ClassForm for Pointer {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        text.ty()?;
        if text.skip(",") {
            let space = text.optional_string();
            let space = space.ok_or_else(|| text.expected("an address space in quotes"))?;
            if space != "global" {
                text.write(", ");
                text.write_string(&space);
            }
        }
        text.literal(">")
    }
}

/// Transcribes a shape and an element type, `4x8xf32`. Returns the shape.
fn shape_and_type(text: &mut dyn ClassText) -> FormResult<Vec<i64>> {
    let mut shape = Vec::new();
    while let Some(size) = text.optional_integer() {
        if !text.skip_x() {
            return Err(text.expected("'x'"));
        }
        text.write(&format!("{size}x"));
        shape.push(size);
    }
    text.ty()?;
    Ok(shape)
}

/// `<4x8xf32>`, or `<4x8xf32, #shared>` with the layout in shared memory
#[derive(Debug)]
struct TensorDescriptor;

impl ClassForm for TensorDescriptor {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        shape_and_type(text)?;
        if text.skip(",") {
            text.write(", ");
            text.attribute()?;
        }
        text.literal(">")
    }
}

/// `<4x8xf32, #shared, #smem, mutable, 2x4x8>`, with the allocated shape at the end if it differs from the shape at the
/// start
#[derive(Debug)]
struct MemoryDescriptor;

impl ClassForm for MemoryDescriptor {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        let shape = shape_and_type(text)?;
        // The layout and the memory space.
        for _ in 0..2 {
            text.consume(",")?;
            text.write(", ");
            text.attribute()?;
        }
        let mut follows = text.skip(",");
        if follows && text.skip("mutable") {
            text.write(", mutable");
            follows = text.skip(",");
        }
        if follows {
            let mut allocated = Vec::new();
            while let Some(size) = text.optional_integer() {
                allocated.push(size);
                if !text.skip_x() {
                    break;
                }
            }
            if !allocated.is_empty() && allocated != shape {
                let sizes: Vec<String> = allocated.iter().map(i64::to_string).collect();
                text.write(&format!(", {}", sizes.join("x")));
            }
        }
        text.literal(">")
    }
}
