// What the timer and the rules that it times share.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace bench {
// Whether a rule that matches stops there.
extern bool matchOnly;
// How many rules have matched.
extern unsigned long matched;

// The dialects of the IR.
void registerDialects(mlir::DialectRegistry &registry);
// Adds the compiled rules of this name; whether there are any.
bool addRules(llvm::StringRef name, mlir::RewritePatternSet &patterns);
} // namespace bench
