//! Where MLIR's byte code does not do what the `pdl` dialect documents: we do.
//!
//! Each test states the documented meaning and says what MLIR makes of the same case, where it is
//! installed.
#![cfg(feature = "conformance")]
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "tests")]

mod common;
#[path = "common/pdl_pass.rs"]
mod pdl_pass;

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

/// A value is one value, however often the pattern names it.
#[test]
fn one_result_used_twice_is_one_value() {
    let patterns = r#"
pdl.pattern : benefit(1) {
  %t = type
  %inner = operation "t.inner" -> (%t : !pdl.type)
  %x = result 0 of %inner
  %root = operation "t.root"(%x, %x : !pdl.value, !pdl.value)
  rewrite %root {
    %new = operation "u.same"
    erase %root
  }
}
"#;
    let ir = r#"
%x = "t.inner"() : () -> i32
%y = "t.inner"() : () -> i32
"t.root"(%x, %x) : (i32, i32) -> ()
"t.root"(%x, %y) : (i32, i32) -> ()
"#;
    assert_eq!(unlike_mlir(patterns, ir), ["t.inner", "t.inner", "u.same", "t.root"]);
}

/// As is a range of types, for operands and results.
#[test]
fn one_list_of_types_used_twice_is_one_list() {
    let patterns = r#"
pdl.pattern : benefit(1) {
  %ts = types
  %xs = operands : %ts
  %root = operation "t.root"(%xs : !pdl.range<value>) -> (%ts : !pdl.range<type>)
  rewrite %root {
    %new = operation "u.same"(%xs : !pdl.range<value>) -> (%ts : !pdl.range<type>)
    replace %root with %new
  }
}
"#;
    let ir = r#"
%x:2 = "t.inner"() : () -> (i32, i64)
%a:2 = "t.root"(%x#0, %x#1) : (i32, i64) -> (i32, i64)
%b:2 = "t.root"(%x#0, %x#1) : (i32, i64) -> (i64, i32)
%c = "t.root"(%x#0, %x#1) : (i32, i64) -> i32
"t.use"(%a#0, %b#0, %c) : (i32, i64, i32) -> ()
"#;
    assert_eq!(unlike_mlir(patterns, ir), ["t.inner", "u.same", "t.root", "t.root", "t.use"]);
}

/// As are all results of an operation.
#[test]
fn all_results_used_twice_are_one_range() {
    let patterns = r#"
pdl.pattern : benefit(1) {
  %t = type
  %ts = types
  %inner = operation "t.inner" -> (%ts : !pdl.range<type>)
  %xs = results of %inner
  %a = operation "t.middle"(%xs : !pdl.range<value>) -> (%t : !pdl.type)
  %b = operation "t.middle"(%xs : !pdl.range<value>) -> (%t : !pdl.type)
  %x = result 0 of %a
  %y = result 0 of %b
  %root = operation "t.root"(%x, %y : !pdl.value, !pdl.value)
  rewrite %root {
    %new = operation "u.both"
    erase %root
  }
}
"#;
    let ir = r#"
%x:2 = "t.inner"() : () -> (i32, i32)
%y:2 = "t.inner"() : () -> (i32, i32)
%a = "t.middle"(%x#0, %x#1) : (i32, i32) -> i32
%b = "t.middle"(%x#0, %x#1) : (i32, i32) -> i32
%c = "t.middle"(%y#0, %y#1) : (i32, i32) -> i32
"t.root"(%a, %b) : (i32, i32) -> ()
"t.root"(%a, %c) : (i32, i32) -> ()
"#;
    let same = ["t.inner", "t.inner", "t.middle", "t.middle", "t.middle", "u.both", "t.root"];
    assert_eq!(unlike_mlir(patterns, ir), same);
}

/// An operation that MLIR knows nothing of has its open group where the pattern says it is; MLIR takes
/// it to be the last one.
#[test]
fn one_open_group_takes_what_the_others_leave() {
    let patterns = r#"
pdl.pattern : benefit(1) {
  %first = operands
  %last = operand
  %root = operation "t.root"(%first, %last : !pdl.range<value>, !pdl.value)
  rewrite %root {
    %new = operation "u.split"(%last, %first : !pdl.value, !pdl.range<value>)
    erase %root
  }
}
"#;
    let ir = r#"
%x = "t.x"() : () -> i32
"t.root"() : () -> ()
"t.root"(%x) : (i32) -> ()
"t.root"(%x, %x, %x) : (i32, i32, i32) -> ()
"#;
    assert_eq!(unlike_mlir(patterns, ir), ["t.x", "t.root", "u.split", "u.split"]);
}

/// No results are a range as well, once the operation is known.
#[test]
fn no_results_are_an_empty_range() {
    let patterns = r#"
pdl.pattern : benefit(1) {
  %x = operand
  %t = type
  %ts = types
  %inner = operation "t.inner" -> (%t, %ts : !pdl.type, !pdl.range<type>)
  %first = result 0 of %inner
  %rest = results 1 of %inner -> !pdl.range<value>
  %other = operation "t.other"(%first, %x : !pdl.value, !pdl.value)
  %root = operation "t.root"(%x, %rest : !pdl.value, !pdl.range<value>)
  rewrite %other {
    %s = apply_native_rewrite "creator"(%root : !pdl.operation) : !pdl.operation
    erase %other
  }
}
"#;
    let ir = r#"
%x = "t.x"() : () -> i32
%i = "t.inner"() : () -> i32
"t.root"(%x) : (i32) -> ()
"t.other"(%i, %x) : (i32, i32) -> ()
"#;
    assert_eq!(unlike_mlir(patterns, ir), ["t.x", "t.inner", "t.root"]);
}

/// An attribute whose type is asked for has one.
#[test]
fn an_attribute_without_a_type_has_not_just_any() {
    let patterns = r#"
pdl.pattern : benefit(1) {
  %t = type
  %v = attribute : %t
  %root = operation "t.root" {"v" = %v}
  rewrite %root {
    %new = operation "u.typed" {"v" = %v}
    erase %root
  }
}
"#;
    let ir = r#"
"t.root"() {v = 1 : i32} : () -> ()
"t.root"() {v = unit} : () -> ()
"#;
    assert_eq!(unlike_mlir(patterns, ir), ["u.typed", "t.root"]);
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
