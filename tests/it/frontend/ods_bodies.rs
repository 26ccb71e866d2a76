//! Compares the declarative formats of dialects' attributes and types with MLIR: drrvm reads and writes the parameters
//! in the texts that `mlir-opt` prints.

use crate::common;

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{llvm_sources, llvm_tool};
use drrvm::compile::{self, Options};
use drrvm::host::Facets;
use drrvm::host::Id;
use drrvm::internal::frontend::ods;
use drrvm::internal::snippet::ParamKind;
use drrvm::ir::{AttrId, AttrKind, Context, IrHost, TypeId, TypeKind};
use drrvm::pdl::RuleSet;
use drrvm::source::SourceMap;

fn test_dialect(sources: &Path) -> RuleSet {
    let folder = sources.join("mlir/test/lib/Dialect/Test");
    let options =
        Options { include_dirs: vec![sources.join("mlir/include"), folder.clone()], ..Options::default() };
    compile::rules(&mut SourceMap::default(), &[folder.join("TestOps.td")], &options).unwrap().0
}

/// Returns the output of `mlir-opt` for the parts of a file that it accepts.
fn generic(tool: &str, file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let args = ["--mlir-print-op-generic", "--allow-unregistered-dialect"];
    text.split("// -----\n").filter_map(|part| common::pipe_text(tool, &args, part).ok()).collect()
}

/// Returns the texts of all dialect attributes and types in some IR.
fn texts(text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let file = sources.add("part.mlir", text.to_owned()).unwrap();
    let mut context = Context::new();
    let module = drrvm::ir::parse_module(&mut context, sources.file(file)).unwrap();
    let host = IrHost::new(context, module);
    let mut found = Vec::new();
    for id in (0..host.context.type_count()).filter_map(TypeId::try_from_index) {
        if matches!(host.context.type_kind(id), TypeKind::Dialect(_)) {
            found.push(host.type_text(id));
        }
    }
    for id in (0..host.context.attr_count()).filter_map(AttrId::try_from_index) {
        if matches!(host.context.attr_kind(id), AttrKind::Dialect { .. }) {
            found.push(host.attr_text(id));
        }
    }
    found
}

#[test]
fn texts_that_mlir_prints_round_trip() {
    let (Some(sources), Some(tool)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let rules = test_dialect(&sources);
    let (mut read, mut rewritten) = (BTreeMap::new(), 0);
    let tests = sources.join("mlir/test");
    for file in [
        "mlir-tblgen/attr-or-type-format-roundtrip.mlir",
        "mlir-tblgen/testdialect-attrdefs.mlir",
        "mlir-tblgen/testdialect-typedefs.mlir",
    ] {
        for text in generic(&tool, &tests.join(file)).iter().flat_map(|text| texts(text)) {
            let Some(class) = rules.snippets().class_of_text(&text) else { continue };
            let params = rules.snippets().read_body(class, &text).unwrap_or_else(|e| panic!("{text}: {e}"));
            let mut params: Vec<Option<String>> = params.iter().map(|p| p.map(str::to_owned)).collect();
            // `read_body` does not read the type that follows an attribute.
            let self_type =
                text.rsplit_once(" : ").filter(|(_, ty)| !ty.contains('>')).map(|(_, ty)| ty.to_owned());
            for (param, read) in rules.snippets().body(class).unwrap().params.iter().zip(&mut params) {
                if param.kind == ParamKind::SelfType {
                    *read = self_type.clone();
                }
            }
            if let Some(written) = rules.snippets().write_body(class, &params) {
                // The indentation of a line break in a format depends on the context.
                assert_eq!(written, text.replace("\n  ", "\n"));
                rewritten += 1;
            }
            read.insert(text, params);
        }
    }
    let of = |text: &str| read[text].iter().map(Option::as_deref).collect::<Vec<_>>();
    assert_eq!(of("!test.optional_param<, 6>"), [None, Some("6"), None]);
    assert_eq!(of("!test.optional_group<(5) 6>"), [Some("6"), Some("5")]);
    assert_eq!(of("!test.optional_group_struct<(b = 5)>"), [None, Some("5")]);
    assert_eq!(of("#test.attr_with_type<i32, vector<4xi32>>"), [Some("i32"), Some("vector<4xi32>")]);
    assert_eq!(of("#test<attr_ugly begin 5 : index end>"), [Some("5 : index")]);
    assert_eq!(of("#test<simple_enum\"+\">"), [Some("\"+\"")]);
    // Only C++ can read the `custom` directive and the text after it.
    assert_eq!(of("#test.custom_anchor<5, true>"), [Some("5"), None]);
    assert_eq!(
        of("!test.cmpnd_nested_outer<i <42 <1, !test.smpla, [5, 6]>>>"),
        [Some("<42 <1, !test.smpla, [5, 6]>>")]
    );
    println!("{} attributes and types, {rewritten} texts written", read.len());
    assert!(read.len() >= 58 && rewritten >= 51, "{}, {rewritten}", read.len());
}

#[test]
fn formats_that_mlir_rejects_are_rejected() {
    let Some(sources) = llvm_sources() else { return };
    let file = sources.join("mlir/test/mlir-tblgen/attr-or-type-format-invalid.td");
    let mut map = SourceMap::default();
    let options = Options { include_dirs: vec![sources.join("mlir/include")], ..Options::default() };
    let parsed = compile::records(&mut map, &file, &options).unwrap();
    let errors = ods::read(&parsed.records).errors();
    let text = std::fs::read_to_string(&file).unwrap();
    let lines = text.lines().enumerate().filter(|(_, line)| line.contains("let assemblyFormat ="));
    let expected: Vec<usize> = lines.map(|(number, _)| number + 1).collect();
    let found: Vec<usize> =
        errors.iter().map(|e| map.locate(e.labels[0].span).unwrap().line as usize).collect();
    assert_eq!(found, expected);
}

/// Formats of a type with the required parameter `a` and the optional parameters `b` and `c`. The flag of a format is
/// true if `mlir-tblgen` accepts the format.
const FORMATS: [(&str, bool); 26] = [
    ("`<` struct(params) `>`", true),
    ("`<` $a (`x` $b^)? `>`", true),
    ("`<` $a (`x`) : (`y` $b^)? `>`", true),
    ("`<` $a (`,` $b^ (`:` $c^)?)? `>`", true),
    ("`<` $a custom<Foo>(qualified($b)) `>`", true),
    ("`<` $a custom<Foo>(\"a\\\"b\", $b) `>`", true),
    ("`<` $a custom <Foo> ($b, ref($a)) `>`", true),
    ("`<` $a qualified(qualified($b)) `>`", true),
    ("`<` $a struct(qualified($b), custom<Foo>($c)) `>`", true),
    ("`<` $a (`x` $b^) : ()? `>`", false),
    ("`<` $a custom<Foo>() $b `>`", false),
    ("`<` $ a `>`", false),
    ("`<` $a custom<1Foo>($b) `>`", false),
    ("`<` $a custom<attr-dict>($b) `>`", false),
    ("`<` $a custom<Foo>(qualified(ref($a))) `>`", false),
    ("`<` struct(custom<F>($b)) `,` $a `>`", false),
    ("`<` $a (`,` $b)? `>`", false),
    ("`<` $a (`x`^ $b)? `>`", false),
    ("`<` $a (custom<Foo>(ref($a))^)? `>`", false),
    ("`<` $a struct(custom<Foo>($b, $c)) `>`", false),
    ("`<` $a struct($b, params) `>`", false),
    ("`<` $a qualified(params) `>`", false),
    ("`<` $a ref($b) `>`", false),
    ("`<` $a `a-b` `>`", false),
    ("`<` $a attr-dict `>`", false),
    ("`<` $a (`,` $b^", false),
];

/// A file that defines the type with one of the [`FORMATS`].
fn with_format(format: &str) -> String {
    format!(
        "include \"mlir/IR/OpBase.td\"
         include \"mlir/IR/AttrTypeBase.td\"
         def D : Dialect {{ let name = \"t\"; let cppNamespace = \"::t\"; }}
         def T : TypeDef<D, \"T\"> {{
           let mnemonic = \"ty\";
           let parameters = (ins \"int\":$a, OptionalParameter<\"int\">:$b, OptionalParameter<\"int\">:$c);
           let assemblyFormat = [{{{format}}}];
         }}"
    )
}

#[test]
fn formats_have_the_verdicts_of_mlir() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.td");
    for (format, is_valid) in FORMATS {
        std::fs::write(&file, with_format(format)).unwrap();
        let mut map = SourceMap::default();
        let parsed = compile::records(&mut map, &file, &Options::default()).unwrap();
        let errors = ods::read(&parsed.records).errors();
        assert_eq!(errors.iter().count(), usize::from(!is_valid), "{format}");
        // The error is at the part of the format that is wrong.
        for error in errors.iter() {
            let span = error.labels[0].span;
            assert_eq!(map.locate(span).unwrap().line, 7, "{format}");
            assert_eq!(span.hi - span.lo, 1, "{format}");
        }
    }
    let (Some(tool), Some(sources)) = (llvm_tool("mlir-tblgen"), llvm_sources()) else { return };
    let include = sources.join("mlir/include");
    for (format, is_valid) in FORMATS {
        std::fs::write(&file, with_format(format)).unwrap();
        let status = std::process::Command::new(&tool)
            .args(["-gen-typedef-defs", "-I"])
            .args([&include, &file])
            .output()
            .unwrap()
            .status;
        assert_eq!(status.success(), is_valid, "{format}");
    }
}
