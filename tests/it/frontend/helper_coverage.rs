//! Counts the free functions that are read as helpers from the C++ files beside MLIR's rules.
//!
//! For each function, a rule calls it with arguments of the types of its parameters. A function is read if its rule
//! loads and needs no native. Most of these functions are not helpers of rules: they parse, print and verify.
//! `snippet_coverage` tests that the functions that MLIR's rules call are read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use super::snippet_coverage::MLIR_RULES;
use crate::common::command::Folder;
use crate::common::{files_below, llvm_sources};

/// The operation that the rules match. The calls in the rules take the operands and attributes of the operation as
/// arguments.
const OPERATION: &str = "
def Free_Dialect : Dialect { let name = \"free\"; let cppNamespace = \"::free\"; }
def Free_Op : Op<Free_Dialect, \"op\"> {
  let arguments = (ins AnyType:$v, Variadic<AnyType>:$vs, AnyAttr:$x, ArrayAttr:$a, DenseI64ArrayAttr:$d, StrAttr:$s);
  let results = (outs AnyType:$r);
}
";

/// The minimum number of functions that must be read.
const LEAST: usize = 35;

/// A function outside of classes.
struct Function<'t> {
    name: &'t str,
    params: Vec<&'t str>,
}

/// Returns the definitions of functions whose first line is not indented.
fn free_functions(text: &str) -> Vec<Function<'_>> {
    // The first words of lines that define no function.
    const OTHERS: [&str; 12] = [
        "return",
        "else",
        "using",
        "namespace",
        "class",
        "struct",
        "enum",
        "template",
        "typedef",
        "extern",
        "public",
        "private",
    ];
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let rest = &text[at..];
        at += line.len();
        let word = line.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        let Some(end) = rest.find(['{', ';']).filter(|_| !word.is_empty() && !OTHERS.contains(&word)) else {
            continue;
        };
        let head = &rest[..end];
        let (Some(open), Some(close)) = (head.find('('), head.rfind(')')) else { continue };
        let before = head[..open].trim_end();
        let name = &before[before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len()..];
        let result = before[..before.len() - name.len()].trim_end();
        let is_definition =
            rest[end..].starts_with('{') && head[close + 1..].trim().is_empty() && open < close;
        if is_definition
            && !name.is_empty()
            && !result.is_empty()
            && !result.ends_with("::")
            && !result.contains('=')
        {
            found.push(Function { name, params: split(&head[open + 1..close]) });
        }
    }
    found
}

/// Splits parameters at the commas outside of brackets.
fn split(params: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in params.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&params[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&params[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Returns the argument for a parameter, or an empty text if the parameter has a default.
///
/// # Errors
/// Returns the type of the parameter if the rule has no argument of this type.
fn argument(param: &str) -> Result<String, String> {
    if param.contains('=') {
        return Ok(String::new());
    }
    let mut words: Vec<&str> = param.split_whitespace().filter(|word| *word != "const").collect();
    if words.len() > 1 {
        let last = words.pop().unwrap_or("");
        // In `Operation *op`, the `*` is part of the last word.
        let marks = last.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
        words.push(marks);
    }
    let ty = words.join(" ").replace("::mlir::", "").replace("mlir::", "").replace("llvm::", "");
    let ty = ty.trim_end_matches([' ', '&', '*']);
    Ok(match ty {
        "MLIRContext" => "$_builder.getContext()".to_owned(),
        "Location" => "$_loc".to_owned(),
        "Operation" => "$v.getDefiningOp()".to_owned(),
        "Value" => "$v".to_owned(),
        "ValueRange" | "OperandRange" | "ArrayRef<Value>" => "$vs".to_owned(),
        "TypeRange" | "ArrayRef<Type>" => "$vs.getTypes()".to_owned(),
        "Type" => "$v.getType()".to_owned(),
        "Attribute" => "$x".to_owned(),
        "ArrayRef<Attribute>" => "$a.getValue()".to_owned(),
        "ArrayRef<int64_t>" => "$d".to_owned(),
        "StringRef" | "std::string" => "$s".to_owned(),
        "bool" => "true".to_owned(),
        "APInt" => "cast<IntegerAttr>($x).getValue()".to_owned(),
        "APFloat" => "cast<FloatAttr>($x).getValue()".to_owned(),
        "int" | "unsigned" | "int8_t" | "uint8_t" | "int32_t" | "uint32_t" | "int64_t" | "uint64_t"
        | "size_t" => "3".to_owned(),
        _ if ty.ends_with("Rewriter") || ty.ends_with("Builder") || ty == "RewriterBase" => {
            "$_builder".to_owned()
        }
        _ if !ty.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':') => return Err(ty.to_owned()),
        _ if ty.ends_with("Attr") => format!("cast<{ty}>($x)"),
        _ if ty.ends_with("Type") => format!("cast<{ty}>($v.getType())"),
        _ if ty.ends_with("Op") && ty.len() > 2 => format!("cast<{ty}>($v.getDefiningOp())"),
        _ => return Err(ty.to_owned()),
    })
}

/// Returns a rule that calls a function.
///
/// # Errors
/// Returns the type of the first parameter for which there is no argument.
fn rule(number: usize, function: &Function<'_>) -> Result<String, String> {
    let args = function.params.iter().map(|param| argument(param)).collect::<Result<Vec<_>, _>>()?;
    let args: Vec<String> = args.into_iter().filter(|arg| !arg.is_empty()).collect();
    let mut call = format!("{}({})", function.name, args.join(", "));
    let mut symbols = Vec::new();
    for symbol in ["$vs", "$v", "$x", "$a", "$d", "$s"] {
        if call.contains(symbol) {
            call = call.replace(symbol, &format!("${}", symbols.len()));
            symbols.push(symbol);
        }
    }
    let symbols = symbols.join(", ");
    Ok(format!(
        "def Free{number} : Pattern<(Free_Op:$op $v, $vs, $x, $a, $d, $s), \
         [(NativeCodeCallVoid<\"{call}\"> {symbols}), (replaceWithValue $v)]>;\n"
    ))
}

#[test]
fn enough_free_functions_of_mlir_are_read() {
    let Some(sources) = llvm_sources() else { return };
    let mlir = sources.join("mlir");
    let (mut all, mut read) = (0, 0);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for (rules, helpers, includes, ..) in MLIR_RULES {
        let beside = Path::new(rules).parent().unwrap();
        let mut texts = String::new();
        for file in files_below(&mlir.join(beside), "cpp") {
            texts.push_str(&std::fs::read_to_string(file).unwrap());
        }
        let functions = free_functions(&texts);
        let names: BTreeSet<&str> = functions.iter().map(|function| function.name).collect();
        let mut td = format!("include \"{}\"\n{OPERATION}", Path::new(rules).file_name().unwrap().display());
        let mut called = BTreeSet::new();
        for (number, function) in functions.iter().enumerate() {
            if called.contains(function.name) {
                continue;
            }
            match rule(number, function) {
                Ok(rule) => {
                    called.insert(function.name);
                    td.push_str(&rule);
                }
                Err(ty) => *reasons.entry(format!("a parameter of the type '{ty}'")).or_default() += 1,
            }
        }
        let folder = Folder::new(&[("free.td", &td)]);
        let path = |relative: &Path| mlir.join(relative).to_str().unwrap().to_owned();
        let (beside, headers) = (path(beside), path(Path::new("include")));
        let (helpers, includes) = (path(Path::new(helpers)), path(Path::new(includes)));
        let helpers = if Path::new(&helpers).is_file() { beside.clone() } else { helpers };
        let args = ["check", "free.td", "-I", &beside, "-I", &headers, "-I", &includes];
        let run = folder.run(&[&args[..], &["--helpers", &helpers, "--format", "json"]].concat());
        let report: serde_json::Value = serde_json::from_str(&run.stdout).expect(&run.stderr);
        let is_call = |rule: &&serde_json::Value| rule["name"].as_str().unwrap().starts_with("Free");
        let runs = |rule: &&serde_json::Value| {
            rule["status"] == "loaded" && rule["missing"].as_array().is_none_or(Vec::is_empty)
        };
        for rule in report["rules"].as_array().unwrap().iter().filter(is_call) {
            read += usize::from(runs(&rule));
            if rule["status"] != "loaded" {
                *reasons.entry(format!("the call: {}", rule["reasons"][0])).or_default() += 1;
            }
        }
        for line in run.stderr.lines() {
            if let Some((_, reason)) = line.split_once("' stays a native: ") {
                *reasons.entry(reason.replace(&beside, "")).or_default() += 1;
            }
        }
        all += names.len();
    }
    let mut ranked: Vec<(String, usize)> = reasons.into_iter().collect();
    ranked.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut text = format!("{read} of {all} free functions are read\n");
    for (reason, count) in ranked {
        writeln!(text, "{count:4} {reason}").unwrap();
    }
    println!("{text}");
    assert!(all >= 200, "{text}");
    assert!(read >= LEAST, "{text}");
}
