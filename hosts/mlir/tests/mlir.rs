//! Compares rewriting of MLIR's IR with that of the built-in IR, with MLIR's rules for `arith` on MLIR's own
//! test; MLIR's verifier must accept the result.
#![cfg(mlir)]

mod common;

use std::sync::Arc;

use drrvm::Program;
use drrvm::compile;
use drrvm::conformance::Kit;
use drrvm::host::{Bind, Facets, Ir, IrMut, NoListener, WalkOrder};
use drrvm::ir::{Context, IrHost, PrintOptions, parse_module};
use drrvm::natives;
use drrvm::rewrite::{Config, apply_greedily};
use drrvm::source::SourceMap;
use drrvm::vm::{LinkOptions, Matcher};
use drrvm_mlir::MlirHost;

use common::sources;

/// Rewrites the operations inside `root`; returns the number of rewrites.
fn rewrite<H: Facets + IrMut>(host: &mut H, root: H::Op, program: &Arc<Program>) -> u64 {
    let linked = Matcher::link(Arc::clone(program), host, &natives::all(), &LinkOptions::default());
    let matcher = linked.unwrap_or_else(|error| panic!("{:?}", error.diagnostics()));
    let report = apply_greedily(host, root, &matcher, &Config::default(), &mut NoListener);
    assert!(report.not_converged.is_none());
    report.rewrites
}

#[test]
fn host_conforms_to_the_built_in_ir() {
    let kit = Kit::new(|own: &IrHost| {
        let text = own.module.print(&own.context, PrintOptions::new().generic(true));
        MlirHost::parse(&text)
    });
    let report = kit.corpus().blocks().report();
    println!("{report}");
    assert!(report.is_right(), "{report}");
    assert!(report.compared.len() > 5 * report.passed_over.len(), "{report}");
}

#[test]
fn arith_rules_give_the_same_result_on_mlirs_ir_and_the_built_in_ir() {
    let Some(root) = sources() else { return };
    let rules = root.join("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td");
    let options = compile::Options { include_dirs: vec![root.join("mlir/include")], ..Default::default() };
    let mut files = SourceMap::default();
    let (rules, _) = compile::rules(&mut files, &[rules], &options).expect("MLIR's rules load");
    let program = Arc::new(compile::program(&rules).expect("the rules compile"));

    let test = root.join("mlir/test/Dialect/Arith/canonicalize.mlir");
    let test = std::fs::read_to_string(test).expect("the test exists");
    let (mut chunks, mut rewrites) = (0, 0);
    for chunk in test.split("// -----") {
        let Some((mut mlir, mlir_top)) = MlirHost::parse(chunk) else { continue };
        let text = mlir.print(mlir_top);
        let mut files = SourceMap::default();
        let file = files.add("chunk", text.as_str()).expect("the chunk is small");
        let mut context = Context::new();
        let Ok(module) = parse_module(&mut context, files.file(file)) else {
            panic!("the built-in IR rejects the text of MLIR:\n{text}")
        };
        let mut own = IrHost::new(context, module);

        let theirs = rewrite(&mut mlir, mlir_top, &program);
        assert!(mlir.verify(mlir_top), "not valid any more:\n{}", mlir.print(mlir_top));
        let top = own.module.top();
        let ours = rewrite(&mut own, top, &program);
        assert_eq!(theirs, ours, "{text}");

        let printed = own.module.print(&own.context, PrintOptions::new().generic(true)).to_string();
        let (again, again_top) = MlirHost::parse(&printed).expect("MLIR accepts the text of the built-in IR");
        assert_eq!(mlir.print(mlir_top), again.print(again_top));
        chunks += 1;
        rewrites += ours;
    }
    println!("{chunks} modules, {rewrites} rewrites");
    assert!(rewrites > 40);
}

#[test]
fn floats_of_all_formats_are_read_exactly() {
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
