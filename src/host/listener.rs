//! Who is told about every change a rewrite makes.

use super::Ir;

/// Told about each change, right after it is made; erasure right before.
pub trait Listener<H: Ir> {
    /// An operation was made.
    fn created(&mut self, _host: &H, _op: H::Op) {}
    /// Operands or attributes of an operation change in place.
    fn modified(&mut self, _host: &H, _op: H::Op) {}
    /// All results of an operation are about to be replaced by these values.
    fn replaced(&mut self, _host: &H, _op: H::Op, _with: &[H::Value]) {}
    /// An operation is about to be erased.
    fn erased(&mut self, _host: &H, _op: H::Op) {}
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoListener;
impl<H: Ir> Listener<H> for NoListener {}
