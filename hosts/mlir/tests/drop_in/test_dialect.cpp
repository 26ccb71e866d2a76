
// The test appends this file to MLIR's `TestPatterns.cpp`: the entry point of a plugin with a pass of that file.
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "drop-in-test-dialect", "1", [] { PassRegistration<TestGreedyPatternDriver>(); }};
}
