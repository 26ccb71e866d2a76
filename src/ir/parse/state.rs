//! The module under construction, with the lists that operations share.

use std::borrow::Cow;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::lexer::{Token, TokenKind};
use super::parser::Parser;
use super::ssa_names::OperandUse;
use crate::ir::attributes::LocKind;
use crate::ir::context::Context;
use crate::ir::error::ParseResult;
use crate::ir::ids::{LocId, TypeId};
use crate::ir::module::{BlockId, Module, ValueId};

/// The blocks of a region by name. A block that is not defined yet has the token of its first use.
pub(super) type BlockNames<'a> = HashMap<&'a [u8], (BlockId, Option<Token>), FxBuildHasher>;

/// The module under construction, and lists that are reused from operation to operation.
pub(super) struct FileState<'a> {
    pub(super) module: Module,
    pub(super) blocks: Vec<BlockNames<'a>>,
    pub(super) uses: Vec<OperandUse>,
    pub(super) operands: Vec<ValueId>,
    pub(super) types: Vec<TypeId>,
    pub(super) results: Vec<(Token, u32)>,
    pub(super) successors: Vec<BlockId>,
    /// The default dialects of the surrounding regions.
    pub(super) default_dialects: Vec<Cow<'static, str>>,
    /// The location of the first byte, if positions are locations.
    pub(super) source: Option<LocId>,
    /// The locations that the text states, by position; `None` if they replace the positions.
    pub(super) stated: Option<StatedLocs>,
}

/// The locations that a text states, by the position of their operation or block argument in the text.
pub(crate) type StatedLocs = HashMap<LocId, LocId, FxBuildHasher>;

impl<'a> Parser<'a> {
    /// The location of a token, unless a location follows.
    pub(super) fn place(&mut self, state: &FileState<'a>, token: Token) -> LocId {
        if let Some(base) = state.source {
            let offset = u32::try_from(token.start).expect("a source of positions is short enough");
            return LocId::from_raw(base.raw() + offset);
        }
        let Some(source) = self.source else { return Context::UNKNOWN };
        let (line, column) = source.line_column(token.start);
        let file = self.context.string(source.name());
        self.context.intern_loc(LocKind::FileLineCol { file, line, column })
    }

    /// Parses the location that can follow an operation or block argument. Without one, it is the position.
    pub(super) fn stated_loc(&mut self, state: &mut FileState<'a>, place: LocId) -> ParseResult<LocId> {
        let Some(stated) = self.trailing_loc()? else { return Ok(place) };
        match &mut state.stated {
            Some(all) if state.source.is_some() => {
                all.insert(place, stated);
                Ok(place)
            }
            _ => Ok(stated),
        }
    }

    /// Parses `^name` as a successor.
    pub(super) fn successor(&mut self, state: &mut FileState<'a>) -> ParseResult<BlockId> {
        let token = self.expect(TokenKind::Caret, "a block name")?;
        let name = self.slice(token);
        let blocks = state.blocks.last_mut().expect("a region has its table of blocks");
        if let Some((block, _)) = blocks.get(name) {
            return Ok(*block);
        }
        let block = state.module.create_block();
        blocks.insert(name, (block, Some(token)));
        Ok(block)
    }
}
