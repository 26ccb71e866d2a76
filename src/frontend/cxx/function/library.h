// Functions of MLIR, LLVM and the standard library that helpers call, with the results of MLIR 22.1.
//
// Sources: `mlir/Dialect/Utils/StaticValueUtils.h`, `mlir/Dialect/Utils/IndexingUtils.h`,
// `mlir/Dialect/Arith/Utils/Utils.h`, `llvm/Support/MathExtras.h`, `llvm/ADT/STLExtras.h` and
// `llvm/ADT/StringExtras.h`. The functions are in the language of helpers. Rust code of this folder lowers the functions
// that this language cannot express.

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

template <typename T>
SmallVector<T> extractFromIntegerArrayAttr(Attribute attribute) {
  SmallVector<T> numbers;
  for (Attribute element : cast<ArrayAttr>(attribute))
    numbers.push_back(cast<IntegerAttr>(element).getInt());
  return numbers;
}

SmallVector<int64_t> getI64SubArray(ArrayAttr attribute, unsigned front = 0, unsigned back = 0) {
  SmallVector<int64_t> numbers;
  for (Attribute element : attribute.getValue().drop_front(front).drop_back(back))
    numbers.push_back(cast<IntegerAttr>(element).getValue().getSExtValue());
  return numbers;
}

// Shapes.

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

// Methods of classes that are built in. The name has the class, and the first parameter is the object.

bool APInt_isShiftedMask(const APInt &x, unsigned &index, unsigned &length) {
  if (!x.isShiftedMask())
    return false;
  index = x.countr_zero();
  length = x.popcount();
  return true;
}

// The number of first elements for which `fits` returns `wanted`.
template <typename R, typename F>
size_t prefix_length(const R &range, F &&fits, bool wanted) {
  size_t n = 0;
  while (n < range.size() && bool(fits(range[n])) == wanted)
    ++n;
  return n;
}

template <typename F>
StringRef StringRef_take_while(StringRef text, F &&fits) {
  return text.take_front(prefix_length(text, fits, true));
}

template <typename F>
StringRef StringRef_take_until(StringRef text, F &&fits) {
  return text.take_front(prefix_length(text, fits, false));
}

template <typename F>
StringRef StringRef_drop_while(StringRef text, F &&fits) {
  return text.drop_front(prefix_length(text, fits, true));
}

template <typename F>
StringRef StringRef_drop_until(StringRef text, F &&fits) {
  return text.drop_front(prefix_length(text, fits, false));
}

template <typename T, typename F>
ArrayRef<T> ArrayRef_take_while(ArrayRef<T> range, F &&fits) {
  return range.take_front(prefix_length(range, fits, true));
}

template <typename T, typename F>
ArrayRef<T> ArrayRef_take_until(ArrayRef<T> range, F &&fits) {
  return range.take_front(prefix_length(range, fits, false));
}

template <typename T, typename F>
ArrayRef<T> ArrayRef_drop_while(ArrayRef<T> range, F &&fits) {
  return range.drop_front(prefix_length(range, fits, true));
}

template <typename T, typename F>
ArrayRef<T> ArrayRef_drop_until(ArrayRef<T> range, F &&fits) {
  return range.drop_front(prefix_length(range, fits, false));
}

// A decimal number. The result is true if the text is not a number.
bool StringRef_getAsDouble(StringRef text, double &result) {
  StringRef rest = text;
  // `APFloat` needs a digit before the point.
  std::string number = "0";
  if (rest.consume_front("-"))
    number = "-0";
  else
    rest.consume_front("+");
  number += rest.str();
  if (rest.starts_with_insensitive("inf") || rest.starts_with_insensitive("nan") ||
      rest.starts_with_insensitive("snan") || rest.starts_with_insensitive("0x"))
    llvm_unreachable("only decimal numbers are supported");
  size_t digits = 0, exponent = 0;
  for (; !rest.empty() && llvm::isDigit(rest.front()); ++digits)
    rest = rest.drop_front();
  if (rest.consume_front("."))
    for (; !rest.empty() && llvm::isDigit(rest.front()); ++digits)
      rest = rest.drop_front();
  if (digits == 0)
    return true;
  if (rest.consume_front("e") || rest.consume_front("E")) {
    if (!rest.consume_front("-"))
      rest.consume_front("+");
    for (; !rest.empty() && llvm::isDigit(rest.front()); ++exponent)
      rest = rest.drop_front();
    // An exponent without digits is 0.
    if (exponent == 0)
      number += "0";
  }
  if (!rest.empty())
    return true;
  result = APFloat(APFloat::IEEEdouble(), number).convertToDouble();
  return false;
}

} // namespace drrvm
} // namespace mlir

namespace llvm {
namespace drrvm {

// Integers.

template <unsigned N>
bool isUInt(uint64_t x) {
  if constexpr (N >= 64)
    return true;
  else
    return x >> N == 0;
}

template <unsigned N>
bool isInt(int64_t x) {
  if constexpr (N >= 64)
    return true;
  else
    return -(int64_t(1) << (N - 1)) <= x && x < (int64_t(1) << (N - 1));
}

bool isUIntN(unsigned n, uint64_t x) { return n >= 64 || x >> n == 0; }

bool isIntN(unsigned n, int64_t x) {
  if (n == 0)
    return x == 0;
  return n >= 64 || -(int64_t(1) << (n - 1)) <= x && x < (int64_t(1) << (n - 1));
}

uint32_t Hi_32(uint64_t x) { return x >> 32; }

uint32_t Lo_32(uint64_t x) { return x; }

uint64_t Make_64(uint32_t high, uint32_t low) { return uint64_t(high) << 32 | low; }

bool isMask_32(uint32_t x) { return x != 0 && ((x + 1) & x) == 0; }

bool isMask_64(uint64_t x) { return x != 0 && ((x + 1) & x) == 0; }

bool isShiftedMask_32(uint32_t x) { return x != 0 && llvm::isMask_32((x - 1) | x); }

bool isShiftedMask_64(uint64_t x) { return x != 0 && llvm::isMask_64((x - 1) | x); }

template <unsigned N>
int32_t SignExtend32(uint32_t x) {
  return int32_t(x << (32 - N)) >> (32 - N);
}

int32_t SignExtend32(uint32_t x, unsigned n) { return n == 0 ? 0 : int32_t(x << (32 - n)) >> (32 - n); }

template <unsigned N>
int64_t SignExtend64(uint64_t x) {
  return int64_t(x << (64 - N)) >> (64 - N);
}

int64_t SignExtend64(uint64_t x, unsigned n) { return n == 0 ? 0 : int64_t(x << (64 - n)) >> (64 - n); }

// Ranges.

template <typename T, typename F>
SmallVector<T> filter_to_vector(ArrayRef<T> range, F &&fits) {
  SmallVector<T> found;
  for (const T &x : range)
    if (fits(x))
      found.push_back(x);
  return found;
}

template <typename To, typename T>
SmallVector<To> to_vector_of(ArrayRef<T> range) {
  SmallVector<To> converted;
  for (const T &x : range)
    converted.push_back(x);
  return converted;
}

// Strings.

std::string utohexstr(uint64_t x, bool lower = false, unsigned width = 0) {
  StringRef digits = lower ? "0123456789abcdef" : "0123456789ABCDEF";
  std::string text;
  do {
    text = digits.substr(x & 15, 1).str() + text;
    x >>= 4;
  } while (width != 0 ? text.size() < width : x != 0);
  return text;
}

std::string toString(const APInt &x, unsigned radix, bool isSigned) {
  StringRef digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  bool negative = isSigned && x.isNegative();
  // The radix needs up to six bits.
  APInt rest = (negative ? -x : x).zext(x.getBitWidth() + 6);
  std::string text;
  do {
    text = digits.substr(rest.urem(radix), 1).str() + text;
    rest = rest.udiv(radix);
  } while (!rest.isZero());
  return negative ? "-" + text : text;
}

SmallVector<StringRef> split(StringRef text, StringRef separator) {
  SmallVector<StringRef> parts;
  text.split(parts, separator);
  return parts;
}

SmallVector<StringRef> split(StringRef text, char separator) {
  SmallVector<StringRef> parts;
  text.split(parts, separator);
  return parts;
}

} // namespace drrvm
} // namespace llvm

namespace std {
namespace drrvm {

bool signbit(double x) { return APFloat(x).isNegative(); }

double copysign(double x, double sign) { return std::signbit(x) == std::signbit(sign) ? x : -x; }

float copysign(float x, float sign) { return std::signbit(x) == std::signbit(sign) ? x : -x; }

double remainder(double x, double y) {
  double size = std::abs(y), rest = std::fmod(std::abs(x), size);
  bool isOdd = std::fmod(std::abs(x), 2 * size) >= size;
  if (rest > size - rest || (rest == size - rest && isOdd))
    rest = rest - size;
  return std::signbit(x) ? -rest : rest;
}

float remainder(float x, float y) { return std::remainder(double(x), double(y)); }

double modf(double x, double *whole) {
  double truncated = std::trunc(x);
  *whole = truncated;
  return std::copysign(std::isinf(x) ? 0.0 : x - truncated, x);
}

float modf(float x, float *whole) {
  float truncated = std::trunc(x);
  *whole = truncated;
  return std::copysign(std::isinf(x) ? 0.0f : x - truncated, x);
}

template <typename T>
std::optional<T> make_optional(T x) {
  return x;
}

} // namespace drrvm
} // namespace std
