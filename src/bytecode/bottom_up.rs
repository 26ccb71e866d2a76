//! The rules of a program as trees of operations, for engines that label from the operands up.
//!
//! See [`matcher_tree::decompose`](crate::matcher_tree::decompose) for what an item means. Items are
//! words, one after the other: the number of the operation's name or [`ANY`], how many tests and how
//! many operands there are, the tests as question and answer, the operands as index and item. An item
//! refers to earlier ones alone.

use crate::id::Id;
use crate::matcher_tree::{Answer, QuestionId};
use crate::pdl::PatternId;

use super::program::Program;

/// In the place of a name: any.
pub(super) const ANY: u32 = u32::MAX;

/// A rule in application order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BottomUpRow {
    pub(crate) pattern: PatternId,
    /// The item that holds at its root.
    pub(crate) item: u32,
    /// The code that does what the item does not say; 0 if there is nothing.
    pub(crate) tail: u32,
}

/// Items, and rules over them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BottomUp {
    pub(crate) items: Vec<u32>,
    pub(crate) rows: Vec<BottomUpRow>,
}

/// One item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemRef<'a> {
    pub(crate) name: Option<u32>,
    tests: &'a [[u32; 2]],
    operands: &'a [[u32; 2]],
}

impl<'a> ItemRef<'a> {
    /// What is asked of the operation, as if it were the root.
    pub(crate) fn tests(self) -> impl ExactSizeIterator<Item = (QuestionId, Answer)> + 'a {
        self.tests.iter().map(|&[question, answer]| (QuestionId::from_raw(question), Answer(answer)))
    }

    /// What holds at the operations that define operands.
    pub(crate) fn operands(self) -> impl ExactSizeIterator<Item = (u32, u32)> + 'a {
        self.operands.iter().map(|&[operand, item]| (operand, item))
    }
}

impl BottomUp {
    /// The items in order; ends early at words that are none.
    pub(crate) fn items(&self) -> impl Iterator<Item = ItemRef<'_>> {
        let mut words = &self.items[..];
        std::iter::from_fn(move || {
            let (&[name, tests, operands], rest) = words.split_first_chunk()?;
            let (tests, rest) = pairs(rest, tests)?;
            let (operands, rest) = pairs(rest, operands)?;
            words = rest;
            Some(ItemRef { name: (name != ANY).then_some(name), tests, operands })
        })
    }

    /// Whether every number is one that the program has; of tails that is the match part's to say.
    pub(super) fn fits(&self, program: &Program) -> bool {
        let known = |n: u32, count: usize| (n as usize) < count;
        let (mut count, mut words) = (0, 0);
        let items = self.items().all(|item| {
            let fits = item.tests.len() + item.operands.len() <= MAX_PARTS
                && item.name.is_none_or(|name| known(name, program.op_names.len()))
                && item.tests.iter().all(|t| known(t[0], program.predicates.iter().len()))
                && item.operands.iter().all(|o| known(o[1], count));
            count += 1;
            words += 3 + 2 * (item.tests.len() + item.operands.len());
            fits
        });
        items
            && words == self.items.len()
            && self
                .rows
                .iter()
                .all(|row| known(row.item, count) && row.pattern.index() < program.patterns.len())
    }
}

/// How many tests and operands an item may have.
const MAX_PARTS: usize = 64;

fn pairs(words: &[u32], count: u32) -> Option<(&[[u32; 2]], &[u32])> {
    let (pairs, rest) = words.split_at_checked(usize::try_from(count).ok()?.checked_mul(2)?)?;
    Some((pairs.as_chunks().0, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher_tree::{self, Config};
    use crate::pdl::RuleSet;

    #[test]
    fn what_is_one_past_the_end_does_not_fit() {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("rule", 1);
        let one = rule.attr_constant("1 : i32");
        let root = rule.op("t.op").attr("a", one).matched();
        rule.erase(root);
        rule.finish().unwrap();
        let rules = rules.verify().unwrap();
        let program = crate::bytecode::compile(rules, &matcher_tree::build(rules, &Config::new()).unwrap());
        let program = program.unwrap();
        let (names, questions) = (program.op_names.len(), program.predicates.iter().len());
        let [names, questions] = [names, questions].map(|count| u32::try_from(count).unwrap());
        assert!(names > 0 && questions > 0);
        let row = |pattern, item| BottomUpRow { pattern: PatternId::from_raw(pattern), item, tail: 0 };
        let fits = |items: &[&[u32]], rows: &[BottomUpRow]| {
            BottomUp { items: items.concat(), rows: rows.to_vec() }.fits(&program)
        };
        let (plain, parts) = ([ANY, 0, 0], |tests, operands| [ANY, tests, operands]);
        for (limit, item) in [
            (names, (|n| vec![n, 0, 0]) as fn(u32) -> Vec<u32>),
            (questions, |n| vec![ANY, 1, 0, n, 0]),
            // The first item is the one before.
            (1, |n| vec![ANY, 0, 1, 0, n]),
        ] {
            assert!(fits(&[&plain, &item(limit - 1)], &[]), "{limit} {:?}", item(limit - 1));
            assert!(!fits(&[&plain, &item(limit)], &[]), "{limit} {:?}", item(limit));
        }
        for (tests, operands, good) in
            [(64, 0, true), (0, 64, true), (40, 24, true), (40, 25, false), (65, 0, false)]
        {
            let words = vec![0; 2 * (tests + operands) as usize];
            assert_eq!(fits(&[&plain, &parts(tests, operands), &words], &[]), good, "{tests} {operands}");
        }
        assert!(!fits(&[&plain, &[ANY, 0]], &[]), "half an item");
        assert!(!fits(&[&plain, &[ANY, 1, 0, 0]], &[]), "half a test");
        for (pattern, item, good) in [(0, 1, true), (0, 2, false), (1, 1, false)] {
            assert_eq!(fits(&[&plain, &plain], &[row(pattern, item)]), good, "{pattern} {item}");
        }
    }
}
