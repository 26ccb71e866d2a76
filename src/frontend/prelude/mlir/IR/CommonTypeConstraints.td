// Constraints on types, and the types that rules can build.

#ifndef DRRVM_IR_COMMONTYPECONSTRAINTS
#define DRRVM_IR_COMMONTYPECONSTRAINTS

include "mlir/IR/Constraints.td"
include "mlir/IR/DialectBase.td"

//===-- Predicates ---------------------------------------------------------===//

def IsVectorOfAnyRankTypePred : _IsA<"::mlir::VectorType">;
def IsFixedVectorOfAnyRankTypePred : _IsA<"::mlir::FixedVectorType">;
def IsVectorTypeWithAnyDimScalablePred : _IsA<"::mlir::ScalableVectorType">;
def IsTensorTypePred : _IsA<"::mlir::TensorType">;
def IsRankedTensorTypePred : _IsA<"::mlir::RankedTensorType">;
def IsUnrankedTensorTypePred : _IsA<"::mlir::UnrankedTensorType">;
def IsMemRefTypePred : _IsA<"::mlir::MemRefType">;
def IsUnrankedMemRefTypePred : _IsA<"::mlir::UnrankedMemRefType">;
def IsBaseMemRefTypePred : _IsA<"::mlir::BaseMemRefType">;
def IsTensorOrMemRefTypePred : Or<[IsTensorTypePred, IsMemRefTypePred]>;
def IsShapedTypePred : _IsA<"::mlir::ShapedType">;
def IsTupleTypePred : _IsA<"::mlir::TupleType">;

def IsVectorOfNonZeroRankTypePred
    : And<[_IsA<"::mlir::VectorType">, _AsA<"::mlir::VectorType", ".getRank() > 0">]>;
def IsFixedVectorOfNonZeroRankTypePred
    : And<[_IsA<"::mlir::FixedVectorType">, _AsA<"::mlir::VectorType", ".getRank() > 0">]>;
def IsVectorTypeWithOnlyTrailingDimScalablePred
    : And<[_IsA<"::mlir::VectorType">,
           _AsA<"::mlir::VectorType", ".getRank() > 0">,
           _AsA<"::mlir::VectorType", ".getScalableDims().back()">,
           CPred<"!llvm::is_contained(::llvm::cast<::mlir::VectorType>($_self)"
                 ".getScalableDims().drop_back(), true)">]>;
def IsVectorTypeWithAllDimsScalablePred
    : And<[IsVectorOfNonZeroRankTypePred, _AsA<"::mlir::VectorType", ".allDimsScalable()">]>;

def HasStaticShapePred : _AsA<"::mlir::ShapedType", ".hasStaticShape()">;
def HasRankPred : _AsA<"::mlir::ShapedType", ".hasRank()">;
def HasStridesPred : _AsA<"::mlir::MemRefType", ".isStrided()">;
def HasValueSemanticsPred : CPred<"$_self.hasTrait<::mlir::ValueSemantics>()">;

class HasAnyRankOfPred<list<int> ranks>
    : And<[HasRankPred,
           Or<!foreach(rank, ranks, _AsA<"::mlir::ShapedType", ".getRank() == " # rank>)>]>;

class HasRankGreaterOrEqualPred<int rank>
    : And<[HasRankPred, _AsA<"::mlir::ShapedType", ".getRank() >= " # rank>]>;

// A vector that satisfies `kind`, and for which `query` returns one of `sizes`.
class _VectorWith<Pred kind, string query, list<int> sizes>
    : And<[kind,
           Or<!foreach(size, sizes, _AsA<"::mlir::VectorType", "." # query # "() == " # size>)>]>;

class IsVectorOfRankPred<list<int> allowedRanks>
    : _VectorWith<IsVectorOfNonZeroRankTypePred, "getRank", allowedRanks>;
class IsFixedVectorOfRankPred<list<int> allowedRanks>
    : _VectorWith<IsFixedVectorOfAnyRankTypePred, "getRank", allowedRanks>;
class IsScalableVectorOfRankPred<list<int> allowedRanks>
    : _VectorWith<IsVectorTypeWithAnyDimScalablePred, "getRank", allowedRanks>;
class IsVectorOfLengthPred<list<int> allowedLengths>
    : _VectorWith<IsVectorOfNonZeroRankTypePred, "getNumElements", allowedLengths>;
class IsFixedVectorOfLengthPred<list<int> allowedLengths>
    : _VectorWith<IsFixedVectorOfAnyRankTypePred, "getNumElements", allowedLengths>;
class IsScalableVectorOfLengthPred<list<int> allowedLengths>
    : _VectorWith<IsVectorTypeWithAnyDimScalablePred, "getNumElements", allowedLengths>;
class IsVectorOfMinLengthPred<int minLength>
    : And<[IsVectorOfNonZeroRankTypePred,
           _AsA<"::mlir::VectorType", ".getNumElements() >= " # minLength>]>;
class IsVectorOfMaxLengthPred<int maxLength>
    : And<[IsVectorOfNonZeroRankTypePred,
           _AsA<"::mlir::VectorType", ".getNumElements() <= " # maxLength>]>;

// The least rank at which dimension `value` exists. Negative dimensions count from the end.
class NormalizeIndex<int value> {
  int ret = !if(!lt(value, 0), !mul(value, -1), !add(value, 1));
}

class IsNthDimSizeIsOneOfPred<int n, list<int> allowedSizes>
    : And<[_AsA<"::mlir::ShapedType", ".getRank() >= " # NormalizeIndex<n>.ret>,
           CPred<"::llvm::is_contained(::llvm::ArrayRef<int64_t>({" # !interleave(allowedSizes, ", ")
                 # "}), ::llvm::cast<::mlir::ShapedType>($_self).getDimSize("
                 # !if(!lt(n, 0), "::llvm::cast<::mlir::ShapedType>($_self).getRank() + ", "")
                 # n # "))">]>;

class IsVectorOfShape<list<int> shape>
    : _AsA<"::mlir::VectorType",
           ".getShape() == ::llvm::ArrayRef<int64_t>({" # !interleave(shape, ", ") # "})">;

//===-- Kinds of type constraint -------------------------------------------===//

class Type<Pred condition, string descr = "", string cppType = "::mlir::Type">
    : TypeConstraint<condition, descr, cppType> {
  string description = "";
  // C++ code that builds the type, if the constraint allows a single type.
  string builderCall = "";
}

class TypeAlias<Type t, string summary = t.summary> : Type<t.predicate, summary, t.cppType> {
  let description = t.description;
  let builderCall = t.builderCall;
}

class DialectType<Dialect d, Pred condition, string descr = "", string cppType = "::mlir::Type">
    : Type<condition, descr, cppType> {
  Dialect dialect = d;
}

// Any number of values.
class Variadic<Type type>
    : TypeConstraint<type.predicate, "any number of " # type.summary, type.cppType> {
  Type baseType = type;
  int minSize = 0;
}

// Groups of values. The attribute `variadicSegmentAttrName` lists the sizes of the groups.
class VariadicOfVariadic<Type type, string variadicSegmentAttrName> : Variadic<type> {
  string segmentAttrName = variadicSegmentAttrName;
}

// At most one value.
class Optional<Type type> : TypeConstraint<type.predicate, type.summary, type.cppType> {
  Type baseType = type;
}

class BuildableType<code builder> {
  code builderCall = builder;
}

// A type that `builder` builds, if `type` can be built.
class SameBuildabilityAs<Type type, code builder> {
  code builderCall = !if(!empty(type.builderCall), "", builder);
}

class AnyTypeOf<list<Type> allowedTypeList, string summary = "", string cppType = "::mlir::Type">
    : Type<Or<!foreach(type, allowedTypeList, type.predicate)>,
           !if(!empty(summary),
               !interleave(!foreach(type, allowedTypeList, type.summary), " or "), summary),
           cppType> {
  list<Type> allowedTypes = allowedTypeList;
}

class AllOfType<list<Type> allowedTypeList, string summary = "", string cppType = "::mlir::Type">
    : Type<And<!foreach(type, allowedTypeList, type.predicate)>,
           !if(!empty(summary),
               !interleave(!foreach(type, allowedTypeList, type.summary), " and "), summary),
           cppType> {
  list<Type> allowedTypes = allowedTypeList;
}

class ConfinedType<Type type, list<Pred> predicates, string summary = "",
                   string cppType = type.cppType>
    : Type<And<!listconcat([type.predicate], predicates)>, summary, cppType> {
  Type baseType = type;
  list<Pred> predicateList = predicates;
}

// A container whose element type satisfies `etype`. `elementTypeCall` returns the element type.
class ContainerType<Type etype, Pred containerPred, code elementTypeCall, string descr,
                    string cppType = "::mlir::Type">
    : Type<And<[containerPred,
                SubstLeaves<"$_self", !cast<string>(elementTypeCall), etype.predicate>]>,
           descr # " of " # etype.summary, cppType>;

// A shaped type with one of the allowed element types.
class ShapedContainerType<list<Type> allowedTypes, Pred containerPred, string descr,
                          string cppType = "::mlir::Type">
    : Type<And<[containerPred,
                SubstLeaves<"$_self", "::llvm::cast<::mlir::ShapedType>($_self).getElementType()",
                            AnyTypeOf<allowedTypes>.predicate>]>,
           descr # " of " # AnyTypeOf<allowedTypes>.summary, cppType>;

// A container whose element types all satisfy `etype`. `elementTypesCall` returns them.
class MixedContainerType<Type etype, Pred containerPred, code elementTypesCall, string descr>
    : Type<And<[containerPred,
                Concat<"::llvm::all_of(" # elementTypesCall # ", [](::mlir::Type t) { return t && (",
                       SubstLeaves<"$_self", "t", etype.predicate>, "); })">]>,
           descr # " of " # etype.summary> {
  Type elementType = etype;
  code getElementTypesCall = elementTypesCall;
}

//===-- Scalars ------------------------------------------------------------===//

def AnyType : Type<CPred<"true">, "any type">;

def NoneType : Type<_IsA<"::mlir::NoneType">, "none", "::mlir::NoneType">,
               BuildableType<"$_builder.getType<::mlir::NoneType>()">;

// Integers: of any signedness, signless, signed and unsigned.
def AnyInteger : Type<_IsA<"::mlir::IntegerType">, "any integer", "::mlir::IntegerType">;
def AnySignlessInteger
    : Type<CPred<"$_self.isSignlessInteger()">, "signless integer", "::mlir::IntegerType">;
def AnySignedInteger : Type<CPred<"$_self.isSignedInteger()">, "signed integer">;
def AnyUnsignedInteger : Type<CPred<"$_self.isUnsignedInteger()">, "unsigned integer">;

class AnyI<int width> : Type<CPred<"$_self.isInteger(" # width # ")">, "i" # width # " of any sign"> {
  int bitwidth = width;
}

class I<int width>
    : Type<CPred<"$_self.isSignlessInteger(" # width # ")">, "i" # width, "::mlir::IntegerType">,
      BuildableType<"$_builder.getIntegerType(" # width # ")"> {
  int bitwidth = width;
}

class SI<int width>
    : Type<CPred<"$_self.isSignedInteger(" # width # ")">, "si" # width, "::mlir::IntegerType">,
      BuildableType<"$_builder.getIntegerType(" # width # ", /*isSigned=*/true)"> {
  int bitwidth = width;
}

class UI<int width>
    : Type<CPred<"$_self.isUnsignedInteger(" # width # ")">, "ui" # width, "::mlir::IntegerType">,
      BuildableType<"$_builder.getIntegerType(" # width # ", /*isSigned=*/false)"> {
  int bitwidth = width;
}

foreach width = [1, 8, 16, 32, 64] in {
  def AnyI#width : AnyI<width>;
  def I#width : I<width>;
  def SI#width : SI<width>;
  def UI#width : UI<width>;
}
def I128 : I<128>;

class AnyIntOfWidths<list<int> widths>
    : AnyTypeOf<!foreach(width, widths, AnyI<width>), "", "::mlir::IntegerType">;
class SignlessIntOfWidths<list<int> widths> : AnyTypeOf<!foreach(width, widths, I<width>)>;
class SignedIntOfWidths<list<int> widths> : AnyTypeOf<!foreach(width, widths, SI<width>)>;
class UnsignedIntOfWidths<list<int> widths> : AnyTypeOf<!foreach(width, widths, UI<width>)>;

def Index : Type<_IsA<"::mlir::IndexType">, "index", "::mlir::IndexType">,
            BuildableType<"$_builder.getIndexType()">;
def AnySignlessIntegerOrIndex
    : Type<CPred<"$_self.isSignlessIntOrIndex()">, "index or signless integer">;

// Floats.
def AnyFloat : Type<_IsA<"::mlir::FloatType">, "any float", "::mlir::FloatType">;

class F<int width>
    : Type<CPred<"$_self.isF" # width # "()">, "f" # width, "::mlir::FloatType">,
      BuildableType<"$_builder.getF" # width # "Type()"> {
  int bitwidth = width;
}

foreach width = [16, 32, 64, 80, 128] in
  def F#width : F<width>;

class FloatOfWidths<list<int> widths> : AnyTypeOf<!foreach(width, widths, F<width>)>;

// A float format, identified by its class.
class _FloatFormat<string cppClass, string keyword>
    : Type<_IsA<"::mlir::" # cppClass>, keyword>,
      BuildableType<"$_builder.getType<" # cppClass # ">()">;

def BF16 : _FloatFormat<"BFloat16Type", "bf16">;
def TF32 : _FloatFormat<"FloatTF32Type", "tf32">;

foreach format = ["4E2M1FN", "6E2M3FN", "6E3M2FN", "8E3M4", "8E4M3", "8E4M3B11FNUZ", "8E4M3FN",
                  "8E4M3FNUZ", "8E5M2", "8E5M2FNUZ", "8E8M0FNU"] in
  def F#format : _FloatFormat<"Float" # format # "Type", "f" # format>;

def AnyComplex : Type<_IsA<"::mlir::ComplexType">, "any complex", "::mlir::ComplexType">;

class Complex<Type elType>
    : ConfinedType<AnyComplex,
                   [SubstLeaves<"$_self",
                                "::llvm::cast<::mlir::ComplexType>($_self).getElementType()",
                                elType.predicate>],
                   "complex of " # elType.summary, "::mlir::ComplexType">,
      SameBuildabilityAs<elType, "::mlir::ComplexType::get($_builder.get" # elType # "Type())"> {
  Type elementType = elType;
}

class OpaqueType<string dialect, string name, string summary>
    : Type<CPred<"isOpaqueTypeWithName($_self, \"" # dialect # "\", \"" # name # "\")">, summary,
           "::mlir::OpaqueType">,
      BuildableType<"::mlir::OpaqueType::get($_builder.getStringAttr(\"" # dialect # "\"), \""
                    # name # "\")">;

def FunctionType : Type<_IsA<"::mlir::FunctionType">, "function", "::mlir::FunctionType">;
def GraphType : Type<_IsA<"::mlir::GraphType">, "graph", "::mlir::GraphType">;

//===-- Vectors ------------------------------------------------------------===//

class ValueSemanticsContainerOf<list<Type> allowedTypes>
    : ShapedContainerType<allowedTypes, HasValueSemanticsPred, "vector or tensor">;

class _VectorOf<list<Type> allowedTypes, Pred kind, string descr>
    : ShapedContainerType<allowedTypes, kind, descr, "::mlir::VectorType">;

class VectorOfAnyRankOf<list<Type> allowedTypes>
    : _VectorOf<allowedTypes, IsVectorOfAnyRankTypePred, "vector">;
class VectorOfNonZeroRankOf<list<Type> allowedTypes>
    : _VectorOf<allowedTypes, IsVectorOfNonZeroRankTypePred, "vector">;
class FixedVectorOfAnyRank<list<Type> allowedTypes>
    : _VectorOf<allowedTypes, IsFixedVectorOfAnyRankTypePred, "fixed vector">;
class FixedVectorOfNonZeroRankOf<list<Type> allowedTypes>
    : _VectorOf<allowedTypes, IsFixedVectorOfNonZeroRankTypePred, "fixed vector">;
class ScalableVectorOfAnyRank<list<Type> allowedTypes>
    : _VectorOf<allowedTypes, IsVectorTypeWithAnyDimScalablePred, "scalable vector">;
class VectorWithTrailingDimScalableOf<list<Type> allowedTypes>
    : _VectorOf<allowedTypes, IsVectorTypeWithOnlyTrailingDimScalablePred,
                "vector scalable in its last dimension">;

class _VectorRanks<Pred ranked, list<int> ranks>
    : Type<ranked, " with rank " # !interleave(ranks, " or "), "::mlir::VectorType">;

class VectorOfRank<list<int> allowedRanks>
    : _VectorRanks<IsVectorOfRankPred<allowedRanks>, allowedRanks>;
class FixedVectorOfRank<list<int> allowedRanks>
    : _VectorRanks<IsFixedVectorOfRankPred<allowedRanks>, allowedRanks>;
class ScalableVectorOfRank<list<int> allowedRanks>
    : _VectorRanks<IsScalableVectorOfRankPred<allowedRanks>, allowedRanks>;

class _VectorLengths<Pred sized, list<int> lengths>
    : Type<sized, " with " # !interleave(lengths, " or ") # " elements", "::mlir::VectorType">;

class VectorOfLength<list<int> allowedLengths>
    : _VectorLengths<IsVectorOfLengthPred<allowedLengths>, allowedLengths>;
class FixedVectorOfLength<list<int> allowedLengths>
    : _VectorLengths<IsFixedVectorOfLengthPred<allowedLengths>, allowedLengths>;
class ScalableVectorOfLength<list<int> allowedLengths>
    : _VectorLengths<IsScalableVectorOfLengthPred<allowedLengths>, allowedLengths>;
class VectorOfMinLength<int minLength>
    : Type<IsVectorOfMinLengthPred<minLength>, " with " # minLength # " elements or more",
           "::mlir::VectorType">;
class VectorOfMaxLength<int maxLength>
    : Type<IsVectorOfMaxLengthPred<maxLength>, " with " # maxLength # " elements or fewer",
           "::mlir::VectorType">;

class ShapedTypeWithNthDimOfSize<int n, list<int> allowedSizes>
    : Type<IsNthDimSizeIsOneOfPred<n, allowedSizes>,
           " whose dimension " # n # " is " # !interleave(allowedSizes, " or "),
           "::mlir::ShapedType">;

// A vector type that satisfies several of the constraints above.
class _VectorAll<list<Type> parts>
    : AllOfType<parts, !interleave(!foreach(part, parts, part.summary), ""), "::mlir::VectorType">;

class VectorOfRankAndType<list<int> allowedRanks, list<Type> allowedTypes>
    : _VectorAll<[VectorOfNonZeroRankOf<allowedTypes>, VectorOfRank<allowedRanks>]>;
class FixedVectorOfRankAndType<list<int> allowedRanks, list<Type> allowedTypes>
    : _VectorAll<[FixedVectorOfAnyRank<allowedTypes>, VectorOfRank<allowedRanks>]>;
class VectorOfLengthAndType<list<int> allowedLengths, list<Type> allowedTypes>
    : _VectorAll<[VectorOfNonZeroRankOf<allowedTypes>, VectorOfLength<allowedLengths>]>;
class VectorOfMinMaxLengthAndType<int minLength, int maxLength, list<Type> allowedTypes>
    : _VectorAll<[VectorOfNonZeroRankOf<allowedTypes>, VectorOfMinLength<minLength>,
                  VectorOfMaxLength<maxLength>]>;
class FixedVectorOfLengthAndType<list<int> allowedLengths, list<Type> allowedTypes>
    : _VectorAll<[FixedVectorOfAnyRank<allowedTypes>, FixedVectorOfLength<allowedLengths>]>;
class ScalableVectorOfLengthAndType<list<int> allowedLengths, list<Type> allowedTypes>
    : _VectorAll<[ScalableVectorOfAnyRank<allowedTypes>, ScalableVectorOfLength<allowedLengths>]>;
class ScalableVectorOfRankAndLengthAndType<list<int> allowedRanks, list<int> allowedLengths,
                                           list<Type> allowedTypes>
    : _VectorAll<[ScalableVectorOfRank<allowedRanks>, ScalableVectorOfAnyRank<allowedTypes>,
                  ScalableVectorOfLength<allowedLengths>]>;
class VectorWithTrailingDimScalableOfSizeAndType<list<int> allowedTrailingSizes,
                                                 list<Type> allowedTypes>
    : _VectorAll<[VectorWithTrailingDimScalableOf<allowedTypes>,
                  ShapedTypeWithNthDimOfSize<-1, allowedTrailingSizes>]>;

class FixedVectorOfShapeAndType<list<int> shape, Type elType>
    : ShapedContainerType<[elType], And<[IsVectorOfShape<shape>, IsFixedVectorOfAnyRankTypePred]>,
                          "vector<" # !interleave(shape, "x") # "x" # elType # ">",
                          "::mlir::VectorType">,
      BuildableType<"::mlir::VectorType::get({" # !interleave(shape, " ,") # "} , "
                    # elType.builderCall # " );">;

def AnyVectorOfAnyRank : VectorOfAnyRankOf<[AnyType]>;
def AnyVectorOfNonZeroRank : VectorOfNonZeroRankOf<[AnyType]>;
def AnyFixedVectorOfAnyRank : FixedVectorOfAnyRank<[AnyType]>;
def AnyFixedVectorOfNonZeroRank : FixedVectorOfNonZeroRankOf<[AnyType]>;
def AnyScalableVectorOfAnyRank : ScalableVectorOfAnyRank<[AnyType]>;

//===-- Tensors ------------------------------------------------------------===//

def AnyShaped
    : ShapedContainerType<[AnyType], IsShapedTypePred, "shaped type", "::mlir::ShapedType">;

class TensorOf<list<Type> allowedTypes, list<Pred> preds = [], string summary = "tensor">
    : ShapedContainerType<allowedTypes, And<!listconcat([IsTensorTypePred], preds)>, summary,
                          "::mlir::TensorType">;
class RankedTensorOf<list<Type> allowedTypes, list<Pred> preds = [],
                     string summary = "tensor with a rank">
    : ShapedContainerType<allowedTypes, And<!listconcat([IsRankedTensorTypePred], preds)>, summary,
                          "::mlir::RankedTensorType">;
class UnrankedTensorOf<list<Type> allowedTypes, list<Pred> preds = [],
                       string summary = "tensor without a rank">
    : ShapedContainerType<allowedTypes, And<!listconcat([IsUnrankedTensorTypePred], preds)>,
                          summary, "::mlir::UnrankedTensorType">;
class Non0RankedTensorOf<list<Type> allowedTypes>
    : TensorOf<allowedTypes, [HasRankGreaterOrEqualPred<1>], "tensor of rank one or more">;
class TensorRankOf<list<Type> allowedTypes, list<int> ranks>
    : RankedTensorOf<allowedTypes, [HasAnyRankOfPred<ranks>],
                     "tensor of rank " # !interleave(ranks, " or ")>;
class StaticShapeTensorOf<list<Type> allowedTypes>
    : RankedTensorOf<allowedTypes, [HasStaticShapePred], "tensor of known shape">;

class 0DTensorOf<list<Type> allowedTypes> : TensorRankOf<allowedTypes, [0]>;
class 1DTensorOf<list<Type> allowedTypes> : TensorRankOf<allowedTypes, [1]>;
class 2DTensorOf<list<Type> allowedTypes> : TensorRankOf<allowedTypes, [2]>;
class 3DTensorOf<list<Type> allowedTypes> : TensorRankOf<allowedTypes, [3]>;
class 4DTensorOf<list<Type> allowedTypes> : TensorRankOf<allowedTypes, [4]>;

def AnyTensor : TensorOf<[AnyType]>;
def AnyRankedTensor : RankedTensorOf<[AnyType]>;
def AnyUnrankedTensor : UnrankedTensorOf<[AnyType]>;
def AnyNon0RankedTensor : Non0RankedTensorOf<[AnyType]>;
def AnyNon0RankedOrUnrankedTensor
    : AnyTypeOf<[AnyUnrankedTensor, AnyNon0RankedTensor], "tensor that is not of rank zero",
                "::mlir::TensorType">;
def AnyStaticShapeTensor : StaticShapeTensorOf<[AnyType]>;
def IndexTensor : TensorOf<[Index]>;

//===-- Memory references --------------------------------------------------===//

class MemRefOf<list<Type> allowedTypes>
    : ShapedContainerType<allowedTypes, IsMemRefTypePred, "memref", "::mlir::MemRefType">;
class UnrankedMemRefOf<list<Type> allowedTypes>
    : ShapedContainerType<allowedTypes, IsUnrankedMemRefTypePred, "memref without a rank",
                          "::mlir::UnrankedMemRefType">;
class RankedOrUnrankedMemRefOf<list<Type> allowedTypes, list<Pred> preds = [],
                               string summary = "memref with or without a rank">
    : ShapedContainerType<allowedTypes, And<!listconcat([IsBaseMemRefTypePred], preds)>, summary,
                          "::mlir::BaseMemRefType">;
class Non0RankedMemRefOf<list<Type> allowedTypes>
    : ConfinedType<MemRefOf<allowedTypes>, [HasRankGreaterOrEqualPred<1>],
                   MemRefOf<allowedTypes>.summary # " of rank one or more", "::mlir::MemRefType">;
class MemRefRankOf<list<Type> allowedTypes, list<int> ranks>
    : ConfinedType<MemRefOf<allowedTypes>, [HasAnyRankOfPred<ranks>],
                   MemRefOf<allowedTypes>.summary # " of rank " # !interleave(ranks, " or "),
                   "::mlir::MemRefType">;
class StaticShapeMemRefOf<list<Type> allowedTypes>
    : ConfinedType<MemRefOf<allowedTypes>, [HasStaticShapePred],
                   MemRefOf<allowedTypes>.summary # " of known shape", "::mlir::MemRefType">;
class StridedMemRefOf<list<Type> allowedTypes>
    : ConfinedType<MemRefOf<allowedTypes>, [HasStridesPred],
                   MemRefOf<allowedTypes>.summary # " with strides">;
class StridedMemRefRankOf<list<Type> allowedTypes, list<int> ranks>
    : ConfinedType<MemRefOf<allowedTypes>, [HasAnyRankOfPred<ranks>],
                   MemRefOf<allowedTypes>.summary # " of rank " # !interleave(ranks, " or ")>;

def AnyMemRef : MemRefOf<[AnyType]>;
def AnyUnrankedMemRef : UnrankedMemRefOf<[AnyType]>;
def AnyRankedOrUnrankedMemRef : RankedOrUnrankedMemRefOf<[AnyType]>;
def AnyNon0RankedMemRef : Non0RankedMemRefOf<[AnyType]>;
def AnyNon0RankedOrUnrankedMemRef : AnyTypeOf<[AnyUnrankedMemRef, AnyNon0RankedMemRef]>;
def AnyStaticShapeMemRef : StaticShapeMemRefOf<[AnyType]>;
def AnyStridedMemRef : StridedMemRefOf<[AnyType]>;

class AnyStridedMemRefOfRank<int rank>
    : AllOfType<[AnyStridedMemRef, MemRefRankOf<[AnyType], [rank]>]>;

class TensorOrMemRef<list<Type> allowedTypes>
    : ShapedContainerType<allowedTypes, IsTensorOrMemRefTypePred, "tensor or memref",
                          "::mlir::ShapedType">;

// Defines I32Tensor, F64MemRef and so on.
foreach element = [I1, I8, I16, I32, I64, BF16, F16, F32, F64] in {
  def element#Tensor : TensorOf<[element]>;
  def element#MemRef : MemRefOf<[element]>;
}

//===-- Tuples -------------------------------------------------------------===//

def AnyTuple : Type<IsTupleTypePred, "any tuple", "::mlir::TupleType">;

class TupleOf<list<Type> allowedTypes>
    : MixedContainerType<AnyTypeOf<allowedTypes>, IsTupleTypePred,
                         "::llvm::cast<::mlir::TupleType>($_self).getTypes()", "tuple">;
class NestedTupleOf<list<Type> allowedTypes>
    : MixedContainerType<AnyTypeOf<allowedTypes>, IsTupleTypePred,
                         "getFlattenedTypes(::llvm::cast<::mlir::TupleType>($_self))",
                         "tuple, at any depth,">;

//===-- Scalars and containers of them -------------------------------------===//

class TypeOrValueSemanticsContainer<Type allowedType, string name>
    : Type<Or<[allowedType.predicate, ValueSemanticsContainerOf<[allowedType]>.predicate]>, name>;

def BoolLike : TypeOrValueSemanticsContainer<I1, "like i1">;
def SignlessIntegerLike : TypeOrValueSemanticsContainer<AnySignlessInteger, "like a signless integer">;
def SignlessIntegerOrIndexLike
    : TypeOrValueSemanticsContainer<AnySignlessIntegerOrIndex, "like a signless integer or index">;
def FloatLike : TypeOrValueSemanticsContainer<AnyFloat, "like a float">;
def SignlessIntegerOrFloatLike
    : TypeConstraint<Or<[SignlessIntegerLike.predicate, FloatLike.predicate]>,
                     "like a signless integer or a float">;
def SignlessIntegerOrIndexOrFloatLike
    : TypeConstraint<Or<[SignlessIntegerOrIndexLike.predicate, FloatLike.predicate]>,
                     "like a signless integer, index or a float">;

#endif
