//! The first invariant: the compiled engine finds what the reference matcher finds.

mod generate;

use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use crate::bytecode::{self, Program, decode};
use crate::host::mock::Mock;
use crate::host::{Entity, Natives};
use crate::matcher_tree::{self, Config};
use crate::pdl::{PatternId, ReferenceMatcher, RuleSet};

use super::{LinkOptions, Matcher};

/// All matches at all operations, with what every node is.
type Found = Vec<(usize, PatternId, Vec<Entity<Mock>>)>;

fn program(rules: &RuleSet, config: &Config) -> Arc<Program> {
    let tree = matcher_tree::build(rules, config).expect("the rules compile");
    let program = bytecode::compile(rules, &tree).expect("the rules fit");
    let mut at = 0;
    while at < program.code().len() {
        at = decode(program.code(), at).expect("code is a run of instructions").end;
    }
    Arc::new(program)
}

fn link(rules: &RuleSet, config: &Config, ir: &mut Mock, natives: &Natives<Mock>) -> Matcher<Mock> {
    Matcher::link(program(rules, config), ir, natives, &LinkOptions::default()).expect("it links")
}

fn by_reference(rules: &RuleSet, ir: &mut Mock, natives: &Natives<Mock>) -> Found {
    let matcher = ReferenceMatcher::new(rules, ir, natives).expect("it links");
    let mut found = Vec::new();
    for (i, &op) in ir.block().iter().enumerate() {
        found.extend(matcher.matches(ir, op).map(|m| (i, m.pattern, m.bindings().cloned().collect())));
    }
    found
}

fn by_engine(rules: &RuleSet, config: &Config, ir: &mut Mock, natives: &Natives<Mock>) -> Found {
    let matcher = link(rules, config, ir, natives);
    let mut scratch = matcher.scratch();
    let mut found = Vec::new();
    for (i, &op) in ir.block().iter().enumerate() {
        let mut matched = matcher.match_first(ir, op, &mut scratch);
        while let Some(pattern) = matched {
            let nodes = rules.patterns[pattern].matcher.nodes.ids();
            let bindings =
                nodes.map(|n| matcher.binding(ir, &mut scratch, n).expect("a match binds all nodes"));
            found.push((i, pattern, bindings.collect()));
            matched = matcher.next_match(ir, &mut scratch);
        }
        assert_eq!(matcher.next_match(ir, &mut scratch), None, "what has ended stays ended");
    }
    found
}

fn configs() -> [Config; 4] {
    [
        Config::new(),
        Config::new().sharing(false),
        Config::new().copies(Some(0)),
        Config::new().copies(None).max_nodes(1 << 18),
    ]
}

proptest! {

    #[test]
    fn finds_what_the_reference_finds(
        rules in proptest::collection::vec(any::<u8>(), 0..500),
        ir in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let rules = generate::rules(&rules);
        let mut ir = generate::ir(&ir);
        let natives = generate::natives();
        let expected = by_reference(&rules, &mut ir, &natives);
        for config in configs() {
            let found = by_engine(&rules, &config, &mut ir, &natives);
            prop_assert_eq!(&found, &expected, "{:?}\n{}", config, ir.text());
        }
    }
}

#[test]
fn random_rules_do_match() {
    // The invariant above says little if nothing matches.
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let bytes = (proptest::collection::vec(any::<u8>(), 500), proptest::collection::vec(any::<u8>(), 400));
    let mut counts = [0usize; 3];
    for _ in 0..100 {
        let (rules, ir) = bytes.new_tree(&mut runner).expect("bytes").current();
        let rules = generate::rules(&rules);
        let mut ir = generate::ir(&ir);
        counts[0] += rules.patterns.len();
        let found = by_reference(&rules, &mut ir, &generate::natives());
        counts[1] += found.len();
        let mut matched: Vec<PatternId> = found.iter().map(|f| f.1).collect();
        matched.dedup();
        counts[2] += matched.len();
    }
    assert!(counts[0] > 500 && counts[1] > 1_000, "{counts:?}");
}
