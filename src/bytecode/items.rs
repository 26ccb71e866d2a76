//! The rules of a program as trees of operations, for engines that label operations from the operands up.
//!
//! An item is an encoded subpattern (see [`matcher_tree::decompose`](crate::matcher_tree::decompose)). Its words are
//! the operation's name ([`NameWord`]), the numbers of tests and operands, the tests as pairs of question and answer,
//! and the operands as pairs of index and item. An item refers only to items before it.

use crate::matcher_tree::{Answer, QuestionId};
use crate::pdl::PatternId;

use super::ids::{Address, NameWord, OpNumber};

/// A rule, with its root item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ItemRule {
    pub(crate) pattern: PatternId,
    /// The item of the rule's root.
    pub(crate) item: u32,
    /// The code of the tests and guards that the item does not cover; `None` if there are none.
    pub(crate) residual: Option<Address>,
}

/// Items, and the rules in application order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EncodedItems {
    pub(crate) words: Vec<u32>,
    pub(crate) rows: Vec<ItemRule>,
}

/// An encoded subpattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemRef<'a> {
    pub(crate) name: Option<OpNumber>,
    tests: &'a [[u32; 2]],
    operands: &'a [[u32; 2]],
}

impl<'a> ItemRef<'a> {
    /// The tests of the operation. The positions in the tests start at this operation.
    pub(crate) fn tests(self) -> impl ExactSizeIterator<Item = (QuestionId, Answer)> + 'a {
        self.tests.iter().map(|&[question, answer]| (QuestionId::from_raw(question), Answer(answer)))
    }

    /// The indices of operands, each with the item of the operation that defines it.
    pub(crate) fn operands(self) -> impl ExactSizeIterator<Item = (u32, u32)> + 'a {
        self.operands.iter().map(|&[operand, item]| (operand, item))
    }
}

impl EncodedItems {
    /// The items in order, up to the first words that do not encode an item.
    pub(crate) fn items(&self) -> impl Iterator<Item = ItemRef<'_>> {
        let mut words = &self.words[..];
        std::iter::from_fn(move || {
            let (&[name, tests, operands], rest) = words.split_first_chunk()?;
            let (tests, rest) = pairs(rest, tests)?;
            let (operands, rest) = pairs(rest, operands)?;
            words = rest;
            Some(ItemRef { name: NameWord::from_raw(name).get(), tests, operands })
        })
    }
}

fn pairs(words: &[u32], count: u32) -> Option<(&[[u32; 2]], &[u32])> {
    let (pairs, rest) = words.split_at_checked(usize::try_from(count).ok()?.checked_mul(2)?)?;
    Some((pairs.as_chunks().0, rest))
}
