//! Native properties of operations.

use super::bytes::Reader;
use super::encode::{AttrKey, Encoding, Ref, Strings};
use super::error::{self, ReadResult};
use super::layout::{Layout, Sizes};
use super::table::Table;
use super::version;
use crate::host::AttrNameId;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{EnumSyntax, PropertyEncoding};
use crate::ir::elements::{self, ElementKind};
use crate::ir::ids::AttrId;
use crate::number::ApInt;

/// The maximum number of bits of an index in a sparse list of sizes.
const INDEX_BITS: u64 = 8;

/// A reader of the properties of an operation.
pub(super) struct PropertyReader<'r, 'f, 'a> {
    pub(super) table: &'r mut Table<'f, 'a>,
    pub(super) context: &'r mut Context,
    pub(super) reader: Reader<'a>,
    /// The number of levels in the deepest attribute that was read.
    pub(super) depth: u32,
}

impl PropertyReader<'_, '_, '_> {
    /// Reads the properties as a dictionary.
    pub(super) fn properties(&mut self, layout: &Layout, op: &str) -> ReadResult<AttrId> {
        let mut entries = Vec::new();
        let is_old = self.table.file.version() < version::NATIVE_SIZES;
        for place in 0..=layout.attrs.len() {
            for sizes in layout.sizes.iter().filter(|sizes| is_old && sizes.place_in_version_5 == place) {
                let at = self.reader.position();
                let index = self.reader.number()?;
                let value = self.attr(index, at)?;
                entries.push((sizes.name, value));
            }
            if let Some(&(name, optional)) = layout.attrs.get(place) {
                let at = self.reader.position();
                let (index, present) =
                    if optional { self.reader.flagged()? } else { (self.reader.number()?, true) };
                if present {
                    entries.push((name, self.attr(index, at)?));
                }
            }
        }
        for (name, encoding) in &layout.properties {
            entries.push((*name, self.property(encoding, op, *name)?));
        }
        if !is_old {
            for sizes in &layout.sizes {
                let value = self.sizes(sizes)?;
                entries.push((sizes.name, value));
            }
        }
        Ok(self.context.dictionary(&mut entries))
    }

    /// Reads properties that are stored as one attribute, because the writer of the file had no definition of the
    /// operation.
    pub(super) fn attribute(&mut self) -> ReadResult<AttrId> {
        let at = self.reader.position();
        let index = self.reader.number()?;
        self.attr(index, at)
    }

    fn attr(&mut self, index: u64, at: usize) -> ReadResult<AttrId> {
        let (attr, depth) = self.table.attr(self.context, index, at)?;
        self.depth = self.depth.max(depth + 1);
        Ok(attr)
    }

    /// Reads a property as the attribute that stands for it.
    fn property(&mut self, encoding: &PropertyEncoding, op: &str, name: AttrNameId) -> ReadResult<AttrId> {
        let at = self.reader.position();
        Ok(match encoding {
            PropertyEncoding::Unit if self.reader.bool()? => Context::UNIT,
            PropertyEncoding::Unit => self.context.bool_attr(false),
            PropertyEncoding::Bool => {
                let value = self.reader.bool()?;
                self.context.bool_attr(value)
            }
            &PropertyEncoding::Integer { width, .. }
            | &PropertyEncoding::Enum { cases: EnumSyntax { width, .. }, .. } => {
                let (value, ty) = (self.reader.number()?, self.context.signless(width));
                let value = ApInt::from_u64(width, value);
                self.context.intern_attr(AttrKind::Integer { value, ty })
            }
            PropertyEncoding::Str => {
                let text = self.table.file.string(&mut self.reader)?;
                self.context.string_attr(text)
            }
            PropertyEncoding::Optional(inner) => {
                let items = match self.reader.bool()? {
                    true => vec![self.property(inner, op, name)?],
                    false => Vec::new(),
                };
                self.context.intern_attr(AttrKind::Array(items.into()))
            }
            PropertyEncoding::List(inner) => {
                let count = self.reader.count("values of a property")?;
                let items =
                    (0..count).map(|_| self.property(inner, op, name)).collect::<ReadResult<Vec<_>>>()?;
                self.context.intern_attr(AttrKind::Array(items.into()))
            }
            &PropertyEncoding::IntegerList(width) => {
                let element = self.context.signless(width);
                let count = self.reader.count("values of a property")?;
                let mut data = Vec::with_capacity(count);
                for _ in 0..count {
                    elements::push_int(&mut data, &ApInt::from_u64(width, self.reader.number()?));
                }
                self.context.intern_attr(AttrKind::DenseArray { element, data: data.into() })
            }
            PropertyEncoding::Cxx => {
                return Err(error::cxx_property(op, self.context.attr_name_text(name), at));
            }
        })
    }

    /// Reads the sizes of groups. The file has either all sizes, or pairs of an index and a size. If it has pairs, the
    /// sizes without a pair are 0.
    fn sizes(&mut self, sizes: &Sizes) -> ReadResult<AttrId> {
        let mut values = vec![0; sizes.groups];
        let at = self.reader.position();
        let size =
            |value: u64| u32::try_from(value).map_err(|_| error::expected("a size of at most 32 bits", at));
        let (count, sparse) = self.reader.flagged()?;
        let count = self.reader.fitting(count, "sizes of groups")?;
        let bits = if sparse && count > 0 { self.reader.number()? } else { 0 };
        if bits > INDEX_BITS {
            return Err(error::expected("an index of at most 8 bits", at));
        }
        for index in 0..count {
            let value = self.reader.number()?;
            let (index, value) = match sparse {
                true => (value & ((1 << bits) - 1), value >> bits),
                false => (index as u64, value),
            };
            let groups = values.len();
            let place = usize::try_from(index).ok().and_then(|index| values.get_mut(index));
            *place.ok_or_else(|| error::bad_index("group", index, groups, at))? = size(value)?;
        }
        let data = values.into_iter().flat_map(u32::to_le_bytes).collect();
        Ok(self.context.intern_attr(AttrKind::DenseArray { element: Context::I32, data }))
    }
}

/// Encodes properties in the form of an operation's definition. Returns `None` if they do not fit the definition, or if
/// only C++ code encodes them.
pub(super) fn encode(
    context: &mut Context,
    strings: &mut Strings,
    layout: &Layout,
    properties: AttrId,
    version: u64,
) -> Option<Encoding> {
    if layout.cxx {
        return None;
    }
    let entries = context.entries(properties).to_vec();
    let find = |name: AttrNameId| entries.iter().find(|entry| entry.0 == name).map(|entry| entry.1);
    let names = layout.attrs.iter().map(|attr| attr.0);
    let names = names.chain(layout.properties.iter().map(|property| property.0));
    let names: Vec<AttrNameId> = names.chain(layout.sizes.iter().map(|sizes| sizes.name)).collect();
    if entries.iter().any(|entry| !names.contains(&entry.0)) {
        return None;
    }
    let is_old = version < version::NATIVE_SIZES;
    let mut out = Encoding::default();
    for place in 0..=layout.attrs.len() {
        for sizes in layout.sizes.iter().filter(|sizes| is_old && sizes.place_in_version_5 == place) {
            let value = find(sizes.name)?;
            out.push(Ref::Attr(AttrKey::attr(context, value)));
        }
        let Some(&(name, optional)) = layout.attrs.get(place) else { continue };
        match (find(name), optional) {
            (Some(value), true) => out.push(Ref::PresentAttr(AttrKey::attr(context, value))),
            (Some(value), false) => out.push(Ref::Attr(AttrKey::attr(context, value))),
            (None, true) => out.bytes.number(0),
            (None, false) => return None,
        }
    }
    for (name, encoding) in &layout.properties {
        encode_property(context, strings, encoding, find(*name)?, &mut out)?;
    }
    if !is_old {
        for sizes in &layout.sizes {
            encode_sizes(&group_sizes(context, find(sizes.name)?, sizes.groups)?, &mut out);
        }
    }
    Some(out)
}

/// Encodes properties as one attribute, because the definition of the operation is unknown.
pub(super) fn attribute(context: &Context, properties: AttrId) -> Encoding {
    let mut out = Encoding::default();
    out.push(Ref::Attr(AttrKey::attr(context, properties)));
    out
}

fn encode_property(
    context: &Context,
    strings: &mut Strings,
    encoding: &PropertyEncoding,
    value: AttrId,
    out: &mut Encoding,
) -> Option<()> {
    match (encoding, context.attr_kind(value)) {
        (PropertyEncoding::Unit, AttrKind::Unit) => out.bytes.byte(1),
        (PropertyEncoding::Unit | PropertyEncoding::Bool, AttrKind::Integer { value, .. }) => {
            out.bytes.byte(u8::from(!value.is_zero()))
        }
        (
            &PropertyEncoding::Integer { width, .. }
            | &PropertyEncoding::Enum { cases: EnumSyntax { width, .. }, .. },
            AttrKind::Integer { value, .. },
        ) if value.width() == width => out.bytes.number(value.to_u64()?),
        (PropertyEncoding::Str, AttrKind::String { text, .. }) => {
            out.bytes.number(strings.number(context.str(*text)));
        }
        (PropertyEncoding::Optional(inner), AttrKind::Array(items)) => {
            out.bytes.byte(u8::from(!items.is_empty()));
            if let [item] = **items {
                encode_property(context, strings, inner, item, out)?;
            } else if !items.is_empty() {
                return None;
            }
        }
        (PropertyEncoding::List(inner), AttrKind::Array(items)) => {
            out.bytes.count(items.len());
            for &item in items {
                encode_property(context, strings, inner, item, out)?;
            }
        }
        (&PropertyEncoding::IntegerList(width), AttrKind::DenseArray { element, data })
            if ElementKind::of(context, *element) == Some(ElementKind::Int { width }) =>
        {
            let items = data.chunks(width.div_ceil(8).max(1) as usize);
            out.bytes.count(items.len());
            for item in items {
                out.bytes.number(ApInt::from_le_bytes(width, item).to_u64()?);
            }
        }
        _ => return None,
    }
    Some(())
}

/// Reads the sizes of groups from an attribute.
fn group_sizes(context: &Context, value: AttrId, groups: usize) -> Option<Vec<u64>> {
    match context.attr_kind(value) {
        AttrKind::DenseArray { element: Context::I32, data } if data.len() == 4 * groups => {
            let size = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
            Some(data.chunks(4).map(size).collect())
        }
        _ => None,
    }
}

/// Writes the sizes of groups: pairs of an index and a size if at most half of the sizes are not 0 and the indices of
/// these sizes fit in 8 bits, or else all sizes.
fn encode_sizes(sizes: &[u64], out: &mut Encoding) {
    let used: Vec<(usize, u64)> = sizes.iter().copied().enumerate().filter(|size| size.1 != 0).collect();
    let last = used.last().map_or(0, |last| last.0);
    let bits = usize::BITS - last.leading_zeros();
    if used.len() > sizes.len() / 2 || u64::from(bits) > INDEX_BITS {
        out.bytes.flagged(sizes.len() as u64, false);
        sizes.iter().for_each(|&size| out.bytes.number(size));
        return;
    }
    out.bytes.flagged(used.len() as u64, true);
    if !used.is_empty() {
        out.bytes.number(bits.into());
    }
    for (index, size) in used {
        out.bytes.number(size << bits | index as u64);
    }
}
