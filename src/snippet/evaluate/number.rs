//! Arithmetic: machine integers as in C++, `APInt`, `APFloat` and doubles.
//!
//! This code does not depend on the host, so it is compiled only once.

use std::cmp::Ordering;

use num_bigint::BigUint;

use crate::host::Refusal;
use crate::number::{ApFloat, ApInt, FloatFormat, MAX_WIDTH};
use crate::snippet::data::{BinaryOp, Builtin, IntTy, Item};

use super::error::{
    different_formats, different_widths, division_by_zero, fail, integer_overflow, invalid_width,
    shift_too_large,
};

/// A Boolean, integer or float.
#[derive(Clone, Debug)]
pub(super) enum Number {
    Bool(bool),
    Int(i128),
    Double(f64),
    ApInt(ApInt),
    ApFloat(ApFloat),
}

const TOO_WIDE: &str = "an APInt does not fit in 64 bits";

/// Converts a double to an `APFloat` of the format `f64`.
pub(super) fn double(value: f64) -> ApFloat {
    ApFloat::from_f64(FloatFormat::F64, value)
}

/// Rounds to a `float`.
#[allow(clippy::cast_possible_truncation, reason = "the conversion rounds in C++ as well")]
pub(super) fn single(value: f64) -> f64 {
    f64::from(value as f32)
}

/// True if a comparison holds for this order; `None` means unordered.
pub(super) fn holds(op: BinaryOp, order: Option<Ordering>) -> bool {
    match op {
        BinaryOp::Eq => order == Some(Ordering::Equal),
        BinaryOp::Ne => order != Some(Ordering::Equal),
        BinaryOp::Lt => order == Some(Ordering::Less),
        BinaryOp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        BinaryOp::Gt => order == Some(Ordering::Greater),
        BinaryOp::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        _ => false,
    }
}

/// Applies an operator to machine integers as C++ does. Returns `None` if the behaviour is undefined.
fn int_binary(op: BinaryOp, ty: IntTy, a: i128, b: i128) -> Option<i128> {
    let exact = match op {
        BinaryOp::Add => a.checked_add(b)?,
        BinaryOp::Sub => a.checked_sub(b)?,
        BinaryOp::Mul => match a.checked_mul(b) {
            Some(product) => product,
            // Only products of unsigned 64-bit integers exceed i128, and these wrap.
            None => return Some(i128::from(u64::try_from(a).ok()?.wrapping_mul(u64::try_from(b).ok()?))),
        },
        BinaryOp::Div => a.checked_div(b)?,
        BinaryOp::Rem => {
            let quotient = a.checked_div(b)?;
            // The remainder is undefined if the quotient overflows.
            if ty.signed && ty.wrap(quotient) != quotient {
                return None;
            }
            a.checked_rem(b)?
        }
        BinaryOp::Shl | BinaryOp::Shr => {
            let amount = u32::try_from(b).ok().filter(|amount| *amount < u32::from(ty.bits))?;
            if op == BinaryOp::Shr {
                a >> amount
            } else {
                // A left shift gives the same bits for signed and unsigned numbers.
                return Some(ty.wrap(a.wrapping_shl(amount)));
            }
        }
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        _ => return Some(i128::from(holds(op, Some(a.cmp(&b))))),
    };
    let wrapped = ty.wrap(exact);
    (wrapped == exact || !ty.signed).then_some(wrapped)
}

impl Number {
    /// The name of the variant, for messages.
    fn variant_name(&self) -> &'static str {
        match self {
            Self::Bool(_) => "a Boolean",
            Self::Int(_) => "an integer",
            Self::Double(_) => "a double",
            Self::ApInt(_) => "an APInt",
            Self::ApFloat(_) => "an APFloat",
        }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Bool(b) => *b,
            Self::Int(i) => *i != 0,
            Self::Double(d) => *d != 0.0,
            Self::ApInt(_) | Self::ApFloat(_) => true,
        }
    }

    /// The value as a machine integer.
    pub(super) fn int(&self) -> Result<i128, Refusal> {
        match self {
            Self::Int(i) => Ok(*i),
            Self::Bool(b) => Ok(i128::from(*b)),
            other => fail(format!("{} is used as an integer", other.variant_name())),
        }
    }

    /// The value as a double.
    pub(super) fn double(&self) -> Result<f64, Refusal> {
        match self {
            Self::Double(d) => Ok(*d),
            Self::Int(i) => {
                #[allow(clippy::cast_precision_loss, reason = "the conversion rounds in C++ as well")]
                let rounded = *i as f64;
                Ok(rounded)
            }
            Self::Bool(b) => Ok(f64::from(u8::from(*b))),
            Self::ApFloat(x) => Ok(x.to_f64()),
            Self::ApInt(_) => fail("an APInt is used as a float"),
        }
    }

    /// Converts to an item.
    pub(super) fn convert(self, item: Item) -> Result<Self, Refusal> {
        Ok(match (item, self) {
            (Item::Int(ty), Self::ApInt(x)) => {
                let value = if ty.signed { x.to_i64().map(i128::from) } else { x.to_u64().map(i128::from) };
                match value {
                    Some(value) => Self::Int(ty.wrap(value)),
                    None => return fail(TOO_WIDE),
                }
            }
            (Item::Int(ty), Self::Double(d)) => {
                const DOES_NOT_FIT: &str = "a float does not fit the integer it is converted to";
                let whole = d.trunc();
                let limit = 2_f64.powi(i32::from(ty.bits));
                if whole.is_nan() || whole.abs() >= limit {
                    return fail(DOES_NOT_FIT);
                }
                #[allow(clippy::cast_possible_truncation, reason = "checked above")]
                let value = whole as i128;
                if ty.wrap(value) != value {
                    return fail(DOES_NOT_FIT);
                }
                Self::Int(value)
            }
            (Item::Int(ty), value) => Self::Int(ty.wrap(value.int()?)),
            (Item::Enum(_), Self::ApInt(x)) => match x.to_u64() {
                Some(value) => Self::Int(i128::from(value)),
                None => return fail(TOO_WIDE),
            },
            (Item::Enum(_), value) => Self::Int(value.int()?),
            (Item::Bool, Self::ApInt(x)) => Self::Bool(!x.is_zero()),
            (Item::Bool, value) => Self::Bool(value.is_true()),
            (Item::Double, value) => Self::Double(value.double()?),
            (Item::Float, Self::Int(i)) => {
                #[allow(clippy::cast_precision_loss, reason = "the conversion rounds in C++ as well")]
                let rounded = i as f32;
                Self::Double(f64::from(rounded))
            }
            (Item::Float, value) => Self::Double(single(value.double()?)),
            (Item::ApInt, value @ Self::ApInt(_)) | (Item::ApFloat, value @ Self::ApFloat(_)) => value,
            (_, value) => return fail(format!("{} is used as another kind of number", value.variant_name())),
        })
    }
}

/// Applies a binary operator to two numbers, which are converted to an item.
pub(super) fn binary(op: BinaryOp, item: Item, a: Number, b: Number) -> Result<Number, Refusal> {
    match item {
        Item::Int(ty) => {
            // The right operand of a shift is not converted to the type of the left operand.
            let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
            let a = a.convert(item)?.int()?;
            let b = b.convert(if shift { IntTy::I64.item() } else { item })?.int()?;
            match int_binary(op, ty, a, b) {
                Some(value) if op.compares() => Ok(Number::Bool(value != 0)),
                Some(value) => Ok(Number::Int(value)),
                None if b == 0 => division_by_zero(),
                None => integer_overflow(),
            }
        }
        Item::Enum(_) => match int_binary(op, IntTy::U64, a.int()?, b.int()?) {
            Some(value) => Ok(Number::Int(value)),
            None => integer_overflow(),
        },
        // The result of one operation on two floats equals the rounded result of the same operation on doubles.
        Item::Float => match binary(op, Item::Double, a.convert(item)?, b.convert(item)?)? {
            Number::Double(value) => Ok(Number::Double(single(value))),
            truth => Ok(truth),
        },
        Item::Double => {
            let (a, b) = (a.double()?, b.double()?);
            Ok(match op {
                BinaryOp::Add => Number::Double(a + b),
                BinaryOp::Sub => Number::Double(a - b),
                BinaryOp::Mul => Number::Double(a * b),
                BinaryOp::Div => Number::Double(a / b),
                _ if op.compares() => Number::Bool(holds(op, a.partial_cmp(&b))),
                _ => return fail(format!("operator '{}' does not apply to floats", op.text())),
            })
        }
        Item::ApInt => ap_int_binary(op, &a, &b),
        Item::ApFloat => ap_float_binary(op, &a, &b),
        _ => dynamic_binary(op, a, b),
    }
}

/// Applies a binary operator to two numbers without static types.
pub(super) fn dynamic_binary(op: BinaryOp, a: Number, b: Number) -> Result<Number, Refusal> {
    match (&a, &b) {
        (Number::ApInt(_), _) | (_, Number::ApInt(_)) => ap_int_binary(op, &a, &b),
        (Number::ApFloat(_), Number::ApFloat(_)) => ap_float_binary(op, &a, &b),
        (Number::Double(_), _) | (_, Number::Double(_)) => binary(op, Item::Double, a, b),
        // Integers are ordered by their mathematical values. Equality compares their low 64 bits instead, because C++
        // converts `-1` to an unsigned type before it compares it with an unsigned number.
        (Number::Int(_) | Number::Bool(_), Number::Int(_) | Number::Bool(_))
            if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) && op.compares() =>
        {
            Ok(Number::Bool(holds(op, Some(a.int()?.cmp(&b.int()?)))))
        }
        (Number::Int(_) | Number::Bool(_), Number::Int(_) | Number::Bool(_)) => {
            binary(op, Item::Int(IntTy::I64), a, b)
        }
        _ => fail(format!(
            "operator '{}' does not apply to {} and {}",
            op.text(),
            a.variant_name(),
            b.variant_name()
        )),
    }
}

/// Converts both operands to `APInt`. A machine integer takes the width of the other operand.
fn ap_ints(a: &Number, b: &Number) -> Result<(ApInt, ApInt), Refusal> {
    // The operators of `APInt` take the machine integer as `uint64_t`.
    let widen = |value: &Number, width: u32| match u64::try_from(IntTy::U64.wrap(value.int()?)) {
        Ok(value) => Ok(ApInt::from_u64(width, value)),
        Err(_) => fail("an integer does not fit in 64 bits"),
    };
    match (a, b) {
        (Number::ApInt(a), Number::ApInt(b)) if a.width() == b.width() => Ok((a.clone(), b.clone())),
        (Number::ApInt(a), Number::ApInt(b)) => different_widths(a, b),
        (Number::ApInt(a), other) => Ok((a.clone(), widen(other, a.width())?)),
        (other, Number::ApInt(b)) => Ok((widen(other, b.width())?, b.clone())),
        _ => fail("neither operand is an APInt"),
    }
}

fn ap_int_binary(op: BinaryOp, a: &Number, b: &Number) -> Result<Number, Refusal> {
    if let (BinaryOp::Eq | BinaryOp::Ne, Number::ApInt(x), other)
    | (BinaryOp::Eq | BinaryOp::Ne, other, Number::ApInt(x)) = (op, a, b)
        && !matches!(other, Number::ApInt(_))
    {
        // C++ converts the machine integer to uint64_t and reads the APInt as unsigned.
        let wanted = IntTy::U64.wrap(other.int()?);
        let equal = x.to_u64().is_some_and(|x| i128::from(x) == wanted);
        return Ok(Number::Bool(equal == (op == BinaryOp::Eq)));
    }
    if op == BinaryOp::Shl {
        let Number::ApInt(x) = a else { return fail("an integer is shifted by an APInt") };
        let amount = match b {
            Number::ApInt(amount) => amount.to_u64(),
            other => u64::try_from(other.int()?).ok(),
        };
        return match (amount, b) {
            (Some(amount), _) if amount <= u64::from(x.width()) => Ok(Number::ApInt(x.shl(amount))),
            (_, Number::ApInt(amount)) => shift_too_large(amount.to_unsigned_string(), x.width()),
            (_, other) => shift_too_large(other.int()?, x.width()),
        };
    }
    let (x, y) = ap_ints(a, b)?;
    Ok(Number::ApInt(match op {
        BinaryOp::Add => x.wrapping_add(&y),
        BinaryOp::Sub => x.wrapping_sub(&y),
        BinaryOp::Mul => x.wrapping_mul(&y),
        BinaryOp::And => x.and(&y),
        BinaryOp::Or => x.or(&y),
        BinaryOp::Xor => x.xor(&y),
        BinaryOp::Eq => return Ok(Number::Bool(x == y)),
        BinaryOp::Ne => return Ok(Number::Bool(x != y)),
        _ => return fail(format!("operator '{}' does not apply to an APInt", op.text())),
    }))
}

fn ap_float_binary(op: BinaryOp, a: &Number, b: &Number) -> Result<Number, Refusal> {
    let (Number::ApFloat(a), Number::ApFloat(b)) = (a, b) else {
        return fail("an operand is not an APFloat");
    };
    if a.format() != b.format() {
        return different_formats(*a, *b);
    }
    Ok(match op {
        BinaryOp::Add => Number::ApFloat(a.add(*b)),
        BinaryOp::Sub => Number::ApFloat(a.sub(*b)),
        BinaryOp::Mul => Number::ApFloat(a.mul(*b)),
        BinaryOp::Div => Number::ApFloat(a.div(*b)),
        _ if op.compares() => Number::Bool(holds(op, a.compare(*b))),
        _ => return fail(format!("operator '{}' does not apply to an APFloat", op.text())),
    })
}

/// Returns `-value`.
pub(super) fn negate(value: Number, item: Item) -> Result<Number, Refusal> {
    match (item, value) {
        (Item::Int(_), value @ (Number::Int(_) | Number::Bool(_))) => {
            binary(BinaryOp::Sub, item, Number::Int(0), value)
        }
        (_, Number::Double(d)) => Ok(Number::Double(-d)),
        (_, Number::ApInt(x)) => Ok(Number::ApInt(x.wrapping_neg())),
        (_, Number::ApFloat(x)) => Ok(Number::ApFloat(x.neg())),
        (_, Number::Int(i)) => negate(Number::Int(i), IntTy::I64.item()),
        (_, Number::Bool(_)) => fail("operator '-' does not apply to a Boolean"),
    }
}

/// Returns `~value`.
pub(super) fn complement(value: Number, item: Item) -> Result<Number, Refusal> {
    match (item, value) {
        (Item::Int(ty), Number::Int(i)) => Ok(Number::Int(ty.wrap(!i))),
        (Item::Enum(_), Number::Int(i)) => Ok(Number::Int(IntTy::U64.wrap(!i))),
        (_, Number::ApInt(x)) => Ok(Number::ApInt(x.not())),
        (_, Number::Int(i)) => Ok(Number::Int(IntTy::I64.wrap(!i))),
        (_, Number::Bool(b)) => Ok(Number::Int(!i128::from(b))),
        (_, value) => fail(format!("operator '~' does not apply to {}", value.variant_name())),
    }
}

fn width(value: &Number) -> Result<u32, Refusal> {
    let value = value.int()?;
    match u32::try_from(value) {
        Ok(width) if width <= MAX_WIDTH => Ok(width),
        _ => invalid_width(value),
    }
}

/// Evaluates a built-in of [`Group::Numbers`](crate::snippet::data::Group). Arguments that are null or missing are
/// `None`.
pub(super) fn call(op: Builtin, [a, b, c]: [Option<Number>; 3]) -> Result<Number, Refusal> {
    use Builtin as B;
    match op {
        B::QuietNan => return Ok(Number::Double(f64::NAN)),
        B::Infinity => return Ok(Number::Double(f64::INFINITY)),
        _ => {}
    }
    let present = |arg: Option<Number>| arg.ok_or_else(|| Refusal::new("null is used as a number"));
    let a = present(a)?;
    match (op, a) {
        (B::MakeApInt, a) => {
            let width = width(&a)?;
            let value = present(b)?.int()?;
            let Ok(low) = u64::try_from(IntTy::U64.wrap(value)) else {
                return fail("the snippet is malformed");
            };
            Ok(Number::ApInt(if c.is_some_and(|signed| signed.is_true()) {
                ApInt::from_i64(width, low.cast_signed())
            } else {
                ApInt::from_u64(width, low)
            }))
        }
        (B::MakeApFloat, a) => Ok(Number::ApFloat(double(a.double()?))),
        // The absolute value does not fit. The builder adds the test of the smallest `int`.
        (B::Abs, Number::Int(i)) if i == i128::from(i64::MIN) => integer_overflow(),
        (B::Abs, Number::Int(i)) => Ok(Number::Int(i.abs())),
        (B::Abs, Number::Bool(b)) => Ok(Number::Int(i128::from(b))),
        (B::Abs, Number::Double(d)) => Ok(Number::Double(d.abs())),
        (B::Abs, Number::ApFloat(x)) => Ok(Number::ApFloat(x.abs())),
        (B::Sqrt, a) => Ok(Number::Double(a.double()?.sqrt())),
        (B::Max | B::Min, a) => {
            let b = present(b)?;
            // As in C++, `max` returns the second argument only if the first is less, and `min` returns the second
            // argument only if the second is less. So both return the first argument if one of the arguments is a NaN.
            let (less, greater) = if op == B::Max { (&a, &b) } else { (&b, &a) };
            let takes_second = dynamic_binary(BinaryOp::Lt, less.clone(), greater.clone())?.is_true();
            Ok(if takes_second { b } else { a })
        }
        (B::Log2Of | B::IsPowerOf2Of, a) => {
            let Ok(value) = u64::try_from(a.int()?) else {
                return fail("a negative number is passed to a function of unsigned numbers");
            };
            Ok(match (op, value.checked_ilog2()) {
                (B::IsPowerOf2Of, _) => Number::Bool(value.is_power_of_two()),
                (_, log) => Number::Int(log.unwrap_or(u32::MAX).into()),
            })
        }
        (_, Number::ApInt(x)) => ap_int_method(op, x, b),
        (_, Number::ApFloat(x)) => ap_float_method(op, x, b),
        (_, other) => fail(format!("a method of APInt or APFloat is called on {}", other.variant_name())),
    }
}

fn ap_int_method(op: Builtin, x: ApInt, arg: Option<Number>) -> Result<Number, Refusal> {
    use Builtin as B;
    let arg_or_fail = || arg.clone().ok_or_else(|| Refusal::new("null is used as a number"));
    Ok(match op {
        B::IsZero => Number::Bool(x.is_zero()),
        B::IsOne => Number::Bool(x.is_one()),
        B::IsAllOnes => Number::Bool(x.is_all_ones()),
        B::IsNegative => Number::Bool(x.is_negative()),
        B::IsNonNegative => Number::Bool(!x.is_negative()),
        B::IsStrictlyPositive => Number::Bool(x.is_strictly_positive()),
        B::IsPowerOf2 => Number::Bool(x.is_power_of_two()),
        B::IsMinSigned => Number::Bool(x.is_min_signed()),
        B::IsMaxSigned => Number::Bool(x.is_max_signed()),
        B::BitWidth => Number::Int(i128::from(x.width())),
        B::SExtValue => match x.to_i64() {
            Some(value) => Number::Int(i128::from(value)),
            None => return fail(TOO_WIDE),
        },
        B::ZExtValue => match x.to_u64() {
            Some(value) => Number::Int(i128::from(value)),
            None => return fail(TOO_WIDE),
        },
        B::LimitedValue => {
            let limit = arg.map_or(Ok(i128::from(u64::MAX)), |limit| limit.int())?;
            Number::Int(x.to_u64().map_or(limit, |x| limit.min(i128::from(x))))
        }
        B::ZextOrTrunc => Number::ApInt(x.zext_or_trunc(width(&arg_or_fail()?)?)),
        B::SextOrTrunc => Number::ApInt(x.sext_or_trunc(width(&arg_or_fail()?)?)),
        // The logarithm of zero wraps.
        B::Log2 => Number::Int(x.active_bits().wrapping_sub(1).into()),
        B::ApAbs => Number::ApInt(if x.is_negative() { x.wrapping_neg() } else { x }),
        _ => {
            let (unsigned, signed) = match arg_or_fail()? {
                Number::ApInt(y) if x.width() == y.width() => (x.cmp_unsigned(&y), x.cmp_signed(&y)),
                Number::ApInt(y) => return different_widths(&x, &y),
                // A machine integer is not truncated to the width of the APInt.
                other => {
                    let value = other.int()?;
                    let unsigned = x.to_biguint().cmp(&BigUint::from(IntTy::U64.wrap(value).unsigned_abs()));
                    (unsigned, x.to_bigint().cmp(&IntTy::I64.wrap(value).into()))
                }
            };
            let (order, op) = match op {
                B::ApEq => (unsigned, BinaryOp::Eq),
                B::ApNe => (unsigned, BinaryOp::Ne),
                B::ApUlt => (unsigned, BinaryOp::Lt),
                B::ApUle => (unsigned, BinaryOp::Le),
                B::ApUgt => (unsigned, BinaryOp::Gt),
                B::ApUge => (unsigned, BinaryOp::Ge),
                B::ApSlt => (signed, BinaryOp::Lt),
                B::ApSle => (signed, BinaryOp::Le),
                B::ApSgt => (signed, BinaryOp::Gt),
                B::ApSge => (signed, BinaryOp::Ge),
                _ => return fail("an APInt has no such method"),
            };
            Number::Bool(holds(op, Some(order)))
        }
    })
}

fn ap_float_method(op: Builtin, x: ApFloat, arg: Option<Number>) -> Result<Number, Refusal> {
    use Builtin as B;
    Ok(match op {
        B::IsZero => Number::Bool(x.is_zero()),
        B::IsOne => Number::Bool(x.is_one()),
        B::IsNegative => Number::Bool(x.is_negative()),
        B::IsNan => Number::Bool(x.is_nan()),
        B::IsInfinite => Number::Bool(x.is_infinite()),
        B::IsPosInfinity => Number::Bool(x.is_infinite() && !x.is_negative()),
        B::IsNegInfinity => Number::Bool(x.is_infinite() && x.is_negative()),
        B::IsPosZero => Number::Bool(x.is_zero() && !x.is_negative()),
        B::IsNegZero => Number::Bool(x.is_zero() && x.is_negative()),
        B::IsFinite => Number::Bool(!x.is_nan() && !x.is_infinite()),
        B::IsLargest => Number::Bool(x.abs() == ApFloat::largest(x.format(), false)),
        B::IsExactly => match arg {
            Some(wanted) => Number::Bool(x == ApFloat::from_f64(x.format(), wanted.double()?)),
            None => return fail("null is used as a float"),
        },
        B::ToDouble => Number::Double(x.to_f64()),
        _ => return fail("an APFloat has no such method"),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_type() -> impl Strategy<Value = IntTy> {
        (prop_oneof![Just(32_u8), Just(64)], any::<bool>())
            .prop_map(|(bits, signed)| IntTy::new(bits, signed))
    }

    proptest! {
        #![proptest_config(crate::test_seed::config())]
        /// The oracle is Rust's arithmetic on machine integers.
        #[test]
        fn arithmetic_agrees_with_machine_integers(a in any::<i64>(), b in any::<i64>()) {
            let pairs = [
                (BinaryOp::Add, a.checked_add(b)),
                (BinaryOp::Sub, a.checked_sub(b)),
                (BinaryOp::Mul, a.checked_mul(b)),
                (BinaryOp::Div, a.checked_div(b)),
                (BinaryOp::Rem, a.checked_rem(b)),
            ];
            for (op, want) in pairs {
                let got = int_binary(op, IntTy::I64, a.into(), b.into());
                prop_assert_eq!(got, want.map(i128::from), "{} {:?} {}", a, op, b);
            }
            let (x, y) = (a.cast_unsigned(), b.cast_unsigned());
            let pairs = [
                (BinaryOp::Add, Some(x.wrapping_add(y))),
                (BinaryOp::Sub, Some(x.wrapping_sub(y))),
                (BinaryOp::Mul, Some(x.wrapping_mul(y))),
                (BinaryOp::Div, x.checked_div(y)),
                (BinaryOp::Rem, x.checked_rem(y)),
                (BinaryOp::Shl, u32::try_from(y).ok().and_then(|y| x.checked_shl(y))),
                (BinaryOp::Shr, u32::try_from(y).ok().and_then(|y| x.checked_shr(y))),
            ];
            for (op, want) in pairs {
                let got = int_binary(op, IntTy::U64, x.into(), y.into());
                prop_assert_eq!(got, want.map(i128::from), "{} {:?} {}", x, op, y);
            }
        }

        #[test]
        fn shifts_within_the_width_agree_with_machine_integers(a in any::<i32>(), by in 0_u32..32) {
            let left = int_binary(BinaryOp::Shl, IntTy::I32, a.into(), by.into());
            prop_assert_eq!(left, Some(i128::from(a << by)));
            let right = int_binary(BinaryOp::Shr, IntTy::I32, a.into(), by.into());
            prop_assert_eq!(right, Some(i128::from(a >> by)));
        }

        /// For example, -1 wraps to the largest unsigned number.
        #[test]
        fn wrapping_is_congruent_and_in_range(value in any::<i128>(), ty in any_type()) {
            let wrapped = ty.wrap(value);
            let modulus = 1_i128 << ty.bits;
            prop_assert_eq!(wrapped.rem_euclid(modulus), value.rem_euclid(modulus));
            let low = if ty.signed { -(modulus / 2) } else { 0 };
            prop_assert!(wrapped >= low && wrapped < low + modulus);
        }
    }
}
