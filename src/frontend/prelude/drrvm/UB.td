// The ub dialect: operations and their assembly formats, with the names and texts that MLIR gives them.

#ifndef DRRVM_UB
#define DRRVM_UB

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def UB_Dialect : Dialect {
  let name = "ub";
  let cppNamespace = "::mlir::ub";
}

def PoisonAttr : AttrDef<UB_Dialect, "Poison"> {
  let mnemonic = "poison";
}

def _UB_AnyPoison : AttrInterface<"PoisonAttrInterface"> {
  let cppNamespace = "::mlir::ub";
  let constBuilderCall = "::mlir::ub::PoisonAttr::get($_builder.getContext())";
}

def PoisonOp : Op<UB_Dialect, "poison", [ConstantLike, Pure]> {
  let arguments = (ins DefaultValuedAttr<_UB_AnyPoison, "{}">:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict (`<` $value^ `>`)? `:` type($result)";
}

def UnreachableOp : Op<UB_Dialect, "unreachable", [Terminator]> {
  let assemblyFormat = "attr-dict";
}

#endif
