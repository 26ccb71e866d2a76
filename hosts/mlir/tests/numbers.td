// Rules that pass integers and floats of fixed widths to functions in C++ and back.
include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
def Next : NativeCodeCall<"nextInteger(cast<IntegerAttr>($0).getType(), cast<IntegerAttr>($0).getValue())">;
def Shifted : NativeCodeCall<
  "$_builder.getIntegerAttr(cast<IntegerAttr>($0).getType(), shifted(cast<IntegerAttr>($0).getValue()))">;
def Negated : NativeCodeCall<
  "$_builder.getFloatAttr(cast<FloatAttr>($0).getType(), negated(cast<FloatAttr>($0).getValue()))">;
def NextRule : Pat<(Arith_AddIOp $x, (ConstantLikeMatcher APIntAttr:$a), $_),
                   (Arith_XOrIOp $x, (Arith_ConstantOp (Next $a)))>;
def ShiftedRule : Pat<(Arith_SubIOp $x, (ConstantLikeMatcher APIntAttr:$a), $_),
                      (Arith_XOrIOp $x, (Arith_ConstantOp (Shifted $a)))>;
def NegatedRule : Pat<(Arith_SubFOp $x, (ConstantLikeMatcher AnyAttr:$a), $f),
                      (Arith_AddFOp $x, (Arith_ConstantOp (Negated $a)), $f)>;
