// Rules whose helpers in C++ are overloaded, take a context, an operation or a list, call each other, or are templates,
// and a rule that calls a method outside the snippet language.
include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
class Call<string text> : NativeCodeCall<text>;
class Test<string text> : Constraint<CPred<text>>;
def Twice : Call<"twice($_builder, $_loc, $0)">;
def OfOne : Pat<(Arith_DivSIOp $x, $y, $_), (Call<"made($_builder, $_loc, $0)"> $x)>;
def OfTwo : Pat<(Arith_DivUIOp $x, $y, $_), (Call<"made($_builder, $_loc, $0, $1)"> $x, $y)>;
def OfValue : Pat<(Arith_RemSIOp $x, $y), (Arith_OrIOp $x, $y), [(Test<"accepted($0)"> $x)]>;
def OfType : Pat<(Arith_RemUIOp $x, $y), (Arith_AndIOp $x, $y), [(Test<"accepted($0.getType())"> $x)]>;
def OfContext : Pat<(Arith_MaxSIOp $x, $y), (Arith_SubIOp $x, $y, (Call<"flags($0, $_builder.getContext())"> $x))>;
def OfBuilder : Pat<(Arith_CeilDivSIOp $x, $y), (Call<"late($0, $_builder, $_loc, $1)"> $x, $y)>;
def OfOperation : Pat<(Arith_MinSIOp $x, $y), (Twice (Arith_OrIOp $x, $y))>;
def OfHelper : Pat<(Arith_MaxUIOp $x, $y), (Twice (Twice $x))>;
def OfTemplate : Pat<(Arith_MinUIOp $x, $y), (Arith_XOrIOp $x, $y), [(Test<"wide<32>($0.getType())"> $x)]>;
def OfMethod : Pat<(Arith_CeilDivUIOp $x, $y), (Arith_AndIOp $y, $x),
  [(Test<"cast<BlockArgument>($0).getArgNumber() > cast<BlockArgument>($1).getArgNumber()"> $x, $y)]>;
def OfList : Pat<(Arith_FloorDivSIOp $x, $y), (Arith_ConstantOp (Call<"listed($0.getType(), {3, 4})"> $x))>;
def OfNumbers : Pat<(Arith_NegFOp $x, $_), (Arith_ConstantOp (Call<"sum(1.5, 'c', $0.getType())"> $x))>;
