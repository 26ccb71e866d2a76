//! The built-in operations that snippets call, and the group of each.
//!
//! A built-in's position in the table is its number in the file format, so new built-ins go to the end.

macro_rules! builtins {
    ($($group:ident { $($name:ident)* })*) => {
        /// A built-in operation. The first argument of a method is the receiver.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "named after the calls; the library lists them")]
        pub(crate) enum Builtin { $($($name,)*)* }

        impl Builtin {
            /// All built-ins, in the order of their numbers.
            pub(crate) const ALL: &'static [Builtin] = &[$($(Builtin::$name,)*)*];

            /// The group that evaluates the built-in.
            pub(crate) fn group(self) -> Group {
                match self { $($(Builtin::$name)|* => Group::$group,)* }
            }
        }
    };
}

impl Builtin {
    /// The operator with which an algorithm compares the elements of a range; `None` for other built-ins.
    pub(crate) fn comparison(self) -> Option<&'static str> {
        use Builtin as B;
        match self {
            B::IsSorted | B::MaxElement | B::MinElement | B::Sorted => Some("<"),
            B::AllEqual
            | B::IsContained
            | B::AdjacentFind
            | B::Find
            | B::Count
            | B::Unique
            | B::EqualRanges
            | B::Distinct => Some("=="),
            _ => None,
        }
    }

    /// True for built-ins that change the IR.
    pub(crate) fn changes_ir(self) -> bool {
        use Builtin as B;
        matches!(
            self,
            B::ReplaceOp
                | B::EraseOp
                | B::SetAttr
                | B::SetAttrs
                | B::RemoveAttr
                | B::SetDiscardableAttr
                | B::SetInherentAttr
                | B::SetDiscardableAttrs
                | B::RemoveDiscardableAttr
                | B::TakeRegion
                | B::MoveRegion
                | B::CopyRegion
                | B::CopyOp
                | B::CreateBlock
                | B::MoveBlock
                | B::EraseBlock
                | B::AddArg
                | B::EraseArg
                | B::SetSuccessor
                | B::SetOperand
                | B::MoveOp
                | B::SplitBlock
                | B::MergeBlock
                | B::ReplaceUses
        )
    }

    /// True for the matchers of constants, such as `m_Zero`.
    pub(crate) fn is_constant_matcher(self) -> bool {
        use Builtin as B;
        matches!(
            self,
            B::MatchConstant
                | B::MatchZero
                | B::MatchOne
                | B::MatchNonZero
                | B::MatchZeroFloat
                | B::MatchPosZeroFloat
                | B::MatchNegZeroFloat
                | B::MatchOneFloat
                | B::MatchNan
                | B::MatchPosInfinity
                | B::MatchNegInfinity
        )
    }
}

/// A part of the evaluator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Values, operations, matchers of constants, the context.
    Ir,
    /// Blocks, regions and insertion points.
    Blocks,
    /// Properties of types, broadcasting, and the construction of floats of a given format.
    Types,
    /// Constructors of types.
    MakeTypes,
    /// Properties of attributes.
    Attrs,
    /// Constructors of attributes.
    MakeAttrs,
    /// Properties of affine maps.
    Affine,
    /// Constructors of affine maps.
    MakeAffine,
    /// Basic functions on numbers, and basic methods of `APInt` and `APFloat`.
    Numbers,
    /// Functions on ranges, strings, optionals and `LogicalResult`.
    Ranges,
    /// Range algorithms that call a lambda.
    Lambdas,
    /// Conversions between the values of an enumeration and their texts.
    Enums,
    /// Further arithmetic of `APInt`, `APFloat` and `<cmath>`, and functions on characters.
    Arithmetic,
    /// Further algorithms on ranges, some of which call a lambda.
    Algorithms,
    /// Functions that search, split, parse, change and create strings.
    Strings,
}

builtins! {
    Ir {
        TypeOf HasOneUse UseEmpty Uses Users DefiningOp Owner ResultNumber LocationOf OpResult
        OpResultAt OpResults OpOperandAt OpOperands OpNumOperands OpNumResults OpName OpAttr OpHasAttr
        DialectNamespace OpOperandTypes
    }
    Types {
        IsInteger IsSignlessInteger IsSignedInteger IsUnsignedInteger IsIndex IsF16 IsF32 IsF64 IsBF16
        IsF80 IsF128 IsTF32 IsIntOrIndex IsIntOrFloat IsIntOrIndexOrFloat IsSignlessIntOrIndex
        IsSignlessIntOrFloat IsSignlessIntOrIndexOrFloat BitWidth IsSigned IsSignless IsUnsigned
        ElementType ElementTypeOrSelf Rank HasRank HasStaticShape Shape NumElements DimSize IsDynamicDim
        NumDynamicDims ElementBitWidth CloneType ScalableDims IsScalable AllDimsScalable FunctionInputs
        FunctionResults NumInputs NumResults TypeParts TypeExtra HasValueSemantics QuantStorageType
        QuantStorageWidth QuantIsSigned QuantExpressedType IsDynamicSize
    }
    MakeTypes {
        IntegerType SignedIntegerType I1 I8 I16 I32 I64 Index F16 BF16 F32 F64 NoneType ComplexType
        FunctionType TupleType RankedTensorType UnrankedTensorType VectorType TypeByClass
    }
    Attrs {
        AttrInt AttrSInt AttrUInt AttrApInt AttrBool AttrFloat AttrDouble AttrString AttrHeldType
        AttrElements AttrEnum AttrLen AttrIsEmpty IsSplat SplatValue ElementsNumber ElementsAsRange
        ElementsOf Reshape DictGet DictHas
    }
    MakeAttrs {
        IntegerAttr BoolAttr FloatAttr StringAttr ArrayAttr TypeAttr UnitAttr ZeroAttr OneAttr
        SymbolRefAttr I1Attr I8Attr I16Attr I32Attr I64Attr SI8Attr SI16Attr SI32Attr SI64Attr UI8Attr
        UI16Attr UI32Attr UI64Attr IndexAttr F16Attr F32Attr F64Attr DenseElements DenseBools DenseI8
        DenseI16 DenseI32 DenseI64 DenseF32 DenseF64 BoolArray I32Array I64Array IndexArray StrArray
        TypeArray F32Array F64Array I32Vector I64Vector I32Tensor I64Tensor EnumAttr
    }
    Numbers {
        IsZero IsOne IsAllOnes IsNegative IsNonNegative IsStrictlyPositive IsPowerOf2 IsMinSigned
        IsMaxSigned SExtValue ZExtValue LimitedValue ZextOrTrunc SextOrTrunc ApEq ApNe ApUlt ApUle ApUgt
        ApUge ApSlt ApSle ApSgt ApSge Log2 ApAbs IsNan IsInfinite IsPosInfinity IsNegInfinity IsPosZero
        IsNegZero IsFinite IsExactly ToDouble IsLargest Abs Sqrt Max Min Log2Of IsPowerOf2Of MakeApInt
        MakeApFloat QuietNan Infinity NumericMax NumericMin NumericLowest
    }
    Ranges {
        ToStr StartsWith EndsWith StrContains StrCmp Size IsEmpty Front Back DropFront DropBack
        TakeFront TakeBack Slice At Begin End Distance Next ToRange
    }
    Lambdas {
        AllOf AnyOf NoneOf
    }
    Ranges {
        AllEqual IsSorted IsContained
    }
    Lambdas {
        MapRange CountIf
    }
    Ir {
        RangeTypes
    }
    Ranges {
        HasSingleElement AdjacentFind Reversed
    }
    Enums {
        EnumText EnumOfText EnumOfNumber
    }
    Ranges {
        Success SuccessIf Failure FailureIf Succeeded Failed HasValue ValueOf ValueOr
    }
    Ir {
        MatchPattern MatchConstant MatchZero MatchOne MatchZeroFloat MatchPosZeroFloat MatchNegZeroFloat
        MatchOneFloat MatchNonZero MatchNan Context UnknownLoc
    }
    Affine {
        MapItself MapDims MapSymbols MapInputs MapResults MapZeros MapIsEmpty MapIsIdentity
        MapIsSymbolIdentity MapIsMinorIdentity MapIsMinorIdentityWithBroadcasting MapIsSingleConstant
        MapIsConstant MapConstant MapConstants MapIsPermutation MapIsProjectedPermutation MapDimPosition
        MapUsesDim MapUsesSymbol MapMajor MapMinor
    }
    MakeAffine {
        MapOfDims MapOfLastDims MapOfTargets MapOfPermutation MapOfConstant MapOfNothing MapOfDim
        MapOfSymbol MapOfShift
    }
    Ir {
        ConstantOf ConstantInt ConstantFloat ReplaceOp EraseOp
    }
    Arithmetic {
        ApShl ApLshr ApAshr ApUdiv ApSdiv ApUrem ApSrem ApLeadingZeros ApTrailingZeros ApLeadingOnes
        ApTrailingOnes ApPopcount ApActiveBits ApSignificantBits ApBit ApWithBit ApWithoutBit ApIsIntN
        ApIsSignedIntN ApIsMask ApIsSubsetOf ApIntersects ApAllOnes ApZero ApOneBit ApMaxSigned ApMinSigned
        ApLowBits ApHighBits ApSmin ApSmax ApUmin ApUmax ApSaddOverflows ApUaddOverflows ApSsubOverflows
        ApUsubOverflows ApSmulOverflows ApUmulOverflows ApSdivOverflows
        FloatIsInteger FloatBits FloatOfSingle Floor Ceil Round Trunc Exp Log LogBase2 Power Remainder IsNanOf
        IsInfOf Gcd Lcm DivCeil DivFloor FloorMod AlignTo PowerOf2Ceil NextPowerOf2 Popcount TrailingZeros
        LeadingZeros
    }
    Algorithms {
        WithElement IterRange Find Count MaxElement MinElement Sum Product Sorted Unique Sequence EqualRanges
        Repeated Concat Zip Enumerate FindIf Filter FilterOut SortedBy Fold
    }
    Strings {
        Chars IntText Substr StrFind StrRfind Lower Upper Trim ParseInt StrSplit StrRsplit
    }
    Types {
        BroadcastType FloatTo FloatZero FloatInf FloatNan FloatLargest FloatOfText
    }
    Arithmetic {
        FloatRound
    }
    Ir {
        UseIndex UseValue OpAttributes SetAttr SetAttrs RemoveAttr ParentOp
    }
    Types {
        FloatOfInt FloatOfBits Signedness IsStaticSize IsDynamicShape IsStaticShape
    }
    MakeTypes {
        IntegerTypeWith MemRefType
    }
    Arithmetic {
        ApExtract ApConcat ApRotl ApRotr ApReverse ApSwapBytes
    }
    Algorithms {
        FlatIndex
    }
    Types {
        FloatPrecision BroadcastShape CompatibleShapes FloatSemantics QuantScale QuantZeroPoint QuantMin QuantMax
        QuantDimension QuantScales QuantZeroPoints
    }
    Arithmetic {
        ApKeepLow ApKeepHigh FloatOfApInt FloatToInt FloatToIntStatus IsAlpha IsDigit IsAlnum IsUpper IsLower IsSpace
        IsHexDigit IsPunct IsPrint ToLower ToUpper
    }
    Attrs {
        DictEntries
    }
    MakeAttrs {
        DictionaryAttr
    }
    Strings {
        CharText StrJoin
    }
    Ir {
        CreateFolded
    }
    Algorithms {
        SetBits Distinct
    }
    Arithmetic {
        IsFiniteOf FractionOf ExponentOf ScaledByPower
    }
    MakeAttrs {
        BoolVector
    }
    Blocks {
        InsertionPoint SetInsertionPoint SetInsertionPointAfter InsertionBlock IsBeforeInBlock NextOp PreviousOp
        BlockOf ArgBlock BlockParent RegionOf OpRegions RegionParent RegionBlocks FirstBlock NextBlock IsEntryBlock
        BlockOps BodyOps FirstOp LastOp BlockArgs ArgNumber Successors Predecessors OnlyPredecessor
        TakeRegion MoveRegion CopyRegion CreateBlock MoveBlock EraseBlock AddArg EraseArg SetSuccessor
        SetOperand MoveOp SplitBlock MergeBlock ReplaceUses CopyOp
    }
    Numbers {
        NumericEpsilon
    }
    Arithmetic {
        ExpOfSingle LogOfSingle LogBase2OfSingle PowerOfSingle RoundedInt FloatConversionStatus
        FloatCompare FloatSameBits FloatIsDenormal FloatMinnum FloatMaxnum FloatMinimum FloatMaximum
    }
    Types {
        FloatSmallest FloatSmallestNormalized
    }
    Strings {
        StrSplitAll StrFindFirstOf StrFindFirstNotOf StrFindLastOf StrFindLastNotOf StrTrimFront StrTrimBack StrCount
    }
    Ir {
        MatchPosInfinity MatchNegInfinity
    }
    Attrs {
        SymbolNames
    }
    Algorithms {
        DistinctKeys
    }
    MakeAttrs {
        IndexVector F32Vector F64Vector IndexTensor
    }
    Algorithms {
        PartitionPoint
    }
    Ir {
        DiscardableAttributes SetDiscardableAttr SetInherentAttr SetDiscardableAttrs RemoveDiscardableAttr
    }
    Attrs {
        Bitcast
    }
    Ir {
        Global SetGlobal
    }
    Types {
        FloatMaxExponent FloatMinExponent
    }
    Strings {
        IrText
    }
    Arithmetic {
        FloatResult FloatStatus FloatExponent FloatConversionLoses FloatOfApIntStatus
    }
    Types {
        FloatHasInfinity FloatHasNan
    }
    Strings {
        FloatText DoubleText
    }
    Algorithms {
        LexicographicLess
    }
}
