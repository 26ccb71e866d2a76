//! Tests of functions as arguments, and of constructors of elements. The expected values are those of the programs that
//! g++ compiles.

use super::{returns, stays_native};

#[test]
fn functions_are_arguments_and_elements_are_constructed() {
    let text = "
      int64_t f(int64_t n) { int64_t s = 0; for (auto i : llvm::seq(n)) s += i; for (int i : llvm::seq<int64_t>(4)) s = s * 10 + i; return s; }
      int64_t g(int64_t n) { SmallVector<APInt> v; v.emplace_back(8, n); v.emplace_back(1, n == 7 ? 0 : 1); std::vector<std::string> w; w.emplace_back(n, 'a');
        return (v[0].getZExtValue() * 10 + v[1].getBitWidth()) * 100 + v[1].getZExtValue() * 10 + w[0].size(); }
      int64_t h(int64_t n) { APFloat x(llvm::APFloatBase::IEEEsingle(), 3); return x.convertToFloat() * 10 + APFloat(APFloatBase::IEEEdouble(), n).convertToDouble(); }
      int64_t i(int64_t n) { SmallVector<int64_t> v{1,-2,3}; int64_t c = 0;
        llvm::for_each(v, [n](int64_t &d) { d = d < 0 ? d + n : d; });
        llvm::for_each(v, [&](auto &d) { d += c; c++; });
        int64_t s = 0; for (int64_t x : v) s = s * 10 + x; return s; }
      int64_t j(int64_t n) { SmallVector<APInt> v{APInt(8, n), APInt(8, 0)}; return llvm::count_if(v, std::mem_fn(&APInt::isZero)) * 10 + llvm::none_of(v, std::mem_fn(&APInt::isZero)); }
      static int64_t use(llvm::function_ref<int64_t(int64_t)> h, int64_t n) { return h(n); }
      template <typename F> static int64_t twice(F h, int64_t n) { return h(h(n)); }
      int64_t k(int64_t n) { return use(llvm::function_ref<int64_t(int64_t)>([](int64_t x) { return x + 1; }), n) * 1000
        + twice(std::function<uint8_t(int64_t)>([](int64_t x) { return x + 250; }), n); }";
    returns(text, "f($0)", &[(7, 210_123), (3, 30_123)]);
    returns(text, "g($0)", &[(7, 7_107), (3, 3_113)]);
    returns(text, "h($0)", &[(7, 37), (300, 330)]);
    returns(text, "i($0)", &[(7, 165), (300, 3_095)]);
    returns(text, "j($0)", &[(7, 10)]);
    returns(text, "k($0)", &[(7, 8_251), (300, 301_032)]);
    // A rule can pass a function of the files to another one.
    let text = "static int64_t add(int64_t n) { return n + 1; }
      template <typename F> static int64_t apply(int64_t n, F &&fn) { return fn(n) * 10; }";
    returns(text, "apply($0, add)", &[(4, 50)]);
}

#[test]
fn loops_over_copies_and_unnamed_reference_parameters_stay_natives() {
    let text = "int64_t f(int64_t n) { SmallVector<int64_t> v{n, 2}; llvm::for_each(v, [v](int64_t &d) { d = v[0]; }); return v[1]; }
      int64_t g(int64_t n) { std::function<void(int64_t &)> h = [](int64_t &x) { ++x; };
        auto k = std::function<void(int64_t &)>([](int64_t &x) { ++x; }); k(n); return n; }";
    stays_native(text, "f($0)", "a lambda that changes an argument");
    stays_native(text, "g($0)", "a function with a reference parameter that has no name");
}

#[test]
fn objects_with_a_call_operator_are_called() {
    let text = "
      struct Add { int64_t by; int64_t operator()(int64_t a) const { return a + by; } };
      struct Pair { Add first, second; int64_t run(int64_t n) const { return first(n) * 100 + second(n); } };
      struct Scale { int64_t by; Scale(int64_t k) : by(k) {} int64_t operator()(int64_t a) { return a * by; } };
      struct Acc { int64_t k = 0; void operator()(int64_t a, int64_t &out) { k += a; out += k; } };
      struct Mul { template <typename T> T operator()(const T &a, const T &b) const { return a * b; } };
      struct Less { bool operator()(int64_t a, int64_t b) const { return a > b; } };
      struct less { bool operator()(int64_t a, int64_t b) const { return a > b; } };
      struct IsBig { bool operator()(int64_t a) const { return a > 4; } };
      int64_t f(int64_t n) { Scale s(3); Pair p{{1}, {2}}; return (Scale(2)(n) * 100 + s(n)) * 10000 + p.run(n) + p.first(n); }
      int64_t g(int64_t n) { Acc c; int64_t o = 0; c(n, o); c(2, o); for (int64_t i : {1, 2}) c(i, o); return c.k * 1000 + o; }
      int64_t h(int64_t n) { Mul m; return m(n, int64_t(5)) + Mul{}(APInt(8, n & 15), APInt(8, 3)).getZExtValue(); }
      int64_t i(int64_t n) { SmallVector<int64_t> v{1, 5, n}; int64_t big = llvm::count_if(v, IsBig()) * 10 + llvm::any_of(v, IsBig{});
        llvm::sort(v, Less()); return big * 1000 + v[0] * 100 + v[1] * 10 + v[2]; }
      int64_t j(int64_t n) { SmallVector<int64_t> v{1, 5, n}; llvm::sort(v, less()); return v[0] * 100 + v[1] * 10 + v[2] + 1000 * less()(1, 2); }";
    returns(text, "f($0)", &[(7, 14_210_817), (-5, -10_150_407)]);
    returns(text, "g($0)", &[(7, 12_038), (3, 8_022), (-5, -10)]);
    returns(text, "h($0)", &[(7, 56), (3, 24), (-5, 8)]);
    returns(text, "i($0)", &[(7, 21_751), (3, 11_531)]);
    returns(text, "j($0)", &[(7, 751), (-5, 505)]);
}

#[test]
fn classes_of_function_objects_are_template_arguments() {
    let text = "
      template <typename Cmp> struct Fold { Fold() = default;
        APInt operator()(const APInt &l, const APInt &r) { return APInt(1, Cmp()(l, r)); } };
      struct Sge { bool operator()(const APInt &l, const APInt &r) const { return l.sge(r); } };
      template <typename F> static int64_t fold(const APInt &a, const APInt &c) { return F()(a, c).getZExtValue(); }
      template <typename F> static int64_t use(int64_t n) { F f; return f(n, 2) * 10 + F()(n, 3) + F{}(n, 3); }
      template <typename F> static int64_t apply(F f, int64_t n) { return f(n, n); }
      int64_t f(int64_t n) { APInt x(8, n, true), y(8, 3);
        return fold<Fold<std::equal_to<APInt>>>(x, y) + 10 * fold<Fold<Sge>>(x, y) + 100 * fold<Fold<std::not_equal_to<>>>(x, y); }
      int64_t g(int64_t n) { return use<std::plus<int64_t>>(n) * 100 + use<std::multiplies<>>(n) + use<std::less<int64_t>>(n) * 10000; }
      int64_t h(int64_t n) { std::less<int64_t> l; std::plus<> p; std::minus<int8_t> m; auto x = std::multiplies<>();
        return l(n, 4) + p(n, 1) * 10 + m(n * 50, 1) * 1000 + x(n, 3) * 1000000; }
      template <typename T> struct Mul { T operator()(const T &a, const T &b) const { return a * b; } };
      template <typename T> struct Box { int64_t k = 2; T scaled(int64_t x) { k += 1; return x * k; }
        int64_t twice(int64_t x) { return scaled(x) + scaled(x); } };
      int64_t i(int64_t n) { Mul<int8_t> m; auto k = Mul<int16_t>();
        return m(n, 100) * 100000 + k(n * 1000, 300) + Mul<APInt>()(APInt(8, n & 15), APInt(8, 3)).getZExtValue(); }
      int64_t j(int64_t n) { Box<int8_t> x; Box<int64_t> y; return x.scaled(n * 20) * 100000 + y.twice(n * 20) * 10 + y.k; }
      int64_t k(int64_t n) { return apply(Mul<int8_t>(), n * 10); }";
    returns(text, "f($0)", &[(7, 110), (3, 11), (-5, 100)]);
    returns(text, "g($0)", &[(7, 11_182), (3, 6_278), (-5, 116_470)]);
    returns(text, "h($0)", &[(7, 21_093_080), (3, 8_893_041), (-5, -14_995_039)]);
    returns(text, "i($0)", &[(7, -6_797_131), (3, 4_382_505), (-5, 1_207_361)]);
    returns(text, "j($0)", &[(7, -9_190_196), (3, -7_595_796), (-5, -4_406_996)]);
    // The type of the parameter does not contain the template arguments.
    stays_native(text, "k($0)", "a member function of a class template whose arguments are not known");
}

#[test]
fn results_of_functions_are_converted_to_the_types_of_signatures() {
    let text = "
      static int64_t use(llvm::function_ref<APInt(const APInt &, const APInt &)> f, int64_t n) {
        APInt r = f(APInt(16, n, true), APInt(16, 2)); return r.getSExtValue() + 1000 * r.getBitWidth(); }
      static int64_t opt(std::function<std::optional<APInt>(APInt, APInt)> f, int64_t n) {
        auto r = f(APInt(16, n, true), APInt(16, 4)); return r ? r->getSExtValue() : -100; }
      static int64_t fail(llvm::function_ref<FailureOr<int64_t>(int64_t)> f, int64_t n) { auto r = f(n); return succeeded(r) ? *r : -100; }
      struct Sub { APSInt operator()(const APInt &a, const APInt &c) const { return APSInt(a - c, true); } };
      struct Div { std::optional<APInt> operator()(APInt a, APInt c) const { if (a.slt(c)) return std::nullopt; return a.sdiv(c); } };
      int64_t f(int64_t n) { return use([](const APInt &a, const APInt &c) { return APSInt(a * c, false); }, n); }
      int64_t g(int64_t n) { return use(Sub(), n) - 16000; }
      int64_t h(int64_t n) { std::function<std::optional<APInt>(APInt, APInt)> g = [](APInt a, APInt c) { return APSInt(a, true); };
        return opt(Div(), n) + 1000 * opt([](APInt a, APInt c) { return APSInt(a - c); }, n)
          + g(APInt(8, n, true), APInt(8, 1))->getSExtValue() * 100000; }
      int64_t i(int64_t n) { return fail([](int64_t a) -> FailureOr<int64_t> { if (a < 4) return failure(); return a; }, n)
          + 1000 * fail([](int64_t a) { return int(a); }, n) + 100000 * fail([](int64_t a) { return failure(); }, n); }";
    returns(text, "f($0)", &[(7, 16_014), (3, 16_006), (-5, 15_990)]);
    returns(text, "g($0)", &[(7, 5), (3, 1), (-5, -7)]);
    returns(text, "h($0)", &[(7, 703_001), (3, 298_900), (-5, -509_100)]);
    returns(text, "i($0)", &[(7, -9_992_993), (3, -9_997_100), (-5, -10_005_100)]);
}

#[test]
fn objects_that_change_are_no_arguments() {
    let text = "
      struct Add { int64_t by; int64_t operator()(int64_t a) const { return a + by; } };
      struct Acc { int64_t k = 0; int64_t operator()(int64_t a) { k += a; return k; } };
      static int64_t use(llvm::function_ref<int64_t(int64_t)> f) { return f(1); }
      int64_t f(int64_t n) { Add a{n}; a.by = 2; return use(a); }
      int64_t g(int64_t n) { Acc a; return use(a) + a.k; }";
    stays_native(text, "f($0)", "an argument that is an object that changes");
    stays_native(text, "g($0)", "an argument that is an object whose 'operator()' is not const");
}
