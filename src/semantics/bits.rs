//! The trait of bit vectors.

use crate::number::ApInt;

/// A domain of bit vectors. Both operands of a binary operation have the same width, which is at least 1. Comparisons
/// return one bit.
pub(crate) trait Bits {
    /// A bit vector.
    type Value: Clone;

    /// Returns the width of a vector.
    fn width(&self, a: &Self::Value) -> u32;
    /// Creates a constant.
    fn constant(&mut self, value: ApInt) -> Self::Value;
    /// Adds modulo 2^width.
    fn add(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Subtracts modulo 2^width.
    fn sub(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Multiplies modulo 2^width.
    fn mul(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Divides unsigned numbers. A quotient by zero has all bits set.
    fn udiv(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Returns the remainder of unsigned numbers. The remainder by zero is `a`.
    fn urem(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Returns the conjunction of each pair of bits.
    fn and(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Returns the exclusive disjunction of each pair of bits.
    fn xor(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Shifts to the left. A shift by the width or more gives zero.
    fn shl(&mut self, a: &Self::Value, by: &Self::Value) -> Self::Value;
    /// Shifts to the right and inserts zeros. A shift by the width or more gives zero.
    fn lshr(&mut self, a: &Self::Value, by: &Self::Value) -> Self::Value;
    /// Shifts to the right and copies the sign. A shift by the width or more gives the sign in all bits.
    fn ashr(&mut self, a: &Self::Value, by: &Self::Value) -> Self::Value;
    /// Tests for equality.
    fn eq(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Tests if `a` is less than `b`, unsigned.
    fn ult(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Returns `a` if the condition, one bit, is set, and `b` otherwise.
    fn select(&mut self, condition: &Self::Value, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Extends with zeros, or drops high bits.
    fn zext_or_trunc(&mut self, a: &Self::Value, width: u32) -> Self::Value;
    /// Extends with copies of the sign, or drops high bits.
    fn sext_or_trunc(&mut self, a: &Self::Value, width: u32) -> Self::Value;

    /// Creates a Boolean constant.
    fn boolean(&mut self, value: bool) -> Self::Value {
        self.constant(ApInt::from_u64(1, u64::from(value)))
    }
    /// Returns the complement of each bit.
    fn not(&mut self, a: &Self::Value) -> Self::Value {
        let ones = ApInt::all_ones(self.width(a));
        let ones = self.constant(ones);
        self.xor(a, &ones)
    }
    /// Returns the disjunction of each pair of bits.
    fn or(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(&a, &b);
        self.not(&neither)
    }
    /// Tests for zero.
    fn is_zero(&mut self, a: &Self::Value) -> Self::Value {
        let zero = ApInt::zero(self.width(a));
        let zero = self.constant(zero);
        self.eq(a, &zero)
    }
    /// Tests for inequality.
    fn ne(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        let equal = self.eq(a, b);
        self.not(&equal)
    }
    /// Tests if `a` is less than `b`, signed.
    fn slt(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        // Signed numbers have the order of the unsigned numbers with inverted sign bits.
        let least = ApInt::min_signed(self.width(a));
        let least = self.constant(least);
        let (a, b) = (self.xor(a, &least), self.xor(b, &least));
        self.ult(&a, &b)
    }
    /// Tests for a negative number.
    fn is_negative(&mut self, a: &Self::Value) -> Self::Value {
        let zero = ApInt::zero(self.width(a));
        let zero = self.constant(zero);
        self.slt(a, &zero)
    }
    /// Returns `-a`.
    fn neg(&mut self, a: &Self::Value) -> Self::Value {
        let zero = ApInt::zero(self.width(a));
        let zero = self.constant(zero);
        self.sub(&zero, a)
    }
}
