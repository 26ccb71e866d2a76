//! Runs the `drrvm` command, and checks its standard output, standard error, exit status and files.

use std::process::{Command, Stdio};

use crate::common::command::Folder;

/// The definitions that [`rules`] puts before the rules.
const DIALECT: &str = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/PatternBase.td"
def Test_Dialect : Dialect { let name = "test"; let cppNamespace = "test"; }
class Test_Op<string name, list<Trait> traits = []> : Op<Test_Dialect, name, traits> {
  let results = (outs I32:$result);
}
def AOp : Test_Op<"a", [Pure]> { let arguments = (ins I32:$x); }
def BOp : Test_Op<"b", [Pure]> { let arguments = (ins I32:$x); }
def COp : Test_Op<"c", [Pure]> { let arguments = (ins I32:$x, I32Attr:$n); }
"#;

const INPUT: &str = r#""builtin.module"() ({
  %0 = "test.x"() : () -> i32
  %1 = "test.a"(%0) : (i32) -> i32
  "test.use"(%1) : (i32) -> ()
}) : () -> ()
"#;

fn rules(text: &str) -> String {
    format!("{}{text}", DIALECT.trim_start().replace("include \"mlir/IR/OpBase.td\"\n", OP_BASE))
}

const OP_BASE: &str = "include \"mlir/IR/OpBase.td\"\ninclude \"mlir/Interfaces/SideEffectInterfaces.td\"\n";

/// Runs `opt` on valid input with invalid rules and returns the message. The run must fail, write nothing to standard
/// output and leave the output file unchanged.
fn message_about_rules(text: &str) -> String {
    message_about(&[("rules.td", &rules(text)), ("in.mlir", INPUT)], &["in.mlir", "--rules", "rules.td"])
}

fn message_about(files: &[(&str, &str)], args: &[&str]) -> String {
    failed_in(&Folder::new(files), args)
}

fn failed_in(folder: &Folder, args: &[&str]) -> String {
    std::fs::write(folder.path("out.mlir"), "as it was").unwrap();
    let run = folder.run(&[&["opt", "-o", "out.mlir"], args].concat());
    assert_eq!((run.status, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    assert_eq!(folder.read("out.mlir"), "as it was");
    // Without an output file, nothing is written to standard output.
    let to_stdout = folder.run(&[&["opt"], args].concat());
    assert_eq!((to_stdout.status, to_stdout.stdout.as_str()), (1, ""));
    assert_eq!(to_stdout.stderr, run.stderr);
    run.stderr
}

/// Returns the messages up to the times at the end of the summary line.
fn without_times(stderr: &str) -> &str {
    stderr.rsplit_once("; compiled in ").expect("a summary line ends in times").0
}

#[test]
fn all_engines_give_the_same_output() {
    let text = rules(
        "def AIsB : Pat<(AOp (BOp $x)), (AOp $x)>;\ndef BIsGone : Pat<(BOp:$b $x), (replaceWithValue $x), [], [], (addBenefit 2)>;",
    );
    let folder = Folder::new(&[("rules.td", &text), ("in.mlir", INPUT)]);
    let run = |engine: &str| {
        let run = folder.run(&["opt", "in.mlir", "--rules", "rules.td", "--engine", engine]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        (run.stdout, without_times(&run.stderr).to_owned())
    };
    assert_eq!(run("reference"), run("tree"));
    assert_eq!(run("automaton"), run("tree"));
    assert_eq!(run("auto"), run("tree"));
}

#[test]
fn opt_rewrites_and_prints_a_summary() {
    let folder = Folder::new(&[
        (
            "rules.td",
            &rules(
                "def AIsB : Pat<(AOp $x), (BOp $x)>;\ndef BIsGone : Pat<(BOp $x), (replaceWithValue $x)>;",
            ),
        ),
        ("in.mlir", INPUT),
    ]);
    let run = folder.run(&["opt", "in.mlir", "--rules", "rules.td", "--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(
        run.stdout,
        "\"builtin.module\"() ({\n  %0 = \"test.x\"() : () -> i32\n  \"test.use\"(%0) : (i32) -> ()\n}) : () -> ()\n"
    );
    // Each sweep visits all operations. An operation is visited again after a change to one of its operands or users.
    insta::assert_snapshot!(without_times(&run.stderr), @"2 rules, 8 operations visited, 2 rewrites: AIsB 1, BIsGone 1");

    let quiet = folder.run(&["opt", "in.mlir", "--rules", "rules.td", "--generic", "-q", "-o", "out.mlir"]);
    assert_eq!((quiet.status, quiet.stdout.as_str(), quiet.stderr.as_str()), (0, "", ""));
    assert_eq!(folder.read("out.mlir"), run.stdout);
}

#[test]
fn opt_reads_standard_input_and_needs_no_rules() {
    let run = Folder::new(&[]).run_with_input(&["opt", "--generic", "-"], INPUT);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (0, INPUT, ""));
}

/// An optional operand or attribute that is absent in the matched operation cannot become a required operand or
/// attribute.
#[test]
fn absent_value_for_a_required_one_rolls_back() {
    let input = INPUT.replace("test.a", "test.o");
    for required in ["(BOp $x)", "(DOp $n)"] {
        let ops = "def OOp : Test_Op<\"o\"> { let arguments = (ins I32:$w, Optional<I32>:$x, OptionalAttr<I32Attr>:$n); }\n\
                   def DOp : Test_Op<\"d\"> { let arguments = (ins I32Attr:$n); }\n";
        let text = rules(&format!("{ops}def R : Pat<(OOp $w, $x, $n), {required}>;"));
        let folder = Folder::new(&[("rules.td", &text), ("in.mlir", &input)]);
        let run = folder.run(&["opt", "in.mlir", "--rules", "rules.td", "--generic"]);
        assert_eq!((run.status, run.stdout.as_str()), (0, input.as_str()), "{required}: {}", run.stderr);
        assert!(run.stderr.contains("rolled back"), "{}", run.stderr);
    }
}

#[test]
fn rules_can_be_enabled_and_disabled_by_name() {
    let folder = Folder::new(&[
        (
            "rules.td",
            &rules(
                "def AIsB : Pat<(AOp $x), (BOp $x)>;\ndef BIsGone : Pat<(BOp $x), (replaceWithValue $x)>;",
            ),
        ),
        ("in.mlir", INPUT),
    ]);
    let opt = |more: &[&str]| {
        let run = folder.run(&[&["opt", "in.mlir", "--rules", "rules.td"], more].concat());
        assert_eq!(run.status, 0, "{}", run.stderr);
        without_times(&run.stderr).to_owned()
    };
    assert_eq!(opt(&["--enable", "AIsB"]), "1 rule, 8 operations visited, 1 rewrite: AIsB 1");
    assert_eq!(opt(&["--disable", "AIsB"]), "1 rule, 3 operations visited, 0 rewrites");
    assert_eq!(opt(&["--driver", "walk"]), "2 rules, 3 operations visited, 1 rewrite: AIsB 1");
}

#[test]
fn parts_of_a_split_file_are_independent() {
    let input = "\"test.a\"() : () -> ()\n// -----\n\"test.b\"() : () -> ()\n";
    let run = Folder::new(&[])
        .run_with_input(&["opt", "--generic", "-split-input-file", "--output-split-marker=//"], input);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(run.stdout.split("//\n").count(), 2, "{}", run.stdout);

    let wrong =
        "\"test.a\"() : () -> ()\n// -----\n\"test.b\"( : () -> ()\n// -----\n\"test.c\" : () -> ()\n";
    let run = Folder::new(&[]).run_with_input(&["opt", "--split-input-file", "-"], wrong);
    assert_eq!(run.status, 1);
    // Line numbers refer to the whole file, and errors of all parts are reported.
    assert!(run.stderr.contains("<stdin>:3:") && run.stderr.contains("<stdin>:5:"), "{}", run.stderr);
}

#[test]
fn errors_in_rules() {
    let mut messages = String::new();
    for (what, text) in [
        ("an unknown operation", "def R : Pat<(AddOp $x), (BOp $x)>;"),
        ("too many arguments", "def R : Pat<(AOp $x, $y), (BOp $x)>;"),
        ("too few arguments", "def R : Pat<(AOp (COp $x)), (BOp $x)>;"),
        ("an unbound symbol", "def R : Pat<(AOp $x), (BOp $y)>;"),
        (
            "an attribute where an operand belongs",
            "def R : Pat<(AOp $x), (BOp ConstantAttr<I32Attr, \"1\">)>;",
        ),
        ("an operand where an attribute belongs", "def R : Pat<(AOp $x), (COp $x, (AOp $x))>;"),
        (
            "an unregistered native",
            "def R : Pat<(AOp $x), (BOp (NativeCodeCall<\"myHelper($_builder, $0)\"> $x))>;",
        ),
        ("a syntax error", "def R : Pat<(AOp $x), (BOp $x>;"),
        ("a missing include", "include \"nowhere/to/be/found.td\""),
        ("an old form", "def R : Pat<(AOp $x), (BOp $x), (addBenefit 2)>;"),
        (
            "several errors",
            "def R1 : Pat<(AOp $x), (BOp $y)>;\ndef R2 : Pat<(AOp $x, $y), (BOp $x)>;\ndef R3 : Pat<(COp $x, $n), (BOp $n)>;",
        ),
    ] {
        messages += &format!("==== {what}\n{}", message_about_rules(text));
    }
    insta::assert_snapshot!(messages);
}

#[test]
fn wrong_usage_has_a_status_of_its_own() {
    let folder = Folder::new(&[("in.mlir", INPUT)]);
    for (args, message) in [
        (
            &["opt", "in.mlir", "--max-iterations", "-1"] as &[&str],
            "invalid value '-1' for '--max-iterations <N>'",
        ),
        (&["opt", "in.mlir", "--emit-bytecode", "--emit-bytecode-version", "7"], "7 is not in 0..=6"),
        (&["ods", "--pack", "-o", "out.drrdl"], "`--pack` needs files or folders"),
    ] {
        let run = folder.run(args);
        assert_eq!(run.status, 2, "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
}

/// A command that finds nothing to work on says so.
#[test]
fn empty_inputs_are_reported() {
    let folder = Folder::new(&[
        ("in.mlir", INPUT),
        ("empty.td", ""),
        ("empty.mlir", ""),
        ("rules.td", &rules("def R : Pat<(AOp $x), (BOp $x)>;")),
    ]);
    std::fs::create_dir(folder.path("folder")).unwrap();
    for file in ["empty.td", "empty.mlir"] {
        let run = folder.run(&["opt", "in.mlir", "--rules", file]);
        let message = format!("warning: '{file}' contains no rules");
        assert!(run.status == 0 && run.stderr.contains(&message), "{}", run.stderr);
        let run = folder.run(&["check", file]);
        assert!(run.status == 0 && run.stderr.contains(&message), "{}", run.stderr);
    }
    let run = folder.run(&["opt", "in.mlir", "--rules", "rules.td", "--disable", "R"]);
    assert!(run.status == 0 && !run.stderr.contains("no rules"), "{}", run.stderr);
    let run = folder.run(&["equiv", "missing.td"]);
    assert!(run.status == 2 && run.stderr.contains("cannot read 'missing.td'"), "{}", run.stderr);
    let run = folder.run(&["ods", "--pack", "folder", "-o", "out.drrdl"]);
    assert!(run.status == 1 && run.stderr.contains("no dialect is defined in 'folder'"), "{}", run.stderr);
}

/// Without a definition of the class, neither the test nor its negation holds.
#[test]
fn an_undecided_test_for_a_class_is_a_warning() {
    let rules = rules(
        "def Is : Constraint<CPred<\"isa<test::OtherType>($0.getType())\">>;
def R : Pat<(AOp:$r $x), (BOp $x), [(Is $x)]>;",
    );
    let rules = rules.replace("(ins I32:$x); }\ndef BOp", "(ins AnyType:$x); }\ndef BOp");
    let run = |ty: &str| {
        let input = INPUT.replace("\"test.x\"() : () -> i32", &format!("\"test.x\"() : () -> {ty}"));
        let input = input.replace("\"test.a\"(%0) : (i32)", &format!("\"test.a\"(%0) : ({ty})"));
        let folder = Folder::new(&[("in.mlir", &input), ("rules.td", &rules)]);
        folder.run(&["opt", "in.mlir", "--rules", "rules.td"])
    };
    let undecided = run("!test.some");
    assert_eq!(undecided.status, 0, "{}", undecided.stderr);
    let message = "warning: rule 'R' was not applied to some operations, because no definition of 'test::OtherType' is known";
    assert!(undecided.stderr.contains(message), "{}", undecided.stderr);
    assert!(undecided.stderr.contains("rules.td:"), "{}", undecided.stderr);
    // A type of another dialect is certainly no `test::OtherType`.
    let decided = run("i32");
    assert!(decided.status == 0 && !decided.stderr.contains("warning"), "{}", decided.stderr);
}

/// `(location $x)` gives the location that `getLoc` of the value returns in MLIR.
#[test]
fn the_location_of_a_value_is_that_of_its_operation_or_block_argument() {
    let rules = rules("def R : Pat<(AOp $x), (BOp $x, (location $x))>;");
    let input = r#""test.f"() ({
^bb0(%0: i32 loc("argument")):
  %1 = "test.a"(%0) : (i32) -> i32 loc("root")
  %2 = "test.x"() : () -> i32 loc("operation")
  %3 = "test.a"(%2) : (i32) -> i32 loc("root")
  "test.use"(%1, %3) : (i32, i32) -> () loc("use")
}) : () -> () loc("f")
"#;
    let folder = Folder::new(&[("in.mlir", input), ("rules.td", &rules)]);
    let shown = ["--mlir-print-debuginfo", "--mlir-print-local-scope", "--generic"];
    let run = folder.run(&[&["opt", "in.mlir", "--rules", "rules.td"], &shown[..]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().filter(|line| line.contains("test.b")).collect();
    assert_eq!(lines.len(), 2, "{}", run.stdout);
    assert!(lines[0].ends_with("loc(\"argument\")"), "{}", run.stdout);
    assert!(lines[1].ends_with("loc(\"operation\")"), "{}", run.stdout);
}

#[test]
fn errors_in_files() {
    let folder = Folder::new(&[
        ("in.mlir", INPUT),
        ("in.txt", ""),
        ("wrong.mlir", "\"test.a\"() : () -> (i32\n"),
        (
            "pdl.mlir",
            "pdl.pattern @p : benefit(1) {\n  %a = pdl.operation \"test.a\"(%x : !pdl.value\n  pdl.rewrite %a {}\n}\n",
        ),
    ]);
    std::fs::create_dir(folder.path("folder.td")).unwrap();
    std::fs::write(folder.path("latin1.td"), b"// caf\xe9\n").unwrap();
    std::fs::write(folder.path("latin1.mlir"), b"// caf\xe9\n").unwrap();
    let mut messages = String::new();
    for (what, args) in [
        ("a syntax error in the input", &["wrong.mlir"] as &[&str]),
        ("a missing input", &["missing.mlir"]),
        ("a directory as input", &["folder.td"]),
        ("input that is not UTF-8", &["latin1.mlir"]),
        ("a missing rule file", &["in.mlir", "--rules", "missing.td"]),
        ("a missing rule file without an extension", &["in.mlir", "--rules", "missing"]),
        ("a directory as rule file", &["in.mlir", "--rules", "folder.td"]),
        ("rules that are not UTF-8", &["in.mlir", "--rules", "latin1.td"]),
        ("a syntax error in pdl rules", &["in.mlir", "--rules", "pdl.mlir"]),
        ("a rule file of no known kind", &["in.mlir", "--rules", "in.txt"]),
        ("a rule name that is not there", &["in.mlir", "--enable", "R"]),
    ] {
        messages += &format!("==== {what}\n{}", failed_in(&folder, args));
    }
    let run = folder.run(&["opt", "in.mlir", "-o", "folder.td"]);
    assert_eq!(run.status, 1);
    messages += &format!("==== a directory as output\n{}", run.stderr);
    insta::assert_snapshot!(messages);
}

#[test]
fn endless_rewriting_is_an_error() {
    let text = rules("def AIsB : Pat<(AOp $x), (BOp $x)>;\ndef BIsA : Pat<(BOp $x), (AOp $x)>;");
    let folder = Folder::new(&[("rules.td", &text), ("in.mlir", INPUT)]);
    let args = ["in.mlir", "--rules", "rules.td", "--max-rewrites", "100"];
    insta::assert_snapshot!(failed_in(&folder, &args));

    // The number of rewrites has a default bound.
    let run = folder.run(&["opt", "in.mlir", "--rules", "rules.td"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));

    // Reaching the bound is not an error if no rule applies.
    let none = ["opt", "in.mlir", "--rules", "rules.td", "--max-rewrites", "0"];
    assert_eq!(folder.run(&[&none[..], &["--disable", "AIsB"]].concat()).status, 0);
    assert_eq!(folder.run(&none).status, 1);

    let allowed = folder.run(&[&["opt", "--allow-nonconvergence"], &args[..]].concat());
    assert_eq!(allowed.status, 0);
    assert!(allowed.stdout.contains("test.a"), "{}", allowed.stdout);
    assert!(allowed.stderr.starts_with("warning: "), "{}", allowed.stderr);
}

#[test]
fn a_sweep_that_only_removes_operations_does_not_blame_rules() {
    let text = rules("def AIsB : Pat<(AOp $x), (BOp $x)>;");
    let input = "%0 = \"test.x\"() : () -> i32\n%1 = \"test.b\"(%0) : (i32) -> i32\n";
    let folder = Folder::new(&[("rules.td", &text), ("in.mlir", input)]);
    let message = failed_in(&folder, &["in.mlir", "--rules", "rules.td", "--max-iterations", "1"]);
    let expected = "error: rewriting does not converge within 1 sweep\n";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn wrong_usage_is_status_2() {
    let folder = Folder::new(&[]);
    for args in
        [&[] as &[&str], &["opt", "--no-such-option"], &["dump"], &["opt", "--max-iterations", "many"]]
    {
        let run = folder.run(args);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.contains("--help"), "{}", run.stderr);
    }
    let help = folder.run(&["opt", "--help"]);
    assert_eq!((help.status, help.stderr.as_str()), (0, ""));
    assert!(help.stdout.contains("Examples:"));
}

#[test]
fn help_command_accepts_help_options() {
    let folder = Folder::new(&[]);
    let help = folder.run(&["help"]);
    assert_eq!((help.status, help.stderr.as_str()), (0, ""));
    for args in [&["help", "--help"] as &[&str], &["help", "-h"]] {
        let run = folder.run(args);
        assert_eq!((run.status, &run.stdout), (0, &help.stdout), "{}", run.stderr);
    }
    let opt = folder.run(&["help", "opt", "--help"]);
    assert_eq!(opt.status, 0, "{}", opt.stderr);
    assert!(opt.stdout.contains("Rewrite MLIR with rules"), "{}", opt.stdout);
}

#[cfg(target_os = "linux")]
#[test]
fn failure_to_write_help_is_an_error() {
    let folder = Folder::new(&[]);
    for args in
        [&["--help"] as &[&str], &["opt", "--help"], &["--version"], &["man"], &["completions", "bash"]]
    {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = folder.command(args).stdout(full).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {message}");
        assert!(message.starts_with("error: cannot write 'standard output': No space left"), "{message}");
    }
}

#[test]
fn misspelled_names_get_a_suggestion() {
    let text =
        rules("def AIsB : Pat<(AOp $x), (BOp $x)>;\ndef BIsGone : Pat<(BOp $x), (replaceWithValue $x)>;");
    let call = rules("def Call : Pat<(AOp $x), (BOp (NativeCodeCall<\"doublle($_builder, $0)\"> $x))>;");
    let script = "rewrite(\"double\", \"(value) -> value\", |ir, x| x);";
    let folder =
        Folder::new(&[("rules.td", &text), ("call.td", &call), ("natives.rhai", script), ("in.mlir", INPUT)]);
    for (args, status, name) in [
        (&["opt", "in.mlir", "--rules", "rules.td", "--enable", "BIsGon"] as &[&str], 1, "'BIsGone'"),
        (&["explain", "in.mlir", "--rules", "rules.td", "--rule", "aisb"], 1, "'AIsB'"),
        (&["explain", "in.mlir", "--rules", "rules.td", "--at", "test.uses"], 1, "'test.use'"),
        (&["equiv", "rules.td", "rules.td", "--engine", "tree,automaton", "--disable", "AIsBB"], 2, "'AIsB'"),
        (&["opt", "in.mlir", "--rules", "call.td", "--natives", "natives.rhai"], 1, "'double'"),
        (&["man", "chek"], 2, "'check'"),
        (&["opt", "--rule", "rules.td"], 2, "'--rules'"),
    ] {
        let run = folder.run(args);
        assert_eq!(run.status, status, "{args:?}: {}{}", run.stdout, run.stderr);
        let suggested = run.stderr.contains(&format!("did you mean {name}?"))
            || run.stderr.contains(&format!("a similar argument exists: {name}"));
        assert!(suggested, "{args:?}: {}", run.stderr);
    }
}

#[test]
fn output_is_coloured_only_on_request() {
    let folder = Folder::new(&[]);
    let plain = folder.run(&["opt", "missing.mlir"]);
    assert!(!plain.stderr.contains('\u{1b}'));
    let coloured = folder.run(&["opt", "missing.mlir", "--color", "always"]);
    assert!(coloured.stderr.contains('\u{1b}'));
}

#[cfg(unix)]
#[test]
fn closed_standard_output_is_not_an_error() {
    let folder = Folder::new(&[]);
    let many = "\"test.a\"() : () -> ()\n".repeat(20_000);
    std::fs::write(folder.path("in.mlir"), many).unwrap();
    let mut child =
        folder.command(&["opt", "in.mlir"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[cfg(unix)]
#[test]
fn output_to_a_named_pipe_keeps_the_pipe() {
    let folder = Folder::new(&[("in.mlir", INPUT)]);
    let made = Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap();
    assert!(made.success());
    let pipe = folder.path("pipe");
    let reader = std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap());
    let run = folder.run(&["opt", "in.mlir", "--generic", "-o", "pipe"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(reader.join().unwrap(), INPUT);
    assert!(!folder.path("pipe").is_file());
}

/// A loaded rule, rules with missing natives, and rejected rules.
const MIXED: &str = r#"
def Small : Constraint<CPred<"isSmall($0)">>;
def Twice : NativeCodeCall<"twice($_builder, $0)">;
def AIsB : Pat<(AOp $x), (BOp $x), [], [], (addBenefit 3)>;
def NeedsTwo : Pat<(COp $x, $n), (COp $x, (Twice $n)), [(Small $n)]>;
def NeedsOne : Pat<(COp (AOp $x), $n), (COp $x, (Twice $n))>;
def Unbound : Pat<(BOp $x), (AOp $y)>;
def TooFew : Pat<(COp $x), (AOp $x)>;
"#;

#[test]
fn check_lists_the_state_of_each_rule() {
    let folder = Folder::new(&[("rules.td", &rules(MIXED))]);
    let run = folder.run(&["check", "rules.td"]);
    assert_eq!(run.status, 1);
    insta::assert_snapshot!("check_table", run.stdout);
    insta::assert_snapshot!("check_messages", run.stderr);

    let json = folder.run(&["check", "rules.td", "--format", "json", "-q"]);
    let report: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let of = |name: &str| {
        let rules = report["rules"].as_array().unwrap();
        rules.iter().find(|rule| rule["name"] == name).unwrap().clone()
    };
    assert_eq!(of("AIsB")["benefit"], 4);
    assert_eq!(of("NeedsTwo")["missing"], serde_json::json!(["twice", "isSmall"]));
    assert_eq!(of("Unbound")["status"], "rejected");
    assert_eq!(of("TooFew")["root"], "test.c");
    assert_eq!(report["natives"].as_array().unwrap().len(), 2);
    assert_eq!(report["natives"][0]["signature"], "(attribute) -> attribute");
}

#[test]
fn check_succeeds_with_warnings() {
    let text = MIXED.split("def Unbound").next().unwrap();
    let folder = Folder::new(&[("rules.td", &rules(text))]);
    let run = folder.run(&["check", "rules.td"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("warning: native rewrite 'twice' is not registered"), "{}", run.stderr);
    assert!(run.stdout.contains("3 of 3 rules loaded, 2 of 2 natives missing\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("1 of 3 rules run; 2 need 2 natives\n"), "{}", run.stdout);
    let run = folder.run(&["check"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("no rule file is given"), "{}", run.stderr);
}

/// Two compiled rules; the first calls an unregistered native.
fn compiled() -> Folder {
    let text = rules(
        r#"
def HasFriend : Constraint<CPred<"hasFriend($0)">>;
def AIsB : Pat<(AOp:$a $x), (BOp $x), [(HasFriend $a)]>;
def AIsGone : Pat<(AOp $x), (replaceWithValue $x)>;
"#,
    );
    let folder = Folder::new(&[("rules.td", &text), ("in.mlir", INPUT)]);
    let run = folder.run(&["compile", "rules.td", "-o", "rules.drrbc"]);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    assert!(run.stderr.starts_with("2 rules, "), "{}", run.stderr);
    folder
}

#[test]
fn compiled_program_behaves_as_its_rules() {
    let folder = compiled();
    for more in [
        &["--allow-missing-natives"] as &[&str],
        &["--allow-missing-natives", "--driver", "walk"],
        &["--disable", "AIsB"],
        &["--enable", "AIsGone"],
    ] {
        let run = |rules: &str| {
            // A compiled program has places but no source text, so lines that quote the source are not compared.
            let args = [&["opt", "in.mlir", "--rules", rules, "--message-format", "llvm"], more].concat();
            let run = folder.run(&args);
            assert_eq!(run.status, 0, "{}", run.stderr);
            let messages: Vec<String> = without_times(&run.stderr)
                .lines()
                .filter(|line| line.contains("rule"))
                .map(str::to_owned)
                .collect();
            (run.stdout, messages)
        };
        let expected = run("rules.td");
        assert!(expected.1.last().unwrap().ends_with("1 rewrite: AIsGone 1"), "{expected:?}");
        assert_eq!(run("rules.drrbc"), expected, "{more:?}");
    }
    let listing = |rules: &str| folder.run(&["dump", "--stage", "bytecode", "--rules", rules]).stdout;
    assert!(listing("rules.td").contains("AIsB rules.td:13"), "{}", listing("rules.td"));
    assert_eq!(listing("rules.drrbc"), listing("rules.td"));
}

#[test]
fn rules_can_be_read_from_standard_input() {
    let rules = rules("def AIsB : Pat<(AOp $x), (BOp $x)>;");
    let folder = Folder::new(&[("rules.td", &rules), ("in.mlir", INPUT)]);
    let expected = folder.run(&["opt", "in.mlir", "--rules", "rules.td"]).stdout;
    assert!(expected.contains("test.b"));
    let printed = folder.run(&["dump", "--stage", "pdl", "--rules", "rules.td"]).stdout;
    for text in [printed, format!("// A comment.\n{rules}")] {
        let run = folder.run_with_input(&["opt", "in.mlir", "--rules", "-"], &text);
        assert_eq!((run.status, run.stdout.as_str()), (0, expected.as_str()), "{}", run.stderr);
    }
    let twice = folder.run_with_input(&["opt", "-", "--rules", "-"], INPUT);
    assert_eq!((twice.status, twice.stdout.as_str()), (1, ""));
    assert!(twice.stderr.contains("error: standard input can be read only once"), "{}", twice.stderr);
    let wrong = folder.run_with_input(&["opt", "in.mlir", "--rules", "-"], "pdl.pattern : benefit(1) {");
    assert_eq!(wrong.status, 1);
    assert!(wrong.stderr.contains("<stdin>:1:26"), "{}", wrong.stderr);
}

#[test]
fn definitions_of_standard_input_are_listed_without_those_of_its_includes() {
    let definitions = rules("def Other : Dialect { let name = \"other\"; }");
    let folder = Folder::new(&[("other.td", &definitions)]);
    let text = "include \"other.td\"\ndef This : Dialect { let name = \"this\"; }";
    let run = folder.run_with_input(&["ods", "-"], text);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("dialect this") && !run.stdout.contains("dialect other"), "{}", run.stdout);
}

/// A rule without a name is shown as `<unnamed>` and gets no warnings about unused symbols.
#[test]
fn unnamed_rules() {
    let pdl = "pdl.pattern : benefit(1) {
  %t = type : i32
  %x = operand
  %r = operation \"test.a\"(%x : !pdl.value) -> (%t : !pdl.type)
  apply_native_constraint \"is_it\"(%x, %t : !pdl.value, !pdl.type)
  rewrite %r { %b = operation \"test.b\"(%x : !pdl.value) -> (%t : !pdl.type) replace %r with %b }
}";
    let folder = Folder::new(&[("rules.mlir", pdl), ("in.mlir", INPUT)]);
    let run = folder.run(&["opt", "in.mlir", "--rules", "rules.mlir"]);
    insta::assert_snapshot!(run.stderr, @r#"
    error: native constraint 'is_it' is not registered, but rule '<unnamed>' calls it as (value, type)

    note: `-v` shows the places of the calls
    "#);
    let run = folder.run(&["opt", "in.mlir", "--rules", "rules.mlir", "-v"]);
    insta::assert_snapshot!(run.stderr, @r#"
    error: native constraint 'is_it' is not registered, but rule '<unnamed>' calls it as (value, type)
     --> rules.mlir:5:3
      |
    5 |   apply_native_constraint "is_it"(%x, %t : !pdl.value, !pdl.type)
      |   ^^^^^^^^^^^^^^^^^^^^^^^ rule '<unnamed>' calls it
    "#);
    let check = folder.run(&["check", "rules.mlir"]);
    assert!(!check.stderr.contains("binds symbol"), "{}", check.stderr);
    let good = pdl.replace("  apply_native_constraint \"is_it\"(%x, %t : !pdl.value, !pdl.type)\n", "");
    let folder = Folder::new(&[("rules.mlir", &good), ("in.mlir", INPUT)]);
    let run = folder.run(&["opt", "in.mlir", "--rules", "rules.mlir"]);
    assert!(run.stderr.contains("1 rewrite: <unnamed> 1"), "{}", run.stderr);
}

#[test]
fn profile_of_a_compiled_program_shows_instructions() {
    let folder = compiled();
    let profile = |rules: &str| -> serde_json::Value {
        let args = ["profile", "in.mlir", "--rules", rules, "--allow-missing-natives", "--format", "json"];
        let run = folder.run(&args);
        assert_eq!(run.status, 0, "{}", run.stderr);
        serde_json::from_str(&run.stdout).unwrap()
    };
    let (source, program) = (profile("rules.td"), profile("rules.drrbc"));
    let rules = |report: &serde_json::Value| -> Vec<String> {
        let rules = report["rules"].as_array().unwrap().iter();
        let keys = ["rule", "place", "benefit", "tried", "matched", "fired", "rolled_back", "stopped_by"];
        rules.map(|rule| keys.map(|key| rule[key].to_string()).join(" ")).collect()
    };
    assert_eq!(rules(&program), rules(&source));
    assert!(rules(&program)[0].contains("AIsGone"), "{program}");
    for key in ["visits", "rewrites", "predicates_evaluated"] {
        assert_eq!(program[key], source[key], "{key}");
    }
    assert!(source["hottest_nodes"].is_array());
    let hottest = program["hottest_instructions"].as_array().unwrap();
    assert!(
        hottest.iter().any(|at| at["test"].as_str().unwrap().contains("AIsGone rules.td:14")),
        "{program}"
    );
    let run = folder.run(&["profile", "in.mlir", "--rules", "rules.drrbc", "--html", "page.html"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("`--html` shows the decision tree"), "{}", run.stderr);
}

#[test]
fn compiled_program_is_rejected_where_rules_are_expected() {
    let folder = compiled();
    for args in [&["check", "rules.drrbc"] as &[&str], &["compile", "rules.drrbc", "-o", "again.drrbc"]] {
        let run = folder.run(args);
        assert_eq!(run.status, 1, "{args:?}");
        let expected = "'rules.drrbc' is a compiled program, but rules are expected here";
        assert!(run.stderr.contains(expected), "{}", run.stderr);
        assert!(run.stderr.contains("give the files that it was compiled from"), "{}", run.stderr);
    }
    let help = |command: &str| folder.run(&[command, "--help"]).stdout;
    assert!(help("opt").contains("compiled program (.drrbc)"));
    assert!(!help("check").contains(".drrbc"), "{}", help("check"));
}

#[test]
fn compile_writes_the_program_to_a_pipe() {
    let folder = compiled();
    let output = folder.command(&["compile", "rules.td", "-q"]).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    assert_eq!(output.stdout, std::fs::read(folder.path("rules.drrbc")).unwrap());
}

#[test]
fn errors_in_programs() {
    let folder = compiled();
    let program = std::fs::read(folder.path("rules.drrbc")).unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path(name), bytes).unwrap();
    write("short.drrbc", &program[..100]);
    write("long.drrbc", &[&program[..], b"more"].concat());
    write("text.drrbc", b"def A;\n");
    let changed = |at: usize, new: u8| {
        let mut bytes = program.clone();
        bytes[at] = new;
        bytes
    };
    write("newer.drrbc", &changed(12, 200));
    write("damaged.drrbc", &changed(300, !program[300]));
    let mut messages = String::new();
    for (what, args) in [
        ("truncated", &["in.mlir", "--rules", "short.drrbc"] as &[&str]),
        ("bytes after the end", &["in.mlir", "--rules", "long.drrbc"]),
        ("not a program", &["in.mlir", "--rules", "text.drrbc"]),
        ("another version", &["in.mlir", "--rules", "newer.drrbc"]),
        ("a changed byte", &["in.mlir", "--rules", "damaged.drrbc"]),
        ("missing", &["in.mlir", "--rules", "missing.drrbc"]),
        ("a program beside sources", &["in.mlir", "--rules", "rules.td", "--rules", "rules.drrbc"]),
        ("the reference matcher", &["in.mlir", "--rules", "rules.drrbc", "--engine", "reference"]),
        ("a native that is missing", &["in.mlir", "--rules", "rules.drrbc"]),
        ("a rule name that is not there", &["in.mlir", "--rules", "rules.drrbc", "--enable", "R"]),
    ] {
        messages += &format!("==== {what}\n{}", failed_in(&folder, args));
    }
    let run = folder.run(&["dump", "--stage", "tree", "--rules", "rules.drrbc"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    messages += &format!("==== a stage before the byte code\n{}", run.stderr);
    insta::assert_snapshot!(messages.replace(&format!("of {} bytes", program.len()), "of N bytes"));
}

#[test]
fn diff_shows_the_changes() {
    let folder = Folder::new(&[
        ("rules.td", &rules("def AIsB : Pat<(AOp $x), (BOp $x)>;")),
        ("none.td", &rules("def CIsB : Pat<(COp $x, $n), (BOp $x)>;")),
        ("in.mlir", INPUT),
    ]);
    let run = folder.run(&["opt", "in.mlir", "--rules", "rules.td", "--diff", "--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let expected = r#"--- in.mlir
+++ in.mlir, rewritten
@@ -1,5 +1,5 @@
 "builtin.module"() ({
   %0 = "test.x"() : () -> i32
-  %1 = "test.a"(%0) : (i32) -> i32
+  %1 = "test.b"(%0) : (i32) -> i32
   "test.use"(%1) : (i32) -> ()
 }) : () -> ()
"#;
    assert_eq!(run.stdout, expected);
    let coloured = folder.run(&["opt", "in.mlir", "--rules", "rules.td", "--diff", "--color", "always"]);
    assert!(coloured.stdout.contains("\u{1b}[32m+"), "{}", coloured.stdout);
    let same = folder.run(&["opt", "in.mlir", "--rules", "none.td", "--diff"]);
    assert_eq!((same.status, same.stdout.as_str()), (0, ""));
}

#[test]
fn stages_are_logged_on_request() {
    let folder =
        Folder::new(&[("rules.td", &rules("def AIsB : Pat<(AOp $x), (BOp $x)>;")), ("in.mlir", INPUT)]);
    let args = ["opt", "in.mlir", "--rules", "rules.td"];
    let quiet = folder.run(&args);
    assert!(!quiet.stderr.contains("INFO"), "{}", quiet.stderr);
    let stages = ["load{files=1}", "compile{rules=1}", "link{rules=1}", "drive{driver=\"greedy\"}"];
    let logged = folder.run(&[&args[..], &["--log", "drrvm=info"]].concat());
    let places: Vec<_> = stages.iter().map(|stage| logged.stderr.find(stage)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}", logged.stderr);
    assert_eq!(logged.stdout, quiet.stdout);
    let output = folder.command(&args).env("RUST_LOG", "info").output().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().contains("compile{rules=1}"));
    assert_eq!(folder.run(&[&args[..], &["--log", "x=["]].concat()).status, 2);
}

#[test]
fn completions_and_manual_pages_are_generated() {
    let folder = Folder::new(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = folder.run(&["completions", shell]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.contains("split-input-file") && run.stdout.contains("explain"), "{shell}");
    }
    let page = folder.run(&["man", "opt"]);
    assert!(page.stdout.contains(".TH") && page.stdout.contains("max\\-iterations"), "{}", page.stdout);
    assert_eq!((folder.run(&["man"]).status, folder.run(&["man", "nothing"]).status), (0, 2));
}

#[test]
fn debug_greedy_logs_attempts_and_failures() {
    let folder = Folder::new(&[
        (
            "rules.td",
            &rules(
                "def AIsB : Pat<(AOp (AOp $x)), (BOp $x)>;
def CIsA : Pat<(COp $x, $n), (AOp $x), [(Constraint<CPred<\"$0.getInt() == 4\">> $n)]>;
def CIsNull : Pat<(COp $x, $n), (COp $x, (NativeCodeCall<\"IntegerAttr()\"> $n))>;
",
            ),
        ),
        (
            "in.mlir",
            r#""builtin.module"() ({
  %0 = "test.x"() : () -> i32
  %1 = "test.a"(%0) : (i32) -> i32
  %2 = "test.c"(%1) <{n = 4 : i32}> : (i32) -> i32
  %3 = "test.c"(%2) <{n = 5 : i32}> : (i32) -> i32
  "test.use"(%3) : (i32) -> ()
}) : () -> ()
"#,
        ),
    ]);
    let run = folder.run(&["opt", "in.mlir", "--rules", "rules.td", "--debug", "greedy"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let (log, _) = run.stderr.rsplit_once("3 rules, ").unwrap();
    insta::assert_snapshot!("debug_greedy", log);
    let quiet = folder.run(&["opt", "in.mlir", "--rules", "rules.td"]);
    assert_eq!(quiet.stdout, run.stdout);
}

#[test]
fn each_template_instance_is_a_native() {
    let text = "def Wide : Constraint<CPred<\"is_a<UInt>($0.getType()) && !is_a<SInt>($0.getType()) && $0.is<Big>()\">>;
def : Pat<(AOp $x), (BOp $x), [(Wide $x)]>;";
    let folder = Folder::new(&[("rules.td", &rules(text))]);
    let run = folder.run(&["check", "rules.td"]);
    for native in ["\nis_a<UInt> ", "\nis_a<SInt> ", "\nValue::is<Big> "] {
        assert!(run.stdout.contains(native), "{}{}", run.stdout, run.stderr);
    }
}

/// A command that runs for over a second shows its progress, but only on a terminal and without `-q`.
#[test]
#[cfg(target_os = "linux")]
#[allow(clippy::print_stdout, reason = "skipped tests print the reason")]
fn progress_is_shown_only_on_a_terminal() {
    let folder = Folder::new(&[("rules.td", &rules(MIXED.split("def Unbound").next().unwrap()))]);
    let equiv =
        ["equiv", "rules.td", "--engine", "tree,reference", "--allow-missing-natives", "--seconds", "2"];
    let on_a_terminal = |more: &[&str]| {
        let command = [&[env!("CARGO_BIN_EXE_drrvm")], &equiv[..], more].concat().join(" ");
        let run = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .current_dir(folder.path("."))
            .output();
        run.ok().map(|run| String::from_utf8_lossy(&run.stdout).into_owned())
    };
    let in_a_pipe = folder.run(&equiv);
    assert!(!in_a_pipe.stderr.contains(['\r', '\u{1b}']), "{}", in_a_pipe.stderr);
    let Some(shown) = on_a_terminal(&[]) else {
        println!("skipped: script(1) is not on the path");
        return;
    };
    // The progress line is cleared each time before it is drawn again.
    let drawn = |text: &str| text.matches("\u{1b}[2K").count();
    assert!(drawn(&shown) > 5, "{shown:?}");
    let quiet = on_a_terminal(&["-q"]).unwrap();
    assert_eq!(drawn(&quiet), 0, "{quiet:?}");
}

/// An invalid operation that a rule created is attributed to the rule, not to the input.
#[test]
fn invalid_operations_are_attributed_to_the_rule_that_made_them() {
    let rules = r#"include "mlir/IR/PatternBase.td"
include "mlir/IR/CommonAttrConstraints.td"
def T : Dialect { let name = "t"; }
def From : Op<T, "from"> { let arguments = (ins I32:$x); let results = (outs AnyType:$r); }
def To : Op<T, "to"> { let arguments = (ins I32:$x); let results = (outs I32:$r); }
def Other : Op<T, "other"> { let arguments = (ins I32:$x); let results = (outs I32:$r); }
def Good : Pat<(Other $x), (To $x)>;
def Bad : Pat<(From $x), (To $x)>;
"#;
    let input =
        "func.func @f(%x: i32) -> i64 {\n  %0 = \"t.from\"(%x) : (i32) -> i64\n  return %0 : i64\n}\n";
    let folder =
        Folder::new(&[("rules.td", rules), ("in.mlir", input), ("wrong.mlir", &input.replace("from", "to"))]);
    let run = folder.run(&["opt", "in.mlir", "--rules", "rules.td"]);
    assert_eq!(run.status, 1);
    insta::assert_snapshot!(run.stderr, @r#"
    error: 't.to' op result #0 must be i32, but got 'i64'
     --> in.mlir:2:8
      |
    2 |   %0 = "t.from"(%x) : (i32) -> i64
      |        ^
      |
      = note: this is after rewriting; the input is valid
    note: rule 'Bad', which was applied, creates such operations
     --> rules.td:8:5
      |
    8 | def Bad : Pat<(From $x), (To $x)>;
      |     ^^^
    "#);
    let wrong = folder.run(&["opt", "wrong.mlir", "--rules", "rules.td"]);
    assert_eq!(wrong.status, 1);
    assert!(!wrong.stderr.contains("after rewriting") && !wrong.stderr.contains("rule"), "{}", wrong.stderr);
}

/// As with mlir-opt, the parts of a split file that have no errors are written to standard output. An output file is
/// written only if no part has errors.
#[test]
fn parts_without_errors_are_printed_if_another_part_has_errors() {
    let input = "\"t.a\"() : () -> ()\n// -----\n\"t.b\"(\n// -----\n\"t.c\"() : () -> ()\n";
    let folder = Folder::new(&[("in.mlir", input), ("out.mlir", "before")]);
    let opt = ["opt", "in.mlir", "--split-input-file"];
    let run = folder.run(&opt);
    assert_eq!(run.status, 1);
    assert_eq!(
        run.stdout,
        "module {\n  \"t.a\"() : () -> ()\n}\n// -----\n// -----\nmodule {\n  \"t.c\"() : () -> ()\n}\n"
    );
    let run = folder.run(&[&opt[..], &["-o", "out.mlir"]].concat());
    assert_eq!((run.status, &*run.stdout), (1, ""));
    assert_eq!(std::fs::read_to_string(folder.path("out.mlir")).unwrap(), "before");
}

#[test]
fn an_analysis_does_not_report_rewrites() {
    let text = rules("def AIsB : Pat<(AOp $x), (BOp $x)>;");
    let folder = Folder::new(&[("rules.td", &text), ("in.mlir", INPUT)]);
    let analyse = ["--convert=analysis", "--illegal", "test.a", "--legal", "test.b"];
    let run = folder.run(&[&["opt", "in.mlir", "--rules", "rules.td"], &analyse[..]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let summary = without_times(&run.stderr);
    assert!(summary.ends_with("1 operation can be converted"), "{summary}");
}
