//! Tests the results of operations that `pdl` rules create: their number, types and groups.

use crate::common;
use crate::common::pdl_pass;

use std::path::{Path, PathBuf};

use drrvm::compile;
use drrvm::internal::frontend::pdl_text;
use drrvm::ir::IrHost;
use drrvm::natives;
use drrvm::pdl::{RuleSet, print};
use drrvm::source::{Color, SourceMap, render_all};

use pdl_pass::{Case, canonical, module, rewritten, theirs};

/// Loads the definitions of a `.td` file and adds `pdl` rules.
fn load_with_definitions(definitions: &Path, include_dirs: Vec<PathBuf>, patterns: &str) -> RuleSet {
    let options = compile::Options { include_dirs, ..compile::Options::default() };
    let mut sources = SourceMap::default();
    let loaded = compile::rules(&mut sources, &[definitions.to_owned()], &options);
    let (mut rules, _) =
        loaded.unwrap_or_else(|errors| panic!("{}", render_all(&errors, &sources, Color::Never)));
    read_into(&mut rules, patterns);
    rules
}

fn read_into(rules: &mut RuleSet, patterns: &str) {
    let mut sources = SourceMap::default();
    let file = sources.add("patterns.mlir", patterns).unwrap();
    if let Err(errors) = pdl_text::parse(&sources, file, rules) {
        panic!("{}\n{patterns}", render_all(&errors, &sources, Color::Never));
    }
}

/// Returns the printed lines of the operations that the rules create. The rules, printed and read again, must give the
/// same IR.
fn created(rules: &RuleSet, ir: &str) -> Vec<String> {
    let ir = module(0, None, ir);
    let run = |rules: &RuleSet| {
        let body = |host: &IrHost| host.module.first_op(host.module.body()).unwrap();
        rewritten(rules, &ir, &natives::all(), body).0
    };
    let text = run(rules);
    let mut again = rules.with_patterns([]);
    read_into(&mut again, &print(rules));
    assert_eq!(run(&again), text, "{}", print(rules));
    text.lines().map(|line| line.trim().to_owned()).filter(|line| line.contains("\"u.")).collect()
}

/// The result groups of a new operation have the lengths of its type ranges, even if several ranges have variable
/// length.
#[test]
fn result_groups_follow_the_type_ranges() {
    let patterns = r#"
pdl.pattern : benefit(1) {
  %ts = types
  %t = type
  %us = types
  %a = operation "t.a" -> (%ts : !pdl.range<type>)
  %b = operation "t.b" -> (%us : !pdl.range<type>)
  %xs = results of %a
  %ys = results of %b
  %x = operand : %t
  %root = operation "t.root"(%x : !pdl.value) -> (%t : !pdl.type)
  %first = operation "t.first"(%x, %xs : !pdl.value, !pdl.range<value>)
  %second = operation "t.second"(%x, %ys : !pdl.value, !pdl.range<value>)
  rewrite %root {
    %new = operation "t.new" -> (%ts, %t, %us, %t : !pdl.range<type>, !pdl.type, !pdl.range<type>, !pdl.type)
    %n0 = results 0 of %new -> !pdl.range<value>
    %n1 = results 1 of %new -> !pdl.value
    %n2 = results 2 of %new -> !pdl.range<value>
    %n3 = results 3 of %new -> !pdl.range<value>
    %u0 = operation "u.zero"(%n0 : !pdl.range<value>)
    %u1 = operation "u.one"(%n1 : !pdl.value)
    %u2 = operation "u.two"(%n2 : !pdl.range<value>)
    %u3 = operation "u.three"(%n3 : !pdl.range<value>)
    erase %first
    erase %second
    replace %root with (%n1 : !pdl.value)
  }
}
"#;
    let mut rules = RuleSet::default();
    read_into(&mut rules, patterns);
    let ir = r#"
%a:2 = "t.a"() : () -> (i1, i2)
%b:3 = "t.b"() : () -> (i4, i5, i6)
%x = "t.x"() : () -> i3
%r = "t.root"(%x) : (i3) -> i3
"t.first"(%x, %a#0, %a#1) : (i3, i1, i2) -> ()
"t.second"(%x, %b#0, %b#1, %b#2) : (i3, i4, i5, i6) -> ()
"#;
    let types: Vec<String> = created(&rules, ir)
        .iter()
        .map(|line| format!("{} {}", line.split('"').nth(1).unwrap(), line.split_once(": ").unwrap().1))
        .collect();
    assert_eq!(
        types,
        ["u.zero (i1, i2) -> ()", "u.one (i3) -> ()", "u.two (i4, i5, i6) -> ()", "u.three (i3) -> ()"]
    );
}

const DEFINITIONS: &str = r#"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
def U : Dialect { let name = "u"; let cppNamespace = "::u"; }
class U_Op<string name, list<Trait> traits = []> : Op<U, name, traits>;
def Same : U_Op<"same", [SameOperandsAndResultType]> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$r);
}
def Fixed : U_Op<"fixed"> {
  let arguments = (ins AnyType:$a);
  let results = (outs I1:$r, F32:$s);
}
def Stated : U_Op<"stated", [AllTypesMatch<["v", "r"]>]> {
  let arguments = (ins AnyAttr:$v);
  let results = (outs AnyType:$r);
}
def Held : U_Op<"held", [TypesMatchWith<"held", "a", "r", "$_self">]> {
  let arguments = (ins AnyType:$a);
  let results = (outs AnyType:$r);
}
def Element : U_Op<"element", [TypesMatchWith<"element", "a", "r", "::llvm::cast<::mlir::ShapedType>($_self).getElementType()">]> {
  let arguments = (ins AnyType:$a);
  let results = (outs AnyType:$r);
}
def Later : U_Op<"later", [AllTypesMatch<["r", "s"]>, TypesMatchWith<"s", "a", "s", "$_self">]> {
  let arguments = (ins AnyType:$a);
  let results = (outs AnyType:$r, AnyType:$s);
}
"#;

/// Result types are inferred from an operation's definition: from fixed types, and from traits that relate the types of
/// operands, attributes and results.
#[test]
fn result_types_follow_from_definitions() {
    let folder = tempfile::tempdir().unwrap();
    let definitions = folder.path().join("ops.td");
    std::fs::write(&definitions, DEFINITIONS).unwrap();
    let pattern = |root: &str, new: &str| {
        format!(
            r#"
pdl.pattern : benefit(1) {{
  %x = operand
  %root = operation "{root}"(%x : !pdl.value)
  rewrite %root {{
    %v = attribute = 7 : i9
    {new}
    erase %root
  }}
}}
"#
        )
    };
    let patterns = [
        pattern("t.same", r#"%n = operation "u.same"(%x, %x : !pdl.value, !pdl.value)"#),
        // One range contains all operands.
        pattern(
            "t.range",
            r#"%xs = range %x, %x : !pdl.value, !pdl.value %n = operation "u.same"(%xs : !pdl.range<value>)"#,
        ),
        pattern("t.fixed", r#"%n = operation "u.fixed"(%x : !pdl.value)"#),
        pattern("t.stated", r#"%n = operation "u.stated" {"v" = %v}"#),
        pattern("t.held", r#"%n = operation "u.held"(%x : !pdl.value)"#),
        pattern("t.element", r#"%n = operation "u.element"(%x : !pdl.value)"#),
        pattern("t.later", r#"%n = operation "u.later"(%x : !pdl.value)"#),
    ];
    let rules = load_with_definitions(&definitions, Vec::new(), &patterns.concat());
    let ir = r#"
%x = "t.x"() : () -> tensor<2xf64>
"t.same"(%x) : (tensor<2xf64>) -> ()
"t.range"(%x) : (tensor<2xf64>) -> ()
"t.fixed"(%x) : (tensor<2xf64>) -> ()
"t.stated"(%x) : (tensor<2xf64>) -> ()
"t.held"(%x) : (tensor<2xf64>) -> ()
"t.element"(%x) : (tensor<2xf64>) -> ()
"t.later"(%x) : (tensor<2xf64>) -> ()
"#;
    let results: Vec<String> = created(&rules, ir)
        .iter()
        .map(|line| format!("{} {}", line.split('"').nth(1).unwrap(), line.split_once("-> ").unwrap().1))
        .collect();
    assert_eq!(
        results,
        [
            "u.same tensor<2xf64>",
            "u.same tensor<2xf64>",
            "u.fixed (i1, f32)",
            "u.stated i9",
            "u.held tensor<2xf64>",
            "u.element f64",
            "u.later (tensor<2xf64>, tensor<2xf64>)",
        ]
    );
}

/// The inferred types are those that MLIR infers for its own operations.
#[test]
fn result_types_of_arith_equal_those_of_mlir() {
    let (Some(root), Some(opt)) = (common::llvm_sources(), common::llvm_tool("mlir-opt")) else { return };
    let patterns = r#"
pdl.pattern : benefit(1) {
  %ts = types
  %x = operand
  %y = operand
  %root = operation "t.root"(%x, %y : !pdl.value, !pdl.value) -> (%ts : !pdl.range<type>)
  rewrite %root {
    %p = attribute = 2 : i64
    %c = operation "arith.cmpi"(%x, %y : !pdl.value, !pdl.value) {"predicate" = %p}
    %r = result 0 of %c
    %s = operation "arith.select"(%r, %x, %y : !pdl.value, !pdl.value, !pdl.value)
    %m = operation "arith.mulsi_extended"(%x, %y : !pdl.value, !pdl.value)
    %q = result 0 of %s
    %ms = results of %m
    replace %root with (%r, %q, %ms : !pdl.value, !pdl.value, !pdl.range<value>)
  }
}
"#;
    // MLIR loads a dialect, and infers types of its operations, only if the module uses it.
    let ir = r#"
%k = "arith.constant"() <{value = 1 : i32}> : () -> i32
%x:2 = "t.x"() : () -> (i32, i32)
%v:2 = "t.x"() : () -> (vector<2xi8>, vector<2xi8>)
%a:4 = "t.root"(%x#0, %x#1) : (i32, i32) -> (i1, i32, i32, i32)
%b:4 = "t.root"(%v#0, %v#1) : (vector<2xi8>, vector<2xi8>) -> (vector<2xi1>, vector<2xi8>, vector<2xi8>, vector<2xi8>)
"t.use"(%a#0, %a#1, %a#2, %a#3, %k) : (i1, i32, i32, i32, i32) -> ()
"t.use"(%b#0, %b#1, %b#2, %b#3) : (vector<2xi1>, vector<2xi8>, vector<2xi8>, vector<2xi8>) -> ()
"#;
    let arith = root.join("mlir/include/mlir/Dialect/Arith/IR/ArithOps.td");
    let rules = load_with_definitions(&arith, vec![root.join("mlir/include")], patterns);
    let natives = natives::all().with(pdl_pass::natives());
    let text = module(0, None, ir);
    let ours = rewritten(&rules, &text, &natives, |host| host.module.first_op(host.module.body()).unwrap());
    assert_eq!(ours.1, 2);
    let case = Case { patterns: patterns.to_owned(), ir: ir.to_owned() };
    let theirs = theirs(&opt, 0, &[case]).remove(&0).expect("MLIR accepts the case");
    assert_eq!(ours.0, canonical(&theirs));
}
