//! The diagnostics of a run, and their text.

use std::fmt;

#[cfg(not(feature = "ir"))]
use super::classic::render_classic;
use super::diagnostic::{Diagnostic, Severity};
#[cfg(feature = "ir")]
use super::file::SourceFile;
use super::map::SourceMap;
#[cfg(feature = "ir")]
use super::render::{Color, render_all};
use crate::plural::count;

/// The diagnostics of a stage, collected so that one run reports all of them.
///
/// [`Display`](fmt::Display) and [`Debug`](fmt::Debug) show source lines of the files that this value contains. The
/// functions of this crate that read files add the files that they read; [`with_sources`](Self::with_sources) adds
/// other files. `Debug` starts with a summary, because `main` prints its error in this form:
///
/// ```text
/// Error: 1 error
///
/// error: unknown operation 'arith.ad'
///  --> rules.td:3:12
/// ```
///
/// ```
/// use drrvm::source::{Diagnostic, Diagnostics, SourceMap};
/// let mut sources = SourceMap::default();
/// let file = sources.add("a.td", "def A;\ndef A;\n")?;
/// let twice = Diagnostic::error("'A' is defined twice").at(sources.file(file).span(11..12), "");
/// let errors = Diagnostics::from(twice).with_sources(&sources);
/// assert!(errors.to_string().contains("a.td:2:5"));
/// # Ok::<(), Diagnostics>(())
/// ```
#[derive(Clone, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    /// The files to which the diagnostics refer.
    sources: SourceMap,
}

impl Diagnostics {
    /// The number of errors after which a stage stops, because hostile input can cause any number of errors.
    const ERROR_LIMIT: usize = 1000;

    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.is_error());
        self.list.push(diagnostic);
    }

    /// Adds the diagnostics of another stage, and the files to which they refer. These files must belong to the same
    /// source map as the files that this value contains.
    pub fn extend(&mut self, other: Diagnostics) {
        self.errors += other.errors;
        self.list.extend(other.list);
        self.sources.include(other.sources.files());
    }

    /// Adds files to which the diagnostics refer, so that the text of the diagnostics shows their lines. These files
    /// must belong to the same source map as the files that this value contains.
    #[must_use]
    pub fn with_sources(mut self, sources: &SourceMap) -> Self {
        self.sources.include(sources.files());
        self
    }

    /// Adds a file to which the diagnostics refer.
    #[cfg(feature = "ir")]
    pub(crate) fn with_file(mut self, file: &SourceFile) -> Self {
        self.sources.include([file]);
        self
    }

    /// True if there is an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The number of errors.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// True if the number of errors has reached the limit.
    pub fn at_limit(&self) -> bool {
        self.errors >= Self::ERROR_LIMIT
    }

    /// The diagnostics, in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// True if there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of diagnostics.
    pub fn len(&self) -> usize {
        self.list.len()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "ir")]
        let text = render_all(self, &self.sources, Color::Never);
        #[cfg(not(feature = "ir"))]
        let text = render_classic(self, &self.sources);
        f.write_str(text.trim_end())
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number_of = |severity| self.iter().filter(|diagnostic| diagnostic.severity == severity).count();
        let mut separator = "";
        for severity in [Severity::Error, Severity::Warning, Severity::Note] {
            let number = number_of(severity);
            if number > 0 {
                write!(f, "{separator}{}", count(number, severity.word()))?;
                separator = ", ";
            }
        }
        if self.is_empty() { f.write_str("no diagnostics") } else { write!(f, "\n\n{self}") }
    }
}

impl std::error::Error for Diagnostics {}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        let mut all = Self::default();
        all.push(diagnostic);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_main_shows_the_source_line() {
        let mut sources = SourceMap::default();
        sources.add("first.td", "def A;").unwrap();
        let file = sources.add("second.td", "def B;\ndef B;\n").unwrap();
        let twice = Diagnostic::error("'B' is defined twice").at(sources.file(file).span(11..12), "again");
        let mut errors = Diagnostics::default();
        errors.extend(Diagnostics::from(twice).with_sources(&sources));
        errors.push(Diagnostic::warning("the rule never matches"));
        let text = format!("{errors:?}");
        assert!(text.starts_with("1 error, 1 warning\n\n"), "{text}");
        assert!(text.contains("second.td:2:5") && text.contains("'B' is defined twice"), "{text}");
        assert_eq!(errors.to_string(), text.split_once("\n\n").unwrap().1);
        assert_eq!(format!("{:?}", Diagnostics::default()), "no diagnostics");
        let error: Box<dyn std::error::Error> = errors.into();
        assert!(error.to_string().contains("the rule never matches"));
    }
}
