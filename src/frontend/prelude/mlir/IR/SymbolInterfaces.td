// Symbols, their tables and their users.

#ifndef DRRVM_IR_SYMBOLINTERFACES
#define DRRVM_IR_SYMBOLINTERFACES

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def Symbol : OpInterface<"SymbolOpInterface">;
def SymbolUserOpInterface : OpInterface<"SymbolUserOpInterface">;
def SymbolUserAttrInterface : AttrInterface<"SymbolUserAttrInterface">;
}

def SymbolTable : NativeOpTrait<"SymbolTable">;

#endif
