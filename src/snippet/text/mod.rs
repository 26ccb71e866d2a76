//! MLIR text of attributes and types: reading and writing their parameters.

mod cursor;
mod pieces;
mod read;
mod write;

pub(super) use cursor::{Cursor, unquote};
pub(crate) use pieces::BodyPiece;
pub(super) use read::{declares, split_class};
