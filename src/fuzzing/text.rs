//! The fuzz targets that read text. No bytes cause a panic.

use std::sync::{Arc, OnceLock};

use super::{mutated, read, show};
use crate::frontend::dialects::DialectFiles;
use crate::frontend::{pdl_text, tablegen as td};
use crate::ir;
use crate::ir::dialect::DialectSource;
use crate::pdl::{self, RuleSet};
use crate::source::{Color, SourceMap, render_all};

/// Reads bytes as a TableGen file. Either the records print, or the errors render.
pub fn tablegen(bytes: &[u8]) {
    read("fuzz.td", bytes, |sources, main| {
        let parsed = td::parse(sources, main, &td::Config::default())?;
        parsed.records.write_records(&mut std::io::sink()).expect("writing to a sink does not fail");
        Ok(())
    });
}

/// The words from which [`tablegen_tokens`] builds its texts, so that a text passes the lexer and tests the parser.
const TABLEGEN_WORDS: &[&str] = &[
    "class",
    "def",
    "defm",
    "multiclass",
    "foreach",
    "in",
    "let",
    "if",
    "then",
    "else",
    "defvar",
    "defset",
    "deftype",
    "assert",
    "dump",
    "field",
    "int",
    "bit",
    "bits",
    "bits<4>",
    "list",
    "list<int>",
    "string",
    "dag",
    "code",
    "true",
    "?",
    "NAME",
    "A",
    "B",
    "M",
    "x",
    "y",
    "1",
    "0",
    "-1",
    "0b101",
    "7",
    "\"s\"",
    "[{c}]",
    "$v",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ":",
    ";",
    ",",
    ".",
    "...",
    "=",
    "#",
    "!add(",
    "!if(",
    "!foldl(",
    "!foreach(",
    "!filter(",
    "!cast<A>(",
    "!head(",
    "!con(",
    "!cond(",
    "!isa<A>(",
    "!exists<A>(",
    "!instances<A>(",
    "!range(",
    "!listconcat(",
    "!strconcat(",
    "!getdagarg<A>(",
    "!setdagarg(",
    "!subst(",
    "!substr(",
    "!eq(",
    "!match(",
    "\n#ifdef A\n",
    "\n#else\n",
    "\n#endif\n",
    "{ int x = 1; }",
    ": A<1>",
    "class A<int x> { int y = x; }",
    "multiclass M<int x> { def a : A<x>; }",
    "def x : A<2>;",
    "(x 1:$v)",
];

/// Reads a text that has a word of TableGen for each byte, with the checks of [`tablegen`].
pub fn tablegen_tokens(bytes: &[u8]) {
    let words = bytes.iter().map(|&byte| TABLEGEN_WORDS[usize::from(byte) % TABLEGEN_WORDS.len()]);
    tablegen(words.collect::<Vec<_>>().join(" ").as_bytes());
}

/// Reads bytes as MLIR. If the text is no module, the errors must render. If it is a module, its generic form must read
/// back, and printing must reach a fixed point. The verifier must accept the module or report errors that render. If
/// the verifier accepts the module, its custom form must read back in the same way.
pub fn mlir(bytes: &[u8]) {
    let mut sources = SourceMap::default();
    let Ok(file) = sources.add_bytes("fuzz.mlir", bytes.to_vec()) else { return };
    let mut context = ir::Context::new();
    let module = match ir::parse_module(&mut context, sources.file(file)) {
        Ok(module) => module,
        Err(errors) => return show(&errors, &sources),
    };
    let errors = ir::verify(&context, &module);
    let generic = ir::PrintOptions::new().generic(true);
    settles(&mut sources, &module.print(&context, generic), generic);
    settles(&mut sources, &module.print(&context, generic.debug_info(true)), generic.debug_info(true));
    settles(&mut sources, &module.print(&context, generic.local_scope(true)), generic.local_scope(true));
    if errors.has_errors() {
        show(&errors, &sources);
    } else {
        // The custom form omits parts of an invalid operation.
        let short = ir::PrintOptions::new();
        settles(&mut sources, &module.print(&context, short), short);
    }
}

/// Checks that printed text reads back, and that printing reaches a fixed point after the text was read once. The first
/// reading may renumber aliases.
fn settles(sources: &mut SourceMap, printed: &str, options: ir::PrintOptions) {
    settles_with(sources, printed, options, None);
}

fn settles_with(
    sources: &mut SourceMap,
    printed: &str,
    options: ir::PrintOptions,
    definitions: Option<Arc<dyn DialectSource>>,
) {
    let mut print = |text: &str| {
        let file = sources.add("again.mlir", text).expect("the text is not much longer than the input");
        let mut context = ir::Context::new();
        if let Some(definitions) = &definitions {
            context.set_dialects(definitions.clone());
        }
        let module = ir::parse_module(&mut context, sources.file(file));
        module
            .unwrap_or_else(|errors| {
                panic!(
                    "printed text does not read back:\n{}\n{text}",
                    render_all(&errors, sources, Color::Never)
                )
            })
            .print(&context, options)
    };
    let text = print(printed);
    assert_eq!(print(&text), text, "printing settles");
}

/// Reads a real MLIR file with changes that keep most of its structure.
pub fn mlir_mutated(bytes: &[u8]) {
    mlir(mutated::text(bytes).as_bytes());
}

/// Definitions of dialects: those of MLIR if its sources are installed, and the embedded ones.
fn definitions() -> Arc<dyn DialectSource> {
    static SOURCE: OnceLock<Arc<dyn DialectSource>> = OnceLock::new();
    let made = || {
        let include =
            mutated::llvm().map(|llvm| llvm.join("mlir/include")).filter(|include| include.is_dir());
        include.into_iter().fold(DialectFiles::new(), DialectFiles::path).shared()
    };
    SOURCE.get_or_init(made).clone()
}

/// Reads bytes as MLIR in custom form, with the definitions of its dialects. If the text is no module, the errors must
/// render. If it is a module, its generic form must read back, and its custom form must print.
pub fn mlir_custom(bytes: &[u8]) {
    let mut sources = SourceMap::default();
    let Ok(file) = sources.add_bytes("fuzz.mlir", bytes.to_vec()) else { return };
    let mut context = ir::Context::new();
    context.set_dialects(definitions());
    let module = match ir::parse_module(&mut context, sources.file(file)) {
        Ok(module) => module,
        Err(errors) => return show(&errors, &sources),
    };
    let generic = ir::PrintOptions::new().generic(true);
    settles_with(&mut sources, &module.print(&context, generic), generic, Some(definitions()));
    // The printed text of an invalid operation may not read back, but reading ends.
    let custom = module.print(&context, ir::PrintOptions::new());
    let file = sources.add("custom.mlir", custom).expect("the text is not much longer than the input");
    if let Err(errors) = ir::parse_module(&mut context, sources.file(file)) {
        show(&errors, &sources);
    }
}

/// Reads bytes as rules in `pdl` text. Either the rules print, or the errors render.
pub fn pdl(bytes: &[u8]) {
    read("fuzz.mlir", bytes, |sources, file| {
        let mut rules = RuleSet::default();
        pdl_text::parse(sources, file, &mut rules)?;
        assert!(!pdl::print(&rules).is_empty());
        Ok(())
    });
}
