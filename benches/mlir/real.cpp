// MLIR's dialects, its test dialect, and the compiled rules of both.
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
