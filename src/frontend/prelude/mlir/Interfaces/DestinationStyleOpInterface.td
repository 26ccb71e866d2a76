// Ops with operands that are the destinations of their results.

#ifndef DRRVM_INTERFACES_DESTINATIONSTYLEOPINTERFACE
#define DRRVM_INTERFACES_DESTINATIONSTYLEOPINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def DestinationStyleOpInterface : OpInterface<"DestinationStyleOpInterface"> {
  let verifyWithRegions = 1;
}
}

#endif
