//! The result of loading rules: the diagnostics, and the rules that were rejected.

use hashbrown::HashSet;

use crate::pdl::{Origin, Pattern, RuleSet};
use crate::source::{Diagnostic, Diagnostics, Severity, Span};

/// The diagnostics of loading rules, and the rules that were rejected.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The diagnostics. Front ends leave out those of rejected rules. [`load`](crate::compile::load) adds these
    /// diagnostics or, if rejected rules are skipped, one warning for each rule.
    pub diagnostics: Diagnostics,
    /// The rejected rules, in the order of the files.
    pub rejected: Vec<Rejected>,
}

impl From<Diagnostics> for Loaded {
    fn from(diagnostics: Diagnostics) -> Self {
        Self { diagnostics, rejected: Vec::new() }
    }
}

/// The message for a rule that was rejected only because of errors in a definition.
const USES_DEFINITION_WITH_ERRORS: &str = "it uses a definition that has errors";

/// A rule that has errors.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// The name of its root operation, if it is known.
    pub root: Option<String>,
    /// The place where it was written.
    pub span: Span,
    /// Its errors and warnings. The list can be empty if a definition that the rule uses has errors.
    pub diagnostics: Diagnostics,
    /// The number of diagnostics in [`Loaded`] when the rule was rejected.
    pub(super) position: usize,
}

impl Rejected {
    /// Creates the entry of a rejected rule.
    pub(super) fn new(rules: &RuleSet, rule: &Pattern, diagnostics: Diagnostics) -> Self {
        let text = |id| rules.strings[id].to_owned();
        let span = match rule.origin {
            Origin::Span(span) => span,
            Origin::Rust(_) => Span::NONE,
        };
        let labels = rule.labels.iter().map(|&label| text(label)).collect();
        let root = rule.root_name().map(text);
        Self { labels, root, ..Self::of_record(text(rule.name), span, diagnostics) }
    }

    /// Creates the entry of a rejected rule of which only the name and the place are known.
    pub(super) fn of_record(name: String, span: Span, diagnostics: Diagnostics) -> Self {
        Self { name, labels: Vec::new(), root: None, span, diagnostics, position: 0 }
    }

    /// Its name and its labels.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        std::iter::once(&*self.name).chain(self.labels.iter().map(|label| &**label))
    }

    /// The messages of its errors.
    pub fn reasons(&self) -> Vec<&str> {
        let errors = self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
        let reasons: Vec<&str> = errors.map(|error| &*error.message).collect();
        if reasons.is_empty() { vec![USES_DEFINITION_WITH_ERRORS] } else { reasons }
    }

    /// Returns an error for a rule that was rejected without an error of its own.
    fn unexplained(&self) -> Diagnostic {
        Diagnostic::error(format!("rule '{}': {USES_DEFINITION_WITH_ERRORS}", self.name)).at(self.span, "")
    }

    /// One warning with the first error of the rule, for callers that skip the rule.
    fn warning(&self) -> Diagnostic {
        let mut errors = self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
        let mut warning = match errors.next() {
            Some(first) => {
                let message = format!("rule '{}' is skipped: {}", self.name, first.message);
                Diagnostic { message, ..first.clone() }
            }
            None => {
                let unexplained = self.unexplained();
                let message = format!("rule '{}' is skipped: {USES_DEFINITION_WITH_ERRORS}", self.name);
                Diagnostic { message, ..unexplained }
            }
        };
        warning.severity = Severity::Warning;
        match errors.count() {
            0 => warning,
            1 => warning.with_note("the rule has one more error"),
            more => warning.with_note(format!("the rule has {more} more errors")),
        }
    }
}

impl Loaded {
    /// Adds a rejected rule.
    pub(super) fn reject(&mut self, rule: Rejected) {
        self.rejected.push(Rejected { position: self.diagnostics.len(), ..rule });
    }

    /// Appends the diagnostics and rejected rules of a later load.
    pub(super) fn append(&mut self, later: Self) {
        let before = self.diagnostics.len();
        self.diagnostics.extend(later.diagnostics);
        let moved = |rule: Rejected| Rejected { position: before + rule.position, ..rule };
        self.rejected.extend(later.rejected.into_iter().map(moved));
    }

    /// Adds the diagnostics of the rejected rules, in the order in which they were found. A diagnostic that several
    /// rules share is added once. If rules were rejected but there is no error, adds one error.
    #[must_use]
    pub(crate) fn with_errors_of_rules(self) -> Self {
        let mut all = Diagnostics::default();
        let mut added = HashSet::new();
        let mut rejected = self.rejected.iter().peekable();
        let mut add_rules = |all: &mut Diagnostics, position: usize| {
            while let Some(rule) = rejected.next_if(|rule| rule.position <= position) {
                for diagnostic in &rule.diagnostics {
                    if !all.at_limit() && added.insert((&diagnostic.message, diagnostic.span())) {
                        all.push(diagnostic.clone());
                    }
                }
            }
        };
        let count = self.diagnostics.len();
        for (position, diagnostic) in self.diagnostics.into_iter().enumerate() {
            add_rules(&mut all, position);
            all.push(diagnostic);
        }
        add_rules(&mut all, count);
        if let Some(rule) = self.rejected.first().filter(|_| !all.has_errors()) {
            all.push(rule.unexplained());
        }
        drop(added);
        Self { diagnostics: all, rejected: self.rejected }
    }

    /// Adds one warning for each rejected rule.
    #[must_use]
    pub(crate) fn with_warnings_of_rules(mut self) -> Self {
        self.rejected.iter().for_each(|rule| self.diagnostics.push(rule.warning()));
        self
    }
}
