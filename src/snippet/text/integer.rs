//! The integers in the text of attributes, types and properties.
//!
//! Specification: a text has the value that `AsmParser::parseInteger` of MLIR stores in a variable of a C++ type. That
//! function reads `-5` as 4294967291 for an `unsigned`, and `true` as -1 for an `int`.
//!
//! Method: MLIR reads the digits into a number with four bits a digit, negates this number if the text starts with `-`,
//! and then extends or truncates it to the type. It refuses the text if the result, extended or truncated to the width
//! of the number, differs from the number.
//!
//! Source: `parseOptionalIntegerAndCheck` in MLIR's `OpImplementation.h`, and `StringRef::getAsInteger`.

use crate::snippet::data::IntTy;

/// A number, sign-extended to 128 bits, and the bit width with which MLIR reads the number.
struct Digits {
    value: i128,
    width: u32,
}

impl Digits {
    /// Reads a text. Returns `None` if it is not an integer, or if the integer does not fit in an `i128`, because then
    /// it fits in no C++ type either.
    fn read(text: &str) -> Option<Self> {
        match text {
            "true" => return Some(Self { value: -1, width: 1 }),
            "false" => return Some(Self { value: 0, width: 1 }),
            _ => {}
        }
        let (negative, digits) =
            text.strip_prefix('-').map_or((false, text), |digits| (true, digits.trim_start()));
        let (radix, digits) = digits.strip_prefix("0x").map_or((10, digits), |digits| (16, digits));
        let magnitude =
            i128::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with(['+', '-']))?;
        let significant = digits.trim_start_matches('0').len();
        // The highest bit is the sign, so a magnitude that needs this bit gets one more bit.
        let width = match u32::try_from(4 * significant).ok()? {
            0 => 64,
            width if width <= i128::BITS && magnitude >> (width - 1) != 0 => width + 1,
            width => width,
        };
        Some(Self { value: if negative { -magnitude } else { magnitude }, width })
    }

    /// True if the low `width` bits of a value are those of this number.
    fn has_bits_of(&self, value: i128) -> bool {
        let different = self.value ^ value;
        different.checked_shl(i128::BITS.saturating_sub(self.width)).is_none_or(|different| different == 0)
    }
}

/// The value of a text in a C++ integer type; `None` if MLIR refuses the text.
pub(crate) fn integer_of(text: &str, ty: IntTy) -> Option<i128> {
    let digits = Digits::read(text)?;
    let value = ty.wrap(digits.value);
    digits.has_bits_of(value).then_some(value)
}

/// The value of a text in the C++ type `bool`; `None` if MLIR refuses the text.
pub(crate) fn boolean_of(text: &str) -> Option<bool> {
    let digits = Digits::read(text)?;
    let value = IntTy::new(8, false).wrap(digits.value) != 0;
    digits.has_bits_of(value.into()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{boolean_of, integer_of};
    use crate::snippet::data::IntTy;

    #[test]
    fn integers_have_the_values_that_mlir_stores() {
        let (u8, i8) = (IntTy::new(8, false), IntTy::I8);
        for (text, ty, value) in [
            ("0", IntTy::U32, Some(0)),
            ("-0", IntTy::U32, Some(0)),
            ("4294967295", IntTy::U32, Some(4_294_967_295)),
            ("0xFFFFFFFF", IntTy::U32, Some(4_294_967_295)),
            ("4294967296", IntTy::U32, None),
            ("-0xFFFFFFFF", IntTy::U32, None),
            ("-5", IntTy::U32, Some(4_294_967_291)),
            ("-9", IntTy::U32, Some(4_294_967_287)),
            ("- 7", IntTy::U32, Some(4_294_967_289)),
            ("-12345678", IntTy::U32, Some(4_282_621_618)),
            ("-000000001", IntTy::U32, Some(4_294_967_295)),
            ("-123456789", IntTy::U32, None),
            ("true", IntTy::U32, Some(4_294_967_295)),
            ("-true", IntTy::U32, None),
            ("-5", IntTy::U64, Some(18_446_744_073_709_551_611)),
            ("-12345678901234567", IntTy::U64, None),
            ("true", IntTy::I64, Some(-1)),
            ("false", IntTy::I64, Some(0)),
            ("9223372036854775807", IntTy::I64, Some(9_223_372_036_854_775_807)),
            ("9223372036854775808", IntTy::I64, None),
            ("-9223372036854775808", IntTy::I64, Some(-9_223_372_036_854_775_808)),
            ("3000000000", IntTy::I32, None),
            ("-0x20", IntTy::I32, Some(-32)),
            ("255", u8, Some(255)),
            ("256", u8, None),
            ("-99", u8, Some(157)),
            ("-100", u8, None),
            ("-128", i8, Some(-128)),
            ("128", i8, None),
            ("0x80", i8, None),
            ("99999999999999999999999999999999999999999999", IntTy::I64, None),
            ("x", IntTy::I64, None),
            ("--1", IntTy::I64, None),
            ("", IntTy::I64, None),
        ] {
            assert_eq!(integer_of(text, ty), value, "{text} {ty:?}");
        }
        for (text, value) in [
            ("true", Some(true)),
            ("false", Some(false)),
            ("1", Some(true)),
            ("0", Some(false)),
            ("0x1", Some(true)),
            ("-1", None),
            ("2", None),
            ("256", None),
        ] {
            assert_eq!(boolean_of(text), value, "{text}");
        }
    }
}
