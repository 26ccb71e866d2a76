//! Exchanges MLIR byte code with `mlir-opt-22`: drrvm and `mlir-opt` give each other's files the same meaning, and both
//! refuse damaged files.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::common::command::Folder;
use crate::common::{feed, files_below, llvm_sources, llvm_tool, pipe, sample_start};
use drrvm::compile::DialectFiles;
use drrvm::ir::dialect::DialectSource;
use drrvm::ir::{Context, Module, PrintOptions, mlirbc};
use drrvm::source::Diagnostics;

/// The separator between parts of the output, which occurs in no file.
const MARKER: &str = "//=====PART 8d1f=====//";

/// The definitions of MLIR's dialects, and of the dialect of its tests.
fn definitions(sources: &Path) -> Arc<dyn DialectSource> {
    let include = sources.join("mlir/include");
    let test = sources.join("mlir/test/lib/Dialect");
    DialectFiles::new()
        .path(&include)
        .path(&test)
        .include_dir(include)
        .include_dir(test.join("Test"))
        // `libmlir-22-dev` contains the generated definitions that the dialects `linalg` and `omp` include.
        .include_dir("/usr/lib/llvm-22/include")
        .shared()
}

/// The output of `mlir-opt` for each part of a file; empty for a part with errors.
fn parts(tool: &str, flags: &[&str], text: &[u8]) -> Vec<Vec<u8>> {
    let mut command = Command::new(tool);
    command.args(["--allow-unregistered-dialect", "--split-input-file"]);
    command.args(flags).arg(format!("--output-split-marker={MARKER}"));
    let output = feed(&mut command, text).stdout;
    let marker = format!("{MARKER}\n").into_bytes();
    let mut parts = vec![Vec::new()];
    let mut rest = &output[..];
    while let Some(at) = rest.windows(marker.len()).position(|part| part == marker) {
        parts.last_mut().expect("a part").extend_from_slice(&rest[..at]);
        parts.push(Vec::new());
        rest = &rest[at + marker.len()..];
    }
    parts.last_mut().expect("a part").extend_from_slice(rest);
    parts
}

fn generic(tool: &str, bytes: &[u8]) -> String {
    let flags = ["--allow-unregistered-dialect", "--mlir-print-op-generic", "--mlir-print-local-scope"];
    let output = pipe(tool, &flags, bytes);
    String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr })
        .trim()
        .to_owned()
}

fn read(source: &Arc<dyn DialectSource>, bytes: &[u8]) -> Result<(Context, Module), Diagnostics> {
    let mut context = Context::new();
    context.set_dialects(source.clone());
    let module = mlirbc::read(&mut context, "-", bytes)?;
    Ok((context, module))
}

/// True if drrvm rejects a file because only C++ code knows the form of a property, attribute or type, or because
/// definitions have errors.
fn is_excepted(message: &str) -> bool {
    ["only C++ code", "has a binary form", "have a binary form", "has errors"]
        .iter()
        .any(|part| message.contains(part))
}

/// The files in a sample of MLIR's tests, or all of them with `DRRVM_FULL`.
fn sample(sources: &Path, one_in: usize) -> Vec<PathBuf> {
    let files = files_below(&sources.join("mlir/test"), "mlir");
    let step = if std::env::var_os("DRRVM_FULL").is_some() { 1 } else { one_in };
    let start = if step == 1 { 0 } else { sample_start(step as u64) };
    files.into_iter().skip(start).step_by(step).collect()
}

/// drrvm reads byte code of `mlir-opt` as the module that `mlir-opt` prints, and `mlir-opt` reads the byte code that
/// drrvm writes for this module. Parts that drrvm rejects for a reason in [`is_excepted`] are not counted. At most one
/// difference for 25 equal modules is accepted.
#[test]
fn drrvm_and_mlir_opt_read_files_of_each_other() {
    let (Some(sources), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let source = definitions(&sources);
    let (mut equal, mut excepted, mut written, mut different) = (0, 0, 0, Vec::new());
    for (number, file) in sample(&sources, 60).into_iter().enumerate() {
        let text = std::fs::read(&file).expect("the file can be read");
        let version = number % 7;
        let flag = format!("--emit-bytecode-version={version}");
        let codes = parts(&tool, &["--emit-bytecode", &flag], &text);
        let texts = parts(&tool, &["--mlir-print-op-generic", "--mlir-print-local-scope"], &text);
        assert_eq!(codes.len(), texts.len(), "{}", file.display());
        for (code, expected) in codes.iter().zip(&texts).filter(|(code, _)| mlirbc::is_bytecode(code)) {
            // Versions before 5 do not distinguish properties from other attributes. The module that MLIR reads from
            // such a file can differ from the module that it wrote.
            let expected = match version {
                0..5 => generic(&tool, code),
                _ => String::from_utf8_lossy(expected).trim().to_owned(),
            };
            let name = file.strip_prefix(&sources).expect("a test of MLIR").display();
            let (mut context, module) = match read(&source, code) {
                Ok(found) => found,
                Err(errors) => {
                    let message = errors.iter().next().map(|error| error.message.clone()).unwrap_or_default();
                    match is_excepted(&message) {
                        true => excepted += 1,
                        false => different.push(format!("{name}: {message}")),
                    }
                    continue;
                }
            };
            let options = PrintOptions::new().generic(true).local_scope(true);
            let found = module.print(&context, options);
            if found.trim() == expected {
                equal += 1;
            } else {
                let lines = found.lines().zip(expected.lines()).find(|(ours, theirs)| ours != theirs);
                different.push(format!("{name}, version {version}: {lines:?}"));
            }
            // Only about one part in eight is written as well, because its comparison takes two more processes.
            if equal % 8 == 0 {
                let bytes = match mlirbc::write(&mut context, &module, version as u64) {
                    Ok(bytes) => bytes,
                    Err(errors) => {
                        let is_old = errors.iter().all(|error| {
                            error.message.contains("this version of the format has no properties")
                        });
                        assert!(version < 5 && is_old, "{name}: {errors:?}");
                        continue;
                    }
                };
                let (theirs, ours) = (generic(&tool, code), generic(&tool, &bytes));
                if theirs == ours {
                    written += 1;
                } else {
                    let lines = ours.lines().zip(theirs.lines()).find(|(ours, theirs)| ours != theirs);
                    different.push(format!("{name}, version {version}, written: {lines:?}"));
                }
            }
        }
    }
    println!("{equal} equal, {excepted} need C++ code, {written} written, {} different", different.len());
    assert!(equal > 30 && written > 3, "{equal} equal, {written} written");
    assert!(different.len() * 25 <= equal, "{} different:\n{}", different.len(), different.join("\n"));
}

/// `mlir-opt` reads the seed files of the fuzz target, which drrvm wrote.
#[test]
fn committed_files_are_read_by_mlir_opt() {
    let Some(tool) = llvm_tool("mlir-opt") else { return };
    let files = files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/mlirbc"), "mlirbc");
    assert!(!files.is_empty());
    for file in files {
        let bytes = std::fs::read(&file).expect("the file can be read");
        let output = pipe(&tool, &["--allow-unregistered-dialect", "--mlir-print-op-generic"], &bytes);
        assert!(output.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
        let mut context = Context::new();
        let module = mlirbc::read(&mut context, "-", &bytes).expect("the file is valid");
        let ours = module.print(&context, PrintOptions::new().generic(true));
        assert_eq!(ours.trim(), String::from_utf8_lossy(&output.stdout).trim(), "{}", file.display());
    }
}

/// The damaged files among MLIR's tests are also refused if the definitions of the dialects are known.
#[test]
fn damaged_files_are_refused_with_definitions() {
    let Some(sources) = llvm_sources() else { return };
    let source = definitions(&sources);
    let folder = sources.join("mlir/test/Bytecode");
    let damaged = files_below(&folder.join("invalid"), "mlirbc");
    assert!(damaged.len() >= 20, "{} files", damaged.len());
    for file in damaged {
        let bytes = std::fs::read(&file).expect("the file can be read");
        let errors = read(&source, &bytes).expect_err(&file.display().to_string());
        assert!(errors.iter().any(|error| error.message.starts_with("cannot read the byte code in '-': ")));
    }
}

/// Both drrvm and `mlir-opt` refuse the damaged files of MLIR's tests. The files of old versions have operations of the
/// test dialect, which C++ code upgrades. drrvm reads these operations as they are, or reports that it does not know
/// their binary form.
#[test]
fn damaged_files_are_refused_and_files_of_old_versions_have_known_errors() {
    let (Some(sources), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let folder = sources.join("mlir/test/Bytecode");
    let damaged = files_below(&folder.join("invalid"), "mlirbc");
    assert!(damaged.len() >= 20, "{} files", damaged.len());
    for file in damaged {
        let bytes = std::fs::read(&file).expect("the file can be read");
        let theirs = pipe(&tool, &["--allow-unregistered-dialect", "--mlir-print-op-generic"], &bytes);
        let ours = mlirbc::read(&mut Context::new(), "-", &bytes);
        assert!(!theirs.status.success() && ours.is_err(), "{}", file.display());
    }
    for file in files_below(&folder.join("versioning"), "mlirbc") {
        let bytes = std::fs::read(&file).expect("the file can be read");
        if let Err(errors) = mlirbc::read(&mut Context::new(), "-", &bytes) {
            let message = &errors.iter().next().expect("an error").message;
            assert!(message.contains("binary form"), "{}: {message}", file.display());
        }
    }
}

/// `mlir-opt` writes the properties of an unknown operation as an attribute in the section of properties. drrvm reads
/// this attribute, but writes the properties as ordinary attributes. A tool that knows the operation converts ordinary
/// attributes to properties, but would misread an attribute in the section as native properties.
#[test]
fn properties_without_definitions_are_read_and_written_as_attributes() {
    let Some(tool) = llvm_tool("mlir-opt") else { return };
    let text = "\"t.op\"() <{a = 1 : i32, z = \"s\"}> {b = 2 : i32} : () -> ()\n";
    let theirs = pipe(&tool, &["--allow-unregistered-dialect", "--emit-bytecode"], text.as_bytes()).stdout;
    let other =
        "include \"mlir/IR/OpBase.td\"\ndef T : Dialect { let name = \"t\"; }\ndef O : Op<T, \"other\">;";
    let files = Folder::new(&[("none.td", ""), ("other.td", other)]);
    for file in ["none.td", "other.td"] {
        let source = DialectFiles::new().path(files.path(file)).shared();
        let (mut context, module) = read(&source, &theirs).expect("the file is valid");
        let printed = module.print(&context, PrintOptions::new().generic(true));
        assert!(printed.contains("\"t.op\"() <{a = 1 : i32, z = \"s\"}> {b = 2 : i32}"), "{printed}");
        assert_eq!(printed.trim(), generic(&tool, &theirs));
        let ours = mlirbc::write(&mut context, &module, mlirbc::VERSION).expect("the module is valid");
        let printed = generic(&tool, &ours);
        assert!(printed.contains("\"t.op\"() {a = 1 : i32, b = 2 : i32, z = \"s\"}"), "{file}: {printed}");
    }
}

/// The writer of the files has no definitions, so the files have the dictionaries of the generic form.
#[test]
fn definitions_apply_to_operations_that_were_written_without_them() {
    let definitions = r#"
include "mlir/IR/OpBase.td"
def My_Dialect : Dialect { let name = "my"; let cppNamespace = "::my"; let usePropertiesForAttributes = 1; }
def My_AOp : Op<My_Dialect, "a"> {
  let arguments = (ins OptionalAttr<I32Attr>:$a, DefaultValuedAttr<I32Attr, "3">:$b);
}
def My_BOp : Op<My_Dialect, "b">;
"#;
    for (text, expected) in [
        ("\"my.a\"() <{a = 7 : i32}> : () -> ()", "\"my.a\"() <{a = 7 : i32, b = 3 : i32}> : () -> ()"),
        ("\"my.a\"() {a = 7 : i32, z} : () -> ()", "\"my.a\"() <{a = 7 : i32, b = 3 : i32}> {z} : () -> ()"),
        (
            "\"my.a\"() <{y, b = 1 : i32}> {y = 1 : i8} : () -> ()",
            "\"my.a\"() <{b = 1 : i32}> {y = 1 : i8} : () -> ()",
        ),
        ("\"my.a\"() <5 : i8> : () -> ()", "invalid properties 5 : i8 for op my.a: expected a dictionary"),
        ("\"my.b\"() <5 : i8> : () -> ()", "operation 'my.b' has no properties"),
        ("\"my.c\"() <5 : i8> : () -> ()", "\"my.c\"() <5 : i8> : () -> ()"),
    ] {
        let files = Folder::new(&[("My.td", definitions), ("in.mlir", text)]);
        let run = files.run(&["opt", "in.mlir", "--emit-bytecode", "-o", "in.mlirbc"]);
        assert_eq!(run.stderr, "", "{text}");
        let run = files.run(&["opt", "in.mlirbc", "--generic", "--dialects", "My.td"]);
        let output = if run.stderr.is_empty() { run.stdout } else { run.stderr };
        assert!(output.contains(expected), "{text}: {output}");
    }
}
