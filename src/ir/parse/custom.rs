//! The custom assembly of operations that real files always contain.

use super::Parser;
use super::operation::State;
use crate::ir::OpId;
use crate::ir::error::{self, Parsed};

impl<'a> Parser<'a> {
    /// An operation that is not in generic form.
    pub(super) fn custom_op(&mut self, state: &mut State<'a>) -> Parsed<OpId> {
        let _ = state;
        let name = self.str(self.token);
        Err(error::custom_form(name, self.token_span(self.token)))
    }
}
