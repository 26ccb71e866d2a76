//! Tests of the choice of the function that a call denotes.

use super::{number, pair_of, returns, stays_native};

#[test]
fn names_of_functions_are_predicates() {
    let text = "int64_t h(int64_t n) {
          SmallVector<int64_t> low, high;
          for (int64_t i = 0; i < n; ++i) (i % 3 == 0 ? low : high).push_back(i);
          return low.size() * 100 + high.size() * 10 + low.back();
        }
        static bool isOdd(int64_t n) { return n % 2 != 0; }
        static int64_t twice(int64_t n) { return 2 * n; }
        int64_t f(int64_t n) { SmallVector<int64_t> v = {n, 3, 4}; return llvm::count_if(v, isOdd); }
        int64_t g(int64_t n) {
          SmallVector<int64_t> v = {n, ShapedType::kDynamic};
          SmallVector<int64_t> w = {n, 1};
          return llvm::any_of(v, ShapedType::isDynamic) + llvm::to_vector(llvm::map_range(w, twice)).front();
        }";
    returns(text, "f($0)", &[(1, 2), (2, 1)]);
    returns(text, "g($0)", &[(5, 11)]);
    returns(text, "h($0)", &[(8, 356)]);
}

#[test]
fn functions_call_functions_and_lambdas() {
    returns("int64_t fib(int64_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }", "fib($0)", &[(10, 55)]);
    returns(
        "bool isOdd(int64_t n); bool isEven(int64_t n) { if (n == 0) return true; return isOdd(n - 1); }
         bool isOdd(int64_t n) { if (n == 0) return false; return isEven(n - 1); }",
        "isEven($0) ? 1 : 0",
        &[(6, 1), (7, 0)],
    );
    returns(
        "static int64_t apply(int64_t n, llvm::function_ref<int64_t(int64_t)> f) { return f(f(n)); }
         int64_t twice(int64_t n) { int64_t by = 3; return apply(n, [&](int64_t x) { return x * by; }); }",
        "twice($0)",
        &[(2, 18)],
    );
    returns(
        "template <typename F> int64_t count(int64_t n, F &&f) { int64_t c = 0; for (int64_t i = 0; i < n; i++) if (f(i)) ++c; return c; }
         int64_t threes(int64_t n) { return count(n, [](int64_t i) { return i % 3 == 0; }); }",
        "threes($0)",
        &[(10, 4)],
    );
    returns("template <int N, typename T> T scaled(T x) { return x * N; }", "scaled<4>($0)", &[(5, 20)]);
    returns(
        "int64_t f(int64_t n, int64_t by = 2) { return n * by; } int64_t f(bool b) { return b ? 7 : 8; }",
        "f($0) + f($0, 10) + f(true)",
        &[(3, 43)],
    );
    returns(
        "namespace a { int64_t g(int64_t n) { return 1; } } namespace b { int64_t g(int64_t n) { return 2; } }",
        "b::g($0)",
        &[(0, 2)],
    );
}

#[test]
fn a_qualified_name_is_not_found_outside_of_its_namespace() {
    let message =
        number("int64_t f(int64_t n) { return 1; }", "other::f($0)", 1).expect_err("no such function");
    assert_eq!(message, "native: ");
}

#[test]
fn equal_signatures_are_ambiguous() {
    let text = "namespace a { int64_t f(int64_t n) { return 1; } } namespace b { int64_t f(int64_t n) { return 2; } }";
    let message = number(text, "f($0)", 1).expect_err("ambiguous");
    assert!(message.contains("helpers.cpp:1 and helpers.cpp:1"), "{message}");
    // Equal definitions count as one.
    returns(
        "namespace a { int64_t f(int64_t n) { return 1; } } namespace b { int64_t f(int64_t n) { return 1; } }",
        "f($0)",
        &[(0, 1)],
    );
}

#[test]
fn a_declaration_states_default_arguments() {
    let text = "namespace lib {
          int64_t scaled(const int64_t n, int64_t by = 3, bool negate = false);
          struct Options { int64_t base = 2; int64_t of(int64_t n, int64_t more = 5) const; };
        }
        using namespace lib;
        int64_t lib::scaled(int64_t n, int64_t by, bool negate) { return negate ? -n * by : n * by; }
        int64_t Options::of(int64_t n, int64_t more) const { return n * base + more; }
        int64_t first(int64_t n) { return scaled(n); }
        int64_t second(int64_t n) { return lib::scaled(n, 4) + scaled(n, 1, true); }
        int64_t third(int64_t n) { Options options; return options.of(n) + options.of(n, 100); }";
    returns(text, "first($0)", &[(0, 0), (7, 21)]);
    returns(text, "second($0)", &[(7, 21), (-5, -15)]);
    returns(text, "third($0)", &[(1, 109)]);
}

#[test]
fn declarations_with_different_default_arguments_state_none() {
    let text = "int64_t f(int64_t n, int64_t by = 3);
        int64_t f(int64_t n, int64_t by = 4);
        int64_t f(int64_t n, int64_t by) { return n * by; }";
    stays_native(text, "f($0)", "it does not take the arguments");
    returns(text, "f($0, 2)", &[(7, 14)]);
    for other in [
        "int64_t f(double n, int64_t by = 5);",
        "namespace lib { int64_t f(int64_t n, int64_t by = 5); }",
        "struct C { int64_t f(int64_t n, int64_t by = 5); };",
        "template <typename T> int64_t f(int64_t n, int64_t by = 5);",
    ] {
        let text = format!("{other}\nint64_t f(int64_t n, int64_t by) {{ return n * by; }}");
        stays_native(&text, "f($0)", "it does not take the arguments");
    }
    let text = "int64_t f(ArrayRef<int32_t> v, int64_t by = 5);
        int64_t f(ArrayRef<int64_t> v, int64_t by) { return v[0] * by; }
        int64_t g(int64_t n) { SmallVector<int64_t> v{n}; return f(v); }";
    stays_native(text, "g($0)", "it does not take the arguments");
}

#[test]
fn an_unknown_template_argument_is_named() {
    let text = "template <typename OpTy> static bool all(Operation *op) { return isa<OpTy>(op); }
        int64_t f(int64_t n) { Operation *op = nullptr; return all<mine::AddOp>(op) ? n : 0; }";
    stays_native(text, "f($0)", "the type 'mine::AddOp' is not known");
}

#[test]
fn the_innermost_scope_decides_between_functions() {
    let text = "namespace a { int64_t f(int64_t n) { return 1; } }
        namespace b { int64_t f(int64_t n) { return 2; }
        int64_t g(int64_t n) { return f(n); }
        namespace c { int64_t h(int64_t n) { return f(n) + 10 * a::f(n); } } }";
    returns(text, "g($0)", &[(0, 2)]);
    returns(text, "h($0)", &[(0, 12)]);
}

#[test]
fn an_inner_function_hides_outer_ones_that_fit_better() {
    let text = "int64_t f(int64_t n) { return 1; }
        namespace a { int64_t f(double d) { return 2; } int64_t g(int64_t n) { return f(n) * 10 + ::f(n); } }";
    returns(text, "a::g($0)", &[(0, 21)]);
    // The functions of a used namespace count as functions of the innermost scope around both the namespace and the
    // `using`.
    let text = "namespace y { int64_t f(int64_t n) { return 1; } }
        using namespace y;
        namespace a { int64_t f(double d) { return 2; } int64_t g(int64_t n) { return f(n); } }
        namespace b { namespace z { int64_t f(double d) { return 3; } } using namespace z;
          int64_t g(int64_t n) { return f(n); } }
        namespace c { using y::f; int64_t g(int64_t n) { return f(n); } }
        namespace d { int64_t f(double d) { return 4; }
          namespace e { using y::f; int64_t g(int64_t n) { return f(n); } } }";
    returns(text, "a::g($0) * 1000 + b::g($0) * 100 + c::g($0) * 10 + d::e::g($0)", &[(0, 2_311)]);
    // Argument-dependent lookup finds a function in the namespace of the class.
    let text = "namespace y { struct P { int64_t k = 0; }; int64_t f(P p) { return 1; } }
        namespace a { int64_t f(y::P p, int64_t n = 0) { return 2; } int64_t h(double d) { return 3; }
          int64_t g(int64_t n) { y::P p; return f(p, n) * 10 + h(n); } }";
    returns(text, "a::g($0)", &[(0, 23)]);
    let text = "namespace y { struct P { int64_t k = 0; }; int64_t f(P p, int64_t n) { return 1; } }
        namespace a { int64_t f(y::P p, double d) { return 2; }
          int64_t g(int64_t n) { y::P p; return f(p, n); } }";
    returns(text, "a::g($0)", &[(0, 1)]);
}

/// Argument-dependent lookup for a text finds no functions in `a`. It finds functions in `llvm` for a `StringRef`, but
/// not for a `std::string`, and both classes have one static type.
#[test]
fn an_inner_function_hides_outer_ones_except_in_the_namespaces_of_the_arguments() {
    let text = "namespace a { int64_t f(StringRef s, int64_t n) { return 1; }
        namespace b { int64_t f(StringRef s, double d) { return 2; } int64_t g(int64_t n) { StringRef s = \"x\"; return f(s, n); } } }
        namespace llvm { int64_t h(StringRef s, int64_t n) { return 3; }
        namespace b { int64_t h(StringRef s, double d) { return 4; } int64_t k(int64_t n) { StringRef s = \"x\"; return h(s, n); } } }";
    returns(text, "g($0)", &[(0, 2)]);
    stays_native(text, "k($0)", "a choice between functions of several scopes");
}

#[test]
fn the_functions_of_std_have_overloads_if_a_file_uses_them_without_the_namespace() {
    let body = "int64_t f(int64_t n) { float x = n; double r = 1000.0 * sqrt(x); return int64_t(r * 1e9) % 100000 + abs(n * 10000000000); }";
    // The square root of 2.0f is 1.41421353816986083984375 in `float`, and 1.4142135623730951454746… in `double`.
    let in_float = 1_414_213_538_169 % 100_000;
    let in_double = 1_414_213_562_373 % 100_000;
    // Without `std`, 20,000,000,000 is converted to `int`: it becomes -1,474,836,480.
    returns(body, "f($0)", &[(2, in_double + 1_474_836_480)]);
    let whole = 20_000_000_000;
    returns(&format!("using namespace std;\n{body}"), "f($0)", &[(2, in_float + whole)]);
    returns(&format!("using std::abs;\n{body}"), "f($0)", &[(2, in_double + whole)]);
    returns(&format!("using std::abs;\nusing std::sqrt;\n{body}"), "f($0)", &[(2, in_float + whole)]);
    // In another namespace, the names have no effect.
    let text = format!("namespace a {{ using namespace std; using std::sqrt; }}\n{body}");
    returns(&text, "f($0)", &[(2, in_double + 1_474_836_480)]);
    let text = format!("namespace a {{ using std::abs; {body} }}");
    returns(&text, "a::f($0)", &[(2, in_double + whole)]);
    // The names of an inline namespace are also names of the namespace around it.
    let text = format!("namespace a {{ inline namespace v {{ using namespace std; }} {body} }}");
    returns(&text, "a::f($0)", &[(2, in_float + whole)]);
    // The names have an effect only after the `using`, and in its block.
    returns(&format!("{body}\nusing namespace std;"), "f($0)", &[(2, in_double + 1_474_836_480)]);
    let local = body.replace("return", "using namespace std; return");
    returns(&local, "f($0)", &[(2, in_double + whole)]);
    let local = body.replace("{ float", "{ { using namespace std; } float");
    returns(&local, "f($0)", &[(2, in_double + 1_474_836_480)]);
    let local = body.replace("{ float", "{ using namespace std; float");
    let other = "int64_t g(int64_t n) { return abs(n * 10000000000); }";
    returns(&format!("{local}\n{other}"), "f($0) + g($0)", &[(2, in_float + whole + 1_474_836_480)]);
}

/// The declaration of the called function determines the types of the `auto` parameters of a lambda.
#[test]
fn lambdas_take_the_types_of_the_declared_function() {
    returns(
        "static int64_t call(function_ref<int64_t(uint32_t)> g, uint32_t a) { return g(a); }
         int64_t f(int64_t n) { auto h = [](auto x) { return x - 9; }; return call([](auto x) { return x - 8; }, n) + call(h, n); }",
        "f($0)",
        &[(1, 8_589_934_577), (7, 8_589_934_589)],
    );
    returns(
        "static int64_t fold(ArrayRef<uint8_t> v, std::function<int64_t(int64_t, uint8_t)> g) { int64_t r = 0; for (auto x : v) r = g(r, x); return r; }
         int64_t f(int64_t n) { SmallVector<uint8_t> v{200, 100, uint8_t(n)}; return fold(v, [](auto a, auto b) { return a + b; }) * 1000 + fold(v, std::minus<>()); }",
        "f($0)",
        &[(1, 300_699), (7, 306_693)],
    );
}

/// The time is proportional to the square of the number of loops.
#[test]
fn many_loops_and_jumps_are_compiled_in_time() {
    use std::fmt::Write;
    let mut text =
        "int64_t f(int64_t n) { std::map<int64_t, int64_t> m{{1, 2}}; int64_t r = 0; auto it = m.find(1);"
            .to_owned();
    for k in 0..1200 {
        write!(
            text,
            " for (int64_t i = 0; i < 2; ++i) {{ if (i == n) {{ m[{k}] = 1; return 5; }} r += it->second; }}"
        )
        .expect("writing to a string succeeds");
    }
    text.push_str(" return r; }");
    let start = std::time::Instant::now();
    returns(&text, "f($0)", &[(2, 4800)]);
    assert!(start.elapsed() < std::time::Duration::from_secs(12), "{:?}", start.elapsed());
}

#[test]
fn interfaces_and_promotions_choose_as_in_cpp() {
    // A base class is better than an interface, to which C++ converts by a constructor.
    let text = "static int64_t g(Type) { return 1; } static int64_t g(ShapedType) { return 2; }
        static int64_t h(Attribute) { return 1; } static int64_t h(TypedAttr) { return 2; } static int64_t h(ElementsAttr) { return 3; }
        static int64_t i(Attribute) { return 1; } static int64_t i(IntegerAttr) { return 2; }
        static int64_t j(Type) { return 1; } static int64_t j(FloatType) { return 2; }
        int64_t f(Builder &b, int64_t n) {
          auto t = RankedTensorType::get({2}, b.getI8Type());
          auto d = DenseIntElementsAttr::get(t, ArrayRef<int8_t>{1, 2});
          return g(t) * 10000 + h(d) * 1000 + h(b.getI64IntegerAttr(n)) * 100 + i(b.getBoolAttr(true)) * 10 + j(b.getF32Type());
        }";
    returns(text, "f($_builder, $0)", &[(1, 11_112)]);
    // A promotion to `int` is better than a conversion.
    let text = "static int64_t g(int) { return 1; } static int64_t g(int64_t) { return 2; } static int64_t g(unsigned) { return 3; }
        template <typename T> static int64_t h(T) { return 1; } static int64_t h(int) { return 2; }
        int64_t f(int64_t n) { uint16_t s = n; bool b = n; return g(s) * 100 + g(b) * 10 + h(s); }";
    returns(text, "f($0)", &[(1, 111)]);
    // `char` and `int8_t` are different types in C++.
    let text = "static int64_t g(int8_t) { return 1; } static int64_t g(int) { return 2; }
        template <typename T> static int64_t h(T x) { return x; } template <> int64_t h<int8_t>(int8_t x) { return x + 1; }
        int64_t f(int64_t n) { return g('a'); } int64_t k(int64_t n) { return h('a'); }
        int64_t m(int64_t n) { return h<int8_t>(n) + g(7); }";
    stays_native(text, "f($0)", "'char' or 'int8_t'");
    stays_native(text, "k($0)", "'char' or 'int8_t'");
    returns(text, "m($0)", &[(3, 6)]);
}

#[test]
fn constants_of_other_source_files_are_invisible() {
    let files = [
        ("a.cpp", "static constexpr int64_t k = 1; int64_t f(int64_t n) { return k + n; }"),
        ("b.cpp", "static constexpr int64_t k = 2; int64_t g(int64_t n) { return k * 10 + shared + f(n); }"),
        ("c.h", "constexpr int64_t shared = 400;"),
        ("d.cpp", "int64_t h(int64_t n) { return k; }"),
    ];
    assert_eq!(pair_of(&files, "g($0)", 5, 0), Ok(426));
    let message = pair_of(&files, "h($0)", 5, 0).expect_err("no value");
    assert!(message.contains("'k' is neither in the library nor in the helper files"), "{message}");
}

#[test]
fn conversions_of_arguments_are_ranked_as_in_cpp() {
    // The values are those of g++.
    let text = "template <typename T> static int64_t a(const T &) { return 1; } static int64_t a(ArrayRef<int64_t>) { return 2; }
        template <typename T> static int64_t b(T) { return 1; } static int64_t b(StringRef) { return 2; }
        template <typename T> static int64_t c(T) { return 1; } static int64_t c(Value) { return 2; }
        template <typename T> static int64_t d(T) { return 1; } static int64_t d(std::vector<int64_t>) { return 2; }
        static int64_t e(SmallVector<int32_t>) { return 1; } static int64_t e(std::optional<ArrayRef<int64_t>>) { return 2; }
        template <typename T> static int64_t g(T) { return 1; } static int64_t g(const Twine &) { return 2; }
        static int64_t h(bool) { return 1; } static int64_t h(ArrayRef<Attribute>) { return 2; }
        static int64_t i(std::optional<int64_t>) { return 1; } static int64_t i(double) { return 2; }
        template <typename T> static int64_t k(ArrayRef<T>) { return 1; } static int64_t k(const SmallVectorImpl<int64_t> &) { return 2; }
        int64_t t(int64_t n) {
          SmallVector<int64_t> small{1, 2}; ArrayRef<int64_t> ref = small; std::string text = \"abc\"; StringRef view = text; int x = 1;
          int64_t all[] = {a(small), a(ref), b(text), b(view), d(small), e(small), g(view), i(x), k(ref), k(small)};
          return all[n];
        }
        template <typename T> static int64_t s() { return 0; } template <> int64_t s<std::string>() { return 1; }
        template <> int64_t s<StringRef>() { return 2; }
        int64_t strings(int64_t n) { return s<StringRef>() * 100 + s<std::string>() * 10 + s<llvm::StringRef>(); }
        template <typename T> static int64_t u(T) { return 1; } static int64_t u(StringRef) { return 2; }
        int64_t unknown(int64_t n) { return u(StringRef(\"ab\").split('b').first); }";
    let values = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2];
    for (given, want) in (0..).zip(values) {
        returns(text, "t($0)", &[(given, want)]);
    }
    returns(text, "strings($0)", &[(0, 212)]);
    stays_native(text, "unknown($0)", "several definitions of 'u' take these arguments");
}

#[test]
fn a_specialisation_that_the_preprocessor_may_exclude_is_refused() {
    let text = "template <typename T> static int64_t q() { return 1; }
#ifdef X
        template <> int64_t q<int>() { return 2; }
        static int64_t inside() { return q<int>(); }
#endif
        int64_t f(int64_t n) { return q<int>(); }
        int64_t g(int64_t n) { return q<bool>(); }";
    stays_native(text, "f($0)", "the preprocessor chooses between definitions of 'q'");
    returns(text, "inside()", &[(0, 2)]);
    returns(text, "g($0)", &[(0, 1)]);
}

/// The values are those of g++.
#[test]
fn the_class_of_an_argument_chooses_a_specialisation() {
    let text = "template <typename T> static int64_t of(const T &x) { return 1; }
        template <> int64_t of(const std::string &x) { return 2; }
        template <> int64_t of(const StringRef &x) { return 3; }
        template <typename T> static int64_t size(const T &x) { return 1; }
        template <> int64_t size(const SmallVector<int64_t> &x) { return 2; }
        static auto unknown(StringRef x) { return x; }
        int64_t strings(int64_t n) { std::string s = \"a\"; StringRef r = s; return of(s) * 100 + of(r) * 10 + of(n); }
        int64_t literal(int64_t n) { return of(\"a\"); }
        int64_t results(int64_t n) { return of(unknown(\"a\")); }
        int64_t ranges(int64_t n) { SmallVector<int64_t> v{n}; ArrayRef<int64_t> r = v; return size(v) * 10 + size(r); }";
    returns(text, "strings($0)", &[(3, 231)]);
    returns(text, "literal($0)", &[(3, 1)]);
    stays_native(text, "results($0)", "a choice of a specialisation by a class that is not known");
    returns(text, "ranges($0)", &[(3, 21)]);
    let text = "template <typename T> static int64_t lo(T x) { return 1; }
        template <> int64_t lo(long long x) { return 2; }
        template <> int64_t lo(long x) { return 3; }
        int64_t f(int64_t n) { long long a = n; return lo(a) * 10 + lo(n); }";
    stays_native(text, "f($0)", "a choice of a specialisation by a class that is not known");
}

#[test]
fn literals_and_numbers_determine_no_element_type() {
    let text = "template <typename T> static int64_t v(const SmallVector<T> &v) { return v.size() * 7; }
      static int64_t v(llvm::StringRef s) { return s.size(); }
      int64_t f(int64_t n) { SmallVector<int64_t> w{1, 2}; return v(\"abc\") * 100 + v(w); }";
    returns(text, "f($0)", &[(1, 314)]);
}

#[test]
fn declarations_of_one_function_differ_in_spelling() {
    let text = "int64_t f(int64_t, int64_t k);
        int64_t f(int64_t x, int64_t k = 1 + 2);
        int64_t f(int64_t y, int64_t l = 1+2);
        int64_t f(int64_t n, int64_t y) { return n * 10 + y; }
        int64_t a(int64_t n) { return f(n); }
        template <typename T> T g(T x, T y = T());
        template <class T> T g(T x, T y) { return x + y; }
        int64_t b(int64_t n) { return g(n) + g(2.5f); }
        int64_t h(int64_t n, int64_t k = 1);
        int64_t h(int64_t n, int64_t k = 2);
        int64_t h(int64_t n, int64_t k) { return n + k; }
        int64_t c(int64_t n) { return h(n); }";
    returns(text, "a($0)", &[(4, 43)]);
    returns(text, "b($0)", &[(4, 6)]);
    stays_native(text, "c($0)", "it does not take the arguments");
}
