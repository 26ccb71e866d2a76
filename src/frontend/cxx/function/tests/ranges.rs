//! Ranges, sets and algorithms.

use super::{number, returns, stays_native};

#[test]
fn ranges_change_as_small_vectors_do() {
    returns(
        "int64_t f(int64_t n) {
           SmallVector<int64_t, 4> v(3, n); v.append({1, 2}); v.pop_back(); v.insert(v.begin(), 9); v[1] += 5;
           int64_t s = 0; for (int64_t x : v) { if (x == 1) break; s = s * 10 + x; } return s;
         }",
        "f($0)",
        &[(1, 96), (2, 9722)],
    );
    returns(
        "int64_t f(int64_t n) { SmallVector<int64_t> v; for (int64_t i = 0; i < n; ++i) v.push_back(n - i); v.resize(n + 1); return v.size() * 100 + llvm::count_if(v, [](int64_t x) { return x > 1; }); }",
        "f($0)",
        &[(3, 402)],
    );
    returns(
        "int64_t f(int64_t n) { SmallVector<int64_t> v{1, 2, 3, 4}, w = {10, n}; int64_t s = 0;
           for (auto [i, x] : llvm::enumerate(v)) { if (i == 2) continue; s += i * x; }
           for (auto [a, b] : llvm::zip(v, w)) s += 100 * a * b; return s; }",
        "f($0)",
        &[(3, 14 + 1000 + 600)],
    );
    returns(
        "std::optional<int64_t> half(int64_t n) { if (n % 2) return std::nullopt; return n / 2; }
         FailureOr<int64_t> quarter(int64_t n) { auto h = half(n); if (!h) return failure(); return half(*h).value_or(-1); }
         int64_t f(int64_t n) { FailureOr<int64_t> q = quarter(n); if (failed(q)) return -2; return *q; }",
        "f($0)",
        &[(8, 2), (6, -1), (5, -2)],
    );
}

#[test]
fn algorithms_have_the_results_of_the_library() {
    returns(
        "int64_t f(int64_t n) {
           SmallVector<int64_t> v = {3, 1, 2, n};
           int64_t sum = 0;
           for (auto it = v.begin(), e = v.end(); it != e; ++it) sum += *it;
           auto found = llvm::find(v, 2);
           if (found != v.end()) sum += 100 * std::distance(v.begin(), found);
           sum += 1000 * *llvm::max_element(v) + 10000 * llvm::count(v, 3);
           return sum;
         }",
        "f($0)",
        &[(4, 14_210), (3, 23_209)],
    );
    returns(
        "int64_t f(int64_t n) {
           SmallVector<int64_t> v = llvm::to_vector(llvm::seq<int64_t>(0, 5)), w;
           llvm::transform(v, std::back_inserter(w), [&](int64_t x) { return x * n; });
           std::reverse(w.begin(), w.end());
           llvm::erase_if(w, [](int64_t x) { return x % 4 == 0; });
           llvm::append_range(w, v);
           llvm::sort(w, [](int64_t a, int64_t b) { return a > b; });
           w.erase(std::unique(w.begin(), w.end()), w.end());
           return std::accumulate(w.begin(), w.end(), int64_t(0), [](int64_t a, int64_t b) { return a * 10 + b; });
         }",
        "f($0)",
        &[(2, 643_210), (0, 43_210)],
    );
    returns(
        "int64_t f(int64_t n) { llvm::SmallSetVector<int64_t, 4> s; int64_t r = 0;
           for (int64_t x : {3, 1, 3, 2}) if (s.insert(x)) r = r * 10 + x;
           bool again = s.insert(3); if (again || !s.insert(4)) return -1;
           return r * 100 + s.size() * 10 + s.contains(n); }",
        "f($0)",
        &[(1, 31_241), (7, 31_240)],
    );
    returns(
        "int64_t f(int64_t n) { std::string s = \"ab,c\"; auto [l, r] = StringRef(s).split(','); int64_t v = 0;
           for (char c : r) v += c; StringRef d = \"x12\"; int64_t k; if (d.consume_front(\"x\") && !d.getAsInteger(10, k)) v += k;
           switch (s[0]) { case 'a': v += 1000; case 'b': v += 2000; break; default: v = 0; }
           return v + l.size() * 100; }",
        "f($0)",
        &[(0, 3_000 + 99 + 12 + 200)],
    );
    returns(
        "static constexpr int64_t kTable[] = {1, 2, 4, 8}; constexpr int kOffset = 3; constexpr char kName[] = \"abcd\";
         int64_t f(int64_t n) { return kTable[n] + kOffset + StringRef(kName).size(); }",
        "f($0)",
        &[(0, 8), (3, 15)],
    );
    returns(
        "int64_t f(int64_t n) { float x = 16777216.0f; x += 1.0f; double y = 16777216.0; y += 1.0; return static_cast<int64_t>(y - x) + n; }",
        "f($0)",
        &[(0, 1)],
    );
}

/// The strings of the evaluator are UTF-8, so a call that would return a part of a character fails.
#[test]
fn strings_are_searched_and_trimmed_by_bytes() {
    let text = "int64_t f(int64_t n) { StringRef s = \"bé\";
          return s.find_last_of(\"é\") + s.find_last_not_of(\"a\") * 10 + s.find_first_not_of(\"bè\") * 100
            + s.find_last_of(\"è\") * 1000 + n; }
        int64_t g(int64_t n) { StringRef s = \"bé\";
          return s.trim(\"é\").size() + s.ltrim(\"b\").size() * 10 + s.rtrim(\"è\").size() * 100 + n; }
        int64_t h(int64_t n) { StringRef s = \"bé\"; return s.ltrim(\"bè\").size() + n; }";
    returns(text, "f($0)", &[(0, 1222)]);
    returns(text, "g($0)", &[(0, 321)]);
    assert!(number(text, "h($0)", 0).is_err());
}

#[test]
fn vectors_are_filled_or_copied() {
    returns(
        "int64_t f(int64_t n) {
           SmallVector<int64_t> all = {1, 2, 3, 4};
           SmallVector<int64_t> part(all.begin() + 1, all.end());
           ArrayRef<int64_t> of_one(n);
           return part[0] * 100 + SmallVector<int64_t>(n, 7).size() * 10 + SmallVector<int64_t>(n).size() + of_one.size();
         }",
        "f($0)",
        &[(3, 234), (0, 201)],
    );
}

#[test]
fn the_order_of_a_set_has_no_effect() {
    let repeats = "int64_t f(int64_t n) {
        DenseMap<int64_t, int> counts;
        for (int64_t d = n; d != 0; d /= 10) ++counts[d % 10];
        for (auto &entry : counts) if (entry.second > 1) return 1;
        int64_t total = 0, bits = 0;
        for (auto [digit, count] : counts) { total += digit; bits |= 1 << digit; }
        return total * 1000 + bits;
    }";
    returns(repeats, "f($0)", &[(121, 1), (12, 3006), (21, 3006)]);
    let order = |body: &str| {
        format!(
            "int64_t f(int64_t n) {{ DenseSet<int64_t> s; s.insert(n); s.insert(4); int64_t r = 0; {body} return r; }}"
        )
    };
    let reason = "the order of a set or map";
    for body in [
        "for (int64_t x : s) r = x;",
        "for (int64_t x : s) return x;",
        "for (int64_t x : s) { r += x; if (r > 3) break; }",
        "for (int64_t x : s) r += r * x;",
        "for (int64_t x : s) { r += x; r ^= x; }",
        "auto get = [&]() { return s; }; for (int64_t x : get()) r = x;",
        "SmallVector<int64_t> v; for (int64_t x : s) v.push_back(x);",
    ] {
        stays_native(&order(body), "f($0)", reason);
    }
    let sets = "int64_t f(int64_t n) {
        auto of = [](int64_t a, int64_t b) { SmallSet<int64_t, 4> s; s.insert(a); s.insert(b); return s; };
        return (of(n, 2) == of(2, n)) * 10 + (of(n, 2) != of(n, 3));
    }";
    returns(sets, "f($0)", &[(1, 11), (2, 11), (3, 11)]);
    let vectors = "int64_t f(int64_t n) { SmallVector<int64_t> a = {n, 2}, b = {2, n}; return a == b; }";
    returns(vectors, "f($0)", &[(1, 0), (2, 1)]);
}

#[test]
fn iterators_over_elements_are_those_of_their_values() {
    returns(
        "int64_t sum(OpBuilder &b, int64_t n) {
           OpBuilder::InsertionGuard guard(b);
           DenseIntElementsAttr e = b.getI64TensorAttr({n, 2, 3});
           auto it = e.value_begin<int64_t>();
           int64_t first = *it++;
           return first * 10 + *it + std::accumulate(e.value_begin<int64_t>(), e.value_end<int64_t>(), int64_t(0));
         }",
        "sum($_builder, $0)",
        &[(1, 18), (4, 51)],
    );
}

#[test]
fn bit_vectors_are_ranges_of_booleans() {
    returns(
        "int64_t primes(int64_t n) {
           llvm::SmallBitVector composite(n);
           int64_t sum = 0;
           for (int64_t i = 2; i < n; ++i) {
             if (composite.test(i)) continue;
             sum += i;
             for (int64_t j = i * i; j < n; j += i) composite.set(j);
           }
           for (unsigned i : composite.set_bits()) sum += 100000 * i;
           return sum + 1000 * composite.count() + 10000000 * composite.find_first();
         }",
        "primes($0)",
        // 2 + 3 + 5 + 7 = 17; 4 + 6 + 8 + 9 = 27.
        &[(10, 40_000_000 + 2_700_000 + 4_000 + 17)],
    );
    returns(
        "int64_t all(int64_t n) {
           llvm::BitVector bits(3, true);
           bits.reset(n);
           return bits.all() * 4 + bits.any() * 2 + bits.none();
         }",
        "all($0)",
        &[(0, 2)],
    );
}

#[test]
fn shapes_broadcast_and_are_compatible() {
    returns(
        "int64_t sizes(int64_t n) {
           SmallVector<int64_t> shape = {9};
           bool fits = OpTrait::util::getBroadcastedShape({n, 1}, {4, 5}, shape);
           return (fits ? 1000 : 0) + 10 * shape.size() + (fits ? shape[0] * shape[1] : 0);
         }",
        "sizes($0)",
        &[(1, 1040), (4, 1040), (3, 0)],
    );
    returns(
        "int64_t compatible(int64_t n) {
           ArrayRef<int64_t> a = {n, 3}, b = {2, ShapedType::kDynamic};
           return succeeded(verifyCompatibleShape(a, b));
         }",
        "compatible($0)",
        &[(2, 1), (3, 0), (i64::MIN, 1)],
    );
}

#[test]
fn builders_of_tensor_types_change_a_copy() {
    returns(
        "int64_t sizes(OpBuilder &b, int64_t n) {
           RankedTensorType type = RankedTensorType::get({n, 3}, b.getF32Type());
           RankedTensorType::Builder builder(type);
           builder.insertDim(7, 0).setElementType(b.getI8Type());
           builder.dropDim(1);
           RankedTensorType changed = builder;
           RankedTensorType other = RankedTensorType::Builder(type).setShape({n});
           return changed.getDimSize(0) * 100 + changed.getDimSize(1) * 10 + changed.getElementType().isInteger(8)
             + 1000 * other.getNumElements() + 10000 * type.getRank();
         }",
        "sizes($_builder, $0)",
        &[(5, 25_731)],
    );
}

#[test]
fn the_elements_of_sets_are_distinct() {
    returns(
        "llvm::SetVector<int64_t> of(int64_t n) { return {n, 1, n, 2}; }
         static int64_t size(const std::set<int64_t> &s) { return s.size(); }
         int64_t sizes(int64_t n) {
           SmallVector<int64_t> v = {n, 3, n, 3, 3};
           llvm::SetVector<int64_t> all(v.begin(), v.end());
           std::set<int64_t> some = {1, 1, n};
           return all.size() * 1000 + some.size() * 100 + of(n).size() * 10 + size({n, 4, 4}) + 10000 * all[1];
         }",
        "sizes($0)",
        &[(7, 30_000 + 2_000 + 200 + 30 + 2), (1, 30_000 + 2_000 + 100 + 20 + 2)],
    );
}

#[test]
fn texts_are_joined_and_lists_of_attributes_are_changed() {
    let text = "int64_t length(int64_t n) {
           SmallVector<int64_t> sizes = {n, -1, 30};
           std::string s;
           llvm::interleave(sizes, [&](int64_t d) { s += d < 0 ? std::string(\"D\") : std::to_string(d); }, [&] { s += 'x'; });
           auto upper = llvm::join(llvm::map_range(sizes, [](int64_t d) { return std::to_string(d + 1); }), \", \");
           return s == \"5xDx30\" ? static_cast<int64_t>(upper.size()) : -1;
         }
         int64_t changed(OpBuilder &b, int64_t n) {
           DictionaryAttr old = b.getDictionaryAttr({b.getNamedAttr(\"a\", b.getI64IntegerAttr(n)), b.getNamedAttr(\"b\", b.getUnitAttr())});
           NamedAttrList list(old);
           list.set(\"c\", b.getI64IntegerAttr(2));
           list.set(\"a\", b.getI64IntegerAttr(n + 1));
           list.erase(\"b\");
           DictionaryAttr dict = list.getDictionary(b.getContext());
           return dict.size() * 100 + dict.getAs<IntegerAttr>(\"a\").getInt() * 10 + (list.get(\"b\") ? 1 : 0);
         }";
    // The length of `6, 0, 31`.
    returns(text, "length($0)", &[(5, 8)]);
    returns(text, "changed($_builder, $0)", &[(4, 250)]);
}

#[test]
fn the_order_of_a_set_is_used_only_if_it_is_stated() {
    returns(
        "int64_t sorted(int64_t n) {
           std::set<int64_t> s;
           for (int64_t i : {3, 1, 2, 3}) s.insert(i * n);
           SmallVector<int64_t> v(s.begin(), s.end());
           int64_t digits = 0;
           for (int64_t i : s) digits = digits * 10 + i;
           return digits * 1000 + v[0] * 100 + v[1] * 10 + v[2];
         }",
        "sorted($0)",
        &[(1, 123_123), (2, 246_246)],
    );
    for use_of_order in [
        "SmallVector<int64_t> v(s.begin(), s.end()); return v[0];",
        "SmallVector<int64_t> v = llvm::to_vector(s); return v[0];",
        "auto v = llvm::map_to_vector(s, [](int64_t x) { return x; }); return v[0];",
        "SmallVector<int64_t> v; v.append(s.begin(), s.end()); return v[0];",
        "SmallVector<int64_t> v; llvm::append_range(v, s); return v[0];",
        "return first(llvm::to_vector(s));",
        "return *s.begin();",
        "int64_t d = 0; for (int64_t i : s) d = d * 10 + i; return d;",
        "auto &t = s; SmallVector<int64_t> v(t.begin(), t.end()); return v[0];",
        "int64_t x = 0; for (int64_t i : s) { auto &y = x; y += i; if (i > 3) break; } return x;",
    ] {
        let text = format!(
            "static int64_t first(ArrayRef<int64_t> v) {{ return v[0]; }}
             int64_t of(int64_t n) {{ llvm::DenseSet<int64_t> s; s.insert(n); s.insert(2); {use_of_order} }}"
        );
        stays_native(&text, "of($0)", "the order of a set or map");
    }
    returns(
        "int64_t of(int64_t n) {
           llvm::DenseSet<int64_t> s;
           s.insert(n);
           s.insert(2);
           return s.size() * 100 + s.count(n) * 10 + llvm::any_of(s, [&](int64_t x) { return x == n; });
         }",
        "of($0)",
        &[(2, 111), (3, 211)],
    );
}

#[test]
fn algorithms_change_a_part_of_a_range() {
    // `digits` appends the size to the decimal digits of the elements.
    let text = "int64_t digits(ArrayRef<int64_t> v) { int64_t d = 0; for (int64_t x : v) d = d * 10 + x; return d * 10 + v.size(); }
        SmallVector<int64_t> five() { return {5, 2, 4, 3, 1}; }
        int64_t tail(int64_t n) { auto v = five(); std::sort(v.begin() + n, v.end()); return digits(v); }
        int64_t head(int64_t n) { auto v = five(); std::reverse(v.begin(), v.begin() + n); return digits(v); }
        int64_t middle(int64_t n) { auto v = five(); std::fill(std::next(v.begin()), v.end() - n, 7); return digits(v); }
        int64_t count(int64_t n) { auto v = five(); std::iota(v.begin() + 1, v.end(), n); return digits(v); }
        int64_t turn(int64_t n) { auto v = five(); std::rotate(v.begin(), v.begin() + n, v.end()); return digits(v); }
        int64_t part(int64_t n) { auto v = five(); std::rotate(v.begin() + 1, v.begin() + 2, v.begin() + n); return digits(v); }
        int64_t other(int64_t n) { auto v = five(), w = five(); std::sort(v.begin() + 1, w.end()); return n; }";
    returns(text, "tail($0)", &[(0, 123_455), (2, 521_345), (5, 524_315)]);
    returns(text, "head($0)", &[(0, 524_315), (2, 254_315), (5, 134_255)]);
    returns(text, "middle($0)", &[(0, 577_775), (2, 577_315)]);
    returns(text, "count($0)", &[(1, 512_345), (4, 545_675)]);
    returns(text, "turn($0)", &[(0, 524_315), (2, 431_525), (5, 524_315)]);
    returns(text, "part($0)", &[(3, 542_315), (5, 543_125)]);
    assert!(number(text, "tail($0)", 6).is_err());
    stays_native(text, "other($0)", "sort");
}

#[test]
fn ranges_are_written_compared_and_combined() {
    returns(
        "int64_t f(int64_t n) { std::string s; raw_string_ostream os(s); SmallVector<int64_t> v{1, n, 300}; llvm::interleaveComma(v, os); os << \";\"; llvm::interleaveComma(v, os, [&](int64_t x) { os << x + 1; }); os << \";\"; llvm::interleave(v, os, \"x\"); llvm::interleave(v, os, [&](int64_t x) { os << \"<\" << x << \">\"; }, \"--\"); int64_t r = 0; for (char c : s) r = r * 31 % 1000003 + c; return r; }",
        "f($0)",
        &[(1, 287_327), (3, 536_856), (7, 35_911)],
    );
    returns(
        "int64_t f(int64_t n) { std::string s = \"a\"; raw_string_ostream os(s); SmallVector<int64_t> v; llvm::interleaveComma(v, os); return s.size(); }",
        "f($0)",
        &[(1, 1), (3, 1), (7, 1)],
    );
    returns(
        "using ReassociationIndices = SmallVector<int64_t, 2>;
         int64_t f(int64_t n) { SmallVector<ReassociationIndices> g(2); for (int64_t i = 0; i < n; ++i) g.back().push_back(i * 3); g[0].push_back(7); int64_t r = g[0][0]; for (const ReassociationIndices &x : g) for (int64_t y : x) r = r * 5 + y; return r; }",
        "f($0)",
        &[(1, 210), (3, 5271), (7, 3_295_893)],
    );
    returns(
        "int64_t f(int64_t n) { SmallVector<int64_t> v{5, n, -9, 3, 9}; auto it = std::max_element(v.begin(), v.end(), [](int64_t a, int64_t b) { return std::abs(a) < std::abs(b); }); auto jt = llvm::min_element(v, [](auto a, auto b) { return a % 3 < b % 3; }); SmallVector<int64_t> e; return *it * 1000 + (it - v.begin()) * 100 + *jt * 10 + (jt - v.begin()) + (std::min_element(e.begin(), e.end(), std::less<>()) == e.end()) * 100000; }",
        "f($0)",
        &[(1, 91_112), (3, 91_231), (7, 91_112)],
    );
    returns(
        "int64_t f(int64_t n) { SmallVector<int64_t> v{5, n}; SmallVector<uint8_t> w{6, 2}; return llvm::all_of_zip(v, w, [](int64_t a, uint8_t b) { return a <= b; }); }",
        "f($0)",
        &[(1, 1), (3, 0), (7, 0)],
    );
    returns(
        "int64_t f(int64_t n) { SmallVector<int64_t> v{5, n, 3}; std::vector<int32_t> w{6, 2, 4, 8}; SmallVector<int64_t> r(4, 1), q; std::transform(v.begin(), v.end(), w.begin(), r.begin(), [](int64_t a, int32_t b) { return a * 10 + b; }); std::transform(v.begin(), v.end(), w.begin(), std::back_inserter(q), std::plus<>()); int64_t s = 0; for (auto x : r) s = s * 100 + x; for (auto x : q) s = s * 3 + x; return s; }",
        "f($0)",
        &[(1, 1_515_331_942), (3, 1_520_731_948), (7, 1_531_531_960)],
    );
    returns(
        "int64_t f(int64_t n) { SmallString<8> s(\"ab\"); s += \"cd\"; s.push_back('x'); StringRef r = s; return r.size() * 10 + (s.str() == \"abcdx\"); }",
        "f($0)",
        &[(1, 51), (3, 51), (7, 51)],
    );
    returns(
        "int64_t f(int64_t n) { SmallVector<int64_t> v{5, n, 3}; std::vector<int64_t> w{6, 2, 1}; std::transform(w.begin(), w.end(), v.begin(), v.begin(), [](int64_t a, int64_t b) { return a * b; }); return v[0] * 100 + v[1] * 10 + v[2]; }",
        "f($0)",
        &[(1, 3023), (3, 3063), (7, 3143)],
    );
    let short = "int64_t f(int64_t n) { SmallVector<int64_t> v{5, n, 3}, w{6}; std::transform(v.begin(), v.end(), w.begin(), v.begin(), [](int64_t a, int64_t b) { return a * b; }); return v[0]; }";
    assert!(number(short, "f($0)", 1).is_err_and(|reason| !reason.contains("native")));
}

#[test]
fn algorithms_find_elements_of_parts_of_ranges() {
    for (body, pairs) in [
        (
            "SmallVector<int64_t> v{n, 2}, w{n, 2, 3}; return llvm::all_of_zip(v, w, [](int64_t a, int64_t b) { return a == b; });",
            [(1, 0), (3, 0)],
        ),
        (
            "SmallVector<int64_t> v{n, 2}, w{n, 2, 3}; int64_t k = 0; bool b = llvm::all_of_zip(v, w, [&](int64_t x, int64_t y) { ++k; return x == y; }); return k * 10 + b;",
            [(1, 20), (3, 20)],
        ),
        (
            "SmallVector<int64_t> v{9, n, 2, 5}; auto it = std::max_element(v.begin() + 1, v.end(), [](int64_t a, int64_t b) { return a < b; }); return (it - v.begin()) * 10 + *it;",
            [(1, 35), (7, 17)],
        ),
        (
            "SmallVector<int64_t> v{0, n, 2, 5}; auto it = std::min_element(v.begin() + 1, v.end()); return (it - v.begin()) * 10 + *it;",
            [(1, 11), (7, 22)],
        ),
        (
            "SmallVector<int64_t> v{0, n, 2, 5, 8}; auto it = std::find_if(v.begin() + 1, v.end() - 1, [](int64_t x) { return x > 4; }); return (it - v.begin()) * 10 + *it;",
            [(1, 35), (7, 17)],
        ),
        (
            "SmallVector<int64_t> v{0, n, 2, 5, 8}; auto it = std::find(v.begin() + 2, v.end() - 1, n); return (it - v.begin()) * 10 + *it;",
            [(1, 48), (5, 35)],
        ),
        (
            "SmallVector<int64_t> v{3, n, 2}, e; int64_t k = 0; auto by = [&](int64_t a, int64_t b) { ++k; return a < b; }; auto it = std::max_element(v.begin(), v.end(), by); return k * 100 + (it - v.begin()) * 10 + (std::max_element(e.begin(), e.end(), by) == e.end());",
            [(1, 201), (7, 211)],
        ),
    ] {
        returns(&format!("int64_t f(int64_t n) {{ {body} }}"), "f($0)", &pairs);
    }
    for body in [
        "SmallVector<int64_t> v{n, 2}; std::transform(v.begin(), v.end(), v.begin(), [&](int64_t x) { return x + v[0]; }); return v[1];",
        "SmallVector<int64_t> v{n, 2}, w; std::transform(v.begin(), v.end(), std::back_inserter(w), [&](int64_t x) { return x + w.size(); }); return w[1];",
        "SmallVector<int64_t> v{n, 2}, w{3, 4}; std::transform(v.begin(), v.end(), w.begin(), v.begin(), [&](int64_t x, int64_t y) { return x + y + v[0]; }); return v[1];",
        "SmallVector<int64_t> v{n, 2}, w; auto g = [&] { return w.empty(); }; std::copy_if(v.begin(), v.end(), std::back_inserter(w), [&](int64_t x) { return g(); }); return w.size();",
    ] {
        stays_native(
            &format!("int64_t f(int64_t n) {{ {body} }}"),
            "f($0)",
            "a function that reads the target of an algorithm",
        );
    }
}

#[test]
fn functions_of_algorithms_can_declare_variables_with_the_names_of_ranges() {
    for (body, pairs) in [
        (
            "SmallVector<int64_t> v{n, 2}; int64_t s = 0; llvm::for_each(v, [&](int64_t x) { if (x > 1) { SmallVector<int64_t> v{x}; v[0] += 1; s += v[0]; } }); return s;",
            [(1, 3), (7, 11)],
        ),
        (
            "SmallVector<int64_t> v{n, 2}, w; std::transform(v.begin(), v.end(), std::back_inserter(w), [](int64_t x) { for (int64_t w = 0; w < 3; ++w) x += w; return x; }); return w[0] * 10 + w[1];",
            [(1, 45), (7, 105)],
        ),
    ] {
        returns(&format!("int64_t f(int64_t n) {{ {body} }}"), "f($0)", &pairs);
    }
    for (body, reason) in [
        (
            "SmallVector<int64_t> v{n, 2}; int64_t s = 0; llvm::for_each(v, [&](int64_t x) { if (x > 1) { SmallVector<int64_t> v{x}; s += v[0]; } v[1] = n; s += x; }); return s;",
            "a function that changes the range of an algorithm",
        ),
        (
            "SmallVector<int64_t> v{n, 2}, w; std::transform(v.begin(), v.end(), std::back_inserter(w), [&](int64_t x) { for (int64_t w = 0; w < 3; ++w) x += w; return x + w.size(); }); return w[1];",
            "a function that reads the target of an algorithm",
        ),
        // The range of the loop is the outer variable.
        (
            "SmallVector<int64_t> v{n, 2}, w; std::transform(v.begin(), v.end(), std::back_inserter(w), [&](int64_t x) { for (int64_t w : w) x += w; return x; }); return w[1];",
            "a function that reads the target of an algorithm",
        ),
    ] {
        stays_native(&format!("int64_t f(int64_t n) {{ {body} }}"), "f($0)", reason);
    }
}

#[test]
fn sorted_ranges_are_searched() {
    let text = "int64_t f(int64_t n) {
          SmallVector<int64_t> v{1, 3, 3, 8};
          auto it = llvm::lower_bound(v, n);
          return (it - v.begin()) * 100 + (std::upper_bound(v.begin(), v.end(), n) - v.begin()) * 10 + (it == v.end());
        }
        int64_t g(int64_t n) {
          SmallVector<std::pair<int64_t, int64_t>> v{{4, 1}, {2, 9}, {n, 5}};
          llvm::sort(v, llvm::less_first());
          auto it = llvm::lower_bound(v, 3, [](const auto &pair, int64_t x) { return pair.first < x; });
          int64_t first = it->second;
          llvm::sort(v, llvm::less_second());
          return first * 10 + v.back().first;
        }
        int64_t unsorted(int64_t n) { SmallVector<int64_t> v{9, 1, 7, 2, 8}; return llvm::lower_bound(v, n) - v.begin(); }";
    returns(text, "f($0)", &[(0, 0), (3, 130), (4, 330), (8, 340), (9, 441)]);
    returns(text, "g($0)", &[(3, 52), (7, 12)]);
    // The range is not sorted, so the results depend on the binary search of libstdc++.
    returns(text, "unsorted($0)", &[(5, 2), (8, 4), (7, 2)]);
}

#[test]
fn sizes_have_the_types_of_their_classes() {
    // An `unsigned` wraps at 32 bits, and is converted if the other operand is an `int64_t`.
    let text = "int64_t f(int64_t n) {
          llvm::DenseMap<int64_t, int64_t> m; m[n] = 1; llvm::SmallDenseSet<int64_t> s; s.insert(n);
          return (m.size() - 2) % 1000 * 10 + (n < s.size());
        }
        int64_t g(int64_t n) {
          std::map<int64_t, int64_t> m; m[n] = 1; llvm::SmallSetVector<int64_t, 4> s; s.insert(n);
          return (int64_t)(m.size() - 2) * 10 + (n < s.size());
        }
        int64_t h(int64_t n) {
          llvm::BitVector b(3, true); llvm::SmallBitVector s(3, true);
          return (b.count() - 4) % 1000 + (b.size() - 4) % 1000 * 1000 + int64_t(s.count() - 4) * 1000000 + int64_t(s.size() - 4) * 10000000;
        }";
    returns(text, "f($0)", &[(-1, 2_951), (1, 2_950)]);
    returns(text, "g($0)", &[(-1, -10), (0, -9)]);
    returns(text, "h($0)", &[(0, 295_295 - 11_000_000)]);
    let text = "int64_t f(int64_t n) {
          llvm::DenseMap<int64_t, int64_t> m; m[1] = 1; llvm::DenseSet<int64_t> s; s.insert(1); llvm::StringMap<int64_t> t; t[\"a\"] = 1;
          return (m.count(n) - 2 > 0) + (n - 2 < s.count(1)) * 10 + (n - 2 < t.count(\"a\")) * 100 + (n - 2 < t.size()) * 1000;
        }";
    returns(text, "f($0)", &[(1, 1_011)]);
}

#[test]
fn elements_that_are_equal_to_a_value_are_removed_and_replaced() {
    let text = "static int64_t digits(ArrayRef<int64_t> v) { int64_t n = 0; for (int64_t x : v) n = n * 10 + x; return n; }
        int64_t f(int64_t n) { SmallVector<int64_t> v{1, n, 1, 3}; v.erase(std::remove(v.begin(), v.end(), 1), v.end()); return digits(v); }
        int64_t g(int64_t n) { SmallVector<int64_t> v{1, n, 1, 3}; llvm::erase(v, n); return digits(v); }
        int64_t h(int64_t n) { SmallVector<int64_t> v{1, n, 1, 3}; std::replace(v.begin() + 1, v.end(), int64_t(1), n); llvm::replace(v, 3, 4); return digits(v); }
        int64_t narrow(int64_t n) { SmallVector<uint8_t> v{1, 44, 7}; llvm::erase(v, n); return v.size(); }
        int64_t element(int64_t n) { SmallVector<int64_t> v{1, n, 1, 3}; llvm::erase(v, v[0]); return digits(v); }
        int64_t first(int64_t n) { SmallVector<int64_t> v{1, n, 1, 3}; v.erase(std::remove(v.begin(), v.end(), *v.begin()), v.end()); return digits(v); }
        int64_t least(int64_t n) { SmallVector<int64_t> v{1, n, 1, 3}; std::replace(v.begin(), v.end(), std::min(v[0], v[1]), n); return digits(v); }";
    returns(text, "f($0)", &[(2, 23), (1, 3)]);
    returns(text, "g($0)", &[(2, 113), (1, 3), (3, 11)]);
    returns(text, "h($0)", &[(2, 1_224), (3, 1_444)]);
    returns(text, "narrow($0)", &[(300, 3), (44, 2), (7, 2)]);
    for call in ["element($0)", "first($0)", "least($0)"] {
        stays_native(text, call, "an element of the range that the function changes");
    }
}

/// The expected values are those of g++.
#[test]
fn arrays_of_a_fixed_size_have_all_their_elements() {
    let text = "constexpr int64_t kSize = 3;
        struct Pair { int64_t a; int64_t b; };
        struct Holder { std::array<int64_t, 3> t; int64_t u[2]; };
        enum class Kind { First, Second };
        template <int64_t N> int64_t sized(int64_t n) { std::array<int64_t, N> t; std::iota(t.begin(), t.end(), n); return t.size() * 100 + t.back(); }
        template <int64_t N> int64_t plain(int64_t n) { int64_t t[N] = {n}; return t[0] * 10 + t[N - 1]; }
        int64_t iota(int64_t n) { std::array<int64_t, 3> t; std::iota(t.begin(), t.end(), n); return t[0] * 100 + t[1] * 10 + t[2]; }
        int64_t stores(int64_t n) { std::array<int64_t, 2> t; t[0] = n; t[1] = 2; return t[0] * 10 + t[1]; }
        int64_t fills(int64_t n) { std::array<int32_t, kSize> t; llvm::fill(t, n); return t[0] + t[1] + t[2]; }
        int64_t listed(int64_t n) { std::array<int64_t, kSize> t = {n}; std::array<int64_t, 3> u{{n, 2}}; return t.size() * 1000 + t[2] * 100 + u[1] * 10 + u[2]; }
        int64_t empty(int64_t n) { std::array<bool, kSize> t = {}; std::array<double, 2> d{}; t[1] = n > 1; return t[0] * 4 + t[1] * 2 + t.size() * 10 + d.size(); }
        int64_t member(int64_t n) { Holder h; h.t[1] = n; h.u[1] = 3; return h.t[1] * 10 + h.u[1]; }
        int64_t objects(int64_t n) { std::array<Pair, 2> t; t[1].a = n; Pair u[2]; u[0].b = 4; return t[1].a * 10 + u[0].b; }
        int64_t kinds(int64_t n) { Kind t[2]; t[0] = Kind::First; t[1] = Kind::Second; return t[n] == Kind::Second; }
        int64_t named(int64_t n) { constexpr size_t count = 4; int64_t t[count]; t[3] = n; std::array<int64_t, count> u = {}; return t[3] * 10 + u.size(); }
        int64_t copy(int64_t n) { std::array<int64_t, 2> t = {n, 2}; std::array<int64_t, 2> u = t; u[0] = 7; std::array<int64_t, 2> v(t); return t[0] * 100 + u[0] * 10 + v[1]; }
        int64_t huge(int64_t n) { std::array<int64_t, 100000000> t; return t.size(); }";
    returns(text, "iota($0)", &[(0, 12), (3, 345)]);
    returns(text, "stores($0)", &[(5, 52)]);
    returns(text, "fills($0)", &[(5, 15)]);
    returns(text, "listed($0)", &[(5, 3020)]);
    returns(text, "empty($0)", &[(5, 34), (0, 32)]);
    returns(text, "member($0)", &[(5, 53)]);
    returns(text, "objects($0)", &[(5, 54)]);
    returns(text, "kinds($0)", &[(0, 0), (1, 1)]);
    returns(text, "named($0)", &[(5, 54)]);
    returns(text, "copy($0)", &[(5, 572)]);
    returns(text, "sized<4>($0)", &[(2, 405)]);
    returns(text, "plain<3>($0)", &[(2, 20)]);
    stays_native(text, "huge($0)", "an array of more than 4096 elements");
}

/// The expected values are those of g++.
#[test]
fn a_variable_is_never_the_name_of_a_template() {
    let text = "static int64_t both(bool a, bool b) { return a * 10 + b; }
        template <int64_t A, int64_t B> int64_t take(int64_t n) { return A * 100 + B * 10 + n; }
        int64_t list(int64_t n) { int64_t u = 1, w = n; SmallVector<int64_t> v = {u < 3, w > (1)}; return v.size() * 100 + v[0] * 10 + v[1]; }
        int64_t call(int64_t n) { int64_t b = 2, c = 3, d = 1; return both(n < b, c > (d)); }
        int64_t loop(int64_t n) { int64_t s = 0; for (int64_t i = 0; i < 3; ++i) s += both(i < n, n > (i)); return s; }
        int64_t lambda(int64_t n) { auto f = [](int64_t a, int64_t b) { return both(a < b, b > (a)); }; return f(n, 2); }
        int64_t hides(int64_t n) { int64_t k = take<1, 2>(n); { int64_t take = 3, w = 2; k += both(take < 1, w > (n)); } return k + take<1, 2>(n); }";
    returns(text, "list($0)", &[(2, 211), (1, 210)]);
    returns(text, "call($0)", &[(1, 11), (2, 1)]);
    returns(text, "loop($0)", &[(2, 22)]);
    returns(text, "lambda($0)", &[(1, 11), (3, 0)]);
    returns(text, "hides($0)", &[(1, 243), (3, 246)]);
}

/// The expected values are those of g++.
#[test]
fn an_unsigned_number_is_subtracted_from_an_iterator() {
    let text = "static int64_t number(ArrayRef<int64_t> v) { int64_t n = 0; for (int64_t x : v) n = n * 10 + x; return n; }
        int64_t popped(int64_t n) { SmallVector<int64_t> v{1, 2, 3, 4}; v.pop_back_n(n); return number(v); }
        int64_t erased(int64_t n) { SmallVector<int64_t> v{1, 2, 3, 4}; unsigned k = n; v.erase(v.end() - k, v.end() - 1); return number(v); }
        int64_t before(int64_t n) { SmallVector<int64_t> v{1, 2, 3, 4}; size_t k = n; auto it = v.end(); it -= k; return *it * 10 + *(v.end() - k); }";
    returns(text, "popped($0)", &[(0, 1_234), (2, 12), (4, 0)]);
    returns(text, "erased($0)", &[(2, 124), (4, 4)]);
    returns(text, "before($0)", &[(1, 44), (4, 11)]);
}

/// The expected values are those of g++.
#[test]
fn the_search_in_a_string_starts_at_an_index() {
    let text = "static int64_t number(int64_t at) { return at < 0 ? 9 : at; }
        int64_t find(int64_t n) { StringRef s = \"x_ab_ab\"; return number(s.find(\"ab\", n)) * 100 + number(s.find('_', n)) * 10 + number(s.find(\"\", n)); }
        int64_t first(int64_t n) { std::string s = \"x_ab_ab\"; return s.find(\"ab\") * 10 + s.find('_'); }
        int64_t resized(int64_t n) { SmallVector<int64_t> v{1, 2, 3}; v.resize_for_overwrite(n); return v.size() * 10 + v.back(); }";
    returns(text, "find($0)", &[(0, 210), (3, 543), (6, 996), (7, 997), (8, 999)]);
    returns(text, "first($0)", &[(0, 21)]);
    returns(text, "resized($0)", &[(2, 22)]);
}
