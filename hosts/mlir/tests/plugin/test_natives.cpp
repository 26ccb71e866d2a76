// A plugin with the natives that MLIR's TestOps.td calls, and with natives and passes for the tests of this package.
#include "drrvm/mlir.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

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
  natives.rewrite("nextInteger", [](PatternRewriter &, Type type, APInt value) -> Attribute {
    return IntegerAttr::get(type, value + 1);
  });
  natives.rewrite("negated", [](PatternRewriter &, APFloat value) { return -value; });
  natives.rewrite("shifted", [](PatternRewriter &, const APInt &value) { return value << 1; });
  // Creates operations and then fails, so that the rule must be rolled back.
  natives.rewrite("createAndFail", [](PatternRewriter &rewriter, Location loc, Value input) -> FailureOr<Value> {
    create(rewriter, loc, "test.op_i", input, {});
    create(rewriter, loc, "test.op_i", input, {});
    return failure();
  });
  return natives;
}

namespace {
/// A pattern in C++ that drivers try between rules, and that never matches.
struct Between : RewritePattern {
  Between(MLIRContext *context) : RewritePattern("t.a", 2, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    return rewriter.notifyMatchFailure(op, "this pattern never matches");
  }
};

/// Converts all `t.a` and `t.b` with rules. The patterns also contain `Between`.
struct ConvertPass : PassWrapper<ConvertPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertPass)

  ConvertPass() = default;
  ConvertPass(const ConvertPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "test-drrvm-convert"; }
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    drrvm::Source source;
    source.files = {rules};
    if (failed(drrvm::populate(patterns, source)))
      return signalPassFailure();
    patterns.add<Between>(context);
    ConversionTarget target(*context);
    for (StringRef name : {"t.a", "t.b"})
      target.setOpAction(OperationName(name, context), ConversionTarget::LegalizationAction::Illegal);
    // The conversion keeps a new operation only if the operation is legal.
    for (StringRef name : {"t.c", "t.d"})
      target.setOpAction(OperationName(name, context), ConversionTarget::LegalizationAction::Legal);
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
  Option<std::string> rules{*this, "rules", llvm::cl::desc("Rule file")};
};
/// Applies rules to operations with null types, which can exist only while a pass runs.
struct NullTypePass : PassWrapper<NullTypePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NullTypePass)

  NullTypePass() = default;
  NullTypePass(const NullTypePass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "test-drrvm-null-type"; }
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    drrvm::Source source;
    source.files = {rules};
    if (failed(drrvm::populate(patterns, source)))
      return signalPassFailure();
    FrozenRewritePatternSet frozen(std::move(patterns));
    OpBuilder builder(context);
    Block &body = getOperation()->getRegion(0).front();
    builder.setInsertionPointToStart(&body);
    auto add = [&](StringRef name, ValueRange operands, Type type) {
      OperationState state(builder.getUnknownLoc(), name);
      state.addOperands(operands);
      state.types.push_back(type);
      return builder.create(state);
    };
    Operation *source1 = add("t.source", {}, Type());
    Operation *inner = add("t.not", source1->getResult(0), Type());
    Operation *outer = add("t.not", inner->getResult(0), builder.getI1Type());
    walkAndApplyPatterns(getOperation(), frozen);
    for (Operation *op : {outer, inner, source1})
      op->erase();
  }
  Option<std::string> rules{*this, "rules", llvm::cl::desc("Rule file")};
};
} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "drrvm-test-natives", "1", [] {
            testNatives().registerForAll();
            PassRegistration<ConvertPass>();
            PassRegistration<NullTypePass>();
          }};
}
