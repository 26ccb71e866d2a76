//! Measures the share of MLIR's core API that the snippet language supports. The language must support at least 98% of
//! the uses of this API in real rules, and at least 94% of its methods, functions and constructors.
//!
//! `tests/data/core_api.txt` lists each method, function and constructor with a typical use and with the number of its
//! uses in the rules of 26 public projects. A use is supported if a rule that contains it loads without missing
//! natives.

use std::fmt::Write;

use crate::common::command::Folder;
use crate::common::llvm_sources;

/// The definitions for the rules that contain the uses.
const DEFINITIONS: &str = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/PatternBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/Properties.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
def T : Dialect { let name = "t"; let cppNamespace = "::test"; let usePropertiesForAttributes = 1; }
def T_Element : TypeDef<T, "Element"> { let mnemonic = "element"; let parameters = (ins "::mlir::Type":$dtype); }
def T_Source : Op<T, "source"> {
  let arguments = (ins AnyType:$v, AnyType:$w, Variadic<AnyType>:$vs, I32Attr:$i, SI32Attr:$si, F64Attr:$f,
    StrAttr:$s, ArrayAttr:$a, DenseI64ArrayAttr:$d, AnyIntElementsAttr:$e, DictionaryAttr:$dict,
    AffineMapAttr:$m, OptionalAttr<I64Attr>:$maybe);
  let results = (outs AnyType:$r);
}
def T_CallLike : Op<T, "call_like"> {
  let arguments = (ins Variadic<AnyType>:$arg_operands);
  let results = (outs AnyType:$r);
}
def T_Shaped : Op<T, "shaped"> { let arguments = (ins AnyRankedTensor:$in); let results = (outs AnyRankedTensor:$r); }
def T_Take : Op<T, "take"> { let arguments = (ins AnyAttr:$a); let results = (outs AnyType:$r); }
"#;

/// One line of the list.
struct Use<'a> {
    /// The number of uses in real rules.
    count: u32,
    name: &'a str,
    /// `?` for a condition, `=` for a value that a rewrite computes, and `!` for a call without a value.
    kind: char,
    text: &'a str,
}

fn uses(list: &str) -> Vec<Use<'_>> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let use_of = |line| {
        let mut parts = str::splitn(line, 4, ' ');
        let mut part = || parts.next().unwrap();
        let (count, name) = (part().parse().unwrap(), part());
        Use { count, name, kind: part().chars().next().unwrap(), text: part() }
    };
    lines.map(use_of).collect()
}

/// Returns a rule that contains a use.
fn rule(number: usize, used: &Use<'_>) -> String {
    let mut text = used.text.to_owned();
    let mut symbols = Vec::new();
    for symbol in ["op", "vs", "v", "w", "i", "si", "f", "s", "a", "dict", "d", "e", "m"] {
        // `$v` must not match inside `$vs`.
        let mut placed = String::new();
        let mut rest = text.as_str();
        let mut found = false;
        while let Some(at) = rest.find(&format!("${symbol}")) {
            let end = at + 1 + symbol.len();
            placed.push_str(&rest[..at]);
            if rest[end..].starts_with(|c: char| c.is_alphanumeric()) {
                placed.push_str(&rest[at..end]);
            } else {
                found = true;
                write!(placed, "${}", symbols.len()).unwrap();
            }
            rest = &rest[end..];
        }
        placed.push_str(rest);
        text = placed;
        symbols.extend(found.then(|| format!("${symbol}")));
    }
    let (text, symbols) = (text.replace('"', "\\\""), symbols.join(", "));
    let source = "(T_Source:$op $v, $w, $vs, $i, $si, $f, $s, $a, $d, $e, $dict, $m, $maybe)";
    let makes_value = text.contains("::create(") || text.contains(".create<") || text == "Value()";
    match used.kind {
        '?' => format!(
            "def Use{number} : Pat<{source}, (replaceWithValue $v), [(Constraint<CPred<\"{text}\">> {symbols})]>;"
        ),
        '=' if makes_value => {
            format!("def Use{number} : Pat<{source}, (NativeCodeCall<\"{text}\"> {symbols})>;")
        }
        '=' => {
            format!("def Use{number} : Pat<{source}, (T_Take (NativeCodeCall<\"{text}\"> {symbols}))>;")
        }
        _ => format!(
            "def Use{number} : Pattern<{source}, [(NativeCodeCallVoid<\"{text}\"> {symbols}), (replaceWithValue $v)]>;"
        ),
    }
}

#[test]
fn core_api_is_supported() {
    let list = include_str!("../../data/core_api.txt");
    let uses = uses(list);
    let mut rules = DEFINITIONS.to_owned();
    for (number, used) in uses.iter().enumerate() {
        writeln!(rules, "{}", rule(number, used)).unwrap();
    }
    let folder = Folder::new(&[("uses.td", &rules)]);
    let run = folder.run(&["check", "uses.td", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let mut known = [0, 0];
    let mut all = [0, 0];
    for rule in report["rules"].as_array().unwrap() {
        let used =
            &uses[rule["name"].as_str().unwrap().strip_prefix("Use").unwrap().parse::<usize>().unwrap()];
        all = [all[0] + used.count, all[1] + 1];
        let missing = rule["missing"].as_array().map_or(0, Vec::len);
        if rule["status"] == "loaded" && missing == 0 {
            known = [known[0] + used.count, known[1] + 1];
        } else {
            println!("unsupported: {} ({} uses): {rule}", used.name, used.count);
        }
    }
    println!("{} of {} uses, {} of {} names", known[0], all[0], known[1], all[1]);
    let names = u32::try_from(uses.len()).unwrap();
    assert_eq!(all[1], names);
    assert!(f64::from(known[0]) >= 0.98 * f64::from(all[0]));
    assert!(f64::from(known[1]) >= 0.94 * f64::from(names));
}

/// The rule files of MLIR, each with the path of its helpers, the folder of its includes, and the number of its rules.
pub(super) const MLIR_RULES: [(&str, &str, &str, u64); 8] = [
    ("lib/Dialect/Arith/IR/ArithCanonicalization.td", "lib/Dialect/Arith/IR/ArithOps.cpp", "include", 43),
    ("lib/Dialect/Shape/IR/ShapeCanonicalization.td", "lib/Dialect/Shape/IR", "include", 7),
    ("lib/Dialect/SPIRV/IR/SPIRVCanonicalization.td", "lib/Dialect/SPIRV/IR", "include", 16),
    ("lib/Conversion/GPUToNVVM/GPUToNVVM.td", "lib/Conversion/GPUToNVVM", "include", 1),
    ("lib/Conversion/GPUToROCDL/GPUToROCDL.td", "lib/Conversion/GPUToROCDL", "include", 1),
    ("lib/Conversion/ShapeToStandard/ShapeToStandard.td", "lib/Conversion/ShapeToStandard", "include", 2),
    ("examples/toy/Ch7/mlir/ToyCombine.td", "examples/toy/Ch7/mlir", "examples/toy/Ch7/include", 3),
    ("test/lib/Dialect/Test/TestOps.td", "test/lib/Dialect/Test", "test/lib/Dialect/Test", 79),
];

/// MLIR's own rules need no natives if the C++ files beside them are read as helpers.
#[test]
fn rules_of_mlir_need_no_natives_if_their_sources_are_read() {
    let Some(sources) = llvm_sources() else { return };
    let mlir = sources.join("mlir");
    let path = |relative: &str| mlir.join(relative).to_str().unwrap().to_owned();
    let folder = Folder::new(&[]);
    let mut all = 0;
    for (rules, helpers, includes, count) in MLIR_RULES {
        let (rules, helpers) = (path(rules), path(helpers));
        let (headers, includes) = (path("include"), path(includes));
        let args =
            ["check", &rules, "-I", &headers, "-I", &includes, "--helpers", &helpers, "--format", "json"];
        let checked = folder.run(&args);
        let report: serde_json::Value = serde_json::from_str(&checked.stdout).expect(&checked.stderr);
        let loaded = report["rules"].as_array().unwrap();
        let runs = |rule: &&serde_json::Value| {
            rule["status"] == "loaded" && rule["missing"].as_array().is_none_or(Vec::is_empty)
        };
        let running = loaded.iter().filter(runs).count() as u64;
        assert_eq!(loaded.len() as u64, count, "{rules}");
        assert_eq!(running, count, "{rules}");
        all += count;
    }
    println!("all {all} rules of MLIR run with their sources");
}
