//! Finds the words of a C++ text that may be variables.

/// The words of a C++ text that may be variables, in the order of the text. Members, qualified names, called functions,
/// numbers, placeholders (`$0`) and strings are excluded.
pub(super) fn variables(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut found = Vec::new();
    let mut at = 0;
    // The quote that ends the literal around `at`, and true if a backslash escapes the next character.
    let (mut quote, mut escaped) = (None, false);
    while let Some(c) = text[at..].chars().next() {
        if quote.is_some() || !is_word(c) {
            quote = match quote {
                None => Some(c).filter(|c| matches!(c, '"' | '\'')),
                Some(quote) => Some(quote).filter(|&quote| escaped || c != quote),
            };
            escaped = quote.is_some() && c == '\\' && !escaped;
            at += c.len_utf8();
            continue;
        }
        let end = text[at..].find(|c| !is_word(c)).map_or(text.len(), |len| at + len);
        let (before, after) = (text[..at].trim_end(), text[end..].trim_start());
        let member = before.ends_with('.') || before.ends_with("->") || before.ends_with("::");
        if !member && !c.is_ascii_digit() && c != '$' && !after.starts_with("::") && !after.starts_with('(') {
            found.push(&text[at..end]);
        }
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::variables;

    #[test]
    fn variables_are_neither_members_nor_names_of_functions() {
        let text = "foo($0, res->hasOneUse(), \"res\", a.b, n::c, n2 ::d) && op0";
        assert_eq!(variables(text), ["res", "a", "op0"]);
        assert_eq!(variables(r#"a + "b\\" + c + '"' + d + "\"e" + '\'' + f"#), ["a", "c", "d", "f"]);
    }
}
