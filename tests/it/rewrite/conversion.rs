//! Compares dialect conversion with passes of `mlir-opt`, on the parts of MLIR's test files and on random modules. Also
//! tests the conversion options of the command. If a conversion fails, `-test-legalize-patterns` prints the unchanged
//! module.

use drrvm::SourceMap;
use drrvm::internal::equivalence::Random;
use drrvm::rewrite::ConversionMode;

use crate::common::command::Folder;
use crate::common::seed::seed;
use crate::common::{llvm_sources, llvm_tool, pipe_text};
use crate::mlir_test_conversions;
use crate::mlir_test_legalize::{Settings, converted};

const SEPARATOR: &str = "// -----";

/// The parts that drrvm and MLIR convert differently, with the reasons.
const DIFFERENT: &[(&str, &str)] = &[
    // A note in MLIR's test says that MLIR's driver with rollback wrongly makes one cast of four values. drrvm makes
    // the three casts of two values that the note expects.
    ("test-legalizer:26", "three casts of two values"),
    ("test-legalizer-no-rollback:1", "drrvm's rewriter cannot replace only some of the uses of a value"),
    ("test-legalizer-fold-after:1", "drrvm has no option for folding after rules"),
    ("test-legalize-type-conversion:13", "replaced block arguments exist until the conversion ends"),
    ("test-context-aware-type-converter:1", "drrvm's type conversion does not depend on the value"),
    ("test-context-aware-type-converter:2", "drrvm's type conversion does not depend on the value"),
];

fn parts(text: &str) -> Vec<String> {
    let kept: String =
        text.lines().filter(|line| !line.starts_with("notify")).flat_map(|line| [line, "\n"]).collect();
    kept.split(SEPARATOR).map(|part| part.trim().to_owned()).collect()
}

const PARTIAL: Settings = Settings { mode: ConversionMode::Partial, fold: true, keep_casts: false };
const FULL: Settings = Settings { mode: ConversionMode::Full, ..PARTIAL };

/// The results of MLIR and of drrvm for each part.
fn both(mlir: &str, input: &str, option: &str, settings: Settings) -> Vec<(String, String)> {
    let common = ["-allow-unregistered-dialect", "-split-input-file", "--mlir-print-op-generic"];
    let generic = pipe_text(mlir, &common, input).expect("the input is valid");
    let expected = pipe_text(mlir, &[&common[..], &[option]].concat(), input).expect("the pass never fails");
    let ours: Vec<String> = parts(&generic)
        .iter()
        .map(|part| converted(&mut SourceMap::default(), part, settings).expect("valid").text)
        .collect();
    let ours =
        pipe_text(mlir, &common, &ours.join(&format!("\n{SEPARATOR}\n"))).expect("the result is valid");
    parts(&expected).into_iter().zip(parts(&ours)).collect()
}

#[test]
fn parts_of_mlir_tests_are_converted_alike() {
    let (Some(sources), Some(mlir)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let (mut same, mut all, mut wrong) = (0, 0, Vec::new());
    let pass = "-test-legalize-patterns";
    for (name, options, settings) in [
        ("test-legalizer", "", PARTIAL),
        ("test-legalizer-rollback", "", PARTIAL),
        ("test-legalizer-no-rollback", "allow-pattern-rollback=0", PARTIAL),
        ("test-legalizer-fold-before", "test-legalize-folding-mode=before-patterns", PARTIAL),
        ("test-legalizer-fold-after", "test-legalize-folding-mode=after-patterns", PARTIAL),
        ("test-legalizer-no-fold", "test-legalize-folding-mode=never", Settings { fold: false, ..PARTIAL }),
        (
            "test-legalizer-no-materializations",
            "allow-pattern-rollback=0 build-materializations=0",
            Settings { keep_casts: true, ..PARTIAL },
        ),
        ("test-legalizer-full", "test-legalize-mode=full", FULL),
        ("test-legalizer-full-rollback", "test-legalize-mode=full", FULL),
    ] {
        let option = format!("{pass}={options}");
        let path = sources.join(format!("mlir/test/Transforms/{name}.mlir"));
        let input = std::fs::read_to_string(path).unwrap();
        for (number, (expected, ours)) in both(&mlir, &input, &option, settings).into_iter().enumerate() {
            all += 1;
            let id = format!("{name}:{}", number + 1);
            let excused = DIFFERENT.iter().any(|(part, _)| *part == id);
            same += usize::from(expected == ours);
            if (expected == ours) == excused {
                wrong.push(format!("{id}:\n{expected}\nbut drrvm:\n{ours}"));
            }
        }
    }
    println!("{same} of {all} parts are converted alike");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Converts the parts of test files about types and about single features of the rewriter, each file with the pass that
/// MLIR runs on it. If a pass fails, `mlir-opt` prints nothing.
#[test]
fn parts_of_tests_with_other_passes_are_converted_alike() {
    let (Some(sources), Some(mlir)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let (mut same, mut all, mut wrong) = (0, 0, Vec::new());
    for (name, pass) in [
        ("test-legalize-type-conversion", "legalize-type-conversion"),
        ("test-context-aware-type-converter", "legalize-type-conversion"),
        ("decompose-call-graph-types", "decompose-call-graph-types"),
        ("test-legalize-remapped-value", "remapped-value"),
        ("test-legalize-unknown-root", "legalize-unknown-root-patterns"),
        ("test-legalize-erased-op-with-uses", "legalize-unknown-root-patterns"),
        ("test-legalize-target-materialization-no-uses", "target-materialization-with-no-uses"),
        ("test-merge-blocks", "merge-blocks"),
        ("test-dialect-conversion-pdll", "dialect-conversion-pdll"),
    ] {
        let path = sources.join(format!("mlir/test/Transforms/{name}.mlir"));
        let input = std::fs::read_to_string(path).unwrap();
        for (number, part) in input.split(SEPARATOR).enumerate() {
            all += 1;
            let id = format!("{name}:{}", number + 1);
            let common = ["-allow-unregistered-dialect", "--mlir-print-op-generic"];
            let generic = pipe_text(&mlir, &common, part).expect("the input is valid");
            let option = format!("-test-{pass}");
            let expected = pipe_text(&mlir, &[&common[..], &[&option]].concat(), part).ok();
            let ours = mlir_test_conversions::converted(&generic, pass)
                .map(|text| pipe_text(&mlir, &common, &text).expect("the result is valid"));
            let excused = DIFFERENT.iter().any(|(part, _)| *part == id);
            let equal = expected.as_deref() == ours.as_deref().ok();
            same += usize::from(equal);
            if equal == excused {
                wrong.push(format!("{id}:\n{expected:?}\nbut drrvm:\n{ours:?}"));
            }
        }
    }
    println!("{same} of {all} parts are converted alike");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// An analysis finds each operation for which MLIR's test expects a remark, except the module, because the module is
/// legal.
#[test]
fn an_analysis_finds_the_operations_that_mlir_finds() {
    let (Some(sources), Some(mlir)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let input = std::fs::read_to_string(sources.join("mlir/test/Transforms/test-legalizer-analysis.mlir"));
    let input = input.unwrap();
    let mut expected: Vec<&str> = input
        .lines()
        .filter_map(|line| line.split_once("expected-remark@+1 {{op '")?.1.split_once("' is legalizable"))
        .map(|(name, _)| name)
        .collect();
    let generic =
        pipe_text(&mlir, &["-allow-unregistered-dialect", "--mlir-print-op-generic"], &input).expect("valid");
    let settings = Settings { mode: ConversionMode::Analysis, ..PARTIAL };
    let found = converted(&mut SourceMap::default(), &generic, settings).expect("valid").convertible;
    let mut found: Vec<&str> = found.iter().map(String::as_str).collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert!(!expected.is_empty());
    assert_eq!(found, expected);
}

/// A module of operations of the test dialect.
fn module(random: &mut Random) -> String {
    let mut text = String::from(
        "\"func.func\"() <{function_type = (i64, i42, f32, i16) -> (), sym_name = \"f\"}> ({\n\
         ^bb0(%a: i64, %b: i42, %c: f32, %d: i16):\n",
    );
    let mut values: Vec<(String, &str)> =
        [("%a", "i64"), ("%b", "i42"), ("%c", "f32"), ("%d", "i16")].map(|(v, t)| (v.to_owned(), t)).to_vec();
    for number in 0..random.below(10) + 1 {
        let (value, ty) = random.pick(&values).cloned().unwrap();
        let made = [
            "test.illegal_op_a",
            "test.illegal_op_b",
            "test.illegal_op_c",
            "test.illegal_op_d",
            "test.illegal_op_e",
            "test.legal_op_a",
            "test.replace_non_root",
            "test.illegal_op_f",
        ];
        match random.below(10) {
            0..4 => {
                // An operation that cannot be legalised makes the whole conversion fail, so it is rare.
                let count = if random.percent(10) { made.len() } else { made.len() - 1 };
                let name = made[random.below(count)];
                let status = if name == "test.legal_op_a" { " <{status = \"Success\"}>" } else { "" };
                text += &format!("  %{number} = \"{name}\"(){status} : () -> i32\n");
                values.push((format!("%{number}"), "i32"));
            }
            4 => {
                text += &format!("  %{number} = \"test.rewrite\"({value}) : ({ty}) -> {ty}\n");
                values.push((format!("%{number}"), ty));
            }
            5..8 => text += &format!("  \"work\"({value}) : ({ty}) -> ()\n"),
            _ => {
                text += &format!(
                    "  \"test.recursive_rewrite\"() <{{depth = {} : i64}}> : () -> ()\n",
                    random.below(4)
                )
            }
        }
    }
    // `test.invalid` is a terminator, which becomes `test.valid`.
    let returned: Vec<_> = (0..random.below(4)).filter_map(|_| random.pick(&values).cloned()).collect();
    let (names, types): (Vec<String>, Vec<&str>) = returned.into_iter().unzip();
    text +=
        &format!("  \"test.invalid\"({}) : ({}) -> ()\n}}) : () -> ()\n", names.join(", "), types.join(", "));
    text
}

#[test]
fn random_modules_are_converted_alike() {
    let Some(mlir) = llvm_tool("mlir-opt") else { return };
    let count = if std::env::var_os("DRRVM_FULL").is_some() { 5000 } else { 300 };
    let random = Random::new(seed());
    let modules: Vec<String> = (0..count).map(|case| module(&mut random.fork(case))).collect();
    let pairs = both(&mlir, &modules.join(&format!("{SEPARATOR}\n")), "-test-legalize-patterns", PARTIAL);
    for (case, (expected, ours)) in pairs.iter().enumerate() {
        assert_eq!(expected, ours, "case {case}:\n{}", modules[case]);
    }
    let changed = pairs.iter().filter(|(expected, _)| !expected.contains("test.illegal_op")).count();
    println!("{count} modules give the same text; {changed} have no illegal operation left");
    assert!(changed * 4 > pairs.len(), "most conversions fail");
}

/// A rule moves a region to a new operation, and the conversion changes the types of the region's block arguments: a
/// type becomes one type, two types or none.
#[test]
fn arguments_of_a_moved_region_get_converted_types() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; }
def U_Dialect : Dialect { let name = "u"; }
class Loop<Dialect dialect> : Op<dialect, "loop"> {
  let arguments = (ins AnyType:$n);
  let results = (outs AnyType:$r);
  let regions = (region AnyRegion:$body);
}
def T_Loop : Loop<T_Dialect>;
def U_Loop : Loop<U_Dialect>;
class Next<Dialect dialect> : Op<dialect, "next"> { let arguments = (ins AnyType:$a, AnyType:$b); }
def T_Next : Next<T_Dialect>;
def U_Next : Next<U_Dialect>;
def TakeBody : NativeCodeCall<"takeRegion($0, 0)">;
def Move : Pat<(T_Loop:$op $n), (U_Loop $n, (TakeBody $op))>;
def ConvertNext : Pat<(T_Next $a, $b), (U_Next $a, $b)>;
"#;
    let input = r#"
"func.func"() <{function_type = (!t.int) -> !t.int, sym_name = "f"}> ({
^bb0(%a: !t.int):
  %r = "t.loop"(%a) ({
  ^bb0(%b: !t.int, %p: !t.pair, %u: !t.unit, %i: i64):
    "t.next"(%b, %a) : (!t.int, !t.int) -> ()
    "u.use"(%i) : (i64) -> ()
    "cf.br"(%b, %p)[^bb1] : (!t.int, !t.pair) -> ()
  ^bb1(%c: !t.int, %q: !t.pair):
    "t.next"(%c, %b) : (!t.int, !t.int) -> ()
    "cf.br"(%c, %q)[^bb1] : (!t.int, !t.pair) -> ()
  }) : (!t.int) -> !t.int
  "func.return"(%r) : (!t.int) -> ()
}) : () -> ()
"#;
    let expected = r#""builtin.module"() ({
  "func.func"() <{function_type = (i32) -> i32, sym_name = "f"}> ({
  ^bb0(%arg0: i32):
    %0 = "u.loop"(%arg0) ({
    ^bb0(%arg1: i32, %arg2: i32, %arg3: f32, %arg4: i64):
      "u.next"(%arg1, %arg0) : (i32, i32) -> ()
      "u.use"(%arg4) : (i64) -> ()
      "cf.br"(%arg1, %arg2, %arg3)[^bb1] : (i32, i32, f32) -> ()
    ^bb1(%1: i32, %2: i32, %3: f32):  // 2 preds: ^bb0, ^bb1
      "u.next"(%1, %arg1) : (i32, i32) -> ()
      "cf.br"(%1, %2, %3)[^bb1] : (i32, i32, f32) -> ()
    }) : (i32) -> i32
    "func.return"(%0) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"#;
    let types = "!t.int -> i32\n!t.pair -> i32, f32\n!t.unit -> ()\n\
                 !t.text -> !u.text<\"http://a>\">, i64\nmaterialize\tu.cast\n";
    let folder = Folder::new(&[("rules.td", rules), ("types.txt", types), ("in.mlir", input)]);
    let common = ["opt", "--generic", "in.mlir", "--rules", "rules.td", "--types", "types.txt"];
    let run = folder.run(&[&common[..], &["--convert=full", "--legal", "u", "--illegal", "t"]].concat());
    assert_eq!((run.status, run.stdout.as_str()), (0, expected), "{}", run.stderr);
    // Without a rule for `t.next`, the conversion fails.
    let failed = folder.run(
        &[&common[..], &["--convert=full", "--legal", "u", "--illegal", "t", "--disable", "ConvertNext"]]
            .concat(),
    );
    assert!(failed.status != 0 && failed.stderr.contains("'t.next'"), "{}", failed.stderr);
}

/// An argument or result that does not become one value loses its attributes, as in MLIR's `FunctionOpInterface`.
#[test]
fn attributes_of_arguments_and_results_follow_their_types() {
    let input = r#"
func.func private @f(!t.pair {t.a}, !t.int {t.b}) -> (!t.int {t.c}, !t.unit {t.d}, !t.int {t.e})
func.func @g(%p: !t.pair, %i: !t.int) -> !t.int {
  %r:3 = "func.call"(%p, %i) <{arg_attrs = [{t.a}, {t.b}], callee = @f, res_attrs = [{t.c}, {t.d}, {t.e}]}>
    : (!t.pair, !t.int) -> (!t.int, !t.unit, !t.int)
  return %r#2 : !t.int
}
"#;
    let expected = r#"module {
  func.func private @f(i32, f32, i32 {t.b}) -> (i32 {t.c}, i32 {t.e})
  func.func @g(%arg0: i32, %arg1: f32, %arg2: i32) -> i32 {
    %0:2 = call @f(%arg0, %arg1, %arg2) {arg_attrs = [{}, {}, {t.b}], res_attrs = [{t.c}, {t.e}]} : (i32, f32, i32) -> (i32, i32)
    return %0#1 : i32
  }
}
"#;
    let types = "!t.int -> i32\n!t.pair -> i32, f32\n!t.unit -> ()\n";
    let folder = Folder::new(&[("types.txt", types), ("in.mlir", input)]);
    let run = folder.run(&["opt", "in.mlir", "--types", "types.txt", "--convert=full"]);
    assert_eq!((run.status, run.stdout.as_str()), (0, expected), "{}", run.stderr);
}

#[test]
fn invalid_options_of_a_conversion_are_errors() {
    let natives = "constraint(\"two\", \"(operation, value)\", |ir, op, value| true);\n\
                   rewrite(\"change\", \"(operation) -> value\", |ir, op| op.results[0]);\n";
    let folder = Folder::new(&[("input.mlir", "\"t.op\"() : () -> ()\n"), ("n.rhai", natives)]);
    for (options, message) in [
        (&["--dynamic", "t.op=two"][..], "the native 'two' does not take an operation as its only argument"),
        (&["--dynamic", "t.op=change"], "the native 'change' is a rewrite, not a constraint"),
        (&["--dynamic", "t.op=none"], "no native 'none' is registered"),
        (&["--dynamic", "=two"], "'--dynamic =two' has no name or no native"),
        (&["--dynamic", "t.op="], "'--dynamic t.op=' has no name or no native"),
        (&["--traversal", "top-down"], "`--traversal` has no effect on a conversion"),
        (&["--driver", "walk"], "`--driver` has no effect on a conversion"),
        (&["--allow-nonconvergence"], "`--allow-nonconvergence` has no effect on a conversion"),
        (&["--engine", "reference"], "`--engine` has no effect on a conversion"),
        (&["--debug", "greedy"], "`--debug greedy` has no effect on a conversion"),
    ] {
        let common = ["opt", "input.mlir", "--generic", "--natives", "n.rhai", "--convert"];
        let run = folder.run(&[&common[..], options].concat());
        assert_eq!(run.status, 2, "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    let run = folder.run(&["opt", "input.mlir", "--convert=analysis", "--keep-casts"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert!(run.stderr.contains("`--keep-casts` has no effect on an analysis"), "{}", run.stderr);
}

#[test]
fn options_of_the_greedy_driver_are_errors_with_the_walk_driver() {
    let folder = Folder::new(&[("input.mlir", "\"t.op\"() : () -> ()\n")]);
    for options in [&["--max-rewrites", "1"][..], &["--no-fold"], &["--traversal", "top-down"]] {
        let run = folder.run(&[&["opt", "input.mlir", "--driver", "walk"], options].concat());
        assert_eq!(run.status, 2, "{}", run.stderr);
        let message = format!("`{}` has no effect on the driver `walk`", options[0]);
        assert!(run.stderr.contains(&message), "{}", run.stderr);
    }
}

#[test]
fn a_name_in_two_statements_about_legality_is_an_error() {
    let folder = Folder::new(&[("input.mlir", "\"t.op\"() : () -> ()\n")]);
    for (options, message) in [
        (&["--legal", "t,u", "--illegal", "v,t"][..], "`--legal` and `--illegal` both name 't'"),
        (
            &["--illegal", "t.op", "--dynamic", "t.op=is_legal"],
            "`--illegal` and `--dynamic` both name 't.op'",
        ),
    ] {
        let run = folder.run(&[&["opt", "input.mlir", "--generic", "--convert"], options].concat());
        assert_eq!(run.status, 2, "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
}
