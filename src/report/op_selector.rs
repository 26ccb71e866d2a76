//! Selects operations by line, by value or by name.

use std::ops::Range;

use crate::ir::{IrHost, IrText, OpId};
use crate::source::{FileId, SourceMap};

/// A selection of operations.
///
/// ```
/// use drrvm::report::OpSelector;
/// assert_eq!(OpSelector::parse("%sum#1"), Ok(OpSelector::Value("%sum".to_owned())));
/// assert_eq!(OpSelector::parse("12"), Ok(OpSelector::Line(12)));
/// assert!(OpSelector::parse("x + y").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpSelector {
    /// The operations whose name is on this line. The first line is 1.
    Line(u32),
    /// The operation that defines this value.
    Value(String),
    /// The operations with this name.
    Name(String),
}

impl OpSelector {
    /// Parses a line number, a value (`%name`) or the name of an operation.
    ///
    /// # Errors
    /// The text is none of these. The error is a sentence for the user.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.starts_with('%') && text.len() > 1 {
            // All results of an operation select the same operation.
            return Ok(Self::Value(text.split('#').next().unwrap_or(text).to_owned()));
        }
        if text.bytes().all(|b| b.is_ascii_digit()) {
            let line = text.parse().ok().filter(|&line| line > 0);
            return line.map(Self::Line).ok_or_else(|| format!("{text:?} is not a line number"));
        }
        match text.chars().all(|c| c.is_alphanumeric() || "._$-".contains(c)) {
            true => Ok(Self::Name(text.to_owned())),
            false => Err("expected a line number, a value (%name) or the name of an operation".to_owned()),
        }
    }

    /// The selected operations of a host's module, which was parsed from a file.
    ///
    /// The name of a value is first searched for in the text, so that only operations that can define it are examined.
    pub fn find(&self, sources: &SourceMap, host: &IrHost, file: FileId) -> Vec<OpId> {
        let ops: Vec<OpId> = host.module.preorder(host.module.top()).collect();
        let text = &IrText::new(sources, host);
        let mut value = None;
        let ranges: Vec<Range<usize>> = match self {
            Self::Name(name) => {
                let name = host.context.find_op_name(name);
                let is_selected = |op: &OpId| *op != host.module.top() && Some(host.module.name(*op)) == name;
                return ops.iter().copied().filter(is_selected).collect();
            }
            Self::Line(line) => {
                let whole = sources.file(file).text();
                let mut starts =
                    std::iter::once(0).chain(memchr::memchr_iter(b'\n', whole.as_bytes()).map(|at| at + 1));
                let before = (*line as usize).checked_sub(1);
                let Some(start) = before.and_then(|before| starts.nth(before)) else { return Vec::new() };
                std::iter::once(start..starts.next().unwrap_or(whole.len() + 1)).collect()
            }
            Self::Value(name) => {
                value = Some(name);
                starts_after(sources.file(file).text(), name)
            }
        };
        let base = sources.file(file).span(0..0).lo as usize;
        let is_selected = |op: OpId| {
            let span = text.span(op);
            let Some(at) = (span.lo as usize).checked_sub(base).filter(|_| !span.is_none()) else {
                return false;
            };
            let range = ranges.partition_point(|range| range.end <= at);
            ranges.get(range).is_some_and(|range| range.contains(&at))
                && match value {
                    Some(value) => text.result_names(op).iter().any(|result| result == value),
                    None => true,
                }
        };
        // Rules do not match the top-level module.
        ops.iter().copied().filter(|&op| op != host.module.top() && is_selected(op)).collect()
    }
}

/// The positions of the first character after each `=` that follows this name, in order, as ranges of one byte. An
/// operation that defines the value starts at one of them.
fn starts_after(text: &str, name: &str) -> Vec<Range<usize>> {
    let mut starts: Vec<Range<usize>> = Vec::new();
    let mut last = 0;
    for at in memchr::memmem::find_iter(text.as_bytes(), name) {
        // The `=` after the name before this one can also follow this name.
        if at < last {
            continue;
        }
        let Some(equals) = memchr::memchr(b'=', &text.as_bytes()[at..]) else { break };
        last = at + equals + 1;
        let start = text.len() - text[last..].trim_start().len();
        starts.push(start..start + 1);
    }
    starts
}
