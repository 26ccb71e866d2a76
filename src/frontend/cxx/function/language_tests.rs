//! Tests that functions have the results that they have in C++.

use super::tests::{pair, pair_of, stays_native};

/// Functions `f(n)`. Each pair is an argument and the result of the program that g++ compiles.
const CASES: &[(&str, &[(i64, i64)])] = &[
    (
        "int64_t f(int64_t n) { SmallVector<SmallVector<int64_t>> v{{1, 2}, {n}}; return v.size() * 100 + v[1][0]; }",
        &[(7, 207)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<int64_t> x{1, 2}, y{n}; SmallVector<SmallVector<int64_t>> v = {x, y}, one{x};
           return v.size() * 1000 + one.size() * 100 + one[0].size() * 10 + v[1][0]; }",
        &[(7, 2_127)],
    ),
    (
        "static std::vector<std::vector<int64_t>> groups(int64_t n) { return {{0, n}, {}, {2}}; }
         static int64_t count(ArrayRef<SmallVector<int64_t>> all) { return all.size() * 10 + all.back().size(); }
         int64_t f(int64_t n) { std::vector<std::vector<int64_t>> v; v = {{1}, {2, n}};
           return groups(n).size() * 1000 + v.size() * 100 + count({{1, 2}, {3}, {4}}) + groups(n)[0][1]; }",
        &[(0, 3_231), (4, 3_235)],
    ),
    (
        "static std::optional<SmallVector<SmallVector<int64_t>>> g() { return {{{0, 1}, {2}}}; }
         int64_t f(int64_t n) { SmallVector<int64_t> flat = {{1}, {n}}; return g()->size() * 10 + flat.size(); }",
        &[(7, 22)],
    ),
    (
        "static SmallVector<int64_t> rest(ArrayRef<int64_t> v) { return {v.begin() + 1, v.end()}; }
         int64_t f(int64_t n) { SmallVector<int64_t> v = {1, 2, n}, a{v.begin(), v.end()}, b = {v.begin(), v.end()};
           std::vector<int64_t> c{v.rbegin(), v.rend()}; return a.size() * 1000 + b.size() * 100 + c[0] * 10 + rest(v).size(); }",
        &[(7, 3_372)],
    ),
    (
        "template <typename T> static int64_t cost(T x) { return 1; }
         template <> int64_t cost<double>(double x) { return 2; }
         template <> int64_t cost(bool x) { return 3; }
         template <int64_t N> static int64_t twice() { return 2 * N; }
         template <> int64_t twice<3>() { return 0; }
         int64_t f(int64_t n) { return cost(n) * 1000 + cost(1.0) * 100 + cost<double>(n) * 10 + cost(n > 0) + twice<2>() + twice<3>(); }",
        &[(1, 1_227)],
    ),
    (
        "template <typename T, int N = 3, typename U = T> static int64_t k(T x) { return x * N + std::is_same_v<T, U>; }
         int64_t f(int64_t n) { return k<int64_t>(n) * 1000 + k<int64_t, 5>(n) * 100 + k<int64_t, 2, bool>(n); }",
        &[(1, 4_602)],
    ),
    (
        "template <typename T> static int64_t k(T x) { if constexpr (std::is_same_v<T, double> || !std::is_integral<T>::value) return x * 2; else return x % 2; }
         int64_t f(int64_t n) { return k(n) * 10 + k(n + 0.5) + k(1.5f) * 100; }",
        &[(4, 309)],
    ),
    (
        "static int64_t abs(int64_t a) { return a < 0 ? 55 : a; }
         static int64_t max(int64_t a, int64_t b) { return a + b; }
         static int64_t count(ArrayRef<int64_t> v, int64_t x) { return -1; }
         int64_t f(int64_t n) { SmallVector<int64_t> v{n, 2}; int64_t min = 9; min = std::min(min, n);
           return std::abs(-n) + 10 * std::max(n, n) + 100 * llvm::count(v, n) + 1000 * abs(-n) + 100000 * min; }",
        &[(3, 355_133)],
    ),
    (
        "int64_t f(int64_t n) { float x = n; auto r = 1.0f / std::sqrt(x); double e = std::exp(x), l = std::log(x), s = sqrt(x);
           return int64_t(r * r * 1e9) % 100000 + int64_t(e * 1e9) % 100000 + int64_t(l * 1e12) % 1000 + int64_t(s * 1e12) % 1000; }",
        &[(3, 71_339), (7, 136_106)],
    ),
    (
        "int64_t f(int64_t n) { float x = n; double p = std::pow(x, 0.1f), q = std::pow(x, 2), m = std::fmod(x, 0.7f);
           int e; double h = std::frexp(x, &e); double d = std::floor(x / 3.0f) + std::lround(n + 0.5) + std::llround(-0.5);
           return int64_t(p * 1e12) % 100000 + int64_t(q) + int64_t(m * 1e12) % 1000 + e + int64_t(d) + abs(n + 0.9); }",
        &[(10, 38_947)],
    ),
    (
        "int64_t f(int64_t n) { StringRef s = n == 0 ? \"-42\" : n == 1 ? \"300\" : n == 2 ? \"99999999999\" : \"18446744073709551615\";
           unsigned u = 7; int i = 7; uint8_t c = 7; uint64_t w = 7; int64_t l = 7;
           int64_t bits = s.getAsInteger(10, u) + 2 * s.getAsInteger(10, i) + 4 * s.getAsInteger(10, c) + 8 * s.getAsInteger(10, w) + 16 * s.getAsInteger(10, l);
           return bits * 1000 + u + i + c + (w == 7) + (l == 7); }",
        &[(0, 12_973), (1, 4_607), (2, 7_021), (3, 23_022)],
    ),
    (
        "int64_t f(int64_t n) { double nan = std::numeric_limits<double>::quiet_NaN();
           return std::isnan(std::min(nan, 1.0)) + 2 * std::isnan(std::min(1.0, nan)) + 4 * std::isnan(std::max(nan, 1.0)) + 8 * std::isnan(std::max(1.0, nan))
             + 16 * (1 / std::min(0.0, -0.0) > 0) + 32 * (1 / std::max(-0.0, 0.0) > 0); }",
        &[(0, 21)],
    ),
    (
        "int64_t f(int64_t n) { bool loses = true; APFloat x = n == 0 ? APFloat::getNaN(APFloat::IEEEdouble()) : n == 1 ? APFloat(1e300) : n == 2 ? APFloat(1e-7) : APFloat(n + 0.001);
           auto status = x.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &loses);
           return loses * 1000 + (status == APFloat::opOK) * 100 + status; }",
        &[(0, 100), (1, 1_020), (2, 1_024), (3, 1_016)],
    ),
    (
        "int64_t f(int64_t n) { return APInt(8, n).logBase2() + APInt(8, n).exactLogBase2() + Log2_32(n + 1); }",
        &[(0, 4_294_967_294), (4, 6)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<int64_t> s; bool fits = OpTrait::util::getBroadcastedShape({n, 3}, {1}, s); return fits * 100 + s[0]; }",
        &[(-1, 99), (5, 105)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<int64_t> s; bool fits = OpTrait::util::getBroadcastedShape({ShapedType::kDynamic}, {n}, s);
           return fits * 100 + (s[0] == ShapedType::kDynamic) * 10 + (s[0] == n); }",
        &[(0, 110), (1, 110), (2, 101)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<int64_t> v{5, 6}; int64_t r = 0; for (int i = 0; i < 2; ++i) r += i;
           for (auto [i, x] : llvm::enumerate(v)) r += i * x * n; for (int64_t i = 0; i < 2; ++i) r += 100; return r; }",
        &[(10, 261)],
    ),
    (
        "template <typename T> static T add(T a, T b) { return a + b; }
         int64_t f(int64_t n) { SmallVector<int64_t> v{5, n}; int64_t r = 0; for (auto [x, y] : llvm::zip(v, v)) r += add<int64_t>(x, y); return r; }",
        &[(6, 22)],
    ),
    (
        "int64_t f(int64_t n) { LLVM_DEBUG(llvm::dbgs() << \"n \" << n << \"\\n\"); if (n > 5) LLVM_DEBUG({ for (;;) undefined(n); });
           if (LLVM_UNLIKELY(n > 6)) return 1; return LLVM_LIKELY(n > 5) ? 2 : 3; }",
        &[(4, 3), (6, 2), (7, 1)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<int64_t> v{3, 1, n}; int64_t p = std::accumulate(v.begin(), v.end(), 1, std::multiplies<int64_t>{});
           llvm::sort(v, std::greater<>()); int64_t x = std::accumulate(v.begin(), v.end(), int64_t(0), std::bit_xor<>());
           return p * 100 + v[0] * 10 + x + std::less_equal<int64_t>()(n, 3); }",
        &[(2, 631), (9, 2_801)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<StringRef> p; StringRef s = n == 0 ? \"a,,b,\" : \",a\"; s.split(p, ','); int64_t all = p.size();
           SmallVector<StringRef> q{\"x\"}; s.split(q, \",\", -1, false); SmallVector<StringRef, 4> r; s.split(r, ',', 1);
           return all * 100 + q.size() * 10 + r.size() + s.contains(',') * 1000 + s.starts_with(',') * 10000 + r.back().size() * 100000; }",
        &[(0, 301_432), (1, 111_222)],
    ),
    (
        "int64_t f(int64_t n) { StringRef s = n == 0 ? \"aab,;ca\" : \"xyz\";
           return s.find_first_of(\",;\") % 100 + s.trim('a').size() * 100 + s.count('a') * 1000 + s.ltrim('a').size() * 10000
             + s.rtrim(\"ac\").size() * 100000 + s.find_last_of(';') % 100 * 1000000 + s.find_first_not_of('a') % 100 * 10000000 + s.count(\"aa\") * 3; }",
        &[(0, 24_553_406), (1, 15_330_315)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<int64_t> v{5, 6, 7}, w{1, 2}; v.insert(v.begin() + 1, {8, 9}); v.insert(v.begin(), 2, n); v.insert(v.end(), w.begin(), w.end());
           int64_t r = 0; for (int64_t x : v) r = r * 10 + x; return r; }",
        &[(1, 115_896_712)],
    ),
    (
        "int64_t f(int64_t n) { int64_t r = 0; for (int64_t v : {5, 6, 7}) { switch (v) { case 5: if (r == 0) break; r = 9; break; case 6: { r += n; break; } default: r += v; } } return r; }",
        &[(10, 17)],
    ),
    (
        "#if 0\nstatic int64_t g() { return 1; }\n#  if 1\n int64_t h( {\n#endif\n#else // taken\nstatic int64_t g() { return 2; }\n#endif
#if 1\nstatic int64_t h() { return 3; }\n#else\nstatic int64_t h() { return 4; }\n#endif\nint64_t f(int64_t n) { return g() * 10 + h() + n; }",
        &[(0, 23)],
    ),
    (
        "enum { kA = 4, kB }; constexpr int kC = 3, kD = kC * 2; int64_t f(int64_t n) { return kB * 10 + kD + n; }",
        &[(0, 56)],
    ),
    (
        "int64_t f(int64_t n) { uint32_t u = n; uint8_t c = n; return llvm::countr_zero(u) + llvm::countl_zero(c) * 100 + llvm::bit_width(u) * 10000 + llvm::popcount(u) * 1000000 + (INT_MAX == 2147483647); }",
        &[(8, 1_040_404), (0, 833)],
    ),
    (
        "int64_t f(int64_t n) { const auto &s = APFloat::IEEEsingle(); APFloat x(s, n), y(s, 3), nan = APFloat::getNaN(s);
           return x.compare(y) + 10 * (x.compare(nan) == APFloat::cmpUnordered) + 100 * x.bitwiseIsEqual(y) + 1000 * APFloat::getSmallest(s).isDenormal()
             + 10000 * APFloat::getSmallestNormalized(s).isDenormal() + 100000 * llvm::minnum(x, nan).bitwiseIsEqual(x) + 1000000 * llvm::minimum(x, nan).isNaN()
             + 10000000 * llvm::maxnum(APFloat::getZero(s, true), APFloat::getZero(s)).isNegZero(); }",
        &[(2, 1_101_010), (3, 1_101_111), (4, 1_101_012)],
    ),
    (
        "int64_t f(int64_t n) { int64_t k = 2; auto g = [m = n * k, &k](int64_t i) { return i % m + k; }; k = 5; return g(7); }",
        &[(2, 8), (5, 12)],
    ),
    (
        "template <typename Fn> static int64_t app(Fn &&fn) { return fn(3); }
         static int64_t app2(llvm::function_ref<int64_t(int64_t)> fn) { return fn(4); }
         static int64_t twice(int64_t x) { return 2 * x; }
         int64_t f(int64_t n) { return app(twice) * 10 + app2(twice) + n; }",
        &[(0, 68)],
    ),
    (
        "int64_t f(int64_t n) { std::string s = \"a\"; llvm::raw_string_ostream os(s); os << \"x\" << n << ',' << (n > 1); for (int i = 0; i < 2; ++i) os << i; os.flush();
           return os.str().size() * 10000 + s.size() * 1000 + (s == \"ax12,101\") * 100 + s[1]; }",
        &[(12, 88_220), (3, 77_120)],
    ),
    (
        "#define K_AXIS 3 // of three\n#define K_SUM (K_AXIS + 1)\n# define K_NAME \"ab\" \"c\"\nint64_t f(int64_t n) { return K_SUM * 10 + K_AXIS + StringRef(K_NAME).size() + n; }",
        &[(0, 46)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<int64_t> p{2, 0, n}, v{5, 6, 7}; auto q = invertPermutationVector(p); auto w = applyPermutation<int64_t>(v, p); applyPermutationToVector(v, p);
         int64_t r = 0; for (int64_t x : q) r = r * 10 + x; for (int64_t x : w) r = r * 10 + x; for (int64_t x : v) r = r * 10 + x; return r; }",
        &[(1, 120_756_756)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 0, n}; return isIdentityPermutation({0, 1, n}) + 10 * isPermutationVector(v) + 100 * isIdentityPermutation({}); }",
        &[(2, 111), (1, 100)],
    ),
    (
        "int64_t f(int64_t n) { int64_t r = 0; for (int64_t x : computePermutationVector(5, {2, n}, {1, 0})) r = r * 10 + x; return r; }",
        &[(4, 42_013), (0, 2_134)],
    ),
    (
        "template <typename T> static T last(const std::vector<T> &v) { return v.back() / 2; }
         int64_t f(int64_t n) { std::vector<double> d{1.0, double(n)}; std::vector<int64_t> i{1, n}; return last(d) * 10 + last(i) * 1000; }",
        &[(5, 2_025)],
    ),
    (
        "int64_t f(int64_t n) { std::map<int64_t, int64_t> m; m[3] = 1; m[n] = 2; m.insert({5, 3}); m[-1] = 4; int64_t r = 0;
         for (const auto &[k, v] : m) r = r * 100 + k * 10 + v; return r * 10 + m.begin()->second + m.size() * 100000; }",
        &[(7, -56_446_276), (4, -56_457_466)],
    ),
    (
        "int64_t f(int64_t n) { std::map<std::string, int> m{{\"b\", 1}, {\"a\", 2}, {\"b\", 3}}; m[\"c\"] = n; std::string s; int64_t r = 0; for (auto &e : m) { s += e.first; r = r * 10 + e.second; }
         for (auto &[k, v] : m) v += 1; return r * 1000 + m.size() * 100 + (s == \"abc\") * 10 + m.at(\"b\"); }",
        &[(8, 218_312)],
    ),
    (
        "static const std::map<std::string, int64_t> kCodes = {{\"relu\", 3}, {\"gelu\", 5}};
         int64_t f(int64_t n) { StringRef s = n == 0 ? \"relu\" : n == 1 ? \"gelu\" : \"none\"; auto it = kCodes.find(s.str()); if (it == kCodes.end()) return -1;
         return it->second * 100 + kCodes.count(\"gelu\") * 10 + kCodes.at(\"relu\") + kCodes.size() * 1000; }",
        &[(0, 2_313), (1, 2_513), (2, -1)],
    ),
    (
        "int64_t f(int64_t n) { static const llvm::DenseMap<int64_t, int64_t> m = {{1, 10}, {2, 20}}; static const std::unordered_map<int64_t, std::string> names{{1, \"a\"}, {2, \"bc\"}};
         if (!m.count(n)) return m.size(); return m.lookup(n) + names.at(n).size(); }",
        &[(1, 11), (2, 22), (5, 2)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<SmallVector<int64_t>> v(3); v[0].push_back(n); v[2].push_back(4); v[0].push_back(5); v.back().push_back(7); v[1].append({8, 9}); v[1].pop_back(); int64_t r = 0;
         for (auto &x : v) { r = r * 10 + x.size(); for (int64_t y : x) r = r * 10 + y; } return r; }",
        &[(1, 21_518_247)],
    ),
    (
        "int64_t f(int64_t n) { std::vector<std::vector<double>> v; v.resize(2); v[0].push_back(n); v[1].push_back(3); v.emplace_back(); v[2].push_back(1); double s = 0; for (const auto &row : v) for (double x : row) s += x / 2; return s * 100; }",
        &[(3, 350)],
    ),
    (
        "struct P { int64_t x = 0; SmallVector<int64_t> all; };
         int64_t f(int64_t n) { SmallVector<P> v(2); v.back().x = n; v.front().all.push_back(3); v[1].all.push_back(n); v.back().all.push_back(2); v.back().x += 1; return v[1].x * 1000 + v[0].x * 100 + v[1].all.size() * 10 + v[0].all[0]; }",
        &[(6, 7_023)],
    ),
    (
        "int64_t f(int64_t n) { llvm::MapVector<int64_t, int64_t> m; m[3] = 1; m[n] = 2; m.insert({5, 3}); m[3] = 7; int64_t r = 0; for (auto &[k, v] : m) r = r * 100 + k * 10 + v; return r * 10 + m.front().second; }",
        &[(7, 3_772_537), (4, 3_742_537)],
    ),
    (
        "int64_t f(int64_t n) { std::map<int64_t, int64_t> m; m = {{5, 1}, {2, 2}, {5, 9}, {n, 3}}; std::set<int64_t> s; s = {4, n, 4, 1}; int64_t r = m.size() * 10 + s.size();
         for (auto &[k, v] : m) r = r * 100 + k * 10 + v; for (int64_t x : s) r = r * 10 + x; return r; }",
        &[(3, 33_223_351_134), (5, 232_251_145)],
    ),
    (
        "int64_t f(int64_t n) { std::map<int64_t, SmallVector<int64_t>> m; m[n].push_back(1); m[1].push_back(2); m[n].push_back(m[1].size()); auto &w = m[0]; w.push_back(n); int64_t r = 0;
         for (auto &[k, v] : m) { r = r * 10 + k; for (int64_t x : v) r = r * 10 + x; } return r; }",
        &[(5, 512_511), (1, 11_122)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<SmallVector<int64_t>> v(2); for (auto &row : v) { row.push_back(row.size() + n); row.push_back(9); } v[0][0] = 7; v[1] = v[0]; v[1].clear(); v[1].insert(v[1].begin(), 3); v[1].push_back(n);
         std::swap(v[0], v[1]); llvm::sort(v[0]); int64_t r = 0; for (auto &row : v) for (int64_t x : row) r = r * 10 + x; return r * 10 + v[0].size(); }",
        &[(1, 13_792)],
    ),
    (
        "int64_t f(int64_t n) { std::vector<std::vector<double>> v{{1, 2}, {3}}, w = {{1}}; w = {{5, 6}}; w.push_back({3}); v[1] = {9, 8}; for (const auto &row : w) for (auto x : row) n += x / 2 * 1000; return v[0][0] / 2 * 10 + v[1].back() / 16 * 100 + w[0][0] / 2 * 1000 + w.back()[0] / 2 * 100000 + n; }",
        &[(3, 159_558)],
    ),
    (
        "static void add(SmallVectorImpl<SmallVector<int64_t>> &out, int64_t n) { out.emplace_back(); out.back().push_back(n); out.front().push_back(out.size()); }
         int64_t f(int64_t n) { SmallVector<SmallVector<int64_t>> v; add(v, n); add(v, 4); int64_t r = 0; for (auto &row : v) { for (int64_t x : row) r = r * 10 + x; r = r * 10; } return r; }",
        &[(2, 212_040)],
    ),
    (
        "int64_t f(int64_t n) { llvm::MapVector<int64_t, int64_t> m; m[5] = 1; m[3] = 2; m[n] += 4; m.erase(5); m.insert({1, 6}); std::map<int64_t, int64_t> s; s.insert_or_assign(4, n); s.insert_or_assign(4, 2); s.insert_or_assign(1, 1); int64_t r = 0;
         for (auto &[k, v] : m) r = r * 100 + k * 10 + v; for (auto &[k, v] : s) r = r * 100 + k * 10 + v; return r; }",
        &[(3, 36_161_142), (7, 3_274_161_142)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<StringRef> s{\"a\", \"bb\", \"ccc\"}; SmallVector<int64_t> p{2, 0, 1}; auto t = applyPermutation<StringRef>(s, p); SmallVector<double> d{1.5, 2, 0.5}; applyPermutationToVector(d, invertPermutationVector(p));
         return t[0].size() * 100 + t[1].size() * 10 + t[2].size() + int64_t(d[0] * 10000) + n; }",
        &[(0, 20_312)],
    ),
    (
        "static const std::map<int64_t, std::string> kNames = {{3, \"three\"}, {1, \"one\"}, {3, \"x\"}};
         static const llvm::StringMap<int64_t> kSizes = {{\"a\", 1}, {\"b\", 7}};
         int64_t f(int64_t n) { int64_t r = kNames.size(); for (const auto &[k, v] : kNames) r = r * 100 + k * 10 + v.size(); return r * 10 + kSizes.lookup(\"b\") + kSizes.lookup(\"c\") + (kNames.find(n) != kNames.end() ? 100000 : 0); }",
        &[(1, 313_357), (2, 213_357)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<int64_t> v{4, n}; std::array<int64_t, 3> a{1, 2, 3}; return v.size() * 100 + std::vector<int64_t>{7, 8}.at(1) * 10 + a.at(2); }",
        &[(1, 283)],
    ),
    (
        "int64_t f(int64_t n) { uint64_t big = n - 4; std::vector<uint64_t> v{big, 5}; bool is = std::is_sorted(v.begin(), v.end()); std::sort(v.begin(), v.end()); std::set<uint64_t> s{big, 5};
           return (std::max(big, uint64_t(5)) > 100) + 10 * (v[0] == 5) + 100 * (*s.begin() == 5) + 1000 * (*std::max_element(v.begin(), v.end()) == big) + 10000 * is; }",
        &[(0, 1_111), (5, 10_000)],
    ),
    (
        "int64_t f(int64_t n) { auto g = [](std::set<int64_t> s) { int64_t r = s.size(); for (auto x : s) r = r * 10 + x; return r; }; auto m = [](std::map<int64_t, int64_t> m) { return m.size() * 10 + m.at(3); };
           return g({n, 5, n}) * 10000 + [](const std::set<int64_t> &s) { return s.size(); }({n, 1, n, 5}) * 1000 + m({{3, 1}, {n, 2}, {3, 4}}); }",
        &[(2, 2_253_021), (5, 152_021)],
    ),
    (
        "int64_t f(int64_t n) { auto g = [](int64_t k) -> std::set<int64_t> { return {5, k, 3, 5}; }; auto s = g(n); int64_t r = s.size(); for (auto x : s) r = r * 10 + x; return r; }",
        &[(4, 3_345), (3, 235)],
    ),
    (
        "int64_t f(int64_t n) { auto s = [&] { std::set<int64_t> t{n, 2}; return t; }(); s.insert(1); int64_t r = 0; for (auto k : s) r = r * 10 + k; return r; }",
        &[(0, 12), (3, 123)],
    ),
    (
        "static std::set<int64_t> make(int64_t n) { return {n, 2}; }
         static int64_t use(std::function<std::set<int64_t>(int64_t)> fn, int64_t n) { std::set<int64_t> s = fn(n); s.insert(1); int64_t r = 0; for (auto k : s) r = r * 10 + k; return r; }
         int64_t f(int64_t n) { auto g = make; std::set<int64_t> s = g(n); s.insert(1); int64_t r = use(make, n); for (auto k : s) r = r * 10 + k; return r; }",
        &[(0, 12_012), (3, 123_123)],
    ),
    (
        "template <typename T> static int64_t g(std::set<T> s) { int64_t r = s.size(); for (auto x : s) r = r * 10 + x; return r; }
         int64_t f(int64_t n) { return g<int64_t>({5, n, 5}); }",
        &[(2, 225), (5, 15)],
    ),
    (
        "template <typename T> static int64_t g(T x) { return 1; }
         static int64_t g(std::vector<double> v) { return 2; }
         int64_t f(int64_t n) { return g({1, 2}) * 10 + g(n); }",
        &[(3, 21)],
    ),
    (
        "int64_t f(int64_t n) { bool x = n > 1, y = n > 2; return ((x) and y) + 2 * ((x) or y) + 4 * ((n) != 2 or (x) and not y); }",
        &[(0, 4), (2, 6), (3, 7)],
    ),
    (
        "int64_t f(int64_t n) { return (0xFFFFFFFF + 1 == 0) + 10 * (3000000000u * 2 == 1705032704) + 100 * (037777777777 > n - 1 && 0b11111111111111111111111111111111 + 2 == 1) + 1000 * (2147483648 * 2 == 4294967296)
             + 10000 * (0xFFFFFFFFFFFFFFFF + 2 == 1) + 100000 * (5000000000u * 4 == 20000000000) + 1000000 * (0x80000000l * 2 == 4294967296) + 10000000 * (-1 < 0x80000000) + 100000000 * (-1 < 0xFFFFFFFFFF); }",
        &[(0, 101_111_111)],
    ),
    (
        r#"int64_t f(int64_t n) { std::string s = "\x1b[\101\u00e9\a\7"; return s.size() * 100000 + s[0] * 1000 + s[2] * 10 + (s == "\033[A\U000000e9\x07\007") + ('\x41' == 'A') * 10000000 + ('\v' == 11) * 100000000; }"#,
        &[(0, 110_727_651)],
    ),
    (
        "int64_t f(int64_t n) { bool o = false; auto g = [o] { return o; }; APInt x = APInt(8, 100).sadd_ov(APInt(8, n), o); return g() + 2 * o; }",
        &[(100, 2), (1, 0)],
    ),
    (
        "static std::vector<std::vector<int64_t>> g(int64_t n) { return {{n, 1}, {2}}; } static std::vector<std::vector<double>> h(double d) { return {{d}}; }
         int64_t f(int64_t n) { return g(n)[0][0] / 2 + g(n)[1][0] + h(n)[0][0] / 4 * 1000; }",
        &[(10_000_000_001, 2_505_000_000_252), (1, 252)],
    ),
    (
        "static bool before(std::pair<int, double> a, std::pair<int, double> b) { return a < b; }
         int64_t f(int64_t n) { std::pair<int, unsigned> a{n, 1}, b{2, 3}; std::tuple<int64_t, bool, double> x{n, n > 1, 0.5}, y{2, true, n * 0.25};
           return (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (x < y) + 32 * (x >= y) + 64 * before({n, 1.5}, {2, 2.5}) + 128 * (std::make_pair(n, 1) > std::make_pair(int64_t(2), 0)); }",
        &[(300, 172), (2, 227), (-5, 83), (0, 83), (7, 172), (100, 172)],
    ),
    (
        "int64_t f(int64_t n) { double nan = std::numeric_limits<double>::quiet_NaN(); std::pair<double, int> a{nan, 1}, b{n, 3};
           return (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (b < a) + 32 * (b >= a); }",
        &[(300, 35), (2, 35), (-5, 35), (0, 35), (7, 35), (100, 35)],
    ),
    (
        "int64_t f(int64_t n) { int64_t k = 2, a = 1; unsigned b = 3; StringRef s = \"x\", t = \"y\";
           return (std::tie(n, a) < std::tie(k, b)) + 2 * (std::tie(n, a) == std::tie(k, a)) + 4 * (std::tie(s, n) >= std::tie(t, k)) + 8 * (std::tie(n, s) > std::tie(k, t)) + 16 * (std::tie(n, a) != std::tie(k, a)); }",
        &[(300, 24), (2, 3), (-5, 17), (0, 17), (7, 24), (100, 24)],
    ),
    (
        "int64_t f(int64_t n) { std::optional<int64_t> a, b; std::optional<int> c = 7; if (n > 0) a = n; if (n % 2 == 0) b = 5;
           return (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a < 6) + 32 * (a <= 300) + 64 * (a > 5) + 128 * (a >= 7) + 256 * (6 < a) + 512 * (5 <= b) + 1024 * (3u > c) + 2048 * (4 >= b) + 4096 * (a < c); }",
        &[(300, 1_004), (2, 4_659), (-5, 6_202), (0, 4_659), (7, 2_540), (100, 1_004)],
    ),
    (
        "int64_t f(int64_t n) { if (int64_t k; n > 3) { k = n; return k; } if (int d = 1; std::optional<int64_t> o = n) return *o + d; return 0; }",
        &[(300, 300), (2, 3), (-5, -4), (0, 1), (7, 7), (100, 100)],
    ),
    (
        "static constexpr unsigned kBits = 8; static const int kSmall{4}; enum Size { Three = 3 }; static constexpr bool kFlag = true;
         template <bool Twice, int64_t By> static int64_t g(int64_t n) { return Twice ? 2 * n + By : n; }
         int64_t f(int64_t n) { constexpr int64_t kLocal = 3; const unsigned kMore{kLocal};
           return llvm::isInt<kBits>(n) + 2 * llvm::isInt<kSmall>(n) + 4 * llvm::isUInt<Three>(n) + 8 * llvm::isInt<kLocal>(n) + 100 * g<kFlag, kLocal>(n); }",
        &[(300, 60_300), (2, 715), (-5, -697), (0, 315), (7, 1_707), (100, 20_301)],
    ),
    (
        "static constexpr int kBits{12}; static const int64_t kTable[]{1, 2, 5}; constexpr int kA{1}, kB{2}; namespace cfg { inline constexpr double kHalf{0.5}; }
         struct Limits { static constexpr int64_t kMax{9}; };
         int64_t f(int64_t n) { return (n * cfg::kHalf) + (1 << kBits) + kTable[2] + kA * 10 + kB * 100 + Limits::kMax * 10000; }",
        &[(300, 94_461), (2, 94_312), (-5, 94_308), (0, 94_311), (7, 94_314), (100, 94_361)],
    ),
    (
        "int64_t f(int64_t n) { return int64_t(n * M_PI_2 * 1e6) + int64_t(M_PI_4 * 1e6) + int64_t(M_SQRT2 * 1e6) + int64_t(M_LN2 * 1e6) + int64_t(M_1_PI * 1e6) + int64_t(llvm::numbers::pi * 1e6) + int64_t(M_E * 1e6)+ int64_t(M_2_SQRTPI * 1e6)+ int64_t(M_LOG10E * 1e6); }",
        &[(300, 481_872_511), (2, 13_775_205), (-5, 2_779_632), (0, 10_633_613), (7, 21_629_187), (100, 167_713_245)],
    ),
    (
        "int64_t f(int64_t n) { (void)n; n > 2 ? (void)(n += 2) : (void)(n -= 3); n > 100 ? ++n : --n; return n; }",
        &[(300, 303), (2, -2), (-5, -9), (0, -4), (7, 8), (100, 103)],
    ),
    (
        "int64_t f(int64_t n) { int64_t calls = 0; auto add = [&calls](int64_t v) mutable { ++calls; return v + calls; }; int64_t r = add(n); return r * 10 + add(1); }",
        &[(300, 3_013), (2, 33), (-5, -37), (0, 13), (7, 83), (100, 1_013)],
    ),
    (
        "int64_t f(int64_t n) { double x = n * 0.5; float y = n; return int64_t(std::remainder(x, 2.0) * 100) + int64_t(std::remainder(y, 3.0f) * 10000) + std::signbit(std::remainder(-4.0, 2.0)) + 2 * std::isnan(std::remainder(x, 0.0)) + int64_t(std::remainder(n * 1.0, 4.0) * 1000000); }",
        &[(300, 3), (2, 1_990_103), (-5, -990_047), (0, 3), (7, -990_047), (100, 10_003)],
    ),
    (
        "int64_t f(int64_t n) { APInt x(16, n, true); APFloat y(n * 1.0), z = APFloat::getInf(APFloat::IEEEdouble());
           return x.isNegatedPowerOf2() + 2 * x.isShiftedMask() + 4 * y.isFiniteNonZero() + 8 * z.isFiniteNonZero() + 16 * APInt(16, -8, true).isNegatedPowerOf2() + 32 * APInt(8, 0x38).isShiftedMask() + 64 * APInt(8, 0x80).isNegatedPowerOf2() + 128 * APInt(8, 0).isShiftedMask() + 256 * APInt(8, 0xff).isShiftedMask(); }",
        &[(300, 372), (2, 374), (-5, 372), (0, 368), (7, 374), (100, 372)],
    ),
    (
        "int64_t f(int64_t n) { int64_t v[] = {5, n, 9, 1}; std::sort(std::begin(v), std::end(v)); int64_t count = std::count(std::begin(v), std::end(v), 9); return v[0] * 100 + v[3] * 10 + count; }",
        &[(300, 3_101), (2, 191), (-5, -409), (0, 91), (7, 191), (100, 1_101)],
    ),
    (
        "static std::string strip(std::string text) { text.erase(std::remove_if(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c); }), text.end()); return text; }
         int64_t f(int64_t n) { std::string s = n > 2 ? \" a b\\tc \" : \"  \", t = \"a-b--c\"; s = strip(s); t.erase(std::remove(t.begin(), t.end(), '-'), t.end());
           return s.size() * 100 + (s == \"abc\") * 10 + t.size() + (t == \"abc\") * 1000; }",
        &[(300, 1_313), (2, 1_003), (-5, 1_003)],
    ),
    (
        "int64_t f(int64_t n) { double w; double r = std::modf(n * 0.75 - 4, &w); float v; float q = std::modf(n / 4.0f, &v); double z;
           return w * 1000 + r * 100 + v * 100000 + q * 10 + std::signbit(std::modf(-2.0, &z)) * 10000000; }",
        &[(0, 9_996_000), (3, 9_998_932), (-5, 9_892_922)],
    ),
    (
        "static bool shorter(int64_t a, int64_t b) { return a % 10 < b % 10; }
         int64_t f(int64_t n) { auto less = [](auto a, auto b) { return a / 10 < b / 10; }; int64_t k = 31;
           return std::max(n, k, less) + 100 * std::min<int64_t>(n, 38, less) + 10000 * std::max({n, k, int64_t(17)}, shorter) + 1000000 * std::min({int64_t(27), n, k}, [](int64_t a, int64_t b) { return b < a; }); }",
        &[(37, 37_373_737), (52, 52_173_852), (7, 31_070_731)],
    ),
    (
        "int64_t f(int64_t n) { StringRef s = n ? \"12ab\" : \"xyz\"; auto digit = [](char c) { return llvm::isDigit(c); }; auto at = [&](char c) { return c == 'a' + n; };
           return s.take_while(digit).size() + 10 * s.drop_while(digit).size() + 100 * s.take_until(at).size() + 1000 * s.drop_until(at).size(); }",
        &[(0, 330), (1, 1_322)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, n, 4, 1}; auto small = [](int64_t x) { return x < 3; }; ArrayRef<int64_t> a = v;
           return a.take_while(small).size() + 10 * a.drop_while(small).size() + 100 * a.take_until(small).size() + 1000 * a.drop_until([&](int64_t x) { return x == n; }).size(); }",
        &[(3, 3_032), (2, 4_023)],
    ),
    (
        "int64_t f(int64_t n) { double d = 7; int64_t r = 0; for (StringRef s : {\"1.5\", \"-2.\", \".25\", \"+1e1\", \"\", \".\", \"1e\", \"3x\", \"1e-2\", \"2E+1\"}) r = r * 2 + s.getAsDouble(d); return r * 1000 + d * n; }",
        &[(5, 52_100)],
    ),
    (
        "int64_t f(int64_t n) { APInt x(16, static_cast<uint64_t>(n)); unsigned at = 90, width = 91; bool is = x.isShiftedMask(at, width); return is * 10000 + at * 100 + width; }",
        &[(0, 9_091), (12, 10_202), (13, 9_091), (65_535, 10_016), (32_768, 11_501)],
    ),
    (
        "int64_t f(int64_t n) { const auto &h = APFloat::IEEEhalf(); const auto &d = APFloat::IEEEdouble();
           return APFloat::semanticsMaxExponent(h) + 100 * APFloat::semanticsPrecision(h) + 10000 * (APFloat::semanticsMinExponent(d) + n) + 100000000 * APFloat::semanticsSizeInBits(d); }",
        &[(1_022, 2_105_033_819), (2_000, 2_114_813_819)],
    ),
    (
        "int64_t f(int64_t n) { double x = n == 0 ? 1.00048828125 : n == 1 ? -1.0007 : n == 2 ? 65520.0 : n == 3 ? -1e-9 : n == 4 ? 70000.0 : 1.5;
           bool l; int64_t r = 0; APFloat a(x), b(x), c(x), d(x);
           a.convert(APFloat::IEEEhalf(), APFloat::rmTowardZero, &l); r = r * 70000 + a.bitcastToAPInt().getZExtValue(); b.convert(APFloat::IEEEhalf(), APFloat::rmTowardPositive, &l); r = r * 70000 + b.bitcastToAPInt().getZExtValue();
           c.convert(APFloat::IEEEhalf(), APFloat::rmTowardNegative, &l); r = r * 70000 + c.bitcastToAPInt().getZExtValue(); int64_t s = d.convert(APFloat::IEEEhalf(), llvm::RoundingMode::NearestTiesToAway, &l); return r + d.bitcastToAPInt().getZExtValue() * 3 + s * 7 + l; }",
        &[(0, 75_265_075_331_556), (1, 235_830_569_152_629), (2, 155_542_922_207_116), (3, 160_565_493_891_242), (4, 155_542_922_207_116), (5, 77_773_911_103_488)],
    ),
    (
        "int64_t f(int64_t n) { bool t = n > 3; unsigned u = n; int i = n; int64_t r = (int64_t)!t; r = r * 10 + (int8_t)--i; r = r * 10 + (int)+u; return r * 10 + (int64_t)++i; }",
        &[(4, 344), (2, 1_122)],
    ),
    (
        "int64_t f(int64_t n) { APFloat v(n * 0.5); int64_t r = 0; bool e;
           APSInt a(8, false), b(8, false), c(8, false), d(8, true), t(8, false);
           r += v.convertToInteger(a, APFloat::rmNearestTiesToEven, &e) + 2 * e; r = r * 10 + v.convertToInteger(b, APFloat::rmNearestTiesToAway, &e) + 2 * e;
           r = r * 10 + v.convertToInteger(c, APFloat::rmTowardPositive, &e) + 2 * e; r = r * 10 + v.convertToInteger(d, APFloat::rmTowardNegative, &e) + 2 * e; r = r * 10 + v.convertToInteger(t, APFloat::rmTowardZero, &e);
           return ((((r * 256 + a.getZExtValue()) * 256 + b.getZExtValue()) * 256 + c.getZExtValue()) * 256 + d.getZExtValue()) * 256 + t.getZExtValue(); }",
        &[(0, 24_431_148_369_182_720), (1, 195_466_779_156_348_928), (3, 195_466_787_763_126_529), (5, 195_466_787_779_969_538), (-1, 195_301_856_673_529_856), (-3, 195_302_947_595_157_759), (-5, 195_302_947_578_315_006), (254, 24_431_695_969_091_455), (255, 12_398_640_714_710_911), (-257, 178_809_729_890_386_048), (511, 12_382_148_040_327_039), (512, 12_217_221_296_160_639)],
    ),
    (
        "int64_t f(int64_t n) { APFloat v(n * 1e-44); bool l; auto s = v.convert(APFloat::IEEEsingle(), APFloat::rmTowardZero, &l); return static_cast<int64_t>(s) * 1000 + (s & APFloat::opUnderflow ? 100 : 0) + l * 10 + v.isZero(); }",
        &[(0, 1), (1, 24_110), (-1, 24_110)],
    ),
    (
        "int64_t f(int64_t n) { SmallVector<int64_t> v{1, -1, n}; *llvm::find(v, -1) = 5; *llvm::find_if(v, [](int64_t x) { return x > 1; }) += 10; *llvm::max_element(v) = 2; auto &x = *llvm::min_element(v); x = 40; return v[0] * 10000 + v[1] * 100 + v[2]; }",
        &[(3, 400_203), (90, 401_502)],
    ),
    (
        "struct Sum { int64_t n = 0; Sum &operator+=(const Sum &o) { n += o.n; return *this; } };
         static Sum operator-(Sum &a, const Sum &b) { a.n -= b.n; return a; }
         int64_t f(int64_t n) { SmallVector<int64_t> v{n, 2}; int64_t s = 0; for (auto [i, e] : llvm::enumerate(v)) s += i * 10 + e;
           Sum a{n}; a += Sum{1}; Sum d = a - Sum{3}; return s * 100 + a.n * 10 + d.n; }",
        &[(0, 1_178), (1, 1_289), (9, 2_177)],
    ),
    (
        "template <int N, typename T = int64_t> static T powN(T x) { if constexpr (N == 0) return 1; else return x * powN<N - 1, T>(x); }
         template <int N, int M = N * 2 + 1> static int64_t area() { return N * 100 + M; }
         static constexpr int kFour = 4;
         int64_t f(int64_t n) { return powN<3>(n) * 100000 + area<(2 + 3) * kFour - 7 % 4>() + powN<1 << 1, uint8_t>(n) + (n < 3 - 1 && 5 > (n)); }",
        &[(0, 1_736), (1, 101_737), (3, 2_701_744), (9, 72_901_816)],
    ),
    (
        "int64_t f(int64_t n) { auto add = [](int64_t a, int64_t b = 10, int64_t c = 100) { return a + b + c; };
           int64_t r = add(n) + add(n, 1) * 1000; { auto add = [](int64_t a) { return a * 2; }; r += add(n) * 1000000; } return r + add(1, 2, 3); }",
        &[(0, 101_116), (3, 6_104_119)],
    ),
    (
        "namespace flags { enum class Flag : uint8_t { None = 0, A = 1, B = 2 }; }
         namespace impl { static int64_t twice(int64_t x) { return 2 * x; }
           static int64_t twice(bool f) { return 7; } constexpr int64_t kSize = 5; struct Box { int64_t n; }; }
         static int64_t twice(int64_t x) { return -x; }
         int64_t f(int64_t n) { int64_t r = twice(n) * 1000; { using flags::Flag; using impl::twice; using impl::kSize;
             Flag x = n > 1 ? Flag::B : Flag::None; r += static_cast<int64_t>(x) * 100 + twice(n) + kSize * 10000 + twice(n > 1) * 100000; }
           using impl::Box; Box b{n}; return r + twice(b.n) * 1000000; }",
        &[(0, 750_000), (1, -250_998), (2, -1_251_796), (9, -8_258_782)],
    ),
    (
        "int64_t f(int64_t n) { using std::max; using std::min; return max<int64_t>(n, 3) * 10 + min<int64_t>(n, 2); }",
        &[(0, 30), (3, 32), (9, 92)],
    ),
];

#[test]
fn functions_have_the_results_of_cpp() {
    let mut wrong = Vec::new();
    for (text, pairs) in CASES {
        for &(given, want) in *pairs {
            let got = pair(text, "f($0)", given, 0);
            wrong.extend((got != Ok(want)).then(|| format!("{text}\nwith {given}: {got:?}, not {want}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn lists_that_may_have_two_meanings_stay_native() {
    let text = "int64_t b(int64_t n) { SmallVector<SmallVector<int64_t>> v, w{v}; return w.size(); }
        int64_t c(int64_t n) { for (int64_t i = 0; i < n; ++i) { switch (i) { case 0: if (n > 1) break; continue; default: return i; } } return 9; }";
    let sum = "#define K 1 + 1\nint64_t f(int64_t n) { return 2 * K; }";
    assert_eq!(pair(sum, "f($0)", 1, 0), Ok(3));
    stays_native("#define K 1\n#undef K\nint64_t f(int64_t n) { return 2 * K; }", "f($0)", "'K' is neither");
    stays_native(text, "b($0)", "a list of one range of ranges");
    stays_native(text, "c($0)", "a switch with a nested 'break' and a 'continue'");
    let text = "static const llvm::DenseMap<int64_t, int64_t> kMap = {{1, 2}, {3, 4}};
        int64_t m(int64_t n) { int64_t r = 0; for (auto &[k, v] : kMap) r = r * 10 + v; return r; }
        int64_t g(int64_t n) { std::map<int64_t, int64_t, std::greater<int64_t>> d{{1, n}, {3, 4}}; int64_t r = 0; for (auto &[k, v] : d) r = r * 10 + v; return r; }
        int64_t s(int64_t n) { SmallVector<DenseMap<int64_t, int64_t>> v(2); v[0].insert({1, n}); return v[0].size(); }";
    stays_native(text, "m($0)", "order");
    stays_native(text, "g($0)", "order");
    stays_native(text, "s($0)", "the type 'SmallVector' is not known");
}

#[test]
fn a_copy_of_a_sorted_set_or_map_keeps_its_order_and_its_keys() {
    let list = "int64_t r = 0; for (auto k : s) r = r * 10 + k; return r; }";
    for (text, want) in [
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> a{{5, 1}, {3, 1}}; auto b = a; b.insert({4, 2}); b.insert({3, 9});
               int64_t r = b.size(); for (auto &[k, v] : b) r = r * 10 + k; return r; }",
            3_345,
        ),
        (
            "static std::map<int64_t, int64_t> make(int64_t n) { return {{n, 1}, {3, 2}}; }
             int64_t f(int64_t n) { auto m = make(n); m.insert({2, 2}); m.insert({3, 9});
               int64_t r = m.size(); for (auto &[k, v] : m) r = r * 100 + k * 10 + v; return r; }",
            3_223_241,
        ),
        (
            "static const std::map<int64_t, int64_t> kMap = {{5, 1}, {3, 4}};
             int64_t f(int64_t n) { auto b = kMap; b.insert({4, n}); b.insert({3, 9});
               int64_t r = 0; for (auto &[k, v] : b) r = r * 100 + k * 10 + v; return r; }",
            344_451,
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> a{{5, 3}};
               auto g = [](const std::map<int64_t, int64_t> &s, int64_t n) { return s.count(n) * 10 + s.count(5) + s.at(5); };
               return g(a, n); }",
            4,
        ),
    ] {
        assert_eq!(pair(text, "f($0)", 4, 0), Ok(want), "{text}");
    }
    for start in [
        "int64_t f(int64_t n) { std::set<int64_t> a{5, 3}; auto s = a; s.insert(n); s.insert(3);",
        "int64_t f(int64_t n) { auto s = std::set<int64_t>{5, 3}; s.insert(n);",
        "int64_t f(int64_t n) { std::set<int64_t> a{5, 3}, b{7}; auto s = n > 2 ? a : b; s.insert(n);",
        "int64_t f(int64_t n) { std::set<int64_t> a{5, 3}; auto s = std::move(a); s.insert(n);",
        "int64_t f(int64_t n) { auto g = [&](int64_t k) { std::set<int64_t> a{5, k}; return a; }; auto s = g(n); s.insert(3);",
        "int64_t f(int64_t n) { auto g = [&](int64_t k) -> std::set<int64_t> { return {5, k, 3, 5}; }; auto s = g(n);",
        "int64_t f(int64_t n) { std::set<int64_t> a{5, 3}; auto g = [](auto s, int64_t n) { s.insert(n); return s; }; auto s = g(a, n);",
        "template <typename T> static int64_t g(int64_t n) { T s = {5, n, 5}; s.insert(3); int64_t r = 0; for (auto k : s) r = r * 10 + k; return r; }
         int64_t f(int64_t n) { std::set<int64_t> s; s.insert(g<std::set<int64_t>>(n));",
    ] {
        let text = format!("{start} {list}");
        assert_eq!(pair(&text, "f($0)", 4, 0), Ok(345), "{text}");
    }
    // Parts of other values, parameters of templates and deduced results would lose the order of the set.
    for (start, reason) in [
        (
            "int64_t f(int64_t n) { std::map<int64_t, std::set<int64_t>> m; auto &s = m[1]; s.insert(5); s.insert(n);",
            "the type 'map' is not known",
        ),
        (
            "int64_t f(int64_t n) { std::pair<std::set<int64_t>, int64_t> p; auto s = p.first; s.insert(5); s.insert(n);",
            "the type 'pair' is not known",
        ),
        (
            "int64_t f(int64_t n) { std::set<int64_t> a{5, 3}; auto p = std::make_pair(a, n); auto s = p.first; s.insert(n);",
            "a pair or tuple with a set or map",
        ),
        (
            "int64_t f(int64_t n) { std::set<int64_t> a{5, 3}; std::vector<std::set<int64_t>> v; v.push_back(a); auto s = v[0]; s.insert(n);",
            "the type 'vector' is not known",
        ),
        (
            "template <typename T> static auto g(T s) { s.insert(4); return s; }
         int64_t f(int64_t n) { std::set<int64_t> a{5, 3}; std::set<int64_t> s = g(a);",
            "a set or map as an argument of a parameter with another class",
        ),
    ] {
        stays_native(&format!("{start} {list}"), "f($0)", reason);
    }
}

/// For each function `f`, the number is the result of `f(0)` in the program that g++ compiles.
#[test]
fn lookup_finds_only_visible_functions() {
    for (text, want) in [
        (
            "namespace b { int64_t g(int64_t) { return 1; } }
             namespace a { int64_t g(double) { return 2; } int64_t f(int64_t n) { return g(n); } }",
            2,
        ),
        (
            "namespace a { namespace c { int64_t g(int64_t) { return 1; } } int64_t g(double) { return 2; } int64_t f(int64_t n) { return g(n) * 10 + c::g(n); } }",
            21,
        ),
        (
            "namespace a { inline namespace v { int64_t g(int64_t) { return 1; } } int64_t f(int64_t n) { return g(n); } }
             namespace b { int64_t g(int64_t) { return 2; } }",
            1,
        ),
        (
            "namespace l { int64_t g(int64_t) { return 1; } } namespace m { using namespace l; } using namespace m;
             int64_t g(double) { return 2; } int64_t f(int64_t n) { return g(n); } namespace b { int64_t g(int64_t) { return 3; } }",
            1,
        ),
        (
            "namespace b { struct S { int64_t x = 1; }; int64_t g(S s) { return 1; } }
             namespace a { int64_t g(int64_t) { return 2; } int64_t f(int64_t n) { b::S s; return g(s); } }",
            1,
        ),
    ] {
        assert_eq!(pair(text, "f($0)", 0, 0), Ok(want), "{text}");
    }
    let other = "static int64_t g(int64_t) { return 1; } namespace { int64_t h(int64_t) { return 1; } }";
    let own = "static int64_t g(double) { return 2; } namespace { int64_t h(double) { return 2; } }
        int64_t f(int64_t n) { return g(n) * 10 + h(n); }";
    assert_eq!(pair_of(&[("a.cpp", other), ("b.cpp", own)], "f($0)", 0, 0), Ok(22));
    // The source file can include the header, so the functions of the header are visible.
    assert_eq!(pair_of(&[("a.h", other), ("b.cpp", own)], "f($0)", 0, 0), Ok(11));
}

#[test]
fn functions_that_only_the_unknown_class_of_an_argument_finds_stay_native() {
    let reason = "a choice between functions of several scopes";
    for text in [
        "namespace llvm { int64_t g(ArrayRef<int64_t> v) { return 1; }
           namespace a { int64_t g(ArrayRef<int64_t> v) { return 2; } int64_t f(int64_t n) { std::vector<int64_t> v{n}; return g(v); } } }",
        "namespace llvm { int64_t g(llvm::function_ref<int64_t()> h) { return 1; }
           namespace a { int64_t g(llvm::function_ref<int64_t()> h) { return 2; } int64_t f(int64_t n) { return g([] { return int64_t(1); }); } } }",
        "namespace std { int64_t g(llvm::StringRef s) { return 1; } }
         namespace a { int64_t g(llvm::StringRef s) { return 2; } int64_t f(int64_t n) { StringRef s = \"a\"; return g(s); } }",
    ] {
        stays_native(text, "f($0)", reason);
    }
    // The namespace of an enumeration is known. The values are those of g++.
    let text = "namespace b { enum E { kOne = 1 }; int64_t g(int32_t e) { return 1; } }
         namespace c { enum E { kOne = 1 }; }
         namespace a { int64_t g(int64_t e) { return 2; } int64_t f(int64_t n) { return g(b::kOne) * 10 + g(c::kOne); } }";
    assert_eq!(pair(text, "f($0)", 0, 0), Ok(12));
    let text = "template <typename T> static int64_t g(SmallVector<T> v) { return v.size(); } int64_t f(int64_t n) { return g({n, 1}); }";
    stays_native(text, "f($0)", "'g' is neither in the library nor in the helper files");
}

#[test]
fn the_value_of_a_variable_that_holds_a_function_keeps_its_class() {
    let text = "static std::set<int64_t> make(int64_t n) { return {n, 2}; }
        static int64_t use(std::function<std::set<int64_t>(int64_t)> fn, int64_t n) { auto s = fn(n); s.insert(1); int64_t r = 0; for (auto k : s) r = r * 10 + k; return r; }
        int64_t f(int64_t n) { return use(make, n); }
        int64_t g(int64_t n) { return use([](int64_t n) { return std::set<int64_t>{n, 2}; }, n); }";
    assert_eq!(pair(text, "f($0) * 1000 + g($0)", 3, 0), Ok(123_123));
}

#[test]
fn uses_whose_result_depends_on_the_order_of_a_set_stay_native() {
    for text in [
        "int64_t f(int64_t n) { std::unordered_set<double> s{0.1, 0.2, double(n)}; return llvm::sum_of(s) * 1000; }",
        "int64_t f(int64_t n) { int64_t r = 0, x = 0; std::unordered_set<int64_t> s{1, n};
           for (auto k : s) { { int64_t x = k; x += 1; } if (x > 0) r += k; x += k; } return r + x; }",
    ] {
        stays_native(text, "f($0)", "order");
    }
    let text = "int64_t f(int64_t n) { std::unordered_set<int64_t> s{1, n}; int64_t x = 0; for (auto k : s) { { int64_t y = k; y += 1; } x += k; } return llvm::sum_of(s) * 10 + x; }";
    assert_eq!(pair(text, "f($0)", 4, 0), Ok(55));
}

#[test]
fn lists_for_an_unknown_parameter_stay_native() {
    let text = "static int64_t g(std::set<int64_t> s) { return s.size(); } int64_t f(int64_t n) { auto h = g; return h({n, 1, n}); }
        int64_t k(int64_t n) { std::vector<int64_t> v{n, 1}; auto s = std::accumulate(v.begin(), v.end(), std::set<int64_t>{}, [](auto s, int64_t x) { s.insert(x); return s; }); return s.size(); }";
    stays_native(text, "f($0)", "a list in braces");
    stays_native(text, "k($0)", "a set or map that is built");
    stays_native("int64_t f(int64_t n) { return 18446744073709551615 > n; }", "f($0)", "63 bits");
    stays_native(
        "int64_t f(int64_t n) { std::string s = \"\\xff\"; return s.size(); }",
        "f($0)",
        "not ASCII",
    );
}

#[test]
fn refusals_name_the_construct() {
    let lambda = "int64_t f(int64_t n) { int64_t calls = 0; auto add = [calls](int64_t v) mutable { ++calls; return v + calls; }; return add(n); }";
    stays_native(lambda, "f($0)", "a lambda that changes its copies");
    let template = "int64_t f(int64_t n) { return llvm::isInt<kBits>(n); }";
    stays_native(template, "f($0)", "'kBits' is not known");
    let variable = "int64_t f(int64_t n) { const int64_t bits = n; return llvm::isInt<bits>(n); }";
    stays_native(variable, "f($0)", "'bits' is not known");
    let sizes = "int64_t f(int64_t n) { std::pair<int64_t, int64_t> a{n, 1}; std::tuple<int64_t, int64_t, int64_t> b{n, 1, 2}; return a < b; }";
    stays_native(sizes, "f($0)", "operator '<' does not apply");
    let object = "struct Cost { int64_t x = 0; }; int64_t f(int64_t n) { Cost c; auto a = std::make_pair(n, c), b = a; return a < b; }";
    stays_native(object, "f($0)", "operator '<' does not apply");
}
