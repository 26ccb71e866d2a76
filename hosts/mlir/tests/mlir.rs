//! Tests the host for MLIR's IR: the conformance kit passes, floats are read exactly, and the drivers give the same
//! results as on the built-in IR. The drivers run MLIR's rules for `arith` on MLIR's own tests, and the conversion of
//! an example on its input. MLIR's verifier must accept the results.
#![cfg(mlir)]

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use drrvm::Program;
use drrvm::compile;
use drrvm::conformance::Kit;
use drrvm::host::{Bind, Blocks, Facets, Ir, IrMut, NoListener, WalkOrder};
use drrvm::ir::{Context, IrHost, PrintOptions, parse_module};
use drrvm::natives;
use drrvm::rewrite::{
    Canonicalization, Config, Conversion, ConversionMode, ConversionTarget, TypeConverter, apply_greedily,
    canonicalize, convert,
};
use drrvm::source::SourceMap;
use drrvm::vm::{LinkOptions, Matcher};
use drrvm_mlir::MlirHost;

use common::sources;

#[test]
fn host_conforms_to_the_built_in_ir() {
    let kit = Kit::new(|own: &IrHost| {
        let text = own.module.print(&own.context, PrintOptions::new().generic(true));
        MlirHost::parse(&text)
    });
    let report = kit.corpus().blocks().report();
    println!("{report}");
    assert!(report.passed(), "{report}");
    assert!(report.compared.len() > 5 * report.skipped.len(), "{report}");
}

/// The same module on both hosts.
struct Both {
    mlir: MlirHost,
    mlir_top: <MlirHost as Ir>::Op,
    own: IrHost,
    text: String,
}

impl Both {
    /// Reads a module. Returns `None` if MLIR does not accept it.
    fn parse(text: &str) -> Option<Self> {
        let (mlir, mlir_top) = MlirHost::parse(text)?;
        let text = mlir.print(mlir_top);
        let mut files = SourceMap::default();
        let file = files.add("module", text.as_str()).expect("the module is small");
        let mut context = Context::new();
        let Ok(module) = parse_module(&mut context, files.file(file)) else {
            panic!("the built-in IR rejects the text of MLIR:\n{text}")
        };
        Some(Self { mlir, mlir_top, own: IrHost::new(context, module), text })
    }

    fn assert_same(&self) {
        let printed = self.own.module.print(&self.own.context, PrintOptions::new().generic(true));
        let (again, top) = MlirHost::parse(&printed).expect("MLIR accepts the text of the built-in IR");
        let ours = self.mlir.print(self.mlir_top);
        assert_eq!(ours, again.print(top), "{}", self.text);
        assert!(self.mlir.verify(self.mlir_top), "not valid any more:\n{ours}");
    }
}

fn program(rules: PathBuf, include_dirs: Vec<PathBuf>) -> Arc<Program> {
    let options = compile::Options { include_dirs, ..Default::default() };
    let mut files = SourceMap::default();
    let (rules, _) = compile::rules(&mut files, &[rules], &options).expect("the rules load");
    Arc::new(compile::program(&rules).expect("the rules compile"))
}

fn link<H: Facets + Bind>(host: &mut H, program: &Arc<Program>) -> Matcher<H> {
    let linked = Matcher::link(Arc::clone(program), host, &natives::all(), &LinkOptions::default());
    linked.unwrap_or_else(|error| panic!("{:?}", error.diagnostics()))
}

/// Runs a driver on both hosts, for each module of a test of MLIR. Returns the number of rewrites, and the number of
/// modules that changed.
fn compare(
    test: &Path,
    on_mlir: impl Fn(&mut MlirHost, <MlirHost as Ir>::Op) -> u64,
    on_own: impl Fn(&mut IrHost, <IrHost as Ir>::Op) -> u64,
) -> (u64, usize) {
    let test = std::fs::read_to_string(test).expect("the test exists");
    let (mut rewrites, mut changed) = (0, 0);
    for mut both in test.split("// -----").filter_map(Both::parse) {
        let theirs = on_mlir(&mut both.mlir, both.mlir_top);
        let top = both.own.module.top();
        let ours = on_own(&mut both.own, top);
        assert_eq!(theirs, ours, "{}", both.text);
        both.assert_same();
        rewrites += ours;
        changed += usize::from(both.mlir.print(both.mlir_top) != both.text);
    }
    println!("{rewrites} rewrites, {changed} modules changed");
    (rewrites, changed)
}

/// Rewrites the operations inside `root`; returns the number of rewrites.
fn rewrite<H: Facets + IrMut>(host: &mut H, root: H::Op, program: &Arc<Program>) -> u64 {
    let matcher = link(host, program);
    let report = apply_greedily(host, root, &matcher, &Config::default(), &mut NoListener);
    assert!(report.not_converged.is_none());
    report.rewrites
}

#[test]
fn arith_rules_give_the_same_result_on_mlirs_ir_and_the_built_in_ir() {
    let Some(root) = sources() else { return };
    let rules = root.join("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td");
    let program = &program(rules, vec![root.join("mlir/include")]);
    let test = root.join("mlir/test/Dialect/Arith/canonicalize.mlir");
    let (rewrites, _) =
        compare(&test, |mlir, top| rewrite(mlir, top, program), |own, top| rewrite(own, top, program));
    assert!(rewrites > 40);
}

fn canonicalized<H: Facets + Blocks>(host: &mut H, root: H::Op, program: &Arc<Program>) -> u64 {
    let matcher = link(host, program);
    canonicalize(host, root, &matcher, &Canonicalization::default(), &mut NoListener).rewrites
}

#[test]
fn canonicalisation_gives_the_same_result_on_mlirs_ir_and_the_built_in_ir() {
    let Some(root) = sources() else { return };
    let rules = root.join("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td");
    let program = &program(rules, vec![root.join("mlir/include")]);
    for (dialect, least) in [("Arith", 25), ("ControlFlow", 4)] {
        let test = root.join(format!("mlir/test/Dialect/{dialect}/canonicalize.mlir"));
        let (_, changed) = compare(
            &test,
            |mlir, top| canonicalized(mlir, top, program),
            |own, top| canonicalized(own, top, program),
        );
        assert!(changed >= least, "{changed}");
    }
}

/// Lowers the example's dialect of fixed-point numbers.
fn lower<H: Facets + Blocks>(host: &mut H, root: H::Op, program: &Arc<Program>) -> u64 {
    let matcher = link(host, program);
    let mut bind = |text| host.bind_type(text).expect("a type");
    let [num, complex, int] = ["!fix.num", "!fix.complex", "i32"].map(&mut bind);
    let types = TypeConverter::new().map(num, [int]).map(complex, [int, int]);
    let target = ConversionTarget::new().legal_dialect("arith").illegal_dialect("fix");
    let conversion = Conversion::new(target).types(types).mode(ConversionMode::Full);
    let report = convert(host, root, Some(&matcher), &conversion, &mut NoListener);
    report.unwrap_or_else(|error| panic!("{error}")).applied
}

#[test]
fn a_conversion_gives_the_same_result_on_mlirs_ir_and_the_built_in_ir() {
    let Some(root) = sources() else { return };
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/lowering/fixed");
    let program = &program(example.join("rules.td"), vec![root.join("mlir/include"), example.clone()]);
    let input = example.join("input.mlir");
    let (applied, _) =
        compare(&input, |mlir, top| lower(mlir, top, program), |own, top| lower(own, top, program));
    assert!(applied >= 8, "{applied}");
}

#[test]
fn floats_of_several_formats_are_read_exactly() {
    let text = "
        %0 = \"arith.constant\"() <{value = 0x3FFF8000000000000001 : f80}> : () -> f80
        %1 = \"arith.constant\"() <{value = 0x3FFF0000000000000000000000000001 : f128}> : () -> f128
        %2 = \"arith.constant\"() <{value = 0xC0490FDB : f32}> : () -> f32
        %3 = \"arith.constant\"() <{value = 0x7E01 : f16}> : () -> f16
        %4 = \"arith.constant\"() <{value = 0xBF81 : bf16}> : () -> bf16";
    let (mut host, top) = MlirHost::parse(text).expect("MLIR accepts the module");
    let name = host.bind_attr_name("value");
    let mut bits = Vec::new();
    host.walk(top, WalkOrder::Pre, &mut |op| {
        let value = host.attr(op, name).and_then(|value| host.attr_float(value));
        bits.extend(value.map(|float| float.to_bits()));
    });
    let expected = [0x3FFF_8000_0000_0000_0001, (0x3FFF << 112) + 1, 0xC049_0FDB, 0x7E01, 0xBF81];
    assert_eq!(bits, expected);
}
