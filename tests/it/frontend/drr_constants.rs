//! DRR rules have the same constants as equal rules in `pdl`, so their tree asks no more questions.

use crate::common::workload::definition::{self, Pdl};
use crate::common::{files_below, llvm_sources};

use drrvm::compile;
use drrvm::internal::frontend::pdl_text;
use drrvm::internal::matcher_tree;
use drrvm::pdl::{OpTable, RuleSet, print};
use drrvm::source::{Color, SourceMap, render_all};

/// The number of questions in the tree that is built with the default configuration.
fn questions(rules: &RuleSet) -> usize {
    let verified = rules.verify().unwrap_or_else(|_| panic!("the rules are valid"));
    matcher_tree::build(verified, &matcher_tree::Config::new()).unwrap().stats().switches
}

fn from_pdl(text: &str, ops: OpTable) -> RuleSet {
    let mut sources = SourceMap::default();
    let file = sources.add("rules.mlir", text).unwrap();
    let mut rules = RuleSet::default();
    *rules.ops_mut() = ops;
    if let Err(errors) = pdl_text::parse(&sources, file, &mut rules) {
        panic!("{}\n{text}", render_all(&errors, &sources, Color::Never));
    }
    rules
}

fn from_td(text: &str) -> RuleSet {
    let mut sources = SourceMap::default();
    let file = sources.add("rules.td", text).unwrap();
    let (rules, loaded) = compile::load_added(&mut sources, &[file], &compile::Options::default());
    assert!(!loaded.diagnostics.has_errors(), "{}", render_all(&loaded.diagnostics, &sources, Color::Never));
    rules
}

const OPS: &str = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/PatternBase.td"
def T : Dialect { let name = "t"; let cppNamespace = "t"; }
def Kind : I32EnumAttr<"Kind", "", [I32EnumAttrCase<"One", 1>, I32EnumAttrCase<"Two", 2>]>;
def A : Op<T, "a"> { let arguments = (ins ATTR:$k, AnyType:$x); let results = (outs AnyType:$r); }
"#;

/// Rules that replace `t.a` by its operand, one for each of the constants.
fn differing(attr: &str, constants: [&str; 3]) -> RuleSet {
    let rules = constants
        .iter()
        .enumerate()
        .map(|(i, constant)| format!("def R{i} : Pat<(A {constant}, $x), (replaceWithValue $x)>;\n"));
    from_td(&format!("{}{}", OPS.replace("ATTR", attr), rules.collect::<String>()))
}

#[test]
fn constants_of_drr_are_cases_of_one_question() {
    for (attr, constants, texts) in [
        (
            "I32Attr",
            [
                r#"ConstantAttr<I32Attr, "7">"#,
                r#"ConstantAttr<I32Attr, "-9">"#,
                r#"ConstantAttr<I32Attr, "10">"#,
            ],
            ["7 : i32", "-9 : i32", "10 : i32"],
        ),
        (
            "BoolAttr",
            [r#"ConstBoolAttrTrue"#, r#"ConstBoolAttrFalse"#, r#"ConstantAttr<BoolAttr, "true">"#],
            ["true", "false", "true"],
        ),
        (
            "F32Attr",
            [
                r#"ConstantAttr<F32Attr, "1.0">"#,
                r#"ConstantAttr<F32Attr, "0.25">"#,
                r#"ConstantAttr<F32Attr, "-2.0">"#,
            ],
            ["1.000000e+00 : f32", "2.500000e-01 : f32", "-2.000000e+00 : f32"],
        ),
        (
            "StrAttr",
            [
                r#"ConstantStrAttr<StrAttr, "a">"#,
                r#"ConstantStrAttr<StrAttr, "b c">"#,
                r#"ConstantStrAttr<StrAttr, "">"#,
            ],
            ["\"a\"", "\"b c\"", "\"\""],
        ),
        (
            "Kind",
            [
                r#"ConstantEnumCase<Kind, "One">"#,
                r#"ConstantEnumCase<Kind, "Two">"#,
                r#"ConstantEnumCase<Kind, "One">"#,
            ],
            ["1 : i32", "2 : i32", "1 : i32"],
        ),
    ] {
        let rules = differing(attr, constants);
        let pdl: String = texts
            .iter()
            .enumerate()
            .map(|(i, text)| {
                format!(
                    "pdl.pattern @R{i} : benefit(1) {{\n%k = attribute = {text}\n%x = operand\n%t = type\n\
                     %r = operation \"t.a\"(%x : !pdl.value) {{\"k\" = %k}} -> (%t : !pdl.type)\n\
                     rewrite %r {{ replace %r with (%x : !pdl.value) }}\n}}\n"
                )
            })
            .collect();
        let by_hand = from_pdl(&pdl, OpTable::default());
        assert!(questions(&rules) <= questions(&by_hand), "{attr}\n{}\n{pdl}", print(&rules));
        for text in texts {
            assert!(print(&rules).contains(&format!("= {text}\n")), "{text}\n{}", print(&rules));
        }
    }
}

/// A constant that a native builds stays an expression, because it is computed when a program is linked.
#[test]
fn constants_that_natives_build_stay_expressions() {
    let attr = r#"Attr<CPred<"true">, "any"> { let constBuilderCall = "makeIt($_builder, $0)"; }"#;
    let text = format!(
        "{}def Made : {attr}\ndef R : Pat<(A ConstantAttr<Made, \"1\">, $x), (replaceWithValue $x)>;\n",
        OPS.replace("ATTR:$k", "Made:$k")
            .replace("def A :", &format!("def Made0 : {attr}\ndef A :"))
            .replace("Made:$k", "Made0:$k"),
    );
    let rules = from_td(&text);
    assert!(print(&rules).contains("makeIt"), "{}", print(&rules));
}

/// A DRR rule names all attributes of an operation and thereby requires them to be present. The rules of the benchmark
/// ask no more questions in DRR than in `pdl` text that requires the same attributes.
#[test]
fn benchmark_rules_ask_no_more_questions_than_in_pdl() {
    let count = if std::env::var_os("DRRVM_FULL").is_some() { definition::RULES } else { 1000 };
    let rules = definition::matched(count, 0);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.td"), definition::ods()).unwrap();
    let options =
        compile::Options { include_dirs: vec![folder.path().to_owned()], ..compile::Options::default() };
    let mut sources = SourceMap::default();
    let file = sources.add("rules.td", definition::drr(&rules, 0)).unwrap();
    let (from_td, loaded) = compile::load_added(&mut sources, &[file], &options);
    assert!(!loaded.diagnostics.has_errors(), "{}", render_all(&loaded.diagnostics, &sources, Color::Never));
    let from_pdl = from_pdl(&definition::pdl(&rules, Pdl::AttributesPresent), OpTable::default());
    let (td, pdl) = (questions(&from_td), questions(&from_pdl));
    assert!(td <= pdl, "{td} questions from .td, {pdl} from pdl");
}

/// A Python script defined the workload of the benchmark originally. The script and the Rust code must write the same
/// files. The script is not in the repository; without it, the test is skipped.
#[test]
fn the_original_script_writes_the_same_workload() {
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/bench/workload.py");
    if !script.exists() {
        println!("skipped: {} does not exist", script.display());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for seed in [0u64, 0x5eed77] {
        let program = format!(
            "import os, workload as w\nos.chdir({:?})\nfor tag, start, rw in (('m', 0xBEEF, 0), ('r', 0xCAFE, 1)):\n \
             pats = w.gen_patterns(600, start ^ {seed}, rw)\n w.w_txt(pats, tag + '.txt')\n \
             w.w_pdl(pats, tag + '.mlir')\n w.w_pdl(pats, tag + 'n.mlir', native=True)\n \
             w.w_drr(pats, tag + '.td', 500, 600)\nw.w_ods('t.td')\nw.gen_ir('ir.mlir', 3000, 0x1234 ^ {seed})",
            folder.path()
        );
        let mut python = std::process::Command::new("python3");
        python.env("PYTHONPATH", script.parent().unwrap()).env("PYTHONDONTWRITEBYTECODE", "1");
        assert!(python.args(["-c", &program]).status().is_ok_and(|status| status.success()), "{program}");
        let same = |name: &str, text: String| {
            assert!(std::fs::read_to_string(path(name)).unwrap() == text, "{name} of seed {seed}");
        };
        for (tag, rules) in [('m', definition::matched(600, seed)), ('r', definition::rewritten(600, seed))] {
            same(&format!("{tag}.txt"), definition::compact(&rules));
            same(&format!("{tag}.mlir"), definition::pdl(&rules, Pdl::Plain));
            same(&format!("{tag}n.mlir"), definition::pdl(&rules, Pdl::WithNative));
            same(&format!("{tag}.td"), definition::drr(&rules[500..], 500));
        }
        same("t.td", definition::ods());
        let mut ir = Vec::new();
        definition::ir(3000, seed, &mut ir).unwrap();
        same("ir.mlir", String::from_utf8(ir).unwrap());
    }
}

/// MLIR's own rules ask no more questions than the same rules printed as `pdl` text and read again.
#[test]
fn rules_of_mlir_ask_no_more_questions_than_in_pdl() {
    let Some(llvm) = llvm_sources() else {
        println!("skipped: MLIR's sources are not installed");
        return;
    };
    let mut files = files_below(&llvm.join("mlir/lib"), "td");
    files.retain(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains(": Pat<")));
    let mut compared = 0;
    for file in files {
        let include_dirs = vec![llvm.join("mlir/include"), llvm.join("mlir/test/lib/Dialect/Test")];
        let options = compile::Options { include_dirs, skip_rejected: true, ..Default::default() };
        let (rules, loaded) = compile::load(&mut SourceMap::default(), std::slice::from_ref(&file), &options);
        if loaded.diagnostics.has_errors() || rules.patterns().is_empty() {
            continue;
        }
        let mut printed = RuleSet::default();
        let mut sources = SourceMap::default();
        let text = sources.add("rules.mlir", print(&rules)).unwrap();
        if pdl_text::parse(&sources, text, &mut printed).is_err() {
            continue;
        }
        assert!(questions(&rules) <= questions(&printed), "{}", file.display());
        compared += rules.patterns().len();
    }
    assert!(compared > 20, "{compared} rules were compared");
}
