// Data layouts: sizes and alignments of types on a target.

#ifndef DRRVM_INTERFACES_DATALAYOUTINTERFACES
#define DRRVM_INTERFACES_DATALAYOUTINTERFACES

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def DLTIQueryInterface : AttrInterface<"DLTIQueryInterface">;
def DataLayoutEntryInterface : AttrInterface<"DataLayoutEntryInterface">;
def DataLayoutSpecInterface : AttrInterface<"DataLayoutSpecInterface", [DLTIQueryInterface]>;
def TargetDeviceSpecInterface : AttrInterface<"TargetDeviceSpecInterface", [DLTIQueryInterface]>;
def TargetSystemSpecInterface : AttrInterface<"TargetSystemSpecInterface", [DLTIQueryInterface]>;
def DataLayoutOpInterface : OpInterface<"DataLayoutOpInterface"> {
  let dependentTraits = [IsolatedFromAbove];
}
def DataLayoutTypeInterface : TypeInterface<"DataLayoutTypeInterface">;
}

#endif
