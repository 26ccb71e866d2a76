
// Functions of the standard library, except algorithms, with the results of `libstdc++`.

namespace std {
namespace drrvm {

template <typename T, typename U>
T exchange(T &x, U y) {
  T before = x;
  x = y;
  return before;
}

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

double fmax(double x, double y) { return std::isnan(x) || x < y ? y : x; }

float fmax(float x, float y) { return std::isnan(x) || x < y ? y : x; }

double fmin(double x, double y) { return std::isnan(x) || y < x ? y : x; }

float fmin(float x, float y) { return std::isnan(x) || y < x ? y : x; }

double fdim(double x, double y) { return x <= y ? 0.0 : x - y; }

double rint(double x) {
  APFloat number(x);
  number.roundToIntegral(RoundingMode::NearestTiesToEven);
  return number.convertToDouble();
}

double nearbyint(double x) { return std::rint(x); }

long lrint(double x) { return std::rint(x); }

double fma(double x, double y, double z) {
  APFloat number(x);
  number.fusedMultiplyAdd(APFloat(y), APFloat(z), RoundingMode::NearestTiesToEven);
  return number.convertToDouble();
}

float fma(float x, float y, float z) {
  APFloat number(x);
  number.fusedMultiplyAdd(APFloat(y), APFloat(z), RoundingMode::NearestTiesToEven);
  return number.convertToFloat();
}

bool isnormal(double x) { return APFloat(x).isNormal(); }

int stoi(const std::string &text) { return drrvmParsed<int>(text); }

unsigned long stoul(const std::string &text) { return drrvmParsed<uint64_t>(text); }

unsigned long long stoull(const std::string &text) { return drrvmParsed<uint64_t>(text); }

long stol(const std::string &text) { return drrvmParsed<int64_t>(text); }

long long stoll(const std::string &text) { return drrvmParsed<int64_t>(text); }

} // namespace drrvm
} // namespace std

namespace mlir {
namespace drrvm {

size_t StringRef_find(StringRef text, StringRef part, size_t from) {
  if (from > text.size())
    return StringRef::npos;
  size_t at = text.drop_front(from).find(part);
  return at == StringRef::npos ? at : at + from;
}

size_t StringRef_find(StringRef text, char c, size_t from) {
  if (from > text.size())
    return StringRef::npos;
  size_t at = text.drop_front(from).find(c);
  return at == StringRef::npos ? at : at + from;
}

template <typename T>
void ArrayRef_resize_for_overwrite(SmallVectorImpl<T> &range, size_t count) {
  range.resize(count);
}

} // namespace drrvm
} // namespace mlir
