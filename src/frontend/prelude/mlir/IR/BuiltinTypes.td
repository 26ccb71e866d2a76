// The builtin types: their names, parameters and traits. The C++ code that builds them is omitted.

#ifndef DRRVM_IR_BUILTINTYPES
#define DRRVM_IR_BUILTINTYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinDialect.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"

class Builtin_Type<string name, string typeMnemonic, list<Trait> traits = [],
                   string baseCppClass = "::mlir::Type">
    : TypeDef<Builtin_Dialect, name, traits, baseCppClass> {
  let mnemonic = ?;
  let typeName = "builtin." # typeMnemonic;
}

// Values of the type are passed by copy, without aliases.
let cppNamespace = "::mlir" in
def ValueSemantics : NativeTypeTrait<"ValueSemantics">;

//===-- Scalars ------------------------------------------------------------===//

class Builtin_FloatType<string name, string mnemonic, list<string> declaredInterfaceMethods = []>
    : Builtin_Type<name, mnemonic,
                   [DeclareTypeInterfaceMethods<
                       FloatTypeInterface,
                       !listconcat(["getFloatSemantics"], declaredInterfaceMethods)>]>;
class Builtin_CachedFloatType<string name, string mnemonic,
                              list<string> declaredInterfaceMethods = []>
    : Builtin_FloatType<name, mnemonic, declaredInterfaceMethods>;

foreach format = ["4E2M1FN", "6E2M3FN", "6E3M2FN", "8E3M4", "8E4M3", "8E4M3B11FNUZ", "8E4M3FN",
                  "8E4M3FNUZ", "8E5M2", "8E5M2FNUZ", "8E8M0FNU"] in
  def Builtin_Float#format : Builtin_FloatType<"Float" # format, "f" # format> {
    let summary = "float of format " # format;
  }

def Builtin_FloatTF32 : Builtin_CachedFloatType<"FloatTF32", "tf32">;
def Builtin_Float64 : Builtin_CachedFloatType<"Float64", "f64">;
def Builtin_Float80 : Builtin_CachedFloatType<"Float80", "f80">;
def Builtin_Float128 : Builtin_CachedFloatType<"Float128", "f128">;
def Builtin_BFloat16 : Builtin_CachedFloatType<"BFloat16", "bf16", ["scaleElementBitwidth"]>;
def Builtin_Float16 : Builtin_CachedFloatType<"Float16", "f16", ["scaleElementBitwidth"]>;
def Builtin_Float32 : Builtin_CachedFloatType<"Float32", "f32", ["scaleElementBitwidth"]>;

def Builtin_Index : Builtin_Type<"Index", "index", [VectorElementTypeInterface]>;
def Builtin_Integer : Builtin_Type<"Integer", "integer", [VectorElementTypeInterface]> {
  let parameters = (ins "unsigned":$width, "SignednessSemantics":$signedness);
  let genStorageClass = 0;
  let skipDefaultBuilders = 1;
  let genVerifyDecl = 1;
}
def Builtin_Complex : Builtin_Type<"Complex", "complex"> {
  let parameters = (ins "Type":$elementType);
  let skipDefaultBuilders = 1;
  let genVerifyDecl = 1;
}
def Builtin_None : Builtin_Type<"None", "none">;

//===-- Aggregates ---------------------------------------------------------===//

class Builtin_FunctionLike<string Name, string typeMnemonic> : Builtin_Type<Name, typeMnemonic> {
  let parameters = (ins "ArrayRef<Type>":$inputs, "ArrayRef<Type>":$results);
  let storageClass = "FunctionTypeStorage";
  let genStorageClass = 0;
  let skipDefaultBuilders = 1;
}
def Builtin_Function : Builtin_FunctionLike<"Function", "function">;
def Builtin_Graph : Builtin_FunctionLike<"Graph", "graph">;

def Builtin_Tuple : Builtin_Type<"Tuple", "tuple"> {
  let parameters = (ins "ArrayRef<Type>":$types);
  let genStorageClass = 0;
  let skipDefaultBuilders = 1;
}
def Builtin_Opaque : Builtin_Type<"Opaque", "opaque"> {
  let parameters = (ins "StringAttr":$dialectNamespace, StringRefParameter<"">:$typeData);
  let skipDefaultBuilders = 1;
  let genVerifyDecl = 1;
}

let skipDefaultBuilders = 1, genVerifyDecl = 1 in {
def Builtin_RankedTensor
    : Builtin_Type<"RankedTensor", "tensor", [ShapedTypeInterface, ValueSemantics], "TensorType"> {
  let parameters
      = (ins ArrayRefParameter<"int64_t">:$shape, "Type":$elementType, "Attribute":$encoding);
}
def Builtin_UnrankedTensor
    : Builtin_Type<"UnrankedTensor", "unranked_tensor", [ShapedTypeInterface, ValueSemantics],
                   "TensorType"> {
  let parameters = (ins "Type":$elementType);
}
def Builtin_MemRef
    : Builtin_Type<"MemRef", "memref", [PtrLikeTypeInterface, ShapedTypeInterface],
                   "BaseMemRefType"> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "Type":$elementType,
                        "MemRefLayoutAttrInterface":$layout, "Attribute":$memorySpace);
}
def Builtin_UnrankedMemRef
    : Builtin_Type<"UnrankedMemRef", "unranked_memref", [PtrLikeTypeInterface, ShapedTypeInterface],
                   "BaseMemRefType"> {
  let parameters = (ins "Type":$elementType, "Attribute":$memorySpace);
}
}

def Builtin_VectorTypeElementType : AnyTypeOf<[VectorElementTypeInterface]> {
  let cppFunctionName = "isValidVectorTypeElementType";
}
def Builtin_Vector
    : Builtin_Type<"Vector", "vector", [ShapedTypeInterface, ValueSemantics], "Type"> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        Builtin_VectorTypeElementType:$elementType,
                        ArrayRefParameter<"bool">:$scalableDims);
  let skipDefaultBuilders = 1;
  let genVerifyDecl = 1;
}

#endif
