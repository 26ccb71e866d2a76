//! Sparse rows in one vector, pushed into each other as the teeth of combs are.
//!
//! Specification: what was set for a row and a column is found by the row's number and the column; for all else
//! 0 is found. A row that is in another's way moves, and has another number then.
//!
//! What a row has for a column is in the slot at the sum of its number and the column, if that slot says it is
//! the row's; so it is found by one load, and what one row leaves free others fill. No number is given twice: one
//! that a row had before leads nowhere, and [`Comb::row`] says which row that was.
//! Source: Tarjan and Yao, "Storing a sparse table" (1979).

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::tables::number;

/// An entry, and the number of the row that it is of; both 0 in a slot that is free.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    pub(super) row: u32,
    pub(super) to: u32,
}

/// Rows, which have in some of their columns a number above 0.
#[derive(Debug)]
pub(super) struct Comb {
    /// There is one for each number that was given, and 0, with each column.
    slots: Vec<Slot>,
    rows: Vec<Row>,
    /// The row that has each number or had it.
    numbered: HashMap<u32, u32, FxBuildHasher>,
    /// How many columns there are.
    columns: u32,
    /// Before this, no place is looked for.
    from: u32,
    /// Where the last slot ends that is not free.
    end: u32,
    /// The columns that rows have, together.
    entries: usize,
}

#[derive(Debug)]
struct Row {
    number: u32,
    /// The columns that it has.
    columns: Vec<u32>,
}

/// A row of more columns is put behind all others, with room for as many again.
const LONG: usize = 64;

/// For 2 to the power of how many numbers it is tried at most whether a row may have them.
const TRIES: usize = 8;

impl Comb {
    /// No rows, but so many columns.
    pub(super) fn new(columns: u32) -> Self {
        let mut comb = Self {
            slots: Vec::new(),
            rows: Vec::new(),
            numbered: HashMap::default(),
            columns: 0,
            from: 1,
            end: 0,
            entries: 0,
        };
        comb.widen(columns);
        comb
    }

    /// Where each entry is, by the sum of row and column.
    #[inline]
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// What it takes, roughly.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.slots[..])
            + size_of_val(&self.rows[..])
            + 16 * self.numbered.len()
            + 4 * self.entries
    }

    /// Makes room for so many columns.
    pub(super) fn widen(&mut self, columns: u32) {
        if columns > self.columns {
            self.slots.resize(self.slots.len() + (columns - self.columns) as usize, Slot::default());
            self.columns = columns;
        }
    }

    /// A new row, by how many there were before.
    pub(super) fn add(&mut self) -> usize {
        let row = self.rows.len();
        let at = self.place(&[]);
        self.rows.push(Row { number: at, columns: Vec::new() });
        self.give(at, row);
        row
    }

    /// The row that has a number or had it.
    pub(super) fn row(&self, number: u32) -> usize {
        self.numbered[&number] as usize
    }

    /// A row's number as it is now.
    pub(super) fn number(&self, row: usize) -> u32 {
        self.rows[row].number
    }

    /// Whether a row has an entry in a column.
    pub(super) fn has(&self, row: usize, column: u32) -> bool {
        let row = self.rows[row].number;
        self.slots[(row + column) as usize].row == row
    }

    /// Changes where an entry leads.
    pub(super) fn lead(&mut self, at: u32, to: u32) {
        self.slots[at as usize].to = to;
    }

    /// Gives a row an entry that it does not have. The row may have another number then.
    pub(super) fn set(&mut self, row: usize, column: u32, to: u32) {
        debug_assert!(to != 0 && column < self.columns && !self.has(row, column));
        self.entries += 1;
        self.rows[row].columns.push(column);
        if !self.is_free(self.rows[row].number + column) {
            self.move_away(row);
        }
        self.put(self.rows[row].number, column, to);
    }

    /// Gives a row a number with which all its columns are free.
    fn move_away(&mut self, row: usize) {
        let columns = std::mem::take(&mut self.rows[row].columns);
        let (before, after) = (self.rows[row].number, self.place(&columns));
        self.give(after, row);
        for &column in &columns {
            let slot = &mut self.slots[(before + column) as usize];
            if slot.row == before {
                let to = std::mem::take(slot).to;
                self.put(after, column, to);
            }
        }
        self.rows[row] = Row { number: after, columns };
    }

    fn put(&mut self, row: u32, column: u32, to: u32) {
        let at = row + column;
        self.end = self.end.max(at + 1);
        self.slots[at as usize] = Slot { row, to };
    }

    fn is_free(&self, at: u32) -> bool {
        self.slots.get(at as usize).is_none_or(|slot| slot.row == 0)
    }

    /// A number that was never given, with which these columns are free.
    ///
    /// PERF: where half of the slots are free, a place for n columns is found by 2^n tries. If it is not found
    /// by then, the row is put behind all others, and where it was looked for is looked at less.
    fn place(&mut self, columns: &[u32]) -> u32 {
        let fits = |&at: &u32| {
            columns.iter().all(|column| self.is_free(at + column)) && !self.numbered.contains_key(&at)
        };
        let is_long = columns.len() > LONG;
        let tries = if is_long { 0 } else { 1 << columns.len().min(TRIES) };
        let found = (self.from..self.from + tries).find(fits);
        let behind = || (self.from.max(self.end)..).find(fits);
        let at = found.or_else(behind).expect("what is behind all others is free");
        if is_long {
            self.from = at + 2 * columns.iter().max().map_or(0, |&column| column + 1);
        } else if found.is_none() {
            self.from += tries.div_ceil(2);
        }
        at
    }

    fn give(&mut self, at: u32, row: usize) {
        self.numbered.insert(at, number(row));
        let slots = (at + self.columns) as usize;
        if slots > self.slots.len() {
            self.slots.resize(slots, Slot::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// What is found by a number and a column, as it is read for each operation.
    fn found(comb: &Comb, number: u32, column: u32) -> u32 {
        let slot = comb.slots()[(number + column) as usize];
        if slot.row == number { slot.to } else { 0 }
    }

    proptest! {
        #![proptest_config(crate::test_seed::config())]
        #[test]
        fn what_was_set_is_found_and_nothing_else(
            sets in prop::collection::vec((0..20usize, 0..300u32, 1..9u32), 0..600),
            rows in 1..20usize,
        ) {
            let mut comb = Comb::new(200);
            comb.widen(300);
            let mut numbers: Vec<Vec<u32>> = (0..rows).map(|row| {
                assert_eq!(comb.add(), row);
                vec![comb.number(row)]
            }).collect();
            let mut expected = BTreeMap::new();
            for (row, column, to) in sets {
                let row = row % rows;
                prop_assert_eq!(comb.has(row, column), expected.contains_key(&(row, column)));
                if comb.has(row, column) {
                    comb.lead(comb.number(row) + column, to);
                } else {
                    comb.set(row, column, to);
                }
                expected.insert((row, column), to);
                if numbers[row].last() != Some(&comb.number(row)) {
                    numbers[row].push(comb.number(row));
                }
            }
            for (row, numbers) in numbers.iter().enumerate() {
                for column in 0..300 {
                    let (&last, before) = numbers.split_last().expect("it has one");
                    let to = expected.get(&(row, column)).copied().unwrap_or(0);
                    prop_assert_eq!(found(&comb, last, column), to);
                    for &number in before {
                        prop_assert_eq!(found(&comb, number, column), 0);
                    }
                    prop_assert_eq!(found(&comb, 0, column), 0);
                }
                for &number in numbers {
                    prop_assert_eq!(comb.row(number), row);
                }
            }
            let mut all: Vec<u32> = numbers.concat();
            all.sort_unstable();
            prop_assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "a number was given twice");
        }
    }

    /// A row that grows to the end of its columns, while others grow around it, is moved a few times.
    #[test]
    fn a_long_row_is_moved_rarely() {
        const COLUMNS: u32 = 20_000;
        let mut comb = Comb::new(COLUMNS);
        let (long, mut moves) = (comb.add(), 0);
        for column in 0..COLUMNS {
            let before = comb.number(long);
            comb.set(long, column, 1);
            moves += u32::from(comb.number(long) != before);
            let short = comb.add();
            comb.set(short, column % 7, 1);
        }
        assert!(moves < 100, "{moves} moves");
        assert!((0..COLUMNS).all(|column| found(&comb, comb.number(long), column) == 1));
        assert!(comb.slots().len() < 10 * COLUMNS as usize, "{} slots", comb.slots().len());
    }
}
