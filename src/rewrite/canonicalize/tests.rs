//! Most expected results are those of `mlir-opt -canonicalize`. `tests/it/rewrite/canonicalize.rs` compares the results
//! for other inputs with those of this command.

use std::sync::Arc;

use super::*;
use crate::compile;
use crate::host::{Ir, Natives, NoListener};
use crate::ir::{IrHost, PrintOptions, verify};
use crate::pdl::RuleSet;
use crate::rewrite::report::Limit;
use crate::rewrite::test_module::host;
use crate::vm::{LinkOptions, Matcher};

/// Canonicalises a module. Returns the lines of the result, without those of the module itself, and the report.
fn run(text: &str, config: &Canonicalization) -> (Vec<String>, Report) {
    run_with(text, config, &Natives::new())
}

fn run_with(text: &str, config: &Canonicalization, natives: &Natives<IrHost>) -> (Vec<String>, Report) {
    let mut host = host(text);
    let is_valid = !verify(&host.context, &host.module).has_errors();
    let program = Arc::new(compile::program(&RuleSet::default()).expect("no rules"));
    let matcher = Matcher::link(program, &mut host, natives, &LinkOptions::default()).expect("linked");
    let top = host.module.top();
    let report = canonicalize(&mut host, top, &matcher, config, &mut NoListener);
    let printed = host.module.print(&host.context, PrintOptions::new().generic(true));
    assert!(!is_valid || !verify(&host.context, &host.module).has_errors(), "{printed}");
    let lines = printed.lines().map(|line| line.trim().to_owned());
    (lines.filter(|line| !line.contains("builtin.module") && line != "}) : () -> ()").collect(), report)
}

fn default(text: &str) -> Vec<String> {
    run(text, &Canonicalization::default()).0
}

/// The operations that are left can still be folded, so the report names the limit.
#[test]
fn a_limit_of_rewrites_is_reported_if_folds_are_left() {
    let text = r#"
        %0 = "arith.constant"() {value = 1 : i32} : () -> i32
        %1 = "arith.addi"(%0, %0) : (i32, i32) -> i32
        %2 = "arith.addi"(%1, %0) : (i32, i32) -> i32
        %3 = "arith.addi"(%2, %0) : (i32, i32) -> i32
        "t.use"(%3) : (i32) -> ()"#;
    let limited = |max| {
        let config = Canonicalization::default().driver(Config::default().max_rewrites(Some(max)));
        run(text, &config).1.not_converged.map(|stopped| stopped.limit)
    };
    assert_eq!(limited(1), Some(Limit::Rewrites(1)));
    assert_eq!(limited(3), None);
}

/// Folds one operation of `arith` on constants.
fn fold(operands: &[&str], op: &str, attributes: &str, result: &str) -> String {
    let mut text = String::new();
    let (mut names, mut types) = (Vec::new(), Vec::new());
    for (index, operand) in operands.iter().enumerate() {
        let ty = match *operand {
            "true" | "false" => "i1",
            typed => typed.rsplit(" : ").next().expect("a type"),
        };
        text += &format!("%{index} = \"arith.constant\"() {{value = {operand}}} : () -> {ty}\n");
        names.push(format!("%{index}"));
        types.push(ty);
    }
    let (names, types) = (names.join(", "), types.join(", "));
    text += &format!("%r = \"arith.{op}\"({names}) {attributes} : ({types}) -> {result}\n");
    text += &format!("\"t.use\"(%r) : ({result}) -> ()");
    let lines = default(&text);
    let constant = lines.iter().find_map(|line| line.split_once("value = "));
    match constant {
        Some((_, value)) if lines.len() == 2 => value.split("}>").next().unwrap_or(value).to_owned(),
        _ => "not folded".to_owned(),
    }
}

#[test]
fn constants_are_folded() {
    for (operands, op, attributes, result, want) in [
        (&["100 : i8", "100 : i8"][..], "addi", "", "i8", "-56 : i8"),
        (&["-128 : i8", "-1 : i8"], "divsi", "", "i8", "not folded"),
        (&["-128 : i8", "-1 : i8"], "remsi", "", "i8", "0 : i8"),
        (&["-128 : i8", "3 : i8"], "ceildivsi", "", "i8", "not folded"),
        (&["-7 : i8", "2 : i8"], "ceildivsi", "", "i8", "-3 : i8"),
        (&["-7 : i8", "2 : i8"], "floordivsi", "", "i8", "-4 : i8"),
        (&["1 : i8", "8 : i8"], "shli", "", "i8", "not folded"),
        (
            &["dense<[2, -1]> : tensor<2xi8>", "dense<[-1, 1]> : tensor<2xi8>"],
            "shli",
            "",
            "tensor<2xi8>",
            "dense<[0, -2]> : tensor<2xi8>",
        ),
        (
            &["dense<[1, 2]> : vector<2xi8>", "dense<[3, 2]> : vector<2xi8>"],
            "addi",
            "",
            "vector<2xi8>",
            "dense<4> : vector<2xi8>",
        ),
        (&["5 : i8", "6 : i8"], "cmpi", "{predicate = 2 : i64}", "i1", "true"),
        (&["-1 : i8"], "extui", "", "i16", "255 : i16"),
        (&["1.0 : f64"], "truncf", "", "f32", "1.000000e+00 : f32"),
        (&["0.1 : f64"], "truncf", "", "f32", "not folded"),
        (&["0x7E01 : f16"], "extf", "", "f32", "0x7FC02000 : f32"),
        (&["0x7D01 : f16"], "extf", "", "f32", "not folded"),
        (&["0x7F : f8E4M3FN"], "extf", "", "f32", "0x7FF00000 : f32"),
        (&["0xFF : f8E4M3FN"], "extf", "", "f80", "0xFFFFF000000000000000 : f80"),
        (&["0x80 : f8E4M3B11FNUZ"], "extf", "", "f64", "0x7FF8000000000000 : f64"),
        (&["0xFE00 : f16"], "truncf", "", "f8E4M3FN", "not folded"),
        (&["0xFE00 : f16"], "truncf", "", "f8E5M2", "0xFE : f8E5M2"),
        (&["0x7E01 : f16"], "truncf", "", "f8E5M2", "not folded"),
        (&["0x3FE01 : tf32"], "truncf", "", "f16", "0x7E01 : f16"),
        (&["7.5 : f32", "2.0 : f32"], "remf", "", "f32", "1.500000e+00 : f32"),
        (&["0x7FC00000 : f32", "2.0 : f32"], "maxnumf", "", "f32", "2.000000e+00 : f32"),
        (&["300.0 : f32"], "fptosi", "", "i8", "not folded"),
        (&["1.0 : f32"], "bitcast", "", "i32", "1065353216 : i32"),
    ] {
        assert_eq!(fold(operands, op, attributes, result), want, "{op} {operands:?}");
    }
}

#[test]
fn constants_go_to_the_right_and_to_the_start() {
    let text = r#"
        %x = "t.def"() : () -> i32
        %c = "arith.constant"() {value = 3 : i32} : () -> i32
        %a = "arith.addi"(%c, %x) : (i32, i32) -> i32
        %d = "arith.constant"() {value = 3 : i32} : () -> i32
        %b = "arith.muli"(%a, %d) : (i32, i32) -> i32
        "t.use"(%b) : (i32) -> ()
    "#;
    assert_eq!(
        default(text),
        [
            r#"%0 = "arith.constant"() <{value = 3 : i32}> : () -> i32"#,
            r#"%1 = "t.def"() : () -> i32"#,
            r#"%2 = "arith.addi"(%1, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32"#,
            r#"%3 = "arith.muli"(%2, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32"#,
            r#""t.use"(%3) : (i32) -> ()"#,
        ]
    );
}

/// A loop with an argument that is used only to compute its own next value.
const DEAD_LOOP: &str = r#"
    "t.f"() ({
      %x = "t.def"() : () -> i32
      "cf.br"(%x)[^bb1] : (i32) -> ()
    ^bb1(%i: i32):
      %n = "arith.addi"(%i, %i) : (i32, i32) -> i32
      %go = "t.go"() : () -> i1
      "cf.cond_br"(%go, %n)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
    ^bb2:
      "t.end"() : () -> ()
    }) : () -> ()
"#;

#[test]
fn arguments_that_only_feed_themselves_are_removed() {
    let normal = default(DEAD_LOOP);
    assert!(normal.contains(&r#""cf.br"()[^bb1] : () -> ()"#.to_owned()), "{normal:#?}");
    assert!(!normal.iter().any(|line| line.contains("addi")), "{normal:#?}");
    let config = Canonicalization::default().region_simplification(RegionSimplification::Disabled);
    assert!(run(DEAD_LOOP, &config).0.iter().any(|line| line.contains("addi")));
}

#[test]
fn equal_blocks_are_merged_only_if_requested() {
    let text = r#"
        "t.f"() ({
          %a, %b = "t.def"() : () -> (i32, i32)
          "t.branch"()[^bb1, ^bb2] : () -> ()
        ^bb1:
          "t.end"(%a) : (i32) -> ()
        ^bb2:
          "t.end"(%a) : (i32) -> ()
        ^bb3:
          "t.end"(%b) : (i32) -> ()
        }) : () -> ()
    "#;
    let blocks = |lines: Vec<String>| lines.iter().filter(|line| line.starts_with('^')).count();
    assert_eq!(blocks(default(text)), 2);
    let config = Canonicalization::default().region_simplification(RegionSimplification::Aggressive);
    assert_eq!(blocks(run(text, &config).0), 1);
}

#[test]
fn branches_on_constants_disappear() {
    let text = r#"
        "t.f"() ({
          %true = "arith.constant"() {value = true} : () -> i1
          %x, %y = "t.def"() : () -> (i32, i32)
          "cf.cond_br"(%true, %x, %y)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
        ^bb1(%a: i32):
          "cf.br"(%a)[^bb3] : (i32) -> ()
        ^bb2(%b: i32):
          "cf.br"(%b)[^bb3] : (i32) -> ()
        ^bb3(%c: i32):
          "t.end"(%c) : (i32) -> ()
        }) : () -> ()
    "#;
    assert_eq!(
        default(text),
        [r#""t.f"() ({"#, r#"%0:2 = "t.def"() : () -> (i32, i32)"#, r#""t.end"(%0#0) : (i32) -> ()"#,]
    );
    let config = Canonicalization::default()
        .disable_patterns(vec!["SimplifyConstCondBranchPred".into(), "SimplifyPassThroughCondBranch".into()]);
    assert!(run(text, &config).0.iter().any(|line| line.contains("cf.cond_br")));
    let config = Canonicalization::default().filter_dialects(vec!["arith".into()]);
    assert!(run(text, &config).0.iter().any(|line| line.contains("cf.br")));
}

#[test]
fn malformed_branches_stay() {
    for text in [
        r#""t.f"() ({ "cf.br"() : () -> () }) : () -> ()"#,
        r#""t.f"() ({ %c = "t.c"() : () -> i1
           "cf.cond_br"(%c)[^bb1, ^bb1] <{operandSegmentSizes = array<i32: 1, 9, 0>}> : (i1) -> ()
         ^bb1: "t.end"() : () -> () }) : () -> ()"#,
        r#""t.f"() ({ %c = "t.c"() : () -> i32
           "cf.switch"(%c)[^bb1] <{case_values = dense<1> : vector<1xi32>, case_operand_segments = array<i32>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
         ^bb1: "t.end"() : () -> () }) : () -> ()"#,
    ] {
        let before = text.matches("\"cf.").count();
        assert_eq!(default(text).iter().filter(|line| line.contains("\"cf.")).count(), before, "{text}");
    }
}

#[test]
fn natives_canonicalize_and_refuse() {
    let natives = Natives::new()
        .canonicalize("t.copy", "Refuses", |rewriter: &mut Rewriter<'_, IrHost>, op| {
            let state = OpState {
                name: rewriter.host().op_name(op),
                operands: &[],
                result_types: &[],
                attributes: &[],
                regions: 0,
                location: rewriter.host().location(op),
            };
            rewriter.create(&state)?;
            Err(Refusal::new("nothing that it made remains"))
        })
        .canonicalize("t.copy", "RemoveCopy", |rewriter: &mut Rewriter<'_, IrHost>, op| {
            let from = rewriter.host().operand(op, 0);
            rewriter.replace(op, &[from])?;
            Ok(true)
        });
    let text = r#"
        %0 = "t.def"() : () -> i32
        %1 = "t.copy"(%0) : (i32) -> i32
        "t.use"(%1) : (i32) -> ()
    "#;
    let expected = [r#"%0 = "t.def"() : () -> i32"#, r#""t.use"(%0) : (i32) -> ()"#];
    let (lines, report) = run_with(text, &Canonicalization::default(), &natives);
    assert_eq!((&lines[..], report.by_functions), (&expected.map(str::to_owned)[..], 1));
    let config = Canonicalization::default().disable_patterns(vec!["RemoveCopy".into()]);
    assert_eq!(run_with(text, &config, &natives).1.by_functions, 0);
}

#[test]
fn chained_casts_of_tensors_and_memrefs_are_merged() {
    let chain = |name: &str, types: [&str; 3]| {
        let [from, between, to] = types;
        default(&format!(
            "%0 = \"t.in\"() : () -> {from}\n%1 = \"{name}\"(%0) : ({from}) -> {between}\n\
             %2 = \"{name}\"(%1) : ({between}) -> {to}\n\"t.use\"(%2) : ({to}) -> ()"
        ))
    };
    let casts = |lines: &[String]| lines.iter().filter(|line| line.contains(".cast\"")).count();
    // The second cast converts back to the original type.
    assert_eq!(casts(&chain("memref.cast", ["memref<2xi8>", "memref<?xi8>", "memref<2xi8>"])), 0);
    assert_eq!(casts(&chain("tensor.cast", ["tensor<2xi8>", "tensor<?xi8>", "tensor<2xi8>"])), 0);
    assert_eq!(casts(&chain("tensor.cast", ["tensor<?xi8>", "tensor<?xi8>", "tensor<?xi8>"])), 0);
    // The type between the casts states less than the other two types.
    assert_eq!(casts(&chain("memref.cast", ["memref<2x?xi8>", "memref<?x?xi8>", "memref<?x4xi8>"])), 1);
    assert_eq!(casts(&chain("tensor.cast", ["tensor<2x?xi8>", "tensor<*xi8>", "tensor<?x4xi8>"])), 1);
    // The type between the casts states a size that the other types do not, so the first cast is a check.
    assert_eq!(casts(&chain("tensor.cast", ["tensor<?xi8>", "tensor<2xi8>", "tensor<?xi8>"])), 2);
    // The operand of the first cast is unranked.
    assert_eq!(casts(&chain("memref.cast", ["memref<*xi8>", "memref<2xi8>", "memref<?xi8>"])), 2);
}
