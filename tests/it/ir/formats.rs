//! Compares the reader and the printer of custom forms with `mlir-tblgen-22` and `mlir-opt-22`.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::common::{files_below, llvm_sources, llvm_tool};
use drrvm::compile::DialectFiles;
use drrvm::internal::frontend::{ods, prelude, tablegen};
use drrvm::ir::dialect::DialectSource;
use drrvm::ir::{Context, PrintOptions, parse_module};
use drrvm::source::SourceMap;

/// The definitions of MLIR's test files and whether MLIR's own comments say that they have an error.
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

/// The chunks of a file, as `--split-input-file` has them.
fn chunks(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n// -----")
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

/// The text with numbers in place of the names of values.
fn without_names(text: &str) -> String {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let count = names.len();
        let number = *names.entry(&rest[..end]).or_insert(count);
        out.push_str(&number.to_string());
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[derive(Default)]
struct Counts {
    chunks: usize,
    read: usize,
    same_meaning: usize,
    same_text: usize,
    reasons: BTreeMap<String, usize>,
    examples: Vec<String>,
}

/// Prints how many chunks of MLIR's tests are read as written, mean the same, and are printed the same.
#[test]
fn mlir_tests_are_read_as_written() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let source: Arc<dyn DialectSource> = DialectFiles::new()
        .path(root.join("mlir/include"))
        .path(root.join("mlir/test/lib/Dialect"))
        .include_dir(root.join("mlir/include"))
        .include_dir(root.join("mlir/test/lib/Dialect/Test"))
        .shared();
    let full = std::env::var_os("DRRVM_FULL").is_some();
    let wanted = std::env::var("DRRVM_FORMATS").unwrap_or_default();
    let files = files_below(&root.join("mlir/test"), "mlir");
    let step = if full { 1 } else { 200 };
    let mut counts = Counts::default();
    for path in files.iter().step_by(step) {
        let shown = path.strip_prefix(&root).unwrap().display().to_string();
        if !shown.contains(&wanted) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        for (number, chunk) in chunks(&text).enumerate() {
            measure(&mut counts, &source, &tool, chunk, &format!("{shown} chunk {number}"));
        }
    }
    let mut reasons: Vec<_> = counts.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in reasons.iter().take(60) {
        println!("{count:5} {reason}");
    }
    for example in &counts.examples {
        println!("{example}");
    }
    println!(
        "{} chunks that mlir-opt accepts: {} read as written, {} of these mean the same, {} print the same text",
        counts.chunks, counts.read, counts.same_meaning, counts.same_text
    );
    assert!(counts.chunks == 0 || counts.read * 10 >= counts.chunks * 3, "less than 30% are read");
}

fn measure(counts: &mut Counts, source: &Arc<dyn DialectSource>, tool: &str, chunk: &str, place: &str) {
    let Some(generic) = mlir_opt(tool, &["--mlir-print-op-generic"], chunk) else { return };
    let Some(custom) = mlir_opt(tool, &[], chunk) else { return };
    counts.chunks += 1;
    let mut sources = SourceMap::default();
    let file = sources.add("-", chunk).unwrap();
    let mut context = Context::new();
    context.set_dialects(source.clone());
    let module = match parse_module(&mut context, sources.file(file)) {
        Ok(module) => module,
        Err(errors) => {
            let reason = errors.iter().next().map_or_else(String::new, |error| error.message.clone());
            *counts.reasons.entry(reason).or_default() += 1;
            return;
        }
    };
    counts.read += 1;
    let example = |counts: &mut Counts, what: &str, ours: &str, theirs: &str| {
        let different = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
        if counts.examples.len() < 40
            && let Some((ours, theirs)) = different
        {
            counts.examples.push(format!("{place}: {what}\n  ours   {ours}\n  theirs {theirs}"));
        }
    };
    let ours = module.print(&context, PrintOptions::new().generic(true));
    if ours.trim_end() == generic.trim_end() {
        counts.same_meaning += 1;
    } else {
        example(counts, "meaning", &ours, &generic);
    }
    let (ours, theirs) = (module.print(&context, PrintOptions::new()), custom);
    let (ours, theirs) = (without_names(&ours), without_names(&theirs));
    if ours.trim_end() == theirs.trim_end() {
        counts.same_text += 1;
    } else if ours.lines().count() > 0 {
        example(counts, "text", &ours, &theirs);
    }
}

/// The example of README is read without any definitions but the prelude, and means what it means to `mlir-opt`.
#[test]
fn everyday_files_are_read_without_definitions() {
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
