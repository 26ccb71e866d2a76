//! Calls of the LLVM dialect, and branches to computed addresses.

use super::control_flow::{print_target, read_target};
use super::error::wrong_arguments;
use super::index_list::i32_array;
use super::lists::{enclosed, operand_list, print_values, types};
use super::llvm::case;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms, OperandName,
};
use crate::ir::ids::{AttrId, TypeId, ValueId};

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("llvm.call", Call::Function);
    forms.add_form("llvm.call_intrinsic", Call::Intrinsic);
    forms.add_form("llvm.invoke", Call::Invoke);
    forms.add_directive("IndirectBrOpSucessors", Addresses);
    forms.add_directive("OpBundles", Bundles);
}

/// `llvm.call fastcc @f(%a) vararg(t) ["tag"(%b : u)] {…} : (t) -> u`, `llvm.call_intrinsic "name"(%a) …`, and
/// `llvm.invoke @f(%a) to ^bb1 unwind ^bb2(%b : t) …`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Function,
    Intrinsic,
    Invoke,
}

const TAIL_KINDS: [&str; 4] = ["none", "notail", "musttail", "tail"];

/// Reads `(t {…}, u)`.
fn types_with_attrs(reader: &mut dyn FormReader) -> FormResult<(Vec<TypeId>, Vec<AttrId>)> {
    let pairs = enclosed(reader, ("(", ")"), |r| {
        let ty = r.ty()?;
        Ok((ty, r.optional_dictionary()?.unwrap_or(Context::EMPTY_DICTIONARY)))
    })?;
    Ok(pairs.into_iter().unzip())
}

fn set_type_attrs(reader: &mut dyn FormReader, name: &str, attrs: Vec<AttrId>) {
    if attrs.iter().any(|&attr| attr != Context::EMPTY_DICTIONARY) {
        let attrs = reader.intern_attr(AttrKind::Array(attrs.into()));
        reader.set(name, attrs);
    }
}

fn print_types_with_attrs(printer: &mut dyn FormPrinter, name: &str, types: &[TypeId]) -> Option<bool> {
    let attrs = match printer.get(name) {
        Some(attr) => match printer.attr_kind(attr) {
            AttrKind::Array(items) if items.len() == types.len() => Some(items.clone()),
            _ => return None,
        },
        None => None,
    };
    printer.text("(");
    for (i, &ty) in types.iter().enumerate() {
        if i > 0 {
            printer.text(", ");
        }
        printer.ty(ty);
        if let Some(attrs) = &attrs {
            printer.optional_dictionary(attrs[i]);
        }
    }
    printer.text(")");
    Some(attrs.is_some())
}

/// A tag with its operands and their types.
type Bundle = (AttrId, Vec<OperandName>, Vec<TypeId>);

/// Reads `["tag"(%a : t), …]`.
fn read_bundles(reader: &mut dyn FormReader) -> FormResult<Vec<Bundle>> {
    enclosed(reader, ("[", "]"), |r| {
        let Some(tag) = r.optional_string() else { return Err(r.expected("a tag in quotes")) };
        let (names, types) = super::lists::typed_operands(r)?;
        Ok((r.string_attr(&tag), names, types))
    })
}

/// Prints the text that [`read_bundles`] reads.
fn print_bundles(
    printer: &mut dyn FormPrinter,
    tags: AttrId,
    sizes: &[usize],
    mut operands: &[ValueId],
) -> Option<()> {
    let AttrKind::Array(tags) = printer.attr_kind(tags).clone() else { return None };
    for (i, (tag, &size)) in tags.into_iter().zip(sizes).enumerate() {
        printer.text(if i == 0 { "[" } else { ", " });
        printer.attribute(tag);
        match operands.split_off(..size)? {
            [] => printer.text("()"),
            values => super::lists::print_typed(printer, "", values),
        }
    }
    printer.text("]");
    Some(())
}

/// The bundles of operands in the format of `llvm.intr.assume`.
#[derive(Debug)]
struct Bundles;

impl CustomDirective for Bundles {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands, of, tags] = args else {
            return Err(wrong_arguments(reader, "OpBundles", "three arguments", args));
        };
        let bundles = read_bundles(reader)?;
        let (mut names, mut lists, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for (tag, list, types) in bundles {
            names.push(tag);
            lists.push(list);
            all.extend(types);
        }
        reader.put_operand_lists(operands, &lists);
        reader.put_types(of, &all);
        if !names.is_empty() {
            let names = reader.intern_attr(AttrKind::Array(names.into()));
            reader.put_attribute(tags, names);
        }
        Ok(())
    }

    fn read_optional(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<bool> {
        let starts = reader.is_literal("[");
        if starts {
            self.read(reader, args)?;
        }
        Ok(starts)
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, _, tags] = args else { return None };
        let operands = printer.group(operands);
        let sizes = printer.sizes("op_bundle_sizes")?;
        let tags = printer.attribute_of(tags)?;
        print_bundles(printer, tags, &sizes, &operands)
    }
}

impl CustomForm for Call {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut callee = None;
        if *self == Call::Intrinsic {
            let Some(name) = reader.optional_string() else {
                return Err(reader.expected("the name of an intrinsic in quotes"));
            };
            let name = reader.string_attr(&name);
            reader.set("intrin", name);
        } else {
            let (mut convention, mut tail) = ("ccc".to_owned(), "none");
            let tails = if *self == Call::Function { &TAIL_KINDS[..] } else { &[] };
            while !reader.is_operand() {
                if let Some(kind) = tails.iter().find(|kind| reader.optional_literal(kind)) {
                    tail = kind;
                } else if let Some(word) = reader.optional_keyword() {
                    convention = word;
                } else {
                    break;
                }
            }
            let value = reader.attr_of_text(&format!("#llvm.cconv<{convention}>"))?;
            reader.set("CConv", value);
            if *self == Call::Function {
                let value = reader.attr_of_text(&format!("#llvm.tailcallkind<{tail}>"))?;
                reader.set("TailCallKind", value);
            }
            if reader.is_operand() {
                callee = Some(reader.operand()?);
            } else {
                let name = reader.attribute(None)?;
                reader.set("callee", name);
            }
        }
        let operands = operand_list(reader)?;
        let mut targets = Vec::new();
        if *self == Call::Invoke {
            for word in ["to", "unwind"] {
                reader.literal(word)?;
                targets.push(read_target(reader)?);
            }
        }
        if reader.optional_literal("vararg") {
            reader.literal("(")?;
            let ty = reader.ty()?;
            let ty = reader.intern_attr(AttrKind::Type(ty));
            reader.set("var_callee_type", ty);
            reader.literal(")")?;
        }
        let bundles = if reader.is_literal("[") { read_bundles(reader)? } else { Vec::new() };
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let mut count = operands.len();
        if let Some(callee) = callee {
            let ty = reader.ty()?;
            reader.literal(",")?;
            reader.add_operands(&[callee], &[ty])?;
            count += 1;
        }
        let (inputs, attrs) = types_with_attrs(reader)?;
        set_type_attrs(reader, "arg_attrs", attrs);
        reader.literal("->")?;
        let (results, attrs) = match reader.is_literal("(") {
            true => types_with_attrs(reader)?,
            false => (vec![reader.ty()?], Vec::new()),
        };
        set_type_attrs(reader, "res_attrs", attrs);
        reader.add_operands(&operands, &inputs)?;
        reader.add_results(&results);
        let mut segments = vec![count];
        for (block, names, types) in targets {
            reader.add_successor(block);
            reader.add_operands(&names, &types)?;
            segments.push(names.len());
        }
        let (mut tags, mut sizes, mut total) = (Vec::new(), Vec::new(), 0);
        for (tag, names, types) in bundles {
            reader.add_operands(&names, &types)?;
            tags.push(tag);
            sizes.push(names.len());
            total += names.len();
        }
        if !tags.is_empty() {
            let tags = reader.intern_attr(AttrKind::Array(tags.into()));
            reader.set("op_bundle_tags", tags);
        }
        let sizes = i32_array(reader, &sizes);
        reader.set("op_bundle_sizes", sizes);
        segments.push(total);
        let segments = i32_array(reader, &segments);
        reader.set("operandSegmentSizes", segments);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let segments = printer.sizes("operandSegmentSizes")?;
        let all = printer.operands();
        let (own, mut rest) = all.split_at_checked(*segments.first()?)?;
        let mut operands = own;
        let mut callee: Option<ValueId> = None;
        if *self == Call::Intrinsic {
            printer.text(" ");
            printer.attribute(printer.get("intrin")?);
        } else {
            let convention = case(printer, "CConv", "#llvm.cconv")?;
            if convention != "ccc" {
                printer.text(&format!(" {convention}"));
            }
            if *self == Call::Function {
                let tail = case(printer, "TailCallKind", "#llvm.tailcallkind")?;
                if tail != "none" {
                    printer.text(&format!(" {tail}"));
                }
            }
            printer.text(" ");
            match printer.get("callee") {
                Some(name) => printer.attribute(name),
                None => {
                    let (&first, rest) = own.split_first()?;
                    printer.value(first);
                    callee = Some(first);
                    operands = rest;
                }
            }
        }
        print_values(printer, "", operands);
        if *self == Call::Invoke {
            let successors = printer.successors();
            let [_, normal, unwind, _] = *segments.as_slice() else { return None };
            let targets = [(" to", normal), (" unwind", unwind)];
            for ((word, size), &block) in targets.into_iter().zip(&successors) {
                printer.text(word);
                print_target(printer, block, rest.split_off(..size)?);
            }
        }
        if let Some(ty) = printer.get("var_callee_type") {
            printer.text(" vararg(");
            printer.attribute(ty);
            printer.text(")");
        }
        if let Some(tags) = printer.get("op_bundle_tags") {
            printer.text(" ");
            let sizes = printer.sizes("op_bundle_sizes")?;
            print_bundles(printer, tags, &sizes, rest)?;
        }
        let mut elided = vec![
            "CConv",
            "TailCallKind",
            "callee",
            "intrin",
            "var_callee_type",
            "op_bundle_tags",
            "op_bundle_sizes",
            "operandSegmentSizes",
            "arg_attrs",
            "res_attrs",
        ];
        if case(printer, "fastmathFlags", "#llvm.fastmath").as_deref() == Some("none") {
            elided.push("fastmathFlags");
        }
        printer.attr_dict(false, &elided);
        printer.text(" : ");
        if let Some(callee) = callee {
            printer.ty(printer.value_type(callee));
            printer.text(", ");
        }
        let (inputs, results) = (types(printer, operands), types(printer, &printer.results()));
        print_types_with_attrs(printer, "arg_attrs", &inputs)?;
        printer.text(" -> ");
        match results.as_slice() {
            [one] if printer.get("res_attrs").is_none() => printer.ty(*one),
            several => {
                print_types_with_attrs(printer, "res_attrs", several)?;
            }
        }
        Some(())
    }
}

/// `[^bb1, ^bb2(%a : t)]`, the successors of `llvm.indirectbr`
#[derive(Debug)]
struct Addresses;

impl CustomDirective for Addresses {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [_, successors, operands, of] = args else {
            return Err(wrong_arguments(reader, "IndirectBrOpSucessors", "four arguments", args));
        };
        let targets = enclosed(reader, ("[", "]"), read_target)?;
        let (mut blocks, mut lists, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for (block, names, types) in targets {
            blocks.push(block);
            lists.push(names);
            all.extend(types);
        }
        reader.put_successors(successors, &blocks);
        reader.put_operand_lists(operands, &lists);
        reader.put_types(of, &all);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [_, successors, operands, _] = args else { return None };
        let blocks = printer.successors_of(successors);
        let all = printer.group(operands);
        let sizes = printer.sizes("indbr_operand_segments")?;
        if sizes.len() != blocks.len() {
            return None;
        }
        let mut rest = all.as_slice();
        printer.text("[");
        for (i, (&block, size)) in blocks.iter().zip(sizes).enumerate() {
            printer.text(if i == 0 { "" } else { "," });
            printer.newline(0);
            super::control_flow::print_successor(printer, block, rest.split_off(..size)?);
        }
        if !blocks.is_empty() {
            printer.newline(0);
        }
        printer.text("]");
        Some(())
    }
}
