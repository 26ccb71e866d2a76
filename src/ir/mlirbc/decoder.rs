//! The decoder of one entry, which is an attribute or type of a file. It reads the parts of the entry, and references
//! to other entries.

use super::bytes::Reader;
use super::error::{self, Fault, ReadResult};
use super::file::{File, entry};
use crate::intern::StrId;
use crate::ir::attributes::{AttrKind, LocKind};
use crate::ir::context::Context;
use crate::ir::ids::{AttrId, LocId, TypeId};

/// A decoded attribute, location or type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    Attr(AttrId),
    Loc(LocId),
    Type(TypeId),
}

/// The index of an attribute or type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Attr(u32),
    Type(u32),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    Unread,
    /// The entry waits for entries that it refers to.
    Open,
    /// The entry and its nesting depth.
    Done(Item, u32),
}

/// The reason why an entry is not decoded.
pub(super) enum Stop {
    /// The entry refers to entries that are not decoded yet.
    Missing,
    Fault(Box<Fault>),
}

impl From<Box<Fault>> for Stop {
    fn from(fault: Box<Fault>) -> Self {
        Self::Fault(fault)
    }
}

pub(super) type Step<T> = Result<T, Stop>;

/// The attributes and types of a file, each with its state of decoding.
#[derive(Debug)]
pub(super) struct Entries<'f, 'a> {
    pub(super) file: &'f File<'a>,
    attrs: Vec<State>,
    types: Vec<State>,
    /// The keys of the resources that attributes refer to.
    pub(super) resources: Vec<StrId>,
}

impl<'f, 'a> Entries<'f, 'a> {
    /// The entries of a file, before any of them is decoded.
    pub(super) fn new(file: &'f File<'a>) -> Self {
        let attrs = vec![State::Unread; file.attrs.len()];
        let types = vec![State::Unread; file.types.len()];
        Self { file, attrs, types, resources: Vec::new() }
    }

    pub(super) fn state(&self, place: Place) -> State {
        match place {
            Place::Attr(index) => self.attrs[index as usize],
            Place::Type(index) => self.types[index as usize],
        }
    }

    pub(super) fn set_state(&mut self, place: Place, state: State) {
        match place {
            Place::Attr(index) => self.attrs[index as usize] = state,
            Place::Type(index) => self.types[index as usize] = state,
        }
    }
}

pub(super) fn attr_place(file: &File<'_>, index: u64, at: usize) -> ReadResult<Place> {
    entry(&file.attrs, "attribute", index, at)?;
    let place = u32::try_from(index).map(Place::Attr);
    place.map_err(|_| error::bad_index("attribute", index, file.attrs.len(), at))
}

pub(super) fn type_place(file: &File<'_>, index: u64, at: usize) -> ReadResult<Place> {
    entry(&file.types, "type", index, at)?;
    let place = u32::try_from(index).map(Place::Type);
    place.map_err(|_| error::bad_index("type", index, file.types.len(), at))
}

pub(super) fn to_attr(context: &mut Context, item: Item, at: usize) -> ReadResult<AttrId> {
    match item {
        Item::Attr(attr) => Ok(attr),
        Item::Loc(loc) => Ok(context.intern_attr(AttrKind::Location(loc))),
        Item::Type(_) => Err(error::expected("an attribute", at)),
    }
}

pub(super) fn to_loc(context: &mut Context, item: Item, at: usize) -> ReadResult<LocId> {
    match item {
        Item::Loc(loc) => return Ok(loc),
        Item::Attr(attr) => match context.attr_kind(attr) {
            AttrKind::Location(loc) => return Ok(*loc),
            AttrKind::Dialect { .. } => return Ok(context.intern_loc(LocKind::Dialect(attr))),
            _ => {}
        },
        Item::Type(_) => {}
    }
    Err(error::expected("a location, found another attribute", at))
}

pub(super) fn to_type(item: Item, at: usize) -> ReadResult<TypeId> {
    match item {
        Item::Type(ty) => Ok(ty),
        Item::Attr(_) | Item::Loc(_) => Err(error::expected("a type", at)),
    }
}

/// The decoder of one entry.
pub(super) struct Decoder<'d, 'f, 'a> {
    pub(super) entries: &'d Entries<'f, 'a>,
    pub(super) context: &'d mut Context,
    pub(super) reader: Reader<'a>,
    pub(super) place: Place,
    pub(super) missing: Vec<Place>,
    /// The nesting depth of the entry, as far as it is read.
    pub(super) depth: u32,
}

impl Decoder<'_, '_, '_> {
    /// The index of the entry among the attributes or the types of the file.
    pub(super) fn index(&self) -> u64 {
        match self.place {
            Place::Attr(index) | Place::Type(index) => index.into(),
        }
    }

    fn item(&mut self, place: Place) -> Step<Item> {
        match self.entries.state(place) {
            State::Done(item, depth) => {
                self.depth = self.depth.max(depth + 1);
                Ok(item)
            }
            State::Unread | State::Open => {
                self.missing.push(place);
                Err(Stop::Missing)
            }
        }
    }

    fn attr_item(&mut self) -> Step<(Item, usize)> {
        let at = self.reader.position();
        let place = attr_place(self.entries.file, self.reader.number()?, at)?;
        Ok((self.item(place)?, at))
    }

    /// Reads a reference to an attribute.
    pub(super) fn attr(&mut self) -> Step<AttrId> {
        let (item, at) = self.attr_item()?;
        Ok(to_attr(self.context, item, at)?)
    }

    /// Reads a reference to a location.
    pub(super) fn loc(&mut self) -> Step<LocId> {
        let (item, at) = self.attr_item()?;
        Ok(to_loc(self.context, item, at)?)
    }

    /// Reads a reference to a type.
    pub(super) fn ty(&mut self) -> Step<TypeId> {
        let at = self.reader.position();
        let place = type_place(self.entries.file, self.reader.number()?, at)?;
        let item = self.item(place)?;
        Ok(to_type(item, at)?)
    }

    /// Reads a reference to a string attribute. Its type is ignored.
    pub(super) fn string_attr(&mut self) -> Step<StrId> {
        let at = self.reader.position();
        let attr = self.attr()?;
        match *self.context.attr_kind(attr) {
            AttrKind::String { text, .. } => Ok(text),
            _ => Err(error::expected("a string attribute", at).into()),
        }
    }

    /// Reads a string.
    pub(super) fn string(&mut self) -> Step<StrId> {
        let text = self.entries.file.string(&mut self.reader)?;
        Ok(self.context.string(text))
    }

    /// Reads the key of a resource.
    pub(super) fn resource(&mut self) -> Step<StrId> {
        let at = self.reader.position();
        let index = self.reader.number()?;
        Ok(*entry(&self.entries.resources, "resource", index, at)?)
    }

    /// Reads a number, which must be less than 2^32.
    pub(super) fn u32(&mut self, what: &str) -> Step<u32> {
        let at = self.reader.position();
        let number = self.reader.number()?;
        let number =
            u32::try_from(number).map_err(|_| error::expected(&format!("{what} of at most 32 bits"), at))?;
        Ok(number)
    }

    /// Reads a list. After a reference to an entry that is not decoded yet, reading continues, so that all such entries
    /// are found at once.
    pub(super) fn list<T>(&mut self, what: &str, mut item: impl FnMut(&mut Self) -> Step<T>) -> Step<Vec<T>> {
        let count = self.reader.count(what)?;
        let mut items = Vec::with_capacity(count);
        let mut whole = true;
        for _ in 0..count {
            match item(self) {
                Ok(item) => items.push(item),
                Err(Stop::Missing) => whole = false,
                Err(fault) => return Err(fault),
            }
        }
        if whole { Ok(items) } else { Err(Stop::Missing) }
    }
}
