//! Compiles functions, evaluates calls of them, and compares the results with those of C++.

mod aliases;
mod callables;
mod calls;
mod class_templates;
mod library;
mod macros;
mod names;
mod numbers;
mod objects;
mod packs;
mod ranges;
mod references;

use std::sync::Arc;

use super::expand::{Expanded, expand_macros};
use super::{Functions, Helpers};
use crate::frontend::cxx::tests::host;
use crate::frontend::cxx::{Expected, Placeholder, Request, Resolver, Text, compile};
use crate::host::{Bind, Entity, Kind, Natives};
use crate::ir::IrHost;
use crate::snippet::{Item, Linked, Snippets, Ty};
use crate::source::{FileId, SourceMap, Span};

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
    let add = |&(name, text): &(&str, &str)| sources.add(name, text.to_owned()).expect("small");
    let added: Vec<FileId> = files.iter().map(add).collect();
    let Expanded { files, unread } = expand_macros(&mut sources, &added);
    files.into_iter().for_each(|file| functions.add(sources.file(file)));
    functions.add_unread_macros(unread);
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
    returns(text, "array($0)", &[(1, 0)]);
    returns(text, "whole($0)", &[(4, 43)]);
    stays_native(text, "copies($0)", "a lambda that changes its copies");
    returns(text, "friends($0)", &[(3, 6)]);
}

#[test]
fn declarations_start_with_any_specifier_or_with_the_global_namespace() {
    let text = "int64_t order(int64_t n) { const static int64_t k = 4; constexpr static int64_t l = 5; return k * l + n; }
        int64_t global(int64_t n) { ::llvm::SmallVector<int64_t, 4> s; s.push_back(n); ::std::optional<int64_t> o = 3; ::int64_t k{2}; return s.size() * 100 + *o * 10 + k; }
        int64_t exchanged(int64_t n) { int64_t x = n; int64_t y = std::exchange(x, 2); return y * 10 + x; }";
    returns(text, "order($0)", &[(3, 23)]);
    returns(text, "global($0)", &[(7, 132)]);
    returns(text, "exchanged($0)", &[(7, 72)]);
}

#[test]
fn declarations_cause_no_endless_or_deep_recursion() {
    stays_native("int64_t f(int64_t k = f()) { return k; }", "f()", "native");
    let aliases: String = (1..40).map(|i| format!("using T{i} = std::pair<T{0}, T{0}>;\n", i - 1)).collect();
    let text = format!("using T0 = int64_t;\n{aliases}int64_t f(int64_t n) {{ T39 t; return n; }}");
    stays_native(&text, "f($0)", "is not known");
    let (open, close) = ("struct S { ".repeat(20_000), "};".repeat(20_000));
    returns(&format!("{open}{close}\nint64_t f(int64_t n) {{ return n; }}"), "f($0)", &[(3, 3)]);
}

#[test]
fn switches_and_functions_of_numbers_have_the_values_of_cpp() {
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
        "the order of a set or map",
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
        "the order of a set or map",
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

/// A snippet that matches constants is written with the constant operations.
#[test]
fn constant_operations_are_stored() {
    for body in [
        "APInt x; return matchPattern(v, m_ConstantInt(&x));",
        "IntegerAttr x; return matchPattern(v, m_Constant(&x));",
        "APFloat x(0.0); return matchPattern(v, m_ConstantFloat(&x));",
        "return matchPattern(v, m_One());",
    ] {
        let (source, _sources) = source(&format!("bool f(Value v) {{ {body} }}"));
        let mut snippets = Snippets::default();
        snippets.add_constant_op("arith.constant", "value");
        let params = [Placeholder::new("$0", Ty::one(Item::Value))];
        let request = Request { params: &params, expected: Expected::Predicate, resolver: &source };
        let id = compile(&mut snippets, &Text::new("f($0)", Span::NONE), &request).expect("compiles");
        let mut read = Snippets::default();
        read.add_bytes(&snippets.to_bytes(id), "f($0)", Span::NONE).expect("well-formed");
        assert_eq!(read.constant_ops.len(), 1, "{body}");
    }
}

/// Functions that call each other have the effects of all of them, in any order of calls.
#[test]
fn functions_that_call_each_other_change_the_ir() {
    let (source, _sources) = source(
        "static bool first(Operation *op, int64_t n);
         static bool second(Operation *op, int64_t n) { return n > 0 && first(op, n - 1); }
         static bool first(Operation *op, int64_t n) { bool b = second(op, n); op->removeAttr(\"a\"); return b; }",
    );
    let mut snippets = Snippets::default();
    let params = [Placeholder::new("$0", Ty::one(Item::Op(None)))];
    let request = Request { params: &params, expected: Expected::Predicate, resolver: &source };
    for call in ["first($0, 2)", "second($0, 2)"] {
        let id = compile(&mut snippets, &Text::new(call, Span::NONE), &request).expect("compiles");
        assert!(snippets.get(id).rewrites, "{call}");
    }
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
fn raw_strings_have_no_escapes() {
    let text = r####"static int64_t size(StringRef s) { return s.size(); }
        int64_t plain(int64_t n) { return size(R"(a\n"b)") + n; }
        int64_t delimited(int64_t n) { return size(R"x(a)" )x") + n; }
        int64_t raw(int64_t n) { return size(R"x(a)") + n; }"####;
    returns(text, "plain($0)", &[(0, 5)]);
    returns(text, "delimited($0)", &[(0, 4)]);
    stays_native(text, "raw($0)", "'}' at the end of the body");
}

#[test]
fn a_byte_order_mark_is_skipped() {
    returns("\u{feff}#include <x>\nint64_t f(int64_t n) { return n + 1; }", "f($0)", &[(1, 2)]);
}
