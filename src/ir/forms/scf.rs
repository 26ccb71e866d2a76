//! Structured control flow.

use super::index_list::i32_array;
use crate::ir::context::Context;
use crate::ir::dialect::{Argument, CustomForm, FormPrinter, FormReader, FormResult, Forms, OperandName};
use crate::ir::ids::{RegionId, TypeId, ValueId};

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("scf.for", For);
    forms.add_form("scf.if", If);
    forms.add_form("scf.while", While);
    forms.add_form("scf.parallel", Parallel);
}

/// Arguments of a region with these names and types.
pub(super) fn arguments(
    reader: &mut dyn FormReader,
    names: &[OperandName],
    types: &[TypeId],
) -> FormResult<Vec<Argument>> {
    if names.len() != types.len() {
        return Err(reader.fail(&format!("{} arguments have {} types", names.len(), types.len())));
    }
    let mut all = Vec::new();
    for (&name, &ty) in names.iter().zip(types) {
        let loc = reader.argument_loc(name)?;
        all.push(Argument { name, ty, attrs: Context::EMPTY_DICTIONARY, loc });
    }
    Ok(all)
}

/// Reads `(%a = %b, …)`.
pub(super) fn assignments(reader: &mut dyn FormReader) -> FormResult<(Vec<OperandName>, Vec<OperandName>)> {
    let (mut names, mut values) = (Vec::new(), Vec::new());
    reader.literal("(")?;
    if !reader.optional_literal(")") {
        loop {
            names.push(reader.operand()?);
            reader.literal("=")?;
            values.push(reader.operand()?);
            if !reader.optional_literal(",") {
                break;
            }
        }
        reader.literal(")")?;
    }
    Ok((names, values))
}

/// Reads `(%a, …)`.
pub(super) fn operand_list(reader: &mut dyn FormReader) -> FormResult<Vec<OperandName>> {
    let mut names = Vec::new();
    reader.literal("(")?;
    if !reader.optional_literal(")") {
        loop {
            names.push(reader.operand()?);
            if !reader.optional_literal(",") {
                break;
            }
        }
        reader.literal(")")?;
    }
    Ok(names)
}

/// Prints `prefix(%a = %b, …)`, or nothing for empty lists.
pub(super) fn print_assignments(
    printer: &mut dyn FormPrinter,
    prefix: &str,
    names: &[ValueId],
    values: &[ValueId],
) -> Option<()> {
    if names.len() != values.len() {
        return None;
    }
    if names.is_empty() {
        return Some(());
    }
    printer.text(prefix);
    printer.text("(");
    for (i, (&name, &value)) in names.iter().zip(values).enumerate() {
        if i > 0 {
            printer.text(", ");
        }
        printer.value(name);
        printer.text(" = ");
        printer.value(value);
    }
    printer.text(")");
    Some(())
}

/// The types of values.
pub(super) fn types(printer: &dyn FormPrinter, values: &[ValueId]) -> Vec<TypeId> {
    values.iter().map(|&value| printer.value_type(value)).collect()
}

/// The arguments of the first block of a region.
pub(super) fn entry_arguments(printer: &dyn FormPrinter, region: RegionId) -> Option<Vec<ValueId>> {
    printer.blocks(region).first().map(|&entry| printer.arguments(entry))
}

/// `scf.for %i = %a to %b step %c iter_args(%x = %y) -> (t) : t {…}`
#[derive(Debug)]
struct For;

impl CustomForm for For {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        if reader.optional_literal("unsigned") {
            reader.set("unsignedCmp", Context::UNIT);
        }
        let mut names = vec![reader.operand()?];
        reader.literal("=")?;
        let mut bounds = vec![reader.operand()?];
        reader.literal("to")?;
        bounds.push(reader.operand()?);
        reader.literal("step")?;
        bounds.push(reader.operand()?);
        let mut inits = Vec::new();
        let mut results = Vec::new();
        if reader.optional_literal("iter_args") {
            let (more, values) = assignments(reader)?;
            names.extend(more);
            inits = values;
            reader.literal("->")?;
            results = reader.result_types()?;
        }
        let ty = if reader.optional_literal(":") { reader.ty()? } else { Context::INDEX };
        let mut all = vec![ty];
        all.extend(&results);
        reader.add_operands(&bounds, &[ty; 3])?;
        reader.add_operands(&inits, &results)?;
        reader.add_results(&results);
        let arguments = arguments(reader, &names, &all)?;
        let region = reader.region(&arguments)?;
        reader.ensure_terminator(region, "scf.yield");
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let region = *printer.regions().first()?;
        let arguments = entry_arguments(printer, region)?;
        let operands = printer.operands();
        let ([low, high, step, inits @ ..], [variable, rest @ ..]) =
            (operands.as_slice(), arguments.as_slice())
        else {
            return None;
        };
        if printer.get("unsignedCmp").is_some() {
            printer.text(" unsigned");
        }
        printer.text(" ");
        printer.value(*variable);
        printer.text(" = ");
        printer.value(*low);
        printer.text(" to ");
        printer.value(*high);
        printer.text(" step ");
        printer.value(*step);
        print_assignments(printer, " iter_args", rest, inits)?;
        if !inits.is_empty() {
            printer.text(" -> (");
            let types = types(printer, inits);
            printer.types(&types);
            printer.text(")");
        }
        printer.text(" ");
        let ty = printer.value_type(*variable);
        if ty != Context::INDEX {
            printer.text(" : ");
            printer.ty(ty);
            printer.text(" ");
        }
        printer.region(region, false, !inits.is_empty());
        printer.attr_dict(false, &["unsignedCmp"]);
        Some(())
    }
}

/// `scf.if %c -> (t) {…} else {…}`
#[derive(Debug)]
struct If;

impl CustomForm for If {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let condition = reader.operand()?;
        reader.add_operands(&[condition], &[Context::I1])?;
        if reader.optional_literal("->") {
            let results = reader.result_types()?;
            reader.add_results(&results);
        }
        let region = reader.region(&[])?;
        reader.ensure_terminator(region, "scf.yield");
        reader.add_region(region);
        let other = if reader.optional_literal("else") {
            let region = reader.region(&[])?;
            reader.ensure_terminator(region, "scf.yield");
            region
        } else {
            reader.empty_region()
        };
        reader.add_region(other);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let ([condition], [then, other]) = (&*printer.operands(), &*printer.regions()) else { return None };
        printer.text(" ");
        printer.value(*condition);
        let results = printer.results();
        if !results.is_empty() {
            printer.text(" -> (");
            let types = types(printer, &results);
            printer.types(&types);
            printer.text(")");
        }
        printer.text(" ");
        printer.region(*then, false, !results.is_empty());
        if !printer.blocks(*other).is_empty() {
            printer.text(" else ");
            printer.region(*other, false, !results.is_empty());
        }
        printer.attr_dict(false, &[]);
        Some(())
    }
}

/// `scf.while (%a = %b) : (t) -> t {…} do {…} attributes {…}`
#[derive(Debug)]
struct While;

impl CustomForm for While {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let (names, inits) =
            if reader.is_literal("(") { assignments(reader)? } else { (Vec::new(), Vec::new()) };
        reader.literal(":")?;
        let mut inputs = Vec::new();
        reader.literal("(")?;
        if !reader.optional_literal(")") {
            loop {
                inputs.push(reader.ty()?);
                if !reader.optional_literal(",") {
                    break;
                }
            }
            reader.literal(")")?;
        }
        reader.literal("->")?;
        let results = reader.result_types()?;
        reader.add_operands(&inits, &inputs)?;
        reader.add_results(&results);
        let arguments = arguments(reader, &names, &inputs)?;
        let before = reader.region(&arguments)?;
        reader.add_region(before);
        reader.literal("do")?;
        let after = reader.region(&[])?;
        reader.add_region(after);
        reader.attr_dict(true)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let [before, after] = &*printer.regions() else { return None };
        let inits = printer.operands();
        let arguments = entry_arguments(printer, *before)?;
        print_assignments(printer, " ", &arguments, &inits)?;
        printer.text(" : ");
        let (inputs, results) = (types(printer, &inits), types(printer, &printer.results()));
        printer.function_type(&inputs, &results);
        printer.text(" ");
        printer.region(*before, false, true);
        printer.text(" do ");
        printer.region(*after, true, true);
        printer.attr_dict(true, &[]);
        Some(())
    }
}

/// `scf.parallel (%i) = (%a) to (%b) step (%c) init (%x) -> t {…}`
#[derive(Debug)]
struct Parallel;

impl CustomForm for Parallel {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let names = operand_list(reader)?;
        reader.literal("=")?;
        let lower = operand_list(reader)?;
        reader.literal("to")?;
        let upper = operand_list(reader)?;
        reader.literal("step")?;
        let steps = operand_list(reader)?;
        let inits = if reader.optional_literal("init") { operand_list(reader)? } else { Vec::new() };
        let results = if reader.optional_literal("->") { reader.result_types()? } else { Vec::new() };
        for list in [&lower, &upper, &steps] {
            reader.add_operands(list, &vec![Context::INDEX; list.len()])?;
        }
        reader.add_operands(&inits, &results)?;
        reader.add_results(&results);
        let sizes = i32_array(reader, &[lower.len(), upper.len(), steps.len(), inits.len()]);
        reader.set("operandSegmentSizes", sizes);
        let arguments = arguments(reader, &names, &vec![Context::INDEX; names.len()])?;
        let region = reader.region(&arguments)?;
        reader.ensure_terminator(region, "scf.reduce");
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let region = *printer.regions().first()?;
        let arguments = entry_arguments(printer, region)?;
        let sizes = printer.sizes("operandSegmentSizes")?;
        let [lower, upper, steps, inits] = *sizes.as_slice() else { return None };
        let operands = printer.operands();
        if operands.len() != sizes.iter().sum::<usize>() {
            return None;
        }
        let mut at = 0;
        printer.text(" (");
        printer.values(&arguments);
        printer.text(")");
        for (word, size) in [(" = (", lower), (" to (", upper), (" step (", steps)] {
            printer.text(word);
            printer.values(&operands[at..at + size]);
            printer.text(")");
            at += size;
        }
        if inits > 0 {
            printer.text(" init (");
            printer.values(&operands[at..]);
            printer.text(")");
        }
        let results = types(printer, &printer.results());
        printer.arrow_types(&results);
        printer.text(" ");
        printer.region(region, false, true);
        printer.attr_dict(false, &["operandSegmentSizes"]);
        Some(())
    }
}
