//! The search for a match, one claim at a time.

use std::ops::Range;

use super::link::{CallSignature, Links};
use crate::host::{AttrKind, Bind, ElementValue, Entity, Facets, Ir};
use crate::id::IdVec;
use crate::intern::StrId;
use crate::pdl::match_part::element_kind;
use crate::pdl::match_part::{
    Arg, Call, Callee, Constant, GroupSplit, MatchPart, Node, NodeId, OperandGroup, OperationNode, Presence,
    ValueSource,
};
use crate::pdl::roots::Climb;
use crate::pdl::rule_set::RuleSet;
use crate::snippet::SnippetId;

/// A state of the search.
pub(super) struct State<H: Ir> {
    pub(super) bound: IdVec<NodeId, Option<Entity<H>>>,
    /// The open claims. The last one is taken first.
    pub(super) claims: Vec<(NodeId, Entity<H>)>,
    /// The next climb.
    pub(super) climb: usize,
    /// True after the step that binds the constants to which no other node leads.
    pub(super) constants: bool,
    /// The next constraint.
    pub(super) call: usize,
}

impl<H: Ir> State<H> {
    fn copy(&self) -> Self {
        let Self { bound, claims, climb, constants, call } = self;
        let bound = bound.iter().cloned().collect();
        Self { bound, claims: claims.clone(), climb: *climb, constants: *constants, call: *call }
    }
}

pub(super) enum Progress<H: Ir> {
    Fail,
    On,
    Branch(Vec<State<H>>),
    Found,
}

impl<H: Ir> From<Option<()>> for Progress<H> {
    fn from(holds: Option<()>) -> Self {
        if holds.is_some() { Progress::On } else { Progress::Fail }
    }
}

pub(super) struct Search<'a, H: Facets> {
    pub(super) host: &'a H,
    pub(super) rules: &'a RuleSet,
    pub(super) links: &'a Links<H>,
    pub(super) part: &'a MatchPart,
    pub(super) climbs: &'a [Climb],
    pub(super) results: IdVec<NodeId, Vec<NodeId>>,
}

impl<H: Facets + Bind> Search<'_, H> {
    pub(super) fn step(&self, state: &mut State<H>) -> Progress<H> {
        if let Some((node, entity)) = state.claims.pop() {
            return match &state.bound[node] {
                Some(bound) => (*bound == entity).then_some(()).into(),
                None => self.bind(state, node, entity),
            };
        }
        if let Some(climb) = self.climbs.get(state.climb) {
            state.climb += 1;
            return Progress::Branch(self.climb(state, climb).unwrap_or_default());
        }
        if !state.constants {
            state.constants = true;
            return self.bind_constants(state).into();
        }
        if let Some(call) = self.part.constraints.get(state.call) {
            state.call += 1;
            return self.call(state, call).into();
        }
        if state.bound.iter().all(Option::is_some) { Progress::Found } else { Progress::Fail }
    }

    /// Binds a node and adds the claims that follow. Returns `Progress::Fail` if the entity does not fit the node.
    fn bind(&self, state: &mut State<H>, node: NodeId, entity: Entity<H>) -> Progress<H> {
        state.bound[node] = Some(entity.clone());
        let claims = &mut state.claims;
        match (&self.part[node], entity) {
            (Node::Operation(pattern), Entity::Op(op)) => self.operation(state, node, pattern, op),
            (Node::Value { ty, source }, Entity::Value(Some(value))) => {
                claims.extend(ty.map(|ty| (ty, Entity::Type(self.host.value_type(value)))));
                if let Some(source) = source {
                    let Some(op) = self.host.defining_op(value) else { return Progress::Fail };
                    // The number of the result is not tested here: binding the operation adds a claim about each of
                    // its numbered results.
                    claims.push((source.op(), Entity::Op(op)));
                }
                Progress::On
            }
            (Node::Value { ty: None, source: None }, Entity::Value(None)) => Progress::On,
            (Node::Values { types, source }, Entity::Values(values)) => {
                let value_types = || values.iter().map(|&value| self.host.value_type(value)).collect();
                claims.extend(types.map(|types| (types, Entity::Types(value_types()))));
                if let Some(source) = source {
                    // An empty range matches if the operation is already bound.
                    if values.is_empty() && state.bound[source.op()].is_some() {
                        return Progress::On;
                    }
                    let first = values.first().and_then(|&first| self.host.defining_op(first));
                    let Some(op) = first else { return Progress::Fail };
                    state.claims.push((source.op(), Entity::Op(op)));
                }
                Progress::On
            }
            (Node::Attribute { value, ty }, Entity::Attr(Some(attr))) => {
                if value.is_some_and(|value| self.links.attrs[&value] != Some(attr)) {
                    return Progress::Fail;
                }
                if let Some(ty) = *ty {
                    let Some(stated) = self.host.attr_type(attr) else { return Progress::Fail };
                    claims.push((ty, Entity::Type(stated)));
                }
                Progress::On
            }
            (Node::Attribute { value: None, ty: None }, Entity::Attr(None)) => Progress::On,
            (Node::Type { value }, Entity::Type(ty)) => {
                value.is_none_or(|value| self.links.types[&value] == Some(ty)).then_some(()).into()
            }
            (Node::Types { values }, Entity::Types(types)) => {
                let equal = |values: &Vec<Constant>| {
                    values.len() == types.len()
                        && values.iter().zip(&types).all(|(value, &ty)| self.links.types[value] == Some(ty))
                };
                values.as_ref().is_none_or(equal).then_some(()).into()
            }
            (Node::Bound { kind }, entity) => (*kind == entity.kind()).then_some(()).into(),
            _ => Progress::Fail,
        }
    }

    fn operation(
        &self,
        state: &mut State<H>,
        node: NodeId,
        pattern: &OperationNode,
        op: H::Op,
    ) -> Progress<H> {
        if pattern.name.is_some_and(|name| self.links.op_names[&name] != self.host.op_name(op)) {
            return Progress::Fail;
        }
        let Some(mut claims) = self.attributes(pattern, op) else { return Progress::Fail };
        let Some(more) = self.result_claims(node, pattern, op) else { return Progress::Fail };
        claims.extend(more);
        let Some(groups) = &pattern.operands else {
            state.claims.extend(claims);
            return Progress::On;
        };
        let Some(split) = self.split_operands(pattern, groups, op) else { return Progress::Fail };
        // The first pair is the most significant bit of `order`. In order 0, no pair is swapped.
        let orders = (0..1usize << pattern.either.len()).map(|order| {
            let mut split = split.clone();
            for (i, &(a, b)) in pattern.either.iter().rev().enumerate() {
                if order >> i & 1 == 1 {
                    split.swap(a as usize, b as usize);
                }
            }
            let mut state = state.copy();
            state.claims.extend(claims.iter().cloned());
            // The last claim is taken first, so the first operand is pushed last.
            for (group, range) in groups.iter().zip(split).rev() {
                state.claims.extend(self.operand_claims(group, range, op).into_iter().rev());
            }
            state
        });
        Progress::Branch(orders.collect())
    }

    fn attributes(&self, pattern: &OperationNode, op: H::Op) -> Option<Vec<(NodeId, Entity<H>)>> {
        let mut claims = Vec::new();
        for edge in &pattern.attributes {
            let mut found = self.host.attr(op, self.links.attr_names[&edge.name]);
            if let (Some(attr), Some(storage)) = (found, edge.storage)
                && !matches!(self.holds(storage, &[Entity::Attr(Some(attr))]), Some(Some(_)))
            {
                found = None;
            }
            let attr = match (found, &edge.presence) {
                (Some(attr), _) => Some(attr),
                (None, Presence::Required) => return None,
                (None, Presence::Optional) => None,
                (None, Presence::Default(default)) => Some(self.links.attrs[default]?),
            };
            claims.push((edge.node, Entity::Attr(attr)));
        }
        Some(claims)
    }

    /// The claims about the types of an operation's results and about the nodes for its results.
    fn result_claims(
        &self,
        node: NodeId,
        pattern: &OperationNode,
        op: H::Op,
    ) -> Option<Vec<(NodeId, Entity<H>)>> {
        let mut claims = Vec::new();
        let values: Vec<H::Value> =
            (0..self.host.result_count(op)).map(|i| self.host.result(op, i)).collect();
        let sizes = |node: &NodeId| if self.is_range(*node) { (0, None) } else { (1, Some(1)) };
        let split = match &pattern.results {
            Some(types) => {
                let sizes: Vec<_> = types.iter().map(sizes).collect();
                let split = self.split(&sizes, pattern.result_split, values.len(), op)?;
                for (&ty, range) in types.iter().zip(&split) {
                    let mut types = values[range.clone()].iter().map(|&value| self.host.value_type(value));
                    let entity = if self.is_range(ty) {
                        Entity::Types(types.collect())
                    } else {
                        Entity::Type(types.next()?)
                    };
                    claims.push((ty, entity));
                }
                Some(split)
            }
            None => None,
        };
        let listed = pattern.listed_results(|node| self.part[node].kind()).is_some();
        for &result in &self.results[node] {
            let (Some(source), one) = (self.part[result].source(), !self.is_range(result)) else {
                continue;
            };
            let range = match source {
                ValueSource::Result { index, .. } => index as usize..index as usize + 1,
                ValueSource::Results { group: None, .. } | ValueSource::DefinedBy { .. } => 0..values.len(),
                ValueSource::Results { group: Some(group), .. } => match split.as_ref().filter(|_| listed) {
                    Some(split) => split.get(group as usize)?.clone(),
                    None => self.unlisted_group(pattern, group as usize, values.len(), op)?,
                },
            };
            let values = values.get(range)?;
            claims.push(match (values, one) {
                (&[value], true) => (result, Entity::Value(Some(value))),
                (_, true) => return None,
                (values, false) => (result, Entity::Values(values.to_vec())),
            });
        }
        Some(claims)
    }

    /// The range of a result group that is not listed. An attribute states the sizes of the groups. Without an
    /// attribute, each group before this group has one result, and this group has the rest.
    fn unlisted_group(
        &self,
        pattern: &OperationNode,
        group: usize,
        total: usize,
        op: H::Op,
    ) -> Option<Range<usize>> {
        if let GroupSplit::Attribute(name) = pattern.result_split {
            let sizes = self.segment_sizes(name, op)?;
            let start: usize = sizes.get(..group)?.iter().sum();
            return Some(start..start + sizes.get(group)?);
        }
        (group <= total).then_some(group..total)
    }

    fn is_range(&self, node: NodeId) -> bool {
        element_kind(self.part[node].kind()).is_some()
    }

    fn operand_claims(
        &self,
        group: &OperandGroup,
        range: Range<usize>,
        op: H::Op,
    ) -> Vec<(NodeId, Entity<H>)> {
        // The operand count is a `u32`, so every index fits in a `u32`.
        let operand = |i: usize| u32::try_from(i).ok().map(|i| self.host.operand(op, i));
        let values = || range.clone().filter_map(operand);
        match group {
            OperandGroup::One(node) | OperandGroup::Optional(node) => {
                vec![(*node, Entity::Value(values().next()))]
            }
            OperandGroup::Range(node) => vec![(*node, Entity::Values(values().collect()))],
            OperandGroup::List(nodes) => {
                nodes.iter().copied().zip(values().map(|value| Entity::Value(Some(value)))).collect()
            }
            OperandGroup::Any => Vec::new(),
        }
    }

    fn split_operands(
        &self,
        pattern: &OperationNode,
        groups: &[OperandGroup],
        op: H::Op,
    ) -> Option<Vec<Range<usize>>> {
        let sizes: Vec<_> = groups.iter().map(OperandGroup::size).collect();
        self.split(&sizes, pattern.operand_split, self.host.operand_count(op) as usize, op)
    }

    /// Divides `total` elements into groups with these least and largest sizes; `None` if that is impossible.
    fn split(
        &self,
        sizes: &[(usize, Option<usize>)],
        split: GroupSplit,
        total: usize,
        op: H::Op,
    ) -> Option<Vec<Range<usize>>> {
        let open = sizes.iter().filter(|&&(least, most)| Some(least) != most).count();
        let fixed: usize = sizes.iter().filter(|&&(least, most)| Some(least) == most).map(|s| s.0).sum();
        let counts: Vec<usize> = match split {
            GroupSplit::Attribute(name) => self.segment_sizes(name, op)?,
            GroupSplit::Rest | GroupSplit::Equal => {
                let rest = total.checked_sub(fixed)?;
                if open > 0 && rest % open != 0 {
                    return None;
                }
                let each = rest.checked_div(open).unwrap_or(0);
                sizes.iter().map(|&(least, most)| if Some(least) == most { least } else { each }).collect()
            }
        };
        let fits = counts.len() == sizes.len()
            && counts.iter().try_fold(0usize, |sum, &count| sum.checked_add(count)) == Some(total)
            && counts
                .iter()
                .zip(sizes)
                .all(|(&count, &(least, most))| least <= count && most.is_none_or(|most| count <= most));
        let mut start = 0;
        fits.then(|| {
            let range = |&count: &usize| {
                start += count;
                start - count..start
            };
            counts.iter().map(range).collect()
        })
    }

    /// The sizes that an attribute lists.
    fn segment_sizes(&self, name: StrId, op: H::Op) -> Option<Vec<usize>> {
        let attr = self.host.attr(op, self.links.attr_names[&name])?;
        let (AttrKind::DenseArray { len } | AttrKind::DenseElements { len, .. }) = self.host.attr_kind(attr)
        else {
            return None;
        };
        let size = |i| match self.host.attr_element(attr, i)? {
            ElementValue::Int(size) => usize::try_from(size.to_i64()?).ok(),
            _ => None,
        };
        (0..len).map(size).collect()
    }

    /// The states after a climb, one for each user that can be the operation of the climb, newest use first.
    fn climb(&self, state: &State<H>, climb: &Climb) -> Option<Vec<State<H>>> {
        let from = match state.bound[climb.from].as_ref()? {
            Entity::Value(Some(value)) => *value,
            Entity::Values(values) => *values.first()?,
            _ => return None,
        };
        let pattern = self.part[climb.op].as_operation()?;
        let groups = pattern.operands.as_deref()?;
        let mut states = Vec::new();
        let mut next = self.host.first_use(from);
        while let Some(used) = next {
            next = self.host.next_use(used);
            let user = self.host.use_owner(used);
            let Some(split) = self.split_operands(pattern, groups, user) else { continue };
            let Some(range) = split.get(climb.group as usize) else { continue };
            if range.start + climb.place as usize == self.host.use_index(used) as usize {
                let mut state = state.copy();
                state.claims.push((climb.op, Entity::Op(user)));
                states.push(state);
            }
        }
        Some(states)
    }

    fn bind_constants(&self, state: &mut State<H>) -> Option<()> {
        let types = |values: &[Constant]| values.iter().map(|value| self.links.types[value]).collect();
        for (id, node) in self.part.iter_enumerated() {
            if state.bound[id].is_none() {
                let entity = match node {
                    Node::Attribute { value: Some(value), .. } => {
                        Entity::Attr(Some(self.links.attrs[value]?))
                    }
                    Node::Type { value: Some(value) } => Entity::Type(self.links.types[value]?),
                    Node::Types { values: Some(values) } => {
                        let types: Option<Vec<H::Type>> = types(values);
                        Entity::Types(types?)
                    }
                    _ => continue,
                };
                state.claims.push((id, entity));
            }
        }
        Some(())
    }

    /// Evaluates a constraint and adds the claims about its results.
    fn call(&self, state: &mut State<H>, call: &Call) -> Option<()> {
        let each =
            call.args.iter().find_map(|arg| if let Arg::Each(node) = arg { Some(*node) } else { None });
        let holds = match each {
            None => self.evaluate(state, call, None)?,
            Some(range) => {
                let mut all = Some(Vec::new());
                for element in elements(state.bound[range].as_ref()?) {
                    if self.evaluate(state, call, Some(element))?.is_none() {
                        all = None;
                        break;
                    }
                }
                all
            }
        };
        match (holds, call.negated) {
            (Some(results), false) if results.len() == call.results.len() => {
                state.claims.extend(call.results.iter().copied().zip(results).rev());
                Some(())
            }
            (None, true) => Some(()),
            _ => None,
        }
    }

    /// Evaluates a constraint, for the element `each` if an argument is [`Arg::Each`]. Returns `Some(None)` if the
    /// constraint fails, and `None` if it cannot be evaluated.
    #[allow(clippy::option_option, reason = "a refusal differs from a false constraint")]
    fn evaluate(
        &self,
        state: &State<H>,
        call: &Call,
        each: Option<Entity<H>>,
    ) -> Option<Option<Vec<Entity<H>>>> {
        let arg = |arg: &Arg<NodeId>| match arg {
            Arg::Of(node) => state.bound[*node].clone(),
            Arg::Each(_) => each.clone(),
            Arg::Attr(value) => Some(Entity::Attr(Some(self.links.attrs[value]?))),
            Arg::Type(value) => Some(Entity::Type(self.links.types[value]?)),
            Arg::Int(value) => Some(Entity::Int(*value)),
            Arg::Bool(value) => Some(Entity::Bool(*value)),
            Arg::Str(value) => Some(Entity::Str(self.rules.strings[*value].into())),
        };
        let args: Vec<Entity<H>> = call.args.iter().map(arg).collect::<Option<_>>()?;
        match call.callee {
            Callee::Native(name) => {
                let signature = CallSignature::new(name, call, self.part);
                Some(self.links.constraints[&signature](self.host, &args))
            }
            Callee::Snippet(id) => self.holds(id, &args),
        }
    }

    /// Evaluates a snippet; `Some(None)` if it does not hold, `None` if it cannot be evaluated.
    #[allow(clippy::option_option, reason = "a refusal differs from a false constraint")]
    fn holds(&self, id: SnippetId, args: &[Entity<H>]) -> Option<Option<Vec<Entity<H>>>> {
        self.links.snippets.holds(&self.rules.snippets, id, self.host, args).ok()
    }
}

fn elements<H: Ir>(range: &Entity<H>) -> Vec<Entity<H>> {
    match range {
        Entity::Values(values) => values.iter().map(|&value| Entity::Value(Some(value))).collect(),
        Entity::Types(types) => types.iter().map(|&ty| Entity::Type(ty)).collect(),
        Entity::Attrs(attrs) => attrs.iter().map(|&attr| Entity::Attr(Some(attr))).collect(),
        _ => Vec::new(),
    }
}
