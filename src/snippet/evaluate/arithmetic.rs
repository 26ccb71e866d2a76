//! Functions of LLVM's and C++'s libraries for numbers: `APInt`, `APFloat`, machine integers, characters, `double` and
//! `float`.
//!
//! Specification: each function returns the result of the C++ function. It fails if the behaviour of the C++ function
//! is undefined, or if a float format, NaN or rounding mode is not supported.
//!
//! This code does not depend on the host, so it is compiled only once.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};

use super::error::{
    bit_outside, different_formats, different_widths, division_by_zero, fail, integer_overflow,
    invalid_width, shift_too_large, too_few_bits,
};
use super::number::Number;
use crate::host::Refusal;
use crate::number::{ApFloat, ApInt, FloatFormat, FloatOperation, MAX_WIDTH, Round, Status};
use crate::snippet::data::{Builtin, FloatStep, IntTy};

const MALFORMED: &str = "the snippet is malformed";

fn integer(args: &[Number], index: usize) -> Result<i128, Refusal> {
    args.get(index).ok_or_else(|| Refusal::new(MALFORMED))?.int()
}

fn double(args: &[Number], index: usize) -> Result<f64, Refusal> {
    args.get(index).ok_or_else(|| Refusal::new(MALFORMED))?.double()
}

fn unsigned(args: &[Number], index: usize) -> Result<u64, Refusal> {
    u64::try_from(IntTy::U64.wrap(integer(args, index)?)).map_err(|_| Refusal::new(MALFORMED))
}

/// Evaluates a built-in of [`Group::Arithmetic`](crate::snippet::data::Group).
pub(super) fn call(op: Builtin, args: &[Number]) -> Result<Number, Refusal> {
    use Builtin as B;
    match (op, args.first()) {
        (B::ApAllOnes | B::ApZero | B::ApMaxSigned | B::ApMinSigned | B::ApOneBit, _)
        | (B::ApLowBits | B::ApHighBits, _) => constant(op, args).map(Number::ApInt),
        (_, Some(Number::ApInt(x))) => eval_ap_int(op, x, args),
        (B::FloatIsInteger, Some(Number::ApFloat(x))) => Ok(Number::Bool(x.is_integer())),
        (B::FloatRound, Some(&Number::ApFloat(x))) => {
            round_to_integral(x, rounding(args, 1)?).map(|(rounded, _)| Number::ApFloat(rounded))
        }
        (B::FloatResult | B::FloatStatus, Some(&Number::ApFloat(x))) => {
            let (value, status) = compute_float(x, args)?;
            Ok(if op == B::FloatResult { Number::ApFloat(value) } else { status_number(status) })
        }
        (B::FloatExponent, Some(Number::ApFloat(x))) => Ok(Number::Int(match x.exponent() {
            Some(exponent) => exponent.into(),
            // The values of `IEK_Zero`, `IEK_NaN` and `IEK_Inf`.
            None if x.is_zero() => i128::from(i32::MIN) + 1,
            None if x.is_nan() => i32::MIN.into(),
            None => i32::MAX.into(),
        })),
        (B::FloatBits, Some(Number::ApFloat(x))) => {
            let bits = ApInt::from_biguint(x.format().width(), &x.to_bits().into());
            Ok(Number::ApInt(bits))
        }
        (B::FloatIsDenormal, Some(Number::ApFloat(x))) => Ok(Number::Bool(x.is_denormal())),
        (
            B::FloatCompare
            | B::FloatSameBits
            | B::FloatMinnum
            | B::FloatMaxnum
            | B::FloatMinimum
            | B::FloatMaximum,
            Some(Number::ApFloat(x)),
        ) => match args.get(1) {
            Some(Number::ApFloat(y)) if x.format() == y.format() => eval_two_floats(op, *x, *y),
            Some(Number::ApFloat(_)) if op == B::FloatSameBits => Ok(Number::Bool(false)),
            Some(Number::ApFloat(y)) => different_formats(*x, *y),
            _ => fail(MALFORMED),
        },
        (B::FloatConversionStatus | B::FloatConversionLoses, Some(Number::ApFloat(x))) => {
            conversion_status(op, *x, args)
        }
        (B::FloatOfApInt, Some(Number::ApFloat(x))) => {
            float_of_ap_int(*x, args).map(|(value, _)| Number::ApFloat(value))
        }
        (B::FloatOfApIntStatus, Some(Number::ApFloat(x))) => {
            float_of_ap_int(*x, args).map(|(_, status)| status_number(status))
        }
        (B::FloatToInt | B::FloatToIntStatus, Some(Number::ApFloat(x))) => float_to_int(op, *x, args),
        (
            B::IsAlpha
            | B::IsDigit
            | B::IsAlnum
            | B::IsUpper
            | B::IsLower
            | B::IsSpace
            | B::IsHexDigit
            | B::IsPunct
            | B::IsPrint
            | B::ToLower
            | B::ToUpper,
            _,
        ) => eval_character(op, integer(args, 0)?),
        (B::FloatOfSingle, _) => Ok(Number::ApFloat(ApFloat::from_f64(FloatFormat::F32, double(args, 0)?))),
        (
            B::Floor
            | B::Ceil
            | B::Round
            | B::Trunc
            | B::Exp
            | B::Log
            | B::LogBase2
            | B::Power
            | B::ExpOfSingle
            | B::LogOfSingle
            | B::LogBase2OfSingle
            | B::PowerOfSingle
            | B::RoundedInt
            | B::Remainder
            | B::IsNanOf
            | B::IsInfOf
            | B::IsFiniteOf
            | B::FractionOf
            | B::ExponentOf
            | B::ScaledByPower,
            _,
        ) => eval_double(op, args),
        _ => eval_integers(op, args),
    }
}

/// The rounding mode in an argument, as LLVM numbers the modes.
pub(super) fn rounding_mode(mode: i128) -> Result<Round, Refusal> {
    Ok(match mode {
        0 => Round::TowardZero,
        1 => Round::NearestTiesToEven,
        2 => Round::TowardPositive,
        3 => Round::TowardNegative,
        4 => Round::NearestTiesToAway,
        _ => return fail(format!("{mode} is not a rounding mode")),
    })
}

fn rounding(args: &[Number], index: usize) -> Result<Round, Refusal> {
    rounding_mode(integer(args, index)?)
}

/// The number of an `APFloat::opStatus`.
fn status_number(status: Status) -> Number {
    Number::Int(status.bits().into())
}

/// Computes `x.convertFromAPInt(value, isSigned, mode)`: the result, which has the format of `x`, and the status.
fn float_of_ap_int(x: ApFloat, args: &[Number]) -> Result<(ApFloat, Status), Refusal> {
    let (Some(Number::ApInt(value)), Some(Number::Bool(signed))) = (args.get(1), args.get(2)) else {
        return fail(MALFORMED);
    };
    let value = if *signed { value.to_bigint() } else { value.to_biguint().into() };
    match ApFloat::from_integer(x.format(), &value, rounding(args, 3)?) {
        Some(found) => Ok(found),
        None => {
            fail(format!("{value} cannot be rounded to the float format {} in this mode", x.format().name()))
        }
    }
}

/// The result and the status of an operation on an `APFloat`. The arguments after the float are a [`FloatStep`] with the
/// rounding mode, and the other operands.
fn compute_float(x: ApFloat, args: &[Number]) -> Result<(ApFloat, Status), Refusal> {
    let operand = |index: usize| match args.get(index) {
        Some(Number::ApFloat(y)) if y.format() == x.format() => Ok(*y),
        Some(Number::ApFloat(y)) => different_formats(x, *y),
        _ => Ok(x),
    };
    let Some((step, mode)) = FloatStep::of_argument(integer(args, 1)?) else { return fail(MALFORMED) };
    let round = rounding_mode(mode)?;
    let operation = match step {
        FloatStep::Add => FloatOperation::Add,
        FloatStep::Subtract => FloatOperation::Sub,
        FloatStep::Multiply => FloatOperation::Mul,
        FloatStep::Divide => FloatOperation::Div,
        FloatStep::MultiplyAdd => FloatOperation::MulAdd,
        FloatStep::Mod => FloatOperation::Fmod,
        FloatStep::Remainder => FloatOperation::Remainder,
        FloatStep::NextUp => FloatOperation::NextUp,
        FloatStep::NextDown => FloatOperation::NextDown,
        FloatStep::RoundToIntegral => return round_to_integral(x, round),
        FloatStep::Scale => {
            let by = i32::try_from(integer(args, 2)?).map_err(|_| Refusal::new(MALFORMED))?;
            FloatOperation::Scale(by)
        }
    };
    match x.compute(operation, [operand(2)?, operand(3)?], round) {
        Some(found) => Ok(found),
        None => fail(format!(
            "this operation or rounding mode is not supported for the float format {}",
            x.format().name()
        )),
    }
}

/// Compares two floats of the same format, or returns the smaller or larger float.
fn eval_two_floats(op: Builtin, x: ApFloat, y: ApFloat) -> Result<Number, Refusal> {
    use Builtin as B;
    let order = x.compare(y);
    let is_max = matches!(op, B::FloatMaxnum | B::FloatMaximum);
    let chosen = match (op, x.is_nan(), y.is_nan()) {
        (B::FloatSameBits, ..) => return Ok(Number::Bool(x == y)),
        // The values of `APFloat::cmpResult`.
        (B::FloatCompare, ..) => return Ok(Number::Int(order.map_or(3, |order| order as i128 + 1))),
        (B::FloatMinnum | B::FloatMaxnum, true, _) if x.is_signaling() => x.quiet(),
        (B::FloatMinnum | B::FloatMaxnum, _, true) if y.is_signaling() => y.quiet(),
        (B::FloatMinnum | B::FloatMaxnum, true, _) => y,
        (B::FloatMinnum | B::FloatMaxnum, _, true) => x,
        (_, true, _) => x.quiet(),
        (_, _, true) => y.quiet(),
        // Negative zero is less than positive zero.
        _ if x.is_zero() && y.is_zero() => {
            if x.is_negative() == is_max {
                y
            } else {
                x
            }
        }
        _ if order == Some(if is_max { Ordering::Less } else { Ordering::Greater }) => y,
        _ => x,
    };
    Ok(Number::ApFloat(chosen))
}

/// The status of the conversion of `x` to another format, or true if the conversion loses information. The second
/// argument is the result of the conversion.
fn conversion_status(op: Builtin, x: ApFloat, args: &[Number]) -> Result<Number, Refusal> {
    let Some(Number::ApFloat(result)) = args.get(1) else { return fail(MALFORMED) };
    match x.conversion_status(*result) {
        Some((status, _)) if op == Builtin::FloatConversionStatus => Ok(status_number(status)),
        Some((_, loses)) => Ok(Number::Bool(loses)),
        None => fail(format!("the float format {} has no NaN", result.format().name())),
    }
}

/// Computes `x.roundToIntegral(mode)`: the result and the status.
fn round_to_integral(x: ApFloat, round: Round) -> Result<(ApFloat, Status), Refusal> {
    if let Some(found) = x.compute(FloatOperation::Integral, [x; 2], round) {
        return Ok(found);
    }
    // The other formats have fewer bits than `f64`.
    let value = x.to_f64();
    let rounded = match round {
        Round::NearestTiesToEven => value.round_ties_even(),
        Round::NearestTiesToAway => value.round(),
        Round::TowardZero => value.trunc(),
        Round::TowardPositive => value.ceil(),
        Round::TowardNegative => value.floor(),
    };
    let inexact = !value.is_nan() && rounded.total_cmp(&value).is_ne();
    Ok((ApFloat::from_f64(x.format(), rounded), if inexact { Status::INEXACT } else { Status::OK }))
}

/// Computes `x.convertToInteger(result, mode, isExact)`: the result, or the status if `op` is `FloatToIntStatus`. The
/// arguments after `x` are the width of the result, true if the result is unsigned, and the rounding mode.
fn float_to_int(op: Builtin, x: ApFloat, args: &[Number]) -> Result<Number, Refusal> {
    let (width, Some(Number::Bool(unsigned))) = (width(args, 1)?, args.get(2)) else {
        return fail(MALFORMED);
    };
    let rounded = match rounding(args, 3)? {
        Round::TowardZero => x,
        round => round_to_integral(x, round)?.0,
    };
    let (max, min) = match unsigned {
        true => (ApInt::all_ones(width).to_biguint().into(), BigInt::ZERO),
        false if width == 0 => (BigInt::ZERO, BigInt::ZERO),
        false => (ApInt::max_signed(width).to_bigint(), ApInt::min_signed(width).to_bigint()),
    };
    let whole = rounded.truncated();
    let fits = whole.as_ref().filter(|whole| (&min..=&max).contains(whole));
    if op == Builtin::FloatToIntStatus {
        let Some(fits) = fits else { return Ok(status_number(Status::INVALID_OP)) };
        let same = ApFloat::parse_decimal(x.format(), &fits.to_string()) == Some(x) || x.is_zero();
        return Ok(status_number(if same { Status::OK } else { Status::INEXACT }));
    }
    // A number outside of the range becomes the nearest number in the range, and a NaN becomes 0.
    let value = match fits {
        Some(fits) => fits.clone(),
        None if x.is_nan() => BigInt::ZERO,
        None if x.is_negative() => min,
        None => max,
    };
    Ok(Number::ApInt(ApInt::from_bigint(width, &value)))
}

/// Tests the class of a character, or converts the character to lower or upper case, as in the "C" locale.
fn eval_character(op: Builtin, value: i128) -> Result<Number, Refusal> {
    use Builtin as B;
    let Some(char) = u8::try_from(value).ok().filter(u8::is_ascii) else {
        // Values that are not ASCII characters belong to no class and have no other case.
        let converts = matches!(op, B::ToLower | B::ToUpper);
        return Ok(if converts { Number::Int(value) } else { Number::Bool(false) });
    };
    Ok(Number::Bool(match op {
        B::ToLower => return Ok(Number::Int(char.to_ascii_lowercase().into())),
        B::ToUpper => return Ok(Number::Int(char.to_ascii_uppercase().into())),
        B::IsAlpha => char.is_ascii_alphabetic(),
        B::IsDigit => char.is_ascii_digit(),
        B::IsAlnum => char.is_ascii_alphanumeric(),
        B::IsUpper => char.is_ascii_uppercase(),
        B::IsLower => char.is_ascii_lowercase(),
        B::IsSpace => char.is_ascii_whitespace() || char == b'\x0b',
        B::IsHexDigit => char.is_ascii_hexdigit(),
        B::IsPunct => char.is_ascii_punctuation(),
        B::IsPrint => matches!(char, b' '..=b'~'),
        _ => return fail(MALFORMED),
    }))
}

/// Rounds a value to a `float`.
#[allow(clippy::cast_possible_truncation, reason = "the value is a float")]
fn single(value: f64) -> f32 {
    value as f32
}

fn eval_double(op: Builtin, args: &[Number]) -> Result<Number, Refusal> {
    use Builtin as B;
    let x = double(args, 0)?;
    Ok(Number::Double(match op {
        B::Floor => x.floor(),
        B::Ceil => x.ceil(),
        B::Round => x.round(),
        B::Trunc => x.trunc(),
        B::Exp => x.exp(),
        B::Log => x.ln(),
        B::LogBase2 => x.log2(),
        B::Power => x.powf(double(args, 1)?),
        // The functions of `float` round differently from those of `double`.
        B::ExpOfSingle => single(x).exp().into(),
        B::LogOfSingle => single(x).ln().into(),
        B::LogBase2OfSingle => single(x).log2().into(),
        B::PowerOfSingle => single(x).powf(single(double(args, 1)?)).into(),
        B::RoundedInt => return Number::Double(x.round()).convert(IntTy::I64.item()),
        B::Remainder => x % double(args, 1)?,
        B::IsNanOf => return Ok(Number::Bool(x.is_nan())),
        B::IsInfOf => return Ok(Number::Bool(x.is_infinite())),
        B::IsFiniteOf => return Ok(Number::Bool(x.is_finite())),
        B::FractionOf => fraction_and_exponent(x).0,
        B::ExponentOf if !x.is_finite() => {
            return fail("the exponent of a number that is not finite is unspecified");
        }
        B::ExponentOf => return Ok(Number::Int(fraction_and_exponent(x).1.into())),
        B::ScaledByPower => {
            // C++ converts the exponent to `int`. The limits are large enough to turn every number into zero or
            // infinity.
            let by = IntTy::I32.wrap(integer(args, 1)?).clamp(-4_096, 4_096);
            scaled(x, i32::try_from(by).map_err(|_| Refusal::new(MALFORMED))?)
        }
        _ => return fail(MALFORMED),
    }))
}

/// Computes `frexp(x)`: a fraction that is zero or has a magnitude of at least 1/2 and less than 1, and the exponent of
/// the power of two that scales the fraction to `x`.
fn fraction_and_exponent(x: f64) -> (f64, i32) {
    const SUBNORMAL_SHIFT: i32 = 64;
    const BIAS: i32 = 1_022;
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (normal, shift) = match x.is_normal() {
        true => (x, 0),
        false => (x * 2.0_f64.powi(SUBNORMAL_SHIFT), SUBNORMAL_SHIFT),
    };
    let bits = normal.to_bits();
    let exponent = i32::try_from(bits >> 52 & 0x7ff).unwrap_or_default() - BIAS;
    let fraction = f64::from_bits(bits & !(0x7ff << 52) | 0x3fe << 52);
    (fraction, exponent - shift)
}

/// Computes `ldexp(x, by)`: `x` times a power of two, rounded once.
fn scaled(x: f64, by: i32) -> f64 {
    let (fraction, exponent) = fraction_and_exponent(x);
    if !x.is_finite() || x == 0.0 {
        return x;
    }
    let exponent = exponent.saturating_add(by);
    // The first product is exact. The second product rounds if the result is subnormal.
    let first = exponent.clamp(-1_000, 1_000);
    fraction * 2.0_f64.powi(first) * 2.0_f64.powi((exponent - first).clamp(-1_000, 1_000))
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn eval_integers(op: Builtin, args: &[Number]) -> Result<Number, Refusal> {
    use Builtin as B;
    let value = match op {
        B::Gcd | B::Lcm => {
            let (a, b) = (integer(args, 0)?.unsigned_abs(), integer(args, 1)?.unsigned_abs());
            let divisor = gcd(a, b);
            let magnitude = match (op, a.checked_div(divisor)) {
                (B::Gcd, _) => Some(divisor),
                (_, Some(rest)) => rest.checked_mul(b),
                (_, None) => Some(0),
            };
            match magnitude.and_then(|magnitude| i128::try_from(magnitude).ok()) {
                Some(value) => value,
                None => return integer_overflow(),
            }
        }
        B::DivCeil | B::DivFloor | B::FloorMod => {
            let (a, b) = (integer(args, 0)?, integer(args, 1)?);
            if b == 0 {
                return division_by_zero();
            }
            let (quotient, rest) = (a / b, a % b);
            let exact = rest == 0;
            let negative = (a < 0) != (b < 0);
            match op {
                B::DivCeil => quotient + i128::from(!exact && !negative),
                B::DivFloor => quotient - i128::from(!exact && negative),
                _ if !exact && negative => rest + b,
                _ => rest,
            }
        }
        B::AlignTo => {
            let (value, align) = (unsigned(args, 0)?, unsigned(args, 1)?);
            if align == 0 {
                return division_by_zero();
            }
            value.div_ceil(align).wrapping_mul(align).into()
        }
        B::PowerOf2Ceil => match unsigned(args, 0)? {
            // LLVM's function returns 0 for 2^63 as well.
            value if value == 0 || value > u64::MAX / 2 => 0,
            value => value.next_power_of_two().into(),
        },
        B::NextPowerOf2 => {
            let value = unsigned(args, 0)?;
            value.checked_add(1).and_then(u64::checked_next_power_of_two).unwrap_or(0).into()
        }
        B::Popcount => unsigned(args, 0)?.count_ones().into(),
        B::TrailingZeros => unsigned(args, 0)?.trailing_zeros().into(),
        B::LeadingZeros => unsigned(args, 0)?.leading_zeros().into(),
        _ => return fail(MALFORMED),
    };
    Ok(Number::Int(value))
}

fn width(args: &[Number], index: usize) -> Result<u32, Refusal> {
    let value = integer(args, index)?;
    match u32::try_from(value) {
        Ok(width) if width <= MAX_WIDTH => Ok(width),
        _ => invalid_width(value),
    }
}

/// `APInt::getAllOnes` and other constants.
fn constant(op: Builtin, args: &[Number]) -> Result<ApInt, Refusal> {
    use Builtin as B;
    let bits = width(args, 0)?;
    if bits == 0 && !matches!(op, B::ApZero | B::ApAllOnes) {
        return fail("expected an APInt of at least 1 bit, but it has 0");
    }
    Ok(match op {
        B::ApAllOnes => ApInt::all_ones(bits),
        B::ApZero => ApInt::zero(bits),
        B::ApMaxSigned => ApInt::max_signed(bits),
        B::ApMinSigned => ApInt::min_signed(bits),
        _ => {
            let count = width(args, 1)?;
            if op == B::ApOneBit && count >= bits {
                return bit_outside(count, bits);
            }
            if count > bits {
                return too_few_bits(count.into(), bits);
            }
            match op {
                B::ApOneBit => ApInt::one(bits).shl(count.into()),
                B::ApLowBits if count == 0 => ApInt::zero(bits),
                B::ApLowBits => ApInt::all_ones(bits).lshr((bits - count).into()),
                _ if count == 0 => ApInt::zero(bits),
                _ => ApInt::all_ones(bits).shl((bits - count).into()),
            }
        }
    })
}

fn leading_zeros(x: &ApInt) -> u32 {
    x.width() - x.active_bits()
}

fn trailing_zeros(x: &ApInt) -> u32 {
    (0..x.width()).find(|&bit| x.bit(bit)).unwrap_or(x.width())
}

/// The number of bits that equal the sign bit, from the highest bit on.
fn sign_bits(x: &ApInt) -> u32 {
    if x.is_negative() { leading_zeros(&x.not()) } else { leading_zeros(x) }
}

fn eval_ap_int(op: Builtin, x: &ApInt, args: &[Number]) -> Result<Number, Refusal> {
    use Builtin as B;
    let count = |count: u32| Ok(Number::Int(count.into()));
    match op {
        B::ApLeadingZeros => return count(leading_zeros(x)),
        B::ApTrailingZeros => return count(trailing_zeros(x)),
        B::ApLeadingOnes => return count(leading_zeros(&x.not())),
        B::ApTrailingOnes => return count(trailing_zeros(&x.not())),
        B::ApPopcount => return Ok(Number::Int(x.to_biguint().count_ones().into())),
        B::ApActiveBits => return count(x.active_bits()),
        B::ApSignificantBits => return count(x.width() - sign_bits(x) + 1),
        B::ApIsMask => {
            let ones = trailing_zeros(&x.not());
            return Ok(Number::Bool(ones > 0 && ones + leading_zeros(x) == x.width()));
        }
        B::ApBit | B::ApWithBit | B::ApWithoutBit => {
            let at = width(args, 1)?;
            if at >= x.width() {
                return bit_outside(at, x.width());
            }
            let mask = ApInt::one(x.width()).shl(at.into());
            return Ok(match op {
                B::ApBit => Number::Bool(x.bit(at)),
                B::ApWithBit => Number::ApInt(x.or(&mask)),
                _ => Number::ApInt(x.and(&mask.not())),
            });
        }
        B::ApKeepLow | B::ApKeepHigh => {
            let count = width(args, 1)?;
            let Some(rest) = x.width().checked_sub(count) else {
                return too_few_bits(count.into(), x.width());
            };
            return Ok(Number::ApInt(match op {
                B::ApKeepHigh => x.lshr(rest.into()),
                _ if count == 0 => ApInt::zero(x.width()),
                _ => x.and(&ApInt::all_ones(x.width()).lshr(rest.into())),
            }));
        }
        B::ApIsIntN => return Ok(Number::Bool(x.active_bits() <= width(args, 1)?)),
        B::ApIsSignedIntN => return Ok(Number::Bool(x.width() - sign_bits(x) < width(args, 1)?)),
        B::ApExtract => {
            let (bits, at) = (width(args, 1)?, width(args, 2)?);
            let end = u64::from(at) + u64::from(bits);
            if end > u64::from(x.width()) {
                return too_few_bits(end, x.width());
            }
            return Ok(Number::ApInt(x.lshr(at.into()).zext_or_trunc(bits)));
        }
        B::ApConcat => {
            let Some(Number::ApInt(low)) = args.get(1) else { return fail(MALFORMED) };
            let bits = match x.width().checked_add(low.width()) {
                Some(bits) if bits <= MAX_WIDTH => bits,
                _ => return invalid_width(u64::from(x.width()) + u64::from(low.width())),
            };
            let high = x.zext_or_trunc(bits).shl(low.width().into());
            return Ok(Number::ApInt(high.or(&low.zext_or_trunc(bits))));
        }
        B::ApRotl | B::ApRotr => {
            let bits = u64::from(x.width());
            if bits == 0 {
                return Ok(Number::ApInt(x.clone()));
            }
            let by = match args.get(1) {
                Some(Number::ApInt(by)) => u64::try_from(by.to_biguint() % bits).unwrap_or_default(),
                _ => unsigned(args, 1)? % bits,
            };
            let left = if op == B::ApRotl { by } else { (bits - by) % bits };
            return Ok(Number::ApInt(x.shl(left).or(&x.lshr(bits - left))));
        }
        B::ApReverse => {
            let mut bytes = x.to_le_bytes();
            let unused = bytes.len() * 8 - x.width() as usize;
            bytes.reverse();
            bytes.iter_mut().for_each(|byte| *byte = byte.reverse_bits());
            return Ok(Number::ApInt(ApInt::from_biguint(
                x.width(),
                &(BigUint::from_bytes_le(&bytes) >> unused),
            )));
        }
        B::ApSwapBytes => {
            if x.width() < 16 || !x.width().is_multiple_of(8) {
                return fail(format!(
                    "the bytes of an APInt of {} bits cannot be swapped; expected a multiple of 8 that is at least 16",
                    x.width()
                ));
            }
            let mut bytes = x.to_le_bytes();
            bytes.reverse();
            return Ok(Number::ApInt(ApInt::from_le_bytes(x.width(), &bytes)));
        }
        B::ApShl | B::ApLshr | B::ApAshr => {
            let amount = match args.get(1) {
                Some(Number::ApInt(amount)) => match amount.to_u64() {
                    // A shift by an APInt may exceed the width.
                    Some(amount) => amount.min(x.width().into()),
                    None => x.width().into(),
                },
                _ => {
                    let amount = integer(args, 1)?;
                    match u64::try_from(amount) {
                        Ok(amount) if amount <= u64::from(x.width()) => amount,
                        _ => return shift_too_large(amount, x.width()),
                    }
                }
            };
            return Ok(Number::ApInt(match op {
                B::ApShl => x.shl(amount),
                B::ApLshr => x.lshr(amount),
                _ => x.ashr(amount),
            }));
        }
        _ => {}
    }
    if let (B::ApUdiv | B::ApSdiv | B::ApUrem | B::ApSrem, Some(divisor)) = (op, args.get(1))
        && !matches!(divisor, Number::ApInt(_))
    {
        return divided_by(op, x, divisor.int()?);
    }
    let y = match args.get(1) {
        Some(Number::ApInt(y)) if y.width() == x.width() => y.clone(),
        Some(Number::ApInt(y)) => return different_widths(x, y),
        _ => ApInt::from_u64(x.width(), unsigned(args, 1)?),
    };
    eval_two_ap_ints(op, x, &y)
}

/// The quotient or remainder of an `APInt` and a machine integer. The remainder is a machine integer as well. The
/// divisor is not truncated to the width of the `APInt`.
fn divided_by(op: Builtin, x: &ApInt, divisor: i128) -> Result<Number, Refusal> {
    let signed = matches!(op, Builtin::ApSdiv | Builtin::ApSrem);
    let (x_value, divisor) = match signed {
        true => (x.to_bigint(), BigInt::from(IntTy::I64.wrap(divisor))),
        false => (BigInt::from(x.to_biguint()), BigInt::from(IntTy::U64.wrap(divisor))),
    };
    if divisor == BigInt::ZERO {
        return division_by_zero();
    }
    if matches!(op, Builtin::ApUdiv | Builtin::ApSdiv) {
        return Ok(Number::ApInt(ApInt::from_bigint(x.width(), &(x_value / divisor))));
    }
    let rest = i128::try_from(x_value % divisor);
    Ok(Number::Int(rest.expect("the magnitude of the remainder is less than that of the 64-bit divisor")))
}

fn eval_two_ap_ints(op: Builtin, x: &ApInt, y: &ApInt) -> Result<Number, Refusal> {
    use Builtin as B;
    let bits = x.width();
    let divides = matches!(op, B::ApUdiv | B::ApSdiv | B::ApUrem | B::ApSrem | B::ApSdivOverflows);
    if divides && y.is_zero() {
        return division_by_zero();
    }
    let of_bigint = |value: BigInt| Number::ApInt(ApInt::from_bigint(bits, &value));
    let (sx, sy) = (x.to_bigint(), y.to_bigint());
    let (ux, uy) = (BigInt::from(x.to_biguint()), BigInt::from(y.to_biguint()));
    let overflows_signed = |value: BigInt| {
        let fits = ApInt::from_bigint(bits, &value).to_bigint() == value;
        Ok(Number::Bool(!fits))
    };
    let overflows_unsigned = |value: BigInt| {
        let fits = BigInt::from(ApInt::from_bigint(bits, &value).to_biguint()) == value;
        Ok(Number::Bool(!fits))
    };
    let choose = |first: bool| Number::ApInt(if first { x.clone() } else { y.clone() });
    match op {
        B::ApSaddOverflows => return overflows_signed(sx + sy),
        B::ApUaddOverflows => return overflows_unsigned(ux + uy),
        B::ApSsubOverflows => return overflows_signed(sx - sy),
        B::ApUsubOverflows => return overflows_unsigned(ux - uy),
        B::ApSmulOverflows => return overflows_signed(sx * sy),
        B::ApUmulOverflows => return overflows_unsigned(ux * uy),
        B::ApSdivOverflows => return overflows_signed(sx / sy),
        _ => {}
    }
    Ok(match op {
        B::ApUdiv => of_bigint(ux / uy),
        B::ApUrem => of_bigint(ux % uy),
        // The quotient of the least number and -1 wraps.
        B::ApSdiv => of_bigint(sx / sy),
        B::ApSrem => of_bigint(sx % sy),
        B::ApIsSubsetOf => Number::Bool(x.and(&y.not()).is_zero()),
        B::ApIntersects => Number::Bool(!x.and(y).is_zero()),
        B::ApSmin => choose(x.cmp_signed(y).is_lt()),
        B::ApSmax => choose(x.cmp_signed(y).is_gt()),
        B::ApUmin => choose(x.cmp_unsigned(y).is_lt()),
        B::ApUmax => choose(x.cmp_unsigned(y).is_gt()),
        _ => return fail("an APInt has no such method"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reversed(x: &ApInt) -> ApInt {
        match eval_ap_int(Builtin::ApReverse, x, &[]) {
            Ok(Number::ApInt(reversed)) => reversed,
            _ => panic!("every APInt can be reversed"),
        }
    }

    #[test]
    fn bits_are_reversed_in_each_width() {
        for width in [1, 7, 8, 9, 63, 64, 65, 130] {
            for at in 0..width {
                let x = ApInt::one(width).shl(at.into()).or(&ApInt::one(width));
                let found = reversed(&x);
                assert_eq!(found.width(), width);
                let set: Vec<u32> = (0..width).filter(|&at| found.bit(at)).collect();
                let mut expected = vec![width - 1 - at, width - 1];
                expected.dedup();
                assert_eq!(set, expected, "bit {at} of {width}");
            }
        }
        assert!(reversed(&ApInt::zero(0)).is_zero());
        // An algorithm that is quadratic in the width would take too long for the maximum width.
        let ones = ApInt::zero(MAX_WIDTH).not();
        assert!(reversed(&ones).cmp_unsigned(&ones).is_eq());
    }
}
