//! Tests rules with several roots that are connected in unusual ways, and compares the results with MLIR's PDL byte
//! code.
//!
//! The random rules of `differential` also have several roots, but these roots are seldom connected in such ways.
//! Without MLIR, the results are only compared with the expected operations.

use crate::common;
use crate::common::pdl_pass;

use pdl_pass::{Case, canonical, ours, theirs};

/// Checks the names `u.…` of the created operations, and that MLIR gives the same result.
fn check(patterns: &str, ir: &str, expected: &[&str]) {
    let case = Case { patterns: patterns.to_owned(), ir: ir.to_owned() };
    let (text, rewrites) = ours(0, &case);
    let made: Vec<&str> =
        text.lines().filter_map(|line| line.split('"').find(|w| w.starts_with("u."))).collect();
    assert_eq!(made, expected, "{patterns}\n{text}");
    assert!(rewrites > 0 || expected.is_empty());
    let Some(opt) = common::llvm_tool("mlir-opt") else { return };
    let theirs = theirs(&opt, 0, std::slice::from_ref(&case)).remove(&0).expect("MLIR accepts the case");
    assert_eq!(text, canonical(&theirs), "{patterns}");
}

/// Returns a rule with the roots `a(x, y)`, `b(y, z)` and `c(z, x)`, any two of which share a value. `root` is the root
/// that the rewrite names.
fn cycle(root: &str, names: [&str; 3]) -> String {
    let [a, b, c] = names;
    format!(
        r#"
pdl.pattern : benefit(1) {{
  %x = operand
  %y = operand
  %z = operand
  %a = operation "{a}"(%x, %y : !pdl.value, !pdl.value)
  %b = operation "{b}"(%y, %z : !pdl.value, !pdl.value)
  %c = operation "{c}"(%z, %x : !pdl.value, !pdl.value)
  rewrite {root} {{
    %new = operation "u.cycle"(%x, %y, %z : !pdl.value, !pdl.value, !pdl.value)
    erase %a
    erase %b
    erase %c
  }}
}}
"#
    )
}

const PRODUCERS: &str = r#"
%x = "t.p"() : () -> i32
%y = "t.q"() : () -> i32
%z = "t.s"() : () -> i32
%w = "t.s"() : () -> i32
"#;

#[test]
fn three_roots_in_a_cycle() {
    for root in ["%a", "%b", "%c"] {
        let patterns = cycle(root, ["t.a", "t.b", "t.c"]);
        let whole = r#"
"t.a"(%x, %y) : (i32, i32) -> ()
"t.b"(%y, %z) : (i32, i32) -> ()
"t.c"(%z, %x) : (i32, i32) -> ()
"#;
        check(&patterns, &format!("{PRODUCERS}{whole}"), &["u.cycle"]);
        // `t.b` and `t.c` share no value, so the cycle is open.
        let open = r#"
"t.a"(%x, %y) : (i32, i32) -> ()
"t.b"(%y, %w) : (i32, i32) -> ()
"t.c"(%z, %x) : (i32, i32) -> ()
"#;
        check(&patterns, &format!("{PRODUCERS}{open}"), &[]);
        // The operations form two cycles, and each value has several users.
        let many = r#"
"t.b"(%y, %w) : (i32, i32) -> ()
"t.c"(%w, %x) : (i32, i32) -> ()
"t.a"(%x, %y) : (i32, i32) -> ()
"t.b"(%y, %z) : (i32, i32) -> ()
"t.c"(%z, %x) : (i32, i32) -> ()
"t.a"(%x, %y) : (i32, i32) -> ()
"#;
        check(&patterns, &format!("{PRODUCERS}{many}"), &["u.cycle", "u.cycle"]);
    }
}

/// All roots have the same name, so each operation can match any of them.
#[test]
fn roots_of_one_name() {
    let patterns = cycle("%a", ["t.a", "t.a", "t.a"]);
    let ir = r#"
"t.a"(%x, %y) : (i32, i32) -> ()
"t.a"(%y, %z) : (i32, i32) -> ()
"t.a"(%z, %x) : (i32, i32) -> ()
"#;
    check(&patterns, &format!("{PRODUCERS}{ir}"), &["u.cycle"]);
}

/// Each root of a chain shares a value only with its neighbours. The rewrite can name any root.
#[test]
fn a_chain_of_roots() {
    for root in ["%a", "%b", "%c", "%d"] {
        let patterns = format!(
            r#"
pdl.pattern : benefit(1) {{
  %x = operand
  %y = operand
  %z = operand
  %a = operation "t.a"(%x : !pdl.value)
  %b = operation "t.b"(%x, %y : !pdl.value, !pdl.value)
  %c = operation "t.c"(%y, %z : !pdl.value, !pdl.value)
  %d = operation "t.d"(%z : !pdl.value)
  rewrite {root} {{
    %new = operation "u.chain"(%x, %y, %z : !pdl.value, !pdl.value, !pdl.value)
    %l = apply_native_rewrite "creator"(%b : !pdl.operation) : !pdl.operation
    %m = apply_native_rewrite "creator"(%c : !pdl.operation) : !pdl.operation
    erase %a
    erase %d
  }}
}}
"#
        );
        let ir = r#"
"t.d"(%z) : (i32) -> ()
"t.c"(%y, %z) : (i32, i32) -> ()
"t.b"(%x, %y) : (i32, i32) -> ()
"t.a"(%x) : (i32) -> ()
"t.a"(%y) : (i32) -> ()
"t.d"(%z) : (i32) -> ()
"#;
        check(&patterns, &format!("{PRODUCERS}{ir}"), &["u.chain"]);
    }
}

/// `t.b` uses the shared value in a nested region, or the value is a block argument that `t.b` uses in another block.
#[test]
fn roots_in_different_blocks() {
    for (root, other) in [("%a", "%b"), ("%b", "%a")] {
        let patterns = format!(
            r#"
pdl.pattern : benefit(1) {{
  %x = operand
  %a = operation "t.a"(%x : !pdl.value)
  %b = operation "t.b"(%x : !pdl.value)
  rewrite {root} {{
    %new = operation "u.both"
    %k = apply_native_rewrite "creator"({other} : !pdl.operation) : !pdl.operation
    erase {root}
  }}
}}
"#
        );
        for (ir, count) in [
            (
                r#"
"t.a"(%x) : (i32) -> ()
"t.region"() ({
  "t.b"(%x) : (i32) -> ()
  "t.region"() ({
    "t.b"(%x) : (i32) -> ()
    "t.b"(%y) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"#,
                if root == "%a" { 1 } else { 2 },
            ),
            (
                r#"
"t.region"() ({
^bb0(%arg: i32):
  "t.a"(%arg) : (i32) -> ()
  "t.end"()[^bb1] : () -> ()
^bb1:
  "t.b"(%arg) : (i32) -> ()
  "t.end"()[^bb2] : () -> ()
^bb2:
  "t.end"() : () -> ()
}) : () -> ()
"#,
                1,
            ),
        ] {
            check(&patterns, &format!("{PRODUCERS}{ir}"), &vec!["u.both"; count]);
        }
    }
}

/// Roots that share two values; one root uses one of the values twice.
#[test]
fn roots_that_share_more_than_one_value() {
    let patterns = r#"
pdl.pattern : benefit(1) {
  %x = operand
  %y = operand
  %a = operation "t.a"(%x, %y, %x : !pdl.value, !pdl.value, !pdl.value)
  %b = operation "t.b"(%y, %x : !pdl.value, !pdl.value)
  rewrite %b {
    %new = operation "u.two"(%y : !pdl.value)
    %k = apply_native_rewrite "creator"(%a : !pdl.operation) : !pdl.operation
    erase %b
  }
}
"#;
    let ir = r#"
"t.a"(%x, %y, %x) : (i32, i32, i32) -> ()
"t.a"(%x, %z, %w) : (i32, i32, i32) -> ()
"t.b"(%y, %x) : (i32, i32) -> ()
"t.b"(%z, %x) : (i32, i32) -> ()
"t.b"(%y, %w) : (i32, i32) -> ()
"#;
    check(patterns, &format!("{PRODUCERS}{ir}"), &["u.two"]);
}

/// If roots share a range of values, one root is found from the other root through the first value of the range.
#[test]
fn roots_that_share_a_range() {
    let patterns = r#"
pdl.pattern : benefit(1) {
  %xs = operands
  %a = operation "t.a"(%xs : !pdl.range<value>)
  %b = operation "t.b"(%xs : !pdl.range<value>)
  rewrite %a {
    %new = operation "u.range"(%xs : !pdl.range<value>)
    %k = apply_native_rewrite "creator"(%b : !pdl.operation) : !pdl.operation
    erase %a
  }
}
"#;
    let ir = r#"
"t.a"(%x, %y) : (i32, i32) -> ()
"t.b"(%x) : (i32) -> ()
"t.b"(%x, %z) : (i32, i32) -> ()
"t.b"(%x, %y) : (i32, i32) -> ()
"t.a"(%y, %x) : (i32, i32) -> ()
"#;
    check(patterns, &format!("{PRODUCERS}{ir}"), &["u.range"]);
}
