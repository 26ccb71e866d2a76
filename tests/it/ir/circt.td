// Operations of the dialects `hw`, `comb`, `seq` and `sv` with their formats, and with wider types than CIRCT's own
// definitions have.

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def HW_Dialect : Dialect {
  let name = "hw";
  let cppNamespace = "::circt::hw";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let usePropertiesForAttributes = 0;
}
def Comb_Dialect : Dialect {
  let name = "comb";
  let cppNamespace = "::circt::comb";
}
def Seq_Dialect : Dialect {
  let name = "seq";
  let cppNamespace = "::circt::seq";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}
def SV_Dialect : Dialect {
  let name = "sv";
  let cppNamespace = "::circt::sv";
  let usePropertiesForAttributes = 0;
}

class HW_Type<string name, string typeMnemonic> : TypeDef<HW_Dialect, name> {
  let mnemonic = typeMnemonic;
  let hasCustomAssemblyFormat = 1;
}
def HW_Array : HW_Type<"Array", "array">;
def HW_Enum : HW_Type<"Enum", "enum">;
def HW_InOut : HW_Type<"InOut", "inout">;
def HW_Int : HW_Type<"Int", "int">;
def HW_ModuleType : HW_Type<"Module", "modty">;
def HW_String : TypeDef<HW_Dialect, "String"> { let mnemonic = "string"; }
def HW_Struct : HW_Type<"Struct", "struct">;
def HW_TypeAlias : HW_Type<"TypeAlias", "typealias">;
def HW_UArray : HW_Type<"UnpackedArray", "uarray">;
def HW_Union : HW_Type<"Union", "union">;

class HW_Attr<string name, string attrMnemonic> : AttrDef<HW_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}
def HW_InnerSym : HW_Attr<"InnerSym", "innerSym">;
def HW_InnerRef : HW_Attr<"InnerRef", "innerNameRef">;
def HW_EnumField : HW_Attr<"EnumField", "enum.field">;
class HW_TypedAttr<string name, string attrMnemonic> : HW_Attr<name, attrMnemonic> {
  let parameters = (ins "StringAttr":$name, AttributeSelfTypeParameter<"">:$type);
}
def HW_ParamDecl : HW_TypedAttr<"ParamDecl", "param.decl">;
def HW_ParamDeclRef : HW_TypedAttr<"ParamDeclRef", "param.decl.ref">;
def HW_ParamVerbatim : HW_TypedAttr<"ParamVerbatim", "param.verbatim">;

class HW_Op<string mnemonic, list<Trait> traits = []> : Op<HW_Dialect, mnemonic, traits>;
class HW_Cxx<string mnemonic, list<Trait> traits = []> : HW_Op<mnemonic, traits> {
  let hasCustomAssemblyFormat = 1;
}

class HW_ModuleLike<string mnemonic>
    : HW_Cxx<mnemonic, [Symbol, IsolatedFromAbove, DeclareOpInterfaceMethods<RegionKindInterface>]> {
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$module_type,
                       OptionalAttr<ArrayAttr>:$per_port_attrs, OptionalAttr<ArrayAttr>:$port_locs,
                       ArrayAttr:$parameters, OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region AnyRegion:$body);
}
def HW_Module : HW_ModuleLike<"module">;
def HW_ModuleExtern : HW_ModuleLike<"module.extern">;
def HW_ModuleGenerated : HW_ModuleLike<"module.generated">;
def HW_GeneratorSchema : HW_Op<"generator.schema", [Symbol]> {
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$descriptor, StrArrayAttr:$requiredAttrs);
  let assemblyFormat = "$sym_name `,` $descriptor `,` $requiredAttrs attr-dict";
}
def HW_Output : HW_Op<"output", [Terminator, Pure]> {
  let arguments = (ins Variadic<AnyType>:$outputs);
  let assemblyFormat = "attr-dict ($outputs^ `:` qualified(type($outputs)))?";
}
def HW_Instance : HW_Cxx<"instance"> {
  let arguments = (ins StrAttr:$instanceName, FlatSymbolRefAttr:$moduleName, Variadic<AnyType>:$inputs,
                       StrArrayAttr:$argNames, StrArrayAttr:$resultNames, ArrayAttr:$parameters,
                       OptionalAttr<HW_InnerSym>:$inner_sym);
  let results = (outs Variadic<AnyType>:$results);
}
def HW_HierPath : HW_Cxx<"hierpath", [Symbol]> {
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$namepath);
}
def HW_TypeScope : HW_Op<"type_scope", [Symbol, SymbolTable, NoTerminator]> {
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name $body attr-dict";
}
def HW_TypeDecl : HW_Op<"typedecl", [Symbol]> {
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, OptionalAttr<StrAttr>:$verilogName);
  let assemblyFormat = "$sym_name (`,` $verilogName^)? `:` $type attr-dict";
}

def HW_Constant : HW_Cxx<"constant", [ConstantLike, Pure]> {
  let arguments = (ins AnyAttr:$value);
  let results = (outs AnyInteger:$result);
}
def HW_AggregateConstant : HW_Cxx<"aggregate_constant", [ConstantLike, Pure]> {
  let arguments = (ins ArrayAttr:$fields);
  let results = (outs AnyType:$result);
}
def HW_EnumConstant : HW_Cxx<"enum.constant", [ConstantLike, Pure]> {
  let arguments = (ins HW_EnumField:$field);
  let results = (outs AnyType:$result);
}
def HW_EnumCmp : HW_Op<"enum.cmp", [Pure]> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs);
  let results = (outs I1:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` qualified(type($lhs)) `,` qualified(type($rhs))";
}
def HW_ParamValue : HW_Cxx<"param.value", [ConstantLike, Pure]> {
  let arguments = (ins AnyAttr:$value);
  let results = (outs AnyType:$result);
}
def HW_Bitcast : HW_Op<"bitcast", [Pure]> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type($input, $result)";
}
def HW_Wire : HW_Op<"wire", [AllTypesMatch<["input", "result"]>]> {
  let arguments = (ins AnyType:$input, OptionalAttr<StrAttr>:$name, OptionalAttr<HW_InnerSym>:$inner_sym);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $input (`sym` $inner_sym^)? custom<ImplicitSSAName>($name) attr-dict `:` qualified(type($input))
  }];
}
def HW_ArrayCreate : HW_Cxx<"array_create", [Pure]> {
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs AnyType:$result);
}
def HW_ArrayConcat : HW_Op<"array_concat", [Pure]> {
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$inputs attr-dict `:` custom<ArrayConcatTypes>(type($inputs), qualified(type($result)))";
}
def HW_ArraySlice : HW_Op<"array_slice", [Pure]> {
  let arguments = (ins AnyType:$input, AnyType:$lowIndex);
  let results = (outs AnyType:$dst);
  let assemblyFormat = [{
    $input `[` $lowIndex `]` attr-dict
      `:` `(` custom<SliceTypes>(type($input), qualified(type($lowIndex))) `)` `->` qualified(type($dst))
  }];
}
def HW_ArrayGet : HW_Op<"array_get", [Pure, TypesMatchWith<"the result has the element type", "input", "result",
    "circt::hw::type_cast<ArrayType>($_self).getElementType()">]> {
  let arguments = (ins AnyType:$input, AnyType:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input `[` $index `]` attr-dict `:` qualified(type($input)) `,` qualified(type($index))";
}
def HW_StructCreate : HW_Cxx<"struct_create", [Pure]> {
  let arguments = (ins Variadic<AnyType>:$input);
  let results = (outs AnyType:$result);
}
def HW_StructExplode : HW_Cxx<"struct_explode", [Pure]> {
  let arguments = (ins AnyType:$input);
  let results = (outs Variadic<AnyType>:$result);
}
class HW_FieldOp<string mnemonic, dag operands> : HW_Cxx<mnemonic, [Pure]> {
  let arguments = !con(operands, (ins I32Attr:$fieldIndex));
  let results = (outs AnyType:$result);
}
def HW_StructExtract : HW_FieldOp<"struct_extract", (ins AnyType:$input)>;
def HW_StructInject : HW_FieldOp<"struct_inject", (ins AnyType:$input, AnyType:$newValue)>;
def HW_UnionCreate : HW_FieldOp<"union_create", (ins AnyType:$input)>;
def HW_UnionExtract : HW_FieldOp<"union_extract", (ins AnyType:$input)>;

class Comb_Op<string mnemonic, list<Trait> traits = []> : Op<Comb_Dialect, mnemonic, !listconcat([Pure], traits)>;
class Comb_Variadic<string mnemonic> : Comb_Op<mnemonic, [SameTypeOperands, SameOperandsAndResultType]> {
  let arguments = (ins Variadic<AnyInteger>:$inputs, UnitAttr:$twoState);
  let results = (outs AnyInteger:$result);
  let assemblyFormat = "(`bin` $twoState^)? $inputs attr-dict `:` qualified(type($result))";
}
class Comb_Binary<string mnemonic> : Comb_Op<mnemonic, [SameTypeOperands, SameOperandsAndResultType]> {
  let arguments = (ins AnyInteger:$lhs, AnyInteger:$rhs, UnitAttr:$twoState);
  let results = (outs AnyInteger:$result);
  let assemblyFormat = "(`bin` $twoState^)? $lhs `,` $rhs attr-dict `:` qualified(type($result))";
}
def Comb_Add : Comb_Variadic<"add">;
def Comb_And : Comb_Variadic<"and">;
def Comb_DivU : Comb_Binary<"divu">;
def Comb_Sub : Comb_Binary<"sub">;
def Comb_Predicate : I64EnumAttr<"ICmpPredicate", "", [
    I64EnumAttrCase<"eq", 0>, I64EnumAttrCase<"ne", 1>, I64EnumAttrCase<"slt", 2>]> {
  let cppNamespace = "::circt::comb";
}
def Comb_ICmp : Comb_Op<"icmp", [SameTypeOperands]> {
  let arguments = (ins Comb_Predicate:$predicate, AnyInteger:$lhs, AnyInteger:$rhs, UnitAttr:$twoState);
  let results = (outs I1:$result);
  let assemblyFormat = "(`bin` $twoState^)? $predicate $lhs `,` $rhs attr-dict `:` qualified(type($lhs))";
}
def Comb_Parity : Comb_Op<"parity"> {
  let arguments = (ins AnyInteger:$input, UnitAttr:$twoState);
  let results = (outs I1:$result);
  let assemblyFormat = "(`bin` $twoState^)? $input attr-dict `:` qualified(type($input))";
}
def Comb_Extract : Comb_Op<"extract"> {
  let arguments = (ins AnyInteger:$input, I32Attr:$lowBit);
  let results = (outs AnyInteger:$result);
  let assemblyFormat = "$input `from` $lowBit attr-dict `:` functional-type($input, $result)";
}
def Comb_Concat : Comb_Op<"concat", [InferTypeOpInterface]> {
  let arguments = (ins Variadic<AnyInteger>:$inputs);
  let results = (outs AnyInteger:$result);
  let assemblyFormat = "$inputs attr-dict `:` qualified(type($inputs))";
}
def Comb_Replicate : Comb_Op<"replicate"> {
  let arguments = (ins AnyInteger:$input);
  let results = (outs AnyInteger:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type($input, $result)";
}
def Comb_Mux : Comb_Op<"mux", [AllTypesMatch<["trueValue", "falseValue", "result"]>]> {
  let arguments = (ins I1:$cond, AnyType:$trueValue, AnyType:$falseValue, UnitAttr:$twoState);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    (`bin` $twoState^)? $cond `,` $trueValue `,` $falseValue attr-dict `:` qualified(type($result))
  }];
}
def Comb_TruthTable : Comb_Op<"truth_table"> {
  let arguments = (ins Variadic<I1>:$inputs, BoolArrayAttr:$lookupTable);
  let results = (outs I1:$result);
  let assemblyFormat = "$inputs `->` $lookupTable attr-dict";
}

def Seq_Clock : TypeDef<Seq_Dialect, "Clock"> { let mnemonic = "clock"; }
def Seq_Immutable : TypeDef<Seq_Dialect, "Immutable"> {
  let mnemonic = "immutable";
  let parameters = (ins "::mlir::Type":$innerType);
  let assemblyFormat = "`<` $innerType `>`";
}
class Seq_Op<string mnemonic, list<Trait> traits = []> : Op<Seq_Dialect, mnemonic, traits>;
def Seq_CompReg : Seq_Op<"compreg", [AllTypesMatch<["input", "data"]>, AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$input, Seq_Clock:$clk, OptionalAttr<StrAttr>:$name, Optional<I1>:$reset,
                       Optional<AnyType>:$resetValue, Optional<AnyType>:$powerOnValue,
                       OptionalAttr<HW_InnerSym>:$inner_sym);
  let results = (outs AnyType:$data);
  let assemblyFormat = [{
    (`sym` $inner_sym^)? custom<ImplicitSSAName>($name) $input `,` $clk (`reset` $reset^ `,` $resetValue)?
      (`powerOn` $powerOnValue^)? attr-dict `:` type($data)
      custom<OptionalTypeMatch>(ref(type($data)), ref($resetValue), type($resetValue))
      custom<OptionalTypeMatch>(ref(type($data)), ref($powerOnValue), type($powerOnValue))
  }];
}
def Seq_CompRegCE : Seq_Op<"compreg.ce", [AllTypesMatch<["input", "data"]>, AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$input, Seq_Clock:$clk, I1:$clockEnable, OptionalAttr<StrAttr>:$name,
                       Optional<I1>:$reset, Optional<AnyType>:$resetValue, Optional<AnyType>:$powerOnValue,
                       OptionalAttr<HW_InnerSym>:$inner_sym);
  let results = (outs AnyType:$data);
  let assemblyFormat = [{
    (`sym` $inner_sym^)? custom<ImplicitSSAName>($name) $input `,` $clk `,` $clockEnable
      (`reset` $reset^ `,` $resetValue)? (`powerOn` $powerOnValue^)? attr-dict `:` type($data)
      custom<OptionalTypeMatch>(ref(type($data)), ref($resetValue), type($resetValue))
      custom<OptionalTypeMatch>(ref(type($data)), ref($powerOnValue), type($powerOnValue))
  }];
}
def Seq_FirReg : Seq_Op<"firreg", [SameVariadicOperandSize]> {
  let arguments = (ins AnyType:$next, Seq_Clock:$clk, StrAttr:$name, OptionalAttr<HW_InnerSym>:$inner_sym,
                       OptionalAttr<AnyAttr>:$preset, Optional<I1>:$reset, Optional<AnyType>:$resetValue,
                       UnitAttr:$isAsync);
  let results = (outs AnyType:$data);
  let hasCustomAssemblyFormat = 1;
}
def Seq_ClockGate : Seq_Op<"clock_gate", [Pure]> {
  let arguments = (ins Seq_Clock:$input, I1:$enable, Optional<I1>:$test_enable,
                       OptionalAttr<HW_InnerSym>:$inner_sym);
  let results = (outs Seq_Clock:$output);
  let assemblyFormat = "$input `,` $enable (`,` $test_enable^)? (`sym` $inner_sym^)? attr-dict";
}
def Seq_FromClock : Seq_Op<"from_clock", [Pure]> {
  let arguments = (ins Seq_Clock:$input);
  let results = (outs I1:$output);
  let assemblyFormat = "$input attr-dict";
}
def Seq_ToClock : Seq_Op<"to_clock", [Pure]> {
  let arguments = (ins I1:$input);
  let results = (outs Seq_Clock:$output);
  let assemblyFormat = "$input attr-dict";
}

class SV_Op<string mnemonic, list<Trait> traits = []> : Op<SV_Dialect, mnemonic, traits>;
class SV_Variable<string mnemonic> : SV_Op<mnemonic> {
  let arguments = (ins OptionalAttr<StrAttr>:$name, OptionalAttr<HW_InnerSym>:$inner_sym);
  let results = (outs AnyType:$result);
  let assemblyFormat = "(`sym` $inner_sym^)? `` custom<ImplicitSSAName>($name) attr-dict `:` qualified(type($result))";
}
def SV_Wire : SV_Variable<"wire">;
def SV_Logic : SV_Variable<"logic">;
def SV_Reg : SV_Op<"reg"> {
  let arguments = (ins Optional<AnyType>:$init, OptionalAttr<StrAttr>:$name, OptionalAttr<HW_InnerSym>:$inner_sym);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    (`init` $init^)? (`sym` $inner_sym^)? `` custom<ImplicitSSAName>($name) attr-dict `:` qualified(type($result))
      custom<OptionalTypeMatch>(ref(type($result)), ref($init), type($init))
  }];
}
def SV_ReadInOut : SV_Op<"read_inout", [TypesMatchWith<"type should be element of inout type", "input", "result",
    "circt::hw::type_cast<InOutType>($_self).getElementType()">]> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input attr-dict `:` qualified(type($input))";
}
def SV_Assign : SV_Op<"assign", [TypesMatchWith<"type should be element of inout type", "src", "dest",
    "circt::hw::InOutType::get($_self)">]> {
  let arguments = (ins AnyType:$dest, AnyType:$src);
  let assemblyFormat = "$dest `,` $src attr-dict `:` qualified(type($src))";
}
