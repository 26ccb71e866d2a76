//! The module under construction, with the lists that operations share.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::lexer::{Token, TokenKind};
use super::op_cache::{LastOp, OpCache};
use super::parser::Parser;
use super::ssa_names::OperandUse;
use crate::host::{AttrNameId, OpNameId};
use crate::intern::StrId;
use crate::ir::attributes::LocKind;
use crate::ir::context::Context;
use crate::ir::definitions::BoundSyntax;
use crate::ir::dialect::{CustomForm, OpSyntax, OperandName};
use crate::ir::error::ParseResult;
use crate::ir::ids::{AttrId, LocId, RegionId, TypeId};
use crate::ir::module::{BlockId, Module, ValueId};

/// The blocks of a region by name. A block that is not defined yet has the token of its first use.
pub(super) type BlockNames<'a> = HashMap<&'a [u8], (BlockId, Option<Token>), FxBuildHasher>;

/// The names of the operands of a group. Most groups have one operand.
pub(super) type OperandNames = SmallVec<[OperandName; 4]>;

/// The types of a group.
pub(super) type GroupTypes = SmallVec<[TypeId; 4]>;

/// The parts of an operation in custom form that were read so far.
#[derive(Default)]
pub(super) struct Parts {
    /// The operands in the text.
    pub(super) uses: Vec<OperandUse>,
    /// The values of `flat_operands`.
    pub(super) values: Vec<ValueId>,
    /// The operands of the operation in order, with their types.
    pub(super) flat_operands: Vec<(OperandName, TypeId)>,
    pub(super) flat_results: Vec<TypeId>,
    pub(super) operands: Vec<OperandNames>,
    /// The sizes of the lists in each group of lists.
    pub(super) nested: Vec<Vec<i32>>,
    pub(super) operand_types: Vec<Option<GroupTypes>>,
    pub(super) result_types: Vec<Option<GroupTypes>>,
    pub(super) all_operands: Option<OperandNames>,
    pub(super) all_operand_types: Option<GroupTypes>,
    pub(super) all_result_types: Option<GroupTypes>,
    pub(super) properties: Vec<(AttrNameId, AttrId)>,
    pub(super) attrs: Vec<(AttrNameId, AttrId)>,
    /// The properties that were read in a list `<name = value, …>` or `<{…}>`.
    pub(super) listed: SmallVec<[AttrNameId; 8]>,
    pub(super) flat_regions: Vec<RegionId>,
    pub(super) regions: Vec<Vec<RegionId>>,
    pub(super) flat_successors: Vec<BlockId>,
    pub(super) successors: Vec<Vec<BlockId>>,
    /// True if the form read the name of an operand or result.
    pub(super) reads_names: Cell<bool>,
}

impl Parts {
    /// Creates an empty list for each group of an operation.
    pub(super) fn set_groups(&mut self, syntax: &OpSyntax) {
        self.operands.resize_with(syntax.operands.len(), OperandNames::new);
        self.nested.resize_with(syntax.operands.len(), Vec::new);
        self.operand_types.resize_with(syntax.operands.len(), || None);
        self.result_types.resize_with(syntax.results.len(), || None);
        self.regions.resize_with(syntax.regions.len(), Vec::new);
        self.successors.resize_with(syntax.successors.len(), Vec::new);
    }

    /// Removes all parts, but keeps the memory of the lists.
    pub(super) fn clear(&mut self) {
        self.uses.clear();
        self.values.clear();
        self.flat_operands.clear();
        self.flat_results.clear();
        self.operands.iter_mut().for_each(OperandNames::clear);
        self.nested.iter_mut().for_each(Vec::clear);
        self.operand_types.clear();
        self.result_types.clear();
        self.all_operands = None;
        self.all_operand_types = None;
        self.all_result_types = None;
        self.properties.clear();
        self.attrs.clear();
        self.listed.clear();
        self.flat_regions.clear();
        self.regions.iter_mut().for_each(Vec::clear);
        self.flat_successors.clear();
        self.successors.iter_mut().for_each(Vec::clear);
        self.reads_names.set(false);
    }
}

/// The operation that a name in custom form denotes.
pub(super) struct CustomName {
    pub(super) name: OpNameId,
    /// The form that is registered for it.
    pub(super) form: Option<Arc<dyn CustomForm>>,
    /// The syntax in its definition.
    pub(super) bound: Option<Arc<BoundSyntax>>,
}

/// The module under construction, and lists that are reused from operation to operation.
pub(super) struct FileState<'a> {
    pub(super) module: Module,
    pub(super) blocks: Vec<BlockNames<'a>>,
    pub(super) uses: Vec<OperandUse>,
    pub(super) operands: Vec<ValueId>,
    pub(super) types: Vec<TypeId>,
    pub(super) results: Vec<(Token, u32)>,
    /// The index in `results` of the first name of the operation whose text is being read.
    pub(super) first_result: usize,
    pub(super) successors: Vec<BlockId>,
    /// Parts without content, for the next operations in custom form.
    #[expect(clippy::vec_box, reason = "parts are large, and moving them took a tenth of the time")]
    pub(super) spare: Vec<Box<Parts>>,
    /// The types that definitions state, by their text.
    pub(super) type_texts: HashMap<String, TypeId, FxBuildHasher>,
    /// The results of the type functions in definitions, by the address of the function and the argument.
    pub(super) inferred: HashMap<(usize, TypeId), GroupTypes, FxBuildHasher>,
    /// The default dialects of the surrounding regions. An empty name means that a region has no default dialect.
    pub(super) default_dialects: Vec<StrId>,
    /// The operations that names in custom form denote, by default dialect and written name.
    pub(super) custom_names: HashMap<(StrId, &'a [u8]), Rc<CustomName>, FxBuildHasher>,
    /// The operations that were read, by the text of their lines.
    pub(super) op_cache: OpCache,
    pub(super) last_op: LastOp,
    /// The location of the first byte of the file. The ids of the other positions follow the id of this location.
    /// `None` if positions have no such ids.
    pub(super) source: Option<LocId>,
    /// The locations that the text states, by position; `None` if they replace the positions.
    pub(super) stated: Option<StatedLocs>,
}

/// The locations that a text states, by the position of their operation or block argument in the text.
pub(crate) type StatedLocs = HashMap<LocId, LocId, FxBuildHasher>;

impl<'a> Parser<'a> {
    /// A position as a location. The text can state another location after an operation or argument.
    pub(super) fn place(&mut self, state: &FileState<'a>, at: usize) -> LocId {
        if let Some(base) = state.source {
            let offset = u32::try_from(at).expect("a source of positions is short enough");
            return LocId::from_raw(base.raw() + offset);
        }
        let Some(source) = self.source else { return Context::UNKNOWN };
        let (line, column) = source.line_column(at);
        let file = self.context.string(source.name());
        self.context.intern_loc(LocKind::FileLineCol { file, line, column })
    }

    /// Parses the location that can follow an operation or block argument. Without such a location, returns the
    /// position.
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
