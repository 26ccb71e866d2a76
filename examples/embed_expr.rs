//! Embeds the matcher in a program with its own IR: a graph of integer expressions.
//!
//! `cargo run --no-default-features --example embed_expr`. `docs/EMBEDDING.md` explains the example.

#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::sync::Arc;

use drrvm::compile;
use drrvm::host::arg::Attr;
use drrvm::host::{
    AttrNameId, Bind, Facets, Ir, IrMut, Kind, NamedAttr, Natives, NoListener, OpNameId, OpState, Refusal,
    Rewriter, WalkOrder,
};
use drrvm::pdl::{OpDef, RuleSet, Trait};
use drrvm::rewrite::{Config, Report, apply_greedily};
use drrvm::source::Diagnostics;
use drrvm::vm::{LinkOptions, Matcher};

// The IR consists of nodes with a name, operands and an optional integer. Each node except `expr.out` has one result.
// The first node represents the whole graph.

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Expr(u32);

struct Node {
    name: OpNameId,
    operands: Vec<Expr>,
    value: Option<i64>,
    erased: bool,
}

struct Graph {
    nodes: Vec<Node>,
    names: Vec<String>,
}

/// The operation that contains all others.
const WHOLE: Expr = Expr(0);

impl Graph {
    fn new() -> Self {
        let mut graph = Self { nodes: Vec::new(), names: Vec::new() };
        graph.add("expr.graph", &[], None);
        graph
    }

    fn add(&mut self, name: &str, operands: &[Expr], value: Option<i64>) -> Expr {
        let name = self.bind_op_name(name);
        self.push(Node { name, operands: operands.to_vec(), value, erased: false })
    }

    fn push(&mut self, node: Node) -> Expr {
        self.nodes.push(node);
        Expr(u32::try_from(self.nodes.len() - 1).expect("small graphs only"))
    }

    fn node(&self, expr: Expr) -> &Node {
        &self.nodes[expr.0 as usize]
    }

    fn live(&self) -> impl Iterator<Item = Expr> {
        (0u32..).zip(&self.nodes).filter(|(_, node)| !node.erased).map(|(i, _)| Expr(i))
    }

    /// Returns the last use of `value` before `end` in (user, operand) order. The matcher expects the newest use first,
    /// and newer users have higher numbers.
    fn uses(&self, value: Expr, end: (Expr, u32)) -> Option<(Expr, u32)> {
        let before = |&(user, index): &(Expr, u32)| (user.0, index) < (end.0.0, end.1);
        let of = |user: Expr| (0u32..).zip(&self.node(user).operands).map(move |(i, &v)| ((user, i), v));
        self.live().flat_map(of).filter(|&(_, v)| v == value).map(|(used, _)| used).filter(before).last()
    }

    fn text(&self, expr: Expr) -> String {
        let node = self.node(expr);
        let name = self.names[node.name.raw() as usize].trim_start_matches("expr.");
        let parts: Vec<_> = node.operands.iter().map(|&operand| self.text(operand)).collect();
        match node.value {
            Some(value) if name == "const" => value.to_string(),
            Some(value) => format!("x{value}"),
            None => format!("{name}({})", parts.join(", ")),
        }
    }
}

// The interface for the matcher.

impl Ir for Graph {
    type Op = Expr;
    type Value = Expr;
    type Type = ();
    type Attr = i64;
    type Use = (Expr, u32);
    type Location = ();

    fn op_name(&self, op: Expr) -> OpNameId {
        self.node(op).name
    }
    fn operand_count(&self, op: Expr) -> u32 {
        u32::try_from(self.node(op).operands.len()).expect("few operands")
    }
    fn operand(&self, op: Expr, index: u32) -> Expr {
        self.node(op).operands[index as usize]
    }
    fn result_count(&self, op: Expr) -> u32 {
        u32::from(self.names[self.node(op).name.raw() as usize] != "expr.out")
    }
    fn result(&self, op: Expr, _index: u32) -> Expr {
        op
    }
    fn attr(&self, op: Expr, name: AttrNameId) -> Option<i64> {
        self.node(op).value.filter(|_| self.names[name.raw() as usize] == "value")
    }
    fn defining_op(&self, value: Expr) -> Option<Expr> {
        Some(value)
    }
    fn value_type(&self, _value: Expr) {}
    fn attr_type(&self, _attr: i64) -> Option<()> {
        None
    }
    fn first_use(&self, value: Expr) -> Option<(Expr, u32)> {
        self.uses(value, (Expr(u32::MAX), 0))
    }
    fn next_use(&self, used: (Expr, u32)) -> Option<(Expr, u32)> {
        self.uses(self.operand(used.0, used.1), used)
    }
    fn use_owner(&self, used: (Expr, u32)) -> Expr {
        used.0
    }
    fn use_index(&self, used: (Expr, u32)) -> u32 {
        used.1
    }
    fn location(&self, _op: Expr) {}
    fn op_name_text(&self, name: OpNameId) -> String {
        self.names[name.raw() as usize].clone()
    }
    fn parent_op(&self, op: Expr) -> Option<Expr> {
        (op != WHOLE).then_some(WHOLE)
    }
    fn walk(&self, root: Expr, order: WalkOrder, visit: &mut dyn FnMut(Expr)) {
        match (root, order) {
            (WHOLE, WalkOrder::Pre) => self.live().for_each(visit),
            (WHOLE, WalkOrder::Post) => self.live().skip(1).chain([WHOLE]).for_each(visit),
            (node, _) => visit(node),
        }
    }
}

impl Facets for Graph {}

impl Bind for Graph {
    fn bind_op_name(&mut self, name: &str) -> OpNameId {
        let known = self.names.iter().position(|known| known == name);
        let at = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        OpNameId::from_raw(u32::try_from(at).expect("few names"))
    }
    fn bind_attr_name(&mut self, name: &str) -> AttrNameId {
        AttrNameId::from_raw(self.bind_op_name(name).raw())
    }
    fn bind_type(&mut self, text: &str) -> Option<()> {
        (text == "!expr.int").then_some(())
    }
    fn bind_attr(&mut self, text: &str) -> Option<i64> {
        text.parse().ok()
    }
}

impl IrMut for Graph {
    fn create(&mut self, _before: Expr, state: &OpState<'_, Self>) -> Result<Expr, Refusal> {
        let is_value = |attribute: &&NamedAttr<i64>| self.names[attribute.name.raw() as usize] == "value";
        let value = state.attributes.iter().find(is_value).map(|attribute| attribute.value);
        let operands = state.operands.to_vec();
        Ok(self.push(Node { name: state.name, operands, value, erased: false }))
    }
    fn replace_all_uses(&mut self, from: Expr, to: Expr) {
        let operands = self.nodes.iter_mut().flat_map(|node| &mut node.operands);
        operands.filter(|operand| **operand == from).for_each(|operand| *operand = to);
    }
    fn erase(&mut self, op: Expr) {
        let node = &mut self.nodes[op.0 as usize];
        node.erased = true;
        node.operands.clear();
    }
}

// The rules. They could also come from a `.td` file or from a compiled `.drrbc` file.

fn rules() -> Result<RuleSet, Diagnostics> {
    let mut rules = RuleSet::default();
    for name in ["expr.const", "expr.var", "expr.add", "expr.mul", "expr.neg"] {
        // An operation without side effects is erased when it has no uses.
        let name = rules.intern(name);
        rules.ops_mut().insert(OpDef::new(name).traits([Trait::Pure]));
    }
    // x * 1 => x, and x + 0 => x.
    for (name, op, neutral) in [("mul_one", "expr.mul", "1"), ("add_zero", "expr.add", "0")] {
        let mut rule = rules.pattern(name, 2);
        let x = rule.value();
        let value = rule.attr_constant(neutral);
        let constant = rule.op("expr.const").attr("value", value).matched();
        let neutral = rule.result(constant, 0);
        let root = rule.op(op).operand(x).operand(neutral).matched();
        rule.replace(root, [x]);
        rule.finish()?;
    }
    // -(-x) => x.
    let mut rule = rules.pattern("neg_neg", 2);
    let x = rule.value();
    let inner = rule.op("expr.neg").operand(x).matched();
    let negated = rule.result(inner, 0);
    let root = rule.op("expr.neg").operand(negated).matched();
    rule.replace(root, [x]);
    rule.finish()?;
    // (x + a) + b => x + (a + b); a native computes a + b.
    let mut rule = rules.pattern("add_constants", 4);
    let x = rule.value();
    let (a, b) = (rule.any_attr(), rule.any_attr());
    let first = rule.op("expr.const").attr("value", a).matched();
    let first = rule.result(first, 0);
    let inner = rule.op("expr.add").operand(x).operand(first).matched();
    let inner = rule.result(inner, 0);
    let second = rule.op("expr.const").attr("value", b).matched();
    let second = rule.result(second, 0);
    let root = rule.op("expr.add").operand(inner).operand(second).matched();
    let sum = rule.rewrite_call("addIntegers", [a, b], &[Kind::Attr])[0];
    let ty = rule.make_type("!expr.int");
    let constant = rule.create("expr.const").attr("value", sum).result_type(ty).created();
    let constant = rule.result_of(constant, 0);
    let add = rule.create("expr.add").operand(x).operand(constant).result_type(ty).created();
    rule.replace_by_op(root, add);
    rule.finish()?;
    Ok(rules)
}

fn natives() -> Natives<Graph> {
    Natives::new().rewrite("addIntegers", |_: &mut Rewriter<'_, Graph>, a: Attr<Graph>, b: Attr<Graph>| {
        let sum = a.0.checked_add(b.0).ok_or_else(|| Refusal::new("the sum overflows"))?;
        Ok(Attr::<Graph>(sum))
    })
}

fn simplify(graph: &mut Graph) -> Result<Report, Diagnostics> {
    let rules = rules()?;
    let program = Arc::new(compile::program(&rules)?);
    let matcher = Matcher::link(program, graph, &natives(), &LinkOptions::default())?;
    Ok(apply_greedily(graph, WHOLE, &matcher, &Config::default(), &mut NoListener))
}

/// Builds `((x0 * 1 + 2) + 3) + -(-x1)` as the operand of `expr.out`.
fn example() -> (Graph, Expr) {
    let mut graph = Graph::new();
    let (x0, x1) = (graph.add("expr.var", &[], Some(0)), graph.add("expr.var", &[], Some(1)));
    let constant = |graph: &mut Graph, value| graph.add("expr.const", &[], Some(value));
    let (one, two, three) = (constant(&mut graph, 1), constant(&mut graph, 2), constant(&mut graph, 3));
    let product = graph.add("expr.mul", &[x0, one], None);
    let sum = graph.add("expr.add", &[product, two], None);
    let sum = graph.add("expr.add", &[sum, three], None);
    let negated = graph.add("expr.neg", &[x1], None);
    let negated = graph.add("expr.neg", &[negated], None);
    let sum = graph.add("expr.add", &[sum, negated], None);
    let out = graph.add("expr.out", &[sum], None);
    (graph, out)
}

fn main() -> Result<(), Diagnostics> {
    let (mut graph, out) = example();
    let before = graph.text(out);
    let report = simplify(&mut graph)?;
    println!("{before}\n{}\n{} rewrites", graph.text(out), report.rewrites);
    Ok(())
}

#[test]
fn expression_is_simplified() {
    let (mut graph, out) = example();
    assert_eq!(graph.text(out), "out(add(add(add(mul(x0, 1), 2), 3), neg(neg(x1))))");
    let report = simplify(&mut graph).expect("the rules are valid");
    assert_eq!(graph.text(out), "out(add(add(x0, 5), x1))");
    assert_eq!(report.rewrites, 3);
    // The graph, two variables, the constant five, two sums and `expr.out` remain.
    assert_eq!(graph.live().count(), 7);
}
