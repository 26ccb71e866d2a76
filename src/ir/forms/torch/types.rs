//! Types. Inside another type, types of the dialect are written without `!torch.`.

use super::super::class_lists::items_until;
use crate::ir::dialect::{ClassForm, ClassText, FormResult, Forms};
use crate::plural;

pub(super) fn register(forms: &mut Forms) {
    for class in ["!torch.tensor", "!torch.vtensor"] {
        forms.add_class(class, Tensor);
    }
    for (class, count) in [
        ("!torch.dict", Some(2)),
        ("!torch.list", Some(1)),
        ("!torch.optional", Some(1)),
        ("!torch.tuple", None),
        ("!torch.union", None),
    ] {
        forms.add_class(class, Container { count });
    }
    forms.add_class("!torch.nn.Module", Module);
}

/// `<[2,?],f32>`, `<*,f32>`, `<[2],unk>`, `<[2],f32,#encoding>`, or nothing for `<*,unk>`
#[derive(Debug)]
struct Tensor;

impl ClassForm for Tensor {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        if !text.skip("<") {
            return Ok(());
        }
        if text.skip("*") {
            text.consume(",")?;
            let is_unknown = text.skip("unk");
            if is_unknown && text.skip(">") {
                return Ok(());
            }
            text.write(if is_unknown { "<*,unk" } else { "<*," });
            if !is_unknown {
                text.ty()?;
            }
        } else {
            text.write("<");
            sizes(text)?;
            text.literal(",")?;
            if text.is_literal("unk") {
                text.literal("unk")?;
            } else {
                text.ty()?;
            }
        }
        if text.is_literal(",") {
            text.literal(",")?;
            text.attribute()?;
        }
        text.literal(">")
    }
}

/// `[2,?]`
fn sizes(text: &mut dyn ClassText) -> FormResult<()> {
    text.literal("[")?;
    let mut is_first = true;
    while !text.is_literal("]") {
        if !std::mem::take(&mut is_first) {
            text.literal(",")?;
        }
        if text.is_literal("?") {
            text.literal("?")?;
            continue;
        }
        match text.optional_integer() {
            // torch-mlir reads -1 as another spelling of `?`.
            Some(-1) => text.write("?"),
            Some(size) if size >= 0 => text.write(&size.to_string()),
            _ => return Err(text.expected("a size, '?' or -1")),
        }
    }
    text.literal("]")
}

/// `<t, u>`
#[derive(Debug)]
struct Container {
    /// The number of types, if it is fixed.
    count: Option<usize>,
}

impl ClassForm for Container {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        let mut count = 0;
        items_until(text, ">", |text| {
            count += 1;
            text.type_of_dialect("torch", &TYPES)
        })?;
        match self.count {
            Some(expected) if expected != count => Err(text.expected(&plural::count(expected, "type"))),
            _ => Ok(()),
        }
    }
}

/// The types that are written without `!torch.` inside another type.
const TYPES: [&str; 22] = [
    "Device",
    "Generator",
    "LinearParams",
    "any",
    "bool",
    "dict",
    "float",
    "int",
    "list",
    "nn.Module",
    "none",
    "number",
    "optional",
    "qint16",
    "qint32",
    "qint8",
    "quint8",
    "str",
    "tensor",
    "tuple",
    "union",
    "vtensor",
];

/// `<"name">`
#[derive(Debug)]
struct Module;

impl ClassForm for Module {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        let Some(name) = text.optional_string() else { return Err(text.expected("the name of the class")) };
        text.write_string(&name);
        text.literal(">")
    }
}
