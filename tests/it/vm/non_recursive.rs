//! The erasure of an operation with nested operations: its effect on non-recursive rules, and the calls of listeners.

use std::sync::Arc;

use drrvm::compile;
use drrvm::host::{Ir, Listener, Natives, NoListener};
use drrvm::ir::{Context, IrHost, OpId, parse_module};
use drrvm::pdl::RuleSet;
use drrvm::source::SourceMap;
use drrvm::vm::{Engine, LinkOptions, Matcher, NonRecursive};

fn host(text: &str) -> IrHost {
    let mut sources = SourceMap::default();
    let file = sources.add("input.mlir", text).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).unwrap();
    IrHost::new(context, module)
}

fn link(rules: &RuleSet, host: &mut IrHost) -> Matcher<IrHost> {
    let program = Arc::new(compile::program(rules).unwrap());
    Matcher::link(program, host, &Natives::new(), &LinkOptions::default()).unwrap()
}

/// Adds a rule that replaces `from` by `to`.
fn becomes(rules: &mut RuleSet, from: &str, to: &str, recursive: bool) {
    let mut rule = rules.pattern(&format!("{from} to {to}"), 1);
    let root = rule.op(from).matched();
    let new = rule.create(to).created();
    rule.replace_by_op(root, new);
    if recursive {
        rule.recursive();
    }
    rule.finish().unwrap();
}

fn erases(rules: &mut RuleSet, name: &str) {
    let mut rule = rules.pattern(&format!("erase {name}"), 1);
    let root = rule.op(name).matched();
    rule.erase(root);
    rule.finish().unwrap();
}

/// The operations that have the name `name`.
fn named(host: &IrHost, name: &str) -> Vec<OpId> {
    let ops = host.module.preorder(host.module.top());
    ops.filter(|&op| host.op_name_text(host.op_name(op)) == name).collect()
}

/// If an operation that a rule created is erased with its parent, [`NonRecursive`] forgets the operation. If the id is
/// reused for another operation, the rule is tried on that operation.
#[test]
fn nested_erased_operations_are_forgotten() {
    let mut rules = RuleSet::default();
    becomes(&mut rules, "t.a", "t.b", false);
    erases(&mut rules, "t.outer");
    becomes(&mut rules, "t.s", "t.a", true);
    let mut host = host(
        r#"
        "t.outer"() ({
          "t.a"() : () -> ()
        }) : () -> ()
        "t.s"() : () -> ()
        "t.s"() : () -> ()
        "t.s"() : () -> ()
        "#,
    );
    let engine = NonRecursive::new(link(&rules, &mut host));
    let mut cache = engine.cache();
    let mut apply =
        |host: &mut IrHost, op| engine.apply(host, op, &mut cache, &mut NoListener).applied.is_some();

    let inner = named(&host, "t.a");
    assert!(apply(&mut host, inner[0]));
    let created = named(&host, "t.b")[0];
    let outer = named(&host, "t.outer");
    assert!(apply(&mut host, outer[0]));
    for op in named(&host, "t.s") {
        assert!(apply(&mut host, op));
    }
    let others = named(&host, "t.a");
    assert!(others.contains(&created), "the id must be reused: {created:?} in {others:?}");
    for op in others {
        assert!(apply(&mut host, op), "the rule was not tried at {op:?}");
    }
}

/// A listener that records the names of erased operations.
#[derive(Default)]
struct Erased(Vec<String>);

impl Listener<IrHost> for Erased {
    fn erased(&mut self, host: &IrHost, op: OpId) {
        self.0.push(host.op_name_text(host.op_name(op)));
    }
}

#[test]
fn listener_is_notified_of_nested_erased_operations() {
    let mut rules = RuleSet::default();
    erases(&mut rules, "t.outer");
    let mut host = host(
        r#"
        "t.outer"() ({
          %0 = "t.first"() : () -> i32
          "t.second"(%0) ({
            "t.inner"(%0) : (i32) -> ()
          }) : (i32) -> ()
        }, {
          "t.third"() : () -> ()
        }) : () -> ()
        "#,
    );
    let matcher = link(&rules, &mut host);
    let mut erased = Erased::default();
    let root = named(&host, "t.outer");
    assert!(matcher.apply(&mut host, root[0], &mut matcher.cache(), &mut erased).applied.is_some());
    assert_eq!(erased.0, ["t.first", "t.inner", "t.second", "t.third", "t.outer"]);
}
