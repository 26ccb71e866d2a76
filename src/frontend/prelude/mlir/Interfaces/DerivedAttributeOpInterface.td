// Ops with computed attributes.

#ifndef DRRVM_INTERFACES_DERIVEDATTRIBUTEOPINTERFACE
#define DRRVM_INTERFACES_DERIVEDATTRIBUTEOPINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def DerivedAttributeOpInterface : OpInterface<"DerivedAttributeOpInterface">;
}

#endif
