// Calls and callables.

#ifndef DRRVM_INTERFACES_CALLINTERFACES
#define DRRVM_INTERFACES_CALLINTERFACES

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def ArgAndResultAttrsOpInterface : OpInterface<"ArgAndResultAttrsOpInterface">;
def CallOpInterface : OpInterface<"CallOpInterface", [ArgAndResultAttrsOpInterface]>;
def CallableOpInterface : OpInterface<"CallableOpInterface", [ArgAndResultAttrsOpInterface]>;
}

#endif
