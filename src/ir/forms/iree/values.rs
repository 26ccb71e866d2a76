//! Lists of ranges, values, constants and slices, the types of lists, and two operations of the dialect `util`.

use super::super::error::wrong_arguments;
use super::super::lists::{comma_separated, enclosed, types};
use super::shaped::{print_shaped, read_shaped};
use super::tied::{index_attr, integers};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::ids::{AttrId, TypeId};

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("RangeList", Ranges);
    forms.add_directive("TypedValueList", Values);
    forms.add_directive("ListTypeGet", ListType { is_set: false });
    forms.add_directive("ListTypeSet", ListType { is_set: true });
    forms.add_directive("ConstantValueList", Constants);
    forms.add_directive("PackSliceRanges", PackSlices);
    forms.add_form("util.assume.int", Assumptions);
    forms.add_form("util.unfoldable_constant", UnfoldableConstant);
}

/// `[%offset for %length], [%offset for %length]`
#[derive(Debug)]
struct Ranges;

impl CustomDirective for Ranges {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [offsets_arg, lengths_arg] = args else {
            return Err(wrong_arguments(reader, "RangeList", "two arguments", args));
        };
        let ranges = comma_separated(reader, |r| {
            r.literal("[")?;
            let offset = r.operand()?;
            r.literal("for")?;
            let length = r.operand()?;
            r.literal("]")?;
            Ok((offset, length))
        })?;
        let (offsets, lengths): (Vec<_>, Vec<_>) = ranges.into_iter().unzip();
        reader.put_operands(offsets_arg, &offsets);
        reader.put_operands(lengths_arg, &lengths);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [offsets, lengths] = args else { return None };
        let (offsets, lengths) = (printer.group(offsets), printer.group(lengths));
        if offsets.is_empty() || offsets.len() != lengths.len() {
            return None;
        }
        for (i, (&offset, &length)) in offsets.iter().zip(&lengths).enumerate() {
            printer.text(if i > 0 { ", [" } else { "[" });
            printer.value(offset);
            printer.text(" for ");
            printer.value(length);
            printer.text("]");
        }
        Some(())
    }
}

/// `[%a, %b]`: values that all have the type of the first argument.
#[derive(Debug)]
struct Values;

impl CustomDirective for Values {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [type_arg, values_arg, types_arg] = args else {
            return Err(wrong_arguments(reader, "TypedValueList", "three arguments", args));
        };
        let values = enclosed(reader, ("[", "]"), |r| r.operand())?;
        let [ty] = *reader.types_of(type_arg).as_slice() else {
            return Err(reader.fail("the type of the values must precede the list"));
        };
        reader.put_operands(values_arg, &values);
        reader.put_types(types_arg, &vec![ty; values.len()]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [type_arg, values_arg, _] = args else { return None };
        let [ty] = *printer.types_of(type_arg).as_slice() else { return None };
        let values = printer.group(values_arg);
        if values.iter().any(|&value| printer.value_type(value) != ty) {
            return None;
        }
        printer.text("[");
        printer.values(&values);
        printer.text("]");
        Some(())
    }
}

/// The type of a list and the type of an element. The text `!util.list<t>` states both. For a list whose elements can
/// have any type, the text is `!util.list<?> -> t` or, if `is_set` is true, `t -> !util.list<?>`.
#[derive(Debug)]
struct ListType {
    is_set: bool,
}

const LIST: &str = "!util.list<";
const ANY_LIST: &str = "!util.list<?>";

/// The text of the element type in the text of a list type.
fn element(list: &str) -> Option<&str> {
    list.strip_prefix(LIST)?.strip_suffix('>')
}

impl CustomDirective for ListType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [list_arg, element_arg] = args else {
            let name = if self.is_set { "ListTypeSet" } else { "ListTypeGet" };
            return Err(wrong_arguments(reader, name, "two arguments", args));
        };
        let (mut list, mut element_type) = (reader.ty()?, None);
        if reader.optional_literal("->") {
            let second = reader.ty()?;
            (list, element_type) = if self.is_set { (second, Some(list)) } else { (list, Some(second)) };
        }
        let element_type = match element_type {
            Some(ty) => ty,
            None => {
                let text = reader.type_text(list);
                let Some(element) = element(&text).filter(|_| text != ANY_LIST) else {
                    return Err(reader.expected("'->' and the type of the element, or a list with one type"));
                };
                reader.type_of_text(element)?
            }
        };
        reader.put_types(list_arg, &[list]);
        reader.put_types(element_arg, &[element_type]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [list_arg, element_arg] = args else { return None };
        let [list] = *printer.types_of(list_arg).as_slice() else { return None };
        let [ty] = *printer.types_of(element_arg).as_slice() else { return None };
        let text = printer.type_text(list);
        if text != ANY_LIST && element(&text) == Some(&printer.type_text(ty)) {
            printer.ty(list);
            return Some(());
        }
        let (first, second) = if self.is_set { (ty, list) } else { (list, ty) };
        printer.ty(first);
        printer.text(" -> ");
        printer.ty(second);
        Some(())
    }
}

/// One line for each result, `t{%size} = value`. The arguments are the types, the sizes and the values.
#[derive(Debug)]
struct Constants;

impl CustomDirective for Constants {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [types_arg, sizes_arg, values_arg] = args else {
            return Err(wrong_arguments(reader, "ConstantValueList", "three arguments", args));
        };
        let mut sizes = Vec::new();
        let items = comma_separated(reader, |r| {
            let ty = read_shaped(r, &mut sizes)?;
            r.literal("=")?;
            Ok((ty, r.attribute(None)?))
        })?;
        let (types, values): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        reader.put_types(types_arg, &types);
        reader.put_operands(sizes_arg, &sizes);
        let values = reader.intern_attr(AttrKind::Array(values.into()));
        reader.put_attribute(values_arg, values);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [types, sizes, values] = args else { return None };
        let (types, sizes) = (printer.types_of(types), printer.group(sizes));
        let mut sizes = sizes.as_slice();
        let AttrKind::Array(values) = printer.attr_kind(printer.attribute_of(values)?).clone() else {
            return None;
        };
        if types.is_empty() || values.len() != types.len() {
            return None;
        }
        for (i, (&ty, &value)) in types.iter().zip(&values).enumerate() {
            printer.text(if i > 0 { "," } else { "" });
            printer.newline(1);
            print_shaped(printer, ty, &mut sizes)?;
            printer.text(" = ");
            printer.attribute(value);
        }
        sizes.is_empty().then_some(())
    }
}

/// One line for each slice, `[0, 1] = %size`. The arguments are the first and last uses of the slices, their sizes, and
/// the types of the results.
#[derive(Debug)]
struct PackSlices;

impl CustomDirective for PackSlices {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [intervals_arg, sizes_arg, types_arg] = args else {
            return Err(wrong_arguments(reader, "PackSliceRanges", "three arguments", args));
        };
        let mut intervals = Vec::new();
        let mut sizes = Vec::new();
        if reader.is_literal("[") {
            sizes = comma_separated(reader, |r| {
                r.literal("[")?;
                for separator in [",", "]"] {
                    let Some(place) = r.optional_integer()? else { return Err(r.expected("an integer")) };
                    intervals.push(index_attr(r, place));
                    r.literal(separator)?;
                }
                r.literal("=")?;
                r.operand()
            })?;
        }
        let intervals = reader.intern_attr(AttrKind::Array(intervals.into()));
        reader.put_attribute(intervals_arg, intervals);
        reader.put_operands(sizes_arg, &sizes);
        reader.put_types(types_arg, &vec![Context::INDEX; sizes.len()]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [intervals, sizes, types] = args else { return None };
        let (attr, sizes) = (printer.attribute_of(intervals)?, printer.group(sizes));
        let intervals = integers(printer, attr)?;
        let types = printer.types_of(types);
        let AttrKind::Array(items) = printer.attr_kind(attr) else { return None };
        let is_index = |&item: &AttrId| printer.type_of_attr(item) == Some(Context::INDEX);
        if intervals.len() != 2 * sizes.len()
            || types != vec![Context::INDEX; sizes.len()]
            || !items.iter().all(is_index)
        {
            return None;
        }
        for (i, (interval, &size)) in intervals.chunks(2).zip(&sizes).enumerate() {
            printer.text(if i > 0 { "," } else { "" });
            printer.newline(1);
            printer.text(&format!("[{}, {}] = ", interval[0], interval[1]));
            printer.value(size);
        }
        printer.newline(0);
        Some(())
    }
}

/// `%a<umin = 0, umax = 9>, %b[<udiv = 2>, <udiv = 4>] : index, index`: integers and assumptions about them.
#[derive(Debug)]
struct Assumptions;

const ASSUMPTION: &str = "#util.int.assumption";

impl CustomForm for Assumptions {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let (mut operands, mut all) = (Vec::new(), Vec::new());
        if reader.is_operand() {
            operands = comma_separated(reader, |r| {
                let operand = r.operand()?;
                let items = match r.is_literal("[") {
                    true => enclosed(r, ("[", "]"), |r| r.stripped(ASSUMPTION))?,
                    false => vec![r.stripped(ASSUMPTION)?],
                };
                all.push(r.intern_attr(AttrKind::Array(items.into())));
                Ok(operand)
            })?;
        }
        reader.literal(":")?;
        let mut types: Vec<TypeId> = Vec::new();
        if reader.is_type() {
            types = comma_separated(reader, |r| r.ty())?;
        }
        let all = reader.intern_attr(AttrKind::Array(all.into()));
        reader.set("assumptions", all);
        reader.add_operands(&operands, &types)?;
        reader.add_results(&types);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let operand_types = types(printer, &operands);
        let AttrKind::Array(all) = printer.attr_kind(printer.get("assumptions")?).clone() else {
            return None;
        };
        let results = types(printer, &printer.results());
        if all.len() != operands.len() || results != operand_types {
            return None;
        }
        let is_one_line = operands.len() == 1;
        printer.text(" ");
        for (i, (&operand, &items)) in operands.iter().zip(&all).enumerate() {
            let AttrKind::Array(items) = printer.attr_kind(items).clone() else { return None };
            printer.text(if i > 0 { ", " } else { "" });
            if !is_one_line {
                printer.newline(2);
            }
            printer.value(operand);
            printer.text(if items.len() == 1 { "" } else { "[" });
            for (i, &item) in items.iter().enumerate() {
                if !printer.attr_text(item).starts_with(ASSUMPTION) {
                    return None;
                }
                printer.text(if i > 0 { ", " } else { "" });
                printer.stripped(ASSUMPTION, item);
            }
            printer.text(if items.len() == 1 { "" } else { "]" });
        }
        if is_one_line {
            printer.text(" ");
        } else {
            printer.newline(1);
        }
        printer.text(": ");
        printer.types(&operand_types);
        printer.attr_dict(false, &["assumptions"]);
        Some(())
    }
}

/// `{…} value : t`
#[derive(Debug)]
struct UnfoldableConstant;

impl CustomForm for UnfoldableConstant {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        reader.attr_dict(false)?;
        let value = reader.attribute(None)?;
        reader.set("value", value);
        let ty = match reader.attr_kind(value) {
            AttrKind::SymbolRef { .. } => {
                reader.literal(":")?;
                Some(reader.ty()?)
            }
            _ => reader.type_of_attr(value),
        };
        let Some(ty) = ty else { return Err(reader.fail("the value must have a type")) };
        reader.add_results(&[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let value = printer.get("value")?;
        let [result] = *printer.results().as_slice() else { return None };
        let ty = printer.value_type(result);
        let is_symbol = matches!(printer.attr_kind(value), AttrKind::SymbolRef { .. });
        if !is_symbol && printer.type_of_attr(value) != Some(ty) {
            return None;
        }
        printer.text(" ");
        printer.attr_dict(false, &["value"]);
        if printer.has_attributes_but(&["value"]) {
            printer.text(" ");
        }
        printer.attribute(value);
        if is_symbol {
            printer.text(" : ");
            printer.ty(ty);
        }
        Some(())
    }
}
