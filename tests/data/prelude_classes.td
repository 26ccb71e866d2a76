// Uses each class of the core headers at least once, because some properties of a class show only in its uses.

include "mlir/IR/BuiltinDialect.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/PatternBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def P_Dialect : Dialect {
  let name = "p";
  let cppNamespace = "::p";
}

//===-- Predicates and types -----------------------------------------------===//

class Holder<Pred p> {
  Pred pred = p;
}
def HNeg : Holder<Neg<CPred<"$_self">>>;
def HSubst : Holder<SubstLeaves<"$_self", "x($_self)", Or<[CPred<"$_self">, TruePred, False]>>>;
def HRank : Holder<HasAnyRankOfPred<[1, 3]>>;
def HRankGe : Holder<HasRankGreaterOrEqualPred<2>>;
def HNth : Holder<IsNthDimSizeIsOneOfPred<2, [4, 8]>>;
def HNthBack : Holder<IsNthDimSizeIsOneOfPred<-2, [4]>>;
def HShape : Holder<IsVectorOfShape<[2, 3]>>;
def HMinLength : Holder<IsVectorOfMinLengthPred<4>>;

class Camel<string s> {
  string upper = firstCharToUpper<s>.ret;
  string camel = snakeCaseToCamelCase<s>.ret;
}
foreach s = ["", "a", "ab_cd", "_ab", "ab_", "a__b", "true_value_0"] in
  def : Camel<s>;
def CamelA : Camel<"ab_cd">;
def CamelB : Camel<"_ab">;
def CamelC : Camel<"ab_">;
def CamelD : Camel<"a__b_c1">;
def CamelE : Camel<"">;

def TAlias : TypeAlias<I32>;
def TAliasNamed : TypeAlias<Index, "size">;
def TDialect : DialectType<P_Dialect, CPred<"isP($_self)">, "p", "::p::P">;
def TVariadic : Variadic<I32>;
def TVariadicOf : VariadicOfVariadic<I32, "sizes">;
def TOptional : Optional<F32>;
def TSame : Type<CPred<"same($_self)">, "same">, SameBuildabilityAs<I32, "same($_builder)">;
def TSameNot : Type<CPred<"same($_self)">, "same">, SameBuildabilityAs<AnyType, "same($_builder)">;
def TAny : AnyTypeOf<[I32, F32], "", "::p::T">;
def TAll : AllOfType<[AnyInteger, I32]>;
def TConfined : ConfinedType<AnyTensor, [HasStaticShapePred, HasRankPred], "confined">;
def TI7 : I<7>;
def TAnyI7 : AnyI<7>;
def TSI7 : SI<7>;
def TUI7 : UI<7>;
def TAnyWidths : AnyIntOfWidths<[8, 16]>;
def TWidths : SignlessIntOfWidths<[8, 16]>;
def TSWidths : SignedIntOfWidths<[8, 16]>;
def TUWidths : UnsignedIntOfWidths<[8, 16]>;
def TFWidths : FloatOfWidths<[16, 32]>;
def TComplex : Complex<F32>;
def TComplexAny : Complex<AnyFloat>;
def TOpaque : OpaqueType<"p", "thing", "thing">;
def TContainer : ContainerType<I32, IsTensorTypePred, "elementOf($_self)", "thing", "::p::T">;
def TShaped : ShapedContainerType<[I32, F32], IsTensorTypePred, "thing", "::p::T">;
def TNested : ShapedContainerType<[TensorOf<[I32]>, VectorOfAnyRankOf<[F32]>], IsShapedTypePred, "nest">;
def TValue : ValueSemanticsContainerOf<[I32]>;
def VNonZero : VectorOfNonZeroRankOf<[I32]>;
def VFixedNonZero : FixedVectorOfNonZeroRankOf<[I32]>;
def VAny : VectorOfAnyRankOf<[I32]>;
def VFixed : FixedVectorOfAnyRank<[I32]>;
def VScalable : ScalableVectorOfAnyRank<[I32]>;
def VTrailing : VectorWithTrailingDimScalableOf<[I32]>;
def VRank : VectorOfRank<[1, 2]>;
def VFixedRank : FixedVectorOfRank<[1, 2]>;
def VScalableRank : ScalableVectorOfRank<[1, 2]>;
def VRankType : VectorOfRankAndType<[1, 2], [I32]>;
def VFixedRankType : FixedVectorOfRankAndType<[1, 2], [I32]>;
def VLength : VectorOfLength<[4, 8]>;
def VMinLength : VectorOfMinLength<4>;
def VMaxLength : VectorOfMaxLength<4>;
def VFixedLength : FixedVectorOfLength<[4, 8]>;
def VScalableLength : ScalableVectorOfLength<[4, 8]>;
def VLengthType : VectorOfLengthAndType<[4, 8], [I32, F32]>;
def VMinMax : VectorOfMinMaxLengthAndType<2, 4, [I32]>;
def VShapeType : FixedVectorOfShapeAndType<[2, 3], F32>;
def VFixedLengthType : FixedVectorOfLengthAndType<[4], [I32]>;
def VScalableLengthType : ScalableVectorOfLengthAndType<[4], [I32]>;
def VScalableRankLengthType : ScalableVectorOfRankAndLengthAndType<[1], [4], [I32]>;
def VNth : ShapedTypeWithNthDimOfSize<1, [4]>;
def VTrailingSize : VectorWithTrailingDimScalableOfSizeAndType<[4], [I32]>;
def KUnranked : UnrankedTensorOf<[I32], [HasStaticShapePred]>;
def KRanked : RankedTensorOf<[I32], [HasStaticShapePred]>;
def KTensor : TensorOf<[I32, F32], [HasRankPred]>;
def KNon0 : Non0RankedTensorOf<[I32]>;
def KRank : TensorRankOf<[I32], [1, 2]>;
def K0 : 0DTensorOf<[I32]>;
def K1 : 1DTensorOf<[I32]>;
def K2 : 2DTensorOf<[I32]>;
def K3 : 3DTensorOf<[I32]>;
def K4 : 4DTensorOf<[I32]>;
def KStatic : StaticShapeTensorOf<[I32]>;
def MUnranked : UnrankedMemRefOf<[I32]>;
def MRanked : MemRefOf<[I32]>;
def MNon0 : Non0RankedMemRefOf<[I32]>;
def MEither : RankedOrUnrankedMemRefOf<[I32], [HasRankPred]>;
def MRank : MemRefRankOf<[I32], [1, 2]>;
def MStatic : StaticShapeMemRefOf<[I32]>;
def MStrided : StridedMemRefOf<[I32]>;
def MStridedRank : StridedMemRefRankOf<[I32], [1, 2]>;
def MStridedAny : AnyStridedMemRefOfRank<2>;
def TMixed : MixedContainerType<I32, IsTupleTypePred, "typesOf($_self)", "mix">;
def TTuple : TupleOf<[I32, F32]>;
def TNestedTuple : NestedTupleOf<[I32]>;
def TTensorOrMemRef : TensorOrMemRef<[I32]>;
def TLike : TypeOrValueSemanticsContainer<I32, "like">;

//===-- Attributes ---------------------------------------------------------===//

def ADefault : DefaultValuedAttr<I32Attr, "4">;
def ADefaultOptional : DefaultValuedOptionalAttr<I32Attr, "4">;
def ADefaultStr : DefaultValuedStrAttr<StrAttr, "s">;
def ADefaultOptionalStr : DefaultValuedOptionalStrAttr<StrAttr, "s">;
def AOptional : OptionalAttr<I32Attr>;
def AAny : AnyAttrOf<[I32Attr, F32Attr], "", "::p::A", "p($_self)">;
def ATypedStr : TypedStrAttr<I32>;
def ATypeOf : TypeAttrOf<FunctionType>;
def AInts : IntElementsAttrOf<16>;
def ASignlessInts : SignlessIntElementsAttr<16>;
def ARankedInts : RankedSignlessIntElementsAttr<16, [2, 3]>;
def ARankedI32s : RankedI32ElementsAttr<[2, 3]>;
def ARankedI64s : RankedI64ElementsAttr<[2, 3]>;
def AFloats : FloatElementsAttr<32>;
def ARankedFloats : RankedFloatElementsAttr<32, [2, 3]>;
def ARankedF32s : RankedF32ElementsAttr<[2]>;
def ARankedF64s : RankedF64ElementsAttr<[2]>;
def AArray : TypedArrayAttrBase<TypeAttrOf<I32>, "types">;
def ADerived : DerivedAttr<"int", "return 1;", "conv($_self)">;
def ADerivedType : DerivedTypeAttr<"return t;">;
def AConst : ConstantAttr<I32Attr, "4">;
def AConstF32 : ConstF32Attr<"1.5">;
def AConstStr : ConstantStrAttr<StrAttr, "s">;
def AConfined : ConfinedAttr<I32Attr, [IntNEQValue<3>, IntMinValue<1>, IntMaxValue<9>]>;
def AConfinedDefault : ConfinedAttr<DefaultValuedAttr<I32Attr, "2">, [IntNonNegative]>;
def AConfinedOptional : ConfinedAttr<OptionalAttr<I32Attr>, [IntPositive]>;
def AAll : AllAttrOf<[IntPositive, IntPowerOf2, IntNEQValue<4>]>;
def AAlign : IntValidAlignment<I64Attr>;
def AOneOf : IntIsOneOf<[1, 2, 4]>;
def AMax : ArrayMaxCount<3>;
def AMin : ArrayMinCount<3>;
def ACount : ArrayCount<3>;
def ADenseCount : DenseArrayCount<3>;
def ADenseMax : DenseArrayMaxCt<3>;
def ADenseMin : DenseArrayMinCt<3>;
def ADensePos : DenseArrayStrictlyPositive<DenseI64ArrayAttr>;
def ADenseNonNeg : DenseArrayNonNegative<DenseI64ArrayAttr>;
def ADenseSorted : DenseArraySorted<DenseI64ArrayAttr>;
def ADenseStrictlySorted : DenseArrayStrictlySorted<DenseI64ArrayAttr>;
def ANthEq : IntArrayNthElemEq<1, 4>;
def ANthMin : IntArrayNthElemMinValue<1, 4>;
def ANthMax : IntArrayNthElemMaxValue<1, 4>;
def ANthRange : IntArrayNthElemInRange<1, 2, 4>;

def P_Attr : AttrDef<P_Dialect, "Thing"> {
  let mnemonic = "thing";
  let parameters = (ins "int":$a, OptionalParameter<"int">:$b,
                        DefaultValuedParameter<"int", "3">:$c, StringRefParameter<"s", "d">:$d,
                        APIntParameter<"e">:$e, APFloatParameter<"f">:$f,
                        ArrayRefParameter<"int">:$g, OptionalArrayRefParameter<"int">:$h,
                        SelfAllocationParameter<"S", "i">:$i,
                        ArrayRefOfSelfAllocationParameter<"S", "j">:$j,
                        AttributeSelfTypeParameter<"">:$k,
                        AttributeSelfTypeParameter<"", "::p::T">:$l,
                        AttributeSelfTypeParameter<"", "::p::T", "make()">:$m,
                        TypeParameter<"T", "n">:$n, AttrParameter<"T", "o", "U">:$o);
  let builders = [AttrBuilder<(ins "int":$a), "b", "r">,
                  AttrBuilderWithInferredContext<(ins "int":$a)>];
}
def P_Type : TypeDef<P_Dialect, "Thing", [MutableType, NativeTypeTrait<"A">,
                                          ParamNativeTypeTrait<"B", "int">,
                                          GenInternalTypeTrait<"C">,
                                          PredTypeTrait<"d", CPred<"d">>]> {
  let mnemonic = "thing";
}
def P_TypeWith : TypeDef<P_Dialect, "With"> {
  let mnemonic = "with";
  let parameters = (ins "int":$a);
  let builders = [TypeBuilder<(ins "int":$a)>, TypeBuilderWithInferredContext<(ins "int":$a)>];
}
def P_Array : ArrayOfAttr<P_Dialect, "Things", "things", "Thing", [NativeAttrTrait<"A">]>;

//===-- Enumerations -------------------------------------------------------===//

let cppNamespace = "::p" in {
def E32 : I32EnumAttr<"E32", "", [I32EnumAttrCase<"A", 0>, I32EnumAttrCase<"B", 7, "bee">]>;
def E64 : I64EnumAttr<"E64", "e", [I64EnumAttrCase<"A", 0>]>;
def E32Info : I32Enum<"E32Info", "", [I32EnumCase<"A", 0>, I32EnumCase<"B", 1, "b">]>;
def E64Info : I64Enum<"E64Info", "e", [I64EnumCase<"A", 0>]>;
def EBits : I32BitEnum<"EBits", "e", [I32BitEnumCaseNone<"None">, I32BitEnumCaseBit<"A", 0, "a">,
                                      I32BitEnumCaseBit<"B", 3, "b">, I32BitEnumCase<"C", 9>]>;
def EBits8 : I8BitEnum<"EBits8", "e", [I8BitEnumCaseNone<"None">, I8BitEnumCaseBit<"A", 7>, I8BitEnumCase<"C", 9>]>;
def EBits16 : I16BitEnum<"EBits16", "e", [I16BitEnumCaseNone<"None">, I16BitEnumCaseBit<"A", 7>, I16BitEnumCase<"C", 9>]>;
def EBits64 : I64BitEnum<"EBits64", "e", [I64BitEnumCaseNone<"None">, I64BitEnumCaseBit<"A", 40>, I64BitEnumCase<"C", 9>]>;
defvar a8 = I8BitEnumAttrCaseBit<"A", 1>;
def EBA8 : I8BitEnumAttr<"EBA8", "e", [I8BitEnumAttrCaseNone<"N">, a8, I8BitEnumAttrCase<"C", 9>, I8BitEnumAttrCaseGroup<"G", [a8]>]>;
defvar a16 = I16BitEnumAttrCaseBit<"A", 1>;
def EBA16 : I16BitEnumAttr<"EBA16", "e", [I16BitEnumAttrCaseNone<"N">, a16, I16BitEnumAttrCase<"C", 9>, I16BitEnumAttrCaseGroup<"G", [a16]>]>;
defvar a32 = I32BitEnumAttrCaseBit<"A", 1>;
def EBA32 : I32BitEnumAttr<"EBA32", "e", [I32BitEnumAttrCaseNone<"N">, a32, I32BitEnumAttrCase<"C", 9>, I32BitEnumAttrCaseGroup<"G", [a32], "gg">]>;
defvar a64 = I64BitEnumAttrCaseBit<"A", 1>;
def EBA64 : I64BitEnumAttr<"EBA64", "e", [I64BitEnumAttrCaseNone<"N">, a64, I64BitEnumAttrCase<"C", 9>, I64BitEnumAttrCaseGroup<"G", [a64]>]>;
def EPlain : I32EnumAttr<"EPlain", "e", [I32EnumAttrCase<"A", 0>]> {
  let genSpecializedAttr = 0;
}
}
def EGroup : BitEnumCaseGroup<"G", [I32BitEnumCaseBit<"A", 0>, I32BitEnumCaseBit<"B", 3>]>;
def EAttr : EnumAttr<P_Dialect, E32Info, "einfo">;
def EAttrBits : EnumAttr<P_Dialect, EBits, "ebits">;
def EDefault : DefaultValuedEnumAttr<E32, I32EnumAttrCase<"B", 7, "bee">>;
def EProp : EnumProp<E32Info>;
def EPropBits : EnumProp<EBits>;
def EPropForm : EnumPropWithAttrForm<E32Info, EAttr>;
def EPropNamed : NamedEnumProp<E32Info, "einfo">;
def EPropNamedForm : NamedEnumPropWithAttrForm<E32Info, "einfo", EAttr>;
def ECase : ConstantEnumCase<E32, "bee">;
def ECaseAttr : ConstantEnumCase<EAttr, "b">;
def ECaseBits : ConstantEnumCase<EAttrBits, "a|b">;

//===-- Properties ---------------------------------------------------------===//

def PPlain : Property<"int", "plain", "long">;
def PInt : IntProp<"int8_t", "small">;
def PDefault : DefaultValuedProp<I32Prop, "3", "4">;
def PConfined : ConfinedProp<I32Prop, CPred<"$_self > 0">, "positive">;
def PConfinedTwice : ConfinedProp<PConfined, CPred<"$_self < 9">>;
def PConst : ConstantProp<I32Prop, "3">;
def PArray : ArrayProp<I32Prop>;
def PArrayConfined : ArrayProp<PConfined>;
def PArrayString : ArrayProp<ConfinedProp<StringProp, CPred<"$_self.size() > 1">>, "names">;
def PIntArray : IntArrayProp<I64Prop>;
def POptional : OptionalProp<I32Prop>;
def POptionalString : OptionalProp<StringProp>;
def POptionalConfined : OptionalProp<PConfined, 0>;
def PLong : DefaultValuedProperty<I32Property, "3">;
def PLongArray : ArrayProperty<I32Property>;
def PLongOptional : OptionalProperty<I64Property>;
def PLongConfined : ConfinedProperty<I64Property, CPred<"$_self">>;
def PLongIntArray : IntArrayProperty<I64Property>;
def PLongInt : IntProperty<"int8_t">;

//===-- Ops ----------------------------------------------------------------===//

let cppNamespace = "::p" in {
def P_OpI : OpInterface<"OpI">;
def P_TypeI : TypeInterface<"TypeI">;
def P_AttrI : AttrInterface<"AttrI">;
def P_DialectI : DialectInterface<"DialectI">;
}
def P_TypeIBare : TypeInterface<"TypeIBare">;
def P_AttrIBare : AttrInterface<"AttrIBare">;
def PromisedT : PromisedTypeInterface<P_TypeI>;
def PromisedA : PromisedAttrInterface<P_AttrI>;
def PromisedTBare : PromisedTypeInterface<P_TypeIBare>;

def P_Everything : Op<P_Dialect, "everything", [
    NativeOpTrait<"A", [Pure]>, ParamNativeOpTrait<"B", "int", [Pure]>,
    GenInternalOpTrait<"C", [Pure]>, PredOpTrait<"d", CPred<"d">, [Pure]>,
    SingleBlockImplicitTerminator<"YieldOp">, HasParent<"X">, ParentOneOf<["X", "Y"]>,
    DeclareOpInterfaceMethods<P_OpI, ["m"]>, DeclareTypeInterfaceMethods<P_TypeI>,
    DeclareAttrInterfaceMethods<P_AttrI>,
    AllMatch<["$a", "$b", "$c"], "same">, AllMatch<["$a"], "same">,
    AllTypesMatch<["a", "b", "c"]>, AllTypeIDsMatch<["a", "b"]>, AllRanksMatch<["a", "b"]>,
    AllShapesMatch<["a", "b"]>, AllElementCountsMatch<["a", "b"]>,
    AllElementTypesMatch<["a", "b"]>,
    AnyMatchOperatorTrait<["a", "b"], "$_self.x()", "x">, AnyMatchOperatorTrait<[], "$_self.x()", "x">,
    ShapedTypeMatchesElementCountAndTypes<"a", "rest">,
    TypesMatchWith<"t", "a", "b", "f($_self)">, TypesMatchWith<"t", "a", "b", "f($_self)", "cmp">,
    OptionalTypesMatchWith<"t", "a_b", "b", "f($_self)">, RangedTypesMatchWith<"t", "a", "b", "f($_self)">,
    InputMatchesTypes<["a", "b"], [I32, F32]>,
    InputAddressIsCombinationOf<["a", "b"], [[I32, F32], [F32, I32]]>,
    TypeIs<"a", I32>, ElementTypeIs<"a", I32>,
    MemoryEffects<[MemRead, MemWrite<DefaultResource, 1, FullEffect>, MemAllocAt<2>, MemFreeAt<3>,
                   MemReadAt<4, FullEffect>, MemWriteAt<5>, MemAlloc, MemFree]>,
    InferTypeOpAdaptor, InferTypeOpAdaptorWithIsCompatible, InferShapedTypeOpAdaptor,
    InferShapedTypeOpAdaptorWithReify, InferTensorType, InferTensorTypeWithReify,
    InferTensorTypeAdaptor, InferTensorTypeAdaptorWithReify]> {
  let arguments = (ins Arg<AnyType, "a", [MemRead]>:$a, AnyType:$b, AnyType:$c,
                       Variadic<AnyType>:$rest, PDefault:$p);
  let results = (outs Res<AnyType, "r", [MemAlloc]>:$r);
  let regions = (region SizedRegion<2>:$r0, MinSizedRegion<2>:$r1, MaxSizedRegion<2>:$r2,
                        VariadicRegion<AnyRegion>:$r3);
  let successors = (successor AnySuccessor:$s, VariadicSuccessor<AnySuccessor>:$ss);
  let builders = [OpBuilder<(ins CArg<"int", "1">:$a), "b">,
                  DeprecatedOpBuilder<"old", (ins "int":$b)>];
}
def PosTypeIs : Holder<TypeIsPred<"a", I32>>;
def PosElement : Holder<TCopVTEtIs<1, I32>>;
def PosSameElement : Holder<TCopVTEtIsSameAs<0, 2>>;
def PosShaped : Holder<TCOpResIsShapedTypePred<0, 1>>;
def PosSame : Holder<TCresIsSameAsOpBase<0, 1>>;
def PosSameElementBase : Holder<TCresVTEtIsSameAsOpBase<0, 1>>;
def PosSameElementAs : Holder<TCresVTEtIsSameAsOp<0, 1>>;
def PosBroadcast : Holder<TCOpIsBroadcastableToRes<0, 1>>;

//===-- Rules --------------------------------------------------------------===//

def P_Void : NativeCodeCallVoid<"f($0)">;
def P_Call : NativeCodeCall<"g($0)", 2>;
def P_Rule : Pat<(P_Everything $a, $b, $c, (variadic), $p), (replaceWithValue $a),
                 [(HasNoUseOf:$b)], [], (addBenefit 3)>;
