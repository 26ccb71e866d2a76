//! Compares builtin types and attributes, valid and invalid, with `mlir-opt-22`: drrvm accepts and rejects the same
//! texts and prints them in the same way.

use crate::common::{llvm_tool, pipe};
use drrvm::host::FloatFormat;
use drrvm::ir::{Context, PrintOptions, parse_module, verify};
use drrvm::source::SourceMap;

const MARKER: &str = "// -----\n";

/// Returns the generic form of a text as drrvm prints it, or `None` if the text is invalid.
fn ours(text: &str) -> Option<String> {
    let mut sources = SourceMap::default();
    let file = sources.add("-", text).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).ok()?;
    let right = !verify(&context, &module).has_errors();
    right.then(|| module.print(&context, PrintOptions::new().generic(true)))
}

/// Returns the output of `mlir-opt` for each text, or `None` for invalid texts. One run handles all texts.
fn theirs(tool: &str, texts: &[String]) -> Vec<Option<String>> {
    let flags = [
        "--allow-unregistered-dialect",
        "--mlir-print-op-generic",
        "--split-input-file",
        "--output-split-marker=// -----",
    ];
    let output = pipe(tool, &flags, texts.join(MARKER).as_bytes());
    let printed = String::from_utf8(output.stdout).unwrap();
    let parts = printed.split(MARKER).map(|part| (!part.is_empty()).then(|| part.trim_end().to_owned()));
    let parts: Vec<_> = parts.collect();
    assert_eq!(parts.len(), texts.len(), "{}", String::from_utf8_lossy(&output.stderr));
    parts
}

/// Compares the outputs of drrvm and of `mlir-opt` for each text. `differences` pairs fragments of texts with reasons:
/// for each fragment, some text that contains it must differ. All texts without such a fragment must agree.
fn compare(texts: &[String], differences: &[(&str, &str)]) {
    let Some(tool) = llvm_tool("mlir-opt") else { return };
    let (mut read, mut refused, mut wrong) = (0, 0, Vec::new());
    let mut named = vec![0; differences.len()];
    for (text, theirs) in texts.iter().zip(theirs(&tool, texts)) {
        let ours = ours(text).map(|text| text.trim_end().to_owned());
        let reason = differences.iter().position(|(known, _)| text.contains(known));
        match reason {
            Some(reason) if ours != theirs => named[reason] += 1,
            None if ours != theirs => wrong.push(format!("{text}ours   {ours:?}\ntheirs {theirs:?}")),
            _ => {}
        }
        if theirs.is_some() { read += 1 } else { refused += 1 }
    }
    for ((known, _), _) in differences.iter().zip(&named).filter(|(_, count)| **count == 0) {
        wrong.push(format!("named difference no longer occurs: {known}"));
    }
    println!("{read} accepted, {refused} rejected, {} named differences", named.iter().sum::<usize>());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns one operation for each item, with the item as its attribute.
fn in_operations(items: impl IntoIterator<Item = impl std::fmt::Display>) -> Vec<String> {
    items.into_iter().map(|item| format!("\"t.a\"() {{x = {item}}} : () -> ()\n")).collect()
}

const OF_A_DIALECT: &str = "only the dialect can check its types and attributes";
const UNPRINTABLE: &str = "mlir-opt cannot read its own output";

#[test]
fn types() {
    compare(
        &in_operations(include_str!("../../data/mlir/types.txt").lines()),
        &[
            ("{x = vector<4x!a.b>}", OF_A_DIALECT),
            ("{x = memref<4x!a.b>}", OF_A_DIALECT),
            ("{x = memref<4xi32, #a.b>}", OF_A_DIALECT),
            ("{x = memref<4xi32, #a.b, 1>}", OF_A_DIALECT),
            ("{x = graph<", "mlir-opt has the type and no syntax to read it"),
        ],
    );
}

#[test]
fn attributes() {
    compare(
        &in_operations(include_str!("../../data/mlir/attributes.txt").lines()),
        &[
            ("{x = @\"\"}", UNPRINTABLE),
            ("9223372036854775807 - 1)", UNPRINTABLE),
            ("9223372036854775807 + 1)", UNPRINTABLE),
            ("4611686018427387904 * -2 * 1)", UNPRINTABLE),
            ("{x = loc(#a.b)}", OF_A_DIALECT),
            ("{x = loc(\"a\"(#a.b))}", OF_A_DIALECT),
            ("{x = #arith.foo}", OF_A_DIALECT),
            ("{x = dense<1> : !a.b}", OF_A_DIALECT),
        ],
    );
}

/// Numbers of each float format, alone and in elements: decimals (exact, rounded, too large, too small), and bit
/// patterns.
#[test]
fn floats() {
    let mut items = Vec::new();
    for &format in FloatFormat::ALL {
        let name = format.name();
        let unsigned = format == FloatFormat::F8E8M0FNU;
        let decimals = [
            "0.0",
            "1.0",
            "0.1",
            "3.3",
            "7.0",
            "100.0",
            "448.0",
            "1.0e10",
            "1.0e-10",
            "1.0e300",
            "1.0e-300",
            "1.0e400",
            "0.5",
            "0.25",
            "2.5e-2",
            "65519.99",
            "65520.0",
            "3.4028235677973366e38",
            "1.1754943e-38",
            "-0.0",
            "-1.0",
            "-1.0e30",
        ];
        // MLIR does not specify the conversion of negative numbers to an unsigned format.
        let decimals = decimals.iter().filter(|text| !unsigned || !text.starts_with('-'));
        let bits =
            ["0x0", "0x1", "0x3", "0x7", "0xF", "0x1F", "0x20", "0x3F", "0x7F", "0x80", "0xFF", "0x100"];
        let wide = [
            "0x7C00",
            "0x7C01",
            "0xFC00",
            "0x7F80",
            "0x7FC1",
            "0xFFFF",
            "0x10000",
            "0x3FC00",
            "0x3FC01",
            "0x7FFFF",
            "0x80000",
            "0x7F800000",
            "0xFF800001",
            "0x7FF0000000000000",
            "0xFFF8000000000001",
            "0x3FFF8000000000000000",
            "0x3FFF0000000000000000",
            "0x00008000000000000000",
            "0x7FFF8000000000000000",
            "0xFFFF0000000000000001",
            "0x7FFFC000000000000001",
            "0x7FFF0000000000000000000000000000",
            "0xFFFF8000000000000000000000000001",
            "0x3FFF0000000000000000000000000001",
        ];
        for text in decimals.chain(&bits).chain(&wide) {
            items.push(format!("{text} : {name}"));
            items.push(format!("dense<[{text}, 1.0]> : tensor<2x{name}>"));
        }
    }
    // MLIR stores a number that is too large for these formats as the largest number. But 1.0e400 is an infinity even
    // as `f64`, and MLIR converts an infinity to the bits of zero, because these formats have no infinities.
    let names = ["f4E2M1FN", "f6E2M3FN", "f6E3M2FN"];
    let alone = names.map(|name| format!("{{x = 1.0e400 : {name}}}"));
    let elements = names.map(|name| format!("dense<[1.0e400, 1.0]> : tensor<2x{name}>"));
    let finite = alone.iter().chain(&elements).map(|text| (&**text, "mlir-opt converts an infinity to zero"));
    compare(&in_operations(&items), &finite.collect::<Vec<_>>());
}

/// Operations, regions, blocks, names, aliases, locations, resources, and operations with custom forms.
#[test]
fn operations() {
    let texts: Vec<String> =
        include_str!("../../data/mlir/operations.mlir").split(MARKER).map(str::to_owned).collect();
    compare(
        &texts,
        &[
            ("#l = loc(#m)", "drrvm allows an alias definition to use an alias that is defined later"),
            ("#foo = #d.x<1>", ALIAS),
            ("!foo = !d.x<1>", ALIAS),
            ("#x = #d.a<#y>", ALIAS),
            ("#_x = #d.a", ALIAS),
            ("arith.constant #a.b", OF_A_DIALECT),
            ("99999999999: ^a", "mlir-opt silently truncates the value to its type"),
            ("nodialect", OF_A_DIALECT),
            ("%0 = \"t.a\"() : () -> i32\n\"t.x\"() ({ %0 = ", HIDDEN),
            ("%0 = \"t.a\"() : () -> i32\nfunc.func @f() { %0 = ", HIDDEN),
        ],
    );
}

const HIDDEN: &str =
    "drrvm allows a name to be defined again inside an operation that may be isolated from above";
const ALIAS: &str = "mlir-opt drops aliases of types and attributes of unknown dialects";
