//! The domain whose bit vectors are numbers.

use super::bits::Bits;
use crate::number::ApInt;

/// The domain of numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Concrete;

fn boolean(value: bool) -> ApInt {
    ApInt::from_u64(1, u64::from(value))
}

/// The amount of a shift; `None` if it is the width or more.
fn amount(a: &ApInt, by: &ApInt) -> Option<u64> {
    by.to_u64().filter(|&by| by < u64::from(a.width()))
}

impl Bits for Concrete {
    type Value = ApInt;

    fn width(&self, a: &ApInt) -> u32 {
        a.width()
    }
    fn constant(&mut self, value: ApInt) -> ApInt {
        value
    }
    fn add(&mut self, a: &ApInt, b: &ApInt) -> ApInt {
        a.wrapping_add(b)
    }
    fn sub(&mut self, a: &ApInt, b: &ApInt) -> ApInt {
        a.wrapping_sub(b)
    }
    fn mul(&mut self, a: &ApInt, b: &ApInt) -> ApInt {
        a.wrapping_mul(b)
    }
    fn udiv(&mut self, a: &ApInt, b: &ApInt) -> ApInt {
        if b.is_zero() {
            return ApInt::all_ones(a.width());
        }
        ApInt::from_biguint(a.width(), &(a.to_biguint() / b.to_biguint()))
    }
    fn urem(&mut self, a: &ApInt, b: &ApInt) -> ApInt {
        if b.is_zero() {
            return a.clone();
        }
        ApInt::from_biguint(a.width(), &(a.to_biguint() % b.to_biguint()))
    }
    fn and(&mut self, a: &ApInt, b: &ApInt) -> ApInt {
        a.and(b)
    }
    fn xor(&mut self, a: &ApInt, b: &ApInt) -> ApInt {
        a.xor(b)
    }
    fn shl(&mut self, a: &ApInt, by: &ApInt) -> ApInt {
        amount(a, by).map_or_else(|| ApInt::zero(a.width()), |by| a.shl(by))
    }
    fn lshr(&mut self, a: &ApInt, by: &ApInt) -> ApInt {
        amount(a, by).map_or_else(|| ApInt::zero(a.width()), |by| a.lshr(by))
    }
    fn ashr(&mut self, a: &ApInt, by: &ApInt) -> ApInt {
        a.ashr(amount(a, by).unwrap_or_else(|| u64::from(a.width() - 1)))
    }
    fn eq(&mut self, a: &ApInt, b: &ApInt) -> ApInt {
        boolean(a == b)
    }
    fn ult(&mut self, a: &ApInt, b: &ApInt) -> ApInt {
        boolean(a.cmp_unsigned(b).is_lt())
    }
    fn select(&mut self, condition: &ApInt, a: &ApInt, b: &ApInt) -> ApInt {
        if condition.is_zero() { b } else { a }.clone()
    }
    fn zext_or_trunc(&mut self, a: &ApInt, width: u32) -> ApInt {
        a.zext_or_trunc(width)
    }
    fn sext_or_trunc(&mut self, a: &ApInt, width: u32) -> ApInt {
        a.sext_or_trunc(width)
    }
}
