//! The state that all rules of a run share, and the context of the rule that is being lowered.

use hashbrown::{HashMap, HashSet};

use super::classes::ambiguous_names;
use super::error;
use crate::frontend::cxx::{Helpers, Text};
use crate::frontend::ods::{Definitions, OpId, Sizes};
use crate::frontend::tablegen::{Record, RecordId};
use crate::intern::StrId;
use crate::pdl::{Callee, GroupSplit, RuleSet};
use crate::snippet::{SnippetId, Ty};
use crate::source::{Diagnostic, Diagnostics, SourceMap, Span};

/// The maximum nesting of patterns.
const DEPTH_LIMIT: usize = 200;

/// A failure whose error is already in the diagnostics of the session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

pub(super) type Try<T> = Result<T, Reported>;

/// Collects all values. Items after an error are evaluated as well, so that all errors are reported.
pub(super) fn collect<T>(items: impl IntoIterator<Item = Try<T>>) -> Try<Vec<T>> {
    let mut all = Ok(Vec::new());
    for item in items {
        match (&mut all, item) {
            (Ok(values), Ok(value)) => values.push(value),
            (_, Err(Reported)) => all = Err(Reported),
            (Err(Reported), Ok(_)) => {}
        }
    }
    all
}

/// The state that the rules of a run share.
pub(super) struct Session<'s, 'a> {
    pub(super) defs: &'s Definitions<'a>,
    pub(super) rules: &'s mut RuleSet,
    pub(super) cache: SnippetCache,
    /// The functions of C++ files that rules can call.
    pub(super) helpers: Helpers,
    pub(super) errors: Diagnostics,
    /// Operations whose errors were reported.
    broken: HashSet<RecordId>,
}

/// The snippets that were compiled so far, by record or text.
#[derive(Debug, Default)]
pub(super) struct SnippetCache {
    pub(super) constraints: HashMap<(RecordId, Ty, Option<Ty>), (Callee, bool)>,
    /// Composed predicates.
    pub(super) conditions: HashMap<RecordId, Text>,
    /// Equal texts with equal parameters share a snippet, so that rules share its evaluation.
    pub(super) texts: HashMap<String, SnippetId>,
}

impl<'s, 'a> Session<'s, 'a> {
    pub(super) fn new(defs: &'s Definitions<'a>, rules: &'s mut RuleSet, mut helpers: Helpers) -> Self {
        helpers.set_ambiguous(|| ambiguous_names(defs));
        Session {
            defs,
            rules,
            cache: SnippetCache::default(),
            helpers,
            errors: Diagnostics::default(),
            broken: HashSet::new(),
        }
    }

    pub(super) fn fail(&mut self, error: Diagnostic) -> Reported {
        if !self.errors.at_limit() {
            self.errors.push(error);
        }
        Reported
    }
}

/// The rule that is being lowered.
pub(super) struct RuleContext<'r, 's, 'a> {
    pub(super) session: &'r mut Session<'s, 'a>,
    pub(super) defs: &'s Definitions<'a>,
    pub(super) sources: &'r SourceMap,
    pub(super) name: &'r str,
    pub(super) span: Span,
    /// The number of anonymous natives of the rule.
    anonymous_natives: usize,
}

impl<'r, 's, 'a> RuleContext<'r, 's, 'a> {
    pub(super) fn new(
        session: &'r mut Session<'s, 'a>,
        sources: &'r SourceMap,
        name: &'r str,
        span: Span,
    ) -> Self {
        let defs = session.defs;
        RuleContext { session, defs, sources, name, span, anonymous_natives: 0 }
    }

    pub(super) fn fail(&mut self, error: Diagnostic) -> Reported {
        self.session.fail(error)
    }

    pub(super) fn intern(&mut self, text: &str) -> StrId {
        self.session.rules.strings.intern(text)
    }

    /// A span, or the span of the rule if the span is empty.
    pub(super) fn place(&self, span: Span) -> Span {
        if span.is_none() { self.span } else { span }
    }

    /// The operation that a record defines. The first use reports all errors in the definition, and later uses report
    /// only the first error.
    pub(super) fn op_of(&mut self, record: Record<'a>, span: Span) -> Try<OpId> {
        if let Some(id) = self.defs.op_of(record.id()) {
            return Ok(id);
        }
        let span = self.place(span);
        let Some(errors) = self.defs.broken(record.id()) else {
            return Err(self.fail(error::not_an_op(record.name(), span)));
        };
        let reported = if self.session.broken.insert(record.id()) { errors.len() } else { 1 };
        for error in errors.iter().take(reported) {
            self.session.fail(error::in_definition(error.clone(), span));
        }
        Err(Reported)
    }

    /// The name of a native: the name of its record, or a generated name if the record is anonymous.
    pub(super) fn native_name(&mut self, record: Record<'a>) -> String {
        if !record.is_anonymous() {
            return record.name().to_owned();
        }
        self.anonymous_natives += 1;
        format!("{}_native{}", self.name, self.anonymous_natives - 1)
    }

    pub(super) fn group_split(&mut self, sizes: Sizes, attribute: &str) -> GroupSplit {
        match sizes {
            Sizes::OneVariable => GroupSplit::Rest,
            Sizes::Equal => GroupSplit::Equal,
            Sizes::Attribute => GroupSplit::Attribute(self.intern(attribute)),
        }
    }

    pub(super) fn check_depth(&mut self, depth: usize, span: Span) -> Try<()> {
        if depth < DEPTH_LIMIT {
            return Ok(());
        }
        let span = self.place(span);
        Err(self.fail(error::too_deep(DEPTH_LIMIT, span)))
    }
}

/// The trimmed text of a field, or an empty text if the record has no such field.
pub(super) fn text<'a>(record: Record<'a>, field: &str) -> &'a str {
    record.string_field(field).unwrap_or("").trim()
}

/// Converts an index of a list in a rule or a definition.
pub(super) fn small(index: usize) -> u32 {
    u32::try_from(index).expect("a source file is under 4 GiB, so it lists fewer items than that")
}
