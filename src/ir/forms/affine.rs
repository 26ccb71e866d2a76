//! `affine.apply`, `affine.min`, `affine.max`: maps with their operands.

use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms, OperandName};

/// `affine.apply affine_map<…>(%dims)[%symbols]`
#[derive(Debug)]
struct Mapped;

pub(super) fn register(forms: &mut Forms) {
    for op in ["affine.apply", "affine.min", "affine.max"] {
        forms.add_form(op, Mapped);
    }
}

/// Reads `(%dims)[%symbols]`.
fn operands(reader: &mut dyn FormReader) -> FormResult<Vec<OperandName>> {
    let mut names = super::scf::operand_list(reader)?;
    if reader.optional_literal("[") && !reader.optional_literal("]") {
        loop {
            names.push(reader.operand()?);
            if !reader.optional_literal(",") {
                break;
            }
        }
        reader.literal("]")?;
    }
    Ok(names)
}

impl CustomForm for Mapped {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let map = reader.attribute(None)?;
        let AttrKind::AffineMap(kind) = reader.attr_kind(map) else {
            return Err(reader.expected("an affine map before the operands"));
        };
        let wanted = kind.dims as usize + kind.symbols as usize;
        reader.set("map", map);
        let names = operands(reader)?;
        if names.len() != wanted {
            return Err(reader.fail(&format!("the map has {wanted} arguments, not {}", names.len())));
        }
        reader.add_operands(&names, &vec![Context::INDEX; names.len()])?;
        reader.add_results(&[Context::INDEX]);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let map = printer.get("map")?;
        let AttrKind::AffineMap(kind) = printer.attr_kind(map) else { return None };
        let dims = kind.dims as usize;
        let operands = printer.operands();
        let (dims, symbols) = operands.split_at_checked(dims)?;
        printer.text(" ");
        printer.attribute(map);
        printer.text("(");
        printer.values(dims);
        printer.text(")");
        if !symbols.is_empty() {
            printer.text("[");
            printer.values(symbols);
            printer.text("]");
        }
        printer.attr_dict(false, &["map"]);
        Some(())
    }
}
