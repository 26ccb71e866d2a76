use std::io::Write as _;
use std::process::{Command, Stdio};

use super::*;
use crate::host::Kind;
use crate::pdl::builder::PatternBuilder;
use crate::pdl::extension::{self as ext};
use crate::pdl::match_part::Arg;
use crate::pdl::rewrite_part::{LocalId, LocationSpec, Source};
use crate::pdl::rule_set::{Pattern, RuleSet};

/// The output of `mlir-opt-22` for a text, or its errors; `None`, with a note, if it is not installed.
pub(crate) fn mlir_opt(text: &str) -> Option<Result<String, String>> {
    let child = Command::new("mlir-opt-22")
        .args(["--allow-unregistered-dialect", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("skipped: mlir-opt-22 is not on the path");
        return None;
    };
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("mlir-opt reads");
    let output = child.wait_with_output().expect("mlir-opt ends");
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() { Ok(out) } else { Err(err) })
}

fn printed(build: impl FnOnce(&mut PatternBuilder<'_>)) -> String {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("rule", 1);
    build(&mut rule);
    rule.finish().expect("a valid rule");
    let text = print(&rules);
    if let Some(Err(error)) = mlir_opt(&text) {
        panic!("mlir-opt rejects\n{text}\n{error}");
    }
    text
}

#[test]
fn standard_conditions_are_pdl_operations() {
    let text = printed(|rule| {
        let i32 = rule.type_constant("i32");
        let (a, types) = (rule.value_of(i32), rule.any_types());
        let rest = rule.values_of(types);
        rule.name(a, "a");
        let value = rule.attr_of(i32);
        let inner = rule.op("t.inner").operand(a).operands(rest).attr("v", value).result_type(i32).matched();
        let x = rule.result(inner, 0);
        let root = rule.any_op().operand(x).operand(a).no_results().matched();
        rule.constraint("check", [x, value]);
        rule.forbid("not", [root]);
        let new = rule.make_type("f32");
        let b = rule.make_attr("\"text\"");
        let range = rule.range([a, x]);
        let made = rule.create("t.new").operand(range).discardable_attr("w", b).result_type(new).created();
        let y = rule.result_of(made, 0);
        rule.rewrite_call("tell", [y], &[]);
        rule.erase(root);
    });
    let expected = r#"module {
  pdl.pattern @rule : benefit(1) {
    %0 = pdl.type : i32
    %a = pdl.operand : %0
    %1 = pdl.types
    %2 = pdl.operands : %1
    %3 = pdl.attribute : %0
    %4 = pdl.operation "t.inner"(%a, %2 : !pdl.value, !pdl.range<value>) {"v" = %3} -> (%0 : !pdl.type)
    %5 = pdl.result 0 of %4
    %6 = pdl.operation(%5, %a : !pdl.value, !pdl.value)
    pdl.apply_native_constraint "check"(%5, %3 : !pdl.value, !pdl.attribute)
    pdl.apply_native_constraint "not"(%6 : !pdl.operation) {isNegated = true}
    pdl.rewrite %6 {
      %7 = pdl.type : f32
      %8 = pdl.attribute = "text"
      %9 = pdl.range %a, %5 : !pdl.value, !pdl.value
      %10 = pdl.operation "t.new"(%9 : !pdl.range<value>) {"w" = %8} -> (%7 : !pdl.type)
      %11 = pdl.result 0 of %10
      pdl.apply_native_rewrite "tell"(%11 : !pdl.value)
      pdl.erase %6
    }
  }
}
"#;
    assert_eq!(text, expected);
}

#[test]
fn conditions_that_pdl_lacks_are_calls_with_comments() {
    let text = printed(|rule| {
        let (a, b, c) = (rule.value(), rule.value(), rule.value());
        let inner = rule.op("t.inner").operand(a).operand(b).either(0, 1).matched();
        let x = rule.defined_by(inner);
        let v = rule.any_attr();
        let root = rule.op("t.root").operand(x).optional_operand(c).default_attr("v", v, "7 : i32");
        let root = root.no_results().matched();
        let bound = rule.constraint_with_results("pick", [Arg::Of(v), Arg::Int(3)], &[Kind::Attr])[0];
        let ty = rule.type_of(a);
        let made = rule.create("t.new").operand(a).attr("v", bound).operand_segments("sizes");
        let made =
            made.result_type(ty).location(LocationSpec::Fused { of: vec![root.into()], metadata: None });
        made.created();
        let made = rule.create("t.guess").operand(a).infer_results().created();
        rule.results_of(made);
        rule.erase(root);
    });
    let expected = r#"module {
  pdl.pattern @rule : benefit(1) {
    %0 = pdl.operand
    %1 = pdl.operand
    %2 = pdl.operand
    %3 = pdl.types
    %4 = pdl.operation "t.inner"(%0, %1 : !pdl.value, !pdl.value) -> (%3 : !pdl.range<type>)
    // Not in pdl: operands in either order.
    %5 = pdl.attribute = {either = [[0 : i64, 1 : i64]]}
    pdl.apply_native_constraint "drrvm.operation"(%4, %5 : !pdl.operation, !pdl.attribute)
    %6 = pdl.result 0 of %4
    // Not in pdl: any result.
"#;
    assert!(text.starts_with(expected), "{text}");
    for name in
        [ext::ANY_RESULT, ext::OPERATION, ext::TYPE_OF, ext::OPERAND_SIZES, ext::LOCATION, ext::INFER_TYPES]
    {
        assert!(text.contains(&format!("\"{name}\"")), "{name} in\n{text}");
    }
}

#[test]
fn unusual_rules_are_valid_text() {
    printed(|rule| {
        rule.op("t.\"odd\\\n").matched();
        rule.rewrite_call("nothing \u{e9}", [Arg::<Source>::Bool(true)], &[]);
    });
    printed(|rule| {
        let root = rule.any_op().matched();
        rule.replace(root, [0u32; 0].map(LocalId::from_raw));
        rule.label("some label");
        rule.recursive();
    });
    let mut rules = RuleSet::default();
    for _ in 0..2 {
        let mut rule = rules.pattern("same name", Pattern::MAX_BENEFIT);
        rule.any_op().matched();
        rule.finish().expect("a valid rule");
    }
    let text = print(&rules);
    assert!(text.contains("@\"same name\" : benefit(32767) attributes {drrvm.benefit = 65534 : i32}"));
    if let Some(Err(error)) = mlir_opt(&text) {
        panic!("mlir-opt rejects\n{text}\n{error}");
    }
}
