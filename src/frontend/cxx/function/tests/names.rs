//! The types, scopes and preprocessor lines that determine the meaning of a name.

use super::{number, returns, stays_native};

#[test]
fn a_conversion_to_an_alias_has_the_value_of_cpp() {
    let text = "typedef uint8_t u8;
        typedef float real;
        namespace target { using Word = uint16_t; static int64_t low(Word w) { return w; } }
        namespace tt = target;
        struct Cfg { using Word = uint8_t; typedef int8_t Signed; int64_t in(int64_t n) const { return static_cast<Word>(n); } };
        template <typename T> static int64_t as(int64_t y) { return static_cast<T>(y); }
        static int64_t passed(u8 y) { return y; }
        static int64_t low(const tt::Word &w, int64_t k) { return w + k; }
        int64_t casts(int64_t n) { return (u8)n + 1000 * static_cast<u8>(n); }
        int64_t scoped(int64_t n) { return static_cast<target::Word>(n) + static_cast<tt::Word>(n) % 7; }
        int64_t members(int64_t n) { Cfg c; return static_cast<Cfg::Word>(n) + 1000 * static_cast<Cfg::Signed>(n) + 1000000 * c.in(n); }
        int64_t third(int64_t n) { return static_cast<real>(n) / 7 * 1000; }
        int64_t calls(int64_t n) { return passed(n) + 1000 * as<u8>(n) + target::low(n) + low(n, 0); }
        int64_t least(int64_t n) { return std::min<u8>(n, 40) + 1000 * std::max<tt::Word>(n, 3); }
        int64_t elements(int64_t n) { std::vector<target::Word> v; v.push_back(n); int64_t s = v[0]; for (u8 w : llvm::SmallVector<int64_t>{n, 1}) s += w; return s; }
        int64_t lambdas(int64_t n) { auto h = [](tt::Word w) -> int64_t { return w; }; auto g = [](int64_t y) -> u8 { return y; }; return h(n) + 1000 * g(n); }
        int64_t local(int64_t n) { typedef uint8_t Byte; return static_cast<Byte>(n); }
        enum class K : u8 { A = 1 };
        int64_t underlying(int64_t n) { return static_cast<std::underlying_type_t<K>>(n) + 1000 * static_cast<std::make_unsigned_t<int16_t>>(n); }";
    returns(text, "casts($0)", &[(300, 44_044), (-5, 251_251)]);
    returns(text, "scoped($0)", &[(300, 306), (-5, 65_535)]);
    returns(text, "members($0)", &[(300, 44_044_044), (-5, 250_995_251)]);
    returns(text, "third($0)", &[(300, 42_857)]);
    returns(text, "calls($0)", &[(300, 44_644), (-5, 382_313)]);
    returns(text, "least($0)", &[(300, 300_040), (-5, 65_531_040)]);
    returns(text, "elements($0)", &[(300, 345), (-5, 65_783)]);
    returns(text, "lambdas($0)", &[(300, 44_300), (-5, 316_531)]);
    returns(text, "local($0)", &[(300, 44)]);
    returns(text, "underlying($0)", &[(300, 300_044), (-5, 65_531_251)]);
}

#[test]
fn a_number_is_not_converted_to_an_unknown_type() {
    for text in [
        "int64_t f(int64_t n) { return static_cast<Unheard>(n); }",
        "int64_t f(int64_t n) { return (Unheard)n; }",
        "static int64_t h(Unheard y) { return y; } int64_t f(int64_t n) { return h(n); }",
        "static int64_t h(int64_t n, Unheard y = 300) { return y; } int64_t f(int64_t n) { return h(n); }",
        "static int64_t h(Unheard y) { return 1; } static int64_t h(double y) { return 2; } int64_t f(int64_t n) { return h(n); }",
        "int64_t f(int64_t n) { auto h = [](Unheard y) { return y; }; return h(n); }",
        "int64_t f(int64_t n) { auto h = [](int64_t y) -> Unheard { return y; }; return h(n); }",
        "int64_t f(int64_t n) { int64_t s = 0; for (Unheard y : SmallVector<int64_t>{n}) s += y; return s; }",
        "int64_t f(int64_t n) { SmallVector<Unheard> v; v.push_back(n); return v[0]; }",
        "int64_t f(int64_t n) { return std::min<Unheard>(n, 40); }",
        "template <typename T> static int64_t h(int64_t y) { return static_cast<T>(y); } int64_t f(int64_t n) { return h<Unheard>(n); }",
        "enum class Unheard : uint8_t; int64_t f(int64_t n) { return static_cast<int64_t>(static_cast<Unheard>(n)); }",
        "template <typename T> using Unheard = T; using T = uint8_t; int64_t f(int64_t n) { return static_cast<Unheard>(n); }",
    ] {
        stays_native(text, "f($0)", "the type 'Unheard' is not known");
    }
    // The alias of an array or function does not denote the type that is written first.
    let text = "typedef int8_t Pair[2]; int64_t f(int64_t n) { return static_cast<Pair>(n); }";
    stays_native(text, "f($0)", "the type 'Pair' is not known");
    // Values of classes are not converted.
    returns("int64_t f(int64_t n) { (void)n; return n; }", "f($0)", &[(300, 300)]);
}

#[test]
fn the_innermost_scope_decides_the_meaning_of_constants_enumerations_and_aliases() {
    let text = "namespace v1 { constexpr int64_t kLanes = 8; using Word = uint8_t; static int64_t lanes(int64_t n) { return kLanes + static_cast<Word>(n); }
          namespace in { constexpr int64_t kLanes = 16; using Word = int8_t; int64_t lanes(int64_t n) { return kLanes + static_cast<Word>(n); } } }
        struct AA { enum Mode : uint8_t { Off, On }; static constexpr int64_t kStep = 5; int64_t run(int64_t n) const { return n * kStep + On; } };
        struct BB { enum Mode : int8_t { On = -3, Off }; static constexpr int64_t kStep = 9; int64_t v = 2; int64_t run(int64_t n) const { return n * kStep + On + v; } };
        namespace a { enum class Kind { X = 1, Y }; } namespace b { enum class Kind { Y = 7, X }; }
        using namespace a;
        int64_t lanes(int64_t n) { return v1::lanes(n) + 1000 * v1::in::lanes(n) + 1000000 * v1::kLanes; }
        int64_t classes(int64_t n) { AA a; BB b; return a.run(n) * 1000 + b.run(n) + BB::On + AA::kStep; }
        int64_t kinds(int64_t n) { return static_cast<int64_t>(Kind::Y) + static_cast<int64_t>(b::Kind::X) * n; }";
    returns(text, "lanes($0)", &[(300, 8_060_052), (-5, 8_011_259)]);
    returns(text, "classes($0)", &[(2, 11_019)]);
    returns(text, "kinds($0)", &[(3, 26)]);
    let text = "#ifdef A\nstatic constexpr int64_t kW = 1;\n#else\nstatic constexpr int64_t kW = 2;\n#endif\nint64_t f(int64_t n) { return kW; }";
    stays_native(text, "f($0)", "'kW' has several definitions: helpers.cpp:2 and helpers.cpp:4");
}

#[test]
fn the_preprocessor_does_not_decide_a_call() {
    let text = "#ifdef HUGE\nstatic int64_t w(int64_t n) { return 64 * n; }\n#endif\nstatic int64_t w(double n) { return 32 * n; }\n";
    let call = "int64_t f(int64_t n) { return w(n); }";
    stays_native(&format!("{text}{call}"), "f($0)", "helpers.cpp:2 and helpers.cpp:4");
    // An `#elif` after `#if 0` is a condition like `#ifdef`, and so is the `#else` after it.
    for (condition, places) in [
        ("#if 0\n#elif defined(HUGE)\n", "helpers.cpp:3 and helpers.cpp:5"),
        ("#if 0\n#elif defined(SMALL)\n#else\n", "helpers.cpp:4 and helpers.cpp:6"),
    ] {
        let text = text.replace("#ifdef HUGE\n", condition);
        stays_native(&format!("{text}{call}"), "f($0)", places);
    }
    // A condition inside a declaration makes its type unknown.
    let f = "int64_t f(int64_t n) { return w(n); }";
    let result = "#ifndef X\nstatic int64_t\n#else\nstatic uint8_t\n#endif\nw(int64_t a) { return a; }\n";
    stays_native(&format!("{result}{f}"), "f($0)", "a preprocessor line before the name");
    let alias = "using T =\n#ifdef X\n uint8_t;\n#else\n int64_t;\n#endif\nint64_t w(int64_t a) { return static_cast<T>(a); }\n";
    stays_native(&format!("{alias}{f}"), "f($0)", "T");
    // A call is compiled if it is in the branch of the function, or if the function that the preprocessor may exclude
    // does not fit better.
    returns(&format!("{text}#if 1\n{call}\n#endif"), "w(2.5)", &[(0, 80)]);
    let inside = text.replace("\n#endif", &format!("\n{call}\n#endif"));
    returns(&inside, "f($0)", &[(3, 192)]);
    returns(
        &format!(
            "#ifndef H\n#define H\n{}\n#endif",
            text.replace("#ifdef HUGE\n", "").replace("#endif\n", "") + call
        ),
        "f($0)",
        &[(3, 192)],
    );
    let only = "#ifdef HUGE\nstatic int64_t w(int64_t n) { return 64 * n; }\n#endif\n";
    returns(&format!("{only}{call}"), "f($0)", &[(3, 192)]);
}

#[test]
fn macros_in_an_enumeration_do_not_hide_it() {
    let text = "enum class S : int8_t {\n#define X(a, \\\n  b) a,\n  A = 0, B, C = 11\n#undef X\n};
        int64_t f(int64_t n) { return static_cast<int64_t>(static_cast<S>(n)) + 1000 * static_cast<int64_t>(S::C); }";
    returns(text, "f($0)", &[(300, 11_044)]);
    let text = "enum class S : int8_t {\n  A,\n#ifdef B\n  C,\n#endif\n  D };
        int64_t f(int64_t n) { return static_cast<int64_t>(S::D); } int64_t g(int64_t n) { S s = S::A; return 1; }";
    stays_native(text, "f($0)", "preprocessor line: helpers.cpp:3");
    stays_native(text, "g($0)", "preprocessor line: helpers.cpp:3");
}

#[test]
fn a_using_namespace_connects_a_definition_and_its_declaration() {
    let text = "namespace mlir { namespace tch {\nint64_t rankOf(int64_t v, int64_t unranked = -1);\n} }
        using namespace mlir;
        int64_t tch::rankOf(int64_t v, int64_t unranked) { return v * 10 + unranked; }
        int64_t f(int64_t n) { return tch::rankOf(n); }";
    returns(text, "f($0)", &[(3, 29)]);
}

#[test]
fn classes_without_data_members_and_with_aliases_are_read() {
    let text = "struct Empty { int64_t run(int64_t n) const { return n * 5; } };
        struct Q { using Raw = int8_t; Raw r = 3; static int64_t wrap(int64_t n) { return static_cast<Raw>(n); } int64_t plus(Raw k) const { return r + k; } };
        int64_t empty(int64_t n) { Empty a; Empty b = a; return b.run(n) + Empty().run(1) + Empty{}.run(2); }
        int64_t q(int64_t n) { Q q; return Q::wrap(n) + 1000 * q.plus(n); }
        struct R { Unheard u; }; int64_t r(int64_t n) { R r; return 1; }";
    returns(text, "empty($0)", &[(3, 30)]);
    returns(text, "q($0)", &[(300, 47_044)]);
    stays_native(text, "r($0)", "the member 'u': the type 'Unheard' is not known");
}

#[test]
fn specialisations_of_a_declared_template_are_read() {
    let text = "template <typename T> int64_t ev(int64_t a);
        template <> int64_t ev<int32_t>(int64_t a) { return a + 1; }
        template <> int64_t ev<int64_t>(int64_t a) { return a + 2; }
        template <typename T> static int64_t g(int64_t a) { return ev<T>(a); }
        int64_t f(int64_t n) { return g<int32_t>(n) * 10 + ev<int64_t>(n); }";
    returns(text, "f($0)", &[(3, 45)]);
    let other = format!("{text} int64_t h(int64_t n) {{ return ev<double>(n); }}");
    stays_native(&other, "h($0)", "no specialisation of this template");
}

/// Conversions in the texts of rules, with the results that g++ computes.
#[test]
fn texts_of_rules_know_the_types_of_the_files() {
    let text = "namespace proj { using Byte = uint8_t; enum class Kind : uint8_t { A }; }";
    for call in [
        "static_cast<proj::Byte>($0)",
        "(proj::Byte)$0",
        "proj::Byte($0)",
        "proj::Byte{$0}",
        "static_cast<int64_t>(static_cast<proj::Kind>($0))",
        "SmallVector<proj::Byte>{$0}[0]",
        "[](proj::Byte x) { return x; }($0)",
    ] {
        assert_eq!(number(text, call, 300), Ok(44), "{call}");
        assert_eq!(number(text, call, -5), Ok(251), "{call}");
        assert!(number("", call, 300).is_err(), "{call}");
    }
    assert_eq!(number(text, "std::min<proj::Byte>($0, 40)", -5), Ok(40));
    assert!(number("", "std::min<proj::Byte>($0, 40)", -5).is_err());
}

/// The values are those of g++.
#[test]
fn template_parameters_hide_aliases_and_have_their_declared_types() {
    let text = "using A = int8_t;
        template <typename A> A f(A v) { A w = v; return w + 200; }
        template <unsigned A> int64_t g(int64_t v) { return v * A; }";
    returns(text, "f<int64_t>($0)", &[(13, 213)]);
    returns(text, "g<8>($0)", &[(13, 104)]);
    returns(
        "template <unsigned N> int64_t f(int64_t n) { return N - 2 + n; }",
        "f<1>($0)",
        &[(1, 4_294_967_296)],
    );
    returns("template <unsigned Align> int64_t f(int64_t n) { return n / Align; }", "f<8>($0)", &[(17, 2)]);
}

#[test]
fn expressions_that_cxx_reads_in_another_way_stay_native() {
    for text in [
        "int64_t f(int64_t n) { std::string s = \"abc\" + n; return s.size(); }",
        "template <int N> int64_t v() { return N; } int64_t f(int64_t n) { return v<(1 << 31)>() + n; }",
        "template <unsigned N> int64_t v() { return N; }
         template <unsigned N> int64_t w() { return v<N - 2>(); } int64_t f(int64_t n) { return w<1>() + n; }",
        "static constexpr int64_t kN = 5;
         int64_t f(int64_t n) {
           auto g = [](int64_t a, int64_t b = kN) { return a + b; }; int64_t kN = n; return g(1) + kN;
         }",
        "enum class E : int8_t { A }; int64_t f(int64_t n) { return std::numeric_limits<E>::digits + n; }",
    ] {
        assert!(number(text, "f($0)", 1).is_err(), "{text}");
    }
}

/// If the preprocessor may exclude a declaration in an inner scope, the name can denote a declaration of an outer
/// scope.
#[test]
fn a_conditional_declaration_does_not_hide_that_of_an_outer_scope() {
    let text = "namespace out { constexpr int64_t k = 1; struct S { int64_t v = 10; int64_t get() const { return v; } }; enum E { EA = 100, EB = 200 }; using W = int8_t;
        namespace in {
        #ifdef SMALL
        constexpr int64_t k = 2; struct S { int64_t v = 20; int64_t get() const { return v; } }; enum E { EA = 101, EB = 201 }; using W = int16_t;
        int64_t inside(int64_t n) { return k + S().get() + EA + static_cast<W>(n); }
        #endif
        struct T {
        #ifdef SMALL
          static constexpr int64_t m = 3; enum E { EC = 202 }; using V = int32_t;
        #endif
          static int64_t get(int64_t n) { return m + EC + static_cast<V>(n); }
        };
        constexpr int64_t only = 7;
        int64_t constant(int64_t n) { return k; }
        int64_t object(int64_t n) { S s; return s.get(); }
        int64_t enumerator(int64_t n) { return EA; }
        int64_t alias(int64_t n) { return static_cast<W>(n); }
        int64_t members(int64_t n) { return T::get(n); }
        } }
        constexpr int64_t only = 8;
        int64_t certain(int64_t n) { return out::k + out::in::only + static_cast<out::W>(n); }";
    stays_native(text, "constant($0)", "'k' has several definitions: helpers.cpp:1 and helpers.cpp:4");
    stays_native(text, "object($0)", "'S' has several definitions");
    stays_native(text, "enumerator($0)", "'EA'");
    stays_native(text, "alias($0)", "the type 'W' is not known");
    // A name in the same branch denotes the declaration of the branch.
    returns(text, "inside($0)", &[(300, 423)]);
    returns(text, "members($0)", &[(300, 505)]);
    returns(text, "certain($0)", &[(300, 52)]);
    let text = "namespace out { constexpr int64_t m = 1; enum E { EC = 2 }; using V = int8_t; struct T {
        #if defined(A)
          static constexpr int64_t m = 3; enum E { EC = 202 }; using V = int32_t;
        #endif
          static int64_t constant(int64_t n) { return m; }
          static int64_t enumerator(int64_t n) { return EC; }
          static int64_t alias(int64_t n) { return static_cast<V>(n); }
        }; }
        int64_t f(int64_t n) { return out::T::constant(n); }
        int64_t g(int64_t n) { return out::T::enumerator(n); }
        int64_t h(int64_t n) { return out::T::alias(n); }";
    stays_native(text, "f($0)", "'m' has several definitions");
    stays_native(text, "g($0)", "'EC'");
    stays_native(text, "h($0)", "the type 'V' is not known");
}

#[test]
fn a_backslash_continues_a_comment() {
    let text = "static int64_t twice(int64_t n) {\n  // a path C:\\temp\\\n  return 0;\n  return 2 * n;\n}
        int64_t f(int64_t n) { return twice(n); }
        int64_t g(int64_t n) {\n  int64_t r = 1; // spaces follow \\  \n  r = 2;\n  // two backslashes \\\\\n  r += 10;\n  return r; }";
    returns(text, "f($0)", &[(3, 6)]);
    returns(text, "g($0)", &[(3, 1)]);
}

/// A call also finds functions in the namespaces of the classes of its arguments. The values are those of g++.
#[test]
fn argument_dependent_lookup_finds_functions_of_the_library() {
    let text = "namespace file {
        static int64_t count(ArrayRef<int64_t> v, int64_t x) { return 1000; }
        static int64_t reverse(SmallVector<int64_t> v) { return 1000 + v.size(); }
        static int64_t is_contained(const SmallVector<int64_t> &v, int64_t x) { return 1000; }
        static int64_t isZeroInteger(int64_t n) { return 1000; }
        static int64_t isOneInteger(Attribute a) { return 1000; }
        int64_t counts(int64_t n) { SmallVector<int64_t> v{n, 3}; return count(v, 3); }
        int64_t counted(int64_t n) { SmallVector<int64_t> v{n, 3}; return file::count(v, 3); }
        int64_t view(int64_t n) { SmallVector<int64_t> v{n, 3}; ArrayRef<int64_t> r = v; return count(r, n); }
        int64_t turned(int64_t n) { SmallVector<int64_t> v{n, 3}; return reverse(v); }
        int64_t contains(int64_t n) { SmallVector<int64_t> v{n, 3}; return is_contained(v, 3); }
        int64_t zero(Builder &b, int64_t n) { OpFoldResult f = b.getI64IntegerAttr(n); return isZeroInteger(f); }
        int64_t one(Builder &b, int64_t n) { OpFoldResult f = b.getI64IntegerAttr(n); return isOneInteger(f); }
        int64_t attribute(Builder &b, int64_t n) { Attribute f = b.getI64IntegerAttr(n); return isOneInteger(f); }
        int64_t plain(int64_t n) { return isZeroInteger(n); }
        }";
    let unclear = "a choice between a function of the files and a function of the library";
    stays_native(text, "counts($0)", unclear);
    returns(text, "counted($0)", &[(3, 1_000)]);
    returns(text, "view($0)", &[(3, 1_000)]);
    returns(text, "turned($0)", &[(3, 1_002)]);
    stays_native(text, "contains($0)", unclear);
    returns(text, "zero($_builder, $0)", &[(0, 1), (3, 0)]);
    returns(text, "one($_builder, $0)", &[(1, 1), (3, 0)]);
    returns(text, "attribute($_builder, $0)", &[(1, 1_000)]);
    returns(text, "plain($0)", &[(0, 1_000)]);
}

/// The note for an unknown function names the function, and the class of the object as C++ writes it.
#[test]
fn notes_name_unknown_functions_and_the_class_of_the_object() {
    for (body, name) in [
        ("SmallVector<int64_t> v{n}; return v.frob();", "SmallVector::frob"),
        ("ArrayRef<int64_t> v{n}; return v.frob();", "ArrayRef::frob"),
        ("std::vector<int64_t> v{n}; return v.frob();", "std::vector::frob"),
        ("llvm::SetVector<int64_t> v; return v.frob();", "SetVector::frob"),
        ("std::string s; return s.frob();", "std::string::frob"),
        ("StringRef s; return s.frob();", "StringRef::frob"),
        ("APInt x(8, n); return x.frob();", "APInt::frob"),
        ("return std::frob(n);", "std::frob"),
        ("return llvm::frob(n);", "llvm::frob"),
        ("return foo::frob(n);", "foo::frob"),
        ("return frob(n);", "frob"),
        ("std::pair<int64_t, int64_t> p{n, n}; return p.frob();", "std::pair::frob"),
    ] {
        let text = format!("int64_t f(int64_t n) {{ {body} }}");
        stays_native(&text, "f($0)", &format!("'{name}' is neither in the library nor in the helper files"));
    }
}

/// A `using` before the call makes the functions of `llvm` and `std` visible without their namespaces.
#[test]
fn using_makes_functions_of_the_libraries_visible() {
    let text = "int64_t early(int64_t n) { return isUIntN(3, n); } using namespace llvm;";
    stays_native(text, "early($0)", "'isUIntN' is neither in the library");
    let text = "int64_t local(int64_t n) { using namespace llvm; return isUIntN(3, n) + 10 * isMask_64(n); }
        int64_t named(int64_t n) { using llvm::isUIntN; return isUIntN(3, n); }
        int64_t standard(int64_t n) { using namespace std; return copysign(3.0, -2.0) * n; }
        using namespace llvm;
        int64_t later(int64_t n) { return isUIntN(3, n); }";
    let hidden =
        "using namespace llvm; namespace own { static bool isUIntN(unsigned n, int64_t x) { return false; }
        int64_t hidden(int64_t n) { return isUIntN(3, n); } }";
    returns(text, "local($0)", &[(7, 11), (8, 0), (6, 1)]);
    returns(text, "named($0)", &[(7, 1), (8, 0)]);
    returns(text, "standard($0)", &[(2, -6)]);
    returns(text, "later($0)", &[(7, 1), (8, 0)]);
    returns(hidden, "own::hidden($0)", &[(7, 0)]);
}
