//! Operations of the spirv dialect.

use super::index_list::i32_array;
use super::lists::{comma_separated, enclosed, optional_body, print_body, print_region, symbol};
use super::signature::{print_function_signature, read_signature, set_function_type, string};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms};
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::types::TypeKind;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("spirv.module", Module);
    forms.add_form("spirv.func", Func);
    forms.add_form("spirv.Constant", Constant);
    forms.add_form("spirv.GlobalVariable", GlobalVariable);
    forms.add_form("spirv.SpecConstant", SpecConstant);
    forms.add_form("spirv.SpecConstantComposite", SpecConstantComposite);
    forms.add_form("spirv.Load", Memory { stores: false });
    forms.add_form("spirv.Store", Memory { stores: true });
    forms.add_form("spirv.Variable", Variable);
    forms.add_form("spirv.CompositeExtract", Composite { inserts: false });
    forms.add_form("spirv.CompositeInsert", Composite { inserts: true });
    forms.add_form("spirv.BranchConditional", Branch);
    forms.add_form("spirv.mlir.selection", Structured { control: "selection_control" });
    forms.add_form("spirv.mlir.loop", Structured { control: "loop_control" });
    forms.add_form("spirv.EntryPoint", EntryPoint);
    forms.add_form("spirv.ExecutionMode", ExecutionMode);
}

/// Sets an attribute to the enum value `#spirv.class<word>`.
fn set_enum(reader: &mut dyn FormReader, name: &str, class: &str, word: &str) -> FormResult<()> {
    let value = reader.attr_of_text(&format!("#spirv.{class}<{word}>"))?;
    reader.set(name, value);
    Ok(())
}

/// Reads a word in quotes, and sets an attribute to the enum value with this word.
fn quoted_enum(reader: &mut dyn FormReader, name: &str, class: &str) -> FormResult<()> {
    let Some(word) = reader.optional_string() else { return Err(reader.expected("a word in quotes")) };
    set_enum(reader, name, class, &word)
}

/// The word of an attribute with an enum value `#spirv.class<word>`.
fn word(printer: &dyn FormPrinter, name: &str) -> Option<String> {
    let text = printer.attr_text(printer.get(name)?);
    Some(text.split_once('<')?.1.strip_suffix('>')?.to_owned())
}

fn integer(reader: &mut dyn FormReader) -> FormResult<i64> {
    reader.optional_integer()?.ok_or_else(|| reader.expected("an integer"))
}

fn number(printer: &dyn FormPrinter, attr: AttrId) -> Option<i64> {
    match printer.attr_kind(attr) {
        AttrKind::Integer { value, .. } => value.to_i64(),
        _ => None,
    }
}

fn set_i32(reader: &mut dyn FormReader, name: &str, value: i64) -> FormResult<()> {
    let value = reader.attr_of_text(&format!("{value} : i32"))?;
    reader.set(name, value);
    Ok(())
}

/// `spirv.module @name Logical GLSL450 requires #spirv.vce<…> attributes {…} {…}`
#[derive(Debug)]
struct Module;

impl CustomForm for Module {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        if let Some(name) = reader.optional_symbol() {
            let name = reader.string_attr(&name);
            reader.set("sym_name", name);
        }
        for name in ["addressing_model", "memory_model"] {
            let Some(word) = reader.optional_keyword() else {
                return Err(reader.expected("an addressing model and a memory model"));
            };
            set_enum(reader, name, name, &word)?;
        }
        if reader.optional_literal("requires") {
            let triple = reader.attribute(None)?;
            reader.set("vce_triple", triple);
        }
        reader.attr_dict(true)?;
        let region = reader.region(&[])?;
        if reader.is_empty(region) {
            reader.add_block(region, &[]);
        }
        reader.add_region(region);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        if let Some(name) = string(printer, "sym_name") {
            printer.text(" ");
            printer.symbol(&name);
        }
        let words = [word(printer, "addressing_model")?, word(printer, "memory_model")?];
        printer.text(&format!(" {} {}", words[0], words[1]));
        if let Some(triple) = printer.get("vce_triple") {
            printer.text(" requires ");
            printer.attribute(triple);
        }
        printer.attr_dict(true, &["addressing_model", "memory_model", "vce_triple", "sym_name"]);
        print_region(printer)
    }
}

/// `spirv.func @name(%a: t) -> u "None" attributes {…} {…}`
#[derive(Debug)]
struct Func;

impl CustomForm for Func {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        symbol(reader, "sym_name")?;
        let signature = read_signature(reader, false)?;
        set_function_type(reader, &signature);
        quoted_enum(reader, "function_control", "function_control")?;
        reader.attr_dict(true)?;
        optional_body(reader, &signature.arguments)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        print_function_signature(printer)?;
        let control = word(printer, "function_control")?;
        printer.text(&format!(" \"{control}\""));
        printer.attr_dict(true, &["sym_name", "function_type", "arg_attrs", "res_attrs", "function_control"]);
        print_body(printer)
    }
}

/// `spirv.Constant 1 : i32`. If the attribute has a tensor type or no type, the type of the result follows.
#[derive(Debug)]
struct Constant;

impl CustomForm for Constant {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let value = reader.attribute(None)?;
        reader.set("value", value);
        let own = reader.type_of_attr(value);
        let is_tensor = own.is_some_and(|ty| matches!(reader.type_kind(ty), TypeKind::RankedTensor { .. }));
        let ty = match own {
            Some(ty) if !is_tensor => ty,
            _ => {
                reader.literal(":")?;
                reader.ty()?
            }
        };
        reader.add_results(&[ty]);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let value = printer.get("value")?;
        let ty = printer.value_type(*printer.results().first()?);
        printer.text(" ");
        printer.attribute(value);
        if printer.type_of_attr(value) != Some(ty) && printer.type_text(ty).starts_with("!spirv.") {
            printer.text(" : ");
            printer.ty(ty);
        }
        printer.attr_dict(false, &["value"]);
        Some(())
    }
}

/// Reads `bind(0, 1)` and `built_in("X")`.
fn read_decorations(reader: &mut dyn FormReader) -> FormResult<()> {
    if reader.optional_literal("bind") {
        let numbers = enclosed(reader, ("(", ")"), integer)?;
        let [set, binding] = *numbers.as_slice() else {
            let given = numbers.len();
            return Err(reader.fail(&format!(
                "'bind' takes a descriptor set and a binding, but {given} numbers are given"
            )));
        };
        set_i32(reader, "descriptor_set", set)?;
        set_i32(reader, "binding", binding)?;
    }
    if reader.optional_literal("built_in") {
        reader.literal("(")?;
        let Some(name) = reader.optional_string() else { return Err(reader.expected("a name in quotes")) };
        let name = reader.string_attr(&name);
        reader.set("built_in", name);
        reader.literal(")")?;
    }
    Ok(())
}

/// Prints the decorations, and a dictionary of the other attributes except those that `elided` names.
fn print_decorations(printer: &mut dyn FormPrinter, elided: &[&str]) -> Option<()> {
    let mut elided = elided.to_vec();
    if let (Some(set), Some(binding)) = (printer.get("descriptor_set"), printer.get("binding")) {
        let (set, binding) = (number(printer, set)?, number(printer, binding)?);
        printer.text(&format!(" bind({set}, {binding})"));
        elided.extend(["descriptor_set", "binding"]);
    }
    if let Some(name) = printer.get("built_in") {
        printer.text(" built_in(");
        printer.attribute(name);
        printer.text(")");
        elided.push("built_in");
    }
    printer.attr_dict(false, &elided);
    Some(())
}

/// `spirv.GlobalVariable @name initializer(@c) bind(0, 1) : t`
#[derive(Debug)]
struct GlobalVariable;

impl CustomForm for GlobalVariable {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        symbol(reader, "sym_name")?;
        if reader.optional_literal("initializer") {
            reader.literal("(")?;
            let initializer = reader.attribute(None)?;
            reader.set("initializer", initializer);
            reader.literal(")")?;
        }
        read_decorations(reader)?;
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let ty = reader.ty()?;
        let ty = reader.intern_attr(AttrKind::Type(ty));
        reader.set("type", ty);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        if let Some(initializer) = printer.get("initializer") {
            printer.text(" initializer(");
            printer.attribute(initializer);
            printer.text(")");
        }
        print_decorations(printer, &["sym_name", "initializer", "type"])?;
        let AttrKind::Type(ty) = *printer.attr_kind(printer.get("type")?) else { return None };
        printer.text(" : ");
        printer.ty(ty);
        Some(())
    }
}

/// `spirv.SpecConstant @name spec_id(1) = 2 : i32`
#[derive(Debug)]
struct SpecConstant;

impl CustomForm for SpecConstant {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        symbol(reader, "sym_name")?;
        if reader.optional_literal("spec_id") {
            reader.literal("(")?;
            let id = reader.attribute(None)?;
            reader.set_discardable("spec_id", id);
            reader.literal(")")?;
        }
        reader.literal("=")?;
        let value = reader.attribute(None)?;
        reader.set("default_value", value);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        if let Some(id) = printer.get("spec_id") {
            let id = number(printer, id)?;
            printer.text(&format!(" spec_id({id})"));
        }
        printer.text(" = ");
        printer.attribute(printer.get("default_value")?);
        Some(())
    }
}

/// `spirv.SpecConstantComposite @name (@a, @b) : t`
#[derive(Debug)]
struct SpecConstantComposite;

impl CustomForm for SpecConstantComposite {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        symbol(reader, "sym_name")?;
        let parts = enclosed(reader, ("(", ")"), |r| r.attribute(None))?;
        let parts = reader.intern_attr(AttrKind::Array(parts.into()));
        reader.set("constituents", parts);
        reader.literal(":")?;
        let ty = reader.ty()?;
        let ty = reader.intern_attr(AttrKind::Type(ty));
        reader.set("type", ty);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        let AttrKind::Array(parts) = printer.attr_kind(printer.get("constituents")?).clone() else {
            return None;
        };
        for (i, part) in parts.into_iter().enumerate() {
            printer.text(if i == 0 { " (" } else { ", " });
            printer.attribute(part);
        }
        printer.text(") : ");
        printer.attribute(printer.get("type")?);
        Some(())
    }
}

/// The pointee and the storage class of a type `!spirv.ptr<t, Class>`.
fn pointer(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix("!spirv.ptr<")?.strip_suffix('>')?;
    let (pointee, class) = inside.rsplit_once(',')?;
    Some((pointee.trim(), class.trim()))
}

/// `spirv.Load "Function" %p ["Aligned", 4] : t` and `spirv.Store "Function" %p, %v ["Volatile"] : t`
#[derive(Debug)]
struct Memory {
    stores: bool,
}

impl CustomForm for Memory {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let Some(class) = reader.optional_string() else {
            return Err(reader.expected("a storage class in quotes"));
        };
        let operands = comma_separated(reader, |r| r.operand())?;
        if reader.optional_literal("[") {
            let Some(access) = reader.optional_string() else {
                return Err(reader.expected("a kind of access in quotes"));
            };
            set_enum(reader, "memory_access", "memory_access", &access)?;
            if reader.optional_literal(",") {
                let alignment = integer(reader)?;
                set_i32(reader, "alignment", alignment)?;
            }
            reader.literal("]")?;
        }
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let ty = reader.ty()?;
        let text = reader.type_text(ty);
        let pointer = reader.type_of_text(&format!("!spirv.ptr<{}, {class}>", text))?;
        if self.stores {
            reader.add_operands(&operands, &[pointer, ty])
        } else {
            reader.add_results(&[ty]);
            reader.add_operands(&operands, &[pointer])
        }
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let text = printer.type_text(printer.value_type(*operands.first()?));
        let (pointee, class) = pointer(&text)?;
        let value = if self.stores { *operands.get(1)? } else { *printer.results().first()? };
        let ty = printer.value_type(value);
        if printer.type_text(ty) != pointee {
            return None;
        }
        printer.text(&format!(" \"{class}\" "));
        printer.values(&operands);
        if let Some(access) = word(printer, "memory_access") {
            printer.text(&format!(" [\"{access}\""));
            if let Some(alignment) = printer.get("alignment") {
                let alignment = number(printer, alignment)?;
                printer.text(&format!(", {alignment}"));
            }
            printer.text("]");
        }
        printer.attr_dict(false, &["memory_access", "alignment"]);
        printer.text(" : ");
        printer.ty(ty);
        Some(())
    }
}

/// `spirv.Variable init(%v) bind(0, 1) : t`
#[derive(Debug)]
struct Variable;

impl CustomForm for Variable {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut init = Vec::new();
        if reader.optional_literal("init") {
            init = super::lists::operand_list(reader)?;
        }
        read_decorations(reader)?;
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let ty = reader.ty()?;
        let text = reader.type_text(ty);
        let Some((pointee, class)) = pointer(&text) else {
            return Err(reader.fail("the type must be a '!spirv.ptr'"));
        };
        let pointee: TypeId = reader.type_of_text(pointee)?;
        set_enum(reader, "storage_class", "storage_class", class)?;
        reader.add_results(&[ty]);
        reader.add_operands(&init, &vec![pointee; init.len()])
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        if !operands.is_empty() {
            super::lists::print_values(printer, " init", &operands);
        }
        print_decorations(printer, &["storage_class"])?;
        printer.text(" : ");
        printer.ty(printer.value_type(*printer.results().first()?));
        Some(())
    }
}

/// `spirv.CompositeExtract %c[1 : i32] : t` and `spirv.CompositeInsert %v, %c[1 : i32] : t into u`
#[derive(Debug)]
struct Composite {
    inserts: bool,
}

/// Splits a text at the first separator that is not inside brackets. The second part is `None` if there is no such
/// separator.
fn split_outside_brackets<'t>(text: &'t str, separator: &str) -> (&'t str, Option<&'t str>) {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        if depth == 0
            && let Some(rest) = text[at..].strip_prefix(separator)
        {
            return (&text[..at], Some(rest));
        }
        match c {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    (text, None)
}

/// The type at an index of a composite type.
fn part(text: &str, index: usize) -> Option<String> {
    if let Some(inside) = text.strip_prefix("!spirv.struct<").and_then(|rest| rest.strip_suffix('>')) {
        let (_, rest) = inside.split_once('(')?;
        let mut members = split_outside_brackets(rest, ")").0;
        for _ in 0..index {
            members = split_outside_brackets(members, ", ").1?;
        }
        let member = split_outside_brackets(members, ", ").0;
        return (!member.is_empty()).then(|| split_outside_brackets(member, " [").0.to_owned());
    }
    for prefix in ["!spirv.array<", "!spirv.rtarray<", "!spirv.coopmatrix<", "!spirv.matrix<", "vector<"] {
        let Some(inside) = text.strip_prefix(prefix).and_then(|rest| rest.strip_suffix('>')) else {
            continue;
        };
        let element = match prefix {
            "!spirv.rtarray<" => inside,
            "vector<" => inside.split_once('x')?.1,
            "!spirv.coopmatrix<" => inside.split(',').next()?.rsplit_once('x')?.1,
            _ => inside.split_once(" x ")?.1,
        };
        return Some(split_outside_brackets(element, ", stride=").0.to_owned());
    }
    None
}

impl CustomForm for Composite {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let operands = comma_separated(reader, |r| r.operand())?;
        let indices = reader.attribute(None)?;
        reader.set("indices", indices);
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let ty = reader.ty()?;
        if self.inserts {
            reader.literal("into")?;
            let whole = reader.ty()?;
            reader.add_results(&[whole]);
            return reader.add_operands(&operands, &[ty, whole]);
        }
        let AttrKind::Array(items) = reader.attr_kind(indices).clone() else {
            return Err(reader.fail("the indices must be a list of integers"));
        };
        let mut text = reader.type_text(ty);
        for item in items {
            let index = match reader.attr_kind(item) {
                AttrKind::Integer { value, .. } => {
                    value.to_i64().and_then(|value| usize::try_from(value).ok())
                }
                _ => None,
            };
            let Some(inside) = index.and_then(|index| part(&text, index)) else {
                return Err(reader.fail(&format!("'{text}' has no such part")));
            };
            text = inside;
        }
        let result = reader.type_of_text(&text)?;
        reader.add_results(&[result]);
        reader.add_operands(&operands, &[ty])
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        printer.text(" ");
        printer.values(&operands);
        printer.attribute(printer.get("indices")?);
        printer.attr_dict(false, &["indices"]);
        printer.text(" : ");
        printer.ty(printer.value_type(*operands.first()?));
        if self.inserts {
            printer.text(" into ");
            printer.ty(printer.value_type(*operands.get(1)?));
        }
        Some(())
    }
}

/// `spirv.BranchConditional %c [1, 2], ^bb1(%a : t), ^bb2`
#[derive(Debug)]
struct Branch;

impl CustomForm for Branch {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let condition = reader.operand()?;
        reader.add_operands(&[condition], &[Context::I1])?;
        if reader.is_literal("[") {
            let weights = enclosed(reader, ("[", "]"), integer)?;
            let texts: Vec<String> = weights.iter().map(|weight| format!("{weight} : i32")).collect();
            let weights = reader.attr_of_text(&format!("[{}]", texts.join(", ")))?;
            reader.set("branch_weights", weights);
        }
        let mut sizes = vec![1];
        for _ in 0..2 {
            reader.literal(",")?;
            let block = reader.successor()?;
            reader.add_successor(block);
            let (mut names, mut types) = (Vec::new(), Vec::new());
            if reader.is_literal("(") {
                (names, types) = super::lists::typed_operands(reader)?;
            }
            reader.add_operands(&names, &types)?;
            sizes.push(names.len());
        }
        let sizes = i32_array(reader, &sizes);
        reader.set("operandSegmentSizes", sizes);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let sizes = printer.sizes("operandSegmentSizes")?;
        let [1, taken, _] = *sizes.as_slice() else { return None };
        let operands = printer.operands();
        let successors = printer.successors();
        let (&condition, rest) = operands.split_first()?;
        let (taken, other) = rest.split_at_checked(taken)?;
        printer.text(" ");
        printer.value(condition);
        if let Some(weights) = printer.get("branch_weights") {
            let AttrKind::Array(items) = printer.attr_kind(weights) else { return None };
            let texts: Option<Vec<String>> =
                items.iter().map(|&item| Some(number(printer, item)?.to_string())).collect();
            printer.text(&format!(" [{}]", texts?.join(", ")));
        }
        for (&block, values) in successors.iter().zip([taken, other]) {
            printer.text(", ");
            printer.successor(block);
            super::lists::print_typed(printer, "", values);
        }
        Some(())
    }
}

/// `spirv.mlir.selection control(Flatten) -> t {…}` and `spirv.mlir.loop control(Unroll) -> t {…}`
#[derive(Debug)]
struct Structured {
    control: &'static str,
}

impl CustomForm for Structured {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut word = "None".to_owned();
        if reader.optional_literal("control") {
            reader.literal("(")?;
            word = reader.optional_keyword().ok_or_else(|| reader.expected("a control word"))?;
            while reader.optional_literal("|") {
                let more = reader.optional_keyword().ok_or_else(|| reader.expected("a control word"))?;
                word = format!("{word}|{more}");
            }
            reader.literal(")")?;
        }
        set_enum(reader, self.control, self.control, &word)?;
        let results = super::lists::optional_results(reader)?;
        reader.add_results(&results);
        let region = reader.region(&[])?;
        reader.add_region(region);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let word = word(printer, self.control)?;
        if word != "None" {
            printer.text(&format!(" control({word})"));
        }
        let results = super::lists::types(printer, &printer.results());
        printer.arrow_types(&results);
        print_region(printer)
    }
}

/// `spirv.EntryPoint "GLCompute" @f, @v`
#[derive(Debug)]
struct EntryPoint;

impl CustomForm for EntryPoint {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        quoted_enum(reader, "execution_model", "execution_model")?;
        let mut symbols = comma_separated(reader, |r| r.attribute(None))?;
        let function = symbols.remove(0);
        reader.set("fn", function);
        let interface = reader.intern_attr(AttrKind::Array(symbols.into()));
        reader.set("interface", interface);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let model = word(printer, "execution_model")?;
        printer.text(&format!(" \"{model}\" "));
        printer.attribute(printer.get("fn")?);
        let AttrKind::Array(items) = printer.attr_kind(printer.get("interface")?).clone() else {
            return None;
        };
        for item in items {
            printer.text(", ");
            printer.attribute(item);
        }
        Some(())
    }
}

/// `spirv.ExecutionMode @f "LocalSize", 1, 1, 1`
#[derive(Debug)]
struct ExecutionMode;

impl CustomForm for ExecutionMode {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let function = reader.attribute(None)?;
        reader.set("fn", function);
        quoted_enum(reader, "execution_mode", "execution_mode")?;
        let mut numbers = Vec::new();
        while reader.optional_literal(",") {
            numbers.push(format!("{} : i32", integer(reader)?));
        }
        let values = reader.attr_of_text(&format!("[{}]", numbers.join(", ")))?;
        reader.set("values", values);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        printer.text(" ");
        printer.attribute(printer.get("fn")?);
        let mode = word(printer, "execution_mode")?;
        printer.text(&format!(" \"{mode}\""));
        let AttrKind::Array(items) = printer.attr_kind(printer.get("values")?).clone() else { return None };
        for item in items {
            let value = number(printer, item)?;
            printer.text(&format!(", {value}"));
        }
        Some(())
    }
}
