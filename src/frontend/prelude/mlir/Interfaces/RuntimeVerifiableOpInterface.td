// Ops that generate checks for run time.

#ifndef DRRVM_INTERFACES_RUNTIMEVERIFIABLEOPINTERFACE
#define DRRVM_INTERFACES_RUNTIMEVERIFIABLEOPINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def RuntimeVerifiableOpInterface : OpInterface<"RuntimeVerifiableOpInterface">;
}

#endif
