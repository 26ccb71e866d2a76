//! MLIR text of attributes and types: reading and writing their parameters.

mod cursor;
mod integer;
mod pieces;
mod read;
mod symbols;
mod write;

pub(super) use cursor::{Cursor, unquote};
pub(crate) use integer::{boolean_of, integer_of};
pub(crate) use pieces::BodyPiece;
pub(super) use read::{declares, split_class};
pub(super) use symbols::symbols_of;
