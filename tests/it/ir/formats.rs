//! Compares the reader and the printer of custom forms with `mlir-tblgen-22` and `mlir-opt-22`.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::command::Folder;
use crate::common::{llvm_sources, llvm_tool};
use crate::mlir_test_forms::{self, Figures, accepted_chunks, without_names};
use drrvm::compile::DialectFiles;
use drrvm::internal::frontend::{ods, prelude, tablegen};
use drrvm::ir::{Context, PrintOptions, parse_module};
use drrvm::source::SourceMap;

/// The definitions in a test file of MLIR. The flag of a definition is true if MLIR's comments state an error in it.
fn verdicts(text: &str) -> Vec<(String, bool)> {
    let mut all = Vec::new();
    let mut wrong = false;
    for line in text.lines() {
        if line.starts_with("// CHECK: error") {
            wrong = true;
        } else if line.starts_with("// CHECK-NOT: error") {
            wrong = false;
        } else if let Some(rest) = line.strip_prefix("def ")
            && !rest.starts_with("TestDialect")
        {
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
            all.push((name.to_owned(), std::mem::take(&mut wrong)));
        }
    }
    all
}

#[test]
fn formats_have_the_verdicts_of_mlir_tblgen() {
    let Some(root) = llvm_sources() else { return };
    let (mut cases, mut different) = (0, Vec::new());
    for name in ["op-format-spec.td", "op-format-invalid.td", "op-format-verify.td"] {
        let path = root.join("mlir/test/mlir-tblgen").join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut sources = SourceMap::default();
        let main = sources.load(&path).unwrap();
        let config = tablegen::Config {
            include_dirs: vec![root.join("mlir/include")],
            embedded: prelude::FILES,
            ..Default::default()
        };
        let records = tablegen::parse(&mut sources, main, &config).unwrap().records;
        let definitions = ods::read(&records);
        for (name, wrong) in verdicts(&text) {
            let op = definitions.ops.iter().find(|op| records.record(op.record).name() == name);
            // The definitions do not contain an operation that has errors outside its format.
            let found = op.map(|op| definitions.format(op));
            cases += 1;
            let ours = !matches!(&found, Some(Ok(Some(_))));
            if ours != wrong {
                let reason = match found {
                    Some(Err(error)) => error.message,
                    Some(Ok(_)) => "accepted".to_owned(),
                    None => "the operation has other errors".to_owned(),
                };
                different.push(format!("{name}: expected an error: {wrong}; {reason}"));
            }
        }
    }
    println!("{cases} formats have the verdict of mlir-tblgen, except {}", different.len());
    assert!(cases > 100, "the test files have {cases} formats");
    assert!(different.is_empty(), "{}", different.join("\n"));
}

fn mlir_opt(tool: &str, flags: &[&str], text: &str) -> Option<String> {
    use std::io::Write;
    let mut child = Command::new(tool)
        .arg("--allow-unregistered-dialect")
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let owned = text.to_owned();
    let writer = std::thread::spawn(move || {
        // The tool may stop reading after an error.
        let _ = input.write_all(owned.as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    if output.status.success() { String::from_utf8(output.stdout).ok() } else { None }
}

/// Reads and prints a sample of MLIR's tests, or all of them with `DRRVM_FULL`. Checks three shares: the parts that
/// drrvm reads, the parts that have the same meaning as in `mlir-opt`, and the parts that both print as the same text.
/// `cargo run --example mlir_test_forms` shows the causes of differences.
#[test]
fn mlir_tests_are_read_and_printed_as_by_mlir_opt() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let full = std::env::var_os("DRRVM_FULL").is_some();
    let chunks = accepted_chunks(&root.join("mlir/test"), &tool, "", if full { 1 } else { 200 });
    let figures = Figures::of(&mlir_test_forms::verdicts(&root, &chunks));
    println!("{figures}");
    // The shares of a sample vary, so their bounds are lower.
    let [read, meaning, text] = if full { [92, 99, 97] } else { [85, 95, 90] };
    assert!(figures.read * 100 >= figures.chunks * read, "{figures}");
    assert!(figures.meaning * 100 >= figures.read * meaning, "{figures}");
    assert!(figures.text * 100 >= figures.read * text, "{figures}");
}

/// With `DRRVM_FULL`, drrvm prints modules of MLIR's tests. Operations whose formats need no C++ code must be in custom
/// form, and drrvm and `mlir-opt` must read the text back. If one operation does not round-trip, all operations in its
/// module count as failures, so the share of operations that round-trip is a lower bound.
/// `cargo run --example mlir_test_forms -- --operations` shows the reasons.
#[test]
fn operations_round_trip_through_custom_text() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    if std::env::var_os("DRRVM_FULL").is_none() {
        println!("skipped: all definitions of MLIR are read only with DRRVM_FULL");
        return;
    }
    let chunks = accepted_chunks(&root.join("mlir/test"), &tool, "", 1);
    let coverage = mlir_test_forms::operations::coverage(&root, &tool, &chunks, true);
    println!("{coverage}");
    assert!(coverage.declared > 1500, "{coverage}");
    assert!(coverage.wrong.is_empty(), "{:?}", coverage.wrong);
    assert!(coverage.tried > 1700, "{coverage}");
    assert!(coverage.good * 100 >= coverage.tried * 97, "{coverage}");
}

/// The README's example is read with the definitions of the prelude alone, and has the meaning that `mlir-opt` gives
/// it.
#[test]
fn files_with_registered_forms_are_read_without_definitions() {
    let text = include_str!("../../../examples/arith/loop.mlir");
    let mut sources = SourceMap::default();
    let file = sources.add("loop.mlir", text).unwrap();
    let mut context = Context::new();
    context.set_dialects(DialectFiles::new().shared());
    let module = parse_module(&mut context, sources.file(file)).unwrap();
    let custom = module.print(&context, PrintOptions::new());
    assert!(custom.contains(" = tensor.extract %arg0["), "{custom}");
    let Some(tool) = llvm_tool("mlir-opt") else { return };
    let generic = module.print(&context, PrintOptions::new().generic(true));
    let theirs = mlir_opt(&tool, &["--mlir-print-op-generic"], text).unwrap();
    assert_eq!(generic.trim_end(), theirs.trim_end());
    let theirs = mlir_opt(&tool, &[], text).unwrap();
    assert_eq!(without_names(custom.trim_end()), without_names(theirs.trim_end()));
}

/// The text and the names of the results are those of `mlir-opt`, and the definitions are those of the prelude.
#[test]
fn operations_of_memref_are_read_and_printed_without_definitions() {
    let Some(tool) = llvm_tool("mlir-opt") else { return };
    let text = r#"
func.func @f(%m: memref<10xf32>, %d: memref<2x4xf32, 1>, %t: memref<1xi32>, %i: index, %n: index) -> f32 {
  memref.dma_start %m[%i], %d[%i, %n], %n, %t[%i] : memref<10xf32>, memref<2x4xf32, 1>, memref<1xi32>
  memref.dma_start %m[%i], %d[%i, %n], %n, %t[%i], %i, %n : memref<10xf32>, memref<2x4xf32, 1>, memref<1xi32>
  memref.dma_wait %t[%i], %n : memref<1xi32>
  %x = memref.generic_atomic_rmw %m[%i] : memref<10xf32> {
  ^bb0(%c: f32):
    %s = arith.addf %c, %c : f32
    memref.atomic_yield %s : f32
  }
  %1, %2 = memref.distinct_objects %m, %m : memref<10xf32>, memref<10xf32>
  %b, %o, %sz:2, %st:2 = memref.extract_strided_metadata %d : memref<2x4xf32, 1> -> memref<f32, 1>, index, index, index, index, index
  memref.store %x, %1[%sz#1] : memref<10xf32>
  memref.store %x, %2[%st#0] : memref<10xf32>
  return %x : f32
}
"#;
    let mut sources = SourceMap::default();
    let file = sources.add("memref.mlir", text).unwrap();
    let mut context = Context::new();
    context.set_dialects(DialectFiles::new().shared());
    let module = parse_module(&mut context, sources.file(file)).unwrap();
    for (generic, flags) in [(false, &[][..]), (true, &["--mlir-print-op-generic"][..])] {
        let ours = module.print(&context, PrintOptions::new().generic(generic));
        assert_eq!(ours.trim_end(), mlir_opt(&tool, flags, text).unwrap().trim_end());
    }
}

/// The generic form that drrvm prints; `None` if drrvm refuses the text.
fn read(root: &Path, text: &str) -> Option<String> {
    let include = root.join("mlir/include");
    let test = root.join("mlir/test/lib/Dialect/Test");
    // `libmlir-22-dev` contains the generated definitions that the dialect `omp` includes.
    let files = DialectFiles::new().path(&include).path(&test).include_dir(&include).include_dir(&test);
    let files = files.include_dir("/usr/lib/llvm-22/include");
    let mut context = Context::new();
    context.set_dialects(files.shared());
    let mut sources = SourceMap::default();
    let file = sources.add("in.mlir", text).unwrap();
    let module = parse_module(&mut context, sources.file(file)).ok()?;
    let options = PrintOptions::new().generic(true).local_scope(true);
    Some(module.print(&context, options))
}

/// Checks that drrvm refuses the texts that MLIR refuses, and gives the other texts MLIR's meaning. Returns the number
/// of refused texts.
fn compare_texts(root: &Path, tool: &str, texts: impl Iterator<Item = String>) -> usize {
    let mut refused = 0;
    for text in texts {
        let theirs = mlir_opt(tool, &["--mlir-print-op-generic", "--mlir-print-local-scope"], &text);
        refused += usize::from(theirs.is_none());
        let ours = read(root, &text);
        assert_eq!(ours.as_deref().map(str::trim_end), theirs.as_deref().map(str::trim_end), "{text}");
    }
    refused
}

/// In MLIR, C++ code computes the result types of these operations, builds their fixed types, or stores attributes that
/// the text does not contain.
#[test]
fn operations_whose_types_and_attributes_need_cxx_code_have_the_meaning_of_mlir() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let function =
        |arguments: &str, body: &str| format!("func.func @f({arguments}) {{\n{body}\n  return\n}}\n");
    let ptr = "!ptr.ptr<#ptr.generic_space>";
    let sum = |base: &str, offset: &str| {
        function(&format!("%p: {base}, %o: {offset}"), &format!("%0 = ptr.ptr_add %p, %o : {base}, {offset}"))
    };
    let texts = [
        sum(ptr, "index"),
        sum(ptr, "vector<4xindex>"),
        sum(&format!("vector<4x{ptr}>"), "index"),
        sum(&format!("tensor<2x{ptr}>"), "tensor<2xi32>"),
        function(
            &format!("%m: memref<4xf32, #ptr.generic_space>, %p: {ptr}"),
            &format!(
                "%0 = ptr.get_metadata %m : memref<4xf32, #ptr.generic_space>
                 %1 = ptr.from_ptr %p metadata %0 : {ptr} -> memref<4xf32, #ptr.generic_space>"
            ),
        ),
        function(
            "%a: !smt.bv<32>, %b: !smt.bv<3>",
            "%0 = smt.bv.concat %a, %b : !smt.bv<32>, !smt.bv<3>
             %1 = smt.bv.concat %0, %0 : !smt.bv<35>, !smt.bv<35>
             %2 = smt.bv.constant #smt.bv<5> : !smt.bv<32>",
        ),
        "llvm.func @f(%t: !llvm.token, %a: i1) {
           %0 = llvm.intr.coro.suspend %t, %a : i8
           llvm.return
         }"
        .to_owned(),
        "llvm.comdat @c {
           llvm.comdat_selector @any any
         }
         llvm.func @f(%a: i32) vscale_range(1, 4) comdat(@c::@any) attributes {passthrough = [\"x\"]} {
           llvm.return
         }
         func.func private @s(tensor<?xi64, #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), implicitVal = 0 }>>)"
            .to_owned(),
        r#""wasmssa.func"() <{functionType = () -> i32, sym_name = "f"}> ({
             %0 = wasmssa.local of type i32
             %1 = wasmssa.local_get %0 : ref to i32
             %2 = wasmssa.local_tee %0 : ref to i32 to %1 : i32
             wasmssa.return %2 : i32
           }) : () -> ()"#
            .to_owned(),
        r#"omp.private {type = private} @p : i32
           func.func @f(%p: !llvm.ptr) {
             omp.target private(@p %p -> %a : !llvm.ptr) {
               omp.terminator
             }
             return
           }"#
        .to_owned(),
    ];
    assert_eq!(compare_texts(&root, &tool, texts.into_iter()), 0);
}

#[test]
fn types_of_ranges_and_results_of_pdl_are_inferred() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let text = |body: &str| {
        format!(
            "pdl.pattern : benefit(0) {{
               %t = pdl.type
               %ts = pdl.types
               %v = pdl.operand
               %op = pdl.operation
               %all = pdl.results of %op
               %some = pdl.results 1 of %op -> !pdl.range<value>
               %one = pdl.results 2 of %op -> !pdl.value
               pdl.rewrite %op {{
                 {body}
               }}
             }}"
        )
    };
    let bodies = [
        "%e = pdl.range : !pdl.range<type>",
        "%a = pdl.range %t, %ts : !pdl.type, !pdl.range<type>
         %b = pdl.range %all, %one : !pdl.range<value>, !pdl.value
         %c = pdl.range %v : !pdl.value {x}",
        "%a = pdl.range",
        "%a = pdl.range %t : !pdl.type : !pdl.range<type>",
    ];
    // The verifier is off, because it requires a user for each value.
    let flags = [
        "--mlir-very-unsafe-disable-verifier-on-parsing",
        "--verify-each=false",
        "--mlir-print-op-generic",
        "--mlir-print-local-scope",
    ];
    let mut refused = 0;
    for text in bodies.map(text) {
        let theirs = mlir_opt(&tool, &flags, &text);
        refused += usize::from(theirs.is_none());
        assert_eq!(
            read(&root, &text).as_deref().map(str::trim_end),
            theirs.as_deref().map(str::trim_end),
            "{text}"
        );
    }
    assert_eq!(refused, 2);
}

/// In the regions of `tosa.cond_if`, only block labels name the arguments.
#[test]
fn arguments_of_conditional_regions_need_labels() {
    const LABELLED: &str = "^bb0(%x: tensor<2xf32>):\n tosa.yield %x : tensor<2xf32>";
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let text = |then: &str, other: &str| {
        format!(
            "func.func @f(%c: tensor<i1>, %a: tensor<2xf32>) -> tensor<2xf32> {{
               %0 = tosa.cond_if %c (%x = %a) : tensor<i1> (tensor<2xf32>) -> tensor<2xf32> {{
                 {then}
               }} else {{
                 {other}
               }}
               return %0 : tensor<2xf32>
             }}"
        )
    };
    let (unlabelled, outer) = ("tosa.yield %x : tensor<2xf32>", "tosa.yield %a : tensor<2xf32>");
    let texts = [text(LABELLED, LABELLED), text(unlabelled, outer)];
    assert_eq!(compare_texts(&root, &tool, texts.into_iter()), 1);
}

/// The location of the variable of `affine.for` is read and printed.
#[test]
fn loop_variables_have_locations() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let text = r#"module {
  func.func @f() {
    affine.for %i loc("variable") = 0 to 4 {
    } loc("for")
    return loc("return")
  } loc("function")
} loc("module")"#;
    let include = root.join("mlir/include");
    let mut context = Context::new();
    context.set_dialects(DialectFiles::new().path(&include).include_dir(&include).shared());
    let mut sources = SourceMap::default();
    let file = sources.add("in.mlir", text).unwrap();
    let module = parse_module(&mut context, sources.file(file)).unwrap();
    let ours = module.print(&context, PrintOptions::new().debug_info(true).local_scope(true));
    let theirs = mlir_opt(&tool, &["--mlir-print-debuginfo", "--mlir-print-local-scope"], text).unwrap();
    assert_eq!(ours.trim_end(), theirs.trim_end());
}

/// An operation in generic form has no default dialect for its regions.
#[test]
fn names_in_the_regions_of_an_operation_in_generic_form_are_complete() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let text = "shape.function_library @lib {
  func @same(%arg0: !shape.value_shape) -> !shape.shape {
    %0 = shape_of %arg0 : !shape.value_shape -> !shape.shape
    return %0 : !shape.shape
  }
} mapping {test.a = @same}";
    let generic = mlir_opt(&tool, &["--mlir-print-op-generic"], text).unwrap();
    let include = root.join("mlir/include");
    let mut context = Context::new();
    context.set_dialects(DialectFiles::new().path(&include).include_dir(&include).shared());
    let mut sources = SourceMap::default();
    let file = sources.add("in.mlir", generic.as_str()).unwrap();
    let custom = parse_module(&mut context, sources.file(file)).unwrap().print(&context, PrintOptions::new());
    assert!(custom.contains("\"shape.function_library\""), "{custom}");
    assert_eq!(mlir_opt(&tool, &["--mlir-print-op-generic"], &custom), Some(generic));
}

/// drrvm reads MLIR's test of formats with the meaning that it has in MLIR, except the parts that need C++ code of the
/// test dialect.
#[test]
fn formats_of_the_test_dialect_have_the_meaning_of_mlir() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let text = std::fs::read_to_string(root.join("mlir/test/mlir-tblgen/op-format.mlir")).unwrap();
    let mut parts: Vec<String> = Vec::new();
    for part in text.split("\n\n") {
        // An operation with a region can contain empty lines.
        match parts.last_mut() {
            Some(last) if part.starts_with([' ', '^', '}']) => {
                last.push_str("\n\n");
                last.push_str(part);
            }
            _ => parts.push(part.to_owned()),
        }
    }
    let cxx = ["format_custom_directive", "format_infer_type", "inferred_type", "property_in_custom"];
    let needs_cxx = |part: &String| cxx.iter().any(|name| part.contains(name));
    let (cxx, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(needs_cxx);
    println!("{} parts are compared, and {} parts need C++ code", others.len(), cxx.len());
    assert!(others.len() > 80 && cxx.len() < 30, "{} {}", others.len(), cxx.len());
    assert_eq!(compare_texts(&root, &tool, std::iter::once(others.join("\n\n"))), 0);
}

/// MLIR reads `-5` as 4294967291 for a parameter of the C++ type `unsigned`, and `true` as 4294967295.
#[test]
fn integers_of_parameters_have_the_values_that_mlir_stores() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let lines = [
        "0",
        "-0",
        "7",
        "-5",
        "-9",
        "- 7",
        "true",
        "false",
        "-true",
        "-12345678",
        "-123456789",
        "-000000001",
        "000000001",
        "4294967295",
        "4294967296",
        "0xFFFFFFFF",
        "-0xFFFFFFFF",
        "-0x5",
    ];
    let block = |line| {
        format!(
            "module attributes {{d.a = #llvm.di_lexical_block<scope = #llvm.di_file<\"a\" in \"b\">, line = {line}>}} {{}}\n"
        )
    };
    let refused = compare_texts(&root, &tool, lines.into_iter().map(block));
    assert_eq!(refused, 4);
    let sizes = ["-5", "true", "0xFFFFFFFFFFFFFFFF", "18446744073709551615", "-1234567812345678"];
    let ty = |size| {
        format!(
            "module attributes {{d.a = #llvm.di_basic_type<tag = DW_TAG_base_type, name = \"x\", \
             sizeInBits = {size}, encoding = DW_ATE_signed>}} {{}}\n"
        )
    };
    compare_texts(&root, &tool, sizes.into_iter().map(ty));
}

/// For example, a property of class `I64Prop` with the attribute `5 : i32` has the value `5 : i64`.
#[test]
fn properties_have_the_values_that_mlir_stores() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let usual = [
        ("a", "5 : i64"),
        ("array", "array<i64: 1>"),
        ("array32", "array<i32>"),
        ("b", "\"x\""),
        ("c", "\"y\""),
        ("flag", "true"),
    ];
    let all = |name: &str, value: &str| {
        let values =
            usual.map(|(other, usual)| format!("{other} = {}", if other == name { value } else { usual }));
        format!("\"test.with_properties\"() <{{{}}}> : () -> ()\n", values.join(", "))
    };
    let changed = [
        ("a", "5 : i32"),
        ("a", "200 : ui8"),
        ("a", "-1 : i8"),
        ("a", "3 : index"),
        ("a", "true"),
        ("a", "\"q\""),
        ("a", "36893488147419103233 : i128"),
        ("a", "1.0 : f32"),
        ("flag", "1 : i32"),
        ("flag", "false"),
        ("flag", "unit"),
        ("c", "\"y\" : i32"),
        ("c", "3"),
        ("array", "array<i32: 1>"),
        ("array", "[1]"),
        ("array32", "array<i64>"),
    ];
    let refused = compare_texts(&root, &tool, changed.into_iter().map(|(name, value)| all(name, value)));
    assert_eq!(refused, 8);
    let fewer = ["b = \"x\"", "b = \"x\", a = 3 : i8"];
    let fewer = fewer.map(|entries| format!("\"test.with_properties\"() <{{{entries}}}> : () -> ()\n"));
    assert_eq!(compare_texts(&root, &tool, fewer.into_iter()), 0);
    let none = ["with_optional_properties", "with_array_properties", "with_default_valued_properties"];
    let none = none.map(|name| format!("\"test.{name}\"() : () -> ()\n"));
    assert_eq!(compare_texts(&root, &tool, none.into_iter()), 0);
    let optional = [
        "simplei8 = [5 : i64]",
        "simplei8 = [-1 : i4]",
        "simpleui8 = [-1 : i4]",
        "simpleui8 = []",
        "simple = [1, 2]",
        "simple = 1 : i64",
        "nonTrivialStorage = [\"a\"]",
        "nonTrivialStorage = [1]",
        "hasUnit",
        "hasUnit = true",
        "hasUnit = false",
        "hasUnit = 1 : i32",
        "maybeUnit = [unit]",
    ];
    let optional =
        optional.map(|entry| format!("\"test.with_optional_properties\"() <{{{entry}}}> : () -> ()\n"));
    let refused = compare_texts(&root, &tool, optional.into_iter());
    assert_eq!(refused, 4);
    let custom = [
        "na",
        "0 \"\" -1 unit_absent",
        "1 \"foo\" 0 unit",
        "1 \"foo\" true",
        "1 \"foo\" 2147483647",
        "1 \"foo\" 2147483648",
        "1 \"foo\" -2147483648",
        "1 \"foo\" -0x7F unit",
    ];
    let custom = custom.map(|text| format!("test.with_default_valued_properties {text}\n"));
    let refused = compare_texts(&root, &tool, custom.into_iter());
    assert_eq!(refused, 1);
}

/// An unsigned property has no negative values, so `-1` is printed as the largest value of its type.
#[test]
fn properties_are_printed_with_the_sign_of_their_type() {
    let definitions = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/Properties.td"
def My_Dialect : Dialect { let name = "my"; let cppNamespace = "::my"; }
def My_CountOp : Op<My_Dialect, "count"> {
  let arguments = (ins IntProp<"uint32_t">:$a, IntProp<"uint8_t">:$b, IntProp<"int8_t">:$c);
  let assemblyFormat = "$a $b $c attr-dict";
}
"#;
    let files = Folder::new(&[
        ("My.td", definitions),
        ("in.mlir", "my.count 4294967295 -1 -128\nmy.count -1 255 7\n"),
    ]);
    let run = files.run(&["opt", "in.mlir", "--dialects", "My.td"]);
    let printed = "module {\n  my.count 4294967295 255 -128\n  my.count 4294967295 255 7\n}\n";
    assert_eq!(run.stdout, printed, "{}", run.stderr);
}

/// The hexadecimal scale of this type is the bit pattern of a float, not an integer.
#[test]
fn hexadecimal_floats_keep_their_value() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let text = "func.func private @a(!quant.uniform<i8:f32, 0x41646ABBA0000000:128>)\n";
    let generic = |text: &str| mlir_opt(&tool, &["--mlir-print-op-generic"], text);
    let ours = read(&root, text).unwrap();
    assert!(ours.contains("0x41646ABBA0000000"), "{ours}");
    assert_eq!(generic(&ours), generic(text));
}

/// MLIR reads this type with and without its dialect, and prints it with its dialect.
#[test]
fn a_float_type_of_llvm_is_printed_with_its_dialect() {
    let (Some(root), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let types = [
        "array<2 x ppc_fp128>",
        "array<2 x !llvm.ppc_fp128>",
        "array<2 x array<1 x ppc_fp128>>",
        "struct<(ppc_fp128, f32)>",
        "func<ppc_fp128 (ppc_fp128)>",
    ];
    let texts = types.map(|ty| format!("\"t.a\"() {{a = !llvm.{ty}}} : () -> ()\n"));
    assert_eq!(compare_texts(&root, &tool, texts.into_iter()), 0);
}
