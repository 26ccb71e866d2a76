//! From files to a program: calls the stages in order and holds no logic.

use std::path::{Path, PathBuf};

use crate::frontend::{ods, prelude, tablegen};
use crate::source::{Diagnostics, SourceMap};

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
    let own_folder = path.parent().map(Path::to_owned);
    let config = tablegen::Config {
        include_dirs: own_folder.into_iter().chain(options.include_dirs.iter().cloned()).collect(),
        defines: options.defines.clone(),
        embedded: prelude::FILES,
        warn_unused_template_args: options.warn_unused_template_args,
    };
    tablegen::parse(sources, main, &config).map_err(|errors| ods::advise(errors, sources))
}
