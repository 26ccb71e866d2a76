//! What the fuzz targets call: any bytes in, no panic, and a few properties that always hold.

use std::sync::{Arc, OnceLock};

use crate::bytecode::{self, Program};
use crate::compile;
use crate::frontend::{drr, ods, pdl_text, prelude, tablegen};
use crate::host::NoListener;
use crate::ir::{self, IrHost};
use crate::natives;
use crate::pdl::{self, RuleSet};
use crate::rewrite;
use crate::source::{Color, Diagnostics, FileId, SourceMap, render_all};
use crate::vm::{LinkOptions, Matcher};

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

/// A program with most of what a program can have, and a module in which its rules match.
const RULES: &str = include_str!("../examples/arith/rules.td");
const MODULE: &str = include_str!("../examples/arith/input.mlir");

fn good_program() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let mut sources = SourceMap::default();
        let main = sources.add("rules.td", RULES).expect("an example is small");
        let config = tablegen::Config { embedded: prelude::FILES, ..tablegen::Config::default() };
        let parsed = tablegen::parse(&mut sources, main, &config).expect("an example is right");
        let mut rules = RuleSet::default();
        drr::lower(&ods::read(&parsed.records), &sources, &mut rules).expect("an example is right");
        compile::program(&rules).expect("an example compiles").to_bytes(&sources)
    })
}

/// Changes to a compiled program: three bytes say where (from the end of the header, modulo its size) and
/// what. It is refused, or it runs.
pub fn drrbc(bytes: &[u8]) {
    let mut file = good_program().to_vec();
    let (changes, _) = bytes.as_chunks::<3>();
    let size = file.len() - bytecode::HEADER;
    for &[high, low, new] in changes {
        file[bytecode::HEADER + usize::from(u16::from_le_bytes([low, high])) % size] = new;
    }
    bytecode::seal(&mut file);
    run_drrbc(&file);
}

/// Any bytes after the header of a compiled program, of which the first say how long the sections are.
pub fn drrbc_sections(bytes: &[u8]) {
    let mut file = good_program()[..bytecode::HEADER].to_vec();
    let sections = bytecode::Section::ALL.len();
    let (lengths, rest) = bytes.split_at(bytes.len().min(sections));
    let mut left = rest.len();
    for i in 0..sections {
        let length = lengths.get(i).map_or(0, |&length| usize::from(length));
        let length = if i + 1 == sections { left } else { length.min(left) };
        left -= length;
        let at = bytecode::HEADER - 8 * (sections - i);
        file[at..at + 8].copy_from_slice(&(length as u64).to_le_bytes());
    }
    file.extend_from_slice(rest);
    bytecode::seal(&mut file);
    run_drrbc(&file);
}

fn run_drrbc(file: &[u8]) {
    let mut sources = SourceMap::default();
    let program = match Program::from_bytes(file, &mut sources) {
        Ok(program) => program,
        Err(error) => return show(&error.diagnostic("fuzz.drrbc").into(), &sources),
    };
    assert!(!bytecode::disassemble(&program, &sources).is_empty());
    let again = program.to_bytes(&sources);
    Program::from_bytes(&again, &mut SourceMap::default()).expect("what is written is valid");

    let file = sources.add("input.mlir", MODULE).expect("an example is small");
    let mut context = ir::Context::new();
    let module = ir::parse_module(&mut context, sources.file(file)).expect("an example is right");
    let mut host = IrHost::new(context, module);
    let options = LinkOptions { allow_missing: true, ..LinkOptions::default() };
    let matcher = Matcher::link(Arc::new(program), &mut host, &natives::all(), &options);
    let matcher = matcher.expect("natives may be missing");
    let ops: Vec<ir::OpId> = host.module.preorder(host.module.top()).collect();
    let mut scratch = matcher.scratch();
    for &op in &ops {
        let mut matched = matcher.match_first(&host, op, &mut scratch);
        for _ in 0..16 {
            let Some(rule) = matched else { break };
            for node in matcher.program().patterns()[rule].bindings.ids() {
                let _ = matcher.binding(&host, &mut scratch, node);
            }
            matched = matcher.next_match(&host, &mut scratch);
        }
        let rules = matcher.program().patterns().ids();
        rules.for_each(|rule| drop(matcher.explain_with(&host, op, rule, &mut scratch)));
    }
    let config = rewrite::Config::default().max_rewrites(Some(100)).max_sweeps(2);
    let root = host.module.top();
    rewrite::apply_greedily(&mut host, root, &matcher, &config, &mut NoListener);
    let _ = ir::verify(&host.context, &host.module, |_, _| {});
}

/// Bytes as random rules: all engines do the same with IR that is made for them.
pub fn engines(bytes: &[u8]) {
    crate::equivalence::engines_agree(bytes, 0, 8);
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

    /// Changed programs and made-up ones. `DRRVM_ROUNDS` says how many are tried.
    #[test]
    fn a_changed_program_is_refused_or_runs() {
        use proptest::strategy::{Strategy, ValueTree};
        let rounds = std::env::var("DRRVM_ROUNDS").map_or(500, |rounds| rounds.parse().expect("a number"));
        let mut runner = proptest::test_runner::TestRunner::default();
        let changes = proptest::collection::vec(proptest::prelude::any::<u8>(), 3..10);
        let sections = proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200);
        for _ in 0..rounds {
            let changes = changes.new_tree(&mut runner).expect("bytes").current();
            let result = std::panic::catch_unwind(|| super::drrbc(&changes));
            assert!(result.is_ok(), "changes {changes:?}");
            super::drrbc_sections(&sections.new_tree(&mut runner).expect("bytes").current());
        }
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
