// Casts.

#ifndef DRRVM_INTERFACES_CASTINTERFACES
#define DRRVM_INTERFACES_CASTINTERFACES

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def CastOpInterface : OpInterface<"CastOpInterface">;
}

#endif
