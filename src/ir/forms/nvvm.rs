//! Matrix operations of the NVVM dialect.

use super::index_list::i32_array;
use super::lists::{comma_separated, enclosed};
use crate::ir::context::Context;
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms};

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("nvvm.mma.sync", Multiply { sparse: false });
    forms.add_form("nvvm.mma.sp.sync", Multiply { sparse: true });
}

/// `nvvm.mma.sync A[%a, %b] B[%c] C[%d, %e] {…} : (t, u, v) -> w`. The sparse operation has two more groups,
/// `sparseMetadata[%f] selector[%g]`.
#[derive(Debug)]
struct Multiply {
    sparse: bool,
}

/// The attributes with the element types of the groups `A` and `B`.
const ELEMENT_TYPES: [&str; 2] = ["multiplicandAPtxType", "multiplicandBPtxType"];

impl Multiply {
    fn groups(&self) -> &'static [&'static str] {
        if self.sparse { &["A", "B", "C", "sparseMetadata", "selector"] } else { &["A", "B", "C"] }
    }
}

/// The element type that follows from the text of a type.
fn element_type(text: &str, is_accumulator: bool) -> Option<&'static str> {
    match text {
        "f64" => Some("f64"),
        "f16" | "vector<2xf16>" => Some("f16"),
        "f32" => Some(if is_accumulator { "f32" } else { "tf32" }),
        _ => {
            let is_integer = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            if text.strip_prefix('i').is_some_and(is_integer) {
                return is_accumulator.then_some("s32");
            }
            // All members of such a struct have the same type.
            let members = text.strip_prefix("!llvm.struct<(")?.strip_suffix(")>")?;
            let first = if members.starts_with("vector<") {
                members.split_inclusive('>').next()
            } else {
                members.split(',').next()
            };
            element_type(first?, is_accumulator)
        }
    }
}

impl CustomForm for Multiply {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut groups = Vec::new();
        for name in self.groups() {
            reader.literal(name)?;
            groups.push(match reader.is_literal("[") {
                true => enclosed(reader, ("[", "]"), |r| r.operand())?,
                false => comma_separated(reader, |r| r.operand())?,
            });
        }
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let mut types = enclosed(reader, ("(", ")"), |r| r.ty())?;
        if types.len() != 3 {
            let given = types.len();
            return Err(reader.fail(&format!(
                "expected one type for each of the groups A, B and C, but found {given} types"
            )));
        }
        reader.literal("->")?;
        let result = reader.ty()?;
        reader.add_results(&[result]);
        for (name, &ty) in ELEMENT_TYPES.into_iter().zip(&types) {
            if reader.get(name).is_some() {
                continue;
            }
            let text = reader.type_text(ty);
            let Some(element) = element_type(&text, !self.sparse) else {
                return Err(reader.fail(&format!("'{name}' does not follow from the type '{text}'")));
            };
            let element = reader.attr_of_text(&format!("#nvvm.mma_type<{element}>"))?;
            reader.set(name, element);
        }
        types.resize(groups.len(), Context::I32);
        let mut sizes = Vec::new();
        for (names, ty) in groups.iter().zip(types) {
            reader.add_operands(names, &vec![ty; names.len()])?;
            sizes.push(names.len());
        }
        let sizes = i32_array(reader, &sizes);
        reader.set("operandSegmentSizes", sizes);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let sizes = printer.sizes("operandSegmentSizes")?;
        let all = printer.operands();
        let mut rest = all.as_slice();
        let [result] = *printer.results().as_slice() else { return None };
        let mut types = Vec::new();
        if sizes.len() != self.groups().len() {
            return None;
        }
        for (name, size) in self.groups().iter().zip(sizes) {
            let operands = rest.split_off(..size)?;
            types.push(printer.value_type(*operands.first()?));
            printer.text(&format!(" {name}["));
            printer.values(operands);
            printer.text(if self.sparse { "]" } else { "] " });
        }
        let mut elided = vec!["operandSegmentSizes"];
        for (index, name) in ELEMENT_TYPES.into_iter().enumerate() {
            let ty = if self.sparse { types[index] } else { types[0] };
            if element_type(&printer.type_text(ty), false).is_some() {
                elided.push(name);
            }
        }
        printer.attr_dict(false, &elided);
        printer.text(" : (");
        printer.types(&types[..3]);
        printer.text(") -> ");
        let ty = printer.value_type(result);
        printer.ty(ty);
        Some(())
    }
}
