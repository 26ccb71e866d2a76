//! Tests of scripts: their natives behave like the natives in Rust, their running time is limited, they register
//! functions of operations, traits and dialects, and generated stubs load.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::command::Folder;
use crate::common::{llvm_sources, llvm_tool};
use drrvm::ir::IrHost;
use drrvm::script::Script;
use drrvm::source::{Color, SourceMap, render_all};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/arith").join(name)
}

/// Runs the command; returns standard output, standard error, and true if it succeeded.
fn drrvm(args: &[&str]) -> (String, String, bool) {
    let run = Command::new(env!("CARGO_BIN_EXE_drrvm")).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(run.stdout), text(run.stderr), run.status.success())
}

#[test]
fn script_of_the_example_gives_the_expected_output() {
    let [input, rules, script] = ["input.mlir", "rules.td", "natives.rhai"].map(example);
    let args = ["opt", "--generic", input.to_str().unwrap(), "--rules", rules.to_str().unwrap()];
    let natives = ["--natives", script.to_str().unwrap()];
    let (output, stderr, done) = drrvm(&[&args[..], &natives].concat());
    assert!(done, "{stderr}");
    assert_eq!(output, std::fs::read_to_string(example("expected.mlir")).unwrap());

    // A wrong script changes the output, so the script is really called.
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("wrong.rhai");
    let text = std::fs::read_to_string(&script).unwrap().replace("a.fixed + b.fixed", "a.fixed - b.fixed");
    std::fs::write(&wrong, text).unwrap();
    let (other, _, done) = drrvm(&[&args[..], &["--natives", wrong.to_str().unwrap()]].concat());
    assert!(done);
    assert_ne!(other, output);
}

/// Applies MLIR's rules for `arith` to MLIR's tests of the canonicalisation of `arith`.
#[test]
fn scripts_behave_like_the_natives_in_rust() {
    let (Some(sources), Some(opt)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let rules = sources.join("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td");
    let tests = std::fs::File::open(sources.join("mlir/test/Dialect/Arith/canonicalize.mlir")).unwrap();
    let generic = Command::new(opt)
        .args(["--split-input-file", "--mlir-print-op-generic", "-allow-unregistered-dialect"])
        .stdin(Stdio::from(tests))
        .output()
        .unwrap();
    assert!(generic.status.success());
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.mlir");
    let generic = String::from_utf8(generic.stdout).unwrap();
    // The elements of a resource are in the metadata of the text and not in the attribute, so a script cannot read
    // them.
    let chunks: Vec<&str> =
        generic.split("// -----").filter(|text| !text.contains("dense_resource")).collect();
    std::fs::write(&input, chunks.join("// -----")).unwrap();
    let headers = sources.join("mlir/include");
    let args = [
        "opt",
        "--generic",
        "--split-input-file",
        input.to_str().unwrap(),
        "--rules",
        rules.to_str().unwrap(),
        "-I",
        headers.to_str().unwrap(),
    ];
    let (rust, stderr, done) = drrvm(&args);
    assert!(done, "{stderr}");
    let script = example("natives.rhai");
    let (scripted, stderr, done) = drrvm(&[&args[..], &["--natives", script.to_str().unwrap()]].concat());
    assert!(done, "{stderr}");
    assert!(!stderr.contains("failed"), "{stderr}");
    assert_eq!(scripted, rust);
    assert!(stderr.contains("AddIAddConstant"), "the rule must fire: {stderr}");
}

/// Returns the messages about a script that does not load.
fn refused(text: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("natives.rhai", text).unwrap();
    match Script::<IrHost>::load(sources.file(file)) {
        Ok(_) => panic!("loading must fail: {text}"),
        Err(errors) => render_all(&errors, &sources, Color::Never),
    }
}

#[test]
fn scripts_that_do_not_load_are_reported() {
    let cases = [
        "constraint(\"a\", \"(value\", |ir, v| true);",
        "constraint(\"a\", \"(thing)\", |ir, v| true);",
        "// one\nconstraint(\"a\", \"(value)\",\n    |ir| true);",
        "constraint(\"a\", \"()\", |ir| true); constraint(\"a\", \"()\", |ir| true);",
        "let x = ;",
        "fn f(n) { f(n + 1) }\nf(0);",
        "loop { }",
        "let text = \"a\"; loop { text += text; }",
        "let all = []; loop { all.push(all); }",
        "throw \"no\";",
        "constraint(1, 2);",
    ];
    let messages: Vec<String> = cases.iter().map(|text| refused(text)).collect();
    insta::assert_snapshot!(messages.join("\n"));
}

/// A constraint cannot create attributes. It can compare an attribute that the IR does not contain, but returning this
/// attribute is an error.
#[test]
fn absent_attributes_and_malformed_texts_are_reported() {
    let rules = "pdl.pattern @p : benefit(1) {
  %r = operation \"t.a\"
  %a = apply_native_constraint \"con\"(%r : !pdl.operation) : !pdl.attribute
  rewrite %r {
    %b = apply_native_rewrite \"rew\"(%r : !pdl.operation) : !pdl.attribute
    %n = operation \"u.a\" {\"a\" = %a, \"b\" = %b}
    erase %r
  }
}
";
    let run = |constraint: &str, rewrite: &str| {
        let script = format!(
            "constraint(\"con\", \"(operation) -> attribute\", |ir, o| {constraint});\n\
             rewrite(\"rew\", \"(operation) -> attribute\", |ir, o| {rewrite});"
        );
        let files = [
            ("rules.mlir", rules),
            ("natives.rhai", &script),
            ("in.mlir", "\"t.a\"() {x = 1 : i8} : () -> ()\n"),
        ];
        let folder = Folder::new(&files);
        let run = folder.run(&["opt", "in.mlir", "--rules", "rules.mlir", "--natives", "natives.rhai"]);
        (run.status, run.stdout + run.stderr.as_str())
    };
    let known = "ir.int(1, o.attr(\"x\").type)";
    let (status, output) = run("ir.string(\"new\")", known);
    assert_eq!(status, 1, "{output}");
    assert!(output.contains("returns the attribute `\"new\"`, which the IR does not contain"), "{output}");
    let (status, output) = run(known, "ir.string(\"new\")");
    assert_eq!(status, 0, "{output}");
    assert!(output.contains("\"u.a\"() {a = 1 : i8, b = \"new\"}"), "{output}");
    let compared = "if o.attr(\"x\") != ir.attr(\"2 : i8\") && ir.type(\"f16\") == () { o.attr(\"x\") }";
    let (status, output) = run(compared, known);
    assert_eq!(status, 0, "{output}");
    assert!(output.contains("\"u.a\"() {a = 1 : i8, b = 1 : i8}"), "{output}");
    for (rewrite, reason) in [
        ("ir.attr(\"foo bar <\")", "cannot have the attribute `foo bar <`"),
        ("{ ir.type(\"foo bar <\"); o.attr(\"x\") }", "cannot have the type `foo bar <`"),
        ("ir.int(256, o.attr(\"x\").type)", "256 does not fit i8"),
        ("ir.int(-129, o.attr(\"x\").type)", "-129 does not fit i8"),
    ] {
        let (status, output) = run(known, rewrite);
        assert_eq!(status, 1, "{output}");
        assert!(output.contains(reason), "{output}");
    }
    for (rewrite, value) in
        [("ir.int(255, o.attr(\"x\").type)", "-1"), ("ir.int(-128, o.attr(\"x\").type)", "-128")]
    {
        let (status, output) = run(known, rewrite);
        assert_eq!(status, 0, "{output}");
        assert!(output.contains(&format!("b = {value} : i8")), "{output}");
    }
}

/// A dialect, and a rule that calls a constraint and a rewrite.
const RULES: &str = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/CommonAttrConstraints.td"
def T : Dialect { let name = "t"; }
class TOp<string name, list<Trait> traits = []> : Op<T, name, traits>;
def From : TOp<"from"> { let arguments = (ins I32:$x, I32Attr:$n); let results = (outs I32:$r); }
def To : TOp<"to"> { let arguments = (ins I32:$x, I32Attr:$n); let results = (outs I32:$r); }
def Asks : Constraint<CPred<"asks($0, $1)">>;
def Makes : NativeCodeCall<"makes($0, $1)">;
def R : Pat<(From $x, $n), (To (Makes $x, $n), $n), [(Asks $x, $n)]>;
"#;

const INPUT: &str = r#""builtin.module"() ({
  %x = "t.load"() {weight = 3 : i64} : () -> i32
  %a = "t.from"(%x) <{n = 4 : i32}> : (i32) -> i32
  "t.use"(%a) : (i32) -> ()
}) : () -> ()
"#;

/// Runs the rule with these natives and `--keep-going`, and returns the output and the messages. Without
/// `--keep-going`, the command must fail if and only if a native fails for another reason than `throw`.
fn with_natives(script: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (name, text) in [("rules.td", RULES), ("in.mlir", INPUT), ("natives.rhai", script)] {
        std::fs::write(path(name), text).unwrap();
    }
    let (rules, input, natives) = (path("rules.td"), path("in.mlir"), path("natives.rhai"));
    let args = ["opt", "--generic", &input, "--rules", &rules, "--natives", &natives];
    let (output, stderr, done) = drrvm(&[&args[..], &["--keep-going"]].concat());
    assert!(done, "{stderr}");
    let (strict_output, strict, done) = drrvm(&[&args[..], &["--quiet"]].concat());
    assert_eq!(done, strict.is_empty(), "{strict}");
    let is_error = |line: &str| line.starts_with("warning: a native failed") && !line.contains("not today");
    assert_eq!(done, !stderr.lines().any(is_error), "{stderr}");
    assert_eq!(strict_output, if done { output.as_str() } else { "" });
    (output, stderr.replace(folder.path().to_str().unwrap(), ""))
}

const MAKES_X: &str = r#"rewrite("makes", "(value, attribute) -> value", |ir, x, n| x);"#;

#[test]
fn scripts_read_the_ir_and_create_operations() {
    let (output, stderr) = with_natives(
        r#"
        constraint("asks", "(value, attribute)", |ir, x, n|
            x.type.width == 32 && x.op.name == "t.load" && x.op.attr("weight").int == 3
            && x.op.attr("none") == () && n.int == 4 && x.uses == 1 && x.type == n.type
            && n.type == ir.type("i32"));
        rewrite("makes", "(value, attribute) -> value", |ir, x, n| {
            let before = x.uses;
            let a = ir.create("t.one", [x], #{ a: n, b: ir.string("s") }, [x.type]);
            if x.uses != before + 1 { throw "the new use is not counted" }
            let b = ir.create("t.two", [a.results[0]], #{}, [x.type, ir.type("vector<2xi8>")]);
            if b.results[1].type.element.width != 8 { throw "no vector" }
            b.results[0]
        });
        "#,
    );
    assert!(output.contains("\"t.one\"(%0) {a = 4 : i32, b = \"s\"} : (i32) -> i32"), "{output}{stderr}");
    assert!(output.contains("\"t.two\"(%1) : (i32) -> (i32, vector<2xi8>)"), "{output}");
    assert!(output.contains("\"t.to\"(%2#0)"), "{output}");
    assert!(!output.contains("t.from"), "{output}");
}

/// A native that fails leaves the IR unchanged and is reported once, at the line of the script.
#[test]
fn failing_natives_are_reported_at_their_line() {
    let asks = r#"constraint("asks", "(value, attribute)", |ir, x, n| true);"#;
    let cases = [
        format!("constraint(\"asks\", \"(value, attribute)\", |ir, x, n|\n  x.typo == 1);\n{MAKES_X}"),
        format!("constraint(\"asks\", \"(value, attribute)\", |ir, x, n| 1);\n{MAKES_X}"),
        format!("constraint(\"asks\", \"(value, attribute)\", |ir, x, n| {{ loop {{}} }});\n{MAKES_X}"),
        format!(
            "fn f(n) {{ f(n) }}\nconstraint(\"asks\", \"(value, attribute)\", |ir, x, n| f(n));\n{MAKES_X}"
        ),
        format!(
            "{asks}\nrewrite(\"makes\", \"(value, attribute) -> value\", |ir, x, n| {{\n  throw \"not today\" }});"
        ),
        format!("{asks}\nrewrite(\"makes\", \"(value, attribute) -> value\", |ir, x, n| n);"),
        format!(
            "{asks}\nrewrite(\"makes\", \"(value, attribute) -> value\", |ir, x, n| {{\n  \
             loop {{ ir.create(\"t.more\", [], #{{}}, []); }} }});"
        ),
        format!(
            "{asks}\nrewrite(\"makes\", \"(value, attribute) -> value\", |ir, x, n|\n  \
             ir.create(\"t.more\", [1], #{{}}, []).results[0]);"
        ),
    ];
    let mut all = String::new();
    for script in cases {
        let (output, stderr) = with_natives(&script);
        assert!(output.contains("t.from") && !output.contains("t.more"), "{output}");
        let warnings = stderr.split_inclusive('\n').filter(|line| !line.starts_with("1 rule, "));
        all.extend(warnings);
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[rustfmt::skip]
#[allow(unreachable_pub, reason = "the stubs are generated for a separate file")]
#[path = "../../data/stubs.rs"]
mod stubs;

/// The generated stubs load, compile and have the signatures that the rules need.
#[test]
fn stubs_load_and_fit_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rules.td"), RULES).unwrap();
    let drrvm = |args: &[&str]| {
        let run = Command::new(env!("CARGO_BIN_EXE_drrvm")).args(args).current_dir(folder.path()).output();
        let run = run.unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        assert!(run.status.success(), "{}", text(run.stderr));
        (text(run.stdout), text(run.stderr))
    };
    drrvm(&["check", "-q", "rules.td", "--stubs", "script", "-o", "natives.rhai"]);
    let (table, stderr) = drrvm(&["check", "rules.td", "--natives", "natives.rhai"]);
    assert!(!stderr.contains("not registered"), "{stderr}");
    assert!(table.contains("0 of 2 natives missing"), "{table}");
    insta::assert_snapshot!(
        "stubs_script",
        std::fs::read_to_string(folder.path().join("natives.rhai")).unwrap()
    );

    let (rust, _) = drrvm(&["check", "-q", "rules.td", "--stubs", "rust"]);
    assert_eq!(rust, include_str!("../../data/stubs.rs"));
    // The natives are registered with the signatures that the rules call.
    let natives = stubs::natives();
    let (rules, input) = (folder.path().join("rules.td"), folder.path().join("in.mlir"));
    std::fs::write(&input, INPUT).unwrap();
    let output = folder.path().join("out.mlir");
    let args = ["drrvm".into(), "opt".into(), "-q".into(), input.into(), "--rules".into(), rules.into()];
    let args = args.into_iter().chain(["-o".into(), output.clone().into()]);
    let _ = drrvm::cli::run(args, natives);
    assert!(std::fs::read_to_string(output).unwrap().contains("t.from"));
}

/// A native with two signatures gets two stubs, which `--natives` accepts. A result of unknown kind is `anything` in a
/// script, and an `Entity` in Rust.
#[test]
fn stubs_of_overloads_load() {
    let rules = RULES.replace(
        "def R :",
        "def Unused : NativeCodeCall<\"forget($0)\">;\n\
         def S : Pattern<(To $x, $n), [(Unused $n), (From $x, $n)], [(Constraint<CPred<\"asks($0)\">> $x)]>;\n\
         def R :",
    );
    let folder = Folder::new(&[("rules.td", &rules)]);
    for language in ["script", "rust"] {
        let run = folder.run(&["check", "-q", "rules.td", "--stubs", language, "-o", "natives.rhai"]);
        assert_eq!((run.status, &*run.stderr), (0, ""));
        let stubs = folder.read("natives.rhai");
        let registration =
            if language == "script" { "\nconstraint(\"asks\"" } else { ".constraint(\"asks\"" };
        assert_eq!(stubs.matches(registration).count(), 2, "{stubs}");
        let anything =
            if language == "script" { "(attribute) -> anything" } else { "Result<Entity<IrHost>, Refusal>" };
        assert!(stubs.contains(anything), "{stubs}");
        if language == "script" {
            let run = folder.run(&["check", "rules.td", "--natives", "natives.rhai"]);
            assert!(run.stdout.contains("0 of 4 natives missing"), "{}{}", run.stdout, run.stderr);
        }
    }
}

/// A result of kind `anything` has the kind of the returned value, which must be the kind that the rule needs.
#[test]
fn results_of_kind_anything_take_the_kind_of_the_returned_value() {
    let asks = r#"constraint("asks", "(value, attribute) -> anything", |ir, x, n| true);"#;
    let makes = |result: &str| {
        with_natives(&format!(
            "{asks}\nrewrite(\"makes\", \"(value, attribute) -> anything\", |ir, x, n| {result});"
        ))
    };
    assert!(makes("x").0.contains("\"t.to\"(%0)"));
    assert!(makes("n").0.contains("t.from"));
    let (output, messages) = makes("#{ a: 1 }");
    assert!(output.contains("t.from"), "{output}");
    assert!(messages.contains("which rules cannot use"), "{messages}");
}

/// A script registers a fold for an operation; a fold, effects and a verifier for a trait; and a materializer for a
/// dialect.
#[test]
fn scripts_register_functions_of_operations_and_traits() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def Copies : NativeOpTrait<"Copies"> { let cppNamespace = "::my"; }
def T_Constant : Op<T_Dialect, "constant", [Pure, ConstantLike]> { let arguments = (ins I32Attr:$value); let results = (outs I32:$r); }
def T_Copy : Op<T_Dialect, "copy", [Copies]> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
def T_Add : Op<T_Dialect, "add", [Pure]> { let arguments = (ins I32:$a, I32:$b); let results = (outs I32:$r); }
def T_Quiet : Op<T_Dialect, "quiet", [Copies]> { let arguments = (ins); let results = (outs); }
"#;
    let script = r#"
fold("t.add", |ir, op, constants| {
    if constants[0] == () || constants[1] == () { return (); }
    ir.int(constants[0].fixed + constants[1].fixed, op.results[0].type)
});
fold_for_trait("my::Copies", |ir, op, constants| if op.operands.len() == 1 { op.operands[0] });
materialize_constant("t", |ir, value, type, location| ir.create("t.constant", [], #{ value: value }, [type]));
effects_for_trait("::my::Copies", |ir, op| "none");
verify_for_trait("mlir::my::Copies", |ir, op| op.operands.len() == 0 || op.operands[0].type == op.results[0].type);
"#;
    let input = r#"%0 = "t.constant"() <{value = 2 : i32}> : () -> i32
%1 = "t.copy"(%0) : (i32) -> i32
%2 = "t.add"(%0, %1) : (i32, i32) -> i32
"t.quiet"() : () -> ()
"u.use"(%2) : (i32) -> ()
"#;
    let folder = Folder::new(&[
        ("rules.td", rules),
        ("natives.rhai", script),
        ("in.mlir", input),
        ("wrong.mlir", "%0 = \"u.def\"() : () -> i1\n%1 = \"t.copy\"(%0) : (i1) -> i32\n"),
    ]);
    let args = ["--generic", "--rules", "rules.td", "--natives", "natives.rhai"];
    let run = folder.run(&[&["opt", "in.mlir"], &args[..]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let left: Vec<&str> = run.stdout.lines().filter_map(|line| line.split('"').nth(1)).collect();
    assert_eq!(left, ["builtin.module", "t.constant", "u.use"], "{}", run.stdout);
    assert!(run.stdout.contains("value = 4 : i32"), "{}", run.stdout);
    let wrong = folder.run(&[&["opt", "wrong.mlir"], &args[..]].concat());
    assert_ne!(wrong.status, 0, "{}", wrong.stdout);
    assert!(wrong.stderr.contains("'t.copy' op"), "{}", wrong.stderr);
}

/// As in MLIR, `createOrFold` does not fold an operation if the dialect creates no constant of the type of the result.
/// `createOrFold` then erases the operations that the dialect created.
#[test]
fn constants_that_do_not_fit_are_erased() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_AddOp : Op<T_Dialect, "add"> { let arguments = (ins I32:$a, I32:$b); let results = (outs I32:$r); }
def T_FromOp : Op<T_Dialect, "from"> { let arguments = (ins I32:$a); let results = (outs I32:$r); }
def Make : NativeCodeCall<"make($_builder, $_loc, $0)">;
def R : Pat<(T_FromOp $a), (Make $a)>;
"#;
    let helper = "static Value make(PatternRewriter &rewriter, Location loc, Value x) {
  return rewriter.createOrFold<t::AddOp>(loc, x.getType(), x, x);
}";
    let input = r#"%0 = "u.def"() : () -> i32
%1 = "t.from"(%0) : (i32) -> i32
"u.use"(%1) : (i32) -> ()
"#;
    let left = |types: &str| {
        let script = format!(
            "fold(\"t.add\", |ir, op, constants| ir.int(5, op.results[0].type));
materialize_constant(\"t\", |ir, value, type, location| ir.create(\"t.constant\", [], #{{ value: value }}, [{types}]));"
        );
        let folder = Folder::new(&[
            ("rules.td", rules),
            ("helpers.cpp", helper),
            ("natives.rhai", &script),
            ("in.mlir", input),
        ]);
        let run = folder.run(&[
            "opt",
            "in.mlir",
            "--no-fold",
            "--generic",
            "--rules",
            "rules.td",
            "--helpers",
            "helpers.cpp",
            "--natives",
            "natives.rhai",
        ]);
        assert_eq!(run.status, 0, "{types}: {}", run.stderr);
        let names = run.stdout.lines().filter_map(|line| line.split('"').nth(1).map(str::to_owned));
        names.collect::<Vec<_>>()
    };
    assert_eq!(left("type"), ["builtin.module", "u.def", "t.constant", "u.use"]);
    for types in ["ir.type(\"i64\")", "", "type, type"] {
        assert_eq!(left(types), ["builtin.module", "u.def", "t.add", "u.use"], "{types}");
    }
}
