//! Tests that reading a changed file with a matching checksum gives an error or a program that runs.

use std::sync::Arc;

use super::*;
use crate::bytecode::{Section, section_sizes};
use crate::envelope::seal;

/// Calls the functions that read a program.
fn run(program: Program, sources: &SourceMap, ir: &Mock) {
    assert!(!bytecode::disassemble(&program, sources).is_empty());
    let mut ir = ir.clone();
    let options = LinkOptions { allow_missing: true, ..LinkOptions::default() };
    let matcher = Matcher::link(Arc::new(program), &mut ir, &generate::natives(), &options);
    let matcher = Arc::new(matcher.expect("natives may be missing"));
    let rules = matcher.program().patterns().ids();
    matcher.nearest(&ir, ir.block(), &rules.clone().collect::<Vec<_>>(), 4);
    for &op in ir.block() {
        assert!(matcher.candidates(&ir, op).len() <= rules.len());
        for rule in rules.clone() {
            matcher.explain_with(&ir, op, rule, &mut matcher.cache());
            assert!(!matcher.program().predicate_text(rule, None).is_empty());
        }
    }
    matches(&*matcher, &ir);
    matches(&Profiler::new(&*matcher), &ir);
    matches(&Automaton::new(matcher.clone()), &ir);
}

/// Finds some matches of every operation, and rewrites.
fn matches<E: Engine<Mock>>(engine: &E, ir: &Mock) {
    let mut cache = engine.cache();
    for &op in ir.block() {
        let mut matched = engine.match_first(ir, op, &mut cache);
        for _ in 0..4 {
            let Some(rule) = matched else { break };
            for node in engine.program().nodes(rule) {
                let _ = engine.binding(ir, &mut cache, node);
            }
            matched = engine.next_match(ir, &mut cache);
        }
        let _ = engine.apply(&mut ir.clone(), op, &mut engine.cache(), &mut NoListener);
    }
}

#[test]
fn a_changed_byte_gives_an_error_or_a_program_that_runs() {
    let numbers = |count: u32, step: u32| -> Vec<u8> {
        (0..count).map(|i| (i.wrapping_mul(step) >> 3).to_le_bytes()[0]).collect()
    };
    let rules = generate::rewriting_rules(&numbers(70, 2_654_435_769));
    let ir = generate::ir(&numbers(60, 40_503));
    let rules = rules.verify().expect("they verify");
    let tree = matcher_tree::build(rules, &Config::new()).expect("the rules compile");
    let program = bytecode::compile(rules, &tree).expect("the rules fit");
    let mut bytes = program.to_bytes(&SourceMap::default());
    let mut accepted = 0;
    // The first 32 bytes are the file header, which other tests cover.
    for at in 32..bytes.len() {
        let old = bytes[at];
        for new in [0, 1, 0x7f, 0xff, old ^ 1, old.wrapping_add(1)] {
            bytes[at] = new;
            seal(&mut bytes);
            let mut sources = SourceMap::default();
            if let Ok(program) = Program::from_bytes(&bytes, &mut sources) {
                run(program, &sources, &ir);
                accepted += usize::from(new != old);
            }
        }
        bytes[at] = old;
    }
    assert!(accepted > 0, "some changes are valid, for example in names");
}

#[test]
fn a_program_runs_with_an_invalid_debug_section() {
    let rules = generate::rewriting_rules(&[7; 60]);
    let rules = rules.verify().expect("they verify");
    let tree = matcher_tree::build(rules, &Config::new()).expect("the rules compile");
    let program = bytecode::compile(rules, &tree).expect("the rules fit");
    let mut bytes = program.to_bytes(&SourceMap::default());
    let sizes = section_sizes(&bytes).expect("the file is complete");
    let before: usize = sizes.iter().take_while(|s| s.0 != Section::Debug).map(|s| s.1).sum();
    let (_, size) = sizes.into_iter().find(|s| s.0 == Section::Debug).expect("every section exists");
    let start = bytecode::HEADER + before;
    bytes[start..start + size].fill(0xff);
    seal(&mut bytes);
    let mut sources = SourceMap::default();
    let program = Program::from_bytes(&bytes, &mut sources).expect("matching needs no debug data");
    assert!(program.patterns().ids().all(|rule| program.pattern_name(rule) == "?"));
    assert!(program.decisions().is_empty());
    run(program, &sources, &generate::ir(&[3; 40]));
}
