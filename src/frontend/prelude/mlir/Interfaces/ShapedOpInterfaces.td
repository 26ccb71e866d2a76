// Ops that ask for a dimension.

#ifndef DRRVM_INTERFACES_SHAPEDOPINTERFACES
#define DRRVM_INTERFACES_SHAPEDOPINTERFACES

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def ShapedDimOpInterface : OpInterface<"ShapedDimOpInterface">;
}

#endif
