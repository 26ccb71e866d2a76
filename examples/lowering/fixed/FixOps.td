// A dialect of fixed-point numbers with types of its own.

#ifndef FIX_OPS
#define FIX_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Fix_Dialect : Dialect {
  let name = "fix";
  let cppNamespace = "::fix";
}

// 16 bits before the point and 16 after it.
def Fix_Num : TypeDef<Fix_Dialect, "Num"> {
  let mnemonic = "num";
}

// A real and an imaginary part.
def Fix_Complex : TypeDef<Fix_Dialect, "Complex"> {
  let mnemonic = "complex";
}

class Fix_Op<string mnemonic> : Op<Fix_Dialect, mnemonic, [Pure]>;

def Fix_ConstantOp : Fix_Op<"constant"> {
  let arguments = (ins I32Attr:$raw);
  let results = (outs Fix_Num:$result);
}

class Fix_BinaryOp<string mnemonic> : Fix_Op<mnemonic> {
  let arguments = (ins Fix_Num:$lhs, Fix_Num:$rhs);
  let results = (outs Fix_Num:$result);
}

def Fix_AddOp : Fix_BinaryOp<"add">;
def Fix_SubOp : Fix_BinaryOp<"sub">;
def Fix_MulOp : Fix_BinaryOp<"mul">;

def Fix_LessOp : Fix_Op<"less"> {
  let arguments = (ins Fix_Num:$lhs, Fix_Num:$rhs);
  let results = (outs I1:$result);
}

// The square needs two steps: it is lowered to a product.
def Fix_SquareOp : Fix_Op<"square"> {
  let arguments = (ins Fix_Num:$input);
  let results = (outs Fix_Num:$result);
}

#endif
