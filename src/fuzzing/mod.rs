//! The code of the fuzz targets.
//!
//! Specification: no input causes a panic, and the property of each target holds. A target is a function in this folder
//! and two lines in `fuzz/fuzz_targets/`; `tests/it/fuzz_regressions.rs` runs every target on its committed inputs.
//!
//! Invariants: the behaviour of a target depends only on its bytes (for [`mlir_custom()`] and [`mlir_mutated()`], also
//! on the installation of MLIR's sources), and time and memory are bounded.
//!
//! Method: [`tablegen()`], [`mlir()`], [`mlir_custom()`], [`pdl()`] and [`functions()`] take the bytes as text, and
//! [`mlirbc()`] takes them as a binary file. If random bytes would rarely pass the first stage, the bytes are words
//! ([`tablegen_tokens()`]), the decisions of a generator ([`drr()`], [`snippet()`], [`engines()`], [`termination()`]),
//! or changes to valid input ([`drrbc()`], [`drrbc_sections()`], [`drrdl()`], [`mlir_mutated()`]).

mod drive;
mod drr;
mod mlirbc;
mod mutated;
mod pack;
mod program;
mod snippet;
mod text;

pub use drive::{engines, termination};
pub use drr::drr;
pub use mlirbc::mlirbc;
pub use pack::drrdl;
pub use program::{drrbc, drrbc_sections};
pub use snippet::{functions, snippet};
pub use text::{mlir, mlir_custom, mlir_mutated, pdl, tablegen, tablegen_tokens};

use crate::source::{Color, Diagnostics, FileId, SourceMap, render_all};

/// A fuzz target.
pub type Target = fn(&[u8]);

/// All targets with their names.
pub const TARGETS: &[(&str, Target)] = &[
    ("drr", drr),
    ("drrbc", drrbc),
    ("drrbc_sections", drrbc_sections),
    ("drrdl", drrdl),
    ("engines", engines),
    ("functions", functions),
    ("mlir", mlir),
    ("mlir_custom", mlir_custom),
    ("mlir_mutated", mlir_mutated),
    ("mlirbc", mlirbc),
    ("pdl", pdl),
    ("snippet", snippet),
    ("tablegen", tablegen),
    ("tablegen_tokens", tablegen_tokens),
    ("termination", termination),
];

fn read(name: &str, bytes: &[u8], read: impl FnOnce(&mut SourceMap, FileId) -> Result<(), Diagnostics>) {
    let mut sources = SourceMap::default();
    let file = sources.add_bytes(name, bytes.to_vec()).map_err(Diagnostics::from);
    if let Err(errors) = file.and_then(|file| read(&mut sources, file)) {
        show(&errors, &sources);
    }
}

fn show(errors: &Diagnostics, sources: &SourceMap) {
    assert!(errors.has_errors(), "a failure has no message");
    assert!(!render_all(errors, sources, Color::Never).is_empty());
}

#[cfg(test)]
mod tests {
    fn text_targets(bytes: &[u8]) {
        super::tablegen(bytes);
        super::tablegen_tokens(bytes);
        super::mlir(bytes);
        super::pdl(bytes);
    }

    /// Calls a target with random bytes. The number of calls is `DRRVM_ROUNDS`, or `rounds` if the variable is not set.
    /// Bytes that fail are shrunk.
    fn try_random(rounds: u32, length: std::ops::Range<usize>, target: super::Target) {
        use proptest::test_runner::{Config, TestRunner};
        let rounds = std::env::var("DRRVM_ROUNDS").map_or(rounds, |rounds| rounds.parse().expect("a number"));
        let config = Config { cases: rounds, ..crate::test_seed::config() };
        let bytes = proptest::collection::vec(proptest::prelude::any::<u8>(), length);
        let tried = TestRunner::new(config).run(&bytes, |bytes| {
            target(&bytes);
            Ok(())
        });
        tried.unwrap_or_else(|failure| panic!("{failure}"));
    }

    #[test]
    fn a_changed_pack_is_rejected_or_reads_modules() {
        try_random(200, 4..9, super::drrdl);
    }

    #[test]
    fn a_changed_program_is_rejected_or_runs() {
        try_random(500, 3..10, super::drrbc);
        try_random(500, 0..200, super::drrbc_sections);
    }

    #[test]
    fn a_changed_file_is_rejected_or_reads_back() {
        try_random(40, 2..40, super::mlir_mutated);
    }

    /// A C++ file with many kinds of statements and types. Tests change its bytes.
    const HELPERS: &str = "namespace a { static constexpr int64_t kTable[] = {1, 2, 4};
struct Pair { int64_t x = 1; int64_t y; };
template <typename T> T twice(T t) { return t + t; }
static std::pair<int64_t, bool> both(int64_t n) { return {n, n > 2}; }
int64_t loops(int64_t n, int64_t m = 3) {
  SmallVector<int64_t> v = {n, m, kTable[1]};
  for (auto &x : v) { if (x < 0) continue; x += twice(m); }
  for (auto [i, x] : llvm::enumerate(v)) n += i * x;
  auto [a, b] = both(n);
  Pair p; p.y = a; p.x++;
  while (b && n < 100) { n *= 2; if (n == 64) break; }
  switch (n) { case 0: n = 1; case 1: return p.x; default: break; }
  llvm::sort(v, [&](int64_t l, int64_t r) { return l > r; });
  return std::accumulate(v.begin(), v.end(), int64_t{0}) + p.y + loops(n - 1);
}
bool zeros(Attribute attr) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attr);
  if (!dense || !dense.getElementType().isInteger()) return false;
  return llvm::all_of(dense.getValues<APInt>(), [](const APInt &v) { return v.isZero(); });
}
int64_t rank(Type type) { if (auto t = dyn_cast<RankedTensorType>(type); t && t.getRank()) return t.getShape()[0]; return -1; }
}
";

    fn changed(text: &[u8], bytes: &[u8]) -> Vec<u8> {
        let mut out = text.to_vec();
        for change in bytes.chunks_exact(4) {
            let at = (usize::from(change[0]) * 256 + usize::from(change[1])) % out.len().max(1);
            match change[2] % 4 {
                0 => out[at] = change[3],
                1 => drop(out.remove(at)),
                2 => out.insert(at, b"(){}[]<>;,*&=!+-.:\"0"[usize::from(change[3]) % 20]),
                _ => {
                    let end = (at + usize::from(change[3])).min(out.len());
                    let part = out[at..end].to_vec();
                    out.splice(at..at, part);
                }
            }
        }
        out
    }

    #[test]
    fn a_changed_source_file_has_functions_or_natives() {
        super::functions(HELPERS.as_bytes());
        try_random(60, 4..40, |bytes| super::functions(&changed(HELPERS.as_bytes(), bytes)));
    }

    #[test]
    fn a_changed_file_of_mlir_has_functions_or_natives() {
        let sources = super::mutated::llvm().map(|root| root.join("mlir/lib/Dialect/Arith/IR/ArithOps.cpp"));
        let Some(text) = sources.and_then(|sources| std::fs::read(sources).ok()) else {
            println!("skipped: the sources of LLVM are absent");
            return;
        };
        let text = &text[..text.len().min(12_000)];
        for round in 0..4_u8 {
            let bytes: Vec<u8> =
                (0..24_u8).map(|byte| byte.wrapping_mul(31).wrapping_add(round.wrapping_mul(57))).collect();
            super::functions(&changed(text, &bytes));
        }
    }

    #[test]
    fn endless_functions_spend_their_budget() {
        for text in [
            "int64_t f() { while (true) {} return 1; }",
            "int64_t f() { return f(); }",
            "int64_t f() { for (;;) ; }",
            "int64_t f() { SmallVector<int64_t> v; while (true) v.push_back(1); return 0; }",
            "int64_t f() { std::string s = \"a\"; while (true) s = s + s; return 0; }",
            "int64_t f(int64_t n) { return f(n + 1) + f(n + 2); }",
        ] {
            super::functions(text.as_bytes());
        }
        super::functions(format!("int64_t f() {{ return {}1; }}", "(".repeat(4000)).as_bytes());
        super::functions(format!("int64_t f() {{ {} }}", "if (1) {".repeat(4000)).as_bytes());
        super::functions(format!("int64_t f() {{ {} return 1; }}", "int64_t x = 1;".repeat(4000)).as_bytes());
    }

    #[test]
    fn damaged_custom_forms_are_rejected_or_read() {
        for text in [
            include_str!("../../fuzz/seeds/mlir_custom/everyday.mlir"),
            include_str!("../../fuzz/seeds/mlir_custom/classes.mlir"),
        ] {
            super::mlir_custom(text.as_bytes());
            for end in (0..text.len()).step_by(5) {
                super::mlir_custom(&text.as_bytes()[..end]);
                let mut changed = text.as_bytes().to_vec();
                changed[end] = b"<>(){},:=\"#!%^ x0"[end % 17];
                super::mlir_custom(&changed);
            }
        }
    }

    #[test]
    fn hostile_input_causes_errors_only() {
        for bytes in
            [b"" as &[u8], b"\xff\xfe", b"\0", b"\"", b"class A<int x> : A<x>;", b"include \"fuzz.td\""]
        {
            text_targets(bytes);
        }
        for (start, nested) in [
            ("def A { int x = ", "!add("),
            ("defvar x = ", "[["),
            ("", "\"a\"() ({"),
            ("\"a\"() {x = ", "[["),
            ("\"a\"() : () -> ", "tuple<"),
            ("#a = ", "affine_map<(d0) -> ("),
            ("pdl.pattern @p : benefit(1) { %t = pdl.type : ", "tuple<"),
        ] {
            text_targets(format!("{start}{}", nested.repeat(5000)).as_bytes());
        }
    }

    /// Tests every prefix of three valid inputs. In each input, also replaces each byte by each of five others.
    #[test]
    fn damaged_input_is_rejected_or_read() {
        let mlir = "#a = affine_map<(d0)[s0] -> (d0 + s0)>\n%0:2 = \"t.a\"(%0#1) <{p = 1 : i8}> ({\n  \"t.c\"()[^b] : () -> ()\n^b:\n  \"t.b\"()[^b] {s = \"x\\0A\", m = #a} : () -> ()\n}) : (f32) -> (tensor<4x?xf32>, f32) loc(\"f\":1:2)\n";
        let pdl = "pdl.pattern @p : benefit(2) {\n  %v = pdl.operand\n  %t = pdl.type : i32\n  %a = pdl.attribute\n  %o = pdl.operation \"t.a\"(%v : !pdl.value) {\"n\" = %a} -> (%t : !pdl.type)\n  pdl.rewrite %o { pdl.replace %o with (%v : !pdl.value) }\n}\n";
        let td = "class A<int n, string s = \"x\"> { bits<4> b = {0, 1, ?, 1}; }\nmulticlass M { def _x : A<1>; }\nforeach i = [1, 2] in defm D#i : M;\nlet b<1-0> = 3 in def B : A<!add(1, 2), !if(true, \"a\", \"b\")>;\n";
        for text in [mlir, pdl, td] {
            for end in 0..text.len() {
                text_targets(&text.as_bytes()[..end]);
                let mut bytes = text.as_bytes().to_vec();
                for new in [b'(', b'}', b'"', b'%', 0xff] {
                    bytes[end] = new;
                    text_targets(&bytes);
                }
            }
        }
    }
}
