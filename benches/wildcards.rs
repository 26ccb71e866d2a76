//! Measures rules with the same root operation. In each rule, each attribute of the root is a constant or a wildcard.
//! No question about one attribute divides all rules, because every attribute is a wildcard in some of them. Only the
//! last shape has no wildcards, for comparison.
//!
//! Before a measurement, the first match of each operation is compared with the result of trying every rule. The goal
//! is at most 2 µs for each operation at 10,000 rules. The automaton leaves roots with too many states to the tree.

#![allow(missing_docs, reason = "criterion's macros create public items")]

use std::fmt::Write;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drrvm::compile;
use drrvm::host::Natives;
use drrvm::ir::{Context, IrHost, OpId, parse_module};
use drrvm::pdl::RuleSet;
use drrvm::source::SourceMap;
use drrvm::vm::{Automaton, Engine, LinkOptions, Matcher};

/// The shape of a workload.
#[derive(Clone, Copy)]
struct Shape {
    rules: usize,
    attributes: usize,
    /// The number of different constants of an attribute.
    constants: u64,
    /// The percentage of attributes that are wildcards.
    wild: u64,
}

/// A rule: the required constants, a flag that is set if the last operand of the root must have type `i1`, and the
/// benefit that is added to the number of operations.
struct Rule {
    constants: Vec<Option<u64>>,
    is_bool: bool,
    benefit: u64,
}

/// A linear congruential generator with a fixed seed, so that every run measures the same rules.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

impl Shape {
    fn name(self) -> String {
        format!("{}_attributes_{}_constants_{}_percent_wild", self.attributes, self.constants, self.wild)
    }

    fn rules(self, numbers: &mut Numbers) -> Vec<Rule> {
        let rule = |_| Rule {
            constants: (0..self.attributes)
                .map(|_| (numbers.below(100) >= self.wild).then(|| numbers.below(self.constants)))
                .collect(),
            is_bool: numbers.below(2) == 0,
            benefit: numbers.below(5),
        };
        (0..self.rules).map(rule).collect()
    }

    fn td(self, rules: &[Rule]) -> String {
        let mut text = String::from(
            "include \"mlir/IR/OpBase.td\"\ninclude \"mlir/IR/PatternBase.td\"\n\
             def T : Dialect { let name = \"t\"; let cppNamespace = \"t\"; }\n",
        );
        let args: String = (0..self.attributes).map(|at| format!("I32Attr:$a{at}, ")).collect();
        for (name, args) in [("m", args.as_str()), ("n", "I32Attr:$k, ")] {
            writeln!(
                text,
                "def {} : Op<T, \"{name}\"> {{ let arguments = (ins AnyType:$v, {args}AnyType:$w); let results = \
                 (outs AnyType:$r); }}",
                name.to_uppercase()
            )
            .expect("writing to a string succeeds");
        }
        for (number, rule) in rules.iter().enumerate() {
            let constant = |constant: &Option<u64>| match constant {
                Some(value) => format!("ConstantAttr<I32Attr, \"{value}\">, "),
                None => "$_, ".to_owned(),
            };
            let constants: String = rule.constants.iter().map(constant).collect();
            let last = if rule.is_bool { "I1:$w" } else { "$w" };
            let benefit = rule.benefit;
            writeln!(
                text,
                "def R{number} : Pat<(M $v, {constants}{last}), (N $v, ConstantAttr<I32Attr, \"{number}\">, $w), \
                 [], [], (addBenefit {benefit})>;"
            )
            .expect("writing to a string succeeds");
        }
        text
    }

    /// The text of the IR, and the index of the first rule that matches each operation.
    fn ir(self, rules: &[Rule], ops: usize, numbers: &mut Numbers) -> (String, Vec<Option<usize>>) {
        let mut text = String::from("%x = \"t.x\"() : () -> i1\n%y = \"t.y\"() : () -> i32\n");
        let mut expected = Vec::new();
        let mut order: Vec<usize> = (0..rules.len()).collect();
        order.sort_by_key(|&rule| std::cmp::Reverse(rules[rule].benefit));
        for _ in 0..ops {
            let values: Vec<u64> = (0..self.attributes).map(|_| numbers.below(self.constants)).collect();
            let is_bool = numbers.below(2) == 0;
            let attrs: Vec<String> =
                values.iter().enumerate().map(|(at, value)| format!("a{at} = {value} : i32")).collect();
            let (w, ty) = if is_bool { ("%x", "i1") } else { ("%y", "i32") };
            writeln!(text, "\"t.m\"(%y, {w}) {{{}}} : (i32, {ty}) -> i32", attrs.join(", "))
                .expect("writing to a string succeeds");
            expected.push(order.iter().copied().find(|&rule| {
                let Rule { constants, is_bool: wants_bool, .. } = &rules[rule];
                (!wants_bool || is_bool)
                    && constants
                        .iter()
                        .zip(&values)
                        .all(|(constant, value)| constant.is_none_or(|c| c == *value))
            }));
        }
        (text, expected)
    }
}

fn load(text: String) -> RuleSet {
    let mut sources = SourceMap::default();
    let file = sources.add("rules.td", text).expect("the file is small");
    let (rules, _) = compile::load_added(&mut sources, &[file], &compile::Options::default());
    rules
}

fn check<E: Engine<IrHost>>(engine: &E, host: &IrHost, ops: &[OpId], expected: &[Option<usize>]) {
    let mut cache = engine.cache();
    for (&op, &expected) in ops.iter().zip(expected) {
        let found = engine
            .match_first(host, op, &mut cache)
            .map(|rule| engine.matcher().program().pattern_name(rule));
        assert_eq!(found, expected.map(|rule| format!("R{rule}")).as_deref());
    }
}

fn sweep<E: Engine<IrHost>>(engine: &E, host: &IrHost, ops: &[OpId], cache: &mut E::Cache) -> usize {
    ops.iter().filter(|&&op| engine.match_first(host, op, cache).is_some()).count()
}

fn wildcards(criterion: &mut Criterion) {
    let is_test = std::env::args().any(|arg| arg == "--test");
    let (counts, ops): (&[usize], usize) = if is_test { (&[300], 100) } else { (&[1_000, 10_000], 10_000) };
    let shape = |attributes, constants, wild| Shape { rules: 0, attributes, constants, wild };
    for shape in
        [shape(2, 1000, 20), shape(3, 100, 30), shape(3, 20, 50), shape(5, 8, 40), shape(1, 100_000, 0)]
    {
        let mut group = criterion.benchmark_group(shape.name());
        group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(1));
        group.sample_size(10).throughput(Throughput::Elements(ops as u64));
        for &rules in counts {
            let shape = Shape { rules, ..shape };
            let mut numbers = Numbers(1);
            let rules = shape.rules(&mut numbers);
            let (ir, expected) = shape.ir(&rules, ops, &mut numbers);
            let mut sources = SourceMap::default();
            let file = sources.add("input.mlir", ir).expect("the file is small");
            let mut context = Context::new();
            let module = parse_module(&mut context, sources.file(file)).expect("the input is valid");
            let mut host = IrHost::new(context, module);
            let program = compile::program(&load(shape.td(&rules))).expect("the rules are valid");
            let (natives, options) = (Natives::new(), LinkOptions::default());
            let matcher = Matcher::link(Arc::new(program), &mut host, &natives, &options);
            let matcher = Arc::new(matcher.expect("the rules have no natives"));
            let automaton = Automaton::new(matcher.clone());
            let all: Vec<OpId> = host.module.preorder(host.module.top()).collect();
            let ops = &all[all.len() - ops..];
            check(&*matcher, &host, ops, &expected);
            check(&automaton, &host, ops, &expected);
            let mut cache = matcher.cache();
            group.bench_function(BenchmarkId::new("tree", shape.rules), |bench| {
                bench.iter(|| black_box(sweep(&*matcher, &host, ops, &mut cache)));
            });
            let mut cache = automaton.cache();
            group.bench_function(BenchmarkId::new("automaton", shape.rules), |bench| {
                bench.iter(|| {
                    cache.forget_labels();
                    black_box(sweep(&automaton, &host, ops, &mut cache))
                });
            });
            group.bench_function(BenchmarkId::new("automaton_cold", shape.rules), |bench| {
                bench.iter(|| black_box(sweep(&automaton, &host, ops, &mut automaton.cache())));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, wildcards);
criterion_main!(benches);
