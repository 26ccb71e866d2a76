//! Notification of the changes that drivers and rewrites make.

use super::ir::{Ir, WalkOrder};

/// The methods of a [`Listener`] that passes each notification on to others, in this order.
macro_rules! forward_listener {
    ($host:ty; |$this:ident| $($to:expr),+) => {
        fn created(&mut self, host: &$host, op: <$host as $crate::host::Ir>::Op) {
            let $this = self;
            $($to.created(host, op);)+
        }
        fn modified(&mut self, host: &$host, op: <$host as $crate::host::Ir>::Op) {
            let $this = self;
            $($to.modified(host, op);)+
        }
        fn replaced(
            &mut self,
            host: &$host,
            op: <$host as $crate::host::Ir>::Op,
            with: &[<$host as $crate::host::Ir>::Value],
        ) {
            let $this = self;
            $($to.replaced(host, op, with);)+
        }
        fn erased(&mut self, host: &$host, op: <$host as $crate::host::Ir>::Op) {
            let $this = self;
            $($to.erased(host, op);)+
        }
    };
}
pub(crate) use forward_listener;

/// Is notified of each change to the IR.
///
/// A rewrite notifies when it commits, so that one that fails notifies of nothing: first [`created`] for each
/// operation that it made, then [`modified`], then [`replaced`], then [`erased`]. By the time of the first call
/// all new operations are in the IR.
///
/// [`created`]: Listener::created
/// [`modified`]: Listener::modified
/// [`replaced`]: Listener::replaced
/// [`erased`]: Listener::erased
pub trait Listener<H: Ir> {
    /// A rewrite made this operation, which is in the IR.
    fn created(&mut self, _host: &H, _op: H::Op) {}
    /// Operands or attributes of an operation have changed in place.
    fn modified(&mut self, _host: &H, _op: H::Op) {}
    /// All uses of the results of an operation are about to become uses of these values. The operations that
    /// use the results are still their users; [`modified`](Listener::modified) is not called for them.
    fn replaced(&mut self, _host: &H, _op: H::Op, _with: &[H::Value]) {}
    /// An operation, whose results have no uses any more, is about to be erased. Operations in its regions
    /// are erased with it; this is called for each of them before.
    fn erased(&mut self, _host: &H, _op: H::Op) {}
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoListener;
impl<H: Ir> Listener<H> for NoListener {}

/// Notifies that an operation is about to be erased, after each that is inside it.
pub(crate) fn notify_erased<H: Ir>(host: &H, op: H::Op, listener: &mut dyn Listener<H>) {
    host.walk(op, WalkOrder::Post, &mut |gone| listener.erased(host, gone));
}

/// Notifies two listeners, the first one first.
pub(crate) struct Both<'a, 'b, H>(pub(crate) &'a mut dyn Listener<H>, pub(crate) &'b mut dyn Listener<H>);

impl<H: Ir> Listener<H> for Both<'_, '_, H> {
    forward_listener!(H; |this| this.0, this.1);
}
