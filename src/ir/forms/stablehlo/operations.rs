//! Operations whose syntax only C++ code describes upstream.

use super::super::lists::{
    arguments, assignments, comma_separated, entry_arguments, function_type, print_assignments,
    typed_arguments, types,
};
use super::integers::{DIALECTS, dialect, integers, integers_attr, integers_of, integers_text};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms, OperandName, PrintedOp};
use crate::ir::ids::{RegionId, TypeId, ValueId};
use crate::ir::types::TypeKind;

pub(super) fn register(forms: &mut Forms) {
    for dialect in DIALECTS {
        forms.add_form(&format!("{dialect}.constant"), Constant);
        forms.add_form(&format!("{dialect}.reduce"), Reduce);
        forms.add_form(&format!("{dialect}.while"), While);
    }
}

/// `stablehlo.constant {…} dense<1.0> : t`, or the generic form without quotes around the name
#[derive(Debug)]
struct Constant;

impl CustomForm for Constant {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let ty = if reader.optional_literal("(") {
            reader.literal(")")?;
            if reader.optional_literal("<") {
                let properties = reader.attribute(None)?;
                if !matches!(reader.attr_kind(properties), AttrKind::Dictionary(_)) {
                    return Err(reader.fail("the properties must be a dictionary"));
                }
                reader.add_attributes(properties)?;
                reader.literal(">")?;
            }
            reader.attr_dict(false)?;
            for word in [":", "(", ")", "->"] {
                reader.literal(word)?;
            }
            vec![reader.ty()?]
        } else {
            reader.attr_dict(false)?;
            let value = reader.attribute(None)?;
            reader.set("value", value);
            reader.type_of_attr(value).into_iter().collect()
        };
        reader.add_results(&ty);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let value = printer.get("value")?;
        if types(printer, &printer.results()) != [printer.type_of_attr(value)?] {
            return None;
        }
        printer.attr_dict(false, &["value"]);
        printer.text(" ");
        printer.attribute(value);
        Some(())
    }
}

/// The operations that `applies` can name: the commutative binary operations.
const COMMUTATIVE: [&str; 7] = ["add", "and", "maximum", "minimum", "multiply", "or", "xor"];

/// `stablehlo.reduce(%a init: %b), (%c init: %d) across dimensions = [0] : (…) -> …` and a line `reducer(…) {…}`, or
/// `applies stablehlo.add` before `across` instead of this line
#[derive(Debug)]
struct Reduce;

impl Reduce {
    /// Creates the region for `applies`.
    fn region(reader: &mut dyn FormReader, op: &str, inputs: &[TypeId]) -> FormResult<RegionId> {
        let dialect = dialect(&reader.op_name()).to_owned();
        let known = op.strip_prefix(&dialect).and_then(|name| name.strip_prefix('.'));
        if !known.is_some_and(|name| COMMUTATIVE.contains(&name)) {
            let names = COMMUTATIVE.map(|name| format!("'{dialect}.{name}'")).join(", ");
            return Err(reader.fail(&format!("'applies' names '{op}', which is not one of {names}")));
        }
        let element = inputs.first().and_then(|&ty| reader.type_kind(ty).element());
        let Some(element) = element else { return Err(reader.fail("the first operand must be a tensor")) };
        let scalar =
            reader.intern_type(TypeKind::RankedTensor { shape: Box::new([]), element, encoding: None });
        let region = reader.empty_region();
        let arguments = reader.add_block(region, &[scalar, scalar]);
        let results = reader.append(region, op, &arguments, &[], &[scalar], &[]);
        reader.append(region, &format!("{dialect}.return"), &results, &[], &[], &[]);
        Ok(region)
    }

    /// The operation name for which [`Reduce::region`] builds a region that equals `region`.
    fn applied(printer: &dyn FormPrinter, region: RegionId, operands: &[ValueId]) -> Option<String> {
        let [block] = *printer.blocks(region).as_slice() else { return None };
        let arguments = printer.arguments(block);
        let (op, last) = (printer.op_at(block, 0)?, printer.op_at(block, 1)?);
        let dialect = dialect(&printer.op_name()).to_owned();
        let name = op.name.strip_prefix(&dialect)?.strip_prefix('.')?;
        let elements: Option<Vec<TypeId>> = operands
            .iter()
            .chain(&arguments)
            .chain(&op.results)
            .map(|&value| printer.type_kind(printer.value_type(value)).element())
            .collect();
        let [first, rest @ ..] = &*elements? else { return None };
        let mut scalars = arguments.iter().chain(&op.results).map(|&value| printer.value_type(value));
        let scalar = |ty| matches!(printer.type_kind(ty), TypeKind::RankedTensor { shape, encoding: None, .. } if shape.is_empty());
        // The C++ printer uses `applies` for operations with attributes too, and loses the attributes.
        let is_plain = |op: &PrintedOp| {
            op.properties == Context::EMPTY_DICTIONARY && op.attrs == Context::EMPTY_DICTIONARY
        };
        let fits = operands.len() == 2
            && arguments.len() == 2
            && COMMUTATIVE.contains(&name)
            && op.operands == arguments
            && last.name == format!("{dialect}.return")
            && last.operands == op.results
            && printer.op_at(block, 2).is_none()
            && rest.iter().all(|ty| ty == first)
            && scalars.all(scalar)
            && is_plain(&op)
            && is_plain(&last);
        fits.then_some(op.name)
    }
}

impl CustomForm for Reduce {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let pairs = comma_separated(reader, |r| {
            r.literal("(")?;
            let input = r.operand()?;
            r.literal("init")?;
            r.literal(":")?;
            let init = r.operand()?;
            r.literal(")")?;
            Ok((input, init))
        })?;
        let (mut operands, inits): (Vec<OperandName>, Vec<OperandName>) = pairs.into_iter().unzip();
        operands.extend(inits);
        let applied = if reader.optional_literal("applies") {
            Some(reader.optional_keyword().ok_or_else(|| reader.expected("the name of an operation"))?)
        } else {
            None
        };
        for word in ["across", "dimensions", "="] {
            reader.literal(word)?;
        }
        let dimensions = integers(reader)?;
        let dimensions = integers_attr(reader, &dimensions)?;
        reader.set("dimensions", dimensions);
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let (inputs, results) = function_type(reader)?;
        reader.add_operands(&operands, &inputs)?;
        reader.add_results(&results);
        let region = match applied {
            Some(op) => Self::region(reader, &op, &inputs)?,
            None => {
                reader.literal("reducer")?;
                let (mut arguments, mut seconds) = (Vec::new(), Vec::new());
                while reader.is_literal("(") {
                    let pair = typed_arguments(reader)?;
                    let [first, second] = *pair.as_slice() else {
                        return Err(reader.expected("two arguments in parentheses"));
                    };
                    arguments.push(first);
                    seconds.push(second);
                }
                arguments.extend(seconds);
                reader.region(&arguments)?
            }
        };
        reader.add_region(region);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let [region] = *printer.regions().as_slice() else { return None };
        let (inputs, inits) = operands.split_at(operands.len() / 2);
        let block = *printer.blocks(region).first()?;
        let arguments = printer.arguments(block);
        if inputs.is_empty() || inputs.len() != inits.len() || arguments.len() != operands.len() {
            return None;
        }
        for (i, (&input, &init)) in inputs.iter().zip(inits).enumerate() {
            printer.text(if i > 0 { ", (" } else { "(" });
            printer.value(input);
            printer.text(" init: ");
            printer.value(init);
            printer.text(")");
        }
        let applied = Self::applied(printer, region, &operands);
        if let Some(op) = &applied {
            printer.text(&format!(" applies {op}"));
        }
        let dimensions = integers_of(printer, printer.get("dimensions")?)?;
        printer.text(&format!(" across dimensions = {}", integers_text(&dimensions)));
        printer.attr_dict(false, &["dimensions"]);
        printer.text(" : ");
        let (inputs, results) = (types(printer, &operands), types(printer, &printer.results()));
        printer.function_type(&inputs, &results);
        if applied.is_some() {
            return Some(());
        }
        printer.newline(0);
        printer.text(" reducer");
        let count = arguments.len() / 2;
        for first in 0..count {
            for (open, index) in [("(", first), (", ", first + count)] {
                printer.text(open);
                printer.value(arguments[index]);
                printer.text(": ");
                printer.ty(printer.value_type(arguments[index]));
                printer.location(printer.argument_loc(block, index));
            }
            printer.text(") ");
        }
        printer.text(" ");
        printer.region(region, false, true);
        Some(())
    }
}

/// `stablehlo.while(%a = %b) : t attributes {…}` and a line `cond {…} do {…}`
#[derive(Debug)]
struct While;

impl CustomForm for While {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let (names, inits) = assignments(reader)?;
        let mut types = Vec::new();
        if !inits.is_empty() {
            reader.literal(":")?;
            types = comma_separated(reader, |r| r.ty())?;
        }
        reader.add_operands(&inits, &types)?;
        reader.add_results(&types);
        reader.attr_dict(true)?;
        let arguments = arguments(reader, &names, &types)?;
        for word in ["cond", "do"] {
            reader.literal(word)?;
            let region = reader.region(&arguments)?;
            reader.add_region(region);
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let [condition, body] = *printer.regions().as_slice() else { return None };
        let arguments = entry_arguments(printer, condition)?;
        let input_types = types(printer, &operands);
        // The text has one list of types for operands, arguments and results, and one list of names for the arguments
        // of both regions.
        let body_arguments = entry_arguments(printer, body)?;
        for values in [&arguments, &body_arguments, &printer.results()] {
            if types(printer, values) != input_types {
                return None;
            }
        }
        if !arguments
            .iter()
            .zip(&body_arguments)
            .all(|(&a, &b)| printer.value_text(a) == printer.value_text(b))
        {
            return None;
        }
        print_assignments(printer, "", &arguments, &operands)?;
        if operands.is_empty() {
            printer.text("()");
        } else {
            printer.text(" : ");
            printer.types(&input_types);
        }
        printer.attr_dict(true, &[]);
        printer.newline(0);
        printer.text("cond ");
        printer.region(condition, false, true);
        printer.text(" do ");
        printer.region(body, false, true);
        Some(())
    }
}
