//! Encodes attributes, locations and types in their binary form, or as text.

use std::borrow::Cow;
use std::ops::Range;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::builtin::{AttrCode, FLOATS, TypeCode};
use super::bytes::Writer;
use crate::host::Signedness;
use crate::intern::StrId;
use crate::ir::affine::AffineMap;
use crate::ir::attributes::{AttrKind, LocKind};
use crate::ir::context::Context;
use crate::ir::elements::{self, ElementKind};
use crate::ir::ids::{AttrId, LocId, TypeId};
use crate::ir::types::TypeKind;
use crate::number::ApInt;
use crate::string_literal;

/// An entry of the table of attributes. Locations are attributes in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum AttrKey {
    Attr(AttrId),
    Loc(LocId),
}

impl AttrKey {
    /// The key of an attribute.
    pub(super) fn attr(context: &Context, attr: AttrId) -> Self {
        match context.attr_kind(attr) {
            AttrKind::Location(loc) => Self::loc(context, *loc),
            _ => Self::Attr(attr),
        }
    }

    /// The key of a location.
    pub(super) fn loc(context: &Context, loc: LocId) -> Self {
        context.dialect_loc(loc).map_or(Self::Loc(loc), Self::Attr)
    }
}

/// A reference to an entry whose number is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ref {
    Attr(AttrKey),
    /// A reference with a flag that states that the attribute is present.
    PresentAttr(AttrKey),
    Type(TypeId),
    Resource(StrId),
}

/// Bytes with references between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Encoding {
    pub(super) bytes: Writer,
    /// The references, each with the number of bytes before it.
    refs: Vec<(usize, Ref)>,
}

/// A part of an encoding.
#[derive(Clone, Debug)]
pub(super) struct EncodingPart {
    bytes: Range<usize>,
    refs: Range<usize>,
}

impl Encoding {
    pub(super) fn push(&mut self, to: Ref) {
        self.refs.push((self.bytes.bytes.len(), to));
    }

    /// The part from the end of `before` to the current end.
    fn part_after(&self, before: &EncodingPart) -> EncodingPart {
        let (bytes, refs) = (before.bytes.end..self.bytes.bytes.len(), before.refs.end..self.refs.len());
        EncodingPart { bytes, refs }
    }

    /// Everything that is encoded so far.
    pub(super) fn whole(&self) -> EncodingPart {
        EncodingPart { bytes: 0..self.bytes.bytes.len(), refs: 0..self.refs.len() }
    }

    /// The references of a part.
    pub(super) fn refs(&self, part: &EncodingPart) -> impl DoubleEndedIterator<Item = Ref> {
        self.refs[part.refs.clone()].iter().map(|&(_, to)| to)
    }

    /// Writes the bytes of a part, with a number for each reference.
    pub(super) fn write(&self, part: &EncodingPart, out: &mut Writer, mut number: impl FnMut(Ref) -> u64) {
        let mut from = part.bytes.start;
        for &(at, to) in &self.refs[part.refs.clone()] {
            out.raw(&self.bytes.bytes[from..at]);
            match to {
                Ref::PresentAttr(_) => out.flagged(number(to), true),
                _ => out.number(number(to)),
            }
            from = at;
        }
        out.raw(&self.bytes.bytes[from..part.bytes.end]);
    }
}

/// The strings of a file, in the order of their first use.
#[derive(Debug, Default)]
pub(super) struct Strings {
    numbers: HashMap<Box<[u8]>, u64, FxBuildHasher>,
    all: Vec<Box<[u8]>>,
}

impl Strings {
    /// Returns the number of a string. A new string gets the next number.
    pub(super) fn number(&mut self, text: &str) -> u64 {
        let bytes = string_literal::to_bytes(text);
        if let Some(&number) = self.numbers.get(&*bytes) {
            return number;
        }
        let number = self.all.len() as u64;
        self.numbers.insert(bytes.as_ref().into(), number);
        self.all.push(bytes.as_ref().into());
        number
    }

    /// Writes all strings: their number, their sizes from the last to the first, and their bytes.
    pub(super) fn write(&self, out: &mut Writer) {
        out.count(self.all.len());
        for string in self.all.iter().rev() {
            out.count(string.len() + 1);
        }
        for string in &self.all {
            out.zero_terminated(string);
        }
    }
}

/// The dialect of an entry, and the part with its encoding.
pub(super) struct Encoded {
    pub(super) dialect: Cow<'static, str>,
    /// True for the binary form of the dialect, false for text.
    pub(super) binary: bool,
    pub(super) part: EncodingPart,
}

/// The encoder of one entry. It appends the bytes and references of the entry to `out`.
pub(super) struct Encoder<'e> {
    pub(super) context: &'e mut Context,
    pub(super) strings: &'e mut Strings,
    pub(super) out: &'e mut Encoding,
}

/// The dialect in the text of a dialect's attribute or type. The text has no sigil.
fn dialect_of_text(text: &str) -> &str {
    text.split(['.', '<']).next().unwrap_or("")
}

impl Encoder<'_> {
    /// Encodes an attribute or location.
    pub(super) fn attr_entry(mut self, key: AttrKey) -> Encoded {
        let before = self.out.whole();
        let binary = match key {
            AttrKey::Loc(loc) => {
                self.location(loc);
                true
            }
            AttrKey::Attr(attr) => self.attribute(attr),
        };
        let mut dialect = Cow::Borrowed("builtin");
        if let (AttrKey::Attr(attr), false) = (key, binary) {
            let text = self.context.exact_attr_text(attr);
            if let AttrKind::Dialect { body, .. } = self.context.attr_kind(attr) {
                dialect = dialect_of_text(self.context.str(body.text)).to_owned().into();
            }
            self.text(&text);
        }
        Encoded { dialect, binary, part: self.out.part_after(&before) }
    }

    /// Encodes a type.
    pub(super) fn type_entry(mut self, ty: TypeId) -> Encoded {
        let before = self.out.whole();
        let binary = self.ty(ty);
        let mut dialect = Cow::Borrowed("builtin");
        if !binary {
            let text = self.context.exact_type_text(ty);
            if let TypeKind::Dialect(body) = self.context.type_kind(ty) {
                dialect = dialect_of_text(self.context.str(body.text)).to_owned().into();
            }
            self.text(&text);
        }
        Encoded { dialect, binary, part: self.out.part_after(&before) }
    }

    fn text(&mut self, text: &str) {
        self.out.bytes.zero_terminated(&string_literal::to_bytes(text));
    }

    // Parts.

    fn code(&mut self, code: AttrCode) {
        self.out.bytes.number(code.number());
    }

    fn attr_ref(&mut self, attr: AttrId) {
        let key = AttrKey::attr(self.context, attr);
        self.out.push(Ref::Attr(key));
    }

    fn loc_ref(&mut self, loc: LocId) {
        let key = AttrKey::loc(self.context, loc);
        self.out.push(Ref::Attr(key));
    }

    fn type_ref(&mut self, ty: TypeId) {
        self.out.push(Ref::Type(ty));
    }

    /// Adds a reference to the string attribute with this text.
    fn string_ref(&mut self, text: StrId) {
        let attr = self.context.intern_attr(AttrKind::String { text, ty: None });
        self.attr_ref(attr);
    }

    fn string(&mut self, text: StrId) {
        let number = self.strings.number(self.context.str(text));
        self.out.bytes.number(number);
    }

    fn integer(&mut self, value: &ApInt) {
        let out = &mut self.out.bytes;
        let bytes = value.to_le_bytes();
        match value.width() {
            0..=8 => out.byte(bytes.first().copied().unwrap_or(0)),
            9..=64 => {
                let mut all = [0; 8];
                all[..bytes.len()].copy_from_slice(&bytes);
                out.signed(i64::from_le_bytes(all));
            }
            _ => {
                let words: Vec<i64> = bytes
                    .chunks(8)
                    .map(|chunk| {
                        let mut all = [0; 8];
                        all[..chunk.len()].copy_from_slice(chunk);
                        i64::from_le_bytes(all)
                    })
                    .collect();
                let count = words.iter().rposition(|&word| word != 0).map_or(1, |last| last + 1);
                out.count(count);
                words[..count].iter().for_each(|&word| out.signed(word));
            }
        }
    }

    fn shape(&mut self, shape: &[i64]) {
        self.out.bytes.count(shape.len());
        shape.iter().for_each(|&size| self.out.bytes.signed(size));
    }

    // Entries.

    /// Encodes an attribute. Returns false, without effect, if it has no binary form.
    fn attribute(&mut self, attr: AttrId) -> bool {
        match self.context.attr_kind(attr).clone() {
            AttrKind::Unit => self.code(AttrCode::Unit),
            AttrKind::Integer { value, ty } => {
                self.code(AttrCode::Integer);
                self.type_ref(ty);
                self.integer(&value);
            }
            AttrKind::Float { value, ty } => {
                self.code(AttrCode::Float);
                self.type_ref(ty);
                let bits = value.to_bits().to_le_bytes();
                self.integer(&ApInt::from_le_bytes(value.format().width(), &bits));
            }
            AttrKind::String { text, ty } => {
                self.code(if ty.is_some() { AttrCode::TypedString } else { AttrCode::String });
                self.string(text);
                ty.into_iter().for_each(|ty| self.type_ref(ty));
            }
            AttrKind::Array(items) => {
                self.code(AttrCode::Array);
                self.out.bytes.count(items.len());
                items.iter().for_each(|&item| self.attr_ref(item));
            }
            AttrKind::Dictionary(entries) => {
                self.code(AttrCode::Dictionary);
                self.out.bytes.count(entries.len());
                for &(name, value) in &entries {
                    let name = self.context.attr_name_text(name).to_owned();
                    let name = self.context.string_attr(&name);
                    self.attr_ref(name);
                    self.attr_ref(value);
                }
            }
            AttrKind::Type(ty) => {
                self.code(AttrCode::Type);
                self.type_ref(ty);
            }
            AttrKind::SymbolRef { root, nested } if nested.is_empty() => {
                self.code(AttrCode::FlatSymbolRef);
                self.string_ref(root);
            }
            AttrKind::SymbolRef { root, nested } => {
                self.code(AttrCode::SymbolRef);
                self.string_ref(root);
                self.out.bytes.count(nested.len());
                for &root in &nested {
                    let flat = self.context.intern_attr(AttrKind::SymbolRef { root, nested: [].into() });
                    self.attr_ref(flat);
                }
            }
            AttrKind::DenseElements { ty, data, splat } => {
                let element = self.context.type_kind(ty).element();
                let Some(kind) = element.and_then(|element| ElementKind::of(self.context, element)) else {
                    return false;
                };
                self.code(AttrCode::DenseElements);
                self.type_ref(ty);
                if !splat {
                    self.out.bytes.blob(&elements::to_raw(kind, &data));
                } else if kind == (ElementKind::Int { width: 1 }) {
                    self.out.bytes.blob(&[if data[0] & 1 == 1 { 0xFF } else { 0 }]);
                } else {
                    self.out.bytes.blob(&data);
                }
            }
            AttrKind::DenseStrings { ty, elements } => {
                self.code(AttrCode::DenseStrings);
                self.type_ref(ty);
                self.out.bytes.number(u64::from(elements.len() == 1));
                elements.iter().for_each(|&element| self.string(element));
            }
            AttrKind::DenseArray { element, data } => {
                let Some(kind) = ElementKind::of(self.context, element) else { return false };
                self.code(AttrCode::DenseArray);
                self.type_ref(element);
                self.out.bytes.count(data.len() / kind.array_size());
                self.out.bytes.blob(if kind.size() == 0 { &[] } else { &data });
            }
            AttrKind::DenseResource { ty, key } => {
                self.code(AttrCode::DenseResource);
                self.type_ref(ty);
                self.out.push(Ref::Resource(key));
            }
            AttrKind::SparseElements { ty, indices, values } => {
                self.code(AttrCode::SparseElements);
                self.type_ref(ty);
                self.attr_ref(indices);
                self.attr_ref(values);
            }
            AttrKind::Distinct { referenced, .. } => {
                self.code(AttrCode::Distinct);
                self.attr_ref(referenced);
            }
            AttrKind::Location(loc) => self.location(loc),
            AttrKind::AffineMap(_)
            | AttrKind::IntegerSet(_)
            | AttrKind::StridedLayout { .. }
            | AttrKind::DialectElements { .. }
            | AttrKind::Dialect { .. } => return false,
        }
        true
    }

    fn location(&mut self, loc: LocId) {
        match self.context.loc_kind(loc) {
            LocKind::Unknown => self.code(AttrCode::UnknownLoc),
            LocKind::FileLineCol { file, line, column } => {
                self.code(AttrCode::FileLineColLoc);
                self.string_ref(file);
                self.out.bytes.number(line.into());
                self.out.bytes.number(column.into());
            }
            LocKind::FileRange { file, start, end } => {
                self.code(AttrCode::FileRangeLoc);
                self.string_ref(file);
                let (whole, line) = ([start.0, start.1, end.0, end.1], [start.0, start.1, end.1]);
                let parts = if start.0 == end.0 { &line[..] } else { &whole };
                self.out.bytes.count(parts.len());
                parts.iter().for_each(|&part| self.out.bytes.number(part.into()));
            }
            LocKind::Name { name, child } => {
                self.code(AttrCode::NameLoc);
                self.string_ref(name);
                self.loc_ref(child);
            }
            LocKind::CallSite { callee, caller } => {
                self.code(AttrCode::CallSiteLoc);
                self.loc_ref(callee);
                self.loc_ref(caller);
            }
            LocKind::Fused { locations, metadata } => {
                self.code(match metadata {
                    Some(_) => AttrCode::FusedLocWithMetadata,
                    None => AttrCode::FusedLoc,
                });
                self.out.bytes.count(locations.len());
                locations.iter().for_each(|&loc| self.loc_ref(loc));
                metadata.into_iter().for_each(|attr| self.attr_ref(attr));
            }
            LocKind::Dialect(attr) => self.attr_ref(attr),
        }
    }

    /// Encodes a type. Returns false, without effect, if it has no binary form.
    fn ty(&mut self, ty: TypeId) -> bool {
        let code = |encoder: &mut Self, code: TypeCode| encoder.out.bytes.number(code.number());
        match self.context.type_kind(ty).clone() {
            TypeKind::Integer { width, signedness } => {
                code(self, TypeCode::Integer);
                let signedness = match signedness {
                    Signedness::Signless => 0,
                    Signedness::Signed => 1,
                    Signedness::Unsigned => 2,
                };
                self.out.bytes.number(u64::from(width) << 2 | signedness);
            }
            TypeKind::Index => code(self, TypeCode::Index),
            TypeKind::None => code(self, TypeCode::None),
            TypeKind::Float(format) => match FLOATS.iter().find(|known| known.1 == format) {
                Some(known) => code(self, known.0),
                None => return false,
            },
            TypeKind::Complex(element) => {
                code(self, TypeCode::Complex);
                self.type_ref(element);
            }
            TypeKind::Vector { shape, scalable, element } => {
                if scalable.contains(&true) {
                    code(self, TypeCode::ScalableVector);
                    self.out.bytes.count(scalable.len());
                    scalable.iter().for_each(|&scalable| self.out.bytes.byte(scalable.into()));
                } else {
                    code(self, TypeCode::Vector);
                }
                self.shape(&shape);
                self.type_ref(element);
            }
            TypeKind::RankedTensor { shape, element, encoding } => {
                code(self, if encoding.is_some() { TypeCode::TensorWithEncoding } else { TypeCode::Tensor });
                encoding.into_iter().for_each(|attr| self.attr_ref(attr));
                self.shape(&shape);
                self.type_ref(element);
            }
            TypeKind::UnrankedTensor(element) => {
                code(self, TypeCode::UnrankedTensor);
                self.type_ref(element);
            }
            TypeKind::MemRef { shape, element, layout, memory_space } => {
                code(self, if memory_space.is_some() { TypeCode::MemRefWithSpace } else { TypeCode::MemRef });
                memory_space.into_iter().for_each(|attr| self.attr_ref(attr));
                self.shape(&shape);
                self.type_ref(element);
                let layout = layout.unwrap_or_else(|| {
                    let rank = u32::try_from(shape.len()).expect("a rank has 32 bits");
                    self.context.intern_attr(AttrKind::AffineMap(AffineMap::identity(rank)))
                });
                self.attr_ref(layout);
            }
            TypeKind::UnrankedMemRef { element, memory_space } => {
                code(
                    self,
                    match memory_space {
                        Some(_) => TypeCode::UnrankedMemRefWithSpace,
                        None => TypeCode::UnrankedMemRef,
                    },
                );
                memory_space.into_iter().for_each(|attr| self.attr_ref(attr));
                self.type_ref(element);
            }
            TypeKind::Function { inputs, results } => {
                code(self, TypeCode::Function);
                for types in [inputs, results] {
                    self.out.bytes.count(types.len());
                    types.iter().for_each(|&ty| self.type_ref(ty));
                }
            }
            TypeKind::Tuple(types) => {
                code(self, TypeCode::Tuple);
                self.out.bytes.count(types.len());
                types.iter().for_each(|&ty| self.type_ref(ty));
            }
            TypeKind::Graph { .. } | TypeKind::Dialect(_) => return false,
        }
        true
    }
}
