//! Names in MLIR's text.

use crate::string_literal::{quote, to_bytes};

/// True if MLIR writes a name without quotes.
pub(crate) fn is_bare_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'))
}

/// A name as MLIR writes it: in quotes unless it is a bare identifier.
pub(crate) fn keyword_or_string(name: &str) -> String {
    if is_bare_identifier(name) { name.to_owned() } else { quote(name) }
}

/// The name that MLIR gives a value for which this name is suggested.
pub(crate) fn value_name(suggested: &str) -> String {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"$._-".contains(&byte);
    let bytes = to_bytes(suggested);
    let mut name = String::new();
    // At the start of a name, MLIR writes `_` before a digit, and before a byte that it writes in hexadecimal.
    if bytes.first().is_some_and(|&byte| byte.is_ascii_digit() || !is_valid(byte) && byte != b' ') {
        name.push('_');
    }
    for &byte in &*bytes {
        match byte {
            b' ' => name.push('_'),
            byte if is_valid(byte) => name.push(byte.into()),
            byte => name.push_str(&format!("{byte:X}")),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::string_literal::unescape;

    #[test]
    fn value_names_are_those_of_mlir() {
        for (suggested, expected) in [
            ("a b", "a_b"),
            (" a", "_a"),
            ("2x", "_2x"),
            ("\\C3\\A9", "_C3A9"),
            ("\\FF", "_FF"),
            ("[x", "_5Bx"),
            ("x[", "x5B"),
        ] {
            assert_eq!(value_name(&unescape(suggested.as_bytes())), expected);
        }
    }
}
