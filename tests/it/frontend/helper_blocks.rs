//! Tests of helpers that change or read blocks, regions and operations, also in conversions. The command reads these
//! C++ functions from their source files.

use std::fmt::Write;

use drrvm::internal::equivalence::Random;

use crate::common::command::Folder;
use crate::common::seed::seed;
use crate::common::{llvm_sources, llvm_tool, pipe_text};

const RULES: &str = r#"
include "mlir/IR/PatternBase.td"
include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.td"
include "mlir/Dialect/SCF/IR/SCFOps.td"
def If : Pat<(IfOp:$op $c), (NativeCodeCall<"lowerIf($_builder, $0[0].getDefiningOp())"> $op)>;
def While : Pat<(WhileOp:$op $in), (NativeCodeCall<"lowerWhile($_builder, $0[0].getDefiningOp())"> $op)>;
def Execute : Pat<
  (ExecuteRegionOp:$op $no_inline), (NativeCodeCall<"lowerExecute($_builder, $0[0].getDefiningOp())"> $op)>;
"#;

const SOURCE: &str = r"
using namespace mlir;
using namespace mlir::scf;

/// Moves the blocks of a region before `before`, and replaces each `scf.yield` by a branch to `to`.
static Block *inlineBefore(PatternRewriter &rewriter, Region &region, Block *to, Block *before) {
  Block *first = &region.front();
  for (Block &block : region) {
    Operation *yield = block.getTerminator();
    if (!isa<YieldOp>(yield)) continue;
    rewriter.setInsertionPoint(yield);
    cf::BranchOp::create(rewriter, yield->getLoc(), to, yield->getOperands());
    rewriter.eraseOp(yield);
  }
  rewriter.inlineRegionBefore(region, before);
  return first;
}

/// Lowers `scf.if`. Its results become arguments of a new block, which branches to the operations after the `scf.if`.
static SmallVector<Value> lowerIf(PatternRewriter &rewriter, Operation *op) {
  auto ifOp = cast<IfOp>(op);
  Location loc = op->getLoc();
  Block *start = op->getBlock();
  Block *rest = rewriter.splitBlock(start, Block::iterator(op));
  SmallVector<Location> locations(op->getNumResults(), loc);
  Block *end = rewriter.createBlock(rest, op->getResultTypes(), locations);
  rewriter.create<cf::BranchOp>(loc, rest);
  Block *yes = inlineBefore(rewriter, ifOp.getThenRegion(), end, end);
  Block *no = inlineBefore(rewriter, ifOp.getElseRegion(), end, end);
  rewriter.setInsertionPointToEnd(start);
  cf::CondBranchOp::create(rewriter, loc, ifOp.getCondition(), yes, ValueRange(), no, ValueRange());
  return end->getArguments();
}

static SmallVector<Value> lowerWhile(PatternRewriter &rewriter, Operation *op) {
  OpBuilder::InsertionGuard guard(rewriter);
  auto whileOp = cast<WhileOp>(op);
  Block *start = rewriter.getInsertionBlock();
  Block *rest = rewriter.splitBlock(start, rewriter.getInsertionPoint());
  Block *test = &whileOp.getBefore().front(), *last = &whileOp.getBefore().back();
  Block *body = inlineBefore(rewriter, whileOp.getAfter(), test, rest);
  rewriter.inlineRegionBefore(whileOp.getBefore(), body);
  auto condition = cast<ConditionOp>(last->getTerminator());
  rewriter.setInsertionPoint(condition);
  SmallVector<Value> results = llvm::to_vector(condition.getArgs());
  rewriter.replaceOpWithNewOp<cf::CondBranchOp>(
      condition, condition.getCondition(), body, results, rest, ValueRange());
  rewriter.setInsertionPointToEnd(start);
  rewriter.create<cf::BranchOp>(op->getLoc(), test, whileOp.getInits());
  return results;
}

static SmallVector<Value> lowerExecute(PatternRewriter &rewriter, Operation *op) {
  Location loc = op->getLoc();
  Block *start = op->getBlock(), *rest = start->splitBlock(op);
  for (Type type : op->getResultTypes()) rest->addArgument(type, loc);
  Block *first = inlineBefore(rewriter, cast<ExecuteRegionOp>(op).getRegion(), rest, rest);
  rewriter.setInsertionPoint(start, start->end());
  rewriter.create<cf::BranchOp>(loc, first);
  return rest->getArguments();
}
";

/// Writes random operations with regions, nested up to `depth`. Returns the name of a value that depends on all of
/// them, because the driver erases dead operations.
fn write_ops(
    random: &mut Random,
    text: &mut String,
    names: &mut usize,
    values: &[String],
    depth: usize,
) -> String {
    let outer = values.len();
    let mut values = values.to_vec();
    for _ in 0..1 + random.below(3) {
        let mut value = || values[random.below(values.len())].clone();
        let (a, b) = (value(), value());
        *names += 1;
        let name = format!("%v{names}");
        match if depth == 0 { 0 } else { random.below(5) } {
            1 => {
                writeln!(text, "{name} = scf.if %c -> (i32) {{").unwrap();
                let yes = write_ops(random, text, names, &values, depth - 1);
                writeln!(text, "scf.yield {yes} : i32\n}} else {{").unwrap();
                let no = write_ops(random, text, names, &values, depth - 1);
                writeln!(text, "scf.yield {no} : i32\n}}").unwrap();
            }
            2 => {
                writeln!(text, "{name} = scf.while ({name}a = {a}) : (i32) -> i32 {{").unwrap();
                let inside = [values.as_slice(), &[format!("{name}a")]].concat();
                let passed = write_ops(random, text, names, &inside, depth - 1);
                writeln!(text, "{name}c = arith.cmpi slt, {passed}, {b} : i32").unwrap();
                writeln!(text, "scf.condition({name}c) {passed} : i32\n}} do {{\n^bb0({name}b: i32):")
                    .unwrap();
                let inside = [values.as_slice(), &[format!("{name}b")]].concat();
                let next = write_ops(random, text, names, &inside, depth - 1);
                writeln!(text, "scf.yield {next} : i32\n}}").unwrap();
            }
            3 => {
                writeln!(text, "{name} = scf.execute_region -> i32 {{").unwrap();
                let result = write_ops(random, text, names, &values, depth - 1);
                writeln!(text, "scf.yield {result} : i32\n}}").unwrap();
            }
            4 => {
                writeln!(text, "{name} = scf.execute_region -> i32 {{").unwrap();
                let first = write_ops(random, text, names, &values, depth - 1);
                writeln!(text, "cf.cond_br %c, ^bb1, ^bb2({first} : i32)\n^bb1:\nscf.yield {a} : i32")
                    .unwrap();
                writeln!(text, "^bb2({name}x: i32):\nscf.yield {name}x : i32\n}}").unwrap();
            }
            _ => {
                let op = ["addi", "muli", "xori"][random.below(3)];
                writeln!(text, "{name} = arith.{op} {a}, {b} : i32").unwrap();
            }
        }
        values.push(name);
    }
    let mut results = values.drain(outer..);
    let first = results.next().expect("a value was written");
    results.fold(first, |sum, result| {
        *names += 1;
        writeln!(text, "%v{names} = arith.addi {sum}, {result} : i32").unwrap();
        format!("%v{names}")
    })
}

/// Helpers lower the `scf` dialect to branches. The result equals that of MLIR's pass `convert-scf-to-cf`.
#[test]
fn helpers_lower_structured_control_flow() {
    let (Some(sources), Some(opt)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let random = &mut Random::new(seed());
    let mut text = String::new();
    for number in 0..40 {
        writeln!(text, "func.func @f{number}(%c: i1, %x: i32, %y: i32) -> i32 {{").unwrap();
        let values = ["%x".to_owned(), "%y".to_owned()];
        let result = write_ops(random, &mut text, &mut 0, &values, 3);
        writeln!(text, "return {result} : i32\n}}").unwrap();
    }
    let folder = Folder::new(&[("rules.td", RULES), ("helpers.cpp", SOURCE), ("in.mlir", &text)]);
    let headers = sources.join("mlir/include");
    let headers = headers.to_str().unwrap();
    let run =
        folder.run(&["opt", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp", "-I", headers]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(!run.stdout.contains("scf."), "{}", run.stdout);
    let ours = pipe_text(&opt, &[], &run.stdout).unwrap();
    let theirs = pipe_text(&opt, &["--convert-scf-to-cf"], &text).unwrap();
    assert_eq!(ours, theirs, "for the input\n{text}");
}

/// A rewrite is undone if its changes are invalid, for example if it erases a value that a remaining operation uses.
#[test]
fn invalid_changes_of_blocks_undo_the_rewrite() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_Loop : Op<T_Dialect, "loop"> {
  let arguments = (ins AnyType:$n);
  let results = (outs AnyType:$r);
  let regions = (region AnyRegion:$body);
}
def R : Pat<(T_Loop:$loop $n), (NativeCodeCall<"change($_builder, $0.getDefiningOp())"> $loop)>;
"#;
    let input = r#"
func.func @f() {
  %a = "t.get"() : () -> i32
  %b = "t.loop"(%a) ({
  ^bb0(%c: i32):
    "t.next"(%c)[^bb1] : (i32) -> ()
  ^bb1:
    %d = "t.one"(%a) : (i32) -> i32
    "t.next"(%c)[^bb1] : (i32) -> ()
  ^bb2:
    "t.end"() : () -> ()
  }) : (i32) -> i32
  "t.use"(%b) : (i32) -> ()
  cf.br ^bb1
^bb1:
  return
}
"#;
    let start = "using namespace mlir;
static Value change(PatternRewriter &rewriter, Operation *op) {
  Region &body = op->getRegion(0);
  Block *entry = &body.front(), *loop = entry->getNextNode(), *last = &body.back();
  Operation *first = &loop->front();
  ";
    let run = |change: &str, options: &[&str]| {
        let source = format!("{start}{change}\n  return op->getOperand(0);\n}}");
        let folder = Folder::new(&[("rules.td", rules), ("helpers.cpp", &source), ("in.mlir", input)]);
        let files = ["opt", "--generic", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp"];
        let run = folder.run(&[&files, options].concat());
        assert!(!run.stderr.contains("stays a native"), "{change}: {}", run.stderr);
        run
    };
    let succeeds = |change: &str| {
        let greedy = run(change, &[]);
        assert_eq!(greedy.status, 0, "{change}: {}", greedy.stderr);
        let succeeds = !greedy.stdout.contains("t.loop");
        let conversion = run(change, &["--convert", "--illegal", "t.loop"]);
        assert_eq!(conversion.status, i32::from(!succeeds), "{change}: {}", conversion.stderr);
        let is_reported = conversion.stderr.contains("failed to legalize operation 't.loop'");
        assert_eq!(is_reported, !succeeds, "{change}: {}", conversion.stderr);
        succeeds
    };
    for undone in [
        "last->moveBefore(loop); rewriter.moveBlockBefore(loop, op->getBlock()); entry->eraseArgument(0);",
        "rewriter.moveOpBefore(loop->getTerminator(), op);",
        "rewriter.moveBlockBefore(op->getBlock(), loop);",
        "rewriter.moveBlockBefore(op->getBlock()->getNextNode(), loop);",
        "rewriter.moveOpBefore(op->getParentOp(), op);",
        "rewriter.moveOpBefore(op, first);",
        "rewriter.inlineRegionBefore(*op->getParentRegion(), loop);",
        "rewriter.mergeBlocks(loop, loop);",
        "rewriter.inlineRegionBefore(body, body, body.end());",
        "rewriter.mergeBlocks(entry, loop, {});",
        "rewriter.splitBlock(entry, first->getIterator());",
        "entry->insertArgument(2u, op->getOperand(0).getType(), op->getLoc());",
        "first->setSuccessor(loop, 0);",
        "rewriter.eraseBlock(last); rewriter.eraseBlock(last);",
        "rewriter.eraseOp(first); rewriter.moveOpBefore(first, op);",
        "rewriter.eraseBlock(op->getBlock());",
        "rewriter.replaceAllUsesWith(op->getOperand(0), entry->getArgument(0));",
        "rewriter.moveOpBefore(entry->getTerminator(), op);",
        "rewriter.eraseBlock(op->getBlock()->getNextNode());",
        "op->getBlock()->getTerminator()->setSuccessor(entry, 0);",
        "return first->getResult(0);",
        "rewriter.eraseOp(op->getParentOp()->getParentOp());",
        "rewriter.eraseBlock(op->getParentOp()->getBlock());",
        "for (Operation *user : op->getOperand(0).getUsers()) if (user != op) return user->getResult(0);",
        "for (Operation *user : op->getResult(0).getUsers()) user->setOperand(0, first->getResult(0));",
    ] {
        assert!(!succeeds(undone), "{undone}");
    }
    for done in [
        "rewriter.eraseOp(last->getTerminator()); rewriter.eraseBlock(last);",
        "rewriter.eraseBlock(loop); rewriter.eraseOp(entry->getTerminator());",
        "rewriter.moveOpBefore(first, op);",
        "rewriter.replaceAllUsesWith(entry->getArgument(0), op->getOperand(0)); entry->eraseArgument(0);",
        "rewriter.replaceOp(first, entry->getArgument(0));",
        "rewriter.setInsertionPoint(first); { OpBuilder::InsertionGuard guard(rewriter); rewriter.eraseOp(first); }",
    ] {
        assert!(succeeds(done), "{done}");
    }
}

/// After a rewrite, no branch leads to a block, and other blocks use values of this block. The verifier reports these
/// uses.
#[test]
fn uses_of_values_in_unreachable_blocks_are_errors() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_Once : Op<T_Dialect, "once"> {
  let arguments = (ins AnyType:$n);
  let results = (outs AnyType:$r);
  let regions = (region AnyRegion:$body);
}
def T_Br : Op<T_Dialect, "br", [Terminator]> { let successors = (successor AnySuccessor:$to); }
def R : Pat<(T_Once:$op $n), (NativeCodeCall<"change($_builder, $0.getDefiningOp())"> $op)>;
"#;
    let source = "using namespace mlir;
static Value change(PatternRewriter &rewriter, Operation *op) {
  Block *start = op->getBlock(), *rest = rewriter.splitBlock(start, op->getIterator());
  rewriter.setInsertionPointToEnd(start);
  t::Br::create(rewriter, op->getLoc(), rest);
  Value inside = op->getRegion(0).front().getArgument(0);
  rewriter.inlineRegionBefore(op->getRegion(0), rest);
  return inside;
}";
    let input = "func.func @f(%x: i32) -> i32 {
  %0 = \"t.once\"(%x) ({
  ^bb0(%a: i32):
    \"t.end\"() : () -> ()
  }) : (i32) -> i32
  return %0 : i32
}";
    let folder = Folder::new(&[("rules.td", rules), ("helpers.cpp", source), ("in.mlir", input)]);
    let run = folder.run(&["opt", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stderr.contains("does not dominate this use"), "{}", run.stderr);
}

/// A rewrite moves a branch away from the end of its block, and the verifier reports the branch.
#[test]
fn branches_inside_a_block_are_errors() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_Once : Op<T_Dialect, "once"> { let arguments = (ins AnyType:$n); let results = (outs AnyType:$r); }
def R : Pat<(T_Once:$op $n), (NativeCodeCall<"change($_builder, $0.getDefiningOp())"> $op)>;
"#;
    let source = "using namespace mlir;
static Value change(PatternRewriter &rewriter, Operation *op) {
  rewriter.moveOpBefore(op->getBlock()->getTerminator(), op->getNextNode());
  return op->getOperand(0);
}";
    let input = "func.func @f(%x: i32) {
  %0 = \"t.once\"(%x) : (i32) -> i32
  \"t.use\"(%0) : (i32) -> ()
  cf.br ^end
^end:
  return
}";
    let folder = Folder::new(&[("rules.td", rules), ("helpers.cpp", source), ("in.mlir", input)]);
    for driver in ["greedy", "walk"] {
        let files = ["opt", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp", "--driver", driver];
        let run = folder.run(&files);
        assert_eq!(run.status, 1, "{}", run.stderr);
        assert!(run.stderr.contains("must terminate its parent block"), "{}", run.stderr);
    }
}

/// Helpers copy operations with their regions, and read their operands and results through iterators.
#[test]
fn helpers_copy_operations() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_Twice : Op<T_Dialect, "twice"> {
  let arguments = (ins Variadic<AnyType>:$xs);
  let results = (outs AnyType:$r);
  let regions = (region AnyRegion:$body);
}
def T_Pair : Op<T_Dialect, "pair"> { let arguments = (ins Variadic<AnyType>:$xs); let results = (outs AnyType:$r); }
def R : Pat<(T_Twice:$op $xs), (NativeCodeCall<"change($_builder, $0.getDefiningOp())"> $op)>;
"#;
    let source = "using namespace mlir;
static Value change(PatternRewriter &rewriter, Operation *op) {
  Operation *inner = &op->getRegion(0).front().front();
  Operation *first = rewriter.clone(*inner);
  Operation *second = rewriter.clone(*inner);
  second->setOperand(0, op->getOperand(1));
  SmallVector<Value> operands(op->operand_begin(), op->operand_end());
  operands.append(first->result_begin(), first->result_end());
  operands.push_back(second->getResult(0));
  return t::Pair::create(rewriter, op->getLoc(), op->getResult(0).getType(), operands)->getResult(0);
}";
    let input = "\"func.func\"() <{function_type = (i32, i32) -> i32, sym_name = \"f\"}> ({
^bb0(%x: i32, %y: i32):
  %0 = \"t.twice\"(%x, %y) ({
    %1 = \"t.in\"(%x) ({
    ^bb0(%a: i32):
      \"t.end\"(%a) : (i32) -> ()
    }) : (i32) -> i32
  }) : (i32, i32) -> i32
  \"func.return\"(%0) : (i32) -> ()
}) : () -> ()
";
    let folder = Folder::new(&[("rules.td", rules), ("helpers.cpp", source), ("in.mlir", input)]);
    let run = folder.run(&["opt", "--generic", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().map(str::trim).collect();
    let wanted = [
        "%0 = \"t.in\"(%arg0) ({",
        "^bb0(%arg3: i32):",
        "\"t.end\"(%arg3) : (i32) -> ()",
        "}) : (i32) -> i32",
        "%1 = \"t.in\"(%arg1) ({",
    ];
    assert!(lines.windows(wanted.len()).any(|window| window == wanted), "{}", run.stdout);
    let pair = "%2 = \"t.pair\"(%arg0, %arg1, %0, %1) : (i32, i32, i32, i32) -> i32";
    assert!(lines.contains(&pair), "{}", run.stdout);
}

/// Accessors return single operands before and after groups of operands, and the types and lists that attributes hold.
#[test]
fn accessors_return_operands_and_values_of_attributes() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_X : Op<T_Dialect, "x", [AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$first, Variadic<AnyType>:$a, Variadic<AnyType>:$b, AnyType:$last,
                       DenseI32ArrayAttr:$cases, TypeAttr:$ty);
  let results = (outs AnyType:$r);
}
def T_Y : Op<T_Dialect, "y"> { let arguments = (ins AnyAttr:$n); let results = (outs AnyType:$r); }
def R : Pat<(T_X:$op $first, $a, $b, $last, $cases, $ty), (T_Y (NativeCodeCall<"sum($_builder, $0)"> $op))>;
"#;
    let source = "using namespace mlir;
static IntegerAttr sum(PatternRewriter &rewriter, Value value) {
  auto op = value.getDefiningOp<t::X>();
  int64_t sum = op.getCases()[1] + 10 * op.getTy().getIntOrFloatBitWidth();
  if (op.getFirst().getType().isInteger(32)) sum += 1000;
  if (op.getLast().getType().isF32()) sum += 2000;
  for (int32_t one : op.getCases()) sum += 10000 * one;
  return rewriter.getI64IntegerAttr(sum);
}";
    let input = r#"%0:2 = "t.in"() : () -> (i32, f32)
%1 = "t.x"(%0#0, %0#1, %0#1)
  <{cases = array<i32: 3, 4>, ty = i8, operandSegmentSizes = array<i32: 1, 0, 1, 1>}> : (i32, f32, f32) -> i32
"t.out"(%1) : (i32) -> ()
"#;
    let folder = Folder::new(&[("rules.td", rules), ("helpers.cpp", source), ("in.mlir", input)]);
    let run = folder.run(&["opt", "--generic", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    // 4 + 10 * 8 + 1000 + 2000 + 10000 * (3 + 4)
    assert!(run.stdout.contains("n = 73084 : i64"), "{}", run.stdout);
}

/// In a conversion, blocks that a rule merged are one block for later rules.
#[test]
fn later_rules_of_a_conversion_see_merged_blocks() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
class T_Op<string name> : Op<T_Dialect, name> {
  let arguments = (ins Variadic<AnyType>:$in);
  let results = (outs AnyType:$r);
  let regions = (region AnyRegion:$body);
}
def T_Twice : T_Op<"twice">;
def T_Once : T_Op<"once">;
def Merge : Pat<(T_Twice:$op $in), (NativeCodeCall<"merge($_builder, $0.getDefiningOp())"> $op)>;
def Inline : Pat<(T_Once:$op $in), (NativeCodeCall<"inlineOnly($_builder, $0.getDefiningOp())"> $op)>;
"#;
    let source = "using namespace mlir;
static Value merge(PatternRewriter &rewriter, Operation *op) {
  Block *first = &op->getRegion(0).front(), *second = first->getNextNode();
  rewriter.eraseOp(first->getTerminator());
  rewriter.mergeBlocks(second, first);
  auto once = t::Once::create(rewriter, op->getLoc(), op->getResultTypes(), ValueRange());
  once->getRegion(0).takeBody(op->getRegion(0));
  return once->getResult(0);
}
static Value inlineOnly(PatternRewriter &rewriter, Operation *op) {
  if (!op->getRegion(0).hasOneBlock()) return op->getOperand(0);
  Block *block = &op->getRegion(0).front();
  Operation *end = block->getTerminator();
  Value result = end->getOperand(0);
  rewriter.eraseOp(end);
  rewriter.inlineBlockBefore(block, op);
  return result;
}";
    let input = "func.func @f(%x: i32) -> i32 {
  %r = \"t.twice\"(%x) ({
    cf.br ^bb1
  ^bb1:
    %w = arith.muli %x, %x : i32
    \"t.end\"(%w) : (i32) -> ()
  }) : (i32) -> i32
  return %r : i32
}
";
    let folder = Folder::new(&[("rules.td", rules), ("helpers.cpp", source), ("in.mlir", input)]);
    let convert = ["--convert=partial", "--illegal", "t.twice,t.once"];
    let mut args = vec!["opt", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp"];
    args.extend(convert);
    let run = folder.run(&args);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let expected = "  func.func @f(%arg0: i32) -> i32 {
    %0 = arith.muli %arg0, %arg0 : i32
    return %0 : i32
  }";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
}

/// `t.u` is inside two erased operations, and uses a result of a third.
#[test]
fn a_use_inside_nested_erased_operations_is_erased_once() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T : Dialect { let name = "t"; }
def Root : Op<T, "root"> { let arguments = (ins AnyType:$x); let results = (outs); }
def EraseAll : Pattern<(Root:$op $x), [(NativeCodeCallVoid<"eraseAll($_builder, $0)"> $op)]>;
"#;
    let source = "using namespace mlir;
static void eraseAll(PatternRewriter &rewriter, Operation *root) {
  Operation *a = root->getPrevNode(), *b = root->getNextNode();
  Operation *c = &b->getRegion(0).front().front(), *d = b->getNextNode();
  rewriter.eraseOp(a);
  rewriter.eraseOp(c);
  rewriter.eraseOp(b);
  rewriter.eraseOp(d);
}";
    let input = r#"%x = "t.x"() : () -> i32
%a = "t.a"(%x) : (i32) -> i32
"t.root"(%x) : (i32) -> ()
"t.b"() ({
  "t.c"() ({
    "t.u"(%a) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"t.d"(%a) : (i32) -> ()
"#;
    let folder = Folder::new(&[("rules.td", rules), ("helpers.cpp", source), ("in.mlir", input)]);
    let run = folder.run(&["opt", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(run.stdout, "module {\n  %0 = \"t.x\"() : () -> i32\n}\n");
}

/// If a rule of a conversion fails, the conversion applies the next rule and does not try the failed rule again.
#[test]
fn a_conversion_tries_the_next_rule_after_a_failure() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
class T_Op<string name> : Op<T_Dialect, name> {
  let arguments = (ins AnyType:$in);
  let results = (outs AnyType:$r);
}
def T_X : T_Op<"x">;
def T_Y : T_Op<"y">;
def T_Z : T_Op<"z">;
// The conversion tries `Short` before `Long` in spite of the benefits, because `Long` needs a second rule.
def Long : Pat<(T_X $in), (T_Y $in), [], [], (addBenefit 10)>;
def Short : Pat<(T_X:$op $in), (NativeCodeCall<"missing($_builder, $0.getDefiningOp())"> $op)>;
def Last : Pat<(T_Y $in), (T_Z $in)>;
"#;
    let source = "using namespace mlir;
static Value missing(PatternRewriter &rewriter, Operation *op) {
  return op->getRegion(0).front().getArgument(0);
}";
    let input = "%0 = \"t.in\"() : () -> i32\n%1 = \"t.x\"(%0) : (i32) -> i32\n\"t.out\"(%1) : (i32) -> ()\n";
    let folder = Folder::new(&[("rules.td", rules), ("helpers.cpp", source), ("in.mlir", input)]);
    let run = folder.run(&[
        "opt",
        "in.mlir",
        "--rules",
        "rules.td",
        "--helpers",
        "helpers.cpp",
        "--convert",
        "--illegal",
        "t.x,t.y",
        "--legal",
        "t.z",
        "--debug",
        "conversion",
    ]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("\"t.z\"("), "{}", run.stdout);
    assert!(run.stderr.contains("the operation has no region 0"), "{}", run.stderr);
}

/// After the conversion of a signature, a helper sees the new arguments of the block and not the replaced arguments.
#[test]
fn helpers_see_the_arguments_of_converted_signatures() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_Count : Op<T_Dialect, "count"> { let results = (outs AnyType:$r); }
def T_Number : Op<T_Dialect, "number"> {
  let arguments = (ins AnyAttr:$n);
  let results = (outs AnyType:$r);
}
def R : Pat<(T_Count:$op), (T_Number (NativeCodeCall<"count($_builder, $0.getDefiningOp())"> $op))>;
"#;
    let source = "using namespace mlir;
static IntegerAttr count(PatternRewriter &rewriter, Operation *op) {
  return rewriter.getI64IntegerAttr(op->getBlock()->getNumArguments());
}";
    let input = "func.func @f(%x: i64, %y: i8) -> i1 {
  %r = \"t.count\"() : () -> i1
  return %r : i1
}
";
    let types = "i64 -> i32, i32\n";
    let folder = Folder::new(&[
        ("rules.td", rules),
        ("helpers.cpp", source),
        ("in.mlir", input),
        ("types.txt", types),
    ]);
    let files = ["opt", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp"];
    let options = ["--convert", "--illegal", "t.count", "--legal", "t.number", "--types", "types.txt"];
    let run = folder.run(&[&files[..], &options].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    // Two arguments replace `%x`, so `%y` is the third argument.
    assert!(run.stdout.contains("n = 3 : i64"), "{}", run.stdout);
}

/// A conversion converts the arguments of moved and copied blocks, and legalises the operations in them.
#[test]
fn a_conversion_legalises_moved_and_copied_blocks() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
class T_Op<string name> : Op<T_Dialect, name> {
  let results = (outs AnyType:$r);
  let regions = (region AnyRegion:$body);
}
def T_Old : T_Op<"old">;
def T_New : T_Op<"new">;
class T_Unary<string name> : Op<T_Dialect, name> {
  let arguments = (ins AnyType:$in);
  let results = (outs AnyType:$r);
}
def T_X : T_Unary<"x">;
def T_Y : T_Unary<"y">;
def Outer : Pat<(T_Old:$op), (NativeCodeCall<"change($_builder, $0.getDefiningOp())"> $op)>;
def Inner : Pat<(T_X $in), (T_Y $in)>;
"#;
    let input = "%0 = \"t.old\"() ({
^bb0(%a: i64):
  %1 = \"t.x\"(%a) : (i64) -> i1
  \"t.end\"(%1) : (i1) -> ()
}) : () -> i1
\"t.use\"(%0) : (i1) -> ()
";
    for change in [
        "to.takeBody(from);",
        "rewriter.inlineRegionBefore(from, to, to.end());",
        "rewriter.cloneRegionBefore(from, to, to.end());",
    ] {
        let source = format!(
            "using namespace mlir;
static Value change(PatternRewriter &rewriter, Operation *op) {{
  auto made = t::New::create(rewriter, op->getLoc(), op->getResultTypes());
  Region &from = op->getRegion(0), &to = made->getRegion(0);
  {change}
  return made->getResult(0);
}}"
        );
        let folder = Folder::new(&[
            ("rules.td", rules),
            ("helpers.cpp", &source),
            ("in.mlir", input),
            ("types.txt", "i64 -> i32\n"),
        ]);
        let files =
            ["opt", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp", "--types", "types.txt"];
        let options = ["--convert=full", "--illegal", "t.old,t.x", "--legal", "t.new,t.y,t.end,t.use"];
        let run = folder.run(&[&files[..], &options].concat());
        assert_eq!(run.status, 0, "{change}: {}", run.stderr);
        let (has_y, has_x) = (run.stdout.contains("\"t.y\"("), run.stdout.contains("\"t.x\"("));
        assert!(has_y && !has_x && run.stdout.contains(": i32):"), "{change}: {}", run.stdout);
    }
}

/// Constraints read the blocks and regions around values and operations, and the owner and number of a block argument.
/// A method that reads the order of operations stays a native in a constraint.
#[test]
fn constraints_read_blocks_and_block_arguments() {
    let tests = [
        "auto b = dyn_cast<BlockArgument>(a); return b && b.getArgNumber() == 0;",
        "auto b = dyn_cast<BlockArgument>(a);
         return b && b.getOwner()->getParentOp()->getName().getStringRef() == \"t.fn\";",
        "return cast<BlockArgument>(a).getOwner()->isEntryBlock() && cast<BlockArgument>(a).getLoc() == a.getLoc();",
        "BlockArgument b = cast<BlockArgument>(a); Block *owner = b.getOwner();
         return owner->getNumArguments() == 2 && owner->getArgument(0) == a && owner->getArgument(1) != a;",
        "if (auto b = dyn_cast<BlockArgument>(a)) { Operation *parent = b.getOwner()->getParentOp();
         return parent->getNumRegions() == 1 && b.getOwner() == &parent->getRegion(0).front(); }
         return false;",
        "return isa<BlockArgument>(a) && a.getParentBlock()->isEntryBlock() && a.getParentRegion()->hasOneBlock();",
        "for (auto b : cast<BlockArgument>(a).getOwner()->getArguments())
           if (b.getOwner() != a.getParentBlock() || b.getArgNumber() > 1) return false;
         return true;",
        "return op->getBlock() == a.getParentBlock() && op->getParentRegion()->getParentOp() == op->getParentOp();",
        "int64_t ops = 0; for (Operation &other : *op->getBlock()) if (other.getNumRegions() == 0) ++ops;
         return ops > 10 && op->getBlock()->getTerminator()->getNumOperands() == 0;",
        "Value r = op->getResult(0); OpResult result = cast<OpResult>(r); return result.getOwner() == op;",
        "return op->isBeforeInBlock(op->getBlock()->getTerminator());",
    ];
    let mut rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a, I64Attr:$n); let results = (outs AnyType:$r); }
"#
    .to_owned();
    let (mut source, mut input) = (String::new(), "\"t.fn\"() ({\n^bb0(%a : i32, %b : i32):\n".to_owned());
    for (number, test) in tests.iter().enumerate() {
        writeln!(source, "static bool f{number}(Value a, Operation *op) {{\n  {test}\n}}").unwrap();
        writeln!(
            rules,
            "def R{number} : Pat<(T_XOp:$x $a, ConstantAttr<I64Attr, \"{number}\">), (replaceWithValue $a), \
             [(Constraint<CPred<\"f{number}($0, $1.getDefiningOp())\">> $a, $x)]>;"
        )
        .unwrap();
        writeln!(
            input,
            "%x{number} = \"t.x\"(%a) {{n = {number} : i64}} : (i32) -> i32\n\"t.out\"(%x{number}) : (i32) -> ()"
        )
        .unwrap();
    }
    input.push_str("\"t.ret\"() : () -> ()\n}) : () -> ()\n");
    let folder = Folder::new(&[("rules.td", &rules), ("helpers.cpp", &source), ("in.mlir", &input)]);
    let args = ["opt", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp", "--generic"];
    let run = folder.run(&[&args[..], &["--allow-missing-natives"]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let left: Vec<&str> = run.stdout.lines().filter(|line| line.contains("\"t.x\"")).collect();
    assert!(left.len() == 1 && left[0].contains("n = 10 : i64"), "{left:?}\n{}", run.stderr);
    assert!(
        run.stderr.contains("'isBeforeInBlock', which changes the IR or reads the order"),
        "{}",
        run.stderr
    );
    let reference = folder.run(&[&args[..], &["--allow-missing-natives", "--engine", "reference"]].concat());
    assert_eq!(reference.stdout, run.stdout);
}
