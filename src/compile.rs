//! From files to a program: calls the stages in order and holds no logic.

use std::path::{Path, PathBuf};

use crate::bytecode::{self, Program};
use crate::frontend::drr::Loaded;
use crate::frontend::{drr, ods, pdl_text, prelude, tablegen};
use crate::log::span;
use crate::matcher_tree;
use crate::pdl::{self, PatternId, RuleSet};
use crate::source::{Diagnostic, Diagnostics, FileId, SourceMap, read};

/// What is said beside the rule files themselves.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where `.td` files look for what they include: after their own folder, before the prelude.
    pub include_dirs: Vec<PathBuf>,
    /// Names that are defined for TableGen's preprocessor.
    pub defines: Vec<String>,
    /// Whether to warn of template arguments that nothing uses.
    pub warn_unused_template_args: bool,
    /// Names and labels of the rules to use; empty: all.
    pub enable: Vec<String>,
    /// Names and labels of the rules to leave out, enabled or not.
    pub disable: Vec<String>,
}

/// The rules of these files, in this order, and the warnings about them.
///
/// # Errors
/// Everything that is wrong with any of the files.
pub fn rules(
    sources: &mut SourceMap,
    files: &[PathBuf],
    options: &Options,
) -> Result<(RuleSet, Diagnostics), Diagnostics> {
    let (rules, Loaded { diagnostics, .. }) = load(sources, files, options);
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok((rules, diagnostics)) }
}

/// As [`rules`], but rules that load are there to be looked at even if others do not. `-` is standard input,
/// of which the first word says whether it is TableGen or `pdl`.
pub fn load(sources: &mut SourceMap, files: &[PathBuf], options: &Options) -> (RuleSet, Loaded) {
    span!("load", files = files.len());
    let read = |sources: &mut SourceMap, path: &PathBuf| match extension(path) {
        Some("td" | "mlir") => Ok((sources.load(path)?, path.clone())),
        _ if path == Path::new("-") => {
            let file = sources.load(path)?;
            let is_td = tablegen::begins_like_tablegen(sources.file(file).text());
            Ok((file, path.with_extension(if is_td { "td" } else { "mlir" })))
        }
        Some("drrbc") => Err(no_rules_any_more(path).into()),
        _ => Err(no_rule_file(path).into()),
    };
    load_each(sources, files, read, options)
}

/// As [`load`], of files that have been added; their names say what they are.
pub fn load_added(sources: &mut SourceMap, files: &[FileId], options: &Options) -> (RuleSet, Loaded) {
    let named =
        |sources: &mut SourceMap, &file: &FileId| Ok((file, PathBuf::from(sources.file(file).name())));
    load_each(sources, files, named, options)
}

fn load_each<F>(
    sources: &mut SourceMap,
    files: &[F],
    read: impl Fn(&mut SourceMap, &F) -> Result<(FileId, PathBuf), Diagnostics>,
    options: &Options,
) -> (RuleSet, Loaded) {
    let mut rules = RuleSet::default();
    let mut loaded = Loaded::default();
    for file in files {
        let found = read(sources, file).and_then(|(file, path)| match extension(&path) {
            Some("td") => drr_rules(sources, file, &path, options, &mut rules),
            Some("mlir") => pdl_text::parse(sources, file, &mut rules).map(Loaded::from),
            _ => Err(no_rule_file(&path).into()),
        });
        let found = found.unwrap_or_else(Loaded::from);
        loaded.diagnostics.extend(found.diagnostics);
        loaded.rejected.extend(found.rejected);
    }
    if !loaded.diagnostics.has_errors() {
        loaded.diagnostics.extend(rules.select(&options.enable, &options.disable).err().unwrap_or_default());
    }
    (rules, loaded)
}

/// Compiles rules.
///
/// # Errors
/// A rule that does not verify, or more of them than a program can hold.
pub fn program(rules: &RuleSet) -> Result<Program, Diagnostics> {
    span!("compile", rules = rules.patterns.len());
    let tree = matcher_tree::build(rules, &matcher_tree::Config::default())?;
    bytecode::compile(rules, &tree)
}

/// A program as a file, which loads: its limits are those of [`Program::from_bytes`].
///
/// # Errors
/// The program is past a limit on how long matching may take.
pub fn file(program: &Program, sources: &SourceMap) -> Result<Vec<u8>, Diagnostics> {
    let bytes = program.to_bytes(sources);
    match Program::from_bytes(&bytes, &mut SourceMap::default()) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(error.of_new(program.patterns().len()).into()),
    }
}

/// Rules, compiled, and which of them are wanted.
#[derive(Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// The rules it was compiled from, unless it was loaded.
    pub rules: Option<RuleSet>,
    /// Rules of a loaded program that are not wanted: see [`LinkOptions::left_out`](crate::vm::LinkOptions).
    pub left_out: Vec<PatternId>,
}

/// The program of these rule files, or of one file of a compiled program, and the warnings about them.
///
/// # Errors
/// Everything that is wrong with any of the files; a compiled program beside other files.
pub fn compiled(
    sources: &mut SourceMap,
    files: &[PathBuf],
    options: &Options,
) -> Result<(Compiled, Diagnostics), Diagnostics> {
    let Some(path) = files.iter().find(|path| is_program(path)) else {
        let (rules, warnings) = rules(sources, files, options)?;
        let compiled = Compiled { program: program(&rules)?, rules: Some(rules), left_out: Vec::new() };
        return Ok((compiled, warnings));
    };
    if files.len() > 1 {
        return Err(not_alone(path).into());
    }
    let (name, bytes) = read(path)?;
    let program = Program::from_bytes(&bytes, sources).map_err(|error| error.diagnostic(&name))?;
    let left_out = program.unselected(&options.enable, &options.disable)?;
    Ok((Compiled { program, rules: None, left_out }, Diagnostics::default()))
}

/// Whether a file is a compiled program, by its name.
pub fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "drrbc")
}

/// Appends the rules of a `.td` file that load.
fn drr_rules(
    sources: &mut SourceMap,
    file: FileId,
    path: &Path,
    options: &Options,
    rules: &mut RuleSet,
) -> Result<Loaded, Diagnostics> {
    let parsed = records_of(sources, file, path, options)?;
    let mut loaded = Loaded::from(parsed.warnings);
    let before = rules.patterns.len();
    let found = drr::load(&ods::read(&parsed.records), sources, rules);
    loaded.diagnostics.extend(found.diagnostics);
    for rule in rules.patterns.ids().skip(before) {
        loaded.diagnostics.extend(pdl::verify_pattern(rules, rule));
    }
    Ok(Loaded { rejected: found.rejected, ..loaded })
}

fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(|extension| extension.to_str())
}

fn no_rule_file(path: &Path) -> Diagnostic {
    Diagnostic::error(format!("'{}' is no rule file", path.display()))
        .help("rules are DRR in a '.td' file, pdl patterns in a '.mlir' file, or a compiled '.drrbc' program")
}

fn no_rules_any_more(path: &Path) -> Diagnostic {
    Diagnostic::error(format!("'{}' is a compiled program, and rules are wanted", path.display()))
        .with_note("of its rules a compiled program has one decision tree, and no rule that could be read")
        .help("give the files that it was compiled from")
}

fn not_alone(path: &Path) -> Diagnostic {
    Diagnostic::error(format!("'{}' cannot be used together with other rule files", path.display()))
        .with_note("a compiled program is one decision tree, into which no further rules can be merged")
        .help("compile all rule files into one program: `drrvm compile a.td b.mlir -o all.drrbc`")
}

/// The records of a TableGen file and all that it includes; `-` is standard input.
///
/// # Errors
/// All errors that were found, with today's form of names that only older manuals have.
pub fn records(
    sources: &mut SourceMap,
    path: &Path,
    options: &Options,
) -> Result<tablegen::Parsed, Diagnostics> {
    let main = sources.load(path)?;
    records_of(sources, main, path, options)
}

/// The records of a file that is at this place, and of all that it includes.
fn records_of(
    sources: &mut SourceMap,
    main: FileId,
    path: &Path,
    options: &Options,
) -> Result<tablegen::Parsed, Diagnostics> {
    // A name without a folder is included from the working directory, which is looked at anyway.
    let own_folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned);
    let config = tablegen::Config {
        include_dirs: own_folder.into_iter().chain(options.include_dirs.iter().cloned()).collect(),
        defines: options.defines.clone(),
        embedded: prelude::FILES,
        warn_unused_template_args: options.warn_unused_template_args,
    };
    tablegen::parse(sources, main, &config).map_err(|errors| ods::advise(errors, sources))
}
