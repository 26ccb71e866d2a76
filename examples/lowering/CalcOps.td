// A dialect that a front end could emit: arithmetic on i32, with operations that have two results.

#ifndef CALC_OPS
#define CALC_OPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Calc_Dialect : Dialect {
  let name = "calc";
  let cppNamespace = "::calc";
}

class Calc_Op<string mnemonic, list<Trait> traits = []> : Op<Calc_Dialect, mnemonic, traits>;

def Calc_ConstOp : Calc_Op<"const", [Pure]> {
  let summary = "a constant";
  let arguments = (ins I32Attr:$value);
  let results = (outs I32:$result);
}

class Calc_BinaryOp<string mnemonic, list<Trait> traits = []>
    : Calc_Op<mnemonic, !listconcat(traits, [Pure])> {
  let arguments = (ins I32:$lhs, I32:$rhs);
  let results = (outs I32:$result);
}

def Calc_AddOp : Calc_BinaryOp<"add", [Commutative]>;
def Calc_SubOp : Calc_BinaryOp<"sub">;
def Calc_MulOp : Calc_BinaryOp<"mul", [Commutative]>;

def Calc_DivRemOp : Calc_Op<"divrem", [Pure]> {
  let summary = "quotient and remainder";
  let arguments = (ins I32:$lhs, I32:$rhs);
  let results = (outs I32:$quotient, I32:$remainder);
}

def Calc_MinMaxOp : Calc_Op<"minmax", [Pure]> {
  let summary = "the minimum and the maximum of two numbers";
  let arguments = (ins I32:$lhs, I32:$rhs);
  let results = (outs I32:$min, I32:$max);
}

def Calc_ClampOp : Calc_Op<"clamp", [Pure]> {
  let summary = "the nearest number in a range";
  let arguments = (ins I32:$input, I32Attr:$low, I32Attr:$high);
  let results = (outs I32:$result);
}

def Calc_PrintOp : Calc_Op<"print"> {
  let summary = "prints a number, after an optional label";
  let arguments = (ins I32:$input, OptionalAttr<StrAttr>:$label);
}

#endif
