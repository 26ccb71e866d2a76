//! Structured control flow.

use super::error::wrong_arguments;
use super::index_list::{i32_array, i64_array, i64_items, print_list, read_list};
use super::lists::{
    arguments, assignments, entry_arguments, operand_list, optional_results, print_assignments, print_values,
    then_and_else, types,
};
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("scf.for", For);
    forms.add_form("scf.if", If);
    forms.add_form("scf.while", While);
    forms.add_form("scf.parallel", Parallel);
    forms.add_form("scf.forall", Forall);
    forms.add_form("scf.forall.in_parallel", InParallel);
    forms.add_form("scf.execute_region", ExecuteRegion);
    forms.add_directive("SwitchCases", SwitchCases);
}

/// `scf.for %i = %a to %b step %c iter_args(%x = %y) -> (t) : t {…}`
#[derive(Debug)]
struct For;

impl CustomForm for For {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        if reader.optional_literal("unsigned") {
            reader.set("unsignedCmp", Context::UNIT);
        }
        let variable = reader.operand()?;
        reader.literal("=")?;
        let low = reader.operand()?;
        reader.literal("to")?;
        let high = reader.operand()?;
        reader.literal("step")?;
        let step = reader.operand()?;
        let (mut names, mut inits, mut results) = (Vec::new(), Vec::new(), Vec::new());
        if reader.optional_literal("iter_args") {
            (names, inits) = assignments(reader)?;
            reader.literal("->")?;
            results = reader.result_types()?;
        }
        let ty = if reader.optional_literal(":") { reader.ty()? } else { Context::INDEX };
        reader.add_operands(&[low, high, step], &[ty; 3])?;
        reader.add_operands(&inits, &results)?;
        reader.add_results(&results);
        names.insert(0, variable);
        results.insert(0, ty);
        let arguments = arguments(reader, &names, &results)?;
        let region = reader.region(&arguments)?;
        reader.ensure_terminator(region, "scf.yield");
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let region = *printer.regions().first()?;
        let arguments = entry_arguments(printer, region)?;
        let operands = printer.operands();
        let ([low, high, step, inits @ ..], [variable, rest @ ..]) =
            (operands.as_slice(), arguments.as_slice())
        else {
            return None;
        };
        if printer.get("unsignedCmp").is_some() {
            printer.text(" unsigned");
        }
        printer.text(" ");
        printer.value(*variable);
        printer.text(" = ");
        printer.value(*low);
        printer.text(" to ");
        printer.value(*high);
        printer.text(" step ");
        printer.value(*step);
        print_assignments(printer, " iter_args", rest, inits)?;
        if !inits.is_empty() {
            printer.text(" -> (");
            let types = types(printer, inits);
            printer.types(&types);
            printer.text(")");
        }
        printer.text(" ");
        let ty = printer.value_type(*variable);
        if ty != Context::INDEX {
            printer.text(" : ");
            printer.ty(ty);
            printer.text(" ");
        }
        printer.region(region, false, !inits.is_empty());
        printer.attr_dict(false, &["unsignedCmp"]);
        Some(())
    }
}

/// `scf.if %c -> (t) {…} else {…}`
#[derive(Debug)]
struct If;

impl CustomForm for If {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let condition = reader.operand()?;
        reader.add_operands(&[condition], &[Context::I1])?;
        if reader.optional_literal("->") {
            let results = reader.result_types()?;
            reader.add_results(&results);
        }
        then_and_else(reader, "scf.yield")?;
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let ([condition], [then, other]) = (&*printer.operands(), &*printer.regions()) else { return None };
        printer.text(" ");
        printer.value(*condition);
        let results = printer.results();
        if !results.is_empty() {
            printer.text(" -> (");
            let types = types(printer, &results);
            printer.types(&types);
            printer.text(")");
        }
        printer.text(" ");
        printer.region(*then, false, !results.is_empty());
        if !printer.blocks(*other).is_empty() {
            printer.text(" else ");
            printer.region(*other, false, !results.is_empty());
        }
        printer.attr_dict(false, &[]);
        Some(())
    }
}

/// `scf.while (%a = %b) : (t) -> t {…} do {…} attributes {…}`
#[derive(Debug)]
struct While;

impl CustomForm for While {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let (names, inits) =
            if reader.is_literal("(") { assignments(reader)? } else { (Vec::new(), Vec::new()) };
        reader.literal(":")?;
        let mut inputs = Vec::new();
        reader.literal("(")?;
        if !reader.optional_literal(")") {
            loop {
                inputs.push(reader.ty()?);
                if !reader.optional_literal(",") {
                    break;
                }
            }
            reader.literal(")")?;
        }
        reader.literal("->")?;
        let results = reader.result_types()?;
        reader.add_operands(&inits, &inputs)?;
        reader.add_results(&results);
        let arguments = arguments(reader, &names, &inputs)?;
        let before = reader.region(&arguments)?;
        reader.add_region(before);
        reader.literal("do")?;
        let after = reader.region(&[])?;
        reader.add_region(after);
        reader.attr_dict(true)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let [before, after] = &*printer.regions() else { return None };
        let inits = printer.operands();
        let arguments = entry_arguments(printer, *before)?;
        print_assignments(printer, " ", &arguments, &inits)?;
        printer.text(" : ");
        let (inputs, results) = (types(printer, &inits), types(printer, &printer.results()));
        printer.function_type(&inputs, &results);
        printer.text(" ");
        printer.region(*before, false, true);
        printer.text(" do ");
        printer.region(*after, true, true);
        printer.attr_dict(true, &[]);
        Some(())
    }
}

/// `scf.parallel (%i) = (%a) to (%b) step (%c) init (%x) -> t {…}`
#[derive(Debug)]
struct Parallel;

impl CustomForm for Parallel {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let names = operand_list(reader)?;
        reader.literal("=")?;
        let lower = operand_list(reader)?;
        reader.literal("to")?;
        let upper = operand_list(reader)?;
        reader.literal("step")?;
        let steps = operand_list(reader)?;
        let inits = if reader.optional_literal("init") { operand_list(reader)? } else { Vec::new() };
        let results = if reader.optional_literal("->") { reader.result_types()? } else { Vec::new() };
        for list in [&lower, &upper, &steps] {
            reader.add_operands(list, &vec![Context::INDEX; list.len()])?;
        }
        reader.add_operands(&inits, &results)?;
        reader.add_results(&results);
        let sizes = i32_array(reader, &[lower.len(), upper.len(), steps.len(), inits.len()]);
        reader.set("operandSegmentSizes", sizes);
        let arguments = arguments(reader, &names, &vec![Context::INDEX; names.len()])?;
        let region = reader.region(&arguments)?;
        reader.ensure_terminator(region, "scf.reduce");
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let region = *printer.regions().first()?;
        let arguments = entry_arguments(printer, region)?;
        let sizes = printer.sizes("operandSegmentSizes")?;
        let [lower, upper, steps, inits] = *sizes.as_slice() else { return None };
        let operands = printer.operands();
        if operands.len() != sizes.iter().sum::<usize>() {
            return None;
        }
        let mut at = 0;
        print_values(printer, " ", &arguments);
        for (word, size) in [(" = ", lower), (" to ", upper), (" step ", steps)] {
            print_values(printer, word, &operands[at..at + size]);
            at += size;
        }
        if inits > 0 {
            print_values(printer, " init ", &operands[at..]);
        }
        let results = types(printer, &printer.results());
        printer.arrow_types(&results);
        printer.text(" ");
        printer.region(region, false, true);
        printer.attr_dict(false, &["operandSegmentSizes"]);
        Some(())
    }
}

/// `scf.forall (%i) in (%n) shared_outs(%a = %b) -> (t) {…}` or `scf.forall (%i) = (%a) to (%b) step (%c) …`
#[derive(Debug)]
struct Forall;

const BOUNDS: [&str; 3] = ["staticLowerBound", "staticUpperBound", "staticStep"];

impl CustomForm for Forall {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut names = operand_list(reader)?;
        let count = names.len();
        let mut lists = Vec::new();
        if reader.optional_literal("in") {
            lists.push((Vec::new(), vec![0; count]));
            let upper = read_list(reader, ("(", ")"), false)?;
            lists.push((upper.values, upper.integers));
            lists.push((Vec::new(), vec![1; count]));
        } else {
            for word in ["=", "to", "step"] {
                reader.literal(word)?;
                let list = read_list(reader, ("(", ")"), false)?;
                lists.push((list.values, list.integers));
            }
        }
        let mut sizes = Vec::new();
        for ((values, integers), name) in lists.iter().zip(BOUNDS) {
            if integers.len() != count {
                return Err(
                    reader.fail(&format!("the loop has {count} variables, but {} bounds", integers.len()))
                );
            }
            reader.add_operands(values, &vec![Context::INDEX; values.len()])?;
            sizes.push(values.len());
            let integers = i64_array(reader, integers);
            reader.set(name, integers);
        }
        let mut types = vec![Context::INDEX; count];
        let mut outs = Vec::new();
        if reader.optional_literal("shared_outs") {
            let (more, values) = assignments(reader)?;
            reader.literal("->")?;
            let results = reader.result_types()?;
            names.extend(more);
            reader.add_operands(&values, &results)?;
            reader.add_results(&results);
            types.extend(results);
            outs = values;
        }
        sizes.push(outs.len());
        let sizes = i32_array(reader, &sizes);
        reader.set("operandSegmentSizes", sizes);
        let arguments = arguments(reader, &names, &types)?;
        let region = reader.region(&arguments)?;
        if reader.is_empty(region) {
            reader.add_block(region, &[]);
        }
        if !reader.is_terminated(region, "scf.forall.in_parallel") {
            let body = reader.empty_region();
            reader.add_block(body, &[]);
            reader.append(region, "scf.forall.in_parallel", &[], &[], &[], &[body]);
        }
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let region = *printer.regions().first()?;
        let arguments = entry_arguments(printer, region)?;
        let mut bounds = Vec::new();
        for name in BOUNDS {
            bounds.push(i64_items(printer, printer.get(name)?)?);
        }
        let sizes = printer.sizes("operandSegmentSizes")?;
        let [lower, upper, steps, outs] = *sizes.as_slice() else { return None };
        let operands = printer.operands();
        let count = bounds[0].len();
        if operands.len() != lower + upper + steps + outs || arguments.len() != count + outs {
            return None;
        }
        let (variables, shared) = arguments.split_at(count);
        printer.text(" (");
        printer.values(variables);
        printer.text(")");
        let plain = bounds[0].iter().all(|&bound| bound == 0) && bounds[2].iter().all(|&step| step == 1);
        let mut rest = operands.as_slice();
        for (i, (word, size)) in [(" = ", lower), (" to ", upper), (" step ", steps)].into_iter().enumerate()
        {
            let (values, after) = rest.split_at(size);
            rest = after;
            match (plain, i) {
                (true, 1) => printer.text(" in "),
                (true, _) => continue,
                (false, _) => printer.text(word),
            }
            print_list(printer, ("(", ")"), values, &bounds[i], &[], false)?;
        }
        if outs > 0 {
            print_assignments(printer, " shared_outs", shared, rest)?;
            printer.text(" -> (");
            let types = types(printer, rest);
            printer.types(&types);
            printer.text(")");
        }
        printer.text(" ");
        printer.region(region, false, outs > 0);
        let [a, b, c] = BOUNDS;
        printer.attr_dict(false, &["operandSegmentSizes", a, b, c]);
        Some(())
    }
}

/// `scf.forall.in_parallel {…}`
#[derive(Debug)]
struct InParallel;

impl CustomForm for InParallel {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let region = reader.region(&[])?;
        if reader.is_empty(region) {
            reader.add_block(region, &[]);
        }
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        printer.text(" ");
        let region = *printer.regions().first()?;
        printer.region(region, false, true);
        printer.attr_dict(false, &[]);
        Some(())
    }
}

/// `scf.execute_region -> t no_inline {…}`
#[derive(Debug)]
struct ExecuteRegion;

impl CustomForm for ExecuteRegion {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let results = optional_results(reader)?;
        reader.add_results(&results);
        if reader.optional_literal("no_inline") {
            reader.set("no_inline", Context::UNIT);
        }
        let region = reader.region(&[])?;
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let types = types(printer, &printer.results());
        printer.arrow_types(&types);
        printer.text(if printer.get("no_inline").is_some() { " no_inline " } else { " " });
        let region = *printer.regions().first()?;
        printer.region(region, false, true);
        printer.attr_dict(false, &["no_inline"]);
        Some(())
    }
}

/// `case 1 {…} case 2 {…}`
#[derive(Debug)]
struct SwitchCases;

impl CustomDirective for SwitchCases {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [cases, regions] = args else {
            return Err(wrong_arguments(reader, "SwitchCases", "two arguments", args));
        };
        let (mut numbers, mut bodies) = (Vec::new(), Vec::new());
        while reader.optional_literal("case") {
            let Some(number) = reader.optional_integer()? else { return Err(reader.expected("an integer")) };
            numbers.push(number);
            bodies.push(reader.region(&[])?);
        }
        let numbers = i64_array(reader, &numbers);
        reader.put_attribute(cases, numbers);
        reader.put_regions(regions, &bodies);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [cases, regions] = args else { return None };
        let numbers = i64_items(printer, printer.attribute_of(cases)?)?;
        for (number, region) in numbers.into_iter().zip(printer.regions_of(regions)) {
            printer.newline(0);
            printer.text(&format!("case {number} "));
            printer.region(region, false, true);
        }
        Some(())
    }
}
