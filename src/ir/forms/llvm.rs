//! Operations of the LLVM dialect.

use super::error::wrong_arguments;
use super::lists::{comma_separated, function_type, optional_body, print_body, symbol, types};
use super::signature::{SignatureType, print_signature, read_signature, set_attrs, string};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::ids::AttrId;
use crate::ir::types::TypeKind;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("llvm.func", Func);
    forms.add_form("llvm.mlir.global", Global { ty: "global_type" });
    forms.add_form("llvm.mlir.alias", Global { ty: "alias_type" });
    forms.add_form("llvm.alloca", Alloca);
    forms.add_form("llvm.icmp", Compare { predicates: INT_PREDICATES });
    forms.add_form("llvm.fcmp", Compare { predicates: FLOAT_PREDICATES });
    forms.add_directive("GEPIndices", GepIndices);
    forms.add_directive("InsertExtractValueElementType", ElementType);
    forms.add_directive("ShuffleType", ShuffleType);
    forms.add_directive("LLVMLinkage", Linkage);
}

const LINKAGES: &[&str] = &[
    "private",
    "internal",
    "available_externally",
    "linkonce",
    "weak",
    "common",
    "appending",
    "extern_weak",
    "linkonce_odr",
    "weak_odr",
    "external",
];

/// The attributes that are printed outside the dictionary.
const IMPLIED: &[&str] = &[
    "CConv",
    "arg_attrs",
    "comdat",
    "function_type",
    "linkage",
    "res_attrs",
    "sym_name",
    "unnamed_addr",
    "visibility_",
    "vscale_range",
];

/// `llvm.func linkage @name(%a: t, …) -> t vscale_range(1, 4) comdat(@c::@s) attributes {…} {…}`
#[derive(Debug)]
struct Func;

/// The words for the numbers 1 and 2 of `visibility_` and of `unnamed_addr`. The number 0 has no word.
const VISIBILITY: [&str; 2] = ["hidden", "protected"];
const UNNAMED: [&str; 2] = ["local_unnamed_addr", "unnamed_addr"];

/// Reads an optional word, and sets an integer attribute to the number of the word, or to 0 if there is no word.
fn read_word(reader: &mut dyn FormReader, name: &str, words: [&str; 2]) -> FormResult<()> {
    let number = words.iter().position(|word| reader.optional_literal(word)).map_or(0, |index| index + 1);
    let value = reader.attr_of_text(&format!("{number} : i64"))?;
    reader.set(name, value);
    Ok(())
}

/// Prints a space and the word that [`read_word`] reads.
fn print_word(printer: &mut dyn FormPrinter, name: &str, words: [&str; 2]) -> Option<()> {
    let Some(attr) = printer.get(name) else { return Some(()) };
    let AttrKind::Integer { value, .. } = printer.attr_kind(attr) else { return None };
    if let Some(index) = usize::try_from(value.to_i64()?).ok()?.checked_sub(1) {
        printer.text(" ");
        printer.text(words.get(index)?);
    }
    Some(())
}

/// Reads an optional `comdat(@name::@selector)`.
fn read_comdat(reader: &mut dyn FormReader) -> FormResult<()> {
    if reader.optional_literal("comdat") {
        reader.literal("(")?;
        let comdat = reader.attribute(None)?;
        reader.set("comdat", comdat);
        reader.literal(")")?;
    }
    Ok(())
}

fn print_comdat(printer: &mut dyn FormPrinter) {
    if let Some(comdat) = printer.get("comdat") {
        printer.text(" comdat(");
        printer.attribute(comdat);
        printer.text(")");
    }
}

/// Reads an optional `vscale_range(1, 4)`.
fn read_vscale_range(reader: &mut dyn FormReader) -> FormResult<()> {
    if !reader.optional_literal("vscale_range") {
        return Ok(());
    }
    reader.literal("(")?;
    let least = bound(reader)?;
    reader.literal(",")?;
    let most = bound(reader)?;
    reader.literal(")")?;
    let text = format!("#llvm.vscale_range<minRange = {least} : i32, maxRange = {most} : i32>");
    let range = reader.attr_of_text(&text)?;
    reader.set("vscale_range", range);
    Ok(())
}

fn bound(reader: &mut dyn FormReader) -> FormResult<i32> {
    let mark = reader.mark();
    let value = reader.optional_integer()?.and_then(|value| i32::try_from(value).ok());
    value.ok_or_else(|| {
        reader.return_to(mark);
        reader.expected("an integer of 32 bits")
    })
}

fn print_vscale_range(printer: &mut dyn FormPrinter) -> Option<()> {
    let Some(range) = printer.get("vscale_range") else { return Some(()) };
    let text = printer.attr_text(range);
    let bounds = text.strip_prefix("#llvm.vscale_range<minRange = ")?.strip_suffix('>')?;
    let (least, most) = bounds.split_once(", maxRange = ")?;
    let [least, most] = [least, most].map(|bound| bound.split(" : ").next());
    printer.text(&format!(" vscale_range({}, {})", least?, most?));
    Some(())
}

/// Reads an optional linkage. The default is `external`.
fn linkage(reader: &mut dyn FormReader) -> FormResult<AttrId> {
    let word = LINKAGES.iter().find(|word| reader.optional_literal(word)).unwrap_or(&"external");
    reader.attr_of_text(&format!("#llvm.linkage<{word}>"))
}

fn read_linkage(reader: &mut dyn FormReader) -> FormResult<()> {
    let linkage = linkage(reader)?;
    reader.set("linkage", linkage);
    Ok(())
}

/// The linkage of `llvm.mlir.ifunc`.
#[derive(Debug)]
struct Linkage;

impl CustomDirective for Linkage {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [attribute] = args else {
            return Err(wrong_arguments(reader, "LLVMLinkage", "one argument", args));
        };
        let linkage = linkage(reader)?;
        reader.put_attribute(attribute, linkage);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let text = printer.attr_text(printer.attribute_of(args.first()?)?);
        let word = text.strip_prefix("#llvm.linkage<")?.strip_suffix('>')?;
        printer.text(word);
        Some(())
    }
}

/// The word of an enum `#llvm.class<word>`.
pub(super) fn case(printer: &dyn FormPrinter, name: &str, class: &str) -> Option<String> {
    let text = printer.attr_text(printer.get(name)?);
    Some(text.strip_prefix(class)?.trim_matches(['<', '>']).to_owned())
}

/// The short text of a type, as it is written inside other types of the dialect: `ptr` for `!llvm.ptr`.
fn inner(text: &str) -> &str {
    // MLIR prints `!llvm.ppc_fp128` with its dialect, because it is one of the float types.
    text.strip_prefix("!llvm.").filter(|name| *name != "ppc_fp128").unwrap_or(text)
}

/// The result and the parameters of `!llvm.func<result (parameters)>`. The flag is true if `...` follows the
/// parameters.
fn split(text: &str) -> Option<(String, Vec<String>, bool)> {
    let inside = text.strip_prefix("!llvm.func<")?.strip_suffix('>')?;
    let open = top_level(inside, '(')?;
    let result = inside[..open].trim().to_owned();
    let mut rest = inside[open + 1..].strip_suffix(')')?.trim();
    let (mut parameters, mut variadic) = (Vec::new(), false);
    while !rest.is_empty() {
        let end = top_level(rest, ',').unwrap_or(rest.len());
        match rest[..end].trim() {
            "..." => variadic = true,
            parameter => parameters.push(parameter.to_owned()),
        }
        rest = rest.get(end + 1..).unwrap_or("").trim();
    }
    Some((result, parameters, variadic))
}

/// The offset of a character outside brackets.
fn top_level(text: &str, wanted: char) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        if c == wanted && depth == 0 {
            return Some(at);
        }
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if text[..at].ends_with('-') => {}
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The full text of a type from its short text: `!llvm.ptr` for `ptr`.
fn outer(text: &str) -> String {
    let builtin = ["i", "f", "bf", "vector", "index", "tensor", "memref", "!"];
    let is_builtin = builtin.iter().any(|prefix| {
        let rest = text.strip_prefix(prefix).unwrap_or("");
        match *prefix {
            "i" | "f" | "bf" => !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()),
            _ => text.starts_with(prefix),
        }
    });
    if is_builtin { text.to_owned() } else { format!("!llvm.{text}") }
}

impl CustomForm for Func {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        read_linkage(reader)?;
        read_word(reader, "visibility_", VISIBILITY)?;
        read_word(reader, "unnamed_addr", UNNAMED)?;
        let convention = reader.optional_keyword();
        let convention = convention.unwrap_or_else(|| "ccc".to_owned());
        let convention = reader.attr_of_text(&format!("#llvm.cconv<{convention}>"))?;
        reader.set("CConv", convention);
        symbol(reader, "sym_name")?;
        let signature = read_signature(reader, true)?;
        let result = match signature.results.as_slice() {
            [] => "void".to_owned(),
            [one] => inner(&reader.type_text(*one)).to_owned(),
            several => {
                let given = several.len();
                return Err(
                    reader.fail(&format!("an LLVM function has at most one result, but {given} are given"))
                );
            }
        };
        let mut parameters: Vec<String> =
            signature.inputs.iter().map(|&ty| inner(&reader.type_text(ty)).to_owned()).collect();
        if signature.variadic {
            parameters.push("...".to_owned());
        }
        let ty = reader.type_of_text(&format!("!llvm.func<{result} ({})>", parameters.join(", ")))?;
        let ty = reader.intern_attr(AttrKind::Type(ty));
        reader.set("function_type", ty);
        set_attrs(reader, &signature);
        read_vscale_range(reader)?;
        read_comdat(reader)?;
        reader.attr_dict(true)?;
        optional_body(reader, &signature.arguments)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let AttrKind::Type(ty) = *printer.attr_kind(printer.get("function_type")?) else { return None };
        let text = printer.type_text(ty);
        let (result, parameters, variadic) = split(&text)?;
        let linkage = case(printer, "linkage", "#llvm.linkage").unwrap_or_else(|| "external".to_owned());
        if linkage != "external" {
            printer.text(" ");
            printer.text(&linkage);
        }
        print_word(printer, "visibility_", VISIBILITY)?;
        print_word(printer, "unnamed_addr", UNNAMED)?;
        let convention = case(printer, "CConv", "#llvm.cconv").unwrap_or_else(|| "ccc".to_owned());
        if convention != "ccc" {
            printer.text(" ");
            printer.text(&convention);
        }
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        let ty = |text: &String| SignatureType::Text(outer(text));
        let inputs: Vec<_> = parameters.iter().map(ty).collect();
        let results = if result == "void" { Vec::new() } else { vec![ty(&result)] };
        print_signature(printer, &inputs, &results, variadic)?;
        print_vscale_range(printer)?;
        print_comdat(printer);
        printer.attr_dict(true, IMPLIED);
        print_body(printer)
    }
}

/// The indices of `llvm.getelementptr`: values and constants.
#[derive(Debug)]
struct GepIndices;

/// The entry in the list of constants for an index that is a value.
const VALUE: i32 = i32::MIN;

fn constants(printer: &dyn FormPrinter, attr: AttrId) -> Option<Vec<i32>> {
    match printer.attr_kind(attr) {
        AttrKind::DenseArray { element, data } if *element == Context::I32 => {
            data.chunks(4).map(|bytes| Some(i32::from_le_bytes(bytes.try_into().ok()?))).collect()
        }
        _ => None,
    }
}

impl CustomDirective for GepIndices {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands, attribute] = args else {
            return Err(wrong_arguments(reader, "GEPIndices", "two arguments", args));
        };
        let (mut names, mut indices) = (Vec::new(), Vec::new());
        loop {
            if reader.is_operand() {
                names.push(reader.operand()?);
                indices.push(VALUE);
            } else {
                let mark = reader.mark();
                match reader.optional_integer()?.map(i32::try_from) {
                    Some(Ok(value)) => indices.push(value),
                    None if indices.is_empty() => break,
                    None | Some(Err(_)) => {
                        reader.return_to(mark);
                        return Err(reader.expected("an index of 32 bits"));
                    }
                }
            }
            if !reader.optional_literal(",") {
                break;
            }
        }
        reader.put_operands(operands, &names);
        let data = indices.iter().flat_map(|value| value.to_le_bytes()).collect();
        let value = reader.intern_attr(AttrKind::DenseArray { element: Context::I32, data });
        reader.put_attribute(attribute, value);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, attribute] = args else { return None };
        let mut values = printer.group(operands).into_iter();
        for (i, index) in constants(printer, printer.attribute_of(attribute)?)?.into_iter().enumerate() {
            if i > 0 {
                printer.text(", ");
            }
            match index {
                VALUE => printer.value(values.next()?),
                index => printer.text(&index.to_string()),
            }
        }
        values.next().is_none().then_some(())
    }
}

/// `llvm.mlir.global internal constant @name(value) {…} : t {…}`, and `llvm.mlir.alias` without a value.
#[derive(Debug)]
struct Global {
    /// The name of the attribute that holds the type.
    ty: &'static str,
}

impl CustomForm for Global {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        read_linkage(reader)?;
        read_word(reader, "visibility_", VISIBILITY)?;
        if reader.optional_literal("thread_local") {
            reader.set("thread_local_", Context::UNIT);
        }
        read_word(reader, "unnamed_addr", UNNAMED)?;
        if reader.optional_literal("constant") {
            reader.set("constant", Context::UNIT);
        }
        symbol(reader, "sym_name")?;
        let mut value = None;
        if reader.optional_literal("(") {
            if !reader.is_literal(")") {
                let initial = reader.attribute(None)?;
                reader.set("value", initial);
                value = Some(initial);
            }
            reader.literal(")")?;
        }
        read_comdat(reader)?;
        reader.attr_dict(false)?;
        let text = value.and_then(|value| super::lists::string_of(reader, value));
        let ty = match text {
            Some(text) if !reader.is_literal(":") => {
                reader.type_of_text(&format!("!llvm.array<{} x i8>", text.len()))?
            }
            _ => {
                reader.literal(":")?;
                reader.ty()?
            }
        };
        let ty = reader.intern_attr(AttrKind::Type(ty));
        reader.set(self.ty, ty);
        optional_body(reader, &[])
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let linkage = case(printer, "linkage", "#llvm.linkage")?;
        printer.text(&format!(" {linkage}"));
        print_word(printer, "visibility_", VISIBILITY)?;
        if printer.get("thread_local_").is_some() {
            printer.text(" thread_local");
        }
        print_word(printer, "unnamed_addr", UNNAMED)?;
        if printer.get("constant").is_some() {
            printer.text(" constant");
        }
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        let value = printer.get("value");
        if self.ty == "global_type" {
            printer.text("(");
            if let Some(value) = value {
                printer.attribute(value);
            }
            printer.text(")");
        }
        print_comdat(printer);
        let elided = [
            "linkage",
            "visibility_",
            "thread_local_",
            "unnamed_addr",
            "constant",
            "sym_name",
            "value",
            "comdat",
        ];
        printer.attr_dict(false, &[elided.as_slice(), &[self.ty]].concat());
        let is_text = value.is_some_and(|value| matches!(printer.attr_kind(value), AttrKind::String { .. }));
        if !is_text {
            let AttrKind::Type(ty) = *printer.attr_kind(printer.get(self.ty)?) else { return None };
            printer.text(" : ");
            printer.ty(ty);
            print_body(printer)?;
        }
        Some(())
    }
}

/// `llvm.alloca inalloca %n x t {…} : (i64) -> !llvm.ptr`
#[derive(Debug)]
struct Alloca;

impl CustomForm for Alloca {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        if reader.optional_literal("inalloca") {
            reader.set("inalloca", Context::UNIT);
        }
        let size = reader.operand()?;
        reader.literal("x")?;
        let element = reader.ty()?;
        let element = reader.intern_attr(AttrKind::Type(element));
        reader.set("elem_type", element);
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let (inputs, results) = function_type(reader)?;
        reader.add_results(&results);
        reader.add_operands(&[size], &inputs)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let AttrKind::Type(element) = *printer.attr_kind(printer.get("elem_type")?) else { return None };
        printer.text(if printer.get("inalloca").is_some() { " inalloca " } else { " " });
        printer.values(&operands);
        printer.text(" x ");
        printer.ty(element);
        let alignment = printer.get("alignment").map(|alignment| printer.attr_text(alignment));
        let mut elided = vec!["elem_type", "inalloca"];
        if alignment.is_some_and(|text| text.starts_with("0 ")) {
            elided.push("alignment");
        }
        printer.attr_dict(false, &elided);
        printer.text(" : ");
        let (inputs, results) = (types(printer, &operands), types(printer, &printer.results()));
        printer.function_type(&inputs, &results);
        Some(())
    }
}

const INT_PREDICATES: &[&str] = &["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
const FLOAT_PREDICATES: &[&str] = &[
    "_false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
    "uno", "_true",
];

/// `llvm.icmp "slt" %a, %b : t`
#[derive(Debug)]
struct Compare {
    predicates: &'static [&'static str],
}

impl CustomForm for Compare {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let word = reader.optional_string().unwrap_or_default();
        let Some(number) = self.predicates.iter().position(|&known| known == word) else {
            return Err(reader.expected(&format!("one of the strings {}", self.predicates.join(", "))));
        };
        let number = reader.attr_of_text(&format!("{number} : i64"))?;
        reader.set("predicate", number);
        let operands = comma_separated(reader, |r| r.operand())?;
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let ty = reader.ty()?;
        let result = match reader.type_kind(ty).clone() {
            TypeKind::Vector { shape, scalable, .. } => {
                reader.intern_type(TypeKind::Vector { shape, scalable, element: Context::I1 })
            }
            _ => Context::I1,
        };
        reader.add_results(&[result]);
        reader.add_operands(&operands, &[ty, ty])
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let AttrKind::Integer { value, .. } = printer.attr_kind(printer.get("predicate")?) else {
            return None;
        };
        let word = *self.predicates.get(usize::try_from(value.to_i64()?).ok()?)?;
        let operands = printer.operands();
        printer.text(&format!(" \"{word}\" "));
        printer.values(&operands);
        let mut elided = vec!["predicate"];
        if case(printer, "fastmathFlags", "#llvm.fastmath").as_deref() == Some("none") {
            elided.push("fastmathFlags");
        }
        printer.attr_dict(false, &elided);
        printer.text(" : ");
        printer.ty(printer.value_type(*operands.first()?));
        Some(())
    }
}

/// The type of an element of a struct or array, which the text omits.
#[derive(Debug)]
struct ElementType;

/// The text of the type at an index of a struct or array.
fn member(text: &str, index: usize) -> Option<String> {
    if let Some(inside) = text.strip_prefix("!llvm.array<").and_then(|rest| rest.strip_suffix('>')) {
        return Some(outer(inside.split_once(" x ")?.1.trim()));
    }
    let inside = text.strip_prefix("!llvm.struct<")?.strip_suffix('>')?;
    let mut rest = inside.get(top_level(inside, '(')? + 1..)?.strip_suffix(')')?;
    for _ in 0..index {
        rest = rest.get(top_level(rest, ',')? + 1..)?;
    }
    let end = top_level(rest, ',').unwrap_or(rest.len());
    Some(outer(rest[..end].trim()))
}

impl CustomDirective for ElementType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [value, container, position] = args else {
            return Err(wrong_arguments(reader, "InsertExtractValueElementType", "three arguments", args));
        };
        let Some(&ty) = reader.types_of(container).first() else { return Ok(()) };
        let mut text = reader.type_text(ty);
        let positions = match reader.attribute_of(position).map(|attr| reader.attr_kind(attr)) {
            Some(AttrKind::DenseArray { data, .. }) => data.clone(),
            _ => [].into(),
        };
        for bytes in positions.chunks(8) {
            let index =
                bytes.try_into().ok().and_then(|bytes| usize::try_from(i64::from_le_bytes(bytes)).ok());
            let Some(inside) = index.and_then(|index| member(&text, index)) else {
                return Err(reader.fail(&format!("'{text}' has no such member")));
            };
            text = inside;
        }
        let ty = reader.type_of_text(&text)?;
        reader.put_types(value, &[ty]);
        Ok(())
    }

    fn print(&self, _: &mut dyn FormPrinter, _: &[DirectiveArg]) -> Option<()> {
        Some(())
    }
}

/// The type of the result of `llvm.shufflevector`, which the text omits.
#[derive(Debug)]
struct ShuffleType;

impl CustomDirective for ShuffleType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operand, result, mask] = args else {
            return Err(wrong_arguments(reader, "ShuffleType", "three arguments", args));
        };
        let count = match reader.attribute_of(mask).map(|attr| reader.attr_kind(attr)) {
            Some(AttrKind::DenseArray { data, .. }) => data.len() / 4,
            _ => return Err(reader.fail("the mask must be a list of integers")),
        };
        let kind = reader.types_of(operand).first().map(|&ty| reader.type_kind(ty).clone());
        let Some(TypeKind::Vector { scalable, element, .. }) = kind else {
            return Err(reader.fail("the operands must be vectors"));
        };
        let size = i64::try_from(count).expect("a list in memory has fewer than 2^63 elements");
        let shape = [size].into();
        let ty = reader.intern_type(TypeKind::Vector { shape, scalable, element });
        reader.put_types(result, &[ty]);
        Ok(())
    }

    fn print(&self, _: &mut dyn FormPrinter, _: &[DirectiveArg]) -> Option<()> {
        Some(())
    }
}
