// Definitions for the rules of one_line_rules.txt: a dialect in the style of tensor dialects.
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
def HLO : Dialect { let name = "hlo"; let cppNamespace = "::mlir::hlo"; }
class HOp<string m, list<Trait> traits = []> : Op<HLO, m, traits>;
def HLO_Tensor : RankedTensorOf<[AnyFloat, AnySignlessInteger]>;
def CmpDir_EQ : I32EnumAttrCase<"EQ", 0>;
def CmpDir_NE : I32EnumAttrCase<"NE", 1>;
def CmpDir : I32EnumAttr<"ComparisonDirection", "dir", [CmpDir_EQ, CmpDir_NE]> { let genSpecializedAttr = 0; let cppNamespace = "::mlir::hlo"; }
def CmpDirAttr : EnumAttr<HLO, CmpDir, "comparison_direction"> { let assemblyFormat = "`<` $value `>`"; }
def AddOp : HOp<"add", [Pure, Commutative, SameOperandsAndResultType]> { let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs); let results = (outs HLO_Tensor:$result); }
def MulOp : HOp<"multiply", [Pure, Commutative, SameOperandsAndResultType]> { let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs); let results = (outs HLO_Tensor:$result); }
def NegOp : HOp<"negate", [Pure, SameOperandsAndResultType]> { let arguments = (ins HLO_Tensor:$operand); let results = (outs HLO_Tensor:$result); }
def CompareOp : HOp<"compare", [Pure, SameTypeOperands]> { let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs, CmpDirAttr:$comparison_direction, OptionalAttr<StrAttr>:$compare_type); let results = (outs AnyTensor:$result); }
def ConstOp : HOp<"constant", [ConstantLike, Pure, AllTypesMatch<["value", "output"]>]> { let arguments = (ins ElementsAttr:$value); let results = (outs AnyTensor:$output); }
def BroadcastOp : HOp<"broadcast_in_dim", [Pure]> { let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions); let results = (outs HLO_Tensor:$result); }
def ConcatOp : HOp<"concatenate", [Pure]> { let arguments = (ins Variadic<HLO_Tensor>:$val, I64Attr:$dimension); let results = (outs HLO_Tensor:$result); }
def SliceOp : HOp<"slice", [Pure]> { let arguments = (ins HLO_Tensor:$operand, DefaultValuedAttr<I64Attr, "1">:$stride, DefaultValuedOptionalAttr<BoolAttr, "false">:$flag, UnitAttr:$u); let results = (outs HLO_Tensor:$result); }
def SplitOp : HOp<"split", [Pure]> { let arguments = (ins HLO_Tensor:$operand); let results = (outs HLO_Tensor:$a, HLO_Tensor:$b); }
def SortOp : HOp<"sort", [AttrSizedOperandSegments]> { let arguments = (ins Variadic<HLO_Tensor>:$keys, Optional<HLO_Tensor>:$init, Variadic<HLO_Tensor>:$values); let results = (outs Variadic<HLO_Tensor>:$results); }
def StoreOp : HOp<"store"> { let arguments = (ins HLO_Tensor:$v, AnyMemRef:$m); }
def HasRankedFirst : Constraint<CPred<"llvm::isa<RankedTensorType>($0.getType())">>;
def EmptyStrAttr : NativeCodeCall<"StringAttr()">;
def CastToI64 : NativeCodeCall<"$_builder.getI64IntegerAttr($0.getInt())">;
def AreBroadcastable : Constraint<CPred<"llvm::cast<ShapedType>($0.getType()).getRank() == llvm::cast<ShapedType>($1.getType()).getRank()">>;
def HasOneUse : Constraint<CPred<"$0.hasOneUse()">>;
def Void : NativeCodeCallVoid<"emit($_builder, $_loc, $0)">;
def Two : NativeCodeCall<"two($0)", 2>;
def PairOp : HOp<"pair"> { let arguments = (ins HLO_Tensor:$a, HLO_Tensor:$b); let results = (outs HLO_Tensor:$x, HLO_Tensor:$y); }
def OptOp : HOp<"opt"> { let arguments = (ins Optional<HLO_Tensor>:$a, OptionalAttr<I64Attr>:$n); let results = (outs Optional<HLO_Tensor>:$x); }
def VRes : HOp<"vres"> { let arguments = (ins Variadic<HLO_Tensor>:$a); let results = (outs Variadic<HLO_Tensor>:$x); }
def PropOp : HOp<"prop"> { let arguments = (ins HLO_Tensor:$a, I64Prop:$n, DefaultValuedProp<I32Prop, "3">:$m); let results = (outs HLO_Tensor:$x); }
def NoRes : HOp<"nores"> { let arguments = (ins HLO_Tensor:$a); }
def RegOp : HOp<"reg"> { let arguments = (ins HLO_Tensor:$a); let regions = (region AnyRegion:$r); let results = (outs HLO_Tensor:$x); }
def IsSelf : Constraint<CPred<"$_self.getType().isF32()">>;
def TwoArgs : Constraint<CPred<"$0 == $1">>;
