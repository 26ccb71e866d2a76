//! Plain constants: constants in a canonical form, in which different texts denote different entities.
//!
//! Specification: a plain text is the text that MLIR prints for the entity. So plain constants are compared by their
//! texts, before any host is known. Only a host can compare other texts, because two of them may denote one entity.

use crate::host::Kind;
use crate::number::{ApFloat, FloatFormat};

/// True if a text is the canonical form of an attribute or type of the built-in dialect: a number, Boolean, string,
/// symbol, `unit`, array or dense elements, or a type that consists of scalar types. Other canonical texts are not
/// recognised.
pub(crate) fn is_plain(kind: Kind, text: &str) -> bool {
    match kind {
        Kind::Attr => is_attr(text, false, MAX_DEPTH),
        Kind::Type => is_type(text),
        _ => false,
    }
}

/// The maximum nesting of arrays.
const MAX_DEPTH: u32 = 8;

/// True for the text of an attribute. If `in_array` is true, a number without a type is an `i64` or `f64`, because MLIR
/// omits these types inside arrays.
fn is_attr(text: &str, in_array: bool, depth: u32) -> bool {
    if let Some(items) = inside(text, "[", "]") {
        return depth > 0 && (items.is_empty() || split(items).all(|item| is_attr(item, true, depth - 1)));
    }
    if let Some(array) = inside(text, "array<", ">") {
        return is_dense_array(array);
    }
    if let Some((elements, ty)) = text.strip_prefix("dense<").and_then(|rest| rest.split_once("> : ")) {
        return is_dense(elements, ty);
    }
    match text.split_once(" : ") {
        Some((value, ty)) if !text.starts_with('"') => {
            is_number_of(value, ty) && !(in_array && matches!(ty, "i64" | "f64"))
        }
        _ if in_array && (is_number_of(text, "i64") || is_number_of(text, "f64")) => true,
        _ => matches!(text, "unit" | "true" | "false") || is_string(text) || is_symbol(text) || is_type(text),
    }
}

/// The text between a prefix and a suffix.
fn inside<'t>(text: &'t str, prefix: &str, suffix: &str) -> Option<&'t str> {
    text.strip_prefix(prefix)?.strip_suffix(suffix)
}

/// The items of a list, separated by commas outside brackets and strings.
fn split(list: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut in_string) = (0u32, false);
    let mut rest = Some(list);
    std::iter::from_fn(move || {
        let text = rest?;
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'[' | b'<' => depth += 1,
                b']' | b'>' => depth = depth.saturating_sub(1),
                b',' if depth == 0 => {
                    // Without a space after the comma, the rest becomes one empty item, which is not plain.
                    rest = Some(text[at + 1..].strip_prefix(' ').unwrap_or(""));
                    return Some(&text[..at]);
                }
                _ => {}
            }
        }
        rest = None;
        Some(text)
    })
}

/// True for `"printable text"`, without escapes.
fn is_string(text: &str) -> bool {
    inside(text, "\"", "\"")
        .is_some_and(|t| t.bytes().all(|b| matches!(b, b' '..=b'~') && b != b'"' && b != b'\\'))
}

/// True for `@name` and for `@root::@name`.
fn is_symbol(text: &str) -> bool {
    text.split("::").all(|part| {
        let name = part.strip_prefix('@').unwrap_or("").as_bytes();
        name.first().is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_')
            && name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'))
    })
}

/// True if a text is the form in which MLIR prints a number of this type.
fn is_number_of(value: &str, ty: &str) -> bool {
    if let Some(format) = FloatFormat::from_name(ty) {
        return is_float(value, format);
    }
    let bits = match ty.strip_prefix("ui") {
        // An unsigned number is a signed number with one more bit.
        Some(width) if !value.starts_with('-') => width_of(width).map(|width| width + 1),
        Some(_) => None,
        None if ty == "index" => Some(64),
        None => width_of(ty.strip_prefix("si").or(ty.strip_prefix('i')).unwrap_or("")),
    };
    // MLIR writes a Boolean as a word, so a number has two bits or more.
    bits.is_some_and(|bits| bits > 1 && is_signed(value, bits))
}

/// The bit width that decimal digits state.
fn width_of(text: &str) -> Option<u32> {
    if is_decimal(text, 8) { text.parse().ok() } else { None }
}

/// True if a text is the shortest form of a number of at most 18 digits that fits in a signed integer of this width.
fn is_signed(value: &str, bits: u32) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let negative = digits.len() < value.len();
    is_decimal(digits, 18)
        && !(negative && digits == "0")
        && digits.parse().is_ok_and(|magnitude: u64| {
            bits > 64 || magnitude - u64::from(negative && magnitude > 0) < 1 << (bits - 1)
        })
}

/// True if a text is a decimal number in its shortest form, with at most this number of digits.
fn is_decimal(text: &str, digits: usize) -> bool {
    !text.is_empty()
        && text.len() <= digits
        && text.bytes().all(|b| b.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
}

/// True for a finite number in the form in which MLIR prints it. Negative zero is not plain, because a host can compare
/// floats by value.
fn is_float(text: &str, format: FloatFormat) -> bool {
    let begins_like_one =
        text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E'));
    begins_like_one
        && text.len() <= 32
        && text.parse::<f64>().is_ok_and(|double| {
            let value = ApFloat::from_f64(format, double);
            !(value.is_zero() && value.is_negative()) && value.to_string() == text
        })
}

/// True for a type that consists of scalar types.
fn is_type(text: &str) -> bool {
    let of_shape = |prefix| inside(text, prefix, ">");
    if let Some(body) = of_shape("vector<").or(of_shape("tensor<")).or(of_shape("memref<")) {
        return shape(body).is_some();
    }
    match inside(text, "tuple<", ">") {
        Some(items) => items.is_empty() || split(items).all(is_element),
        None => is_element(text),
    }
}

/// The dimensions of a shaped type, which are `None` if they are dynamic, and its element type.
fn shape(body: &str) -> Option<(Vec<Option<u64>>, &str)> {
    let (mut dims, mut rest) = (Vec::new(), body);
    while let Some((dim, element)) = rest.split_once('x').filter(|(dim, _)| *dim == "?" || is_decimal(dim, 9))
    {
        dims.push(dim.parse().ok());
        rest = element;
    }
    is_element(rest).then_some((dims, rest))
}

/// True for a scalar type and for a complex number of scalar parts.
fn is_element(text: &str) -> bool {
    is_scalar(inside(text, "complex<", ">").unwrap_or(text))
}

fn is_scalar(text: &str) -> bool {
    let is_integer = || {
        let prefix = ["si", "ui", "i"].into_iter().find_map(|prefix| text.strip_prefix(prefix));
        prefix.is_some_and(|width| width_of(width).is_some())
    };
    matches!(text, "index" | "none") || FloatFormat::from_name(text).is_some() || is_integer()
}

/// True for the body of `array<i64: 1, 2>`.
fn is_dense_array(body: &str) -> bool {
    let (ty, items) = body.split_once(": ").map_or((body, None), |(ty, items)| (ty, Some(items)));
    let is_known = matches!(ty, "i1" | "i8" | "i16" | "i32" | "i64" | "f32" | "f64");
    is_known && items.is_none_or(|items| split(items).all(|item| is_dense_element(item, ty)))
}

fn is_dense_element(text: &str, ty: &str) -> bool {
    if matches!(ty, "i1" | "si1" | "ui1") { matches!(text, "true" | "false") } else { is_number_of(text, ty) }
}

/// True for the elements and type of `dense<[1, 2]> : tensor<2xi32>`. Elements that are all equal must be written as
/// one element.
fn is_dense(elements: &str, ty: &str) -> bool {
    let body = inside(ty, "vector<", ">").or(inside(ty, "tensor<", ">"));
    let Some((dims, element)) = body.and_then(shape) else { return false };
    let Some(items) = inside(elements, "[", "]") else {
        return dims.iter().all(|dim| dim.is_some_and(|dim| dim > 0)) && is_dense_element(elements, element);
    };
    let items: Vec<&str> = split(items).collect();
    dims == [u64::try_from(items.len()).ok()]
        && items.iter().any(|item| *item != items[0])
        && items.iter().all(|item| is_dense_element(item, element))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &[(Kind, &str)] = &[
        (Kind::Attr, "0 : i32"),
        (Kind::Attr, "7 : i4"),
        (Kind::Attr, "-8 : i4"),
        (Kind::Attr, "1 : i2"),
        (Kind::Attr, "-1 : i32"),
        (Kind::Attr, "99999 : i33"),
        (Kind::Attr, "999999999999999999 : i64"),
        (Kind::Attr, "-2147483648 : i32"),
        (Kind::Attr, "12 : index"),
        (Kind::Attr, "1 : si32"),
        (Kind::Attr, "255 : ui8"),
        (Kind::Attr, "true"),
        (Kind::Attr, "unit"),
        (Kind::Attr, "1.000000e+00 : f32"),
        (Kind::Attr, "-2.500000e-01 : f16"),
        (Kind::Attr, "0.000000e+00 : f64"),
        (Kind::Attr, "0.12345678901234568 : f64"),
        (Kind::Attr, "\"a.B_9\""),
        (Kind::Attr, "\"a b\""),
        (Kind::Attr, "\"\""),
        (Kind::Attr, "@a"),
        (Kind::Attr, "@a::@b"),
        (Kind::Attr, "index"),
        (Kind::Attr, "tensor<4xi32>"),
        (Kind::Attr, "[]"),
        (Kind::Attr, "[1, 2 : i32, \"a, b\", [1.000000e+00], @a]"),
        (Kind::Attr, "array<i64: 1, -2>"),
        (Kind::Attr, "array<i1: true>"),
        (Kind::Attr, "array<f32>"),
        (Kind::Attr, "dense<1> : tensor<4xi32>"),
        (Kind::Attr, "dense<[1, 2]> : vector<2xi64>"),
        (Kind::Attr, "dense<[true, false]> : vector<2xi1>"),
        (Kind::Attr, "dense<0.000000e+00> : tensor<f32>"),
        (Kind::Type, "i1"),
        (Kind::Type, "si8"),
        (Kind::Type, "ui16"),
        (Kind::Type, "index"),
        (Kind::Type, "none"),
        (Kind::Type, "bf16"),
        (Kind::Type, "f64"),
        (Kind::Type, "vector<2xi8>"),
        (Kind::Type, "tensor<?x4xf32>"),
        (Kind::Type, "tensor<f32>"),
        (Kind::Type, "memref<4x?xcomplex<f32>>"),
        (Kind::Type, "tuple<i32, complex<f64>>"),
        (Kind::Type, "tuple<>"),
    ];

    const OTHER: &[(Kind, &str)] = &[
        // The top bit of an `i4` is its sign, so 8 does not fit.
        (Kind::Attr, "8 : i4"),
        (Kind::Attr, "-9 : i4"),
        (Kind::Attr, "2 : i2"),
        (Kind::Attr, "2147483648 : i32"),
        (Kind::Attr, "256 : ui8"),
        (Kind::Attr, "-1 : ui8"),
        (Kind::Attr, "-0 : i32"),
        // MLIR writes a Boolean as a word.
        (Kind::Attr, "1 : i1"),
        (Kind::Attr, "0 : i0"),
        (Kind::Attr, "01 : i32"),
        (Kind::Attr, "0x1 : i32"),
        (Kind::Attr, "+1 : i32"),
        (Kind::Attr, "1 : i032"),
        (Kind::Attr, "1 : i"),
        (Kind::Attr, "1 : f32"),
        (Kind::Attr, "1"),
        (Kind::Attr, " : i32"),
        (Kind::Attr, "x : index"),
        (Kind::Attr, "x"),
        (Kind::Attr, "true : i1"),
        // These are other decimal forms of a number, and a decimal form that `f16` rounds.
        (Kind::Attr, "1.0 : f32"),
        (Kind::Attr, "1.000000e+00"),
        (Kind::Attr, "1.000001e+00 : f16"),
        (Kind::Attr, "-0.000000e+00 : f32"),
        (Kind::Attr, "0x7FC00000 : f32"),
        (Kind::Attr, "inf : f32"),
        (Kind::Attr, "1e99 : f32"),
        (Kind::Attr, "\"\\41\""),
        (Kind::Attr, "\"a\" : i32"),
        (Kind::Attr, "\"a\", \"b\""),
        (Kind::Attr, "\""),
        (Kind::Attr, "@\"a\""),
        (Kind::Attr, "@"),
        (Kind::Attr, "[1 : i64]"),
        (Kind::Attr, "[1,2]"),
        (Kind::Attr, "[1, ]"),
        (Kind::Attr, "[1], [2]"),
        (Kind::Attr, "[1.000000e+00 : f64]"),
        (Kind::Attr, "{}"),
        (Kind::Attr, "#a.b"),
        (Kind::Attr, "array<i64:1>"),
        (Kind::Attr, "array<i64: 1,2>"),
        (Kind::Attr, "array<i64: >"),
        (Kind::Attr, "dense<[1, 1]> : vector<2xi64>"),
        (Kind::Attr, "dense<[1]> : vector<1xi64>"),
        (Kind::Attr, "dense<[1, 2]> : vector<3xi64>"),
        (Kind::Attr, "dense<1> : tensor<?xi32>"),
        (Kind::Attr, "dense<1> : tensor<0xi32>"),
        (Kind::Attr, "dense<1> : i32"),
        (Kind::Type, "i"),
        (Kind::Type, "i01"),
        (Kind::Type, "si"),
        (Kind::Type, "uii8"),
        (Kind::Type, "8"),
        (Kind::Type, "f80x"),
        (Kind::Type, "vector<02xi8>"),
        (Kind::Type, "vector<2 x i8>"),
        (Kind::Type, "vector<[4]xi8>"),
        (Kind::Type, "memref<4xi8, 0>"),
        (Kind::Type, "tuple<i32,i32>"),
        (Kind::Type, "!a.b"),
        (Kind::Value, "i32"),
        (Kind::Type, "1 : i32"),
    ];

    #[test]
    fn only_canonical_texts_are_plain() {
        for &(kind, text) in PLAIN {
            assert!(is_plain(kind, text), "{text}");
        }
        for &(kind, text) in OTHER {
            assert!(!is_plain(kind, text), "{text}");
        }
        assert!(is_decimal("123", 3) && !is_decimal("1234", 3) && is_decimal("0", 1) && !is_decimal("00", 3));
        assert!(!is_plain(Kind::Attr, &format!("{}{}", "[".repeat(9), "]".repeat(9))));
    }

    /// The built-in IR, which prints like MLIR, prints a plain constant as it was written.
    #[test]
    #[cfg(feature = "ir")]
    fn plain_constants_are_printed_as_they_are_written() {
        let mut context = crate::ir::Context::new();
        let mut check = |kind, text: &str| match kind {
            Kind::Type => {
                let ty = context.parse_type(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
                assert_eq!(context.type_text(ty), text);
            }
            _ => {
                let attr = context.parse_attr(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
                assert_eq!(context.attr_text(attr), text);
            }
        };
        for &(kind, text) in PLAIN {
            check(kind, text);
        }
        let values = [
            "0",
            "1",
            "2",
            "3",
            "7",
            "8",
            "-8",
            "-9",
            "127",
            "128",
            "-128",
            "255",
            "256",
            "-1",
            "00",
            "true",
            "0.5",
            "5.000000e-01",
            "1.000000e+10",
            "65504.0",
            "6.550400e+04",
            "1.000010e+00",
            "0.12345678901234568",
            "1.100000e+00",
            "3.000000e-45",
            "1.401300e-45",
            "1.4012984643248171E-45",
            "-0.000000e+00",
            "1e5",
        ];
        let types = [
            "i0", "i1", "i2", "i3", "i4", "i8", "i32", "i64", "i128", "index", "si8", "ui8", "ui1", "si1",
            "f16", "bf16", "f32", "f64", "f80", "f128", "tf32", "f8E5M2", "f8E4M3FN",
        ];
        for value in values {
            for ty in types {
                for text in [
                    format!("{value} : {ty}"),
                    format!("[{value} : {ty}]"),
                    format!("[{value}]"),
                    format!("array<{ty}: {value}, {value}>"),
                    format!("dense<{value}> : tensor<2x3x{ty}>"),
                    format!("dense<[{value}, 1]> : vector<2x{ty}>"),
                ] {
                    if is_plain(Kind::Attr, &text) {
                        check(Kind::Attr, &text);
                    }
                }
            }
        }
    }
}
