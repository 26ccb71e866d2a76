//! Operations of the gpu dialect.

use super::error::wrong_arguments;
use super::index_list::i32_array;
use super::lists::{
    assignments, enclosed, entry_arguments, operand_list, optional_results, print_assignments, print_typed,
    print_typed_arguments, print_values, typed_arguments, typed_operands, types,
};
use super::signature::{dictionaries, print_function_signature, read_signature, set_function_type, string};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    Argument, CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::ids::{TypeId, ValueId};
use crate::ir::types::TypeKind;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("gpu.func", Func);
    forms.add_form("gpu.launch", Launch);
    forms.add_form("gpu.warp_execute_on_lane_0", WarpExecute);
    forms.add_directive("AsyncDependencies", AsyncDependencies);
    forms.add_directive("LaunchDimType", LaunchDimType);
    forms.add_directive("LaunchFuncOperands", LaunchOperands);
    forms.add_directive("AllReduceOperation", ReduceOperation);
}

fn token(reader: &mut dyn FormReader) -> FormResult<TypeId> {
    reader.type_of_text("!gpu.async.token")
}

/// `async [%token]`
#[derive(Debug)]
struct AsyncDependencies;

impl CustomDirective for AsyncDependencies {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [result, operands] = args else {
            return Err(wrong_arguments(reader, "AsyncDependencies", "two arguments", args));
        };
        let mut types = Vec::new();
        if reader.optional_literal("async") {
            types.push(token(reader)?);
        }
        reader.put_types(result, &types);
        if reader.is_literal("[") {
            let names = enclosed(reader, ("[", "]"), |r| r.operand())?;
            reader.put_operands(operands, &names);
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [result, operands] = args else { return None };
        let is_async = !printer.types_of(result).is_empty();
        let operands = printer.group(operands);
        printer.text(if is_async { "async" } else { "" });
        if !operands.is_empty() {
            printer.text(if is_async { " [" } else { "[" });
            printer.values(&operands);
            printer.text("]");
        }
        Some(())
    }
}

/// ` : i64` after the sizes of a launch, unless they have type `index`.
#[derive(Debug)]
struct LaunchDimType;

impl CustomDirective for LaunchDimType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let ty = if reader.optional_literal(":") { reader.ty()? } else { Context::INDEX };
        let [grid, cluster, cluster_types @ ..] = args else {
            return Err(wrong_arguments(reader, "LaunchDimType", "at least two arguments", args));
        };
        reader.put_types(grid, &[ty]);
        let has_clusters = reader.operand_count(cluster) > 0;
        for arg in cluster_types {
            reader.put_types(arg, if has_clusters { std::slice::from_ref(&ty) } else { &[] });
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let ty = *printer.types_of(args.first()?).first()?;
        if ty != Context::INDEX {
            printer.text(": ");
            printer.ty(ty);
        }
        Some(())
    }
}

/// `args(%a : t, %b : u)`
#[derive(Debug)]
struct LaunchOperands;

impl CustomDirective for LaunchOperands {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [values, value_types] = args else {
            return Err(wrong_arguments(reader, "LaunchFuncOperands", "two arguments", args));
        };
        let (mut names, mut types) = (Vec::new(), Vec::new());
        if reader.optional_literal("args") {
            (names, types) = enclosed(reader, ("(", ")"), |r| {
                let name = r.operand()?;
                r.literal(":")?;
                Ok((name, r.ty()?))
            })?
            .into_iter()
            .unzip();
        }
        reader.put_operands(values, &names);
        reader.put_types(value_types, &types);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let operands = printer.group(args.first()?);
        print_typed_arguments(printer, "args", &operands, &[]);
        Some(())
    }
}

/// The name of a reduction.
#[derive(Debug)]
struct ReduceOperation;

impl CustomDirective for ReduceOperation {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operation] = args else {
            return Err(wrong_arguments(reader, "AllReduceOperation", "one argument", args));
        };
        if let Some(word) = reader.optional_keyword() {
            let value = reader.attr_of_text(&format!("#gpu<all_reduce_op {word}>"))?;
            reader.put_attribute(operation, value);
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        if let Some(value) = args.first().and_then(|arg| printer.attribute_of(arg)) {
            let text = printer.attr_text(value);
            // MLIR prints two spaces before the word; the format has already printed the first.
            printer.text(" ");
            printer.text(text.trim_end_matches('>').rsplit(' ').next()?);
        }
        Some(())
    }
}

/// Reads the optional lists `workgroup(%a : t)` and `private(%a : t)`, and appends their values to `arguments`. The
/// values can have attributes only if `in_function` is true.
fn read_attributions(
    reader: &mut dyn FormReader,
    arguments: &mut Vec<Argument>,
    in_function: bool,
) -> FormResult<()> {
    for (word, names) in [
        ("workgroup", ["workgroup_attributions", "workgroup_attrib_attrs"]),
        ("private", ["", "private_attrib_attrs"]),
    ] {
        let more = if reader.optional_literal(word) { typed_arguments(reader)? } else { Vec::new() };
        if !names[0].is_empty() {
            let count = reader.attr_of_text(&format!("{} : i64", more.len()))?;
            reader.set_discardable(names[0], count);
        }
        if more.iter().any(|argument| argument.attrs != Context::EMPTY_DICTIONARY) {
            if !in_function {
                return Err(reader.fail(&format!("the values after '{word}' cannot have attributes here")));
            }
            let attrs = more.iter().map(|argument| argument.attrs).collect();
            let attrs = reader.intern_attr(AttrKind::Array(attrs));
            reader.set(names[1], attrs);
        }
        arguments.extend(more);
    }
    Ok(())
}

/// Prints the text that [`read_attributions`] reads. `rest` contains the block arguments after those for the signature
/// or for the dimensions of the launch.
fn print_attributions(printer: &mut dyn FormPrinter, rest: &[ValueId], in_function: bool) -> Option<()> {
    let workgroup = match printer.get("workgroup_attributions") {
        Some(attr) => match printer.attr_kind(attr) {
            AttrKind::Integer { value, .. } => usize::try_from(value.to_i64()?).ok()?,
            _ => return None,
        },
        None => 0,
    };
    let (workgroup, private) = rest.split_at_checked(workgroup)?;
    for (prefix, name, arguments) in
        [(" workgroup", "workgroup_attrib_attrs", workgroup), (" private", "private_attrib_attrs", private)]
    {
        let attrs = if in_function { printer.get(name) } else { None };
        let attrs = dictionaries(printer, attrs, arguments.len())?;
        print_typed_arguments(printer, prefix, arguments, &attrs);
    }
    Some(())
}

/// `gpu.func @name(%a: t) -> u workgroup(%b : v) private(%c : w) kernel attributes {…} {…}`
#[derive(Debug)]
struct Func;

impl CustomForm for Func {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let Some(name) = reader.optional_symbol() else { return Err(reader.expected("a symbol name")) };
        let name = reader.string_attr(&name);
        reader.set_discardable("sym_name", name);
        let signature = read_signature(reader, false)?;
        set_function_type(reader, &signature);
        let mut arguments = signature.arguments;
        read_attributions(reader, &mut arguments, true)?;
        if reader.optional_literal("kernel") {
            reader.set_discardable("gpu.kernel", Context::UNIT);
        }
        reader.attr_dict(true)?;
        let region = reader.region(&arguments)?;
        reader.add_region(region);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let AttrKind::Type(ty) = *printer.attr_kind(printer.get("function_type")?) else { return None };
        let TypeKind::Function { inputs, .. } = printer.type_kind(ty).clone() else { return None };
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        print_function_signature(printer)?;
        let region = *printer.regions().first()?;
        let arguments = entry_arguments(printer, region)?;
        print_attributions(printer, arguments.get(inputs.len()..)?, true)?;
        if printer.get("gpu.kernel").is_some() {
            printer.text(" kernel");
        }
        printer.attr_dict(
            true,
            &[
                "sym_name",
                "function_type",
                "arg_attrs",
                "res_attrs",
                "workgroup_attributions",
                "gpu.kernel",
                "workgroup_attrib_attrs",
                "private_attrib_attrs",
            ],
        );
        printer.text(" ");
        printer.region(region, false, true);
        Some(())
    }
}

/// `gpu.launch async [%t] clusters(…) in (…) blocks(…) in (…) threads(…) in (…) … {…}`
#[derive(Debug)]
struct Launch;

impl CustomForm for Launch {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let token = token(reader)?;
        if reader.optional_literal("async") {
            reader.add_results(&[token]);
        }
        let tokens = match reader.is_literal("[") {
            true => enclosed(reader, ("[", "]"), |r| r.operand())?,
            false => Vec::new(),
        };
        let (mut ids, mut sizes, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut cluster = (Vec::new(), Vec::new(), Vec::new());
        for word in ["clusters", "blocks", "threads"] {
            if word == "clusters" && !reader.is_literal(word) {
                continue;
            }
            reader.literal(word)?;
            let own = operand_list(reader)?;
            reader.literal("in")?;
            let (names, given) = assignments(reader)?;
            if own.len() != 3 || names.len() != 3 {
                let given = if own.len() == 3 { names.len() } else { own.len() };
                return Err(reader.fail(&format!("'{word}' takes three dimensions, but {given} are given")));
            }
            if word == "clusters" {
                cluster = (own, names, given);
            } else {
                ids.extend(own);
                sizes.extend(names);
                values.extend(given);
            }
        }
        let mut shared = Vec::new();
        if reader.optional_literal("dynamic_shared_memory_size") {
            shared.push(reader.operand()?);
        }
        for word in ["module", "function"] {
            if reader.optional_literal(word) {
                reader.literal("(")?;
                let name = reader.attribute(None)?;
                reader.set(word, name);
                reader.literal(")")?;
            }
        }
        reader.add_operands(&tokens, &vec![token; tokens.len()])?;
        reader.add_operands(&values, &[Context::INDEX; 6])?;
        reader.add_operands(&cluster.2, &vec![Context::INDEX; cluster.2.len()])?;
        reader.add_operands(&shared, &vec![Context::I32; shared.len()])?;
        let has_cluster = usize::from(!cluster.2.is_empty());
        let mut segments = vec![tokens.len(), 1, 1, 1, 1, 1, 1];
        segments.extend([has_cluster; 3]);
        segments.push(shared.len());
        let segments = i32_array(reader, &segments);
        reader.set("operandSegmentSizes", segments);
        let names = [ids, sizes, cluster.0, cluster.1].concat();
        let mut arguments = super::lists::arguments(reader, &names, &vec![Context::INDEX; names.len()])?;
        read_attributions(reader, &mut arguments, false)?;
        let region = reader.region(&arguments)?;
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let segments = printer.sizes("operandSegmentSizes")?;
        let [tokens, 1, 1, 1, 1, 1, 1, cluster, second, third, shared] = *segments.as_slice() else {
            return None;
        };
        let operands = printer.operands();
        let fits = operands.len() == segments.iter().sum::<usize>();
        if !fits || cluster > 1 || shared > 1 || [second, third] != [cluster; 2] {
            return None;
        }
        let region = *printer.regions().first()?;
        let arguments = entry_arguments(printer, region)?;
        if arguments.len() < 12 + 6 * cluster {
            return None;
        }
        if !printer.results().is_empty() {
            printer.text(" async");
        }
        let (tokens, rest) = operands.split_at(tokens);
        if !tokens.is_empty() {
            printer.text(" [");
            printer.values(tokens);
            printer.text("]");
        }
        let mut parts = vec![(" blocks", 0, 6, 0), (" threads", 3, 9, 3)];
        if cluster == 1 {
            parts.insert(0, (" clusters", 12, 15, 6));
        }
        for (word, ids, sizes, values) in parts {
            print_values(printer, word, &arguments[ids..ids + 3]);
            print_assignments(printer, " in ", &arguments[sizes..sizes + 3], &rest[values..values + 3])?;
        }
        if shared == 1 {
            printer.text(" dynamic_shared_memory_size ");
            printer.value(*rest.last()?);
        }
        for word in ["module", "function"] {
            if let Some(name) = printer.get(word) {
                printer.text(&format!(" {word}("));
                printer.attribute(name);
                printer.text(")");
            }
        }
        print_attributions(printer, &arguments[12 + 6 * cluster..], false)?;
        printer.text(" ");
        printer.region(region, false, true);
        printer.attr_dict(false, &["operandSegmentSizes", "module", "function", "workgroup_attributions"]);
        Some(())
    }
}

/// `gpu.warp_execute_on_lane_0(%lane)[32] args(%a : t) -> (u) {…}`
#[derive(Debug)]
struct WarpExecute;

impl CustomForm for WarpExecute {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        reader.literal("(")?;
        let lane = reader.operand()?;
        reader.literal(")")?;
        reader.literal("[")?;
        let size = reader.optional_integer()?.ok_or_else(|| reader.expected("the size of a warp"))?;
        reader.literal("]")?;
        let size = reader.attr_of_text(&format!("{size} : i64"))?;
        reader.set("warp_size", size);
        reader.add_operands(&[lane], &[Context::INDEX])?;
        if reader.optional_literal("args") {
            let (names, types) = typed_operands(reader)?;
            reader.add_operands(&names, &types)?;
        }
        let results = optional_results(reader)?;
        reader.add_results(&results);
        let region = reader.region(&[])?;
        reader.ensure_terminator(region, "gpu.yield");
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let (&lane, rest) = operands.split_first()?;
        let AttrKind::Integer { value, .. } = printer.attr_kind(printer.get("warp_size")?) else {
            return None;
        };
        let size = value.to_i64()?;
        printer.text("(");
        printer.value(lane);
        printer.text(&format!(")[{size}]"));
        print_typed(printer, " args", rest);
        let results = types(printer, &printer.results());
        if !results.is_empty() {
            printer.text(" -> (");
            printer.types(&results);
            printer.text(")");
        }
        printer.text(" ");
        let region = *printer.regions().first()?;
        printer.region(region, true, !results.is_empty());
        printer.attr_dict(false, &["warp_size"]);
        Some(())
    }
}
