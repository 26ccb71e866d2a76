//! The tokens of `.td` files.
//!
//! The lexer handles includes and the preprocessor, so that the parser sees one stream of tokens. Tokens are not
//! allocated, and strings are interned.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::bang::Op;
use super::config::Config;
use super::error;
use crate::intern::{Interner, StrId};
use crate::source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};

/// The maximum nesting of includes.
const INCLUDE_LIMIT: usize = 200;
/// The maximum number of "included from here" notes of an error.
const INCLUDES_SHOWN: usize = 8;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tok {
    Eof,
    /// The lexer reported an error.
    Error,
    Minus,
    Plus,
    LSquare,
    RSquare,
    LBrace,
    RBrace,
    LParen,
    RParen,
    Less,
    Greater,
    Colon,
    Semi,
    Comma,
    Dot,
    Ellipsis,
    Equal,
    Question,
    Paste,
    Bang(Op),
    Keyword(Keyword),
    Id(StrId),
    VarName(StrId),
    Str(StrId),
    Code(StrId),
    Int(i64),
    /// The value and the number of digits.
    Binary(i64, u32),
}

macro_rules! keywords {
    ($($name:ident $text:literal,)*) => {
        /// A reserved word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Keyword { $($name,)* }

        impl Keyword {
            fn find(text: &[u8]) -> Option<Keyword> {
                $(if text == $text.as_bytes() { return Some(Keyword::$name); })*
                None
            }
        }
    };
}

keywords! {
    Assert "assert",
    Bit "bit",
    Bits "bits",
    Class "class",
    Code "code",
    Dag "dag",
    Def "def",
    Defm "defm",
    Defset "defset",
    Deftype "deftype",
    Defvar "defvar",
    Dump "dump",
    Else "else",
    False "false",
    Field "field",
    Foreach "foreach",
    If "if",
    In "in",
    Include "include",
    Int "int",
    Let "let",
    List "list",
    Multiclass "multiclass",
    String "string",
    Then "then",
    True "true",
}

/// A preprocessor directive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Directive {
    Ifdef,
    Ifndef,
    Else,
    Endif,
    Define,
}

/// An open `#ifdef` or `#ifndef`.
struct Conditional {
    is_else: bool,
    live: bool,
    span: Span,
}

/// The position of the first byte of a file.
#[derive(Clone, Copy)]
struct Base(u32);

impl Base {
    /// The position of the byte at `offset`. The source map bounds the length of files, so the position fits.
    fn position(self, offset: usize) -> u32 {
        self.0.saturating_add(u32::try_from(offset).expect("the source map bounds the length of files"))
    }

    fn span(self, start: usize, end: usize) -> Span {
        Span { lo: self.position(start), hi: self.position(end) }
    }
}

/// A file that is being read.
struct Frame {
    text: Arc<str>,
    pos: usize,
    base: Base,
    conditionals: Vec<Conditional>,
}

/// The stream of tokens.
pub(super) struct Lexer<'a> {
    sources: &'a mut SourceMap,
    config: &'a Config,
    frames: Vec<Frame>,
    /// The number of files of [`Config::files_after_main`] that have been entered or found to be included.
    after_main: usize,
    /// The files of [`Config::files_after_main`] that have been entered.
    pub(super) read_after_main: Vec<&'static str>,
    /// The names of the included files, and of the files that were read after the main file.
    opened: HashSet<String>,
    macros: HashSet<String>,
    /// The texts of files by path, so that no file is read twice.
    loaded: HashMap<PathBuf, Arc<str>>,
    /// The first position of each included file, with the place of its include directive. Sorted by position.
    included: Vec<(u32, Span)>,
    buffer: String,
    /// The current token.
    pub(super) tok: Tok,
    /// The place of the current token.
    pub(super) span: Span,
    /// The end of the previous token.
    pub(super) last_end: u32,
    /// The diagnostics that the parser has not taken yet.
    pub(super) pending: Diagnostics,
}

fn is_id_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_id(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'a> Lexer<'a> {
    pub(super) fn new(sources: &'a mut SourceMap, main: FileId, config: &'a Config) -> Self {
        // Files that the caller has added to the source map are not read from disk.
        let added = sources.files().filter(|file| file.has_text());
        let loaded = added.map(|file| (PathBuf::from(file.name()), Arc::clone(file.text()))).collect();
        let mut lexer = Self {
            sources,
            config,
            frames: Vec::new(),
            after_main: 0,
            read_after_main: Vec::new(),
            opened: HashSet::new(),
            macros: config.defines.iter().cloned().collect(),
            loaded,
            included: Vec::new(),
            buffer: String::new(),
            tok: Tok::Eof,
            span: Span::NONE,
            last_end: 0,
            pending: Diagnostics::default(),
        };
        for name in &config.defines {
            let bytes = name.as_bytes();
            let fine = bytes.first().is_some_and(|&b| is_id_start(b)) && bytes.iter().all(|&b| is_id(b));
            if !fine {
                lexer.pending.push(error::macro_name(name));
            }
        }
        lexer.enter(main);
        lexer
    }

    fn enter(&mut self, file: FileId) {
        let file = self.sources.file(file);
        let base = Base(file.span(0..0).lo);
        self.frames.push(Frame { text: Arc::clone(file.text()), pos: 0, base, conditionals: Vec::new() });
    }

    /// Adds "included from" notes to a diagnostic.
    pub(super) fn explain(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        let includer = |at: &Span| {
            let base = self.sources.file_of(*at)?.span(0..0).lo;
            let found = self.included.binary_search_by_key(&base, |&(base, _)| base).ok()?;
            Some(self.included[found].1)
        };
        let mut chain = std::iter::successors(includer(&diagnostic.span()), includer).take(INCLUDE_LIMIT);
        for at in chain.by_ref().take(INCLUDES_SHOWN) {
            diagnostic = diagnostic.note_at(at, "included from here");
        }
        match chain.count() {
            0 => diagnostic,
            more => diagnostic.with_note(format!("included through {more} more files")),
        }
    }

    fn span_at(&self, start: usize, end: usize) -> Span {
        self.frames.last().map_or(Span::NONE, |frame| frame.base.span(start, end))
    }

    fn fail(&mut self, start: usize, end: usize, message: impl Into<String>) -> Tok {
        let span = self.span_at(start, end);
        self.pending.push(error::at(span, message));
        Tok::Error
    }

    /// Reads the next token.
    pub(super) fn advance(&mut self, strings: &mut Interner) -> Tok {
        if self.tok == Tok::Error {
            return Tok::Error;
        }
        self.last_end = self.span.hi;
        let line_start = self.span.is_none();
        self.tok = self.next(strings, line_start);
        self.tok
    }

    fn next(&mut self, strings: &mut Interner, mut line_start: bool) -> Tok {
        loop {
            let Some(frame) = self.frames.last_mut() else {
                return Tok::Eof;
            };
            let text = Arc::clone(&frame.text);
            let bytes = text.as_bytes();
            let base = frame.base;
            let mut pos = frame.pos;
            while let Some(&byte) = bytes.get(pos) {
                match byte {
                    b' ' | b'\t' => {}
                    b'\n' | b'\r' => line_start = true,
                    0 => {
                        let span = base.span(pos, pos + 1);
                        let message = "NUL character is invalid in source; treated as space";
                        self.pending.push(error::at(span, message));
                    }
                    _ => break,
                }
                pos += 1;
            }
            let start = pos;
            frame.pos = pos + 1;
            let Some(&byte) = bytes.get(pos) else {
                frame.pos = bytes.len();
                self.span = self.span_at(bytes.len(), bytes.len());
                if let Some(open) = frame_conditional(&self.frames) {
                    self.pending.push(error::at(self.span, "reached EOF without matching #endif"));
                    self.pending.push(error::at(open, "the latest preprocessor control is here"));
                    return Tok::Error;
                }
                if self.frames.len() == 1 {
                    let Some(name) = self.config.files_after_main.get(self.after_main) else {
                        return Tok::Eof;
                    };
                    self.after_main += 1;
                    match self.open(name, self.span) {
                        Ok(file) if !self.opened.insert(self.sources.file(file).name().to_owned()) => {}
                        Ok(file) => {
                            self.read_after_main.push(*name);
                            self.frames.pop();
                            self.enter(file);
                            line_start = true;
                        }
                        Err(problem) => {
                            self.pending.push(problem);
                            return Tok::Error;
                        }
                    }
                    continue;
                }
                self.frames.pop();
                // Tokens after an include directive on the same line are not at the start of a line.
                line_start = false;
                continue;
            };
            let next = bytes.get(pos + 1).copied().unwrap_or(0);
            let (tok, end) = match byte {
                b'/' if next == b'/' => {
                    let frame = self.frames.last_mut().expect("a frame was just read");
                    frame.pos = memchr::memchr2(b'\n', b'\r', &bytes[pos..]).map_or(bytes.len(), |n| pos + n);
                    continue;
                }
                b'/' if next == b'*' => match skip_comment(bytes, pos) {
                    Some(end) => {
                        self.frames.last_mut().expect("a frame was just read").pos = end;
                        continue;
                    }
                    None => return self.fail(pos, pos + 2, "unterminated comment"),
                },
                b'#' => {
                    if let Some((directive, end)) = directive_at(bytes, pos).filter(|_| line_start) {
                        self.frames.last_mut().expect("a frame was just read").pos = end;
                        if self.directive(directive, pos, bytes, true).is_none() {
                            return Tok::Error;
                        }
                        line_start = false;
                        continue;
                    }
                    (Tok::Paste, pos + 1)
                }
                b'.' if next == b'.' => {
                    if bytes.get(pos + 2) != Some(&b'.') {
                        return self.fail(pos, pos + 2, "invalid '..' punctuation");
                    }
                    (Tok::Ellipsis, pos + 3)
                }
                b'.' => (Tok::Dot, pos + 1),
                b':' => (Tok::Colon, pos + 1),
                b';' => (Tok::Semi, pos + 1),
                b',' => (Tok::Comma, pos + 1),
                b'<' => (Tok::Less, pos + 1),
                b'>' => (Tok::Greater, pos + 1),
                b']' => (Tok::RSquare, pos + 1),
                b'{' => (Tok::LBrace, pos + 1),
                b'}' => (Tok::RBrace, pos + 1),
                b'(' => (Tok::LParen, pos + 1),
                b')' => (Tok::RParen, pos + 1),
                b'=' => (Tok::Equal, pos + 1),
                b'?' => (Tok::Question, pos + 1),
                b'[' if next == b'{' => match code_end(bytes, pos + 2) {
                    Some(end) => (Tok::Code(strings.intern(&text[pos + 2..end - 2])), end),
                    None => return self.fail(pos, pos + 2, "unterminated code block"),
                },
                b'[' => (Tok::LSquare, pos + 1),
                b'"' => match self.string(&text, pos, strings) {
                    Some(found) => found,
                    None => return Tok::Error,
                },
                b'$' if is_id_start(next) => {
                    let end = identifier_end(bytes, pos + 1);
                    (Tok::VarName(strings.intern(&text[pos + 1..end])), end)
                }
                b'$' => return self.fail(pos, pos + 1, "invalid variable name"),
                b'!' => {
                    let end =
                        pos + 1 + bytes[pos + 1..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
                    match Op::find(&text[pos + 1..end]) {
                        Some(op) => (Tok::Bang(op), end),
                        None if end == pos + 1 => return self.fail(pos, end, "invalid \"!operator\""),
                        None => return self.fail(pos, end, "unknown operator"),
                    }
                }
                b'-' | b'+' | b'0'..=b'9' if !digits_start_identifier(bytes, pos) => {
                    match self.number(&text, pos) {
                        Some(found) => found,
                        None => return Tok::Error,
                    }
                }
                byte if is_id(byte) => {
                    let end = identifier_end(bytes, pos);
                    match Keyword::find(&bytes[pos..end]) {
                        Some(Keyword::Include) => {
                            self.frames.last_mut().expect("a frame was just read").pos = end;
                            if !self.include(strings) {
                                return Tok::Error;
                            }
                            line_start = true;
                            continue;
                        }
                        Some(keyword) => (Tok::Keyword(keyword), end),
                        None => (Tok::Id(strings.intern(&text[pos..end])), end),
                    }
                }
                _ => {
                    let len = text[pos..].chars().next().map_or(1, char::len_utf8);
                    return self.fail(pos, pos + len, "unexpected character");
                }
            };
            self.frames.last_mut().expect("a frame was just read").pos = end;
            self.span = base.span(start, end);
            return tok;
        }
    }

    fn string(&mut self, text: &str, start: usize, strings: &mut Interner) -> Option<(Tok, usize)> {
        let bytes = text.as_bytes();
        self.buffer.clear();
        let mut from = start + 1;
        loop {
            let Some(len) = bytes[from..].iter().position(|b| matches!(b, b'"' | b'\\' | b'\n' | b'\r'))
            else {
                self.fail(start, start + 1, "end of file in string literal");
                return None;
            };
            let at = from + len;
            match bytes[at] {
                b'"' if self.buffer.is_empty() => {
                    return Some((Tok::Str(strings.intern(&text[from..at])), at + 1));
                }
                b'"' => {
                    self.buffer.push_str(&text[from..at]);
                    return Some((Tok::Str(strings.intern(&self.buffer)), at + 1));
                }
                b'\\' => {
                    self.buffer.push_str(&text[from..at]);
                    let escaped = match bytes.get(at + 1) {
                        Some(&c @ (b'\\' | b'\'' | b'"')) => c,
                        Some(b't') => b'\t',
                        Some(b'n') => b'\n',
                        Some(b'\n' | b'\r') => {
                            self.fail(at + 1, at + 1, "escaped newlines not supported in tblgen");
                            return None;
                        }
                        Some(_) => {
                            let len = text[at + 1..].chars().next().map_or(1, char::len_utf8);
                            self.fail(at + 1, at + 1 + len, "invalid escape in string literal");
                            return None;
                        }
                        None => {
                            self.fail(start, start + 1, "end of file in string literal");
                            return None;
                        }
                    };
                    self.buffer.push(char::from(escaped));
                    from = at + 2;
                }
                _ => {
                    self.fail(start, at, "end of line in string literal");
                    return None;
                }
            }
        }
    }

    fn number(&mut self, text: &str, start: usize) -> Option<(Tok, usize)> {
        let bytes = text.as_bytes();
        let digits =
            |from: usize, is: fn(&u8) -> bool| from + bytes[from..].iter().take_while(|b| is(b)).count();
        let (radix, digits_at, end) = match (bytes[start], bytes.get(start + 1)) {
            (b'0', Some(b'x')) => (16, start + 2, digits(start + 2, u8::is_ascii_hexdigit)),
            (b'0', Some(b'b')) => (2, start + 2, digits(start + 2, |b| matches!(b, b'0' | b'1'))),
            (b'-' | b'+', _) => (10, start + 1, digits(start + 1, u8::is_ascii_digit)),
            _ => (10, start, digits(start, u8::is_ascii_digit)),
        };
        if digits_at == end {
            return match bytes[start] {
                b'-' => Some((Tok::Minus, end)),
                b'+' => Some((Tok::Plus, end)),
                _ => {
                    self.fail(start, end, "invalid number");
                    None
                }
            };
        }
        // Leading zeros are ignored, so only the value decides if a number is in range.
        let value = u64::from_str_radix(&text[digits_at..end], radix).ok().and_then(|value| {
            if bytes[start] == b'-' { 0i64.checked_sub_unsigned(value) } else { Some(value.cast_signed()) }
        });
        let Some(value) = value else {
            self.fail(start, end, "number out of range");
            return None;
        };
        if radix != 2 {
            return Some((Tok::Int(value), end));
        }
        let Ok(width) = u32::try_from(end - digits_at) else {
            self.fail(start, end, "number out of range");
            return None;
        };
        Some((Tok::Binary(value, width), end))
    }

    /// Reads the file name after `include` and enters the file.
    fn include(&mut self, strings: &mut Interner) -> bool {
        let tok = self.next(strings, false);
        let Tok::Str(name) = tok else {
            if tok != Tok::Error {
                self.pending.push(error::at(self.span, "expected filename after include"));
            }
            return false;
        };
        let span = self.span;
        if self.frames.len() >= INCLUDE_LIMIT {
            self.pending.push(error::include_depth(span, INCLUDE_LIMIT));
            return false;
        }
        let name = &strings[name];
        match self.open(name, span) {
            Ok(file) => {
                self.opened.insert(self.sources.file(file).name().to_owned());
                self.included.push((self.sources.file(file).span(0..0).lo, span));
                self.enter(file);
                true
            }
            Err(problem) => {
                self.pending.push(problem);
                false
            }
        }
    }

    /// Opens a file by its include path. Errors are reported at `span`.
    fn open(&mut self, name: &str, span: Span) -> Result<FileId, Diagnostic> {
        let own = std::iter::once(PathBuf::from(name));
        let mut folder = None;
        let in_dirs = self.config.include_dirs.iter().map(|dir| dir.join(name));
        for path in own.chain(in_dirs) {
            if let Some(text) = self.loaded.get(&path) {
                return self.sources.add(path.display().to_string(), Arc::clone(text));
            }
            if path.is_dir() {
                folder.get_or_insert(path);
                continue;
            }
            if !path.is_file() {
                continue;
            }
            let file =
                self.sources.load(&path).map_err(|problem| problem.note_at(span, "included from here"))?;
            self.loaded.insert(path, Arc::clone(self.sources.file(file).text()));
            return Ok(file);
        }
        if let Some((_, text)) = self.config.embedded.iter().find(|(path, _)| *path == name) {
            let shared =
                self.loaded.entry(Path::new("<embedded>").join(name)).or_insert_with(|| (*text).into());
            return self.sources.add(format!("<{name}>"), Arc::clone(shared));
        }
        if let Some(folder) = folder {
            return Err(error::include_folder(span, name, &folder));
        }
        let looked: Vec<_> =
            self.config.include_dirs.iter().map(|dir| format!("'{}'", dir.display())).collect();
        Err(error::include_not_found(span, name, &looked))
    }

    /// Executes a directive whose word has been read. Returns `None` after an error. `live` is true if the text
    /// before the directive was not skipped.
    fn directive(&mut self, directive: Directive, start: usize, bytes: &[u8], live: bool) -> Option<()> {
        let span = self.span_at(start, start + 1);
        let word = match directive {
            Directive::Ifdef => "#ifdef NAME",
            Directive::Ifndef => "#ifndef NAME",
            Directive::Else => "#else",
            Directive::Endif => "#endif",
            Directive::Define => "#define NAME",
        };
        let mut skip = false;
        match directive {
            Directive::Ifdef | Directive::Ifndef | Directive::Define => {
                let Some(name) = self.macro_name(bytes) else {
                    let word = word.trim_end_matches(" NAME");
                    self.fail(start, start + 1, format!("expected macro name after {word}"));
                    return None;
                };
                if directive == Directive::Define {
                    if !self.macros.insert(name.clone()) {
                        let twice = Diagnostic::warning(format!("duplicate definition of macro: {name}"));
                        self.pending.push(twice.at(span, ""));
                    }
                } else {
                    let holds = self.macros.contains(&name) == (directive == Directive::Ifdef);
                    skip = !holds;
                    self.conditionals().push(Conditional { is_else: false, live: holds, span });
                }
            }
            Directive::Else => match self.conditionals().pop() {
                None => {
                    self.fail(start, start + 1, "#else without #ifdef or #ifndef");
                    return None;
                }
                Some(open) if open.is_else => {
                    self.pending.push(error::at(span, "double #else"));
                    self.pending.push(error::at(open.span, "previous #else is here"));
                    return None;
                }
                Some(open) => {
                    self.conditionals().push(Conditional { is_else: true, live: !open.live, span });
                    skip = true;
                }
            },
            Directive::Endif => {
                if self.conditionals().pop().is_none() {
                    self.fail(start, start + 1, "#endif without #ifdef");
                    return None;
                }
            }
        }
        if !self.directive_end(bytes) {
            let at = self.frames.last().map_or(start, |frame| frame.pos);
            self.fail(at, at + 1, format!("only comments are supported after {word}"));
            return None;
        }
        if live && skip { self.skip_dead(bytes) } else { Some(()) }
    }

    fn conditionals(&mut self) -> &mut Vec<Conditional> {
        &mut self.frames.last_mut().expect("a directive was just read from a frame").conditionals
    }

    fn macro_name(&mut self, bytes: &[u8]) -> Option<String> {
        let frame = self.frames.last_mut()?;
        let mut pos = frame.pos;
        while matches!(bytes.get(pos), Some(b' ' | b'\t')) {
            pos += 1;
        }
        let end = identifier_end(bytes, pos);
        frame.pos = end;
        (bytes.get(pos).is_some_and(|&b| is_id_start(b))).then(|| frame.text[pos..end].to_owned())
    }

    /// Skips comments and blanks to the end of the line. Returns false if something else follows.
    fn directive_end(&mut self, bytes: &[u8]) -> bool {
        let Some(frame) = self.frames.last_mut() else { return true };
        loop {
            match (bytes.get(frame.pos), bytes.get(frame.pos + 1)) {
                (None | Some(b'\n' | b'\r'), _) => return true,
                (Some(b' ' | b'\t'), _) => frame.pos += 1,
                (Some(b'/'), Some(b'/')) => {
                    let rest = &bytes[frame.pos..];
                    frame.pos += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                }
                (Some(b'/'), Some(b'*')) => match skip_comment(bytes, frame.pos) {
                    Some(end) => frame.pos = end,
                    None => return false,
                },
                _ => return false,
            }
        }
    }

    /// Skips text that a false condition excludes, up to the directive that ends the excluded text.
    fn skip_dead(&mut self, bytes: &[u8]) -> Option<()> {
        loop {
            let frame = self.frames.last_mut()?;
            let Some(line) = memchr::memchr(b'\n', &bytes[frame.pos..]) else {
                // Reading the end of the file reports the open conditions.
                frame.pos = bytes.len();
                return Some(());
            };
            let mut pos = frame.pos + line + 1;
            // Blanks and comments may come before a directive.
            loop {
                match (bytes.get(pos), bytes.get(pos + 1)) {
                    (Some(b' ' | b'\t' | b'\n' | b'\r'), _) => pos += 1,
                    (Some(b'/'), Some(b'/')) => {
                        pos += memchr::memchr(b'\n', &bytes[pos..]).unwrap_or(bytes.len() - pos);
                    }
                    (Some(b'/'), Some(b'*')) => match skip_comment(bytes, pos) {
                        Some(end) => pos = end,
                        None => {
                            self.fail(pos, pos + 2, "unterminated comment");
                            return None;
                        }
                    },
                    _ => break,
                }
            }
            frame.pos = pos;
            let Some((directive, end)) = directive_at(bytes, pos).filter(|(d, _)| *d != Directive::Define)
            else {
                continue;
            };
            frame.pos = end;
            self.directive(directive, pos, bytes, false)?;
            if self.conditionals().iter().all(|open| open.live) {
                return Some(());
            }
        }
    }
}

fn frame_conditional(frames: &[Frame]) -> Option<Span> {
    frames.last()?.conditionals.last().map(|open| open.span)
}

/// Returns the end of the comment that starts at `pos`. Comments nest.
pub(super) fn skip_comment(bytes: &[u8], pos: usize) -> Option<usize> {
    let mut depth = 1usize;
    let mut at = pos + 2;
    loop {
        at += memchr::memchr2(b'/', b'*', bytes.get(at..)?)?;
        match (bytes[at], bytes.get(at + 1)) {
            (b'*', Some(b'/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            (b'/', Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
}

/// Returns the end of the code block whose text starts at `from`. As in `llvm-tblgen`, if a `}` does not end the block,
/// the byte after the `}` is skipped, so `}}]` does not end the block.
fn code_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr(b'}', bytes.get(at..)?)?;
        if bytes.get(at + 1)? == &b']' {
            return Some(at + 2);
        }
        at += 2;
    }
}

fn identifier_end(bytes: &[u8], start: usize) -> usize {
    start + bytes.get(start..).map_or(0, |rest| rest.iter().take_while(|&&b| is_id(b)).count())
}

/// True if the digits at `pos` begin an identifier such as `8i`, which is useful in pasted names.
fn digits_start_identifier(bytes: &[u8], pos: usize) -> bool {
    if !bytes[pos].is_ascii_digit() {
        return false;
    }
    let end = pos + bytes[pos..].iter().take_while(|b| b.is_ascii_digit()).count();
    let Some(&next) = bytes.get(end) else { return false };
    let after = bytes.get(end + 1).copied().unwrap_or(0);
    match next {
        b'b' if matches!(after, b'0' | b'1') => false,
        b'x' if after.is_ascii_hexdigit() => false,
        _ => is_id_start(next),
    }
}

/// Returns the directive at `pos` and the end of its word.
fn directive_at(bytes: &[u8], pos: usize) -> Option<(Directive, usize)> {
    let rest = bytes.get(pos..)?.strip_prefix(b"#")?;
    let words: [(&[u8], Directive); 5] = [
        (b"ifdef", Directive::Ifdef),
        (b"ifndef", Directive::Ifndef),
        (b"else", Directive::Else),
        (b"endif", Directive::Endif),
        (b"define", Directive::Define),
    ];
    words.into_iter().find_map(|(word, directive)| {
        let after = rest.strip_prefix(word)?;
        let ends = matches!(after, [] | [b' ' | b'\t' | b'\n' | b'\r', ..] | [b'/', b'/' | b'*', ..]);
        ends.then_some((directive, pos + 1 + word.len()))
    })
}
