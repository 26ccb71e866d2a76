//! Operations of the tosa dialect: those whose enums are written as words in the dictionary, and control flow.

use super::error::wrong_arguments;
use super::lists::{
    arguments, assignments, comma_separated, dense_i64, dense_text, enclosed, entry_arguments, function_type,
    optional_results, print_assignments, types,
};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::types::TypeKind;

pub(super) fn register(forms: &mut Forms) {
    for op in [
        "apply_scale",
        "argmax",
        "cast_from_block_scaled",
        "cast_to_block_scaled",
        "clamp",
        "matmul_t_block_scaled",
        "max_pool2d",
        "maximum",
        "minimum",
        "reduce_max",
        "reduce_min",
        "rescale",
        "resize",
    ] {
        forms.add_form(&format!("tosa.{op}"), WithEnums);
    }
    forms.add_form("tosa.cond_if", CondIf);
    forms.add_form("tosa.while_loop", WhileLoop);
    forms.add_directive("VariableOpTypeOrInitialValue", VariableType);
}

/// The attributes that are written as words, each with its class and with its default value, if it has one. The default
/// value is not printed.
const ENUMS: [(&str, &str, Option<&str>); 4] = [
    ("nan_mode", "#tosa.nan_mode", Some("PROPAGATE")),
    ("rounding_mode", "#tosa.rounding_mode", None),
    ("mode", "#tosa.resize_mode", None),
    ("block_size", "#tosa.block_size", None),
];

/// `tosa.resize %a, %b {mode = BILINEAR} : (t, u) -> v`
#[derive(Debug)]
struct WithEnums;

impl CustomForm for WithEnums {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let operands = comma_separated(reader, |r| r.operand())?;
        let mut entries = Vec::new();
        if reader.is_literal("{") {
            entries = enclosed(reader, ("{", "}"), |r| {
                let name = r.optional_keyword().or_else(|| r.optional_string());
                let Some(name) = name else { return Err(r.expected("the name of an attribute")) };
                if !r.optional_literal("=") {
                    return Ok((name, Context::UNIT));
                }
                let class = ENUMS.iter().find(|(known, ..)| *known == name);
                let word = class.and_then(|_| r.optional_keyword());
                let value = match (class, word) {
                    (Some((_, class, _)), Some(word)) => r.attr_of_text(&format!("{class}<{word}>"))?,
                    _ => r.attribute(None)?,
                };
                Ok((name, value))
            })?;
        }
        let entries: Vec<_> = entries.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let entries = reader.dictionary_of(&entries);
        reader.add_attributes(entries)?;
        reader.literal(":")?;
        let (inputs, results) = function_type(reader)?;
        reader.add_operands(&operands, &inputs)?;
        reader.add_results(&results);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        printer.text(" ");
        printer.values(&operands);
        let mut first = true;
        for (name, value) in printer.all_entries() {
            let mut text = None;
            if let Some((_, class, default)) = ENUMS.iter().find(|(known, ..)| *known == name) {
                let whole = printer.attr_text(value);
                let word = whole.strip_prefix(*class).map(|word| word.trim_matches(['<', '>']).to_owned());
                if word.as_deref() == *default && word.is_some() {
                    continue;
                }
                text = word;
            }
            printer.text(if std::mem::take(&mut first) { " {" } else { ", " });
            printer.text(&name);
            if value == Context::UNIT {
                continue;
            }
            printer.text(" = ");
            match text {
                Some(word) => printer.text(&word),
                None => printer.attribute(value),
            }
        }
        printer.text(if first { " : " } else { "} : " });
        let (inputs, results) = (types(printer, &operands), types(printer, &printer.results()));
        printer.function_type(&inputs, &results);
        Some(())
    }
}

/// `tosa.cond_if %c (%a = %b) : tensor<i1> (t) -> u {…} else {…}`
#[derive(Debug)]
struct CondIf;

impl CustomForm for CondIf {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let condition = reader.operand()?;
        let named = reader.is_literal("(");
        let (_, values) = if named { assignments(reader)? } else { (Vec::new(), Vec::new()) };
        reader.literal(":")?;
        let ty = reader.ty()?;
        reader.add_operands(&[condition], &[ty])?;
        let (inputs, results) =
            if named { function_type(reader)? } else { (Vec::new(), optional_results(reader)?) };
        reader.add_operands(&values, &inputs)?;
        reader.add_results(&results);
        // The labels of the entry blocks name the arguments again. The names in `(%a = %b)` have no effect.
        let then = reader.region(&[])?;
        reader.add_region(then);
        let other = if reader.optional_literal("else") { reader.region(&[])? } else { reader.empty_region() };
        reader.add_region(other);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let (&condition, values) = operands.split_first()?;
        let [then, other] = *printer.regions().as_slice() else { return None };
        printer.text(" ");
        printer.value(condition);
        let names = entry_arguments(printer, then)?;
        print_assignments(printer, " ", &names, values)?;
        printer.text(" : ");
        printer.ty(printer.value_type(condition));
        if !values.is_empty() {
            printer.text(" (");
            let types = types(printer, values);
            printer.types(&types);
            printer.text(")");
        }
        let results = types(printer, &printer.results());
        printer.arrow_types(&results);
        printer.text(" ");
        printer.region(then, true, true);
        printer.text(" else ");
        printer.region(other, true, true);
        printer.attr_dict(false, &[]);
        Some(())
    }
}

/// `tosa.while_loop (%a = %b) : (t) -> t {…} do {…}`
#[derive(Debug)]
struct WhileLoop;

impl CustomForm for WhileLoop {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let named = reader.is_literal("(");
        let (names, values) = if named { assignments(reader)? } else { (Vec::new(), Vec::new()) };
        reader.literal(":")?;
        let (inputs, results) = function_type(reader)?;
        reader.add_operands(&values, &inputs)?;
        reader.add_results(&results);
        let arguments = arguments(reader, &names, &inputs)?;
        let condition = reader.region(&arguments)?;
        reader.add_region(condition);
        reader.literal("do")?;
        let body = reader.region(&[])?;
        reader.add_region(body);
        reader.attr_dict(true)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let [condition, body] = *printer.regions().as_slice() else { return None };
        let names = entry_arguments(printer, condition)?;
        print_assignments(printer, " ", &names, &operands)?;
        printer.text(" : ");
        let (inputs, results) = (types(printer, &operands), types(printer, &printer.results()));
        printer.function_type(&inputs, &results);
        printer.text(" ");
        printer.region(condition, false, true);
        printer.text(" do ");
        printer.region(body, true, true);
        printer.attr_dict(true, &[]);
        Some(())
    }
}

/// `: tensor<2xi8>` or `= dense<1> : tensor<2xi8>`
#[derive(Debug)]
struct VariableType;

impl CustomDirective for VariableType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [shape, element, value] = args else {
            return Err(wrong_arguments(reader, "VariableOpTypeOrInitialValue", "three arguments", args));
        };
        let ty = if reader.optional_literal("=") {
            let initial = reader.attribute(None)?;
            reader.put_attribute(value, initial);
            reader.type_of_attr(initial)
        } else {
            reader.literal(":")?;
            Some(reader.ty()?)
        };
        let kind = ty.map(|ty| reader.type_kind(ty).clone());
        let Some(TypeKind::RankedTensor { shape: sizes, element: scalar, .. }) = kind else {
            return Err(reader.fail("the type must be a ranked tensor"));
        };
        let texts: Vec<String> = sizes
            .iter()
            .map(|&size| if size == crate::ir::types::DYNAMIC { -1 } else { size }.to_string())
            .collect();
        let sizes = reader.attr_of_text(&dense_text(&texts, &format!("{}xindex", texts.len())))?;
        reader.put_attribute(shape, sizes);
        let scalar = reader.intern_attr(AttrKind::Type(scalar));
        reader.put_attribute(element, scalar);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [shape, element, value] = args else { return None };
        if let Some(value) = printer.attribute_of(value) {
            printer.text("= ");
            printer.attribute(value);
            return Some(());
        }
        let AttrKind::Type(scalar) = *printer.attr_kind(printer.attribute_of(element)?) else { return None };
        let sizes = dense_i64(printer, printer.attribute_of(shape)?, Context::INDEX, 1)?;
        printer.text(": tensor<");
        for size in sizes {
            match size {
                -1 => printer.text("?x"),
                size => printer.text(&format!("{size}x")),
            }
        }
        printer.ty(scalar);
        printer.text(">");
        Some(())
    }
}
