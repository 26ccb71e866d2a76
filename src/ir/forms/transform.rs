//! Operations and directives of the transform dialect.
//!
//! Specification: the forms and directives read and print the same texts as their C++ code in MLIR.

use hashbrown::HashSet;

use super::error::wrong_arguments;
use super::index_list::{i64_array, i64_items, print_list, read_list};
use super::lists::{comma_separated, enclosed};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms, OperandName,
};
use crate::ir::ids::{AttrId, ValueId};
use crate::ir::types::DYNAMIC;
use crate::stack::with_room;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("transform.structured.split", Split);
    forms.add_directive("SequenceOpOperands", SequenceOperands);
    forms.add_directive("SemiFunctionType", SemiFunctionType);
    forms.add_directive("PackedOrDynamicIndexList", PackedList);
    forms.add_directive("TransformMatchDims", MatchDims);
    forms.add_directive("ForeachMatchSymbols", MatchSymbols);
    forms.add_directive("ApplyRegisteredPassOptions", PassOptions);
}

/// `transform.structured.split %target after 4 {…} : t` or `… after %size {…} : t, u`
#[derive(Debug)]
struct Split;

impl CustomForm for Split {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let target = reader.operand()?;
        reader.literal("after")?;
        let size = if reader.is_operand() { Some(reader.operand()?) } else { None };
        let number = match size {
            Some(_) => DYNAMIC,
            None => reader.optional_integer()?.ok_or_else(|| reader.expected("an operand or an integer"))?,
        };
        let number = reader.attr_of_text(&format!("{number} : i64"))?;
        reader.set("static_chunk_sizes", number);
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let ty = reader.ty()?;
        reader.add_operands(&[target], &[ty])?;
        if let Some(size) = size {
            reader.literal(",")?;
            let size_type = reader.ty()?;
            reader.add_operands(&[size], &[size_type])?;
        }
        reader.add_results(&[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let AttrKind::Integer { value, .. } = printer.attr_kind(printer.get("static_chunk_sizes")?) else {
            return None;
        };
        let number = value.to_i64()?;
        printer.text(" ");
        printer.value(*operands.first()?);
        printer.text(" after ");
        match operands.get(1) {
            Some(&size) => printer.value(size),
            None => printer.text(&number.to_string()),
        }
        printer.text(" ");
        printer.attr_dict(false, &["static_chunk_sizes"]);
        printer.text(" : ");
        let types = super::lists::types(printer, &operands);
        printer.types(&types);
        Some(())
    }
}

/// `%root : t`, or `%root, %more : (t, u)`, which is also read without parentheses
#[derive(Debug)]
struct SequenceOperands;

impl CustomDirective for SequenceOperands {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [root, root_type, more, more_types] = args else {
            return Err(wrong_arguments(reader, "SequenceOpOperands", "four arguments", args));
        };
        if !reader.is_operand() {
            return Ok(());
        }
        let operands = comma_separated(reader, |r| r.operand())?;
        reader.literal(":")?;
        let types = match reader.is_literal("(") {
            true => enclosed(reader, ("(", ")"), |r| r.ty())?,
            false => comma_separated(reader, |r| r.ty())?,
        };
        reader.put_operands(root, &operands[..1]);
        reader.put_operands(more, &operands[1..]);
        reader.put_types(root_type, types.get(..1).unwrap_or(&[]));
        reader.put_types(more_types, types.get(1..).unwrap_or(&[]));
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [root, root_type, more, more_types] = args else { return None };
        let operands = [printer.group(root), printer.group(more)].concat();
        if operands.is_empty() {
            return Some(());
        }
        let types = [printer.types_of(root_type), printer.types_of(more_types)].concat();
        printer.values(&operands);
        printer.text(if types.len() > 1 { " : (" } else { " : " });
        printer.types(&types);
        printer.text(if types.len() > 1 { ")" } else { "" });
        Some(())
    }
}

/// `t` without results, or `(t) -> u` with results.
#[derive(Debug)]
struct SemiFunctionType;

impl CustomDirective for SemiFunctionType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let types: Vec<&DirectiveArg> =
            args.iter().filter(|arg| matches!(arg, DirectiveArg::Type(_))).collect();
        let Some((results, inputs)) = types.split_last() else {
            return Err(wrong_arguments(reader, "SemiFunctionType", "at least one type", args));
        };
        let has_results = reader.is_literal("(");
        let given = match has_results {
            true => enclosed(reader, ("(", ")"), |r| r.ty())?,
            false => comma_separated(reader, |r| r.ty())?,
        };
        if given.len() != inputs.len() {
            let (wanted, given) = (inputs.len(), given.len());
            return Err(reader.fail(&format!("the number of operand types must be {wanted}, not {given}")));
        }
        for (arg, ty) in inputs.iter().zip(given) {
            reader.put_types(arg, &[ty]);
        }
        let made = if has_results {
            reader.literal("->")?;
            reader.result_types()?
        } else {
            Vec::new()
        };
        reader.put_types(results, &made);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let types: Vec<&DirectiveArg> =
            args.iter().filter(|arg| matches!(arg, DirectiveArg::Type(_))).collect();
        let (results, inputs) = types.split_last()?;
        let inputs: Vec<_> = inputs.iter().flat_map(|arg| printer.types_of(arg)).collect();
        let results = printer.types_of(results);
        if results.is_empty() {
            printer.types(&inputs);
        } else {
            printer.function_type(&inputs, &results);
        }
        Some(())
    }
}

/// `*(%packed)` or a list of integers and values.
#[derive(Debug)]
struct PackedList;

impl CustomDirective for PackedList {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [packed, values, integers] = args else {
            return Err(wrong_arguments(reader, "PackedOrDynamicIndexList", "three arguments", args));
        };
        let mut numbers = Vec::new();
        if reader.optional_literal("*") {
            reader.literal("(")?;
            let operand = reader.operand()?;
            reader.literal(")")?;
            reader.put_operands(packed, &[operand]);
        } else {
            let list = read_list(reader, ("[", "]"), false)?;
            reader.put_operands(values, &list.values);
            numbers = list.integers;
        }
        let numbers = i64_array(reader, &numbers);
        reader.put_attribute(integers, numbers);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [packed, values, integers] = args else { return None };
        let packed = printer.group(packed);
        if !packed.is_empty() {
            printer.text("*(");
            printer.values(&packed);
            printer.text(")");
            return Some(());
        }
        let numbers = i64_items(printer, printer.attribute_of(integers)?)?;
        let values = printer.group(values);
        print_list(printer, ("[", "]"), &values, &numbers, &[], false)
    }
}

/// `all`, `0, 1` or `except(0)`
#[derive(Debug)]
struct MatchDims;

impl CustomDirective for MatchDims {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [dims, inverted, all] = args else {
            return Err(wrong_arguments(reader, "TransformMatchDims", "three arguments", args));
        };
        let integer = |r: &mut dyn FormReader| r.optional_integer()?.ok_or_else(|| r.expected("an integer"));
        let mut numbers = Vec::new();
        if reader.optional_literal("all") {
            reader.put_attribute(all, Context::UNIT);
        } else if reader.optional_literal("except") {
            reader.put_attribute(inverted, Context::UNIT);
            numbers = enclosed(reader, ("(", ")"), integer)?;
        } else {
            numbers = comma_separated(reader, integer)?;
        }
        let numbers = i64_array(reader, &numbers);
        reader.put_attribute(dims, numbers);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [dims, inverted, all] = args else { return None };
        if printer.attribute_of(all).is_some() {
            printer.text("all");
            return Some(());
        }
        let numbers = i64_items(printer, printer.attribute_of(dims)?)?;
        let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
        let text = texts.join(", ");
        match printer.attribute_of(inverted) {
            Some(_) => printer.text(&format!("except({text})")),
            None => printer.text(&text),
        }
        Some(())
    }
}

/// Reads `@name`.
fn symbol_without_nesting(reader: &mut dyn FormReader) -> FormResult<AttrId> {
    let wanted = reader.expected("a symbol name without nested names");
    match reader.attribute(None) {
        Ok(symbol) if is_not_nested(reader.attr_kind(symbol)) => Ok(symbol),
        _ => Err(wanted),
    }
}

/// True for `@name`.
fn is_not_nested(symbol: &AttrKind) -> bool {
    matches!(symbol, AttrKind::SymbolRef { nested, .. } if nested.is_empty())
}

/// `@matcher -> @action, …`, one pair per line.
#[derive(Debug)]
struct MatchSymbols;

impl CustomDirective for MatchSymbols {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [matchers, actions] = args else {
            return Err(wrong_arguments(reader, "ForeachMatchSymbols", "two arguments", args));
        };
        let pairs = comma_separated(reader, |r| {
            let matcher = symbol_without_nesting(r)?;
            r.literal("->")?;
            Ok((matcher, symbol_without_nesting(r)?))
        })?;
        let (first, second): (Vec<AttrId>, Vec<AttrId>) = pairs.into_iter().unzip();
        for (arg, list) in [(matchers, first), (actions, second)] {
            let list = reader.intern_attr(AttrKind::Array(list.into()));
            reader.put_attribute(arg, list);
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [matchers, actions] = args else { return None };
        let list = |arg: &DirectiveArg| match printer.attr_kind(printer.attribute_of(arg)?) {
            AttrKind::Array(items) => Some(items.to_vec()),
            _ => None,
        };
        let (matchers, actions) = (list(matchers)?, list(actions)?);
        // MLIR prints nested names here, but does not read them.
        if !matchers.iter().chain(&actions).all(|&symbol| is_not_nested(printer.attr_kind(symbol))) {
            return None;
        }
        for (i, (matcher, action)) in matchers.into_iter().zip(actions).enumerate() {
            if i > 0 {
                printer.text(",");
            }
            printer.newline(2);
            printer.attribute(matcher);
            printer.text(" -> ");
            printer.attribute(action);
        }
        Some(())
    }
}

/// `{"name" = value, …}` or `{name = value, …}`. A value is an attribute, an operand, or a list of values.
#[derive(Debug)]
struct PassOptions;

/// The maximum nesting of lists in the options of a pass.
const LIST_LIMIT: u32 = 100;

/// Reads an attribute, an operand, or a list of values. An operand is appended to `operands` and represented by an
/// attribute with its index in `operands`. `depth` is the number of lists around the value.
fn option_value(
    reader: &mut dyn FormReader,
    operands: &mut Vec<OperandName>,
    depth: u32,
) -> FormResult<AttrId> {
    if reader.is_literal("[") {
        if depth == LIST_LIMIT {
            return Err(reader.fail(&format!("lists are nested deeper than {LIST_LIMIT} levels")));
        }
        let items = enclosed(reader, ("[", "]"), |r| with_room(|| option_value(r, operands, depth + 1)))?;
        if items.is_empty() {
            return Err(reader.fail("a list in the options of a pass cannot be empty"));
        }
        return Ok(reader.intern_attr(AttrKind::Array(items.into())));
    }
    if !reader.is_operand() {
        let value = reader.attribute(None)?;
        if reader.attr_text(value).starts_with("#transform.param_operand") {
            return Err(reader.fail("'#transform.param_operand' cannot be written: write the operand"));
        }
        return Ok(value);
    }
    operands.push(reader.operand()?);
    let index = operands.len() - 1;
    reader.attr_of_text(&format!("#transform.param_operand<index={index}>"))
}

fn print_option(printer: &mut dyn FormPrinter, value: AttrId, operands: &[ValueId]) -> Option<()> {
    if let AttrKind::Array(items) = printer.attr_kind(value).clone() {
        printer.text("[");
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                printer.text(", ");
            }
            with_room(|| print_option(printer, item, operands))?;
        }
        printer.text("]");
        return Some(());
    }
    let text = printer.attr_text(value);
    let param = text.strip_prefix("#transform.param_operand<index").and_then(|rest| rest.strip_suffix('>'));
    match param.and_then(|rest| rest.trim_start().strip_prefix('=')) {
        Some(index) => {
            let index = index.trim().split(' ').next()?.parse::<usize>().ok()?;
            printer.value(*operands.get(index)?);
        }
        None => printer.attribute(value),
    }
    Some(())
}

impl CustomDirective for PassOptions {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [options, dynamic] = args else {
            return Err(wrong_arguments(reader, "ApplyRegisteredPassOptions", "two arguments", args));
        };
        let mut operands = Vec::new();
        let entries = enclosed(reader, ("{", "}"), |r| {
            let name = r.optional_string().or_else(|| r.optional_keyword());
            let Some(name) = name else { return Err(r.expected("the name of an option")) };
            r.literal("=")?;
            Ok((name, option_value(r, &mut operands, 0)?))
        })?;
        let names: HashSet<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
        if names.len() < entries.len() {
            return Err(reader.fail("the options contain a name twice"));
        }
        let entries: Vec<_> = entries.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let entries = reader.dictionary_of(&entries);
        reader.put_attribute(options, entries);
        reader.put_operands(dynamic, &operands);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [options, dynamic] = args else { return None };
        let operands = printer.group(dynamic);
        printer.text("{");
        for (i, (name, value)) in printer.entries(printer.attribute_of(options)?).into_iter().enumerate() {
            if i > 0 {
                printer.text(", ");
            }
            printer.string(&name);
            printer.text(" = ");
            print_option(printer, value, &operands)?;
        }
        printer.text("}");
        Some(())
    }
}
