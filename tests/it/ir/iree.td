// Operations of IREE's dialects with their formats, and with wider types than IREE's own definitions have.

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Util_Dialect : Dialect {
  let name = "util";
  let cppNamespace = "::mlir::iree_compiler::IREE::Util";
  let useDefaultAttributePrinterParser = 1;
}
def Flow_Dialect : Dialect {
  let name = "flow";
  let cppNamespace = "::mlir::iree_compiler::IREE::Flow";
  let useDefaultAttributePrinterParser = 1;
}
def Stream_Dialect : Dialect {
  let name = "stream";
  let cppNamespace = "::mlir::iree_compiler::IREE::Stream";
  let useDefaultAttributePrinterParser = 1;
}
def HAL_Dialect : Dialect {
  let name = "hal";
  let cppNamespace = "::mlir::iree_compiler::IREE::HAL";
  let useDefaultAttributePrinterParser = 1;
}
def IREETensorExt_Dialect : Dialect {
  let name = "iree_tensor_ext";
  let cppNamespace = "::mlir::iree_compiler::IREE::TensorExt";
  let useDefaultAttributePrinterParser = 1;
}


// A type whose class C++ code defines.
class IREE_Type<Dialect dialect, string space, string cls, string name>
    : DialectType<dialect, CPred<"llvm::isa<IREE::" # space # "::" # cls # ">($_self)">, name> {
  let builderCall = "$_builder.getType<IREE::" # space # "::" # cls # ">()";
}
def Stream_Timepoint : IREE_Type<Stream_Dialect, "Stream", "TimepointType", "timepoint">;
def HAL_Fence : IREE_Type<HAL_Dialect, "HAL", "FenceType", "fence">;
def HAL_CommandBuffer : IREE_Type<HAL_Dialect, "HAL", "CommandBufferType", "command_buffer">;
def Util_Buffer : IREE_Type<Util_Dialect, "Util", "BufferType", "buffer">;

def Util_InlineNever : AttrDef<Util_Dialect, "InlineNever"> {
  let mnemonic = "inline.never";
}
def Util_Null : AttrDef<Util_Dialect, "Null", [TypedAttrInterface]> {
  let mnemonic = "null";
  let parameters = (ins AttributeSelfTypeParameter<"">:$type);
  let assemblyFormat = "";
}
def Util_IntAssumption : AttrDef<Util_Dialect, "IntAssumption"> {
  let mnemonic = "int.assumption";
  let parameters = (ins "std::optional<uint64_t>":$umin, "std::optional<uint64_t>":$umax,
      "std::optional<uint64_t>":$udiv);
  let hasCustomAssemblyFormat = 1;
}
class Util_Op<string m, list<Trait> t = []> : Op<Util_Dialect, m, t>;
def Util_RangeExtentsOp : Util_Op<"range.extents", [SameVariadicOperandSize, AllTypesMatch<["offsets",
    "lengths", "min", "max"]>]> {
  let arguments = (ins Variadic<AnyType>:$offsets, Variadic<AnyType>:$lengths);
  let results = (outs AnyType:$min, AnyType:$max);
  let assemblyFormat = "custom<RangeList>($offsets, $lengths) attr-dict `:` type($min)";
}
def Util_SwitchOp : Util_Op<"switch"> {
  let arguments = (ins Index:$index, AnyType:$default_value, Variadic<AnyType>:$values);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    type($default_value) `from` custom<TypedValueList>(ref(type($default_value)), $values, type($values))
      `at` $index `else` $default_value attr-dict `:` type($result)
  }];
}
def Util_AssumeIntOp : Util_Op<"assume.int"> {
  let arguments = (ins Variadic<AnyType>:$operands, ArrayAttr:$assumptions);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
}
def Util_UnfoldableConstantOp : Util_Op<"unfoldable_constant"> {
  let arguments = (ins AnyAttr:$value);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
}
def Util_InitializerOp : Util_Op<"initializer", [IsolatedFromAbove]> {
  let arguments = (ins TypeAttrOf<FunctionType>:$function_type, OptionalAttr<DictArrayAttr>:$arg_attrs,
      OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
}
def Util_FuncOp : Util_Op<"func", [IsolatedFromAbove]> {
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
      OptionalAttr<TypedArrayAttrBase<IndexAttr, "">>:$tied_operands, OptionalAttr<StrAttr>:$sym_visibility,
      OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
      OptionalAttr<AnyAttr>:$inlining_policy);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
}
def Util_CallOp : Util_Op<"call"> {
  let arguments = (ins Variadic<AnyType>:$operands, FlatSymbolRefAttr:$callee,
      OptionalAttr<TypedArrayAttrBase<IndexAttr, "">>:$tied_operands, OptionalAttr<DictArrayAttr>:$arg_attrs,
      OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $callee `(` $operands `)` attr-dict `:` custom<OperandTypeList>(type($operands)) `->`
      custom<TiedFunctionResultList>(ref($operands), ref(type($operands)), type($results), $tied_operands)
  }];
}
def Util_ReturnOp : Util_Op<"return", [Terminator]> {
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}
def Util_GlobalOp : Util_Op<"global"> {
  let arguments = (ins OptionalAttr<StrAttr>:$sym_visibility, SymbolNameAttr:$sym_name, TypeAttr:$type,
      UnitAttr:$is_mutable, OptionalAttr<TypedAttrInterface>:$initial_value,
      OptionalAttr<AnyAttr>:$inlining_policy);
  let assemblyFormat = [{
    custom<SymbolVisibility>($sym_visibility) (`mutable` $is_mutable^)? $sym_name attr-dict
      custom<TypeOrAttr>($type, $initial_value)
  }];
}
def Util_GlobalStoreOp : Util_Op<"global.store"> {
  let arguments = (ins AnyType:$value, FlatSymbolRefAttr:$global);
  let assemblyFormat = "$value `,` $global attr-dict `:` type($value)";
}
def Util_ListGetOp : Util_Op<"list.get"> {
  let arguments = (ins AnyType:$list, Index:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$list `[` $index `]` attr-dict `:` custom<ListTypeGet>(type($list), type($result))";
}
def Util_ListSetOp : Util_Op<"list.set"> {
  let arguments = (ins AnyType:$list, Index:$index, AnyType:$value);
  let assemblyFormat = [{
    $list `[` $index `]` `,` $value attr-dict `:` custom<ListTypeSet>(type($list), type($value))
  }];
}
def Util_BufferSubspanOp : Util_Op<"buffer.subspan"> {
  let arguments = (ins AnyType:$source, Index:$source_size, Index:$source_offset, Index:$result_size);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $source `[` $source_offset `]` `:` type($source) `` `{` $source_size `}` `->` type($result) `` `{`
      $result_size `}` attr-dict-with-keyword
  }];
}

class Flow_Op<string m, list<Trait> t = []> : Op<Flow_Dialect, m, t>;
def Flow_Tied : OptionalAttr<TypedArrayAttrBase<IndexAttr, "">>;
def Flow_DispatchRegionOp : Flow_Op<"dispatch.region", [AttrSizedOperandSegments]> {
  let arguments = (ins Variadic<Index>:$result_dims, Variadic<Index>:$workload);
  let results = (outs Variadic<AnyType>:$result);
  let regions = (region AnyRegion:$body, AnyRegion:$workgroup_count);
  let hasCustomAssemblyFormat = 1;
}
def Flow_DispatchWorkgroupsOp : Flow_Op<"dispatch.workgroups", [IsolatedFromAbove, AttrSizedOperandSegments]>
    {
  let arguments = (ins Variadic<Index>:$workload, Variadic<AnyType>:$arguments,
      Variadic<Index>:$argument_dims, Variadic<Index>:$result_dims, Flow_Tied:$tied_operands);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region AnyRegion:$workgroup_body, AnyRegion:$workgroup_count);
  let assemblyFormat = [{
    (`[` $workload^ `]`)? `` `(` $arguments `)` `:` custom<ShapedFunctionType>(ref($arguments),
      type($arguments), $argument_dims, type($results), $result_dims, $tied_operands)
      attr-dict-with-keyword `=` `\n` ` ` ` ` ` ` custom<DispatchWorkgroupBody>(ref(type($arguments)),
      ref(type($results)), $workgroup_body) `` custom<DispatchWorkgroupsCountRegion>($workgroup_count)
  }];
}
def Flow_ReturnOp : Flow_Op<"return", [Terminator]> {
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}
def Flow_ExecutableOp : Flow_Op<"executable", [IsolatedFromAbove,
    SingleBlockImplicitTerminator<"IREE::Flow::ExecutableEndOp">, NoRegionArguments, SymbolTable, Symbol]> {
  let arguments = (ins OptionalAttr<StrAttr>:$sym_visibility, SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<SymbolVisibility>($sym_visibility) $sym_name attr-dict-with-keyword regions";
}
def Flow_ExecutableEndOp : Flow_Op<"executable_end", [Terminator]> {
  let assemblyFormat = "attr-dict";
}
def Flow_ExecutableExportOp : Flow_Op<"executable.export", [IsolatedFromAbove]> {
  let arguments = (ins OptionalAttr<StrAttr>:$sym_visibility, SymbolNameAttr:$sym_name,
      FlatSymbolRefAttr:$function_ref);
  let regions = (region AnyRegion:$workgroup_count);
  let assemblyFormat = [{
    custom<SymbolVisibility>($sym_visibility) custom<SymbolAlias>($sym_name, $function_ref)
      custom<WorkgroupCountRegion>($workgroup_count) attr-dict-with-keyword
  }];
}
def Flow_DispatchOp : Flow_Op<"dispatch", [AttrSizedOperandSegments]> {
  let arguments = (ins Variadic<Index>:$workload, TypedArrayAttrBase<SymbolRefAttr, "">:$entry_points,
      Variadic<AnyType>:$arguments, Variadic<Index>:$argument_dims, Variadic<Index>:$result_dims,
      Flow_Tied:$tied_operands);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    custom<DispatchEntryPoints>($entry_points) (`[` $workload^ `]`)? `` `(` $arguments `)` attr-dict `:`
      custom<ShapedFunctionType>(ref($arguments), type($arguments), $argument_dims, type($results),
      $result_dims, $tied_operands)
  }];
}
def Flow_TensorUpdateOp : Flow_Op<"tensor.update", [AttrSizedOperandSegments, AllTypesMatch<["target",
    "result"]>]> {
  let arguments = (ins AnyType:$target, Variadic<Index>:$target_dims, Variadic<Index>:$start_indices,
      AnyType:$update, Variadic<Index>:$update_dims);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $update `,` $target `[` $start_indices `]` `:` type($update) (`{` $update_dims^ `}`)? `->`
      custom<ShapedTiedResult>(type($result), $target_dims) attr-dict-with-keyword
  }];
}
def Flow_TensorTraceOp : Flow_Op<"tensor.trace", [AttrSizedOperandSegments]> {
  let arguments = (ins StrAttr:$key, Variadic<AnyType>:$values, Variadic<Index>:$value_dims);
  let assemblyFormat = [{
    $key `=` `[` custom<ShapedOperandList>($values, type($values), $value_dims) `]` attr-dict-with-keyword
  }];
}
def Flow_ParameterLoadOp : Flow_Op<"parameter.load", [AttrSizedOperandSegments]> {
  let arguments = (ins Optional<Util_Buffer>:$source_scope, Util_Buffer:$source_key, I64:$source_offset,
      Variadic<Index>:$result_dims);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    custom<ParameterReference>($source_scope, $source_key) `` `[` $source_offset `]` `:` type($result)
      (`{` $result_dims^ `}`)? attr-dict-with-keyword
  }];
}

class Stream_Op<string m, list<Trait> t = []> : Op<Stream_Dialect, m, t>;
def Stream_Tied : OptionalAttr<TypedArrayAttrBase<IndexAttr, "">>;
def Stream_Affinity : OptionalAttr<AnyAttr>;
def Stream_Resource : TypeDef<Stream_Dialect, "Resource"> {
  let mnemonic = "resource";
  let parameters = (ins "int":$lifetime);
  let hasCustomAssemblyFormat = 1;
}
def Stream_ResourceConstantsOp : Stream_Op<"resource.constants"> {
  let arguments = (ins TypedArrayAttrBase<AnyAttr, "">:$values, Variadic<Index>:$result_sizes,
      Stream_Affinity:$affinity);
  let results = (outs Variadic<AnyType>:$results, Stream_Timepoint:$result_timepoint);
  let assemblyFormat = [{
    (`on` `(` $affinity^ `)`)? attr-dict `:` custom<ConstantValueList>(type($results), $result_sizes,
      $values) `\n` ` ` ` ` `=` `` `>` type($result_timepoint)
  }];
}
def Stream_ResourcePackOp : Stream_Op<"resource.pack", [AttrSizedOperandSegments]> {
  let arguments = (ins Optional<Index>:$offset, TypedArrayAttrBase<IndexAttr, "">:$lifetime_intervals,
      Variadic<Index>:$dynamic_slice_sizes, Stream_Affinity:$affinity);
  let results = (outs Index:$total_length, Variadic<Index>:$packed_offsets);
  let assemblyFormat = [{
    (`on` `(` $affinity^ `)`)? (`offset` `` `(` $offset^ `)`)? `slices` `` `(` `{`
      custom<PackSliceRanges>($lifetime_intervals, $dynamic_slice_sizes, type($packed_offsets)) `}` `)`
      `:` type($total_length) attr-dict-with-keyword
  }];
}
def Stream_TensorDispatchOp : Stream_Op<"tensor.dispatch", [AttrSizedOperandSegments]> {
  let arguments = (ins Variadic<Index>:$workload, TypedArrayAttrBase<SymbolRefAttr, "">:$entry_points,
      Variadic<AnyType>:$mixed_operands, Variadic<Index>:$operand_sizes, TypedArrayAttrBase<AnyAttr,
      "">:$operand_encodings, Variadic<Index>:$operand_encoding_dims, Variadic<Index>:$result_sizes,
      TypedArrayAttrBase<TypeAttr, "">:$result_encodings, Variadic<Index>:$result_encoding_dims,
      Stream_Tied:$tied_operands, Stream_Affinity:$affinity);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    (`on` `(` $affinity^ `)`)?  custom<DispatchEntryPoints>($entry_points) (`[` $workload^ `]`)? `` `(`
      $mixed_operands `)` attr-dict `:` custom<EncodedShapedFunctionType>(ref($mixed_operands),
      type($mixed_operands), $operand_sizes, $operand_encodings, $operand_encoding_dims, type($results),
      $result_sizes, $result_encodings, $result_encoding_dims, $tied_operands)
  }];
}
def Stream_AsyncUpdateOp : Stream_Op<"async.update", [AllTypesMatch<["target", "result"]>]> {
  let arguments = (ins AnyType:$target, Index:$target_size, Index:$target_offset, Index:$target_end,
      AnyType:$update, Index:$update_size, Stream_Affinity:$affinity);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    (`on` `(` $affinity^ `)`)? $update `,` $target `[` $target_offset `to` $target_end `]` `:`
      type($update) `` `{` $update_size `}` `->` custom<ShapedTiedResult>(type($target), $target_size)
      attr-dict-with-keyword
  }];
}
def Stream_AsyncDispatchOp : Stream_Op<"async.dispatch", [AttrSizedOperandSegments]> {
  let arguments = (ins Variadic<Index>:$workload, TypedArrayAttrBase<SymbolRefAttr, "">:$entry_points,
      Variadic<AnyType>:$resource_operands, Variadic<Index>:$resource_operand_sizes,
      Variadic<Index>:$resource_operand_offsets, Variadic<Index>:$resource_operand_ends,
      Variadic<Index>:$resource_operand_lengths, Variadic<Index>:$result_sizes, Stream_Tied:$tied_operands,
      Stream_Affinity:$affinity);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    (`on` `(` $affinity^ `)`)?  custom<DispatchEntryPoints>($entry_points) (`[` $workload^ `]`)? ``
      custom<DispatchOperands>($resource_operands, $resource_operand_offsets, $resource_operand_ends,
      $resource_operand_lengths) attr-dict `:` custom<ShapedFunctionType>(ref($resource_operands),
      type($resource_operands), $resource_operand_sizes, type($results), $result_sizes, $tied_operands)
  }];
}
def Stream_AsyncFuncOp : Stream_Op<"async.func", [IsolatedFromAbove]> {
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
      Stream_Tied:$tied_operands, OptionalAttr<StrAttr>:$sym_visibility,
      OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{
    custom<SymbolVisibility>($sym_visibility) $sym_name `` custom<ShapedFunctionSignature>($function_type,
      $tied_operands, $arg_attrs, $res_attrs) attr-dict-with-keyword ($body^)?
  }];
}
def Stream_AsyncExecuteOp : Stream_Op<"async.execute", [AttrSizedOperandSegments, SingleBlock]> {
  let arguments = (ins Variadic<AnyType>:$resource_operands, Variadic<Index>:$resource_operand_sizes,
      Variadic<Index>:$result_sizes, Stream_Tied:$tied_operands, Optional<Stream_Timepoint>:$await_timepoint,
      Stream_Affinity:$affinity);
  let results = (outs Variadic<AnyType>:$results, Stream_Timepoint:$result_timepoint);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`on` `(` $affinity^ `)`)? (`await` `(` $await_timepoint^ `)` `=` `>`)? `with` ``
      custom<ResourceRegion>($resource_operands, type($resource_operands), $resource_operand_sizes,
      type($results), $result_sizes, $tied_operands, $body) `=` `>` type($result_timepoint)
      attr-dict-with-keyword
  }];
}
def Stream_CmdDispatchOp : Stream_Op<"cmd.dispatch", [AttrSizedOperandSegments]> {
  let arguments = (ins Variadic<Index>:$workload, TypedArrayAttrBase<SymbolRefAttr, "">:$entry_points,
      Variadic<AnyType>:$uniform_operands, Variadic<AnyType>:$resources, Variadic<Index>:$resource_sizes,
      Variadic<Index>:$resource_offsets, Variadic<Index>:$resource_lengths, TypedArrayAttrBase<I32Attr,
      "">:$resource_accesses);
  let assemblyFormat = [{
    custom<DispatchEntryPoints>($entry_points) (`[` $workload^ `]`)? (`` `(` $uniform_operands^ `:`
      type($uniform_operands) `)`)? `{` custom<DispatchResources>($resources, type($resources),
      $resource_sizes, $resource_offsets, $resource_lengths, $resource_accesses) `\n` `}`
      attr-dict-with-keyword
  }];
}
def Stream_CmdExecuteOp : Stream_Op<"cmd.execute", [AttrSizedOperandSegments, SingleBlock]> {
  let arguments = (ins Variadic<AnyType>:$resource_operands, Variadic<Index>:$resource_operand_sizes,
      Optional<Stream_Timepoint>:$await_timepoint, UnitAttr:$once, Stream_Affinity:$affinity);
  let results = (outs Stream_Timepoint:$result_timepoint);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`once` $once^)? (`on` `(` $affinity^ `)`)? (`await` `(` $await_timepoint^ `)` `=` `>`)? `with` ``
      custom<ExplicitResourceRegion>($resource_operands, type($resource_operands),
      $resource_operand_sizes, $body) `=` `>` type($result_timepoint) attr-dict-with-keyword
  }];
}
def Stream_CmdParameterLoadOp : Stream_Op<"cmd.parameter.load", [AttrSizedOperandSegments]> {
  let arguments = (ins Optional<Util_Buffer>:$source_scope, Variadic<Util_Buffer>:$source_keys,
      Variadic<I64>:$source_offsets, Variadic<Index>:$result_sizes,
      Optional<Stream_Timepoint>:$await_timepoint, Stream_Affinity:$affinity);
  let results = (outs Variadic<AnyType>:$results, Stream_Timepoint:$result_timepoint);
  let assemblyFormat = [{
    (`on` `(` $affinity^ `)`)? (`await` `(` $await_timepoint^ `)` `=` `>`)? `{`
      custom<ParameterLoadOperations>($source_scope, $source_keys, $source_offsets, type($results),
      $result_sizes) `}` `=` `>` type($result_timepoint) attr-dict-with-keyword
  }];
}
def Stream_TimepointAwaitOp : Stream_Op<"timepoint.await", [AttrSizedOperandSegments,
    AllTypesMatch<["resource_operands", "results"]>]> {
  let arguments = (ins Variadic<AnyType>:$resource_operands, Variadic<Index>:$resource_operand_sizes,
      Stream_Timepoint:$await_timepoint, UnitAttr:$sync);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    (`sync` $sync^)? $await_timepoint `=` `>` $resource_operands `:`
      custom<ShapedTypeList>(type($resource_operands), $resource_operand_sizes) attr-dict-with-keyword
  }];
}
def Stream_YieldOp : Stream_Op<"yield", [SameVariadicOperandSize, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$resource_operands, Variadic<Index>:$resource_operand_sizes);
  let assemblyFormat = [{
    attr-dict ($resource_operands^ `:` custom<ShapedTypeList>(type($resource_operands),
      $resource_operand_sizes))?
  }];
}
def Stream_CmdParameterGatherOp : Stream_Op<"cmd.parameter.gather", [AttrSizedOperandSegments]> {
  let arguments = (ins Optional<Util_Buffer>:$source_scope, Variadic<Util_Buffer>:$source_keys,
      Variadic<I64>:$source_offsets, AnyType:$target, Index:$target_size, Variadic<Index>:$target_offsets,
      Variadic<Index>:$target_lengths, Optional<Stream_Timepoint>:$await_timepoint,
      Stream_Affinity:$affinity);
  let results = (outs Stream_Timepoint:$result_timepoint);
  let assemblyFormat = [{
    (`on` `(` $affinity^ `)`)? (`await` `(` $await_timepoint^ `)` `=` `>`)? `{`
      custom<CmdParameterGatherOperations>($source_scope, $source_keys, $source_offsets, $target,
      type($target), $target_size, $target_offsets, $target_lengths) `}` `=` `>` type($result_timepoint)
      attr-dict-with-keyword
  }];
}
def Stream_CmdParameterScatterOp : Stream_Op<"cmd.parameter.scatter", [AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$source, Index:$source_size, Variadic<Index>:$source_offsets,
      Variadic<Index>:$source_lengths, Optional<Util_Buffer>:$target_scope,
      Variadic<Util_Buffer>:$target_keys, Variadic<I64>:$target_offsets,
      Optional<Stream_Timepoint>:$await_timepoint, Stream_Affinity:$affinity);
  let results = (outs Stream_Timepoint:$result_timepoint);
  let assemblyFormat = [{
    (`on` `(` $affinity^ `)`)? (`await` `(` $await_timepoint^ `)` `=` `>`)? `{`
      custom<CmdParameterScatterOperations>($source, type($source), $source_size, $source_offsets,
      $source_lengths, $target_scope, $target_keys, $target_offsets) `}` `=` `>` type($result_timepoint)
      attr-dict-with-keyword
  }];
}

class HAL_Op<string m, list<Trait> t = []> : Op<HAL_Dialect, m, t>;
class HAL_Bits<string n, list<BitEnumAttrCaseBase> cases> : I32BitEnumAttr<n, "", cases> {
  let cppNamespace = "::mlir::iree_compiler::IREE::HAL";
  let separator = "|";
}
class HAL_Bits64<string n, list<BitEnumAttrCaseBase> cases> : I64BitEnumAttr<n, "", cases> {
  let cppNamespace = "::mlir::iree_compiler::IREE::HAL";
  let separator = "|";
}
class Bit<string s, int v> : I32BitEnumAttrCase<s, v>;
def HAL_MemoryType : HAL_Bits<"MemoryTypeBitfield", [Bit<"None", 0>, Bit<"Optimal", 1>, Bit<"HostVisible", 2>,
    Bit<"HostCoherent", 4>, Bit<"HostCached", 8>, Bit<"HostLocal", 64>, Bit<"DeviceVisible", 16>,
    Bit<"DeviceLocal", 32>]>;
def HAL_BufferUsage : HAL_Bits<"BufferUsageBitfield", [Bit<"None", 0>, Bit<"TransferSource", 1>,
    Bit<"TransferTarget", 2>, Bit<"Transfer", 3>, Bit<"DispatchIndirectParameters", 256>,
    Bit<"DispatchUniformRead", 512>, Bit<"DispatchStorageRead", 1024>, Bit<"DispatchStorageWrite", 2048>,
    Bit<"DispatchStorage", 3072>, Bit<"DispatchImageRead", 4096>, Bit<"DispatchImageWrite", 8192>,
    Bit<"DispatchImage", 12288>, Bit<"SharingExport", 65536>, Bit<"SharingReplicate", 131072>,
    Bit<"SharingConcurrent", 262144>, Bit<"SharingImmutable", 524288>, Bit<"MappingScoped", 16777216>,
    Bit<"MappingPersistent", 33554432>, Bit<"MappingOptional", 67108864>, Bit<"MappingAccessRandom",
    134217728>, Bit<"MappingAccessSequentialWrite", 268435456>, Bit<"Mapping", 16777216>]>;
class None64<string s, int v = 0> : I64BitEnumAttrCase<s, v>;
def HAL_Flags : HAL_Bits64<"Flags", [None64<"None", 0>, None64<"Reserved", 1>]>;
def HAL_PipelineLayout : AttrDef<HAL_Dialect, "PipelineLayout"> {
  let mnemonic = "pipeline.layout";
  let parameters = (ins "ArrayRef<int>":$bindings, "int64_t":$constants, "int":$flags);
  let hasCustomAssemblyFormat = 1;
}
def HAL_PipelineBinding : AttrDef<HAL_Dialect, "PipelineBinding"> {
  let mnemonic = "pipeline.binding";
  let parameters = (ins "int":$type, "int":$flags);
  let hasCustomAssemblyFormat = 1;
}
def HAL_ExecutableTarget : AttrDef<HAL_Dialect, "ExecutableTarget"> {
  let mnemonic = "executable.target";
  let parameters = (ins "StringAttr":$backend, "StringAttr":$format, "DictionaryAttr":$configuration);
  let hasCustomAssemblyFormat = 1;
}
def HAL_DeviceAffinity : AttrDef<HAL_Dialect, "DeviceAffinity"> {
  let mnemonic = "device.affinity";
  let hasCustomAssemblyFormat = 1;
  let parameters = (ins "SymbolRefAttr":$device, "int64_t":$queue_mask);
}
def HAL_ReturnOp : HAL_Op<"return", [Terminator]> {
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}
def HAL_MemoryTypeOp : HAL_Op<"memory_type"> {
  let arguments = (ins HAL_MemoryType:$type);
  let results = (outs AnyType:$result);
  let assemblyFormat = "`` `<` $type `>` attr-dict `:` type($result)";
}
def HAL_BufferUsageOp : HAL_Op<"buffer_usage"> {
  let arguments = (ins HAL_BufferUsage:$usage);
  let results = (outs AnyType:$result);
  let assemblyFormat = "`` `<` $usage `>` attr-dict `:` type($result)";
}
def HAL_TensorImportOp : HAL_Op<"tensor.import", [AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$source, TypeAttr:$target_encoding, Variadic<Index>:$target_dims,
      UnitAttr:$consume, Optional<HAL_Fence>:$wait_fence, Optional<Index>:$byte_offset,
      OptionalAttr<StrAttr>:$name, OptionalAttr<AnyAttr>:$affinity);
  let results = (outs AnyType:$target);
  let assemblyFormat = [{
    (`on` `(` $affinity^ `)`)? (`wait` `(` $wait_fence^ `)` `=` `>`)? (`consume` $consume^)? $source
      (`offset` `(` $byte_offset^ `)`)? ($name^)? `:` type($source) `->`
      custom<TypeAlias>($target_encoding, type($target)) (`{` $target_dims^ `}`)? attr-dict
  }];
}
def HAL_TensorExportOp : HAL_Op<"tensor.export"> {
  let arguments = (ins AnyType:$source, TypeAttr:$source_encoding, Variadic<Index>:$source_dims,
      OptionalAttr<StrAttr>:$name, OptionalAttr<AnyAttr>:$affinity);
  let results = (outs AnyType:$target);
  let assemblyFormat = [{
    (`on` `(` $affinity^ `)`)? $source ($name^)? `:` custom<TypeAlias>($source_encoding, type($source))
      (`{` $source_dims^ `}`)? `->` type($target) attr-dict
  }];
}
def HAL_DeviceQueueAllocaOp : HAL_Op<"device.queue.alloca"> {
  let arguments = (ins AnyType:$device, I64:$queue_affinity, HAL_Fence:$wait_fence, HAL_Fence:$signal_fence,
      I64:$pool, I32:$memory_types, I32:$buffer_usage, Index:$result_size, HAL_Flags:$flags);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    `<` $device `:` type($device) `>` `affinity` `(` $queue_affinity `)` `wait` `(` $wait_fence `)`
      `signal` `(` $signal_fence `)` `pool` `(` $pool `)` `type` `(` $memory_types `)` `usage` `(`
      $buffer_usage `)` `flags` `(` $flags `)` `:` custom<SizeAwareType>(type($result), $result_size)
      attr-dict-with-keyword
  }];
}
def HAL_DeviceQueueExecuteIndirectOp : HAL_Op<"device.queue.execute.indirect", [SameVariadicOperandSize]> {
  let arguments = (ins AnyType:$device, I64:$queue_affinity, HAL_Fence:$wait_fence, HAL_Fence:$signal_fence,
      HAL_CommandBuffer:$command_buffer, Variadic<AnyType>:$binding_buffers, Variadic<Index>:$binding_offsets,
      Variadic<Index>:$binding_lengths, HAL_Flags:$flags);
  let assemblyFormat = [{
    `<` $device `:` type($device) `>` `affinity` `(` $queue_affinity `)` `wait` `(` $wait_fence `)`
      `signal` `(` $signal_fence `)` `commands` `(` $command_buffer `)` `bindings` `(` `[`
      custom<BindingTable>($binding_buffers, type($binding_buffers), $binding_offsets, $binding_lengths)
      `]` `)` `flags` `(` $flags `)` attr-dict-with-keyword
  }];
}
def HAL_ExecutableOp : HAL_Op<"executable", [IsolatedFromAbove,
    SingleBlockImplicitTerminator<"IREE::HAL::ExecutableEndOp">, NoRegionArguments]> {
  let arguments = (ins OptionalAttr<StrAttr>:$sym_visibility, SymbolNameAttr:$sym_name, UnitAttr:$lazy);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<SymbolVisibility>($sym_visibility) (`lazy` $lazy^)? $sym_name attr-dict-with-keyword regions
  }];
}
def HAL_ExecutableEndOp : HAL_Op<"executable_end", [Terminator]> {
  let assemblyFormat = "attr-dict";
}
def HAL_ExecutableVariantOp : HAL_Op<"executable.variant", [IsolatedFromAbove,
    SingleBlockImplicitTerminator<"IREE::HAL::ExecutableVariantEndOp">, NoRegionArguments]> {
  let arguments = (ins OptionalAttr<StrAttr>:$sym_visibility, SymbolNameAttr:$sym_name,
      HAL_ExecutableTarget:$target, OptionalAttr<TypedArrayAttrBase<AnyAttr, "">>:$objects,
      OptionalAttr<DictionaryAttr>:$sources);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<SymbolVisibility>($sym_visibility) $sym_name `target` `(` $target `)` (`objects` `(` $objects^
      `)`)? (`sources` `(` $sources^ `)`)? attr-dict-with-keyword $body
  }];
}
def HAL_ExecutableVariantEndOp : HAL_Op<"executable.variant_end", [Terminator]> {
  let assemblyFormat = "attr-dict";
}
def HAL_ExecutableConditionOp : HAL_Op<"executable.condition", [IsolatedFromAbove]> {
  let arguments = (ins TypeAttrOf<FunctionType>:$function_type, OptionalAttr<DictArrayAttr>:$arg_attrs,
      OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
}
def HAL_ExecutableConstantBlockOp : HAL_Op<"executable.constant.block", [IsolatedFromAbove]> {
  let arguments = (ins TypeAttrOf<FunctionType>:$function_type, TypedArrayAttrBase<AnyAttr, "">:$keys,
      OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
}
def HAL_ExecutableExportOp : HAL_Op<"executable.export", [IsolatedFromAbove]> {
  let arguments = (ins OptionalAttr<StrAttr>:$sym_visibility, SymbolNameAttr:$sym_name,
      OptionalAttr<IndexAttr>:$ordinal, AnyAttr:$layout, OptionalAttr<TypedArrayAttrBase<IndexAttr,
      "">>:$workgroup_size, OptionalAttr<AnyAttr>:$subgroup_size,
      OptionalAttr<IndexAttr>:$workgroup_local_memory, OptionalAttr<FlatSymbolRefAttr>:$condition_fallback,
      OptionalAttr<AnyAttr>:$source_locs);
  let regions = (region AnyRegion:$workgroup_count, AnyRegion:$condition);
  let assemblyFormat = [{
    custom<SymbolVisibility>($sym_visibility) $sym_name (`ordinal` `(` $ordinal^ `)`)? `layout` `(`
      $layout `)` (`condition` `` custom<ExportConditionRegion>($condition)^)? (`fallback` `(`
      $condition_fallback^ `)`)? (`count` `` custom<WorkgroupCountRegion>($workgroup_count)^)?
      attr-dict-with-keyword
  }];
}

def TE_DispatchTensorType : TypeDef<IREETensorExt_Dialect, "DispatchTensor"> {
  let mnemonic = "dispatch.tensor";
  let hasCustomAssemblyFormat = 1;
  let parameters = (ins "int":$access, "Type":$boundType);
}
