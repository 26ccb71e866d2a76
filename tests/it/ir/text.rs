//! Compares MLIR text with `mlir-opt-22`: drrvm reads the output of `mlir-opt-22` and prints the same bytes, and
//! rejects invalid text at the same line.

use crate::common;

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{files_below, llvm_sources, llvm_tool};
use drrvm::ir::{Context, PrintOptions, parse_module, verify};
use drrvm::source::{Diagnostics, SourceMap};

/// Parses, verifies and prints a text; if the text has errors, returns the line of the first error, and all messages.
fn print(text: &str, options: PrintOptions) -> Result<String, (u32, String)> {
    print_as("-", text, options)
}

fn print_as(name: &str, text: &str, options: PrintOptions) -> Result<String, (u32, String)> {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text).unwrap();
    let mut context = Context::new();
    let wrong = |errors: &Diagnostics| {
        let first = errors.iter().find_map(|error| sources.locate(error.span())).map_or(0, |at| at.line);
        (first, errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("; "))
    };
    let module = parse_module(&mut context, sources.file(file)).map_err(|errors| wrong(&errors))?;
    let errors = verify(&context, &module);
    if errors.has_errors() {
        return Err(wrong(&errors));
    }
    Ok(module.print(&context, options))
}

/// Runs `mlir-opt`; returns its output or its errors.
fn mlir_opt(tool: &str, flags: &[&str], file: &Path) -> Result<String, String> {
    let output = Command::new(tool)
        .arg("--allow-unregistered-dialect")
        .args(flags)
        .arg(file)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if output.status.success() {
        // The output for some files is not UTF-8; such files are skipped.
        return String::from_utf8(output.stdout).map_err(|e| e.to_string());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Files that drrvm prints differently, each with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("Dialect/SparseTensor/fold.mlir", "two encodings have the same text, and mlir-opt merges them too"),
    ("IR/print-attr-type-aliases.mlir", "the test dialect gives aliases to builtin attributes"),
    ("IR/recursive-type.mlir", "only the dialect can order the aliases of recursive types"),
];

/// Returns the first difference between the text that drrvm prints for the parts of a file and the expected text.
fn first_difference(text: &str, expected: &str, options: PrintOptions) -> Option<String> {
    text.split("// -----\n").zip(expected.split("// -----\n")).find_map(|(chunk, expected)| {
        match print(chunk, options) {
            // `mlir-opt` adds an empty line after a module.
            Ok(ours) if format!("{ours}\n") == expected || chunk.trim().is_empty() => None,
            Ok(ours) => {
                let line = ours.lines().zip(expected.lines()).find(|(a, b)| a != b);
                Some(format!("{line:?}"))
            }
            Err((line, message)) => Some(format!("line {line}: {message}")),
        }
    })
}

/// drrvm reads the generic form that `mlir-opt` prints for each file of MLIR's tests, and prints the same text, or the
/// text that `mlir-opt` prints after reading this form. The files in [`EXCEPTIONS`] may differ. One file in eight is
/// sampled; `DRRVM_FULL` takes all.
#[test]
fn generic_form_round_trips() {
    let (Some(sources), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let root = sources.join("mlir/test");
    let full = std::env::var_os("DRRVM_FULL").is_some();
    let phase = common::sample_start(8);
    let folder = tempfile::tempdir().unwrap();
    let (mut read, mut wrong, mut expected, mut twice) = (0, Vec::new(), 0, 0);
    for (i, file) in files_below(&root, "mlir").iter().enumerate() {
        if !full && i % 8 != phase {
            continue;
        }
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        for debug_info in [false, true] {
            let mut flags =
                vec!["--mlir-print-op-generic", "--split-input-file", "--output-split-marker=// -----"];
            if debug_info {
                flags.push("--mlir-print-debuginfo");
            }
            let Ok(text) = mlir_opt(&tool, &flags, file) else { break };
            read += 1;
            let options = PrintOptions::new().generic(true).debug_info(debug_info);
            let mut difference = first_difference(&text, &text, options);
            if difference.is_some() {
                // `mlir-opt` prints some maps differently when it reads its own output. For such a file, the expected
                // text is the second output.
                let path = folder.path().join("again.mlir");
                std::fs::write(&path, &text).unwrap();
                if let Ok(again) = mlir_opt(&tool, &flags, &path)
                    && again != text
                {
                    difference = first_difference(&text, &again, options);
                    twice += 1;
                }
            }
            let known = EXCEPTIONS.iter().any(|exception| exception.0 == name);
            match difference {
                Some(_) if known => expected += 1,
                Some(difference) => wrong.push(format!("{name}: {difference}")),
                None => {}
            }
        }
    }
    println!(
        "{read} prints, {twice} of them compared with mlir-opt's print of its own print; {expected} named \
         exceptions, {} wrong",
        wrong.len()
    );
    assert!(read > 400, "only {read} prints were compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The invalid parts that drrvm accepts, or rejects at another line than `mlir-opt`: the file, the number of the part,
/// and the reason.
const ELSEWHERE: &[(&str, usize, &str)] = &[
    (
        "invalid-file-metadata.mlir",
        0,
        "at an early end of the text, drrvm shows the end of the existing text",
    ),
    ("invalid-file-metadata.mlir", 6, OF_A_DIALECT),
    ("invalid-file-metadata.mlir", 7, OF_A_DIALECT),
    ("invalid-file-metadata.mlir", 9, OF_A_DIALECT),
    ("invalid-file-metadata.mlir", 10, OF_A_DIALECT),
    ("invalid-func-op.mlir", 8, OF_A_DIALECT),
    ("invalid-func-op.mlir", 9, OF_A_DIALECT),
    ("invalid-ops.mlir", 0, OF_A_DIALECT),
    ("invalid-ops.mlir", 1, OF_A_DIALECT),
    ("invalid-ops.mlir", 2, OF_A_DIALECT),
    ("invalid-ops.mlir", 16, OF_A_DIALECT),
    ("invalid.mlir", 29, OF_A_DIALECT),
];

const OF_A_DIALECT: &str = "the error belongs to a dialect that drrvm does not know";

/// drrvm rejects the invalid parts of `test/IR/invalid*.mlir` at the same line as `mlir-opt`, except for the parts in
/// [`ELSEWHERE`] and for custom forms that drrvm does not read.
#[test]
fn invalid_files_are_rejected_at_the_same_line() {
    let (Some(sources), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (mut same, mut other, mut forms, mut wrong) = (0, 0, 0, Vec::new());
    for file in files_below(&sources.join("mlir/test/IR"), "mlir") {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if !name.starts_with("invalid") {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        for (i, chunk) in text.split("// -----").enumerate() {
            // The rest of the marker's line is not part of the chunk.
            let chunk = if i == 0 { chunk } else { chunk.split_once('\n').map_or("", |rest| rest.1) };
            let path = folder.path().join("chunk.mlir");
            std::fs::write(&path, chunk).unwrap();
            let Err(errors) = mlir_opt(&tool, &[], &path) else { continue };
            let Some((place, message)) = errors.split_once(": error: ") else { continue };
            let message = message.lines().next().unwrap_or("");
            let line: u32 = place.rsplit(':').nth(1).and_then(|line| line.parse().ok()).unwrap_or(0);
            let ours = print(chunk, PrintOptions::new());
            let known = ELSEWHERE.iter().any(|&(file, chunk, _)| file == name && chunk == i);
            match ours {
                Err((ours, _)) if ours == line && known => {
                    wrong.push(format!("{name} {i}: the named difference no longer occurs"))
                }
                Err((ours, _)) if ours == line => same += 1,
                _ if known => other += 1,
                // A custom form that drrvm does not read is reported before errors inside it.
                Err((_, ours)) if ours.contains("custom operation") => forms += 1,
                Err(ours) => wrong.push(format!("{name} {i}: line {line}: {message}; ours {ours:?}")),
                Ok(_) => wrong.push(format!("{name} {i}: line {line}: {message}; drrvm accepts it")),
            }
        }
    }
    println!(
        "{same} rejected at the same line, {other} named differences, {forms} in unsupported custom forms"
    );
    assert!(same > 250, "{same}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks that drrvm and `mlir-opt` print a text in the same way with several combinations of print options.
fn same_as_mlir(tool: &str, text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.mlir");
    std::fs::write(&path, text).unwrap();
    let plain = PrintOptions::new();
    let cases: [(&[&str], PrintOptions); 12] = [
        (&[], plain),
        (&["--mlir-print-debuginfo"], plain.debug_info(true)),
        (&["--mlir-print-local-scope"], plain.local_scope(true)),
        (&["--mlir-print-debuginfo", "--mlir-print-local-scope"], plain.debug_info(true).local_scope(true)),
        (&["--mlir-elide-elementsattrs-if-larger=2"], plain.elide_elements(Some(2))),
        (
            &["--mlir-elide-elementsattrs-if-larger=2", "--mlir-print-op-generic"],
            plain.elide_elements(Some(2)).generic(true),
        ),
        (&["--mlir-print-assume-verified"], plain),
        (&["--mlir-print-unique-ssa-ids"], plain.unique_ssa_ids(true)),
        (&["--mlir-use-nameloc-as-prefix"], plain.location_names(true)),
        (&["--mlir-print-op-generic"], plain.generic(true)),
        (&["--mlir-print-op-generic", "--mlir-print-debuginfo"], plain.generic(true).debug_info(true)),
        (
            &["--mlir-print-op-generic", "--mlir-print-debuginfo", "--mlir-print-local-scope"],
            plain.generic(true).debug_info(true).local_scope(true),
        ),
    ];
    for (flags, options) in cases {
        let theirs = mlir_opt(tool, flags, &path).unwrap_or_else(|errors| panic!("{errors}"));
        let ours = print_as(&path.display().to_string(), text, options).unwrap();
        if let Some((ours, theirs)) = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b) {
            let at = ours.bytes().zip(theirs.bytes()).take_while(|(a, b)| a == b).count();
            let around =
                |text: &str| text.get(at.saturating_sub(40)..).map(|t| t[..t.len().min(120)].to_owned());
            panic!("{flags:?}: ours {:?}, theirs {:?}", around(ours), around(theirs));
        }
        // `mlir-opt` adds an empty line, except with local scope.
        let end = if options.local_scope { "" } else { "\n" };
        assert!(format!("{ours}{end}") == theirs, "{flags:?}: lengths differ");
    }
}

/// Custom forms, written by hand.
const CUSTOM: &str = include_str!("../../data/mlir/custom.mlir");

/// Attributes, types and locations in generic form, written by hand.
const GENERIC: &str = include_str!("../../data/mlir/generic.mlir");

/// Operations with inherent attributes in the attribute dictionary, as MLIR wrote them before it had properties.
const OLD_STYLE: &str = include_str!("../../data/mlir/old_style.mlir");

#[test]
fn handwritten_forms_print_as_in_mlir() {
    let Some(tool) = llvm_tool("mlir-opt") else { return };
    same_as_mlir(&tool, CUSTOM);
    same_as_mlir(&tool, GENERIC);
    same_as_mlir(&tool, OLD_STYLE);
}

/// Every bit pattern of the narrow floats, and many bit patterns of the wide floats, print as in MLIR.
#[test]
fn floats_print_as_in_mlir() {
    use drrvm::host::FloatFormat;
    let Some(tool) = llvm_tool("mlir-opt") else { return };
    let mut text = String::new();
    for &format in FloatFormat::ALL {
        let width = format.width();
        let count: u64 = match width {
            0..=8 => 1 << width,
            9..=64 => 300,
            // `mlir-opt` takes milliseconds for each number of these formats.
            _ => 50,
        };
        let mut values = Vec::new();
        for i in 0..count {
            let scattered =
                (u128::from(i) << 96 ^ u128::from(i)).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
            let bits = if width <= 8 { u128::from(i) } else { scattered >> (128 - width) };
            // The bits of an x87 number contain the leading 1 of its significand.
            let bits = if width == 80 { bits | 1 << 63 } else { bits };
            values.push(format!("0x{bits:X} : {}", format.name()));
        }
        for decimal in [
            "0.0", "-0.0", "1.0", "0.1", "-2.75", "1.0e-30", "3.0e38", "448.0", "464.0", "465.0", "6.0",
            "1.0e308",
        ] {
            // MLIR does not specify the rounding of negative numbers in this unsigned format.
            let negative = decimal.starts_with('-') && format == FloatFormat::F8E8M0FNU;
            if !negative {
                values.push(format!("{decimal} : {}", format.name()));
            }
        }
        text.push_str(&format!("\"t.f\"() {{v = [{}]}} : () -> ()\n", values.join(", ")));
    }
    same_as_mlir(&tool, &text);
}

/// Returns `#a7 = [#a6]` for 7. Each line has one level of nesting, but the attribute of the last alias has as many
/// levels as there are lines.
fn alias_of_alias(i: u32) -> Vec<char> {
    format!("#a{i} = [#a{}]\n", i - 1).chars().collect()
}

/// The custom form is read back as the same generic form at every depth of modules.
#[test]
fn custom_form_nests_as_deep_as_the_generic_form() {
    let print = |text: &str, generic: bool| print(text, PrintOptions::new().generic(generic)).ok();
    let nested = |count: usize| {
        let (open, close) = ("\"builtin.module\"() ({\n", "}) : () -> ()\n");
        let inside = "\"func.func\"() <{function_type = () -> (), sym_name = \"f\"}> ({\n\"func.return\"() : () -> ()\n}) : () -> ()\n";
        format!("{}{inside}{}", open.repeat(count), close.repeat(count))
    };
    let most = (1..600).rev().find(|&count| print(&nested(count), true).is_some()).unwrap();
    assert!(most >= 390, "{most}");
    for count in [1, 130, 134, 200, most - 1, most] {
        let generic = print(&nested(count), true).unwrap();
        let custom = print(&generic, false).unwrap();
        assert_eq!(print(&custom, true).as_ref(), Some(&generic), "{count}");
    }
}

/// Inserts a line break after the name of each operation. The parser remembers only operations that end on the line of
/// their name, so it reads every operation of the new text by its format.
fn broken_lines(text: &str) -> String {
    let broken = |line: &str| {
        let indentation = line.len() - line.trim_start().len();
        let results = line.find(" = ").filter(|_| line[indentation..].starts_with('%'));
        let start = results.map_or(indentation, |at| at + " = ".len());
        let rest = &line[start..];
        let is_name = rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '"');
        match rest.find([' ', '(']).filter(|_| is_name) {
            Some(end) => format!("{}\n{}", &line[..start + end], &line[start + end..]),
            None => line.to_owned(),
        }
    };
    text.lines().map(|line| broken(line) + "\n").collect()
}

/// The parser can reuse the result of a line that it has read before. In every context, the line must have the meaning
/// that its format gives it.
#[test]
fn repeated_lines_have_the_meaning_that_their_format_gives() {
    let inside = |body: &str| {
        format!(
            "func.func @f(%a: i32, %b: i32, %c: i1, %t: tensor<?xi32>, %i: index) {{\n{body}\n  return\n}}\n\
             func.func @g() {{\n  return\n}}"
        )
    };
    let texts = [
        // Names in other orders, and names that are numbers.
        inside("%0 = arith.subi %a, %b : i32\n%1 = arith.subi %b, %a : i32\n%2 = arith.subi %0, %0 : i32"),
        inside("%x = tensor.insert %a into %t[%i] : tensor<?xi32>\n%y = tensor.insert %b into %x[%i] : tensor<?xi32>"),
        // Results of an operation with several results.
        inside("%p, %q = arith.addui_extended %a, %b : i32, i1\n%r:2 = arith.addui_extended %p, %b : i32, i1\n%s = arith.subi %r#0, %p : i32\n%u = arith.subi %p, %r#0 : i32"),
        // The operation continues on the next line.
        inside("%0 = arith.addi %a, %b : i32\n%1 = arith.addi %a, %b\n  : i32\n%2 = arith.addi %a, %b\n  overflow<nsw> : i32"),
        inside("cf.assert %c, \"no\"\ncf.assert %c, \"no\"\n  {note = 1 : i32}\ncf.assert %c, \"no\""),
        inside("\"t.a\"() : () -> ()\n\"t.a\"() : () -> ()\n  loc(\"a\")\n\"t.a\"() : () -> ()"),
        // Two operations on a line, and comments.
        inside("%0 = arith.addi %a, %b : i32 %1 = arith.muli %a, %b : i32\n%2 = arith.addi %a, %b : i32 // %a\n%3 = arith.addi %b, %a : i32 // %a\n%4 = arith.addi %b, %a : i32"),
        // Locations, and text in strings and attributes that looks like a location.
        inside("%0 = arith.addi %a, %b : i32 loc(\"x\":1:2)\n%1 = arith.addi %a, %b : i32 loc(\"y\":3:4)\n%2 = arith.addi %a, %b : i32"),
        inside("%0 = arith.addi %a, %b {l = loc(\"x\")} : i32\n%1 = arith.addi %a, %b {l = loc(\"y\")} : i32"),
        inside("\"t.a\"() {x = \"% loc(\"} : () -> ()\n\"t.a\"() {x = \"% loc(%a\"} : () -> ()\n\"t.a\"() {x = \"%b\"} : () -> ()\n\"t.a\"() {x = \"%a\"} : () -> ()"),
        // Values that are used before their definition.
        "\"t.a\"(%1, %0) : (i32, i64) -> ()\n\"t.a\"(%2, %3) : (i32, i64) -> ()\n%0, %2 = \"t.b\"() : () -> (i64, i32)\n%3, %1 = \"t.b\"() : () -> (i64, i32)".to_owned(),
        // Blocks and regions.
        inside("cf.br ^b(%a : i32)\n^b(%x: i32):\ncf.cond_br %c, ^b(%a : i32), ^b(%x : i32)").replacen("  return\n", "", 1),
        inside("scf.if %c {\n  %0 = arith.addi %a, %b : i32\n}\nscf.if %c {\n}\n%0 = arith.addi %a, %b : i32"),
        // Aliases.
        "#m = affine_map<(d0) -> (d0)>\n\"t.a\"() {m = #m} : () -> ()\n\"t.a\"() {m = #m} : () -> ()\n\"t.a\"() {m = #n} : () -> ()\n\"t.a\"() {m = #n} : () -> ()\n#n = 1 : i32".to_owned(),
        // The default dialect differs.
        inside("call @g() : () -> ()\ncall @g() : () -> ()"),
        inside("call @g() : () -> ()\nscf.if %c {\n  call @g() : () -> ()\n}"),
        // Errors.
        inside("%0 = arith.addi %a, %b : i32\n%1 = arith.addi %a, %c : i32\n%2 = arith.addi %a, %z : i32"),
        inside("%0 = arith.addi %a, %b : i32\n%1:2 = arith.addi %a, %b : i32\n%0 = arith.addi %a, %b : i32"),
        inside("%0 = arith.addi %a, %b : i32\n%1 = arith.addi %a#1, %b : i32\n%2 = arith.addi %a, %b : i32x"),
        "\"t.a\"() : () -> ()x.y\n\"t.a\"() : () -> ()\nx.y".to_owned(),
    ];
    let options = PrintOptions::new().generic(true).debug_info(true).local_scope(true);
    let read = |text: &str| {
        let printed = print_as("-", text, options).map_err(|(_, messages)| messages)?;
        // The line breaks change the positions of operations, so positions are removed.
        let mut parts = printed.split("loc(\"-\":");
        let first = parts.next().unwrap().to_owned();
        Ok::<_, String>(parts.fold(first, |text, part| text + part.split_once(')').unwrap().1))
    };
    for text in texts {
        assert_eq!(read(&text), read(&broken_lines(&text)), "{text}");
    }
}

/// Excessive nesting of any kind is an error.
#[test]
fn nesting_is_bounded() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    let bombs = [
        deep("\"t.a\"() ({\n", "}) : () -> ()\n"),
        format!("\"t.a\"() {{x = {}}} : () -> ()", deep("[", "]")),
        format!("\"t.a\"() {{x = {}}} : () -> ()", deep("{y = ", "}")),
        format!("\"t.a\"() {{x = {}i32{}}} : () -> ()", "tuple<".repeat(100_000), ">".repeat(100_000)),
        format!("\"t.a\"() {{x = {}() -> ()}} : () -> ()", "() -> ".repeat(100_000)),
        format!("\"t.a\"() {{x = dense<{}>}} : () -> ()", deep("[", "]")),
        format!("\"t.a\"() {{x = affine_map<(d) -> ({})>}} : () -> ()", deep("(", ")")),
        format!("\"t.a\"() {{x = affine_map<(d) -> ({}d)>}} : () -> ()", "-".repeat(100_000)),
        format!("\"t.a\"() {{x = affine_map<(d) -> (d{})>}} : () -> ()", " + d mod 3".repeat(100_000)),
        format!("\"t.a\"() : () -> () loc({}unknown", "callsite(".repeat(100_000)),
        format!("\"t.a\"() {{x = !a.b<{}", deep("<", ">")),
        "module {\n".repeat(100_000),
        (0..100_000).map(|i| format!("#a{i} = [#a{}]\n", i + 1)).collect(),
        "#a0 = [1]\n".chars().chain((1..100_000).flat_map(alias_of_alias)).collect(),
    ];
    for bomb in &bombs {
        assert!(print(bomb, PrintOptions::new()).is_err(), "{:.80}", bomb);
    }
}

/// Attributes that aliases make exponentially long are printed with aliases, in time and space linear in the text.
/// Messages shorten them.
#[test]
fn aliases_of_aliases_print_in_bounds() {
    let mut attrs = "#a0 = [1]\n!t0 = tuple<i1>\n#l0 = loc(\"f\")\n".to_owned();
    for i in 1..60 {
        let one = i - 1;
        attrs += &format!("#a{i} = [#a{one}, #a{one}]\n!t{i} = tuple<!t{one}, !t{one}>\n");
        attrs += &format!("#l{i} = loc(callsite(#l{one} at #l{one}))\n");
    }
    let text = format!("{attrs}\"t.a\"() {{x = #a59, y = {{z = #a58}}, t = !t59}} : () -> () loc(#l59)\n");
    let plain = PrintOptions::new();
    for options in [plain, plain.generic(true).debug_info(true), plain.local_scope(true).debug_info(true)] {
        let printed = print(&text, options).unwrap();
        assert!(printed.len() < 20_000, "{}", printed.len());
        // The output is read and printed without changes.
        assert_eq!(print(&printed, options).as_ref(), Ok(&printed));
    }
    let wrong = format!("{attrs}%0 = \"t.a\"() : () -> !t59\n\"t.b\"(%0) : (i1) -> ()\n");
    let (line, message) = print(&wrong, plain).unwrap_err();
    assert_eq!(line, 182);
    assert!(message.contains('…'), "{}", message.len());
}

/// The line number of an error at the end of a long file is correct.
#[test]
fn an_error_at_the_end_of_a_long_file() {
    let mut text = "\"t.a\"() {x = 1 : i32} : () -> ()\n".repeat(300_000);
    text.push_str("\"t.a\"() {x = } : () -> ()\n");
    let (line, message) = print(&text, PrintOptions::new()).unwrap_err();
    assert_eq!((line, &*message), (300_001, "expected an attribute value"));
}

/// Random modules are printed, read back, and printed again without changes.
mod random {
    use super::*;
    use drrvm::ir::{AttrId, Module, OpSpec, ValueId};
    use proptest::prelude::*;

    const ATTRS: &[&str] = &[
        "1 : i32",
        "-5 : i64",
        "true",
        "1.5 : f16",
        "0x7FC00000 : f32",
        "\"a\\22\\0A\"",
        "[1, [2.0], \"x\"]",
        "{b, c = @s::@\"t u\"}",
        "dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>",
        "dense<true> : tensor<3xi1>",
        "affine_map<(d0)[s0] -> (d0 * 2 + s0, d0 floordiv 3)>",
        "affine_set<(d0) : (d0 - 1 >= 0)>",
        "array<i16: 1, -2>",
        "#d.attr<\"x\", [y]>",
        "#d.typed : i7",
        "loc(\"f\":1:2)",
        "!d.type<-> >",
        "unit",
        "dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>",
        "sparse<[[0, 1]], [5]> : tensor<2x2xi32>",
    ];
    const TYPES: &[&str] = &[
        "i32",
        "f64",
        "index",
        "tensor<4x?xf32>",
        "vector<[4]x2xi1>",
        "memref<3xf32, strided<[2], offset: ?>, 1>",
        "() -> (i1, i2)",
        "() -> (() -> ())",
        "tuple<i1, none>",
        "!d.type",
        "complex<f32>",
        "memref<*xi8>",
    ];
    const LOCS: &[&str] = &[
        "loc(unknown)",
        "loc(\"a.c\":1:2)",
        "loc(\"n\"(\"a.c\":1:2))",
        "loc(fused<\"m\">[\"x\", \"a.c\":3:4])",
        "loc(callsite(\"f\" at \"g\"))",
        "loc(\"a.c\":1:2 to 3:4)",
    ];

    /// The random numbers from which an operation is built: name, operands, results, attributes, properties, location
    /// and nesting.
    type Op = (u8, Vec<u8>, Vec<usize>, usize, usize, usize, u8);

    fn build(ops: &[Op]) -> (Context, Module) {
        let mut context = Context::new();
        let mut module = Module::new(&mut context);
        let types: Vec<_> = TYPES.iter().map(|text| context.parse_type(text).unwrap()).collect();
        let attrs: Vec<AttrId> = ATTRS.iter().map(|text| context.parse_attr(text).unwrap()).collect();
        let locs: Vec<_> = LOCS.iter().map(|text| context.parse_loc(text).unwrap()).collect();
        let keys = ["a", "b.c", "odd key"].map(|key| context.attr_name(key));
        let function = function_parts(&mut context);
        let mut blocks = vec![module.body()];
        let mut values: Vec<Vec<ValueId>> = vec![Vec::new()];
        for (name, operands, results, attr, property, loc, nesting) in ops {
            if name % 3 == 0 {
                let block = *blocks.last().unwrap();
                add_function(&mut context, &mut module, block, &function, operands, locs[loc % locs.len()]);
                continue;
            }
            let name = context.op_name(&format!("t.op{}", name % 5));
            let visible: Vec<ValueId> = values.iter().flatten().copied().collect();
            let operands: Vec<ValueId> = operands
                .iter()
                .filter(|_| !visible.is_empty())
                .map(|&back| visible[usize::from(back) % visible.len()])
                .collect();
            let results: Vec<_> = results.iter().map(|&ty| types[ty % types.len()]).collect();
            let mut dictionary = |at: usize| {
                let mut entries: Vec<_> =
                    (0..at % 4).map(|i| (keys[i % 3], attrs[(at + i) % attrs.len()])).collect();
                context.dictionary(&mut entries)
            };
            let (attrs, properties) = (dictionary(*attr), dictionary(*property));
            let op = module.create(&OpSpec {
                attrs,
                properties,
                regions: usize::from(nesting % 4 == 1),
                loc: locs[loc % locs.len()],
                ..OpSpec::new(name).operands(&operands).results(&results)
            });
            module.append(*blocks.last().unwrap(), op);
            values.last_mut().unwrap().extend(module.results(op));
            match nesting % 4 {
                1 => {
                    let block = module.append_block(module.region(op, 0));
                    let arg = module.add_arg(block, types[usize::from(*nesting) % types.len()], locs[0]);
                    blocks.push(block);
                    values.push(vec![arg]);
                }
                2 if blocks.len() > 1 => {
                    blocks.pop();
                    values.pop();
                }
                _ => {}
            }
        }
        (context, module)
    }

    /// The types and attributes of generated functions.
    struct FunctionParts {
        types: [drrvm::ir::TypeId; 3],
        properties: Vec<AttrId>,
    }

    /// Operations with a custom form: name, properties, operand types and result type. Type 0 is `i32`, 1 is `f32`, and
    /// 2 is `i1`.
    const FORMS: &[(&str, &str, &[usize], usize)] = &[
        ("arith.addi", "{overflowFlags = #arith.overflow<none>}", &[0, 0], 0),
        ("arith.muli", "{overflowFlags = #arith.overflow<nsw, nuw>}", &[0, 0], 0),
        ("arith.divsi", "{isExact}", &[0, 0], 0),
        ("arith.xori", "{}", &[2, 2], 2),
        ("arith.addf", "{fastmath = #arith.fastmath<nnan,ninf>}", &[1, 1], 1),
        ("arith.negf", "{fastmath = #arith.fastmath<fast>}", &[1], 1),
        ("arith.cmpi", "{predicate = 7 : i64}", &[0, 0], 2),
        ("arith.cmpf", "{fastmath = #arith.fastmath<none>, predicate = 3 : i64}", &[1, 1], 2),
        ("arith.select", "{}", &[2, 1, 1], 1),
        ("arith.sitofp", "{}", &[0], 1),
        ("arith.extui", "{}", &[2], 0),
        ("arith.trunci", "{overflowFlags = #arith.overflow<nsw>}", &[0], 2),
        ("arith.constant", "{value = -7 : i32}", &[], 0),
        ("arith.constant", "{value = 1.5 : f32}", &[], 1),
        ("arith.constant", "{value = true}", &[], 2),
    ];

    fn function_parts(context: &mut Context) -> FunctionParts {
        let types = ["i32", "f32", "i1"].map(|text| context.parse_type(text).unwrap());
        let properties = FORMS.iter().map(|form| context.parse_attr(form.1).unwrap()).collect();
        FunctionParts { types, properties }
    }

    /// Adds a function with an operation for each byte, and a new block after each byte that 5 divides. All operations
    /// have a custom form.
    fn add_function(
        context: &mut Context,
        module: &mut Module,
        block: drrvm::ir::BlockId,
        parts: &FunctionParts,
        bytes: &[u8],
        loc: drrvm::ir::LocId,
    ) {
        let number = module.op_count();
        let text = format!("{{function_type = (i32, f32, i1) -> i32, sym_name = \"f{number}\"}}");
        let properties = context.parse_attr(&text).unwrap();
        let name = context.op_name("func.func");
        let func = module.create(&OpSpec { properties, regions: 1, loc, ..OpSpec::new(name) });
        module.append(block, func);
        let region = module.region(func, 0);
        let mut at = module.append_block(region);
        let mut values: Vec<Vec<ValueId>> =
            parts.types.iter().map(|&ty| vec![module.add_arg(at, ty, loc)]).collect();
        for &byte in bytes {
            let byte = usize::from(byte);
            let (name, _, takes, gives) = FORMS[byte % FORMS.len()];
            let operands: Vec<ValueId> = takes
                .iter()
                .enumerate()
                .map(|(i, &ty)| values[ty][(byte / 16 + i) % values[ty].len()])
                .collect();
            let name = context.op_name(name);
            let op = module.create(&OpSpec {
                properties: parts.properties[byte % FORMS.len()],
                loc,
                ..OpSpec::new(name).operands(&operands).results(&[parts.types[gives]])
            });
            module.append(at, op);
            values[gives].push(module.result(op, 0));
            if byte % 5 == 0 {
                let next = module.append_block(region);
                let arg = module.add_arg(next, parts.types[0], loc);
                let operands = [values[0][0]];
                let name = context.op_name("cf.br");
                let branch = module.create(&OpSpec {
                    successors: &[next],
                    loc,
                    ..OpSpec::new(name).operands(&operands)
                });
                module.append(at, branch);
                values[0].push(arg);
                at = next;
            }
        }
        let name = context.op_name("func.return");
        let last = [*values[0].last().unwrap()];
        let op = module.create(&OpSpec { loc, ..OpSpec::new(name).operands(&last) });
        module.append(at, op);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..common::seed::config() })]
        #[test]
        fn modules_read_back(
            ops in proptest::collection::vec(
                (
                    any::<u8>(),
                    proptest::collection::vec(any::<u8>(), 0..4),
                    proptest::collection::vec(any::<usize>(), 0..3),
                    any::<usize>(),
                    any::<usize>(),
                    any::<usize>(),
                    any::<u8>(),
                ),
                0..25,
            ),
            generic: bool,
            debug_info: bool,
            local_scope: bool,
        ) {
            let options = PrintOptions::new().generic(generic).debug_info(debug_info).local_scope(local_scope);
            let (context, module) = build(&ops);
            let text = module.print(&context, options);
            let again = print(&text, options);
            prop_assert_eq!(again.as_ref(), Ok(&text));
            // The module prints the same if copies replace its operations that have no operands and no results.
            let mut copied = module.clone();
            let inner: Vec<_> = module.ops(module.body()).collect();
            for op in inner.into_iter().filter(|&op| module.operand_count(op) == 0 && module.result_count(op) == 0) {
                let copy = copied.clone_op(op);
                copied.insert_before(op, copy);
                copied.erase(op);
            }
            prop_assert_eq!(copied.print(&context, options), text);
        }
    }
}
