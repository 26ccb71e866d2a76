//! The IR during a conversion, with everything that is needed to undo changes.
//!
//! Invariants: an operation that was replaced or erased is *dead*: detached, and without operands. The operations
//! inside it are dead too; they stay in their blocks, without operands. A *pending cast* is a
//! `builtin.unrealized_conversion_cast` that the conversion inserted. Operands keep their original types until their
//! operation is converted: if the value of an operand was converted, the operand is the result of a pending cast.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::order::Order;
use super::types::TypeConverter;
use crate::host::{
    Blocks, Changes, Erasures, InsertionPoint, Journal, Listener, Mark as ChangeMark, OpNameId, OpState,
    Refusal, Region, Set, Structural, WalkOrder, add_inner_blocks, arg_place, args_of, blocks_of,
    blocks_within, check_structure, ops_of, users_of,
};

/// A change of which listeners are notified.
pub(super) enum Notice<H: Blocks> {
    Created(H::Op),
    Modified(H::Op),
    /// The operation, and the number of values that replace its results. [`State::replacements`] has the values of all
    /// notices in order.
    Replaced(H::Op, usize),
}

/// A position to which changes can be undone.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    changes: ChangeMark,
    pub(super) created: usize,
    pub(super) modified: usize,
    dead: usize,
    casts: usize,
    source_casts: usize,
    dead_args: usize,
    closed: usize,
    notices: usize,
    replacements: usize,
}

/// The replacement of one argument of a block.
pub enum ArgConversion<H: Blocks> {
    /// New arguments of these types.
    Types(Vec<H::Type>),
    /// Values that exist already; there is no new argument.
    Values(Vec<H::Value>),
}

/// The state of a conversion.
pub(super) struct State<'a, H: Blocks> {
    pub(super) host: &'a mut H,
    pub(super) converter: Option<&'a TypeConverter<H>>,
    /// The operation that contains all others. It is in no block.
    outermost: H::Op,
    changes: Changes<H>,
    pub(super) created: Vec<H::Op>,
    pub(super) modified: Vec<H::Op>,
    dead: Vec<H::Op>,
    /// The dead operations inside other dead operations. They are still in blocks.
    is_dead_inside: Set<H::Op>,
    pub(super) casts: Vec<H::Op>,
    /// The pending casts that represent replaced values, in the order of the replacements.
    source_casts: Vec<H::Op>,
    is_cast: Set<H::Op>,
    dead_args: Vec<H::Value>,
    pub(super) is_dead_arg: Set<H::Value>,
    closed: Vec<H::Op>,
    is_closed: Set<H::Op>,
    notices: Vec<Notice<H>>,
    /// The values that replace the results of operations.
    replacements: Vec<H::Value>,
    types: HashMap<H::Type, Vec<H::Type>, FxBuildHasher>,
    order: Order<H>,
    cast_name: OpNameId,
}

/// The maximum number of new operations for which room is made in advance.
const MAX_RESERVED: usize = 1 << 21;
/// The maximum number of uses that are visited to find an existing cast.
const USE_LIMIT: usize = 16;

impl<'a, H: Blocks> State<'a, H> {
    /// Starts the conversion of the operations inside `root`.
    pub(super) fn new(host: &'a mut H, root: H::Op, converter: Option<&'a TypeConverter<H>>) -> Self {
        let cast_name = host.bind_op_name("builtin.unrealized_conversion_cast");
        let outer = std::iter::successors(Some(root), |&op| host.parent_op(op));
        Self {
            outermost: outer.last().unwrap_or(root),
            host,
            converter,
            changes: Changes::default(),
            created: Vec::new(),
            modified: Vec::new(),
            dead: Vec::new(),
            is_dead_inside: Set::default(),
            casts: Vec::new(),
            source_casts: Vec::new(),
            is_cast: Set::default(),
            dead_args: Vec::new(),
            is_dead_arg: Set::default(),
            closed: Vec::new(),
            is_closed: Set::default(),
            notices: Vec::new(),
            replacements: Vec::new(),
            types: HashMap::default(),
            order: Order::default(),
            cast_name,
        }
    }

    /// Reserves memory for the conversion of a number of operations, so that the lists are not copied when they grow.
    /// Assumes two new operations for each, because many operations need a chain of rules.
    pub(super) fn reserve(&mut self, ops: usize) {
        let created = ops.saturating_mul(2).min(MAX_RESERVED);
        // PERF: reserved memory and shorter inverses of changes together reduce the page faults for a conversion of
        // 100,000 operations from 11,300 to 6,300 (`perf stat -e page-faults cargo bench --bench drivers -- conversion
        // 10`, divided by 10).
        self.host.reserve(created);
        self.changes.reserve(created);
        self.created.reserve(created);
        self.dead.reserve(created);
        self.notices.reserve(2 * created);
        self.replacements.reserve(created);
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            changes: self.changes.mark(),
            created: self.created.len(),
            modified: self.modified.len(),
            dead: self.dead.len(),
            casts: self.casts.len(),
            source_casts: self.source_casts.len(),
            dead_args: self.dead_args.len(),
            closed: self.closed.len(),
            notices: self.notices.len(),
            replacements: self.replacements.len(),
        }
    }

    pub(super) fn undo_to(&mut self, mark: Mark) {
        for placed in self.changes.placed_since(mark.changes) {
            match placed {
                Some(op) => self.order.forget(op),
                None => self.order.clear(),
            }
        }
        self.changes.undo_to(self.host, mark.changes);
        self.created.truncate(mark.created);
        self.modified.truncate(mark.modified);
        for op in self.dead.drain(mark.dead..) {
            self.is_dead_inside.remove(&op);
        }
        for op in self.casts.drain(mark.casts..) {
            self.is_cast.remove(&op);
        }
        self.source_casts.truncate(mark.source_casts);
        for arg in self.dead_args.drain(mark.dead_args..) {
            self.is_dead_arg.remove(&arg);
        }
        for op in self.closed.drain(mark.closed..) {
            self.is_closed.remove(&op);
        }
        self.notices.truncate(mark.notices);
        self.replacements.truncate(mark.replacements);
    }

    /// Sends the recorded notifications to a listener, and erases the dead operations, blocks and arguments.
    pub(super) fn finish(mut self, listener: &mut dyn Listener<H>) {
        let host = self.host;
        let mut replacements = &self.replacements[..];
        for notice in self.notices {
            match notice {
                Notice::Created(op) => listener.created(host, op),
                Notice::Modified(op) => listener.modified(host, op),
                Notice::Replaced(op, count) => {
                    let (with, rest) = replacements.split_at(count);
                    replacements = rest;
                    listener.replaced(host, op, with);
                }
            }
        }
        let is_dead = |op: &H::Op| host.block(*op).is_none() || self.is_dead_inside.contains(op);
        for &op in self.casts.iter().filter(|op| !is_dead(op)) {
            listener.created(host, op);
        }
        for &op in self.dead.iter().filter(|op| !self.is_cast.contains(*op)) {
            listener.erased(host, op);
        }
        for arg in self.dead_args {
            if let Some((block, index)) = arg_place(host, arg) {
                host.erase_arg(block, index);
            }
        }
        self.changes.finish(host);
    }

    /// True if an operation is dead. The operations that are converted are in blocks, so a detached operation is dead.
    pub(super) fn is_dead(&self, op: H::Op) -> bool {
        self.host.block(op).is_none() || self.is_dead_inside.contains(&op)
    }

    pub(super) fn is_pending_cast(&self, op: H::Op) -> bool {
        self.host.op_name(op) == self.cast_name && self.is_cast.contains(&op)
    }

    /// Closes an operation: the operations inside it are not converted.
    pub(super) fn close(&mut self, op: H::Op) {
        if self.is_closed.insert(op) {
            self.closed.push(op);
        }
    }

    /// True if an operation is inside a closed operation.
    #[inline]
    pub(super) fn is_inside_closed(&self, op: H::Op) -> bool {
        !self.closed.is_empty()
            && std::iter::successors(self.host.parent_op(op), |&op| self.host.parent_op(op))
                .any(|outer| self.is_closed.contains(&outer))
    }

    /// The arguments of a block that were not replaced.
    pub(super) fn args(&self, block: H::Block) -> Vec<H::Value> {
        args_of(self.host, block).filter(|arg| !self.is_dead_arg.contains(arg)).collect()
    }

    // Types.

    /// The types into which a type is converted.
    pub(super) fn convert_type(&mut self, ty: H::Type) -> Result<&[H::Type], Refusal> {
        if !self.types.contains_key(&ty) {
            let to = match self.converter {
                Some(converter) => converter.convert(self.host, ty)?,
                None => vec![ty],
            };
            self.types.insert(ty, to);
        }
        Ok(self.types.get(&ty).map_or(&[], Vec::as_slice))
    }

    pub(super) fn is_legal_type(&mut self, ty: H::Type) -> bool {
        self.convert_type(ty).is_ok_and(|to| to == [ty])
    }

    // Values.

    /// The inputs of the pending cast that defines a value; `None` if there is no such cast, or if it has several
    /// results.
    fn cast_inputs(&self, value: H::Value) -> Option<Vec<H::Value>> {
        let op = self.host.defining_op(value)?;
        if !self.is_pending_cast(op) || self.host.result_count(op) != 1 {
            return None;
        }
        Some((0..self.host.operand_count(op)).map(|index| self.host.operand(op, index)).collect())
    }

    /// The values that represent a value now: the inputs of the first cast in the chain of pending casts that ends with
    /// the value, or the value itself.
    pub(super) fn current(&self, value: H::Value) -> Vec<H::Value> {
        let mut values = vec![value];
        while let [one] = values[..]
            && let Some(inputs) = self.cast_inputs(one)
        {
            values = inputs;
        }
        values
    }

    /// Returns the values that represent a value and have its converted types: the values that replaced it, or the
    /// results of a cast of these values.
    pub(super) fn converted(&mut self, value: H::Value) -> Result<Vec<H::Value>, Refusal> {
        let ty = self.host.value_type(value);
        if self.converter.is_none() {
            return Ok(self.current(value));
        }
        let wanted = self.convert_type(ty)?.to_vec();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let (mut values, mut found) = (vec![value], None);
        loop {
            let types = values.iter().map(|&value| self.host.value_type(value));
            if types.eq(wanted.iter().copied()) {
                found = Some(values.clone());
            }
            let [one] = values[..] else { break };
            let Some(inputs) = self.cast_inputs(one) else { break };
            values = inputs;
        }
        match found {
            Some(found) => Ok(found),
            None => {
                // If `values` is empty, the cast has no inputs, and is placed after the definition of the value.
                let place = if values.is_empty() { self.place_after(&[value]) } else { None };
                self.cast(&values, &wanted, place, self.host_location(&values, value))
            }
        }
    }

    fn host_location(&self, values: &[H::Value], original: H::Value) -> Option<H::Location> {
        let op = values.iter().chain([&original]).find_map(|&value| self.host.defining_op(value))?;
        Some(self.host.location(op))
    }

    /// The place right after the last operation that defines one of the values. If all values are arguments, the start
    /// of the block of the first value.
    fn place_after(&mut self, values: &[H::Value]) -> Option<InsertionPoint<H::Op, H::Block>> {
        let Self { host, order, .. } = self;
        let host = &**host;
        let defining = values.iter().filter_map(|&value| host.defining_op(value));
        let last = defining.reduce(|a, b| if order.comes_before(host, a, b) { b } else { a });
        match last {
            Some(op) => {
                let after = host.next_op(op).map(InsertionPoint::Before);
                after.or_else(|| host.block(op).map(InsertionPoint::End))
            }
            None => {
                let block = host.arg_block(*values.first()?)?;
                Some(host.first_op(block).map_or(InsertionPoint::End(block), InsertionPoint::Before))
            }
        }
    }

    /// Casts values to types by a new pending cast at a place. Without a place, takes an existing pending cast, or
    /// inserts a new cast right after the values.
    pub(super) fn cast(
        &mut self,
        inputs: &[H::Value],
        types: &[H::Type],
        place: Option<InsertionPoint<H::Op, H::Block>>,
        location: Option<H::Location>,
    ) -> Result<Vec<H::Value>, Refusal> {
        if place.is_none()
            && let Some(found) = self.find_cast(inputs, types)
        {
            return Ok(found);
        }
        let undefined = || Refusal::new("a value without a definition is converted");
        let place = place.or_else(|| self.place_after(inputs)).ok_or_else(undefined)?;
        let location = match (location, place) {
            (Some(location), _) => location,
            (None, InsertionPoint::Before(op)) => self.host.location(op),
            (None, InsertionPoint::End(block)) => {
                let region = self.host.block_region(block).ok_or_else(undefined)?;
                self.host.location(region.op)
            }
        };
        let state = OpState {
            name: self.cast_name,
            operands: inputs,
            result_types: types,
            attributes: &[],
            regions: 0,
            location,
        };
        let op = self.changes.create(self.host, place, &state, &[])?;
        self.casts.push(op);
        self.is_cast.insert(op);
        Ok((0..self.host.result_count(op)).map(|index| self.host.result(op, index)).collect())
    }

    /// The results of an existing pending cast of these values to these types.
    fn find_cast(&self, inputs: &[H::Value], types: &[H::Type]) -> Option<Vec<H::Value>> {
        let host = &*self.host;
        let mut users = users_of(host, *inputs.first()?).take(USE_LIMIT);
        let op = users.find(|&op| {
            self.is_cast.contains(&op)
                && (0..host.operand_count(op)).map(|i| host.operand(op, i)).eq(inputs.iter().copied())
                && (0..host.result_count(op))
                    .map(|i| host.value_type(host.result(op, i)))
                    .eq(types.iter().copied())
        })?;
        Some((0..host.result_count(op)).map(|index| host.result(op, index)).collect())
    }

    // Operations.

    /// Creates an operation that is legalised later.
    pub(super) fn create(
        &mut self,
        place: InsertionPoint<H::Op, H::Block>,
        state: &OpState<'_, H>,
        successors: &[H::Block],
    ) -> Result<H::Op, Refusal> {
        let op = self.changes.create(self.host, place, state, successors)?;
        self.created.push(op);
        self.notices.push(Notice::Created(op));
        Ok(op)
    }

    /// Replaces a value by other values in all its uses. If `with` is not a single value of the same type, the uses get
    /// the result of a cast of these values. If `place` returns `None`, the cast is an existing pending cast, or is
    /// inserted right after these values.
    pub(super) fn replace_value(
        &mut self,
        from: H::Value,
        with: &[H::Value],
        place: impl FnOnce(&mut Self) -> Option<InsertionPoint<H::Op, H::Block>>,
    ) -> Result<(), Refusal> {
        if self.host.first_use(from).is_none() || with == [from] {
            return Ok(());
        }
        let ty = self.host.value_type(from);
        let to = match *with {
            [to] if self.host.value_type(to) == ty => to,
            _ => {
                let location = self.host_location(with, from);
                let (place, before) = (place(self), self.casts.len());
                let cast = self.cast(with, &[ty], place, location)?;
                self.source_casts.extend_from_slice(&self.casts[before..]);
                *cast.first().ok_or_else(|| Refusal::new("a cast has no result"))?
            }
        };
        // If `from` is among the values that replace it, the cast itself uses `from`, and keeps this use.
        let cast = self.host.defining_op(to).filter(|op| self.is_cast.contains(op));
        let Self { host, is_cast, notices, .. } = self;
        let users = users_of(&**host, from).filter(|user| !is_cast.contains(user));
        notices.extend(users.map(Notice::Modified));
        self.changes.replace_uses(self.host, from, to, cast);
        Ok(())
    }

    /// Replaces each result of an operation by any number of values, and erases the operation.
    pub(super) fn replace(&mut self, op: H::Op, with: &[Vec<H::Value>]) -> Result<(), Refusal> {
        self.replace_each(op, with.iter().map(Vec::as_slice))
    }

    /// Replaces each result of an operation by one value, and erases the operation.
    pub(super) fn replace_by_values(&mut self, op: H::Op, with: &[H::Value]) -> Result<(), Refusal> {
        self.replace_each(op, with.iter().map(std::slice::from_ref))
    }

    fn replace_each<'v>(
        &mut self,
        op: H::Op,
        with: impl ExactSizeIterator<Item = &'v [H::Value]> + Clone,
    ) -> Result<(), Refusal>
    where
        H::Value: 'v,
    {
        if self.is_dead(op) {
            return Err(Refusal::new("an operation is replaced or erased twice"));
        }
        let count = self.host.result_count(op);
        if count as usize != with.len() {
            return Err(Refusal::new(format!(
                "the number of values ({}) differs from the number of results ({count}) of the operation that they replace",
                with.len()
            )));
        }
        let start = self.replacements.len();
        with.clone().for_each(|values| self.replacements.extend_from_slice(values));
        let dead =
            |value: &H::Value| self.host.defining_op(*value).is_some_and(|of| self.is_dead(of) || of == op);
        if self.replacements[start..].iter().any(dead) {
            self.replacements.truncate(start);
            return Err(Refusal::new("an operation is replaced by a result of an erased operation"));
        }
        self.notices.push(Notice::Replaced(op, self.replacements.len() - start));
        for (index, values) in (0..count).zip(with) {
            self.replace_value(self.host.result(op, index), values, |state| {
                let after = if values.is_empty() { None } else { state.place_after(values) };
                after.or(Some(InsertionPoint::Before(op)))
            })?;
        }
        self.mark_dead(op);
        Ok(())
    }

    /// Erases an operation. Each of its results that has uses is replaced by a cast without operands.
    pub(super) fn erase(&mut self, op: H::Op) -> Result<(), Refusal> {
        let nothing = vec![Vec::new(); self.host.result_count(op) as usize];
        self.replace(op, &nothing)
    }

    fn mark_dead(&mut self, op: H::Op) {
        if self.host.region_count(op) > 0 {
            let mut inside = Vec::new();
            self.host.walk(op, WalkOrder::Post, &mut |op| inside.push(op));
            for inner in inside.into_iter().filter(|&inner| inner != op) {
                if self.is_dead_inside.insert(inner) {
                    self.dead.push(inner);
                }
            }
        }
        self.dead.push(op);
        self.changes.detach_for_erasure(self.host, op);
    }

    /// Moves each cast that represents a replaced value right after its inputs, in the order of the replacements. MLIR
    /// creates these casts last, when it commits the conversion.
    pub(super) fn move_source_casts(&mut self) {
        for cast in std::mem::take(&mut self.source_casts) {
            if self.is_dead(cast) {
                continue;
            }
            let inputs: Vec<_> =
                (0..self.host.operand_count(cast)).map(|i| self.host.operand(cast, i)).collect();
            if let Some(place) = self.place_after(&inputs) {
                self.order.forget(cast);
                self.changes.move_op(self.host, cast, place);
            }
        }
    }

    /// Erases a pending cast.
    pub(super) fn erase_cast(&mut self, op: H::Op) {
        self.mark_dead(op);
    }

    /// Changes attributes, operands or successors of an operation in place.
    pub(super) fn modify(&mut self, op: H::Op, change: impl FnOnce(&mut H, H::Op)) {
        self.changes.save(self.host, op);
        change(self.host, op);
        self.modified.push(op);
        self.notices.push(Notice::Modified(op));
    }

    /// Takes over operations that a rule created.
    fn take_created(&mut self, ops: &[H::Op]) {
        self.created.extend_from_slice(ops);
        self.notices.extend(ops.iter().map(|&op| Notice::Created(op)));
        self.changes.created(ops);
    }

    /// Takes over the changes of a rule.
    pub(super) fn take(&mut self, journal: &mut Journal<H>) -> Result<(), Refusal> {
        let first_dead = self.dead.len();
        let Journal { created, modified, structural, .. } = &mut *journal;
        let mut recorded = 0;
        if structural.in_use {
            if !structural.undo.is_empty() {
                // The rule may have moved operations, so the recorded order is not valid any more.
                self.order.clear();
            }
            for (before, inverse) in structural.undo.drain(..) {
                self.take_created(&created[recorded..before]);
                recorded = before;
                self.changes.other(inverse);
            }
        }
        self.take_created(&created[recorded..]);
        if structural.in_use {
            structural.copied.iter().for_each(|&op| self.record_copy(op));
            self.notices.extend(structural.touched.iter().map(|&op| Notice::Modified(op)));
        }
        for (op, change) in modified.drain(..) {
            self.modify(op, change);
        }
        for (op, values) in journal.replaced() {
            self.replace_by_values(op, values)?;
        }
        for op in journal.erased() {
            if op == self.outermost {
                return Err(Refusal::new("the outermost operation is replaced or erased"));
            }
            if !self.is_dead(op) {
                self.erase(op)?;
            }
        }
        let has_regions = self.dead[first_dead..].iter().any(|&op| self.host.region_count(op) > 0);
        if !journal.structural.in_use && !has_regions {
            return Ok(());
        }
        // Only the operations and blocks that this rule erases are checked. Those that earlier rules erased were
        // checked when the changes of the earlier rules were taken over. Only a detached operation counts as erased by
        // itself. An operation inside a dead operation is still in a block, so the uses of its results are checked too.
        let Structural { checks, erased_blocks, erased_args, .. } = &mut journal.structural;
        let blocks = erased_blocks.as_deref();
        let host = &*self.host;
        let is_pending = |op| op != self.outermost && host.block(op).is_none();
        let erasures = Erasures::new(host, &is_pending, blocks);
        let dead = self.dead[first_dead..].iter().copied();
        check_structure(checks, journal.is_used_outside, dead, &erasures)?;
        checks.clear();
        erased_args.iter().for_each(|&arg| self.record_dead_arg(arg));
        for &block in blocks.and_then(|set| set.downcast_ref::<Set<H::Block>>()).into_iter().flatten() {
            self.changes.detach_block_for_erasure(self.host, block);
        }
        Ok(())
    }

    // Blocks.

    /// Replaces the arguments of a block.
    pub(super) fn convert_block(
        &mut self,
        block: H::Block,
        conversions: &[ArgConversion<H>],
    ) -> Result<(), Refusal> {
        let old = self.args(block);
        if old.len() != conversions.len() {
            return Err(Refusal::new(
                "a signature conversion has a different number of arguments than the block",
            ));
        }
        let entry = self.host.first_op(block).map_or(InsertionPoint::End(block), InsertionPoint::Before);
        for (&arg, conversion) in old.iter().zip(conversions) {
            let values = match conversion {
                ArgConversion::Types(types) if *types == [self.host.value_type(arg)] => continue,
                ArgConversion::Types(types) => {
                    let place = arg_place(self.host, arg);
                    let (_, index) = place.ok_or_else(|| Refusal::new("an argument is not in its block"))?;
                    let location = self.host.arg_location(block, index);
                    let mut values = Vec::new();
                    for (offset, &ty) in (1..).zip(types) {
                        values.push(self.changes.insert_arg(
                            self.host,
                            block,
                            index + offset,
                            (ty, location),
                        )?);
                    }
                    values
                }
                ArgConversion::Values(values) => values.clone(),
            };
            self.record_dead_arg(arg);
            self.note_change_of_block(block);
            self.replace_value(arg, &values, |_| Some(entry))?;
        }
        Ok(())
    }

    /// Records that the operation that contains a block is modified.
    fn note_change_of_block(&mut self, block: H::Block) {
        self.notices.extend(self.host.block_region(block).map(|region| Notice::Modified(region.op)));
    }

    fn record_dead_arg(&mut self, arg: H::Value) {
        if self.is_dead_arg.insert(arg) {
            self.dead_args.push(arg);
        }
    }

    /// Converts the types of the arguments of all blocks of a region.
    pub(super) fn convert_region_types(&mut self, region: Region<H::Op>) -> Result<(), Refusal> {
        for block in blocks_of(self.host, region).collect::<Vec<_>>() {
            let mut conversions = Vec::new();
            for arg in self.args(block) {
                let ty = self.host.value_type(arg);
                conversions.push(ArgConversion::Types(self.convert_type(ty)?.to_vec()));
            }
            self.convert_block(block, &conversions)?;
        }
        Ok(())
    }

    pub(super) fn create_block(
        &mut self,
        args: &[(H::Type, H::Location)],
        region: Region<H::Op>,
        before: Option<H::Block>,
    ) -> Result<H::Block, Refusal> {
        let block = self.changes.create_block(self.host, args, region, before)?;
        self.notices.push(Notice::Modified(region.op));
        Ok(block)
    }

    pub(super) fn move_region(&mut self, from: Region<H::Op>, to: Region<H::Op>, before: Option<H::Block>) {
        self.changes.move_region(self.host, from, to, before);
        self.notices.extend([from, to].map(|region| Notice::Modified(region.op)));
    }

    pub(super) fn copy_region(
        &mut self,
        from: Region<H::Op>,
        to: Region<H::Op>,
        before: Option<H::Block>,
    ) -> Result<(), Refusal> {
        let sources = blocks_within(self.host, std::iter::once(from));
        let copies = self.changes.copy_region(self.host, from, to, before)?;
        self.notices.push(Notice::Modified(to.op));
        let mut all_copies = copies.clone();
        add_inner_blocks(self.host, &mut all_copies);
        for (source, copy) in sources.into_iter().zip(all_copies) {
            let args: Vec<_> = args_of(self.host, source).zip(args_of(self.host, copy)).collect();
            for (arg, copied) in args {
                if self.is_dead_arg.contains(&arg) {
                    self.record_dead_arg(copied);
                }
            }
        }
        for op in copies.iter().flat_map(|&block| ops_of(self.host, block)).collect::<Vec<_>>() {
            self.record_copy(op);
        }
        Ok(())
    }

    /// Records a copy of an operation. The copy and the operations inside it are legalised like created operations.
    fn record_copy(&mut self, op: H::Op) {
        let Self { host, created, notices, .. } = self;
        host.walk(op, WalkOrder::Pre, &mut |op| {
            created.push(op);
            notices.push(Notice::Created(op));
        });
    }

    pub(super) fn move_op(&mut self, op: H::Op, place: InsertionPoint<H::Op, H::Block>) {
        self.order.forget(op);
        self.changes.move_op(self.host, op, place);
        self.notices.push(Notice::Modified(op));
    }

    pub(super) fn set_successor(&mut self, op: H::Op, index: u32, block: H::Block) {
        self.changes.set_successor(self.host, op, index, block);
        self.modified.push(op);
        self.notices.push(Notice::Modified(op));
    }

    /// Erases a block with its operations.
    pub(super) fn erase_block(&mut self, block: H::Block) -> Result<(), Refusal> {
        for op in ops_of(self.host, block).collect::<Vec<_>>() {
            self.erase(op)?;
        }
        self.note_change_of_block(block);
        self.changes.detach_block_for_erasure(self.host, block);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equivalence::Random;
    use crate::ir::{IrHost, OpId};
    use crate::rewrite::test_module::host;

    #[test]
    fn the_order_is_correct_after_moves_are_undone() {
        let mut host = host(&"\"t.op\"() : () -> ()\n".repeat(200));
        let mut state = {
            let top = host.module.top();
            State::new(&mut host, top, None)
        };
        let mut random = Random::new(crate::test_seed::seed());
        let ops = |state: &State<'_, IrHost>| -> Vec<OpId> {
            let module = &state.host.module;
            module.ops(module.body()).collect()
        };
        let compare = |state: &mut State<'_, IrHost>, random: &mut Random| {
            let all = ops(state);
            for _ in 0..20 {
                let [a, b] = [(); 2].map(|()| random.below(all.len()));
                let State { host, order, .. } = state;
                assert_eq!(order.comes_before(host, all[a], all[b]), a < b);
            }
        };
        for _ in 0..100 {
            let mark = state.mark();
            for _ in 0..1 + random.below(8) {
                let all = ops(&state);
                let [op, place] = [(); 2].map(|()| all[random.below(all.len())]);
                match random.below(4) {
                    0 => state.erase(op).expect("it has no results"),
                    _ => state.move_op(op, InsertionPoint::Before(place)),
                }
                compare(&mut state, &mut random);
            }
            if random.below(2) == 0 {
                state.undo_to(mark);
            }
            compare(&mut state, &mut random);
        }
    }
}
