// Lowers fix to arith. Operands are converted before a rule is applied: a value of type `!fix.num` in a source pattern
// is an `i32` in the result pattern.

include "mlir/Dialect/Arith/IR/ArithOps.td"
include "mlir/IR/PatternBase.td"
include "FixOps.td"

defvar NoOverflow = ConstantEnumCase<Arith_IntegerOverflowAttr, "none">;
defvar Less = ConstantEnumCase<Arith_CmpIPredicateAttr, "slt">;

def LowerConstant : Pat<(Fix_ConstantOp $raw), (Arith_ConstantOp $raw)>;
def LowerAdd : Pat<(Fix_AddOp $a, $b), (Arith_AddIOp $a, $b, NoOverflow)>;
def LowerSub : Pat<(Fix_SubOp $a, $b), (Arith_SubIOp $a, $b, NoOverflow)>;
def LowerLess : Pat<(Fix_LessOp $a, $b), (Arith_CmpIOp Less, $a, $b)>;

// The product has 32 bits after the point.
def Sixteen : NativeCodeCall<"$_builder.getI64IntegerAttr(16)">;
def NotExact : NativeCodeCall<"UnitAttr()">;
def LowerMul
    : Pat<(Fix_MulOp $a, $b),
          (Arith_TruncIOp
            (Arith_ShRSIOp
              (Arith_MulIOp (Arith_ExtSIOp $a, (returnType "$_builder.getI64Type()")),
                            (Arith_ExtSIOp $b, (returnType "$_builder.getI64Type()")), NoOverflow),
              (Arith_ConstantOp (Sixteen)), (NotExact)),
            NoOverflow)>;

// The product is lowered in turn.
def LowerSquare : Pat<(Fix_SquareOp $a), (Fix_MulOp $a, $a)>;
