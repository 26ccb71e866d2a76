//! Tests of natives that an embedder registers: signatures, folding, effects, interfaces and verification.

use std::sync::{Arc, Mutex};

use drrvm::compile;
use drrvm::host::arg::{Attr, Op, Type, Value};
use drrvm::host::{
    AttrSpec, Bind, Effects, Entity, Facets, Folded, Ir, IrMut, Listener, NamedAttr, Natives, NoListener,
    OpState, Refusal, Rewriter, WalkOrder,
};
use drrvm::internal::frontend::{drr, ods, prelude, tablegen};
use drrvm::ir::{Context, IrHost, OpId, PrintOptions, parse_module};
use drrvm::pdl::RuleSet;
use drrvm::rewrite::{Config, Limit, Report, Strictness, apply_greedily, apply_greedily_to};
use drrvm::source::SourceMap;
use drrvm::vm::{LinkError, LinkOptions, Matcher};

const OPS: &str = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
def T : Dialect { let name = "t"; let cppNamespace = "::t"; }
class TOp<string name, list<Trait> traits = []> : Op<T, name, traits>;
def Constant : TOp<"constant", [Pure, ConstantLike]> {
  let arguments = (ins I32Attr:$value);
  let results = (outs I32:$r);
}
def Add : TOp<"add", [Pure]> { let arguments = (ins I32:$a, I32:$b); let results = (outs I32:$r); }
def Load : TOp<"load"> { let results = (outs I32:$r); }
def From : TOp<"from", [Pure]> { let arguments = (ins I32:$x, I32Attr:$n); let results = (outs I32:$r); }
def To : TOp<"to", [Pure]> { let arguments = (ins I32:$x, I32Attr:$n); let results = (outs I32:$r); }
"#;

fn rules(text: &str) -> RuleSet {
    let mut sources = SourceMap::default();
    let file = sources.add("rules.td", format!("{OPS}{text}")).unwrap();
    let config = tablegen::Config { embedded: prelude::FILES, ..Default::default() };
    let parsed = tablegen::parse(&mut sources, file, &config).unwrap();
    let mut rules = RuleSet::default();
    drr::lower(&ods::read(&parsed.records), &sources, &mut rules).unwrap();
    rules
}

fn host(text: &str) -> IrHost {
    let mut sources = SourceMap::default();
    let file = sources.add("t.mlir", text.to_owned()).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).unwrap();
    IrHost::new(context, module)
}

fn link(rules: &RuleSet, host: &mut IrHost, natives: &Natives<IrHost>) -> Result<Matcher<IrHost>, LinkError> {
    let program = compile::program(rules).unwrap();
    Matcher::link(Arc::new(program), host, natives, &LinkOptions::default())
}

fn run(rules: &RuleSet, natives: &Natives<IrHost>, config: &Config, text: &str) -> (String, Report) {
    let mut host = host(text);
    let matcher = link(rules, &mut host, natives).unwrap();
    let root = host.module.top();
    let report = apply_greedily(&mut host, root, &matcher, config, &mut NoListener);
    let text = host.module.print(&host.context, PrintOptions::new().generic(true));
    (text, report)
}

/// A rule that halves even numbers. One native tests if a number is even, and another native halves the number.
const HALVE: &str = r#"
    def Even : Constraint<CPred<"isEven($0)">>;
    def Half : NativeCodeCall<"half($0)">;
    def R : Pat<(From $x, $n), (To $x, (Half $n)), [(Even $n)]>;
"#;

/// The lines of a printed module that have an operation of dialect `t`.
fn ops(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| line.contains("\"t.")).collect()
}

#[test]
fn natives_receive_typed_arguments() {
    let rules = rules(HALVE);
    let int = |host: &IrHost, attr: Attr<IrHost>| host.attr_int(attr.0).and_then(|n| n.to_i64());
    let natives = Natives::new()
        .constraint("isEven", move |host: &IrHost, n: Attr<IrHost>| int(host, n).is_some_and(|n| n % 2 == 0))
        .rewrite("half", move |rewriter: &mut Rewriter<'_, IrHost>, n: Attr<IrHost>| {
            let half = int(rewriter.host(), n).ok_or_else(|| Refusal::new("no integer"))? / 2;
            if half > 10 {
                return Err(Refusal::new("too large"));
            }
            let attr = rewriter.host_mut().bind_attr(&format!("{half} : i32"));
            Ok(attr.map(Attr::<IrHost>))
        });
    let (text, report) = run(
        &rules,
        &natives,
        &Config::default(),
        r#"%x = "t.load"() : () -> i32
        %a = "t.from"(%x) {n = 6 : i32} : (i32) -> i32
        %b = "t.from"(%x) {n = 7 : i32} : (i32) -> i32
        %c = "t.from"(%x) {n = 60 : i32} : (i32) -> i32
        "u.use"(%a, %b, %c) : (i32, i32, i32) -> ()"#,
    );
    let ops = ops(&text);
    assert!(ops[1].contains("\"t.to\"") && ops[1].contains("n = 3 : i32"), "{text}");
    assert!(ops[2].contains("\"t.from\"") && ops[2].contains("n = 7 : i32"), "{text}");
    assert!(ops[3].contains("\"t.from\"") && ops[3].contains("n = 60 : i32"), "{text}");
    assert_eq!((report.rewrites, report.refused), (1, 2));
}

/// The message has both signatures: the registered signature and the signature that the rule needs.
#[test]
fn wrong_signature_of_a_closure_is_an_error_at_link_time() {
    let rules = rules(HALVE);
    let natives = Natives::new()
        .constraint("isEven", |_: &IrHost, _: Value<IrHost>| true)
        .rewrite("half", |_: &mut Rewriter<'_, IrHost>, _: Attr<IrHost>, _: i64| Ok(true));
    let Err(error) = link(&rules, &mut host(""), &natives) else { panic!("linking must fail") };
    let messages: Vec<_> = error.diagnostics().into_iter().map(|error| (error.message, error.help)).collect();
    assert_eq!(
        messages,
        [
            (
                "native constraint 'isEven' is registered as (value), \
                 but rule 'R' calls it as (attribute) -> boolean"
                    .to_owned(),
                vec![]
            ),
            (
                "native rewrite 'half' is registered as (attribute, integer) -> boolean, \
                 but rule 'R' calls it as (attribute) -> attribute"
                    .to_owned(),
                vec![]
            ),
        ]
    );
    assert_eq!(
        error.to_string(),
        "isEven: registered as (value), called as (attribute) -> boolean; \
         half: registered as (attribute, integer) -> boolean, called as (attribute) -> attribute"
    );
}

/// Natives that fold a `t.add` of two constants, or of any value and zero, and that materialise constants.
fn folds() -> Natives<IrHost> {
    Natives::<IrHost>::new()
        .fold("t.add", |host, op, operands| {
            let int = |attr: &Option<_>| attr.and_then(|attr| host.attr_int(attr)).and_then(|n| n.to_i64());
            match (int(&operands[0]), int(&operands[1])) {
                (_, Some(0)) => Some(vec![Folded::Value(host.operand(op, 0))]),
                (Some(a), Some(b)) => {
                    host.bind_attr(&format!("{} : i32", a + b)).map(|sum| vec![Folded::Attr(sum)])
                }
                _ => None,
            }
        })
        .materialize_constant("t", |rewriter, value, ty, location| {
            let name = rewriter.host_mut().bind_op_name("t.constant");
            let attribute = rewriter.host_mut().bind_attr_name("value");
            let attributes = &[NamedAttr { name: attribute, value, inherent: true }];
            rewriter.create(&OpState {
                name,
                operands: &[],
                result_types: &[ty],
                attributes,
                regions: 0,
                location,
            })
        })
}

const SUMS: &str = r#"%x = "t.load"() : () -> i32
    %0 = "t.constant"() {value = 0 : i32} : () -> i32
    %2 = "t.constant"() {value = 2 : i32} : () -> i32
    %3 = "t.constant"() {value = 3 : i32} : () -> i32
    %a = "t.add"(%x, %0) : (i32, i32) -> i32
    %b = "t.add"(%2, %3) : (i32, i32) -> i32
    %c = "t.add"(%b, %3) : (i32, i32) -> i32
    "u.use"(%a, %c) : (i32, i32) -> ()"#;

#[test]
fn natives_fold_operations() {
    let (text, report) = run(&rules(""), &folds(), &Config::default(), SUMS);
    let lines = ops(&text);
    assert_eq!(report.folded, 3, "{text}");
    assert_eq!(lines.len(), 2, "{text}");
    assert!(text.contains("value = 8 : i32"), "{text}");
    assert!(text.contains("(i32, i32) -> ()") && lines.iter().any(|line| line.contains("t.load")), "{text}");

    let (text, report) = run(&rules(""), &folds(), &Config::default().fold(false), SUMS);
    assert_eq!((report.folded, ops(&text).len()), (0, 7), "{text}");
}

/// As in MLIR's driver, an operation without results remains when it folds in place.
#[test]
fn operation_without_results_remains_when_folded_in_place() {
    let natives = Natives::new().fold("t.store", |host: &mut IrHost, op, _| {
        let sum = host.defining_op(host.operand(op, 0))?;
        (host.op_name_text(host.op_name(sum)) == "t.add").then_some(())?;
        let first = host.operand(sum, 0);
        host.module.set_operand(op, 0, first);
        Some(Vec::new())
    });
    let text = r#"%x = "t.load"() : () -> i32
        %a = "t.add"(%x, %x) : (i32, i32) -> i32
        "t.store"(%a) : (i32) -> ()"#;
    let (text, report) = run(&rules(""), &natives, &Config::default(), text);
    assert_eq!(report.folded, 1, "{text}");
    assert_eq!(ops(&text), ["%0 = \"t.load\"() : () -> i32", "\"t.store\"(%0) : (i32) -> ()"]);
}

/// A listener that records the name of each operation that is modified in place, and `true` if its first two operands
/// are equal.
struct Modified(Vec<String>);

impl Listener<IrHost> for Modified {
    fn modified(&mut self, host: &IrHost, op: OpId) {
        self.0.push(format!(
            "{} {}",
            host.op_name_text(host.op_name(op)),
            host.module.operand(op, 0) == host.module.operand(op, 1)
        ));
    }
}

/// `mark` sets the second operand of an addition to the first; `half` refuses odd numbers, which rolls the rewrite
/// back.
#[test]
fn in_place_changes_happen_only_if_the_rewrite_succeeds() {
    let rules = rules(
        r#"
        def Mark : NativeCodeCall<"mark($0)">;
        def Half : NativeCodeCall<"half($0)">;
        def R : Pat<(From $x, $n), (To (Mark $x), (Half $n))>;
        "#,
    );
    let natives = Natives::new()
        .rewrite("mark", |rewriter: &mut Rewriter<'_, IrHost>, value: Value<IrHost>| {
            let sum = rewriter.host().defining_op(value.0).ok_or_else(|| Refusal::new("no operation"))?;
            rewriter.modify(sum, |host, op| {
                let first = host.operand(op, 0);
                host.module.set_operand(op, 1, first);
            });
            Ok(value)
        })
        .rewrite("half", |rewriter: &mut Rewriter<'_, IrHost>, n: Attr<IrHost>| {
            let n = rewriter.host().attr_int(n.0).and_then(|n| n.to_i64()).filter(|n| n % 2 == 0);
            let n = n.ok_or_else(|| Refusal::new("odd"))? / 2;
            Ok(rewriter.host_mut().bind_attr(&format!("{n} : i32")).map(Attr::<IrHost>))
        });
    let mut host = host(
        r#"%x = "t.load"() : () -> i32
        %y = "t.load"() : () -> i32
        %a = "t.add"(%x, %y) : (i32, i32) -> i32
        %b = "t.add"(%x, %y) : (i32, i32) -> i32
        %c = "t.from"(%a) {n = 6 : i32} : (i32) -> i32
        %d = "t.from"(%b) {n = 7 : i32} : (i32) -> i32
        "u.use"(%c, %d) : (i32, i32) -> ()"#,
    );
    let matcher = link(&rules, &mut host, &natives).unwrap();
    let (root, mut modified) = (host.module.top(), Modified(Vec::new()));
    let report = apply_greedily(&mut host, root, &matcher, &Config::default(), &mut modified);
    let text = host.module.print(&host.context, PrintOptions::new().generic(true));
    assert_eq!((report.rewrites, modified.0), (1, vec!["t.add true".to_owned()]), "{text}");
    let sums: Vec<&str> = ops(&text).into_iter().filter(|line| line.contains("t.add")).collect();
    assert!(sums[0].contains("(%0, %0)") && sums[1].contains("(%0, %1)"), "{text}");
}

/// A native erases an operation and the two operations in its region, in each possible order.
#[test]
fn nested_operations_are_erased_before_their_parent() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("clear", 1);
        let root = rule.op("t.outer").matched();
        rule.rewrite_call("clear", [root], &[]);
        rule.finish().unwrap();
        let clear = move |rewriter: &mut Rewriter<'_, IrHost>, outer: Op<IrHost>| {
            let mut all = Vec::new();
            rewriter.host().walk(outer.0, WalkOrder::Pre, &mut |op| all.push(op));
            order.iter().for_each(|&i: &usize| rewriter.erase(all[i]));
            Ok(())
        };
        let mut host = host(
            r#""t.outer"() ({
                %a = "t.load"() : () -> i32
                "t.store"(%a) : (i32) -> ()
            }) : () -> ()"#,
        );
        let matcher = link(&rules, &mut host, &Natives::new().rewrite("clear", clear)).unwrap();
        let root = host.module.top();
        let report = apply_greedily(&mut host, root, &matcher, &Config::default(), &mut NoListener);
        let text = host.module.print(&host.context, PrintOptions::new().generic(true));
        assert_eq!((report.rewrites, ops(&text).len()), (1, 0), "{order:?}: {text}");
    }
}

/// No native materialises the constant, so the operation remains.
#[test]
fn fold_without_a_materialiser_changes_nothing() {
    let natives = Natives::new().fold("t.add", |host: &mut IrHost, _, _| {
        let attr = host.make_attr(&AttrSpec::Unit)?;
        Some(vec![Folded::Attr(attr)])
    });
    let (text, report) = run(&rules(""), &natives, &Config::default(), SUMS);
    assert_eq!((report.folded, ops(&text).len()), (0, 7), "{text}");
}

#[test]
fn operations_without_effects_and_uses_are_dead() {
    let text = r#"%x = "t.load"() : () -> i32
    %y = "t.other"() : () -> i32
    %c = "t.constant"() {value = 1 : i32} : () -> i32"#;
    let left = |natives: Natives<IrHost>| {
        let (text, _) = run(&rules(""), &natives, &Config::default(), text);
        ops(&text).iter().map(|line| line.split('"').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    // Operations with unknown effects remain.
    assert_eq!(left(Natives::new()), ["t.load", "t.other"]);
    assert_eq!(left(Natives::new().effects("t.load", |_, _| Effects::Read)), ["t.other"]);
    assert_eq!(left(Natives::new().effects("t.other", |_, _| Effects::None)), ["t.load"]);
    let written = Natives::new().effects("t.constant", |_, _| Effects::Write);
    assert_eq!(left(written), ["t.constant", "t.load", "t.other"]);
}

#[test]
fn strictness_limits_the_visited_operations() {
    let rules = rules(
        r#"
        def FromTo : Pat<(From $x, $n), (To $x, $n)>;
        def ToFrom : Pat<(To $x, ConstantAttr<I32Attr, "1">), (Add $x, $x)>;
        "#,
    );
    let text = r#"%x = "t.load"() : () -> i32
    %a = "t.from"(%x) {n = 1 : i32} : (i32) -> i32
    "u.use"(%a) : (i32) -> ()"#;
    let rewrites = |strictness| {
        let config = Config::default().strictness(strictness);
        run(&rules, &Natives::new(), &config, text).1.rewrites
    };
    assert_eq!(rewrites(Strictness::AnyOp), 2);
    assert_eq!(rewrites(Strictness::ExistingAndNewOps), 2);
    assert_eq!(rewrites(Strictness::ExistingOps), 1);
}

/// The operations with a name, in order.
fn named(host: &IrHost, name: &str) -> Vec<OpId> {
    let mut found = Vec::new();
    host.walk(host.module.top(), WalkOrder::Pre, &mut |op| {
        if host.op_name_text(host.op_name(op)) == name {
            found.push(op);
        }
    });
    found
}

#[test]
fn only_the_given_region_is_visited() {
    let rules = rules("def FromTo : Pat<(From $x, $n), (To $x, $n)>;");
    let body = r#"%x = "t.load"() : () -> i32
    %a = "t.from"(%x) {n = 1 : i32} : (i32) -> i32
    "u.use"(%a) : (i32) -> ()"#;
    let rewritten = |region, given| {
        let mut host = host(&format!("\"u.two\"() ({{ {body} }}, {{ {body} }}) : () -> ()"));
        let matcher = link(&rules, &mut host, &Natives::new()).unwrap();
        let root = named(&host, "u.two")[0];
        let config = Config::default().region(region);
        if given {
            let ops = named(&host, "t.from");
            apply_greedily_to(&mut host, root, &ops, &matcher, &config, &mut NoListener);
        } else {
            apply_greedily(&mut host, root, &matcher, &config, &mut NoListener);
        }
        let created = named(&host, "t.to");
        created.iter().map(|&op| host.region_index(op)).collect::<Vec<_>>()
    };
    for given in [false, true] {
        assert_eq!(rewritten(None, given), [0, 1]);
        assert_eq!(rewritten(Some(0), given), [0]);
        assert_eq!(rewritten(Some(1), given), [1]);
    }
}

#[test]
fn apply_to_given_operations_follows_strictness() {
    let rules = rules(
        r#"
        def FromTo : Pat<(From $x, $n), (To $x, $n)>;
        def ToAdd : Pat<(To $x, $n), (Add $x, $x)>;
        def AddOfAdd : Pat<(Add (Add $x, $y), $z), (Add $x, $z)>;
        "#,
    );
    let text = r#"%x = "t.load"() : () -> i32
    %a = "t.from"(%x) {n = 1 : i32} : (i32) -> i32
    %b = "t.from"(%x) {n = 2 : i32} : (i32) -> i32
    %c = "t.add"(%a, %x) : (i32, i32) -> i32
    "u.use"(%b, %c) : (i32, i32) -> ()"#;
    let rewrites = |strictness| {
        let mut host = host(text);
        let matcher = link(&rules, &mut host, &Natives::new()).unwrap();
        let (root, first) = (host.module.top(), named(&host, "t.from")[0]);
        let config = Config::default().strictness(strictness);
        let report = apply_greedily_to(&mut host, root, &[first], &matcher, &config, &mut NoListener);
        assert_eq!(named(&host, "t.from").len(), 1, "the other operation is unchanged");
        report.rewrites
    };
    // The rewrites happen at the given operation, at its replacement, and at an existing user of the replacement.
    assert_eq!(rewrites(Strictness::ExistingOps), 1);
    assert_eq!(rewrites(Strictness::ExistingAndNewOps), 2);
    assert_eq!(rewrites(Strictness::AnyOp), 3);
}

#[test]
fn rewrite_limits_end_sweeps_and_runs() {
    let rules = rules("def FromTo : Pat<(From $x, $n), (To $x, $n)>;");
    let text = r#"%x = "t.load"() : () -> i32
    %a = "t.from"(%x) {n = 1 : i32} : (i32) -> i32
    %b = "t.from"(%x) {n = 2 : i32} : (i32) -> i32
    %c = "t.from"(%x) {n = 3 : i32} : (i32) -> i32
    "u.use"(%a, %b, %c) : (i32, i32, i32) -> ()"#;
    let mut host = host(text);
    let matcher = link(&rules, &mut host, &Natives::new()).unwrap();
    let (root, ops) = (host.module.top(), named(&host, "t.from"));
    let config = Config::default().max_rewrites_per_sweep(Some(2));
    let report = apply_greedily_to(&mut host, root, &ops, &matcher, &config, &mut NoListener);
    let limit = report.not_converged.map(|stopped| stopped.limit);
    assert_eq!((report.rewrites, limit), (2, Some(Limit::Sweeps(1))), "the only pass has a limit");
    let of = |config: Config| {
        let report = run(&rules, &Natives::new(), &config, text).1;
        (report.rewrites, report.sweeps, report.not_converged.is_some())
    };
    assert_eq!(of(Config::default()), (3, 2, false));
    assert_eq!(of(Config::default().max_rewrites_per_sweep(Some(2))), (3, 3, false));
    assert_eq!(of(Config::default().max_rewrites_per_sweep(Some(1))), (3, 4, false));
    assert_eq!(of(Config::default().max_rewrites(Some(2))), (2, 1, true));
    assert_eq!(of(Config::default().max_rewrites(Some(0))), (0, 1, true));
    // The limit equals the number of possible rewrites, so the run converges.
    assert_eq!(of(Config::default().max_rewrites(Some(3))), (3, 2, false));
    assert_eq!(of(Config::default().max_rewrites_per_sweep(Some(1)).max_sweeps(2)), (2, 2, true));
}

#[test]
fn limit_is_reported_only_if_a_rule_matches() {
    let rules = rules("def FromTo : Pat<(From $x, $n), (To $x, $n)>;");
    let none = Config::default().max_rewrites(Some(0));
    let of = |config: &Config, text: &str| run(&rules, &Natives::new(), config, text).1;
    let other = r#"%x = "t.load"() : () -> i32
    "u.use"(%x) : (i32) -> ()"#;
    let report = of(&none, other);
    assert_eq!((report.rewrites, report.sweeps, report.not_converged), (0, 1, None));
    let stopped = of(
        &none,
        r#"%x = "t.load"() : () -> i32
    %a = "t.from"(%x) {n = 1 : i32} : (i32) -> i32
    "u.use"(%a) : (i32) -> ()"#,
    );
    assert_eq!(stopped.not_converged.map(|stopped| stopped.limit), Some(Limit::Rewrites(0)));
}

/// Unreachable code may contain cycles, so it is erased before rules are tried.
#[test]
fn unreachable_blocks_are_erased_first() {
    let rules = rules("def Loop : Pat<(Add $x, $y), (Add $y, $x)>;");
    let (text, report) = run(
        &rules,
        &Natives::new(),
        &Config::default(),
        r#""func.func"() <{function_type = () -> (), sym_name = "f"}> ({
          "func.return"() : () -> ()
        ^dead:
          %a = "t.add"(%b, %b) : (i32, i32) -> i32
          %b = "t.add"(%a, %a) : (i32, i32) -> i32
          "cf.br"() [^dead] : () -> ()
        }) : () -> ()"#,
    );
    assert_eq!(report.rewrites, 0, "{text}");
    assert!(!text.contains("t.add") && !text.contains("cf.br") && text.contains("func.return"), "{text}");
}

/// The command verifies its input and its output. The output file exists only if both are valid.
#[test]
fn native_verifiers_reject_operations() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let written = |input: &str, natives: Natives<IrHost>| {
        std::fs::write(path("in.mlir"), input).unwrap();
        let (input, output) = (path("in.mlir"), path("out.mlir"));
        let _ = std::fs::remove_file(&output);
        let args = ["drrvm", "opt", "-q", &input, "-o", &output].map(Into::into);
        let _ = drrvm::cli::run(args, natives);
        std::fs::exists(&output).unwrap()
    };
    let natives = || {
        Natives::new().verify("t.from", |host: &IrHost, op| {
            if host.operand_count(op) == 1 { Ok(()) } else { Err(Refusal::new("takes one operand")) }
        })
    };
    assert!(written("%0 = \"t.x\"() : () -> i32\n\"t.from\"(%0) : (i32) -> ()", natives()));
    assert!(!written("\"t.from\"() : () -> ()", natives()));
    assert!(written("\"t.from\"() : () -> ()", Natives::new()));
}

/// A native with the name of a constraint replaces the constraint at each of its uses. A native with a wrong signature
/// is an error.
#[test]
fn native_replaces_the_constraint_with_its_name() {
    let rules = rules(
        r#"
        def Small : AttrConstraint<CPred<"::llvm::cast<::mlir::IntegerAttr>($_self).getInt() < 10">>;
        def AlsoSmall : AttrConstraint<CPred<"::llvm::cast<::mlir::IntegerAttr>($_self).getInt() < 10">>;
        def Same : Constraint<CPred<"$0 == $1">>;
        def R : Pat<(From $x, Small:$n), (To $x, $n)>;
        def S : Pat<(To $x, AlsoSmall:$n), (Add $x, $x), [(Same $x, $x)]>;
        "#,
    );
    let text = r#"%x = "t.load"() : () -> i32
    %a = "t.from"(%x) {n = 3 : i32} : (i32) -> i32
    %b = "t.from"(%x) {n = 30 : i32} : (i32) -> i32
    %c = "t.to"(%x) {n = 30 : i32} : (i32) -> i32
    "u.use"(%a, %b, %c) : (i32, i32, i32) -> ()"#;
    let created = |natives: Natives<IrHost>| {
        let (text, _) = run(&rules, &natives, &Config::default(), text);
        ["t.from", "t.to", "t.add"].map(|name| text.matches(&format!("\"{name}\"")).count())
    };
    assert_eq!(created(Natives::new()), [1, 1, 1]);
    let large = |host: &IrHost, n: Attr<IrHost>| host.attr_int(n.0).and_then(|n| n.to_i64()) > Some(9);
    assert_eq!(created(Natives::new().constraint("Small", large)), [1, 2, 0]);
    let never = |_: &IrHost, _: Value<IrHost>, _: Value<IrHost>| false;
    assert_eq!(created(Natives::new().constraint("Same", never)), [1, 2, 0]);

    let wrong = Natives::new().constraint("Small", |_: &IrHost, _: Value<IrHost>| true);
    let Err(error) = link(&rules, &mut host(""), &wrong) else { panic!("linking must fail") };
    let messages: Vec<_> = error.diagnostics().into_iter().map(|error| (error.message, error.help)).collect();
    let registered =
        "native constraint 'Small' is registered as (value), but rule 'R' calls it as (attribute)".to_owned();
    assert_eq!(messages, [(registered, vec![])]);
}

/// The natives that a replaced predicate calls are not needed.
#[test]
fn native_that_replaces_a_constraint_suppresses_the_calls_of_its_predicate() {
    let rules = rules(
        r#"
        def Small : AttrConstraint<CPred<"isSmall($_self)">>;
        def Same : Constraint<CPred<"areSame($0, $1)">>;
        def R : Pat<(From $x, Small:$n), (To $x, $n), [(Same $x, $x)]>;
        "#,
    );
    let small = |host: &IrHost, n: Attr<IrHost>| host.attr_int(n.0).and_then(|n| n.to_i64()) < Some(9);
    let natives = Natives::new().constraint("Small", small);
    let Err(error) = link(&rules, &mut host(""), &natives) else { panic!("linking must fail") };
    let missing: Vec<&str> = error.missing().iter().map(|native| native.call.name.as_str()).collect();
    assert_eq!(missing, ["areSame"]);
    let natives = natives.constraint("Same", |_: &IrHost, a: Value<IrHost>, b: Value<IrHost>| a.0 == b.0);
    let text = r#"%x = "t.load"() : () -> i32
    %a = "t.from"(%x) {n = 3 : i32} : (i32) -> i32
    %b = "t.from"(%x) {n = 30 : i32} : (i32) -> i32
    "u.use"(%a, %b) : (i32, i32) -> ()"#;
    let (text, report) = run(&rules, &natives, &Config::default(), text);
    assert_eq!((text.matches("\"t.to\"").count(), report.rewrites), (1, 1), "{text}");
}

/// The uses of a native's result decide its kind: a result is a value if it is used as an operand or as the receiver of
/// a method of `Value`.
#[test]
fn uses_of_a_result_decide_its_kind() {
    let rules = rules(
        r#"
        def Pick : NativeCodeCall<"pick($0)">;
        def Choose : NativeCodeCall<"choose($0)">;
        def Describe : NativeCodeCall<"describe($0.getType())">;
        def Forget : NativeCodeCall<"forget($0)">;
        def R : Pattern<(From $x, $n), [(Pick:$v $x), (Forget $x), (To $v, $n)]>;
        def S : Pattern<(To $x, $n), [(Choose:$m $n), (Add $x, (From $x, (Describe (Pick $x)))), (From $x, $m)],
                        [(Constraint<CPred<"isFirst($0)">> $n)]>;
        "#,
    );
    let Err(error) = link(&rules, &mut host(""), &Natives::new()) else { panic!("linking must fail") };
    let mut calls: Vec<String> = error
        .missing()
        .iter()
        .map(|native| format!("{}{}", native.call.name, native.call.signature()))
        .collect();
    calls.sort();
    assert_eq!(
        calls,
        [
            "choose(attribute) -> attribute",
            "describe(type) -> attribute",
            "forget(value) -> anything",
            "isFirst(attribute) -> boolean",
            "pick(value) -> value"
        ]
    );
    let natives = Natives::new()
        .constraint("isFirst", |_: &IrHost, _: Attr<IrHost>| false)
        .rewrite("pick", |_: &mut Rewriter<'_, IrHost>, value: Value<IrHost>| Ok(value))
        .rewrite("choose", |_: &mut Rewriter<'_, IrHost>, attr: Attr<IrHost>| Ok(attr))
        .rewrite("forget", |_: &mut Rewriter<'_, IrHost>, _: Value<IrHost>| Ok(None::<Attr<IrHost>>))
        .rewrite("describe", |_: &mut Rewriter<'_, IrHost>, _: Type<IrHost>| Ok(None::<Attr<IrHost>>));
    let text = r#"%x = "t.load"() : () -> i32
    %a = "t.from"(%x) {n = 3 : i32} : (i32) -> i32
    "u.use"(%a) : (i32) -> ()"#;
    let (text, report) = run(&rules, &natives, &Config::default(), text);
    assert_eq!((text.matches("\"t.to\"").count(), report.rewrites), (1, 1), "{text}");
}

/// If a builder of a definition computes the result type with a C++ function, a native can replace this function.
#[test]
fn native_can_replace_the_result_type_function_of_a_builder() {
    let rules = rules(
        r#"
        def Test : TOp<"test", [Pure]> {
          let arguments = (ins I32:$x);
          let results = (outs AnyType:$r);
          let builders = [OpBuilder<(ins "::mlir::Value":$x), [{
            build($_builder, $_state, getTruthTypeOf(x.getType()), x);
          }]>];
        }
        def R : Pattern<(From $x, $n), [(Test $x), (To $x, $n)]>;
        "#,
    );
    let natives =
        Natives::new().rewrite("getTruthTypeOf", |rewriter: &mut Rewriter<'_, IrHost>, _: Type<IrHost>| {
            rewriter.host_mut().bind_type("i1").map(Type::<IrHost>).ok_or_else(|| Refusal::new("no i1"))
        });
    let Err(error) = link(&rules, &mut host(""), &Natives::new()) else { panic!("linking must fail") };
    let missing: Vec<String> = error.missing().iter().map(|native| native.call.signature()).collect();
    assert_eq!(missing, ["(type) -> type"]);
    assert!(link(&rules, &mut host(""), &natives).is_ok());
}

/// Natives build a constant attribute of a class that declares no format: a native constraint builds it for the match
/// part, and a native rewrite for the rewrite part.
#[test]
fn natives_build_a_constant() {
    let rules = rules(
        r#"
        include "mlir/IR/AttrTypeBase.td"
        def Dir : AttrDef<T, "Dir"> {
          let mnemonic = "dir";
          let parameters = (ins "int64_t":$number);
          let hasCustomAssemblyFormat = 1;
          let constBuilderCall = "::t::DirAttr::get($_builder.getContext(), $0)";
        }
        class Always<string value> : ConstantAttr<Dir, value>;
        def Move : TOp<"move", [Pure]> { let arguments = (ins Dir:$d); let results = (outs I32:$r); }
        def Turn : Pat<(Move Always<"0">), (Move Always<"1">)>;
        "#,
    );
    let Err(error) = link(&rules, &mut host(""), &Natives::new()) else { panic!("linking must fail") };
    let calls: Vec<String> =
        error.missing().iter().map(|native| format!("{} {}", native.call.role, native.call.name)).collect();
    assert_eq!(calls, ["constraint t::DirAttr::get", "rewrite t::DirAttr::get"]);
    let name = |number: i64| format!("#t.dir<{}>", ["up", "down"][usize::try_from(number).unwrap()]);
    let natives = Natives::new()
        .constraint("t::DirAttr::get", move |host: &IrHost, number: i64| {
            host.find_attr(&AttrSpec::Text(name(number))).map(Attr::<IrHost>)
        })
        .rewrite("t::DirAttr::get", move |rewriter: &mut Rewriter<'_, IrHost>, number: i64| {
            Ok(rewriter.host_mut().bind_attr(&name(number)).map(Attr::<IrHost>))
        });
    let text = r#"%a = "t.move"() {d = #t.dir<up>} : () -> i32
    "u.use"(%a) : (i32) -> ()"#;
    let (text, report) = run(&rules, &natives, &Config::default(), text);
    assert_eq!((text.matches("#t.dir<down>").count(), report.rewrites), (1, 1), "{text}");
}

/// A value differs from a default that the host cannot read, so the value is printed.
#[test]
fn a_default_that_the_host_cannot_read_differs_from_each_value() {
    let rules = rules(
        r#"
        include "mlir/IR/AttrTypeBase.td"
        def Tag : AttrDef<T, "Tag"> {
          let mnemonic = "tag";
          let parameters = (ins "int":$n, DefaultValuedParameter<"::mlir::Type", "\"!unknown_alias\"">:$t);
          let assemblyFormat = "`<` $n (`,` $t^)? `>`";
          let constBuilderCall = "::t::TagAttr::get($_builder.getContext(), 1, $_builder.getIntegerType($0))";
        }
        class Always<string value> : ConstantAttr<Tag, value>;
        def Move : TOp<"move", [Pure]> { let arguments = (ins Tag:$d); let results = (outs I32:$r); }
        def Turn : Pat<(Move Always<"8">), (Move Always<"16">)>;
        "#,
    );
    let text = r#"%a = "t.move"() {d = #t.tag<1, i8>} : () -> i32
    "u.use"(%a) : (i32) -> ()"#;
    let (text, report) = run(&rules, &Natives::new(), &Config::default(), text);
    assert_eq!((text.matches("#t.tag<1, i16>").count(), report.rewrites), (1, 1), "{text}");
}

/// A native decides which operations have an interface, in place of the definitions.
#[test]
fn native_replaces_an_interface_test() {
    let rules = rules(
        r#"
        def Movable : OpInterface<"Movable"> { let cppNamespace = "::t"; }
        def Marked : Op<T, "marked", [Movable]> { let results = (outs AnyType:$r); }
        def R : Pat<(From $x, $n), (To $x, $n), [(Constraint<CPred<"::llvm::isa<::t::Movable>($0.getDefiningOp())">> $x)]>;
        "#,
    );
    let text = r#"%x = "t.marked"() : () -> i32
    %y = "t.load"() : () -> i32
    %a = "t.from"(%x) {n = 3 : i32} : (i32) -> i32
    %b = "t.from"(%y) {n = 4 : i32} : (i32) -> i32
    "u.use"(%a, %b) : (i32, i32) -> ()"#;
    let rewritten = |natives: &Natives<IrHost>| {
        let (text, _) = run(&rules, natives, &Config::default(), text);
        let created =
            |n: u32| ops(&text).iter().any(|op| op.contains("\"t.to\"") && op.contains(&format!("n = {n} ")));
        (created(3), created(4))
    };
    // Without a native, the definitions decide.
    assert_eq!(rewritten(&Natives::new()), (true, false));
    let load = |host: &IrHost, op: Op<IrHost>| &*host.op_name_text(host.op_name(op.0)) == "t.load";
    assert_eq!(rewritten(&Natives::new().constraint("isa<t::Movable>", load)), (false, true));
    let wrong = Natives::new().constraint("isa<t::Movable>", |_: &IrHost, _: Attr<IrHost>| true);
    let Err(error) = link(&rules, &mut host(""), &wrong) else { panic!("linking must fail") };
    let messages: Vec<_> = error.diagnostics().into_iter().map(|error| (error.message, error.help)).collect();
    let registered = "native constraint 'isa<t::Movable>' is registered as (attribute), but rule 'R' calls it as (operation)";
    assert_eq!(messages, [(registered.to_owned(), vec![])]);
}

/// Each call gets the overload that takes its arguments, both in constraints and in result patterns.
#[test]
fn overloads_are_chosen_by_the_kinds_of_the_arguments() {
    let rules = rules(
        r#"
        def Copy : NativeCodeCall<"copyOf($0)">;
        def R : Pat<(From $x, $n), (To (Copy $x), (Copy $n)),
                    [(Constraint<CPred<"isGood($0)">> $x), (Constraint<CPred<"isGood($0)">> $n),
                     (Constraint<CPred<"isGood(typeOf($0))">> $x), (Constraint<CPred<"isGood($0, $1)">> $x, $n)]>;
        "#,
    );
    let asked = Arc::new(Mutex::new(Vec::new()));
    let ask = |what: &'static str| {
        let asked = asked.clone();
        move || {
            asked.lock().unwrap().push(what);
            true
        }
    };
    let [value, attr, ty, any] = ["value", "attribute", "type", "any"].map(ask);
    let natives = Natives::new()
        .constraint("isGood", move |_: &IrHost, _: Value<IrHost>| value())
        .constraint("isGood", move |_: &IrHost, _: Attr<IrHost>| attr())
        .constraint("isGood", move |_: &IrHost, _: Type<IrHost>| ty())
        .constraint("isGood", move |_: &IrHost, _: Entity<IrHost>, _: Entity<IrHost>| any())
        .constraint("typeOf", |host: &IrHost, of: Value<IrHost>| Some(Entity::Type(host.value_type(of.0))))
        .rewrite("copyOf", |_: &mut Rewriter<'_, IrHost>, value: Value<IrHost>| Ok(value))
        .rewrite("copyOf", |rewriter: &mut Rewriter<'_, IrHost>, _: Attr<IrHost>| {
            Ok(rewriter.host_mut().bind_attr("9 : i32").map(Attr::<IrHost>))
        });
    let text = r#"%x = "t.load"() : () -> i32
    %a = "t.from"(%x) {n = 3 : i32} : (i32) -> i32
    "u.use"(%a) : (i32) -> ()"#;
    let (text, report) = run(&rules, &natives, &Config::default(), text);
    assert_eq!(report.rewrites, 1, "{text}");
    assert!(ops(&text).iter().any(|op| op.contains("\"t.to\"(%0)") && op.contains("n = 9 : i32")), "{text}");
    let mut asked = asked.lock().unwrap().clone();
    asked.sort_unstable();
    asked.dedup();
    assert_eq!(asked, ["any", "attribute", "type", "value"]);
}

/// If no overload takes the arguments of a call, the message lists all overloads.
#[test]
fn all_overloads_are_listed_if_none_fits() {
    let rules = rules(HALVE);
    let natives = Natives::new()
        .constraint("isEven", |_: &IrHost, _: Value<IrHost>| true)
        .constraint("isEven", |_: &IrHost, _: Type<IrHost>| true)
        .constraint("isEven", |_: &IrHost, _: Type<IrHost>, _: i64| true)
        .rewrite("half", |_: &mut Rewriter<'_, IrHost>, n: Attr<IrHost>| Ok(n));
    let Err(error) = link(&rules, &mut host(""), &natives) else { panic!("linking must fail") };
    assert_eq!(
        error.to_string(),
        "isEven: registered as (value), (type) and (type, integer), called as (attribute) -> boolean"
    );
    // Only a native with the same parameters replaces an overload, so this call adds the overload that fits.
    let natives = natives.with(Natives::new().constraint("isEven", |_: &IrHost, _: Attr<IrHost>| true));
    assert!(link(&rules, &mut host(""), &natives).is_ok());
}

/// If the signature of a native states no kind for a result, the kind of the returned entity is checked after the call.
#[test]
fn result_of_another_kind_is_a_refusal() {
    let rules = rules(HALVE);
    let with = |result: fn(&Attr<IrHost>) -> Entity<IrHost>| {
        Natives::new()
            .constraint("isEven", |_: &IrHost, _: Attr<IrHost>| true)
            .rewrite("half", move |_: &mut Rewriter<'_, IrHost>, n: Attr<IrHost>| Ok(result(&n)))
    };
    let text = r#"%x = "t.load"() : () -> i32
    %a = "t.from"(%x) {n = 6 : i32} : (i32) -> i32
    "u.use"(%a) : (i32) -> ()"#;
    let right = with(|attr| Entity::Attr(Some(attr.0)));
    assert_eq!(run(&rules, &right, &Config::default(), text).1.rewrites, 1);
    let wrong = run(&rules, &with(|_| Entity::Int(1)), &Config::default(), text).1;
    assert_eq!((wrong.rewrites, wrong.refused), (0, 1));
}

/// `returnType` states the type of an attribute's reading, which is a C++ value. Predicates can call the methods of the
/// attribute and of the reading.
#[test]
fn return_types_decide_the_methods_of_an_attribute() {
    let rules = rules(
        r#"
        include "mlir/IR/AttrTypeBase.td"
        def BigAttr : Attr<CPred<"::llvm::isa<::mlir::IntegerAttr>($_self)">, "an integer"> {
          let storageType = "::mlir::IntegerAttr";
          let returnType = "::llvm::APSInt";
        }
        def Axis : AttrDef<T, "Axis"> {
          let mnemonic = "axis";
          let parameters = (ins "int64_t":$size);
          let assemblyFormat = "`<` $size `>`";
        }
        def Axes : ArrayOfAttr<T, "Axes", "axes", "AxisAttr"> {
          let assemblyFormat = "`<` `[` (`]`) : ($value^ `]`)? `>`";
        }
        def Num : TOp<"num", [Pure]> { let arguments = (ins BigAttr:$v); let results = (outs I32:$r); }
        def Split : TOp<"split", [Pure]> { let arguments = (ins I32:$x, Axes:$axes); let results = (outs I32:$r); }
        def Zero : AttrConstraint<CPred<"$_self.isZero()">>;
        def Signed : Constraint<CPred<"$0.getType().isSignlessInteger(32) && $0.getValue().isZero()">>;
        def Ones : Constraint<CPred<
            "::llvm::all_of($0, [](::t::AxisAttr a) { return a.getSize() == 1; }) && $0.size() == 2 && !$0.empty()">>;
        def R : Pat<(To (Num Zero:$v), $n), (Num $v), [(Signed $v)]>;
        def S : Pat<(Split $x, $axes), (replaceWithValue $x), [(Ones $axes)]>;
        "#,
    );
    let text = r#"%x = "t.load"() : () -> i32
    %0 = "t.num"() {v = 0 : i32} : () -> i32
    %1 = "t.num"() {v = 1 : i32} : () -> i32
    %2 = "t.num"() {v = 0 : i64} : () -> i32
    %a = "t.to"(%0) {n = 3 : i32} : (i32) -> i32
    %b = "t.to"(%1) {n = 4 : i32} : (i32) -> i32
    %c = "t.to"(%2) {n = 5 : i32} : (i32) -> i32
    %d = "t.split"(%x) {axes = #t.axes<[<1>, <1>]>} : (i32) -> i32
    %e = "t.split"(%x) {axes = #t.axes<[<1>, <2>]>} : (i32) -> i32
    %f = "t.split"(%x) {axes = #t.axes<[<1>]>} : (i32) -> i32
    %g = "t.split"(%x) {axes = #t.axes<[]>} : (i32) -> i32
    "u.use"(%a, %b, %c, %d, %e, %f, %g) : (i32, i32, i32, i32, i32, i32, i32) -> ()"#;
    let (text, report) = run(&rules, &Natives::new(), &Config::default(), text);
    assert_eq!(report.rewrites, 2, "{text}");
    assert_eq!((text.matches("\"t.to\"").count(), text.matches("\"t.split\"").count()), (2, 3), "{text}");
}

/// Functions for a trait apply to all defined operations with the trait, including those that no rule names. A function
/// for an operation takes precedence.
#[test]
fn functions_for_a_trait_apply_to_all_its_operations() {
    let rules = rules(
        r#"
        def Copies : NativeOpTrait<"CopiesItsOperand"> { let cppNamespace = "::my"; }
        def Quiet : NativeOpTrait<"IsQuiet"> { let cppNamespace = "::my"; }
        class Copy<string name> : TOp<name, [Copies, Quiet]> { let arguments = (ins I32:$a); let results = (outs AnyType:$r); }
        def CopyA : Copy<"copy_a">;
        def CopyB : Copy<"copy_b">;
        def Silent : TOp<"silent", [Quiet]>;
        def R : Pat<(From $x, $n), (To (CopyA $x), $n)>;"#,
    );
    let natives = || {
        Natives::<IrHost>::new()
            .type_inference_for_trait("my::CopiesItsOperand", |host, new| {
                Ok(vec![host.value_type(new.operands[0])])
            })
            .effects_for_trait("mlir::my::IsQuiet", |_, _| Effects::None)
            .verify_for_trait("my::CopiesItsOperand", |host, op| match host.operand_count(op) {
                1 => Ok(()),
                _ => Err(Refusal::new("takes one operand")),
            })
    };
    let text = r#"%x = "t.load"() : () -> i32
    %0 = "t.from"(%x) {n = 1 : i32} : (i32) -> i32
    %1 = "t.copy_b"(%x) : (i32) -> i32
    "t.silent"() : () -> ()
    "u.use"(%0, %1) : (i32, i32) -> ()"#;
    let names = |natives: Natives<IrHost>| {
        let (text, _) = run(&rules, &natives, &Config::default(), text);
        ops(&text).iter().map(|line| line.split('"').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(natives()), ["t.load", "t.copy_a", "t.to", "t.copy_b"]);
    let folded = natives()
        .fold_for_trait("my::CopiesItsOperand", |host, op, _| Some(vec![Folded::Value(host.operand(op, 0))]));
    assert_eq!(names(folded), ["t.load", "t.to"]);
    let one = natives()
        .fold_for_trait("my::CopiesItsOperand", |host, op, _| Some(vec![Folded::Value(host.operand(op, 0))]))
        .fold("t.copy_b", |_, _, _| None);
    assert_eq!(names(one), ["t.load", "t.to", "t.copy_b"]);
    // The verifier rejects an operation that no rule names.
    let mut host = host("\"t.copy_b\"() : () -> ()");
    let matcher = link(&rules, &mut host, &natives()).unwrap();
    let invalid = named(&host, "t.copy_b")[0];
    assert!(matcher.hooks().verify(&host, invalid).is_err());
}
