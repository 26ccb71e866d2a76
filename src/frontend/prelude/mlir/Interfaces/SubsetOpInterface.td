// Ops on a part of a tensor.

#ifndef DRRVM_INTERFACES_SUBSETOPINTERFACE
#define DRRVM_INTERFACES_SUBSETOPINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def SubsetOpInterface : OpInterface<"SubsetOpInterface">;
def SubsetExtractionOpInterface : OpInterface<"SubsetExtractionOpInterface", [SubsetOpInterface]>;
def SubsetInsertionOpInterface : OpInterface<"SubsetInsertionOpInterface", [SubsetOpInterface]>;
}

#endif
