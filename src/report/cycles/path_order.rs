//! An order of terms by the nesting of operations.
//!
//! Specification: the multiset path order (Dershowitz, "Orderings for term-rewriting systems", 1982). A precedence of
//! names determines the order. The order is well-founded, and a term becomes smaller when one of its parts becomes
//! smaller. A term is greater than its parts, and than a term of the same name with smaller operands. It is greater
//! than a term of a lower name if it is greater than each operand of that term.
//!
//! Method: the precedence is empty at first. If a comparison needs one name to be above another, it adds this pair to
//! the precedence, unless the opposite pair is known. A comparison that holds without an addition adds nothing.

use std::rc::Rc;

use crate::intern::StrId;
use crate::pdl::NodeId;

/// The name of an operation in a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Name(StrId),
    /// The unknown name of the operation that a node matches.
    Any(NodeId),
}

/// A value with the operations that define it, as far as a rule states them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term {
    /// A value.
    Variable(NodeId),
    /// A range of values, which can be empty.
    Range(NodeId),
    Op(Symbol, Vec<Rc<Term>>),
}

/// The maximum number of recursive comparisons by one [`PathOrder`].
const LIMIT: u32 = 20_000;

/// The order, with the precedence that the comparisons so far require.
#[derive(Default)]
pub(super) struct PathOrder {
    /// Pairs of a name and a name directly below it.
    above: Vec<(StrId, StrId)>,
    comparisons: u32,
    /// True while the precedence must not change.
    is_fixed: bool,
}

impl PathOrder {
    /// True if the terms differ at most in the order of operands.
    pub(super) fn equal(&mut self, a: &Term, b: &Term) -> bool {
        match (a, b) {
            (Term::Op(f, of_a), Term::Op(g, of_b)) if f == g && of_a.len() == of_b.len() => {
                let (rest_a, _) = self.without_common(of_a, of_b);
                rest_a.is_empty()
            }
            _ => a == b,
        }
    }

    /// True if `a` is greater than `b`, for all values of the variables.
    pub(super) fn greater(&mut self, a: &Term, b: &Term) -> bool {
        self.is_fixed = true;
        let is_greater = self.is_greater(a, b);
        self.is_fixed = false;
        is_greater || self.is_greater(a, b)
    }

    fn is_greater(&mut self, a: &Term, b: &Term) -> bool {
        self.comparisons += 1;
        let Term::Op(f, of_a) = a else { return false };
        if self.comparisons > LIMIT {
            return false;
        }
        let known = self.above.len();
        for part in of_a {
            if self.equal(part, b) || self.is_greater(part, b) {
                return true;
            }
            self.above.truncate(known);
        }
        let Term::Op(g, of_b) = b else { return false };
        let is_greater = if f == g {
            let (rest_a, rest_b) = self.without_common(of_a, of_b);
            // Ranges can be empty, so a term with an additional range is not greater.
            rest_a.iter().any(|&a| !matches!(*of_a[a], Term::Range(_)))
                && rest_b.iter().all(|&b| rest_a.iter().any(|&a| self.is_greater(&of_a[a], &of_b[b])))
        } else {
            self.is_above(*f, *g) && of_b.iter().all(|part| self.is_greater(a, part))
        };
        if !is_greater {
            self.above.truncate(known);
        }
        is_greater
    }

    /// The indices of the operands in both lists that are left after equal operands are removed in pairs.
    fn without_common(&mut self, a: &[Rc<Term>], b: &[Rc<Term>]) -> (Vec<usize>, Vec<usize>) {
        let mut rest_b: Vec<usize> = (0..b.len()).collect();
        let rest_a = (0..a.len()).filter(|&index| {
            let found = rest_b.iter().position(|&other| self.equal(&a[index], &b[other]));
            found.map(|at| rest_b.remove(at)).is_none()
        });
        let rest_a = rest_a.collect();
        (rest_a, rest_b)
    }

    /// True if a name is above another name. If the precedence does not order the two names, adds the pair, unless the
    /// precedence is fixed.
    fn is_above(&mut self, f: Symbol, g: Symbol) -> bool {
        let (Symbol::Name(f), Symbol::Name(g)) = (f, g) else { return false };
        if self.is_known_above(g, f) {
            return false;
        }
        if self.is_known_above(f, g) {
            return true;
        }
        if !self.is_fixed {
            self.above.push((f, g));
        }
        !self.is_fixed
    }

    fn is_known_above(&self, f: StrId, g: StrId) -> bool {
        let (mut reached, mut next) = (vec![f], 0);
        while let Some(&name) = reached.get(next) {
            next += 1;
            for &(upper, lower) in &self.above {
                if upper == name && lower == g {
                    return true;
                }
                if upper == name && !reached.contains(&lower) {
                    reached.push(lower);
                }
            }
        }
        false
    }
}
