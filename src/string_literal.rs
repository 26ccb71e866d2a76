//! String literals of MLIR's text: bytes between quotes, with escapes.
//!
//! Specification: literals are read and written byte for byte as MLIR reads and writes them.
//!
//! MLIR's strings are bytes, but strings here are text. A byte that is not part of valid UTF-8 is represented by one of
//! the last 256 code points of Unicode, U+10FF00 to U+10FFFF. If the bytes contain the encoding of such a code point,
//! each byte of the encoding is represented in the same way. So different byte strings have different texts.

use std::borrow::Cow;

const BASE: u32 = 0x0010_FF00;

fn is_stand_in(c: char) -> bool {
    u32::from(c) >= BASE
}

fn stand_in(byte: u8) -> char {
    char::from_u32(BASE + u32::from(byte)).expect("the range is within Unicode")
}

/// The text that represents these bytes.
pub(crate) fn from_bytes(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        // In UTF-8, these characters start with 0xF4, so a text without this byte contains none of them.
        Ok(text) if memchr::memchr(0xF4, bytes).is_none() || !text.contains(is_stand_in) => text.into(),
        _ => {
            let mut out = String::with_capacity(bytes.len());
            for chunk in bytes.utf8_chunks() {
                for c in chunk.valid().chars() {
                    if is_stand_in(c) {
                        out.extend(c.encode_utf8(&mut [0; 4]).bytes().map(stand_in));
                    } else {
                        out.push(c);
                    }
                }
                out.extend(chunk.invalid().iter().copied().map(stand_in));
            }
            out.into()
        }
    }
}

/// The bytes that a text represents.
pub(crate) fn to_bytes(text: &str) -> Cow<'_, [u8]> {
    if memchr::memchr(0xF4, text.as_bytes()).is_none() {
        return text.as_bytes().into();
    }
    let mut out = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u8::try_from(u32::from(c).wrapping_sub(BASE)) {
            Ok(byte) => out.push(byte),
            Err(_) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.into()
}

/// Appends a string literal, as MLIR writes it.
pub(crate) fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    push_escaped(out, text);
    out.push('"');
}

fn push_escaped(out: &mut String, text: &str) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    if text.bytes().all(|b| matches!(b, b' '..=b'~') && b != b'"' && b != b'\\') {
        out.push_str(text);
        return;
    }
    for &byte in &*to_bytes(text) {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b' '..=b'~' if byte != b'"' => out.push(char::from(byte)),
            _ => {
                out.push('\\');
                out.push(char::from(HEX[usize::from(byte >> 4)]));
                out.push(char::from(HEX[usize::from(byte & 15)]));
            }
        }
    }
}

/// The string literal of a text, as MLIR writes it.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    out
}

/// The value of a string literal. `inside` is the text between the quotes.
pub(crate) fn unescape(inside: &[u8]) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', inside) else { return from_bytes(inside) };
    let mut out = inside[..first].to_vec();
    let mut rest = inside[first..].iter().copied();
    // Missing digits at the end count as 0.
    let digit = |byte: Option<u8>| {
        byte.and_then(|b| char::from(b).to_digit(16)).and_then(|d| u8::try_from(d).ok()).unwrap_or(0)
    };
    while let Some(byte) = rest.next() {
        out.push(match byte {
            b'\\' => match rest.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(c @ (b'"' | b'\\')) => c,
                high => digit(high) << 4 | digit(rest.next()),
            },
            byte => byte,
        });
    }
    from_bytes(&out).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_are_bytes() {
        assert_eq!(unescape(br#"a\n\t\"\\\22\41\c3\A9"#), "a\n\t\"\\\"A\u{e9}");
        // Bytes that are not UTF-8 are kept.
        assert_eq!(quote(&unescape(br"\ff\FE")), r#""\FF\FE""#);
        // The lexer refuses this literal.
        assert_eq!(unescape(br"\"), "\0");
    }

    proptest! {
        #![proptest_config(crate::test_seed::config())]
        #[test]
        fn bytes_and_texts_correspond_one_to_one(bytes: Vec<u8>, text: String, c in 0x10_FE00u32..0x11_0000) {
            prop_assert_eq!(to_bytes(&from_bytes(&bytes)).into_owned(), &bytes[..]);
            prop_assert_eq!(from_bytes(&to_bytes(&text)).into_owned(), text.clone());
            let hard = format!("{text}{}", char::from_u32(c).unwrap());
            prop_assert_eq!(to_bytes(&from_bytes(hard.as_bytes())).into_owned(), hard.into_bytes());
            for text in [text, from_bytes(&bytes).into_owned()] {
                let quoted = quote(&text);
                prop_assert_eq!(unescape(&quoted.as_bytes()[1..quoted.len() - 1]), text);
            }
        }
    }
}
