// Functions of MLIR that helpers call, with the results of MLIR 22.1.
//
// Sources: `mlir/Dialect/Utils/StaticValueUtils.h`, `mlir/Dialect/Utils/IndexingUtils.h` and
// `mlir/Dialect/Arith/Utils/Utils.h`. The functions are in the language of helpers. Rust code of this folder lowers
// the functions that this language cannot express.

namespace mlir {
namespace drrvm {

using ReassociationIndices = SmallVector<int64_t, 2>;
using ReassociationIndicesRef = ArrayRef<int64_t>;

// Constants.

std::optional<int64_t> getConstantIntValue(OpFoldResult x) {
  if (auto value = dyn_cast_if_present<Value>(x)) {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      return number.getSExtValue();
    return std::nullopt;
  }
  Attribute attribute = dyn_cast_if_present<Attribute>(x);
  if (auto integer = dyn_cast_if_present<IntegerAttr>(attribute))
    return integer.getValue().getSExtValue();
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> getConstantIntValues(ArrayRef<OpFoldResult> all) {
  SmallVector<int64_t> numbers;
  for (OpFoldResult x : all) {
    std::optional<int64_t> number = getConstantIntValue(x);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

bool isConstantIntValue(OpFoldResult x, int64_t number) { return getConstantIntValue(x) == number; }

bool areAllConstantIntValue(ArrayRef<OpFoldResult> all, int64_t number) {
  for (OpFoldResult x : all)
    if (!isConstantIntValue(x, number))
      return false;
  return true;
}

bool areConstantIntValues(ArrayRef<OpFoldResult> all, ArrayRef<int64_t> numbers) {
  if (all.size() != numbers.size())
    return false;
  for (size_t i = 0; i < all.size(); ++i)
    if (!isConstantIntValue(all[i], numbers[i]))
      return false;
  return true;
}

bool isZeroInteger(OpFoldResult x) { return isConstantIntValue(x, 0); }

bool isOneInteger(OpFoldResult x) { return isConstantIntValue(x, 1); }

bool isEqualConstantIntOrValue(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> first = getConstantIntValue(x), second = getConstantIntValue(y);
  if (first && second && *first == *second)
    return true;
  Value a = dyn_cast_if_present<Value>(x), b = dyn_cast_if_present<Value>(y);
  return a && a == b;
}

bool isEqualConstantIntOrValueArray(ArrayRef<OpFoldResult> x, ArrayRef<OpFoldResult> y) {
  if (x.size() != y.size())
    return false;
  for (size_t i = 0; i < x.size(); ++i)
    if (!isEqualConstantIntOrValue(x[i], y[i]))
      return false;
  return true;
}

OpFoldResult getAsOpFoldResult(Value value) {
  if (!value)
    return OpFoldResult();
  Attribute attribute;
  if (matchPattern(value, m_Constant(&attribute)))
    return attribute;
  return value;
}

SmallVector<OpFoldResult> getAsOpFoldResult(ValueRange values) {
  SmallVector<OpFoldResult> all;
  for (Value value : values)
    all.push_back(getAsOpFoldResult(value));
  return all;
}

SmallVector<OpFoldResult> getAsOpFoldResult(ArrayAttr attributes) {
  SmallVector<OpFoldResult> all;
  for (Attribute attribute : attributes)
    all.push_back(attribute);
  return all;
}

OpFoldResult getAsIndexOpFoldResult(MLIRContext *context, int64_t number) {
  return IntegerAttr::get(IndexType::get(context), number);
}

SmallVector<OpFoldResult> getAsIndexOpFoldResult(MLIRContext *context, ArrayRef<int64_t> numbers) {
  SmallVector<OpFoldResult> all;
  for (int64_t number : numbers)
    all.push_back(getAsIndexOpFoldResult(context, number));
  return all;
}

Value getValueOrCreateConstantIndexOp(OpBuilder &builder, Location loc, OpFoldResult x) {
  if (auto value = dyn_cast_if_present<Value>(x))
    return value;
  auto attribute = cast<IntegerAttr>(cast<Attribute>(x));
  return arith::ConstantIndexOp::create(builder, loc, attribute.getValue().getSExtValue());
}

SmallVector<Value> getValueOrCreateConstantIndexOp(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> all) {
  SmallVector<Value> values;
  for (OpFoldResult x : all)
    values.push_back(getValueOrCreateConstantIndexOp(builder, loc, x));
  return values;
}

// Permutations.

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

} // namespace drrvm
} // namespace mlir
