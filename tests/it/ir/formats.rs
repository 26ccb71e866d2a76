//! Compares the reader and the printer of custom forms with `mlir-tblgen-22` and `mlir-opt-22`.

use std::process::{Command, Stdio};

use crate::common::{llvm_sources, llvm_tool};
use crate::mlir_test_forms::{self, Figures, ask, without_names};
use drrvm::compile::DialectFiles;
use drrvm::internal::frontend::{ods, prelude, tablegen};
use drrvm::ir::{Context, PrintOptions, parse_module};
use drrvm::source::SourceMap;

/// The definitions in a test file of MLIR, each with a flag that is set if MLIR's comments state that it has an error.
fn verdicts(text: &str) -> Vec<(String, bool)> {
    let mut all = Vec::new();
    let mut wrong = false;
    for line in text.lines() {
        if line.starts_with("// CHECK: error") {
            wrong = true;
        } else if line.starts_with("// CHECK-NOT: error") {
            wrong = false;
        } else if let Some(rest) = line.strip_prefix("def ")
            && !rest.starts_with("TestDialect")
        {
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
            all.push((name.to_owned(), std::mem::take(&mut wrong)));
        }
    }
    all
}

#[test]
fn formats_have_the_verdicts_of_mlir_tblgen() {
    let Some(root) = llvm_sources() else { return };
    let (mut cases, mut different) = (0, Vec::new());
    for name in ["op-format-spec.td", "op-format-invalid.td", "op-format-verify.td"] {
        let path = root.join("mlir/test/mlir-tblgen").join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut sources = SourceMap::default();
        let main = sources.load(&path).unwrap();
        let config = tablegen::Config {
            include_dirs: vec![root.join("mlir/include")],
            embedded: prelude::FILES,
            ..Default::default()
        };
        let records = tablegen::parse(&mut sources, main, &config).unwrap().records;
        let definitions = ods::read(&records);
        for (name, wrong) in verdicts(&text) {
            let op = definitions.ops.iter().find(|op| records.record(op.record).name() == name);
            // An operation with errors outside its format has no format.
            let found = op.map(|op| definitions.format(op));
            cases += 1;
            let ours = !matches!(&found, Some(Ok(Some(_))));
            if ours != wrong {
                let reason = match found {
                    Some(Err(error)) => error.message,
                    Some(Ok(_)) => "accepted".to_owned(),
                    None => "the operation has other errors".to_owned(),
                };
                different.push(format!("{name}: expected an error: {wrong}; {reason}"));
            }
        }
    }
    println!("{cases} formats have the verdict of mlir-tblgen, except {}", different.len());
    assert!(cases > 100, "the test files have {cases} formats");
    assert!(different.is_empty(), "{}", different.join("\n"));
}

fn mlir_opt(tool: &str, flags: &[&str], text: &str) -> Option<String> {
    use std::io::Write;
    let mut child = Command::new(tool)
        .arg("--allow-unregistered-dialect")
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let owned = text.to_owned();
    let writer = std::thread::spawn(move || {
        // The tool may stop reading after an error.
        let _ = input.write_all(owned.as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    if output.status.success() { String::from_utf8(output.stdout).ok() } else { None }
}

/// Compares a sample of MLIR's tests, or all of them with `DRRVM_FULL`: the shares that are read, that have the same
/// meaning, and that are printed as the same text. `cargo run --example mlir_test_forms` shows the causes of
/// differences.
#[test]
fn mlir_tests_are_read_as_written() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let full = std::env::var_os("DRRVM_FULL").is_some();
    let chunks = ask(&root.join("mlir/test"), &tool, "", if full { 1 } else { 200 });
    let figures = Figures::of(&mlir_test_forms::verdicts(&root, &chunks));
    println!("{figures}");
    // The shares of a sample vary, so their bounds are lower.
    let [read, meaning, text] = if full { [92, 99, 97] } else { [85, 95, 90] };
    assert!(figures.read * 100 >= figures.chunks * read, "{figures}");
    assert!(figures.meaning * 100 >= figures.read * meaning, "{figures}");
    assert!(figures.text * 100 >= figures.read * text, "{figures}");
}

/// With `DRRVM_FULL`: operations with formats that need no C++ are written and read on both sides, in modules of MLIR's
/// tests. If one operation does not round-trip, all operations in its module count as failures, so the share is a lower
/// bound. `cargo run --example mlir_test_forms -- --operations` shows the reasons.
#[test]
fn operations_round_trip_through_custom_text() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    if std::env::var_os("DRRVM_FULL").is_none() {
        println!("skipped: all definitions of MLIR are read only with DRRVM_FULL");
        return;
    }
    let chunks = ask(&root.join("mlir/test"), &tool, "", 1);
    let coverage = mlir_test_forms::operations::coverage(&root, &tool, &chunks, true);
    println!("{coverage}");
    assert!(coverage.declared > 1500, "{coverage}");
    assert!(coverage.wrong.is_empty(), "{:?}", coverage.wrong);
    assert!(coverage.tried > 1700, "{coverage}");
    assert!(coverage.good * 100 >= coverage.tried * 90, "{coverage}");
}

/// The README's example is read with the definitions of the prelude alone, and has the meaning that `mlir-opt` gives
/// it.
#[test]
fn files_with_registered_forms_are_read_without_definitions() {
    let text = include_str!("../../../examples/arith/loop.mlir");
    let mut sources = SourceMap::default();
    let file = sources.add("loop.mlir", text).unwrap();
    let mut context = Context::new();
    context.set_dialects(DialectFiles::new().shared());
    let module = parse_module(&mut context, sources.file(file)).unwrap();
    let custom = module.print(&context, PrintOptions::new());
    assert!(custom.contains(" = tensor.extract %arg0["), "{custom}");
    let Some(tool) = llvm_tool("mlir-opt") else { return };
    let generic = module.print(&context, PrintOptions::new().generic(true));
    let theirs = mlir_opt(&tool, &["--mlir-print-op-generic"], text).unwrap();
    assert_eq!(generic.trim_end(), theirs.trim_end());
    let theirs = mlir_opt(&tool, &[], text).unwrap();
    assert_eq!(without_names(custom.trim_end()), without_names(theirs.trim_end()));
}
