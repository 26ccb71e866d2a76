//! Integers of a fixed bit width.
//!
//! A value is a pattern of bits, which can be interpreted as signed or unsigned. Values whose width is at most 64 bits
//! are stored inline. Wider values are stored in a big integer, which is always reduced to the width.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};

/// The maximum width of an integer, which is the limit of MLIR: 2^24 - 1 bits.
pub(crate) const MAX_WIDTH: u32 = (1 << 24) - 1;

/// An integer of a fixed bit width; arithmetic wraps (two's complement).
///
/// The operands of an arithmetic or bitwise operation should have the same width. Otherwise the right operand is
/// truncated or zero-extended to the width of the left one, so that different widths cause no panic.
///
/// ```
/// use drrvm::host::ApInt;
/// let a = ApInt::from_i64(8, -56);
/// assert_eq!(a.to_u64(), Some(200));
/// assert_eq!(a.wrapping_add(&ApInt::from_u64(8, 100)).to_u64(), Some(44));
/// assert_eq!(a.to_signed_string(), "-56");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApInt {
    width: u32,
    bits: Bits,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Bits {
    /// An integer of at most 64 bits. The bits above the width are zero.
    Small(u64),
    /// An integer of more than 64 bits, reduced to the width.
    Big(Box<BigUint>),
}

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn sign_extended(width: u32, bits: u64) -> i64 {
    match width {
        0 => 0,
        1..64 => (bits.cast_signed() << (64 - width)) >> (64 - width),
        _ => bits.cast_signed(),
    }
}

impl ApInt {
    /// The low `width` bits of `value`.
    ///
    /// # Panics
    /// `width` exceeds 2^24 - 1, the limit of MLIR. The other functions with a parameter `width` have the same limit.
    pub fn from_u64(width: u32, value: u64) -> Self {
        assert!(width <= MAX_WIDTH, "integer of {width} bits, the limit is {MAX_WIDTH}");
        let bits = if width <= 64 {
            Bits::Small(value & mask(width))
        } else {
            Bits::Big(Box::new(BigUint::from(value)))
        };
        Self { width, bits }
    }

    /// The low `width` bits of `value`, sign-extended if the width exceeds 64.
    pub fn from_i64(width: u32, value: i64) -> Self {
        if width <= 64 {
            Self::from_u64(width, value.cast_unsigned())
        } else {
            Self::from_bigint(width, &BigInt::from(value))
        }
    }

    /// The low `width` bits of `value`.
    pub fn from_biguint(width: u32, value: &BigUint) -> Self {
        if width <= 64 {
            let low = value.iter_u64_digits().next().unwrap_or(0);
            return Self::from_u64(width, low);
        }
        assert!(width <= MAX_WIDTH, "integer of {width} bits, the limit is {MAX_WIDTH}");
        let reduced = if value.bits() <= u64::from(width) {
            value.clone()
        } else {
            value & ((BigUint::from(1u8) << width) - 1u8)
        };
        Self { width, bits: Bits::Big(Box::new(reduced)) }
    }

    /// The low `width` bits of `value` in two's complement.
    pub fn from_bigint(width: u32, value: &BigInt) -> Self {
        match value.to_biguint() {
            Some(magnitude) => Self::from_biguint(width, &magnitude),
            None => Self::from_biguint(width, value.magnitude()).wrapping_neg(),
        }
    }

    /// 0.
    pub fn zero(width: u32) -> Self {
        Self::from_u64(width, 0)
    }

    /// 1, or 0 if the width is 0.
    pub fn one(width: u32) -> Self {
        Self::from_u64(width, 1)
    }

    /// The value with all bits set: the largest unsigned value, and -1 as a signed value.
    pub fn all_ones(width: u32) -> Self {
        Self::zero(width).not()
    }

    /// The smallest signed value: only the sign bit is set.
    pub fn min_signed(width: u32) -> Self {
        if width == 0 { Self::zero(0) } else { Self::one(width).shl(u64::from(width - 1)) }
    }

    /// The largest signed value: all bits except the sign are set.
    pub fn max_signed(width: u32) -> Self {
        Self::min_signed(width).not()
    }

    /// The width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// True if bit `index` is set. Bits above the width are never set.
    pub fn bit(&self, index: u32) -> bool {
        match &self.bits {
            Bits::Small(bits) => index < 64 && bits >> index & 1 == 1,
            Bits::Big(big) => big.bit(u64::from(index)),
        }
    }

    /// True if all bits are clear.
    pub fn is_zero(&self) -> bool {
        match &self.bits {
            Bits::Small(bits) => *bits == 0,
            Bits::Big(big) => big.bits() == 0,
        }
    }

    /// True if the value is 1.
    pub fn is_one(&self) -> bool {
        self.to_u64() == Some(1)
    }

    /// True if all bits are set.
    pub fn is_all_ones(&self) -> bool {
        match &self.bits {
            Bits::Small(bits) => *bits == mask(self.width),
            Bits::Big(big) => big.count_ones() == u64::from(self.width),
        }
    }

    /// True if the sign bit is set.
    pub fn is_negative(&self) -> bool {
        self.width > 0 && self.bit(self.width - 1)
    }

    /// True if the signed value is above 0.
    pub fn is_strictly_positive(&self) -> bool {
        !self.is_negative() && !self.is_zero()
    }

    /// True if this is [`ApInt::min_signed`].
    pub fn is_min_signed(&self) -> bool {
        *self == Self::min_signed(self.width)
    }

    /// True if this is [`ApInt::max_signed`].
    pub fn is_max_signed(&self) -> bool {
        *self == Self::max_signed(self.width)
    }

    /// True if exactly one bit is set.
    pub fn is_power_of_two(&self) -> bool {
        match &self.bits {
            Bits::Small(bits) => bits.is_power_of_two(),
            Bits::Big(big) => big.count_ones() == 1,
        }
    }

    /// The number of bits that the unsigned value needs.
    pub fn active_bits(&self) -> u32 {
        match &self.bits {
            Bits::Small(bits) => 64 - bits.leading_zeros(),
            Bits::Big(big) => u32::try_from(big.bits()).expect("the value is reduced to its width"),
        }
    }

    /// The unsigned value, if it fits in 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.bits {
            Bits::Small(bits) => Some(*bits),
            Bits::Big(big) => u64::try_from(&**big).ok(),
        }
    }

    /// The signed value, if it fits in 64 bits.
    pub fn to_i64(&self) -> Option<i64> {
        match &self.bits {
            Bits::Small(bits) => Some(sign_extended(self.width, *bits)),
            Bits::Big(_) => i64::try_from(self.to_bigint()).ok(),
        }
    }

    /// The unsigned value.
    pub fn to_biguint(&self) -> BigUint {
        match &self.bits {
            Bits::Small(bits) => BigUint::from(*bits),
            Bits::Big(big) => (**big).clone(),
        }
    }

    /// The signed value.
    pub fn to_bigint(&self) -> BigInt {
        match &self.bits {
            Bits::Small(bits) => BigInt::from(sign_extended(self.width, *bits)),
            Bits::Big(big) if self.is_negative() => {
                BigInt::from((**big).clone()) - (BigInt::from(1) << self.width)
            }
            Bits::Big(big) => BigInt::from((**big).clone()),
        }
    }

    fn binary(
        &self,
        rhs: &Self,
        small: impl FnOnce(u64, u64) -> u64,
        big: impl FnOnce(BigUint, BigUint) -> BigUint,
    ) -> Self {
        let rhs_cut;
        let rhs = if rhs.width == self.width {
            rhs
        } else {
            rhs_cut = rhs.zext_or_trunc(self.width);
            &rhs_cut
        };
        match (&self.bits, &rhs.bits) {
            (Bits::Small(a), Bits::Small(b)) => Self::from_u64(self.width, small(*a, *b)),
            _ => Self::from_biguint(self.width, &big(self.to_biguint(), rhs.to_biguint())),
        }
    }

    /// The sum, wrapped.
    #[must_use]
    pub fn wrapping_add(&self, rhs: &Self) -> Self {
        self.binary(rhs, u64::wrapping_add, |a, b| a + b)
    }

    /// The difference, wrapped.
    #[must_use]
    pub fn wrapping_sub(&self, rhs: &Self) -> Self {
        self.binary(rhs, u64::wrapping_sub, |a, b| a + (BigUint::from(1u8) << self.width) - b)
    }

    /// The product, wrapped.
    #[must_use]
    pub fn wrapping_mul(&self, rhs: &Self) -> Self {
        self.binary(rhs, u64::wrapping_mul, |a, b| a * b)
    }

    /// The negation, wrapped.
    #[must_use]
    pub fn wrapping_neg(&self) -> Self {
        Self::zero(self.width).wrapping_sub(self)
    }

    /// Bitwise and.
    #[must_use]
    pub fn and(&self, rhs: &Self) -> Self {
        self.binary(rhs, |a, b| a & b, |a, b| a & b)
    }

    /// Bitwise or.
    #[must_use]
    pub fn or(&self, rhs: &Self) -> Self {
        self.binary(rhs, |a, b| a | b, |a, b| a | b)
    }

    /// Bitwise exclusive or.
    #[must_use]
    pub fn xor(&self, rhs: &Self) -> Self {
        self.binary(rhs, |a, b| a ^ b, |a, b| a ^ b)
    }

    /// The bitwise complement.
    #[must_use]
    pub fn not(&self) -> Self {
        match &self.bits {
            Bits::Small(bits) => Self::from_u64(self.width, !bits),
            Bits::Big(big) => {
                let ones = (BigUint::from(1u8) << self.width) - 1u8;
                Self::from_biguint(self.width, &(ones - &**big))
            }
        }
    }

    /// The value shifted left; 0 if the amount reaches the width.
    #[must_use]
    pub fn shl(&self, amount: u64) -> Self {
        if amount >= u64::from(self.width) {
            return Self::zero(self.width);
        }
        match &self.bits {
            Bits::Small(bits) => Self::from_u64(self.width, bits << amount),
            Bits::Big(big) => Self::from_biguint(self.width, &(&**big << amount)),
        }
    }

    /// The value shifted right with zeros; 0 if the amount reaches the width.
    #[must_use]
    pub fn lshr(&self, amount: u64) -> Self {
        if amount >= u64::from(self.width) {
            return Self::zero(self.width);
        }
        match &self.bits {
            Bits::Small(bits) => Self::from_u64(self.width, bits >> amount),
            Bits::Big(big) => Self::from_biguint(self.width, &(&**big >> amount)),
        }
    }

    /// The value shifted right with copies of the sign; 0 or -1 if the amount reaches the width.
    #[must_use]
    pub fn ashr(&self, amount: u64) -> Self {
        if !self.is_negative() {
            return self.lshr(amount);
        }
        // In the complement, the copies of the sign are zeros.
        self.not().lshr(amount).not()
    }

    /// The value zero-extended or truncated to another width.
    #[must_use]
    pub fn zext_or_trunc(&self, width: u32) -> Self {
        match &self.bits {
            Bits::Small(bits) => Self::from_u64(width, *bits),
            Bits::Big(big) => Self::from_biguint(width, big),
        }
    }

    /// The value sign-extended or truncated to another width.
    #[must_use]
    pub fn sext_or_trunc(&self, width: u32) -> Self {
        match &self.bits {
            Bits::Small(bits) => Self::from_i64(width, sign_extended(self.width, *bits)),
            Bits::Big(big) if width <= self.width => Self::from_biguint(width, big),
            Bits::Big(_) => Self::from_bigint(width, &self.to_bigint()),
        }
    }

    /// The order of the unsigned values.
    pub fn cmp_unsigned(&self, rhs: &Self) -> Ordering {
        match (&self.bits, &rhs.bits) {
            (Bits::Small(a), Bits::Small(b)) => a.cmp(b),
            _ => self.to_biguint().cmp(&rhs.to_biguint()),
        }
    }

    /// The order of the signed values.
    pub fn cmp_signed(&self, rhs: &Self) -> Ordering {
        match (self.to_i64(), rhs.to_i64()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => self.to_bigint().cmp(&rhs.to_bigint()),
        }
    }

    /// Parses decimal digits, or `0x` and hexadecimal digits, as a value of `width` bits. A leading `-` negates. `None`
    /// if the text is not a number, or if its magnitude needs more than `width` bits.
    ///
    /// The time is more than linear in the number of digits, because the digits are converted to a big integer.
    pub fn parse(width: u32, text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (radix, digits) = match digits.strip_prefix("0x") {
            Some(rest) => (16, rest),
            None => (10, digits),
        };
        if digits.is_empty() || !digits.bytes().all(|b| char::from(b).is_digit(radix)) {
            return None;
        }
        // Each digit after the first adds at least three bits, so longer texts cannot fit.
        let digits_after_first = digits.trim_start_matches('0').len().saturating_sub(1);
        if digits_after_first > (width / 3) as usize {
            return None;
        }
        let magnitude = match u64::from_str_radix(digits, radix) {
            Ok(small) if width <= 64 => {
                if small & !mask(width) != 0 {
                    return None;
                }
                Self::from_u64(width, small)
            }
            _ => {
                let big = BigUint::parse_bytes(digits.as_bytes(), radix)?;
                if big.bits() > u64::from(width) {
                    return None;
                }
                Self::from_biguint(width, &big)
            }
        };
        Some(if negative { magnitude.wrapping_neg() } else { magnitude })
    }

    /// The unsigned value in decimal.
    pub fn to_unsigned_string(&self) -> String {
        match &self.bits {
            Bits::Small(bits) => bits.to_string(),
            Bits::Big(big) => big.to_string(),
        }
    }

    /// The signed value in decimal.
    pub fn to_signed_string(&self) -> String {
        match &self.bits {
            Bits::Small(bits) => sign_extended(self.width, *bits).to_string(),
            Bits::Big(_) => self.to_bigint().to_string(),
        }
    }

    /// The unsigned value in upper-case hexadecimal, without prefix or padding.
    pub fn to_hex_string(&self) -> String {
        match &self.bits {
            Bits::Small(bits) => format!("{bits:X}"),
            Bits::Big(big) => format!("{:X}", **big),
        }
    }

    /// The bytes of the value, lowest first, as many as the width needs.
    pub fn to_le_bytes(&self) -> Vec<u8> {
        let size = self.width.div_ceil(8) as usize;
        let mut bytes = match &self.bits {
            Bits::Small(bits) => bits.to_le_bytes().to_vec(),
            Bits::Big(big) => big.to_bytes_le(),
        };
        bytes.resize(size, 0);
        bytes
    }

    /// The low `width` bits of a number with these bytes, lowest first.
    pub fn from_le_bytes(width: u32, bytes: &[u8]) -> Self {
        if width <= 64 {
            let mut low = [0; 8];
            let n = bytes.len().min(8);
            low[..n].copy_from_slice(&bytes[..n]);
            Self::from_u64(width, u64::from_le_bytes(low))
        } else {
            Self::from_biguint(width, &BigUint::from_bytes_le(bytes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reduce(width: u32, value: i128) -> i128 {
        let modulus = BigInt::from(1) << width;
        let value = ((BigInt::from(value) % &modulus) + &modulus) % &modulus;
        i128::try_from(value).unwrap()
    }

    proptest! {
        #![proptest_config(crate::test_seed::config())]
        /// Arithmetic equals the arithmetic of integers, reduced modulo 2^width.
        #[test]
        fn arithmetic_is_modular(width in 1u32..100, a: i64, b: i64, shift in 0u64..120) {
            let (x, y) = (ApInt::from_i64(width, a), ApInt::from_i64(width, b));
            let (ra, rb) = (reduce(width, a.into()), reduce(width, b.into()));
            let is = |got: ApInt, want: i128| {
                assert_eq!(i128::try_from(got.to_biguint()).unwrap(), reduce(width, want));
            };
            is(x.wrapping_add(&y), i128::from(a) + i128::from(b));
            is(x.wrapping_sub(&y), i128::from(a) - i128::from(b));
            is(x.wrapping_mul(&y), i128::from(a) * i128::from(b));
            is(x.wrapping_neg(), -i128::from(a));
            is(x.and(&y), ra & rb);
            is(x.or(&y), ra | rb);
            is(x.xor(&y), ra ^ rb);
            is(x.lshr(shift), if shift >= 128 { 0 } else { ra >> shift });
            let signed = i128::try_from(x.to_bigint()).unwrap();
            prop_assert_eq!(reduce(width, signed), ra);
            is(x.ashr(shift), signed >> shift.min(127));
            prop_assert_eq!(x.cmp_signed(&y), x.to_bigint().cmp(&y.to_bigint()));
            prop_assert_eq!(x.cmp_unsigned(&y), ra.cmp(&rb));
            prop_assert_eq!(x.sext_or_trunc(150).to_bigint(), x.to_bigint());
            prop_assert_eq!(x.zext_or_trunc(150).to_biguint(), x.to_biguint());
        }

        #[test]
        fn text_round_trips(width in 1u32..200, bytes in proptest::collection::vec(any::<u8>(), 0..30)) {
            let x = ApInt::from_le_bytes(width, &bytes);
            prop_assert_eq!(&ApInt::parse(width, &x.to_unsigned_string()).unwrap(), &x);
            prop_assert_eq!(&ApInt::parse(width, &x.to_signed_string()).unwrap(), &x);
            prop_assert_eq!(&ApInt::parse(width, &format!("0x{}", x.to_hex_string())).unwrap(), &x);
            prop_assert_eq!(&ApInt::from_le_bytes(width, &x.to_le_bytes()), &x);
        }
    }

    #[test]
    fn extreme_values_of_each_width() {
        for width in [1, 7, 64, 65, 128, 1000] {
            let min = ApInt::min_signed(width);
            assert!(min.is_negative() && min.is_min_signed() && min.is_power_of_two());
            assert!(ApInt::max_signed(width).is_max_signed());
            assert_eq!(ApInt::all_ones(width).wrapping_add(&ApInt::one(width)), ApInt::zero(width));
            assert!(ApInt::all_ones(width).is_all_ones());
            assert_eq!(ApInt::all_ones(width).to_i64(), Some(-1));
            assert_eq!(ApInt::all_ones(width).active_bits(), width);
            assert_eq!(ApInt::min_signed(width).ashr(u64::from(width) - 1), ApInt::all_ones(width));
        }
        assert_eq!(ApInt::zero(0).to_signed_string(), "0");
        assert_eq!(ApInt::parse(8, "256"), None);
        assert_eq!(ApInt::parse(8, "-129").map(|x| x.to_signed_string()).as_deref(), Some("127"));
        assert_eq!(ApInt::parse(8, ""), None);
        assert_eq!(ApInt::parse(8, "0x"), None);
        assert_eq!(ApInt::parse(8, "+1"), None);
    }
}
