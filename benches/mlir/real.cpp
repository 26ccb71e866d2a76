// MLIR's dialects, its test dialect, and compiled rules of both.
#include "bench.h"
#include "mlir/InitAllDialects.h"

namespace test {
void registerTestDialect(mlir::DialectRegistry &);
} // namespace test
void populateRulesArith(mlir::RewritePatternSet &);
void populateRulesTest(mlir::RewritePatternSet &);
void populateRulesSpirv(mlir::RewritePatternSet &);
void populateRulesShape(mlir::RewritePatternSet &);
void populateRulesShapeToStandard(mlir::RewritePatternSet &);

void bench::registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  test::registerTestDialect(registry);
}

bool bench::addRules(llvm::StringRef name, mlir::RewritePatternSet &patterns) {
  if (name == "arith")
    populateRulesArith(patterns);
  else if (name == "test")
    populateRulesTest(patterns);
  else if (name == "spirv")
    populateRulesSpirv(patterns);
  else if (name == "shape")
    populateRulesShape(patterns);
  else if (name == "shape-to-standard")
    populateRulesShapeToStandard(patterns);
  else
    return false;
  return true;
}
