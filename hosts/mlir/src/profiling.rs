//! The cost and the effect of rules in a running MLIR, as `drrvm profile` reports them.
//!
//! In: the counts of a [`Profiler`] and the locations of the rewritten operations. Out: the HTML page or the JSON of
//! `drrvm profile`. All threads share the counts.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use drrvm::SourceMap;
use drrvm::report::{DriverTotals, MappedProgram, ProfileReport};
use drrvm::rewrite::Report;
use drrvm::source::{FileId, Span};
use drrvm::vm::{Engine, Matcher, Profile, Profiler};

use crate::bridge;
use crate::capi::Location;
use crate::host::MlirHost;

type Counting = Profiler<Arc<Matcher<MlirHost>>, MlirHost>;

/// The memory of one thread for the engine that counts.
pub(crate) type ProfileCache = <Counting as Engine<MlirHost>>::Cache;

/// The engine that counts.
pub(crate) struct Profiling {
    pub(crate) profiler: Counting,
    /// The decision tree; `None` for a compiled program.
    mapped: Option<MappedProgram>,
}

/// The maximum number of tree nodes (or instructions of a compiled program) in the JSON report, as for `drrvm profile`.
const TOP: usize = 20;

impl Profiling {
    pub(crate) fn new(matcher: &Arc<Matcher<MlirHost>>, mapped: Option<MappedProgram>) -> Self {
        Self { profiler: Profiler::new(Arc::clone(matcher)), mapped }
    }

    /// Writes the report. The array has the numbers of matches, rewrites and refusals.
    ///
    /// # Errors
    /// The report is a page and there is no decision tree, or the file cannot be written.
    pub(crate) fn write(
        &self,
        path: &Path,
        operations: u64,
        [_matches, rewrites, refused]: [u64; 3],
        rule_files: &SourceMap,
    ) -> Result<(), String> {
        let mut totals = DriverTotals::default();
        let mut counts = Report::default();
        (counts.rewrites, counts.refused) = (rewrites, refused);
        totals.add(operations, &counts);
        let profile = self.profiler.profile();
        let Inputs { sources, files, spans } = Inputs::of(&profile, rule_files);
        let span = |location: Location| spans.get(&location.0).copied().unwrap_or(Span::NONE);
        let program = self.profiler.matcher().program();
        let mut report = ProfileReport::new(&sources, span, program, &profile, totals);
        if let Some(mapped) = &self.mapped {
            report = report.with_tree(mapped);
        }
        let text = if path.extension().is_some_and(|extension| extension == "html") {
            report.html(&files).ok_or(
                "a page shows the decision tree, which a compiled program does not have; \
                                       name the rule files instead",
            )?
        } else {
            report.json(TOP)
        };
        std::fs::write(path, text).map_err(|error| format!("cannot write '{}': {error}", path.display()))
    }
}

/// The files in which rules fired.
struct Inputs {
    /// The files of the rules and the input files.
    sources: SourceMap,
    /// The input files.
    files: Vec<FileId>,
    /// The places of locations, by the addresses of the locations.
    spans: HashMap<usize, Span>,
}

impl Inputs {
    /// Loads the input files. Files that cannot be read, such as standard input, are left out.
    fn of(profile: &Profile<MlirHost>, rule_files: &SourceMap) -> Self {
        let mut sources = rule_files.clone();
        let mut loaded: HashMap<String, Option<(FileId, Vec<usize>)>> = HashMap::new();
        let mut files = Vec::new();
        let mut spans = HashMap::new();
        for &(_, location) in &profile.fired {
            if spans.contains_key(&location.0) {
                continue;
            }
            let Some((name, line, column)) = bridge::place(location) else { continue };
            let file = loaded.entry(name).or_insert_with_key(|name| {
                let file = sources.load(Path::new(name)).ok()?;
                files.push(file);
                let text = sources.file(file).text();
                let starts = text.match_indices('\n').map(|(at, _)| at + 1);
                Some((file, std::iter::once(0).chain(starts).collect()))
            });
            let Some((file, starts)) = file else { continue };
            let start = usize::try_from(line).ok().and_then(|line| starts.get(line.checked_sub(1)?));
            let source = sources.file(*file);
            if let Some(start) = start {
                let at = (start + column.saturating_sub(1) as usize).min(source.text().len());
                spans.insert(location.0, source.span(at..at));
            }
        }
        Self { sources, files, spans }
    }
}
