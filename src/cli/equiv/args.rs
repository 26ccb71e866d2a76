//! The options of `drrvm equiv`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::options::{EngineChoice, MessageArgs, NativesArgs, SelectArgs, TableGenArgs};
use crate::cli::proof::ProofArgs;

/// Compare two rule sets, or two engines, on random IR
///
/// Generates random modules from the operations that the rule sets mention, with instances of the rules and with
/// operations that almost match a rule. Rewrites these modules on both sides. Compares the results, except for the
/// names of values, dead code and the order of operations without effects. The first difference is shrunk and printed.
/// If no difference is found, but a rule never fired, the result is not decided, unless `--allow-unfired` accepts this.
/// The report states the reason.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 no difference, 1 a difference, 2 an error, or not decided because not everything could be compared.

Examples:
  drrvm equiv old.td new.td
      Do both files rewrite 10,000 random modules in the same way?
  drrvm equiv rules.td rules.mlir --seconds 60 --jobs 4
      Compare for a minute, with four threads.
  drrvm equiv rules.td --engine automaton,reference --mode match
      Do two engines find the same matches with the same bindings?
  drrvm equiv rules.td --mode semantics
      Do the rules preserve the meaning of arith operations, with poison and overflow flags?
  drrvm equiv old.td new.td --mode semantics
      Do both files preserve the meaning, even if they rewrite modules differently?
  drrvm equiv --prove old.td new.td
      Do rules with the same names give the same results for all integers?
  drrvm equiv --prove old.td new.td --widths 8,64 --solver z3 --timeout 60
      Do these rules give the same results for integers of 8 and 64 bits? Uses z3, which must be on PATH."
)]
pub(in crate::cli) struct EquivArgs {
    /// Rules of the first side, DRR (.td), pdl (.mlir) or compiled (.drrbc)
    #[arg(value_name = "A")]
    pub(super) a: PathBuf,
    /// Rules of the second side. Not needed if --engine names two engines (both then run A), or with --mode semantics
    /// (which then compares modules before and after rewriting with A)
    #[arg(value_name = "B")]
    pub(super) b: Option<PathBuf>,
    /// Compare rewritten modules, matches, or the meaning of functions
    #[arg(long, value_name = "MODE", default_value = "rewrite")]
    pub(super) mode: EquivMode,
    /// Prove that rules of A and B with the same names give the same results for all integers, or show values for which
    /// they differ
    #[arg(long, requires = "b", conflicts_with_all = ["mode", "engine"])]
    pub(super) prove: bool,
    /// The matching engine: one for both sides, or one for each side
    #[arg(long, value_name = "ENGINE", value_delimiter = ',', num_args = 1, default_value = "tree")]
    pub(super) engine: Vec<EngineChoice>,
    /// Leave out, on both sides, rules that call natives that are not registered
    #[arg(long)]
    pub(super) allow_missing_natives: bool,
    /// Accept rules that never fired on random modules, and therefore were not compared
    #[arg(long)]
    pub(super) allow_unfired: bool,
    #[command(flatten)]
    pub(super) natives: NativesArgs,
    #[command(flatten)]
    pub(super) select: SelectArgs,
    #[command(flatten)]
    pub(super) tablegen: TableGenArgs,
    #[command(flatten)]
    pub(super) effort: EffortArgs,
    #[command(flatten)]
    pub(super) proof: ProofArgs,
    #[command(flatten)]
    pub(super) messages: MessageArgs,
}

/// Limits of the comparison.
#[derive(Debug, Args)]
#[command(next_help_heading = "Effort")]
pub(super) struct EffortArgs {
    /// Compare N modules [default: 10000, or as many as --seconds allows]
    #[arg(long, value_name = "N")]
    pub(super) cases: Option<u64>,
    /// Stop after N seconds
    #[arg(long, value_name = "N")]
    pub(super) seconds: Option<u64>,
    /// The seed of the random modules
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
    /// Use N threads [default: the number of processors]
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<NonZeroUsize>,
    /// Stop rewriting a module after N rewrites, and report that the rules do not converge
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub(super) max_rewrites: u64,
    /// Write a counterexample and the results of both sides to DIR
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EquivMode {
    /// The rewritten modules
    Rewrite,
    /// The matches at each operation
    Match,
    /// The meaning of functions with arith operations, before and after rewriting with the rules of either side
    Semantics,
}

impl EquivMode {
    /// The verb in messages about a rule that took part in a comparison.
    pub(super) fn fired(self) -> &'static str {
        match self {
            Self::Match => "matched",
            Self::Rewrite | Self::Semantics => "fired",
        }
    }
}
