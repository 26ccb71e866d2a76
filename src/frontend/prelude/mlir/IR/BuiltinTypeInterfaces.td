// Interfaces of the builtin types.

#ifndef DRRVM_IR_BUILTINTYPEINTERFACES
#define DRRVM_IR_BUILTINTYPEINTERFACES

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def VectorElementTypeInterface : TypeInterface<"VectorElementTypeInterface">;
def FloatTypeInterface : TypeInterface<"FloatType", [VectorElementTypeInterface]>;
def MemRefElementTypeInterface : TypeInterface<"MemRefElementTypeInterface">;
def PtrLikeTypeInterface : TypeInterface<"PtrLikeTypeInterface">;
def ShapedTypeInterface : TypeInterface<"ShapedType">;
}

#endif
