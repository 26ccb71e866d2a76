// Simplifies the operations that JAX generates for networks: attention, softmax, layers with a bias.

include "mlir/IR/PatternBase.td"
include "StableHloOps.td"

//===-- Building blocks, natives in ../jax_attention.py --------------------===//

def HaveOneType : Constraint<CPred<"$0.getType() == $1.getType()">>;
def IsNegativeInfinity : Constraint<CPred<"isNegativeInfinity($0)">>;
def IsNonZeroScalar : Constraint<CPred<"isNonZeroScalar($0)">>;
def IsMatrixProduct : Constraint<CPred<"isMatrixProduct($0)">>;

def ComposeDimensions : NativeCodeCall<"composeDimensions($0, $1)">;
def SquareRoot : NativeCodeCall<"squareRoot($0)">;
def Reciprocal : NativeCodeCall<"reciprocal($0)">;
def ContractLastDimensions : NativeCodeCall<"contractLastDimensions()">;

def SwapDimensions : ConstantAttr<DenseI64ArrayAttr, "{1, 0}">;
def Rows : ConstantAttr<DenseI64ArrayAttr, "{0}">;

//===-- Simplifications ----------------------------------------------------===//

// A conversion to the same type.
def ConvertNothing
    : Pat<(StableHlo_ConvertOp:$r $x), (replaceWithValue $x), [(HaveOneType $r, $x)]>;

// broadcast(broadcast(x)) => broadcast(x)
def BroadcastBroadcast
    : Pat<(StableHlo_BroadcastInDimOp (StableHlo_BroadcastInDimOp $x, $inner), $outer),
          (StableHlo_BroadcastInDimOp $x, (ComposeDimensions $inner, $outer))>;

// max(-infinity, x) => x. JAX's softmax contains this operation.
def MaximumWithNegativeInfinity
    : Pat<(StableHlo_MaximumOp (StableHlo_BroadcastInDimOp (StableHlo_ConstantOp $value), $_), $x),
          (replaceWithValue $x), [(IsNegativeInfinity $value)]>;

def SqrtOfConstant
    : Pat<(StableHlo_SqrtOp (StableHlo_ConstantOp $value)), (StableHlo_ConstantOp (SquareRoot $value))>;

// x / c => x * (1 / c)
def DivideByConstant
    : Pat<(StableHlo_DivideOp $x, (StableHlo_BroadcastInDimOp:$b (StableHlo_ConstantOp:$c $value), $dimensions)),
          (StableHlo_MultiplyOp $x,
             (StableHlo_BroadcastInDimOp
                (StableHlo_ConstantOp (Reciprocal $value), (returnType $c)), $dimensions, (returnType $b))),
          [(IsNonZeroScalar $value)]>;

//===-- Attention ----------------------------------------------------------===//

// q * transpose(k): the product contracts the last dimensions, and nothing is transposed.
def DotOfTranspose
    : Pat<(StableHlo_DotGeneralOp $q, (StableHlo_TransposeOp $k, SwapDimensions), $numbers, $precision, $algorithm),
          (StableHlo_DotGeneralOp $q, $k, (ContractLastDimensions), $precision, $algorithm),
          [(IsMatrixProduct $numbers)]>;

// (weights / sums) * v => (weights * v) / sums, which divides a smaller tensor if v is narrower than the weights.
def DivideAfterDot
    : Pat<(StableHlo_DotGeneralOp:$r (StableHlo_DivideOp $weights, (StableHlo_BroadcastInDimOp $sums, Rows)), $v,
             $numbers, $precision, $algorithm),
          (StableHlo_DivideOp
             (StableHlo_DotGeneralOp $weights, $v, $numbers, $precision, $algorithm, (returnType $r)),
             (StableHlo_BroadcastInDimOp $sums, Rows, (returnType $r))),
          [(IsMatrixProduct $numbers)]>;
