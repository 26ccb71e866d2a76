//! Tests rules over operations of MLIR's dialects, and the verification of these operations, against MLIR's own tools.

use std::path::Path;
use std::process::Command;

use crate::common::command::Folder;
use crate::common::{files_below, llvm_sources, llvm_tool, pipe_text};
use drrvm::compile::{self, Options};
use drrvm::internal::frontend::ods;
use drrvm::source::SourceMap;

const PRELUDE: &str = "include \"mlir/IR/PatternBase.td\"\ninclude \"mlir/IR/OpBase.td\"\n";

/// Runs `drrvm` with MLIR's headers; returns success, standard output and standard error.
fn drrvm(include: &Path, args: &[&str], rules: &str, ir: &str) -> (bool, String, String) {
    let files = Folder::new(&[("rules.td", rules), ("in.mlir", ir)]);
    let mut all = args.to_vec();
    all.extend(["-I", include.to_str().unwrap()]);
    let run = files.run(&all);
    (run.status == 0, run.stdout, run.stderr)
}

/// Returns the IR after rewriting, in generic form. MLIR must accept the input and the output.
fn rewritten(include: &Path, opt: &str, rules: &str, ir: &str, extra: &[&str]) -> String {
    let generic = ["--mlir-print-op-generic", "--allow-unregistered-dialect"];
    let ir = pipe_text(opt, &generic, ir).unwrap();
    let mut args = vec!["opt", "in.mlir", "--rules", "rules.td", "--generic", "--driver", "walk"];
    args.extend(extra);
    let (success, out, messages) = drrvm(include, &args, rules, &ir);
    assert!(success, "{messages}");
    pipe_text(opt, &generic, &out)
        .unwrap_or_else(|refused| panic!("MLIR rejects the result: {refused}\n{out}"))
}

/// For each operation of MLIR's dialects that has properties, or attributes with defaults, a rule matches the operation
/// and creates it again from its arguments. drrvm must load these rules. Operations with regions or successors are
/// omitted, and so are files that cannot be read alone.
#[test]
fn rules_that_rebuild_operations_from_their_arguments_load() {
    let Some(sources) = llvm_sources() else { return };
    let include = sources.join("mlir/include");
    let mut files = files_below(&include.join("mlir/Dialect"), "td");
    files.retain(|file| file.to_str().unwrap().ends_with("Ops.td"));
    let mut rules = 0;
    for file in files {
        let options = Options {
            include_dirs: vec![include.clone(), file.parent().unwrap().to_owned()],
            ..Options::default()
        };
        let Ok(parsed) = compile::records(&mut SourceMap::default(), &file, &options) else {
            println!("skipped: {} cannot be read alone", file.display());
            continue;
        };
        let definitions = ods::read(&parsed.records);
        let mut text = format!("{PRELUDE}include \"{}\"\n", file.strip_prefix(&include).unwrap().display());
        let mut count = 0;
        let is_covered = |op: &ods::Op<'_>| {
            !op.properties.is_empty()
                || op.attributes.iter().any(|attribute| !attribute.spec.default.is_empty())
        };
        for op in definitions.ops.iter().filter(|op| op.regions.is_empty() && op.successors.is_empty()) {
            let record = parsed.records.record(op.record);
            if record.is_anonymous() || !is_covered(op) {
                continue;
            }
            let args: Vec<String> = (0..op.args.len()).map(|index| format!("$a{index}")).collect();
            let dag = format!("({} {})", record.name(), args.join(", "));
            text.push_str(&format!("def R{count} : Pattern<{dag}, [{dag}]>;\n"));
            count += 1;
        }
        if count == 0 {
            continue;
        }
        let files = Folder::new(&[("rules.td", &text)]);
        let loaded = compile::rules(&mut SourceMap::default(), &[files.path("rules.td")], &options);
        let (loaded, _) = loaded.unwrap_or_else(|errors| panic!("{}: {errors:?}", file.display()));
        assert_eq!(loaded.patterns().len(), count, "{}", file.display());
        rules += count;
    }
    assert!(rules > 100, "{rules}");
}

const FLAGS: &str = r#"
include "mlir/Dialect/LLVMIR/LLVMOps.td"
def D : Dialect { let name = "d"; let cppNamespace = "::d"; }
def PlainProp : EnumProp<IntegerOverflowFlags>;
def MaybeProp : OptionalProp<PlainProp>;
def AttrProp : NamedEnumPropWithAttrForm<IntegerOverflowFlags, "flags", LLVM_IntegerOverflowFlagsAttr> {
  let storeInCustomAttribute = 1;
}
def PlainOp : Op<D, "plain"> { let arguments = (ins PlainProp:$f); }
def MaybeOp : Op<D, "maybe"> { let arguments = (ins MaybeProp:$f); }
def AttrOp : Op<D, "attr"> { let arguments = (ins AttrProp:$f); }
"#;

#[test]
fn an_enum_property_is_stored_as_an_integer_or_as_an_enum_attribute() {
    let (Some(sources), Some(opt)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let include = sources.join("mlir/include");
    let rules = format!(
        "{PRELUDE}include \"mlir/Dialect/LLVMIR/LLVMOps.td\"
         def Copied : Pat<(LLVM_AddOp $x, $x, $f), (LLVM_MulOp $x, $x, $f)>;
         def Given : Pat<(LLVM_SubOp $x, $y, $f),
           (LLVM_AddOp $x, $y, ConstantProp<LLVM_IntegerOverflowFlagsProp,
             \"::mlir::LLVM::IntegerOverflowFlags::nsw | ::mlir::LLVM::IntegerOverflowFlags::nuw\">)>;
         def Asked : Pat<(LLVM_ShlOp $x, $y, ConstantProp<LLVM_IntegerOverflowFlagsProp,
             \"::mlir::LLVM::IntegerOverflowFlags::nsw\">),
           (LLVM_LShrOp $x, $y, ConstantAttr<UnitAttr, \"true\">)>;"
    );
    // `Asked` does not match the first `llvm.shl`, because the flag of this operation is `nuw`.
    let ir = r#"llvm.func @f(%a: i32, %b: i32) {
      %0 = llvm.add %a, %a overflow<nsw, nuw> : i32
      %1 = llvm.add %a, %a : i32
      %2 = llvm.sub %a, %b : i32
      %3 = llvm.shl %a, %b overflow<nuw> : i32
      %4 = llvm.shl %a, %b overflow<nsw> : i32
      llvm.return
    }"#;
    let found = rewritten(&include, &opt, &rules, ir, &[]);
    let expected = [
        r#""llvm.mul"(%arg0, %arg0) <{overflowFlags = 3 : i32}>"#,
        r#""llvm.mul"(%arg0, %arg0) <{overflowFlags = 0 : i32}>"#,
        r#""llvm.add"(%arg0, %arg1) <{overflowFlags = 3 : i32}>"#,
        r#""llvm.shl"(%arg0, %arg1) <{overflowFlags = 2 : i32}>"#,
        r#""llvm.lshr"(%arg0, %arg1) <{isExact}>"#,
    ];
    for expected in expected {
        assert!(found.contains(expected), "no {expected} in\n{found}");
    }

    // In the definition of each property, `convertToAttribute` selects the attribute that stores the property.
    let rules = format!(
        "{PRELUDE}{FLAGS}
         def ToPlain : Pattern<(AttrOp $f), [(PlainOp $f)]>;
         def ToAttr : Pattern<(PlainOp ConstantProp<PlainProp, \"::mlir::LLVM::IntegerOverflowFlags::nuw\">),
           [(AttrOp ConstantProp<AttrProp, \"::mlir::LLVM::IntegerOverflowFlags::nsw\">)]>;
         def ToMaybe : Pattern<(PlainOp ConstantProp<PlainProp, \"::mlir::LLVM::IntegerOverflowFlags::none\">),
           [(MaybeOp ConstantProp<MaybeProp, \"::mlir::LLVM::IntegerOverflowFlags::nsw\">)]>;
         def ToNone : Pattern<(MaybeOp ConstantProp<MaybeProp, \"::mlir::LLVM::IntegerOverflowFlags::nuw\">),
           [(MaybeOp ConstantProp<MaybeProp, \"std::nullopt\">)]>;"
    );
    let ir = r#""d.attr"() <{f = #llvm.overflow<nsw, nuw>}> : () -> ()
        "d.attr"() <{f = 1 : i32}> : () -> ()
        "d.plain"() <{f = 2 : i32}> : () -> ()
        "d.plain"() <{f = 0 : i32}> : () -> ()
        "d.maybe"() <{f = [2 : i32]}> : () -> ()"#;
    let args = ["opt", "in.mlir", "--rules", "rules.td", "--generic", "--driver", "walk"];
    let (success, out, messages) = drrvm(&include, &args, &rules, ir);
    assert!(success, "{messages}");
    let ops: Vec<&str> = out.lines().map(str::trim).filter(|line| line.starts_with("\"d.")).collect();
    let expected = [
        r#""d.plain"() <{f = 3 : i32}> : () -> ()"#,
        r#""d.plain"() <{f = 1 : i32}> : () -> ()"#,
        r#""d.attr"() <{f = #llvm.overflow<nsw>}> : () -> ()"#,
        r#""d.maybe"() <{f = [1 : i32]}> : () -> ()"#,
        r#""d.maybe"() <{f = []}> : () -> ()"#,
    ];
    assert_eq!(ops, expected, "{out}");
}

/// `ElementsAttr` is an interface; dense, sparse and resource elements implement it.
#[test]
fn elements_attr_accepts_all_kinds_of_elements() {
    let (Some(sources), Some(opt)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let include = sources.join("mlir/include");
    let rules = format!(
        "{PRELUDE}def D : Dialect {{ let name = \"d\"; let cppNamespace = \"::d\"; }}
         def K : Op<D, \"k\"> {{ let arguments = (ins AnyAttr:$v); }}
         def M : Op<D, \"m\"> {{ let arguments = (ins AnyAttr:$v); }}
         def P : Pattern<(K ElementsAttr:$v), [(M $v)]>;"
    );
    let ir = r#""d.k"() {v = dense_resource<r> : tensor<2xi32>} : () -> ()
        "d.k"() {v = sparse<[[0]], 1> : tensor<2xi32>} : () -> ()
        "d.k"() {v = dense<1> : tensor<2xi32>} : () -> ()
        "d.k"() {v = array<i32: 1>} : () -> ()
        "d.k"() {v = 1 : i32} : () -> ()"#;
    let found = rewritten(&include, &opt, &rules, ir, &[]);
    assert_eq!((found.matches("\"d.m\"").count(), found.matches("\"d.k\"").count()), (3, 2), "{found}");

    let rules = format!("{PRELUDE}include \"mlir/Dialect/Tosa/IR/TosaOps.td\"\n");
    let ir = r#""tosa.const"() <{values = dense_resource<blob> : tensor<1xf32>}> : () -> tensor<1xf32>"#;
    rewritten(&include, &opt, &rules, ir, &[]);
}

/// Where an interface is required, a type is accepted if C++ may attach the interface to the type, or if the type's
/// definition is in a file that is not included.
#[test]
fn types_that_may_have_an_interface_are_accepted() {
    let (Some(sources), Some(opt)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let include = sources.join("mlir/include");
    let cases = [
        (
            "Bufferization/IR/BufferizationOps.td",
            "func.func @f(%t: tensor<4xf32>) -> memref<4xf32> {
               %m = bufferization.to_buffer %t : tensor<4xf32> to memref<4xf32>
               return %m : memref<4xf32>
             }",
        ),
        (
            "Transform/IR/TransformOps.td",
            "module attributes {transform.with_named_sequence} {
               transform.named_sequence @s(%h: !transform.any_op) {
                 %0 = transform.get_operand %h[0] : (!transform.any_op) -> !transform.any_value
                 transform.yield
               }
             }",
        ),
        (
            "SCF/IR/SCFOps.td",
            "func.func @f(%n: index) {
               scf.forall (%i) in (%n) { } {mapping = [#gpu.thread<x>]}
               return
             }",
        ),
        (
            "XeGPU/IR/XeGPUOps.td",
            "func.func @f(%m: memref<24x32xf32>) {
               %0 = xegpu.create_nd_tdesc %m : memref<24x32xf32> -> !xegpu.tensor_desc<8x16xf32>
               %1 = xegpu.load_nd %0[0, 0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
               return
             }",
        ),
    ];
    // The tensors of the test dialect are shaped types; no included file defines them.
    let own = "func.func @f(%a: !test.test_tensor<[32, 64], f64>) -> !test.test_memref<[32, 64], f64> {
        %0 = bufferization.to_buffer %a : !test.test_tensor<[32, 64], f64> to !test.test_memref<[32, 64], f64>
        return %0 : !test.test_memref<[32, 64], f64>
      }";
    let cases = cases.into_iter().chain([("Bufferization/IR/BufferizationOps.td", own)]);
    for (file, ir) in cases {
        let rules = format!("{PRELUDE}include \"mlir/Dialect/{file}\"\n");
        rewritten(&include, &opt, &rules, ir, &[]);
    }
}

const SHAPES: &str = r#"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
def D : Dialect { let name = "w"; let cppNamespace = "::w"; }
class Sizes<string name, list<Trait> traits> : TypeDef<D, name, traits> {
  let parameters = (ins "::mlir::Type":$elementType, ArrayRefParameter<"int64_t">:$shape);
  let assemblyFormat = "`<` $elementType `,` `[` $shape `]` `>`";
}
def Read : Sizes<"Read", [ShapedTypeInterface]> { let mnemonic = "read"; }
def Plain : Sizes<"Plain", []> { let mnemonic = "plain"; }
def Opaque : TypeDef<D, "Opaque", [ShapedTypeInterface]> {
  let mnemonic = "opaque";
  let parameters = (ins "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
}
def Sized : TypeInterface<"Sized"> { let cppNamespace = "::w"; }
def K : Op<D, "k"> { let arguments = (ins AnyType:$x); }
"#;

/// Returns one entry for each type: true if a rule with this condition rewrites an operation `w.k` whose operand has
/// the type.
fn of_types(condition: &str, natives: Option<&str>) -> Vec<bool> {
    let rules = format!(
        "{PRELUDE}{SHAPES}def M : Op<D, \"m\"> {{ let arguments = (ins AnyType:$x); }}
         def P : Pattern<(K $x), [(M $x)], [(Constraint<CPred<\"{condition}\">> $x)]>;"
    );
    let types =
        ["!w.read<f32, [4, 8]>", "!w.plain<f32, [4]>", "!w.opaque<f32>", "tensor<2x3xf32>", "f32", "!o.t"];
    let ops: Vec<String> = types
        .iter()
        .map(|ty| format!("%v = \"t.get\"() : () -> {ty}\n\"w.k\"(%v) : ({ty}) -> ()\n"))
        .collect();
    let mut found = Vec::new();
    for op in ops {
        let mut files = vec![("rules.td", rules.as_str()), ("in.mlir", op.as_str())];
        files.extend(natives.map(|text| ("natives.rhai", text)));
        let files = Folder::new(&files);
        let mut args = vec!["opt", "in.mlir", "--rules", "rules.td", "--generic"];
        if natives.is_some() {
            args.extend(["--natives", "natives.rhai"]);
        }
        let run = files.run(&args);
        assert!(run.status == 0, "{}", run.stderr);
        // The rule behaves the same after it is printed and read again.
        assert_eq!(
            files.run(&["dump", "--stage", "pdl", "--rules", "rules.td", "-o", "rules.mlir"]).status,
            0
        );
        args[3] = "rules.mlir";
        assert_eq!(files.run(&args).stdout, run.stdout, "{condition}");
        found.push(run.stdout.contains("\"w.m\""));
    }
    found
}

/// The element type and the shape of a type follow from its definition. If only C++ determines one of them, neither a
/// condition on it nor the negation of this condition holds.
#[test]
fn shaped_types_of_a_dialect() {
    let ty = "$0.getType()";
    let [y, n] = [true, false];
    assert_eq!(of_types(&format!("isa<ShapedType>({ty})"), None), [y, n, y, y, n, n]);
    assert_eq!(of_types(&format!("!isa<ShapedType>({ty})"), None), [n, y, n, n, y, y]);
    assert_eq!(of_types(&format!("getElementTypeOrSelf({ty}).isF32()"), None), [y, n, n, y, y, n]);
    assert_eq!(of_types(&format!("!getElementTypeOrSelf({ty}).isF32()"), None), [n, y, n, n, n, y]);
    let rank = format!("isa<ShapedType>({ty}) && cast<ShapedType>({ty}).getRank() == 2");
    assert_eq!(of_types(&rank, None), [y, n, n, y, n, n]);
    let size = format!("isa<ShapedType>({ty}) && cast<ShapedType>({ty}).getDimSize(1) == 8");
    assert_eq!(of_types(&size, None), [y, n, n, n, n, n]);
    let count = format!("isa<ShapedType>({ty}) && cast<ShapedType>({ty}).getNumElements() == 32");
    assert_eq!(of_types(&count, None), [y, n, n, n, n, n]);
}

/// The types of the dialect `w` do not have the interface `Sized`, because their definitions do not declare it. C++ may
/// attach it to other types, so for these the answer is unknown.
#[test]
fn an_attachable_interface_is_unknown() {
    let [y, n] = [true, false];
    let has = "isa<::w::Sized>($0.getType())";
    assert_eq!(of_types(has, None), [n; 6]);
    assert_eq!(of_types(&format!("!{has}"), None), [y, y, y, n, n, n]);
    assert_eq!(of_types(&format!("{has} || $0.getType().isF32()"), None), [n, n, n, n, y, n]);
    assert_eq!(of_types(&format!("!({has} && $0.getType().isF32())"), None), [y, y, y, y, n, y]);
    for name in ["isa<w::Sized>", "isa<::w::Sized>", "isa<mlir::w::Sized>", "isa<::mlir::w::Sized>"] {
        let natives = format!("constraint(\"{name}\", \"(type)\", |ir, t| t.text == \"f32\");");
        assert_eq!(of_types(has, Some(&natives)), [n, n, n, n, y, n], "{name}");
    }
}

/// `mlir-tblgen` accepts a rule that copies a property.
#[test]
fn mlir_tblgen_accepts_a_rule_over_properties() {
    let (Some(sources), Some(tblgen)) = (llvm_sources(), llvm_tool("mlir-tblgen")) else { return };
    let rules = format!(
        "{PRELUDE}include \"mlir/Dialect/LLVMIR/LLVMOps.td\"
         def Copied : Pat<(LLVM_AddOp $x, $x, $f), (LLVM_MulOp $x, $x, $f)>;"
    );
    let files = Folder::new(&[("rules.td", &rules)]);
    let run = Command::new(tblgen)
        .args(["-gen-rewriters", "-I"])
        .arg(sources.join("mlir/include"))
        .arg(files.path("rules.td"))
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}
