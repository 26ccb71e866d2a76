//! Operations as the command line selects them: by line, by value or by name.

/// A selection of operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OpSelector {
    /// The operations whose name is on this line. The first line is 1.
    Line(u32),
    /// The operation that defines this value.
    Value(String),
    /// The operations with this name.
    Name(String),
}

impl OpSelector {
    /// Parses the argument of `--at`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
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
}
