// Ops that combine the results of parallel work.

#ifndef DRRVM_INTERFACES_PARALLELCOMBININGOPINTERFACE
#define DRRVM_INTERFACES_PARALLELCOMBININGOPINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def InParallelOpInterface : OpInterface<"InParallelOpInterface">;
def ParallelCombiningOpInterface : OpInterface<"ParallelCombiningOpInterface">;
}

#endif
