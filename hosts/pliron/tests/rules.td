// Rules on pliron's `llvm` dialect. The operations are defined as in pliron. Attributes are named by their keys in
// pliron, such as `llvm_integer_overflow_flags`.

include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Builtin : Dialect { let name = "builtin"; let cppNamespace = "::builtin"; }
def LLVM : Dialect { let name = "llvm"; let cppNamespace = "::llvm"; }

def ConstantOp : Op<Builtin, "constant", [Pure, ConstantLike, FirstAttrDerivedResultType]> {
  let arguments = (ins TypedAttrInterface:$builtin_constant_value);
  let results = (outs AnyType:$result);
}

class Binary<string mnemonic> : Op<LLVM, mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyInteger:$lhs, AnyInteger:$rhs);
  let results = (outs AnyInteger:$result);
}

class BinaryWithFlags<string mnemonic> : Op<LLVM, mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyInteger:$lhs, AnyInteger:$rhs, AnyAttr:$llvm_integer_overflow_flags);
  let results = (outs AnyInteger:$result);
}

def AddOp : BinaryWithFlags<"add">;
def MulOp : BinaryWithFlags<"mul">;
def ShlOp : BinaryWithFlags<"shl">;
def XorOp : Binary<"xor">;

class IntegerThat<string condition> : AttrConstraint<
    CPred<"::llvm::isa<::mlir::IntegerAttr>($_self) && "
          # "::llvm::cast<::mlir::IntegerAttr>($_self).getValue()." # condition>>;

def ZeroLike : NativeCodeCall<"$_builder.getZeroAttr($0.getType())">;
def AddConstants : NativeCodeCall<"addIntegerAttrs($_builder, $0, $1, $2)">;
// The binary logarithm of a power of two, which a native computes. The result has the type of the argument.
def Log2 : NativeCodeCall<"log2Of($0)">;

// x + 0 => x
def AddZero : Pat<(AddOp $x, (ConstantOp IntegerThat<"isZero()">), $flags), (replaceWithValue $x)>;

// (x + a) + b => x + (a + b)
def AddAdd : Pat<(AddOp:$root (AddOp $x, (ConstantOp $a), $inner), (ConstantOp $b), $flags),
                 (AddOp $x, (ConstantOp (AddConstants $root, $a, $b)), $flags)>;

// x ^ x => 0
def XorSelf : Pat<(XorOp $x, $x), (ConstantOp (ZeroLike $x))>;

// x * 2^n => x << n
def MulPowerOfTwo : Pat<(MulOp $x, (ConstantOp IntegerThat<"isPowerOf2()">:$c), $flags),
                        (ShlOp $x, (ConstantOp (Log2 $c)), $flags)>;
