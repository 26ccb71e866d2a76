//! Reads C++ files for the functions that rules call.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error;
use crate::frontend::cxx::{Expanded, Functions, expand_macros};
use crate::frontend::drr;
use crate::frontend::ods::{Builder, BuilderParam, Definitions, Op};
use crate::frontend::tablegen;
use crate::source::{Diagnostic, Diagnostics, FileId, SourceMap};

/// The extensions of C++ files.
const EXTENSIONS: &[&str] = &["cpp", "cc", "cxx", "h", "hpp", "inc"];

/// The namespaces of some upstream dialects, and the files with their operations.
const DIALECTS: &[(&str, &str)] = &[
    ("arith", "mlir/Dialect/Arith/IR/ArithOps.td"),
    ("func", "mlir/Dialect/Func/IR/FuncOps.td"),
    ("cf", "mlir/Dialect/ControlFlow/IR/ControlFlowOps.td"),
    ("scf", "mlir/Dialect/SCF/IR/SCFOps.td"),
    ("math", "mlir/Dialect/Math/IR/MathOps.td"),
    ("tensor", "mlir/Dialect/Tensor/IR/TensorOps.td"),
    ("memref", "mlir/Dialect/MemRef/IR/MemRefOps.td"),
    ("vector", "mlir/Dialect/Vector/IR/VectorOps.td"),
    ("affine", "mlir/Dialect/Affine/IR/AffineOps.td"),
    ("bufferization", "mlir/Dialect/Bufferization/IR/BufferizationOps.td"),
    ("linalg", "mlir/Dialect/Linalg/IR/LinalgOps.td"),
    ("linalg", "mlir/Dialect/Linalg/IR/LinalgStructuredOps.td"),
    ("tosa", "mlir/Dialect/Tosa/IR/TosaOps.td"),
    ("index", "mlir/Dialect/Index/IR/IndexOps.td"),
    ("ub", "mlir/Dialect/UB/IR/UBOps.td"),
    ("shape", "mlir/Dialect/Shape/IR/ShapeOps.td"),
    ("complex", "mlir/Dialect/Complex/IR/ComplexOps.td"),
    ("gpu", "mlir/Dialect/GPU/IR/GPUOps.td"),
    ("LLVM", "mlir/Dialect/LLVMIR/LLVMOps.td"),
    ("spirv", "mlir/Dialect/SPIRV/IR/SPIRVOps.td"),
];

/// The C++ class of a builtin operation that helpers create, and the file with the definition of this operation.
const BUILTIN: (&str, &str) = ("UnrealizedConversionCastOp", "mlir/IR/BuiltinOps.td");

/// The kinds of generated files whose contents the definitions in `.td` files state.
const GENERATED: &[&str] = &["Op", "TypeDef", "AttrDef", "Dialect", "Rewriters"];

/// The maximum number of files and folders that are searched.
const ENTRY_LIMIT: usize = 100_000;

/// Reads the functions of files, and of all C++ files in folders. The files of a folder are read in the order of their
/// paths.
pub(super) fn read(sources: &mut SourceMap, paths: &[PathBuf]) -> (Functions, Diagnostics) {
    let mut functions = Functions::of_library();
    let mut diagnostics = Diagnostics::default();
    let mut loaded = Vec::new();
    for path in paths {
        let files = if path.is_dir() { files_in(path) } else { Ok(vec![path.clone()]) };
        let files = match files {
            Ok(files) => files,
            Err(reason) => {
                diagnostics.push(error::unreadable_folder(path, &reason));
                continue;
            }
        };
        if files.is_empty() {
            diagnostics.push(error::no_helper_files(path, EXTENSIONS));
        }
        for file in files {
            match load(sources, &file) {
                Ok(id) if is_generated(sources.file(id).text()) => {}
                Ok(id) => loaded.push(id),
                Err(error) => diagnostics.push(error),
            }
        }
    }
    let Expanded { files, unread } = expand_macros(sources, &loaded);
    files.into_iter().for_each(|id| functions.add(sources.file(id)));
    functions.add_unread_macros(unread);
    (functions, diagnostics)
}

/// True for a file of `mlir-tblgen` that declares or defines operations, types, attributes, dialects or rules. The head
/// of such a file names its contents.
fn is_generated(text: &str) -> bool {
    let mut head = text.lines().take(4).map(|line| line.trim_start_matches("|*").trim());
    head.next().is_some_and(|first| first.starts_with("/*===- TableGen'erated file"))
        && head.any(|line| line.split(' ').next().is_some_and(|first| GENERATED.contains(&first)))
}

/// The functions of the C++ files and, for each rule file, the functions in the definitions of its operations, types
/// and attributes.
pub(super) struct FunctionSets {
    pub(super) files: Arc<Functions>,
    /// The functions for each list of texts, so that rule files with the same definitions share them.
    with_members: Vec<(Vec<MemberText>, Arc<Functions>)>,
}

/// A text with functions in the definition of an operation, type or attribute.
#[derive(PartialEq, Eq)]
struct MemberText {
    class: String,
    field: &'static str,
    /// The namespaces and classes around the text.
    scopes: Vec<String>,
    text: String,
}

impl FunctionSets {
    pub(super) fn new(files: Functions) -> Self {
        Self { files: Arc::new(files), with_members: Vec::new() }
    }

    /// The functions of the C++ files, and those functions in definitions that have a body. `file` is the name of the
    /// rule file.
    pub(super) fn with_members(
        &mut self,
        definitions: &Definitions<'_>,
        sources: &mut SourceMap,
        file: &str,
    ) -> Arc<Functions> {
        let texts = member_texts(definitions);
        if texts.is_empty() {
            return self.files.clone();
        }
        if let Some((_, known)) = self.with_members.iter().find(|(known, _)| *known == texts) {
            return known.clone();
        }
        let mut functions = Functions::clone(&self.files);
        for MemberText { class, field, scopes, text } in &texts {
            // If the source map is full, the functions stay natives.
            if let Ok(id) = sources.add(format!("{file}: {field} of {class}"), text.clone()) {
                functions.add_members(sources.file(id), scopes);
            }
        }
        let functions = Arc::new(functions);
        self.with_members.push((texts, functions.clone()));
        functions
    }
}

/// Returns the texts of C++ members in definitions. A text that contains neither `{` nor `=` is left out, because it
/// has neither a function with a body nor a constant.
fn member_texts(definitions: &Definitions<'_>) -> Vec<MemberText> {
    let mut texts = Vec::new();
    let ops = definitions.ops.iter().map(|op| (op.record, op.namespace, op.class));
    let others = definitions.types.iter().chain(definitions.attributes.iter());
    let others = others.map(|definition| (definition.record, definition.namespace, definition.class));
    for (record, namespace, name) in ops.chain(others) {
        let record = definitions.records.record(record);
        let path: Vec<String> =
            namespace.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let class = [&path[..], &[name.to_owned()]].concat();
        for (field, scopes) in [("extraClassDeclaration", &class), ("extraClassDefinition", &path)] {
            let text = record.string_field(field).ok().filter(|text| text.contains(['{', '=']));
            texts.extend(text.map(|text| MemberText {
                class: name.to_owned(),
                field,
                scopes: scopes.clone(),
                text: text.replace("$cppClass", name),
            }));
        }
    }
    for op in definitions.ops.iter() {
        let text = builders(op);
        if !text.is_empty() {
            let class = op.qualified_class();
            let scopes = class.split("::").filter(|part| !part.is_empty()).map(str::to_owned);
            texts.push(MemberText {
                class: op.class.to_owned(),
                field: "builders",
                scopes: scopes.collect(),
                text,
            });
        }
    }
    texts
}

/// The builders of an operation as C++ functions. The text is empty if all builders have simple bodies
/// (`drr::has_simple_body`).
fn builders(op: &Op<'_>) -> String {
    let is_simple = |builder: &Builder<'_>| drr::has_simple_body(op, builder);
    if op.builders.iter().all(is_simple) {
        return String::new();
    }
    let param = |param: &BuilderParam<'_>| {
        let default = if param.default.is_empty() { "" } else { " = " };
        format!(", {} {}{default}{}", param.ty, param.name, param.default)
    };
    let builder = |builder: &Builder<'_>| {
        let params: String = builder.params.iter().map(param).collect();
        // As in the generated C++, the builder and the state are named `odsBuilder` and `odsState`.
        let body = match builder.body {
            Some(body) => {
                format!(" {{{body}\n}}").replace("$_builder", "odsBuilder").replace("$_state", "odsState")
            }
            // The body is in a C++ file; the declaration states the default arguments.
            None if builder.params.iter().any(|param| !param.default.is_empty()) => ";".to_owned(),
            None => return String::new(),
        };
        format!("static void build(OpBuilder &odsBuilder, OperationState &odsState{params}){body}\n")
    };
    op.builders.iter().map(builder).collect()
}

/// Reads a C++ file. Bytes that are not UTF-8, which comments in older files contain, are replaced.
fn load(sources: &mut SourceMap, path: &Path) -> Result<FileId, Diagnostic> {
    match std::fs::read(path) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
            sources.add(path.display().to_string(), text)
        }
        // `SourceMap::load` fails as well, and its message names the reason.
        Err(_) => sources.load(path),
    }
}

/// The C++ files in a folder and the folders below it. Symbolic links to folders are not followed.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    let mut entries = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| error.to_string())? {
            let entry = entry.map_err(|error| error.to_string())?;
            entries += 1;
            if entries > ENTRY_LIMIT {
                return Err(format!("it has more than {ENTRY_LIMIT} files and folders"));
            }
            let path = entry.path();
            let is_cpp = path.extension().and_then(|extension| extension.to_str());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                // A link to a folder is not followed.
                _ if is_cpp.is_some_and(|extension| EXTENSIONS.contains(&extension)) && !path.is_dir() => {
                    files.push(path);
                }
                _ => {}
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The `.td` files of those upstream dialects whose namespaces occur in the C++ files. A `.td` file that cannot be
/// found is left out.
pub(super) fn dialect_files(functions: &Functions, config: &tablegen::Config) -> Vec<&'static str> {
    let exists = |path: &str| {
        config.embedded.iter().any(|(embedded, _)| *embedded == path)
            || config.include_dirs.iter().any(|folder| folder.join(path).is_file())
    };
    // Builders of the other dialects also create operations of `arith` and `ub`.
    let any = DIALECTS.iter().any(|(namespace, _)| functions.mention(namespace));
    let is_named =
        |namespace: &str| any && matches!(namespace, "arith" | "ub") || functions.mention(namespace);
    let named = DIALECTS.iter().filter(|(namespace, path)| is_named(namespace) && exists(path));
    let builtin = Some(BUILTIN).filter(|(class, path)| functions.contain(class) && exists(path));
    builtin.iter().chain(named).map(|&(_, path)| path).collect()
}

/// The namespace of the upstream dialect whose operations are in a file.
pub(super) fn dialect_of(file: &str) -> Option<&'static str> {
    DIALECTS.iter().find(|(_, path)| *path == file).map(|&(namespace, _)| namespace)
}
