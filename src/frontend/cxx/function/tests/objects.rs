//! Objects of classes of the source files.

use super::{returns, source, stays_native};
use crate::frontend::cxx::{Expected, Placeholder, Request, Text, compile};
use crate::host::Kind;
use crate::snippet::{Snippets, Ty};
use crate::source::Span;

#[test]
fn enumerations_of_a_file_are_numbers() {
    let text = "namespace hlo { enum class Kind : int8_t { kNone = -1, kScalar, kFull = 1 << 2, kBoth = kFull | 1 }; }
        class Options { public: enum Mode { Fast, Slow = 7, };
          static int64_t of(int64_t n) { return n > 0 ? Fast : Options::Slow; } };
        static hlo::Kind kindOf(int64_t n) { return n == 0 ? hlo::Kind::kNone : hlo::Kind::kBoth; }
        int64_t number(int64_t n) {
          switch (kindOf(n)) {
          case hlo::Kind::kNone: return -10;
          case hlo::Kind::kBoth: return static_cast<int>(hlo::Kind::kScalar) + static_cast<int>(kindOf(n));
          default: return 9;
          }
        }";
    returns(text, "number($0)", &[(0, -10), (1, 5)]);
    returns(text, "Options::of($0)", &[(0, 7), (1, 0)]);
    // The values are those of g++.
    let text = "enum Marker { kNone = static_cast<uint8_t>(-1), kBig = static_cast<int8_t>(200), kLow = -(uint16_t)1,
          kTop = 1 << 31, kAll = 0u - 1, kNext };
        int64_t f(int64_t n) { int64_t all[] = {kNone, kBig, kLow, kTop, kAll, kNext}; return all[n]; }";
    let values = [255, -56, -1, -2_147_483_648, 4_294_967_295, 4_294_967_296];
    returns(text, "f($0)", &[0, 1, 2, 3, 4, 5].map(|n: i64| (n, values[usize::try_from(n).expect("small")])));
}

#[test]
fn enumerations_of_a_file_are_types_of_their_own() {
    // The values are those of g++.
    let text = "enum class Kind { I8, I32 }; enum class Small : uint8_t { A, B }; enum Old { OA, OB };
        enum class F { A, B }; enum class G { A, B };
        static int64_t f(int64_t) { return 1; } static int64_t f(Kind) { return 10; }
        static int64_t s(int64_t) { return 1; } static int64_t s(Small) { return 10; }
        static int64_t o(int64_t) { return 1; } static int64_t o(Old) { return 2; } static int64_t o(Kind) { return 3; }
        static int64_t d(double) { return 1; } static int64_t d(F) { return 10; } static int64_t d(G) { return 20; }
        static Kind next(Kind k) { return k == Kind::I8 ? Kind::I32 : Kind::I8; }
        static int64_t next(int64_t n) { return n + 5; }
        template <typename T> static int64_t g(T t) { return 1; } static int64_t g(Kind k) { return 2; }
        struct K { int64_t n; K(Kind k) : n(100 + (int)k) {} K(int64_t k) : n(k) {} };
        template <typename T> static int64_t q() { return std::is_same_v<T, int> ? 1 : std::is_integral_v<T> ? 2 : 3; }
        template <typename T> static int64_t h(T) { return q<T>(); }
        template <Kind C> static int64_t c() { return f(C); }
        int64_t t(int64_t n) {
          int i = 1; uint8_t u = 1; K k(i), l(Kind::I32), m{2};
          int64_t all[] = {f(3), f(i), f(Kind::I8), s(u), s(Small::B), o(OB), o(Kind::I8), o(i), d(F::B), d(G::A), d(1.5),
            next(i), static_cast<int64_t>(next(Kind::I8)), g(i), g(Kind::I32), k.n, l.n, m.n, h(Kind::I8), h(1),
            q<Kind>(), q<bool>(), c<Kind::I32>()};
          return all[n];
        }";
    let values = [1, 1, 10, 1, 10, 2, 3, 1, 10, 20, 1, 6, 1, 1, 2, 1, 101, 2, 3, 1, 3, 2, 10];
    for (given, want) in (0..).zip(values) {
        returns(text, "t($0)", &[(given, want)]);
    }
}

#[test]
fn a_class_that_contains_objects_of_its_own_type_is_refused_at_once() {
    let text =
        "struct Left; struct N { SmallVector<N> a; SmallVector<N> b; SmallVector<N> c; int64_t v = 1; };
        struct Left { SmallVector<Right> all; }; struct Right { SmallVector<Left> all; int64_t v = 1; };
        int64_t f(int64_t x) { N n; return n.v + x; } int64_t g(int64_t x) { Right r; return r.v + x; }";
    stays_native(text, "f($0)", "the class 'N' contains objects of its own type");
    stays_native(text, "g($0)", "the class 'Right' contains objects of its own type");
}

#[test]
fn enumerations_have_the_operators_of_the_files() {
    // The values are those of g++.
    let text = "enum class Flags : uint8_t { None, A = 1, B = 2 };
        static bool operator&(Flags a, Flags c) { return (static_cast<uint8_t>(a) & static_cast<uint8_t>(c)) != 0; }
        static Flags operator|(Flags a, Flags c) { return static_cast<Flags>(static_cast<uint8_t>(a) | static_cast<uint8_t>(c) | 8); }
        static Flags &operator|=(Flags &a, Flags c) { a = a | c; return a; }
        static bool operator==(Flags a, int64_t c) { return c == 77; }
        namespace q { enum class Flags : uint8_t { None, A = 1, B = 2 };
          static Flags operator~(Flags a) { return static_cast<Flags>(~static_cast<uint8_t>(a) & 3); } }
        enum class Level { Low, Mid, High };
        static Level operator++(Level &l) { l = l == Level::High ? Level::Low : static_cast<Level>(static_cast<int>(l) + 1); return l; }
        static Level operator+(Level l, int k) { return static_cast<Level>((static_cast<int>(l) + k) % 3); }
        enum class Prio { Low, Mid, High };
        static bool operator<(Prio a, Prio c) { return static_cast<int>(a) > static_cast<int>(c); }
        static int64_t i(bool holds) { return holds ? 1 : 0; }
        int64_t t(int64_t n) {
          Flags f = Flags::A; f = f | Flags::B; Flags g = Flags::None; g |= Flags::B;
          Level l = Level::High; Level k = l + 2; ++l;
          SmallVector<Prio> p{Prio::Low, Prio::High, Prio::Mid}; llvm::sort(p);
          int64_t all[] = {i(Flags::B & Flags::B), (int64_t)f, (int64_t)(~q::Flags::A), (int64_t)g, i(f == 77), i(f == Flags::A),
            (int64_t)l, (int64_t)k, i(Prio::Low < Prio::High), i(Prio::High < Prio::Low), i(Prio::Low == Prio::Low),
            (int64_t)p[0], (int64_t)p[1], (int64_t)p[2], i(Prio::Low > Prio::High)};
          return all[n];
        }
        int64_t most(int64_t n) { return (int64_t)std::max(Prio::Low, Prio::High); }";
    let values = [1, 11, 2, 10, 1, 0, 0, 1, 0, 1, 1, 2, 1, 0, 0];
    for (given, want) in (0..).zip(values) {
        returns(text, "t($0)", &[(given, want)]);
    }
    stays_native(text, "most($0)", "operator '<' does not apply to");
    let text = "enum class Kind { A, B };
        static llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Kind k) { return os << (k == Kind::A ? \"KA\" : \"KB\"); }
        int64_t f(int64_t n) { std::string s; llvm::raw_string_ostream os(s); os << Kind::B; return s.size(); }";
    stays_native(text, "f($0)", "the output of an enumeration by an 'operator<<' of the source files");
}

#[test]
fn classes_may_have_functions_beside_their_data() {
    let text = "using Number = int64_t; using Twice = int64_t; using Twice = bool; using Twice = float;
        struct Pattern { using Number = bool; };
        struct Term { Number factor = 2; int64_t power; bool operator<(const Term &o) const { return power < o.power; }
          static int64_t one() { return 1; } int64_t hidden = 5; };
        struct Owner { ~Owner() { x = 0; } int64_t x; };
        Number f(Number n) { Term t{n, 3}; return t.factor * t.power + t.hidden + Term::one(); }
        int64_t g(int64_t n) { Owner m{n}; return m.x; }";
    returns(text, "f($0)", &[(1, 9), (4, 18)]);
    stays_native(text, "g($0)", "'Owner' is not known");
}

const CLASSES: &str = "
struct Dims {
  int64_t batch = 1, channels = 2;
  SmallVector<int64_t> spatial;
  int64_t rank() const { return spatial.size() + 2; }
  bool empty() const { return rank() == 2; }
  void add(int64_t d) { spatial.push_back(d); channels += d; }
  Dims &scale(int64_t by) { for (int64_t &d : spatial) d *= by; batch = this->batch * by; return *this; }
  int64_t total() const;
  void pop(int64_t &out) { out = spatial.back(); spatial.pop_back(); }
  static int64_t twice(int64_t x) { return 2 * x; }
};
int64_t Dims::total() const { int64_t sum = batch + channels; for (int64_t d : spatial) sum += d; return twice(sum); }
class Range {
public:
  Range() = default;
  Range(int64_t lo, int64_t hi) : hi_(hi), lo_(lo) { if (lo_ > hi_) std::swap(lo_, hi_); }
  explicit Range(int64_t hi) : Range(0, hi) { ++made_; }
  int64_t lo() const { return lo_; }
  int64_t size() const { return hi_ - lo_; }
  bool operator<(const Range &other) const { return size() < other.size(); }
  bool operator==(const Range &other) const { return size() == other.size(); }
  Range operator+(int64_t by) const { return {lo_ + by, hi_ + by}; }
  void set(int64_t lo_) { this->lo_ = lo_; }
  int64_t made() const { return made_; }
private:
  int64_t lo_ = 0;
  int64_t hi_ = 10;
  int64_t made_{0};
};
static bool operator!=(const Range &a, const Range &b) { return !(a == b); }
static Range widest(ArrayRef<Range> ranges) {
  Range best(0);
  for (const Range &r : ranges) if (best < r) best = r;
  return best;
}
";

#[test]
fn objects_have_member_functions() {
    let text = &format!(
        "{CLASSES}
        int64_t f(int64_t n) {{ Dims d; d.add(n); d.add(3); d.scale(2); return d.total() * 100 + d.rank() * 10 + d.empty(); }}
        int64_t g(int64_t n) {{
          SmallVector<Dims> all(2);
          for (auto &d : all) d.add(n);
          all[1].add(5);
          all.front().channels += Dims::twice(7);
          int64_t last = 0;
          all.back().pop(last);
          Dims copy = all[0];
          copy.scale(10);
          return all[0].total() * 1000 + all[1].total() * 10 + last + copy.spatial[0];
        }}
        int64_t order(int64_t n) {{
          struct Stack {{
            SmallVector<int64_t> all;
            int64_t pop() {{ return all.pop_back_val(); }}
            void push(int64_t x) {{ all.push_back(x); }}
            int64_t plus(int64_t x) const {{ return all.back() * 10 + x; }}
            Stack &operator+=(int64_t x) {{ push(x); return *this; }}
          }};
          Stack s{{{{n, 7}}}};
          s.push(s.pop() + 1);
          s += 3;
          int64_t p = s.plus(s.pop());
          return p * 10 + s.all.size();
        }}
        int64_t names(int64_t n) {{
          class Names {{
            llvm::StringSet<> used;
            std::string last;
            unsigned next = 0;
          public:
            StringRef fresh(const Twine &name) {{
              std::string candidate = name.str();
              candidate.reserve(8);
              std::replace(candidate.begin(), candidate.end(), '.', '_');
              while (!used.insert(candidate).second) candidate = (name + \"_\" + Twine(next++)).str();
              return last = candidate;
            }}
            size_t size() const {{ return used.size(); }}
          }};
          Names all;
          all.fresh(\"a.b\");
          StringRef second = all.fresh(\"a_b\");
          for (int64_t i = 0; i < n; ++i) all.fresh(\"c\");
          return all.size() * 10 + second.size();
        }}
        struct Outer {{ Dims inner; int64_t calls = 0; void add(int64_t x) {{ inner.add(x); calls++; if (x > 0) add(x - 1); }} }};
        int64_t h(int64_t n) {{ Outer o; o.add(n); return o.inner.rank() * 10 + o.calls; }}
        int64_t local(int64_t n) {{
          struct Entry {{ int64_t key; int64_t weight() const {{ return key * 2; }} }};
          SmallVector<Entry> all;
          all.push_back({{n}});
          all.push_back(Entry{{1}});
          llvm::sort(all, [](const Entry &a, const Entry &b) {{ return a.weight() < b.weight(); }});
          return all[0].key * 10 + all[1].weight();
        }}"
    );
    returns(text, "f($0)", &[(4, 2 * (2 + (2 + 4 + 3) + (8 + 6)) * 100 + 40)]);
    // `all[0]` has batch 1, channels 2 + n + 14 and spatial [n]. `all[1]` has channels 2 + n + 5 and spatial [n].
    returns(text, "g($0)", &[(1, (2 * (1 + 17 + 1)) * 1000 + (2 * (1 + 8 + 1)) * 10 + 5 + 10)]);
    returns(text, "h($0)", &[(3, 64), (0, 31)]);
    returns(text, "names($0)", &[(0, 25), (3, 55)]);
    returns(text, "order($0)", &[(1, 832)]);
    returns(text, "local($0)", &[(4, 18), (0, 2)]);
}

#[test]
fn constructors_make_objects() {
    let text = &format!(
        "{CLASSES}
        int64_t f(int64_t n) {{ Range a(n, 3), b, c{{n}}; return a.lo() * 10000 + a.size() * 1000 + b.size() * 10 + c.made(); }}
        int64_t g(int64_t n) {{
          SmallVector<Range> all = {{Range(1, n), Range(4, 6)}};
          all.push_back({{2, 5}});
          all.emplace_back(0, 1);
          llvm::sort(all);
          return all[0].size() * 1000 + all[3].size() * 100 + widest(all).lo() * 10 + (all[0] == all[1]) + (all[0] != all[1]) * 2;
        }}
        int64_t h(int64_t n) {{ Range a = Range(1, 4) + n; a.set(0); return a.size(); }}
        struct Shape {{
          explicit Shape(ArrayRef<int64_t> dims, int64_t extra = 7) : dims(dims.begin(), dims.end()), range(extra) {{
            if (dims.empty()) return;
            this->dims.push_back(extra);
          }}
          SmallVector<int64_t, 4> dims; Range range;
        }};
        int64_t k(int64_t n) {{ Shape s({{n, 2}}); return s.dims.size() * 100 + s.dims.back() * 10 + s.range.size(); }}"
    );
    returns(text, "f($0)", &[(1, 12_101), (5, 32_101)]);
    returns(text, "g($0)", &[(2, 1321), (9, 1812)]);
    returns(text, "h($0)", &[(0, 4), (3, 7)]);
    returns(text, "k($0)", &[(1, 377)]);
}

/// Uses of objects that are outside the language.
#[test]
fn other_uses_of_objects_stay_native() {
    let class = "struct P { int64_t a = 0; P &add(int64_t x) { a += x; return *this; } void both(int64_t &x, const int64_t &y) { x += y; } };
        struct Q { int64_t a = 0, b = 0; bool operator==(const Q &o) const { return a == o.a; } };
        struct R { R(const R &o) : a(o.a + 1) {} int64_t a; };
        struct S { int64_t *p; };
        struct T : P { int64_t c; };
        struct U { U(int64_t a, int64_t b) : b(a), a(b) {} int64_t a, b; };
        static int64_t sum(const SmallVector<int64_t> &v, SmallVectorImpl<int64_t> &out) { out.clear(); return v.size(); }
        static int64_t second(U u) { return u.b; }\n";
    let stays = |body: &str, reason: &str| {
        stays_native(&format!("{class}int64_t f(int64_t n) {{ {body} }}"), "f($0)", reason);
    };
    stays("P p; p.add(1).add(n); return p.a;", "temporary object");
    stays("P p; p.both(p.a, p.a); return p.a;", "one variable");
    stays("SmallVector<int64_t> v = {n}; return sum(v, v);", "one variable");
    stays("SmallVector<Q> v(3); return llvm::is_contained(v, v[0]);", "'=='");
    stays("SmallVector<Q> v(3), w(3); return v == w;", "'=='");
    stays("R r{n}; return r.a;", "'R' is not known");
    stays("S s{&n}; return *s.p;", "'S' is not known");
    stays("T t; return t.c;", "'T' is not known");
    stays(
        "struct V { llvm::StringSet<> all; }; V v; for (StringRef s : v.all) return s.size(); return n;",
        "order",
    );
    stays("return second({n, 2});", "does not take");
}

#[test]
fn lambdas_capture_the_pointer_to_the_object() {
    let text = "struct W { int64_t total = 0;
          int64_t run(int64_t n) { auto g = [=]() { return total + n; }; total = 5; n = 2;
            auto h = [this]() { return total + 1; }; total = 7; return g() * 100 + h(); } };
        int64_t f(int64_t n) { W w; return w.run(n); }";
    returns(text, "f($0)", &[(0, 708), (1, 808)]);
}

#[test]
fn constness_chooses_a_member_function() {
    let text = "struct P { int64_t a = 0; int64_t g() const { return 1; } int64_t g() { return 2; }
          int64_t h() const { return g(); } int64_t k() { return g(); } };
        struct Q { P p; int64_t h() const { return p.g(); } int64_t k() { return p.g(); } };
        static int64_t constant(const P &p) { return p.g(); }
        static int64_t variable(P &p) { return p.g(); }
        static P make() { return P(); }
        int64_t f(int64_t n) { P p; const P c; Q q; SmallVector<P> all = {p}; int64_t sum = 0;
          for (const P &e : all) sum += e.g();
          return ((((p.g() * 10 + constant(p)) * 10 + p.h()) * 10 + p.k()) * 10 + variable(p)) * 10000
            + (q.h() * 10 + q.k()) * 100 + c.g() * 10 + all[0].g() + sum; }
        int64_t value(int64_t n) { return make().g(); }
        int64_t deduced(int64_t n) { P p; auto &q = p; return q.g(); }";
    returns(text, "f($0)", &[(0, 211_221_213)]);
    stays_native(text, "value($0)", "'const'");
    stays_native(text, "deduced($0)", "'const'");
}

#[test]
fn comparisons_of_objects_inside_pairs_stay_native() {
    let class =
        "struct Q { int64_t a = 0, b = 0; bool operator==(const Q &o) const { return a == o.a; } };\n";
    let stays = |body: &str, reason: &str| {
        stays_native(&format!("{class}int64_t f(int64_t n) {{ {body} }}"), "f($0)", reason);
    };
    stays("std::pair<Q, int64_t> x = {Q{1, 2}, n}, y = {Q{1, 3}, n}; return x == y;", "'=='");
    stays("SmallVector<std::pair<Q, int64_t>> v; llvm::sort(v); return v.size();", "'<'");
    stays("SmallVector<Q> v(2); return std::max_element(v.begin(), v.end())->a;", "'<'");
    stays("SmallVector<std::pair<int64_t, Q>> v(2); return llvm::is_contained(v, v[0]);", "'=='");
}

/// The size of a compiled call is proportional to the length of its text.
#[test]
fn chains_of_calls_are_lowered_once() {
    let chain = ".abs()".repeat(40);
    let text = format!(
        "struct P {{ int64_t a = 2; P abs() const {{ return *this; }} }};
        int64_t f(int64_t n) {{ P p; return p{chain}.a * 10 + APInt(64, n){chain}.getSExtValue(); }}"
    );
    returns(&text, "f($0)", &[(3, 23)]);
}

#[test]
fn objects_and_their_members_are_called() {
    let text = "struct W { int64_t k = 3; int64_t operator()(int64_t x) const { return x * k; } };
        struct Q { W w; int64_t run(int64_t n) { return w(n); } };
        int64_t f(int64_t n) { W w; return w(n); }
        int64_t g(int64_t n) { Q q; return q.run(n); }";
    returns(text, "f($0)", &[(5, 15)]);
    returns(text, "g($0)", &[(5, 15)]);
}

#[test]
fn static_functions_have_no_object() {
    let text = "struct P { int64_t a = 1; static int64_t readd(int64_t x); int64_t add(int64_t x);
          static llvm::StringRef name(int64_t x); static int64_t twice (int64_t x); };
        int64_t P::readd(int64_t x) { return x; }
        int64_t P::add(int64_t x) { a += x; return a; }
        llvm::StringRef P::name(int64_t x) { return x > 0 ? \"positive\" : \"not\"; }
        int64_t P::twice(int64_t x) { return 2 * x; }
        struct W { int64_t k = 0; static int64_t g(int64_t x) { return x + 1; } int64_t g(int64_t x, int64_t y) { k += y; return x; }
          int64_t run() { int64_t r = g(k); return r + g(1, 2); } };
        int64_t f(int64_t n) { P p; p.add(n); return p.a * 100 + P::readd(n) * 10 + P::name(n).size() + P::twice(n) * 1000; }
        int64_t g(int64_t n) { W w; int64_t r = w.run(); return r * 10 + w.k; }";
    returns(text, "f($0)", &[(3, 6_438)]);
    returns(text, "g($0)", &[(0, 22)]);
}

#[test]
fn a_defaulted_constructor_causes_no_note() {
    let text = "struct P { int64_t a = 7; P() = default; P(int64_t x) : a(x) {} };
        int64_t f(int64_t n) { P p, q{}, r(n); return p.a * 100 + q.a * 10 + r.a; }";
    returns(text, "f($0)", &[(3, 773)]);
    let (source, _sources) = source(text);
    let mut snippets = Snippets::default();
    let params = [Placeholder::new("$0", Ty::I64)];
    let request = Request { params: &params, expected: Expected::Kind(Kind::Int), resolver: &source };
    compile(&mut snippets, &Text::new("f($0)", Span::NONE), &request).expect("a helper");
    assert_eq!(source.0.notes().iter().count(), 0);
}

#[test]
fn operators_may_be_free_functions_beside_members() {
    let text = "struct W { int64_t k = 0; W operator+(int64_t x) const { W w = *this; w.k += x; return w; }
          W &operator+=(int64_t x) { k += x; return *this; } };
        static W operator+(const W &a, const W &b) { W w; w.k = a.k * b.k; return w; }
        static W &operator+=(W &a, const W &b) { a.k = a.k * b.k; return a; }
        int64_t f(int64_t n) { W w; w.k = n; W v = w; v += w; v += 1; return (w + w).k * 1000 + (w + 1).k * 100 + v.k; }";
    returns(text, "f($0)", &[(4, 16_517)]);
}

#[test]
fn one_argument_constructs_an_element() {
    let text = "struct W { int64_t k; explicit W(int64_t x) : k(x + 1) {} };
        int64_t f(int64_t n) { SmallVector<W> v; v.emplace_back(n); v.emplace_back(v[0]); return v[0].k * 10 + v[1].k; }";
    returns(text, "f($0)", &[(3, 44)]);
}

#[test]
fn local_classes_are_visible_only_in_their_function() {
    let text = "namespace n { struct Entry { int64_t k = 5; int64_t get() const { return k; } }; }
        using namespace n;
        static int64_t g(int64_t n) { struct Entry { int64_t k = 1; int64_t get() const { return k; } }; Entry e; return e.get(); }
        static int64_t h(int64_t n) { struct Entry { int64_t k = 2, j = 0; int64_t get() const { return k; } };
          SmallVector<Entry> all(2); llvm::sort(all, [](const Entry &a, const Entry &b) { return a.get() < b.get(); }); return all[1].get(); }
        int64_t f(int64_t n) { Entry e; return g(n) * 100 + h(n) * 10 + e.get(); }
        int64_t hidden(int64_t n) { struct Local { int64_t k = 1; }; return n; }
        int64_t other(int64_t n) { Local e; return e.k; }";
    returns(text, "f($0)", &[(0, 125)]);
    stays_native(text, "other($0)", "'Local' is not known");
}

/// The values are those of g++.
#[test]
fn lists_in_braces_initialise_results() {
    let text = "struct P { int64_t a = 1; int64_t b = 2; bool c = true; };
        struct Q { int64_t a; int64_t b; };
        struct R { P p; int64_t z = 7; };
        static std::optional<P> o1(int64_t n) { if (n < 0) return {}; return {{n}}; }
        static std::optional<Q> o2(int64_t n) { if (n < 0) return {}; return Q{n}; }
        static P p0() { return {}; }
        static P p1(int64_t n) { return {n}; }
        static P p2(int64_t n) { return {n, 5}; }
        static Q q1(int64_t n) { return {n}; }
        static Q q2(int64_t n) { return {n, n + 1}; }
        static R r1(int64_t n) { return {{n, 3}, 9}; }
        static R r2(int64_t n) { return {{n}}; }
        static R r3() { return {}; }
        static std::pair<int64_t, int64_t> pp(int64_t n) { if (n < 0) return {}; return {n, 2}; }
        static std::pair<int64_t, Q> pq(int64_t n) { if (n < 0) return {}; return {n, {n, 4}}; }
        static SmallVector<int64_t> v0() { return {}; }
        static SmallVector<int64_t> v2(int64_t n) { return {n, 2}; }
        static SmallVector<Q> vq(int64_t n) { return {{n, 2}, {n}}; }
        static FailureOr<Q> fq(int64_t n) { if (n < 0) return failure(); return Q{n, 3}; }
        static FailureOr<P> fp(int64_t n) { if (n < 0) return failure(); return P{n}; }
        static FailureOr<std::pair<int64_t, int64_t>> fpp(int64_t n) { if (n < 0) return failure(); return std::make_pair(n, n); }
        static std::optional<std::pair<int64_t, int64_t>> opp(int64_t n) { if (n < 0) return {}; return {{n, 5}}; }
        static std::optional<SmallVector<int64_t>> ov(int64_t n) { if (n < 0) return {}; return {{n, 5}}; }
        static std::tuple<int64_t, int64_t, bool> tt(int64_t n) { return {n, 1, true}; }
        int64_t o1_of(int64_t n) { auto x = o1(n); return x ? x->a * 100 + x->b * 10 + x->c : -1; }
        int64_t o2_of(int64_t n) { auto x = o2(n); return x ? x->a * 100 + x->b : -1; }
        int64_t p0_of(int64_t n) { P x = p0(); return x.a * 100 + x.b * 10 + x.c; }
        int64_t p1_of(int64_t n) { P x = p1(n); return x.a * 100 + x.b * 10 + x.c; }
        int64_t p2_of(int64_t n) { P x = p2(n); return x.a * 100 + x.b * 10 + x.c; }
        int64_t q1_of(int64_t n) { Q x = q1(n); return x.a * 100 + x.b; }
        int64_t r1_of(int64_t n) { R x = r1(n); return x.p.a * 1000 + x.p.b * 100 + x.p.c * 10 + x.z; }
        int64_t r2_of(int64_t n) { R x = r2(n); return x.p.a * 1000 + x.p.b * 100 + x.p.c * 10 + x.z; }
        int64_t r3_of(int64_t n) { R x = r3(); return x.p.a * 1000 + x.p.b * 100 + x.p.c * 10 + x.z; }
        int64_t pp_of(int64_t n) { auto x = pp(n); return x.first * 100 + x.second; }
        int64_t pq_of(int64_t n) { auto x = pq(n); return x.first * 100 + x.second.a * 10 + x.second.b; }
        int64_t v0_of(int64_t n) { return v0().size(); }
        int64_t v2_of(int64_t n) { auto v = v2(n); return v.size() * 1000 + v[0] * 10 + v[1]; }
        int64_t vq_of(int64_t n) { auto v = vq(n); return v.size() * 1000 + v[0].a * 10 + v[1].b; }
        int64_t fq_of(int64_t n) { auto x = fq(n); if (failed(x)) return -1; return x->a * 10 + x->b; }
        int64_t fp_of(int64_t n) { auto x = fp(n); if (failed(x)) return -1; return x->a * 10 + x->b; }
        int64_t fpp_of(int64_t n) { auto x = fpp(n); if (failed(x)) return -1; return x->first * 10 + x->second; }
        int64_t opp_of(int64_t n) { auto x = opp(n); if (!x) return -1; return x->first * 10 + x->second; }
        int64_t ov_of(int64_t n) { auto x = ov(n); if (!x) return -1; return x->size() * 10 + (*x)[0]; }
        int64_t tt_of(int64_t n) { auto [a, b, c] = tt(n); return a * 100 + b * 10 + c; }";
    for (function, positive, negative) in [
        ("o1_of", 321, -1),
        ("o2_of", 300, -1),
        ("p0_of", 121, 121),
        ("p1_of", 321, -479),
        ("p2_of", 351, -449),
        ("q1_of", 300, -500),
        ("r1_of", 3_319, -4_681),
        ("r2_of", 3_217, -4_783),
        ("r3_of", 1_217, 1_217),
        ("pp_of", 302, 0),
        ("pq_of", 334, 0),
        ("v0_of", 0, 0),
        ("v2_of", 2_032, 1_952),
        ("vq_of", 2_030, 1_950),
        ("fq_of", 33, -1),
        ("fp_of", 32, -1),
        ("fpp_of", 33, -1),
        ("opp_of", 35, -1),
        ("ov_of", 23, -1),
        ("tt_of", 311, -489),
    ] {
        returns(text, &format!("{function}($0)"), &[(3, positive), (-5, negative)]);
    }
}

#[test]
fn types_are_value_initialised_as_in_cpp() {
    let text = "enum class K { a = 1 };
        struct S { int64_t n = 4; float f; };
        template <typename T> static T made() { return T(); }
        template <typename T> static T braced() { return T{}; }
        template <typename T> static T pick(bool b, T x) { return b ? x : T(); }
        template <typename T> static T total(ArrayRef<T> v) { T sum{}; for (T x : v) sum += x; return sum; }
        int64_t f(int64_t n) {
          return made<float>() + braced<double>() + made<bool>() + made<StringRef>().size() + made<APInt>().getBitWidth() * 10
            + (int64_t)braced<K>() + made<S>().n * 100 + braced<std::array<int64_t, 3>>().size() * 1000
            + made<std::array<S, 2>>()[1].n * 10000 + made<std::optional<int64_t>>().value_or(6);
        }
        int64_t g(int64_t n) {
          SmallVector<float> v{1.5, 2.5};
          SmallVector<int64_t> w{n, 2};
          return pick(n > 1, 5.0f) + pick(n > 1, n) * 10 + total<float>(v) * 100 + total<int64_t>(w) * 1000;
        }
        template <typename T> static int64_t sizes(T x) { T y; return y.size(); }
        int64_t h(int64_t n) { std::array<int64_t, 3> a{}; return sizes(a); }
        template <typename T> static int64_t first() { return T{1}[0]; }
        int64_t i(int64_t n) { return first<std::array<int64_t, 2>>(); }";
    // The values are those of g++.
    returns(text, "f($0)", &[(3, 43_416)]);
    returns(text, "g($0)", &[(3, 5_435), (7, 9_475), (1, 3_400)]);
    stays_native(text, "h($0)", "a new range of a deduced class, which may be an array,");
    stays_native(text, "i($0)", "an array that lists elements and whose type is a template parameter");
}
