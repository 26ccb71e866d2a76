//! What the fuzz targets call: any bytes in, no panic, and a few properties that always hold.

use crate::frontend::{pdl_text, tablegen};
use crate::ir;
use crate::pdl::{self, RuleSet};
use crate::source::{Color, Diagnostics, FileId, SourceMap, render_all};

/// Any bytes as a TableGen file: records that print, or errors that can be shown.
pub fn tablegen(bytes: &[u8]) {
    read("fuzz.td", bytes, |sources, main| {
        let parsed = tablegen::parse(sources, main, &tablegen::Config::default())?;
        parsed.records.write_records(&mut std::io::sink()).expect("a sink takes everything");
        Ok(())
    });
}

/// Words of TableGen, so that bytes get past the lexer and mean something more often.
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
    "bits<4>",
    "list<int>",
    "string",
    "dag",
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

/// A word of TableGen for each byte.
pub fn tablegen_tokens(bytes: &[u8]) {
    let words = bytes.iter().map(|&byte| TABLEGEN_WORDS[usize::from(byte) % TABLEGEN_WORDS.len()]);
    tablegen(words.collect::<Vec<_>>().join(" ").as_bytes());
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

/// Any bytes as rules in `pdl` text: what is read prints, or there are errors that can be shown.
pub fn pdl(bytes: &[u8]) {
    read("fuzz.mlir", bytes, |sources, file| {
        let mut rules = RuleSet::default();
        pdl_text::parse(sources, file, &mut rules)?;
        assert!(!pdl::print(&rules).is_empty());
        Ok(())
    });
}

fn read(name: &str, bytes: &[u8], read: impl FnOnce(&mut SourceMap, FileId) -> Result<(), Diagnostics>) {
    let mut sources = SourceMap::default();
    let file = sources.add_bytes(name, bytes.to_vec()).map_err(Diagnostics::from);
    if let Err(errors) = file.and_then(|file| read(&mut sources, file)) {
        show(&errors, &sources);
    }
}

fn show(errors: &Diagnostics, sources: &SourceMap) {
    assert!(errors.has_errors(), "what fails says why");
    assert!(!render_all(errors, sources, Color::Never).is_empty());
}

#[cfg(test)]
mod tests {
    fn all(bytes: &[u8]) {
        super::tablegen(bytes);
        super::tablegen_tokens(bytes);
        super::mlir(bytes);
        super::pdl(bytes);
    }

    #[test]
    fn hostile_input_is_an_error_and_no_more() {
        for bytes in
            [b"" as &[u8], b"\xff\xfe", b"\0", b"\"", b"class A<int x> : A<x>;", b"include \"fuzz.td\""]
        {
            all(bytes);
        }
        for (start, nested) in [
            ("def A { int x = ", "!add("),
            ("defvar x = ", "[["),
            ("", "\"a\"() ({"),
            ("\"a\"() {x = ", "[["),
            ("\"a\"() : () -> ", "tuple<"),
            ("#a = ", "affine_map<(d0) -> ("),
            ("pdl.pattern @p : benefit(1) { %t = pdl.type : ", "tuple<"),
        ] {
            all(format!("{start}{}", nested.repeat(5000)).as_bytes());
        }
    }

    /// Every prefix of real input, and every input with one byte changed.
    #[test]
    fn damaged_input_is_an_error_or_still_input() {
        let mlir = "#a = affine_map<(d0)[s0] -> (d0 + s0)>\n%0:2 = \"t.a\"(%0#1) <{p = 1 : i8}> ({\n^b(%x: i32):\n  \"t.b\"(%x)[^b] {s = \"x\\0A\", m = #a} : (i32) -> ()\n}) : (f32) -> (tensor<4x?xf32>, f32) loc(\"f\":1:2)\n";
        let pdl = "pdl.pattern @p : benefit(2) {\n  %v = pdl.operand\n  %t = pdl.type : i32\n  %o = pdl.operation \"t.a\"(%v : !pdl.value) {\"n\" = %a} -> (%t : !pdl.type)\n  pdl.rewrite %o { pdl.replace %o with (%v : !pdl.value) }\n}\n";
        let td = "class A<int n, string s = \"x\"> { bits<4> b = {0, 1, ?, n{0}}; }\nmulticlass M { def _x : A<1>; }\nforeach i = [1, 2] in defm D#i : M;\nlet b{1-0} = 3 in def B : A<!add(1, 2), !if(true, \"a\", \"b\")>;\n";
        for text in [mlir, pdl, td] {
            for end in 0..text.len() {
                all(&text.as_bytes()[..end]);
                let mut bytes = text.as_bytes().to_vec();
                for new in [b'(', b'}', b'"', b'%', 0xff] {
                    bytes[end] = new;
                    all(&bytes);
                }
            }
        }
    }
}
