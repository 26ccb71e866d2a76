//! Operations and directives of StableHLO and of its relatives, the dialects `mhlo` and `chlo`.
//!
//! Source: the text that the package `jaxlib` 0.10 reads and prints.

use super::index_list::{i64_array, i64_items};
use super::lists::{
    ELEMENT_LIMIT, assignments, comma_separated, enclosed, entry_arguments, function_type, types,
};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms, OperandName,
};
use crate::ir::ids::{AttrId, RegionId, TypeId, ValueId};
use crate::ir::types::TypeKind;

pub(super) fn register(forms: &mut Forms) {
    for dialect in ["stablehlo", "mhlo"] {
        forms.add_form(&format!("{dialect}.constant"), Constant);
        forms.add_form(&format!("{dialect}.reduce"), Reduce);
        forms.add_form(&format!("{dialect}.while"), While);
    }
    forms.add_directive("ComplexOpType", ComplexType);
    forms.add_directive("ConvolutionDimensions", ConvolutionDimensions);
    forms.add_directive("CustomCallTarget", CallTarget);
    forms.add_directive("DotDimensionNumbers", DotDimensions);
    forms.add_directive("ExponentMantissa", ExponentMantissa);
    forms.add_directive("PairwiseOpType", PairwiseTypes);
    forms.add_directive("PrecisionConfig", Precisions);
    forms.add_directive("SameOperandsAndResultType", SameTypes { variadic: false });
    forms.add_directive("SelectOpType", SelectTypes);
    forms.add_directive("SliceRanges", SliceRanges);
    forms.add_directive("TupleOpType", TupleType);
    forms.add_directive("VariadicOperandWithAttribute", OperandsBeforeAttribute);
    forms.add_directive("VariadicSameOperandsAndResultType", SameTypes { variadic: true });
    forms.add_directive("WindowAttributes", WindowAttributes);
}

/// The dialect of the operation.
fn dialect(op_name: &str) -> &str {
    op_name.split('.').next().unwrap_or(op_name)
}

/// Reads `[1, 2]`.
fn integers(reader: &mut dyn FormReader) -> FormResult<Vec<i64>> {
    enclosed(reader, ("[", "]"), |r| r.optional_integer()?.ok_or_else(|| r.expected("an integer")))
}

/// The text of integers, `[1, 2]`.
fn integers_text(values: &[i64]) -> String {
    let texts: Vec<String> = values.iter().map(i64::to_string).collect();
    format!("[{}]", texts.join(", "))
}

/// A list of integers. `mhlo` stores it in a tensor, `stablehlo` in an array.
fn integers_attr(reader: &mut dyn FormReader, values: &[i64]) -> FormResult<AttrId> {
    if dialect(&reader.op_name()) == "mhlo" {
        let list = if values.is_empty() { String::new() } else { integers_text(values) };
        return reader.attr_of_text(&format!("dense<{list}> : tensor<{}xi64>", values.len()));
    }
    Ok(i64_array(reader, values))
}

/// The integers of an array or of a tensor.
fn integers_of(printer: &dyn FormPrinter, attr: AttrId) -> Option<Vec<i64>> {
    i64_items(printer, attr).or_else(|| super::lists::dense_i64(printer, attr))
}

// Types.

/// Sets the types of one operand for each argument, and of the result, if a type is a function type.
fn put_function(
    reader: &mut dyn FormReader,
    operands: &[DirectiveArg],
    result: &DirectiveArg,
    ty: TypeId,
) -> FormResult<bool> {
    let TypeKind::Function { inputs, results } = reader.type_kind(ty).clone() else { return Ok(false) };
    if inputs.len() != operands.len() {
        let (operands, inputs) = (operands.len(), inputs.len());
        return Err(reader.fail(&format!("{operands} operands have {inputs} types")));
    }
    for (operand, &ty) in operands.iter().zip(&inputs) {
        reader.put_types(operand, &[ty]);
    }
    put_result(reader, result, &results)?;
    Ok(true)
}

fn put_result(reader: &mut dyn FormReader, arg: &DirectiveArg, results: &[TypeId]) -> FormResult<()> {
    let [result] = results else { return Err(reader.fail("the function type must have one result")) };
    reader.put_types(arg, &[*result]);
    Ok(())
}

/// The last argument, and the arguments before it.
fn split_result(args: &[DirectiveArg]) -> Option<(&DirectiveArg, &[DirectiveArg])> {
    args.split_last()
}

fn one_type(printer: &dyn FormPrinter, arg: &DirectiveArg) -> Option<TypeId> {
    match *printer.types_of(arg).as_slice() {
        [ty] => Some(ty),
        _ => None,
    }
}

/// The type of each argument.
fn one_type_each(printer: &dyn FormPrinter, args: &[DirectiveArg]) -> Option<Vec<TypeId>> {
    args.iter().map(|arg| one_type(printer, arg)).collect()
}

/// `t` if all operands and the result have this type, otherwise a function type.
#[derive(Debug)]
struct SameTypes {
    /// True if the arguments are `ref($operands), type($operands), type($result)`.
    variadic: bool,
}

impl CustomDirective for SameTypes {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let ty = reader.ty()?;
        match args {
            [operands, operand_types, result] if self.variadic => {
                if let TypeKind::Function { inputs, results } = reader.type_kind(ty).clone() {
                    reader.put_types(operand_types, &inputs);
                    return put_result(reader, result, &results);
                }
                let count = reader.operand_count(operands);
                reader.put_types(operand_types, &vec![ty; count]);
                reader.put_types(result, &[ty]);
                Ok(())
            }
            _ => {
                let Some((result, operands)) = split_result(args).filter(|_| !self.variadic) else {
                    return Err(reader.fail("the directive needs the types of operands and of a result"));
                };
                if !put_function(reader, operands, result, ty)? {
                    for arg in args {
                        reader.put_types(arg, &[ty]);
                    }
                }
                Ok(())
            }
        }
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let (result, operands) = split_result(args)?;
        let operands = match operands {
            [_, operands] if self.variadic => printer.types_of(operands),
            _ => one_type_each(printer, operands)?,
        };
        let result = one_type(printer, result)?;
        if operands.iter().all(|&ty| ty == result) {
            printer.ty(result);
        } else {
            printer.function_type(&operands, &[result]);
        }
        Some(())
    }
}

/// `p, t` if both alternatives and the result have the type `t`, otherwise a function type.
#[derive(Debug)]
struct SelectTypes;

impl CustomDirective for SelectTypes {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [predicate, alternatives @ .., result] = args else {
            return Err(reader.fail("SelectOpType has four arguments"));
        };
        let first = reader.ty()?;
        if reader.optional_literal(",") {
            let ty = reader.ty()?;
            reader.put_types(predicate, &[first]);
            for arg in alternatives {
                reader.put_types(arg, &[ty]);
            }
            reader.put_types(result, &[ty]);
            return Ok(());
        }
        if put_function(reader, &args[..args.len() - 1], result, first)? {
            return Ok(());
        }
        Err(reader.expected("',' and the type of the result, or a function type"))
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let types = one_type_each(printer, args)?;
        let [predicate, on_true, on_false, result] = *types.as_slice() else { return None };
        if on_true == result && on_false == result {
            printer.types(&[predicate, result]);
        } else {
            printer.function_type(&types[..3], &[result]);
        }
        Some(())
    }
}

/// `tensor<4xcomplex<f32>>` if the operands have the real type of the result, otherwise a function type.
#[derive(Debug)]
struct ComplexType;

/// A tensor type with its complex element type replaced by the type of the parts.
fn real_type(kind: &TypeKind, element_kind: impl Fn(TypeId) -> TypeKind) -> Option<TypeKind> {
    match kind {
        TypeKind::RankedTensor { shape, element, encoding } => {
            let TypeKind::Complex(part) = element_kind(*element) else { return None };
            Some(TypeKind::RankedTensor { shape: shape.clone(), element: part, encoding: *encoding })
        }
        TypeKind::UnrankedTensor(element) => {
            let TypeKind::Complex(part) = element_kind(*element) else { return None };
            Some(TypeKind::UnrankedTensor(part))
        }
        _ => None,
    }
}

impl CustomDirective for ComplexType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let Some((result, operands)) = split_result(args) else {
            return Err(reader.fail("ComplexOpType has three arguments"));
        };
        let ty = reader.ty()?;
        if put_function(reader, operands, result, ty)? {
            return Ok(());
        }
        let Some(real) = real_type(reader.type_kind(ty), |ty| reader.type_kind(ty).clone()) else {
            return Err(reader.fail("the type must be a tensor of complex numbers"));
        };
        let real = reader.intern_type(real);
        for arg in operands {
            reader.put_types(arg, &[real]);
        }
        reader.put_types(result, &[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let (result, operands) = split_result(args)?;
        let (result, operands) = (one_type(printer, result)?, one_type_each(printer, operands)?);
        let real = real_type(printer.type_kind(result), |ty| printer.type_kind(ty).clone());
        if real.is_some_and(|real| operands.iter().all(|&ty| *printer.type_kind(ty) == real)) {
            printer.ty(result);
        } else {
            printer.function_type(&operands, &[result]);
        }
        Some(())
    }
}

/// `tuple<t, u>`, whose elements are the types of the operands.
#[derive(Debug)]
struct TupleType;

impl CustomDirective for TupleType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands, result] = args else { return Err(reader.fail("TupleOpType has two arguments")) };
        let ty = reader.ty()?;
        let TypeKind::Tuple(elements) = reader.type_kind(ty).clone() else {
            return Err(reader.fail("the type must be a tuple"));
        };
        reader.put_types(operands, &elements);
        reader.put_types(result, &[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, result] = args else { return None };
        let (operands, result) = (printer.types_of(operands), one_type(printer, result)?);
        match printer.type_kind(result) {
            TypeKind::Tuple(elements) if **elements == *operands => printer.ty(result),
            _ => return None,
        }
        Some(())
    }
}

/// `t, u`: the types of the operands, which are those of the results.
#[derive(Debug)]
struct PairwiseTypes;

impl CustomDirective for PairwiseTypes {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let types = comma_separated(reader, |r| r.ty())?;
        for arg in args {
            reader.put_types(arg, &types);
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, results] = args else { return None };
        let operands = printer.types_of(operands);
        if operands != printer.types_of(results) {
            return None;
        }
        printer.types(&operands);
        Some(())
    }
}

// Operands and attributes.

/// `%a, %b,` before an attribute.
#[derive(Debug)]
struct OperandsBeforeAttribute;

impl CustomDirective for OperandsBeforeAttribute {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands] = args else {
            return Err(reader.fail("VariadicOperandWithAttribute has one argument"));
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
        let [target] = args else { return Err(reader.fail("CustomCallTarget has one argument")) };
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
        let wanted = reader.expected("a format such as 'e5m10'");
        let word = reader.optional_keyword();
        let widths = word.as_deref().and_then(|word| word.strip_prefix('e')?.split_once('m'));
        let (Some((exponent, mantissa)), [exponent_arg, mantissa_arg]) = (widths, args) else {
            return Err(wanted);
        };
        for (width, arg) in [(exponent, exponent_arg), (mantissa, mantissa_arg)] {
            let Some(width) = width.parse::<u32>().ok().and_then(|width| i32::try_from(width).ok()) else {
                return Err(wanted);
            };
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
        let ranges = enclosed(reader, ("[", "]"), |r| {
            let start = bound(r)?;
            r.literal(":")?;
            let limit = bound(r)?;
            let stride = if r.optional_literal(":") { bound(r)? } else { 1 };
            Ok([start, limit, stride])
        })?;
        for (column, arg) in args.iter().enumerate().take(3) {
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
        let [config] = args else { return Err(reader.fail("PrecisionConfig has one argument")) };
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
        let [numbers] = args else { return Err(reader.fail("DotDimensionNumbers has one argument")) };
        let mut fields = Vec::new();
        if reader.optional_literal("batching_dims") {
            fields.extend(
                ["lhs_batching_dimensions", "rhs_batching_dimensions"].into_iter().zip(sides(reader)?),
            );
            reader.literal(",")?;
        }
        reader.literal("contracting_dims")?;
        let sides = sides(reader)?;
        fields.extend(["lhs_contracting_dimensions", "rhs_contracting_dimensions"].into_iter().zip(sides));
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
        let field = |name: &str| {
            let after = fields.split_once(&format!("{name} = ")).map_or("[]", |(_, after)| after);
            after.split_inclusive(']').next().unwrap_or("[]").to_owned()
        };
        let sides = |kind: &str| {
            let (left, right) = (format!("lhs_{kind}_dimensions"), format!("rhs_{kind}_dimensions"));
            format!("{} x {}", field(&left), field(&right))
        };
        let batching = sides("batching");
        if batching != "[] x []" {
            printer.text(&format!("batching_dims = {batching}, "));
        }
        printer.text(&format!("contracting_dims = {}", sides("contracting")));
        Some(())
    }
}

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`
#[derive(Debug)]
struct ConvolutionDimensions;

impl CustomDirective for ConvolutionDimensions {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [numbers] = args else { return Err(reader.fail("ConvolutionDimensions has one argument")) };
        let mut text = format!("#{}.conv<", dialect(&reader.op_name()));
        for separator in ["x", "->", ">"] {
            let items = enclosed(reader, ("[", "]"), |r| {
                let number = r.optional_integer()?.map(|number| number.to_string());
                number.or_else(|| r.optional_keyword()).ok_or_else(|| r.expected("a dimension"))
            })?;
            text.push_str(&format!("[{}]{separator}", items.join(", ")));
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
        printer.text(text.strip_prefix(&class)?.strip_suffix('>')?);
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
        let mut seen = [false; WINDOW.len()];
        let is_part = |reader: &dyn FormReader| WINDOW.iter().position(|name| reader.is_literal(name));
        let mut part = is_part(reader);
        while let Some(index) = part {
            let Some(arg) = args.get(index).filter(|_| !seen[index]) else {
                return Err(reader.expected("a part of the window that is not given yet"));
            };
            seen[index] = true;
            reader.literal(WINDOW[index])?;
            reader.literal("=")?;
            let value = match WINDOW[index] {
                "pad" => padding(reader)?,
                "reverse" => flags(reader)?,
                _ => {
                    let values = integers(reader)?;
                    integers_attr(reader, &values)?
                }
            };
            reader.put_attribute(arg, value);
            part = None;
            if reader.optional_literal(",") {
                part = is_part(reader);
                if part.is_none() {
                    return Err(reader.expected(&format!("one of {}", WINDOW.join(", "))));
                }
            }
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let mut first = true;
        for (name, arg) in WINDOW.iter().zip(args) {
            let Some(attr) = printer.attribute_of(arg) else { continue };
            let text = match *name {
                "pad" => {
                    let values = super::lists::dense_i64(printer, attr)?;
                    let rows: Vec<String> = values.chunks(2).map(integers_text).collect();
                    format!("[{}]", rows.join(", "))
                }
                "reverse" => {
                    let words: Vec<&str> = flags_of(printer, attr)?
                        .iter()
                        .map(|&flag| if flag { "true" } else { "false" })
                        .collect();
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
        if row.len() == 2 { Ok(row) } else { Err(r.fail("a row of 'pad' has two integers")) }
    })?;
    let texts: Vec<String> = rows.iter().map(|row| integers_text(row)).collect();
    let list = if rows.is_empty() { String::new() } else { format!("[{}]", texts.join(", ")) };
    reader.attr_of_text(&format!("dense<{list}> : tensor<{}x2xi64>", rows.len()))
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
        "mhlo" if flags.is_empty() => "dense<> : tensor<0xi1>".to_owned(),
        "mhlo" => format!("dense<[{}]> : tensor<{}xi1>", words.join(", "), words.len()),
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
        AttrKind::DenseElements { .. } => {
            let text = printer.attr_text(attr);
            let (_, rest) = text.split_once('<')?;
            let (words, _) = rest.split_once('>')?;
            let count =
                usize::try_from(printer.type_kind(printer.type_of_attr(attr)?).element_count()?).ok()?;
            match words {
                "true" | "false" if count <= ELEMENT_LIMIT => Some(vec![words == "true"; count]),
                _ => {
                    let words = words.strip_prefix('[')?.strip_suffix(']')?.split(", ");
                    words.map(|word| word.parse().ok()).collect()
                }
            }
        }
        _ => None,
    }
}

// Operations.

/// `stablehlo.constant {…} dense<1.0> : t`, or the generic form without quotes
#[derive(Debug)]
struct Constant;

impl CustomForm for Constant {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let ty = if reader.optional_literal("(") {
            reader.literal(")")?;
            if reader.optional_literal("<") {
                let properties = reader.attribute(None)?;
                reader.add_attributes(properties);
                reader.literal(">")?;
            }
            reader.attr_dict(false)?;
            reader.literal(":")?;
            let (_, results) = function_type(reader)?;
            results
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

/// The operations that `applies` can name: the binary ones that are commutative.
const COMMUTATIVE: [&str; 7] = ["add", "and", "maximum", "minimum", "multiply", "or", "xor"];

/// `stablehlo.reduce(%a init: %b), (%c init: %d) across dimensions = [0] : (…) -> …` and a line `reducer(…) {…}`, or
/// with `applies stablehlo.add` instead of the line
#[derive(Debug)]
struct Reduce;

impl Reduce {
    /// Makes the region for `applies`.
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

    /// The operation of a region for which [`Reduce::region`] makes the same region.
    fn applied(printer: &dyn FormPrinter, region: RegionId, operands: &[ValueId]) -> Option<String> {
        let [block] = *printer.blocks(region).as_slice() else { return None };
        let arguments = printer.arguments(block);
        let names = printer.op_names(block);
        let [_, last] = names.as_slice() else { return None };
        let op = printer.op_at(block, 0)?;
        let dialect = dialect(&printer.op_name()).to_owned();
        let name = op.name.strip_prefix(&dialect)?.strip_prefix('.')?;
        let elements: Option<Vec<TypeId>> = operands
            .iter()
            .chain(&arguments)
            .chain(&op.results)
            .map(|&value| printer.type_kind(printer.value_type(value)).element())
            .collect();
        let [first, rest @ ..] = &*elements? else { return None };
        let shapes = arguments.iter().chain(&op.results).map(|&value| printer.value_type(value));
        let scalar = |ty| matches!(printer.type_kind(ty), TypeKind::RankedTensor { shape, encoding: None, .. } if shape.is_empty());
        // MLIR also omits operations with attributes, which are lost then.
        let plain = op.properties == Context::EMPTY_DICTIONARY && op.attrs == Context::EMPTY_DICTIONARY;
        let fits = operands.len() == 2
            && arguments.len() == 2
            && COMMUTATIVE.contains(&name)
            && op.operands == arguments
            && *last == format!("{dialect}.return")
            && printer.last_operands(block) == op.results
            && rest.iter().all(|ty| ty == first)
            && { shapes }.all(scalar)
            && plain;
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
                    let pair = super::lists::typed_arguments(reader)?;
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
        let region = *printer.regions().first()?;
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
        let arguments = super::lists::arguments(reader, &names, &types)?;
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
        // The text has one list of types for operands, arguments and results.
        for values in [&arguments, &entry_arguments(printer, body)?, &printer.results()] {
            if types(printer, values) != input_types {
                return None;
            }
        }
        printer.text("(");
        for (i, (&argument, &operand)) in arguments.iter().zip(&operands).enumerate() {
            printer.text(if i > 0 { ", " } else { "" });
            printer.value(argument);
            printer.text(" = ");
            printer.value(operand);
        }
        printer.text(")");
        if !operands.is_empty() {
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
