//! Proofs for all widths at once.
//!
//! Specification: [`is_right`] is true only if the rule is right for integers of each width from
//! [`LEAST_GENERIC`](Terms::LEAST_GENERIC) on.
//!
//! Method: the rule is executed with terms of one large width, which stands for every width *w*, and the condition "the
//! rule is wrong" must become false by simplification alone. Each term stands for a term of width *w* with the same
//! operations. A constant stands for the constant with the same low bits, the same sign, and copies of one bit between
//! them. By induction over the construction, each new term stands for the result of its operation at every width,
//! because
//!
//! - each law that simplifies terms is valid for every width;
//! - the constants of this form are the numbers *a* + *b*·2^(*w*-1) with a small *a*, and 2·2^(*w*-1) is 0 at every
//!   width. So if a sum, product or bitwise operation of such constants gives a constant of this form again, *a* and
//!   *b* of the result are the same at every width. A comparison of such constants has the same answer at every width;
//! - extensions to the double width and truncations from the double width stand for conversions between *w* and 2*w*.
//!
//! Everything else is recorded with [`depends_on`](Terms::depends_on), and then the proof fails: other constants, such
//! as the width itself in the bound of a shift; folded shifts and divisions; conversions to and from machine integers;
//! C++ code that reads or compares a width; and comparisons of two types that differ. A rule with several types of
//! integers, or with casts, is not tried.

use super::execute::{Setting, execute};
use super::shape::shapes;
use super::simplify::Simplified;
use super::term::Terms;
use super::value::Ty;
use crate::ir::{Context, IrHost, Module};
use crate::pdl::{Pattern, RuleSet};
use crate::semantics::Operations;
use crate::snippet::Linked;

/// True if one proof shows that a rule is right for all but the smallest widths.
pub(super) fn is_right(rules: &RuleSet, pattern: &Pattern, operations: &Operations) -> bool {
    let Ok(mut shapes) = shapes(rules, pattern, operations) else { return false };
    let mut context = Context::new();
    let module = Module::new(&mut context);
    let mut host = IrHost::new(context, module);
    let linked = Linked::link(rules.snippets(), &mut host, &crate::natives::all());
    let mut setting = Setting { rules, linked: &linked, host: &mut host, index_width: 64, operations };
    shapes.iter_mut().all(|shape| {
        shape.bind_results(&pattern.matcher);
        let Some(assignments) = shape.assignments(&[Terms::ANY_WIDTH]).filter(|_| shape.has_one_type())
        else {
            return false;
        };
        assignments.iter().filter(|types| !types.contains(&Ty::Index)).all(|types| {
            let Ok(Some(query)) = execute(&mut setting, pattern, shape, types) else { return false };
            // If the rule cannot match at the generic width, the proof says nothing about other widths.
            let matches = query.state.terms.truth(query.matches) != Some(false);
            let Simplified { terms, goal, .. } = Simplified::new(&query.state.terms, query.goal);
            matches && terms.truth(goal) == Some(false) && terms.holds_for_any_width()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equivalence::Random;
    use crate::number::ApInt;
    use crate::semantics::{Bits, Concrete};
    use crate::test_seed::seed;

    const WIDTH: u32 = Terms::ANY_WIDTH;

    /// A random condition over two operands, with small constants and the smallest signed number.
    fn condition<D: Bits>(d: &mut D, mut words: Vec<D::Value>, random: &mut Random) -> D::Value {
        let width = d.width(&words[0]);
        let mut bit = d.boolean(true);
        for _ in 0..6 {
            let (a, b) = (random.below(words.len()), random.below(words.len()));
            let (a, b) = (words[a].clone(), words[b].clone());
            let small = i64::try_from(random.below(41)).expect("small") - 20;
            let value =
                if random.percent(20) { ApInt::min_signed(width) } else { ApInt::from_i64(width, small) };
            let constant = d.constant(value);
            let extend = |d: &mut D, x: &D::Value, signed: bool| match signed {
                true => d.sext_or_trunc(x, 2 * width),
                false => d.zext_or_trunc(x, 2 * width),
            };
            let (first, second) = (random.percent(50), random.percent(50));
            words.push(match random.below(14) {
                0 => d.add(&a, &b),
                1 => d.sub(&a, &constant),
                2 => d.mul(&a, &constant),
                3 => d.and(&a, &constant),
                4 => d.xor(&a, &constant),
                5 => d.or(&a, &b),
                6 => d.select(&bit, &a, &b),
                7 => d.shl(&a, &constant),
                8 => d.lshr(&a, &constant),
                9 => d.ashr(&constant, &constant),
                10 => d.udiv(&constant, &constant),
                11 => {
                    let (x, y) = (extend(d, &a, first), extend(d, &constant, second));
                    let product = d.mul(&x, &y);
                    let sum = d.add(&product, &y);
                    let (less, low) = (d.ult(&product, &sum), d.zext_or_trunc(&sum, width));
                    d.select(&less, &low, &a)
                }
                12 => {
                    let (x, y) = (extend(d, &a, first), extend(d, &constant, second));
                    let equal = d.eq(&x, &y);
                    d.zext_or_trunc(&equal, width)
                }
                _ => constant.clone(),
            });
            let last = words[words.len() - 1].clone();
            bit = match random.below(4) {
                0 => d.eq(&last, &constant),
                1 => d.ult(&last, &constant),
                2 => d.slt(&a, &last),
                _ => d.ne(&a, &last),
            };
        }
        bit
    }

    /// The oracle is arithmetic at each width.
    #[test]
    fn a_condition_decided_for_any_width_has_the_decided_value_at_each_width() {
        let random = Random::new(seed());
        let mut decided = 0;
        for case in 0..1500 {
            let mut terms = Terms::for_any_width();
            let words = vec![terms.var(WIDTH), terms.var(WIDTH)];
            let found = condition(&mut terms, words, &mut random.fork(case));
            let Some(value) = terms.truth(found).filter(|_| terms.holds_for_any_width()) else { continue };
            decided += 1;
            for width in Terms::LEAST_GENERIC..Terms::LEAST_GENERIC + 6 {
                let mut numbers = random.fork(case).fork(width.into());
                for _ in 0..8 {
                    let number =
                        |random: &mut Random| ApInt::from_u64(64, random.number()).zext_or_trunc(width);
                    let words = vec![number(&mut numbers), number(&mut numbers)];
                    let same = condition(&mut Concrete, words, &mut random.fork(case));
                    assert_eq!(!same.is_zero(), value, "case {case}, {width} bits");
                }
            }
        }
        assert!(decided > 30, "{decided}");
    }

    #[test]
    fn the_width_and_large_constants_are_recorded() {
        let fresh = || Terms::for_any_width();
        let mut terms = fresh();
        terms.constant(ApInt::from_u64(WIDTH, 63));
        terms.constant(ApInt::min_signed(WIDTH));
        terms.constant(ApInt::max_signed(2 * WIDTH));
        terms.constant(ApInt::from_u64(64, 1 << 40));
        assert!(terms.holds_for_any_width());
        for value in [u64::from(WIDTH), 64, 1 << 40] {
            let mut terms = fresh();
            terms.constant(ApInt::from_u64(WIDTH, value));
            assert!(!terms.holds_for_any_width(), "{value}");
        }
        // A conversion to a machine integer loses bits of some widths only.
        let mut terms = fresh();
        let x = terms.var(WIDTH);
        terms.zext_or_trunc(&x, 64);
        assert!(!terms.holds_for_any_width());
    }
}
