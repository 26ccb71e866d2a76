//! Measures the share of the chunks of MLIR's test files that drrvm reads and prints as `mlir-opt-22` does. To run it:
//!
//! `cargo run --release --example mlir_test_forms`
//!
//! A chunk is the text between two `// -----` lines of a file in `mlir/test`. The program counts the chunks that
//! `mlir-opt-22 --allow-unregistered-dialect` accepts. A chunk is read if drrvm parses it with the definitions in
//! `mlir/include` and `mlir/test/lib`. It has the same meaning if both programs print the same generic form, and the
//! same text if both print the same custom form. The comparison of texts ignores names of values, because C++ code
//! chooses them.
//!
//! The sources are in `$DRRVM_LLVM`, by default `$HOME/.cache/drrvm/llvm-22`. Options:
//!
//! - `--oracle FILE`: keeps the output of `mlir-opt-22` in FILE (one JSON object a line), and reads it from there if
//!   FILE exists;
//! - `--results FILE`: writes the verdict on each chunk, with the error or the first lines that differ (one JSON object
//!   a line);
//! - `--only TEXT`: takes only files whose path contains TEXT;
//! - `--causes N`: prints the N most frequent causes of each kind;
//! - `--operations`: measures instead the share of operations that drrvm prints in custom form and that both programs
//!   read back.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the program prints its result")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

#[path = "mlir_test_forms/operations.rs"]
pub(crate) mod operations;

use drrvm::compile::DialectFiles;
use drrvm::ir::dialect::DialectSource;
use drrvm::ir::{Context, PrintOptions, parse_module};
use drrvm::source::SourceMap;
use serde_json::{Value, json};

const SPLIT: &str = "// -----";
const OUTPUT_SPLIT: &str = "//=====SPLIT=====//";

#[derive(Default)]
struct Options {
    oracle: Option<PathBuf>,
    results: Option<PathBuf>,
    only: String,
    causes: usize,
    operations: bool,
}

/// A chunk of a file, and the output of `mlir-opt-22` for it.
pub(crate) struct Chunk {
    file: String,
    number: u64,
    text: String,
    generic: String,
    custom: String,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!(
            "usage: mlir_test_forms [--oracle FILE] [--results FILE] [--only TEXT] [--causes N] [--operations]"
        );
        return ExitCode::FAILURE;
    };
    let home = std::env::var_os("HOME").unwrap_or_default();
    let root = std::env::var_os("DRRVM_LLVM")
        .map_or_else(|| Path::new(&home).join(".cache/drrvm/llvm-22"), PathBuf::from);
    let stored = options.oracle.as_ref().and_then(|path| stored(path));
    let has_tool = Command::new("mlir-opt-22").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !root.join("mlir/test").is_dir() || (stored.is_none() && !has_tool) {
        println!("skipped: this needs mlir-opt-22 and the sources of LLVM 22 in {}", root.display());
        return ExitCode::SUCCESS;
    }
    let chunks = match stored {
        Some(chunks) => chunks,
        None => {
            let chunks = accepted_chunks(&root.join("mlir/test"), "mlir-opt-22", &options.only, 1);
            if let Some(path) = &options.oracle {
                let lines: String = chunks.iter().map(|chunk| format!("{}\n", write_chunk(chunk))).collect();
                std::fs::write(path, lines).expect("the oracle file can be written");
            }
            chunks
        }
    };
    let chunks: Vec<Chunk> = chunks.into_iter().filter(|chunk| chunk.file.contains(&options.only)).collect();
    if options.operations {
        println!("{}", operations::coverage(&root, "mlir-opt-22", &chunks, true));
        return ExitCode::SUCCESS;
    }
    let verdicts = verdicts(&root, &chunks);
    if let Some(path) = &options.results {
        let lines: String = verdicts.iter().map(|verdict| format!("{verdict}\n")).collect();
        std::fs::write(path, lines).expect("the result file can be written");
    }
    println!("{}", Figures::of(&verdicts));
    print_causes(&verdicts, options.causes);
    ExitCode::SUCCESS
}

/// The chunks in a file of `--oracle`.
fn stored(file: &Path) -> Option<Vec<Chunk>> {
    let text = std::fs::read_to_string(file).ok()?;
    Some(text.lines().filter_map(read_chunk).collect())
}

/// The definitions in a folder with LLVM's sources.
fn source(root: &Path) -> Arc<dyn DialectSource> {
    static SOURCE: OnceLock<Arc<dyn DialectSource>> = OnceLock::new();
    let include = root.join("mlir/include");
    let made = || {
        DialectFiles::new()
            .path(&include)
            .path(root.join("mlir/test/lib"))
            .include_dir(&include)
            .include_dir("/usr/lib/llvm-22/include")
            .include_dir(root.join("mlir/test/lib/Dialect/Test"))
            .shared()
    };
    SOURCE.get_or_init(made).clone()
}

/// The verdicts about chunks. The definitions come from a folder with LLVM's sources.
pub(crate) fn verdicts(root: &Path, chunks: &[Chunk]) -> Vec<Value> {
    let source = source(root);
    in_parallel(chunks, |chunk: &Chunk| verdict(chunk, &source))
}

fn options() -> Option<Options> {
    let mut options = Options::default();
    let mut args = std::env::args().skip(1);
    while let Some(option) = args.next() {
        if option == "--operations" {
            options.operations = true;
            continue;
        }
        let value = args.next()?;
        match option.as_str() {
            "--oracle" => options.oracle = Some(value.into()),
            "--results" => options.results = Some(value.into()),
            "--only" => options.only = value,
            "--causes" => options.causes = value.parse().ok()?,
            _ => return None,
        }
    }
    Some(options)
}

fn read_chunk(line: &str) -> Option<Chunk> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |key: &str| Some(value[key].as_str()?.to_owned());
    let (file, number) = (text("file")?, value["chunk"].as_u64()?);
    Some(Chunk { file, number, text: text("text")?, generic: text("generic")?, custom: text("custom")? })
}

fn write_chunk(chunk: &Chunk) -> Value {
    json!({
        "file": chunk.file,
        "chunk": chunk.number,
        "text": chunk.text,
        "generic": chunk.generic,
        "custom": chunk.custom,
    })
}

/// Applies a function to all items with all processors. The results have the order of the items.
fn in_parallel<T: Sync, R: Send>(items: &[T], apply: impl Fn(&T) -> R + Sync) -> Vec<R> {
    const STACK: usize = 64 << 20;
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let work = || {
                while let Some((index, item)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    items.get(index).map(|item| (index, item))
                } {
                    let result = apply(item);
                    results.lock().expect("no thread panics").push((index, result));
                }
            };
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, work).expect("a thread can be started");
        }
    });
    let mut results = results.into_inner().expect("no thread panics");
    results.sort_by_key(|result| result.0);
    results.into_iter().map(|result| result.1).collect()
}

// The output of mlir-opt.

/// Selects the files in `folder` and its subfolders whose path contains `only`, and reads every `step`-th of them.
/// Returns the chunks that a tool accepts.
pub(crate) fn accepted_chunks(folder: &Path, tool: &str, only: &str, step: usize) -> Vec<Chunk> {
    let mut files = Vec::new();
    collect(folder, "mlir", &mut files);
    files.sort();
    let name = |file: &Path| file.strip_prefix(folder).unwrap_or(file).display().to_string();
    files.retain(|file| name(file).contains(only));
    let files: Vec<PathBuf> = files.into_iter().step_by(step).collect();
    in_parallel(&files, |file| chunks_of(file, &name(file), tool)).into_iter().flatten().collect()
}

/// Adds the files with the extension `ending` in a folder and in its subfolders.
fn collect(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, ending, files);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            files.push(path);
        }
    }
}

fn chunks_of(file: &Path, name: &str, tool: &str) -> Vec<Chunk> {
    let bytes = std::fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let texts: Vec<&str> = text.split(SPLIT).collect();
    let generic = mlir_opt(tool, &text, &["--mlir-print-op-generic"], true);
    let custom = mlir_opt(tool, &text, &[], true);
    let mut chunks = Vec::new();
    let together = match (&generic, &custom) {
        (Some((generic, _)), Some((custom, _))) => {
            let lists = [generic, custom].map(|text| text.split(OUTPUT_SPLIT).collect::<Vec<_>>());
            lists.iter().all(|list| list.len() == texts.len()).then_some(lists)
        }
        _ => None,
    };
    for (index, text) in texts.iter().enumerate() {
        let outputs = match &together {
            Some([generic, custom]) => Some((generic[index].to_owned(), custom[index].to_owned()))
                .filter(|(generic, custom)| !generic.trim().is_empty() && !custom.trim().is_empty()),
            None => {
                let accepted =
                    |flags: &[&str]| mlir_opt(tool, text, flags, false).filter(|(_, ok)| *ok).map(|o| o.0);
                accepted(&["--mlir-print-op-generic"]).zip(accepted(&[]))
            }
        };
        if let Some((generic, custom)) = outputs {
            let (generic, custom) = (generic.trim_matches('\n').into(), custom.trim_matches('\n').into());
            let (file, number) = (name.to_owned(), index as u64);
            chunks.push(Chunk { file, number, text: (*text).to_owned(), generic, custom });
        }
    }
    chunks
}

/// Runs a tool. Returns its output and a flag that is set if it accepts the whole input, or `None` if it cannot be
/// started or crashes.
fn mlir_opt(tool: &str, text: &str, flags: &[&str], split: bool) -> Option<(String, bool)> {
    let mut command = Command::new(tool);
    command.arg("--allow-unregistered-dialect").args(flags);
    if split {
        command.args(["--split-input-file", &format!("--output-split-marker={OUTPUT_SPLIT}")]);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut input = child.stdin.take()?;
    let text = text.to_owned();
    let writer = std::thread::spawn(move || {
        // A tool that stops early closes the pipe.
        let _ = input.write_all(text.as_bytes());
    });
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?;
    output.status.code()?;
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success()))
}

// The output of drrvm.

fn verdict(chunk: &Chunk, source: &Arc<dyn DialectSource>) -> Value {
    let mut sources = SourceMap::default();
    let mut result = json!({"file": chunk.file, "chunk": chunk.number});
    let Ok(file) = sources.add("-", chunk.text.as_str()) else { return result };
    let mut context = Context::new();
    context.set_dialects(source.clone());
    let module = match parse_module(&mut context, sources.file(file)) {
        Ok(module) => module,
        Err(errors) => {
            let Some(error) = errors.iter().next() else { return result };
            let at = sources.locate(error.span());
            let line = at.as_ref().map_or(0, |at| at.line) as usize;
            result["status"] = "unread".into();
            result["error"] = error.message.as_str().into();
            result["line"] = chunk.text.lines().nth(line.saturating_sub(1)).unwrap_or("").into();
            result["column"] = at.map_or(0, |at| at.column).into();
            return result;
        }
    };
    result["status"] = "read".into();
    let generic = module.print(&context, PrintOptions::new().generic(true));
    let custom = module.print(&context, PrintOptions::new());
    let (ours, theirs) = (without_names(&custom), without_names(&chunk.custom));
    result["same_meaning"] = (generic.trim() == chunk.generic.trim()).into();
    result["same_text"] = (ours.trim() == theirs.trim()).into();
    result["same_names"] = (custom.trim() == chunk.custom.trim()).into();
    if result["same_meaning"] == false {
        result["meaning_difference"] = difference(generic.trim(), chunk.generic.trim());
    }
    if result["same_text"] == false {
        result["text_difference"] = difference(ours.trim(), theirs.trim());
    } else if result["same_names"] == false {
        result["names_difference"] = difference(custom.trim(), chunk.custom.trim());
    }
    result
}

fn difference(ours: &str, theirs: &str) -> Value {
    match ours.lines().zip(theirs.lines()).find(|(ours, theirs)| ours != theirs) {
        Some((ours, theirs)) => json!([ours, theirs]),
        None => {
            json!([format!("{} lines", ours.lines().count()), format!("{} lines", theirs.lines().count())])
        }
    }
}

/// The text with `%` in place of each name of a value. A list of results becomes one `%`, because MLIR writes several
/// results as one name (`%r:2`) or as a list of names.
pub(crate) fn without_names(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let code = line.trim_start();
        let results = code.split_once(" = ").filter(|(names, _)| {
            names.split(", ").all(|name| name.starts_with('%') && !name.contains([' ', '(', ')']))
        });
        if let Some((_, op)) = results {
            out.push_str(&line[..line.len() - code.len()]);
            out.push_str("% = ");
            push_without_names(&mut out, op);
        } else {
            push_without_names(&mut out, line);
        }
        out.push('\n');
    }
    out
}

fn push_without_names(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
        // A space precedes the arrow in `%a -> t`, so a name does not end with the `-`.
        rest = rest.trim_start_matches(is_name);
        if let Some(number) = rest.strip_prefix('#') {
            rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }
    out.push_str(rest);
}

/// The numbers of chunks with each verdict.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    /// All chunks.
    pub(crate) chunks: usize,
    /// The chunks that are read.
    pub(crate) read: usize,
    /// The chunks that are read and have the same meaning.
    pub(crate) meaning: usize,
    /// The chunks that are read and are printed as the same text, except for names of values.
    pub(crate) text: usize,
    /// The chunks that are read and are printed as the same text, with the same names of values.
    pub(crate) names: usize,
}

impl Figures {
    pub(crate) fn of(verdicts: &[Value]) -> Self {
        let count = |key: &str| verdicts.iter().filter(|verdict| verdict[key] == true).count();
        Self {
            chunks: verdicts.len(),
            read: verdicts.iter().filter(|verdict| verdict["status"] == "read").count(),
            meaning: count("same_meaning"),
            text: count("same_text"),
            names: count("same_names"),
        }
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        writeln!(f, "chunks that mlir-opt accepts     {:6}", self.chunks)?;
        writeln!(
            f,
            "read by drrvm                    {:6}  {:5.1}%",
            self.read,
            share(self.read, self.chunks)
        )?;
        let of_read = |part: usize| share(part, self.read);
        writeln!(f, "of these: the same meaning       {:6}  {:5.1}%", self.meaning, of_read(self.meaning))?;
        writeln!(f, "of these: the same text          {:6}  {:5.1}%", self.text, of_read(self.text))?;
        write!(f, "of these: the same names as well {:6}  {:5.1}%", self.names, of_read(self.names))
    }
}

fn print_causes(verdicts: &[Value], causes: usize) {
    if causes == 0 {
        return;
    }
    let cause = |verdict: &Value, key: &str| match key {
        "error" => Some(verdict[key].as_str()?.to_owned()),
        key => Some(first_name(verdict[key][1].as_str()?)),
    };
    for (title, key) in
        [("unread", "error"), ("other meaning", "meaning_difference"), ("other text", "text_difference")]
    {
        let mut counts: BTreeMap<String, (usize, &Value)> = BTreeMap::new();
        for verdict in verdicts {
            if let Some(cause) = cause(verdict, key) {
                counts.entry(cause).or_insert((0, verdict)).0 += 1;
            }
        }
        let mut sorted: Vec<_> = counts.into_iter().collect();
        sorted.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        println!("\n{title}:");
        for (cause, (count, verdict)) in sorted.into_iter().take(causes) {
            println!("{count:6}  {cause}  ({} {})", verdict["file"].as_str().unwrap_or(""), verdict["chunk"]);
        }
    }
}

/// The first name in a line that has the prefix of a dialect, such as `arith.addi`. If there is none, the first 40
/// characters of the line.
fn first_name(line: &str) -> String {
    let words = line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
    let mut names = words.filter(|word| {
        word.contains('.') && word.starts_with(|c: char| c.is_ascii_lowercase()) && !word.ends_with('.')
    });
    names.next().map_or_else(|| line.trim().chars().take(40).collect(), str::to_owned)
}
