//! The ids of the objects of a context and of a module.

use super::aged_id::define_aged_ids;
use crate::id::define_ids;

define_ids! {
    /// A type of a [`Context`](super::Context).
    pub struct TypeId;
    /// An attribute of a [`Context`](super::Context).
    pub struct AttrId;
    /// A location of a [`Context`](super::Context).
    pub struct LocId;
}

define_aged_ids! {
    /// An operation of a [`Module`](super::Module).
    pub struct OpId;
    /// A value of a [`Module`](super::Module): a result or a block argument.
    pub struct ValueId;
    /// A block of a [`Module`](super::Module).
    pub struct BlockId;
    /// A region of a [`Module`](super::Module).
    pub struct RegionId;
}
