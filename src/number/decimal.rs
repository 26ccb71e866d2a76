//! Conversion between binary and decimal numbers, through integers of any size.
//!
//! Printing yields the same digits as LLVM. LLVM truncates the exact value to slightly more digits than needed, and
//! then rounds half up, so the last digit can differ from the correctly rounded digit.

use num_bigint::BigUint;

/// The number `digits * 10^exponent`. The digits are ASCII, most significant first, without trailing zeros.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) digits: Vec<u8>,
    pub(super) exponent: i32,
}

fn pow10_u128(n: u32) -> u128 {
    10u128.pow(n)
}

/// Converts `significand * 2^exponent` (not zero) to decimal, rounded to at most `precision` digits.
pub(super) fn to_decimal(significand: u128, exponent: i32, precision: u32) -> Decimal {
    let zeros = significand.trailing_zeros();
    let significand = significand >> zeros;
    let exponent = exponent + count_i32(zeros);
    let bits = 128 - significand.leading_zeros();
    // 2^-n is 5^n * 10^-n, and a factor of five takes less than 2.33 bits.
    let needed = if exponent >= 0 {
        u64::from(bits) + u64::from(exponent.unsigned_abs())
    } else {
        u64::from(bits) + u64::from(exponent.unsigned_abs()) * 233 / 100 + 1
    };
    let mut exponent10 = exponent.min(0);
    let mut digits: Vec<u8>;
    if needed <= 127 {
        let value = if exponent >= 0 {
            significand << exponent
        } else {
            significand * 5u128.pow(exponent.unsigned_abs())
        };
        let drop = removable_digits(u64::from(128 - value.leading_zeros()), precision);
        exponent10 += count_i32(drop);
        digits = (value / pow10_u128(drop)).to_string().into_bytes();
    } else {
        let value = if exponent >= 0 {
            BigUint::from(significand) << exponent
        } else {
            BigUint::from(significand) * BigUint::from(5u8).pow(exponent.unsigned_abs())
        };
        let drop = removable_digits(value.bits(), precision);
        exponent10 += count_i32(drop);
        digits = (value / BigUint::from(10u8).pow(drop)).to_string().into_bytes();
    }
    drop_trailing_zeros(&mut digits, &mut exponent10);
    round_half_up(&mut digits, &mut exponent10, precision as usize);
    Decimal { digits, exponent: exponent10 }
}

fn count_i32(n: u32) -> i32 {
    i32::try_from(n).expect("a count of bits or digits of a float")
}

/// The number of decimal digits that LLVM removes from a value of `bits` bits before it rounds.
fn removable_digits(bits: u64, precision: u32) -> u32 {
    // 196/59 slightly overestimates the number of bits in a decimal digit.
    let required = (u64::from(precision) * 196).div_ceil(59);
    u32::try_from(bits.saturating_sub(required) * 59 / 196).expect("the digits of a float")
}

fn drop_trailing_zeros(digits: &mut Vec<u8>, exponent: &mut i32) {
    let kept = digits.iter().rposition(|&d| d != b'0').map_or(0, |i| i + 1);
    *exponent += i32::try_from(digits.len() - kept).expect("the digits of a float");
    digits.truncate(kept);
}

fn round_half_up(digits: &mut Vec<u8>, exponent: &mut i32, precision: usize) {
    if digits.len() <= precision {
        return;
    }
    let up = digits[precision] >= b'5';
    *exponent += i32::try_from(digits.len() - precision).expect("the digits of a float");
    digits.truncate(precision);
    if up {
        match digits.iter().rposition(|&d| d != b'9') {
            Some(i) => {
                digits[i] += 1;
                *exponent += i32::try_from(digits.len() - i - 1).expect("the digits of a float");
                digits.truncate(i + 1);
                return;
            }
            None => {
                *exponent += i32::try_from(digits.len()).expect("the digits of a float");
                digits.clear();
                digits.push(b'1');
                return;
            }
        }
    }
    drop_trailing_zeros(digits, exponent);
}

/// Converts `digits * 10^exponent10` (not zero) to `significand * 2^exponent`, rounded down. Returns the significand,
/// the exponent, and true if the result is inexact. The significand has at least `precision + 3` bits.
pub(super) fn from_decimal(digits: &BigUint, exponent10: i32, precision: u32) -> (u128, i32, bool) {
    let ten = BigUint::from(10u8).pow(exponent10.unsigned_abs());
    let (numerator, denominator) =
        if exponent10 >= 0 { (digits * ten, BigUint::from(1u8)) } else { (digits.clone(), ten) };
    let wanted = i64::from(precision) + 3;
    let bits = |x: &BigUint| i64::try_from(x.bits()).expect("a bounded number of digits");
    let shift = wanted - (bits(&numerator) - bits(&denominator));
    let (numerator, denominator) = if shift >= 0 {
        (numerator << shift.unsigned_abs(), denominator)
    } else {
        (numerator, denominator << shift.unsigned_abs())
    };
    let quotient = &numerator / &denominator;
    let exact = &quotient * &denominator == numerator;
    let significand = u128::try_from(&quotient).expect("the quotient has precision + 3 or 4 bits");
    (significand, i32::try_from(-shift).expect("a bounded exponent"), !exact)
}
