// Rules over a dialect whose operations are described for `drrvm prove`.

include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Comb : Dialect { let name = "comb"; }
class CombOp<string name, dag ins, list<Trait> traits = []> : Op<Comb, name, traits> {
  let arguments = ins;
  let results = (outs AnyInteger:$result);
}
def Mux : CombOp<"mux", (ins I1:$condition, AnyInteger:$a, AnyInteger:$b)>;
def And : CombOp<"and", (ins AnyInteger:$a, AnyInteger:$b), [SameOperandsAndResultType]>;
def Shl : CombOp<"shl", (ins AnyInteger:$a, AnyInteger:$b), [SameOperandsAndResultType]>;

class OperationMeaning<string text> { string meaning = text; }
def : OperationMeaning<"comb.mux(c, a, b) = select(c, a, b)">;
def : OperationMeaning<"comb.and(a, b) = andi(a, b)">;
// A shift by 8 or more is zero, not poison.
def : OperationMeaning<"comb.shl(a, b) = select(cmpi.ult(b, 8), shli(a, b), 0)">;

// c ? x : x => x
def MuxSame : Pat<(Mux $c, $x, $x), (replaceWithValue $x)>;
// c ? x : y => c ? y : x
def MuxSwapped : Pat<(Mux $c, $x, $y), (Mux $c, $y, $x)>;
// (x << a) & (y << a) => (x & y) << a
def AndOfShl : Pat<(And (Shl $x, $a), (Shl $y, $a)), (Shl (And $x, $y), $a)>;
