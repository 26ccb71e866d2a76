//! `drrvm gen-rewriters` in place of `mlir-tblgen -gen-rewriters`, in code of MLIR.
#![cfg(mlir)]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Ran, compile, feed, file_check, folder, mlir, plugin, sources, tool};
use drrvm::Natives;

/// Generates C++ for rules.
fn generate(rules: &Path, includes: &[&Path], output: &Path) {
    let mut args: Vec<std::ffi::OsString> = vec!["drrvm".into(), "gen-rewriters".into(), rules.into()];
    for include in includes {
        args.extend(["-I".into(), (*include).into()]);
    }
    args.extend(["-o".into(), output.into()]);
    let status = drrvm::cli::run(args, drrvm::natives::all().with(Natives::new()));
    assert_eq!(format!("{status:?}"), format!("{:?}", std::process::ExitCode::SUCCESS));
}

/// The flags that link a program with MLIR and with this package.
fn link_flags() -> Vec<String> {
    let libraries = mlir().join("lib");
    let own = plugin().parent().unwrap().to_owned();
    let mut flags = Vec::new();
    for folder in [&libraries, &own] {
        flags.push(format!("-L{}", folder.display()));
        flags.push(format!("-Wl,-rpath,{}", folder.display()));
    }
    flags.extend(["-ldrrvm_mlir", "-lMLIR", "-lLLVM-22"].map(str::to_owned));
    flags
}

/// The rules of `arith` with the helpers of `ArithOps.cpp`, in a pass of a plugin.
#[test]
fn rules_of_arith_call_the_helpers_of_mlir() {
    let (Some(root), Some(opt)) = (sources(), tool("mlir-opt")) else { return };
    let folder = folder("drop_in_arith");
    let rules = root.join("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td");
    generate(&rules, &[&root.join("mlir/include")], &folder.join("ArithCanonicalization.inc"));
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for rules in ["numbers", "helpers"] {
        let (rules, output) = (format!("{rules}.td"), format!("{rules}.inc"));
        generate(&own.join(rules), &[&root.join("mlir/include")], &folder.join(output));
    }
    let text = std::fs::read_to_string(root.join("mlir/lib/Dialect/Arith/IR/ArithOps.cpp")).unwrap();
    let end = text.find("// Common helpers").expect("the helpers come first");
    let end = text[..end].rfind("//===").unwrap();
    let pass = include_str!("drop_in/arith_pass.cpp");
    let source = folder.join("arith.cpp");
    std::fs::write(&source, format!("{}\n{pass}", &text[..end])).unwrap();
    let output = folder.join("arith.so");
    let includes = format!("-I{}", folder.display());
    let links = link_flags();
    let links: Vec<&str> = links.iter().map(String::as_str).take(5).collect();
    compile(&[&source], &output, &[&["-shared", &*includes], &links[..]].concat());

    let test = root.join("mlir/test/Dialect/Arith/canonicalize.mlir");
    let text = std::fs::read_to_string(&test).unwrap();
    let run_on = |pass: &str, flags: &[&str], text: &str| -> Ran {
        let mut command = Command::new(&opt);
        command.arg(format!("--load-pass-plugin={}", plugin().display()));
        command.arg(format!("--load-pass-plugin={}", output.display()));
        command.arg(format!("--pass-pipeline=builtin.module({pass})")).args(flags);
        feed(&mut command, text).into()
    };
    let run = |pass: &str| run_on(pass, &["--split-input-file"], &text);
    // The canonicalizer of the dialect has these rules, and others in C++. Without any rules, at least 73 more
    // functions differ from its result than with the generated rules.
    for pass in ["drop-in-arith", "drop-in-arith{single=true}"] {
        let (ours, all) = (run(pass), run("canonicalize"));
        assert!(ours.succeeded && all.succeeded, "{}", ours.errors);
        let checked = file_check(&test, &all.output).expect("FileCheck is installed");
        assert!(checked.succeeded, "{}", checked.errors);
        let differences = different_functions(&ours.output, &all.output);
        println!("{pass}: {} functions differ from canonicalize: {differences:?}", differences.len());
        let rules_only = run("canonicalize{enable-patterns=nonexistent}");
        let without = different_functions(&rules_only.output, &all.output);
        println!("without rules, {} functions differ", without.len());
        assert!(without.len() >= differences.len() + 73, "{} {}", without.len(), differences.len());
    }

    // The helpers of `numbers.td` take and return integers and floats of fixed widths. Some helpers of `helpers.td` are
    // overloaded, take a context or a builder, or are templates.
    for rules in ["numbers", "helpers"] {
        let input = own.join(format!("{rules}.mlir"));
        let text = std::fs::read_to_string(&input).unwrap();
        let ran = run_on(&format!("drop-in-arith{{{rules}=true}}"), &[], &text);
        assert!(ran.succeeded, "{}", ran.errors);
        let checked = file_check(&input, &ran.output).expect("FileCheck is installed");
        assert!(checked.succeeded, "{}\n{}", checked.errors, ran.output);
    }
}

/// `ArithOps.cpp` with generated rules in place of MLIR's, in a small `mlir-opt`. The dialect takes a minute to build,
/// so the test runs only with `DRRVM_FULL=1`.
#[test]
fn a_dialect_arith_with_generated_rules_passes_mlirs_test() {
    if std::env::var_os("DRRVM_FULL").is_none() {
        println!("skipped: DRRVM_FULL is not set");
        return;
    }
    let (Some(root), Some(tblgen)) = (sources(), tool("mlir-tblgen")) else { return };
    let folder = folder("small_opt");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drop_in");
    for (generator, output) in [
        ("-gen-dialect-decls", "TestDialect.h.inc"),
        ("-gen-dialect-defs", "TestDialect.cpp.inc"),
        ("-gen-op-decls", "TestConstant.h.inc"),
        ("-gen-op-defs", "TestConstant.cpp.inc"),
    ] {
        let mut command = Command::new(&tblgen);
        command.arg(generator).arg(own.join("TestConstant.td")).arg("-o").arg(folder.join(output));
        assert!(command.arg("-I").arg(root.join("mlir/include")).status().unwrap().success());
    }
    let arith = root.join("mlir/lib/Dialect/Arith/IR");
    let rules = arith.join("ArithCanonicalization.td");
    generate(&rules, &[&root.join("mlir/include")], &folder.join("ArithCanonicalization.inc"));
    let files = [own.join("small_opt.cpp"), arith.join("ArithOps.cpp"), arith.join("ArithDialect.cpp")];
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let program = folder.join("small-opt");
    let (includes, links) = (format!("-I{}", folder.display()), link_flags());
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    // MLIR's library uses the functions of the program only if the program exports them.
    compile(&files, &program, &[&["-O0", "-rdynamic", &*includes], &links[..]].concat());

    let test = root.join("mlir/test/Dialect/Arith/canonicalize.mlir");
    let text = std::fs::read_to_string(&test).unwrap();
    let check = |options: &str| {
        let mut command = Command::new(&program);
        command.args([&format!("-canonicalize={options}"), "--split-input-file"]);
        let ran: Ran = feed(&mut command, &text).into();
        assert!(ran.succeeded, "{}", ran.errors);
        file_check(&test, &ran.output).expect("FileCheck is installed")
    };
    let checked = check("test-convergence");
    assert!(checked.succeeded, "{}", checked.errors);
    // Generated patterns have the name of their file as a label.
    let without = check("test-convergence disable-patterns=ArithCanonicalization");
    assert!(!without.succeeded, "the program uses other rules");
}

/// A pass of the Test dialect with generated rules, in a plugin. `mlir-opt` contains the dialect itself. The plugin
/// takes a minute to build, so the test runs only with `DRRVM_FULL=1`.
#[test]
fn the_test_dialect_with_generated_rules_passes_mlirs_test() {
    if std::env::var_os("DRRVM_FULL").is_none() {
        println!("skipped: DRRVM_FULL is not set");
        return;
    }
    let (Some(root), Some(tblgen), Some(opt)) = (sources(), tool("mlir-tblgen"), tool("mlir-opt")) else {
        return;
    };
    let folder = folder("test_dialect");
    let own = root.join("mlir/test/lib/Dialect/Test");
    let includes = [root.join("mlir/include"), own.clone()];
    for (output, input, generator, option) in [
        ("TestAttrInterfaces.h.inc", "TestInterfaces.td", "-gen-attr-interface-decls", None),
        ("TestTypeInterfaces.h.inc", "TestInterfaces.td", "-gen-type-interface-decls", None),
        ("TestOpInterfaces.h.inc", "TestInterfaces.td", "-gen-op-interface-decls", None),
        ("TestAttrDefs.h.inc", "TestOps.td", "-gen-attrdef-decls", Some("-attrdefs-dialect=test")),
        ("TestTypeDefs.h.inc", "TestTypeDefs.td", "-gen-typedef-decls", Some("-typedefs-dialect=test")),
        ("TestOpEnums.h.inc", "TestEnumDefs.td", "-gen-enum-decls", None),
        ("TestOpsDialect.h.inc", "TestOps.td", "-gen-dialect-decls", Some("-dialect=test")),
        ("TestOpsSyntax.h.inc", "TestOpsSyntax.td", "-gen-op-decls", None),
        ("TestOps.h.inc", "TestOps.td", "-gen-op-decls", None),
    ] {
        let mut command = Command::new(&tblgen);
        command.arg(generator).args(option).arg(own.join(input)).arg("-o").arg(folder.join(output));
        includes.iter().for_each(|include| {
            command.arg("-I").arg(include);
        });
        assert!(command.status().unwrap().success());
    }
    let dirs: Vec<&Path> = includes.iter().map(PathBuf::as_path).collect();
    generate(&own.join("TestOps.td"), &dirs, &folder.join("TestPatterns.inc"));
    // The pass is renamed, because `mlir-opt` already has a pass with the original name.
    let text = std::fs::read_to_string(own.join("TestPatterns.cpp")).unwrap();
    let renamed = text.replace("\"test-greedy-patterns\"", "\"test-drop-in-patterns\"");
    assert_ne!(text, renamed);
    let entry = include_str!("drop_in/test_dialect.cpp");
    let source = folder.join("patterns.cpp");
    std::fs::write(&source, format!("{renamed}\n{entry}")).unwrap();
    let output = folder.join("patterns.so");
    let (a, b) = (format!("-I{}", folder.display()), format!("-I{}", own.display()));
    let links = link_flags();
    let links: Vec<&str> = links.iter().map(String::as_str).take(5).collect();
    compile(&[&source], &output, &[&["-O0", "-shared", &*a, &*b], &links[..]].concat());

    let test = root.join("mlir/test/mlir-tblgen/pattern.mlir");
    let mut command = Command::new(&opt);
    command.arg(format!("--load-pass-plugin={}", plugin().display()));
    command.arg(format!("--load-pass-plugin={}", output.display()));
    command.arg("--pass-pipeline=builtin.module(test-drop-in-patterns)").arg(&test);
    command.args(["-mlir-print-debuginfo", "-mlir-print-local-scope"]);
    let ran: Ran = feed(&mut command, "").into();
    assert!(ran.succeeded, "{}", ran.errors);
    let checked = file_check(&test, &ran.output).expect("FileCheck is installed");
    assert!(checked.succeeded, "{}", checked.errors);
}

/// The names of the functions that differ in two texts.
fn different_functions(a: &str, b: &str) -> Vec<String> {
    let functions =
        |text: &str| -> Vec<String> { text.split("func.func @").skip(1).map(str::to_owned).collect() };
    let (a, b) = (functions(a), functions(b));
    assert_eq!(a.len(), b.len());
    let differs = a.iter().zip(&b).filter(|(a, b)| a != b);
    differs.map(|(a, _)| a.split('(').next().unwrap_or_default().to_owned()).collect()
}

/// Builds the compiler of a chapter of MLIR's tutorial with generated rules, and runs the tests of the chapter.
fn toy(chapter: u32) {
    let (Some(root), Some(tblgen)) = (sources(), tool("mlir-tblgen")) else { return };
    let own = root.join(format!("mlir/examples/toy/Ch{chapter}"));
    let folder = folder(&format!("toy{chapter}"));
    let includes = [root.join("mlir/include"), own.join("include"), own.join("mlir")];
    std::fs::create_dir_all(folder.join("toy")).unwrap();
    let mut headers = vec![
        ("toy/Ops.h.inc", "Ops.td", "-gen-op-decls"),
        ("toy/Ops.cpp.inc", "Ops.td", "-gen-op-defs"),
        ("toy/Dialect.h.inc", "Ops.td", "-gen-dialect-decls"),
        ("toy/Dialect.cpp.inc", "Ops.td", "-gen-dialect-defs"),
    ];
    if chapter >= 4 {
        headers.push((
            "toy/ShapeInferenceOpInterfaces.h.inc",
            "ShapeInferenceInterface.td",
            "-gen-op-interface-decls",
        ));
        headers.push((
            "toy/ShapeInferenceOpInterfaces.cpp.inc",
            "ShapeInferenceInterface.td",
            "-gen-op-interface-defs",
        ));
    }
    for (output, input, generator) in headers {
        let mut command = Command::new(&tblgen);
        command.arg(generator).arg(own.join("include/toy").join(input)).arg("-o").arg(folder.join(output));
        includes.iter().for_each(|include| {
            command.arg("-I").arg(include);
        });
        assert!(command.status().unwrap().success());
    }
    let dirs: Vec<&Path> = includes.iter().map(PathBuf::as_path).collect();
    generate(&own.join("mlir/ToyCombine.td"), &dirs, &folder.join("ToyCombine.inc"));

    let mut sources: Vec<PathBuf> = ["toyc.cpp", "parser/AST.cpp"].map(|name| own.join(name)).into();
    for entry in std::fs::read_dir(own.join("mlir")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "cpp") {
            sources.push(path);
        }
    }
    let sources: Vec<&Path> = sources.iter().map(PathBuf::as_path).collect();
    let program = folder.join("toyc");
    let (a, b, c) = (
        format!("-I{}", folder.display()),
        format!("-I{}", own.join("include").display()),
        format!("-I{}", folder.join("toy").display()),
    );
    let links = link_flags();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    compile(&sources, &program, &[&["-O0", &*a, &*b, &*c], &links[..]].concat());

    let mut passed = 0;
    for entry in std::fs::read_dir(root.join(format!("mlir/test/Examples/Toy/Ch{chapter}"))).unwrap() {
        let test = entry.unwrap().path();
        let text = std::fs::read_to_string(&test).unwrap();
        let runs = text.lines().filter_map(|line| line.split_once("RUN: ")).map(|(_, run)| run);
        for run in runs.filter(|run| run.contains("FileCheck") && !run.starts_with("not")) {
            let command = run.split('|').next().unwrap();
            let args = command.split_whitespace().skip(1);
            let args: Vec<String> = args
                .filter(|arg| *arg != "2>&1")
                .map(|arg| arg.replace("%s", &test.display().to_string()))
                .collect();
            let ran: Ran = feed(Command::new(&program).args(&args), "").into();
            let output =
                if run.contains("2>&1") { format!("{}{}", ran.output, ran.errors) } else { ran.output };
            let checked = file_check(&test, &output).expect("FileCheck is installed");
            assert!(checked.succeeded, "{}: {}\n{}", test.display(), checked.errors, output);
            passed += 1;
        }
    }
    println!("chapter {chapter}: {passed} runs pass");
    assert!(passed >= 5, "{passed}");
}

#[test]
fn chapter_3_of_the_toy_tutorial_passes_its_tests() {
    toy(3);
}

/// The chapters take a minute each, so they run only with `DRRVM_FULL=1`.
#[test]
fn chapters_4_and_5_of_the_toy_tutorial_pass_their_tests() {
    if std::env::var_os("DRRVM_FULL").is_none() {
        println!("skipped: DRRVM_FULL is not set");
        return;
    }
    toy(4);
    toy(5);
}
