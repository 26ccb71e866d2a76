// The helpers that TestOps.td calls. Helpers for matching are implemented. Helpers for rewriting are stubs, because
// rewriting is skipped.
#pragma once
#include "bench.h"
#include "mlir/IR/Matchers.h"

#include "TestDialect.h"
#include "TestOps.h"

using namespace mlir;
using namespace test;

static bool getFirstI32Result(Operation *op, Value &value) {
  value = op->getResult(0);
  return value.getType().isSignlessInteger(32);
}

static bool assertBinOpEqualArgsAndReturnTrue(Value value) {
  Operation *op = value.getDefiningOp();
  return op->getOperand(0) == op->getOperand(1);
}

static Value chooseOperand(Value value, Value, BoolAttr) { return value; }
static void createOpI(PatternRewriter &, Location, Value) {}
static void handleNoResultOp(PatternRewriter &, OpSymbolBindingNoResult) {}
static Value bindNativeCodeCallResult(Value value) { return value; }
static SmallVector<Value, 2> bindMultipleNativeCodeCallResult(Value a, Value b) { return {a, b}; }
static Attribute opMTest(PatternRewriter &, Value) { return {}; }
