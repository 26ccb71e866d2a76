//! A decision DAG as code.
//!
//! Every node becomes one instruction, or a short run of them; the answer that a node waits for
//! falls through, so straight paths have no jumps. A node is written when all that lead to it have been,
//! so code only goes forward, which is what makes it quick to validate. An operation that a name question has found
//! stays in its position's register for all that is asked below it.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::Names;
use crate::bytecode::assemble::{Assembler, Label, Word};
use crate::bytecode::bottom_up::{ANY, BottomUp, BottomUpRow};
use crate::bytecode::instruction::Opcode;
use crate::bytecode::program::Decision;
use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::matcher_tree::{
    self, Answer, Guard, Position, PositionId, Question, QuestionId, Side, Test, Tree, TreeNode, TreeNodeId,
};
use crate::pdl::RuleSet;

/// Where the code of the tree's failing node is: the first instruction.
const FAIL: TreeNodeId = TreeNodeId::from_raw(0);

/// The code of a tree as it is written.
pub(super) struct TreeCode<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) tree: &'a Tree,
    pub(super) asm: Assembler,
    /// Nodes that are wanted or written.
    pub(super) labels: IdVec<TreeNodeId, Option<Label>>,
    pub(super) registers: HashMap<PositionId, u32, FxBuildHasher>,
    pub(super) register_positions: Vec<PositionId>,
    /// How often each node is led to by nodes that are not written yet.
    pub(super) waiting: IdVec<TreeNodeId, u32>,
    /// Nodes to write that no unwritten node leads to.
    pub(super) ready: Vec<TreeNodeId>,
    /// Scratch: where the node that is written leads.
    pub(super) reached: Vec<TreeNodeId>,
    pub(super) decisions: Vec<Decision>,
    pub(super) choices: u32,
    pub(super) names: Names,
}

/// A table is dense where at least this share of it, one in so many, is full.
const SPARSENESS: u32 = 3;

impl TreeCode<'_> {
    /// Writes the tree; where the code for each root's name starts, and for any other.
    pub(super) fn run(&mut self) -> (Vec<(u32, Label)>, Label) {
        let fail = self.label(FAIL);
        self.asm.place(fail);
        self.asm.emit(Opcode::Fail, &[], &[]);
        let entries = self.tree.entries().iter();
        let entries = entries.map(|&(name, node)| (self.names.number(name), self.label(node))).collect();
        let any = self.label(self.tree.any());
        self.count_waiting();
        while let Some(node) = self.ready.pop() {
            self.chain(node);
        }
        (entries, any)
    }

    /// Counts what leads to each node that is to be written, and finds those to start with.
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
            self.ways(node, &mut todo);
            for &to in &todo[from..] {
                self.waiting[to] += 1;
            }
        }
        // Each once, and the first last, so that it is written first.
        for root in roots.into_iter().rev() {
            if root != FAIL && self.waiting[root] == 0 {
                self.waiting[root] = u32::MAX;
                self.ready.push(root);
            }
        }
    }

    /// Appends where the code of a node leads, as often as it does, without the failing node.
    fn ways(&self, node: TreeNodeId, to: &mut Vec<TreeNodeId>) {
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

    /// Writes a node and those that it falls through to.
    fn chain(&mut self, first: TreeNodeId) {
        let mut node = first;
        loop {
            let label = self.label(node);
            self.asm.place(label);
            let next = self.node(node);
            let mut ways = std::mem::take(&mut self.reached);
            self.ways(node, &mut ways);
            for to in ways.drain(..) {
                self.waiting[to] -= 1;
                if self.waiting[to] == 0 && Some(to) != next {
                    self.ready.push(to);
                }
            }
            self.reached = ways;
            match next {
                None => return,
                Some(FAIL) => {
                    self.asm.emit(Opcode::Fail, &[], &[]);
                    return;
                }
                Some(next) if self.waiting[next] > 0 => {
                    let label = self.label(next);
                    self.asm.emit(Opcode::Jump, &[], &[label.into()]);
                    return;
                }
                Some(next) => node = next,
            }
        }
    }

    /// Writes one node; what it falls through to, if anything.
    fn node(&mut self, node: TreeNodeId) -> Option<TreeNodeId> {
        let at = self.asm.here();
        for ask in self.tree.provenance(node) {
            let span = self.rules.patterns[ask.pattern].matcher.span(ask.node);
            self.decisions.push(Decision { at, pattern: ask.pattern, node: ask.node, span });
        }
        match &self.tree.nodes()[node] {
            TreeNode::Fail => {
                self.asm.emit(Opcode::Fail, &[], &[]);
                None
            }
            TreeNode::Try { first, then } => {
                let then = self.label(*then);
                self.asm.emit(Opcode::Try, &[], &[then.into()]);
                Some(*first)
            }
            TreeNode::Leaf { row, next } => {
                let row = &self.tree.rows()[*row];
                if row.guards.is_empty() {
                    self.asm.emit(Opcode::Accept, &[], &[row.pattern.raw().into()]);
                    return Some(*next);
                }
                let next = self.label(*next);
                self.asm.emit(Opcode::Try, &[], &[next.into()]);
                self.guards(&row.guards);
                self.asm.emit(Opcode::AcceptGuarded, &[], &[row.pattern.raw().into()]);
                self.asm.emit(Opcode::Fail, &[], &[]);
                None
            }
            TreeNode::Switch { question, cases, otherwise } => self.switch(*question, cases, *otherwise),
        }
    }

    /// The rules as items, and code for what these do not say.
    pub(super) fn bottom_up(&mut self, forest: &matcher_tree::PatternForest) -> Option<BottomUp> {
        let mut result = BottomUp::default();
        for item in forest.subpatterns.iter() {
            let name = item.name.map_or(ANY, |name| self.names.number(name));
            let (tests, operands) = (item.tests.len(), item.operands.len());
            result.items.extend([name, u32::try_from(tests).ok()?, u32::try_from(operands).ok()?]);
            result.items.extend(item.tests.iter().flat_map(|&(question, answer)| [question.raw(), answer.0]));
            result.items.extend(item.operands.iter().flat_map(|&(operand, item)| [operand, item.raw()]));
        }
        for (row, taken) in self.tree.rows().iter().zip(forest.rows.iter()) {
            let residual = taken.residual.iter();
            let mut guards: Vec<Guard> = residual
                .map(|&Test { question, answer, node, .. }| Guard::Test { question, answer, node })
                .collect();
            guards.extend(&row.guards);
            let mut tail = 0;
            if !guards.is_empty() {
                tail = self.asm.here();
                self.guards(&guards);
                self.asm.emit(Opcode::AcceptGuarded, &[], &[row.pattern.raw().into()]);
                self.asm.emit(Opcode::Fail, &[], &[]);
            }
            result.rows.push(BottomUpRow { pattern: row.pattern, item: taken.root.raw(), tail });
        }
        Some(result)
    }

    fn guards(&mut self, guards: &[Guard]) {
        let fail = self.label(FAIL);
        for guard in guards {
            match *guard {
                Guard::Test { question, answer, .. } => {
                    if let Question::Name(op) = self.tree.predicates()[question] {
                        let to = self.register(op);
                        let name = self.names.number(StrId::from_raw(answer.0));
                        self.asm.emit(Opcode::LoadOp, &[to], &[op.raw().into(), fail.into()]);
                        self.asm.emit(Opcode::NameIs, &[to], &[name.into(), fail.into()]);
                        continue;
                    }
                    self.asm.emit(Opcode::Ask, &[], &[question.raw().into(), answer.0.into(), fail.into()]);
                }
                Guard::EachUser { choice, value, place } => {
                    self.choices = self.choices.max(choice + 1);
                    self.asm.emit(Opcode::EachUser, &[choice], &[value.raw().into(), place.raw().into()]);
                }
                Guard::Either { choice } => {
                    self.choices = self.choices.max(choice + 1);
                    self.asm.emit(Opcode::Either, &[choice], &[]);
                }
                Guard::Call { call, negated } => {
                    self.asm.emit(Opcode::Constrain, &[u32::from(negated)], &[call.raw().into()]);
                }
            }
        }
    }

    /// The register of an operation that is on the path to what is asked.
    fn register(&mut self, op: PositionId) -> u32 {
        if self.tree.positions()[op] == Position::Root {
            return 0;
        }
        let positions = &mut self.register_positions;
        *self.registers.entry(op).or_insert_with(|| {
            // There are no more registers than positions; the root has register 0.
            let next = u32::try_from(positions.len()).unwrap_or(u32::MAX);
            positions.push(op);
            next
        })
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
            Question::Present(op) if positions.kind(op) == Kind::Op => {
                let [(answer, found)] = cases else { return self.ask(question, cases, otherwise) };
                let (yes, no) =
                    if *answer == Answer::YES { (*found, otherwise) } else { (otherwise, *found) };
                let to = self.register(op);
                let no = self.label(no);
                match self.operand(op) {
                    Some((from, operand)) => {
                        self.asm.emit(Opcode::OperandOp, &[from, operand, to], &[no.into()]);
                    }
                    None => {
                        let value = op.raw().into();
                        self.asm.emit(Opcode::LoadOp, &[to], &[value, no.into()]);
                    }
                }
                Some(yes)
            }
            Question::Count { op, side } => {
                if let Some((count, results, yes)) = self.both_counts(question, cases, otherwise) {
                    let register = self.register(op);
                    let no = self.label(otherwise);
                    self.asm.emit(Opcode::CountsAre, &[register, count.0, results.0], &[no.into()]);
                    return Some(yes);
                }
                let opcode = match side {
                    Side::Operands => Opcode::OperandCountIs,
                    Side::Results => Opcode::ResultCountIs,
                };
                let register = self.register(op);
                self.each_case(cases, otherwise, |code, answer, no| {
                    code.asm.emit(opcode, &[register, answer.0], &[no.into()]);
                })
            }
            Question::Constant(position) => self.constant_switch(position, cases, otherwise),
            Question::Same(a, b) => {
                if let (Position::Operand { op: a_op, index: a }, Position::Operand { op: b_op, index: b }) =
                    (positions[a], positions[b])
                    && let &[(Answer::YES, yes)] = cases
                {
                    let (a_op, b_op) = (self.register(a_op), self.register(b_op));
                    let no = self.label(otherwise);
                    self.asm.emit(Opcode::SameOperands, &[a_op, a, b_op], &[b.into(), no.into()]);
                    return Some(yes);
                }
                self.ask(question, cases, otherwise)
            }
            Question::Holds(snippet, position) => {
                let Some((op, operand)) = self.operand_type(position) else {
                    return self.ask(question, cases, otherwise);
                };
                self.each_case(cases, otherwise, |code, answer, no| {
                    let words = [snippet.raw().into(), no.into()];
                    code.asm.emit(Opcode::OperandTypeHolds, &[op, operand, answer.0], &words);
                })
            }
            _ => self.ask(question, cases, otherwise),
        }
    }

    /// How many operands and results there are to be, and where to go on then, if a node asks for the
    /// one and what comes next for the other.
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

    /// The register and operand index, if a position is the operation that defines an operand.
    fn operand(&mut self, op: PositionId) -> Option<(u32, u32)> {
        let Position::DefiningOp(value) = self.tree.positions()[op] else { return None };
        let Position::Operand { op, index } = self.tree.positions()[value] else { return None };
        Some((self.register(op), index))
    }

    /// The register and operand index, if a position is the type of an operand.
    fn operand_type(&mut self, ty: PositionId) -> Option<(u32, u32)> {
        let Position::TypeOf(value) = self.tree.positions()[ty] else { return None };
        let Position::Operand { op, index } = self.tree.positions()[value] else { return None };
        Some((self.register(op), index))
    }

    /// Tests the answers one after the other; the last one falls through.
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
            self.asm.emit(Opcode::Jump, &[], &[to.into()]);
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
        self.each_case(cases, otherwise, |code, answer, no| {
            code.asm.emit(Opcode::Ask, &[], &[question.raw().into(), answer.0.into(), no.into()]);
        })
    }

    fn table(&mut self, cases: &[(Answer, TreeNodeId)]) -> Vec<(u32, Label)> {
        let mut table: Vec<(u32, Label)> = cases.iter().map(|&(a, to)| (a.0, self.label(to))).collect();
        table.sort_unstable_by_key(|&(key, _)| key);
        table
    }

    fn name_switch(
        &mut self,
        op: PositionId,
        cases: &[(Answer, TreeNodeId)],
        otherwise: TreeNodeId,
    ) -> Option<TreeNodeId> {
        let to = self.register(op);
        let operand = self.operand(op);
        let no = self.label(otherwise);
        let cases: Vec<(Answer, TreeNodeId)> = cases
            .iter()
            .map(|&(name, to)| (Answer(self.names.number(StrId::from_raw(name.0))), to))
            .collect();
        if operand.is_none() {
            self.asm.emit(Opcode::LoadOp, &[to], &[op.raw().into(), no.into()]);
        }
        if let &[(name, yes)] = &cases[..] {
            let words = [name.0.into(), no.into()];
            match operand {
                Some((from, index)) => self.asm.emit(Opcode::OperandOpIs, &[from, index, to], &words),
                None => self.asm.emit(Opcode::NameIs, &[to], &words),
            }
            return Some(yes);
        }
        let table = self.table(&cases);
        let (Some(&(low, _)), Some(&(high, _))) = (table.first(), table.last()) else { return None };
        let full = u32::try_from(table.len()).unwrap_or(u32::MAX);
        let span = high - low;
        match operand {
            Some((from, index)) if span / SPARSENESS < full && span < u32::MAX => {
                let mut words: Vec<Word> = vec![low.into(), no.into(), (span + 1).into()];
                let mut entries = table.into_iter().peekable();
                for key in low..=high {
                    let to = entries.next_if(|&(k, _)| k == key).map_or(no, |(_, to)| to);
                    words.push(to.into());
                }
                self.asm.emit(Opcode::OperandOpTable, &[from, index, to], &words);
            }
            _ => {
                let mut words: Vec<Word> = vec![no.into(), full.into()];
                words.extend(table.into_iter().flat_map(|(key, to)| [Word::from(key), to.into()]));
                match operand {
                    Some((from, index)) => self.asm.emit(Opcode::OperandOpSwitch, &[from, index, to], &words),
                    None => self.asm.emit(Opcode::NameSwitch, &[to], &words),
                }
            }
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
        let no = self.label(otherwise);
        if let (&[(value, yes)], Some((op, name))) = (cases, attribute) {
            self.asm.emit(Opcode::AttrIs, &[op], &[name.raw().into(), value.0.into(), no.into()]);
            return Some(yes);
        }
        if let (&[(value, yes)], Some((op, operand))) = (cases, self.operand_type(position)) {
            self.asm.emit(Opcode::OperandTypeIs, &[op, operand], &[value.0.into(), no.into()]);
            return Some(yes);
        }
        let table = self.table(cases);
        let length = u32::try_from(table.len()).unwrap_or(u32::MAX);
        let entries = table.into_iter().flat_map(|(key, to)| [Word::from(key), to.into()]);
        match attribute {
            Some((op, name)) => {
                let mut words: Vec<Word> = vec![name.raw().into(), no.into(), length.into()];
                words.extend(entries);
                self.asm.emit(Opcode::AttrSwitch, &[op], &words);
            }
            None => {
                let mut words: Vec<Word> = vec![position.raw().into(), no.into(), length.into()];
                words.extend(entries);
                self.asm.emit(Opcode::ConstantSwitch, &[], &words);
            }
        }
        None
    }
}
