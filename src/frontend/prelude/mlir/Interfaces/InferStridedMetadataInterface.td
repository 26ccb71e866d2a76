// Strides, offsets and sizes of results.

#ifndef DRRVM_INTERFACES_INFERSTRIDEDMETADATAINTERFACE
#define DRRVM_INTERFACES_INFERSTRIDEDMETADATAINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def InferStridedMetadataOpInterface : OpInterface<"InferStridedMetadataOpInterface">;
}

#endif
