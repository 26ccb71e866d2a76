// Loops.

#ifndef DRRVM_INTERFACES_LOOPLIKEINTERFACE
#define DRRVM_INTERFACES_LOOPLIKEINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def LoopLikeOpInterface : OpInterface<"LoopLikeOpInterface"> {
  let verifyWithRegions = 1;
}
}

def HasParallelRegion : NativeOpTrait<"HasParallelRegion">;

#endif
