//! The command line as data: the subcommands, and the options that several of them share. What one takes alone
//! stands in its own file. The doc comments are what `--help` prints.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::check::CheckArgs;
use super::compile::CompileArgs;
use super::dump::DumpArgs;
use super::equiv::EquivArgs;
use super::explain::ExplainArgs;
use super::manual::{CompletionsArgs, ManArgs};
use super::ods::OdsArgs;
use super::opt::OptArgs;
use super::profile::ProfileArgs;
use super::tablegen::TablegenArgs;
use crate::compile::Options;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold());

/// The version, the one of the format of compiled programs, and the release of MLIR that is followed.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (.drrbc format 3, MLIR 22.1)");

/// Rewrites MLIR with declarative rules, without a C++ compiler.
///
/// Rules are DRR (`.td`, with MLIR's headers or the embedded ones) or `pdl` patterns (`.mlir`). They are
/// compiled into one automaton, which then runs over the operations of the input.
#[derive(Debug, Parser)]
#[command(name = "drrvm", version = VERSION, styles = STYLES, max_term_width = 110)]
#[command(after_help = "Exit status: 0 done, 1 bad input or not converged, 2 wrong usage.")]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Opt(OptArgs),
    Explain(ExplainArgs),
    Check(CheckArgs),
    Compile(CompileArgs),
    Equiv(EquivArgs),
    Profile(ProfileArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    Dump(DumpArgs),
    Tablegen(TablegenArgs),
    Ods(OdsArgs),
}

/// What is said on standard error, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub(super) struct MessageArgs {
    /// Colour messages; `auto`: on a terminal, unless NO_COLOR is set or TERM is `dumb`
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(super) color: ColorChoice,
    /// How messages look
    #[arg(long, value_name = "FORMAT", default_value = "rich")]
    pub(super) message_format: MessageFormat,
    /// Say nothing but errors
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Log what takes how long to standard error, as RUST_LOG does: `info`, `drrvm=debug`
    #[arg(long, value_name = "FILTER", value_parser = parse_filter)]
    pub(super) log: Option<String>,
}

fn parse_filter(text: &str) -> Result<String, String> {
    // Alone, a word that is no level would be a target that logs nothing.
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
    /// With the source lines around each place
    Rich,
    /// As LLVM's tools write them: `file:line:column: error: …`
    Llvm,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// How TableGen files are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "TableGen")]
pub(super) struct TableGenArgs {
    /// Look for included files in DIR, before the embedded headers
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
}

/// Which rules there are.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct RuleArgs {
    /// Load the rules of FILE, DRR (.td) or pdl (.mlir), `-` for standard input; again for more files, which
    /// count in this order. Or load a compiled program (.drrbc), alone
    #[arg(long = "rules", value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) select: SelectArgs,
}

/// Which of the rules.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct SelectArgs {
    /// Use only rules of this name or label
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) enable: Vec<String>,
    /// Leave out rules of this name or label, enabled or not
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) disable: Vec<String>,
}

impl RuleArgs {
    /// Whether nothing is said of rules at all.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.select.enable.is_empty() && self.select.disable.is_empty()
    }

    pub(super) fn options(&self, tablegen: &TableGenArgs) -> Options {
        self.select.options(tablegen)
    }
}

impl SelectArgs {
    pub(super) fn options(&self, tablegen: &TableGenArgs) -> Options {
        Options { enable: self.enable.clone(), disable: self.disable.clone(), ..tablegen.options() }
    }
}

/// What the rules may call besides the natives that come with the command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct NativesArgs {
    /// Load the natives of FILE, a script; again for more files, of which later ones win
    #[arg(long = "natives", value_name = "FILE")]
    pub(super) scripts: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineChoice {
    /// The tree, until operations are matched so often that the automaton pays
    Auto,
    /// The decision tree of all rules, as byte code
    Tree,
    /// Each operation labelled with what holds there, from its operands up
    Automaton,
    /// Rule by rule, as the rules are written: slow, to check the others
    Reference,
}

impl EngineChoice {
    /// How it is written on the command line.
    pub(super) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// How the driver goes through the input.
#[derive(Debug, Args)]
#[command(next_help_heading = "Driver")]
pub(super) struct DriverArgs {
    /// Apply rules until nothing changes (greedy), or visit each operation once (walk)
    #[arg(long = "driver", value_name = "DRIVER", default_value = "greedy")]
    pub(super) kind: DriverChoice,
    /// Where the greedy driver starts: with the first operation or, as MLIR, with the last
    #[arg(long, value_name = "ORDER", default_value = "bottom-up")]
    pub(super) traversal: Traversal,
    /// Stop when this many sweeps of the greedy driver have not been enough
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(super) max_iterations: u32,
    /// Stop after this many rewrites [default: 10000, and 8 for each operation of the input]
    #[arg(long, value_name = "N")]
    pub(super) max_rewrites: Option<u64>,
    /// End a sweep after this many rewrites, as MLIR's max-num-rewrites does
    #[arg(long, value_name = "N")]
    pub(super) max_rewrites_per_sweep: Option<u64>,
    /// Which operations the greedy driver may visit
    #[arg(long, value_name = "WHICH", default_value = "any-op")]
    pub(super) strictness: Strictness,
    /// Fold nothing, even where a native says how
    #[arg(long)]
    pub(super) no_fold: bool,
    /// Print the result even if the rules still apply to it
    #[arg(long)]
    pub(super) allow_nonconvergence: bool,
    /// Leave equal constants as they are, each where it is
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
    /// All
    AnyOp,
    /// Those of the input, and those that rules make
    ExistingAndNewOps,
    /// Those of the input
    ExistingOps,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Traversal {
    TopDown,
    BottomUp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Long options that the tools we stand in for write with one dash.
const SINGLE_DASH: &[&str] = &[
    "dump-json",
    "mlir-print-debuginfo",
    "mlir-print-local-scope",
    "mlir-print-op-generic",
    "no-warn-on-unused-template-args",
    "null-backend",
    "output-split-marker",
    "print-records",
    "split-input-file",
];

/// Gives the well-known single-dash long options their second dash.
pub(super) fn normalise(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut ended = false;
    args.into_iter()
        .map(|arg| {
            ended |= arg == "--";
            let long = arg.to_str().filter(|_| !ended).and_then(|arg| arg.strip_prefix('-'));
            match long {
                Some(long) if SINGLE_DASH.contains(&long.split('=').next().unwrap_or(long)) => {
                    format!("--{long}").into()
                }
                _ => arg,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn version_names_the_format() {
        let format = format!(".drrbc format {},", crate::bytecode::Program::FORMAT_VERSION);
        assert!(VERSION.contains(&format), "{VERSION}");
    }

    #[test]
    fn well_known_single_dash_options_get_a_second_dash() {
        let args = ["drrvm", "-dump-json", "-Idir", "-split-input-file=//", "-q", "--", "-dump-json"];
        let normal = normalise(args.into_iter().map(OsString::from));
        assert_eq!(
            normal,
            ["drrvm", "--dump-json", "-Idir", "--split-input-file=//", "-q", "--", "-dump-json"]
        );
    }
}
