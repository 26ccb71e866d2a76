//! The search for the rows of an indexed root, which yields them in order.

use std::ops::Range;

use crate::bytecode::OpNumber;
use crate::matcher_tree::Answer;
use crate::vm::root_index::{KeyAnswer, RootIndex};

/// The search for the rows of one root.
#[derive(Debug, Default)]
pub(in crate::vm) struct RowSearch {
    /// The epoch and the name of the root; `None` if no search has begun or it has ended.
    root: Option<(u64, OpNumber)>,
    /// The answers to the key questions; `None` if no rule requires the answer.
    answers: Vec<Option<KeyAnswer>>,
    /// The number of groups that were looked up.
    groups: usize,
    /// The rows that were found and not tried, a range for each group.
    found: Vec<Range<usize>>,
}

impl RowSearch {
    /// Begins the search at another root.
    pub(super) fn begin(
        &mut self,
        epoch: u64,
        name: OpNumber,
        answers: impl Iterator<Item = Option<Answer>>,
    ) {
        self.root = Some((epoch, name));
        self.answers.clear();
        let keys = answers.enumerate();
        self.answers.extend(keys.map(|(key, answer)| answer.map(|answer| KeyAnswer::new(key, answer))));
        self.groups = 0;
        self.found.clear();
    }

    /// The name of the root, if the search began in this epoch and has not ended.
    pub(super) fn root(&self, epoch: u64) -> Option<OpNumber> {
        self.root.filter(|root| root.0 == epoch).map(|root| root.1)
    }

    /// Ends the search.
    pub(super) fn end(&mut self) {
        self.root = None;
    }

    /// Removes and returns the next row in order.
    pub(super) fn next(&mut self, index: &RootIndex) -> Option<usize> {
        let number = |rows: &Range<usize>| index.rows[rows.start].number;
        loop {
            let best = (0..self.found.len()).min_by_key(|&at| number(&self.found[at]));
            // A group that is not looked up yet may have an earlier row.
            if let Some(group) = index.groups.get(self.groups)
                && best.is_none_or(|best| group.first < number(&self.found[best]))
            {
                self.groups += 1;
                self.found.extend(group.rows(&self.answers));
                continue;
            }
            let rows = &mut self.found[best?];
            let row = rows.next()?;
            if rows.start == rows.end {
                self.found.swap_remove(best?);
            }
            return Some(row);
        }
    }
}
