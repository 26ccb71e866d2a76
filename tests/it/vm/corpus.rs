//! Runs each case of `tests/corpus` with every engine in every configuration.
//!
//! `DRRVM_CORPUS=NAME` selects the cases whose names contain NAME.

use crate::common;
use crate::common::pdl_pass;

use std::fmt::Write;
use std::sync::Arc;

use drrvm::Program;
use drrvm::host::{Bind, Entity, Natives, NoListener};
use drrvm::internal::corpus::{self, Case};
use drrvm::internal::intern::StrId;
use drrvm::internal::matcher_tree;
use drrvm::internal::pdl::nodes;
use drrvm::ir::{self, Context, IrHost, IrText, OpId, PrintOptions, parse_module};
use drrvm::pdl::{PatternId, RuleSet};
use drrvm::rewrite::{Config, apply_greedily, par_walk};
use drrvm::source::{Diagnostics, SourceMap, render_classic};
use drrvm::vm::{Automaton, Engine, LinkOptions, Matcher, Reference};

/// A match: the operation, the rule, and the entities bound to the nodes of the rule.
type Match = (OpId, PatternId, Vec<Entity<IrHost>>);

fn cases() -> Vec<Case> {
    let only = std::env::var("DRRVM_CORPUS").unwrap_or_default();
    corpus::cases().into_iter().filter(|case| case.name.contains(&only)).collect()
}

/// The default configuration of the tree, and configurations in which one optimisation differs.
fn configs() -> [(&'static str, matcher_tree::Config); 4] {
    let config = matcher_tree::Config::new;
    [
        ("tree", config()),
        ("tree without sharing", config().sharing(false)),
        ("tree that backtracks at once", config().copies(Some(0))),
        ("tree that never backtracks", config().copies(None)),
    ]
}

fn natives() -> Natives<IrHost> {
    drrvm::natives::all().with(corpus::natives())
}

/// Parses and verifies the IR of a case.
fn host(sources: &mut SourceMap, name: &str, text: &str) -> IrHost {
    let file = sources.add(name, text).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file))
        .unwrap_or_else(|errors| panic!("{}", render_classic(&errors, sources)));
    let errors = ir::verify(&context, &module);
    assert!(!errors.has_errors(), "{}", render_classic(&errors, sources));
    let mut host = IrHost::new(context, module);
    // A constraint cannot create types, so the type that it returns must exist before matching.
    host.bind_type("f32").unwrap();
    host
}

fn generic(host: &IrHost) -> String {
    host.module.print(&host.context, PrintOptions::new().generic(true))
}

/// The program as compiled, and as read from a file.
fn programs(rules: &RuleSet, config: &matcher_tree::Config) -> Result<[Arc<Program>; 2], Diagnostics> {
    let program = drrvm::internal::program_with(rules, config)?;
    let bytes = program.to_bytes(&SourceMap::default());
    let loaded = Program::from_bytes(&bytes, &mut SourceMap::default()).unwrap();
    Ok([Arc::new(program), Arc::new(loaded)])
}

/// All matches at all operations below the module.
fn all_matches<E: Engine<IrHost>>(engine: &E, host: &IrHost) -> Vec<Match> {
    let mut cache = engine.cache();
    let mut all = Vec::new();
    for op in host.module.preorder(host.module.top()).skip(1) {
        let mut matched = engine.match_first(host, op, &mut cache);
        while let Some(rule) = matched {
            let nodes = engine.program().nodes(rule);
            let bindings = nodes.map(|node| engine.binding(host, &mut cache, node).unwrap());
            all.push((op, rule, bindings.collect()));
            matched = engine.next_match(host, &mut cache);
        }
    }
    all
}

/// The first match of each operation, found with several threads.
fn first_matches<E: Engine<IrHost, Cache: Send>>(engine: &E, host: &IrHost) -> Vec<Match> {
    par_walk(host, host.module.top(), engine, |op, rule, cache| {
        let nodes = engine.program().nodes(rule);
        (op, rule, nodes.map(|node| engine.binding(host, cache, node).unwrap()).collect())
    })
}

/// The IR after greedy rewriting.
fn rewritten<E: Engine<IrHost>>(engine: &E, host: &IrHost) -> String {
    let mut host = host.clone();
    let top = host.module.top();
    let report = apply_greedily(&mut host, top, engine, &Config::default(), &mut NoListener);
    assert!(report.not_converged.is_none(), "rewriting does not converge");
    let errors = ir::verify(&host.context, &host.module);
    assert!(!errors.has_errors(), "{}", generic(&host));
    generic(&host)
}

/// The text of a bound entity in the form of a case.
fn text_of(text: &IrText<'_>, sources: &SourceMap, entity: &Entity<IrHost>) -> String {
    match entity {
        Entity::Op(op) => format!("line {}", line(text, sources, *op)),
        Entity::Value(Some(value)) => text.value(*value),
        other => text.entity(other),
    }
}

fn line(text: &IrText<'_>, sources: &SourceMap, op: OpId) -> u32 {
    sources.locate(text.span(op)).map_or(0, |at| at.line)
}

/// The matches in the form of a case, with the symbols that the case lists for each match.
fn listing(case: &Case, rules: &RuleSet, sources: &SourceMap, host: &IrHost, all: &[Match]) -> String {
    let text = &IrText::new(sources, host);
    let symbols = case.matches.iter().flatten().map(|expected| &expected.bindings[..]);
    let mut out = String::new();
    for ((op, rule, bindings), symbols) in all.iter().zip(symbols.chain(std::iter::repeat(&[][..]))) {
        let pattern = &rules.patterns()[*rule];
        writeln!(out, "{}: {}", line(text, sources, *op), &rules.strings()[pattern.name]).unwrap();
        for (symbol, _) in symbols {
            let named = |name: StrId| rules.strings()[name] == **symbol;
            let at = nodes(pattern).find(|(.., name)| name.is_some_and(named)).map(|(node, ..)| node);
            let value = at.map_or("?".to_owned(), |at| text_of(text, sources, &bindings[at.raw() as usize]));
            writeln!(out, "  {symbol} = {value}").unwrap();
        }
    }
    out
}

fn expected_matches(case: &Case) -> Option<String> {
    let mut out = String::new();
    for expected in case.matches.as_ref()? {
        writeln!(out, "{}: {}", expected.line, expected.rule).unwrap();
        for (symbol, value) in &expected.bindings {
            writeln!(out, "  {symbol} = {value}").unwrap();
        }
    }
    Some(out)
}

/// Loads the rules of a case; returns the errors, or the rules with their warnings.
fn loaded(case: &Case, sources: &mut SourceMap) -> Result<(RuleSet, Diagnostics), Diagnostics> {
    let (rules, diagnostics) = case.load(sources)?;
    let mut host = host(sources, "ir", &case.ir);
    for program in programs(&rules, &matcher_tree::Config::new())? {
        Matcher::link(program, &mut host, &natives(), &LinkOptions::default())?;
    }
    Ok((rules, diagnostics))
}

/// Compares all engines with the expectations of a case.
fn run(case: &Case) {
    let name = &case.name;
    let mut sources = SourceMap::default();
    let (rules, diagnostics) = match loaded(case, &mut sources) {
        Ok((rules, diagnostics)) => (rules, render_classic(&diagnostics, &sources)),
        Err(errors) => (RuleSet::default(), render_classic(&errors, &sources)),
    };
    if let Some(expected) = &case.diagnostics {
        assert_eq!(diagnostics.trim(), expected.trim(), "{name}: diagnostics\n{diagnostics}");
    } else {
        assert!(diagnostics.is_empty(), "{name}\n{diagnostics}");
    }
    if case.matches.is_none() && case.rewritten.is_none() {
        return;
    }
    let mut host = host(&mut sources, "ir", &case.ir);
    let natives = natives();
    let expected = case.rewritten.as_ref().map(|text| generic(&self::host(&mut sources, "rewritten", text)));
    for (config_name, config) in configs() {
        for (program, kept) in programs(&rules, &config).unwrap().into_iter().zip(["", ", stored"]) {
            let matcher = Matcher::link(program, &mut host, &natives, &LinkOptions::default());
            let matcher = Arc::new(matcher.map_err(|error| error.diagnostics()).unwrap());
            let reference = Reference::link(&rules, &matcher, &mut host, &natives).unwrap();
            let automata = [Automaton::new(matcher.clone()), Automaton::new(matcher.clone()).memory(1 << 12)];
            let all = all_matches(&reference, &host);
            if let Some(expected) = expected_matches(case) {
                let listing = listing(case, &rules, &sources, &host, &all);
                assert_eq!(listing, expected, "{name}: matches\n{listing}");
            }
            let what = |engine: &str| format!("{name}: {engine}, {config_name}{kept}");
            check_matches(&what("tree"), &*matcher, &host, &all, expected.as_deref());
            check_matches(&what("reference matcher"), &reference, &host, &all, expected.as_deref());
            for automaton in &automata {
                check_matches(&what("automaton"), automaton, &host, &all, expected.as_deref());
            }
        }
    }
}

/// Checks the matches of an engine, with one and several threads, and the result of rewriting.
fn check_matches<E: Engine<IrHost, Cache: Send>>(
    what: &str,
    engine: &E,
    host: &IrHost,
    all: &[Match],
    rewritten: Option<&str>,
) {
    assert!(all_matches(engine, host) == all, "{what} finds other matches");
    let mut first: Vec<&Match> = Vec::new();
    for found in all {
        if first.last().is_none_or(|before| before.0 != found.0) {
            first.push(found);
        }
    }
    // The parallel walk finds matches in another order.
    let mut by_many = first_matches(engine, host);
    let place = |found: &Match| first.iter().position(|first| first.0 == found.0);
    by_many.sort_by_key(place);
    assert!(by_many.iter().eq(first), "{what} finds other matches with several threads");
    if let Some(expected) = rewritten {
        let text = self::rewritten(engine, host);
        assert!(text == expected, "{what} gives\n{text}\ninstead of\n{expected}");
    }
}

#[test]
fn every_engine_passes_every_case() {
    let mut wrong = Vec::new();
    for case in cases() {
        if std::panic::catch_unwind(|| run(&case)).is_err() {
            wrong.push(case.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// For the cases that have `pdl` rules and state the rewritten IR, MLIR's test pass for its `pdl` byte code gives the
/// same IR. For the cases marked `unlike mlir`, the pass gives other results.
#[test]
fn mlir_gives_the_same_results() {
    let Some(opt) = common::llvm_tool("mlir-opt") else { return };
    let is_pdl = |case: &Case| case.rules.iter().all(|(name, _)| name.ends_with(".mlir"));
    let cases: Vec<(Case, String)> = cases()
        .into_iter()
        .filter(is_pdl)
        .filter_map(|case| {
            let expected = case.rewritten.clone()?;
            Some((case, expected))
        })
        .collect();
    let pdl_cases: Vec<pdl_pass::Case> = cases
        .iter()
        .map(|(case, _)| {
            let patterns: String = case.rules.iter().map(|(_, text)| text.as_str()).collect();
            pdl_pass::Case { patterns, ir: case.ir.clone() }
        })
        .collect();
    let theirs = pdl_pass::theirs(&opt, 0, &pdl_cases);
    let mut wrong = Vec::new();
    for (number, (case, expected)) in cases.iter().enumerate() {
        let expected = pdl_pass::canonical(&pdl_pass::module(number, None, expected));
        let theirs = theirs.get(&number).map(|text| pdl_pass::canonical(text));
        if (theirs.as_ref() == Some(&expected)) != case.unlike_mlir.is_none() {
            println!("{}: MLIR gives\n{}", case.name, theirs.as_deref().unwrap_or("nothing"));
            wrong.push(case.name.as_str());
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// `mlir-tblgen` accepts and rejects the same rules. For the cases marked `unlike mlir`, the verdicts differ.
#[test]
fn mlir_tblgen_accepts_the_same_rules() {
    let (Some(tblgen), Some(sources)) = (common::llvm_tool("mlir-tblgen"), common::llvm_sources()) else {
        return;
    };
    let include = format!("-I{}", sources.join("mlir/include").display());
    let mut wrong = Vec::new();
    for case in cases() {
        for (name, text) in case.rules.iter().filter(|(name, _)| name.ends_with(".td")) {
            let theirs = common::pipe_text(&tblgen, &["-gen-rewriters", &include, "-"], text);
            let fine = case.load(&mut SourceMap::default()).is_ok();
            if theirs.is_ok() != (fine != case.unlike_mlir.is_some()) {
                println!("{}, {name}: {theirs:?}", case.name);
                wrong.push(case.name.clone());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
