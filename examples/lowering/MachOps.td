// A dialect of machine instructions.

#ifndef MACH_OPS
#define MACH_OPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Mach_Dialect : Dialect {
  let name = "mach";
  let cppNamespace = "::mach";
}

class Mach_Op<string mnemonic, list<Trait> traits = []> : Op<Mach_Dialect, mnemonic, traits>;

def Mach_LiOp : Mach_Op<"li", [Pure]> {
  let summary = "load an immediate";
  let arguments = (ins I64Attr:$imm);
  let results = (outs I32:$rd);
}

class Mach_RegisterOp<string mnemonic> : Mach_Op<mnemonic, [Pure]> {
  let arguments = (ins I32:$rs1, I32:$rs2);
  let results = (outs I32:$rd);
}

def Mach_AddOp : Mach_RegisterOp<"add">;
def Mach_SubOp : Mach_RegisterOp<"sub">;
def Mach_MulOp : Mach_RegisterOp<"mul">;
def Mach_DivOp : Mach_RegisterOp<"div">;
def Mach_RemOp : Mach_RegisterOp<"rem">;
def Mach_MaxOp : Mach_RegisterOp<"max">;

class Mach_ImmediateOp<string mnemonic> : Mach_Op<mnemonic, [Pure]> {
  let arguments = (ins I32:$rs1, I64Attr:$imm);
  let results = (outs I32:$rd);
}

def Mach_AddiOp : Mach_ImmediateOp<"addi">;
def Mach_SlliOp : Mach_ImmediateOp<"slli">;

def Mach_MsubOp : Mach_Op<"msub", [Pure]> {
  let summary = "`rs3 - rs1 * rs2`";
  let arguments = (ins I32:$rs1, I32:$rs2, I32:$rs3);
  let results = (outs I32:$rd);
}

def Mach_SortOp : Mach_Op<"sort", [Pure]> {
  let summary = "two numbers in order";
  let arguments = (ins I32:$rs1, I32:$rs2);
  let results = (outs I32:$low, I32:$high);
}

def Mach_EcallOp : Mach_Op<"ecall"> {
  let summary = "a system call";
  let arguments = (ins I64Attr:$service, I32:$rs1, OptionalAttr<StrAttr>:$text);
}

#endif
