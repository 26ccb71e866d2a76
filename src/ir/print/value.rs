//! Types, attributes and locations as text.

use std::fmt::Write;

use super::printer::Printer;
use crate::host::AttrNameId;
use crate::host::Signedness;
use crate::identifier::is_bare_identifier;
use crate::intern::StrId;
use crate::ir::attributes::{AttrKind, LocKind};
use crate::ir::context::Context;
use crate::ir::elements::{self, ElementKind};
use crate::ir::ids::{AttrId, LocId, TypeId};
use crate::ir::types::{DYNAMIC, TypeKind};
use crate::ir::verbatim::{AliasTarget, Spelling, Verbatim};
use crate::number::{ApFloat, FloatFormat};
use crate::stack::with_room;
use crate::string_literal::push_quoted;

/// More than this many dense elements are printed as hexadecimal bytes if they are numbers and not all equal.
const HEX_LIMIT: u64 = 100;

impl Printer<'_> {
    pub(in crate::ir) fn str(&mut self, id: StrId) {
        let context = self.context;
        self.out.push_str(context.str(id));
    }

    fn quoted(&mut self, id: StrId) {
        let context = self.context;
        push_quoted(&mut self.out, context.str(id));
    }

    /// Writes a name, in quotes unless it is a bare identifier.
    pub(in crate::ir) fn keyword_or_string(&mut self, name: &str) {
        if is_bare_identifier(name) {
            self.out.push_str(name);
        } else {
            push_quoted(&mut self.out, name);
        }
    }

    pub(in crate::ir) fn symbol(&mut self, name: &str) {
        self.out.push('@');
        self.keyword_or_string(name);
    }

    // Types.

    pub(in crate::ir) fn ty(&mut self, ty: TypeId) {
        if !self.alias(AliasTarget::Type(ty)) {
            with_room(|| self.type_without_alias(ty));
        }
    }

    pub(in crate::ir) fn types(&mut self, types: &[TypeId]) {
        self.out.push('(');
        self.list(types, |p, &ty| p.ty(ty));
        self.out.push(')');
    }

    /// Writes `(inputs) -> results`.
    pub(in crate::ir) fn function_type(&mut self, inputs: &[TypeId], results: &[TypeId]) {
        self.types(inputs);
        self.out.push_str(" -> ");
        self.result_types(results);
    }

    /// Writes a single type that is not a function type, or a list of types in parentheses.
    pub(in crate::ir) fn result_types(&mut self, results: &[TypeId]) {
        match results {
            [one] if !matches!(self.context.type_kind(*one), TypeKind::Function { .. }) => self.ty(*one),
            _ => self.types(results),
        }
    }

    pub(in crate::ir) fn type_without_alias(&mut self, ty: TypeId) {
        if !self.spend() {
            return;
        }
        let context = self.context;
        match context.type_kind(ty) {
            TypeKind::Integer { width, signedness } => {
                let letter = match signedness {
                    Signedness::Signless => "i",
                    Signedness::Signed => "si",
                    Signedness::Unsigned => "ui",
                };
                let _ = write!(self.out, "{letter}{width}");
            }
            TypeKind::Index => self.out.push_str("index"),
            TypeKind::Float(format) => self.out.push_str(format.name()),
            TypeKind::None => self.out.push_str("none"),
            TypeKind::Complex(element) => {
                self.out.push_str("complex<");
                self.ty(*element);
                self.out.push('>');
            }
            TypeKind::Vector { shape, scalable, element } => {
                self.out.push_str("vector<");
                for (size, scalable) in shape.iter().zip(scalable) {
                    let _ =
                        if *scalable { write!(self.out, "[{size}]x") } else { write!(self.out, "{size}x") };
                }
                self.ty(*element);
                self.out.push('>');
            }
            TypeKind::RankedTensor { shape, element, encoding } => {
                self.out.push_str("tensor<");
                self.shape(shape);
                self.ty(*element);
                if let Some(encoding) = encoding {
                    self.out.push_str(", ");
                    self.attr(*encoding);
                }
                self.out.push('>');
            }
            TypeKind::UnrankedTensor(element) => {
                self.out.push_str("tensor<*x");
                self.ty(*element);
                self.out.push('>');
            }
            TypeKind::MemRef { shape, element, layout, memory_space } => {
                self.out.push_str("memref<");
                self.shape(shape);
                self.ty(*element);
                for attr in [layout, memory_space].into_iter().flatten() {
                    self.out.push_str(", ");
                    self.attr_without_default_type(*attr);
                }
                self.out.push('>');
            }
            TypeKind::UnrankedMemRef { element, memory_space } => {
                self.out.push_str("memref<*x");
                self.ty(*element);
                if let Some(attr) = memory_space {
                    self.out.push_str(", ");
                    self.attr_without_default_type(*attr);
                }
                self.out.push('>');
            }
            TypeKind::Function { inputs, results } => self.function_type(inputs, results),
            TypeKind::Graph { inputs, results } => {
                self.out.push_str("graph<");
                self.function_type(inputs, results);
                self.out.push('>');
            }
            TypeKind::Tuple(types) => {
                self.out.push_str("tuple<");
                self.list(types, |p, &ty| p.ty(ty));
                self.out.push('>');
            }
            TypeKind::Dialect(body) => {
                self.out.push('!');
                self.verbatim(body);
            }
        }
    }

    fn shape(&mut self, shape: &[i64]) {
        for &size in shape {
            self.size(size);
            self.out.push('x');
        }
    }

    fn size(&mut self, size: i64) {
        if size == DYNAMIC {
            self.out.push('?');
        } else {
            let _ = write!(self.out, "{size}");
        }
    }

    /// Writes the text of a dialect's type or attribute, with the current names of aliases.
    fn verbatim(&mut self, body: &Verbatim) {
        let text = self.context.str(body.text);
        let mut from = 0;
        for alias in &body.refs {
            let (start, end) = (alias.start as usize, alias.end as usize);
            self.out.push_str(&text[from..start]);
            match alias.target {
                AliasTarget::Attr(attr) if alias.spelling != Spelling::Whole => {
                    self.shortened_attr(attr, alias.spelling);
                }
                AliasTarget::Type(ty) if alias.spelling != Spelling::Whole => {
                    self.shortened_type(ty, alias.spelling);
                }
                AliasTarget::Attr(attr) => self.attr(attr),
                AliasTarget::Type(ty) => self.ty(ty),
                AliasTarget::Loc(loc) => {
                    if !self.alias(alias.target) {
                        self.loc(loc, true);
                    }
                }
            }
            from = end;
        }
        self.out.push_str(&text[from..]);
    }

    /// Writes the alias of a type, if it has one. Otherwise writes a dialect's type without the part that `spelling`
    /// omits, and any other type whole.
    pub(in crate::ir) fn shortened_type(&mut self, ty: TypeId, spelling: Spelling) {
        if self.alias(AliasTarget::Type(ty)) {
            return;
        }
        match self.context.type_kind(ty) {
            TypeKind::Dialect(body) if self.spend() => {
                let start = self.out.len();
                with_room(|| self.shortened(body, spelling));
                // If the class has no parameters, no text remains without its name, so the type is written whole.
                if self.out.len() == start {
                    self.ty(ty);
                }
            }
            _ => self.ty(ty),
        }
    }

    /// Writes the alias of an attribute, if it has one. Otherwise writes a dialect's attribute without the part that
    /// `spelling` omits, and any other attribute whole.
    pub(in crate::ir) fn shortened_attr(&mut self, attr: AttrId, spelling: Spelling) {
        if self.alias(AliasTarget::Attr(attr)) {
            return;
        }
        match self.context.attr_kind(attr) {
            AttrKind::Dialect { body, ty }
                if self.context.text_determines_type(body, *ty) && self.spend() =>
            {
                let start = self.out.len();
                with_room(|| self.shortened(body, spelling));
                // If the class has no parameters, no text remains without its name, so the attribute is written whole.
                if self.out.len() == start {
                    self.attr(attr);
                }
            }
            _ => self.attr(attr),
        }
    }

    fn shortened(&mut self, body: &Verbatim, spelling: Spelling) {
        let start = self.out.len();
        self.verbatim(body);
        let text = &self.out[start..];
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
        let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
        match spelling {
            Spelling::Whole => {}
            Spelling::WithoutDialect => {
                let dialect = text[..end].find('.').map_or(0, |dot| dot + 1);
                self.out.replace_range(start..start + dialect, "");
            }
            // In `dialect<name rest>`, the name follows the bracket.
            Spelling::WithoutClass
                if !text[..end].contains('.') && text[end..].starts_with('<') && text.ends_with('>') =>
            {
                let inside = &text[end + 1..text.len() - 1];
                let rest = inside[inside.find(|c| !is_name(c)).unwrap_or(inside.len())..].to_owned();
                self.out.truncate(start);
                self.out.push_str(&rest);
            }
            Spelling::WithoutClass => self.out.replace_range(start..start + end, ""),
        }
    }

    // Attributes.

    /// Writes an attribute with its type.
    pub(in crate::ir) fn attr(&mut self, attr: AttrId) {
        if !self.alias(AliasTarget::Attr(attr)) {
            with_room(|| self.attr_without_alias(attr, false));
        }
    }

    /// Writes an attribute, without its type if it is an integer of type `i64`, or a float of type `f64` that is not
    /// written in hexadecimal. The parser assumes these types.
    pub(in crate::ir) fn attr_without_default_type(&mut self, attr: AttrId) {
        if !self.alias(AliasTarget::Attr(attr)) {
            with_room(|| self.attr_without_alias(attr, true));
        }
    }

    /// Writes an attribute without its type.
    pub(in crate::ir) fn attr_without_type(&mut self, attr: AttrId) {
        let start = self.out.len();
        self.attr(attr);
        let Some(ty) = self.context.attr_type(attr) else { return };
        let end = self.out.len();
        self.colon_type(ty);
        let suffix = self.out.split_off(end);
        if self.out.len() - start > suffix.len() && self.out.ends_with(&suffix) {
            self.out.truncate(end - suffix.len());
        }
    }

    /// True if the elements of an attribute have too many values to be written.
    fn elides(&self, attr: AttrId, ty: TypeId) -> bool {
        let Some(limit) = self.elide_elements else { return false };
        match self.context.attr_kind(attr) {
            AttrKind::DenseStrings { elements, .. } if elements.len() == 1 => return false,
            // MLIR compares the limit with the number of indices and with the number of values.
            AttrKind::SparseElements { indices, values, .. } => {
                return [*indices, *values].into_iter().any(|part| match self.context.attr_kind(part) {
                    AttrKind::DenseElements { splat: true, .. } => false,
                    AttrKind::DenseElements { ty, .. } => self.elides(part, *ty),
                    _ => false,
                });
            }
            _ => {}
        }
        self.context.type_kind(ty).element_count().is_some_and(|count| count > limit)
    }

    /// Prints the elements of a dense array in brackets.
    pub(in crate::ir) fn bracketed_array(&mut self, attr: AttrId) {
        let AttrKind::DenseArray { element, data } = self.context.attr_kind(attr) else { return };
        self.out.push('[');
        if let Some(kind) = ElementKind::of(self.context, *element) {
            self.list(data.chunks(kind.array_size()), |p, bytes| p.element(*element, kind, bytes));
        }
        self.out.push(']');
    }

    pub(in crate::ir) fn attr_without_alias(&mut self, attr: AttrId, omit_default_type: bool) {
        if !self.spend() {
            return;
        }
        let context = self.context;
        match context.attr_kind(attr) {
            AttrKind::Unit => self.out.push_str("unit"),
            AttrKind::Integer { value, ty } => {
                if *ty == Context::I1 {
                    self.out.push_str(if value.is_zero() { "false" } else { "true" });
                    return;
                }
                self.integer(value, *ty);
                if !(omit_default_type && *ty == Context::I64) {
                    self.colon_type(*ty);
                }
            }
            AttrKind::Float { value, ty } => {
                let start = self.out.len();
                self.float(*value);
                let hex = self.out[start..].starts_with("0x");
                if !omit_default_type || hex || *ty != Context::F64 {
                    self.colon_type(*ty);
                }
            }
            AttrKind::String { text, ty } => {
                self.quoted(*text);
                if let Some(ty) = ty {
                    self.colon_type(*ty);
                }
            }
            AttrKind::Array(items) => {
                self.out.push('[');
                self.list(items, |p, &item| p.attr_without_default_type(item));
                self.out.push(']');
            }
            AttrKind::Dictionary(entries) => self.dictionary(entries),
            AttrKind::Type(ty) => self.ty(*ty),
            AttrKind::SymbolRef { root, nested } => {
                self.symbol(context.str(*root));
                for name in nested {
                    self.out.push_str("::");
                    self.symbol(context.str(*name));
                }
            }
            AttrKind::DenseElements { ty, splat: false, .. }
            | AttrKind::DenseStrings { ty, .. }
            | AttrKind::SparseElements { ty, .. }
                if self.elides(attr, *ty) =>
            {
                self.out.push_str("dense_resource<__elided__>");
                self.colon_type(*ty);
            }
            AttrKind::DenseElements { ty, data, splat } => {
                self.out.push_str("dense<");
                self.dense(*ty, data, *splat, true);
                self.out.push('>');
                self.colon_type(*ty);
            }
            AttrKind::DenseStrings { ty, elements } => {
                self.out.push_str("dense<");
                let shape = context.type_kind(*ty).shape().unwrap_or(&[]);
                if elements.len() == 1 {
                    self.quoted(elements[0]);
                } else {
                    self.nested(shape, &mut elements.iter(), &mut |p, elements| {
                        if let Some(&text) = elements.next() {
                            p.quoted(text);
                        }
                    });
                }
                self.out.push('>');
                self.colon_type(*ty);
            }
            AttrKind::DialectElements { ty, literal } => {
                self.str(*literal);
                self.colon_type(*ty);
            }
            AttrKind::DenseArray { element, data } => {
                self.out.push_str("array<");
                self.type_without_alias(*element);
                let kind = ElementKind::of(context, *element);
                if let (Some(kind), false) = (kind, data.is_empty()) {
                    self.out.push_str(": ");
                    self.list(data.chunks(kind.array_size()), |p, bytes| p.element(*element, kind, bytes));
                }
                self.out.push('>');
            }
            AttrKind::DenseResource { ty, key } => {
                self.resources.push(*key);
                self.out.push_str("dense_resource<");
                self.keyword_or_string(context.str(*key));
                self.out.push('>');
                self.colon_type(*ty);
            }
            AttrKind::SparseElements { ty, indices, values } => {
                self.out.push_str("sparse<");
                if let AttrKind::DenseElements { ty, data, splat } = context.attr_kind(*indices) {
                    let kind = context.type_kind(*ty);
                    if self.exact {
                        self.exact_sparse(kind.shape().unwrap_or(&[]), data, *splat, *values);
                    } else if kind.element_count() != Some(0) {
                        self.dense(*ty, data, *splat, false);
                        self.out.push_str(", ");
                        self.sparse_values(*values);
                    }
                }
                self.out.push('>');
                self.colon_type(*ty);
            }
            AttrKind::AffineMap(map) => {
                self.out.push_str("affine_map<");
                self.affine_map(map);
                self.out.push('>');
            }
            AttrKind::IntegerSet(set) => {
                self.out.push_str("affine_set<");
                self.integer_set(set);
                self.out.push('>');
            }
            AttrKind::StridedLayout { strides, offset } => {
                self.out.push_str("strided<[");
                self.list(strides, |p, &stride| p.size(stride));
                self.out.push(']');
                if *offset != 0 {
                    self.out.push_str(", offset: ");
                    self.size(*offset);
                }
                self.out.push('>');
            }
            AttrKind::Distinct { id, referenced } => {
                let number = self.distinct.as_mut().map(|known| {
                    let next = known.len();
                    *known.entry(attr).or_insert(next)
                });
                let _ = match number {
                    Some(number) => write!(self.out, "distinct[{number}]<"),
                    None => write!(self.out, "distinct[{id}]<"),
                };
                if *referenced != Context::UNIT {
                    self.attr(*referenced);
                }
                self.out.push('>');
            }
            AttrKind::Location(loc) => {
                if !self.alias(AliasTarget::Loc(*loc)) {
                    self.loc(*loc, true);
                }
            }
            AttrKind::Dialect { body, ty } => {
                self.out.push('#');
                self.verbatim(body);
                if let Some(ty) = ty {
                    self.colon_type(*ty);
                }
            }
        }
    }

    fn sparse_values(&mut self, values: AttrId) {
        match self.context.attr_kind(values) {
            AttrKind::DenseElements { ty, data, splat } => self.dense(*ty, data, *splat, true),
            _ => self.dense_strings_body(values),
        }
    }

    /// Writes sparse elements as a text that parses to the same attribute. The shape of the indices is n × rank, or n.
    /// MLIR writes indices that are all equal as one number, which does not state n, and omits empty lists. Where that
    /// text would not be exact, this function writes every index, and `[]` for an empty list of values.
    fn exact_sparse(&mut self, shape: &[i64], data: &[u8], splat: bool, values: AttrId) {
        let index = |p: &mut Self, at: i64| {
            let start = if splat { 0 } else { usize::try_from(8 * at).expect("the indices fit in memory") };
            p.element(Context::I64, ElementKind::Int { width: 64 }, &data[start..start + 8]);
        };
        match *shape {
            // Only `sparse<>` has such indices.
            [0, _] => return,
            // The parser reads one number as a single row.
            [1, _] if splat => index(self, 0),
            [count, rank] => {
                self.out.push('[');
                self.list(0..count, |p, row| {
                    p.out.push('[');
                    p.list(row * rank..(row + 1) * rank, index);
                    p.out.push(']');
                });
                self.out.push(']');
            }
            _ => {
                self.out.push('[');
                self.list(0..shape[0], index);
                self.out.push(']');
            }
        }
        self.out.push_str(", ");
        let start = self.out.len();
        self.sparse_values(values);
        if self.out.len() == start {
            self.out.push_str("[]");
        }
    }

    fn dense_strings_body(&mut self, attr: AttrId) {
        let context = self.context;
        if let AttrKind::DenseStrings { ty, elements } = context.attr_kind(attr) {
            if let [one] = **elements {
                self.quoted(one);
                return;
            }
            let shape = context.type_kind(*ty).shape().unwrap_or(&[]);
            self.nested(shape, &mut elements.iter(), &mut |p, elements| {
                if let Some(&text) = elements.next() {
                    p.quoted(text);
                }
            });
        }
    }

    fn colon_type(&mut self, ty: TypeId) {
        if ty != Context::NONE {
            self.out.push_str(" : ");
            self.ty(ty);
        }
    }

    fn integer(&mut self, value: &crate::number::ApInt, ty: TypeId) {
        let unsigned =
            matches!(self.context.type_kind(ty), TypeKind::Integer { signedness: Signedness::Unsigned, .. });
        match value.to_i64() {
            Some(small) if !unsigned => {
                let _ = write!(self.out, "{small}");
            }
            _ if unsigned => self.out.push_str(&value.to_unsigned_string()),
            _ => self.out.push_str(&value.to_signed_string()),
        }
    }

    fn float(&mut self, value: ApFloat) {
        // The parser rounds a decimal number to a double first.
        let is_double = || value.convert(FloatFormat::F64).convert(value.format()) == value;
        let _ = match self.exact && !is_double() {
            true => write!(self.out, "0x{:X}", value.to_bits()),
            false => write!(self.out, "{value}"),
        };
    }

    /// Writes `{a = 1, b}`.
    pub(in crate::ir) fn dictionary(&mut self, entries: &[(AttrNameId, AttrId)]) {
        self.out.push('{');
        self.list(entries, |p, &(name, value)| p.named_attr(name, value));
        self.out.push('}');
    }

    /// Writes the name of an attribute.
    pub(in crate::ir) fn attr_name(&mut self, name: AttrNameId) {
        self.keyword_or_string(self.context.attr_name_text(name));
    }

    /// Writes `name = value`, or only the name of a unit attribute.
    pub(in crate::ir) fn named_attr(&mut self, name: AttrNameId, value: AttrId) {
        self.attr_name(name);
        if value != Context::UNIT {
            self.out.push_str(" = ");
            self.attr(value);
        }
    }

    // Elements.

    fn dense(&mut self, ty: TypeId, data: &[u8], splat: bool, hex: bool) {
        let context = self.context;
        let kind = context.type_kind(ty);
        let (Some(shape), Some(element), Some(count)) = (kind.shape(), kind.element(), kind.element_count())
        else {
            return;
        };
        let Some(element_kind) = ElementKind::of(context, element) else { return };
        if splat {
            self.element(element, element_kind, data);
            return;
        }
        if count > HEX_LIMIT && hex {
            self.out.push_str("\"0x");
            for byte in elements::to_raw(element_kind, data).iter() {
                let _ = write!(self.out, "{byte:02X}");
            }
            self.out.push('"');
            return;
        }
        if count > 0 {
            self.nested(shape, &mut &*data, &mut |p, rest| {
                if let Some((bytes, after)) = rest.split_at_checked(element_kind.size()) {
                    p.element(element, element_kind, bytes);
                    *rest = after;
                }
            });
        }
    }

    /// Writes elements in the brackets of their shape.
    fn nested<I>(&mut self, shape: &[i64], items: &mut I, item: &mut impl FnMut(&mut Self, &mut I)) {
        let total = shape.iter().fold(1i64, |total, &size| total.saturating_mul(size));
        if shape.is_empty() || total <= 0 {
            item(self, items);
            return;
        }
        // The number of elements in the brackets of each dimension.
        let mut strides = vec![1i64; shape.len()];
        for i in (0..shape.len()).rev() {
            strides[i] = shape[i] * strides.get(i + 1).copied().unwrap_or(1);
        }
        for at in 0..total {
            if at > 0 {
                self.out.push_str(", ");
            }
            strides.iter().filter(|&&stride| at % stride == 0).for_each(|_| self.out.push('['));
            item(self, items);
            strides.iter().filter(|&&stride| (at + 1) % stride == 0).for_each(|_| self.out.push(']'));
        }
    }

    fn element(&mut self, ty: TypeId, kind: ElementKind, bytes: &[u8]) {
        match kind {
            ElementKind::Int { width } => {
                let value = crate::number::ApInt::from_le_bytes(width, bytes);
                if width == 1 {
                    self.out.push_str(if value.is_zero() { "false" } else { "true" });
                } else {
                    self.integer(&value, ty);
                }
            }
            ElementKind::Float(format) => {
                self.float(elements::float(format, bytes));
            }
            ElementKind::ComplexInt { .. } | ElementKind::ComplexFloat(_) => {
                let Some(part) = self.context.type_kind(ty).element() else { return };
                let part_kind = kind.part();
                let (real, imaginary) = bytes.split_at(bytes.len() / 2);
                self.out.push('(');
                self.element(part, part_kind, real);
                self.out.push(',');
                self.element(part, part_kind, imaginary);
                self.out.push(')');
            }
        }
    }

    // Locations.

    /// Writes `loc(…)`. If `top` is true, the location itself is written, not its alias.
    pub(in crate::ir) fn loc(&mut self, loc: LocId, top: bool) {
        self.out.push_str("loc(");
        self.loc_body(loc, top);
        self.out.push(')');
    }

    fn loc_body(&mut self, loc: LocId, top: bool) {
        if !top && self.alias(AliasTarget::Loc(loc)) || !self.spend() {
            return;
        }
        with_room(|| self.loc_without_alias(loc));
    }

    fn loc_without_alias(&mut self, loc: LocId) {
        match self.context.loc_kind(loc) {
            LocKind::Unknown => self.out.push_str("unknown"),
            LocKind::FileLineCol { file, line, column } => {
                self.quoted(file);
                let _ = write!(self.out, ":{line}:{column}");
            }
            LocKind::FileRange { file, start, end } => {
                self.quoted(file);
                let _ = write!(self.out, ":{}:{}", start.0, start.1);
                let _ = if start == end && !self.exact {
                    Ok(())
                } else if start.0 == end.0 {
                    write!(self.out, " to :{}", end.1)
                } else {
                    write!(self.out, " to {}:{}", end.0, end.1)
                };
            }
            LocKind::Name { name, child } => {
                self.quoted(name);
                if child != Context::UNKNOWN {
                    self.out.push('(');
                    self.loc_body(child, false);
                    self.out.push(')');
                }
            }
            LocKind::CallSite { callee, caller } => {
                self.out.push_str("callsite(");
                self.loc_body(callee, false);
                self.out.push_str(" at ");
                self.loc_body(caller, false);
                self.out.push(')');
            }
            LocKind::Fused { locations, metadata } => {
                self.out.push_str("fused");
                if let Some(metadata) = metadata {
                    self.out.push('<');
                    self.attr(metadata);
                    self.out.push('>');
                }
                self.out.push('[');
                self.list(&locations, |p, &loc| p.loc_body(loc, false));
                self.out.push(']');
            }
            LocKind::Dialect(attr) => self.attr(attr),
        }
    }
}
