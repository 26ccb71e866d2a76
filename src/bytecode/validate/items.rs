//! Validates items.

use crate::bytecode::items::{EncodedItems, ItemRule};
use crate::bytecode::program::Program;
use crate::id::Id;

/// The largest number of tests and operands of an item together.
const MAX_PARTS: usize = 64;

/// True if every number refers to an entry of its table and no item is too large. `matching.rs` validates the code of
/// residual tests.
pub(super) fn items_fit(encoded: &EncodedItems, program: &Program) -> bool {
    let (mut count, mut words) = (0, 0);
    let items = encoded.items().all(|item| {
        let parts = item.tests().len() + item.operands().len();
        let fits = parts <= MAX_PARTS
            && item.name.is_none_or(|name| name.index() < program.op_names.len())
            && item.tests().all(|(question, _)| question.index() < program.predicates.iter().len())
            && item.operands().all(|(_, operand)| (operand as usize) < count);
        count += 1;
        words += 3 + 2 * parts;
        fits
    });
    let rule = |row: &ItemRule| (row.item as usize) < count && row.pattern.index() < program.patterns.len();
    items && words == encoded.words.len() && encoded.rows.iter().all(rule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::ids::NameWord;
    use crate::matcher_tree::{self, Config};
    use crate::pdl::{PatternId, RuleSet};

    #[test]
    fn numbers_outside_their_tables_are_rejected() {
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
        let row = |pattern, item| ItemRule { pattern: PatternId::from_raw(pattern), item, residual: None };
        let fits = |items: &[&[u32]], rows: &[ItemRule]| {
            items_fit(&EncodedItems { words: items.concat(), rows: rows.to_vec() }, &program)
        };
        const ANY_NAME: u32 = NameWord::ANY.raw();
        let (plain, header) = ([ANY_NAME, 0, 0], |tests, operands| [ANY_NAME, tests, operands]);
        for (limit, item) in [
            (names, (|n| vec![n, 0, 0]) as fn(u32) -> Vec<u32>),
            (questions, |n| vec![ANY_NAME, 1, 0, n, 0]),
            // Only the first item precedes this one.
            (1, |n| vec![ANY_NAME, 0, 1, 0, n]),
        ] {
            assert!(fits(&[&plain, &item(limit - 1)], &[]), "{limit} {:?}", item(limit - 1));
            assert!(!fits(&[&plain, &item(limit)], &[]), "{limit} {:?}", item(limit));
        }
        for (tests, operands, good) in
            [(64, 0, true), (0, 64, true), (40, 24, true), (40, 25, false), (65, 0, false)]
        {
            let words = vec![0; 2 * (tests + operands) as usize];
            assert_eq!(fits(&[&plain, &header(tests, operands), &words], &[]), good, "{tests} {operands}");
        }
        assert!(!fits(&[&plain, &[ANY_NAME, 0]], &[]), "half an item");
        assert!(!fits(&[&plain, &[ANY_NAME, 1, 0, 0]], &[]), "half a test");
        for (pattern, item, good) in [(0, 1, true), (0, 2, false), (1, 1, false)] {
            assert_eq!(fits(&[&plain, &plain], &[row(pattern, item)]), good, "{pattern} {item}");
        }
    }
}
