//! Loads rule files of both languages into one rule set.
//!
//! Specification: the result contains the diagnostics of all files and, in the order of the files, the rules that
//! [`drr::load`] and [`pdl_text::load`] return, except the rules that the verifier rejects or that [`Options`]
//! excludes. Errors in an excluded rule are not reported. The file extension decides the language: `.td` is DRR,
//! `.mlir` is `pdl`.

pub(crate) mod error;
mod helpers;

use std::path::{Path, PathBuf};

use helpers::FunctionSets;

use super::{drr, ods, pdl_text, prelude, tablegen};
use crate::log::span;
use crate::pdl::{RuleSet, Selection, verify_rule};
use crate::source::{Diagnostics, FileId, SourceMap};

pub use super::loaded::{Loaded, Rejected};

/// Settings for reading rule files, and the selection of their rules.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folders in which the includes of `.td` files are searched, after the folder of the file and before the prelude.
    pub include_dirs: Vec<PathBuf>,
    /// Names that are defined for TableGen's preprocessor.
    pub defines: Vec<String>,
    /// Warns about unused template arguments.
    pub warn_unused_template_args: bool,
    /// Names and labels of the rules to use. If empty, all rules are used.
    pub enable: Vec<String>,
    /// Names and labels of the rules to exclude, even if `enable` contains them.
    pub disable: Vec<String>,
    /// C++ files, or folders with such files, whose functions rules can call.
    pub helpers: Vec<PathBuf>,
    /// Skips selected rules that have errors, with a warning for each. If false, the errors of these rules are
    /// reported, and no program is compiled.
    pub skip_rejected: bool,
    /// Lets rules match commutative operations with their operands in either order ([`RuleSet::commute`]).
    pub commute: bool,
}

impl Options {
    fn selection(&self) -> Selection<'_> {
        Selection { enable: &self.enable, disable: &self.disable }
    }
}

/// Loads the rules of files, in order, and returns them with the warnings.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("rules.td");
/// # std::fs::write(&path, r#"
/// # include "mlir/IR/PatternBase.td"
/// # def T_Dialect : Dialect { let name = "t"; }
/// # def Neg : Op<T_Dialect, "neg"> {
/// #   let arguments = (ins AnyType:$x);
/// #   let results = (outs AnyType:$y);
/// # }
/// # def NegNeg : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;
/// # "#).expect("a file");
/// use drrvm::{SourceMap, compile};
/// let options = compile::Options { disable: vec!["NegNeg".to_owned()], ..Default::default() };
/// let (rules, warnings) = compile::rules(&mut SourceMap::default(), &[path], &options)?;
/// assert_eq!(rules.patterns().len(), 0);
/// assert!(warnings.is_empty());
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
///
/// # Errors
/// The diagnostics of all files, if there is an error. Errors in excluded or skipped rules do not count.
pub fn rules(
    sources: &mut SourceMap,
    files: &[PathBuf],
    options: &Options,
) -> Result<(RuleSet, Diagnostics), Diagnostics> {
    let (rules, Loaded { diagnostics, .. }) = load(sources, files, options);
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok((rules, diagnostics)) }
}

/// Loads rules as [`rules`] does, but returns the rules that have no errors even if other rules have errors. `-` is
/// standard input; its first word decides between TableGen and `pdl`.
///
/// ```
/// use drrvm::{SourceMap, compile};
/// let (rules, loaded) = compile::load(&mut SourceMap::default(), &["Cargo.toml".into()], &Default::default());
/// assert_eq!(rules.patterns().len(), 0);
/// assert!(loaded.diagnostics.has_errors()); // The extension is neither `.td` nor `.mlir`.
/// ```
pub fn load(sources: &mut SourceMap, files: &[PathBuf], options: &Options) -> (RuleSet, Loaded) {
    span!("load", files = files.len());
    load_each(sources, files, read_path, options)
}

/// Reads a file, and returns its path with the extension of its language.
fn read_path(sources: &mut SourceMap, path: &PathBuf) -> Result<(FileId, PathBuf), Diagnostics> {
    match extension(path) {
        Some("td" | "mlir") => Ok((sources.load(path)?, path.clone())),
        _ if path == Path::new("-") => {
            let file = sources.load(path)?;
            let is_td = tablegen::begins_like_tablegen(sources.file(file).text());
            Ok((file, path.with_extension(if is_td { "td" } else { "mlir" })))
        }
        Some("drrbc") => Err(error::compiled_program(path).into()),
        _ if path.is_dir() || !path.exists() => Ok((sources.load(path)?, path.clone())),
        _ => Err(error::not_a_rule_file(path).into()),
    }
}

/// Loads rules as [`load`] does, from files that `sources` already contains. Their includes are first searched in
/// `sources`, by path.
///
/// ```
/// use drrvm::{SourceMap, compile};
/// let text = r#"pdl.pattern @erase_nop : benefit(1) {
///   %op = pdl.operation "t.nop"
///   pdl.rewrite %op { pdl.erase %op }
/// }"#;
/// let mut sources = SourceMap::default();
/// let file = sources.add("rules.mlir", text.to_owned())?;
/// let (rules, loaded) = compile::load_added(&mut sources, &[file], &Default::default());
/// assert!(!loaded.diagnostics.has_errors());
/// assert_eq!(rules.patterns().len(), 1);
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
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
    let all = Unselected::read_each(sources, files, read, options);
    let unknown = options.selection().unknown(all.names());
    let (rules, mut loaded) = all.select(sources, options);
    if !loaded.diagnostics.has_errors() && !unknown.is_empty() {
        loaded.diagnostics.extend(unknown.with_sources(sources));
    }
    (rules, loaded)
}

/// The rules of files before a selection.
pub(crate) struct Unselected {
    rules: RuleSet,
    /// The diagnostics, without those of rejected rules, and all rejected rules.
    loaded: Loaded,
}

impl Unselected {
    /// Reads the rules of files, as [`load`] does.
    pub(crate) fn read(sources: &mut SourceMap, files: &[PathBuf], options: &Options) -> Self {
        Self::read_each(sources, files, read_path, options)
    }

    fn read_each<F>(
        sources: &mut SourceMap,
        files: &[F],
        read: impl Fn(&mut SourceMap, &F) -> Result<(FileId, PathBuf), Diagnostics>,
        options: &Options,
    ) -> Self {
        let mut rules = RuleSet::default();
        let (functions, diagnostics) = helpers::read(sources, &options.helpers);
        let mut functions = FunctionSets::new(functions);
        let mut loaded = Loaded::from(diagnostics);
        for file in files {
            let found = read(sources, file).and_then(|(file, path)| match extension(&path) {
                Some("td") => drr_rules(sources, file, &path, options, &mut functions, &mut rules),
                Some("mlir") => Ok(pdl_text::load(sources, file, &mut rules)),
                _ => Err(error::not_a_rule_file(&path).into()),
            });
            loaded.append(found.unwrap_or_else(Loaded::from));
        }
        Self { rules, loaded }
    }

    /// The names and labels of all rules, including rejected ones.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.rules.names().chain(self.loaded.rejected.iter().flat_map(Rejected::names))
    }

    /// The rules that `options` selects, and the diagnostics. Names that no rule has are ignored.
    pub(crate) fn select(self, sources: &SourceMap, options: &Options) -> (RuleSet, Loaded) {
        let Self { mut rules, mut loaded } = self;
        let selection = options.selection();
        loaded.rejected.retain(|rule| selection.selects(rule.names()));
        rules.retain(selection);
        if !options.skip_rejected {
            loaded = loaded.with_errors_of_rules();
        } else if !loaded.rejected.is_empty() {
            loaded = loaded.with_warnings_of_rules();
            loaded.diagnostics.push(error::skipped(loaded.rejected.len(), rules.patterns.len()));
        }
        if options.commute {
            loaded.diagnostics.extend(rules.commute());
        }
        if !loaded.diagnostics.is_empty() {
            loaded.diagnostics = loaded.diagnostics.with_sources(sources);
        }
        (rules, loaded)
    }
}

/// Appends those rules of a `.td` file that have no errors.
fn drr_rules(
    sources: &mut SourceMap,
    file: FileId,
    path: &Path,
    options: &Options,
    functions: &mut FunctionSets,
    rules: &mut RuleSet,
) -> Result<Loaded, Diagnostics> {
    let mut config = config(path, options);
    config.files_after_main = helpers::dialect_files(&functions.files, &config);
    let (mut records, mut diagnostics) = tablegen::parse_as_far(sources, file, &config);
    // The files of the dialects that helpers name can contradict a rule file that itself defines operations of these
    // dialects, or contradict each other. If there are errors, the rule file is read again without these files. They
    // are then added one by one, and a file that causes an error is removed again.
    if diagnostics.has_errors() && !config.files_after_main.is_empty() {
        let named = std::mem::take(&mut config.files_after_main);
        (records, diagnostics) = tablegen::parse_as_far(sources, file, &config);
        for dialect in named.into_iter().filter(|_| !diagnostics.has_errors()).collect::<Vec<_>>() {
            config.files_after_main.push(dialect);
            match tablegen::parse_as_far(sources, file, &config) {
                (_, with_dialect) if with_dialect.has_errors() => drop(config.files_after_main.pop()),
                read => (records, diagnostics) = read,
            }
        }
    }
    let diagnostics = if diagnostics.has_errors() { ods::advise(diagnostics, sources) } else { diagnostics };
    let Some(records) = records else { return Err(diagnostics) };
    let mut loaded = Loaded::from(diagnostics);
    let before = rules.patterns.len();
    let mut definitions = ods::read(&records);
    // An unqualified name in a helper must not find a class of a dialect that the rule file does not include.
    definitions.require_qualified(
        records.read_after_main().iter().filter_map(|file| helpers::dialect_of(file)).collect(),
    );
    let functions = functions.with_members(&definitions, sources, &path.display().to_string());
    loaded.append(drr::load(&definitions, sources, rules, &functions));
    for rule in rules.patterns.split_off(before) {
        let found = verify_rule(rules, &rule);
        if found.has_errors() {
            loaded.reject(Rejected::new(rules, &rule, found));
        } else {
            loaded.diagnostics.extend(found);
            rules.patterns.push(rule);
        }
    }
    Ok(loaded)
}

fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(|extension| extension.to_str())
}

/// Evaluates the records of a TableGen file and its includes. `-` is standard input.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("rules.td");
/// # std::fs::write(&path, r#"
/// # include "mlir/IR/PatternBase.td"
/// # def T_Dialect : Dialect { let name = "t"; }
/// # def Neg : Op<T_Dialect, "neg"> {
/// #   let arguments = (ins AnyType:$x);
/// #   let results = (outs AnyType:$y);
/// # }
/// # def NegNeg : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;
/// # "#).expect("a file");
/// use drrvm::{SourceMap, compile};
/// let parsed = compile::records(&mut SourceMap::default(), &path, &Default::default())?;
/// assert!(parsed.records.find("NegNeg").is_some());
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
///
/// # Errors
/// All errors that were found. For many names that only older versions of MLIR define, the error states what to write
/// instead.
pub fn records(
    sources: &mut SourceMap,
    path: &Path,
    options: &Options,
) -> Result<tablegen::Parsed, Diagnostics> {
    let main = sources.load(path)?;
    tablegen::parse(sources, main, &config(path, options))
        .map_err(|errors| ods::advise(errors, sources).with_sources(sources))
}

/// The TableGen settings for the file at a path.
fn config(path: &Path, options: &Options) -> tablegen::Config {
    // An empty path stands for the working directory, which TableGen searches in any case.
    let own_folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned);
    tablegen::Config {
        include_dirs: own_folder.into_iter().chain(options.include_dirs.iter().cloned()).collect(),
        defines: options.defines.clone(),
        embedded: prelude::FILES,
        files_after_main: Vec::new(),
        warn_unused_template_args: options.warn_unused_template_args,
    }
}
