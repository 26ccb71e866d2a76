// The tensor dialect: operations and their assembly formats, with the names and texts that MLIR gives them.

#ifndef DRRVM_TENSOR
#define DRRVM_TENSOR

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

def Tensor_Dialect : Dialect {
  let name = "tensor";
  let cppNamespace = "::mlir::tensor";
}

class _Tensor_Op<string mnemonic, list<Trait> traits = []> : Op<Tensor_Dialect, mnemonic, traits>;

// An operation that converts one tensor to another.
class _Tensor_ConversionOp<string mnemonic> : _Tensor_Op<mnemonic, [Pure]> {
  let arguments = (ins AnyTensor:$source);
  let results = (outs AnyTensor:$dest);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($dest)";
}

defvar _ElementOfTensor = "::llvm::cast<TensorType>($_self).getElementType()";
defvar _ElementOfShaped = "::llvm::cast<ShapedType>($_self).getElementType()";

def BitcastOp : _Tensor_ConversionOp<"bitcast">;
def CastOp : _Tensor_ConversionOp<"cast">;

def CollapseShapeOp : _Tensor_Op<"collapse_shape", [Pure]> {
  let arguments = (ins AnyTensor:$src, IndexListArrayAttr:$reassociation);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$src $reassociation attr-dict `:` type($src) `into` type($result)";
}

def ConcatOp : _Tensor_Op<"concat", [Pure]> {
  let arguments = (ins I64Attr:$dim, Variadic<AnyRankedTensor>:$inputs);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "`dim` `(` $dim `)` $inputs attr-dict `:` functional-type(operands, results)";
}

def DimOp : _Tensor_Op<"dim", [Pure]> {
  let arguments = (ins AnyTensor:$source, Index:$index);
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict $source `,` $index `:` type($source)";
}

def EmptyOp : _Tensor_Op<"empty", [Pure]> {
  let arguments = (ins Variadic<Index>:$dynamicSizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "`(` $dynamicSizes `)` attr-dict `:` type($result)";
}

def ExpandShapeOp : _Tensor_Op<"expand_shape", [Pure]> {
  let arguments = (ins AnyTensor:$src, IndexListArrayAttr:$reassociation,
                       Variadic<Index>:$output_shape, DenseI64ArrayAttr:$static_output_shape);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $src $reassociation `output_shape`
    custom<DynamicIndexList>($output_shape, $static_output_shape)
    attr-dict `:` type($src) `into` type($result)
  }];
}

def ExtractOp : _Tensor_Op<"extract", [Pure, TypesMatchWith<"an element of the tensor", "tensor", "result",
                                                            _ElementOfTensor>]> {
  let arguments = (ins AnyRankedTensor:$tensor, Variadic<Index>:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$tensor `[` $indices `]` attr-dict `:` type($tensor)";
}

def ExtractSliceOp : _Tensor_Op<"extract_slice", [Pure, AttrSizedOperandSegments]> {
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$offsets, Variadic<Index>:$sizes,
                       Variadic<Index>:$strides, DenseI64ArrayAttr:$static_offsets,
                       DenseI64ArrayAttr:$static_sizes, DenseI64ArrayAttr:$static_strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `` custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes)
    custom<DynamicIndexList>($strides, $static_strides)
    attr-dict `:` type($source) `to` type($result)
  }];
}

def FromElementsOp : _Tensor_Op<"from_elements", [Pure,
    TypesMatchWith<"operands are elements of the result", "result", "elements",
                   "SmallVector<Type, 2>(::llvm::cast<ShapedType>($_self).getNumElements(), "
                   "::llvm::cast<ShapedType>($_self).getElementType())">]> {
  let arguments = (ins Variadic<AnyType>:$elements);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$elements attr-dict `:` type($result)";
}

def GatherOp : _Tensor_Op<"gather", [Pure]> {
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$indices,
                       DenseI64ArrayAttr:$gather_dims, UnitAttr:$unique);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `gather_dims` `(` $gather_dims `)` (`unique` $unique^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def GenerateOp : _Tensor_Op<"generate", [RecursiveMemoryEffects,
                                         SingleBlockImplicitTerminator<"mlir::tensor::YieldOp">]> {
  let arguments = (ins Variadic<Index>:$dynamicExtents);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$dynamicExtents $body attr-dict `:` type($result)";
}

def InsertOp : _Tensor_Op<"insert", [Pure,
    TypesMatchWith<"the result is the new tensor", "dest", "result", "$_self">,
    TypesMatchWith<"an element of the tensor", "dest", "scalar", _ElementOfTensor>]> {
  let arguments = (ins AnyType:$scalar, AnyRankedTensor:$dest, Variadic<Index>:$indices);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$scalar `into` $dest `[` $indices `]` attr-dict `:` type($dest)";
}

class _Tensor_InsertSlice<string mnemonic, list<Trait> traits>
    : _Tensor_Op<mnemonic, !listconcat(traits, [AttrSizedOperandSegments])> {
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$dest, Variadic<Index>:$offsets,
                       Variadic<Index>:$sizes, Variadic<Index>:$strides,
                       DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes,
                       DenseI64ArrayAttr:$static_strides);
  let assemblyFormat = [{
    $source `into` $dest `` custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes)
    custom<DynamicIndexList>($strides, $static_strides)
    attr-dict `:` type($source) `into` type($dest)
  }];
}

def InsertSliceOp : _Tensor_InsertSlice<"insert_slice", [Pure,
    TypesMatchWith<"the result is the new tensor", "dest", "result", "$_self">]> {
  let results = (outs AnyRankedTensor:$result);
}

def PadOp : _Tensor_Op<"pad", [Pure, AttrSizedOperandSegments,
                               SingleBlockImplicitTerminator<"mlir::tensor::YieldOp">]> {
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$low, Variadic<Index>:$high,
                       DenseI64ArrayAttr:$static_low, DenseI64ArrayAttr:$static_high,
                       UnitAttr:$nofold);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    $source (`nofold` $nofold^)? `low` `` custom<DynamicIndexList>($low, $static_low)
    `high` `` custom<DynamicIndexList>($high, $static_high)
    $region attr-dict `:` type($source) `to` type($result)
  }];
}

def ParallelInsertSliceOp : _Tensor_InsertSlice<"parallel_insert_slice", []>;

def RankOp : _Tensor_Op<"rank", [Pure]> {
  let arguments = (ins AnyTensor:$tensor);
  let results = (outs Index);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor)";
}

def ReshapeOp : _Tensor_Op<"reshape", [Pure]> {
  let arguments = (ins AnyTensor:$source, AnyTensor:$shape);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$source `(` $shape `)` attr-dict `:` functional-type(operands, results)";
}

def ScatterOp : _Tensor_Op<"scatter", [Pure]> {
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$dest, AnyRankedTensor:$indices,
                       DenseI64ArrayAttr:$scatter_dims, UnitAttr:$unique);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `into` $dest `[` $indices `]` `scatter_dims` `(` $scatter_dims `)` (`unique` $unique^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def SplatOp : _Tensor_Op<"splat", [Pure, TypesMatchWith<"an element of the result", "aggregate", "input",
                                                        _ElementOfTensor>]> {
  let arguments = (ins AnyType:$input, Variadic<Index>:$dynamicSizes);
  let results = (outs AnyRankedTensor:$aggregate);
  let assemblyFormat = "$input (`[` $dynamicSizes^ `]`)? attr-dict `:` type($aggregate)";
}

def YieldOp : _Tensor_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif
