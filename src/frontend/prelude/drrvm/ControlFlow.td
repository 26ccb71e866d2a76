// The cf dialect: operations and their assembly formats, with the names and texts that MLIR gives them.

#ifndef DRRVM_CONTROLFLOW
#define DRRVM_CONTROLFLOW

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

def ControlFlow_Dialect : Dialect {
  let name = "cf";
  let cppNamespace = "::mlir::cf";
}

class _CF_Op<string mnemonic, list<Trait> traits = []> : Op<ControlFlow_Dialect, mnemonic, traits>;

def AssertOp : _CF_Op<"assert"> {
  let arguments = (ins I1:$arg, StrAttr:$msg);
  let assemblyFormat = "$arg `,` $msg attr-dict";
}

def BranchOp : _CF_Op<"br", [Pure, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$destOperands);
  let successors = (successor AnySuccessor:$dest);
  let assemblyFormat = "$dest (`(` $destOperands^ `:` type($destOperands) `)`)? attr-dict";
}

def CondBranchOp : _CF_Op<"cond_br", [AttrSizedOperandSegments, Pure, Terminator]> {
  let arguments = (ins I1:$condition, Variadic<AnyType>:$trueDestOperands,
                       Variadic<AnyType>:$falseDestOperands,
                       OptionalAttr<DenseI32ArrayAttr>:$branch_weights);
  let successors = (successor AnySuccessor:$trueDest, AnySuccessor:$falseDest);
  let assemblyFormat = [{
    $condition (`weights` `(` $branch_weights^ `)`)?
    `,` $trueDest (`(` $trueDestOperands^ `:` type($trueDestOperands) `)`)?
    `,` $falseDest (`(` $falseDestOperands^ `:` type($falseDestOperands) `)`)? attr-dict
  }];
}

def SwitchOp : _CF_Op<"switch", [AttrSizedOperandSegments, Pure, Terminator]> {
  let arguments = (ins AnyInteger:$flag, Variadic<AnyType>:$defaultOperands,
                       VariadicOfVariadic<AnyType, "case_operand_segments">:$caseOperands,
                       OptionalAttr<AnyIntElementsAttr>:$case_values,
                       DenseI32ArrayAttr:$case_operand_segments);
  let successors = (successor AnySuccessor:$defaultDestination,
                              VariadicSuccessor<AnySuccessor>:$caseDestinations);
  let assemblyFormat = [{
    $flag `:` type($flag) `,` `[` `\n`
    custom<SwitchOpCases>(ref(type($flag)), $defaultDestination, $defaultOperands,
                          type($defaultOperands), $case_values, $caseDestinations,
                          $caseOperands, type($caseOperands))
    `]` attr-dict
  }];
}

#endif
