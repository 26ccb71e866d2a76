//! The automaton's labels stay correct while the IR changes at random; the rules have constraints in C++.

use std::sync::Arc;

use drrvm::Program;
use drrvm::compile;
use drrvm::host::{Bind, Facets, Ir, Listener, Natives};
use drrvm::internal::equivalence::Random;
use drrvm::ir::{AttrId, Context, IrHost, Module, OpId, OpSpec, TypeId, ValueId};
use drrvm::pdl::{PatternId, RuleSet, print};
use drrvm::source::{Color, SourceMap, render_all};
use drrvm::vm::{Automaton, Engine, LinkOptions, Matcher, Reference};

use crate::common::seed::seed;

/// Rules that are up to three operations deep, with C++ constraints on types and attributes at the root and below.
/// Equal operands and operands of equal type are residual tests.
const RULES: &str = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/PatternBase.td"
def T : Dialect { let name = "t"; let cppNamespace = "::t"; }
class T_Op<string name> : Op<T, name> {
  let arguments = (ins AnyType:$x, AnyType:$y, OptionalAttr<AnyAttr>:$n);
  let results = (outs AnyType:$r);
}
def A : T_Op<"a">;
def B : T_Op<"b">;
def Wide : TypeConstraint<CPred<"::llvm::isa<::mlir::IntegerType>($_self) && $_self.getIntOrFloatBitWidth() > 8">, "wide">;
def Small : AttrConstraint<CPred<"::llvm::isa<::mlir::IntegerAttr>($_self) && ::llvm::cast<::mlir::IntegerAttr>($_self).getInt() < 2">, "small">;
def Same : Constraint<CPred<"$0.getType() == $1.getType()">>;
def Nested : Pat<(A (B Wide:$x, $y, Small:$n), (B $z, $w, $m), $k), (A $x, $z, $k)>;
def Deep : Pat<(B (A (A Wide:$x, $y, $k), $z, Small:$n), $w, $m), (B $x, $w, $m)>;
def Twice : Pat<(A (B $x, $x, $n), $x, $m), (B $x, $x, $n)>;
def Typed : Pat<(B (B I32:$x, $y, $n), Wide:$z, ConstantAttr<I32Attr, "1">), (A $x, $z, $n)>;
def Alike : Pat<(A (A $x, $y, $n), $z, $m), (B $x, $z, $n), [(Same $x, $y)]>;
"#;

/// A block of operations under random change, with the types and attributes for new operations.
struct World {
    host: IrHost,
    args: Vec<ValueId>,
    ops: Vec<OpId>,
    types: Vec<TypeId>,
    attrs: Vec<AttrId>,
    random: Random,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut context = Context::new();
        let mut module = Module::new(&mut context);
        let types: Vec<TypeId> = ["i8", "i32", "i64", "f32"].map(|t| context.parse_type(t).unwrap()).into();
        let attrs = ["0 : i32", "1 : i32", "5 : i32", "\"text\""].map(|a| context.parse_attr(a).unwrap());
        let body = module.body();
        let args = types.iter().map(|&ty| module.add_arg(body, ty, Context::UNKNOWN)).collect();
        let host = IrHost::new(context, module);
        Self { host, args, ops: Vec::new(), types, attrs: attrs.into(), random: Random::new(seed) }
    }

    fn value(&mut self) -> ValueId {
        let (args, ops) = (self.args.len(), self.ops.len());
        match self.random.below(4 * ops + args) {
            at if at < args => self.args[at],
            // Recent operations are more likely, so that nesting is deep.
            _ => {
                let near = self.random.below(ops.min(6));
                self.host.module.result(self.ops[ops - 1 - near], 0)
            }
        }
    }

    /// Properties that are empty or contain one of the attributes.
    fn properties(&mut self) -> AttrId {
        let name = self.host.bind_attr_name("n");
        let at = self.random.below(self.attrs.len() + 1);
        let mut entries: Vec<_> = self.attrs.get(at).map(|&attr| (name, attr)).into_iter().collect();
        self.host.context.dictionary(&mut entries)
    }

    fn create(&mut self) -> OpId {
        let name = self.host.bind_op_name(["t.a", "t.b", "t.c"][self.random.below(3)]);
        let operands: Vec<ValueId> = (0..2).map(|_| self.value()).collect();
        let ty = self.types[self.random.below(self.types.len())];
        let spec = OpSpec {
            properties: self.properties(),
            ..OpSpec::new(name).operands(&operands).results(std::slice::from_ref(&ty))
        };
        let op = self.host.module.create(&spec);
        let body = self.host.module.body();
        self.host.module.append(body, op);
        self.ops.push(op);
        op
    }

    /// Makes one random change and notifies a listener.
    fn change(&mut self, listener: &mut dyn Listener<IrHost>) {
        let at = self.random.below(self.ops.len());
        let op = self.ops[at];
        match self.random.below(5) {
            0 => {
                let op = self.create();
                listener.created(&self.host, op);
            }
            1 => {
                let properties = self.properties();
                self.host.module.set_properties(op, properties);
                listener.modified(&self.host, op);
            }
            2 if self.ops.len() > 8 => {
                let result = self.host.module.result(op, 0);
                let mut with = self.value();
                if self.host.defining_op(with) == Some(op) {
                    with = self.args[0];
                }
                listener.replaced(&self.host, op, &[with]);
                self.host.module.replace_all_uses(result, with);
                listener.erased(&self.host, op);
                self.host.module.erase(op);
                self.ops.remove(at);
            }
            _ => {
                // The value may come from a later operation, so cycles are possible.
                let value = self.value();
                let index = u32::try_from(self.random.below(2)).unwrap();
                self.host.module.set_operand(op, index, value);
                listener.modified(&self.host, op);
            }
        }
    }
}

fn found<H: Facets, E: Engine<H>>(
    engine: &E,
    host: &H,
    ops: &[H::Op],
    cache: &mut E::Cache,
) -> Vec<(H::Op, PatternId)> {
    let mut found = Vec::new();
    for &op in ops {
        let mut matched = engine.match_first(host, op, cache);
        while let Some(rule) = matched {
            found.push((op, rule));
            matched = engine.next_match(host, cache);
        }
    }
    found
}

fn load(text: &str) -> (RuleSet, Arc<Program>) {
    load_file(".td", text)
}

fn load_file(suffix: &str, text: &str) -> (RuleSet, Arc<Program>) {
    let mut sources = SourceMap::default();
    let file = tempfile::Builder::new().suffix(suffix).tempfile().unwrap();
    std::fs::write(&file, text).unwrap();
    let rules = match compile::rules(&mut sources, &[file.path().to_owned()], &compile::Options::default()) {
        Ok((rules, _)) => rules,
        Err(errors) => panic!("{}", render_all(&errors, &sources, Color::Never)),
    };
    let program = Arc::new(compile::program(&rules).unwrap());
    (rules, program)
}

#[test]
fn labels_after_random_changes_equal_fresh_labels() {
    let (rules, program) = load(RULES);
    let natives = Natives::new();
    let mut matched = vec![0; rules.patterns().len()];
    let seed = seed();
    // Runs at least 12 rounds, and stops when each rule has matched.
    for round in 0..100 {
        if round >= 12 && matched.iter().all(|&count| count > 0) {
            return;
        }
        let mut world = World::new(seed.wrapping_add(round));
        for _ in 0..24 {
            world.create();
        }
        let host = &mut world.host;
        let matcher = Matcher::link(program.clone(), host, &natives, &LinkOptions::default()).unwrap();
        let matcher = Arc::new(matcher);
        let reference = Reference::link(&rules, &matcher, host, &natives).unwrap();
        let automaton = Automaton::new(matcher.clone());
        let mut cache = automaton.cache();
        for _ in 0..60 {
            let World { host, ops, .. } = &world;
            let expected = found(&reference, host, ops, &mut reference.cache());
            assert_eq!(
                found(&automaton, host, ops, &mut automaton.cache()),
                expected,
                "fresh labels, round {round}"
            );
            assert_eq!(found(&automaton, host, ops, &mut cache), expected, "updated labels, round {round}");
            assert!(!automaton.is_stale(host, &cache));
            expected.iter().for_each(|(_, rule)| matched[usize::try_from(rule.raw()).unwrap()] += 1);
            world.change(&mut cache);
            automaton.acknowledge_changes(&world.host, &mut cache);
        }
    }
    panic!("not all rules have matched: {matched:?}");
}

fn link(world: &mut World, program: Arc<Program>) -> Automaton<IrHost> {
    let linked = Matcher::link(program, &mut world.host, &Natives::new(), &LinkOptions::default());
    Automaton::new(linked.unwrap())
}

/// Appends an operation whose result has the type of its first operand.
fn append(world: &mut World, name: &str, operands: [ValueId; 2], properties: AttrId) -> OpId {
    let name = world.host.bind_op_name(name);
    let types = [world.host.value_type(operands[0])];
    let spec = OpSpec { properties, ..OpSpec::new(name).operands(&operands).results(&types) };
    let op = world.host.module.create(&spec);
    let body = world.host.module.body();
    world.host.module.append(body, op);
    op
}

fn argument(world: &mut World, ty: &str) -> ValueId {
    let ty = world.host.context.parse_type(ty).unwrap();
    let body = world.host.module.body();
    world.host.module.add_arg(body, ty, Context::UNKNOWN)
}

/// The evaluation of a predicate on the class of an attribute fails until the IR has the type that the predicate
/// computes.
#[test]
fn a_failed_predicate_on_a_class_is_evaluated_again() {
    let (rules, _) = load(
        r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/PatternBase.td"
def T : Dialect { let name = "t"; let cppNamespace = "::t"; }
class T_Op<string name> : Op<T, name> {
  let arguments = (ins AnyAttr:$n);
  let results = (outs AnyType:$r);
}
def A : T_Op<"a">;
def B : T_Op<"b">;
def Clones : AttrConstraint<CPred<"isa<MemRefType>(cast<ShapedType>(cast<TypeAttr>($_self).getValue())"
                                  ".clone(IndexType::get($_self.getContext())))">>;
def R : Pat<(A Clones:$n), (B $n)>;
"#,
    );
    // The replacement turns the constraint into a storage predicate, a predicate on the class of the attribute.
    let call = r#"pdl.apply_native_constraint "drrvm.snippet"(%3, %n : !pdl.attribute,"#;
    let of_class = r#"%name = pdl.attribute = "n"
    pdl.apply_native_constraint "drrvm.storage"(%1, %name, %3 : !pdl.operation, !pdl.attribute,"#;
    let text = print(&rules);
    assert!(text.contains(call), "{text}");
    let text = text.replace(call, of_class);
    let (_, program) = load_file(".mlir", &text);
    let mut world = World::new(0);
    let name = world.host.bind_attr_name("n");
    let attr = world.host.context.parse_attr("memref<2xi32>").unwrap();
    let properties = world.host.context.dictionary(&mut vec![(name, attr)]);
    let op_name = world.host.bind_op_name("t.a");
    let op = OpSpec { properties, ..OpSpec::new(op_name).results(&world.types[..1]) };
    let op = world.host.module.create(&op);
    let body = world.host.module.body();
    world.host.module.append(body, op);
    let automaton = link(&mut world, program);
    let mut cache = automaton.cache();
    assert!(automaton.match_first(&world.host, op, &mut cache).is_none());
    world.host.context.parse_type("memref<2xindex>").unwrap();
    let other = world.create();
    cache.created(&world.host, other);
    automaton.acknowledge_changes(&world.host, &mut cache);
    let matcher = automaton.matcher();
    assert!(matcher.match_first(&world.host, op, &mut matcher.cache()).is_some());
    assert!(automaton.match_first(&world.host, op, &mut cache).is_some());
}

/// The tables have numbers for at most 65,536 types. Operations with further types take the slow path.
#[test]
fn operations_may_have_more_types_than_the_tables_have_numbers_for() {
    let (_, program) = load(RULES);
    let mut world = World::new(0);
    let attr = world.host.bind_attr_name("n");
    let small = world.host.context.dictionary(&mut vec![(attr, world.attrs[0])]);
    // For each width, there is an operation with a user that can be the root of the rule `Nested`.
    let mut roots = Vec::new();
    for width in 1..67_000 {
        let value = argument(&mut world, &format!("i{width}"));
        let inner = append(&mut world, "t.b", [value, value], small);
        let inner = world.host.module.result(inner, 0);
        roots.push((width, append(&mut world, "t.a", [inner, inner], small)));
    }
    let automaton = link(&mut world, program);
    let (host, mut cache) = (&world.host, automaton.cache());
    for _ in 0..2 {
        for &(width, root) in &roots {
            let matched = automaton.match_first(host, root, &mut cache).is_some();
            assert_eq!(matched, width > 8, "i{width}");
        }
        cache.forget_labels();
    }
    assert!(!cache.has_given_up());
}

/// A plan first has room for a few combinations of answers, and grows until it has room for all of them.
#[test]
fn predicates_may_hold_in_every_combination() {
    let bits = "$_self.getIntOrFloatBitWidth()";
    let predicates = [1, 2, 4, 8].map(|bit| format!("(({bits} - 1) & {bit}) != 0"));
    let rules = (0..16).map(|set: usize| {
        let mut all = Vec::new();
        for (bit, holds) in predicates.iter().enumerate() {
            all.push(if set & 1 << bit == 0 { format!("!({holds})") } else { holds.clone() });
        }
        let constraints = all.iter().map(|holds| format!("TypeConstraint<CPred<\"{holds}\">, \"\">"));
        let uses = constraints.map(|constraint| format!("({constraint} $x)")).collect::<Vec<_>>().join(", ");
        format!("def Set{set} : Pat<(A $x, $y, $n), (B $x, $y, $n), [{uses}]>;\n")
    });
    let header = &RULES[..RULES.find("def Wide").unwrap()];
    let (_, program) = load(&format!("{header}{}", rules.collect::<Vec<_>>().concat()));
    let mut world = World::new(0);
    let none = world.host.context.dictionary(&mut Vec::new());
    let mut ops = Vec::new();
    for set in 0..16 {
        let value = argument(&mut world, &format!("i{}", set + 1));
        ops.push((set, append(&mut world, "t.a", [value, value], none)));
    }
    let automaton = link(&mut world, program);
    let (host, mut cache) = (&world.host, automaton.cache());
    for _ in 0..3 {
        for &(set, op) in &ops {
            let matched = automaton.match_first(host, op, &mut cache).map(PatternId::raw);
            assert_eq!(matched, Some(set), "the rule for i{}", set + 1);
        }
        cache.forget_labels();
    }
}
