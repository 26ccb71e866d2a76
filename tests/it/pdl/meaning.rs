//! Where MLIR's byte code does not do what the `pdl` dialect documents: we do.
//!
//! The cases of `tests/corpus` that say `unlike mlir` are such; here is what is too large to be written down.

use crate::common;
use crate::common::pdl_pass;

use std::fmt::Write;

use pdl_pass::{Case, canonical, ours, theirs};

/// The names of the operations that are left, and the same after MLIR, if it is there and survives.
fn left(case: &Case) -> (Vec<String>, Option<Vec<String>>) {
    let names = |text: &str| -> Vec<String> {
        let ops = text.lines().filter_map(|line| Some(line.trim().split_once('"')?.1.split_once('"')?.0));
        ops.filter(|name| name.starts_with("t.") || name.starts_with("u.")).map(str::to_owned).collect()
    };
    let theirs = common::llvm_tool("mlir-opt")
        .and_then(|opt| theirs(&opt, 0, std::slice::from_ref(case)).remove(&0))
        .map(|text| names(&canonical(&text)));
    (names(&ours(0, case).0), theirs)
}

/// What we make of a case; MLIR makes something else of it.
fn unlike_mlir(patterns: &str, ir: &str) -> Vec<String> {
    let case = Case { patterns: patterns.to_owned(), ir: ir.to_owned() };
    let (ours, theirs) = left(&case);
    if let Some(theirs) = theirs {
        assert_ne!(ours, theirs, "MLIR does the same by now: the case belongs to the random ones");
    }
    ours
}

/// A rule set may have more constants than 16 bits can count.
#[test]
fn more_constants_than_sixteen_bits_count() {
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
