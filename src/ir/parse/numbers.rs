//! The values of number tokens, in the type or float format of their attribute.

use super::lexer::{Token, TokenKind};
use super::parser::Parser;
use crate::host::Signedness;
use crate::ir::error::{self, ParseResult};
use crate::ir::ids::TypeId;
use crate::ir::types::TypeKind;
use crate::number::{ApFloat, ApInt, FloatFormat};

impl Parser<'_> {
    /// The value of an integer token in a type of `width` bits.
    pub(super) fn integer_value(
        &self,
        token: Token,
        ty: TypeId,
        width: u32,
        negative: bool,
    ) -> ParseResult<ApInt> {
        if negative
            && matches!(
                self.context.type_kind(ty),
                TypeKind::Integer { signedness: Signedness::Unsigned, .. }
            )
        {
            return Err(error::negative_unsigned(self.token_span(token)));
        }
        self.integer_bits(token, ty, width, negative)
    }

    /// Parses like [`Parser::integer_value`], but also allows a negative number for an unsigned type. Such a number
    /// gets the bits that it has in the signed type of the same width.
    pub(super) fn integer_bits(
        &self,
        token: Token,
        ty: TypeId,
        width: u32,
        negative: bool,
    ) -> ParseResult<ApInt> {
        let out_of_range = || error::integer_out_of_range(self.token_span(token));
        let value = ApInt::parse(width, self.str(token)).ok_or_else(out_of_range)?;
        if negative {
            let value = value.wrapping_neg();
            return if value.is_negative() { Ok(value) } else { Err(out_of_range()) };
        }
        let signed = matches!(
            self.context.type_kind(ty),
            TypeKind::Integer { signedness: Signedness::Signed, .. } | TypeKind::Index
        );
        if signed && value.is_negative() { Err(out_of_range()) } else { Ok(value) }
    }

    /// The value of a number token in a float format. A hexadecimal number states the bits of the float.
    pub(super) fn float_value(
        &self,
        token: Token,
        format: FloatFormat,
        negative: bool,
    ) -> ParseResult<ApFloat> {
        let span = self.token_span(token);
        let text = self.str(token);
        if token.kind == TokenKind::Float {
            // As in MLIR, the number is rounded to a double first, and overflows to infinity.
            let value: f64 = text.parse().unwrap_or(f64::INFINITY);
            return Ok(ApFloat::from_f64(format, if negative { -value } else { value }));
        }
        let Some(hex) = text.strip_prefix("0x") else {
            return Err(error::decimal_for_float(span));
        };
        if negative {
            return Err(error::float_bits_too_wide(span));
        }
        match u128::from_str_radix(hex, 16) {
            Ok(bits) if format.width() == 128 || bits >> format.width() == 0 => {
                Ok(ApFloat::from_bits(format, bits))
            }
            _ => Err(error::float_bits_too_wide(span)),
        }
    }
}
