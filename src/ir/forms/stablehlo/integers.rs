//! Lists of integers, which each dialect stores in its own way.

use super::super::index_list::{i64_array, i64_items};
use super::super::lists::{dense_i64, dense_text, enclosed};
use crate::ir::context::Context;
use crate::ir::dialect::{FormPrinter, FormReader, FormResult};
use crate::ir::ids::AttrId;

/// The dialects with the same operations and attributes.
pub(super) const DIALECTS: [&str; 2] = ["stablehlo", "mhlo"];

/// The dialect of the operation.
pub(super) fn dialect(op_name: &str) -> &str {
    op_name.split('.').next().unwrap_or(op_name)
}

/// Reads `[1, 2]`.
pub(super) fn integers(reader: &mut dyn FormReader) -> FormResult<Vec<i64>> {
    enclosed(reader, ("[", "]"), |r| r.optional_integer()?.ok_or_else(|| r.expected("an integer")))
}

/// The text of integers, `[1, 2]`.
pub(super) fn integers_text(values: &[i64]) -> String {
    let texts: Vec<String> = values.iter().map(i64::to_string).collect();
    format!("[{}]", texts.join(", "))
}

/// A list of integers. It is a tensor in `mhlo`, and an array in `stablehlo`.
pub(super) fn integers_attr(reader: &mut dyn FormReader, values: &[i64]) -> FormResult<AttrId> {
    if dialect(&reader.op_name()) == "mhlo" {
        let texts: Vec<String> = values.iter().map(i64::to_string).collect();
        return reader.attr_of_text(&dense_text(&texts, &format!("{}xi64", values.len())));
    }
    Ok(i64_array(reader, values))
}

/// The integers in an attribute that [`integers_attr`] builds.
pub(super) fn integers_of(printer: &dyn FormPrinter, attr: AttrId) -> Option<Vec<i64>> {
    match dialect(&printer.op_name()) {
        "mhlo" => dense_i64(printer, attr, Context::I64, 1),
        _ => i64_items(printer, attr),
    }
}
