//! Reads C++ files for the functions that rules call.

use std::path::{Path, PathBuf};

use super::error;
use crate::frontend::cxx::Functions;
use crate::frontend::{ods, tablegen};
use crate::source::{Diagnostics, FileId, SourceMap};

/// The extensions of C++ files.
const EXTENSIONS: &[&str] = &["cpp", "cc", "cxx", "h", "hpp", "inc"];

/// The namespaces of upstream dialects, and the files with their operations.
const DIALECTS: &[(&str, &str)] = &[
    ("arith", "mlir/Dialect/Arith/IR/ArithOps.td"),
    ("func", "mlir/Dialect/Func/IR/FuncOps.td"),
    ("complex", "mlir/Dialect/Complex/IR/ComplexOps.td"),
    ("math", "mlir/Dialect/Math/IR/MathOps.td"),
    ("memref", "mlir/Dialect/MemRef/IR/MemRefOps.td"),
    ("shape", "mlir/Dialect/Shape/IR/ShapeOps.td"),
    ("tensor", "mlir/Dialect/Tensor/IR/TensorOps.td"),
    ("tosa", "mlir/Dialect/Tosa/IR/TosaOps.td"),
    ("vector", "mlir/Dialect/Vector/IR/VectorOps.td"),
];

/// The maximum number of files and folders that are searched.
const ENTRY_LIMIT: usize = 100_000;

/// Reads the functions of files, and of all C++ files in folders, in the order of their paths.
pub(super) fn read(sources: &mut SourceMap, paths: &[PathBuf]) -> (Functions, Diagnostics) {
    let mut functions = Functions::default();
    let mut diagnostics = Diagnostics::default();
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
            match sources.load(&file) {
                Ok(id) => functions.add(sources.file(id)),
                Err(error) => diagnostics.push(error),
            }
        }
    }
    (functions, diagnostics)
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
                return Err(format!("it has more than {ENTRY_LIMIT} files"));
            }
            let path = entry.path();
            let is_cpp = path.extension().and_then(|extension| extension.to_str());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                _ if is_cpp.is_some_and(|extension| EXTENSIONS.contains(&extension)) => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The records of a rule file together with those of the upstream dialects that C++ files name and the rule file does
/// not include, and the namespaces of these dialects; `None` if there are no such dialects, or if their files cannot be
/// read.
pub(super) fn with_dialects(
    sources: &mut SourceMap,
    file: FileId,
    mut config: tablegen::Config,
    records: &tablegen::Records,
    functions: &Functions,
) -> Option<(tablegen::Records, Vec<&'static str>)> {
    let named = DIALECTS.iter().filter(|(namespace, _)| functions.mention(namespace));
    let named: Vec<_> = named.collect();
    if named.is_empty() {
        return None;
    }
    let definitions = ods::read(records);
    let is_loaded = |namespace: &str| {
        definitions.ops.iter().any(|op| op.namespace.rsplit("::").next() == Some(namespace))
    };
    let exists = |path: &str| {
        config.embedded.iter().any(|(embedded, _)| *embedded == path)
            || config.include_dirs.iter().any(|folder| folder.join(path).is_file())
    };
    let missing = named.into_iter().filter(|(namespace, path)| !is_loaded(namespace) && exists(path));
    let (namespaces, also): (Vec<&'static str>, Vec<&'static str>) = missing.copied().unzip();
    if also.is_empty() {
        return None;
    }
    config.also = also;
    let (more, diagnostics) = tablegen::parse_as_far(sources, file, &config);
    more.filter(|_| !diagnostics.has_errors()).map(|records| (records, namespaces))
}
