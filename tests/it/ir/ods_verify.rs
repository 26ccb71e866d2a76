//! Compares the verification of operations by ODS with MLIR's tests, part by part: drrvm accepts the operations that
//! `mlir-opt` accepts, and rejects those that `mlir-opt` rejects for reasons that ODS states. Some tests also compare
//! the lines of the errors.

use crate::common;

use std::path::{Path, PathBuf};

use crate::common::command::Folder;
use crate::common::{llvm_sources, llvm_tool};
use drrvm::compile::{self, Options};
use drrvm::host::Natives;
use drrvm::ir::{self, Context, IrHost, Module};
use drrvm::ods_verify::Definitions;
use drrvm::pdl::RuleSet;
use drrvm::source::{Diagnostics, SourceMap};

/// Errors that only MLIR reports, because C++ code finds them: a fragment of MLIR's message, and the reason.
const NEEDS_CXX: &[(&str, &str)] = &[
    ("are cast incompatible", "'areCastCompatible' of each cast is C++"),
    ("should have trait 'TestTypeTrait'", "the trait's verifier is C++"),
    ("should have trait 'TestAttrTrait'", "the trait's verifier is C++"),
    ("intializing scalable vectors", "'ConstantOp::verify' is C++"),
    ("expected valid keyword", "the dialect parses attributes without a mnemonic in C++"),
    ("to equal 'four.size()'", "the attribute's verifier is C++"),
    ("invalid kind of type specified", "the parameter's C++ class is not checked"),
    ("failed to parse TestAttrWithTypeParam", "the parameter's C++ class is not checked"),
    ("parameter 'three'", "the text follows or is inside a parameter that C++ reads"),
    ("expected attribute value", "the text follows or is inside a parameter that C++ reads"),
    ("expected ':'", "the text follows or is inside a parameter that C++ reads"),
];

/// Operations whose custom syntax drrvm does not read, by prefix of the name.
const CUSTOM_SYNTAX: &[&str] = &[
    "test.graph_region",
    "test.oilist_",
    "test.string_attr_with_",
    "test.op_with_bit_enum",
    "test.dense_array_attr",
    "test.type_attr_of",
];

/// The lines of a part at which MLIR's test expects an error, with the message.
fn expected(text: &str) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    for (number, line) in (1usize..).zip(text.lines()) {
        for comment in line.split("expected-error").skip(1) {
            let (place, rest) = comment.split_once("{{").unwrap();
            let line = match place.trim().trim_start_matches("-re").trim().trim_start_matches('@') {
                "" => number,
                "below" => number + 1,
                "above" => number - 1,
                offset => number.checked_add_signed(offset.parse().unwrap()).unwrap(),
            };
            all.push((line, rest.split("}}").next().unwrap().to_owned()));
        }
    }
    all
}

/// The operations that a `.td` file and its includes define.
fn definitions(file: &Path, include: &[PathBuf]) -> RuleSet {
    let mut sources = SourceMap::default();
    let options = Options { include_dirs: include.to_vec(), ..Options::default() };
    compile::rules(&mut sources, &[file.to_owned()], &options).unwrap().0
}

/// Verifies a text; returns the lines and messages of its errors.
fn verify(rules: &RuleSet, text: &str) -> Vec<(usize, String)> {
    let mut sources = SourceMap::default();
    let file = sources.add("part.mlir", text.to_owned()).unwrap();
    let mut context = Context::new();
    let module = Module::new(&mut context);
    let mut host = IrHost::new(context, module);
    let natives = Natives::new();
    let definitions = Definitions::link(rules.ops(), rules.strings(), rules.snippets(), &mut host, &natives);
    let found = match ir::parse_module(&mut host.context, sources.file(file)) {
        Ok(module) => {
            host.module = module;
            ir::verify_with(&host.context, &host.module, |op, errors: &mut Diagnostics| {
                definitions.check(&host, op).into_iter().for_each(|wrong| errors.push(wrong));
            })
        }
        Err(errors) => errors,
    };
    let line = |d: &drrvm::source::Diagnostic| {
        d.labels.first().filter(|label| !label.span.is_none()).map_or(0, |label| {
            text[..label.span.lo as usize - sources.file(file).span(0..0).lo as usize].matches('\n').count()
                + 1
        })
    };
    found.iter().map(|d| (line(d), d.message.clone())).collect()
}

/// The number of parts with each outcome.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    both_accept: usize,
    both_reject: usize,
    needs_cxx: usize,
    not_read: usize,
}

/// Compares the verification of each part with MLIR's test; `lines` is true if the errors must be at the lines that the
/// test states.
fn judge(rules: &RuleSet, parts: &[(String, Vec<(usize, String)>)], lines: bool) -> Tally {
    let mut tally = Tally::default();
    for (text, expected) in parts {
        let found = verify(rules, text);
        let unread = found.iter().any(|(_, message)| {
            message.ends_with("is unknown") && CUSTOM_SYNTAX.iter().any(|name| message.contains(name))
        });
        if unread {
            tally.not_read += 1;
        } else if expected.is_empty() {
            assert_eq!(found, [], "rejected, but MLIR accepts:\n{text}");
            tally.both_accept += 1;
        } else if found.is_empty() {
            let known = expected.iter().all(|(_, why)| NEEDS_CXX.iter().any(|(word, _)| why.contains(word)));
            assert!(known, "accepted, but MLIR rejects: {expected:?}\n{text}");
            tally.needs_cxx += 1;
        } else {
            for (line, why) in expected {
                let at = |(found, _): &(usize, String)| !lines || found == line;
                assert!(found.iter().any(at), "MLIR reports line {line}: {why}, drrvm {found:?}\n{text}");
            }
            tally.both_reject += 1;
        }
    }
    tally
}

fn parts(file: &Path) -> Vec<(String, Vec<(usize, String)>)> {
    let text = std::fs::read_to_string(file).unwrap();
    text.split("// -----\n").map(|part| (part.to_owned(), expected(part))).collect()
}

fn test_dialect(sources: &Path) -> RuleSet {
    let folder = sources.join("mlir/test/lib/Dialect/Test");
    definitions(&folder.join("TestOps.td"), &[sources.join("mlir/include"), folder])
}

#[test]
fn traits_are_verified_as_in_mlir() {
    let Some(sources) = llvm_sources() else { return };
    let tally = judge(&test_dialect(&sources), &parts(&sources.join("mlir/test/IR/traits.mlir")), true);
    assert_eq!(tally, Tally { both_accept: 15, both_reject: 45, needs_cxx: 2, not_read: 10 });
}

#[test]
fn attribute_constraints_are_verified_as_in_mlir() {
    let Some(sources) = llvm_sources() else { return };
    let tally = judge(&test_dialect(&sources), &parts(&sources.join("mlir/test/IR/attribute.mlir")), true);
    assert_eq!(tally, Tally { both_accept: 22, both_reject: 30, needs_cxx: 0, not_read: 7 });
}

#[test]
fn results_must_fit_the_broadcast_shape_of_the_operands() {
    let (Some(sources), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let rules = test_dialect(&sources);
    for (operand, other, result, good) in [
        ("?", "0", "3", true),
        ("?", "2", "3", false),
        ("2", "1", "3x2", true),
        ("3x1", "2", "2", false),
        ("*", "1", "2", false),
        ("*", "2", "3x2", true),
    ] {
        let [operand, other, result] = [operand, other, result].map(|sizes| format!("tensor<{sizes}xi32>"));
        let text = format!(
            "%a, %b = \"t.x\"() : () -> ({operand}, {other})\n\
             %0 = \"test.broadcastable\"(%a, %b) : ({operand}, {other}) -> {result}\n"
        );
        let mlir = common::pipe_text(&tool, &["--allow-unregistered-dialect"], &text);
        assert_eq!(mlir.is_ok(), good, "MLIR's verdict on\n{text}");
        assert_eq!(verify(&rules, &text).is_empty(), good, "{text}");
    }
}

/// A property is stored as an attribute of one class, and MLIR rejects attributes of other classes.
#[test]
fn attributes_of_properties_have_their_class() {
    let (Some(sources), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let rules = test_dialect(&sources);
    let simple =
        |properties: &str| format!("%0 = \"test.prop_pattern_op_1\"() <{{{properties}}}> : () -> i32\n");
    let defaults = |properties: &str| {
        format!("\"test.with_default_valued_properties\"() <{{{properties}}}> : () -> ()\n")
    };
    for (text, good) in [
        (simple("tag = \"a\", val = 5 : i64, cond = true"), true),
        (simple("tag = \"a\", val = 5 : i8, cond = 0 : i1"), true),
        (simple("tag = 3 : i32, val = 5 : i64, cond = true"), false),
        (simple("tag = \"a\", val = \"b\", cond = true"), false),
        (simple("tag = \"a\", val = 5 : i64, cond = 1 : i32"), false),
        (defaults("c = 3 : i32, unit"), true),
        (defaults("unit = false"), true),
        (defaults("b = 3 : i32"), false),
        (defaults("c = \"a\""), false),
    ] {
        assert_eq!(common::pipe_text(&tool, &[], &text).is_ok(), good, "MLIR's verdict on\n{text}");
        assert_eq!(verify(&rules, &text).is_empty(), good, "{text}");
    }
}

#[test]
fn texts_of_attributes_and_types_are_verified_as_in_mlir() {
    let Some(sources) = llvm_sources() else { return };
    let rules = test_dialect(&sources);
    let parts = parts(&sources.join("mlir/test/mlir-tblgen/attr-or-type-format.mlir"));
    // MLIR reports errors inside an attribute or type while parsing; drrvm reports them at the operation.
    let tally = judge(&rules, &parts, false);
    assert_eq!(tally, Tally { both_accept: 0, both_reject: 14, needs_cxx: 5, not_read: 0 });
}

/// `mlir-opt` first prints the operations in generic form, without verifying them.
#[test]
fn arith_is_verified_as_in_mlir() {
    let (Some(sources), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let include = sources.join("mlir/include");
    let rules = definitions(&include.join("mlir/Dialect/Arith/IR/ArithOps.td"), &[include]);
    let mut read = Vec::new();
    let mut syntax = 0;
    for (part, expected) in parts(&sources.join("mlir/test/Dialect/Arith/invalid.mlir")) {
        match generic(&tool, &part) {
            Some(text) => read.push((text, expected)),
            None => syntax += 1,
        }
    }
    let tally = judge(&rules, &read, false);
    assert_eq!(tally, Tally { both_accept: 0, both_reject: 89, needs_cxx: 3, not_read: 0 });
    assert_eq!(syntax, 19);
}

fn generic(tool: &str, text: &str) -> Option<String> {
    let flags = [
        "--mlir-very-unsafe-disable-verifier-on-parsing",
        "--mlir-print-op-generic",
        "--allow-unregistered-dialect",
    ];
    common::pipe_text(tool, &flags, text).ok()
}

/// Checks that a dialect's definitions accept those parts of a test file that MLIR accepts; returns the number of
/// occurrences of `with` in these parts.
fn accepts(definitions: &RuleSet, tool: &str, file: &Path, with: &str) -> usize {
    let text = std::fs::read_to_string(file).unwrap();
    let flags = ["--mlir-print-op-generic", "--allow-unregistered-dialect"];
    let mut accepted = 0;
    for part in text.split("// -----\n").filter_map(|part| common::pipe_text(tool, &flags, part).ok()) {
        assert_eq!(verify(definitions, &part), [], "rejected, but MLIR accepts:\n{part}");
        accepted += part.matches(with).count();
    }
    accepted
}

/// The elements of `di_expression` are written without `<>` around them, and only C++ can read their arguments.
#[test]
fn elements_that_only_cpp_reads_are_accepted() {
    let (Some(sources), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let include = sources.join("mlir/include");
    let rules = definitions(&include.join("mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td"), &[include]);
    let tests = sources.join("mlir/test/Dialect/LLVMIR");
    let seen = ["debuginfo.mlir", "di-expression-legalization.mlir"]
        .map(|file| accepts(&rules, &tool, &tests.join(file), "di_expression<["));
    assert!(seen.iter().all(|&seen| seen > 0), "{seen:?}");
}

/// If a class makes the symbol name optional, an operation without a name is not a symbol.
#[test]
fn optional_symbols_without_a_name_can_be_anywhere() {
    let (Some(sources), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let include = sources.join("mlir/include");
    let module = |name: &str| {
        format!(
            "func.func @f() {{\n  \"spirv.module\"() <{{addressing_model = #spirv.addressing_model<Logical>, \
             memory_model = #spirv.memory_model<GLSL450>{name}}}> ({{\n  ^bb0:\n  }}) : () -> ()\n  return\n}}\n"
        )
    };
    let pattern = |name: &str| {
        format!(
            "func.func @f() {{\n  \"pdl.pattern\"() <{{benefit = 1 : i16{name}}}> ({{\n    %0 = pdl.operation\n    \
             pdl.rewrite %0 with \"r\"\n  }}) : () -> ()\n  return\n}}\n"
        )
    };
    let of = |path: &str| definitions(&include.join(path), std::slice::from_ref(&include));
    let spirv = of("mlir/Dialect/SPIRV/IR/SPIRVStructureOps.td");
    let pdl = of("mlir/Dialect/PDL/IR/PDLOps.td");
    for (rules, text, good) in [
        (&spirv, module(""), true),
        (&spirv, module(", sym_name = \"m\""), false),
        (&spirv, module(", sym_visibility = \"strange\""), true),
        (&pdl, pattern(""), true),
        (&pdl, pattern(", sym_name = \"p\""), false),
    ] {
        assert_eq!(common::pipe_text(&tool, &[], &text).is_ok(), good, "MLIR's verdict on\n{text}");
        let text = generic(&tool, &text).unwrap();
        assert_eq!(verify(rules, &text).is_empty(), good, "{text}");
    }
}

/// Fragments of MLIR's messages about constraints that ODS states.
const OF_ODS: &[&str] = &[
    "operand #",
    "result #",
    "failed to satisfy constraint",
    "failed to verify that",
    "failed to verify constraint",
    "requires attribute '",
    "requires the same",
    "expects parent op",
];

/// Runs `drrvm opt` on a file with the definitions in a folder. Returns the lines and messages of its errors.
fn errors_of_command(include: &Path, text: &str, options: &[&str]) -> Vec<(usize, String)> {
    let files = Folder::new(&[("in.mlir", text)]);
    let include = include.to_str().unwrap();
    let args = ["opt", "in.mlir", "--split-input-file", "--dialects", include, "-I", include];
    let run = files.run(&[&args, options].concat());
    let lines: Vec<&str> = run.stderr.lines().collect();
    let place = |line: &str| line.trim().strip_prefix("--> in.mlir:")?.split(':').next()?.parse().ok();
    let errors =
        lines.windows(2).filter_map(|pair| Some((pair[0].strip_prefix("error: ")?, place(pair[1])?)));
    errors.map(|(message, line)| (line, message.to_owned())).collect()
}

/// The operations of `--dialects` are verified. If a part of MLIR's tests violates a constraint of ODS, drrvm rejects
/// the part at the same line, with at most one exception in ten parts. drrvm's verifier rejects no valid part.
#[test]
fn operations_of_dialects_are_verified_as_in_mlir() {
    let Some(sources) = llvm_sources() else { return };
    let include = sources.join("mlir/include");
    let (mut wrong, mut accepted, mut valid) = (0, Vec::new(), 0);
    for dialect in ["Math", "MemRef", "Ptr", "SCF", "SPIRV/IR/arithmetic-ops", "Tensor", "Vector"] {
        let name =
            if dialect.contains('/') { format!("{dialect}.mlir") } else { format!("{dialect}/invalid.mlir") };
        let Ok(text) = std::fs::read_to_string(sources.join("mlir/test/Dialect").join(&name)) else {
            continue;
        };
        let found = errors_of_command(&include, &text, &[]);
        let unverified =
            errors_of_command(&include, &text, &["--mlir-very-unsafe-disable-verifier-on-parsing"]);
        let mut line = 0;
        for part in text.split("// -----") {
            let here = line + 1..=line + part.matches('\n').count() + 1;
            let expected = expected(part);
            let is_of_ods = |error: &&(usize, String)| OF_ODS.iter().any(|words| error.1.contains(words));
            let (wanted, is_valid) = (expected.iter().find(is_of_ods), expected.is_empty());
            if let Some((at, wanted)) = wanted {
                wrong += 1;
                if !found.iter().any(|(found, _)| *found == line + at) {
                    accepted.push(format!("{name}:{}: {wanted:?}", line + at));
                }
            }
            if is_valid {
                valid += 1;
                let more = found.iter().find(|error| here.contains(&error.0) && !unverified.contains(error));
                assert_eq!(more, None, "{name}: MLIR accepts\n{part}");
            }
            line = here.end() - 1;
        }
    }
    println!("{wrong} wrong parts, {} of them accepted; {valid} valid parts, all accepted", accepted.len());
    // The accepted parts violate constraints that are C++ code.
    assert!(wrong > 60 && accepted.len() * 10 < wrong, "{wrong} wrong parts, accepted: {accepted:#?}");
}

/// Operations with constraints on types (one constraint is on variadic operands and results), and an operation with a
/// constraint on its region.
const OPERANDS: &str = r#"
include "mlir/IR/OpBase.td"
def My_Dialect : Dialect { let name = "my"; let cppNamespace = "::my"; }
def My_SameOp : Op<My_Dialect, "same", [AllTypesMatch<["a", "b"]>]> {
  let arguments = (ins AnyType:$a, AnyType:$b, Variadic<AnyType>:$c);
}
def My_ListOp : Op<My_Dialect, "list", [AllTypesMatch<["a", "r"]>]> {
  let arguments = (ins Variadic<AnyType>:$a);
  let results = (outs Variadic<AnyType>:$r);
}
def My_WidthOp : Op<My_Dialect, "width"> { let arguments = (ins I32:$a); }
def My_BodyOp : Op<My_Dialect, "body"> { let regions = (region SizedRegion<1>:$body); }
def My_ElementOp : Op<My_Dialect, "element", [
    TypesMatchWith<"the element", "a", "r", "::mlir::getElementTypeOrSelf($_self)">]> {
  let arguments = (ins AnyType:$a);
  let results = (outs AnyType:$r);
}
"#;

#[test]
fn definitions_and_their_packs_verify_operations() {
    let text = |ops: &str| format!("func.func @f(%a: i32, %b: i64) {{\n{ops}\n  return\n}}\n");
    let pairs = [
        ("\"my.same\"(%a, %a) : (i32, i32) -> ()", ""),
        ("\"my.same\"(%a, %a, %b, %b) : (i32, i32, i64, i64) -> ()", ""),
        ("\"my.same\"(%a, %b) : (i32, i64) -> ()", "'my.same' op failed to verify that "),
        ("\"my.same\"(%a, %b, %b) : (i32, i64, i64) -> ()", "'my.same' op failed to verify that "),
        ("%0:2 = \"my.list\"(%a, %b) : (i32, i64) -> (i32, i64)", ""),
        ("%0:2 = \"my.list\"(%a, %b) : (i32, i64) -> (i32, i32)", "'my.list' op failed to verify that "),
        ("%0 = \"my.list\"(%a, %b) : (i32, i64) -> i32", "'my.list' op failed to verify that "),
        ("\"my.body\"() ({ \"my.other\"() : () -> () }) : () -> ()", ""),
        ("\"my.body\"() ({}) : () -> ()", "'my.body' op region #0 ('body') failed to verify constraint: "),
        ("%0 = \"my.element\"(%a) : (i32) -> i32", ""),
        ("%0 = \"my.element\"(%a) : (i32) -> i64", "'my.element' op failed to verify that the element"),
        ("\"my.width\"(%b) : (i64) -> ()", "'my.width' op operand #0 must be i32, but got 'i64'"),
    ];
    for (ops, message) in pairs {
        let files = Folder::new(&[("My.td", OPERANDS), ("in.mlir", &text(ops))]);
        let packed = files.run(&["ods", "--pack", "My.td", "-o", "my.drrdl"]);
        assert_eq!(packed.status, 0, "{}", packed.stderr);
        for definitions in ["My.td", "my.drrdl"] {
            let run = files.run(&["opt", "in.mlir", "--dialects", definitions]);
            assert_eq!(run.status == 0, message.is_empty(), "{ops}: {}", run.stderr);
            if !message.is_empty() {
                assert!(run.stderr.contains(&format!("error: {message}")), "{ops}: {}", run.stderr);
                assert!(run.stderr.contains("--> in.mlir:2:"), "{ops}: {}", run.stderr);
            }
            let option = "--mlir-very-unsafe-disable-verifier-on-parsing";
            assert_eq!(files.run(&["opt", "in.mlir", "--dialects", definitions, option]).status, 0, "{ops}");
        }
    }
}
