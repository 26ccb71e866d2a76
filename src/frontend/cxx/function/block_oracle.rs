//! Random functions that change blocks, compiled by this project and, with MLIR's headers, by a C++ compiler. After the
//! same call, the text of the IR must be the same here and in C++.
//!
//! A call whose behaviour is undefined in C++ must fail here. The C++ program contains only calls that do not fail
//! here.

use std::fmt::Write;
use std::sync::Arc;

use super::oracle::{Dice, compiled_output};
use super::{Functions, Helpers};
use crate::frontend::cxx::resolve::{Named, Resolver};
use crate::frontend::cxx::tests::host;
use crate::frontend::cxx::{Expected, Placeholder, Request, Text, compile};
use crate::host::{Entity, Ir, Journal, Natives, NoListener, Rewriter};
use crate::ir::PrintOptions;
use crate::snippet::{
    ClassId, ClassKind, Item, Linked, Plan, PlanArg, PlanId, PlanResults, SnippetId, Snippets, Ty,
};
use crate::source::{SourceMap, Span};

const FUNCTIONS: usize = 120;
const STATEMENTS: usize = 9;

const HEADER: &str = "#include \"mlir/IR/Builders.h\"
#include \"mlir/IR/BuiltinOps.h\"
#include \"mlir/IR/PatternMatch.h\"
#include \"mlir/Parser/Parser.h\"
#include \"llvm/Support/raw_ostream.h\"
#include <sys/wait.h>
#include <unistd.h>
using namespace mlir;
struct Mark {
  static Operation *create(RewriterBase &b, Location loc, ValueRange in) {
    OperationState state(loc, \"t.mark\");
    state.addOperands(in);
    return b.create(state);
  }
};
struct Br {
  static Operation *create(RewriterBase &b, Location loc, ValueRange in, Block *to) {
    OperationState state(loc, \"t.br\");
    state.addOperands(in);
    state.addSuccessors(to);
    return b.create(state);
  }
};
";

/// The functions are called with the operation `t.root`.
const MODULE: &str = r#""t.f"() ({
^bb0(%a: i32, %b: i32):
  %0 = "t.a"(%a, %b) : (i32, i32) -> i32
  %1 = "t.root"(%0, %b) ({
  ^bb0(%c: i32):
    %2 = "t.b"(%c, %0) : (i32, i32) -> i32
    "t.br"(%2)[^bb1] : (i32) -> ()
  ^bb1(%d: i32):
    "t.c"(%d) : (i32) -> ()
    "t.br"(%d, %c)[^bb2] : (i32, i32) -> ()
  ^bb2(%e: i32, %g: i32):
    "t.end"(%e, %g) : (i32, i32) -> ()
  }, {
    "t.d"(%0) : (i32) -> ()
    "t.end"() : () -> ()
  }, {
  }) : (i32, i32) -> i32
  "t.e"(%1) : (i32) -> ()
  "t.br"(%1)[^bb1] : (i32) -> ()
^bb1(%h: i32):
  "t.g"(%h) : (i32) -> ()
  "t.end"() : () -> ()
}) : () -> ()
"#;

/// The classes of the header, and the functions of a source file.
struct Source(Helpers);

impl Resolver for Source {
    fn helpers(&self) -> Option<&Helpers> {
        Some(&self.0)
    }
    fn name(&self, snippets: &mut Snippets, name: &str) -> Option<Named> {
        let op = match name {
            "Mark" => "t.mark",
            "Br" => "t.br",
            _ => return None,
        };
        let op = snippets.intern(op);
        Some(Named::Class(snippets.add_class(name, ClassKind::Op(op))))
    }
    fn create(&self, snippets: &mut Snippets, class: ClassId, args: &[Ty]) -> Option<PlanId> {
        let ClassKind::Op(op) = snippets.class(class).kind else { return None };
        let args = args.iter().map(|ty| match ty.item {
            Item::Block => PlanArg::Successors,
            _ => PlanArg::Operand,
        });
        let (args, results) = (args.collect(), PlanResults::Fixed(Vec::new()));
        Some(snippets.add_plan(Plan { op, args, results, operand_segments: None, regions: 0 }))
    }
}

/// A writer of one function.
struct Author<'r> {
    random: &'r mut Dice,
    text: String,
    /// The variables in scope, with their types.
    scope: Vec<(String, &'static str)>,
    names: usize,
}

impl Author<'_> {
    fn pick<'p>(&mut self, of: &[&'p str]) -> &'p str {
        of[self.random.below(of.len())]
    }

    fn variable(&mut self, ty: &str) -> String {
        let of_type = self.scope.iter().filter(|(_, of)| *of == ty);
        let all: Vec<String> = of_type.map(|(name, _)| name.clone()).collect();
        all[self.random.below(all.len())].clone()
    }

    fn line(&mut self, text: &str) {
        self.text.push_str("  ");
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn declare(&mut self, ty: &'static str, value: &str) {
        self.names += 1;
        let name = format!("v{}", self.names);
        self.line(&format!("{ty}{name} = {value};"));
        if ty != "Value " {
            let object = name.clone();
            let test = if ty == "Region &" { String::new() } else { format!("if (!{object}) return;") };
            self.line(&test);
        }
        self.scope.push((name, ty));
    }

    /// Returns the name of a variable that holds an existing operation. May declare this variable first.
    fn op(&mut self) -> String {
        let block = self.variable("Block *");
        let op = self.variable("Operation *");
        let (value, region) = match self.random.below(9) {
            0 => (format!("{block}->empty() ? nullptr : &{block}->front()"), None),
            1 => (format!("{block}->empty() ? nullptr : &{block}->back()"), None),
            2 => (format!("{block}->getParentOp()"), None),
            3 => (format!("{op}->getNextNode()"), None),
            4 => (format!("{op}->getPrevNode()"), None),
            5 => (format!("{op}->getParentOp()"), None),
            6 => (format!("{op}->getBlock()->getTerminator()"), None),
            7 => (self.variable("Region &"), Some("getParentOp()")),
            _ => return op,
        };
        let value = region.map_or(value.clone(), |method| format!("{value}.{method}"));
        self.declare("Operation *", &value);
        self.scope.last().expect("a variable was declared").0.clone()
    }

    fn block(&mut self) -> String {
        let (block, op) = (self.variable("Block *"), self.variable("Operation *"));
        let region = self.variable("Region &");
        let value = match self.random.below(12) {
            0 => format!("{op}->getBlock()"),
            1 => format!("{region}.empty() ? nullptr : &{region}.front()"),
            2 => format!("{region}.empty() ? nullptr : &{region}.back()"),
            3 => format!("{op}->getNumSuccessors() == 0 ? nullptr : {op}->getSuccessor(0)"),
            4 => format!("{block}->getNextNode()"),
            5 => format!("{block}->getSinglePredecessor()"),
            6 => format!("rewriter.createBlock(&{region})"),
            7 => format!("rewriter.createBlock({block}, {{x.getType()}}, {{loc}})"),
            8 => format!(
                "rewriter.createBlock(&{region}, {region}.end(), TypeRange{{x.getType(), x.getType()}}, {{loc, loc}})"
            ),
            9 => format!("rewriter.splitBlock({op}->getBlock(), {op}->getIterator())"),
            10 => {
                self.line(&format!("rewriter.setInsertionPoint({op});"));
                "rewriter.getInsertionBlock()".to_owned()
            }
            _ => return block,
        };
        self.declare("Block *", &value);
        self.scope.last().expect("a variable was declared").0.clone()
    }

    fn region(&mut self) -> String {
        let (block, op) = (self.variable("Block *"), self.variable("Operation *"));
        let value = match self.random.below(6) {
            0 => format!("*{block}->getParent()"),
            1 => format!("*{op}->getParentRegion()"),
            2 => "op->getRegion(0)".to_owned(),
            3 => "op->getRegion(2)".to_owned(),
            _ => return self.variable("Region &"),
        };
        self.declare("Region &", &value);
        self.scope.last().expect("a variable was declared").0.clone()
    }

    fn value(&mut self) -> String {
        let (block, op) = (self.variable("Block *"), self.variable("Operation *"));
        match self.random.below(4) {
            0 => {
                self.line(&format!("if ({block}->getNumArguments() == 0) return;"));
                self.declare("Value ", &format!("{block}->getArgument({block}->getNumArguments() - 1)"));
            }
            1 => {
                self.line(&format!("if ({op}->getNumResults() == 0) return;"));
                self.declare("Value ", &format!("{op}->getResult(0)"));
            }
            2 => self.declare("Value ", &format!("{block}->addArgument(x.getType(), loc)")),
            _ => return self.variable("Value "),
        }
        self.scope.last().expect("a variable was declared").0.clone()
    }

    /// Writes a statement that sets the insertion point. In C++, an earlier insertion point can be stale, because it
    /// consists of a block and an operation, and the operation may be in another block now.
    fn insertion_point(&mut self, op: &str, block: &str) {
        let place = match self.random.below(5) {
            0 => format!("setInsertionPoint({op})"),
            1 => format!("setInsertionPointAfter({op})"),
            2 => format!("setInsertionPointToStart({block})"),
            3 => format!("setInsertionPoint({block}, {block}->end())"),
            _ => format!("setInsertionPointToEnd({block})"),
        };
        self.line(&format!("rewriter.{place};"));
    }

    fn statement(&mut self) {
        let (op, block) = (self.op(), self.block());
        match self.random.below(26) {
            0..6 => {
                let value = self.value();
                self.insertion_point(&op, &block);
                self.line(&format!("Mark::create(rewriter, loc, {{{value}, x}});"));
            }
            6 => {
                let (value, to) = (self.value(), self.block());
                self.insertion_point(&op, &block);
                self.line(&format!("Br::create(rewriter, loc, {value}, {to});"));
            }
            7 => {
                let other = self.op();
                let method = self.pick(&["moveOpBefore", "moveOpAfter"]);
                self.line(&format!("rewriter.{method}({op}, {other});"));
            }
            8 => self.line(&format!("{op}->moveBefore({block}, {block}->begin());")),
            9 => {
                self.line(&format!("if ({op}->getNumResults() != 0) return;"));
                self.line(&format!("rewriter.eraseOp({op});"));
            }
            10 => {
                let region = self.region();
                self.line(&format!("rewriter.inlineRegionBefore({region}, {block});"));
            }
            11 => {
                let (region, other) = (self.region(), self.region());
                let method = self.pick(&["inlineRegionBefore", "cloneRegionBefore"]);
                self.line(&format!("rewriter.{method}({region}, {other}, {other}.end());"));
            }
            12 => {
                let other = self.block();
                let values = format!("SmallVector<Value>({other}->getNumArguments(), x)");
                self.line(&format!("rewriter.mergeBlocks({other}, {block}, {values});"));
            }
            13 => {
                let values = format!("SmallVector<Value>({block}->getNumArguments(), x)");
                self.line(&format!("rewriter.inlineBlockBefore({block}, {op}, {values});"));
            }
            14 => self.line(&format!("rewriter.eraseBlock({block});")),
            15 => {
                let other = self.block();
                self.line(&format!("rewriter.moveBlockBefore({block}, {other});"));
            }
            16 => {
                self.line(&format!("if ({op}->getNumSuccessors() == 0) return;"));
                self.line(&format!("{op}->setSuccessor({block}, 0);"));
            }
            17 => self.line(&format!("{block}->insertArgument(0u, x.getType(), loc);")),
            18 => {
                self.line(&format!("if ({block}->getNumArguments() == 0) return;"));
                self.line(&format!("rewriter.replaceAllUsesWith({block}->getArgument(0), x);"));
                self.line(&format!("{block}->eraseArgument(0);"));
            }
            19 => {
                self.line(&format!("for (Operation &inner : *{block}) {{"));
                self.line("  rewriter.setInsertionPoint(&inner);");
                self.line("  Mark::create(rewriter, loc, x);");
                self.line("  break;");
                self.line("}");
            }
            22 => {
                let other = self.block();
                self.line(&format!("if ({block}->empty() || {block}->back().getNumResults() != 0) return;"));
                self.line(&format!("rewriter.eraseOp({block}->getTerminator());"));
                let values = format!("SmallVector<Value>({block}->getNumArguments(), x)");
                self.line(&format!("rewriter.mergeBlocks({block}, {other}, {values});"));
            }
            23 => {
                self.line(&format!("while ({block}->getNumArguments() > 1) {{"));
                self.line(&format!("  rewriter.replaceAllUsesWith({block}->getArgument(0), x);"));
                self.line(&format!("  {block}->eraseArgument(0);"));
                self.line("}");
            }
            24 => {
                self.line(&format!("if ({block}->empty() || {block}->back().getNumResults() != 0) return;"));
                self.line(&format!("rewriter.eraseOp(&{block}->back());"));
                self.line(&format!("rewriter.eraseBlock({block});"));
            }
            25 => {
                let other = self.op();
                self.insertion_point(&op, &block);
                self.declare("Operation *", &format!("rewriter.clone(*{other})"));
            }
            20 => {
                let region = self.region();
                self.line(&format!("for (Block &inner : {region})"));
                self.line("  if (inner.isEntryBlock() && inner.hasNoPredecessors())");
                self.line("    inner.addArgument(x.getType(), loc);");
            }
            _ => {
                self.line("{");
                self.line("  OpBuilder::InsertionGuard guard(rewriter);");
                self.line(&format!("  rewriter.setInsertionPointToEnd({block});"));
                self.line(&format!(
                    "  for (Block *to : {op}->getSuccessors()) Br::create(rewriter, loc, x, to);"
                ));
                self.line("}");
            }
        }
    }
}

fn function(random: &mut Dice, number: usize) -> String {
    let text = format!(
        "static void f{number}(PatternRewriter &rewriter, Operation *op) {{
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  Block *outer = op->getBlock();
  Region &body = op->getRegion(0), &second = op->getRegion(1);
  Block *entry = &body.front();
"
    );
    let scope = [
        ("op", "Operation *"),
        ("outer", "Block *"),
        ("entry", "Block *"),
        ("body", "Region &"),
        ("second", "Region &"),
        ("x", "Value "),
    ];
    let scope = scope.map(|(name, ty)| (name.to_owned(), ty)).to_vec();
    let mut author = Author { random, text, scope, names: 0 };
    for _ in 0..STATEMENTS {
        author.statement();
    }
    author.text + "}\n"
}

/// Calls a function, and returns the text of the module afterwards. The outer error is the reason why the function
/// cannot be compiled; the inner error is the reason why the call fails.
fn changed(code: &str, number: usize) -> Result<Result<String, String>, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("helpers.cpp", code.to_owned()).expect("small");
    let mut functions = Functions::default();
    functions.add(sources.file(file));
    let resolver = Source(Helpers::new(&Arc::new(functions)));
    let mut snippets = Snippets::default();
    let id = compiled(&mut snippets, &resolver, number)?;
    let mut host = host(MODULE);
    let linked = Linked::link(&snippets, &mut host, &Natives::new());
    if !linked.missing().is_empty() {
        let notes: Vec<_> = resolver.0.notes().iter().map(|note| note.message.clone()).collect();
        return Err(notes.join("; "));
    }
    let before = host.module.print(&host.context, PrintOptions::new().generic(true));
    let root = host.module.preorder(host.module.top()).find(|&op| {
        let name = host.op_name(op);
        host.op_name_text(name) == "t.root"
    });
    let root = root.expect("the module has the operation");
    let mut journal = Journal::new();
    let mut rewriter = Rewriter::new(&mut host, root, &mut journal);
    let done = match linked.rewrite(&snippets, id, &mut rewriter, &[Entity::Op(root)]) {
        Ok(_) => rewriter.commit(&mut NoListener),
        Err(refusal) => {
            rewriter.roll_back();
            Err(refusal)
        }
    };
    let after = host.module.print(&host.context, PrintOptions::new().generic(true));
    Ok(match done {
        Ok(()) => Ok(after),
        Err(refusal) => {
            assert_eq!(before, after, "a failed rewrite is undone: {refusal}\n{code}");
            Err(refusal.to_string())
        }
    })
}

fn compiled(snippets: &mut Snippets, resolver: &Source, number: usize) -> Result<SnippetId, String> {
    let params = [Placeholder::new("$0", Ty::OP)];
    let request = Request { params: &params, expected: Expected::Nothing, resolver };
    let call = format!("f{number}($_builder, $0)");
    compile(snippets, &Text::new(&call, Span::NONE), &request)
        .map_err(|failure| failure.into_diagnostic().message.to_string())
}

#[test]
fn an_operation_in_no_block_has_no_neighbours() {
    for method in ["getNextNode", "getPrevNode"] {
        let code = format!(
            "static void f0(PatternRewriter &rewriter, Operation *op) {{
               Operation *module = op->getParentOp()->getParentOp();
               if (!module->{method}()) rewriter.eraseOp(op->getNextNode());
             }}"
        );
        assert_eq!(changed(&code, 0), Ok(Err("the operation is in no block".to_owned())), "{method}");
    }
}

#[test]
fn random_changes_of_blocks_have_the_results_of_mlir() {
    let random = &mut Dice(crate::test_seed::seed());
    let (mut text, mut main) = (HEADER.to_owned(), String::new());
    let (mut wanted, mut undefined, mut outside) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..FUNCTIONS {
        let code = function(random, number);
        match changed(&code, number) {
            Err(reason) => {
                outside.push(format!("{}\n{code}", reason.split_once(": ").map_or(&*reason, |(_, why)| why)))
            }
            Ok(Err(reason)) => undefined.push(reason),
            // MLIR omits the label of a first block without arguments, even if an operation branches to it.
            Ok(Ok(after)) if after.contains("^bb0:  //") => {}
            Ok(Ok(after)) => {
                text.push_str(&code);
                writeln!(main, "  run(&context, f{number});").expect("writing to a string succeeds");
                wanted.push((code, after));
            }
        }
    }
    undefined.sort_unstable();
    undefined.chunk_by(|a, b| a == b).for_each(|same| println!("{} undefined: {}", same.len(), same[0]));
    outside.sort_unstable();
    assert!(outside.is_empty(), "{} functions are outside the language: {}", outside.len(), outside[0]);
    assert!(wanted.len() >= FUNCTIONS / 4, "only {} calls are defined", wanted.len());
    if std::env::var_os("DRRVM_FULL").is_none() {
        println!("skipped: DRRVM_FULL is not set");
        return;
    }
    write!(
        text,
        "// Each call runs in a separate process, because a call that drrvm wrongly accepts can crash.
static void run(MLIRContext *context, void (*f)(PatternRewriter &, Operation *)) {{
  if (pid_t child = fork()) {{
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) llvm::outs() << \"crash\";
    llvm::outs() << \"\\n//\\n\";
    llvm::outs().flush();
    return;
  }}
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>({MODULE:?}, context);
  Operation *root = nullptr;
  module->walk([&](Operation *op) {{ if (op->getName().getStringRef() == \"t.root\") root = op; }});
  PatternRewriter rewriter(context);
  rewriter.setInsertionPoint(root);
  f(rewriter, root);
  module->print(llvm::outs(), OpPrintingFlags().printGenericOpForm().assumeVerified());
  llvm::outs().flush();
  _Exit(0);
}}
int main() {{
  MLIRContext context;
  context.disableMultithreading();
  context.allowUnregisteredDialects();
{main}}}
"
    )
    .expect("writing to a string succeeds");
    let Some(lines) = compiled_output(&text, &["-lMLIR", "-lLLVM-22"]) else { return };
    let printed = lines.join("\n");
    let texts: Vec<&str> = printed.split("\n//").map(str::trim).filter(|text| !text.is_empty()).collect();
    assert_eq!(texts.len(), wanted.len());
    let differing: Vec<String> = wanted
        .iter()
        .zip(&texts)
        .filter(|((_, got), text)| got.trim() != **text)
        .map(|((code, got), text)| format!("{code}\nhere:\n{got}\nin C++:\n{text}"))
        .collect();
    println!("{} calls compared, {} calls undefined", wanted.len(), undefined.len());
    assert!(differing.is_empty(), "{} differ, for example {}", differing.len(), differing[0]);
}
