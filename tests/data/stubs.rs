//! Stubs for the natives that rules call, written by `drrvm check --stubs rust`.

use drrvm::host::arg::{Attr, Value};
use drrvm::host::{Natives, Refusal, Rewriter};
use drrvm::ir::IrHost;

/// The natives to fill in.
pub fn natives() -> Natives<IrHost> {
    Natives::new()
        .constraint("asks", holds_asks)
        .rewrite("makes", make_makes)
}

/// `asks`: constraint (value, attribute) -> boolean.
///
/// Called by
/// - rule R, rules.td:8
fn holds_asks(_ir: &IrHost, _arg0: Value<IrHost>, _arg1: Attr<IrHost>) -> bool {
    false
}

/// `makes`: rewrite (value, attribute) -> value.
///
/// Called by
/// - rule R, rules.td:10
fn make_makes(_rewriter: &mut Rewriter<'_, IrHost>, _arg0: Value<IrHost>, _arg1: Attr<IrHost>) -> Result<Value<IrHost>, Refusal> {
    Err(Refusal::new("'makes' is not implemented yet"))
}
