//! The index of a folder, or of a file with the files that it includes: for each dialect, the files that define parts
//! of it.
//!
//! The scan reads only the heads of definitions and classes, and the names of dialects. The dialect of a definition is
//! the first argument of its base class (`Op<My_Dialect, …>`), or the dialect of that class.

use std::path::{Path, PathBuf};

use hashbrown::{HashMap, HashSet};

use crate::frontend::prelude;
use crate::wire::{Invalid, Reader, Wire, Writer};

/// The classes whose first argument is a dialect.
const ROOTS: &[&str] = &["Op", "AttrDef", "TypeDef", "EnumAttr"];

/// The maximum nesting of folders, and the maximum length of a chain of base classes.
const DEPTH_LIMIT: usize = 32;

/// The head of a class or definition.
#[derive(Debug)]
struct Head {
    is_class: bool,
    name: String,
    /// The names of the parameters of a class.
    parameters: Vec<String>,
    /// The base classes, each with the first word of each of its arguments.
    parents: Vec<(String, Vec<String>)>,
    /// The text of `let name = "…"` in the body of a dialect.
    dialect_name: Option<String>,
}

/// The files of a folder, or of a file with its includes, by the dialects that they define.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The files that define parts of each dialect, by the name of the dialect.
    files: HashMap<String, Vec<String>>,
    /// For each dialect that a file outside of the index defines, the files that include definitions of its operations.
    including: HashMap<String, Vec<String>>,
    /// The record of each dialect and the file that contains it, by the name of the dialect.
    records: HashMap<String, (String, String)>,
    /// The files that add definitions to a dialect outside of the index, by the record of the dialect.
    extensions: HashMap<String, Vec<String>>,
    include_dirs: Vec<PathBuf>,
    /// True if this is the index of a file, and an included file was not found.
    lacks_includes: bool,
}

/// The common properties of the definitions that derive from a class.
#[derive(Clone, Debug)]
struct Owner {
    dialect: OwnerDialect,
    /// True if the definitions are operations.
    is_op: bool,
}

/// The dialect of the definitions that derive from a class.
#[derive(Clone, Debug)]
enum OwnerDialect {
    /// The record of the dialect.
    Record(String),
    /// The argument of the class with this index.
    Argument(usize),
}

impl OwnerDialect {
    /// The record of the dialect for the arguments of the class.
    fn of<'a>(&'a self, arguments: &'a [String]) -> Option<&'a str> {
        match self {
            Self::Record(record) => Some(record),
            Self::Argument(index) => arguments.get(*index).map(String::as_str),
        }
    }
}

/// The relation of a file to an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The file belongs to the index, so its dialects are dialects of the index.
    Own,
    /// A file of the index includes the file, directly or through other files, and the file is outside of the folder of
    /// the index.
    Included,
    /// A file of the index includes the file, directly or through other files, and the file is in the prelude.
    Embedded,
}

/// A file to index.
#[derive(Clone, Copy)]
struct Text<'t> {
    /// The file to evaluate for the definitions in this text.
    file: &'t str,
    /// The file with this text.
    origin: &'t str,
    text: &'t str,
    role: Role,
}

/// A dialect whose record a file contains.
struct DeclaredDialect<'t> {
    name: &'t str,
    /// The role of the file with the record.
    role: Role,
}

impl Index {
    /// Indexes all `.td` files of a folder, which [`files_below`] found.
    pub(super) fn of_folder(folder: &Path, found: &[PathBuf]) -> Self {
        let mut texts: Vec<(String, String)> = Vec::new();
        for file in found {
            if let Ok(text) = std::fs::read_to_string(file) {
                let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
                texts.push((file.display().to_string(), text));
            }
        }
        let own = texts.iter().map(|(file, text)| Text { file, origin: file, text, role: Role::Own });
        let mut index = Self::of_texts(own);
        index.include_dirs = include_dirs(folder, texts.iter().map(|(_, text)| text.as_str()));
        index
    }

    /// Indexes a file with the files that it includes. The included files in the folder of the file and in its
    /// subfolders belong to the index.
    pub(super) fn of_file(path: &Path, dirs: &[PathBuf]) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
        let real_folder = folder_of(&path);
        let root = path.display().to_string();
        let mut texts: Vec<(String, String, Role)> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        let mut todo: Vec<(String, String, Role)> = Vec::new();
        if let Ok(text) = std::fs::read_to_string(&path) {
            todo.push((root.clone(), text, Role::Own));
        }
        let mut lacks_includes = false;
        while let Some((origin, text, role)) = todo.pop() {
            for include in includes(&text).filter(|include| seen.insert((*include).to_owned())) {
                let mut dirs = [&folder].into_iter().chain(dirs).map(|dir| dir.join(include));
                let embedded = || prelude::FILES.iter().find(|(name, _)| *name == include);
                if let Some(found) = dirs.find(|file| file.is_file()) {
                    let role =
                        if folder_of(&found).starts_with(&real_folder) { Role::Own } else { Role::Included };
                    let text = std::fs::read_to_string(&found).ok();
                    todo.extend(text.map(|text| (found.display().to_string(), text, role)));
                } else if let Some((name, text)) = embedded() {
                    todo.push(((*name).to_owned(), (*text).to_owned(), Role::Embedded));
                } else {
                    lacks_includes = true;
                }
            }
            texts.push((origin, text, role));
        }
        let parts = texts.iter();
        let mut index =
            Self::of_texts(parts.map(|(origin, text, role)| Text { file: &root, origin, text, role: *role }));
        index.include_dirs = include_dirs(&folder, texts.iter().map(|(_, text, _)| text.as_str()));
        index.lacks_includes = lacks_includes;
        index
    }

    /// Indexes the embedded files.
    pub(super) fn of_prelude() -> Self {
        Self::of_texts(prelude::FILES.iter().map(|&(file, text)| Text {
            file,
            origin: file,
            text,
            role: Role::Own,
        }))
    }

    fn of_texts<'t>(texts: impl Iterator<Item = Text<'t>>) -> Self {
        let mut heads: Vec<(Text<'t>, Head)> = Vec::new();
        for text in texts {
            heads.extend(scan(text.text).into_iter().map(|head| (text, head)));
        }
        // The dialects by record.
        let mut dialects: HashMap<&str, DeclaredDialect<'_>> = HashMap::new();
        let mut classes: HashMap<&str, &Head> = HashMap::new();
        for (text, head) in &heads {
            if let Some(name) = &head.dialect_name {
                let dialect = DeclaredDialect { name, role: text.role };
                dialects.insert(&head.name, dialect);
            }
            if head.is_class {
                classes.insert(&head.name, head);
            }
        }
        let mut owners = HashMap::new();
        let mut index = Self::default();
        let add = |files: &mut HashMap<String, Vec<String>>, dialect: &str, file: &str| {
            let list = files.entry(dialect.to_owned()).or_default();
            if list.last().is_none_or(|last| last != file) {
                list.push(file.to_owned());
            }
        };
        for (text, head) in &heads {
            let (file, role) = (text.file, text.role);
            if head.is_class || role == Role::Embedded {
                continue;
            }
            if let Some(dialect) = head.dialect_name.as_ref().filter(|_| role == Role::Own) {
                add(&mut index.files, dialect, file);
            }
            for (parent, arguments) in &head.parents {
                let Some(owner) = owner(parent, &classes, &mut owners, 0) else { continue };
                let Some(record) = owner.dialect.of(arguments) else { continue };
                match (dialects.get(record), role) {
                    (Some(dialect), _) if dialect.role == Role::Own => {
                        add(&mut index.files, dialect.name, file);
                    }
                    (Some(dialect), Role::Included) if owner.is_op => {
                        add(&mut index.including, dialect.name, file);
                    }
                    (_, Role::Own) => add(&mut index.extensions, record, file),
                    (_, Role::Included | Role::Embedded) => {}
                }
            }
        }
        for (text, head) in &heads {
            if let Some(dialect) = &head.dialect_name {
                index.records.insert(dialect.clone(), (head.name.clone(), text.origin.to_owned()));
            }
        }
        index
    }

    /// The names of the dialects that the files define.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The files that define parts of a dialect.
    pub(super) fn files(&self, dialect: &str) -> &[String] {
        self.files.get(dialect).map_or(&[], Vec::as_slice)
    }

    /// The files that include definitions of a dialect's operations, if a file outside of the index defines the
    /// dialect.
    pub(super) fn including(&self, dialect: &str) -> &[String] {
        self.including.get(dialect).map_or(&[], Vec::as_slice)
    }

    /// The record of a dialect that these files define or include.
    pub(super) fn record(&self, dialect: &str) -> Option<&str> {
        self.records.get(dialect).map(|(record, _)| record.as_str())
    }

    /// True if both indexes have the record of the dialect from the same file.
    pub(super) fn shares_record(&self, other: &Self, dialect: &str) -> bool {
        let real = |(record, file): &(String, String)| (record.clone(), std::fs::canonicalize(file).ok());
        let [own, other] = [self, other].map(|index| index.records.get(dialect).map(real));
        own == other && own.is_some_and(|(_, file)| file.is_some())
    }

    /// The files that add definitions to the dialect with this record, if the dialect is outside of the index.
    pub(super) fn extensions(&self, record: &str) -> &[String] {
        self.extensions.get(record).map_or(&[], Vec::as_slice)
    }

    /// The records of the dialects outside of the index that files extend, each with the files that extend it.
    pub(super) fn all_extensions(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.extensions.iter().map(|(record, files)| (record.as_str(), files.as_slice()))
    }

    pub(super) fn include_dirs(&self) -> &[PathBuf] {
        &self.include_dirs
    }

    /// True if this is the index of a file, and an included file was not found. The `include` can be in text that a
    /// condition excludes.
    pub(super) fn lacks_includes(&self) -> bool {
        self.lacks_includes
    }
}

/// Encodes the tables of an index as lists of pairs, sorted by name.
impl Wire for Index {
    fn write(&self, out: &mut Writer<'_>) {
        for map in [&self.files, &self.including, &self.extensions] {
            let mut pairs: Vec<(String, Vec<String>)> =
                map.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
            pairs.sort_unstable();
            pairs.write(out);
        }
        let mut records: Vec<(String, (String, String))> =
            self.records.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        records.sort_unstable();
        records.write(out);
        let dirs: Vec<String> = self.include_dirs.iter().map(|dir| dir.display().to_string()).collect();
        dirs.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let mut map = || Vec::<(String, Vec<String>)>::read(from).map(|pairs| pairs.into_iter().collect());
        let (files, including, extensions) = (map()?, map()?, map()?);
        let records = Vec::<(String, (String, String))>::read(from)?.into_iter().collect();
        let include_dirs = Vec::<String>::read(from)?.into_iter().map(PathBuf::from).collect();
        Ok(Self { files, including, records, extensions, include_dirs, lacks_includes: false })
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
        return Some(Owner { dialect: OwnerDialect::Argument(0), is_op: class == "Op" });
    }
    if let Some(known) = known.get(class) {
        return known.clone();
    }
    // Classes that derive from each other in a cycle have no dialect.
    known.insert(class.to_owned(), None);
    if depth > DEPTH_LIMIT {
        return None;
    }
    let head = classes.get(class)?;
    let found = head.parents.iter().find_map(|(parent, arguments)| {
        let owner = owner(parent, classes, known, depth + 1)?;
        let record = owner.dialect.of(arguments)?;
        let parameter = head.parameters.iter().position(|parameter| parameter == record);
        let dialect =
            parameter.map_or_else(|| OwnerDialect::Record(record.to_owned()), OwnerDialect::Argument);
        Some(Owner { dialect, is_op: owner.is_op })
    });
    known.insert(class.to_owned(), found.clone());
    found
}

/// The `.td` files in a folder and in its subfolders, sorted by path.
pub(super) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(folder, 0, &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    if depth > DEPTH_LIMIT {
        return;
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            collect(&path, depth + 1, found);
        } else if path.extension().is_some_and(|extension| extension == "td") {
            found.push(path);
        }
    }
}

/// The folder of a file, without `..` and symbolic links, so that two names of one folder are equal.
fn folder_of(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new(""));
    // The parent of a relative name without a folder is empty.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// The paths in the include directives of a text.
fn includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.trim_start().strip_prefix("include")?.split('"').nth(1))
}

/// The folders in which the includes of the files are found: the folder itself and, for an include that is not found
/// there, the nearest parent folder that has it.
fn include_dirs<'t>(folder: &Path, texts: impl Iterator<Item = &'t str>) -> Vec<PathBuf> {
    let mut dirs = vec![folder.to_owned()];
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut seen = HashSet::new();
    for path in texts.flat_map(includes) {
        if !seen.insert(path.to_owned()) || dirs.iter().any(|dir| dir.join(path).exists()) {
            continue;
        }
        if let Some(around) = absolute.ancestors().skip(1).find(|dir| dir.join(path).is_file()) {
            dirs.push(around.to_owned());
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

/// A token: a word, the contents of a string or of a code block, or another character.
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

    /// Reads the name, the parameters and the base classes after `class`, `multiclass`, `def` or `defm`.
    fn head(&mut self, is_class: bool) -> Option<Head> {
        let mut name = String::new();
        let (mut parameters, mut parents) = (Vec::new(), Vec::new());
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
            let mut in_default = false;
            while depth > 0 {
                match self.next()? {
                    Piece::Other(b'<' | b'[' | b'(') => depth += 1,
                    Piece::Other(b'>' | b']' | b')') => depth -= 1,
                    Piece::Other(b'=') if depth == 1 => in_default = true,
                    Piece::Other(b',') if depth == 1 => {
                        parameters.push(last.to_owned());
                        (last, in_default) = ("", false);
                    }
                    Piece::Word(word) if !in_default => last = word,
                    _ => {}
                }
            }
            parameters.push(last.to_owned());
            piece = self.next()?;
        }
        if matches!(piece, Piece::Other(b':')) {
            while let Piece::Word(parent) = self.next()? {
                let mut arguments = Vec::new();
                let mut next = self.next()?;
                if matches!(next, Piece::Other(b'<')) {
                    let mut depth = 1;
                    let mut is_first = true;
                    arguments.push(String::new());
                    while depth > 0 {
                        match self.next()? {
                            Piece::Other(b'<' | b'[' | b'(' | b'{') => depth += 1,
                            Piece::Other(b'>' | b']' | b')' | b'}') => depth -= 1,
                            Piece::Other(b',') if depth == 1 => {
                                arguments.push(String::new());
                                is_first = true;
                                continue;
                            }
                            Piece::Word(word) if is_first => {
                                arguments.last_mut().expect("the list has an argument").push_str(word);
                            }
                            _ => {}
                        }
                        is_first = false;
                    }
                    next = self.next()?;
                }
                parents.push((parent.to_owned(), arguments));
                if !matches!(next, Piece::Other(b',')) {
                    break;
                }
            }
        }
        Some(Head { is_class, name, parameters, parents, dialect_name: None })
    }
}

#[cfg(test)]
mod tests {
    use super::{Index, Role, Text};
    use crate::wire;

    fn index(texts: &[(&str, &str, Role)]) -> Index {
        Index::of_texts(texts.iter().map(|&(file, text, role)| Text { file, origin: file, text, role }))
    }

    #[test]
    fn finds_the_files_of_a_dialect_through_classes() {
        let own = |(file, text)| (file, text, Role::Own);
        let index = index(
            &[
                ("base.td", "def My_Dialect : Dialect { let cppNamespace = \"x\"; let name = \"my\"; }"),
                ("class.td", "class Base<Dialect d, string n> : Op<d, n>; class My_Op<string n> : Base<My_Dialect, n>;"),
                ("ops.td", "// def X : My_Op\ndef A : My_Op<\"a\"> { let summary = [{ def }]; }\n"),
                ("types.td", "def T : TypeDef<My_Dialect, \"T\">;"),
                ("other.td", "def B : Op<Other_Dialect, \"b\">; def C : Foo<My_Dialect>;"),
                (
                    "second.td",
                    "class Late<list<Trait> t = [A, B], string n, Dialect d> : Op<d, n, !listconcat(t, [C])>;\n\
                     class My_Late<string n> : Late<[], n, My_Dialect>;\ndef D : My_Late<\"d\">;",
                ),
            ]
            .map(own),
        );
        assert_eq!(index.files("my"), ["base.td", "ops.td", "types.td", "second.td"]);
        assert!(index.files("other").is_empty());
        assert_eq!(index.record("my"), Some("My_Dialect"));
        assert_eq!(index.extensions("Other_Dialect"), ["other.td"]);
        let copy: Index = wire::decode(&wire::encode(&index)).unwrap();
        assert_eq!(format!("{:?}", copy.files("my")), format!("{:?}", index.files("my")));
        assert_eq!(wire::encode(&copy), wire::encode(&index));
    }

    #[test]
    fn an_included_dialect_is_extended_or_included_but_not_defined() {
        let index = index(&[
            ("ops.td", "def A : B_Op<\"a\">; def C : C_Op<\"c\">;", Role::Own),
            (
                "ops.td",
                "def B_Dialect : Dialect { let name = \"b\"; } class B_Op<string n> : Op<B_Dialect, n>; def X : B_Op<\"x\">;",
                Role::Included,
            ),
            (
                "ops.td",
                "def C_Dialect : Dialect { let name = \"c\"; } class C_Op<string n> : Op<C_Dialect, n>; def X : C_Op<\"x\">;",
                Role::Embedded,
            ),
        ]);
        assert!(index.files("b").is_empty() && index.files("c").is_empty());
        assert_eq!(index.including("b"), ["ops.td"]);
        assert!(index.including("c").is_empty());
        assert_eq!(index.extensions("B_Dialect"), ["ops.td"]);
        assert_eq!(index.extensions("C_Dialect"), ["ops.td"]);
    }
}
