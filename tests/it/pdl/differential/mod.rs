//! Compares drrvm with MLIR's `pdl` byte code: random rules must rewrite random IR to the same result in both.
//!
//! `DRRVM_PDL_CASES` sets the minimum number of cases (500 by default) and `DRRVM_SEED` the seed, in hexadecimal.

mod generate;

use crate::common::{self, pdl_pass};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use pdl_pass::{Case, canonical, module, ours, theirs};

/// The number of cases in one run of `mlir-opt`.
const BATCH: usize = 100;

/// Returns drrvm's result and MLIR's result if they differ.
fn differs(opt: &str, case: &Case) -> Option<(String, String)> {
    let theirs = theirs(opt, 0, std::slice::from_ref(case)).remove(&0)?;
    let theirs = canonical(&theirs);
    let (ours, _) = ours(0, case);
    (ours != theirs).then_some((ours, theirs))
}

#[test]
fn random_rules_give_the_results_of_mlirs_byte_code() {
    let Some(opt) = common::llvm_tool("mlir-opt") else { return };
    let count = std::env::var("DRRVM_PDL_CASES").map_or(500, |count| count.parse().expect("a number"));
    let mut runner = common::seed::runner();
    let tapes = |length, count| vec(vec(any::<u8>(), length), count);
    let tape = (tapes(20..300, 1..6), tapes(10..150, 3..12));
    let (mut compared, mut rewrites, mut rewritten, mut several) = (0, 0, 0, 0);
    while compared < count {
        let trees: Vec<_> = (0..BATCH).map(|_| tape.new_tree(&mut runner).unwrap()).collect();
        let (cases, roots): (Vec<Case>, Vec<usize>) =
            trees.iter().map(|tree| generate::case(&tree.current())).unzip();
        let theirs = theirs(&opt, 0, &cases);
        assert!(theirs.len() > BATCH * 9 / 10, "MLIR accepts only {} of {BATCH}", theirs.len());
        for (i, text) in theirs {
            let (ours, fired) = ours(i, &cases[i]);
            compared += 1;
            rewrites += fired;
            rewritten += usize::from(fired > 0);
            several += usize::from(roots[i] > 1);
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
    assert!(rewritten * 2 > compared, "most cases must rewrite something");
}

/// Shrinks a case in at most 1,000 attempts, and returns the smallest case found for which the results differ.
fn shrink(opt: &str, mut tree: impl ValueTree<Value = generate::Tapes>) -> Case {
    let mut best = generate::case(&tree.current()).0;
    let mut left = 1_000;
    let mut more = tree.simplify();
    while more && left > 0 {
        left -= 1;
        let case = generate::case(&tree.current()).0;
        if differs(opt, &case).is_some() {
            best = case;
            more = tree.simplify();
        } else {
            more = tree.complicate();
        }
    }
    best
}
