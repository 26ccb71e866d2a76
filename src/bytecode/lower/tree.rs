//! Lowers a decision DAG to match code.
//!
//! Each node becomes one instruction or a short sequence. A test falls through to the node of its answer, so straight
//! paths have no jumps. The failing node is the first instruction. Every other node is written after all its
//! predecessors, so code jumps only forward or to the first instruction, and one pass can validate it. A question about
//! the name or the presence of an operation loads the operation. The operation then stays in the register of its
//! position for all later questions.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::names::Names;
use crate::bytecode::assemble::Assembler;
use crate::bytecode::debug::Decision;
use crate::bytecode::ids::{Label, NameWord, OpNumber, Register};
use crate::bytecode::instruction::emit;
use crate::bytecode::items::{EncodedItems, ItemRule};
use crate::host::Kind;
use crate::id::{Id, IdVec};
use crate::intern::StrId;
use crate::matcher_tree::{
    self, Answer, ConstantId, Guard, Position, PositionId, Question, QuestionId, Side, Test, Tree, TreeNode,
    TreeNodeId,
};
use crate::pdl::RuleSet;

/// The failing node of a tree, which becomes the first instruction.
const FAIL: TreeNodeId = TreeNodeId::from_raw(0);

/// The match code of a tree so far.
pub(super) struct TreeCode<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) tree: &'a Tree,
    pub(super) asm: Assembler,
    /// The labels of the nodes that are written or referred to.
    pub(super) labels: IdVec<TreeNodeId, Option<Label>>,
    pub(super) registers: HashMap<PositionId, Register, FxBuildHasher>,
    pub(super) register_positions: IdVec<Register, PositionId>,
    /// The number of edges to each node from nodes that are not written yet.
    pub(super) waiting: IdVec<TreeNodeId, u32>,
    /// The nodes that can be written next, because all their predecessors are written.
    pub(super) ready: Vec<TreeNodeId>,
    /// Scratch: the successors of the current node.
    pub(super) reached: Vec<TreeNodeId>,
    pub(super) decisions: Vec<Decision>,
    pub(super) choices: u32,
    pub(super) names: Names,
}

/// A table is dense if its length is at most this number times the number of its cases.
const SPARSENESS: usize = 3;

impl TreeCode<'_> {
    /// Writes the code of the tree. Returns the label of the start node for each root name, and for other names.
    pub(super) fn run(&mut self) -> (Vec<(OpNumber, Label)>, Label) {
        let fail = self.label(FAIL);
        self.asm.place(fail);
        self.asm.emit(emit::Fail {});
        let entries = self.tree.entries().iter();
        let entries = entries.map(|&(name, node)| (self.names.number(name), self.label(node))).collect();
        let any = self.label(self.tree.any());
        self.count_waiting();
        while let Some(node) = self.ready.pop() {
            self.chain(node);
        }
        (entries, any)
    }

    /// Counts the edges to each reachable node, and queues the start nodes that no node leads to.
    fn count_waiting(&mut self) {
        let mut roots: Vec<TreeNodeId> = self.tree.entries().iter().map(|entry| entry.1).collect();
        roots.push(self.tree.any());
        let mut found: IdVec<TreeNodeId, bool> = self.tree.nodes().iter().map(|_| false).collect();
        let mut todo = roots.clone();
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut found[node], true) {
                continue;
            }
            let from = todo.len();
            self.successors(node, &mut todo);
            for &to in &todo[from..] {
                self.waiting[to] += 1;
            }
        }
        // Each start node is queued once. The first one is queued last, so that it is written first.
        for root in roots.into_iter().rev() {
            if root != FAIL && self.waiting[root] == 0 && std::mem::replace(&mut found[root], false) {
                self.ready.push(root);
            }
        }
    }

    /// Appends the successors of a node, once for each edge, without the failing node.
    fn successors(&self, node: TreeNodeId, to: &mut Vec<TreeNodeId>) {
        match &self.tree.nodes()[node] {
            TreeNode::Fail => {}
            TreeNode::Try { first, then } => to.extend([*then, *first].into_iter().filter(|&n| n != FAIL)),
            TreeNode::Leaf { next, .. } => to.extend([*next].into_iter().filter(|&n| n != FAIL)),
            TreeNode::Switch { question, cases, otherwise } => {
                let fused = self.both_counts(*question, cases, *otherwise).map(|counts| counts.2);
                let cases = cases.iter().map(|case| fused.unwrap_or(case.1));
                to.extend(std::iter::once(*otherwise).chain(cases).filter(|&n| n != FAIL));
            }
        }
    }

    /// The label of a node.
    fn label(&mut self, node: TreeNodeId) -> Label {
        if let Some(label) = self.labels[node] {
            return label;
        }
        let label = self.asm.label();
        self.labels[node] = Some(label);
        label
    }

    /// Writes a node and the nodes that it falls through to.
    fn chain(&mut self, first: TreeNodeId) {
        let mut node = first;
        loop {
            let label = self.label(node);
            self.asm.place(label);
            let next = self.node(node);
            let mut reached = std::mem::take(&mut self.reached);
            self.successors(node, &mut reached);
            for to in reached.drain(..) {
                self.waiting[to] -= 1;
                if self.waiting[to] == 0 && Some(to) != next {
                    self.ready.push(to);
                }
            }
            self.reached = reached;
            match next {
                None => return,
                Some(FAIL) => {
                    self.asm.emit(emit::Fail {});
                    return;
                }
                Some(next) if self.waiting[next] > 0 => {
                    let to = self.label(next);
                    self.asm.emit(emit::Jump { to });
                    return;
                }
                Some(next) => node = next,
            }
        }
    }

    /// Writes one node. Returns the node that it falls through to, if there is one.
    fn node(&mut self, node: TreeNodeId) -> Option<TreeNodeId> {
        let at = self.asm.here();
        for ask in self.tree.provenance(node) {
            let span = self.rules.patterns[ask.pattern].matcher.span(ask.node);
            self.decisions.push(Decision { at, pattern: ask.pattern, node: ask.node, span });
        }
        match &self.tree.nodes()[node] {
            TreeNode::Fail => {
                self.asm.emit(emit::Fail {});
                None
            }
            TreeNode::Try { first, then } => {
                let then = self.label(*then);
                self.asm.emit(emit::Try { then });
                Some(*first)
            }
            TreeNode::Leaf { row, next } => {
                let row = &self.tree.rows()[*row];
                if row.guards.is_empty() {
                    self.asm.emit(emit::Accept { pattern: row.pattern });
                    return Some(*next);
                }
                let then = self.label(*next);
                self.asm.emit(emit::Try { then });
                self.guards(&row.guards);
                self.asm.emit(emit::AcceptGuarded { pattern: row.pattern });
                self.asm.emit(emit::Fail {});
                None
            }
            TreeNode::Switch { question, cases, otherwise } => self.switch(*question, cases, *otherwise),
        }
    }

    /// Encodes items, and writes the code of the residual tests and guards; `None` if an item has too many parts.
    pub(super) fn items(&mut self, forest: &matcher_tree::PatternForest) -> Option<EncodedItems> {
        let mut result = EncodedItems::default();
        for item in forest.subpatterns.iter() {
            let name = NameWord::new(item.name.map(|name| self.names.number(name))).raw();
            let (tests, operands) = (item.tests.len(), item.operands.len());
            result.words.extend([name, u32::try_from(tests).ok()?, u32::try_from(operands).ok()?]);
            result.words.extend(item.tests.iter().flat_map(|&(question, answer)| [question.raw(), answer.0]));
            result.words.extend(item.operands.iter().flat_map(|&(operand, item)| [operand, item.raw()]));
        }
        for (row, decomposed) in self.tree.rows().iter().zip(forest.rows.iter()) {
            let residual = decomposed.residual.iter();
            let mut guards: Vec<Guard> = residual
                .map(|&Test { question, answer, node, .. }| Guard::Test { question, answer, node })
                .collect();
            guards.extend(&row.guards);
            let residual = (!guards.is_empty()).then(|| {
                let start = self.asm.here();
                self.guards(&guards);
                self.asm.emit(emit::AcceptGuarded { pattern: row.pattern });
                self.asm.emit(emit::Fail {});
                start
            });
            result.rows.push(ItemRule { pattern: row.pattern, item: decomposed.root.raw(), residual });
        }
        Some(result)
    }

    fn guards(&mut self, guards: &[Guard]) {
        let otherwise = self.label(FAIL);
        for guard in guards {
            match *guard {
                Guard::Test { question, answer, .. } => {
                    if let Question::Name(position) = self.tree.predicates()[question] {
                        let op = self.register(position);
                        let name = self.names.number(StrId::from_raw(answer.0));
                        self.asm.emit(emit::LoadOp { to: op, position, otherwise });
                        self.asm.emit(emit::NameIs { op, name, otherwise });
                        continue;
                    }
                    self.asm.emit(emit::Ask { question, answer, otherwise });
                }
                Guard::EachUser { choice, value, place } => {
                    self.choices = self.choices.max(choice + 1);
                    self.asm.emit(emit::EachUser { choice, value, place });
                }
                Guard::Either { choice } => {
                    self.choices = self.choices.max(choice + 1);
                    self.asm.emit(emit::Either { choice });
                }
                Guard::Call { call, negated } => self.asm.emit(emit::Constrain { negated, call }),
            }
        }
    }

    /// Returns the register of the operation at a position. The first use of a position assigns the next register.
    fn register(&mut self, op: PositionId) -> Register {
        if self.tree.positions()[op] == Position::Root {
            return Register::ROOT;
        }
        // There are no more registers than positions, so registers do not run out.
        let positions = &mut self.register_positions;
        *self.registers.entry(op).or_insert_with(|| positions.push(op))
    }

    fn switch(
        &mut self,
        question: QuestionId,
        cases: &[(Answer, TreeNodeId)],
        otherwise: TreeNodeId,
    ) -> Option<TreeNodeId> {
        let positions = self.tree.positions();
        match self.tree.predicates()[question] {
            Question::Name(op) => self.name_switch(op, cases, otherwise),
            Question::Present(at) => {
                let [(answer, found)] = cases else { return self.ask(question, cases, otherwise) };
                let (yes, no) =
                    if *answer == Answer::YES { (*found, otherwise) } else { (otherwise, *found) };
                match positions[at] {
                    Position::Attribute { op, name, storage: None, default: None } => {
                        let (op, otherwise) = (self.register(op), self.label(no));
                        self.asm.emit(emit::HasAttr { op, name, otherwise });
                    }
                    Position::Attribute { op, name, storage: Some(snippet), default: None } => {
                        let (op, otherwise) = (self.register(op), self.label(no));
                        self.asm.emit(emit::AttrHolds { op, name, snippet, otherwise });
                    }
                    Position::Result { op, index } => {
                        let (op, otherwise) = (self.register(op), self.label(no));
                        self.asm.emit(emit::HasResult { op, index, otherwise });
                    }
                    _ if positions.kind(at) == Kind::Op => {
                        let (to, otherwise) = (self.register(at), self.label(no));
                        match self.operand(at) {
                            Some((from, operand)) => {
                                self.asm.emit(emit::OperandOp { from, operand, to, otherwise });
                            }
                            None => self.asm.emit(emit::LoadOp { to, position: at, otherwise }),
                        }
                    }
                    _ => return self.ask(question, cases, otherwise),
                }
                Some(yes)
            }
            Question::Count { op, side } => {
                let counts = self.both_counts(question, cases, otherwise);
                let op = self.register(op);
                if let Some((Answer(operands), Answer(results), yes)) = counts {
                    let otherwise = self.label(otherwise);
                    self.asm.emit(emit::CountsAre { op, operands, results, otherwise });
                    return Some(yes);
                }
                self.each_case(cases, otherwise, |code, Answer(count), otherwise| match side {
                    Side::Operands => code.asm.emit(emit::OperandCountIs { op, count, otherwise }),
                    Side::Results => code.asm.emit(emit::ResultCountIs { op, count, otherwise }),
                })
            }
            Question::Constant(position) => self.constant_switch(position, cases, otherwise),
            Question::Same(a, b) => {
                if let &Position::Operand { op: a, index: a_operand } = &positions[a]
                    && let &Position::Operand { op: b, index: b_operand } = &positions[b]
                    && let &[(Answer::YES, yes)] = cases
                {
                    let (a, b) = (self.register(a), self.register(b));
                    let otherwise = self.label(otherwise);
                    self.asm.emit(emit::SameOperands { a, a_operand, b, b_operand, otherwise });
                    return Some(yes);
                }
                self.ask(question, cases, otherwise)
            }
            Question::Holds(snippet, position) => {
                let Some((op, operand)) = self.operand_type(position) else {
                    return self.ask(question, cases, otherwise);
                };
                self.each_case(cases, otherwise, |code, answer, otherwise| {
                    code.asm.emit(emit::OperandTypeHolds { op, operand, answer, snippet, otherwise });
                })
            }
            _ => self.ask(question, cases, otherwise),
        }
    }

    /// The counts that a fused test expects, and the node after it; `None` if the nodes cannot be fused. Two nodes can
    /// be fused under three conditions. The first node tests the number of operands, and its only case leads to the
    /// second node. The second node tests the number of results of the same operation, and has one case. Both nodes
    /// lead to the same node if their test fails.
    fn both_counts(
        &self,
        question: QuestionId,
        cases: &[(Answer, TreeNodeId)],
        otherwise: TreeNodeId,
    ) -> Option<(Answer, Answer, TreeNodeId)> {
        let asked = self.tree.predicates();
        let (&[(operands, next)], Question::Count { op, side: Side::Operands }) = (cases, asked[question])
        else {
            return None;
        };
        let TreeNode::Switch { question, cases, otherwise: no } = &self.tree.nodes()[next] else {
            return None;
        };
        match (&cases[..], asked[*question]) {
            (&[(results, yes)], Question::Count { op: of, side: Side::Results })
                if of == op && *no == otherwise =>
            {
                Some((operands, results, yes))
            }
            _ => None,
        }
    }

    /// For the position of an operation that defines an operand, the register of the operation that has this operand,
    /// and the index of the operand; `None` for other positions.
    fn operand(&mut self, op: PositionId) -> Option<(Register, u32)> {
        let Position::DefiningOp(value) = self.tree.positions()[op] else { return None };
        let Position::Operand { op, index } = self.tree.positions()[value] else { return None };
        Some((self.register(op), index))
    }

    /// The register of the operation and the operand index, if a position is the type of an operand.
    fn operand_type(&mut self, ty: PositionId) -> Option<(Register, u32)> {
        let Position::TypeOf(value) = self.tree.positions()[ty] else { return None };
        let Position::Operand { op, index } = self.tree.positions()[value] else { return None };
        Some((self.register(op), index))
    }

    /// Tests the answers one after the other. The last test falls through; returns the node of its answer.
    fn each_case(
        &mut self,
        cases: &[(Answer, TreeNodeId)],
        otherwise: TreeNodeId,
        mut test: impl FnMut(&mut Self, Answer, Label),
    ) -> Option<TreeNodeId> {
        let (&(last, last_to), before) = cases.split_last()?;
        for &(answer, to) in before {
            let skip = self.asm.label();
            test(self, answer, skip);
            let to = self.label(to);
            self.asm.emit(emit::Jump { to });
            self.asm.place(skip);
        }
        let no = self.label(otherwise);
        test(self, last, no);
        Some(last_to)
    }

    fn ask(
        &mut self,
        question: QuestionId,
        cases: &[(Answer, TreeNodeId)],
        otherwise: TreeNodeId,
    ) -> Option<TreeNodeId> {
        self.each_case(cases, otherwise, |code, answer, otherwise| {
            code.asm.emit(emit::Ask { question, answer, otherwise });
        })
    }

    /// The cases in ascending order of their keys.
    fn table<K: Ord + Copy>(&mut self, cases: impl Iterator<Item = (K, TreeNodeId)>) -> Vec<(K, Label)> {
        let mut table: Vec<(K, Label)> = cases.map(|(key, to)| (key, self.label(to))).collect();
        table.sort_unstable_by_key(|&(key, _)| key);
        table
    }

    fn name_switch(
        &mut self,
        position: PositionId,
        cases: &[(Answer, TreeNodeId)],
        otherwise: TreeNodeId,
    ) -> Option<TreeNodeId> {
        let to = self.register(position);
        let operand = self.operand(position);
        let otherwise = self.label(otherwise);
        let cases: Vec<(OpNumber, TreeNodeId)> =
            cases.iter().map(|&(name, to)| (self.names.number(StrId::from_raw(name.0)), to)).collect();
        if operand.is_none() {
            self.asm.emit(emit::LoadOp { to, position, otherwise });
        }
        if let &[(name, yes)] = &cases[..] {
            match operand {
                Some((from, operand)) => {
                    self.asm.emit(emit::OperandOpIs { from, operand, to, name, otherwise });
                }
                None => self.asm.emit(emit::NameIs { op: to, name, otherwise }),
            }
            return Some(yes);
        }
        let tail = self.table(cases.into_iter());
        let Some((from, operand)) = operand else {
            self.asm.emit(emit::NameSwitch { op: to, otherwise, tail });
            return None;
        };
        let (Some(&(base, _)), Some(&(last, _))) = (tail.first(), tail.last()) else { return None };
        if last.index() - base.index() < SPARSENESS * tail.len() {
            let mut cases = tail.into_iter().peekable();
            let targets = (base.raw()..=last.raw())
                .map(|name| cases.next_if(|case| case.0.raw() == name).map_or(otherwise, |case| case.1));
            let tail = targets.collect();
            self.asm.emit(emit::OperandOpTable { from, operand, to, base, otherwise, tail });
        } else {
            self.asm.emit(emit::OperandOpSwitch { from, operand, to, otherwise, tail });
        }
        None
    }

    fn constant_switch(
        &mut self,
        position: PositionId,
        cases: &[(Answer, TreeNodeId)],
        otherwise: TreeNodeId,
    ) -> Option<TreeNodeId> {
        let attribute = match self.tree.positions()[position] {
            Position::Attribute { op, name, storage: None, default: None } => Some((self.register(op), name)),
            _ => None,
        };
        let otherwise = self.label(otherwise);
        if let &[(Answer(value), yes)] = cases {
            let value = ConstantId::from_raw(value);
            if let Some((op, name)) = attribute {
                self.asm.emit(emit::AttrIs { op, name, value, otherwise });
                return Some(yes);
            }
            if let Some((op, operand)) = self.operand_type(position) {
                self.asm.emit(emit::OperandTypeIs { op, operand, value, otherwise });
                return Some(yes);
            }
        }
        let tail = self.table(cases.iter().map(|&(Answer(value), to)| (ConstantId::from_raw(value), to)));
        match attribute {
            Some((op, name)) => self.asm.emit(emit::AttrSwitch { op, name, otherwise, tail }),
            None => self.asm.emit(emit::ConstantSwitch { position, otherwise, tail }),
        }
        None
    }
}
