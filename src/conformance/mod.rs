//! Tests an embedder's implementation of the host traits.
//!
//! Specification: on every case of the [corpus](cases()) that the IR can represent, the host answers like the
//! built-in IR. Rules match at the same operations with the same bindings in the same order, a refused rewrite leaves
//! no trace, and greedy rewriting gives the same result.
//!
//! The embedder provides a function that converts a module of the built-in IR to a host, or returns `None` if its IR
//! cannot represent that module. The report lists each difference with the case that shows it. Operations are compared
//! in walk order, so the kit does not support an IR whose operations have no order. It does not compare locations or
//! the order of use lists. The order of uses affects only the order in which one rule is found several times.
//!
//! ```
//! use drrvm::conformance;
//! use drrvm::ir::IrHost;
//! // An embedder converts the module to another IR here.
//! let report = conformance::check(|module: &IrHost| Some((module.clone(), module.module.top())));
//! assert!(report.is_right(), "{report}");
//! assert!(report.passed_over.is_empty());
//! ```

mod mirror;

use std::fmt;
use std::sync::Arc;

use mirror::Mirror;

use crate::bytecode::Program;
use crate::compile;
use crate::corpus;
use crate::host::arg;
use crate::host::{Bind, Entity, Facets, IrMut, Natives, NoListener, Refusal, Rewriter};
use crate::ir::{Context, IrHost, OpId, parse_module};
use crate::pdl::{PatternId, RuleSet};
use crate::rewrite::{Config, apply_greedily};
use crate::source::{Diagnostics, SourceMap, render_classic};
use crate::vm::{LinkOptions, Matcher};

pub use crate::corpus::{Case, ExpectedMatch, NotACase, cases};

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The cases that were compared.
    pub compared: Vec<String>,
    /// The cases whose IR the host cannot represent.
    pub passed_over: Vec<String>,
    /// The differences, at most a handful for each case.
    pub faults: Vec<Fault>,
}

/// A difference between a host and the built-in IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The case that shows it.
    pub case: String,
    /// A description of the difference.
    pub what: String,
}

impl Report {
    /// True if at least one case was compared and no difference was found.
    pub fn is_right(&self) -> bool {
        !self.compared.is_empty() && self.faults.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { compared, passed_over, faults } = self;
        for Fault { case, what } in faults {
            writeln!(f, "{case}: {what}")?;
        }
        write!(f, "{} cases compared, {} differences", compared.len(), faults.len())?;
        if !passed_over.is_empty() {
            write!(f, "; skipped, because the host cannot represent them: {}", passed_over.join(", "))?;
        }
        Ok(())
    }
}

/// Compares the hosts that `make` returns with the built-in IR, on the cases of the corpus.
///
/// `make` returns a host and the operation that represents the module, or `None` if its IR cannot represent the module.
/// It is called several times for each case, because a host is rewritten only once.
pub fn check<H: Facets + IrMut>(make: impl Fn(&IrHost) -> Option<(H, H::Op)>) -> Report {
    let mut report = Report::default();
    for case in corpus::cases() {
        check_case(&case, &make, &mut report);
    }
    report
}

/// Compares like [`check`], on the embedder's own cases.
///
/// Cases that expect diagnostics, and cases whose rules or IR have errors, are skipped.
pub fn check_case<H: Facets + IrMut>(
    case: &Case,
    make: &impl Fn(&IrHost) -> Option<(H, H::Op)>,
    report: &mut Report,
) {
    let mut sources = SourceMap::default();
    let Ok((rules, _)) = case.load(&mut sources) else { return };
    let Some(own) = read(&mut sources, &case.ir) else { return };
    if case.diagnostics.is_some() {
        return;
    }
    if make(&own).is_none() {
        report.passed_over.push(case.name.clone());
        return;
    }
    report.compared.push(case.name.clone());
    let mut run = Run { case, sources: &sources, make, report };
    if run.reads(&own) {
        run.matches(&own, &rules);
        run.undoes(&own);
        run.rewrites(&own, &rules);
    }
}

fn read(sources: &mut SourceMap, text: &str) -> Option<IrHost> {
    let file = sources.add("ir", text).ok()?;
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).ok()?;
    let mut host = IrHost::new(context, module);
    // The constraints of the corpus create no types.
    host.bind_type("f32")?;
    Some(host)
}

fn natives<H: Facets + IrMut>() -> Natives<H> {
    crate::natives::all().with(corpus::natives()).rewrite(REFUSE, |_: &mut Rewriter<'_, H>, _: arg::Op<H>| {
        Err::<(), _>(Refusal::new("this native always refuses"))
    })
}

/// A native that always refuses.
const REFUSE: &str = "conformance.refuse";

/// A match: the operation's position in the walk, the rule, and the bindings of its nodes.
type Found<E> = Vec<(usize, PatternId, Vec<Option<E>>)>;

fn found<H: Facets>(matcher: &Matcher<H>, host: &H, ops: &[H::Op]) -> Found<Entity<H>> {
    let mut scratch = matcher.cache();
    let mut found = Vec::new();
    for (at, &op) in ops.iter().enumerate() {
        let mut matched = matcher.match_first(host, op, &mut scratch);
        while let Some(rule) = matched {
            let nodes = matcher.program().nodes(rule);
            let bindings = nodes.map(|node| matcher.binding(host, &mut scratch, node)).collect();
            found.push((at, rule, bindings));
            matched = matcher.next_match(host, &mut scratch);
        }
    }
    found
}

/// The comparisons of one case.
struct Run<'a, F> {
    case: &'a Case,
    sources: &'a SourceMap,
    make: &'a F,
    report: &'a mut Report,
}

impl<F> Run<'_, F> {
    fn fault(&mut self, what: impl Into<String>) {
        self.report.faults.push(Fault { case: self.case.name.clone(), what: what.into() });
    }

    fn rendered(&self, errors: &Diagnostics) -> String {
        render_classic(errors, self.sources)
    }

    /// Adds the differences of a mirror. Returns true if there are none.
    fn same(&mut self, when: &str, faults: Vec<String>) -> bool {
        let same = faults.is_empty();
        faults.into_iter().for_each(|what| self.fault(format!("{when}: {what}")));
        same
    }

    fn link<H: Facets + IrMut>(&mut self, program: &Arc<Program>, host: &mut H) -> Option<Matcher<H>> {
        host.bind_type("f32");
        match Matcher::link(Arc::clone(program), host, &natives(), &LinkOptions::default()) {
            Ok(matcher) => Some(matcher),
            Err(error) => {
                let rendered = self.rendered(&error.diagnostics());
                self.fault(format!("the rules cannot be linked: {rendered}"));
                None
            }
        }
    }

    /// Links the program of the case to both hosts.
    #[allow(clippy::type_complexity, reason = "two hosts with their matchers")]
    fn linked<H: Facets + IrMut>(
        &mut self,
        own: &IrHost,
        rules: &RuleSet,
    ) -> Option<((IrHost, Matcher<IrHost>), (H, H::Op, Matcher<H>))>
    where
        F: Fn(&IrHost) -> Option<(H, H::Op)>,
    {
        let program = Arc::new(compile::program(rules).ok()?);
        let mut own = own.clone();
        let (mut host, root) = (self.make)(&own)?;
        let matcher = self.link(&program, &mut host)?;
        let own_matcher = self.link(&program, &mut own)?;
        Some(((own, own_matcher), (host, root, matcher)))
    }

    fn reads<H: Facets + IrMut>(&mut self, own: &IrHost) -> bool
    where
        F: Fn(&IrHost) -> Option<(H, H::Op)>,
    {
        let Some((mut host, root)) = (self.make)(own) else { return false };
        let faults = Mirror::new(own, &mut host, root).faults;
        self.same("as it is", faults)
    }

    fn matches<H: Facets + IrMut>(&mut self, own: &IrHost, rules: &RuleSet)
    where
        F: Fn(&IrHost) -> Option<(H, H::Op)>,
    {
        let Some(((own, own_matcher), (mut host, root, matcher))) = self.linked(own, rules) else { return };
        let mirror = Mirror::new(&own, &mut host, root);
        let expected = found(&own_matcher, &own, &mirror.own_ops());
        let found = found(&matcher, &host, &mirror.ops());
        let heads = |all: &[(usize, PatternId)]| {
            let head = |&(at, rule): &(usize, PatternId)| {
                format!("'{}' at {}", own_matcher.program().pattern_name(rule), mirror.name(at))
            };
            if all.is_empty() {
                "nothing".to_owned()
            } else {
                all.iter().map(head).collect::<Vec<_>>().join(", ")
            }
        };
        let expected_rules: Vec<_> = expected.iter().map(|found| (found.0, found.1)).collect();
        let found_rules: Vec<_> = found.iter().map(|found| (found.0, found.1)).collect();
        if expected_rules != found_rules {
            self.fault(format!("matched: {}; expected: {}", heads(&found_rules), heads(&expected_rules)));
            return;
        }
        // The order of use lists, which the host chooses, determines the order of several matches of one rule.
        let mut faults = Vec::new();
        let same_match =
            |one: &(usize, PatternId, _), other: &(usize, PatternId, _)| (one.0, one.1) == (other.0, other.1);
        let mut rest = &found[..];
        for ways in expected.chunk_by(same_match) {
            let (here, after) = rest.split_at(ways.len());
            rest = after;
            let mut open: Vec<_> = here.iter().map(|found| &found.2).collect();
            for (at, rule, bindings) in ways {
                let same = |found: &&Vec<Option<Entity<H>>>| {
                    bindings.iter().zip(*found).all(|(own, other)| mirror.same(own.as_ref(), other.as_ref()))
                };
                match open.iter().position(same) {
                    Some(place) => drop(open.swap_remove(place)),
                    None => faults.push(format!("the bindings of {} differ", heads(&[(*at, *rule)]))),
                }
            }
        }
        self.same("matched", faults);
    }

    /// Compares the hosts after refused rewrites. For each operation name, a rule creates an operation and then
    /// refuses.
    fn undoes<H: Facets + IrMut>(&mut self, own: &IrHost)
    where
        F: Fn(&IrHost) -> Option<(H, H::Op)>,
    {
        let mut names: Vec<&str> = Vec::new();
        for op in own.module.preorder(own.module.top()).skip(1) {
            let name = own.context.op_name_text(own.module.name(op));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut text = String::new();
        for (number, name) in names.iter().enumerate() {
            text += &format!(
                "pdl.pattern @refused{number} : benefit(1) {{
                   %op = operation {name:?}
                   rewrite %op {{
                     %new = operation {name:?}
                     apply_native_rewrite {REFUSE:?}(%op : !pdl.operation)
                     erase %op
                   }}
                 }}\n"
            );
        }
        let case = Case { rules: vec![("refused.mlir".to_owned(), text)], ..Case::default() };
        let Ok((rules, _)) = case.load(&mut SourceMap::default()) else {
            return self.fault("the rules whose rewrites are refused do not load");
        };
        let Some(((mut own, _), (mut host, root, matcher))) = self.linked(own, &rules) else { return };
        // The driver erases dead operations independently of the rules.
        own.erase_unreachable_blocks(own.module.top(), &mut |_, _| {});
        let config = Config::default().unique_constants(false).fold(false);
        let report = apply_greedily(&mut host, root, &matcher, &config, &mut NoListener);
        if report.rewrites > 0 {
            self.fault("a refused rewrite is counted as applied");
        }
        let faults = Mirror::new(&own, &mut host, root).faults;
        self.same("after refused rewrites", faults);
    }

    fn rewrites<H: Facets + IrMut>(&mut self, own: &IrHost, rules: &RuleSet)
    where
        F: Fn(&IrHost) -> Option<(H, H::Op)>,
    {
        let Some(((mut own, own_matcher), (mut host, root, matcher))) = self.linked(own, rules) else {
            return;
        };
        // Every IR must support these steps. Moving constants is optional.
        let config = Config::default().unique_constants(false);
        let top: OpId = own.module.top();
        let expected = apply_greedily(&mut own, top, &own_matcher, &config, &mut NoListener);
        let report = apply_greedily(&mut host, root, &matcher, &config, &mut NoListener);
        let counts = |report: &crate::rewrite::Report| (report.rewrites, report.refused, report.removed);
        if counts(&report) != counts(&expected) {
            self.fault(format!(
                "the numbers of rewrites, refused rewrites and dead operations are {:?}, expected {:?}",
                counts(&report),
                counts(&expected)
            ));
        }
        let faults = Mirror::new(&own, &mut host, root).faults;
        self.same("rewritten", faults);
    }
}
