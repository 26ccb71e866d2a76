// The scf dialect: operations and their assembly formats, with the names and texts that MLIR gives them.

#ifndef DRRVM_SCF
#define DRRVM_SCF

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

def SCF_Dialect : Dialect {
  let name = "scf";
  let cppNamespace = "::mlir::scf";
}

class _SCF_Op<string mnemonic, list<Trait> traits = []> : Op<SCF_Dialect, mnemonic, traits>;

// An operation whose text a registered form reads and prints.
class _SCF_FormOp<string mnemonic, list<Trait> traits = []> : _SCF_Op<mnemonic, traits> {
  let hasCustomAssemblyFormat = 1;
}

def ConditionOp : _SCF_Op<"condition", [Pure, Terminator]> {
  let arguments = (ins I1:$condition, Variadic<AnyType>:$args);
  let assemblyFormat = "`(` $condition `)` attr-dict ($args^ `:` type($args))?";
}

def ExecuteRegionOp : _SCF_FormOp<"execute_region", [RecursiveMemoryEffects]> {
  let arguments = (ins UnitAttr:$no_inline);
  let results = (outs Variadic<AnyType>);
  let regions = (region AnyRegion:$region);
}

def ForOp : _SCF_FormOp<"for", [AutomaticAllocationScope, RecursiveMemoryEffects]> {
  let arguments = (ins AnySignlessIntegerOrIndex:$lowerBound, AnySignlessIntegerOrIndex:$upperBound,
                       AnySignlessIntegerOrIndex:$step, Variadic<AnyType>:$initArgs,
                       UnitAttr:$unsignedCmp);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
}

def ForallOp : _SCF_FormOp<"forall", [AttrSizedOperandSegments, AutomaticAllocationScope,
                                      RecursiveMemoryEffects]> {
  let arguments = (ins Variadic<Index>:$dynamicLowerBound, Variadic<Index>:$dynamicUpperBound,
                       Variadic<Index>:$dynamicStep, DenseI64ArrayAttr:$staticLowerBound,
                       DenseI64ArrayAttr:$staticUpperBound, DenseI64ArrayAttr:$staticStep,
                       Variadic<AnyRankedTensor>:$outputs, OptionalAttr<ArrayAttr>:$mapping);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
}

def IfOp : _SCF_FormOp<"if", [RecursiveMemoryEffects, NoRegionArguments]> {
  let arguments = (ins I1:$condition);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, MaxSizedRegion<1>:$elseRegion);
}

def InParallelOp : _SCF_FormOp<"forall.in_parallel", [Terminator, NoTerminator, SingleBlock]> {
  let regions = (region SizedRegion<1>:$region);
}

def IndexSwitchOp : _SCF_Op<"index_switch", [RecursiveMemoryEffects,
                                             SingleBlockImplicitTerminator<"scf::YieldOp">]> {
  let arguments = (ins Index:$arg, DenseI64ArrayAttr:$cases);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$defaultRegion, VariadicRegion<SizedRegion<1>>:$caseRegions);
  let assemblyFormat = [{
    $arg attr-dict (`->` type($results)^)? custom<SwitchCases>($cases, $caseRegions) `\n`
    `` `default` $defaultRegion
  }];
}

def ParallelOp : _SCF_FormOp<"parallel", [AutomaticAllocationScope, AttrSizedOperandSegments,
                                          RecursiveMemoryEffects]> {
  let arguments = (ins Variadic<Index>:$lowerBound, Variadic<Index>:$upperBound,
                       Variadic<Index>:$step, Variadic<AnyType>:$initVals);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
}

def ReduceOp : _SCF_Op<"reduce", [Terminator, RecursiveMemoryEffects]> {
  let arguments = (ins Variadic<AnyType>:$operands);
  let regions = (region VariadicRegion<SizedRegion<1>>:$reductions);
  let assemblyFormat = "(`(` $operands^ `:` type($operands) `)`)? $reductions attr-dict";
}

def ReduceReturnOp : _SCF_Op<"reduce.return", [Pure, Terminator]> {
  let arguments = (ins AnyType:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def WhileOp : _SCF_FormOp<"while", [RecursiveMemoryEffects, SingleBlock]> {
  let arguments = (ins Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$before, SizedRegion<1>:$after);
}

def YieldOp : _SCF_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

#endif
