//! Tests that the prelude has the content of MLIR's own headers.
//!
//! `llvm-tblgen-22` loads each rule file twice, with the prelude and with MLIR's headers, and the test compares the
//! records field by field. Fields with messages, or with C++ that no rule can observe, are omitted. Predicates are
//! compared as C++ expressions. `mlir-tblgen-22 -gen-rewriters` also runs twice, and the C++ must be equal except for
//! messages.

use crate::common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use drrvm::internal::frontend::{ods, prelude, tablegen};
use drrvm::source::{Color, SourceMap, render_all};
use serde_json::{Map, Value};

/// Rule files of MLIR, and files that use many classes of the core headers.
const FILES: &[&str] = &[
    "mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td",
    "mlir/examples/toy/Ch3/mlir/ToyCombine.td",
    "mlir/lib/Dialect/SPIRV/IR/SPIRVCanonicalization.td",
    "mlir/lib/Dialect/Shape/IR/ShapeCanonicalization.td",
    "mlir/lib/Conversion/GPUToNVVM/GPUToNVVM.td",
    "mlir/lib/Conversion/GPUToROCDL/GPUToROCDL.td",
    "mlir/lib/Conversion/ShapeToStandard/ShapeToStandard.td",
    "mlir/test/lib/Dialect/Test/TestOps.td",
    "mlir/test/mlir-tblgen/rewriter-attributes-properties.td",
    "mlir/test/mlir-tblgen/rewriter-indexing.td",
    "mlir/test/mlir-tblgen/rewriter-static-matcher.td",
    "mlir/include/mlir/Dialect/Func/IR/FuncOps.td",
    "mlir/include/mlir/IR/BuiltinOps.td",
    "mlir/include/mlir/IR/BuiltinTypes.td",
    "mlir/include/mlir/IR/BuiltinAttributes.td",
    "mlir/include/mlir/IR/BuiltinLocationAttributes.td",
];

/// Files of this repository: the rules of the examples, and a file that uses every class of the core headers.
const REPOSITORY_FILES: &[&str] = &[
    "examples/arith/rules.td",
    "examples/tensor/rules.td",
    "examples/lowering/rules.td",
    "tests/data/prelude_classes.td",
];

/// Texts that occur only in the paths of files without rules. `-gen-rewriters` generates nothing for these files.
const WITHOUT_RULES: &[&str] = &["mlir/include", "prelude_classes"];

/// Fields with messages, with C++ that no rule can observe, or with facts that MLIR's headers state only in such C++.
const IGNORED: &[&str] = &[
    "ElementsAttrInterfaceAccessors",
    "allocator",
    "assignToStorage",
    "comparator",
    "convertFromAttribute",
    "convertToAttribute",
    "delegatesParsing",
    "description",
    "elementProperty",
    "extraClassDeclaration",
    "extraClassDefinition",
    "extraClassOf",
    "extraConcreteClassDeclaration",
    "extraConcreteClassDefinition",
    "extraSharedClassDeclaration",
    "extraTraitClassDeclaration",
    "hashProperty",
    "methods",
    "odsDeprecated",
    "optionalParser",
    "parameterParser",
    "parameterPrinter",
    "parseSeparatorFn",
    "parser",
    "printer",
    "readFromMlirBytecode",
    "summary",
    "verify",
    "writeToMlirBytecode",
];

fn repository_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The files to compare; with `DRRVM_FULL`, all dialects of MLIR are included.
fn files(sources: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = FILES.iter().map(|file| sources.join(file)).collect();
    files.extend(REPOSITORY_FILES.iter().map(|file| repository_path(file)));
    if std::env::var_os("DRRVM_FULL").is_some() {
        files.extend(common::files_below(&sources.join("mlir/include/mlir/Dialect"), "td"));
    }
    files
}

/// Runs a tool on a file with MLIR's headers, and with the prelude before them if `ours` is set.
///
/// # Errors
/// Returns the messages of the tool if it rejects the file.
fn run(tool: &str, action: &str, ours: bool, sources: &Path, file: &Path) -> Result<String, String> {
    let mut command = Command::new(tool);
    command.arg(action);
    if ours {
        command.arg("-I").arg(repository_path("src/frontend/prelude"));
    }
    for folder in [
        "mlir/include",
        "mlir/test/lib/Dialect/Test",
        "mlir/lib/Dialect/SPIRV/IR",
        "mlir/examples/toy/Ch3/include",
    ] {
        command.arg("-I").arg(sources.join(folder));
    }
    if let Some(folder) = file.parent() {
        command.arg("-I").arg(folder);
    }
    let output = command.arg(file).output().expect("the tool was found before");
    let text = if output.status.success() { output.stdout } else { output.stderr };
    let text = String::from_utf8(text).expect("the tool writes UTF-8");
    if output.status.success() { Ok(text) } else { Err(text) }
}

/// drrvm reads every file of the prelude, and the files of [`REPOSITORY_FILES`], without MLIR's headers.
#[test]
fn our_tablegen_reads_the_prelude() {
    let read = |name: &str, text: &str| {
        let mut sources = SourceMap::default();
        let main = sources.add(name, text).expect("there is room for a file");
        let include_dirs = repository_path(name).parent().map(PathBuf::from).into_iter().collect();
        let config = tablegen::Config { include_dirs, embedded: prelude::FILES, ..Default::default() };
        match tablegen::parse(&mut sources, main, &config) {
            Ok(parsed) => parsed.records,
            Err(errors) => panic!("{}", render_all(&errors, &sources, Color::Never)),
        }
    };
    for (path, text) in prelude::FILES {
        read(path, text);
    }
    for path in REPOSITORY_FILES {
        let text = std::fs::read_to_string(repository_path(path)).expect("the file is in the repository");
        let records = read(path, &text);
        assert!(records.find("AnyType").is_some(), "{path}");
    }
}

#[test]
fn records_equal_those_of_mlir() {
    let (Some(sources), Some(tool)) = (common::llvm_sources(), common::llvm_tool("llvm-tblgen")) else {
        return;
    };
    let mut all = 0;
    for file in files(&sources) {
        let load = |ours| run(&tool, "--dump-json", ours, &sources, &file);
        let Ok(real) = load(false) else {
            // Some files of a dialect are fragments that cannot be read alone.
            let is_part = file.starts_with(sources.join("mlir/include/mlir/Dialect"));
            assert!(is_part, "{} cannot be read", file.display());
            continue;
        };
        let ours = load(true).unwrap_or_else(|message| panic!("{}: {message}", file.display()));
        let (ours, real) = (Records::new(&ours), Records::new(&real));
        for name in real.named() {
            assert!(ours.0.contains_key(name), "{}: no record {name}", file.display());
            let (ours, real) = (ours.record(name), real.record(name));
            assert_eq!(ours.keys().collect::<Vec<_>>(), real.keys().collect::<Vec<_>>(), "{name}");
            for (field, value) in &real {
                let excepted = is_builtin(&real) && field == "builders";
                assert!(excepted || ours[field] == *value, "{}: {field} of {name}", file.display());
            }
            all += 1;
        }
        for name in ours.named() {
            assert!(real.0.contains_key(name), "{}: only the prelude has the record {name}", file.display());
        }
    }
    assert!(all > 5_000, "only {all} records were compared");
}

/// True if a record defines a builtin type or attribute, whose construction drrvm implements in Rust.
fn is_builtin(record: &Map<String, Value>) -> bool {
    record.get("dialect").is_some_and(|dialect| dialect == "Builtin_Dialect")
}

#[test]
fn generated_rewriters_equal_those_of_mlir() {
    let (Some(sources), Some(tool)) = (common::llvm_sources(), common::llvm_tool("mlir-tblgen")) else {
        return;
    };
    for file in files(&sources) {
        let name = file.display().to_string();
        if WITHOUT_RULES.iter().any(|part| name.contains(part)) {
            continue;
        }
        let generate = |ours| {
            let text = run(&tool, "-gen-rewriters", ours, &sources, &file)
                .unwrap_or_else(|message| panic!("{name}: {message}"));
            expression(&text.lines().map(without_messages).collect::<String>())
        };
        let (ours, real) = (generate(true), generate(false));
        assert!(real.contains("matchAndRewrite"), "{name}");
        for (ours, real) in ours.split(';').zip(real.split(';')) {
            assert_eq!(ours, real, "{name}");
        }
        assert_eq!(ours.len(), real.len(), "{name}");
    }
}

/// Removes the message of a constraint from a generated line.
fn without_messages(line: &str) -> String {
    for (begin, end) in [("failed to satisfy constraint: '", "'\""), ("failureStr << \": ", "\";")] {
        if let Some((head, tail)) = line.split_once(begin)
            && let Some((_, tail)) = tail.split_once(end)
        {
            return format!("{head}{begin}{end}{tail}");
        }
    }
    line.to_owned()
}

/// The records of one run, as written by `--dump-json`.
struct Records(Map<String, Value>);

impl Records {
    fn new(json: &str) -> Self {
        match serde_json::from_str(json) {
            Ok(Value::Object(records)) => Self(records),
            other => panic!("not a dump of records: {other:?}"),
        }
    }

    fn named(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter(|(name, value)| !name.starts_with('!') && value["!anonymous"] == false)
            .map(|(name, _)| name.as_str())
    }

    /// Returns a record with nested anonymous records written out and predicates as expressions.
    fn record(&self, name: &str) -> Map<String, Value> {
        let record = &self.0[name];
        let mut fields = Map::new();
        if superclasses(record).any(|class| class == "Pred") {
            fields.insert("expression".to_owned(), expression(&self.predicate(name, &[])).into());
            return fields;
        }
        for (field, value) in record.as_object().expect("a record is an object") {
            if !field.starts_with('!') && !IGNORED.contains(&field.as_str()) {
                fields.insert(field.clone(), self.value(value));
            }
        }
        let mut classes: Vec<_> = superclasses(record).filter(|class| !class.starts_with('_')).collect();
        classes.sort_unstable();
        fields.insert("!superclasses".to_owned(), classes.into());
        fields
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::String(text) => expression(text).into(),
            Value::Object(fields) => match fields.get("def").and_then(Value::as_str) {
                Some(name) if self.0[name]["!anonymous"] == true => self.record(name).into(),
                Some(name) => name.into(),
                None => {
                    let parts = fields.iter().filter(|(key, _)| *key != "printable");
                    Value::Object(parts.map(|(key, part)| (key.clone(), self.value(part))).collect())
                }
            },
            other => other.clone(),
        }
    }

    /// Returns the C++ expression of a predicate. `outer` holds the replacements of the enclosing predicates, outermost
    /// first. The innermost replacement is applied first.
    fn predicate(&self, name: &str, outer: &[(&str, &str)]) -> String {
        let record = &self.0[name];
        let text = |field: &str| record[field].as_str().expect("a string field");
        let replaced =
            |text: &str| outer.iter().rev().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        if superclasses(record).any(|class| class == "CPred") {
            return replaced(text("predExpr"));
        }
        let children: Vec<&str> = record["children"]
            .as_array()
            .expect("a combined predicate has children")
            .iter()
            .map(|child| child["def"].as_str().expect("a child is a record"))
            .collect();
        let joined = |operator: &str, none: &str| match children.as_slice() {
            [] => none.to_owned(),
            all => {
                let parts: Vec<_> = all.iter().map(|child| self.predicate(child, outer)).collect();
                format!("({})", parts.join(operator))
            }
        };
        match record["kind"]["def"].as_str().expect("a combined predicate has a kind") {
            "PredCombinerAnd" => joined(" && ", "true"),
            "PredCombinerOr" => joined(" || ", "false"),
            "PredCombinerNot" => format!("!({})", self.predicate(children[0], outer)),
            "PredCombinerConcat" => {
                let inner = self.predicate(children[0], outer);
                format!("{}{inner}{}", replaced(text("prefix")), replaced(text("suffix")))
            }
            "PredCombinerSubstLeaves" => {
                let mut all = outer.to_vec();
                all.push((text("pattern"), text("replacement")));
                self.predicate(children[0], &all)
            }
            other => panic!("unknown kind of predicate: {other}"),
        }
    }
}

fn superclasses(record: &Value) -> impl Iterator<Item = &str> {
    record["!superclasses"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Normalises C++ text: removes spaces, comments and namespaces, and inlines immediately called lambdas.
fn expression(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some((head, tail)) = text.split_once("/*") {
        let tail = tail.split_once("*/").map_or("", |(_, tail)| tail);
        text = format!("{head}{tail}");
    }
    text.retain(|c| !c.is_whitespace());
    for namespace in ["::mlir::", "::llvm::", "mlir::", "llvm::"] {
        text = text.replace(namespace, "");
    }
    while let Some(simpler) = applied(&text) {
        text = simpler;
    }
    text
}

/// Inlines the last `[](T name){return body;}(argument)` of a text, if there is one.
fn applied(text: &str) -> Option<String> {
    text.rmatch_indices("[](").find_map(|(start, begin)| {
        let parameters = start + begin.len();
        let body = text[parameters..].find(')')? + parameters;
        let parameter = &text[parameters..body];
        let name = ["elementType", "baseIface"].into_iter().find(|name| parameter.ends_with(name))?;
        let function = text[body + 1..].strip_prefix("->bool").unwrap_or(&text[body + 1..]);
        let inner = function.strip_prefix("{return")?;
        let end = closing(inner, '{', '}')?;
        let argument = inner[end + 1..].strip_prefix('(')?;
        let argument_end = closing(argument, '(', ')')?;
        let replaced = inner[..end].trim_end_matches(';').replace(name, &argument[..argument_end]);
        Some(format!("{}{replaced}{}", &text[..start], &argument[argument_end + 1..]))
    })
}

/// Returns the position of the bracket that closes the bracket before the text.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == open) - i32::from(c == close);
        (depth == 0).then_some(at)
    })
}

/// Returns the format of an operation and the names of its parts as one text, in which operations can be compared.
fn syntax(op: &ods::Op<'_>) -> String {
    let mut text = format!("{:?} {:?} {}", op.operand_sizes, op.result_sizes, op.custom_format);
    for group in op.operands.iter().chain(&op.results) {
        text.push_str(&format!(" {}{:?}", group.name, group.arity));
    }
    for attribute in &op.attributes {
        text.push_str(&format!(" {}{}{}", attribute.name, attribute.spec.optional, attribute.spec.default));
    }
    for part in op.regions.iter().chain(&op.successors) {
        text.push_str(&format!(" {}{}", part.name, part.variadic));
    }
    text.push(' ');
    text.extend(op.assembly_format.map_or("", |(text, _)| text).split_whitespace());
    text
}

/// Reads the operations of a dialect from a file: each name with its syntax.
fn operations(main: &Path, include_dirs: Vec<PathBuf>, dialect: &str) -> BTreeMap<String, String> {
    let mut sources = SourceMap::default();
    let main = sources.load(main).unwrap();
    let config = tablegen::Config { include_dirs, embedded: prelude::FILES, ..Default::default() };
    let records = tablegen::parse(&mut sources, main, &config).unwrap().records;
    let definitions = ods::read(&records);
    let ops = definitions.ops.iter().filter(|op| op.name.starts_with(&format!("{dialect}.")));
    ops.map(|op| (op.name.clone(), syntax(op))).collect()
}

/// The prelude defines some operations of MLIR's dialects. Each of these operations has the parts and the format that
/// MLIR's headers state.
#[test]
fn operations_of_the_prelude_have_the_syntax_of_mlir() {
    let Some(sources) = common::llvm_sources() else { return };
    let include = sources.join("mlir/include");
    let mut count = 0;
    for (file, dialect, header) in [
        ("ControlFlow", "cf", "ControlFlow/IR/ControlFlowOps.td"),
        ("Math", "math", "Math/IR/MathOps.td"),
        ("MemRef", "memref", "MemRef/IR/MemRefOps.td"),
        ("SCF", "scf", "SCF/IR/SCFOps.td"),
        ("Tensor", "tensor", "Tensor/IR/TensorOps.td"),
    ] {
        let file = repository_path(&format!("src/frontend/prelude/drrvm/{file}.td"));
        let ours = operations(&file, Vec::new(), dialect);
        let real = include.join("mlir/Dialect").join(header);
        let theirs = operations(&real, vec![include.clone()], dialect);
        for (name, syntax) in &ours {
            assert_eq!(Some(syntax), theirs.get(name), "{name}");
        }
        count += ours.len();
    }
    assert!(count > 100, "the prelude has only {count} operations of these dialects");
}
