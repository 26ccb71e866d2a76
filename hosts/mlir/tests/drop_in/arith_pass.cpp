
// The test appends this file to the helpers of MLIR's `ArithOps.cpp`, which include the generated rules. The pass
// applies all of these rules. With the option `single`, it also adds three of them by their own classes. With
// `numbers`, it applies the rules in numbers.td instead.
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace numbers {
static APInt shifted(const APInt &value) { return value << 1; }
static FailureOr<APFloat> negated(APFloat value) { return -value; }
static Attribute nextInteger(Type type, APInt value) { return IntegerAttr::get(type, value + 1); }
#include "numbers.inc"
} // namespace numbers

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
    else
      populateWithGenerated(patterns);
    // The defaults of canonicalize.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
  Option<bool> numbersOnly{*this, "numbers", llvm::cl::init(false), llvm::cl::desc("Apply the rules in numbers.td")};
  Option<bool> single{*this, "single", llvm::cl::init(false), llvm::cl::desc("Also add some rules one by one")};
};
} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "drop-in", "1", [] { PassRegistration<DropIn>(); }};
}
