//! Compares the `pdl` parser and printer with MLIR's own tests and tools.
//!
//! The files are in the sources of LLVM, and the tools are on the path. A test without its file or tool passes, and
//! prints that it was skipped.

use crate::common;

use drrvm::host::Arity;
use drrvm::internal::frontend::pdl_text;
use drrvm::internal::pdl::print_pattern;
use drrvm::internal::pdl::{Arg, Call, Callee, constraints};
use drrvm::pdl::{NodeId, OpDef, Pattern, RuleSet, ValueDef, print};
use drrvm::source::{Diagnostic, Diagnostics, SourceMap};

/// Returns the text of a file of LLVM's sources, or `None` if it does not exist.
fn llvm(path: &str) -> Option<String> {
    common::llvm_sources().and_then(|root| std::fs::read_to_string(root.join(path)).ok())
}

/// Returns standard output, or standard error if the tool fails; `None` if the tool is not installed.
fn run(tool: &str, args: &[&str], input: &str) -> Option<Result<String, String>> {
    common::llvm_tool(tool).map(|tool| common::pipe_text(&tool, args, input))
}

fn mlir_opt(text: &str) -> Option<Result<String, String>> {
    run("mlir-opt", &["--allow-unregistered-dialect", "-"], text)
}

fn read(text: &str) -> Result<RuleSet, (Diagnostics, SourceMap)> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.mlir", text).unwrap();
    let mut rules = RuleSet::default();
    // ODS would supply this definition, which a test of MLIR relies on.
    let name = rules.intern("func.constant");
    let result = ValueDef::new(rules.intern("result"), Arity::One);
    rules.ops_mut().insert(OpDef::new(name).results([result]));
    match pdl_text::parse(&sources, file, &mut rules) {
        Ok(_) => Ok(rules),
        Err(found) => Err((found, sources)),
    }
}

/// Returns the rules of a valid text.
fn good(text: &str) -> RuleSet {
    read(text).unwrap_or_else(|(found, sources)| {
        let shown: Vec<String> = found
            .iter()
            .map(|d| {
                format!(
                    "{}: {}",
                    sources.locate(d.span()).map_or_else(String::new, |l| l.to_string()),
                    d.message
                )
            })
            .collect();
        panic!("{}\n{text}", shown.join("\n"))
    })
}

/// Prints the rules of a text. MLIR must accept the printed text, and drrvm must read it back as the same rules.
fn round_trip(text: &str) {
    let rules = good(text);
    rules.verify().unwrap();
    let printed = print(&rules);
    if let Some(Err(error)) = mlir_opt(&printed) {
        panic!("mlir-opt rejects\n{printed}\n{error}");
    }
    let again = print(&good(&printed));
    assert_eq!(again, printed);
}

/// The parts of a split file, with the number of the first line of each.
fn parts(text: &str) -> Vec<(usize, String)> {
    let mut parts = Vec::new();
    let mut line = 1;
    for part in text.split("// -----\n") {
        parts.push((line, part.to_owned()));
        line += part.lines().count() + 1;
    }
    parts
}

#[test]
fn every_operation_of_the_dialect_round_trips() {
    let Some(text) = llvm("mlir/test/Dialect/PDL/ops.mlir") else { return };
    let mut count = 0;
    for (_, part) in parts(&text) {
        round_trip(&part);
        count += usize::from(part.contains("pdl.pattern"));
        // The generic form of the text gives the same rules.
        if let Some(generic) = run("mlir-opt", &["--mlir-print-op-generic", "-"], &part) {
            let generic = generic.expect("mlir-opt reads its own test");
            assert_eq!(print(&good(&generic)), print(&good(&unnamed(&part))), "{generic}");
        }
    }
    assert_eq!(count, text.matches("pdl.pattern @").count());
}

/// Returns a text as MLIR prints it, with numbers instead of the names of values.
fn unnamed(text: &str) -> String {
    run("mlir-opt", &["-"], text).expect("mlir-opt is installed").expect("mlir-opt accepts the text")
}

#[test]
fn invalid_files_of_mlir_are_rejected_at_the_same_lines() {
    for path in ["mlir/test/Dialect/PDL/invalid.mlir", "mlir/test/Dialect/PDL/invalid-types.mlir"] {
        let Some(text) = llvm(path) else { return };
        let mut cases = 0;
        for (first, part) in parts(&text) {
            // `expected-error@below` refers to the next line that is not such a comment.
            let lines: Vec<&str> = part.lines().collect();
            let is_mark = |line: &str| line.trim_start().starts_with("// expected-");
            let expected: Vec<usize> = (0..lines.len())
                .filter(|&i| lines[i].contains("expected-error"))
                .map(|i| (i..lines.len()).find(|&j| !is_mark(lines[j])).unwrap() + 1)
                .collect();
            if expected.is_empty() {
                continue;
            }
            cases += 1;
            let found = match read(&part) {
                Ok(_) => Vec::new(),
                Err((found, sources)) => error_lines(&found, &sources),
            };
            assert_eq!(found, expected, "{path} from line {first}:\n{part}");
        }
        println!("{path}: {cases} cases");
    }
}

fn error_lines(found: &Diagnostics, sources: &SourceMap) -> Vec<usize> {
    let line = |d: &Diagnostic| sources.locate(d.span()).map(|l| l.line as usize);
    found.iter().filter(|d| d.is_error()).filter_map(line).collect()
}

/// Each case differs from a valid pattern in one respect, and most cases are invalid. drrvm rejects the cases that MLIR
/// rejects, with the first error at the same line.
#[test]
fn changed_patterns_are_rejected_where_mlir_rejects_them() {
    let Some(opt) = common::llvm_tool("mlir-opt") else { return };
    let text = include_str!("../../data/pdl/invalid.mlir");
    let args = ["--allow-unregistered-dialect", "--split-input-file", "-"];
    let output = common::pipe(&opt, &args, text.as_bytes());
    let stderr = String::from_utf8(output.stderr).unwrap();
    let lines = stderr.lines().filter_map(|line| {
        let (place, _) = line.split_once(": error:")?;
        place.split(':').nth(1)?.parse::<usize>().ok()
    });
    let lines: Vec<usize> = lines.collect();
    let (mut wrong, mut rejected, parts) = (Vec::new(), 0, parts(text));
    for (first, part) in &parts {
        let end = first + part.lines().count();
        let theirs = lines.iter().find(|line| (*first..end).contains(line)).map(|line| line + 1 - first);
        let ours = match read(part) {
            Ok(_) => None,
            Err((found, sources)) => error_lines(&found, &sources).first().copied(),
        };
        rejected += usize::from(theirs.is_some());
        if ours != theirs {
            wrong.push(format!("MLIR's line {theirs:?}, ours {ours:?}:\n{part}"));
        }
    }
    println!("{} patterns, {rejected} rejected", parts.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rejected > 100 && parts.len() - rejected > 15);
}

/// drrvm rejects three meaningless forms that `mlir-opt` accepts.
#[test]
fn meaningless_patterns_are_rejected_although_mlir_accepts_them() {
    for (inside, expected) in [
        ("%x = result -1 of %r\nrewrite %r { erase %r }", "expected a number from 0 to 4294967295"),
        (
            "%x = apply_native_constraint \"c\"(%r : !pdl.operation) : !pdl.attribute {isNegated = true}
             rewrite %r { erase %r }",
            "a negated constraint cannot have results",
        ),
        (
            "rewrite %r { %t = type %n = operation \"t.b\" -> (%t : !pdl.type) erase %r }",
            "the type of result 0 of a new operation is not known",
        ),
    ] {
        let text = format!("pdl.pattern : benefit(1) {{ %r = operation \"t.a\"\n{inside} }}");
        if let Some(Err(error)) = mlir_opt(&text) {
            panic!("{error}");
        }
        let (found, _) = read(&text).expect_err(&text);
        assert!(found.iter().any(|error| error.message.starts_with(expected)), "{text}");
    }
}

/// The output of `mlir-pdll` is read, printed and read again.
#[test]
fn output_of_mlir_pdll_round_trips() {
    let Some(root) = llvm("mlir/test/mlir-pdll/CodeGen/MLIR/expr.pdll").and(common::llvm_sources()) else {
        return;
    };
    let mut patterns = 0;
    for file in ["decl", "expr", "stmt"] {
        let dir = root.join("mlir/test/mlir-pdll/CodeGen");
        let path = dir.join(format!("MLIR/{file}.pdll"));
        let include = [root.join("mlir/include"), dir.clone(), dir.join("MLIR")];
        let mut args =
            vec!["-x=mlir".to_owned(), "--split-input-file".to_owned(), path.display().to_string()];
        args.extend(include.iter().map(|dir| format!("-I{}", dir.display())));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let Some(output) = run("mlir-pdll", &args, "") else { return };
        for (_, part) in parts(&output.expect("mlir-pdll compiles its own test")) {
            if part.contains("pdl.pattern") {
                round_trip(&part);
                patterns += part.matches("pdl.pattern").count();
            }
        }
    }
    assert!(patterns >= 20, "{patterns}");
}

/// A rule with several benefits is one pattern in the text, and one rule per benefit after reading.
#[test]
fn several_benefits_of_a_rule_round_trip() {
    let text = r#"
pdl.pattern @by_size : benefit(9) attributes {drrvm.benefits = [["is_small", 9 : i32], ["is_even", 4 : i32], ["is_small", 2 : i32], [1 : i32]]} {
  %x = operand
  %y = operand
  %root = operation "t.a"(%x, %y : !pdl.value, !pdl.value)
  apply_native_constraint "is_even"(%y : !pdl.value) {isNegated = true}
  apply_native_constraint "is_small"(%x : !pdl.value)
  apply_native_constraint "is_small"(%y : !pdl.value)
  apply_native_constraint "must"(%x : !pdl.value)
  rewrite %root { erase %root }
}
pdl.pattern @plain : benefit(3) {
  %root = operation "t.b"
  rewrite %root { erase %root }
}
"#;
    let rules = good(text);
    let benefits: Vec<u16> = rules.patterns().iter().map(|rule| rule.benefit).collect();
    assert_eq!(benefits, [9, 4, 2, 1, 3]);
    let names = |rule: &Pattern| -> Vec<String> {
        let name = |call: &Call| match call.callee {
            Callee::Native(name) => {
                format!("{}{}", if call.negated { "not " } else { "" }, &rules.strings()[name])
            }
            Callee::Snippet(_) => String::new(),
        };
        constraints(rule).iter().map(name).collect()
    };
    let constraints: Vec<Vec<String>> = rules.patterns().iter().map(names).collect();
    assert_eq!(constraints[0], ["must", "is_small"]);
    assert_eq!(constraints[1], ["must", "not is_small", "not is_even"]);
    assert_eq!(constraints[2], ["must", "not is_small", "is_even", "is_small"]);
    assert_eq!(constraints[3], ["must", "not is_small", "is_even", "not is_small"]);
    assert!(constraints[4].is_empty());
    let printed = print(&rules);
    assert_eq!(printed.matches("pdl.pattern").count(), 2, "{printed}");
    round_trip(text);
    // A single instance round-trips like any other rule.
    for id in rules.patterns().ids() {
        round_trip(&print_pattern(&rules, id));
    }
}

/// If a rule calls a native more often than its benefits name it, the benefits refer to the last calls, and the earlier
/// calls are ordinary constraints. The printer prints the constraints of benefits last, so that they are read back as
/// such.
#[test]
fn benefits_and_constraints_of_one_name_round_trip() {
    let text = r#"
pdl.pattern @rule : benefit(5) attributes {drrvm.benefits = [["small", 5 : i32], ["small", 4 : i32], [1 : i32]]} {
  %x = operand
  %y = operand
  %z = operand
  %root = operation "t.a"(%x, %y, %z : !pdl.value, !pdl.value, !pdl.value)
  apply_native_constraint "small"(%z : !pdl.value)
  apply_native_constraint "small"(%y : !pdl.value)
  apply_native_constraint "small"(%x : !pdl.value)
  rewrite %root { erase %root }
}
"#;
    let rules = good(text);
    let last = rules.patterns().iter().last().unwrap();
    let negated: Vec<bool> = constraints(last).iter().map(|call| call.negated).collect();
    assert_eq!(negated, [false, true, true]);
    let again = good(&print(&rules));
    for (a, b) in rules.patterns().iter().zip(again.patterns().iter()) {
        let args = |rule: &Pattern| -> Vec<Vec<Arg<NodeId>>> {
            constraints(rule).iter().map(|call| call.args.clone()).collect()
        };
        assert_eq!(args(a), args(b));
    }
}

/// One run reports the errors of all patterns, each at its line.
#[test]
fn errors_of_all_patterns_are_reported() {
    let text = r#"
pdl.pattern @first : benefit(1) {
  %a = operand
  %root = operation "t.a"(%b : !pdl.value)
  rewrite %root { erase %root }
}
pdl.pattern @second : benefit(70000) {
  %root = operation "t.a"
  rewrite %root { erase %root }
}
pdl.pattern @third : benefit(1) {
  %root = operation "t.a"
  %root = operation "t.b"
  rewrite %root { erase %root }
}
pdl.pattern @fourth : benefit(1) {
  %x = pdl.attribute = dense<[1, 2> : tensor<2xi32>
}
pdl.pattern @fifth : benefit(1) {
  %t = type
  %root = operation "t.a" {"v" = %t}
  rewrite %root { erase %root
"#;
    let (found, sources) = read(text).expect_err("each pattern is wrong");
    let found: Vec<(u32, String)> =
        found.iter().map(|d| (sources.locate(d.span()).unwrap().line, d.message.clone())).collect();
    let expected = [
        (4, "use of undefined value '%b'"),
        (7, "benefit 70000 is out of range: expected 0 to 32767"),
        (13, "'%root' is defined twice"),
        (17, "expected ']' at the end of a list"),
        (21, "'%t' must be !pdl.attribute, not !pdl.type"),
    ];
    assert_eq!(found, expected.map(|(line, message)| (line, message.to_owned())));
}

/// Text that is cut at its end or at its start gives errors or rules, and never a panic.
#[test]
fn truncated_text_causes_no_panic() {
    let Some(text) = llvm("mlir/test/Dialect/PDL/ops.mlir") else { return };
    for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)).step_by(7) {
        drop(read(&text[..end]));
        drop(read(&text[end..]));
    }
}
