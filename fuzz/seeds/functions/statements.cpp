#include "mlir/IR/Builders.h"
using namespace mlir;

namespace {
constexpr int64_t kLimit = 16;

int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return std::max(low, std::min(value, high));
}
} // namespace

static int64_t sumOfSquares(int64_t n) {
  SmallVector<int64_t> squares;
  for (int64_t i = 0; i < clamp(n, 0, kLimit); ++i)
    squares.push_back(i * i);
  int64_t sum = 0;
  for (auto [index, square] : llvm::enumerate(squares)) {
    if (index % 2 == 0)
      continue;
    sum += square;
  }
  return sum;
}

static bool isSmall(Attribute attr) {
  auto integer = dyn_cast<IntegerAttr>(attr);
  return integer && integer.getValue().ult(kLimit);
}

static Attribute addOne(Builder &builder, Attribute attr) {
  auto integer = cast<IntegerAttr>(attr);
  return builder.getIntegerAttr(integer.getType(), integer.getValue() + 1);
}
