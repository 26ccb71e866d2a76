//! The functions of C++ files, and their compiled instances.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use hashbrown::{HashMap, HashSet};

use super::expand::{UnreadMacro, UnreadMacros, is_source};
use super::scan::{self, Declared, DeclaredAlias, Definition, Using};
use crate::frontend::cxx::ast::{Ast, NodeId, TypeName};
use crate::frontend::cxx::lex::{self, Token};
use crate::frontend::cxx::parse::{Alias, Aliases, LocalUsing, Parser, ResolvedNames};
use crate::snippet::{FunctionId, SourceEnum, Ty};
use crate::source::{Diagnostic, Diagnostics, SourceFile, SourceMap, Span};

/// The definitions of functions in C++ files.
///
/// ```
/// use drrvm::internal::frontend::cxx::Functions;
/// use drrvm::source::SourceMap;
/// let mut sources = SourceMap::default();
/// let file = sources.add("helpers.cpp", "static bool isOne(int64_t x) { return x == 1; }").expect("small");
/// let mut functions = Functions::default();
/// functions.add(sources.file(file));
/// assert!(!functions.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Functions {
    files: Vec<SourceFile>,
    functions: Vec<Function>,
    by_name: HashMap<String, Vec<usize>>,
    /// The functions of `library.h`, `shapes.h`, `strings.h`, `std.h`, `algorithms.h` and `creation.h`, which together
    /// are the first file.
    library: HashMap<String, Vec<usize>>,
    /// For each name of a method that `library.h` defines for a built-in class, the numbers of the parameters through
    /// which the method changes a variable. The object has the number 0.
    library_methods: HashMap<String, Vec<usize>>,
    /// The specialisations of templates.
    specialised: HashMap<String, Vec<usize>>,
    /// The declarations that may state default arguments.
    declared_by_name: HashMap<String, Vec<usize>>,
    /// The declarations of function templates. Their specialisations can have bodies even if the template has none.
    declared_templates: HashMap<String, Vec<usize>>,
    /// The names of the function templates.
    function_templates: Arc<HashSet<String>>,
    /// The constants, and the global variables of source files.
    constants: HashMap<String, Vec<(usize, Declared)>>,
    structs: HashMap<String, Vec<(usize, Declared)>>,
    enums: HashMap<String, Vec<(usize, Declared)>>,
    /// The number of each enumeration, by its path and its text, and a flag that is true for a scoped enumeration.
    enum_numbers: HashMap<(String, String), (u16, bool)>,
    /// The enumerators, each with the path of its enumeration.
    enumerators: HashMap<String, Vec<Enumerator>>,
    /// The aliases that the files declare outside of functions.
    aliases: Arc<Aliases>,
    /// The macros without parameters; `None` if a name has several meanings.
    macros: HashMap<String, Option<(usize, Range<usize>)>>,
    /// For each file, the branches of conditionals that the compiler may include or exclude.
    branches: Vec<Vec<Range<usize>>>,
    /// The macros that are not expanded.
    unread_macros: UnreadMacros,
    /// True if a constructor may change an argument.
    constructors_change: bool,
    /// The namespaces of `using namespace`, and inline namespaces, without repetitions in a file.
    used_namespaces: Vec<FileUsing>,
    /// The names of `using a::b;`.
    used_names: Vec<FileUsing>,
    /// The scopes around each line that includes generated code.
    including: Vec<Vec<String>>,
    /// The names of `std` that each file uses without their namespace.
    std_names: Vec<StdNames>,
    /// The ambiguous names of definitions, with one entry for each meaning.
    ambiguous: Arc<[AmbiguousName]>,
    resolved: Resolved,
}

/// A name that has several meanings, with the qualified name of one meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AmbiguousName {
    pub(crate) name: String,
    pub(crate) qualified: String,
}

/// The resolved names for each list of scopes, so that they are computed once.
#[derive(Debug, Default)]
struct Resolved(Mutex<HashMap<Vec<String>, Arc<ResolvedNames>>>);

impl Clone for Resolved {
    /// Returns an empty table, because the ambiguous names of the copy may become different.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A `using` of a file.
#[derive(Clone, Debug)]
struct FileUsing {
    file: usize,
    using: Using,
}

/// The place of a name that is looked up.
#[derive(Clone, Copy)]
pub(super) struct Site<'s> {
    /// The number of the file; `None` in generated code, for which the place is not known.
    file: Option<usize>,
    /// The byte at which the name starts.
    at: usize,
    /// The names of the scopes around the name.
    enclosing: &'s [String],
    /// Each `using namespace` of the function.
    local: &'s [LocalUsing],
}

/// The names of `std` that a file uses without their namespace.
#[derive(Clone, Debug)]
struct StdNames {
    /// Each `using namespace std;` and `using std::x;`.
    used: Vec<Using>,
    /// The byte at which the last line that includes generated code starts.
    last_include: Option<usize>,
    /// True for the text of a class in generated code.
    is_generated: bool,
}

/// A class of the source files.
#[derive(Clone, Debug)]
pub(in crate::frontend::cxx) struct SourceClass {
    pub(in crate::frontend::cxx) ty: Ty,
    /// The scopes around the class, and its name.
    pub(super) path: Vec<String>,
    /// The text of the file.
    pub(super) text: Arc<str>,
    /// The nodes of the class.
    pub(super) ast: Ast,
    /// The declarations of the data members.
    pub(super) members: Vec<NodeId>,
    /// The numbers of the data members that are sets without an order.
    pub(super) unordered: Vec<u32>,
    /// True if a constructor is declared without `= default`. Only constructors create objects of such a class.
    pub(in crate::frontend::cxx) has_constructors: bool,
    /// True if a constructor without parameters is declared `= default`.
    pub(super) has_default: bool,
}

/// An enumerator of the source files.
#[derive(Clone, Debug)]
struct Enumerator {
    /// The number of the file.
    file: usize,
    /// The byte at which the enumeration starts.
    at: usize,
    /// The scopes through which the enumerator is named, and its name.
    path: Vec<String>,
    /// The path of the enumeration.
    of: String,
}

/// A definition in a file.
#[derive(Clone, Debug)]
pub(super) struct Function {
    file: usize,
    pub(super) definition: Definition,
}

/// The functions of `library.h`, `shapes.h`, `strings.h`, `std.h`, `algorithms.h` and `creation.h`. All headers except
/// the last define functions of MLIR, LLVM and the standard library that helpers call.
static LIBRARY: LazyLock<Functions> = LazyLock::new(|| {
    let (mut functions, mut sources) = (Functions::default(), SourceMap::default());
    if let Ok(file) = sources.add(
        "MLIR",
        concat!(
            include_str!("library.h"),
            include_str!("shapes.h"),
            include_str!("strings.h"),
            include_str!("std.h"),
            include_str!("algorithms.h"),
            include_str!("creation.h")
        ),
    ) {
        functions.add(sources.file(file));
    }
    let by_name = std::mem::take(&mut functions.by_name);
    // The member functions of the library's classes are found through their objects.
    let (members, library) = by_name
        .into_iter()
        .partition(|(_, of)| of.iter().all(|&index| functions.class_of_member(index).is_some()));
    (functions.by_name, functions.library) = (members, library);
    let mut methods: HashMap<String, Vec<usize>> = HashMap::new();
    for (name, &index) in
        functions.library.iter().flat_map(|(name, all)| all.iter().map(move |of| (name, of)))
    {
        let Some((_, method)) = name.split_once('_') else { continue };
        let params = split_parameters(&functions.text(index)[functions.definition(index).params.clone()]);
        let changed = params.enumerate().filter(|(_, param)| binds_variable(param)).map(|(number, _)| number);
        methods.entry_ref(method).or_default().extend(changed);
    }
    functions.library_methods = methods;
    functions
});

/// The scope around the functions of the library, inside `mlir`, `llvm` or `std`.
const LIBRARY_SCOPE: &str = "drrvm";

/// The name of the functions of the library that create an operation.
const CREATE: &str = "create";

impl Functions {
    /// The functions of MLIR, LLVM and the standard library that drrvm defines itself, without functions of other
    /// files.
    pub fn of_library() -> Self {
        LIBRARY.clone()
    }

    /// Adds macros that are not expanded.
    pub(in crate::frontend) fn add_unread_macros(&mut self, macros: UnreadMacros) {
        self.unread_macros.extend(macros);
    }

    /// The reason why a name that the files use denotes no function; `None` unless it is a macro that is not expanded.
    pub(in crate::frontend::cxx) fn unread_macro(&self, name: &str) -> Option<String> {
        let UnreadMacro { reason, .. } = self.unread_macros.get(name)?;
        Some(format!("the macro '{name}' is not expanded ({reason})"))
    }

    /// The reason why a part of a function's text cannot be read as written: the part uses a macro that is not
    /// expanded. Also returns the byte at which the name of the macro starts. `None` if there is no such macro.
    pub(super) fn unread_macro_in(&self, index: usize, part: &Range<usize>) -> Option<(String, usize)> {
        if self.unread_macros.is_empty() {
            return None;
        }
        let (text, file) = (&self.text(index)[part.clone()], self.file(index).name());
        let (tokens, _) = scan::tokenize(text);
        let followed = tokens.iter().zip(tokens.iter().skip(1).map(Some).chain([None]));
        followed.filter(|(token, _)| token.kind == scan::Kind::Word).find_map(|(token, next)| {
            let name = &text[token.lo..token.hi];
            let of = self.unread_macros.get(name)?;
            let is_call = next.is_some_and(|next| next.kind == scan::Kind::Sign(b'('));
            let is_visible = of.only_in.as_ref().is_none_or(|only| only == file);
            let is_used = is_visible && (is_call || !of.is_function);
            is_used.then(|| Some((self.unread_macro(name)?, part.start + token.lo)))?
        })
    }

    /// Adds the definitions in a file.
    pub fn add(&mut self, file: &SourceFile) {
        let number = self.files.len();
        self.files.push(file.clone());
        let found = scan::scan(file.text());
        self.branches.push(found.branches);
        for class in found.structs {
            let Some(name) = class.path.last().cloned() else { continue };
            self.structs.entry(name).or_default().push((number, class));
        }
        let is_source = self.is_source(number);
        // Each source file that includes a header can have its own variables of the header.
        for constant in found.constants.into_iter().filter(|constant| is_source || !constant.is_variable) {
            let Some(name) = constant.path.last().cloned() else { continue };
            self.constants.entry(name).or_default().push((number, constant));
        }
        for (of, cases, scoped) in found.enums {
            let (Some(name), path) = (of.path.last().cloned(), of.path.join("::")) else { continue };
            let text = self.files[number].text()[of.declaration.clone()].to_owned();
            if let Ok(next) = u16::try_from(self.enum_numbers.len()) {
                self.enum_numbers.entry((path.clone(), text)).or_insert((next, scoped));
            }
            let (file, at) = (number, of.declaration.start);
            for case in cases {
                let entries = self.enumerators.entry(case.clone()).or_default();
                let inner: Vec<String> = of.path.iter().chain([&case]).cloned().collect();
                if !scoped {
                    let outer = of.path[..of.path.len() - 1].iter().chain([&case]).cloned().collect();
                    entries.push(Enumerator { file, at, path: outer, of: path.clone() });
                }
                entries.push(Enumerator { file, at, path: inner, of: path.clone() });
            }
            self.enums.entry(name).or_default().push((number, of));
        }
        for (name, range) in found.macros {
            let text =
                |&(file, ref range): &(usize, Range<usize>)| self.files[file].text()[range.clone()].trim();
            let known = self.macros.get(&name).map(|known| known.as_ref().map(text));
            let agrees = known.is_none_or(|known| known == Some(text(&(number, range.clone()))));
            self.macros.insert(name, Some((number, range)).filter(|_| agrees));
        }
        for DeclaredAlias { path, namespaces, at, of } in found.aliases {
            let Some(name) = path.last().cloned() else { continue };
            let ty = of.and_then(|of| lex::lex(&file.text()[of]).ok()).and_then(|tokens| {
                let mut parser = Parser::new(&tokens);
                (parser.aliases, parser.file) = (self.aliases.clone(), Some(number));
                parser.scopes = path[..path.len() - 1].into();
                parser.type_name().ok().filter(|ty| parser.at_end() && !ty.is_too_large())
            });
            // `using Type = mlir::Type;` declares no other name.
            if ty.as_ref().is_some_and(|ty| ty.path == name) {
                continue;
            }
            let of = ty.map(without_place);
            let only_in = self.is_source(number).then_some(number);
            let aliases = Arc::make_mut(&mut self.aliases).entry(name).or_default();
            let around = self.branches[number].iter().filter(|branch| branch.contains(&at));
            let branches = around.cloned().collect();
            aliases.push(Alias { path, namespaces, of, only_in, file: number, branches });
        }
        self.resolved = Resolved::default();
        let all = found.used_namespaces.iter().filter(|used| used.name == ["std"]);
        let names = found.used_names.iter().filter(|used| used.name.len() == 2 && used.name[0] == "std");
        self.std_names.push(StdNames {
            used: all.chain(names).cloned().collect(),
            last_include: found.including.last().map(|(at, _)| *at),
            is_generated: false,
        });
        let mut known = HashSet::new();
        for using in found.used_namespaces {
            if known.insert((using.scopes.clone(), using.name.clone())) {
                self.used_namespaces.push(FileUsing { file: number, using });
            }
        }
        let names = found.used_names.into_iter();
        self.used_names.extend(names.map(|using| FileUsing { file: number, using }));
        self.including.extend(found.including.into_iter().map(|(_, scopes)| scopes));
        self.add_declarations(number, found.declarations);
        self.add_functions(number, found.functions);
    }

    /// Adds the functions and constants in the text of a class. The path has the scopes around the class, and its name.
    pub(in crate::frontend) fn add_members(&mut self, text: &SourceFile, path: &[String]) {
        self.files.push(text.clone());
        self.branches.push(Vec::new());
        self.std_names.push(StdNames { used: Vec::new(), last_include: None, is_generated: true });
        let (file, found) = (self.files.len() - 1, scan::scan_in(text.text(), path));
        for constant in found.constants.into_iter().filter(|constant| !constant.is_variable) {
            let Some(name) = constant.path.last().cloned() else { continue };
            self.constants.entry(name).or_default().push((file, constant));
        }
        self.add_declarations(file, found.declarations);
        self.add_functions(file, found.functions);
    }

    fn add_declarations(&mut self, file: usize, declarations: Vec<Definition>) {
        let text = self.files[file].text().clone();
        for definition in declarations {
            let Some(name) = definition.path.last() else { continue };
            if text[definition.params.clone()].contains('=') {
                self.declared_by_name.entry(name.clone()).or_default().push(self.functions.len());
            }
            if definition.template.is_some() {
                self.declared_templates.entry(name.clone()).or_default().push(self.functions.len());
            }
            self.functions.push(Function { file, definition });
        }
    }

    fn add_functions(&mut self, file: usize, functions: Vec<Definition>) {
        let text = self.files[file].text().clone();
        for definition in functions {
            let Some(name) = definition.path.last() else { continue };
            let by_name = match definition.is_specialisation(&text) {
                true => &mut self.specialised,
                false => &mut self.by_name,
            };
            by_name.entry(name.clone()).or_default().push(self.functions.len());
            if definition.template.is_some() {
                Arc::make_mut(&mut self.function_templates).insert(name.clone());
            }
            self.constructors_change |=
                definition.is_constructor(&text) && binds_variable(&text[definition.params.clone()]);
            self.functions.push(Function { file, definition });
        }
    }

    /// True if there are no files except the library. A file without definitions is a file too, because the notes name
    /// the functions that it declares.
    pub fn is_empty(&self) -> bool {
        self.written_files().next().is_none()
    }

    /// The files except the library, with their numbers.
    fn written_files(&self) -> impl Iterator<Item = (usize, &SourceFile)> {
        self.files.iter().enumerate().skip(usize::from(!self.library.is_empty()))
    }

    /// True if a function of the library has this name.
    pub(in crate::frontend::cxx) fn is_named_in_library(&self, written: &str) -> bool {
        self.named(written).into_iter().any(|index| self.is_of_library(index))
    }

    /// True for a function of the library, which is the first file.
    pub(super) fn is_of_library(&self, index: usize) -> bool {
        self.functions[index].file == 0 && !self.library.is_empty()
    }

    /// True if a file contains a name in this namespace, or declares an alias of the namespace.
    pub(in crate::frontend) fn mention(&self, namespace: &str) -> bool {
        let prefix = format!("{namespace}::");
        let aliased = self.aliases.values().flatten().filter_map(|alias| alias.of.as_ref());
        aliased.into_iter().any(|of| of.path == namespace)
            || self.written_files().any(|(_, file)| {
                let text = file.text();
                text.match_indices(&prefix)
                    .any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
            })
    }

    /// True if the files contain a word.
    pub(in crate::frontend) fn contain(&self, word: &str) -> bool {
        self.written_files().any(|(_, file)| file.text().contains(word) && has_word(file.text(), word))
    }

    /// The definitions that a written name can refer to. Namespaces may be omitted, but the written namespaces must
    /// enclose the definition: `XOp::create` does not denote a function `create` outside of `XOp`.
    pub(super) fn named(&self, written: &str) -> Vec<usize> {
        let written: Vec<&str> = written.split("::").filter(|part| !part.is_empty()).collect();
        let Some(last) = written.last() else { return Vec::new() };
        let found = [&self.by_name, &self.library].into_iter().filter_map(|by_name| by_name.get(*last));
        let fits = |&&index: &&usize| is_suffix(&written, &self.functions[index].definition.path);
        let found: Vec<usize> = found.flatten().filter(fits).copied().collect();
        if !found.is_empty() {
            return found;
        }
        let has_specialisation = |&&index: &&usize| self.specialisations(index).next().is_some();
        let declared = self.declared_templates.get(*last).into_iter().flatten();
        declared.filter(fits).filter(has_specialisation).copied().collect()
    }

    /// The paths of the functions that a written name can refer to, except the functions of the library.
    pub(in crate::frontend::cxx) fn paths(&self, written: &str) -> Vec<&[String]> {
        let mut paths: Vec<&[String]> = Vec::new();
        for index in self.named(written).into_iter().filter(|&index| !self.is_of_library(index)) {
            let path = &self.definition(index).path[..];
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// The definitions of a member function of a class. The name of the class includes its namespaces. The files need
    /// not define the class.
    pub(super) fn of_class(&self, class: &str, method: &str) -> Vec<usize> {
        let class: Vec<&str> = class.split("::").filter(|part| !part.is_empty()).collect();
        let fits = |&&index: &&usize| match self.functions[index].definition.path.as_slice() {
            [of @ .., _] if !of.is_empty() => of.iter().rev().zip(class.iter().rev()).all(|(a, b)| a == b),
            _ => false,
        };
        let found = |by_name: &HashMap<String, Vec<usize>>| -> Vec<usize> {
            by_name.get(method).into_iter().flatten().filter(fits).copied().collect()
        };
        let of_files = found(&self.by_name);
        if of_files.is_empty() { found(&self.library) } else { of_files }
    }

    /// The functions `create` of the library that create an operation of this class.
    pub(super) fn creations(&self, class: &str) -> Vec<usize> {
        let path: Vec<&str> = ["mlir", LIBRARY_SCOPE].into_iter().chain(class.split("::")).collect();
        let is_of_class = |&&index: &&usize| {
            let of = &self.definition(index).path;
            of.len() == path.len() + 1 && of.iter().zip(&path).all(|(a, b)| a == b)
        };
        self.library.get(CREATE).into_iter().flatten().filter(is_of_class).copied().collect()
    }

    /// The constructors of a class that the files define.
    pub(super) fn constructors(&self, class: &[String]) -> Vec<usize> {
        let Some(name) = class.last() else { return Vec::new() };
        let mut found = self.members(&class.join("::"), name);
        found.retain(|&index| self.definition(index).is_constructor(self.text(index)));
        found
    }

    /// The functions with this name that are called on objects of a class. Empty if the files do not define the class.
    pub(super) fn methods(&self, class: &str, name: &str) -> Vec<usize> {
        let mut found = self.members(class, name);
        found.retain(|&index| self.object_class(index).is_some());
        found
    }

    /// The functions with this name in a class that the files define.
    pub(super) fn members(&self, class: &str, name: &str) -> Vec<usize> {
        let mut found = self.of_class(class, name);
        found
            .retain(|&index| self.class_of_member(index).is_some_and(|(.., of)| of.path.join("::") == class));
        found
    }

    /// The specialisations of a template.
    pub(super) fn specialisations(&self, index: usize) -> impl Iterator<Item = usize> {
        let path = &self.definition(index).path;
        let named = path.last().and_then(|name| self.specialised.get(name));
        named.into_iter().flatten().copied().filter(move |&other| self.definition(other).path == *path)
    }

    /// The functions without an object that a written name can denote in the scopes `enclosing`. An unqualified name
    /// denotes a static function of another class only if there is no other function. A name denotes a function of the
    /// library only if the files have no such function; inside the library, the functions of the library come first.
    pub(super) fn free(&self, name: &TypeName, enclosing: &[String]) -> Vec<usize> {
        let written = name.path.as_str();
        let mut found = self.named(written);
        // The namespace of a static member of a class of the library may be omitted, because MLIR imports the class.
        let is_static = |index: usize| self.is_of_library(index) && self.definition(index).path.len() > 3;
        found.retain(|&index| written.contains("::") || !is_static(index));
        if let Some(namespace) = name.namespace {
            found.retain(|&index| {
                self.definition(index).path.first().is_some_and(|outer| outer == namespace)
                    || is_static(index)
            });
        }
        found.retain(|&index| {
            let is_named_create = self.definition(index).path.last().is_some_and(|of| of == CREATE);
            let creates = self.is_of_library(index) && is_named_create;
            !creates
                && !self.is_builder(index)
                && self.object_class(index).is_none()
                && !self.definition(index).is_constructor(self.text(index))
        });
        if name.is_global {
            // The namespaces may be omitted only if no function has exactly this name.
            let parts: Vec<&str> = name.namespace.into_iter().chain(written.split("::")).collect();
            let is_exact = |&index: &usize| self.definition(index).path == parts;
            if found.iter().any(is_exact) {
                found.retain(is_exact);
            }
        }
        let is_hidden = |&index: &usize| {
            let class = self.class_of_member(index).filter(|_| !self.is_friend(index));
            class.is_some_and(|(_, class)| !written.contains("::") && !enclosing.starts_with(&class.path))
        };
        if !found.iter().all(is_hidden) {
            found.retain(|index| !is_hidden(index));
        }
        // An unqualified name may denote a function of the project that no file defines, so it denotes no function of
        // the library outside of `mlir`.
        found.retain(|&index| {
            let is_of_mlir = || self.definition(index).path.first().is_some_and(|outer| outer == "mlir");
            !self.is_of_library(index) || name.namespace.is_some() || is_of_mlir() || is_static(index)
        });
        let in_library = matches!(enclosing, [outer, scope, ..]
            if scope == LIBRARY_SCOPE && ["mlir", "llvm", "std"].contains(&outer.as_str()));
        if found.iter().any(|&index| self.is_of_library(index) == in_library) {
            found.retain(|&index| self.is_of_library(index) == in_library);
        }
        found
    }

    /// The functions of the library in `mlir`, `llvm` and `std` that have this name without namespaces.
    pub(super) fn library_functions(&self, name: &str) -> Vec<usize> {
        let named = self.library.get(name).into_iter().flatten().copied();
        named.filter(|&index| name != CREATE && self.definition(index).path.len() == 3).collect()
    }

    /// True for a function `build(builder, state, …)`, which creates an operation.
    pub(super) fn is_builder(&self, index: usize) -> bool {
        let definition = self.definition(index);
        definition.path.last().is_some_and(|name| name == "build")
            && has_word(&self.text(index)[definition.params.clone()], "OperationState")
    }

    /// The place of a name in a text. A text that is in no source file belongs to the generated code.
    pub(super) fn site<'s>(
        &self,
        text: &str,
        at: usize,
        enclosing: &'s [String],
        local: &'s [LocalUsing],
    ) -> Site<'s> {
        let is_written = |&file: &usize| !self.std_names.get(file).is_some_and(|of| of.is_generated);
        Site { file: self.file_of(text).filter(is_written), at, enclosing, local }
    }

    /// True if a `using` applies to a name: the `using` precedes the name in the same file, or is in a header. In
    /// generated code, each `using` applies.
    fn applies(&self, used: &FileUsing, site: &Site<'_>) -> bool {
        match site.file {
            Some(file) if file == used.file => used.using.at < site.at,
            Some(_) => !self.is_source(used.file),
            None => true,
        }
    }

    /// The depth of the scope in which the lookup of an unqualified name finds a function. `None` if no scope around
    /// the name has the function, and no `using` in these scopes makes it visible.
    pub(super) fn depth_in(&self, index: usize, site: &Site<'_>) -> Option<usize> {
        self.depth_of(&self.definition(index).path, 1, site)
    }

    /// The depth of the scope in which the lookup of the last `written` parts of a path finds the declaration with this
    /// path. `None` if no scope around the name has the declaration, and no `using` in these scopes makes it visible.
    pub(super) fn depth_of(&self, path: &[String], written: usize, site: &Site<'_>) -> Option<usize> {
        let count = path.len().checked_sub(written.max(1))?;
        let (outer, first) = (&path[..count], &path[..=count]);
        if site.enclosing.starts_with(outer) {
            return Some(outer.len());
        }
        let by_name = self
            .used_names
            .iter()
            .filter(|used| denotes(&used.using.name, first) && self.applies(used, site));
        let by_name = by_name.filter_map(|FileUsing { using, .. }| {
            let is_around = site.enclosing.starts_with(&using.scopes);
            if is_around { Some(using.scopes.len()) } else { self.depth_of_used(&using.scopes, site) }
        });
        let is_local =
            |used: &LocalUsing| !used.is_namespace && used.applies_at(site.at) && denotes(&used.name, first);
        if site.local.iter().any(is_local) {
            return Some(site.enclosing.len() + 1);
        }
        by_name.chain(self.depth_of_used(outer, site)).max()
    }

    /// The depth of the scope in which a `using namespace` makes the names of a namespace visible: the innermost scope
    /// around both the namespace and the `using namespace`. `None` if the scopes around the name do not use the
    /// namespace.
    fn depth_of_used(&self, namespace: &[String], site: &Site<'_>) -> Option<usize> {
        let common = |scopes: &[String]| scopes.iter().zip(namespace).take_while(|(a, b)| a == b).count();
        let used = self.used_at(site);
        used.iter().filter(|(_, name)| denotes(name, namespace)).map(|(scopes, _)| common(scopes)).max()
    }

    /// The names of the namespaces that the scopes around a name use, each with the scopes that use it. A scope that
    /// uses a namespace also uses the namespaces that this namespace uses.
    fn used_at<'u>(&'u self, site: &Site<'u>) -> Vec<(&'u [String], &'u [String])> {
        let of_files = || self.used_namespaces.iter().filter(|used| self.applies(used, site));
        let is_around = |used: &&FileUsing| site.enclosing.starts_with(&used.using.scopes);
        let local = site.local.iter().filter(|used| used.is_namespace && used.applies_at(site.at));
        let mut found: Vec<(&[String], &[String])> = of_files()
            .filter(is_around)
            .map(|FileUsing { using, .. }| (&using.scopes[..], &using.name[..]))
            .chain(local.map(|used| (site.enclosing, &used.name[..])))
            .collect();
        let in_namespaces: Vec<&Using> =
            of_files().map(|used| &used.using).filter(|using| !using.scopes.is_empty()).collect();
        let mut at = 0;
        while let Some(&(scopes, name)) = found.get(at) {
            at += 1;
            for next in in_namespaces.iter().filter(|next| denotes(name, &next.scopes)) {
                if !found.iter().any(|(_, known)| *known == next.name) {
                    found.push((scopes, &next.name));
                }
            }
        }
        found
    }

    /// True if a function is declared only after a name, in the same file. False for member functions, because these
    /// are visible in the whole class.
    pub(super) fn is_later(&self, index: usize, site: &Site<'_>) -> bool {
        let Function { file, definition } = &self.functions[index];
        let (Some(at), Some(name)) = (site.file, definition.path.last()) else { return false };
        at == *file
            && definition.name.start > site.at
            && !self.is_builder(index)
            && self.class_of_member(index).is_none()
            && !self.is_declared_before(name, *file, site.at)
    }

    /// True if a header, or the text of a file before a byte, declares a function with this name without defining it.
    fn is_declared_before(&self, name: &str, of: usize, at: usize) -> bool {
        let defines = |file: usize, at: usize| {
            self.by_name.get(name).into_iter().flatten().any(|&index| {
                let function = &self.functions[index];
                function.file == file && function.definition.name.start == at
            })
        };
        self.written_files().filter(|&(file, _)| file == of || !self.is_source(file)).any(|(file, source)| {
            let declares = |after: &str| after.starts_with('(');
            self.mentions(file, source, name, declares)
                .any(|place| (file != of || place < at) && !defines(file, place))
        })
    }

    /// True if the preprocessor may exclude the function `index`, and include the function `other` and the name that is
    /// looked up.
    pub(super) fn may_exist_without(&self, other: usize, index: usize, site: &Site<'_>) -> bool {
        let file = self.functions[index].file;
        let is_in = |branch: &Range<usize>, of: usize| {
            self.functions[of].file == file && branch.contains(&self.definition(of).name.start)
        };
        self.branches.get(file).into_iter().flatten().any(|branch| {
            let has_name = site.file == Some(file) && branch.contains(&site.at);
            is_in(branch, index) && !is_in(branch, other) && !has_name
        })
    }

    /// True for a source file (`.cpp`, `.cc` …). Other files do not include source files.
    fn is_source(&self, file: usize) -> bool {
        self.files.get(file).is_some_and(|file| is_source(file.name()))
    }

    /// True for a function that is `static` or in a namespace without a name.
    pub(super) fn is_local(&self, index: usize) -> bool {
        let definition = self.definition(index);
        definition.in_unnamed_namespace
            || has_word(&self.text(index)[definition.result.clone()], "static")
                && self.class_of_member(index).is_none()
    }

    /// True if `text` is in another file than a function and cannot see the function: the function is `static` or in a
    /// namespace without a name, and its file is not a header. False if `text` is in no file.
    pub(super) fn is_elsewhere(&self, index: usize, text: &str) -> bool {
        let file = self.functions[index].file;
        self.is_local(index) && self.is_source(file) && self.file_of(text).is_some_and(|of| of != file)
    }

    /// The number of the file with this text.
    fn file_of(&self, text: &str) -> Option<usize> {
        self.files.iter().position(|file| std::ptr::eq(file.text().as_ptr(), text.as_ptr()))
    }

    /// True if an enumeration is declared directly in a namespace.
    pub(super) fn is_enumeration_in(&self, of: SourceEnum, namespace: &[String]) -> bool {
        let mut all = self.enum_numbers.iter();
        let found = all.find_map(|((path, _), (number, _))| (*number == of.number).then_some(path));
        let outer = found.map_or("", |path| path.rsplit_once("::").map_or("", |(outer, _)| outer));
        outer == namespace.join("::")
    }

    /// True for a friend that is defined in a class.
    fn is_friend(&self, index: usize) -> bool {
        has_word(&self.text(index)[self.definition(index).result.clone()], "friend")
    }

    /// The text and the declaration of the class of a function; `None` if the files do not define the class.
    fn class_of_member(&self, index: usize) -> Option<(&Arc<str>, &Declared)> {
        let definition = self.definition(index);
        let site = self.site(self.text(index), definition.name.start, &definition.path, &[]);
        self.class(&definition.class()?, &site)
    }

    /// The text and the declaration of the constant or variable that a name refers to; `None` if there is none, or if
    /// several differ. The constants of other source files are invisible.
    pub(super) fn constant(&self, written: &str, site: &Site<'_>) -> Option<(&Arc<str>, &Declared)> {
        self.only(&self.constants, written, site, |file| self.sees(site, file))
    }

    /// The number of the file of a global variable; `None` unless exactly one function uses the variable. If a second
    /// function uses it, code outside of rules, such as a pass, can change the variable through this function.
    pub(super) fn file_of_variable(&self, text: &Arc<str>, variable: &Declared) -> Option<usize> {
        let name = variable.path.last()?;
        let file = self.files.iter().position(|file| Arc::ptr_eq(file.text(), text))?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut users = text.match_indices(name.as_str()).filter_map(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            let line = before.rsplit('\n').next().unwrap_or(before);
            let is_use = !before.ends_with(is_word) && !after.starts_with(is_word) && !line.contains("//");
            let is_user = |of: &Function| of.file == file && of.definition.body.contains(&at);
            (is_use && !variable.declaration.contains(&at)).then(|| self.functions.iter().position(is_user))
        });
        let user = users.next()??;
        users.all(|other| other == Some(user)).then_some(file)
    }

    /// True if a name can refer to a constant of a file.
    fn sees(&self, site: &Site<'_>, file: usize) -> bool {
        site.file.is_none_or(|from| from == file) || !self.is_source(file)
    }

    /// The text of the file that defines a macro without parameters, and the place of its value; `None` if there is
    /// none, or if several differ.
    pub(super) fn macro_value(&self, name: &str) -> Option<(&Arc<str>, Range<usize>)> {
        let (file, range) = self.macros.get(name)?.as_ref()?;
        Some((self.files[*file].text(), range.clone()))
    }

    /// The text and the declaration of the class that a written name refers to; `None` if there is none, or if several
    /// differ.
    pub(super) fn class(&self, written: &str, site: &Site<'_>) -> Option<(&Arc<str>, &Declared)> {
        self.only(&self.structs, written, site, |_| true)
    }

    /// The text and the declaration of the enumeration that a written name refers to; `None` if there is none, or if
    /// several differ.
    pub(super) fn enumeration(&self, written: &str, site: &Site<'_>) -> Option<(&Arc<str>, &Declared)> {
        self.only(&self.enums, written, site, |_| true)
    }

    /// The identity of the enumeration with this declaration in a text; `None` for an enumeration beyond the maximum
    /// number.
    pub(super) fn source_enum(&self, text: &str, declared: &Declared) -> Option<SourceEnum> {
        const COMPARISONS: [&str; 6] =
            ["operator<", "operator>", "operator<=", "operator>=", "operator==", "operator!="];
        let key = (declared.path.join("::"), text[declared.declaration.clone()].to_owned());
        let &(number, is_scoped) = self.enum_numbers.get(&key)?;
        let name = declared.path.last()?;
        let takes = |&index: &usize| has_word(&self.text(index)[self.definition(index).params.clone()], name);
        let has_comparison = COMPARISONS.iter().any(|operator| self.named(operator).iter().any(takes));
        Some(SourceEnum { number, is_scoped, has_comparison })
    }

    /// The class of the object on which a function is called; `None` for a static function, a constructor, a function
    /// outside of classes, and a function of a class that the files do not define.
    pub(super) fn object_class(&self, index: usize) -> Option<String> {
        let (definition, text) = (self.definition(index), self.text(index));
        let (of, class) = self.class_of_member(index)?;
        let name = definition.path.last()?;
        let within = Arc::ptr_eq(of, text) && class.declaration.contains(&definition.name.start);
        let is_static = match within {
            true => has_word(&text[definition.result.clone()], "static"),
            false => declares_static(&of[class.declaration.clone()], name),
        };
        let is_member = !is_static && !self.is_friend(index) && !definition.is_constructor(text);
        is_member.then(|| class.path.join("::"))
    }

    /// True if a member function with this name may change its object, and false if all of them are `const`; `None` if
    /// there is no such function.
    pub(super) fn member_changes(&self, method: &str) -> Option<bool> {
        let found = self.by_name.get(method)?.iter().filter(|&&index| self.object_class(index).is_some());
        found.map(|&index| !self.is_const(index)).reduce(|a, b| a || b)
    }

    /// True if an operator with this name may change its operand with this number. The first operand of a member
    /// function is the object.
    pub(super) fn changes_operand(&self, name: &str, operand: usize) -> bool {
        self.by_name.get(name).into_iter().flatten().any(|&index| {
            let params = &self.text(index)[self.definition(index).params.clone()];
            let param = match self.object_class(index) {
                Some(_) if operand == 0 => return !self.is_const(index),
                Some(_) => operand - 1,
                None => operand,
            };
            split_parameters(params).nth(param).is_some_and(binds_variable)
        })
    }

    /// True if a constructor of a class with this name may change its arguments.
    pub(super) fn constructor_changes(&self, name: &str) -> bool {
        self.by_name.get(name).into_iter().flatten().any(|&index| {
            let (definition, text) = (self.definition(index), self.text(index));
            definition.is_constructor(text) && binds_variable(&text[definition.params.clone()])
        })
    }

    /// True if a constructor may change an argument.
    pub(super) fn constructors_change(&self) -> bool {
        self.constructors_change
    }

    /// True if a function with this name may change its arguments.
    pub(super) fn changes_arguments(&self, name: &str) -> bool {
        self.named(name).iter().any(|&index| {
            let definition = self.definition(index);
            let params = &self.text(index)[definition.params.clone()];
            params.contains("&&") || binds_variable(params)
        })
    }

    /// The numbers of the parameters through which a method of `library.h` with this name may change a variable. The
    /// object has the number 0.
    pub(super) fn changed_by_method(&self, method: &str) -> &[usize] {
        self.library_methods.get(method).map_or(&[], Vec::as_slice)
    }

    /// True if a function with this name returns a reference, pointer or view.
    pub(super) fn returns_reference(&self, name: &str) -> bool {
        self.returns_view(name) || self.result_contains(name, &["&", "*"])
    }

    /// True if a function with this name returns a view, or has the result type `auto` and uses a view.
    pub(super) fn returns_view(&self, name: &str) -> bool {
        const VIEWS: [&str; 2] = ["ArrayRef", "Range"];
        let uses_view = |index: usize| {
            let body = &self.text(index)[self.definition(index).body.clone()];
            VIEWS.iter().any(|view| body.contains(view))
        };
        self.result_contains(name, &VIEWS)
            || self.result_contains(name, &["auto"]) && self.named(name).iter().any(|&index| uses_view(index))
    }

    fn result_contains(&self, name: &str, words: &[&str]) -> bool {
        self.named(name).iter().any(|&index| {
            let (definition, text) = (self.definition(index), self.text(index));
            let result = &text[definition.trailing.as_ref().unwrap_or(&definition.result).clone()];
            words.iter().any(|word| result.contains(word))
        })
    }

    /// True for a member function that is declared `const`.
    pub(super) fn is_const(&self, index: usize) -> bool {
        has_word(&self.text(index)[self.definition(index).suffix.clone()], "const")
    }

    /// The path of the enumeration to which a written enumerator belongs; `None` if there is none, or if several
    /// enumerations have such an enumerator.
    pub(super) fn enumeration_of(&self, written: &str, site: &Site<'_>) -> Option<String> {
        let written: Vec<&str> = written.split("::").filter(|part| !part.is_empty()).collect();
        let fitting =
            self.enumerators.get(*written.last()?)?.iter().filter(|of| is_suffix(&written, &of.path));
        let mut found = self
            .innermost(fitting.collect(), |of| (&of.path, of.file, of.at), written.len(), site)
            .into_iter();
        let first = found.next()?;
        found.all(|other| other.of == first.of).then(|| first.of.clone())
    }

    /// The declarations of `found` that the lookup of a name can find: those in the innermost scope that has any. If
    /// the preprocessor may exclude all declarations of this scope, the lookup can also find those of the next scope
    /// around it, and so on. If the lookup finds no declaration, returns all of `found`. `place` returns the path, the
    /// file and the start of a declaration.
    fn innermost<'a, T>(
        &self,
        found: Vec<&'a T>,
        place: impl Fn(&T) -> (&[String], usize, usize),
        written: usize,
        site: &Site<'_>,
    ) -> Vec<&'a T> {
        if found.len() < 2 {
            return found;
        }
        let depths: Vec<Option<usize>> =
            found.iter().map(|of| self.depth_of(place(of).0, written, site)).collect();
        let deepest = depths.iter().copied().max().flatten();
        let is_certain = |of: &T| {
            let (_, file, at) = place(of);
            let has_name = |branch: &&Range<usize>| site.file == Some(file) && branch.contains(&site.at);
            let mut around =
                self.branches.get(file).into_iter().flatten().filter(|branch| branch.contains(&at));
            around.all(|branch| has_name(&branch))
        };
        let certain = found.iter().zip(&depths).filter(|(of, _)| is_certain(of));
        let least = certain.filter_map(|(_, depth)| *depth).max().or(depths.iter().copied().flatten().min());
        let is_found = |depth: Option<usize>| depth == deepest || depth.is_some() && depth >= least;
        found.into_iter().zip(depths).filter(|(_, depth)| is_found(*depth)).map(|(of, _)| of).collect()
    }

    /// A parser for a part of the file `text` in these scopes.
    pub(super) fn parser<'t>(&self, tokens: &'t [Token], text: &str, scopes: &[String]) -> Parser<'t> {
        let mut parser = Parser::new(tokens);
        (parser.aliases, parser.resolved_names) = (self.aliases.clone(), self.resolved_names(scopes));
        (parser.file, parser.scopes) = (self.file_of(text), scopes.into());
        parser.function_templates = self.function_templates.clone();
        parser
    }

    /// True if a text in the scopes `enclosing` can use `name` for `std::name` because of a `using` before the name. A
    /// text that is in no file belongs to the generated code.
    pub(in crate::frontend::cxx) fn uses_std(
        &self,
        text: &str,
        enclosing: &[String],
        name: &TypeName,
    ) -> bool {
        let is_used = |of: &StdNames, at: usize| {
            let site = self.site(text, at, enclosing, &[]);
            let applies = |used: &Using| {
                used.at < at
                    && used.name.get(1).is_none_or(|used| *used == name.path)
                    && (enclosing.starts_with(&used.scopes)
                        || self.depth_of_used(&used.scopes, &site).is_some())
            };
            of.used.iter().any(applies)
        };
        match self.file_of(text) {
            Some(file) => self.std_names.get(file).is_some_and(|of| is_used(of, name.lo)),
            None => self.std_names.iter().any(|of| of.last_include.is_some_and(|at| is_used(of, at))),
        }
    }

    /// True if an unqualified name may denote a function of `llvm`, because of `using namespace llvm;` or `using
    /// llvm::f;`, or because the text is in this namespace.
    pub(super) fn uses_llvm(
        &self,
        text: &str,
        enclosing: &[String],
        local: &[LocalUsing],
        name: &TypeName,
    ) -> bool {
        let site = self.site(text, name.lo, enclosing, local);
        let names = |used: &[String]| matches!(used, [outer, of] if outer == "llvm" && *of == name.path);
        let mut of_files = self.used_names.iter().filter(|used| {
            self.applies(used, &site) && enclosing.starts_with(&used.using.scopes) && names(&used.using.name)
        });
        let is_local =
            |used: &LocalUsing| !used.is_namespace && used.applies_at(name.lo) && names(&used.name);
        enclosing.first().is_some_and(|outer| outer == "llvm")
            || self.used_at(&site).iter().any(|(_, used)| *used == ["llvm"])
            || of_files.next().is_some()
            || local.iter().any(is_local)
    }

    /// The meanings of the ambiguous names in these scopes. The innermost scope that has the name decides. If no scope
    /// has the name, `using a::b;` decides, and without such a line, the namespaces of `using namespace` decide.
    fn resolved_names(&self, scopes: &[String]) -> Arc<ResolvedNames> {
        if self.ambiguous.is_empty() {
            return Arc::default();
        }
        let mut resolved = self.resolved.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = resolved.get(scopes) {
            return known.clone();
        }
        let names = Arc::new(self.resolve_names(scopes));
        resolved.insert(scopes.to_vec(), names.clone());
        names
    }

    fn resolve_names(&self, scopes: &[String]) -> ResolvedNames {
        let ends_with = |qualified: &str, written: &str| {
            let written = written.strip_prefix("mlir::").unwrap_or(written);
            qualified.strip_suffix(written).is_some_and(|outer| outer.is_empty() || outer.ends_with("::"))
        };
        let enclosing = (1..=scopes.len()).rev().map(|depth| scopes[..depth].join("::"));
        let mut known = HashSet::new();
        let used = self.used_namespaces.iter().filter(|used| known.insert(&used.using.name));
        let spaces: Vec<String> = enclosing.chain(used.map(|used| used.using.name.join("::"))).collect();
        let is_named = |entry: &AmbiguousName| {
            self.used_names.iter().any(|FileUsing { using, .. }| {
                using.name.len() > 1
                    && using.name.last() == Some(&entry.name)
                    && scopes.starts_with(&using.scopes)
                    && ends_with(&entry.qualified, &using.name.join("::"))
            })
        };
        // A scope around the name precedes `using a::b;`, which precedes `using namespace a;`.
        let rank = |entry: &AmbiguousName| {
            let of = entry.qualified.strip_suffix(entry.name.as_str())?.strip_suffix("::")?;
            match spaces.iter().position(|space| ends_with(of, space)) {
                Some(rank) if rank < scopes.len() => Some((0, rank)),
                _ if is_named(entry) => Some((1, 0)),
                rank => rank.map(|rank| (2, rank)),
            }
        };
        let ranked = self.ambiguous.iter().filter_map(|entry| Some((rank(entry)?, entry)));
        let mut ranked: Vec<((u8, usize), &AmbiguousName)> = ranked.collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        let mut names = ResolvedNames::new();
        for (_, AmbiguousName { name, qualified }) in ranked {
            names.entry_ref(name.as_str()).or_insert_with(|| qualified.clone());
        }
        names
    }

    /// The scopes around the generated code that the files include. If several lines include such code in different
    /// scopes, returns the longest list of scopes if all other lists are its prefixes, and an empty list if not.
    fn generated_scopes(&self) -> &[String] {
        let Some(innermost) = self.including.iter().max_by_key(|scopes| scopes.len()) else { return &[] };
        if self.including.iter().all(|scopes| innermost.starts_with(scopes)) { innermost } else { &[] }
    }

    fn only<'a>(
        &'a self,
        by_name: &'a HashMap<String, Vec<(usize, Declared)>>,
        written: &str,
        site: &Site<'_>,
        is_visible: impl Fn(usize) -> bool,
    ) -> Option<(&'a Arc<str>, &'a Declared)> {
        let mut found = self.denoted(by_name, written, site, is_visible).into_iter();
        let (file, declared) = found.next()?;
        let text = self.files[*file].text();
        let same = |(file, other): &(usize, Declared)| {
            self.files[*file].text().get(other.declaration.clone()) == text.get(declared.declaration.clone())
        };
        found.all(same).then_some((text, declared))
    }

    /// The declarations to which a written name can refer.
    fn denoted<'a>(
        &self,
        by_name: &'a HashMap<String, Vec<(usize, Declared)>>,
        written: &str,
        site: &Site<'_>,
        is_visible: impl Fn(usize) -> bool,
    ) -> Vec<&'a (usize, Declared)> {
        let written: Vec<&str> = written.split("::").filter(|part| !part.is_empty()).collect();
        // A class that a function declares is visible only in the function, but its complete path denotes it
        // everywhere.
        let fits = |(file, constant): &&(usize, Declared)| {
            is_visible(*file)
                && is_suffix(&written, &constant.path)
                && (site.enclosing.starts_with(&constant.path[..constant.function_depth])
                    || written.len() == constant.path.len())
        };
        let Some(found) = written.last().and_then(|last| by_name.get(*last)) else { return Vec::new() };
        let found = found.iter().filter(fits).collect();
        self.innermost(
            found,
            |(file, declared)| (&declared.path, *file, declared.declaration.start),
            written.len(),
            site,
        )
    }

    /// The reason why a name of the files has no meaning here: several definitions, or an enumeration that contains a
    /// preprocessor line. `None` if there is no such reason.
    pub(super) fn unread(&self, written: &str, site: &Site<'_>) -> Option<String> {
        let place = |file: usize, at: usize| {
            let file = &self.files[file];
            format!("{}:{}", file.name(), file.line_column(at).0)
        };
        for by_name in [&self.constants, &self.structs, &self.enums] {
            let found = self.denoted(by_name, written, site, |file| self.sees(site, file));
            let mut places: Vec<String> =
                found.iter().map(|(file, of)| place(*file, of.declaration.start)).collect();
            places.dedup();
            if places.len() > 1 {
                return Some(format!("'{written}' has several definitions: {}", places.join(" and ")));
            }
        }
        let found = self.denoted(&self.enums, written, site, |_| true);
        found.iter().find_map(|(file, of)| {
            let text = &self.files[*file].text()[of.declaration.clone()];
            let line =
                text.match_indices('\n').find(|(at, _)| text[at + 1..].trim_start().starts_with('#'))?;
            let at = of.declaration.start + line.0 + 1;
            Some(format!("the enumeration '{written}' contains a preprocessor line: {}", place(*file, at)))
        })
    }

    /// The first place outside of all bodies where `(` follows a name, with the flag true: a declaration, or a
    /// definition whose body a macro hides. If there is none, the first place where `)`, `,` or `;` follows the name,
    /// with the flag false.
    fn declared(&self, name: &str) -> Option<(Span, bool)> {
        let before_parameters = |after: &str| after.starts_with('(');
        let ends = |after: &str| after.starts_with([')', ',', ';']);
        match self.mentioned(name, before_parameters) {
            Some(span) => Some((span, true)),
            None => self.mentioned(name, ends).map(|span| (span, false)),
        }
    }

    /// The first place outside of all bodies where a text that `fits` accepts follows a name.
    fn mentioned(&self, name: &str, fits: impl Fn(&str) -> bool) -> Option<Span> {
        self.written_files().find_map(|(number, file)| {
            let at = self.mentions(number, file, name, &fits).next()?;
            Some(file.span(at..at + name.len()))
        })
    }

    /// The places in a file, outside of all bodies, where a text that `fits` accepts follows a name.
    fn mentions<'f>(
        &'f self,
        number: usize,
        file: &'f SourceFile,
        name: &'f str,
        fits: impl Fn(&str) -> bool + 'f,
    ) -> impl Iterator<Item = usize> + 'f {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let text = file.text();
        text.match_indices(name).map(|(at, _)| at).filter(move |&at| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            let line = before.rsplit('\n').next().unwrap_or(before);
            let inside =
                |function: &Function| function.file == number && function.definition.body.contains(&at);
            fits(after.trim_start())
                && !before.ends_with(|c: char| is_word(c) || matches!(c, '.' | '>'))
                && !line.contains("//")
                && !line.trim_start().starts_with(['#', '*'])
                && !self.functions.iter().any(inside)
        })
    }

    pub(super) fn definition(&self, index: usize) -> &Definition {
        &self.functions[index].definition
    }

    /// True if the files define a class with this path.
    fn is_class(&self, path: &[String]) -> bool {
        let classes = path.last().and_then(|name| self.structs.get(name));
        classes.is_some_and(|classes| classes.iter().any(|(_, class)| class.path == path))
    }

    /// The declarations that may state the default arguments of a definition.
    pub(super) fn declarations(&self, index: usize) -> impl Iterator<Item = usize> {
        let definition = self.definition(index);
        let of_name = definition.path.last().and_then(|name| self.declared_by_name.get(name));
        // `class` and `typename` are the same in a list of template parameters.
        let template = |of: usize| {
            let text = &self.text(of)[self.definition(of).template.clone()?];
            Some(text.split_whitespace().map(|word| word.replace("class", "typename")).collect::<String>())
        };
        let site = self.site(self.text(index), definition.name.start, &[], &[]);
        // The definition of a function of a namespace may omit namespaces that a `using namespace` names.
        let omits_used = move |a: &[String], b: &[String]| {
            a.len() > 1 && a.len() < b.len() && b.ends_with(a) && {
                self.depth_of_used(&b[..b.len() - a.len()], &site).is_some()
            }
        };
        let is_same = move |&&other: &&usize| {
            let (a, b) = (&definition.path, &self.definition(other).path);
            // The definition of a member function may omit the namespaces of the class.
            let omits_namespaces = a.len() > 1 && b.ends_with(a) && self.is_class(&b[..b.len() - 1]);
            (a == b || omits_namespaces || omits_used(a, b))
                && template(index) == template(other)
                && self.is_const(index) == self.is_const(other)
        };
        of_name.into_iter().flatten().filter(is_same).take(DECLARATION_LIMIT).copied()
    }

    /// The text of the file that contains a definition.
    pub(super) fn text(&self, index: usize) -> &Arc<str> {
        self.file(index).text()
    }

    fn file(&self, index: usize) -> &SourceFile {
        &self.files[self.functions[index].file]
    }

    /// The place of a byte range in the file that contains a definition. The library has no places.
    pub(super) fn span(&self, index: usize, lo: usize, hi: usize) -> Span {
        if self.is_of_library(index) { Span::NONE } else { self.file(index).span(lo..hi) }
    }

    /// The place of a function, as `file:line`.
    pub(super) fn place(&self, index: usize) -> String {
        let (line, _) = self.file(index).line_column(self.definition(index).name.start);
        format!("{}:{line}", self.file(index).name())
    }
}

/// True if a class declares a static function with this name.
fn declares_static(members: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    members.match_indices(name).any(|(at, _)| {
        let (before, after) = (&members[..at], &members[at + name.len()..]);
        let start = before.char_indices().rev().find(|&(at, c)| match c {
            ';' | '{' | '}' => true,
            // The end of `public:`, but not `llvm::`.
            ':' => !before[..at].ends_with(':') && !members[at + 1..].starts_with(':'),
            _ => false,
        });
        let head = &before[start.map_or(0, |(at, _)| at + 1)..];
        after.trim_start().starts_with('(') && !before.ends_with(is_word) && has_word(head, "static")
    })
}

/// True if one of the parameters in a text may be a reference or pointer through which a function changes a variable.
fn binds_variable(params: &str) -> bool {
    let handles = ["Rewriter", "Builder", "Context", "Operation"];
    params.split(',').any(|param| {
        let is_handle = !param.contains('<') && handles.iter().any(|handle| param.contains(handle));
        let whole = param.matches('<').count() == param.matches('>').count();
        (param.contains('*')
            || param.contains("MutableArrayRef")
            || param.contains('&') && !param.contains("&&"))
            && !(whole && param.trim_start_matches(['(', ' ', '\n']).starts_with("const "))
            && !is_handle
    })
}

/// The parameters in a text, without the commas between them.
fn split_parameters(params: &str) -> impl Iterator<Item = &str> {
    let mut open = 0_i32;
    params.trim_start_matches('(').split(move |c| {
        open += match c {
            '<' | '(' | '{' => 1,
            '>' | ')' | '}' => -1,
            _ => 0,
        };
        c == ',' && open == 0
    })
}

/// True if a text contains a word.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|other| other == word)
}

/// The type without its place and its namespace, for uses of its name in other texts.
fn without_place(ty: TypeName) -> TypeName {
    TypeName {
        args: ty.args.into_iter().map(without_place).collect(),
        scope_args: ty.scope_args.into_iter().map(without_place).collect(),
        namespace: None,
        is_global: false,
        lo: 0,
        hi: 0,
        ..ty
    }
}

/// The maximum number of declarations of a function that are searched for default arguments.
const DECLARATION_LIMIT: usize = 64;

/// True if a written name can refer to a declaration with this path.
fn is_suffix(written: &[&str], path: &[String]) -> bool {
    path.len() >= written.len() && path.iter().rev().zip(written.iter().rev()).all(|(a, b)| a == b)
}

/// True if a name in a `using` can denote the function or namespace with this path.
fn denotes(name: &[String], path: &[String]) -> bool {
    !name.is_empty() && path.ends_with(name)
}

/// A call of a parameter that is a function.
#[derive(Clone, Debug)]
pub(in crate::frontend::cxx) struct Applied {
    /// The number of the parameter.
    pub(in crate::frontend::cxx) number: usize,
    /// The types of the arguments.
    pub(in crate::frontend::cxx) types: Vec<Ty>,
}

/// The functions that a rule set can call, and their compiled instances.
#[derive(Debug, Default)]
pub struct Helpers {
    pub(super) functions: Option<Arc<Functions>>,
    pub(super) instances: RefCell<HashMap<Key, Instance>>,
    /// For each compiled function, the calls of those of its parameters that are functions.
    pub(super) applied: RefCell<HashMap<Key, Vec<Applied>>>,
    /// The classes by their path.
    pub(super) classes: RefCell<HashMap<String, Arc<SourceClass>>>,
    /// The paths of the classes whose members are being read.
    pub(super) classes_in_progress: RefCell<Vec<String>>,
    problems: RefCell<Vec<(usize, Problem)>>,
    /// True if a function that takes the arguments of a call in the text of a rule is outside the language.
    refused: Cell<bool>,
    /// The natives that rules call, and that the files name but do not define. The flag is true if the files declare
    /// the native.
    declared: RefCell<Vec<(String, Span, bool)>>,
    /// The functions of operations that no file defines and that natives replace.
    undefined: RefCell<Vec<String>>,
}

/// A function and the types for which it is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) function: usize,
    pub(super) params: Vec<Ty>,
    /// The template arguments, as text.
    pub(super) template: String,
    /// True if the function is called while matching.
    pub(super) matching: bool,
}

/// The result of compiling a function.
#[derive(Clone, Debug)]
pub(super) enum Instance {
    /// The body is being compiled. The result type is known if it is declared.
    Started(FunctionId, Option<Ty>),
    Compiled(FunctionId, Ty),
    Failed(Problem),
}

/// The reason why a function stays a native.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) reason: String,
    pub(super) span: Span,
}

impl Helpers {
    /// The functions of files, before any of them is compiled.
    pub fn new(functions: &Arc<Functions>) -> Self {
        let functions = Some(functions).filter(|functions| !functions.files.is_empty());
        Self { functions: functions.cloned(), ..Self::default() }
    }

    /// Sets the ambiguous names of definitions. Does not call `names` if there are no files.
    pub(crate) fn set_ambiguous(&mut self, names: impl FnOnce() -> Vec<AmbiguousName>) {
        let functions = self.functions.as_mut().filter(|functions| !functions.is_empty());
        let Some(functions) = functions else { return };
        let names = names();
        if *functions.ambiguous != *names {
            let functions = Arc::make_mut(functions);
            (functions.ambiguous, functions.resolved) = (names.into(), Resolved::default());
        }
    }

    /// The scopes around the texts of rules. Empty if the files include generated code in different scopes, because
    /// each of these scopes can be the scope of the rules.
    pub(in crate::frontend::cxx) fn scopes_of_rules(&self) -> Vec<String> {
        let including = self.functions.as_ref().map_or(&[][..], |functions| &functions.including);
        match including {
            [first, rest @ ..] if rest.iter().all(|scopes| scopes == first) => first.clone(),
            _ => Vec::new(),
        }
    }

    /// A parser for a text of a rule, which knows the aliases of the files and the meanings of ambiguous names; `None`
    /// if there are no files.
    pub(in crate::frontend::cxx) fn parser_of_rules<'t>(&self, tokens: &'t [Token]) -> Option<Parser<'t>> {
        let functions = self.functions.as_ref()?;
        Some(functions.parser(tokens, "", functions.generated_scopes()))
    }

    /// The same functions for another table of snippets.
    pub(crate) fn restarted(&self) -> Self {
        Self { functions: self.functions.clone(), ..Self::default() }
    }

    /// Records that a function takes the arguments of a call but stays a native.
    pub(super) fn refuse(&self) {
        self.refused.set(true);
    }

    /// True if [`Self::refuse`] was called since the last call of this function.
    pub(in crate::frontend::cxx) fn take_refused(&self) -> bool {
        self.refused.take()
    }

    /// Records the reason why a called function stays a native.
    pub(super) fn report(&self, function: usize, problem: Problem) {
        let mut problems = self.problems.borrow_mut();
        if !problems.iter().any(|(other, _)| *other == function) {
            problems.push((function, problem));
        }
    }

    /// The reason why the functions that infer the result types of an operation cannot be read; `None` if there is none.
    pub(in crate::frontend::cxx) fn inference_problem(&self, class: &str) -> Option<String> {
        let functions = self.functions.as_ref()?;
        let class: Vec<&str> = class.split("::").collect();
        let is_of_class = |function: usize| {
            let path = &functions.definition(function).path;
            path.split_last().is_some_and(|(name, outer)| {
                let end = outer.len().saturating_sub(class.len());
                name.starts_with("inferReturnType") && outer[end..] == class[..]
            })
        };
        let problems = self.problems.borrow();
        problems
            .iter()
            .find(|(function, _)| is_of_class(*function))
            .map(|(_, problem)| problem.reason.clone())
    }

    /// Records that a rule calls a native of this name, if the files name a function of this name without defining it.
    pub(in crate::frontend::cxx) fn report_native(&self, name: &str) {
        let Some(functions) = &self.functions else { return };
        let name = name.rsplit("::").next().unwrap_or(name);
        let mut declared = self.declared.borrow_mut();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_name
            || functions.by_name.contains_key(name)
            || declared.iter().any(|(other, ..)| other == name)
        {
            return;
        }
        if let Some((span, is_declared)) = functions.declared(name) {
            declared.push((name.to_owned(), span, is_declared));
        }
    }

    /// Records that no file defines a function of an operation, if there are files.
    pub(super) fn report_undefined(&self, name: String) {
        let has_files = |functions: &Arc<Functions>| {
            functions.written_files().any(|(file, _)| !functions.std_names[file].is_generated)
        };
        let mut undefined = self.undefined.borrow_mut();
        if self.functions.as_ref().is_some_and(has_files) && !undefined.contains(&name) {
            undefined.push(name);
        }
    }

    /// One note for each function that rules call and that stays a native.
    pub(crate) fn notes(&self) -> Diagnostics {
        let mut notes = Diagnostics::default();
        let Some(functions) = &self.functions else { return notes };
        let instances = self.instances.borrow();
        for (function, problem) in self.problems.borrow().iter() {
            let compiled = |(key, instance): (&Key, &Instance)| {
                key.function == *function && matches!(instance, Instance::Compiled(..))
            };
            if instances.iter().any(compiled) {
                continue;
            }
            let path = &functions.definition(*function).path;
            // The functions of operations have the same names in all classes.
            let is_of_op = functions.is_builder(*function)
                || path.last().is_some_and(|name| name.starts_with("inferReturnType"));
            let name = path[path.len().saturating_sub(if is_of_op { 2 } else { 1 })..].join("::");
            let message = format!("the helper '{name}' stays a native: {}", problem.reason);
            notes.push(Diagnostic::note(message).at(problem.span, ""));
        }
        for (name, span, is_declared) in self.declared.borrow().iter() {
            let reason = match is_declared {
                true => "it has no body here, and none in the other files",
                false => "the files name it but do not define it; a macro may hide its definition",
            };
            let message = format!("the helper '{name}' stays a native: {reason}");
            notes.push(Diagnostic::note(message).at(*span, ""));
        }
        for name in self.undefined.borrow().iter() {
            notes.push(Diagnostic::note(format!(
                "a native replaces '{name}', because no C++ file defines it"
            )));
        }
        notes
    }
}
