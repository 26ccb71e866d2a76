//! Compiled programs as files: a damaged file is refused, or it runs with the tree and with the automaton.

use std::sync::{Arc, OnceLock};

use super::show;
use crate::bytecode::{self, Program};
use crate::compile;
use crate::envelope;
use crate::equivalence;
use crate::frontend::{drr, ods, prelude, tablegen};
use crate::host::NoListener;
use crate::ir::{self, IrHost};
use crate::natives;
use crate::pdl::{PatternId, RuleSet};
use crate::rewrite;
use crate::source::SourceMap;
use crate::vm::{Automaton, Engine, LinkOptions, Matcher, Profiler};

/// A compiled example, and a module in which its rules match.
struct Example {
    program: Vec<u8>,
    module: &'static str,
}

macro_rules! example {
    ($name:literal) => {
        (
            include_str!(concat!("../../examples/", $name, "/rules.td")),
            include_str!(concat!("../../examples/", $name, "/input.mlir")),
        )
    };
}

/// The rules and modules of the examples. [`drrbc`] uses only the first example.
const EXAMPLES: [(&str, &str); 3] = [example!("arith"), example!("lowering"), example!("tensor")];

/// The files that the examples include.
const INCLUDED: [(&str, &str); 3] = [
    ("CalcOps.td", include_str!("../../examples/lowering/CalcOps.td")),
    ("MachOps.td", include_str!("../../examples/lowering/MachOps.td")),
    ("TileOps.td", include_str!("../../examples/tensor/TileOps.td")),
];

fn examples() -> &'static [Example] {
    static FILES: OnceLock<Vec<(&str, &str)>> = OnceLock::new();
    static COMPILED: OnceLock<Vec<Example>> = OnceLock::new();
    let embedded = FILES.get_or_init(|| prelude::FILES.iter().copied().chain(INCLUDED).collect());
    COMPILED.get_or_init(|| {
        let compiled = EXAMPLES.map(|(text, module)| {
            let mut sources = SourceMap::default();
            let main = sources.add("rules.td", text).expect("an example is small");
            let config = tablegen::Config { embedded, ..tablegen::Config::default() };
            let parsed = tablegen::parse(&mut sources, main, &config).expect("an example is valid");
            let mut rules = RuleSet::default();
            drr::lower(&ods::read(&parsed.records), &sources, &mut rules).expect("an example is valid");
            let program = compile::program(&rules).expect("an example compiles").to_bytes(&sources);
            Example { program, module }
        });
        compiled.into()
    })
}

/// Applies changes to a compiled program. Each group of three bytes is a change: a position after the header (modulo
/// the size of the file without its header), and the new byte. The program must be refused, or run.
pub fn drrbc(bytes: &[u8]) {
    let Example { program, module } = &examples()[0];
    let mut file = program.clone();
    let (changes, _) = bytes.as_chunks::<3>();
    let size = file.len() - bytecode::HEADER;
    for &[high, low, new] in changes {
        file[bytecode::HEADER + usize::from(u16::from_le_bytes([low, high])) % size] = new;
    }
    envelope::seal(&mut file);
    run_drrbc(&file, module);
}

/// Changes sections of a compiled program, and corrects their lengths and the checksum. The first byte chooses the
/// program. Each change has four bytes: the section, two bytes for the position in it, and the change (see
/// `change_bytes`). The program must be refused, or run.
pub fn drrbc_sections(bytes: &[u8]) {
    let (chosen, changes) =
        bytes.split_first().map_or((0, bytes), |(&first, rest)| (usize::from(first), rest));
    let Example { program, module } = &examples()[chosen % EXAMPLES.len()];
    let mut rest = &program[bytecode::HEADER..];
    let sizes = bytecode::section_sizes(program).expect("an example compiles");
    let mut sections: Vec<Vec<u8>> = Vec::with_capacity(sizes.len());
    for (_, size) in sizes {
        let (section, after) = rest.split_at(size);
        sections.push(section.to_vec());
        rest = after;
    }
    let count = sections.len();
    for &[section, high, low, change] in changes.as_chunks::<4>().0 {
        let section = &mut sections[usize::from(section) % count];
        let at = usize::from(u16::from_le_bytes([low, high])) % (section.len() + 1);
        change_bytes(section, at, change);
    }
    let mut file = program[..bytecode::HEADER].to_vec();
    for (i, section) in sections.iter().enumerate() {
        let at = bytecode::HEADER - 8 * (count - i);
        file[at..at + 8].copy_from_slice(&(section.len() as u64).to_le_bytes());
    }
    file.extend(sections.concat());
    envelope::seal(&mut file);
    run_drrbc(&file, module);
}

/// Overwrites, inserts or removes bytes of a section, or adds a number to a byte. Some of the new bytes encode large
/// numbers, because numbers in the file decide the sizes of allocations.
fn change_bytes(section: &mut Vec<u8>, at: usize, change: u8) {
    let value = change >> 2;
    let new: &[u8] = match value {
        61 => &[0xff, 0xff, 0xff, 0xff, 0x0f],
        62 => &[0xff, 0xff, 0x03],
        63 => &[0xff, 0x01],
        _ => &[value],
    };
    match change % 4 {
        0 => {
            let end = section.len().min(at + new.len());
            section.splice(at..end, new.iter().copied());
        }
        1 => {
            section.splice(at..at, new.iter().copied());
        }
        2 => {
            let end = section.len().min(at + 1 + usize::from(value % 8));
            section.drain(at..end);
        }
        _ => {
            if let Some(byte) = section.get_mut(at) {
                *byte = byte.wrapping_add(value);
            }
        }
    }
}

fn run_drrbc(file: &[u8], module: &str) {
    let mut sources = SourceMap::default();
    let program = match Program::from_bytes(file, &mut sources) {
        Ok(program) => program,
        Err(error) => return show(&error.diagnostic("fuzz.drrbc").into(), &sources),
    };
    assert!(!bytecode::disassemble(&program, &sources).is_empty());
    let again = program.to_bytes(&sources);
    Program::from_bytes(&again, &mut SourceMap::default()).expect("a written program is valid");

    let file = sources.add("input.mlir", module).expect("an example is small");
    let mut context = ir::Context::new();
    let module = ir::parse_module(&mut context, sources.file(file)).expect("an example is valid");
    let mut host = IrHost::new(context, module);
    let options = LinkOptions { allow_missing: true, ..LinkOptions::default() };
    let matcher = Matcher::link(Arc::new(program), &mut host, &natives::all(), &options);
    let matcher = matcher.expect("natives may be missing");
    let matcher = Arc::new(matcher);
    run(&*matcher, &mut host.clone());
    run(&Automaton::new(matcher.clone()), &mut host.clone());
    let ops: Vec<ir::OpId> = host.module.preorder(host.module.top()).collect();
    run(&Profiler::new(&*matcher), &mut host.clone());
    let rules: Vec<PatternId> = matcher.program().patterns().ids().collect();
    let _ = matcher.nearest(&host, &ops, &rules, 3);
    for &op in &ops {
        let _ = matcher.candidates(&host, op);
    }
    let mut scratch = matcher.cache();
    let program = matcher.program();
    for &rule in &rules {
        for ask in std::iter::once(None).chain((0..program.pattern_debug(rule).steps.len()).map(Some)) {
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
