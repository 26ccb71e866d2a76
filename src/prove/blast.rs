//! Terms as circuits of gates, for the embedded SAT solver.
//!
//! Specification: an assignment of values to all literals satisfies the clauses if and only if every gate has the value
//! of its operation.
//!
//! Equal gates are built once. The circuits are the usual ones: ripple-carry adders, shift-and-add multipliers,
//! restoring dividers and barrel shifters.

use batsat::{Lit, SolverInterface, Var};
use hashbrown::HashMap;

use super::term::{Term, TermId, Terms};
use crate::number::ApInt;

/// The largest number of gates of a query. A gate needs about 100 bytes.
const MAX_GATES: usize = 4_000_000;

/// The error for a formula that needs more than [`MAX_GATES`] gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the formula needs more than {MAX_GATES} gates")
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
}

/// The bits of a term, lowest first.
type Word = Vec<Lit>;

/// A translation from terms to the clauses of a solver.
pub(super) struct Blaster<'a, S> {
    terms: &'a Terms,
    pub(super) solver: S,
    /// A literal that is always true.
    always_true: Lit,
    gates: HashMap<Gate, Lit>,
    words: HashMap<TermId, Word>,
    /// The quotient and the remainder of each division.
    divisions: HashMap<(TermId, TermId), (Word, Word)>,
}

impl<'a, S: SolverInterface> Blaster<'a, S> {
    pub(super) fn new(terms: &'a Terms, mut solver: S) -> Self {
        let always_true = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![always_true]);
        Self {
            terms,
            solver,
            always_true,
            gates: HashMap::new(),
            words: HashMap::new(),
            divisions: HashMap::new(),
        }
    }

    /// The literal of a term of one bit.
    pub(super) fn condition(&mut self, id: TermId) -> Result<Lit, TooLarge> {
        for id in self.terms.reachable(&[id]) {
            if !self.words.contains_key(&id) {
                let word = self.term(id)?;
                debug_assert_eq!(word.len() as u64, u64::from(self.terms.width_of(id)));
                self.words.insert(id, word);
            }
        }
        Ok(self.words[&id][0])
    }

    /// The literals for the bits of a term; `None` if no translated condition contains the term.
    pub(super) fn word(&self, id: TermId) -> Option<&[Lit]> {
        self.words.get(&id).map(Vec::as_slice)
    }

    fn clause(&mut self, mut literals: Vec<Lit>) {
        self.solver.add_clause_reuse(&mut literals);
    }

    fn constant(&self, value: bool) -> Lit {
        if value { self.always_true } else { !self.always_true }
    }

    fn known(&self, a: Lit) -> Option<bool> {
        if a == self.always_true {
            Some(true)
        } else if a == !self.always_true {
            Some(false)
        } else {
            None
        }
    }

    fn fresh(&mut self) -> Lit {
        let var: Var = self.solver.new_var_default();
        Lit::new(var, true)
    }

    fn and(&mut self, a: Lit, b: Lit) -> Result<Lit, TooLarge> {
        match (self.known(a), self.known(b)) {
            (Some(false), _) | (_, Some(false)) => return Ok(!self.always_true),
            (Some(true), _) => return Ok(b),
            (_, Some(true)) => return Ok(a),
            _ if a == b => return Ok(a),
            _ if a == !b => return Ok(!self.always_true),
            _ => {}
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if let Some(&gate) = self.gates.get(&Gate::And(a, b)) {
            return Ok(gate);
        }
        let gate = self.fresh();
        self.clause(vec![!gate, a]);
        self.clause(vec![!gate, b]);
        self.clause(vec![gate, !a, !b]);
        self.add_gate(Gate::And(a, b), gate)
    }

    fn add_gate(&mut self, key: Gate, gate: Lit) -> Result<Lit, TooLarge> {
        if self.gates.len() == MAX_GATES {
            return Err(TooLarge);
        }
        self.gates.insert(key, gate);
        Ok(gate)
    }

    fn or(&mut self, a: Lit, b: Lit) -> Result<Lit, TooLarge> {
        self.and(!a, !b).map(|neither| !neither)
    }

    fn xor(&mut self, a: Lit, b: Lit) -> Result<Lit, TooLarge> {
        match (self.known(a), self.known(b)) {
            (Some(a), _) => return Ok(if a { !b } else { b }),
            (_, Some(b)) => return Ok(if b { !a } else { a }),
            _ if a == b => return Ok(!self.always_true),
            _ if a == !b => return Ok(self.always_true),
            _ => {}
        }
        // XOR gates are stored for positive literals, because a negated input only negates the output.
        let alike = a.sign() == b.sign();
        let (a, b) = (Lit::new(a.var(), true), Lit::new(b.var(), true));
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let gate = match self.gates.get(&Gate::Xor(a, b)) {
            Some(&gate) => gate,
            None => {
                let gate = self.fresh();
                self.clause(vec![!gate, a, b]);
                self.clause(vec![!gate, !a, !b]);
                self.clause(vec![gate, !a, b]);
                self.clause(vec![gate, a, !b]);
                self.add_gate(Gate::Xor(a, b), gate)?
            }
        };
        Ok(if alike { gate } else { !gate })
    }

    fn mux(&mut self, condition: Lit, a: Lit, b: Lit) -> Result<Lit, TooLarge> {
        if a == b {
            return Ok(a);
        }
        let differ = self.xor(a, b)?;
        let taken = self.and(condition, differ)?;
        self.xor(b, taken)
    }

    fn mux_words(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Result<Word, TooLarge> {
        a.iter().zip(b).map(|(&a, &b)| self.mux(condition, a, b)).collect()
    }

    /// The sum and the last carry.
    fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Result<(Word, Lit), TooLarge> {
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b)?;
            sum.push(self.xor(differ, carry)?);
            carry = {
                let (both, through) = (self.and(a, b)?, self.and(differ, carry)?);
                self.or(both, through)?
            };
        }
        Ok((sum, carry))
    }

    /// The difference, and a literal that is true if `a` is at least `b`.
    fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> Result<(Word, Lit), TooLarge> {
        let inverted: Word = b.iter().map(|&b| !b).collect();
        self.add(a, &inverted, self.always_true)
    }

    fn constant_word(&self, value: &ApInt) -> Word {
        (0..value.width()).map(|bit| self.constant(value.bit(bit))).collect()
    }

    fn shifted(&self, a: &[Lit], by: usize) -> Word {
        let zeros = std::iter::repeat_n(!self.always_true, by.min(a.len()));
        zeros.chain(a.iter().copied()).take(a.len()).collect()
    }

    fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Result<Word, TooLarge> {
        let mut sum: Word = vec![!self.always_true; a.len()];
        for (at, &bit) in b.iter().enumerate() {
            if self.known(bit) == Some(false) {
                continue;
            }
            let shifted = self.shifted(a, at);
            let part: Word = shifted.iter().map(|&a| self.and(a, bit)).collect::<Result<_, _>>()?;
            sum = self.add(&sum, &part, !self.always_true)?.0;
        }
        Ok(sum)
    }

    /// The quotient and the remainder of a restoring division. If the divisor is zero, all bits of the quotient are
    /// set, and the remainder is the dividend.
    fn divide(&mut self, a: &[Lit], b: &[Lit]) -> Result<(Word, Word), TooLarge> {
        let zero = !self.always_true;
        let divisor: Word = b.iter().copied().chain([zero]).collect();
        let mut remainder: Word = vec![zero; divisor.len()];
        let mut quotient: Word = vec![zero; a.len()];
        for (at, &bit) in a.iter().enumerate().rev() {
            remainder.pop();
            remainder.insert(0, bit);
            let (difference, fits) = self.subtract(&remainder, &divisor)?;
            quotient[at] = fits;
            remainder = self.mux_words(fits, &difference, &remainder)?;
        }
        remainder.pop();
        Ok((quotient, remainder))
    }

    /// Shifts to the left, or to the right if `right` is true. The vacated bits become `fill`.
    fn shift(&mut self, a: &[Lit], by: &[Lit], right: bool, fill: Lit) -> Result<Word, TooLarge> {
        let mut word = a.to_vec();
        let mut beyond = !self.always_true;
        for (stage, &bit) in by.iter().enumerate() {
            let distance = u32::try_from(stage).ok().and_then(|stage| 1_usize.checked_shl(stage));
            match distance.filter(|distance| *distance < a.len()) {
                None => beyond = self.or(beyond, bit)?,
                Some(distance) => {
                    let fills = std::iter::repeat_n(fill, distance);
                    let moved: Word = if right {
                        word[distance..].iter().copied().chain(fills).collect()
                    } else {
                        fills.chain(word.iter().copied()).take(word.len()).collect()
                    };
                    word = self.mux_words(bit, &moved, &word)?;
                }
            }
        }
        let filled = vec![fill; a.len()];
        self.mux_words(beyond, &filled, &word)
    }

    fn term(&mut self, id: TermId) -> Result<Word, TooLarge> {
        let terms = self.terms;
        let width = terms.width_of(id) as usize;
        let get = |this: &Self, id: &TermId| this.words[id].clone();
        Ok(match terms.get(id) {
            Term::Const(value) => self.constant_word(value),
            Term::Var(_) => (0..width).map(|_| self.fresh()).collect(),
            Term::Sum(constant, parts) => {
                let mut sum = self.constant_word(constant);
                for (part, coefficient) in parts {
                    let word = get(self, part);
                    let negated = coefficient.wrapping_neg();
                    let ones = |x: &ApInt| (0..x.width()).filter(|&bit| x.bit(bit)).count();
                    let (factor, subtract) = match ones(&negated) < ones(coefficient) {
                        true => (&negated, true),
                        false => (coefficient, false),
                    };
                    for bit in (0..factor.width()).filter(|&bit| factor.bit(bit)) {
                        let shifted = self.shifted(&word, bit as usize);
                        sum = match subtract {
                            true => self.subtract(&sum, &shifted)?.0,
                            false => self.add(&sum, &shifted, !self.always_true)?.0,
                        };
                    }
                }
                sum
            }
            Term::Product(factors) => {
                let mut product = get(self, &factors[0]);
                for factor in &factors[1..] {
                    let factor = get(self, factor);
                    product = self.multiply(&product, &factor)?;
                }
                product
            }
            Term::Udiv(a, b) | Term::Urem(a, b) => {
                let both = match self.divisions.get(&(*a, *b)) {
                    Some(both) => both.clone(),
                    None => {
                        let both = self.divide(&get(self, a), &get(self, b))?;
                        self.divisions.insert((*a, *b), both.clone());
                        both
                    }
                };
                if matches!(terms.get(id), Term::Udiv(..)) { both.0 } else { both.1 }
            }
            Term::And(constant, parts) => {
                let mut all = self.constant_word(constant);
                for part in parts {
                    let word = get(self, part);
                    all = all.iter().zip(&word).map(|(&a, &b)| self.and(a, b)).collect::<Result<_, _>>()?;
                }
                all
            }
            Term::Xor(constant, parts) => {
                let mut all = self.constant_word(constant);
                for part in parts {
                    let word = get(self, part);
                    all = all.iter().zip(&word).map(|(&a, &b)| self.xor(a, b)).collect::<Result<_, _>>()?;
                }
                all
            }
            Term::Shl(a, b) => self.shift(&get(self, a), &get(self, b), false, !self.always_true)?,
            Term::Lshr(a, b) => self.shift(&get(self, a), &get(self, b), true, !self.always_true)?,
            Term::Ashr(a, b) => {
                let word = get(self, a);
                self.shift(&word, &get(self, b), true, word[word.len() - 1])?
            }
            Term::Eq(a, b) => {
                let (a, b) = (get(self, a), get(self, b));
                let mut equal = self.always_true;
                for (&a, &b) in a.iter().zip(&b) {
                    let differ = self.xor(a, b)?;
                    equal = self.and(equal, !differ)?;
                }
                vec![equal]
            }
            Term::Ult(a, b) => {
                let (_, at_least) = self.subtract(&get(self, a), &get(self, b))?;
                vec![!at_least]
            }
            Term::Select(condition, a, b) => {
                let condition = self.words[condition][0];
                self.mux_words(condition, &get(self, a), &get(self, b))?
            }
            Term::Zext(a) => {
                let mut word = get(self, a);
                word.resize(width, !self.always_true);
                word
            }
            Term::Sext(a) => {
                let mut word = get(self, a);
                word.resize(width, word[word.len() - 1]);
                word
            }
            Term::Trunc(a) => get(self, a)[..width].to_vec(),
        })
    }
}
