// The helpers that ArithCanonicalization.td calls.
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

static IntegerAttr combine(PatternRewriter &rewriter, Value result, Attribute a, Attribute b,
                           llvm::function_ref<APInt(const APInt &, const APInt &)> operation) {
  return rewriter.getIntegerAttr(result.getType(),
                                 operation(cast<IntegerAttr>(a).getValue(), cast<IntegerAttr>(b).getValue()));
}

static IntegerAttr addIntegerAttrs(PatternRewriter &rewriter, Value result, Attribute a, Attribute b) {
  return combine(rewriter, result, a, b, [](const APInt &x, const APInt &y) { return x + y; });
}

static IntegerAttr subIntegerAttrs(PatternRewriter &rewriter, Value result, Attribute a, Attribute b) {
  return combine(rewriter, result, a, b, [](const APInt &x, const APInt &y) { return x - y; });
}

static IntegerAttr mulIntegerAttrs(PatternRewriter &rewriter, Value result, Attribute a, Attribute b) {
  return combine(rewriter, result, a, b, [](const APInt &x, const APInt &y) { return x * y; });
}

static arith::CmpIPredicateAttr invertPredicate(arith::CmpIPredicateAttr predicate) {
  return arith::CmpIPredicateAttr::get(predicate.getContext(), arith::invertPredicate(predicate.getValue()));
}

static arith::IntegerOverflowFlagsAttr mergeOverflowFlags(arith::IntegerOverflowFlagsAttr a,
                                                          arith::IntegerOverflowFlagsAttr b) {
  return arith::IntegerOverflowFlagsAttr::get(a.getContext(), a.getValue() & b.getValue());
}
