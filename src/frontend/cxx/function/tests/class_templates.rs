//! Tests of static functions of class templates. The expected values are those of the programs that g++ compiles.

use super::{returns, stays_native};

#[test]
fn functions_of_class_templates_are_called() {
    let text = "
      template <typename T> struct Impl;
      template <> struct Impl<double> { static int64_t eval(int64_t a, int64_t b) { return a + b; } };
      template <> struct Impl<bool> {
        static int64_t eval(int64_t a, int64_t b) { return a - b; }
        static int64_t eval(int64_t a) { return 7 * a; }
      };
      template <typename T> static int64_t apply(int64_t a, int64_t b) { using I = Impl<T>; return I::eval(a, b); }
      template <int64_t N> struct Scale { static int64_t of(int64_t x) { return N * x; } };
      template <> struct Scale<3> { static int64_t of(int64_t x) { return -x; } };
      template <typename T, typename U = T> struct Conv {
        static T half(int64_t x) { return static_cast<T>(x) / 2; }
        static int64_t twice(int64_t x) { return half(x) * 4; }
        template <typename V> static V as(T x) { return static_cast<V>(x) / 2; }
      };
      using Exact = Conv<double>;
      int64_t f(int64_t n) { return apply<double>(n, 2) * 100 + Impl<bool>::eval(n, 2) * 10 + Impl<bool>::eval(n); }
      int64_t g(int64_t n) { return Scale<2>::of(n) * 1000 + Scale<2>::of(n) * 100 + Scale<3>::of(n); }
      int64_t h(int64_t n) {
        return Exact::twice(n) * 10000 + Conv<int64_t>::twice(n) * 100 + Exact::as<double>(n) * 10 + Conv<int64_t>::as<int64_t>(n);
      }";
    returns(text, "f($0)", &[(5, 765), (-1, 63)]);
    returns(text, "g($0)", &[(3, 6_597)]);
    returns(text, "h($0)", &[(5, 100_827)]);
}

#[test]
fn partial_specialisations_stay_natives() {
    let text = "
      template <typename T, typename U> struct P { static int64_t f(int64_t n) { return n; } };
      template <typename T> struct P<T, bool> { static int64_t f(int64_t n) { return -n; } };
      int64_t f(int64_t n) { return P<int64_t, bool>::f(n); }";
    stays_native(text, "f($0)", "a partial specialisation of a class template");
}
