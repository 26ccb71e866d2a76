// Operations of a small dialect, and rules that simplify them.
include "mlir/IR/OpBase.td"
include "mlir/IR/PatternBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def My_Dialect : Dialect { let name = "my"; let cppNamespace = "my"; }
class My_Op<string name, dag args> : Op<My_Dialect, name, [Pure]> {
  let arguments = args;
  let results = (outs I32:$result);
}
def AddOp : My_Op<"add", (ins I32:$lhs, I32:$rhs)>;
def NegOp : My_Op<"neg", (ins I32:$value)>;
def ZeroOp : My_Op<"zero", (ins)>;

// -(-x) is x.
def NegNeg : Pat<(NegOp (NegOp $x)), (replaceWithValue $x)>;

// x + 0 and 0 + x are x.
def AddZero : Pat<(AddOp (either $x, (ZeroOp))), (replaceWithValue $x)>;

// x + (-x) is 0. The symbol `$x` occurs twice, so both must be the same value.
def AddNeg : Pat<(AddOp $x, (NegOp $x)), (ZeroOp)>;
