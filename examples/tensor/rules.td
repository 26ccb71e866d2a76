// Fewer reshapes and transposes on the tile dialect.

include "mlir/IR/PatternBase.td"
include "TileOps.td"

//===-- Building blocks ----------------------------------------------------===//

def HaveOneType : Constraint<CPred<"$0.getType() == $1.getType()">>;
def HasOneUse : Constraint<CPred<"$0.hasOneUse()">>;
def AreEqual : Constraint<CPred<"$0 == $1">>;

// A permutation that is sorted changes nothing.
def IsIdentity : Constraint<CPred<"::llvm::is_sorted($0.asArrayRef())">>;

// First `$0`, then `$1`.
def Compose
    : NativeCodeCall<"$_builder.getDenseI64ArrayAttr(::llvm::to_vector(::llvm::map_range("
                     "$1.asArrayRef(), [&](int64_t i) { return $0.asArrayRef()[i]; })))">;

// The elements `$0` in the type of `$1`.
def InTypeOf
    : NativeCodeCall<"::llvm::cast<::mlir::DenseElementsAttr>($0).reshape("
                     "::llvm::cast<::mlir::ShapedType>($1.getType()))">;

// A matrix type turned over.
def TurnedType
    : NativeCodeCall<"::mlir::RankedTensorType::get("
                     "{::llvm::cast<::mlir::ShapedType>($0.getType()).getDimSize(1), "
                     "::llvm::cast<::mlir::ShapedType>($0.getType()).getDimSize(0)}, "
                     "::llvm::cast<::mlir::ShapedType>($0.getType()).getElementType())">;

// The permutation of a matrix.
def Turn : ConstantAttr<DenseI64ArrayAttr, "{1, 0}">;

// Constants whose elements are all the same, and those whose elements are all zero.
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

// The last reshape decides.
def ReshapeReshape : Pat<(Tile_ReshapeOp (Tile_ReshapeOp $x)), (Tile_ReshapeOp $x)>;

// To the shape it has: this is tried before the others.
def ReshapeNothing
    : Pat<(Tile_ReshapeOp:$r $x), (replaceWithValue $x), [(HaveOneType $r, $x)], [],
          (addBenefit 3)>;

// Constants are reshaped now.
def ReshapeConstant
    : Pat<(Tile_ReshapeOp:$r (Tile_ConstantOp $value)), (Tile_ConstantOp (InTypeOf $value, $r))>;

// A reshape on both sides of a sum is one below it.
def AddReshapes
    : Pat<(Tile_AddOp (Tile_ReshapeOp:$a $x), (Tile_ReshapeOp:$b $y)),
          (Tile_ReshapeOp (Tile_AddOp $x, $y)),
          [(HaveOneType $x, $y), (HasOneUse $a), (HasOneUse $b)]>;

//===-- Transpose ----------------------------------------------------------===//

// Two transposes are one, by the permutations composed.
def TransposeTranspose
    : Pat<(Tile_TransposeOp (Tile_TransposeOp $x, $p), $q),
          (Tile_TransposeOp $x, (Compose $p, $q))>;

// Of matrices, two transposes are none; this needs no arithmetic and so goes first.
def TurnTurn
    : Pat<(Tile_TransposeOp (Tile_TransposeOp $x, Turn), Turn), (replaceWithValue $x), [], [],
          (addBenefit 1)>;

def TransposeNothing
    : Pat<(Tile_TransposeOp $x, $p), (replaceWithValue $x), [(IsIdentity $p)], [], (addBenefit 3)>;

// Equal elements have no order.
def TransposeSplat
    : Pat<(Tile_TransposeOp:$r (Tile_ConstantOp Splat:$value), $p),
          (Tile_ConstantOp (InTypeOf $value, $r))>;

// A row that was reshaped and is turned into a column could have been reshaped into a column.
def TurnReshapedRow
    : Pat<(Tile_TransposeOp (Tile_ReshapeOp:$row $x), Turn), (Tile_ReshapeOp $x),
          [(Constraint<CPred<"::llvm::cast<::mlir::ShapedType>($0.getType()).getDimSize(0) == 1">>
               $row)]>;

// Transposes sink below elementwise operations, where they may meet others.
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

// One input, or inputs that were put together along the same dimension before.
def ConcatOne : Pat<(Tile_ConcatOp (variadic $x), $axis), (replaceWithValue $x)>;
def ConcatConcat
    : Pat<(Tile_ConcatOp (variadic (Tile_ConcatOp (variadic $x, $y), $inner), $z), $outer),
          (Tile_ConcatOp (variadic $x, $y, $z), $outer), [(AreEqual $inner, $outer)]>;
