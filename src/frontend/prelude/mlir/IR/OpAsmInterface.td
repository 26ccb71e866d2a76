// Names of values and blocks in text.

#ifndef DRRVM_IR_OPASMINTERFACE
#define DRRVM_IR_OPASMINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def OpAsmOpInterface : OpInterface<"OpAsmOpInterface">;
def OpAsmTypeInterface : TypeInterface<"OpAsmTypeInterface">;
def OpAsmAttrInterface : AttrInterface<"OpAsmAttrInterface">;
}

class ResourceHandleParameter<string handleType, string desc = "">
    : AttrOrTypeParameter<handleType, desc>;

#endif
