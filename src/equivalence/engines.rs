//! Checks that every engine finds the matches of the reference matcher, and that rewriting with each engine gives the
//! same module. The rules and the IR are random.

use std::sync::Arc;

use super::compare::{Comparison, Mode, Options, compare};
use super::generate::{Config, IrGenerator};
use super::side::Side;
use crate::bytecode::{self, Program};
use crate::host::Natives;
use crate::ir::{Context, IrHost, Module};
use crate::matcher_tree as tree;
use crate::pdl::{RuleSet, random};
use crate::source::{Diagnostics, SourceMap};
use crate::vm::{Automaton, LinkOptions, Matcher, Reference};

/// Compares each engine with the reference matcher on modules for random rules, which `rules` encodes. Returns the
/// number of comparisons: each operation counts once for each engine. The seed also selects the tree configuration.
///
/// # Panics
/// Panics if two engines differ.
pub(crate) fn engines_agree(rules: &[u8], seed: u64, cases: u64) -> u64 {
    let natives = random::natives(|_: &IrHost, ty| ty == Context::I32);
    let matching = random::rules(rules);
    let rewriting = random::rewriting_rules(rules);
    agree_on(&matching, &natives, Mode::Match, seed, cases)
        + agree_on(&rewriting, &natives, Mode::Rewrite, seed, cases)
}

/// Compares each engine with the reference matcher on modules for these rules. Returns the number of comparisons: each
/// operation counts once for each engine. The number is 0 if the rules cannot be compiled or linked.
///
/// # Panics
/// Panics if two engines differ.
pub(crate) fn agree_on(rules: &RuleSet, natives: &Natives<IrHost>, mode: Mode, seed: u64, cases: u64) -> u64 {
    let Ok(compared) = agree(rules, natives, mode, seed, cases) else { return 0 };
    let difference = compared.iter().find_map(|compared| compared.difference.as_ref());
    assert!(difference.is_none(), "{}\n{difference:#?}", crate::pdl::print(rules));
    compared.iter().map(|compared| compared.ops).sum()
}

/// Compares the tree and the automaton with the reference matcher.
fn agree(
    rules: &RuleSet,
    natives: &Natives<IrHost>,
    mode: Mode,
    seed: u64,
    cases: u64,
) -> Result<[Comparison; 2], Diagnostics> {
    let mut context = Context::new();
    let module = Module::new(&mut context);
    let mut host = IrHost::new(context, module);
    let config = Config::default().seed(seed).instances(2).attempts(24);
    let generator = IrGenerator::new(&[rules], &mut host, natives, &config)?;
    let program = stored(rules, seed)?;
    let matcher = Matcher::link(Arc::new(program), &mut host, natives, &LinkOptions::default())?;
    let matcher = Arc::new(matcher);
    let reference = Reference::link(rules, &matcher, &mut host, natives)?;
    let automaton = Automaton::new(matcher.clone());
    let sides = [Side::new(&reference), Side::new(&*matcher), Side::new(&automaton)];
    let options = Options::default().mode(mode).cases(cases).max_rewrites(40);
    let with = |side: &Side<'_>| compare([&sides[0], side], &generator, &host, natives, &options, &|_| {});
    Ok([with(&sides[1]), with(&sides[2])])
}

/// Compiles rules with a tree configuration that the seed selects, and passes the program through the file
/// format.
fn stored(rules: &RuleSet, seed: u64) -> Result<Program, Diagnostics> {
    let config = match seed % 4 {
        0 => tree::Config::new(),
        1 => tree::Config::new().sharing(false),
        2 => tree::Config::new().copies(Some(0)),
        _ => tree::Config::new().copies(None).max_nodes(1 << 18),
    };
    let rules = rules.verify()?;
    let program = bytecode::compile(rules, &tree::build(rules, &config)?)?;
    let bytes = program.to_bytes(&SourceMap::default());
    Ok(Program::from_bytes(&bytes, &mut SourceMap::default()).expect("a serialised program is valid"))
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a long run prints its size")]
mod tests {
    use std::sync::Arc;

    use super::{agree_on, engines_agree, stored};
    use crate::equivalence::compare::Mode;
    use crate::equivalence::generate::{Config, IrGenerator};
    use crate::equivalence::raise::raise;
    use crate::equivalence::random::Random;
    use crate::equivalence::side::{Match, Side};
    use crate::ir::{Context, IrHost, Module, OpId};
    use crate::pdl::{Node, OpDef, OperandGroup, Pattern, ReferenceMatcher, RuleSet, Trait, random};
    use crate::vm::{LinkOptions, Matcher};

    fn bytes(random: &mut Random) -> Vec<u8> {
        let count = 100 + random.below(400);
        (0..count).map(|_| random.number().to_le_bytes()[0]).collect()
    }

    /// Compares random rule sets, with a few modules for each, until a number of comparisons is reached.
    /// `DRRVM_COMPARISONS` sets this number; the default is 20,000. `DRRVM_SEED` sets the seed, in hexadecimal.
    #[test]
    fn engines_agree_on_random_rules() {
        let wanted = std::env::var("DRRVM_COMPARISONS").map_or(20_000, |n| n.parse().expect("a number"));
        let seed = crate::test_seed::seed();
        let random = Random::new(seed);
        let (mut compared, mut sets) = (0, 0);
        for set in 0.. {
            if compared >= wanted {
                break;
            }
            sets += 1;
            compared += engines_agree(&bytes(&mut random.fork(set)), set, 16);
        }
        println!("{compared} comparisons with {sets} rule sets from seed {seed:x}");
    }

    /// The matches at each operation of some random modules, with the names of the rules. The modules are generated for
    /// the rules `made_for`.
    fn all_matches(rules: &RuleSet, made_for: &RuleSet, cases: u64) -> Vec<(OpId, String, Match)> {
        let natives = random::natives(|_: &IrHost, ty| ty == Context::I32);
        let mut context = Context::new();
        let module = Module::new(&mut context);
        let mut host = IrHost::new(context, module);
        let config = Config::default().instances(2).attempts(24);
        let generator = IrGenerator::new(&[made_for], &mut host, &natives, &config).expect("they compile");
        let program = Arc::new(stored(rules, 0).expect("they compile"));
        let matcher = Matcher::link(program, &mut host, &natives, &LinkOptions::default());
        let matcher = matcher.expect("all natives are registered");
        let side = Side::new(&matcher);
        let mut all = Vec::new();
        for case in 0..cases {
            generator.generate(case, &mut host);
            for (op, found) in side.matches(&mut host, 0).into_iter().flatten() {
                all.extend(found.into_iter().map(|found| (op, side.rule_name(found.0).to_owned(), found)));
            }
        }
        all
    }

    /// Rules that are reconstructed from a program match where the original rules match.
    #[test]
    fn reconstructed_rules_match_like_the_originals() {
        let random = Random::new(crate::test_seed::seed());
        let natives = random::natives(|_: &IrHost, ty| ty == Context::I32);
        let mut matches = 0;
        for set in 0..40 {
            let rules = random::rules(&bytes(&mut random.fork(set)));
            let Ok(program) = stored(&rules, set) else { continue };
            let raised = raise(&program, &[]);
            let mut context = Context::new();
            let module = Module::new(&mut context);
            let mut host = IrHost::new(context, module);
            let config = Config::default().instances(2).attempts(24);
            let generator = IrGenerator::new(&[&raised], &mut host, &natives, &config).expect("they link");
            let before = ReferenceMatcher::new(&rules, &mut host, &natives).expect("they link");
            let after = ReferenceMatcher::new(&raised, &mut host, &natives).expect("they link");
            for case in 0..6 {
                generator.generate(case, &mut host);
                for op in host.module.preorder(host.module.top()) {
                    for rule in rules.patterns.ids() {
                        let counts =
                            [&before, &after].map(|matcher| matcher.matches_of(&host, rule, op).count());
                        assert_eq!(
                            counts[0],
                            counts[1],
                            "set {set}, rule {rule:?}, {op:?}\n{}",
                            crate::pdl::print(&rules)
                        );
                        matches += counts[0];
                    }
                }
            }
        }
        assert!(matches > 500, "too few matches: {matches}");
    }

    /// The copies of a rule with exchanged operands. For each subset of the operations that have a name, exactly two
    /// operands and no `either`, one copy exchanges the operands of the operations in the subset. For a rule with
    /// several roots, the list contains only the rule itself.
    fn exchanged(pattern: &Pattern) -> Vec<Pattern> {
        let mut all = vec![pattern.clone()];
        if !pattern.matcher.climbs().is_empty() {
            return all;
        }
        for (node, found) in pattern.matcher.iter_enumerated() {
            let Some(op) = found.as_operation() else { continue };
            let pair = matches!(op.operands.as_deref(), Some([OperandGroup::One(_), OperandGroup::One(_)]));
            if op.name.is_none() || !pair || !op.either.is_empty() {
                continue;
            }
            for mut copy in all.clone() {
                if let Node::Operation(op) = &mut copy.matcher[node] {
                    op.operands.as_mut().expect("it has two operands").swap(0, 1);
                }
                all.push(copy);
            }
        }
        all
    }

    /// A commuted rule matches where one of the copies with exchanged operands matches, and all engines agree on it.
    #[test]
    fn commuted_rules_match_where_a_copy_with_exchanged_operands_matches() {
        let random = Random::new(crate::test_seed::seed());
        let natives = random::natives(|_: &IrHost, ty| ty == Context::I32);
        let sets = if std::env::var_os("DRRVM_FULL").is_some() { 2_000 } else { 80 };
        let (mut matches, mut gained) = (0, 0);
        for set in 0..sets {
            let mut original = random::rules(&bytes(&mut random.fork(set)));
            for name in random::NAMES {
                let name = original.intern(name);
                original.ops_mut().insert(OpDef::new(name).traits([Trait::Commutative]));
            }
            let copies: Vec<Vec<Pattern>> = original.patterns.iter().map(exchanged).collect();
            if copies.iter().any(|copies| copies.len() > 64) {
                continue;
            }
            let all = original.with_patterns(copies.iter().flatten().cloned());
            let mut commuted = original.clone();
            commuted.commute();
            assert_eq!(commuted.patterns.len(), original.patterns.len(), "no rule is copied");

            let mut context = Context::new();
            let module = Module::new(&mut context);
            let mut host = IrHost::new(context, module);
            let config = Config::default().instances(2).attempts(24);
            let Ok(generator) = IrGenerator::new(&[&all], &mut host, &natives, &config) else { continue };
            let [of_original, of_all, of_commuted] = [&original, &all, &commuted]
                .map(|rules| ReferenceMatcher::new(rules, &mut host, &natives).expect("they link"));
            for case in 0..4 {
                generator.generate(case, &mut host);
                for op in host.module.preorder(host.module.top()) {
                    let mut copy = all.patterns.ids();
                    for (rule, copies) in commuted.patterns.ids().zip(&copies) {
                        let mut expected = false;
                        for copy in copy.by_ref().take(copies.len()) {
                            expected |= of_all.matches_of(&host, copy, op).next().is_some();
                        }
                        let found = of_commuted.matches_of(&host, rule, op).next().is_some();
                        assert_eq!(found, expected, "{rule:?} at {op:?}\n{}", crate::pdl::print(&commuted));
                        matches += u32::from(found);
                        gained +=
                            u32::from(found && of_original.matches_of(&host, rule, op).next().is_none());
                    }
                }
            }
            agree_on(&commuted, &natives, Mode::Match, set, 2);
        }
        assert!(matches > 500 && gained > 5, "too few matches: {matches}, {gained} by exchanged operands");
    }

    /// The matches of a rule depend neither on the other rules nor on the order of the rule set. The order of the rule
    /// set only decides the order in which the matches of rules with equal benefit are found.
    #[test]
    fn matches_of_a_rule_do_not_depend_on_other_rules() {
        let random = Random::new(crate::test_seed::seed());
        let mut matches = 0;
        for set in 0..45 {
            let mut random = random.fork(set);
            let rules = random::rules(&bytes(&mut random));
            // A rule with several benefits becomes several rules with one name, so rules are chosen by name.
            let kept: Vec<bool> = (0..16).map(|_| random.percent(50)).collect();
            let kept = |name: &str| name[1..].parse().is_ok_and(|number: usize| kept[number]);
            let chosen = rules.patterns.iter().filter(|rule| kept(&rules.strings[rule.name]));
            let some = rules.with_patterns(chosen.cloned());
            let mut patterns: Vec<Pattern> = rules.patterns.iter().cloned().collect();
            for i in (1..patterns.len()).rev() {
                patterns.swap(i, random.below(i + 1));
            }
            let shuffled = rules.with_patterns(patterns);

            let all = all_matches(&rules, &rules, 6);
            let of_some = all_matches(&some, &rules, 6);
            let same = |(a, b): (&(OpId, String, Match), &(OpId, String, Match))| {
                (a.0, &a.1, &a.2.1) == (b.0, &b.1, &b.2.1)
            };
            let left: Vec<_> = all.iter().filter(|(_, name, _)| kept(name)).cloned().collect();
            assert!(left.len() == of_some.len() && left.iter().zip(&of_some).all(same), "set {set}");
            let mut one_by_one = [all, all_matches(&shuffled, &rules, 6)];
            for matches in &mut one_by_one {
                matches.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
            }
            let [before, after] = &one_by_one;
            assert!(before.len() == after.len() && before.iter().zip(after).all(same), "set {set}");
            matches += left.len();
        }
        assert!(matches > 500, "too few matches: {matches}");
    }
}
