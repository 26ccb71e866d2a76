//! Tests of HEIR's dialects. The package `heir_py` 2026.11.1 printed `heir.mlir` and `heir.generic.mlir` from the same
//! module.

use crate::common::command;
use crate::common::damage;

const DIALECTS: &str = include_str!("heir.td");
const CUSTOM: &str = include_str!("heir.mlir");
const GENERIC: &str = include_str!("heir.generic.mlir");

/// Runs `drrvm opt` on a text with the dialects. Returns the printed module, or the errors.
fn opt(text: &str, options: &[&str]) -> Result<String, String> {
    command::opt(DIALECTS, text, options)
}

#[test]
fn custom_text_is_read_as_the_generic_text() {
    for input in [CUSTOM, GENERIC] {
        assert_eq!(opt(input, &["--mlir-print-op-generic"]).unwrap(), GENERIC);
    }
}

#[test]
fn printed_text_is_that_of_heir() {
    assert_eq!(opt(CUSTOM, &[]).unwrap(), CUSTOM);
}

/// MLIR 22 prints `prop-dict` as `<{…}>`, and later versions as `<…>`. Later versions read both.
#[test]
fn properties_are_printed_in_the_form_of_the_input() {
    let printed = opt(GENERIC, &[]).unwrap();
    assert!(
        printed.contains(
            "ckks.relinearize %arg0 <{from_basis = array<i32: 0, 1, 2>, to_basis = array<i32: 0, 1>}> {note} :"
        ),
        "{printed}"
    );
    assert_eq!(opt(&printed, &[]).unwrap(), printed);
    assert_eq!(opt(&printed, &["--mlir-print-op-generic"]).unwrap(), GENERIC);
    let rotate = |properties: &str| {
        let text = format!(
            "func.func @f(%a: i32, %i: index) -> i32 {{\n  %0 = ckks.rotate %a, %i{properties} : index : i32\n  return \
             %0 : i32\n}}\n"
        );
        opt(&text, &[])
    };
    for (properties, expected) in [
        (" <>", "%arg1 : index"),
        (" <static_shift = 3 : i64>", "%arg1 <static_shift = 3 : i64> : index"),
        (" <{static_shift = 3 : i64}>", "%arg1 <{static_shift = 3 : i64}> : index"),
    ] {
        let printed = rotate(properties).unwrap();
        assert!(printed.contains(expected), "{printed}");
    }
    for (properties, expected) in [
        (" <other = 1>", "operation 'ckks.rotate' has no property 'other'"),
        (" <static_shift = 1 : i64, static_shift = 2 : i64>", "the property 'static_shift' occurs twice"),
        (" <static_shift>", "'='"),
        (" <static_shift = 1 : i64 static_shift = 2 : i64>", "','"),
        (" <1>", "the name of a property"),
        (" <static_shift = 1 : i64", "','"),
    ] {
        let error = rotate(properties).unwrap_err();
        assert!(error.contains(expected), "{properties}\n{error}");
    }
}

/// The custom form of these operations cannot express all types and attributes. An operation that it cannot express is
/// printed in generic form.
#[test]
fn inexpressible_operations_are_printed_in_generic_form() {
    for op in [
        "%0 = \"mod_arith.constant\"() <{value = 12 : i64}> : () -> !mod_arith.int<17 : i32>",
        "%0 = \"mod_arith.constant\"() <{value = 12 : i32}> {note} : () -> !mod_arith.int<17 : i32>",
        "%0 = \"mod_arith.constant\"() <{value = 12 : i32}> : () -> i32",
        // HEIR does not read `dense<1>`.
        "%0 = \"mod_arith.constant\"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<2x!mod_arith.int<17 : i32>>",
        "%0 = \"mod_arith.constant\"() <{value = dense<[1, 2]> : tensor<2xi64>}> : () -> tensor<2x!mod_arith.int<17 : i32>>",
        "%0 = \"polynomial.constant\"() <{value = #polynomial<typed_int_polynomial <x> : i32>}> : () -> i64",
        "%0 = \"polynomial.constant\"() <{value = 1 : i32}> : () -> i32",
        "\"secret.generic\"() : () -> ()",
        "\"secret.generic\"() ({\n  \"secret.yield\"() : () -> ()\n}) {__argattrs = [{a}]} : () -> ()",
        "\"secret.generic\"() ({\n  \"secret.yield\"() : () -> ()\n}) {__argattrs = []} : () -> ()",
        "\"secret.generic\"() ({\n  \"secret.yield\"() : () -> ()\n}) {__resattrs = 1 : i32} : () -> ()",
    ] {
        let name = op.split('"').nth(1).unwrap();
        let options = ["--mlir-very-unsafe-disable-verifier-on-parsing"];
        let printed = opt(&format!("{op}\n"), &options).unwrap();
        assert!(printed.contains(&format!("\"{name}\"(")), "{op}\n{printed}");
        assert_eq!(opt(&printed, &options).unwrap(), printed);
    }
}

/// If one operand has a dictionary of attributes, empty dictionaries are printed for the other operands, because HEIR
/// does not add a dictionary for an operand without one.
#[test]
fn dictionaries_are_printed_for_all_operands_or_for_none() {
    let text = "func.func @f(%a: i32) {\n  secret.generic(%a: i32 {x}, %a: i32) {\n    secret.yield\n  }\n  return\n}\n";
    let printed = opt(text, &[]).unwrap();
    assert!(printed.contains("secret.generic(%arg0: i32 {x}, %arg0: i32 {}) {\n"), "{printed}");
    let generic = opt(text, &["--mlir-print-op-generic"]).unwrap();
    assert!(generic.contains("{__argattrs = [{x}, {}]}"), "{generic}");
}

/// The expected outputs are those of `heir-opt`.
#[test]
fn modular_constants_have_the_values_of_their_storage_type() {
    let print = |value: &str, ty: &str| {
        opt(&format!("func.func @f() {{\n  %0 = mod_arith.constant {value} : {ty}\n  return\n}}\n"), &[])
    };
    for (value, ty, expected) in [
        ("0x11", "!mod_arith.int<17 : i8>", "mod_arith.constant 17 :"),
        ("-0x2", "!mod_arith.int<17 : i8>", "mod_arith.constant -2 :"),
        ("0xFF", "!mod_arith.int<17 : i8>", "mod_arith.constant -1 :"),
        (
            "123456789012345678901234567890",
            "!mod_arith.int<17 : i128>",
            "mod_arith.constant 123456789012345678901234567890 :",
        ),
        ("dense<[0x3, 1]>", "tensor<2x!mod_arith.int<17 : i128>>", "mod_arith.constant dense<[3, 1]> :"),
    ] {
        let printed = print(value, ty).unwrap();
        assert!(printed.contains(expected), "{printed}");
        assert_eq!(opt(&printed, &[]).unwrap(), printed);
    }
    // The error is at the number.
    for (value, ty, column) in
        [("300", "!mod_arith.int<17 : i8>", 27), ("dense<[3, 300]>", "tensor<2x!mod_arith.int<17 : i8>>", 37)]
    {
        let error = print(value, ty).unwrap_err();
        assert!(error.contains(&format!(":2:{column}")), "{error}");
    }
}

#[test]
fn polynomials_with_the_same_meaning_are_printed_alike() {
    for (text, expected) in [
        ("<1+x**1024>", "<1 + x**1024>"),
        ("<2x + 1>", "<1 + 2x>"),
        ("<1y**1 + -0>", "<0 + x>"),
        ("<x**-1 + -1x>", "<x**-1 + -1x>"),
        ("<0x + 3x**0>", "<3 + 0x>"),
        // Other texts are kept.
        ("<1 - x>", "<1 - x>"),
        ("<x + y>", "<x + y>"),
        ("<y + 0y>", "<y + 0y>"),
        ("<x *>", "<x *>"),
        ("<>", "<>"),
    ] {
        let text = format!("\"x.y\"() {{a = #polynomial.int_polynomial{text}}} : () -> ()\n");
        let printed = opt(&text, &["--allow-unregistered-dialect"]).unwrap();
        assert!(printed.contains(&format!("#polynomial.int_polynomial{expected}}}")), "{printed}");
    }
}

#[test]
fn wrong_text_is_refused() {
    for (text, expected) in [
        ("mod_arith.constant : i32", "an integer"),
        ("mod_arith.constant 1 : i32", "the type must be '!mod_arith.int<…>'"),
        ("mod_arith.constant dense<1> : i32", "'['"),
        ("mod_arith.constant dense<[1]> : !mod_arith.int<17 : i32>", "the type must be '!mod_arith.int<…>'"),
        ("mod_arith.constant 1 {a} : !mod_arith.int<17 : i32>", "':'"),
        ("polynomial.constant 1 : i32", "'int' or 'float'"),
        ("polynomial.constant int : i32", "expected"),
        ("polynomial.constant int<x>", "':'"),
        ("secret.generic {}", "'('"),
        ("secret.generic(%a) {}", "':'"),
        ("secret.generic() attrs {}", "'='"),
        ("secret.generic()", "'{'"),
        ("secret.generic() {\n  secret.yield\n  } -> (i32", "')'"),
        ("mod_arith.constant true : !mod_arith.int<17 : i32>", "an integer"),
        (
            "secret.generic(%a: i32 {x}) attrs = {__argattrs = [{y}]} {\n  secret.yield\n  }",
            "attribute '__argattrs' of 'secret.generic' occurs more than once",
        ),
        (
            "%0 = secret.generic() attrs = {__resattrs = [{x}]} {\n  secret.yield\n  } -> (i32 {y})",
            "attribute '__resattrs' of 'secret.generic' occurs more than once",
        ),
    ] {
        let module = format!("func.func @f(%a: i32) {{\n  {text}\n  return\n}}\n");
        let error = opt(&module, &[]).unwrap_err();
        assert!(error.contains(expected), "{text}\n{error}");
    }
}

#[test]
fn damaged_text_is_refused_or_read() {
    let (aliases, operations) = CUSTOM.split_at(CUSTOM.find("module {").unwrap());
    damage::check(DIALECTS, aliases, operations);
}
