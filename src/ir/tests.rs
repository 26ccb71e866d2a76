//! Tests of texts that `mlir-opt-22` accepts or refuses, with the output of `mlir-opt-22`.

use super::{Context, IrHost, Module, PrintOptions, parse_module, verify};
use crate::host::Facets;
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

/// The positions of files in different source maps overlap.
#[test]
fn errors_show_the_file_of_their_module() {
    let mut context = Context::new();
    let mut parse = |name: &str, text: &str| {
        let mut sources = SourceMap::default();
        let file = sources.add(name, text).expect("the text is short");
        parse_module(&mut context, sources.file(file)).expect("the text is valid")
    };
    parse("a.mlir", "func.func private @a()\n\n\n");
    let module = parse("b.mlir", "func.func private @b()\nfunc.func private @b()\n");
    let errors = verify(&context, &module).to_string();
    assert!(errors.contains("b.mlir:2:1") && !errors.contains("a.mlir"), "{errors}");
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
fn an_empty_resource_group_is_not_printed() {
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

/// Attributes that are different in MLIR, one on each line.
const DISTINCT: &str = "\
sparse<> : tensor<2xi32>
sparse<[], []> : tensor<2xi32>
sparse<[0], [1]> : tensor<2xi32>
sparse<0, [1]> : tensor<2xi32>
sparse<[0, 0], [1, 1]> : tensor<2xi32>
sparse<[[0], [0]], [1, 1]> : tensor<2xi32>
sparse<[[1, 1], [1, 1]], [5, 6]> : tensor<2x3xi32>
sparse<1, 5> : tensor<2x3xi32>
sparse<[0, 1], [\"a\", \"b\"]> : tensor<2x!a.b>
sparse<[[], []], [1, 2]> : tensor<i32>
sparse<[[]], 1> : tensor<i32>
sparse<[0, 1], [0, 0]> : tensor<2xi0>
dense<0> : tensor<2xi0>
dense<[(0, 0), (0, 0)]> : tensor<2xcomplex<i0>>
dense<> : tensor<0xi0>
0x7FFF8000000000000000000000000001 : f128
0x7FFF8000000000000000000000000000 : f128
0x3FFF0000000000000000000000000001 : f128
1.0 : f128
0x3FFF8000000000000001 : f80
1.0 : f80
dense<[0x3FFF0000000000000000000000000001, 0x3FFF0000000000000000000000000002]> : tensor<2xf128>
loc(\"a\":1:2)
loc(\"a\":1:2 to 1:2)
tensor<2xi32, sparse<[], []> : tensor<2xi32>>
tensor<2xi32, sparse<> : tensor<2xi32>>";

#[test]
fn the_exact_text_of_an_attribute_parses_to_the_same_attribute() {
    let mut context = Context::new();
    let mut seen = Vec::new();
    for text in DISTINCT.lines() {
        let attr = context.parse_attr(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert!(!seen.contains(&attr), "{text} equals an attribute before it");
        seen.push(attr);
        let exact = context.exact_attr_text(attr);
        assert_eq!(context.parse_attr(&exact).ok(), Some(attr), "{text}: {exact}");
    }
}

#[test]
fn the_same_constant_has_many_texts() {
    let mut context = Context::new();
    for (one, other) in [
        ("sparse<0, 1> : tensor<2xi32>", "sparse<0, [1]> : tensor<2xi32>"),
        ("sparse<[[1, 1]], 1> : tensor<2x3xi32>", "sparse<1, 1> : tensor<2x3xi32>"),
        ("dense<0> : tensor<2xi0>", "dense<[0, 0]> : tensor<2xi0>"),
        ("dense<0> : tensor<2xi0>", "dense<\"0x\"> : tensor<2xi0>"),
        ("dense<0> : tensor<0xi0>", "dense<> : tensor<0xi0>"),
    ] {
        let equal = context.parse_attr(one).expect("an attribute") == context.parse_attr(other).expect("one");
        assert!(equal, "{one} and {other}");
    }
}

#[test]
fn elements_can_have_no_bits() {
    for (text, printed) in [
        ("0x00 : i0", "0 : i0"),
        ("dense<0> : tensor<2xi0>", "dense<[0, 0]> : tensor<2xi0>"),
        ("dense<[[0], [0]]> : vector<2x1xi0>", "dense<[[0], [0]]> : vector<2x1xi0>"),
        ("dense<0> : tensor<101xi0>", "dense<\"0x\"> : tensor<101xi0>"),
        ("dense<(0, 0)> : tensor<2xcomplex<i0>>", "dense<[(0,0), (0,0)]> : tensor<2xcomplex<i0>>"),
        (
            "dense<0> : tensor<100000000000x100000000000xi0>",
            "dense<\"0x\"> : tensor<100000000000x100000000000xi0>",
        ),
    ] {
        let printed = format!("module {{\n  \"t.a\"() {{a = {printed}}} : () -> ()\n}}\n");
        assert_eq!(custom(&format!("\"t.a\"() {{a = {text}}} : () -> ()")), printed);
    }
    // MLIR keeps the length of an array of `i0`.
    for text in ["array<i0>", "array<i0: 0>", "array<i0: 0, 0>"] {
        let op = format!("\"t.a\"() {{a = {text}}} : () -> ()");
        assert_eq!(custom(&op), format!("module {{\n  {op}\n}}\n"));
        let mut context = Context::new();
        let attr = context.parse_attr(text).expect("an attribute");
        let top = Module::new(&mut context);
        let host = IrHost::new(context, top);
        let len = text.matches(" 0").count() as u64;
        assert_eq!(host.attr_kind(attr), crate::host::AttrKind::DenseArray { len });
    }
    for text in
        ["1 : i0", "-0 : i0", "-0 : ui0", "1.0 : i0", "dense<1> : tensor<2xi0>", "dense<-0> : tensor<2xi0>"]
    {
        assert!(
            print(&format!("\"t.a\"() {{a = {text}}} : () -> ()"), PrintOptions::new()).is_err(),
            "{text}"
        );
    }
}

#[test]
fn a_nul_outside_of_strings_ends_the_text_of_a_dialect() {
    let text = "\"t.a\"() {a = #a.b<\"x\0y\">} : () -> ()";
    assert_eq!(custom(text), format!("module {{\n  {text}\n}}\n"));
    let errors = print("\"t.a\"() {a = #a.b<x\0y>} : () -> ()", PrintOptions::new()).unwrap_err();
    assert!(errors.to_string().contains("a.mlir:1:18"), "{errors}");
}

#[test]
fn types_of_a_declaration_have_locations_and_aliases() {
    let text = "func.func private @f(i32 loc(\"a\"), memref<4xf32, affine_map<(d0) -> (d0 * 2)>>)\n";
    let expected = "#map = affine_map<(d0) -> (d0 * 2)>\nmodule {\n  \
                    func.func private @f(i32, memref<4xf32, #map>)\n}\n";
    assert_eq!(custom(text), expected);
}

#[test]
fn sparse_elements_are_elided_by_the_number_of_their_indices_and_values() {
    let text = "\"t.a\"() {v = sparse<[[0], [3]], [1, 2]> : tensor<8xi32>} : () -> ()\n";
    let printed = |limit| print(text, PrintOptions::new().elide_elements(Some(limit))).unwrap();
    assert!(printed(2).contains("v = sparse<[[0], [3]], [1, 2]> : tensor<8xi32>"));
    assert!(printed(1).contains("v = dense_resource<__elided__> : tensor<8xi32>"));
}

#[test]
fn a_repeated_name_in_a_long_dictionary_is_reported_where_it_stands() {
    let entries: Vec<String> = (0..20).map(|index| format!("a{index} = {index}")).collect();
    let text = format!("\"t.a\"() {{{},\n  a3 = 1}} : () -> ()", entries.join(", "));
    let mut sources = SourceMap::default();
    let file = sources.add("a.mlir", text).unwrap();
    let errors = parse_module(&mut Context::new(), sources.file(file)).unwrap_err();
    let error = errors.iter().next().unwrap();
    assert_eq!(error.message, "duplicate key 'a3' in dictionary attribute");
    let place = sources.locate(error.labels[0].span).unwrap();
    assert_eq!((place.line, place.column), (2, 3));
}

#[test]
fn regions_in_generic_form_inherit_the_default_dialect() {
    let text = "func.func @f() {\n  \"t.r\"() ({ call @f() : () -> () }) : () -> ()\n  return\n}\n";
    let mut sources = SourceMap::default();
    let file = sources.add("a.mlir", text).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).unwrap();
    assert!(module.print(&context, PrintOptions::new()).contains("func.call @f() : () -> ()"));
}

/// As in MLIR, a known operation without properties rejects even `<{}>`, and other known operations ignore undeclared
/// properties. Unknown operations keep all properties.
#[test]
fn properties_are_those_of_the_definition() {
    let add = "func.func @f(%a: i32) {\n  %0 = \"arith.addi\"(%a, %a) <{x = 1 : i32}> : (i32, i32) -> i32\n  return\n}\n";
    assert!(custom(add).contains("arith.addi %arg0, %arg0 : i32"));
    let end = "func.func @f() {\n  \"func.return\"() <{}> : () -> ()\n}\n";
    let errors = print(end, PrintOptions::new()).unwrap_err().to_string();
    assert!(errors.contains("operation 'func.return' has no properties"), "{errors}");
    assert_eq!(
        custom("\"t.a\"() <{x = 1 : i32}> : () -> ()"),
        "module {\n  \"t.a\"() <{x = 1 : i32}> : () -> ()\n}\n"
    );
}
