//! Lowers the match part of a rule to a [`Row`].
//!
//! Tests depend on the root alone and go into the tree. If the tests before a test hold, the operations on the paths of
//! the test exist and have the operands or results that the paths take. Guards run at the leaf of their rule. They are
//! choices (users, `either`), constraint calls, questions that depend on a choice or a call, and questions about the
//! presence of a constant in the host. A call of a pure snippet over one type or attribute is lowered to a question.
//!
//! If a node is reached several times, each further position is compared with the first. A test is omitted if an
//! earlier test implies it. For example, the name of an operation implies that the operation is present, and a constant
//! implies that its attribute is present. If an operation has only one result, a value that the operation defines is
//! this result, so the value is not compared with the result.

use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::{Interner, StrId};
use crate::pdl::{
    Arg, Call, Callee, Climb, Constant, GroupSplit, MatchPart, Node, NodeId, OperandGroup, OperationNode,
    Pattern, PatternId, Presence, RuleSet, ValueSource, is_plain,
};
use crate::source::{Diagnostic, Span};

use super::error;
use super::position::{ConstantId, GroupSize, Position, PositionId, Positions, Side, Split, SplitId};
use super::predicate::{Answer, ConstraintCall, Predicates, Question, QuestionId};
use super::row::{Guard, Row, RowStep, Test};

/// Lowers one verified rule. The tests of the row are in batches of `batch` tests; `batch` is at most [`Row::BATCH`].
///
/// # Errors
/// The rule has no root, is nested too deeply, has too many operands, or refers to an entity or a result group that the
/// match cannot reach; `error.rs` lists the errors.
pub(super) fn lower(
    rules: &RuleSet,
    id: PatternId,
    batch: usize,
    positions: &mut Positions,
    predicates: &mut Predicates,
) -> Result<Row, Diagnostic> {
    let pattern = &rules.patterns[id];
    let part = &pattern.matcher;
    let mut lowering = Lowering {
        rules,
        pattern,
        part,
        batch,
        positions,
        predicates,
        tests: Vec::new(),
        guards: Vec::new(),
        steps: Vec::new(),
        bindings: IdVec::from_iter(part.iter().map(|_| None)),
        results_of: part.results_by_op(),
        worklist: Vec::new(),
        next: Vec::new(),
        choices: 0,
    };
    let root = lowering.run()?;
    let Lowering { tests, guards, steps, bindings, .. } = lowering;
    let bound = bindings.iter_enumerated().map(|(node, position)| {
        position.ok_or_else(|| error::unreachable_node(&rules.strings[pattern.name], part, node))
    });
    let bindings = bound.collect::<Lowered<_>>()?;
    Ok(Row { pattern: id, root, tests, guards, steps, bindings })
}

/// An entry of the worklist. Entries are processed depth-first, in the order in which the nodes are written.
enum Work {
    /// Binds a node to a position.
    Visit(NodeId, PositionId),
    /// Requires that the value at a position is this result of the operation that defines the value.
    CheckResult { value: NodeId, at: PositionId, op: NodeId, index: u32 },
}

/// A list of operands or results with its groups.
struct Division {
    split: Split,
    id: Option<SplitId>,
    /// The start index of each group and the end of the last group. An index is `None` if it depends on the operation,
    /// and all are `None` if [`Split::rule`] is not [`GroupSplit::Rest`].
    starts: Vec<Option<u32>>,
}

impl Division {
    fn new(split: Split) -> Self {
        let counted = split.rule == GroupSplit::Rest;
        let starts = split.fixed_starts().map(|start| start.filter(|_| counted)).collect();
        Self { split, id: None, starts }
    }

    fn id(&mut self, positions: &mut Positions) -> SplitId {
        *self.id.get_or_insert_with(|| positions.intern_split(&self.split))
    }
}

struct Lowering<'a> {
    rules: &'a RuleSet,
    pattern: &'a Pattern,
    part: &'a MatchPart,
    batch: usize,
    positions: &'a mut Positions,
    predicates: &'a mut Predicates,
    tests: Vec<Test>,
    guards: Vec<Guard>,
    steps: Vec<RowStep>,
    bindings: IdVec<NodeId, Option<PositionId>>,
    /// For each operation node, the value nodes that are its results.
    results_of: IdVec<NodeId, Vec<NodeId>>,
    worklist: Vec<Work>,
    /// The entries that the current node adds to the worklist.
    next: Vec<Work>,
    choices: u32,
}

/// The limit on the index of a result group if the rule does not list the results of the operation.
const MAX_UNLISTED: u32 = 1 << 16;

type Lowered<T> = Result<T, Diagnostic>;

impl Lowering<'_> {
    fn strings(&self) -> &Interner {
        &self.rules.strings
    }

    fn run(&mut self) -> Lowered<Option<StrId>> {
        let name = &self.rules.strings[self.pattern.name];
        let Some(&anchor) = self.part.roots.first() else {
            return Err(error::no_root(name, self.pattern.origin));
        };
        let Node::Operation(root) = &self.part[anchor] else {
            return Err(error::no_root(name, self.pattern.origin));
        };
        let root_position = self.intern(anchor, Position::Root)?;
        self.visit(anchor, root_position)?;
        for climb in self.part.climbs() {
            self.climb(climb)?;
        }
        for node in self.part.ids() {
            self.bind_constant(node)?;
        }
        for call in &self.part.constraints {
            self.call(call)?;
        }
        Ok(root.name)
    }

    fn intern(&mut self, node: NodeId, position: Position) -> Lowered<PositionId> {
        self.positions
            .intern(position)
            .ok_or_else(|| error::too_deep(&self.rules.strings[self.pattern.name], self.part.span(node)))
    }

    /// Requires an answer, unless an earlier test implies it.
    fn test(&mut self, node: NodeId, question: Question, answer: Answer) {
        self.test_at(node, question, answer, self.part.span(node));
    }

    fn test_at(&mut self, node: NodeId, question: Question, answer: Answer, span: Span) {
        let is_guard = question.positions().any(|p| self.positions.is_late(p));
        let question = self.predicates.intern(question);
        let step = Guard::Test { question, answer, node };
        if is_guard {
            self.guard(step, span);
            return;
        }
        let implied = self.tests.iter().any(|t| {
            self.predicates.are_related(t.question, question)
                && self.predicates.follows(self.positions, (t.question, t.answer, true), (question, answer))
                    == Some(true)
        });
        if !implied {
            let after = self.tests_before(question);
            self.tests.push(Test { question, answer, node, after });
            self.steps.push(RowStep { step, is_guard: false, span });
        }
    }

    fn guard(&mut self, step: Guard, span: Span) {
        self.guards.push(step);
        self.steps.push(RowStep { step, is_guard: true, span });
    }

    /// The tests that must hold before a question can be asked, among the tests of the batch to which the question is
    /// added. They ensure that the operations on the question's paths exist and have the operands or results that the
    /// paths take.
    fn tests_before(&self, question: QuestionId) -> u64 {
        let asked = self.predicates[question];
        let asked_op = match asked {
            Question::Name(p) | Question::Present(p) => Some(p),
            _ => None,
        };
        let paths = asked.positions();
        paths.fold(0, |after, position| after | self.tests_before_path(position, asked_op))
    }

    fn tests_before_path(&self, position: PositionId, asked_op: Option<PositionId>) -> u64 {
        let mut after = 0;
        let batch = &self.tests[self.tests.len() / self.batch * self.batch..];
        let mut next = Some(position);
        while let Some(position) = next {
            let (wants, side) = match self.positions[position] {
                Position::Operand { op, .. } => (Some(op), Some(Side::Operands)),
                Position::Result { op, .. } => (Some(op), Some(Side::Results)),
                Position::Slice { op, side, .. } => (Some(op), Some(side)),
                Position::DefiningOp(_) if asked_op != Some(position) => (Some(position), None),
                _ => (None, None),
            };
            if let Some(op) = wants {
                for (i, test) in batch.iter().enumerate() {
                    let needed = match self.predicates[test.question] {
                        Question::Name(p) | Question::Present(p) => p == op,
                        Question::Count { op: o, side: s } | Question::Fits { op: o, side: s, .. } => {
                            o == op && Some(s) == side
                        }
                        _ => false,
                    };
                    if needed {
                        after |= 1 << i;
                    }
                }
            }
            next = self.positions.parent(position);
        }
        after
    }

    fn visit(&mut self, node: NodeId, position: PositionId) -> Lowered<()> {
        let base = self.worklist.len();
        self.worklist.push(Work::Visit(node, position));
        while self.worklist.len() > base {
            match self.worklist.pop() {
                Some(Work::Visit(node, position)) => self.visit_one(node, position)?,
                Some(Work::CheckResult { value, at, op, index }) => {
                    self.check_result(value, at, op, index)?
                }
                None => break,
            }
        }
        Ok(())
    }

    fn visit_one(&mut self, node: NodeId, position: PositionId) -> Lowered<()> {
        if let Some(first) = self.bindings[node] {
            if first != position {
                let (a, b) = (first.min(position), first.max(position));
                self.test(node, Question::Same(a, b), Answer::YES);
            }
            return Ok(());
        }
        self.bindings[node] = Some(position);
        let mut next = std::mem::take(&mut self.next);
        let part = self.part;
        match &part[node] {
            Node::Operation(op) => self.visit_operation(node, op, position, &mut next)?,
            Node::Value { ty, source } => {
                if let Some(ty) = ty {
                    let at = self.intern(node, Position::TypeOf(position))?;
                    if self.may_be_null(position) {
                        self.test(node, Question::Present(position), Answer::YES);
                    }
                    next.push(Work::Visit(*ty, at));
                }
                if let Some(source) = source {
                    self.visit_source(node, *source, position, &mut next)?;
                }
            }
            Node::Values { types, source } => {
                if let Some(types) = types {
                    let at = self.intern(node, Position::TypeOf(position))?;
                    next.push(Work::Visit(*types, at));
                }
                if let Some(source) = source {
                    self.visit_source(node, *source, position, &mut next)?;
                }
            }
            Node::Attribute { value, ty } => {
                if let Some(value) = value {
                    self.require_constant(node, Kind::Attr, position, *value);
                }
                if let Some(ty) = ty {
                    let at = self.intern(node, Position::AttrType(position))?;
                    self.test(node, Question::Present(at), Answer::YES);
                    next.push(Work::Visit(*ty, at));
                }
            }
            Node::Type { value } => {
                if let Some(value) = value {
                    self.require_constant(node, Kind::Type, position, *value);
                }
            }
            Node::Types { values } => {
                if let Some(values) = values {
                    let list =
                        values.iter().map(|&v| self.positions.intern_constant(Kind::Type, v)).collect();
                    let list = self.positions.intern_list(list);
                    self.test(node, Question::Are(position, list), Answer::YES);
                }
            }
            Node::Bound { .. } => {}
        }
        self.worklist.extend(next.drain(..).rev());
        self.next = next;
        Ok(())
    }

    /// True if the value at a position can be null even if its operation has the required numbers of operands and
    /// results.
    fn may_be_null(&self, position: PositionId) -> bool {
        !matches!(
            self.positions[position],
            Position::Operand { .. } | Position::Result { .. } | Position::Either { .. }
        )
    }

    fn require_constant(&mut self, node: NodeId, kind: Kind, position: PositionId, value: Constant) {
        let constant = self.positions.intern_constant(kind, value);
        let plain = matches!(value, Constant::Text(text) if is_plain(kind, &self.strings()[text]));
        if plain {
            self.test(node, Question::Constant(position), Answer(constant.raw()));
        } else {
            self.test(node, Question::Is(position, constant), Answer::YES);
        }
    }

    fn visit_operation(
        &mut self,
        node: NodeId,
        op: &OperationNode,
        position: PositionId,
        next: &mut Vec<Work>,
    ) -> Lowered<()> {
        if self.positions[position] != Position::Root {
            match op.name {
                Some(name) => self.test(node, Question::Name(position), Answer(name.raw())),
                None => self.test(node, Question::Present(position), Answer::YES),
            }
        }
        if let Some(groups) = &op.operands {
            self.visit_operands(node, op, groups, position, next)?;
        }
        for edge in &op.attributes {
            let default = match edge.presence {
                Presence::Default(value) => Some(self.positions.intern_constant(Kind::Attr, value)),
                Presence::Required | Presence::Optional => None,
            };
            let attribute =
                Position::Attribute { op: position, name: edge.name, storage: edge.storage, default };
            let at = self.intern(node, attribute)?;
            // Equality with a constant implies presence.
            let constant = matches!(&self.part[edge.node], Node::Attribute { value: Some(_), .. });
            let first = self.bindings[edge.node].is_none();
            if edge.presence == Presence::Required && !(constant && first) {
                self.test(edge.node, Question::Present(at), Answer::YES);
            }
            next.push(Work::Visit(edge.node, at));
        }
        if let Some(results) = &op.results {
            let groups = results.iter().map(|&r| match self.part[r] {
                Node::Types { .. } => GroupSize::Any,
                _ => GroupSize::Exactly(1),
            });
            let split = Split { groups: groups.collect(), rule: op.result_split, partial: false };
            let mut division = self.divide(node, position, Side::Results, split);
            for (i, &ty) in results.iter().enumerate() {
                let values = self.group(node, position, Side::Results, &mut division, i)?;
                let at = self.intern(node, Position::TypeOf(values))?;
                next.push(Work::Visit(ty, at));
            }
        }
        for id in std::mem::take(&mut self.results_of[node]) {
            if self.bindings[id].is_some() {
                continue;
            }
            let at = match self.part[id] {
                Node::Value { source: Some(ValueSource::Results { group, .. }), .. }
                | Node::Values { source: Some(ValueSource::Results { group, .. }), .. } => {
                    self.results(id, op, position, group)?
                }
                Node::Value { source: Some(ValueSource::Result { index, .. }), .. } => {
                    let at = self.intern(id, Position::Result { op: position, index })?;
                    if single_results(self.part, op).is_none_or(|n| index >= n) {
                        self.test(id, Question::Present(at), Answer::YES);
                    }
                    at
                }
                _ => continue,
            };
            next.push(Work::Visit(id, at));
        }
        Ok(())
    }

    fn visit_operands(
        &mut self,
        node: NodeId,
        op: &OperationNode,
        groups: &[OperandGroup],
        position: PositionId,
        next: &mut Vec<Work>,
    ) -> Lowered<()> {
        let split = self.operand_groups(node, op, groups)?;
        let mut division = self.divide(node, position, Side::Operands, split);
        let mut group_positions = Vec::with_capacity(groups.len());
        for (i, group) in groups.iter().enumerate() {
            group_positions.push(match group {
                OperandGroup::Any => None,
                _ => Some(self.group(node, position, Side::Operands, &mut division, i)?),
            });
        }
        for &(a, b) in &op.either {
            let (Some(&Some(first)), Some(&Some(second))) =
                (group_positions.get(a as usize), group_positions.get(b as usize))
            else {
                continue;
            };
            let choice = self.new_choice();
            self.guard(Guard::Either { choice }, self.part.span(node));
            group_positions[a as usize] =
                Some(self.intern(node, Position::Either { choice, first, second })?);
            group_positions[b as usize] =
                Some(self.intern(node, Position::Either { choice, first: second, second: first })?);
        }
        for ((group, at), start) in groups.iter().zip(group_positions).zip(division.starts) {
            let Some(whole) = at else { continue };
            match group {
                OperandGroup::One(value) => next.push(Work::Visit(*value, whole)),
                OperandGroup::Optional(value) => {
                    let at = self.intern(node, Position::Element { range: whole, index: 0 })?;
                    next.push(Work::Visit(*value, at));
                }
                OperandGroup::Range(values) => next.push(Work::Visit(*values, whole)),
                OperandGroup::List(list) => {
                    // The position of a group with one value is the position of the value.
                    if let [value] = list[..] {
                        next.push(Work::Visit(value, whole));
                        continue;
                    }
                    for (k, &value) in (0u32..).zip(list) {
                        let at = match start.and_then(|start| start.checked_add(k)) {
                            Some(index) => Position::Operand { op: position, index },
                            None => Position::Element { range: whole, index: k },
                        };
                        let at = self.intern(node, at)?;
                        next.push(Work::Visit(value, at));
                    }
                }
                OperandGroup::Any => {}
            }
        }
        Ok(())
    }

    /// The division of an operation's operands into groups.
    fn operand_groups(&self, node: NodeId, op: &OperationNode, groups: &[OperandGroup]) -> Lowered<Split> {
        let sizes = groups.iter().map(|group| {
            Ok(match group {
                OperandGroup::One(_) => GroupSize::Exactly(1),
                OperandGroup::Optional(_) => GroupSize::Optional,
                OperandGroup::Range(_) | OperandGroup::Any => GroupSize::Any,
                OperandGroup::List(list) => GroupSize::Exactly(self.narrow(node, list.len())?),
            })
        });
        Ok(Split { groups: sizes.collect::<Lowered<_>>()?, rule: op.operand_split, partial: false })
    }

    fn narrow(&self, node: NodeId, count: usize) -> Lowered<u32> {
        u32::try_from(count).map_err(|_| {
            error::too_many_operands(&self.rules.strings[self.pattern.name], self.part.span(node))
        })
    }

    /// Requires that a list can be divided into these groups.
    fn divide(&mut self, node: NodeId, op: PositionId, side: Side, split: Split) -> Division {
        let mut division = Division::new(split);
        let split = &division.split;
        match division.starts.pop().flatten() {
            Some(count) => self.test(node, Question::Count { op, side }, Answer(count)),
            None if split.always_fits() => {}
            None => {
                let split = division.id(self.positions);
                self.test(node, Question::Fits { op, side, split }, Answer::YES);
            }
        }
        division
    }

    /// The position of a group: the value if the group always has exactly one value, otherwise a range.
    fn group(
        &mut self,
        node: NodeId,
        op: PositionId,
        side: Side,
        division: &mut Division,
        group: usize,
    ) -> Lowered<PositionId> {
        let one = division.split.groups[group] == GroupSize::Exactly(1);
        if let Some(index) = division.starts[group].filter(|_| one) {
            return self.intern(
                node,
                match side {
                    Side::Operands => Position::Operand { op, index },
                    Side::Results => Position::Result { op, index },
                },
            );
        }
        let id = division.id(self.positions);
        let group = self.narrow(node, group)?;
        let slice = self.intern(node, Position::Slice { op, side, split: id, group })?;
        if one { self.intern(node, Position::Element { range: slice, index: 0 }) } else { Ok(slice) }
    }

    /// Returns the position of a result group, or of all results. If the node is a single value, requires that the
    /// group has one value.
    fn results(
        &mut self,
        node: NodeId,
        op: &OperationNode,
        position: PositionId,
        group: Option<u32>,
    ) -> Lowered<PositionId> {
        let one_or_any = |&r: &NodeId| match self.part[r] {
            Node::Types { .. } => GroupSize::Any,
            _ => GroupSize::Exactly(1),
        };
        let by_attribute = matches!(op.result_split, GroupSplit::Attribute(_));
        let listed = op.listed_results(|n| self.part[n].kind());
        let (mut groups, group, partial) = match (group, listed) {
            (None, _) => (vec![GroupSize::Any], 0, false),
            (Some(group), Some(results)) if (group as usize) < results.len() => {
                (results.iter().map(one_or_any).collect(), group, false)
            }
            // The rule does not list the results. If no attribute states the sizes of the groups, each group before
            // this one has one result.
            (Some(group), None) if group < MAX_UNLISTED => {
                let before = if by_attribute { GroupSize::Any } else { GroupSize::Exactly(1) };
                let mut groups = vec![before; group as usize];
                groups.push(GroupSize::Any);
                (groups, group, by_attribute)
            }
            (Some(_), _) => {
                return Err(error::unknown_group(
                    &self.rules.strings[self.pattern.name],
                    self.part.span(node),
                ));
            }
        };
        let rule =
            if group == 0 && groups.len() == 1 && !partial { GroupSplit::Rest } else { op.result_split };
        let one = matches!(self.part[node], Node::Value { .. });
        if one {
            groups[group as usize] = GroupSize::Exactly(1);
        }
        let split = Split { groups, rule, partial };
        if !split.always_fits() && (one || listed.is_none()) {
            let split = self.positions.intern_split(&split);
            let question = Question::Fits { op: position, side: Side::Results, split };
            self.test(node, question, Answer::YES);
        }
        let split = self.positions.intern_split(&split);
        let range = self.intern(node, Position::Slice { op: position, side: Side::Results, split, group })?;
        if one { self.intern(node, Position::Element { range, index: 0 }) } else { Ok(range) }
    }

    fn visit_source(
        &mut self,
        node: NodeId,
        source: ValueSource,
        position: PositionId,
        next: &mut Vec<Work>,
    ) -> Lowered<()> {
        let op_node = match source {
            ValueSource::Result { op, .. }
            | ValueSource::DefinedBy { op }
            | ValueSource::Results { op, .. } => op,
        };
        // False if the position of the value already goes through the operation that defines it.
        let from_user = match (source, self.positions[position]) {
            (ValueSource::Result { index, .. }, Position::Result { op, index: i }) => {
                !(index == i && self.bindings[op_node] == Some(op))
            }
            (ValueSource::Results { .. }, Position::Slice { op, side: Side::Results, .. }) => {
                self.bindings[op_node] != Some(op)
            }
            (ValueSource::Results { .. }, Position::Element { range, .. }) => {
                let of = match self.positions[range] {
                    Position::Slice { op, side: Side::Results, .. } => Some(op),
                    _ => None,
                };
                of.is_none() || self.bindings[op_node] != of
            }
            _ => true,
        };
        if !from_user {
            return Ok(());
        }
        let defining = self.intern(node, Position::DefiningOp(position))?;
        next.push(Work::Visit(op_node, defining));
        match source {
            ValueSource::Result { index, .. } => {
                next.push(Work::CheckResult { value: node, at: position, op: op_node, index });
            }
            ValueSource::DefinedBy { .. } => {}
            ValueSource::Results { group, .. } => {
                let part = self.part;
                if let Node::Operation(op) = &part[op_node] {
                    let at = self.results(node, op, defining, group)?;
                    // The second visit compares the two positions.
                    next.push(Work::Visit(node, at));
                }
            }
        }
        Ok(())
    }

    fn check_result(&mut self, value: NodeId, at: PositionId, op: NodeId, index: u32) -> Lowered<()> {
        let Node::Operation(operation) = &self.part[op] else { return Ok(()) };
        if index == 0 && single_results(self.part, operation) == Some(1) {
            return Ok(());
        }
        let defining = self.intern(value, Position::DefiningOp(at))?;
        let result = self.intern(value, Position::Result { op: defining, index })?;
        self.test(value, Question::Present(result), Answer::YES);
        let (a, b) = (at.min(result), at.max(result));
        self.test(value, Question::Same(a, b), Answer::YES);
        Ok(())
    }

    fn new_choice(&mut self) -> u32 {
        let choice = self.choices;
        self.choices += 1;
        choice
    }

    fn climb(&mut self, climb: Climb) -> Lowered<()> {
        let Some(value) = self.bindings[climb.from] else { return Ok(()) };
        let Node::Operation(op) = &self.part[climb.op] else { return Ok(()) };
        let choice = self.new_choice();
        let user = self.intern(climb.op, Position::User { choice })?;
        let (slot, step_slot) = (self.guards.len(), self.steps.len());
        self.visit(climb.op, user)?;
        // The division of the user's operands determines the position of the operand.
        let groups = op.operands.as_deref().unwrap_or_default();
        let split = self.operand_groups(climb.op, op, groups)?;
        let mut division = Division::new(split);
        let mut place = self.group(climb.op, user, Side::Operands, &mut division, climb.group as usize)?;
        if self.positions.kind(place) == Kind::Values && self.positions.kind(value) == Kind::Value {
            place = self.intern(climb.op, Position::Element { range: place, index: climb.place })?;
        }
        let step = Guard::EachUser { choice, value, place };
        self.guards.insert(slot, step);
        self.steps.insert(step_slot, RowStep { step, is_guard: true, span: self.part.span(climb.op) });
        Ok(())
    }

    /// If the node is a constant and no other node reaches it, binds it to the position of the constant.
    fn bind_constant(&mut self, node: NodeId) -> Lowered<()> {
        if self.bindings[node].is_some() {
            return Ok(());
        }
        let position = match &self.part[node] {
            Node::Attribute { value: Some(value), .. } => {
                Position::Constant(self.positions.intern_constant(Kind::Attr, *value))
            }
            Node::Type { value: Some(value) } => {
                Position::Constant(self.positions.intern_constant(Kind::Type, *value))
            }
            Node::Types { values: Some(values) } => {
                let list: Vec<ConstantId> =
                    values.iter().map(|&v| self.positions.intern_constant(Kind::Type, v)).collect();
                Position::Constants(self.positions.intern_list(list))
            }
            _ => return Ok(()),
        };
        let position = self.intern(node, position)?;
        self.bindings[node] = Some(position);
        // If the host does not have the constant, the rule cannot match.
        let question = self.predicates.intern(Question::Present(position));
        self.guard(Guard::Test { question, answer: Answer::YES, node }, self.part.span(node));
        if let Node::Attribute { ty: Some(ty), .. } = self.part[node] {
            let at = self.intern(node, Position::AttrType(position))?;
            self.test(node, Question::Present(at), Answer::YES);
            self.visit(ty, at)?;
        }
        Ok(())
    }

    fn call(&mut self, call: &Call) -> Lowered<()> {
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            args.push(match *arg {
                Arg::Of(node) => Arg::Of(self.bound(node, call.span)?),
                Arg::Each(node) => Arg::Each(self.bound(node, call.span)?),
                Arg::Attr(c) => Arg::Attr(c),
                Arg::Type(c) => Arg::Type(c),
                Arg::Int(i) => Arg::Int(i),
                Arg::Bool(b) => Arg::Bool(b),
                Arg::Str(s) => Arg::Str(s),
            });
        }
        if let (Callee::Snippet(snippet), [Arg::Of(node)], &[Arg::Of(position)], true) =
            (call.callee, &call.args[..], &args[..], call.results.is_empty())
        {
            let pure = self.rules.snippets.get(snippet).pure;
            if pure && matches!(self.positions.kind(position), Kind::Type | Kind::Attr) {
                let answer = if call.negated { Answer::NO } else { Answer::YES };
                self.test_at(*node, Question::Holds(snippet, position), answer, call.span);
                return Ok(());
            }
        }
        let chosen = args.iter().any(|arg| match arg {
            Arg::Of(p) | Arg::Each(p) => self.is_chosen(*p),
            _ => false,
        });
        let results = call.results.iter().map(|&r| self.part[r].kind()).collect::<Vec<_>>();
        let id = self.predicates.intern_call(
            ConstraintCall { callee: call.callee, args, results: results.clone(), chosen },
            call.span,
        );
        self.guard(Guard::Call { call: id, negated: call.negated }, call.span);
        for ((index, &node), kind) in (0u32..).zip(&call.results).zip(results) {
            let at = self.intern(node, Position::CallResult { call: id, index, kind })?;
            self.visit(node, at)?;
        }
        Ok(())
    }

    /// True if a position depends on a choice of this rule.
    fn is_chosen(&self, position: PositionId) -> bool {
        let mut next = Some(position);
        while let Some(position) = next {
            match self.positions[position] {
                Position::User { .. } | Position::Either { .. } => return true,
                Position::CallResult { call, .. } => return self.predicates.calls()[call].chosen,
                _ => next = self.positions.parent(position),
            }
        }
        false
    }

    fn bound(&self, node: NodeId, span: Span) -> Lowered<PositionId> {
        self.bindings[node]
            .ok_or_else(|| error::argument_unbound(&self.rules.strings[self.pattern.name], span))
    }
}

/// The number of results of an operation, if the rule lists each result separately.
fn single_results(part: &MatchPart, op: &OperationNode) -> Option<u32> {
    let results = op.results.as_ref()?;
    let single = results.iter().all(|&r| !matches!(part[r], Node::Types { .. }));
    u32::try_from(results.len()).ok().filter(|_| single)
}
