// The builtin attributes: their names, parameters and traits. The C++ code that builds them is omitted.

#ifndef DRRVM_IR_BUILTINATTRIBUTES
#define DRRVM_IR_BUILTINATTRIBUTES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

class Builtin_Attr<string name, string attrMnemonic, list<Trait> traits = [],
                   string baseCppClass = "::mlir::Attribute">
    : AttrDef<Builtin_Dialect, name, traits, baseCppClass> {
  let mnemonic = ?;
  let attrName = "builtin." # attrMnemonic;
}

def Builtin_UnitAttr : Builtin_Attr<"Unit", "unit">;
def Builtin_ArrayAttr : Builtin_Attr<"Array", "array"> {
  let parameters = (ins ArrayRefParameter<"Attribute", "">:$value);
}

let skipDefaultBuilders = 1 in {
def Builtin_AffineMapAttr
    : Builtin_Attr<"AffineMap", "affine_map", [MemRefLayoutAttrInterface, OpAsmAttrInterface]> {
  let parameters = (ins "AffineMap":$value);
}
def Builtin_IntegerSetAttr : Builtin_Attr<"IntegerSet", "integer_set", [OpAsmAttrInterface]> {
  let parameters = (ins "IntegerSet":$value);
}
def Builtin_DictionaryAttr : Builtin_Attr<"Dictionary", "dictionary"> {
  let parameters = (ins ArrayRefParameter<"NamedAttribute", "">:$value);
}
def Builtin_StringAttr : Builtin_Attr<"String", "string", [TypedAttrInterface]> {
  let parameters = (ins StringRefParameter<"">:$value, AttributeSelfTypeParameter<"">:$type);
  let genStorageClass = 0;
}
def Builtin_SymbolRefAttr : Builtin_Attr<"SymbolRef", "symbol_ref"> {
  let parameters = (ins "StringAttr":$rootReference,
                        ArrayRefParameter<"FlatSymbolRefAttr", "">:$nestedReferences);
}
def Builtin_TypeAttr : Builtin_Attr<"Type", "type"> {
  let parameters = (ins "Type":$value);
}
}

let skipDefaultBuilders = 1, genVerifyDecl = 1 in {
def Builtin_FloatAttr : Builtin_Attr<"Float", "float", [TypedAttrInterface]> {
  let parameters = (ins AttributeSelfTypeParameter<"">:$type, APFloatParameter<"">:$value);
}
def Builtin_IntegerAttr : Builtin_Attr<"Integer", "integer", [TypedAttrInterface]> {
  let parameters = (ins AttributeSelfTypeParameter<"">:$type, APIntParameter<"">:$value);
}
def Builtin_OpaqueAttr : Builtin_Attr<"Opaque", "opaque", [TypedAttrInterface]> {
  let parameters = (ins "StringAttr":$dialectNamespace, StringRefParameter<"">:$attrData,
                        AttributeSelfTypeParameter<"">:$type);
}
def Builtin_SparseElementsAttr
    : Builtin_Attr<"SparseElements", "sparse_elements", [ElementsAttrInterface]> {
  let parameters = (ins AttributeSelfTypeParameter<"", "ShapedType">:$type,
                        "DenseIntElementsAttr":$indices, "DenseElementsAttr":$values);
}
}

// Dense elements, one definition for each form of storage.
def Builtin_DenseArrayRawDataParameter : ArrayRefParameter<"char", "the bytes of the elements">;
def Builtin_DenseArray : Builtin_Attr<"DenseArray", "dense_array", [BlobAttrInterface]> {
  let parameters = (ins "Type":$elementType, "int64_t":$size,
                        Builtin_DenseArrayRawDataParameter:$rawData);
  let genVerifyDecl = 1;
}

let skipDefaultBuilders = 1, genAccessors = 0, genStorageClass = 0 in {
def Builtin_DenseIntOrFPElementsAttr
    : Builtin_Attr<"DenseIntOrFPElements", "dense_int_or_fp_elements", [ElementsAttrInterface],
                   "DenseElementsAttr"> {
  let parameters
      = (ins AttributeSelfTypeParameter<"", "ShapedType">:$type, "ArrayRef<char>":$rawData);
}
def Builtin_DenseStringElementsAttr
    : Builtin_Attr<"DenseStringElements", "dense_string_elements", [ElementsAttrInterface],
                   "DenseElementsAttr"> {
  let parameters
      = (ins AttributeSelfTypeParameter<"", "ShapedType">:$type, "ArrayRef<StringRef>":$value);
}
}

def Builtin_DenseResourceElementsAttr
    : Builtin_Attr<"DenseResourceElements", "dense_resource_elements",
                   [ElementsAttrInterface, BlobAttrInterface]> {
  let parameters = (ins AttributeSelfTypeParameter<"", "ShapedType">:$type,
                        ResourceHandleParameter<"DenseResourceElementsHandle">:$rawHandle);
  let skipDefaultBuilders = 1;
}

def StridedLayoutAttr
    : Builtin_Attr<"StridedLayout", "strided_layout",
                   [DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface,
                                                ["verifyLayout", "getStridesAndOffset"]>]> {
  let parameters = (ins "int64_t":$offset, ArrayRefParameter<"int64_t", "strides">:$strides);
  let genVerifyDecl = 1;
}

#endif
