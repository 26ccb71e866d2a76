//! Real MLIR files with changes that keep most of their structure.
//!
//! The first two bytes select a file; the rest are changes. A change affects tokens, lines or the text between matching
//! brackets, so the result is parsed to its end far more often than text with random bytes. The files are test data and
//! examples of the project and, if installed, MLIR's own tests.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::ir::parse::lexer::{self, Token, TokenKind};

/// Texts that are available without MLIR.
const EMBEDDED: &[&str] = &[
    include_str!("../../tests/data/mlir/custom.mlir"),
    include_str!("../../tests/data/mlir/generic.mlir"),
    include_str!("../../tests/data/mlir/old_style.mlir"),
    include_str!("../../examples/arith/input.mlir"),
    include_str!("../../examples/tensor/input.mlir"),
];

/// The folders of MLIR's tests from which files are taken.
const FOLDERS: &[&str] = &["IR", "Dialect/Arith", "Dialect/Builtin", "Dialect/ControlFlow", "Dialect/Func"];

/// The maximum length of a text, so that each run is fast.
const LONGEST: usize = 64 << 10;

/// The replacements of a token.
const WORDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "255",
    "256",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "0x7FC00001",
    "0xFFFFFFFFFFFFFFFF",
    "1.0",
    "1.0e400",
    "0x",
    "i0",
    "i1",
    "si8",
    "i16777215",
    "i16777216",
    "f80",
    "tf32",
    "f4E2M1FN",
    "index",
    "none",
    "tensor<*xf32>",
    "tensor<0xi1>",
    "tensor<?x4xf32>",
    "memref<4xi32, strided<[?], offset: ?>>",
    "vector<[4]xi1>",
    "tuple<>",
    "complex<i0>",
    "() -> ()",
    "!d.t",
    "#d.a<x>",
    "dense<1>",
    "dense<>",
    "dense<\"0x00\">",
    "sparse<>",
    "array<i1: true>",
    "array<i8>",
    "distinct[0]<>",
    "@a::@\"b c\"",
    "loc(unknown)",
    "loc(fused<1>[unknown])",
    "unit",
    "true",
    "affine_map<(d0)[s0] -> (d0 floordiv s0 mod 4)>",
    "affine_set<() : ()>",
    "%0",
    "%0#1",
    "%0:2 =",
    "%9",
    "^bb0",
    "^bb9",
    "#a0",
    "!a0",
    "\"\"",
    "\"\\FF\"",
    "{-#",
    "#-}",
    "// -----\n",
    "<{",
    "}>",
    "->",
    "::",
    "",
];

/// Returns the available texts: the embedded files, and the parts between the `// -----` lines of MLIR's tests.
fn files() -> &'static [String] {
    static FILES: OnceLock<Vec<String>> = OnceLock::new();
    FILES.get_or_init(|| {
        let mut files: Vec<String> = EMBEDDED.iter().map(|&text| text.to_owned()).collect();
        for path in FOLDERS.iter().filter_map(|folder| installed(folder)).flatten() {
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            let parts = text.split("// -----").filter(|part| part.len() <= LONGEST);
            files.extend(parts.map(str::to_owned));
        }
        files
    })
}

/// The folder of LLVM's sources, which may not exist.
pub(super) fn llvm() -> Option<PathBuf> {
    Some(match std::env::var_os("DRRVM_LLVM") {
        Some(root) => PathBuf::from(root),
        None => Path::new(&std::env::var_os("HOME")?).join(".cache/drrvm/llvm-22"),
    })
}

/// Returns the files of a folder of MLIR's tests, in order.
fn installed(folder: &str) -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(llvm()?.join("mlir/test").join(folder)).ok()?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "mlir"));
    paths.sort();
    Some(paths)
}

/// Changes a file. The first two bytes select the file. Each group of five bytes after them is a change: its kind, and
/// two numbers that select the changed part and its replacement.
pub(super) fn text(bytes: &[u8]) -> String {
    let files = files();
    let number = |bytes: [u8; 2]| usize::from(u16::from_le_bytes(bytes));
    let file = |n: usize| &files[n % files.len()];
    let Some((&start, rest)) = bytes.split_first_chunk::<2>() else { return file(0).clone() };
    let mut text = file(number(start)).clone();
    for &[kind, a, b, c, d] in rest.as_chunks::<5>().0.iter().take(64) {
        let (first, second) = (number([a, b]), number([c, d]));
        change(&mut text, kind, first, second, file(second));
        if text.len() > 2 * LONGEST {
            break;
        }
    }
    text
}

fn change(text: &mut String, kind: u8, first: usize, second: usize, other: &str) {
    let tokens = tokens(text);
    if tokens.is_empty() {
        return;
    }
    let token = |n: usize| tokens[n % tokens.len()].start..tokens[n % tokens.len()].end;
    let groups = groups(&tokens);
    let group = |n: usize| groups.get(n % groups.len().max(1)).cloned().unwrap_or_else(|| token(n));
    match kind % 12 {
        0 => replace(text, &token(first), ""),
        1 => replace(text, &token(first), WORDS[second % WORDS.len()]),
        2 => copy(text, token(second), &token(first)),
        3 => {
            let at = token(first).start;
            copy(text, token(second), &(at..at));
        }
        4 => replace(text, &group(first), ""),
        5 => copy(text, group(second), &group(first)),
        6 => {
            let end = group(first).end;
            copy(text, group(first), &(end..end));
        }
        7 => {
            // Encloses a bracketed part in up to 599 more pairs of brackets of the same kind.
            let inner = text[group(first)].to_owned();
            let open: String = inner.chars().take(1).collect();
            let close: String = inner.chars().last().into_iter().collect();
            let times = second % 600;
            replace(text, &group(first), &format!("{}{inner}{}", open.repeat(times), close.repeat(times)));
        }
        8 => replace(text, &line(text, token(first).start), ""),
        9 => {
            let (from, to) = (line(text, token(second).start), line(text, token(first).start).start);
            copy(text, from, &(to..to));
        }
        10 => {
            // Replaces a bracketed part by a bracketed part of another file, or by a line if the other file has no
            // brackets.
            let others = self::tokens(other);
            let Some(at) = others.get(first % others.len().max(1)) else { return };
            let groups = self::groups(&others);
            let from = groups.get(first % groups.len().max(1)).cloned();
            let from = from.unwrap_or_else(|| line(other, at.start));
            replace(text, &group(second), &other[from]);
        }
        _ => {
            let others = self::tokens(other);
            let Some(at) = others.get(first % others.len().max(1)) else { return };
            let to = line(text, token(second).start).start;
            replace(text, &(to..to), &other[line(other, at.start)]);
        }
    }
}

fn replace(text: &mut String, range: &Range<usize>, by: &str) {
    if text.get(range.clone()).is_some() {
        text.replace_range(range.clone(), by);
    }
}

/// Replaces the part `to` of the text by a copy of the part `from`.
fn copy(text: &mut String, from: Range<usize>, to: &Range<usize>) {
    if let Some(part) = text.get(from) {
        let part = part.to_owned();
        replace(text, to, &part);
    }
}

/// Returns the line around a position, with its line break.
fn line(text: &str, at: usize) -> Range<usize> {
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let end = text.get(at..).and_then(|after| after.find('\n')).map_or(text.len(), |end| at + end + 1);
    start..end
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        let token = lexer::token(text.as_bytes(), at);
        if token.kind == TokenKind::Eof {
            return tokens;
        }
        at = token.end.max(at + 1);
        tokens.push(token);
    }
}

/// Returns the ranges from each opening bracket to its closing bracket. The kinds of the two brackets are not compared.
fn groups(tokens: &[Token]) -> Vec<Range<usize>> {
    let (mut groups, mut open) = (Vec::new(), Vec::new());
    for token in tokens {
        match token.kind {
            TokenKind::LParen | TokenKind::LBrace | TokenKind::LSquare | TokenKind::Less => open.push(token),
            TokenKind::RParen | TokenKind::RBrace | TokenKind::RSquare | TokenKind::Greater => {
                if let Some(start) = open.pop() {
                    groups.push(start.start..token.end);
                }
            }
            _ => {}
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_keeps_most_lines() {
        let unchanged = text(&[0, 0]);
        assert_eq!(unchanged, EMBEDDED[0]);
        let changed: Vec<String> = (0..12).map(|kind| text(&[0, 0, kind, 40, 0, 90, 0])).collect();
        for (kind, text) in changed.iter().enumerate() {
            assert!(*text != unchanged, "change {kind} does nothing");
            let kept = unchanged.lines().filter(|line| text.contains(line)).count();
            assert!(kept * 2 > unchanged.lines().count(), "change {kind} keeps {kept} lines");
        }
    }

    #[test]
    fn groups_are_balanced() {
        let text = "\"t\"() ({ a[1] }) : () -> ()";
        let found: Vec<&str> = groups(&tokens(text)).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["()", "[1]", "{ a[1] }", "({ a[1] })", "()", "()"]);
    }
}
