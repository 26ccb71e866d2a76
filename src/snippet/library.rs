//! The library: the table of the functions and methods that snippets can call.
//!
//! A row has a name, the type of the receiver, the types of the arguments, the type of the result, and the [`Builtin`]
//! that computes it. A call is looked up by name and receiver; rows of the same name are tried in order. To add a
//! function, add a row. If no built-in computes its result, also add a built-in and its evaluation.

use super::data::{AttrClass, Builtin, Form, IntTy, Item, Ty, TypeClass};
use crate::number::FloatFormat;

/// The receiver of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// No receiver: a free function, constructor or static member (`IntegerAttr::get`).
    Free,
    /// A single element of this type or of one of its subclasses.
    One(Item),
    /// Any range.
    Range,
    /// A range of this item or of one of its subclasses.
    RangeOf(Item),
    /// An optional.
    Optional,
    /// An attribute that holds a value of an enumeration.
    Enum,
}

/// The requirement on an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arg {
    /// Convertible to this type.
    Of(Ty),
    /// A `float`, without conversion.
    ExactFloat,
    /// Anything.
    Any,
    /// Any range, or a braced list.
    Range,
    /// A lambda.
    Lambda,
    /// An integer of at most this many bits. The argument is converted to the result type, and the result wraps.
    UpTo(u8),
    /// A machine integer, a Boolean, an enumerator or an `APInt`.
    AnyInt,
    /// A machine float, a machine integer or an `APFloat`.
    AnyFloat,
    /// A number of any kind: an argument as for `AnyInt`, a machine float or an `APFloat`.
    Number,
    /// A context or builder, which is checked and dropped.
    Context,
}

/// The type of the result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    /// This type.
    Ty(Ty),
    /// The element type of the receiver or first argument.
    Element,
    /// The type of the receiver or first argument.
    Same,
    /// An iterator over the receiver or first argument.
    Iterator,
    /// The type of the value of an optional.
    Item,
    /// A range of the template argument.
    TemplateRange,
    /// The template argument.
    Template,
    /// A range of the result type of the lambda.
    LambdaRange,
    /// The type of all arguments or, if their types differ, their common arithmetic type.
    Common,
    /// The type in which C++ computes with the argument.
    Promoted,
}

/// A function or method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) receiver: Receiver,
    pub(crate) args: &'static [Arg],
    /// The number of trailing arguments that may be omitted.
    pub(crate) optional: usize,
    pub(crate) returns: Returns,
    pub(crate) op: Builtin,
}

const fn row(
    name: &'static str,
    receiver: Receiver,
    args: &'static [Arg],
    returns: Returns,
    op: Builtin,
) -> Row {
    Row { name, receiver, args, optional: 0, returns, op }
}

const fn opt(optional: usize, row: Row) -> Row {
    Row { optional, ..row }
}

use Arg::{AnyFloat, AnyInt, Of};
use Builtin as B;
use Receiver::Free;
use Returns::Element;

const VALUE: Receiver = Receiver::One(Item::Value);
const OP: Receiver = Receiver::One(Item::Op(None));
const USE: Receiver = Receiver::One(Item::Use);
const VALUES: Receiver = Receiver::RangeOf(Item::Value);
const MAP: Receiver = Receiver::One(Item::AffineMap);
const BUILDER: Receiver = Receiver::One(Item::Builder);
const APINT: Receiver = Receiver::One(Item::ApInt);
const APFLOAT: Receiver = Receiver::One(Item::ApFloat);
const STRING: Receiver = Receiver::One(Item::Str);
const fn ty(class: TypeClass) -> Receiver {
    Receiver::One(Item::Type(class))
}
const fn attr(class: AttrClass) -> Receiver {
    Receiver::One(Item::Attr(class))
}
const TYPE: Receiver = ty(TypeClass::Any);
const SHAPED: Receiver = ty(TypeClass::Shaped);
const ATTR: Receiver = attr(AttrClass::Any);

const fn gives(item: Item) -> Returns {
    Returns::Ty(Ty::one(item))
}
const fn range(item: Item) -> Returns {
    Returns::Ty(Ty::range(item))
}
const BOOL: Returns = gives(Item::Bool);
const I64: Returns = gives(Item::Int(IntTy::I64));
const I32: Returns = gives(Item::Int(IntTy::I32));
const U32: Returns = gives(Item::Int(IntTy::U32));
const U64: Returns = gives(Item::Int(IntTy::U64));
const FLOAT: Returns = gives(Item::Float);
const STR: Returns = gives(Item::Str);
const GIVES_CHAR: Returns = gives(INT8);
const LOC: Returns = gives(Item::Location);
const GIVES_TYPE: Returns = gives(Item::Type(TypeClass::Any));
const fn gives_ty(class: TypeClass) -> Returns {
    gives(Item::Type(class))
}
const fn gives_attr(class: AttrClass) -> Returns {
    gives(Item::Attr(class))
}
const fn float(format: FloatFormat) -> Returns {
    gives_ty(TypeClass::FloatOf(format))
}
const TYPES: Returns = range(Item::Type(TypeClass::Any));
const A_TYPE: Arg = Of(Ty::TYPE);
const AN_ATTR: Arg = Of(Ty::ATTR);
const AN_INT: Arg = Of(Ty::I64);
const TWO_INTS_OF_16: &[Arg] = &[Arg::UpTo(16); 2];
const TWO_INTS_OF_32: &[Arg] = &[Arg::UpTo(32); 2];
const A_CHAR: Arg = Of(Ty::one(INT8));
const A_BOOL: Arg = Of(Ty::BOOL);
const A_STR: Arg = Of(Ty::STR);
const A_FLOAT_TYPE: Arg = Of(Ty::ty(TypeClass::Float));
const INTS: Arg = Of(Ty::range(Item::Int(IntTy::I64)));
const A_RANGE_OF_TYPES: Arg = Of(Ty::range(Item::Type(TypeClass::Any)));
const DOUBLES: Arg = Of(Ty::range(Item::Double));
const BOOLS: Arg = Of(Ty::range(Item::Bool));
const STRINGS: Arg = Of(Ty::range(Item::Str));
const AN_AP_FLOAT: Arg = Of(Ty::AP_FLOAT);
/// A float, a number that encodes an operation and its rounding mode, and further floats.
const FLOAT_OPERATION: &[Arg] = &[AN_AP_FLOAT, AN_INT, AN_AP_FLOAT, AN_AP_FLOAT];
const FLOAT_OF_INT: &[Arg] = &[AN_AP_FLOAT, AN_AP_INT, A_BOOL, AN_INT];
const A_MAP: Arg = Of(Ty::one(Item::AffineMap));
const AN_AP_INT: Arg = Of(Ty::AP_INT);
const MAPS: Arg = Of(Ty::range(Item::AffineMap));
const ATTRS: Arg = Of(Ty::range(Item::Attr(AttrClass::Any)));
const CTX: Arg = Arg::Context;
const RANGE: Arg = Arg::Range;
const INTEGER_ATTR: Returns = gives_attr(AttrClass::Integer);
const GIVES_MAP: Returns = gives(Item::AffineMap);
const MATCHER: Returns = gives(Item::Matcher);

/// All functions and methods.
pub(crate) const ROWS: &[Row] = &[
    // Values.
    row("getType", VALUE, &[], GIVES_TYPE, B::TypeOf),
    row("hasOneUse", VALUE, &[], BOOL, B::HasOneUse),
    row("use_empty", VALUE, &[], BOOL, B::UseEmpty),
    row("getUses", VALUE, &[], range(Item::Use), B::Uses),
    row("getUsers", VALUE, &[], range(Item::Op(None)), B::Users),
    row("user_begin", VALUE, &[], Returns::Ty(Ty { item: Item::Op(None), form: Form::Iterator }), B::Users),
    row("use_begin", VALUE, &[], Returns::Ty(Ty { item: Item::Use, form: Form::Iterator }), B::Uses),
    row("getDefiningOp", VALUE, &[], gives(Item::Op(None)), B::DefiningOp),
    row("getOwner", VALUE, &[], gives(Item::Op(None)), B::DefiningOp),
    row("getResultNumber", VALUE, &[], U32, B::ResultNumber),
    row("getLoc", VALUE, &[], LOC, B::LocationOf),
    row("getContext", VALUE, &[], gives(Item::Context), B::Context),
    row("getAsOpaquePointer", VALUE, &[], Returns::Same, B::ToRange),
    row("getOwner", USE, &[], gives(Item::Op(None)), B::Owner),
    // Ranges of values.
    row("getTypes", VALUES, &[], TYPES, B::RangeTypes),
    row("getType", VALUES, &[], TYPES, B::RangeTypes),
    // Operations.
    row("getResult", OP, &[AN_INT], gives(Item::Value), B::OpResultAt),
    row("getResult", OP, &[], gives(Item::Value), B::OpResult),
    row("getResults", OP, &[], range(Item::Value), B::OpResults),
    row("getOpResults", OP, &[], range(Item::Value), B::OpResults),
    row("getOperand", OP, &[AN_INT], gives(Item::Value), B::OpOperandAt),
    row("getOperands", OP, &[], range(Item::Value), B::OpOperands),
    row("getNumOperands", OP, &[], U32, B::OpNumOperands),
    row("getNumResults", OP, &[], U32, B::OpNumResults),
    row("getResultTypes", OP, &[], TYPES, B::RangeTypes),
    row("getOperandTypes", OP, &[], TYPES, B::OpOperandTypes),
    row("getLoc", OP, &[], LOC, B::LocationOf),
    row("getName", OP, &[], gives(Item::Name), B::OpName),
    // A dialect is represented by the name of an operation.
    row("getDialect", OP, &[], gives(Item::Name), B::OpName),
    row("getDialect", Receiver::One(Item::Name), &[], Returns::Same, B::ToRange),
    row("getNamespace", Receiver::One(Item::Name), &[], STR, B::DialectNamespace),
    row("getStringRef", Receiver::One(Item::Name), &[], STR, B::ToStr),
    row("str", Receiver::One(Item::Name), &[], STR, B::ToStr),
    row("getDialectNamespace", Receiver::One(Item::Name), &[], STR, B::DialectNamespace),
    row("getOperationName", OP, &[], STR, B::OpName),
    row("getAttr", OP, &[A_STR], gives_attr(AttrClass::Any), B::OpAttr),
    row("getAttrOfType", OP, &[A_STR], Returns::Template, B::OpAttr),
    row("hasAttr", OP, &[A_STR], BOOL, B::OpHasAttr),
    row("hasAttrOfType", OP, &[A_STR], BOOL, B::OpHasAttr),
    row("getContext", OP, &[], gives(Item::Context), B::Context),
    row("getOperation", OP, &[], Returns::Same, B::ToRange),
    row("hasOneUse", OP, &[], BOOL, B::HasOneUse),
    row("use_empty", OP, &[], BOOL, B::UseEmpty),
    row("getUses", OP, &[], range(Item::Use), B::Uses),
    row("getUsers", OP, &[], range(Item::Op(None)), B::Users),
    row("getType", OP, &[], GIVES_TYPE, B::TypeOf),
    row("getParentOp", OP, &[], gives(Item::Op(None)), B::ParentOp),
    row("getOperandNumber", USE, &[], U32, B::UseIndex),
    row("get", USE, &[], gives(Item::Value), B::UseValue),
    row("replaceOp", BUILDER, &[Of(Ty::OP), Of(Ty::range(Item::Value))], gives(Item::Null), B::ReplaceOp),
    row("setInsertionPoint", BUILDER, &[Of(Ty::OP)], gives(Item::Null), B::SetInsertionPoint),
    row("setInsertionPointAfter", BUILDER, &[Of(Ty::OP)], gives(Item::Null), B::SetInsertionPointAfter),
    row(
        "setInsertionPointAfterValue",
        BUILDER,
        &[Of(Ty::VALUE)],
        gives(Item::Null),
        B::SetInsertionPointAfter,
    ),
    row("eraseOp", BUILDER, &[Of(Ty::OP)], gives(Item::Null), B::EraseOp),
    row("takeRegion", Free, &[Of(Ty::OP), AN_INT, Of(Ty::OP), AN_INT], gives(Item::Null), B::TakeRegion),
    // Types.
    opt(1, row("isInteger", TYPE, &[AN_INT], BOOL, B::IsInteger)),
    opt(1, row("isSignlessInteger", TYPE, &[AN_INT], BOOL, B::IsSignlessInteger)),
    opt(1, row("isSignedInteger", TYPE, &[AN_INT], BOOL, B::IsSignedInteger)),
    opt(1, row("isUnsignedInteger", TYPE, &[AN_INT], BOOL, B::IsUnsignedInteger)),
    row("isIndex", TYPE, &[], BOOL, B::IsIndex),
    row("isF16", TYPE, &[], BOOL, B::IsF16),
    row("isF32", TYPE, &[], BOOL, B::IsF32),
    row("isF64", TYPE, &[], BOOL, B::IsF64),
    row("isBF16", TYPE, &[], BOOL, B::IsBF16),
    row("isF80", TYPE, &[], BOOL, B::IsF80),
    row("isF128", TYPE, &[], BOOL, B::IsF128),
    row("isTF32", TYPE, &[], BOOL, B::IsTF32),
    row("isIntOrIndex", TYPE, &[], BOOL, B::IsIntOrIndex),
    row("isIntOrFloat", TYPE, &[], BOOL, B::IsIntOrFloat),
    row("isIntOrIndexOrFloat", TYPE, &[], BOOL, B::IsIntOrIndexOrFloat),
    row("isSignlessIntOrIndex", TYPE, &[], BOOL, B::IsSignlessIntOrIndex),
    row("isSignlessIntOrFloat", TYPE, &[], BOOL, B::IsSignlessIntOrFloat),
    row("isSignlessIntOrIndexOrFloat", TYPE, &[], BOOL, B::IsSignlessIntOrIndexOrFloat),
    row("getIntOrFloatBitWidth", TYPE, &[], U32, B::BitWidth),
    row("getContext", TYPE, &[], gives(Item::Context), B::Context),
    row("getWidth", ty(TypeClass::Integer), &[], U32, B::BitWidth),
    row("isSigned", ty(TypeClass::Integer), &[], BOOL, B::IsSigned),
    row("isSignless", ty(TypeClass::Integer), &[], BOOL, B::IsSignless),
    row("isUnsigned", ty(TypeClass::Integer), &[], BOOL, B::IsUnsigned),
    row("getSignedness", ty(TypeClass::Integer), &[], U32, B::Signedness),
    row("getWidth", ty(TypeClass::Float), &[], U32, B::BitWidth),
    row("getFPMantissaWidth", ty(TypeClass::Float), &[], U32, B::FloatPrecision),
    row("getElementType", SHAPED, &[], GIVES_TYPE, B::ElementType),
    row("getElementType", ty(TypeClass::Complex), &[], GIVES_TYPE, B::ElementType),
    row("getRank", SHAPED, &[], I64, B::Rank),
    row("hasRank", SHAPED, &[], BOOL, B::HasRank),
    row("hasStaticShape", SHAPED, &[INTS], BOOL, B::HasStaticShape),
    row("hasStaticShape", SHAPED, &[], BOOL, B::HasStaticShape),
    row("getShape", SHAPED, &[], range(Item::Int(IntTy::I64)), B::Shape),
    row("getNumElements", SHAPED, &[], I64, B::NumElements),
    row("getDimSize", SHAPED, &[AN_INT], I64, B::DimSize),
    row("isDynamicDim", SHAPED, &[AN_INT], BOOL, B::IsDynamicDim),
    row("getNumDynamicDims", SHAPED, &[], U64, B::NumDynamicDims),
    row("getElementTypeBitWidth", SHAPED, &[], U32, B::ElementBitWidth),
    row("clone", SHAPED, &[A_TYPE], Returns::Same, B::CloneType),
    row("clone", SHAPED, &[INTS], Returns::Same, B::CloneType),
    row("clone", SHAPED, &[INTS, A_TYPE], Returns::Same, B::CloneType),
    row("cloneWith", SHAPED, &[Of(Ty::NULL), A_TYPE], Returns::Same, B::CloneType),
    row("cloneWith", SHAPED, &[INTS, A_TYPE], Returns::Same, B::CloneType),
    row("getScalableDims", ty(TypeClass::Vector), &[], range(Item::Bool), B::ScalableDims),
    row("isScalable", ty(TypeClass::Vector), &[], BOOL, B::IsScalable),
    row("allDimsScalable", ty(TypeClass::Vector), &[], BOOL, B::AllDimsScalable),
    row("getMemorySpace", ty(TypeClass::BaseMemRef), &[], gives_attr(AttrClass::Any), B::TypeExtra),
    row("getEncoding", ty(TypeClass::RankedTensor), &[], gives_attr(AttrClass::Any), B::TypeExtra),
    row("getInputs", ty(TypeClass::Function), &[], TYPES, B::FunctionInputs),
    row("getResults", ty(TypeClass::Function), &[], TYPES, B::FunctionResults),
    row("getNumInputs", ty(TypeClass::Function), &[], U32, B::NumInputs),
    row("getNumResults", ty(TypeClass::Function), &[], U32, B::NumResults),
    row("getTypes", ty(TypeClass::Tuple), &[], TYPES, B::TypeParts),
    row("size", ty(TypeClass::Tuple), &[], U64, B::Size),
    row("isDynamic", Free, &[AN_INT], BOOL, B::IsDynamicSize),
    row("ShapedType::isDynamic", Free, &[AN_INT], BOOL, B::IsDynamicSize),
    row("ShapedType::isStatic", Free, &[AN_INT], BOOL, B::IsStaticSize),
    row("ShapedType::isDynamicShape", Free, &[INTS], BOOL, B::IsDynamicShape),
    row("ShapedType::isStaticShape", Free, &[INTS], BOOL, B::IsStaticShape),
    row("getStorageType", ty(TypeClass::Quantized), &[], GIVES_TYPE, B::QuantStorageType),
    row("getStorageTypeIntegralWidth", ty(TypeClass::Quantized), &[], U32, B::QuantStorageWidth),
    row("isSigned", ty(TypeClass::Quantized), &[], BOOL, B::QuantIsSigned),
    row("getExpressedType", ty(TypeClass::Quantized), &[], GIVES_TYPE, B::QuantExpressedType),
    row("getStorageTypeMin", ty(TypeClass::Quantized), &[], I64, B::QuantMin),
    row("getStorageTypeMax", ty(TypeClass::Quantized), &[], I64, B::QuantMax),
    row("getScale", ty(TypeClass::UniformQuantized), &[], gives(Item::Double), B::QuantScale),
    row("getZeroPoint", ty(TypeClass::UniformQuantized), &[], I64, B::QuantZeroPoint),
    row("getScales", ty(TypeClass::QuantizedPerAxis), &[], range(Item::Double), B::QuantScales),
    row(
        "getZeroPoints",
        ty(TypeClass::QuantizedPerAxis),
        &[],
        range(Item::Int(IntTy::I64)),
        B::QuantZeroPoints,
    ),
    row(
        "getQuantizedDimension",
        ty(TypeClass::QuantizedPerAxis),
        &[],
        gives(Item::Int(IntTy::I32)),
        B::QuantDimension,
    ),
    // Attributes.
    row("getType", attr(AttrClass::Elements), &[], gives_ty(TypeClass::Shaped), B::TypeOf),
    row("getShapedType", attr(AttrClass::Elements), &[], gives_ty(TypeClass::Shaped), B::TypeOf),
    row("getType", attr(AttrClass::Typed), &[], GIVES_TYPE, B::TypeOf),
    row("getType", attr(AttrClass::String), &[], GIVES_TYPE, B::TypeOf),
    row("getContext", ATTR, &[], gives(Item::Context), B::Context),
    row("getValue", Receiver::Enum, &[], Returns::Same, B::AttrEnum),
    row("getValue", attr(AttrClass::Bool), &[], BOOL, B::AttrBool),
    row("getValue", attr(AttrClass::Integer), &[], gives(Item::ApInt), B::AttrApInt),
    row("getInt", attr(AttrClass::Integer), &[], I64, B::AttrInt),
    row("getSInt", attr(AttrClass::Integer), &[], I64, B::AttrSInt),
    row("getUInt", attr(AttrClass::Integer), &[], U64, B::AttrUInt),
    row("getValue", attr(AttrClass::Float), &[], gives(Item::ApFloat), B::AttrFloat),
    row("getValueAsDouble", attr(AttrClass::Float), &[], gives(Item::Double), B::AttrDouble),
    row("getValue", attr(AttrClass::String), &[], STR, B::AttrString),
    row("strref", attr(AttrClass::String), &[], STR, B::AttrString),
    row("str", attr(AttrClass::String), &[], STR, B::AttrString),
    row("size", attr(AttrClass::String), &[], U64, B::Size),
    row("empty", attr(AttrClass::String), &[], BOOL, B::IsEmpty),
    row("getValue", attr(AttrClass::FlatSymbolRef), &[], STR, B::AttrString),
    row("getRootReference", attr(AttrClass::SymbolRef), &[], gives_attr(AttrClass::String), B::StringAttr),
    row("getAttr", attr(AttrClass::FlatSymbolRef), &[], gives_attr(AttrClass::String), B::StringAttr),
    row("getValue", attr(AttrClass::Type), &[], GIVES_TYPE, B::AttrHeldType),
    row("getValue", attr(AttrClass::Array), &[], range(Item::Attr(AttrClass::Any)), B::AttrElements),
    row("size", attr(AttrClass::Array), &[], U64, B::AttrLen),
    row("empty", attr(AttrClass::Array), &[], BOOL, B::AttrIsEmpty),
    row("begin", attr(AttrClass::Array), &[], ATTR_ITERATOR, B::Begin),
    row("end", attr(AttrClass::Array), &[], ATTR_ITERATOR, B::End),
    row("size", attr(AttrClass::DenseArray), &[], I64, B::AttrLen),
    row("getSize", attr(AttrClass::DenseArray), &[], I64, B::AttrLen),
    row("empty", attr(AttrClass::DenseArray), &[], BOOL, B::AttrIsEmpty),
    row("asArrayRef", attr(AttrClass::DenseIntArray(1)), &[], range(Item::Bool), B::AttrElements),
    row("asArrayRef", attr(AttrClass::DenseIntArray(8)), &[], range(INT8), B::AttrElements),
    row("asArrayRef", attr(AttrClass::DenseIntArray(16)), &[], range(INT16), B::AttrElements),
    row("asArrayRef", attr(AttrClass::DenseIntArray(32)), &[], range(Item::Int(IntTy::I32)), B::AttrElements),
    row("asArrayRef", attr(AttrClass::DenseIntArray(64)), &[], range(Item::Int(IntTy::I64)), B::AttrElements),
    row("asArrayRef", attr(AttrClass::DenseFloatArray(32)), &[], range(Item::Float), B::AttrElements),
    row("asArrayRef", attr(AttrClass::DenseFloatArray(64)), &[], range(Item::Double), B::AttrElements),
    row("getElementType", attr(AttrClass::DenseArray), &[], GIVES_TYPE, B::ElementType),
    row("getElementType", attr(AttrClass::Elements), &[], GIVES_TYPE, B::ElementType),
    row("isSplat", attr(AttrClass::Elements), &[], BOOL, B::IsSplat),
    row("getSplatValue", attr(AttrClass::Elements), &[], Returns::Template, B::SplatValue),
    row("getNumElements", attr(AttrClass::Elements), &[], I64, B::ElementsNumber),
    row("size", attr(AttrClass::Elements), &[], I64, B::ElementsNumber),
    row("empty", attr(AttrClass::Elements), &[], BOOL, B::AttrIsEmpty),
    row("getValues", attr(AttrClass::Elements), &[], Returns::TemplateRange, B::ElementsOf),
    row("begin", attr(AttrClass::DenseElements), &[], UNKNOWN_ITERATOR, B::Begin),
    row("end", attr(AttrClass::DenseElements), &[], UNKNOWN_ITERATOR, B::End),
    row("reshape", attr(AttrClass::DenseElements), &[A_TYPE], Returns::Same, B::Reshape),
    row("get", attr(AttrClass::Dictionary), &[A_STR], gives_attr(AttrClass::Any), B::DictGet),
    row("getAs", attr(AttrClass::Dictionary), &[A_STR], Returns::Template, B::DictGet),
    row("contains", attr(AttrClass::Dictionary), &[A_STR], BOOL, B::DictHas),
    row("size", attr(AttrClass::Dictionary), &[], U64, B::AttrLen),
    row("empty", attr(AttrClass::Dictionary), &[], BOOL, B::AttrIsEmpty),
    row("getValue", attr(AttrClass::AffineMap), &[], GIVES_MAP, B::MapItself),
    row("getAffineMap", attr(AttrClass::AffineMap), &[], GIVES_MAP, B::MapItself),
    row("isIdentity", attr(AttrClass::AffineMap), &[], BOOL, B::MapIsIdentity),
    // Affine maps.
    row("getContext", MAP, &[], gives(Item::Context), B::Context),
    row("getNumDims", MAP, &[], U32, B::MapDims),
    row("getNumSymbols", MAP, &[], U32, B::MapSymbols),
    row("getNumInputs", MAP, &[], U32, B::MapInputs),
    row("getNumResults", MAP, &[], U32, B::MapResults),
    row("getNumOfZeroResults", MAP, &[], U64, B::MapZeros),
    row("isEmpty", MAP, &[], BOOL, B::MapIsEmpty),
    row("isIdentity", MAP, &[], BOOL, B::MapIsIdentity),
    row("isSymbolIdentity", MAP, &[], BOOL, B::MapIsSymbolIdentity),
    row("isMinorIdentity", MAP, &[], BOOL, B::MapIsMinorIdentity),
    row("isMinorIdentityWithBroadcasting", MAP, &[], BOOL, B::MapIsMinorIdentityWithBroadcasting),
    row("isSingleConstant", MAP, &[], BOOL, B::MapIsSingleConstant),
    row("isConstant", MAP, &[], BOOL, B::MapIsConstant),
    row("getSingleConstantResult", MAP, &[], I64, B::MapConstant),
    row("getConstantResults", MAP, &[], range(Item::Int(IntTy::I64)), B::MapConstants),
    row("isPermutation", MAP, &[], BOOL, B::MapIsPermutation),
    opt(1, row("isProjectedPermutation", MAP, &[A_BOOL], BOOL, B::MapIsProjectedPermutation)),
    row("getDimPosition", MAP, &[AN_INT], U32, B::MapDimPosition),
    row("isFunctionOfDim", MAP, &[AN_INT], BOOL, B::MapUsesDim),
    row("isFunctionOfSymbol", MAP, &[AN_INT], BOOL, B::MapUsesSymbol),
    row("getMajorSubMap", MAP, &[AN_INT], GIVES_MAP, B::MapMajor),
    row("getMinorSubMap", MAP, &[AN_INT], GIVES_MAP, B::MapMinor),
    row("AffineMap::get", Free, &[CTX], GIVES_MAP, B::MapOfNothing),
    row("AffineMap::get", Free, &[AN_INT, AN_INT, CTX], GIVES_MAP, B::MapOfNothing),
    row("AffineMap::getMultiDimIdentityMap", Free, &[AN_INT, CTX], GIVES_MAP, B::MapOfDims),
    row("AffineMap::getMinorIdentityMap", Free, &[AN_INT, AN_INT, CTX], GIVES_MAP, B::MapOfLastDims),
    row("AffineMap::getMultiDimMapWithTargets", Free, &[AN_INT, INTS, CTX], GIVES_MAP, B::MapOfTargets),
    row("AffineMap::getPermutationMap", Free, &[INTS, CTX], GIVES_MAP, B::MapOfPermutation),
    row("AffineMap::getConstantMap", Free, &[AN_INT, CTX], GIVES_MAP, B::MapOfConstant),
    row("getEmptyAffineMap", BUILDER, &[], GIVES_MAP, B::MapOfNothing),
    row("getConstantAffineMap", BUILDER, &[AN_INT], GIVES_MAP, B::MapOfConstant),
    row("getDimIdentityMap", BUILDER, &[], GIVES_MAP, B::MapOfDim),
    row("getMultiDimIdentityMap", BUILDER, &[AN_INT], GIVES_MAP, B::MapOfDims),
    row("getSymbolIdentityMap", BUILDER, &[], GIVES_MAP, B::MapOfSymbol),
    row("getSingleDimShiftAffineMap", BUILDER, &[AN_INT], GIVES_MAP, B::MapOfShift),
    row(
        "AffineMapAttr::get",
        Free,
        &[Of(Ty::one(Item::AffineMap))],
        gives_attr(AttrClass::AffineMap),
        B::MapItself,
    ),
    row("getAffineMapArrayAttr", BUILDER, &[MAPS], gives_attr(AttrClass::Array), B::ArrayAttr),
    // The builder's types.
    row("getContext", BUILDER, &[], gives(Item::Context), B::Context),
    row("getUnknownLoc", BUILDER, &[], LOC, B::UnknownLoc),
    row("UnknownLoc::get", Free, &[CTX], LOC, B::UnknownLoc),
    row("getIntegerType", BUILDER, &[AN_INT], gives_ty(TypeClass::Integer), B::IntegerType),
    row("getIntegerType", BUILDER, &[AN_INT, A_BOOL], gives_ty(TypeClass::Integer), B::SignedIntegerType),
    row("getI1Type", BUILDER, &[], gives_ty(TypeClass::Integer), B::I1),
    row("getI8Type", BUILDER, &[], gives_ty(TypeClass::Integer), B::I8),
    row("getI16Type", BUILDER, &[], gives_ty(TypeClass::Integer), B::I16),
    row("getI32Type", BUILDER, &[], gives_ty(TypeClass::Integer), B::I32),
    row("getI64Type", BUILDER, &[], gives_ty(TypeClass::Integer), B::I64),
    row("getIndexType", BUILDER, &[], gives_ty(TypeClass::Index), B::Index),
    row("getF16Type", BUILDER, &[], gives_ty(TypeClass::Float), B::F16),
    row("getBF16Type", BUILDER, &[], gives_ty(TypeClass::Float), B::BF16),
    row("getF32Type", BUILDER, &[], gives_ty(TypeClass::Float), B::F32),
    row("getF64Type", BUILDER, &[], gives_ty(TypeClass::Float), B::F64),
    row("getNoneType", BUILDER, &[], gives_ty(TypeClass::None), B::NoneType),
    row(
        "getFunctionType",
        BUILDER,
        &[A_RANGE_OF_TYPES, A_RANGE_OF_TYPES],
        gives_ty(TypeClass::Function),
        B::FunctionType,
    ),
    row("getTupleType", BUILDER, &[A_RANGE_OF_TYPES], gives_ty(TypeClass::Tuple), B::TupleType),
    // Static members of types.
    row("IntegerType::get", Free, &[CTX, AN_INT], gives_ty(TypeClass::Integer), B::IntegerType),
    row("IntegerType::get", Free, &[CTX, AN_INT, AN_INT], gives_ty(TypeClass::Integer), B::IntegerTypeWith),
    row("IndexType::get", Free, &[CTX], gives_ty(TypeClass::Index), B::Index),
    row("NoneType::get", Free, &[CTX], gives_ty(TypeClass::None), B::NoneType),
    row("ComplexType::get", Free, &[A_TYPE], gives_ty(TypeClass::Complex), B::ComplexType),
    row(
        "FunctionType::get",
        Free,
        &[CTX, A_RANGE_OF_TYPES, A_RANGE_OF_TYPES],
        gives_ty(TypeClass::Function),
        B::FunctionType,
    ),
    row("TupleType::get", Free, &[CTX, A_RANGE_OF_TYPES], gives_ty(TypeClass::Tuple), B::TupleType),
    opt(
        1,
        row(
            "RankedTensorType::get",
            Free,
            &[INTS, A_TYPE, AN_ATTR],
            gives_ty(TypeClass::RankedTensor),
            B::RankedTensorType,
        ),
    ),
    row(
        "UnrankedTensorType::get",
        Free,
        &[A_TYPE],
        gives_ty(TypeClass::UnrankedTensor),
        B::UnrankedTensorType,
    ),
    opt(1, row("VectorType::get", Free, &[INTS, A_TYPE, BOOLS], gives_ty(TypeClass::Vector), B::VectorType)),
    opt(
        2,
        row(
            "MemRefType::get",
            Free,
            &[INTS, A_TYPE, A_MAP, AN_ATTR],
            gives_ty(TypeClass::MemRef),
            B::MemRefType,
        ),
    ),
    // The builder's attributes.
    row("getBoolAttr", BUILDER, &[A_BOOL], gives_attr(AttrClass::Bool), B::BoolAttr),
    row("getI1IntegerAttr", BUILDER, &[AN_INT], INTEGER_ATTR, B::I1Attr),
    row("getI8IntegerAttr", BUILDER, &[AN_INT], INTEGER_ATTR, B::I8Attr),
    row("getI16IntegerAttr", BUILDER, &[AN_INT], INTEGER_ATTR, B::I16Attr),
    row("getI32IntegerAttr", BUILDER, &[AN_INT], INTEGER_ATTR, B::I32Attr),
    row("getI64IntegerAttr", BUILDER, &[AN_INT], INTEGER_ATTR, B::I64Attr),
    row("getSI8IntegerAttr", BUILDER, &[AN_INT], INTEGER_ATTR, B::SI8Attr),
    row("getSI16IntegerAttr", BUILDER, &[AN_INT], INTEGER_ATTR, B::SI16Attr),
    row("getSI32IntegerAttr", BUILDER, &[AN_INT], INTEGER_ATTR, B::SI32Attr),
    row("getSI64IntegerAttr", BUILDER, &[AN_INT], INTEGER_ATTR, B::SI64Attr),
    row("getUI8IntegerAttr", BUILDER, &[AN_INT], INTEGER_ATTR, B::UI8Attr),
    row("getUI16IntegerAttr", BUILDER, &[AN_INT], INTEGER_ATTR, B::UI16Attr),
    row("getUI32IntegerAttr", BUILDER, &[AN_INT], INTEGER_ATTR, B::UI32Attr),
    row("getUI64IntegerAttr", BUILDER, &[Of(Ty::U64)], INTEGER_ATTR, B::UI64Attr),
    row("getIndexAttr", BUILDER, &[AN_INT], INTEGER_ATTR, B::IndexAttr),
    row("getIntegerAttr", BUILDER, &[A_TYPE, AnyInt], INTEGER_ATTR, B::IntegerAttr),
    row("getFloatAttr", BUILDER, &[A_TYPE, AnyFloat], gives_attr(AttrClass::Float), B::FloatAttr),
    row("getF16FloatAttr", BUILDER, &[Of(Ty::DOUBLE)], gives_attr(AttrClass::Float), B::F16Attr),
    row("getF32FloatAttr", BUILDER, &[Of(Ty::DOUBLE)], gives_attr(AttrClass::Float), B::F32Attr),
    row("getF64FloatAttr", BUILDER, &[Of(Ty::DOUBLE)], gives_attr(AttrClass::Float), B::F64Attr),
    row("getStringAttr", BUILDER, &[A_STR], gives_attr(AttrClass::String), B::StringAttr),
    row("getArrayAttr", BUILDER, &[ATTRS], gives_attr(AttrClass::Array), B::ArrayAttr),
    row("getUnitAttr", BUILDER, &[], gives_attr(AttrClass::Unit), B::UnitAttr),
    row("getZeroAttr", BUILDER, &[A_TYPE], gives_attr(AttrClass::Typed), B::ZeroAttr),
    row("getOneAttr", BUILDER, &[A_TYPE], gives_attr(AttrClass::Typed), B::OneAttr),
    row("getSymbolRefAttr", BUILDER, &[A_STR], gives_attr(AttrClass::SymbolRef), B::SymbolRefAttr),
    row("getBoolArrayAttr", BUILDER, &[BOOLS], gives_attr(AttrClass::Array), B::BoolArray),
    row("getI32ArrayAttr", BUILDER, &[INTS], gives_attr(AttrClass::Array), B::I32Array),
    row("getI64ArrayAttr", BUILDER, &[INTS], gives_attr(AttrClass::Array), B::I64Array),
    row("getIndexArrayAttr", BUILDER, &[INTS], gives_attr(AttrClass::Array), B::IndexArray),
    row("getF32ArrayAttr", BUILDER, &[DOUBLES], gives_attr(AttrClass::Array), B::F32Array),
    row("getF64ArrayAttr", BUILDER, &[DOUBLES], gives_attr(AttrClass::Array), B::F64Array),
    row("getStrArrayAttr", BUILDER, &[STRINGS], gives_attr(AttrClass::Array), B::StrArray),
    row("getTypeArrayAttr", BUILDER, &[A_RANGE_OF_TYPES], gives_attr(AttrClass::Array), B::TypeArray),
    row("getBoolVectorAttr", BUILDER, &[BOOLS], gives_attr(AttrClass::DenseIntElements), B::BoolVector),
    row("getI32VectorAttr", BUILDER, &[INTS], gives_attr(AttrClass::DenseIntElements), B::I32Vector),
    row("getI64VectorAttr", BUILDER, &[INTS], gives_attr(AttrClass::DenseIntElements), B::I64Vector),
    row("getIndexVectorAttr", BUILDER, &[INTS], gives_attr(AttrClass::DenseIntElements), B::IndexVector),
    row("getF32VectorAttr", BUILDER, &[DOUBLES], gives_attr(AttrClass::DenseFloatElements), B::F32Vector),
    row("getF64VectorAttr", BUILDER, &[DOUBLES], gives_attr(AttrClass::DenseFloatElements), B::F64Vector),
    row("getI32TensorAttr", BUILDER, &[INTS], gives_attr(AttrClass::DenseIntElements), B::I32Tensor),
    row("getI64TensorAttr", BUILDER, &[INTS], gives_attr(AttrClass::DenseIntElements), B::I64Tensor),
    row("getIndexTensorAttr", BUILDER, &[INTS], gives_attr(AttrClass::DenseIntElements), B::IndexTensor),
    row("getDenseBoolArrayAttr", BUILDER, &[BOOLS], gives_attr(AttrClass::DenseIntArray(1)), B::DenseBools),
    row("getDenseI8ArrayAttr", BUILDER, &[INTS], gives_attr(AttrClass::DenseIntArray(8)), B::DenseI8),
    row("getDenseI16ArrayAttr", BUILDER, &[INTS], gives_attr(AttrClass::DenseIntArray(16)), B::DenseI16),
    row("getDenseI32ArrayAttr", BUILDER, &[INTS], gives_attr(AttrClass::DenseIntArray(32)), B::DenseI32),
    row("getDenseI64ArrayAttr", BUILDER, &[INTS], gives_attr(AttrClass::DenseIntArray(64)), B::DenseI64),
    row("getDenseF32ArrayAttr", BUILDER, &[DOUBLES], gives_attr(AttrClass::DenseFloatArray(32)), B::DenseF32),
    row("getDenseF64ArrayAttr", BUILDER, &[DOUBLES], gives_attr(AttrClass::DenseFloatArray(64)), B::DenseF64),
    // Static members of attributes.
    row("IntegerAttr::get", Free, &[A_TYPE, AnyInt], INTEGER_ATTR, B::IntegerAttr),
    row("FloatAttr::get", Free, &[A_TYPE, AnyFloat], gives_attr(AttrClass::Float), B::FloatAttr),
    row("BoolAttr::get", Free, &[CTX, A_BOOL], gives_attr(AttrClass::Bool), B::BoolAttr),
    row("StringAttr::get", Free, &[CTX, A_STR], gives_attr(AttrClass::String), B::StringAttr),
    row("ArrayAttr::get", Free, &[CTX, ATTRS], gives_attr(AttrClass::Array), B::ArrayAttr),
    row("TypeAttr::get", Free, &[A_TYPE], gives_attr(AttrClass::Type), B::TypeAttr),
    row("UnitAttr::get", Free, &[CTX], gives_attr(AttrClass::Unit), B::UnitAttr),
    row("SymbolRefAttr::get", Free, &[CTX, A_STR], gives_attr(AttrClass::FlatSymbolRef), B::SymbolRefAttr),
    row("SymbolRefAttr::get", Free, &[A_STR], gives_attr(AttrClass::FlatSymbolRef), B::SymbolRefAttr),
    row("SymbolRefAttr::get", Free, &[CTX, A_STR, ATTRS], gives_attr(AttrClass::SymbolRef), B::SymbolRefAttr),
    row("SymbolRefAttr::get", Free, &[A_STR, ATTRS], gives_attr(AttrClass::SymbolRef), B::SymbolRefAttr),
    row(
        "FlatSymbolRefAttr::get",
        Free,
        &[CTX, A_STR],
        gives_attr(AttrClass::FlatSymbolRef),
        B::SymbolRefAttr,
    ),
    row("FlatSymbolRefAttr::get", Free, &[A_STR], gives_attr(AttrClass::FlatSymbolRef), B::SymbolRefAttr),
    row(
        "DenseElementsAttr::get",
        Free,
        &[A_TYPE, Arg::Any],
        gives_attr(AttrClass::DenseElements),
        B::DenseElements,
    ),
    row(
        "DenseIntElementsAttr::get",
        Free,
        &[A_TYPE, Arg::Any],
        gives_attr(AttrClass::DenseIntElements),
        B::DenseElements,
    ),
    row(
        "DenseFPElementsAttr::get",
        Free,
        &[A_TYPE, Arg::Any],
        gives_attr(AttrClass::DenseFloatElements),
        B::DenseElements,
    ),
    row(
        "SplatElementsAttr::get",
        Free,
        &[A_TYPE, Arg::Any],
        gives_attr(AttrClass::SplatElements),
        B::DenseElements,
    ),
    row(
        "DenseBoolArrayAttr::get",
        Free,
        &[CTX, BOOLS],
        gives_attr(AttrClass::DenseIntArray(1)),
        B::DenseBools,
    ),
    row("DenseI8ArrayAttr::get", Free, &[CTX, INTS], gives_attr(AttrClass::DenseIntArray(8)), B::DenseI8),
    row("DenseI16ArrayAttr::get", Free, &[CTX, INTS], gives_attr(AttrClass::DenseIntArray(16)), B::DenseI16),
    row("DenseI32ArrayAttr::get", Free, &[CTX, INTS], gives_attr(AttrClass::DenseIntArray(32)), B::DenseI32),
    row("DenseI64ArrayAttr::get", Free, &[CTX, INTS], gives_attr(AttrClass::DenseIntArray(64)), B::DenseI64),
    row(
        "DenseF32ArrayAttr::get",
        Free,
        &[CTX, DOUBLES],
        gives_attr(AttrClass::DenseFloatArray(32)),
        B::DenseF32,
    ),
    row(
        "DenseF64ArrayAttr::get",
        Free,
        &[CTX, DOUBLES],
        gives_attr(AttrClass::DenseFloatArray(64)),
        B::DenseF64,
    ),
    // APInt.
    row("isZero", APINT, &[], BOOL, B::IsZero),
    row("isOne", APINT, &[], BOOL, B::IsOne),
    row("isAllOnes", APINT, &[], BOOL, B::IsAllOnes),
    row("isMaxValue", APINT, &[], BOOL, B::IsAllOnes),
    row("isMinValue", APINT, &[], BOOL, B::IsZero),
    row("isNegative", APINT, &[], BOOL, B::IsNegative),
    row("isNonNegative", APINT, &[], BOOL, B::IsNonNegative),
    row("isStrictlyPositive", APINT, &[], BOOL, B::IsStrictlyPositive),
    row("isPowerOf2", APINT, &[], BOOL, B::IsPowerOf2),
    row("isMinSignedValue", APINT, &[], BOOL, B::IsMinSigned),
    row("isSignMask", APINT, &[], BOOL, B::IsMinSigned),
    row("isMaxSignedValue", APINT, &[], BOOL, B::IsMaxSigned),
    row("getSExtValue", APINT, &[], I64, B::SExtValue),
    row("getZExtValue", APINT, &[], U64, B::ZExtValue),
    opt(1, row("getLimitedValue", APINT, &[Of(Ty::U64)], U64, B::LimitedValue)),
    row("getBitWidth", APINT, &[], U32, B::BitWidth),
    row("zextOrTrunc", APINT, &[AN_INT], Returns::Same, B::ZextOrTrunc),
    row("zext", APINT, &[AN_INT], Returns::Same, B::ZextOrTrunc),
    row("trunc", APINT, &[AN_INT], Returns::Same, B::ZextOrTrunc),
    row("sextOrTrunc", APINT, &[AN_INT], Returns::Same, B::SextOrTrunc),
    row("sext", APINT, &[AN_INT], Returns::Same, B::SextOrTrunc),
    row("eq", APINT, &[AnyInt], BOOL, B::ApEq),
    row("ne", APINT, &[AnyInt], BOOL, B::ApNe),
    row("ult", APINT, &[AnyInt], BOOL, B::ApUlt),
    row("ule", APINT, &[AnyInt], BOOL, B::ApUle),
    row("ugt", APINT, &[AnyInt], BOOL, B::ApUgt),
    row("uge", APINT, &[AnyInt], BOOL, B::ApUge),
    row("slt", APINT, &[AnyInt], BOOL, B::ApSlt),
    row("sle", APINT, &[AnyInt], BOOL, B::ApSle),
    row("sgt", APINT, &[AnyInt], BOOL, B::ApSgt),
    row("sge", APINT, &[AnyInt], BOOL, B::ApSge),
    row("logBase2", APINT, &[], U32, B::Log2),
    row("abs", APINT, &[], Returns::Same, B::ApAbs),
    row("shl", APINT, &[AnyInt], Returns::Same, B::ApShl),
    row("lshr", APINT, &[AnyInt], Returns::Same, B::ApLshr),
    row("ashr", APINT, &[AnyInt], Returns::Same, B::ApAshr),
    row("udiv", APINT, &[AnyInt], Returns::Same, B::ApUdiv),
    row("sdiv", APINT, &[AnyInt], Returns::Same, B::ApSdiv),
    row("urem", APINT, &[AN_AP_INT], Returns::Same, B::ApUrem),
    row("urem", APINT, &[Of(Ty::U64)], U64, B::ApUrem),
    row("srem", APINT, &[AN_AP_INT], Returns::Same, B::ApSrem),
    row("srem", APINT, &[AN_INT], I64, B::ApSrem),
    row("countl_zero", APINT, &[], U32, B::ApLeadingZeros),
    row("countLeadingZeros", APINT, &[], U32, B::ApLeadingZeros),
    row("countr_zero", APINT, &[], U32, B::ApTrailingZeros),
    row("countTrailingZeros", APINT, &[], U32, B::ApTrailingZeros),
    row("countl_one", APINT, &[], U32, B::ApLeadingOnes),
    row("countr_one", APINT, &[], U32, B::ApTrailingOnes),
    row("popcount", APINT, &[], U32, B::ApPopcount),
    row("getActiveBits", APINT, &[], U32, B::ApActiveBits),
    row("getSignificantBits", APINT, &[], U32, B::ApSignificantBits),
    row("isSignBitSet", APINT, &[], BOOL, B::IsNegative),
    row("isSignBitClear", APINT, &[], BOOL, B::IsNonNegative),
    row("isIntN", APINT, &[AN_INT], BOOL, B::ApIsIntN),
    row("isSignedIntN", APINT, &[AN_INT], BOOL, B::ApIsSignedIntN),
    row("isMask", APINT, &[], BOOL, B::ApIsMask),
    row("extractBits", APINT, &[AN_INT, AN_INT], Returns::Same, B::ApExtract),
    row("concat", APINT, &[AN_AP_INT], Returns::Same, B::ApConcat),
    row("rotl", APINT, &[AnyInt], Returns::Same, B::ApRotl),
    row("rotr", APINT, &[AnyInt], Returns::Same, B::ApRotr),
    row("reverseBits", APINT, &[], Returns::Same, B::ApReverse),
    row("byteSwap", APINT, &[], Returns::Same, B::ApSwapBytes),
    row("getLoBits", APINT, &[AN_INT], Returns::Same, B::ApKeepLow),
    row("getHiBits", APINT, &[AN_INT], Returns::Same, B::ApKeepHigh),
    row("isSubsetOf", APINT, &[Of(Ty::AP_INT)], BOOL, B::ApIsSubsetOf),
    row("intersects", APINT, &[Of(Ty::AP_INT)], BOOL, B::ApIntersects),
    row("APInt::getAllOnes", Free, &[AN_INT], gives(Item::ApInt), B::ApAllOnes),
    row("APInt::getZero", Free, &[AN_INT], gives(Item::ApInt), B::ApZero),
    row("APInt::getMaxValue", Free, &[AN_INT], gives(Item::ApInt), B::ApAllOnes),
    row("APInt::getMinValue", Free, &[AN_INT], gives(Item::ApInt), B::ApZero),
    row("APInt::getSignedMaxValue", Free, &[AN_INT], gives(Item::ApInt), B::ApMaxSigned),
    row("APInt::getSignedMinValue", Free, &[AN_INT], gives(Item::ApInt), B::ApMinSigned),
    row("APInt::getSignMask", Free, &[AN_INT], gives(Item::ApInt), B::ApMinSigned),
    row("APInt::getOneBitSet", Free, &[AN_INT, AN_INT], gives(Item::ApInt), B::ApOneBit),
    row("APInt::getLowBitsSet", Free, &[AN_INT, AN_INT], gives(Item::ApInt), B::ApLowBits),
    row("APInt::getHighBitsSet", Free, &[AN_INT, AN_INT], gives(Item::ApInt), B::ApHighBits),
    row("APIntOps::smin", Free, &[Of(Ty::AP_INT), Of(Ty::AP_INT)], gives(Item::ApInt), B::ApSmin),
    row("APIntOps::smax", Free, &[Of(Ty::AP_INT), Of(Ty::AP_INT)], gives(Item::ApInt), B::ApSmax),
    row("APIntOps::umin", Free, &[Of(Ty::AP_INT), Of(Ty::AP_INT)], gives(Item::ApInt), B::ApUmin),
    row("APIntOps::umax", Free, &[Of(Ty::AP_INT), Of(Ty::AP_INT)], gives(Item::ApInt), B::ApUmax),
    opt(1, row("APInt", Free, &[AN_INT, Arg::AnyInt, A_BOOL], gives(Item::ApInt), B::MakeApInt)),
    // APFloat.
    row("isZero", APFLOAT, &[], BOOL, B::IsZero),
    row("isOne", APFLOAT, &[], BOOL, B::IsOne),
    row("isNegative", APFLOAT, &[], BOOL, B::IsNegative),
    row("isNaN", APFLOAT, &[], BOOL, B::IsNan),
    row("isInfinity", APFLOAT, &[], BOOL, B::IsInfinite),
    row("isPosInfinity", APFLOAT, &[], BOOL, B::IsPosInfinity),
    row("isNegInfinity", APFLOAT, &[], BOOL, B::IsNegInfinity),
    row("isPosZero", APFLOAT, &[], BOOL, B::IsPosZero),
    row("isNegZero", APFLOAT, &[], BOOL, B::IsNegZero),
    row("isFinite", APFLOAT, &[], BOOL, B::IsFinite),
    row("isLargest", APFLOAT, &[], BOOL, B::IsLargest),
    row("isExactlyValue", APFLOAT, &[Of(Ty::DOUBLE)], BOOL, B::IsExactly),
    row("convertToDouble", APFLOAT, &[], gives(Item::Double), B::ToDouble),
    row("convertToFloat", APFLOAT, &[], FLOAT, B::ToDouble),
    row("isInteger", APFLOAT, &[], BOOL, B::FloatIsInteger),
    row("getSemantics", APFLOAT, &[], gives_ty(TypeClass::Float), B::FloatSemantics),
    row("isDenormal", APFLOAT, &[], BOOL, B::FloatIsDenormal),
    row("compare", APFLOAT, &[Of(Ty::AP_FLOAT)], gives(Item::Int(IntTy::I32)), B::FloatCompare),
    row("bitwiseIsEqual", APFLOAT, &[Of(Ty::AP_FLOAT)], BOOL, B::FloatSameBits),
    // `library.h` defines methods of `APFloat` by these functions.
    opt(2, row("drrvmFloatResult", Free, FLOAT_OPERATION, gives(Item::ApFloat), B::FloatResult)),
    opt(2, row("drrvmFloatStatus", Free, FLOAT_OPERATION, I32, B::FloatStatus)),
    row("drrvmFloatScaled", Free, &[AN_AP_FLOAT, AN_INT, AN_INT], gives(Item::ApFloat), B::FloatResult),
    row("drrvmFloatOfInt", Free, FLOAT_OF_INT, gives(Item::ApFloat), B::FloatOfApInt),
    row("drrvmFloatOfIntStatus", Free, FLOAT_OF_INT, I32, B::FloatOfApIntStatus),
    row("drrvmText", Free, &[AN_AP_FLOAT, AN_INT, AN_INT, A_BOOL], STR, B::FloatText),
    row("drrvmText", Free, &[Of(Ty::DOUBLE), A_BOOL], STR, B::DoubleText),
    row("ilogb", Free, &[Of(Ty::AP_FLOAT)], I32, B::FloatExponent),
    row("minnum", Free, &[Of(Ty::AP_FLOAT), Of(Ty::AP_FLOAT)], gives(Item::ApFloat), B::FloatMinnum),
    row("maxnum", Free, &[Of(Ty::AP_FLOAT), Of(Ty::AP_FLOAT)], gives(Item::ApFloat), B::FloatMaxnum),
    row("minimum", Free, &[Of(Ty::AP_FLOAT), Of(Ty::AP_FLOAT)], gives(Item::ApFloat), B::FloatMinimum),
    row("maximum", Free, &[Of(Ty::AP_FLOAT), Of(Ty::AP_FLOAT)], gives(Item::ApFloat), B::FloatMaximum),
    row("bitcastToAPInt", APFLOAT, &[], gives(Item::ApInt), B::FloatBits),
    row("abs", Free, &[Of(Ty::AP_FLOAT)], gives(Item::ApFloat), B::Abs),
    row("APFloat", Free, &[Of(Ty::DOUBLE)], gives(Item::ApFloat), B::MakeApFloat),
    row("APFloat", Free, &[A_FLOAT_TYPE, A_STR], gives(Item::ApFloat), B::FloatOfText),
    row("APFloat", Free, &[A_FLOAT_TYPE, AN_AP_INT], gives(Item::ApFloat), B::FloatOfBits),
    row("APFloat", Free, &[A_FLOAT_TYPE, Of(Ty::U64)], gives(Item::ApFloat), B::FloatOfInt),
    row("APFloat", Free, &[A_FLOAT_TYPE], gives(Item::ApFloat), B::FloatZero),
    opt(1, row("APFloat::getZero", Free, &[A_FLOAT_TYPE, A_BOOL], gives(Item::ApFloat), B::FloatZero)),
    opt(1, row("APFloat::getInf", Free, &[A_FLOAT_TYPE, A_BOOL], gives(Item::ApFloat), B::FloatInf)),
    opt(1, row("APFloat::getNaN", Free, &[A_FLOAT_TYPE, A_BOOL], gives(Item::ApFloat), B::FloatNan)),
    opt(1, row("APFloat::getQNaN", Free, &[A_FLOAT_TYPE, A_BOOL], gives(Item::ApFloat), B::FloatNan)),
    opt(1, row("APFloat::getLargest", Free, &[A_FLOAT_TYPE, A_BOOL], gives(Item::ApFloat), B::FloatLargest)),
    opt(
        1,
        row("APFloat::getSmallest", Free, &[A_FLOAT_TYPE, A_BOOL], gives(Item::ApFloat), B::FloatSmallest),
    ),
    opt(
        1,
        row(
            "APFloat::getSmallestNormalized",
            Free,
            &[A_FLOAT_TYPE, A_BOOL],
            gives(Item::ApFloat),
            B::FloatSmallestNormalized,
        ),
    ),
    row("APFloat::IEEEhalf", Free, &[], float(FloatFormat::F16), B::F16),
    row("APFloat::BFloat", Free, &[], float(FloatFormat::BF16), B::BF16),
    row("APFloat::IEEEsingle", Free, &[], float(FloatFormat::F32), B::F32),
    row("APFloat::IEEEdouble", Free, &[], float(FloatFormat::F64), B::F64),
    row("APFloat::semanticsHasInf", Free, &[A_FLOAT_TYPE], BOOL, B::FloatHasInfinity),
    row("APFloat::semanticsHasNaN", Free, &[A_FLOAT_TYPE], BOOL, B::FloatHasNan),
    row("APFloat::semanticsPrecision", Free, &[A_FLOAT_TYPE], U32, B::FloatPrecision),
    row("APFloat::semanticsSizeInBits", Free, &[A_FLOAT_TYPE], U32, B::BitWidth),
    row("APFloat::semanticsMaxExponent", Free, &[A_FLOAT_TYPE], I32, B::FloatMaxExponent),
    row("APFloat::semanticsMinExponent", Free, &[A_FLOAT_TYPE], I32, B::FloatMinExponent),
    // The type itself represents the semantics of a float type.
    row("getFloatSemantics", ty(TypeClass::Float), &[], Returns::Same, B::ToRange),
    // Numbers.
    row("abs", Free, &[Arg::Number], Returns::Promoted, B::Abs),
    row("fabs", Free, &[Of(Ty::DOUBLE)], gives(Item::Double), B::Abs),
    row("sqrt", Free, &[Of(Ty::DOUBLE)], gives(Item::Double), B::Sqrt),
    row("max", Free, &[Arg::Number, Arg::Number], Returns::Common, B::Max),
    row("min", Free, &[Arg::Number, Arg::Number], Returns::Common, B::Min),
    row("has_single_bit", Free, &[Of(Ty::U64)], BOOL, B::IsPowerOf2Of),
    row("isPowerOf2_32", Free, &[Of(Ty::U32)], BOOL, B::IsPowerOf2Of),
    row("isPowerOf2_64", Free, &[Of(Ty::U64)], BOOL, B::IsPowerOf2Of),
    row("Log2_32", Free, &[Of(Ty::U32)], U32, B::Log2Of),
    row("Log2_64", Free, &[Of(Ty::U64)], U32, B::Log2Of),
    row("floor", Free, &[Of(Ty::DOUBLE)], gives(Item::Double), B::Floor),
    row("ceil", Free, &[Of(Ty::DOUBLE)], gives(Item::Double), B::Ceil),
    row("round", Free, &[Of(Ty::DOUBLE)], gives(Item::Double), B::Round),
    row("trunc", Free, &[Of(Ty::DOUBLE)], gives(Item::Double), B::Trunc),
    row("exp", Free, &[Of(Ty::DOUBLE)], gives(Item::Double), B::Exp),
    row("log", Free, &[Of(Ty::DOUBLE)], gives(Item::Double), B::Log),
    row("log2", Free, &[Of(Ty::DOUBLE)], gives(Item::Double), B::LogBase2),
    row("pow", Free, &[Of(Ty::DOUBLE), Of(Ty::DOUBLE)], gives(Item::Double), B::Power),
    row("fmod", Free, &[Of(Ty::DOUBLE), Of(Ty::DOUBLE)], gives(Item::Double), B::Remainder),
    row("std::fabs", Free, &[Arg::ExactFloat], FLOAT, B::Abs),
    row("std::sqrt", Free, &[Arg::ExactFloat], FLOAT, B::Sqrt),
    row("std::floor", Free, &[Arg::ExactFloat], FLOAT, B::Floor),
    row("std::ceil", Free, &[Arg::ExactFloat], FLOAT, B::Ceil),
    row("std::round", Free, &[Arg::ExactFloat], FLOAT, B::Round),
    row("std::trunc", Free, &[Arg::ExactFloat], FLOAT, B::Trunc),
    row("std::exp", Free, &[Arg::ExactFloat], FLOAT, B::ExpOfSingle),
    row("std::log", Free, &[Arg::ExactFloat], FLOAT, B::LogOfSingle),
    row("std::log2", Free, &[Arg::ExactFloat], FLOAT, B::LogBase2OfSingle),
    row("std::pow", Free, &[Arg::ExactFloat, Arg::ExactFloat], FLOAT, B::PowerOfSingle),
    row("std::fmod", Free, &[Arg::ExactFloat, Arg::ExactFloat], FLOAT, B::Remainder),
    row("std::ldexp", Free, &[Arg::ExactFloat, AN_INT], FLOAT, B::ScaledByPower),
    row("lround", Free, &[Of(Ty::DOUBLE)], I64, B::RoundedInt),
    row("llround", Free, &[Of(Ty::DOUBLE)], I64, B::RoundedInt),
    row("isnan", Free, &[Of(Ty::DOUBLE)], BOOL, B::IsNanOf),
    row("isinf", Free, &[Of(Ty::DOUBLE)], BOOL, B::IsInfOf),
    row("isfinite", Free, &[Of(Ty::DOUBLE)], BOOL, B::IsFiniteOf),
    row("ldexp", Free, &[Of(Ty::DOUBLE), AN_INT], gives(Item::Double), B::ScaledByPower),
    row("gcd", Free, &[Arg::Number, Arg::Number], Returns::Common, B::Gcd),
    row("lcm", Free, &[Arg::Number, Arg::Number], Returns::Common, B::Lcm),
    // In `divideCeil`, `alignTo`, `divideCeilSigned`, `divideFloorSigned` and `mod`, C++ first converts the arguments
    // to a common type, which is unsigned in the first two functions and signed in the others. The result has this
    // type, except that the result of `divideCeil` or `alignTo` has the type `int` if the arguments have at most 16
    // bits.
    row("divideCeil", Free, TWO_INTS_OF_16, I32, B::DivCeil),
    row("divideCeil", Free, TWO_INTS_OF_32, U32, B::DivCeil),
    row("divideCeil", Free, &[Of(Ty::U64), Of(Ty::U64)], U64, B::DivCeil),
    row("divideCeilSigned", Free, TWO_INTS_OF_32, I32, B::DivCeil),
    row("divideCeilSigned", Free, &[AN_INT, AN_INT], I64, B::DivCeil),
    row("divideFloorSigned", Free, TWO_INTS_OF_32, I32, B::DivFloor),
    row("divideFloorSigned", Free, &[AN_INT, AN_INT], I64, B::DivFloor),
    row("ceilDiv", Free, &[AN_INT, AN_INT], I64, B::DivCeil),
    row("floorDiv", Free, &[AN_INT, AN_INT], I64, B::DivFloor),
    row("mod", Free, TWO_INTS_OF_32, I32, B::FloorMod),
    row("mod", Free, &[AN_INT, AN_INT], I64, B::FloorMod),
    row("alignTo", Free, TWO_INTS_OF_16, I32, B::AlignTo),
    row("alignTo", Free, TWO_INTS_OF_32, U32, B::AlignTo),
    row("alignTo", Free, &[Of(Ty::U64), Of(Ty::U64)], U64, B::AlignTo),
    row("PowerOf2Ceil", Free, &[Of(Ty::U64)], U64, B::PowerOf2Ceil),
    row("NextPowerOf2", Free, &[Of(Ty::U64)], U64, B::NextPowerOf2),
    row("popcount", Free, &[Of(Ty::U64)], gives(Item::Int(IntTy::I32)), B::Popcount),
    row("numeric_limits::quiet_NaN", Free, &[], gives(Item::Double), B::QuietNan),
    row("numeric_limits::infinity", Free, &[], gives(Item::Double), B::Infinity),
    row("numeric_limits::max", Free, &[], Returns::Template, B::NumericMax),
    row("numeric_limits::min", Free, &[], Returns::Template, B::NumericMin),
    row("numeric_limits::lowest", Free, &[], Returns::Template, B::NumericLowest),
    row("numeric_limits::epsilon", Free, &[], Returns::Template, B::NumericEpsilon),
    // Strings.
    row("str", STRING, &[], STR, B::ToStr),
    row("size", STRING, &[], U64, B::Size),
    row("length", STRING, &[], U64, B::Size),
    row("empty", STRING, &[], BOOL, B::IsEmpty),
    row("strref", STRING, &[], STR, B::ToStr),
    // The name of a `NamedAttribute` is a string in snippets, so `getName().getValue()` calls this row.
    row("getValue", STRING, &[], STR, B::ToStr),
    row("data", STRING, &[], STR, B::ToStr),
    row("c_str", STRING, &[], STR, B::ToStr),
    row("starts_with", STRING, &[A_STR], BOOL, B::StartsWith),
    row("ends_with", STRING, &[A_STR], BOOL, B::EndsWith),
    row("contains", STRING, &[A_STR], BOOL, B::StrContains),
    row("compare", STRING, &[A_STR], gives(Item::Int(IntTy::I32)), B::StrCmp),
    opt(1, row("substr", STRING, &[AN_INT, AN_INT], STR, B::Substr)),
    row("lower", STRING, &[], STR, B::Lower),
    row("upper", STRING, &[], STR, B::Upper),
    opt(1, row("trim", STRING, &[A_STR], STR, B::Trim)),
    opt(1, row("ltrim", STRING, &[A_STR], STR, B::StrTrimFront)),
    opt(1, row("rtrim", STRING, &[A_STR], STR, B::StrTrimBack)),
    row("find_first_of", STRING, &[A_STR], U64, B::StrFindFirstOf),
    row("find_first_not_of", STRING, &[A_STR], U64, B::StrFindFirstNotOf),
    row("find_last_of", STRING, &[A_STR], U64, B::StrFindLastOf),
    row("find_last_not_of", STRING, &[A_STR], U64, B::StrFindLastNotOf),
    row("count", STRING, &[A_STR], U64, B::StrCount),
    row("find", STRING, &[Arg::Any], U64, B::StrFind),
    row("rfind", STRING, &[Arg::Any], U64, B::StrRfind),
    row("to_string", Free, &[Arg::AnyInt], STR, B::IntText),
    row("to_string", Free, &[Of(Ty::DOUBLE)], STR, B::DoubleText),
    row("utostr", Free, &[Of(Ty::U64)], STR, B::IntText),
    row("itostr", Free, &[AN_INT], STR, B::IntText),
    row("join", Free, &[STRINGS, A_STR], STR, B::StrJoin),
    row("strcmp", Free, &[A_STR, A_STR], gives(Item::Int(IntTy::I32)), B::StrCmp),
    row("StringRef", Free, &[A_STR], STR, B::ToStr),
    row("string", Free, &[A_STR], STR, B::ToStr),
    row("Twine", Free, &[A_STR], STR, B::ToStr),
    row("Twine", Free, &[Arg::AnyInt], STR, B::IntText),
    // Characters. In C, `isalpha` and the functions like it return an integer that is not 0 if the character is in the
    // class. Here, they return a Boolean.
    row("isAlpha", Free, &[A_CHAR], BOOL, B::IsAlpha),
    row("isDigit", Free, &[A_CHAR], BOOL, B::IsDigit),
    row("isAlnum", Free, &[A_CHAR], BOOL, B::IsAlnum),
    row("isUpper", Free, &[A_CHAR], BOOL, B::IsUpper),
    row("isLower", Free, &[A_CHAR], BOOL, B::IsLower),
    row("isSpace", Free, &[A_CHAR], BOOL, B::IsSpace),
    row("isHexDigit", Free, &[A_CHAR], BOOL, B::IsHexDigit),
    row("isPunct", Free, &[A_CHAR], BOOL, B::IsPunct),
    row("isPrint", Free, &[A_CHAR], BOOL, B::IsPrint),
    row("toLower", Free, &[A_CHAR], GIVES_CHAR, B::ToLower),
    row("toUpper", Free, &[A_CHAR], GIVES_CHAR, B::ToUpper),
    row("isalpha", Free, &[AN_INT], BOOL, B::IsAlpha),
    row("isdigit", Free, &[AN_INT], BOOL, B::IsDigit),
    row("isalnum", Free, &[AN_INT], BOOL, B::IsAlnum),
    row("isupper", Free, &[AN_INT], BOOL, B::IsUpper),
    row("islower", Free, &[AN_INT], BOOL, B::IsLower),
    row("isspace", Free, &[AN_INT], BOOL, B::IsSpace),
    row("isxdigit", Free, &[AN_INT], BOOL, B::IsHexDigit),
    row("ispunct", Free, &[AN_INT], BOOL, B::IsPunct),
    row("isprint", Free, &[AN_INT], BOOL, B::IsPrint),
    row("tolower", Free, &[AN_INT], gives(Item::Int(IntTy::I32)), B::ToLower),
    row("toupper", Free, &[AN_INT], gives(Item::Int(IntTy::I32)), B::ToUpper),
    // Ranges.
    row("size", Receiver::Range, &[], U64, B::Size),
    row("empty", Receiver::Range, &[], BOOL, B::IsEmpty),
    row("front", Receiver::Range, &[], Element, B::Front),
    row("back", Receiver::Range, &[], Element, B::Back),
    opt(1, row("drop_front", Receiver::Range, &[AN_INT], Returns::Same, B::DropFront)),
    opt(1, row("drop_back", Receiver::Range, &[AN_INT], Returns::Same, B::DropBack)),
    opt(1, row("take_front", Receiver::Range, &[AN_INT], Returns::Same, B::TakeFront)),
    opt(1, row("take_back", Receiver::Range, &[AN_INT], Returns::Same, B::TakeBack)),
    opt(1, row("slice", Receiver::Range, &[AN_INT, AN_INT], Returns::Same, B::Slice)),
    row("begin", Receiver::Range, &[], Returns::Iterator, B::Begin),
    row("end", Receiver::Range, &[], Returns::Iterator, B::End),
    row("vec", Receiver::Range, &[], Returns::Same, B::ToRange),
    row("getValue", Receiver::Range, &[], Returns::Same, B::ToRange),
    row("asArrayRef", Receiver::Range, &[], Returns::Same, B::ToRange),
    row("getAsValueRange", attr(AttrClass::Array), &[], Returns::TemplateRange, B::ElementsAsRange),
    row("getAsRange", attr(AttrClass::Array), &[], Returns::TemplateRange, B::ElementsAsRange),
    row("begin", Free, &[RANGE], Returns::Iterator, B::Begin),
    row("end", Free, &[RANGE], Returns::Iterator, B::End),
    row("distance", Free, &[Arg::Any, Arg::Any], I64, B::Distance),
    opt(1, row("next", Free, &[Arg::Any, AN_INT], Returns::Same, B::Next)),
    row("size", Free, &[RANGE], I64, B::Size),
    row("std::size", Free, &[RANGE], U64, B::Size),
    row("range_size", Free, &[RANGE], U64, B::Size),
    row("to_vector", Free, &[RANGE], Returns::Same, B::ToRange),
    row("ArrayRef", Free, &[RANGE], Returns::Same, B::ToRange),
    row("reverse", Free, &[RANGE], Returns::Same, B::Reversed),
    row("all_of", Free, &[RANGE, Arg::Lambda], BOOL, B::AllOf),
    row("any_of", Free, &[RANGE, Arg::Lambda], BOOL, B::AnyOf),
    row("none_of", Free, &[RANGE, Arg::Lambda], BOOL, B::NoneOf),
    row("count_if", Free, &[RANGE, Arg::Lambda], I64, B::CountIf),
    row("map_range", Free, &[RANGE, Arg::Lambda], Returns::LambdaRange, B::MapRange),
    row("map_to_vector", Free, &[RANGE, Arg::Lambda], Returns::LambdaRange, B::MapRange),
    row("all_equal", Free, &[RANGE], BOOL, B::AllEqual),
    row("is_sorted", Free, &[RANGE], BOOL, B::IsSorted),
    row("is_contained", Free, &[RANGE, Arg::Any], BOOL, B::IsContained),
    row("hasSingleElement", Free, &[RANGE], BOOL, B::HasSingleElement),
    row("adjacent_find", Free, &[Arg::Any, Arg::Any], Returns::Same, B::AdjacentFind),
    opt(
        1,
        row(
            "OpTrait::util::getBroadcastedType",
            Free,
            &[A_TYPE, A_TYPE, A_TYPE],
            GIVES_TYPE,
            B::BroadcastType,
        ),
    ),
    row("verifyCompatibleShape", Free, &[A_TYPE, A_TYPE], gives(Item::Logical), B::CompatibleShapes),
    row("verifyCompatibleShape", Free, &[INTS, INTS], gives(Item::Logical), B::CompatibleShapes),
    row("getElementTypeOrSelf", Free, &[Arg::Any], GIVES_TYPE, B::ElementTypeOrSelf),
    // Results and optionals.
    row("success", Free, &[], gives(Item::Logical), B::Success),
    row("success", Free, &[A_BOOL], gives(Item::Logical), B::SuccessIf),
    row("failure", Free, &[], gives(Item::Logical), B::Failure),
    row("failure", Free, &[A_BOOL], gives(Item::Logical), B::FailureIf),
    row("succeeded", Free, &[Arg::Any], BOOL, B::Succeeded),
    row("failed", Free, &[Arg::Any], BOOL, B::Failed),
    row("succeeded", Receiver::One(Item::Logical), &[], BOOL, B::Succeeded),
    row("failed", Receiver::One(Item::Logical), &[], BOOL, B::Failed),
    row("has_value", Receiver::Optional, &[], BOOL, B::HasValue),
    row("value", Receiver::Optional, &[], Returns::Item, B::ValueOf),
    row("value_or", Receiver::Optional, &[Arg::Any], Returns::Item, B::ValueOr),
    // Matchers.
    row("matchPattern", Free, &[Arg::Any, Of(Ty::one(Item::Matcher))], BOOL, B::MatchPattern),
    row("m_Constant", Free, &[], MATCHER, B::MatchConstant),
    row("m_Zero", Free, &[], MATCHER, B::MatchZero),
    row("m_One", Free, &[], MATCHER, B::MatchOne),
    row("m_NonZero", Free, &[], MATCHER, B::MatchNonZero),
    row("m_AnyZeroFloat", Free, &[], MATCHER, B::MatchZeroFloat),
    row("m_PosZeroFloat", Free, &[], MATCHER, B::MatchPosZeroFloat),
    row("m_NegZeroFloat", Free, &[], MATCHER, B::MatchNegZeroFloat),
    row("m_OneFloat", Free, &[], MATCHER, B::MatchOneFloat),
    row("m_NaNFloat", Free, &[], MATCHER, B::MatchNan),
    row("m_PosInfFloat", Free, &[], MATCHER, B::MatchPosInfinity),
    row("m_NegInfFloat", Free, &[], MATCHER, B::MatchNegInfinity),
];

const INT8: Item = Item::Int(IntTy::I8);
const INT16: Item = Item::Int(IntTy::new(16, true));
const ATTR_ITERATOR: Returns = Returns::Ty(Ty { item: Item::Attr(AttrClass::Any), form: Form::Iterator });
const UNKNOWN_ITERATOR: Returns = Returns::Ty(Ty { item: Item::Unknown, form: Form::Iterator });

/// The built-in that a method of `APInt` with this number of arguments calls.
#[cfg(feature = "prove")]
pub(crate) fn apint_method(name: &str, args: usize) -> Option<Builtin> {
    let fits = |row: &&Row| {
        row.receiver == Receiver::One(Item::ApInt)
            && args <= row.args.len()
            && args + row.optional >= row.args.len()
    };
    rows(name).find(fits).map(|row| row.op)
}

/// The rows with a name, in the order of the table.
pub(crate) fn rows(name: &str) -> impl Iterator<Item = &'static Row> + use<> {
    static BY_NAME: std::sync::LazyLock<hashbrown::HashMap<&str, Vec<&Row>>> =
        std::sync::LazyLock::new(|| {
            let mut by_name = hashbrown::HashMap::<_, Vec<_>>::new();
            for row in ROWS {
                by_name.entry(row.name).or_default().push(row);
            }
            by_name
        });
    BY_NAME.get(name).map_or(&[][..], Vec::as_slice).iter().copied()
}
