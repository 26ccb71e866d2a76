//! One try to make a piece of IR that a rule matches.
//!
//! Specification: what comes out has the structure that the rule asks for; whether the rule matches it is for
//! the reference matcher to say.
//!
//! Method: the match part is walked from its root. For each operation node an instance is drawn that fits what
//! is known by then (types of shared values, constants, attributes that satisfy the constraints on them
//! alone), then operations are made bottom-up.

use super::Random;
use super::form::OpForm;
use super::instance::{Instance, Wanted};
use super::plan::{Plan, PlannedOp, PlannedValue, Planner};
use crate::host::{AttrNameId, Ir, Kind};
use crate::id::IdVec;
use crate::ir::{AttrId, IrHost, TypeId};
use crate::pdl::{
    Arity, GroupSplit, Node, NodeId, OperandGroup, OperationNode, Pattern, PatternId, Presence, ValueSource,
};
use crate::snippet::SnippetId;
use crate::stack::with_room;

/// Deepest nest of operations that is planned.
const DEPTH: usize = 200;

/// For each node of a rule what passes the constraints on it alone.
pub(super) type Tests = IdVec<NodeId, Option<Allowed>>;

/// What passes the constraints on a node alone.
pub(super) enum Allowed {
    /// These, and null if it passes.
    Attrs(Vec<AttrId>, bool),
    Types(Vec<TypeId>),
}

/// What is settled of a node.
#[derive(Clone, Debug, Default)]
struct Known {
    ty: Option<TypeId>,
    types: Option<Vec<TypeId>>,
    attr: Option<Option<AttrId>>,
    /// Of an operation: what it is, with the node and the place in it of each operand.
    chosen: Option<(Instance, Vec<Part>)>,
    /// Of a value: which result it is.
    index: usize,
    emitted: Option<usize>,
    inputs: Option<Vec<PlannedValue>>,
}

/// What stands in one operand group of an operation.
#[derive(Clone, Copy, Debug)]
enum Part {
    Value(NodeId),
    Range(NodeId, usize),
    Open(usize),
}

struct Attempt<'p, 'a> {
    planner: &'p mut Planner<'a>,
    pattern: &'a Pattern,
    tests: &'p Tests,
    host: &'p mut IrHost,
    random: &'p mut Random,
    known: IdVec<NodeId, Known>,
    plan: Plan,
}

impl<'a> Planner<'a> {
    /// One way to make what the rule asks for; whether it matches is not said.
    pub(super) fn attempt(
        &mut self,
        pattern: PatternId,
        tests: &Tests,
        host: &mut IrHost,
        random: &mut Random,
    ) -> Option<Plan> {
        let rules = self.rules;
        let pattern = &rules.patterns[pattern];
        let count = pattern.matcher.len();
        let mut attempt = Attempt {
            planner: self,
            pattern,
            tests,
            host,
            random,
            known: (0..count).map(|_| Known::default()).collect(),
            plan: Plan { inputs: Vec::new(), ops: Vec::new(), root: 0 },
        };
        for &root in &pattern.matcher.roots {
            attempt.choose(root, &Wanted::default(), 0)?;
        }
        for &root in &pattern.matcher.roots {
            attempt.emit(root, 0)?;
        }
        attempt.plan.root = attempt.known[*pattern.matcher.roots.first()?].emitted?;
        Some(attempt.plan)
    }
}

impl<'a> Attempt<'_, 'a> {
    fn node(&self, id: NodeId) -> &'a Node {
        &self.pattern.matcher[id]
    }

    /// The type of a type node, as far as it is settled.
    fn type_of(&mut self, id: NodeId) -> Option<TypeId> {
        if let Node::Type { value: Some(value) } = self.node(id) {
            return self.planner.ty(*value, self.host);
        }
        self.known[id].ty
    }

    fn types_of(&mut self, id: NodeId) -> Option<Vec<TypeId>> {
        if let Node::Types { values: Some(values) } = self.node(id) {
            return values.iter().map(|&value| self.planner.ty(value, self.host)).collect();
        }
        self.known[id].types.clone()
    }

    fn settle_type(&mut self, id: NodeId, ty: TypeId) -> Option<()> {
        match self.type_of(id) {
            Some(known) if known != ty => return None,
            _ => {}
        }
        if let Some(Allowed::Types(types)) = &self.tests[id]
            && !types.contains(&ty)
        {
            return None;
        }
        self.known[id].ty = Some(ty);
        Some(())
    }

    fn settle_types(&mut self, id: NodeId, types: Vec<TypeId>) -> Option<()> {
        match self.types_of(id) {
            Some(known) if known != types => return None,
            _ => {}
        }
        self.known[id].types = Some(types);
        Some(())
    }

    fn value_type(&mut self, id: NodeId) -> Option<TypeId> {
        if let Some(ty) = self.known[id].ty {
            return Some(ty);
        }
        match self.node(id) {
            Node::Value { ty: Some(ty), .. } => self.type_of(*ty),
            _ => None,
        }
    }

    fn value_types(&mut self, id: NodeId) -> Option<Vec<TypeId>> {
        if let Some(types) = &self.known[id].types {
            return Some(types.clone());
        }
        match self.node(id) {
            Node::Values { types: Some(types), .. } => self.types_of(*types),
            _ => None,
        }
    }

    fn settle_value(&mut self, id: NodeId, value_ty: TypeId) -> Option<()> {
        if self.known[id].ty.is_some_and(|known| known != value_ty) {
            return None;
        }
        self.known[id].ty = Some(value_ty);
        match self.node(id) {
            Node::Value { ty: Some(ty), .. } => self.settle_type(*ty, value_ty),
            _ => Some(()),
        }
    }

    fn settle_values(&mut self, id: NodeId, found: Vec<TypeId>) -> Option<()> {
        if self.known[id].types.as_ref().is_some_and(|known| *known != found) {
            return None;
        }
        self.known[id].types = Some(found.clone());
        match self.node(id) {
            Node::Values { types: Some(types), .. } => self.settle_types(*types, found),
            _ => Some(()),
        }
    }

    /// Settles what an operation node is, and all below it.
    fn choose(&mut self, id: NodeId, results: &Wanted, depth: usize) -> Option<()> {
        if depth > DEPTH {
            return None;
        }
        if let Some((instance, _)) = &self.known[id].chosen {
            let agrees = results.results.iter().all(|&(at, ty)| instance.results.get(at) == Some(&ty));
            return agrees.then_some(());
        }
        let op = self.node(id).as_operation()?;
        let words = self.planner.words;
        let form = self.form(op)?;
        let form = &words.forms[form];
        let mut wanted = results.clone();
        let parts = self.operands(op, form, &mut wanted)?;
        self.results(id, op, form, &mut wanted)?;
        self.attributes(op, &mut wanted)?;
        let instance = words.instance(form, self.host, self.planner.judge, &wanted, self.random)?;
        self.settle(id, op, &instance, &parts)?;
        self.known[id].chosen = Some((instance.clone(), parts.clone()));
        let mut at = 0;
        for part in parts {
            match part {
                Part::Value(value) => {
                    self.choose_source(value, &instance.operands[at..=at], depth)?;
                    at += 1;
                }
                Part::Range(values, count) => {
                    self.choose_source(values, &instance.operands[at..at + count], depth)?;
                    at += count;
                }
                Part::Open(count) => at += count,
            }
        }
        Some(())
    }

    /// Settles the operation that a value comes from, if the rule says that there is one.
    fn choose_source(&mut self, value: NodeId, types: &[TypeId], depth: usize) -> Option<()> {
        let Some(source) = self.node(value).source() else { return Some(()) };
        let first = match source {
            ValueSource::Result { index, .. } => index as usize,
            ValueSource::DefinedBy { .. } if self.random.percent(80) => 0,
            ValueSource::DefinedBy { .. } => self.random.below(3),
            ValueSource::Results { group, .. } => group.unwrap_or(0) as usize,
        };
        self.known[value].index = first;
        let wanted = Wanted {
            results: types.iter().enumerate().map(|(i, &ty)| (first + i, ty)).collect(),
            result_sizes: match source {
                ValueSource::Results { group: None, .. } => self.whole(source.op(), types.len()),
                _ => None,
            },
            ..Wanted::default()
        };
        with_room(|| self.choose(source.op(), &wanted, depth + 1))
    }

    /// Result sizes with this sum, where the operation has one group that is open.
    fn whole(&self, op: NodeId, count: usize) -> Option<Vec<usize>> {
        let name = self.node(op).as_operation()?.name?;
        let name = self.host.context.find_op_name(&self.planner.rules.strings[name])?;
        let form = &self.planner.words.forms[*self.planner.words.by_name.get(&name)?.first()?];
        spread(&form.results.iter().map(|group| group.arity).collect::<Vec<_>>(), count)
    }

    fn form(&mut self, op: &OperationNode) -> Option<usize> {
        let words = self.planner.words;
        if let Some(name) = op.name {
            let name = self.host.context.find_op_name(&self.planner.rules.strings[name])?;
            return self.random.pick(words.by_name.get(&name)?).copied();
        }
        let constants: Vec<usize> = (0..words.forms.len()).filter(|&i| words.forms[i].constant).collect();
        if !constants.is_empty() && self.random.percent(60) {
            return self.random.pick(&constants).copied();
        }
        Some(self.random.below(words.forms.len()))
    }

    /// Divides the operands, and asks for their types as far as they are settled.
    fn operands(&mut self, op: &OperationNode, form: &OpForm, wanted: &mut Wanted) -> Option<Vec<Part>> {
        let arities: Vec<_> = form.operands.iter().map(|group| group.arity).collect();
        let Some(groups) = &op.operands else {
            let sizes: Vec<usize> = arities
                .iter()
                .map(|arity| {
                    let size = if *arity == Arity::One { 1 } else { 1 + self.random.below(2) };
                    if *arity == Arity::Optional { 1 } else { size }
                })
                .collect();
            let count = sizes.iter().sum();
            wanted.operand_sizes = Some(sizes);
            return Some(vec![Part::Open(count)]);
        };
        let equal = 1 + self.random.below(2);
        let mut parts = Vec::new();
        let mut sizes = Vec::new();
        for group in groups {
            let before: usize = parts.iter().map(Part::len).sum();
            match group {
                OperandGroup::One(node) => parts.push(Part::Value(*node)),
                OperandGroup::List(nodes) => parts.extend(nodes.iter().map(|&node| Part::Value(node))),
                OperandGroup::Optional(node) => {
                    if self.node(*node).source().is_some() || self.random.percent(70) {
                        parts.push(Part::Value(*node));
                    }
                }
                OperandGroup::Range(node) => {
                    let settled = self.value_types(*node);
                    let least = usize::from(self.node(*node).source().is_some());
                    let size = match op.operand_split {
                        GroupSplit::Equal => equal,
                        _ => least.max(self.random.below(3)),
                    };
                    parts.push(Part::Range(*node, settled.map_or(size, |types| types.len())));
                }
                OperandGroup::Any => parts.push(Part::Open(match op.operand_split {
                    GroupSplit::Equal => equal,
                    _ => self.random.below(3),
                })),
            }
            sizes.push(parts.iter().map(Part::len).sum::<usize>() - before);
        }
        let total = sizes.iter().sum();
        let direct = sizes.len() == arities.len();
        wanted.operand_sizes = Some(if direct { sizes } else { spread(&arities, total)? });
        let mut at = 0;
        for part in &parts {
            match *part {
                Part::Value(node) => wanted.operands.extend(self.value_type(node).map(|ty| (at, ty))),
                Part::Range(node, _) => {
                    let types = self.value_types(node).unwrap_or_default();
                    wanted.operands.extend(types.into_iter().enumerate().map(|(i, ty)| (at + i, ty)));
                }
                Part::Open(_) => {}
            }
            at += part.len();
        }
        Some(parts)
    }

    /// Asks for the results that the rule speaks of.
    fn results(&mut self, id: NodeId, op: &OperationNode, form: &OpForm, wanted: &mut Wanted) -> Option<()> {
        if let Some(listed) = &op.results {
            let mut sizes = Vec::new();
            let mut at = 0;
            for &node in listed {
                let size = match self.node(node).kind() {
                    Kind::Types => {
                        let settled = self.types_of(node);
                        let given = wanted.results.iter().filter(|(place, _)| *place >= at).count();
                        let count =
                            settled.as_ref().map_or_else(|| given.max(self.random.below(3)), Vec::len);
                        for (i, ty) in settled.into_iter().flatten().enumerate() {
                            wanted.results.push((at + i, ty));
                        }
                        count
                    }
                    _ => {
                        wanted.results.extend(self.type_of(node).map(|ty| (at, ty)));
                        1
                    }
                };
                sizes.push(size);
                at += size;
            }
            if wanted.result_sizes.is_none() {
                let arities: Vec<_> = form.results.iter().map(|group| group.arity).collect();
                let direct = sizes.len() == arities.len();
                wanted.result_sizes = if direct { Some(sizes) } else { spread(&arities, at) };
            }
        }
        for (value, node) in self.pattern.matcher.iter_enumerated() {
            if let Some(ValueSource::Result { op, index }) = node.source()
                && op == id
            {
                let index = index as usize;
                wanted.least_results = wanted.least_results.max(index + 1);
                wanted.results.extend(self.value_type(value).map(|ty| (index, ty)));
            }
        }
        wanted.results.sort_unstable();
        wanted.results.dedup();
        let twice = wanted.results.windows(2).any(|pair| pair[0].0 == pair[1].0);
        (!twice).then_some(())
    }

    /// Asks for the attributes that the rule speaks of.
    fn attributes(&mut self, op: &OperationNode, wanted: &mut Wanted) -> Option<()> {
        for edge in &op.attributes {
            let name = self.host.context.attr_name(&self.planner.rules.strings[edge.name]);
            let values = self.attr_values(edge.node, edge.storage)?;
            let absent = match edge.presence {
                Presence::Required => None,
                Presence::Optional => {
                    let null = match &self.tests[edge.node] {
                        Some(Allowed::Attrs(_, null)) => *null,
                        _ => true,
                    };
                    null.then_some(None)
                }
                Presence::Default(default) => {
                    let default = self.planner.attr(default, self.host);
                    values.contains(&default).then_some(None)
                }
            };
            let mut all: Vec<Option<AttrId>> = values;
            // Absent is one choice among many; it is to be made often.
            if let Some(absent) = absent
                && (all.is_empty() || self.random.percent(40))
            {
                all = vec![absent];
            }
            wanted.attributes.push((name, all));
        }
        Some(())
    }

    /// The attributes that a node can be.
    fn attr_values(&mut self, id: NodeId, storage: Option<SnippetId>) -> Option<Vec<Option<AttrId>>> {
        if let Some(known) = self.known[id].attr {
            return Some(vec![known]);
        }
        let Node::Attribute { value, ty } = self.node(id) else { return None };
        if let Some(value) = value {
            return Some(vec![Some(self.planner.attr(*value, self.host)?)]);
        }
        let ty = ty.and_then(|ty| self.type_of(ty));
        let all = match &self.tests[id] {
            Some(Allowed::Attrs(attrs, _)) => attrs,
            _ => &self.planner.words.pool.attrs,
        };
        let stored = storage.and_then(|storage| self.planner.stored.get(&storage));
        let fits = |attr: &&AttrId| {
            stored.is_none_or(|stored| stored.contains(attr))
                && ty.is_none_or(|ty| self.host.attr_type(**attr) == Some(ty))
        };
        Some(all.iter().filter(fits).copied().map(Some).collect())
    }

    /// Notes what an operation's instance says of the nodes around it.
    fn settle(&mut self, id: NodeId, op: &OperationNode, instance: &Instance, parts: &[Part]) -> Option<()> {
        let mut at = 0;
        for part in parts {
            match *part {
                Part::Value(node) => self.settle_value(node, instance.operands[at])?,
                Part::Range(node, count) => {
                    self.settle_values(node, instance.operands[at..at + count].to_vec())?;
                }
                Part::Open(_) => {}
            }
            at += part.len();
        }
        let mut at = 0;
        for &node in op.results.iter().flatten() {
            match self.node(node).kind() {
                Kind::Types => {
                    let rest = op.results.as_ref().map_or(0, Vec::len) - 1;
                    let count = (instance.results.len()).checked_sub(rest)?;
                    let types = instance.results.get(at..at + count)?.to_vec();
                    self.settle_types(node, types)?;
                    at += count;
                }
                _ => {
                    self.settle_type(node, *instance.results.get(at)?)?;
                    at += 1;
                }
            }
        }
        let part = &self.pattern.matcher;
        for (value, node) in part.iter_enumerated() {
            match node.source() {
                Some(ValueSource::Result { op, index }) if op == id => {
                    self.settle_value(value, *instance.results.get(index as usize)?)?;
                }
                _ => {}
            }
        }
        for edge in &op.attributes {
            let name: AttrNameId = self.host.context.attr_name(&self.planner.rules.strings[edge.name]);
            let found = instance.attributes.iter().find(|(known, _)| *known == name).map(|&(_, attr)| attr);
            let is = match (found, edge.presence.clone()) {
                (None, Presence::Default(default)) => self.planner.attr(default, self.host),
                (found, _) => found,
            };
            self.known[edge.node].attr = Some(is);
            if let Node::Attribute { ty: Some(ty), .. } = self.node(edge.node)
                && let Some(stated) = is.and_then(|attr| self.host.attr_type(attr))
            {
                self.settle_type(*ty, stated)?;
            }
        }
        Some(())
    }

    /// Adds an operation to the plan, after those it takes values from.
    fn emit(&mut self, id: NodeId, depth: usize) -> Option<usize> {
        if let Some(done) = self.known[id].emitted {
            return Some(done);
        }
        if depth > DEPTH {
            return None;
        }
        let (instance, parts) = self.known[id].chosen.clone()?;
        let mut operands = Vec::with_capacity(instance.operands.len());
        for part in parts {
            let types = instance.operands.get(operands.len()..operands.len() + part.len())?.to_vec();
            match part {
                Part::Value(node) | Part::Range(node, _) => {
                    let values = self.values(node, &types, depth)?;
                    operands.extend(values);
                }
                Part::Open(_) => {
                    for ty in types {
                        operands.push(self.input(ty));
                    }
                }
            }
        }
        self.plan.ops.push(PlannedOp { instance, operands });
        let done = self.plan.ops.len() - 1;
        self.known[id].emitted = Some(done);
        Some(done)
    }

    /// A value that the rule says nothing structural of: an input, or a constant, which constraints may ask for.
    fn leaf(&mut self, ty: TypeId) -> PlannedValue {
        let words = self.planner.words;
        let constants: Vec<usize> = (0..words.forms.len()).filter(|&i| words.forms[i].constant).collect();
        if let Some(&form) = self.random.pick(&constants)
            && self.random.percent(30)
        {
            let wanted = Wanted { results: vec![(0, ty)], ..Wanted::default() };
            let instance =
                words.instance(&words.forms[form], self.host, self.planner.judge, &wanted, self.random);
            if let Some(instance) = instance.filter(|instance| instance.operands.is_empty()) {
                self.plan.ops.push(PlannedOp { instance, operands: Vec::new() });
                return PlannedValue::Result { op: self.plan.ops.len() - 1, index: 0 };
            }
        }
        self.input(ty)
    }

    fn input(&mut self, ty: TypeId) -> PlannedValue {
        self.plan.inputs.push(ty);
        PlannedValue::Input(self.plan.inputs.len() - 1)
    }

    /// What a value or range node is in the plan.
    fn values(&mut self, id: NodeId, types: &[TypeId], depth: usize) -> Option<Vec<PlannedValue>> {
        if let Some(known) = &self.known[id].inputs {
            return (known.len() == types.len()).then(|| known.clone());
        }
        let made: Vec<PlannedValue> = match self.node(id).source() {
            Some(source) => {
                let op = with_room(|| self.emit(source.op(), depth + 1))?;
                let first = self.known[id].index;
                (first..first + types.len()).map(|index| PlannedValue::Result { op, index }).collect()
            }
            None => types.iter().map(|&ty| self.leaf(ty)).collect(),
        };
        for value in &made {
            if let PlannedValue::Result { op, index } = *value
                && index >= self.plan.ops[op].instance.results.len()
            {
                return None;
            }
        }
        self.known[id].inputs = Some(made.clone());
        Some(made)
    }
}

impl Part {
    fn len(&self) -> usize {
        match self {
            Part::Value(_) => 1,
            Part::Range(_, count) | Part::Open(count) => *count,
        }
    }
}

/// Sizes of groups that add up, if at most one of them is open.
fn spread(arities: &[Arity], total: usize) -> Option<Vec<usize>> {
    let one = |arity: &Arity| *arity == Arity::One;
    let fixed = arities.iter().filter(|arity| one(arity)).count();
    let rest = total.checked_sub(fixed)?;
    let open = arities.len() - fixed;
    if open > 1 && rest % open != 0 || open == 0 && rest > 0 {
        return None;
    }
    let each = rest.checked_div(open).unwrap_or(0);
    Some(arities.iter().map(|arity| if one(arity) { 1 } else { each }).collect())
}
