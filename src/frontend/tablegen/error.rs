//! Constructors of the errors and warnings about `.td` files. Simple errors have no constructor: the functions that
//! find them call [`at`].

use std::fmt::Display;
use std::path::Path;

use crate::source::{Diagnostic, Span};

/// An error was reported, and the current statement is abandoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failed;

/// The result type of most functions of this folder.
pub(super) type Result<T> = std::result::Result<T, Failed>;

/// An error with a text and a place.
pub(super) fn at(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(message).at(span, "")
}

/// The file of an include directive does not exist.
pub(super) fn include_not_found(span: Span, name: &str, looked: &[String]) -> Diagnostic {
    let error = at(span, format!("could not find include file '{name}'"))
        .help("pass the directory that contains the file with -I");
    match looked {
        [] => error,
        _ => error.with_note(format!("looked in the current folder and in {}", looked.join(", "))),
    }
}

/// The path of an include directive is a folder.
pub(super) fn include_folder(span: Span, name: &str, folder: &Path) -> Diagnostic {
    at(span, format!("could not find include file '{name}'"))
        .with_note(format!("{} is a folder", folder.display()))
}

/// Files include each other too deeply.
pub(super) fn include_depth(span: Span, limit: usize) -> Diagnostic {
    at(span, format!("files are included more than {limit} levels deep")).help("does a file include itself?")
}

/// The size of a type, value or record, or the work of a run, exceeds a limit.
pub(super) fn limit(span: Span, what: &str, limit: impl Display) -> Diagnostic {
    at(span, format!("{what} exceed the limit of {limit}"))
}

/// Nesting exceeds a limit.
pub(super) fn depth(span: Span, what: &str, limit: impl Display) -> Diagnostic {
    at(span, format!("{what} deeper than the limit of {limit}"))
}

/// A name is not defined.
pub(super) fn unknown_name(span: Span, name: &str) -> Diagnostic {
    at(span, format!("Variable not defined: '{name}'"))
}

/// A class name is not defined.
pub(super) fn unknown_class(span: Span, name: &str, is_multiclass: bool) -> Diagnostic {
    if is_multiclass {
        return at(
            span,
            format!("Couldn't find class '{name}'. Use 'defm' if you meant to use multiclass '{name}'"),
        );
    }
    at(span, format!("Couldn't find class '{name}'"))
}

/// The value of a field does not have the type of the field.
pub(super) fn field_type(
    span: Span,
    field: &str,
    ty: impl Display,
    value: impl Display,
    of: &str,
) -> Diagnostic {
    at(span, format!("Field '{field}' of type '{ty}' is incompatible with value '{value}'{of}"))
}

/// A name is defined twice.
pub(super) fn duplicate_def(span: Span, name: &str, previous: Span) -> Diagnostic {
    at(span, format!("def already exists: {name}")).note_at(previous, "location of previous definition")
}

/// An assertion fails.
pub(super) fn assertion(span: Span, message: Option<&str>) -> Diagnostic {
    at(span, format!("assertion failed: {}", message.unwrap_or("(assert message is not a string)")))
}

/// A template argument is unused.
pub(super) fn unused_template_arg(span: Span, name: &str) -> Diagnostic {
    Diagnostic::warning(format!("unused template argument: {name}")).at(span, "")
}

/// A template argument has no value.
pub(super) fn missing_argument(span: Span, name: &str, owner: &str, declared: Span) -> Diagnostic {
    at(span, format!("value not specified for template argument '{name}'"))
        .note_at(declared, format!("declared in '{owner}'"))
}

/// A name of [`Config::defines`](super::Config::defines) is not an identifier.
pub(super) fn macro_name(name: &str) -> Diagnostic {
    Diagnostic::error(format!("invalid macro name `{name}` specified on command line"))
}

/// An opening brace has no closing brace.
pub(super) fn unclosed(span: Span, what: &str, open: Span) -> Diagnostic {
    at(span, format!("expected '}}' at end of {what}")).note_at(open, "to match this '{'")
}

/// A class derives from itself.
pub(super) fn derives_from_itself(span: Span, name: &str) -> Diagnostic {
    Diagnostic::warning(format!("class '{name}' derives from itself, which has no effect")).at(span, "")
}

/// A parent is already a superclass.
pub(super) fn already_subclass(span: Span, name: &str) -> Diagnostic {
    at(span, format!("Already subclass of '{name}'!"))
}

/// A semicolon follows a body.
pub(super) fn semicolon_after(span: Span, what: &str) -> Diagnostic {
    at(span, format!("{what} body should not end with a semicolon"))
        .with_note("Semicolon ignored; remove to eliminate this error")
}
