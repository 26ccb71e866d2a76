//! Measures the share of MLIR's operations that drrvm prints in custom form and that drrvm and `mlir-opt-22` read back.
//!
//! All `.td` files in `mlir/include` are read. An operation is measured if it has an `assemblyFormat` that does not
//! contain `custom<…>`. Each of these formats must compile. For each operation, `mlir-opt-22` prints in generic form a
//! module that contains the operation. drrvm reads this text and prints the module in custom form. Both programs read
//! the custom form and print the module in generic form again. All generic texts must be equal, and the operation must
//! be in custom form. The modules are those of MLIR's tests, as `mlir-opt-22` reads them back from its own custom form,
//! because some custom forms of MLIR lose attributes with default values. For operations that no test contains, types
//! and attributes are tried until `mlir-opt-22` accepts the operation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use drrvm::compile::{self, Options};
use drrvm::internal::frontend::ods;
use drrvm::ir::{Context, PrintOptions, parse_module};
use drrvm::source::SourceMap;

use super::{Chunk, OUTPUT_SPLIT, collect, in_parallel, mlir_opt, source};

/// The flags with which `mlir-opt` prints the generic form.
const GENERIC: &[&str] = &["--mlir-print-op-generic"];

/// The largest number of modules of MLIR's tests that are tried for an operation.
const TRIES: usize = 4;

/// The types that are tried for operands and results.
const TYPES: &[&str] = &[
    "i32",
    "i64",
    "f32",
    "f64",
    "i1",
    "index",
    "vector<16xf32>",
    "!transform.any_op",
    "!shape.shape",
    "!shape.size",
    "!shape.value_shape",
    "!acc.data_bounds_ty",
    "!wasmssa<local ref to i32>",
];

/// The attributes that are tried.
const ATTRS: &[&str] = &["1 : i32", "1 : i64", "true", "\"a\"", "@a", "#gpu<dim x>", "1 : index"];

/// The verdicts about operations.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    /// The number of operations whose format has no `custom<…>`.
    pub(crate) declared: usize,
    /// The formats with errors.
    pub(crate) wrong: Vec<String>,
    /// The number of operations that were tried in a module.
    pub(crate) tried: usize,
    /// The number of operations that round-trip on both sides.
    pub(crate) good: usize,
    /// The number of operations that round-trip in a generated module.
    pub(crate) generated: usize,
    /// The operations that do not round-trip, with a reason.
    pub(crate) bad: BTreeMap<String, String>,
    /// The operations for which no module is found.
    pub(crate) missing: Vec<String>,
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { declared, tried, good, generated, .. } = self;
        let wrong = self.wrong.len();
        writeln!(
            f,
            "{declared} operations have a format without custom<…>; {wrong} of the formats have errors"
        )?;
        writeln!(
            f,
            "{good} of {tried} operations round-trip; the modules of {generated} of these were generated"
        )?;
        for (name, reason) in &self.bad {
            writeln!(f, "  {name}: {reason}")?;
        }
        if !self.missing.is_empty() {
            writeln!(f, "no module contains {}", self.missing.join(", "))?;
        }
        Ok(())
    }
}

/// The shape of an operation, from which a module with the operation is generated.
#[derive(Clone, Debug)]
struct Shape {
    operands: usize,
    results: usize,
    attributes: Vec<String>,
    regions: usize,
    successors: usize,
}

/// Tries the operations in the modules of `chunks`. If `generate` is set, generates modules for the other operations.
pub(crate) fn coverage(root: &Path, tool: &str, chunks: &[Chunk], generate: bool) -> Coverage {
    let mut coverage = Coverage::default();
    let shapes = declared(root, &mut coverage.wrong);
    coverage.declared = shapes.len();
    // The shortest modules with each operation.
    let mut modules: BTreeMap<&str, Vec<&Chunk>> = BTreeMap::new();
    for chunk in chunks {
        for name in operations(&chunk.generic) {
            if let Some((name, _)) = shapes.get_key_value(name) {
                modules.entry(name).or_default().push(chunk);
            }
        }
    }
    for chunks in modules.values_mut() {
        chunks.sort_by_key(|chunk| chunk.generic.len());
        chunks.truncate(TRIES);
    }
    let texts: BTreeSet<&str> = modules.values().flatten().map(|chunk| chunk.generic.as_str()).collect();
    let texts: Vec<&str> = texts.into_iter().collect();
    let outcomes = in_parallel(&texts, |text| round_trip(root, tool, text));
    let outcomes: BTreeMap<&str, Outcome> = texts.into_iter().zip(outcomes).collect();
    for (name, chunks) in &modules {
        coverage.tried += 1;
        let reasons = chunks.iter().map(|chunk| outcomes[chunk.generic.as_str()].of(name));
        match reasons.reduce(|one, other| if one.is_ok() { one } else { other }) {
            Some(Ok(())) => coverage.good += 1,
            Some(Err(reason)) => {
                coverage.bad.insert((*name).to_owned(), reason);
            }
            None => {}
        }
    }
    let unseen: Vec<&String> = shapes.keys().filter(|name| !modules.contains_key(name.as_str())).collect();
    if !generate {
        return coverage;
    }
    let found = in_parallel(&unseen, |name| {
        let text = accepted(tool, name, &shapes[name.as_str()])?;
        Some(round_trip(root, tool, &text).of(name))
    });
    for (name, found) in unseen.into_iter().zip(found) {
        match found {
            None => coverage.missing.push(name.clone()),
            Some(outcome) => {
                coverage.tried += 1;
                match outcome {
                    Ok(()) => {
                        coverage.good += 1;
                        coverage.generated += 1;
                    }
                    Err(reason) => {
                        coverage.bad.insert(name.clone(), reason);
                    }
                }
            }
        }
    }
    coverage
}

/// The names of the operations in generic form in a text.
fn operations(text: &str) -> BTreeSet<&str> {
    text.match_indices("\"(")
        .filter_map(|(end, _)| text[..end].rsplit_once('"').map(|(_, name)| name))
        .collect()
}

/// The operations whose format has no `custom<…>`. Collects formats with errors in `wrong`.
fn declared(root: &Path, wrong: &mut Vec<String>) -> BTreeMap<String, Shape> {
    let include = root.join("mlir/include");
    let mut files = Vec::new();
    collect(&include, "td", &mut files);
    files.sort();
    let found = in_parallel(&files, |file| {
        let options = Options {
            include_dirs: vec![
                include.clone(),
                file.parent().unwrap_or(file).to_owned(),
                "/usr/lib/llvm-22/include".into(),
            ],
            ..Options::default()
        };
        let mut wrong = Vec::new();
        let mut shapes = Vec::new();
        // Files that cannot be read alone are included in others.
        let Ok(parsed) = compile::records(&mut SourceMap::default(), file, &options) else {
            return (shapes, wrong);
        };
        let definitions = ods::read(&parsed.records);
        for op in definitions.ops.iter() {
            if op.assembly_format.is_none_or(|(text, _)| text.contains("custom<")) {
                continue;
            }
            if let Err(error) = definitions.format(op) {
                wrong.push(format!("{}: {}", op.name, error.message));
            }
            let attributes = op
                .attributes
                .iter()
                .filter(|attribute| !attribute.spec.optional && attribute.spec.default.is_empty());
            let shape = Shape {
                operands: op.operands.len(),
                results: op.results.len(),
                attributes: attributes.map(|attribute| attribute.name.to_owned()).collect(),
                regions: op.regions.len(),
                successors: op.successors.len(),
            };
            shapes.push((op.name.clone(), shape));
        }
        (shapes, wrong)
    });
    let mut all = BTreeMap::new();
    for (shapes, errors) in found {
        all.extend(shapes);
        wrong.extend(errors);
    }
    wrong.sort();
    wrong.dedup();
    all
}

/// The result of writing and reading a module.
struct Outcome {
    custom: String,
    error: Option<String>,
}

impl Outcome {
    /// Returns the reason as an error if an operation does not round-trip.
    fn of(&self, name: &str) -> Result<(), String> {
        match &self.error {
            Some(error) => Err(error.clone()),
            None if self.custom.contains(&format!("\"{name}\"(")) => Err("it is in generic form".to_owned()),
            None => Ok(()),
        }
    }
}

/// Prints a module in custom form, and reads the printed text with both programs. `generic` is the module in generic
/// form.
fn round_trip(root: &Path, tool: &str, generic: &str) -> Outcome {
    let source = source(root);
    let read = |text: &str| {
        let mut sources = SourceMap::default();
        let file = sources.add("module.mlir", text).map_err(|error| error.message)?;
        let mut context = Context::new();
        context.set_dialects(source.clone());
        let module = parse_module(&mut context, sources.file(file));
        let module = module.map_err(|errors| {
            let first = errors.iter().next().map(|error| error.message.clone());
            format!("drrvm does not read it: {}", first.unwrap_or_default())
        })?;
        let generic = module.print(&context, PrintOptions::new().generic(true));
        Ok::<_, String>((generic, module.print(&context, PrintOptions::new())))
    };
    let theirs = |text: &str, flags: &[&str]| match mlir_opt(tool, text, flags, false) {
        Some((text, true)) => Some(text),
        _ => None,
    };
    let mut outcome = Outcome { custom: String::new(), error: None };
    let mut run = || {
        let custom = theirs(generic, &[]).ok_or("mlir-opt does not print it")?;
        let generic =
            theirs(&custom, GENERIC).ok_or("mlir-opt does not read the custom form that it prints itself")?;
        outcome.custom = read(&generic)?.1;
        let ours = read(&outcome.custom)?.0;
        if ours.trim() != generic.trim() {
            return Err("drrvm reads it back as another module".to_owned());
        }
        match theirs(&outcome.custom, GENERIC) {
            Some(theirs) if theirs.trim() == generic.trim() => Ok(()),
            Some(_) => Err("mlir-opt reads it as another module".to_owned()),
            None => Err("mlir-opt does not read it".to_owned()),
        }
    };
    outcome.error = run().err();
    outcome
}

/// The generic text of a module with an operation, if a module is found that `mlir-opt` accepts.
fn accepted(tool: &str, name: &str, shape: &Shape) -> Option<String> {
    if shape.regions > 0 || shape.successors > 0 || shape.operands > 3 || shape.attributes.len() > 2 {
        return None;
    }
    let mut texts = Vec::new();
    let choices = |count: usize, list: &'static [&'static str]| -> Vec<Vec<&'static str>> {
        if count == 0 { vec![Vec::new()] } else { list.iter().map(|&item| vec![item; count]).collect() }
    };
    for operands in choices(shape.operands, TYPES) {
        for results in choices(shape.results, TYPES) {
            for attrs in choices(shape.attributes.len(), ATTRS) {
                texts.push(module(name, shape, &operands, &results, &attrs));
            }
        }
    }
    // One run tries all modules. The output for a module that is not accepted is empty.
    let (generic, _) = mlir_opt(tool, &texts.join("// -----\n"), GENERIC, true)?;
    let found = generic.split(OUTPUT_SPLIT).find(|text| text.contains(&format!("\"{name}\"(")))?;
    Some(found.trim_matches('\n').to_owned())
}

/// A module with an operation, the operations that define its operands, and the operation around it if the transform
/// dialect requires one.
fn module(name: &str, shape: &Shape, operands: &[&str], results: &[&str], attrs: &[&str]) -> String {
    let attrs: Vec<String> =
        shape.attributes.iter().zip(attrs).map(|(name, value)| format!("{name} = {value}")).collect();
    let attrs = if attrs.is_empty() { String::new() } else { format!(" <{{{}}}>", attrs.join(", ")) };
    let values: Vec<String> = (0..operands.len()).map(|index| format!("%v{index}")).collect();
    let made: String = values
        .iter()
        .zip(operands)
        .map(|(value, ty)| format!("  {value} = \"t.make\"() : () -> {ty}\n"))
        .collect();
    let head = match results.len() {
        0 => String::new(),
        1 => "%r = ".to_owned(),
        count => format!("%r:{count} = "),
    };
    let (values, from, to) = (values.join(", "), operands.join(", "), results.join(", "));
    let op = format!("{made}  {head}\"{name}\"({values}){attrs} : ({from}) -> ({to})\n");
    let within = |parent: &str| format!("\"{parent}\"(%h) ({{\n{op}}}) : (!transform.any_op) -> ()\n");
    if name.starts_with("transform.apply_patterns.") {
        let body = within("transform.apply_patterns");
        return format!("%h = \"t.make\"() : () -> !transform.any_op\n{body}");
    }
    if name.starts_with("transform.apply_conversion_patterns.") {
        return format!(
            "%h = \"t.make\"() : () -> !transform.any_op\n\"transform.apply_conversion_patterns\"(%h) \
             <{{illegal_dialects = [\"t\"]}}> ({{\n{op}}}, {{\n\"transform.apply_conversion_patterns.memref.memref_to_llvm_type_converter\"() : () -> ()\n}}) : (!transform.any_op) -> ()\n"
        );
    }
    op
}
