//! The configuration of the TableGen front end.

use std::path::PathBuf;

/// Include directories, macros and embedded files.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// `-I`: the directories that are searched for included files, in this order. If a file exists at the path as it is
    /// written in the include directive, no directory is searched.
    pub include_dirs: Vec<PathBuf>,
    /// `-D`: names that are defined for the preprocessor.
    pub defines: Vec<String>,
    /// Files that are compiled into drrvm, as pairs of include path and text. They are searched last.
    pub embedded: &'static [(&'static str, &'static str)],
    /// Include paths of files that are read after the main file, unless they were included before.
    pub files_after_main: Vec<&'static str>,
    /// True if unused template arguments cause warnings.
    pub warn_unused_template_args: bool,
}
