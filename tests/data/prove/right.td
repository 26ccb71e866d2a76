// Rules over arith that are right, with all kinds of operations, flags and constraints.

include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"

defvar NoFlags = ConstantEnumCase<Arith_IntegerOverflowAttr, "none">;
class Compare<string predicate> : ConstantEnumCase<Arith_CmpIPredicateAttr, predicate>;

def IsZero : Constraint<CPred<"::mlir::matchPattern($0, ::mlir::m_Zero())">>;
def IsAllOnes : Constraint<CPred<"::llvm::cast<::mlir::IntegerAttr>($0).getValue().isAllOnes()">>;
def IsPowerOf2 : Constraint<CPred<"::llvm::cast<::mlir::IntegerAttr>($0).getValue().isPowerOf2()">>;
def ZeroLike : NativeCodeCall<"$_builder.getZeroAttr($0.getType())">;
def MergeOverflow : NativeCodeCall<"mergeOverflowFlags($0, $1)">;

// x - (0 - y) => x + y
def SubOfNegation
    : Pat<(Arith_SubIOp $x, (Arith_SubIOp $zero, $y, $_), $_), (Arith_AddIOp $x, $y, NoFlags), [(IsZero $zero)]>;

// x ^ -1 ^ -1 => x
def NotOfNot
    : Pat<(Arith_XOrIOp (Arith_XOrIOp $x, (ConstantLikeMatcher APIntAttr:$a)), (ConstantLikeMatcher APIntAttr:$b)),
          (replaceWithValue $x), [(IsAllOnes $a), (IsAllOnes $b)]>;

// x /u 2^n => x >>u n, and x %u 2^n => x & (2^n - 1)
def DivOfPower
    : Pat<(Arith_DivUIOp $x, (ConstantLikeMatcher APIntAttr:$c), $exact),
          (Arith_ShRUIOp $x,
              (Arith_ConstantOp (NativeCodeCall<"$_builder.getIntegerAttr($0.getType(), ::llvm::cast<::mlir::IntegerAttr>($1).getValue().logBase2())"> $x, $c)),
              $exact),
          [(IsPowerOf2 $c)]>;

// x * 2^n => x << n, without flags
def MulOfPower
    : Pat<(Arith_MulIOp $x, (ConstantLikeMatcher APIntAttr:$c), $_),
          (Arith_ShLIOp $x,
              (Arith_ConstantOp (NativeCodeCall<"$_builder.getIntegerAttr($0.getType(), ::llvm::cast<::mlir::IntegerAttr>($1).getValue().logBase2())"> $x, $c)),
              NoFlags),
          [(IsPowerOf2 $c)]>;

// x - x /s y * y => x %s y, if the division does not overflow
def RemOfDiv
    : Pat<(Arith_SubIOp $x, (Arith_MulIOp (Arith_DivSIOp $x, $y, $_), $y, $_), $_), (Arith_RemSIOp $x, $y)>;

// min(x, y) as a choice
def MinAsSelect
    : Pat<(SelectOp (Arith_CmpIOp Compare<"slt">, $x, $y), $x, $y), (Arith_MinSIOp $x, $y)>;
def MaxAsSelect
    : Pat<(SelectOp (Arith_CmpIOp Compare<"ugt">, $x, $y), $x, $y), (Arith_MaxUIOp $x, $y)>;

// The widths of casts differ.
def ExtOfExt : Pat<(Arith_ExtSIOp (Arith_ExtUIOp $x)), (Arith_ExtUIOp $x)>;
def TruncOfTrunc
    : Pat<(Arith_TruncIOp (Arith_TruncIOp $x, $f), $g), (Arith_TruncIOp $x, (MergeOverflow $f, $g))>;

// (x ^ y) + (x & y) => x | y
def AddOfParts
    : Pat<(Arith_AddIOp (Arith_XOrIOp $x, $y), (Arith_AndIOp $x, $y), $_), (Arith_OrIOp $x, $y)>;

// The carry of an addition is a comparison.
def CarryIsComparison
    : Pattern<(Arith_AddUIExtendedOp $x, $y),
              [(Arith_AddIOp:$sum $x, $y, NoFlags), (Arith_CmpIOp Compare<"ult">, $sum, $x)]>;
