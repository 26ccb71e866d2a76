//! Runs every committed input of the fuzz targets: `fuzz/seeds/TARGET/` has inputs to start from, and
//! `fuzz/regressions/TARGET/` has inputs on which a target failed, because of a bug in drrvm or a wrong assumption of
//! the target. Each regression is named after the reason of the failure.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use drrvm::fuzzing::TARGETS;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// Returns the sorted names in a folder, or an empty set if the folder does not exist.
fn names(folder: &Path) -> BTreeSet<String> {
    if !folder.is_dir() {
        return BTreeSet::new();
    }
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn fuzz_targets_agree_with_the_manifest() {
    let expected: BTreeSet<String> = TARGETS.iter().map(|(name, _)| format!("{name}.rs")).collect();
    assert_eq!(names(&fuzz().join("fuzz_targets")), expected);
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        let text = std::fs::read_to_string(fuzz().join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(text.contains(&format!("drrvm::fuzzing::{name}(")), "{name} does not call its target");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not built");
    }
}

#[test]
fn committed_inputs_belong_to_targets() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    for folder in ["seeds", "regressions"] {
        let named = names(&fuzz().join(folder));
        assert!(named.is_subset(&targets), "{folder}: {:?}", named.difference(&targets));
    }
}

/// Runs each target on its committed inputs; returns the targets without inputs.
fn replay(folder: &str) -> Vec<&'static str> {
    let mut without = Vec::new();
    for (target, run) in TARGETS {
        let folder = fuzz().join(folder).join(target);
        let inputs = names(&folder);
        if inputs.is_empty() {
            without.push(*target);
        }
        for name in inputs {
            let bytes = std::fs::read(folder.join(&name)).unwrap();
            let result = std::panic::catch_unwind(|| run(&bytes));
            assert!(result.is_ok(), "{target} fails on {}", folder.join(&name).display());
        }
    }
    without
}

#[test]
fn seeds_cause_no_failures() {
    assert_eq!(replay("seeds"), [""; 0], "targets without seeds");
}

#[test]
fn regressions_stay_fixed() {
    replay("regressions");
}
