//! Measures matching of MLIR's rules on the IR of MLIR's tests.
//!
//! The bench writes a file with one module. This module contains each part of a test as a nested module in generic
//! form. The parts are repeated until there are enough operations. Both sides read this file and match every operation
//! in it.

use std::path::{Path, PathBuf};

use drrvm::compile;
use drrvm::ir::{Context, parse_module};
use drrvm::natives;
use drrvm::source::SourceMap;
use serde_json::Value;

use crate::common::{llvm_sources, llvm_tool, pipe_text};
use crate::ours::{self, Measurement};

/// A rule file, and a test with operations that its rules match.
pub struct Set {
    /// The name on MLIR's side.
    pub name: &'static str,
    /// The title in the table.
    pub title: &'static str,
    file: &'static str,
    /// The number of rules in the file.
    pub rules: usize,
    test: &'static str,
}

pub const SETS: [Set; 5] = [
    Set {
        name: "arith",
        title: "ArithCanonicalization.td",
        file: "mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td",
        rules: 43,
        test: "mlir/test/Dialect/Arith/canonicalize.mlir",
    },
    Set {
        name: "test",
        title: "TestOps.td",
        file: "mlir/test/lib/Dialect/Test/TestOps.td",
        rules: 79,
        test: "mlir/test/mlir-tblgen/pattern.mlir",
    },
    Set {
        name: "spirv",
        title: "SPIRVCanonicalization.td",
        file: "mlir/lib/Dialect/SPIRV/IR/SPIRVCanonicalization.td",
        rules: 16,
        test: "mlir/test/Dialect/SPIRV/Transforms/canonicalize.mlir",
    },
    Set {
        name: "shape",
        title: "ShapeCanonicalization.td",
        file: "mlir/lib/Dialect/Shape/IR/ShapeCanonicalization.td",
        rules: 7,
        test: "mlir/test/Dialect/Shape/canonicalize.mlir",
    },
    Set {
        name: "shape-to-standard",
        title: "ShapeToStandard.td",
        file: "mlir/lib/Conversion/ShapeToStandard/ShapeToStandard.td",
        rules: 2,
        test: "mlir/test/Conversion/ShapeToStandard/convert-shape-constraints.mlir",
    },
];

/// Returns a set by its name.
pub fn set(name: &str) -> &'static Set {
    SETS.iter().find(|set| set.name == name).unwrap_or_else(|| panic!("unknown rules '{name}'"))
}

const MARKER: &str = "// -----\n";

/// Writes IR of at least `at_least` operations and prints the parts of the test that are omitted. Without MLIR, prints
/// the reason and returns `None`.
pub fn write_ir(set: &Set, at_least: usize) -> Option<PathBuf> {
    let (sources, opt) = (llvm_sources()?, llvm_tool("mlir-opt")?);
    let test = sources.join(set.test);
    // An alias cannot be defined inside a module, so the text is printed without aliases.
    let allow = "--allow-unregistered-dialect";
    let args = [allow, "--mlir-print-op-generic", "--mlir-print-local-scope", "--split-input-file"];
    let marker = format!("--output-split-marker={}", MARKER.trim_end());
    let args = [&args[..], &[&marker, test.to_str().expect("a path in UTF-8")]].concat();
    let printed = pipe_text(&opt, &args, "").unwrap_or_else(|why| panic!("{}: {why}", set.test));
    let (mut once, mut ops) = (String::new(), 0);
    for (i, part) in printed.split(MARKER).enumerate() {
        match count_ops(part) {
            Ok(count) => (once, ops) = (once + part, ops + count),
            Err(why) => eprintln!("{}: part {i} is omitted: {why}", set.test),
        }
    }
    if ops == 0 {
        eprintln!("{}: all parts are omitted", set.test);
        return None;
    }
    let times = at_least.div_ceil(ops);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench/real");
    std::fs::create_dir_all(&folder).expect("`target` is writable");
    let path = folder.join(format!("{}_{at_least}.mlir", set.name));
    let text = format!("\"builtin.module\"() ({{\n{}}}) : () -> ()\n", once.repeat(times));
    std::fs::write(&path, text).expect("`target` is writable");
    Some(path)
}

fn count_ops(text: &str) -> Result<usize, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("part", text).map_err(|error| error.message)?;
    let module = parse_module(&mut Context::new(), sources.file(file));
    let module =
        module.map_err(|errors| errors.iter().next().map_or(String::new(), |e| e.message.clone()))?;
    Ok(module.preorder(module.top()).count())
}

/// Measures one engine of drrvm; its matches on the first operations are checked with the reference matcher.
pub fn run(engine: &str, set: &Set, ir: &Path, rounds: usize) -> Value {
    let root = llvm_sources().expect("the sources exist");
    let tests = root.join("mlir/test/lib/Dialect/Test");
    let options = compile::Options {
        helpers: match set.name {
            "test" => vec![tests.join("TestPatterns.cpp"), tests.join("TestOpDefs.cpp")],
            _ => Vec::new(),
        },
        include_dirs: vec![root.join("mlir/include"), tests],
        ..compile::Options::default()
    };
    let (rules, _) = compile::rules(&mut SourceMap::default(), &[root.join(set.file)], &options)
        .unwrap_or_else(|errors| panic!("{}: {errors:?}", set.file));
    assert_eq!(rules.patterns().len(), set.rules, "{}", set.file);
    let (mut host, ops) = ours::read_ir(ir);
    let what = Measurement {
        mode: "first".to_owned(),
        engine: engine.to_owned(),
        host: "ir".to_owned(),
        ops: set.name.to_owned(),
        rules: set.rules,
        rounds,
    };
    ours::matching(&what, &mut host, &ops, &rules, &natives::all())
}
