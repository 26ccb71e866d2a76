//! Ids and links of objects whose slots are reused.
//!
//! In debug builds an id carries the age of its slot, which grows when the object in the slot is erased. The use of a
//! stale id is therefore detected, even if the slot holds another object now. In release builds an id is only a number,
//! and nothing is checked. Two ids are equal if their numbers are equal, whatever their ages, so that debug and release
//! builds give the same results.

use std::marker::PhantomData;

use crate::id::Id;

/// A link to a slot, or to no slot, in 32 bits.
#[derive(Debug)]
pub(super) struct Link<I> {
    raw: u32,
    id: PhantomData<fn(I)>,
}

impl<I> Link<I> {
    /// The link to no slot.
    pub(super) const NONE: Self = Self::to_slot(u32::MAX);
    /// The mark of a free slot. A slot in use never holds this link.
    pub(super) const FREE: Self = Self::to_slot(u32::MAX - 1);

    /// The link to a slot. Tables of a module have at most 2^31 slots, so no slot has the number of `NONE` or `FREE`.
    pub(super) const fn to_slot(raw: u32) -> Self {
        Self { raw, id: PhantomData }
    }

    pub(super) fn is_none(self) -> bool {
        self == Self::NONE
    }

    pub(super) fn is_free(self) -> bool {
        self == Self::FREE
    }

    /// The index of the slot. For [`Self::NONE`] it is past the end of every table.
    pub(super) fn index(self) -> usize {
        self.raw as usize
    }
}

impl<I: Id> Link<I> {
    /// The link to the slot of an id.
    pub(super) fn to(id: I) -> Self {
        Self::to_slot(u32::try_from(id.index()).expect("an id has 32 bits"))
    }

    /// The id of the slot, without an age.
    pub(super) fn id(self) -> Option<I> {
        if self.is_none() { None } else { I::try_from_index(self.index()) }
    }
}

impl<I> Clone for Link<I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I> Copy for Link<I> {}
impl<I> PartialEq for Link<I> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

/// An id that carries an age in debug builds.
pub(super) trait AgedId: Id {
    /// The id of a slot.
    fn from_slot(raw: u32) -> Self;
    /// The same id with an age.
    fn of_age(self, age: u32) -> Self;
    /// False if the id is known to have another age.
    fn has_age(self, age: u32) -> bool;
}

/// Defines [`AgedId`]s.
macro_rules! define_aged_ids {
    ($($(#[$doc:meta])* pub struct $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name {
            raw: u32,
            /// `None` for an id that was made from a number. Such an id never counts as stale.
            #[cfg(debug_assertions)]
            age: Option<u32>,
        }

        impl $name {
            /// The id with this raw number. It never counts as stale.
            pub const fn from_raw(raw: u32) -> Self {
                Self {
                    raw,
                    #[cfg(debug_assertions)]
                    age: None,
                }
            }
            /// The raw number.
            pub const fn raw(self) -> u32 { self.raw }
        }

        impl $crate::id::Id for $name {
            fn try_from_index(index: usize) -> Option<Self> {
                u32::try_from(index).ok().filter(|&raw| raw != u32::MAX).map(Self::from_raw)
            }
            fn index(self) -> usize { self.raw as usize }
        }

        #[cfg(debug_assertions)]
        impl $crate::ir::aged_id::AgedId for $name {
            fn from_slot(raw: u32) -> Self { Self::from_raw(raw) }
            fn of_age(self, age: u32) -> Self { Self { age: Some(age), ..self } }
            fn has_age(self, age: u32) -> bool {
                self.age.is_none_or(|own| own == age)
            }
        }

        #[cfg(not(debug_assertions))]
        impl $crate::ir::aged_id::AgedId for $name {
            fn from_slot(raw: u32) -> Self { Self::from_raw(raw) }
            fn of_age(self, _age: u32) -> Self { self }
            fn has_age(self, _age: u32) -> bool { true }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool { self.raw == other.raw }
        }
        impl Eq for $name {}
        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> { Some(self.cmp(other)) }
        }
        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering { self.raw.cmp(&other.raw) }
        }
        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) { self.raw.hash(state); }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.raw)
            }
        }
    )*};
}
pub(super) use define_aged_ids;

/// The number of times that each slot of a table was freed; empty in release builds.
#[derive(Clone, Debug)]
pub(super) struct Ages<I> {
    #[cfg(debug_assertions)]
    ages: Vec<u32>,
    id: PhantomData<fn(I)>,
}

impl<I> Default for Ages<I> {
    fn default() -> Self {
        Self {
            #[cfg(debug_assertions)]
            ages: Vec::new(),
            id: PhantomData,
        }
    }
}

impl<I: AgedId> Ages<I> {
    #[cfg(debug_assertions)]
    fn age(&self, raw: u32) -> u32 {
        self.ages.get(raw as usize).copied().unwrap_or(0)
    }

    #[cfg(not(debug_assertions))]
    #[allow(clippy::unused_self, reason = "debug builds use it")]
    fn age(&self, _raw: u32) -> u32 {
        0
    }

    /// The id of the object that is in a slot now.
    pub(super) fn id(&self, raw: u32) -> I {
        I::from_slot(raw).of_age(self.age(raw))
    }

    /// The ids of `count` consecutive slots from `start` on, which are always freed together.
    pub(super) fn ids(
        &self,
        start: u32,
        count: u32,
    ) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I> {
        let age = self.age(start);
        (start as usize..start as usize + count as usize).map(move |raw| {
            let id = I::try_from_index(raw).expect("an id was made for this slot");
            id.of_age(age)
        })
    }

    /// The id of the object that a link points to.
    pub(super) fn linked(&self, link: Link<I>) -> Option<I> {
        (!link.is_none()).then(|| self.id(link.raw))
    }

    /// Makes the existing ids of a slot stale.
    pub(super) fn retire(&mut self, raw: u32) {
        #[cfg(debug_assertions)]
        {
            let at = raw as usize;
            if at >= self.ages.len() {
                self.ages.resize(at + 1, 0);
            }
            self.ages[at] = self.ages[at].wrapping_add(1);
        }
        #[cfg(not(debug_assertions))]
        let _ = raw;
    }

    /// False if the id is stale.
    pub(super) fn is_current(&self, id: I) -> bool {
        id.has_age(self.age(u32::try_from(id.index()).expect("an id has 32 bits")))
    }
}
