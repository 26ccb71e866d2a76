//! Tests of cases in which drrvm follows the documentation of the `pdl` dialect and MLIR's PDL byte code does not.
//!
//! Most such cases are in `tests/corpus`, marked `unlike mlir`. The case in this file is generated, because it is
//! large.

use crate::common;
use crate::common::pdl_pass;

use std::fmt::Write;

use pdl_pass::{Case, canonical, ours, theirs};

/// Returns the names of the operations in drrvm's result, and of those in MLIR's result if MLIR is installed and does
/// not crash. Only names that start with `t.` or `u.` are listed.
fn result_names(case: &Case) -> (Vec<String>, Option<Vec<String>>) {
    let names = |text: &str| -> Vec<String> {
        let ops = text.lines().filter_map(|line| Some(line.trim().split_once('"')?.1.split_once('"')?.0));
        ops.filter(|name| name.starts_with("t.") || name.starts_with("u.")).map(str::to_owned).collect()
    };
    let theirs = common::llvm_tool("mlir-opt")
        .and_then(|opt| theirs(&opt, 0, std::slice::from_ref(case)).remove(&0))
        .map(|text| names(&canonical(&text)));
    (names(&ours(0, case).0), theirs)
}

/// Returns the names of the operations in drrvm's result, which must differ from those in MLIR's result.
fn unlike_mlir(patterns: &str, ir: &str) -> Vec<String> {
    let case = Case { patterns: patterns.to_owned(), ir: ir.to_owned() };
    let (ours, theirs) = result_names(&case);
    if let Some(theirs) = theirs {
        assert_ne!(ours, theirs, "MLIR gives the same result now, so the case no longer belongs here");
    }
    ours
}

/// A rule set may have more than 65,536 constants.
#[test]
fn more_constants_than_16_bits_can_count() {
    let (rules, each) = (700u32, 100u32);
    let mut patterns = String::new();
    let attrs = |rule: u32| (0..each).map(move |i| (i, rule * each + i));
    for rule in 0..rules {
        writeln!(patterns, "pdl.pattern : benefit({rule}) {{").unwrap();
        let mut names = Vec::new();
        for (i, value) in attrs(rule) {
            writeln!(patterns, "  %{i} = attribute = {value} : i64").unwrap();
            names.push(format!("\"a{i}\" = %{i}"));
        }
        let names = names.join(", ");
        writeln!(patterns, "  %root = operation \"t.root\" {{{names}}}\n  rewrite %root {{").unwrap();
        writeln!(patterns, "    %new = operation \"u.{rule}\"\n    erase %root\n  }}\n}}").unwrap();
    }
    let mut ir = String::new();
    let mut expected = Vec::new();
    for rule in (0..rules).step_by(23) {
        for wrong in [false, true] {
            let value = |(i, value): (u32, u32)| {
                let off = if wrong && i == rule % each { 65_536 } else { 0 };
                format!("a{i} = {} : i64", (value + off) % 131_072)
            };
            let attrs: Vec<String> = attrs(rule).map(value).collect();
            writeln!(ir, "\"t.root\"() {{{}}} : () -> ()", attrs.join(", ")).unwrap();
            expected.push(if wrong { "t.root".to_owned() } else { format!("u.{rule}") });
        }
    }
    assert_eq!(unlike_mlir(&patterns, &ir), expected);
}
