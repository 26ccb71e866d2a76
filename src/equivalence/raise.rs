//! Reconstructs the rules of a compiled program, for the generation of IR.
//!
//! Specification: the match part of a reconstructed rule has the predicates that the program keeps for `explain`,
//! except those that the rule form cannot express. The rewrite part has only the constants, the created operations and
//! the replacements. One call of a native stands for all other steps that compute locals.
//!
//! The rule set has copies of the program's strings, operation definitions and snippets. It serves only to generate IR;
//! matching uses the program itself.
//!
//! Method: each class of equal positions becomes one node. Positions are visited in the order of their ids, so that a
//! position comes after its parent.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::bytecode::{Instruction, Program, SourceRef, SourceWord, decode, read};
use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::matcher_tree::{
    Answer, ConstantId, ConstantListId, GroupSize, Guard, Position, PositionId, Question, Side, SplitId,
};
use crate::pdl::{
    Arg, AttrEdge, Call, Callee, Constant, CreateOp, GroupSplit, LocalId, LocationSpec, MatchPart, Node,
    NodeId, OperandGroup, OperationNode, Pattern, PatternId, Presence, Replacement, ResultTypes, RewritePart,
    RuleSet, Source, Step, ValueSource,
};
use crate::source::Span;

/// The maximum number of operands or results that a reconstructed rule lists for one operation.
const MAX_LISTED: u32 = 1 << 16;

/// The native that stands for all other steps that compute locals, so that the rules verify.
const OTHER_STEPS: &str = "drrvm.other_steps";

/// Returns the rules of a program without those in `left_out`.
///
/// ```
/// use drrvm::{RuleSet, pdl};
/// let mut rules = RuleSet::default();
/// let mut rule = rules.pattern("swap", 1);
/// let (a, b) = (rule.value(), rule.value());
/// let root = rule.op("t.add").operand(a).operand(b).matched();
/// let swapped = rule.create("t.add").operand(b).operand(a).created();
/// rule.replace_by_op(root, swapped);
/// let swap = rule.finish()?;
/// let program = drrvm::compile::program(&rules)?;
/// let raised = drrvm::equivalence::raise(&program, &[]);
/// assert_eq!(raised.patterns().len(), 1);
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub fn raise(program: &Program, left_out: &[PatternId]) -> RuleSet {
    let mut rules = RuleSet {
        strings: program.strings().clone(),
        ops: program.ops().clone(),
        snippets: program.snippets().clone(),
        patterns: IdVec::default(),
    };
    for id in program.patterns().ids().filter(|id| !left_out.contains(id)) {
        let mut raiser = Raiser::new(program, id);
        let (roots, constraints) = raiser.match_part();
        let mut steps = raiser.steps();
        let mut matcher = raiser.nodes;
        matcher.roots = roots;
        matcher.constraints = constraints;
        let locals: IdVec<LocalId, Kind> = program.locals(id).iter().copied().collect();
        let is_left_out = |local: &LocalId| !steps.iter().any(|step| step.defined_locals().contains(local));
        let others: Vec<LocalId> = locals.ids().filter(is_left_out).collect();
        if !others.is_empty() {
            let callee = Callee::Native(rules.strings.intern(OTHER_STEPS));
            steps.insert(0, Step::Call { callee, args: Vec::new(), to: others, span: Span::NONE });
        }
        rules.patterns.push(Pattern {
            name: rules.strings.intern(program.pattern_name(id)),
            labels: Vec::new(),
            benefit: program.patterns()[id].benefit,
            choice: None,
            recursive: program.patterns()[id].recursive,
            origin: program.pattern_debug(id).origin,
            matcher,
            rewrite: RewritePart { steps, locals, located: Vec::new() },
        });
    }
    rules
}

/// A rule under reconstruction.
struct Raiser<'p> {
    program: &'p Program,
    rule: PatternId,
    /// A union-find forest over the positions that the rule uses and those on the paths to them. A position maps to
    /// itself, or to an earlier position that the rule requires to be equal.
    same: BTreeMap<PositionId, PositionId>,
    /// The ids of the positions in `same`.
    ids: HashMap<Position, PositionId>,
    /// The two operands of each `either`, in source order.
    either: BTreeMap<u32, [PositionId; 2]>,
    /// For each operand of an `either`, the `Position::Either` that replaces this operand in the rule's predicates.
    chosen: HashMap<PositionId, PositionId>,
    nodes: MatchPart,
    /// The node of each class of equal positions, by its representative.
    node_of: HashMap<PositionId, NodeId>,
}

impl<'p> Raiser<'p> {
    fn new(program: &'p Program, rule: PatternId) -> Self {
        let mut raiser = Self {
            program,
            rule,
            same: BTreeMap::new(),
            ids: HashMap::new(),
            either: BTreeMap::new(),
            chosen: HashMap::new(),
            nodes: MatchPart::default(),
            node_of: HashMap::new(),
        };
        let mut left: Vec<PositionId> = program.bindings(rule).to_vec();
        for asked in &program.pattern_debug(rule).steps {
            match asked.step {
                Guard::Test { question, .. } => {
                    left.extend(program.predicates[question].positions());
                }
                Guard::EachUser { value, place, .. } => left.extend([value, place]),
                Guard::Call { call, .. } => {
                    left.extend(program.predicates.calls()[call].args.iter().filter_map(Arg::taken));
                }
                Guard::Either { .. } => {}
            }
        }
        while let Some(at) = left.pop() {
            if raiser.same.insert(at, at).is_some() {
                continue;
            }
            raiser.ids.insert(program.positions[at], at);
            left.extend(program.positions.parent(at));
            if let Position::Either { choice, first, second } = program.positions[at] {
                left.extend([first, second]);
                raiser.either.insert(choice, [first.min(second), first.max(second)]);
                raiser.chosen.insert(first, at);
            }
        }
        for asked in &program.pattern_debug(rule).steps {
            match asked.step {
                Guard::Test { question, answer: Answer::YES, .. } => {
                    if let Question::Same(a, b) = program.predicates[question] {
                        raiser.unite(a, b);
                    }
                }
                Guard::EachUser { value, place, .. } => raiser.unite(value, place),
                _ => {}
            }
        }
        raiser
    }

    /// The representative of the class of equal positions.
    fn representative(&self, mut at: PositionId) -> PositionId {
        while let Some(&next) = self.same.get(&at).filter(|&&next| next != at) {
            at = next;
        }
        at
    }

    fn unite(&mut self, a: PositionId, b: PositionId) {
        let (a, b) = (self.representative(a), self.representative(b));
        self.same.insert(a.max(b), a.min(b));
    }

    fn id(&self, position: Position) -> Option<PositionId> {
        self.ids.get(&position).copied()
    }

    /// The node of a position.
    fn node(&mut self, at: PositionId) -> NodeId {
        let first = self.representative(at);
        if let Some(&node) = self.node_of.get(&first) {
            return node;
        }
        let node = match self.program.positions.kind(first) {
            _ if matches!(self.program.positions[first], Position::CallResult { .. }) => {
                Node::Bound { kind: self.program.positions.kind(first) }
            }
            Kind::Op => Node::Operation(OperationNode::default()),
            Kind::Value => Node::Value { ty: None, source: None },
            Kind::Values => Node::Values { types: None, source: None },
            Kind::Attr => Node::Attribute { value: None, ty: None },
            Kind::Type => Node::Type { value: None },
            Kind::Types => Node::Types { values: None },
            kind => Node::Bound { kind },
        };
        let node = self.nodes.push(node, Span::NONE);
        self.node_of.insert(first, node);
        node
    }

    fn op(&mut self, at: PositionId) -> Option<&mut OperationNode> {
        let node = self.node(at);
        match &mut self.nodes[node] {
            Node::Operation(op) => Some(op),
            _ => None,
        }
    }

    /// Creates all nodes, and returns the roots and the constraints.
    fn match_part(&mut self) -> (Vec<NodeId>, Vec<Call>) {
        let program = self.program;
        let positions: Vec<PositionId> = self.same.keys().copied().collect();
        for &at in &positions {
            self.structure(at);
        }
        let mut listed: BTreeMap<(PositionId, Side), Division> = BTreeMap::new();
        let mut constraints = Vec::new();
        for asked in &program.pattern_debug(self.rule).steps {
            match asked.step {
                Guard::Test { question, answer, .. } => match program.predicates[question] {
                    Question::Count { op, side } if answer.0 <= MAX_LISTED => {
                        listed.insert((op, side), Division::Count(answer.0));
                    }
                    Question::Fits { op, side, split } if !program.positions.split(split).partial => {
                        listed.entry((op, side)).or_insert(Division::Split(split));
                    }
                    Question::Holds(snippet, at) => constraints.push(Call {
                        callee: Callee::Snippet(snippet),
                        args: vec![Arg::Of(self.node(at))],
                        results: Vec::new(),
                        negated: answer == Answer::NO,
                        span: Span::NONE,
                    }),
                    question => self.apply_answer(question, answer),
                },
                Guard::Call { call: id, negated } => {
                    let call = &program.predicates.calls()[id];
                    let args = call.args.iter().map(|arg| match *arg {
                        Arg::Of(at) => Arg::Of(self.node(at)),
                        Arg::Each(at) => Arg::Each(self.node(at)),
                        Arg::Attr(constant) => Arg::Attr(constant),
                        Arg::Type(constant) => Arg::Type(constant),
                        Arg::Int(number) => Arg::Int(number),
                        Arg::Bool(truth) => Arg::Bool(truth),
                        Arg::Str(text) => Arg::Str(text),
                    });
                    let args = args.collect();
                    let results = (0..).zip(&call.results).map(|(index, &kind)| {
                        match self.id(Position::CallResult { call: id, index, kind }) {
                            Some(at) => self.node(at),
                            None => self.nodes.push(Node::Bound { kind }, Span::NONE),
                        }
                    });
                    let results = results.collect();
                    constraints.push(Call { callee: call.callee, args, results, negated, span: Span::NONE });
                }
                Guard::EachUser { .. } | Guard::Either { .. } => {}
            }
        }
        // A slice divides the operands or results of its operation, even if no test states a count or a split.
        for &at in &positions {
            if let Position::Slice { op, side, split, .. } = program.positions[at]
                && !program.positions.split(split).partial
            {
                listed.entry((op, side)).or_insert(Division::Split(split));
            }
        }
        for ((op, side), division) in listed {
            match side {
                Side::Operands => self.list_operands(op, division),
                Side::Results => self.list_results(op, division),
            }
        }
        let mut roots = Vec::new();
        for &at in &positions {
            if matches!(program.positions[at], Position::Root | Position::User { .. }) {
                roots.push((program.positions[at] != Position::Root, self.node(at)));
            }
        }
        if roots.is_empty() {
            roots.push((false, self.nodes.push(Node::Operation(OperationNode::default()), Span::NONE)));
        }
        roots.sort_unstable();
        if let Node::Operation(root) = &mut self.nodes[roots[0].1] {
            root.name = program.pattern_debug(self.rule).root;
        }
        (roots.into_iter().map(|(_, root)| root).collect(), constraints)
    }

    /// Sets the node properties that follow from the position itself.
    fn structure(&mut self, at: PositionId) {
        let program = self.program;
        match program.positions[at] {
            Position::DefiningOp(value) => {
                let (op, value) = (self.node(at), self.node(value));
                match &mut self.nodes[value] {
                    Node::Value { source, .. } => {
                        source.get_or_insert(ValueSource::DefinedBy { op });
                    }
                    Node::Values { source, .. } => {
                        source.get_or_insert(ValueSource::Results { op, group: None });
                    }
                    _ => {}
                }
            }
            Position::Result { op, index } => {
                let op = self.node(op);
                self.set_source(at, ValueSource::Result { op, index });
            }
            Position::Slice { op, side: Side::Results, split, group } => {
                let groups = &program.positions.split(split).groups;
                if groups.get(group as usize) != Some(&GroupSize::Exactly(1)) {
                    let op = self.node(op);
                    let group = (groups[..] != [GroupSize::Any]).then_some(group);
                    self.set_source(at, ValueSource::Results { op, group });
                }
            }
            Position::Element { range, index: 0 } => {
                if let Position::Slice { op, side: Side::Results, group, .. } = program.positions[range] {
                    let op = self.node(op);
                    self.set_source(at, ValueSource::Results { op, group: Some(group) });
                }
            }
            Position::Attribute { op, name, storage, default } => {
                let presence = match default {
                    Some(constant) => Presence::Default(self.constant(constant)),
                    None => Presence::Optional,
                };
                let node = self.node(at);
                if let Some(op) = self.op(op) {
                    op.attributes.push(AttrEdge { name, node, presence, storage });
                }
            }
            Position::TypeOf(of) => {
                let (of, node) = (self.node(of), self.node(at));
                if let Node::Value { ty, .. } | Node::Values { types: ty, .. } = &mut self.nodes[of] {
                    *ty = Some(node);
                }
            }
            Position::AttrType(of) => {
                let (of, node) = (self.node(of), self.node(at));
                if let Node::Attribute { ty, .. } = &mut self.nodes[of] {
                    *ty = Some(node);
                }
            }
            Position::Constant(constant) => {
                let constant = self.constant(constant);
                self.set_constant(at, constant);
            }
            Position::Constants(list) => self.set_constants(at, list),
            _ => {}
        }
    }

    /// Sets the source of a value or range. This source takes precedence over a source from `Position::DefiningOp`.
    fn set_source(&mut self, at: PositionId, from: ValueSource) {
        let node = self.node(at);
        if let Node::Value { source, .. } | Node::Values { source, .. } = &mut self.nodes[node] {
            *source = Some(from);
        }
    }

    fn constant(&self, constant: ConstantId) -> Constant {
        self.program.positions.constants()[constant].1
    }

    fn set_constant(&mut self, at: PositionId, constant: Constant) {
        let node = self.node(at);
        if let Node::Attribute { value, .. } | Node::Type { value } = &mut self.nodes[node] {
            *value = Some(constant);
        }
        self.set_required(at);
    }

    /// Sets the types of a type range.
    fn set_constants(&mut self, at: PositionId, list: ConstantListId) {
        let all = self.program.positions.list(list).iter().map(|&constant| self.constant(constant)).collect();
        let node = self.node(at);
        if let Node::Types { values } = &mut self.nodes[node] {
            *values = Some(all);
        }
    }

    /// Makes an attribute required.
    fn set_required(&mut self, at: PositionId) {
        let Position::Attribute { op, name, .. } = self.program.positions[at] else { return };
        let edges = self.op(op).map(|op| &mut op.attributes[..]).unwrap_or_default();
        for edge in edges.iter_mut().filter(|edge| edge.name == name) {
            if edge.presence == Presence::Optional {
                edge.presence = Presence::Required;
            }
        }
    }

    /// Sets the node property that follows from the answer to a question.
    fn apply_answer(&mut self, question: Question, answer: Answer) {
        match question {
            Question::Name(at) => {
                if let Some(op) = self.op(at) {
                    op.name = Some(StrId::from_raw(answer.0));
                }
            }
            Question::Present(at) if answer == Answer::YES => self.set_required(at),
            Question::Constant(at) => {
                let constant = self.constant(ConstantId::from_raw(answer.0));
                self.set_constant(at, constant);
            }
            Question::Is(at, constant) if answer == Answer::YES => {
                let constant = self.constant(constant);
                self.set_constant(at, constant);
            }
            Question::Are(at, list) if answer == Answer::YES => self.set_constants(at, list),
            _ => {}
        }
    }

    /// The groups into which operands or results are divided.
    fn groups(&self, op: PositionId, side: Side, division: Division) -> Vec<Group> {
        let (sizes, starts, split): (_, Vec<Option<u32>>, _) = match division {
            Division::Count(count) => {
                (vec![GroupSize::Exactly(1); count as usize], (0..count).map(Some).collect(), None)
            }
            Division::Split(id) => {
                let split = self.program.positions.split(id);
                (split.groups.clone(), split.fixed_starts().collect(), Some(id))
            }
        };
        let mut groups = Vec::with_capacity(sizes.len());
        for ((group, size), start) in (0u32..).zip(sizes).zip(starts) {
            let slice = split.and_then(|split| self.id(Position::Slice { op, side, split, group }));
            let count = match size {
                GroupSize::Exactly(count) => count.min(MAX_LISTED),
                GroupSize::Optional => 1,
                GroupSize::Any => 0,
            };
            // If the groups before this one have fixed sizes, a position can state the index of a value in the
            // operation. In all other cases, the position is an element of the group.
            let part = |at: u32| {
                let direct = start.and_then(|start| start.checked_add(at)).and_then(|index| {
                    self.id(match side {
                        Side::Operands => Position::Operand { op, index },
                        Side::Results => Position::Result { op, index },
                    })
                });
                direct.or_else(|| self.id(Position::Element { range: slice?, index: at }))
            };
            groups.push(Group { size, slice, parts: (0..count).map(part).collect() });
        }
        groups
    }

    fn list_operands(&mut self, op: PositionId, division: Division) {
        let groups = self.groups(op, Side::Operands, division);
        let mut places: HashMap<PositionId, u32> = HashMap::new();
        for (index, group) in (0u32..).zip(&groups) {
            if let (GroupSize::Exactly(1), [Some(place)]) = (group.size, &group.parts[..]) {
                places.insert(*place, index);
            }
        }
        let pair = |[a, b]: &[PositionId; 2]| Some((*places.get(a)?, *places.get(b)?));
        let either: Vec<(u32, u32)> = self.either.values().filter_map(pair).collect();
        let mut operands = Vec::with_capacity(groups.len());
        for Group { size, slice, parts } in groups {
            let mut parts = parts.into_iter().map(|part| match part {
                Some(at) => self.node(self.chosen.get(&at).copied().unwrap_or(at)),
                None => self.nodes.push(Node::Value { ty: None, source: None }, Span::NONE),
            });
            let one = parts.next();
            operands.push(match (size, one) {
                (GroupSize::Exactly(1), Some(one)) => OperandGroup::One(one),
                (GroupSize::Optional, Some(one)) => OperandGroup::Optional(one),
                (GroupSize::Exactly(_), _) => OperandGroup::List(one.into_iter().chain(parts).collect()),
                _ => slice.map_or(OperandGroup::Any, |slice| OperandGroup::Range(self.node(slice))),
            });
        }
        let split = self.group_split(division);
        if let Some(op) = self.op(op) {
            (op.operands, op.operand_split, op.either) = (Some(operands), split, either);
        }
    }

    fn list_results(&mut self, op: PositionId, division: Division) {
        let mut results = Vec::new();
        for Group { size, slice, parts } in self.groups(op, Side::Results, division) {
            let types = |raiser: &Self, of: Option<PositionId>| raiser.id(Position::TypeOf(of?));
            if size == GroupSize::Any {
                results.push(match types(self, slice) {
                    Some(at) => self.node(at),
                    None => self.nodes.push(Node::Types { values: None }, Span::NONE),
                });
            }
            for part in parts {
                results.push(match types(self, part) {
                    Some(at) => self.node(at),
                    None => self.nodes.push(Node::Type { value: None }, Span::NONE),
                });
            }
        }
        let split = self.group_split(division);
        if let Some(op) = self.op(op) {
            (op.results, op.result_split) = (Some(results), split);
        }
    }

    fn group_split(&self, division: Division) -> GroupSplit {
        match division {
            Division::Count(_) => GroupSplit::Rest,
            Division::Split(split) => self.program.positions.split(split).rule,
        }
    }

    /// The constants, the created operations and the replacements of the rewrite.
    fn steps(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        let code = self.program.code();
        let mut at = self.program.patterns()[self.rule].rewrite;
        while let Some(decoded) = decode(code, at) {
            at = decoded.end;
            match decoded.instruction() {
                Instruction::Done(_) => break,
                Instruction::MakeConstant(read::MakeConstant { value, to }) => {
                    let (kind, value) = self.program.positions.constants()[value];
                    steps.push(match kind {
                        Kind::Type => Step::Type { value, to },
                        _ => Step::Attr { value, to },
                    });
                }
                Instruction::Create(create) => {
                    let tail = create.tail;
                    let attributes = tail.attributes(code);
                    let attributes = attributes
                        .map(|(name, value, inherent)| (name, self.source(value), inherent))
                        .collect();
                    let [operands, results] = [tail.operands, tail.result_types]
                        .map(|sources| sources.sources(code).map(|source| self.source(source)).collect());
                    steps.push(Step::Create(CreateOp {
                        name: self.program.op_names[create.name],
                        operands,
                        operand_segments: (create.segments & 1 != 0).then_some(create.operand_segments),
                        attributes,
                        results: if create.inferred {
                            ResultTypes::Inferred
                        } else {
                            ResultTypes::Listed(results)
                        },
                        result_segments: (create.segments & 2 != 0).then_some(create.result_segments),
                        regions: create.regions,
                        location: LocationSpec::Fused { of: Vec::new(), metadata: None },
                        to: create.to,
                        span: Span::NONE,
                    }));
                }
                Instruction::Replace(read::Replace { op, tail }) => {
                    let with = tail.sources(code).map(|source| self.source(source)).collect();
                    steps.push(Step::Replace { op: self.source(op), with: Replacement::Values(with) });
                }
                Instruction::ReplaceByOp(read::ReplaceByOp { op, by }) => {
                    let with = Replacement::Op(self.source(by));
                    steps.push(Step::Replace { op: self.source(op), with });
                }
                _ => {}
            }
        }
        steps
    }

    fn source(&mut self, source: SourceWord) -> Source {
        match source.get() {
            SourceRef::Matched(at) => Source::Matched(self.node(at)),
            SourceRef::Local(local) => Source::Local(local),
        }
    }
}

/// The division of operands or results into groups.
#[derive(Clone, Copy)]
enum Division {
    Count(u32),
    Split(SplitId),
}

/// A group of operands or results, with the positions that the rule uses.
struct Group {
    size: GroupSize,
    slice: Option<PositionId>,
    parts: Vec<Option<PositionId>>,
}
