//! Reads the operations of a file.
//!
//! Values are numbered within a scope. An isolated operation, whose regions use no value from outside, begins a scope
//! of its own. An operand can refer to a value that is defined later.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::bytes::Reader;
use super::error::{self, Fault, ReadResult};
use super::file::{File, entry};
use super::layout::{LayoutLookup, Layouts};
use super::properties::PropertyReader;
use super::resources;
use super::table::Table;
use super::uses::{UseOrder, set_orders};
use super::version::{self, OpParts, SectionKind};
use crate::host::OpNameId;
use crate::ir::attributes::{AttrKind, LocKind};
use crate::ir::context::Context;
use crate::ir::definitions::dialect_of;
use crate::ir::ids::{AttrId, LocId};
use crate::ir::module::{BlockId, Module, OpId, OpSpec, RegionId, ValueDef, ValueId};
use crate::ir::parse::DEPTH_LIMIT;

/// The number of levels that the generic form adds around the attributes of an operation.
const GENERIC_LEVELS: usize = 4;

/// The values that operands can refer to.
#[derive(Debug, Default)]
struct Scope {
    values: Vec<Option<ValueId>>,
}

/// An operation whose regions are being read.
#[derive(Debug)]
struct Frame {
    op: OpId,
    /// The index of the current region.
    region: usize,
    /// The blocks of the current region, and the index of the current block. The list is empty between two regions.
    blocks: Vec<BlockId>,
    block: usize,
    /// The number of operations that follow in the block.
    ops: usize,
    /// The number of the region's first value, the number of the next value, and one past the number of the last value.
    first_value: usize,
    next_value: usize,
    end_value: usize,
    /// True if the regions have a scope of their own.
    isolated: bool,
    /// True if the regions are in a section of their own.
    in_section: bool,
}

/// A reader of operations.
pub(super) struct OperationReader<'r, 'f, 'a> {
    context: &'r mut Context,
    file: &'f File<'a>,
    table: Table<'f, 'a>,
    module: Module,
    layouts: Layouts,
    names: Vec<Option<OpNameId>>,
    readers: Vec<Reader<'a>>,
    scopes: Vec<Scope>,
    frames: Vec<Frame>,
    /// The sum of the numbers of values that the open regions of all scopes state.
    room: usize,
    orders: HashMap<ValueId, UseOrder, FxBuildHasher>,
    /// The operands of the current operation. The list is reused from operation to operation.
    operands: Vec<ValueId>,
    file_loc: LocId,
}

impl<'r, 'f, 'a> OperationReader<'r, 'f, 'a> {
    /// A reader of the operations of a file whose sections [`File::sections`] has read. Reads the resources. `name` is
    /// the name of the file in locations.
    pub(super) fn new(context: &'r mut Context, file: &'f File<'a>, name: &str) -> ReadResult<Self> {
        let mut table = Table::new(file);
        let resources = resources::read(context, &mut table)?;
        let mut module = Module::new(context);
        module.resources = resources;
        let file_name = context.string(name);
        let file_loc = context.intern_loc(LocKind::FileLineCol { file: file_name, line: 0, column: 0 });
        Ok(Self {
            context,
            file,
            table,
            module,
            layouts: Layouts::default(),
            names: vec![None; file.op_names.len()],
            readers: Vec::new(),
            scopes: Vec::new(),
            frames: Vec::new(),
            room: 0,
            orders: HashMap::default(),
            operands: Vec::new(),
            file_loc,
        })
    }

    /// Reads all operations.
    pub(super) fn module(mut self) -> ReadResult<Module> {
        let section = self.file.required(SectionKind::Operations)?;
        self.readers.push(section);
        self.scopes.push(Scope::default());
        let (op, block) = (self.module.top(), self.module.body());
        self.frames.push(Frame {
            op,
            region: 0,
            blocks: vec![block],
            block: 0,
            ops: 0,
            first_value: 0,
            next_value: 0,
            end_value: 0,
            isolated: true,
            in_section: true,
        });
        self.block_header()?;
        while let Some(frame) = self.frames.last_mut() {
            if frame.ops > 0 {
                frame.ops -= 1;
                self.op()?;
            } else if frame.block + 1 < frame.blocks.len() {
                frame.block += 1;
                self.block_header()?;
            } else if frame.blocks.is_empty() {
                self.begin_region()?;
            } else {
                self.end_region()?;
            }
        }
        // The order of iteration does not matter, because each value has its own uses.
        if !set_orders(&mut self.module, std::mem::take(&mut self.orders)) {
            return Err(error::use_order(section.position()));
        }
        self.choose_top();
        Ok(self.module)
    }

    /// Makes the only operation of the file the top operation if it is a module. In all other cases, the top operation
    /// is a new module that contains the operations.
    fn choose_top(&mut self) {
        let module = &mut self.module;
        match module.first_op(module.body()) {
            Some(op) if module.next(op).is_none() && module.name(op) == module.name(module.top()) => {
                module.detach(op);
                module.set_top(op);
            }
            _ => {
                let top = module.top();
                module.set_loc(top, self.file_loc);
            }
        }
    }

    fn reader(&mut self) -> &mut Reader<'a> {
        self.readers.last_mut().expect("each frame has a reader")
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("an operation is read in a frame")
    }

    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("each frame has a scope")
    }

    fn position(&mut self) -> usize {
        self.reader().position()
    }

    // Regions and blocks.

    /// Reads the start of the next region, or ends the operation if no region is left.
    fn begin_region(&mut self) -> ReadResult<()> {
        let (op, index) = (self.frame().op, self.frame().region);
        let Some(&region) = self.module.regions(op).get(index) else { return self.end_op() };
        self.frame().region += 1;
        let blocks = self.reader().count("blocks")?;
        if blocks == 0 {
            return Ok(());
        }
        let at = self.position();
        let values = self.reader().count("values of a region")?;
        // Each value of each open region takes at least one byte of the section.
        let limit = self.file.required(SectionKind::Operations)?.remaining();
        if values > limit - self.room {
            return Err(error::too_many("values of a region", values as u64, limit - self.room, at));
        }
        self.room += values;
        let blocks = (0..blocks).map(|_| self.module.append_block(region)).collect();
        let first = self.scope().values.len();
        self.scope().values.resize(first + values, None);
        let frame = self.frame();
        (frame.blocks, frame.block) = (blocks, 0);
        (frame.first_value, frame.next_value, frame.end_value) = (first, first, first + values);
        self.block_header()
    }

    fn end_region(&mut self) -> ReadResult<()> {
        let frame = self.frame();
        let (first, end) = (frame.first_value, frame.end_value);
        frame.blocks = Vec::new();
        self.room -= end - first;
        let removed = self.scope().values.split_off(first);
        for value in removed.into_iter().flatten() {
            if self.module.value_def(value) == ValueDef::Forward {
                return Err(self.undefined(value));
            }
        }
        // The block of the top operation is in no region of the file.
        if self.frames.len() == 1 { self.end_op() } else { Ok(()) }
    }

    fn undefined(&mut self, value: ValueId) -> Box<Fault> {
        let at = self.position();
        let user = self.module.first_use(value).map(|used| self.module.use_owner(used));
        let name = user.map_or("", |user| self.context.op_name_text(self.module.name(user)));
        error::undefined_value(name, at)
    }

    fn end_op(&mut self) -> ReadResult<()> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        if frame.in_section
            && let Some(reader) = self.readers.pop()
        {
            reader.finish("a section of operations")?;
        }
        if frame.isolated {
            self.scopes.pop();
        }
        Ok(())
    }

    /// Reads the start of the current block.
    fn block_header(&mut self) -> ReadResult<()> {
        let at = self.position();
        let (ops, has_args) = self.reader().flagged()?;
        let ops = self.reader().fitting(ops, "operations")?;
        let frame = self.frame();
        frame.ops = ops;
        let block = frame.blocks[frame.block];
        if !has_args {
            return Ok(());
        }
        let count = self.reader().count("block arguments")?;
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            let at = self.position();
            let (ty, has_loc) = match self.file.version() {
                version::ELIDED_LOCATIONS.. => self.reader().flagged()?,
                _ => (self.reader().number()?, true),
            };
            let (ty, depth) = self.table.ty(self.context, ty, at)?;
            self.check_depth(depth, at)?;
            let loc = if has_loc { self.loc()? } else { Context::UNKNOWN };
            values.push(self.module.add_arg(block, ty, loc));
        }
        self.define(&values, at)?;
        if self.file.version() >= version::USE_ORDERS && self.reader().bool()? {
            self.use_orders(&values)?;
        }
        Ok(())
    }

    // Operations.

    fn op_name(&mut self) -> ReadResult<(OpNameId, bool)> {
        let (file, at) = (self.file, self.position());
        let index = file.op_name(self.reader())?;
        let known = &file.op_names[index];
        let name = match self.names[index] {
            Some(name) => name,
            None => {
                let name = self.context.op_name(&known.name);
                self.names[index] = Some(name);
                // Files before version 5 have properties among the attributes. The definition of the operation states
                // which attributes are properties.
                if file.version() >= version::PROPERTIES {
                    self.context.load_dialect_of_generic(name);
                } else if let LayoutLookup::Error(reason) = self.layouts.get(self.context, name) {
                    return Err(error::definition(&known.name, reason, at));
                }
                name
            }
        };
        Ok((name, known.registered))
    }

    fn loc(&mut self) -> ReadResult<LocId> {
        let at = self.position();
        let index = self.reader().number()?;
        self.table.loc(self.context, index, at)
    }

    fn check_depth(&self, depth: u32, at: usize) -> ReadResult<()> {
        let all = self.frames.len() + GENERIC_LEVELS + depth as usize;
        if all > DEPTH_LIMIT as usize { Err(error::too_deep(DEPTH_LIMIT, at)) } else { Ok(()) }
    }

    /// Reads an operation up to its regions.
    fn op(&mut self) -> ReadResult<()> {
        let at = self.position();
        self.check_depth(0, at)?;
        let (name, registered) = self.op_name()?;
        let mask = self.reader().byte()?;
        let known = if self.file.version() >= version::PROPERTIES {
            OpParts::ALL
        } else {
            OpParts::ALL & !OpParts::PROPERTIES
        };
        if mask & !known != 0 {
            return Err(error::unknown_parts(mask & !known, at));
        }
        let loc = self.loc()?;
        let mut attrs = Context::EMPTY_DICTIONARY;
        if mask & OpParts::ATTRS != 0 {
            let at = self.position();
            let index = self.reader().number()?;
            let depth;
            (attrs, depth) = self.table.attr(self.context, index, at)?;
            self.check_depth(depth, at)?;
            if !matches!(self.context.attr_kind(attrs), AttrKind::Dictionary(_)) {
                return Err(error::expected("a dictionary of attributes, found another attribute", at));
            }
        }
        let has_properties = mask & OpParts::PROPERTIES != 0;
        let properties = if has_properties { Some(self.properties(name, registered)?) } else { None };
        let (properties, attrs) = if has_properties && registered {
            self.context.op_dictionaries(name, properties, attrs)
        } else {
            // Without native properties, the dictionaries in the file are those of the generic form.
            let dictionaries = self.context.generic_dictionaries(name, properties, attrs);
            dictionaries.map_err(|reason| {
                let fault = error::invalid(reason.message, at);
                error::in_properties(fault, self.context.op_name_text(name))
            })?
        };

        let mut result_types = Vec::new();
        if mask & OpParts::RESULTS != 0 {
            for _ in 0..self.reader().count("results")? {
                let at = self.position();
                let index = self.reader().number()?;
                let (ty, depth) = self.table.ty(self.context, index, at)?;
                self.check_depth(depth, at)?;
                result_types.push(ty);
            }
        }
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        if mask & OpParts::OPERANDS != 0 {
            for _ in 0..self.reader().count("operands")? {
                operands.push(self.operand()?);
            }
        }
        let mut successors = Vec::new();
        if mask & OpParts::SUCCESSORS != 0 {
            for _ in 0..self.reader().count("successors")? {
                successors.push(self.successor()?);
            }
        }
        let spec = OpSpec {
            name,
            operands: &operands,
            result_types: &result_types,
            attrs,
            properties,
            successors: &successors,
            regions: 0,
            loc,
        };
        // In the file, the order of the uses of results precedes the number of regions. The order is skipped first and
        // read later, because the operation and its results are created only when the number of regions is known.
        let orders = *self.reader();
        let has_orders = self.file.version() >= version::USE_ORDERS && mask & OpParts::USE_ORDERS != 0;
        if has_orders {
            self.skip_use_orders(result_types.len())?;
        }
        let (mut regions, mut isolated) = (0, false);
        if mask & OpParts::REGIONS != 0 {
            let count;
            (count, isolated) = self.reader().flagged()?;
            regions = self.reader().fitting(count, "regions")?;
        }
        let regions: Vec<RegionId> = (0..regions).map(|_| self.module.create_region()).collect();
        let has_regions = !regions.is_empty();
        let op = self.module.create_around(&spec, &regions);
        self.operands = operands;
        let frame = self.frame();
        let block = frame.blocks[frame.block];
        self.module.append(block, op);
        let results: Vec<ValueId> = self.module.results(op).collect();
        // The operations at the top are in no region of the file, so their results have no numbers.
        if !results.is_empty() && self.frames.len() > 1 {
            self.define(&results, at)?;
        }
        if has_orders {
            let after = std::mem::replace(self.reader(), orders);
            self.use_orders(&results)?;
            *self.reader() = after;
        }
        if has_regions {
            self.begin_op(op, isolated)?;
        }
        Ok(())
    }

    /// Begins the regions of an operation.
    fn begin_op(&mut self, op: OpId, isolated: bool) -> ReadResult<()> {
        let in_section = isolated && self.file.version() >= version::REGION_SECTIONS;
        if in_section {
            let at = self.position();
            let (kind, section) = self.reader().section()?;
            if kind != SectionKind::Operations {
                return Err(error::expected_section(SectionKind::Operations, kind, at));
            }
            self.readers.push(section);
        }
        if isolated {
            self.scopes.push(Scope::default());
        }
        self.frames.push(Frame {
            op,
            region: 0,
            blocks: Vec::new(),
            block: 0,
            ops: 0,
            first_value: 0,
            next_value: 0,
            end_value: 0,
            isolated,
            in_section,
        });
        Ok(())
    }

    fn properties(&mut self, name: OpNameId, registered: bool) -> ReadResult<AttrId> {
        let at = self.position();
        let file = self.file;
        let reader = file.properties(self.reader())?;
        let mut from = PropertyReader { table: &mut self.table, context: self.context, reader, depth: 0 };
        let op = from.context.op_name_text(name).to_owned();
        let properties = if registered {
            let layout = match self.layouts.get(from.context, name) {
                LayoutLookup::Layout(layout) => layout.clone(),
                LayoutLookup::Error(reason) => return Err(error::definition(&op, reason, at)),
                LayoutLookup::NoOperation | LayoutLookup::NoDialect => {
                    return Err(error::unknown_properties(&op, dialect_of(&op), at));
                }
            };
            if layout.cxx {
                return Err(error::cxx_properties(&op, at));
            }
            from.properties(&layout, &op).map_err(|fault| error::in_properties(fault, &op))?
        } else {
            from.attribute()?
        };
        if !from.reader.is_empty() {
            return Err(error::property_size(&op, from.reader.remaining(), from.reader.position()));
        }
        let depth = from.depth;
        self.check_depth(depth, at)?;
        Ok(properties)
    }

    // Values.

    fn operand(&mut self) -> ReadResult<ValueId> {
        let at = self.position();
        let index = self.reader().number()?;
        let values = &mut self.scopes.last_mut().expect("each frame has a scope").values;
        let count = values.len();
        let place = usize::try_from(index).ok().and_then(|index| values.get_mut(index));
        let place = place.ok_or_else(|| error::bad_index("value", index, count, at))?;
        Ok(*place.get_or_insert_with(|| self.module.forward_value(Context::NONE)))
    }

    fn successor(&mut self) -> ReadResult<BlockId> {
        let at = self.position();
        let index = self.reader().number()?;
        // The block of the top operation is not in the file.
        let blocks = if self.frames.len() > 1 { self.frame().blocks.as_slice() } else { &[] };
        entry(blocks, "block", index, at).copied()
    }

    /// Gives the next numbers to values. If operands already refer to such a number, the value replaces their
    /// placeholder.
    fn define(&mut self, new: &[ValueId], at: usize) -> ReadResult<()> {
        for &value in new {
            let frame = self.frame();
            let (number, end) = (frame.next_value, frame.end_value);
            if number >= end {
                return Err(error::value_count(number - frame.first_value, end - frame.first_value, at));
            }
            frame.next_value += 1;
            if let Some(forward) = self.scope().values[number].replace(value) {
                self.module.replace_all_uses(forward, value);
                self.module.erase_forward(forward);
                self.orders.insert(value, UseOrder::Reference);
            }
        }
        Ok(())
    }

    // The order of uses.

    fn skip_use_orders(&mut self, values: usize) -> ReadResult<()> {
        let reader = self.reader();
        let count = if values == 1 { 1 } else { reader.count("orders of uses")? };
        for _ in 0..count {
            if values != 1 {
                reader.number()?;
            }
            let (uses, _) = reader.flagged()?;
            for _ in 0..reader.fitting(uses, "uses")? {
                reader.number()?;
            }
        }
        Ok(())
    }

    /// Reads the order of the uses of some of these values.
    fn use_orders(&mut self, values: &[ValueId]) -> ReadResult<()> {
        let count = if values.len() == 1 { 1 } else { self.reader().count("orders of uses")? };
        for _ in 0..count {
            let at = self.position();
            let index = if values.len() == 1 { 0 } else { self.reader().number()? };
            let &value = entry(values, "value", index, at)?;
            let (uses, moves) = self.reader().flagged()?;
            let mut places = Vec::with_capacity(self.reader().fitting(uses, "uses")?);
            for _ in 0..uses {
                places.push(self.reader().number()?);
            }
            self.orders.insert(value, if moves { UseOrder::Moves(places) } else { UseOrder::Places(places) });
        }
        Ok(())
    }
}
