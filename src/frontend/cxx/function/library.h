// Functions of MLIR and LLVM that helpers call, with the results of MLIR 22.1.
//
// Sources: `mlir/Dialect/Utils/StaticValueUtils.h`, `mlir/Dialect/Arith/Utils/Utils.h`, `llvm/Support/MathExtras.h`,
// `llvm/ADT/STLExtras.h`, `llvm/ADT/StringExtras.h`, `llvm/ADT/APInt.h`, `llvm/ADT/APSInt.h` and `llvm/ADT/APFloat.h`.
// The functions are in the language of helpers. Rust code of this folder lowers the functions that this language cannot
// express. `shapes.h` has the functions over sizes and permutations.

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

// Symbols.

Operation *SymbolTable::lookupSymbolIn(Operation *table, StringRef name) {
  for (Operation &op : table->getRegion(0).front()) {
    auto symbol = op.getAttrOfType<StringAttr>("sym_name");
    if (symbol && symbol.getValue() == name)
      return &op;
  }
  return nullptr;
}

Operation *SymbolTable::getNearestSymbolTable(Operation *from) {
  while (from && !isa<ModuleOp>(from) && !from->hasTrait<OpTrait::SymbolTable>())
    from = from->getParentOp();
  return from;
}

Operation *SymbolTable::lookupNearestSymbolFrom(Operation *from, StringRef name) {
  Operation *table = SymbolTable::getNearestSymbolTable(from);
  return table ? SymbolTable::lookupSymbolIn(table, name) : nullptr;
}

template <typename T>
T SymbolTable::lookupNearestSymbolFrom(Operation *from, StringRef name) {
  return dyn_cast_or_null<T>(SymbolTable::lookupNearestSymbolFrom(from, name));
}

Operation *Operation_lookupSymbol(Operation *table, StringRef name) { return SymbolTable::lookupSymbolIn(table, name); }

template <typename T>
T Operation_lookupSymbol(Operation *table, StringRef name) {
  return dyn_cast_or_null<T>(SymbolTable::lookupSymbolIn(table, name));
}

std::optional<NamedAttribute> DictionaryAttr_getNamed(DictionaryAttr dictionary, StringRef name) {
  Builder builder(nullptr);
  if (Attribute attribute = dictionary.get(name))
    return builder.getNamedAttr(name, attribute);
  return std::nullopt;
}

// Methods of built-in classes. The name of a function starts with the class, and its first parameter is the object.

bool APInt_isShiftedMask(const APInt &x, unsigned &index, unsigned &length) {
  if (!x.isShiftedMask())
    return false;
  index = x.countr_zero();
  length = x.popcount();
  return true;
}

// The number of elements before the first element for which `fits` does not return `wanted`.
template <typename R, typename F>
size_t prefix_length(const R &range, F &&fits, bool wanted) {
  size_t n = 0;
  while (n < range.size() && bool(fits(range[n])) == wanted)
    ++n;
  return n;
}

bool APInt_isNonPositive(const APInt &x) { return !x.isStrictlyPositive(); }

bool APInt_isOneBitSet(const APInt &x, unsigned at) { return x[at] && x.popcount() == 1; }

bool APInt_isMask(const APInt &x, unsigned count) { return x == APInt::getLowBitsSet(x.getBitWidth(), count); }

bool APInt_isSplat(const APInt &x, unsigned size) { return x == x.rotl(size); }

bool APInt_isSingleWord(const APInt &x) { return x.getBitWidth() <= 64; }

unsigned APInt_getNumWords(const APInt &x) { return (x.getBitWidth() + 63) / 64; }

unsigned APInt_getActiveWords(const APInt &x) { return x.isZero() ? 1 : (x.getActiveBits() + 63) / 64; }

unsigned APInt_getNumSignBits(const APInt &x) { return x.isNegative() ? x.countl_one() : x.countl_zero(); }

unsigned APInt_countLeadingOnes(const APInt &x) { return x.countl_one(); }

unsigned APInt_countTrailingOnes(const APInt &x) { return x.countr_one(); }

unsigned APInt_countPopulation(const APInt &x) { return x.popcount(); }

unsigned APInt_nearestLogBase2(const APInt &x) {
  if (x.isZero())
    return UINT32_MAX;
  unsigned log = x.logBase2();
  return log != 0 && x[log - 1] ? log + 1 : log;
}

unsigned APInt_ceilLogBase2(const APInt &x) { return (x - 1).getActiveBits(); }

// The nearest integer to the square root.
APInt APInt_sqrt(const APInt &x) {
  unsigned width = x.getBitWidth();
  APInt square = x.zext(width + 1), root = APInt::getZero(width + 1);
  for (unsigned bit = (width + 1) / 2; bit > 0; --bit) {
    APInt next = root;
    next.setBit(bit - 1);
    if ((next * next).ule(square))
      root = next;
  }
  if ((square - root * root).ugt(root))
    root += 1;
  return root.trunc(width);
}

APInt APInt_multiplicativeInverse(const APInt &x) {
  APInt inverse = x, product = x * x;
  while (!product.isOne()) {
    inverse *= 2 - product;
    product = x * inverse;
  }
  return inverse;
}

uint64_t APInt_extractBitsAsZExtValue(const APInt &x, unsigned count, unsigned at) {
  return x.extractBits(count, at).getZExtValue();
}

std::optional<uint64_t> APInt_tryZExtValue(const APInt &x) {
  if (x.getActiveBits() > 64)
    return std::nullopt;
  return x.getZExtValue();
}

std::optional<int64_t> APInt_trySExtValue(const APInt &x) {
  if (x.getSignificantBits() > 64)
    return std::nullopt;
  return x.getSExtValue();
}

std::optional<int64_t> APSInt_tryExtValue(const APSInt &x) {
  if (!x.isRepresentableByInt64())
    return std::nullopt;
  return x.getExtValue();
}

APInt APInt_truncUSat(const APInt &x, unsigned width) {
  return x.isIntN(width) ? x.trunc(width) : APInt::getMaxValue(width);
}

APInt APInt_truncSSat(const APInt &x, unsigned width) {
  if (x.isSignedIntN(width))
    return x.trunc(width);
  return x.isNegative() ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width);
}

APInt APInt_relativeLShr(const APInt &x, int by) { return by > 0 ? x.lshr(by) : x.shl(-by); }

APInt APInt_relativeLShl(const APInt &x, int by) { return by > 0 ? x.shl(by) : x.lshr(-by); }

APInt APInt_relativeAShr(const APInt &x, int by) { return by > 0 ? x.ashr(by) : x.shl(-by); }

APInt APInt_relativeAShl(const APInt &x, int by) { return by > 0 ? x.shl(by) : x.ashr(-by); }

APInt APInt_sshl_ov(const APInt &x, unsigned by, bool &overflow) {
  overflow = by >= x.getBitWidth();
  if (overflow)
    return APInt::getZero(x.getBitWidth());
  overflow = by >= (x.isNegative() ? x.countl_one() : x.countl_zero());
  return x.shl(by);
}

APInt APInt_sshl_ov(const APInt &x, const APInt &by, bool &overflow) {
  return x.sshl_ov(unsigned(by.getLimitedValue(x.getBitWidth())), overflow);
}

APInt APInt_ushl_ov(const APInt &x, unsigned by, bool &overflow) {
  overflow = by >= x.getBitWidth();
  if (overflow)
    return APInt::getZero(x.getBitWidth());
  overflow = by > x.countl_zero();
  return x.shl(by);
}

APInt APInt_ushl_ov(const APInt &x, const APInt &by, bool &overflow) {
  return x.ushl_ov(unsigned(by.getLimitedValue(x.getBitWidth())), overflow);
}

template <typename T>
APInt APInt_sshl_sat(const APInt &x, const T &by) {
  bool overflow = false;
  APInt shifted = x.sshl_ov(by, overflow);
  if (!overflow)
    return shifted;
  unsigned width = x.getBitWidth();
  return x.isNegative() ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width);
}

template <typename T>
APInt APInt_ushl_sat(const APInt &x, const T &by) {
  bool overflow = false;
  APInt shifted = x.ushl_ov(by, overflow);
  return overflow ? APInt::getMaxValue(x.getBitWidth()) : shifted;
}

APInt APInt_sfloordiv_ov(const APInt &x, const APInt &y, bool &overflow) {
  APInt quotient = x.sdiv_ov(y, overflow);
  return quotient * y != x && x.isNegative() != y.isNegative() ? quotient - 1 : quotient;
}

void APInt_setBitVal(APInt &x, unsigned at, bool value) {
  if (value)
    x.setBit(at);
  else
    x.clearBit(at);
}

void APInt_setBitsWithWrap(APInt &x, unsigned from, unsigned to) {
  if (from < to) {
    x.setBits(from, to);
  } else {
    x.setLowBits(to);
    x.setHighBits(x.getBitWidth() - from);
  }
}

void APInt_insertBits(APInt &x, uint64_t part, unsigned at, unsigned count) {
  x.insertBits(APInt(64, part).zextOrTrunc(count), at);
}

void APInt_clearHighBits(APInt &x, unsigned count) {
  x &= APInt::getLowBitsSet(x.getBitWidth(), x.getBitWidth() - count);
}

void APInt_clearBits(APInt &x, unsigned from, unsigned to) { x &= ~APInt::getBitsSet(x.getBitWidth(), from, to); }

double APInt_roundToDouble(const APInt &x, bool isSigned = false) {
  if (x.getBitWidth() > 64)
    llvm_unreachable("only numbers of at most 64 bits are supported");
  return isSigned ? double(x.getSExtValue()) : double(x.getZExtValue());
}

double APInt_signedRoundToDouble(const APInt &x) { return x.roundToDouble(true); }

double APInt_bitsToDouble(const APInt &x) { return APFloat(APFloat::IEEEdouble(), x).convertToDouble(); }

float APInt_bitsToFloat(const APInt &x) { return APFloat(APFloat::IEEEsingle(), x).convertToFloat(); }

void APInt_toString(const APInt &x, std::string &text, unsigned radix, bool isSigned, bool hasPrefix = false,
                    bool isUpper = true) {
  text += llvm::toString(x, radix, isSigned, hasPrefix, isUpper);
}

void APInt_toStringUnsigned(const APInt &x, std::string &text, unsigned radix = 10) {
  text += llvm::toString(x, radix, false);
}

void APInt_toStringSigned(const APInt &x, std::string &text, unsigned radix = 10) {
  text += llvm::toString(x, radix, true);
}

void APSInt_toString(const APSInt &x, std::string &text, unsigned radix = 10) {
  text += llvm::toString(x, radix, x.isSigned());
}

// The second argument of `drrvmFloatResult`, `drrvmFloatStatus` and `drrvmFloatScaled` is the number of an operation
// (`FloatStep` in Rust) plus the rounding mode.

int APFloat_add(APFloat &x, APFloat y, int mode) {
  int status = drrvmFloatStatus(x, drrvmAdd + mode, y);
  x = drrvmFloatResult(x, drrvmAdd + mode, y);
  return status;
}

int APFloat_subtract(APFloat &x, APFloat y, int mode) {
  int status = drrvmFloatStatus(x, drrvmSubtract + mode, y);
  x = drrvmFloatResult(x, drrvmSubtract + mode, y);
  return status;
}

int APFloat_multiply(APFloat &x, APFloat y, int mode) {
  int status = drrvmFloatStatus(x, drrvmMultiply + mode, y);
  x = drrvmFloatResult(x, drrvmMultiply + mode, y);
  return status;
}

int APFloat_divide(APFloat &x, APFloat y, int mode) {
  int status = drrvmFloatStatus(x, drrvmDivide + mode, y);
  x = drrvmFloatResult(x, drrvmDivide + mode, y);
  return status;
}

int APFloat_fusedMultiplyAdd(APFloat &x, APFloat y, APFloat z, int mode) {
  int status = drrvmFloatStatus(x, drrvmMultiplyAdd + mode, y, z);
  x = drrvmFloatResult(x, drrvmMultiplyAdd + mode, y, z);
  return status;
}

int APFloat_mod(APFloat &x, APFloat y) {
  int status = drrvmFloatStatus(x, drrvmMod, y);
  x = drrvmFloatResult(x, drrvmMod, y);
  return status;
}

int APFloat_remainder(APFloat &x, APFloat y) {
  int status = drrvmFloatStatus(x, drrvmRemainder, y);
  x = drrvmFloatResult(x, drrvmRemainder, y);
  return status;
}

int APFloat_next(APFloat &x, bool down) {
  int operation = down ? drrvmNextDown : drrvmNextUp, status = drrvmFloatStatus(x, operation);
  x = drrvmFloatResult(x, operation);
  return status;
}

int APFloat_roundToIntegral(APFloat &x, int mode) {
  int status = drrvmFloatStatus(x, drrvmRoundToIntegral + mode);
  x = drrvmFloatResult(x, drrvmRoundToIntegral + mode);
  return status;
}

int APFloat_convertFromAPInt(APFloat &x, APInt value, bool isSigned, int mode) {
  int status = drrvmFloatOfIntStatus(x, value, isSigned, mode);
  x = drrvmFloatOfInt(x, value, isSigned, mode);
  return status;
}

void APFloat_clearSign(APFloat &x) {
  if (x.isNegative())
    x.changeSign();
}

void APFloat_copySign(APFloat &x, APFloat sign) {
  if (x.isNegative() != sign.isNegative())
    x.changeSign();
}

bool APFloat_isSignaling(const APFloat &x) {
  const fltSemantics &semantics = x.getSemantics();
  return x.isNaN() && APFloat::semanticsHasInf(semantics) &&
         !x.bitcastToAPInt()[APFloat::semanticsPrecision(semantics) - 2];
}

bool APFloat_isNormal(const APFloat &x) { return x.isFiniteNonZero() && !x.isDenormal(); }

bool APFloat_isNonZero(const APFloat &x) { return !x.isZero(); }

bool APFloat_isSmallest(const APFloat &x) {
  return x.bitwiseIsEqual(APFloat::getSmallest(x.getSemantics(), x.isNegative()));
}

bool APFloat_isSmallestNormalized(const APFloat &x) {
  return x.bitwiseIsEqual(APFloat::getSmallestNormalized(x.getSemantics(), x.isNegative()));
}

int APFloat_getCategory(const APFloat &x) {
  if (x.isNaN())
    return APFloat::fcNaN;
  if (x.isInfinity())
    return APFloat::fcInfinity;
  return x.isZero() ? APFloat::fcZero : APFloat::fcNormal;
}

int APFloat_getExactLog2Abs(const APFloat &x) {
  if (!x.isFiniteNonZero())
    return INT_MIN;
  int exponent = ilogb(x);
  // The quotient of `x` and 2 to the power `exponent` is 1 or -1 only if `abs(x)` is a power of two.
  return abs(drrvmFloatScaled(x, drrvmScale + APFloat::rmNearestTiesToEven, -exponent)).isOne() ? exponent : INT_MIN;
}

int APFloat_getExactLog2(const APFloat &x) { return x.isNegative() ? INT_MIN : x.getExactLog2Abs(); }

bool APFloat_getExactInverse(const APFloat &x, APFloat *inverse) {
  APFloat reciprocal(x.getSemantics(), 1);
  if (x.isDenormal() || x.getExactLog2Abs() == INT_MIN ||
      reciprocal.divide(x, RoundingMode::NearestTiesToEven) != APFloat::opOK || reciprocal.isDenormal())
    return false;
  *inverse = reciprocal;
  return true;
}

bool APFloat_getExactInverse(const APFloat &x, std::nullptr_t) {
  APFloat inverse = x;
  return x.getExactInverse(&inverse);
}

void APFloat_toString(const APFloat &x, std::string &text, unsigned precision = 0, unsigned padding = 3,
                      bool truncates = true) {
  text += drrvmText(x, precision, padding, truncates);
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

// Ranges.

template <typename T>
void ArrayRef_pop_back_n(SmallVectorImpl<T> &range, size_t count) {
  range.erase(range.end() - count, range.end());
}

unsigned ShapedType_getDynamicDimIndex(ShapedType type, unsigned at) {
  unsigned index = 0;
  for (int64_t size : type.getShape().take_front(at))
    index += ShapedType::isDynamic(size);
  return index;
}

// Bits.

void BitVector_flip(SmallVectorImpl<bool> &bits, unsigned at) { bits[at] = !bits[at]; }

void BitVector_flip(SmallVectorImpl<bool> &bits) {
  for (bool &bit : bits)
    bit = !bit;
}

void BitVector_set(SmallVectorImpl<bool> &bits, unsigned from, unsigned to) {
  for (unsigned i = from; i < to; ++i)
    bits[i] = true;
}

void BitVector_reset(SmallVectorImpl<bool> &bits, unsigned from, unsigned to) {
  for (unsigned i = from; i < to; ++i)
    bits[i] = false;
}

int BitVector_find_next(ArrayRef<bool> bits, unsigned before) {
  for (size_t i = size_t(before) + 1; i < bits.size(); ++i)
    if (bits[i])
      return i;
  return -1;
}

int BitVector_find_prev(ArrayRef<bool> bits, unsigned after) {
  for (unsigned i = after; i > 0; --i)
    if (bits[i - 1])
      return i - 1;
  return -1;
}

int BitVector_find_last(ArrayRef<bool> bits) { return BitVector_find_prev(bits, bits.size()); }

int BitVector_find_first_unset(ArrayRef<bool> bits) {
  for (size_t i = 0; i < bits.size(); ++i)
    if (!bits[i])
      return i;
  return -1;
}

bool BitVector_anyCommon(ArrayRef<bool> bits, ArrayRef<bool> others) {
  for (size_t i = 0; i < std::min(bits.size(), others.size()); ++i)
    if (bits[i] && others[i])
      return true;
  return false;
}

// Classes of attributes and types.

IntegerAttr IntegerAttr::get(MLIRContext *context, const APSInt &value) {
  auto signedness = value.isSigned() ? IntegerType::Signed : IntegerType::Unsigned;
  return IntegerAttr::get(IntegerType::get(context, value.getBitWidth(), signedness), value);
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

namespace mlir {
namespace drrvm {

std::string drrvmFilled(size_t count, char c) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text.push_back(c);
  return text;
}

template <typename T>
std::optional<T> checkedAdd(T x, T y) {
  T result = 0;
  if (llvm::AddOverflow(x, y, result))
    return std::nullopt;
  return result;
}

template <typename T>
std::optional<T> checkedSub(T x, T y) {
  T result = 0;
  if (llvm::SubOverflow(x, y, result))
    return std::nullopt;
  return result;
}

template <typename T>
std::optional<T> checkedMul(T x, T y) {
  T result = 0;
  if (llvm::MulOverflow(x, y, result))
    return std::nullopt;
  return result;
}

template <typename T>
std::optional<T> checkedMulAdd(T x, T y, T z) {
  std::optional<T> product = checkedMul(x, y);
  if (!product)
    return std::nullopt;
  return checkedAdd(*product, z);
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

bool APInt::isSameValue(const APInt &x, const APInt &y) {
  unsigned width = std::max(x.getBitWidth(), y.getBitWidth());
  return x.zext(width) == y.zext(width);
}

APInt APInt::getSplat(unsigned width, const APInt &part) {
  APInt splat = part.zext(width);
  for (unsigned i = part.getBitWidth(); i < width; i *= 2)
    splat |= splat.shl(i);
  return splat;
}

APInt APInt::getZeroWidth() { return APInt::getZero(0); }

APInt APInt::getBitsSetWithWrap(unsigned width, unsigned from, unsigned to) {
  APInt x = APInt::getZero(width);
  x.setBitsWithWrap(from, to);
  return x;
}

APInt APInt::doubleToBits(double x) { return APFloat(x).bitcastToAPInt(); }

APInt APInt::floatToBits(float x) { return APFloat(x).bitcastToAPInt(); }

void APInt::udivrem(APInt x, APInt y, APInt &quotient, APInt &remainder) {
  quotient = x.udiv(y);
  remainder = x.urem(y);
}

void APInt::udivrem(APInt x, uint64_t y, APInt &quotient, uint64_t &remainder) {
  quotient = x.udiv(y);
  remainder = x.urem(y);
}

void APInt::sdivrem(APInt x, APInt y, APInt &quotient, APInt &remainder) {
  quotient = x.sdiv(y);
  remainder = x.srem(y);
}

void APInt::sdivrem(APInt x, int64_t y, APInt &quotient, int64_t &remainder) {
  quotient = x.sdiv(y);
  remainder = x.srem(y);
}

int APSInt::compareValues(const APSInt &x, const APSInt &y) {
  // Signed numbers of this width include the values of both operands.
  unsigned width = std::max(x.getBitWidth(), y.getBitWidth()) + 1;
  APInt a = x.extOrTrunc(width), b = y.extOrTrunc(width);
  return a == b ? 0 : a.slt(b) ? -1 : 1;
}

bool APSInt::isSameValue(const APSInt &x, const APSInt &y) { return APSInt::compareValues(x, y) == 0; }

APInt APIntOps::abdu(const APInt &x, const APInt &y) { return x.uge(y) ? x - y : y - x; }

APInt APIntOps::abds(const APInt &x, const APInt &y) { return x.sge(y) ? x - y : y - x; }

APInt APIntOps::avgFloorS(const APInt &x, const APInt &y) { return (x & y) + (x ^ y).ashr(1); }

APInt APIntOps::avgFloorU(const APInt &x, const APInt &y) { return (x & y) + (x ^ y).lshr(1); }

APInt APIntOps::avgCeilS(const APInt &x, const APInt &y) { return (x | y) - (x ^ y).ashr(1); }

APInt APIntOps::avgCeilU(const APInt &x, const APInt &y) { return (x | y) - (x ^ y).lshr(1); }

APInt APIntOps::mulhs(const APInt &x, const APInt &y) {
  unsigned width = x.getBitWidth();
  return (x.sext(2 * width) * y.sext(2 * width)).extractBits(width, width);
}

APInt APIntOps::mulhu(const APInt &x, const APInt &y) {
  unsigned width = x.getBitWidth();
  return (x.zext(2 * width) * y.zext(2 * width)).extractBits(width, width);
}

APInt APIntOps::mulsExtended(const APInt &x, const APInt &y) {
  return x.sext(2 * x.getBitWidth()) * y.sext(2 * y.getBitWidth());
}

APInt APIntOps::muluExtended(const APInt &x, const APInt &y) {
  return x.zext(2 * x.getBitWidth()) * y.zext(2 * y.getBitWidth());
}

APInt APIntOps::pow(const APInt &x, int64_t n) {
  APInt power(x.getBitWidth(), 1), square = x;
  for (; n > 0; n /= 2) {
    if (n % 2 == 1)
      power *= square;
    square *= square;
  }
  return power;
}

APInt APIntOps::GreatestCommonDivisor(APInt x, APInt y) {
  while (!y.isZero()) {
    APInt rest = x.urem(y);
    x = y;
    y = rest;
  }
  return x;
}

APInt APIntOps::RoundingUDiv(const APInt &x, const APInt &y, APInt::Rounding mode) {
  APInt quotient = x.udiv(y);
  return mode == APInt::Rounding::UP && !x.urem(y).isZero() ? quotient + 1 : quotient;
}

APInt APIntOps::RoundingSDiv(const APInt &x, const APInt &y, APInt::Rounding mode) {
  APInt quotient = x.sdiv(y), rest = x.srem(y);
  if (rest.isZero() || mode == APInt::Rounding::TOWARD_ZERO)
    return quotient;
  bool isNegative = rest.isNegative() != y.isNegative();
  if (mode == APInt::Rounding::DOWN)
    return isNegative ? quotient - 1 : quotient;
  return isNegative ? quotient : quotient + 1;
}

APInt APIntOps::ScaleBitMask(const APInt &x, unsigned width, bool all = false) {
  unsigned from = x.getBitWidth();
  if (from == width || x.isZero())
    return x.zextOrTrunc(width);
  APInt scaled = APInt::getZero(width);
  if (width > from) {
    unsigned scale = width / from;
    for (unsigned i = 0; i < from; ++i)
      if (x[i])
        scaled.setBits(i * scale, (i + 1) * scale);
    return scaled;
  }
  unsigned scale = from / width;
  for (unsigned i = 0; i < width; ++i) {
    APInt part = x.extractBits(scale, i * scale);
    if (all ? part.isAllOnes() : !part.isZero())
      scaled.setBit(i);
  }
  return scaled;
}

double APIntOps::RoundAPIntToDouble(const APInt &x) { return x.roundToDouble(); }

double APIntOps::RoundSignedAPIntToDouble(const APInt &x) { return x.signedRoundToDouble(); }

float APIntOps::RoundAPIntToFloat(const APInt &x) { return float(x.roundToDouble()); }

float APIntOps::RoundSignedAPIntToFloat(const APInt &x) { return float(x.signedRoundToDouble()); }

APInt APIntOps::RoundDoubleToAPInt(double x, unsigned width) {
  if (width > 64 || std::abs(x) >= 9223372036854775808.0)
    llvm_unreachable("only numbers of at most 64 bits are supported");
  return APInt(64, int64_t(x), true).sextOrTrunc(width);
}

// Floats.

APFloat APFloat::copySign(APFloat x, const APFloat &sign) {
  x.copySign(sign);
  return x;
}

APFloat APFloat::getOne(const fltSemantics &semantics, bool negative = false) {
  return APFloat(semantics, negative ? "-1.0" : "1.0");
}

APFloat APFloat::getAllOnesValue(const fltSemantics &semantics) {
  return APFloat(semantics, APInt::getAllOnes(APFloat::semanticsSizeInBits(semantics)));
}

APFloat APFloat::getQNaN(const fltSemantics &semantics, bool negative, const APInt *payload) {
  APFloat nan = APFloat::getQNaN(semantics, negative);
  if (!APFloat::semanticsHasInf(semantics))
    return nan;
  APInt bits = nan.bitcastToAPInt();
  APInt used = payload->zextOrTrunc(APFloat::semanticsPrecision(semantics) - 1);
  return APFloat(semantics, bits | used.zext(bits.getBitWidth()));
}

APFloat APFloat::getNaN(const fltSemantics &semantics, bool negative, uint64_t payload) {
  APInt used(64, payload);
  return APFloat::getQNaN(semantics, negative, &used);
}

APFloat APFloat::getSNaN(const fltSemantics &semantics, bool negative = false) {
  APFloat nan = APFloat::getQNaN(semantics, negative);
  if (!APFloat::semanticsHasInf(semantics))
    return nan;
  APInt bits = nan.bitcastToAPInt();
  unsigned quiet = APFloat::semanticsPrecision(semantics) - 2;
  bits.clearBit(quiet);
  bits.setBit(quiet - 1);
  return APFloat(semantics, bits);
}

unsigned APFloat::semanticsIntSizeInBits(const fltSemantics &semantics, bool isSigned) {
  return APFloat::semanticsMaxExponent(semantics) + (isSigned ? 2 : 1);
}

unsigned APFloat::getSizeInBits(const fltSemantics &semantics) { return APFloat::semanticsSizeInBits(semantics); }

bool APFloat::isIEEELikeFP(const fltSemantics &semantics) {
  unsigned bits = APFloat::semanticsSizeInBits(semantics);
  return bits == 16 || bits == 32 || bits == 64 || (bits == 128 && APFloat::semanticsPrecision(semantics) == 113);
}

bool APFloat::isRepresentableBy(const fltSemantics &from, const fltSemantics &to) {
  return APFloat::semanticsMaxExponent(from) <= APFloat::semanticsMaxExponent(to) &&
         APFloat::semanticsMinExponent(from) >= APFloat::semanticsMinExponent(to) &&
         APFloat::semanticsPrecision(from) <= APFloat::semanticsPrecision(to);
}

APFloat scalbn(const APFloat &x, int by, int mode) { return drrvmFloatScaled(x, drrvmScale + mode, by); }

APFloat frexp(const APFloat &x, int &exponent, int mode) {
  int log = ilogb(x);
  if (!x.isFiniteNonZero()) {
    exponent = x.isZero() ? 0 : log;
    return x;
  }
  exponent = log + 1;
  return drrvmFloatScaled(x, drrvmScale + mode, -exponent);
}

// If one argument is a NaN, quiet or signaling, the result is the other argument.
APFloat minimumnum(const APFloat &x, const APFloat &y) {
  if (x.isNaN() && y.isNaN())
    return llvm::minnum(y, y);
  return x.isNaN() ? y : y.isNaN() ? x : llvm::minnum(x, y);
}

APFloat maximumnum(const APFloat &x, const APFloat &y) {
  if (x.isNaN() && y.isNaN())
    return llvm::maxnum(y, y);
  return x.isNaN() ? y : y.isNaN() ? x : llvm::maxnum(x, y);
}

// Machine integers.

uint64_t alignDown(uint64_t value, uint64_t align, uint64_t skew = 0) {
  skew %= align;
  return (value - skew) / align * align + skew;
}

uint64_t alignTo(uint64_t value, uint64_t align, uint64_t skew) {
  skew %= align;
  return (value - skew + align - 1) / align * align + skew;
}

template <unsigned Align>
uint64_t alignTo(uint64_t value) {
  return (value + Align - 1) / Align * Align;
}

uint64_t divideNearest(uint64_t numerator, uint64_t denominator) {
  return numerator / denominator + (numerator % denominator >= denominator - denominator / 2);
}

uint64_t MinAlign(uint64_t x, uint64_t y) { return (x | y) & (1 + ~(x | y)); }

uint64_t maxUIntN(uint64_t n) { return UINT64_MAX >> (64 - n); }

int64_t maxIntN(int64_t n) { return n == 0 ? 0 : int64_t((uint64_t(1) << (n - 1)) - 1); }

int64_t minIntN(int64_t n) { return n == 0 ? 0 : int64_t(uint64_t(1) + ~(uint64_t(1) << (n - 1))); }

template <unsigned N, unsigned S>
bool isShiftedUInt(uint64_t x) {
  return llvm::isUIntN(N + S, x) && x % (uint64_t(1) << S) == 0;
}

template <unsigned N, unsigned S>
bool isShiftedInt(int64_t x) {
  return llvm::isIntN(N + S, x) && x % (int64_t(1) << S) == 0;
}

template <typename T>
T bit_floor(T x) {
  return x == 0 ? 0 : T(1) << (llvm::bit_width(x) - 1);
}

template <typename T>
T bit_ceil(T x) {
  return x < 2 ? 1 : T(1) << llvm::bit_width(T(x - 1));
}

template <typename T>
int countl_one(T x) {
  return llvm::countl_zero(T(~x));
}

template <typename T>
int countr_one(T x) {
  return llvm::countr_zero(T(~x));
}

template <typename T>
T maskTrailingOnes(unsigned count) {
  return count == 0 ? T(0) : T(T(-1) >> (std::numeric_limits<T>::digits - count));
}

template <typename T>
T maskLeadingOnes(unsigned count) {
  return T(~llvm::maskTrailingOnes<T>(std::numeric_limits<T>::digits - count));
}

template <typename T>
T maskTrailingZeros(unsigned count) {
  return llvm::maskLeadingOnes<T>(std::numeric_limits<T>::digits - count);
}

template <typename T>
T maskLeadingZeros(unsigned count) {
  return llvm::maskTrailingOnes<T>(std::numeric_limits<T>::digits - count);
}

uint64_t AbsoluteValue(int64_t x) { return x < 0 ? 0 - uint64_t(x) : uint64_t(x); }

template <typename T>
T reverseBits(T x) {
  unsigned width = std::numeric_limits<T>::digits + std::numeric_limits<T>::is_signed;
  return T(APInt(64, uint64_t(x)).trunc(width).reverseBits().getZExtValue());
}

template <typename T>
T byteswap(T x) {
  unsigned width = std::numeric_limits<T>::digits + std::numeric_limits<T>::is_signed;
  return width == 8 ? x : T(APInt(64, uint64_t(x)).trunc(width).byteSwap().getZExtValue());
}

template <typename T>
T rotl(T x, int by) {
  unsigned width = std::numeric_limits<T>::digits;
  unsigned amount = (by % int(width) + int(width)) % int(width);
  return T(APInt(64, uint64_t(x)).trunc(width).rotl(amount).getZExtValue());
}

template <typename T>
T rotr(T x, int by) {
  return llvm::rotl(x, -by);
}

// Stores the number `wide` in `result`, truncated to the width of `T`. Returns true if the number does not fit.
template <typename T>
bool fits_not(const APInt &wide, T &result) {
  unsigned width = std::numeric_limits<T>::digits + 1;
  result = T(wide.trunc(width).getSExtValue());
  return !wide.isSignedIntN(width);
}

template <typename T>
bool AddOverflow(T x, T y, T &result) {
  return fits_not(APInt(128, x, true) + APInt(128, y, true), result);
}

template <typename T>
bool SubOverflow(T x, T y, T &result) {
  return fits_not(APInt(128, x, true) - APInt(128, y, true), result);
}

template <typename T>
bool MulOverflow(T x, T y, T &result) {
  return fits_not(APInt(128, x, true) * APInt(128, y, true), result);
}

template <typename T>
T bit_cast(float x) {
  return T(APFloat(x).bitcastToAPInt().getZExtValue());
}

template <typename T>
T bit_cast(double x) {
  return T(APFloat(x).bitcastToAPInt().getZExtValue());
}

template <typename T>
T bit_cast(uint32_t x) {
  if constexpr (std::is_floating_point_v<T>)
    return APFloat(APFloat::IEEEsingle(), APInt(32, x)).convertToFloat();
  else
    return T(x);
}

template <typename T>
T bit_cast(int32_t x) {
  return llvm::bit_cast<T>(uint32_t(x));
}

template <typename T>
T bit_cast(uint64_t x) {
  if constexpr (std::is_floating_point_v<T>)
    return APFloat(APFloat::IEEEdouble(), APInt(64, x)).convertToDouble();
  else
    return T(x);
}

template <typename T>
T bit_cast(int64_t x) {
  return llvm::bit_cast<T>(uint64_t(x));
}

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

std::string Twine::utohexstr(uint64_t x) { return llvm::utohexstr(x, true); }

std::string toString(const APInt &x, unsigned radix, bool isSigned, bool hasPrefix = false, bool isUpper = true) {
  StringRef digits = isUpper ? "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" : "0123456789abcdefghijklmnopqrstuvwxyz";
  bool negative = isSigned && x.isNegative();
  // The radix needs up to six bits.
  APInt rest = (negative ? -x : x).zext(x.getBitWidth() + 6);
  std::string text;
  do {
    text = digits.substr(rest.urem(radix), 1).str() + text;
    rest = rest.udiv(radix);
  } while (!rest.isZero());
  if (hasPrefix && radix != 10)
    text = (radix == 2 ? "0b" : radix == 8 ? "0" : "0x") + text;
  return negative ? "-" + text : text;
}

std::string toString(const APSInt &x, unsigned radix) { return llvm::toString(x, radix, x.isSigned()); }

template <typename T>
T to_underlying(T x) {
  return x;
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
