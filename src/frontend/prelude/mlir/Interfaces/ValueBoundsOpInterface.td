// Bounds of values.

#ifndef DRRVM_INTERFACES_VALUEBOUNDSOPINTERFACE
#define DRRVM_INTERFACES_VALUEBOUNDSOPINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def ValueBoundsOpInterface : OpInterface<"ValueBoundsOpInterface">;
}

#endif
