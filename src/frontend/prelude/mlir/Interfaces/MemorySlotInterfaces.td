// Memory slots that can be promoted to values.

#ifndef DRRVM_INTERFACES_MEMORYSLOTINTERFACES
#define DRRVM_INTERFACES_MEMORYSLOTINTERFACES

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def PromotableAllocationOpInterface : OpInterface<"PromotableAllocationOpInterface">;
def PromotableMemOpInterface : OpInterface<"PromotableMemOpInterface">;
def PromotableOpInterface : OpInterface<"PromotableOpInterface">;
def DestructurableAllocationOpInterface : OpInterface<"DestructurableAllocationOpInterface">;
def SafeMemorySlotAccessOpInterface : OpInterface<"SafeMemorySlotAccessOpInterface">;
def DestructurableAccessorOpInterface : OpInterface<"DestructurableAccessorOpInterface">;
def DestructurableTypeInterface : TypeInterface<"DestructurableTypeInterface">;
}

#endif
