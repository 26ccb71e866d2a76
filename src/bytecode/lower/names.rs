//! The operation names of a program.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::ids::OpNumber;
use crate::id::IdVec;
use crate::intern::StrId;

/// The numbers of operation names, in the order of their first use, so that tables over the numbers are dense.
#[derive(Default)]
pub(super) struct Names {
    pub(super) list: IdVec<OpNumber, StrId>,
    numbers: HashMap<StrId, OpNumber, FxBuildHasher>,
}

impl Names {
    /// Returns the number of a name. The first use of a name assigns the next number.
    pub(super) fn number(&mut self, name: StrId) -> OpNumber {
        // There are no more names than strings, so numbers do not run out.
        *self.numbers.entry(name).or_insert_with(|| self.list.push(name))
    }
}
