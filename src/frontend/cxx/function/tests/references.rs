//! References, views, and changes of variables through them.

use super::{number, returns, stays_native};

/// In C++, a function that gets one variable through two references sees each change through both references.
#[test]
fn shared_variables_stay_native() {
    let text = "struct W { int64_t total = 0, calls = 0;
          void each(function_ref<void(int64_t)> g) { for (int64_t i = 0; i < 4; ++i) { g(i); calls++; } }
          void add(int64_t x) { total += x; }
          int64_t get(int64_t &x) const { x += 5; return total; }
          int64_t run() { each([&](int64_t x) { total += x; }); return total; }
          int64_t runByName() { auto g = [this](int64_t x) { add(x); }; each(g); return total; } };
        static void each(SmallVectorImpl<int64_t> &v, function_ref<void(int64_t)> g) { v.push_back(1); g(7); }
        static int64_t size(const SmallVector<int64_t> &v, function_ref<void(int64_t)> g) { g(7); return v.size(); }
        static int64_t floats(double &x, const double &y) { x += 1; return y; }
        static int64_t bools(bool &x, const bool &y) { x = !x; return y; }
        int64_t a(int64_t n) { W w; return w.run(); }
        int64_t b(int64_t n) { W w; return w.runByName(); }
        int64_t c(int64_t n) { W w; w.each([&](int64_t x) { w.total += x; }); return w.total; }
        int64_t d(int64_t n) { SmallVector<int64_t> v; each(v, [&](int64_t x) { v.push_back(x); }); return v.size(); }
        int64_t e(int64_t n) { SmallVector<int64_t> v; return size(v, [&](int64_t x) { v.push_back(x); }); }
        int64_t f(int64_t n) { W w; return w.get(w.total); }
        int64_t g(int64_t n) { double d = n; return floats(d, d); }
        int64_t h(int64_t n) { bool d = n > 0; return bools(d, d); }
        int64_t other(int64_t n) { W w; int64_t sum = 0; SmallVector<int64_t> v, u;
          w.each([&](int64_t w) { sum += w * n; }); each(v, [&](int64_t x) { u.push_back(x); });
          return sum * 1000 + w.calls * 100 + v.size() * 10 + u.back() + size(v, [&](int64_t x) { u.clear(); }); }";
    for call in ["a($0)", "b($0)", "c($0)", "d($0)", "e($0)", "f($0)", "g($0)", "h($0)"] {
        stays_native(text, call, "one variable is passed for two references");
    }
    returns(text, "other($0)", &[(2, 12_418)]);
}

/// References see the changes that constructors, operators and member functions make, even if `?:` or a pointer selects
/// the object.
#[test]
fn references_see_changes_by_constructors_and_operators() {
    let text = "struct P { int64_t a; P(int64_t &x) : a(x) { ++x; } };
        struct W { int64_t k = 0; };
        static W &operator<<(W &w, int64_t x) { w.k += x; return w; }
        struct S { SmallVector<int64_t> a; void push_back(int64_t x) { a.push_back(x); } };
        int64_t declared(int64_t n) { int64_t m = n; const int64_t &r = m; P p(m); return r * 100 + m * 10 + p.a; }
        int64_t braces(int64_t n) { int64_t m = n; const int64_t &r = m; P p = {m}; return r * 10 + p.a; }
        int64_t emplaced(int64_t n) { int64_t m = n; const int64_t &r = m; SmallVector<P> all; all.emplace_back(m); return r * 10 + all[0].a; }
        int64_t streamed(int64_t n) { W w; const W &r = w; w << n; return r.k * 10 + w.k; }
        int64_t selected(int64_t n) { S s; s.push_back(1); SmallVector<int64_t> low, high; const SmallVector<int64_t> &l = low;
          for (int64_t i = 0; i < n; ++i) (i % 2 == 0 ? low : high).push_back(i); return l.size() * 10 + low.size(); }
        int64_t pointed(int64_t n) { SmallVector<int64_t> v; SmallVector<int64_t> *w = &v; w->push_back(n);
          P p(n); P *q = &p; q->a = 4; return v.size() * 10 + p.a; }";
    returns(text, "declared($0)", &[(3, 443)]);
    returns(text, "braces($0)", &[(3, 43)]);
    returns(text, "emplaced($0)", &[(3, 43)]);
    returns(text, "streamed($0)", &[(3, 33)]);
    returns(text, "selected($0)", &[(3, 22)]);
    returns(text, "pointed($0)", &[(3, 14)]);
}

#[test]
fn references_that_are_outside_the_language_stay_native() {
    let text = "struct W { SmallVector<int64_t> all; const SmallVector<int64_t> &get() const { return all; }
          void add(int64_t x) { all.push_back(x); }
          int64_t run() { const SmallVector<int64_t> &v = get(); add(1); add(2); return v.size(); } };
        static const SmallVector<int64_t> &first(const SmallVector<int64_t> &a) { return a; }
        int64_t a(int64_t n) { W w; return w.run(); }
        int64_t b(int64_t n) { SmallVector<int64_t> x, y; const SmallVector<int64_t> &v = n > 0 ? x : y; x.push_back(1); return v.size(); }
        int64_t c(int64_t n) { SmallVector<int64_t> x; const SmallVector<int64_t> &v = first(x); x.push_back(1); return v.size(); }
        int64_t d(int64_t n) { SmallVector<int64_t> x, y; SmallVector<int64_t> *v = &x; v->push_back(1); v = &y; return v->size(); }";
    for call in ["a($0)", "b($0)", "c($0)"] {
        stays_native(text, call, "a reference to a changing variable");
    }
    stays_native(text, "d($0)", "a pointer to several variables");
}

#[test]
fn views_of_changing_variables_stay_native() {
    let text = "struct S { ArrayRef<int64_t> r; S(ArrayRef<int64_t> x) : r(x) {} };
        static ArrayRef<int64_t> whole(ArrayRef<int64_t> x) { return x; }
        int64_t mapped(int64_t n) { SmallVector<int64_t> v{1, 2}; int64_t k = 1; auto r = llvm::map_range(v, [&](int64_t e) { return e * k; }); k = n; return *r.begin(); }
        int64_t reversed(int64_t n) { SmallVector<int64_t> v{1, 2}; auto r = llvm::reverse(v); v[0] = n; return *r.begin(); }
        int64_t dropped(int64_t n) { SmallVector<int64_t> v{1, 2}; auto r = ArrayRef(v).drop_front(1); v[1] = n; return r[0]; }
        int64_t member(int64_t n) { SmallVector<int64_t> v{1, 2}; S s(v); v[0] = n; return s.r[0]; }
        int64_t returned(int64_t n) { SmallVector<int64_t> v{1, 2}; auto r = whole(v); v[0] = n; return r[0]; }
        int64_t paired(int64_t n) { SmallVector<int64_t> v{1, 2}; std::pair<ArrayRef<int64_t>, int64_t> p{v, 1}; v[0] = n; return p.first[0]; }
        int64_t fixed(int64_t n) { SmallVector<int64_t> v{1, 2}; v.push_back(n); auto r = llvm::map_range(v, [&](int64_t e) { return e * n; });
          int64_t k = 1; auto d = ArrayRef(v).drop_front(k); k = 5; S s(v); return *r.begin() + d[1] + s.r[0]; }";
    for call in ["mapped($0)", "reversed($0)", "dropped($0)", "member($0)", "returned($0)", "paired($0)"] {
        stays_native(text, call, "changing variable");
    }
    returns(text, "fixed($0)", &[(3, 7)]);
}

/// The elements of `zip` and `enumerate` are references.
#[test]
fn changes_of_zipped_elements_change_the_ranges() {
    let text = "static void twice(int64_t &x) { x *= 2; }
        static int64_t next(int64_t x) { return x + 1; }
        int64_t a(int64_t n) { SmallVector<int64_t> v{1, 2}, w{5, 5}; for (auto [p, q] : llvm::zip(v, w)) p += q; return v[0]; }
        int64_t b(int64_t n) { SmallVector<int64_t> v{1, 2}; for (auto [i, e] : llvm::enumerate(v)) twice(e); return v[0]; }
        int64_t c(int64_t n) { SmallVector<int64_t> v{1, 2}; for (auto en : llvm::enumerate(v)) en.value() = en.index(); return v[0]; }
        int64_t d(int64_t n) { SmallVector<int64_t> v{1, 2}, w{5, 5}; int64_t sum = 0; for (auto [p, q] : llvm::zip(v, w)) sum += next(p) * q; return sum; }";
    returns(text, "c($0)", &[(3, 0)]);
    returns(text, "a($0)", &[(3, 6)]);
    returns(text, "b($0)", &[(3, 2)]);
    returns(text, "d($0)", &[(3, 25)]);
}

#[test]
fn each_declarator_can_be_a_reference() {
    let text = "static const char *const names[] = {\"a\", \"bcd\"};
        int64_t f(int64_t n) { int64_t m = n; int64_t &a = n, b = m, &c = m; a += 1; b += 10; c += 100; return n * 1000 + m + b; }
        int64_t g(int64_t n) { return StringRef(names[n]).size(); }
        int64_t h(int64_t n) {
          llvm::StringMap<int64_t> counts;
          counts[\"x\"] = n; counts[\"y\"] = 2;
          auto it = counts.find(\"x\");
          int64_t before = it->getValue() + it->getKey().size();
          counts.erase(it);
          return before * 10 + counts.size();
        }";
    returns(text, "f($0)", &[(1, 2_000 + 101 + 11)]);
    returns(text, "g($0)", &[(0, 1), (1, 3)]);
    returns(text, "h($0)", &[(4, 51)]);
}

#[test]
fn references_and_pointers_change_variables_of_the_caller() {
    returns(
        "static bool split(int64_t n, int64_t &high, int64_t *low) { high = n / 10; *low = n % 10; return n >= 10; }
         int64_t swapped(int64_t n) { int64_t a, b = 0; if (!split(n, a, &b)) return -1; return b * 10 + a; }",
        "swapped($0)",
        &[(42, 24), (7, -1)],
    );
    returns(
        "void squares(llvm::SmallVectorImpl<int64_t> &v, int64_t n) { for (int i = 0; i < n; ++i) v.push_back(i * i); }
         int64_t last(int64_t n) { SmallVector<int64_t> v; squares(v, n); v[0] = 100; return v.back() + v.front() + v.size(); }",
        "last($0)",
        &[(4, 113)],
    );
}

#[test]
fn references_denote_variables() {
    returns("int64_t f(int64_t n) { int64_t &m = n; n = 3; return m; }", "f($0)", &[(1, 3)]);
    returns(
        "int64_t f(int64_t n) {
           SmallVector<int64_t> v = {n, 2, 3};
           for (auto &x : v) x *= 10;
           auto &last = v.back(); last += 1; v.front() = 7; v[1]++;
           return v[0] * 10000 + v[1] * 100 + v[2];
         }",
        "f($0)",
        &[(5, 72_131)],
    );
    // A copy keeps its value. An ArrayRef may refer to a variable that changed before the ArrayRef was made, but not
    // to a variable that changes later.
    returns(
        "int64_t f(int64_t n) { SmallVector<int64_t> v; v.push_back(n); ArrayRef<int64_t> r(v); auto w = v; w[0] = 1; return r[0]; }",
        "f($0)",
        &[(9, 9)],
    );
    returns(
        "static void add(SmallVectorImpl<int64_t> &v, int64_t &n) { v.push_back(n); n++; }
         int64_t f(int64_t n) { std::pair<SmallVector<int64_t>, int64_t> p; p.second = n; add(p.first, p.second); add(p.first, p.second);
           return p.first[0] * 100 + p.first[1] * 10 + p.second; }",
        "f($0)",
        &[(3, 345)],
    );
}

#[test]
fn captures_by_value_are_copies_and_captures_by_reference_are_not() {
    returns(
        "int64_t f(int64_t n) { auto g = [n](int64_t m) { return n * 10 + m; }; n = 1; return g(n); }",
        "f($0)",
        &[(4, 41)],
    );
    returns(
        "int64_t f(int64_t n) { auto g = [&](int64_t m) -> int8_t { return n + m; }; n = 200; { int64_t n = 9; return g(n); } }",
        "f($0)",
        &[(4, -47)],
    );
}

#[test]
fn lambdas_change_their_arguments() {
    returns(
        "int64_t f(int64_t n) {
           SmallVector<int64_t> v = {n, 7};
           auto twice = [](int64_t &x, int64_t by) { x *= by; };
           twice(n, 2); twice(v[1], n);
           return v[0] * 1000 + v[1] + n;
         }",
        "f($0)",
        &[(1, 1016), (3, 3048)],
    );
    // A lambda that changes an argument is outside the language if it is passed to a function.
    stays_native(
        "template <typename F> int64_t apply(int64_t x, F f) { f(x); return x; }
         int64_t g(int64_t n) { return apply(n, [](int64_t &x) { x = 1; }); }",
        "g($0)",
        "a lambda that changes an argument",
    );
}

#[test]
fn a_symbol_binds_to_a_reference_that_is_not_changed() {
    returns("int64_t twice(int64_t &n) { return 2 * n; }", "twice($0)", &[(4, 8)]);
    stays_native(
        "int64_t increment(int64_t &n) { n += 1; return n; }",
        "increment($0)",
        "does not take the arguments",
    );
}

#[test]
fn captures_by_reference_with_an_initialiser_stay_native() {
    let text =
        "int64_t f(int64_t n) { int64_t x = 1; auto g = [&m = x]() { m += n; return m; }; return g() + x; }
        int64_t h(int64_t n) { auto g = [&n, x = 2]() { return n + x; }; n = 5; return g(); }";
    stays_native(text, "f($0)", "[&x = …]");
    returns(text, "h($0)", &[(1, 7)]);
}

/// A reference to the result of an assignment, a cast or an algorithm denotes a variable, which can change later.
#[test]
fn references_to_lvalues_see_later_changes() {
    let body = |start: &str| format!("int64_t f(int64_t n) {{ int64_t a = n, lo = 0, hi = 100; {start} }}");
    let cases = [
        ("const int64_t &r = ++a; a += 50; return r;", 58),
        ("const int64_t &r = (a += 1); a += 50; return r;", 58),
        ("const int64_t &r = (a = 3); a += 50; return r;", 53),
        ("const int64_t &r = std::clamp(a, lo, hi); a += 50; return r;", 57),
        ("const int64_t &r = static_cast<const int64_t &>(a); a += 50; return r;", 57),
        ("const int64_t &r = (const int64_t &)a; a += 50; return r;", 57),
        ("const int64_t &r = {a}; a += 50; return r;", 57),
        ("SmallVector<int64_t> v{1, n}; const int64_t &r = *llvm::max_element(v); v[1] += 50; return r;", 57),
        ("SmallVector<int64_t> v{1, n}; const int64_t &r = *llvm::find(v, n); v[1] += 50; return r;", 57),
        ("SmallVector<int64_t> v{1, n}; const int64_t &r = *std::next(v.begin()); v[1] += 50; return r;", 57),
        ("SmallVector<int64_t> v{1, n}; const int64_t &r = llvm::ArrayRef<int64_t>(v)[1]; v[1] += 50; return r;", 57),
        ("auto g = [](int64_t &x) -> int64_t & { return x; }; const int64_t &r = g(a); a += 50; return r;", 57),
        ("auto g = [&](const int64_t &x) { a += 50; return x; }; return g(++a);", 58),
        (
            "SmallVector<std::pair<int64_t, int64_t>> v{{1, n}, {2, 3}};
             auto &[x, y] = *llvm::find_if(v, [](auto p) { return p.first == 2; }); y = 50; return v[1].second;",
            50,
        ),
        (
            "SmallVector<std::pair<int64_t, int64_t>> v{{1, n}, {2, 3}};
             const auto &[x, y] = *std::next(v.begin()); v[1].second = 50; return y;",
            50,
        ),
        (
            "SmallVector<std::pair<int64_t, int64_t>> v{{1, n}, {2, 3}};
             auto &[x, y] = *v.begin(); v[0].second += 50; return y;",
            57,
        ),
        (
            "SmallVector<std::pair<int64_t, int64_t>> v{{1, n}, {2, 3}};
             auto it = v.begin(); const int64_t &r = it->second; v[0].second += 50; return r;",
            57,
        ),
        ("SmallVector<int64_t> v{1, n}; const int64_t &r = *llvm::drop_begin(v, 1).begin(); v[1] += 50; return r;", 57),
        (
            "auto g = [&]() -> int64_t & { return a; }; auto h = g; const int64_t &r = h(); a += 50; return r;",
            57,
        ),
    ];
    let mut lowered = 0;
    for (start, want) in cases {
        match number(&body(start), "f($0)", 7) {
            Ok(got) => {
                assert_eq!(got, want, "{start}");
                lowered += 1;
            }
            Err(reason) => {
                assert!(reason.contains("changing variable") || reason.contains("reference"), "{reason}")
            }
        }
    }
    println!("{lowered} of {} functions are in the language", cases.len());
    // The same references to variables that do not change later.
    returns(&body("const int64_t &r = std::clamp(a, lo, hi); return r;"), "f($0)", &[(7, 7), (200, 100)]);
    returns(&body("const int64_t &r = ++a; return r;"), "f($0)", &[(7, 8)]);
    returns(
        &body("SmallVector<int64_t> v{1, n}; const int64_t &r = *llvm::max_element(v); return r;"),
        "f($0)",
        &[(7, 7)],
    );
}

/// A loop or an algorithm over a set without an order is outside the language if its effect depends on the order.
#[test]
fn effects_that_depend_on_an_unstated_order_stay_native() {
    let text = "struct C { int64_t m = -100; bool isLarger(int64_t x) { if (x > m) { m = x; return true; } return false; } };
        int64_t a(int64_t n) { std::unordered_set<int64_t> s; s.insert(3); s.insert(-1); int64_t r = 0; for (int64_t x : s) r += x * 0.5; return r; }
        int64_t b(int64_t n) { std::unordered_set<int64_t> s; s.insert(3); int64_t r = 0; int64_t &q = r; for (int64_t x : s) r += x + q; return r; }
        int64_t c(int64_t n) { std::unordered_set<int64_t> s; s.insert(1); s.insert(3); int64_t r = 0;
          llvm::any_of(s, [&](int64_t x) { r += x; return x == 3; }); return r; }
        int64_t d(int64_t n) { std::unordered_set<int64_t> s; s.insert(1); s.insert(3); int64_t r = 0;
          llvm::count_if(s, [&](int64_t x) { r = r * 10 + x; return true; }); return r; }
        int64_t e(int64_t n) { std::unordered_set<int64_t> s; s.insert(1); s.insert(3); C c; int64_t r = 0;
          for (int64_t x : s) if (c.isLarger(x)) r += 1; return r; }
        int64_t g(int64_t n) { std::unordered_set<double> s; s.insert(1.5); int64_t r = 0; for (auto x : s) r += x; return r; }
        int64_t h(int64_t n) noexcept(true) { std::unordered_set<int64_t> s; s.insert(1); s.insert(n); int64_t r = 0;
          for (int64_t x : s) r += x * 2; return r + llvm::count_if(s, [&](int64_t x) { int64_t y = x; y += n; return y > 3; }); }
        struct F { double d = 0.5; };
        int64_t j(int64_t n) { std::unordered_set<int64_t> s; s.insert(1); F f; int64_t r = 0; for (int64_t x : s) r += x * f.d; return r; }
        int64_t k(int64_t n) { std::unordered_set<int64_t> s; s.insert(1); llvm::DenseMap<int64_t, double> m; m[1] = 0.5; int64_t r = 0; for (int64_t x : s) r += x * m[1]; return r; }
        int64_t l(int64_t n) { std::unordered_set<int64_t> s; s.insert(1); bool r = false; for (int64_t x : s) r ^= x; return r; }
        int64_t i(int64_t n) { std::unordered_set<int64_t> s; s.insert(1); s.insert(n); int64_t numFloats = 0; double half = 0.5;
          for (int64_t x : s) if (x > half) ++numFloats;
          return numFloats * 10 + llvm::any_of(s, [&](int64_t x) { for (int64_t i = 0; i < 3; ++i) if (x == i) return true; return false; }); }";
    for call in ["a($0)", "b($0)", "c($0)", "d($0)", "e($0)", "g($0)", "j($0)", "k($0)", "l($0)"] {
        stays_native(text, call, "order");
    }
    returns(text, "h($0)", &[(3, 10)]);
    returns(text, "i($0)", &[(3, 21)]);
}

/// A const reference to a variable sees the change that another argument makes.
#[test]
fn arguments_that_change_other_arguments_stay_native() {
    let text = "struct P { int64_t x = 1, y = 2; };
        static int64_t pick(const int64_t &a, const int64_t &b) { return a * 10 + b; }
        int64_t a(int64_t n) { int64_t x = n; return std::min(x, ++x); }
        int64_t b(int64_t n) { P p; return pick(p.y, (++p.y)); }
        int64_t c(int64_t n) { int64_t x = n; return std::clamp(x, x -= 1, n); }
        int64_t d(int64_t n) { int64_t x = n, y = 1; return pick(x, ++y) + std::max(x, ++y) * 100; }";
    for call in ["a($0)", "b($0)", "c($0)"] {
        stays_native(text, call, "a reference to a changing variable");
    }
    returns(text, "d($0)", &[(3, 332)]);
}

/// The values are those of g++.
#[test]
fn exchange_returns_the_old_value() {
    let text = "struct P { int64_t x = 1; bool set = false; };
        int64_t variable(int64_t n) { int64_t a = n; int64_t b = std::exchange(a, 7); return a * 10 + b; }
        int64_t element(int64_t n) { SmallVector<int64_t> v{n, 2, 3}; int64_t x = std::exchange(v[1], n + 5); return x * 10 + v[1]; }
        int64_t member(int64_t n) { P p; bool first = std::exchange(p.set, true), second = std::exchange(p.set, true); return first * 10 + second + std::exchange(p.x, n) * 100; }
        int64_t range(int64_t n) { SmallVector<int64_t> v{n, 2}, w{5}; SmallVector<int64_t> x = std::exchange(v, w); return x.size() * 100 + v.size() * 10 + x[0]; }";
    returns(text, "variable($0)", &[(3, 73), (-5, 65)]);
    returns(text, "element($0)", &[(3, 28), (-5, 20)]);
    returns(text, "member($0)", &[(3, 101)]);
    returns(text, "range($0)", &[(3, 213), (-5, 205)]);
}
