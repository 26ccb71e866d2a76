// The helpers that ArithCanonicalization.td calls. Helpers for matching are implemented. Helpers for rewriting are
// stubs, because rewriting is skipped.
#pragma once
#include "bench.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

static FailureOr<APInt> getIntOrSplatIntValue(Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return integer.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(attr); splat && splat.getElementType().isIntOrIndex())
    return splat.getSplatValue<APInt>();
  return failure();
}

static int64_t getScalarOrElementWidth(Value value) {
  Type type = getElementTypeOrSelf(value);
  return type.isIntOrFloat() ? int64_t(type.getIntOrFloatBitWidth()) : -1;
}

static IntegerAttr addIntegerAttrs(PatternRewriter &, Value, Attribute, Attribute) { return {}; }
static IntegerAttr subIntegerAttrs(PatternRewriter &, Value, Attribute, Attribute) { return {}; }
static IntegerAttr mulIntegerAttrs(PatternRewriter &, Value, Attribute, Attribute) { return {}; }
static arith::CmpIPredicateAttr invertPredicate(arith::CmpIPredicateAttr) { return {}; }
static arith::IntegerOverflowFlagsAttr mergeOverflowFlags(arith::IntegerOverflowFlagsAttr,
                                                          arith::IntegerOverflowFlagsAttr) {
  return {};
}
