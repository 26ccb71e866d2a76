//! The operations of `arith`, with poison and undefined behaviour.
//!
//! Specification: the documentation of the `arith` dialect of MLIR 22.1. These operations are interpreted:
//! all integer operations (with `nsw`, `nuw` and `exact`), comparisons, `select`, extensions, truncations,
//! `index_cast`, `index_castui`, `bitcast`, constants, and the float operations `addf`, `subf`, `mulf`,
//! `divf`, `negf`, `cmpf`, `maximumf`, `minimumf`, `extf`, `truncf`, `sitofp`, `uitofp`, `fptosi` and
//! `fptoui`. Operands are scalars, or vectors and tensors of static shape, which are treated element by
//! element. `index` has 64 bits.
//!
//! These are not interpreted: other operations, rounding modes other than the default, fast-math flags other
//! than `nnan` and `ninf` (they allow several results), and the bits of a NaN.

use std::cmp::Ordering;

use num_bigint::BigInt;

use super::scalar::{Element, Scalar, Stop};
use crate::number::{ApFloat, ApInt};

/// The flags and the predicate of an operation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    pub(super) nsw: bool,
    pub(super) nuw: bool,
    pub(super) exact: bool,
    pub(super) nnan: bool,
    pub(super) ninf: bool,
    /// The predicate of a comparison.
    pub(super) predicate: u64,
}

/// Computes one element of each result from one element of each operand. `to` has the element types of the
/// results.
pub(super) fn apply(name: &str, flags: Flags, args: &[&Scalar], to: &[Element]) -> Result<Vec<Scalar>, Stop> {
    let result = *to.first().ok_or(Stop::Uninterpreted)?;
    match (name, args) {
        ("select", [condition, a, b]) => {
            return Ok(vec![match condition {
                Scalar::Int(condition) => (if condition.is_zero() { *b } else { *a }).clone(),
                _ => Scalar::Poison,
            }]);
        }
        ("divsi" | "divui" | "ceildivsi" | "ceildivui" | "floordivsi" | "remsi" | "remui", [a, b]) => {
            return division(name, flags, a, b).map(|quotient| vec![quotient]);
        }
        _ => {}
    }
    // Poison propagates, but an operation that is not supported stays unsupported.
    if args.iter().any(|arg| **arg == Scalar::Poison) {
        let supported = INTS.contains(&name) || FLOATS.contains(&name);
        return if supported { Ok(vec![Scalar::Poison; to.len()]) } else { Err(Stop::Uninterpreted) };
    }
    match args {
        [Scalar::Int(a), Scalar::Int(b)] => match name {
            "addui_extended" | "mulsi_extended" | "mului_extended" => extended(name, a, b),
            _ => Ok(vec![ints(name, flags, a, b)?]),
        },
        [Scalar::Int(a)] => cast_int(name, flags, a, result).map(|value| vec![value]),
        [Scalar::Float(a), Scalar::Float(b)] => floats(name, flags, *a, *b).map(|value| vec![value]),
        [Scalar::Float(a)] => cast_float(name, flags, *a, result).map(|value| vec![value]),
        _ => Err(Stop::Uninterpreted),
    }
}

/// True if a cast can convert elements of one type to those of another. The flags are true for `index`. MLIR
/// checks this in C++, so no definition states it.
pub(super) fn is_valid_cast(name: &str, from: (Element, bool), to: (Element, bool)) -> bool {
    let bits = |element: Element| match element {
        Element::Int(width) => width,
        Element::Float(format) => format.width(),
    };
    let (index, other) = (from.1 || to.1, from.1 && to.1);
    match name {
        "extsi" | "extui" | "extf" => bits(from.0) < bits(to.0) && !index,
        "trunci" | "truncf" => bits(from.0) > bits(to.0) && !index,
        "index_cast" | "index_castui" => index && !other,
        "bitcast" => bits(from.0) == bits(to.0) && !index,
        _ => true,
    }
}

const INTS: &[&str] = &[
    "addi",
    "subi",
    "muli",
    "andi",
    "ori",
    "xori",
    "maxsi",
    "maxui",
    "minsi",
    "minui",
    "shli",
    "shrsi",
    "shrui",
    "cmpi",
    "addui_extended",
    "mulsi_extended",
    "mului_extended",
    "extsi",
    "extui",
    "trunci",
    "index_cast",
    "index_castui",
    "bitcast",
    "sitofp",
    "uitofp",
];
const FLOATS: &[&str] = &[
    "addf", "subf", "mulf", "divf", "negf", "cmpf", "maximumf", "minimumf", "extf", "truncf", "fptosi",
    "fptoui",
];

fn poison_if(poison: bool, value: ApInt) -> Scalar {
    if poison { Scalar::Poison } else { Scalar::Int(value) }
}

fn boolean(value: bool) -> Scalar {
    Scalar::Int(ApInt::from_u64(1, u64::from(value)))
}

fn ints(name: &str, flags: Flags, a: &ApInt, b: &ApInt) -> Result<Scalar, Stop> {
    let width = a.width();
    // An operation wraps if the exact result differs from the wrapped one.
    let wraps = |value: &ApInt, signed: BigInt, unsigned: BigInt| {
        flags.nsw && value.to_bigint() != signed || flags.nuw && BigInt::from(value.to_biguint()) != unsigned
    };
    let (signed_a, signed_b) = (a.to_bigint(), b.to_bigint());
    let (unsigned_a, unsigned_b) = (BigInt::from(a.to_biguint()), BigInt::from(b.to_biguint()));
    let amount = b.to_u64().filter(|&amount| amount < u64::from(width));
    Ok(match name {
        "addi" => {
            let sum = a.wrapping_add(b);
            poison_if(wraps(&sum, signed_a + signed_b, unsigned_a + unsigned_b), sum)
        }
        "subi" => {
            let difference = a.wrapping_sub(b);
            poison_if(wraps(&difference, signed_a - signed_b, unsigned_a - unsigned_b), difference)
        }
        "muli" => {
            let product = a.wrapping_mul(b);
            poison_if(wraps(&product, signed_a * signed_b, unsigned_a * unsigned_b), product)
        }
        "andi" => Scalar::Int(a.and(b)),
        "ori" => Scalar::Int(a.or(b)),
        "xori" => Scalar::Int(a.xor(b)),
        "maxsi" => Scalar::Int(if a.cmp_signed(b) == Ordering::Less { b } else { a }.clone()),
        "minsi" => Scalar::Int(if a.cmp_signed(b) == Ordering::Greater { b } else { a }.clone()),
        "maxui" => Scalar::Int(if a.cmp_unsigned(b) == Ordering::Less { b } else { a }.clone()),
        "minui" => Scalar::Int(if a.cmp_unsigned(b) == Ordering::Greater { b } else { a }.clone()),
        "shli" => match amount {
            Some(amount) => {
                let shifted = a.shl(amount);
                let wraps =
                    flags.nsw && shifted.ashr(amount) != *a || flags.nuw && shifted.lshr(amount) != *a;
                poison_if(wraps, shifted)
            }
            None => Scalar::Poison,
        },
        "shrsi" | "shrui" => match amount {
            Some(amount) => {
                let shifted = if name == "shrsi" { a.ashr(amount) } else { a.lshr(amount) };
                poison_if(flags.exact && shifted.shl(amount) != *a, shifted)
            }
            None => Scalar::Poison,
        },
        "cmpi" => {
            let (signed, unsigned) = (a.cmp_signed(b), a.cmp_unsigned(b));
            boolean(match flags.predicate {
                0 => signed.is_eq(),
                1 => signed.is_ne(),
                2 => signed.is_lt(),
                3 => signed.is_le(),
                4 => signed.is_gt(),
                5 => signed.is_ge(),
                6 => unsigned.is_lt(),
                7 => unsigned.is_le(),
                8 => unsigned.is_gt(),
                9 => unsigned.is_ge(),
                _ => return Err(Stop::Uninterpreted),
            })
        }
        _ => return Err(Stop::Uninterpreted),
    })
}

fn extended(name: &str, a: &ApInt, b: &ApInt) -> Result<Vec<Scalar>, Stop> {
    let width = a.width();
    if name == "addui_extended" {
        let sum = a.wrapping_add(b);
        let carry = sum.cmp_unsigned(a).is_lt();
        return Ok(vec![Scalar::Int(sum), boolean(carry)]);
    }
    let wide =
        width.checked_mul(2).filter(|&wide| wide <= crate::number::MAX_WIDTH).ok_or(Stop::Uninterpreted)?;
    let extend =
        |x: &ApInt| if name == "mulsi_extended" { x.sext_or_trunc(wide) } else { x.zext_or_trunc(wide) };
    let product = extend(a).wrapping_mul(&extend(b));
    let high = product.lshr(u64::from(width)).zext_or_trunc(width);
    Ok(vec![Scalar::Int(product.zext_or_trunc(width)), Scalar::Int(high)])
}

fn division(name: &str, flags: Flags, a: &Scalar, b: &Scalar) -> Result<Scalar, Stop> {
    // Poison can be zero.
    let Scalar::Int(divisor) = b else { return Err(Stop::Undefined) };
    if divisor.is_zero() {
        return Err(Stop::Undefined);
    }
    let signed = matches!(name, "divsi" | "ceildivsi" | "floordivsi" | "remsi");
    let Scalar::Int(dividend) = a else {
        // Poison can be the dividend for which the division overflows.
        let overflows = signed && name != "remsi" && divisor.is_all_ones();
        return if overflows { Err(Stop::Undefined) } else { Ok(Scalar::Poison) };
    };
    // The documentation of the remainder excludes only a zero divisor.
    if signed && name != "remsi" && dividend.is_min_signed() && divisor.is_all_ones() {
        return Err(Stop::Undefined);
    }
    let width = dividend.width();
    let (a, b) = match signed {
        true => (dividend.to_bigint(), divisor.to_bigint()),
        false => (dividend.to_biguint().into(), divisor.to_biguint().into()),
    };
    let (quotient, remainder) = (&a / &b, &a % &b);
    let zero = BigInt::from(0);
    let exact = remainder == zero;
    let same_sign = (a < zero) == (b < zero);
    let value = match name {
        "divsi" | "divui" => {
            if flags.exact && !exact {
                return Ok(Scalar::Poison);
            }
            quotient
        }
        "remsi" | "remui" => remainder,
        "ceildivsi" | "ceildivui" => quotient + i32::from(!exact && same_sign),
        _ => quotient - i32::from(!exact && !same_sign),
    };
    Ok(Scalar::Int(ApInt::from_bigint(width, &value)))
}

fn cast_int(name: &str, flags: Flags, a: &ApInt, to: Element) -> Result<Scalar, Stop> {
    Ok(match (name, to) {
        ("extsi" | "index_cast", Element::Int(width)) => Scalar::Int(a.sext_or_trunc(width)),
        ("extui" | "index_castui", Element::Int(width)) => Scalar::Int(a.zext_or_trunc(width)),
        ("trunci", Element::Int(width)) => {
            let low = a.zext_or_trunc(width);
            let loses = flags.nuw && low.zext_or_trunc(a.width()) != *a
                || flags.nsw && low.sext_or_trunc(a.width()) != *a;
            poison_if(loses, low)
        }
        ("bitcast", Element::Int(width)) if width == a.width() => Scalar::Int(a.clone()),
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

/// Poison if a flag excludes an operand or the result.
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

/// The maximum or minimum. NaN if either is NaN; -0 is less than 0.
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
    if a.is_nan() || a.is_infinite() {
        return Ok(Scalar::Poison);
    }
    let wide = ApFloat::from_f64(a.format(), a.to_f64());
    let truncated = a.to_f64().trunc();
    // Numbers that are not exact as f64, or too large for i128, are not supported.
    if wide.to_bits() != a.to_bits() || truncated.abs() >= 1e38 {
        return Err(Stop::Uninterpreted);
    }
    #[allow(clippy::cast_possible_truncation, reason = "it is below 1e38")]
    let exact = BigInt::from(truncated as i128);
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
