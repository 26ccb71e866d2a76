//! Snapshots of the errors in invalid MLIR text and invalid IR.

use std::fmt::Write;

use drrvm::ir::{Context, parse_module, verify};
use drrvm::source::{Color, SourceMap, render_all};

/// Parses and verifies a text; returns all messages.
fn messages(text: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("in.mlir", text.to_owned()).unwrap();
    let mut context = Context::new();
    let errors = match parse_module(&mut context, sources.file(file)) {
        Ok(module) => verify(&context, &module),
        Err(errors) => errors,
    };
    assert!(errors.has_errors(), "expected an error in: {text}");
    render_all(&errors, &sources, Color::Never)
}

fn all(texts: &[&str]) -> String {
    let mut out = String::new();
    for text in texts {
        let _ = writeln!(out, "==== {text}\n{}", messages(text));
    }
    out
}

#[test]
fn syntax() {
    insta::assert_snapshot!(all(&[
        "\"t.a\"(",
        "\"t.a\"() : () -> i32 ?",
        "\"t.a",
        "\"t.a\\x\"() : () -> ()",
        "\"\"() : () -> ()",
        "abc.for %i = %a to %b step %c {\n  \"t.a\"() : () -> ()\n}",
        "%0 = \"t.a\"() : () -> (i32, i32)",
        "%0:0 = \"t.a\"() : () -> i32",
        "%0 = \"t.a\"() : () -> i32\n%0 = \"t.a\"() : () -> i32",
        "\"t.a\"(%x, %y) : (i32, i32) -> ()",
        "%0 = \"t.a\"() : () -> i32\n\"t.b\"(%0) : (i64) -> ()",
        "%0:2 = \"t.a\"() : () -> (i32, i32)\n\"t.b\"(%0#2) : (i32) -> ()",
        "\"t.a\"() : (i32) -> ()",
        "\"t.a\"() ({\n  \"t.br\"()[^b] : () -> ()\n}) : () -> ()",
        "\"t.a\"() ({\n^b:\n^b:\n}) : () -> ()",
    ]));
}

#[test]
fn types_and_attributes() {
    let attrs = [
        "i16777216",
        "i32x",
        "tensor<-1xi32>",
        "vector<0xi32>",
        "vector<?xi32>",
        "vector<2xnone>",
        "vector<4x[?]xf32>",
        "tensor<99999999999999999999xi32>",
        "memref<2xi32, affine_map<(i, j) -> (i)>>",
        "complex<index>",
        "!u",
        "#u",
        "!foreign<(>",
        "300 : i8",
        "-1 : ui8",
        "1 : f32",
        "1.0 : i32",
        "1 : none",
        "1e999 : f32",
        "0x1FFFFFFFF : f32",
        "1 : i0",
        "dense<[[1], [2, 3]]> : tensor<2x2xi32>",
        "dense<[1, 2]> : tensor<3xi32>",
        "dense<[]> : tensor<1xi32>",
        "dense<1> : tensor<?xi32>",
        "dense<\"0xZZ\"> : tensor<1xi32>",
        "dense<\"0x01\"> : tensor<1xi32>",
        "dense<true> : tensor<1xi32>",
        "array<tf32: 1.0>",
        "sparse<[[9]], [1]> : tensor<1xi32>",
        "{a = 1, a = 2}",
        "affine_map<(i) -> (j)>",
        "affine_map<(i, i) -> (i)>",
        "affine_map<(i) -> (i * i)>",
        "loc(",
    ];
    let texts: Vec<String> =
        attrs.iter().map(|attr| format!("\"t.a\"() {{a = {attr}}} : () -> ()")).collect();
    let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    texts.extend(["#a = #b\n#b = #a", "#a = 1\n#a = 2", "#a.b = 1", "#a = 1\n\"t.a\"() : () -> !a"]);
    insta::assert_snapshot!(all(&texts));
}

#[test]
fn verification() {
    insta::assert_snapshot!(all(&[
        "func.func @f() {\n  arith.constant 1 : i32\n}",
        "func.func @f() {\n  return\n  return\n}",
        "func.func @f() {\n  \"t.a\"()[^a] : () -> ()\n  return\n^a:\n  return\n}",
        "func.func @f() {\n^a:\n  cf.br ^a\n}",
        "func.func @f(%c: i1) {\n  cf.cond_br %c, ^a, ^b\n^a:\n  %0 = arith.constant 1 : i32\n  cf.br ^b\n^b:\n  \"t.use\"(%0) : (i32) -> ()\n  return\n}",
        "func.func @f(%a: i32) {\n  \"func.func\"() <{sym_name = \"g\", function_type = () -> ()}> ({\n    \"t.use\"(%a) : (i32) -> ()\n    func.return\n  }) : () -> ()\n  return\n}",
        "func.func @f() { return }\nfunc.func @f() { return }",
        "func.func @f() -> i32 {\n  return\n}",
        "func.func @f(%a: i32) -> i64 {\n  return %a : i32\n}",
        "func.func @f()",
        "\"func.func\"() <{sym_name = \"f\", function_type = (i32) -> ()}> ({\n^bb0(%a: i64):\n  func.return\n}) : () -> ()",
        "module attributes {plain = 1} {}",
        "module @a attributes {sym_visibility = \"foo\"} {}",
        "\"builtin.module\"() ({\n^b:\n}) {sym_name = 3 : i32} : () -> ()",
        "func.func @f() {\n  call @g() : () -> ()\n  return\n}",
        "func.func @f() {\n  %0 = constant @f : (i32) -> ()\n  return\n}",
        "func.func @f(%a: i32) {\n  cf.br ^b(%a : i32)\n^b(%x: i64):\n  return\n}",
        "func.func @f(%a: i32) {\n  %0 = \"arith.addi\"(%a, %a) : (i32, i32) -> i64\n  return\n}",
        "func.func @f(%a: i32) {\n  \"cf.switch\"(%a)[^b] <{case_operand_segments = array<i32: 1>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()\n^b:\n  return\n}",
    ]));
}

/// `mlir-opt-22` accepts these texts too.
#[test]
fn a_switch_can_have_more_sizes_than_destinations() {
    for sizes in ["", ": 0", ": 0, 0"] {
        let text = format!(
            "func.func @f(%a: i32) {{\n  \"cf.switch\"(%a)[^b] <{{case_operand_segments = array<i32{sizes}>, \
             operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i32) -> ()\n^b:\n  return\n}}"
        );
        let mut sources = SourceMap::default();
        let file = sources.add("in.mlir", text.clone()).unwrap();
        let mut context = Context::new();
        let module = parse_module(&mut context, sources.file(file)).expect("the text is valid");
        assert!(!verify(&context, &module).has_errors(), "{text}");
    }
}

/// One run reports all errors: an unreadable operation is skipped, and uses of its results cause no further errors.
#[test]
fn several_errors_in_one_run() {
    let text = "\
func.func @f(%a: i32) -> i32 {
  %0 = \"t.a\"(%a : (i32) -> i32
  %1 = \"t.b\"(%0) : (i32) -> i32
  %2 = \"t.c\"(%1) {x = 1 : i0} : (i32) -> i32
  abc.for %i = %a to %a {
    \"t.d\"(%2) : (i32) -> ()
  }
  return %2 : i32
}
func.func @g() {
  \"t.e\"() : () -> i99999999
  return
}
\"t.f\"(%u, %v) : (i32, i32) -> ()
}
\"t.g\"() ({
  \"t.h\"( : () -> ()
^a(%x: i32):
  \"t.i\"() {a = 1, a = 2} : () -> ()
}) : () -> ()
";
    insta::assert_snapshot!(messages(text));
}

/// Each redefinition of a symbol refers to the first definition.
#[test]
fn redefined_symbols_refer_to_the_first_definition() {
    let symbol = |name: &str| format!("\"{name}\"() {{sym_name = \"f\"}} : () -> ()\n");
    let found = messages(&["t.f", "t.g", "t.h"].map(symbol).concat());
    assert_eq!(found.matches("redefinition of symbol named 'f'").count(), 2, "{found}");
    assert_eq!(found.matches("in.mlir:1:1").count(), 2, "{found}");
}

#[test]
fn an_unknown_operation_of_a_known_dialect() {
    let found = messages("\"arith.foo\"() : () -> ()\n");
    let want = "error: unknown operation 'arith.foo': the dialect 'arith' has no operation of this name";
    assert!(found.starts_with(want), "{found}");
}

/// The number of reported errors is limited.
#[test]
fn errors_are_bounded() {
    let text = "\"t.a\"( : () -> ()\n".repeat(10_000);
    assert_eq!(messages(&text).matches("error: ").count(), 20);
}

/// Long types and attributes are shortened in messages, even if aliases make them exponentially long.
#[test]
fn long_types_and_attributes_are_shortened() {
    let mut text = "!a0 = tuple<i32>\n".to_owned();
    for i in 0..60 {
        let _ = writeln!(text, "!a{} = tuple<!a{i}, !a{i}>", i + 1);
    }
    let types = format!("{text}%0 = \"x.y\"() : () -> !a60\n\"x.z\"(%0) : (!a59) -> ()\n");
    let function = format!(
        "{text}\"func.func\"() <{{function_type = (!a60) -> (), sym_name = \"f\"}}> ({{\n^bb0(%x: !a59):\n  \
         \"func.return\"() : () -> ()\n}}) : () -> ()\n"
    );
    let long = format!("tuple<{}i32>", "i64, ".repeat(100_000));
    let attribute = format!(
        "\"x.y\"() {{a = distinct[0]<\"{0}\">, b = distinct[0]<\"x{0}\">}} : () -> ()",
        "y".repeat(1 << 20)
    );
    let long = format!("%0 = \"x.y\"() : () -> {long}\n\"x.z\"(%0) : (i32) -> ()\n");
    for text in [types, function, attribute, long] {
        let message = messages(&text);
        let first = message.lines().next().unwrap();
        assert!(first.contains('…'), "{}", &first[..200.min(first.len())]);
        assert!(message.len() < 10_000, "{}", message.len());
    }
}

/// The further lines of an unknown custom form are not read as separate operations.
#[test]
fn an_unknown_custom_form_is_one_error() {
    let errors = messages(
        "func.func @f(%x: i32) -> i32 {\n\
         %1 = foo.bar %x\n  ins(%x : i32)\n  outs(%x : i32) -> i32\n\
         %2 = foo.baz %1,\n  %x, %1\n  : i32\n\
         %3:2, %4 = other.op %2\n\
         return %3#0 : i32\n}\n",
    );
    let first = |line: &&str| line.starts_with("error: ");
    let found: Vec<&str> = errors.lines().filter(first).collect();
    let unknown = |name: &str| format!("error: custom operation '{name}' is unknown");
    assert_eq!(found, ["foo.bar", "foo.baz", "other.op"].map(unknown), "{errors}");
    assert!(errors.contains("that define the dialect 'other' with `--dialects`"), "{errors}");
}
