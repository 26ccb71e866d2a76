//! What can be wrong with a `.td` file: one constructor for each message that needs more than its words.

use std::fmt::Display;
use std::path::Path;

use crate::source::{Diagnostic, Span};

/// An error was reported; the statement at hand is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failed;

/// What most of the front end returns.
pub(super) type Result<T> = std::result::Result<T, Failed>;

/// A plain error at a place.
pub(super) fn at(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(message).at(span, "")
}

/// An include directive whose file is nowhere.
pub(super) fn include_not_found(span: Span, name: &str, looked: &[String]) -> Diagnostic {
    let error = at(span, format!("could not find include file '{name}'"));
    if looked.is_empty() {
        return error.help("name the directory that holds it with -I");
    }
    error.with_note(format!("looked in {}", looked.join(", ")))
}

/// An include directive that names a folder.
pub(super) fn include_folder(span: Span, name: &str, folder: &Path) -> Diagnostic {
    at(span, format!("could not find include file '{name}'"))
        .with_note(format!("{} is a folder", folder.display()))
}

/// Files that include each other without end.
pub(super) fn include_depth(span: Span, limit: usize) -> Diagnostic {
    at(span, format!("files are included more than {limit} deep")).help("does a file include itself?")
}

/// A limit on what one run may hold or do.
pub(super) fn limit(span: Span, what: &str, limit: impl Display) -> Diagnostic {
    at(span, format!("{what} pass the limit of {limit}"))
}

/// Something nested too deep.
pub(super) fn depth(span: Span, what: &str, limit: impl Display) -> Diagnostic {
    at(span, format!("{what} deeper than the limit of {limit}"))
}

/// A name that means nothing here.
pub(super) fn unknown_name(span: Span, name: &str) -> Diagnostic {
    at(span, format!("Variable not defined: '{name}'"))
}

/// A class name that means nothing here.
pub(super) fn unknown_class(span: Span, name: &str, is_multiclass: bool) -> Diagnostic {
    if is_multiclass {
        return at(
            span,
            format!("Couldn't find class '{name}'. Use 'defm' if you meant to use multiclass '{name}'"),
        );
    }
    at(span, format!("Couldn't find class '{name}'"))
}

/// A value that a field cannot hold.
pub(super) fn field_type(
    span: Span,
    field: &str,
    ty: impl Display,
    value: impl Display,
    of: &str,
) -> Diagnostic {
    at(span, format!("Field '{field}' of type '{ty}' is incompatible with value '{value}'{of}"))
}

/// Two definitions of one name.
pub(super) fn duplicate_def(span: Span, name: &str, previous: Span) -> Diagnostic {
    at(span, format!("def already exists: {name}")).note_at(previous, "location of previous definition")
}

/// An assertion that does not hold.
pub(super) fn assertion(span: Span, message: Option<&str>) -> Diagnostic {
    at(span, format!("assertion failed: {}", message.unwrap_or("(assert message is not a string)")))
}

/// A template argument that nothing uses.
pub(super) fn unused_template_arg(span: Span, name: &str) -> Diagnostic {
    Diagnostic::warning(format!("unused template argument: {name}")).at(span, "")
}

/// A template argument without value.
pub(super) fn missing_argument(span: Span, name: &str, owner: &str, declared: Span) -> Diagnostic {
    at(span, format!("value not specified for template argument '{name}'"))
        .note_at(declared, format!("declared in '{owner}'"))
}

/// A name that the preprocessor cannot define.
pub(super) fn macro_name(name: &str) -> Diagnostic {
    Diagnostic::error(format!("invalid macro name `{name}` specified on command line"))
}

/// A brace that nothing closes.
pub(super) fn unclosed(span: Span, what: &str, open: Span) -> Diagnostic {
    at(span, format!("expected '}}' at end of {what}")).note_at(open, "to match this '{'")
}

/// A body with a semicolon after it.
pub(super) fn semicolon_after(span: Span, what: &str) -> Diagnostic {
    at(span, format!("{what} body should not end with a semicolon"))
        .with_note("Semicolon ignored; remove to eliminate this error")
}
