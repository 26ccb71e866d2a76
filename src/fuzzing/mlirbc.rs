//! The fuzz target of MLIR byte code.

use super::show;
use crate::ir::{Context, PrintOptions, mlirbc};
use crate::source::SourceMap;

/// Reads bytes as MLIR byte code. If a module is read, it must be possible to write it and to read the written file.
/// Writing and reading the second module must not change it. Errors must render.
pub fn mlirbc(bytes: &[u8]) {
    let mut context = Context::new();
    let module = match mlirbc::read(&mut context, "fuzz.mlirbc", bytes) {
        Ok(module) => module,
        Err(errors) => return show(&errors, &SourceMap::default()),
    };
    let options = PrintOptions::new().generic(true).debug_info(true).local_scope(true);
    let text = module.print(&context, options);
    let written = mlirbc::write(&mut context, &module, mlirbc::VERSION);
    let written = written.expect("a module that was read can be written");
    let mut other = Context::new();
    let back = mlirbc::read(&mut other, "fuzz.mlirbc", &written).expect("a written module is read");
    let again =
        mlirbc::write(&mut other, &back, mlirbc::VERSION).expect("a module that was read can be written");
    // The first write turns properties without a definition into attributes, so the comparison starts with the second
    // module.
    let third = mlirbc::read(&mut other, "fuzz.mlirbc", &again).expect("a written module is read");
    assert_eq!(back.print(&other, options), third.print(&other, options), "written from:\n{text}");
}
