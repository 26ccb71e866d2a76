// Ops with indexing maps.

#ifndef DRRVM_INTERFACES_INDEXINGMAPOPINTERFACE
#define DRRVM_INTERFACES_INDEXINGMAPOPINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def IndexingMapOpInterface : OpInterface<"IndexingMapOpInterface">;
}

#endif
