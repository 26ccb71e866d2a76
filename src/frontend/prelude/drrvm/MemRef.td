// The memref dialect: operations and their assembly formats, with the names and texts that MLIR gives them.

#ifndef DRRVM_MEMREF
#define DRRVM_MEMREF

include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def MemRef_Dialect : Dialect {
  let name = "memref";
  let cppNamespace = "::mlir::memref";
}

class _MemRef_Op<string mnemonic, list<Trait> traits = []> : Op<MemRef_Dialect, mnemonic, traits>;

defvar _Alignment = OptionalAttr<I64Attr>;
defvar _Nontemporal = DefaultValuedOptionalAttr<BoolAttr, "false">;
class _ElementOf<string whole, string part>
    : TypesMatchWith<"an element of the memref", whole, part,
                     "::llvm::cast<MemRefType>($_self).getElementType()">;

class _MemRef_AllocOp<string mnemonic> : _MemRef_Op<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = (ins Variadic<Index>:$dynamicSizes, Variadic<Index>:$symbolOperands,
                       _Alignment:$alignment);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$memref);
  let assemblyFormat = [{
    `(` $dynamicSizes `)` (`` `[` $symbolOperands^ `]`)? attr-dict `:` type($memref)
  }];
}

class _MemRef_ConversionOp<string mnemonic> : _MemRef_Op<mnemonic, [Pure]> {
  let arguments = (ins AnyRankedOrUnrankedMemRef:$source);
  let results = (outs AnyRankedOrUnrankedMemRef:$dest);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($dest)";
}

def AllocOp : _MemRef_AllocOp<"alloc">;
def AllocaOp : _MemRef_AllocOp<"alloca">;
def CastOp : _MemRef_ConversionOp<"cast">;
def MemorySpaceCastOp : _MemRef_ConversionOp<"memory_space_cast">;

def AllocaScopeOp : _MemRef_Op<"alloca_scope", [AutomaticAllocationScope, RecursiveMemoryEffects,
                                                NoRegionArguments]> {
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$bodyRegion);
  let hasCustomAssemblyFormat = 1;
}

def AllocaScopeReturnOp : _MemRef_Op<"alloca_scope.return", [Pure, ReturnLike, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

def AssumeAlignmentOp : _MemRef_Op<"assume_alignment", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyMemRef:$memref, I32Attr:$alignment);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$memref `,` $alignment attr-dict `:` type($memref)";
}

def AtomicRMWOp : _MemRef_Op<"atomic_rmw", [AllTypesMatch<["value", "result"]>, _ElementOf<"memref", "value">]> {
  let arguments = (ins AtomicRMWKindAttr:$kind, AnyType:$value, AnyMemRef:$memref,
                       Variadic<Index>:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $kind $value `,` $memref `[` $indices `]` attr-dict
    `:` `(` type($value) `,` type($memref) `)` `->` type($result)
  }];
}

def AtomicYieldOp : _MemRef_Op<"atomic_yield", [HasParent<"GenericAtomicRMWOp">, Pure, Terminator, ReturnLike]> {
  let arguments = (ins AnyType:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def CollapseShapeOp : _MemRef_Op<"collapse_shape", [Pure]> {
  let arguments = (ins AnyMemRef:$src, IndexListArrayAttr:$reassociation);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$src $reassociation attr-dict `:` type($src) `into` type($result)";
}

def CopyOp : _MemRef_Op<"copy", [SameOperandsElementType, SameOperandsShape]> {
  let arguments = (ins AnyRankedOrUnrankedMemRef:$source, AnyRankedOrUnrankedMemRef:$target);
  let assemblyFormat = "$source `,` $target attr-dict `:` type($source) `to` type($target)";
}

def DeallocOp : _MemRef_Op<"dealloc"> {
  let arguments = (ins AnyRankedOrUnrankedMemRef:$memref);
  let assemblyFormat = "$memref attr-dict `:` type($memref)";
}

def DimOp : _MemRef_Op<"dim", [Pure]> {
  let arguments = (ins AnyRankedOrUnrankedMemRef:$source, Index:$index);
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict $source `,` $index `:` type($source)";
}

def DistinctObjectsOp : _MemRef_Op<"distinct_objects", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins Variadic<AnyMemRef>:$operands);
  let results = (outs Variadic<AnyMemRef>:$results);
  let assemblyFormat = "$operands attr-dict `:` type($operands)";
}

def DmaStartOp : _MemRef_Op<"dma_start"> {
  let arguments = (ins Variadic<AnyType>:$operands);
  let hasCustomAssemblyFormat = 1;
}

def DmaWaitOp : _MemRef_Op<"dma_wait"> {
  let arguments = (ins AnyMemRef:$tagMemRef, Variadic<Index>:$tagIndices, Index:$numElements);
  let assemblyFormat = "$tagMemRef `[` $tagIndices `]` `,` $numElements attr-dict `:` type($tagMemRef)";
}

def ExpandShapeOp : _MemRef_Op<"expand_shape", [Pure]> {
  let arguments = (ins AnyMemRef:$src, IndexListArrayAttr:$reassociation,
                       Variadic<Index>:$output_shape, DenseI64ArrayAttr:$static_output_shape);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $src $reassociation `output_shape`
    custom<DynamicIndexList>($output_shape, $static_output_shape)
    attr-dict `:` type($src) `into` type($result)
  }];
}

class _MemRef_MetadataOp<string mnemonic> : _MemRef_Op<mnemonic, [Pure, SameVariadicResultSize]> {
  let arguments = (ins AnyRankedOrUnrankedMemRef:$source);
  let assemblyFormat = "$source `:` type($source) `->` type(results) attr-dict";
}

def ExtractAlignedPointerAsIndexOp : _MemRef_MetadataOp<"extract_aligned_pointer_as_index"> {
  let results = (outs Index:$aligned_pointer);
}

def ExtractStridedMetadataOp : _MemRef_MetadataOp<"extract_strided_metadata"> {
  let results = (outs AnyMemRef:$base_buffer, Index:$offset, Variadic<Index>:$sizes,
                      Variadic<Index>:$strides);
}

def GenericAtomicRMWOp : _MemRef_Op<"generic_atomic_rmw", [SingleBlockImplicitTerminator<"AtomicYieldOp">,
                                                           _ElementOf<"memref", "result">]> {
  let arguments = (ins Arg<MemRefOf<[AnySignlessInteger, AnyFloat]>, "", [MemRead, MemWrite]>:$memref,
                       Variadic<Index>:$indices);
  let results = (outs AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$result);
  let regions = (region AnyRegion:$atomic_body);
  let hasCustomAssemblyFormat = 1;
}

def GetGlobalOp : _MemRef_Op<"get_global", [Pure]> {
  let arguments = (ins FlatSymbolRefAttr:$name);
  let results = (outs AnyStaticShapeMemRef:$result);
  let assemblyFormat = "$name `:` type($result) attr-dict";
}

def GlobalOp : _MemRef_Op<"global", [Symbol]> {
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       TypeAttrOf<AnyMemRef>:$type, OptionalAttr<AnyAttr>:$initial_value,
                       UnitAttr:$constant, _Alignment:$alignment);
  let assemblyFormat = [{
    ($sym_visibility^)? (`constant` $constant^)? $sym_name `:`
    custom<GlobalMemrefOpTypeAndInitialValue>($type, $initial_value) attr-dict
  }];
}

def LoadOp : _MemRef_Op<"load", [_ElementOf<"memref", "result">]> {
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$memref, Variadic<Index>:$indices,
                       _Nontemporal:$nontemporal, _Alignment:$alignment);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$memref `[` $indices `]` attr-dict `:` type($memref)";
}

def PrefetchOp : _MemRef_Op<"prefetch"> {
  let arguments = (ins AnyMemRef:$memref, Variadic<Index>:$indices, BoolAttr:$isWrite,
                       I32Attr:$localityHint, BoolAttr:$isDataCache);
  let hasCustomAssemblyFormat = 1;
}

def RankOp : _MemRef_Op<"rank", [Pure]> {
  let arguments = (ins AnyRankedOrUnrankedMemRef:$memref);
  let results = (outs Index);
  let assemblyFormat = "$memref attr-dict `:` type($memref)";
}

def ReallocOp : _MemRef_Op<"realloc"> {
  let arguments = (ins AnyMemRef:$source, Optional<Index>:$dynamicResultSize, _Alignment:$alignment);
  let results = (outs AnyMemRef);
  let assemblyFormat
      = "$source (`(` $dynamicResultSize^ `)`)? attr-dict `:` type($source) `to` type(results)";
}

def ReinterpretCastOp : _MemRef_Op<"reinterpret_cast", [Pure, AttrSizedOperandSegments]> {
  let arguments = (ins AnyRankedOrUnrankedMemRef:$source, Variadic<Index>:$offsets,
                       Variadic<Index>:$sizes, Variadic<Index>:$strides,
                       DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes,
                       DenseI64ArrayAttr:$static_strides);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $source `to` `offset` `` `:` custom<DynamicIndexList>($offsets, $static_offsets)
    `` `,` `sizes` `` `:` custom<DynamicIndexList>($sizes, $static_sizes)
    `` `,` `strides` `` `:` custom<DynamicIndexList>($strides, $static_strides)
    attr-dict `:` type($source) `to` type($result)
  }];
}

def ReshapeOp : _MemRef_Op<"reshape"> {
  let arguments = (ins AnyRankedOrUnrankedMemRef:$source, Arg<AnyMemRef, "", [MemRead]>:$shape);
  let results = (outs AnyRankedOrUnrankedMemRef:$result);
  let assemblyFormat = "$source `(` $shape `)` attr-dict `:` functional-type(operands, results)";
}

def StoreOp : _MemRef_Op<"store", [_ElementOf<"memref", "value">]> {
  let arguments = (ins AnyType:$value, AnyMemRef:$memref, Variadic<Index>:$indices,
                       _Nontemporal:$nontemporal, _Alignment:$alignment);
  let assemblyFormat = "$value `,` $memref `[` $indices `]` attr-dict `:` type($memref)";
}

def SubViewOp : _MemRef_Op<"subview", [Pure, AttrSizedOperandSegments]> {
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$offsets, Variadic<Index>:$sizes,
                       Variadic<Index>:$strides, DenseI64ArrayAttr:$static_offsets,
                       DenseI64ArrayAttr:$static_sizes, DenseI64ArrayAttr:$static_strides);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $source `` custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes)
    custom<DynamicIndexList>($strides, $static_strides)
    attr-dict `:` type($source) `to` type($result)
  }];
}

def TransposeOp : _MemRef_Op<"transpose", [Pure]> {
  let arguments = (ins AnyMemRef:$in, AffineMapAttr:$permutation);
  let results = (outs AnyMemRef);
  let hasCustomAssemblyFormat = 1;
}

def ViewOp : _MemRef_Op<"view", [Pure]> {
  let arguments = (ins AnyMemRef:$source, Index:$byte_shift, Variadic<Index>:$sizes);
  let results = (outs AnyMemRef);
  let assemblyFormat
      = "$source `[` $byte_shift `]` `` `[` $sizes `]` attr-dict `:` type($source) `to` type(results)";
}

#endif
