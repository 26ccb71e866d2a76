//! The options of the commands that prove rules, and the operations that rule files describe.

use std::path::Path;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::error;
use super::exit::Failed;
use super::options::TableGenArgs;
use super::session::Session;
use crate::compile;
use crate::prove::{Operations, Options, Solver};
use crate::source::Diagnostics;

/// Options of a proof.
#[derive(Debug, Args)]
#[command(next_help_heading = "Proofs")]
pub(super) struct ProofArgs {
    /// The widths of integers [default: 1,8,16,32,64]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=MAX_WIDTH))]
    widths: Vec<u32>,
    /// The time limit for one query to the solver, in seconds [default: 10]
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    timeout: Option<Duration>,
    /// The solver [default: embedded]
    #[arg(long, value_name = "SOLVER")]
    solver: Option<SolverChoice>,
}

/// The largest width that the command takes. Formulas for wider integers rarely fit in memory.
const MAX_WIDTH: i64 = 1024;

fn parse_seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e6 => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("expected a number of seconds between 0 and 1000000".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SolverChoice {
    /// The SAT solver of this program
    Embedded,
    /// The program `z3`
    Z3,
    /// The program `bitwuzla`
    Bitwuzla,
    /// The program `cvc5`
    Cvc5,
}

impl ProofArgs {
    /// The name of the first of these options that the command line contains.
    pub(super) fn first_used(&self) -> Option<&'static str> {
        let options = [
            (!self.widths.is_empty(), "--widths"),
            (self.timeout.is_some(), "--timeout"),
            (self.solver.is_some(), "--solver"),
        ];
        options.into_iter().find_map(|(is_used, name)| is_used.then_some(name))
    }

    /// Converts these options to those of `crate::prove`.
    pub(super) fn options(&self) -> Options {
        let mut options = Options::default();
        if !self.widths.is_empty() {
            let mut widths = self.widths.clone();
            widths.sort_unstable();
            widths.dedup();
            options = options.widths(widths);
        }
        if let Some(time) = self.timeout {
            options = options.timeout(time);
        }
        match self.solver {
            None => options,
            Some(SolverChoice::Embedded) => options.solver(Solver::Embedded),
            Some(SolverChoice::Z3) => options.solver(Solver::Z3),
            Some(SolverChoice::Bitwuzla) => options.solver(Solver::Bitwuzla),
            Some(SolverChoice::Cvc5) => options.solver(Solver::Cvc5),
        }
    }
}

/// The class of the records that describe operations, and the field that holds the description.
const MEANING_CLASS: &str = "OperationMeaning";
const MEANING_FIELD: &str = "meaning";

/// The operations that records of the rule files describe.
pub(super) fn described_operations<'a>(
    files: impl IntoIterator<Item = &'a Path>,
    tablegen: &TableGenArgs,
    session: &mut Session,
) -> Result<Operations, Failed> {
    let mut operations = Operations::default();
    let mut errors = Diagnostics::default();
    for path in files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "td")) {
        let parsed =
            compile::records(&mut session.sources, path, &tablegen.options()).map_err(|e| session.fail(e))?;
        for id in parsed.records.derived_definitions(MEANING_CLASS) {
            let record = parsed.records.record(id);
            let defined = match record.string_field(MEANING_FIELD) {
                Ok(text) => match operations.other_meaning(text) {
                    Some(other) => Err(format!("the operation has another meaning already: {other}")),
                    None => operations.define(text),
                },
                Err(_) => Err(format!("the record has no string '{MEANING_FIELD}'")),
            };
            if let Err(reason) = defined {
                errors.push(error::bad_meaning(record.span(), &reason));
            }
        }
    }
    session.report(errors)?;
    Ok(operations)
}
