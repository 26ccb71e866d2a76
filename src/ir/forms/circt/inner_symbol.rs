//! The inner symbol of an operation, written `sym @s`: a name by which operations outside its `hw.module` can refer to
//! it.

use crate::ir::dialect::{FormPrinter, FormReader, FormResult};

/// Reads an optional `sym @s` into the attribute `inner_sym`.
pub(super) fn read_inner_symbol(reader: &mut dyn FormReader) -> FormResult<()> {
    if reader.optional_literal("sym") {
        let symbol = reader.stripped(INNER_SYMBOL)?;
        reader.set("inner_sym", symbol);
    }
    Ok(())
}

const INNER_SYMBOL: &str = "#hw.innerSym";

/// Prints the text that [`read_inner_symbol`] reads.
pub(super) fn print_inner_symbol(printer: &mut dyn FormPrinter) {
    if let Some(symbol) = printer.get("inner_sym") {
        printer.text(" sym ");
        printer.stripped(INNER_SYMBOL, symbol);
    }
}
