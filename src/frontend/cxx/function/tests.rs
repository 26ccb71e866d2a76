//! Compiles functions, evaluates calls of them, and compares the results with those of C++.

use std::sync::Arc;

use super::{Functions, Helpers};
use crate::frontend::cxx::tests::host;
use crate::frontend::cxx::{Expected, Placeholder, Request, Resolver, Text, compile};
use crate::host::{Bind, Entity, Kind, Natives};
use crate::ir::IrHost;
use crate::snippet::{Linked, Snippets, Ty};
use crate::source::{SourceMap, Span};

pub(super) struct Source(Helpers);

impl Resolver for Source {
    fn helpers(&self) -> Option<&Helpers> {
        Some(&self.0)
    }
}

pub(super) fn source(text: &str) -> (Source, SourceMap) {
    source_of(&[("helpers.cpp", text)])
}

/// The helpers in files with these names and texts.
fn source_of(files: &[(&str, &str)]) -> (Source, SourceMap) {
    let (mut sources, mut functions) = (SourceMap::default(), Functions::of_library());
    for &(name, text) in files {
        let file = sources.add(name, text.to_owned()).expect("small");
        functions.add(sources.file(file));
    }
    (Source(Helpers::new(&Arc::new(functions))), sources)
}

/// Evaluates a call over `$0`, an integer. The error is the reason why there is no value.
fn number(text: &str, call: &str, given: i64) -> Result<i64, String> {
    pair(text, call, given, 0)
}

/// Evaluates a call over the integers `$0` and `$1`.
pub(super) fn pair(text: &str, call: &str, given: i64, second: i64) -> Result<i64, String> {
    pair_of(&[("helpers.cpp", text)], call, given, second)
}

/// Evaluates a call of a function in files with these names and texts over the integers `$0` and `$1`.
pub(super) fn pair_of(files: &[(&str, &str)], call: &str, given: i64, second: i64) -> Result<i64, String> {
    let (source, _sources) = source_of(files);
    let mut host = host("");
    let mut snippets = Snippets::default();
    snippets.add_constant_op("arith.constant", "value");
    let params = [Placeholder::new("$0", Ty::I64), Placeholder::new("$1", Ty::I64)];
    let request = Request { params: &params, expected: Expected::Kind(Kind::Int), resolver: &source };
    let compiled = compile(&mut snippets, &Text::new(call, Span::NONE), &request);
    let id = compiled.map_err(|failure| format!("compile: {}", failure.into_diagnostic().message))?;
    let linked = Linked::link(&snippets, &mut host, &Natives::new());
    if !linked.missing().is_empty() {
        let notes: Vec<String> = source.0.notes().iter().map(|note| note.message.clone()).collect();
        return Err(format!("native: {}", notes.join("; ")));
    }
    match &linked
        .value(&snippets, id, &host, &[Entity::Int(given), Entity::Int(second)])
        .map_err(|refusal| refusal.to_string())?[..]
    {
        [Entity::Int(value)] => Ok(*value),
        other => Err(format!("{} results", other.len())),
    }
}

#[track_caller]
fn returns(text: &str, call: &str, pairs: &[(i64, i64)]) {
    for &(given, want) in pairs {
        assert_eq!(number(text, call, given), Ok(want), "{call} with {given}");
    }
}

#[track_caller]
pub(super) fn stays_native(text: &str, call: &str, reason: &str) {
    let got = number(text, call, 1);
    let message = got.expect_err("no value");
    assert!(message.contains(reason), "{message}");
}

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
    // [0]: batch 1, channels 2 + n + 14, spatial [n]; [1]: channels 2 + n + 5, spatial [n].
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

/// A function that gets one variable through two references would see the changes through both of them.
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

#[test]
fn lambdas_capture_the_pointer_to_the_object() {
    let text = "struct W { int64_t total = 0;
          int64_t run(int64_t n) { auto g = [=]() { return total + n; }; total = 5; n = 2;
            auto h = [this]() { return total + 1; }; total = 7; return g() * 100 + h(); } };
        int64_t f(int64_t n) { W w; return w.run(n); }";
    returns(text, "f($0)", &[(0, 708), (1, 808)]);
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
    stays_native(text, "c($0)", "a change of an element of several ranges");
    returns(text, "a($0)", &[(3, 6)]);
    returns(text, "b($0)", &[(3, 2)]);
    returns(text, "d($0)", &[(3, 25)]);
}

#[test]
fn parameters_and_declarations_have_the_types_of_cpp() {
    let text = "static void set(MutableArrayRef<int64_t> m, int64_t n) { m[0] = n; }
        int64_t views(int64_t n) { SmallVector<int64_t> v{1, 2}; set(v, n); MutableArrayRef<int64_t> m = v; m[1] = 5; return v[0] * 10 + v[1]; }
        static int64_t half(unsigned long long x) { return x / 2; }
        int64_t words(int64_t n) { unsigned short s = n; unsigned char c = n; long unsigned int l = -1; return s * 1000 + c + half(l) / (1ll << 62); }
        int64_t array(int64_t n) { int64_t v[3] = {1}; return v[1]; }
        int64_t whole(int64_t n) { int64_t v[] = {1, n}, w[2] = {3, n}; return v[1] * 10 + w[0]; }
        int64_t copies(int64_t n) { int64_t k = 1; auto f = [k]() mutable { return ++k; }; auto g = f; return f() + f() + g(); }
        struct S { int64_t n; friend S operator+(const S &l, int64_t k) { return S{l.n + k}; } S &operator+=(const S &o) { n += o.n; return *this; } };
        int64_t friends(int64_t n) { S s{n}; s += S{2}; return (s + 1).n; }";
    returns(text, "views($0)", &[(3, 35)]);
    returns(text, "words($0)", &[(65_537, 1_002)]);
    stays_native(text, "array($0)", "fewer values");
    returns(text, "whole($0)", &[(4, 43)]);
    stays_native(text, "copies($0)", "a lambda that changes its copies");
    returns(text, "friends($0)", &[(3, 6)]);
}

#[test]
fn recursive_and_exponential_declarations_stay_native() {
    stays_native("int64_t f(int64_t k = f()) { return k; }", "f()", "native");
    let aliases: String = (1..40).map(|i| format!("using T{i} = std::pair<T{0}, T{0}>;\n", i - 1)).collect();
    let text = format!("using T0 = int64_t;\n{aliases}int64_t f(int64_t n) {{ T39 t; return n; }}");
    stays_native(&text, "f($0)", "is not known");
    let (open, close) = ("struct S { ".repeat(20_000), "};".repeat(20_000));
    returns(&format!("{open}{close}\nint64_t f(int64_t n) {{ return n; }}"), "f($0)", &[(3, 3)]);
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
fn objects_inside_pairs_are_not_compared_by_their_members() {
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
fn function_objects_stay_native() {
    let text = "struct W { int64_t k = 3; int64_t operator()(int64_t x) const { return x * k; } };
        struct Q { W w; int64_t run(int64_t n) { return w(n); } };
        int64_t f(int64_t n) { W w; return w(n); }
        int64_t g(int64_t n) { Q q; return q.run(n); }";
    stays_native(text, "f($0)", "operator()");
    stays_native(text, "g($0)", "operator()");
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
fn a_default_constructor_needs_no_note() {
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
fn classes_of_functions_are_visible_in_their_function() {
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
fn all_cases_are_evaluated() {
    let text = "int64_t f(int64_t n) { return llvm::StringSwitch<int64_t>(\"a\").Case(\"b\", 6 / n).Default(7); }
        int64_t g(int64_t n) { return std::max<int64_t>({n, 3, 2 * n}) + std::max({n, n}); }
        int64_t h(int64_t n) { return APInt::getBitsSet(8, n, 6).getZExtValue() + APInt::getBitsSetFrom(8, n).popcount(); }";
    returns(text, "f($0)", &[(1, 7)]);
    assert!(number(text, "f($0)", 0).is_err_and(|reason| reason.contains("zero")));
    returns(text, "g($0)", &[(1, 4), (5, 15), (-4, -1)]);
    returns(text, "h($0)", &[(2, 0b11_1100 + 6), (6, 2)]);
    assert!(number(text, "h($0)", 7).is_err());
}

#[test]
fn statements_have_the_effects_of_cpp() {
    returns(
        "namespace { int64_t sum(int64_t n) { int64_t s = 0; for (int64_t i = 1; i <= n; ++i) s += i; return s; } }",
        "sum($0)",
        &[(0, 0), (4, 10), (-3, 0)],
    );
    returns(
        "MACRO(x)\nnamespace { MACRO(y) int64_t twice(int64_t n) { return n + n; } }",
        "twice($0)",
        &[(4, 8)],
    );
    returns(
        "int64_t first(int64_t n) {
           for (int64_t i = 2; ; i++) { if (i * i > n) return -1; if (n % i != 0) continue; return i; }
         }",
        "first($0)",
        &[(15, 3), (49, 7), (13, -1)],
    );
    returns(
        "int64_t collatz(int64_t n) { int steps = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; } return steps; }",
        "collatz($0)",
        &[(1, 0), (6, 8), (27, 111)],
    );
    returns(
        "int64_t digits(int64_t n) { int64_t d = 0; do { n /= 10; ++d; } while (n); return d; }",
        "digits($0)",
        &[(0, 1), (9, 1), (10, 2), (12345, 5)],
    );
    returns(
        "static int64_t kind(int64_t n) {
           switch (n) { case 0: return 10; case 1: case 2: { int64_t x = n * 100; return x; } default: break; }
           return -1;
         }",
        "kind($0)",
        &[(0, 10), (1, 100), (2, 200), (3, -1)],
    );
    returns(
        "int64_t clamp(int64_t n) { if (n < 0) n = 0; else if (n > 9) { n = 9; } if (int64_t m = n - 5; m > 0) return m; return n; }",
        "clamp($0)",
        &[(-4, 0), (3, 3), (7, 2), (100, 4)],
    );
    returns(
        "int64_t listed(int64_t n) { SmallVector<int64_t> v = {7}; v.assign({n, 2}); v.assign({v[0] + v[1]}); return v[0] * 10 + v.size(); }",
        "listed($0)",
        &[(3, 51)],
    );
    // Maps.
    returns(
        "int64_t counted(int64_t n) {
           DenseMap<int64_t, int64_t> counts;
           for (int64_t i = 0; i < n; ++i) ++counts[i % 3];
           counts[7] = 5;
           counts[7] += counts.lookup(0);
           int64_t absent = counts[100];
           absent += counts.count(100) * 1000 + counts.count(101);
           bool added = counts.insert({7, 1}).second;
           bool more = counts.try_emplace(8, 2).second;
           counts.erase(8);
           auto it = counts.find(7);
           if (it == counts.end()) return -1;
           return it->second + 100 * counts.size() + absent + (added ? 10000 : 0) + (more ? 100000 : 0);
         }",
        "counted($0)",
        &[(0, 101_205), (5, 101_507)],
    );
    returns(
        "int64_t named(int64_t n) {
           llvm::StringMap<int64_t> m; m[\"a\"] = n; m[\"b\"] = 2; if (!m.contains(\"a\")) return 0;
           llvm::SmallDenseSet<int64_t> s; s.insert(n); s.insert(n); s.insert(3);
           return m.lookup(\"a\") * m[\"b\"] + 10 * s.size();
         }",
        "named($0)",
        &[(4, 28), (3, 16)],
    );
    stays_native(
        "int64_t all(int64_t n) { DenseMap<int64_t, int64_t> m; m[n] = 1; int64_t s = 0; for (auto &[k, v] : m) s = s * 2 + k; return s; }",
        "all($0)",
        "a set or map whose order",
    );
    // A single element converts to an `ArrayRef`.
    returns(
        "int64_t total(ArrayRef<int64_t> v) { int64_t sum = 0; for (int64_t x : v) sum += x; return sum + 10 * v.size(); }
         int64_t one(int64_t n) { return total(n); }",
        "one($0)",
        &[(4, 14)],
    );
    // An assignment through an iterator changes the range.
    returns(
        "int64_t through(int64_t n) {
           SmallVector<int64_t> v = {1, 2, 3, 4};
           for (auto it = v.begin(); it != v.end(); ++it) *it = *it * n;
           auto found = llvm::find(v, 3 * n);
           if (found == v.end()) return -1;
           *found += 100;
           int64_t sum = *found;
           for (int64_t x : v) sum += x;
           SmallVector<std::pair<int64_t, int64_t>> pairs = {{1, 2}, {3, 4}};
           auto first = pairs.begin();
           first->second = 50;
           return 1000 * sum + pairs[0].second + first->first;
         }",
        "through($0)",
        &[(1, 213_051), (2, 226_051)],
    );
    // A name in a block hides the outer name only inside the block.
    returns(
        "int64_t hidden(int64_t n) { if (n > 0) { int64_t m = 5; if (n == 3) return m; } int64_t m = 7; { int64_t m = 1; n += m; } return n + m; }",
        "hidden($0)",
        &[(3, 5), (4, 12), (-1, 7)],
    );
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
fn references_and_pointers_change_variables_of_the_caller() {
    returns(
        "static bool split(int64_t n, int64_t &high, int64_t *low) { high = n / 10; *low = n % 10; return n >= 10; }
         int64_t swapped(int64_t n) { int64_t a, b = 0; if (!split(n, a, &b)) return -1; return b * 10 + a; }",
        "swapped($0)",
        &[(42, 24), (7, -1)],
    );
    returns(
        "void fill(llvm::SmallVectorImpl<int64_t> &v, int64_t n) { for (int i = 0; i < n; ++i) v.push_back(i * i); }
         int64_t last(int64_t n) { SmallVector<int64_t> v; fill(v, n); v[0] = 100; return v.back() + v.front() + v.size(); }",
        "last($0)",
        &[(4, 113)],
    );
}

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
fn endless_functions_run_out_of_budget() {
    for text in [
        "int64_t f(int64_t n) { while (true) { n += 1; n -= 1; } return n; }",
        "int64_t f(int64_t n) { return f(n); }",
        "int64_t f(int64_t n) { SmallVector<int64_t> v; for (;;) v.append(v.begin(), v.end()), v.push_back(1); }",
    ] {
        let message = number(text, "f($0)", 1).expect_err("no end");
        assert!(message.contains("too many steps") || message.contains("nested too deeply"), "{message}");
    }
}

#[test]
fn undefined_behaviour_fails() {
    for (text, reason) in [
        ("int64_t f(int64_t n) { SmallVector<int64_t> v; return v.back(); }", "index"),
        ("int64_t f(int64_t n) { SmallVector<int64_t> v; v.pop_back(); return 0; }", "empty range"),
        ("int64_t f(int64_t n) { llvm_unreachable(\"no such number\"); }", "no such number"),
        ("int64_t f(int64_t n) { if (n == 0) return 1; }", "without a return"),
    ] {
        let message = number(text, "f($0)", 1).expect_err("undefined");
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn functions_outside_the_language_stay_natives() {
    stays_native("int64_t f(int64_t n) { static int64_t x = 0; return x += n; }", "f($0)", "static");
    stays_native(
        "int64_t f(int64_t n) { return unheard(n); }",
        "f($0)",
        "'unheard' is neither in the library",
    );
    stays_native(
        "int64_t f(Unheard n) { return 1; } int64_t g(int64_t n) { Unheard u; return 1; }",
        "g($0)",
        "type 'Unheard'",
    );
    stays_native("int64_t f(int64_t n) { if (n", "f($0)", "'}'");
    stays_native(
        "int64_t g(int64_t n) { try { } } int64_t f(int64_t n) { return g(n); }",
        "f($0)",
        "it calls 'g' (helpers.cpp:1)",
    );
    stays_native(
        "int64_t f(int64_t n) { SmallVector<int64_t> v; ArrayRef<int64_t> r(v); v.push_back(n); return r.size(); }",
        "f($0)",
        "reference to a changing variable",
    );
    stays_native(
        "int64_t f(int64_t n) { llvm::DenseSet<int64_t> s; s.insert(n); for (auto x : s) n = x; return n; }",
        "f($0)",
        "a set or map whose order",
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

/// A table of snippets with functions is the same after it is written and read.
#[test]
fn functions_are_stored() {
    let text = "int64_t fib(int64_t n) { if (n < 2) return n; int64_t s = 0; for (int i = 1; i < 3; i++) s += fib(n - i); return s; }";
    let (source, _sources) = source(text);
    let mut snippets = Snippets::default();
    let params = [Placeholder::new("$0", Ty::I64)];
    let request = Request { params: &params, expected: Expected::Kind(Kind::Int), resolver: &source };
    let id = compile(&mut snippets, &Text::new("fib($0)", Span::NONE), &request).expect("compiles");
    let bytes = snippets.to_bytes(id);
    let mut read = Snippets::default();
    let copy = read.add_bytes(&bytes, "fib($0)", Span::NONE).expect("well-formed");
    assert_eq!(read.to_bytes(copy), bytes);
    let mut host: IrHost = host("");
    host.bind_type("i32").expect("a type");
    let linked = Linked::link(&read, &mut host, &Natives::new());
    let got = linked.value(&read, copy, &host, &[Entity::Int(12)]).expect("a value");
    assert!(matches!(got[..], [Entity::Int(144)]));
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
    // A copy keeps the value, and an ArrayRef may refer to a variable that changed before.
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
fn captures_by_value_are_copies() {
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
fn tuples_have_fields() {
    let text = "static std::pair<int32_t, bool> both(int64_t n) { return {n, n > 2}; }
         int64_t f(int64_t n) {
           auto [a, b] = both(n);
           auto t = std::make_tuple(a, b, n);
           int64_t x, y; bool z;
           std::tie(x, z, y) = t;
           std::swap(x, y);
           return std::get<0>(t) + (b ? 100 : 0) + x * 2 + (z ? 1000 : 0);
         }";
    returns(text, "f($0)", &[(1, 3), (3, 1_109), (4_294_967_299, 3 + 100 + 8_589_934_598 + 1_000)]);
    returns(
        "struct Dims { int64_t batch = 4; int64_t feature; };
         static Dims make(int64_t n) { Dims d; d.feature = n; d.batch += 1; return d; }
         int64_t f(int64_t n) { Dims d = make(n); Dims e = {1, 2}; return d.batch * 10 + d.feature + e.feature; }",
        "f($0)",
        &[(3, 55)],
    );
    returns(
        "int64_t f(int64_t n) { SmallVector<std::pair<int64_t, int64_t>> v = {{2, n}, {1, 5}}; llvm::sort(v); int64_t s = 0;
           for (auto [a, b] : v) s = s * 100 + a * 10 + b; v[0].second = 9; for (auto &p : v) p.first += 1;
           return s * 100 + v[0].first * 10 + v[0].second; }",
        "f($0)",
        &[(3, 152_329)],
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
fn remainders_of_an_overflowing_quotient_are_undefined() {
    let code = "int64_t f(int64_t n) { return n % -1; }";
    returns(code, "f($0)", &[(5, 0)]);
    assert_eq!(number(code, "f($0)", i64::MIN), Err("integer overflow".to_owned()));
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
    let reason = "a set or map whose order";
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
    // A lambda that is passed to a function cannot change the variables of that function.
    stays_native(
        "template <typename F> int64_t apply(int64_t x, F f) { f(x); return x; }
         int64_t g(int64_t n) { return apply(n, [](int64_t &x) { x = 1; }); }",
        "g($0)",
        "a lambda that changes an argument",
    );
}

#[test]
fn types_have_local_names() {
    returns(
        "int64_t f(int64_t n) {
           using Pair = std::pair<int64_t, int64_t>;
           using Int = uint8_t;
           SmallVector<Pair> pairs = {{n, 1}, {2, 3}};
           auto others = SmallVector<Pair>{{4, n}, {5, 6}};
           Int small = n;
           return pairs[0].first + pairs[1].second * 10 + others[0].second * 100 + small * 1000;
         }",
        "f($0)",
        &[(1, 1131), (256, 25886)],
    );
}

#[test]
fn string_and_type_switches_choose_the_first_case() {
    let text = "static int64_t kind(StringRef s) {
          return llvm::StringSwitch<int64_t>(s).Case(\"a\", 1).Cases(\"b\", \"c\", 2).StartsWith(\"ab\", 3)
              .EndsWith(\"z\", 4).Case(\"abz\", 5).Default(6);
        }
        int64_t of(int64_t n) {
          switch (n) {
          case 0: return kind(\"a\");
          case 1: return kind(\"c\");
          case 2: return kind(\"abz\");
          case 3: return kind(\"xz\");
          }
          return kind(\"\");
        }";
    returns(text, "of($0)", &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 6)]);
    let text = "static std::optional<int64_t> width(Type t) {
          return llvm::TypeSwitch<Type, std::optional<int64_t>>(t)
              .Case<IntegerType, FloatType>([](auto x) { return static_cast<int64_t>(x.getWidth()); })
              .Case([](IndexType) -> std::optional<int64_t> { return 100; })
              .Default([](Type) { return std::nullopt; });
        }
        int64_t of(OpBuilder &b, int64_t n) {
          Type types[] = {b.getIntegerType(7), b.getF16Type(), b.getIndexType(), b.getNoneType()};
          auto found = width(types[n]);
          return found ? *found : -1;
        }
        int64_t count(OpBuilder &b, int64_t n) {
          int64_t seen = 0;
          Type type = n == 0 ? Type(b.getI1Type()) : Type(b.getIndexType());
          llvm::TypeSwitch<Type>(type)
              .Case([&](IntegerType t) { seen += t.getWidth(); })
              .Default([&](Type) { seen = 9; });
          return seen;
        }";
    returns(text, "of(rewriter, $0)", &[(0, 7), (1, 16), (2, 100), (3, -1)]);
    returns(text, "count(rewriter, $0)", &[(0, 1), (1, 9)]);
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
fn a_symbol_binds_to_a_reference_that_is_not_changed() {
    returns("int64_t twice(int64_t &n) { return 2 * n; }", "twice($0)", &[(4, 8)]);
    stays_native(
        "int64_t increment(int64_t &n) { n += 1; return n; }",
        "increment($0)",
        "does not take the arguments",
    );
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
    // "6, 0, 31"
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
    ] {
        let text = format!(
            "static int64_t first(ArrayRef<int64_t> v) {{ return v[0]; }}
             int64_t of(int64_t n) {{ llvm::DenseSet<int64_t> s; s.insert(n); s.insert(2); {use_of_order} }}"
        );
        stays_native(&text, "of($0)", "a set or map whose order");
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
fn raw_strings_have_no_escapes() {
    let text = r####"static int64_t size(StringRef s) { return s.size(); }
        int64_t plain(int64_t n) { return size(R"(a\n"b)") + n; }
        int64_t delimited(int64_t n) { return size(R"x(a)" )x") + n; }
        int64_t open(int64_t n) { return size(R"x(a)") + n; }"####;
    returns(text, "plain($0)", &[(0, 5)]);
    returns(text, "delimited($0)", &[(0, 4)]);
    stays_native(text, "open($0)", "open");
}

#[test]
fn a_byte_order_mark_is_skipped() {
    returns("\u{feff}#include <x>\nint64_t f(int64_t n) { return n + 1; }", "f($0)", &[(1, 2)]);
}

#[test]
fn an_unknown_template_argument_is_named() {
    let text = "template <typename OpTy> static bool all(Operation *op) { return isa<OpTy>(op); }
        int64_t f(int64_t n) { Operation *op = nullptr; return all<mine::AddOp>(op) ? n : 0; }";
    stays_native(text, "f($0)", "the type 'mine::AddOp' is not known");
}

#[test]
fn algorithms_change_a_part_of_a_range() {
    // The digits of the elements, and then the size.
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
    // The functions of a used namespace count as functions of the scope around both the namespace and the `using`.
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

/// Argument-dependent lookup for a text finds no functions in `a`. It finds those in `llvm` for a `StringRef`, and none
/// for a `std::string`.
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
fn captures_by_reference_have_no_initialiser() {
    let text =
        "int64_t f(int64_t n) { int64_t x = 1; auto g = [&m = x]() { m += n; return m; }; return g() + x; }
        int64_t h(int64_t n) { auto g = [&n, x = 2]() { return n + x; }; n = 5; return g(); }";
    stays_native(text, "f($0)", "[&x = …]");
    returns(text, "h($0)", &[(1, 7)]);
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
