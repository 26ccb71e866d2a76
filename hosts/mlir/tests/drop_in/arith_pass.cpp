
// A pass that applies all rules above. With the option `single`, it also adds three of them by their own classes.
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

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
    populateWithGenerated(patterns);
    // The defaults of canonicalize.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
  Option<bool> single{*this, "single", llvm::cl::init(false), llvm::cl::desc("Also add some rules one by one")};
};
} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "drop-in", "1", [] { PassRegistration<DropIn>(); }};
}
