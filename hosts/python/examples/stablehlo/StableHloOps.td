// The StableHLO operations that the rules name. An input can contain other operations, which need no definition.

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def StableHlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::mlir::stablehlo";
}

class StableHlo_Op<string mnemonic, list<Trait> traits = []>
    : Op<StableHlo_Dialect, mnemonic, !listconcat([Pure], traits)>;

class StableHlo_Binary<string mnemonic> : StableHlo_Op<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let results = (outs AnyRankedTensor:$result);
}

class StableHlo_Unary<string mnemonic> : StableHlo_Op<mnemonic> {
  let arguments = (ins AnyRankedTensor:$operand);
  let results = (outs AnyRankedTensor:$result);
}

def StableHlo_DivideOp : StableHlo_Binary<"divide">;
def StableHlo_MultiplyOp : StableHlo_Binary<"multiply">;
def StableHlo_MaximumOp : StableHlo_Binary<"maximum">;
def StableHlo_ConvertOp : StableHlo_Unary<"convert">;
def StableHlo_SqrtOp : StableHlo_Unary<"sqrt">;

def StableHlo_ConstantOp : StableHlo_Op<"constant"> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyRankedTensor:$output);
}

def StableHlo_BroadcastInDimOp : StableHlo_Op<"broadcast_in_dim"> {
  let arguments = (ins AnyRankedTensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs AnyRankedTensor:$result);
}

def StableHlo_TransposeOp : StableHlo_Op<"transpose"> {
  let arguments = (ins AnyRankedTensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyRankedTensor:$result);
}

def StableHlo_DotGeneralOp : StableHlo_Op<"dot_general"> {
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs, AnyAttr:$dot_dimension_numbers,
                       OptionalAttr<AnyAttr>:$precision_config, OptionalAttr<AnyAttr>:$algorithm);
  let results = (outs AnyRankedTensor:$result);
}
