//! A rewrite changes attributes that the rule has bound.

use crate::common::command::Folder;

/// A matched attribute keeps the value that it had when the rule matched, as the variables in the output of
/// `mlir-tblgen` do.
#[test]
fn attributes_are_bound_before_the_rewrite_changes_them() {
    let rules = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/PatternBase.td"
def T : Dialect { let name = "t"; let cppNamespace = "t"; }
class Numbered<string name> : Op<T, name> {
  let arguments = (ins AnyType:$x, I32Attr:$k, OptionalAttr<I32Attr>:$m, DefaultValuedAttr<I32Attr, "5">:$n);
  let results = (outs AnyType:$r);
}
def AOp : Numbered<"a">;
def BOp : Numbered<"b">;
def Change : NativeCodeCallVoid<"change($_builder, $0)">;
def R : Pattern<(AOp:$op $x, $k, $m, $n), [(Change $op), (BOp $x, $k, $m, $n)]>;
"#;
    let helpers = r#"
static void change(mlir::PatternRewriter &rewriter, mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  rewriter.modifyOpInPlace(op, [&] {
    op->setAttr("k", rewriter.getI32IntegerAttr(7));
    op->setAttr("k", rewriter.getI32IntegerAttr(8));
    op->setAttr("m", rewriter.getI32IntegerAttr(9));
    op->removeAttr("n");
  });
}
"#;
    let input = "%x = \"u.x\"() : () -> i32\n\
                 %a = \"t.a\"(%x) <{k = 1 : i32, n = 3 : i32}> : (i32) -> i32\n\
                 \"u.y\"(%a) : (i32) -> ()\n";
    let folder = Folder::new(&[("rules.td", rules), ("helpers.cpp", helpers), ("in.mlir", input)]);
    for engine in ["tree", "automaton", "reference"] {
        let args = ["opt", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp", "--engine", engine];
        let run = folder.run(&args);
        let expected = "\"t.b\"(%0) <{k = 1 : i32, n = 3 : i32}> : (i32) -> i32";
        assert!(run.stdout.contains(expected), "{engine}: {} {}", run.stdout, run.stderr);
    }
}
