// MLIR's dialects and the one of its tests, and the rules of its own that are compiled in.
#include "bench.h"
#include "mlir/InitAllDialects.h"

namespace test {
void registerTestDialect(mlir::DialectRegistry &);
} // namespace test
void populateRulesArith(mlir::RewritePatternSet &);
void populateRulesTest(mlir::RewritePatternSet &);

void bench::registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  test::registerTestDialect(registry);
}

bool bench::addRules(llvm::StringRef name, mlir::RewritePatternSet &patterns) {
  if (name == "arith")
    populateRulesArith(patterns);
  else if (name == "test")
    populateRulesTest(patterns);
  else
    return false;
  return true;
}
