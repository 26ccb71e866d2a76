//! Tests of IREE's dialects. C++ code reads and prints many of their custom forms. The package `iree-base-compiler`
//! 3.13 printed `iree.mlir` and `iree.generic.mlir` from the same module, with the option `--mlir-print-local-scope`.
//! Names of values are not compared, because C++ code suggests them.

use std::fmt::Write;
use std::sync::Arc;

use drrvm::compile::DialectFiles;
use drrvm::ir::dialect::DialectSource;
use drrvm::ir::{Context, PrintOptions, parse_module};
use drrvm::source::SourceMap;

use crate::common::command::{self, Folder};
use crate::common::seed::seed;

const DIALECTS: &str = include_str!("iree.td");
const CUSTOM: &str = include_str!("iree.mlir");
const GENERIC: &str = include_str!("iree.generic.mlir");

/// Runs `drrvm opt` on a text with the dialects. Returns the printed module, or the errors.
fn opt(text: &str, options: &[&str]) -> Result<String, String> {
    command::opt(DIALECTS, text, options)
}

/// Removes the names of values from a text.
fn without_names(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        write!(out, "{before}%").unwrap();
        rest =
            after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '#' || c == ':');
        // A colon either starts the number of results or follows the name of an argument. Only a colon after an
        // argument is kept.
        if after[..after.len() - rest.len()].ends_with(':') {
            out.push(':');
        }
    }
    out += rest;
    // The results of an operation have one name each or a common name, so a list of names becomes one name.
    while out.contains("%, % =") {
        out = out.replace("%, % =", "% =");
    }
    out
}

#[test]
fn custom_text_is_read_as_the_generic_text() {
    let printed = opt(CUSTOM, &["--mlir-print-op-generic"]).unwrap();
    assert_eq!(opt(&printed, &["--mlir-print-op-generic"]).unwrap(), printed);
    assert_eq!(opt(GENERIC, &["--mlir-print-op-generic"]).unwrap(), printed);
}

#[test]
fn printed_text_is_that_of_iree() {
    assert_eq!(without_names(&opt(CUSTOM, &[]).unwrap()), without_names(CUSTOM));
}

#[test]
fn generic_text_is_printed_in_custom_form() {
    // The generic text does not separate inherent attributes from discardable attributes.
    let expected =
        CUSTOM.replace("<inlining_policy = #util.inline.never>", "{inlining_policy = #util.inline.never}");
    assert_eq!(without_names(&opt(GENERIC, &[]).unwrap()), without_names(&expected));
}

/// An operation that the custom form cannot express is printed in generic form.
#[test]
fn inexpressible_operations_are_printed_in_generic_form() {
    for op in [
        "\"util.assume.int\"(%n) {assumptions = []} : (index) -> index",
        "\"util.assume.int\"(%n) {assumptions = [[1]]} : (index) -> index",
        "\"util.range.extents\"() : () -> (index, index)",
        "\"util.list.set\"(%l, %n) : (!util.list<i32>, index) -> ()",
        "\"util.call\"(%n) {callee = @f} : (index) -> index",
        "\"util.call\"(%n) {callee = @f, tied_operands = [1 : index]} : (index) -> index",
        "\"util.call\"(%n) {callee = @f, tied_operands = [0]} : (index) -> index",
        "\"util.call\"(%n, %n) {callee = @f, tied_operands = [1 : index]} : (index, index) -> index",
        "\"util.unfoldable_constant\"() {value = 1 : i8} : () -> i32",
        "\"flow.dispatch\"() {entry_points = [1], operandSegmentSizes = array<i32: 0, 0, 0, 0>} : () -> ()",
        "\"flow.dispatch\"(%n) {entry_points = [@f], operandSegmentSizes = array<i32: 0, 0, 1, 0>} : (index) -> ()",
        "\"stream.resource.pack\"(%n) {lifetime_intervals = [0 : index], operandSegmentSizes = array<i32: 0, 1>} : \
         (index) -> (index, index)",
        "\"stream.cmd.dispatch\"(%r, %n, %n, %n) {entry_points = [@f], resource_accesses = [4 : i32], \
         operandSegmentSizes = array<i32: 0, 0, 1, 1, 1, 1>} : (!stream.resource<*>, index, index, index) -> ()",
        "\"stream.timepoint.await\"(%r, %t) {operandSegmentSizes = array<i32: 1, 0, 1>} : (!stream.resource<*>, \
         !stream.timepoint) -> !stream.resource<*>",
    ] {
        let name = &op[1..op[1..].find('"').unwrap() + 1];
        let module = format!(
            "util.func private @m(%n: index, %l: !util.list<i32>, %r: !stream.resource<*>, %t: !stream.timepoint) {{\n  \
             {op}\n  util.return\n}}\n"
        );
        match opt(&module, &["--mlir-very-unsafe-disable-verifier-on-parsing"]) {
            Ok(printed) => assert!(printed.contains(&format!("\"{name}\"(")), "{op}\n{printed}"),
            Err(error) => assert!(error.contains("operand") || error.contains("segment"), "{op}\n{error}"),
        }
    }
}

/// The expected outputs are those of `iree-opt`, with two exceptions. `iree-opt` loses the `sym_name` of a constant
/// block. It also prints the attributes in the signature of the block a second time, as `arg_attrs` and `res_attrs`,
/// and then refuses to read its output.
#[test]
fn functions_keep_their_attributes() {
    for (text, expected) in [
        (
            "util.func private @g(tensor<f32> {a.b}, i32) -> (i32 {a.c}, i32)",
            "util.func private @g(%arg0: tensor<f32> {a.b}, %arg1: i32) -> (i32 {a.c}, i32)",
        ),
        (
            "util.initializer attributes {arg_attrs = [], sym_name = \"x\"} {\n  util.return\n}",
            "util.initializer attributes {arg_attrs = [], sym_name = \"x\"} {",
        ),
        (
            "hal.executable.condition(%d: !hal.device) -> i1 {\n  %t = arith.constant true\n  hal.return %t : i1\n} \
             attributes {arg_attrs = [{c.d}], keys = 5 : i32, sym_name = \"q\"}",
            "attributes {arg_attrs = [{c.d}], keys = 5 : i32, sym_name = \"q\"}",
        ),
        (
            "hal.executable.constant.block() -> i32 as \"foo\" attributes {sym_name = \"q\"} {\n  \
             %t = arith.constant 1 : i32\n  hal.return %t : i32\n}",
            "as \"foo\" attributes {sym_name = \"q\"} {",
        ),
        (
            "hal.executable.constant.block(%d: !hal.device {a.b}) -> (i32, i32 {c.d}) as (\"foo\", \"bar\") attributes \
             {k} {\n  %t = arith.constant 1 : i32\n  hal.return %t, %t : i32, i32\n}",
            "(%arg0: !hal.device {a.b}) -> (i32, i32 {c.d}) as (\"foo\", \"bar\") attributes {k} {",
        ),
        (
            "hal.executable.constant.block(%d: !hal.device) -> i32 as \"foo\" attributes {arg_attrs = [{}]} {\n  \
             %t = arith.constant 1 : i32\n  hal.return %t : i32\n}",
            "(%arg0: !hal.device) -> i32 as \"foo\" attributes {arg_attrs = [{}]} {",
        ),
    ] {
        let options = ["--mlir-very-unsafe-disable-verifier-on-parsing"];
        let printed = opt(&format!("{text}\n"), &options).unwrap();
        assert!(printed.contains(expected), "{printed}");
        assert_eq!(opt(&printed, &options).unwrap(), printed);
    }
}

/// The custom form cannot express these attributes of arguments.
#[test]
fn functions_with_inexpressible_argument_attributes_are_printed_in_generic_form() {
    for attrs in ["[1]", "[{}]", "[{a.b}, {}]"] {
        let text = format!(
            "\"util.func\"() ({{\n}}) {{arg_attrs = {attrs}, function_type = (i32) -> (), sym_name = \"f\", \
             sym_visibility = \"private\"}} : () -> ()\n"
        );
        let printed = opt(&text, &["--mlir-very-unsafe-disable-verifier-on-parsing"]).unwrap();
        assert!(printed.contains(&format!("arg_attrs = {attrs}")), "{printed}");
        assert!(printed.contains("\"util.func\"()"), "{printed}");
    }
}

/// Aliases occur in the attributes of arguments in IREE, but not in those of `func.func`.
#[test]
fn attributes_of_arguments_have_aliases() {
    let text = "util.func public @f(%a: i32 {u.x = affine_map<(d0) -> (d0)>}) {\n  util.return\n}\n";
    let printed = opt(text, &[]).unwrap();
    assert!(printed.contains("%arg0: i32 {u.x = #map}"), "{printed}");
}

#[test]
fn absent_visibilities_are_printed_as_public() {
    for text in ["util.global @c : i32\n", "\"util.global\"() {sym_name = \"c\", type = i32} : () -> ()\n"] {
        let printed = opt(text, &[]).unwrap();
        assert!(printed.contains("util.global public @c : i32"), "{printed}");
    }
}

#[test]
fn wrong_visibilities_are_printed_in_generic_form() {
    for word in ["mutable", "", "weird thing"] {
        let text = format!(
            "\"util.global\"() {{sym_name = \"g\", sym_visibility = \"{word}\", type = i32}} : () -> ()\n"
        );
        let printed = opt(&text, &["--mlir-very-unsafe-disable-verifier-on-parsing"]).unwrap();
        assert!(printed.contains("\"util.global\"()"), "{printed}");
    }
}

#[test]
fn signatures_of_many_operands_are_read_and_printed_quickly() {
    let count = 100_000;
    let list = |item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(", ");
    let (arguments, results) = (list(&|i| format!("%a{i}: i32")), list(&|i| format!("%a{i}")));
    let text = format!(
        "util.func private @g({arguments}) -> ({results})\nutil.func private @f({arguments}) {{\n  %0:{count} = \
         util.call @g({results}) : ({}) -> ({results})\n  util.return\n}}\n",
        list(&|_| "i32".to_owned()),
    );
    let start = std::time::Instant::now();
    let printed = opt(&text, &[]).unwrap();
    assert!(printed.contains("-> (%arg0, %arg1,"), "{}", &printed[..1000]);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn wrong_text_is_refused() {
    for (text, expected) in [
        ("util.global private @g", "':' and a type, or '=' and a value with its type"),
        ("util.func private @f(tensor<f32>) -> %arg0", "a result can only share storage with an operand"),
        (
            "util.initializer attributes {function_type = () -> ()} {\n  util.return\n}",
            "'function_type' is part",
        ),
        (
            "util.func private @f() -> %x",
            "a result can only share storage with an operand, and '%x' is not an operand",
        ),
        ("util.func private @f() attributes {sym_name = \"g\"}", "'sym_name' is part of the signature"),
        ("flow.executable.export public @f as(1)", "the name of the symbol must be a string"),
        (
            "flow.executable.export public @f workgroups() -> index {}",
            "the results of the region must have the types",
        ),
        ("%0 = flow.dispatch 1() : () -> i32", "an entry point must be a symbol"),
        ("%0 = flow.dispatch @f() : () -> tensor<?xf32>", "'{'"),
        ("flow.tensor.trace \"k\" = []", "an operand"),
    ] {
        let error = opt(&format!("{text}\n"), &[]).unwrap_err();
        assert!(error.contains(expected), "{text}\n{error}");
    }
    for (text, expected) in [
        ("util.list.set %l[%n], %n : !util.list<?>", "'->' and the type of the element"),
        ("%0 = util.range.extents [%n] : index", "'for'"),
        ("%0 = util.assume.int %n : index", "'#util.int.assumption'"),
        ("%0 = util.unfoldable_constant [1]", "the value must have a type"),
        ("%0 = stream.cmd.execute with(%r) {} => !stream.timepoint", "'as'"),
        (
            "%0 = stream.timepoint.await %t => %r : !stream.resource<*>{%n, %n}",
            "values of type '!stream.resource<*>' have 1 size, but 2 are given",
        ),
        ("stream.cmd.dispatch @f { %r[%n for %n] : !stream.resource<*>{%n} }", "'ro', 'wo' or 'rw'"),
        (
            "%0:3 = stream.cmd.parameter.load { %b::%b[%i] : !stream.resource<*>{%n}, %b[%i] : \
             !stream.resource<*>{%n} } => !stream.timepoint",
            "all parameters of a list must have the same scope",
        ),
        (
            "%0 = stream.cmd.parameter.gather { %b[%i] -> %r[%n for %n] : !stream.resource<*>{%n}, %b[%i] -> \
             %t[%n for %n] : !stream.resource<*>{%n} } => !stream.timepoint",
            "all lines of a list must name the same resource",
        ),
        ("%0:2 = stream.resource.pack slices({ [0 1] = %n }) : index", "','"),
    ] {
        let module = format!(
            "util.func private @m(%n: index, %l: !util.list<?>, %r: !stream.resource<*>, %t: !stream.timepoint, %b: \
             !util.buffer, %i: i64) {{\n  {text}\n  util.return\n}}\n"
        );
        let error = opt(&module, &[]).unwrap_err();
        assert!(error.contains(expected), "{text}\n{error}");
    }
}

/// Parses a text and returns the printed module, or `None` if the text has errors.
fn printed(dialects: &Arc<dyn DialectSource>, text: &str) -> Option<String> {
    let mut context = Context::new();
    context.set_dialects(dialects.clone());
    let mut sources = SourceMap::default();
    let file = sources.add("in.mlir", text).unwrap();
    let module = parse_module(&mut context, sources.file(file)).ok()?;
    Some(module.print(&context, PrintOptions::new()))
}

/// Truncated text causes no panic. Text in which two words are exchanged is an error, or its printed form is read and
/// printed without changes.
#[test]
fn damaged_text_causes_no_panic() {
    let files = Folder::new(&[("iree.td", DIALECTS)]);
    let dialects = DialectFiles::new().path(files.path("iree.td")).shared();
    for cut in (0..CUSTOM.len()).step_by(211) {
        printed(&dialects, &CUSTOM[..cut]);
    }
    let lines: Vec<&str> = CUSTOM.lines().collect();
    let mut state = seed();
    let mut random = |count: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % count
    };
    let mut read = 0;
    for _ in 0..120 {
        let mut changed: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        let line = random(lines.len());
        let mut words: Vec<&str> = lines[line].split_inclusive(&[' ', '(', ',', '{']).collect();
        let (first, second) = (random(words.len().max(1)), random(words.len().max(1)));
        if words.is_empty() {
            continue;
        }
        words.swap(first, second);
        changed[line] = words.concat();
        if let Some(once) = printed(&dialects, &changed.join("\n")) {
            read += 1;
            assert_eq!(printed(&dialects, &once).as_ref(), Some(&once), "{}", changed[line]);
        }
    }
    assert!(read > 5, "{read} texts are modules");
}
