// Constraints on attributes, with the code that stores, reads and builds attributes.

#ifndef DRRVM_IR_COMMONATTRCONSTRAINTS
#define DRRVM_IR_COMMONATTRCONSTRAINTS

include "mlir/IR/Constraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/DialectBase.td"

//===-- Kinds of attribute -------------------------------------------------===//

class Attr<Pred condition, string summary = ""> : AttrConstraint<condition, summary> {
  // The storage class, the class that accessors return, and the conversion from storage.
  code storageType = ?;
  code returnType = ?;
  code convertFromStorage = "$_self.getValue()";
  // C++ code that builds the attribute from a value, `$0`.
  string constBuilderCall = ?;
  string defaultValue = ?;
  Type valueType = ?;
  bit isOptional = 0;
  Attr baseAttr = ?;
  string cppNamespace = "";
  string description = "";
}

class DialectAttr<Dialect d, Pred condition, string summary = ""> : Attr<condition, summary> {
  Dialect dialect = d;
  let cppNamespace = d.cppNamespace;
}

// Copies `attr` with another condition. The default value and `isOptional` are not copied.
class _Derived<Attr attr, Pred condition, string summary> : Attr<condition, summary> {
  let storageType = attr.storageType;
  let returnType = attr.returnType;
  let convertFromStorage = attr.convertFromStorage;
  let constBuilderCall = attr.constBuilderCall;
  let valueType = attr.valueType;
  let baseAttr = attr;
}

// When an op is matched, an absent attribute has the value `val`. A new op gets this value.
class DefaultValuedAttr<Attr attr, string val> : _Derived<attr, attr.predicate, attr.summary> {
  let defaultValue = val;
}

// Accessors return `val` for an absent attribute. A new op does not get the attribute.
class DefaultValuedOptionalAttr<Attr attr, string val>
    : _Derived<attr, attr.predicate, attr.summary> {
  let defaultValue = val;
  let isOptional = 1;
}

class DefaultValuedStrAttr<Attr attr, string val> : DefaultValuedAttr<attr, "\"" # val # "\"">;
class DefaultValuedOptionalStrAttr<Attr attr, string val>
    : DefaultValuedOptionalAttr<attr, "\"" # val # "\"">;

// An attribute that may be absent.
class OptionalAttr<Attr attr> : Attr<attr.predicate, attr.summary> {
  let storageType = attr.storageType;
  let returnType = "::std::optional<" # attr.returnType # ">";
  let convertFromStorage
      = "$_self ? " # returnType # "(" # attr.convertFromStorage # ") : (::std::nullopt)";
  let valueType = attr.valueType;
  let isOptional = 1;
  let baseAttr = attr;
}

// An attribute with additional conditions on its value.
class ConfinedAttr<Attr attr, list<AttrConstraint> constraints>
    : _Derived<attr,
               And<!listconcat([attr.predicate], !foreach(c, constraints, c.predicate))>,
               !interleave(!listconcat([attr.summary], !foreach(c, constraints, c.summary)), " ")> {
  let defaultValue = attr.defaultValue;
  let isOptional = attr.isOptional;
  list<AttrConstraint> attrConstraints = constraints;
}

class AllAttrOf<list<AttrConstraint> constraints>
    : AttrConstraint<And<!foreach(c, constraints, c.predicate)>,
                     !interleave(!foreach(c, constraints, c.summary), " and ")>;

class AnyAttrOf<list<Attr> allowedAttrs, string summary = "", string cppType = "::mlir::Attribute",
                string fromStorage = "$_self">
    : Attr<Or<!foreach(attr, allowedAttrs, attr.predicate)>,
           !if(!empty(summary), !interleave(!foreach(attr, allowedAttrs, attr.summary), " or "),
               summary)> {
  let returnType = cppType;
  let convertFromStorage = fromStorage;
  list<Attr> allowedAttributes = allowedAttrs;
}

// An attribute that is computed from the op and not stored.
class DerivedAttr<code ret, code b, code convert = ""> : Attr<CPred<"true">, "computed attribute"> {
  let returnType = ret;
  code body = b;
  let convertFromStorage = convert;
}

class DerivedTypeAttr<code body> : DerivedAttr<"::mlir::Type", body> {
  let convertFromStorage = "::mlir::TypeAttr::get($_self)";
}

// A fixed value. A source pattern matches it, and a result pattern builds it.
class ConstantAttr<Attr attribute, string val>
    : AttrConstraint<CPred<"$_self == " # !subst("$0", val, attribute.constBuilderCall)>,
                     "equal to " # val> {
  Attr attr = attribute;
  string value = val;
}

class ConstantStrAttr<Attr attribute, string val> : ConstantAttr<attribute, "\"" # val # "\"">;

// An attribute class whose accessor returns the attribute itself.
class _Plain<string cppClass, Pred condition, string summary> : Attr<condition, summary> {
  let storageType = cppClass;
  let returnType = cppClass;
  let convertFromStorage = "$_self";
}

def AnyAttr : _Plain<"::mlir::Attribute", CPred<"true">, "any attribute"> {
  let constBuilderCall = "$0";
}

def LocationAttr : Attr<_IsA<"::mlir::LocationAttr">, "location"> {
  let storageType = "::mlir::LocationAttr";
  let returnType = "::mlir::Location";
  let convertFromStorage = "::mlir::Location($_self)";
  let constBuilderCall = "(::mlir::LocationAttr)$0";
}

//===-- Numbers ------------------------------------------------------------===//

// An attribute that has a type.
class TypedAttrBase<Type attrValType, string attrKind, Pred condition, string descr>
    : Attr<condition, descr> {
  let storageType = "::mlir::" # attrKind;
  let constBuilderCall = "$_builder.get" # attrKind # "(" # attrValType.builderCall # ", $0)";
  let valueType = attrValType;
}

// An attribute of class `attrKind` whose type satisfies `test`.
class _TypedBy<string attrKind, string test>
    : And<[_IsA<"::mlir::" # attrKind>, _AsA<"::mlir::" # attrKind, ".getType()." # test>]>;

def BoolAttr : Attr<_IsA<"::mlir::BoolAttr">, "boolean"> {
  let storageType = "::mlir::BoolAttr";
  let returnType = "bool";
  let valueType = I1;
  let constBuilderCall = "$_builder.getBoolAttr($0)";
}

def IndexAttr
    : TypedAttrBase<Index, "IntegerAttr",
                    And<[_IsA<"::mlir::IntegerAttr">,
                         CPred<"::llvm::isa<::mlir::IndexType>("
                               "::llvm::cast<::mlir::IntegerAttr>($_self).getType())">]>,
                    "index"> {
  let returnType = "::llvm::APInt";
}

def APIntAttr : Attr<_IsA<"::mlir::IntegerAttr">, "integer of any width"> {
  let storageType = "::mlir::IntegerAttr";
  let returnType = "::mlir::APInt";
}

class AnyIntegerAttrBase<AnyI attrValType, string descr>
    : TypedAttrBase<attrValType, "IntegerAttr",
                    _TypedBy<"IntegerAttr", "isInteger(" # attrValType.bitwidth # ")">, descr> {
  let returnType = "::llvm::APInt";
  let constBuilderCall = ?;
}

class SignlessIntegerAttrBase<I attrValType, string descr>
    : TypedAttrBase<attrValType, "IntegerAttr",
                    _TypedBy<"IntegerAttr", "isSignlessInteger(" # attrValType.bitwidth # ")">,
                    descr> {
  let returnType = "::llvm::APInt";
}

class SignedIntegerAttrBase<SI attrValType, string descr>
    : TypedAttrBase<attrValType, "IntegerAttr",
                    _TypedBy<"IntegerAttr", "isSignedInteger(" # attrValType.bitwidth # ")">,
                    descr> {
  let returnType = "::llvm::APInt";
}

class UnsignedIntegerAttrBase<UI attrValType, string descr>
    : TypedAttrBase<attrValType, "IntegerAttr",
                    _TypedBy<"IntegerAttr", "isUnsignedInteger(" # attrValType.bitwidth # ")">,
                    descr> {
  let returnType = "::llvm::APInt";
}

// A signless integer attribute that is read as a C++ integer.
class TypedSignlessIntegerAttrBase<I attrValType, string retType, string descr>
    : SignlessIntegerAttrBase<attrValType, descr> {
  let returnType = retType;
  let convertFromStorage = "$_self.getValue().getZExtValue()";
}

class TypedSignedIntegerAttrBase<SI attrValType, string retType, string descr>
    : SignedIntegerAttrBase<attrValType, descr> {
  let returnType = retType;
  let convertFromStorage = "$_self.getValue().getSExtValue()";
}

class TypedUnsignedIntegerAttrBase<UI attrValType, string retType, string descr>
    : UnsignedIntegerAttrBase<attrValType, descr> {
  let returnType = retType;
  let convertFromStorage = "$_self.getValue().getZExtValue()";
}

foreach width = [1, 8, 16, 32, 64] in {
  defvar unsigned = !if(!eq(width, 1), "bool", "uint" # width # "_t");
  defvar signed = !if(!eq(width, 1), "bool", "int" # width # "_t");
  def AnyI#width#Attr
      : AnyIntegerAttrBase<!cast<AnyI>("AnyI" # width), "integer of " # width # " bits">;
  def I#width#Attr
      : TypedSignlessIntegerAttrBase<!cast<I>("I" # width), unsigned, "constant i" # width>;
  def SI#width#Attr
      : TypedSignedIntegerAttrBase<!cast<SI>("SI" # width), signed, "constant si" # width>;
  def UI#width#Attr
      : TypedUnsignedIntegerAttrBase<!cast<UI>("UI" # width), unsigned, "constant ui" # width>;
}

class FloatAttrBase<F attrValType, string descr>
    : TypedAttrBase<attrValType, "FloatAttr",
                    _TypedBy<"FloatAttr", "isF" # attrValType.bitwidth # "()">, descr> {
  let returnType = "::llvm::APFloat";
}

def F32Attr : FloatAttrBase<F32, "constant f32">;
def F64Attr : FloatAttrBase<F64, "constant f64">;

class ConstF32Attr<string val> : ConstantAttr<F32Attr, val>;
def ConstBoolAttrFalse : ConstantAttr<BoolAttr, "false">;
def ConstBoolAttrTrue : ConstantAttr<BoolAttr, "true">;

//===-- Strings, types, symbols --------------------------------------------===//

class StringBasedAttr<Pred condition, string descr> : Attr<condition, descr> {
  let storageType = "::mlir::StringAttr";
  let returnType = "::llvm::StringRef";
  let constBuilderCall = "$_builder.getStringAttr($0)";
  let valueType = NoneType;
}

def StrAttrPred : _IsA<"::mlir::StringAttr">;
def StrAttr : StringBasedAttr<StrAttrPred, "string">;
def SymbolNameAttr : StringBasedAttr<StrAttrPred, "symbol name">;

class TypedStrAttr<Type ty>
    : StringBasedAttr<And<[StrAttrPred,
                           SubstLeaves<"$_self", "::mlir::cast<StringAttr>($_self).getType()",
                                       ty.predicate>]>,
                      "string of type " # ty.summary> {
  let valueType = ty;
}

class TypeAttrBase<string retType, string summary, Pred typePred = CPred<"true">>
    : Attr<And<[_IsA<"::mlir::TypeAttr">,
                CPred<"::llvm::isa<" # retType
                      # ">(::llvm::cast<::mlir::TypeAttr>($_self).getValue())">,
                SubstLeaves<"$_self", "::llvm::cast<::mlir::TypeAttr>($_self).getValue()",
                            typePred>]>,
           summary> {
  let storageType = "::mlir::TypeAttr";
  let returnType = retType;
  let valueType = NoneType;
  let convertFromStorage = "::llvm::cast<" # retType # ">($_self.getValue())";
}

def TypeAttr : TypeAttrBase<"::mlir::Type", "type"> {
  let constBuilderCall = "::mlir::TypeAttr::get($0)";
}

class TypeAttrOf<Type ty> : TypeAttrBase<ty.cppType, "the type " # ty.summary, ty.predicate> {
  let constBuilderCall = "::mlir::TypeAttr::get($0)";
}

// A flag: present or absent.
def UnitAttr : Attr<_IsA<"::mlir::UnitAttr">, "unit"> {
  let storageType = "::mlir::UnitAttr";
  let returnType = "bool";
  let convertFromStorage = "$_self != nullptr";
  let constBuilderCall = "(($0) ? $_builder.getUnitAttr() : nullptr)";
  let defaultValue = "false";
  let valueType = NoneType;
  let isOptional = 1;
}

def ConstUnitAttr : ConstantAttr<UnitAttr, "true">;

class _SymbolRef<string cppClass, string summary> : Attr<_IsA<cppClass>, summary> {
  let storageType = cppClass;
  let constBuilderCall = "::mlir::SymbolRefAttr::get($_builder.getContext(), $0)";
  let valueType = NoneType;
}

def SymbolRefAttr : _SymbolRef<"::mlir::SymbolRefAttr", "symbol reference"> {
  let returnType = "::mlir::SymbolRefAttr";
  let convertFromStorage = "$_self";
}

def FlatSymbolRefAttr : _SymbolRef<"::mlir::FlatSymbolRefAttr", "symbol reference of one name"> {
  let returnType = "::llvm::StringRef";
  let convertFromStorage = "$_self.getValue()";
}

def AffineMapAttr : Attr<_IsA<"::mlir::AffineMapAttr">, "affine map"> {
  let storageType = "::mlir::AffineMapAttr";
  let returnType = "::mlir::AffineMap";
  let valueType = Index;
  let constBuilderCall = "::mlir::AffineMapAttr::get($0)";
}

def IntegerSetAttr : Attr<_IsA<"::mlir::IntegerSetAttr">, "integer set"> {
  let storageType = "::mlir::IntegerSetAttr";
  let returnType = "::mlir::IntegerSet";
  let valueType = NoneType;
  let constBuilderCall = "::mlir::IntegerSetAttr::get($0)";
}

//===-- Dictionaries and arrays --------------------------------------------===//

class DictionaryAttrBase<Pred condition, string summary>
    : _Plain<"::mlir::DictionaryAttr", condition, summary> {
  let constBuilderCall = "$_builder.getDictionaryAttr($0)";
  let valueType = NoneType;
}

def DictionaryAttr : DictionaryAttrBase<_IsA<"::mlir::DictionaryAttr">, "dictionary">;

class ArrayAttrBase<Pred condition, string summary>
    : _Plain<"::mlir::ArrayAttr", condition, summary> {
  let constBuilderCall = "$_builder.getArrayAttr($0)";
  let valueType = NoneType;
}

def ArrayAttr : ArrayAttrBase<_IsA<"::mlir::ArrayAttr">, "array">;

// An array of attributes that satisfy `element`.
class TypedArrayAttrBase<Attr element, string summary>
    : ArrayAttrBase<And<[_IsA<"::mlir::ArrayAttr">,
                         Concat<"::llvm::all_of(::llvm::cast<::mlir::ArrayAttr>($_self), "
                                "[&](::mlir::Attribute attr) { return attr && (",
                                SubstLeaves<"$_self", "attr", element.predicate>, "); })">]>,
                    summary> {
  Attr elementAttr = element;
}

class _ArrayOf<Attr element, string builder>
    : TypedArrayAttrBase<element, "array of " # element.summary> {
  let constBuilderCall = "$_builder." # builder # "($0)";
}

def BoolArrayAttr : _ArrayOf<BoolAttr, "getBoolArrayAttr">;
def I32ArrayAttr : _ArrayOf<I32Attr, "getI32ArrayAttr">;
def I64ArrayAttr : _ArrayOf<I64Attr, "getI64ArrayAttr">;
def F32ArrayAttr : _ArrayOf<F32Attr, "getF32ArrayAttr">;
def F64ArrayAttr : _ArrayOf<F64Attr, "getF64ArrayAttr">;
def StrArrayAttr : _ArrayOf<StrAttr, "getStrArrayAttr">;
def TypeArrayAttr : _ArrayOf<TypeAttr, "getTypeArrayAttr">;
def AffineMapArrayAttr : _ArrayOf<AffineMapAttr, "getAffineMapArrayAttr">;
def LocationArrayAttr : TypedArrayAttrBase<LocationAttr, "array of locations">;
def IndexListArrayAttr : TypedArrayAttrBase<I64ArrayAttr, "array of arrays of i64">;
def DictArrayAttr : TypedArrayAttrBase<DictionaryAttr, "array of dictionaries">;

// An array attribute that is read as a vector of C++ integers.
def I64SmallVectorArrayAttr : _ArrayOf<I64Attr, "getI64ArrayAttr"> {
  let returnType = "::llvm::SmallVector<int64_t, 8>";
  let convertFromStorage = "::llvm::to_vector<4>(::llvm::map_range("
                           "$_self.getAsRange<::mlir::IntegerAttr>(), "
                           "[](::mlir::IntegerAttr attr) { return attr.getInt(); }));";
}

// A symbol cannot be built from a literal.
def SymbolRefArrayAttr : TypedArrayAttrBase<SymbolRefAttr, "array of symbol references"> {
  let constBuilderCall = ?;
}
def FlatSymbolRefArrayAttr
    : TypedArrayAttrBase<FlatSymbolRefAttr, "array of symbol references of one name"> {
  let constBuilderCall = ?;
}

//===-- Elements -----------------------------------------------------------===//

class ElementsAttrBase<Pred condition, string summary>
    : _Plain<"::mlir::ElementsAttr", condition, summary>;

def ElementsAttr : ElementsAttrBase<_IsA<"::mlir::ElementsAttr">, "elements">;

class DenseArrayAttrBase<string denseAttrName, string cppType, string summaryName>
    : ElementsAttrBase<_IsA<"::mlir::" # denseAttrName>, "dense array of " # summaryName> {
  let storageType = "::mlir::" # denseAttrName;
  let returnType = "::llvm::ArrayRef<" # cppType # ">";
  let constBuilderCall = "$_builder.get" # denseAttrName # "($0)";
}

def DenseBoolArrayAttr : DenseArrayAttrBase<"DenseBoolArrayAttr", "bool", "i1">;
def DenseI8ArrayAttr : DenseArrayAttrBase<"DenseI8ArrayAttr", "int8_t", "i8">;
def DenseI16ArrayAttr : DenseArrayAttrBase<"DenseI16ArrayAttr", "int16_t", "i16">;
def DenseI32ArrayAttr : DenseArrayAttrBase<"DenseI32ArrayAttr", "int32_t", "i32">;
def DenseI64ArrayAttr : DenseArrayAttrBase<"DenseI64ArrayAttr", "int64_t", "i64">;
def DenseF32ArrayAttr : DenseArrayAttrBase<"DenseF32ArrayAttr", "float", "f32">;
def DenseF64ArrayAttr : DenseArrayAttrBase<"DenseF64ArrayAttr", "double", "f64">;

class IntElementsAttrBase<Pred condition, string summary>
    : ElementsAttrBase<And<[_IsA<"::mlir::DenseIntElementsAttr">, condition]>, summary> {
  let storageType = "::mlir::DenseIntElementsAttr";
  let returnType = "::mlir::DenseIntElementsAttr";
}

// Dense integers whose element type satisfies `test`.
class _IntElementIs<string test>
    : _AsA<"::mlir::DenseIntElementsAttr", ".getType().getElementType()." # test>;

def AnyIntElementsAttr : IntElementsAttrBase<CPred<"true">, "integer elements">;
def IndexElementsAttr : IntElementsAttrBase<_IntElementIs<"isIndex()">, "index elements">;

class IntElementsAttrOf<int width>
    : IntElementsAttrBase<_IntElementIs<"isInteger(" # width # ")">,
                          "integer elements of " # width # " bits">;

def AnyI32ElementsAttr : IntElementsAttrOf<32>;
def AnyI64ElementsAttr : IntElementsAttrOf<64>;

class SignlessIntElementsAttr<int width>
    : IntElementsAttrBase<_IntElementIs<"isSignlessInteger(" # width # ")">,
                          "i" # width # " elements"> {
  let constBuilderCall
      = "::llvm::cast<::mlir::DenseIntElementsAttr>(::mlir::DenseElementsAttr::get("
        "::mlir::RankedTensorType::get({}, $_builder.getIntegerType(" # width
        # ")), ::llvm::ArrayRef($0)))";
}

def I32ElementsAttr : SignlessIntElementsAttr<32>;
def I64ElementsAttr : SignlessIntElementsAttr<64>;

class RankedSignlessIntElementsAttr<int width, list<int> dims> : SignlessIntElementsAttr<width> {
  let predicate = And<[SignlessIntElementsAttr<width>.predicate,
                       _AsA<"::mlir::DenseIntElementsAttr",
                            ".getType().getShape() == ::mlir::ArrayRef<int64_t>({"
                                # !interleave(dims, ", ") # "})">]>;
  let summary = "i" # width # " elements of shape " # !interleave(dims, "x");
  let constBuilderCall = "::mlir::DenseIntElementsAttr::get(::mlir::RankedTensorType::get({"
                         # !interleave(dims, ", ") # "}, $_builder.getIntegerType(" # width
                         # ")), ::llvm::ArrayRef($0))";
}

class RankedI32ElementsAttr<list<int> dims> : RankedSignlessIntElementsAttr<32, dims>;
class RankedI64ElementsAttr<list<int> dims> : RankedSignlessIntElementsAttr<64, dims>;

class FloatElementsAttr<int width>
    : ElementsAttrBase<CPred<"::llvm::isa<::mlir::DenseFPElementsAttr>($_self) && "
                             "::llvm::cast<::mlir::DenseElementsAttr>($_self)"
                             ".getType().getElementType().isF" # width # "()">,
                       "f" # width # " elements"> {
  let storageType = "::mlir::DenseElementsAttr";
  let returnType = "::mlir::DenseElementsAttr";
  let constBuilderCall = "::mlir::DenseElementsAttr::get(::mlir::RankedTensorType::get({}, "
                         "$_builder.getF" # width # "Type()), ::llvm::ArrayRef($0))";
}

def F64ElementsAttr : FloatElementsAttr<64>;

class RankedFloatElementsAttr<int width, list<int> dims>
    : ElementsAttrBase<CPred<"::llvm::isa<::mlir::DenseFPElementsAttr>($_self) && "
                             "::llvm::cast<::mlir::DenseFPElementsAttr>($_self)"
                             ".getType().getElementType().isF" # width # "() && "
                             "::llvm::cast<::mlir::DenseFPElementsAttr>($_self)"
                             ".getType().hasRank() && "
                             "::llvm::cast<::mlir::DenseFPElementsAttr>($_self)"
                             ".getType().getShape() == ::mlir::ArrayRef<int64_t>({"
                             # !interleave(dims, ", ") # "})">,
                       "f" # width # " elements of shape " # !interleave(dims, "x")> {
  let storageType = "::mlir::DenseFPElementsAttr";
  let returnType = "::mlir::DenseFPElementsAttr";
  let constBuilderCall = "::llvm::cast<::mlir::DenseFPElementsAttr>(::mlir::DenseElementsAttr::get("
                         "::mlir::RankedTensorType::get({" # !interleave(dims, ", ")
                         # "}, $_builder.getF" # width # "Type()), ::llvm::ArrayRef($0)))";
}

class RankedF32ElementsAttr<list<int> dims> : RankedFloatElementsAttr<32, dims>;
class RankedF64ElementsAttr<list<int> dims> : RankedFloatElementsAttr<64, dims>;

def StringElementsAttr : ElementsAttrBase<_IsA<"::mlir::DenseStringElementsAttr">, "string elements"> {
  let storageType = "::mlir::DenseElementsAttr";
  let returnType = "::mlir::DenseElementsAttr";
}

//===-- Conditions for ConfinedAttr ----------------------------------------===//

class IntNEQValue<int n>
    : AttrConstraint<_AsA<"::mlir::IntegerAttr", ".getInt() != " # n>, "other than " # n>;
class IntMinValue<int n>
    : AttrConstraint<_AsA<"::mlir::IntegerAttr", ".getInt() >= " # n>, "of at least " # n>;
class IntMaxValue<int n>
    : AttrConstraint<_AsA<"::mlir::IntegerAttr", ".getInt() <= " # n>, "of at most " # n>;
class IntIsOneOf<list<int> values>
    : AttrConstraint<CPred<"::llvm::is_contained({" # !interleave(values, ", ")
                           # "}, ::llvm::cast<::mlir::IntegerAttr>($_self).getInt())">,
                     "among " # !interleave(values, ", ")>;

def IntNonNegative
    : AttrConstraint<CPred<"!::llvm::cast<::mlir::IntegerAttr>($_self).getValue().isNegative()">,
                     "not negative">;
def IntPositive
    : AttrConstraint<_AsA<"::mlir::IntegerAttr", ".getValue().isStrictlyPositive()">,
                     "greater than zero">;
def IntPowerOf2
    : AttrConstraint<_AsA<"::mlir::IntegerAttr", ".getValue().isPowerOf2()">, "a power of two">;
def IntPositivePowerOf2 : AllAttrOf<[IntPositive, IntPowerOf2]>;
class IntValidAlignment<Attr attr> : ConfinedAttr<attr, [IntPositivePowerOf2]>;

class ArrayMinCount<int n>
    : AttrConstraint<_AsA<"::mlir::ArrayAttr", ".size() >= " # n>, "of length " # n # " or more">;
class ArrayMaxCount<int n>
    : AttrConstraint<_AsA<"::mlir::ArrayAttr", ".size() <= " # n>, "of length " # n # " or less">;
class ArrayCount<int n>
    : AttrConstraint<_AsA<"::mlir::ArrayAttr", ".size() == " # n>, "of length " # n>;

class DenseArrayMinCt<int n>
    : AttrConstraint<_AsA<"::mlir::DenseArrayAttr", ".size() >= " # n>,
                     "of length " # n # " or more">;
class DenseArrayMaxCt<int n>
    : AttrConstraint<_AsA<"::mlir::DenseArrayAttr", ".size() <= " # n>,
                     "of length " # n # " or less">;
class DenseArrayCount<int n>
    : AttrConstraint<_AsA<"::mlir::DenseArrayAttr", ".size() == " # n>, "of length " # n>;

class DenseArrayStrictlyPositive<DenseArrayAttrBase arrayType>
    : AttrConstraint<CPred<"::llvm::all_of(::llvm::cast<" # arrayType
                           # ">($_self).asArrayRef(), [&](auto v) { return v > 0; })">,
                     "of numbers greater than zero">;
class DenseArrayNonNegative<DenseArrayAttrBase arrayType>
    : AttrConstraint<CPred<"::llvm::all_of(::llvm::cast<" # arrayType
                           # ">($_self).asArrayRef(), [&](auto v) { return v >= 0; })">,
                     "of numbers that are not negative">;

class _Sorted<string arrayType>
    : CPred<"llvm::is_sorted(::llvm::cast<" # arrayType # ">($_self).asArrayRef())">;

class DenseArraySorted<DenseArrayAttrBase arrayType>
    : AttrConstraint<_Sorted<!cast<string>(arrayType)>, "sorted in ascending order">;
class DenseArrayStrictlySorted<DenseArrayAttrBase arrayType>
    : AttrConstraint<And<[_Sorted<!cast<string>(arrayType)>,
                          CPred<"[](" # arrayType.returnType # " a) {\n"
                                "return std::adjacent_find(std::begin(a), std::end(a)) == "
                                "std::end(a);\n"
                                "}(::llvm::cast<" # arrayType # ">($_self).asArrayRef())">]>,
                     "sorted in strictly ascending order">;

// Element `index` of an array of integers satisfies `test`.
class _IntArrayNth<int index, string test>
    : CPred<"::llvm::cast<::mlir::IntegerAttr>(::llvm::cast<::mlir::ArrayAttr>($_self)[" # index
            # "]).getInt() " # test>;
class _ArrayReaches<int index> : _AsA<"::mlir::ArrayAttr", ".size() > " # index>;

class IntArrayNthElemEq<int index, int value>
    : AttrConstraint<And<[_ArrayReaches<index>, _IntArrayNth<index, "== " # value>]>,
                     "with " # value # " at " # index>;
class IntArrayNthElemMinValue<int index, int min>
    : AttrConstraint<And<[_ArrayReaches<index>, _IntArrayNth<index, ">= " # min>]>,
                     "with at least " # min # " at " # index>;
class IntArrayNthElemMaxValue<int index, int max>
    : AttrConstraint<And<[_ArrayReaches<index>, _IntArrayNth<index, "<= " # max>]>,
                     "with at most " # max # " at " # index>;
class IntArrayNthElemInRange<int index, int min, int max>
    : AttrConstraint<And<[_ArrayReaches<index>, _IntArrayNth<index, ">= " # min>,
                          _IntArrayNth<index, "<= " # max>]>,
                     "with " # min # " to " # max # " at " # index>;

// The optional attribute is absent.
def IsNullAttr : AttrConstraint<CPred<"!$_self">, "absent">;

#endif
