//! Every committed input of the fuzz targets is run by the tests as well: `fuzz/seeds/TARGET/` has inputs to
//! start from, `fuzz/regressions/TARGET/` inputs that once found a fault, named by it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use drrvm::fuzzing::TARGETS;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// The names in a folder, in order; none if there is no such folder yet.
fn names(folder: &Path) -> BTreeSet<String> {
    if !folder.is_dir() {
        return BTreeSet::new();
    }
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn every_target_has_its_two_lines_and_nothing_else_has() {
    let expected: BTreeSet<String> = TARGETS.iter().map(|(name, _)| format!("{name}.rs")).collect();
    assert_eq!(names(&fuzz().join("fuzz_targets")), expected);
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        let text = std::fs::read_to_string(fuzz().join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(text.contains(&format!("drrvm::fuzzing::{name}(")), "{name} calls something else");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not built");
    }
}

#[test]
fn committed_inputs_are_of_some_target() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    for folder in ["seeds", "regressions"] {
        let named = names(&fuzz().join(folder));
        assert!(named.is_subset(&targets), "{folder}: {:?}", named.difference(&targets));
    }
}

/// Runs a target on what is committed for it; how many inputs there were.
fn replay(folder: &str) -> usize {
    let mut count = 0;
    for (target, run) in TARGETS {
        let folder = fuzz().join(folder).join(target);
        for name in names(&folder) {
            let bytes = std::fs::read(folder.join(&name)).unwrap();
            let result = std::panic::catch_unwind(|| run(&bytes));
            assert!(result.is_ok(), "{target} fails on {}", folder.join(&name).display());
            count += 1;
        }
    }
    count
}

#[test]
fn seeds_are_no_findings() {
    assert!(replay("seeds") >= TARGETS.len());
}

#[test]
fn what_was_found_stays_fixed() {
    replay("regressions");
}
