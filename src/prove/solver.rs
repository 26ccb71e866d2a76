//! Decides if a term is satisfiable, with the embedded SAT solver or with an SMT solver in a separate process.
//!
//! Specification: the verdict is [`Verdict::Never`] only if simplification or the solver shows that the term is
//! unsatisfiable. [`Solver::decide`] checks the values of [`Verdict::Set`] by evaluation. In all other cases, for
//! example if an answer is not understood, the verdict is [`Verdict::Unknown`].

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use batsat::{Callbacks, Solver as SatSolver, SolverInterface, SolverOpts, lbool};

use super::blast::Blaster;
use super::simplify::Simplified;
use super::smt;
use super::term::{Term, TermId, Terms, VarId};
use crate::id::IdVec;
use crate::number::ApInt;

/// A solver of bit-vector formulas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Solver {
    /// The SAT solver that is part of the library.
    #[default]
    Embedded,
    /// The program `z3`.
    Z3,
    /// The program `bitwuzla`.
    Bitwuzla,
    /// The program `cvc5`.
    Cvc5,
}

impl Solver {
    /// The name of the solver as a value of `--solver`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Z3 => "z3",
            Self::Bitwuzla => "bitwuzla",
            Self::Cvc5 => "cvc5",
        }
    }

    fn args(self) -> &'static [&'static str] {
        match self {
            Self::Embedded => &[],
            Self::Z3 => &["-smt2", "-in"],
            Self::Bitwuzla => &["--lang", "smt2"],
            Self::Cvc5 => &["--lang", "smt2", "-"],
        }
    }

    /// Decides if a term of one bit is satisfiable, within a time limit.
    pub(super) fn decide(self, terms: &Terms, goal: TermId, time: Duration) -> Verdict {
        let simplified = Simplified::new(terms, goal);
        let mut verdict = self.ask(&simplified.terms, simplified.goal, time);
        if let Verdict::Set(values) = &mut verdict {
            simplified.extend(values);
        }
        checked(self, terms, goal, verdict)
    }

    /// Decides as [`Self::decide`] does, but without simplification, and without a check of the values.
    pub(super) fn ask(self, terms: &Terms, goal: TermId, time: Duration) -> Verdict {
        match (terms.truth(goal), self) {
            (Some(false), _) => Verdict::Never,
            (Some(true), _) => {
                Verdict::Set(terms.var_widths().map(|(_, width)| ApInt::zero(width)).collect())
            }
            (None, Self::Embedded) => embedded(terms, goal, time),
            (None, _) => external(self.name(), self.args(), terms, goal, time),
        }
    }
}

/// Evaluates the term with the values of an answer. If the result is 0, the answer becomes [`Verdict::Unknown`].
fn checked(solver: Solver, terms: &Terms, goal: TermId, verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Set(values) if terms.evaluate(goal, &values).is_zero() => {
            Verdict::Unknown(format!("the solver '{}' answered with wrong values", solver.name()))
        }
        verdict => verdict,
    }
}

/// The answer of a solver.
#[derive(Clone, Debug)]
pub(super) enum Verdict {
    /// The term is unsatisfiable: it is 0 for all values of its variables.
    Never,
    /// The term is 1 for these values of its variables.
    Set(IdVec<VarId, ApInt>),
    /// The solver does not decide, for this reason.
    Unknown(String),
}

fn out_of_time(time: Duration) -> Verdict {
    Verdict::Unknown(format!("no answer within {} s", time.as_secs_f32()))
}

struct Deadline(Option<Instant>);

impl Callbacks for Deadline {
    fn stop(&self) -> bool {
        self.0.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

fn embedded(terms: &Terms, goal: TermId, time: Duration) -> Verdict {
    let deadline = Deadline(Instant::now().checked_add(time));
    let mut blaster = Blaster::new(terms, SatSolver::new(SolverOpts::default(), deadline));
    let goal = match blaster.condition(goal) {
        Ok(goal) => goal,
        Err(too_large) => return Verdict::Unknown(too_large.to_string()),
    };
    blaster.solver.add_clause_reuse(&mut vec![goal]);
    match blaster.solver.solve_limited(&[]) {
        answer if answer == lbool::FALSE => Verdict::Never,
        answer if answer == lbool::TRUE => {
            let mut values: IdVec<VarId, ApInt> =
                terms.var_widths().map(|(_, width)| ApInt::zero(width)).collect();
            for id in terms.ids() {
                let (Term::Var(var), Some(word)) = (terms.get(id), blaster.word(id)) else { continue };
                let width = terms.width_of(id);
                let mut value = ApInt::zero(width);
                for (bit, &literal) in (0..).zip(word) {
                    if blaster.solver.value_lit(literal) == lbool::TRUE {
                        value = value.or(&ApInt::one(width).shl(bit));
                    }
                }
                values[*var] = value;
            }
            Verdict::Set(values)
        }
        _ => out_of_time(time),
    }
}

/// The maximum size of an answer in bytes.
const MAX_ANSWER: u64 = 16 << 20;

/// The minimum time for reading the output of a solver that has ended, even if the deadline passes first.
const AFTER_THE_END: Duration = Duration::from_millis(100);

/// Runs a solver that reads SMT-LIB 2 from its standard input.
fn external(program: &str, args: &[&str], terms: &Terms, goal: TermId, time: Duration) -> Verdict {
    let script = smt::script(terms, goal);
    let started = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            return Verdict::Unknown(format!("the solver '{program}' cannot be started: {error}"));
        }
    };
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Verdict::Unknown(format!("the solver '{program}' has no standard streams"));
    };
    // Other threads write the input and read the output, so that a solver that does not read, or writes without end,
    // does not block this thread. These threads are not joined, because a process that the solver starts can keep the
    // streams open after the time limit.
    std::thread::spawn(move || input.write_all(script.as_bytes()));
    let (send, receive) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut answer = Vec::new();
        let _ = output.take(MAX_ANSWER).read_to_end(&mut answer);
        let _ = send.send(String::from_utf8_lossy(&answer).into_owned());
    });
    let deadline = Instant::now().checked_add(time);
    let finished = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if deadline.is_some_and(|deadline| Instant::now() >= deadline) => break None,
            Ok(None) if reader.is_finished() => {
                // The output is closed or too long: nothing more is read.
                break child.kill().and_then(|()| child.wait()).ok();
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            Err(_) => break None,
        }
    };
    if finished.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let left = deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
    let answer = receive.recv_timeout(left.max(AFTER_THE_END));
    let finished = finished.filter(|_| answer.is_ok());
    let answer = answer.unwrap_or_default();
    let (first, rest) = answer.trim_start().split_once(['\n', '\r']).unwrap_or((answer.trim(), ""));
    match (first.trim(), finished) {
        ("unsat", _) => Verdict::Never,
        ("sat", _) => match smt::values(terms, rest) {
            Some(values) => Verdict::Set(values),
            None => Verdict::Unknown(format!("the values that '{program}' answered are not understood")),
        },
        (_, None) => out_of_time(time),
        ("unknown", _) => Verdict::Unknown(format!("the solver '{program}' answered 'unknown'")),
        ("", Some(status)) => {
            Verdict::Unknown(format!("the solver '{program}' ended without an answer: {status}"))
        }
        (other, _) => {
            let start: String = other.chars().take(60).collect();
            Verdict::Unknown(format!("the solver '{program}' answered '{start}' instead of 'sat' or 'unsat'"))
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::semantics::Bits;

    /// The verdict about `x + 1 < 3 * x`, where `x` has eight bits, if a shell script is the solver.
    fn ask(script: &str, seconds: f32) -> Verdict {
        let mut terms = Terms::default();
        let x = terms.var(8);
        let (one, three) = (terms.constant(ApInt::from_u64(8, 1)), terms.constant(ApInt::from_u64(8, 3)));
        let (sum, product) = (terms.add(&x, &one), terms.mul(&x, &three));
        let goal = terms.ult(&sum, &product);
        external("sh", &["-c", script], &terms, goal, Duration::from_secs_f32(seconds))
    }

    fn reason(verdict: Verdict) -> String {
        match verdict {
            Verdict::Unknown(reason) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn solvers_that_misbehave_do_not_decide() {
        for (script, want) in [
            ("cat >/dev/null; echo maybe", "answered 'maybe' instead of 'sat' or 'unsat'"),
            ("exit 3", "ended without an answer: exit status: 3"),
            ("kill -9 $$", "ended without an answer"),
            ("cat >/dev/null; echo sat", "are not understood"),
            ("cat >/dev/null; echo sat; echo '((v0 #x01))) garbage'", "are not understood"),
            ("cat >/dev/null; echo sat; echo '((v7 #x01))'", "are not understood"),
            ("cat >/dev/null; echo sat; echo '((v0 #b111111111))'", "are not understood"),
            ("cat >/dev/null; echo unknown", "answered 'unknown'"),
            ("yes", "answered 'y' instead of"),
        ] {
            let found = reason(ask(script, 30.0));
            assert!(found.contains(want), "{script}: {found}");
        }
        assert_eq!(reason(ask("exec sleep 100", 0.2)), "no answer within 0.2 s");
    }

    /// The process that the script starts keeps the output open.
    #[test]
    fn a_process_that_outlives_the_solver_does_not_extend_the_time() {
        let start = Instant::now();
        for script in ["sleep 40; true", "sleep 40 & exit 0"] {
            assert_eq!(reason(ask(script, 0.2)), "no answer within 0.2 s", "{script}");
        }
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn values_are_read_in_every_notation() {
        for text in ["#b00000010", "#x02", "(_ bv2 8)"] {
            let script = format!("cat >/dev/null; echo sat; echo '((v0 {text}))'");
            let Verdict::Set(values) = ask(&script, 30.0) else { panic!("{text}") };
            assert_eq!(values[VarId::from_raw(0)], ApInt::from_u64(8, 2));
        }
    }

    #[test]
    fn a_solver_that_is_missing_is_named() {
        let (terms, mut other) = (Terms::default(), Terms::default());
        let goal = other.var(1);
        let found = external("no-such-solver", &[], &other, goal, Duration::from_secs(1));
        assert!(
            reason(found).starts_with("the solver 'no-such-solver' cannot be started"),
            "{}",
            terms.vars()
        );
    }

    #[test]
    fn wrong_values_are_rejected() {
        let mut terms = Terms::default();
        let x = terms.var(8);
        let two = terms.constant(ApInt::from_u64(8, 2));
        let goal = terms.eq(&x, &two);
        let wrong: IdVec<VarId, ApInt> = [ApInt::from_u64(8, 3)].into_iter().collect();
        assert!(matches!(checked(Solver::Z3, &terms, goal, Verdict::Set(wrong)), Verdict::Unknown(_)));
    }

    #[test]
    fn the_embedded_solver_stops_in_time() {
        let mut terms = Terms::default();
        let (a, b) = (terms.var(64), terms.var(64));
        let product = terms.mul(&a, &b);
        let prime = terms.constant(ApInt::from_u64(64, 4_611_686_018_427_387_847));
        let half = terms.constant(ApInt::from_u64(64, 1 << 32));
        let goal = [terms.eq(&product, &prime), terms.ult(&a, &half), terms.ult(&b, &half)];
        let goal = goal.into_iter().reduce(|all, one| terms.and(&all, &one)).expect("three conditions");
        let start = Instant::now();
        let verdict = Solver::Embedded.decide(&terms, goal, Duration::from_millis(300));
        assert!(reason(verdict).contains("no answer within"));
        assert!(start.elapsed() < Duration::from_secs(60));
    }
}
