//! The C++ names that ODS generates.

/// The name of a generated accessor: `get`, `set` or `remove` and the name of the argument in camel case.
///
/// An underscore before a lower-case letter is removed and the letter is capitalised. Other underscores stay.
///
/// ```
/// # use drrvm::internal::frontend::ods::accessor_name;
/// assert_eq!(accessor_name("get", "lhs"), "getLhs");
/// assert_eq!(accessor_name("get", "value_to_store"), "getValueToStore");
/// assert_eq!(accessor_name("get", "tag_0"), "getTag_0");
/// ```
pub fn accessor_name(prefix: &str, argument: &str) -> String {
    let mut name = String::with_capacity(prefix.len() + argument.len());
    name.push_str(prefix);
    let mut chars = argument.chars().peekable();
    let mut first = true;
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(&next) if c == '_' && next.is_ascii_lowercase() => {
                name.push(next.to_ascii_uppercase());
                chars.next();
            }
            _ if first => name.push(c.to_ascii_uppercase()),
            _ => name.push(c),
        }
        first = false;
    }
    name
}
