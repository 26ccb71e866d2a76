//! Builtin types and attributes one by one, usual and unusual, right and wrong: each is read, or refused, and printed
//! as `mlir-opt-22` does it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a test says what it compared")]

mod common;

use common::{llvm_tool, pipe};
use drrvm::ir::{Context, PrintOptions, parse_module, verify};
use drrvm::number::FloatFormat;
use drrvm::source::SourceMap;

const MARKER: &str = "// -----\n";

/// What we make of a text: its generic form, or nothing where it is wrong.
fn ours(text: &str) -> Option<String> {
    let mut sources = SourceMap::default();
    let file = sources.add("-", text).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).ok()?;
    let right = !verify(&context, &module, |_, _| {}).has_errors();
    right.then(|| module.print(&context, PrintOptions::new().generic(true)))
}

/// What `mlir-opt` makes of texts, all in one run; nothing of those that are wrong.
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

/// Compares all; where the two differ, the difference has a reason, and where there is a reason they differ.
fn compare(things: &[String], differences: &[(&str, &str)]) {
    let Some(tool) = llvm_tool("mlir-opt") else { return };
    let texts: Vec<String> =
        things.iter().map(|thing| format!("\"t.a\"() {{x = {thing}}} : () -> ()\n")).collect();
    let (mut read, mut refused, mut wrong) = (0, 0, Vec::new());
    for ((thing, text), theirs) in things.iter().zip(&texts).zip(theirs(&tool, &texts)) {
        let ours = ours(text).map(|text| text.trim_end().to_owned());
        let known = differences.iter().any(|(known, _)| known == thing);
        match (&ours, &theirs) {
            _ if known == (ours != theirs) => {}
            _ if known => wrong.push(format!("{thing}: no difference any more")),
            _ => wrong.push(format!("{thing}: ours {ours:?}, theirs {theirs:?}")),
        }
        if theirs.is_some() { read += 1 } else { refused += 1 }
    }
    println!("{read} read, {refused} refused, {} named differences", differences.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

const OF_A_DIALECT: &str = "only the dialect knows what its types and attributes may be";
const UNPRINTABLE: &str = "mlir-opt prints what it does not read back";

#[test]
fn types() {
    compare(&lines(include_str!("data/mlir/types.txt")), &[("vector<4x!a.b>", OF_A_DIALECT)]);
}

#[test]
fn attributes() {
    compare(&lines(include_str!("data/mlir/attributes.txt")), &[("@\"\"", UNPRINTABLE)]);
}

/// Each format: decimals that it has, rounds, overflows and underflows, and bits of any kind, alone and in elements.
#[test]
fn floats() {
    let mut things = Vec::new();
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
        // What an unsigned format makes of a negative number, MLIR does not say.
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
            things.push(format!("{text} : {name}"));
            things.push(format!("dense<[{text}, 1.0]> : tensor<2x{name}>"));
        }
    }
    compare(&things, &[]);
}
