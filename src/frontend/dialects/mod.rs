//! Finds the definitions of dialects in `.td` files, and translates them for the IR's reader and printer.
//!
//! Specification: a dialect has the operations whose records `mlir-tblgen` would find in the files that define it.
//!
//! `index` scans files without evaluating them, and finds those that define operations, attributes and types of each
//! dialect. `lower` translates the definitions of one dialect, and `attributes` their attributes and properties.
//! [`DialectFiles`] calls `index` and `lower` when a context reads the name of a dialect. `cache` keeps their results
//! for the next run.

mod attributes;
mod cache;
mod index;
mod lower;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hashbrown::HashMap;

use self::cache::{Cache, Stamp};
use self::index::{Index, files_below};
use super::{ods, prelude, tablegen};
use crate::ir::PRELUDE_PACK;
use crate::ir::dialect::{Dialect, DialectPack, DialectSource, PackedDialect};
use crate::source::{Diagnostic, Diagnostics, SourceMap};

/// Files, folders and packs with definitions of dialects. The prelude is searched last.
///
/// ```
/// use drrvm::compile::DialectFiles;
/// use drrvm::ir::{Context, PrintOptions, parse_module};
/// use drrvm::source::SourceMap;
/// let folder = std::env::temp_dir().join(format!("drrvm-dialect-files-{}", std::process::id()));
/// std::fs::create_dir_all(&folder).unwrap();
/// let definitions = r#"
/// include "mlir/IR/OpBase.td"
/// def My_Dialect : Dialect { let name = "my"; let cppNamespace = "::my"; }
/// def My_AddOp : Op<My_Dialect, "add"> {
///   let arguments = (ins I32:$lhs, I32:$rhs);
///   let results = (outs I32:$sum);
///   let assemblyFormat = "$lhs `plus` $rhs attr-dict";
/// }
/// "#;
/// std::fs::write(folder.join("My.td"), definitions).unwrap();
/// let mut context = Context::new();
/// context.set_dialects(DialectFiles::new().path(&folder).shared());
/// let mut sources = SourceMap::default();
/// let text = "%0 = arith.constant 1 : i32\n%1 = my.add %0 plus %0\n";
/// let file = sources.add("a.mlir", text).unwrap();
/// let module = parse_module(&mut context, sources.file(file)).unwrap();
/// let generic = module.print(&context, PrintOptions::new().generic(true));
/// assert!(generic.contains("\"my.add\"(%0, %0) : (i32, i32) -> i32"));
/// assert!(module.print(&context, PrintOptions::new()).contains("my.add %c1_i32 plus %c1_i32"));
/// std::fs::remove_dir_all(&folder).unwrap();
/// ```
#[derive(Debug, Default)]
pub struct DialectFiles {
    /// The paths, with their contents, which are read at the first use.
    paths: Vec<(PathBuf, OnceLock<Result<Source, Diagnostic>>)>,
    include_dirs: Vec<PathBuf>,
    defines: Vec<String>,
    generic_form: Option<bool>,
    /// True if the definitions include the constraints of operations.
    constraints: bool,
    cache: Option<Cache>,
    prelude: OnceLock<Source>,
    /// The results of earlier searches, which several contexts can share.
    known: Mutex<HashMap<String, Found>>,
    /// The files that were read.
    read: Mutex<BTreeSet<PathBuf>>,
}

/// The name of the generated text that includes the files of a dialect.
const GENERATED: &str = "the definitions of a dialect";

/// The kinds of paths.
enum Kind {
    Folder,
    TableGen,
    Pack,
}

/// The kind of a path.
fn kind_of(path: &Path) -> Result<Kind, Diagnostic> {
    if path.is_dir() {
        return Ok(Kind::Folder);
    }
    if !path.exists() {
        return Err(Diagnostic::error(format!("cannot read '{}': it does not exist", path.display())).help(
            "expected a `.td` file, a folder with `.td` files, or a pack that `drrvm ods --pack` wrote",
        ));
    }
    let is_definition = path.extension().is_some_and(|extension| extension == "td");
    Ok(if is_definition { Kind::TableGen } else { Kind::Pack })
}

/// The contents of a path.
#[derive(Debug)]
enum Source {
    Index(Index),
    Pack(DialectPack),
}

/// The result of a search for a dialect.
type Found = Result<Option<Dialect>, Diagnostic>;

impl DialectFiles {
    /// A value without paths, which finds only the definitions of the prelude.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a `.td` file, a folder whose `.td` files are searched at the first use, or a file with the bytes that
    /// [`DialectFiles::pack`] returns.
    #[must_use]
    pub fn path(mut self, path: impl Into<PathBuf>) -> Self {
        self.paths.push((path.into(), OnceLock::new()));
        self
    }

    /// Adds a folder in which included files are searched.
    #[must_use]
    pub fn include_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.include_dirs.push(dir.into());
        self
    }

    /// Adds a name that is defined for TableGen's preprocessor.
    #[must_use]
    pub fn define(mut self, name: impl Into<String>) -> Self {
        self.defines.push(name.into());
        self
    }

    /// If `on` is true, the definitions also apply to operations in generic form: the attributes of such operations are
    /// divided into properties and other attributes, and the operations are printed in custom form. By default, the
    /// definitions apply to these operations if there are paths.
    #[must_use]
    pub fn generic_form(mut self, on: bool) -> Self {
        self.generic_form = Some(on);
        self
    }

    /// If `on` is true, the definitions include the constraints of operations, so that operations can be verified.
    #[must_use]
    pub(crate) fn constraints(mut self, on: bool) -> Self {
        self.constraints = on;
        self
    }

    /// Uses this folder as a cache for the results of reading `.td` files. A result is valid until one of its files
    /// changes.
    #[must_use]
    pub fn cache(mut self, dir: impl Into<PathBuf>) -> Self {
        self.cache = Some(Cache::new(dir.into()));
        self
    }

    /// The value in the form that [`Context::set_dialects`](crate::ir::Context::set_dialects) takes.
    pub fn shared(self) -> Arc<dyn DialectSource> {
        Arc::new(self)
    }

    /// Checks that all paths exist, and that the includes of each `.td` file among the paths are found. Loads the
    /// packs. The files in folders are not checked.
    ///
    /// # Errors
    /// A path does not exist, a pack cannot be read, or a `.td` file with an `include` that is not found has errors.
    pub fn check(&self) -> Result<(), Diagnostic> {
        for (path, source) in &self.paths {
            match kind_of(path)? {
                Kind::Folder => {}
                Kind::TableGen => {
                    let index = self.source(path, source)?.index();
                    if let Some(index) = index.filter(|index| index.lacks_includes()) {
                        let file = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                        let files = [file.display().to_string()];
                        let sources = &mut SourceMap::default();
                        self.records(index.include_dirs(), &files, sources, |_| Ok(None::<()>))?;
                    }
                }
                Kind::Pack => {
                    self.source(path, source)?;
                }
            }
        }
        Ok(())
    }

    /// The definitions in the paths as one file, which [`DialectFiles::path`] and [`DialectPack::from_bytes`] read.
    /// Without paths, these are the definitions of the prelude.
    ///
    /// # Errors
    /// A path cannot be read, definitions have errors, or the paths define no dialect. The first error of each dialect
    /// is returned.
    pub fn pack(&self) -> Result<Vec<u8>, Diagnostics> {
        let sources = self.sources()?;
        let own = if sources.len() > 1 { &sources[..sources.len() - 1] } else { &sources };
        let mut errors = Diagnostics::default();
        let mut packed = Vec::new();
        let names: BTreeSet<&str> = own.iter().flat_map(|source| source.names()).collect();
        for &name in &names {
            match self.find(name) {
                Ok(Some(dialect)) => {
                    let record = own.iter().find_map(|source| source.record(name)).unwrap_or_default();
                    let (name, record) = (name.to_owned(), record.to_owned());
                    packed.push(PackedDialect { name, record, is_extension: false, dialect });
                }
                Ok(None) => {}
                Err(error) => errors.push(error),
            }
        }
        for index in own.iter().filter_map(|source| source.index()) {
            let mut extensions: Vec<_> = index.all_extensions().collect();
            extensions.sort_unstable();
            for (record, files) in extensions {
                // If a path defines the dialect with this record, the packed dialect already contains the extensions.
                if own.iter().any(|source| source.names().any(|name| source.record(name) == Some(record))) {
                    continue;
                }
                match self.extension(index, record, files) {
                    Ok(Some((name, dialect))) => {
                        let record = record.to_owned();
                        packed.push(PackedDialect { name, record, is_extension: true, dialect });
                    }
                    Ok(None) => {}
                    Err(error) => errors.push(error),
                }
            }
        }
        if errors.has_errors() {
            return Err(errors);
        }
        if packed.is_empty() {
            let paths: Vec<String> =
                self.paths.iter().map(|(path, _)| format!("'{}'", path.display())).collect();
            return Err(Diagnostic::error(format!("no dialect is defined in {}", paths.join(", ")))
                .help("a pack needs `.td` files that define a dialect, or add definitions to one")
                .into());
        }
        DialectPack::to_bytes(&packed).map_err(|error| Diagnostic::error(error.to_string()).into())
    }

    /// The packs that were opened and the `.td` files from which definitions were loaded so far, sorted by path. Files
    /// that were only indexed, or whose definitions came from the cache, are not included.
    pub fn files(&self) -> Vec<PathBuf> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The name of the dialect with this record, and the definitions that files add to it.
    fn extension(
        &self,
        index: &Index,
        record: &str,
        files: &[String],
    ) -> Result<Option<(String, Dialect)>, Diagnostic> {
        let mut sources = SourceMap::default();
        let name = self.records(index.include_dirs(), files, &mut sources, |records| {
            let definitions = ods::read(records);
            let mut dialects = definitions.dialects.iter();
            let found = dialects.find(|dialect| definitions.records.record(dialect.record).name() == record);
            Ok(found.map(|dialect| dialect.name.to_owned()))
        })?;
        let Some(name) = name else { return Ok(None) };
        Ok(self.load(index.include_dirs(), files, &name)?.map(|dialect| (name, dialect)))
    }

    /// The contents of the prelude. They are a pack if no option changes the definitions in the files of the prelude.
    ///
    /// PERF: reading a function with operations of `scf`, `math`, `tensor` and `memref` takes 6 instead of 135 million
    /// instructions (callgrind, `parse_module`).
    fn prelude(&self) -> &Source {
        self.prelude.get_or_init(|| {
            let may_differ = self.constraints
                || !(self.paths.is_empty() && self.include_dirs.is_empty() && self.defines.is_empty());
            let pack = if may_differ { None } else { DialectPack::from_bytes(PRELUDE_PACK).ok() };
            pack.map_or_else(|| Source::Index(Index::of_prelude()), Source::Pack)
        })
    }

    /// The contents of the paths, and of the prelude at the end.
    fn sources(&self) -> Result<Vec<&Source>, Diagnostic> {
        let prelude = self.prelude();
        self.paths.iter().map(|(path, source)| self.source(path, source)).chain([Ok(prelude)]).collect()
    }

    fn source<'s>(
        &self,
        path: &Path,
        source: &'s OnceLock<Result<Source, Diagnostic>>,
    ) -> Result<&'s Source, Diagnostic> {
        source.get_or_init(|| self.open(path)).as_ref().map_err(Clone::clone)
    }

    /// Reads a pack, or indexes a folder or a `.td` file without evaluating the definitions.
    fn open(&self, path: &Path) -> Result<Source, Diagnostic> {
        Ok(match kind_of(path)? {
            Kind::Folder => Source::Index(self.folder(path)),
            Kind::TableGen => Source::Index(Index::of_file(path, &self.include_dirs)),
            Kind::Pack => {
                let (name, bytes) = crate::source::read(path)?;
                self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
                Source::Pack(DialectPack::from_bytes(bytes).map_err(|error| error.diagnostic(&name))?)
            }
        })
    }

    /// The index of a folder.
    fn folder(&self, path: &Path) -> Index {
        let found = files_below(path);
        let stamps: Option<Vec<Stamp>> = found.iter().map(|file| Stamp::of(file)).collect();
        let (Some(cache), Some(stamps)) = (&self.cache, stamps) else {
            return Index::of_folder(path, &found);
        };
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let key = format!("index\n{}", absolute.display());
        if let Some(index) = cache.find_at(&key, &stamps) {
            return index;
        }
        cache.store(&key, stamps, Index::of_folder(path, &found))
    }

    /// Returns the definitions of one dialect in some files, from the cache if possible. The files are evaluated
    /// together. If this fails, they are evaluated one by one. If some of them fail again, all files are evaluated
    /// together once more, with these files at the end.
    fn load(&self, dirs: &[PathBuf], files: &[String], name: &str) -> Found {
        let Some(cache) = &self.cache else { return self.load_files(dirs, files, name).map(|found| found.0) };
        let dirs_of_key = dirs.iter().chain(&self.include_dirs);
        let dirs_of_key: Vec<_> =
            dirs_of_key.map(|dir| std::path::absolute(dir).unwrap_or_default()).collect();
        let (defines, constraints) = (&self.defines, self.constraints);
        let key = format!("dialect {name}\n{files:?}\n{dirs_of_key:?}\n{defines:?}\n{constraints}");
        if let Some(found) = cache.find(&key) {
            return Ok(found);
        }
        let (dialect, read) = self.load_files(dirs, files, name)?;
        match read.iter().map(|file| Stamp::of(file)).collect() {
            Some(stamps) => Ok(cache.store(&key, stamps, dialect)),
            None => Ok(dialect),
        }
    }

    /// Like [`Self::load`], without the cache. Also returns the files that were read.
    fn load_files(
        &self,
        dirs: &[PathBuf],
        files: &[String],
        name: &str,
    ) -> Result<(Option<Dialect>, BTreeSet<PathBuf>), Diagnostic> {
        let mut read = BTreeSet::new();
        let found = match self.evaluate(dirs, files, name, &mut read) {
            Ok(dialect) => Ok(dialect),
            Err(error) if files.len() > 1 => {
                let mut all: Option<Dialect> = None;
                let (mut whole, mut partial) = (Vec::new(), Vec::new());
                for file in files {
                    let alone = std::slice::from_ref(file);
                    let Ok(part) = self.evaluate(dirs, alone, name, &mut read) else {
                        partial.push(file.clone());
                        continue;
                    };
                    whole.push(file.clone());
                    match (&mut all, part) {
                        (Some(all), Some(part)) => all.extend(part),
                        (all, part) => *all = all.take().or(part),
                    }
                }
                // Some files use classes of other files without including them, so the files that can be read alone
                // come first.
                let ordered: Vec<String> = whole.into_iter().chain(partial.iter().cloned()).collect();
                match partial.is_empty() {
                    false => match self.evaluate(dirs, &ordered, name, &mut read) {
                        Ok(dialect) => Ok(dialect),
                        // Files of different targets can contradict each other. Then the definitions that were read
                        // separately are used.
                        Err(_) if all.is_some() => Ok(all),
                        Err(_) => Err(error),
                    },
                    true if all.is_some() => Ok(all),
                    true => Err(error),
                }
            }
            Err(error) => Err(error),
        };
        self.read.lock().unwrap_or_else(PoisonError::into_inner).extend(read.iter().cloned());
        Ok((found?, read))
    }

    fn evaluate(
        &self,
        dirs: &[PathBuf],
        files: &[String],
        name: &str,
        read: &mut BTreeSet<PathBuf>,
    ) -> Result<Option<Dialect>, Diagnostic> {
        let mut sources = SourceMap::default();
        let found = self.records(dirs, files, &mut sources, |records| {
            lower::lower(&ods::read(records), name, self.constraints)
        });
        read.extend(sources.files().map(|file| PathBuf::from(file.name())).filter(|path| path.is_file()));
        found
    }

    /// Evaluates files together, and calls `take` with the records.
    fn records<T>(
        &self,
        dirs: &[PathBuf],
        files: &[String],
        sources: &mut SourceMap,
        take: impl FnOnce(&tablegen::Records) -> Result<Option<T>, Diagnostic>,
    ) -> Result<Option<T>, Diagnostic> {
        let main: String = files.iter().map(|file| format!("include \"{file}\"\n")).collect();
        let main = sources.add(GENERATED, main)?;
        // Some files include other files of their folder by name alone.
        let own = files.iter().filter_map(|file| Path::new(file).parent().map(Path::to_owned));
        let own: BTreeSet<PathBuf> = own.collect();
        let config = tablegen::Config {
            include_dirs: dirs.iter().chain(&self.include_dirs).chain(&own).cloned().collect(),
            defines: self.defines.clone(),
            embedded: prelude::FILES,
            files_after_main: Vec::new(),
            warn_unused_template_args: false,
        };
        let (records, diagnostics) = tablegen::parse_as_far(sources, main, &config);
        let first = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        if let Some(error) = first {
            return Err(located(error, sources));
        }
        let Some(records) = records else { return Ok(None) };
        take(&records).map_err(|error| located(&error, sources))
    }
}

impl Source {
    fn index(&self) -> Option<&Index> {
        match self {
            Source::Index(index) => Some(index),
            Source::Pack(_) => None,
        }
    }

    /// The names of the dialects that the source defines.
    fn names(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match self {
            Source::Index(index) => Box::new(index.names()),
            Source::Pack(pack) => Box::new(pack.names()),
        }
    }

    /// The name of the TableGen record of a dialect that the source defines.
    fn record(&self, name: &str) -> Option<&str> {
        match self {
            Source::Index(index) => index.record(name),
            Source::Pack(pack) => pack.record(name),
        }
    }
}

/// An error whose message and notes state their places as text, because the caller does not have the files to which the
/// error refers.
fn located(error: &Diagnostic, sources: &SourceMap) -> Diagnostic {
    let place = |span| match sources.locate(span) {
        Some(at) => format!("{}:{}:{}: ", at.file.name(), at.line, at.column),
        None => String::new(),
    };
    let mut own = Diagnostic::error(format!("{}{}", place(error.span()), error.message));
    own.help.clone_from(&error.help);
    for note in &error.notes {
        // A place in the generated text has no meaning for the user.
        if sources.locate(note.span).is_none_or(|at| at.file.name() != GENERATED) {
            own = own.with_note(format!("{}{}", place(note.span), note.text));
        }
    }
    own
}

impl DialectSource for DialectFiles {
    fn defines_generic_form(&self) -> bool {
        self.generic_form.unwrap_or(!self.paths.is_empty())
    }

    fn dialect(&self, name: &str) -> Found {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(name) {
            return found.clone();
        }
        let found = self.find(name);
        known.insert(name.to_owned(), found.clone());
        found
    }
}

impl DialectFiles {
    fn find(&self, name: &str) -> Found {
        let sources = self.sources()?;
        let definition = self.definition(&sources, name)?;
        let number = definition.as_ref().map(|(number, _)| *number);
        let base = number.and_then(|number| sources[number].index());
        // If no source defines the dialect, its record comes from a source that extends it, because such a source
        // includes the file with the record.
        let mut record_sources = number.map_or(&sources[..], |number| &sources[number..=number]).iter();
        let record = record_sources.find_map(|source| source.record(name)).unwrap_or_default();
        let mut parts: Vec<Dialect> = Vec::new();
        for (_, other) in sources.iter().enumerate().filter(|(other, _)| Some(*other) != number) {
            match other {
                Source::Pack(pack) => {
                    let more = pack.extension(name);
                    parts.extend(more.map_err(|error| error.diagnostic("a pack of definitions"))?);
                }
                Source::Index(index) => {
                    let mut dirs = index.include_dirs().to_vec();
                    dirs.extend_from_slice(base.map_or(&[], Index::include_dirs));
                    // If both sources have the record of the dialect from the same file, both define the dialect.
                    let is_same = base.is_some_and(|base| base.shares_record(index, name));
                    let also: &[String] = if is_same { index.files(name) } else { &[] };
                    let load = |file: &String| self.load(&dirs, std::slice::from_ref(file), name);
                    for file in index.extensions(record) {
                        match load(file) {
                            Ok(more) => parts.extend(more),
                            Err(error) if number.is_none() => return Err(error),
                            // A file that does not load with these include folders is ignored.
                            Err(_) => {}
                        }
                    }
                    for file in also {
                        parts.extend(load(file)?);
                    }
                }
            }
        }
        Ok(definition.into_iter().map(|(_, dialect)| dialect).chain(parts).reduce(|mut all, more| {
            all.extend(more);
            all
        }))
    }

    /// The definitions of a dialect, and the number of their source. Definitions without operations are returned only
    /// if no source has operations.
    fn definition(&self, sources: &[&Source], name: &str) -> Result<Option<(usize, Dialect)>, Diagnostic> {
        let mut without_operations = None;
        for (number, source) in sources.iter().enumerate() {
            let dialect = match source {
                Source::Pack(pack) => pack.dialect(name)?,
                Source::Index(index) => {
                    let files = match index.files(name) {
                        [] => index.including(name),
                        files => files,
                    };
                    if files.is_empty() {
                        continue;
                    }
                    self.load(index.include_dirs(), files, name)?
                }
            };
            match dialect {
                Some(dialect) if dialect.has_operations() => return Ok(Some((number, dialect))),
                Some(dialect) if without_operations.is_none() => {
                    without_operations = Some((number, dialect));
                }
                _ => {}
            }
        }
        Ok(without_operations)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, OnceLock};

    use super::{DialectFiles, Index, Source};
    use crate::ir::dialect::{ClassForm, ClassText, DialectPack, DialectSource, FormResult};
    use crate::ir::{AttrId, Context, PRELUDE_PACK, PrintOptions, parse_module};
    use crate::source::SourceMap;

    const DEFINITIONS: &str = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
def My_Dialect : Dialect { let name = "my"; let cppNamespace = "::my"; }
def My_BoxType : TypeDef<My_Dialect, "Box"> {
  let mnemonic = "box";
  let parameters = (ins "::mlir::Type":$inner);
  let assemblyFormat = "`<` $inner `>`";
}
def My_PairAttr : AttrDef<My_Dialect, "Pair"> {
  let mnemonic = "pair";
  let parameters = (ins "int64_t":$first, DefaultValuedParameter<"int64_t", "7">:$second);
  let assemblyFormat = "`<` struct(params) `>`";
}
def My_NodeAttr : AttrDef<My_Dialect, "Node"> {
  let mnemonic = "node";
  let genMnemonicAlias = 1;
  let parameters = (ins StringRefParameter<>:$label, OptionalParameter<"::my::PairAttr">:$pair);
  let assemblyFormat = "`<` $label (`,` $pair^)? `>`";
}
def My_OpenType : TypeDef<My_Dialect, "Open"> { let mnemonic = "open"; let hasCustomAssemblyFormat = 1; }
"#;

    fn source(name: &str) -> Arc<dyn DialectSource> {
        let folder = std::env::temp_dir().join(format!("drrvm-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("My.td"), DEFINITIONS).unwrap();
        let source = DialectFiles::new().path(&folder).shared();
        assert!(source.dialect("my").unwrap().is_some());
        std::fs::remove_dir_all(&folder).unwrap();
        source
    }

    fn attrs(context: &mut Context, texts: &[&str]) -> Vec<AttrId> {
        texts.iter().map(|text| context.parse_attr(text).unwrap()).collect()
    }

    #[test]
    fn two_spellings_are_one_attribute() {
        let mut context = Context::new();
        context.set_dialects(source("spellings"));
        for spellings in [
            ["#my.pair<first = 1>", "#my.pair< second = 7,first=0x1 >"],
            ["#my.pair<first = 1, second = -2>", "#my<pair<second = -2, first = 1>>"],
            ["#my.node<\"a\", <first = 1>>", "#my.node<\"\\61\" , #my.pair<first = 1>>"],
            ["!my.box<tensor<4xi8>>", "!my.box< tensor<4xi8 > >"],
            // Only C++ code knows the meaning of white space between words.
            ["!my.open<a b, \"c  d\">", "!my.open< a   b,\"c  d\" >"],
        ] {
            let ids = attrs(&mut context, &spellings);
            assert_eq!(ids[0], ids[1], "{spellings:?}");
            assert_eq!(context.attr_text(ids[1]), spellings[0]);
        }
        let others = ["#my.pair<first = 1>", "#my.pair<first = 2>", "!my.open<ab>", "!my.open<a b>"];
        let ids = attrs(&mut context, &others);
        assert!(ids[0] != ids[1] && ids[2] != ids[3]);
    }

    #[test]
    fn definitions_choose_the_aliases() {
        let mut sources = SourceMap::default();
        let text =
            "#p = #my.pair<first = 1>\n#x = #my.node<\"a\", #p>\n\"t.a\"() {n = #x, p = #p} : () -> ()\n";
        let file = sources.add("a.mlir", text).unwrap();
        let mut context = Context::new();
        context.set_dialects(source("aliases"));
        let module = parse_module(&mut context, sources.file(file)).unwrap();
        let printed = module.print(&context, PrintOptions::new());
        let expected = "#node = #my.node<\"a\", <first = 1>>\nmodule {\n  \
                        \"t.a\"() {n = #node, p = #my.pair<first = 1>} : () -> ()\n}\n";
        assert_eq!(printed, expected);
    }

    #[test]
    fn nested_text_without_the_format_is_read_in_polynomial_time() {
        let mut context = Context::new();
        context.set_dialects(source("nested"));
        let depth = 150;
        for (open, close) in [("!my.open<", " z>"), ("!my.box<", ">")] {
            let text = format!("{}i8{}", open.repeat(depth), close.repeat(depth));
            let ty = context.parse_type(&text).unwrap();
            assert_eq!(context.type_text(ty), text);
        }
        let text = format!("{}i8{}", "!my.box<".repeat(depth), " z>".repeat(depth));
        assert!(context.parse_type(&text).is_err());
    }

    #[test]
    fn text_must_have_the_format_of_its_class() {
        let mut context = Context::new();
        context.set_dialects(source("formats"));
        for (text, expected) in [
            ("#my.pair<second = 1>", "'#my.pair': it has no parameter 'first'"),
            ("#my.pair<first = 1, first = 2>", "'first' is repeated or is not a parameter"),
            ("#my.pair<first = 9223372036854775808>", "exceeds the range of the parameter 'first'"),
            ("#my.pair<first = 1> 2", "expected the end"),
            ("#my.node<a>", "a value of the parameter 'label' is expected"),
            ("#my<node \"a\" >", "'<' is expected"),
        ] {
            let error = context.parse_attr(text).unwrap_err();
            assert!(error.message.contains(expected), "{text}: {}", error.message);
        }
        // White space can precede the closing bracket of the dialect.
        assert!(context.parse_attr("#my<pair<first = 1> >").is_ok());
    }

    #[test]
    fn a_registered_form_transcribes_a_class() {
        #[derive(Debug)]
        struct Open;
        impl ClassForm for Open {
            fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
                text.literal("<")?;
                text.skip("of");
                text.ty()?;
                text.literal(">")
            }
        }
        let mut context = Context::new();
        context.set_dialects(source("transcribed"));
        context.forms_mut().add_class("!my.open", Open);
        let ids = attrs(&mut context, &["!my.open<of i32>", "!my.open<i32>", "!my.open<x y>"]);
        assert_eq!(ids[0], ids[1]);
        assert_eq!(context.attr_text(ids[0]), "!my.open<i32>");
        assert_eq!(context.attr_text(ids[2]), "!my.open<x y>", "text that does not fit is kept");
    }

    /// Reads text and returns its generic form, or the errors.
    fn generic(source: Arc<dyn DialectSource>, text: &str) -> Result<String, String> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.mlir", text).unwrap();
        let mut context = Context::new();
        context.set_dialects(source);
        match parse_module(&mut context, sources.file(file)) {
            Ok(module) => Ok(module.print(&context, PrintOptions::new().generic(true))),
            Err(errors) => Err(errors.iter().map(|error| error.message.clone()).collect()),
        }
    }

    const BASE: &str = "include \"mlir/IR/OpBase.td\"\n\
        def My_Dialect : Dialect { let name = \"my\"; let cppNamespace = \"::my\"; }\n\
        class My_Op<string n> : Op<My_Dialect, n>;\n";

    fn ops(name: &str, base: &str) -> String {
        format!(
            "include \"{base}\"\ndef {name} : My_Op<\"{name}\"> {{ let arguments = (ins I32:$x); \
             let results = (outs I32:$r); let assemblyFormat = \"`(` $x `)` attr-dict\"; }}\n"
        )
    }

    /// A folder with `base/Base.td`, which defines a dialect, and with `Ops.td` and `more/More.td`, which add one
    /// operation each.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("base")).unwrap();
        std::fs::create_dir(folder.path().join("more")).unwrap();
        std::fs::write(folder.path().join("base/Base.td"), BASE).unwrap();
        std::fs::write(folder.path().join("Ops.td"), ops("one", "base/Base.td")).unwrap();
        std::fs::write(folder.path().join("more/More.td"), ops("two", "base/Base.td")).unwrap();
        folder
    }

    const ONE: &str = "%0 = arith.constant 1 : i32\n%1 = my.one(%0)\n";
    const TWO: &str = "%0 = arith.constant 1 : i32\n%1 = my.two(%0)\n";

    /// `src/ir/prelude.drrdl` has the definitions that the files of the prelude state.
    #[test]
    fn prelude_pack_has_the_definitions_of_the_prelude() {
        let files = OnceLock::from(Source::Index(Index::of_prelude()));
        let bytes = DialectFiles { prelude: files, ..DialectFiles::new() }.pack().unwrap();
        if std::env::var_os("DRRVM_BLESS").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/ir/prelude.drrdl"), &bytes).unwrap();
            return;
        }
        assert!(
            bytes == PRELUDE_PACK,
            "the pack is old: `DRRVM_BLESS=1 cargo test prelude_pack` writes it again"
        );
    }

    #[test]
    fn a_symbol_is_not_read_as_the_optional_string_before_it() {
        let text = "memref.global @a : memref<2xf32>\nmemref.global \"private\" @b : memref<2xf32>\n";
        let found = generic(DialectFiles::new().shared(), text).unwrap();
        assert!(found.contains("sym_name = \"a\""), "{found}");
        assert!(found.contains("sym_visibility = \"private\""), "{found}");
    }

    /// The file `Ops.td` uses a class that only `Zero.td` defines, but does not include `Zero.td`.
    #[test]
    fn files_that_do_not_include_their_classes_are_read_after_the_others() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Base.td"), format!("#ifndef BASE\n#define BASE\n{BASE}#endif\n"))
            .unwrap();
        let one = ops("one", "mlir/IR/OpBase.td").replace("My_Op<", "My_Own<");
        std::fs::write(folder.path().join("All.td"), "include \"Zero.td\"\ninclude \"Ops.td\"\n").unwrap();
        std::fs::write(folder.path().join("Ops.td"), format!("{one}\n")).unwrap();
        let zero = "include \"Base.td\"\n#ifndef ZERO\n#define ZERO\nclass My_Own<string n> : My_Op<n>;\n\
                    def zero : My_Own<\"zero\">;\n#endif\n";
        std::fs::write(folder.path().join("Zero.td"), zero).unwrap();
        let found = generic(DialectFiles::new().path(folder.path()).shared(), ONE).unwrap();
        assert!(found.contains("\"my.one\"(%0) : (i32) -> i32"), "{found}");
    }

    #[test]
    fn named_enum_properties_are_read_and_printed() {
        let folder = tempfile::tempdir().unwrap();
        let text = "include \"mlir/IR/OpBase.td\"\ninclude \"mlir/IR/EnumAttr.td\"\n\
            def My_Dialect : Dialect { let name = \"my\"; let cppNamespace = \"::my\"; }\n\
            def A : I32BitEnumCaseBit<\"A\", 0, \"a\">;\ndef B : I32BitEnumCaseBit<\"B\", 1, \"b\">;\n\
            def C : I32BitEnumCaseBit<\"C\", 2, \"c\">;\n\
            def AB : BitEnumCaseGroup<\"AB\", [A, B], \"ab\">;\n\
            def Flags : I32BitEnum<\"Flags\", \"flags\", [I32BitEnumCaseNone<\"None\", \"none\">, A, B, C, AB]> {\n\
              let cppNamespace = \"::my\"; let separator = \", \"; let printBitEnumPrimaryGroups = 1; }\n\
            def FlagsProp : NamedEnumProp<Flags, \"with\"> { let defaultValue = \"::my::Flags::None\"; }\n\
            def My_Op : Op<My_Dialect, \"op\"> { let arguments = (ins FlagsProp:$flags);\n\
              let assemblyFormat = \"($flags^)? attr-dict\"; }\n";
        std::fs::write(folder.path().join("Ops.td"), text).unwrap();
        let source = DialectFiles::new().path(folder.path()).shared();
        for (written, printed, value) in [
            ("my.op with<b>", "my.op with<b>", 2),
            ("my.op with<c, b, a>", "my.op with<ab, c>", 7),
            ("my.op with<ab>", "my.op with<ab>", 3),
            ("my.op with<none>", "my.op", 0),
            ("my.op", "my.op", 0),
        ] {
            let found = generic(source.clone(), written).unwrap();
            assert!(found.contains(&format!("<{{flags = {value} : i32}}>")), "{found}");
            let mut sources = SourceMap::default();
            let file = sources.add("a.mlir", written).unwrap();
            let mut context = Context::new();
            context.set_dialects(source.clone());
            let module = parse_module(&mut context, sources.file(file)).unwrap();
            let text = module.print(&context, PrintOptions::new());
            assert_eq!(text, format!("module {{\n  {printed}\n}}\n"));
        }
        assert!(generic(source, "my.op with<d>").unwrap_err().contains("expected one of none, a, b, c, ab"));
    }

    /// Operations with properties that C++ code converts or parses, with enumeration properties that have an attribute
    /// form, and with an array of floats.
    const CXX_PROPERTIES: &str = r#"include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/Properties.td"
def My_Dialect : Dialect { let name = "my"; let cppNamespace = "::my"; }
def Red : I32BitEnumCaseBit<"Red", 0, "red">;
def Green : I32BitEnumCaseBit<"Green", 2, "green">;
def Color : I32BitEnum<"Color", "", [Red, Green]> { let cppNamespace = "::my"; }
def ColorAttr : EnumAttr<My_Dialect, Color, "color"> { let assemblyFormat = "`<` $value `>`"; }
def Shade : I32BitEnum<"Shade", "", [Red, Green]> { let cppNamespace = "::my"; }
def ShadeAttr : EnumAttr<My_Dialect, Shade, "plain">;
def Own : IntProp<"int64_t"> {
  let convertToAttribute = "return toText($_ctxt, $_storage);";
  let convertFromAttribute = "return fromText($_storage, $_attr, $_diag);";
}
def Marked : IntProp<"int64_t"> {
  let parser = [{
    if ($_parser.parseKeyword("x")) return ::mlir::failure();
    auto value = ::mlir::FieldParser<int64_t>::parse($_parser);
    if (::mlir::failed(value)) return ::mlir::failure();
    $_storage = std::move(*value);
  }];
}
class My_Op<string name, dag args, string format> : Op<My_Dialect, name> {
  let arguments = args;
  let assemblyFormat = format # " attr-dict";
}
def Paint : My_Op<"paint", (ins EnumPropWithAttrForm<Color, ColorAttr>:$c), "$c">;
def Plain : My_Op<"plain", (ins EnumPropWithAttrForm<Shade, ShadeAttr>:$c), "$c">;
def Keep : My_Op<"keep", (ins DefaultValuedProp<Own, "4">:$own, DefaultValuedProp<I64Prop, "5">:$i), "">;
def Mark : My_Op<"mark", (ins Marked:$m), "$m">;
def Floats : My_Op<"floats", (ins DenseF32ArrayAttr:$f), "$f">;
"#;

    #[test]
    fn properties_with_cxx_code_are_not_guessed() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Ops.td"), CXX_PROPERTIES).unwrap();
        let source = DialectFiles::new().path(folder.path()).shared();
        let read = |text: &str| {
            let mut sources = SourceMap::default();
            let file = sources.add("a.mlir", text).unwrap();
            let mut context = Context::new();
            context.set_dialects(source.clone());
            let module = parse_module(&mut context, sources.file(file)).unwrap();
            let bytes = crate::ir::mlirbc::write(&mut context, &module, crate::ir::mlirbc::VERSION);
            (module.print(&context, PrintOptions::new()), bytes.map_err(|error| error.to_string()))
        };
        for (written, custom, given) in [
            ("\"my.paint\"() <{c = #my.color<green>}> : () -> ()", "my.paint green", "<{c = 4 : i32}>"),
            ("my.paint red|green", "my.paint red|green", "<{c = 5 : i32}>"),
            (
                "\"my.plain\"() <{c = #my<plain red|green>}> : () -> ()",
                "my.plain red|green",
                "<{c = 5 : i32}>",
            ),
            ("my.keep", "my.keep", "<{i = 5 : i64}>"),
            (
                "\"my.mark\"() <{m = 5 : i64}> : () -> ()",
                "\"my.mark\"() <{m = 5 : i64}> : () -> ()",
                "<{m = 5 : i64}>",
            ),
            ("my.floats [1.0]", "my.floats [1.000000e+00]", "<{f = array<f32: 1.000000e+00>}>"),
            (
                "\"my.floats\"() <{f = array<f32: 0x7F800000>}> : () -> ()",
                "\"my.floats\"() <{f = array<f32: 0x7F800000>}> : () -> ()",
                "<{f = array<f32: 0x7F800000>}>",
            ),
        ] {
            assert_eq!(read(written).0, format!("module {{\n  {custom}\n}}\n"));
            let found = generic(source.clone(), written).unwrap();
            assert!(found.contains(given), "{found}");
        }
        assert!(generic(source.clone(), "my.mark 5").unwrap_err().contains("C++"));
        assert!(read("my.paint green").1.is_ok());
        let error = read("my.keep").1.unwrap_err();
        assert!(error.contains("cannot write the properties of 'my.keep' as byte code"), "{error}");
    }

    #[test]
    fn a_file_that_lacks_an_include_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Ops.td");
        std::fs::write(&file, "include \"sub/Base.td\"\ndef A : Op<My_Dialect, \"a\">;\n").unwrap();
        let error = DialectFiles::new().path(&file).check().unwrap_err();
        assert!(error.message.ends_with("could not find include file 'sub/Base.td'"), "{}", error.message);
        assert_eq!(error.help, ["pass the directory that contains the file with -I"]);
        // A condition excludes the `include`.
        let text = "#ifdef NEVER\ninclude \"sub/Base.td\"\n#endif\n";
        std::fs::write(&file, text).unwrap();
        DialectFiles::new().path(&file).check().unwrap();
        // Another error of such a file gets no advice about includes.
        std::fs::write(&file, format!("{text}def A : Missing;\n")).unwrap();
        let error = DialectFiles::new().path(&file).check().unwrap_err();
        assert!(error.message.contains("Missing") && error.help.is_empty(), "{error:?}");
    }

    #[test]
    fn a_file_defines_what_it_includes() {
        let folder = folder();
        let files = || DialectFiles::new().include_dir(folder.path());
        let one = files().path(folder.path().join("Ops.td"));
        assert!(generic(one.shared(), ONE).unwrap().contains("\"my.one\"(%0) : (i32) -> i32"));
        // The dialect is defined outside of the folder of the file.
        let more = files().path(folder.path().join("more/More.td"));
        assert!(generic(more.shared(), TWO).unwrap().contains("\"my.two\"(%0) : (i32) -> i32"));
        let with_base =
            files().path(folder.path().join("more/More.td")).path(folder.path().join("base/Base.td"));
        assert!(generic(with_base.shared(), TWO).is_ok());
        let both = files().path(folder.path().join("more/More.td")).path(folder.path().join("Ops.td"));
        let both = both.shared();
        assert!(generic(both.clone(), ONE).is_ok());
        assert!(generic(both, TWO).is_ok());
        // Two files include the record of the dialect from their folder.
        std::fs::write(folder.path().join("Also.td"), ops("two", "base/Base.td")).unwrap();
        let two =
            files().path(folder.path().join("Ops.td")).path(folder.path().join("base/../Also.td")).shared();
        assert!(generic(two.clone(), ONE).is_ok());
        assert!(generic(two, TWO).is_ok());
        // The file includes no operations of the dialect, so they come from the prelude.
        let uses = "include \"mlir/Dialect/Arith/IR/ArithBase.td\"\n";
        std::fs::write(folder.path().join("Uses.td"), uses).unwrap();
        let uses = DialectFiles::new().path(folder.path().join("Uses.td")).shared();
        assert!(uses.dialect("arith").unwrap().unwrap().has_operations());
    }

    /// Two files that include the record of the dialect define it together, so the errors of both are reported.
    #[test]
    fn errors_in_a_second_file_of_a_dialect_are_reported() {
        let folder = folder();
        let broken = ops("two", "base/Base.td").replace("I32:$x", "Missing:$x");
        std::fs::write(folder.path().join("Also.td"), broken).unwrap();
        let files =
            DialectFiles::new().path(folder.path().join("Ops.td")).path(folder.path().join("Also.td"));
        assert!(generic(files.shared(), ONE).unwrap_err().contains("Missing"));
    }

    /// The default of a parameter can be a type of the class that declares the parameter. This type then has the
    /// parameter as well.
    #[test]
    fn a_default_can_contain_the_class_of_its_parameter() {
        let folder = tempfile::tempdir().unwrap();
        let class = |name: &str, mnemonic: &str, default: &str| {
            format!(
                "def My_{name} : TypeDef<My_Dialect, \"{name}\"> {{ let mnemonic = \"{mnemonic}\";\n\
                 let parameters = (ins \"int\":$n,\n\
                 DefaultValuedParameter<\"::mlir::Type\", \"\\\"{default}\\\"\">:$p,\n\
                 DefaultValuedParameter<\"::mlir::Type\", \"\\\"{default}\\\"\">:$q);\n\
                 let assemblyFormat = \"`<` struct(params) `>`\"; }}\n"
            )
        };
        let text = format!(
            "include \"mlir/IR/OpBase.td\"\ninclude \"mlir/IR/AttrTypeBase.td\"\n\
             def My_Dialect : Dialect {{ let name = \"my\"; let cppNamespace = \"::my\"; }}\n{}{}{}",
            class("Own", "own", "!my.own<n = 1, p = i32, q = i32>"),
            class("One", "one", "!my.two<n = 1, p = i32, q = i32>"),
            class("Two", "two", "!my.one<n = 1, p = i32, q = i32>"),
        );
        std::fs::write(folder.path().join("My.td"), text).unwrap();
        let mut context = Context::new();
        context.set_dialects(DialectFiles::new().path(folder.path()).shared());
        for (text, printed) in [
            ("!my.own<n = 2, p = i8>", "!my.own<n = 2, p = i8>"),
            ("!my.own<n = 2, p = !my.own<n = 1, q = i32, p = i32>, q = i8>", "!my.own<n = 2, q = i8>"),
            ("!my.one<n = 2, p = i8, q = !my.two<n = 1, p = i32, q = i32>>", "!my.one<n = 2, p = i8>"),
            ("!my.two<n = 2, p = !my.one<n = 1, p = i32, q = i32>>", "!my.two<n = 2>"),
        ] {
            let ty = context.parse_type(text).unwrap();
            assert_eq!(context.type_text(ty), printed);
        }
    }

    #[test]
    fn a_pack_defines_the_operations_of_its_files() {
        let folder = folder();
        let whole = DialectFiles::new().path(folder.path()).pack().unwrap();
        let extension = DialectFiles::new()
            .include_dir(folder.path())
            .path(folder.path().join("more/More.td"))
            .pack()
            .unwrap();
        let base = DialectFiles::new().path(folder.path().join("Ops.td")).pack().unwrap();
        assert!(DialectPack::from_bytes(extension.clone()).unwrap().names().next().is_none());
        let mut paths = Vec::new();
        for (name, bytes) in [("whole", &whole), ("extension", &extension), ("base", &base)] {
            let path = folder.path().join(name).with_extension("drrdl");
            std::fs::write(&path, bytes).unwrap();
            paths.push(path);
        }
        let [whole, extension, base] = paths.try_into().unwrap();
        for (paths, one, two) in [
            (vec![&whole], true, true),
            (vec![&base], true, false),
            (vec![&extension], false, true),
            (vec![&extension, &base], true, true),
            (vec![&base, &extension], true, true),
        ] {
            let files = paths.iter().fold(DialectFiles::new(), |files, path| files.path(path));
            files.check().unwrap();
            let source = files.shared();
            assert_eq!(generic(source.clone(), ONE).is_ok(), one, "{paths:?}");
            assert_eq!(generic(source, TWO).is_ok(), two, "{paths:?}");
        }
    }

    #[test]
    fn damaged_packs_and_missing_paths_are_refused() {
        let folder = folder();
        let bytes = DialectFiles::new().path(folder.path()).pack().unwrap();
        let path = folder.path().join("my.drrdl");
        let error = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let files = DialectFiles::new().path(&path);
            let error = files.check().unwrap_err();
            assert!(files.shared().dialect("my").is_err());
            error.message
        };
        let mut damaged = bytes.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(error(&damaged).ends_with("it is corrupt: the checksum is wrong"));
        assert!(error(&bytes[..bytes.len() - 1]).contains("it is truncated"));
        assert!(error(&[&bytes[..], &[0]].concat()).ends_with("its end is followed by 1 byte"));
        assert!(error(b"def A;").ends_with("it is not a pack of definitions"));
        let version = DialectPack::FORMAT_VERSION;
        for other in [version - 1, version + 1] {
            let mut changed = bytes.clone();
            changed[12..16].copy_from_slice(&other.to_le_bytes());
            let expected = format!("it has version {other} of the format, expected {version}");
            assert!(error(&changed).ends_with(&expected));
        }
        let missing = DialectFiles::new().path(folder.path().join("none.td"));
        assert!(missing.check().unwrap_err().message.ends_with("it does not exist"));
    }

    /// Sets the time of the last change of all `.td` files in a folder, in seconds since 1970.
    fn set_time(folder: &std::path::Path, seconds: u64) {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        for file in super::files_below(folder) {
            std::fs::File::options().append(true).open(file).unwrap().set_modified(time).unwrap();
        }
    }

    #[test]
    fn the_cache_is_valid_until_a_file_changes() {
        let folder = folder();
        let cache = tempfile::tempdir().unwrap();
        let entries = || std::fs::read_dir(cache.path()).unwrap().count();
        let read = |text| {
            let files = DialectFiles::new().path(folder.path()).cache(cache.path()).shared();
            generic(files, text)
        };
        // Files that were just changed can change again within the same tick of the clock.
        assert!(read(ONE).is_ok());
        assert_eq!(entries(), 0);
        set_time(folder.path(), 1_000_000);
        assert!(read(ONE).is_ok());
        assert_eq!(entries(), 2, "the index and the dialect");
        let text = std::fs::read_to_string(folder.path().join("Ops.td")).unwrap();
        std::fs::write(folder.path().join("Ops.td"), text.replace("`(`", "`[`")).unwrap();
        set_time(folder.path(), 1_000_000);
        assert!(read(ONE).is_ok(), "the entry is used, because the size and the time are the same");
        set_time(folder.path(), 2_000_000);
        assert!(read(ONE).unwrap_err().contains("expected '['"));
        std::fs::remove_file(folder.path().join("more/More.td")).unwrap();
        assert!(read(TWO).is_err(), "a removed file");
        assert!(entries() > 2);
        // Damaged entries are ignored.
        for entry in std::fs::read_dir(cache.path()).unwrap() {
            std::fs::write(entry.unwrap().path(), b"DRRDC").unwrap();
        }
        assert!(read(&ONE.replace('(', "[")).is_ok());
        // A cache that cannot be written is ignored.
        let files = DialectFiles::new().path(folder.path()).cache(folder.path().join("Ops.td")).shared();
        assert!(generic(files, &ONE.replace('(', "[")).is_ok());
    }
}
