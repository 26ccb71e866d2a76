//! POSIX extended regular expressions, for `!match` and `!instances`.
//!
//! The syntax is translated to that of the `regex-lite` crate. POSIX reads a backslash in brackets literally and has no
//! `\d`. The translated expression finds a match in the same texts, but the matched part may differ; no operator uses
//! the matched part.

/// Compiles an expression, or returns its error as text.
pub(super) fn compile(pattern: &str) -> Result<regex_lite::Regex, String> {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut chars = pattern.chars().peekable();
    let mut in_repetition = false;
    // True after `^` and after a repetition, which POSIX cannot repeat.
    let mut is_unrepeatable = false;
    while let Some(c) = chars.next() {
        let repeats =
            matches!(c, '*' | '+' | '?') || c == '{' && chars.peek().is_some_and(char::is_ascii_digit);
        if repeats && is_unrepeatable {
            return Err("repetition-operator operand invalid".into());
        }
        is_unrepeatable = repeats || in_repetition || c == '^';
        match c {
            '\\' => match chars.next() {
                None => return Err("trailing backslash (\\)".into()),
                Some(d @ '1'..='9') => return Err(format!("back-reference \\{d} is not supported")),
                Some(c) => literal(c, &mut out),
            },
            '[' => bracket(&mut chars, &mut out)?,
            '(' => {
                out.push('(');
                if chars.peek() == Some(&'?') {
                    return Err("repetition-operator operand invalid".into());
                }
            }
            // A brace without a number is an ordinary character.
            '{' if chars.peek().is_some_and(char::is_ascii_digit) => {
                in_repetition = true;
                out.push('{');
            }
            '}' if in_repetition => {
                in_repetition = false;
                out.push('}');
            }
            c @ (')' | '|' | '*' | '+' | '?' | '.' | '^' | '$') => out.push(c),
            c => literal(c, &mut out),
        }
    }
    regex_lite::RegexBuilder::new(&out)
        .dot_matches_new_line(true)
        .size_limit(1 << 20)
        .build()
        .map_err(|error| error.to_string().lines().last().unwrap_or("bad syntax").to_owned())
}

fn literal(c: char, out: &mut String) {
    out.push_str(&regex_lite::escape(c.encode_utf8(&mut [0; 4])));
}

/// Translates a bracket expression after its `[`.
fn bracket(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) -> Result<(), String> {
    out.push('[');
    if chars.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut first = true;
    loop {
        let Some(c) = chars.next() else { return Err("brackets ([ ]) not balanced".into()) };
        match c {
            ']' if !first => {
                out.push(']');
                return Ok(());
            }
            '[' if chars.peek() == Some(&':') => {
                out.push('[');
                loop {
                    let Some(c) = chars.next() else { return Err("invalid character class".into()) };
                    out.push(c);
                    if c == ']' {
                        break;
                    }
                }
            }
            '-' => out.push('-'),
            c => {
                if c.is_ascii_punctuation() {
                    out.push('\\');
                }
                out.push(c);
            }
        }
        first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::compile;

    /// The expected values are those of `llvm-tblgen`.
    #[test]
    fn a_brace_without_a_number_is_an_ordinary_character() {
        for (pattern, text, matches) in [
            ("a{b", "a{b", true),
            ("a{,2}", "a{,2}", true),
            ("a{}b", "a{}b", true),
            ("{", "{", true),
            ("^a{2}b$", "aab", true),
            ("^a{2}b$", "ab", false),
        ] {
            let regex = compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
            assert_eq!(regex.is_match(text), matches, "{pattern}");
        }
        for pattern in ["a{1b", "a|{2}", "{2}", "a+?", "b**", "^*b", "a{2}*", "a*{2}"] {
            assert!(compile(pattern).is_err(), "{pattern}");
        }
    }
}
