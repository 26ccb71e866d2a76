//! Writes modules to xDSL.
//!
//! First the parts of new operations, and the new attributes of existing operations, are created, because their
//! creation can fail. Then the module of xDSL is changed: operations are created, moved and inserted, then operands and
//! attributes are set, then operations and blocks are removed, and finally values are named. So an exception before the
//! changes leaves the module as it was.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use drrvm::ir::{BlockId, IrHost, Module, OpId, ValueDef, ValueId};
use pyo3::exceptions::{PyNotImplementedError, PyRuntimeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rustc_hash::FxBuildHasher;

use super::literals::{Class, Maker};
use super::originals::Originals;
use crate::state::State;

/// Changes a module of xDSL so that it equals `state`. `originals` are its objects in the state `origin`.
pub(super) fn update(
    py: Python<'_>,
    origin: &Arc<State>,
    originals: &Originals,
    state: &Arc<State>,
    maker: &Bound<'_, PyAny>,
) -> PyResult<()> {
    if origin.version() == state.version() {
        return Ok(());
    }
    let context = &state.host.context;
    let known = [Some(&originals.types), Some(&originals.attrs), Some(&originals.locations)];
    let mut maker = Maker::new(context, maker, known);
    let old = Old { origin, originals, state };
    let new = Blueprint::of_new_ops(&state.host, &mut maker, |op| old.op(py, op).is_some())?;
    let changed = old.changed_attributes(&mut maker)?;
    old.check_blocks()?;
    let mut writer = Writer { py, host: &state.host, old: Some(&old), created: Created::default() };
    writer.create(new)?;
    writer.place()?;
    writer.set_operands()?;
    writer.set_attributes(changed)?;
    writer.remove()?;
    writer.name_values()
}

/// Creates a module of xDSL that equals `state`.
pub(super) fn create<'py>(
    py: Python<'py>,
    state: &Arc<State>,
    maker: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let host = &state.host;
    let mut maker = Maker::new(&host.context, maker, [None; 3]);
    let new = Blueprint::of_new_ops(host, &mut maker, |_| false)?;
    let mut writer = Writer { py, host, old: None, created: Created::default() };
    writer.create(new)?;
    writer.place()?;
    writer.set_operands()?;
    writer.op(host.module.top())
}

/// The state that xDSL's objects represent, and the state to which they are changed.
struct Old<'a> {
    origin: &'a State,
    originals: &'a Originals,
    state: &'a State,
}

impl<'a> Old<'a> {
    /// The object of an operation; `None` if the operation is new.
    fn op<'py>(&self, py: Python<'py>, op: OpId) -> Option<&'a Bound<'py, PyAny>> {
        // The slot of an erased operation can hold a new operation, so the id alone does not identify the object.
        if self.state.is_erased(op, 0) { None } else { self.originals.op(py, op) }
    }

    /// The object of a block; `None` if the block is new. Only the blocks of new operations are new.
    fn block<'py>(&self, py: Python<'py>, block: BlockId) -> Option<&'a Bound<'py, PyAny>> {
        self.op(py, self.state.host.module.block_parent(block)?)?;
        self.originals.block(py, block)
    }

    /// The object of a value; `None` if the value is new.
    fn value<'py>(&self, py: Python<'py>, value: ValueId) -> Option<&'a Bound<'py, PyAny>> {
        match self.state.host.module.value_def(value) {
            ValueDef::Result { op, .. } => self.op(py, op).map(drop)?,
            ValueDef::Argument { block, .. } => self.block(py, block).map(drop)?,
            ValueDef::Forward => return None,
        }
        self.originals.value(py, value)
    }

    /// The operations that exist in both states.
    fn kept(&self) -> impl Iterator<Item = OpId> {
        let module = &self.origin.host.module;
        module.preorder(module.top()).filter(|&op| !self.state.is_erased(op, 0))
    }

    /// The kept operations whose attributes rules have changed in place.
    fn changed_attributes<'py>(&self, maker: &mut Maker<'_, 'py>) -> PyResult<Vec<ChangedAttributes<'py>>> {
        let (before, after) = (&self.origin.host.module, &self.state.host.module);
        let dictionaries = |module: &Module, op| [module.properties(op), module.attrs(op)];
        let changed = self.kept().filter(|&op| dictionaries(before, op) != dictionaries(after, op));
        let context = &self.origin.host.context;
        changed
            .map(|op| {
                let old = dictionaries(before, op).into_iter().flat_map(|old| context.entries(old));
                let old = old.map(|&(name, _)| context.attr_name_text(name).to_owned()).collect();
                let (_, new) = Attributes::new(&self.state.host, maker, op)?;
                Ok(ChangedAttributes { op, old, new })
            })
            .collect()
    }

    /// Checks that kept operations have the same successors, and that their blocks have the same order and arguments.
    /// Blocks can be missing.
    fn check_blocks(&self) -> PyResult<()> {
        let (before, after) = (&self.origin.host.module, &self.state.host.module);
        let is_same = |op: OpId| {
            let same_blocks = before.regions(op).iter().zip(after.regions(op)).all(|(&old, &new)| {
                let mut old = before.region_blocks(old);
                after
                    .region_blocks(new)
                    .all(|block| old.any(|other| other == block) && before.args(block) == after.args(block))
            });
            same_blocks && before.successors(op) == after.successors(op)
        };
        match self.kept().all(is_same) {
            true => Ok(()),
            false => Err(PyNotImplementedError::new_err(
                "drrvm.xdsl does not support rules that add or move blocks of an existing operation, or that change the arguments of blocks or the successors of an operation in place",
            )),
        }
    }
}

/// The attributes of a kept operation, before and after rules changed them in place.
struct ChangedAttributes<'py> {
    op: OpId,
    /// The names of the attributes before the change.
    old: Vec<String>,
    /// All attributes after the change.
    new: Attributes<'py>,
}

/// The properties and the attributes of an operation, as xDSL divides them.
struct Attributes<'py> {
    properties: Bound<'py, PyDict>,
    attributes: Bound<'py, PyDict>,
}

impl<'py> Attributes<'py> {
    /// The class of an operation, with its properties and attributes.
    fn new(host: &IrHost, maker: &mut Maker<'_, 'py>, op: OpId) -> PyResult<(Bound<'py, PyAny>, Self)> {
        let module = &host.module;
        let Class { class, properties: defined } = maker.class(module.name(op))?;
        let py = class.py();
        let (properties, attributes) = (PyDict::new(py), PyDict::new(py));
        for (dictionary, is_property) in [(module.properties(op), true), (module.attrs(op), false)] {
            for &(name, value) in host.context.entries(dictionary) {
                let (name, value) = (host.context.attr_name_text(name), maker.attr(value)?);
                let to = if is_property || defined.contains(name)? { &properties } else { &attributes };
                to.set_item(name, value)?;
            }
        }
        Ok((class, Self { properties, attributes }))
    }
}

/// The type and the location of an argument of a block.
type Arg<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// An operation that is going to be created, with everything whose creation can fail.
struct Blueprint<'py> {
    op: OpId,
    class: Bound<'py, PyAny>,
    attributes: Attributes<'py>,
    location: Bound<'py, PyAny>,
    result_types: Bound<'py, PyList>,
    /// The arguments of each block of each region.
    regions: Vec<Vec<Vec<Arg<'py>>>>,
}

impl<'py> Blueprint<'py> {
    /// Creates the parts of all new operations.
    fn of_new_ops(
        host: &IrHost,
        maker: &mut Maker<'_, 'py>,
        exists: impl Fn(OpId) -> bool,
    ) -> PyResult<Vec<Self>> {
        let mut new = Vec::new();
        let module = &host.module;
        for op in module.preorder(module.top()).filter(|&op| !exists(op)) {
            let (class, attributes) = Attributes::new(host, maker, op)?;
            let result_types = PyList::empty(class.py());
            for result in module.results(op) {
                result_types.append(maker.ty(module.value_type(result))?)?;
            }
            let mut regions = Vec::new();
            for &region in module.regions(op) {
                let mut blocks = Vec::new();
                for block in module.region_blocks(region) {
                    let args = module.args(block).iter().zip(module.arg_locs(block));
                    let args = args
                        .map(|(&arg, &loc)| Ok((maker.ty(module.value_type(arg))?, maker.location(loc)?)));
                    blocks.push(args.collect::<PyResult<Vec<_>>>()?);
                }
                regions.push(blocks);
            }
            let location = maker.location(module.loc(op))?;
            new.push(Blueprint { op, class, attributes, location, result_types, regions });
        }
        Ok(new)
    }
}

/// The objects that were created.
#[derive(Default)]
struct Created<'py> {
    ops: HashMap<OpId, Bound<'py, PyAny>, FxBuildHasher>,
    values: HashMap<ValueId, Bound<'py, PyAny>, FxBuildHasher>,
    blocks: HashMap<BlockId, Bound<'py, PyAny>, FxBuildHasher>,
    /// Operations that were created without their operands, because some operands did not exist yet.
    late: Vec<OpId>,
}

struct Writer<'a, 'py> {
    py: Python<'py>,
    host: &'a IrHost,
    /// `None` if a whole module is created.
    old: Option<&'a Old<'a>>,
    created: Created<'py>,
}

/// The exception for an object that is missing because of a bug.
fn missing(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("a bug in drrvm: {what} of the rewritten module has no object in xDSL"))
}

impl<'py> Writer<'_, 'py> {
    fn op(&self, op: OpId) -> PyResult<Bound<'py, PyAny>> {
        let old = self.old.and_then(|old| old.op(self.py, op));
        old.or_else(|| self.created.ops.get(&op)).cloned().ok_or_else(|| missing("an operation"))
    }

    fn find_value(&self, value: ValueId) -> Option<Bound<'py, PyAny>> {
        let old = self.old.and_then(|old| old.value(self.py, value));
        old.or_else(|| self.created.values.get(&value)).cloned()
    }

    fn operands(&self, op: OpId) -> PyResult<Bound<'py, PyList>> {
        let operands = PyList::empty(self.py);
        for &value in self.host.module.operands(op) {
            operands.append(self.find_value(value).ok_or_else(|| missing("a value"))?)?;
        }
        Ok(operands)
    }

    fn block(&self, block: BlockId) -> PyResult<Bound<'py, PyAny>> {
        let old = self.old.and_then(|old| old.block(self.py, block));
        old.or_else(|| self.created.blocks.get(&block)).cloned().ok_or_else(|| missing("a block"))
    }

    /// Creates operations with their regions and blocks. The operations are not inserted yet.
    fn create(&mut self, new: Vec<Blueprint<'py>>) -> PyResult<()> {
        if new.is_empty() {
            return Ok(());
        }
        let py = self.py;
        let ir = py.import("xdsl.ir")?;
        let (region_class, block_class) = (ir.getattr("Region")?, ir.getattr("Block")?);
        let module = &self.host.module;
        for blueprint in new {
            let Blueprint { op, class, .. } = blueprint;
            let regions = PyList::empty(py);
            for (&id, blocks) in module.regions(op).iter().zip(&blueprint.regions) {
                let region = region_class.call0()?;
                for (id, args) in module.region_blocks(id).zip(blocks) {
                    let block = block_class.call0()?;
                    region.call_method1(intern!(py, "add_block"), (&block,))?;
                    for (index, (ty, loc)) in args.iter().enumerate() {
                        let arg = block.call_method1(intern!(py, "insert_arg"), (ty, index))?;
                        if arg.hasattr(intern!(py, "location"))? {
                            arg.setattr(intern!(py, "location"), loc)?;
                        }
                        self.created.values.insert(module.args(id)[index], arg);
                    }
                    self.created.blocks.insert(id, block);
                }
                regions.append(region)?;
            }
            let arguments = PyDict::new(py);
            let operands = module.operands(op).iter();
            let operands: Option<Vec<_>> = operands.map(|&value| self.find_value(value)).collect();
            match operands {
                Some(operands) => arguments.set_item(intern!(py, "operands"), operands)?,
                None => self.created.late.push(op),
            }
            let successors = module.successors(op).iter();
            let successors = successors.map(|&block| self.block(block)).collect::<PyResult<Vec<_>>>()?;
            arguments.set_item(intern!(py, "result_types"), blueprint.result_types)?;
            arguments.set_item(intern!(py, "properties"), blueprint.attributes.properties)?;
            arguments.set_item(intern!(py, "attributes"), blueprint.attributes.attributes)?;
            arguments.set_item(intern!(py, "successors"), successors)?;
            arguments.set_item(intern!(py, "regions"), regions)?;
            let object = class.call_method(intern!(py, "create"), (), Some(&arguments))?;
            if object.hasattr(intern!(py, "location"))? {
                object.setattr(intern!(py, "location"), blueprint.location)?;
            }
            for (id, value) in module.results(op).zip(object.getattr(intern!(py, "results"))?.try_iter()?) {
                self.created.values.insert(id, value?);
            }
            self.created.ops.insert(op, object);
        }
        Ok(())
    }

    /// Puts all operations into their blocks, in order. Moves only operations that are not in place.
    fn place(&mut self) -> PyResult<()> {
        let (py, module) = (self.py, &self.host.module);
        for op in module.preorder(module.top()) {
            let blocks = module.regions(op).iter().flat_map(|&region| module.region_blocks(region));
            for block in blocks {
                let before: Vec<OpId> = match self.old {
                    Some(old) if old.block(py, block).is_some() => {
                        let stays = |&op: &OpId| old.op(py, op).is_some() && module.block(op) == Some(block);
                        old.origin.host.module.ops(block).filter(stays).collect()
                    }
                    _ => Vec::new(),
                };
                if !module.ops(block).eq(before.iter().copied()) {
                    self.arrange(block, &before)?;
                }
            }
        }
        Ok(())
    }

    /// Arranges the operations of a block. `before` lists the operations that are in the block already.
    fn arrange(&self, block: BlockId, before: &[OpId]) -> PyResult<()> {
        let py = self.py;
        let to = self.block(block)?;
        let mut moved = HashSet::new();
        let mut rest = before.iter().copied().peekable();
        for op in self.host.module.ops(block) {
            while rest.next_if(|next| moved.contains(next)).is_some() {}
            if rest.next_if_eq(&op).is_some() {
                continue;
            }
            let object = self.op(op)?;
            if !object.getattr(intern!(py, "parent"))?.is_none() {
                moved.insert(op);
                object.call_method0(intern!(py, "detach"))?;
            }
            match rest.peek() {
                Some(&next) => to.call_method1(intern!(py, "insert_op_before"), (object, self.op(next)?))?,
                None => to.call_method1(intern!(py, "add_op"), (object,))?,
            };
        }
        Ok(())
    }

    /// Sets the operands that changed or are missing.
    fn set_operands(&self) -> PyResult<()> {
        let (py, module) = (self.py, &self.host.module);
        let name = intern!(py, "operands");
        for &op in &self.created.late {
            self.op(op)?.setattr(name, self.operands(op)?)?;
        }
        let Some(old) = self.old else { return Ok(()) };
        let before = &old.origin.host.module;
        for op in old.kept() {
            let (from, to) = (before.operands(op), module.operands(op));
            let is_same = |index: usize| from[index] == to[index] && old.value(py, to[index]).is_some();
            if from.len() != to.len() {
                self.op(op)?.setattr(name, self.operands(op)?)?;
                continue;
            }
            if (0..to.len()).all(is_same) {
                continue;
            }
            let operands = self.op(op)?.getattr(name)?;
            for index in (0..to.len()).filter(|&index| !is_same(index)) {
                let value = self.find_value(to[index]).ok_or_else(|| missing("a value"))?;
                operands.set_item(index, value)?;
            }
        }
        Ok(())
    }

    /// Sets the attributes that were changed in place. Keeps other entries, such as xDSL's name of an unregistered
    /// operation.
    fn set_attributes(&self, changed: Vec<ChangedAttributes<'py>>) -> PyResult<()> {
        let py = self.py;
        for ChangedAttributes { op, old, new } in changed {
            let object = self.op(op)?;
            let Attributes { properties, attributes } = new;
            for (name, new) in
                [(intern!(py, "properties"), properties), (intern!(py, "attributes"), attributes)]
            {
                let entries = object.getattr(name)?;
                for old in &old {
                    if !new.contains(old)? {
                        entries.call_method1(intern!(py, "pop"), (old, py.None()))?;
                    }
                }
                entries.call_method1(intern!(py, "update"), (new,))?;
            }
        }
        Ok(())
    }

    /// Removes the operations and blocks that were erased.
    fn remove(&self) -> PyResult<()> {
        let Some(old) = self.old else { return Ok(()) };
        let (py, before) = (self.py, &old.origin.host.module);
        let detach = intern!(py, "detach");
        let drop_references = intern!(py, "drop_all_references");
        let mut regions = vec![before.region(before.top(), 0)];
        while let Some(region) = regions.pop() {
            let live: HashSet<BlockId> = self.host.module.region_blocks(region).collect();
            for block in before.region_blocks(region) {
                if !live.contains(&block) {
                    let object = old.originals.block(py, block).ok_or_else(|| missing("a block"))?;
                    let region = object.getattr(intern!(py, "parent"))?;
                    region.call_method1(intern!(py, "detach_block"), (object,))?;
                    object.call_method0(drop_references)?;
                    continue;
                }
                for op in before.ops(block) {
                    match old.op(py, op) {
                        Some(_) => regions.extend(before.regions(op)),
                        None => {
                            let object = old.originals.op(py, op).ok_or_else(|| missing("an operation"))?;
                            object.call_method0(detach)?;
                            object.call_method0(drop_references)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives each value without a name the name of the value that it replaced, as xDSL's own rewriter does.
    fn name_values(&self) -> PyResult<()> {
        let Some(old) = self.old else { return Ok(()) };
        let (py, name) = (self.py, intern!(self.py, "name_hint"));
        for (value, from) in old.state.names() {
            let Some(value) = self.find_value(value) else { continue };
            let Some(from) = old.originals.value(py, from) else { continue };
            let from = from.getattr(name)?;
            if !from.is_none() && value.getattr(name)?.is_none() {
                value.setattr(name, from)?;
            }
        }
        Ok(())
    }
}
