//! Files and positions in them.
//!
//! Positions are offsets into one address space that all files of a map share, so a [`Span`] is
//! eight bytes and needs no file id.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::Diagnostic;
use super::places::PlaceTable;
use crate::id::{IdVec, define_ids};

define_ids! {
    /// A file of a [`SourceMap`].
    pub struct FileId;
}

/// A range of bytes in one file of a [`SourceMap`]; the file is found from the offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Span {
    /// The span of what has no source text.
    pub const NONE: Span = Span { lo: 0, hi: 0 };

    /// Whether this is [`Span::NONE`].
    pub const fn is_none(self) -> bool {
        self.lo == 0
    }

    /// The smallest span that covers both; a missing one does not count.
    pub fn to(self, other: Span) -> Span {
        match (self.is_none(), other.is_none()) {
            (true, _) => other,
            (_, true) => self,
            _ => Span { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) },
        }
    }
}

/// How much of a text is searched to tell a line.
const BLOCK: usize = 4096;

/// One file's name and text.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: Arc<str>,
    base: u32,
    /// How many lines have ended before each [`BLOCK`] of the text.
    ended: OnceLock<Vec<usize>>,
    /// What stands in the place of a text: places of files, one for each position.
    places: Option<PlaceTable>,
}

impl SourceFile {
    /// The name diagnostics show: a path as the user gave it, or `<stdin>`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text, shared.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Whether the text is known, and not only some places.
    pub(super) fn has_text(&self) -> bool {
        // Only files that are in no map start at 0.
        self.places.is_none() && self.base != 0
    }

    /// A file of which only the name is known, and which is in no map.
    pub(super) fn without_text(name: String) -> Self {
        Self { name, text: "".into(), base: 0, ended: OnceLock::new(), places: None }
    }

    /// How many positions the file has.
    fn len(&self) -> usize {
        self.places.as_ref().map_or(self.text.len(), |places| places.len() as usize)
    }

    /// The first position of the file.
    pub(crate) fn base(&self) -> u32 {
        self.base
    }

    /// The span of the bytes `range` of the text.
    pub fn span(&self, range: std::ops::Range<usize>) -> Span {
        let at = |offset: usize| {
            // `SourceMap::add` bounded the file's length.
            self.base + u32::try_from(offset.min(self.text.len())).unwrap_or(u32::MAX - self.base)
        };
        Span { lo: at(range.start), hi: at(range.end) }
    }

    /// The line and the column in bytes, from 1, of a byte of the text.
    #[cfg(feature = "ir")]
    pub(crate) fn line_column(&self, offset: usize) -> (u32, u32) {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (line, start) = self.line_of(offset);
        (number(line), number(offset - start + 1))
    }

    /// Byte offset in the text of a position of the map.
    fn offset(&self, position: u32) -> usize {
        (position.saturating_sub(self.base) as usize).min(self.len())
    }

    /// The line, from 1, of a byte of the text or of its end, and where the line starts.
    ///
    /// PERF: counting line ends is several times faster than listing them, and most files are asked about once.
    fn line_of(&self, offset: usize) -> (usize, usize) {
        let bytes = self.text.as_bytes();
        let ends = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
        let ended = self.ended.get_or_init(|| {
            let before = bytes.chunks(BLOCK).scan(0, |all, block| {
                let before = *all;
                *all += ends(block);
                Some(before)
            });
            before.collect()
        });
        let block = (offset / BLOCK).min(ended.len().saturating_sub(1));
        let before = ended.get(block).copied().unwrap_or(0);
        let start = memchr::memrchr(b'\n', &bytes[..offset]).map_or(0, |end| end + 1);
        (before + ends(&bytes[block * BLOCK..offset]) + 1, start)
    }
}

/// A position as a person reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    /// The file.
    pub file: &'a SourceFile,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl std::fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file.name, self.line, self.column)
    }
}

impl PartialEq for SourceFile {
    fn eq(&self, other: &Self) -> bool {
        self.base == other.base && self.name == other.name
    }
}
impl Eq for SourceFile {}

/// What messages call standard input.
const STDIN: &str = "<stdin>";

/// The name that messages have for a file, and what is in it; `-` is standard input.
///
/// # Errors
/// The file is missing, a directory or unreadable.
pub(crate) fn read(path: &Path) -> Result<(String, Vec<u8>), Diagnostic> {
    let (name, bytes) = if path == Path::new("-") {
        let mut bytes = Vec::new();
        let read = std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes);
        (STDIN.to_owned(), read.map(|_| bytes))
    } else {
        (path.display().to_string(), std::fs::read(path))
    };
    let bytes = bytes.map_err(|e| {
        let reason =
            if path.is_dir() { "it is a directory, expected a file".to_owned() } else { e.to_string() };
        Diagnostic::error(format!("cannot read '{name}': {reason}"))
    })?;
    Ok((name, bytes))
}

/// All files of one run.
///
/// ```
/// use drrvm::source::SourceMap;
/// let mut map = SourceMap::default();
/// let file = map.add("a.td", "def A;\ndef B;\n").unwrap();
/// let span = map.file(file).span(11..12);
/// assert_eq!(map.locate(span).unwrap().to_string(), "a.td:2:5");
/// assert_eq!(map.snippet(span), "B");
/// ```
#[derive(Debug, Default)]
pub struct SourceMap {
    files: IdVec<FileId, SourceFile>,
}

impl SourceMap {
    /// Adds a file.
    ///
    /// # Errors
    /// When all files together pass 4 GiB, which is as far as a [`Span`] reaches.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> Result<FileId, Diagnostic> {
        self.push(name.into(), text.into(), None)
    }

    /// Adds places of files whose text is not known, which count as one file; place `n` is its position
    /// `n`. Messages name places and show no text.
    ///
    /// # Errors
    /// See [`SourceMap::add`].
    pub(crate) fn add_places(&mut self, places: PlaceTable) -> Result<FileId, Diagnostic> {
        self.push(places.name(), "".into(), Some(places))
    }

    fn push(
        &mut self,
        name: String,
        text: Arc<str>,
        places: Option<PlaceTable>,
    ) -> Result<FileId, Diagnostic> {
        // Offset 0 is `Span::NONE`; one byte between files keeps an end of file apart from the next start.
        let base = self.files.iter().last().map_or(1, |f| f.base as usize + f.len() + 1);
        let mut file = SourceFile { name, text, base: 0, ended: OnceLock::new(), places };
        match (u32::try_from(base), u32::try_from(base + file.len())) {
            (Ok(base), Ok(end)) if end < u32::MAX => {
                file.base = base;
                Ok(self.files.push(file))
            }
            _ => Err(Diagnostic::error(format!(
                "'{}' has {} bytes, which brings the sources of this run past the limit of 4 GiB",
                file.name,
                file.len()
            ))),
        }
    }

    /// Reads and adds a file; `-` is standard input.
    ///
    /// # Errors
    /// The file is missing, a directory, unreadable, or not UTF-8 (the caret shows where); or standard input
    /// has been read before.
    pub fn load(&mut self, path: &Path) -> Result<FileId, Diagnostic> {
        if path == Path::new("-") && self.files.iter().any(|file| file.name == STDIN) {
            return Err(Diagnostic::error("standard input is asked for twice")
                .help("name a file for the input, or for the rules"));
        }
        let (name, bytes) = read(path)?;
        self.add_bytes(name, bytes)
    }

    /// Adds a file whose bytes are not known to be text.
    ///
    /// # Errors
    /// The bytes are not UTF-8 (the caret shows where), or see [`SourceMap::add`].
    pub fn add_bytes(&mut self, name: impl Into<String>, bytes: Vec<u8>) -> Result<FileId, Diagnostic> {
        match String::from_utf8(bytes) {
            Ok(text) => self.add(name, text),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let name = name.into();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let file = self.add(name.clone(), text)?;
                let span = self.file(file).span(at..at + '\u{fffd}'.len_utf8());
                Err(Diagnostic::error(format!("'{name}' is not UTF-8 text"))
                    .at(span, format!("byte {at} is not part of a valid character")))
            }
        }
    }

    /// All files, in the order they were added.
    pub fn files(&self) -> std::slice::Iter<'_, SourceFile> {
        self.files.iter()
    }

    /// A file of this map.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// The file that a span lies in.
    pub fn file_of(&self, span: Span) -> Option<&SourceFile> {
        if span.is_none() {
            return None;
        }
        let files = self.files.as_slice();
        let after = files.partition_point(|f| f.base <= span.lo);
        files.get(after.checked_sub(1)?)
    }

    /// Where a span starts, as a person reads it; `None` for a span without source.
    pub fn locate(&self, span: Span) -> Option<Location<'_>> {
        let file = self.file_of(span)?;
        let offset = file.offset(span.lo);
        if let Some(places) = &file.places {
            let (file, place) = places.get(offset)?;
            return Some(Location { file, line: place.line, column: place.column });
        }
        let (line, start) = file.line_of(offset);
        // A span may end inside a character when the input lied about its encoding.
        let column = file.text.get(start..offset).map_or(0, |s| s.chars().count()) + 1;
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Some(Location { file, line: number(line), column: number(column) })
    }

    /// The text of a span; empty for a span without source.
    pub fn snippet(&self, span: Span) -> &str {
        self.file_of(span)
            .and_then(|file| file.text.get(file.offset(span.lo)..file.offset(span.hi)))
            .unwrap_or("")
    }

    /// The lines around a span: (window text, number of its first line, byte range of the span in it).
    #[cfg(feature = "ir")]
    pub(super) fn window(&self, span: Span) -> Option<(&SourceFile, &str, usize, std::ops::Range<usize>)> {
        let file = self.file_of(span).filter(|file| file.has_text())?;
        let text = &file.text;
        let boundary = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (lo, hi) = (boundary(file.offset(span.lo)), boundary(file.offset(span.hi.max(span.lo))));
        let (first, start) = file.line_of(lo);
        let end = memchr::memchr(b'\n', &text.as_bytes()[hi..]).map_or(text.len(), |end| hi + end + 1);
        Some((file, &text[start..end], first, lo - start..hi.max(lo) - start))
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, SourceMap};

    #[test]
    fn lines_are_told_wherever_blocks_end() {
        let text: String = (0..3 * BLOCK).map(|i| if i * i % 97 < 3 { '\n' } else { 'x' }).collect();
        for text in [text.as_str(), &text[..2 * BLOCK], &text[..BLOCK - 1], "", "\n", "x"] {
            let mut map = SourceMap::default();
            let file = map.add("file", text).unwrap();
            let (mut line, mut start) = (1, 0);
            for at in 0..=text.len() {
                assert_eq!(map.file(file).line_of(at), (line, start), "{at} of {}", text.len());
                if text.as_bytes().get(at) == Some(&b'\n') {
                    (line, start) = (line + 1, at + 1);
                }
            }
        }
    }
}
