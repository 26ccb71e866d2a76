// Ranges of integer results.

#ifndef DRRVM_INTERFACES_INFERINTRANGEINTERFACE
#define DRRVM_INTERFACES_INFERINTRANGEINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def InferIntRangeInterface : OpInterface<"InferIntRangeInterface">;
}

#endif
