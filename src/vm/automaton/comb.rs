//! Sparse rows that share one vector.
//!
//! Specification: a row's base and a column lead to the target that was set for them, or to [`Target::UNKNOWN`] if none
//! was set. A row that collides with another row moves to a new base.
//!
//! The slot of an entry is the sum of its row's base and its column. The entry names its row, so one load reads and
//! checks it, and the gaps of one row can hold entries of other rows. No base is assigned twice: a former base leads to
//! no entry, and [`Comb::row`] finds the row that had it. Source: Tarjan and Yao, "Storing a sparse table" (1979).

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::ids::{RowBase, RowId, SlotId, Target};
use crate::id::{Id, IdVec};

/// An entry: the row that it belongs to, and its target. A free slot belongs to [`RowBase::NONE`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) row: RowBase,
    pub(super) target: Target,
}

impl Slot {
    const FREE: Self = Self { row: RowBase::NONE, target: Target::UNKNOWN };
}

/// Sparse rows with targets.
#[derive(Debug)]
pub(super) struct Comb {
    /// The slots. They contain the slot of every column for each assigned base and for [`RowBase::NONE`].
    slots: Vec<Slot>,
    rows: IdVec<RowId, Row>,
    /// The row that has or had each base.
    by_base: HashMap<RowBase, RowId, FxBuildHasher>,
    /// The number of columns.
    columns: u32,
    /// The first base that the search for free slots tries.
    search_from: u32,
    /// The number after the largest slot that was ever in use.
    end: u32,
    /// The number of entries of all rows.
    entries: usize,
}

#[derive(Debug)]
struct Row {
    base: RowBase,
    /// The columns with an entry.
    columns: Vec<u32>,
}

/// If a row with more entries than this must move, it moves to the end, with room to grow to twice its width.
const LONG: usize = 64;

/// The search for free slots tries at most `2^MAX_TRIES_LOG` bases before it chooses a base at the end.
const MAX_TRIES_LOG: usize = 8;

impl Comb {
    /// A comb without rows, with this many columns.
    pub(super) fn new(columns: u32) -> Self {
        let mut comb = Self {
            slots: Vec::new(),
            rows: IdVec::default(),
            by_base: HashMap::default(),
            columns: 0,
            search_from: RowBase::NONE.raw() + 1,
            end: 0,
            entries: 0,
        };
        comb.widen(columns);
        comb
    }

    /// The entries, by the sum of base and column.
    #[inline]
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The approximate size in memory.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.slots[..])
            + size_of_val(self.rows.as_slice())
            + 16 * self.by_base.len()
            + 4 * self.entries
    }

    /// Makes room for this many columns.
    pub(super) fn widen(&mut self, columns: u32) {
        if columns > self.columns {
            self.slots.resize(self.slots.len() + (columns - self.columns) as usize, Slot::FREE);
            self.columns = columns;
        }
    }

    /// Adds an empty row.
    pub(super) fn add(&mut self) -> RowId {
        let base = self.find_base(&[]);
        let row = self.rows.push(Row { base, columns: Vec::new() });
        self.assign(base, row);
        row
    }

    /// The row that has or had a base.
    pub(super) fn row(&self, base: RowBase) -> RowId {
        self.by_base[&base]
    }

    /// A row's current base.
    pub(super) fn base(&self, row: RowId) -> RowBase {
        self.rows[row].base
    }

    /// True if a row has an entry in a column.
    pub(super) fn has(&self, row: RowId, column: u32) -> bool {
        let base = self.rows[row].base;
        self.slots[base.slot(column).index()].row == base
    }

    /// Changes the target of an entry.
    pub(super) fn redirect(&mut self, slot: SlotId, target: Target) {
        self.slots[slot.index()].target = target;
    }

    /// Adds an entry to a row that has none in this column. The row's base may change.
    pub(super) fn set(&mut self, row: RowId, column: u32, target: Target) {
        debug_assert!(target != Target::UNKNOWN && column < self.columns && !self.has(row, column));
        self.entries += 1;
        self.rows[row].columns.push(column);
        if !self.is_free(self.rows[row].base.slot(column)) {
            self.move_row(row);
        }
        self.put(self.rows[row].base, column, target);
    }

    /// Moves a row to a base at which all its columns are free.
    fn move_row(&mut self, row: RowId) {
        let columns = std::mem::take(&mut self.rows[row].columns);
        let (before, after) = (self.rows[row].base, self.find_base(&columns));
        self.assign(after, row);
        for &column in &columns {
            let slot = &mut self.slots[before.slot(column).index()];
            if slot.row == before {
                let target = std::mem::replace(slot, Slot::FREE).target;
                self.put(after, column, target);
            }
        }
        self.rows[row] = Row { base: after, columns };
    }

    fn put(&mut self, row: RowBase, column: u32, target: Target) {
        let slot = row.slot(column);
        self.end = self.end.max(slot.raw() + 1);
        self.slots[slot.index()] = Slot { row, target };
    }

    fn is_free(&self, slot: SlotId) -> bool {
        self.slots.get(slot.index()).is_none_or(|slot| slot.row == RowBase::NONE)
    }

    /// A base that was never assigned and at which these columns are free.
    ///
    /// If half of the slots are free, finding a base for n columns takes about 2^n tries. If the tries fail, the base
    /// is at the end, and later searches start at a higher base.
    fn find_base(&mut self, columns: &[u32]) -> RowBase {
        let fits = |&base: &u32| {
            let base = RowBase::from_raw(base);
            columns.iter().all(|&column| self.is_free(base.slot(column))) && !self.by_base.contains_key(&base)
        };
        let is_long = columns.len() > LONG;
        let tries = if is_long { 0 } else { 1 << columns.len().min(MAX_TRIES_LOG) };
        let found = (self.search_from..self.search_from + tries).find(fits);
        let at_end = || (self.search_from.max(self.end)..).find(fits);
        let base = found.or_else(at_end).expect("all slots past the end are free");
        if is_long {
            self.search_from = base + 2 * columns.iter().max().map_or(0, |&column| column + 1);
        } else if found.is_none() {
            self.search_from += tries.div_ceil(2);
        }
        RowBase::from_raw(base)
    }

    fn assign(&mut self, base: RowBase, row: RowId) {
        self.by_base.insert(base, row);
        let slots = base.slot(self.columns).index();
        if slots > self.slots.len() {
            self.slots.resize(slots, Slot::FREE);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// The target of an entry, found as a table walk finds it.
    fn target(comb: &Comb, base: RowBase, column: u32) -> u32 {
        let slot = comb.slots()[base.slot(column).index()];
        if slot.row == base { slot.target.raw() } else { 0 }
    }

    proptest! {
        #![proptest_config(crate::test_seed::config())]
        #[test]
        fn finds_exactly_the_entries_that_were_set(
            sets in prop::collection::vec((0..20usize, 0..300u32, 1..9u32), 0..600),
            rows in 1..20usize,
        ) {
            let mut comb = Comb::new(200);
            comb.widen(300);
            let mut bases: Vec<Vec<RowBase>> = (0..rows).map(|index| {
                let row = comb.add();
                assert_eq!(row.index(), index);
                vec![comb.base(row)]
            }).collect();
            let mut expected = BTreeMap::new();
            for (index, column, to) in sets {
                let index = index % rows;
                let row = RowId::try_from_index(index).expect("few rows");
                prop_assert_eq!(comb.has(row, column), expected.contains_key(&(index, column)));
                if comb.has(row, column) {
                    comb.redirect(comb.base(row).slot(column), Target::from_raw(to));
                } else {
                    comb.set(row, column, Target::from_raw(to));
                }
                expected.insert((index, column), to);
                if bases[index].last() != Some(&comb.base(row)) {
                    bases[index].push(comb.base(row));
                }
            }
            for (index, bases) in bases.iter().enumerate() {
                for column in 0..300 {
                    let (&last, before) = bases.split_last().expect("every row has a base");
                    let to = expected.get(&(index, column)).copied().unwrap_or(0);
                    prop_assert_eq!(target(&comb, last, column), to);
                    for &base in before {
                        prop_assert_eq!(target(&comb, base, column), 0);
                    }
                    prop_assert_eq!(target(&comb, RowBase::NONE, column), 0);
                }
                for &base in bases {
                    prop_assert_eq!(comb.row(base).index(), index);
                }
            }
            let mut all: Vec<RowBase> = bases.concat();
            all.sort_unstable();
            prop_assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "a base was given twice");
        }
    }

    /// A row that gets an entry in every column, while other rows are added, moves only a few times.
    #[test]
    fn a_long_row_moves_rarely() {
        const COLUMNS: u32 = 20_000;
        let mut comb = Comb::new(COLUMNS);
        let (long, mut moves) = (comb.add(), 0);
        for column in 0..COLUMNS {
            let before = comb.base(long);
            comb.set(long, column, Target::from_raw(1));
            moves += u32::from(comb.base(long) != before);
            let short = comb.add();
            comb.set(short, column % 7, Target::from_raw(1));
        }
        assert!(moves < 100, "{moves} moves");
        assert!((0..COLUMNS).all(|column| target(&comb, comb.base(long), column) == 1));
        assert!(comb.slots().len() < 10 * COLUMNS as usize, "{} slots", comb.slots().len());
    }
}
