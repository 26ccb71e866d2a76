//! Tests of ODS reading: snapshots of definitions, and documentation compared with that of `mlir-tblgen`.

use std::path::Path;
use std::process::Command;

use crate::common::{llvm_sources, llvm_tool};
use drrvm::compile::{self, Options};
use drrvm::internal::frontend::{ods, tablegen};
use drrvm::source::SourceMap;

/// Dialects and the files that define them.
const DIALECTS: &[(&str, &str)] = &[
    ("affine", "Affine/IR/AffineOps.td"),
    ("arith", "Arith/IR/ArithOps.td"),
    ("cf", "ControlFlow/IR/ControlFlowOps.td"),
    ("emitc", "EmitC/IR/EmitC.td"),
    ("func", "Func/IR/FuncOps.td"),
    ("gpu", "GPU/IR/GPUOps.td"),
    ("index", "Index/IR/IndexOps.td"),
    ("linalg", "Linalg/IR/LinalgOps.td"),
    ("memref", "MemRef/IR/MemRefOps.td"),
    ("nvvm", "LLVMIR/NVVMOps.td"),
    ("pdl", "PDL/IR/PDLOps.td"),
    // The enums of `ptr` have descriptions, which `mlir-tblgen` does not print.
    ("ptr", "Ptr/IR/PtrOps.td"),
    ("quant", "Quant/IR/QuantOps.td"),
    ("scf", "SCF/IR/SCFOps.td"),
    ("shape", "Shape/IR/ShapeOps.td"),
    ("spirv", "SPIRV/IR/SPIRVOps.td"),
    ("tensor", "Tensor/IR/TensorOps.td"),
    ("tosa", "Tosa/IR/TosaOps.td"),
    ("ub", "UB/IR/UBOps.td"),
    ("vector", "Vector/IR/VectorOps.td"),
];

fn records(file: &Path, include: &Path) -> tablegen::Parsed {
    let mut sources = SourceMap::default();
    let options = Options { include_dirs: vec![include.to_owned()], ..Options::default() };
    compile::records(&mut sources, file, &options).unwrap()
}

/// Splits documentation into the text before the enums, and the enums. Omits the first line, which names the tool, and
/// the parts that `mlir-tblgen` documents only with other options (interfaces) or never (properties).
fn comparable(text: &str) -> (String, Vec<String>) {
    let text = text.split_once('\n').unwrap().1;
    let text = text.split("\n## Interfaces\n").next().unwrap();
    let (text, enums) = text.split_once("\n## Enums\n").unwrap_or((text, ""));
    let enums = enums.split("\n### ").skip(1).map(|item| item.trim().to_owned()).collect();
    let mut parts = text.split("\n#### Properties:\n\n");
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        out.extend(part.split_inclusive('\n').skip_while(|line| line.starts_with('|')));
    }
    (out, enums)
}

#[test]
fn documentation_equals_that_of_mlir_tblgen() {
    let (Some(sources), Some(tool)) = (llvm_sources(), llvm_tool("mlir-tblgen")) else { return };
    let include = sources.join("mlir/include");
    for (name, file) in DIALECTS {
        compare_documentation(&tool, &include, name, &include, &Path::new("mlir/Dialect").join(file));
    }
}

/// Compares the documentation of the dialect `name`, which a file in `folder` defines.
fn compare_documentation(tool: &str, include: &Path, name: &str, folder: &Path, file: &Path) {
    let theirs = Command::new(tool)
        .args(["-gen-dialect-doc", &format!("--dialect={name}"), "-I"])
        .arg(std::path::absolute(include).unwrap())
        // With the full path of the file, the text would contain a link to a repository.
        .arg(file)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(theirs.status.success(), "{name}: {}", String::from_utf8_lossy(&theirs.stderr));
    let theirs = String::from_utf8(theirs.stdout).unwrap();
    let parsed = records(&folder.join(file), include);
    let definitions = ods::read(&parsed.records);
    let (dialect, _) = definitions.dialects.iter_enumerated().find(|(_, d)| d.name == name).unwrap();
    let ours = ods::markdown(&definitions, dialect);
    let (theirs, their_enums) = comparable(&theirs);
    let (ours, enums) = comparable(&ours);
    // `mlir-tblgen` also documents the enums of other dialects. The order of the enums is the same.
    let mut all = their_enums.iter();
    assert!(enums.iter().all(|item| all.any(|known| known == item)), "{name}: {enums:?}");
    let differs = theirs.lines().zip(ours.lines()).enumerate().find(|(_, (a, b))| a != b);
    assert!(theirs == ours, "{name}: {differs:?}, {} and {} bytes", theirs.len(), ours.len());
}

/// `mlir-tblgen` moves all headings of a group of operations down by one level, also those in descriptions. A
/// description can be blank.
#[test]
fn documentation_of_groups_and_blank_descriptions_equals_that_of_mlir_tblgen() {
    let (Some(sources), Some(tool)) = (llvm_sources(), llvm_tool("mlir-tblgen")) else { return };
    for blank in ["", "  ", "\\n", "\\n  \\n"] {
        let text = format!(
            "include \"mlir/IR/OpBase.td\"
include \"mlir/IR/AttrTypeBase.td\"
def T : Dialect {{ let name = \"t\"; let cppNamespace = \"::mlir::t\"; let description = \"{blank}\"; }}
def One : OpDocGroup {{ let summary = \"Group one\"; let description = [{{
  # Heading of the group
  Text.
}}]; }}
def Two : OpDocGroup {{ let summary = \"Group two\"; let description = \"{blank}\"; }}
def Unnamed : OpDocGroup {{ let summary = \"\"; let description = \"Text.\"; }}
def BOp : Op<T, \"b\">;
def AOp : Op<T, \"a\"> {{ let description = \"{blank}\"; }}
let opDocGroup = One in {{
def DOp : Op<T, \"d\"> {{ let description = [{{
# Heading
}}]; let arguments = (ins AnyType:$x); }}
def COp : Op<T, \"c\">;
}}
def EOp : Op<T, \"e\"> {{ let opDocGroup = Two; let description = \"x\"; }}
def FOp : Op<T, \"f\"> {{ let opDocGroup = Unnamed; }}
def TypeA : DialectType<T, CPred<\"true\">, \"type a\"> {{ let description = \"x\"; }}
def TypeB : DialectType<T, CPred<\"true\">, \"type b\"> {{ let description = \"{blank}\"; }}
def AttrA : DialectAttr<T, CPred<\"true\">, \"attribute a\"> {{ let description = \"x\"; }}
def AttrB : DialectAttr<T, CPred<\"true\">, \"attribute b\"> {{ let description = \"{blank}\"; }}
def T_X : TypeDef<T, \"X\"> {{ let mnemonic = \"x\"; let description = \"{blank}\"; }}
"
        );
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("t.td"), text).unwrap();
        let include = sources.join("mlir/include");
        compare_documentation(&tool, &include, "t", folder.path(), Path::new("t.td"));
    }
}

/// Prints the dialect `my` of a file that needs only the embedded headers.
fn my_dialect(print: impl Fn(&ods::Definitions<'_>, ods::DialectId) -> String) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/dialect.td");
    let parsed = records(&file, Path::new("."));
    let definitions = ods::read(&parsed.records);
    let (dialect, _) = definitions.dialects.iter_enumerated().find(|(_, d)| d.name == "my").unwrap();
    print(&definitions, dialect)
}

#[test]
fn listing() {
    insta::assert_snapshot!(my_dialect(ods::print_dialect));
}

#[test]
fn markdown() {
    insta::assert_snapshot!(my_dialect(ods::markdown));
}
