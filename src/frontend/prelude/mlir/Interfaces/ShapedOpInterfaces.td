// Ops that return a dimension of a shaped value.

#ifndef DRRVM_INTERFACES_SHAPEDOPINTERFACES
#define DRRVM_INTERFACES_SHAPEDOPINTERFACES

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def ShapedDimOpInterface : OpInterface<"ShapedDimOpInterface">;
}

#endif
