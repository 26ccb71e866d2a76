//! Symbolic execution of one rule for one assignment of types.
//!
//! Specification: the goal of a [`Query`] is satisfiable if and only if, for some attributes and operands, the rule
//! matches, the matched operations have defined behaviour, and the new operations are invalid, have undefined
//! behaviour, or give a result that does not refine the old result.
//!
//! An old result without uses is not compared. A new operation is executed where the root is, so its undefined
//! behaviour counts even if its results are unused.

use hashbrown::HashMap;

use crate::ir::IrHost;
use crate::pdl::{
    self, Arg, Callee, Constant, Node, NodeId, Pattern, Presence, Replacement, ResultTypes, RuleSet, Source,
    Step, ValueSource,
};
use crate::semantics::{Bits, Operations};
use crate::snippet::Linked;

use super::natives;
use super::shape::{Meaning, Shape, described_type, inferred, is_valid_op, meaning_of};
use super::snippet::evaluate;
use super::state::{Op, State, attributes, flags};
use super::stop::{Result, Stop, unknown};
use super::term::{TermId, Terms};
use super::value::{Attr, Definition, Ty, Val, ValueId, equal_attrs};
use crate::host::Kind;

/// The conditions under which a rule matches and is wrong, for one assignment of types.
#[derive(Clone, Debug)]
pub(super) struct Query<'a> {
    pub(super) state: State<'a>,
    /// The bit that is set if the rule matches.
    pub(super) matches: TermId,
    /// The bit that is set if the rule matches, the matched operations have defined behaviour, and the rewrite is
    /// wrong.
    pub(super) goal: TermId,
    /// The reason why the new IR is invalid, either after every match or only if a replaced result has uses; `None` if
    /// the new IR is always valid.
    pub(super) invalid: Option<String>,
    /// The bit that is set if the behaviour of the matched operations is undefined.
    pub(super) source_undefined: TermId,
    /// The bit that is set if the behaviour of the new operations is undefined.
    pub(super) target_undefined: TermId,
    /// Pairs of a replaced result and its new value.
    pub(super) replaced: Vec<(ValueId, ValueId)>,
    /// The operations that the rewrite erases without a replacement.
    pub(super) erased: Vec<usize>,
    /// The values of the leaves, in the order of the shape.
    pub(super) leaves: Vec<ValueId>,
    /// The number of matched operations, which come first in the state.
    pub(super) matched: usize,
}

/// The rules, and the host that holds their constants.
pub(super) struct Setting<'a, 'h> {
    pub(super) rules: &'a RuleSet,
    pub(super) linked: &'h Linked<IrHost>,
    pub(super) host: &'h mut IrHost,
    pub(super) index_width: u32,
    pub(super) operations: &'a Operations,
}

struct Execution<'a, 'h> {
    state: State<'a>,
    pattern: &'a Pattern,
    linked: &'h Linked<IrHost>,
    host: &'h mut IrHost,
    operations: &'a Operations,
    nodes: HashMap<NodeId, Val>,
    locals: HashMap<pdl::LocalId, Val>,
    /// The conditions under which the rule matches, in addition to the assumptions.
    holds: TermId,
    source_undefined: TermId,
    target_undefined: TermId,
    replaced: Vec<(ValueId, ValueId)>,
    erased: Vec<usize>,
    /// The number of matched operations, which come first in the state.
    matched: usize,
    invalid: Option<String>,
    /// The bit that is set if a value of another type replaces a result that has uses, and the reason why the new IR is
    /// then invalid.
    retyped: Option<(TermId, String)>,
}

/// Executes a rule. Returns `None` if the rule can never be applied with these types.
pub(super) fn execute<'a>(
    setting: &mut Setting<'a, '_>,
    pattern: &'a Pattern,
    shape: &Shape,
    types: &[Ty],
) -> std::result::Result<Option<Query<'a>>, String> {
    execute_on(setting, pattern, shape, types, None)
}

/// Executes a rule. If `first` is the query of another rule of the same shape, the rule is executed on the operations
/// that the other rule has matched.
pub(super) fn execute_on<'a>(
    setting: &mut Setting<'a, '_>,
    pattern: &'a Pattern,
    shape: &Shape,
    types: &[Ty],
    first: Option<&Query<'a>>,
) -> std::result::Result<Option<Query<'a>>, String> {
    let mut state = match first {
        None => {
            let mut state = State::new(setting.rules, setting.index_width);
            if types.contains(&Ty::Int(Terms::ANY_WIDTH)) {
                state.terms = Terms::for_any_width();
            }
            state
        }
        Some(first) => {
            let mut state = first.state.clone();
            state.rules = setting.rules;
            state.ops.truncate(first.matched);
            state
        }
    };
    let (set, unset) = (state.terms.boolean(true), state.terms.boolean(false));
    let mut execution = Execution {
        state,
        pattern,
        linked: setting.linked,
        host: setting.host,
        operations: setting.operations,
        nodes: HashMap::new(),
        locals: HashMap::new(),
        holds: set,
        source_undefined: first.map_or(unset, |first| first.source_undefined),
        target_undefined: unset,
        replaced: Vec::new(),
        erased: Vec::new(),
        matched: 0,
        invalid: None,
        retyped: None,
    };
    match execution.run(shape, types, first) {
        Ok(query) => Ok(Some(query)),
        Err(Stop::Fails) => Ok(None),
        Err(Stop::Unknown(reason)) => Err(reason),
    }
}

impl<'a> Execution<'a, '_> {
    fn run(&mut self, shape: &Shape, types: &[Ty], first: Option<&Query<'a>>) -> Result<Query<'a>> {
        let leaves = match first {
            None => self.matched(shape, types)?,
            Some(first) => self.matched_before(shape, first),
        };
        let matched = self.state.ops.len();
        self.matched = matched;
        self.bind(shape)?;
        self.constraints()?;
        for step in &self.pattern.rewrite.steps {
            self.step(step)?;
            if self.invalid.is_some() {
                break;
            }
        }
        let assumptions = self.state.all_assumptions();
        let terms = &mut self.state.terms;
        let matches = terms.and(&assumptions, &self.holds);
        let mut wrong = match self.invalid {
            Some(_) => terms.boolean(true),
            None => self.target_undefined,
        };
        if let Some((retyped, reason)) = self.retyped.take() {
            wrong = terms.or(&wrong, &retyped);
            self.invalid.get_or_insert(reason);
        }
        for (old, new) in self.replaced.clone() {
            let (old_lane, new_lane) =
                (self.state.values[old].lane.clone(), self.state.values[new].lane.clone());
            let unused = self.state.values[old].unused;
            let terms = &mut self.state.terms;
            let differs = terms.ne(&old_lane.bits, &new_lane.bits);
            let worse = terms.or(&differs, &new_lane.poison);
            let defined = terms.not(&old_lane.poison);
            let mut lost = terms.and(&defined, &worse);
            if let Some(unused) = unused {
                let used = terms.not(&unused);
                lost = terms.and(&lost, &used);
            }
            wrong = terms.or(&wrong, &lost);
        }
        let terms = &mut self.state.terms;
        let defined = terms.not(&self.source_undefined);
        let reached = terms.and(&matches, &defined);
        let goal = terms.and(&reached, &wrong);
        Ok(Query {
            state: self.state.clone(),
            matches,
            goal,
            invalid: self.invalid.take(),
            source_undefined: self.source_undefined,
            target_undefined: self.target_undefined,
            replaced: std::mem::take(&mut self.replaced),
            erased: std::mem::take(&mut self.erased),
            leaves,
            matched,
        })
    }

    fn require(&mut self, condition: TermId) -> Result<()> {
        self.holds = self.state.terms.and(&self.holds, &condition);
        if self.state.terms.truth(self.holds) == Some(false) { Err(Stop::Fails) } else { Ok(()) }
    }

    /// Binds the nodes to the values that another rule of the same shape has matched. Returns the leaves.
    fn matched_before(&mut self, shape: &Shape, first: &Query<'a>) -> Vec<ValueId> {
        let leaves = shape.leaves.iter().map(|(slot, _)| *slot).zip(first.leaves.iter().copied());
        let mut values: HashMap<usize, ValueId> = leaves.collect();
        for (op, matched) in shape.ops.iter().zip(&self.state.ops) {
            values.extend(op.results.iter().copied().zip(matched.results.iter().copied()));
        }
        for (&node, slot) in &shape.values {
            self.nodes.insert(node, Val::Value(values[slot]));
        }
        first.leaves.clone()
    }

    /// Adds the leaves and the matched operations to the state. Returns the values of the leaves.
    fn matched(&mut self, shape: &Shape, types: &[Ty]) -> Result<Vec<ValueId>> {
        let width = |state: &State<'_>, slot: usize| match state.width(types[slot]) {
            Some(width) => Ok(width),
            None => unknown("the type of a value is neither an integer nor 'index'"),
        };
        let mut values: HashMap<usize, ValueId> = HashMap::new();
        let mut leaves = Vec::new();
        for &(slot, _) in &shape.leaves {
            let width = width(&self.state, slot)?;
            let value = self.state.add_leaf(types[slot], width);
            values.insert(slot, value);
            leaves.push(value);
        }
        for (index, op) in shape.ops.iter().enumerate() {
            let operands: Vec<ValueId> = op.operands.iter().map(|slot| values[slot]).collect();
            let (mut attrs, mut results) = (Vec::new(), Vec::new());
            match &op.meaning {
                Meaning::Constant => {
                    let ty = types[op.results[0]];
                    let Some(attr_width) = ty.attr_width() else {
                        return unknown("the type of a value is neither an integer nor 'index'");
                    };
                    let value = self.state.terms.var(attr_width);
                    attrs.push(("value", Attr::Int { ty, value }));
                    let width = width(&self.state, op.results[0])?;
                    results.push(self.state.add_constant(ty, width, value));
                }
                Meaning::Int(int) => {
                    for &name in attributes(*int) {
                        let terms = &mut self.state.terms;
                        let attr = match name {
                            "overflowFlags" => Attr::Overflow { nsw: terms.var(1), nuw: terms.var(1) },
                            "isExact" => Attr::Unit { present: terms.var(1) },
                            _ => {
                                let value = terms.var(64);
                                let count = self.state.number(64, 10);
                                let valid = self.state.terms.ult(&value, &count);
                                self.state.assume(valid);
                                Attr::Int { ty: Ty::Int(64), value }
                            }
                        };
                        attrs.push((name, attr));
                    }
                    let lanes: Vec<_> =
                        operands.iter().map(|&operand| self.state.values[operand].lane.clone()).collect();
                    let widths: Vec<u32> =
                        op.results.iter().map(|&slot| width(&self.state, slot)).collect::<Result<_>>()?;
                    let outcome = int.apply(&mut self.state.terms, &flags(&attrs), &lanes, &widths);
                    let Some(outcome) = outcome else {
                        return unknown(format!("'{}' of these types has no meaning", op.name));
                    };
                    self.source_undefined = self.state.terms.or(&self.source_undefined, &outcome.undefined);
                    for (slot, lane) in op.results.iter().zip(outcome.results) {
                        results.push(self.state.add_value(
                            types[*slot],
                            lane,
                            Definition::Result { op: index },
                        ));
                    }
                }
                Meaning::Described(description) => {
                    let lanes: Vec<_> =
                        operands.iter().map(|&operand| self.state.values[operand].lane.clone()).collect();
                    let width = width(&self.state, op.results[0])?;
                    let Some((lane, undefined)) = description.apply(&mut self.state.terms, &lanes, width)
                    else {
                        return unknown(format!("'{}' of these types has no meaning", op.name));
                    };
                    self.source_undefined = self.state.terms.or(&self.source_undefined, &undefined);
                    let ty = types[op.results[0]];
                    results.push(self.state.add_value(ty, lane, Definition::Result { op: index }));
                }
            }
            values.extend(op.results.iter().copied().zip(results.iter().copied()));
            self.state.ops.push(Op { name: op.name.clone(), operands, results, attrs });
        }
        for (&node, slot) in &shape.values {
            self.nodes.insert(node, Val::Value(values[slot]));
        }
        Ok(leaves)
    }

    fn attr_constant(&mut self, constant: Constant) -> Result<Attr> {
        match pdl::ConstantValues::new(self.state.rules, self.linked).attr(constant, self.host) {
            Some(attr) => {
                let attr = Attr::of(&self.host.context, &mut self.state.terms, attr);
                if let Attr::Int { ty: Ty::Int(width), .. } = attr {
                    self.state.terms.depends_on(width);
                }
                Ok(attr)
            }
            None => unknown("a constant attribute cannot be created"),
        }
    }

    fn type_constant(&mut self, constant: Constant) -> Result<Ty> {
        match pdl::ConstantValues::new(self.state.rules, self.linked).ty(constant, self.host) {
            Some(ty) => {
                let ty = Ty::of(&self.host.context, ty);
                if let Ty::Int(width) = ty {
                    self.state.terms.depends_on(width);
                }
                Ok(ty)
            }
            None => unknown("a constant type cannot be created"),
        }
    }

    /// Binds a node, or requires that it is bound to the same entity.
    fn bind_node(&mut self, node: NodeId, value: Val) -> Result<()> {
        let equal = match (self.nodes.get(&node), &value) {
            (None, _) => {
                self.nodes.insert(node, value);
                return Ok(());
            }
            (Some(Val::Attr(a)), Val::Attr(b)) => {
                let a = a.clone();
                equal_attrs(&mut self.state.terms, &a, b)
            }
            (Some(Val::Type(a)), Val::Type(b)) => {
                let equal = a == b;
                self.state.terms.boolean(equal)
            }
            (Some(Val::Types(a)), Val::Types(b)) => {
                let equal = a == b;
                self.state.terms.boolean(equal)
            }
            (Some(Val::Value(a)), Val::Value(b)) => {
                let (a, b) = (*a, *b);
                self.state.same_value(a, b)
            }
            _ => return unknown("the rule compares entities of different kinds"),
        };
        self.require(equal)
    }

    /// Binds the nodes of the match part.
    fn bind(&mut self, shape: &Shape) -> Result<()> {
        let part = &self.pattern.matcher;
        for (id, node) in part.iter_enumerated() {
            match node {
                Node::Attribute { value: Some(value), .. } => {
                    let attr = self.attr_constant(*value)?;
                    self.nodes.insert(id, Val::Attr(attr));
                }
                Node::Type { value: Some(value) } => {
                    let ty = self.type_constant(*value)?;
                    self.nodes.insert(id, Val::Type(ty));
                }
                Node::Types { values: Some(values) } => {
                    let types =
                        values.iter().map(|&value| self.type_constant(value)).collect::<Result<_>>()?;
                    self.nodes.insert(id, Val::Types(types));
                }
                Node::Operation(_) => {
                    if let Some(&index) = shape.op_index.get(&id) {
                        self.nodes.insert(id, Val::Op(index));
                    }
                }
                _ => {}
            }
        }
        for (id, node) in part.iter_enumerated() {
            match node {
                Node::Operation(op) => {
                    let Some(&index) = shape.op_index.get(&id) else {
                        return unknown("the rule matches an operation that its root does not lead to");
                    };
                    let types: Vec<Ty> = self.state.ops[index]
                        .results
                        .iter()
                        .map(|&result| self.state.values[result].ty)
                        .collect();
                    if let Some(results) = &op.results {
                        let kinds: Vec<Kind> = results.iter().map(|&node| part[node].kind()).collect();
                        if kinds == [Kind::Types] {
                            self.bind_node(results[0], Val::Types(types))?;
                        } else if kinds.iter().all(|kind| *kind == Kind::Type) {
                            if results.len() != types.len() {
                                return Err(Stop::Fails);
                            }
                            for (&node, ty) in results.iter().zip(types) {
                                self.bind_node(node, Val::Type(ty))?;
                            }
                        } else {
                            return unknown("the rule matches ranges of results");
                        }
                    }
                    for group in op.operands.iter().flatten() {
                        for &node in group.nodes() {
                            if part[node].kind() == Kind::Values {
                                self.bind_node(node, Val::Values(Vec::new()))?;
                            }
                        }
                    }
                    for edge in &op.attributes {
                        self.attribute(index, edge)?;
                    }
                }
                Node::Value { ty: Some(ty), .. } => {
                    let Some(Val::Value(value)) = self.nodes.get(&id) else {
                        return unknown("the rule matches a value that no operation has");
                    };
                    let found = self.state.values[*value].ty;
                    self.bind_node(*ty, Val::Type(found))?;
                }
                Node::Values { source: Some(source), .. } => {
                    let Some(&index) = shape.op_index.get(&source.op()) else {
                        return unknown("the rule matches an operation that its root does not lead to");
                    };
                    let results = self.state.ops[index].results.clone();
                    let values = match source {
                        ValueSource::Results { group: Some(group), .. } => match results.get(*group as usize)
                        {
                            Some(&value) => vec![value],
                            None => return Err(Stop::Fails),
                        },
                        _ => results,
                    };
                    self.bind_node(id, Val::Values(values))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn attribute(&mut self, op: usize, edge: &pdl::AttrEdge) -> Result<()> {
        let name = &self.state.rules.strings()[edge.name];
        let Some(attr) = self.state.ops[op].attr(name).cloned() else {
            let op = &self.state.ops[op].name;
            return unknown(format!("the attribute '{name}' of '{op}' has no known meaning"));
        };
        if let Some(storage) = edge.storage
            && !matches!(attr, Attr::Unit { .. })
        {
            let evaluated = evaluate(&mut self.state, storage, &[Val::Attr(attr.clone())])?;
            let Val::Bool(holds) = evaluated.value else {
                return unknown("a storage predicate does not return a Boolean");
            };
            match (self.state.terms.truth(holds), &edge.presence) {
                (Some(false), Presence::Required) => return Err(Stop::Fails),
                (Some(false), _) => {
                    return unknown(format!(
                        "the attribute '{name}' does not have the class that the rule requires"
                    ));
                }
                // For the predicate of `arith.cmpi`, this condition follows from the assumption in `matched`.
                _ => self.require(holds)?,
            }
        }
        if let (Attr::Unit { present }, Presence::Required) = (&attr, &edge.presence) {
            self.require(*present)?;
        }
        if matches!((&attr, &edge.presence), (Attr::Unit { .. }, Presence::Default(_))) {
            return unknown(format!("the attribute '{name}' has a default"));
        }
        if let Node::Attribute { ty: Some(ty), .. } = &self.pattern.matcher[edge.node] {
            let Attr::Int { ty: found, .. } = attr else { return Err(Stop::Fails) };
            self.bind_node(*ty, Val::Type(found))?;
        }
        self.bind_node(edge.node, Val::Attr(attr))
    }

    fn argument<N: Copy>(&mut self, arg: &Arg<N>, get: impl Fn(&Self, N) -> Option<Val>) -> Result<Val> {
        Ok(match arg {
            Arg::Of(of) => match get(self, *of) {
                Some(value) => value,
                None => return unknown("a call takes a node that is not bound"),
            },
            Arg::Each(_) => return unknown("a call applies to each element of a range"),
            Arg::Attr(constant) => Val::Attr(self.attr_constant(*constant)?),
            Arg::Type(constant) => Val::Type(self.type_constant(*constant)?),
            Arg::Int(value) => Val::Int(super::value::int(&mut self.state.terms, (*value).into())),
            Arg::Bool(value) => Val::Bool(self.state.terms.boolean(*value)),
            Arg::Str(text) => Val::Str(self.state.rules.strings()[*text].to_owned()),
        })
    }

    fn constraints(&mut self) -> Result<()> {
        for call in &self.pattern.matcher.constraints {
            let args: Vec<Val> = call
                .args
                .iter()
                .map(|arg| self.argument(arg, |this, node| this.nodes.get(&node).cloned()))
                .collect::<Result<_>>()?;
            let (value, failed, outputs) = match call.callee {
                Callee::Snippet(snippet) => match evaluate(&mut self.state, snippet, &args) {
                    Ok(evaluated) => (evaluated.value, evaluated.failed, evaluated.outputs),
                    Err(stop) => return Err(stop),
                },
                Callee::Native(name) => {
                    let name = self.state.rules.strings()[name].to_owned();
                    let kinds: Vec<Option<Kind>> =
                        call.results.iter().map(|&node| Some(self.pattern.matcher[node].kind())).collect();
                    let called = natives::call(&mut self.state, &name, &args, &kinds, true)?;
                    match kinds.len() {
                        0 => (called.value, called.failed, Vec::new()),
                        _ => {
                            // The success of the native is also a function of the arguments.
                            let key = format!("{name} succeeds");
                            let succeeds = natives::call(&mut self.state, &key, &args, &[], true)?;
                            (succeeds.value, called.failed, vec![called.value])
                        }
                    }
                }
            };
            let holds = match value {
                Val::Bool(holds) => holds,
                Val::Null => self.state.terms.boolean(false),
                _ => self.state.terms.boolean(true),
            };
            let terms = &mut self.state.terms;
            let holds = if call.negated { terms.not(&holds) } else { holds };
            let evaluated = terms.not(&failed);
            let holds = terms.and(&holds, &evaluated);
            self.require(holds)?;
            if outputs.len() != call.results.len() {
                return unknown("a constraint has a different number of results than the rule binds");
            }
            for (&node, output) in call.results.iter().zip(outputs) {
                self.bind_node(node, output)?;
            }
        }
        Ok(())
    }

    fn get(&self, source: Source) -> Result<Val> {
        let found = match source {
            Source::Matched(node) => self.nodes.get(&node),
            Source::Local(local) => self.locals.get(&local),
        };
        match found {
            Some(value) => Ok(value.clone()),
            None => unknown("the rewrite uses a node that is not bound"),
        }
    }

    /// Joins values, ranges of values, and the results of operations.
    fn values(&self, sources: &[Source]) -> Result<Vec<ValueId>> {
        let mut all = Vec::new();
        for &source in sources {
            match self.get(source)? {
                Val::Value(value) => all.push(value),
                Val::Values(values) => all.extend(values),
                Val::Op(op) => all.extend(&self.state.ops[op].results),
                Val::Null => {}
                _ => return unknown("the rewrite uses an entity that is not a value as a value"),
            }
        }
        Ok(all)
    }

    fn types(&self, sources: &[Source]) -> Result<Vec<Ty>> {
        let mut all = Vec::new();
        for &source in sources {
            match self.get(source)? {
                Val::Type(ty) => all.push(ty),
                Val::Types(types) => all.extend(types),
                _ => return unknown("the rewrite uses an entity that is not a type as a type"),
            }
        }
        Ok(all)
    }

    fn step(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Attr { value, to } => {
                let attr = self.attr_constant(*value)?;
                self.locals.insert(*to, Val::Attr(attr));
            }
            Step::Type { value, to } => {
                let ty = self.type_constant(*value)?;
                self.locals.insert(*to, Val::Type(ty));
            }
            Step::TypeOf { of, to } => {
                let ty = match self.get(*of)? {
                    Val::Value(value) => Val::Type(self.state.values[value].ty),
                    Val::Values(values) => {
                        Val::Types(values.iter().map(|&value| self.state.values[value].ty).collect())
                    }
                    Val::Op(op) => match self.state.ops[op].results[..] {
                        [one] => Val::Type(self.state.values[one].ty),
                        _ => {
                            return unknown(
                                "the rewrite reads the type of an operation that does not have one result",
                            );
                        }
                    },
                    _ => return unknown("the rewrite reads the type of an entity without a type"),
                };
                self.locals.insert(*to, ty);
            }
            Step::Result { op, index, to } => {
                let Val::Op(op) = self.get(*op)? else {
                    return unknown("the rewrite reads a result of an entity that is not an operation");
                };
                let Some(&value) = self.state.ops[op].results.get(*index as usize) else {
                    return Err(Stop::Fails);
                };
                self.locals.insert(*to, Val::Value(value));
            }
            Step::Results { op, range, to } => {
                let Val::Op(op) = self.get(*op)? else {
                    return unknown("the rewrite reads a result of an entity that is not an operation");
                };
                let results = &self.state.ops[op].results;
                let values = match range {
                    None => results.clone(),
                    Some((first, count)) => {
                        results.iter().skip(*first as usize).take(*count as usize).copied().collect()
                    }
                };
                self.locals.insert(*to, Val::Values(values));
            }
            Step::Range { parts, to } => {
                let kind = parts.first().map(|&part| self.pattern.kind(part));
                let value = match kind {
                    Some(Kind::Type | Kind::Types) => Val::Types(self.types(parts)?),
                    _ => Val::Values(self.values(parts)?),
                };
                self.locals.insert(*to, value);
            }
            Step::Call { callee, args, to, .. } => {
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.argument(arg, |this, source| this.get(source).ok())?);
                }
                let (value, failed) = match callee {
                    Callee::Snippet(snippet) => {
                        let evaluated = evaluate(&mut self.state, *snippet, &values)?;
                        (evaluated.value, evaluated.failed)
                    }
                    Callee::Native(name) => {
                        let name = self.state.rules.strings()[*name].to_owned();
                        let called = natives::call(&mut self.state, &name, &values, &[], false)?;
                        (called.value, called.failed)
                    }
                };
                // A rewrite that fails changes nothing.
                let applied = self.state.terms.not(&failed);
                self.require(applied)?;
                match to[..] {
                    [] => {}
                    [one] => {
                        self.locals.insert(one, value);
                    }
                    _ => return unknown("a call has several results"),
                }
            }
            Step::Location { to, .. } => {
                self.locals.insert(*to, Val::Location);
            }
            Step::Create(create) => self.create(create)?,
            Step::Replace { op, with } => {
                let Val::Op(op) = self.get(*op)? else {
                    return unknown("the rewrite replaces an entity that is not an operation");
                };
                let old = self.state.ops[op].results.clone();
                let new = match with {
                    Replacement::Values(sources) => self.values(sources)?,
                    Replacement::Op(source) => self.values(&[*source])?,
                };
                if old.len() != new.len() {
                    self.invalid = Some(format!(
                        "the number of replaced results ({}) differs from the number of values ({})",
                        old.len(),
                        new.len()
                    ));
                    return Ok(());
                }
                // All uses of a replaced result change, including uses by new operations.
                let uses_itself = self.state.ops[self.matched..].iter().flat_map(|op| &op.operands);
                if uses_itself.chain(&new).any(|value| old.contains(value)) {
                    return unknown("the replacement uses the replaced result");
                }
                for (&old, &new) in old.iter().zip(&new) {
                    let (from, to) = (self.state.values[old].ty, self.state.values[new].ty);
                    if from != to {
                        // A result without uses can be replaced by any value, so the change of its type counts only if
                        // it has uses.
                        let used = match self.state.values[old].unused {
                            Some(unused) => self.state.terms.not(&unused),
                            None => self.state.terms.boolean(true),
                        };
                        let before = self.retyped.take();
                        let used = match before {
                            Some((before, _)) => self.state.terms.or(&before, &used),
                            None => used,
                        };
                        let (from, to) = (from.text(), to.text());
                        let reason = format!("a result of type {from} is replaced by a value of type {to}");
                        self.retyped = Some((used, reason));
                        continue;
                    }
                    self.replaced.push((old, new));
                }
            }
            // An engine erases only operations without uses.
            Step::Erase { op } => {
                if let Val::Op(op) = self.get(*op)? {
                    self.erased.push(op);
                }
            }
        }
        Ok(())
    }

    fn create(&mut self, create: &pdl::CreateOp) -> Result<()> {
        let name = self.state.rules.strings()[create.name].to_owned();
        let meaning = match meaning_of(&name, self.operations) {
            Ok(meaning) => meaning,
            Err(reason) => return unknown(reason),
        };
        let operands = self.values(&create.operands)?;
        let operand_types: Vec<Ty> = operands.iter().map(|&value| self.state.values[value].ty).collect();
        let mut attrs: Vec<(&'static str, Attr)> = Vec::new();
        for &(attr_name, source, declared) in &create.attributes {
            let attr_name = &self.state.rules.strings()[attr_name];
            let known: &[&'static str] = match &meaning {
                Meaning::Constant => &["value"],
                Meaning::Int(op) => attributes(*op),
                Meaning::Described(_) => &[],
            };
            let value = self.get(source)?;
            match (known.iter().find(|known| **known == attr_name), value) {
                (_, Val::Null) => {}
                (Some(&known), Val::Attr(attr)) => attrs.push((known, attr)),
                (Some(_), _) => return unknown(format!("the attribute '{attr_name}' has no known value")),
                (None, _) if declared => {
                    return unknown(format!("the attribute '{attr_name}' of '{name}' has no known meaning"));
                }
                // A discardable attribute does not change the meaning.
                (None, _) => {}
            }
        }
        let results: Option<Vec<Ty>> = match &create.results {
            ResultTypes::Listed(sources) => Some(self.types(sources)?),
            ResultTypes::Inferred => match &meaning {
                Meaning::Int(op) => inferred(*op, &operand_types),
                Meaning::Described(description) => {
                    described_type(description, &operand_types, None).map(|ty| vec![ty])
                }
                Meaning::Constant => match attrs.first() {
                    Some((_, Attr::Int { ty, .. })) => Some(vec![*ty]),
                    _ => None,
                },
            },
        };
        let Some(results) = results else {
            return unknown(format!("the result types of '{name}' cannot be inferred"));
        };
        let index = self.state.ops.len();
        let mut values = Vec::new();
        match meaning {
            Meaning::Constant => {
                let ([ty], [("value", attr)]) = (&results[..], &attrs[..]) else {
                    return unknown("the rewrite creates a constant without a known value");
                };
                let Attr::Int { ty: attr_type, value } = attr else {
                    return unknown("the rewrite creates a constant that is not an integer");
                };
                let Some(width) = self.state.width(*ty).filter(|_| ty == attr_type) else {
                    self.invalid = Some(format!(
                        "a constant of type {} has a value of type {}",
                        ty.text(),
                        attr_type.text()
                    ));
                    return Ok(());
                };
                values.push(self.state.add_constant(*ty, width, *value));
            }
            Meaning::Int(op) => {
                if !is_valid_op(op, &operand_types, &results) {
                    let list = |types: &[Ty]| types.iter().map(|ty| ty.text()).collect::<Vec<_>>().join(", ");
                    self.invalid = Some(format!(
                        "the new operation '{name}' is invalid: ({}) -> ({})",
                        list(&operand_types),
                        list(&results)
                    ));
                    return Ok(());
                }
                let lanes: Vec<_> =
                    operands.iter().map(|&operand| self.state.values[operand].lane.clone()).collect();
                let widths: Option<Vec<u32>> = results.iter().map(|&ty| self.state.width(ty)).collect();
                let applied = widths
                    .and_then(|widths| op.apply(&mut self.state.terms, &flags(&attrs), &lanes, &widths));
                let Some(outcome) = applied else {
                    return unknown(format!("the new operation '{name}' has no known meaning"));
                };
                self.target_undefined = self.state.terms.or(&self.target_undefined, &outcome.undefined);
                for (&ty, lane) in results.iter().zip(outcome.results) {
                    values.push(self.state.add_value(ty, lane, Definition::Result { op: index }));
                }
            }
            Meaning::Described(description) => {
                let [ty] = results[..] else {
                    return unknown(format!("the new operation '{name}' has several results"));
                };
                if described_type(&description, &operand_types, Some(ty)) != Some(ty) {
                    self.invalid = Some(format!("the new operation '{name}' has operands of wrong types"));
                    return Ok(());
                }
                let lanes: Vec<_> =
                    operands.iter().map(|&operand| self.state.values[operand].lane.clone()).collect();
                let width = self.state.width(ty);
                let applied = width.and_then(|width| description.apply(&mut self.state.terms, &lanes, width));
                let Some((lane, undefined)) = applied else {
                    return unknown(format!("the new operation '{name}' has no known meaning"));
                };
                self.target_undefined = self.state.terms.or(&self.target_undefined, &undefined);
                values.push(self.state.add_value(ty, lane, Definition::Result { op: index }));
            }
        }
        self.state.ops.push(Op { name, operands, results: values, attrs });
        self.locals.insert(create.to, Val::Op(index));
        Ok(())
    }
}
