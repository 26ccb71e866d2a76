//! Matches at roots that have an index; see `root_index.rs`.

use super::run::NoTrace;
use super::scratch::Scratch;
use crate::bytecode::Address;
use crate::host::Facets;
use crate::matcher_tree::{Answer, Question, QuestionId};
use crate::pdl::PatternId;
use crate::vm::linked::LinkedProgram;

impl<H: Facets> LinkedProgram<H> {
    /// The first rule that matches at an operation whose name has no code to start with.
    pub(super) fn first_row(&self, host: &H, op: H::Op, scratch: &mut Scratch<H>) -> Option<PatternId> {
        let name = self.op_number(host, op);
        let Some(index) = self.indexes.as_ref().and_then(|indexes| indexes.of(name)) else {
            scratch.end();
            return None;
        };
        scratch.set_root(op);
        let mut eval = self.eval(host, scratch);
        if !index.common.iter().all(|&(question, answer)| eval.ask(question, answer)) {
            scratch.end();
            return None;
        }
        let mut rows = std::mem::take(&mut scratch.rows);
        rows.begin(scratch.state.epoch, name, index.keys.iter().map(|&key| self.answer(host, key, scratch)));
        scratch.rows = rows;
        self.next_row(host, scratch)
    }

    /// The answer to a key question, if a rule can require it.
    fn answer(&self, host: &H, question: QuestionId, scratch: &mut Scratch<H>) -> Option<Answer> {
        let mut eval = self.eval(host, scratch);
        match self.program.predicates[question] {
            Question::Constant(position) => eval.constant(position).map(|constant| Answer(constant.raw())),
            Question::Count { op, side } => {
                let op = eval.op(op)?;
                Some(Answer(eval.count(op, side)))
            }
            _ => [Answer::YES, Answer::NO].into_iter().find(|&answer| eval.ask(question, answer)),
        }
    }

    /// The start of the tree for an operation whose name has an index.
    pub(super) fn code_of_index(&self, host: &H, op: H::Op) -> Address {
        let index = self.indexes.as_ref().and_then(|indexes| indexes.of(self.op_number(host, op)));
        index.map_or(Address::FAIL, |index| index.code)
    }

    /// The next rule that matches at the current root; `None` if the root has no index.
    pub(super) fn next_row(&self, host: &H, scratch: &mut Scratch<H>) -> Option<PatternId> {
        let index = self.indexes.as_ref()?.of(scratch.rows.root(scratch.state.epoch)?)?;
        while let Some(row) = scratch.rows.next(index) {
            let row = &index.rows[row];
            let root = scratch.state.root?;
            let tests_hold =
                row.tests.iter().all(|&(question, answer)| self.eval(host, scratch).ask(question, answer));
            if !tests_hold || !self.operands_fit(host, root, &row.operands, scratch) {
                continue;
            }
            let Some(code) = row.residual else {
                scratch.go_to(Address::FAIL);
                scratch.matched = Some(row.pattern);
                return Some(row.pattern);
            };
            scratch.go_to(code);
            if let Some(matched) = self.run(host, scratch, &mut NoTrace) {
                return Some(matched);
            }
        }
        scratch.end();
        None
    }

    /// True if the operations that define operands satisfy these subpatterns, and their operands as well.
    fn operands_fit(
        &self,
        host: &H,
        root: H::Op,
        operands: &[(u32, usize)],
        scratch: &mut Scratch<H>,
    ) -> bool {
        let Some(indexes) = &self.indexes else { return false };
        let mut open: Vec<(H::Op, u32, usize)> =
            operands.iter().map(|&(operand, item)| (root, operand, item)).collect();
        let mut fit = true;
        while fit && let Some((user, operand, item)) = open.pop() {
            let defining = (operand < host.operand_count(user)).then(|| host.operand(user, operand));
            let Some(op) = defining.and_then(|value| host.defining_op(value)) else {
                fit = false;
                break;
            };
            let required = indexes.subpattern(item);
            scratch.state.root = Some(op);
            fit = required.name.is_none_or(|name| self.op_number(host, op) == name)
                && required
                    .tests
                    .iter()
                    .all(|&(question, answer)| self.eval(host, scratch).ask(question, answer));
            open.extend(required.operands.iter().map(|&(operand, item)| (op, operand, item)));
        }
        scratch.state.root = Some(root);
        fit
    }
}
