//! The attributes and types of a file, which are decoded when they are first needed.
//!
//! An attribute or type can refer to any other by its index. If a decoder reads a reference to an entry that is not
//! decoded yet, the decoder stops, this entry is decoded first, and then the decoder starts again. Therefore, following
//! references does not recurse. Only the parser of entries in text form recurses, up to its depth limit. In a list, the
//! decoder reads on after such a reference and stops at the end of the list, so it does not start again for each
//! element.

use super::builtin;
use super::decoder::{
    Decoder, Entries, Item, Place, State, Step, Stop, attr_place, to_attr, to_loc, to_type, type_place,
};
use super::error::{self, ReadResult};
use super::file::{Encoded, File};
use super::quant;
use crate::intern::StrId;
use crate::ir::context::Context;
use crate::ir::ids::{AttrId, LocId, TypeId};
use crate::ir::parse::{self, DEPTH_LIMIT};

/// The attributes and types of a file.
#[derive(Debug)]
pub(super) struct Table<'f, 'a> {
    pub(super) file: &'f File<'a>,
    entries: Entries<'f, 'a>,
}

impl<'f, 'a> Table<'f, 'a> {
    /// A table in which nothing is decoded.
    pub(super) fn new(file: &'f File<'a>) -> Self {
        Self { file, entries: Entries::new(file) }
    }

    /// Adds the key of a resource to which attributes can refer.
    pub(super) fn add_resource(&mut self, key: StrId) {
        self.entries.resources.push(key);
    }

    fn encoded(&self, place: Place) -> &'f Encoded<'a> {
        match place {
            Place::Attr(index) => &self.file.attrs[index as usize],
            Place::Type(index) => &self.file.types[index as usize],
        }
    }

    /// The attribute with an index that was read at byte `at`, and its nesting depth.
    pub(super) fn attr(&mut self, context: &mut Context, index: u64, at: usize) -> ReadResult<(AttrId, u32)> {
        let (item, depth) = self.resolve(context, attr_place(self.file, index, at)?)?;
        Ok((to_attr(context, item, at)?, depth))
    }

    /// The location with an index that was read at byte `at`.
    pub(super) fn loc(&mut self, context: &mut Context, index: u64, at: usize) -> ReadResult<LocId> {
        let (item, _) = self.resolve(context, attr_place(self.file, index, at)?)?;
        to_loc(context, item, at)
    }

    /// The type with an index that was read at byte `at`, and its nesting depth.
    pub(super) fn ty(&mut self, context: &mut Context, index: u64, at: usize) -> ReadResult<(TypeId, u32)> {
        let (item, depth) = self.resolve(context, type_place(self.file, index, at)?)?;
        Ok((to_type(item, at)?, depth))
    }

    /// Decodes an entry and the entries that it refers to.
    fn resolve(&mut self, context: &mut Context, place: Place) -> ReadResult<(Item, u32)> {
        if let State::Done(item, depth) = self.entries.state(place) {
            return Ok((item, depth));
        }
        let mut waiting = vec![place];
        let mut last = None;
        while let Some(&place) = waiting.last() {
            if let State::Done(item, depth) = self.entries.state(place) {
                last = Some((item, depth));
                waiting.pop();
                continue;
            }
            let encoded = self.encoded(place);
            let mut decoder = Decoder {
                entries: &self.entries,
                context,
                reader: encoded.data,
                place,
                missing: Vec::new(),
                depth: 0,
            };
            match decode(&mut decoder, encoded) {
                Ok(item) => {
                    let (depth, at) = (decoder.depth, encoded.data.position());
                    if depth > DEPTH_LIMIT {
                        return Err(error::too_deep(DEPTH_LIMIT, at));
                    }
                    self.entries.set_state(place, State::Done(item, depth));
                }
                Err(Stop::Fault(fault)) => return Err(fault),
                Err(Stop::Missing) => {
                    let missing = decoder.missing;
                    self.entries.set_state(place, State::Open);
                    for place in missing {
                        if let State::Open = self.entries.state(place) {
                            let (what, index) = match place {
                                Place::Attr(index) => ("attribute", index),
                                Place::Type(index) => ("type", index),
                            };
                            return Err(error::cycle(what, index, self.encoded(place).data.position()));
                        }
                        waiting.push(place);
                    }
                }
            }
        }
        last.ok_or_else(|| {
            error::invalid("an attribute or type is not decoded", self.encoded(place).data.position())
        })
    }
}

/// Decodes an entry, which is in the binary form of its dialect or in text form.
fn decode<'a>(from: &mut Decoder<'_, '_, 'a>, encoded: &Encoded<'a>) -> Step<Item> {
    let dialect = &*from.entries.file.dialects[encoded.dialect];
    let is_type = matches!(from.place, Place::Type(_));
    let what = if is_type { "a type" } else { "an attribute" };
    let at = from.reader.position();
    if !encoded.binary {
        return text(from, what, is_type);
    }
    let item = match (dialect, is_type) {
        ("builtin", false) => builtin::attr(from)?,
        ("builtin", true) => Item::Type(builtin::ty(from)?),
        ("quant", true) => Item::Type(quant::ty(from)?),
        _ => return Err(error::binary_dialect(dialect, what, at).into()),
    };
    from.reader.finish(what)?;
    Ok(item)
}

fn text(from: &mut Decoder<'_, '_, '_>, what: &str, is_type: bool) -> Step<Item> {
    let at = from.reader.position();
    let text = from.reader.zero_terminated()?;
    from.reader.finish(what)?;
    let text = std::str::from_utf8(text).map_err(|_| error::not_text(what, at))?;
    let parsed = if is_type {
        parse::type_with_depth(from.context, text).map(|(ty, depth)| (Item::Type(ty), depth))
    } else {
        parse::attr_with_depth(from.context, text).map(|(attr, depth)| (Item::Attr(attr), depth))
    };
    let (item, depth) = parsed.map_err(|reason| error::bad_text(what, text, &reason, at))?;
    from.depth = depth;
    Ok(item)
}
