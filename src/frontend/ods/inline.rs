//! Simple methods in C++ text: methods whose body is a single `return`.
//!
//! Specification: the result is the returned expression. Methods of any other form are not found.

/// Returns the expression that a method without parameters returns, if its body is in the declarations.
pub(crate) fn returned_expression(declarations: &str, method: &str) -> Option<String> {
    let code = without_comments(declarations);
    for (at, _) in code.match_indices(method) {
        if code[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '>' | ':')) {
            continue;
        }
        let body = after(&code[at + method.len()..], "(")
            .and_then(|rest| after(rest, ")"))
            .and_then(|rest| after(after(rest, "const").unwrap_or(rest), "{"))
            .and_then(|body| after(body, "return"));
        let Some(body) = body else { continue };
        // A `{` before the `;` would begin a block, so the text would not be an expression.
        if !body.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            && let Some(end) = body.find([';', '{'])
            && after(&body[end..], ";").is_some_and(|rest| rest.trim_start().starts_with('}'))
        {
            return Some(body[..end].trim().to_owned());
        }
    }
    None
}

fn after<'t>(text: &'t str, token: &str) -> Option<&'t str> {
    text.trim_start().strip_prefix(token)
}

/// Returns the text without comments. The line breaks inside and after comments remain. In literals, `//` and `/*` do
/// not start comments.
pub(crate) fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = comment_start(rest) {
        code.push_str(&rest[..at]);
        let comment = &rest[at..];
        let end = match comment.starts_with("//") {
            true => comment.find('\n').unwrap_or(comment.len()),
            false => comment[2..].find("*/").map_or(comment.len(), |end| end + 4),
        };
        let breaks = comment[..end].matches('\n').map(|_| '\n');
        code.extend(breaks);
        // A comment separates words.
        code.extend((!comment.starts_with("//")).then_some(' '));
        rest = &comment[end..];
    }
    code.push_str(rest);
    code
}

/// The offset of the first comment.
fn comment_start(text: &str) -> Option<usize> {
    // Inside a string or character literal, the quote that ends the literal.
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            _ if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            // A literal ends with its line.
            Some(end) if c == end || c == '\n' => quote = None,
            Some(_) => {}
            // A quote inside a number, as in `1'000`, does not start a literal.
            None if c == '\'' && !matches!(word_before(text, at), "" | "L" | "u" | "U" | "u8") => {}
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if text[at..].starts_with("//") || text[at..].starts_with("/*") => return Some(at),
            None => {}
        }
    }
    None
}

/// The letters, digits and `_` directly before an offset.
fn word_before(text: &str, at: usize) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    &text[text[..at].trim_end_matches(is_part).len()..at]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_returned_expression_is_read_from_a_declaration() {
        let of = |text: &str| returned_expression(text, "isOptionalSymbol");
        for text in [
            "/// May be one.\nbool isOptionalSymbol() { return true; }",
            "int a();\n  bool\n  isOptionalSymbol ( ) const {\n    return true; // Says who?\n  }\n int b;",
            "bool notIsOptionalSymbol() { return isOptionalSymbol(); } bool isOptionalSymbol(){return true;}",
        ] {
            assert_eq!(of(text).as_deref(), Some("true"), "{text}");
        }
        assert_eq!(of("bool isOptionalSymbol() { return !getName(); }").as_deref(), Some("!getName()"));
        for text in [
            "// bool isOptionalSymbol() { return true; }",
            "/* bool isOptionalSymbol() { return true; } */",
            "bool isOptionalSymbol();",
            "bool isOptionalSymbol(int) { return true; }",
            "bool isOptionalSymbol() { if (x) return true; return false; }",
            "bool isOptionalSymbol() { returned(); }",
            "bool x() { return other.isOptionalSymbol() { return true; }",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn slashes_in_literals_do_not_start_comments() {
        for (text, expected) in [
            (r#"return "a//b"; // c"#, r#"return "a//b"; "#),
            (r#"return "\"//"; // c"#, r#"return "\"//"; "#),
            (r#"return '"'; // "c""#, r#"return '"'; "#),
            (r#"return L'"' + u8'"'; // c"#, r#"return L'"' + u8'"'; "#),
            ("return 0xff'ff'ab; // c", "return 0xff'ff'ab; "),
            ("a // b\nc", "a \nc"),
            ("a/* b // c */d // e", "a d "),
            ("a/* b\nc */\nd /* e", "a\n \nd  "),
            (r#"return "/*"; // "c" */"#, r#"return "/*"; "#),
        ] {
            assert_eq!(without_comments(text), expected);
        }
    }
}
