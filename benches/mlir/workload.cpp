// The workload's dialect and the compiled rules.
#include "workload.h"

#include "t.dialect-defs.inc"
#define GET_OP_CLASSES
#include "t.op-defs.inc"

void t::TDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "t.op-defs.inc"
      >();
}

#if RULES > 0
void populateRules0(mlir::RewritePatternSet &);
#endif
#if RULES > 500
void populateRules1(mlir::RewritePatternSet &);
#endif
#if RULES > 1000
#error "more than 1,000 rules take the compiler too long"
#endif

void bench::registerDialects(mlir::DialectRegistry &registry) { registry.insert<t::TDialect>(); }

bool bench::addRules(llvm::StringRef name, mlir::RewritePatternSet &patterns) {
#if RULES > 0
  populateRules0(patterns);
#endif
#if RULES > 500
  populateRules1(patterns);
#endif
  return name.empty() && RULES > 0;
}
