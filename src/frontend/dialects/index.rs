//! The index of a folder: for each dialect, the files that define parts of it.
//!
//! The scan reads the heads of definitions and classes only. The dialect of a definition is the first argument of the
//! class that it is derived from, `Op<My_Dialect, …>`, or that of its base class.

use std::path::{Path, PathBuf};

use hashbrown::{HashMap, HashSet};

use crate::frontend::prelude;

/// The classes whose first argument is a dialect.
const ROOTS: &[&str] = &["Op", "AttrDef", "TypeDef", "EnumAttr"];

/// The limit of the nesting of folders.
const DEPTH_LIMIT: usize = 32;

/// The head of a class or definition.
#[derive(Debug)]
struct Head {
    is_class: bool,
    name: String,
    /// The base classes with their first arguments.
    parents: Vec<(String, String)>,
    /// The text of `let name = "…"` in the body of a dialect.
    dialect_name: Option<String>,
}

/// The files of a folder, with the dialects that they define.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The files of each dialect, by its name.
    files: HashMap<String, Vec<String>>,
    /// The records of the dialects, by name.
    records: HashMap<String, String>,
    /// The files that extend a dialect which other files define, by the record of the dialect.
    extensions: HashMap<String, Vec<String>>,
    include_dirs: Vec<PathBuf>,
}

/// The dialect of the definitions that derive from a class.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Owner {
    /// The record of a dialect.
    Dialect(String),
    /// The first argument of the class.
    Argument,
}

impl Index {
    /// Indexes a file with its folder, or all files of a folder.
    pub(super) fn of_path(path: &Path) -> Self {
        let mut found = Vec::new();
        let folder = if path.is_dir() {
            collect(path, 0, &mut found);
            path.to_owned()
        } else {
            found.push(path.to_owned());
            path.parent().map_or_else(PathBuf::new, Path::to_owned)
        };
        found.sort();
        let mut texts: Vec<(String, String)> = Vec::new();
        for file in &found {
            if let Ok(text) = std::fs::read_to_string(file) {
                let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
                texts.push((file.display().to_string(), text));
            }
        }
        let mut index = Self::of_texts(texts.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        index.include_dirs = include_dirs(&folder, &texts);
        index
    }

    /// Indexes the embedded files.
    pub(super) fn of_prelude() -> Self {
        Self::of_texts(prelude::FILES.iter().copied())
    }

    fn of_texts<'t>(texts: impl Iterator<Item = (&'t str, &'t str)>) -> Self {
        let mut heads: Vec<(usize, Head)> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for (name, text) in texts {
            names.push(name);
            heads.extend(scan(text).into_iter().map(|head| (names.len() - 1, head)));
        }
        let mut dialects: HashMap<&str, &str> = HashMap::new();
        let mut classes: HashMap<&str, &Head> = HashMap::new();
        for (_, head) in &heads {
            if let Some(dialect) = &head.dialect_name {
                dialects.insert(&head.name, dialect);
            }
            if head.is_class {
                classes.insert(&head.name, head);
            }
        }
        let mut owners = HashMap::new();
        let mut files: HashMap<String, Vec<String>> = HashMap::new();
        let mut extensions: HashMap<String, Vec<String>> = HashMap::new();
        let add = |files: &mut HashMap<String, Vec<String>>, dialect: &str, file: &str| {
            let list = files.entry(dialect.to_owned()).or_default();
            if list.last().is_none_or(|last| last != file) {
                list.push(file.to_owned());
            }
        };
        for (file, head) in &heads {
            if head.is_class {
                continue;
            }
            if let Some(dialect) = &head.dialect_name {
                add(&mut files, dialect, names[*file]);
            }
            for (parent, argument) in &head.parents {
                let dialect = match owner(parent, &classes, &mut owners, 0) {
                    Some(Owner::Dialect(record)) => record,
                    Some(Owner::Argument) => argument.clone(),
                    None => continue,
                };
                match dialects.get(dialect.as_str()) {
                    Some(dialect) => add(&mut files, dialect, names[*file]),
                    None => add(&mut extensions, &dialect, names[*file]),
                }
            }
        }
        let records = dialects.iter().map(|(record, name)| ((*name).to_owned(), (*record).to_owned()));
        let records = records.collect();
        Self { files, records, extensions, include_dirs: Vec::new() }
    }

    /// The files that define parts of a dialect.
    pub(super) fn files(&self, dialect: &str) -> Vec<String> {
        self.files.get(dialect).cloned().unwrap_or_default()
    }

    /// The record of a dialect that these files define.
    pub(super) fn record(&self, dialect: &str) -> Option<&str> {
        self.records.get(dialect).map(String::as_str)
    }

    /// The files that extend a dialect with this record, which other files define.
    pub(super) fn extensions(&self, record: &str) -> &[String] {
        self.extensions.get(record).map_or(&[], Vec::as_slice)
    }

    pub(super) fn include_dirs(&self) -> &[PathBuf] {
        &self.include_dirs
    }
}

/// Finds the dialect of the definitions that derive from a class.
fn owner(
    class: &str,
    classes: &HashMap<&str, &Head>,
    known: &mut HashMap<String, Option<Owner>>,
    depth: usize,
) -> Option<Owner> {
    if ROOTS.contains(&class) {
        return Some(Owner::Argument);
    }
    if let Some(known) = known.get(class) {
        return known.clone();
    }
    // A class that is its own base class has no dialect.
    known.insert(class.to_owned(), None);
    if depth > DEPTH_LIMIT {
        return None;
    }
    let head = classes.get(class)?;
    let mut found = None;
    for (parent, argument) in &head.parents {
        found = match owner(parent, classes, known, depth + 1) {
            Some(Owner::Dialect(dialect)) => Some(Owner::Dialect(dialect)),
            // The argument is a dialect or a parameter of this class. The check below distinguishes them.
            Some(Owner::Argument) => Some(Owner::Dialect(argument.clone())),
            None => continue,
        };
        break;
    }
    if let Some(Owner::Dialect(dialect)) = &found
        && head_parameters(head).contains(&dialect.as_str())
    {
        found = Some(Owner::Argument);
    }
    known.insert(class.to_owned(), found.clone());
    found
}

/// The names after the first `:` of a head that are its own parameters. They are stored before its parents.
fn head_parameters(head: &Head) -> Vec<&str> {
    head.parents.iter().filter(|(name, _)| name.is_empty()).map(|(_, parameter)| parameter.as_str()).collect()
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    if depth > DEPTH_LIMIT {
        return;
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) || (path.is_dir() && !path.is_symlink()) {
            collect(&path, depth + 1, found);
        } else if path.extension().is_some_and(|extension| extension == "td") {
            found.push(path);
        }
    }
}

/// The folders in which the includes of the files are found: the folder, and folders around it.
fn include_dirs(folder: &Path, texts: &[(String, String)]) -> Vec<PathBuf> {
    let mut dirs = vec![folder.to_owned()];
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut seen = HashSet::new();
    for (_, text) in texts {
        for line in text.lines() {
            let Some(rest) = line.trim_start().strip_prefix("include") else { continue };
            let Some(path) = rest.split('"').nth(1) else { continue };
            if !seen.insert(path.to_owned()) || dirs.iter().any(|dir| dir.join(path).exists()) {
                continue;
            }
            if let Some(around) = absolute.ancestors().skip(1).find(|dir| dir.join(path).is_file()) {
                dirs.push(around.to_owned());
            }
        }
    }
    dirs
}

/// Reads the heads of a file.
fn scan(text: &str) -> Vec<Head> {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0 };
    let mut heads: Vec<Head> = Vec::new();
    let mut after_let = false;
    let mut names_dialect = false;
    while let Some(token) = scanner.next() {
        match token {
            Piece::Word("class" | "multiclass") => {
                names_dialect = false;
                heads.extend(scanner.head(true));
            }
            Piece::Word("def" | "defm") => {
                let head = scanner.head(false);
                let is_dialect = |head: &Head| head.parents.iter().any(|(name, _)| name == "Dialect");
                names_dialect = head.as_ref().is_some_and(is_dialect);
                heads.extend(head);
            }
            Piece::Word("let") => after_let = true,
            Piece::Word("name") if after_let && names_dialect => {
                after_let = false;
                if let (Some(Piece::Other(b'=')), Some(Piece::Text(name))) = (scanner.next(), scanner.next())
                    && let Some(head) = heads.last_mut()
                {
                    head.dialect_name = Some(name.to_owned());
                    names_dialect = false;
                }
            }
            _ => after_let = false,
        }
    }
    heads
}

/// A piece of a text.
#[derive(Clone, Copy, Debug)]
enum Piece<'t> {
    Word(&'t str),
    Text(&'t str),
    Other(u8),
}

struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Scanner<'t> {
    fn until(&mut self, end: &[u8]) {
        let found = memchr::memmem::find(&self.text[self.at..], end);
        self.at = found.map_or(self.text.len(), |length| self.at + length + end.len());
    }

    fn next(&mut self) -> Option<Piece<'t>> {
        loop {
            let rest = &self.text[self.at..];
            match *rest {
                [] => return None,
                [b'/', b'/', ..] => self.until(b"\n"),
                [b'/', b'*', ..] => {
                    self.at += 2;
                    self.until(b"*/");
                }
                [b'[', b'{', ..] => {
                    self.at += 2;
                    let start = self.at;
                    self.until(b"}]");
                    let end = self.at.saturating_sub(2).max(start);
                    return Some(Piece::Text(std::str::from_utf8(&self.text[start..end]).unwrap_or("")));
                }
                [b'"', ..] => {
                    let start = self.at + 1;
                    let mut end = start;
                    while end < self.text.len() && self.text[end] != b'"' {
                        end += if self.text[end] == b'\\' { 2 } else { 1 };
                    }
                    let end = end.min(self.text.len());
                    self.at = (end + 1).min(self.text.len());
                    return Some(Piece::Text(std::str::from_utf8(&self.text[start..end]).unwrap_or("")));
                }
                [b, ..] if b.is_ascii_alphanumeric() || b == b'_' => {
                    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
                    let length = rest.iter().take_while(|b| is_word(b)).count();
                    self.at += length;
                    return Some(Piece::Word(std::str::from_utf8(&rest[..length]).unwrap_or("")));
                }
                [b, ..] => {
                    self.at += 1;
                    if !b.is_ascii_whitespace() {
                        return Some(Piece::Other(b));
                    }
                }
            }
        }
    }

    /// Reads the name, the parameters and the base classes after `class` or `def`.
    fn head(&mut self, is_class: bool) -> Option<Head> {
        let mut name = String::new();
        let mut parents = Vec::new();
        let mut piece = self.next()?;
        // The name may be an expression.
        while !matches!(piece, Piece::Other(b':' | b'{' | b';' | b'<')) {
            if let Piece::Word(word) | Piece::Text(word) = piece {
                name.push_str(word);
            }
            piece = self.next()?;
        }
        if matches!(piece, Piece::Other(b'<')) {
            let mut depth = 1;
            let mut last = "";
            while depth > 0 {
                match self.next()? {
                    Piece::Other(b'<') => depth += 1,
                    Piece::Other(b'>') => depth -= 1,
                    Piece::Other(b',' | b'=') if depth == 1 && !last.is_empty() => {
                        parents.push((String::new(), last.to_owned()));
                        last = "";
                        continue;
                    }
                    Piece::Word(word) => last = word,
                    _ => {}
                }
                if depth == 0 && !last.is_empty() {
                    parents.push((String::new(), last.to_owned()));
                }
            }
            piece = self.next()?;
        }
        if matches!(piece, Piece::Other(b':')) {
            while let Piece::Word(parent) = self.next()? {
                let mut argument = String::new();
                let mut next = self.next()?;
                if matches!(next, Piece::Other(b'<')) {
                    let mut depth = 1;
                    let mut first = true;
                    while depth > 0 {
                        match self.next()? {
                            Piece::Other(b'<') => depth += 1,
                            Piece::Other(b'>') => depth -= 1,
                            Piece::Word(word) if first => argument = word.to_owned(),
                            _ => {}
                        }
                        first = false;
                    }
                    next = self.next()?;
                }
                parents.push((parent.to_owned(), argument));
                if !matches!(next, Piece::Other(b',')) {
                    break;
                }
            }
        }
        Some(Head { is_class, name, parents, dialect_name: None })
    }
}

#[cfg(test)]
mod tests {
    use super::Index;

    #[test]
    fn finds_the_files_of_a_dialect_through_classes() {
        let index = Index::of_texts(
            [
                ("base.td", "def My_Dialect : Dialect { let cppNamespace = \"x\"; let name = \"my\"; }"),
                ("class.td", "class Base<Dialect d, string n> : Op<d, n>; class My_Op<string n> : Base<My_Dialect, n>;"),
                ("ops.td", "// def X : My_Op\ndef A : My_Op<\"a\"> { let summary = [{ def }]; }\n"),
                ("types.td", "def T : TypeDef<My_Dialect, \"T\">;"),
                ("other.td", "def B : Op<Other_Dialect, \"b\">; def C : Foo<My_Dialect>;"),
            ]
            .into_iter(),
        );
        assert_eq!(index.files("my"), ["base.td", "ops.td", "types.td"]);
        assert!(index.files("other").is_empty());
        assert_eq!(index.record("my"), Some("My_Dialect"));
        assert_eq!(index.extensions("Other_Dialect"), ["other.td"]);
    }
}
