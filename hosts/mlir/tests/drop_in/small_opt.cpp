// A small `mlir-opt`. In place of MLIR's library for the dialect `arith`, it contains the sources of the dialect,
// compiled with the rules that drrvm generated. The dialect `test` has the one operation that MLIR's test of `arith`
// needs.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include "TestDialect.h.inc"
#define GET_OP_CLASSES
#include "TestConstant.h.inc"

#include "TestDialect.cpp.inc"
#define GET_OP_CLASSES
#include "TestConstant.cpp.inc"

void test::TestDialect::initialize() { addOperations<test::TestConstant>(); }

mlir::OpFoldResult test::TestConstant::fold(FoldAdaptor) { return getValue(); }

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::math::MathDialect, mlir::ub::UBDialect, mlir::vector::VectorDialect, test::TestDialect>();
  mlir::registerCanonicalizerPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "small mlir-opt\n", registry));
}
