//! Snapshot of the errors in invalid `pdl` text.

use drrvm::host::Arity;
use drrvm::internal::frontend::pdl_text;
use drrvm::pdl::{OpDef, RuleSet, ValueDef};
use drrvm::source::{Color, SourceMap, render_all};

/// Each entry has one mistake. The part before `|` precedes the rewrite. The part after `|` is the body of the rewrite;
/// if it is empty, the body is `erase %r`. An entry that starts with `=` is a whole file.
const WRONG: &[&str] = &[
    "=func.func @f() { return }",
    "=pdl_interp.func @matcher(%arg0: !pdl.operation) { pdl_interp.finalize }",
    "%r = frobnicate|",
    "=module {\npdl.pattern : benefit(1) { %r = operation \"t.a\" rewrite %r { erase %r } }",
    "%t = type %r = operation \"t.a\" -> (%t : i32)|",
    "%t = \"pdl.types\"() : () -> !pdl.range<range<type>>|",
    "%r = operation \"t.a\"(%x : !pdl.value)|",
    "%r = operation \"t.a\" %r = operation \"t.b\"|",
    "%t = type %r = operation \"t.a\" {\"v\" = %t}|",
    "%x = operand %r = operation \"t.a\"(%x, %x : !pdl.value)|",
    "%r = \"pdl.operation\"() : () -> !pdl.operation|",
    "%r = \"pdl.operation\"() <{attributeValueNames = [], operandSegmentSizes = array<i32: 1, 0, 0>}> : () -> !pdl.operation|",
    "=pdl.pattern : benefit(70000) { %r = operation \"t.a\" rewrite %r { erase %r } }",
    "=pdl.pattern : benefit(1) { %r = operation \"t.a\" }",
    "=pdl.pattern : benefit(1) { rewrite { } }",
    "%r = operation \"t.a\" \"t.foreign\"() : () -> ()|erase %r",
    "%r = operation \"t.a\" %x = operand %s = operation \"t.b\"(%x : !pdl.value)|erase %r erase %s",
    "%x = operand %r = operation \"t.a\"|erase %r",
    "%r = operation \"t.a\" erase %r|",
    "%r = operation \"t.a\"|apply_native_rewrite \"nothing\"",
    "%r = operation \"t.a\" %o = apply_native_constraint \"give\"(%r : !pdl.operation) : !pdl.operation|",
    "%t = type %v = \"pdl.attribute\"(%t) <{value = 1 : i32}> : (!pdl.type) -> !pdl.attribute %r = operation \"t.a\" {\"v\" = %v}|",
    "%r = operation \"t.a\"|%v = attribute",
    "%r = operation \"t.a\"|%n = operation",
    "%r = operation \"t.a\"|%t = type %n = operation \"t.b\" -> (%t : !pdl.type)",
    "%r = operation \"t.a\"|%s = types %t = types %n = operation \"t.b\" -> (%s, %t : !pdl.range<type>, !pdl.range<type>) %v = results 1 of %n -> !pdl.range<value> replace %r with %n",
    "%r = operation \"t.a\"|%t = type : i32 %x = range %t : !pdl.type %y = range %r : !pdl.operation",
    "%r = operation \"t.a\"|\"pdl.replace\"(%r, %r, %v) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!pdl.operation, !pdl.operation, !pdl.value) -> ()",
    "=pdl.pattern : benefit(1) { %r = operation \"t.a\" rewrite %r with \"native\" { erase %r } }",
    "%r = \"pdl.operation\"() <{attributeValueNames = [\"v\"], operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> !pdl.operation|",
    "%c = attribute = 1 : i64 attributes {drrvm.kind = \"str\"} %r = operation \"t.a\" apply_native_constraint \"f\"(%c : !pdl.attribute)|",
    "%c = attribute = 1 : i64 attributes {drrvm.kind = \"number\"} %r = operation \"t.a\" apply_native_constraint \"f\"(%c : !pdl.attribute)|",
    "=pdl.pattern : benefit(3) attributes {drrvm.benefits = 3 : i32} { %r = operation \"t.a\" rewrite %r { erase %r } }",
    "=pdl.pattern : benefit(3) attributes {drrvm.benefits = [[\"is_it\", 3 : i32]]} { %r = operation \"t.a\" rewrite %r { erase %r } }",
    "=pdl.pattern : benefit(3) attributes {drrvm.benefits = [[4 : i32], [3 : i32]]} { %r = operation \"t.a\" rewrite %r { erase %r } }",
    "%r = operation \"t.a\" %c = attribute = \"1\" apply_native_constraint \"drrvm.snippet\"(%c : !pdl.attribute)|",
    "%x = operand %r = operation \"t.a\"(%x : !pdl.value) apply_native_constraint \"drrvm.any_result\"(%x : !pdl.value)|",
    "%x = operands %r = operation \"t.a\"(%x, %x : !pdl.range<value>, !pdl.value)|",
    "%v = attribute = dense<[1, 2> : tensor<2xi32>|",
    "%x = operand %r = operation \"t.a\"(%x : !pdl.value) %o = apply_native_constraint \"give\"(%x : !pdl.value) : !pdl.value apply_native_constraint \"drrvm.equal\"(%o, %x : !pdl.value, !pdl.value) apply_native_constraint \"drrvm.equal\"(%o, %x : !pdl.value, !pdl.value)|erase %r",
    "%x, %y = operand %r = operation \"t.a\"|",
    "%r = operation \"t.a\"|%x:0 = erase %r",
    "%r = operation \"t.a\"|\"pdl.erase\"(%r, %r) : (!pdl.operation, !pdl.operation) -> ()",
    "%r = operation \"t.a\"|\"pdl.erase\"(%r) ({}) : (!pdl.operation) -> ()",
    "%v = attribute %r = \"pdl.operation\"(%v) <{attributeValueNames = [\"a\", \"b\"], operandSegmentSizes = array<i32: 0, 1, 0>}> : (!pdl.attribute) -> !pdl.operation|",
    "%r = \"pdl.operation\"() <{attributeValueNames = []}> : () -> !pdl.value|",
    "%r = operation \"t.a\" %x = \"pdl.result\"(%r) <{index = 0 : i64}> : (!pdl.operation) -> !pdl.value|",
    "%r = operation \"t.a\" %x = result -1 of %r|",
    "%r = operation \"t.a\" %x = \"pdl.results\"(%r) : (!pdl.operation) -> !pdl.value|",
    "%r = operation \"t.a\"|%x = range %r : !pdl.operation",
    "%r = operation \"t.a\" apply_native_constraint \"c\"(%r : !pdl.operation) {isNegated = 1 : i32}|",
    "%r = operation \"t.a\" %x = apply_native_constraint \"c\"(%r : !pdl.operation) : !pdl.type {isNegated = true}|",
    "=\"pdl.pattern\"() <{benefit = 1 : i32}> ({}) : () -> ()",
    "=\"pdl.pattern\"() <{benefit = 1 : i16}> ({}) : () -> !pdl.value",
    "=pdl.pattern @one : benefit(1) { %r = operation \"t.a\" rewrite %r { erase %r } } pdl.pattern @one : benefit(1) { %r = operation \"t.a\" rewrite %r { erase %r } }",
    "=pdl.pattern : benefit(1) { ^bb0(%x: !pdl.value): %r = operation \"t.a\" rewrite %r { erase %r } }",
    "=pdl.pattern : benefit(1) { %r = operation \"t.a\" rewrite %r { erase %r } ^bb1: }",
    "=pdl.pattern : benefit(1) { %r = operation \"t.a\" rewrite %r { erase %r } rewrite %r { erase %r } }",
    "=pdl.pattern : benefit(1) { %r = operation \"t.a\" rewrite %r }",
    "=pdl.pattern : benefit(1) { %r = operation \"t.a\" \"pdl.rewrite\"(%r, %r) <{operandSegmentSizes = array<i32: 1, 1>}> ({ ^bb0: }) : (!pdl.operation, !pdl.operation) -> () }",
    "=pdl.pattern : benefit(1) { %r = operation \"t.a\"",
    "%r = operation \"t.a\"|%n = operation \"t.known\"",
    "%t = type %x = operand : %t %o = operation \"t.b\" -> (%t : !pdl.type) %r = operation \"t.a\"(%x : !pdl.value) apply_native_constraint \"c\"(%o : !pdl.operation)|",
    "%t = type %r = operation \"t.a\" -> (%t : !pdl.type) %x = result 3 of %r apply_native_constraint \"c\"(%x : !pdl.value)|",
    "%x = operand apply_native_constraint \"c\"(%y : !pdl.attribute) %y = attribute %r = operation \"t.a\"(%x : !pdl.value) {\"v\" = %y}|",
];

#[test]
fn errors_are_reported_at_their_place() {
    let mut messages = String::new();
    for wrong in WRONG {
        let text = match (wrong.strip_prefix('='), wrong.split_once('|')) {
            (Some(text), _) => text.to_owned(),
            (None, Some((before, body))) => {
                let body = if body.is_empty() { "erase %r" } else { body };
                format!("pdl.pattern : benefit(1) {{ {before}\n  rewrite %r {{ {body} }} }}")
            }
            (None, None) => unreachable!("every case has one of the marks"),
        };
        let mut sources = SourceMap::default();
        let file = sources.add("rules.mlir", &*text).unwrap();
        let mut rules = RuleSet::default();
        let name = rules.intern("t.known");
        let result = ValueDef::new(rules.intern("r"), Arity::One);
        rules.ops_mut().insert(OpDef::new(name).results([result]));
        let found = pdl_text::parse(&sources, file, &mut rules);
        let found = found.unwrap_or_else(|errors| errors);
        messages.push_str(&format!("{text}\n{}\n", render_all(&found, &sources, Color::Never)));
    }
    insta::assert_snapshot!(messages);
}
