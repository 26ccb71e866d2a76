//! Operations and directives.

use super::super::error::wrong_arguments;
use super::super::index_list::i32_list;
use super::super::lists::{
    comma_separated, entry_arguments, function_type, operand_list, print_entry_arguments, print_values,
    typed_arguments, types,
};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::ids::{AttrId, TypeId};
use crate::plural::count;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("ttg.barrier", Barrier);
    forms.add_form("ttg.warp_specialize", WarpSpecialize);
    forms.add_directive("ttg.Offsets", Offsets);
    forms.add_directive("ttng.BarriersAndPreds", PredicatedBarriers);
    forms.add_directive("ttng.Token", Token);
}

/// The bits of the address spaces.
const SPACES: [(&str, i32); 5] =
    [("local", 1), ("global_read", 2), ("global_write", 4), ("tensor_read", 8), ("tensor_write", 16)];
const ALL_SPACES: i32 = 31;

/// `local|global_read`, the address spaces that are synchronised
#[derive(Debug)]
struct Barrier;

impl CustomForm for Barrier {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut bits = 0;
        loop {
            let word = reader.optional_keyword().or_else(|| reader.optional_string());
            let found = word.and_then(|word| match word.as_str() {
                "none" => Some(0),
                "all" => Some(ALL_SPACES),
                _ => SPACES.iter().find(|(name, _)| *name == word).map(|&(_, bit)| bit),
            });
            let Some(found) = found else {
                let names: Vec<&str> = SPACES.iter().map(|&(name, _)| name).collect();
                return Err(reader.expected(&format!("an address space: {}, none or all", names.join(", "))));
            };
            bits |= found;
            if !reader.optional_literal("|") {
                break;
            }
        }
        let bits = reader.attr_of_text(&format!("{bits} : i32"))?;
        reader.set("addrSpace", bits);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let spaces = printer.attr_text(printer.get("addrSpace")?);
        let bits: i32 = spaces.strip_suffix(" : i32")?.parse().ok()?;
        let is_plain = printer.operands().is_empty() && printer.results().is_empty();
        if !is_plain || bits & !ALL_SPACES != 0 || printer.has_attributes_but(&["addrSpace"]) {
            return None;
        }
        let words: Vec<&str> =
            SPACES.iter().filter(|&&(_, bit)| bits & bit != 0).map(|&(name, _)| name).collect();
        printer.text(" ");
        printer.text(&match bits {
            0 => "none".to_owned(),
            ALL_SPACES => "all".to_owned(),
            _ => words.join("|"),
        });
        Some(())
    }
}

/// The operation that has the partitions as regions. It is the only operation in the second region of
/// `ttg.warp_specialize`.
const PARTITIONS: &str = "ttg.warp_specialize.partitions";

/// `(%a, …) attributes {…} default {…} partition0(%b: t, …) num_warps(4) {…} : (t, …) -> u`
#[derive(Debug)]
struct WarpSpecialize;

impl CustomForm for WarpSpecialize {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let captures = operand_list(reader)?;
        reader.attr_dict(true)?;
        reader.literal("default")?;
        let default = reader.region(&[])?;
        let (mut partitions, mut warps) = (Vec::new(), Vec::new());
        while reader.optional_literal(&format!("partition{}", partitions.len())) {
            let arguments = typed_arguments(reader)?;
            reader.literal("num_warps")?;
            reader.literal("(")?;
            let count = reader.optional_integer()?.and_then(|count| i32::try_from(count).ok());
            warps.push(count.ok_or_else(|| reader.expected("the number of warps, an integer of 32 bits"))?);
            reader.literal(")")?;
            partitions.push(reader.region(&arguments)?);
        }
        reader.literal(":")?;
        let (inputs, results) = function_type(reader)?;
        if inputs.len() != captures.len() {
            return Err(reader.fail(&format!(
                "the operation has {}, but its type has {}",
                count(captures.len(), "operand"),
                count(inputs.len(), "input")
            )));
        }
        let mut values = Vec::new();
        for (&capture, &ty) in captures.iter().zip(&inputs) {
            values.push(reader.resolve(capture, ty)?);
        }
        let warps = i32_list(reader, &warps);
        reader.set("partitionNumWarps", warps);
        let holder = reader.empty_region();
        reader.add_block(holder, &[]);
        reader.append(holder, PARTITIONS, &values, &[], &[], &partitions);
        reader.add_region(default);
        reader.add_region(holder);
        reader.add_results(&results);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let [default, holder] = *printer.regions().as_slice() else { return None };
        let [block] = *printer.blocks(holder).as_slice() else { return None };
        let inner = printer.op_at(block, 0)?;
        let is_empty = |attr| printer.entries(attr).is_empty();
        let is_plain = inner.name == PARTITIONS
            && inner.results.is_empty()
            && is_empty(inner.properties)
            && is_empty(inner.attrs)
            && printer.op_names(block).len() == 1
            && printer.arguments(block).is_empty()
            && printer.operands().is_empty()
            && entry_arguments(printer, default)?.is_empty();
        let warps = i32_items(printer, printer.get("partitionNumWarps")?)?;
        if !is_plain || warps.len() != inner.regions.len() {
            return None;
        }
        print_values(printer, "", &inner.operands);
        printer.attr_dict(true, &["partitionNumWarps"]);
        printer.newline(0);
        printer.text("default ");
        printer.region(default, false, true);
        for (number, (&partition, warps)) in inner.regions.iter().zip(warps).enumerate() {
            printer.newline(0);
            printer.text(&format!("partition{number}"));
            print_entry_arguments(printer, partition)?;
            printer.text(&format!(" num_warps({warps}) "));
            printer.region(partition, false, true);
        }
        printer.text(" : ");
        let (inputs, results) = (types(printer, &inner.operands), types(printer, &printer.results()));
        printer.function_type(&inputs, &results);
        Some(())
    }
}

/// The elements of an array of 32-bit integers.
fn i32_items(printer: &dyn FormPrinter, attr: AttrId) -> Option<Vec<i32>> {
    match printer.attr_kind(attr) {
        AttrKind::DenseArray { element, data } if *element == Context::I32 => {
            data.chunks(4).map(|bytes| Some(i32::from_le_bytes(bytes.try_into().ok()?))).collect()
        }
        _ => None,
    }
}

/// `0, 16`, an array of 32-bit integers
#[derive(Debug)]
struct Offsets;

impl CustomDirective for Offsets {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [offsets] = args else {
            return Err(wrong_arguments(reader, "Offsets", "one argument", args));
        };
        let items = comma_separated(reader, |r| {
            let item = r.optional_integer()?.and_then(|item| i32::try_from(item).ok());
            item.ok_or_else(|| r.expected("an integer of 32 bits"))
        })?;
        let items = i32_list(reader, &items);
        reader.put_attribute(offsets, items);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let items = i32_items(printer, printer.attribute_of(args.first()?)?)?;
        if items.is_empty() {
            return None;
        }
        let items: Vec<String> = items.iter().map(i32::to_string).collect();
        printer.text(&items.join(", "));
        Some(())
    }
}

fn token_type(reader: &mut dyn FormReader) -> FormResult<TypeId> {
    reader.type_of_text("!ttg.async.token")
}

/// `[%token]` or `[]` for an operation whose result is a token, and nothing for any other operation
#[derive(Debug)]
struct Token;

impl CustomDirective for Token {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [dependency, result] = args else {
            return Err(wrong_arguments(reader, "Token", "two arguments", args));
        };
        if !reader.optional_literal("[") {
            reader.put_types(result, &[]);
            return Ok(());
        }
        if !reader.is_literal("]") {
            let name = reader.operand()?;
            reader.put_operands(dependency, &[name]);
        }
        reader.literal("]")?;
        let ty = token_type(reader)?;
        reader.put_types(result, &[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [dependency, result] = args else { return None };
        let dependency = printer.group(dependency);
        match (printer.types_of(result).as_slice(), dependency.is_empty()) {
            ([], true) => {}
            ([], false) => return None,
            _ => {
                printer.text("[");
                printer.values(&dependency);
                printer.text("]");
            }
        }
        Some(())
    }
}

/// `, %barrier[%predicate], …`
#[derive(Debug)]
struct PredicatedBarriers;

impl CustomDirective for PredicatedBarriers {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [barriers, predicates] = args else {
            return Err(wrong_arguments(reader, "BarriersAndPreds", "two arguments", args));
        };
        let (mut names, mut conditions) = (Vec::new(), Vec::new());
        while reader.optional_literal(",") {
            names.push(reader.operand()?);
            reader.literal("[")?;
            conditions.push(reader.operand()?);
            reader.literal("]")?;
        }
        reader.put_operands(barriers, &names);
        reader.put_operands(predicates, &conditions);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [barriers, predicates] = args else { return None };
        let (barriers, predicates) = (printer.group(barriers), printer.group(predicates));
        if barriers.len() != predicates.len() {
            return None;
        }
        for (barrier, predicate) in barriers.into_iter().zip(predicates) {
            printer.text(", ");
            printer.value(barrier);
            printer.text("[");
            printer.value(predicate);
            printer.text("]");
        }
        Some(())
    }
}
