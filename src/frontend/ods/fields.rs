//! Reading single fields of a record, with a default for those that are absent or unset.

use crate::frontend::tablegen::Record;

pub(super) fn text<'a>(record: Record<'a>, field: &str) -> &'a str {
    record.string_field(field).unwrap_or("").trim()
}

pub(super) fn namespace<'a>(record: Record<'a>, field: &str) -> &'a str {
    text(record, field).trim_start_matches("::").trim_end_matches("::")
}

pub(super) fn flag(record: Record<'_>, field: &str) -> bool {
    record.bit_field(field).unwrap_or(false)
}
