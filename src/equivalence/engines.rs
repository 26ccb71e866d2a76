//! The first invariant, on random rules and random IR: every engine finds what the reference matcher finds,
//! and rewriting with any engine gives the same module.

use std::sync::Arc;

use super::{Comparison, Config, IrGenerator, Mode, Options, Side, compare};
use crate::bytecode::{self, Program};
use crate::host::Natives;
use crate::ir::{Context, IrHost, Module};
use crate::matcher_tree as tree;
use crate::pdl::{RuleSet, random};
use crate::source::{Diagnostics, SourceMap};
use crate::vm::{Automaton, LinkOptions, Matcher, Reference};

/// Compares each engine with the reference matcher on modules made for random rules; how many operations were
/// compared. The seed also says how the tree is optimised.
///
/// # Panics
/// When two engines differ.
pub(crate) fn engines_agree(rules: &[u8], seed: u64, cases: u64) -> u64 {
    let natives = random::natives(|_: &IrHost, ty| ty == Context::I32);
    let matching = random::rules(rules);
    let rewriting = random::rewriting_rules(rules);
    agree_on(&matching, &natives, Mode::Match, seed, cases)
        + agree_on(&rewriting, &natives, Mode::Rewrite, seed, cases)
}

/// Compares each engine with the reference matcher on modules made for these rules; how many operations were
/// compared: none if the rules do not compile, which is an error for every engine.
///
/// # Panics
/// When two engines differ.
pub(crate) fn agree_on(rules: &RuleSet, natives: &Natives<IrHost>, mode: Mode, seed: u64, cases: u64) -> u64 {
    let Ok(compared) = agree(rules, natives, mode, seed, cases) else { return 0 };
    let difference = compared.iter().find_map(|compared| compared.difference.as_ref());
    assert!(difference.is_none(), "{}\n{difference:#?}", crate::pdl::print(rules));
    compared.iter().map(|compared| compared.ops).sum()
}

/// The tree and the automaton beside the reference matcher.
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
    let matcher = Matcher::link(Arc::new(program), &mut host, natives, &LinkOptions::default());
    let matcher = Arc::new(matcher.map_err(|error| error.diagnostics())?);
    let reference = Reference::link(rules, &matcher, &mut host, natives)?;
    let automaton = Automaton::new(matcher.clone());
    let sides = [Side::new(&reference), Side::new(&*matcher), Side::new(&automaton)];
    let options = Options::default().mode(mode).cases(cases).max_rewrites(40);
    let with = |side: &Side<'_>| compare([&sides[0], side], &generator, &host, natives, &options, &|_| {});
    Ok([with(&sides[1]), with(&sides[2])])
}

/// The program, optimised in one way or another, as it comes back from a file.
fn stored(rules: &RuleSet, seed: u64) -> Result<Program, Diagnostics> {
    let config = match seed % 4 {
        0 => tree::Config::new(),
        1 => tree::Config::new().sharing(false),
        2 => tree::Config::new().copies(Some(0)),
        _ => tree::Config::new().copies(None).max_nodes(1 << 18),
    };
    let program = bytecode::compile(rules, &tree::build(rules, &config)?)?;
    let bytes = program.to_bytes(&SourceMap::default());
    Ok(Program::from_bytes(&bytes, &mut SourceMap::default()).expect("what was written is valid"))
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a long run says what it has done")]
mod tests {
    use super::engines_agree;
    use crate::equivalence::Random;

    /// Random rule sets with a few modules each, until that many operations have been compared.
    /// `DRRVM_COMPARISONS` says how many, `DRRVM_SEED` from where on.
    #[test]
    fn engines_agree_on_random_rules() {
        let number = |name: &str, default: u64| {
            std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
        };
        let (wanted, seed) = (number("DRRVM_COMPARISONS", 20_000), number("DRRVM_SEED", 0));
        let random = Random::new(seed);
        let (mut compared, mut sets) = (0, 0);
        for set in 0.. {
            if compared >= wanted {
                break;
            }
            sets += 1;
            let mut random = random.fork(set);
            let count = 100 + random.below(400);
            let bytes: Vec<u8> = (0..count).map(|_| random.number().to_le_bytes()[0]).collect();
            compared += engines_agree(&bytes, set, 16);
        }
        println!("{compared} comparisons with {sets} rule sets from seed {seed}");
    }
}
