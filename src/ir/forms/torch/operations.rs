//! Operations whose syntax only C++ code describes upstream.

use super::super::lists::{enclosed, types};
use crate::ir::attributes::AttrKind;
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms};
use crate::ir::ids::AttrId;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("torch.bind_symbolic_shape", BindShape);
    forms.add_form("torch.constant.int", ConstantInt);
    forms.add_form("torch.initialize.global_slots", InitializeSlots);
    forms.add_form("torch.prim.If", If);
}

/// `5 {…}`
#[derive(Debug)]
struct ConstantInt;

impl CustomForm for ConstantInt {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let Some(value) = reader.optional_integer()? else { return Err(reader.expected("an integer")) };
        let value = reader.attr_of_text(&format!("{value} : i64"))?;
        reader.set("value", value);
        let ty = reader.type_of_text(INT)?;
        reader.add_results(&[ty]);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let [result] = *types(printer, &printer.results()).as_slice() else { return None };
        let value = printer.attr_text(printer.get("value")?);
        let value = value.strip_suffix(" : i64")?;
        if printer.type_text(result) != INT {
            return None;
        }
        printer.text(" ");
        printer.text(value);
        printer.attr_dict(false, &["value"]);
        Some(())
    }
}

const INT: &str = "!torch.int";
const BOOL: &str = "!torch.bool";

/// `%a, [%s, %t], affine_map<…> {…} : t`. The text contains the map itself even if the map has an alias.
#[derive(Debug)]
struct BindShape;

/// The attribute with the map.
const MAP: &str = "shape_expressions";

impl CustomForm for BindShape {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut operands = vec![reader.operand()?];
        reader.literal(",")?;
        operands.extend(enclosed(reader, ("[", "]"), |r| r.operand())?);
        reader.literal(",")?;
        let wanted = reader.expected("an affine map");
        let map = reader.attribute(None)?;
        if !matches!(reader.attr_kind(map), AttrKind::AffineMap(_)) {
            return Err(wanted);
        }
        reader.set(MAP, map);
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let mut types = vec![reader.ty()?];
        let symbol = reader.type_of_text(INT)?;
        types.resize(operands.len(), symbol);
        reader.add_operands(&operands, &types)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let [shaped, symbols @ ..] = operands.as_slice() else { return None };
        let map = printer.get(MAP)?;
        let are_integers = symbols.iter().all(|&symbol| printer.type_text(printer.value_type(symbol)) == INT);
        if !are_integers || !matches!(printer.attr_kind(map), AttrKind::AffineMap(_)) {
            return None;
        }
        printer.text(" ");
        printer.value(*shaped);
        printer.text(", [");
        printer.values(symbols);
        printer.text("], ");
        let map = printer.attr_text(map);
        printer.text(&map);
        printer.attr_dict(false, &[MAP]);
        printer.text(" : ");
        printer.ty(printer.value_type(*shaped));
        Some(())
    }
}

/// `%c -> (t, u) {…} else {…} {…}`
#[derive(Debug)]
struct If;

impl CustomForm for If {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let condition = reader.operand()?;
        let ty = reader.type_of_text(BOOL)?;
        reader.add_operands(&[condition], &[ty])?;
        reader.literal("->")?;
        let results = reader.result_types()?;
        reader.add_results(&results);
        let then = reader.region(&[])?;
        reader.add_region(then);
        reader.literal("else")?;
        let other = reader.region(&[])?;
        reader.add_region(other);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let [condition] = *printer.operands().as_slice() else { return None };
        let [then, other] = *printer.regions().as_slice() else { return None };
        let has_arguments = [then, other].iter().any(|&region| {
            printer.blocks(region).first().is_some_and(|&entry| !printer.arguments(entry).is_empty())
        });
        if has_arguments || printer.type_text(printer.value_type(condition)) != BOOL {
            return None;
        }
        printer.text(" ");
        printer.value(condition);
        printer.text(" -> (");
        printer.types(&types(printer, &printer.results()));
        printer.text(") ");
        printer.region(then, false, true);
        printer.text(" else ");
        printer.region(other, false, true);
        printer.attr_dict(false, &[]);
        Some(())
    }
}

/// `{…} [`, a line `@slot(%a : t)` for each slot, and `]`
#[derive(Debug)]
struct InitializeSlots;

impl CustomForm for InitializeSlots {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        reader.attr_dict(false)?;
        reader.literal("[")?;
        let mut symbols = Vec::new();
        let (mut operands, mut types) = (Vec::new(), Vec::new());
        while !reader.optional_literal("]") {
            let wanted = reader.expected("']', or the symbol name of a slot");
            let symbol = reader.attribute(None)?;
            match reader.attr_kind(symbol) {
                AttrKind::SymbolRef { nested, .. } if nested.is_empty() => symbols.push(symbol),
                _ => return Err(wanted),
            }
            reader.literal("(")?;
            operands.push(reader.operand()?);
            reader.literal(":")?;
            types.push(reader.ty()?);
            reader.literal(")")?;
        }
        let symbols = reader.intern_attr(AttrKind::Array(symbols.into()));
        reader.set("slotSymNames", symbols);
        reader.add_operands(&operands, &types)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let AttrKind::Array(symbols) = printer.attr_kind(printer.get("slotSymNames")?).clone() else {
            return None;
        };
        let operands = printer.operands();
        let is_name = |&attr: &AttrId| matches!(printer.attr_kind(attr), AttrKind::SymbolRef { nested, .. } if nested.is_empty());
        if symbols.len() != operands.len() || !symbols.iter().all(is_name) {
            return None;
        }
        printer.attr_dict(false, &["slotSymNames"]);
        printer.text(" [");
        for (&symbol, &operand) in symbols.iter().zip(&operands) {
            printer.newline(1);
            printer.attribute(symbol);
            printer.text("(");
            printer.value(operand);
            printer.text(" : ");
            printer.ty(printer.value_type(operand));
            printer.text(")");
        }
        printer.newline(0);
        printer.text("]");
        Some(())
    }
}
