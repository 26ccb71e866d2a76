//! Floats of MLIR's formats, as bits.
//!
//! A number is decoded to `significand * 2^exponent`, and encoded with rounding to nearest, ties to even. The table of
//! formats states the layout of the bits. `rustc_apfloat` does the arithmetic of the formats that it has. The narrow
//! formats that it lacks are computed in `f64` and rounded again. Rounding twice does not change the result, because 53
//! bits are more than twice the 11 bits of the widest of these formats (Figueroa, When is double rounding innocuous?,
//! 1995).

use std::cmp::Ordering;
use std::fmt;

use num_bigint::{BigInt, BigUint};
use rustc_apfloat::{Float, Round, Status, StatusAnd, ieee};

use super::decimal::{Decimal, from_decimal, to_decimal};
use super::format::{FloatFormat, NonFinite};

/// A float of one of MLIR's formats. Two floats are equal if their formats and bits are equal.
///
/// ```
/// use drrvm::host::{ApFloat, FloatFormat};
/// let x = ApFloat::from_f64(FloatFormat::F16, 0.1);
/// assert_eq!(x.to_string(), "9.997550e-02");
/// assert_eq!(ApFloat::from_bits(FloatFormat::F16, 0x7C00).to_string(), "0x7C00");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ApFloat {
    format: FloatFormat,
    bits: u128,
}

/// The class of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatClass {
    /// Not a number.
    Nan,
    /// An infinity.
    Infinite,
    /// A zero.
    Zero,
    /// Any other number.
    Finite,
}

/// A decoded value.
enum Decoded {
    Nan,
    Infinite,
    Zero,
    /// The magnitude `significand * 2^exponent`.
    Finite {
        significand: u128,
        exponent: i32,
    },
}

/// The limit for the magnitude of a decimal exponent. It exceeds the range of `f128`, the widest format: from 10^-4966
/// to 10^4933.
const EXPONENT_LIMIT: i64 = 6000;
/// The maximum number of significant digits that are converted. Further digits can only break a tie, so a single digit
/// 1 replaces them unless all of them are zeros.
const DIGIT_LIMIT: usize = 12_000;

impl ApFloat {
    /// The float with these bits. Bits above the width of the format are ignored. If the explicit leading bit of an
    /// `f80` contradicts its exponent, the bits are changed to those of the value that LLVM reads.
    pub fn from_bits(format: FloatFormat, bits: u128) -> Self {
        let width = format.width();
        let bits = if width == 128 { bits } else { bits & ((1 << width) - 1) };
        Self { format, bits: if format == FloatFormat::F80 { x87(bits) } else { bits } }
    }

    /// The format.
    pub fn format(self) -> FloatFormat {
        self.format
    }

    /// The bits.
    pub fn to_bits(self) -> u128 {
        self.bits
    }

    /// Positive zero, or the smallest number of a format without zero.
    pub fn zero(format: FloatFormat) -> Self {
        Self { format, bits: 0 }
    }

    /// The quiet NaN, if the format has one.
    pub fn nan(format: FloatFormat) -> Option<Self> {
        let layout = format.layout();
        let bits = match layout.non_finite {
            NonFinite::None => return None,
            NonFinite::NanNegativeZero => layout.sign_bit(),
            NonFinite::NanAllOnes => !layout.sign_bit(),
            NonFinite::Ieee => {
                let quiet = 1 << (layout.precision - 2);
                let explicit = if format == FloatFormat::F80 { 1 << 63 } else { 0 };
                (layout.max_field() << layout.mantissa_bits) | quiet | explicit
            }
        };
        Some(Self::from_bits(format, bits))
    }

    /// Infinity, if the format has one.
    pub fn infinity(format: FloatFormat, negative: bool) -> Option<Self> {
        let layout = format.layout();
        let explicit = if format == FloatFormat::F80 { 1 << 63 } else { 0 };
        format.has_infinity().then(|| {
            let sign = if negative { layout.sign_bit() } else { 0 };
            Self { format, bits: sign | (layout.max_field() << layout.mantissa_bits) | explicit }
        })
    }

    /// The finite number of the largest magnitude.
    pub fn largest(format: FloatFormat, negative: bool) -> Self {
        let layout = format.layout();
        let mut significand = (1u128 << layout.precision) - 1;
        if layout.non_finite == NonFinite::NanAllOnes && layout.mantissa_bits > 0 {
            significand -= 1;
        }
        let exponent = layout.max_exponent() - bits_i32(layout.precision) + 1;
        Self::encode(format, negative, significand, exponent, false)
    }

    /// The normalized number of the smallest magnitude, with this sign.
    pub(crate) fn smallest_normalized(format: FloatFormat, negative: bool) -> Self {
        Self::encode(format, negative, 1, format.layout().min_exponent(), false)
    }

    /// The number of the smallest magnitude except zero, with this sign: a denormal number if the format has any.
    pub(crate) fn smallest(format: FloatFormat, negative: bool) -> Self {
        let layout = format.layout();
        Self::encode(format, negative, 1, layout.min_exponent() - bits_i32(layout.precision) + 1, false)
    }

    /// True for a signaling NaN.
    pub(crate) fn is_signaling(self) -> bool {
        self.is_nan() && self.quiet() != self
    }

    /// The value, with a signaling NaN made quiet.
    #[must_use]
    pub(crate) fn quiet(self) -> Self {
        let layout = self.format.layout();
        match self.is_nan() && layout.non_finite == NonFinite::Ieee {
            true => Self::from_bits(self.format, self.bits | 1 << (layout.precision - 2)),
            false => self,
        }
    }

    /// True for a denormal number.
    pub(crate) fn is_denormal(self) -> bool {
        let smallest = Self::smallest_normalized(self.format, false);
        !self.is_zero() && self.abs().compare(smallest) == Some(Ordering::Less)
    }

    /// Converts `value` to this format, as [`ApFloat::convert`] does.
    pub fn from_f64(format: FloatFormat, value: f64) -> Self {
        Self::from_bits(FloatFormat::F64, value.to_bits().into()).convert(format)
    }

    /// Converts the value to `f64`, as [`ApFloat::convert`] does.
    pub fn to_f64(self) -> f64 {
        let bits = self.convert(FloatFormat::F64).bits;
        f64::from_bits(u64::try_from(bits).expect("an f64 has 64 bits"))
    }

    /// The nearest number in another format. If the number is infinite or too large, the result is an infinity. In a
    /// format without infinity, the result is a NaN; in a format with neither, it is the largest number. A NaN becomes
    /// a quiet NaN with the same sign and the same high bits of the mantissa, as far as the formats have them. In a
    /// format without NaN, it becomes zero. A format without a sign drops the sign.
    #[must_use]
    pub fn convert(self, format: FloatFormat) -> Self {
        if format == self.format {
            return self;
        }
        let negative = self.is_negative();
        match self.decode() {
            Decoded::Nan => self.convert_nan(format),
            Decoded::Infinite => Self::overflow(format, negative),
            Decoded::Zero => Self::signed_zero(format, negative),
            Decoded::Finite { significand, exponent } => {
                Self::encode(format, negative, significand, exponent, false)
            }
        }
    }

    /// The number in another format, rounded in a mode; never `None` in the default mode. In other modes, a finite
    /// number that is inexact in the format gives `None` if the format has an explicit leading bit, no zero or no NaN.
    /// If the mode rounds ties away from zero, such a number also gives `None` if the format has no infinity.
    pub(crate) fn convert_rounded(self, format: FloatFormat, round: Round) -> Option<Self> {
        let nearest = self.convert(format);
        let exact = |x: Self| x.convert(FloatFormat::F128);
        let size = |x: Self| exact(x).abs();
        let order = size(nearest).compare(size(self));
        if round == Round::NearestTiesToEven
            || !matches!(self.class(), FloatClass::Finite)
            || order == Some(Ordering::Equal)
        {
            return Some(nearest);
        }
        let layout = format.layout();
        if format == FloatFormat::F80
            || !layout.has_zero
            || !format.has_nan()
            || round == Round::NearestTiesToAway && !format.has_infinity()
        {
            return None;
        }
        let negative = self.is_negative();
        // The bits of adjacent numbers of one sign are adjacent. An overflow to NaN counts as the next number.
        let (lower, upper) = match order {
            None => (Self::largest(format, negative), nearest),
            Some(Ordering::Greater) if nearest.bits & !layout.sign_bit() == 1 => {
                (Self::signed_zero(format, negative), nearest)
            }
            Some(Ordering::Greater) => (Self { format, bits: nearest.bits - 1 }, nearest),
            _ if nearest.is_zero() => (nearest, Self::smallest(format, negative)),
            _ if nearest == Self::largest(format, negative) => (nearest, Self::overflow(format, negative)),
            _ => (nearest, Self { format, bits: nearest.bits + 1 }),
        };
        let is_tie = || exact(lower).add(exact(upper)) == exact(self).add(exact(self));
        Some(match round {
            Round::NearestTiesToAway if upper.is_infinite() || !is_tie() => nearest,
            Round::NearestTiesToAway => upper,
            Round::TowardPositive if !negative => upper,
            Round::TowardNegative if negative => upper,
            _ => lower,
        })
    }

    fn convert_nan(self, format: FloatFormat) -> Self {
        let (from, to) = (self.format.layout(), format.layout());
        // The NaN that has the bits of the negative zero is not negative.
        let negative = self.is_negative() && from.non_finite != NonFinite::NanNegativeZero;
        match (Self::nan(format), to.non_finite) {
            (None, _) => Self::signed_zero(format, negative),
            (Some(nan), NonFinite::NanNegativeZero) => nan,
            (Some(nan), _) => {
                let sign = if negative { to.sign_bit() } else { 0 };
                let widening = bits_i32(to.precision) - bits_i32(from.precision);
                let fraction = match widening >= 0 {
                    true => self.fraction() << widening,
                    false => self.fraction() >> -widening,
                };
                Self { format, bits: nan.bits | sign | fraction }
            }
        }
    }

    /// The bits of the mantissa after the leading bit.
    fn fraction(self) -> u128 {
        self.bits & ((1 << (self.format.layout().precision - 1)) - 1)
    }

    /// True if [`convert`](Self::convert) loses no information. A conversion to another format loses every signaling
    /// NaN. If the other format has a single NaN and this format has several, the conversion loses every NaN.
    pub(crate) fn is_exact_in(self, format: FloatFormat) -> bool {
        if !self.is_nan() || self.format == format {
            return self.convert(format).convert(self.format) == self;
        }
        let (from, to) = (self.format.layout(), format.layout());
        let single = |non_finite| matches!(non_finite, NonFinite::NanAllOnes | NonFinite::NanNegativeZero);
        if single(from.non_finite) {
            return true;
        }
        let lost = from.precision.saturating_sub(to.precision);
        let without_leading = self.format == FloatFormat::F80 && self.bits & (1 << 63) == 0;
        !single(to.non_finite)
            && !self.is_signaling()
            && !without_leading
            && self.fraction() & ((1 << lost) - 1) == 0
    }

    fn signed_zero(format: FloatFormat, negative: bool) -> Self {
        let layout = format.layout();
        let keeps_sign = negative && layout.non_finite != NonFinite::NanNegativeZero;
        Self { format, bits: if keeps_sign { layout.sign_bit() } else { 0 } }
    }

    fn overflow(format: FloatFormat, negative: bool) -> Self {
        Self::infinity_or_nan(format, negative).unwrap_or_else(|| Self::largest(format, negative))
    }

    /// Infinity, or the NaN of a format without infinity. `None` if the format has neither.
    pub(crate) fn infinity_or_nan(format: FloatFormat, negative: bool) -> Option<Self> {
        let nan = || Self::nan(format).map(|nan| if negative { nan.neg() } else { nan });
        Self::infinity(format, negative).or_else(nan)
    }

    fn decode(self) -> Decoded {
        let layout = self.format.layout();
        let field = self.bits >> layout.mantissa_bits & layout.max_field();
        let mantissa = self.bits & ((1 << layout.mantissa_bits) - 1);
        let magnitude = self.bits & !layout.sign_bit();
        let top = field == layout.max_field();
        match layout.non_finite {
            NonFinite::Ieee if self.format == FloatFormat::F80 => {
                let leading = mantissa >> 63 == 1;
                if top {
                    return if mantissa == 1 << 63 { Decoded::Infinite } else { Decoded::Nan };
                }
                if field != 0 && !leading {
                    return Decoded::Nan;
                }
            }
            NonFinite::Ieee if top => {
                return if mantissa == 0 { Decoded::Infinite } else { Decoded::Nan };
            }
            NonFinite::NanAllOnes if top && mantissa == (1 << layout.mantissa_bits) - 1 => {
                return Decoded::Nan;
            }
            NonFinite::NanNegativeZero if self.bits == layout.sign_bit() => return Decoded::Nan,
            _ => {}
        }
        if magnitude == 0 && layout.has_zero {
            return Decoded::Zero;
        }
        let fraction_bits = bits_i32(layout.precision) - 1;
        let field = i32::try_from(field).expect("an exponent field has at most 15 bits");
        let implicit = if self.format == FloatFormat::F80 || (field == 0 && layout.has_zero) {
            0
        } else {
            1 << layout.mantissa_bits
        };
        let exponent = (field - layout.bias).max(layout.min_exponent());
        Decoded::Finite { significand: mantissa | implicit, exponent: exponent - fraction_bits }
    }

    /// The nearest number to `significand * 2^exponent`, or, if `sticky` is true, to a slightly larger number. In that
    /// case, the significand must have at least two bits more than the precision of the format.
    fn encode(format: FloatFormat, negative: bool, significand: u128, exponent: i32, sticky: bool) -> Self {
        let layout = format.layout();
        if significand == 0 {
            return Self::signed_zero(format, negative);
        }
        let fraction_bits = bits_i32(layout.precision) - 1;
        let top = 127 - bits_i32(significand.leading_zeros());
        // The exponent of the last bit that is kept.
        let mut last = (exponent + top).max(layout.min_exponent()) - fraction_bits;
        let shift = last - exponent;
        let mut kept = if shift <= 0 {
            significand << shift.unsigned_abs()
        } else if shift > 127 {
            u128::from(shift == 128 && significand > 1 << 127)
        } else {
            let half = 1u128 << (shift - 1);
            let rest = significand & (half | (half - 1));
            let kept = significand >> shift;
            kept + u128::from(rest > half || (rest == half && (sticky || kept & 1 == 1)))
        };
        if kept >> layout.precision != 0 {
            kept >>= 1;
            last += 1;
        }
        if kept == 0 {
            // In a format without zero, the bits of zero are the smallest number.
            return Self::signed_zero(format, negative);
        }
        let sign = if negative { layout.sign_bit() } else { 0 };
        let normal = kept >> fraction_bits == 1;
        let exponent = last + fraction_bits;
        let is_nan_pattern = layout.non_finite == NonFinite::NanAllOnes
            && u128::try_from(exponent + layout.bias) == Ok(layout.max_field())
            && kept == (1 << layout.precision) - 1;
        if normal && (exponent > layout.max_exponent() || is_nan_pattern) {
            return Self::overflow(format, negative);
        }
        let field = if normal {
            u128::try_from(exponent + layout.bias).expect("a normal number has a biased exponent above 0")
        } else {
            0
        };
        let mantissa = kept & ((1 << layout.mantissa_bits) - 1);
        Self { format, bits: sign | (field << layout.mantissa_bits) | mantissa }
    }

    /// The nearest number to a decimal literal, `[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?`; `None` for other texts.
    pub fn parse_decimal(format: FloatFormat, text: &str) -> Option<Self> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], parse_exponent(&rest[at + 1..])?),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        match format {
            FloatFormat::F64 => {
                return Some(
                    Self::from_bits(format, rest.parse::<f64>().ok()?.to_bits().into()).sign(negative),
                );
            }
            FloatFormat::F32 => {
                return Some(
                    Self::from_bits(format, rest.parse::<f32>().ok()?.to_bits().into()).sign(negative),
                );
            }
            _ => {}
        }
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).skip_while(|&b| b == b'0').collect();
        if digits.is_empty() {
            return Some(Self::signed_zero(format, negative));
        }
        let mut exponent = exponent - i64::try_from(fraction.len()).ok()?;
        if digits.len() > DIGIT_LIMIT {
            exponent += i64::try_from(digits.len() - DIGIT_LIMIT).ok()?;
            if digits.split_off(DIGIT_LIMIT).iter().any(|&digit| digit != b'0') {
                digits.push(b'1');
                exponent -= 1;
            }
        }
        let magnitude = exponent + i64::try_from(digits.len()).ok()?;
        if magnitude > EXPONENT_LIMIT {
            return Some(Self::overflow(format, negative));
        }
        if magnitude < -EXPONENT_LIMIT {
            return Some(Self::signed_zero(format, negative));
        }
        let number = BigUint::parse_bytes(&digits, 10)?;
        let exponent = i32::try_from(exponent).ok()?;
        let (significand, exponent, sticky) = from_decimal(&number, exponent, format.precision());
        Some(Self::encode(format, negative, significand, exponent, sticky))
    }

    fn sign(self, negative: bool) -> Self {
        if negative { self.neg() } else { self }
    }

    /// The class of the number.
    pub fn class(self) -> FloatClass {
        match self.decode() {
            Decoded::Nan => FloatClass::Nan,
            Decoded::Infinite => FloatClass::Infinite,
            Decoded::Zero => FloatClass::Zero,
            Decoded::Finite { .. } => FloatClass::Finite,
        }
    }

    /// True for a NaN.
    pub fn is_nan(self) -> bool {
        self.class() == FloatClass::Nan
    }

    /// True for an infinity.
    pub fn is_infinite(self) -> bool {
        self.class() == FloatClass::Infinite
    }

    /// True for a zero of either sign.
    pub fn is_zero(self) -> bool {
        self.class() == FloatClass::Zero
    }

    /// True if the sign bit is set.
    pub fn is_negative(self) -> bool {
        self.bits & self.format.layout().sign_bit() != 0
    }

    /// True for the number 1.
    pub fn is_one(self) -> bool {
        self == Self::from_f64(self.format, 1.0)
    }

    /// The number with the opposite sign. Numbers of a format without a sign stay as they are; so do the zero and the
    /// NaN of a format without a negative zero.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "named like the other operations, which round")]
    pub fn neg(self) -> Self {
        let layout = self.format.layout();
        if layout.non_finite == NonFinite::NanNegativeZero && self.bits & !layout.sign_bit() == 0 {
            return self;
        }
        Self { bits: self.bits ^ layout.sign_bit(), ..self }
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(self) -> Self {
        if self.is_negative() { self.neg() } else { self }
    }

    /// The order of two values; `None` if either is a NaN. The formats may differ.
    pub fn compare(self, rhs: Self) -> Option<Ordering> {
        match (self.format, rhs.format) {
            (FloatFormat::F128, _) | (_, FloatFormat::F128) => {
                let quad = |x: Self| ieee::Quad::from_bits(x.convert(FloatFormat::F128).bits);
                quad(self).partial_cmp(&quad(rhs))
            }
            (FloatFormat::F80, _) | (_, FloatFormat::F80) => {
                let wide = |x: Self| ieee::X87DoubleExtended::from_bits(x.convert(FloatFormat::F80).bits);
                wide(self).partial_cmp(&wide(rhs))
            }
            _ => self.to_f64().partial_cmp(&rhs.to_f64()),
        }
    }

    /// The sum, rounded. `rhs` is first converted to the format of `self`.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "named like the other operations, which round")]
    pub fn add(self, rhs: Self) -> Self {
        self.arithmetic(rhs, FloatOperation::Add)
    }

    /// The difference, rounded. `rhs` is first converted to the format of `self`.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "named like the other operations, which round")]
    pub fn sub(self, rhs: Self) -> Self {
        self.arithmetic(rhs, FloatOperation::Sub)
    }

    /// The product, rounded. `rhs` is first converted to the format of `self`.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "named like the other operations, which round")]
    pub fn mul(self, rhs: Self) -> Self {
        self.arithmetic(rhs, FloatOperation::Mul)
    }

    /// The quotient, rounded. `rhs` is first converted to the format of `self`.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "named like the other operations, which round")]
    pub fn div(self, rhs: Self) -> Self {
        self.arithmetic(rhs, FloatOperation::Div)
    }

    /// The remainder of the division whose quotient is rounded towards zero, like `fmod` in C. The remainder is exact.
    pub(crate) fn rem(self, rhs: Self) -> Self {
        let rhs = rhs.convert(self.format);
        match (self.decode(), rhs.decode()) {
            (Decoded::Nan, _) | (_, Decoded::Nan) => self.add(rhs),
            (Decoded::Infinite, _) | (_, Decoded::Zero) => Self::from_f64(self.format, f64::NAN),
            (Decoded::Zero, _) | (_, Decoded::Infinite) => self,
            (
                Decoded::Finite { significand: a, exponent: of_a },
                Decoded::Finite { significand: b, exponent: of_b },
            ) => {
                let shift = (of_a - of_b).unsigned_abs();
                let (rest, exponent) = if of_a >= of_b {
                    let rest = (BigUint::from(a) << shift) % b;
                    (u128::try_from(rest).expect("the remainder is less than the divisor"), of_b)
                } else {
                    // A shifted divisor of more than 128 bits is larger than the dividend, so the dividend is the
                    // remainder.
                    (b.checked_shl(shift).filter(|wide| wide >> shift == b).map_or(a, |b| a % b), of_a)
                };
                Self::encode(self.format, self.is_negative(), rest, exponent, false)
            }
        }
    }

    /// True for an integer; false for infinity and NaN.
    pub(crate) fn is_integer(self) -> bool {
        match self.decode() {
            Decoded::Zero => true,
            Decoded::Finite { significand, exponent } => {
                exponent >= 0 || significand.trailing_zeros() >= exponent.unsigned_abs()
            }
            Decoded::Infinite | Decoded::Nan => false,
        }
    }

    /// The number rounded towards zero; `None` for infinity and NaN.
    pub(crate) fn truncated(self) -> Option<BigInt> {
        let magnitude = match self.decode() {
            Decoded::Zero => BigUint::ZERO,
            Decoded::Finite { significand, exponent } => {
                let shift = exponent.unsigned_abs();
                let significand = BigUint::from(significand);
                if exponent < 0 { significand >> shift } else { significand << shift }
            }
            Decoded::Infinite | Decoded::Nan => return None,
        };
        let magnitude = BigInt::from(magnitude);
        Some(if self.is_negative() { -magnitude } else { magnitude })
    }

    fn arithmetic(self, rhs: Self, operation: FloatOperation) -> Self {
        let round = Round::NearestTiesToEven;
        let in_format = operation.compute(self, [rhs.convert(self.format), self], round);
        in_format.map_or_else(|| self.in_double(rhs, operation).0, |(value, _)| value)
    }

    /// Computes an operation on two numbers of a narrow format in `f64`, and rounds the result to nearest. Returns the
    /// rounded result and the status of both steps. The status has no flags for overflow and underflow.
    fn in_double(self, rhs: Self, operation: FloatOperation) -> (Self, Status) {
        let wide = |x: Self| ieee::Double::from_bits(x.convert(FloatFormat::F64).bits);
        let StatusAnd { value, status } =
            operation.in_format([wide(self), wide(rhs), wide(self)], Round::NearestTiesToEven);
        let exact = Self::from_bits(FloatFormat::F64, value.to_bits());
        let rounded = exact.convert(self.format);
        let same =
            rounded.convert(FloatFormat::F64).compare(exact) == Some(Ordering::Equal) || exact.is_nan();
        let inexact = if same { Status::OK } else { Status::INEXACT };
        (rounded, status & (Status::INVALID_OP | Status::DIV_BY_ZERO | Status::INEXACT) | inexact)
    }

    /// The result and the status of an operation on numbers of one format. For a format that `rustc_apfloat` lacks, the
    /// result is `None`, except for sums, differences, products and quotients in the default mode.
    pub(crate) fn compute(
        self,
        operation: FloatOperation,
        operands: [Self; 2],
        round: Round,
    ) -> Option<(Self, Status)> {
        if let Some(found) = operation.compute(self, operands, round) {
            return Some(found);
        }
        let is_binary = matches!(
            operation,
            FloatOperation::Add | FloatOperation::Sub | FloatOperation::Mul | FloatOperation::Div
        );
        if !is_binary || round != Round::NearestTiesToEven {
            return None;
        }
        let (value, status) = self.in_double(operands[0], operation);
        let is_invalid = status.intersects(Status::INVALID_OP | Status::DIV_BY_ZERO);
        let inexact = status.intersects(Status::INEXACT);
        Some((value, if is_invalid || !inexact { status } else { value.inexact_status() }))
    }

    /// The status of an operation on finite numbers, if this number is its result and differs from the exact result.
    pub(crate) fn inexact_status(self) -> Status {
        match self.class() {
            FloatClass::Infinite | FloatClass::Nan => Status::INEXACT | Status::OVERFLOW,
            _ if self.is_zero() || self.is_denormal() => Status::INEXACT | Status::UNDERFLOW,
            _ => Status::INEXACT,
        }
    }

    /// An integer rounded to a number of the format, and the status. In the default mode, the result is never `None`.
    /// In other modes, it is `None` if the integer needs more than 128 bits, or if `rustc_apfloat` lacks the format.
    pub(crate) fn from_integer(format: FloatFormat, value: &BigInt, round: Round) -> Option<(Self, Status)> {
        let small = i128::try_from(value).ok();
        let in_format = small.and_then(|value| {
            FloatOperation::Integer(value).compute(Self::zero(format), [Self::zero(format); 2], round)
        });
        if in_format.is_some() || round != Round::NearestTiesToEven {
            return in_format;
        }
        let rounded = Self::parse_decimal(format, &value.to_string())?;
        let exact = rounded.truncated().is_some_and(|found| found == *value);
        Some((rounded, if exact { Status::OK } else { rounded.inexact_status() }))
    }

    /// The status of a [`convert`](Self::convert) whose result is `to`, and true if LLVM states that the conversion
    /// loses information. `None` for an infinity or a NaN if the format of the result has no NaN.
    pub(crate) fn conversion_status(self, to: Self) -> Option<(Status, bool)> {
        let (from, format) = (self.format.layout(), to.format.layout());
        let single = |of: NonFinite| matches!(of, NonFinite::NanAllOnes | NonFinite::NanNegativeZero);
        if matches!(self.class(), FloatClass::Nan | FloatClass::Infinite) && !to.format.has_nan() {
            return None;
        }
        if self.format == to.format && self == to {
            return Some((Status::OK, false));
        }
        Some(match self.class() {
            FloatClass::Nan => {
                let lost = from.precision.saturating_sub(format.precision);
                let is_special = self.format == FloatFormat::F80 && self.bits >> 62 & 3 != 3;
                let loses = match (single(from.non_finite), single(format.non_finite)) {
                    (of, true) => !of,
                    (true, false) => false,
                    (false, false) => is_special || self.fraction() & ((1 << lost) - 1) != 0,
                };
                (if self.is_signaling() { Status::INVALID_OP } else { Status::OK }, loses)
            }
            FloatClass::Infinite if to.is_infinite() => (Status::OK, false),
            FloatClass::Infinite => (Status::INEXACT, true),
            FloatClass::Zero if self.is_negative() == to.is_negative() => (Status::OK, false),
            FloatClass::Zero => (Status::INEXACT, true),
            // The widest format represents the numbers of all formats exactly.
            FloatClass::Finite if to.convert(FloatFormat::F128) == self.convert(FloatFormat::F128) => {
                (Status::OK, false)
            }
            FloatClass::Finite => (to.inexact_status(), true),
        })
    }

    /// The exponent of the leading bit; `None` for zero, infinity and NaN.
    pub(crate) fn exponent(self) -> Option<i32> {
        match self.decode() {
            Decoded::Finite { significand, exponent } => {
                Some(exponent + 127 - bits_i32(significand.leading_zeros()))
            }
            _ => None,
        }
    }
}

/// An operation on numbers of one format.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FloatOperation {
    Add,
    Sub,
    Mul,
    Div,
    /// The product of the first two numbers plus the third.
    MulAdd,
    /// The remainder of the division whose quotient is rounded towards zero.
    Fmod,
    /// The remainder of the division whose quotient is rounded to nearest.
    Remainder,
    /// The next larger number.
    NextUp,
    /// The next smaller number.
    NextDown,
    /// The number rounded to an integer.
    Integral,
    /// The number times a power of two.
    Scale(i32),
    /// This integer as a float.
    Integer(i128),
}

impl FloatOperation {
    fn in_format<F: Float>(self, [a, b, c]: [F; 3], round: Round) -> StatusAnd<F> {
        match self {
            FloatOperation::Add => a.add_r(b, round),
            FloatOperation::Sub => a.sub_r(b, round),
            FloatOperation::Mul => a.mul_r(b, round),
            FloatOperation::Div => a.div_r(b, round),
            FloatOperation::MulAdd => a.mul_add_r(b, c, round),
            FloatOperation::Fmod => a.c_fmod(b),
            FloatOperation::Remainder => a.ieee_rem(b),
            FloatOperation::NextUp => a.next_up(),
            FloatOperation::NextDown => a.next_down(),
            FloatOperation::Integral => a.round_to_integral(round),
            FloatOperation::Scale(by) => Status::OK.and(a.scalbn_r(by, round)),
            FloatOperation::Integer(value) => F::from_i128_r(value, round),
        }
    }

    /// The result and the status; `None` if `rustc_apfloat` does not have the format.
    fn compute(self, x: ApFloat, [y, z]: [ApFloat; 2], round: Round) -> Option<(ApFloat, Status)> {
        fn of<F: Float>(operation: FloatOperation, bits: [u128; 3], round: Round) -> (u128, Status) {
            let StatusAnd { value, status } = operation.in_format(bits.map(F::from_bits), round);
            (value.to_bits(), status)
        }
        let compute = match x.format {
            FloatFormat::F16 => of::<ieee::Half>,
            FloatFormat::BF16 => of::<ieee::BFloat>,
            FloatFormat::F32 => of::<ieee::Single>,
            FloatFormat::F64 => of::<ieee::Double>,
            FloatFormat::F80 => of::<ieee::X87DoubleExtended>,
            FloatFormat::F128 => of::<ieee::Quad>,
            FloatFormat::F8E5M2 => of::<ieee::Float8E5M2>,
            FloatFormat::F8E4M3FN => of::<ieee::Float8E4M3FN>,
            _ => return None,
        };
        let (bits, status) = compute(self, [x.bits, y.bits, z.bits], round);
        Some((ApFloat::from_bits(x.format, bits), status))
    }
}

/// The bits of an `f80` number as LLVM normalizes them. If the explicit leading bit is 0 and the exponent field is not
/// 0, the number becomes a NaN. If the leading bit is 1 and the exponent field is 0, the field becomes 1.
fn x87(bits: u128) -> u128 {
    const LEADING: u128 = 1 << 63;
    const EXPONENT: u128 = 0x7FFF << 64;
    match (bits & EXPONENT != 0, bits & LEADING != 0) {
        (true, false) => bits | EXPONENT,
        (false, true) => bits | 1 << 64,
        _ => bits,
    }
}

fn bits_i32(n: u32) -> i32 {
    i32::try_from(n).expect("at most 128 bits")
}

fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // Larger exponents have the same result, because no text has enough digits to compensate for them.
    const LARGEST: i64 = 1 << 40;
    let magnitude = digits.parse().map_or(LARGEST, |magnitude: i64| magnitude.min(LARGEST));
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

impl ApFloat {
    /// The text that `APFloat::toString` writes with six decimals: `1.500000e+00`, `Inf` or `NaN`. Several numbers can
    /// have the same text.
    pub(crate) fn to_six_decimals(self) -> String {
        let sign = if self.is_negative() { "-" } else { "" };
        match self.decode() {
            Decoded::Nan => "NaN".to_owned(),
            Decoded::Infinite => format!("{sign}Inf"),
            Decoded::Zero => format!("{sign}0.000000e+00"),
            Decoded::Finite { significand, exponent } => {
                scientific(&to_decimal(significand, exponent, 6), sign)
            }
        }
    }
}

impl ApFloat {
    /// The text that `APFloat::toString` writes. A precision of 0 gives as many digits as the format needs. If more
    /// than `padding` zeros would be needed next to the digits, the text has an exponent instead. If `truncates` is
    /// false, a text with an exponent is filled with zeros up to `precision` decimals.
    pub(crate) fn to_text(self, precision: u32, padding: u32, truncates: bool) -> String {
        let sign = if self.is_negative() { "-" } else { "" };
        let (significand, exponent) = match self.decode() {
            Decoded::Nan => return "NaN".to_owned(),
            Decoded::Infinite => return format!("{}Inf", if sign.is_empty() { "+" } else { sign }),
            Decoded::Zero if padding > 0 => return format!("{sign}0"),
            Decoded::Zero if truncates => return format!("{sign}0.0E+0"),
            Decoded::Zero => {
                let zeros = "0".repeat(precision.saturating_sub(1) as usize);
                return format!("{sign}0.0{zeros}e+00");
            }
            Decoded::Finite { significand, exponent } => (significand, exponent),
        };
        let precision = if precision == 0 { 2 + self.format.precision() * 59 / 196 } else { precision };
        let Decimal { digits, exponent } = to_decimal(significand, exponent, precision);
        let count = i32::try_from(digits.len()).expect("the digits of a float");
        let digits = String::from_utf8(digits).expect("digits are ASCII");
        let padding = i32::try_from(padding).unwrap_or(i32::MAX);
        let leading = exponent + count - 1;
        let is_scientific = match exponent {
            _ if padding == 0 => true,
            0.. => exponent > padding || i64::from(count) + i64::from(exponent) > i64::from(precision),
            _ => leading < 0 && -leading > padding,
        };
        if is_scientific {
            let (first, rest) = digits.split_at(1);
            let rest = if rest.is_empty() && truncates { "0" } else { rest };
            let missing = if truncates { 0 } else { (precision as usize + 1).saturating_sub(digits.len()) };
            let zeros = "0".repeat(missing);
            return match truncates {
                true => format!("{sign}{first}.{rest}E{leading:+}"),
                false => format!("{sign}{first}.{rest}{zeros}e{leading:+03}"),
            };
        }
        match usize::try_from(exponent + count) {
            Ok(whole) if whole >= digits.len() => {
                format!("{sign}{digits}{}", "0".repeat(whole - digits.len()))
            }
            Ok(whole) if whole > 0 => format!("{sign}{}.{}", &digits[..whole], &digits[whole..]),
            _ => format!("{sign}0.{}{digits}", "0".repeat((exponent + count).unsigned_abs() as usize)),
        }
    }
}

impl fmt::Display for ApFloat {
    /// Writes the text that MLIR prints: six decimals and an exponent if this text denotes the same number, or else
    /// more digits. Writes the bits in hexadecimal for a number that is not finite, or if the text would have no point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |f: &mut fmt::Formatter<'_>| write!(f, "0x{:X}", self.bits);
        let sign = if self.is_negative() { "-" } else { "" };
        let short = self.to_six_decimals();
        let (significand, exponent) = match self.decode() {
            Decoded::Nan | Decoded::Infinite => return hex(f),
            Decoded::Zero => return f.write_str(&short),
            Decoded::Finite { significand, exponent } => (significand, exponent),
        };
        if Self::parse_decimal(self.format, &short) == Some(*self) {
            return f.write_str(&short);
        }
        let precision = 2 + self.format.precision() * 59 / 196;
        let long = natural(&to_decimal(significand, exponent, precision), sign, precision as usize);
        // Text without a point would be parsed as an integer.
        if long.contains('.') { f.write_str(&long) } else { hex(f) }
    }
}

fn digits_str(digits: &[u8]) -> &str {
    std::str::from_utf8(digits).expect("digits are ASCII")
}

/// `d.dddddde±xx`, with zeros up to six decimals.
fn scientific(decimal: &Decimal, sign: &str) -> String {
    let exponent = scientific_exponent(decimal);
    let (first, rest) = digits_str(&decimal.digits).split_at(1);
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{first}.{rest:0<6}e{exponent_sign}{:02}", exponent.unsigned_abs())
}

fn scientific_exponent(decimal: &Decimal) -> i32 {
    decimal.exponent + i32::try_from(decimal.digits.len()).expect("the digits of a float") - 1
}

/// A plain decimal if it needs at most three zeros as padding and, for an integer, at most `precision` digits;
/// otherwise `d.dddE±x`.
fn natural(decimal: &Decimal, sign: &str, precision: usize) -> String {
    const PADDING: u32 = 3;
    let count = decimal.digits.len();
    let digits = digits_str(&decimal.digits);
    let top = scientific_exponent(decimal);
    let zeros = decimal.exponent.unsigned_abs();
    let is_scientific = if decimal.exponent >= 0 {
        zeros > PADDING || count + zeros as usize > precision
    } else {
        top < 0 && top.unsigned_abs() > PADDING
    };
    if is_scientific {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        let exponent_sign = if top < 0 { '-' } else { '+' };
        return format!("{sign}{first}.{rest}E{exponent_sign}{}", top.unsigned_abs());
    }
    if decimal.exponent >= 0 {
        return format!("{sign}{digits}{}", "0".repeat(zeros as usize));
    }
    if top >= 0 {
        let (whole, fraction) = digits.split_at(top.unsigned_abs() as usize + 1);
        return format!("{sign}{whole}.{fraction}");
    }
    format!("{sign}0.{}{digits}", "0".repeat(top.unsigned_abs() as usize - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rustc_apfloat::{FloatConvert, Status};

    /// MLIR's text, with the digits of `rustc_apfloat`.
    fn reference<F: Float>(bits: u128) -> String {
        let x = F::from_bits(bits);
        if x.is_finite() {
            let short = format!("{x:#0$.1$}", 0, 6);
            if F::from_str_r(&short, rustc_apfloat::Round::NearestTiesToEven)
                .is_ok_and(|y| y.value.bitwise_eq(x))
            {
                return short;
            }
            let long = x.to_string();
            if long.contains('.') {
                return long;
            }
        }
        format!("0x{bits:X}")
    }

    fn agrees<F: Float>(format: FloatFormat, a: u128, b: u128) {
        let (x, y) = (ApFloat::from_bits(format, a), ApFloat::from_bits(format, b));
        assert_eq!(x.to_string(), reference::<F>(x.to_bits()), "{format:?} {a:#x}");
        let (fx, fy) = (F::from_bits(x.bits), F::from_bits(y.bits));
        assert_eq!(x.is_nan(), fx.is_nan());
        assert_eq!(x.is_infinite(), fx.is_infinite());
        assert_eq!(x.is_zero(), fx.is_zero());
        assert_eq!(x.compare(y), fx.partial_cmp(&fy));
        if !x.is_nan() {
            assert_eq!(x.neg().to_bits(), (-fx).to_bits());
        }
    }

    fn converts<F: FloatConvert<T>, T: Float>(from: FloatFormat, to: FloatFormat, bits: u128) {
        let x = ApFloat::from_bits(from, bits);
        let mut loses_information = false;
        let want = F::from_bits(x.bits).convert(&mut loses_information);
        assert_eq!(x.convert(to).bits, want.value.to_bits(), "{from:?} {:#x} to {to:?}", x.bits);
        let exact = want.status == Status::OK && !loses_information;
        assert_eq!(x.is_exact_in(to), exact, "{from:?} {:#x} to {to:?}", x.bits);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 2 } else { 400 }, ..crate::test_seed::config() })]
        #[test]
        fn text_and_order_agree_with_apfloat(a: u128, b: u128) {
            agrees::<ieee::Half>(FloatFormat::F16, a, b);
            agrees::<ieee::BFloat>(FloatFormat::BF16, a, b);
            agrees::<ieee::Single>(FloatFormat::F32, a, b);
            agrees::<ieee::Double>(FloatFormat::F64, a, b);
            agrees::<ieee::Float8E5M2>(FloatFormat::F8E5M2, a, b);
            agrees::<ieee::Float8E4M3FN>(FloatFormat::F8E4M3FN, a, b);
            // The leading 1 bit of x87 is explicit, so only canonical patterns are tested.
            agrees::<ieee::X87DoubleExtended>(FloatFormat::F80, a | 1 << 63, b | 1 << 63);
        }

        #[test]
        fn conversions_agree_with_apfloat(bits: u128, kept in 0u32..129, nan: bool) {
            macro_rules! pairs {
                ($from:ident $of:ident: $($to:ident $other:ident)*) => {{
                    let from = FloatFormat::$from;
                    // Short mantissas lose no bits.
                    let bits = bits & !1u128.checked_shl(kept).map_or(u128::MAX, |end| end - 1);
                    let bits = if nan { bits | ApFloat::infinity(from, false).unwrap().bits } else { bits };
                    $(converts::<ieee::$of, ieee::$other>(from, FloatFormat::$to, bits);)*
                }};
            }
            pairs!(F8E5M2 Float8E5M2: F16 Half BF16 BFloat F32 Single F64 Double F80 X87DoubleExtended F128 Quad);
            pairs!(F16 Half: F8E5M2 Float8E5M2 F32 Single F64 Double F80 X87DoubleExtended F128 Quad);
            pairs!(BF16 BFloat: F8E5M2 Float8E5M2 F32 Single F64 Double F80 X87DoubleExtended F128 Quad);
            pairs!(F32 Single: F8E5M2 Float8E5M2 F16 Half BF16 BFloat F64 Double F80 X87DoubleExtended F128 Quad);
            pairs!(F64 Double: F8E5M2 Float8E5M2 F16 Half BF16 BFloat F32 Single F80 X87DoubleExtended F128 Quad);
            pairs!(F80 X87DoubleExtended: F8E5M2 Float8E5M2 F16 Half BF16 BFloat F32 Single F64 Double F128 Quad);
            pairs!(F128 Quad: F16 Half BF16 BFloat F32 Single F64 Double F80 X87DoubleExtended);
        }

        #[test]
        fn decimals_agree_with_apfloat(digits in 0u64.., exponent in -340i32..330, a in 0u32..12) {
            let exponent = if a == 0 { exponent * 15 } else { exponent % 45 };
            let text = format!("{digits}e{exponent}");
            fn check<F: Float>(format: FloatFormat, text: &str) {
                let want = F::from_str_r(text, rustc_apfloat::Round::NearestTiesToEven).unwrap().value.to_bits();
                assert_eq!(ApFloat::parse_decimal(format, text).unwrap().to_bits(), want, "{format:?} {text}");
            }
            check::<ieee::Half>(FloatFormat::F16, &text);
            check::<ieee::BFloat>(FloatFormat::BF16, &text);
            check::<ieee::Single>(FloatFormat::F32, &text);
            check::<ieee::Double>(FloatFormat::F64, &text);
            check::<ieee::X87DoubleExtended>(FloatFormat::F80, &text);
            check::<ieee::Quad>(FloatFormat::F128, &text);
            check::<ieee::Float8E5M2>(FloatFormat::F8E5M2, &text);
            check::<ieee::Float8E4M3FN>(FloatFormat::F8E4M3FN, &text);
        }

        #[test]
        fn remainders_agree_with_the_hardware(x: f64, y: f64) {
            let [a, b] = [x, y].map(|x| ApFloat::from_f64(FloatFormat::F64, x));
            let want = x % y;
            let same = if want.is_nan() { a.rem(b).is_nan() } else { a.rem(b).to_f64().to_bits() == want.to_bits() };
            prop_assert!(same);
            // A wide format contains the numbers and their remainder.
            for format in [FloatFormat::F80, FloatFormat::F128] {
                let wide = a.convert(format).rem(b.convert(format)).convert(FloatFormat::F64);
                prop_assert!(wide.is_nan() == want.is_nan());
                prop_assert!(want.is_nan() || wide.to_f64().to_bits() == want.to_bits());
            }
        }

        #[test]
        fn conversion_agrees_with_the_hardware(x: f64, y: f32) {
            let narrow = ApFloat::from_f64(FloatFormat::F32, x);
            if !x.is_nan() {
                #[expect(clippy::cast_possible_truncation, reason = "the test is about rounding")]
                let want = (x as f32).to_bits();
                prop_assert_eq!(narrow.to_bits(), u128::from(want));
            }
            if !y.is_nan() {
                prop_assert_eq!(ApFloat::from_bits(FloatFormat::F32, y.to_bits().into()).to_f64(), f64::from(y));
            }
        }
    }

    #[test]
    fn quad_text_agrees_with_apfloat() {
        for i in 0..if cfg!(miri) { 2 } else { 200u128 } {
            let bits = i.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
            agrees::<ieee::Quad>(FloatFormat::F128, bits, bits.rotate_left(64));
        }
    }

    /// Every narrow number round-trips through `f64`. Some of the finite numbers are also tested to round-trip through
    /// their text.
    #[test]
    fn narrow_numbers_round_trip() {
        for &format in FloatFormat::ALL.iter().filter(|format| format.width() <= 19) {
            for bits in (0..1u128 << format.width()).step_by(if cfg!(miri) { 9973 } else { 1 }) {
                let x = ApFloat::from_bits(format, bits);
                if x.is_nan() {
                    assert!(ApFloat::from_f64(format, x.to_f64()).is_nan());
                    continue;
                }
                if x.is_infinite() {
                    assert!(x.to_f64().is_infinite());
                    continue;
                }
                assert_eq!(ApFloat::from_f64(format, x.to_f64()), x, "{format:?} {bits:#x}");
                if bits % 17 < 2 {
                    let text = x.to_string();
                    let back = match text.strip_prefix("0x") {
                        Some(hex) => ApFloat::from_bits(format, u128::from_str_radix(hex, 16).unwrap()),
                        None => ApFloat::parse_decimal(format, &text).unwrap(),
                    };
                    assert_eq!(back, x, "{format:?} {bits:#x} {text}");
                }
            }
        }
    }

    /// Rounding yields the nearest of all numbers of the format.
    #[test]
    fn rounding_is_to_nearest() {
        for &format in FloatFormat::ALL.iter().filter(|format| format.width() <= 8) {
            let mut numbers: Vec<f64> = (0..1u128 << format.width())
                .map(|bits| ApFloat::from_bits(format, bits))
                .filter(|x| !x.is_nan() && !x.is_infinite() && !x.is_negative())
                .map(ApFloat::to_f64)
                .collect();
            numbers.sort_by(f64::total_cmp);
            for pair in numbers.windows(2) {
                let middle = f64::midpoint(pair[0], pair[1]);
                assert_eq!(ApFloat::from_f64(format, middle * (1.0 - 1e-9)).to_f64(), pair[0], "{format:?}");
                assert_eq!(ApFloat::from_f64(format, middle * (1.0 + 1e-9)).to_f64(), pair[1], "{format:?}");
                let even = ApFloat::from_f64(format, middle);
                assert!(even.to_f64() == pair[0] || even.to_f64() == pair[1]);
                if format != FloatFormat::F8E8M0FNU {
                    assert_eq!(even.to_bits() & 1, 0, "{format:?} ties go to even");
                }
            }
        }
    }

    #[test]
    fn malformed_literals_are_refused() {
        for text in ["", "-", ".", "1e", "1e+", "x", "1.5.2", "1e5e5", "inf", "NaN", "--1", "0x1"] {
            for &format in FloatFormat::ALL {
                assert_eq!(ApFloat::parse_decimal(format, text), None, "{text}");
            }
        }
        let huge = format!("1e{}", "9".repeat(50));
        assert!(ApFloat::parse_decimal(FloatFormat::F128, &huge).unwrap().is_infinite());
        let tiny = format!("0.{}1", "0".repeat(100_000));
        assert!(ApFloat::parse_decimal(FloatFormat::F128, &tiny).unwrap().is_zero());
    }

    /// The parser drops the last digits of these numbers. A dropped digit breaks a tie only if it is not zero.
    #[test]
    fn zeros_after_the_last_digit_that_is_read_do_not_break_a_tie() {
        let zeros = "0".repeat(2 * DIGIT_LIMIT);
        for (text, tie, more) in [("1.00048828125", 0x3c00, 0x3c01), ("1.00146484375", 0x3c02, 0x3c02)] {
            let parsed = |text: &str| ApFloat::parse_decimal(FloatFormat::F16, text).unwrap().to_bits();
            assert_eq!(parsed(&format!("{text}{zeros}")), tie);
            assert_eq!(parsed(&format!("{text}{zeros}1")), more);
        }
    }
}
