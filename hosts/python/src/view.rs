//! Access of Python objects to the IR they belong to.
//!
//! An object of a module reads the current state of the module, and fails if its operation was erased. An object that a
//! native receives reads the IR that is being matched or rewritten, and fails after the call of the native.

use std::cell::RefCell;
use std::sync::Arc;
use std::thread::{self, ThreadId};

use drrvm::host::Rewriter;
use drrvm::ir::{BlockId, IrHost, OpId, ValueDef, ValueId};
use pyo3::prelude::*;

use crate::errors::Kind;
use crate::state::{Module, State};

/// The IR that an object belongs to.
#[derive(Clone)]
pub(crate) enum View {
    Module(Arc<Module>),
    Lent(Arc<Lent>),
}

/// An operation, as a Python object refers to it.
#[derive(Clone)]
pub(crate) struct OpRef {
    pub(crate) view: View,
    pub(crate) id: OpId,
    /// The number of the module's state in which the operation was found.
    pub(crate) version: u64,
}

/// A value, as a Python object refers to it.
#[derive(Clone)]
pub(crate) struct ValueRef {
    pub(crate) view: View,
    pub(crate) id: ValueId,
    pub(crate) version: u64,
    /// The owner: the operation that defines the value, or the operation around its block.
    pub(crate) owner: OpId,
    /// The block of an argument.
    pub(crate) block: Option<BlockId>,
}

/// The IR while a closure reads it. The reader creates references to operations and values of the state that is read.
pub(crate) struct StateReader<'a> {
    host: &'a IrHost,
    view: &'a View,
    pub(crate) version: u64,
}

impl std::ops::Deref for StateReader<'_> {
    type Target = IrHost;

    fn deref(&self) -> &IrHost {
        self.host
    }
}

impl<'a> StateReader<'a> {
    /// An IR that is lent to a native.
    pub(crate) fn lent(host: &'a IrHost, view: &'a View) -> Self {
        Self { host, view, version: 0 }
    }

    /// A state of the module of a view.
    pub(crate) fn module(state: &'a State, view: &'a View) -> Self {
        Self { host: &state.host, view, version: state.version() }
    }

    pub(crate) fn view(&self) -> &View {
        self.view
    }

    pub(crate) fn op(&self, id: OpId) -> OpRef {
        OpRef { view: self.view.clone(), id, version: self.version }
    }

    /// A value; `None` if its block is in no operation.
    pub(crate) fn value(&self, id: ValueId) -> Option<ValueRef> {
        let module = &self.host.module;
        let (owner, block) = match module.value_def(id) {
            ValueDef::Result { op, .. } => (op, None),
            ValueDef::Argument { block, .. } => (module.block_parent(block)?, Some(block)),
            ValueDef::Forward => return None,
        };
        Some(ValueRef { view: self.view.clone(), id, version: self.version, owner, block })
    }
}

impl View {
    /// True if both are the same IR.
    pub(crate) fn is(&self, other: &View) -> bool {
        match (self, other) {
            (View::Module(a), View::Module(b)) => Arc::ptr_eq(a, b),
            (View::Lent(a), View::Lent(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// True if an id stands for the same operation in two versions of the module.
    fn is_same_op(&self, op: OpId, first: u64, second: u64) -> bool {
        match self {
            View::Module(module) => first == second || !module.state().is_erased(op, first.min(second)),
            View::Lent(_) => true,
        }
    }

    /// Reads types and attributes, which exist as long as the IR.
    pub(crate) fn read_literals<R>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&IrHost) -> PyResult<R>,
    ) -> PyResult<R> {
        match self {
            View::Module(module) => read(&module.state().host),
            View::Lent(lent) => lent.read(py, read),
        }
    }

    /// Reads the IR for an object that belongs to an operation.
    fn read<R>(
        &self,
        py: Python<'_>,
        op: OpId,
        version: u64,
        read: impl FnOnce(&StateReader<'_>) -> PyResult<R>,
    ) -> PyResult<R> {
        match self {
            View::Module(module) => {
                let state = module.state();
                if state.is_erased(op, version) {
                    return Err(Kind::Stale.with_message(py, "the operation was erased"));
                }
                read(&StateReader::module(&state, self))
            }
            View::Lent(lent) => lent.read(py, |host| read(&StateReader::lent(host, self))),
        }
    }
}

impl OpRef {
    pub(crate) fn read<R>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&StateReader<'_>) -> PyResult<R>,
    ) -> PyResult<R> {
        self.view.read(py, self.id, self.version, read)
    }

    /// True if both are the same operation. Two operations can have the same id if one was erased before the other was
    /// created.
    pub(crate) fn is(&self, other: &OpRef) -> bool {
        self.view.is(&other.view)
            && self.id == other.id
            && self.view.is_same_op(self.id, self.version, other.version)
    }
}

impl ValueRef {
    /// True if both are the same value.
    pub(crate) fn is(&self, other: &ValueRef) -> bool {
        self.view.is(&other.view)
            && self.id == other.id
            && self.owner == other.owner
            && self.view.is_same_op(self.owner, self.version, other.version)
    }

    pub(crate) fn read<R>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&StateReader<'_>) -> PyResult<R>,
    ) -> PyResult<R> {
        self.view.read(py, self.owner, self.version, |host| {
            // The block of an argument can be erased while the operation around it remains.
            let removed = self.block.is_some_and(|block| {
                let regions = host.module.regions(self.owner).iter();
                !regions.flat_map(|&region| host.module.region_blocks(region)).any(|other| other == block)
            });
            if removed {
                return Err(Kind::Stale.with_message(py, "the block of the value was erased"));
            }
            read(host)
        })
    }
}

/// The IR that a native may use during its call.
pub(crate) struct Lent {
    thread: ThreadId,
    ir: RefCell<Option<Pointer>>,
}

#[derive(Clone, Copy)]
enum Pointer {
    /// While matching.
    Ir(*const IrHost),
    /// While rewriting.
    Rewriter(*mut Rewriter<'static, IrHost>),
}

// SAFETY: Only `access` and `End` use `ir`. `access` first checks that it runs on the thread that created the object,
// and `End` is dropped on this thread. Dropping the pointers on another thread has no effect.
unsafe impl Send for Lent {}
// SAFETY: as for the preceding block.
unsafe impl Sync for Lent {}

impl Lent {
    /// Lends the IR to a call of a native.
    pub(crate) fn ir<R>(host: &IrHost, call: impl FnOnce(&Arc<Lent>) -> R) -> R {
        Self::lend(Pointer::Ir(host), call)
    }

    /// Lends a rewriter to a call of a native.
    pub(crate) fn rewriter<R>(rewriter: &mut Rewriter<'_, IrHost>, call: impl FnOnce(&Arc<Lent>) -> R) -> R {
        Self::lend(Pointer::Rewriter(std::ptr::from_mut(rewriter).cast()), call)
    }

    fn lend<R>(pointer: Pointer, call: impl FnOnce(&Arc<Lent>) -> R) -> R {
        let lent = Arc::new(Lent { thread: thread::current().id(), ir: RefCell::new(Some(pointer)) });
        let _end = End(&lent);
        call(&lent)
    }

    fn access<R>(&self, py: Python<'_>, access: impl FnOnce(Pointer) -> PyResult<R>) -> PyResult<R> {
        if thread::current().id() != self.thread {
            return Err(Kind::Stale.with_message(py, "an object of a native is used on another thread"));
        }
        // The borrow lasts until `access` returns, so that a second access cannot alias the rewriter.
        match self.ir.try_borrow_mut().as_deref() {
            Ok(Some(pointer)) => access(*pointer),
            Ok(None) => Err(Kind::Stale.with_message(py, "the call of the native is over")),
            Err(_) => {
                Err(Kind::Stale.with_message(py, "the IR is used while another access to it is not over"))
            }
        }
    }

    fn read<R>(&self, py: Python<'_>, read: impl FnOnce(&IrHost) -> PyResult<R>) -> PyResult<R> {
        self.access(py, |pointer| match pointer {
            // SAFETY: `lend` clears the pointer before the borrow of the IR ends, and nothing else uses the IR
            // meanwhile.
            Pointer::Ir(host) => read(unsafe { &*host }),
            // SAFETY: as for the preceding block; `access` excludes another use of the rewriter.
            Pointer::Rewriter(rewriter) => read(unsafe { &*rewriter }.host()),
        })
    }

    /// Uses the rewriter. Fails while matching.
    pub(crate) fn rewrite<R>(
        &self,
        py: Python<'_>,
        rewrite: impl FnOnce(&mut Rewriter<'_, IrHost>) -> PyResult<R>,
    ) -> PyResult<R> {
        self.access(py, |pointer| match pointer {
            Pointer::Ir(_) => Err(Kind::Stale.with_message(py, "a constraint cannot change the IR")),
            // SAFETY: `lend` got the rewriter as a unique reference and clears the pointer before that reference is
            // used again; `access` excludes another use. The closure cannot keep the reference, because it accepts any
            // lifetime.
            Pointer::Rewriter(rewriter) => rewrite(unsafe { &mut *rewriter }),
        })
    }
}

/// Takes the IR back at the end of a call, even after a panic.
struct End<'a>(&'a Lent);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.ir.take();
    }
}
