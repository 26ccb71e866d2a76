//! Simplification of a condition by the equations and facts that it states.
//!
//! Specification: the simplified condition is satisfiable if and only if the original condition is.
//! [`Simplified::extend`] turns values that satisfy the simplified condition into values that satisfy the original
//! condition.
//!
//! Method: a condition is a conjunction. A conjunct that can be solved for a variable defines the variable, for example
//! `x = a + b`. The value of the variable then replaces the variable everywhere. Every other conjunct is a fact: inside
//! the other conjuncts, true replaces it, and false replaces its complement. Both steps are repeated until nothing
//! changes, at most [`MAX_ROUNDS`] times.

use hashbrown::HashMap;

use super::term::{Term, TermId, Terms, VarId};
use crate::id::IdVec;
use crate::number::ApInt;
use crate::semantics::Bits;

/// The maximum number of times that both steps are repeated.
const MAX_ROUNDS: usize = 50;
/// The number of terms at which the replacement of variables stops.
const MAX_TERMS: usize = 200_000;

/// A simplified condition.
#[derive(Debug)]
pub(super) struct Simplified {
    pub(super) terms: Terms,
    pub(super) goal: TermId,
    /// The variables that were replaced, in order, with their values. A value contains no variable that was replaced
    /// before.
    definitions: Vec<(VarId, TermId)>,
}

impl Simplified {
    pub(super) fn new(terms: &Terms, goal: TermId) -> Self {
        let mut simplified = Self { terms: terms.clone(), goal, definitions: Vec::new() };
        for _ in 0..MAX_ROUNDS {
            let before = simplified.goal;
            simplified.replace_variables();
            simplified.apply_facts();
            if simplified.goal == before {
                break;
            }
        }
        simplified
    }

    /// Gives values to the variables that were replaced.
    pub(super) fn extend(&self, values: &mut IdVec<VarId, ApInt>) {
        for (var, value) in self.definitions.iter().rev() {
            values[*var] = self.terms.evaluate(*value, values);
        }
    }

    /// Replaces variables by the values that equations give them.
    fn replace_variables(&mut self) {
        while self.terms.ids().len() < MAX_TERMS {
            let found = conjuncts(&self.terms, self.goal).into_iter().find_map(|part| self.definition(part));
            let Some((var, value)) = found else { return };
            let Term::Var(id) = *self.terms.get(var) else { return };
            self.definitions.push((id, value));
            self.goal = replace(&mut self.terms, self.goal, &HashMap::from_iter([(var, value)]));
        }
    }

    /// The variable and the value that a conjunct equates.
    fn definition(&mut self, conjunct: TermId) -> Option<(TermId, TermId)> {
        match self.terms.get(conjunct).clone() {
            Term::Var(_) => Some((conjunct, self.terms.boolean(true))),
            Term::Eq(a, b) => self.terms.solved(a, b),
            // The exclusive disjunction is true. So an operand is true if and only if the exclusive disjunction of the
            // constant and the other operands is false.
            Term::Xor(constant, parts) => {
                let var = parts.iter().copied().find(|&part| {
                    let rest: Vec<TermId> = parts.iter().copied().filter(|other| *other != part).collect();
                    matches!(self.terms.get(part), Term::Var(_)) && !self.terms.contain(&rest, part)
                })?;
                let rest = parts.into_iter().filter(|part| *part != var);
                let start = self.terms.constant(constant.not());
                Some((var, rest.fold(start, |sum, part| self.terms.xor(&sum, &part))))
            }
            _ => None,
        }
    }

    /// Replaces each conjunct by true, and its complement by false, inside the other conjuncts.
    fn apply_facts(&mut self) {
        if self.terms.truth(self.goal).is_some() {
            return;
        }
        let parts = conjuncts(&self.terms, self.goal);
        let facts: Vec<(TermId, TermId)> = parts
            .iter()
            .map(|&part| match self.terms.complemented(part) {
                Some(inner) => (inner, self.terms.boolean(false)),
                None => (part, self.terms.boolean(true)),
            })
            .collect();
        let mut goal = self.terms.boolean(true);
        for (part, (fact, _)) in parts.iter().zip(&facts) {
            // A term contains only terms with smaller ids, so no two conjuncts are replaced inside each other.
            let others = facts.iter().filter(|(other, _)| other != fact).copied().collect();
            let part = replace(&mut self.terms, *part, &others);
            goal = self.terms.and(&goal, &part);
        }
        self.goal = goal;
    }
}

/// The operands of a conjunction, or the condition itself if it is not a conjunction.
fn conjuncts(terms: &Terms, goal: TermId) -> Vec<TermId> {
    match terms.get(goal) {
        Term::And(_, parts) => parts.clone(),
        _ => vec![goal],
    }
}

/// Returns `root` after each term that is a key of `by` is replaced by the value of the key.
fn replace(terms: &mut Terms, root: TermId, by: &HashMap<TermId, TermId>) -> TermId {
    let mut new: HashMap<TermId, TermId> = HashMap::new();
    for id in terms.reachable(&[root]) {
        let to = match by.get(&id) {
            Some(&to) => to,
            None => terms.rebuilt(id, |operand| new[&operand]),
        };
        new.insert(id, to);
    }
    new[&root]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equivalence::Random;
    use crate::test_seed::seed;

    /// A random condition over two variables of three bits and two variables of one bit.
    fn condition(terms: &mut Terms, random: &mut Random) -> TermId {
        let mut words: Vec<TermId> = vec![terms.var(3), terms.var(3)];
        let mut bits: Vec<TermId> = vec![terms.var(1), terms.var(1)];
        for _ in 0..12 {
            let (a, b) = (words[random.below(words.len())], words[random.below(words.len())]);
            let (p, q) = (bits[random.below(bits.len())], bits[random.below(bits.len())]);
            let constant = terms.constant(ApInt::from_u64(3, random.number() & 7));
            let wide = terms.zext_or_trunc(&a, 5);
            match random.below(12) {
                0 => words.push(terms.add(&a, &b)),
                1 => words.push(terms.mul(&a, &constant)),
                2 => words.push(terms.sub(&a, &constant)),
                3 => words.push(terms.select(&p, &a, &b)),
                4 => words.push(terms.xor(&a, &b)),
                5 => bits.push(terms.ult(&a, &b)),
                6 => bits.push(terms.eq(&a, &b)),
                7 => bits.push(terms.eq(&a, &constant)),
                8 => {
                    let other = terms.sext_or_trunc(&b, 5);
                    bits.push(terms.eq(&wide, &other));
                }
                9 => bits.push(terms.not(&p)),
                10 => bits.push(terms.or(&p, &q)),
                _ => bits.push(terms.xor(&p, &q)),
            }
        }
        (0..4).fold(terms.boolean(true), |all, _| {
            let bit = bits[random.below(bits.len())];
            terms.and(&all, &bit)
        })
    }

    /// The oracle is evaluation for all values.
    #[test]
    fn a_simplified_condition_is_satisfiable_exactly_if_the_original_is() {
        let random = Random::new(seed());
        let (mut solvable, mut replaced) = (0, 0);
        for case in 0..400 {
            let mut terms = Terms::default();
            let goal = condition(&mut terms, &mut random.fork(case));
            let simplified = Simplified::new(&terms, goal);
            replaced += simplified.definitions.len();
            let all = (0..256_u64).map(|number| -> IdVec<VarId, ApInt> {
                let parts = [(3, number), (3, number >> 3), (1, number >> 6), (1, number >> 7)];
                parts
                    .into_iter()
                    .map(|(width, part)| ApInt::from_u64(width, part & ((1 << width) - 1)))
                    .collect()
            });
            let mut before = false;
            let mut after = false;
            for mut values in all {
                before |= !terms.evaluate(goal, &values).is_zero();
                if !simplified.terms.evaluate(simplified.goal, &values).is_zero() {
                    after = true;
                    simplified.extend(&mut values);
                    assert!(!terms.evaluate(goal, &values).is_zero(), "case {case}: {values:?}");
                }
            }
            assert_eq!(before, after, "case {case}");
            solvable += usize::from(before);
        }
        assert!(solvable > 40 && solvable < 400 && replaced > 100, "{solvable} {replaced}");
    }

    #[test]
    fn an_equation_with_a_constant_decides() {
        let mut terms = Terms::default();
        let (x, c) = (terms.var(64), terms.var(64));
        let minus_one = terms.constant(ApInt::all_ones(64));
        let is = terms.eq(&c, &minus_one);
        let (product, negated) = (terms.mul(&x, &c), terms.neg(&x));
        let differ = terms.ne(&product, &negated);
        let goal = terms.and(&is, &differ);
        let simplified = Simplified::new(&terms, goal);
        assert_eq!(simplified.terms.truth(simplified.goal), Some(false));
    }
}
