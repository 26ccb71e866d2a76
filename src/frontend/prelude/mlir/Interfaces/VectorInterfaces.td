// Vector ops that can be unrolled, and transfers.

#ifndef DRRVM_INTERFACES_VECTORINTERFACES
#define DRRVM_INTERFACES_VECTORINTERFACES

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def VectorUnrollOpInterface : OpInterface<"VectorUnrollOpInterface">;
def VectorTransferOpInterface : OpInterface<"VectorTransferOpInterface">;
}

#endif
