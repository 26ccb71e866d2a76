//! Helpers that read and set the attributes and operands of operations by generated accessors.

use std::fmt::Write;

use super::helpers::opt;
use crate::common::{llvm_sources, llvm_tool, pipe};

const DIALECT: &str = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_Small : I32EnumAttr<"Small", "", [I32EnumAttrCase<"a", 0>, I32EnumAttrCase<"b", 1>]> {
  let cppNamespace = "::t";
}
"#;

/// The kinds of attributes in `KindOp`. Each has a value in the syntax of MLIR.
const KINDS: &[(&str, &str, &str)] = &[
    ("ai64", "DenseI64ArrayAttr", "array<i64: 4, 5>"),
    ("ai32", "DenseI32ArrayAttr", "array<i32: 4, 5>"),
    ("ai16", "DenseI16ArrayAttr", "array<i16: 4, 5>"),
    ("ai8", "DenseI8ArrayAttr", "array<i8: 4, 5>"),
    ("ab", "DenseBoolArrayAttr", "array<i1: true, false>"),
    ("af32", "DenseF32ArrayAttr", "array<f32: 1.5, 2.5>"),
    ("af64", "DenseF64ArrayAttr", "array<f64: 1.5, 2.5>"),
    ("i64", "I64Attr", "4 : i64"),
    ("i8", "I8Attr", "4 : i8"),
    ("si32", "SI32Attr", "4 : si32"),
    ("ui8", "UI8Attr", "4 : ui8"),
    ("i1", "I1Attr", "true"),
    ("bool", "BoolAttr", "true"),
    ("index", "IndexAttr", "4 : index"),
    ("ap", "APIntAttr", "4 : i9"),
    ("f32", "F32Attr", "1.5 : f32"),
    ("f64", "F64Attr", "1.5 : f64"),
    ("str", "StrAttr", "\"s\""),
    ("type", "TypeAttr", "i7"),
    ("sym", "FlatSymbolRefAttr", "@s"),
    ("path", "SymbolRefAttr", "@s::@t"),
    ("arr", "ArrayAttr", "[1, 2]"),
    ("i64arr", "I64ArrayAttr", "[1, 2]"),
    ("strarr", "StrArrayAttr", "[\"a\"]"),
    ("typearr", "TypeArrayAttr", "[i7]"),
    ("dict", "DictionaryAttr", "{a = 1 : i64}"),
    ("map", "AffineMapAttr", "affine_map<(d0) -> (d0)>"),
    ("elements", "I64ElementsAttr", "dense<4> : tensor<2xi64>"),
    ("any", "AnyAttr", "4 : i64"),
    ("small", "T_Small", "1 : i32"),
    ("unit", "UnitAttr", "unit"),
];

/// The C++ types of the accessors of an operation, as `mlir-tblgen` declares them.
fn declared_types(tool: &str, include: &str, td: &str) -> Vec<(String, String)> {
    let output = pipe(tool, &["-gen-op-decls", "-I", include], td.as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let class = text.split_once("class KindOp : public").expect("the class").1;
    let accessor = |line: &str| {
        let (ty, call) = line.trim().split_once(" get")?;
        let name = call.strip_suffix("();")?;
        Some((ty.to_owned(), format!("get{name}"))).filter(|(ty, _)| !ty.contains('('))
    };
    // A type can contain spaces: `::std::optional< ::llvm::StringRef >`.
    class
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(accessor)
        .collect()
}

/// A variable of the type that `mlir-tblgen` declares for an accessor takes the value of the accessor. The attributes
/// of each kind are required, optional and present, or optional and absent. Some kinds also have default values.
#[test]
fn accessors_have_the_types_that_mlir_tblgen_declares() {
    let (Some(tool), Some(llvm)) = (llvm_tool("mlir-tblgen"), llvm_sources()) else { return };
    let include = llvm.join("mlir/include");
    let include = include.to_str().expect("a path");
    let (mut arguments, mut values) = (Vec::new(), Vec::new());
    for (name, kind, value) in KINDS {
        arguments.push(format!("{kind}:${name}"));
        arguments.push(format!("OptionalAttr<{kind}>:$o{name}"));
        arguments.push(format!("OptionalAttr<{kind}>:$n{name}"));
        values.push(format!("{name} = {value}, o{name} = {value}"));
    }
    for (name, kind, default) in [
        ("dai64", "DenseI64ArrayAttr", "{1, 2}"),
        ("di64", "I64Attr", "7"),
        ("dbool", "BoolAttr", "true"),
        ("dsmall", "T_Small", "::t::Small::b"),
    ] {
        arguments.push(format!("DefaultValuedAttr<{kind}, \"{default}\">:${name}"));
        arguments.push(format!("DefaultValuedOptionalAttr<{kind}, \"{default}\">:$o{name}"));
    }
    let op = format!(
        "def T_KindOp : Op<T_Dialect, \"kind\"> {{ let arguments = (ins {}); let results = (outs AnyType:$r); }}\n",
        arguments.join(", ")
    );
    let declared = declared_types(&tool, include, &format!("{DIALECT}{op}"));
    let mut rules = format!("include \"mlir/IR/PatternBase.td\"\n{DIALECT}{op}");
    rules.push_str(
        "def T_XOp : Op<T_Dialect, \"x\"> { let arguments = (ins AnyType:$a, StrAttr:$n); let results = (outs AnyType:$r); }\n",
    );
    let mut source = String::new();
    let mut input = format!("%k = \"t.kind\"() <{{{}}}> : () -> i32\n", values.join(", "));
    let mut names = Vec::new();
    for (ty, getter) in &declared {
        let short = getter.trim_start_matches("get").to_lowercase();
        let is_tested = KINDS.iter().any(|(name, ..)| {
            let rest = short.strip_suffix(name);
            rest.is_some_and(|rest| matches!(rest, "" | "o" | "n" | "d" | "od"))
        });
        if !is_tested || getter.ends_with("Attr") {
            continue;
        }
        let is_absent = short.starts_with('n');
        let test = match ty.contains("optional") {
            true if is_absent => "!x && !x.has_value() && x == std::nullopt",
            true if ty.contains("ArrayRef") => {
                "x && x.has_value() && x->size() == 2 && x.value().size() == 2"
            }
            true => "x && x.has_value()",
            false if ty.contains("ArrayRef") => "x.size() == 2 && x[0] == x.front()",
            false if ty.contains("Attr") || ty.ends_with("Type") => "x != nullptr",
            false => "x == x",
        };
        writeln!(
            source,
            "static bool is{getter}(Value v) {{\n  auto k = v.getDefiningOp<t::KindOp>();\n  {ty} x = k.{getter}();\n  return {test};\n}}"
        )
        .unwrap();
        writeln!(
            rules,
            "def R{getter} : Pat<(T_XOp $a, ConstantAttr<StrAttr, \"\\\"{getter}\\\"\">), (replaceWithValue $a), [(Constraint<CPred<\"is{getter}($0)\">> $a)]>;"
        )
        .unwrap();
        writeln!(
            input,
            "%{getter} = \"t.x\"(%k) {{n = \"{getter}\"}} : (i32) -> i32\n\"t.out\"(%{getter}) : (i32) -> ()"
        )
        .unwrap();
        names.push(getter);
    }
    assert!(names.len() >= 3 * KINDS.len(), "{names:?}");
    let run = opt(&rules, &source, &input, &["-I", include]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(!run.stdout.contains("t.x"), "{}\n{}", run.stdout, run.stderr);
}

/// Runs helpers that read and change the operation `t.kind`, and returns both outputs of the command. The body with the
/// index K becomes the helper `fK`, which a rule calls for the `t.x` with the number K.
fn run_helpers(helpers: &[&str]) -> (String, String) {
    let mut rules = format!(
        "include \"mlir/IR/PatternBase.td\"\n{DIALECT}{}",
        r#"def T_KindOp : Op<T_Dialect, "kind", [AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$v, Variadic<AnyType>:$vs, Optional<AnyType>:$opt, AnyType:$last,
    OptionalAttr<DenseI64ArrayAttr>:$oi64s, DenseI64ArrayAttr:$i64s, OptionalAttr<I64Attr>:$oi, I64Attr:$i,
    OptionalAttr<StrAttr>:$os, OptionalAttr<UnitAttr>:$ou, OptionalAttr<BoolAttr>:$ob, OptionalAttr<ArrayAttr>:$oarr,
    OptionalAttr<F32Attr>:$of, OptionalAttr<TypeAttr>:$ot, OptionalAttr<T_Small>:$oe,
    DefaultValuedOptionalAttr<I64Attr, "7">:$di, DefaultValuedOptionalAttr<T_Small, "::t::Small::b">:$de);
  let results = (outs AnyType:$r);
}
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a, I64Attr:$n); let results = (outs AnyType:$r); }
"#
    );
    let (mut source, mut input) = (String::new(), String::new());
    for (number, body) in helpers.iter().enumerate() {
        writeln!(
            source,
            "static Value f{number}(PatternRewriter &rewriter, Value a) {{\n  auto k = a.getDefiningOp<t::KindOp>();\n  {body}\n}}"
        )
        .unwrap();
        writeln!(
            rules,
            "def R{number} : Pat<(T_XOp $a, ConstantAttr<I64Attr, \"{number}\">), (NativeCodeCall<\"f{number}($_builder, $0)\"> $a)>;"
        )
        .unwrap();
        writeln!(
            input,
            "%y{number} = \"t.y\"() : () -> i32\n%k{number} = \"t.kind\"(%y{number}, %y{number}, %y{number}) <{{operandSegmentSizes = array<i32: 1, 1, 0, 1>, \
             oi64s = array<i64: 4, 5>, i64s = array<i64>, oi = 3 : i64, i = 3 : i64, os = \"s\", oarr = [1]}}> : \
             (i32, i32, i32) -> i32\n%x{number} = \"t.x\"(%k{number}) {{n = {number} : i64}} : (i32) -> i32\n\
             \"t.out\"(%x{number}) : (i32) -> ()"
        )
        .unwrap();
    }
    let run = opt(&rules, &source, &input, &["--generic", "--allow-missing-natives"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    (run.stdout, run.stderr)
}

/// The setters of optional attributes take an optional. An empty one removes the attribute, as the code that
/// `mlir-tblgen` generates does.
#[test]
fn setters_take_optionals_and_remove_attributes() {
    let (stdout, stderr) = run_helpers(&[
        "k.setOi64s(std::nullopt); return k.getOi64s() || k.getOi64sAttr() ? Value() : a;",
        "SmallVector<int64_t> v = {1, 2, 3}; k.setOi64s(v); return k.getOi64s()->size() == 3 ? a : Value();",
        "std::optional<ArrayRef<int64_t>> v; k.setOi64s(v); return k.getOi64s() ? Value() : a;",
        "std::optional<ArrayRef<int64_t>> v = k.getOi64s(); k.setOi64s(std::nullopt); k.setOi64s(v);
         return (*k.getOi64s())[1] == 5 ? a : Value();",
        "k.setOi64s({}); return k.getOi64s() ? Value() : a;",
        "std::optional<uint64_t> v; k.setOi(v); return k.getOi() ? Value() : a;",
        "std::optional<uint64_t> v = 8; k.setOi(v); k.setI(9); return k.getOi() == 8 && k.getI() == 9 ? a : Value();",
        "k.setOs(std::nullopt); bool none = !k.getOs(); k.setOs(\"t\"); return none && *k.getOs() == \"t\" ? a : Value();",
        "k.setOu(true); bool is = k.getOu().has_value(); k.setOu(false); return is && !k.getOu() ? a : Value();",
        "k.setOb(false); bool is = k.getOb() && !*k.getOb(); k.setOb(std::nullopt); return is && !k.getOb() ? a : Value();",
        "k.setOf(APFloat(2.0f)); bool is = k.getOf()->convertToFloat() == 2.0f; k.setOf(std::nullopt);
         return is && !k.getOf() ? a : Value();",
        "k.setOt(a.getType()); bool is = *k.getOt() == a.getType(); k.setOt(std::nullopt); return is && !k.getOt() ? a : Value();",
        "k.setOe(t::Small::a); k.setDe(t::Small::a); k.setDi(3);
         bool is = k.getOe() == t::Small::a && k.getDe() == t::Small::a && k.getDi() == 3;
         k.setOe(std::nullopt); k.setDe(std::nullopt); k.setDi(std::nullopt);
         return is && !k.getOe() && k.getDe() == t::Small::b && k.getDi() == 7 ? a : Value();",
        "k.setOiAttr(nullptr); k.setOarrAttr(ArrayAttr()); return k.getOi() || k.getOarr() ? Value() : a;",
        "Attribute old = k.removeOsAttr(); k.removeOi64sAttr(); Attribute none = k.removeOuAttr();
         return cast<StringAttr>(old).getValue() == \"s\" && !none && !k.getOs() && !k.getOi64s() ? a : Value();",
        "rewriter.modifyOpInPlace(k, [&]() { k.removeOarrAttr(); k.setOi(std::nullopt); });
         return k.getOarr() || k.getOi() ? Value() : a;",
        "k->removeAttr(k.getOiAttrName()); k->setAttr(k.getOsAttrName(), rewriter.getStringAttr(\"t\"));
         return !k.getOi() && *k.getOs() == \"t\" ? a : Value();",
    ]);
    assert!(!stdout.contains("t.x"), "{stdout}\n{stderr}");
    assert!(!stderr.contains("stays a native"), "{stderr}");
}

/// Optional ranges have the methods of `std::optional`.
#[test]
fn accessors_return_optional_ranges() {
    let (stdout, stderr) = run_helpers(&[
        "auto x = k.getOi64s(); return x.has_value() && x.value()[0] == 4 && x->front() == 4 && (*x)[1] == 5 ? a : Value();",
        "ArrayRef<int64_t> x = k.getOi64s().value_or(ArrayRef<int64_t>()); return x.size() == 2 ? a : Value();",
        "k.removeOi64sAttr(); return k.getOi64s().value_or(ArrayRef<int64_t>{7}).front() == 7 ? a : Value();",
        "int64_t sum = 0; if (auto x = k.getOi64s()) for (int64_t y : *x) sum += y; return sum == 9 ? a : Value();",
        "std::optional<ArrayRef<int64_t>> x = k.getOi64s(); if (!x) return Value();
         SmallVector<int64_t> v(x->begin(), x->end()); return llvm::sum_of(v) == 9 ? a : Value();",
        "SmallVector<int64_t> v; if (k.getOi64s()) v = llvm::to_vector(*k.getOi64s()); return v.size() == 2 ? a : Value();",
    ]);
    assert!(!stdout.contains("t.x"), "{stdout}\n{stderr}");
    assert!(!stderr.contains("stays a native"), "{stderr}");
}

/// The accessor `getXMutable` of a single operand sets the operand. That of a variadic operand stays a native.
#[test]
fn mutable_operands_are_set() {
    let (stdout, stderr) = run_helpers(&[
        "k.getVMutable().assign(k.getLast()); k.getLastMutable().set(k.getVs()[0]); return k.getVMutable().get();",
        "rewriter.modifyOpInPlace(k, [&]() { k->getOpOperand(1).set(k.getV()); }); return k->getOpOperand(1).get();",
        "k.getVsMutable().assign(k.getV()); return a;",
    ]);
    assert_eq!(stdout.matches("\"t.x\"").count(), 1, "{stdout}\n{stderr}");
    assert!(stderr.contains("'t::KindOp::getVsMutable' is neither in the library"), "{stderr}");
}
