//! Parameters, views and iterators that refer to a variable of the caller, with the results that g++ computes.

use super::{number, stays_native};

/// Checks functions `f(n)`. Each pair is an argument and the result.
#[track_caller]
fn check(cases: &[(&str, &[(i64, i64)])]) {
    for (text, pairs) in cases {
        for &(given, want) in *pairs {
            assert_eq!(number(text, "f($0)", given), Ok(want), "f({given}) in {text}");
        }
    }
}

#[track_caller]
fn all_stay_native(cases: &[(&str, &str)]) {
    for (text, reason) in cases {
        stays_native(text, "f($0)", reason);
    }
}

#[test]
fn reference_parameters_of_lambdas_denote_the_argument() {
    check(&[
        (
            "int64_t f(int64_t n) { int64_t x = n; auto g = [](auto &&a) { a += 5; }; g(x); return x; }",
            &[(1, 6), (7, 12)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; auto g = [&](int64_t &a) { x += 1; a *= 10; return a; }; return g(x) * 1000 + x; }",
            &[(1, 20_020), (7, 80_080)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; auto g = [&](const int64_t &a) { x += 1; return a; }; return g(x) * 1000 + x; }",
            &[(1, 2002), (7, 8008)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; auto g = [&](auto &&a) { x += 1; return a; }; return g(x) * 1000 + x; }",
            &[(1, 2002), (7, 8008)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; auto g = [&](const auto &a) { x += 1; return a; }; return g(x) * 1000 + x; }",
            &[(1, 2002), (7, 8008)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> x{n}; auto add = [](auto &&a) { a.push_back(5); }; add(x); return x.size() * 10 + x.back(); }",
            &[(1, 25), (7, 25)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> x{n, 2}; auto add = [&](int64_t &a) { x[0] = 9; a += 1; }; add(x[0]); return x[0]; }",
            &[(1, 10), (7, 10)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> x{n, 2}; auto add = [&](const int64_t &a) { x[0] = 9; return a; }; return add(x[0]); }",
            &[(1, 9), (7, 9)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; [](int64_t &a) { a += 1; }(x); return x; }",
            &[(1, 2), (7, 8)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; [](auto &&a) { a += 1; }(x); return x; }",
            &[(1, 2), (7, 8)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; auto g = [](auto h, const int64_t &a) { h(); return a; }; return g([&] { x += 1; }, x); }",
            &[(1, 2), (7, 8)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; auto h = [&] { x += 1; }; auto g = [&](const int64_t &a) { h(); return a; }; return g(x); }",
            &[(1, 2), (7, 8)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; auto g = [](int64_t &&a) { a += 1; return a; }; return g(x + 1) * 10 + g(std::move(x)); }",
            &[(1, 32), (7, 98)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; auto g = [](int64_t &a, int64_t &b) { a += 1; b *= 2; a += 1; return a * 10 + b; }; return g(x, x); }",
            &[(1, 55), (7, 187)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; auto g = [](int64_t &a, const int64_t &b) { a += 1; return b; }; return g(x, x); }",
            &[(1, 2), (7, 8)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> x{n}; auto g = [&](ArrayRef<int64_t> a) { x[0] = 9; return a[0]; }; return g(x); }",
            &[(1, 9), (7, 9)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> x{n}; auto g = [&](SmallVectorImpl<int64_t> &a) { x[0] = 9; return a[0]; }; return g(x); }",
            &[(1, 9), (7, 9)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> x{n, 4}; int64_t r = 0; auto g = [&](const int64_t &a) { x[0] = 9; x[1] = 8; r = r * 10 + a; }; for (const auto &y : x) g(y); return r; }",
            &[(1, 98), (7, 98)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> x{n, 4, 2}; auto g = [&](auto &a) { llvm::sort(x); return a[0]; }; return g(x); }",
            &[(1, 1), (7, 2)],
        ),
        (
            "struct P { int64_t a = 1; void inc() { a += 1; } };
             int64_t f(int64_t n) { P p; auto g = [](auto &&q) { q.a += 4; q.inc(); }; g(p); return p.a; }",
            &[(1, 6), (7, 6)],
        ),
        (
            "struct P { int64_t a = 1; void inc() { a += 1; } };
             int64_t f(int64_t n) { P p; auto g = [&](P &q) { p.inc(); return q.a; }; return g(p); }",
            &[(1, 2), (7, 2)],
        ),
        (
            "struct P { int64_t a = 1; void inc() { a += 1; } };
             int64_t f(int64_t n) { P p; auto g = [&](const P &q) { p.inc(); return q.a; }; return g(p); }",
            &[(1, 2), (7, 2)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; const auto &y = x; auto g = [](int64_t &a) { a += 5; }; g(x); return y; }",
            &[(1, 6), (7, 12)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{n, 2, 3}; int64_t i = 0; auto g = [](int64_t &a) { a += 1; }; g(v[i++]); g(v[i++]); return v[0] * 100 + v[1] * 10 + i; }",
            &[(1, 232), (7, 832)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; std::function<int64_t(int64_t)> g = [&](const int64_t &a) { x += 1; return a; }; return g(x) * 100 + x; }",
            &[(1, 102), (7, 708)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; std::function<int64_t(const int64_t &)> g = [&](const int64_t &a) { x += 1; return a; }; return g(x) * 100 + x; }",
            &[(1, 202), (7, 808)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; function_ref<int64_t(const int64_t &)> g = [&](const int64_t &a) { x += 1; return a; }; return g(x) * 100 + x; }",
            &[(1, 202), (7, 808)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; auto g = [&](const int32_t &a) { x += 1; return a; }; return g(x) * 100 + x; }",
            &[(1, 102), (7, 708)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m; auto g = [](std::map<int64_t, int64_t> &a, int64_t k) { a[k] = k + 1; return a.size(); }; g(m, n); g(m, 2); return m[n] * 10 + m.size(); }",
            &[(1, 22), (7, 82)],
        ),
        (
            "int64_t f(int64_t n) { std::set<int64_t> m; auto g = [](auto &a, int64_t k) { a.insert(k); }; g(m, n); g(m, 2); int64_t r = 0; for (auto x : m) r = r * 10 + x; return r; }",
            &[(1, 12), (7, 27)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m; auto g = [&](const std::map<int64_t, int64_t> &a) { m[n] = 5; return a.size(); }; return g(m); }",
            &[(1, 1), (7, 1)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; auto h = [](int64_t &a) { a += 2; }; auto g = [&](int64_t &a) { h(a); h(a); }; g(x); return x; }",
            &[(1, 5), (7, 11)],
        ),
        (
            "struct P { int64_t a = 1; int64_t go(int64_t n) { auto g = [&](const int64_t &x) { a += n; return x; }; return g(a) * 10 + a; } };
             int64_t f(int64_t n) { P p; return p.go(n); }",
            &[(1, 22), (7, 88)],
        ),
        (
            "struct P { SmallVector<int64_t> v{1, 2}; };
             int64_t f(int64_t n) { P p; auto g = [&](const auto &x) { p.v.push_back(n); p.v[0] = 9; return x.size() * 10 + x[0]; }; return g(p.v); }",
            &[(1, 39), (7, 39)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; int64_t r = 0; auto g = [&](const int64_t &x, int64_t k) { v[k] = n; r = r * 10 + x; }; for (int64_t i = 0; i < 3; ++i) g(v[i], 2); return r; }",
            &[(1, 121), (7, 127)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; auto g = [&](int64_t a) { x += 1; return a; }; return g(x) * 10 + x; }",
            &[(1, 12), (7, 78)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; int64_t y = [&] { x += 1; return x; }(); return y * 10 + x; }",
            &[(1, 22), (7, 88)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, n}; auto sw = [](auto &x, auto &y) { auto t = x; x = y; y = t; }; sw(v[0], v[1]); return v[0] * 10 + v[1]; }",
            &[(1, 11), (7, 71)],
        ),
    ]);
}

#[test]
fn forwarding_parameters_of_functions_denote_the_argument() {
    check(&[
        (
            "template <typename T> static void add(T &&a) { a += 5; }
             int64_t f(int64_t n) { int64_t x = n; add(x); return x; }",
            &[(1, 6), (7, 12)],
        ),
        (
            "template <typename T> static void add(T &a) { a += 5; }
             int64_t f(int64_t n) { int64_t x = n; add(x); return x; }",
            &[(1, 6), (7, 12)],
        ),
        (
            "template <typename T> static void add(T &&a) { a.push_back(5); }
             int64_t f(int64_t n) { SmallVector<int64_t> x{n}; add(x); return x.size() * 10 + x.back(); }",
            &[(1, 25), (7, 25)],
        ),
        (
            "template <typename T> static int64_t g(T &&a) { a += 1; return a; }
             int64_t f(int64_t n) { int64_t x = n; return g(x + 1) * 100 + g(std::move(x)) * 10 + x; }",
            &[(1, 322), (7, 988)],
        ),
        (
            "template <typename T> static void g(T &&a) { a += 1; }
             int64_t f(int64_t n) { SmallVector<int64_t> x{n, 2}; g(x[1]); for (auto &y : x) g(y); return x[0] * 100 + x[1]; }",
            &[(1, 204), (7, 804)],
        ),
        (
            "template <typename T> static void g(T &&a) { a += 1; }
             int64_t f(int64_t n) { SmallVector<int64_t> v{n, 2, 3}; int64_t i = 0; g(v[i++]); g(v[i++]); return v[0] * 100 + v[1] * 10 + i; }",
            &[(1, 232), (7, 832)],
        ),
        (
            "template <typename T> static int64_t g(T &&a) { a += 1; return a; }
             int64_t f(int64_t n) { SmallVector<int64_t> v{n}; return g(n + 1) + g(v.size()) + g(v[0]) + v[0] * 100; }",
            &[(1, 207), (7, 819)],
        ),
        (
            "template <typename T> static int64_t g(T &&a) { a.push_back(4); return a.size(); }
             static SmallVector<int64_t> mk(int64_t n) { return {n, n}; }
             int64_t f(int64_t n) { return g(mk(n)) * 10 + g(SmallVector<int64_t>{n}); }",
            &[(1, 32), (7, 32)],
        ),
        (
            "static int64_t g(SmallVector<int64_t> &&a) { a.push_back(4); return a.size(); }
             int64_t f(int64_t n) { SmallVector<int64_t> v{n}; int64_t r = g(std::move(v)); return r * 10 + v.size(); }",
            &[(1, 22), (7, 22)],
        ),
        (
            "template <typename T> static void g(T &&a, int64_t k) { if (k == 0) return; a += k; g(a, k - 1); }
             int64_t f(int64_t n) { int64_t x = 0; g(x, n); return x; }",
            &[(1, 1), (7, 28)],
        ),
        (
            "template <typename T> static void h(T &&a) { a += 2; }
             template <typename T> static void g(T &&a) { h(std::forward<T>(a)); h(a); }
             int64_t f(int64_t n) { int64_t x = n; g(x); return x; }",
            &[(1, 5), (7, 11)],
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; auto h = [](auto &&a) { a += 2; }; auto g = [&](auto &&a) { h(std::forward<decltype(a)>(a)); h(a); }; g(x); return x; }",
            &[(1, 5), (7, 11)],
        ),
        (
            "struct P { int64_t a = 1; template <typename T> void g(T &&x) { x += 2; } };
             int64_t f(int64_t n) { P p; int64_t y = n; p.g(y); return y; }",
            &[(1, 3), (7, 9)],
        ),
    ]);
}

#[test]
fn parameters_that_alias_a_variable_in_another_way_stay_native() {
    all_stay_native(&[
        (
            "template <typename T> static int64_t g(T &&a, int64_t &b) { b += 1; return a; }
             int64_t f(int64_t n) { int64_t x = n; return g(x, x); }",
            "one variable is passed for two references",
        ),
        (
            "template <typename F, typename T> static int64_t call(F g, T &&a) { g(); return a; }
             int64_t f(int64_t n) { int64_t x = n; return call([&] { x += 1; }, x); }",
            "one variable is passed for two references",
        ),
        (
            "struct P { int64_t a = 1; template <typename T> int64_t g(T &&x) { a += 1; return x; } };
             int64_t f(int64_t n) { P p; return p.g(p.a); }",
            "one variable is passed for two references",
        ),
        (
            "static int64_t g(SmallVector<int64_t>::iterator it, SmallVectorImpl<int64_t> &v) { v[0] = 9; return *it; }
             int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; return g(v.begin(), v); }",
            "one variable is passed for two references",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> x{n, 2}; llvm::for_each(x, [](auto &&a) { a += 1; }); return x[0] * 10 + x[1]; }",
            "a lambda that changes an argument",
        ),
        (
            "template <typename F> static void each(SmallVectorImpl<int64_t> &v, F &&g) { for (auto &x : v) g(x); }
             int64_t f(int64_t n) { SmallVector<int64_t> x{n, 2}; each(x, [](auto &&a) { a += 1; }); return x[0] * 10 + x[1]; }",
            "a lambda that changes an argument",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> x{n, 4, 2}; bool b = llvm::all_of(x, [](auto &&a) { a += 1; return true; }); return x[0] + 10 * b; }",
            "a lambda that changes an argument",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{n}; ArrayRef<int64_t> r = v; auto g = [](SmallVectorImpl<int64_t> &a) { a[0] = 5; }; g(v); return r[0]; }",
            "a reference to a changing variable",
        ),
        (
            "template <typename T> static void g(T &&a) { a[0] = 5; }
             int64_t f(int64_t n) { SmallVector<int64_t> v{n}; ArrayRef<int64_t> r = v; g(v); return r[0]; }",
            "a reference to a changing variable",
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; std::function<int64_t(const int64_t &)> g; g = [&](const int64_t &a) { x += 1; return a; }; return g(x) * 100 + x; }",
            "a reference to a changing variable",
        ),
        (
            "int64_t f(int64_t n) { int64_t x = n; int64_t y = [x](int64_t &a) { a += 1; return x; }(x); return y * 10 + x; }",
            "a reference to a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; auto g = [&](auto it) { v[0] = n; return *it; }; return g(v.begin()); }",
            "a view of a changing variable",
        ),
        (
            "template <typename T> static int64_t g(T &&a, int64_t &&b = 3) { b += 1; return a + b; }
             int64_t f(int64_t n) { return g(n) + g(n, 5); }",
            "does not take the arguments",
        ),
    ]);
}

/// A view or iterator sees later changes of the elements in C++.
#[test]
fn views_and_iterators_in_other_values_stay_native_if_the_elements_change() {
    all_stay_native(&[
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; auto p = std::make_pair(v.begin(), v.end()); v[0] = n; int64_t r = 0; for (auto it = p.first; it != p.second; ++it) r = r * 10 + *it; return r; }",
            "a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; auto p = std::make_tuple(v.begin(), 3); v[0] = n; return *std::get<0>(p); }",
            "a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; auto [b, e] = std::make_pair(v.begin(), v.end()); v[0] = n; return *b; }",
            "a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; SmallVector<SmallVector<int64_t>::iterator> p; p.push_back(v.begin()); v[0] = n; return *p[0]; }",
            "a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; ArrayRef<int64_t> r; r = v; v[0] = n; return r[0]; }",
            "a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; SmallVector<ArrayRef<int64_t>> r; r.push_back(v); v[0] = n; return r[0][0]; }",
            "a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; ArrayRef<int64_t> r; int64_t s = 0; for (int i = 0; i < 3; ++i) { v[0] += n; if (i > 0) s = s * 10 + r[0]; r = v; } return s; }",
            "a view of a changing variable",
        ),
        (
            "struct S { ArrayRef<int64_t> a; };
             int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; S s; s.a = v; v[0] = n; return s.a[0]; }",
            "a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; auto s = std::make_pair(ArrayRef<int64_t>(v), 1); v[0] = n; return s.first[0]; }",
            "a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; std::map<int64_t, ArrayRef<int64_t>> s; s[1] = v; v[0] = n; return s[1][0]; }",
            "a view of a changing variable",
        ),
        (
            "static ArrayRef<int64_t> tail(ArrayRef<int64_t> v) { return v.drop_front(); }
             int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; ArrayRef<int64_t> p; p = tail(v); v[1] = n; return p[0]; }",
            "a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; auto tail = [&]() { return ArrayRef<int64_t>(v).drop_front(); }; auto p = tail(); v[1] = n; return p[0]; }",
            "a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; auto tail = [&]() { return std::make_pair(v.begin(), v.end()); }; auto p = tail(); v[0] = n; return *p.first; }",
            "a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; auto g = [a = ArrayRef<int64_t>(v)] { return a[0]; }; v[0] = n; return g(); }",
            "a view of a changing variable",
        ),
    ]);
    check(&[
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; auto s = std::make_pair(v, 1); v[0] = n; return s.first[0]; }",
            &[(1, 1), (7, 1)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; auto it = std::max_element(v.begin(), v.end()); *it = n; return v[1] * 10 + *it; }",
            &[(1, 11), (7, 77)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; ArrayRef<int64_t> r = v; int64_t s = 0; while (!r.empty()) { s = s * 10 + r.front(); r = r.drop_front(); } return s; }",
            &[(1, 123), (7, 123)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; v[0] = n; SmallVector<ArrayRef<int64_t>> parts; for (int64_t i = 0; i < 3; ++i) parts.push_back(ArrayRef<int64_t>(v).drop_front(i)); int64_t s = 0; for (auto p : parts) s = s * 10 + p[0]; return s; }",
            &[(1, 123), (7, 723)],
        ),
    ]);
}

#[test]
fn elements_of_enumerate_are_numbers_and_references() {
    check(&[
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; int64_t r = 0; for (auto it : llvm::enumerate(v)) { v[it.index()] = n; r = r * 10 + it.value(); } return r; }",
            &[(1, 111), (2, 222), (7, 777)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; int64_t r = 0; for (auto it : llvm::enumerate(v)) { if (it.index() < 2) v[it.index() + 1] = n; r = r * 10 + it.value(); } return r; }",
            &[(1, 111), (2, 122), (7, 177)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; for (auto it : llvm::enumerate(v)) it.value() = it.index() + n; return v[0] * 100 + v[1] * 10 + v[2]; }",
            &[(1, 123), (2, 234), (7, 789)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; int64_t r = 0; for (const auto &it : llvm::enumerate(v)) { v[it.index()] = n; r = r * 10 + it.value(); } return r; }",
            &[(1, 111), (2, 222), (7, 777)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; int64_t r = 0; for (auto &&it : llvm::enumerate(v)) { v[it.index()] += n; it.value() += 1; r = r * 10 + it.value(); } return r; }",
            &[(1, 345), (2, 456), (7, 1011)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; auto g = [&](size_t i) { v[i] = n; }; int64_t r = 0; for (auto it : llvm::enumerate(v)) { g(it.index()); r = r * 10 + it.value(); } return r; }",
            &[(1, 111), (2, 222), (7, 777)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}, w; for (auto it : llvm::enumerate(v)) { if (it.value() == n) continue; w.push_back(it.index()); } int64_t r = 0; for (auto x : w) r = r * 10 + x; return r; }",
            &[(1, 12), (2, 2), (7, 12)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{n, 2}; const auto &y = v[0]; for (auto [i, x] : llvm::enumerate(v)) x = 9; return y; }",
            &[(1, 9), (2, 9), (7, 9)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}, w{3, 4}; int64_t r = 0; for (auto a : llvm::enumerate(v)) for (auto b : llvm::enumerate(w)) { a.value() += b.value(); w[b.index()] = n; r = r * 10 + a.value(); } return r; }",
            &[(1, 4834), (2, 4846), (7, 4906)],
        ),
        (
            "struct P { SmallVector<int64_t> v{1, 2}; int64_t go(int64_t n) { int64_t r = 0; for (auto it : llvm::enumerate(v)) { v[it.index()] += n; r = r * 10 + it.value(); } return r; } };
             int64_t f(int64_t n) { P p; return p.go(n); }",
            &[(1, 23), (2, 34), (7, 89)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; for (auto it : llvm::enumerate(v)) { if (it.value() == n) { v[it.index()] = 0; continue; } if (it.value() == 3) break; it.value() *= 2; } return v[0] * 100 + v[1] * 10 + v[2]; }",
            &[(1, 43), (2, 203), (7, 243)],
        ),
        (
            "struct P { int64_t a = 1; };
             int64_t f(int64_t n) { SmallVector<P> v(3); for (auto it : llvm::enumerate(v)) it.value().a = it.index() * n; return v[0].a * 100 + v[1].a * 10 + v[2].a; }",
            &[(1, 12), (2, 24), (7, 84)],
        ),
        (
            "static void inc(int64_t &x) { x += 3; }
             int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, n}; for (auto it : llvm::enumerate(v)) inc(it.value()); return v[0] * 100 + v[1] * 10 + v[2]; }",
            &[(1, 454), (2, 455), (7, 460)],
        ),
    ]);
    all_stay_native(&[
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; int64_t r = 0; for (auto [i, x] : llvm::enumerate(llvm::drop_begin(v))) { v[i] = n; r = r * 10 + x; } return r; }",
            "a loop over a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; int64_t r = 0; for (auto it : llvm::enumerate(llvm::drop_begin(v))) { v[it.index()] = n; r = r * 10 + it.value(); } return r; }",
            "a loop over a view of a changing variable",
        ),
        (
            "static int64_t g(std::pair<int64_t, int64_t> p) { return p.first; }
             int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; int64_t r = 0; for (auto it : llvm::enumerate(v)) { v[0] = n; auto copy = it; r += copy.value(); } return r; }",
            "a use of an element of 'enumerate' other than 'index()' and 'value()'",
        ),
    ]);
}

#[test]
fn loops_erase_elements_of_sorted_sets_and_maps() {
    check(&[
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}, {2, 3}, {3, 2}, {4, 5}}; for (auto it = m.begin(); it != m.end();) { if (it->second == n) it = m.erase(it); else ++it; } int64_t r = 0; for (auto &[k, x] : m) r = r * 100 + k * 10 + x; return r; }",
            &[(1, 12_233_245), (2, 2345), (3, 123_245)],
        ),
        (
            "int64_t f(int64_t n) { std::set<int64_t> m{1, 2, 3, 7}; for (auto it = m.begin(); it != m.end();) { if (*it % 4 == n) it = m.erase(it); else ++it; } int64_t r = 0; for (auto k : m) r = r * 10 + k; return r; }",
            &[(1, 237), (2, 137), (3, 12)],
        ),
        (
            "int64_t f(int64_t n) { llvm::SetVector<int64_t> m; m.insert(3); m.insert(1); m.insert(2); for (auto it = m.begin(); it != m.end();) { if (*it == n) it = m.erase(it); else ++it; } int64_t r = 0; for (auto k : m) r = r * 10 + k; return r; }",
            &[(1, 32), (2, 31), (3, 12)],
        ),
        (
            "int64_t f(int64_t n) { llvm::MapVector<int64_t, int64_t> m; m[4] = 2; m[1] = 3; m[2] = 2; for (auto it = m.begin(); it != m.end();) { if (it->second == n) it = m.erase(it); else { it->second += 1; ++it; } } int64_t r = 0; for (auto &[k, x] : m) r = r * 100 + k * 10 + x; return r; }",
            &[(1, 431_423), (2, 14), (3, 4323)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}, {2, 3}, {3, 2}}; auto it = m.find(n); if (it != m.end()) { it = m.erase(it); return it == m.end() ? -1 : it->first; } return 0; }",
            &[(1, 2), (2, 3), (3, -1)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}, {2, 3}, {3, 2}}; auto it = m.begin(); while (it != m.end()) { if (it->first > n) { it = m.erase(it); continue; } ++it; } return m.size(); }",
            &[(1, 1), (2, 2), (3, 3)],
        ),
    ]);
    all_stay_native(&[
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}, {2, 3}, {3, 2}, {4, 5}}; for (auto it = m.begin(); it != m.end();) { if (it->second == n) m.erase(it++); else ++it; } int64_t r = 0; for (auto &[k, x] : m) r = r * 100 + k * 10 + x; return r; }",
            "an iterator over a variable that has changed",
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}, {2, 3}, {3, 2}}; auto it = m.begin(); while (it != m.end()) { if (it->first > n) { it = m.erase(it); m[0] = 4; continue; } ++it; } return m.size(); }",
            "an iterator over a variable that has changed",
        ),
    ]);
}

/// The types of the arguments determine the types of `auto` parameters, and so the results of operators.
#[test]
fn lambdas_that_templates_call_have_the_types_of_cpp() {
    check(&[
        (
            "template <typename F> static int64_t call(F g, int64_t a) { return g(a); }
             int64_t f(int64_t n) { return call([](auto x) { return x * 3000000000; }, n) + call([](auto x) { return x * 2000000; }, n * 10000); }",
            &[(1, 23_000_000_000), (3, 69_000_000_000)],
        ),
        (
            "template <typename F> static int64_t call(F g, uint32_t a) { return g(a); }
             int64_t f(int64_t n) { return call([](auto x) { return x - 8; }, n); }",
            &[(1, 4_294_967_289), (3, 4_294_967_291)],
        ),
        (
            "template <typename F> static int64_t call(F g, int64_t a) { return g(a) * 2000000000; }
             int64_t f(int64_t n) { return call([](int64_t x) { return x; }, n); }",
            &[(1, 2_000_000_000), (3, 6_000_000_000)],
        ),
        (
            "template <typename F> static int64_t call(F g, int64_t a) { return g(a) - 8; }
             int64_t f(int64_t n) { return call([](int64_t x) { return uint32_t(x); }, n); }",
            &[(1, 4_294_967_289), (3, 4_294_967_291)],
        ),
        (
            "template <typename F> static int64_t call(F g, int64_t a) { auto r = g(a); r += 127; return r; }
             int64_t f(int64_t n) { return call([](int64_t x) { return int8_t(x); }, n); }",
            &[(1, -128), (3, -126)],
        ),
        (
            "template <typename F> static bool call(F g, uint32_t a) { return g(a); }
             int64_t f(int64_t n) { return call([](auto x) { return x > -1; }, n); }",
            &[(1, 0), (3, 0)],
        ),
        (
            "template <typename F> static int64_t call(F g, double a) { return g(a) * 10; }
             int64_t f(int64_t n) { return call([](auto x) { return x / 2; }, n); }",
            &[(1, 5), (3, 15)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<uint32_t> v{uint32_t(n)}; int64_t r = 0; llvm::for_each(v, [&](auto x) { r = x - 8; }); return r; }",
            &[(1, 4_294_967_289), (3, 4_294_967_291)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<uint8_t> v{200, 100}; return std::accumulate(v.begin(), v.end(), 0, [](auto a, auto b) { return a + b; }); }",
            &[(1, 300), (3, 300)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<uint32_t> v{uint32_t(n), 5}; llvm::sort(v, [](auto a, auto b) { return a - b > 5; }); return v[0]; }",
            &[(1, 1), (3, 3)],
        ),
        (
            "template <typename F> static int64_t fold(uint32_t a, uint32_t b, F g) { return g(a, b); }
             int64_t f(int64_t n) { return fold(n, 8, std::minus<>()); }",
            &[(1, 4_294_967_289), (3, 4_294_967_291)],
        ),
        (
            "template <typename F> static int64_t cnt(ArrayRef<int64_t> v, F g) { int64_t r = 0; for (auto x : v) if (g(x)) ++r; return r; }
             int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, n}; return cnt(v, [](auto a) { return a % 2; }); }",
            &[(1, 2), (3, 2)],
        ),
        (
            "template <typename F> static int64_t call(F g, uint32_t a) { return g(a); }
             int64_t f(int64_t n) { return call([](auto x) { return -x; }, n); }",
            &[(1, 4_294_967_295), (3, 4_294_967_293)],
        ),
        (
            "template <typename F> static int64_t call(F g, uint8_t a) { return g(a); }
             int64_t f(int64_t n) { return call([](auto x) { auto y = x; y += 255; return y; }, n); }",
            &[(1, 0), (3, 2)],
        ),
        (
            "template <typename Fn> static int64_t fold(ArrayRef<uint8_t> v, Fn fn) { int64_t r = 1; for (auto x : v) r += fn(r, x); return r; }
             int64_t f(int64_t n) { SmallVector<uint8_t> v{200, 100, uint8_t(n)}; return fold(v, [](auto a, auto b) { return a * b; }); }",
            &[(1, 40_602), (3, 81_204)],
        ),
        (
            "template <typename Fn> static int64_t cnt(ArrayRef<uint32_t> v, Fn fn) { return llvm::count_if(v, fn); }
             int64_t f(int64_t n) { SmallVector<uint32_t> v{uint32_t(n), 2, 3}; return cnt(v, [](auto x) { return x - 3 > 5; }); }",
            &[(1, 2), (3, 1)],
        ),
        (
            "template <typename Fn> static void each(ArrayRef<int32_t> v, Fn fn) { for (auto x : v) fn(x); }
             int64_t f(int64_t n) { int64_t r = 0; SmallVector<int32_t> v{1, int32_t(n), 2000000000}; each(v, [&](auto x) { r = r * 3 + x * 2ll; }); return r; }",
            &[(1, 4_000_000_024), (3, 4_000_000_036)],
        ),
        (
            "template <typename Fn> static bool anyOf(ArrayRef<int64_t> v, const Fn &fn) { for (const auto &x : v) if (fn(x)) return true; return false; }
             int64_t f(int64_t n) { SmallVector<int64_t> v{1, n}; return anyOf(v, [&](const auto &x) { return x * 3000000000 > 6000000001; }); }",
            &[(1, 0), (3, 1)],
        ),
        (
            "template <typename Fn> static int64_t op(uint32_t a, uint32_t b, Fn fn) { return fn(a, b); }
             int64_t f(int64_t n) { return op(n, 8, std::minus<>()) + op(n, 8, std::multiplies<uint8_t>()); }",
            &[(1, 4_294_967_297), (3, 4_294_967_315)],
        ),
        (
            "template <typename Fn> static int64_t rec(int64_t k, Fn fn) { return k <= 0 ? 0 : fn(k) + rec(k - 1, fn); }
             int64_t f(int64_t n) { return rec(n, [](auto x) { return x * 3000000000; }); }",
            &[(1, 3_000_000_000), (3, 18_000_000_000)],
        ),
        (
            "template <typename Fn> static int64_t call(Fn g, uint32_t a) { return g(a); }
             int64_t f(int64_t n) { auto g = [](auto x) { return x - 8; }; return call(g, n) + g(n); }",
            &[(1, 4_294_967_282), (3, 4_294_967_286)],
        ),
        (
            "template <typename Fn> static int64_t call(Fn &&g, uint32_t a) { return g(a); }
             int64_t f(int64_t n) { return call([&](auto x) { return x - 8; }, n); }",
            &[(1, 4_294_967_289), (3, 4_294_967_291)],
        ),
        (
            "template <typename Fn> static int64_t call(Fn g, int64_t a) { auto r = g(a); return r * 2000000000 + 1; }
             int64_t f(int64_t n) { return call([](auto x) { return x; }, n); }",
            &[(1, 2_000_000_001), (3, 6_000_000_001)],
        ),
        (
            "template <typename Fn> static int64_t call(Fn g, double a) { return g(a) * 10; }
             int64_t f(int64_t n) { return call([](auto x) { return x / 2; }, n); }",
            &[(1, 5), (3, 15)],
        ),
    ]);
    all_stay_native(&[
        (
            "int64_t f(int64_t n) { auto call = [](auto g, uint32_t a) { return g(a); }; return call([](auto x) { return x - 8; }, n); }",
            "an operator on a value whose type depends on a later call",
        ),
        (
            "template <typename Fn> static int64_t two(Fn fn, int64_t a, uint8_t b) { return fn(a) + fn(b); }
             int64_t f(int64_t n) { return two([](auto x) { return ~x; }, n, n); }",
            "an operator on a value whose type depends on a later call",
        ),
        (
            "template <typename Fn> static int64_t inner(Fn fn, uint32_t a) { return fn(a); }
             template <typename Fn> static int64_t outer(Fn fn, uint32_t a) { return inner(fn, a); }
             int64_t f(int64_t n) { return outer([](auto x) { return x - 8; }, n); }",
            "an operator on a value whose type depends on a later call",
        ),
        (
            "struct P { uint32_t a = 3; template <typename Fn> int64_t go(Fn fn) { return fn(a); } };
             int64_t f(int64_t n) { P p; return p.go([&](auto x) { return x - n - 8; }); }",
            "an operator on a value whose type depends on a later call",
        ),
    ]);
}

#[test]
fn optionals_hold_ranges_of_known_types() {
    check(&[
        (
            "static FailureOr<SmallVector<int64_t>> g(int64_t n) { if (n == 0) return failure(); return SmallVector<int64_t>{n, 2}; }
             int64_t f(int64_t n) { auto v = g(n); if (failed(v)) return -1; int64_t r = (*v)[0] * 2000000000 + v->size(); std::optional<SmallVector<uint32_t>> w = SmallVector<uint32_t>{uint32_t(n)}; return r + (w->front() - 8) + w.value().size(); }",
            &[(0, -1), (3, 10_294_967_294)],
        ),
    ]);
    stays_native(
        "int64_t f(int64_t n) { std::optional<std::optional<int64_t>> x; return x.has_value(); }",
        "f($0)",
        "'optional' of 'optional'",
    );
    stays_native(
        "static FailureOr<std::optional<int64_t>> g(int64_t n) { return failure(); } int64_t f(int64_t n) { return failed(g(n)); }",
        "f($0)",
        "'FailureOr' of 'optional'",
    );
}

#[test]
fn mutable_views_and_references_in_other_values_stay_native() {
    all_stay_native(&[
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; MutableArrayRef<int64_t> m; m = v; m[0] = n; return v[0]; }",
            "an assignment to a 'MutableArrayRef'",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; SmallVector<MutableArrayRef<int64_t>> s; s.push_back(v); s[0][0] = n; return v[0]; }",
            "an assignment to a 'MutableArrayRef'",
        ),
        (
            "struct S { MutableArrayRef<int64_t> m; };
             int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; S s{v}; s.m[0] = n; return v[0]; }",
            "the type 'S' is not known",
        ),
        (
            "int64_t f(int64_t n) { int64_t a = 1; std::pair<int64_t &, int64_t> p{a, 2}; a = n; return p.first; }",
            "the type 'pair' is not known",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; auto at = [&](int64_t i) -> int64_t & { return v[i]; }; auto &x = at(0); x = n; return v[0]; }",
            "a reference to a changing variable",
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; auto at = [&](int64_t i) -> const int64_t & { return v[i]; }; const auto &x = at(0); v[0] = n; return x; }",
            "a reference to a changing variable",
        ),
        (
            "static const int64_t &at(const SmallVectorImpl<int64_t> &v, int64_t i) { return v[i]; }
             int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2}; const auto &x = at(v, 0); v[0] = n; return x; }",
            "a reference to a changing variable",
        ),
    ]);
    check(&[
        (
            "static int64_t sum(ArrayRef<int64_t> v) { int64_t r = 0; for (auto x : v) r = r * 3 + x; return r; }
             int64_t f(int64_t n) { SmallVector<int64_t> v{1, n, 3, 4}; int64_t r = 0; for (size_t i = 0; i + 2 <= v.size(); ++i) { ArrayRef<int64_t> w = ArrayRef<int64_t>(v).slice(i, 2); r = r * 7 + sum(w); } return r; }",
            &[(1, 251), (7, 671)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, n, 3, 4}, out; ArrayRef<int64_t> rest = v; while (rest.size() > 1) { out.push_back(rest[0] + rest[1]); rest = rest.drop_front(2); } int64_t r = 0; for (auto x : out) r = r * 10 + x; return r; }",
            &[(1, 27), (7, 87)],
        ),
        (
            "struct S { ArrayRef<int64_t> v; int64_t k; int64_t at(int64_t i) const { return v[i] + k; } };
             int64_t f(int64_t n) { SmallVector<int64_t> v{1, n, 3}; S s{v, n}; int64_t r = 0; for (int64_t i = 0; i < 3; ++i) r = r * 10 + s.at(i); return r; }",
            &[(1, 224), (7, 950)],
        ),
        (
            "struct S { ArrayRef<int64_t> v; int64_t k = 0; };
             int64_t f(int64_t n) { SmallVector<int64_t> v{1, n, 3}; SmallVector<int64_t> out; S s; for (int64_t i = 0; i < 3; ++i) { s.v = ArrayRef<int64_t>(v).drop_front(i); s.k += s.v.size(); out.push_back(s.v[0]); } return s.k * 100 + out.back() * 10 + out[1]; }",
            &[(1, 631), (7, 637)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, n, 3}; auto it = llvm::find(v, 3); auto p = std::make_pair(v.begin(), it); int64_t r = 0; for (auto b = p.first; b != p.second; ++b) r = r * 10 + *b; return r; }",
            &[(1, 11), (7, 17)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, n, 3}; SmallVector<std::pair<int64_t, ArrayRef<int64_t>>> w; w.emplace_back(1, v); w.push_back({2, ArrayRef<int64_t>(v).drop_front()}); int64_t r = 0; for (auto &[k, x] : w) r = r * 10 + k + x[0]; return r; }",
            &[(1, 23), (7, 29)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; for (auto &x : v) x += n; ArrayRef<int64_t> a = v; auto b = a.drop_back(); auto t = std::make_tuple(a, b); return std::get<1>(t).size() * 10 + std::get<0>(t)[0]; }",
            &[(1, 22), (7, 28)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; auto g = [&](MutableArrayRef<int64_t> m) { m[0] = n; return v[0]; }; return g(v); }",
            &[(1, 1), (7, 7)],
        ),
    ]);
}

/// A `StringRef` refers to the text of a `std::string`.
#[test]
fn views_of_texts_that_change_stay_native() {
    all_stay_native(&[
        (
            "int64_t f(int64_t n) { std::string s = \"abc\"; s.reserve(100); StringRef r = s; std::replace(s.begin(), s.end(), 'a', 'x'); return r[0]; }",
            "a view of a changing variable",
        ),
        (
            "int64_t f(int64_t n) { std::string s = \"abc\"; auto [a, b] = StringRef(s).split('b'); std::replace(s.begin(), s.end(), 'a', 'x'); return a[0]; }",
            "a view of a changing variable",
        ),
        (
            "static int64_t g(StringRef a, std::string &s) { std::replace(s.begin(), s.end(), 'a', 'x'); return a[0]; }
             int64_t f(int64_t n) { std::string s = \"abc\"; return g(s, s); }",
            "one variable is passed for two references",
        ),
    ]);
    check(&[
        (
            "int64_t f(int64_t n) { std::string s = \"abc\"; s += \"d\"; StringRef r = s; auto [a, b] = r.split('c'); StringRef t = a; t = t.drop_front(); return r.size() * 100 + a.size() * 10 + t.size() + b.size() * 1000; }",
            &[(1, 1421)],
        ),
        (
            "int64_t f(int64_t n) { StringRef r = \"a,b,c\"; int64_t k = 0; while (!r.empty()) { auto [a, b] = r.split(','); k = k * 10 + a.size(); r = b; } return k; }",
            &[(1, 111)],
        ),
    ]);
}

#[test]
fn lambdas_that_outlive_their_variables_stay_native() {
    all_stay_native(&[
        (
            "int64_t f(int64_t n) { int64_t k = n; std::function<int64_t()> g; g = [k] { return k; }; k = 9; return g(); }",
            "a copy of a changing variable in an assigned lambda",
        ),
        (
            "static auto adder(int64_t k) { return [k](int64_t x) { return x + k; }; }
             int64_t f(int64_t n) { auto g = adder(n); return g(3); }",
            "a function that returns a function",
        ),
    ]);
    check(&[
        (
            "int64_t f(int64_t n) { int64_t k = n; SmallVector<int64_t> v{1, 2, 3}; int64_t r = 0; llvm::for_each(v, [k, &r, &n](int64_t x) { n += 1; r = r * 10 + x + k; }); return r; }",
            &[(1, 234), (7, 900)],
        ),
        (
            "int64_t f(int64_t n) { int64_t k = n; std::function<int64_t()> g = [k] { return k; }; k = 9; return g(); }",
            &[(1, 1), (7, 7)],
        ),
        (
            "int64_t f(int64_t n) { int64_t k = n; auto g = [=](int64_t x) { return x + k; }; k = 9; return g(1); }",
            &[(1, 2), (7, 8)],
        ),
        (
            "int64_t f(int64_t n) { int64_t k = n; auto g = [k](int64_t &o) { o += k; return k; }; int64_t r = g(k); r = r * 100 + g(k); return r * 100 + k; }",
            &[(1, 10_103), (7, 70_721)],
        ),
    ]);
}

#[test]
fn references_to_new_elements_of_maps_keep_the_insertion() {
    check(&[
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m; auto g = [&](const int64_t &y) { m[4] = 7; }; g(m[n]); return m.count(n) * 10 + m.size(); }",
            &[(1, 12), (4, 11)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m; auto g = [&](int64_t &y) { if (y > 0) y = 7; }; g(m[n]); return m.count(n) * 10 + m.size(); }",
            &[(1, 11)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m; const auto &y = m[n]; m[4] = 7; return m.size() * 10 + y; }",
            &[(1, 20), (4, 17)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m; auto &y = m[n]; if (n > 3) y = 7; return m.size() * 10 + m[n]; }",
            &[(1, 10), (4, 17)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, SmallVector<int64_t>> m; for (auto &x : m[n]) x += 1; return m.size(); }",
            &[(1, 1)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, std::pair<int64_t, int64_t>> m; auto &[a, b] = m[n]; if (n > 3) b = 4; return m.size() * 10 + m[n].second; }",
            &[(1, 10), (4, 14)],
        ),
    ]);
}

#[test]
fn iterators_and_references_beside_an_erased_iterator_stay_native() {
    let iterator = "an iterator over a variable that has changed";
    all_stay_native(&[
        (
            "int64_t f(int64_t n) { std::set<int64_t> m{n, 40, 60}; auto it = m.begin(); auto jt = std::next(it); it = m.erase(it); return *jt; }",
            iterator,
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{n, 1}, {40, 2}, {60, 3}}; auto it = m.begin(); auto jt = it; ++jt; it = m.erase(it); return jt->second; }",
            iterator,
        ),
        (
            "int64_t f(int64_t n) { std::set<int64_t> m{n, 40, 60}; int64_t r = 0; for (auto it = m.begin(); it != m.end();) { auto nx = it; ++nx; if (*it == n) it = m.erase(it); else ++it; if (nx != m.end()) r += *nx; } return r; }",
            iterator,
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> s{{1, 3}, {4, 6}, {5, n}}; auto it = s.find(4); auto &x = it->second; it = s.begin(); it = s.erase(it); return x; }",
            "a reference to a changing variable",
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> s{{1, 3}, {4, 6}, {5, n}}; auto it = s.find(4); auto &[k, x] = *it; it = s.begin(); it = s.erase(it); return x; }",
            "a reference to a changing variable",
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> s{{1, 3}, {4, 6}, {5, n}}; auto it = s.find(4); auto &x = it->second; int64_t r = 0; it = s.begin(); for (int64_t i = 0; i < 2; ++i) { r += x; it = s.erase(it); } return r; }",
            "a reference to a changing variable",
        ),
    ]);
    check(&[
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> s{{1, 3}, {4, 6}, {5, 8}}; int64_t r = 0; for (auto it = s.begin(); it != s.end();) { auto &x = it->second; x += 1; r = r * 10 + x; if (x == n) it = s.erase(it); else ++it; } return r * 10 + s.size(); }",
            &[(1, 4793), (7, 4792)],
        ),
        (
            "int64_t f(int64_t n) { std::map<int64_t, int64_t> s{{n, 1}, {4, 6}, {8, 3}}; int64_t r = 0; for (auto it = s.begin(); it != s.end();) { const auto &k = it->first; if (k == 4) { it = s.erase(it); continue; } r = r * 10 + k; ++it; } return r; }",
            &[(2, 28), (7, 78)],
        ),
        (
            "int64_t f(int64_t n) { std::set<int64_t> m{n, 40, 60}; auto it = m.begin(); auto jt = std::next(it); int64_t r = *jt; it = m.erase(it); return r + *it; }",
            &[(1, 80), (50, 100)],
        ),
    ]);
}

#[test]
fn copies_of_zipped_elements_and_of_views_stay_native_if_they_change_the_range() {
    let several = "a change of an element of several ranges";
    all_stay_native(&[
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{n, 2}; for (auto it : llvm::enumerate(v)) { auto [i, x] = it; x = 3 + i; } return v[0] * 10 + v[1]; }",
            several,
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{n, 2}, w{3, 4}; for (auto it : llvm::zip(v, w)) { auto [x, y] = it; x += y; } return v[0] * 10 + v[1]; }",
            several,
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v{n, 2}; auto r = llvm::make_range(v.begin(), v.end()); for (auto &x : r) x += 1; return v[0] * 10 + v[1]; }",
            "a loop over references to changing elements",
        ),
    ]);
    check(&[(
        "int64_t f(int64_t n) { SmallVector<int64_t> v{n, 2}; int64_t r = 0; for (auto it : llvm::enumerate(v)) { auto [i, x] = it; r = r * 10 + x + i; } auto all = llvm::make_range(v.begin(), v.end()); for (auto &x : all) r = r * 10 + x; return r; }",
        &[(1, 1312), (3, 3332)],
    )]);
}

/// g++ returns 9 for each function.
#[test]
fn views_that_functions_and_lambdas_store_stay_native_if_the_elements_change() {
    let changing = "a view of a changing variable";
    all_stay_native(&[
        (
            "static void keep(ArrayRef<int64_t> &out, SmallVector<int64_t> &v) { out = v; }
             int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; ArrayRef<int64_t> a; keep(a, v); v[0] = 9; return a[0]; }",
            changing,
        ),
        (
            "static void keep(ArrayRef<int64_t> *out, const SmallVector<int64_t> &v) { *out = v; }
             int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; ArrayRef<int64_t> a; keep(&a, v); v[0] = 9; return a[0]; }",
            changing,
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; ArrayRef<int64_t> a; auto keep = [](ArrayRef<int64_t> &o, SmallVector<int64_t> &w) { o = w; }; keep(a, v); v[0] = 9; return a[0]; }",
            changing,
        ),
        (
            "struct S { ArrayRef<int64_t> a; void set(const SmallVector<int64_t> &x) { a = x; } };
             int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; S s; s.set(v); v[0] = 9; return s.a[0]; }",
            changing,
        ),
        (
            "struct S { ArrayRef<int64_t> a; void set(ArrayRef<int64_t> x) { a = x; } };
             int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; S s; s.set(v); v[0] = 9; return s.a[0]; }",
            changing,
        ),
        (
            "static void keep(std::optional<ArrayRef<int64_t>> &o, SmallVector<int64_t> &v) { o = ArrayRef<int64_t>(v); }
             int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; std::optional<ArrayRef<int64_t>> a; keep(a, v); v[0] = 9; return (*a)[0]; }",
            changing,
        ),
        (
            "static void keep(std::pair<ArrayRef<int64_t>, int> &p, SmallVector<int64_t> &v) { p.first = v; }
             int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; std::pair<ArrayRef<int64_t>, int> p; keep(p, v); v[0] = 9; return p.first[0]; }",
            changing,
        ),
        (
            "static void keep(SmallVector<ArrayRef<int64_t>> &o, SmallVector<int64_t> &v) { o.push_back(v); }
             int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; SmallVector<ArrayRef<int64_t>> a; keep(a, v); v[0] = 9; return a[0][0]; }",
            changing,
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; SmallVector<int64_t> w = {7}; ArrayRef<int64_t> a = w; std::swap(a, a); auto set = [&a](ArrayRef<int64_t> z) { a = z; }; set(v); v[0] = 9; return a[0]; }",
            changing,
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; ArrayRef<int64_t> a; int64_t k; std::tie(a, k) = std::make_pair(ArrayRef<int64_t>(v), n); v[0] = 9; return a[0]; }",
            changing,
        ),
        (
            "static auto view(const SmallVector<int64_t> &v) { return ArrayRef<int64_t>(v); }
             int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; auto a = view(v); v[0] = 9; return a[0]; }",
            changing,
        ),
        (
            "template <typename T> static T id(T x) { return x; }
             int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; auto a = id<ArrayRef<int64_t>>(v); v[0] = 9; return a[0]; }",
            changing,
        ),
    ]);
    check(&[
        (
            "static void keep(ArrayRef<int64_t> &out, SmallVector<int64_t> &v) { out = v; }
             int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; v[0] += 1; ArrayRef<int64_t> a; keep(a, v); return a[0]; }",
            &[(300, 301), (-5, -4)],
        ),
        (
            "int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 2}; v[1] = n; auto keep = [](ArrayRef<int64_t> &o, SmallVector<int64_t> &w) { o = w; }; ArrayRef<int64_t> a; keep(a, v); return a[1]; }",
            &[(300, 300)],
        ),
    ]);
}
