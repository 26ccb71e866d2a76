// Arithmetic on integers, index and floats, for scalars and elementwise for vectors and tensors.

#ifndef DRRVM_DIALECT_ARITH_IR_ARITHOPS
#define DRRVM_DIALECT_ARITH_IR_ARITHOPS

include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Dialect/Arith/IR/ArithOpsInterfaces.td"
include "mlir/Interfaces/CastInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/VectorInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/EnumAttr.td"

//===-- Kinds of op --------------------------------------------------------===//

defvar _Ranges = DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>;
defvar _FastMath = DeclareOpInterfaceMethods<ArithFastMathInterface>;
defvar _Overflow = DeclareOpInterfaceMethods<ArithIntegerOverflowFlagsInterface>;
defvar _Rounding = DeclareOpInterfaceMethods<ArithRoundingModeInterface>;
defvar _Cast = DeclareOpInterfaceMethods<CastOpInterface>;
defvar _AsmNames = DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;

defvar _FastMathFlags
    = DefaultValuedAttr<Arith_FastMathAttr, "::mlir::arith::FastMathFlags::none">;
defvar _OverflowFlags
    = DefaultValuedAttr<Arith_IntegerOverflowAttr, "::mlir::arith::IntegerOverflowFlags::none">;

class Arith_Op<string mnemonic, list<Trait> traits = []>
    : Op<Arith_Dialect, mnemonic,
         !listconcat(traits,
                     [DeclareOpInterfaceMethods<VectorUnrollOpInterface>, NoMemoryEffect],
                     ElementwiseMappable.traits)>;

// Operands and results have the same type.
class Arith_ArithOp<string mnemonic, list<Trait> traits = []>
    : Arith_Op<mnemonic, !listconcat(traits, [SameOperandsAndResultType])>;

class Arith_UnaryOp<string mnemonic, list<Trait> traits = []>
    : Arith_ArithOp<mnemonic, !listconcat(traits, [Pure])> {
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

class Arith_BinaryOp<string mnemonic, list<Trait> traits = []> : Arith_ArithOp<mnemonic, traits> {
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

// Integer operations: without flags, without undefined behaviour, with overflow flags, with an exact flag.
class Arith_IntBinaryOp<string mnemonic, list<Trait> traits = []>
    : Arith_BinaryOp<mnemonic, !listconcat(traits, [_Ranges])>,
      Arguments<(ins SignlessIntegerOrIndexLike:$lhs, SignlessIntegerOrIndexLike:$rhs)>,
      Results<(outs SignlessIntegerOrIndexLike:$result)>;

class Arith_TotalIntBinaryOp<string mnemonic, list<Trait> traits = []>
    : Arith_IntBinaryOp<mnemonic, !listconcat(traits, [Pure])>;

class Arith_IntBinaryOpWithOverflowFlags<string mnemonic, list<Trait> traits = []>
    : Arith_BinaryOp<mnemonic, !listconcat(traits, [Pure, _Ranges, _Overflow])>,
      Arguments<(ins SignlessIntegerOrIndexLike:$lhs, SignlessIntegerOrIndexLike:$rhs,
                     _OverflowFlags:$overflowFlags)>,
      Results<(outs SignlessIntegerOrIndexLike:$result)> {
  let assemblyFormat
      = "$lhs `,` $rhs (`overflow` `` $overflowFlags^)? attr-dict `:` type($result)";
}

class Arith_IntBinaryOpWithExactFlag<string mnemonic, list<Trait> traits = []>
    : Arith_BinaryOp<mnemonic, !listconcat(traits, [_Ranges])>,
      Arguments<(ins SignlessIntegerOrIndexLike:$lhs, SignlessIntegerOrIndexLike:$rhs,
                     UnitAttr:$isExact)>,
      Results<(outs SignlessIntegerOrIndexLike:$result)> {
  let assemblyFormat = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)";
}

// Float operations.
class Arith_FloatUnaryOp<string mnemonic, list<Trait> traits = []>
    : Arith_UnaryOp<mnemonic, !listconcat([_FastMath], traits)>,
      Arguments<(ins FloatLike:$operand, _FastMathFlags:$fastmath)>,
      Results<(outs FloatLike:$result)> {
  let assemblyFormat = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)";
}

class Arith_FloatBinaryOp<string mnemonic, list<Trait> traits = []>
    : Arith_BinaryOp<mnemonic, !listconcat([Pure, _FastMath], traits)>,
      Arguments<(ins FloatLike:$lhs, FloatLike:$rhs, _FastMathFlags:$fastmath)>,
      Results<(outs FloatLike:$result)> {
  let assemblyFormat = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)";
}

// Casts.
def SameInputOutputTensorDims
    : PredOpTrait<"a tensor keeps its shape",
                  AllMatchSameOperatorPred<
                      ["in", "out"],
                      "(::llvm::isa<::mlir::TensorType>($_self.getType()) ? "
                      "::llvm::cast<::mlir::TensorType>($_self.getType()).getShape() : "
                      "::llvm::ArrayRef<int64_t>{})">>;

class Arith_CastOp<string mnemonic, TypeConstraint From, TypeConstraint To, list<Trait> traits = []>
    : Arith_Op<mnemonic, !listconcat(traits, [Pure, SameOperandsAndResultShape,
                                              SameInputOutputTensorDims, _Cast])>,
      Arguments<(ins From:$in)>, Results<(outs To:$out)> {
  let assemblyFormat = "$in attr-dict `:` type($in) `to` type($out)";
}

def SignlessFixedWidthIntegerLike
    : TypeConstraint<Or<[AnySignlessInteger.predicate,
                         VectorOfAnyRankOf<[AnySignlessInteger]>.predicate,
                         TensorOf<[AnySignlessInteger]>.predicate]>,
                     "like a signless integer of known width">;
def IndexCastTypeConstraint
    : TypeConstraint<Or<[SignlessIntegerOrIndexLike.predicate,
                         MemRefOf<[AnySignlessInteger, Index]>.predicate]>,
                     "like a signless integer or index, or a memref of them">;
def BitcastTypeConstraint
    : TypeConstraint<Or<[SignlessIntegerOrFloatLike.predicate,
                         MemRefOf<[AnySignlessInteger, AnyFloat]>.predicate]>,
                     "like a signless integer or a float, or a memref of them">;

class Arith_IToICastOp<string mnemonic, list<Trait> traits = []>
    : Arith_CastOp<mnemonic, SignlessFixedWidthIntegerLike, SignlessFixedWidthIntegerLike,
                   !listconcat(traits, [_Ranges])>;
class Arith_IToFCastOp<string mnemonic, list<Trait> traits = []>
    : Arith_CastOp<mnemonic, SignlessFixedWidthIntegerLike, FloatLike, traits>;
class Arith_FToICastOp<string mnemonic, list<Trait> traits = []>
    : Arith_CastOp<mnemonic, FloatLike, SignlessFixedWidthIntegerLike, traits>;
class Arith_FToFCastOp<string mnemonic, list<Trait> traits = []>
    : Arith_CastOp<mnemonic, FloatLike, FloatLike, traits>;

// Comparisons. The result is i1 in the shape of the operands.
class Arith_CompareOp<string mnemonic, list<Trait> traits = []>
    : Arith_Op<mnemonic,
               !listconcat(traits,
                           [Pure, SameTypeOperands,
                            TypesMatchWith<"the result is i1 in the shape of the operands", "lhs",
                                           "result", "::getI1SameShape($_self)">])> {
  let results = (outs BoolLike:$result);
  let assemblyFormat = "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs)";
}

//===-- Constants ----------------------------------------------------------===//

def Arith_ConstantOp
    : Op<Arith_Dialect, "constant",
         [ConstantLike, Pure, _AsmNames, AllTypesMatch<["value", "result"]>, _Ranges]> {
  let summary = "a constant";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===-- Integers -----------------------------------------------------------===//

let hasFolder = 1 in {

let hasCanonicalizer = 1 in {
def Arith_AddIOp : Arith_IntBinaryOpWithOverflowFlags<"addi", [Commutative]> {
  let summary = "sum";
}
def Arith_SubIOp : Arith_IntBinaryOpWithOverflowFlags<"subi"> {
  let summary = "difference";
}
def Arith_MulIOp : Arith_IntBinaryOpWithOverflowFlags<"muli", [Commutative, _AsmNames]> {
  let summary = "product";
}
def Arith_AndIOp : Arith_TotalIntBinaryOp<"andi", [Commutative, Idempotent]> {
  let summary = "bitwise and";
}
def Arith_OrIOp : Arith_TotalIntBinaryOp<"ori", [Commutative, Idempotent]> {
  let summary = "bitwise or";
}
def Arith_XOrIOp : Arith_TotalIntBinaryOp<"xori", [Commutative]> {
  let summary = "bitwise exclusive or";
}

def Arith_AddUIExtendedOp
    : Arith_Op<"addui_extended", [Pure, Commutative, AllTypesMatch<["lhs", "rhs", "sum"]>]> {
  let summary = "sum, and whether it overflowed as unsigned";
  let arguments = (ins SignlessIntegerOrIndexLike:$lhs, SignlessIntegerOrIndexLike:$rhs);
  let results = (outs SignlessIntegerOrIndexLike:$sum, BoolLike:$overflow);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($sum) `,` type($overflow)";
  let builders = [OpBuilder<(ins "Value":$lhs, "Value":$rhs), [{
    build($_builder, $_state, lhs.getType(), ::getI1SameShape(lhs.getType()), lhs, rhs);
  }]>];
}

class _WideProduct<string mnemonic>
    : Arith_Op<mnemonic, [Pure, Commutative, AllTypesMatch<["lhs", "rhs", "low", "high"]>]> {
  let arguments = (ins SignlessIntegerOrIndexLike:$lhs, SignlessIntegerOrIndexLike:$rhs);
  let results = (outs SignlessIntegerOrIndexLike:$low, SignlessIntegerOrIndexLike:$high);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}
def Arith_MulSIExtendedOp : _WideProduct<"mulsi_extended"> {
  let summary = "signed product in two halves";
}
def Arith_MulUIExtendedOp : _WideProduct<"mului_extended"> {
  let summary = "unsigned product in two halves";
}
}

// Divisions that round towards zero, up or down.
def Arith_DivUIOp : Arith_IntBinaryOpWithExactFlag<"divui", [ConditionallySpeculatable]> {
  let summary = "unsigned quotient";
}
def Arith_DivSIOp : Arith_IntBinaryOpWithExactFlag<"divsi", [ConditionallySpeculatable]> {
  let summary = "signed quotient, toward zero";
}
def Arith_CeilDivUIOp : Arith_IntBinaryOp<"ceildivui", [ConditionallySpeculatable]> {
  let summary = "unsigned quotient, rounded up";
}
def Arith_CeilDivSIOp : Arith_IntBinaryOp<"ceildivsi", [ConditionallySpeculatable]> {
  let summary = "signed quotient, rounded up";
}
def Arith_FloorDivSIOp : Arith_TotalIntBinaryOp<"floordivsi"> {
  let summary = "signed quotient, rounded down";
}
def Arith_RemUIOp : Arith_TotalIntBinaryOp<"remui"> {
  let summary = "unsigned remainder";
}
def Arith_RemSIOp : Arith_TotalIntBinaryOp<"remsi"> {
  let summary = "signed remainder, of the sign of the dividend";
}

// Shifts.
def Arith_ShLIOp : Arith_IntBinaryOpWithOverflowFlags<"shli"> {
  let summary = "left shift";
}
def Arith_ShRUIOp : Arith_IntBinaryOpWithExactFlag<"shrui", [Pure]> {
  let summary = "right shift, filled with zeros";
}
def Arith_ShRSIOp : Arith_IntBinaryOpWithExactFlag<"shrsi", [Pure]> {
  let summary = "right shift, filled with the sign";
}

// Minimum and maximum.
def Arith_MaxSIOp : Arith_TotalIntBinaryOp<"maxsi", [Commutative]> {
  let summary = "signed maximum";
}
def Arith_MaxUIOp : Arith_TotalIntBinaryOp<"maxui", [Commutative]> {
  let summary = "unsigned maximum";
}
def Arith_MinSIOp : Arith_TotalIntBinaryOp<"minsi", [Commutative]> {
  let summary = "signed minimum";
}
def Arith_MinUIOp : Arith_TotalIntBinaryOp<"minui", [Commutative]> {
  let summary = "unsigned minimum";
}

//===-- Floats -------------------------------------------------------------===//

def Arith_NegFOp : Arith_FloatUnaryOp<"negf"> {
  let summary = "negation";
}
def Arith_AddFOp : Arith_FloatBinaryOp<"addf", [Commutative]> {
  let summary = "sum";
}
def Arith_SubFOp : Arith_FloatBinaryOp<"subf"> {
  let summary = "difference";
}
def Arith_MulFOp : Arith_FloatBinaryOp<"mulf", [Commutative]> {
  let summary = "product";
  let hasCanonicalizer = 1;
}
def Arith_DivFOp : Arith_FloatBinaryOp<"divf"> {
  let summary = "quotient";
  let hasCanonicalizer = 1;
}
def Arith_RemFOp : Arith_FloatBinaryOp<"remf"> {
  let summary = "remainder, of the sign of the dividend";
}
def Arith_MaximumFOp : Arith_FloatBinaryOp<"maximumf", [Commutative]> {
  let summary = "maximum; NaN if an operand is";
}
def Arith_MinimumFOp : Arith_FloatBinaryOp<"minimumf", [Commutative]> {
  let summary = "minimum; NaN if an operand is";
}
def Arith_MaxNumFOp : Arith_FloatBinaryOp<"maxnumf", [Commutative]> {
  let summary = "maximum; the other operand if one is NaN";
}
def Arith_MinNumFOp : Arith_FloatBinaryOp<"minnumf", [Commutative]> {
  let summary = "minimum; the other operand if one is NaN";
}

//===-- Casts --------------------------------------------------------------===//

def Arith_ExtUIOp : Arith_IToICastOp<"extui"> {
  let summary = "wider integer, filled with zeros";
  let hasVerifier = 1;
}
def Arith_ExtSIOp : Arith_IToICastOp<"extsi"> {
  let summary = "wider integer, filled with the sign";
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}
def Arith_TruncIOp
    : Arith_Op<"trunci", [Pure, SameOperandsAndResultShape, SameInputOutputTensorDims, _Cast,
                          _Ranges, _Overflow]> {
  let summary = "narrower integer";
  let arguments = (ins SignlessFixedWidthIntegerLike:$in, _OverflowFlags:$overflowFlags);
  let results = (outs SignlessFixedWidthIntegerLike:$out);
  let assemblyFormat
      = "$in (`overflow` `` $overflowFlags^)? attr-dict `:` type($in) `to` type($out)";
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}
def Arith_ExtFOp : Arith_FToFCastOp<"extf", [_FastMath]> {
  let summary = "wider float";
  let arguments = (ins FloatLike:$in, OptionalAttr<Arith_FastMathAttr>:$fastmath);
  let results = (outs FloatLike:$out);
  let assemblyFormat
      = "$in (`fastmath` `` $fastmath^)? attr-dict `:` type($in) `to` type($out)";
  let hasVerifier = 1;
}
def Arith_TruncFOp
    : Arith_Op<"truncf", [Pure, SameOperandsAndResultShape, SameInputOutputTensorDims, _Rounding,
                          _FastMath, _Cast]>,
      Arguments<(ins FloatLike:$in, OptionalAttr<Arith_RoundingModeAttr>:$roundingmode,
                     OptionalAttr<Arith_FastMathAttr>:$fastmath)>,
      Results<(outs FloatLike:$out)> {
  let summary = "narrower float";
  let builders = [OpBuilder<(ins "Type":$out, "Value":$in), [{
    $_state.addOperands(in);
    $_state.addTypes(out);
  }]>];
  let assemblyFormat = "$in ($roundingmode^)? (`fastmath` `` $fastmath^)? attr-dict "
                       "`:` type($in) `to` type($out)";
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Arith_UIToFPOp : Arith_IToFCastOp<"uitofp"> {
  let summary = "float nearest to an unsigned integer";
}
def Arith_SIToFPOp : Arith_IToFCastOp<"sitofp"> {
  let summary = "float nearest to a signed integer";
}
def Arith_FPToUIOp : Arith_FToICastOp<"fptoui"> {
  let summary = "unsigned integer, toward zero";
}
def Arith_FPToSIOp : Arith_FToICastOp<"fptosi"> {
  let summary = "signed integer, toward zero";
}

let hasCanonicalizer = 1 in {
def Arith_IndexCastOp
    : Arith_CastOp<"index_cast", IndexCastTypeConstraint, IndexCastTypeConstraint, [_Ranges]> {
  let summary = "index to integer or back, filled with the sign";
}
def Arith_IndexCastUIOp
    : Arith_CastOp<"index_castui", IndexCastTypeConstraint, IndexCastTypeConstraint, [_Ranges]> {
  let summary = "index to integer or back, filled with zeros";
}
def Arith_BitcastOp : Arith_CastOp<"bitcast", BitcastTypeConstraint, BitcastTypeConstraint> {
  let summary = "the same bits in another type";
}

//===-- Comparisons and choice ---------------------------------------------===//

def Arith_CmpIOp : Arith_CompareOp<"cmpi", [_Ranges]> {
  let summary = "comparison of integers";
  let arguments = (ins Arith_CmpIPredicateAttr:$predicate, SignlessIntegerOrIndexLike:$lhs,
                       SignlessIntegerOrIndexLike:$rhs);
}
def Arith_CmpFOp : Arith_CompareOp<"cmpf", [_FastMath]> {
  let summary = "comparison of floats";
  let arguments = (ins Arith_CmpFPredicateAttr:$predicate, FloatLike:$lhs, FloatLike:$rhs,
                       _FastMathFlags:$fastmath);
  let assemblyFormat = "$predicate `,` $lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict "
                       "`:` type($lhs)";
}
}

} // hasFolder

class BooleanConditionOrMatchingShape<string condition, string result>
    : PredOpTrait<condition # " is one i1 or has the shape of the result",
                  Or<[TypeIsPred<condition, I1>,
                      AllShapesMatch<[condition, result]>.predicate]>>;

def SelectOp
    : Arith_Op<"select",
               [Pure, AllTypesMatch<["true_value", "false_value", "result"]>,
                BooleanConditionOrMatchingShape<"condition", "result">,
                DeclareOpInterfaceMethods<InferIntRangeInterface,
                                          ["inferResultRangesFromOptional"]>,
                DeclareOpInterfaceMethods<SelectLikeOpInterface>]> {
  let summary = "one of two values";
  let arguments = (ins BoolLike:$condition, AnyType:$true_value, AnyType:$false_value);
  let results = (outs AnyType:$result);
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCustomAssemblyFormat = 1;
}

// Scaling by exponents. Each exponent scales one value or one block of values.
class _ScalingOp<string mnemonic, list<Trait> traits, dag args>
    : Arith_Op<mnemonic, !listconcat([Pure, SameInputOutputTensorDims], traits, [_FastMath, _Cast])>,
      Arguments<args>, Results<(outs FloatLike:$out)> {
  let hasVerifier = 1;
}
def Arith_ScalingExtFOp
    : _ScalingOp<"scaling_extf", [],
                 (ins FloatLike:$in, FloatLike:$scale,
                      OptionalAttr<Arith_FastMathAttr>:$fastmath)> {
  let summary = "wider float, scaled";
  let assemblyFormat = "$in `,` $scale (`fastmath` `` $fastmath^)? attr-dict "
                       "`:` type($in) `,` type($scale) `to` type($out)";
}
def Arith_ScalingTruncFOp
    : _ScalingOp<"scaling_truncf", [_Rounding],
                 (ins FloatLike:$in, FloatLike:$scale,
                      OptionalAttr<Arith_RoundingModeAttr>:$roundingmode,
                      OptionalAttr<Arith_FastMathAttr>:$fastmath)> {
  let summary = "narrower float, scaled";
  let assemblyFormat = "$in `,` $scale ($roundingmode^)? (`fastmath` `` $fastmath^)? attr-dict "
                       "`:` type($in) `,` type($scale) `to` type($out)";
}

#endif
