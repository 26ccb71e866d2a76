//! Random rules against MLIR's own `pdl` byte code: the same rules rewrite the same IR to the same IR.
//!
//! `DRRVM_PDL_CASES` says how many cases (500 if not set), `DRRVM_SEED` which ones, in hexadecimal.
#![cfg(feature = "frontend")]
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../common/mod.rs"]
mod common;
mod generate;
#[path = "../common/pdl_pass.rs"]
mod pdl_pass;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use drrvm::compile;
use drrvm::frontend::pdl_text;
use drrvm::host::{Bind, NoListener};
use drrvm::ir::{Context, IrHost, PrintOptions, parse_module};
use drrvm::pdl::RuleSet;
use drrvm::rewrite::{Config, apply_greedily};
use drrvm::source::{Diagnostics, SourceMap};
use drrvm::vm::{LinkOptions, Matcher};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config as RunnerConfig, RngAlgorithm, TestRng, TestRunner};

use generate::Case;

/// Cases in one run of `mlir-opt`.
const BATCH: usize = 100;

fn module(number: usize, patterns: Option<&str>, ir: &str) -> String {
    let patterns = patterns.map(|text| format!("  module @patterns {{\n{text}  }}\n")).unwrap_or_default();
    format!("module attributes {{t.case = {number} : i32}} {{\n{patterns}  module @ir {{\n{ir}  }}\n}}\n")
}

/// What MLIR makes of each case that it makes something of: the whole module, by its number, which
/// counts from `first`. It does not survive some of them.
fn theirs(opt: &str, first: usize, cases: &[Case]) -> BTreeMap<usize, String> {
    let mut input = String::new();
    for (i, case) in cases.iter().enumerate() {
        writeln!(input, "{}// -----", module(first + i, Some(&case.patterns), &case.ir)).unwrap();
    }
    let args = [
        "--allow-unregistered-dialect",
        "--split-input-file",
        "--output-split-marker=// -----",
        "--test-pdl-bytecode-pass",
        "--verify-each=false",
        "--mlir-disable-threading",
        "--mlir-print-op-generic",
        "-",
    ];
    let mut child = Command::new(opt)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    if output.status.code().is_none() && cases.len() > 1 {
        // It crashed: some case is to blame, the others are still good.
        let (a, b) = cases.split_at(cases.len() / 2);
        let mut found = theirs(opt, first, a);
        found.extend(theirs(opt, first + a.len(), b));
        return found;
    }
    if !output.status.success() && std::env::var_os("DRRVM_PDL_SHOW").is_some() {
        println!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let number = |part: &str| {
        let (_, rest) = part.split_once("{t.case = ")?;
        rest.split(' ').next()?.parse().ok()
    };
    text.split("// -----").filter_map(|part| Some((number(part)?, part.to_owned()))).collect()
}

fn first(errors: &Diagnostics) -> String {
    errors.iter().next().map_or_else(String::new, |error| error.message.clone())
}

/// As our own printer has it.
fn canonical(text: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("theirs.mlir", text).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file))
        .unwrap_or_else(|errors| panic!("{}\n{text}", first(&errors)));
    module.print(&context, PrintOptions::new().generic(true))
}

/// What we make of a case, and how many rewrites it took.
fn ours(number: usize, case: &Case) -> (String, u64) {
    let mut sources = SourceMap::default();
    let patterns = sources.add("patterns.mlir", &*case.patterns).unwrap();
    let mut rules = RuleSet::default();
    if let Err(errors) = pdl_text::parse(&sources, patterns, &mut rules) {
        panic!("{}\n{}", first(&errors), case.patterns);
    }
    let text = module(number, None, &case.ir);
    let file = sources.add("ir.mlir", &*text).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file))
        .unwrap_or_else(|errors| panic!("{}\n{text}", first(&errors)));
    let mut host = IrHost::new(context, module);
    host.bind_type("f32").unwrap();
    let program = compile::program(&rules).unwrap_or_else(|errors| panic!("{}", first(&errors)));
    let natives = pdl_pass::natives();
    let matcher = Matcher::link(Arc::new(program), &mut host, &natives, &LinkOptions::default());
    let matcher = matcher.unwrap_or_else(|error| panic!("{error:?}"));
    let ir = host.module.first_op(host.module.body()).unwrap();
    let report = apply_greedily(&mut host, ir, &matcher, &Config::default(), &mut NoListener);
    (host.module.print(&host.context, PrintOptions::new().generic(true)), report.rewrites)
}

fn differs(opt: &str, case: &Case) -> Option<(String, String)> {
    let theirs = theirs(opt, 0, std::slice::from_ref(case)).remove(&0)?;
    let theirs = canonical(&theirs);
    let (ours, _) = ours(0, case);
    (ours != theirs).then_some((ours, theirs))
}

#[test]
fn random_rules_do_what_mlirs_byte_code_does() {
    let Some(opt) = common::llvm_tool("mlir-opt") else { return };
    let number =
        |name: &str, radix| std::env::var(name).ok().and_then(|n| u64::from_str_radix(&n, radix).ok());
    let count = usize::try_from(number("DRRVM_PDL_CASES", 10).unwrap_or(500)).unwrap();
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number("DRRVM_SEED", 16).unwrap_or(1).to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(RunnerConfig::default(), rng);
    let tapes = |length, count| vec(vec(any::<u8>(), length), count);
    let tape = (tapes(20..300, 1..6), tapes(10..150, 3..12));
    let (mut compared, mut rewrites, mut rewritten, mut several) = (0, 0, 0, 0);
    while compared < count {
        let trees: Vec<_> = (0..BATCH).map(|_| tape.new_tree(&mut runner).unwrap()).collect();
        let cases: Vec<Case> = trees.iter().map(|tree| generate::case(&tree.current())).collect();
        let theirs = theirs(&opt, 0, &cases);
        assert!(theirs.len() > BATCH * 9 / 10, "MLIR takes only {} of {BATCH}", theirs.len());
        for (i, text) in theirs {
            let (ours, fired) = ours(i, &cases[i]);
            compared += 1;
            rewrites += fired;
            rewritten += usize::from(fired > 0);
            several += usize::from(cases[i].roots.iter().any(|&roots| roots > 1));
            let theirs = canonical(&text);
            if ours != theirs {
                let case = shrink(&opt, trees.into_iter().nth(i).unwrap());
                let (ours, theirs) = differs(&opt, &case).unwrap_or((ours, theirs));
                panic!(
                    "after {compared} cases\n{}\n-- ours:\n{ours}\n-- MLIR's:\n{theirs}",
                    module(0, Some(&case.patterns), &case.ir)
                );
            }
        }
    }
    println!("{compared} cases, {several} with several roots; {rewritten} rewritten, {rewrites} rewrites");
    assert!(rewritten * 2 > compared, "most cases say something");
}

/// The smallest case like this that still differs.
fn shrink(opt: &str, mut tree: impl ValueTree<Value = generate::Tapes>) -> Case {
    let mut best = generate::case(&tree.current());
    let mut left = 1_000;
    let mut more = tree.simplify();
    while more && left > 0 {
        left -= 1;
        let case = generate::case(&tree.current());
        if differs(opt, &case).is_some() {
            best = case;
            more = tree.simplify();
        } else {
            more = tree.complicate();
        }
    }
    best
}
