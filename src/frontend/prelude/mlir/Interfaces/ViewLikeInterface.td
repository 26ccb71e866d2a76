// Views, and slices by offset, size and stride.

#ifndef DRRVM_INTERFACES_VIEWLIKEINTERFACE
#define DRRVM_INTERFACES_VIEWLIKEINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def ViewLikeOpInterface : OpInterface<"ViewLikeOpInterface">;
def OffsetSizeAndStrideOpInterface : OpInterface<"OffsetSizeAndStrideOpInterface">;
}

def DistinctObjectsTrait : NativeOpTrait<"DistinctObjectsTrait">;

#endif
