//! The tables of uniqued objects: types, attributes, locations, names.
//!
//! Each table consists of its entries, each stored once, and a hash table from entry to id. Reading takes `&self`, and
//! interning takes `&mut self`, so threads can share a context that they only read.
//!
//! A position in a source file is a location without an entry: its id encodes the position, and the line and column are
//! computed on demand.

use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, OnceLock};

use hashbrown::{HashMap, HashSet, HashTable};
use rustc_hash::FxBuildHasher;

use super::attributes::{AttrKind, LocKind};
use super::definitions::{AttrTypeSource, BoundSyntax, DialectTable};
use super::dialect::Forms;
use super::ids::{AttrId, LocId, TypeId};
use super::traits::OpTraits;
use super::types::TypeKind;
use super::verbatim::{AliasTarget, Verbatim};
use crate::host::{AttrNameId, OpNameId, Signedness};
use crate::id::{Id, IdVec};
use crate::intern::{Interner, StrId};
use crate::number::{ApFloat, ApInt, FloatFormat};
use crate::source::{SourceFile, Span};

/// A source file whose positions are locations.
#[derive(Clone, Debug)]
struct SourceLines {
    file: StrId,
    /// The number that encodes the first position of the file in a location id.
    base: u32,
    /// The offset of the start of each line, computed when a location is first asked for its line.
    ///
    /// PERF: most files are never asked for a line, and the search takes 170 of the 3,050 instructions that `drrvm opt`
    /// executes for each line with an operation (callgrind, on lines of `arith.select`).
    line_starts: OnceLock<Box<[u32]>>,
    len: u32,
    source: SourceFile,
}

impl SourceLines {
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let ends = memchr::memchr_iter(b'\n', self.source.text().as_bytes());
            let next = |i: usize| u32::try_from(i + 1).expect("the length fits");
            std::iter::once(0).chain(ends.map(next)).collect()
        })
    }
}

/// The flag of location ids that encode a position.
const POSITION: u32 = 1 << 31;

/// The tables of uniqued objects.
///
/// ```
/// use drrvm::ir::{Context, TypeKind};
/// let mut context = Context::new();
/// let i32 = context.signless(32);
/// let pair = context.intern_type(TypeKind::Tuple([i32, i32].into()));
/// assert_eq!(context.intern_type(TypeKind::Tuple([i32, i32].into())), pair);
/// assert_eq!(context.type_text(pair), "tuple<i32, i32>");
/// ```
#[derive(Clone, Debug)]
pub struct Context {
    strings: Interner,
    op_names: Interner,
    op_traits: Vec<OpTraits>,
    /// The inherent attributes of each operation name.
    inherent: Vec<Box<[AttrNameId]>>,
    attr_names: Interner,
    pub(super) dialects: DialectTable,
    types: IdVec<TypeId, TypeKind>,
    type_ids: HashTable<TypeId>,
    attrs: IdVec<AttrId, AttrKind>,
    attr_ids: HashTable<AttrId>,
    locs: IdVec<LocId, LocKind>,
    loc_ids: HashTable<LocId>,
    sources: Vec<SourceLines>,
    /// The names of the sources, and of the files in [`LocKind::FileLineCol`] locations. The value is the index in
    /// `sources` if the positions of the file are locations.
    files: HashMap<StrId, Option<usize>, FxBuildHasher>,
}

fn hash<T: Hash + ?Sized>(item: &T) -> u64 {
    FxBuildHasher.hash_one(item)
}

fn hash_attr(attr: &AttrKind) -> u64 {
    match attr {
        AttrKind::Dictionary(entries) => hash::<[_]>(entries),
        other => hash(other),
    }
}

fn name_id<I: Id>(id: StrId) -> I {
    I::try_from_index(id.index()).expect("the interner's ids are in range")
}

impl Context {
    /// The empty dictionary.
    pub const EMPTY_DICTIONARY: AttrId = AttrId::from_raw(0);
    /// `unit`.
    pub const UNIT: AttrId = AttrId::from_raw(1);
    /// The properties of an operation whose text contains `<{}>`. Unlike [`Self::EMPTY_DICTIONARY`], they are printed.
    pub(crate) const EMPTY_PROPERTIES: AttrId = AttrId::from_raw(2);
    /// `loc(unknown)`.
    pub const UNKNOWN: LocId = LocId::from_raw(0);
    /// `i1`.
    pub const I1: TypeId = TypeId::from_raw(0);
    /// `i32`.
    pub const I32: TypeId = TypeId::from_raw(1);
    /// `i64`.
    pub const I64: TypeId = TypeId::from_raw(2);
    /// `index`.
    pub const INDEX: TypeId = TypeId::from_raw(3);
    /// `none`.
    pub const NONE: TypeId = TypeId::from_raw(4);
    /// `f64`.
    pub const F64: TypeId = TypeId::from_raw(5);

    /// A context with these registered forms, and without any dialects.
    pub(super) fn without_dialects(forms: Arc<Forms>) -> Self {
        let mut context = Self {
            strings: Interner::default(),
            op_names: Interner::default(),
            op_traits: Vec::new(),
            inherent: Vec::new(),
            attr_names: Interner::default(),
            dialects: DialectTable::new(forms),
            types: IdVec::default(),
            type_ids: HashTable::new(),
            attrs: IdVec::default(),
            attr_ids: HashTable::new(),
            locs: IdVec::default(),
            loc_ids: HashTable::new(),
            sources: Vec::new(),
            files: HashMap::default(),
        };
        let types = [
            context.signless(1),
            context.signless(32),
            context.signless(64),
            context.intern_type(TypeKind::Index),
            context.intern_type(TypeKind::None),
            context.float(FloatFormat::F64),
        ];
        debug_assert_eq!(types, [Self::I1, Self::I32, Self::I64, Self::INDEX, Self::NONE, Self::F64]);
        let empty = context.intern_attr(AttrKind::Dictionary([].into()));
        let unit = context.intern_attr(AttrKind::Unit);
        // Interning never finds `EMPTY_PROPERTIES`, because it is not in the hash table.
        let none = context.attrs.push(AttrKind::Dictionary([].into()));
        debug_assert_eq!((empty, unit, none), (Self::EMPTY_DICTIONARY, Self::UNIT, Self::EMPTY_PROPERTIES));
        context.intern_loc(LocKind::Unknown);
        context
    }

    // Strings and names.

    /// Interns a string.
    pub fn string(&mut self, text: &str) -> StrId {
        self.strings.intern(text)
    }

    /// The id of a string, if the context has it.
    pub fn find_string(&self, text: &str) -> Option<StrId> {
        self.strings.find(text)
    }

    /// The body of a dialect's type or attribute with this text and without references, if the context has the text.
    pub(super) fn find_verbatim(&self, text: &str) -> Option<Verbatim> {
        self.find_string(text).map(|text| Verbatim { text, refs: [].into() })
    }

    /// The text of a string.
    pub fn str(&self, id: StrId) -> &str {
        &self.strings[id]
    }

    /// Interns an operation name, with its dialect: `arith.addi`.
    pub fn op_name(&mut self, name: &str) -> OpNameId {
        let id = self.op_names.intern(name);
        if id.index() == self.op_traits.len() {
            self.op_traits.push(OpTraits::default());
            self.inherent.push([].into());
        }
        name_id(id)
    }

    /// The id of an operation name, if the context has it.
    pub fn find_op_name(&self, name: &str) -> Option<OpNameId> {
        self.op_names.find(name).map(name_id)
    }

    /// The text of an operation name.
    pub fn op_name_text(&self, id: OpNameId) -> &str {
        &self.op_names[name_id::<StrId>(StrId::from_raw(id.raw()))]
    }

    /// The number of operation names. Each id is less than this number.
    pub fn op_name_count(&self) -> usize {
        self.op_names.len()
    }

    /// The operation names, by id.
    pub(super) fn op_names(&self) -> impl Iterator<Item = &str> {
        self.op_names.iter()
    }

    /// The traits of an operation.
    pub fn traits(&self, name: OpNameId) -> OpTraits {
        self.op_traits[name.index()]
    }

    /// Sets the traits of an operation.
    pub fn set_traits(&mut self, name: OpNameId, traits: OpTraits) {
        self.op_traits[name.index()] = traits;
    }

    /// The inherent attributes of an operation, which are stored in its properties.
    pub fn inherent(&self, name: OpNameId) -> &[AttrNameId] {
        &self.inherent[name.index()]
    }

    /// True if a property of the operation has this name and is not an attribute.
    pub(crate) fn is_property(&self, op: OpNameId, name: AttrNameId) -> bool {
        let has_name = |bound: &Arc<BoundSyntax>| bound.property_names.contains(&name);
        self.inherent(op).contains(&name) && self.syntax(op).is_some_and(has_name)
    }

    /// True if an attribute with this name in the attribute dictionary is inherent. Some properties are not attributes.
    /// As in MLIR, an attribute with the name of such a property is discardable.
    pub(super) fn is_inherent(&self, op: OpNameId, name: AttrNameId) -> bool {
        self.inherent(op).contains(&name) && !self.is_property(op, name)
    }

    /// Sets the inherent attributes of an operation. The parser moves them from the attribute dictionary to the
    /// properties.
    pub fn set_inherent(&mut self, name: OpNameId, declared: &[AttrNameId]) {
        self.inherent[name.index()] = declared.into();
    }

    /// Interns an attribute name.
    pub fn attr_name(&mut self, name: &str) -> AttrNameId {
        name_id(self.attr_names.intern(name))
    }

    /// The id of an attribute name, if the context has it.
    pub fn find_attr_name(&self, name: &str) -> Option<AttrNameId> {
        self.attr_names.find(name).map(name_id)
    }

    /// The text of an attribute name.
    pub fn attr_name_text(&self, id: AttrNameId) -> &str {
        &self.attr_names[StrId::from_raw(id.raw())]
    }

    // Types.

    /// Interns a type.
    pub fn intern_type(&mut self, kind: TypeKind) -> TypeId {
        let hashed = hash(&kind);
        let Self { types, type_ids, .. } = self;
        if let Some(&id) = type_ids.find(hashed, |&id| types[id] == kind) {
            return id;
        }
        let id = types.push(kind);
        type_ids.insert_unique(hashed, id, |&id| hash(&types[id]));
        id
    }

    /// The id of a type, if the context has it.
    pub fn find_type(&self, kind: &TypeKind) -> Option<TypeId> {
        self.type_ids.find(hash(kind), |&id| self.types[id] == *kind).copied()
    }

    /// The kind of a type.
    pub fn type_kind(&self, id: TypeId) -> &TypeKind {
        &self.types[id]
    }

    /// The signless integer type of this width.
    ///
    /// # Panics
    /// The width exceeds 2^24 - 1.
    pub fn signless(&mut self, width: u32) -> TypeId {
        assert!(width <= crate::number::MAX_WIDTH, "an integer type of {width} bits");
        self.intern_type(TypeKind::Integer { width, signedness: Signedness::Signless })
    }

    /// A float type.
    pub fn float(&mut self, format: FloatFormat) -> TypeId {
        self.intern_type(TypeKind::Float(format))
    }

    /// The width of an integer type; 64 for `index`, `None` for other types.
    pub fn integer_width(&self, ty: TypeId) -> Option<u32> {
        match self.type_kind(ty) {
            TypeKind::Integer { width, .. } => Some(*width),
            TypeKind::Index => Some(64),
            _ => None,
        }
    }

    /// The kind of a tensor or vector type with its element type replaced by `new`; `None` for other types.
    fn kind_with_element(&self, ty: TypeId, new: TypeId) -> Option<TypeKind> {
        let mut kind = self.type_kind(ty).clone();
        match &mut kind {
            TypeKind::Vector { element, .. }
            | TypeKind::RankedTensor { element, .. }
            | TypeKind::UnrankedTensor(element) => *element = new,
            _ => return None,
        }
        Some(kind)
    }

    /// The tensor or vector type with its element type replaced by `element`. If `ty` is another type, returns
    /// `element`.
    pub fn with_element(&mut self, ty: TypeId, element: TypeId) -> TypeId {
        match self.kind_with_element(ty, element) {
            Some(kind) => self.intern_type(kind),
            None => element,
        }
    }

    /// The result of [`Context::with_element`], if the context has it.
    pub(super) fn find_with_element(&self, ty: TypeId, element: TypeId) -> Option<TypeId> {
        match self.kind_with_element(ty, element) {
            Some(kind) => self.find_type(&kind),
            None => Some(element),
        }
    }

    /// The number of types. Each id is less than this number.
    pub fn type_count(&self) -> usize {
        self.types.len()
    }

    /// The number of attributes. Each id is less than this number.
    pub fn attr_count(&self) -> usize {
        self.attrs.len()
    }

    // Attributes.

    /// Interns an attribute. The entries of a dictionary must be sorted by name, with distinct names.
    pub fn intern_attr(&mut self, kind: AttrKind) -> AttrId {
        let hashed = hash_attr(&kind);
        let Self { attrs, attr_ids, .. } = self;
        if let Some(&id) = attr_ids.find(hashed, |&id| attrs[id] == kind) {
            return id;
        }
        let id = attrs.push(kind);
        attr_ids.insert_unique(hashed, id, |&id| hash_attr(&attrs[id]));
        id
    }

    /// The id of an attribute, if the context has it.
    pub fn find_attr(&self, kind: &AttrKind) -> Option<AttrId> {
        self.attr_ids.find(hash_attr(kind), |&id| self.attrs[id] == *kind).copied()
    }

    /// The kind of an attribute.
    pub fn attr_kind(&self, id: AttrId) -> &AttrKind {
        &self.attrs[id]
    }

    /// A string attribute without type.
    pub fn string_attr(&mut self, text: &str) -> AttrId {
        let text = self.string(text);
        self.intern_attr(AttrKind::String { text, ty: None })
    }

    /// An integer attribute. The value is truncated or sign-extended to the width of the type.
    ///
    /// # Panics
    /// The type is neither an integer type nor `index`.
    pub fn integer_attr(&mut self, value: i64, ty: TypeId) -> AttrId {
        let width = self.integer_width(ty).expect("an integer attribute has an integer type");
        self.intern_attr(AttrKind::Integer { value: ApInt::from_i64(width, value), ty })
    }

    /// A Boolean attribute.
    pub fn bool_attr(&mut self, value: bool) -> AttrId {
        self.integer_attr(value.into(), Self::I1)
    }

    /// A float attribute, whose value is rounded to the type's format.
    ///
    /// # Panics
    /// The type is not a float type.
    pub fn float_attr(&mut self, value: f64, ty: TypeId) -> AttrId {
        let TypeKind::Float(format) = *self.type_kind(ty) else {
            unreachable!("a float attribute has a float type");
        };
        self.intern_attr(AttrKind::Float { value: ApFloat::from_f64(format, value), ty })
    }

    /// A dictionary from entries in any order. The last of several entries with the same name wins.
    pub fn dictionary(&mut self, entries: &mut Vec<(AttrNameId, AttrId)>) -> AttrId {
        self.sort_entries(entries);
        self.sorted_dictionary(entries)
    }

    /// True if entries are sorted by name, and each name occurs once.
    pub(super) fn are_sorted(&self, entries: &[(AttrNameId, AttrId)]) -> bool {
        entries.windows(2).all(|pair| self.attr_name_text(pair[0].0) < self.attr_name_text(pair[1].0))
    }

    fn sort_entries(&self, entries: &mut Vec<(AttrNameId, AttrId)>) {
        let text = |entry: &(AttrNameId, AttrId)| self.attr_name_text(entry.0);
        if self.are_sorted(entries) {
            return;
        }
        // The entries are reversed first, so that `dedup` keeps the last one of each name.
        entries.reverse();
        entries.sort_by(|a, b| text(a).cmp(text(b)));
        entries.dedup_by_key(|entry| entry.0);
    }

    /// A dictionary from entries that are sorted by name. Allocates nothing if the context already has the dictionary.
    pub(super) fn sorted_dictionary(&mut self, entries: &[(AttrNameId, AttrId)]) -> AttrId {
        let hashed = hash(entries);
        let Self { attrs, attr_ids, .. } = self;
        let same = |&id: &AttrId| matches!(&attrs[id], AttrKind::Dictionary(known) if **known == *entries);
        if let Some(&id) = attr_ids.find(hashed, same) {
            return id;
        }
        let id = attrs.push(AttrKind::Dictionary(entries.into()));
        attr_ids.insert_unique(hashed, id, |&id| hash_attr(&attrs[id]));
        id
    }

    /// The entries of a dictionary, empty for other attributes.
    pub fn entries(&self, dictionary: AttrId) -> &[(AttrNameId, AttrId)] {
        match self.attr_kind(dictionary) {
            AttrKind::Dictionary(entries) => entries,
            _ => &[],
        }
    }

    /// The entries of a dictionary, with the texts of their names.
    pub(super) fn named_entries(&self, dictionary: AttrId) -> Vec<(String, AttrId)> {
        let entries = self.entries(dictionary).iter();
        entries.map(|&(name, value)| (self.attr_name_text(name).to_owned(), value)).collect()
    }

    /// Splits a dictionary into the inherent attributes of an operation and the rest.
    pub(super) fn split_inherent(&mut self, name: OpNameId, dictionary: AttrId) -> (AttrId, AttrId) {
        let (mut inherent, mut rest): (Vec<_>, Vec<_>) =
            self.entries(dictionary).iter().copied().partition(|entry| self.is_inherent(name, entry.0));
        (self.dictionary(&mut inherent), self.dictionary(&mut rest))
    }

    /// The value of a dictionary entry.
    #[inline]
    pub fn entry(&self, dictionary: AttrId, name: AttrNameId) -> Option<AttrId> {
        self.entries(dictionary).iter().find(|entry| entry.0 == name).map(|entry| entry.1)
    }

    /// The dictionary with an entry set, or with the entry removed if `value` is `None`.
    pub fn with_entry(&mut self, dictionary: AttrId, name: AttrNameId, value: Option<AttrId>) -> AttrId {
        let mut entries = self.entries(dictionary).to_vec();
        entries.retain(|entry| entry.0 != name);
        entries.extend(value.map(|value| (name, value)));
        self.dictionary(&mut entries)
    }

    /// The type of a typed attribute.
    pub fn attr_type(&self, attr: AttrId) -> Option<TypeId> {
        match *self.attr_kind(attr) {
            AttrKind::Integer { ty, .. }
            | AttrKind::Float { ty, .. }
            | AttrKind::DenseElements { ty, .. }
            | AttrKind::DenseStrings { ty, .. }
            | AttrKind::DialectElements { ty, .. }
            | AttrKind::DenseResource { ty, .. }
            | AttrKind::SparseElements { ty, .. } => Some(ty),
            AttrKind::String { ty, .. } | AttrKind::Dialect { ty, .. } => ty,
            _ => None,
        }
    }

    /// The type that an attribute contributes to the inferred types of results: the value of a type attribute, or else
    /// the type of the attribute.
    pub(crate) fn contributed_type(&self, attr: AttrId) -> Option<TypeId> {
        match *self.attr_kind(attr) {
            AttrKind::Type(ty) => Some(ty),
            _ => self.typed_attr_type(attr),
        }
    }

    /// The type that `TypedAttr::getType` returns in MLIR; `None` if the class of the attribute has no type, or if only
    /// C++ code computes the type. In all other cases, a string or an attribute of a dialect has the type `none` if no
    /// type is written.
    pub(crate) fn typed_attr_type(&self, attr: AttrId) -> Option<TypeId> {
        let is_none = match self.attr_kind(attr) {
            AttrKind::String { .. } => true,
            AttrKind::Dialect { body, ty: None } => match self.attr_type_source(self.str(body.text)) {
                AttrTypeSource::After(default) => default.is_some(),
                AttrTypeSource::Unknown => true,
                AttrTypeSource::Param(..) => {
                    body.refs.iter().any(|part| part.target == AliasTarget::Type(Self::NONE))
                }
                AttrTypeSource::Cxx | AttrTypeSource::Untyped => false,
            },
            _ => false,
        };
        self.attr_type(attr).or(is_none.then_some(Self::NONE))
    }

    /// True if the text of a dialect's attribute determines `ty`, so that this type need not follow the text.
    pub(super) fn text_determines_type(&self, body: &Verbatim, ty: Option<TypeId>) -> bool {
        let Some(ty) = ty else { return true };
        match self.attr_type_source(self.str(body.text)) {
            AttrTypeSource::Param(..) => true,
            AttrTypeSource::After(Some(default)) => default == self.type_text(ty),
            _ => false,
        }
    }

    // Locations.

    /// Interns a location.
    pub fn intern_loc(&mut self, kind: LocKind) -> LocId {
        if let LocKind::FileLineCol { file, line, column } = kind {
            if let Some(id) = self.position(file, line, column) {
                return id;
            }
            self.files.entry(file).or_insert(None);
        }
        let hashed = hash(&kind);
        let Self { locs, loc_ids, .. } = self;
        if let Some(&id) = loc_ids.find(hashed, |&id| locs[id] == kind) {
            return id;
        }
        let id = locs.push(kind);
        assert!(id.raw() < POSITION, "a context has fewer than 2^31 locations");
        loc_ids.insert_unique(hashed, id, |&id| hash(&locs[id]));
        id
    }

    /// The attribute of a location of a dialect; `None` for other locations. A position in a source has no entry in
    /// `locs`.
    pub(super) fn dialect_loc(&self, id: LocId) -> Option<AttrId> {
        match self.locs.get(id) {
            Some(&LocKind::Dialect(attr)) => Some(attr),
            _ => None,
        }
    }

    /// The kind of a location.
    pub fn loc_kind(&self, id: LocId) -> LocKind {
        if id.raw() & POSITION == 0 {
            return self.locs[id].clone();
        }
        let at = id.raw() & !POSITION;
        let source = &self.sources[self.sources.partition_point(|s| s.base <= at) - 1];
        let at = at - source.base;
        let starts = source.line_starts();
        let line = starts.partition_point(|&start| start <= at);
        let column = at - starts[line - 1] + 1;
        let line = u32::try_from(line).expect("fewer lines than bytes");
        LocKind::FileLineCol { file: source.file, line, column }
    }

    /// The place `file:line:column` that a location states. A named location has the place of its child. A call site
    /// has the place of its callee, and a fused location has the place of its first part. Returns `None` for an unknown
    /// location, for a location of a dialect, for an empty fused location, and for a position in a source (see
    /// [`Context::loc_span`]).
    pub(crate) fn loc_place(&self, id: LocId) -> Option<String> {
        let mut id = id;
        while id.raw() & POSITION == 0 {
            id = match &self.locs[id] {
                LocKind::FileLineCol { file, line, column } => {
                    return Some(format!("{}:{line}:{column}", self.str(*file)));
                }
                LocKind::FileRange { file, start, .. } => {
                    return Some(format!("{}:{}:{}", self.str(*file), start.0, start.1));
                }
                LocKind::Name { child, .. } => *child,
                LocKind::CallSite { callee, .. } => *callee,
                LocKind::Fused { locations, .. } => *locations.first()?,
                LocKind::Unknown | LocKind::Dialect(_) => return None,
            };
        }
        None
    }

    /// The empty span at a position in a source. A named location has the span of its child. A call site has the span
    /// of its callee, and a fused location has the span of its first part. Other locations have [`Span::NONE`].
    pub fn loc_span(&self, id: LocId) -> Span {
        self.loc_source(id).map_or(Span::NONE, |(source, offset)| {
            let lo = source.base() + offset;
            Span { lo, hi: lo }
        })
    }

    /// The file of [`Context::loc_span`], and the offset of the position in this file.
    pub(super) fn loc_source(&self, id: LocId) -> Option<(&SourceFile, u32)> {
        let mut id = id;
        loop {
            if id.raw() & POSITION != 0 {
                let at = id.raw() & !POSITION;
                let source = &self.sources[self.sources.partition_point(|s| s.base <= at) - 1];
                return Some((&source.source, at - source.base));
            }
            id = match &self.locs[id] {
                LocKind::Name { child, .. } => *child,
                LocKind::CallSite { callee, .. } => *callee,
                LocKind::Fused { locations, .. } => *locations.first()?,
                _ => return None,
            };
        }
    }

    /// The location id of a position. Returns `None` if positions of the file are not locations, or if the text of the
    /// file has no such position.
    fn position(&self, file: StrId, line: u32, column: u32) -> Option<LocId> {
        let source = &self.sources[(*self.files.get(&file)?)?];
        let index = (line as usize).checked_sub(1)?;
        let starts = source.line_starts();
        let start = *starts.get(index)?;
        let end = starts.get(index + 1).copied().unwrap_or(source.len + 1);
        let at = start.checked_add(column.checked_sub(1)?)?;
        (at < end).then(|| LocId::from_raw(POSITION | (source.base + at)))
    }

    /// Turns the positions of a text into locations, and returns the id of the first byte's location. The ids of the
    /// other positions follow this id. Returns `None` if another text with this name was added, if a location
    /// `file:line:column` already names the file, or if all sources together exceed 2 GiB.
    pub(super) fn add_source(&mut self, file: StrId, source: &SourceFile) -> Option<LocId> {
        let text = source.text();
        if let Some(known) = self.files.get(&file) {
            let known = &self.sources[(*known)?];
            return Arc::ptr_eq(known.source.text(), text).then(|| LocId::from_raw(POSITION | known.base));
        }
        let len = u32::try_from(text.len()).ok()?;
        let base = self.sources.last().map_or(0, |last| last.base + last.len + 1);
        base.checked_add(len).filter(|&end| end < POSITION - 1)?;
        self.files.insert(file, Some(self.sources.len()));
        let line_starts = OnceLock::new();
        self.sources.push(SourceLines { file, base, line_starts, len, source: source.clone() });
        Some(LocId::from_raw(POSITION | base))
    }

    /// Fuses locations as MLIR does: flattens fused locations with the same metadata, and drops unknown and repeated
    /// locations. If a single location remains and there is no metadata, the result is this location.
    pub fn fuse(&mut self, locations: &[LocId], metadata: Option<AttrId>) -> LocId {
        if let (&[one], None) = (locations, metadata)
            && (one.raw() & POSITION != 0 || !matches!(self.locs[one], LocKind::Fused { .. }))
        {
            return one;
        }
        let mut parts: Vec<LocId> = Vec::with_capacity(locations.len());
        let mut seen = HashSet::<LocId, FxBuildHasher>::default();
        let mut add = |loc: LocId| {
            if loc != Self::UNKNOWN && seen.insert(loc) {
                parts.push(loc);
            }
        };
        for &loc in locations {
            match self.loc_kind(loc) {
                LocKind::Fused { locations, metadata: m } if m == metadata => {
                    locations.iter().copied().for_each(&mut add);
                }
                _ => add(loc),
            }
        }
        match (&*parts, metadata) {
            ([], None) => Self::UNKNOWN,
            ([one], None) => *one,
            ([], Some(_)) => self.intern_loc(LocKind::Fused { locations: [Self::UNKNOWN].into(), metadata }),
            _ => self.intern_loc(LocKind::Fused { locations: parts.into(), metadata }),
        }
    }
}
