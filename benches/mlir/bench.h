// The interface between the timer and the compiled rules.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace bench {
// True if a rule that matches skips its rewrite.
extern bool matchOnly;
// The number of matches.
extern unsigned long matched;

// Registers the dialects of the IR.
void registerDialects(mlir::DialectRegistry &registry);
// Adds the compiled rules with this name; returns false if there are none.
bool addRules(llvm::StringRef name, mlir::RewritePatternSet &patterns);
} // namespace bench
