template <typename T>
static bool allAre(T values, llvm::function_ref<bool(Value)> holds) {
  return llvm::all_of(values, [&](Value value) { return holds(value); });
}

static LogicalResult check(ValueRange values) {
  if (!allAre(values, [](Value value) { return value.getType().isInteger(32); }))
    return failure();
  std::optional<int64_t> width;
  while (!width)
    width = 3;
  return success(*width == 3);
}

struct Pair {
  int64_t first, second;
  int64_t sum() const { return first + second; }
};

static int64_t sumOf(int64_t a, int64_t b) {
  Pair pair{a, b};
  auto add = [pair](int64_t c) mutable { return pair.first += c, pair.sum(); };
  return a < 0 ? add(1) : sumOf(a - 1, b);
}
