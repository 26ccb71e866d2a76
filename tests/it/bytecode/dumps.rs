//! Snapshots of `drrvm dump`: the matcher tree and the byte code.
//!
//! The rule sets are small, so that a reader can derive by hand the best question of each node, the instruction that
//! asks it, and the rules that remain after each answer.

use crate::common::command::Folder;

const OPS: &str = r#"include "mlir/IR/OpBase.td"
include "mlir/IR/PatternBase.td"
def T : Dialect { let name = "t"; let cppNamespace = "::t"; }
class T_Op<string name, dag args> : Op<T, name> {
  let arguments = args;
  let results = (outs AnyType:$r);
}
def A : T_Op<"a", (ins AnyType:$x, AnyType:$y)>;
def B : T_Op<"b", (ins AnyType:$x)>;
def C : T_Op<"c", (ins AnyType:$x, I32Attr:$n)>;
"#;

/// Rules with nested operations, equal operands and snippets. Some rules end with the same tests.
const NESTED: &str = r#"include "ops.td"
def Zero  : Pat<(C $x, ConstantAttr<I32Attr, "0">), (B $x)>;
def One   : Pat<(C $x, ConstantAttr<I32Attr, "1">), (replaceWithValue $x)>;
def Any   : Pat<(C (B $x), $n), (C $x, $n)>;
def Twice : Pat<(A $x, $x), (B $x)>;
def OfB   : Pat<(A (B $x), $y), (A $x, $y)>;
"#;

/// Rules with constant attributes, nested operations with names, types of operands and results, and a root without a
/// name.
const SWITCHES: &str = r#"pdl.pattern @Zero : benefit(1) {
  %v = attribute = 0 : i32
  %root = operation "t.c" {"v" = %v}
  rewrite %root { erase %root }
}
pdl.pattern @One : benefit(1) {
  %v = attribute = 1 : i32
  %root = operation "t.c" {"v" = %v}
  rewrite %root { erase %root }
}
pdl.pattern @Two : benefit(2) {
  %v = attribute = 2 : i32
  %root = operation "t.c" {"v" = %v}
  rewrite %root { erase %root }
}
pdl.pattern @OfA : benefit(1) {
  %x = operand
  %t = type : i32
  %a = operation "t.a" -> (%t : !pdl.type)
  %y = result 0 of %a
  %root = operation "t.d"(%y, %x : !pdl.value, !pdl.value)
  rewrite %root { replace %root with (%y : !pdl.value) }
}
pdl.pattern @OfB : benefit(1) {
  %x = operand
  %t = type : i64
  %a = operation "t.b"(%x : !pdl.value) -> (%t : !pdl.type)
  %y = result 0 of %a
  %root = operation "t.d"(%y, %x : !pdl.value, !pdl.value)
  rewrite %root { replace %root with (%x : !pdl.value) }
}
pdl.pattern @Typed : benefit(1) {
  %t = type : i32
  %x = operand : %t
  %y = operand
  %root = operation "t.d"(%x, %y : !pdl.value, !pdl.value)
  rewrite %root { replace %root with (%x : !pdl.value) }
}
pdl.pattern @Wide : benefit(1) {
  %t = type : i64
  %x = operand : %t
  %y = operand
  %root = operation "t.d"(%x, %y : !pdl.value, !pdl.value)
  rewrite %root { replace %root with (%x : !pdl.value) }
}
pdl.pattern @Anything : benefit(1) {
  %w = attribute = unit
  %root = operation {"gone" = %w}
  rewrite %root { erase %root }
}
"#;

/// Rules with tests that only one rule has, with ranges, and with most kinds of rewrite steps.
const ALONE: &str = r#"pdl.pattern @Users : benefit(1) {
  %x = operand
  %t = type
  %shared = operation "t.shared"(%x : !pdl.value) -> (%t : !pdl.type)
  %y = result 0 of %shared
  %one = operation "t.one"(%y : !pdl.value)
  %two = operation "t.two"(%x, %y : !pdl.value, !pdl.value)
  rewrite %one {
    erase %one
    erase %two
  }
}
pdl.pattern @Ranges : benefit(3) {
  %ts = types : [i32, i64]
  %xs = operands
  %us = types
  %v = attribute
  %root = operation "t.ranges"(%xs : !pdl.range<value>) {"v" = %v} -> (%ts, %us : !pdl.range<type>, !pdl.range<type>)
  %last = apply_native_constraint "last"(%xs, %v : !pdl.range<value>, !pdl.attribute) : !pdl.value
  apply_native_constraint "odd"(%last : !pdl.value) {isNegated = true}
  rewrite %root {
    %t = type : i8
    %w = attribute = "text"
    %new = operation "t.new"(%last, %xs : !pdl.value, !pdl.range<value>) {"v" = %v, "w" = %w} -> (%t, %t : !pdl.type, !pdl.type)
    %r = result 1 of %new
    %rs = results of %new
    %made = apply_native_rewrite "make"(%new, %r : !pdl.operation, !pdl.value) : !pdl.operation
    replace %root with %made
  }
}
"#;

/// Returns the output of `drrvm dump`, without the lines with the sizes of sections. `args` starts with the stage.
fn dumped(name: &str, rules: &str, args: &[&str]) -> String {
    let folder = Folder::new(&[("ops.td", OPS), (name, rules)]);
    let run = folder.run(&[&["dump", "--rules", name, "--stage"], args].concat());
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    run.stdout.lines().filter(|line| !line.ends_with(" bytes")).fold(String::new(), |all, l| all + l + "\n")
}

#[test]
fn shared_last_tests_are_merged() {
    insta::assert_snapshot!("nested_tree", dumped("rules.td", NESTED, &["tree"]));
    insta::assert_snapshot!("nested_dot", dumped("rules.td", NESTED, &["tree", "--format", "dot"]));
    insta::assert_snapshot!("nested_code", dumped("rules.td", NESTED, &["bytecode"]));
}

#[test]
fn constants_names_and_types_become_switches() {
    insta::assert_snapshot!("switches_tree", dumped("rules.mlir", SWITCHES, &["tree"]));
    insta::assert_snapshot!("switches_code", dumped("rules.mlir", SWITCHES, &["bytecode"]));
}

#[test]
fn unshared_tests_and_rewrite_steps_are_printed() {
    insta::assert_snapshot!("alone_tree", dumped("rules.mlir", ALONE, &["tree"]));
    insta::assert_snapshot!("alone_code", dumped("rules.mlir", ALONE, &["bytecode"]));
}
