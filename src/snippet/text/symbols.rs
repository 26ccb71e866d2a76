//! The names in the text of a symbol reference.

use crate::string_literal::unescape;

/// The names in `@root::@nested`, from the outermost to the innermost; `None` if the text is not a chain of names that
/// start with `@`. Names without quotes are not checked.
pub(in crate::snippet) fn symbols_of(text: &str) -> Option<Vec<String>> {
    let (mut names, mut rest) = (Vec::new(), text);
    loop {
        rest = rest.strip_prefix('@')?;
        let (name, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let end = end_of_string(quoted)?;
                (unescape(&quoted.as_bytes()[..end]).into_owned(), &quoted[end + 1..])
            }
            None => {
                let end = rest.find("::").unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        names.push(name);
        if after.is_empty() {
            return Some(names);
        }
        rest = after.strip_prefix("::")?;
    }
}

/// The offset of the first quote that is not escaped, which closes a string literal.
fn end_of_string(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.find(|c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })
}

#[cfg(test)]
mod tests {
    use super::symbols_of;

    #[test]
    fn references_have_names() {
        for (text, names) in [
            ("@f", Some(&["f"][..])),
            ("@a::@b::@c", Some(&["a", "b", "c"])),
            ("@\"a::b\"::@\"x \\22y\\22\"", Some(&["a::b", "x \"y\""])),
            ("@\"\"", Some(&[""])),
            ("@a::b", None),
            ("@\"a", None),
            ("@\"a\"b", None),
            ("a", None),
            ("", None),
        ] {
            let found = symbols_of(text);
            let names = names.map(|names| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
            assert_eq!(found, names, "{text}");
        }
    }
}
