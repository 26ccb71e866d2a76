// A small dialect of whole-tensor operations. All shapes are static.

#ifndef TILE_OPS
#define TILE_OPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tile";
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, !listconcat(traits, [Pure])>;

defvar Tile_Tensor = AnyStaticShapeTensor;

def Tile_ConstantOp : Tile_Op<"constant", [AllTypesMatch<["value", "result"]>]> {
  let summary = "a constant tensor";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Tile_Tensor:$result);
}

def Tile_ReshapeOp : Tile_Op<"reshape"> {
  let summary = "the same elements in the same order, in the shape of the result type";
  let arguments = (ins Tile_Tensor:$input);
  let results = (outs Tile_Tensor:$result);
}

def Tile_TransposeOp : Tile_Op<"transpose"> {
  let summary = "dimension `i` of the result is dimension `permutation[i]` of the input";
  let arguments = (ins Tile_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Tile_Tensor:$result);
}

def Tile_AddOp : Tile_Op<"add", [Commutative, SameOperandsAndResultType]> {
  let summary = "elementwise sum";
  let arguments = (ins Tile_Tensor:$lhs, Tile_Tensor:$rhs);
  let results = (outs Tile_Tensor:$result);
}

def Tile_ReluOp : Tile_Op<"relu", [SameOperandsAndResultType]> {
  let summary = "elementwise maximum with zero";
  let arguments = (ins Tile_Tensor:$input);
  let results = (outs Tile_Tensor:$result);
}

def Tile_MatmulOp : Tile_Op<"matmul"> {
  let summary = "matrix product";
  let arguments = (ins 2DTensorOf<[AnyType]>:$lhs, 2DTensorOf<[AnyType]>:$rhs);
  let results = (outs 2DTensorOf<[AnyType]>:$result);
}

def Tile_ConcatOp : Tile_Op<"concat"> {
  let summary = "the concatenation of the inputs along one dimension";
  let arguments = (ins Variadic<Tile_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Tile_Tensor:$result);
}

#endif
