//! Reads single fields of a record. An absent or unset field is read as an empty text or as false.

use crate::frontend::tablegen::Record;

/// The trimmed text of a field, or an empty text.
pub(super) fn text<'a>(record: Record<'a>, field: &str) -> &'a str {
    record.string_field(field).unwrap_or("").trim()
}

/// A C++ namespace without leading and trailing `::`.
pub(super) fn namespace<'a>(record: Record<'a>, field: &str) -> &'a str {
    text(record, field).trim_start_matches("::").trim_end_matches("::")
}

/// The value of a bit field, or false.
pub(super) fn flag(record: Record<'_>, field: &str) -> bool {
    record.bit_field(field).unwrap_or(false)
}
