//! The built-in IR as a host of the engine.

use std::collections::BTreeSet;

use smallvec::SmallVec;

use super::attributes::{AttrKind, LocKind};
use super::context::Context;
use super::dominance::{may_be_graph, unreachable_blocks};
use super::elements::{self, ElementKind};
use super::ids::{AttrId, LocId, TypeId};
use super::module::{BlockId, Module, OpId, OpSpec, UseId, ValueDef, ValueId};
use super::traits::OpTraits;
use super::types::{DYNAMIC, TypeKind};
use crate::host::{
    self, AttrNameId, AttrSpec, Bind, Blocks, Effects, ElementValue, Facets, Ir, IrMut, NamedAttr, OpNameId,
    OpProperties, OpState, Refusal, TypeSpec, WalkOrder,
};
use crate::number::{ApFloat, ApInt, MAX_WIDTH};

/// A module with its context, as a host of the engine.
///
/// ```
/// use drrvm::host::{Bind, Ir};
/// use drrvm::ir::{Context, IrHost, Module};
/// let mut context = Context::new();
/// let module = Module::new(&mut context);
/// let mut host = IrHost::new(context, module);
/// assert_eq!(host.op_name(host.module.top()), host.bind_op_name("builtin.module"));
/// ```
#[derive(Clone, Debug)]
pub struct IrHost {
    /// The uniqued objects.
    pub context: Context,
    /// The operations.
    pub module: Module,
}

impl IrHost {
    /// A host for a module and the context with which the module was created.
    pub fn new(context: Context, module: Module) -> Self {
        Self { context, module }
    }
}

impl Ir for IrHost {
    type Op = OpId;
    type Value = ValueId;
    type Type = TypeId;
    type Attr = AttrId;
    type Use = UseId;
    type Location = LocId;

    #[inline]
    fn op_name(&self, op: OpId) -> OpNameId {
        self.module.name(op)
    }
    #[inline]
    fn operand_count(&self, op: OpId) -> u32 {
        self.module.operand_count(op)
    }
    #[inline]
    fn operand(&self, op: OpId, index: u32) -> ValueId {
        self.module.operand(op, index)
    }
    #[inline]
    fn result_count(&self, op: OpId) -> u32 {
        self.module.result_count(op)
    }
    #[inline]
    fn result(&self, op: OpId, index: u32) -> ValueId {
        self.module.result(op, index)
    }
    #[inline]
    fn attr(&self, op: OpId, name: AttrNameId) -> Option<AttrId> {
        self.module.attr(&self.context, op, name)
    }
    fn list_attrs(&self, op: OpId) -> Option<Vec<(String, AttrId)>> {
        // A property that is not an attribute does not count.
        let is_attribute = |attr: &NamedAttr<AttrId>| {
            !attr.inherent || !self.context.is_property(self.op_name(op), attr.name)
        };
        let all = Blocks::attributes(self, op).into_iter().filter(is_attribute);
        let mut all: Vec<_> =
            all.map(|attr| (self.context.attr_name_text(attr.name).to_owned(), attr.value)).collect();
        all.sort_unstable();
        Some(all)
    }
    fn is_inherent(&self, op: OpId, name: AttrNameId) -> bool {
        let op_name = self.op_name(op);
        let properties = self.context.entries(self.module.properties(op));
        let is_stored = properties.iter().any(|entry| entry.0 == name);
        self.context.is_inherent(op_name, name) || is_stored && !self.context.is_property(op_name, name)
    }
    #[inline]
    fn defining_op(&self, value: ValueId) -> Option<OpId> {
        self.module.defining_op(value)
    }
    #[inline]
    fn value_type(&self, value: ValueId) -> TypeId {
        self.module.value_type(value)
    }
    fn attr_type(&self, attr: AttrId) -> Option<TypeId> {
        self.context.attr_type(attr)
    }
    #[inline]
    fn first_use(&self, value: ValueId) -> Option<UseId> {
        self.module.first_use(value)
    }
    #[inline]
    fn next_use(&self, used: UseId) -> Option<UseId> {
        self.module.next_use(used)
    }
    #[inline]
    fn use_owner(&self, used: UseId) -> OpId {
        self.module.use_owner(used)
    }
    #[inline]
    fn use_index(&self, used: UseId) -> u32 {
        self.module.use_index(used)
    }
    fn location(&self, op: OpId) -> LocId {
        self.module.loc(op)
    }
    fn op_name_text(&self, name: OpNameId) -> String {
        self.context.op_name_text(name).to_owned()
    }
    #[inline]
    fn op_slot(&self, op: OpId) -> Option<u32> {
        Some(op.raw())
    }
    fn change_count(&self) -> u64 {
        let uniqued = self.context.type_count() + self.context.attr_count();
        self.module.change_count() + uniqued as u64
    }
    fn result_index(&self, value: ValueId) -> Option<u32> {
        match self.module.value_def(value) {
            ValueDef::Result { index, .. } => Some(index),
            _ => None,
        }
    }
    fn parent_op(&self, op: OpId) -> Option<OpId> {
        self.module.parent(op)
    }
    fn walk(&self, root: OpId, order: WalkOrder, visit: &mut dyn FnMut(OpId)) {
        // This case is frequent: the listener of a rewrite walks each erased operation, and few erased operations have
        // regions.
        if self.module.regions(root).is_empty() {
            return visit(root);
        }
        match order {
            WalkOrder::Pre => self.module.preorder(root).for_each(visit),
            WalkOrder::Post => self.module.postorder(root).for_each(visit),
        }
    }
    fn is_isolated(&self, op: OpId) -> bool {
        self.context.traits(self.module.name(op)).contains(OpTraits::ISOLATED_FROM_ABOVE)
    }
}

impl Bind for IrHost {
    fn bind_op_name(&mut self, name: &str) -> OpNameId {
        self.context.op_name(name)
    }
    fn bind_attr_name(&mut self, name: &str) -> AttrNameId {
        self.context.attr_name(name)
    }
    fn bind_type(&mut self, text: &str) -> Option<TypeId> {
        self.context.parse_type(text).ok()
    }
    fn bind_attr(&mut self, text: &str) -> Option<AttrId> {
        self.context.parse_attr(text).ok()
    }
}

impl IrMut for IrHost {
    fn reserve(&mut self, ops: usize) {
        self.module.reserve(ops);
    }

    fn create(&mut self, before: OpId, state: &OpState<'_, Self>) -> Result<OpId, Refusal> {
        if self.module.block(before).is_none() {
            return Err(Refusal::new("the operation to insert before is in no block"));
        }
        let op = self.create_detached(state, &[]);
        self.module.insert_before(before, op);
        Ok(op)
    }
    fn set_attr(&mut self, op: OpId, name: AttrNameId, value: Option<AttrId>) -> Result<(), Refusal> {
        let mut attributes = Blocks::attributes(self, op);
        let inherent = Ir::is_inherent(self, op, name);
        attributes.retain(|attr| attr.name != name || attr.inherent != inherent);
        attributes.extend(value.map(|value| NamedAttr { name, value, inherent }));
        Blocks::set_attributes(self, op, &attributes);
        Ok(())
    }
    fn undo_set_attr(&self, op: OpId, _: AttrNameId) -> Box<dyn FnOnce(&mut Self) + Send> {
        let (properties, attrs) = (self.module.properties(op), self.module.attrs(op));
        Box::new(move |host| {
            host.module.set_properties(op, properties);
            host.module.set_attrs(op, attrs);
        })
    }
    fn replace_all_uses(&mut self, from: ValueId, to: ValueId) {
        self.module.replace_all_uses(from, to);
    }
    fn erase(&mut self, op: OpId) {
        self.module.erase(op);
    }
    fn move_blocks(&mut self, from: host::Region<OpId>, to: host::Region<OpId>) -> Result<(), Refusal> {
        host::move_blocks(self, from, to)
    }
    fn fuse_locations(&mut self, locations: &[LocId], metadata: Option<&str>) -> LocId {
        let metadata = metadata.map(|text| self.context.string_attr(text));
        self.context.fuse(locations, metadata)
    }
    fn bind_location(&mut self, text: &str) -> Option<LocId> {
        self.context.parse_loc(text).ok()
    }
    fn name_location(&mut self, name: &str, child: Option<LocId>) -> Option<LocId> {
        let name = self.context.string(name);
        let child = child.unwrap_or(Context::UNKNOWN);
        Some(self.context.intern_loc(LocKind::Name { name, child }))
    }
    fn is_terminator(&self, op: OpId) -> bool {
        let traits = self.context.traits(self.module.name(op));
        if traits.contains(OpTraits::KNOWN) {
            return traits.contains(OpTraits::TERMINATOR);
        }
        // An unknown operation counts as a terminator if it has successors, or has no results and ends its block.
        !self.module.successors(op).is_empty()
            || (self.module.result_count(op) == 0 && self.module.next(op).is_none())
    }
    fn properties(&self, op: OpId) -> Option<OpProperties> {
        let traits = self.context.traits(self.module.name(op));
        let has = |one| traits.contains(one);
        has(OpTraits::KNOWN).then(|| OpProperties {
            effects: match () {
                () if has(OpTraits::SYMBOL) => Effects::Write,
                () if has(OpTraits::PURE) => Effects::None,
                () if has(OpTraits::READS_MEMORY) => Effects::Read,
                () if has(OpTraits::NESTED_EFFECTS) => Effects::Nested,
                () => Effects::Write,
            },
            terminator: has(OpTraits::TERMINATOR),
            constant: has(OpTraits::CONSTANT_LIKE),
            isolated: has(OpTraits::ISOLATED_FROM_ABOVE),
            commutative: has(OpTraits::COMMUTATIVE),
            idempotent: has(OpTraits::IDEMPOTENT),
            involution: has(OpTraits::INVOLUTION),
        })
    }
    fn is_in_graph_region(&self, op: OpId) -> bool {
        let region = self.module.block(op).and_then(|block| self.module.block_region(block));
        region.is_some_and(|region| may_be_graph(&self.context, &self.module, region))
    }
    fn region_index(&self, op: OpId) -> u32 {
        let place = self.module.block(op).and_then(|block| self.module.region_place(block));
        place.map_or(0, |(_, index)| length(index))
    }
    fn is_in_entry_block(&self, op: OpId) -> bool {
        let block = self.module.block(op);
        let region = block.and_then(|block| self.module.block_region(block));
        region.is_none_or(|region| self.module.first_block(region) == block)
    }
    fn entry_op(&self, parent: OpId, index: u32) -> Option<OpId> {
        let region = *self.module.regions(parent).get(index as usize)?;
        self.module.first_op(self.module.first_block(region)?)
    }
    fn previous_in_block(&self, op: OpId) -> Result<Option<OpId>, Refusal> {
        Ok(self.module.prev(op))
    }
    fn next_in_block(&self, op: OpId) -> Result<Option<OpId>, Refusal> {
        Ok(self.module.next(op))
    }
    fn move_before(&mut self, op: OpId, before: OpId) {
        self.module.move_before(before, op);
    }
    fn forget_location(&mut self, op: OpId) {
        self.module.set_loc(op, Context::UNKNOWN);
    }
    fn erase_unreachable_blocks(&mut self, root: OpId, erased: &mut dyn FnMut(&Self, OpId)) -> bool {
        let blocks = unreachable_blocks(&self.module, root);
        // If operations outside of these blocks branch to the blocks or use values of the blocks, the IR is ill-formed,
        // and the verifier reports the error.
        if self.module.are_used_outside(&blocks) {
            return false;
        }
        for &block in &blocks {
            self.module.ops(block).for_each(|op| erased(self, op));
        }
        self.module.erase_blocks(&blocks);
        !blocks.is_empty()
    }
}

/// Converts the length of a list in a type or an operation to 32 bits.
pub(super) fn length(len: usize) -> u32 {
    u32::try_from(len).expect("memory bounds the length of a list far below 2^32 elements")
}

fn rank(shape: &[i64]) -> u32 {
    length(shape.len())
}

impl Facets for IrHost {
    fn numbered_blocks() -> Option<host::NumberedBlocks<Self>> {
        Some(host::number_blocks())
    }
    fn type_kind(&self, ty: TypeId) -> host::TypeKind<TypeId> {
        use host::TypeKind as Kind;
        match self.context.type_kind(ty) {
            TypeKind::Integer { width, signedness } => {
                Kind::Integer { width: *width, signedness: *signedness }
            }
            TypeKind::Index => Kind::Index,
            TypeKind::Float(format) => Kind::Float(*format),
            TypeKind::None => Kind::None,
            TypeKind::Complex(element) => Kind::Complex(*element),
            TypeKind::Vector { shape, element, .. } => Kind::Vector { element: *element, rank: rank(shape) },
            TypeKind::RankedTensor { shape, element, .. } => {
                Kind::RankedTensor { element: *element, rank: rank(shape) }
            }
            TypeKind::UnrankedTensor(element) => Kind::UnrankedTensor(*element),
            TypeKind::MemRef { shape, element, .. } => Kind::MemRef { element: *element, rank: rank(shape) },
            TypeKind::UnrankedMemRef { element, .. } => Kind::UnrankedMemRef(*element),
            TypeKind::Function { inputs, results } => {
                Kind::Function { inputs: length(inputs.len()), results: length(results.len()) }
            }
            TypeKind::Tuple(types) => Kind::Tuple(length(types.len())),
            TypeKind::Graph { .. } | TypeKind::Dialect(_) => Kind::Dialect,
        }
    }

    fn type_dim(&self, ty: TypeId, dim: u32) -> Option<i64> {
        let size = *self.context.type_kind(ty).shape()?.get(dim as usize)?;
        (size != DYNAMIC).then_some(size)
    }

    fn type_dim_is_scalable(&self, ty: TypeId, dim: u32) -> bool {
        match self.context.type_kind(ty) {
            TypeKind::Vector { scalable, .. } => scalable.get(dim as usize).copied().unwrap_or(false),
            _ => false,
        }
    }

    fn type_part(&self, ty: TypeId, index: u32) -> Option<TypeId> {
        match self.context.type_kind(ty) {
            TypeKind::Function { inputs, results } => {
                inputs.iter().chain(results).nth(index as usize).copied()
            }
            TypeKind::Tuple(types) => types.get(index as usize).copied(),
            _ => None,
        }
    }

    fn type_extra(&self, ty: TypeId) -> Option<AttrId> {
        match *self.context.type_kind(ty) {
            TypeKind::RankedTensor { encoding, .. } => encoding,
            TypeKind::MemRef { memory_space, .. } | TypeKind::UnrankedMemRef { memory_space, .. } => {
                memory_space
            }
            _ => None,
        }
    }

    fn type_text(&self, ty: TypeId) -> String {
        self.context.type_text(ty)
    }

    fn attr_kind(&self, attr: AttrId) -> host::AttrKind {
        use host::AttrKind as Kind;
        match self.context.attr_kind(attr) {
            AttrKind::Unit => Kind::Unit,
            AttrKind::Integer { .. } => Kind::Integer,
            AttrKind::Float { .. } => Kind::Float,
            AttrKind::String { .. } => Kind::String,
            AttrKind::Array(items) => Kind::Array { len: items.len() as u64 },
            AttrKind::Dictionary(entries) => Kind::Dictionary { len: entries.len() as u64 },
            AttrKind::Type(_) => Kind::Type,
            AttrKind::SymbolRef { .. } => Kind::SymbolRef,
            AttrKind::DenseElements { ty, data, splat } => {
                match self.context.type_kind(*ty).element_count() {
                    // Elements of width 0 are all equal, and count as a splat because there can be too many to visit.
                    Some(len) => Kind::DenseElements { len, splat: *splat || data.is_empty() && len > 0 },
                    None => Kind::Other,
                }
            }
            AttrKind::DenseStrings { ty, elements } => match self.context.type_kind(*ty).element_count() {
                Some(len) => Kind::DenseElements { len, splat: elements.len() == 1 },
                None => Kind::Other,
            },
            AttrKind::DenseArray { element, data } => {
                let size = ElementKind::of(&self.context, *element).map_or(1, ElementKind::array_size);
                Kind::DenseArray { len: (data.len() / size) as u64 }
            }
            AttrKind::AffineMap(_) => Kind::AffineMap,
            AttrKind::DenseResource { .. }
            | AttrKind::DialectElements { .. }
            | AttrKind::SparseElements { .. }
            | AttrKind::IntegerSet(_)
            | AttrKind::StridedLayout { .. }
            | AttrKind::Distinct { .. }
            | AttrKind::Location(_)
            | AttrKind::Dialect { .. } => Kind::Other,
        }
    }

    fn attr_int(&self, attr: AttrId) -> Option<ApInt> {
        match self.context.attr_kind(attr) {
            AttrKind::Integer { value, .. } => Some(value.clone()),
            _ => None,
        }
    }

    fn attr_float(&self, attr: AttrId) -> Option<ApFloat> {
        match self.context.attr_kind(attr) {
            AttrKind::Float { value, .. } => Some(*value),
            _ => None,
        }
    }

    fn attr_string(&self, attr: AttrId) -> Option<String> {
        match self.context.attr_kind(attr) {
            AttrKind::String { text, .. } => Some(self.context.str(*text).to_owned()),
            AttrKind::SymbolRef { root, .. } => Some(self.context.str(*root).to_owned()),
            _ => None,
        }
    }

    fn attr_held_type(&self, attr: AttrId) -> Option<TypeId> {
        match *self.context.attr_kind(attr) {
            AttrKind::Type(ty) => Some(ty),
            _ => None,
        }
    }

    fn attr_element(&self, attr: AttrId, index: u64) -> Option<ElementValue<AttrId>> {
        let at = usize::try_from(index).ok()?;
        match self.context.attr_kind(attr) {
            AttrKind::Array(items) => items.get(at).copied().map(ElementValue::Attr),
            AttrKind::Dictionary(entries) => entries.get(at).map(|entry| ElementValue::Attr(entry.1)),
            AttrKind::DenseElements { ty, data, splat } => {
                let kind = self.context.type_kind(*ty);
                if index >= kind.element_count()? {
                    return None;
                }
                self.number(kind.element()?, data, if *splat { 0 } else { at })
            }
            AttrKind::DenseArray { element, data } => {
                // Every element takes at least one byte, even at width 0, so an index beyond the bytes is invalid.
                data.get(at)?;
                self.number(*element, data, at)
            }
            AttrKind::DenseStrings { ty, elements } => {
                if index >= self.context.type_kind(*ty).element_count()? {
                    return None;
                }
                let text = elements.get(at).or(elements.first())?;
                Some(ElementValue::Str(self.context.str(*text).to_owned()))
            }
            _ => None,
        }
    }

    fn attr_entry_name(&self, attr: AttrId, index: u64) -> Option<String> {
        let entry = self.context.entries(attr).get(usize::try_from(index).ok()?)?;
        Some(self.context.attr_name_text(entry.0).to_owned())
    }

    fn attr_text(&self, attr: AttrId) -> String {
        self.context.attr_text(attr)
    }

    fn find_attr_name(&self, name: &str) -> Option<AttrNameId> {
        self.context.find_attr_name(name)
    }

    fn find_type(&self, spec: &TypeSpec<TypeId, AttrId>) -> Option<TypeId> {
        match spec {
            TypeSpec::Text(text) => {
                let mut scratch = self.context.scratch();
                let ty = scratch.parse_type(text).ok()?;
                if let TypeKind::Dialect(body) = scratch.type_kind(ty)
                    && body.refs.is_empty()
                {
                    let body = self.context.find_verbatim(scratch.str(body.text))?;
                    return self.context.find_type(&TypeKind::Dialect(body));
                }
                let mut context = self.context.clone();
                let ty = context.parse_type(text).ok()?;
                self.context.find_type(context.type_kind(ty))
            }
            spec => self.context.find_type(&self.plain_type(spec)?),
        }
    }

    fn find_attr(&self, spec: &AttrSpec<TypeId, AttrId>) -> Option<AttrId> {
        match spec {
            AttrSpec::Text(text) => {
                let mut scratch = self.context.scratch();
                let attr = scratch.parse_attr(text).ok()?;
                if let AttrKind::Dialect { body, ty: None } = scratch.attr_kind(attr)
                    && body.refs.is_empty()
                {
                    let body = self.context.find_verbatim(scratch.str(body.text))?;
                    return self.context.find_attr(&AttrKind::Dialect { body, ty: None });
                }
                let mut context = self.context.clone();
                let attr = context.parse_attr(text).ok()?;
                self.context.find_attr(context.attr_kind(attr))
            }
            spec => self.context.find_attr(&self.plain_attr(spec)?),
        }
    }

    fn make_type(&mut self, spec: &TypeSpec<TypeId, AttrId>) -> Option<TypeId> {
        match spec {
            TypeSpec::Text(text) => self.context.parse_type(text).ok(),
            spec => {
                let kind = self.plain_type(spec)?;
                Some(self.context.intern_type(kind))
            }
        }
    }

    fn make_attr(&mut self, spec: &AttrSpec<TypeId, AttrId>) -> Option<AttrId> {
        match spec {
            AttrSpec::Text(text) => return self.context.parse_attr(text).ok(),
            AttrSpec::String(text) | AttrSpec::SymbolRef(text) => {
                self.context.string(text);
            }
            AttrSpec::Dictionary(entries) => {
                for (name, _) in entries {
                    self.context.attr_name(name);
                }
            }
            _ => {}
        }
        let kind = self.plain_attr(spec)?;
        Some(self.context.intern_attr(kind))
    }
}

impl IrHost {
    /// Creates a detached operation.
    pub(super) fn create_detached(&mut self, state: &OpState<'_, Self>, successors: &[BlockId]) -> OpId {
        let properties = self.dictionary(state.attributes, true);
        let attrs = self.dictionary(state.attributes, false);
        self.module.create(&OpSpec {
            attrs,
            properties,
            regions: state.regions as usize,
            successors,
            loc: state.location,
            ..OpSpec::new(state.name).operands(state.operands).results(state.result_types)
        })
    }

    /// The dictionary of the inherent attributes in a list if `inherent` is true, otherwise of the discardable
    /// attributes.
    pub(super) fn dictionary(&mut self, attributes: &[NamedAttr<AttrId>], inherent: bool) -> AttrId {
        if attributes.is_empty() {
            return Context::EMPTY_DICTIONARY;
        }
        let mut entries: SmallVec<[_; 4]> = SmallVec::new();
        for attr in attributes.iter().filter(|attr| attr.inherent == inherent) {
            entries.push((attr.name, attr.value));
        }
        if entries.is_empty() {
            Context::EMPTY_DICTIONARY
        } else if self.context.are_sorted(&entries) {
            self.context.sorted_dictionary(&entries)
        } else {
            self.context.dictionary(&mut entries.into_vec())
        }
    }

    fn number(&self, element: TypeId, data: &[u8], at: usize) -> Option<ElementValue<AttrId>> {
        let kind = ElementKind::of(&self.context, element)?;
        let start = at.checked_mul(kind.size())?;
        let bytes = data.get(start..start.checked_add(kind.size())?)?;
        match kind {
            ElementKind::Int { width } => Some(ElementValue::Int(ApInt::from_le_bytes(width, bytes))),
            ElementKind::Float(format) => Some(ElementValue::Float(elements::float(format, bytes))),
            ElementKind::ComplexInt { .. } | ElementKind::ComplexFloat(_) => None,
        }
    }

    /// The kind of the type with this specification; `None` if the specification is a text or is invalid.
    fn plain_type(&self, spec: &TypeSpec<TypeId, AttrId>) -> Option<TypeKind> {
        Some(match spec {
            TypeSpec::Integer { width, signedness } => {
                if *width > MAX_WIDTH {
                    return None;
                }
                TypeKind::Integer { width: *width, signedness: *signedness }
            }
            TypeSpec::Index => TypeKind::Index,
            TypeSpec::None => TypeKind::None,
            TypeSpec::Float(format) => TypeKind::Float(*format),
            TypeSpec::Complex(element) => TypeKind::Complex(*element),
            TypeSpec::Vector { shape, scalable, element } => {
                if shape.len() != scalable.len() || shape.iter().any(|&size| size <= 0) {
                    return None;
                }
                TypeKind::Vector {
                    shape: shape.as_slice().into(),
                    scalable: scalable.as_slice().into(),
                    element: *element,
                }
            }
            TypeSpec::RankedTensor { shape, element, encoding } => {
                if shape.iter().flatten().any(|&size| size < 0) {
                    return None;
                }
                let shape = shape.iter().map(|size| size.unwrap_or(DYNAMIC)).collect();
                TypeKind::RankedTensor { shape, element: *element, encoding: *encoding }
            }
            TypeSpec::UnrankedTensor(element) => TypeKind::UnrankedTensor(*element),
            TypeSpec::Function { inputs, results } => {
                TypeKind::Function { inputs: inputs.as_slice().into(), results: results.as_slice().into() }
            }
            TypeSpec::Tuple(types) => TypeKind::Tuple(types.as_slice().into()),
            TypeSpec::Text(_) => return None,
        })
    }

    /// The kind of the attribute with this specification. Returns `None` if the specification is a text or is invalid,
    /// or if the context lacks one of its strings or names.
    fn plain_attr(&self, spec: &AttrSpec<TypeId, AttrId>) -> Option<AttrKind> {
        Some(match spec {
            AttrSpec::Integer(value, ty) => {
                if self.context.integer_width(*ty)? != value.width() {
                    return None;
                }
                AttrKind::Integer { value: value.clone(), ty: *ty }
            }
            AttrSpec::Float(value, ty) => {
                if *self.context.type_kind(*ty) != TypeKind::Float(value.format()) {
                    return None;
                }
                AttrKind::Float { value: *value, ty: *ty }
            }
            AttrSpec::String(text) => AttrKind::String { text: self.context.find_string(text)?, ty: None },
            AttrSpec::Array(items) => AttrKind::Array(items.as_slice().into()),
            AttrSpec::Dictionary(entries) => {
                let names: BTreeSet<&str> = entries.iter().map(|entry| &*entry.0).collect();
                if names.len() != entries.len() {
                    return None;
                }
                let mut sorted: Vec<_> = entries.iter().collect();
                sorted.sort_unstable_by(|a, b| a.0.cmp(&b.0));
                let entry =
                    |entry: &(String, AttrId)| Some((self.context.find_attr_name(&entry.0)?, entry.1));
                AttrKind::Dictionary(sorted.into_iter().map(entry).collect::<Option<_>>()?)
            }
            AttrSpec::Type(ty) => AttrKind::Type(*ty),
            AttrSpec::SymbolRef(text) => {
                AttrKind::SymbolRef { root: self.context.find_string(text)?, nested: [].into() }
            }
            AttrSpec::Unit => AttrKind::Unit,
            AttrSpec::DenseInts(values, ty) => {
                let element = self.context.type_kind(*ty).element()?;
                let ElementKind::Int { width } = ElementKind::of(&self.context, element)? else {
                    return None;
                };
                if values.iter().any(|value| value.width() != width) {
                    return None;
                }
                let mut data = Vec::new();
                values.iter().for_each(|value| elements::push_int(&mut data, value));
                self.dense(*ty, ElementKind::Int { width }, data, values.len())?
            }
            AttrSpec::DenseFloats(values, ty) => {
                let element = self.context.type_kind(*ty).element()?;
                let ElementKind::Float(format) = ElementKind::of(&self.context, element)? else {
                    return None;
                };
                if values.iter().any(|value| value.format() != format) {
                    return None;
                }
                let mut data = Vec::new();
                values.iter().for_each(|&value| elements::push_float(&mut data, value));
                self.dense(*ty, ElementKind::Float(format), data, values.len())?
            }
            AttrSpec::DenseArray(values, element) => {
                let width = self.context.integer_width(*element)?;
                if !matches!(width, 1 | 8 | 16 | 32 | 64) || values.iter().any(|value| value.width() != width)
                {
                    return None;
                }
                let mut data = Vec::new();
                values.iter().for_each(|value| elements::push_int(&mut data, value));
                AttrKind::DenseArray { element: *element, data: data.into() }
            }
            AttrSpec::Text(_) => return None,
        })
    }

    fn dense(&self, ty: TypeId, kind: ElementKind, data: Vec<u8>, given: usize) -> Option<AttrKind> {
        let wanted = self.context.type_kind(ty).element_count()?;
        let (data, splat) = elements::splatted(kind, data);
        if given as u64 != wanted && given != 1 {
            return None;
        }
        Some(AttrKind::DenseElements { ty, data, splat })
    }
}
