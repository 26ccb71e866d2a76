//! Runs MLIR's own suites of rules in `pdl` and PDLL.

use crate::common;
use crate::common::pdl_pass;

use std::path::{Path, PathBuf};

use drrvm::compile;
use drrvm::equivalence::{Config, IrGenerator};
use drrvm::host::{Bind, Ir, arg};
use drrvm::ir::{Context, IrHost, Module, PrintOptions};
use drrvm::pdl::print;

use pdl_pass::{Case, canonical, natives, ours, rewritten, rules, theirs};

const SPLIT: &str = "// -----\n";
const UNREGISTERED: &str = "--allow-unregistered-dialect";

/// Runs FileCheck on an output. `test` is the part of MLIR's test that states the expectations.
fn check(test: &str, output: &str) {
    let Some(tool) = common::llvm_tool("FileCheck") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.mlir");
    std::fs::write(&file, test).unwrap();
    let args = ["-enable-var-scope", "--allow-unused-prefixes=false", file.to_str().unwrap()];
    if let Err(error) = common::pipe_text(&tool, &args, output) {
        panic!("{error}\n{output}");
    }
}

/// Converts IR in any form to generic text.
fn generic(opt: &str, ir: &str) -> String {
    common::pipe_text(opt, &[UNREGISTERED, "--mlir-print-op-generic", "-"], ir).unwrap()
}

/// Prints the output of drrvm with `mlir-opt`, which also verifies it.
fn pretty(opt: &str, ir: &str) -> String {
    common::pipe_text(opt, &[UNREGISTERED, "-"], ir).unwrap()
}

#[test]
fn integration_test_of_rules_with_several_roots_passes() {
    let (Some(root), Some(opt)) = (common::llvm_sources(), common::llvm_tool("mlir-opt")) else { return };
    let test = root.join("mlir/test/Integration/Dialect/PDL/CPU/multiroot.mlir");
    let test = std::fs::read_to_string(test).unwrap();
    let mut cases = 0;
    for part in test.split(SPLIT).filter(|part| part.contains("module @ir")) {
        let (patterns, _) = part.split_once("// CHECK").unwrap();
        let ir = generic(&opt, &part[part.find("module @ir").unwrap()..]);
        let (result, rewrites) = rewritten(&rules(patterns), &ir, &natives(), |host| host.module.top());
        assert!(rewrites > 0);
        check(part, &pretty(&opt, &result));
        cases += 1;
    }
    assert_eq!(cases, 2);
}

/// Runs `mlir-pdll` on each part of a PDLL file. Returns the generated texts that contain `pdl` patterns.
fn pdll(file: &Path, include: &[PathBuf]) -> Vec<String> {
    let Some(tool) = common::llvm_tool("mlir-pdll") else { return Vec::new() };
    let include: Vec<String> = include.iter().map(|dir| format!("-I{}", dir.display())).collect();
    let text = std::fs::read_to_string(file).unwrap();
    let mut parts = Vec::new();
    for part in text.split("// -----") {
        let mut args = vec!["-x=mlir", "-"];
        args.extend(include.iter().map(String::as_str));
        parts.extend(common::pipe_text(&tool, &args, part).ok().filter(|text| text.contains("pdl.pattern")));
    }
    parts
}

#[test]
fn integration_test_of_pdll_passes() {
    let (Some(root), Some(opt), Some(_)) =
        (common::llvm_sources(), common::llvm_tool("mlir-opt"), common::llvm_tool("mlir-pdll"))
    else {
        return;
    };
    let dirs = [root.join("mlir/test/lib/Dialect/Test"), root.join("mlir/include")];
    let parts = pdll(&root.join("mlir/test/lib/Tools/PDLL/TestPDLL.pdll"), &dirs);
    let [patterns] = parts.as_slice() else {
        panic!("mlir-pdll generates patterns for one part of the file: {parts:?}")
    };
    let test = std::fs::read_to_string(root.join("mlir/test/mlir-pdll/Integration/test-pdll.mlir")).unwrap();
    let cast = natives().constraint("CastOpInterface", |host: &IrHost, arg::Op(op): arg::Op<IrHost>| {
        host.op_name_text(host.op_name(op)) == "builtin.unrealized_conversion_cast"
    });
    let ir = generic(&opt, &test);
    let (result, rewrites) = rewritten(&rules(patterns), &ir, &cast, |host| host.module.top());
    assert!(rewrites > 0);
    check(&test, &pretty(&opt, &result));
}

/// The output of `mlir-pdll` for every PDLL file of MLIR is read, compiled, printed and read again.
#[test]
fn all_pdll_files_are_read() {
    let Some(root) = common::llvm_sources() else { return };
    let files = common::files_below(&root.join("mlir"), "pdll");
    let (mut texts, mut patterns) = (0, 0);
    for file in &files {
        let own = file.parent().unwrap().to_owned();
        let include = [
            own.join("include"),
            own.join(".."),
            own,
            root.join("mlir/test/lib/Dialect/Test"),
            root.join("mlir/include"),
        ];
        for text in pdll(file, &include) {
            let read = rules(&text);
            compile::program(&read).unwrap_or_else(|errors| panic!("{}\n{text}", pdl_pass::first(&errors)));
            let printed = print(&read);
            assert_eq!(print(&rules(&printed)), printed);
            texts += 1;
            patterns += read.patterns().len();
        }
    }
    println!("{} files, {texts} parts with {patterns} patterns", files.len());
    if common::llvm_tool("mlir-pdll").is_some() {
        assert!(files.len() >= 25 && patterns >= 60, "{} files, {patterns} patterns", files.len());
    }
}

/// Returns the patterns of a text, each from its first to its last line.
fn patterns(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open = 0;
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        if open == 0 && line.trim_start().starts_with("pdl.pattern") {
            found.push(String::new());
        } else if open == 0 {
            continue;
        }
        let last = found.last_mut().unwrap();
        last.push_str(line);
        last.push('\n');
        open += line.matches('{').count();
        open -= line.matches('}').count();
    }
    found
}

/// Changes the parts of a pattern that MLIR's pass does not support. The call of the native `rewriter` becomes a
/// replacement of the root by a new operation `u.matched`, and constraints are dropped. Returns `None` if a constraint
/// has results.
fn for_the_pass(pattern: &str) -> Option<String> {
    let mut text = String::new();
    for line in pattern.lines() {
        if line.contains("apply_native_constraint") {
            if line.contains('=') && !line.contains("isNegated") {
                return None;
            }
        } else if let Some((head, args)) = line.split_once("with \"rewriter\"") {
            let name = |text: &str| {
                text.split(['%', ' ', ',', ')'])
                    .find(|word| !word.is_empty() && *word != "(")
                    .map(str::to_owned)
            };
            let root = head.split_once('%').and_then(|(_, rest)| name(rest));
            let target = root.or_else(|| name(args.trim_start_matches('('))).unwrap();
            // The operation needs a name, so that the pattern does not match its replacement again.
            let unnamed = format!("%{target} = operation");
            if !text.contains(&format!("{unnamed} \"")) {
                text = text.replace(&unnamed, &format!("{unnamed} \"test.op\""));
            }
            text.push_str(head);
            text.push_str(&format!(
                "{{\n      %matched = operation \"u.matched\"\n      replace %{target} with %matched\n"
            ));
            for other in args.split('%').skip(1).filter_map(name) {
                if other != target && args.contains("!pdl.operation") {
                    text.push_str(&format!(
                        "      %s{other} = apply_native_rewrite \"creator\"(%{other} : !pdl.operation) : !pdl.operation\n"
                    ));
                }
            }
            text.push_str("    }");
        } else {
            text.push_str(line);
        }
        text.push('\n');
    }
    Some(text)
}

/// Rules that only introduce names of operations for the generator.
const NAMES: &str = "
pdl.pattern : benefit(0) { %a = operation \"test.op\" rewrite %a { erase %a } }
pdl.pattern : benefit(0) { %a = operation \"test.success_op\" rewrite %a { erase %a } }";

/// All patterns in MLIR's tests of `pdl` lowering compile. The patterns that MLIR's pass can run must rewrite random
/// modules in the same way as in MLIR. The modules contain instances and near-misses.
#[test]
fn patterns_of_the_lowering_tests_rewrite_as_in_mlir() {
    let (Some(root), Some(opt)) = (common::llvm_sources(), common::llvm_tool("mlir-opt")) else { return };
    let (mut compiled, mut cases, mut fired) = (0, Vec::new(), 0);
    for file in ["pdl-to-pdl-interp-matcher", "pdl-to-pdl-interp-rewriter", "use-constraint-result"] {
        let text = root.join(format!("mlir/test/Conversion/PDLToPDLInterp/{file}.mlir"));
        for pattern in patterns(&std::fs::read_to_string(text).unwrap()) {
            let read = rules(&pattern);
            compile::program(&read)
                .unwrap_or_else(|errors| panic!("{}\n{pattern}", pdl_pass::first(&errors)));
            compiled += 1;
            // MLIR matches these constructs wrongly: a group after a group of variable size, and a type range that is
            // used twice. `tests/corpus` has cases for them.
            let unlike = ["!pdl.range<value>, !pdl.value", "!pdl.range<type>, !pdl.type", "%types, %types"];
            if !pattern.contains("\"rewriter\"") || unlike.iter().any(|text| pattern.contains(text)) {
                continue;
            }
            let Some(pattern) = for_the_pass(&pattern) else { continue };
            let rules = rules(&pattern);
            let mut context = Context::new();
            let module = Module::new(&mut context);
            let mut host = IrHost::new(context, module);
            host.bind_type("f32").unwrap();
            let names = pdl_pass::rules(NAMES);
            let config = Config::default().max_pieces(6);
            let generator = IrGenerator::new(&[&rules, &names], &mut host, &natives(), &config).unwrap();
            for case in 0..12 {
                generator.generate(case, &mut host);
                let ir = host.module.print(&host.context, PrintOptions::new().generic(true));
                if ir.contains("\"cf.") {
                    // MLIR's driver also simplifies control flow.
                    continue;
                }
                let inside =
                    ir.trim().trim_start_matches("\"builtin.module\"() ({").trim_end_matches("}) : () -> ()");
                cases.push(Case { patterns: pattern.clone(), ir: inside.to_owned() });
            }
        }
    }
    assert_eq!(compiled, 54);
    let found = theirs(&opt, 0, &cases);
    let mut compared = 0;
    for (i, text) in found {
        let (ours, rewrites) = ours(i, &cases[i]);
        assert_eq!(ours, canonical(&text), "{}\n{}", cases[i].patterns, cases[i].ir);
        compared += 1;
        fired += usize::from(rewrites > 0);
    }
    println!("{compared} of {} modules compared, {fired} with rewrites", cases.len());
    assert!(compared > 100 && fired > 40);
}
