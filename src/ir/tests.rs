//! Texts that `mlir-opt-22` accepts or refuses, with its output.

use super::{Context, PrintOptions, parse_module, verify};
use crate::source::{Diagnostics, SourceMap};

/// Parses, verifies and prints the operations of a module.
fn print(text: &str, options: PrintOptions) -> Result<String, Diagnostics> {
    let mut sources = SourceMap::default();
    let file = sources.add("a.mlir", text)?;
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file))?;
    let errors = verify(&context, &module);
    if errors.has_errors() { Err(errors) } else { Ok(module.print(&context, options)) }
}

fn custom(text: &str) -> String {
    print(text, PrintOptions::new()).expect("mlir-opt accepts it")
}

#[test]
fn an_attribute_cannot_refer_to_a_later_alias() {
    let errors = print("\"t.a\"() {a = #a} : () -> ()\n#a = 1 : i32\n", PrintOptions::new()).unwrap_err();
    assert!(errors.to_string().contains("undefined symbol alias id '#a'"), "{errors}");
    assert!(errors.to_string().contains("a.mlir:1:14"), "{errors}");
    let later = "\"t.a\"() : () -> () loc(#loc)\n#loc = loc(\"x\":1:2)\n";
    assert!(
        print(later, PrintOptions::new().debug_info(true))
            .expect("mlir-opt accepts it")
            .contains("\"x\":1:2")
    );
}

#[test]
fn an_empty_external_resource_is_not_printed() {
    let text = "\"t.a\"() : () -> ()\n{-# external_resources: { x: {} } #-}\n";
    assert_eq!(custom(text), "module {\n  \"t.a\"() : () -> ()\n}\n");
}

#[test]
fn a_comma_without_an_encoding_is_ignored() {
    let text = "\"t.a\"() {a = tensor<4xi32,>} : () -> ()";
    assert_eq!(custom(text), "module {\n  \"t.a\"() {a = tensor<4xi32>} : () -> ()\n}\n");
}

#[test]
fn a_splat_can_have_any_number_of_elements() {
    let text = "\"t.a\"() {a = dense<1> : tensor<9223372036854775807x9223372036854775807xi32>} : () -> ()";
    assert_eq!(custom(text), format!("module {{\n  {text}\n}}\n"));
}

#[test]
fn a_range_location_differs_from_its_start() {
    let mut context = Context::new();
    let start = context.parse_loc("loc(\"a\":1:2)").expect("a location");
    let range = context.parse_loc("loc(\"a\":1:2 to 1:2)").expect("a location");
    assert_ne!(start, range);
    assert_eq!(context.loc_text(range), "loc(\"a\":1:2)");
}

#[test]
fn an_unrealized_conversion_cast_has_a_custom_form() {
    let text = "module {\n  %0 = \"t.a\"() : () -> i32\n  %1 = unrealized_conversion_cast %0 : i32 to f32\n  \
                %2:2 = unrealized_conversion_cast %0, %1 : i32, f32 to i1, i2 {a}\n  \
                %3 = unrealized_conversion_cast to i32\n}\n";
    assert_eq!(custom(text), text);
    assert!(print("builtin.unrealized_conversion_cast to ", PrintOptions::new()).is_err());
}
