//! Numbers of all types and their conversions, compound assignments, and global variables.

use super::{number, returns};

#[test]
fn floats_are_split_into_fractions_and_exponents() {
    let text = "int64_t f(int64_t n) { int e; double m = std::frexp(n * 0.75, &e); return m * 1024 + e; }
        int64_t g(int64_t n) { int e = 0; double tiny = std::ldexp(3.0, -1072); double m = std::frexp(tiny, &e);
          return m * 1000 - e + std::isfinite(std::ldexp(m, 5000)) + std::ldexp(1.0, n) * 10000; }
        int64_t h(int64_t n) { return std::isfinite(std::ldexp(1.0, n)); }";
    // The exponent converts to `int`: -3,000,000,000 becomes 1,294,967,296.
    returns(text, "h($0)", &[(-3_000_000_000, 0), (3_000_000_000, 1)]);
    returns(text, "f($0)", &[(0, 0), (1, 768), (3, 578), (-5, -958)]);
    returns(text, "g($0)", &[(0, 11_820), (2, 41_820), (-5, 2_132)]);
}

#[test]
fn integers_wrap_and_convert_as_in_cpp() {
    returns(
        "int64_t f(int64_t n) { uint32_t x = n; x -= 1; return x; }",
        "f($0)",
        &[(0, 4_294_967_295), (1, 0)],
    );
    returns(
        "int64_t f(int64_t n) { int8_t x = n; return x; }",
        "f($0)",
        &[(127, 127), (128, -128), (-129, 127)],
    );
    returns("int64_t f(int64_t n) { unsigned a = n; int b = -1; return a > b; }", "f($0)", &[(1, 0)]);
    returns("int64_t f(int64_t n) { bool b = n; return b + b; }", "f($0)", &[(5, 2), (0, 0)]);
    returns(
        "int64_t f(int64_t n) { int i = 3; int j = i++; j += --i; return j * 10 + i; }",
        "f($0)",
        &[(0, 63)],
    );
}

#[test]
fn machine_integers_keep_their_value_beside_an_ap_int() {
    // A comparison and a division treat the integer as a number of 64 bits, even if the APInt is narrower or wider.
    let one_bit = "int64_t f(int64_t n) { APInt x(1, 1); return x.METHOD; }";
    let of = |method: &str| one_bit.replace("METHOD", method);
    returns(&of("sgt(n)"), "f($0)", &[(-3, 1), (-1, 0), (0, 0)]);
    returns(&of("ult(n)"), "f($0)", &[(2, 1), (1, 0), (-1, 1)]);
    returns(&of("urem(n)"), "f($0)", &[(3, 1), (1, 0), (-1, 1)]);
    returns(&of("udiv(n).getZExtValue()"), "f($0)", &[(3, 0), (1, 1)]);
    returns(&of("srem(n)"), "f($0)", &[(3, -1), (2, -1), (-1, 0)]);
    assert_eq!(number(&of("urem(n)"), "f($0)", 0), Err("division by zero".to_owned()));
    // The operators treat the integer as unsigned.
    let wide = "int64_t f(int64_t n) { APInt x(70, 0); x = x + n; return x.lshr(60).getZExtValue(); }";
    returns(wide, "f($0)", &[(-1, 15), (1, 0)]);
}

#[test]
fn parts_of_ap_ints_are_numbers() {
    let of = |e: &str| format!("int64_t f(uint64_t n) {{ APInt x(16, n); return ({e}).getZExtValue(); }}");
    returns(&of("x.extractBits(3, 2)"), "f($0)", &[(0b1_0110, 0b101)]);
    returns(&of("x.concat(APInt(4, 15))"), "f($0)", &[(0x12, 0x12f)]);
    returns(&of("x.rotl(4)"), "f($0)", &[(0x1234, 0x2341)]);
    returns(&of("x.rotr(20)"), "f($0)", &[(0x1234, 0x4123)]);
    returns(&of("x.reverseBits()"), "f($0)", &[(1, 0x8000)]);
    returns(&of("x.byteSwap()"), "f($0)", &[(0x1234, 0x3412)]);
    assert!(number(&of("x.extractBits(3, 14)"), "f($0)", 1).is_err());
    let shifted =
        "uint64_t f(uint64_t n) { n >>= 2; bool b = n > 1; b = n >= 1; return n >> 1 >= 3 ? n : b; }";
    returns(shifted, "f($0)", &[(32, 8), (8, 1), (1, 0)]);
}

#[test]
fn float_semantics_make_floats() {
    let of = |e: &str| {
        format!(
            "double g(int64_t n) {{ const llvm::fltSemantics &s = APFloat::IEEEhalf(); return ({e}).convertToDouble(); }} int64_t f(int64_t n) {{ return g(n); }}"
        )
    };
    // The integer is unsigned, as in C++, and 2049 rounds to an even number.
    returns(&of("APFloat(s, n)"), "f($0)", &[(7, 7), (2049, 2048)]);
    returns(&of("APFloat(s, APInt(16, n))"), "f($0)", &[(0x3c00, 1), (0xc000, -2)]);
    returns(&of("APFloat(s)"), "f($0)", &[(7, 0)]);
}

#[test]
fn remainders_of_an_overflowing_quotient_are_undefined() {
    let code = "int64_t f(int64_t n) { return n % -1; }";
    returns(code, "f($0)", &[(5, 0)]);
    assert_eq!(number(code, "f($0)", i64::MIN), Err("integer overflow".to_owned()));
}

#[test]
fn bits_are_inserted_and_elements_are_overwritten() {
    let text = "int64_t of(int64_t n) {
          APInt x(8, 0);
          x.setAllBits();
          x.insertBits(APInt(3, n & 7), 2);
          return x.getBoolValue() ? x.getZExtValue() : -1;
        }
        int64_t twice(int64_t n) {
          SmallVector<int64_t> from = {n, n + 1}, to(3, 100);
          llvm::transform(from, to.begin(), [](int64_t x) { return 2 * x; });
          return to[0] + 10 * to[1] + to[2];
        }
        int64_t tooMany(int64_t n) {
          SmallVector<int64_t> from = {n, n + 1}, to(1);
          std::copy(from.begin(), from.end(), to.begin());
          return to[0];
        }
        int64_t outside(int64_t n) {
          APInt x(8, 0);
          x.insertBits(APInt(3, 1), n);
          return x.getZExtValue();
        }";
    returns(text, "of($0)", &[(0, 0b1110_0011), (7, 0xff), (5, 0b1111_0111)]);
    returns(text, "twice($0)", &[(1, 142), (3, 186)]);
    assert!(number(text, "tooMany($0)", 1).is_err());
    returns(text, "outside($0)", &[(5, 32)]);
    assert!(number(text, "outside($0)", 6).is_err());
}

#[test]
fn exact_logarithms_are_those_of_powers_of_two() {
    returns(
        "int64_t exact(int64_t n) { return APInt(16, n).exactLogBase2(); }",
        "exact($0)",
        &[(1, 0), (8, 3), (6, -1), (0, -1)],
    );
    returns(
        "int64_t up(int64_t n) { return llvm::Log2_64_Ceil(n); }",
        "up($0)",
        &[(0, 64), (1, 0), (2, 1), (5, 3), (8, 3), (9, 4), (-1, 64)],
    );
}

/// The values were computed by a program that g++ compiled.
#[test]
fn an_apsint_is_signed_or_unsigned() {
    let text = "int64_t extended(int64_t n, bool u) { return APSInt(APInt(8, n, true), u).getExtValue(); }
        int64_t less(int64_t n, bool u) { return APSInt(APInt(8, n, true), u) < APSInt(APInt(8, 3), u); }
        int64_t halved(int64_t n, bool u) { return (APSInt(APInt(8, n, true), u) >> 1).getExtValue(); }
        int64_t divided(int64_t n, bool u) { return (APSInt(APInt(8, n, true), u) / APSInt(APInt(8, 3), u)).getExtValue(); }
        int64_t isMinusOne(int64_t n, bool u) { return APSInt(APInt(8, n, true), u) == -1; }
        int64_t kept(int64_t n, bool u) {
          APSInt x(APInt(8, 0), u);
          x = APInt(8, n, true);
          x += x;
          return x.extOrTrunc(16).getExtValue();
        }";
    for (call, signed, unsigned) in [
        ("extended", -1, 255),
        ("less", 1, 0),
        ("halved", -1, 127),
        ("divided", 0, 85),
        ("isMinusOne", 1, 0),
        ("kept", -2, 254),
    ] {
        for (sign, want) in [("false", signed), ("true", unsigned)] {
            assert_eq!(number(text, &format!("{call}($0, {sign})"), -1), Ok(want), "{call}({sign})");
        }
    }
    returns(
        "int64_t of(OpBuilder &b, int64_t n) {
           IntegerAttr s = b.getSI8IntegerAttr(n), u = b.getUI8IntegerAttr(n & 255);
           return 1000 * s.getAPSInt().getExtValue() + u.getAPSInt().getExtValue();
         }",
        "of($_builder, $0)",
        &[(-1, -745), (5, 5005)],
    );
}

#[test]
fn operators_as_objects_take_arguments_of_two_types() {
    let text = "int64_t f(int64_t n) {
          SmallVector<double> v{2.75, -0.5, 1.25, 7.5};
          return std::accumulate(v.begin(), v.end(), n, std::plus<>()) * 1000 + std::accumulate(v.begin(), v.end(), 100, std::minus<>());
        }
        int64_t g(int64_t n) { SmallVector<int64_t> v{n, 5000000000}; return std::accumulate(v.begin(), v.end(), 1, std::multiplies<>()); }";
    // Each sum and difference is truncated to an integer: 3, 5, 4, 5, 12, and 100, 97, 97, 95, 87.
    returns(text, "f($0)", &[(3, 12_087)]);
    // The product has 64 bits, and becomes an `int`.
    returns(text, "g($0)", &[(-14, -1_280_523_264)]);
}

#[test]
fn divisions_of_llvm_have_the_common_type_of_their_arguments() {
    let text = "int64_t f(int64_t n) {
          unsigned u = n; int i = n;
          return (llvm::divideCeil(u, 2u) - 5) / 2 + (llvm::alignTo(~0u, 16u) == 0) * 10 + (llvm::divideCeilSigned(i - 9, 2) < 3u);
        }
        int64_t g(int64_t n) { uint64_t w = n; return int64_t(llvm::divideCeil(w, 2u) - 5) * 10 + (llvm::alignTo(~0ull, 16) == 0); }
        int64_t h(int64_t n) { uint8_t b = n; return llvm::divideCeil(b, b) - 5; }";
    // `divideCeil(u, 2u) - 5` is 2^32 - 2, which is halved. The -2 of `divideCeilSigned` becomes an `unsigned`.
    returns(text, "f($0)", &[(5, 2_147_483_657)]);
    returns(text, "g($0)", &[(5, -19)]);
    returns(text, "h($0)", &[(5, -4)]);
}

#[test]
fn functions_of_llvm_on_bits_and_digits() {
    let text = "int64_t f(int64_t n) { return llvm::isUInt<8>(n) + 10 * llvm::isInt<8>(n) + 100 * llvm::isIntN(7, n) + 1000 * llvm::isUIntN(9, n); }
        int64_t g(int64_t n) { return llvm::SignExtend64<4>(n) + 100 * llvm::SignExtend64(n, 5) + 10000 * llvm::isShiftedMask_64(n) + 20000 * llvm::isMask_32(n); }
        int64_t h(int64_t n) { return llvm::Hi_32(n) * 1000 + llvm::Lo_32(n) % 1000; }
        int64_t hex(int64_t n) { return llvm::utohexstr(n) == \"FF\" ? 1 : llvm::utohexstr(n, true, 4) == \"00ab\" ? 2 : llvm::utohexstr(n) == \"0\" ? 3 : llvm::utohexstr(n, false, 2) == \"34\" ? 4 : 5; }
        int64_t text(int64_t n) { APInt x(8, n); return llvm::toString(x, 10, true) == \"-56\" ? 1 : llvm::toString(x, 16, false) == \"7F\" ? 2 : llvm::toString(x, 2, true) == \"0\" ? 3 : 4; }
        int64_t sign(int64_t n) { return std::copysign(3.0, n) + 10 * std::signbit(-0.0) + std::make_optional(n).value_or(9) * 100; }";
    returns(text, "f($0)", &[(-1, 110), (127, 1_011), (128, 1_001), (300, 1_000), (-129, 0)]);
    returns(text, "g($0)", &[(6, 10_606), (15, 30_000 + 1_500 - 1), (24, 10_000 - 800 - 8), (10, 1_000 - 6)]);
    returns(text, "h($0)", &[(-1, 4_294_966_591), (5, 5)]);
    returns(text, "hex($0)", &[(255, 1), (0xab, 2), (0, 3), (0x1234, 4), (1, 5)]);
    returns(text, "text($0)", &[(200, 1), (127, 2), (0, 3), (1, 4)]);
    returns(text, "sign($0)", &[(-2, -193), (2, 213)]);
}

#[test]
fn ranges_of_llvm_are_filtered_converted_and_split() {
    let text = "int64_t f(int64_t n) {
          SmallVector<int64_t> v{1, n, 3};
          auto kept = llvm::filter_to_vector(v, [](int64_t x) { return x > 2; });
          auto small = llvm::to_vector_of<int8_t>(v);
          auto parts = llvm::split(\"a-b-c\", \"-\");
          return kept.size() * 10000 + small[1] * 10 + parts.size();
        }";
    returns(text, "f($0)", &[(257, 20_013), (2, 10_023)]);
}

#[test]
fn compound_assignments_evaluate_the_right_operand_first() {
    let text = "static int64_t next(int64_t &x) { x += 10; return x; }
        int64_t f(int64_t n) { int64_t x = n; x += next(x); x *= 2; auto g = [&] { x *= 3; return x; }; x += g(); return x; }
        int64_t at(int64_t n) { SmallVector<int64_t> v{1, 2, n, 4}; size_t i = 0; v[i] += i++; v[i] += ++i; return v[0] * 1000 + v[1] * 100 + v[2] * 10 + v[3]; }
        struct C { int64_t n = 0; int64_t step() { n += 5; return n; } void run() { n += step(); } };
        int64_t member(int64_t n) { C c; c.run(); c.run(); return c.n; }
        int64_t last(int64_t n) { SmallVector<int64_t> v{1, 2, 3, n}; v[0] += v.pop_back_val(); v.back() += v.pop_back_val(); return v[0] * 10 + v[1] + v.size() * 100; }
        int64_t text(int64_t n) { std::string s = \"a\"; auto g = [&]() -> std::string { s += \"x\"; return \"y\"; }; s += g(); return s == \"axy\"; }";
    returns(text, "f($0)", &[(1, 264)]);
    returns(text, "at($0)", &[(3, 1_254)]);
    returns(text, "member($0)", &[(0, 30)]);
    returns(text, "last($0)", &[(4, 255)]);
    returns(text, "text($0)", &[(0, 1)]);
}

/// A function that creates complex numbers is compiled, and fails only if it reaches this code.
#[test]
fn complex_numbers_fail_only_if_they_are_reached() {
    let text = "int64_t f(int64_t n) {
      if (n > 5) {
        SmallVector<std::complex<APFloat>> both{std::complex<APFloat>(APFloat(1.0), APFloat(2.0))};
        return both.size();
      }
      return n * 2;
    }";
    returns(text, "f($0)", &[(2, 4), (-5, -10)]);
    assert!(number(text, "f($0)", 6).is_err());
}

#[test]
fn global_variables_that_change_keep_their_values() {
    let text = "static int64_t made = 41; static uint8_t small; namespace { double half{0.5}; bool on = false; }
        static int64_t next(int64_t add) { made += add; return made++; }
        int64_t f(int64_t n) { int64_t a = next(0), b = next(0), c = next(n * next(0)); return a + 1000 * b + 1000000 * c + 1000000000 * next(0); }
        int64_t g(int64_t n) { for (int64_t i = 0; i < n; ++i) small += 100; on = !on; half *= n; return small + (on ? 1000 : 0) + static_cast<int64_t>(half * 10000); }";
    returns(text, "f($0)", &[(3, 174_173_042_041)]);
    returns(text, "g($0)", &[(3, 16_044)]);
    // Each file has its own variable.
    let file = |name: &str| {
        format!("static int64_t made = 1;\nint64_t {name}(int64_t n) {{ made += n; return made; }}")
    };
    let files = [("a.cpp", file("f")), ("b.cpp", file("g"))];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    assert_eq!(super::pair_of(&files, "f($0) * 100 + g($1) * 10 + f($0)", 2, 4), Ok(355));
    for (text, reason) in [
        (
            "static int64_t made = 1; int64_t f(int64_t n) { const int64_t &r = made; made += n; return r; }",
            "a reference to a changing variable",
        ),
        (
            "static int64_t made = 1; static int64_t g(const int64_t &x) { return x; } int64_t f(int64_t n) { made += n; return g(made); }",
            "a reference to a global variable",
        ),
        (
            "static int64_t made = 1; int64_t f(int64_t n) { int64_t *p = &made; return *p; }",
            "a reference to a global variable",
        ),
        (
            "static int64_t first = 1; static int64_t made = first + 1; int64_t f(int64_t n) { return made++; }",
            "a global variable",
        ),
        (
            "static std::string made = \"a\"; int64_t f(int64_t n) { return made.size(); }",
            "a global variable other than a number",
        ),
        (
            "static int64_t made = 1; void run() { made = 7; } int64_t f(int64_t n) { return made + n; }",
            "a global variable that several functions use",
        ),
        ("int64_t made = 1; int64_t f(int64_t n) { return made++; }", "made"),
        ("static thread_local int64_t made = 1; int64_t f(int64_t n) { return made++; }", "made"),
    ] {
        super::stays_native(text, "f($0)", reason);
    }
}

/// The values are those of g++.
#[test]
fn library_functions_return_the_types_of_cxx() {
    let text = "uint8_t id(uint8_t n) { return n; }
        int64_t ofTwo(int64_t n) { auto m = std::max(id(200), id(n)); m += 100; return m; }
        int64_t ofType(int64_t n) { auto m = std::min<int8_t>(100, n); m += 100; return m; }
        int64_t ofList(int64_t n) { auto m = std::min({id(250), id(n)}); m += 10; return m; }
        int64_t absolute(int64_t n) { int8_t s = n; auto m = std::abs(s); m *= 2; return m; }
        int64_t sizes(int64_t n) {
          SmallVector<int64_t> v{n, n};
          return (llvm::size(v) - 3 < 0) + 2 * (std::size(v) - 3 < 0);
        }";
    returns(text, "ofTwo($0)", &[(3, 44), (201, 45)]);
    returns(text, "ofType($0)", &[(120, -56)]);
    returns(text, "ofList($0)", &[(255, 4)]);
    returns(text, "absolute($0)", &[(-100, 200)]);
    returns(text, "sizes($0)", &[(1, 1)]);
}

/// The expected values are those of g++.
#[test]
fn apint_is_truncated_by_its_fourth_argument() {
    let text = "int64_t call(int64_t n) { return APInt(8, n, true, true).getSExtValue(); }
        int64_t declared(int64_t n) { APInt x(8, n, false, /*implicitTrunc=*/true); return x.getZExtValue(); }
        int64_t braces(int64_t n) { APInt x{8, static_cast<uint64_t>(n), true, true}; return x.getZExtValue(); }
        int64_t fits(int64_t n) { return APInt(16, n, true, false).getSExtValue(); }";
    returns(text, "call($0)", &[(300, 44), (-300, -44), (200, -56)]);
    returns(text, "declared($0)", &[(300, 44), (-1, 255)]);
    returns(text, "braces($0)", &[(300, 44), (-1, 255)]);
    returns(text, "fits($0)", &[(-300, -300)]);
}

#[test]
fn the_absolute_value_of_the_smallest_int_is_undefined() {
    let text = "int64_t f(int64_t n) { int x = n; return std::abs(x) + abs(x); }
        int64_t g(int64_t n) { return std::abs(n); }";
    returns(text, "f($0)", &[(-5, 10), (7, 14)]);
    returns(text, "g($0)", &[(i64::from(i32::MIN), 2_147_483_648)]);
    for (call, n) in [("f($0)", i64::from(i32::MIN)), ("g($0)", i64::MIN)] {
        assert_eq!(number(text, call, n), Err("integer overflow".to_owned()), "{call}");
    }
}
