//! Requests of the page.

use drrvm::rewrite::{self, Traversal};
use serde_json::Value;

/// A file of the page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// The driver with its settings, and the form of the output.
#[derive(Debug)]
pub(crate) struct Settings {
    /// True if each operation is visited once; otherwise rules rewrite until none matches.
    pub(crate) walk: bool,
    pub(crate) greedy: rewrite::Config,
    /// True if every operation is printed in generic form.
    pub(crate) generic: bool,
}

/// The contents of the page.
#[derive(Debug)]
pub(crate) struct Page {
    /// The rule file, then files that it includes, and scripts.
    pub(crate) files: Vec<File>,
    /// The module to rewrite.
    pub(crate) input: File,
    pub(crate) settings: Settings,
}

/// A request.
#[derive(Debug)]
pub(crate) enum Request {
    /// Compile the rules, and rewrite the input.
    Run(Page),
    /// Explain the operations on a line of the input of the last `Run`. Without a line, consider the rules that match
    /// no operation, and explain the pairs of a rule and an operation that come closest to a match.
    Explain { line: Option<u32> },
    /// The code of the last `Run`.
    Code,
}

/// Reads a request.
///
/// # Errors
/// The request is malformed.
pub(crate) fn parse(bytes: &[u8]) -> Result<Request, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    match text(&value, "type")?.as_str() {
        "run" => Ok(Request::Run(Page {
            files: list(&value, "files")?.iter().map(file).collect::<Result<_, _>>()?,
            input: file(value.get("input").ok_or("'input' is missing")?)?,
            settings: settings(value.get("settings").unwrap_or(&Value::Null)),
        })),
        "explain" => {
            let line = value.get("line").and_then(Value::as_u64);
            Ok(Request::Explain { line: line.and_then(|line| u32::try_from(line).ok()) })
        }
        "code" => Ok(Request::Code),
        other => Err(format!("unknown request '{other}'")),
    }
}

fn text(value: &Value, key: &str) -> Result<String, String> {
    let text = value.get(key).and_then(Value::as_str);
    text.map(str::to_owned).ok_or_else(|| format!("'{key}' is missing, or is not a string"))
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a [Value], String> {
    let list = value.get(key).and_then(Value::as_array);
    list.map(Vec::as_slice).ok_or_else(|| format!("'{key}' is missing, or is not a list"))
}

fn file(value: &Value) -> Result<File, String> {
    Ok(File { name: text(value, "name")?, text: text(value, "text")? })
}

fn settings(value: &Value) -> Settings {
    let is = |key: &str, wanted: &str| value.get(key).and_then(Value::as_str) == Some(wanted);
    let traversal = if is("traversal", "top-down") { Traversal::TopDown } else { Traversal::BottomUp };
    Settings {
        walk: is("driver", "walk"),
        greedy: rewrite::Config::default().traversal(traversal),
        generic: value.get("generic").and_then(Value::as_bool) == Some(true),
    }
}
