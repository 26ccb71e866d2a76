// The math dialect: operations and their assembly formats, with the names and texts that MLIR gives them.

#ifndef DRRVM_MATH
#define DRRVM_MATH

include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

def Math_Dialect : Dialect {
  let name = "math";
  let cppNamespace = "::mlir::math";
}

class _Math_Op<string mnemonic, list<Trait> traits = []>
    : Op<Math_Dialect, mnemonic, !listconcat(traits, [Pure])>;

defvar _MathFlags = DefaultValuedAttr<Arith_FastMathAttr, "::mlir::arith::FastMathFlags::none">;

class _Math_FloatUnaryOp<string mnemonic> : _Math_Op<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins FloatLike:$operand, _MathFlags:$fastmath);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)";
}

class _Math_IntUnaryOp<string mnemonic> : _Math_Op<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins SignlessIntegerOrIndexLike:$operand);
  let results = (outs SignlessIntegerOrIndexLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

class _Math_FloatBinaryOp<string mnemonic> : _Math_Op<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins FloatLike:$lhs, FloatLike:$rhs, _MathFlags:$fastmath);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)";
}

class _Math_ClassificationOp<string mnemonic>
    : _Math_Op<mnemonic, [TypesMatchWith<"a bit for each operand", "operand", "result",
                                         "::getI1SameShape($_self)">]> {
  let arguments = (ins FloatLike:$operand, _MathFlags:$fastmath);
  let results = (outs BoolLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

foreach name = ["absf", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh",
                "erf", "erfc", "exp", "exp2", "expm1", "floor", "log", "log10", "log1p", "log2", "round",
                "roundeven", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"] in
  def Math_#name : _Math_FloatUnaryOp<name>;

foreach name = ["absi", "ctlz", "ctpop", "cttz"] in
  def Math_#name : _Math_IntUnaryOp<name>;

foreach name = ["atan2", "copysign", "powf"] in
  def Math_#name : _Math_FloatBinaryOp<name>;

foreach name = ["isfinite", "isinf", "isnan", "isnormal"] in
  def Math_#name : _Math_ClassificationOp<name>;

def ClampFOp : _Math_Op<"clampf", [SameOperandsAndResultType]> {
  let arguments = (ins FloatLike:$value, FloatLike:$min, FloatLike:$max, _MathFlags:$fastmath);
  let results = (outs FloatLike:$result);
  let assemblyFormat = [{
    $value `to` ` ` `[` $min `,` $max `]` (`fastmath` `` $fastmath^)? attr-dict `:` type($result)
  }];
}

def FPowIOp : _Math_Op<"fpowi", [SameOperandsAndResultShape, AllTypesMatch<["lhs", "result"]>]> {
  let arguments = (ins FloatLike:$lhs, SignlessIntegerOrIndexLike:$rhs, _MathFlags:$fastmath);
  let results = (outs FloatLike:$result);
  let assemblyFormat
      = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($lhs) `,` type($rhs)";
}

def FmaOp : _Math_Op<"fma", [SameOperandsAndResultType]> {
  let arguments = (ins FloatLike:$a, FloatLike:$b, FloatLike:$c, _MathFlags:$fastmath);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$a `,` $b `,` $c (`fastmath` `` $fastmath^)? attr-dict `:` type($result)";
}

def IPowIOp : _Math_Op<"ipowi", [SameOperandsAndResultType]> {
  let arguments = (ins SignlessIntegerOrIndexLike:$lhs, SignlessIntegerOrIndexLike:$rhs);
  let results = (outs SignlessIntegerOrIndexLike:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def SincosOp : _Math_Op<"sincos", [SameOperandsAndResultShape,
                                   AllTypesMatch<["operand", "sin", "cos"]>]> {
  let arguments = (ins FloatLike:$operand, _MathFlags:$fastmath);
  let results = (outs FloatLike:$sin, FloatLike:$cos);
  let assemblyFormat = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($operand)";
}

#endif
