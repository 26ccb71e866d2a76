//! Compiles rules and definitions of dialects in a build script, so that a crate can embed them.
//!
//! The rules become a `.drrbc` file in Cargo's `OUT_DIR`. The crate includes this file as bytes and needs no feature of
//! drrvm to load it. The build script prints the names of all files that were read, including the files that other
//! files include, so that Cargo compiles the rules again when one of the files changes.
//!
//! `Cargo.toml`:
//!
//! ```toml
//! [dependencies]
//! drrvm = { path = "../drrvm", default-features = false }
//! [build-dependencies]
//! drrvm = { path = "../drrvm", default-features = false, features = ["frontend"] }
//! ```
//!
//! `build.rs`:
//!
//! ```no_run
//! fn main() -> Result<(), drrvm::build::Error> {
//!     drrvm::build::Config::new().file("rules/arith.td").compile("arith.drrbc")?;
//!     Ok(())
//! }
//! ```
//!
//! `src/main.rs`:
//!
//! ```ignore
//! static RULES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/arith.drrbc"));
//!
//! let program = Program::from_bytes(RULES, &mut SourceMap::default())?;
//! ```
//!
//! [`pack`] does the same for the definitions of dialects.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::compile::{self, DialectFiles, Options};
use crate::source::{Color, Diagnostic, Diagnostics, SourceMap, render_all, replace_file};

/// The rule files to compile, and the options.
#[derive(Clone, Debug, Default)]
pub struct Config {
    files: Vec<PathBuf>,
    options: Options,
}

/// The bytes of a program with the warnings about its rules, or the errors.
type Outcome = Result<(Vec<u8>, Diagnostics), Diagnostics>;

/// An error of [`Config::compile`] or [`pack`]. `Display` and `Debug` both print all diagnostics, as the command does.
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", self.0)
    }
}

impl std::error::Error for Error {}

impl Config {
    /// Returns a configuration without rule files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file of rules, DRR (`.td`) or `pdl` (`.mlir`). Rules of earlier files come first.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(path.into());
        self
    }

    /// Sets the options of loading, such as the include directories of `.td` files and the selection of rules.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Writes the program to a file of this name in `OUT_DIR`, and returns the path. Cargo shows the warnings, such as
    /// the warnings about rules that [`Options::skip_rejected`] skips.
    ///
    /// # Errors
    /// All errors in the rules; an output file that cannot be written; a missing `OUT_DIR`, if the caller is not a
    /// build script.
    pub fn compile(&self, name: impl AsRef<Path>) -> Result<PathBuf, Error> {
        let mut sources = SourceMap::default();
        let out = out_file(name.as_ref())?;
        let (program, read) = self.program(&mut sources);
        let (program, warnings) = match program {
            Ok((program, warnings)) => (Ok(program), warnings),
            Err(errors) => (Err(errors), Diagnostics::default()),
        };
        finish(out, program, &read, &warnings, &sources)
    }

    /// Compiles the rules, and returns the program with its warnings. Also returns the files that were read, even if
    /// they have errors.
    fn program(&self, sources: &mut SourceMap) -> (Outcome, Vec<PathBuf>) {
        let rules = compile::rules(sources, &self.files, &self.options);
        let program = rules.and_then(|(rules, warnings)| {
            let program = compile::program(&rules)?;
            Ok((compile::file(&program, sources)?, warnings))
        });
        let included = sources.files().map(|file| PathBuf::from(file.name())).filter(|path| path.is_file());
        let mut read: Vec<PathBuf> = self.files.iter().cloned().chain(included).collect();
        read.sort();
        read.dedup();
        (program, read)
    }
}

/// The lines that make Cargo show the warnings, one for each line of their text.
fn warning_lines(warnings: &Diagnostics, sources: &SourceMap) -> Vec<String> {
    let text = render_all(warnings, sources, Color::Never);
    text.lines().filter(|line| !line.is_empty()).map(|line| format!("cargo::warning={line}")).collect()
}

/// Writes the definitions of dialects to a file of this name in `OUT_DIR`, and returns the path.
///
/// With these definitions, the crate reads and prints custom forms. It needs only the feature `ir` of drrvm:
///
/// ```ignore
/// static DIALECTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/my.drrdl"));
///
/// context.set_dialects(Arc::new(DialectPack::from_bytes(DIALECTS)?));
/// ```
///
/// `build.rs`:
///
/// ```no_run
/// # use drrvm::compile::DialectFiles;
/// fn main() -> Result<(), drrvm::build::Error> {
///     drrvm::build::pack(&DialectFiles::new().path("include/MyOps.td"), "my.drrdl")?;
///     Ok(())
/// }
/// ```
///
/// # Errors
/// All errors in the definitions; an output file that cannot be written; a missing `OUT_DIR`, if the caller is not a
/// build script.
pub fn pack(files: &DialectFiles, name: impl AsRef<Path>) -> Result<PathBuf, Error> {
    let out = out_file(name.as_ref())?;
    let bytes = files.pack();
    finish(out, bytes, &files.files(), &Diagnostics::default(), &SourceMap::default())
}

/// The path of an output file.
fn out_file(name: &Path) -> Result<PathBuf, Error> {
    let folder = std::env::var_os("OUT_DIR");
    let folder =
        folder.ok_or_else(|| Error("OUT_DIR is not set: Cargo sets it for build scripts\n".into()))?;
    Ok(Path::new(&folder).join(name))
}

/// Tells Cargo which files were read, makes Cargo show the warnings, and writes the output.
fn finish(
    out: PathBuf,
    bytes: Result<Vec<u8>, Diagnostics>,
    read: &[PathBuf],
    warnings: &Diagnostics,
    sources: &SourceMap,
) -> Result<PathBuf, Error> {
    let mut stdout = std::io::stdout().lock();
    for path in read {
        // If Cargo has closed the pipe, nothing depends on the line.
        let _ = writeln!(stdout, "cargo::rerun-if-changed={}", path.display());
    }
    for line in warning_lines(warnings, sources) {
        let _ = writeln!(stdout, "{line}");
    }
    let written = bytes.and_then(|bytes| write_whole(&out, &bytes).map_err(Diagnostics::from));
    match written {
        Ok(()) => Ok(out),
        Err(errors) => Err(Error(render_all(&errors, sources, Color::Never))),
    }
}

fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    replace_file(path, bytes)
        .map_err(|e| Diagnostic::error(format!("cannot write '{}': {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::Program;

    const RULES: &str = "include \"names.td\"\ndef AIsB : Pat<(AOp $x), (BOp $x)>;\n";
    const NAMES: &str = "include \"mlir/IR/OpBase.td\"\ninclude \"mlir/IR/PatternBase.td\"\n\
        def T_Dialect : Dialect { let name = \"t\"; }\n\
        class T_Op<string name> : Op<T_Dialect, name> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }\n\
        def AOp : T_Op<\"a\">;\ndef BOp : T_Op<\"b\">;\n";

    #[test]
    fn the_files_that_were_read_are_listed_even_after_errors() {
        let folder = tempfile::tempdir().unwrap();
        let (rules, names) = (folder.path().join("rules.td"), folder.path().join("names.td"));
        std::fs::write(&rules, RULES).unwrap();
        std::fs::write(&names, NAMES).unwrap();
        let config = Config::new().file(&rules);
        let (program, read) = config.program(&mut SourceMap::default());
        assert_eq!(read, [names.clone(), rules.clone()]);
        let out = folder.path().join("rules.drrbc");
        write_whole(&out, &program.unwrap().0).unwrap();
        let bytes = std::fs::read(&out).unwrap();
        let program = Program::from_bytes(&bytes, &mut SourceMap::default()).unwrap();
        assert_eq!(program.patterns().len(), 1);

        std::fs::write(&names, NAMES.replace("def BOp", "def COp")).unwrap();
        let (program, read) = config.program(&mut SourceMap::default());
        assert!(program.unwrap_err().has_errors());
        assert_eq!(read, [names, rules]);
    }

    #[test]
    fn rules_with_errors_can_be_disabled_or_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let (rules, names) = (folder.path().join("rules.td"), folder.path().join("names.td"));
        std::fs::write(&rules, format!("{RULES}def Bad : Pat<(BOp $x), (AOp $y)>;\n")).unwrap();
        std::fs::write(&names, NAMES).unwrap();
        let compiled = |options: Options| {
            let mut sources = SourceMap::default();
            let (program, _) = Config::new().file(&rules).options(options).program(&mut sources);
            program.map(|(bytes, warnings)| {
                let program = Program::from_bytes(&bytes, &mut SourceMap::default()).unwrap();
                (program.patterns().len(), warning_lines(&warnings, &sources))
            })
        };
        assert!(compiled(Options::default()).is_err());
        let disable = vec!["Bad".to_owned()];
        assert_eq!(compiled(Options { disable, ..Options::default() }).unwrap(), (1, Vec::new()));
        let enable = vec!["AIsB".to_owned()];
        assert_eq!(compiled(Options { enable, ..Options::default() }).unwrap(), (1, Vec::new()));
        let (count, lines) = compiled(Options { skip_rejected: true, ..Options::default() }).unwrap();
        assert_eq!(count, 1);
        assert!(lines[0].starts_with("cargo::warning=warning: rule 'Bad' is skipped"), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("rules.td:3:")), "{lines:?}");
    }
}
