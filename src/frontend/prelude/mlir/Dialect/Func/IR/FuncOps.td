// Functions, calls and returns.

#ifndef DRRVM_DIALECT_FUNC_IR_FUNCOPS
#define DRRVM_DIALECT_FUNC_IR_FUNCOPS

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Func_Dialect : Dialect {
  let name = "func";
  let cppNamespace = "::mlir::func";
  let hasConstantMaterializer = 1;
}

class Func_Op<string mnemonic, list<Trait> traits = []> : Op<Func_Dialect, mnemonic, traits>;

def FuncOp : Func_Op<"func", [AffineScope, AutomaticAllocationScope, FunctionOpInterface,
                              IsolatedFromAbove, OpAsmOpInterface]> {
  let summary = "a function";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs, UnitAttr:$no_inline);
  let regions = (region AnyRegion:$body);
  let extraClassDeclaration = [{ static ::llvm::StringRef getDefaultDialect() { return "func"; } }];
  let builders = [OpBuilder<(ins "StringRef":$name, "FunctionType":$type,
                                 CArg<"ArrayRef<NamedAttribute>", "{}">:$attrs,
                                 CArg<"ArrayRef<DictionaryAttr>", "{}">:$argAttrs)>];
  let hasCustomAssemblyFormat = 1;
}

def ReturnOp
    : Func_Op<"return", [Pure, HasParent<"FuncOp">, MemRefsNormalizable, ReturnLike, Terminator]> {
  let summary = "the end of a function";
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), "build($_builder, $_state, {});">];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

// A builder of a call. The parameter that names the callee is before or after the result types.
class _CallBuilder<string callee, code body>
    : OpBuilder<(ins callee:$callee, "TypeRange":$results, CArg<"ValueRange", "{}">:$operands),
                body>;
class _CallBuilderResultsFirst<string callee>
    : OpBuilder<(ins "TypeRange":$results, callee:$callee, CArg<"ValueRange", "{}">:$operands),
                "build($_builder, $_state, callee, results, operands);">;

def CallOp : Func_Op<"call", [CallOpInterface, MemRefsNormalizable,
                              DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a call of a function by name";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs, UnitAttr:$no_inline);
  let results = (outs Variadic<AnyType>);
  let builders = [
    OpBuilder<(ins "FuncOp":$callee, CArg<"ValueRange", "{}">:$operands), [{
      $_state.addOperands(operands);
      $_state.addAttribute("callee", SymbolRefAttr::get(callee));
      $_state.addTypes(callee.getFunctionType().getResults());
    }]>,
    _CallBuilder<"SymbolRefAttr", [{
      $_state.addOperands(operands);
      $_state.addAttribute("callee", callee);
      $_state.addTypes(results);
    }]>,
    _CallBuilder<"StringAttr",
                 "build($_builder, $_state, SymbolRefAttr::get(callee), results, operands);">,
    _CallBuilder<"StringRef",
                 "build($_builder, $_state, StringAttr::get($_builder.getContext(), callee), "
                 "results, operands);">,
    _CallBuilderResultsFirst<"FlatSymbolRefAttr">,
    _CallBuilderResultsFirst<"StringAttr">,
    _CallBuilderResultsFirst<"StringRef">
  ];
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)";
}

def CallIndirectOp
    : Func_Op<"call_indirect",
              [CallOpInterface,
               TypesMatchWith<"arguments are what the callee takes", "callee", "callee_operands",
                              "::llvm::cast<FunctionType>($_self).getInputs()">,
               TypesMatchWith<"results are what the callee gives", "callee", "results",
                              "::llvm::cast<FunctionType>($_self).getResults()">]> {
  let summary = "a call of a function value";
  let arguments = (ins FunctionType:$callee, Variadic<AnyType>:$callee_operands,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins "Value":$callee, CArg<"ValueRange", "{}">:$operands), [{
    $_state.operands.push_back(callee);
    $_state.addOperands(operands);
    $_state.addTypes(::llvm::cast<FunctionType>(callee.getType()).getResults());
  }]>];
  let assemblyFormat = "$callee `(` $callee_operands `)` attr-dict `:` type($callee)";
  let hasCanonicalizeMethod = 1;
}

def ConstantOp
    : Func_Op<"constant", [ConstantLike, Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                           DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a function as a value";
  let arguments = (ins FlatSymbolRefAttr:$value);
  let results = (outs AnyType);
  let assemblyFormat = "attr-dict $value `:` type(results)";
  let hasFolder = 1;
}

#endif
