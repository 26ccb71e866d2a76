//! Regions whose arguments stand for operands, for the workload of a dispatch, or for a device.

use super::super::error::wrong_arguments;
use super::super::index_list::i32_array;
use super::super::lists::{enclosed, entry_arguments, print_entry_arguments, typed_arguments, types};
use super::shaped::{print_shaped, print_shaped_types, read_shaped};
use super::tied::{Operands, PrintedResults, Results, tied_places};
use crate::ir::context::Context;
use crate::ir::dialect::{
    Argument, CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
    OperandName,
};
use crate::ir::ids::{RegionId, TypeId, ValueId};

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("ResourceRegion", ResourceRegion);
    forms.add_directive("ExplicitResourceRegion", ExplicitRegion);
    forms.add_directive("DispatchWorkgroupBody", WorkgroupBody);
    let name = "DispatchWorkgroupsCountRegion";
    forms.add_directive(name, CountRegion { name, keyword: "count" });
    forms.add_directive("WorkgroupCountRegion", WorkgroupCountRegion);
    let name = "WorkgroupCountRegionWithoutKeyword";
    forms.add_directive(name, CountRegion { name, keyword: "" });
    for name in ["ExportConditionRegion", "TargetConditionRegion"] {
        forms.add_directive(name, ConditionRegion { name });
    }
    forms.add_form("flow.dispatch.region", DispatchRegion);
}

/// The name of the terminator `name` in the dialect of `op`.
fn terminator(op: &str, name: &str) -> String {
    let dialect = op.split('.').next().unwrap_or_default();
    format!("{dialect}.{name}")
}

/// Operands that a region captures, as they were read.
struct Captured {
    operands: Vec<OperandName>,
    types: Vec<TypeId>,
    sizes: Vec<OperandName>,
    arguments: Vec<Argument>,
}

impl Captured {
    /// Reads `(%operand as %argument: t{%size}, …)`.
    fn read(reader: &mut dyn FormReader) -> FormResult<Self> {
        let mut sizes = Vec::new();
        let items = enclosed(reader, ("(", ")"), |r| {
            let operand = r.operand()?;
            r.literal("as")?;
            let name = r.operand()?;
            r.literal(":")?;
            let ty = read_shaped(r, &mut sizes)?;
            let loc = r.argument_loc(Some(name))?;
            Ok((operand, Argument { name, ty, attrs: Context::EMPTY_DICTIONARY, loc }))
        })?;
        let (operands, arguments): (Vec<_>, Vec<Argument>) = items.into_iter().unzip();
        let types = arguments.iter().map(|argument| argument.ty).collect();
        Ok(Self { operands, types, sizes, arguments })
    }

    /// Reads the body, and sets the arguments of a directive.
    fn finish(
        self,
        reader: &mut dyn FormReader,
        [operands, types, sizes, body]: [&DirectiveArg; 4],
    ) -> FormResult<()> {
        let region = reader.region(&self.arguments)?;
        let terminator = terminator(&reader.op_name(), "yield");
        reader.ensure_terminator(region, &terminator);
        reader.put_operands(operands, &self.operands);
        reader.put_types(types, &self.types);
        reader.put_operands(sizes, &self.sizes);
        reader.put_regions(body, &[region]);
        Ok(())
    }
}

/// Prints `(%operand as %argument: t{%size}, …)`.
fn print_captured(
    printer: &mut dyn FormPrinter,
    operands: &[ValueId],
    sizes: &[ValueId],
    region: RegionId,
) -> Option<()> {
    let arguments = entry_arguments(printer, region)?;
    if arguments.len() != operands.len() {
        return None;
    }
    let mut sizes = sizes;
    printer.text("(");
    for (i, (&operand, &argument)) in operands.iter().zip(&arguments).enumerate() {
        let ty = printer.value_type(operand);
        if printer.value_type(argument) != ty {
            return None;
        }
        printer.text(if i > 0 { ", " } else { "" });
        printer.value(operand);
        printer.text(" as ");
        printer.value(argument);
        printer.text(": ");
        print_shaped(printer, ty, &mut sizes)?;
    }
    printer.text(")");
    sizes.is_empty().then_some(())
}

/// `(%operand as %argument: t{%size}) -> %operand{%size} {…}`
#[derive(Debug)]
struct ResourceRegion;

impl CustomDirective for ResourceRegion {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands, types, sizes, result_types, result_sizes, tied, body] = args else {
            return Err(wrong_arguments(reader, "ResourceRegion", "seven arguments", args));
        };
        let captured = Captured::read(reader)?;
        let mut results = Results::default();
        if reader.optional_literal("->") {
            let known = Operands::new(reader, &captured.operands, &captured.types);
            results = Results::read(reader, &known, true)?;
        }
        reader.put_types(result_types, &results.types);
        reader.put_operands(result_sizes, &results.sizes);
        results.put_tied(reader, Some(tied));
        captured.finish(reader, [operands, types, sizes, body])
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, _, sizes, result_types, result_sizes, tied, body] = args else { return None };
        let region = *printer.regions_of(body).first()?;
        let (operands, sizes) = (printer.group(operands), printer.group(sizes));
        print_captured(printer, &operands, &sizes, region)?;
        let types = printer.types_of(result_types);
        let tied = tied_places(printer, printer.attribute_of(tied), types.len())?;
        let result_sizes = printer.group(result_sizes);
        if !types.is_empty() {
            printer.text(" -> ");
            let results = PrintedResults::new(&operands, &types, &tied);
            results.print(printer, Some(&result_sizes))?;
        } else if !result_sizes.is_empty() {
            return None;
        }
        printer.text(" ");
        printer.region(region, false, true);
        Some(())
    }
}

/// `(%operand as %argument: t{%size}) {…}`
#[derive(Debug)]
struct ExplicitRegion;

impl CustomDirective for ExplicitRegion {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands, types, sizes, body] = args else {
            return Err(wrong_arguments(reader, "ExplicitResourceRegion", "four arguments", args));
        };
        Captured::read(reader)?.finish(reader, [operands, types, sizes, body])
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, _, sizes, body] = args else { return None };
        let region = *printer.regions_of(body).first()?;
        let (operands, sizes) = (printer.group(operands), printer.group(sizes));
        print_captured(printer, &operands, &sizes, region)?;
        let last = printer.blocks(region).last().and_then(|&block| printer.op_names(block).pop());
        let is_implicit = last.is_some_and(|last| last == terminator(&printer.op_name(), "yield"))
            && printer.ends_plainly(region);
        printer.text(" ");
        printer.region(region, false, !is_implicit);
        Some(())
    }
}

/// `(%a: t, %b: u) {…}`
#[derive(Debug)]
struct WorkgroupBody;

impl CustomDirective for WorkgroupBody {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let Some(body) = args.last() else {
            return Err(wrong_arguments(reader, "DispatchWorkgroupBody", "at least one argument", args));
        };
        let arguments = typed_arguments(reader)?;
        let region = reader.region(&arguments)?;
        let terminator = terminator(&reader.op_name(), "return");
        reader.ensure_terminator(region, &terminator);
        reader.put_regions(body, &[region]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let region = *printer.regions_of(args.last()?).first()?;
        print_entry_arguments(printer, region)?;
        printer.text(" ");
        printer.region(region, false, true);
        Some(())
    }
}

/// Reads `(%a: t) -> results {…}`, where `results` must be the given types.
fn read_function_region(reader: &mut dyn FormReader, results: &[TypeId]) -> FormResult<RegionId> {
    let arguments = typed_arguments(reader)?;
    reader.literal("->")?;
    if reader.result_types()? != results {
        let types: Vec<String> = results.iter().map(|&ty| reader.type_text(ty)).collect();
        return Err(
            reader.fail(&format!("the results of the region must have the types {}", types.join(", ")))
        );
    }
    reader.region(&arguments)
}

/// Prints the text that [`read_function_region`] reads.
fn print_function_region(printer: &mut dyn FormPrinter, region: RegionId, results: &[TypeId]) -> Option<()> {
    print_entry_arguments(printer, region)?;
    printer.arrow_types(results);
    printer.text(" ");
    printer.region(region, false, true);
    Some(())
}

/// The types of the results of a region that counts workgroups.
const COUNTS: [TypeId; 3] = [Context::INDEX; 3];

/// `count(%a: index) -> (index, index, index) {…}`, where `count` stands for the keyword. A region without blocks has
/// no text.
#[derive(Debug)]
struct CountRegion {
    /// The name of the directive.
    name: &'static str,
    /// The word before the arguments.
    keyword: &'static str,
}

/// The region of the only argument of a directive: `Some(None)` if the region has no blocks, and `None` if there is no
/// single region.
fn single_region(printer: &dyn FormPrinter, args: &[DirectiveArg]) -> Option<Option<RegionId>> {
    match *printer.regions_of(args.first()?).as_slice() {
        [region] => Some(Some(region).filter(|&region| !printer.blocks(region).is_empty())),
        _ => None,
    }
}

/// Reads a region with these results into the only argument of a directive. The text has the region if it continues
/// with `keyword`, or with a parenthesis if `keyword` is empty. Otherwise, the region has no blocks, and the function
/// returns false.
fn read_single_region(
    reader: &mut dyn FormReader,
    directive: &str,
    args: &[DirectiveArg],
    keyword: &str,
    results: &[TypeId],
) -> FormResult<bool> {
    let [arg] = args else { return Err(wrong_arguments(reader, directive, "one argument", args)) };
    let found = match keyword {
        "" => reader.is_literal("("),
        keyword => reader.optional_literal(keyword),
    };
    let region = match found {
        true => read_function_region(reader, results)?,
        false => reader.empty_region(),
    };
    reader.put_regions(arg, &[region]);
    Ok(found)
}

impl CustomDirective for CountRegion {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        self.read_optional(reader, args).map(drop)
    }

    fn read_optional(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<bool> {
        read_single_region(reader, self.name, args, self.keyword, &COUNTS)
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let Some(region) = single_region(printer, args)? else { return Some(()) };
        if !self.keyword.is_empty() {
            printer.text(&format!(" {}", self.keyword));
        }
        print_function_region(printer, region, &COUNTS)
    }
}

/// `workgroups(%a: index) -> (index, index, index) {…}`. In the dialect `hal`, the directive of the same name has no
/// keyword: `(%device: !hal.device, %a: index) -> (index, index, index) {…}`. The word `count` before this text belongs
/// to the format of the operation.
#[derive(Debug)]
struct WorkgroupCountRegion;

impl CustomDirective for WorkgroupCountRegion {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        self.read_optional(reader, args).map(drop)
    }

    fn read_optional(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<bool> {
        let keyword = if reader.is_literal("workgroups") { "workgroups" } else { "" };
        read_single_region(reader, "WorkgroupCountRegion", args, keyword, &COUNTS)
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let Some(region) = single_region(printer, args)? else { return Some(()) };
        if !printer.op_name().starts_with("hal.") {
            printer.text("workgroups");
        }
        print_function_region(printer, region, &COUNTS)
    }
}

/// `(%device: !hal.device) -> i1 {…}`
#[derive(Debug)]
struct ConditionRegion {
    /// The name of the directive.
    name: &'static str,
}

impl CustomDirective for ConditionRegion {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        self.read_optional(reader, args).map(drop)
    }

    fn read_optional(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<bool> {
        read_single_region(reader, self.name, args, "", &[Context::I1])
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let Some(region) = single_region(printer, args)? else { return Some(()) };
        print_function_region(printer, region, &[Context::I1])
    }
}

/// `flow.dispatch.region[%workload] -> (t{%d}) {…} count(%a: index) -> (index, index, index) {…}`
#[derive(Debug)]
struct DispatchRegion;

impl CustomForm for DispatchRegion {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut workload = Vec::new();
        if reader.is_literal("[") {
            workload = enclosed(reader, ("[", "]"), |r| r.operand())?;
        }
        let (mut sizes, mut results) = (Vec::new(), Vec::new());
        if reader.optional_literal("->") {
            results = enclosed(reader, ("(", ")"), |r| read_shaped(r, &mut sizes))?;
        }
        reader.add_results(&results);
        reader.attr_dict(true)?;
        for operands in [&sizes, &workload] {
            reader.add_operands(operands, &vec![Context::INDEX; operands.len()])?;
        }
        let segments = i32_array(reader, &[sizes.len(), workload.len()]);
        reader.set("operandSegmentSizes", segments);
        let body = reader.region(&[])?;
        reader.add_region(body);
        let count = match reader.optional_literal("count") {
            true => read_function_region(reader, &COUNTS)?,
            false => reader.empty_region(),
        };
        reader.add_region(count);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let segments = printer.sizes("operandSegmentSizes")?;
        let [sizes, workload] = *segments.as_slice() else { return None };
        let operands = printer.operands();
        if operands.len() != sizes + workload {
            return None;
        }
        let (mut sizes, workload) = operands.split_at(sizes);
        if operands.iter().any(|&operand| printer.value_type(operand) != Context::INDEX) {
            return None;
        }
        let [body, count] = *printer.regions().as_slice() else { return None };
        if !workload.is_empty() {
            printer.text("[");
            printer.values(workload);
            printer.text("]");
        }
        printer.text(" -> (");
        let results = types(printer, &printer.results());
        print_shaped_types(printer, &results, &mut sizes)?;
        printer.text(")");
        if !sizes.is_empty() {
            return None;
        }
        printer.attr_dict(true, &["operandSegmentSizes"]);
        printer.text(" ");
        // IREE does not print a return without operands, and does not add it when it reads the text. Here, the return
        // is printed.
        printer.region(body, false, true);
        if !printer.blocks(count).is_empty() {
            printer.text(" count");
            print_function_region(printer, count, &COUNTS)?;
        }
        Some(())
    }
}
