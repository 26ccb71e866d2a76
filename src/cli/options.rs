//! The command line as data. The doc comments are what `--help` prints.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::compile::Options;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold());

/// The version, the one of the format of compiled programs, and the release of MLIR that is followed.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (.drrbc format 2, MLIR 22.1)");

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
    /// Colour messages; `auto`: on a terminal, unless NO_COLOR is set
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
    tracing_subscriber::EnvFilter::try_new(text).map(|_| text.to_owned()).map_err(|e| e.to_string())
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

/// Which rules there are, where a compiled program is not enough.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct SourceRuleArgs {
    /// Load the rules of FILE, DRR (.td) or pdl (.mlir); again for more files, which count in this order
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

/// Rewrite MLIR with rules
///
/// Reads INPUT, applies the rules until nothing matches any more, and prints the result. A summary goes
/// to standard error. Without rules, the input is parsed, verified and printed. Operations need not be
/// registered anywhere.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm opt input.mlir --rules rules.td
      Apply rules.td, print the result.
  drrvm opt input.mlir --rules a.td --rules b.mlir -o output.mlir
      Two rule files; output.mlir is written only if all went well.
  mlir-opt --mlir-print-op-generic in.mlir | drrvm opt - --rules rules.td | mlir-opt
      In a pipe, on IR that has custom syntax.
  drrvm opt input.mlir --rules rules.td -I llvm-project/mlir/include
      With MLIR's own headers in place of the embedded ones.
  drrvm opt input.mlir --rules rules.td --disable AddZero --driver walk
      All rules but AddZero, each operation visited once.")]
pub(super) struct OptArgs {
    /// MLIR file; `-` is standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    pub(super) input: PathBuf,
    /// Write the result to FILE, whole or not at all
    #[arg(short, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) rules: RuleArgs,
    #[command(flatten)]
    pub(super) tablegen: TableGenArgs,
    #[command(flatten)]
    pub(super) run: RunArgs,
    #[command(flatten)]
    pub(super) driver: DriverArgs,
    /// Say on standard error what a part does, step by step
    #[arg(long, value_name = "PART", conflicts_with = "engine")]
    pub(super) debug: Option<DebugChoice>,
    #[command(flatten)]
    pub(super) text: TextArgs,
    #[command(flatten)]
    pub(super) messages: MessageArgs,
}

/// How rules run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct RunArgs {
    /// Drop rules whose natives are not registered, with a warning each
    #[arg(long)]
    pub(super) allow_missing_natives: bool,
    #[command(flatten)]
    pub(super) natives: NativesArgs,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
}

/// What the rules may call besides the natives that come with the command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct NativesArgs {
    /// Load the natives of FILE, a script; again for more files, of which later ones win
    #[arg(long = "natives", value_name = "FILE")]
    pub(super) scripts: Vec<PathBuf>,
}

/// What finds the rules that match.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct EngineArgs {
    /// How to find the rules that match; all find the same
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub(super) engine: EngineChoice,
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
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
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
pub(super) enum DebugChoice {
    /// The driver: operations, the rules tried at each, why they failed, and what they changed
    Greedy,
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

/// How MLIR is read and printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Text")]
pub(super) struct TextArgs {
    /// Print what changed instead of the result, operation by operation
    #[arg(long)]
    pub(super) diff: bool,
    /// Print every operation in generic form
    #[arg(long, alias = "mlir-print-op-generic")]
    pub(super) generic: bool,
    /// Print locations
    #[arg(long)]
    pub(super) mlir_print_debuginfo: bool,
    /// Print attributes, types and locations in place, without aliases
    #[arg(long)]
    pub(super) mlir_print_local_scope: bool,
    /// Take the input apart after lines that end in MARKER [default: // -----], treat each part by itself
    #[arg(long, value_name = "MARKER", num_args = 0..=1, require_equals = true, default_missing_value = "// -----")]
    pub(super) split_input_file: Option<String>,
    /// Print this line between the results of the parts
    #[arg(long, value_name = "MARKER", default_value = "// -----")]
    pub(super) output_split_marker: String,
}

/// Say what can be said of rules without IR
///
/// Prints a table: each rule with its root, its benefit and whether it loads; each native that rules call,
/// with its signature and whether it is registered. What is wrong or suspicious is said on standard error.
/// Exit status 1 if there is an error; warnings leave it 0.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm check rules.td -I llvm-project/mlir/include
      Does every rule load, and what does it need?
  drrvm check a.td b.mlir --format json -o report.json
      For a program to read.
  drrvm check rules.td --stubs script -o natives.rhai
      What to fill in, for `drrvm opt --rules rules.td --natives natives.rhai`.")]
pub(super) struct CheckArgs {
    /// Rule files, DRR (.td) or pdl (.mlir), before those of `--rules`
    #[arg(value_name = "RULES")]
    pub(super) inputs: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: ReportFormat,
    /// Print instead, in this language, a stub for each native that is missing
    #[arg(long, value_name = "LANGUAGE", conflicts_with = "format")]
    pub(super) stubs: Option<StubLanguage>,
    /// Write to FILE, whole or not at all
    #[arg(short, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) rules: SourceRuleArgs,
    #[command(flatten)]
    pub(super) natives: NativesArgs,
    #[command(flatten)]
    pub(super) tablegen: TableGenArgs,
    #[command(flatten)]
    pub(super) messages: MessageArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum StubLanguage {
    /// A file that a program includes which links drrvm
    Rust,
    /// A file for `--natives`
    Script,
}

/// Show why rules match, or do not
///
/// For each operation asked about and each rule that could start there: the rule's predicates in the order
/// of its source, with what the input has there, up to the first that does not hold; which rule would fire,
/// and what it would build. Nothing is rewritten.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm explain input.mlir --rules rules.td --at 12
      All rules that could start on line 12.
  drrvm explain input.mlir --rules rules.td --at %sum --rule AddZero
      One rule at the operation that defines %sum.
  drrvm explain input.mlir --rules rules.td --nearest 5
      Which operations come closest to rules that match nowhere.")]
pub(super) struct ExplainArgs {
    /// MLIR file; `-` is standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    pub(super) input: PathBuf,
    /// Explain the operations on this line, of this name, or the one that defines this value; may be repeated
    #[arg(long, value_name = "LINE|%value|op.name", conflicts_with = "nearest", value_parser = parse_at)]
    pub(super) at: Vec<At>,
    /// Explain the N operations that come closest to a rule that matches nowhere [default without --at: 3]
    #[arg(long, value_name = "N")]
    pub(super) nearest: Option<usize>,
    /// Explain only rules of this name or label; other rules still run
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) rule: Vec<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: ReportFormat,
    /// Write to FILE, whole or not at all
    #[arg(short, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) rules: RuleArgs,
    #[command(flatten)]
    pub(super) natives: NativesArgs,
    #[command(flatten)]
    pub(super) tablegen: TableGenArgs,
    #[command(flatten)]
    pub(super) messages: MessageArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Which operations are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// Those whose name is on this line, from 1.
    Line(u32),
    /// The one that defines this value.
    Value(String),
    /// Those of this name.
    Name(String),
}

fn parse_at(text: &str) -> Result<At, String> {
    if text.starts_with('%') && text.len() > 1 {
        // Any result stands for its operation.
        return Ok(At::Value(text.split('#').next().unwrap_or(text).to_owned()));
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        let line = text.parse().ok().filter(|&line| line > 0);
        return line.map(At::Line).ok_or_else(|| format!("no file has a line {text:?}"));
    }
    match text.chars().all(|c| c.is_alphanumeric() || "._$-".contains(c)) {
        true => Ok(At::Name(text.to_owned())),
        false => Err("expected a line number, a value (%name) or the name of an operation".to_owned()),
    }
}

/// Compile rules to a program
///
/// Reads the rule FILES, in this order, and writes one program that needs none of them: `--rules` of the
/// other commands takes it, and `Program::from_bytes` of the library. The natives that the rules call are
/// looked up where the program runs.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm compile rules.td -o rules.drrbc
      The program of one rule file.
  drrvm compile a.td b.mlir --disable AddZero -o all.drrbc
      Of two, without a rule.
  drrvm opt input.mlir --rules all.drrbc
      What it is for.")]
pub(super) struct CompileArgs {
    /// Rule files: DRR (.td) or pdl (.mlir)
    #[arg(required = true, value_name = "FILES")]
    pub(super) files: Vec<PathBuf>,
    /// Write the program to FILE, whole or not at all; `-` is standard output, unless it is a terminal
    #[arg(short, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) select: SelectArgs,
    #[command(flatten)]
    pub(super) tablegen: TableGenArgs,
    #[command(flatten)]
    pub(super) messages: MessageArgs,
}

/// Show what rules cost and do on real input
///
/// Rewrites each INPUT as `opt` does, counts, and throws the result away: operations visited, how often each
/// rule was tried, matched, fired or was undone, which predicates stop the rules that never match, and where
/// the time goes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm profile input.mlir --rules rules.td
      A table of the rules, those that fire most first.
  drrvm profile a.mlir b.mlir --rules rules.td --html profile.html
      Also a page with the decision tree, the rules, and where they fired.")]
pub(super) struct ProfileArgs {
    /// MLIR files; `-` is standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    pub(super) inputs: Vec<PathBuf>,
    /// Write a page to FILE that needs nothing else
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: ReportFormat,
    /// List at most N rules and N nodes of the tree [default: 20]
    #[arg(long, value_name = "N", default_value_t = 20, hide_default_value = true)]
    pub(super) top: usize,
    /// Take the input apart after lines that end in MARKER [default: // -----], treat each part by itself
    #[arg(long, value_name = "MARKER", num_args = 0..=1, require_equals = true, default_missing_value = "// -----")]
    pub(super) split_input_file: Option<String>,
    /// Drop rules whose natives are not registered, with a warning each
    #[arg(long)]
    pub(super) allow_missing_natives: bool,
    /// Write to FILE, whole or not at all
    #[arg(short, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) rules: RuleArgs,
    #[command(flatten)]
    pub(super) natives: NativesArgs,
    #[command(flatten)]
    pub(super) tablegen: TableGenArgs,
    #[command(flatten)]
    pub(super) driver: DriverArgs,
    #[command(flatten)]
    pub(super) messages: MessageArgs,
}

/// Compare two rule sets, or two engines, on random IR
///
/// Makes modules of the operations that both rule sets mention, in which instances of the rules and
/// near-misses are planted, runs both sides, and compares what comes out, up to the names of values, dead code
/// and the order of operations without effects. The first difference is made as small as possible and shown.
/// No difference says something of the rules that fired, and nothing of those listed as never fired.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 no difference, 1 a difference, 2 trouble: nothing or not everything could be compared.

Examples:
  drrvm equiv old.td new.td
      Do both files make the same of 10,000 random modules?
  drrvm equiv rules.td rules.mlir --seconds 60 --jobs 4
      As many modules as a minute allows, on four threads.
  drrvm equiv rules.td --engine automaton,reference --mode match
      Do two engines find the same matches with the same bindings?
  drrvm equiv rules.td --mode semantics
      Do the rules keep what arith operations mean, poison and overflow flags included?"
)]
pub(super) struct EquivArgs {
    /// Rules of the first side, DRR (.td), pdl (.mlir) or compiled (.drrbc); one side has to be source
    #[arg(value_name = "A")]
    pub(super) a: PathBuf,
    /// Rules of the second side; without it, A is compared with itself: two engines, or what it means
    #[arg(value_name = "B")]
    pub(super) b: Option<PathBuf>,
    /// What to compare
    #[arg(long, value_name = "MODE", default_value = "rewrite")]
    pub(super) mode: EquivMode,
    /// How to find the rules that match: one engine for both sides, or one for each
    #[arg(long, value_name = "ENGINE", value_delimiter = ',', num_args = 1, default_value = "tree")]
    pub(super) engine: Vec<EngineChoice>,
    /// Drop rules whose natives are not registered, on both sides, with a warning each
    #[arg(long)]
    pub(super) allow_missing_natives: bool,
    #[command(flatten)]
    pub(super) select: SelectArgs,
    #[command(flatten)]
    pub(super) tablegen: TableGenArgs,
    #[command(flatten)]
    pub(super) effort: EffortArgs,
    #[command(flatten)]
    pub(super) messages: MessageArgs,
}

/// How much is compared.
#[derive(Debug, Args)]
#[command(next_help_heading = "Effort")]
pub(super) struct EffortArgs {
    /// Try N modules [default: 10000, or what --seconds allows]
    #[arg(long, value_name = "N")]
    pub(super) cases: Option<u64>,
    /// Stop after N seconds
    #[arg(long, value_name = "N")]
    pub(super) seconds: Option<u64>,
    /// The seed that all modules follow from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
    /// Use N threads [default: one for each processor]
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<usize>,
    /// After N rewrites of one module, say that the rules do not come to an end
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub(super) max_rewrites: u64,
    /// Write a counterexample and what both sides make of it to DIR
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EquivMode {
    /// The modules both sides arrive at
    Rewrite,
    /// What matches at each operation
    Match,
    /// As rewrite, and whether functions of arith operations mean what they meant
    Semantics,
}

/// Show what a stage makes of rules
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm dump --stage pdl --rules rules.td
      The rules as pdl patterns, which mlir-opt reads.
  drrvm dump --stage tree --rules rules.td
      In which order the compiled matcher asks its questions.
  drrvm dump --stage tree --format dot --rules rules.td | dot -Tsvg -o tree.svg
      The same as a drawing.
  drrvm dump --stage tree --rules rules.td --format html -o tree.html
      The same as a page to unfold and search.")]
pub(super) struct DumpArgs {
    /// Which form to show
    #[arg(long, value_name = "STAGE")]
    pub(super) stage: Stage,
    /// How to show it; all but text are for the tree
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: DumpFormat,
    /// Write to FILE, whole or not at all
    #[arg(short, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) rules: RuleArgs,
    #[command(flatten)]
    pub(super) tablegen: TableGenArgs,
    #[command(flatten)]
    pub(super) messages: MessageArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DumpFormat {
    /// Lines to read
    Text,
    /// Graphviz
    Dot,
    /// A picture
    Svg,
    /// A page to unfold and search, which needs nothing else
    Html,
}

/// Print a script that completes the command line in a shell
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(super) shell: clap_complete::Shell,
}

/// Print a manual page
///
/// `drrvm man | man -l -` shows it.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The page of this subcommand
    #[arg(value_name = "COMMAND")]
    pub(super) command: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Stage {
    /// TableGen's classes and records
    Records,
    /// Operations, as ODS defines them
    Ods,
    /// The form every rule is lowered to
    Pdl,
    /// The decision tree of all rules
    Tree,
    /// The compiled program
    Bytecode,
}

/// Print the records of a TableGen file, as llvm-tblgen does
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm tablegen rules.td
      Classes and records, after all templates and loops are expanded.
  drrvm tablegen Ops.td -I llvm-project/mlir/include
      With MLIR's own headers.")]
pub(super) struct TablegenArgs {
    /// TableGen file; `-` is standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    pub(super) input: PathBuf,
    /// Print the records (the default)
    #[arg(long, conflicts_with_all = ["dump_json", "null_backend"])]
    pub(super) print_records: bool,
    /// Print the records as JSON, as llvm-tblgen does
    #[arg(long, conflicts_with = "null_backend")]
    pub(super) dump_json: bool,
    /// Print nothing
    #[arg(long)]
    pub(super) null_backend: bool,
    /// Do not warn of template arguments that nothing uses
    #[arg(long)]
    pub(super) no_warn_on_unused_template_args: bool,
    /// Write to FILE, whole or not at all
    #[arg(short, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) tablegen: TableGenArgs,
    #[command(flatten)]
    pub(super) messages: MessageArgs,
}

/// List what is understood of dialects and operations, or document them
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm ods Ops.td -I llvm-project/mlir/include
      Operations with operands, attributes, results, traits, and what only C++ knows.
  drrvm ods Ops.td -I llvm-project/mlir/include --markdown --dialect arith
      Reference documentation, as mlir-tblgen -gen-dialect-doc writes it.")]
pub(super) struct OdsArgs {
    /// TableGen file; `-` is standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    pub(super) input: PathBuf,
    /// Write reference documentation in Markdown
    #[arg(long)]
    pub(super) markdown: bool,
    /// Only this dialect [default: those of which INPUT itself defines something]
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Option<String>,
    /// Write to FILE, whole or not at all
    #[arg(short, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) tablegen: TableGenArgs,
    #[command(flatten)]
    pub(super) messages: MessageArgs,
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
