//! Helpers that create operations.

use super::helpers::opt;
use crate::common::command::Folder;
use crate::common::{llvm_sources, llvm_tool, pipe_text};

/// `create` in a helper takes the arguments of the generated builders. `mlir-opt` verifies the operations.
#[test]
fn helpers_create_operations_as_the_generated_builders_do() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_X : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a, AnyType:$b); let results = (outs AnyType:$r); }
def Make : NativeCodeCall<"make($_builder, $0, $1)">;
def IsNoTerminator : Constraint<CPred<"isTerminator($0.getDefiningOp()) == false">>;
def R : Pat<(T_X $a, $b), (Make $a, $b), [(IsNoTerminator $a)]>;
"#;
    let source = "static bool isTerminator(Operation *op) { return op->hasTrait<OpTrait::IsTerminator>(); }
static Value make(PatternRewriter &rewriter, Value a, Value b) {
  Location loc = a.getLoc();
  Value less = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, a, b);
  Value sum = rewriter.create<arith::AddIOp>(loc, a, b);
  Value two = arith::ConstantIntOp::create(rewriter, loc, 2, 32);
  Value index = arith::ConstantIndexOp::create(rewriter, loc, 3);
  Value wide = arith::ExtSIOp::create(rewriter, loc, rewriter.getI64Type(), sum);
  Value cast = arith::IndexCastOp::create(rewriter, loc, rewriter.getI32Type(), index);
  Value narrow = arith::TruncIOp::create(rewriter, loc, rewriter.getI32Type(), wide);
  Value both = arith::AddIOp::create(rewriter, loc, two, cast);
  Value all = rewriter.create<arith::MulIOp>(loc, narrow.getType(), ValueRange{narrow, both});
  return arith::SelectOp::create(rewriter, loc, less, all, b);
}";
    let input = "%c = arith.constant 1 : i32\n%d = \"t.in\"() : () -> i32
%0 = \"t.x\"(%c, %d) : (i32, i32) -> i32\n%1 = \"t.x\"(%d, %c) : (i32, i32) -> i32
\"t.out\"(%0, %1) : (i32, i32) -> ()\n";
    let run = opt(rules, source, input, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let line = |name: &str| run.stdout.lines().find(|line| line.contains(name)).unwrap_or("").to_owned();
    assert!(line("arith.cmpi").contains("predicate = 2 : i64") && line("arith.cmpi").ends_with("-> i1"));
    assert!(line("arith.addi").contains("overflow<none>"), "{}", run.stdout);
    assert!(line("arith.extsi").ends_with("(i32) -> i64"), "{}", run.stdout);
    // `t.in` has no definition, so its traits are unknown, and the rule does not rewrite the second `t.x`.
    assert_eq!(run.stdout.matches("\"t.x\"").count(), 1, "{}", run.stdout);
    if let Some(opt) = llvm_tool("mlir-opt") {
        let verified = pipe_text(&opt, &["-allow-unregistered-dialect"], &run.stdout);
        assert!(verified.is_ok(), "{verified:?}");
    }
}

/// `create` without result types calls the C++ function that infers them. If the function fails, the rule fails.
#[test]
fn the_result_types_of_operations_that_helpers_create_are_inferred() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_X : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a, I64Attr:$n); let results = (outs AnyType:$r); }
def T_SameOp : Op<T_Dialect, "same", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins AnyType:$a);
  let results = (outs AnyType:$r);
}
def T_WideOp : Op<T_Dialect, "wide", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins AnyType:$a, Variadic<AnyType>:$rest, I64Attr:$width, OptionalAttr<StrAttr>:$name);
  let results = (outs AnyType:$r);
}
def T_UnknownOp : Op<T_Dialect, "unknown", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins AnyType:$a);
  let results = (outs AnyType:$r);
}
def R : Pat<(T_X $a, $n), (NativeCodeCall<"make($_builder, $_loc, $0, $1.getInt())"> $a, $n)>;
def U : Pat<(T_SameOp (T_UnknownOp $a)), (NativeCodeCall<"unknown($_builder, $_loc, $0)"> $a)>;
"#;
    let source = "namespace t {
LogicalResult SameOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
    OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(operands.front().getType());
  return success();
}
LogicalResult WideOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, WideOp::Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (adaptor.getWidth() == 0)
    return failure();
  int64_t named = adaptor.getName() ? adaptor.getName()->size() * 100 : 0;
  types.push_back(IntegerType::get(context, adaptor.getWidth() + adaptor.getRest().size() + named));
  return success();
}
static Value make(OpBuilder &builder, Location loc, Value a, int64_t n) {
  Value same = SameOp::create(builder, loc, a);
  Value wide = WideOp::create(builder, loc, same, ValueRange{a, a}, n);
  return WideOp::create(builder, loc, wide, ValueRange(), builder.getI64IntegerAttr(3), builder.getStringAttr(\"ab\"));
}
static Value unknown(OpBuilder &builder, Location loc, Value a) { return UnknownOp::create(builder, loc, a); }
}";
    let input = "%a = \"t.in\"() : () -> i16\n%0 = \"t.x\"(%a) <{n = 5 : i64}> : (i16) -> i1
%1 = \"t.x\"(%a) <{n = 0 : i64}> : (i16) -> i1\n\"t.out\"(%0, %1) : (i1, i1) -> ()\n";
    let run = opt(rules, source, input, &["--generic", "--enable", "R"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for line in [
        "\"t.same\"(%0) : (i16) -> i16",
        "\"t.wide\"(%1, %0, %0) <{width = 5 : i64}> : (i16, i16, i16) -> i7",
    ] {
        assert!(run.stdout.contains(line), "{line}\n{}", run.stdout);
    }
    assert!(run.stdout.contains("(i7) -> i203"), "{}", run.stdout);
    // The function fails for the width 0, so the second `t.x` remains.
    assert_eq!(run.stdout.matches("\"t.x\"").count(), 1, "{}", run.stdout);
    let refused = opt(rules, source, input, &["--generic", "--enable", "U"]);
    let reason = "no builder of 'UnknownOp' that takes these arguments can be read";
    assert!(refused.stderr.contains(reason), "{}", refused.stderr);
}

/// `createOrFold` applies the folds of `arith` and moves constants to the right as the trait `Commutative` does. It
/// creates an operation only if the operation does not fold. `mlir-opt` folds the same operations to the same values.
#[test]
fn operations_that_fold_are_not_created() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_X : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a, AnyType:$b); let results = (outs AnyType:$r); }
def T_Twice : Op<T_Dialect, "twice", [Involution, Pure]> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
def T_All : Op<T_Dialect, "all"> { let arguments = (ins Variadic<AnyType>:$a); let results = (outs AnyType:$r); }
def R : Pat<(T_X $a, $b), (NativeCodeCall<"make($_builder, $_loc, $0, $1)"> $a, $b)>;
"#;
    let source = "static Value make(PatternRewriter &rewriter, Location loc, Value a, Value b) {
  Value sum = rewriter.createOrFold<arith::AddIOp>(loc, a, a);
  Value ordered = rewriter.createOrFold<arith::AddIOp>(loc, a, b);
  Value zero = rewriter.createOrFold<arith::SubIOp>(loc, b, b);
  Value same = rewriter.createOrFold<arith::OrIOp>(loc, zero, b);
  Value wide = rewriter.createOrFold<arith::ExtSIOp>(loc, rewriter.getI64Type(), sum);
  auto once = rewriter.createOrFold<t::TwiceOp>(loc, b.getType(), b);
  Value twice = rewriter.createOrFold<t::TwiceOp>(loc, b.getType(), once);
  bool folded = twice == b && same == b && matchPattern(zero, m_Zero());
  if (!folded) return Value();
  return rewriter.create<t::AllOp>(loc, a.getType(), ValueRange{sum, ordered, same, wide, twice}).getResult();
}";
    let rules = rules.replace("def T_Twice", "def T_TwiceOp").replace("def T_All", "def T_AllOp");
    let input = "%c = arith.constant 3 : i32\n%d = \"t.in\"() : () -> i32
%0 = \"t.x\"(%c, %d) : (i32, i32) -> i32\n\"t.out\"(%0) : (i32) -> ()\n";
    let run = opt(&rules, source, input, &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let folds = "%c = arith.constant 3 : i32\n%d = \"t.in\"() : () -> i32
%0 = arith.addi %c, %c : i32\n%1 = arith.addi %c, %d : i32\n%2 = arith.subi %d, %d : i32\n%3 = arith.ori %2, %d : i32
%4 = arith.extsi %0 : i32 to i64\n%5 = \"t.all\"(%0, %1, %3, %4, %d) : (i32, i32, i32, i64, i32) -> i32
\"t.out\"(%5) : (i32) -> ()\n";
    if let Some(opt) = llvm_tool("mlir-opt") {
        let args = ["--canonicalize", "-allow-unregistered-dialect"];
        let folded = pipe_text(&opt, &args, folds).unwrap();
        let ours = pipe_text(&opt, &args, &run.stdout).unwrap();
        assert_eq!(ours, folded, "{}", run.stdout);
    }
    // Only the operation that does not fold was created, and the constant is its second operand.
    assert_eq!(run.stdout.matches("arith.addi").count(), 1, "{}", run.stdout);
    for gone in ["arith.subi", "arith.ori", "arith.extsi", "t.x"] {
        assert!(!run.stdout.contains(gone), "{gone}: {}", run.stdout);
    }
    let sum = run.stdout.lines().find(|line| line.contains("arith.addi")).unwrap();
    let variable = run.stdout.lines().find(|line| line.contains("t.in")).unwrap().trim();
    let variable = variable.split(" =").next().unwrap();
    assert!(sum.contains(&format!("arith.addi {variable}, ")), "{}", run.stdout);
}

/// A helper creates operations at the insertion point that it sets, and a guard restores the previous insertion point.
#[test]
fn helpers_choose_the_place_of_new_operations() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
def T_YOp : Op<T_Dialect, "y"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
def T_ZOp : Op<T_Dialect, "z"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
def R : Pat<(T_XOp $a), (T_ZOp (NativeCodeCall<"make($_builder, $_loc, $0)"> $a))>;
"#;
    let source = "static Value early(PatternRewriter &rewriter, Location loc, Value a) {
  OpBuilder::InsertionGuard guard(rewriter);
  Operation *def = a.getDefiningOp();
  if (!def) return a;
  rewriter.setInsertionPoint(def);
  auto two = rewriter.createOrFold<arith::AddIOp>(loc, arith::ConstantIntOp::create(rewriter, loc, 1, 32),
                                                  arith::ConstantIntOp::create(rewriter, loc, 1, 32));
  return t::YOp::create(rewriter, loc, a.getType(), two);
}
static Value make(PatternRewriter &rewriter, Location loc, Value a) {
  Value y = early(rewriter, loc, a);
  return t::YOp::create(rewriter, loc, a.getType(), y);
}";
    let input = "%d = \"t.in\"() : () -> i32\n\"t.between\"() : () -> ()
%0 = \"t.x\"(%d) : (i32) -> i32\n\"t.out\"(%0) : (i32) -> ()\n";
    let run = opt(rules, source, input, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let names: Vec<&str> = run
        .stdout
        .lines()
        .filter_map(|line| line.split('"').nth(1))
        .filter(|name| *name != "builtin.module")
        .collect();
    // The sum folds to one constant. Its two operands are dead, and the driver erases them.
    let places = ["arith.constant", "t.y", "t.in", "t.between", "t.y", "t.z", "t.out"];
    assert_eq!(names, places, "{}", run.stdout);
}

/// Helpers insert operations after an operation and at the start of its block. A guard restores the insertion point at
/// the end of its C++ scope, and at each `return`, `break` and `continue` that leaves the scope.
#[test]
fn helpers_insert_operations_after_others() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
def T_MarkOp : Op<T_Dialect, "mark"> { let arguments = (ins StrAttr:$at); let results = (outs); }
def T_ZOp : Op<T_Dialect, "z"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
def R : Pat<(T_XOp $a), (T_ZOp (NativeCodeCall<"place($_builder, $_loc, $0)"> $a))>;
"#;
    let source = r#"static void mark(PatternRewriter &rewriter, Location loc, StringRef at) {
  t::MarkOp::create(rewriter, loc, rewriter.getStringAttr(at));
}
static bool afterDefinition(PatternRewriter &rewriter, Location loc, Value a) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(a);
  for (int i = 0; i < 3; ++i) {
    OpBuilder::InsertionGuard inner(rewriter);
    rewriter.setInsertionPoint(a.getDefiningOp());
    if (i == 0) continue;
    mark(rewriter, loc, "early");
    if (i == 1) break;
  }
  mark(rewriter, loc, "after");
  if (a.getDefiningOp()) return true;
  return false;
}
static void guarded(PatternRewriter &rewriter, function_ref<void()> move) {
  OpBuilder::InsertionGuard guard(rewriter);
  move();
}
struct Mover {
  int64_t moves = 0;
  Mover(PatternRewriter &rewriter, Value a) { rewriter.setInsertionPointAfterValue(a); }
};
static void construct(PatternRewriter &rewriter, Value a) {
  OpBuilder::InsertionGuard guard(rewriter);
  Mover mover(rewriter, a);
}
static Value place(PatternRewriter &rewriter, Location loc, Value a) {
  Operation *def = a.getDefiningOp();
  guarded(rewriter, [&]() { rewriter.setInsertionPointAfterValue(a); });
  construct(rewriter, a);
  mark(rewriter, loc, "first");
  {
    OpBuilder::InsertionGuard guard(rewriter);
    Block *block = def->getBlock();
    rewriter.setInsertionPointToStart(block);
    mark(rewriter, loc, block == def->getBlock() ? "start" : "wrong");
  }
  bool found = afterDefinition(rewriter, loc, a);
  auto point = rewriter.saveInsertionPoint();
  rewriter.setInsertionPointAfter(def);
  mark(rewriter, loc, found ? "last" : "wrong");
  rewriter.restoreInsertionPoint(point);
  mark(rewriter, loc, def->isBeforeInBlock(*a.getUsers().begin()) ? "root" : "wrong");
  return a;
}"#;
    let input = "\"t.first\"() : () -> ()\n%d = \"t.in\"() : () -> i32\n\"t.between\"() : () -> ()
%0 = \"t.x\"(%d) : (i32) -> i32\n\"t.out\"(%0) : (i32) -> ()\n";
    let run = opt(rules, source, input, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let shown = |line: &str| {
        let quoted = if line.contains("t.mark") { 3 } else { 1 };
        line.split('"').nth(quoted).map(str::to_owned)
    };
    let places: Vec<String> =
        run.stdout.lines().filter_map(shown).filter(|name| name != "builtin.module").collect();
    let wanted =
        ["start", "t.first", "early", "t.in", "last", "after", "t.between", "first", "root", "t.z", "t.out"];
    assert_eq!(places, wanted, "{}", run.stdout);
    // No operation can follow the module, so the rewrite fails, and none of its operations remains.
    let source = source.replace("setInsertionPointAfter(def)", "setInsertionPointAfter(def->getParentOp())");
    let run = opt(rules, &source, input, &["--generic"]);
    assert!(!run.stdout.contains("t.mark"), "{}", run.stdout);
}

/// `create` supports some builders that definitions declare without a body: builders that take a static shape, dynamic
/// sizes, or the number of a dimension.
#[test]
fn helpers_create_operations_from_sizes() {
    let Some(sources) = llvm_sources() else { return };
    let headers = sources.join("mlir/include");
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
include "mlir/Dialect/Tensor/IR/TensorOps.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
def R : Pat<(T_XOp $a), (NativeCodeCall<"likeOf($_builder, $_loc, $0)"> $a)>;
"#;
    let source = "static Value emptyLike(ImplicitLocOpBuilder &b, RankedTensorType type, ValueRange sizes) {
  if (sizes.empty()) return tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  return b.create<tensor::EmptyOp>(type.getShape(), type.getElementType(), sizes);
}
static Value likeOf(OpBuilder &b, Location loc, Value v) {
  auto type = cast<RankedTensorType>(v.getType());
  SmallVector<Value> sizes;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size)) sizes.push_back(b.create<tensor::DimOp>(loc, v, i));
  ImplicitLocOpBuilder lb(loc, b);
  return emptyLike(lb, type, sizes);
}";
    let input = "%d = \"t.in\"() : () -> tensor<?x4xf32>\n%0 = \"t.x\"(%d) : (tensor<?x4xf32>) -> tensor<?x4xf32>\n\"t.out\"(%0) : (tensor<?x4xf32>) -> ()\n";
    let run = opt(rules, source, input, &["-I", headers.to_str().unwrap()]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for line in ["arith.constant 0 : index", "tensor.dim", "tensor.empty"] {
        assert!(run.stdout.contains(line), "{}", run.stdout);
    }
}

/// `create` has the builders that MLIR defines in C++ files. The expected operations are those that MLIR creates.
#[test]
fn helpers_create_operations_by_the_builders_of_mlir() {
    let Some(sources) = llvm_sources() else { return };
    let headers = sources.join("mlir/include");
    let cases: &[(&str, &[&str])] = &[
        (
            "return tensor::FromElementsOp::create(rewriter, loc, SmallVector<Value>{x, x});",
            &["% = \"tensor.from_elements\"(%, %) : (i32, i32) -> tensor<2xi32>"],
        ),
        (
            "return tensor::SplatOp::create(rewriter, loc, x, ArrayRef<int64_t>{4});",
            &["% = \"tensor.splat\"(%) : (i32) -> tensor<4xi32>"],
        ),
        (
            "SmallVector<OpFoldResult> o{rewriter.getIndexAttr(0)}; return tensor::ExtractSliceOp::create(rewriter, loc, t, o, o, o);",
            &[
                "% = \"tensor.extract_slice\"(%) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 0>, static_strides = array<i64: 0>}> : (tensor<4xi32>) -> tensor<0xi32>",
            ],
        ),
        (
            "SmallVector<OpFoldResult> o{rewriter.getIndexAttr(0)}; return tensor::PadOp::create(rewriter, loc, Type(), t, o, o, x);",
            &[
                "% = \"tensor.pad\"(%) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0>, static_low = array<i64: 0>}> ({",
                "\"tensor.yield\"(%) : (i32) -> ()",
            ],
        ),
        (
            "scf::IfOp::create(rewriter, loc, c, [&](OpBuilder &b, Location l) { memref::DeallocOp::create(b, l, m); scf::YieldOp::create(b, l); }); return x;",
            &[
                "\"scf.if\"(%) ({",
                "\"memref.dealloc\"(%) : (memref<4xi32>) -> ()",
                "\"scf.yield\"() : () -> ()",
            ],
        ),
        (
            "auto f = scf::IfOp::create(rewriter, loc, c, [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, x); }, [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, x); }); return f.getResult(0);",
            &["% = \"scf.if\"(%) ({", "\"scf.yield\"(%) : (i32) -> ()", "\"scf.yield\"(%) : (i32) -> ()"],
        ),
        (
            "auto f = scf::ForOp::create(rewriter, loc, i, i, i, ValueRange{x}, [&](OpBuilder &b, Location l, Value iv, ValueRange args) { scf::YieldOp::create(b, l, args); }); return f.getResult(0);",
            &["% = \"scf.for\"(%, %, %, %) ({", "\"scf.yield\"(%) : (i32) -> ()"],
        ),
        (
            "return vector::ExtractOp::create(rewriter, loc, v, 1);",
            &["% = \"vector.extract\"(%) <{static_position = array<i64: 1>}> : (vector<4xi32>) -> i32"],
        ),
        (
            "return vector::ExtractOp::create(rewriter, loc, v, i);",
            &[
                "% = \"vector.extract\"(%, %) <{static_position = array<i64: -9223372036854775808>}> : (vector<4xi32>, index) -> i32",
            ],
        ),
        (
            "return vector::TransposeOp::create(rewriter, loc, v, ArrayRef<int64_t>{0});",
            &[
                "% = \"vector.transpose\"(%) <{permutation = array<i64: 0>}> : (vector<4xi32>) -> vector<4xi32>",
            ],
        ),
        (
            "return vector::ExtractStridedSliceOp::create(rewriter, loc, v, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{2}, ArrayRef<int64_t>{1});",
            &[
                "% = \"vector.extract_strided_slice\"(%) <{offsets = [0], sizes = [2], strides = [1]}> : (vector<4xi32>) -> vector<2xi32>",
            ],
        ),
        (
            "return vector::ShuffleOp::create(rewriter, loc, v, v, ArrayRef<int64_t>{0, 1});",
            &[
                "% = \"vector.shuffle\"(%, %) <{mask = array<i64: 0, 1>}> : (vector<4xi32>, vector<4xi32>) -> vector<2xi32>",
            ],
        ),
        (
            "return vector::ReductionOp::create(rewriter, loc, vector::CombiningKind::ADD, v);",
            &[
                "% = \"vector.reduction\"(%) <{fastmath = #arith.fastmath<none>, kind = #vector.kind<add>}> : (vector<4xi32>) -> i32",
            ],
        ),
        (
            "return vector::MultiDimReductionOp::create(rewriter, loc, v, x, ArrayRef<bool>{true}, vector::CombiningKind::ADD);",
            &[
                "% = \"vector.multi_reduction\"(%, %) <{kind = #vector.kind<add>, reduction_dims = array<i64: 0>}> : (vector<4xi32>, i32) -> i32",
            ],
        ),
    ];
    let mut rules = r#"
include "mlir/IR/PatternBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> {
  let arguments = (ins AnyType:$t, AnyType:$m, AnyType:$i, AnyType:$x, AnyType:$v, AnyType:$c, I64Attr:$n);
  let results = (outs AnyType:$r);
}
"#
    .to_owned();
    let mut source = String::new();
    let mut input = String::new();
    for (number, (body, _)) in cases.iter().enumerate() {
        rules += &format!(
            "def R{number} : Pat<(T_XOp:$op $t, $m, $i, $x, $v, $c, ConstantAttr<I64Attr, \"{number}\">), \
             (NativeCodeCall<\"make{number}($_builder, $0.getDefiningOp())\"> $op)>;\n"
        );
        source += &format!(
            "static Value make{number}(PatternRewriter &rewriter, Operation *op) {{
  Location loc = op->getLoc();
  Value t = op->getOperand(0), m = op->getOperand(1), i = op->getOperand(2), x = op->getOperand(3),
        v = op->getOperand(4), c = op->getOperand(5);
  {body}
}}\n"
        );
        input += &format!(
            "func.func @f{number}(%t: tensor<4xi32>, %m: memref<4xi32>, %i: index, %x: i32, %v: vector<4xi32>, %c: i1) {{
  %r = \"t.x\"(%t, %m, %i, %x, %v, %c) {{n = {number} : i64}}
    : (tensor<4xi32>, memref<4xi32>, index, i32, vector<4xi32>, i1) -> i32
  \"t.out\"(%r) : (i32) -> ()
  return
}}\n"
        );
    }
    let run =
        opt(&rules, &source, &input, &["-I", headers.to_str().unwrap(), "--generic", "--keep-constants"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for (number, (body, expected)) in cases.iter().enumerate() {
        let function = run.stdout.split(&format!("sym_name = \"f{number}\"")).nth(1).expect("a function");
        let made = function.split("\"t.out\"").next().unwrap_or_default();
        let mut lines = made.lines().map(|line| {
            let words =
                line.trim().split('%').map(|part| part.trim_start_matches(|c: char| c.is_alphanumeric()));
            words.collect::<Vec<_>>().join("%")
        });
        for line in *expected {
            assert!(lines.any(|made| made == *line), "{body}\n{line}\n{made}\n{}", run.stderr);
        }
    }
}

/// The rule file does not include the definition of the cast.
#[test]
fn helpers_create_casts_and_compare_the_attributes_of_operations() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_X : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a, AnyType:$b); let results = (outs AnyType:$r); }
def Cast : NativeCodeCall<"castTo($_builder, $_loc, $0, $1)">;
def Same : Constraint<CPred<"haveSameAttributes($0, $1)">>;
def R : Pat<(T_X $a, $b), (Cast $a, $b), [(Same $a, $b)]>;
"#;
    let source = "static bool haveSameAttributes(Value a, Value b) {
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  return x->getName().stripDialect() == \"in\" && x->getAttrDictionary() == y->getAttrDictionary();
}
static Value stripCasts(Value v) {
  while (auto cast = v.getDefiningOp<UnrealizedConversionCastOp>()) {
    if (cast.getInputs().size() != 1) break;
    v = cast.getInputs().front();
  }
  return v;
}
static Value castTo(PatternRewriter &rewriter, Location loc, Value a, Value b) {
  auto cast = rewriter.create<UnrealizedConversionCastOp>(loc, b.getType(), a);
  if (stripCasts(cast.getResult(0)) != a) llvm_unreachable(\"wrong\");
  return cast.getResult(0);
}";
    let input = "%a = \"t.in\"() {k = 1 : i8, l} : () -> i32\n%b = \"t.in\"() {l, k = 1 : i8} : () -> index
%c = \"t.in\"() {k = 2 : i8, l} : () -> index
%0 = \"t.x\"(%a, %b) : (i32, index) -> index\n%1 = \"t.x\"(%a, %c) : (i32, index) -> index
\"t.out\"(%0, %1) : (index, index) -> ()\n";
    let run = opt(rules, source, input, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let cast = "\"builtin.unrealized_conversion_cast\"(%0) : (i32) -> index";
    assert_eq!(run.stdout.matches(cast).count(), 1, "{}", run.stdout);
    assert_eq!(run.stdout.matches("\"t.x\"").count(), 1, "{}", run.stdout);
}

/// A helper can create operations at the unknown location, or at the location of a value.
#[test]
fn operations_are_created_at_unknown_locations() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_X : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$out); }
def R : Pat<(T_X $a), (NativeCodeCall<"twice($_builder, $0)"> $a)>;
"#;
    let source = "static Value twice(PatternRewriter &rewriter, Value a) {
  Value sum = arith::AddIOp::create(rewriter, rewriter.getUnknownLoc(), a, a);
  Location unknown = UnknownLoc::get(rewriter.getContext());
  Value product = rewriter.create<arith::MulIOp>(unknown, sum, sum);
  return rewriter.create<arith::SubIOp>(a.getLoc(), product, a);
}";
    let input = "%0 = \"t.in\"() : () -> i32 loc(\"in\")
%1 = \"t.x\"(%0) : (i32) -> i32 loc(\"x\")
\"t.out\"(%1) : (i32) -> () loc(\"out\")";
    let run = opt(rules, source, input, &["--mlir-print-debuginfo", "--mlir-print-local-scope"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let location = |name: &str| {
        let line = run.stdout.lines().find(|line| line.contains(name)).unwrap_or_default();
        line[line.find("loc(").unwrap_or(0)..].to_owned()
    };
    assert_eq!(location("arith.addi"), "loc(unknown)", "{}", run.stdout);
    assert_eq!(location("arith.muli"), "loc(unknown)", "{}", run.stdout);
    assert_eq!(location("arith.subi"), "loc(\"in\")", "{}", run.stdout);
}

/// Builders whose bodies are not a single call of `build`, in the definition and in a C++ file.
#[test]
fn builders_with_statements_create_operations() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::mlir::t"; }
def T_A : Op<T_Dialect, "a"> {
  let arguments = (ins AnyType:$x, AnyAttr:$v);
  let results = (outs AnyType:$y);
}
def T_C : Op<T_Dialect, "c"> {
  let arguments = (ins AnyAttr:$v);
  let results = (outs AnyType:$y);
  let builders = [OpBuilder<(ins "Attribute":$v), [{
    Type type = $_builder.getI1Type();
    if (auto number = dyn_cast<IntegerAttr>(v)) {
      type = number.getType();
      if (number.getInt() < 0) {
        build($_builder, $_state, $_builder.getI64Type(), $_builder.getUnitAttr());
        return;
      }
    }
    build($_builder, $_state, type, v);
  }]>];
}
def T_S : Op<T_Dialect, "s"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$y);
  let builders = [OpBuilder<(ins "Value":$x, CArg<"bool", "true">:$same)>, OpBuilder<(ins "Value":$x, "Type":$type)>];
}
def T_End : Op<T_Dialect, "end"> {
  let arguments = (ins AnyType:$x, AnyType:$y, AnyType:$z);
  let results = (outs AnyType:$r);
}
def R : Pat<(T_A $x, $v), (T_End (T_C $v), (T_S $x), (NativeCodeCall<"make($_builder, $_loc, $0)"> $x))>;
"#;
    let helpers = "
namespace mlir {
namespace t {
void S::build(OpBuilder &b, OperationState &state, Value x, bool same) {
  if (!same)
    return build(b, state, x, b.getI1Type());
  build(b, state, x.getType(), x);
}
void S::build(OpBuilder &b, OperationState &state, Value x, Type type) {
  auto other = S::create(b, state.location, x, true);
  S::build(b, state, type, other.getResult());
}
} // namespace t
static Value make(PatternRewriter &rewriter, Location loc, Value x) {
  return rewriter.create<t::S>(loc, x, false);
}
} // namespace mlir
";
    let input = "%0 = \"t.in\"() : () -> i32
%1 = \"t.a\"(%0) <{v = 7 : i8}> : (i32) -> i32
%2 = \"t.a\"(%0) <{v = -7 : i8}> : (i32) -> i32
%3 = \"t.a\"(%0) <{v = \"text\"}> : (i32) -> i32
\"t.out\"(%1, %2, %3) : (i32, i32, i32) -> ()";
    let run = opt(rules, helpers, input, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for (line, count) in [
        ("\"t.c\"() <{v = 7 : i8}> : () -> i8", 1),
        ("\"t.c\"() <{v}> : () -> i64", 1),
        ("\"t.c\"() <{v = \"text\"}> : () -> i1", 1),
        ("\"t.s\"(%0) : (i32) -> i32", 6),
        (" : (i32) -> i1", 3),
    ] {
        assert_eq!(run.stdout.matches(line).count(), count, "{line}\n{}", run.stdout);
    }
    // Without the C++ file, notes name the functions that are missing.
    let none = opt(rules, "", input, &["--generic", "--allow-missing-natives"]);
    assert!(
        none.stderr.contains("a native replaces 't::S::build', because no C++ file defines it"),
        "{}",
        none.stderr
    );
    // Each path must end with a call of `build`.
    for (body, reason) in [
        (
            "if (same) return; build(b, state, x.getType(), x);",
            "'return' in a builder without a call of 'build' before it",
        ),
        ("build(b, state, x.getType(), x); state.location;", "a call of 'build' before the end of a builder"),
    ] {
        let helpers = format!("namespace mlir::t {{ void S::build(OpBuilder &b, OperationState &state, Value x, bool same) {{ {body} }}
void S::build(OpBuilder &b, OperationState &state, Value x, Type type) {{ build(b, state, x.getType(), x); }} }}");
        let run = opt(rules, &helpers, input, &["--generic"]);
        assert!(run.stderr.contains(reason), "{}", run.stderr);
        assert!(run.stderr.contains("the helper 'S::build' stays a native"), "{}", run.stderr);
    }
}

/// `create` takes the arguments of the builders that MLIR defines in C++ files, also those with a function that builds
/// the body. `mlir-opt` verifies the operations.
#[test]
fn helpers_create_operations_by_the_builders_of_cpp_files() {
    // The sources of MLIR lack the definitions of `linalg` that its build generates.
    let include = "/usr/lib/llvm-22/include";
    if !std::path::Path::new(include).is_dir() {
        println!("skipped: MLIR is not installed");
        return;
    }
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a, AnyType:$view); let results = (outs AnyType:$r); }
def R : Pat<(T_XOp $a, $view), (NativeCodeCall<"make($_builder, $_loc, $0, $1)"> $a, $view)>;
"#;
    let source = "static Value make(PatternRewriter &rewriter, Location loc, Value a, Value view) {
  using Bounds = SmallVector<OpFoldResult>;
  auto yieldsFirst = [](OpBuilder &b, Location l, ValueRange args) { linalg::YieldOp::create(b, l, args[0]); };
  Type f32 = rewriter.getF32Type();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0), one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value padding = arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(1.0));
  Bounds sizes = tensor::getMixedSizes(rewriter, loc, a);
  if (!isa<Value>(sizes[0]) || getConstantIntValue(sizes[1]) != 4) return Value();
  Dialect *dialect = zero.getDefiningOp()->getDialect();
  if (!isa<arith::ArithDialect>(dialect) || isa<scf::SCFDialect>(dialect)) return Value();
  Value sum = arith::AddIOp::create(rewriter, loc, one, one);
  if (dialect != sum.getDefiningOp()->getDialect()) return Value();
  Operation *table = SymbolTable::getNearestSymbolTable(zero.getDefiningOp());
  if (!SymbolTable::lookupSymbolIn(table, \"f\") || SymbolTable::lookupSymbolIn(table, \"g\")) return Value();
  auto loop = scf::WhileOp::create(
      rewriter, loc, TypeRange{zero.getType()}, ValueRange{zero},
      [&](OpBuilder &b, Location l, ValueRange args) {
        Value less = arith::CmpIOp::create(b, l, arith::CmpIPredicate::slt, args[0], one);
        scf::ConditionOp::create(b, l, less, args);
      },
      [&](OpBuilder &b, Location l, ValueRange args) { scf::YieldOp::create(b, l, args); });
  auto counted = scf::ForOp::create(rewriter, loc, zero, one, one);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(counted.getBody());
    memref::LoadOp::create(rewriter, loc, view, ValueRange{counted.getInductionVar(), counted.getInductionVar()});
  }
  Value memory = memref::AllocOp::create(rewriter, loc, MemRefType::get({8, 8}, f32));
  Bounds origin(2, rewriter.getIndexAttr(0)), extent(2, rewriter.getIndexAttr(4)), steps(2, rewriter.getIndexAttr(1));
  auto part = memref::SubViewOp::create(rewriter, loc, cast<MemRefType>(view.getType()), memory, origin, extent, steps);
  auto flat = memref::ReinterpretCastOp::create(rewriter, loc, MemRefType::get({64}, f32), memory, int64_t(0),
                                                ArrayRef<int64_t>{64}, ArrayRef<int64_t>{1});
  memref::CopyOp::create(rewriter, loc, part, view);
  Value mask = vector::CreateMaskOp::create(rewriter, loc, VectorType::get({4, 4}, rewriter.getI1Type()), sizes);
  auto read = vector::TransferReadOp::create(rewriter, loc, VectorType::get({4, 4}, f32), a, ValueRange{zero, zero},
                                             padding, ArrayRef<bool>{false, true});
  Value filled = linalg::FillOp::create(rewriter, loc, padding, a).result();
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(rewriter, loc, TypeRange{a.getType()}, ValueRange{filled}, ValueRange{a},
                                           maps, iterators, [&](OpBuilder &b, Location l, ValueRange args) {
    Value sum = arith::AddFOp::create(b, l, args[0], args[1]);
    linalg::YieldOp::create(b, l, sum);
  });
  Value mapped = linalg::MapOp::create(rewriter, loc, ValueRange{generic.getResult(0)}, a, yieldsFirst)->getResult(0);
  Value row = tensor::EmptyOp::create(rewriter, loc, ArrayRef<int64_t>{4}, f32);
  Value reduced = linalg::ReduceOp::create(rewriter, loc, ValueRange{mapped}, ValueRange{row}, ArrayRef<int64_t>{0},
                                           yieldsFirst)->getResult(0);
  Value square = tensor::EmptyOp::create(rewriter, loc, ArrayRef<int64_t>{4, 4}, f32);
  Value wide = linalg::BroadcastOp::create(rewriter, loc, reduced, square, ArrayRef<int64_t>{0})->getResult(0);
  Value turned = linalg::TransposeOp::create(rewriter, loc, wide, square, ArrayRef<int64_t>{1, 0})->getResult(0);
  return UnrealizedConversionCastOp::create(rewriter, loc, TypeRange{a.getType()},
                                            ValueRange{loop->getResult(0), flat, mask, read, turned}).getResult(0);
}";
    let input = "func.func private @f()\n%a = \"t.in\"() : () -> tensor<?x4xf32>
%v = \"t.view\"() : () -> memref<4x4xf32, strided<[8, 1]>>
%0 = \"t.x\"(%a, %v) : (tensor<?x4xf32>, memref<4x4xf32, strided<[8, 1]>>) -> tensor<?x4xf32>
\"t.out\"(%0) : (tensor<?x4xf32>) -> ()\n";
    let run = opt(rules, source, input, &["--generic", "-I", include]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(!run.stdout.contains("\"t.x\""), "{}{}", run.stdout, run.stderr);
    for text in [
        "\"memref.subview\"(%",
        "<{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4, 4>, \
         static_strides = array<i64: 1, 1>}>",
        "static_offsets = array<i64: 0>, static_sizes = array<i64: 64>, static_strides = array<i64: 1>",
        "\"vector.create_mask\"(%",
        "in_bounds = [false, true], operandSegmentSizes = array<i32: 1, 2, 1, 0>",
        "iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>]",
        "\"linalg.broadcast\"(%",
    ] {
        assert!(run.stdout.contains(text), "{text}\n{}", run.stdout);
    }
    if let Some(opt) = llvm_tool("mlir-opt") {
        let verified = pipe_text(&opt, &["-allow-unregistered-dialect"], &run.stdout);
        assert!(verified.is_ok(), "{verified:?}\n{}", run.stdout);
    }
}

/// The builders set the sizes of the groups as the code that `mlir-tblgen` generates does.
#[test]
fn builders_set_the_sizes_of_groups() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_GateOp : Op<T_Dialect, "gate", [AttrSizedResultSegments, AttrSizedOperandSegments]> {
  let arguments = (ins Variadic<I32>:$in, Optional<I32>:$o, OptionalAttr<I32Attr>:$k);
  let results = (outs Variadic<I32>:$a, Optional<I32>:$b, I32:$c);
}
def T_OptOp : Op<T_Dialect, "opt"> { let arguments = (ins Optional<I32>:$in); let results = (outs I32:$a, Optional<I32>:$b); }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins I64Attr:$n, I32:$x); let results = (outs I32:$r); }
def X : Pat<(T_XOp $n, $x), (NativeCodeCall<"make($_builder, $_loc, $0.getInt(), $1)"> $n, $x)>;
"#;
    let source = r#"Value make(PatternRewriter &b, Location loc, int64_t n, Value x) {
  Type t = x.getType();
  SmallVector<Type> two{t, t};
  switch (n) {
  case 0: return GateOp::create(b, loc, TypeRange{t}, t, t, ValueRange{x}, x).getC();
  case 1: return GateOp::create(b, loc, two, Type(), t, ValueRange{}, Value()).getC();
  case 2: return GateOp::create(b, loc, TypeRange(), nullptr, t, ValueRange{x, x}, nullptr).getC();
  case 3: return GateOp::create(b, loc, t, Type(), t, x, x, b.getI32IntegerAttr(5)).getC();
  case 4: return OptOp::create(b, loc, t, Type(), Value()).getA();
  case 5: return OptOp::create(b, loc, t, t, x).getA();
  case 6: return b.create<GateOp>(loc, two, two.size() == 2 ? Type() : t, t, x, x).getC();
  case 7: {
    SmallVector<NamedAttribute> attributes{
        b.getNamedAttr("resultSegmentSizes", b.getDenseI32ArrayAttr({1, 0, 1})),
        b.getNamedAttr("operandSegmentSizes", b.getDenseI32ArrayAttr({1, 1}))};
    return GateOp::create(b, loc, TypeRange{t, t}, ValueRange{x, x}, attributes).getC();
  }
  }
  return OptOp::create(b, loc, TypeRange{t, t}, ValueRange{x}).getA();
}"#;
    let sizes = |operands: &str, results: &str| {
        format!("operandSegmentSizes = array<i32: {operands}>, resultSegmentSizes = array<i32: {results}>}}>")
    };
    for (n, want) in [
        (0, sizes("1, 1", "1, 1, 1")),
        (1, sizes("0, 0", "2, 0, 1")),
        (2, sizes("2, 0", "0, 0, 1")),
        (3, format!("k = 5 : i32, {}", sizes("1, 1", "1, 0, 1"))),
        (4, r#""t.opt"() : () -> i32"#.to_owned()),
        (5, "(i32) -> (i32, i32)".to_owned()),
        (6, sizes("1, 1", "2, 0, 1")),
        (7, sizes("1, 1", "1, 0, 1")),
        (8, "(i32) -> (i32, i32)".to_owned()),
    ] {
        let input = format!(
            "%x = \"t.in\"() : () -> i32\n%r = \"t.x\"(%x) {{n = {n} : i64}} : (i32) -> i32\n\"t.out\"(%r) : (i32) -> ()\n"
        );
        let run = opt(rules, source, &input, &["--generic"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert!(run.stdout.contains(&want) && !run.stdout.contains("t.x"), "{n}: {want}\n{}", run.stdout);
    }
}

/// The code that `mlir-tblgen` generates does not replace the builders that drrvm derives from the definitions.
#[test]
fn generated_files_in_a_folder_are_ignored() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
def T_YOp : Op<T_Dialect, "y"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
def R : Pat<(T_XOp $a), (NativeCodeCall<"make($_builder, $_loc, $0)"> $a)>;
"#;
    let source = "static Value make(OpBuilder &b, Location loc, Value a) { return YOp::create(b, loc, a.getType(), a); }";
    let generated = "/*===- TableGen'erated file -------------------------------------*- C++ -*-===*\\
|*                                                                            *|
|* Op Definitions                                                             *|
|*                                                                            *|
\\*===----------------------------------------------------------------------===*/
namespace t {
YOp YOp::create(::mlir::OpBuilder &builder, ::mlir::Location location, ::mlir::Type r, ::mlir::Value a) {
  ::mlir::OperationState __state__(location, getOperationName());
  build(builder, __state__, std::forward<decltype(r)>(r), std::forward<decltype(a)>(a));
  return ::llvm::dyn_cast<YOp>(builder.create(__state__));
}
}";
    let input = "%x = \"t.in\"() : () -> i32\n%r = \"t.x\"(%x) : (i32) -> i32\n\"t.out\"(%r) : (i32) -> ()\n";
    let files =
        [("rules.td", rules), ("helpers.cpp", source), ("Ops.cpp.inc", generated), ("in.mlir", input)];
    let run = Folder::new(&files).run(&["opt", "in.mlir", "--rules", "rules.td", "--helpers", "."]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("t.y") && !run.stdout.contains("t.x"), "{}", run.stdout);
}
