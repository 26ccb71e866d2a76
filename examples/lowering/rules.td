// Lowers calc, which a front end emits, to mach, which a machine runs.

include "mlir/IR/PatternBase.td"
include "CalcOps.td"
include "MachOps.td"

//===-- Immediates ---------------------------------------------------------===//

// Immediates have 64 bits, but instructions with an operand only have room for 12.
def ToImmediate : NativeCodeCall<"$_builder.getI64IntegerAttr($0.getInt())">;
def Negated : NativeCodeCall<"$_builder.getI64IntegerAttr(-$0.getInt())">;
def Log2 : NativeCodeCall<"$_builder.getI64IntegerAttr($0.getValue().logBase2())">;
class Service<int number> : ConstantAttr<I64Attr, !cast<string>(number)>;

def Fits : AllAttrOf<[IntMinValue<-2048>, IntMaxValue<2047>]>;
def FitsNegated : AllAttrOf<[IntMinValue<-2047>, IntMaxValue<2048>]>;

def LowerConst : Pat<(Calc_ConstOp $value), (Mach_LiOp (ToImmediate $value))>;

//===-- One result ---------------------------------------------------------===//

foreach name = ["Add", "Sub", "Mul"] in
  def Lower#name : Pat<(!cast<Op>("Calc_" # name # "Op") $a, $b),
                       (!cast<Op>("Mach_" # name # "Op") $a, $b)>;

// One operand is an immediate, on either side if the operation is commutative. The constant may be lowered before
// its user or after it.
multiclass Immediate<Op const> {
  def Add : Pat<(Calc_AddOp (either $a, (const Fits:$imm))), (Mach_AddiOp $a, (ToImmediate $imm))>;
  def Sub : Pat<(Calc_SubOp $a, (const FitsNegated:$imm)), (Mach_AddiOp $a, (Negated $imm))>;
  def Mul : Pat<(Calc_MulOp (either $a, (const IntPositivePowerOf2:$imm))),
                (Mach_SlliOp $a, (Log2 $imm))>;
}
defm LowerImmediateOfConst : Immediate<Calc_ConstOp>;
defm LowerImmediateOfLi : Immediate<Mach_LiOp>;

//===-- Two results --------------------------------------------------------===//

// The remainder is computed from the quotient.
def LowerDivRem
    : Pattern<(Calc_DivRemOp $a, $b),
              [(Mach_DivOp:$quotient $a, $b), (Mach_MsubOp $quotient, $b, $a)]>;

// Only the used result is computed. The unused one still needs a replacement, which can be any value.
def LowerDiv
    : Pattern<(Calc_DivRemOp:$both $a, $b),
              [(Mach_DivOp:$quotient $a, $b), (replaceWithValue $quotient)],
              [(HasNoUseOf:$both__1)], [], (addBenefit 1)>;
def LowerRem
    : Pattern<(Calc_DivRemOp:$both $a, $b),
              [(Mach_RemOp:$remainder $a, $b), (replaceWithValue $remainder)],
              [(HasNoUseOf:$both__0)], [], (addBenefit 1)>;

// Two results are replaced by two results.
def LowerMinMax : Pat<(Calc_MinMaxOp $a, $b), (Mach_SortOp $a, $b)>;
def LowerMax
    : Pattern<(Calc_MinMaxOp:$both $a, $b), [(Mach_MaxOp:$max $a, $b), (replaceWithValue $max)],
              [(HasNoUseOf:$both__0)], [], (addBenefit 1)>;

// The maximum of the number and the lower bound, then the minimum of that and the upper bound.
def LowerClamp
    : Pattern<(Calc_ClampOp $x, $low, $high),
              [(Mach_SortOp:$above $x, (Mach_LiOp (ToImmediate $low))),
               (Mach_SortOp:$within $above__1, (Mach_LiOp (ToImmediate $high))),
               (replaceWithValue $within__0)]>;

//===-- No result ----------------------------------------------------------===//

def LowerPrint : Pat<(Calc_PrintOp $x, $label), (Mach_EcallOp Service<1>, $x, $label)>;
