//! The objects of xDSL behind a module.

use drrvm::ir::{BlockId, OpId, ValueId};
use pyo3::prelude::*;

use super::literals::Known;

/// The xDSL objects of a module that was just read. The object of an operation, value or block is at the index of its
/// slot, because such a module has no free slots.
#[derive(Default)]
pub(super) struct Originals {
    pub(super) ops: Vec<Py<PyAny>>,
    pub(super) values: Vec<Py<PyAny>>,
    pub(super) blocks: Vec<Py<PyAny>>,
    pub(super) types: Known,
    pub(super) attrs: Known,
    pub(super) locations: Known,
}

fn object<'a, 'py>(py: Python<'py>, objects: &'a [Py<PyAny>], slot: u32) -> Option<&'a Bound<'py, PyAny>> {
    objects.get(slot as usize).map(|object| object.bind(py))
}

impl Originals {
    pub(super) fn op<'a, 'py>(&'a self, py: Python<'py>, op: OpId) -> Option<&'a Bound<'py, PyAny>> {
        object(py, &self.ops, op.raw())
    }

    pub(super) fn value<'a, 'py>(&'a self, py: Python<'py>, value: ValueId) -> Option<&'a Bound<'py, PyAny>> {
        object(py, &self.values, value.raw())
    }

    pub(super) fn block<'a, 'py>(&'a self, py: Python<'py>, block: BlockId) -> Option<&'a Bound<'py, PyAny>> {
        object(py, &self.blocks, block.raw())
    }
}
