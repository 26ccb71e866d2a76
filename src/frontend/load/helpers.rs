//! Reads C++ files for the functions that rules call.

use std::path::{Path, PathBuf};

use super::error;
use crate::frontend::cxx::Functions;
use crate::source::{Diagnostics, SourceMap};

/// The extensions of C++ files.
const EXTENSIONS: &[&str] = &["cpp", "cc", "cxx", "h", "hpp", "inc"];

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
