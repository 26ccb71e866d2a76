//! Tests of variadic templates. The expected values are those of the programs that g++ compiles.

use super::returns;

#[test]
fn packs_of_types_and_values_are_expanded() {
    let text = "
      template <typename... Ts> static bool isAnyOf(Type t) { return isa<Ts...>(t); }
      template <typename... Ts> static bool isOneOf(Type t) { return (isa<Ts>(t) || ...); }
      template <typename... Ts> static bool isNoneOf(Type t) { return (!isa<Ts>(t) && ...); }
      template <typename First, typename... Rest> static int64_t which(Type t) {
        if (isa<First>(t)) return 1;
        if constexpr (sizeof...(Rest) == 0) return 100;
        else return 1 + which<Rest...>(t);
      }
      template <typename... Args> static int64_t sum(Args... args) { return (args + ... + 0); }
      template <typename... Args> static int64_t difference(Args... args) { return (... - args) * 100 + (args - ...); }
      template <int64_t... Ns> static int64_t digits() { int64_t all = 0; ((all = all * 10 + Ns), ...); return all; }
      template <typename... Args> static int64_t listed(int64_t first, const Args &...args) {
        SmallVector<int64_t> all{first, args...};
        int64_t hash = sizeof...(args);
        for (int64_t x : all) hash = hash * 10 + x;
        return hash;
      }
      static int64_t most() { return -1; }
      template <typename T, typename... Rest> static int64_t most(T first, Rest... rest) {
        int64_t other = most(rest...);
        return first > other ? first : other;
      }
      template <typename T> static int64_t order(T x) { return x; }
      template <typename T, typename... Rest> static int64_t order(T x, Rest &&...rest) {
        return x + 10 * order(std::forward<Rest>(rest)...);
      }
      template <typename... Args> static void pushAll(SmallVectorImpl<int64_t> &v, Args... args) {
        if (v.empty()) (v.push_back(args), ...);
      }
      template <typename... Args> static void addAll(int64_t by, Args &...args) { ((args += by), ...); }
      int64_t f(int64_t n) {
        return sum() + sum(n) * 10 + sum(n, 2, 3) * 100;
      }
      int64_t g(int64_t n) { return difference(n, 2, 3) * 1000 + digits<1, 2, 3>() + digits<>(); }
      int64_t h(int64_t n) { return listed(n, 1, 2) * 1000 + listed(n); }
      int64_t i(int64_t n) { return most(n, 3, 9, 2) * 10 + most(n); }
      int64_t j(int64_t n) { return order(n, 2, 3); }
      int64_t k(int64_t n) {
        SmallVector<int64_t> v; pushAll(v); pushAll(v, n, n + 1); pushAll(v, 5);
        int64_t a = 1, b = 2; addAll(n, a, b);
        return v.size() * 1000 + v[1] * 100 + a * 10 + b;
      }
      int64_t l(int64_t n) {
        MLIRContext *context = nullptr;
        Type t = IntegerType::get(context, 32);
        int64_t any = isAnyOf<FloatType, IntegerType>(t), one = isOneOf<FloatType, IndexType>(t);
        int64_t none = isNoneOf<FloatType, IndexType>(t), some = isNoneOf<IntegerType>(t);
        return any * 1000 + one * 100 + none * 10 + some + which<FloatType, IndexType, IntegerType>(t) * 10000
          + which<FloatType>(t) * 100000;
      }";
    returns(text, "f($0)", &[(7, 1_270), (-2, 280)]);
    returns(text, "g($0)", &[(7, 208_123), (1, -397_877)]);
    returns(text, "h($0)", &[(4, 2_412_004)]);
    returns(text, "i($0)", &[(4, 94), (30, 330)]);
    returns(text, "j($0)", &[(4, 324)]);
    returns(text, "k($0)", &[(3, 2_445)]);
    returns(text, "l($0)", &[(0, 10_031_010)]);
}
