//! Tests of StableHLO. In StableHLO itself, C++ code reads and prints many custom forms, which drrvm registers as forms
//! in Rust. The package `jaxlib` 0.10.2 printed `stablehlo.mlir` and `stablehlo.generic.mlir` from the same module.

use crate::common::command::{self, Folder};

const DIALECT: &str = include_str!("stablehlo.td");
const CUSTOM: &str = include_str!("stablehlo.mlir");
const GENERIC: &str = include_str!("stablehlo.generic.mlir");

/// Runs `drrvm opt` on a text with the dialect. Returns the printed module, or the errors.
fn opt(text: &str, options: &[&str]) -> Result<String, String> {
    command::opt(DIALECT, text, options)
}

/// A text without the names of values, and with one space in place of several. MLIR suggests names for the arguments of
/// a `while`, and MLIR 22 prints two spaces where newer versions print one space.
fn without_names(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        out.push('%');
        rest = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '#');
    }
    out.push_str(rest);
    while out.contains("  ") {
        out = out.replace("  ", " ");
    }
    out
}

#[test]
fn custom_text_is_read_as_the_generic_text() {
    assert_eq!(opt(CUSTOM, &["--mlir-print-op-generic"]).unwrap(), GENERIC);
}

#[test]
fn printed_text_is_that_of_jaxlib() {
    for input in [CUSTOM, GENERIC] {
        let printed = opt(input, &[]).unwrap();
        assert_eq!(without_names(&printed), without_names(CUSTOM));
        assert_eq!(opt(&printed, &[]).unwrap(), printed, "printed text is read again");
    }
}

#[test]
fn mhlo_stores_lists_in_tensors() {
    let definitions = "include \"mlir/IR/OpBase.td\"\n\
        include \"mlir/IR/BuiltinAttributes.td\"\n\
        def Mhlo : Dialect { let name = \"mhlo\"; let cppNamespace = \"::mlir::mhlo\"; }\n\
        def Conv : AttrDef<Mhlo, \"Conv\"> { let mnemonic = \"conv\"; let hasCustomAssemblyFormat = 1; }\n\
        def Add : Op<Mhlo, \"add\"> { let arguments = (ins AnyType:$a, AnyType:$b); let results = (outs AnyType:$r); }\n\
        def Return : Op<Mhlo, \"return\", [Terminator]> { let arguments = (ins Variadic<AnyType>:$r); }\n\
        def Reduce : Op<Mhlo, \"reduce\", [SameVariadicOperandSize]> { let hasCustomAssemblyFormat = 1;\n\
          let arguments = (ins Variadic<AnyType>:$a, Variadic<AnyType>:$b, I64ElementsAttr:$dimensions);\n\
          let results = (outs Variadic<AnyType>); let regions = (region AnyRegion:$body); }\n\
        def Convolution : Op<Mhlo, \"convolution\"> { let results = (outs AnyType:$r);\n\
          let arguments = (ins AnyType:$l, AnyType:$r0, OptionalAttr<I64ElementsAttr>:$s, OptionalAttr<I64ElementsAttr>:$p,\n\
            OptionalAttr<I64ElementsAttr>:$ld, OptionalAttr<I64ElementsAttr>:$rd, OptionalAttr<ElementsAttr>:$w, Conv:$d);\n\
          let assemblyFormat = [{ `(`operands`)` `dim_numbers` `=` custom<ConvolutionDimensions>($d) `,` `window` `=`\n\
            `{` custom<WindowAttributes>($s, $p, $ld, $rd, $w) `}` attr-dict `:` functional-type(operands, results) }]; }";
    let text = "\
module {
  func.func @f(%arg0: tensor<4x5xf32>, %arg1: tensor<f32>, %arg2: tensor<1x8x8x3xf32>, %arg3: tensor<3x3x3x16xf32>) {
    %0 = mhlo.reduce(%arg0 init: %arg1) applies mhlo.add across dimensions = [0] : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
    %1 = mhlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], reverse = [0, 1]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>
    return
  }
}
";
    let files = Folder::new(&[("mhlo.td", definitions), ("in.mlir", text)]);
    let printed = files.run(&["opt", "in.mlir", "--dialects", "mhlo.td"]);
    assert_eq!(printed.stdout, text, "{}", printed.stderr);
    let generic = files.run(&["opt", "in.mlir", "--dialects", "mhlo.td", "--mlir-print-op-generic"]).stdout;
    for (old, new) in [
        ("p = dense<0> : tensor<2x2xi64>", "p = dense<0> : tensor<1x2x2xi64>"),
        ("s = dense<1> : tensor<2xi64>", "s = dense<1> : tensor<1x2xi64>"),
    ] {
        assert!(generic.contains(old), "{generic}");
        let other = generic.replace(old, new);
        let files = Folder::new(&[("mhlo.td", definitions), ("in.mlir", &other)]);
        let printed = files.run(&["opt", "in.mlir", "--dialects", "mhlo.td"]);
        assert!(printed.stdout.contains(new), "{}{}", printed.stdout, printed.stderr);
    }
    for part in [
        "<{dimensions = dense<0> : tensor<1xi64>}>",
        "p = dense<0> : tensor<2x2xi64>, s = dense<1> : tensor<2xi64>, w = dense<[false, true]> : tensor<2xi1>",
    ] {
        assert!(generic.contains(part), "{generic}");
    }
}

/// The custom form of `while` has one list of names for the arguments of both regions. Unique names differ between the
/// regions, so the operation is printed in generic form.
#[test]
fn while_is_printed_in_generic_form_if_names_are_unique() {
    let printed = opt(CUSTOM, &["--mlir-print-unique-ssa-ids"]).unwrap();
    assert!(printed.contains("\"stablehlo.while\"(%"), "{printed}");
    assert_eq!(without_names(&opt(&printed, &[]).unwrap()), without_names(CUSTOM));
}

/// An operation or attribute is not printed in custom form if the custom form cannot express it.
#[test]
fn nothing_is_lost_if_the_custom_form_cannot_express_it() {
    let reduce = "func.func @f(%a: tensor<4x5xf32>, %b: tensor<f32>) {\n  \
        %0 = stablehlo.reduce(%a init: %b) across dimensions = [0] : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>\n  \
        reducer(%x: tensor<f32>, %y: tensor<f32>) {\n    %1 = stablehlo.add %x, %y : tensor<f32>\n    \
        stablehlo.return {keep = 1 : i32} %1 : tensor<f32>\n  }\n  func.return\n}\n";
    let kept = reduce.replace(
        "stablehlo.return {keep = 1 : i32} %1 : tensor<f32>",
        "\"stablehlo.return\"(%1) {keep = 1 : i32} : (tensor<f32>) -> ()",
    );
    let printed = opt(&kept, &[]).unwrap();
    assert!(printed.contains("keep = 1 : i32"), "{printed}");
    let conv = |numbers: &str| {
        format!(
            "func.func @f(%a: tensor<1x8x8x3xf32>, %b: tensor<3x3x3x16xf32>) {{\n  %0 = \"stablehlo.convolution\"(%a, %b) \
             <{{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<{numbers}>, feature_group_count = 1 : i64}}> \
             : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>\n  func.return\n}}\n"
        )
    };
    let printed = opt(&conv("[b, ?, f]x[0, i, o]->[b, 0, f]"), &[]).unwrap();
    assert!(printed.contains("\"stablehlo.convolution\"("), "{printed}");
    let raw = "raw input_feature_dimension = 3, input_batch_dimension = 0, input_spatial_dimensions = [2, 1], \
        kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], \
        output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]";
    let printed = opt(&conv(raw), &[]).unwrap();
    assert!(printed.contains("dim_numbers = [b, 1, 0, f]x[0, 1, i, o]->[b, 0, 1, f]"), "{printed}");
    let printed =
        opt(&conv(&raw.replace("feature_dimension = 3, input_b", "feature_dimension = 4, input_b")), &[])
            .unwrap();
    assert!(printed.contains("\"stablehlo.convolution\"("), "{printed}");
    let dot = |fields: &str| {
        format!(
            "func.func @f(%a: tensor<4x5xf32>) {{\n  %0 = \"stablehlo.dot_general\"(%a, %a) <{{dot_dimension_numbers = \
             #stablehlo.dot<{fields}>}}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<5x5xf32>\n  func.return\n}}\n"
        )
    };
    for fields in [
        "lhs_contracting_dimensions = [0], foo = [1]",
        "lhs_contracting_dimensions = 5 : i64, rhs_contracting_dimensions = [0]",
        "lhs_contracting_dimensions = [a], rhs_contracting_dimensions = [0]",
    ] {
        let printed = opt(&dot(fields), &[]).unwrap();
        assert!(printed.contains(&format!("#stablehlo.dot<{fields}>")), "{printed}");
    }
}

#[test]
fn wrong_text_is_refused() {
    let types = "(tensor<4x5xf32>, tensor<4x5xf32>)";
    for (text, expected) in [
        ("stablehlo.add %a, %b : (tensor<4x5xf32>) -> tensor<4x5xf32>".to_owned(), "2 operands have 1 type"),
        (format!("stablehlo.add %a, %b : {types} -> {types}"), "the function type must have one result"),
        ("stablehlo.tuple %a, %b : tensor<f32>".to_owned(), "the type must be a tuple"),
        ("stablehlo.constant() <5> : () -> tensor<f32>".to_owned(), "the properties must be a dictionary"),
        ("stablehlo.constant() : (i32) -> tensor<f32>".to_owned(), "expected ')'"),
        ("stablehlo.constant() : () -> (i1, i2)".to_owned(), "expected '->' in a function type"),
        (
            "stablehlo.select %a, %a, %b : tensor<4x5xf32>".to_owned(),
            "the type of the result, or a function type",
        ),
        (
            "stablehlo.complex %a, %b : tensor<4x5xf32>".to_owned(),
            "the type must be a tensor of complex numbers",
        ),
        (
            "stablehlo.reduce_precision %a, format = e5 : tensor<4x5xf32>".to_owned(),
            "'e5' is not a format such as 'e5m10'",
        ),
        (
            "stablehlo.reduce_precision %a, format = e99999999999m1 : tensor<4x5xf32>".to_owned(),
            "such as 'e5m10'",
        ),
        (format!("stablehlo.concatenate %a, %b dim = 0 : {types} -> tensor<8x5xf32>"), "expected ','"),
        (
            "stablehlo.slice %a [0:1, 0:2:] : (tensor<4x5xf32>) -> tensor<1x2xf32>".to_owned(),
            "expected an integer",
        ),
        (
            format!("stablehlo.dot_general %a, %b, batching_dims = [0] x [0] : {types} -> tensor<4xf32>"),
            "expected ','",
        ),
        (
            format!(
                "stablehlo.dot_general %a, %b, contracting_dims = [1] x [1], precision = [FOO] : {types} -> tensor<4x4xf32>"
            ),
            "'FOO' is not a case of the enumeration",
        ),
        (
            "stablehlo.reduce(%a init: %b) applies stablehlo.subtract across dimensions = [0] : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<5xf32>"
                .to_owned(),
            "'applies' names 'stablehlo.subtract', which is not one of 'stablehlo.add'",
        ),
        (
            format!(
                "stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{}} : {types} -> tensor<f32>"
            ),
            "a list of 'b', 'f' and the numbers from 0",
        ),
        (
            format!(
                "stablehlo.convolution(%a, %b) dim_numbers = [b, f]x[i, o]->[b, f], window = {{pad = [], pad = []}} : {types} -> tensor<f32>"
            ),
            "one of stride, pad, lhs_dilate, rhs_dilate, reverse, each once",
        ),
    ] {
        let module = format!(
            "func.func @f(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) {{\n  %0 = {text}\n  func.return\n}}\n"
        );
        let error = opt(&module, &[]).unwrap_err();
        assert!(error.contains(expected), "{text}\n{error}");
    }
}
