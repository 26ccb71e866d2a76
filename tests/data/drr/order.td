// Names and order of rules: numbers in names compare as numbers, anonymous rules have their own numbers, and rules come
// from classes, multiclasses and loops.
include "mlir/IR/PatternBase.td"

def T : Dialect { let name = "t"; }
class Unary<string name> : Op<T, name> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$r);
}
def A : Unary<"a">;
def B : Unary<"b">;
def C : Unary<"c">;

def Rule10 : Pat<(A $x), (B $x)>;
def Rule9 : Pat<(A $x), (C $x)>;
def Rule9b : Pat<(B (A $x)), (C $x), [], [], (addBenefit 3)>;
def rule : Pat<(B $x), (replaceWithValue $x)>;
def : Pat<(C $x), (A (B $x))>;

class Swap<Op from, Op to> : Pat<(from $x), (to $x)>;
def SwapAB : Swap<A, B>;
def : Swap<B, C>;

multiclass Both<Op from, Op to> {
  def Forth : Pat<(from $x), (to $x)>;
  def Back : Pat<(to $x), (from $x)>;
  def : Pat<(from (to $x)), (replaceWithValue $x)>;
}
defm AC : Both<A, C>;
defm : Both<B, C>;

foreach op = [A, B, C] in {
  def Twice # op : Pat<(op (op $x)), (op $x)>;
  def : Pat<(op (op (op $x))), (replaceWithValue $x)>;
}

foreach i = 0...11 in
  def Numbered # i : Pat<(A $x), (B $x), [], [], (addBenefit i)>;
