//! The prelude: `.td` files that replace MLIR 22.1's core headers, so that rules load without an installation of
//! MLIR.
//!
//! The module is a table of include paths and texts for TableGen's [`Config`](super::tablegen::Config). TableGen
//! searches the include directories first, so each real header that is found there is used instead of the file of the
//! prelude.
//!
//! Invariants: paths, names of records and classes, template parameters, fields and evaluated values equal those of
//! MLIR 22.1, because rules refer to them. Predicates are equivalent to those of MLIR. The text of the files is not
//! that of MLIR's headers. C++ code on which neither rules nor the text of operations depend (most class bodies, the
//! methods of interfaces, the parsers and printers of properties) is absent. Names that begin with an underscore are
//! private to the prelude. Names that only older releases of MLIR define are absent too. If a file uses such a name,
//! the error often states what to write instead.
//!
//! The prelude contains the `builtin`, `func` and `arith` dialects, and all files under `mlir/IR` and `mlir/Interfaces`
//! that definitions of operations include. The files under `drrvm` contain the parts of the `cf`, `scf`, `math`,
//! `tensor`, `memref` and `ub` dialects that the text of operations depends on. They do not replace MLIR's headers of
//! these dialects, so a rule file that includes such a header needs an installation of MLIR.
//!
//! Source: MLIR's ODS and DRR manuals. `tests/it/frontend/prelude.rs` compares the prelude with `llvm-tblgen-22` and
//! `mlir-tblgen-22`.

/// Builds the table from the paths.
macro_rules! files {
    ($($path:literal,)*) => { &[$(($path, include_str!($path)),)*] };
}

/// All files of the prelude as pairs of include path and text, ordered by path.
///
/// ```
/// use drrvm::{internal::frontend::prelude, tablegen};
///
/// let config = tablegen::Config { embedded: prelude::FILES, ..Default::default() };
/// assert!(config.embedded.iter().any(|(path, _)| *path == "mlir/IR/PatternBase.td"));
/// ```
pub const FILES: &[(&str, &str)] = files![
    "drrvm/ControlFlow.td",
    "drrvm/Math.td",
    "drrvm/MemRef.td",
    "drrvm/SCF.td",
    "drrvm/Tensor.td",
    "drrvm/UB.td",
    "mlir/Dialect/Arith/IR/ArithBase.td",
    "mlir/Dialect/Arith/IR/ArithOps.td",
    "mlir/Dialect/Arith/IR/ArithOpsInterfaces.td",
    "mlir/Dialect/Func/IR/FuncOps.td",
    "mlir/IR/AttrTypeBase.td",
    "mlir/IR/BuiltinAttributeInterfaces.td",
    "mlir/IR/BuiltinAttributes.td",
    "mlir/IR/BuiltinDialect.td",
    "mlir/IR/BuiltinLocationAttributes.td",
    "mlir/IR/BuiltinOps.td",
    "mlir/IR/BuiltinTypeInterfaces.td",
    "mlir/IR/BuiltinTypes.td",
    "mlir/IR/CommonAttrConstraints.td",
    "mlir/IR/CommonTypeConstraints.td",
    "mlir/IR/Constraints.td",
    "mlir/IR/DialectBase.td",
    "mlir/IR/EnumAttr.td",
    "mlir/IR/Interfaces.td",
    "mlir/IR/OpAsmInterface.td",
    "mlir/IR/OpBase.td",
    "mlir/IR/PatternBase.td",
    "mlir/IR/Properties.td",
    "mlir/IR/RegionKindInterface.td",
    "mlir/IR/SymbolInterfaces.td",
    "mlir/IR/TensorEncoding.td",
    "mlir/IR/Traits.td",
    "mlir/IR/Utils.td",
    "mlir/Interfaces/AlignmentAttrInterface.td",
    "mlir/Interfaces/CallInterfaces.td",
    "mlir/Interfaces/CastInterfaces.td",
    "mlir/Interfaces/ControlFlowInterfaces.td",
    "mlir/Interfaces/DataLayoutInterfaces.td",
    "mlir/Interfaces/DerivedAttributeOpInterface.td",
    "mlir/Interfaces/DestinationStyleOpInterface.td",
    "mlir/Interfaces/FunctionInterfaces.td",
    "mlir/Interfaces/IndexingMapOpInterface.td",
    "mlir/Interfaces/InferIntRangeInterface.td",
    "mlir/Interfaces/InferStridedMetadataInterface.td",
    "mlir/Interfaces/InferTypeOpInterface.td",
    "mlir/Interfaces/LoopLikeInterface.td",
    "mlir/Interfaces/MemOpInterfaces.td",
    "mlir/Interfaces/MemorySlotInterfaces.td",
    "mlir/Interfaces/ParallelCombiningOpInterface.td",
    "mlir/Interfaces/RuntimeVerifiableOpInterface.td",
    "mlir/Interfaces/ShapedOpInterfaces.td",
    "mlir/Interfaces/SideEffectInterfaceBase.td",
    "mlir/Interfaces/SideEffectInterfaces.td",
    "mlir/Interfaces/SubsetOpInterface.td",
    "mlir/Interfaces/TilingInterface.td",
    "mlir/Interfaces/ValueBoundsOpInterface.td",
    "mlir/Interfaces/VectorInterfaces.td",
    "mlir/Interfaces/ViewLikeInterface.td",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::FILES;

    fn paths() -> BTreeSet<&'static str> {
        FILES.iter().map(|(path, _)| *path).collect()
    }

    #[test]
    fn list_of_files_is_sorted_and_complete() {
        assert!(FILES.is_sorted_by(|(a, _), (b, _)| a < b));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/frontend/prelude");
        let mut folders = vec![root.join("drrvm"), root.join("mlir")];
        let mut found = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.insert(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        let listed: BTreeSet<_> = paths().into_iter().map(str::to_owned).collect();
        assert_eq!(listed, found);
    }

    #[test]
    fn prelude_includes_only_its_own_files() {
        let paths = paths();
        for (path, text) in FILES {
            for line in text.lines().filter(|line| line.starts_with("include ")) {
                let included = line.split('"').nth(1).unwrap();
                assert!(paths.contains(included), "{path} includes {included}");
            }
        }
    }
}
