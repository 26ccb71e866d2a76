//! The greedy driver tries rules on operations in the same order as MLIR's driver.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use crate::common::{llvm_sources, llvm_tool};
use drrvm::compile;
use drrvm::host::{Ir, Listener, Natives, NoListener};
use drrvm::internal::vm::{Log, LoggingEngine};
use drrvm::ir::{Context, IrHost, OpId, parse_module};
use drrvm::pdl::PatternId;
use drrvm::rewrite::{Config, apply_greedily};
use drrvm::source::SourceMap;
use drrvm::vm::{LinkOptions, Matcher};

/// The attempts of a run: name of the operation, and rule.
#[derive(Default)]
struct Attempts(Vec<(String, PatternId)>);

impl Listener<IrHost> for Attempts {}
impl Log<IrHost> for Attempts {
    fn begin(&mut self, host: &IrHost, op: OpId, rule: PatternId) {
        self.0.push((host.op_name_text(host.op_name(op)), rule));
    }
}

/// Parses a line of MLIR's action log: the name of the operation and the rule that is tried.
fn attempt(line: &str) -> Option<(String, String)> {
    let (_, rest) = line.split_once("Action `apply-pattern pattern: ")?;
    let (rule, op) = rest.split_once(" (")?;
    let rule = rule.rsplit("::").next()?;
    // The name follows the results, or comes first if there are no results. In generic form it is in quotes.
    let op = if op.starts_with('%') { op.split_once(" = ")?.1 } else { op };
    let name = match op.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => op.split([' ', '(', ')']).next()?,
    };
    Some((name.to_owned(), rule.to_owned()))
}

#[test]
fn rules_are_tried_in_the_order_of_mlirs_driver() {
    let (Some(sources), Some(opt)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let file = sources.join("mlir/test/mlir-tblgen/pattern.mlir");
    let text = |args: &[&str]| {
        let run = Command::new(&opt).args(args).arg(&file).stderr(Stdio::null()).output().unwrap();
        String::from_utf8(run.stdout).unwrap()
    };
    let log = text(&["--test-greedy-patterns", "--mlir-disable-threading", "--log-actions-to=-"]);
    let input = text(&["--mlir-print-op-generic"]);

    let mut map = SourceMap::default();
    let tests = sources.join("mlir/test/lib/Dialect/Test");
    let options = compile::Options {
        include_dirs: vec![sources.join("mlir/include"), tests.clone()],
        helpers: vec![tests.join("TestPatterns.cpp"), tests.join("TestOpDefs.cpp")],
        ..compile::Options::default()
    };
    let (rules, _) = compile::rules(&mut map, &[tests.join("TestOps.td")], &options).unwrap();
    let program = Arc::new(compile::program(&rules).unwrap());
    let parsed = map.add("pattern.mlir", input).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, map.file(parsed)).unwrap();
    let mut host = IrHost::new(context, module);
    let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default()).unwrap();
    let attempts = Mutex::new(Attempts::default());
    let root = host.module.top();
    let engine = LoggingEngine::new(&matcher, &attempts);
    apply_greedily(&mut host, root, &engine, &Config::default(), &mut NoListener);

    let ours = attempts.into_inner().unwrap().0;
    let ours: Vec<(String, String)> =
        ours.into_iter().map(|(op, rule)| (op, matcher.program().pattern_name(rule).to_owned())).collect();
    let known: BTreeSet<&str> = rules.patterns().iter().map(|rule| &rules.strings()[rule.name]).collect();
    // The pass also has rules in C++ and folds, which are not compared.
    let theirs: Vec<(String, String)> =
        log.lines().filter_map(attempt).filter(|(_, rule)| known.contains(rule.as_str())).collect();
    assert!(theirs.len() > 200, "{}", theirs.len());
    for (index, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert_eq!(ours, theirs, "attempt {index}");
    }
    assert_eq!(ours.len(), theirs.len());
}
