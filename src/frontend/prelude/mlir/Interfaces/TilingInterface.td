// Ops that can be tiled.

#ifndef DRRVM_INTERFACES_TILINGINTERFACE
#define DRRVM_INTERFACES_TILINGINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def TilingInterface : OpInterface<"TilingInterface">;
def PartialReductionOpInterface : OpInterface<"PartialReductionOpInterface", [TilingInterface]>;
}

#endif
