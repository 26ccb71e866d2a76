//! The pool: the types and attributes of random IR.
//!
//! A pool has the constants of the rules, their neighbours (the adjacent integers, the same number in another type, the
//! other cases of an enumeration), constants for which constraints may hold, and a fixed set of common constants. All
//! of these are interned in the host once, in an order that depends only on the rules.

use hashbrown::HashSet;

use crate::host::{AttrSpec, Bind, Facets, Kind, Natives, TypeKind};
use crate::ir::{AttrId, AttrKind, IrHost, TypeId};
use crate::number::{ApFloat, ApInt, MAX_WIDTH};
use crate::pdl::{Callee, ConstantValues, RuleSet};
use crate::snippet::{ClassKind, Linked, SnippetId, Snippets, Solutions};

/// Types in every pool. Some scalars occur twice, so that they are drawn more often.
const TYPES: &[&str] = &[
    "i32",
    "i64",
    "i1",
    "i8",
    "i16",
    "index",
    "f32",
    "f64",
    "f16",
    "i32",
    "i64",
    "i1",
    "i8",
    "f32",
    "index",
    "vector<4xi32>",
    "vector<4xi1>",
    "vector<4xi8>",
    "vector<4xf32>",
    "vector<2x2xi32>",
    "tensor<4xi32>",
    "tensor<4xi64>",
    "tensor<4xi1>",
    "tensor<4xf32>",
    "tensor<2x3xf32>",
    "tensor<2x3xi32>",
    "tensor<f32>",
    "tensor<2xf32>",
    "tensor<2xi32>",
    "memref<4xi32>",
    "memref<?xf32>",
    "none",
    "tuple<i32>",
    "complex<f32>",
    "si32",
    "ui32",
    "bf16",
];

/// Attributes in every pool, in addition to numbers.
const ATTRS: &[&str] = &[
    "unit",
    "\"a\"",
    "\"\"",
    "\"b\"",
    "[]",
    "[1 : i32]",
    "[1, 2]",
    "[0, 1]",
    "[2, 3, 4]",
    "[1.0 : f32]",
    "[\"a\", \"b\"]",
    "{}",
    "{a = 1 : i32}",
    "@a",
    "@b",
    "array<i64: 1, 2>",
    "array<i32: 1>",
    "array<i64>",
    "affine_map<(d0) -> (d0)>",
    "i32",
    "f32",
];

/// Integers that rules often use: numbers near zero, bit widths, differences of bit widths, and 42.
const INTS: &[i64] = &[0, 1, -1, 2, 3, 4, 5, 7, 8, 16, 24, 32, 42, 48, 56];

/// A number for which a constraint may hold.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Solved {
    Int(i64),
    Float(f64),
}

/// The maximum number of [`Solved`] numbers.
const SOLVED: usize = 256;

/// Candidates for types and attributes, interned in one host.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    /// The types. Some occur several times, so that they are drawn more often.
    pub(super) types: Vec<TypeId>,
    pub(super) attrs: Vec<AttrId>,
}

impl Pool {
    /// Creates the pool of some rule sets.
    pub(super) fn new(sets: &[&RuleSet], host: &mut IrHost, natives: &Natives<IrHost>) -> Self {
        let mut pool = Self::default();
        pool.types.extend(TYPES.iter().filter_map(|text| host.context.parse_type(text).ok()));
        let mut solved = Vec::new();
        for set in sets {
            let linked = Linked::link(&set.snippets, host, natives);
            pool.add_constants(set, &linked, host);
            pool.add_classes(&set.snippets, host);
            pool.add_solutions(set, &mut solved, host);
        }
        pool.add_numbers(&solved, host);
        pool.attrs.extend(ATTRS.iter().filter_map(|text| host.context.parse_attr(text).ok()));
        let mut seen = HashSet::new();
        pool.attrs.retain(|&attr| seen.insert(attr));
        pool
    }

    /// Adds the constants of rules.
    fn add_constants(&mut self, rules: &RuleSet, linked: &Linked<IrHost>, host: &mut IrHost) {
        let values = ConstantValues::new(rules, linked);
        let mut seen = HashSet::new();
        // The only traversal of constants needs mutable rules. Copying the rules costs little compared with the search.
        rules.clone().visit_constants(&mut |kind, &mut constant| {
            if !seen.insert((constant, kind)) {
                return;
            }
            match kind {
                Kind::Type => {
                    self.types.extend(values.ty(constant, host).into_iter().flat_map(|ty| [ty, ty]))
                }
                _ => {
                    if let Some(attr) = values.attr(constant, host) {
                        self.add_attr(attr, host);
                    }
                }
            }
        });
    }

    /// Adds an attribute that a rule names, and its neighbours.
    fn add_attr(&mut self, attr: AttrId, host: &mut IrHost) {
        self.attrs.push(attr);
        if let Some(ty) = host.context.attr_type(attr) {
            self.types.push(ty);
        }
        if let AttrKind::Integer { value, ty } = host.context.attr_kind(attr) {
            let (value, ty, one) = (value.clone(), *ty, ApInt::one(value.width()));
            for neighbour in [value.wrapping_add(&one), value.wrapping_sub(&one)] {
                self.attrs.extend(host.make_attr(&AttrSpec::Integer(neighbour, ty)));
            }
            if let Some(number) = value.to_i64() {
                for other in self.types.clone() {
                    if let Some(width) = host.context.integer_width(other) {
                        let same = AttrSpec::Integer(ApInt::from_i64(width, number), other);
                        self.attrs.extend(host.make_attr(&same));
                    }
                }
            }
        }
    }

    /// Adds types and attributes of the dialect classes that rules mention.
    fn add_classes(&mut self, snippets: &Snippets, host: &mut IrHost) {
        for class in snippets.classes.iter() {
            match class.kind {
                ClassKind::Type(text) => self.types.extend(host.bind_type(snippets.str(text))),
                ClassKind::Attr(text) => self.attrs.extend(host.bind_attr(snippets.str(text))),
                ClassKind::EnumAttr(text, id) => {
                    for case in &snippets.enumeration(id).cases {
                        let text = format!("{}<{}>", snippets.str(text), snippets.str(case.text));
                        self.attrs.extend(host.bind_attr(&text));
                    }
                }
                ClassKind::IntEnumAttr(width, id) => {
                    let ty = host.context.signless(width.min(64));
                    for case in &snippets.enumeration(id).cases {
                        let value = ApInt::from_u64(width.min(64), case.value);
                        self.attrs.extend(host.make_attr(&AttrSpec::Integer(value, ty)));
                    }
                }
                ClassKind::Op(_) | ClassKind::OneOf(..) | ClassKind::Native(_) | ClassKind::Foreign(..) => {}
            }
        }
    }

    /// Adds types and strings for which the constraints of rules may hold. Appends to `solved` the numbers for which
    /// these constraints may hold.
    fn add_solutions(&mut self, rules: &RuleSet, solved: &mut Vec<Solved>, host: &mut IrHost) {
        let mut snippets: Vec<SnippetId> = Vec::new();
        for pattern in rules.patterns.iter() {
            let calls = pattern.matcher.constraints.iter();
            snippets.extend(calls.filter_map(|call| match call.callee {
                Callee::Snippet(snippet) => Some(snippet),
                Callee::Native(_) => None,
            }));
        }
        for name in rules.mentioned_ops() {
            let attributes = rules.ops.find(name).map_or(&[][..], |def| &def.attributes);
            snippets.extend(attributes.iter().filter_map(|attr| Some(attr.constraint?.holds)));
        }
        snippets.sort_unstable();
        snippets.dedup();
        for snippet in snippets {
            let Solutions { ints, floats, strings, widths } = rules.snippets.solutions(snippet);
            for number in ints.into_iter().map(Solved::Int).chain(floats.into_iter().map(Solved::Float)) {
                if solved.len() < SOLVED && !solved.contains(&number) {
                    solved.push(number);
                }
            }
            for text in strings {
                let attr = host.context.string_attr(&text);
                self.attrs.push(attr);
            }
            for width in widths.into_iter().filter(|width| (1..=MAX_WIDTH).contains(width)) {
                let ty = host.context.signless(width);
                if !self.types.contains(&ty) {
                    self.types.push(ty);
                }
            }
        }
    }

    /// Adds numbers and splats of every numeric type.
    fn add_numbers(&mut self, solved: &[Solved], host: &mut IrHost) {
        let mut types = self.types.clone();
        types.sort_unstable();
        types.dedup();
        for ty in types {
            let element = match host.type_kind(ty) {
                TypeKind::Vector { element, .. } | TypeKind::RankedTensor { element, .. } => element,
                _ => ty,
            };
            let shaped = element != ty;
            match host.type_kind(element) {
                TypeKind::Integer { width, .. } if width > 0 => {
                    self.add_ints(host, ty, shaped, width, solved)
                }
                TypeKind::Index => self.add_ints(host, ty, shaped, 64, solved),
                TypeKind::Float(format) => {
                    let solved = solved.iter().filter_map(|solved| match *solved {
                        Solved::Float(value) => Some(value),
                        Solved::Int(_) => None,
                    });
                    for value in [0.0, 1.0, -1.0, 0.5, -0.0, 2.0, 1e30].into_iter().chain(solved) {
                        let value = ApFloat::from_f64(format, value);
                        let spec = if shaped {
                            AttrSpec::DenseFloats(vec![value], ty)
                        } else {
                            AttrSpec::Float(value, ty)
                        };
                        self.attrs.extend(host.make_attr(&spec));
                    }
                }
                _ => {}
            }
        }
    }

    fn add_ints(&mut self, host: &mut IrHost, ty: TypeId, shaped: bool, width: u32, solved: &[Solved]) {
        let ends = [ApInt::min_signed(width), ApInt::max_signed(width)];
        let solved = solved.iter().filter_map(|solved| match *solved {
            Solved::Int(value) => {
                Some(ApInt::from_i64(width, value)).filter(|int| int.to_i64() == Some(value))
            }
            Solved::Float(_) => None,
        });
        let values = INTS.iter().map(|&value| ApInt::from_i64(width, value)).chain(ends).chain(solved);
        for value in values {
            let spec = match shaped {
                true => AttrSpec::DenseInts(vec![value], ty),
                false => AttrSpec::Integer(value, ty),
            };
            self.attrs.extend(host.make_attr(&spec));
        }
        if shaped && let Some(count) = host.context.type_kind(ty).element_count().filter(|&n| n <= 64) {
            let values = (0..count).map(|i| ApInt::from_u64(width, i)).collect();
            self.attrs.extend(host.make_attr(&AttrSpec::DenseInts(values, ty)));
        }
    }
}
