use std::path::PathBuf;

use hashbrown::HashMap;

use super::counterexample::{case_of, link};
use super::execute::{Setting, execute};
use super::term::{TermId, Terms, VarId};
use super::*;
use crate::compile;
use crate::equivalence::{self, Random};
use crate::id::IdVec;
use crate::number::ApInt;
use crate::rewrite;
use crate::semantics::{Concrete, Flags, IntOp, Lane, Signature};
use crate::source::SourceMap;
use crate::test_seed::seed;

fn load(files: &[&str]) -> RuleSet {
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let loaded = compile::rules(&mut SourceMap::default(), &files, &compile::Options::default());
    loaded.unwrap_or_else(|errors| panic!("{errors}")).0
}

fn rules_of(text: &str) -> RuleSet {
    let mut sources = SourceMap::default();
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("rules.td");
    let head = "include \"mlir/IR/PatternBase.td\"\ninclude \"mlir/Dialect/Arith/IR/ArithOps.td\"\n";
    std::fs::write(&path, format!("{head}{text}")).expect("a file");
    let loaded = compile::rules(&mut sources, &[path], &compile::Options::default());
    loaded.unwrap_or_else(|errors| panic!("{errors}")).0
}

fn only(text: &str, options: &Options) -> Verdict {
    let rules = rules_of(text);
    prove(&rules, rules.patterns().ids().next().expect("one rule"), options).verdict
}

fn small(widths: &[u32]) -> Options {
    Options::default().widths(widths.to_vec()).index_widths(Vec::new()).timeout(Duration::from_secs(60))
}

/// Widths of operands and results for which an operation is valid.
fn widths(op: IntOp, random: &mut Random) -> (Vec<u32>, Vec<u32>) {
    let width = 1 + u32::try_from(random.below(6)).expect("small");
    let other = 1 + u32::try_from(random.below(6)).expect("small");
    let (low, high) = (width.min(other), width.max(other));
    let operands = vec![width; op.operands()];
    match op.signature() {
        Signature::Same => (operands, vec![width; op.results()]),
        Signature::Comparison => (operands, vec![1]),
        Signature::WithCarry => (operands, vec![width, 1]),
        Signature::Select => (vec![1, width, width], vec![width]),
        Signature::Widen => (vec![low], vec![high]),
        Signature::Narrow => (vec![high], vec![low]),
        Signature::IndexCast => (vec![width], vec![other]),
        Signature::Bitcast => (vec![width], vec![width]),
    }
}

fn number(width: u32, random: &mut Random) -> ApInt {
    ApInt::from_u64(64, random.number()).zext_or_trunc(width)
}

/// The oracle is the definition of the operation in `semantics`, evaluated on numbers ([`Concrete`]). A test of
/// `semantics` compares its results with Rust's arithmetic. For fixed operands, the solver must find the result of the
/// oracle and no other.
#[test]
fn symbolic_operations_agree_with_numbers() {
    let random = Random::new(seed());
    let rounds = if std::env::var_os("DRRVM_FULL").is_some() { 200 } else { 12 };
    for (number_of_op, &op) in IntOp::ALL.iter().enumerate() {
        for round in 0..rounds {
            let mut random = random.fork(number_of_op as u64).fork(round);
            let (from, to) = widths(op, &mut random);
            let mut terms = Terms::default();
            let mut values: IdVec<VarId, ApInt> = IdVec::default();
            let mut variable = |terms: &mut Terms, width: u32, value: ApInt| {
                values.push(value.clone());
                (terms.var(width), value)
            };
            let (mut symbolic, mut concrete) = (Vec::new(), Vec::new());
            for &width in &from {
                let poison = ApInt::from_u64(1, u64::from(random.percent(15)));
                let (bits, bits_value) = variable(&mut terms, width, number(width, &mut random));
                let (poison, poison_value) = variable(&mut terms, 1, poison);
                symbolic.push(Lane { bits, poison });
                concrete.push(Lane { bits: bits_value, poison: poison_value });
            }
            let (mut flags, mut numbers) = (Flags::default(), Flags::default());
            macro_rules! flag {
                ($($name:ident)*) => {$(
                    let (term, value) = variable(&mut terms, 1, number(1, &mut random));
                    (flags.$name, numbers.$name) = (Some(term), Some(value));
                )*};
            }
            flag!(nsw nuw exact nneg disjoint);
            let predicate = ApInt::from_u64(4, random.below(10) as u64);
            let (term, value) = variable(&mut terms, 4, predicate);
            (flags.predicate, numbers.predicate) = (Some(term), Some(value));
            let got = op.apply(&mut terms, &flags, &symbolic, &to).expect("a valid operation");
            let want = op.apply(&mut Concrete, &numbers, &concrete, &to).expect("a valid operation");
            let defined = want.undefined.is_zero();
            let mut pairs = vec![(got.undefined, want.undefined)];
            for (got, want) in got.results.iter().zip(&want.results) {
                pairs.push((got.poison, want.poison.clone()));
                // If the result is poison or the behaviour is undefined, the bits have no meaning.
                if want.poison.is_zero() && defined {
                    pairs.push((got.bits, want.bits.clone()));
                }
            }
            let mut fixed = terms.boolean(true);
            let ids: Vec<TermId> = terms.ids().collect();
            for id in ids {
                if let term::Term::Var(var) = *terms.get(id) {
                    let value = terms.constant(values[var].clone());
                    let equal = terms.eq(&id, &value);
                    fixed = terms.and(&fixed, &equal);
                }
            }
            for (got, want) in pairs {
                assert_eq!(terms.evaluate(got, &values), want, "{op:?} {from:?} {concrete:?} {numbers:?}");
                let want = terms.constant(want);
                let equal = terms.eq(&got, &want);
                let different = terms.not(&equal);
                let (found, other) = (terms.and(&fixed, &equal), terms.and(&fixed, &different));
                let time = Duration::from_secs(60);
                // `decide` answers these questions by simplification alone, and `ask` answers them by circuits.
                for decide in [Solver::decide, Solver::ask] {
                    let found = decide(Solver::Embedded, &terms, found, time);
                    assert!(matches!(found, solver::Verdict::Set(_)), "{op:?} {found:?}");
                    let other = decide(Solver::Embedded, &terms, other, time);
                    assert!(matches!(other, solver::Verdict::Never), "{op:?} {other:?}");
                }
            }
        }
    }
}

/// All assignments of values to the variables, or `limit` random assignments if there are more.
fn assignments<'a>(
    terms: &Terms,
    random: &'a mut Random,
    limit: usize,
) -> Box<dyn Iterator<Item = IdVec<VarId, ApInt>> + 'a> {
    // The predicate of a comparison has 64 bits, of which only four have a meaning.
    let widths: Vec<(u32, u32)> = terms.var_widths().map(|(_, width)| (width, width.min(4))).collect();
    let bits: u32 = widths.iter().map(|(_, used)| *used).sum();
    match 1_usize.checked_shl(bits).filter(|all| *all <= limit) {
        Some(all) => Box::new((0..all as u64).map(move |mut rest| {
            let value = |&(width, used): &(u32, u32)| {
                let value = ApInt::from_u64(width, rest & ((1 << used) - 1));
                rest >>= used;
                value
            };
            widths.iter().map(value).collect()
        })),
        None => Box::new((0..limit).map(move |_| {
            let value =
                |&(width, used): &(u32, u32)| ApInt::from_u64(width, random.number() & ((1 << used) - 1));
            widths.iter().map(value).collect()
        })),
    }
}

/// The result of running a rule on small values.
#[derive(Default)]
struct SmallRuns {
    /// A function with operands for which the results after the rewrite do not refine the results before it.
    difference: Option<String>,
    /// The number of runs, each of one function with one list of operands.
    runs: usize,
    /// The types for which not all values were run.
    sampled: Vec<String>,
}

/// The results of a function, which are poison or numbers.
type Results = Vec<Option<ApInt>>;

/// Runs the rule through the compiled matcher and the interpreter: on all values of integers of these widths, or on
/// `limit` random values if there are more.
fn run_small(rules: &RuleSet, rule: PatternId, widths: &[u32], limit: usize) -> SmallRuns {
    let pattern = &rules.patterns()[rule];
    let mut random = Random::new(seed());
    let operations = Operations::default();
    let mut context = Context::new();
    let module = Module::new(&mut context);
    let mut host = IrHost::new(context, module);
    let linked = Linked::link(rules.snippets(), &mut host, &crate::natives::all());
    let mut found = SmallRuns::default();
    for mut shape in shape::shapes(rules, pattern, &operations).expect("the rule is proved") {
        shape.bind_results(&pattern.matcher);
        for types in shape.assignments(widths).expect("few widths") {
            if types.contains(&Ty::Index) {
                continue;
            }
            let mut setting =
                Setting { rules, linked: &linked, host: &mut host, index_width: 64, operations: &operations };
            let Ok(Some(mut query)) = execute(&mut setting, pattern, &shape, &types) else { continue };
            let assumptions = query.state.all_assumptions();
            let mut functions: HashMap<String, usize> = HashMap::new();
            let mut texts: Vec<String> = Vec::new();
            // For each function and its operands: the expected results, and true if the rule matches.
            let mut runs: HashMap<(usize, Results), (Results, bool)> = HashMap::new();
            let bits: u32 = query.state.terms.var_widths().map(|(_, width)| width.min(4)).sum();
            if 1_usize.checked_shl(bits).is_none_or(|all| all > limit) {
                found.sampled.push(format!("{types:?} ({bits} bits)"));
            }
            for values in assignments(&query.state.terms, &mut random, limit) {
                let values = query.state.terms.evaluate_all(&values);
                if values[assumptions].is_zero() {
                    continue;
                }
                let case = case_of(&query, &values, 0);
                let next = functions.len();
                let number = *functions.entry(case.function).or_insert_with_key(|text| {
                    texts.push(text.replace("@f0(", &format!("@f{next}(")));
                    next
                });
                let inputs: Results = case.inputs.into_iter().map(|(_, value)| value).collect();
                let (_, matches) = runs.entry((number, inputs)).or_insert((case.before, false));
                *matches |= !values[query.matches].is_zero();
            }
            if texts.is_empty() {
                continue;
            }
            found.runs += runs.len();
            let (mut host, matcher) = link(rules, rule, &texts.concat()).expect("valid functions");
            let original = host.module.clone();
            let top = host.module.top();
            let report = rewrite::apply_in_walk(&mut host, top, &matcher, &mut crate::NoListener);
            let expected = runs.values().any(|(_, matches)| *matches);
            assert_eq!(report.rewrites > 0, expected, "{types:?}: the rule matches other values");
            for ((number, inputs), (expected, _)) in runs {
                let before = equivalence::run(&host, &original, number, &inputs, 64, &operations)
                    .expect("interpreted");
                let Some(before) = before else { continue };
                assert_eq!(before, expected, "{}", texts[number]);
                let after = equivalence::run(&host, &host.module, number, &inputs, 64, &operations)
                    .expect("interpreted");
                let refines = after.as_ref().is_some_and(|after| {
                    after.len() == before.len()
                        && before.iter().zip(after).all(|(before, after)| before.is_none() || before == after)
                });
                if !refines {
                    let text = format!("{}{inputs:?}: {before:?} becomes {after:?}", texts[number]);
                    found.difference = Some(text);
                    return found;
                }
            }
        }
    }
    found
}

/// The maximum number of assignments of values that are run for one assignment of types. It is larger if `DRRVM_FULL`
/// is set.
fn limit() -> usize {
    if std::env::var_os("DRRVM_FULL").is_some() { 1 << 20 } else { 1 << 9 }
}

#[test]
fn proved_rules_are_right_for_small_values() {
    let full = std::env::var_os("DRRVM_FULL").is_some();
    let widths: &[u32] = if full { &[1, 2, 3, 4] } else { &[2, 3] };
    let (mut checked, mut runs) = (0, 0);
    for file in ["examples/arith/rules.td", "tests/data/prove/right.td"] {
        let rules = load(&[file]);
        for rule in rules.patterns().ids() {
            let report = prove(&rules, rule, &small(widths));
            if report.verdict == Verdict::Proved {
                let found = run_small(&rules, rule, widths, limit());
                assert_eq!(found.difference, None, "{}", report.rule);
                checked += 1;
                runs += found.runs;
                if full {
                    println!("{}: {} runs, sampled: {:?}", report.rule, found.runs, found.sampled);
                }
            }
        }
    }
    println!("{checked} proofs agree with {runs} runs");
    assert!(checked > 25 && runs > 25 * 16, "{checked} {runs}");
}

#[test]
fn rules_that_the_alive_papers_list_as_wrong_are_refuted() {
    let rules = load(&["tests/data/prove/instcombine.td"]);
    let mut refuted = 0;
    for rule in rules.patterns().ids() {
        let report = prove(&rules, rule, &small(&[1, 8]));
        match report.rule.as_str() {
            // In arith, INT_MIN % -1 is defined.
            "PR21256" => assert_eq!(report.verdict, Verdict::Proved),
            name => {
                assert!(matches!(report.verdict, Verdict::Refuted(_)), "{name}: {:?}", report.verdict);
                refuted += 1;
            }
        }
    }
    assert!(refuted >= 8, "{refuted}");
}

#[test]
fn a_rule_that_cannot_be_decided_is_unknown_with_a_reason() {
    for (text, want) in [
        ("def R : Pat<(Arith_AddFOp $x, $y, $f), (Arith_AddFOp $y, $x, $f)>;", "'arith.addf' computes with floats"),
        (
            "def D : Dialect { let name = \"my\"; }\ndef Op1 : Op<D, \"op\"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
             def R : Pat<(Op1 (Op1 $x)), (Op1 $x)>;",
            "the operation 'my.op' has no known meaning",
        ),
        (
            "def R : Pat<(Arith_AddIOp $x, $y, $f), (replaceWithValue $x), [(Constraint<CPred<\"isGood($0)\">> $y)]>;",
            "the rule is wrong for some results of natives without a known meaning: 'isGood'",
        ),
        (
            "def R : Pat<(Arith_AddIOp $x, $y, $f), (NativeCodeCall<\"buildIt($_builder, $0)\"> $x)>;",
            "the native 'buildIt' has no known meaning",
        ),
        (
            "def R : Pat<(Arith_AddIOp I<24>:$x, $y, $f), (Arith_AddIOp $y, $x, $f)>;",
            "the rule matches no integers of the width 8 and no 'index'; `--widths` sets other widths",
        ),
    ] {
        match only(text, &small(&[8])) {
            Verdict::Unknown(reasons) => assert!(reasons[0].ends_with(want), "{reasons:?}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

/// The oracle compares 64-bit integers in Rust, for each number of the width, because C++ decides
/// `APInt::ult(uint64_t)` and `APInt::slt(int64_t)` by a comparison of 64-bit integers. A rule that replaces `x ^ c` by
/// `x` is right only if it matches no `c` other than zero.
#[test]
fn comparisons_with_integers_of_any_size_are_exact() {
    type Argument = (&'static str, fn(u64, i64) -> i128);
    let mut arguments: Vec<Argument> = vec![
        ("NUMBER.getZExtValue() * 2 + 3", |unsigned, _| i128::from(unsigned) * 2 + 3),
        ("NUMBER.getZExtValue() + 250", |unsigned, _| i128::from(unsigned) + 250),
        ("NUMBER.getSExtValue() * 3 - 1", |_, signed| i128::from(signed) * 3 - 1),
        ("NUMBER.getSExtValue()", |_, signed| signed.into()),
        ("NUMBER.isZero() ? 0 : 512", |unsigned, _| if unsigned == 0 { 0 } else { 512 }),
    ];
    macro_rules! constants {
        ($($value:literal)*) => {$(arguments.push((stringify!($value), |_, _| $value));)*};
    }
    constants!(-300 -256 -129 -128 -2 -1 0 1 2 3 5 127 128 255 256 257 0x7FFFFFFFFFFFFFFF);
    let number = "::llvm::cast<::mlir::IntegerAttr>($0).getValue()";
    let (mut text, mut expected) = (String::new(), Vec::new());
    for (argument, value) in arguments {
        for (at, name) in ["ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"].into_iter().enumerate() {
            for width in [1_u32, 8] {
                let holds = |bits: u64| {
                    let signed = (bits << (64 - width)).cast_signed() >> (64 - width);
                    let argument = i64::try_from(value(bits, signed)).expect("64 bits");
                    let order =
                        if at < 4 { bits.cmp(&argument.cast_unsigned()) } else { signed.cmp(&argument) };
                    match at % 4 {
                        0 => order.is_lt(),
                        1 => order.is_le(),
                        2 => order.is_gt(),
                        _ => order.is_ge(),
                    }
                };
                let condition = format!("NUMBER.{name}({argument})").replace("NUMBER", number);
                text.push_str(&format!(
                    "def R{} : Pat<(Arith_XOrIOp I<{width}>:$x, (ConstantLikeMatcher APIntAttr:$c)), (replaceWithValue $x),
                       [(Constraint<CPred<\"{condition}\">> $c)]>;\n",
                    expected.len()
                ));
                let word = match (holds(0), (1..1 << width).any(holds)) {
                    (_, true) => "refuted",
                    (true, false) => "proved",
                    (false, false) => "unknown",
                };
                expected.push((width, condition, word));
            }
        }
    }
    let rules = rules_of(&text);
    for (rule, (width, condition, word)) in rules.patterns().ids().zip(expected) {
        let verdict = prove(&rules, rule, &small(&[width])).verdict;
        assert_eq!(verdict.word(), word, "{condition} for i{width}: {verdict:?}");
        if let Verdict::Unknown(reasons) = verdict {
            assert!(reasons[0].contains("matches no integers"), "{condition}: {reasons:?}");
        }
    }
}

/// A constraint without a known meaning can only make a rule match less often.
#[test]
fn a_right_rule_is_proved_whatever_its_natives_decide() {
    let text = "def R : Pat<(Arith_AddIOp $x, $y, $f), (Arith_AddIOp $y, $x, $f), [(Constraint<CPred<\"isGood($0)\">> $y)]>;";
    assert_eq!(only(text, &small(&[8])), Verdict::Proved);
}

#[test]
fn a_rule_that_creates_invalid_operations_is_refuted() {
    // The new operation has the result type of the root. This type can be as narrow as the type of the operand.
    let text = "def R : Pat<(Arith_TruncIOp (Arith_ExtUIOp $x), $f), (Arith_ExtUIOp $x)>;";
    match only(text, &small(&[8, 16])) {
        Verdict::Refuted(found) => assert!(matches!(found.after, After::Invalid(_)), "{found:?}"),
        other => panic!("{other:?}"),
    }
}

/// The width of `index` matters for casts.
#[test]
fn index_has_32_and_64_bits() {
    let text = "def R : Pat<(Arith_IndexCastOp:$r (Arith_IndexCastOp $x)), (replaceWithValue $x),
        [(Constraint<CPred<\"$0.getType() == $1.getType()\">> $r, $x), (Constraint<CPred<\"$0.getType().isInteger(64)\">> $x)]>;";
    match only(text, &small(&[64]).index_widths(vec![32, 64])) {
        Verdict::Refuted(found) => assert!(found.types.contains("index of 32 bits"), "{}", found.types),
        other => panic!("{other:?}"),
    }
}

/// Changed copies of a rule, each with a description of the change. A change can make the rule wrong in a way that its
/// author could miss.
fn mutants(rules: &mut RuleSet, rule: PatternId) -> Vec<(String, Pattern)> {
    use crate::pdl::{Constant, Replacement, Source, Step};
    let swaps: &[(&str, &str)] = &[
        ("arith.addi", "arith.subi"),
        ("arith.subi", "arith.addi"),
        ("arith.muli", "arith.addi"),
        ("arith.andi", "arith.ori"),
        ("arith.ori", "arith.andi"),
        ("arith.xori", "arith.ori"),
        ("arith.shli", "arith.shrui"),
        ("arith.shrui", "arith.shrsi"),
        ("arith.shrsi", "arith.shrui"),
        ("arith.extsi", "arith.extui"),
        ("arith.extui", "arith.extsi"),
        ("arith.divsi", "arith.divui"),
        ("arith.maxsi", "arith.maxui"),
        ("arith.minsi", "arith.maxsi"),
    ];
    let pattern = rules.patterns()[rule].clone();
    let flags = rules.intern("overflowFlags");
    let strict = rules.intern("#arith.overflow<nsw, nuw>");
    let predicates: Vec<_> = (0..10).map(|number| rules.intern(&format!("{number} : i64"))).collect();
    let predicate = rules.intern("predicate");
    let exact = rules.intern("isExact");
    let unit = rules.intern("unit");
    let mut found = Vec::new();
    let leaves: Vec<crate::pdl::NodeId> = pattern
        .matcher
        .iter_enumerated()
        .filter(|(_, node)| matches!(node, crate::pdl::Node::Value { .. }))
        .filter(|(_, node)| node.source().is_none_or(|source| !pattern.matcher.roots.contains(&source.op())))
        .map(|(id, _)| id)
        .collect();
    for (at, step) in pattern.rewrite.steps.iter().enumerate() {
        let mut add = |what: String, change: &dyn Fn(&mut Pattern)| {
            let mut changed = pattern.clone();
            change(&mut changed);
            found.push((what, changed));
        };
        match step {
            Step::Create(create) => {
                let name = rules.strings()[create.name].to_owned();
                if create.operands.len() >= 2 {
                    let last = create.operands.len() - 1;
                    add(format!("{at}: operands swapped"), &|changed| {
                        if let Step::Create(create) = &mut changed.rewrite.steps[at] {
                            create.operands.swap(last - 1, last);
                        }
                    });
                }
                for (from, to) in swaps.iter().filter(|(from, _)| *from == name) {
                    let Some(to_name) = rules.strings().find(to) else { continue };
                    add(format!("{at}: {from} becomes {to}"), &|changed| {
                        if let Step::Create(create) = &mut changed.rewrite.steps[at] {
                            create.name = to_name;
                        }
                    });
                }
                for operand in 0..create.operands.len() {
                    for &leaf in leaves.iter().take(3) {
                        add(format!("{at}: operand {operand} is {leaf:?}"), &|changed| {
                            if let Step::Create(create) = &mut changed.rewrite.steps[at] {
                                create.operands[operand] = leaf.into();
                            }
                        });
                    }
                }
                let mut constant = |what: &str, name, text, change: bool| {
                    if !change {
                        return;
                    }
                    let mut changed = pattern.clone();
                    let to = changed.rewrite.locals.push(crate::host::Kind::Attr);
                    if let Step::Create(create) = &mut changed.rewrite.steps[at] {
                        create.attributes.retain(|(other, ..)| *other != name);
                        create.attributes.push((name, Source::Local(to), true));
                    }
                    changed.rewrite.steps.insert(at, Step::Attr { value: Constant::Text(text), to });
                    found.push((format!("{at}: {what}"), changed));
                };
                let has = |name| create.attributes.iter().any(|(other, ..)| *other == name);
                constant("nsw and nuw are set", flags, strict, has(flags));
                constant("exact is set", exact, unit, has(exact) || name == "arith.shrui");
                for &text in &predicates {
                    constant("another predicate", predicate, text, has(predicate));
                }
            }
            Step::Call { args, .. } if args.len() >= 2 => {
                let last = args.len() - 1;
                add(format!("{at}: arguments swapped"), &|changed| {
                    if let Step::Call { args, .. } = &mut changed.rewrite.steps[at] {
                        args.swap(last - 1, last);
                    }
                });
                add(format!("{at}: an argument twice"), &|changed| {
                    if let Step::Call { args, .. } = &mut changed.rewrite.steps[at] {
                        args[last] = args[last - 1];
                    }
                });
            }
            Step::Replace { with: Replacement::Values(values), .. } if values.len() == 1 => {
                for &leaf in &leaves {
                    add(format!("{at}: replaced by {leaf:?}"), &|changed| {
                        if let Step::Replace { with, .. } = &mut changed.rewrite.steps[at] {
                            *with = Replacement::Values(vec![leaf.into()]);
                        }
                    });
                }
            }
            _ => {}
        }
    }
    for at in 0..pattern.matcher.constraints.len() {
        let call = &pattern.matcher.constraints[at];
        if call.results.is_empty() {
            let mut changed = pattern.clone();
            changed.matcher.constraints.remove(at);
            found.push((format!("without constraint {at}"), changed));
            let mut changed = pattern.clone();
            changed.matcher.constraints[at].negated ^= true;
            found.push((format!("constraint {at} negated"), changed));
        }
    }
    found.retain(|(_, changed)| rules.with_patterns([changed.clone()]).verify().is_ok());
    found
}

/// Tries a random sample of the mutants of each proved rule: 2, or 20 if `DRRVM_FULL` is set. Mutants that are proved
/// must be right for small values. The number of refuted mutants must be larger than the number of proved mutants, and
/// larger than four times the number of unknown mutants.
#[test]
fn most_mutants_of_proved_rules_are_refuted_or_right() {
    let full = std::env::var_os("DRRVM_FULL").is_some();
    let (mut refuted, mut right, mut unknown) = (0, 0, Vec::new());
    let mut random = Random::new(seed());
    for file in ["examples/arith/rules.td", "tests/data/prove/right.td"] {
        let mut rules = load(&[file]);
        let ids: Vec<PatternId> = rules.patterns().ids().collect();
        for rule in ids {
            let options = small(&[1, 3, 8]);
            if prove(&rules, rule, &options).verdict != Verdict::Proved {
                continue;
            }
            let mut all = mutants(&mut rules, rule);
            let most = if full { 20 } else { 2 };
            while all.len() > most {
                all.swap_remove(random.below(all.len()));
            }
            let name = rules.strings()[rules.patterns()[rule].name].to_owned();
            for (what, mutant) in all {
                let rules = rules.with_patterns([mutant]);
                let mutant = rules.patterns().ids().next().expect("one rule");
                match prove(&rules, mutant, &options).verdict {
                    Verdict::Refuted(_) => refuted += 1,
                    Verdict::Proved => {
                        let found = run_small(&rules, mutant, if full { &[1, 2, 3] } else { &[3] }, limit());
                        assert_eq!(found.difference, None, "{name}, {what}");
                        right += 1;
                    }
                    Verdict::Unknown(reasons) => unknown.push(format!("{name}, {what}: {}", reasons[0])),
                }
            }
        }
    }
    let score = 100 * (refuted + right) / (refuted + right + unknown.len());
    println!(
        "mutants: {refuted} refuted, {right} right for small values, {} unknown: {score} % decided",
        unknown.len()
    );
    for line in &unknown {
        println!("  {line}");
    }
    assert!(refuted > 10 && refuted > right && unknown.len() * 4 < refuted, "{refuted} {right} {unknown:?}");
}

#[test]
fn installed_solvers_agree_with_the_embedded_one() {
    let rules = load(&["tests/data/prove/right.td", "tests/data/prove/instcombine.td"]);
    for solver in [Solver::Z3, Solver::Cvc5, Solver::Bitwuzla] {
        let found = std::process::Command::new(solver.name()).arg("--version").output();
        if !found.is_ok_and(|output| output.status.success()) {
            println!("skipped: '{}' is not installed", solver.name());
            continue;
        }
        let mut decided = 0;
        for rule in rules.patterns().ids() {
            let options = small(&[1, 6]).timeout(Duration::from_secs(3));
            let embedded = prove(&rules, rule, &options);
            let other = prove(&rules, rule, &options.clone().solver(solver));
            // A solver that takes too long does not disagree.
            let words = [embedded.verdict.word(), other.verdict.word()];
            if !words.contains(&"unknown") {
                assert_eq!(words[0], words[1], "{}", embedded.rule);
                decided += 1;
            }
        }
        assert!(decided > 8, "{decided}");
    }
}

/// Operations of a dialect have the meaning of their description, in the proof and in the replay.
#[test]
fn described_operations_are_proved_and_refuted() {
    let mut operations = Operations::default();
    for text in [
        "comb.mux(c, a, b) = select(c, a, b)",
        "comb.and(a, b) = andi(a, b)",
        "comb.shl(a, b) = select(cmpi.ult(b, 8), shli(a, b), 0)",
    ] {
        operations.define(text).expect(text);
    }
    let rules = load(&["tests/data/prove/dialect.td"]);
    for rule in rules.patterns().ids() {
        let report = prove(&rules, rule, &small(&[8]).operations(operations.clone()));
        let expected = if report.rule == "MuxSwapped" { "refuted" } else { "proved" };
        assert_eq!(report.verdict.word(), expected, "{}: {:?}", report.rule, report.verdict);
    }
    // Now shifts that lose bits are poison. If the shifts of both operands lose no bits, the shift of the conjunction
    // loses none.
    operations.define("comb.shl(a, b) = shli.nuw(a, b)").expect("a description");
    let reports =
        rules.patterns().ids().map(|rule| prove(&rules, rule, &small(&[8]).operations(operations.clone())));
    let report = reports.into_iter().find(|report| report.rule == "AndOfShl").expect("the rule over shifts");
    assert_eq!(report.verdict, Verdict::Proved, "the conjunction of shifted numbers loses no more bits");
}

#[test]
fn rules_that_match_the_same_operations_are_compared() {
    let one = "def R : Pat<(Arith_AddIOp $x, $x, $f), (Arith_ShLIOp $x, (Arith_ConstantOp (NativeCodeCall<\"$_builder.getIntegerAttr($0.getType(), 1)\"> $x)), ConstantEnumCase<Arith_IntegerOverflowAttr, \"none\">)>;";
    let other = "def R : Pat<(Arith_AddIOp $x, $x, $f), (Arith_AddIOp $x, $x, ConstantEnumCase<Arith_IntegerOverflowAttr, \"none\">)>;";
    let strict = "def R : Pat<(Arith_AddIOp $x, $x, $f), (Arith_AddIOp $x, $x, $f)>;";
    let [one, other, strict] = [one, other, strict].map(rules_of);
    let id = |rules: &RuleSet| rules.patterns().ids().next().expect("one rule");
    let same = |a: &RuleSet, b: &RuleSet| compare([(a, id(a)), (b, id(b))], &small(&[4, 8]));
    assert!(matches!(same(&one, &other), Sameness::Same(_)), "{:?}", same(&one, &other));
    match same(&other, &strict) {
        Sameness::Different(found) => {
            assert_eq!(found.second, Some(After::Results(vec!["poison".to_owned()])), "{found:?}");
        }
        other => panic!("{other:?}"),
    }
    let elsewhere = rules_of("def R : Pat<(Arith_SubIOp $x, $x, $f), (Arith_SubIOp $x, $x, $f)>;");
    assert_eq!(
        same(&one, &elsewhere),
        Sameness::Unknown(vec!["the rules match different operations".to_owned()])
    );
}

/// The oracle is a separate proof for each of four widths.
#[test]
fn rules_that_are_right_for_all_widths_are_right_for_each() {
    let mut all = Vec::new();
    for file in ["examples/arith/rules.td", "tests/data/prove/right.td"] {
        let rules = load(&[file]);
        for rule in rules.patterns().ids() {
            if prove(&rules, rule, &small(&[8])).all_widths {
                let report = prove(&rules, rule, &small(&[2, 5, 9, 33]));
                assert_eq!(report.verdict, Verdict::Proved, "{}", report.rule);
                all.push(report.rule);
            }
        }
    }
    for name in ["AddZero", "AddAdd", "AndSelf", "MulOne", "Distribute", "SubSelf", "XorXor", "NotOfNot"] {
        assert!(all.iter().any(|rule| rule == name), "{name} is not among {all:?}");
    }
}

/// Rules that are right for eight bits. Only the first rule is right for all widths.
#[test]
fn rules_that_depend_on_a_width_are_not_right_for_all() {
    let attr = |value: &str| {
        format!("(Arith_ConstantOp (NativeCodeCall<\"$_builder.getIntegerAttr($0.getType(), {value})\"> $x))")
    };
    let none = "ConstantEnumCase<Arith_IntegerOverflowAttr, \"none\">";
    let (one, two, big) = (attr("1"), attr("2"), attr("256"));
    for text in [
        // On one bit, 2 is 0.
        format!("def R : Pat<(Arith_AddIOp $x, $x, $f), (Arith_MulIOp $x, {two}, {none})>;"),
        // On one bit, a shift by one is poison.
        format!("def R : Pat<(Arith_AddIOp SignlessIntOfWidths<[8, 16]>:$x, $x, $f), (Arith_ShLIOp $x, {one}, {none})>;"),
        // On eight bits, 256 is 0.
        format!("def R : Pat<(Arith_SubIOp $x, $x, $f), (Arith_MulIOp $x, {big}, {none}), [(Constraint<CPred<\"$0.getType().isInteger(8)\">> $x)]>;"),
        "def R : Pat<(Arith_AddIOp $x, $y, $f), (Arith_AddIOp $y, $x, $f), [(Constraint<CPred<\"$0.getType().getIntOrFloatBitWidth() < 9\">> $x)]>;".to_owned(),
    ] {
        let rules = rules_of(&text);
        let rule = rules.patterns().ids().next().expect("one rule");
        let report = prove(&rules, rule, &small(&[8]));
        assert_eq!(report.verdict, Verdict::Proved, "{text}");
        let right = text.contains("MulIOp $x, (Arith_ConstantOp (NativeCodeCall<\"$_builder.getIntegerAttr($0.getType(), 2)");
        assert_eq!(report.all_widths, right, "{text}");
    }
}

#[test]
fn reports_are_repeatable() {
    let rules = load(&["tests/data/prove/instcombine.td"]);
    for rule in rules.patterns().ids().take(4) {
        let [a, b] = [(); 2].map(|()| prove(&rules, rule, &small(&[1, 8])));
        assert_eq!((a.verdict, a.proved), (b.verdict, b.proved));
    }
}
