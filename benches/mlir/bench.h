// What the generated rules and the timer share.
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "t.dialect-decls.inc"
#define GET_OP_CLASSES
#include "t.op-decls.inc"

namespace bench {
// Whether a rule that matches stops there.
extern bool matchOnly;
// How many rules have matched.
extern unsigned long matched;
} // namespace bench
