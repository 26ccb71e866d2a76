//! Tests of the choice between helpers of one name that the C++ text of a rule calls. The C++ class of each argument
//! decides: the class with which `mlir-tblgen -gen-rewriters` declares the argument.

use super::helpers::opt;

const DEFINITIONS: &str = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_X : Op<T_Dialect, "x"> {
  let arguments = (ins AnyType:$in, I64Attr:$n);
  let results = (outs AnyType:$out);
}
"#;

const INPUT: &str = "%0 = \"t.in\"() : () -> i32
%1 = \"t.x\"(%0) <{n = 1 : i64}> : (i32) -> i32
\"t.out\"(%1) : (i32) -> ()
";

/// Applies a rule to an operation with `n = 1`, and returns the number `n` of the resulting operation.
#[track_caller]
fn result(rule: &str, helpers: &str) -> String {
    let run = opt(&format!("{DEFINITIONS}{rule}"), helpers, INPUT, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let number = run.stdout.split_once("n = ").and_then(|(_, after)| after.split_once(' '));
    number.unwrap_or_else(|| panic!("{}\n{}", run.stdout, run.stderr)).0.to_owned()
}

#[test]
fn the_attribute_of_a_constraint_is_of_class_attribute() {
    let helpers = "using namespace mlir;
static bool holds(Attribute a) { return true; }
static bool holds(IntegerAttr a) { return false; }
static bool holds(TypedAttr a) { return false; }
template <typename T> static bool passes(T x) { return holds(x); }
";
    for call in ["holds($_self)", "passes($_self)"] {
        let rule = format!(
            r#"def C : ConfinedAttr<I64Attr, [AttrConstraint<CPred<"{call}">, "c">]>;
def R : Pat<(T_X $in, C:$n), (T_X $in, ConstantAttr<I64Attr, "2">), [(Constraint<CPred<"cast<IntegerAttr>($0).getInt() == 1">> $n)]>;"#
        );
        assert_eq!(result(&rule, helpers), "2", "{call}");
    }
    // A symbol of an attribute has the class that the operation declares.
    let rule = r#"def R : Pat<(T_X $in, $n), (T_X $in, ConstantAttr<I64Attr, "2">), [(Constraint<CPred<"holds($0)">> $n)]>;"#;
    assert_eq!(result(rule, helpers), "1");
}

#[test]
fn a_symbol_of_an_operation_is_a_result_and_an_operand_is_a_value() {
    let helpers = "using namespace mlir;
static int64_t which(Value v) { return 10; }
static int64_t which(OpResult v) { return 20; }
static IntegerAttr number(Builder &b, Value v) { return b.getI64IntegerAttr(10); }
static IntegerAttr number(Builder &b, OpResult v) { return b.getI64IntegerAttr(20); }
static IntegerAttr only(Builder &b, Value v) { return b.getI64IntegerAttr(30); }
static IntegerAttr only(Builder &b, OpFoldResult v) { return b.getI64IntegerAttr(40); }
";
    let rule = |name: &str, symbol: &str, which: &str| {
        format!(
            r#"def R : Pat<(T_X:$op $in, ConstantAttr<I64Attr, "1">), (T_X $in, (NativeCodeCall<"{name}($_builder, $0)"> {symbol})),
  [(Constraint<CPred<"which($0) == {which}">> {symbol})]>;"#
        )
    };
    assert_eq!(result(&rule("number", "$op", "20"), helpers), "20");
    assert_eq!(result(&rule("number", "$in", "10"), helpers), "10");
    assert_eq!(result(&rule("only", "$op", "20"), helpers), "30");
    assert_eq!(result(&rule("only", "$op", "10"), helpers), "1");
}

/// The class of the result of a native call is unknown.
#[test]
fn the_result_of_a_native_call_is_a_value_of_any_class() {
    let rule = r#"
def Same : NativeCodeCall<"same($0)">;
def R : Pat<(T_X $in, ConstantAttr<I64Attr, "1">), (T_X $in, (NativeCodeCall<"number($_builder, $0)"> (Same $in)))>;"#;
    let helpers = "using namespace mlir;
static Value same(Value v) { return v; }
static IntegerAttr number(Builder &b, Value v) { return b.getI64IntegerAttr(10); }
";
    let fold = "static IntegerAttr number(Builder &b, OpFoldResult v) { return b.getI64IntegerAttr(20); }";
    assert_eq!(result(rule, &format!("{helpers}{fold}")), "10");
    let of_result = "static IntegerAttr number(Builder &b, OpResult v) { return b.getI64IntegerAttr(20); }";
    let run = opt(&format!("{DEFINITIONS}{rule}"), &format!("{helpers}{of_result}"), INPUT, &[]);
    assert_ne!(run.status, 0, "{}", run.stdout);
}

#[test]
fn the_variable_of_the_root_has_no_class_of_an_operation() {
    let helpers = "using namespace mlir;
static int64_t which(Operation *op) { return 1; }
static int64_t which(t::X op) { return 2; }
";
    for (call, number) in [("which(op0)", 1), ("which(castedOp0)", 2), ("which(x)", 2)] {
        let rule = format!(
            r#"def R : Pat<(T_X:$x $in, ConstantAttr<I64Attr, "1">), (T_X $in, ConstantAttr<I64Attr, "2">),
  [(Constraint<CPred<"{call} == {number}">>)]>;"#
        );
        assert_eq!(result(&rule, helpers), "2", "{call}");
    }
}

/// If the function that C++ chooses is outside the language, no other function replaces it.
#[test]
fn a_function_that_takes_a_number_does_not_replace_one_that_takes_the_attribute() {
    let rule = r#"def R : Pat<(T_X $in, $n), (T_X $in, ConstantAttr<I64Attr, "2">), [(Constraint<CPred<"holds($0)">> $n)]>;"#;
    let helpers = "using namespace mlir;
static bool holds(Attribute a) { static int calls = 0; return ++calls > 100; }
static bool holds(int64_t n) { return true; }
";
    let run = opt(&format!("{DEFINITIONS}{rule}"), helpers, INPUT, &["--generic"]);
    assert!(run.stderr.contains("holds") && !run.stdout.contains("n = 2"), "{}{}", run.stdout, run.stderr);
}
