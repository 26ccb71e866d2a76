//! Inspection and creation of types and attributes, including fresh ones.

use std::sync::Arc;

use super::error::fail;
use super::evaluator::Evaluator;
use super::value::{AttrRef, Evaluated, TypeRef, Val, host_attr, host_type};
use crate::host::{AttrKind, AttrSpec, ElementValue, Facets, Refusal, Signedness, TypeKind, TypeSpec};
use crate::number::{ApFloat, ApInt, FloatFormat};
use crate::snippet::data::{AttrClass, TypeClass};
use crate::snippet::text::symbols_of;

type SpecOfType<H> = TypeSpec<TypeRef<H>, AttrRef<H>>;
type SpecOfAttr<H> = AttrSpec<TypeRef<H>, AttrRef<H>>;

/// The storage type of a quantised type.
#[derive(Clone, Copy)]
pub(super) struct Storage {
    pub(super) signed: bool,
    pub(super) width: u32,
    /// The range, if the text states it.
    bounds: Option<(i64, i64)>,
}

impl Storage {
    /// The least and the greatest number.
    pub(super) fn range(self) -> (i64, i64) {
        self.bounds.unwrap_or_else(|| {
            let power = |bits: u32| 1_i64.checked_shl(bits).map_or(i64::MAX, |power| power.wrapping_sub(1));
            match self.signed {
                true => {
                    let max = power(self.width.saturating_sub(1));
                    (-max - 1, max)
                }
                false => (0, power(self.width)),
            }
        })
    }
}

/// A quantised type, parsed from its text: `!quant.uniform<i8<-8:7>:f32:1, {…}>`.
pub(super) struct Quantized<'a> {
    /// The class of the type. It is `Quantized` for a calibrated or sub-channel type, whose own class is not a
    /// [`TypeClass`].
    class: TypeClass,
    /// `None` for a calibrated type.
    pub(super) storage: Option<Storage>,
    pub(super) expressed: &'a str,
    /// The dimension along which the scales differ.
    pub(super) axis: Option<i32>,
    /// The text of the scales and zero points.
    parameters: &'a str,
}

impl<'a> Quantized<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (kind, rest) = text.strip_prefix("!quant.")?.strip_suffix('>')?.split_once('<')?;
        if kind == "calibrated" {
            let (expressed, _) = rest.split_once('<')?;
            let class = TypeClass::Quantized;
            return Some(Self {
                class,
                storage: None,
                expressed: expressed.trim(),
                axis: None,
                parameters: "",
            });
        }
        let signed = rest.starts_with('i');
        let rest = rest.strip_prefix(['i', 'u'])?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let width = rest[..digits].parse().ok()?;
        // The range of the storage type can follow in angle brackets.
        let (bounds, rest) = match rest[digits..].strip_prefix('<') {
            Some(range) => {
                let (range, rest) = range.split_once('>')?;
                let (min, max) = range.split_once(':')?;
                (Some((min.trim().parse().ok()?, max.trim().parse().ok()?)), rest)
            }
            None => (None, &rest[digits..]),
        };
        let after = rest.strip_prefix(':').unwrap_or("");
        let (head, parameters) = after.split_once(',').unwrap_or((after, ""));
        let (expressed, axis) = head.split_once(':').unwrap_or((head, ""));
        let axis = axis.trim();
        let class = match kind {
            "any" => TypeClass::AnyQuantized,
            // In a sub-channel type, block sizes in braces take the place of the axis.
            "uniform" if axis.starts_with('{') => TypeClass::Quantized,
            "uniform" if head.contains(':') || after.contains('{') => TypeClass::QuantizedPerAxis,
            "uniform" => TypeClass::UniformQuantized,
            _ => return None,
        };
        let storage = Some(Storage { signed, width, bounds });
        Some(Self { class, storage, expressed: expressed.trim(), axis: axis.parse().ok(), parameters })
    }

    fn is(&self, class: TypeClass) -> bool {
        class == TypeClass::Quantized || class == self.class
    }

    /// The scales, each with its zero point. A zero point that is not stated is 0. The list is empty if the text has no
    /// scales, or a scale that cannot be read.
    pub(super) fn scales(&self) -> Vec<(f64, i64)> {
        let one = |text: &str| {
            let (scale, point) = text.split_once(':').unwrap_or((text, "0"));
            Some((scale.trim().parse().ok()?, point.trim().parse().ok()?))
        };
        let all: Option<Vec<_>> =
            self.parameters.trim_matches(|c: char| "{} ".contains(c)).split(',').map(one).collect();
        all.unwrap_or_default()
    }
}

/// The length of a list in a fresh type, as `u32`, the type of ranks and counts in [`TypeKind`].
///
/// A list in a fresh type was collected from a range, and evaluating each element of a range takes a step. So the limit
/// on steps limits the length.
fn count(len: usize) -> u32 {
    u32::try_from(len).expect("a list has at most as many elements as an evaluation has steps")
}

impl<H: Facets> Evaluator<'_, H> {
    pub(super) fn type_kind(&self, t: &TypeRef<H>) -> TypeKind<TypeRef<H>> {
        let host = TypeRef::Host;
        match t {
            TypeRef::Host(t) => match self.host().type_kind(*t) {
                TypeKind::Integer { width, signedness } => TypeKind::Integer { width, signedness },
                TypeKind::Index => TypeKind::Index,
                TypeKind::Float(format) => TypeKind::Float(format),
                TypeKind::None => TypeKind::None,
                TypeKind::Complex(t) => TypeKind::Complex(host(t)),
                TypeKind::Vector { element, rank } => TypeKind::Vector { element: host(element), rank },
                TypeKind::RankedTensor { element, rank } => {
                    TypeKind::RankedTensor { element: host(element), rank }
                }
                TypeKind::UnrankedTensor(t) => TypeKind::UnrankedTensor(host(t)),
                TypeKind::MemRef { element, rank } => TypeKind::MemRef { element: host(element), rank },
                TypeKind::UnrankedMemRef(t) => TypeKind::UnrankedMemRef(host(t)),
                TypeKind::Function { inputs, results } => TypeKind::Function { inputs, results },
                TypeKind::Tuple(parts) => TypeKind::Tuple(parts),
                TypeKind::Dialect => TypeKind::Dialect,
            },
            TypeRef::Fresh(spec) => match &**spec {
                TypeSpec::Integer { width, signedness } => {
                    TypeKind::Integer { width: *width, signedness: *signedness }
                }
                TypeSpec::Index => TypeKind::Index,
                TypeSpec::None => TypeKind::None,
                TypeSpec::Float(format) => TypeKind::Float(*format),
                TypeSpec::Complex(t) => TypeKind::Complex(t.clone()),
                TypeSpec::Vector { shape, element, .. } => {
                    TypeKind::Vector { element: element.clone(), rank: count(shape.len()) }
                }
                TypeSpec::RankedTensor { shape, element, .. } => {
                    TypeKind::RankedTensor { element: element.clone(), rank: count(shape.len()) }
                }
                TypeSpec::UnrankedTensor(t) => TypeKind::UnrankedTensor(t.clone()),
                TypeSpec::Function { inputs, results } => {
                    TypeKind::Function { inputs: count(inputs.len()), results: count(results.len()) }
                }
                TypeSpec::Tuple(parts) => TypeKind::Tuple(count(parts.len())),
                TypeSpec::Text(_) => TypeKind::Dialect,
            },
        }
    }

    pub(super) fn type_dim(&self, t: &TypeRef<H>, dim: u32) -> Option<i64> {
        match t {
            TypeRef::Host(t) => self.host().type_dim(*t, dim),
            TypeRef::Fresh(spec) => match &**spec {
                TypeSpec::Vector { shape, .. } => shape.get(dim as usize).copied(),
                TypeSpec::RankedTensor { shape, .. } => shape.get(dim as usize).copied().flatten(),
                _ => None,
            },
        }
    }

    pub(super) fn dim_is_scalable(&self, t: &TypeRef<H>, dim: u32) -> bool {
        match t {
            TypeRef::Host(t) => self.host().type_dim_is_scalable(*t, dim),
            TypeRef::Fresh(spec) => match &**spec {
                TypeSpec::Vector { scalable, .. } => scalable.get(dim as usize).copied().unwrap_or(false),
                _ => false,
            },
        }
    }

    pub(super) fn type_part(&self, t: &TypeRef<H>, index: u32) -> Option<TypeRef<H>> {
        match t {
            TypeRef::Host(t) => self.host().type_part(*t, index).map(TypeRef::Host),
            TypeRef::Fresh(spec) => match &**spec {
                TypeSpec::Function { inputs, results } => {
                    inputs.iter().chain(results).nth(index as usize).cloned()
                }
                TypeSpec::Tuple(parts) => parts.get(index as usize).cloned(),
                _ => None,
            },
        }
    }

    pub(super) fn type_extra(&self, t: &TypeRef<H>) -> Option<AttrRef<H>> {
        match t {
            TypeRef::Host(t) => self.host().type_extra(*t).map(AttrRef::Host),
            TypeRef::Fresh(spec) => match &**spec {
                TypeSpec::RankedTensor { encoding, .. } => encoding.clone(),
                _ => None,
            },
        }
    }

    pub(super) fn type_text(&self, t: &TypeRef<H>) -> String {
        match t {
            TypeRef::Host(t) => self.host().type_text(*t),
            TypeRef::Fresh(spec) => match &**spec {
                TypeSpec::Text(text) => text.clone(),
                _ => String::new(),
            },
        }
    }

    /// The element type and the rank of a shaped type. The rank of an unranked type is `None`.
    pub(super) fn shaped(&self, t: &TypeRef<H>) -> Option<(TypeRef<H>, Option<u32>)> {
        match self.type_kind(t) {
            TypeKind::Vector { element, rank }
            | TypeKind::RankedTensor { element, rank }
            | TypeKind::MemRef { element, rank } => Some((element, Some(rank))),
            TypeKind::UnrankedTensor(element) | TypeKind::UnrankedMemRef(element) => Some((element, None)),
            _ => None,
        }
    }

    pub(super) fn type_is(&self, t: &TypeRef<H>, class: TypeClass) -> bool {
        let kind = self.type_kind(t);
        let scalable = |rank: u32| (0..rank).any(|dim| self.dim_is_scalable(t, dim));
        match (class, kind) {
            (TypeClass::Any, _)
            | (TypeClass::Integer, TypeKind::Integer { .. })
            | (TypeClass::Index, TypeKind::Index)
            | (TypeClass::Float, TypeKind::Float(_))
            | (TypeClass::None, TypeKind::None)
            | (TypeClass::Complex, TypeKind::Complex(_))
            | (
                TypeClass::Shaped,
                TypeKind::Vector { .. }
                | TypeKind::RankedTensor { .. }
                | TypeKind::UnrankedTensor(_)
                | TypeKind::MemRef { .. }
                | TypeKind::UnrankedMemRef(_),
            )
            | (TypeClass::Vector, TypeKind::Vector { .. })
            | (TypeClass::Tensor, TypeKind::RankedTensor { .. } | TypeKind::UnrankedTensor(_))
            | (TypeClass::RankedTensor, TypeKind::RankedTensor { .. })
            | (TypeClass::UnrankedTensor, TypeKind::UnrankedTensor(_))
            | (TypeClass::BaseMemRef, TypeKind::MemRef { .. } | TypeKind::UnrankedMemRef(_))
            | (TypeClass::MemRef, TypeKind::MemRef { .. })
            | (TypeClass::UnrankedMemRef, TypeKind::UnrankedMemRef(_))
            | (TypeClass::Function, TypeKind::Function { .. })
            | (TypeClass::Tuple, TypeKind::Tuple(_)) => true,
            (TypeClass::FloatOf(format), TypeKind::Float(found)) => format == found,
            (
                TypeClass::Quantized
                | TypeClass::UniformQuantized
                | TypeClass::QuantizedPerAxis
                | TypeClass::AnyQuantized,
                TypeKind::Dialect,
            ) => Quantized::parse(&self.type_text(t)).is_some_and(|q| q.is(class)),
            (TypeClass::FixedVector, TypeKind::Vector { rank, .. }) => !scalable(rank),
            (TypeClass::ScalableVector, TypeKind::Vector { rank, .. }) => scalable(rank),
            _ => false,
        }
    }

    pub(super) fn attr_kind(&self, a: &AttrRef<H>) -> AttrKind {
        match a {
            AttrRef::Host(a) => self.host().attr_kind(*a),
            AttrRef::Fresh(spec) => match &**spec {
                AttrSpec::Integer(..) => AttrKind::Integer,
                AttrSpec::Float(..) => AttrKind::Float,
                AttrSpec::String(_) => AttrKind::String,
                AttrSpec::Array(items) => AttrKind::Array { len: items.len() as u64 },
                AttrSpec::Dictionary(entries) => AttrKind::Dictionary { len: entries.len() as u64 },
                AttrSpec::Type(_) => AttrKind::Type,
                AttrSpec::SymbolRef(_) => AttrKind::SymbolRef,
                AttrSpec::Unit => AttrKind::Unit,
                AttrSpec::DenseInts(values, t) => self.dense_kind(values.len(), t),
                AttrSpec::DenseFloats(values, t) => self.dense_kind(values.len(), t),
                AttrSpec::DenseArray(values, _) => AttrKind::DenseArray { len: values.len() as u64 },
                AttrSpec::Text(_) => AttrKind::Other,
            },
        }
    }

    fn dense_kind(&self, stored: usize, t: &TypeRef<H>) -> AttrKind {
        // Dense elements have a type with a static shape, so a fresh attribute with another type is not of this kind.
        let of = |len| AttrKind::DenseElements { len, splat: stored == 1 };
        self.element_count(t).map_or(AttrKind::Other, of)
    }

    /// The number of elements of a type with a static shape.
    pub(super) fn element_count(&self, t: &TypeRef<H>) -> Option<u64> {
        let (_, rank) = self.shaped(t)?;
        (0..rank?).try_fold(1_u64, |n, dim| n.checked_mul(u64::try_from(self.type_dim(t, dim)?).ok()?))
    }

    pub(super) fn attr_type(&self, a: &AttrRef<H>) -> Option<TypeRef<H>> {
        match a {
            AttrRef::Host(a) => self.host().attr_type(*a).map(TypeRef::Host),
            AttrRef::Fresh(spec) => match &**spec {
                AttrSpec::Integer(_, t)
                | AttrSpec::Float(_, t)
                | AttrSpec::DenseInts(_, t)
                | AttrSpec::DenseFloats(_, t) => Some(t.clone()),
                _ => None,
            },
        }
    }

    pub(super) fn attr_int(&self, a: &AttrRef<H>) -> Option<ApInt> {
        match a {
            AttrRef::Host(a) => self.host().attr_int(*a),
            AttrRef::Fresh(spec) => match &**spec {
                AttrSpec::Integer(value, _) => Some(value.clone()),
                _ => None,
            },
        }
    }

    pub(super) fn attr_float(&self, a: &AttrRef<H>) -> Option<ApFloat> {
        match a {
            AttrRef::Host(a) => self.host().attr_float(*a),
            AttrRef::Fresh(spec) => match &**spec {
                AttrSpec::Float(value, _) => Some(*value),
                _ => None,
            },
        }
    }

    pub(super) fn attr_string(&self, a: &AttrRef<H>) -> Option<String> {
        match a {
            AttrRef::Host(a) => self.host().attr_string(*a),
            AttrRef::Fresh(spec) => match &**spec {
                AttrSpec::String(text) | AttrSpec::SymbolRef(text) => Some(text.clone()),
                _ => None,
            },
        }
    }

    /// The names of a symbol reference, from the outermost to the innermost; `None` for another attribute.
    pub(super) fn symbol_names(&self, a: &AttrRef<H>) -> Option<Vec<String>> {
        if self.attr_kind(a) != AttrKind::SymbolRef {
            return None;
        }
        match a {
            AttrRef::Host(a) => symbols_of(&self.host().attr_text(*a)),
            AttrRef::Fresh(_) => self.attr_string(a).map(|name| vec![name]),
        }
    }

    pub(super) fn attr_held_type(&self, a: &AttrRef<H>) -> Option<TypeRef<H>> {
        match a {
            AttrRef::Host(a) => self.host().attr_held_type(*a).map(TypeRef::Host),
            AttrRef::Fresh(spec) => match &**spec {
                AttrSpec::Type(t) => Some(t.clone()),
                _ => None,
            },
        }
    }

    pub(super) fn attr_text(&self, a: &AttrRef<H>) -> String {
        match a {
            AttrRef::Host(a) => self.host().attr_text(*a),
            AttrRef::Fresh(spec) => match &**spec {
                AttrSpec::Text(text) => text.clone(),
                _ => String::new(),
            },
        }
    }

    pub(super) fn attr_entry_name(&self, a: &AttrRef<H>, index: u64) -> Option<String> {
        match a {
            AttrRef::Host(a) => self.host().attr_entry_name(*a, index),
            AttrRef::Fresh(spec) => match &**spec {
                AttrSpec::Dictionary(entries) => {
                    usize::try_from(index).ok().and_then(|i| entries.get(i)).map(|(name, _)| name.clone())
                }
                _ => None,
            },
        }
    }

    pub(super) fn attr_element(&self, a: &AttrRef<H>, index: u64) -> Option<ElementValue<AttrRef<H>>> {
        match a {
            AttrRef::Host(a) => Some(match self.host().attr_element(*a, index)? {
                ElementValue::Attr(a) => ElementValue::Attr(AttrRef::Host(a)),
                ElementValue::Int(x) => ElementValue::Int(x),
                ElementValue::Float(x) => ElementValue::Float(x),
                ElementValue::Str(text) => ElementValue::Str(text),
            }),
            AttrRef::Fresh(spec) => {
                let at = usize::try_from(index).ok()?;
                match &**spec {
                    AttrSpec::Array(items) => items.get(at).cloned().map(ElementValue::Attr),
                    AttrSpec::Dictionary(entries) => {
                        entries.get(at).map(|(_, a)| ElementValue::Attr(a.clone()))
                    }
                    AttrSpec::DenseInts(values, _) => {
                        values.get(if values.len() == 1 { 0 } else { at }).cloned().map(ElementValue::Int)
                    }
                    AttrSpec::DenseArray(values, _) => values.get(at).cloned().map(ElementValue::Int),
                    AttrSpec::DenseFloats(values, _) => {
                        values.get(if values.len() == 1 { 0 } else { at }).copied().map(ElementValue::Float)
                    }
                    _ => None,
                }
            }
        }
    }

    pub(super) fn attr_is(&self, a: &AttrRef<H>, class: AttrClass) -> bool {
        let kind = self.attr_kind(a);
        let element = || self.attr_type(a).and_then(|t| self.shaped(&t)).map(|(e, _)| self.type_kind(&e));
        match (class, kind) {
            (AttrClass::Any, _)
            | (
                AttrClass::Typed,
                AttrKind::Integer | AttrKind::Float | AttrKind::String | AttrKind::DenseElements { .. },
            )
            | (AttrClass::Integer, AttrKind::Integer)
            | (AttrClass::Float, AttrKind::Float)
            | (AttrClass::String, AttrKind::String)
            | (AttrClass::Array, AttrKind::Array { .. })
            | (AttrClass::Dictionary, AttrKind::Dictionary { .. })
            | (AttrClass::Type, AttrKind::Type)
            | (AttrClass::SymbolRef, AttrKind::SymbolRef)
            | (AttrClass::Unit, AttrKind::Unit)
            | (AttrClass::Elements | AttrClass::DenseElements, AttrKind::DenseElements { .. })
            | (AttrClass::SplatElements, AttrKind::DenseElements { splat: true, .. })
            | (AttrClass::DenseArray, AttrKind::DenseArray { .. })
            | (AttrClass::AffineMap, AttrKind::AffineMap) => true,
            // Resources, sparse elements and attributes of dialects may have a type.
            (AttrClass::Typed, AttrKind::Other) => self.attr_type(a).is_some(),
            (AttrClass::Elements, AttrKind::Other) => {
                let text = self.attr_text(a);
                ["dense_resource<", "sparse<"].iter().any(|class| text.starts_with(class))
            }
            (AttrClass::Bool, AttrKind::Integer) => self.attr_type(a).is_some_and(|t| {
                self.type_kind(&t) == TypeKind::Integer { width: 1, signedness: Signedness::Signless }
            }),
            (AttrClass::FlatSymbolRef, AttrKind::SymbolRef) => {
                self.symbol_names(a).is_some_and(|names| names.len() == 1)
            }
            (AttrClass::DenseIntElements, AttrKind::DenseElements { .. }) => {
                matches!(element(), Some(TypeKind::Integer { .. } | TypeKind::Index))
            }
            (AttrClass::DenseFloatElements, AttrKind::DenseElements { .. }) => {
                matches!(element(), Some(TypeKind::Float(_)))
            }
            (AttrClass::DenseIntArray(bits), AttrKind::DenseArray { .. }) => {
                matches!(self.array_element_type(a).map(|t| self.type_kind(&t)),
                    Some(TypeKind::Integer { width, .. }) if width == u32::from(bits))
            }
            (AttrClass::DenseFloatArray(bits), AttrKind::DenseArray { .. }) => {
                matches!(self.array_element_type(a).map(|t| self.type_kind(&t)),
                    Some(TypeKind::Float(format)) if format.width() == u32::from(bits))
            }
            (AttrClass::AffineMap, AttrKind::Other) => {
                matches!(a, AttrRef::Fresh(_)) && self.attr_text(a).starts_with("affine_map<")
            }
            (AttrClass::ByText(class), AttrKind::Other) => class.has(&self.attr_text(a)),
            (AttrClass::Location, _) => self.attr_text(a).starts_with("loc("),
            _ => false,
        }
    }

    /// The element type of a dense array: the type in a fresh array, the type that the host states, or else the type in
    /// the text.
    pub(super) fn array_element_type(&self, a: &AttrRef<H>) -> Option<TypeRef<H>> {
        if let AttrRef::Fresh(spec) = a
            && let AttrSpec::DenseArray(_, t) = &**spec
        {
            return Some(t.clone());
        }
        if let AttrRef::Host(a) = a
            && let Some(t) = self.host().attr_held_type(*a).or_else(|| self.host().attr_type(*a))
        {
            return Some(TypeRef::Host(t));
        }
        let text = self.attr_text(a);
        let name = text.strip_prefix("array<")?.split([':', '>']).next()?.trim();
        let signedness = Signedness::Signless;
        let spec = match FloatFormat::from_name(name) {
            Some(format) => TypeSpec::Float(format),
            None => TypeSpec::Integer { width: name.strip_prefix('i')?.parse().ok()?, signedness },
        };
        Some(TypeRef::Fresh(Arc::new(spec)))
    }

    /// Finds or creates a type. It is fresh if the host does not have it and cannot create it now.
    pub(super) fn make_type(&mut self, spec: SpecOfType<H>) -> Result<TypeRef<H>, Refusal> {
        if let Some(host) = host_type(&spec)
            && let Some(t) = self.access.find_type(&host)?
        {
            return Ok(TypeRef::Host(t));
        }
        Ok(TypeRef::Fresh(Arc::new(spec)))
    }

    /// Finds or creates an attribute. It is fresh if the host does not have it and cannot create it now.
    pub(super) fn make_attr(&mut self, spec: SpecOfAttr<H>) -> Evaluated<H> {
        if let Some(host) = host_attr(&spec)
            && let Some(a) = self.access.find_attr(&host)?
        {
            return Ok(Val::Attr(AttrRef::Host(a)));
        }
        Ok(Val::Attr(AttrRef::Fresh(Arc::new(spec))))
    }

    pub(super) fn signless(&mut self, width: u32) -> Result<TypeRef<H>, Refusal> {
        self.make_type(TypeSpec::Integer { width, signedness: Signedness::Signless })
    }

    /// The width of the integer attributes of a type.
    pub(super) fn int_width(&self, t: &TypeRef<H>) -> Result<u32, Refusal> {
        match self.type_kind(t) {
            TypeKind::Integer { width, .. } => Ok(width),
            TypeKind::Index => Ok(64),
            _ => fail("an integer attribute needs an integer type"),
        }
    }

    pub(super) fn text_of(&self, value: &Val<H>) -> String {
        match value {
            Val::Type(t) => self.type_text(t),
            Val::Attr(a) => self.attr_text(a),
            _ => String::new(),
        }
    }
}
