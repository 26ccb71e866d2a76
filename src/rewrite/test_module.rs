//! Modules for tests of drivers.

use crate::ir::{Context, IrHost, parse_module};
use crate::source::SourceMap;

/// A host with the module that is parsed from a text.
pub(super) fn host(text: &str) -> IrHost {
    let mut sources = SourceMap::default();
    let file = sources.add("t.mlir", text.to_owned()).expect("the text is short");
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).expect("well-formed");
    IrHost::new(context, module)
}
