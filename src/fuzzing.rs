//! What the fuzz targets call: any bytes in, no panic, and a few properties that always hold.

use crate::frontend::tablegen;
use crate::ir;
use crate::source::{Color, Diagnostics, SourceMap, render_all};

/// Any bytes as a TableGen file: records that print, or errors that can be shown.
pub fn tablegen(bytes: &[u8]) {
    let mut sources = SourceMap::default();
    let parsed = sources
        .add_bytes("fuzz.td", bytes.to_vec())
        .map_err(Diagnostics::from)
        .and_then(|main| tablegen::parse(&mut sources, main, &tablegen::Config::default()));
    match parsed {
        Ok(parsed) => parsed.records.write_records(&mut std::io::sink()).expect("a sink takes everything"),
        Err(errors) => show(&errors, &sources),
    }
}

/// Any bytes as MLIR: a module that can be verified and whose text reads back as itself, or errors that can be shown.
pub fn mlir(bytes: &[u8]) {
    let mut sources = SourceMap::default();
    let Ok(file) = sources.add_bytes("fuzz.mlir", bytes.to_vec()) else { return };
    let mut context = ir::Context::new();
    let module = match ir::parse_module(&mut context, sources.file(file)) {
        Ok(module) => module,
        Err(errors) => return show(&errors, &sources),
    };
    let _ = ir::verify(&context, &module, |_, _| {});
    let options = ir::PrintOptions::new().generic(true);
    let text = module.print(&context, options);
    let again = sources.add("again.mlir", &*text).expect("the text is not much longer than the input");
    let mut context = ir::Context::new();
    let module = ir::parse_module(&mut context, sources.file(again)).expect("what is printed reads back");
    // Aliases may be numbered anew once; then all stays.
    let text = module.print(&context, options);
    let last = sources.add("last.mlir", &*text).expect("the text is not much longer than the input");
    let mut context = ir::Context::new();
    let module = ir::parse_module(&mut context, sources.file(last)).expect("what is printed reads back");
    assert_eq!(module.print(&context, options), text, "printing settles");
}

fn show(errors: &Diagnostics, sources: &SourceMap) {
    assert!(errors.has_errors(), "what fails says why");
    assert!(!render_all(errors, sources, Color::Never).is_empty());
}

#[cfg(test)]
mod tests {
    #[test]
    fn tablegen_survives_what_is_not_tablegen() {
        let deep = "def A { int x = !add(".repeat(2000);
        let hostile: [&[u8]; 6] = [
            b"",
            b"\xff\xfe",
            b"class A<int x> : A<x>;",
            b"def A : ",
            b"include \"fuzz.td\"",
            deep.as_bytes(),
        ];
        hostile.into_iter().for_each(super::tablegen);
    }
}
