//! Runs MLIR's own tests of its `pdl` byte code, with each pattern written in `pdl`.
//!
//! The IR and the FileCheck expectations are from MLIR's file; the patterns are in `tests/data/pdl/bytecode.mlir`. A
//! second test shows that `mlir-opt` gives the expected results with these patterns too.

use crate::common;
use crate::common::pdl_pass;

use std::collections::BTreeMap;
use std::sync::Arc;

use drrvm::compile;
use drrvm::host::{Bind, Ir, NoListener, WalkOrder};
use drrvm::internal::frontend::pdl_text;
use drrvm::internal::pdl::{ReferenceMatcher, nodes};
use drrvm::ir::{Context, IrHost, Module, PrintOptions, parse_module};
use drrvm::rewrite::{Config, apply_greedily};
use drrvm::source::SourceMap;
use drrvm::vm::{LinkOptions, Matcher};

/// Returns the parts of a split file by name. The name follows `mark`, and a character of `end` ends it.
fn by_name<'t>(text: &'t str, mark: &str, end: &[char]) -> BTreeMap<&'t str, &'t str> {
    let named = |part: &'t str| {
        let (_, rest) = part.split_once(mark)?;
        Some((rest.split(end).next()?, part))
    };
    text.split("// -----\n").filter_map(named).collect()
}

/// MLIR's cases, and the patterns of `tests/data/pdl/bytecode.mlir`, by name. `Cases::read` returns `None` without
/// MLIR's sources.
struct Cases {
    theirs: BTreeMap<String, String>,
    ours: BTreeMap<String, String>,
}

impl Cases {
    fn read() -> Option<Self> {
        let sources = common::llvm_sources()?;
        let theirs = std::fs::read_to_string(sources.join("mlir/test/Rewrite/pdl-bytecode.mlir"));
        let theirs = theirs.expect("the sources are complete");
        let owned = |parts: BTreeMap<&str, &str>| {
            parts.into_iter().map(|(name, part)| (name.to_owned(), part.to_owned())).collect()
        };
        Some(Self {
            theirs: owned(by_name(&theirs, "module @ir attributes { ", &[' '])),
            ours: owned(by_name(include_str!("../../data/pdl/bytecode.mlir"), "// case: ", &['\n'])),
        })
    }

    /// Yields name, patterns, IR and the whole case, which contains the FileCheck expectations.
    fn iter(&self) -> impl Iterator<Item = (&str, &str, &str, &str)> {
        self.ours.iter().map(|(name, patterns)| {
            let case = &self.theirs[name];
            let ir = &case[case.find("module @ir").expect("every case has IR")..];
            (name.as_str(), patterns.as_str(), ir, case.as_str())
        })
    }
}

/// Runs FileCheck on the output for a case.
fn check(tool: &str, name: &str, case: &str, output: &str) {
    let folder = tempfile::tempdir().expect("a folder for the input of FileCheck");
    let expected = folder.path().join("case.mlir");
    std::fs::write(&expected, case).expect("the folder exists");
    let expected = expected.display().to_string();
    if let Err(error) = common::pipe_text(tool, &["-enable-var-scope", &expected], output) {
        panic!("{name}: {error}\n{output}");
    }
}

#[test]
fn patterns_give_the_results_of_mlirs_byte_code() {
    let (Some(cases), Some(opt), Some(filecheck)) =
        (Cases::read(), common::llvm_tool("mlir-opt"), common::llvm_tool("FileCheck"))
    else {
        return;
    };
    let missing: Vec<_> = cases.theirs.keys().filter(|name| !cases.ours.contains_key(*name)).collect();
    assert_eq!(missing, ["test.extract_op"], "`pdl` cannot express this pattern");
    for (name, patterns, ir, case) in cases.iter() {
        let generic =
            common::pipe_text(&opt, &["--allow-unregistered-dialect", "--mlir-print-op-generic", "-"], ir);
        let generic = generic.unwrap_or_else(|error| panic!("{name}: {error}"));
        let result = rewritten(name, patterns, &generic);
        let printed = common::pipe_text(&opt, &["--allow-unregistered-dialect", "-"], &result);
        let printed = printed.unwrap_or_else(|error| panic!("{name}: {error}\n{result}"));
        check(&filecheck, name, case, &printed);
    }
}

/// MLIR's cases are written in `pdl_interp`. This test shows that the `pdl` patterns have the same meaning: MLIR gives
/// the expected results with them.
#[test]
fn mlir_gives_the_expected_results_with_the_patterns() {
    let (Some(cases), Some(opt), Some(filecheck)) =
        (Cases::read(), common::llvm_tool("mlir-opt"), common::llvm_tool("FileCheck"))
    else {
        return;
    };
    let mut count = 0;
    for (name, patterns, ir, case) in cases.iter() {
        let text = format!("module {{\nmodule @patterns {{\n{patterns}}}\n{ir}\n}}\n");
        let args = ["--allow-unregistered-dialect", "--test-pdl-bytecode-pass", "-"];
        let output = common::pipe_text(&opt, &args, &text);
        check(&filecheck, name, case, &output.unwrap_or_else(|error| panic!("{name}: {error}\n{text}")));
        count += 1;
    }
    assert_eq!(count, 43);
}

/// Rewrites the IR greedily and returns generic text. The tree must find the matches of the reference matcher.
fn rewritten(name: &str, patterns: &str, ir: &str) -> String {
    let mut sources = SourceMap::default();
    let patterns = sources.add("patterns.mlir", patterns).expect("small");
    let mut rules = pdl_pass::with_arith_constant();
    if let Err(errors) = pdl_text::parse(&sources, patterns, &mut rules) {
        panic!("{name}: {:?}", errors.iter().next());
    }
    let file = sources.add("ir.mlir", ir).expect("small");
    let mut context = Context::new();
    let module: Module = parse_module(&mut context, sources.file(file))
        .unwrap_or_else(|errors| panic!("{name}: {:?}", errors.iter().next()));
    let mut host = IrHost::new(context, module);
    // Constraints create no types, so `f32`, which some of them return, must exist before matching.
    host.bind_type("f32").expect("a type");
    let natives = pdl_pass::natives();
    let program =
        compile::program(&rules).unwrap_or_else(|errors| panic!("{name}: {:?}", errors.iter().next()));
    let matcher = Matcher::link(Arc::new(program), &mut host, &natives, &LinkOptions::default())
        .unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let reference = ReferenceMatcher::new(&rules, &mut host, &natives).expect("the rules link");
    let top = host.module.top();
    let mut ops = Vec::new();
    host.walk(top, WalkOrder::Pre, &mut |op| ops.push(op));
    let mut scratch = matcher.cache();
    for op in ops {
        let mut found = Vec::new();
        let mut next = matcher.match_first(&host, op, &mut scratch);
        while let Some(pattern) = next {
            let nodes = nodes(&rules.patterns()[pattern]).map(|(node, ..)| node);
            let bindings: Vec<_> = nodes.map(|node| matcher.binding(&host, &mut scratch, node)).collect();
            found.push((pattern, bindings));
            next = matcher.next_match(&host, &mut scratch);
        }
        let expected = reference.matches(&host, op);
        let expected: Vec<_> =
            expected.map(|m| (m.pattern, m.bindings().cloned().map(Some).collect::<Vec<_>>())).collect();
        assert_eq!(found, expected, "{name}");
    }
    let report = apply_greedily(&mut host, top, &matcher, &Config::default(), &mut NoListener);
    assert!(report.not_converged.is_none(), "{name}");
    host.module.print(&host.context, PrintOptions::new().generic(true))
}
