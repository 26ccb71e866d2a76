//! Tests that the header is up to date, and runs C programs under AddressSanitizer and UndefinedBehaviorSanitizer.

use std::path::{Path, PathBuf};
use std::process::Command;

use drrvm::compile;
use drrvm::source::SourceMap;

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn header_equals_the_generated_one() {
    let config = cbindgen::Config::from_file(folder().join("cbindgen.toml")).expect("the settings are valid");
    let made = cbindgen::generate_with_config(folder(), config).expect("the source is valid");
    let mut text = Vec::new();
    made.write(&mut text);
    let text = String::from_utf8(text).expect("the header is UTF-8");
    let path = folder().join("include/drrvm.h");
    if std::env::var_os("DRRVM_BLESS").is_some() {
        std::fs::write(&path, &text).expect("the header is writable");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "include/drrvm.h is not the header that cbindgen generates from the source: `DRRVM_BLESS=1 cargo test` replaces it"
    );
}

/// The path of the shared library, which is beside the test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("the path of the test is known");
    let folder = test.parent().expect("a file is in a folder");
    folder.join(format!("{}drrvm_c{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX))
}

/// Compiles rules to a file in `scratch`.
fn compile_rules(rules: &str, scratch: &Path) -> PathBuf {
    let mut sources = SourceMap::default();
    let compiled = compile::rules(&mut sources, &[folder().join(rules)], &compile::Options::default())
        .and_then(|(rules, _)| compile::program(&rules));
    let program = compiled.expect("the rules are valid");
    let file = scratch.join(rules.replace('/', "-")).with_extension("drrbc");
    std::fs::write(&file, program.to_bytes(&sources)).expect("temporary files can be created");
    file
}

/// Compiles a C program with the library, AddressSanitizer and UndefinedBehaviorSanitizer. Runs it with files of
/// compiled rules as arguments. Returns its output, or `None` if there is no C compiler.
fn run(source: &str, rules: &[&str]) -> Option<String> {
    let scratch = tempfile::tempdir().expect("temporary files can be created");
    let rules = rules.iter().map(|rules| compile_rules(rules, scratch.path()));
    let rules: Vec<PathBuf> = rules.collect();

    let library = library();
    let binary = scratch.path().join("program");
    let lib_folder = library.parent().expect("a file is in a folder");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let compiled = Command::new(&compiler)
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-fsanitize=address,undefined"])
        .arg(folder().join(source))
        .arg("-I")
        .arg(folder().join("include"))
        .arg("-L")
        .arg(lib_folder)
        .arg("-ldrrvm_c")
        .arg(format!("-Wl,-rpath,{}", lib_folder.display()))
        .arg("-o")
        .arg(&binary)
        .output();
    let Ok(compiled) = compiled else {
        println!("skipped: there is no C compiler");
        return None;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(&binary).args(&rules).output().expect("the compiled program runs");
    let stderr = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{:?}: {stderr}", ran.status);
    assert_eq!(stderr, "", "the sanitizers must report nothing");
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[test]
fn example_in_c_runs_under_address_sanitizer() {
    let Some(printed) = run("example/expr.c", &["example/rules.mlir"]) else { return };
    let expected =
        "fold_add matches at add(1, -1)\nout(add(var(), add(1, -1))) becomes out(var()) in 2 rewrites\n";
    assert_eq!(printed, expected);
}

#[test]
fn invalid_calls_and_hosts_cause_errors_only() {
    run("tests/nonsense.c", &["example/rules.mlir", "tests/users.mlir"]);
}
