// Ops with an alignment.

#ifndef DRRVM_INTERFACES_ALIGNMENTATTRINTERFACE
#define DRRVM_INTERFACES_ALIGNMENTATTRINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def AlignmentAttrOpInterface : OpInterface<"AlignmentAttrOpInterface">;
}

#endif
