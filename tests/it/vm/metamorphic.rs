//! If rules do not overlap, the results of each rule do not depend on the order or the presence of the others. No
//! result depends on the names of symbols, on the division of rules into files, or on optimisations.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use drrvm::compile;
use drrvm::equivalence::{Comparison, Config, IrGenerator, Mode, Options, Side, compare};
use drrvm::host::Natives;
use drrvm::internal::equivalence::Random;
use drrvm::internal::matcher_tree;
use drrvm::ir::{Context, IrHost, Module};
use drrvm::pdl::RuleSet;
use drrvm::source::{Color, SourceMap, render_all};
use drrvm::vm::{LinkOptions, Matcher};

use crate::common::seed::seed;

const OPS: &str = r#"include "mlir/IR/PatternBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
def T : Dialect { let name = "t"; }
class TOp<string name, dag args> : Op<T, name, [Pure]> { let arguments = args; let results = (outs I32:$r); }
def Neg : TOp<"neg", (ins I32:$x)>;
def Not : TOp<"not", (ins I32:$x)>;
def Add : TOp<"add", (ins I32:$x, I32:$y)>;
def Sub : TOp<"sub", (ins I32:$x, I32:$y)>;
def Mul : TOp<"mul", (ins I32:$x, I32:$y)>;
def Num : TOp<"num", (ins I32Attr:$v)>;
"#;

/// Rules that match different operations.
const DISJOINT: [&str; 6] = [
    "def NegNeg : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;",
    "def NotNot : Pat<(Not (Not $x)), (replaceWithValue $x)>;",
    "def AddNeg : Pat<(Add $x, (Neg $y)), (Sub $x, $y)>;",
    "def SubSame : Pat<(Sub $x, $x), (Num ConstantAttr<I32Attr, \"0\">)>;",
    "def MulNeg : Pat<(Mul (Neg $x), (Neg $y)), (Mul $x, $y)>;",
    "def NumSeven : Pat<(Num ConstantAttr<I32Attr, \"7\">), (Num ConstantAttr<I32Attr, \"8\">)>;",
];

fn load(name: &str, files: &[String]) -> RuleSet {
    let paths: Vec<PathBuf> = files
        .iter()
        .enumerate()
        .map(|(i, text)| {
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("meta_{name}_{i}.td"));
            std::fs::write(&path, format!("{OPS}{text}\n")).unwrap();
            path
        })
        .collect();
    let mut sources = SourceMap::default();
    match compile::rules(&mut sources, &paths, &compile::Options::default()) {
        Ok((rules, _)) => rules,
        Err(errors) => panic!("{}", render_all(&errors, &sources, Color::Never)),
    }
}

fn matcher(rules: &RuleSet, config: &matcher_tree::Config, host: &mut IrHost) -> Matcher<IrHost> {
    let program = drrvm::internal::program_with(rules, config).unwrap();
    Matcher::link(Arc::new(program), host, &Natives::new(), &LinkOptions::default()).unwrap()
}

/// Compares two rule sets; `config` applies to the second rule set.
fn compared(a: &RuleSet, b: &RuleSet, config: &matcher_tree::Config, mode: Mode) -> Comparison {
    let mut context = Context::new();
    let module = Module::new(&mut context);
    let mut host = IrHost::new(context, module);
    let natives = Natives::new();
    let generator = IrGenerator::new(&[a, b], &mut host, &natives, &Config::default()).unwrap();
    let first = matcher(a, &matcher_tree::Config::new(), &mut host);
    let second = matcher(b, config, &mut host);
    let options = Options::default().mode(mode).cases(60);
    compare([&Side::new(&first), &Side::new(&second)], &generator, &host, &natives, &options, &|_| {})
}

fn assert_same(what: &str, a: &RuleSet, b: &RuleSet, config: &matcher_tree::Config) {
    for mode in [Mode::Rewrite, Mode::Match] {
        let compared = compared(a, b, config, mode);
        assert!(compared.difference.is_none(), "{what}: {:#?}", compared.difference);
        assert!(compared.fired[0].iter().all(|&count| count > 0), "{what}: {:?}", compared.fired);
    }
}

#[test]
fn order_of_disjoint_rules_has_no_effect() {
    let plain = matcher_tree::Config::new();
    let rules = load("order", &[DISJOINT.join("\n")]);
    let mut random = Random::new(seed());
    for _ in 0..3 {
        let mut patterns: Vec<_> = rules.patterns().iter().cloned().collect();
        for i in (1..patterns.len()).rev() {
            patterns.swap(i, random.below(i + 1));
        }
        let shuffled = rules.with_patterns(patterns);
        assert_same("shuffled", &rules, &shuffled, &plain);
    }
}

/// A rule set in which one rule is disabled behaves like the rules of a file without this rule.
#[test]
fn leaving_out_rules_has_no_effect_on_the_others() {
    let rules = load("without", &[DISJOINT.join("\n")]);
    for left_out in ["NegNeg", "AddNeg", "NumSeven"] {
        let mut fewer = rules.clone();
        fewer.select(&[], &[left_out.to_owned()]).unwrap();
        let mut alone = rules.clone();
        alone.select(&[left_out.to_owned()], &[]).unwrap();
        let all = compared(&rules, &rules, &matcher_tree::Config::new(), Mode::Match);
        let without = compared(&fewer, &alone, &matcher_tree::Config::new(), Mode::Match);
        // Equal rule sets have no difference. The two selections have no common rule, so they differ.
        assert!(all.difference.is_none());
        assert!(without.difference.is_some(), "{left_out}");
        let others: Vec<String> = DISJOINT
            .iter()
            .filter(|rule| !rule.contains(&format!("def {left_out} ")))
            .map(|rule| (*rule).to_owned())
            .collect();
        assert_same(
            left_out,
            &fewer,
            &load(&format!("written_{left_out}"), &[others.join("\n")]),
            &matcher_tree::Config::new(),
        );
    }
}

#[test]
fn names_of_symbols_have_no_effect() {
    let rules = load("names", &[DISJOINT.join("\n")]);
    let renamed = DISJOINT.join("\n").replace("$x", "$first").replace("$y", "$x").replace("$first", "$y");
    assert_same("renamed", &rules, &load("renamed", &[renamed]), &matcher_tree::Config::new());
}

#[test]
fn division_into_files_has_no_effect() {
    let rules = load("whole", &[DISJOINT.join("\n")]);
    let (first, second) = DISJOINT.split_at(3);
    let split = load("split", &[first.join("\n"), second.join("\n")]);
    assert_same("split", &rules, &split, &matcher_tree::Config::new());
}

#[test]
fn optimisations_have_no_effect() {
    let rules = load("optimised", &[DISJOINT.join("\n")]);
    for config in [
        matcher_tree::Config::new().sharing(false),
        matcher_tree::Config::new().copies(Some(0)),
        matcher_tree::Config::new().copies(None),
    ] {
        assert_same("unoptimised", &rules, &rules, &config);
    }
}
