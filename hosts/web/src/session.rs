//! Answers to the requests of the page.
//!
//! Specification: `run` reports what `drrvm opt` and `drrvm profile` report for the same files, except that rules that call
//! missing natives are left out with a warning. All errors of the rules, the scripts and the input are reported together.
//! `explain` reports what `drrvm explain` reports.

use std::sync::Arc;

use drrvm::ir::{self, Context, IrHost, Module, PrintOptions};
use drrvm::report::{
    DriverTotals, Explainer, MappedProgram, OpSelector, ProfileReport, not_converged, unified_diff,
};
use drrvm::script::Script;
use drrvm::source::{Color, FileId};
use drrvm::vm::Profiler;
use drrvm::{
    Diagnostics, LinkOptions, Matcher, Natives, NoListener, SourceMap, compile, disassemble, natives, rewrite,
};
use serde_json::{Value, json};

use crate::diagnostics;
use crate::request::{self, Case, File, Request, Settings};

/// The number of operations to explain if none is selected.
const NEAREST: usize = 8;

/// One page: its last run, to which later requests refer.
///
/// ```
/// let mut session = drrvm_web::Session::default();
/// let request = br#"{"type": "run", "files": [{"name": "rules.td", "text": ""}], "input": {"name": "a.mlir", "text": ""}}"#;
/// let answer = session.answer(request);
/// assert!(answer.contains("\"result\""));
/// ```
#[derive(Default)]
pub struct Session {
    last: Option<Run>,
}

/// The last run whose rules and input have no errors.
struct Run {
    sources: SourceMap,
    mapped: MappedProgram,
    matcher: Matcher<IrHost>,
    /// Contains the input, which is not rewritten.
    host: IrHost,
    input: FileId,
}

impl Session {
    /// Answers a request. Both are JSON; the answer to a malformed request has the member `failed`.
    pub fn answer(&mut self, request: &[u8]) -> String {
        let answer = match request::parse(request) {
            Ok(Request::Run(case)) => self.run(&case),
            Ok(Request::Explain { line }) => self.explain(line),
            Ok(Request::Code) => self.code(),
            Err(why) => json!({ "failed": why }),
        };
        answer.to_string()
    }

    fn run(&mut self, case: &Case) -> Value {
        self.last = None;
        let mut sources = SourceMap::default();
        let mut found = Diagnostics::default();
        let done = run(case, &mut sources, &mut found);
        let mut answer = json!({ "diagnostics": diagnostics::list(&found, &sources) });
        if let Some((results, linked)) = done {
            let Linked { mapped, matcher, host, input } = linked;
            self.last = Some(Run { sources, mapped, matcher, host, input });
            for (key, value) in results {
                answer[key] = value;
            }
        }
        answer
    }

    fn explain(&mut self, line: Option<u32>) -> Value {
        let Some(Run { sources, mapped, matcher, host, input }) = &mut self.last else {
            return json!({ "failed": "there is no run to explain" });
        };
        let explainer = Explainer::new(sources, matcher, &[]).expect("no rule is selected by its name");
        let (report, traces) = match line {
            Some(line) => {
                let ops = OpSelector::Line(line).find(sources, host, *input);
                let traces = ops.iter().map(|&op| mapped.trace(matcher, host, op));
                let traces: Vec<Value> = traces
                    .map(|trace| json!({ "nodes": trace.nodes, "instructions": trace.instructions }))
                    .collect();
                (explainer.at(host, &ops), traces)
            }
            None => (explainer.nearest(host, NEAREST), Vec::new()),
        };
        json!({ "report": embedded(&report.json()), "traces": traces })
    }

    fn code(&self) -> Value {
        match &self.last {
            Some(Run { sources, mapped, .. }) => json!({ "code": disassemble(mapped.program(), sources) }),
            None => json!({ "failed": "there is no program" }),
        }
    }
}

/// JSON text as a part of an answer.
fn embedded(json: &str) -> Value {
    serde_json::from_str(json).expect("reports are valid JSON")
}

struct Linked {
    mapped: MappedProgram,
    matcher: Matcher<IrHost>,
    host: IrHost,
    input: FileId,
}

type Results = Vec<(&'static str, Value)>;

/// Runs a case. Returns the results unless the rules or the input have errors.
fn run(case: &Case, sources: &mut SourceMap, found: &mut Diagnostics) -> Option<(Results, Linked)> {
    let files: Option<Vec<FileId>> = case.files.iter().map(|file| add(file, sources, found)).collect();
    let (files, input) = (files?, add(&case.input, sources, found)?);
    let is_script = |file: &File| file.name.ends_with(".rhai");

    let mut natives: Natives<IrHost> = natives::all();
    let mut scripts = Vec::new();
    for (&id, _) in files.iter().zip(&case.files).filter(|(_, file)| is_script(file)) {
        match Script::load(sources.file(id)) {
            Ok(script) => {
                natives = natives.with(script.natives());
                scripts.push(script);
            }
            Err(errors) => found.extend(errors),
        }
    }
    let main: Vec<FileId> = files.first().copied().into_iter().collect();
    let (rules, loaded) = compile::load_added(sources, &main, &compile::Options::default());
    let usable = !loaded.diagnostics.has_errors();
    found.extend(loaded.diagnostics);
    let mapped = match usable.then(|| MappedProgram::compile(rules)) {
        Some(Ok(mapped)) => Some(mapped),
        Some(Err(errors)) => {
            found.extend(errors);
            None
        }
        None => None,
    };

    let mut context = Context::new();
    let module = Module::new(&mut context);
    let mut host = IrHost::new(context, module);
    host.module = parse(&mut host, sources, input, found)?;
    let mapped = mapped.filter(|_| !found.has_errors())?;

    let options = LinkOptions { allow_missing: true, ..LinkOptions::default() };
    let matcher = match Matcher::link(Arc::clone(mapped.program()), &mut host, &natives, &options) {
        Ok(matcher) => matcher,
        Err(error) => {
            for missing in error.missing() {
                found.push(missing.diagnostic_with_places());
            }
            error.differences().iter().for_each(|difference| found.push(difference.diagnostic()));
            return None;
        }
    };
    for missing in matcher.missing() {
        let mut warning = missing.diagnostic_with_places();
        warning.severity = drrvm::source::Severity::Warning;
        found.push(warning.with_note("the rules that call it are left out"));
    }
    let results = rewritten(case, sources, input, &mapped, &matcher, &mut host, found);
    scripts.iter().for_each(|script| found.extend(script.diagnostics()));
    // Rewriting has used the module up.
    host.module = ir::parse_module(&mut host.context, sources.file(input)).ok()?;
    Some((results, Linked { mapped, matcher, host, input }))
}

fn add(file: &File, sources: &mut SourceMap, found: &mut Diagnostics) -> Option<FileId> {
    sources.add(file.name.clone(), file.text.clone()).map_err(|error| found.push(error)).ok()
}

/// Parses and verifies the input.
fn parse(host: &mut IrHost, sources: &SourceMap, input: FileId, found: &mut Diagnostics) -> Option<Module> {
    match ir::parse_module(&mut host.context, sources.file(input)) {
        Ok(module) => {
            found.extend(ir::verify(&host.context, &module));
            Some(module)
        }
        Err(errors) => {
            found.extend(errors);
            None
        }
    }
}

/// Rewrites the host's module.
fn rewritten(
    case: &Case,
    sources: &SourceMap,
    input: FileId,
    mapped: &MappedProgram,
    matcher: &Matcher<IrHost>,
    host: &mut IrHost,
    found: &mut Diagnostics,
) -> Results {
    let Settings { walk, greedy, generic } = &case.settings;
    let print = |host: &IrHost| host.module.print(&host.context, PrintOptions::new().generic(*generic));
    let before = print(host);
    let operations = host.module.op_count() as u64;
    let profiler = Profiler::new(matcher);
    let top = host.module.top();
    let report = if *walk {
        rewrite::apply_in_walk(host, top, &profiler, &mut NoListener)
    } else {
        rewrite::apply_greedily(host, top, &profiler, greedy, &mut NoListener)
    };
    if let Some(stopped) = &report.not_converged {
        found.push(not_converged(stopped, mapped.program()));
    }
    for wrong in ir::verify(&host.context, &host.module) {
        found.push(wrong.with_note("this is after rewriting; the input is valid"));
    }
    let profile = profiler.into_profile();
    let mut totals = DriverTotals::default();
    totals.add(operations, &report);
    let page = ProfileReport::new(sources, host, mapped.program(), &profile, totals)
        .with_tree(mapped)
        .page_data(&[input])
        .expect("the report has a tree");
    let after = print(host);
    vec![
        ("diff", unified_diff(&case.input.name, &before, &after, Color::Never).into()),
        ("result", after.into()),
        ("rewrites", report.rewrites.into()),
        ("page", embedded(&page)),
    ]
}
