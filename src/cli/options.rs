//! Options that several commands share. `--help` prints the doc comments.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use crate::compile::{DialectFiles, Options};
use crate::ir::dialect::DialectSource;
use crate::source::Diagnostic;

/// Messages on standard error.
#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub(super) struct MessageArgs {
    /// When to colour messages. `auto` colours them on a terminal, unless NO_COLOR is set or TERM is `dumb`
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(super) color: ColorChoice,
    /// The format of messages
    #[arg(long, value_name = "FORMAT", default_value = "rich")]
    pub(super) message_format: MessageFormat,
    /// Print only errors
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Print the places of all calls of natives that are not registered. With `prove`, print the times and all types
    #[arg(short, long)]
    pub(super) verbose: bool,
    /// Log the stages and their times to standard error. FILTER has the form of RUST_LOG: `info`, `drrvm=debug`
    #[arg(long, value_name = "FILTER", value_parser = parse_filter)]
    pub(super) log: Option<String>,
}

fn parse_filter(text: &str) -> Result<String, String> {
    // A single word that is not a level is read as a target, and only the target `drrvm` matches anything.
    let word = text.chars().all(|c| c.is_ascii_alphanumeric());
    if word && text.parse::<tracing::level_filters::LevelFilter>().is_err() && text != "drrvm" {
        return Err("expected a level (error, warn, info, debug, trace) or TARGET=LEVEL".to_owned());
    }
    text.parse::<tracing_subscriber::filter::Targets>()
        .map(|_| text.to_owned())
        .map_err(|error| error.to_string())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MessageFormat {
    /// With source lines
    Rich,
    /// Like LLVM's tools: `file:line:column: error: …`
    Llvm,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// Options for TableGen files.
#[derive(Debug, Args)]
#[command(next_help_heading = "TableGen")]
pub(super) struct TableGenArgs {
    /// Search DIR for included files, before the embedded headers
    #[arg(short = 'I', value_name = "DIR")]
    pub(super) include: Vec<PathBuf>,
    /// Define the preprocessor macro NAME
    #[arg(short = 'D', value_name = "NAME")]
    pub(super) define: Vec<String>,
}

impl TableGenArgs {
    pub(super) fn options(&self) -> Options {
        Options { include_dirs: self.include.clone(), defines: self.define.clone(), ..Options::default() }
    }

    /// The definitions of dialects in these paths.
    pub(super) fn dialect_files(&self, paths: impl IntoIterator<Item = PathBuf>) -> DialectFiles {
        let files = paths.into_iter().fold(DialectFiles::new(), DialectFiles::path);
        let files = self.include.iter().fold(files, |files, dir| files.include_dir(dir));
        self.define.iter().fold(files, |files, name| files.define(name))
    }
}

/// Definitions of dialects, for reading and printing custom forms.
#[derive(Debug, Args)]
#[command(next_help_heading = "Dialects")]
pub(super) struct DialectArgs {
    /// Read the definitions of dialects from PATH: a `.td` file, a folder whose files are searched when the input uses
    /// an unknown dialect, or a pack that `drrvm ods --pack` wrote. Repeat the option for more paths. The first path
    /// that defines a dialect takes precedence; the embedded definitions come last. [env: DRRVM_DIALECTS, with paths
    /// separated as in the variable PATH]
    #[arg(long = "dialects", value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
}

/// The environment variable with paths of definitions.
const DIALECTS: &str = "DRRVM_DIALECTS";

impl DialectArgs {
    /// True if the command line or the environment names definitions.
    pub(super) fn is_given(&self) -> bool {
        !self.paths.is_empty() || std::env::var_os(DIALECTS).is_some_and(|paths| !paths.is_empty())
    }

    /// Returns the definitions of dialects that the options, the environment and the rule files contain.
    ///
    /// # Errors
    /// Fails if [`DialectFiles::check`] rejects the paths.
    pub(super) fn source(
        &self,
        tablegen: &TableGenArgs,
        rules: &[PathBuf],
    ) -> Result<Arc<dyn DialectSource>, Diagnostic> {
        let environment = std::env::var_os(DIALECTS).unwrap_or_default();
        let environment = std::env::split_paths(&environment).filter(|path| !path.as_os_str().is_empty());
        let is_definition = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "td");
        let rules = rules.iter().filter(is_definition).cloned();
        let paths = self.paths.iter().cloned().chain(environment).chain(rules);
        let files = tablegen.dialect_files(paths).generic_form(self.is_given()).constraints(self.is_given());
        files.check()?;
        let files = match user_cache("dialects") {
            Some(dir) => files.cache(dir),
            None => files,
        };
        Ok(files.shared())
    }
}

/// The folder for files of one kind in the user's cache; `None` if neither XDG_CACHE_HOME nor HOME is set.
pub(super) fn user_cache(kind: &str) -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(base.join("drrvm").join(kind))
}

/// The rules to use.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct RuleArgs {
    /// Load rules from FILE: DRR (.td), pdl (.mlir), or one compiled program (.drrbc); `-` is standard input.
    /// Repeat the option for more rule files; their order breaks ties between rules of equal benefit
    #[arg(long = "rules", value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) select: SelectArgs,
}

/// A selection of the rules.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct SelectArgs {
    /// Use only rules with this name or label
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) enable: Vec<String>,
    /// Leave out rules with this name or label, even if they are enabled
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) disable: Vec<String>,
    /// Skip rules that have errors, with a warning for each
    #[arg(long)]
    pub(super) skip_rejected: bool,
    /// Match commutative operations with two operands in either order; the order of the rule is tried first. Not
    /// available for compiled programs, because the orders are part of the program
    #[arg(long)]
    pub(super) commute: bool,
    /// Read the C++ functions that rules call from PATH: a source file, or a folder whose files are searched. A
    /// function that drrvm cannot read stays a native, and a note states the reason
    #[arg(long, value_name = "PATH")]
    pub(super) helpers: Vec<PathBuf>,
}

impl RuleArgs {
    /// True if the command line has none of the options `--rules`, `--enable`, `--disable` and `--helpers`.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.select.enable.is_empty()
            && self.select.disable.is_empty()
            && self.select.helpers.is_empty()
    }

    pub(super) fn options(&self, tablegen: &TableGenArgs) -> Options {
        self.select.options(tablegen)
    }
}

impl SelectArgs {
    pub(super) fn options(&self, tablegen: &TableGenArgs) -> Options {
        Options {
            enable: self.enable.clone(),
            disable: self.disable.clone(),
            skip_rejected: self.skip_rejected,
            commute: self.commute,
            helpers: self.helpers.clone(),
            ..tablegen.options()
        }
    }
}

/// Natives in addition to the built-in natives.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct NativesArgs {
    /// Load natives from the script FILE. Repeat the option for more files. A later native replaces an earlier native
    /// with the same name and parameters
    #[arg(long = "natives", value_name = "FILE")]
    pub(super) scripts: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineChoice {
    /// The tree at first, then the automaton once operations are matched often enough
    Auto,
    /// The byte code of the decision tree of all rules
    Tree,
    /// A bottom-up automaton that labels each operation with a state
    Automaton,
    /// Each rule in turn; slow, for checking the other engines
    Reference,
}

impl EngineChoice {
    /// The name on the command line.
    pub(super) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

impl DriverArgs {
    pub(super) const MAX_ITERATIONS: u32 = 10;

    /// The options that only the greedy driver uses, each with true if it is not at its default.
    pub(super) fn of_greedy_driver(&self) -> [(&'static str, bool); 5] {
        [
            ("--traversal", self.traversal != Traversal::BottomUp),
            ("--max-iterations", self.max_iterations != Self::MAX_ITERATIONS),
            ("--max-rewrites-per-sweep", self.max_rewrites_per_sweep.is_some()),
            ("--strictness", self.strictness != Strictness::AnyOp),
            ("--keep-constants", self.keep_constants),
        ]
    }
}

/// Options of the driver.
#[derive(Debug, Args)]
#[command(next_help_heading = "Driver")]
pub(super) struct DriverArgs {
    /// Apply rules until nothing changes (`greedy`), or visit each operation once (`walk`)
    #[arg(long = "driver", value_name = "DRIVER", default_value = "greedy")]
    pub(super) kind: DriverChoice,
    /// The order in which the greedy driver visits operations: `top-down` starts at the first operation, and
    /// `bottom-up` at the last one, as MLIR's greedy driver does by default
    #[arg(long, value_name = "ORDER", default_value = "bottom-up")]
    pub(super) traversal: Traversal,
    /// Stop after N sweeps of the greedy driver
    #[arg(long, value_name = "N", default_value_t = Self::MAX_ITERATIONS, allow_negative_numbers = true)]
    pub(super) max_iterations: u32,
    /// Stop after N rewrites and folds of the greedy driver, or with --convert after N attempts to apply a rule
    /// [default: 10000 plus 8 for each operation of the input; with --convert, 10000 plus 32 for each operation]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) max_rewrites: Option<u64>,
    /// End a sweep of the greedy driver after N rewrites, like MLIR's max-num-rewrites
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) max_rewrites_per_sweep: Option<u64>,
    /// The operations that the greedy driver may visit
    #[arg(long, value_name = "OPS", default_value = "any-op")]
    pub(super) strictness: Strictness,
    /// Do not fold operations, even if natives can fold them
    #[arg(long)]
    pub(super) no_fold: bool,
    /// Print the result even if the rules do not converge
    #[arg(long)]
    pub(super) allow_nonconvergence: bool,
    /// Do not merge equal constants
    #[arg(long)]
    pub(super) keep_constants: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DriverChoice {
    Greedy,
    Walk,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Strictness {
    /// All operations
    AnyOp,
    /// The operations of the input, and the operations that rules create
    ExistingAndNewOps,
    /// The operations of the input
    ExistingOps,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Traversal {
    TopDown,
    BottomUp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// Text
    Text,
    /// JSON
    Json,
}
