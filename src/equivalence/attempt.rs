//! One attempt to build a fragment that a rule matches.
//!
//! Specification: the fragment has the structure that the rule requires. The reference matcher then decides if the rule
//! matches the fragment.
//!
//! Method: walk the match part from its roots. For each operation node, draw an instance that fits the types, constants
//! and attributes that are fixed so far. Then add the operations to the fragment, operands first.

use super::candidates::{Allowed, Candidates, NodeCandidates};
use super::form::OpForm;
use super::fragment::{Fragment, FragmentOp, FragmentValue};
use super::instance::{Instance, Wanted};
use super::random::Random;
use crate::host::{AttrNameId, Ir, Kind};
use crate::id::IdVec;
use crate::ir::{AttrId, IrHost, TypeId};
use crate::pdl::{
    Arity, GroupSplit, Node, NodeId, OperandGroup, OperationNode, Pattern, PatternId, Presence, ValueSource,
};
use crate::snippet::SnippetId;
use crate::stack::with_room;

/// The maximum depth of an operation in a fragment. A root has depth 0, and the operations that define its operands
/// have depth 1.
const DEPTH: usize = 200;

/// The decisions made for one node so far.
#[derive(Clone, Debug, Default)]
struct Fixed {
    /// The type of a value or type node.
    ty: Option<TypeId>,
    /// The types of a range node.
    types: Option<Vec<TypeId>>,
    /// The attribute of an attribute node; `Some(None)` is null.
    attr: Option<Option<AttrId>>,
    /// The instance of an operation node, and the nodes to which its operands are bound.
    chosen: Option<(Instance, Vec<Operands>)>,
    /// The index of the first result that a value or range node stands for.
    index: usize,
    /// The index of an operation node in the fragment.
    emitted: Option<usize>,
    /// The values of a value or range node in the fragment.
    values: Option<Vec<FragmentValue>>,
}

/// Some consecutive operands of an operation, and the node to which they are bound.
#[derive(Clone, Copy, Debug)]
enum Operands {
    /// One operand, bound to a value node.
    Value(NodeId),
    /// A number of operands, bound to a range node.
    Range(NodeId, usize),
    /// A number of operands that the rule does not constrain.
    Any(usize),
}

struct Attempt<'p, 'a> {
    candidates: &'p mut Candidates<'a>,
    pattern: &'a Pattern,
    nodes: &'p NodeCandidates,
    host: &'p mut IrHost,
    random: &'p mut Random,
    fixed: IdVec<NodeId, Fixed>,
    fragment: Fragment,
}

/// Builds a fragment with the structure of a rule. Returns `None` if the random choices do not lead to such a fragment.
pub(super) fn attempt(
    candidates: &mut Candidates<'_>,
    pattern: PatternId,
    nodes: &NodeCandidates,
    host: &mut IrHost,
    random: &mut Random,
) -> Option<Fragment> {
    let rules = candidates.rules;
    let pattern = &rules.patterns[pattern];
    let count = pattern.matcher.len();
    let mut attempt = Attempt {
        candidates,
        pattern,
        nodes,
        host,
        random,
        fixed: (0..count).map(|_| Fixed::default()).collect(),
        fragment: Fragment { inputs: Vec::new(), ops: Vec::new(), root: 0 },
    };
    for &root in &pattern.matcher.roots {
        attempt.choose(root, &Wanted::default(), 0)?;
    }
    for &root in &pattern.matcher.roots {
        attempt.emit(root, 0)?;
    }
    attempt.fragment.root = attempt.fixed[*pattern.matcher.roots.first()?].emitted?;
    Some(attempt.fragment)
}

impl<'a> Attempt<'_, 'a> {
    fn node(&self, id: NodeId) -> &'a Node {
        &self.pattern.matcher[id]
    }

    /// The type that a type node is fixed to.
    fn type_of(&mut self, id: NodeId) -> Option<TypeId> {
        if let Node::Type { value: Some(value) } = self.node(id) {
            return self.candidates.ty(*value, self.host);
        }
        self.fixed[id].ty
    }

    fn types_of(&mut self, id: NodeId) -> Option<Vec<TypeId>> {
        if let Node::Types { values: Some(values) } = self.node(id) {
            return values.iter().map(|&value| self.candidates.ty(value, self.host)).collect();
        }
        self.fixed[id].types.clone()
    }

    fn fix_type(&mut self, id: NodeId, ty: TypeId) -> Option<()> {
        match self.type_of(id) {
            Some(fixed) if fixed != ty => return None,
            _ => {}
        }
        if let Some(Allowed::Types(types)) = &self.nodes[id]
            && !types.contains(&ty)
        {
            return None;
        }
        self.fixed[id].ty = Some(ty);
        Some(())
    }

    fn fix_types(&mut self, id: NodeId, types: Vec<TypeId>) -> Option<()> {
        match self.types_of(id) {
            Some(fixed) if fixed != types => return None,
            _ => {}
        }
        self.fixed[id].types = Some(types);
        Some(())
    }

    fn value_type(&mut self, id: NodeId) -> Option<TypeId> {
        if let Some(ty) = self.fixed[id].ty {
            return Some(ty);
        }
        match self.node(id) {
            Node::Value { ty: Some(ty), .. } => self.type_of(*ty),
            _ => None,
        }
    }

    fn value_types(&mut self, id: NodeId) -> Option<Vec<TypeId>> {
        if let Some(types) = &self.fixed[id].types {
            return Some(types.clone());
        }
        match self.node(id) {
            Node::Values { types: Some(types), .. } => self.types_of(*types),
            _ => None,
        }
    }

    fn fix_value(&mut self, id: NodeId, value_ty: TypeId) -> Option<()> {
        if self.fixed[id].ty.is_some_and(|fixed| fixed != value_ty) {
            return None;
        }
        self.fixed[id].ty = Some(value_ty);
        match self.node(id) {
            Node::Value { ty: Some(ty), .. } => self.fix_type(*ty, value_ty),
            _ => Some(()),
        }
    }

    fn fix_values(&mut self, id: NodeId, found: Vec<TypeId>) -> Option<()> {
        if self.fixed[id].types.as_ref().is_some_and(|fixed| *fixed != found) {
            return None;
        }
        self.fixed[id].types = Some(found.clone());
        match self.node(id) {
            Node::Values { types: Some(types), .. } => self.fix_types(*types, found),
            _ => Some(()),
        }
    }

    /// Chooses instances for an operation node and, recursively, for the operations that define its operands.
    /// `required` states the results that the users of the operation require.
    fn choose(&mut self, id: NodeId, required: &Wanted, depth: usize) -> Option<()> {
        if depth > DEPTH {
            return None;
        }
        if let Some((instance, _)) = &self.fixed[id].chosen {
            let agrees = required.results.iter().all(|&(at, ty)| instance.results.get(at) == Some(&ty));
            return agrees.then_some(());
        }
        let op = self.node(id).as_operation()?;
        let vocabulary = self.candidates.vocabulary;
        let form = self.form(op)?;
        let mut wanted = required.clone();
        let parts = self.operands(op, form, &mut wanted)?;
        self.results(id, op, form, &mut wanted)?;
        self.attributes(op, &mut wanted)?;
        let instance =
            vocabulary.instance(form, self.host, self.candidates.validator, &wanted, self.random)?;
        self.fix_neighbours(id, op, &instance, &parts)?;
        self.fixed[id].chosen = Some((instance.clone(), parts.clone()));
        let mut at = 0;
        for part in parts {
            match part {
                Operands::Value(value) => {
                    self.choose_source(value, &instance.operands[at..=at], depth)?;
                    at += 1;
                }
                Operands::Range(values, count) => {
                    self.choose_source(values, &instance.operands[at..at + count], depth)?;
                    at += count;
                }
                Operands::Any(count) => at += count,
            }
        }
        Some(())
    }

    /// Chooses the operation that defines a value, if the rule requires one.
    fn choose_source(&mut self, value: NodeId, types: &[TypeId], depth: usize) -> Option<()> {
        let Some(source) = self.node(value).source() else { return Some(()) };
        let first = match source {
            ValueSource::Result { index, .. } => index as usize,
            ValueSource::DefinedBy { .. } if self.random.percent(80) => 0,
            ValueSource::DefinedBy { .. } => self.random.below(3),
            ValueSource::Results { group: Some(group), .. } => group as usize,
            ValueSource::Results { group: None, .. } => 0,
        };
        self.fixed[value].index = first;
        let wanted = Wanted {
            results: types.iter().enumerate().map(|(i, &ty)| (first + i, ty)).collect(),
            result_sizes: match source {
                ValueSource::Results { group: None, .. } => self.result_sizes_for(source.op(), types.len()),
                _ => None,
            },
            ..Wanted::default()
        };
        with_room(|| self.choose(source.op(), &wanted, depth + 1))
    }

    /// The sizes of the result groups of an operation that has `count` results, as [`distribute`] divides them.
    fn result_sizes_for(&self, op: NodeId, count: usize) -> Option<Vec<usize>> {
        let name = self.node(op).as_operation()?.name?;
        let name = self.host.context.find_op_name(&self.candidates.rules.strings[name])?;
        let form = self.candidates.vocabulary.forms_of(name).next()?;
        distribute(&form.results.iter().map(|group| group.arity).collect::<Vec<_>>(), count)
    }

    fn form(&mut self, op: &OperationNode) -> Option<&'a OpForm> {
        let vocabulary = self.candidates.vocabulary;
        if let Some(name) = op.name {
            let name = self.host.context.find_op_name(&self.candidates.rules.strings[name])?;
            return self.random.pick(&vocabulary.forms_of(name).collect::<Vec<_>>()).copied();
        }
        let constants = vocabulary.constants();
        if !constants.is_empty() && self.random.percent(60) {
            return self.random.pick(&constants).copied();
        }
        self.random.pick(vocabulary.forms.as_slice())
    }

    /// Chooses the sizes of the operand groups, and requests the operand types that are fixed.
    fn operands(&mut self, op: &OperationNode, form: &OpForm, wanted: &mut Wanted) -> Option<Vec<Operands>> {
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
            return Some(vec![Operands::Any(count)]);
        };
        let common_size = 1 + self.random.below(2);
        let mut parts = Vec::new();
        let mut sizes = Vec::new();
        for group in groups {
            let before: usize = parts.iter().map(Operands::len).sum();
            match group {
                OperandGroup::One(node) => parts.push(Operands::Value(*node)),
                OperandGroup::List(nodes) => parts.extend(nodes.iter().map(|&node| Operands::Value(node))),
                OperandGroup::Optional(node) => {
                    if self.node(*node).source().is_some() || self.random.percent(70) {
                        parts.push(Operands::Value(*node));
                    }
                }
                OperandGroup::Range(node) => {
                    let fixed = self.value_types(*node);
                    let least = usize::from(self.node(*node).source().is_some());
                    let size = match op.operand_split {
                        GroupSplit::Equal => common_size,
                        _ => least.max(self.random.below(3)),
                    };
                    parts.push(Operands::Range(*node, fixed.map_or(size, |types| types.len())));
                }
                OperandGroup::Any => parts.push(Operands::Any(match op.operand_split {
                    GroupSplit::Equal => common_size,
                    _ => self.random.below(3),
                })),
            }
            sizes.push(parts.iter().map(Operands::len).sum::<usize>() - before);
        }
        let total = sizes.iter().sum();
        let direct = sizes.len() == arities.len();
        wanted.operand_sizes = Some(if direct { sizes } else { distribute(&arities, total)? });
        let mut at = 0;
        for part in &parts {
            match *part {
                Operands::Value(node) => wanted.operands.extend(self.value_type(node).map(|ty| (at, ty))),
                Operands::Range(node, _) => {
                    let types = self.value_types(node).unwrap_or_default();
                    wanted.operands.extend(types.into_iter().enumerate().map(|(i, ty)| (at + i, ty)));
                }
                Operands::Any(_) => {}
            }
            at += part.len();
        }
        Some(parts)
    }

    /// Requests the results that the rule constrains.
    fn results(&mut self, id: NodeId, op: &OperationNode, form: &OpForm, wanted: &mut Wanted) -> Option<()> {
        if let Some(listed) = &op.results {
            let mut sizes = Vec::new();
            let mut at = 0;
            for &node in listed {
                let size = match self.node(node).kind() {
                    Kind::Types => {
                        let fixed = self.types_of(node);
                        let requested = wanted.results.iter().filter(|(place, _)| *place >= at).count();
                        let count =
                            fixed.as_ref().map_or_else(|| requested.max(self.random.below(3)), Vec::len);
                        for (i, ty) in fixed.into_iter().flatten().enumerate() {
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
                wanted.result_sizes = if direct { Some(sizes) } else { distribute(&arities, at) };
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

    /// Requests the attributes that the rule constrains.
    fn attributes(&mut self, op: &OperationNode, wanted: &mut Wanted) -> Option<()> {
        for edge in &op.attributes {
            let name = self.host.context.attr_name(&self.candidates.rules.strings[edge.name]);
            let values = self.attr_values(edge.node, edge.storage)?;
            let absent = match edge.presence {
                Presence::Required => None,
                Presence::Optional => {
                    let null = match &self.nodes[edge.node] {
                        Some(Allowed::Attrs(_, null)) => *null,
                        _ => true,
                    };
                    null.then_some(None)
                }
                Presence::Default(default) => {
                    let default = self.candidates.attr(default, self.host);
                    values.contains(&default).then_some(None)
                }
            };
            let mut all: Vec<Option<AttrId>> = values;
            let is_present = matches!(self.fixed[edge.node].attr, Some(Some(_)));
            // Without this bias, an attribute would rarely be absent.
            if let Some(absent) = absent
                && !is_present
                && (all.is_empty() || self.random.percent(40))
            {
                all = vec![absent];
            }
            wanted.attributes.push((name, all));
        }
        Some(())
    }

    /// The attributes that a node can be bound to.
    fn attr_values(&mut self, id: NodeId, storage: Option<SnippetId>) -> Option<Vec<Option<AttrId>>> {
        if let Some(fixed) = self.fixed[id].attr {
            return Some(vec![fixed]);
        }
        let Node::Attribute { value, ty } = self.node(id) else { return None };
        if let Some(value) = value {
            return Some(vec![Some(self.candidates.attr(*value, self.host)?)]);
        }
        let ty = ty.and_then(|ty| self.type_of(ty));
        let all = match &self.nodes[id] {
            Some(Allowed::Attrs(attrs, _)) => attrs,
            _ => &self.candidates.vocabulary.pool.attrs,
        };
        let stored = storage.and_then(|storage| self.candidates.stored(storage));
        let fits = |attr: &&AttrId| {
            stored.is_none_or(|stored| stored.contains(attr))
                && ty.is_none_or(|ty| self.host.attr_type(**attr) == Some(ty))
        };
        Some(all.iter().filter(fits).copied().map(Some).collect())
    }

    /// Fixes the nodes around an operation to the types and attributes of its instance.
    fn fix_neighbours(
        &mut self,
        id: NodeId,
        op: &OperationNode,
        instance: &Instance,
        parts: &[Operands],
    ) -> Option<()> {
        let mut at = 0;
        for part in parts {
            match *part {
                Operands::Value(node) => self.fix_value(node, instance.operands[at])?,
                Operands::Range(node, count) => {
                    self.fix_values(node, instance.operands[at..at + count].to_vec())?;
                }
                Operands::Any(_) => {}
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
                    self.fix_types(node, types)?;
                    at += count;
                }
                _ => {
                    self.fix_type(node, *instance.results.get(at)?)?;
                    at += 1;
                }
            }
        }
        let part = &self.pattern.matcher;
        for (value, node) in part.iter_enumerated() {
            match node.source() {
                Some(ValueSource::Result { op, index }) if op == id => {
                    self.fix_value(value, *instance.results.get(index as usize)?)?;
                }
                _ => {}
            }
        }
        for edge in &op.attributes {
            let name: AttrNameId = self.host.context.attr_name(&self.candidates.rules.strings[edge.name]);
            let found = instance.attributes.iter().find(|(fixed, _)| *fixed == name).map(|&(_, attr)| attr);
            let attr = match (found, edge.presence.clone()) {
                (None, Presence::Default(default)) => self.candidates.attr(default, self.host),
                (found, _) => found,
            };
            self.fixed[edge.node].attr = Some(attr);
            if let Node::Attribute { ty: Some(ty), .. } = self.node(edge.node)
                && let Some(stated) = attr.and_then(|attr| self.host.attr_type(attr))
            {
                self.fix_type(*ty, stated)?;
            }
        }
        Some(())
    }

    /// Adds an operation to the fragment, after the operations that define its operands. Returns its index, or `None`
    /// if the operands cannot be made.
    fn emit(&mut self, id: NodeId, depth: usize) -> Option<usize> {
        if let Some(done) = self.fixed[id].emitted {
            return Some(done);
        }
        if depth > DEPTH {
            return None;
        }
        let (instance, parts) = self.fixed[id].chosen.clone()?;
        let mut operands = Vec::with_capacity(instance.operands.len());
        for part in parts {
            let types = instance.operands.get(operands.len()..operands.len() + part.len())?.to_vec();
            match part {
                Operands::Value(node) | Operands::Range(node, _) => {
                    let values = self.values(node, &types, depth)?;
                    operands.extend(values);
                }
                Operands::Any(_) => {
                    for ty in types {
                        operands.push(self.input(ty));
                    }
                }
            }
        }
        self.fragment.ops.push(FragmentOp { instance, operands });
        let done = self.fragment.ops.len() - 1;
        self.fixed[id].emitted = Some(done);
        Some(done)
    }

    /// A value whose definition the rule does not constrain: an input, or sometimes the result of a constant, because a
    /// constraint may require a constant.
    fn leaf(&mut self, ty: TypeId) -> FragmentValue {
        let vocabulary = self.candidates.vocabulary;
        if let Some(&form) = self.random.pick(&vocabulary.constants())
            && self.random.percent(30)
        {
            let wanted = Wanted { results: vec![(0, ty)], ..Wanted::default() };
            let instance =
                vocabulary.instance(form, self.host, self.candidates.validator, &wanted, self.random);
            if let Some(instance) = instance.filter(|instance| instance.operands.is_empty()) {
                self.fragment.ops.push(FragmentOp { instance, operands: Vec::new() });
                return FragmentValue::Result { op: self.fragment.ops.len() - 1, index: 0 };
            }
        }
        self.input(ty)
    }

    fn input(&mut self, ty: TypeId) -> FragmentValue {
        self.fragment.inputs.push(ty);
        FragmentValue::Input(self.fragment.inputs.len() - 1)
    }

    /// Returns the values of a value or range node, and adds the operations that define them to the fragment.
    fn values(&mut self, id: NodeId, types: &[TypeId], depth: usize) -> Option<Vec<FragmentValue>> {
        if let Some(fixed) = &self.fixed[id].values {
            return (fixed.len() == types.len()).then(|| fixed.clone());
        }
        let values: Vec<FragmentValue> = match self.node(id).source() {
            Some(source) => {
                let op = with_room(|| self.emit(source.op(), depth + 1))?;
                let first = self.fixed[id].index;
                (first..first + types.len()).map(|index| FragmentValue::Result { op, index }).collect()
            }
            None => types.iter().map(|&ty| self.leaf(ty)).collect(),
        };
        for value in &values {
            if let FragmentValue::Result { op, index } = *value
                && index >= self.fragment.ops[op].instance.results.len()
            {
                return None;
            }
        }
        self.fixed[id].values = Some(values.clone());
        Some(values)
    }
}

impl Operands {
    fn len(&self) -> usize {
        match self {
            Operands::Value(_) => 1,
            Operands::Range(_, count) | Operands::Any(count) => *count,
        }
    }
}

/// Group sizes with the sum `total`, where all variable-sized groups have the same size; `None` if no such sizes exist.
fn distribute(arities: &[Arity], total: usize) -> Option<Vec<usize>> {
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
