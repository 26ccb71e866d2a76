//! Who is told about every change a rewrite makes.

use super::{Ir, IrMut, WalkOrder};

/// Told about each change, right after it is made; erasure right before.
pub trait Listener<H: Ir> {
    /// An operation was made.
    fn created(&mut self, _host: &H, _op: H::Op) {}
    /// Operands or attributes of an operation change in place.
    fn modified(&mut self, _host: &H, _op: H::Op) {}
    /// All results of an operation are about to be replaced by these values.
    fn replaced(&mut self, _host: &H, _op: H::Op, _with: &[H::Value]) {}
    /// An operation is about to be erased. What its regions hold goes with it, and is told before.
    fn erased(&mut self, _host: &H, _op: H::Op) {}
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoListener;
impl<H: Ir> Listener<H> for NoListener {}

/// Tells that an operation is about to be erased, after each that is inside it.
pub(crate) fn tell_erased<H: IrMut>(host: &H, op: H::Op, listener: &mut dyn Listener<H>) {
    host.walk(op, WalkOrder::Post, &mut |gone| listener.erased(host, gone));
}

/// Tells two listeners, the first one first.
pub(crate) struct Both<'a, 'b, H>(pub(crate) &'a mut dyn Listener<H>, pub(crate) &'b mut dyn Listener<H>);

impl<H: Ir> Listener<H> for Both<'_, '_, H> {
    fn created(&mut self, host: &H, op: H::Op) {
        self.0.created(host, op);
        self.1.created(host, op);
    }
    fn modified(&mut self, host: &H, op: H::Op) {
        self.0.modified(host, op);
        self.1.modified(host, op);
    }
    fn replaced(&mut self, host: &H, op: H::Op, with: &[H::Value]) {
        self.0.replaced(host, op, with);
        self.1.replaced(host, op, with);
    }
    fn erased(&mut self, host: &H, op: H::Op) {
        self.0.erased(host, op);
        self.1.erased(host, op);
    }
}
