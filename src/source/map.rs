//! The source files of a run.
//!
//! All files of a map share one address space of positions, so a [`Span`] takes eight bytes and needs no file id.

use std::path::Path;
use std::sync::Arc;

use super::diagnostic::Diagnostic;
use super::file::{Location, SourceFile};
use super::places::PlaceTable;
use super::span::Span;
use crate::id::{IdVec, define_ids};

define_ids! {
    /// A file of a [`SourceMap`].
    pub struct FileId;
}

/// The name of standard input in messages.
const STDIN: &str = "<stdin>";

/// Returns the name of a file for messages; `-` is standard input.
pub(crate) fn name_of(path: &Path) -> String {
    if path == Path::new("-") { STDIN.to_owned() } else { path.display().to_string() }
}

/// Returns the name of a file for messages, and its bytes; `-` is standard input.
///
/// # Errors
/// The file is missing, a directory or unreadable.
pub(crate) fn read(path: &Path) -> Result<(String, Vec<u8>), Diagnostic> {
    let name = name_of(path);
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        let read = std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes);
        read.map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    let bytes = bytes.map_err(|e| {
        let reason =
            if path.is_dir() { "it is a directory, expected a file".to_owned() } else { e.to_string() };
        Diagnostic::error(format!("cannot read '{name}': {reason}"))
    })?;
    Ok((name, bytes))
}

/// Replaces a file atomically: a reader sees either the old file or the whole new one.
///
/// # Errors
/// The file cannot be written.
#[cfg(feature = "frontend")]
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".{}.part", std::process::id()));
    let written = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        // An error of the removal is ignored.
        let _ = std::fs::remove_file(&part);
    }
    written
}

/// The source files of a run.
///
/// ```
/// use drrvm::source::SourceMap;
/// let mut map = SourceMap::default();
/// let file = map.add("a.td", "def A;\ndef B;\n").unwrap();
/// let span = map.file(file).span(11..12);
/// assert_eq!(map.locate(span).unwrap().to_string(), "a.td:2:5");
/// assert_eq!(map.snippet(span), "B");
/// ```
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: IdVec<FileId, SourceFile>,
}

impl SourceMap {
    /// Adds a file.
    ///
    /// # Errors
    /// All files together exceed 4 GiB, the range of a [`Span`].
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> Result<FileId, Diagnostic> {
        let (name, text) = (name.into(), text.into());
        let base = self.room(&name, text.len())?;
        Ok(self.files.push(SourceFile::with_text(name, text, base)))
    }

    /// Adds a table of places as one file: place `n` is position `n` of the file. Messages name the places and show no
    /// text.
    ///
    /// # Errors
    /// The errors of [`SourceMap::add`].
    pub(crate) fn add_places(&mut self, places: PlaceTable) -> Result<FileId, Diagnostic> {
        let name = places.files().first().map_or("", |name| name);
        let base = self.room(name, places.len() as usize)?;
        Ok(self.files.push(SourceFile::with_places(places, base)))
    }

    /// Returns the first position of a new file with `len` positions.
    fn room(&self, name: &str, len: usize) -> Result<u32, Diagnostic> {
        // Position 0 is `Span::NONE`. One unused position between files separates the end of a file from the next file.
        let base = self.files.iter().last().map_or(1, |file| file.base() as usize + file.len() + 1);
        match (u32::try_from(base), u32::try_from(base + len)) {
            (Ok(base), Ok(end)) if end < u32::MAX => Ok(base),
            _ => Err(Diagnostic::error(format!(
                "'{name}' has {len} bytes, which brings the sources of this run past the limit of 4 GiB"
            ))),
        }
    }

    /// Reads and adds a file; `-` is standard input.
    ///
    /// # Errors
    /// The file is missing, a directory, unreadable, or not UTF-8 (the diagnostic shows the first invalid byte);
    /// standard input is already loaded; or one of the errors of [`SourceMap::add`].
    pub fn load(&mut self, path: &Path) -> Result<FileId, Diagnostic> {
        let (name, bytes) = self.read(path)?;
        self.add_bytes(name, bytes)
    }

    /// Returns the name of a file for messages, and its bytes, without adding the file; `-` is standard input.
    ///
    /// # Errors
    /// The file is missing, a directory or unreadable; or standard input is already loaded.
    pub(crate) fn read(&self, path: &Path) -> Result<(String, Vec<u8>), Diagnostic> {
        if path == Path::new("-") && self.files.iter().any(|file| file.name() == STDIN) {
            return Err(Diagnostic::error("standard input can be read only once")
                .help("name a file for the input, or for the rules"));
        }
        read(path)
    }

    /// Adds a file from bytes that may not be text.
    ///
    /// # Errors
    /// The bytes are not UTF-8 (the diagnostic shows the first invalid byte), or one of the errors of
    /// [`SourceMap::add`].
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

    /// Adds those of `others` that this map does not contain yet. `others` and the files of this map must belong to one
    /// source map, because files are identified and ordered by their first positions, which are unique in a source map.
    pub(super) fn include<'a>(&mut self, others: impl IntoIterator<Item = &'a SourceFile>) {
        let mut files = self.files.as_slice().to_vec();
        for other in others {
            if let Err(at) = files.binary_search_by_key(&other.base(), SourceFile::base) {
                files.insert(at, other.clone());
            }
        }
        self.files = files.into();
    }

    /// The files, in the order in which they were added.
    pub fn files(&self) -> std::slice::Iter<'_, SourceFile> {
        self.files.iter()
    }

    /// A file of this map.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// The file that contains a span.
    pub fn file_of(&self, span: Span) -> Option<&SourceFile> {
        if span.is_none() {
            return None;
        }
        let files = self.files.as_slice();
        let after = files.partition_point(|file| file.base() <= span.lo);
        files.get(after.checked_sub(1)?)
    }

    /// The file, line and column where a span starts, if they are known.
    pub fn locate(&self, span: Span) -> Option<Location<'_>> {
        self.file_of(span)?.locate(span.lo)
    }

    /// The text of a span; empty if it is unknown.
    pub fn snippet(&self, span: Span) -> &str {
        self.file_of(span)
            .and_then(|file| file.text().get(file.offset(span.lo)..file.offset(span.hi)))
            .unwrap_or("")
    }

    /// The lines that contain a span: their file and text, the number of the first line, and the byte range of the span
    /// in this text.
    #[cfg(feature = "ir")]
    pub(super) fn window(&self, span: Span) -> Option<(&SourceFile, &str, usize, std::ops::Range<usize>)> {
        let file = self.file_of(span).filter(|file| file.has_text())?;
        let text = file.text();
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
