include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// A resource of effects with C++ code as a second argument, which later versions of MLIR accept.
def Shared : Resource<"::t::Shared", [{::t::get()}]>;

def TT : Dialect { let name = "tt"; let cppNamespace = "::t"; }
def TTG : Dialect { let name = "ttg"; let cppNamespace = "::t"; }
def TTNG : Dialect { let name = "ttng"; let cppNamespace = "::t"; }

class Written<Dialect d, string name, string text> : TypeDef<d, name> {
  let mnemonic = text;
  let hasCustomAssemblyFormat = 1;
}
def PtrType : Written<TT, "Ptr", "ptr"> { let parameters = (ins "Type":$pointee, "Space":$space); }
def DescType : Written<TT, "TensorDesc", "tensordesc"> { let parameters = (ins "Type":$element); }
def MemDescType : Written<TTG, "MemDesc", "memdesc"> { let parameters = (ins "Type":$element); }
def TokenType : TypeDef<TTG, "Token"> { let mnemonic = "async.token"; }

class Layout<Dialect d, string name, string text> : AttrDef<d, name> {
  let mnemonic = text;
  let parameters = (ins "int":$value);
  let hasCustomAssemblyFormat = 1;
}
foreach text = ["blocked", "slice", "linear", "generic_linear", "nvidia_mma", "amd_mfma", "amd_wmma", "swizzled_shared",
                "amd_rotating_shared", "nvmma_shared", "partitioned_shared", "padded_shared", "shared_linear"] in
  def Layout_#text : Layout<TTG, "Layout_"#text, text>;
def SharedMemory : AttrDef<TTG, "SharedMemory"> { let mnemonic = "shared_memory"; }
def TensorMemory : AttrDef<TTNG, "TensorMemory"> { let mnemonic = "tensor_memory"; }
def Encoding : Layout<TTNG, "Encoding", "tensor_memory_encoding">;
def Scales : Layout<TTNG, "Scales", "tensor_memory_scales_encoding">;
def DotOperand : AttrDef<TTG, "DotOperand"> {
  let mnemonic = "dot_op";
  let parameters = (ins "unsigned":$opIdx, "Attribute":$parent, DefaultValuedParameter<"unsigned", "0">:$kWidth);
  let assemblyFormat = "`<` `{` struct(params) `}` `>`";
}

def Axis : I32EnumAttr<"Axis", "", [I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">]>;
def Kind : I32EnumAttr<"Kind", "", [I32EnumAttrCase<"ADD", 4, "add">, I32EnumAttrCase<"FADD", 5, "fadd">]>;
def Order : I32EnumAttr<"Order", "", [I32EnumAttrCase<"RELAXED", 1, "relaxed">]>;
def Scope : I32EnumAttr<"Scope", "", [I32EnumAttrCase<"GPU", 1, "gpu">]>;
def Space : I32BitEnumAttr<"Space", "", [
  I32BitEnumAttrCase<"Local", 1>, I32BitEnumAttrCase<"GlobalRead", 2>, I32BitEnumAttrCase<"GlobalWrite", 4>,
  I32BitEnumAttrCase<"TensorRead", 8>, I32BitEnumAttrCase<"TensorWrite", 16>, I32BitEnumAttrCase<"Other", 32>]>;

class TT_Op<string name, list<Trait> traits = []> : Op<TT, name, traits>;
class TTG_Op<string name, list<Trait> traits = []> : Op<TTG, name, traits>;
class TTNG_Op<string name, list<Trait> traits = []> : Op<TTNG, name, traits>;
class Pointee<string value> : TypesMatchWith<"", "ptr", value, "getPointeeType($_self)">;
class MaskOf<string of, string type> : TypesMatchWith<"", of, "mask", type, "!getMask() || std::equal_to<>()">;

def Func : TT_Op<"func", [IsolatedFromAbove]> {
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$function_type, OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
}
def Return : TT_Op<"return", [Terminator]> {
  let arguments = (ins Variadic<AnyType>:$srcs);
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
}
def Call : TT_Op<"call"> {
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)";
}
def ProgramId : TT_Op<"get_program_id", [Pure]> {
  let arguments = (ins Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}
def MakeRange : TT_Op<"make_range", [Pure]> {
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def Splat : TT_Op<"splat", [Pure]> {
  let arguments = (ins AnyType:$src);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}
def Unsplat : TT_Op<"unsplat", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins AnyType:$src);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
}
def AddPtr : TT_Op<"addptr", [Pure, TypesMatchWith<"", "result", "ptr", "$_self">]> {
  let arguments = (ins AnyType:$ptr, AnyType:$offset);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
}
def Load : TT_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<InferTypeOpInterface>,
                          Pointee<"result">, Pointee<"other">,
                          MaskOf<"ptr", "getI1SameShape(getPointeeType($_self))">]> {
  let arguments = (ins AnyType:$ptr, Optional<AnyType>:$mask, Optional<AnyType>:$other,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$ptr (`,` $mask^)? (`,` $other^)? attr-dict `:` type($ptr)";
}
def Store : TT_Op<"store", [Pointee<"value">, MaskOf<"ptr", "getI1SameShape(getPointeeType($_self))">]> {
  let arguments = (ins AnyType:$ptr, AnyType:$value, Optional<AnyType>:$mask, UnitAttr:$ignore_cta);
  let assemblyFormat = "$ptr `,` $value (`,` $mask^)? attr-dict `:` type($ptr)";
}
def AtomicPoll : TT_Op<"atomic_poll", [TypesMatchWith<"", "expected", "ptr", "getPointerTypeSameShape($_self)">,
                                       TypesMatchWith<"", "expected", "result", "getI1SameShape($_self)">]> {
  let arguments = (ins AnyType:$ptr, AnyType:$expected, Optional<I64>:$timeout, Order:$sem, Scope:$scope);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $expected (`timeout` $timeout^)? attr-dict
    `:` qualified(type($ptr)) `,` type($expected) `->` type($result)
  }];
}
def Reduce : TT_Op<"reduce", [Pure, SingleBlock]> {
  let arguments = (ins Variadic<AnyType>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<AnyType>:$result);
  let regions = (region SizedRegion<1>:$combine);
}
def ReduceReturn : TT_Op<"reduce.return", [Terminator]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}
def DescriptorLoad : TT_Op<"descriptor_load"> {
  let arguments = (ins DescType:$desc, Variadic<I32>:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$desc `[` $indices `]` attr-dict `:` qualified(type($desc)) `->` type($result)";
}

def ConvertLayout : TTG_Op<"convert_layout", [Pure]> {
  let arguments = (ins AnyType:$src, UnitAttr:$force_warp_shuffle);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}
def LocalAlloc : TTG_Op<"local_alloc"> {
  let arguments = (ins Optional<AnyType>:$src, OptionalAttr<I32Attr>:$alignment);
  let results = (outs MemDescType:$result);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
}
def Subslice : TTG_Op<"memdesc_subslice", [Pure]> {
  let arguments = (ins MemDescType:$src, DenseI32ArrayAttr:$offsets);
  let results = (outs MemDescType:$result);
  let assemblyFormat = [{
    $src `[` custom<Offsets>($offsets) `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
}
def AsyncWait : TTG_Op<"async_wait"> {
  let arguments = (ins Variadic<TokenType>:$tokens, I32Attr:$num);
  let results = (outs TokenType:$result);
  let assemblyFormat = "($tokens^)? attr-dict";
}
def Barrier : TTG_Op<"barrier"> {
  let arguments = (ins Space:$addrSpace);
  let hasCustomAssemblyFormat = 1;
}
def WarpSpecialize : TTG_Op<"warp_specialize"> {
  let arguments = (ins DenseI32ArrayAttr:$partitionNumWarps, OptionalAttr<DenseI32ArrayAttr>:$requestedRegisters);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region MinSizedRegion<1>:$default, SizedRegion<1>:$holder);
  let hasCustomAssemblyFormat = 1;
}
def Partitions : TTG_Op<"warp_specialize.partitions", [IsolatedFromAbove, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$captures);
  let regions = (region VariadicRegion<MinSizedRegion<1>>:$partitions);
}
def WarpYield : TTG_Op<"warp_yield", [Terminator]> {
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
}
def WarpReturn : TTG_Op<"warp_return", [Terminator]> { let assemblyFormat = "attr-dict"; }

def DotWait : TTNG_Op<"warp_group_dot_wait", [DeclareOpInterfaceMethods<InferTypeOpInterface>,
                                              AllTypesMatch<["inputs", "outputs"]>]> {
  let arguments = (ins Variadic<AnyType>:$inputs, I32Attr:$pendings);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
}
def TmemAlloc : TTNG_Op<"tmem_alloc"> {
  let arguments = (ins Optional<AnyType>:$src);
  let results = (outs MemDescType:$result, Optional<TokenType>:$token);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
}
def Mma : TTNG_Op<"tc_gen5_mma", [AttrSizedOperandSegments]> {
  let arguments = (ins MemDescType:$a, MemDescType:$b, MemDescType:$d, Optional<TokenType>:$acc_dep, I1:$useD, I1:$pred,
                       Variadic<MemDescType>:$barriers, Variadic<I1>:$barrier_preds, UnitAttr:$is_async);
  let results = (outs Optional<TokenType>:$token);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $useD`,`
    $pred `` custom<BarriersAndPreds>($barriers, $barrier_preds)
    attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($d))
    (`,` qualified(type($barriers))^)?
  }];
}
