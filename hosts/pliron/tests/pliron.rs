//! Compares rewriting of pliron's operations with rewriting of the built-in IR. pliron's verifier must accept the
//! result, and rewrites that create rejected operations are undone.
#![allow(clippy::unwrap_used, reason = "a failing setup fails the test")]

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use drrvm::Program;
use drrvm::compile;
use drrvm::host::ApInt;
use drrvm::host::arg::Attr;
use drrvm::host::{AttrSpec, Bind, Facets, IrMut, Natives, NoListener, Refusal, Rewriter, WalkOrder};
use drrvm::ir::{Context as OwnContext, IrHost, parse_module};
use drrvm::natives;
use drrvm::rewrite::{Config, Report, apply_greedily};
use drrvm::source::SourceMap;
use drrvm::vm::{LinkOptions, Matcher};
use drrvm_pliron::PlironHost;
use pliron::builtin::ops::ConstantOp;
use pliron::context::Context;
use pliron_llvm::ops::{AddOp, MulOp, ShlOp, XorOp};

fn program(file: &str) -> Arc<Program> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    program_of(|files| compile::rules(files, &[file], &compile::Options::default()).unwrap().0)
}

fn program_of(rules: impl FnOnce(&mut SourceMap) -> drrvm::pdl::RuleSet) -> Arc<Program> {
    Arc::new(compile::program(&rules(&mut SourceMap::default())).unwrap())
}

/// The natives that the rules call, for any host with integer attributes.
fn all_natives<H: Facets + IrMut>() -> Natives<H> {
    natives::all().rewrite("log2Of", |rewriter: &mut Rewriter<'_, H>, of: Attr<H>| {
        let host = rewriter.host();
        let value = host.attr_int(of.0).ok_or_else(|| Refusal::new("not an integer"))?;
        let ty = host.attr_type(of.0).ok_or_else(|| Refusal::new("the attribute has no type"))?;
        let log = u64::from(value.active_bits() - 1);
        let log = AttrSpec::Integer(ApInt::from_u64(value.width(), log), ty);
        rewriter
            .host_mut()
            .make_attr(&log)
            .map(Attr::<H>)
            .ok_or_else(|| Refusal::new("the type cannot hold the integer"))
    })
}

fn rewrite<H: Facets + IrMut>(host: &mut H, root: H::Op, program: &Arc<Program>) -> Report {
    let linked = Matcher::link(Arc::clone(program), host, &all_natives(), &LinkOptions::default());
    let matcher = linked.unwrap_or_else(|error| panic!("{:?}", error.diagnostics()));
    let report = apply_greedily(host, root, &matcher, &Config::default(), &mut NoListener);
    assert!(report.not_converged.is_none());
    report
}

/// Lists operations, one per line, with values numbered in order and constants with their value.
fn listing<H: Facets + IrMut>(host: &mut H, root: H::Op) -> String {
    let value = host.bind_attr_name("builtin_constant_value");
    let mut ops = Vec::new();
    host.walk(root, WalkOrder::Pre, &mut |op| ops.push(op));
    let (mut numbers, mut text) = (HashMap::new(), String::new());
    for op in ops {
        let results = (0..host.result_count(op)).map(|i| host.result(op, i));
        let operands = (0..host.operand_count(op)).map(|i| host.operand(op, i));
        // Block arguments have no definition and get their number at their first use.
        let mut name = |value: H::Value| {
            let next = numbers.len();
            format!(" %{}", numbers.entry(value).or_insert(next))
        };
        text += &operands.map(&mut name).collect::<String>();
        text += &format!(" {}", host.op_name_text(host.op_name(op)));
        if let Some(attr) = host.attr(op, value) {
            text += &format!(" {}", host.attr_text(attr));
        }
        text += " ->";
        text += &results.map(&mut name).collect::<String>();
        text += "\n";
    }
    text
}

fn pliron(text: &str) -> PlironHost {
    let mut host = PlironHost::parse(Context::new(), text).unwrap_or_else(|error| panic!("{error}"));
    host.verify().unwrap();
    host.register::<ConstantOp>();
    host.register::<AddOp>();
    host.register::<MulOp>();
    host.register::<ShlOp>();
    host.register::<XorOp>();
    host
}

const FUNCTION: &str = "
builtin.module @m {
^block():
  llvm.func @f: llvm.func <builtin.integer i64 (builtin.integer i64, builtin.integer i64) variadic = false> [] {
  ^entry(x: builtin.integer i64, y: builtin.integer i64):
    zero = builtin.constant <builtin.integer <0: i64>> : builtin.integer i64;
    two = builtin.constant <builtin.integer <2: i64>> : builtin.integer i64;
    three = builtin.constant <builtin.integer <3: i64>> : builtin.integer i64;
    four = builtin.constant <builtin.integer <4: i64>> : builtin.integer i64;
    a = llvm.add x, zero <{nsw=false,nuw=false}> : builtin.integer i64;
    b = llvm.add a, two <{nsw=false,nuw=false}> : builtin.integer i64;
    c = llvm.add b, three <{nsw=false,nuw=false}> : builtin.integer i64;
    d = llvm.mul y, four <{nsw=true,nuw=false}> : builtin.integer i64;
    e = llvm.xor d, d : builtin.integer i64;
    f = llvm.add c, e <{nsw=false,nuw=false}> : builtin.integer i64;
    g = llvm.sub f, d <{nsw=false,nuw=false}> : builtin.integer i64;
    llvm.return g
  }
}";

/// The same function in the built-in IR.
const OWN: &str = r#"
"builtin.module"() ({
  "llvm.func"() ({
  ^entry(%x: i64, %y: i64):
    %zero = "builtin.constant"() {builtin_constant_value = 0 : i64} : () -> i64
    %two = "builtin.constant"() {builtin_constant_value = 2 : i64} : () -> i64
    %three = "builtin.constant"() {builtin_constant_value = 3 : i64} : () -> i64
    %four = "builtin.constant"() {builtin_constant_value = 4 : i64} : () -> i64
    %a = "llvm.add"(%x, %zero) {llvm_integer_overflow_flags = 0} : (i64, i64) -> i64
    %b = "llvm.add"(%a, %two) {llvm_integer_overflow_flags = 0} : (i64, i64) -> i64
    %c = "llvm.add"(%b, %three) {llvm_integer_overflow_flags = 0} : (i64, i64) -> i64
    %d = "llvm.mul"(%y, %four) {llvm_integer_overflow_flags = 1} : (i64, i64) -> i64
    %e = "llvm.xor"(%d, %d) : (i64, i64) -> i64
    %f = "llvm.add"(%c, %e) {llvm_integer_overflow_flags = 0} : (i64, i64) -> i64
    %g = "llvm.sub"(%f, %d) {llvm_integer_overflow_flags = 0} : (i64, i64) -> i64
    "llvm.return"(%g) : (i64) -> ()
  }) : () -> ()
}) : () -> ()
"#;

#[test]
fn rules_give_the_same_result_on_pliron_and_the_built_in_ir() {
    let program = program("rules.td");
    let mut host = pliron(FUNCTION);
    let top = host.top();
    let report = rewrite(&mut host, top, &program);
    host.verify().unwrap();

    let mut files = SourceMap::default();
    let file = files.add("own", OWN).unwrap();
    let mut context = OwnContext::new();
    let module = parse_module(&mut context, files.file(file)).unwrap();
    let mut own = IrHost::new(context, module);
    let own_top = own.module.top();
    let own_report = rewrite(&mut own, own_top, &program);
    assert_eq!(report.rewrites, own_report.rewrites);
    assert_eq!(report.applied, own_report.applied);

    let listed = listing(&mut host, top);
    assert_eq!(listed, listing(&mut own, own_top));
    // `x + 5`, `y << 2` and their difference remain.
    let ops: Vec<_> = listed.lines().map(|line| line.split(" ->").next().unwrap().trim()).collect();
    let count = |op: &str| ops.iter().filter(|line| line.ends_with(op)).count();
    assert_eq!(ops.len(), 8, "{listed}");
    for op in ["llvm.add", "llvm.shl", "llvm.sub", "llvm.return", "constant 5 : i64", "constant 2 : i64"] {
        assert_eq!(count(op), 1, "{op} in\n{listed}");
    }
    // The shift has the flags of the product.
    let text = host.print();
    let shift = text.lines().find(|line| line.contains("llvm.shl")).unwrap();
    assert!(shift.contains("nsw=true"), "{text}");

    // The printed text reads back, and no rule matches it.
    let mut again = pliron(&text);
    let top = again.top();
    assert_eq!(rewrite(&mut again, top, &program).rewrites, 0);
}

/// A rule on `llvm.add` in `pdl`.
fn pdl_rule(rewrite: &str) -> Arc<Program> {
    let text = format!(
        "pdl.pattern @rule : benefit(1) {{
          %t = pdl.type : i64
          %x = pdl.operand : %t
          %y = pdl.operand
          %root = pdl.operation \"llvm.add\"(%x, %y : !pdl.value, !pdl.value) -> (%t : !pdl.type)
          pdl.rewrite %root {{
            {rewrite}
            pdl.replace %root with %new
          }}
        }}"
    );
    program_of(|files| {
        let folder = std::env::temp_dir().join(format!("drrvm-pliron-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("rule.mlir");
        std::fs::write(&file, &text).unwrap();
        let rules = compile::rules(files, &[file], &compile::Options::default()).unwrap().0;
        std::fs::remove_dir_all(folder).unwrap();
        rules
    })
}

#[test]
fn rejected_operations_are_undone() {
    let one = "%new = pdl.operation";
    for rejected in [
        // In this order: an operand is missing, flags are missing, the operation is not registered, and the attribute
        // key is invalid.
        format!("{one} \"llvm.xor\"(%x : !pdl.value) -> (%t : !pdl.type)"),
        format!("{one} \"llvm.mul\"(%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)"),
        format!("{one} \"llvm.and\"(%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)"),
        format!(
            "%a = pdl.attribute = unit\n
             {one} \"llvm.xor\"(%x, %x : !pdl.value, !pdl.value) {{\"no.key\" = %a}} -> (%t : !pdl.type)"
        ),
    ] {
        let mut host = pliron(FUNCTION);
        let (top, before) = (host.top(), host.print());
        let report = rewrite(&mut host, top, &pdl_rule(&rejected));
        assert_eq!(report.rewrites, 0, "{rejected}");
        assert!(report.refused > 0, "{rejected}");
        assert_eq!(host.print(), before, "{rejected}");
    }
    // The same rule fires if pliron accepts the operation.
    let mut host = pliron(FUNCTION);
    let top = host.top();
    let accepted = format!("{one} \"llvm.xor\"(%x, %y : !pdl.value, !pdl.value) -> (%t : !pdl.type)");
    assert!(rewrite(&mut host, top, &pdl_rule(&accepted)).rewrites > 0);
    host.verify().unwrap();
}

#[test]
fn uses_are_listed_newest_first() {
    use drrvm::host::Ir;
    let mut host = pliron(FUNCTION);
    let (xor, mul) = (host.bind_op_name("llvm.xor"), host.bind_op_name("llvm.mul"));
    let mut product = None;
    host.walk(host.top(), WalkOrder::Post, &mut |op| {
        if host.op_name(op) == mul {
            product = Some(host.result(op, 0));
        }
    });
    let product = product.unwrap();
    let uses = std::iter::successors(host.first_use(product), |&used| host.next_use(used));
    let uses: Vec<_> = uses
        .map(|used| (host.op_name_text(host.op_name(host.use_owner(used))), host.use_index(used)))
        .collect();
    assert_eq!(uses, [("llvm.sub".to_owned(), 1), ("llvm.xor".into(), 1), ("llvm.xor".into(), 0)]);
    assert_eq!(host.op_name_text(xor), "llvm.xor");
    assert_eq!(host.result_index(product), Some(0));
}

#[test]
fn invalid_text_is_an_error() {
    for text in ["", "nonsense", "nobody.knows", "builtin.module @m { ^b(): llvm.nothing }"] {
        assert!(PlironHost::parse(Context::new(), text).is_err(), "{text}");
    }
}
