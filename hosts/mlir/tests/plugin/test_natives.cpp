// The natives that MLIR's TestOps.td calls, as a plugin of its own, and natives for tests of this package.
#include "drrvm/mlir.h"

#include "mlir/Tools/Plugins/PassPlugin.h"

#include <atomic>

using namespace mlir;

static Operation *create(PatternRewriter &rewriter, Location loc, StringRef name, ValueRange operands,
                         TypeRange types) {
  OperationState state(loc, name);
  state.addOperands(operands);
  state.addTypes(types);
  return rewriter.create(state);
}

static drrvm::Natives testNatives() {
  drrvm::Natives natives;
  natives.rewrite("chooseOperand", [](PatternRewriter &, Value a, Value b, BoolAttr first) -> Value {
    return first.getValue() ? a : b;
  });
  natives.rewrite("createOpI", [](PatternRewriter &rewriter, Location loc, Value input) {
    create(rewriter, loc, "test.op_i", input, {});
  });
  natives.rewrite("handleNoResultOp", [](PatternRewriter &rewriter, Operation *op) {
    create(rewriter, op->getLoc(), "test.symbol_binding_b", op->getOperand(0), op->getOperand(0).getType());
  });
  natives.constraint("getFirstI32Result", [](PatternRewriter &, Operation *op) -> std::optional<Value> {
    if (op->getNumResults() == 0 || !op->getResult(0).getType().isSignlessInteger(32))
      return std::nullopt;
    return op->getResult(0);
  });
  natives.constraint("assertBinOpEqualArgsAndReturnTrue", [](PatternRewriter &, Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->getOperand(0) == op->getOperand(1);
  });
  natives.rewrite("bindNativeCodeCallResult", [](PatternRewriter &, Value value) { return value; });
  natives.rewrite("bindMultipleNativeCodeCallResult",
                  [](PatternRewriter &, Value a, Value b) { return std::tuple<Value, Value>(b, a); });
  natives.rewrite("opMTest", [](PatternRewriter &rewriter, Value) -> Attribute {
    static std::atomic<int32_t> next(314159265);
    return rewriter.getI32IntegerAttr(next++);
  });
  natives.typeInference("test.mixed_variadic_out3",
                        [](PatternRewriter &rewriter, ValueRange,
                           DictionaryAttr attributes) -> FailureOr<SmallVector<Type>> {
                          auto count = attributes.getAs<IntegerAttr>("count");
                          if (!count)
                            return failure();
                          return SmallVector<Type>(1 + 2 * count.getInt(), rewriter.getI32Type());
                        });
  // Creates an operation and then fails, so that the rule must be rolled back.
  natives.rewrite("createAndFail", [](PatternRewriter &rewriter, Location loc, Value input) -> FailureOr<Value> {
    create(rewriter, loc, "test.op_i", input, {});
    create(rewriter, loc, "test.op_i", input, {});
    return failure();
  });
  return natives;
}

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "drrvm-test-natives", "1", [] { testNatives().registerForAll(); }};
}
