//! The reference matcher: what it means that a rule matches.
//!
//! Specification: a match of a rule at an operation is an assignment of things in the IR to all
//! nodes of its match part, the anchor being the operation, such that everything the nodes and
//! constraints say holds. This is the definition every engine is tested against: it is written to be
//! obviously right, and slow.
//!
//! Method: a worklist of claims "this node is that thing". A claim binds the node, or compares if it
//! is bound, and makes the claims that follow from it. Where there is a choice (which order of two
//! operands, which user of a value) the state is copied for each alternative, in order, and the
//! first is followed to its end before the next. First comes everything below the anchor; then each
//! [`Climb`] and what is below it; then the constraints in order, each when its arguments are known,
//! and what follows from its results.
//!
//! So matches come in the order of the uses climbed through, newest use first, the first climb
//! counting most. A rule without climbs matches at most once: with the first order of its operands
//! that satisfies everything, the first pair in the order the operations are met counting most.
//!
//! What is null (an absent optional operand or attribute) has no type, no value and no source. An
//! empty range leads to no operation: it matches as results of one only if that is bound by then.

use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::host::{
    AttrKind, AttrNameId, Bind, ConstraintFn, ElementValue, Entity, Facets, Ir, Natives, OpNameId,
};
use crate::id::IdVec;
use crate::intern::StrId;
use crate::snippet::{Linked, SnippetId};
use crate::source::{Diagnostics, Span};

use super::form::element_kind;
use super::link::{Linker, NativeCall, NativeRole, missing_natives};
use super::{
    Arg, Call, Callee, Climb, Constant, GroupSplit, MatchPart, Node, NodeId, OperandGroup, OperationNode,
    PatternId, Presence, RuleSet, ValueSource,
};

/// A rule that matches, with what its nodes are.
pub struct Match<H: Ir> {
    /// The rule.
    pub pattern: PatternId,
    bindings: IdVec<NodeId, Entity<H>>,
}

impl<H: Ir> Match<H> {
    /// What a node of the rule is.
    pub fn binding(&self, node: NodeId) -> &Entity<H> {
        &self.bindings[node]
    }

    /// What all nodes are, in node order.
    pub fn bindings(&self) -> impl ExactSizeIterator<Item = &Entity<H>> {
        self.bindings.iter()
    }
}

/// Rules bound to a host.
pub struct ReferenceMatcher<'r, H: Facets> {
    rules: &'r RuleSet,
    order: Vec<PatternId>,
    climbs: IdVec<PatternId, Vec<Climb>>,
    links: Links<'r, H>,
}

impl<'r, H: Facets + Bind> ReferenceMatcher<'r, H> {
    /// Binds verified rules to a host.
    ///
    /// # Errors
    /// Every native constraint that nobody registered, or that is registered with another signature.
    pub fn new(rules: &'r RuleSet, host: &mut H, natives: &Natives<H>) -> Result<Self, Diagnostics> {
        Self::without(rules, &[], host, natives)
    }

    /// As [`Self::new`], with some rules left out.
    ///
    /// # Errors
    /// As [`Self::new`], for the rules that are there.
    pub fn without(
        rules: &'r RuleSet,
        left_out: &[PatternId],
        host: &mut H,
        natives: &Natives<H>,
    ) -> Result<Self, Diagnostics> {
        let mut links = Links::new(Linked::link(&rules.snippets, host, natives));
        let mut linker = Linker::new(host, natives);
        for (id, pattern) in rules.patterns.iter_enumerated() {
            if left_out.contains(&id) {
                continue;
            }
            links.rule = &rules.strings[pattern.name];
            for (id, node) in pattern.matcher.nodes.iter_enumerated() {
                links.at = pattern.matcher.spans[id];
                links.node(rules, node, &mut linker);
            }
            for call in &pattern.matcher.constraints {
                links.at = call.span;
                links.call(rules, &pattern.matcher, call, &mut linker);
            }
        }
        let missing = linker.into_missing();
        if !missing.is_empty() {
            return Err(missing_natives(&missing));
        }
        let climbs = rules.patterns.iter().map(|pattern| pattern.matcher.climbs()).collect();
        let mut order = rules.in_order();
        order.retain(|id| !left_out.contains(id));
        Ok(Self { rules, order, climbs, links })
    }

    /// Every match at an operation, in the order the rules are tried; found as they are asked for.
    pub fn matches<'a>(&'a self, host: &'a H, op: H::Op) -> impl Iterator<Item = Match<H>> + 'a {
        self.order.iter().flat_map(move |&pattern| self.matches_of(host, pattern, op))
    }

    /// Every match of one rule at an operation.
    ///
    /// Exponential in the number of choices; of climbs, as many matches as there may be.
    pub fn matches_of<'a>(
        &'a self,
        host: &'a H,
        pattern: PatternId,
        op: H::Op,
    ) -> impl Iterator<Item = Match<H>> + 'a {
        let part = &self.rules.patterns[pattern].matcher;
        let search = Search {
            host,
            rules: self.rules,
            links: &self.links,
            part,
            climbs: &self.climbs[pattern],
            results: results_of(part),
        };
        let first = State {
            bound: part.nodes.iter().map(|_| None).collect(),
            claims: part.roots.iter().take(1).map(|&root| (root, Entity::Op(op))).collect(),
            climb: 0,
            constants: false,
            call: 0,
        };
        let mut open = vec![first];
        std::iter::from_fn(move || {
            while let Some(mut state) = open.pop() {
                match search.step(&mut state) {
                    Step::Fail => {}
                    Step::On => open.push(state),
                    Step::Branch(states) => open.extend(states.into_iter().rev()),
                    Step::Found => {
                        if search.climbs.is_empty() {
                            open.clear();
                        }
                        let bindings = state.bound.iter().flatten().cloned().collect();
                        return Some(Match { pattern, bindings });
                    }
                }
            }
            None
        })
    }
}

/// The nodes that are results of each operation node.
fn results_of(part: &MatchPart) -> IdVec<NodeId, Vec<NodeId>> {
    let mut results: IdVec<NodeId, Vec<NodeId>> = part.nodes.iter().map(|_| Vec::new()).collect();
    for (id, node) in part.nodes.iter_enumerated() {
        if let Some(ValueSource::Result { op, .. } | ValueSource::Results { op, .. }) = node.source() {
            results[op].push(id);
        }
    }
    results
}

/// What the rules' names, constants and natives are on the host.
struct Links<'r, H: Facets> {
    op_names: HashMap<StrId, OpNameId>,
    attr_names: HashMap<StrId, AttrNameId>,
    attrs: HashMap<Constant, Option<H::Attr>>,
    types: HashMap<Constant, Option<H::Type>>,
    constraints: HashMap<StrId, Arc<ConstraintFn<H>>>,
    snippets: Linked<H>,
    /// The rule and place that are being linked, for messages.
    rule: &'r str,
    at: Span,
}

impl<H: Facets + Bind> Links<'_, H> {
    fn new(snippets: Linked<H>) -> Self {
        Self {
            op_names: HashMap::new(),
            attr_names: HashMap::new(),
            attrs: HashMap::new(),
            types: HashMap::new(),
            constraints: HashMap::new(),
            snippets,
            rule: "",
            at: Span::NONE,
        }
    }

    fn snippet(&self, rules: &RuleSet, id: SnippetId, linker: &mut Linker<'_, H>) -> bool {
        linker.snippet(&rules.snippets, &self.snippets, id, &|| self.rule.to_owned(), self.at)
    }

    /// What a computed constant is; `None` where there is no such thing.
    fn computed(&self, rules: &RuleSet, id: SnippetId, linker: &mut Linker<'_, H>) -> Option<Entity<H>> {
        self.snippet(rules, id, linker)
            .then(|| self.snippets.make(&rules.snippets, id, linker.host()).ok())?
    }

    fn node(&mut self, rules: &RuleSet, node: &Node, linker: &mut Linker<'_, H>) {
        match node {
            Node::Operation(op) => {
                if let Some(name) = op.name {
                    self.op_names.insert(name, linker.op_name(&rules.strings[name]));
                }
                for split in [op.operand_split, op.result_split] {
                    if let GroupSplit::Attribute(name) = split {
                        self.attr_names.insert(name, linker.attr_name(&rules.strings[name]));
                    }
                }
                for edge in &op.attributes {
                    self.attr_names.insert(edge.name, linker.attr_name(&rules.strings[edge.name]));
                    if let Some(storage) = edge.storage {
                        self.snippet(rules, storage, linker);
                    }
                    if let Presence::Default(default) = edge.presence {
                        self.attr(rules, default, linker);
                    }
                }
            }
            Node::Attribute { value: Some(value), .. } => self.attr(rules, *value, linker),
            Node::Type { value: Some(value) } => self.ty(rules, *value, linker),
            Node::Types { values: Some(values) } => {
                values.iter().for_each(|&value| self.ty(rules, value, linker));
            }
            _ => {}
        }
    }

    fn attr(&mut self, rules: &RuleSet, constant: Constant, linker: &mut Linker<'_, H>) {
        let attr = match constant {
            Constant::Text(text) => linker.attr(&rules.strings[text]),
            Constant::Snippet(id) => match self.computed(rules, id, linker) {
                Some(Entity::Attr(attr)) => attr,
                _ => None,
            },
        };
        self.attrs.insert(constant, attr);
    }

    fn ty(&mut self, rules: &RuleSet, constant: Constant, linker: &mut Linker<'_, H>) {
        let ty = match constant {
            Constant::Text(text) => linker.ty(&rules.strings[text]),
            Constant::Snippet(id) => match self.computed(rules, id, linker) {
                Some(Entity::Type(ty)) => Some(ty),
                _ => None,
            },
        };
        self.types.insert(constant, ty);
    }

    fn call(&mut self, rules: &RuleSet, part: &MatchPart, call: &Call, linker: &mut Linker<'_, H>) {
        for arg in &call.args {
            match *arg {
                Arg::Attr(constant) => self.attr(rules, constant, linker),
                Arg::Type(constant) => self.ty(rules, constant, linker),
                _ => {}
            }
        }
        let name = match call.callee {
            Callee::Native(name) => name,
            Callee::Snippet(id) => {
                self.snippet(rules, id, linker);
                return;
            }
        };
        let kind = |node: NodeId| part.nodes[node].kind();
        let wanted = NativeCall {
            name: rules.strings[name].to_owned(),
            role: NativeRole::Constraint,
            params: call.args.iter().filter_map(|arg| arg.kind(kind)).map(Some).collect(),
            results: call.results.iter().map(|&node| Some(kind(node))).collect(),
        };
        if let Some(run) = linker.constraint(wanted, &|| self.rule.to_owned(), call.span) {
            self.constraints.insert(name, run);
        }
    }
}

/// How far one way of matching has got.
struct State<H: Ir> {
    bound: IdVec<NodeId, Option<Entity<H>>>,
    /// What is still to be shown; the last first.
    claims: Vec<(NodeId, Entity<H>)>,
    /// The next climb.
    climb: usize,
    /// Whether constants that nothing led to are bound.
    constants: bool,
    /// The next constraint.
    call: usize,
}

impl<H: Ir> State<H> {
    fn copy(&self) -> Self {
        let Self { bound, claims, climb, constants, call } = self;
        let bound = bound.iter().cloned().collect();
        Self { bound, claims: claims.clone(), climb: *climb, constants: *constants, call: *call }
    }
}

enum Step<H: Ir> {
    Fail,
    On,
    Branch(Vec<State<H>>),
    Found,
}

impl<H: Ir> From<Option<()>> for Step<H> {
    fn from(holds: Option<()>) -> Self {
        if holds.is_some() { Step::On } else { Step::Fail }
    }
}

struct Search<'a, H: Facets> {
    host: &'a H,
    rules: &'a RuleSet,
    links: &'a Links<'a, H>,
    part: &'a MatchPart,
    climbs: &'a [Climb],
    results: IdVec<NodeId, Vec<NodeId>>,
}

impl<H: Facets + Bind> Search<'_, H> {
    fn step(&self, state: &mut State<H>) -> Step<H> {
        if let Some((node, thing)) = state.claims.pop() {
            return match &state.bound[node] {
                Some(bound) => (*bound == thing).then_some(()).into(),
                None => self.bind(state, node, thing),
            };
        }
        if let Some(climb) = self.climbs.get(state.climb) {
            state.climb += 1;
            return Step::Branch(self.climb(state, climb).unwrap_or_default());
        }
        if !state.constants {
            state.constants = true;
            return self.bind_constants(state).into();
        }
        if let Some(call) = self.part.constraints.get(state.call) {
            state.call += 1;
            return self.call(state, call).into();
        }
        if state.bound.iter().all(Option::is_some) { Step::Found } else { Step::Fail }
    }

    /// Binds a node and claims what follows.
    fn bind(&self, state: &mut State<H>, node: NodeId, thing: Entity<H>) -> Step<H> {
        state.bound[node] = Some(thing.clone());
        let claims = &mut state.claims;
        match (&self.part.nodes[node], thing) {
            (Node::Operation(pattern), Entity::Op(op)) => self.operation(state, node, pattern, op),
            (Node::Value { ty, source }, Entity::Value(Some(value))) => {
                claims.extend(ty.map(|ty| (ty, Entity::Type(self.host.value_type(value)))));
                if let Some(source) = source {
                    let Some(op) = self.host.defining_op(value) else { return Step::Fail };
                    // Which of its results it is follows from binding the operation.
                    claims.push((source.op(), Entity::Op(op)));
                }
                Step::On
            }
            (Node::Value { ty: None, source: None }, Entity::Value(None)) => Step::On,
            (Node::Values { types, source }, Entity::Values(values)) => {
                let value_types = || values.iter().map(|&value| self.host.value_type(value)).collect();
                claims.extend(types.map(|types| (types, Entity::Types(value_types()))));
                if let Some(source) = source {
                    // An empty range leads nowhere, but is fine once the operation is known.
                    if values.is_empty() && state.bound[source.op()].is_some() {
                        return Step::On;
                    }
                    let first = values.first().and_then(|&first| self.host.defining_op(first));
                    let Some(op) = first else { return Step::Fail };
                    state.claims.push((source.op(), Entity::Op(op)));
                }
                Step::On
            }
            (Node::Attribute { value, ty }, Entity::Attr(Some(attr))) => {
                if value.is_some_and(|value| self.links.attrs[&value] != Some(attr)) {
                    return Step::Fail;
                }
                if let Some(ty) = *ty {
                    let Some(stated) = self.host.attr_type(attr) else { return Step::Fail };
                    claims.push((ty, Entity::Type(stated)));
                }
                Step::On
            }
            (Node::Attribute { value: None, ty: None }, Entity::Attr(None)) => Step::On,
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
            (Node::Bound { kind }, thing) => (*kind == thing.kind()).then_some(()).into(),
            _ => Step::Fail,
        }
    }

    fn operation(&self, state: &mut State<H>, node: NodeId, pattern: &OperationNode, op: H::Op) -> Step<H> {
        if pattern.name.is_some_and(|name| self.links.op_names[&name] != self.host.op_name(op)) {
            return Step::Fail;
        }
        let Some(mut claims) = self.attributes(pattern, op) else { return Step::Fail };
        let Some(more) = self.result_claims(node, pattern, op) else { return Step::Fail };
        claims.extend(more);
        let Some(groups) = &pattern.operands else {
            state.claims.extend(claims);
            return Step::On;
        };
        let Some(split) = self.split_operands(pattern, groups, op) else { return Step::Fail };
        // The first pair counts most, and its first order is as written.
        let orders = (0..1usize << pattern.either.len()).map(|order| {
            let mut split = split.clone();
            for (i, &(a, b)) in pattern.either.iter().rev().enumerate() {
                if order >> i & 1 == 1 {
                    split.swap(a as usize, b as usize);
                }
            }
            let mut state = state.copy();
            state.claims.extend(claims.iter().cloned());
            // What is claimed last is shown first: the first operand.
            for (group, range) in groups.iter().zip(split).rev() {
                state.claims.extend(self.operand_claims(group, range, op).into_iter().rev());
            }
            state
        });
        Step::Branch(orders.collect())
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

    /// What is claimed of its results' types, and of the nodes that are its results.
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
                    let thing = if self.is_range(ty) {
                        Entity::Types(types.collect())
                    } else {
                        Entity::Type(types.next()?)
                    };
                    claims.push((ty, thing));
                }
                Some(split)
            }
            None => None,
        };
        let listed = pattern.listed_results(|node| self.part.nodes[node].kind()).is_some();
        for &result in &self.results[node] {
            let (Some(source), one) = (self.part.nodes[result].source(), !self.is_range(result)) else {
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

    /// A result group of an operation whose groups are not listed: as its attribute says, or else
    /// the groups before it are single and it is the rest.
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
        element_kind(self.part.nodes[node].kind()).is_some()
    }

    fn operand_claims(
        &self,
        group: &OperandGroup,
        range: Range<usize>,
        op: H::Op,
    ) -> Vec<(NodeId, Entity<H>)> {
        // `split` answered for a count that is a `u32`.
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

    /// Which of `total` things belong to each group, given the least and most each can have; `None`:
    /// they do not divide so.
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

    /// The states with each user that can be the operation, newest use first.
    fn climb(&self, state: &State<H>, climb: &Climb) -> Option<Vec<State<H>>> {
        let from = match state.bound[climb.from].as_ref()? {
            Entity::Value(Some(value)) => *value,
            Entity::Values(values) => *values.first()?,
            _ => return None,
        };
        let pattern = self.part.nodes[climb.op].as_operation()?;
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
        for (id, node) in self.part.nodes.iter_enumerated() {
            if state.bound[id].is_none() {
                let thing = match node {
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
                state.claims.push((id, thing));
            }
        }
        Some(())
    }

    /// Asks a constraint and claims its results.
    fn call(&self, state: &mut State<H>, call: &Call) -> Option<()> {
        let each =
            call.args.iter().find_map(|arg| if let Arg::Each(node) = arg { Some(*node) } else { None });
        let holds = match each {
            None => self.ask(state, call, None)?,
            Some(range) => {
                let mut all = Some(Vec::new());
                for element in elements(state.bound[range].as_ref()?) {
                    if self.ask(state, call, Some(element))?.is_none() {
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

    /// `Some(None)`: it does not hold. `None`: it cannot be asked.
    #[allow(clippy::option_option, reason = "a refusal and a no are different")]
    fn ask(&self, state: &State<H>, call: &Call, each: Option<Entity<H>>) -> Option<Option<Vec<Entity<H>>>> {
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
            Callee::Native(name) => Some(self.links.constraints[&name](self.host, &args)),
            Callee::Snippet(id) => self.holds(id, &args),
        }
    }

    /// As [`Self::ask`], for a snippet.
    #[allow(clippy::option_option, reason = "a refusal and a no are different")]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::mock::Mock;
    use crate::host::{Kind, Signature, arg};
    use crate::pdl::PatternBuilder;

    /// How many matches a rule has at each operation of the block.
    fn counts(ir: &mut Mock, build: impl FnOnce(&mut PatternBuilder<'_>)) -> Vec<usize> {
        counts_with(ir, &Natives::new(), build)
    }

    fn counts_with(
        ir: &mut Mock,
        natives: &Natives<Mock>,
        build: impl FnOnce(&mut PatternBuilder<'_>),
    ) -> Vec<usize> {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("rule", 1);
        build(&mut rule);
        rule.finish().expect("a good rule");
        let matcher = ReferenceMatcher::new(&rules, ir, natives).expect("links");
        ir.block().iter().map(|&op| matcher.matches(ir, op).count()).collect()
    }

    #[test]
    fn names_attributes_types_and_nesting() {
        let mut ir = Mock::default();
        let x = ir.arg("i32");
        let zero = ir.value("t.const", &[], &[("value", "0 : i32")], "i32");
        let one = ir.value("t.const", &[], &[("value", "1 : i32")], "i32");
        ir.value("t.add", &[x, zero], &[], "i32");
        ir.value("t.add", &[x, one], &[], "i32");
        ir.value("t.add", &[zero, x], &[], "i32");
        ir.value("t.mul", &[x, zero], &[], "i32");
        let add_zero = |ty: Option<&'static str>| {
            move |rule: &mut PatternBuilder<'_>| {
                let ty = match ty {
                    Some(ty) => rule.type_constant(ty),
                    None => rule.any_type(),
                };
                let x = rule.value_of(ty);
                let value = rule.attr_constant("0 : i32");
                let constant = rule.op("t.const").no_operands().attr("value", value).matched();
                let zero = rule.result(constant, 0);
                rule.op("t.add").operand(x).operand(zero).matched();
            }
        };
        assert_eq!(counts(&mut ir, add_zero(None)), [0, 0, 1, 0, 0, 0]);
        assert_eq!(counts(&mut ir, add_zero(Some("i32"))), [0, 0, 1, 0, 0, 0]);
        assert_eq!(counts(&mut ir, add_zero(Some("i64"))), [0; 6]);
        let any_binary = |rule: &mut PatternBuilder<'_>| {
            let (a, b) = (rule.value(), rule.value());
            rule.any_op().operand(a).operand(b).matched();
        };
        assert_eq!(counts(&mut ir, any_binary), [0, 0, 1, 1, 1, 1]);
        let open = |rule: &mut PatternBuilder<'_>| {
            rule.any_op().matched();
        };
        assert_eq!(counts(&mut ir, open), [1; 6]);
    }

    #[test]
    fn a_node_twice_is_an_equality() {
        let mut ir = Mock::default();
        let (x, y) = (ir.arg("i32"), ir.arg("i64"));
        ir.op("t.two", &[x, x], &[], &["i32"]);
        ir.op("t.two", &[x, y], &[], &["i32"]);
        ir.op("t.two", &[x, y], &[], &["i64"]);
        let same_value = |rule: &mut PatternBuilder<'_>| {
            let a = rule.value();
            rule.op("t.two").operand(a).operand(a).matched();
        };
        assert_eq!(counts(&mut ir, same_value), [1, 0, 0]);
        let same_type = |rule: &mut PatternBuilder<'_>| {
            let ty = rule.any_type();
            let (a, b) = (rule.value(), rule.value_of(ty));
            rule.op("t.two").operand(a).operand(b).result_type(ty).matched();
        };
        assert_eq!(counts(&mut ir, same_type), [1, 0, 1]);
    }

    #[test]
    fn result_numbers_and_any_result() {
        let mut ir = Mock::default();
        let pair = ir.op("t.pair", &[], &[], &["i32", "i32"]);
        let (first, second) = (ir.result(pair, 0), ir.result(pair, 1));
        ir.op("t.use", &[first], &[], &[]);
        ir.op("t.use", &[second], &[], &[]);
        let numbered = |index| {
            move |rule: &mut PatternBuilder<'_>| {
                let pair = rule.op("t.pair").matched();
                let x = rule.result(pair, index);
                rule.op("t.use").operand(x).matched();
            }
        };
        assert_eq!(counts(&mut ir, numbered(0)), [0, 1, 0]);
        assert_eq!(counts(&mut ir, numbered(1)), [0, 0, 1]);
        assert_eq!(counts(&mut ir, numbered(2)), [0, 0, 0]);
        let any = |rule: &mut PatternBuilder<'_>| {
            let pair = rule.op("t.pair").matched();
            let x = rule.defined_by(pair);
            rule.op("t.use").operand(x).matched();
        };
        assert_eq!(counts(&mut ir, any), [0, 1, 1]);
    }

    #[test]
    fn groups_divide_as_they_say() {
        let mut ir = Mock::default();
        let x = ir.arg("i32");
        for n in 0..6 {
            ir.op("t.many", &vec![x; n], &[("sizes", "array<i32: 1, 2, 1>")], &[]);
        }
        let split = |split: fn(&mut PatternBuilder<'_>) -> GroupSplit| {
            move |rule: &mut PatternBuilder<'_>| {
                let (a, b, c) = (rule.values(), rule.value(), rule.values());
                let split = split(rule);
                let many = rule.op("t.many").operands(a).operand(b).operands(c);
                many.operand_split(split).matched();
            }
        };
        assert_eq!(counts(&mut ir, split(|_| GroupSplit::Equal)), [0, 1, 0, 1, 0, 1]);
        let by_attribute =
            |rule: &mut PatternBuilder<'_>| GroupSplit::Attribute(rule.rules().strings.intern("sizes"));
        // The middle group is one value, and the attribute says two.
        assert_eq!(counts(&mut ir, split(by_attribute)), [0; 6]);
        let rest = |rule: &mut PatternBuilder<'_>| {
            let (a, b) = (rule.value(), rule.values());
            rule.op("t.many").operand(a).operands(b).operand(a).matched();
        };
        assert_eq!(counts(&mut ir, rest), [0, 0, 1, 1, 1, 1]);
        let optional = |rule: &mut PatternBuilder<'_>| {
            let (a, b) = (rule.value(), rule.value());
            rule.op("t.many").operand(a).optional_operand(b).matched();
        };
        assert_eq!(counts(&mut ir, optional), [0, 1, 1, 0, 0, 0]);
        let three = |rule: &mut PatternBuilder<'_>| {
            let (a, b, c) = (rule.values(), rule.values(), rule.values());
            let split = by_attribute(rule);
            let many = rule.op("t.many").operands(a).operands(b).operands(c);
            many.operand_split(split).matched();
        };
        assert_eq!(counts(&mut ir, three), [0, 0, 0, 0, 1, 0]);
    }

    #[test]
    fn ranges_are_compared_whole() {
        let mut ir = Mock::default();
        let (x, y) = (ir.arg("i32"), ir.arg("i32"));
        let a = ir.op("t.inner", &[x, y], &[], &["i32", "i32"]);
        let values = [ir.result(a, 0), ir.result(a, 1)];
        ir.op("t.outer", &values, &[], &[]);
        ir.op("t.outer", &values[..1], &[], &[]);
        ir.op("t.outer", &[], &[], &[]);
        let all_results = |rule: &mut PatternBuilder<'_>| {
            let inner = rule.op("t.inner").matched();
            let results = rule.results(inner);
            rule.op("t.outer").operands(results).matched();
        };
        // The last one has no operands, and so no operation leads to.
        assert_eq!(counts(&mut ir, all_results), [0, 1, 0, 0]);
        let typed = |rule: &mut PatternBuilder<'_>| {
            let types = rule.types_constant(&["i32", "i32"]);
            let values = rule.values_of(types);
            rule.any_op().operands(values).matched();
        };
        assert_eq!(counts(&mut ir, typed), [1, 1, 0, 0]);
    }

    #[test]
    fn absent_attributes() {
        let mut ir = Mock::default();
        ir.op("t.a", &[], &[("v", "1 : i32")], &[]);
        ir.op("t.a", &[], &[], &[]);
        let required = |rule: &mut PatternBuilder<'_>| {
            let v = rule.any_attr();
            rule.op("t.a").attr("v", v).matched();
        };
        assert_eq!(counts(&mut ir, required), [1, 0]);
        let optional = |rule: &mut PatternBuilder<'_>| {
            let v = rule.any_attr();
            rule.op("t.a").optional_attr("v", v).matched();
        };
        assert_eq!(counts(&mut ir, optional), [1, 1]);
        let default = |value: &'static str| {
            move |rule: &mut PatternBuilder<'_>| {
                let v = rule.attr_constant(value);
                rule.op("t.a").default_attr("v", v, "7 : i32").matched();
            }
        };
        assert_eq!(counts(&mut ir, default("1 : i32")), [1, 0]);
        assert_eq!(counts(&mut ir, default("7 : i32")), [0, 1]);
        let typed_null = |rule: &mut PatternBuilder<'_>| {
            let ty = rule.any_type();
            let v = rule.attr_of(ty);
            rule.op("t.a").optional_attr("v", v).matched();
        };
        assert_eq!(counts(&mut ir, typed_null), [1, 0]);
    }

    #[test]
    fn either_takes_the_first_order_that_satisfies_everything() {
        let mut ir = Mock::default();
        let (x, y) = (ir.arg("i32"), ir.arg("i64"));
        let xy = ir.op("t.add", &[x, y], &[], &[]);
        let yx = ir.op("t.add", &[y, x], &[], &[]);
        let xx = ir.op("t.add", &[x, x], &[], &[]);
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("rule", 1);
        let (a, b) = (rule.value(), rule.value());
        rule.op("t.add").operand(a).operand(b).either(0, 1).matched();
        rule.constraint("is_i64", [b]);
        rule.finish().expect("a good rule");
        let natives = Natives::new().constraint("is_i64", |ir: &Mock, value: arg::Value<Mock>| {
            ir.str(ir.value_type(value.0).0) == "i64"
        });
        let matcher = ReferenceMatcher::new(&rules, &mut ir, &natives).expect("links");
        for (op, found) in [(xy, Some((x, y))), (yx, Some((x, y))), (xx, None)] {
            let matches: Vec<_> = matcher.matches(&ir, op).collect();
            let bound = |m: &Match<Mock>| (m.binding(a).clone(), m.binding(b).clone());
            let expected = found.map(|(a, b)| (Entity::Value(Some(a)), Entity::Value(Some(b))));
            assert_eq!(matches.iter().map(bound).collect::<Vec<_>>(), Vec::from_iter(expected));
        }
    }

    #[test]
    fn a_choice_that_fails_later_is_taken_back() {
        // The inner pair is written so that only its second order agrees with the outer operand.
        let mut ir = Mock::default();
        let (x, y) = (ir.arg("i32"), ir.arg("i32"));
        let inner = ir.value("t.add", &[x, y], &[], "i32");
        ir.op("t.sub", &[inner, x], &[], &[]);
        ir.op("t.sub", &[inner, y], &[], &[]);
        let found = counts(&mut ir, |rule| {
            let (a, b) = (rule.value(), rule.value());
            let add = rule.op("t.add").operand(a).operand(b).either(0, 1).matched();
            let sum = rule.result(add, 0);
            rule.op("t.sub").operand(sum).operand(b).matched();
        });
        assert_eq!(found, [0, 1, 1]);
    }

    #[test]
    fn users_are_tried_newest_first() {
        let mut ir = Mock::default();
        let x = ir.value("t.base", &[], &[], "i32");
        let a = ir.op("t.a", &[x], &[], &[]);
        let b1 = ir.op("t.b", &[x], &[], &[]);
        let other = ir.arg("i32");
        ir.op("t.b", &[other], &[], &[]);
        let b2 = ir.op("t.b", &[x], &[], &[]);
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("rule", 1);
        let base = rule.op("t.base").matched();
        let value = rule.result(base, 0);
        rule.op("t.a").operand(value).matched();
        let b = rule.op("t.b").operand(value).matched();
        rule.finish().expect("a good rule");
        let matcher = ReferenceMatcher::new(&rules, &mut ir, &Natives::new()).expect("links");
        let found: Vec<_> = matcher.matches(&ir, a).map(|m| m.binding(b).clone()).collect();
        assert_eq!(found, [Entity::Op(b2), Entity::Op(b1)]);
        assert_eq!(matcher.matches(&ir, b1).count(), 0, "the anchor is t.a");
    }

    #[test]
    fn rules_are_tried_by_benefit_then_named_root_then_place_in_the_list() {
        let mut ir = Mock::default();
        let op = ir.op("t.a", &[], &[], &[]);
        let mut rules = RuleSet::default();
        for (name, benefit, any) in
            [("any1", 1, true), ("a1", 1, false), ("any2", 2, true), ("b1", 1, false), ("c0", 0, false)]
        {
            let mut rule = rules.pattern(name, benefit);
            let node = if any { rule.any_op() } else { rule.op("t.a") };
            node.matched();
            rule.finish().expect("a good rule");
        }
        let matcher = ReferenceMatcher::new(&rules, &mut ir, &Natives::new()).expect("links");
        let names: Vec<&str> =
            matcher.matches(&ir, op).map(|m| &rules.strings[rules.patterns[m.pattern].name]).collect();
        assert_eq!(names, ["any2", "a1", "b1", "any1", "c0"]);
    }

    #[test]
    fn constraints_hold_do_not_hold_and_bind() {
        let mut ir = Mock::default();
        let (x, y) = (ir.arg("i32"), ir.arg("i64"));
        ir.op("t.a", &[x, x], &[], &["i32"]);
        ir.op("t.a", &[x, y], &[], &["i32"]);
        ir.op("t.a", &[y, y], &[], &["i64"]);
        let is_i32 = |ir: &Mock, value: &Entity<Mock>| match value {
            Entity::Value(Some(value)) => ir.str(ir.value_type(*value).0) == "i32",
            _ => false,
        };
        let type_of = Signature { params: Some(vec![Kind::Value]), results: vec![Kind::Type] };
        let natives = Natives::new()
            .constraint("is_i32", move |ir: &Mock, of: Entity<Mock>| is_i32(ir, &of))
            .constraint_with("type_of", type_of, true, |ir: &Mock, args| match args {
                [Entity::Value(Some(value))] => Some(vec![Entity::Type(ir.value_type(*value))]),
                _ => None,
            });
        let two = |rule: &mut PatternBuilder<'_>| {
            let (a, b, ty) = (rule.value(), rule.value(), rule.any_type());
            rule.op("t.a").operand(a).operand(b).result_type(ty).matched();
            (a, b, ty)
        };
        let holds = |rule: &mut PatternBuilder<'_>| {
            let (_, b, _) = two(rule);
            rule.constraint("is_i32", [b]);
        };
        assert_eq!(counts_with(&mut ir, &natives, holds), [1, 0, 0]);
        let negated = |rule: &mut PatternBuilder<'_>| {
            let (_, b, _) = two(rule);
            rule.forbid("is_i32", [b]);
        };
        assert_eq!(counts_with(&mut ir, &natives, negated), [0, 1, 1]);
        let result_is_a_node = |rule: &mut PatternBuilder<'_>| {
            let (a, b, ty) = two(rule);
            let callee = Callee::Native(rule.rules().strings.intern("type_of"));
            let args = vec![Arg::Of(b)];
            let span = crate::source::Span::NONE;
            rule.call_constraint(Call { callee, args, results: vec![ty], negated: false, span });
            let _ = a;
        };
        assert_eq!(counts_with(&mut ir, &natives, result_is_a_node), [1, 0, 1]);
        let each = |rule: &mut PatternBuilder<'_>| {
            let all = rule.values();
            rule.op("t.a").operands(all).matched();
            rule.constraint("is_i32", [Arg::Each(all)]);
        };
        assert_eq!(counts_with(&mut ir, &natives, each), [1, 0, 0]);
    }

    #[test]
    fn missing_natives_are_reported_together() {
        let mut ir = Mock::default();
        let mut rules = RuleSet::default();
        for name in ["first", "second"] {
            let mut rule = rules.pattern(name, 1);
            let op = rule.op("t.a").matched();
            rule.constraint("absent", [op]);
            rule.constraint("other", [Arg::Of(op), Arg::Int(1)]);
            rule.finish().expect("a good rule");
        }
        let natives = Natives::new().constraint("other", |_: &Mock, _: arg::Value<Mock>| true);
        let found = ReferenceMatcher::new(&rules, &mut ir, &natives).err().expect("two natives are missing");
        let text: Vec<_> = found.iter().map(|d| (d.message.as_str(), d.help[0].as_str())).collect();
        assert_eq!(
            text,
            [
                ("native constraint 'absent' is not registered", "register it as (operation)"),
                ("native constraint 'other' is registered as (value)", "register it as (operation, integer)")
            ]
        );
    }
}
