//! Compares the rules and definitions that drrvm reads in MLIR's files with the output of `mlir-tblgen`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{llvm_sources, llvm_tool};
use drrvm::internal::frontend::{drr, ods, prelude, tablegen};
use drrvm::internal::pdl::{Node, Step, root, steps};
use drrvm::pdl::{self, RuleSet};
use drrvm::source::{Color, SourceMap, render_all};

/// The facts about a rule that the generated C++ states.
#[derive(Debug, PartialEq, Eq)]
struct Fact {
    name: String,
    root: String,
    benefit: u16,
    /// The operations that the result patterns create, sorted and without duplicates.
    creates: Vec<String>,
}

/// The rules of a file as drrvm reads them.
fn ours(file: &Path, include_dirs: &[PathBuf]) -> Result<Vec<Fact>, String> {
    let rules = load(file, include_dirs)?;
    Ok(rules.patterns().iter().map(|pattern| fact(&rules, pattern)).collect())
}

fn load(file: &Path, include_dirs: &[PathBuf]) -> Result<RuleSet, String> {
    let mut sources = SourceMap::default();
    let main = sources.load(file).expect("the file exists");
    let include_dirs = include_dirs.to_vec();
    let config = tablegen::Config { include_dirs, embedded: prelude::FILES, ..Default::default() };
    let shown = |errors, sources: &SourceMap| render_all(&errors, sources, Color::Never);
    let parsed = tablegen::parse(&mut sources, main, &config).map_err(|errors| shown(errors, &sources))?;
    let definitions = ods::read(&parsed.records);
    let mut rules = RuleSet::default();
    drr::lower(&definitions, &sources, &mut rules).map_err(|errors| shown(errors, &sources))?;
    rules.verify().map_err(|errors| shown(errors, &sources))?;
    Ok(rules)
}

fn fact(rules: &RuleSet, pattern: &pdl::Pattern) -> Fact {
    let Node::Operation(root) = root(pattern) else {
        panic!("the root of a rule is an operation");
    };
    let created = steps(pattern).iter().filter_map(|step| match step {
        Step::Create(create) => Some(rules.strings()[create.name].to_owned()),
        _ => None,
    });
    let mut creates: Vec<String> = created.collect();
    creates.sort();
    creates.dedup();
    Fact {
        name: rules.strings()[pattern.name].to_owned(),
        root: rules.strings()[root.name.expect("a root of DRR has a name")].to_owned(),
        benefit: pattern.benefit,
        creates,
    }
}

/// The rules of a file as `mlir-tblgen` generates them.
fn theirs(tool: &str, file: &Path, include_dirs: &[PathBuf]) -> Vec<Fact> {
    let mut command = Command::new(tool);
    command.arg("-gen-rewriters").arg(file);
    for dir in include_dirs {
        command.arg("-I").arg(dir);
    }
    let output = command.output().expect("the tool runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("generated C++ is text");
    text.split("struct ").skip(1).filter_map(fact_of_struct).collect()
}

/// Reads `Name : public ::mlir::RewritePattern { … ::mlir::RewritePattern("root", 2, context, {"op"}) {}`.
fn fact_of_struct(text: &str) -> Option<Fact> {
    let (name, rest) = text.split_once(" : public ::mlir::RewritePattern {")?;
    let (_, call) = rest.split_once("::mlir::RewritePattern(")?;
    let (call, _) = call.split_once(") {}")?;
    let (fixed, creates) = call.split_once(", {")?;
    let mut fixed = fixed.split(", ");
    let root = fixed.next()?.trim_matches('"').to_owned();
    let benefit = fixed.next()?.parse().ok()?;
    let creates = creates.trim_end_matches('}').split(", ").map(|op| op.trim_matches('"').to_owned());
    let creates = creates.filter(|op| !op.is_empty()).collect();
    Some(Fact { name: name.to_owned(), root, benefit, creates })
}

/// Compares the rules of a file in MLIR's sources; `count` is the known number of rules.
fn compare(file: &str, own_dirs: &[&str], count: usize) {
    let (Some(llvm), Some(tool)) = (llvm_sources(), llvm_tool("mlir-tblgen")) else { return };
    let mut dirs: Vec<PathBuf> = own_dirs.iter().map(|dir| llvm.join(dir)).collect();
    dirs.push(llvm.join("mlir/include"));
    let file = llvm.join(file);
    let expected = theirs(&tool, &file, &dirs);
    assert_eq!(expected.len(), count, "rules that mlir-tblgen generates");
    match ours(&file, &dirs) {
        Ok(rules) => {
            for (ours, theirs) in rules.iter().zip(&expected) {
                assert_eq!(ours, theirs);
            }
            assert_eq!(rules.len(), expected.len());
        }
        Err(errors) => panic!("{errors}"),
    }
}

#[test]
fn arith() {
    compare("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td", &[], 43);
}

#[test]
fn toy() {
    for chapter in 3..=7 {
        let dir = format!("mlir/examples/toy/Ch{chapter}/include");
        let file = format!("mlir/examples/toy/Ch{chapter}/mlir/ToyCombine.td");
        compare(&file, &[&dir], 3);
    }
}

#[test]
fn test_dialect() {
    let dir = "mlir/test/lib/Dialect/Test";
    compare("mlir/test/lib/Dialect/Test/TestOps.td", &[dir], 79);
}

#[test]
fn spirv() {
    compare("mlir/lib/Dialect/SPIRV/IR/SPIRVCanonicalization.td", &["mlir/lib/Dialect/SPIRV/IR"], 16);
}

#[test]
fn shape() {
    compare("mlir/lib/Dialect/Shape/IR/ShapeCanonicalization.td", &[], 7);
}

#[test]
fn conversions() {
    compare("mlir/lib/Conversion/ShapeToStandard/ShapeToStandard.td", &[], 2);
    compare("mlir/lib/Conversion/GPUToNVVM/GPUToNVVM.td", &[], 1);
    compare("mlir/lib/Conversion/GPUToROCDL/GPUToROCDL.td", &[], 1);
}

#[test]
fn generator_tests() {
    compare("mlir/test/mlir-tblgen/rewriter-attributes-properties.td", &[], 2);
    compare("mlir/test/mlir-tblgen/rewriter-indexing.td", &[], 6);
    compare("mlir/test/mlir-tblgen/rewriter-static-matcher.td", &[], 5);
}

/// Reads the operation classes in the output of `-gen-op-decls`, by C++ name.
fn declared(tool: &str, file: &Path, include_dirs: &[PathBuf]) -> Vec<(String, String)> {
    let mut command = Command::new(tool);
    command.arg("-gen-op-decls").arg(file);
    for dir in include_dirs {
        command.arg("-I").arg(dir);
    }
    let output = command.output().expect("the tool runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("generated C++ is text");
    let classes = text.split("\nclass ").skip(1).filter_map(|class| {
        let (name, _) = class.split_once(" : public ::mlir::Op<")?;
        Some((name.to_owned(), class.to_owned()))
    });
    classes.collect()
}

/// Compares every operation of a file: its name, its accessors, and the inference of its result types.
fn compare_definitions(file: &str, own_dirs: &[&str], count: usize) {
    let (Some(llvm), Some(tool)) = (llvm_sources(), llvm_tool("mlir-tblgen")) else { return };
    let mut dirs: Vec<PathBuf> = own_dirs.iter().map(|dir| llvm.join(dir)).collect();
    dirs.push(llvm.join("mlir/include"));
    let file = llvm.join(file);
    let mut sources = SourceMap::default();
    let main = sources.load(&file).expect("the file exists");
    let config = tablegen::Config { include_dirs: dirs.clone(), ..Default::default() };
    let parsed = tablegen::parse(&mut sources, main, &config).expect("the file is valid");
    let definitions = ods::read(&parsed.records);
    assert!(definitions.errors().is_empty(), "{}", render_all(&definitions.errors(), &sources, Color::Never));
    let classes = declared(&tool, &file, &dirs);
    assert_eq!(classes.len(), count, "classes that mlir-tblgen declares");
    for (class, text) in classes {
        let op = definitions.op_class(&class).map(|id| &definitions.ops[id]);
        let op = op.unwrap_or_else(|| panic!("no operation of class {class}"));
        let quoted = format!("StringLiteral(\"{}\")", op.name);
        assert!(text.contains(&quoted), "{class}: its name is {} in drrvm", op.name);
        let head = text.split_once('{').map_or("", |(head, _)| head);
        let infers = op.inferred.is_some() || op.infers_in_cpp;
        assert_eq!(
            infers,
            head.contains("InferTypeOpInterface::Trait"),
            "{class}: inference of result types"
        );
        let values = op.operands.iter().chain(&op.results).map(|value| value.name);
        let others = op.attributes.iter().map(|a| a.name).chain(op.properties.iter().map(|p| p.name));
        for name in values.chain(others).filter(|name| !name.is_empty()) {
            let accessor = format!("{}(", ods::accessor_name("get", name));
            assert!(text.contains(&accessor), "{class} has no {accessor})");
        }
    }
}

#[test]
fn definitions_of_operations() {
    compare_definitions("mlir/include/mlir/Dialect/Arith/IR/ArithOps.td", &[], 51);
    let dir = "mlir/test/lib/Dialect/Test";
    compare_definitions("mlir/test/lib/Dialect/Test/TestOps.td", &[dir], 377);
    compare_definitions("mlir/include/mlir/Dialect/SPIRV/IR/SPIRVOps.td", &[], 306);
    compare_definitions("mlir/include/mlir/Dialect/Shape/IR/ShapeOps.td", &[], 40);
}

/// Artificial rules have the names, order and benefits that `mlir-tblgen` generates, with MLIR's headers and with the
/// prelude.
#[test]
fn order_of_rules() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/drr/order.td");
    let with_prelude = ours(&file, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(with_prelude.len(), 31);
    let (Some(llvm), Some(tool)) = (llvm_sources(), llvm_tool("mlir-tblgen")) else { return };
    let dirs = [llvm.join("mlir/include")];
    let expected = theirs(&tool, &file, &dirs);
    assert_eq!(ours(&file, &dirs).unwrap_or_else(|errors| panic!("{errors}")), expected);
    // The numbers of anonymous records depend on the headers, because these have anonymous records too.
    let unnumbered = |facts: Vec<Fact>| -> Vec<Fact> {
        let name = |name: &str| match name.strip_prefix("anonymous_") {
            Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned(),
            None => name.to_owned(),
        };
        facts.into_iter().map(|fact| Fact { name: name(&fact.name), ..fact }).collect()
    };
    assert_eq!(unnumbered(with_prelude), unnumbered(expected));
}

/// The labels of a rule are the stem of its file and the multiclass that it comes from.
#[test]
fn labels_of_rules() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/drr/order.td");
    let rules = load(&file, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let labels = |name: &str| -> Vec<&str> {
        let pattern = rules.patterns().iter().find(|pattern| &rules.strings()[pattern.name] == name);
        pattern.expect("the file has it").labels.iter().map(|&label| &rules.strings()[label]).collect()
    };
    assert_eq!(labels("ACForth"), ["order", "Both"]);
    assert_eq!(labels("Rule10"), ["order"]);
}

/// Snapshot of the parsed definitions; `INSTA_UPDATE=always cargo test` updates it.
#[test]
fn printed_definitions() {
    let mut sources = SourceMap::default();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/drr/definitions.td");
    let main = sources.load(&file).expect("the file exists");
    let config = tablegen::Config { embedded: prelude::FILES, ..Default::default() };
    let parsed = tablegen::parse(&mut sources, main, &config).unwrap_or_else(|errors| {
        panic!("{}", render_all(&errors, &sources, Color::Never));
    });
    let definitions = ods::read(&parsed.records);
    assert!(definitions.errors().is_empty());
    let text = ods::print(&definitions);
    // The definitions of the prelude come first and are skipped.
    let own = text.lines().skip_while(|line| !line.starts_with("op t.everything")).collect::<Vec<_>>();
    insta::assert_snapshot!(own.join("\n"));
}
