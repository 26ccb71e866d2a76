//! Compares drrvm's TableGen with `llvm-tblgen-22`: the records of MLIR's headers and of LLVM's targets, LLVM's own
//! tests, and the printed text.
//!
//! If LLVM is not installed, tests that need it are skipped and print the reason. `DRRVM_SEED` selects a sample of the
//! headers; `DRRVM_FULL=1` selects all of them.

use crate::common;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use drrvm::internal::frontend::tablegen::{self, Config, Records, Value};
use drrvm::source::{Color, SourceMap, render_all};

const OURS: &str = env!("CARGO_BIN_EXE_drrvm");

/// Every tenth file, from a start that the seed selects; all files if `DRRVM_FULL` is set.
fn sample(files: Vec<PathBuf>) -> Vec<PathBuf> {
    if std::env::var_os("DRRVM_FULL").is_some() {
        return files;
    }
    let from = common::sample_start(10);
    files.into_iter().skip(from).step_by(10).collect()
}

/// Returns the records of an output without their places.
fn json(output: &Output) -> serde_json::Value {
    let mut json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the output is JSON");
    for record in json.as_object_mut().expect("the records are an object").values_mut() {
        if let Some(record) = record.as_object_mut() {
            record.remove("!locs");
        }
    }
    json
}

fn run(program: &[&str], args: &[&str]) -> Output {
    Command::new(program[0]).args(&program[1..]).args(args).output().expect("the tool runs")
}

#[test]
fn records_of_headers_equal_those_of_llvm_tblgen() {
    let (Some(root), Some(tool)) = (common::llvm_sources(), common::llvm_tool("llvm-tblgen")) else { return };
    let include = root.join("mlir/include");
    let files = sample(common::files_below(&include, "td"));
    assert!(!files.is_empty(), "no headers in {}", include.display());
    let mut accepted = 0;
    for file in &files {
        let (include, folder) = (include.to_str().unwrap(), file.parent().unwrap().to_str().unwrap());
        let args = ["--dump-json", "-I", include, "-I", folder, file.to_str().unwrap()];
        let theirs = run(&[&tool], &args);
        let ours = run(&[OURS, "tablegen"], &args);
        let stderr = String::from_utf8_lossy(&ours.stderr);
        assert_eq!(theirs.status.success(), ours.status.success(), "{}: {stderr}", file.display());
        if theirs.status.success() {
            accepted += 1;
            assert!(json(&theirs) == json(&ours), "{}: the records differ", file.display());
        }
    }
    println!("{accepted} of {} headers accepted by both, with the same records", files.len());
    assert!(accepted > 0);
}

/// Returns the first line in which two streams differ, counted from one.
fn first_difference(a: impl Read, b: impl Read) -> Option<u64> {
    let (mut a, mut b) = (BufReader::new(a), BufReader::new(b));
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for line in 1.. {
        ours.clear();
        theirs.clear();
        a.read_until(b'\n', &mut ours).expect("the pipe is read");
        b.read_until(b'\n', &mut theirs).expect("the pipe is read");
        if ours != theirs {
            return Some(line);
        }
        if ours.is_empty() {
            break;
        }
    }
    None
}

/// The output is gigabytes long, so both streams are compared line by line, and only in the full run.
#[test]
fn records_of_targets_equal_those_of_llvm_tblgen() {
    let (Some(root), Some(tool)) = (common::llvm_sources(), common::llvm_tool("llvm-tblgen")) else { return };
    if std::env::var_os("DRRVM_FULL").is_none() {
        println!("skipped: DRRVM_FULL is not set");
        return;
    }
    for target in ["RISCV", "AArch64", "X86", "AMDGPU"] {
        let folder = root.join("llvm/lib/Target").join(target);
        let file = folder.join(format!("{target}.td"));
        let print = |program: &str, command: &[&str]| {
            Command::new(program)
                .args(command)
                .arg("--print-records")
                .arg("-I")
                .arg(root.join("llvm/include"))
                .arg("-I")
                .arg(&folder)
                .arg(&file)
                .stdout(Stdio::piped())
                .spawn()
                .expect("the tool runs")
        };
        let (mut ours, mut theirs) = (print(OURS, &["tablegen"]), print(&tool, &[]));
        let stdout = |child: &mut Child| child.stdout.take().expect("it is piped");
        let difference = first_difference(stdout(&mut ours), stdout(&mut theirs));
        assert_eq!(difference, None, "{target}: the first line that differs");
        assert!(theirs.wait().expect("it ends").success(), "{target}");
        assert!(ours.wait().expect("it ends").success(), "{target}");
    }
}

/// LLVM's tests of TableGen that run no back end.
fn front_end_tests(root: &Path) -> Vec<(PathBuf, String)> {
    let back_ends = ["-gen-", "class-", "print-enums", "print-sets", "detailed"];
    let mut tests = Vec::new();
    for file in common::files_below(&root.join("llvm/test/TableGen"), "td") {
        if file.parent() != Some(&*root.join("llvm/test/TableGen")) {
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&file).expect("the test is there")).into_owned();
        let runs = || text.lines().filter(|line| line.contains("RUN:"));
        let front_end = runs().all(|line| !back_ends.iter().any(|option| line.contains(option)));
        if front_end && runs().any(|line| line.contains("llvm-tblgen")) {
            tests.push((file, text));
        }
    }
    tests
}

/// Returns the command of each RUN line with its substitutions applied.
fn commands(file: &Path, text: &str, scratch: &Path) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some((_, command)) = line.split_once("RUN:") else { continue };
        match commands.last_mut() {
            Some(before) if before.ends_with('\\') => {
                before.pop();
                before.push_str(command);
            }
            _ => commands.push(command.to_owned()),
        }
    }
    let folder = file.parent().expect("a file is in a folder").display().to_string();
    commands
        .into_iter()
        .map(|command| {
            command
                .replace("%s", &file.display().to_string())
                .replace("%python", "python3")
                .replace("%p", &folder)
                .replace("%S", &folder)
                .replace("%t", &scratch.join("t").display().to_string())
                .replace("not llvm-tblgen", "not-22 llvm-tblgen")
                .replace("not FileCheck", "not-22 FileCheck")
                .replace("llvm-tblgen", &format!("{OURS} tablegen --message-format=llvm"))
                .replace("FileCheck", "FileCheck-22")
        })
        .collect()
}

#[test]
fn llvms_own_tests_pass() {
    let Some(root) = common::llvm_sources() else { return };
    if common::llvm_tool("FileCheck").is_none() || common::llvm_tool("not").is_none() {
        return;
    }
    // LLVM's test in this file expects the message of LLVM's command-line parser for a `-D` without a name.
    let not_ours = ["invalid-macro-name-command-line.td"];
    let scratch = tempfile::tempdir().expect("there is room for a folder");
    let tests = front_end_tests(&root);
    let mut failed = Vec::new();
    for (file, text) in &tests {
        for command in commands(file, text, scratch.path()) {
            let run = Command::new("bash")
                .args(["-o", "pipefail", "-c", &command])
                .env("FILECHECK_OPTS", "-enable-var-scope --allow-unused-prefixes=false")
                .output()
                .expect("there is a shell");
            let name = file.file_name().unwrap().to_str().unwrap();
            if !run.status.success() && !not_ours.contains(&name) {
                failed.push(format!("{command}\n{}", String::from_utf8_lossy(&run.stderr)));
            }
        }
    }
    assert!(tests.len() > 170, "only {} tests were found", tests.len());
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn printed_records_equal_those_of_llvm_tblgen() {
    let (Some(root), Some(tool)) = (common::llvm_sources(), common::llvm_tool("llvm-tblgen")) else { return };
    for (file, _) in front_end_tests(&root) {
        let folder = file.parent().unwrap();
        let inputs = folder.join("Inputs");
        let (folder, inputs) = (folder.to_str().unwrap(), inputs.to_str().unwrap());
        let args = ["--print-records", "-I", folder, "-I", inputs, file.to_str().unwrap()];
        let (theirs, ours) = (run(&[&tool], &args), run(&[OURS, "tablegen", "-q"], &args));
        assert_eq!(theirs.status.success(), ours.status.success(), "{}", file.display());
        if theirs.status.success() {
            assert!(theirs.stdout == ours.stdout, "{}: the text differs", file.display());
        }
    }
}

fn load(text: &str) -> (SourceMap, Result<Records, String>) {
    let mut sources = SourceMap::default();
    let file = sources.add("a.td", text).expect("it is small");
    let parsed = tablegen::parse(&mut sources, file, &Config::default());
    let records = parsed.map(|parsed| parsed.records).map_err(|e| render_all(&e, &sources, Color::Never));
    (sources, records)
}

fn records(text: &str) -> Records {
    load(text).1.unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn examples_of_the_language_reference() {
    let records = records(
        "def test { list<int> a = !range(0, 4, 2); list<int> b = !range(4, 0, 1); int c = !size([1, 2]);
                    string d = !interleave([\"x\", \"y\"], \", \"); int e = !find(\"abc\", \"c\");
                    list<int> f = [7, 8, 9][2, 0...1]; string g = !substr(\"hello\", 1, 3);
                    list<int> h = !listsplat(42, 3); int i = !foldl(0, [1, 2, 3], s, x, !add(s, x)); }",
    );
    let test = records.record(records.find("test").unwrap());
    let shown = |field| records.display(test.field(field).unwrap()).to_string();
    assert_eq!(shown("a"), "[0, 2]");
    assert_eq!(shown("b"), "[]");
    assert_eq!(shown("c"), "2");
    assert_eq!(shown("d"), "\"x, y\"");
    assert_eq!(shown("e"), "2");
    assert_eq!(shown("f"), "[9, 7, 8]");
    assert_eq!(shown("g"), "\"ell\"");
    assert_eq!(shown("h"), "[42, 42, 42]");
    assert_eq!(shown("i"), "6");
}

/// A multiclass passes an argument to its parent without conversion, as in `llvm-tblgen` 22.1. So the integer `0` and
/// the default, a bit, give two anonymous instances.
#[test]
fn arguments_of_a_parent_multiclass_are_not_converted() {
    let records = records(
        "class S<bit f = 0> { bit v = f; } multiclass M<bit g = 0> { def x { S s = S<g>; } }
         multiclass P : M<0>; multiclass Q : M; multiclass R : M<g = 0>; defm p : P; defm q : Q; defm r : R;",
    );
    let instance = |name: &str| records.record(records.find(name).unwrap()).def_field("s").unwrap().id();
    assert_eq!(records.derived_definitions("S").len(), 2);
    assert_eq!(instance("px"), instance("rx"));
    assert_ne!(instance("px"), instance("qx"));
}

#[test]
fn records_and_dags_have_spans() {
    let text =
        "def op; class C<dag d> { dag kept = d; int n = 1; } def x : C<(op 1:$a, (op))> { let n = 2; }";
    let (sources, records) = load(text);
    let records = records.unwrap();
    let x = records.record(records.find("x").unwrap());
    assert_eq!(sources.snippet(x.span()), "x");
    let dag = x.dag_field("kept").unwrap();
    assert_eq!(sources.snippet(dag.span()), "(op 1:$a, (op))");
    assert_eq!(sources.snippet(dag.arg(0).unwrap().span), "1:$a");
    assert!(matches!(dag.arg(1).unwrap().value, Value::Dag(_)));
    assert_eq!(sources.snippet(x.find_field("n").unwrap().span), "n");
    assert!(x.is_subclass_of("C"));
    assert_eq!(records.derived_definitions("C"), [x.id()]);
    assert!(x.string_field("n").unwrap_err().to_string().contains("expected a string"));
    assert!(x.int_field("m").unwrap_err().is_missing());
}

/// Returns the records of `llvm-tblgen` as JSON, or an empty text if it rejects the file.
fn reference(text: &str) -> Option<String> {
    let tool = common::llvm_tool("llvm-tblgen")?;
    let output = common::pipe(&tool, &["--dump-json", "-"], text.as_bytes());
    let json = if output.status.success() { output.stdout } else { Vec::new() };
    Some(String::from_utf8(json).expect("it writes text"))
}

/// Returns the records of drrvm as JSON, or an empty text if the file has errors.
fn dump(text: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("<stdin>", text).expect("it is small");
    let Ok(parsed) = tablegen::parse(&mut sources, file, &Config::default()) else { return String::new() };
    let mut json = Vec::new();
    parsed.records.write_json(&sources, &mut json).expect("writing to memory does not fail");
    String::from_utf8(json).expect("it is text")
}

/// Compares drrvm with `llvm-tblgen` on cases. Each case is a name, a flag that is true if the text is valid, and the
/// text.
fn check_records(cases: &[(&str, bool, String)]) {
    for (name, accepted, text) in cases {
        let ours = dump(text);
        assert_eq!(!ours.is_empty(), *accepted, "{name}");
        if let Some(theirs) = reference(text) {
            assert!(ours == theirs, "{name}: the records differ");
        }
    }
}

#[test]
fn a_class_that_derives_from_itself_is_accepted() {
    check_records(&[
        ("alone", true, "class A : A;".to_owned()),
        ("with a body", true, "class A : A { int v = 1; } def x;".to_owned()),
        ("with an argument", true, "class A<int n> : A<n> { int v = n; }".to_owned()),
        ("twice", false, "class A : A, A;".to_owned()),
        ("without its argument", false, "class A<int n> : A;".to_owned()),
    ]);
}

#[test]
fn a_variable_of_an_enclosing_operator_cannot_be_redefined() {
    let case = |name, accepted, text: &str| (name, accepted, text.to_owned());
    check_records(&[
        case("left", false, "def x { list<int> l = !foreach(a, [1], !foldl(0, [1], a, b, !add(a, b))); }"),
        case("right", false, "def x { list<int> l = !foreach(a, [1], !foldl(0, [1], b, a, !add(a, b))); }"),
        case("filter", false, "def x { list<int> l = !filter(a, [1], !foldl(0, [1], a, b, !add(a, b))); }"),
        case("foreach", false, "def x { list<list<int>> l = !foreach(a, [1], !foreach(a, [2], a)); }"),
        case("variable", false, "defvar l = !foreach(a, [1], !foldl(0, [1], a, b, !add(a, b)));"),
        case("list", true, "def x { list<int> l = !foreach(a, !foreach(a, [1, 2], !add(a, 1)), a); }"),
        case(
            "one after the other",
            true,
            "def x { int l = !add(!foldl(0, [1], a, b, b), !foldl(0, [1], a, b, b)); }",
        ),
        case("local", true, "def x { defvar a = 1; int f = !foldl(0, [1, 2], a, b, !add(a, b)); }"),
        case("loop", true, "foreach a = [1, 2] in def x#a { int f = !foldl(0, [1, 2], a, b, !add(a, b)); }"),
        case(
            "argument",
            true,
            "class C<int a> { int f = !foldl(a, [1, 2], a, b, !add(a, b)); } def x : C<1>;",
        ),
    ]);
}

#[test]
fn operators_of_older_releases_are_rejected() {
    check_records(&[
        ("setop", false, "def o; def x { dag d = !setop((o 1), o); }".to_owned()),
        ("getop", false, "def o; def x { dag d = (!getop((o 1)) 2); }".to_owned()),
        ("setdagop", true, "def o; def p; def x { dag d = !setdagop((o 1), p); }".to_owned()),
    ]);
}

#[test]
fn deep_and_wide_input_is_accepted() {
    let nested = |before: &str, after: &str, n: usize| format!("{}1{}", before.repeat(n), after.repeat(n));
    check_records(&[
        ("pastes", true, format!("def x {{ string s = \"a\"{}; }}", " # \"b\"".repeat(5000))),
        ("names", true, format!("def x{};", "#a".repeat(5000))),
        ("operators", true, format!("def x {{ int v = {}; }}", nested("!add(1, ", ")", 4000))),
        ("open operators", true, {
            let value = nested("!add(a, ", ")", 3000);
            format!("class C<int a> {{ int v = {value}; }} def x : C<1>;")
        }),
        // `llvm-tblgen` prints dags in time that is cubic in their depth.
        ("dags", true, format!("def op; def x {{ dag d = {}; }}", nested("(op ", ")", 800))),
        ("lists", true, format!("defvar a = {}; def x;", nested("[", "]", 3000))),
        (
            "instances",
            true,
            "class A<int n> { int v = !if(!eq(n, 0), 0, A<!sub(n, 1)>.v); } def a { int x = A<4000>.v; }"
                .to_owned(),
        ),
        ("bits", true, "class C { bits<100000> b; } def x;".to_owned()),
    ]);
}

#[test]
fn a_record_lists_the_places_of_its_instantiation() {
    check_records(&[(
        "places",
        true,
        "class C;
         multiclass I { def \"\" : C;
           def _x : C; }
         multiclass M {
           defm \"\" : I;
           defm _in : I; }
         multiclass N {
           defm \"\" : M;
           foreach i = [1] in
             defm _f#i : M; }
         defm A : N;
         multiclass P : I {
           def _p : C; }
         multiclass Q {
           defm \"\" : P; }
         defm B : Q;"
            .to_owned(),
    )]);
}

/// Very deep nesting, endless recursion and huge values end with an error.
#[test]
fn hostile_input_ends_in_an_error() {
    let many = |text: &str| text.repeat(100_000);
    let classes: String = (0..5000).map(|i| format!("class A{} : A{i};\n", i + 1)).collect();
    let doubling: String =
        (1..40).map(|i| format!("list<int> b{i} = !listconcat(b{0}, b{0});", i - 1)).collect();
    let inputs = [
        ("parentheses", format!("def a {{ dag x = {}", many("(a "))),
        ("brackets", format!("defvar a = {}", many("["))),
        ("braces", format!("defvar a = {}", many("{"))),
        ("operators", format!("defvar a = {}", many("!not("))),
        ("folds", format!("defvar a = {}", many("!foldl(0, [1], x, i, "))),
        ("types", format!("class A {{ {}", many("list<"))),
        ("loops", many("foreach i = [1] in ")),
        ("lets", many("let a = 1 in { ")),
        ("branches", many("if 1 then ")),
        ("pastes", format!("def a{};", many("#a"))),
        ("comments", many("/*")),
        ("conditionals", many("#ifdef A\n")),
        ("lineage", format!("class A0;\n{classes}")),
        ("each other", "class B; class A : B; class B : A;".to_owned()),
        ("instances", "class A<int n> { A x = A<!add(n, 1)>; } def a : A<1>;".to_owned()),
        ("lists", format!("class A {{ list<int> b0 = [1]; {doubling} }} def x : A;")),
        ("range", "defvar a = !range(0, 1099511627776);".to_owned()),
        ("splat", "defvar a = !listsplat(1, 1099511627776);".to_owned()),
        ("width", "class A { bits<4000000000> x; }".to_owned()),
        ("substitution", "defvar a = !subst(\"\", \"a\", \"b\");".to_owned()),
    ];
    for (name, text) in inputs {
        assert!(load(&text).1.is_err(), "{name} was accepted");
    }
}

#[test]
fn a_file_that_includes_itself_is_an_error() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = folder.path().join("self.td");
    std::fs::write(&path, "include \"self.td\"\n").expect("it can be written");
    let config = Config { include_dirs: vec![folder.path().to_owned()], ..Config::default() };
    let mut sources = SourceMap::default();
    let file = sources.load(&path).expect("it was just written");
    let errors = tablegen::parse(&mut sources, file, &config).unwrap_err();
    let shown = render_all(&errors, &sources, Color::Never);
    assert!(shown.contains("does a file include itself?"), "{shown}");
}

#[test]
fn one_run_reports_independent_errors() {
    let text = "def a { int x = \"one\"; int y = nothing; int z = 1; }\nclass C : Missing;\ndef b : C;\ndef c { bit y = 7; }\n";
    let (_, records) = load(text);
    let errors = records.unwrap_err();
    for expected in ["Field 'x'", "'nothing'", "'Missing'", "Initializer of 'y'"] {
        assert!(errors.contains(expected), "no {expected} in {errors}");
    }
}

proptest::proptest! {
    #![proptest_config(common::seed::config())]
    /// Loading random tokens ends without a panic. The result is not compared with that of `llvm-tblgen`.
    #[test]
    fn any_tokens_end_in_records_or_errors(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..60)) {
        drrvm::fuzzing::tablegen_tokens(&bytes);
    }
}
