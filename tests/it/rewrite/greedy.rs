//! Compares the greedy driver with MLIR's greedy driver: both rewrite random IR with random overlapping rules.
//!
//! The rules are not confluent, so the result depends on the order in which operations are visited and rules are tried.
//! Equal results show that the order is the same.

use crate::common;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use drrvm::internal::equivalence::Random;

/// The number of operands of `t.op<kind>`, by kind, in the input and in the match parts of rules. A rule can also
/// create an operation without operands.
const ARITY: [usize; 12] = [0, 1, 2, 1, 2, 2, 1, 0, 2, 1, 2, 1];

/// Random operations of kinds 0 to 11, each with an attribute. The operands are results of the preceding 6 operations.
fn ir(random: &mut Random, size: usize) -> String {
    let mut text = String::new();
    for i in 0..size {
        let mut kind = random.below(ARITY.len());
        while ARITY[kind] > i {
            kind = random.below(ARITY.len());
        }
        let operands: Vec<String> =
            (0..ARITY[kind]).map(|_| format!("%{}", i - 1 - random.below(i.min(6)))).collect();
        let types = vec!["i32"; ARITY[kind]].join(", ");
        let value = random.below(3);
        writeln!(
            text,
            "    %{i} = \"t.op{kind}\"({}) {{value = {value} : i32}} : ({types}) -> i32",
            operands.join(", ")
        )
        .unwrap();
    }
    text
}

/// A random rule. It matches a tree of one to seven operations. It replaces the root by a value that no operation of
/// the tree defines, or by an operation of a higher kind, so that rewriting ends.
fn rule(random: &mut Random, number: usize) -> String {
    let mut body = String::from("    %t = pdl.type : i32\n");
    let mut leaves = Vec::new();
    let mut ops = 0;
    let root_kind = 1 + random.below(ARITY.len() - 2);
    tree(random, root_kind, 2, &mut body, &mut leaves, &mut ops);
    // Benefits differ, because in MLIR's PDL byte code the order of rules of equal benefit depends on their tests.
    let benefit = 1 + number;
    let root = ops - 1;
    let target = root_kind + 1 + random.below(ARITY.len() - 1 - root_kind);
    if leaves.is_empty() || (random.below(4) > 0 && ARITY[target] <= leaves.len()) {
        let target = if leaves.is_empty() { 7.max(root_kind + 1) } else { target };
        let arity = if leaves.is_empty() { 0 } else { ARITY[target] };
        let operands: Vec<&str> = (0..arity).map(|_| &*leaves[random.below(leaves.len())]).collect();
        let list = if operands.is_empty() {
            String::new()
        } else {
            format!("({} : {})", operands.join(", "), vec!["!pdl.value"; operands.len()].join(", "))
        };
        write!(
            body,
            "    pdl.rewrite %op{root} {{\n      %v = pdl.attribute = {} : i32\n      %new = pdl.operation \"t.op{target}\"{list} {{\"value\" = %v}} -> (%t : !pdl.type)\n      pdl.replace %op{root} with %new\n    }}\n",
            random.below(3)
        )
        .unwrap();
    } else {
        let leaf = &leaves[random.below(leaves.len())];
        write!(
            body,
            "    pdl.rewrite %op{root} {{\n      pdl.replace %op{root} with ({leaf} : !pdl.value)\n    }}\n"
        )
        .unwrap();
    }
    format!("  pdl.pattern @rule{number} : benefit({benefit}) {{\n{body}  }}\n")
}

/// Writes a tree of operations, the definitions of the operands first. `ops` counts the written operations, so
/// afterwards the root of the tree has the number `ops - 1`.
fn tree(
    random: &mut Random,
    kind: usize,
    depth: usize,
    body: &mut String,
    leaves: &mut Vec<String>,
    ops: &mut usize,
) {
    let mut operands = Vec::new();
    for _ in 0..ARITY[kind] {
        if depth > 0 && random.below(2) == 0 {
            let nested = random.below(ARITY.len());
            tree(random, nested, depth - 1, body, leaves, ops);
            let op = *ops - 1;
            writeln!(body, "    %r{op} = pdl.result 0 of %op{op}").unwrap();
            operands.push(format!("%r{op}"));
        } else if !leaves.is_empty() && random.below(4) == 0 {
            operands.push(leaves[random.below(leaves.len())].clone());
        } else {
            let leaf = format!("%leaf{}", leaves.len());
            writeln!(body, "    {leaf} = pdl.operand").unwrap();
            operands.push(leaf.clone());
            leaves.push(leaf);
        }
    }
    let list = if operands.is_empty() {
        String::new()
    } else {
        format!("({} : {})", operands.join(", "), vec!["!pdl.value"; operands.len()].join(", "))
    };
    let op = *ops;
    let attribute = if random.below(3) == 0 {
        writeln!(body, "    %v{op} = pdl.attribute = {} : i32", random.below(3)).unwrap();
        format!(" {{\"value\" = %v{op}}}")
    } else {
        String::new()
    };
    writeln!(body, "    %op{op} = pdl.operation \"t.op{kind}\"{list}{attribute} -> (%t : !pdl.type)")
        .unwrap();
    *ops += 1;
}

/// Runs a command that must succeed; returns its output.
fn output(program: &str, args: &[&str], folder: &Path) -> String {
    let output = Command::new(program).args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{program} {args:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The lines in the body of the module `@ir`.
fn body(text: &str) -> String {
    let lines = text.lines().skip_while(|line| !line.contains("sym_name = \"ir\"")).skip(1);
    lines.take_while(|line| line.starts_with("    ")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn greedy_results_equal_those_of_mlir() {
    let Some(mlir_opt) = common::llvm_tool("mlir-opt") else { return };
    let seed = common::seed::seed();
    let runs = if std::env::var_os("DRRVM_FULL").is_some() { 500 } else { 25 };
    let folder = tempfile::tempdir().unwrap();
    let mut rewritten = 0;
    for run in 0..runs {
        let mut random = Random::new(seed.wrapping_add(run));
        let ir = ir(&mut random, 60);
        let rules: String = (0..12).map(|number| rule(&mut random, number)).collect();
        let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
        write("both.mlir", format!("module @patterns {{\n{rules}}}\nmodule @ir {{\n{ir}}}\n"));
        write("rules.mlir", rules.clone());
        write("ir.mlir", format!("module {{\nmodule @ir {{\n{ir}}}\n}}\n"));
        let theirs = output(
            &mlir_opt,
            &[
                "--test-pdl-bytecode-pass",
                "--allow-unregistered-dialect",
                "--mlir-print-op-generic",
                "both.mlir",
            ],
            folder.path(),
        );
        let ours = output(
            env!("CARGO_BIN_EXE_drrvm"),
            &["opt", "--generic", "-q", "--rules", "rules.mlir", "ir.mlir"],
            folder.path(),
        );
        let (theirs, ours) = (body(&theirs), body(&ours));
        assert_eq!(ours, theirs, "seed {:x}\n{rules}\n{ir}", seed.wrapping_add(run));
        rewritten += usize::from(theirs != ir);
    }
    // The comparison is meaningful only if rules match.
    assert!(
        rewritten * 2 > usize::try_from(runs).unwrap(),
        "only {rewritten} of {runs} inputs were rewritten"
    );
}
