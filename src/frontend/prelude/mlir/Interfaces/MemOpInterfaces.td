// Casts between memory spaces.

#ifndef DRRVM_INTERFACES_MEMOPINTERFACES
#define DRRVM_INTERFACES_MEMOPINTERFACES

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def MemorySpaceCastConsumerOpInterface : OpInterface<"MemorySpaceCastConsumerOpInterface">;
def MemorySpaceCastOpInterface : OpInterface<"MemorySpaceCastOpInterface">;
}

#endif
