//! Notification of the changes that drivers and rewrites make.

use super::ir::{Ir, WalkOrder};

/// The methods of a [`Listener`] that forwards each notification to the given listeners, in their order.
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

/// Receives a notification of each change to the IR.
///
/// A rewrite sends its notifications when it commits, so a failed rewrite sends none. A commit calls [`created`] for
/// each new operation, then [`modified`], then [`replaced`], then [`erased`]. At the first of these calls, all new
/// operations are in the IR.
///
/// [`created`]: Listener::created
/// [`modified`]: Listener::modified
/// [`replaced`]: Listener::replaced
/// [`erased`]: Listener::erased
pub trait Listener<H: Ir> {
    /// A rewrite has created this operation.
    fn created(&mut self, _host: &H, _op: H::Op) {}
    /// The operands, attributes, successors or blocks of an operation have changed, or the operation has moved.
    fn modified(&mut self, _host: &H, _op: H::Op) {}
    /// All uses of the results of an operation are about to become uses of these values. During this call, the users of
    /// the results still use the results. [`modified`](Listener::modified) is not called for these users.
    fn replaced(&mut self, _host: &H, _op: H::Op, _with: &[H::Value]) {}
    /// An operation is about to be erased. Its results have no uses, except in operations that are erased with it. The
    /// method has already been called for each operation in its regions.
    fn erased(&mut self, _host: &H, _op: H::Op) {}
}

/// A listener that ignores all notifications.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoListener;
impl<H: Ir> Listener<H> for NoListener {}

/// Notifies a listener that an operation and the operations inside it are about to be erased, the inner ones first.
pub(crate) fn notify_erased<H: Ir>(host: &H, op: H::Op, listener: &mut dyn Listener<H>) {
    host.walk(op, WalkOrder::Post, &mut |erased| listener.erased(host, erased));
}

/// Two listeners, which are notified in order.
pub(crate) struct Both<'a, 'b, H>(pub(crate) &'a mut dyn Listener<H>, pub(crate) &'b mut dyn Listener<H>);

impl<H: Ir> Listener<H> for Both<'_, '_, H> {
    forward_listener!(H; |this| this.0, this.1);
}
