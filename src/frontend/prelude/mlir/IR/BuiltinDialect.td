// The builtin dialect.

#ifndef DRRVM_IR_BUILTINDIALECT
#define DRRVM_IR_BUILTINDIALECT

include "mlir/IR/OpBase.td"

def Builtin_Dialect : Dialect {
  let name = "builtin";
  let cppNamespace = "::mlir";
  let summary = "what every module may use";
}

#endif
