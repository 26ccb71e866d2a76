// Operations of the dialect `torch` with their formats, and with wider types than torch-mlir's own definitions have.

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Torch_Dialect : Dialect {
  let name = "torch";
  let cppNamespace = "::mlir::torch::Torch";
  let useDefaultTypePrinterParser = 1;
}

// Types.

class Torch_Type<string name, string text> : TypeDef<Torch_Dialect, name> {
  let mnemonic = text;
}
class Torch_CxxType<string name, string text> : Torch_Type<name, text> {
  let parameters = (ins "::mlir::Type":$inside);
  let hasCustomAssemblyFormat = 1;
}
def Torch_AnyType : Torch_Type<"Any", "any">;
def Torch_BoolType : Torch_Type<"Bool", "bool">;
def Torch_DeviceType : Torch_Type<"Device", "Device">;
def Torch_FloatType : Torch_Type<"Float", "float">;
def Torch_IntType : Torch_Type<"Int", "int">;
def Torch_NoneType : Torch_Type<"None", "none">;
def Torch_NumberType : Torch_Type<"Number", "number">;
def Torch_StringType : Torch_Type<"String", "str">;
def Torch_DictType : Torch_CxxType<"Dict", "dict">;
def Torch_ListType : Torch_CxxType<"List", "list">;
def Torch_NnModuleType : Torch_CxxType<"NnModule", "nn.Module">;
def Torch_NonValueTensorType : Torch_CxxType<"NonValueTensor", "tensor">;
def Torch_OptionalType : Torch_CxxType<"Optional", "optional">;
def Torch_TupleType : Torch_CxxType<"Tuple", "tuple">;
def Torch_UnionType : Torch_CxxType<"Union", "union">;
def Torch_ValueTensorType : Torch_CxxType<"ValueTensor", "vtensor">;
def Any : Type<CPred<"true">, "any type">;

// Operations with the default form.

class Torch_Op<string name, list<Trait> traits = []> : Op<Torch_Dialect, name, traits>;

class Torch_DefaultOp<string cls, string name, dag inputs, dag outputs = (outs Any:$result)> : Torch_Op<name> {
  let arguments = inputs;
  let results = outputs;
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = "ParseResult " # cls # [{::parse(OpAsmParser &parser, OperationState &result) {
      return parseDefaultTorchOp(parser, result, }] # !size(inputs) # ", " # !size(outputs) # [{);
    }
    void }] # cls # [{::print(OpAsmPrinter &printer) {
      printDefaultTorchOp(printer, *this, }] # !size(inputs) # ", " # !size(outputs) # [{);
    }
  }];
}
def Torch_AtenAddScalarOp
    : Torch_DefaultOp<"AtenAddScalarOp", "aten.add.Scalar", (ins Any:$self, Any:$other, Any:$alpha)>;
def Torch_AtenCurrentOp : Torch_DefaultOp<"AtenCurrentOp", "aten.current", (ins)>;
def Torch_AtenGtIntOp : Torch_DefaultOp<"AtenGtIntOp", "aten.gt.int", (ins Any:$a, Any:$b)>;
def Torch_AtenMaxDimOp : Torch_DefaultOp<"AtenMaxDimOp", "aten.max.dim", (ins Any:$self, Any:$dim, Any:$keepdim),
                                         (outs Any:$values, Any:$indices)>;
def Torch_AtenTanhOp : Torch_DefaultOp<"AtenTanhOp", "aten.tanh", (ins Any:$self)>;
def Torch_PrimRaiseExceptionOp
    : Torch_DefaultOp<"PrimRaiseExceptionOp", "prim.RaiseException", (ins Any:$msg, Any:$cls), (outs)>;
// The parser of the base class reads one result, but this operation has two results.
def Torch_StrangeOp : Torch_DefaultOp<"StrangeOp", "strange", (ins Any:$a)> {
  let results = (outs Any:$x, Any:$y);
}

// Constants. C++ code infers the type of the result, but the definition leaves only one type.

class Torch_Constant<string name, Attr attribute, Type type, string format>
    : Torch_Op<"constant." # name, [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins attribute:$value);
  let results = (outs type:$result);
  let assemblyFormat = format;
}
def Torch_ConstantBoolOp : Torch_Constant<"bool", BoolAttr, Torch_BoolType, "$value attr-dict">;
def Torch_ConstantDeviceOp : Torch_Constant<"device", StrAttr, Torch_DeviceType, "$value attr-dict">;
def Torch_ConstantFloatOp : Torch_Constant<"float", F64Attr, Torch_FloatType, "$value attr-dict">;
def Torch_ConstantStrOp : Torch_Constant<"str", StrAttr, Torch_StringType, "$value attr-dict">;
def Torch_ConstantIntOp : Torch_Op<"constant.int"> {
  let arguments = (ins I64Attr:$value);
  let results = (outs Torch_IntType:$result);
  let hasCustomAssemblyFormat = 1;
}
def Torch_ConstantNoneOp : Torch_Op<"constant.none"> {
  let results = (outs Torch_NoneType:$result);
  let assemblyFormat = "attr-dict";
}
def Torch_ConstantNumberOp : Torch_Op<"constant.number"> {
  let arguments = (ins AnyAttr:$value);
  let results = (outs Torch_NumberType:$result);
}
def Torch_ValueTensorLiteralOp : Torch_Op<"vtensor.literal"> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Torch_ValueTensorType:$result);
  let assemblyFormat = "`(` $value `)` attr-dict `:` qualified(type($result))";
}

// Other operations on values.

def Torch_CopyToTensorOp
    : Torch_Op<"copy.to_tensor", [TypesMatchWith<"the types correspond", "result", "operand",
                                                 "cast<NonValueTensorType>($_self).getWithValueSemantics()">]> {
  let arguments = (ins Torch_ValueTensorType:$operand);
  let results = (outs Torch_NonValueTensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` qualified(type($result))";
}
def Torch_CopyToVtensorOp
    : Torch_Op<"copy.to_vtensor", [TypesMatchWith<"the types correspond", "result", "operand",
                                                  "cast<ValueTensorType>($_self).getWithoutValueSemantics()">]> {
  let arguments = (ins Torch_NonValueTensorType:$operand);
  let results = (outs Torch_ValueTensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` qualified(type($result))";
}
def Torch_PrimListConstructOp : Torch_Op<"prim.ListConstruct"> {
  let arguments = (ins Variadic<Any>:$elements);
  let results = (outs Torch_ListType:$result);
  let assemblyFormat = "$elements attr-dict `:` functional-type($elements, $result)";
}
def Torch_PrimTupleConstructOp : Torch_Op<"prim.TupleConstruct"> {
  let arguments = (ins Variadic<Any>:$elements);
  let results = (outs Torch_TupleType:$result);
  let assemblyFormat = "$elements attr-dict `:` qualified(type($elements)) `->` qualified(type($result))";
}
def Torch_PrimDictConstructOp : Torch_Op<"prim.DictConstruct", [SameVariadicOperandSize]> {
  let arguments = (ins Variadic<Any>:$keys, Variadic<Any>:$values);
  let results = (outs Torch_DictType:$result);
  let assemblyFormat = [{
    `keys` `(` ($keys^ `:` qualified(type($keys)))? `)` `values` `(` ($values^ `:` qualified(type($values)))? `)`
    attr-dict `->` qualified(type($result))
  }];
}
def Torch_OperatorOp : Torch_Op<"operator"> {
  let arguments = (ins StrAttr:$name, Variadic<Any>:$inputs);
  let results = (outs Variadic<Any>:$outputs);
  let regions = (region VariadicRegion<AnyRegion>:$regions);
  let assemblyFormat = "$name `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs) $regions";
}
def Torch_SymbolicIntOp : Torch_Op<"symbolic_int"> {
  let arguments = (ins StrAttr:$symbol_name, I64Attr:$min_val, I64Attr:$max_val);
  let results = (outs Torch_IntType:$result);
  let assemblyFormat = [{
    $symbol_name ` ` `{` `min_val` `=` $min_val `,` `max_val` `=` $max_val `}` attr-dict `:` type($result)
  }];
}

// Control flow and modules.

def Torch_PrimIfOp : Torch_Op<"prim.If"> {
  let arguments = (ins Torch_BoolType:$condition);
  let results = (outs Variadic<Any>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let hasCustomAssemblyFormat = 1;
}
def Torch_PrimIfYieldOp : Torch_Op<"prim.If.yield", [Terminator]> {
  let arguments = (ins Variadic<Any>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` qualified(type($results)))?";
}
def Torch_PrimLoopOp : Torch_Op<"prim.Loop"> {
  let arguments = (ins Torch_IntType:$maxTripCount, Torch_BoolType:$initialCondition, Variadic<Any>:$iterArgsInit);
  let results = (outs Variadic<Any>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    $maxTripCount `,` $initialCondition `,` `init` `(` $iterArgsInit `)` $region attr-dict `:`
    functional-type(operands, results)
  }];
}
def Torch_PrimLoopConditionOp : Torch_Op<"prim.Loop.condition", [Terminator]> {
  let arguments = (ins Torch_BoolType:$shouldContinue, Variadic<Any>:$iterArgs);
  let assemblyFormat = [{
    $shouldContinue `,` `iter` `(` ($iterArgs^ `:` qualified(type($iterArgs)))? `)` attr-dict
  }];
}
def Torch_PrimGetAttrOp : Torch_Op<"prim.GetAttr"> {
  let arguments = (ins Torch_NnModuleType:$receiver, StrAttr:$name);
  let results = (outs Any:$result);
  let assemblyFormat = [{
    $receiver `[` $name `]` attr-dict `:` qualified(type($receiver)) `->` qualified(type($result))
  }];
}
def Torch_GlobalSlotOp : Torch_Op<"global_slot", [Symbol]> {
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, TypeAttr:$typeBound);
  let assemblyFormat = "($sym_visibility^)? $sym_name attr-dict `:` $typeBound";
}
def Torch_ModuleInitializerOp : Torch_Op<"global_slot.module_initializer", [IsolatedFromAbove]> {
  let regions = (region SizedRegion<1>:$initializer);
  let assemblyFormat = "$initializer attr-dict";
}
def Torch_InitializeGlobalSlotsOp : Torch_Op<"initialize.global_slots", [Terminator]> {
  let arguments = (ins SymbolRefArrayAttr:$slotSymNames, Variadic<Any>:$initialValues);
  let hasCustomAssemblyFormat = 1;
}
