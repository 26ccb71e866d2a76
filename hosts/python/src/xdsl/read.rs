//! Reads modules of xDSL.

use std::collections::HashMap;

use drrvm::host::{AttrNameId, OpNameId};
use drrvm::ir::{
    AttrId, BlockId, Context, DEPTH_LIMIT, IrHost, LocId, Module, OpId, OpSpec, RegionId, ValueId,
};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use rustc_hash::FxBuildHasher;

use super::literals::Literals;
use super::originals::Originals;

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// The number of operations between two checks for signals.
const PAUSE: usize = 1024;

/// Reads a module in a context.
pub(super) fn read(top: &Bound<'_, PyAny>, mut context: Context) -> PyResult<(IrHost, Originals)> {
    let py = top.py();
    let module = Module::new(&mut context);
    let mut reader = Reader {
        py,
        context,
        literals: Literals::new(py)?,
        originals: Originals::default(),
        values: Map::default(),
        blocks: Map::default(),
        names: Map::default(),
        attr_names: Map::default(),
        dictionaries: Map::default(),
        late: Vec::new(),
        module,
    };
    reader.top(top)?;
    for (op, operands) in std::mem::take(&mut reader.late) {
        let operands =
            operands.iter().map(|operand| reader.defined(operand)).collect::<PyResult<Vec<_>>>()?;
        reader.module.set_operands(op, &operands);
    }
    let Reader { context, module, literals, mut originals, .. } = reader;
    (originals.types, originals.attrs, originals.locations) = literals.into_known();
    Ok((IrHost::new(context, module), originals))
}

struct Reader<'py> {
    py: Python<'py>,
    context: Context,
    module: Module,
    literals: Literals<'py>,
    originals: Originals,
    /// Values and blocks by the addresses of their objects. The operations keep these objects alive.
    values: Map<usize, ValueId>,
    blocks: Map<usize, BlockId>,
    /// The name of the operations of a class; `None` if each operation states its name.
    names: Map<usize, (Bound<'py, PyType>, Option<OpNameId>)>,
    attr_names: Map<usize, (Bound<'py, PyString>, AttrNameId)>,
    /// The stored form of properties and attributes; see [`Context::op_dictionaries`].
    dictionaries: Map<(OpNameId, AttrId, AttrId), (AttrId, AttrId)>,
    /// Operations whose operands are set last, because some operands are defined after the operation.
    late: Vec<(OpId, Vec<Bound<'py, PyAny>>)>,
}

/// The parts of an operation that are read before its operands.
struct Head<'py> {
    name: OpNameId,
    properties: AttrId,
    attrs: AttrId,
    loc: LocId,
    regions: Vec<Bound<'py, PyAny>>,
}

fn address(object: &Bound<'_, PyAny>) -> usize {
    object.as_ptr() as usize
}

fn list<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    object.try_iter()?.collect()
}

impl<'py> Reader<'py> {
    fn top(&mut self, op: &Bound<'py, PyAny>) -> PyResult<()> {
        let head = self.head(op)?;
        let top = self.module.top();
        self.module.set_properties(top, head.properties);
        self.module.set_attrs(top, head.attrs);
        self.module.set_loc(top, head.loc);
        self.originals.ops.push(op.clone().unbind());
        let body = self.module.body();
        let blocks = match head.regions.first() {
            Some(region) => list(&region.getattr(intern!(self.py, "blocks"))?)?,
            None => Vec::new(),
        };
        if let [block] = blocks.as_slice() {
            self.block_head(body, block)?;
            return self.block_body(body, block, 0);
        }
        // The body of an empty module has no block in xDSL.
        self.originals.blocks.push(self.py.None());
        if blocks.is_empty() { Ok(()) } else { Err(PyValueError::new_err("the module has several blocks")) }
    }

    /// Creates an operation at the end of a block.
    fn op(&mut self, block: BlockId, op: &Bound<'py, PyAny>, depth: u32) -> PyResult<()> {
        if self.originals.ops.len().is_multiple_of(PAUSE) {
            self.py.check_signals()?;
        }
        let head = self.head(op)?;
        let objects = list(&op.getattr(intern!(self.py, "operands"))?)?;
        let results = list(&op.getattr(intern!(self.py, "results"))?)?;
        let types = results
            .iter()
            .map(|value| self.literals.ty(&mut self.context, &value.getattr(intern!(self.py, "type"))?))
            .collect::<PyResult<Vec<_>>>()?;
        let successors = list(&op.getattr(intern!(self.py, "successors"))?)?
            .iter()
            .map(|successor| self.successor(block, successor))
            .collect::<PyResult<Vec<_>>>()?;
        // The parser reads the uses in regions before the operands of the operation. The order of uses can decide the
        // order of rewrites, so the operands of an operation with regions are set later.
        let at_once = head.regions.is_empty();
        let operands: Option<Vec<ValueId>> = if at_once {
            objects.iter().map(|operand| self.values.get(&address(operand)).copied()).collect()
        } else {
            None
        };
        let id = self.module.create(&OpSpec {
            attrs: head.attrs,
            properties: head.properties,
            successors: &successors,
            regions: head.regions.len(),
            loc: head.loc,
            ..OpSpec::new(head.name).operands(operands.as_deref().unwrap_or_default()).results(&types)
        });
        self.module.append(block, id);
        debug_assert_eq!(self.originals.ops.len(), id.raw() as usize);
        self.originals.ops.push(op.clone().unbind());
        for (value, id) in results.into_iter().zip(self.module.results(id)) {
            self.define(value, id);
        }
        for (index, region) in head.regions.iter().enumerate() {
            let to = self.module.region(id, index);
            self.region(to, region, depth + 1)?;
        }
        if operands.is_some() || objects.is_empty() {
            return Ok(());
        }
        match objects.iter().map(|operand| self.values.get(&address(operand)).copied()).collect() {
            Some::<Vec<_>>(operands) => self.module.set_operands(id, &operands),
            None => self.late.push((id, objects)),
        }
        Ok(())
    }

    fn head(&mut self, op: &Bound<'py, PyAny>) -> PyResult<Head<'py>> {
        let (name, is_registered) = self.name(op)?;
        let properties = self.dictionary(&op.getattr(intern!(self.py, "properties"))?, true)?;
        let attrs = self.dictionary(&op.getattr(intern!(self.py, "attributes"))?, is_registered)?;
        let stated = (properties != Context::EMPTY_DICTIONARY).then_some(properties);
        let (context, key) = (&mut self.context, (name, properties, attrs));
        let (properties, attrs) =
            *self.dictionaries.entry(key).or_insert_with(|| context.op_dictionaries(name, stated, attrs));
        let regions = list(&op.getattr(intern!(self.py, "regions"))?)?;
        Ok(Head { name, properties, attrs, loc: self.location(op)?, regions })
    }

    /// The name, and true if the class of the operation defines it.
    fn name(&mut self, op: &Bound<'py, PyAny>) -> PyResult<(OpNameId, bool)> {
        let class = op.get_type();
        let key = class.as_ptr() as usize;
        let known = match self.names.get(&key) {
            Some(known) => known.1,
            None => {
                let name: String = class.getattr("name")?.extract()?;
                let name = (name != "builtin.unregistered").then(|| self.context.op_name(&name));
                self.names.insert(key, (class, name));
                name
            }
        };
        if let Some(name) = known {
            return Ok((name, true));
        }
        let name: String = op.getattr("op_name")?.getattr("data")?.extract()?;
        Ok((self.context.op_name(&name), false))
    }

    /// Reads a dictionary. Unless `is_complete` is true, leaves out the attribute in which xDSL stores the name of an
    /// operation without a definition.
    fn dictionary(&mut self, entries: &Bound<'py, PyAny>, is_complete: bool) -> PyResult<AttrId> {
        let entries = entries.cast::<PyDict>()?;
        if entries.is_empty() {
            return Ok(Context::EMPTY_DICTIONARY);
        }
        let mut all = Vec::with_capacity(entries.len());
        for (name, value) in entries.iter() {
            let key = address(&name);
            let name = match self.attr_names.get(&key) {
                Some(known) => known.1,
                None => {
                    let text = name.cast_into::<PyString>()?;
                    let id = self.context.attr_name(text.to_str()?);
                    self.attr_names.insert(key, (text, id));
                    id
                }
            };
            if is_complete || self.context.attr_name_text(name) != "op_name__" {
                all.push((name, self.literals.attr(&mut self.context, &value)?));
            }
        }
        Ok(self.context.dictionary(&mut all))
    }

    /// The location of an operation or block argument. Old versions of xDSL have none.
    fn location(&mut self, object: &Bound<'py, PyAny>) -> PyResult<LocId> {
        match object.getattr_opt(intern!(self.py, "location"))? {
            Some(loc) => self.literals.location(&mut self.context, &loc),
            None => Ok(Context::UNKNOWN),
        }
    }

    fn region(&mut self, to: RegionId, region: &Bound<'py, PyAny>, depth: u32) -> PyResult<()> {
        if depth > DEPTH_LIMIT {
            let message = format!("regions are nested more than {DEPTH_LIMIT} levels deep");
            return Err(PyValueError::new_err(message));
        }
        let blocks = list(&region.getattr(intern!(self.py, "blocks"))?)?;
        let mut ids = Vec::with_capacity(blocks.len());
        for block in &blocks {
            let id = self.module.append_block(to);
            self.block_head(id, block)?;
            ids.push(id);
        }
        for (&id, block) in ids.iter().zip(&blocks) {
            self.block_body(id, block, depth)?;
        }
        Ok(())
    }

    fn block_head(&mut self, id: BlockId, block: &Bound<'py, PyAny>) -> PyResult<()> {
        debug_assert_eq!(self.originals.blocks.len(), id.raw() as usize);
        self.originals.blocks.push(block.clone().unbind());
        self.blocks.insert(address(block), id);
        for arg in list(&block.getattr(intern!(self.py, "args"))?)? {
            let ty = self.literals.ty(&mut self.context, &arg.getattr(intern!(self.py, "type"))?)?;
            let loc = self.location(&arg)?;
            let value = self.module.add_arg(id, ty, loc);
            self.define(arg, value);
        }
        Ok(())
    }

    fn block_body(&mut self, id: BlockId, block: &Bound<'py, PyAny>, depth: u32) -> PyResult<()> {
        for op in block.getattr(intern!(self.py, "ops"))?.try_iter()? {
            self.op(id, &op?, depth)?;
        }
        Ok(())
    }

    fn define(&mut self, value: Bound<'py, PyAny>, id: ValueId) {
        debug_assert_eq!(self.originals.values.len(), id.raw() as usize);
        self.values.insert(address(&value), id);
        self.originals.values.push(value.unbind());
    }

    fn defined(&self, value: &Bound<'py, PyAny>) -> PyResult<ValueId> {
        self.values.get(&address(value)).copied().ok_or_else(|| {
            PyValueError::new_err(format!("an operand is defined outside the module: {}", shown(value)))
        })
    }

    /// The id of a successor of an operation in the block `from`. Both blocks must be in one region.
    fn successor(&self, from: BlockId, block: &Bound<'py, PyAny>) -> PyResult<BlockId> {
        let region = |block| self.module.block_region(block);
        let found = self.blocks.get(&address(block)).copied();
        found.filter(|&to| region(to) == region(from)).ok_or_else(|| {
            PyValueError::new_err(format!("a successor is outside the region: {}", shown(block)))
        })
    }
}

fn shown(object: &Bound<'_, PyAny>) -> String {
    object.repr().map_or_else(|_| "an object that cannot be shown".to_owned(), |text| text.to_string())
}
