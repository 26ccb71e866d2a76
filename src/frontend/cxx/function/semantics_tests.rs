//! Tests of conversions, of changes of elements and of the visibility of functions. The expected values are those of
//! C++.

use super::tests::{pair, pair_of, stays_native};

/// Checks that each function `f(n)` returns what it returns in C++. Each pair is an argument and the result of the
/// program that g++ compiles.
#[track_caller]
fn check(cases: &[(&str, &[(i64, i64)])]) {
    let mut wrong = Vec::new();
    for (text, pairs) in cases {
        for &(given, want) in *pairs {
            let got = pair(text, "f($0)", given, 0);
            if got != Ok(want) {
                wrong.push(format!("{text}\nf({given}) is {want} in C++, not {got:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn values_are_converted_as_in_cpp() {
    check(&[
        (
            "static FailureOr<bool> g(int64_t n) { if (n < 0) return failure(); return n == 5; } static LogicalResult h(int64_t n) { return g(n); }
             int64_t f(int64_t n) { auto r = g(n); return (failed(r) ? -1 : *r ? 5 : 6) * 10 + succeeded(g(n)) + failed(h(n)); }",
            &[(0, 61), (5, 51), (-1, -9)],
        ),
        (
            "int64_t f(int64_t n) { std::vector<int32_t> v{int32_t(n), 1}; std::vector<uint32_t> w{uint32_t(n), 1}; uint32_t u = n; int32_t i = n; int8_t c = n; std::vector<int8_t> b{c}; std::optional<int32_t> o = i;
              return llvm::is_contained(v, u) + 2 * llvm::is_contained(w, i) + 4 * llvm::count(w, -1) + 16 * (std::find(v.begin(), v.end(), u) == v.begin()) + 32 * llvm::equal(v, w) + 64 * std::equal(v.begin(), v.end(), w.begin(), w.end()) + 128 * llvm::is_contained(w, c) + 256 * llvm::is_contained(b, u) + 512 * (o == u) + 1024 * llvm::count(v, 4294967295u); }",
            &[(-1, 2039), (3, 1011)],
        ),
        (
            "int64_t f(int64_t n) { float a = 16777216; std::vector<float> v{a}; return (a == n) + 2 * (a < n) + 4 * llvm::is_contained(v, n) + 8 * (float(n) == a); }",
            &[(16_777_217, 13), (16_777_216, 13), (16_777_219, 2)],
        ),
        (
            "int64_t f(int64_t n) { float a = n; return a > 9007199254740992.0f; }",
            &[(9_007_199_791_611_905, 1)],
        ),
        (
            "int64_t f(int64_t n) { std::vector<int64_t> v{n}; std::vector<uint8_t> w(v.begin(), v.end()); return w[0]; }",
            &[(300, 44), (-1, 255)],
        ),
        (
            "static SmallVector<uint8_t> g(ArrayRef<int64_t> v) { return SmallVector<uint8_t>(v.begin(), v.end()); }
             int64_t f(int64_t n) { SmallVector<int64_t> v{n}; SmallVector<uint8_t> w; w.append(v.begin(), v.end()); w.insert(w.begin(), v.begin(), v.end()); w.append(2, n); llvm::append_range(w, v); std::copy(v.begin(), v.end(), std::back_inserter(w)); std::transform(v.begin(), v.end(), std::back_inserter(w), [](int64_t x) { return x + 1; });
              int64_t r = 0; for (auto x : w) r = r * 3 + x; w.assign(v.begin(), v.end()); r = r * 3 + w[0]; w.assign(2, n); r = r * 3 + w[1]; std::copy(v.begin(), v.end(), w.begin()); r = r * 3 + w[0]; return r * 3 + g(v)[0]; }",
            &[(300, 3_897_293), (7, 620_092)],
        ),
        (
            "int64_t f(int64_t n) { std::vector<int64_t> v{n, n + 256}; std::set<uint8_t> s(v.begin(), v.end()); std::vector<uint8_t> w(3); std::iota(w.begin(), w.end(), n); std::transform(v.begin(), v.end(), w.begin(), [](int64_t x) { return x * 2; }); return s.size() * 1000000 + w[0] * 1000 + w[2] + s.count(n) * 10000000 + s.count(n + 512) * 20000000; }",
            &[(300, 31_088_046), (254, 31_252_000)],
        ),
        (
            "int64_t f(int64_t n) { std::set<uint8_t> s{1, 2}; return s.count(n) + 2 * s.contains(n); }",
            &[(257, 3), (1, 3), (0, 0)],
        ),
        (
            "int64_t f(int64_t n) { std::optional<int32_t> a; std::optional<uint8_t> b; std::optional<int64_t> c; double d = c.value_or(0.9); return a.value_or(n) * 1000 + b.value_or(n) + int64_t(d * 10); }",
            &[(4_294_967_553, 257_001)],
        ),
        (
            "int64_t f(int64_t n) { std::optional<int32_t> a; if (n > 0) a = n; std::optional<int64_t> b = a; std::optional<uint8_t> c = a; std::optional<double> d = a; return b.has_value() + 2 * c.has_value() + 4 * d.has_value() + (b ? *b : 0) * 100 + (c ? *c : 0) * 10000; }",
            &[(0, 0), (300, 470_007)],
        ),
    ]);
}

#[test]
fn functions_convert_their_arguments_and_results() {
    check(&[
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{257, 2, n}; llvm::sort(v, [](uint8_t a, uint8_t b) { return a < b; }); return v[0] * 1000000 + v[1] * 1000 + v[2]; }",
            &[(3, 257_002_003), (512, 512_257_002)],
        ),
        (
            "int64_t f(int64_t n) { std::vector<int64_t> v{257, 2, n}; std::sort(v.begin(), v.end(), std::less<uint8_t>()); return v[0] * 1000000 + v[1] * 1000 + v[2]; }",
            &[(3, 257_002_003), (512, 512_257_002)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{n, 1, 200}; auto negative = [](int8_t x) { return x < 0; };
              int64_t r = llvm::count_if(v, negative) * 10 + llvm::any_of(v, [](int8_t x) { return x == -56; }); auto it = llvm::find_if(v, [](uint8_t x) { return x == 44; }); r = r * 10 + (it != v.end());
              for (int64_t x : llvm::map_range(v, [](uint8_t x) { return x; })) r = r * 10 + x; return r * 10 + llvm::all_of(v, [](bool b) { return b; }); }",
            &[(300, 1_156_101), (128, 2_230_101), (256, 1_102_101)],
        ),
        (
            "int64_t f(int64_t n) { std::vector<double> v{0.1, double(n)}; return llvm::count_if(v, [](float x) { return double(x) == 0.1; }) * 10 + std::accumulate(v.begin(), v.end(), 0, [](int8_t a, double b) { return a + b; }); }",
            &[(300, 300)],
        ),
        (
            "int64_t f(int64_t n) { std::vector<int64_t> v{n, 200}; return std::accumulate(v.begin(), v.end(), int64_t(0), std::plus<uint8_t>()) * 1000 + std::accumulate(v.begin(), v.end(), int64_t(0), std::plus<>()); }",
            &[(100, 44_300)],
        ),
        (
            "int64_t f(int64_t n) { llvm::function_ref<int64_t(uint8_t)> p = [](int64_t a) { return a; }; std::function<uint8_t(int64_t)> q = [](int64_t a) { return a; }; return p(n) * 1000 + q(n); }",
            &[(256, 0), (300, 44_044), (5, 5005)],
        ),
        (
            "static int64_t use(llvm::function_ref<int64_t(uint8_t)> p, std::function<uint8_t(int64_t a)> q, int64_t n) { return p(n) * 1000 + q(n); }
             static int64_t g(int64_t n) { return n; }
             int64_t f(int64_t n) { std::function<uint8_t(int64_t)> h = g; SmallVector<int64_t> v{n}; int64_t r = use(g, [](int64_t a) { return a; }, n) * 1000 + h(n); for (auto x : llvm::map_range(v, h)) r = r * 1000 + x; return r; }",
            &[(256, 0), (300, 44_044_044_044), (5, 5_005_005_005)],
        ),
        (
            "static uint8_t g(int64_t n) { return n; } static bool odd(uint8_t n) { return n % 2; }
             int64_t f(int64_t n) { SmallVector<int64_t> v{n, 1}; int64_t r = 0; for (auto x : llvm::map_range(v, g)) r = r * 1000 + x; return r * 10 + llvm::count_if(v, odd); }",
            &[(300, 440_011), (257, 10_012)],
        ),
        (
            "static bool all(ArrayRef<int64_t> v, llvm::function_ref<bool(int64_t)> p) { for (auto x : v) if (!p(x)) return false; return llvm::all_of(v, p); }
             int64_t f(int64_t n) { SmallVector<int64_t> v{n, 2}; return all(v, [](int64_t x) { return x; }) * 10 + all(v, [](int8_t x) { return x > 0; }); }",
            &[(256, 10), (3, 11), (0, 0)],
        ),
        (
            "int64_t f(int64_t n) { auto g = [](uint8_t a, const int8_t &b, bool c) { return a * 10000 + b * 10 + c; }; return g(n, n, n); }",
            &[(300, 440_441), (200, 1_999_441), (0, 0)],
        ),
    ]);
}

#[test]
fn loops_see_changes_of_later_elements() {
    check(&[
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; int64_t i = 0; for (int64_t x : v) { if (++i < 3) v[i] += x; } int64_t r = 0; for (int64_t x : v) r = r * 10 + x; return r; }",
            &[(0, 136)],
        ),
        (
            "static void set(SmallVectorImpl<int64_t> &v, int64_t n) { v[2] = n; }
             int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; int64_t r = 0; auto zero = [&](int64_t i) { v[i] = 0; }; for (auto x : v) { r = r * 10 + x; if (x == 1) zero(1); set(v, n); } return r; }",
            &[(7, 107)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}, w{4, 5, 6}; int64_t r = 0; for (auto [i, x] : llvm::enumerate(v)) { r = r * 10 + x; if (i < 2) v[i + 1] += n; v[i] = 9; r = r * 10 + x; }
              for (auto [x, y] : llvm::zip(v, w)) { y = x; w[2] = 1; r = r * 10 + y; } for (const auto &[i, x] : llvm::enumerate(w)) w[i] = x + 1; return r * 1000 + w[0] * 100 + w[1] * 10 + w[2]; }",
            &[(2, 194_959_992_102)],
        ),
        (
            "struct P { int64_t a = 0; int64_t b = 1; };
             int64_t f(int64_t n) { SmallVector<std::pair<int64_t, int64_t>> v{{1, 2}, {3, 4}}; int64_t r = 0; for (auto [a, b] : v) { v[1].first = n; v[0].second = 8; r = r * 100 + a * 10 + b; } std::vector<uint8_t> w{1, 2}; for (int64_t x : w) { w[1] = n + 300; r = r * 100 + x; } return r; }",
            &[(5, 12_540_149)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; int64_t r = 0; for (auto x : llvm::to_vector(llvm::reverse(v))) { v[0] = n; r = r * 10 + x; } for (int64_t x : v) { if (x == 3) continue; if (x == 2) break; v[2] = 4; r = r * 10 + x; } return r; }",
            &[(5, 3215)],
        ),
        (
            "struct P { SmallVector<int64_t> v{1, 2}; void add(int64_t x) { v[1] += x; } int64_t sum(int64_t n) { int64_t r = 0; for (auto x : v) { add(n); r = r * 10 + x; } return r; } };
             int64_t f(int64_t n) { P p; int64_t r = p.sum(n); for (auto x : p.v) { p.add(n); p.v[0] = 0; r = r * 10 + x; } return r; }",
            &[(3, 1521)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; auto &w = v; MutableArrayRef<int64_t> m = v; int64_t r = 0; for (auto x : v) { w[1] = n; m[2] = n + 1; r = r * 10 + x; } auto it = v.begin() + 1; w[1] = 4; return r * 10 + *it; }",
            &[(7, 1784)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}, w; auto add = [&](int64_t x) { w.push_back(x); }; for (auto x : v) add(x); int64_t r = 0; for (auto x : llvm::reverse(w)) r = r * 10 + x; return r; }",
            &[(7, 321)],
        ),
    ]);
}

#[test]
fn iterators_and_structured_bindings_see_changes() {
    check(&[
        (
            "int64_t f(int64_t n) { std::set<int64_t> s{1, 2, 5}; int64_t k = s.erase(n), r = 0; for (auto x : s) r = r * 10 + x; return r * 10 + k; }",
            &[(1, 251), (2, 151), (7, 1250)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; auto it = v.begin(); v[0] = 9; int64_t r = *it; auto jt = llvm::find(v, 2); v[2] = n; ++jt; r = r * 10 + *jt; r = r * 10 + *(jt - 1) + (jt == v.begin() + 2); auto kt = v.begin() + 1; v[1] = 6; return r * 10 + *kt + (kt - v.begin()); }",
            &[(7, 9737)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; int64_t r = 0; for (auto it = v.begin(), e = v.end(); it != e; ++it) { r = r * 10 + *it; v[2] = n; if (it + 1 != e) v[it + 1 - v.begin()] += 1; } return r; }",
            &[(7, 138)],
        ),
        (
            "int64_t f(int64_t n) { std::pair<int64_t, int64_t> p{1, 2}; const auto &[x, y] = p; p.first = n; int64_t r = x; auto &&[z, w] = p; z = 6; r = r * 10 + p.first; p.second = 3; return r * 10 + w + y; }",
            &[(5, 566)],
        ),
        (
            "int64_t f(int64_t n) { std::vector<int64_t> v{1, 2, 3, 2}; for (auto it = v.begin(); it != v.end();) { if (*it == n) it = v.erase(it); else ++it; } int64_t r = v.size(); auto at = v.begin() + 1; at = v.insert(at, 8); ++at; r = r * 10 + *at; for (auto x : v) r = r * 10 + x; return r; }",
            &[(2, 23_183), (3, 321_822), (9, 4_218_232)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}}; auto it = m.find(n); if (it != m.end()) return it->second; m[n] = 5; auto jt = m.find(n); jt->second += 2; return jt->second * 10 + m.size(); }",
            &[(1, 2), (3, 72)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m; auto memo = [&](int64_t k) { auto it = m.find(k); if (it != m.end()) return it->second; m[k] = k * 2; return k; }; int64_t r = memo(n); return r * 100 + memo(n); }",
            &[(3, 306)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}}; for (int64_t i = 0; i < 3; ++i) { auto it = m.find(i); if (it != m.end()) it->second += n; else m[i] = i; } int64_t r = 0; for (auto &[k, x] : m) r = r * 100 + k * 10 + x; for (auto [k, x] : m) r += x; return r; }",
            &[(3, 1529)],
        ),
    ]);
}

#[test]
fn calls_find_only_the_functions_that_are_visible_before_them() {
    check(&[
        (
            "namespace a { static int64_t g(int64_t) { return 1; } } namespace b { static int64_t g(int64_t) { return 2; } }
             int64_t f(int64_t n) { int64_t r = 0; { using namespace a; r = g(n); } { using namespace b; r = r * 10 + g(n); } return r; }",
            &[(0, 12)],
        ),
        (
            "namespace a { static int64_t g(int64_t) { return 1; } } static int64_t g(double) { return 2; }
             int64_t f(int64_t n) { int64_t r = g(n); using namespace a; return r * 10 + g(n); }",
            &[(0, 21)],
        ),
        (
            "static int64_t g(double) { return 2; } int64_t k(int64_t n) { return g(n); } static int64_t g(int64_t) { return 1; }
             int64_t f(int64_t n) { return k(n) * 10 + g(n); }",
            &[(0, 21)],
        ),
        (
            "static int64_t g(int64_t); static int64_t g(double) { return 2; } int64_t k(int64_t n) { return g(n); } static int64_t g(int64_t) { return 1; }
             int64_t f(int64_t n) { return k(n) * 10 + g(n); }",
            &[(0, 11)],
        ),
        (
            "static int64_t g(double) { return 2; } namespace a { static int64_t g(int64_t) { return 1; } } int64_t k(int64_t n) { return g(n); } using namespace a;
             int64_t f(int64_t n) { return k(n) * 10 + g(n); }",
            &[(0, 21)],
        ),
        (
            "static int64_t g(double) { return 2; } namespace a { static int64_t g(int64_t) { return 1; } } int64_t k(int64_t n) { return g(n); } using a::g;
             int64_t f(int64_t n) { return k(n) * 10 + g(n); }",
            &[(0, 21)],
        ),
        (
            "template <typename T> static int64_t g(T, T) { return 1; } static int64_t g(int64_t, double) { return 2; }
             int64_t f(int64_t n) { return g(n, 1) * 10 + g(n, n); }",
            &[(0, 21)],
        ),
        (
            "struct C { static int64_t use(int64_t n) { return late(n); } static int64_t late(int64_t n) { return n + 1; } static int64_t late(double n) { return 7; } };
             int64_t f(int64_t n) { return C::use(n); }",
            &[(3, 4)],
        ),
        // The C++ text of rules is in the scopes of the line that includes the generated code. This line can be the
        // last line of the file.
        ("namespace a { int64_t f(int64_t n) { return n + 2; }\n#include \"Rules.inc\"\n} int64_t f(int64_t n) { return n + 3; }", &[(5, 7)]),
        ("namespace a { int64_t f(int64_t n) { return n + 2; } } int64_t f(int64_t n) { return n + 3; }\n#include \"Rules.inc\"", &[(5, 8)]),
        ("namespace a { int64_t f(int64_t n) { return n + 2; } } namespace b { int64_t f(int64_t n) { return n + 3; }\n#include \"Rules.inc\"\n}", &[(5, 8)]),
    ]);
}

#[test]
fn changes_invalidate_an_iterator_only_on_paths_that_reach_its_uses() {
    check(&[
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; auto it = v.begin(); auto kt = it + 1; v[1] = n; return *kt; }",
            &[(7, 7)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}}; int64_t r = 0; for (int64_t x : {1, 3, 3, 1}) { auto it = m.find(x); if (it == m.end()) { m[x] = n; continue; } r = r * 10 + it->second; } return r * 10 + m.size(); }",
            &[(5, 2522)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}}; auto it = m.find(n); if (it == m.end()) { m[n] = 4; return m.size(); } return it->second; }",
            &[(1, 2), (5, 2)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}}; int64_t r; auto it = m.find(n); if (it == m.end()) { r = n + 1; m[n] = r; } else { r = it->second; } return r * 10 + m.size(); }",
            &[(1, 21), (5, 62)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}}; auto it = m.find(n); return it == m.end() ? (m[n] = 4) : it->second; }",
            &[(1, 2), (5, 4)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}, {4, 3}}; auto it = m.find(n); if (it == m.end()) it = m.find(4); if (it != m.end()) m.erase(it); int64_t r = 0; for (auto [k, x] : m) r = r * 100 + k * 10 + x; return r; }",
            &[(1, 43), (5, 12)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}}; int64_t r = 0; auto it = m.find(1); for (int64_t i = 0; i < 3; ++i) { if (i == n) { m[5] = 1; return r * 10 + m.size(); } r = r * 10 + it->second; } for (int64_t i = 0; i < 3; ++i) { if (i == n - 5) { m[5] = 1; break; } r = r * 10 + it->second; } return r; }",
            &[(1, 22), (6, 2222), (9, 222_222)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}}; auto it = m.find(1); switch (n) { case 1: m[5] = 1; break; case 2: return m.size(); default: return it->second + 3; } return m.size() + 7; }",
            &[(1, 9), (2, 1), (3, 5)],
        ),
    ]);
}

#[test]
fn views_do_not_see_changes_of_other_variables() {
    check(&[
        (
            "struct D { SmallVector<int64_t> in{1, 2, 3}, out; int64_t total = 0; void run(int64_t n) { for (auto en : llvm::enumerate(in)) total += en.index() * en.value(); for (auto d : llvm::reverse(in)) out.push_back(d); llvm::for_each(in, [&](int64_t x) { total += x * n; }); for (auto it = in.begin(); it != in.end(); ++it) total += *it; } };
             int64_t f(int64_t n) { D d; d.run(n); int64_t r = d.total; for (auto x : d.out) r = r * 10 + x; return r; }",
            &[(2, 26_321)],
        ),
        (
            "struct P { SmallVector<int64_t> v{1, 2, 3}; int64_t total = 0; };
             int64_t f(int64_t n) { P p; for (auto x : llvm::reverse(p.v)) p.total = p.total * 10 + x; for (auto en : llvm::enumerate(p.v)) p.total += en.index(); std::pair<SmallVector<int64_t>, SmallVector<int64_t>> q; q.first = {1, 2, n}; for (auto x : llvm::reverse(q.first)) q.second.push_back(x); int64_t r = p.total; for (auto x : q.second) r = r * 10 + x; return r; }",
            &[(4, 324_421)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{2, 1, 2, n}; for (auto i : llvm::reverse(llvm::seq<int64_t>(0, v.size()))) if (v[i] == 2) v.erase(v.begin() + i); int64_t r = 0; for (auto x : v) r = r * 10 + x; return r; }",
            &[(2, 1), (7, 17)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; int64_t r = 0; llvm::for_each(v, [&](int64_t x) { SmallVector<int64_t> v; v.push_back(x * n); r = r * 10 + v.size() * v[0]; }); v.push_back(3); return r * 10 + v.size(); }",
            &[(3, 363)],
        ),
    ]);
}

#[test]
fn later_overloads_and_initializer_list_constructors_do_not_hide_other_functions() {
    check(&[
        (
            "namespace other { int64_t g(int64_t) { return 5; } } int64_t g(int64_t n); int64_t k(int64_t n) { return g(n) * 10 + other::g(n); } int64_t g(int64_t n) { return n; }
             int64_t f(int64_t n) { return k(n); }",
            &[(3, 35)],
        ),
        (
            "struct C { int64_t x; C(int64_t a, int64_t b) : x(a * 10 + b) {} C(std::initializer_list<int64_t> l) : x(l.size()) {} }; int64_t f(int64_t n) { C c(n, 2); return c.x + C(1, n).x; }",
            &[(4, 56)],
        ),
    ]);
}

#[test]
fn forwarding_references_change_their_targets() {
    check(&[(
        "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}, u{4, 5, 6}; for (auto &&x : v) x += n; auto &&y = v[0]; y += 5; auto &&w = v; w.push_back(1); SmallVector<std::pair<int64_t, int64_t>> p{{1, 2}, {3, 4}}; for (auto &&[a, b] : p) a += b; for (auto &&[a, b] : llvm::zip(v, u)) a += b; int64_t r = 0; for (auto x : v) r = r * 100 + x; for (auto [a, b] : p) r = r * 10 + a; return r; }",
        &[(2, 1_209_110_137)],
    )]);
}

#[test]
fn references_see_changes_of_their_targets() {
    check(&[(
        "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; auto &w = v; int64_t r = 0; for (auto x : w) { v[1] = n; r = r * 10 + x; } return r; }",
        &[(7, 173)],
    )]);
}

#[test]
fn functions_that_change_what_they_iterate_over_stay_native() {
    for (text, reason) in [
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}}; int64_t r = 0; for (auto [k, x] : m) { m[2] = 3; r += x; } return r; }",
            "a loop over a set or map that changes",
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}}; int64_t r = 0; for (auto &[k, x] : m) { if (k < 3) m[k - 5] = 3; r += x; } return r; }",
            "a loop over a set or map that changes",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; int64_t r = 0; for (auto x : llvm::reverse(v)) { v[0] = n; r += x; } return r; }",
            "a loop over a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; int64_t r = 0; for (auto x : llvm::enumerate(llvm::drop_begin(v))) { v[1] = n; r += x.value(); } return r; }",
            "a loop over a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; int64_t r = 0, k = 0; for (auto x : llvm::map_range(v, [&](int64_t y) { return y + k; })) { k += n; r += x; } return r; }",
            "a loop over a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; int64_t r = 0; llvm::for_each(v, [&](int64_t x) { v[1] = n; r += x; }); return r; }",
            "a function that changes the range of an algorithm",
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{3, 2}}; auto it = m.find(3); m[n] = 5; return it->second; }",
            "an iterator over a variable that has changed",
        ),
        (
            "int64_t f(int64_t n) { std::set<int64_t> s{1, 2}; int64_t r = 0; for (auto it = s.begin(); it != s.end(); ++it) { s.insert(n + 5); r += *it; } return r; }",
            "an iterator over a variable that has changed",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; auto it = v.rbegin(); v[1] = n; return *it; }",
            "an iterator over a variable that has changed",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}, w{3}; auto it = v.begin(); it = w.begin(); w[0] = n; return *it; }",
            "an iterator over several changing variables",
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{3, 2}}; auto it = m.find(3); auto &[k, x] = *it; x += n; return m[3]; }",
            "a reference to a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; auto it = v.begin(); auto jt = it++; v[0] = n; return *jt; }",
            "an iterator over a variable that has changed",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; auto it = v.begin(), jt = v.begin() + 1; auto kt = n > 2 ? it : jt; v[0] = n; return *kt; }",
            "an iterator over a variable that has changed",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; auto first = [&]() { return v.begin(); }; auto it = first(); v[0] = n; return *it; }",
            "an iterator over a variable that has changed",
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{3, 2}}; auto it = m.find(3); m[n] = 5; it->second = 7; return m[3]; }",
            "an iterator over a variable that has changed",
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{3, 2}}; auto it = m.find(3); int64_t r = 0; for (int64_t i = 0; i < 3; ++i) { r += it->second; if (i == n) { m[1] = 5; continue; } } return r; }",
            "an iterator over a variable that has changed",
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{3, 2}}; auto it = m.find(3); for (int64_t i = 0; i < 3; ++i) { if (i == n) { m[1] = 5; break; } } return it->second; }",
            "an iterator over a variable that has changed",
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{3, 2}}; auto it = m.find(3); if (n > 2) { m[1] = 5; if (n > 3) return 0; } return it->second; }",
            "an iterator over a variable that has changed",
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{3, 2}}; auto it = m.find(3); auto g = [&](int64_t x) { m[x] = 1; return x; }; int64_t r = g(n); return r + it->second; }",
            "an iterator over a variable that has changed",
        ),
        (
            "struct P { SmallVector<int64_t> v{1, 2, 3}; int64_t t = 0; void reset() { v[0] = 7; } }; int64_t f(int64_t n) { P p; for (auto x : llvm::reverse(p.v)) { p.t += x; p.reset(); } return p.t; }",
            "a loop over a view of a changing variable",
        ),
        (
            "struct P { SmallVector<int64_t> v{1, 2, 3}; int64_t t = 0; void add(int64_t n) { t += n; v[0] = n; } void run(int64_t n) { for (auto x : llvm::reverse(v)) add(n); } }; int64_t f(int64_t n) { P p; p.run(n); return p.t; }",
            "a loop over a view of a changing variable",
        ),
    ] {
        stays_native(text, "f($0)", reason);
    }
}

#[test]
fn values_that_have_no_representation_stay_native() {
    for (text, reason) in [
        (
            "int64_t f(int64_t n) { std::optional<std::optional<int64_t>> o; o = std::optional<int64_t>(); return o.has_value(); }",
            "optional",
        ),
        (
            "static FailureOr<std::optional<int64_t>> g() { std::optional<int64_t> o; return o; } int64_t f(int64_t n) { return failed(g()); }",
            "FailureOr",
        ),
        (
            "static FailureOr<Attribute> g() { return Attribute(); } int64_t f(int64_t n) { return failed(g()); }",
            "an optional value that may hold null is not supported",
        ),
        (
            "static FailureOr<StringAttr> g(Attribute a) { return dyn_cast<StringAttr>(a); } int64_t f(int64_t n) { return failed(g(Attribute())); }",
            "an optional value that may hold null is not supported",
        ),
        (
            "int64_t f(int64_t n) { StringRef s = \"a\\0b\"; return s.size(); }",
            "a string with a null character",
        ),
        (
            "static int64_t g(bool) { return 1; } static int64_t g(StringRef) { return 2; } int64_t f(int64_t n) { return g(\"abc\"); }",
            "a choice between 'bool' and a class",
        ),
        (
            "struct C { int64_t x; C(int64_t a, int64_t b) : x(a) {} C(std::initializer_list<int64_t> l) : x(l.size()) {} }; int64_t f(int64_t n) { C c{7, n}; return c.x; }",
            "a class with a constructor for lists in braces",
        ),
        (
            "int64_t g(double) { return 2; } int64_t f(int64_t n) { return g(n); } int64_t g(int64_t) { return 1; }",
            "a choice of a function that is defined after the call",
        ),
    ] {
        stays_native(text, "f($0)", reason);
    }
}

#[test]
fn uses_of_namespaces_in_other_source_files_have_no_effect() {
    let other = "namespace a { int64_t g(int64_t) { return 1; } } using namespace a; using a::g;";
    let own = "namespace a { int64_t g(int64_t); } static int64_t g(double) { return 2; } int64_t f(int64_t n) { return g(n); }";
    assert_eq!(pair_of(&[("a.cpp", other), ("b.cpp", own)], "f($0)", 0, 0), Ok(2));
    assert_eq!(pair_of(&[("a.h", other), ("b.cpp", own)], "f($0)", 0, 0), Ok(1));
}
