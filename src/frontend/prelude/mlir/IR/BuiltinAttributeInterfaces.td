// Interfaces of the builtin attributes.

#ifndef DRRVM_IR_BUILTINATTRIBUTEINTERFACES
#define DRRVM_IR_BUILTINATTRIBUTEINTERFACES

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def TypedAttrInterface : AttrInterface<"TypedAttr">;
def BlobAttrInterface : AttrInterface<"BlobAttr">;
def ElementsAttrInterface : AttrInterface<"ElementsAttr", [TypedAttrInterface]>;
def MemRefLayoutAttrInterface : AttrInterface<"MemRefLayoutAttrInterface">;
}

#endif
