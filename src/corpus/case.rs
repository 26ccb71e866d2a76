//! A case of the corpus and its text format.

use std::fmt;

use crate::compile;
use crate::pdl::RuleSet;
use crate::source::{Diagnostics, SourceMap};

/// A test case: rules, IR and expected results.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// The name.
    pub name: String,
    /// A description, with the reason why the expected result is right.
    pub about: String,
    /// The names and texts of the rule files.
    pub rules: Vec<(String, String)>,
    /// The IR, as MLIR text.
    pub ir: String,
    /// The expected matches: operations in text order, and the matches of each operation in the order in which they are
    /// found. `None` if the case does not state them.
    pub matches: Option<Vec<ExpectedMatch>>,
    /// The expected IR after greedy rewriting, up to names and syntax. `None` if the case does not state it.
    pub rewritten: Option<String>,
    /// The expected diagnostics of loading or linking the rules, as printed by
    /// [`render_classic`](crate::source::render_classic). `None` if there are none.
    pub diagnostics: Option<String>,
    /// The reason why MLIR's result differs, if it does.
    pub unlike_mlir: Option<String>,
}

/// A match that a case expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedMatch {
    /// The line of the IR, from 1, that contains the operation.
    pub line: u32,
    /// The rule's name.
    pub rule: String,
    /// The expected values of symbols: name and text. Other symbols are not compared.
    pub bindings: Vec<(String, String)>,
}

/// The error for a text that does not have the format of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseError {
    line: usize,
    problem: String,
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for CaseError {}

/// The prefix of a section header.
const SECTION: &str = "=== ";

impl Case {
    /// Parses a case: a description, then sections, each after a line `=== section`.
    ///
    /// The sections are the rule files (`rules.td`, `rules.mlir` or any other name that ends with `.td` or `.mlir`),
    /// `ir`, `matches`, `rewritten`, `diagnostics` and `unlike mlir`. A match is a line `3: Rule`, where 3 is the line
    /// of the operation in the IR. Lines ` symbol = value` below it are compared with the bindings. On the right of
    /// `=`, an SSA value is written as its name in the IR, an operation as `line 3`, a type or attribute as MLIR text,
    /// a range as `(a, b)`, and an absent entity as `nothing`.
    ///
    /// ```
    /// use drrvm::conformance::Case;
    /// let case = Case::parse("erased", r#"A rule that erases its root.
    /// === rules.mlir
    /// pdl.pattern @gone : benefit(1) {
    ///   %op = operation "t.dead"
    ///   rewrite %op { erase %op }
    /// }
    /// === ir
    /// "t.dead"() : () -> ()
    /// === matches
    /// 1: gone
    ///   op = line 1
    /// === rewritten
    /// "#)?;
    /// assert_eq!(case.matches.as_ref().map(Vec::len), Some(1));
    /// assert_eq!(case.rewritten.as_deref(), Some(""));
    /// # Ok::<(), drrvm::conformance::CaseError>(())
    /// ```
    ///
    /// # Errors
    /// The text is not a case. The error states the reason and the line.
    pub fn parse(name: &str, text: &str) -> Result<Case, CaseError> {
        let mut case = Case { name: name.to_owned(), ..Case::default() };
        let mut sections: Vec<(&str, usize, String)> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if let Some(section) = line.strip_prefix(SECTION) {
                if sections.iter().any(|(name, ..)| *name == section) {
                    return Err(CaseError {
                        line: index + 1,
                        problem: format!("section '{section}' occurs twice"),
                    });
                }
                sections.push((section, index + 1, String::new()));
                continue;
            }
            let text = sections.last_mut().map_or(&mut case.about, |(.., text)| text);
            text.push_str(line);
            text.push('\n');
        }
        for (section, line, text) in sections {
            match section {
                "ir" => case.ir = text,
                "matches" => case.matches = Some(matches(line, &text)?),
                "rewritten" => case.rewritten = Some(text),
                "diagnostics" => case.diagnostics = Some(text),
                "unlike mlir" => case.unlike_mlir = Some(text),
                _ if section.ends_with(".td") || section.ends_with(".mlir") => {
                    case.rules.push((section.to_owned(), text));
                }
                _ => return Err(CaseError { line, problem: format!("unknown section '{section}'") }),
            }
        }
        if case.rules.is_empty() {
            return Err(CaseError { line: 1, problem: "there are no rules".to_owned() });
        }
        if case.matches.is_none() && case.rewritten.is_none() && case.diagnostics.is_none() {
            return Err(CaseError { line: 1, problem: "the case has no expected result".to_owned() });
        }
        Ok(case)
    }

    /// Loads the rules. Returns warnings as well.
    ///
    /// # Errors
    /// All errors of the rules.
    pub fn load(&self, sources: &mut SourceMap) -> Result<(RuleSet, Diagnostics), Diagnostics> {
        let mut files = Vec::new();
        for (name, text) in &self.rules {
            files.push(sources.add(name.as_str(), text.as_str())?);
        }
        let (rules, loaded) = compile::load_added(sources, &files, &compile::Options::default());
        if loaded.diagnostics.has_errors() {
            Err(loaded.diagnostics)
        } else {
            Ok((rules, loaded.diagnostics))
        }
    }
}

/// Parses the section `matches`. `start` is the line of its header.
fn matches(start: usize, text: &str) -> Result<Vec<ExpectedMatch>, CaseError> {
    let mut matches: Vec<ExpectedMatch> = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let error = |problem: &str| CaseError { line: start + index + 1, problem: problem.to_owned() };
        if line.starts_with(' ') {
            let (name, value) = line.split_once(" = ").ok_or_else(|| error("expected 'symbol = value'"))?;
            let last = matches.last_mut().ok_or_else(|| error("a symbol before the first match"))?;
            last.bindings.push((name.trim().to_owned(), value.trim().to_owned()));
            continue;
        }
        let (at, rule) = line.split_once(": ").ok_or_else(|| error("expected 'line: rule'"))?;
        let at = at.parse().map_err(|_| error("expected the number of a line"))?;
        matches.push(ExpectedMatch { line: at, rule: rule.trim().to_owned(), bindings: Vec::new() });
    }
    Ok(matches)
}

#[cfg(test)]
mod tests {
    use super::Case;

    #[test]
    fn errors_state_the_reason_and_the_line() {
        let error = |text: &str| Case::parse("case", text).unwrap_err().to_string();
        assert_eq!(error("about\n"), "line 1: there are no rules");
        assert_eq!(error("=== rules.td\n=== ir\n"), "line 1: the case has no expected result");
        assert_eq!(error("=== rules.td\n=== IR\n"), "line 2: unknown section 'IR'");
        assert_eq!(error("=== ir\n=== ir\n"), "line 2: section 'ir' occurs twice");
        assert_eq!(error("=== matches\n\nrule\n"), "line 3: expected 'line: rule'");
        assert_eq!(error("=== matches\nx: rule\n"), "line 2: expected the number of a line");
        assert_eq!(error("=== matches\n  a = b\n"), "line 2: a symbol before the first match");
        assert_eq!(error("=== matches\n1: rule\n  a: b\n"), "line 3: expected 'symbol = value'");
    }
}
