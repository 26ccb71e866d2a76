//! Compiled programs as files: a damaged file is refused, or it runs in every engine.

use std::sync::{Arc, OnceLock};

use super::show;
use crate::bytecode::{self, Program};
use crate::compile;
use crate::equivalence;
use crate::frontend::{drr, ods, prelude, tablegen};
use crate::host::NoListener;
use crate::ir::{self, IrHost};
use crate::natives;
use crate::pdl::{PatternId, RuleSet};
use crate::rewrite;
use crate::source::SourceMap;
use crate::vm::{Automaton, Engine, LinkOptions, Matcher, Profiler};

/// A program that uses most of the format, and a module in which its rules match.
const RULES: &str = include_str!("../../examples/arith/rules.td");
const MODULE: &str = include_str!("../../examples/arith/input.mlir");

fn good_program() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let mut sources = SourceMap::default();
        let main = sources.add("rules.td", RULES).expect("an example is small");
        let config = tablegen::Config { embedded: prelude::FILES, ..tablegen::Config::default() };
        let parsed = tablegen::parse(&mut sources, main, &config).expect("an example is right");
        let mut rules = RuleSet::default();
        drr::lower(&ods::read(&parsed.records), &sources, &mut rules).expect("an example is right");
        compile::program(&rules).expect("an example compiles").to_bytes(&sources)
    })
}

/// Applies changes to a compiled program. Three bytes are a position (from the end of the header, modulo the size) and a new
/// byte. The program must be refused, or run.
pub fn drrbc(bytes: &[u8]) {
    let mut file = good_program().to_vec();
    let (changes, _) = bytes.as_chunks::<3>();
    let size = file.len() - bytecode::HEADER;
    for &[high, low, new] in changes {
        file[bytecode::HEADER + usize::from(u16::from_le_bytes([low, high])) % size] = new;
    }
    bytecode::seal(&mut file);
    run_drrbc(&file);
}

/// Uses the bytes as the sections of a compiled program. The first bytes are the lengths of the sections.
pub fn drrbc_sections(bytes: &[u8]) {
    let mut file = good_program()[..bytecode::HEADER].to_vec();
    let sections = bytecode::Section::ALL.len();
    let (lengths, rest) = bytes.split_at(bytes.len().min(sections));
    let mut left = rest.len();
    for i in 0..sections {
        let length = lengths.get(i).map_or(0, |&length| usize::from(length));
        let length = if i + 1 == sections { left } else { length.min(left) };
        left -= length;
        let at = bytecode::HEADER - 8 * (sections - i);
        file[at..at + 8].copy_from_slice(&(length as u64).to_le_bytes());
    }
    file.extend_from_slice(rest);
    bytecode::seal(&mut file);
    run_drrbc(&file);
}

fn run_drrbc(file: &[u8]) {
    let mut sources = SourceMap::default();
    let program = match Program::from_bytes(file, &mut sources) {
        Ok(program) => program,
        Err(error) => return show(&error.diagnostic("fuzz.drrbc").into(), &sources),
    };
    assert!(!bytecode::disassemble(&program, &sources).is_empty());
    let again = program.to_bytes(&sources);
    Program::from_bytes(&again, &mut SourceMap::default()).expect("written IR is valid");

    let file = sources.add("input.mlir", MODULE).expect("an example is small");
    let mut context = ir::Context::new();
    let module = ir::parse_module(&mut context, sources.file(file)).expect("an example is right");
    let mut host = IrHost::new(context, module);
    let options = LinkOptions { allow_missing: true, ..LinkOptions::default() };
    let matcher = Matcher::link(Arc::new(program), &mut host, &natives::all(), &options);
    let matcher = matcher.expect("natives may be missing");
    let matcher = Arc::new(matcher);
    run(&*matcher, &mut host.clone());
    run(&Automaton::new(matcher.clone()), &mut host.clone());
    let ops: Vec<ir::OpId> = host.module.preorder(host.module.top()).collect();
    run(&Profiler::new(&matcher), &mut host.clone());
    let rules: Vec<PatternId> = matcher.program().patterns().ids().collect();
    let _ = matcher.nearest(&host, &ops, &rules, 3);
    for &op in &ops {
        let _ = matcher.candidates(&host, op);
    }
    let mut scratch = matcher.cache();
    let program = matcher.program();
    for &rule in &rules {
        for ask in std::iter::once(None).chain((0..program.pattern_debug(rule).asks.len()).map(Some)) {
            assert!(!program.predicate_text(rule, ask).is_empty());
            let _ = program.predicate_origin(rule, ask);
        }
        for node in program.nodes(rule) {
            let _ = program.node_name(rule, node);
        }
        for &op in &ops {
            let _ = matcher.explain_with(&host, op, rule, &mut scratch);
        }
    }
    let _ = equivalence::raise(program, &[]);
}

/// Matches at every operation, then rewrites.
fn run<E: Engine<IrHost>>(engine: &E, host: &mut IrHost) {
    let ops: Vec<ir::OpId> = host.module.preorder(host.module.top()).collect();
    let mut cache = engine.cache();
    for op in ops {
        let mut matched = engine.match_first(host, op, &mut cache);
        for _ in 0..16 {
            let Some(rule) = matched else { break };
            for node in engine.program().nodes(rule) {
                let _ = engine.binding(host, &mut cache, node);
            }
            matched = engine.next_match(host, &mut cache);
        }
    }
    let config = rewrite::Config::default().max_rewrites(Some(100)).max_sweeps(2);
    let root = host.module.top();
    rewrite::apply_greedily(host, root, engine, &config, &mut NoListener);
    let _ = ir::verify(&host.context, &host.module);
}
