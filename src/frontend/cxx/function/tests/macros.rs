//! Macros, members of template arguments, and algorithms over reversed ranges.

use super::{pair_of, returns, stays_native};

#[test]
fn macros_have_the_tokens_of_cpp() {
    let text = "#define TWICE(a) ((a) + (a))
        #define PLAIN(a, b) a * b
        #define NONE() 7
        #define EMPTY(a)
        #define OUTER(a) TWICE(TWICE(a))
        #define CALL(f, x) f(x)
        #define GLUE(a) -a
        #define LINES(a) \\
          int64_t y = a; /* a comment */ \\
          y += 1;  // another
        #define FUNCTION(NAME, op) int64_t NAME(int64_t a, int64_t b) { return a op b; }
        FUNCTION(sum, +) FUNCTION(difference, -)
        FUNCTION(product, *);
        static int64_t SELF(int64_t a) { return a * 10; }
        #define SELF(a) SELF(a) + 1
        int64_t f(int64_t n) { EMPTY(n = 0;) return TWICE(n) * 1000 + PLAIN(n + 1, n) * 100 + NONE() + OUTER(n); }
        int64_t g(int64_t n) { LINES(n) return SELF(y) + GLUE(-n) + CALL(TWICE, (n, n + 1)); }
        int64_t h(int64_t n) { const char *text = \"TWICE(n)\"; return StringRef(text).size() + sum(n, 2) * product(n, 3) - difference(n, 1); }
        int64_t TWICE = 4;
        int64_t before(int64_t n) { return LATER(n); }
        #define LATER(n) (n + 1)
        int64_t after(int64_t n) { return LATER(n); }
        #undef LATER
        #define LATER(n) (n + 2)
        int64_t redefined(int64_t n) { return LATER(
          n); }";
    returns(text, "f($0)", &[(3, 6_322)]);
    returns(text, "g($0)", &[(3, 52)]);
    returns(text, "h($0)", &[(3, 51)]);
    returns(text, "after($0)", &[(3, 4)]);
    returns(text, "redefined($0)", &[(3, 5)]);
    stays_native(text, "before($0)", "LATER");
}

#[test]
fn macros_that_are_not_expanded_have_a_reason() {
    for (definition, reason) in [
        (
            "#define M(a) #b a",
            "the macro 'M' is not expanded (helpers.cpp:1: its text contains a '#' that is not before a parameter)",
        ),
        ("#define M(a) a ##", "helpers.cpp:1: its text starts or ends with '##'"),
        ("#define M(a, ...) g(a __VA_OPT__(,) __VA_ARGS__)", "helpers.cpp:1: its text contains '__VA_OPT__'"),
        ("#ifdef FAST\n#define M(a) a\n#endif", "helpers.cpp:2: it is defined under a condition"),
        ("#ifdef FAST\n#define M(a) a\n#else\n#define M(a) (a + 1)\n#endif", "defined under a condition"),
        (
            "#if 0\n#elif defined(FAST)\n#define M(a) a\n#endif",
            "helpers.cpp:3: it is defined under a condition",
        ),
        ("#define M(a) a\n#define M(a) (a + 1)", "it has several definitions"),
    ] {
        let text = format!("{definition}\nint64_t f(int64_t n) {{ return M(n); }}");
        stays_native(&text, "f($0)", reason);
    }
    let guarded = "#ifndef FILE_H\n#define FILE_H\n#ifndef M\n#define M(a) (a + 1)\n#endif
        #if 0\n#define M(a) a\n#endif
        int64_t f(int64_t n) { return M(n); }\n#endif";
    returns(guarded, "f($0)", &[(3, 4)]);
    // Each call doubles the number of tokens.
    let doubled: String = (1..60).map(|i| format!("#define M{i}(a) M{0}(a) + M{0}(a)\n", i - 1)).collect();
    let text = format!("#define M0(a) a\n{doubled}int64_t f(int64_t n) {{ return M59(n); }}");
    stays_native(&text, "f($0)", "'M59'");
}

#[test]
fn macros_are_expanded_beside_characters_that_are_not_ascii() {
    let text = "#define M(a) a\n#define N(a) a é\nint é = M(1);\nint i = N(1);
        int64_t f(int64_t n) { return M(n) + 1; }";
    returns(text, "f($0)", &[(3, 4)]);
}

#[test]
fn macros_of_headers_are_visible_in_other_files() {
    let source = "int64_t f(int64_t n) { return M(n); }";
    let value = |files: &[(&str, &str)]| pair_of(files, "f($0)", 3, 0);
    assert_eq!(value(&[("a.cpp", source), ("a.h", "#define M(a) ((a) + 1)")]), Ok(4));
    let other = value(&[("a.cpp", source), ("b.cpp", "#define M(a) ((a) + 1)")]);
    assert!(other.is_err_and(|reason| reason.contains("'M' is neither")));
    let headers = [("a.cpp", source), ("a.h", "#define M(a) ((a) + 1)"), ("b.h", "#define M(a) a")];
    assert!(value(&headers).is_err_and(|reason| reason.contains("it has several definitions")));
    let own = [("a.cpp", &*format!("#define M(a) ((a) + 2)\n{source}")), ("a.h", "#define M(a) ((a) + 1)")];
    assert_eq!(value(&own), Ok(5));
}

#[test]
fn static_functions_of_template_arguments_are_called() {
    let text = "struct Add { static int64_t apply(int64_t a, int64_t b) { return a + b; } };
        namespace n { struct Mul { static int64_t apply(int64_t a, int64_t b) { return a * b; } }; }
        struct Holder { int64_t n; static int64_t twice(int64_t a) { return 2 * a; } };
        template <typename Fn> static int64_t fold(int64_t a) { return Fn::apply(a, a + 1); }
        template <typename Fn> static int64_t twice(int64_t a) { return fold<Fn>(a) + fold<Fn>(1); }
        template <typename T> static int64_t of(T value) { return T::twice(value.n); }
        int64_t add(int64_t n) { return twice<Add>(n); }
        int64_t mul(int64_t n) { return twice<n::Mul>(n); }
        int64_t value(int64_t n) { return of(Holder{n}); }
        int64_t none(int64_t n) { return fold<Holder>(n); }";
    returns(text, "add($0)", &[(3, 10)]);
    returns(text, "mul($0)", &[(3, 14)]);
    returns(text, "value($0)", &[(3, 6)]);
    stays_native(text, "none($0)", "'Holder::apply' is neither");
}

#[test]
fn machine_floats_convert_to_the_integers_of_attributes() {
    let text = "template <typename T> static int64_t get(Builder &b, T c) { return b.getIntegerAttr(b.getI32Type(), c).getInt(); }";
    returns(text, "get($_builder, $0 / 2.0)", &[(5, 2), (-5, -2)]);
}

#[test]
fn algorithms_visit_elements_from_the_last_to_the_first() {
    let text = "static int64_t number(ArrayRef<int64_t> v) { int64_t n = 0; for (int64_t x : v) n = n * 10 + x; return n; }
        int64_t iota(int64_t n) { SmallVector<int64_t> v(n); std::iota(v.rbegin(), v.rend(), 1); return number(v); }
        int64_t sorted(int64_t n) { SmallVector<int64_t> v{2, n, 1}; std::sort(v.rbegin(), v.rend()); return number(v); }
        int64_t by(int64_t n) { SmallVector<int64_t> v{12, n, 2, 11}; std::stable_sort(v.rbegin(), v.rend(), [](int64_t a, int64_t b) { return a % 10 < b % 10; }); return number(v); }
        int64_t turned(int64_t n) { SmallVector<int64_t> v{1, 2, n}; std::reverse(v.rbegin(), v.rend()); return number(v); }";
    returns(text, "iota($0)", &[(4, 4_321)]);
    returns(text, "sorted($0)", &[(3, 321)]);
    returns(text, "by($0)", &[(1, 12_221)]);
    returns(text, "turned($0)", &[(3, 321)]);
}

#[test]
fn macros_without_parameters_have_the_tokens_of_cpp() {
    let text = "static int64_t twice(int64_t n) { return 2 * n; }
#define COUNT 1 + 2
#define LONG \\
  (1 + \\
   n)
#define NAME n
#define CALLS twice
#define APPLY(x) (x + 1)
#define VIA APPLY
int64_t f(int64_t n) { return COUNT * 2 + LONG * 100 + NAME * 1000 + VIA(n) * 10000 + CALLS(n); }
#define int64_t int8_t
int64_t narrow(long n) { int64_t x = n; return x; }
#undef int64_t
int64_t g(int64_t n) { return narrow(n); }
#define SELF SELF
static constexpr int64_t SELF = 5;
int64_t h(int64_t n) { return SELF; }";
    returns(text, "f($0)", &[(3, 43_411), (-5, -45_405)]);
    returns(text, "g($0)", &[(300, 44)]);
    returns(text, "h($0)", &[(300, 5)]);
}

/// The preprocessor decides the meaning of a name that is a macro under a condition.
#[test]
fn a_function_that_uses_a_macro_under_a_condition_stays_a_native() {
    for body in ["{ int64_t x = n; return x; }", "{ return static_cast<int64_t>(n); }"] {
        let text =
            format!("#ifdef SMALL\n#define int64_t int8_t\n#endif\nlong f(long n) {body}\n#undef int64_t");
        stays_native(&text, "f($0)", "the macro 'int64_t' is not expanded (helpers.cpp:2");
    }
    let text = "#ifdef SMALL\n#define int64_t int8_t\n#endif\nstatic int64_t g(long n) { return n; }\nlong f(long n) { return g(n); }";
    stays_native(text, "f($0)", "the macro 'int64_t' is not expanded");
}

#[test]
fn a_line_break_ends_an_unterminated_literal() {
    let text = "int64_t g() { return 'a; }\n#define K 2\nint64_t f(int64_t n) { return n * K; }";
    returns(text, "f($0)", &[(3, 6)]);
}

/// `g++ -E` gives the expected tokens.
#[test]
fn macros_paste_tokens_and_make_strings() {
    let text = "#define NEED(v) int64_t v##Opt = n + 1; if (v##Opt < 0) return -1; int64_t v = v##Opt;
#define CAT(a, b) a ## b
#define XCAT(a, b) CAT(a, b)
#define THREE(a, b, c) a##b##c
#define PREFIX my
#define OBJECT un##signed
#define TYPE(t) t
#define LARGER(a, b) (a >##= b)
#define ADD(a, ...) sum({a, ##__VA_ARGS__})
#define LIST(...) sum({__VA_ARGS__})
#define NAMED(rest...) sum({rest})
static int64_t sum(ArrayRef<int64_t> v) { int64_t s = 100; for (int64_t x : v) s += x; return s; }
static int64_t my_one(int64_t n) { return n + 1; }
static int64_t PREFIX_two(int64_t n) { return n + 2; }
#define FUNCTION(name, op, ...) static int64_t name##Of(int64_t a, int64_t b) { int64_t x##name = a op b; return LIST(x##name, ##__VA_ARGS__); }
FUNCTION(mul, *)
FUNCTION(sub, -, 1000, a)
int64_t need(int64_t n) { NEED(v) NEED(w) return v * 10 + wOpt + w; }
int64_t pasted(int64_t n) { return CAT(my, _one)(n) * 100 + CAT(PREFIX, _two)(n) * 10 + XCAT(PREFIX, _one)(n); }
int64_t more(int64_t n) { OBJECT x = 3; TYPE(int64_t)y = 0; x += y; return THREE(1, , 2) + THREE(, , 5) + THREE(n, , ) + CAT(0x, ff) + LARGER(n, 4) + x; }
int64_t variadic(int64_t n) { return ADD(n) + ADD(n, 1, my_one(n)) * 2 + LIST() * 3 + LIST(n) * 5 + LIST((n, 2), 3) * 7 + NAMED(n, n) * 11; }
int64_t made(int64_t n) { return mulOf(n, 3) + subOf(n, 1) * 3; }
int64_t inside(int64_t n) {
  int64_t a = n, b = 1;
#define FLIP(x, y) \\
  do {             \\
    auto t = x;    \\
    x = y;         \\
    y = t;         \\
  } while (0)
  #define TEN 10
  FLIP(a, b);
#undef FLIP
  return a * TEN + b;
}";
    returns(text, "need($0)", &[(3, 48), (-9, -1)]);
    returns(text, "pasted($0)", &[(3, 454)]);
    returns(text, "more($0)", &[(3, 278), (4, 280)]);
    returns(text, "variadic($0)", &[(3, 3_035)]);
    returns(text, "made($0)", &[(3, 3_424)]);
    returns(text, "inside($0)", &[(3, 13)]);
    let text = "int64_t f(int64_t n) {\n#ifdef FAST\n  n += 1;\n#endif\n  return n;\n}";
    stays_native(text, "f($0)", "a preprocessor line ('#ifdef') in a function");
}

/// `g++ -E` gives the expected strings.
#[test]
fn the_strings_of_macros_have_the_text_of_arguments() {
    for (call, want) in [
        ("STR(a + b)", "a + b"),
        ("STR(  a+b   /* c */ -d )", "a+b -d"),
        (r#"STR("x\n" 'y' '"')"#, r#""x\n" 'y' '"'"#),
        ("STR()", ""),
        ("STR(TWICE(1))", "TWICE(1)"),
        ("XSTR(TWICE(1))", "1+1"),
        ("XSTR(TWICE( 1 ) TWICE(2))", "1+1 2+2"),
        ("XSTR(a EMPTY b EMPTY+c)", "a b +c"),
        ("XSTR(CAT(TWI, CE)(3))", "3+3"),
        ("XSTR(-NEG(1))", "--1"),
        ("ALL(a,b , c(d, e))", "a,b , c(d, e)"),
        ("ALL()", ""),
        ("FIRST(a, b,c)", "a|b,c"),
        ("XSTR(SELF(SELF(1)))", "SELF(SELF(1))"),
        ("XSTR(N + P) XSTR(STR(N))", r#"4 + (1 +2)"N""#),
    ] {
        let text = format!(
            "#define STR(x) #x\n#define XSTR(x) STR(x)\n#define TWICE(a) a+a\n#define EMPTY\n#define NEG(a) -a
#define CAT(a, b) a##b\n#define ALL(...) #__VA_ARGS__\n#define FIRST(a, ...) #a \"|\" #__VA_ARGS__
#define SELF(x) SELF(x)\n#define N 4\n#define P (1 +2)\nint64_t f(int64_t n) {{ return StringRef({call}) == R\"~({want})~\" ? n : -1; }}"
        );
        returns(&text, "f($0)", &[(3, 3)]);
    }
}
