//! Rewrites whose new operations use the results of the operation that they replace, compared with MLIR's PDL byte
//! code.
//!
//! MLIR makes such an operation use its own results. That is valid in a graph region; elsewhere MLIR's verifier rejects
//! the rewritten IR, and drrvm rolls the rewrite back.

use crate::common;
use crate::common::pdl_pass;

use pdl_pass::{Case, canonical, ours, theirs};

/// Returns a rule that replaces `t.a` by `%new`, which `body` creates. `%r` is the result of `t.a`.
fn replacing(body: &str) -> String {
    format!(
        r#"
pdl.pattern : benefit(1) {{
  %ty = type
  %x = operand
  %root = operation "t.a"(%x : !pdl.value) -> (%ty : !pdl.type)
  rewrite %root {{
    %r = result 0 of %root
{body}
    replace %root with %new
  }}
}}
"#
    )
}

const DIRECT: &str = r#"%new = operation "u.n"(%r, %x : !pdl.value, !pdl.value) -> (%ty : !pdl.type)"#;

const THROUGH_ANOTHER: &str = r#"
%m = operation "u.m"(%r : !pdl.value) -> (%ty : !pdl.type)
%s = result 0 of %m
%new = operation "u.n"(%s, %r : !pdl.value, !pdl.value) -> (%ty : !pdl.type)"#;

const USED: &str = r#"
%0 = "t.x"() : () -> i32
%1 = "t.a"(%0) : (i32) -> i32
"t.use"(%1) : (i32) -> ()
"#;

/// Two roots that use each other, and a root that uses itself.
const CYCLES: &str = r#"
%1 = "t.a"(%2) : (i32) -> i32
%2 = "t.a"(%1) : (i32) -> i32
%3 = "t.a"(%3) : (i32) -> i32
"#;

#[test]
fn a_replacement_in_a_graph_region_uses_its_own_results() {
    for body in [DIRECT, THROUGH_ANOTHER] {
        for (ir, rewrites) in [(USED, 1), (CYCLES, 3)] {
            let case = Case { patterns: replacing(body), ir: ir.to_owned() };
            let (text, done) = ours(0, &case);
            assert_eq!(done, rewrites, "{text}");
            assert!(!text.contains("t.a"), "{text}");
            let Some(opt) = common::llvm_tool("mlir-opt") else { continue };
            let theirs =
                theirs(&opt, 0, std::slice::from_ref(&case)).remove(&0).expect("MLIR accepts the case");
            assert_eq!(text, canonical(&theirs), "{body}");
        }
    }
}

#[test]
fn a_replacement_that_uses_the_root_is_rolled_back_in_an_ssa_region() {
    let ir = format!("func.func @f() {{{USED}func.return\n}}\n\"t.graph\"() ({{{USED}}}) : () -> ()\n");
    let case = Case { patterns: replacing(DIRECT), ir };
    let (text, done) = ours(0, &case);
    assert_eq!(done, 1, "{text}");
    let (function, graph) = text.split_once("t.graph").unwrap();
    assert!(function.contains("t.a") && graph.contains("u.n"), "{text}");
    let Some(opt) = common::llvm_tool("mlir-opt") else { return };
    let theirs = theirs(&opt, 0, &[case]).remove(&0).expect("MLIR accepts the case");
    let args = ["--allow-unregistered-dialect", "-"];
    let checked = common::pipe(&opt, &args, theirs.as_bytes());
    let errors = String::from_utf8(checked.stderr).unwrap();
    assert!(errors.contains("does not dominate this use"), "{theirs}\n{errors}");
}
