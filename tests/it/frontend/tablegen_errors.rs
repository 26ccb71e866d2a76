//! Snapshots of the errors in invalid `.td` text; each part of `tests/data/tablegen/errors.td` has one mistake.
//!
//! `llvm-tblgen` must reject each part at the same line. The messages of drrvm differ, and a snapshot contains them.

use crate::common;

use drrvm::internal::frontend::tablegen::{self, Config};
use drrvm::source::{Color, Diagnostics, SourceMap, render_all};

/// Returns the line of the first error and all messages, or `None` for valid text.
fn line_and_messages(text: &str) -> Option<(u32, String)> {
    let mut sources = SourceMap::default();
    let file = sources.add("<stdin>", text).expect("it is small");
    let errors: Diagnostics = tablegen::parse(&mut sources, file, &Config::default()).err()?;
    let first = errors.iter().find(|diagnostic| diagnostic.is_error())?;
    let line = sources.locate(first.span()).map_or(0, |place| place.line);
    Some((line, render_all(&errors, &sources, Color::Never)))
}

/// Returns true if `llvm-tblgen` rejects the text, and the line of its first error if it reports a line.
fn reference(tool: &str, text: &str) -> (bool, Option<u32>) {
    let output = common::pipe(tool, &["--null-backend", "-"], text.as_bytes());
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    let error = words.lines().find(|line| line.contains("error:"));
    let line = error.and_then(|error| error.split(':').nth(1)?.parse().ok());
    (!output.status.success(), line)
}

#[test]
fn mistakes_are_found_at_the_lines_of_llvm_tblgen() {
    let tool = common::llvm_tool("llvm-tblgen");
    let mut all = String::new();
    let mut differences = Vec::new();
    for text in include_str!("../../data/tablegen/errors.td").split("// -----\n") {
        let Some((line, words)) = line_and_messages(text) else {
            differences.push(format!("drrvm accepts:\n{text}"));
            continue;
        };
        all += &format!("{}\n{words}\n", "=".repeat(60));
        let Some(tool) = &tool else { continue };
        match reference(tool, text) {
            // For mistakes in some operators, `llvm-tblgen` reports no line or overflows its stack.
            (true, theirs) if theirs.is_none_or(|theirs| theirs == line) => {}
            (false, _) => differences.push(format!("llvm-tblgen accepts:\n{text}")),
            (true, theirs) => {
                differences.push(format!("drrvm reports line {line}, llvm-tblgen line {theirs:?}:\n{text}"))
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    insta::assert_snapshot!("tablegen_errors", all);
}
