//! Converts between MLIR's text for types and attributes, which rules use, and pliron's objects.
//!
//! Integers, floats, strings, types and `unit` are written as in MLIR. `!` and `#` start pliron's own text:
//! `!llvm.ptr (0)`, `#builtin.bool true`.

use drrvm::host::{ApFloat, ApInt, FloatFormat};
use pliron::attribute::AttrObj;
use pliron::builtin::attributes::{
    FPBFloatAttr, FPDoubleAttr, FPHalfAttr, FPSingleAttr, IntegerAttr, StringAttr, TypeAttr, UnitAttr,
};
use pliron::builtin::types::{BF16Type, FP16Type, FP32Type, FP64Type, IntegerType, Signedness};
use pliron::combine::{Parser, eof};
use pliron::context::Context;
use pliron::irfmt::parsers::{attr_parser, spaced, type_parser};
use pliron::parsable::parse_from_str;
use pliron::printable::Printable;
use pliron::r#type::TypeHandle;
use pliron::utils::apfloat::{BFloat, Double, Float, Half, Single};
use pliron::utils::apint::APInt;

/// Returns a builtin type of MLIR that pliron also has.
pub(crate) fn builtin_type(context: &Context, text: &str) -> Option<TypeHandle> {
    match text {
        "f16" => return Some(FP16Type::get(context).into()),
        "bf16" => return Some(BF16Type::get(context).into()),
        "f32" => return Some(FP32Type::get(context).into()),
        "f64" => return Some(FP64Type::get(context).into()),
        _ => {}
    }
    let (sign, width) = match (text.strip_prefix("si"), text.strip_prefix("ui"), text.strip_prefix('i')) {
        (Some(width), ..) => (Signedness::Signed, width),
        (_, Some(width), _) => (Signedness::Unsigned, width),
        (.., Some(width)) => (Signedness::Signless, width),
        _ => return None,
    };
    let width = width.parse().ok().filter(|_| width.bytes().all(|byte| byte.is_ascii_digit()))?;
    integer_type(context, width, sign)
}

/// Returns an integer type; `None` for width 0, which pliron does not have.
pub(crate) fn integer_type(context: &Context, width: u32, sign: Signedness) -> Option<TypeHandle> {
    (width > 0).then(|| IntegerType::get(context, width, sign).into())
}

/// Parses a type.
pub(crate) fn parse_type(context: &mut Context, text: &str) -> Option<TypeHandle> {
    let text = text.trim();
    match text.strip_prefix('!') {
        Some(own) => parse_from_str(spaced(type_parser()).skip(eof()), context, own).ok(),
        None => builtin_type(context, text),
    }
}

/// Prints a type in the form that [`parse_type`] reads.
pub(crate) fn type_text(context: &Context, ty: TypeHandle) -> String {
    let object = ty.deref(context);
    let own = object.disp(context).to_string();
    if object.is::<IntegerType>() {
        return own;
    }
    match float_format(context, ty) {
        Some(format) => format.name().to_owned(),
        None => format!("!{}", ty.disp(context)),
    }
}

/// Returns the format of a float type.
pub(crate) fn float_format(context: &Context, ty: TypeHandle) -> Option<FloatFormat> {
    let object = ty.deref(context);
    let name = if object.is::<FP16Type>() {
        "f16"
    } else if object.is::<BF16Type>() {
        "bf16"
    } else if object.is::<FP32Type>() {
        "f32"
    } else if object.is::<FP64Type>() {
        "f64"
    } else {
        return None;
    };
    FloatFormat::from_name(name)
}

/// Returns the integer attribute with this value and type, or `None` if the type is not an integer type with the width
/// of the value.
pub(crate) fn integer_attr(context: &Context, value: &ApInt, ty: TypeHandle) -> Option<AttrObj> {
    let ty = pliron::r#type::TypedHandle::<IntegerType>::from_handle(ty, context).ok()?;
    let width = ty.deref(context).width();
    if width != value.width() {
        return None;
    }
    let value = APInt::from_str(&value.to_unsigned_string(), usize::try_from(width).ok()?, 10).ok()?;
    Some(IntegerAttr::new(ty, value).into())
}

/// Returns the float attribute with this value and type, or `None` if the type is not a float type with the format of
/// the value.
pub(crate) fn float_attr(context: &Context, value: ApFloat, ty: TypeHandle) -> Option<AttrObj> {
    let format = float_format(context, ty).filter(|&format| format == value.format())?;
    let bits = value.to_bits();
    match format.name() {
        "f16" => Some(FPHalfAttr(Half::from_bits(bits)).into()),
        "bf16" => Some(FPBFloatAttr(BFloat::from_bits(bits)).into()),
        "f32" => Some(FPSingleAttr(Single::from_bits(bits)).into()),
        "f64" => Some(FPDoubleAttr(Double::from_bits(bits)).into()),
        _ => None,
    }
}

/// Returns the value of an integer attribute.
pub(crate) fn integer(context: &Context, attr: &AttrObj) -> Option<ApInt> {
    let attr = attr.downcast_ref::<IntegerAttr>()?;
    let width = attr.get_type().deref(context).width();
    ApInt::parse(width, &attr.value().to_string_unsigned_decimal())
}

/// Returns the value of a float attribute.
pub(crate) fn float(attr: &AttrObj) -> Option<ApFloat> {
    let (name, bits) = if let Some(attr) = attr.downcast_ref::<FPHalfAttr>() {
        ("f16", attr.0.to_bits())
    } else if let Some(attr) = attr.downcast_ref::<FPBFloatAttr>() {
        ("bf16", attr.0.to_bits())
    } else if let Some(attr) = attr.downcast_ref::<FPSingleAttr>() {
        ("f32", attr.0.to_bits())
    } else if let Some(attr) = attr.downcast_ref::<FPDoubleAttr>() {
        ("f64", attr.0.to_bits())
    } else {
        return None;
    };
    Some(ApFloat::from_bits(FloatFormat::from_name(name)?, bits))
}

/// Parses an attribute.
pub(crate) fn parse_attr(context: &mut Context, text: &str) -> Option<AttrObj> {
    let text = text.trim();
    if let Some(own) = text.strip_prefix('#') {
        return parse_from_str(spaced(attr_parser()).skip(eof()), context, own).ok();
    }
    match text {
        "unit" => return Some(UnitAttr::new().into()),
        "true" | "false" => {
            let ty = integer_type(context, 1, Signedness::Signless)?;
            return integer_attr(context, &ApInt::from_u64(1, u64::from(text == "true")), ty);
        }
        _ => {}
    }
    if text.starts_with('"') {
        return Some(StringAttr::new(unquote(text)?).into());
    }
    if !text.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
        return Some(TypeAttr::new(parse_type(context, text)?).into());
    }
    let (number, ty) = match text.split_once(':') {
        Some((number, ty)) => (number.trim(), parse_type(context, ty)?),
        None if text.contains('.') => (text, builtin_type(context, "f64")?),
        None => (text, builtin_type(context, "i64")?),
    };
    if let Some(format) = float_format(context, ty) {
        let value = match number.strip_prefix("0x") {
            Some(digits) => {
                let bits = hex(digits)?;
                Some(ApFloat::from_bits(format, bits)).filter(|value| value.to_bits() == bits)?
            }
            None => ApFloat::parse_decimal(format, number)?,
        };
        return float_attr(context, value, ty);
    }
    let width = ty.deref(context).downcast_ref::<IntegerType>()?.width();
    integer_attr(context, &ApInt::parse(width, number)?, ty)
}

/// Prints an attribute in the form that [`parse_attr`] reads.
pub(crate) fn attr_text(context: &Context, attr: &AttrObj) -> String {
    if let Some(value) = integer(context, attr) {
        let ty = attr.downcast_ref::<IntegerAttr>().map(|attr| attr.get_type().to_handle());
        let ty = ty.expect("only integer attributes have integer values");
        let text = type_text(context, ty);
        return match text.as_str() {
            "i1" => (!value.is_zero()).to_string(),
            _ if text.starts_with('u') => format!("{} : {text}", value.to_unsigned_string()),
            _ => format!("{} : {text}", value.to_signed_string()),
        };
    }
    if let Some(value) = float(attr) {
        return format!("0x{:X} : {}", value.to_bits(), value.format().name());
    }
    if let Some(attr) = attr.downcast_ref::<StringAttr>() {
        return quote(attr.as_str());
    }
    if attr.is::<UnitAttr>() {
        return "unit".to_owned();
    }
    if let Some(attr) = attr.downcast_ref::<TypeAttr>() {
        return type_text(context, attr.clone().into());
    }
    format!("#{}", attr.disp(context))
}

/// Quotes a string with MLIR's escapes.
fn quote(text: &str) -> String {
    let mut quoted = String::from('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            char if char.is_control() => {
                let mut bytes = [0; 4];
                for byte in char.encode_utf8(&mut bytes).bytes() {
                    quoted.push_str(&format!("\\{byte:02X}"));
                }
            }
            char => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

/// The number that hexadecimal digits stand for. Unlike `from_str_radix`, accepts no sign.
fn hex(digits: &str) -> Option<u128> {
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u128::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

/// Returns the contents of a quoted string; `None` if the text is not such a string or not UTF-8.
fn unquote(text: &str) -> Option<String> {
    let mut rest = text.strip_prefix('"')?.strip_suffix('"')?.bytes();
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some(byte) = rest.next() {
        let byte = match byte {
            b'"' => return None,
            b'\\' => match rest.next()? {
                same @ (b'"' | b'\\') => same,
                b'n' => b'\n',
                b't' => b'\t',
                high => {
                    let digits = [high, rest.next()?];
                    u8::try_from(hex(std::str::from_utf8(&digits).ok()?)?).ok()?
                }
            },
            byte => byte,
        };
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_round_trip() {
        let mut context = Context::new();
        for text in ["i1", "i32", "si8", "ui64", "i1000", "f16", "bf16", "f32", "f64", "!builtin.unit "] {
            let ty = parse_type(&mut context, text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(type_text(&context, ty), text);
        }
        for text in
            ["", "i", "i0", "i+1", "i-1", "int", "index", "f80", "!", "!nobody.knows", "!builtin.unit x"]
        {
            assert!(parse_type(&mut context, text).is_none(), "{text}");
        }
    }

    #[test]
    fn attributes_round_trip() {
        let mut context = Context::new();
        for text in [
            "4 : i32",
            "-4 : i8",
            "true",
            "false",
            "255 : ui8",
            "-128 : si8",
            "0x3F800000 : f32",
            "unit",
            "i32",
            "f64",
            "\"a\\22b\\0A\"",
            "340282366920938463463374607431768211455 : ui128",
            "#builtin.bool true",
        ] {
            let attr = parse_attr(&mut context, text).unwrap_or_else(|| panic!("{text}"));
            let written = attr_text(&context, &attr);
            assert_eq!(parse_attr(&mut context, &written), Some(attr), "{text}");
        }
        let one = parse_attr(&mut context, "1.0 : f32").expect("the text is a float");
        assert_eq!(attr_text(&context, &one), "0x3F800000 : f32");
        assert_eq!(parse_attr(&mut context, "7"), parse_attr(&mut context, "7 : i64"));
        for text in [
            "",
            "4 : f3",
            "4 : ",
            "0x+1 : f32",
            "0x13F800000 : f32",
            "\"\\+1\"",
            "300 : i8",
            "1.5 : i32",
            "\"open",
            "\"a\"b\"",
            "#",
            "@symbol",
            "[1]",
        ] {
            assert!(parse_attr(&mut context, text).is_none(), "{text}");
        }
    }
}
