//! Tests an embedder's implementation of the host traits.
//!
//! Specification: on every case of the [corpus](cases()) that the embedder's IR can represent, the host answers like
//! the built-in IR. Rules match at the same operations with the same bindings in the same order, a refused rewrite does
//! not change the IR, and greedy rewriting gives the same result. The same holds for cases that are generated from the
//! host's own [operations](Operation), and for the embedder's own [cases](Case).
//!
//! The embedder provides a function that converts a module of the built-in IR to a host, or returns `None` if its IR
//! cannot represent that module. The report lists the differences, each with the case that shows it. Operations are
//! compared in walk order, so an IR whose operations have no order is not supported. Locations and the order of use
//! lists are not compared. The order of several matches of one rule at an operation depends on the order of uses, so it
//! is not compared either.
//!
//! ```
//! use drrvm::conformance;
//! use drrvm::ir::IrHost;
//! // An embedder converts the module to another IR here.
//! let report = conformance::check(|module: &IrHost| Some((module.clone(), module.module.top())));
//! assert!(report.passed(), "{report}");
//! assert!(report.skipped.is_empty());
//! ```

mod blocks;
mod mirror;
mod operations;

use std::fmt;
use std::sync::Arc;

use mirror::Mirror;
use operations::REFUSE;

use crate::bytecode::Program;
use crate::compile;
use crate::corpus;
use crate::host::arg;
use crate::host::{Bind, Blocks, Changes, Entity, Facets, IrMut, Natives, NoListener, Refusal, Rewriter};
use crate::ir::{Context, IrHost, OpId, parse_module};
use crate::pdl::{PatternId, RuleSet};
use crate::plural::count;
use crate::rewrite::{Config, apply_greedily};
use crate::source::{Diagnostics, SourceMap, render_classic};
use crate::vm::{LinkOptions, Matcher};

pub use crate::corpus::{Case, CaseError, ExpectedMatch, cases};
pub use operations::Operation;

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The cases that were compared.
    pub compared: Vec<String>,
    /// The cases whose IR the host cannot represent.
    pub skipped: Vec<String>,
    /// The differences, and the cases that cannot be compared because of an error. Only the first differences between
    /// two modules are listed.
    pub faults: Vec<Fault>,
}

/// A difference between a host and the built-in IR, or the reason why a case cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The name of the case.
    pub case: String,
    /// A description of the difference or the error.
    pub description: String,
}

impl Report {
    /// True if at least one case was compared and no fault was found.
    pub fn passed(&self) -> bool {
        !self.compared.is_empty() && self.faults.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { compared, skipped, faults } = self;
        for Fault { case, description } in faults {
            writeln!(f, "{case}: {description}")?;
        }
        write!(f, "{} compared, {}", count(compared.len(), "case"), count(faults.len(), "fault"))?;
        if compared.is_empty() {
            write!(
                f,
                "; no case was compared, so the check fails: `Kit::operations` generates cases from the operations of a host"
            )?;
        }
        if !skipped.is_empty() {
            write!(f, "; skipped, because the host cannot represent them: {}", skipped.join(", "))?;
        }
        Ok(())
    }
}

/// Compares the hosts that `make` returns with the built-in IR, on the cases of the corpus. See [`Kit::new`].
pub fn check<H: Facets + IrMut>(make: impl Fn(&IrHost) -> Option<(H, H::Op)>) -> Report {
    Kit::new(make).corpus().report()
}

/// A comparison of a host with the built-in IR.
///
/// ```
/// use drrvm::conformance::{Case, Kit, Operation};
/// use drrvm::host::arg::Attr;
/// use drrvm::host::{Facets, Natives};
/// use drrvm::ir::IrHost;
///
/// fn natives<H: Facets>() -> Natives<H> {
///     let is_even = |ir: &H, n: Attr<H>| ir.attr_int(n.0).and_then(|n| n.to_i64()).is_some_and(|n| n % 2 == 0);
///     Natives::new().constraint("isEven", is_even)
/// }
///
/// let own_case = Case::parse("even", r#"A number is removed if it is even.
/// === rules.mlir
/// pdl.pattern @even : benefit(1) {
///   %n = attribute
///   apply_native_constraint "isEven"(%n : !pdl.attribute)
///   %op = operation "calc.drop" {"value" = %n}
///   rewrite %op { erase %op }
/// }
/// === ir
/// "calc.drop"() {value = 2 : i32} : () -> ()
/// "calc.drop"() {value = 3 : i32} : () -> ()
/// === rewritten
/// "calc.drop"() {value = 3 : i32} : () -> ()
/// "#)?;
/// let operations = [
///     Operation::new("calc.number").attribute("value", ["0 : i32", "7 : i32"]).results(["i32"]),
///     Operation::new("calc.add").operands(["i32", "i32"]).results(["i32"]),
/// ];
/// // An embedder converts the module to another IR here.
/// let report = Kit::new(|module: &IrHost| Some((module.clone(), module.module.top())))
///     .operations(&operations)
///     .natives(natives(), natives())
///     .case(&own_case)
///     .report();
/// assert!(report.passed(), "{report}");
/// # Ok::<(), drrvm::conformance::CaseError>(())
/// ```
pub struct Kit<H: Facets + IrMut, F> {
    make: F,
    builtin_natives: Natives<IrHost>,
    natives: Natives<H>,
    report: Report,
}

impl<H: Facets + IrMut, F: Fn(&IrHost) -> Option<(H, H::Op)>> Kit<H, F> {
    /// A comparison of the hosts that `make` returns.
    ///
    /// `make` returns a host and the operation that represents the module, or `None` if its IR cannot represent the
    /// module. `make` is called several times for each case, because a host is rewritten only once.
    pub fn new(make: F) -> Self {
        Self { make, builtin_natives: natives(), natives: natives(), report: Report::default() }
    }

    /// Adds natives that the rules of later [cases](Self::case) call: `builtin` for the built-in IR, and `host` for the
    /// hosts that are compared with it.
    #[must_use]
    pub fn natives(self, builtin: Natives<IrHost>, host: Natives<H>) -> Self {
        Self { builtin_natives: self.builtin_natives.with(builtin), natives: self.natives.with(host), ..self }
    }

    /// Compares the hosts on the cases of the corpus, without those whose IR the host cannot represent.
    #[must_use]
    pub fn corpus(self) -> Self {
        corpus::cases().iter().fold(self, Self::case)
    }

    /// Compares the hosts on cases that are generated from operations of the host. This tests a host whose set of
    /// operations is closed, so that it cannot represent the corpus.
    #[must_use]
    pub fn operations(mut self, operations: &[Operation]) -> Self {
        match operations::cases(operations) {
            Ok(cases) => cases.iter().fold(self, Self::case),
            Err(unreachable) => {
                let fault = |description| Fault { case: "operations".to_owned(), description };
                self.report.faults.extend(unreachable.into_iter().map(fault));
                self
            }
        }
    }

    /// Compares the IR of the corpus after changes of blocks and regions, after these changes are undone, and after a
    /// rewrite that moves operations to new blocks.
    #[must_use]
    pub fn blocks(mut self) -> Self
    where
        H: Blocks,
    {
        for case in corpus::cases().iter().filter(|case| case.diagnostics.is_none()) {
            let mut sources = SourceMap::default();
            let Ok(mut builtin) = read(&mut sources, &case.ir) else { continue };
            let Some((mut host, root)) = (self.make)(&builtin) else { continue };
            let name = format!("blocks of {}", case.name);
            let (before, top) = (builtin.clone(), builtin.module.top());
            let (mut builtin_changes, mut changes) = (Changes::default(), Changes::default());
            let (builtin_start, start) = (builtin_changes.mark(), changes.mark());
            let made = blocks::exercise(&mut builtin, top, &mut builtin_changes);
            let other = blocks::exercise(&mut host, root, &mut changes);
            let mut faults = Vec::new();
            match (made, other) {
                (Ok(()), Ok(())) => faults = Mirror::new(&builtin, &mut host, root).faults,
                (Ok(()), Err(refusal)) => faults.push(format!("a change of blocks is refused: {refusal}")),
                (Err(_), _) => {}
            }
            changes.undo_to(&mut host, start);
            builtin_changes.undo_to(&mut builtin, builtin_start);
            let undone = Mirror::new(&before, &mut host, root).faults;
            faults.extend(undone.into_iter().map(|what| format!("after undoing: {what}")));
            match (blocks::rewrite(&mut builtin, top), blocks::rewrite(&mut host, root)) {
                (Ok(()), Ok(())) => {
                    let rewritten = Mirror::new(&builtin, &mut host, root).faults;
                    faults.extend(rewritten.into_iter().map(|what| format!("after a rewrite: {what}")));
                }
                (Ok(()), Err(refusal)) => faults.push(format!("a rewrite of blocks is refused: {refusal}")),
                (Err(_), _) => {}
            }
            let faults = faults.into_iter().map(|description| Fault { case: name.clone(), description });
            self.report.faults.extend(faults);
            self.report.compared.push(name);
        }
        self
    }

    /// Compares the hosts on a case. A case that expects diagnostics is not compared, and the report does not mention
    /// it. Any other case whose rules or IR have errors is a fault.
    #[must_use]
    pub fn case(mut self, case: &Case) -> Self {
        if case.diagnostics.is_some() {
            return self;
        }
        let mut sources = SourceMap::default();
        let loaded =
            case.load(&mut sources).and_then(|(rules, _)| Ok((rules, read(&mut sources, &case.ir)?)));
        let (rules, builtin) = match loaded {
            Ok(loaded) => loaded,
            Err(errors) => {
                let description = format!("the case has errors: {}", render_classic(&errors, &sources));
                self.report.faults.push(Fault { case: case.name.clone(), description });
                return self;
            }
        };
        if (self.make)(&builtin).is_none() {
            self.report.skipped.push(case.name.clone());
            return self;
        }
        self.report.compared.push(case.name.clone());
        let Self { make, builtin_natives, natives, report } = &mut self;
        let mut run = Run { case, sources: &sources, make, builtin_natives, natives, report };
        if run.reads(&builtin) {
            run.matches(&builtin, &rules);
            run.undoes(&builtin);
            run.rewrites(&builtin, &rules);
        }
        self
    }

    /// The report.
    #[must_use]
    pub fn report(self) -> Report {
        self.report
    }
}

fn read(sources: &mut SourceMap, text: &str) -> Result<IrHost, Diagnostics> {
    let file = sources.add("ir", text)?;
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file))?;
    let mut host = IrHost::new(context, module);
    // The constraints of the corpus need `f32`, and constraints cannot create types, so the type is bound here.
    host.bind_type("f32");
    Ok(host)
}

fn natives<H: Facets + IrMut>() -> Natives<H> {
    crate::natives::all().with(corpus::natives()).rewrite(REFUSE, |_: &mut Rewriter<'_, H>, _: arg::Op<H>| {
        Err::<(), _>(Refusal::new("this native always refuses"))
    })
}

/// Matches, each with the operation's position in the walk, the rule, and the bindings of its nodes.
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
struct Run<'a, H: Facets + IrMut, F> {
    case: &'a Case,
    sources: &'a SourceMap,
    make: &'a F,
    builtin_natives: &'a Natives<IrHost>,
    natives: &'a Natives<H>,
    report: &'a mut Report,
}

impl<H: Facets + IrMut, F: Fn(&IrHost) -> Option<(H, H::Op)>> Run<'_, H, F> {
    fn fault(&mut self, what: impl Into<String>) {
        self.report.faults.push(Fault { case: self.case.name.clone(), description: what.into() });
    }

    fn rendered(&self, errors: &Diagnostics) -> String {
        render_classic(errors, self.sources)
    }

    /// Adds the differences of a mirror. Returns true if there are none.
    fn add_faults(&mut self, when: &str, faults: Vec<String>) -> bool {
        let has_none = faults.is_empty();
        faults.into_iter().for_each(|what| self.fault(format!("{when}: {what}")));
        has_none
    }

    fn link<I: Facets + IrMut>(
        &mut self,
        program: &Arc<Program>,
        host: &mut I,
        natives: &Natives<I>,
    ) -> Option<Matcher<I>> {
        host.bind_type("f32");
        match Matcher::link(Arc::clone(program), host, natives, &LinkOptions::default()) {
            Ok(matcher) => Some(matcher),
            Err(error) => {
                let rendered = self.rendered(&error.diagnostics());
                self.fault(format!("the rules cannot be linked: {rendered}"));
                None
            }
        }
    }

    /// Links the rules to both hosts. Returns `None` if the rules do not compile or link, or if the host cannot
    /// represent the module.
    #[allow(clippy::type_complexity, reason = "two hosts with their matchers")]
    fn linked(
        &mut self,
        builtin: &IrHost,
        rules: &RuleSet,
    ) -> Option<((IrHost, Matcher<IrHost>), (H, H::Op, Matcher<H>))> {
        let program = match compile::program(rules) {
            Ok(program) => Arc::new(program),
            Err(errors) => {
                let rendered = self.rendered(&errors);
                self.fault(format!("the rules do not compile: {rendered}"));
                return None;
            }
        };
        let mut builtin = builtin.clone();
        let (mut host, root) = (self.make)(&builtin)?;
        let matcher = self.link(&program, &mut host, self.natives)?;
        let builtin_matcher = self.link(&program, &mut builtin, self.builtin_natives)?;
        Some(((builtin, builtin_matcher), (host, root, matcher)))
    }

    fn reads(&mut self, builtin: &IrHost) -> bool {
        let Some((mut host, root)) = (self.make)(builtin) else { return false };
        let faults = Mirror::new(builtin, &mut host, root).faults;
        self.add_faults("before matching", faults)
    }

    fn matches(&mut self, builtin: &IrHost, rules: &RuleSet) {
        let Some(((builtin, builtin_matcher), (mut host, root, matcher))) = self.linked(builtin, rules)
        else {
            return;
        };
        let mirror = Mirror::new(&builtin, &mut host, root);
        let expected = found(&builtin_matcher, &builtin, &mirror.builtin_ops());
        let found = found(&matcher, &host, &mirror.ops());
        let heads = |all: &[(usize, PatternId)]| {
            let head = |&(at, rule): &(usize, PatternId)| {
                format!("'{}' at {}", builtin_matcher.program().pattern_name(rule), mirror.name(at))
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
        // The order of use lists, which is not compared, determines the order of several matches of one rule.
        let mut faults = Vec::new();
        let same_match =
            |one: &(usize, PatternId, _), other: &(usize, PatternId, _)| (one.0, one.1) == (other.0, other.1);
        let mut rest = &found[..];
        for group in expected.chunk_by(same_match) {
            let (here, after) = rest.split_at(group.len());
            rest = after;
            let mut open: Vec<_> = here.iter().map(|found| &found.2).collect();
            for (at, rule, bindings) in group {
                let same = |found: &&Vec<Option<Entity<H>>>| {
                    bindings
                        .iter()
                        .zip(*found)
                        .all(|(builtin, other)| mirror.same(builtin.as_ref(), other.as_ref()))
                };
                match open.iter().position(same) {
                    Some(place) => drop(open.swap_remove(place)),
                    None => faults.push(format!("the bindings of {} differ", heads(&[(*at, *rule)]))),
                }
            }
        }
        self.add_faults("after matching", faults);
    }

    /// Compares the hosts after refused rewrites. For each operation name, the rewrite of one rule copies an operation
    /// and then refuses.
    fn undoes(&mut self, builtin: &IrHost) {
        let mut names: Vec<&str> = Vec::new();
        let mut text = String::new();
        for op in builtin.module.preorder(builtin.module.top()).skip(1) {
            let name = builtin.context.op_name_text(builtin.module.name(op));
            if names.contains(&name) {
                continue;
            }
            names.push(name);
            let entries = [builtin.module.properties(op), builtin.module.attrs(op)]
                .map(|all| builtin.context.entries(all));
            let keys = entries.concat().into_iter().map(|(key, _)| builtin.context.attr_name_text(key));
            let keys: Vec<&str> = keys.collect();
            let declared: String = (0..keys.len()).map(|i| format!("%a{i} = attribute\n")).collect();
            let edges = keys.iter().enumerate().map(|(i, key)| format!("{key:?} = %a{i}"));
            let edges = edges.collect::<Vec<_>>().join(", ");
            let edges = if keys.is_empty() { edges } else { format!("{{{edges}}}") };
            let copied =
                format!("operation {name:?}(%x : !pdl.range<value>) {edges} -> (%t : !pdl.range<type>)");
            text += &format!(
                "pdl.pattern @refused{} : benefit(1) {{
                   %x = operands
                   %t = types
                   {declared}%op = {copied}
                   rewrite %op {{
                     %new = {copied}
                     apply_native_rewrite {REFUSE:?}(%op : !pdl.operation)
                     erase %op
                   }}
                 }}\n",
                names.len()
            );
        }
        let case = Case { rules: vec![("refused.mlir".to_owned(), text)], ..Case::default() };
        let mut sources = SourceMap::default();
        let rules = match case.load(&mut sources) {
            Ok((rules, _)) => rules,
            Err(errors) => {
                let errors = render_classic(&errors, &sources);
                return self.fault(format!("the rules whose rewrites are refused do not load: {errors}"));
            }
        };
        let Some(((mut builtin, _), (mut host, root, matcher))) = self.linked(builtin, &rules) else {
            return;
        };
        // The driver erases unreachable blocks even if no rule is applied.
        builtin.erase_unreachable_blocks(builtin.module.top(), &mut |_, _| {});
        let config = Config::default().unique_constants(false).fold(false);
        let report = apply_greedily(&mut host, root, &matcher, &config, &mut NoListener);
        if report.rewrites > 0 {
            self.fault("a refused rewrite is counted as applied");
        }
        let faults = Mirror::new(&builtin, &mut host, root).faults;
        self.add_faults("after refused rewrites", faults);
    }

    fn rewrites(&mut self, builtin: &IrHost, rules: &RuleSet) {
        let Some(((mut builtin, builtin_matcher), (mut host, root, matcher))) = self.linked(builtin, rules)
        else {
            return;
        };
        // The driver moves constants to make them unique, which not every host supports.
        let config = Config::default().unique_constants(false);
        let top: OpId = builtin.module.top();
        let expected = apply_greedily(&mut builtin, top, &builtin_matcher, &config, &mut NoListener);
        let report = apply_greedily(&mut host, root, &matcher, &config, &mut NoListener);
        let counts = |report: &crate::rewrite::Report| (report.rewrites, report.refused, report.removed);
        if counts(&report) != counts(&expected) {
            self.fault(format!(
                "the numbers of rewrites, refused rewrites and dead operations are {:?}, expected {:?}",
                counts(&report),
                counts(&expected)
            ));
        }
        let faults = Mirror::new(&builtin, &mut host, root).faults;
        self.add_faults("after rewriting", faults);
    }
}
