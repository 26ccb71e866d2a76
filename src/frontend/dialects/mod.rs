//! Finds the definitions of dialects in `.td` files, and translates them for the IR's reader and printer.
//!
//! Specification: a dialect has the operations whose records `mlir-tblgen` would find in the files that define it.
//!
//! `index` scans the files of a folder and finds the files that define operations, attributes and types of each dialect,
//! without evaluating them. `lower` translates the definitions of one dialect. [`DialectFiles`] does both when a context
//! reads the name of a dialect.

mod index;
mod lower;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashMap;

use self::index::Index;
use super::{ods, prelude, tablegen};
use crate::ir::dialect::{Dialect, DialectSource};
use crate::source::{Diagnostic, SourceMap};

/// Files and folders with definitions of dialects. The prelude is searched last.
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
    paths: Vec<PathBuf>,
    include_dirs: Vec<PathBuf>,
    defines: Vec<String>,
    generic_form: Option<bool>,
    /// The indexes of `paths`, and of the prelude at the end.
    indexes: Mutex<Option<Vec<Arc<Index>>>>,
    /// The dialects that were asked for, because several contexts can share one value.
    known: Mutex<HashMap<String, Found>>,
}

/// The result of a search for a dialect.
type Found = Result<Option<Dialect>, Diagnostic>;

impl DialectFiles {
    /// No files but the prelude.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a `.td` file, or a folder whose `.td` files are searched at the first use.
    #[must_use]
    pub fn path(mut self, path: impl Into<PathBuf>) -> Self {
        self.paths.push(path.into());
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

    /// If `on`, the definitions apply to operations in generic form as well: their attributes are sorted into properties
    /// and others, and they are printed in custom form. By default, they apply if there are paths.
    #[must_use]
    pub fn generic_form(mut self, on: bool) -> Self {
        self.generic_form = Some(on);
        self
    }

    /// The value in the form that [`Context::set_dialects`](crate::ir::Context::set_dialects) takes.
    pub fn shared(self) -> Arc<dyn DialectSource> {
        Arc::new(self)
    }

    /// Evaluates files together, and translates the definitions of one dialect.
    fn load(&self, index: &Index, files: &[String], name: &str) -> Result<Option<Dialect>, Diagnostic> {
        match self.evaluate(index.include_dirs(), files, name) {
            Ok(dialect) => Ok(dialect),
            // Files of different targets can contradict each other.
            Err(error) if files.len() > 1 => {
                let mut all: Option<Dialect> = None;
                for file in files {
                    let Ok(Some(part)) =
                        self.evaluate(index.include_dirs(), std::slice::from_ref(file), name)
                    else {
                        continue;
                    };
                    match &mut all {
                        None => all = Some(part),
                        Some(all) => all.extend(part),
                    }
                }
                if all.is_some() { Ok(all) } else { Err(error) }
            }
            Err(error) => Err(error),
        }
    }

    fn evaluate(
        &self,
        dirs: &[PathBuf],
        files: &[String],
        name: &str,
    ) -> Result<Option<Dialect>, Diagnostic> {
        let mut sources = SourceMap::default();
        let main: String = files.iter().map(|file| format!("include \"{file}\"\n")).collect();
        let main = sources.add("the definitions of a dialect", main)?;
        // Some files include others of their own folder by their names.
        let own = files.iter().filter_map(|file| Path::new(file).parent().map(Path::to_owned));
        let own: BTreeSet<PathBuf> = own.collect();
        let config = tablegen::Config {
            include_dirs: dirs.iter().chain(&self.include_dirs).chain(&own).cloned().collect(),
            defines: self.defines.clone(),
            embedded: prelude::FILES,
            warn_unused_template_args: false,
        };
        let (records, diagnostics) = tablegen::parse_as_far(&mut sources, main, &config);
        if diagnostics.has_errors() {
            let first = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
            if let Some(error) = first {
                return Err(located(error, &sources));
            }
        }
        let Some(records) = records else { return Ok(None) };
        let definitions = ods::read(&records);
        lower::lower(&definitions, name).map_err(|error| located(&error, &sources))
    }
}

/// An error with its place in the message, because the files that it refers to are not those of the caller.
fn located(error: &Diagnostic, sources: &SourceMap) -> Diagnostic {
    let place = match sources.locate(error.span()) {
        Some(at) => format!("{}:{}:{}: ", at.file.name(), at.line, at.column),
        None => String::new(),
    };
    let mut own = Diagnostic::error(format!("{place}{}", error.message));
    own.help.clone_from(&error.help);
    for note in &error.notes {
        own = own.with_note(note.text.clone());
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
        let indexes = {
            let mut known = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
            known
                .get_or_insert_with(|| {
                    let paths = self.paths.iter().map(|path| Arc::new(Index::of_path(Path::new(path))));
                    paths.chain([Arc::new(Index::of_prelude())]).collect()
                })
                .clone()
        };
        for (number, index) in indexes.iter().enumerate() {
            let files = index.files(name);
            if files.is_empty() {
                continue;
            }
            let Some(mut dialect) = self.load(index, &files, name)? else { continue };
            // The files of other paths can add operations to the dialect.
            let record = index.record(name).unwrap_or_default();
            for (_, other) in indexes.iter().enumerate().filter(|(other, _)| *other != number) {
                for file in other.extensions(record) {
                    let mut dirs = other.include_dirs().to_vec();
                    dirs.extend_from_slice(index.include_dirs());
                    // A file that needs more than these paths extends nothing.
                    if let Ok(Some(more)) = self.evaluate(&dirs, std::slice::from_ref(file), name) {
                        dialect.extend(more);
                    }
                }
            }
            return Ok(Some(dialect));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::DialectFiles;
    use crate::ir::dialect::{ClassForm, ClassText, DialectSource, FormResult};
    use crate::ir::{AttrId, Context, PrintOptions, parse_module};
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
        for (open, close) in [("!my.box<", " z>"), ("!my.open<", " z>"), ("!my.box<", ">")] {
            let text = format!("{}i8{}", open.repeat(depth), close.repeat(depth));
            let ty = context.parse_type(&text).unwrap();
            assert_eq!(context.type_text(ty), text);
        }
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
}
