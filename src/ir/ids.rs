//! The ids of types, attributes and locations.

use crate::id::define_ids;

define_ids! {
    /// A type of a [`Context`](super::Context).
    pub struct TypeId;
    /// An attribute of a [`Context`](super::Context).
    pub struct AttrId;
    /// A location of a [`Context`](super::Context).
    pub struct LocId;
}
