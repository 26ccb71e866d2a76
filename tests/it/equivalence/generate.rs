//! Tests of the random IR generator: its modules make rules fire and are valid for MLIR.

use crate::common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::llvm_sources;
use drrvm::compile;
use drrvm::equivalence::{Config, IrGenerator};
use drrvm::host::{Natives, NoListener};
use drrvm::ir::{self, Context, IrHost, Module};
use drrvm::pdl::RuleSet;
use drrvm::rewrite::apply_greedily;
use drrvm::source::{Color, SourceMap, render_all};
use drrvm::vm::{LinkOptions, Matcher};

fn load(file: &Path, include_dirs: Vec<PathBuf>, helpers: Vec<PathBuf>) -> RuleSet {
    let mut sources = SourceMap::default();
    let options = compile::Options { include_dirs, helpers, ..compile::Options::default() };
    match compile::rules(&mut sources, &[file.to_owned()], &options) {
        Ok((rules, _)) => rules,
        Err(errors) => panic!("{}", render_all(&errors, &sources, Color::Never)),
    }
}

fn host() -> IrHost {
    let mut context = Context::new();
    let module = Module::new(&mut context);
    IrHost::new(context, module)
}

/// Rewrites `cases` random modules; returns the names of the rules that never fired.
fn never_fired(rules: &RuleSet, natives: &Natives<IrHost>, cases: u64) -> Vec<String> {
    let mut host = host();
    let program = Arc::new(compile::program(rules).unwrap());
    let matcher = Matcher::link(program, &mut host, natives, &LinkOptions::default()).unwrap();
    let generator = IrGenerator::new(&[rules], &mut host, natives, &Config::default()).unwrap();
    let mut fired = vec![0u64; rules.patterns().len()];
    let mut ops = 0;
    for case in 0..cases {
        generator.generate(case, &mut host);
        ops += host.module.op_count();
        let errors = ir::verify(&host.context, &host.module);
        let text = host.module.print(&host.context, ir::PrintOptions::new().generic(true));
        assert!(!errors.has_errors(), "case {case}: {errors:?}\n{text}");
        let root = host.module.top();
        let config = drrvm::rewrite::Config::default();
        let report = apply_greedily(&mut host, root, &matcher, &config, &mut NoListener);
        fired.iter_mut().zip(&report.applied).for_each(|(sum, count)| *sum += count);
    }
    let name = |id| rules.strings()[rules.patterns()[id].name].to_owned();
    println!(
        "without instances: {:?}",
        generator.without_instances(0).map(|(rule, why)| (name(rule), why)).collect::<Vec<_>>()
    );
    println!(
        "{} operations a module, {} rewrites",
        ops / usize::try_from(cases).unwrap(),
        fired.iter().sum::<u64>()
    );
    rules.patterns().ids().filter(|id| fired[id.raw() as usize] == 0).map(name).collect()
}

/// The number of random modules for each of MLIR's rule files: 250, or 10,000 if `DRRVM_FULL` is set.
fn cases() -> u64 {
    if std::env::var_os("DRRVM_FULL").is_some() { 10_000 } else { 250 }
}

/// Checks that at least nine rules in ten fire, and prints the names of the others.
fn nine_tenths_fire(rules: &RuleSet, natives: &Natives<IrHost>) {
    let silent = never_fired(rules, natives, cases());
    println!("{silent:?}");
    assert!(
        silent.len() * 10 <= rules.patterns().len(),
        "more than a tenth of {} rules never fired: {silent:?}",
        rules.patterns().len()
    );
}

#[test]
fn rules_of_arith_fire() {
    let Some(sources) = llvm_sources() else { return };
    let rules = load(
        &sources.join("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td"),
        vec![sources.join("mlir/include")],
        Vec::new(),
    );
    nine_tenths_fire(&rules, &drrvm::natives::all());
}

#[test]
fn rules_of_the_test_dialect_fire() {
    let Some(sources) = llvm_sources() else { return };
    let dir = sources.join("mlir/test/lib/Dialect/Test");
    let helpers = vec![dir.join("TestPatterns.cpp"), dir.join("TestOpDefs.cpp")];
    let rules = load(&dir.join("TestOps.td"), vec![sources.join("mlir/include"), dir.clone()], helpers);
    nine_tenths_fire(&rules, &Natives::new());
}

#[test]
fn a_case_depends_only_on_seed_and_number() {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("twice", 1);
    let x = rule.value();
    let inner = rule.op("my.neg").operand(x).matched();
    let value = rule.result(inner, 0);
    let outer = rule.op("my.neg").operand(value).matched();
    rule.replace(outer, [x]);
    rule.finish().unwrap();
    let text = |seed: u64, cases: &[u64]| {
        let mut host = host();
        let config = Config::default().seed(seed);
        let generator = IrGenerator::new(&[&rules], &mut host, &Natives::new(), &config).unwrap();
        cases.iter().for_each(|&case| generator.generate(case, &mut host));
        host.module.print(&host.context, ir::PrintOptions::new())
    };
    assert_eq!(text(1, &[5]), text(1, &[0, 9, 2, 5]));
    assert_ne!(text(1, &[5]), text(2, &[5]));
    assert_ne!(text(1, &[5]), text(1, &[6]));
}

/// MLIR reads and verifies generated modules with operations of `arith`, `func` and `cf`.
#[test]
fn mlir_accepts_generated_modules() {
    let (Some(sources), Some(opt)) = (llvm_sources(), common::llvm_tool("mlir-opt")) else { return };
    let rules = load(
        &sources.join("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td"),
        vec![sources.join("mlir/include")],
        Vec::new(),
    );
    let mut host = host();
    let natives = drrvm::natives::all();
    let generator = IrGenerator::new(&[&rules], &mut host, &natives, &Config::default().seed(3)).unwrap();
    let mut text = String::new();
    for case in 0..200 {
        generator.generate(case, &mut host);
        text += &host.module.print(&host.context, ir::PrintOptions::new().generic(true));
        text += "// -----\n";
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated.mlir");
    std::fs::write(&file, text).unwrap();
    let output = std::process::Command::new(opt)
        .args(["--allow-unregistered-dialect", "--split-input-file", "-o", "/dev/null"])
        .arg(&file)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}", stderr.lines().take(20).collect::<Vec<_>>().join("\n"));
}
