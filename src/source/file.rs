//! A source file: its name, its text, and the lines and columns in it.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::places::PlaceTable;
use super::span::Span;

/// The size of the blocks of text whose line ends are counted together.
const BLOCK: usize = 4096;

/// The name and text of a file. Clones share both.
#[derive(Clone, Debug)]
pub struct SourceFile(Arc<FileData>);

#[derive(Debug)]
struct FileData {
    name: String,
    text: Arc<str>,
    base: Base,
    /// For each block of [`BLOCK`] bytes of the text, the number of line ends before the block.
    line_ends: OnceLock<Vec<usize>>,
}

/// The meaning of the file's positions.
#[derive(Debug)]
enum Base {
    /// The file is in no map, and only its name is known.
    NameOnly,
    /// Each position is a byte of the text. The first byte has this position.
    Text(u32),
    /// Each position is a place in another file, whose text is unknown. The first place has this position.
    Places(u32, PlaceTable, Vec<SourceFile>),
}

impl SourceFile {
    fn new(name: String, text: Arc<str>, base: Base) -> Self {
        Self(Arc::new(FileData { name, text, base, line_ends: OnceLock::new() }))
    }

    /// A file with this text. The first byte has position `base`.
    pub(super) fn with_text(name: String, text: Arc<str>, base: u32) -> Self {
        Self::new(name, text, Base::Text(base))
    }

    /// A table of places. The first place has position `base`.
    pub(super) fn with_places(places: PlaceTable, base: u32) -> Self {
        let names = places.files().iter().map(|name| name.to_string());
        let files: Vec<Self> = names.map(|name| Self::new(name, "".into(), Base::NameOnly)).collect();
        let name = files.first().map(|file| file.name().to_owned()).unwrap_or_default();
        Self::new(name, "".into(), Base::Places(base, places, files))
    }

    /// The name that diagnostics show: a path as the user gave it, or `<stdin>`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The whole text, which clones of the file share; empty if the text is unknown.
    pub fn text(&self) -> &Arc<str> {
        &self.0.text
    }

    /// True if the text is known.
    pub(crate) fn has_text(&self) -> bool {
        matches!(self.0.base, Base::Text(_))
    }

    /// The number of positions in the file.
    pub(super) fn len(&self) -> usize {
        match &self.0.base {
            Base::Places(_, places, _) => places.len() as usize,
            Base::NameOnly | Base::Text(_) => self.text().len(),
        }
    }

    /// The first position of the file.
    pub(crate) fn base(&self) -> u32 {
        match self.0.base {
            Base::Text(base) | Base::Places(base, ..) => base,
            Base::NameOnly => 0,
        }
    }

    /// The span of the bytes `range` of the text.
    pub fn span(&self, range: Range<usize>) -> Span {
        let position = |offset: usize| {
            let offset = u32::try_from(offset.min(self.text().len()));
            self.base() + offset.expect("SourceMap::add bounds the length of a file")
        };
        Span { lo: position(range.start), hi: position(range.end) }
    }

    /// The line and the column in bytes, both from 1, of a byte of the text.
    #[cfg(feature = "ir")]
    pub(crate) fn line_column(&self, offset: usize) -> (u32, u32) {
        let (line, start) = self.line_of(offset);
        (line_number(line), line_number(offset - start + 1))
    }

    /// The offset of a position from the first position of the file, at most `len`.
    pub(super) fn offset(&self, position: u32) -> usize {
        (position.saturating_sub(self.base()) as usize).min(self.len())
    }

    /// The file, line and column of a position; `None` if the position is a place that is missing or malformed.
    pub(super) fn locate(&self, position: u32) -> Option<Location<'_>> {
        let offset = self.offset(position);
        if let Base::Places(_, places, files) = &self.0.base {
            let place = places.get(offset)?;
            let file = files.get(usize::try_from(place.file).ok()?)?;
            return Some(Location { file, line: place.line, column: place.column });
        }
        let (line, start) = self.line_of(offset);
        // If the position is within a character, the column is 1.
        let column = self.text().get(start..offset).map_or(0, |text| text.chars().count()) + 1;
        Some(Location { file: self, line: line_number(line), column: line_number(column) })
    }

    /// The line, from 1, that contains `offset`, and the offset where the line starts. `offset` may be the end of the
    /// text.
    ///
    /// Counting line ends is several times faster than listing them.
    pub(super) fn line_of(&self, offset: usize) -> (usize, usize) {
        let bytes = self.text().as_bytes();
        let ends = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
        let line_ends = self.0.line_ends.get_or_init(|| {
            let before = bytes.chunks(BLOCK).scan(0, |all, block| {
                let before = *all;
                *all += ends(block);
                Some(before)
            });
            before.collect()
        });
        let block = (offset / BLOCK).min(line_ends.len().saturating_sub(1));
        let before = line_ends.get(block).copied().unwrap_or(0);
        let start = memchr::memrchr(b'\n', &bytes[..offset]).map_or(0, |end| end + 1);
        (before + ends(&bytes[block * BLOCK..offset]) + 1, start)
    }
}

/// Converts a line or column number, which is at most one more than the length of the file.
fn line_number(number: usize) -> u32 {
    u32::try_from(number).expect("SourceMap::add bounds the length of a file")
}

impl PartialEq for SourceFile {
    fn eq(&self, other: &Self) -> bool {
        self.base() == other.base() && self.name() == other.name()
    }
}
impl Eq for SourceFile {}

/// A file, a line and a column.
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
        write!(f, "{}:{}:{}", self.file.name(), self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::BLOCK;
    use crate::source::SourceMap;

    #[test]
    fn lines_are_counted_across_blocks() {
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
