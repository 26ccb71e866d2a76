// Transformations of LLVM's InstCombine that the Alive papers report as wrong, on the arith dialect.
//
// "Provably Correct Peephole Optimizations with Alive" (PLDI 2015) lists the first eight by the number of the bug
// report. "Alive2: Bounded Translation Validation for LLVM" (PLDI 2021) discusses the last two. The rules are written
// from these descriptions.

include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"

defvar Nsw = ConstantEnumCase<Arith_IntegerOverflowAttr, "nsw">;
defvar NoFlags = ConstantEnumCase<Arith_IntegerOverflowAttr, "none">;
defvar Inexact = NativeCodeCall<"nullptr">;

def IsZero : Constraint<CPred<"::mlir::matchPattern($0, ::mlir::m_Zero())">>;
def IsPowerOf2 : Constraint<CPred<"::llvm::cast<::mlir::IntegerAttr>($0).getValue().isPowerOf2()">>;
def ZeroLike : NativeCodeCall<"$_builder.getZeroAttr($0.getType())">;
def Subtract : NativeCodeCall<"subIntegerAttrs($_builder, $0, $1, $2)">;
class IntegerLike<string value> : NativeCodeCall<"$_builder.getIntegerAttr($0.getType(), " # value # ")">;

// 0 - (x / C) => x / -C. Wrong for C = 1, and for C = INT_MIN.
def PR20186
    : Pat<(Arith_SubIOp:$r $zero, (Arith_DivSIOp $x, (ConstantLikeMatcher APIntAttr:$c), $exact), $f),
          (Arith_DivSIOp $x, (Arith_ConstantOp (Subtract $r, (ZeroLike $x), $c)), $exact),
          [(IsZero $zero)]>;

// x - (0 - a) => x + a, which keeps nsw. Wrong for a = INT_MIN.
def PR20189
    : Pat<(Arith_SubIOp $x, (Arith_SubIOp $zero, $a, $inner), $outer), (Arith_AddIOp $x, $a, $outer),
          [(IsZero $zero)]>;

// x * C => x << log2(C), which keeps nsw. Wrong for C = INT_MIN.
def PR21242
    : Pat<(Arith_MulIOp $x, (ConstantLikeMatcher APIntAttr:$c), $f),
          (Arith_ShLIOp $x,
              (Arith_ConstantOp (NativeCodeCall<"$_builder.getIntegerAttr($0.getType(), ::llvm::cast<::mlir::IntegerAttr>($1).getValue().logBase2())"> $x, $c)),
              $f),
          [(IsPowerOf2 $c)]>;

// (x / C) / D => 0 if C * D overflows. Wrong for x = INT_MIN and C * D = 128: the quotient is -1.
def PR21243
    : Pat<(Arith_DivSIOp (Arith_DivSIOp I8:$x, (ConstantLikeMatcher I8Attr:$c), $e1),
                         (ConstantLikeMatcher I8Attr:$d), $e2),
          (Arith_ConstantOp (ZeroLike $x)),
          [(Constraint<CPred<"::llvm::cast<::mlir::IntegerAttr>($0).getInt() * ::llvm::cast<::mlir::IntegerAttr>($1).getInt() > 127 || ::llvm::cast<::mlir::IntegerAttr>($0).getInt() * ::llvm::cast<::mlir::IntegerAttr>($1).getInt() < -128">> $c, $d)]>;

// (x << C) / D => x / (D >> C) if D is a multiple of 1 << C. Wrong if 1 << C is INT_MIN.
def PR21245
    : Pat<(Arith_DivSIOp (Arith_ShLIOp I8:$x, (ConstantLikeMatcher I8Attr:$c), Nsw),
                         (ConstantLikeMatcher I8Attr:$d), $exact),
          (Arith_DivSIOp $x,
              (Arith_ConstantOp (NativeCodeCall<"$_builder.getIntegerAttr($0.getType(), ::llvm::cast<::mlir::IntegerAttr>($2).getInt() / int8_t(1 << ::llvm::cast<::mlir::IntegerAttr>($1).getInt()))"> $x, $c, $d)),
              $exact),
          [(Constraint<CPred<"::llvm::cast<::mlir::IntegerAttr>($0).getInt() >= 0 && ::llvm::cast<::mlir::IntegerAttr>($0).getInt() < 8 && ::llvm::cast<::mlir::IntegerAttr>($1).getInt() % int8_t(1 << ::llvm::cast<::mlir::IntegerAttr>($0).getInt()) == 0">> $c, $d)]>;

// (x >> C) / D => x / (D << C). Wrong if D << C overflows.
def PR21255
    : Pat<(Arith_DivUIOp (Arith_ShRUIOp I8:$x, (ConstantLikeMatcher I8Attr:$c), $e1),
                         (ConstantLikeMatcher I8Attr:$d), $e2),
          (Arith_DivUIOp $x,
              (Arith_ConstantOp (NativeCodeCall<"$_builder.getIntegerAttr($0.getType(), ::llvm::cast<::mlir::IntegerAttr>($2).getInt() << ::llvm::cast<::mlir::IntegerAttr>($1).getInt())"> $x, $c, $d)),
              $e2),
          [(Constraint<CPred<"::llvm::cast<::mlir::IntegerAttr>($0).getInt() >= 0 && ::llvm::cast<::mlir::IntegerAttr>($0).getInt() < 8">> $c)]>;

// x % (0 - y) => x % y. Wrong in LLVM, where INT_MIN % -1 is undefined. In arith, only x % 0 is undefined.
def PR21256
    : Pat<(Arith_RemSIOp $x, (Arith_SubIOp $zero, $y, $f)), (Arith_RemSIOp $x, $y), [(IsZero $zero)]>;

// x / ((P << a) >> b) => x / (P << (a - b)) for a power of two P. Wrong for a < b.
def PR21274
    : Pat<(Arith_DivUIOp $x, (Arith_ShRUIOp (Arith_ShLIOp (Arith_ConstantOp:$p APIntAttr:$c), $a, $f), $b, $e1), $e2),
          (Arith_DivUIOp $x, (Arith_ShLIOp $p, (Arith_SubIOp $a, $b, NoFlags), NoFlags), $e2),
          [(IsPowerOf2 $c)]>;

// c ? true : x => c | x, and c ? x : false => c & x. Wrong if x is poison and not chosen.
def SelectToOr
    : Pat<(SelectOp $c, (ConstantLikeMatcher ConstBoolAttrTrue), I1:$x), (Arith_OrIOp $c, $x)>;
def SelectToAnd
    : Pat<(SelectOp $c, I1:$x, (ConstantLikeMatcher ConstBoolAttrFalse)), (Arith_AndIOp $c, $x)>;
