// Ops with fast-math flags, overflow flags or a rounding mode.

#ifndef DRRVM_DIALECT_ARITH_IR_ARITHOPSINTERFACES
#define DRRVM_DIALECT_ARITH_IR_ARITHOPSINTERFACES

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir::arith" in {
def ArithFastMathInterface : OpInterface<"ArithFastMathInterface">;
def ArithIntegerOverflowFlagsInterface : OpInterface<"ArithIntegerOverflowFlagsInterface">;
def ArithRoundingModeInterface : OpInterface<"ArithRoundingModeInterface">;
}

#endif
