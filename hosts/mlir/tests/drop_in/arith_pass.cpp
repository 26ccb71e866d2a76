
// The test appends this file to the first part of MLIR's `ArithOps.cpp`, which has the helpers and includes the
// generated rules. The pass applies all of these rules. With the option `single`, it also adds three of them by their
// own classes. With `numbers` or `helpers`, it applies the rules in numbers.td or helpers.td instead.
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace numbers {
static APInt shifted(const APInt &value) { return value << 1; }
static FailureOr<APFloat> negated(APFloat value) { return -value; }
static Attribute nextInteger(Type type, APInt value) { return IntegerAttr::get(type, value + 1); }
#include "numbers.inc"
} // namespace numbers

namespace helpers {
static Value made(OpBuilder &b, Location l, Value v) { return arith::AddIOp::create(b, l, v, v); }
static Value made(OpBuilder &b, Location l, Value v, Value w) { return arith::SubIOp::create(b, l, v, w); }
static bool accepted(Value value) { return isa<BlockArgument>(value); }
static bool accepted(Type type) { return type.isInteger(32); }
static arith::IntegerOverflowFlagsAttr flags(Value, MLIRContext *context) {
  return arith::IntegerOverflowFlagsAttr::get(context, arith::IntegerOverflowFlags::nsw);
}
static Value late(Value v, OpBuilder &b, Location l, Value w) { return arith::MulIOp::create(b, l, v, w); }
static Value twice(OpBuilder &b, Location l, Value v) { return arith::AddIOp::create(b, l, v, v); }
template <unsigned Width> static bool wide(Type type) { return type.isInteger(Width); }
static TypedAttr sum(double a, char b, Type type) { return FloatAttr::get(type, a + b); }
static TypedAttr listed(Type type, ArrayRef<int64_t> digits) {
  return IntegerAttr::get(type, digits.front() * 10 + digits.back());
}
#include "helpers.inc"
} // namespace helpers

namespace {
struct DropIn : PassWrapper<DropIn, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropIn)

  DropIn() = default;
  DropIn(const DropIn &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "drop-in-arith"; }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    if (single)
      patterns.add<AddISubConstantLHS, AddIAddConstant, AddISubConstantRHS>(&getContext());
    if (numbersOnly)
      numbers::populateWithGenerated(patterns);
    else if (helpersOnly)
      helpers::populateWithGenerated(patterns);
    else
      populateWithGenerated(patterns);
    // The defaults of canonicalize.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
  Option<bool> numbersOnly{*this, "numbers", llvm::cl::init(false), llvm::cl::desc("Apply the rules in numbers.td")};
  Option<bool> helpersOnly{*this, "helpers", llvm::cl::init(false), llvm::cl::desc("Apply the rules in helpers.td")};
  Option<bool> single{*this, "single", llvm::cl::init(false), llvm::cl::desc("Also add some rules one by one")};
};
} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "drop-in", "1", [] { PassRegistration<DropIn>(); }};
}
