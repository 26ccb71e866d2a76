//! Tests that a compiled program stays the same in a round trip through a file, and that damaged files are rejected.

use crate::common;

use std::path::{Path, PathBuf};

use drrvm::compile::{self, Options};
use drrvm::internal::bytecode::{self, Program};
use drrvm::source::SourceMap;

/// Compiles rule files and returns the program with its sources.
fn program(files: &[PathBuf], include_dirs: &[PathBuf]) -> (Program, SourceMap) {
    let mut sources = SourceMap::default();
    let options = Options { include_dirs: include_dirs.to_vec(), ..Options::default() };
    let (rules, _) = compile::rules(&mut sources, files, &options)
        .unwrap_or_else(|errors| panic!("{}", drrvm::source::render_classic(&errors, &sources)));
    (compile::program(&rules).unwrap(), sources)
}

fn example(name: &str) -> Vec<PathBuf> {
    vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name).join("rules.td")]
}

/// Writes a program, reads it and writes it again; the disassembly, the bytes and the places must be equal.
fn round_trip(what: &str, (program, sources): (Program, SourceMap)) -> Program {
    let bytes = program.to_bytes(&sources);
    let mut again = SourceMap::default();
    let loaded = Program::from_bytes(&bytes, &mut again).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(bytecode::disassemble(&loaded, &again), bytecode::disassemble(&program, &sources), "{what}");
    assert!(loaded.to_bytes(&again) == bytes, "{what}: the bytes differ");
    for (one, other) in program.decisions().iter().zip(loaded.decisions()) {
        let at = |sources: &SourceMap, span| sources.locate(span).map(|at| at.to_string());
        assert_eq!(at(&sources, one.span), at(&again, other.span), "{what}");
    }
    loaded
}

#[test]
fn programs_of_examples_round_trip() {
    for name in ["arith", "tensor", "lowering"] {
        round_trip(name, program(&example(name), &[]));
    }
}

#[test]
fn programs_of_mlirs_rules_round_trip() {
    let Some(llvm) = common::llvm_sources() else { return };
    let include = llvm.join("mlir/include");
    for (rules, dir, count) in [
        ("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td", "mlir/lib/Dialect/Arith/IR", 43),
        ("mlir/test/lib/Dialect/Test/TestOps.td", "mlir/test/lib/Dialect/Test", 70),
    ] {
        let loaded = round_trip(rules, program(&[llvm.join(rules)], &[llvm.join(dir), include.clone()]));
        assert!(loaded.patterns().len() >= count, "{rules}: {} rules", loaded.patterns().len());
    }
}

/// A small program as bytes.
fn small() -> Vec<u8> {
    let (program, sources) = program(&example("lowering"), &[]);
    program.to_bytes(&sources)
}

fn load(bytes: &[u8]) -> Result<Program, String> {
    Program::from_bytes(bytes, &mut SourceMap::default()).map_err(|error| error.to_string())
}

#[test]
fn any_changed_byte_is_rejected() {
    let mut bytes = small();
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            bytes[at] ^= flip;
            assert!(load(&bytes).is_err(), "byte {at} ^ {flip}");
            bytes[at] ^= flip;
        }
    }
    load(&bytes).unwrap();
}

#[test]
fn any_wrong_length_is_rejected() {
    let mut bytes = small();
    for len in 0..bytes.len() {
        let error = load(&bytes[..len]).unwrap_err();
        let expected = if len == 0 { "it is not a compiled program" } else { "it is truncated" };
        assert!(error.starts_with(expected), "{len}: {error}");
    }
    bytes.extend([0; 3]);
    assert_eq!(load(&bytes).unwrap_err(), "its end is followed by 3 bytes");
}

#[test]
fn header_errors_state_the_cause() {
    let changed = |at: usize, new: &[u8]| {
        let mut bytes = small();
        bytes[at..at + new.len()].copy_from_slice(new);
        load(&bytes).unwrap_err()
    };
    assert_eq!(load(b"def A;\n").unwrap_err(), "it is not a compiled program");
    assert_eq!(changed(0, b"\x7fELF"), "it is not a compiled program");
    assert_eq!(changed(8, &[1, 2, 3, 4]), "it was written in the other byte order");
    assert_eq!(changed(12, &[77, 0, 0, 0]), "it has version 77 of the format, expected 17");
    assert_eq!(changed(400, &[0xff; 9]), "it is corrupt: the checksum is wrong");
}
