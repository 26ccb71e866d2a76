// Operations of StableHLO with their formats, and with wider types than StableHLO's own definitions have.

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def StableHLO_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::mlir::stablehlo";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class HLO_Attr<string name, string attrMnemonic> : AttrDef<StableHLO_Dialect, name> {
  let mnemonic = attrMnemonic;
}
class HLO_Struct<string name, string attrMnemonic> : HLO_Attr<name, attrMnemonic> {
  let hasCustomAssemblyFormat = 1;
}
def HLO_Token : TypeDef<StableHLO_Dialect, "Token"> { let mnemonic = "token"; }

def HLO_PrecisionEnum : I32EnumAttr<"Precision", "", [
    I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]> {
  let cppNamespace = "::mlir::stablehlo";
  let genSpecializedAttr = 0;
}
def HLO_Precision : EnumAttr<StableHLO_Dialect, HLO_PrecisionEnum, "precision">;
def HLO_DirectionEnum : I32EnumAttr<"ComparisonDirection", "", [
    I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"LT", 2>]> {
  let cppNamespace = "::mlir::stablehlo";
  let genSpecializedAttr = 0;
}
def HLO_Direction : EnumAttr<StableHLO_Dialect, HLO_DirectionEnum, "comparison_direction">;
def HLO_ComparisonEnum : I32EnumAttr<"ComparisonType", "", [
    I32EnumAttrCase<"FLOAT", 0>, I32EnumAttrCase<"SIGNED", 1>]> {
  let cppNamespace = "::mlir::stablehlo";
  let genSpecializedAttr = 0;
}
def HLO_Comparison : EnumAttr<StableHLO_Dialect, HLO_ComparisonEnum, "comparison_type">;

def HLO_Dot : HLO_Struct<"DotDimensionNumbers", "dot">;
def HLO_Conv : HLO_Struct<"ConvDimensionNumbers", "conv">;
def HLO_Gather : HLO_Struct<"GatherDimensionNumbers", "gather">;
def HLO_Scatter : HLO_Struct<"ScatterDimensionNumbers", "scatter">;

class HLO_Op<string mnemonic, list<Trait> traits = []> : Op<StableHLO_Dialect, mnemonic, traits>;

class HLO_Unary<string mnemonic> : HLO_Op<mnemonic, [Pure]> {
  let arguments = (ins AnyTensor:$operand);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}
class HLO_Binary<string mnemonic> : HLO_Op<mnemonic, [Pure]> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict
      `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
}
def HLO_Exponential : HLO_Unary<"exponential">;
def HLO_Add : HLO_Binary<"add">;
def HLO_Multiply : HLO_Binary<"multiply">;
def HLO_Subtract : HLO_Binary<"subtract">;
def HLO_Maximum : HLO_Binary<"maximum">;

def HLO_Clamp : HLO_Op<"clamp", [Pure]> {
  let arguments = (ins AnyTensor:$min, AnyTensor:$operand, AnyTensor:$max);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict
      `:` custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
}
def HLO_Compare : HLO_Op<"compare", [Pure]> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs, HLO_Direction:$comparison_direction,
                       OptionalAttr<HLO_Comparison>:$compare_type);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)?
      attr-dict `:` functional-type(operands, results)
  }];
}
def HLO_Complex : HLO_Op<"complex", [Pure]> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))
  }];
}
def HLO_Concatenate : HLO_Op<"concatenate", [Pure]> {
  let arguments = (ins Variadic<AnyTensor>:$inputs, I64Attr:$dimension);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    custom<VariadicOperandWithAttribute>($inputs) `dim` `=` $dimension attr-dict
      `:` functional-type(operands, results)
  }];
}
def HLO_Constant : HLO_Op<"constant", [ConstantLike, Pure]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyTensor:$output);
  let hasCustomAssemblyFormat = 1;
}
def HLO_Convolution : HLO_Op<"convolution", [Pure]> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<I64ElementsAttr>:$padding, OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
                       OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
                       OptionalAttr<DenseBoolArrayAttr>:$window_reversal, HLO_Conv:$dimension_numbers,
                       I64Attr:$feature_group_count, I64Attr:$batch_group_count,
                       OptionalAttr<TypedArrayAttrBase<HLO_Precision, "precisions">>:$precision_config);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
      `window` `=` `{` custom<WindowAttributes>($window_strides, $padding, $lhs_dilation, $rhs_dilation,
                                                $window_reversal) `}`
      attr-dict `:` functional-type(operands, results)
  }];
}
def HLO_CustomCall : HLO_Op<"custom_call"> {
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$call_target_name);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
}
def HLO_DotGeneral : HLO_Op<"dot_general", [Pure]> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs, HLO_Dot:$dot_dimension_numbers,
                       OptionalAttr<TypedArrayAttrBase<HLO_Precision, "precisions">>:$precision_config);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers)
      (`,` `precision` `=` custom<PrecisionConfig>($precision_config)^)?
      attr-dict `:` functional-type(operands, results)
  }];
}
def HLO_DynamicSlice : HLO_Op<"dynamic_slice", [Pure]> {
  let arguments = (ins AnyTensor:$operand, Variadic<AnyTensor>:$start_indices, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<VariadicOperandWithAttribute>($start_indices) `sizes` `=` $slice_sizes attr-dict
      `:` functional-type(operands, results)
  }];
}
def HLO_AfterAll : HLO_Op<"after_all", [Pure]> {
  let arguments = (ins Variadic<HLO_Token>:$inputs);
  let results = (outs HLO_Token:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:` custom<VariadicSameOperandsAndResultType>(ref($inputs), type($inputs), type($result))
  }];
}
def HLO_OptimizationBarrier : HLO_Op<"optimization_barrier", [Pure]> {
  let arguments = (ins Variadic<AnyType>:$operand);
  let results = (outs Variadic<AnyType>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($result))):(`(` `)`)?
  }];
}
def HLO_Reduce : HLO_Op<"reduce", [SameVariadicOperandSize]> {
  let arguments = (ins Variadic<AnyTensor>:$inputs, Variadic<AnyTensor>:$init_values,
                       DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<AnyTensor>);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}
def HLO_ReducePrecision : HLO_Op<"reduce_precision", [Pure]> {
  let arguments = (ins AnyTensor:$operand, I32Attr:$exponent_bits, I32Attr:$mantissa_bits);
  let results = (outs AnyTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict
      `:` custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
}
def HLO_Return : HLO_Op<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}
def HLO_Select : HLO_Op<"select", [Pure]> {
  let arguments = (ins AnyTensor:$pred, AnyTensor:$on_true, AnyTensor:$on_false);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
}
def HLO_Slice : HLO_Op<"slice", [Pure]> {
  let arguments = (ins AnyTensor:$operand, DenseI64ArrayAttr:$start_indices, DenseI64ArrayAttr:$limit_indices,
                       DenseI64ArrayAttr:$strides);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict
      `:` functional-type(operands, results)
  }];
}
def HLO_Tuple : HLO_Op<"tuple", [Pure]> {
  let arguments = (ins Variadic<AnyType>:$val);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleOpType>(type($val), type($result))";
}
def HLO_While : HLO_Op<"while"> {
  let arguments = (ins Variadic<AnyType>:$operand);
  let results = (outs Variadic<AnyType>);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}
