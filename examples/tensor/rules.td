// Removes reshapes and transposes on the tile dialect.

include "mlir/IR/PatternBase.td"
include "TileOps.td"

//===-- Building blocks ----------------------------------------------------===//

def HaveOneType : Constraint<CPred<"$0.getType() == $1.getType()">>;
def HasOneUse : Constraint<CPred<"$0.hasOneUse()">>;
def AreEqual : Constraint<CPred<"$0 == $1">>;

// True for the identity permutation.
def IsIdentity : Constraint<CPred<"::llvm::is_sorted($0.asArrayRef())">>;

// The permutation `$0` followed by `$1`.
def Compose
    : NativeCodeCall<"$_builder.getDenseI64ArrayAttr(::llvm::to_vector(::llvm::map_range("
                     "$1.asArrayRef(), [&](int64_t i) { return $0.asArrayRef()[i]; })))">;

// The elements `$0` with the type of `$1`.
def InTypeOf
    : NativeCodeCall<"::llvm::cast<::mlir::DenseElementsAttr>($0).reshape("
                     "::llvm::cast<::mlir::ShapedType>($1.getType()))">;

// The transposed type of a matrix.
def TurnedType
    : NativeCodeCall<"::mlir::RankedTensorType::get("
                     "{::llvm::cast<::mlir::ShapedType>($0.getType()).getDimSize(1), "
                     "::llvm::cast<::mlir::ShapedType>($0.getType()).getDimSize(0)}, "
                     "::llvm::cast<::mlir::ShapedType>($0.getType()).getElementType())">;

// The permutation that transposes a matrix.
def Turn : ConstantAttr<DenseI64ArrayAttr, "{1, 0}">;

// Constants with equal elements, and constants of zeros.
def Splat : AttrConstraint<And<[CPred<"::llvm::isa<::mlir::DenseElementsAttr>($_self)">,
                                CPred<"::llvm::cast<::mlir::DenseElementsAttr>($_self)"
                                      ".isSplat()">]>,
                           "splat">;
def ZeroSplat
    : AttrConstraint<And<[CPred<"::llvm::isa<::mlir::DenseFPElementsAttr>($_self)">,
                          CPred<"::llvm::cast<::mlir::DenseElementsAttr>($_self).isSplat()">,
                          CPred<"::llvm::cast<::mlir::DenseElementsAttr>($_self)"
                                ".getSplatValue<::llvm::APFloat>().isZero()">]>,
                     "zero everywhere">;

//===-- Reshape ------------------------------------------------------------===//

// Of nested reshapes, only the last one remains.
def ReshapeReshape : Pat<(Tile_ReshapeOp (Tile_ReshapeOp $x)), (Tile_ReshapeOp $x)>;

// A reshape to the same shape is removed; this rule is tried before the other rules for reshapes.
def ReshapeNothing
    : Pat<(Tile_ReshapeOp:$r $x), (replaceWithValue $x), [(HaveOneType $r, $x)], [],
          (addBenefit 3)>;

// Reshapes of constants are computed.
def ReshapeConstant
    : Pat<(Tile_ReshapeOp:$r (Tile_ConstantOp $value)), (Tile_ConstantOp (InTypeOf $value, $r))>;

// Reshapes of both operands of a sum become one reshape of the sum.
def AddReshapes
    : Pat<(Tile_AddOp (Tile_ReshapeOp:$a $x), (Tile_ReshapeOp:$b $y)),
          (Tile_ReshapeOp (Tile_AddOp $x, $y)),
          [(HaveOneType $x, $y), (HasOneUse $a), (HasOneUse $b)]>;

//===-- Transpose ----------------------------------------------------------===//

// Two transposes become one, with the composed permutation.
def TransposeTranspose
    : Pat<(Tile_TransposeOp (Tile_TransposeOp $x, $p), $q),
          (Tile_TransposeOp $x, (Compose $p, $q))>;

// Two transposes of a matrix cancel out. This rule is tried before TransposeTranspose, because it needs no arithmetic.
def TurnTurn
    : Pat<(Tile_TransposeOp (Tile_TransposeOp $x, Turn), Turn), (replaceWithValue $x), [], [],
          (addBenefit 1)>;

def TransposeNothing
    : Pat<(Tile_TransposeOp $x, $p), (replaceWithValue $x), [(IsIdentity $p)], [], (addBenefit 3)>;

// A transposed constant with equal elements has the same elements.
def TransposeSplat
    : Pat<(Tile_TransposeOp:$r (Tile_ConstantOp Splat:$value), $p),
          (Tile_ConstantOp (InTypeOf $value, $r))>;

// A transposed row has the same elements in the same order, so one reshape replaces the reshape and the transpose.
def TurnReshapedRow
    : Pat<(Tile_TransposeOp (Tile_ReshapeOp:$row $x), Turn), (Tile_ReshapeOp $x),
          [(Constraint<CPred<"::llvm::cast<::mlir::ShapedType>($0.getType()).getDimSize(0) == 1">>
               $row)]>;

// Transposes move below elementwise operations, where they can cancel out.
def ReluTranspose
    : Pat<(Tile_ReluOp (Tile_TransposeOp $x, $p)), (Tile_TransposeOp (Tile_ReluOp $x), $p)>;
def AddTransposes
    : Pat<(Tile_AddOp (Tile_TransposeOp:$a $x, $p), (Tile_TransposeOp:$b $y, $q)),
          (Tile_TransposeOp (Tile_AddOp $x, $y), $p),
          [(AreEqual $p, $q), (HaveOneType $x, $y), (HasOneUse $a), (HasOneUse $b)]>;

// (a b)^T => b^T a^T
def TransposeMatmul
    : Pat<(Tile_TransposeOp (Tile_MatmulOp:$product $a, $b), Turn),
          (Tile_MatmulOp (Tile_TransposeOp $b, Turn, (returnType (TurnedType $b))),
                         (Tile_TransposeOp $a, Turn, (returnType (TurnedType $a)))),
          [(HasOneUse $product)]>;

//===-- Elementwise, concatenation -----------------------------------------===//

def AddZero : Pat<(Tile_AddOp $x, (Tile_ConstantOp ZeroSplat:$zero)), (replaceWithValue $x)>;

def ReluRelu : Pat<(Tile_ReluOp (Tile_ReluOp $x)), (Tile_ReluOp $x)>;

// A concatenation of one input, or of a first input that is a concatenation along the same dimension.
def ConcatOne : Pat<(Tile_ConcatOp (variadic $x), $axis), (replaceWithValue $x)>;
def ConcatConcat
    : Pat<(Tile_ConcatOp (variadic (Tile_ConcatOp (variadic $x, $y), $inner), $z), $outer),
          (Tile_ConcatOp (variadic $x, $y, $z), $outer), [(AreEqual $inner, $outer)]>;
