//! The ids of the front end: small numbers that stand for entries of its tables.
//!
//! The ids have a file of their own, because the tables of types, records and values refer to one another.

use crate::id::define_ids;
use crate::intern::StrId;

define_ids! {
    /// A type of one [`Records`](super::Records).
    pub struct TypeId;
    /// A class, a multiclass or a concrete record of one [`Records`](super::Records).
    pub struct RecordId;
    /// The names and types of a record's fields.
    pub(super) struct ShapeId;
    /// A value, concrete or open.
    pub(super) struct ValueId;
    /// An interned sequence of ids.
    pub(super) struct SeqId;
    /// The places of a dag and of its arguments in the text.
    pub(super) struct OriginId;
}

impl TypeId {
    pub(super) const BIT: TypeId = TypeId(0);
    pub(super) const INT: TypeId = TypeId(1);
    pub(super) const STRING: TypeId = TypeId(2);
    pub(super) const DAG: TypeId = TypeId(3);
    /// The type of any record.
    pub(super) const ANY_RECORD: TypeId = TypeId(4);
}

impl ShapeId {
    /// The shape without fields.
    pub(super) const EMPTY: ShapeId = ShapeId(0);
}

impl ValueId {
    /// `?`.
    pub(super) const UNSET: ValueId = ValueId(0);
    /// The bit 0.
    pub(super) const FALSE: ValueId = ValueId(1);
    /// The bit 1.
    pub(super) const TRUE: ValueId = ValueId(2);

    /// The value of a bit.
    pub(super) fn bit(bit: bool) -> ValueId {
        if bit { Self::TRUE } else { Self::FALSE }
    }
}

impl SeqId {
    /// The empty sequence.
    pub(super) const EMPTY: SeqId = SeqId(0);
}

impl OriginId {
    /// The origin of a dag without places.
    pub(super) const NONE: OriginId = OriginId(0);
}

/// The name of a dag argument, of a dag operator or of a template argument; it may be absent.
///
/// Unlike an `Option<StrId>`, it takes four bytes, so that sequences can hold it. The largest number means "absent",
/// because no table uses this number as an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct OptName(u32);

impl OptName {
    /// The absent name.
    pub(super) const NONE: OptName = OptName(u32::MAX);

    /// The name, unless it is absent.
    pub(super) fn get(self) -> Option<StrId> {
        (self != Self::NONE).then(|| StrId::from_raw(self.0))
    }

    pub(super) fn from_raw(raw: u32) -> Self {
        Self(raw)
    }

    pub(super) fn raw(self) -> u32 {
        self.0
    }
}

impl From<StrId> for OptName {
    fn from(name: StrId) -> Self {
        Self(name.raw())
    }
}
