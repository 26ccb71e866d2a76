// Encodings of tensors.

#ifndef DRRVM_IR_TENSORENCODING
#define DRRVM_IR_TENSORENCODING

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def VerifiableTensorEncoding : AttrInterface<"VerifiableTensorEncoding">;
}

#endif
