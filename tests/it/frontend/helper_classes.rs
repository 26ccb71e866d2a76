//! Tests of helpers with classes: matchers, constants of definitions, and variadic templates over classes.

use super::helpers::opt;

const RULES: &str = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_Box : TypeDef<T_Dialect, "Box"> {
  let mnemonic = "box";
  let parameters = (ins "int64_t":$size);
  let assemblyFormat = "`<` $size `>`";
  let extraClassDeclaration = [{
    static constexpr int64_t kUnknown = -1;
    bool hasSize() const { return getSize() != kUnknown; }
  }];
}
def T_NumOp : Op<T_Dialect, "num"> { let arguments = (ins I64Attr:$value); let results = (outs AnyType:$out); }
def T_OtherOp : Op<T_Dialect, "other"> { let results = (outs AnyType:$out); }
def T_ListOp : Op<T_Dialect, "list"> { let arguments = (ins Variadic<AnyType>:$elements); let results = (outs AnyType:$out); }
def T_X : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$in); let results = (outs AnyType:$out); }
def T_Y : Op<T_Dialect, "y"> { let arguments = (ins AnyType:$in, I64Attr:$n); let results = (outs AnyType:$out); }
def Number : NativeCodeCall<"number($_builder, $0)">;
def R : Pat<(T_X $in), (T_Y $in, (Number $in)), [(Constraint<CPred<"matches($0)">> $in)]>;
"#;

/// Runs the rule on the operations `ops`. Returns the numbers of the new operations `t.y`.
fn numbers(helpers: &str, ops: &str) -> Vec<String> {
    let helpers = format!("using namespace mlir;\nusing namespace t;\n{helpers}");
    let run = opt(RULES, &helpers, ops, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let found = run.stdout.lines().filter_map(|line| line.split_once("<{n = ")?.1.split_once(" : i64}>"));
    found.filter(|(_, rest)| rest.contains(':')).map(|(number, _)| number.to_owned()).collect()
}

const OPS: &str = "%0 = \"t.num\"() <{value = 7 : i64}> : () -> i32
%1 = \"t.num\"() <{value = 5 : i64}> : () -> i32
%2 = \"t.other\"() : () -> i32
%3 = \"t.list\"(%0, %1) : (i32, i32) -> i32
%4 = \"t.list\"(%0, %2) : (i32, i32) -> i32
%5 = \"t.in\"() : () -> i32
%6 = \"t.x\"(%0) : (i32) -> i32
%7 = \"t.x\"(%2) : (i32) -> i32
%8 = \"t.x\"(%3) : (i32) -> i32
%9 = \"t.x\"(%4) : (i32) -> i32
%10 = \"t.x\"(%5) : (i32) -> i32
\"t.out\"(%6, %7, %8, %9, %10) : (i32, i32, i32, i32, i32) -> ()
";

#[test]
fn matchers_of_the_files_bind_variables_of_the_caller() {
    let helpers = "
namespace detail {
struct number_binder {
  int64_t *bind_value;
  explicit number_binder(int64_t *bv) : bind_value(bv) {}
  bool match(Operation *op) {
    if (auto num = dyn_cast<NumOp>(op)) {
      *bind_value = num.getValue();
      return true;
    }
    return false;
  }
};
struct numbers_binder {
  SmallVectorImpl<int64_t> &bind_values;
  numbers_binder(SmallVectorImpl<int64_t> &bvs) : bind_values(bvs) {}
  bool match(Operation *op) {
    auto list = dyn_cast<ListOp>(op);
    if (!list)
      return false;
    for (Value value : list.getElements()) {
      int64_t num;
      if (!matchPattern(value, number_binder(&num)))
        return false;
      bind_values.push_back(num);
    }
    return true;
  }
};
struct other_matcher {
  bool match(Operation *op) { return isa<OtherOp>(op); }
};
template <typename OpTy> struct class_matcher {
  bool match(Operation *op) { return isa<OpTy>(op); }
};
template <typename T> struct at_least {
  T *out;
  T least;
  bool match(Operation *op) { return matchPattern(op, number_binder(out)) && *out >= least; }
};
} // namespace detail
inline detail::number_binder m_Number(int64_t *v) { return detail::number_binder(v); }
inline auto m_Numbers(SmallVectorImpl<int64_t> &v) { return detail::numbers_binder(v); }
inline auto m_Other() { return detail::other_matcher(); }
template <typename OpTy> inline auto m_Class() { return detail::class_matcher<OpTy>(); }
static bool matches(Value v) {
  int64_t n;
  SmallVector<int64_t> all;
  return matchPattern(v, m_Number(&n)) || matchPattern(v, m_Numbers(all)) || matchPattern(v, m_Other());
}
static IntegerAttr number(Builder &b, Value v) {
  int64_t n = 1;
  SmallVector<int64_t> all;
  if (matchPattern(v, m_Numbers(all)))
    return b.getI64IntegerAttr(all[0] * 10 + all[1]);
  if (matchPattern(v, m_Class<OtherOp>()))
    return b.getI64IntegerAttr(-1);
  if (!matchPattern(v.getDefiningOp(), m_Number(&n)) || matchPattern(v, m_Class<ListOp>()))
    return {};
  int64_t m = 0;
  bool isLarge = matchPattern(v, detail::at_least<int64_t>{&m, 6});
  return b.getI64IntegerAttr(n * 100 + m + isLarge);
}";
    // A list with another element does not match, and neither does a value without a known operation.
    assert_eq!(numbers(helpers, OPS), ["708", "-1", "75"]);
}

#[test]
fn matchers_with_code_in_their_constructors_stay_natives() {
    let helpers = "using namespace mlir;
struct M { int64_t *out; M(int64_t *o) : out(o) { *out = 3; } bool match(Operation *op) { return true; } };
static bool matches(Value v) { int64_t n; return matchPattern(v, M(&n)); }
static IntegerAttr number(Builder &b, Value v) { return b.getI64IntegerAttr(1); }";
    let run = opt(RULES, helpers, OPS, &["--generic"]);
    let note = "the helper 'matches' stays a native: a matcher of this form is outside the snippet language";
    assert!(run.stderr.contains(note), "{}", run.stderr);
}

#[test]
fn constants_of_type_definitions_are_read() {
    let helpers = "
template <typename... Ts> static bool isAnyOf(Type t) { return isa<Ts...>(t); }
template <typename... Ts> static bool isOneOf(Operation *op) { return op && (isa<Ts>(op) || ...); }
template <typename... Ops, typename... Args> static int64_t count(Args... args) {
  int64_t all = 0;
  ((all = all * 10 + isOneOf<Ops...>(args.getDefiningOp())), ...);
  return all;
}
static bool matches(Value v) { return isAnyOf<IndexType, BoxType>(v.getType()); }
static IntegerAttr number(Builder &b, Value v) {
  auto box = cast<BoxType>(v.getType());
  int64_t found = count<NumOp, OtherOp>(v, v) * 1000;
  return b.getI64IntegerAttr(box.hasSize() ? found + box.getSize() : found + BoxType::kUnknown + t::BoxType::kUnknown);
}";
    let ops = "%0 = \"t.in\"() : () -> !t.box<4>
%1 = \"t.other\"() : () -> !t.box<-1>
%2 = \"t.in\"() : () -> i32
%3 = \"t.x\"(%0) : (!t.box<4>) -> i32
%4 = \"t.x\"(%1) : (!t.box<-1>) -> i32
%5 = \"t.x\"(%2) : (i32) -> i32
\"t.out\"(%3, %4, %5) : (i32, i32, i32) -> ()
";
    assert_eq!(numbers(helpers, ops), ["4", "10998"]);
}
