
// The entry point of a plugin with the pass above.
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "drop-in-test-dialect", "1", [] { PassRegistration<TestGreedyPatternDriver>(); }};
}
