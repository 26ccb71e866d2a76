//! Prints definitions as text.

use std::fmt::Write;

use super::fields::text;
use super::model::{
    ArgKind, Definitions, DialectId, InterfaceKind, Op, Recipe, RegionOrSuccessor, Sizes, ValueSpec,
    qualified,
};
use super::traits::{TraitKind, trait_kind};
use crate::pdl::Arity;

/// Prints dialects, operations, enums, attributes, types and interfaces in the order of their records. The same
/// records give the same text.
pub fn print(definitions: &Definitions<'_>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_all(definitions, None, &mut text);
    text
}

/// Like [`print()`], for one dialect. Enums and interfaces are selected by the dialect's C++ namespace.
pub fn print_dialect(definitions: &Definitions<'_>, dialect: DialectId) -> String {
    let mut text = String::new();
    let _ = write_all(definitions, Some(dialect), &mut text);
    text
}

fn write_all(all: &Definitions<'_>, only: Option<DialectId>, out: &mut String) -> std::fmt::Result {
    let wanted = |id: DialectId| only.is_none_or(|only| only == id);
    let inside = |namespace: &str| only.is_none_or(|only| all.dialects[only].namespace == namespace);
    for (_, dialect) in all.dialects.iter_enumerated().filter(|(id, _)| wanted(*id)) {
        write!(out, "dialect {} namespace {}", quoted(dialect.name), dialect.namespace)?;
        writeln!(out, "{}", if dialect.uses_properties { "" } else { " without properties" })?;
    }
    for op in all.ops.iter().filter(|op| wanted(op.dialect)) {
        write_op(all, op, out)?;
    }
    for item in all.enums.iter().filter(|item| inside(item.namespace)) {
        let kind = if item.is_bit_set { "bit enum" } else { "enum" };
        writeln!(out, "{kind} {} i{}", qualified(item.namespace, item.class), item.width)?;
        for case in &item.cases {
            writeln!(out, "  {} = {} \"{}\"", case.symbol, case.value, case.text)?;
        }
    }
    for (word, sigil, list) in [("attribute", '#', &all.attributes), ("type", '!', &all.types)] {
        for item in list.iter().filter(|item| wanted(item.dialect)) {
            let class = qualified(item.namespace, item.class);
            write!(out, "{word} {class} {sigil}{}", all.dialects[item.dialect].name)?;
            writeln!(out, "{}{}", if item.mnemonic.is_empty() { "" } else { "." }, item.mnemonic)?;
            for param in &item.params {
                write!(out, "  {}: {}", param.name, param.ty)?;
                writeln!(out, "{}", if param.default.is_some() { ", optional" } else { "" })?;
            }
            if item.custom_format {
                writeln!(out, "  read and written in C++")?;
            }
        }
    }
    for item in all.interfaces.iter().filter(|item| inside(item.namespace)) {
        let kind = match item.kind {
            InterfaceKind::Op => "operation",
            InterfaceKind::Attr => "attribute",
            InterfaceKind::Type => "type",
        };
        writeln!(out, "{kind} interface {}", qualified(item.namespace, item.class))?;
        for method in &item.methods {
            let params: Vec<String> = method.params.iter().map(|(name, ty)| format!("{ty} {name}")).collect();
            let word = if method.is_static { "static " } else { "" };
            writeln!(out, "  {word}{} {}({})", method.returns, method.name, params.join(", "))?;
        }
    }
    Ok(())
}

fn quoted(name: &str) -> String {
    if name.is_empty() { "\"\"".to_owned() } else { name.to_owned() }
}

fn write_op(all: &Definitions<'_>, op: &Op<'_>, out: &mut String) -> std::fmt::Result {
    writeln!(out, "op {} class {}", op.name, op.qualified_class())?;
    for arg in &op.args {
        match arg.kind {
            ArgKind::Operand(i) => write_value(all, "operand", &op.operands[i], out)?,
            ArgKind::Attribute(i) => {
                let attribute = &op.attributes[i];
                write!(out, "  attribute {}: {}", attribute.name, all.summary(attribute.spec.record))?;
                if attribute.spec.optional {
                    out.push_str(", optional");
                }
                if !attribute.spec.default.is_empty() {
                    write!(out, ", default {}", attribute.spec.default)?;
                }
                out.push('\n');
            }
            ArgKind::Property(i) => {
                let property = &op.properties[i];
                write!(out, "  property {}: {}", property.name, all.summary(property.record))?;
                if !property.default.is_empty() {
                    write!(out, ", default {}", property.default)?;
                }
                out.push('\n');
            }
        }
    }
    for name in &op.derived {
        writeln!(out, "  derived attribute {name}")?;
    }
    for result in &op.results {
        write_value(all, "result", result, out)?;
    }
    for (what, sizes) in [("operand", op.operand_sizes), ("result", op.result_sizes)] {
        match sizes {
            Sizes::OneVariable => {}
            Sizes::Equal => writeln!(out, "  {what} groups of one size")?,
            Sizes::Attribute => writeln!(out, "  {what} groups sized by {what}SegmentSizes")?,
        }
    }
    for (what, parts) in [("regions", &op.regions), ("successors", &op.successors)] {
        match parts[..] {
            [] => {}
            [.., RegionOrSuccessor { variadic: true, .. }] => writeln!(out, "  {what}: any")?,
            _ => writeln!(out, "  {what}: {}", parts.len())?,
        }
    }
    if !op.traits.is_empty() {
        let names: Vec<String> = op.traits.iter().map(|t| format!("{t:?}")).collect();
        writeln!(out, "  traits: {}", names.join(", "))?;
    }
    write_cxx(all, op, out)?;
    write_result_types(op, out)?;
    for builder in &op.builders {
        let params: Vec<String> = builder.params.iter().map(|p| format!("{} {}", p.ty, p.name)).collect();
        let body = if builder.body.is_some() { "" } else { " in C++" };
        writeln!(out, "  builder({}){body}", params.join(", "))?;
    }
    Ok(())
}

/// Writes the names of those traits and methods of an operation that are implemented in C++.
fn write_cxx(all: &Definitions<'_>, op: &Op<'_>, out: &mut String) -> std::fmt::Result {
    let mut names = Vec::new();
    for &id in &op.trait_records {
        let record = all.records.record(id);
        if trait_kind(record) == TraitKind::Cxx {
            let class = text(record, "trait");
            let class = class.strip_suffix("::Trait").unwrap_or(class);
            names.push(class.trim_start_matches("::"));
        }
    }
    let record = all.records.record(op.record);
    for (field, what) in
        [("hasVerifier", "verify"), ("hasRegionVerifier", "verifyRegions"), ("hasFolder", "fold")]
    {
        if record.bit_field(field).unwrap_or(false) {
            names.push(what);
        }
    }
    if names.is_empty() { Ok(()) } else { writeln!(out, "  in C++: {}", names.join(", ")) }
}

fn write_result_types(op: &Op<'_>, out: &mut String) -> std::fmt::Result {
    if op.first_attr_type {
        writeln!(out, "  result types: of the first attribute")?;
    }
    let Some(recipes) = &op.inferred else {
        if op.infers_in_cpp {
            writeln!(out, "  result types: inferred in C++")?;
        }
        return Ok(());
    };
    for (i, recipe) in recipes.iter().enumerate() {
        let of = |from: String, transform: &str| match transform {
            "$_self" => from,
            _ => transform
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .replace("$_self", &format!("<{from}>")),
        };
        let text = match *recipe {
            Recipe::Fixed(cpp) => cpp.to_owned(),
            Recipe::Arg { arg, transform } => {
                of(format!("type of {}", named(op.args[arg].name, arg)), transform)
            }
            Recipe::Result { result, transform } => {
                of(format!("type of {}", named(op.results[result].name, result)), transform)
            }
        };
        writeln!(out, "  type of result {i}: {text}")?;
    }
    Ok(())
}

fn named(name: &str, index: usize) -> String {
    if name.is_empty() { format!("#{index}") } else { name.to_owned() }
}

fn write_value(
    all: &Definitions<'_>,
    what: &str,
    value: &ValueSpec<'_>,
    out: &mut String,
) -> std::fmt::Result {
    let arity = match value.arity {
        Arity::One => "",
        Arity::Optional => "optional ",
        Arity::Variadic => "variadic ",
    };
    let name = if value.name.is_empty() { "_" } else { value.name };
    let summary = all.summary(value.constraint);
    let summary = summary.strip_prefix("variadic of ").unwrap_or(summary);
    writeln!(out, "  {what} {name}: {arity}{summary}")
}
