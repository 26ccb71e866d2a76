//! The operations of `arith`, with poison and undefined behaviour.
//!
//! Specification: the documentation of the `arith` dialect of MLIR 22.1. These operations are interpreted: all integer
//! operations (with `nsw`, `nuw` and `exact`), comparisons, `select`, extensions, truncations, `index_cast`,
//! `index_castui`, `bitcast`, and the float operations `addf`, `subf`, `mulf`, `divf`, `remf`, `negf`, `cmpf`,
//! `maximumf`, `minimumf`, `maxnumf`, `minnumf`, `extf`, `truncf`, `sitofp`, `uitofp`, `fptosi` and `fptoui`. Operands
//! are scalars, or vectors and tensors of static shape, which are treated element by element. `index` has 64 bits.
//!
//! These are not interpreted: other operations, rounding modes other than the default, the bits of a NaN, and the
//! fast-math flags that allow several results (all except `nnan` and `ninf`).

use std::cmp::Ordering;

use super::Concrete;
use super::integer::{self, IntOp, Lane, Signature};
use super::scalar::{Element, Scalar, Stop};
use crate::number::{ApFloat, ApInt};

/// The flags and the predicate of an operation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    pub(crate) nsw: bool,
    pub(crate) nuw: bool,
    pub(crate) exact: bool,
    pub(crate) nnan: bool,
    pub(crate) ninf: bool,
    /// The predicate of a comparison.
    pub(crate) predicate: u64,
}

/// Computes one element of each result from one element of each operand. `to` has the element types of the
/// results.
pub(crate) fn apply(name: &str, flags: Flags, args: &[&Scalar], to: &[Element]) -> Result<Vec<Scalar>, Stop> {
    let result = *to.first().ok_or(Stop::Uninterpreted)?;
    if let Some(op) = IntOp::find(name)
        && let Some(results) = integers(op, flags, args, to)
    {
        return results;
    }
    if let ("select", [condition, a, b]) = (name, args) {
        return Ok(vec![match condition {
            Scalar::Int(condition) => (if condition.is_zero() { *b } else { *a }).clone(),
            _ => Scalar::Poison,
        }]);
    }
    // Poison propagates, but an operation that is not supported stays unsupported.
    if args.iter().any(|arg| **arg == Scalar::Poison) {
        let supported = WITH_FLOATS.contains(&name);
        return if supported { Ok(vec![Scalar::Poison; to.len()]) } else { Err(Stop::Uninterpreted) };
    }
    match args {
        [Scalar::Int(a)] => cast_int(name, a, result).map(|value| vec![value]),
        [Scalar::Float(a), Scalar::Float(b)] => floats(name, flags, *a, *b).map(|value| vec![value]),
        [Scalar::Float(a)] => cast_float(name, flags, *a, result).map(|value| vec![value]),
        _ => Err(Stop::Uninterpreted),
    }
}

/// Computes an operation on integers; `None` if an operand or a result is a float.
fn integers(op: IntOp, flags: Flags, args: &[&Scalar], to: &[Element]) -> Option<Result<Vec<Scalar>, Stop>> {
    let widths: Vec<u32> = to
        .iter()
        .map(|element| match element {
            Element::Int(width) => Some(*width),
            Element::Float(_) => None,
        })
        .collect::<Option<_>>()?;
    // Poison has no width, so it gets the width of another operand, or of the result if all operands are poison. A
    // comparison or a cast of poison has the same result for every valid width.
    let operand = |at: usize| match op.signature() {
        Signature::Select if at == 0 => 1,
        Signature::Select => widths[0],
        _ => {
            let known =
                args.iter().find_map(|arg| if let Scalar::Int(x) = arg { Some(x.width()) } else { None });
            known.unwrap_or(widths[0])
        }
    };
    let lanes = args.iter().enumerate().map(|(at, arg)| match arg {
        Scalar::Int(value) => Some(Lane { bits: value.clone(), poison: ApInt::zero(1) }),
        Scalar::Poison => Some(Lane { bits: ApInt::zero(operand(at)), poison: ApInt::one(1) }),
        Scalar::Float(_) => None,
    });
    let lanes: Vec<Lane<ApInt>> = lanes.collect::<Option<_>>()?;
    let flag = |set: bool| set.then(|| ApInt::one(1));
    if flags.predicate > 9 {
        return Some(Err(Stop::Uninterpreted));
    }
    let flags = integer::Flags {
        nsw: flag(flags.nsw),
        nuw: flag(flags.nuw),
        exact: flag(flags.exact),
        // `arith` of MLIR 22.1 has neither of these flags.
        nneg: None,
        disjoint: None,
        predicate: Some(ApInt::from_u64(64, flags.predicate)),
    };
    let Some(outcome) = op.apply(&mut Concrete, &flags, &lanes, &widths) else {
        return Some(Err(Stop::Uninterpreted));
    };
    if !outcome.undefined.is_zero() {
        return Some(Err(Stop::Undefined));
    }
    let scalar =
        |lane: Lane<ApInt>| if lane.poison.is_zero() { Scalar::Int(lane.bits) } else { Scalar::Poison };
    Some(Ok(outcome.results.into_iter().map(scalar).collect()))
}

/// True if a cast can convert elements of one type to elements of another. The Booleans are true for `index`. MLIR
/// checks this in C++, so no definition states it.
pub(crate) fn is_valid_cast(name: &str, from: (Element, bool), to: (Element, bool)) -> bool {
    let bits = |element: Element| match element {
        Element::Int(width) => width,
        Element::Float(format) => format.width(),
    };
    let (any_index, both_index) = (from.1 || to.1, from.1 && to.1);
    match name {
        "extsi" | "extui" | "extf" => bits(from.0) < bits(to.0) && !any_index,
        "trunci" | "truncf" => bits(from.0) > bits(to.0) && !any_index,
        "index_cast" | "index_castui" => any_index && !both_index,
        "bitcast" => bits(from.0) == bits(to.0) && !any_index,
        _ => true,
    }
}

/// The operations with a float among their operands or results.
const WITH_FLOATS: &[&str] = &[
    "addf", "subf", "mulf", "divf", "remf", "negf", "cmpf", "maximumf", "minimumf", "maxnumf", "minnumf",
    "extf", "truncf", "fptosi", "fptoui", "sitofp", "uitofp", "bitcast",
];

fn poison_if(poison: bool, value: ApInt) -> Scalar {
    if poison { Scalar::Poison } else { Scalar::Int(value) }
}

fn boolean(value: bool) -> Scalar {
    Scalar::Int(ApInt::from_u64(1, u64::from(value)))
}

fn cast_int(name: &str, a: &ApInt, to: Element) -> Result<Scalar, Stop> {
    Ok(match (name, to) {
        ("bitcast", Element::Float(format)) => {
            let bits = u128::try_from(a.to_biguint()).map_err(|_| Stop::Uninterpreted)?;
            Scalar::Float(ApFloat::from_bits(format, bits))
        }
        ("sitofp" | "uitofp", Element::Float(format)) => {
            let text = if name == "sitofp" { a.to_signed_string() } else { a.to_unsigned_string() };
            Scalar::Float(ApFloat::parse_decimal(format, &text).ok_or(Stop::Uninterpreted)?)
        }
        _ => return Err(Stop::Uninterpreted),
    })
}

/// Returns poison if a flag excludes an operand or the result, and `value` otherwise.
fn apply_fast_math(flags: Flags, operands: &[ApFloat], value: Scalar) -> Scalar {
    let result = if let Scalar::Float(result) = &value { Some(*result) } else { None };
    let broken = operands
        .iter()
        .copied()
        .chain(result)
        .any(|x| flags.nnan && x.is_nan() || flags.ninf && x.is_infinite());
    if broken { Scalar::Poison } else { value }
}

fn floats(name: &str, flags: Flags, a: ApFloat, b: ApFloat) -> Result<Scalar, Stop> {
    let value = match name {
        "addf" => Scalar::Float(a.add(b)),
        "subf" => Scalar::Float(a.sub(b)),
        "mulf" => Scalar::Float(a.mul(b)),
        "divf" => Scalar::Float(a.div(b)),
        "remf" => Scalar::Float(a.rem(b)),
        "maxnumf" | "minnumf" if a.is_nan() => Scalar::Float(b),
        "maxnumf" | "minnumf" if b.is_nan() => Scalar::Float(a),
        "maxnumf" | "minnumf" => Scalar::Float(extreme(name == "maxnumf", a, b)),
        "maximumf" | "minimumf" => Scalar::Float(extreme(name == "maximumf", a, b)),
        "cmpf" => {
            let order = a.compare(b);
            let unordered = order.is_none();
            let holds = match flags.predicate {
                0 => false,
                1 | 8 => order.is_some_and(Ordering::is_eq),
                2 | 9 => order.is_some_and(Ordering::is_gt),
                3 | 10 => order.is_some_and(Ordering::is_ge),
                4 | 11 => order.is_some_and(Ordering::is_lt),
                5 | 12 => order.is_some_and(Ordering::is_le),
                6 | 13 => order.is_some_and(Ordering::is_ne),
                7 => !unordered,
                14 => unordered,
                15 => true,
                _ => return Err(Stop::Uninterpreted),
            };
            // The predicates 8 to 13 also hold for unordered operands.
            boolean(holds || (8..=13).contains(&flags.predicate) && unordered)
        }
        _ => return Err(Stop::Uninterpreted),
    };
    Ok(apply_fast_math(flags, &[a, b], value))
}

/// The maximum or minimum. The result is NaN if an operand is NaN; -0 is less than 0.
fn extreme(larger: bool, a: ApFloat, b: ApFloat) -> ApFloat {
    if a.is_nan() {
        return a;
    }
    match a.compare(b) {
        None => b,
        Some(Ordering::Equal) => {
            if a.is_negative() == larger {
                b
            } else {
                a
            }
        }
        Some(order) => {
            if (order == Ordering::Greater) == larger {
                a
            } else {
                b
            }
        }
    }
}

fn cast_float(name: &str, flags: Flags, a: ApFloat, to: Element) -> Result<Scalar, Stop> {
    let value = match (name, to) {
        ("negf", Element::Float(_)) => Scalar::Float(a.neg()),
        ("extf" | "truncf", Element::Float(format)) => Scalar::Float(a.convert(format)),
        ("bitcast", Element::Float(format)) if format == a.format() => Scalar::Float(a),
        ("bitcast", Element::Float(_)) if a.is_nan() => return Err(Stop::Uninterpreted),
        ("bitcast", Element::Float(format)) => Scalar::Float(ApFloat::from_bits(format, a.to_bits())),
        ("bitcast", Element::Int(_)) if a.is_nan() => return Err(Stop::Uninterpreted),
        ("bitcast", Element::Int(width)) => Scalar::Int(ApInt::from_biguint(width, &a.to_bits().into())),
        ("fptosi" | "fptoui", Element::Int(width)) => return to_int(name == "fptosi", a, width),
        _ => return Err(Stop::Uninterpreted),
    };
    Ok(apply_fast_math(flags, &[a], value))
}

/// The number rounded towards zero; poison if it does not fit.
fn to_int(signed: bool, a: ApFloat, width: u32) -> Result<Scalar, Stop> {
    let Some(exact) = a.truncated() else { return Ok(Scalar::Poison) };
    let value = ApInt::from_bigint(width, &exact);
    let back = if signed { value.to_bigint() } else { value.to_biguint().into() };
    Ok(poison_if(back != exact, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::FloatFormat;

    fn int(width: u32, value: i64) -> Scalar {
        Scalar::Int(ApInt::from_i64(width, value))
    }

    fn one(name: &str, flags: Flags, args: &[Scalar], to: Element) -> Result<Scalar, Stop> {
        let args: Vec<&Scalar> = args.iter().collect();
        apply(name, flags, &args, &[to]).map(|mut results| results.remove(0))
    }

    /// Compares all pairs of 8-bit operands with Rust's arithmetic.
    #[test]
    fn eight_bit_arithmetic_agrees_with_rust() {
        let (none, nsw, nuw) = (
            Flags::default(),
            Flags { nsw: true, ..Flags::default() },
            Flags { nuw: true, ..Flags::default() },
        );
        let to = Element::Int(8);
        let checked = |value: Option<i8>| value.map_or(Scalar::Poison, |value| int(8, value.into()));
        let unsigned =
            |value: Option<u8>| value.map_or(Scalar::Poison, |value| int(8, value.cast_signed().into()));
        for a in i8::MIN..=i8::MAX {
            for b in i8::MIN..=i8::MAX {
                let args = [int(8, a.into()), int(8, b.into())];
                let (ua, ub) = (a.cast_unsigned(), b.cast_unsigned());
                let ok = |name: &str, flags| one(name, flags, &args, to).ok();
                assert_eq!(ok("addi", none), Some(int(8, a.wrapping_add(b).into())));
                assert_eq!(ok("addi", nsw), Some(checked(a.checked_add(b))), "{a} {b}");
                assert_eq!(ok("subi", nuw), Some(unsigned(ua.checked_sub(ub))));
                assert_eq!(ok("muli", nsw), Some(checked(a.checked_mul(b))));
                assert_eq!(ok("muli", nuw), Some(unsigned(ua.checked_mul(ub))));
                assert_eq!(ok("divsi", none), a.checked_div(b).map(|q| int(8, q.into())));
                assert_eq!(ok("remsi", none), (b != 0).then(|| a.wrapping_rem(b)).map(|q| int(8, q.into())));
                assert_eq!(ok("divui", none), ua.checked_div(ub).map(|q| int(8, q.cast_signed().into())));
                let floor = |a: i8, b: i8| {
                    let (quotient, remainder) = (a.checked_div(b)?, a.checked_rem(b)?);
                    Some(quotient - i8::from(remainder != 0 && (a < 0) != (b < 0)))
                };
                assert_eq!(ok("floordivsi", none), floor(a, b).map(|q| int(8, q.into())));
                let shift = |value: Option<i8>| Some(value.map_or(Scalar::Poison, |v| int(8, v.into())));
                let amount = u32::from(ub);
                assert_eq!(ok("shrsi", none), shift(a.checked_shr(amount)));
                assert_eq!(ok("shrui", none), shift(ua.checked_shr(amount).map(u8::cast_signed)));
                assert_eq!(ok("shli", none), shift(a.checked_shl(amount)));
                assert_eq!(ok("minsi", none), Some(int(8, a.min(b).into())));
                assert_eq!(ok("maxui", none), Some(int(8, ua.max(ub).cast_signed().into())));
                let less = Flags { predicate: 2, ..none };
                assert_eq!(one("cmpi", less, &args, Element::Int(1)).ok(), Some(boolean(a < b)));
            }
        }
    }

    #[test]
    fn poison_and_undefined_behaviour() {
        let none = Flags::default();
        let to = Element::Int(32);
        assert_eq!(one("addi", none, &[Scalar::Poison, int(32, 1)], to), Ok(Scalar::Poison));
        assert_eq!(one("divui", none, &[int(32, 1), Scalar::Poison], to), Err(Stop::Undefined));
        assert_eq!(one("divsi", none, &[Scalar::Poison, int(32, -1)], to), Err(Stop::Undefined));
        assert_eq!(one("divsi", none, &[Scalar::Poison, int(32, 2)], to), Ok(Scalar::Poison));
        assert_eq!(one("select", none, &[int(1, 1), int(32, 5), Scalar::Poison], to), Ok(int(32, 5)));
        assert_eq!(one("select", none, &[Scalar::Poison, int(32, 5), int(32, 5)], to), Ok(Scalar::Poison));
        assert_eq!(one("strange", none, &[Scalar::Poison], to), Err(Stop::Uninterpreted));
        let narrow = Flags { nsw: true, ..none };
        assert_eq!(one("trunci", narrow, &[int(32, 128)], Element::Int(8)), Ok(Scalar::Poison));
        assert_eq!(one("trunci", narrow, &[int(32, -128)], Element::Int(8)), Ok(int(8, -128)));
    }

    #[test]
    fn float_arithmetic_agrees_with_rust() {
        let of = |value: f32| Scalar::Float(ApFloat::from_f64(FloatFormat::F32, value.into()));
        let to = Element::Float(FloatFormat::F32);
        let some = [0.0f32, -0.0, 1.0, -1.5, 1e30, f32::INFINITY, f32::NAN, 3.3];
        for a in some {
            for b in some {
                let same = |name: &str, value: f32| {
                    let result = one(name, Flags::default(), &[of(a), of(b)], to).unwrap();
                    assert!(result.refines(&of(value)), "{name} {a} {b}: {result:?}");
                };
                same("addf", a + b);
                same("mulf", a * b);
                same("divf", a / b);
                for (predicate, holds) in [
                    (1, a == b),
                    (2, a > b),
                    (6, a != b && !a.is_nan() && !b.is_nan()),
                    (13, a != b),
                    (12, a.partial_cmp(&b) != Some(Ordering::Greater)),
                    (14, a.is_nan() || b.is_nan()),
                ] {
                    let flags = Flags { predicate, ..Flags::default() };
                    let value = one("cmpf", flags, &[of(a), of(b)], Element::Int(1));
                    assert_eq!(value, Ok(boolean(holds)), "{predicate} {a} {b}");
                }
            }
            for width in [8, 32] {
                let value = one("fptosi", Flags::default(), &[of(a)], Element::Int(width)).unwrap();
                let bound = 2f32.powi(width.cast_signed() - 1);
                let fits = a.trunc() >= -bound && a.trunc() < bound;
                #[allow(
                    clippy::cast_possible_truncation,
                    reason = "the conversion truncates, as the operation does"
                )]
                let expected = if fits { int(width, a as i64) } else { Scalar::Poison };
                assert_eq!(value, expected, "{a}");
            }
        }
    }
}
