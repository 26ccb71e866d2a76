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
