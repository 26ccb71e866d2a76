
// Functions of MLIR over sizes, offsets and permutations, with the results of MLIR 22.1.
//
// Sources: `mlir/Dialect/Utils/StaticValueUtils.h`, `mlir/Dialect/Utils/IndexingUtils.h` and
// `mlir/Dialect/Tosa/Utils/ConversionUtils.h`.

namespace mlir {
namespace drrvm {

// Shapes.

std::optional<SmallVector<int64_t>> computeShapeRatio(ArrayRef<int64_t> shape, ArrayRef<int64_t> subShape) {
  if (shape.size() < subShape.size())
    return std::nullopt;
  SmallVector<int64_t> ratio;
  for (int64_t size : shape)
    ratio.push_back(size);
  size_t leading = shape.size() - subShape.size();
  for (size_t i = 0; i < subShape.size(); ++i) {
    if (shape[leading + i] % subShape[i] != 0)
      return std::nullopt;
    ratio[leading + i] = shape[leading + i] / subShape[i];
  }
  return ratio;
}

int64_t computeProduct(ArrayRef<int64_t> sizes) { return llvm::product_of(sizes); }

int64_t ShapedType::getNumElements(ArrayRef<int64_t> shape) { return computeProduct(shape); }

SmallVector<int64_t> computeSuffixProduct(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> products(sizes.size(), 1);
  for (int64_t i = int64_t(sizes.size()) - 2; i >= 0; --i)
    products[i] = products[i + 1] * sizes[i + 1];
  return products;
}

SmallVector<int64_t> computeStrides(ArrayRef<int64_t> sizes) { return computeSuffixProduct(sizes); }

int64_t linearize(ArrayRef<int64_t> offsets, ArrayRef<int64_t> basis) {
  int64_t index = 0;
  for (size_t i = 0; i < basis.size(); ++i)
    index += offsets[i] * basis[i];
  return index;
}

SmallVector<int64_t> delinearize(int64_t index, ArrayRef<int64_t> strides) {
  SmallVector<int64_t> offsets;
  for (int64_t stride : strides) {
    offsets.push_back(index / stride);
    index %= stride;
  }
  return offsets;
}

SmallVector<int64_t> computeElementwiseMul(ArrayRef<int64_t> x, ArrayRef<int64_t> y) {
  SmallVector<int64_t> products;
  for (size_t i = 0; i < x.size(); ++i)
    products.push_back(x[i] * y[i]);
  return products;
}

int64_t computeMaxLinearIndex(ArrayRef<int64_t> sizes) { return computeProduct(sizes); }

bool hasValidSizesOffsets(ArrayRef<int64_t> numbers) {
  for (int64_t number : numbers)
    if (ShapedType::isStatic(number) && number < 0)
      return false;
  return true;
}

bool hasValidStrides(ArrayRef<int64_t> strides) { return !llvm::is_contained(strides, 0); }

LogicalResult foldDynamicIndexList(SmallVectorImpl<OpFoldResult> &all, bool onlyNonNegative = false,
                                   bool onlyNonZero = false) {
  bool hasChanged = false;
  for (size_t i = 0; i < all.size(); ++i) {
    Attribute attribute;
    if (isa<Attribute>(all[i]) || !matchPattern(cast<Value>(all[i]), m_Constant(&attribute)))
      continue;
    int64_t number = *getConstantIntValue(attribute);
    if ((onlyNonNegative && number < 0) || (onlyNonZero && number == 0))
      continue;
    all[i] = attribute;
    hasChanged = true;
  }
  return success(hasChanged);
}

LogicalResult foldDynamicOffsetSizeList(SmallVectorImpl<OpFoldResult> &all) {
  return foldDynamicIndexList(all, true, false);
}

LogicalResult foldDynamicStrideList(SmallVectorImpl<OpFoldResult> &all) {
  return foldDynamicIndexList(all, false, true);
}

SmallVector<int64_t> tosa::convertFromMlirShape(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> converted;
  for (int64_t size : shape)
    converted.push_back(ShapedType::isDynamic(size) ? -1 : size);
  return converted;
}

// Permutations.

SmallVector<int64_t> dropDims(ArrayRef<int64_t> permutation, ArrayRef<int64_t> dropped) {
  SmallVector<int64_t> rest;
  for (int64_t dim : permutation) {
    if (llvm::is_contained(dropped, dim))
      continue;
    int64_t target = dim;
    for (int64_t other : dropped)
      if (other < dim)
        --target;
    rest.push_back(target);
  }
  return rest;
}

template <typename T>
SmallVector<T> applyPermutation(ArrayRef<T> input, ArrayRef<int64_t> permutation) {
  SmallVector<T> permuted;
  for (size_t i = 0; i < input.size(); ++i)
    permuted.push_back(input[permutation[i]]);
  return permuted;
}

template <typename T>
void applyPermutationToVector(SmallVectorImpl<T> &vector, ArrayRef<int64_t> permutation) {
  vector = applyPermutation<T>(vector, permutation);
}

SmallVector<int64_t> invertPermutationVector(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[permutation[i]] = i;
  return inverse;
}

bool isIdentityPermutation(ArrayRef<int64_t> permutation) {
  for (size_t i = 0; i < permutation.size(); ++i)
    if (permutation[i] != static_cast<int64_t>(i))
      return false;
  return true;
}

bool isPermutationVector(ArrayRef<int64_t> numbers) {
  SmallVector<bool> seen(numbers.size(), false);
  for (int64_t number : numbers) {
    if (number < 0 || static_cast<uint64_t>(number) >= numbers.size() || seen[number])
      return false;
    seen[number] = true;
  }
  return true;
}

SmallVector<int64_t> computePermutationVector(int64_t size, ArrayRef<int64_t> positions, ArrayRef<int64_t> desired) {
  SmallVector<int64_t> permutation(size, -1);
  for (size_t i = 0; i < positions.size(); ++i)
    permutation[desired[i]] = positions[i];
  int64_t next = 0;
  for (int64_t &entry : permutation) {
    if (entry != -1)
      continue;
    while (llvm::is_contained(positions, next))
      ++next;
    entry = next;
    ++next;
  }
  return permutation;
}

template <typename T>
SmallVector<T> applyPermutationMap(AffineMap map, ArrayRef<T> source) {
  SmallVector<T> permuted;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    permuted.push_back(source[map.getDimPosition(i)]);
  return permuted;
}

AffineMap inversePermutation(AffineMap map) {
  if (map.isEmpty() || map.getNumDims() != map.getNumResults() || !map.isPermutation())
    llvm_unreachable("only the inverse of a permutation of all dimensions is supported");
  SmallVector<int64_t> inverse(map.getNumDims());
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    inverse[map.getDimPosition(i)] = i;
  return AffineMap::getPermutationMap(inverse, map.getContext());
}

} // namespace drrvm
} // namespace mlir
