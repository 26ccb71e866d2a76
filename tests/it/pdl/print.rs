//! Tests rules printed as `pdl` text: MLIR accepts the text, and drrvm reads it back as the same rules.

use crate::common;
use crate::common::workload;
use crate::common::workload::definition::{self, Pdl};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use drrvm::compile;
use drrvm::host::NoListener;
use drrvm::internal::frontend::pdl_text;
use drrvm::internal::pdl::print_pattern;
use drrvm::ir::{Context, IrHost, PrintOptions, parse_module};
use drrvm::natives;
use drrvm::pdl::{OpTable, RuleSet, print};
use drrvm::rewrite::{Config, apply_greedily};
use drrvm::source::{Color, SourceMap, render_all};
use drrvm::vm::{LinkOptions, Matcher};

fn read_into(rules: &mut RuleSet, text: &str) {
    let mut sources = SourceMap::default();
    let file = sources.add("printed.mlir", text).unwrap();
    if let Err(errors) = pdl_text::parse(&sources, file, rules) {
        panic!("{}\n{text}", render_all(&errors, &sources, Color::Never));
    }
}

fn read(text: &str) -> RuleSet {
    let mut rules = RuleSet::default();
    read_into(&mut rules, text);
    rules
}

fn load(file: &Path, include_dirs: &[PathBuf]) -> RuleSet {
    let options = compile::Options { include_dirs: include_dirs.to_vec(), ..compile::Options::default() };
    let mut sources = SourceMap::default();
    match compile::rules(&mut sources, &[file.to_path_buf()], &options) {
        Ok((rules, _)) => rules,
        Err(errors) => panic!("{}", render_all(&errors, &sources, Color::Never)),
    }
}

/// Like `assert_eq`, but shows the first line that differs.
fn same_lines(ours: &str, expected: &str) {
    for (i, (a, b)) in ours.lines().zip(expected.lines()).enumerate() {
        assert!(a == b, "{expected}\nline {}:\n{a}\nnot\n{b}", i + 1);
    }
    assert_eq!(ours.lines().count(), expected.lines().count(), "{expected}");
}

/// Prints all rules together and each rule alone. Each text must print unchanged after it is read, and `mlir-opt` must
/// accept the text of all rules.
fn round_trips(what: &str, rules: &RuleSet) {
    for id in rules.patterns().ids() {
        let text = print_pattern(rules, id);
        let again = read(&text);
        same_lines(&print_pattern(&again, again.patterns().ids().next().unwrap()), &text);
    }
    let text = print(rules);
    let again = read(&text);
    assert_eq!(again.patterns().len(), rules.patterns().len());
    same_lines(&print(&again), &text);
    if let Some(opt) = common::llvm_tool("mlir-opt")
        && let Err(error) = common::pipe_text(&opt, &["--allow-unregistered-dialect", "-"], &text)
    {
        panic!("{what}: {error}");
    }
    println!("{what}: {} rules", rules.patterns().len());
}

#[test]
fn rule_files_of_mlir_round_trip() {
    let Some(root) = common::llvm_sources() else { return };
    let toy = |chapter: u32| {
        (
            format!("mlir/examples/toy/Ch{chapter}/mlir/ToyCombine.td"),
            format!("mlir/examples/toy/Ch{chapter}/include"),
            3,
        )
    };
    let mut files: Vec<(String, String, usize)> = (3..=7).map(toy).collect();
    for (file, include, count) in [
        ("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td", "", 43),
        ("mlir/test/lib/Dialect/Test/TestOps.td", "mlir/test/lib/Dialect/Test", 79),
        ("mlir/lib/Dialect/SPIRV/IR/SPIRVCanonicalization.td", "mlir/lib/Dialect/SPIRV/IR", 16),
        ("mlir/lib/Dialect/Shape/IR/ShapeCanonicalization.td", "", 7),
        ("mlir/lib/Conversion/ShapeToStandard/ShapeToStandard.td", "", 2),
        ("mlir/lib/Conversion/GPUToNVVM/GPUToNVVM.td", "", 1),
        ("mlir/lib/Conversion/GPUToROCDL/GPUToROCDL.td", "", 1),
        ("mlir/test/mlir-tblgen/rewriter-attributes-properties.td", "", 2),
        ("mlir/test/mlir-tblgen/rewriter-indexing.td", "", 6),
        ("mlir/test/mlir-tblgen/rewriter-static-matcher.td", "", 5),
    ] {
        files.push((file.to_owned(), include.to_owned(), count));
    }
    for (file, include, count) in files {
        let rules = load(&root.join(&file), &[root.join(include), root.join("mlir/include")]);
        assert_eq!(rules.patterns().len(), count, "{file}");
        round_trips(&file, &rules);
    }
}

/// Covers the rules that the benchmarks match, and the rules that they rewrite with.
#[test]
fn benchmark_workload_round_trips() {
    let text = definition::compact(&definition::matched(200, 0));
    round_trips("workload", &workload::rules::read(&text, 200));
    let rules = read(&definition::pdl(&definition::rewritten(1000, 0), Pdl::Plain));
    assert_eq!(rules.patterns().len(), 1000);
    round_trips("workload as pdl", &rules);
}

/// Applies the rules to IR; returns the result and the number of rewrites.
fn rewritten(rules: &RuleSet, ir: &str) -> (String, u64) {
    let mut sources = SourceMap::default();
    let file = sources.add("ir.mlir", ir).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).unwrap();
    let mut host = IrHost::new(context, module);
    let program = Arc::new(compile::program(rules).unwrap());
    let matcher = Matcher::link(program, &mut host, &natives::all(), &LinkOptions::default())
        .unwrap_or_else(|error| panic!("{}", render_all(&error.diagnostics(), &sources, Color::Never)));
    let top = host.module.top();
    let report = apply_greedily(&mut host, top, &matcher, &Config::default(), &mut NoListener);
    (host.module.print(&host.context, PrintOptions::new().generic(true).debug_info(true)), report.rewrites)
}

/// Tests that the printed rules rewrite like the original rules. The printed text contains no definitions of
/// operations, so the original rules are applied without their definitions.
fn rewrites_alike(rules: &RuleSet, ir: &str) {
    let mut bare = rules.clone();
    *bare.ops_mut() = OpTable::default();
    assert_eq!(rewritten(&read(&print(rules)), ir), rewritten(&bare, ir));
}

/// Prints the examples' rules, reads them back with the definitions of their operations, and applies them.
#[test]
fn printed_rules_rewrite_like_the_originals() {
    for example in ["arith", "tensor", "lowering"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(example);
        let rules = load(&folder.join("rules.td"), &[]);
        round_trips(example, &rules);
        let mut again = rules.with_patterns([]);
        read_into(&mut again, &print(&rules));
        let ir = std::fs::read_to_string(folder.join("input.mlir")).unwrap();
        let expected = rewritten(&rules, &ir);
        assert!(expected.1 > 0, "{example}");
        assert_eq!(rewritten(&again, &ir), expected, "{example}");
        rewrites_alike(&rules, &ir);
    }
}

/// Applies MLIR's own rules for `arith`, printed and read again, to MLIR's own test.
#[test]
fn printed_arith_rules_rewrite_like_the_originals() {
    let (Some(root), Some(opt)) = (common::llvm_sources(), common::llvm_tool("mlir-opt")) else { return };
    let rules =
        load(&root.join("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td"), &[root.join("mlir/include")]);
    let mut again = rules.with_patterns([]);
    read_into(&mut again, &print(&rules));
    let test = std::fs::read_to_string(root.join("mlir/test/Dialect/Arith/canonicalize.mlir")).unwrap();
    let args = ["-", "--split-input-file", "--output-split-marker=// -----", "--mlir-print-op-generic"];
    let generic = common::pipe_text(&opt, &args, &test).unwrap();
    let mut rewrites = 0;
    for part in generic.split("// -----\n") {
        let expected = rewritten(&rules, part);
        assert_eq!(rewritten(&again, part), expected);
        rewrites_alike(&rules, part);
        rewrites += expected.1;
    }
    assert!(rewrites > 50, "{rewrites}");
}
