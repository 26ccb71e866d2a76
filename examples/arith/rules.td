// Identities and reassociation of constants on the arith dialect.

include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"

//===-- Building blocks ----------------------------------------------------===//

defvar NoOverflowFlags = ConstantEnumCase<Arith_IntegerOverflowAttr, "none">;

class Compare<string predicate> : ConstantEnumCase<Arith_CmpIPredicateAttr, predicate>;

// Conditions on a value.
def IsConstant : Constraint<CPred<"::mlir::matchPattern($0, ::mlir::m_Constant())">>;
def IsVariable : Constraint<CPred<"!::mlir::matchPattern($0, ::mlir::m_Constant())">>;
def IsZero : Constraint<CPred<"::mlir::matchPattern($0, ::mlir::m_Zero())">>;
def IsOne : Constraint<CPred<"::mlir::matchPattern($0, ::mlir::m_One())">>;
def IsOneFloat : Constraint<CPred<"::mlir::matchPattern($0, ::mlir::m_OneFloat())">>;
def HasOneUse : Constraint<CPred<"$0.hasOneUse()">>;
def HaveOneType : Constraint<CPred<"$0.getType() == $1.getType()">>;
def IsBit : Constraint<CPred<"$0.getType().isInteger(1)">>;

// Attributes with the type of a value.
def ZeroLike : NativeCodeCall<"$_builder.getZeroAttr($0.getType())">;
class IntegerLike<int value>
    : NativeCodeCall<"$_builder.getIntegerAttr($0.getType(), " # value # ")">;

// The sum and the product of two constants, with the type of a value.
def AddConstants : NativeCodeCall<"addIntegerAttrs($_builder, $0, $1, $2)">;
def MulConstants : NativeCodeCall<"mulIntegerAttrs($_builder, $0, $1, $2)">;

//===-- Addition and subtraction -------------------------------------------===//

// c + x => x + c
def ConstantsGoRight
    : Pat<(Arith_AddIOp $c, $x, $flags), (Arith_AddIOp $x, $c, $flags),
          [(IsConstant $c), (IsVariable $x)]>;

// x + 0 => x
def AddZero : Pat<(Arith_AddIOp $x, $zero, $flags), (replaceWithValue $x), [(IsZero $zero)]>;

// x - 0 => x
def SubZero : Pat<(Arith_SubIOp $x, $zero, $flags), (replaceWithValue $x), [(IsZero $zero)]>;

// x - x => 0
def SubSelf : Pat<(Arith_SubIOp $x, $x, $flags), (Arith_ConstantOp (ZeroLike $x))>;

// x + (y - x) => y, and (y - x) + x => y
def AddSub : Pat<(Arith_AddIOp $x, (Arith_SubIOp $y, $x, $inner), $outer), (replaceWithValue $y)>;
def SubAdd : Pat<(Arith_AddIOp (Arith_SubIOp $y, $x, $inner), $x, $outer), (replaceWithValue $y)>;

// (x + c1) + c2 => x + (c1 + c2), unless the inner sum has other uses
def AddAdd
    : Pat<(Arith_AddIOp:$outer (Arith_AddIOp:$inner $x, (ConstantLikeMatcher APIntAttr:$c1), $f1),
                               (ConstantLikeMatcher APIntAttr:$c2), $f2),
          (Arith_AddIOp $x, (Arith_ConstantOp (AddConstants $outer, $c1, $c2)), NoOverflowFlags),
          [(HasOneUse $inner)]>;

// (c1 - x) + c2 => (c1 + c2) - x
def AddRSub
    : Pat<(Arith_AddIOp:$outer (Arith_SubIOp:$inner (ConstantLikeMatcher APIntAttr:$c1), $x, $f1),
                               (ConstantLikeMatcher APIntAttr:$c2), $f2),
          (Arith_SubIOp (Arith_ConstantOp (AddConstants $outer, $c1, $c2)), $x, NoOverflowFlags),
          [(HasOneUse $inner)]>;

// x + x => x << 1, if the shift is defined
def AddSelf
    : Pat<(Arith_AddIOp SignlessIntOfWidths<[8, 16, 32, 64]>:$x, $x, $flags),
          (Arith_ShLIOp $x, (Arith_ConstantOp (IntegerLike<1> $x)), $flags)>;

//===-- Multiplication -----------------------------------------------------===//

// x * 0 => 0
def MulZero : Pat<(Arith_MulIOp $x, $zero, $flags), (replaceWithValue $zero), [(IsZero $zero)]>;

// x * 1 => x, before any other rule for multiplication
def MulOne
    : Pat<(Arith_MulIOp $x, $one, $flags), (replaceWithValue $x), [(IsOne $one)], [],
          (addBenefit 2)>;

// On single bits, multiplication is conjunction.
def MulBits : Pat<(Arith_MulIOp I1:$x, I1:$y, $flags), (Arith_AndIOp $x, $y)>;

// (x * c1) * c2 => x * (c1 * c2)
def MulMul
    : Pat<(Arith_MulIOp:$outer (Arith_MulIOp:$inner $x, (ConstantLikeMatcher APIntAttr:$c1), $f1),
                               (ConstantLikeMatcher APIntAttr:$c2), $f2),
          (Arith_MulIOp $x, (Arith_ConstantOp (MulConstants $outer, $c1, $c2)), NoOverflowFlags),
          [(HasOneUse $inner)]>;

// x * c1 + x * c2 => x * (c1 + c2)
def Distribute
    : Pat<(Arith_AddIOp:$sum (Arith_MulIOp:$a $x, (ConstantLikeMatcher APIntAttr:$c1), $f1),
                             (Arith_MulIOp:$b $x, (ConstantLikeMatcher APIntAttr:$c2), $f2), $f3),
          (Arith_MulIOp $x, (Arith_ConstantOp (AddConstants $sum, $c1, $c2)), NoOverflowFlags),
          [(HasOneUse $a), (HasOneUse $b)]>;

// The wide product of x and 1 has the lower half x and the upper half 0.
def MulWideOne
    : Pattern<(Arith_MulUIExtendedOp:$wide $x, $one),
              [(replaceWithValue $x), (Arith_ConstantOp (ZeroLike $wide__1))],
              [(IsOne $one)]>;

// A wide product with an unused upper half is a product.
def MulWideLow
    : Pattern<(Arith_MulUIExtendedOp:$wide $x, $y),
              [(Arith_MulIOp:$low $x, $y, NoOverflowFlags), (replaceWithValue $low)],
              [(HasNoUseOf:$wide__1)]>;

//===-- Bits ---------------------------------------------------------------===//

// x & x => x, x | x => x, x ^ x => 0, (x ^ y) ^ y => x
def AndSelf : Pat<(Arith_AndIOp $x, $x), (replaceWithValue $x)>;
def OrSelf : Pat<(Arith_OrIOp $x, $x), (replaceWithValue $x)>;
def XorSelf : Pat<(Arith_XOrIOp $x, $x), (Arith_ConstantOp (ZeroLike $x))>;
def XorXor : Pat<(Arith_XOrIOp (Arith_XOrIOp $x, $y), $y), (replaceWithValue $x)>;

// x & (x | y) => x, in any order
def Absorb
    : Pat<(Arith_AndIOp (either $x, (Arith_OrIOp (either $z, $y)))), (replaceWithValue $x),
          [(Constraint<CPred<"$0 == $1">> $x, $z)]>;

//===-- Comparison and choice ----------------------------------------------===//

// x == x => true
def EqualSelf
    : Pat<(Arith_CmpIOp:$r Compare<"eq">, $x, $x), (Arith_ConstantOp ConstBoolAttrTrue),
          [(IsBit $r)]>;

// c ? x : x => x, c ? true : false => c
def SelectSame : Pat<(SelectOp $c, $x, $x), (replaceWithValue $x)>;
def SelectBool
    : Pat<(SelectOp $c, (ConstantLikeMatcher ConstBoolAttrTrue),
                    (ConstantLikeMatcher ConstBoolAttrFalse)),
          (replaceWithValue $c)>;

// a != b ? x : y => a == b ? y : x
def SelectNotEqual
    : Pat<(SelectOp (Arith_CmpIOp:$c Compare<"ne">, $a, $b), $x, $y),
          (SelectOp (Arith_CmpIOp Compare<"eq">, $a, $b), $y, $x), [(HasOneUse $c)]>;

//===-- Casts --------------------------------------------------------------===//

// A value that is extended and then truncated to its original type.
multiclass TruncExt<Op ext> {
  def : Pat<(Arith_TruncIOp:$r (ext $x), $flags), (replaceWithValue $x), [(HaveOneType $r, $x)]>;
}
defm TruncExtSI : TruncExt<Arith_ExtSIOp>;
defm TruncExtUI : TruncExt<Arith_ExtUIOp>;

// Two extensions become one.
foreach ext = [Arith_ExtSIOp, Arith_ExtUIOp] in
  def : Pat<(ext (ext $x)), (ext $x)>;

//===-- Floats -------------------------------------------------------------===//

// x * 1 => x, -(-x) => x, x + (-y) => x - y
def MulFOne : Pat<(Arith_MulFOp $x, $one, $flags), (replaceWithValue $x), [(IsOneFloat $one)]>;
def NegNeg : Pat<(Arith_NegFOp (Arith_NegFOp $x, $inner), $outer), (replaceWithValue $x)>;
def AddNeg
    : Pat<(Arith_AddFOp $x, (Arith_NegFOp $y, $inner), $flags), (Arith_SubFOp $x, $y, $flags)>;
