//! Answers to the requests of the page.
//!
//! Specification: `run` gives the reports of `drrvm opt` and `drrvm profile` for the same files. Unlike these commands,
//! `run` leaves out rules that call missing natives, with a warning. All errors of the rules, the scripts and the input
//! are reported together. `explain` gives the report of `drrvm explain`.

use std::rc::Rc;
use std::sync::Arc;

use drrvm::ir::{self, Context, IrHost, Module, PrintOptions};
use drrvm::ods_verify::Definitions;
use drrvm::report::{
    DriverTotals, Explainer, MappedProgram, OpSelector, ProfileReport, not_converged, unified_diff,
};
use drrvm::script::Script;
use drrvm::source::{Color, Diagnostic, FileId};
use drrvm::vm::Profiler;
use drrvm::{
    Diagnostics, LinkOptions, Matcher, Natives, NoListener, SourceMap, compile, disassemble, natives, rewrite,
};
use serde_json::{Value, json};

use crate::diagnostics;
use crate::request::{self, File, Page, Request, Settings};

/// The maximum number of pairs of a rule and an operation to explain if no line is selected.
const NEAREST: usize = 8;

/// One page: its last run, to which later requests refer.
///
/// ```
/// let mut session = drrvm_web::Session::default();
/// let request = br#"{
///     "type": "run",
///     "files": [{"name": "rules.td", "text": ""}],
///     "input": {"name": "a.mlir", "text": ""}
/// }"#;
/// let answer = session.answer(request);
/// assert!(answer.contains("\"result\""));
/// ```
#[derive(Default)]
pub struct Session {
    rules: Option<Rules>,
    last: Option<Run>,
}

/// Compiled rules, which are kept while only the input changes.
struct Rules {
    files: Vec<File>,
    /// The files, and the files that they include.
    sources: SourceMap,
    ids: Vec<FileId>,
    /// `None` if the rules have errors.
    mapped: Option<Rc<MappedProgram>>,
    found: Diagnostics,
}

impl Rules {
    /// Compiles the rules of the first file.
    fn compile(files: Vec<File>) -> Self {
        let (mut sources, mut found, mut ids) = (SourceMap::default(), Diagnostics::default(), Vec::new());
        for file in &files {
            match sources.add(file.name.clone(), file.text.clone()) {
                Ok(id) => ids.push(id),
                Err(error) => found.push(error),
            }
        }
        let (rules, loaded) =
            compile::load_added(&mut sources, ids.get(..1).unwrap_or_default(), &compile::Options::default());
        if let Some(warning) = files.first().and_then(other_language) {
            found.push(warning);
        }
        found.extend(loaded.diagnostics);
        let mapped = if found.has_errors() {
            None
        } else {
            MappedProgram::compile(rules).map(Rc::new).map_err(|errors| found.extend(errors)).ok()
        };
        Self { files, sources, ids, mapped, found }
    }
}

/// A warning if the extension of a rule file does not fit the language of its text.
fn other_language(rules: &File) -> Option<Diagnostic> {
    let is_pdl = rules.text.contains("pdl.pattern");
    let (language, extension) = match rules.name.rsplit_once('.')?.1 {
        "td" if is_pdl => ("pdl", "mlir"),
        "mlir" if !is_pdl && rules.text.contains("Pat<") => ("TableGen", "td"),
        _ => return None,
    };
    let problem = Diagnostic::warning(format!("the rules in '{}' look like {language}", rules.name));
    Some(
        problem.help(format!(
            "double-click the tab of the file, and give it a name that ends with .{extension}"
        )),
    )
}

/// A run whose rules and input have no errors.
struct Run {
    sources: SourceMap,
    linked: Linked,
}

/// Rules linked to the host of an input.
struct Linked {
    mapped: Rc<MappedProgram>,
    matcher: Matcher<IrHost>,
    definitions: Definitions,
    /// The IR of the input. Rewriting changes it, and the input is read again afterwards.
    host: IrHost,
    input: FileId,
}

impl Session {
    /// Answers a request. Both are JSON. The answer has the member `failed` if the request is malformed, or if it
    /// refers to a run that does not exist.
    pub fn answer(&mut self, request: &[u8]) -> String {
        let answer = match request::parse(request) {
            Ok(Request::Run(case)) => self.run(case),
            Ok(Request::Explain { line }) => self.explain(line),
            Ok(Request::Code) => self.code(),
            Err(why) => json!({ "failed": why }),
        };
        answer.to_string()
    }

    fn run(&mut self, page: Page) -> Value {
        self.last = None;
        let rules = match self.rules.take() {
            Some(rules) if rules.files == page.files => rules,
            _ => Rules::compile(page.files),
        };
        let mut sources = rules.sources.clone();
        let mut found = rules.found.clone();
        let done = run(&rules, &page.input, &page.settings, &mut sources, &mut found);
        self.rules = Some(rules);
        let mut answer = json!({ "diagnostics": diagnostics::list(&found, &sources) });
        if let Some((results, linked)) = done {
            self.last = Some(Run { sources, linked });
            for (key, value) in results {
                answer[key] = value;
            }
        }
        answer
    }

    fn explain(&mut self, line: Option<u32>) -> Value {
        let Some(Run { sources, linked }) = &mut self.last else {
            return json!({ "failed": "there is no run to explain" });
        };
        let Linked { mapped, matcher, host, input, .. } = linked;
        let explainer = Explainer::new(sources, matcher, &[]).expect("no rule is selected by its name");
        let (report, traces) = match line {
            Some(line) => {
                let ops = OpSelector::Line(line).find(sources, host, *input);
                let traces = ops.iter().map(|&op| mapped.trace(matcher, host, op));
                let traces: Vec<Value> = traces
                    .map(|trace| json!({ "nodes": trace.nodes, "edges": trace.edges, "instructions": trace.instructions }))
                    .collect();
                (explainer.at(host, &ops), traces)
            }
            None => (explainer.nearest(host, NEAREST), Vec::new()),
        };
        json!({ "report": embedded(&report.json()), "traces": traces })
    }

    fn code(&self) -> Value {
        match &self.last {
            Some(Run { sources, linked }) => {
                json!({ "code": disassemble(linked.mapped.program(), sources) })
            }
            None => json!({ "failed": "there is no program" }),
        }
    }
}

/// JSON text as a part of an answer.
fn embedded(json: &str) -> Value {
    serde_json::from_str(json).expect("reports are valid JSON")
}

type Results = Vec<(&'static str, Value)>;

/// Runs rules on an input. Returns the results unless the rules or the input have errors.
fn run(
    rules: &Rules,
    input: &File,
    settings: &Settings,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<(Results, Linked)> {
    let mut natives: Natives<IrHost> = natives::all();
    let mut scripts = Vec::new();
    // Scripts collect failures, so each run loads them again.
    for (&id, _) in rules.ids.iter().zip(&rules.files).filter(|(_, file)| file.name.ends_with(".rhai")) {
        match Script::load(sources.file(id)) {
            Ok(script) => {
                natives = natives.with(script.natives());
                scripts.push(script);
            }
            Err(errors) => found.extend(errors),
        }
    }
    let input = match sources.add(input.name.clone(), input.text.clone()) {
        Ok(input) => input,
        Err(error) => {
            found.push(error);
            return None;
        }
    };

    let mut context = Context::new();
    let module = Module::new(&mut context);
    let mut host = IrHost::new(context, module);
    host.module = match ir::parse_module(&mut host.context, sources.file(input)) {
        Ok(module) => module,
        Err(errors) => {
            found.extend(errors);
            return None;
        }
    };
    let Some(mapped) = rules.mapped.clone() else {
        found.extend(ir::verify(&host.context, &host.module));
        return None;
    };

    let options = LinkOptions { allow_missing: true, ..LinkOptions::default() };
    let matcher = match Matcher::link(Arc::clone(mapped.program()), &mut host, &natives, &options) {
        Ok(matcher) => matcher,
        Err(error) => {
            found.extend(error.diagnostics_with_places());
            return None;
        }
    };
    for missing in matcher.missing() {
        let mut warning = missing.diagnostic_with_places();
        warning.severity = drrvm::source::Severity::Warning;
        found.push(warning.with_note("the rules that call it are left out"));
    }
    let program = mapped.program();
    let definitions =
        Definitions::link(program.ops(), program.strings(), program.snippets(), &mut host, &natives);
    found.extend(verify(&host, &definitions));
    if found.has_errors() {
        return None;
    }
    let mut linked = Linked { mapped, matcher, definitions, host, input };
    let results = rewritten(settings, sources, &mut linked, found);
    scripts.iter().for_each(|script| found.extend(script.diagnostics()));
    found.extend(linked.matcher.failures());
    let host = &mut linked.host;
    host.module = ir::parse_module(&mut host.context, sources.file(input)).ok()?;
    Some((results, linked))
}

/// Verifies the host's module, and checks its operations against their definitions in the rules.
fn verify(host: &IrHost, definitions: &Definitions) -> Diagnostics {
    ir::verify_with(&host.context, &host.module, |op, errors| {
        if let Some(wrong) = definitions.check(host, op) {
            errors.push(wrong);
        }
    })
}

/// Rewrites the host's module, and returns the results.
fn rewritten(
    settings: &Settings,
    sources: &SourceMap,
    linked: &mut Linked,
    found: &mut Diagnostics,
) -> Results {
    let Linked { mapped, matcher, definitions, host, input } = linked;
    let Settings { walk, greedy, generic } = settings;
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
    for wrong in verify(host, definitions) {
        found.push(wrong.with_note("this is after rewriting; the input is valid"));
    }
    let profile = profiler.into_profile();
    let mut totals = DriverTotals::default();
    totals.add(operations, &report);
    let page =
        ProfileReport::new(sources, |loc| host.context.loc_span(loc), mapped.program(), &profile, totals)
            .with_tree(mapped)
            .page_data(&[*input])
            .expect("the report has a tree");
    let after = print(host);
    vec![
        ("diff", unified_diff(sources.file(*input).name(), &before, &after, Color::Never).into()),
        ("result", after.into()),
        ("rewrites", report.rewrites.into()),
        ("page", embedded(&page)),
    ]
}
