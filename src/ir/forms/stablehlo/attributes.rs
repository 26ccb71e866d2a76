//! Directives for operands and attributes.

use super::super::error::wrong_arguments;
use super::super::lists::{ELEMENT_LIMIT, dense_i64, dense_text, enclosed};
use super::classes::{CONVOLUTION, DOT, are_dimensions, is_convolution, wanted_dimensions};
use super::integers::{dialect, integers, integers_attr, integers_of, integers_text};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms};
use crate::ir::ids::AttrId;

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("ConvolutionDimensions", ConvolutionDimensions);
    forms.add_directive("CustomCallTarget", CallTarget);
    forms.add_directive("DotDimensionNumbers", DotDimensions);
    forms.add_directive("ExponentMantissa", ExponentMantissa);
    forms.add_directive("PrecisionConfig", Precisions);
    forms.add_directive("SliceRanges", SliceRanges);
    forms.add_directive("VariadicOperandWithAttribute", OperandsBeforeAttribute);
    forms.add_directive("WindowAttributes", WindowAttributes);
}

/// `%a, %b,` before an attribute.
#[derive(Debug)]
struct OperandsBeforeAttribute;

impl CustomDirective for OperandsBeforeAttribute {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands] = args else {
            return Err(wrong_arguments(reader, "VariadicOperandWithAttribute", "one argument", args));
        };
        let mut names = Vec::new();
        while reader.is_operand() {
            names.push(reader.operand()?);
            reader.literal(",")?;
        }
        reader.put_operands(operands, &names);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let operands = printer.group(args.first()?);
        // Without operands, the text would be a comma, which cannot be read.
        if operands.is_empty() {
            return None;
        }
        printer.values(&operands);
        printer.text(",");
        Some(())
    }
}

/// `@name`, an attribute that is a string.
#[derive(Debug)]
struct CallTarget;

impl CustomDirective for CallTarget {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [target] = args else {
            return Err(wrong_arguments(reader, "CustomCallTarget", "one argument", args));
        };
        let Some(name) = reader.optional_symbol() else { return Err(reader.expected("a symbol name")) };
        let name = reader.string_attr(&name);
        reader.put_attribute(target, name);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let AttrKind::String { text, .. } = *printer.attr_kind(printer.attribute_of(args.first()?)?) else {
            return None;
        };
        let name = printer.str(text).to_owned();
        if name.is_empty() {
            return None;
        }
        printer.symbol(&name);
        Some(())
    }
}

/// `e5m10`: the widths of an exponent and of a mantissa.
#[derive(Debug)]
struct ExponentMantissa;

impl CustomDirective for ExponentMantissa {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [exponent_arg, mantissa_arg] = args else {
            return Err(wrong_arguments(reader, "ExponentMantissa", "two arguments", args));
        };
        let wanted = "a format such as 'e5m10'";
        let word = reader.optional_keyword().ok_or_else(|| reader.expected(wanted))?;
        let width = |text: &str| i32::try_from(text.parse::<u32>().ok()?).ok();
        let widths = word.strip_prefix('e').and_then(|word| word.split_once('m'));
        let widths = widths.and_then(|(exponent, mantissa)| Some([width(exponent)?, width(mantissa)?]));
        let Some(widths) = widths else {
            return Err(reader.fail(&format!("'{word}' is not {wanted}")));
        };
        for (width, arg) in widths.into_iter().zip([exponent_arg, mantissa_arg]) {
            let width = reader.attr_of_text(&format!("{width} : i32"))?;
            reader.put_attribute(arg, width);
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [exponent, mantissa] = args else { return None };
        let width = |arg| {
            let text = printer.attr_text(printer.attribute_of(arg)?);
            text.strip_suffix(" : i32").filter(|text| !text.starts_with('-')).map(str::to_owned)
        };
        let text = format!("e{}m{}", width(exponent)?, width(mantissa)?);
        printer.text(&text);
        Some(())
    }
}

/// `[0:2, 1:5:2]`: start, limit, and a stride unless it is 1.
#[derive(Debug)]
struct SliceRanges;

impl CustomDirective for SliceRanges {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        fn bound(reader: &mut dyn FormReader) -> FormResult<i64> {
            reader.optional_integer()?.ok_or_else(|| reader.expected("an integer"))
        }
        if args.len() != 3 {
            return Err(wrong_arguments(reader, "SliceRanges", "three arguments", args));
        }
        let ranges = enclosed(reader, ("[", "]"), |r| {
            let start = bound(r)?;
            r.literal(":")?;
            let limit = bound(r)?;
            let stride = if r.optional_literal(":") { bound(r)? } else { 1 };
            Ok([start, limit, stride])
        })?;
        for (column, arg) in args.iter().enumerate() {
            let values: Vec<i64> = ranges.iter().map(|range| range[column]).collect();
            let values = integers_attr(reader, &values)?;
            reader.put_attribute(arg, values);
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let lists: Vec<Vec<i64>> =
            args.iter().map(|arg| integers_of(printer, printer.attribute_of(arg)?)).collect::<Option<_>>()?;
        let [starts, limits, strides] = lists.as_slice() else { return None };
        if starts.len() != limits.len() || starts.len() != strides.len() {
            return None;
        }
        let ranges = starts.iter().zip(limits).zip(strides);
        let texts: Vec<String> = ranges
            .map(|((start, limit), stride)| match stride {
                1 => format!("{start}:{limit}"),
                _ => format!("{start}:{limit}:{stride}"),
            })
            .collect();
        printer.text(&format!("[{}]", texts.join(", ")));
        Some(())
    }
}

/// `[DEFAULT, HIGHEST]`
#[derive(Debug)]
struct Precisions;

impl CustomDirective for Precisions {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [config] = args else {
            return Err(wrong_arguments(reader, "PrecisionConfig", "one argument", args));
        };
        let class = format!("#{}.precision", dialect(&reader.op_name()));
        let items = enclosed(reader, ("[", "]"), |r| r.stripped(&class))?;
        let items = reader.intern_attr(AttrKind::Array(items.into()));
        reader.put_attribute(config, items);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let AttrKind::Array(items) = printer.attr_kind(printer.attribute_of(args.first()?)?).clone() else {
            return None;
        };
        let class = format!("#{}<precision ", dialect(&printer.op_name()));
        let word = |&item: &AttrId| {
            let text = printer.attr_text(item);
            Some(text.strip_prefix(&class)?.strip_suffix('>')?.to_owned())
        };
        let words = items.iter().map(word).collect::<Option<Vec<String>>>()?;
        printer.text(&format!("[{}]", words.join(", ")));
        Some(())
    }
}

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`
#[derive(Debug)]
struct DotDimensions;

impl CustomDirective for DotDimensions {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        fn sides(reader: &mut dyn FormReader) -> FormResult<[Vec<i64>; 2]> {
            reader.literal("=")?;
            let left = integers(reader)?;
            reader.literal("x")?;
            Ok([left, integers(reader)?])
        }
        let [numbers] = args else {
            return Err(wrong_arguments(reader, "DotDimensionNumbers", "one argument", args));
        };
        let mut fields = Vec::new();
        if reader.optional_literal("batching_dims") {
            fields.extend(DOT[..2].iter().zip(sides(reader)?));
            reader.literal(",")?;
        }
        reader.literal("contracting_dims")?;
        fields.extend(DOT[2..].iter().zip(sides(reader)?));
        let texts = fields.iter().map(|(name, values)| format!("{name} = {}", integers_text(values)));
        let texts: Vec<String> = texts.collect();
        let dialect = dialect(&reader.op_name()).to_owned();
        let value = reader.attr_of_text(&format!("#{dialect}.dot<{}>", texts.join(", ")))?;
        reader.put_attribute(numbers, value);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let text = printer.attr_text(printer.attribute_of(args.first()?)?);
        let class = format!("#{}.dot<", dialect(&printer.op_name()));
        let fields = text.strip_prefix(&class)?.strip_suffix('>')?;
        let mut rest = fields;
        let mut lists = ["[]"; DOT.len()];
        for (list, name) in lists.iter_mut().zip(DOT) {
            let Some(after) = rest.strip_prefix(name).and_then(|rest| rest.strip_prefix(" = ")) else {
                continue;
            };
            let end = after.find(']')? + 1;
            (*list, rest) = after.split_at(end);
            if !is_integer_list(list) {
                return None;
            }
            if !rest.is_empty() {
                rest = rest.strip_prefix(", ")?;
            }
        }
        // The remaining text does not belong to a field of the class, so the directive cannot print it.
        if !rest.is_empty() {
            return None;
        }
        let [lhs_batching, rhs_batching, lhs, rhs] = lists;
        if [lhs_batching, rhs_batching] != ["[]"; 2] {
            printer.text(&format!("batching_dims = {lhs_batching} x {rhs_batching}, "));
        }
        printer.text(&format!("contracting_dims = {lhs} x {rhs}"));
        Some(())
    }
}

/// True for a list of integers as MLIR prints it: `[0, 1]`.
fn is_integer_list(text: &str) -> bool {
    let items = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let is_integer = |item: &str| item.parse::<i64>().is_ok_and(|value| value.to_string() == item);
    items.is_some_and(|items| items.is_empty() || items.split(", ").all(is_integer))
}

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`
#[derive(Debug)]
struct ConvolutionDimensions;

impl CustomDirective for ConvolutionDimensions {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [numbers] = args else {
            return Err(wrong_arguments(reader, "ConvolutionDimensions", "one argument", args));
        };
        let mut text = format!("#{}.conv<", dialect(&reader.op_name()));
        for (letters, separator) in CONVOLUTION {
            let wanted = reader.expected(&wanted_dimensions(letters));
            let items = enclosed(reader, ("[", "]"), |r| {
                let number = r.optional_integer()?.map(|number| number.to_string());
                number.or_else(|| r.optional_keyword()).ok_or_else(|| r.expected("a dimension"))
            })?;
            text.push_str(&format!("[{}]{separator}", items.join(", ")));
            if !are_dimensions(items, letters) {
                return Err(wanted);
            }
            if separator != ">" {
                reader.literal(separator)?;
            }
        }
        let value = reader.attr_of_text(&text)?;
        reader.put_attribute(numbers, value);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let text = printer.attr_text(printer.attribute_of(args.first()?)?);
        let class = format!("#{}.conv<", dialect(&printer.op_name()));
        let dimensions = text.strip_prefix(&class)?;
        if !is_convolution(dimensions) {
            return None;
        }
        printer.text(dimensions.strip_suffix('>')?);
        Some(())
    }
}

/// `stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]`, each
/// part optional and in any order
#[derive(Debug)]
struct WindowAttributes;

/// The parts in the order of the arguments.
const WINDOW: [&str; 5] = ["stride", "pad", "lhs_dilate", "rhs_dilate", "reverse"];

impl CustomDirective for WindowAttributes {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        if args.len() != WINDOW.len() {
            return Err(wrong_arguments(reader, "WindowAttributes", "five arguments", args));
        }
        if reader.is_literal("}") {
            return Ok(());
        }
        let mut seen = [false; WINDOW.len()];
        loop {
            let part = WINDOW.iter().position(|name| reader.is_literal(name));
            let Some(part) = part.filter(|&part| !seen[part]) else {
                return Err(reader.expected(&format!("one of {}, each once", WINDOW.join(", "))));
            };
            seen[part] = true;
            reader.literal(WINDOW[part])?;
            reader.literal("=")?;
            let value = match WINDOW[part] {
                "pad" => padding(reader)?,
                "reverse" => flags(reader)?,
                _ => {
                    let values = integers(reader)?;
                    integers_attr(reader, &values)?
                }
            };
            reader.put_attribute(&args[part], value);
            if !reader.optional_literal(",") {
                return Ok(());
            }
        }
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let mut first = true;
        for (name, arg) in WINDOW.iter().zip(args) {
            let Some(attr) = printer.attribute_of(arg) else { continue };
            let text = match *name {
                "pad" => {
                    let columns = printer.type_kind(printer.type_of_attr(attr)?).shape()?.get(1).copied();
                    let values = dense_i64(printer, attr, Context::I64, 2).filter(|_| columns == Some(2))?;
                    let rows: Vec<String> = values.chunks(2).map(integers_text).collect();
                    format!("[{}]", rows.join(", "))
                }
                "reverse" => {
                    let as_number = dialect(&printer.op_name()) == "mhlo";
                    let word = |&flag: &bool| match as_number {
                        true => u8::from(flag).to_string(),
                        false => flag.to_string(),
                    };
                    let words: Vec<String> = flags_of(printer, attr)?.iter().map(word).collect();
                    format!("[{}]", words.join(", "))
                }
                _ => integers_text(&integers_of(printer, attr)?),
            };
            printer.text(if std::mem::take(&mut first) { "" } else { ", " });
            printer.text(&format!("{name} = {text}"));
        }
        Some(())
    }
}

/// Reads `[[1, 1], [0, 2]]`.
fn padding(reader: &mut dyn FormReader) -> FormResult<AttrId> {
    let rows = enclosed(reader, ("[", "]"), |r| {
        let row = integers(r)?;
        match row.len() {
            2 => Ok(row),
            other => Err(r.fail(&format!("expected two integers in each row of 'pad', found {other}"))),
        }
    })?;
    let texts: Vec<String> = rows.iter().map(|row| integers_text(row)).collect();
    reader.attr_of_text(&dense_text(&texts, &format!("{}x2xi64", rows.len())))
}

/// Reads `[false, true]`, or `[0, 1]`.
fn flags(reader: &mut dyn FormReader) -> FormResult<AttrId> {
    let flags = enclosed(reader, ("[", "]"), |r| {
        if r.optional_literal("true") {
            return Ok(true);
        }
        if r.optional_literal("false") {
            return Ok(false);
        }
        r.optional_integer()?.map(|number| number != 0).ok_or_else(|| r.expected("'true' or 'false'"))
    })?;
    let words: Vec<String> = flags.iter().map(bool::to_string).collect();
    let text = match dialect(&reader.op_name()) {
        "mhlo" => dense_text(&words, &format!("{}xi1", words.len())),
        _ if flags.is_empty() => "array<i1>".to_owned(),
        _ => format!("array<i1: {}>", words.join(", ")),
    };
    reader.attr_of_text(&text)
}

fn flags_of(printer: &dyn FormPrinter, attr: AttrId) -> Option<Vec<bool>> {
    match printer.attr_kind(attr) {
        AttrKind::DenseArray { element, data } if *element == Context::I1 => {
            Some(data.iter().map(|&byte| byte != 0).collect())
        }
        AttrKind::DenseElements { ty, .. } if printer.type_kind(*ty).element() == Some(Context::I1) => {
            let count = usize::try_from(printer.type_kind(*ty).element_count()?).ok()?;
            let text = printer.attr_text(attr);
            let (words, _) = text.strip_prefix("dense<")?.split_once('>')?;
            if let "true" | "false" = words {
                return (count <= ELEMENT_LIMIT).then(|| vec![words == "true"; count]);
            }
            let words = words.strip_prefix('[')?.strip_suffix(']')?.split(", ");
            words.map(|word| word.parse().ok()).collect()
        }
        _ => None,
    }
}
