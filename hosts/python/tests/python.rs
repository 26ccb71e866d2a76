//! Loads the library into the system's Python, and runs `smoke.py`. `tests/*.py` are the complete tests.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The shared library, which Cargo puts beside the test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("the path of the test is known");
    let folder = test.parent().expect("a file is in a folder");
    folder.join(format!("{}_drrvm{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX))
}

/// True if the interpreter is one for which the library is built.
fn is_supported(python: &str) -> bool {
    let check = "import sys; sys.exit(sys.version_info < (3, 10) or sys.implementation.name != 'cpython')";
    Command::new(python).args(["-c", check]).status().is_ok_and(|status| status.success())
}

#[test]
fn python_imports_and_uses_the_package() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !is_supported(&python) {
        println!("skipped: '{python}' is not CPython 3.10 or later");
        return;
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let site = tempfile::tempdir().expect("temporary files can be created");
    let package = site.path().join("drrvm");
    std::fs::create_dir(&package).expect("temporary files can be created");
    for entry in std::fs::read_dir(here.join("python/drrvm")).expect("the package is there") {
        let path = entry.expect("the folder can be read").path();
        if let (true, Some(name)) = (path.is_file(), path.file_name()) {
            std::fs::copy(&path, package.join(name)).expect("temporary files can be created");
        }
    }
    let extension = if cfg!(windows) { "_drrvm.pyd" } else { "_drrvm.abi3.so" };
    std::fs::copy(library(), package.join(extension)).expect("Cargo built the library");
    let run = Command::new(&python)
        .arg(here.join("tests/smoke.py"))
        .env("PYTHONPATH", site.path())
        .output()
        .expect("Python was there before");
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && out.ends_with("smoke test passed\n"), "{out}\n{err}");
}
