//! The values of a symbolic execution: types, attributes whose contents are terms, and values of the IR.

use crate::id::define_ids;
use crate::ir::{AttrId, AttrKind, Context, Signedness, TypeId, TypeKind};
use crate::number::ApInt;
use crate::semantics::{Bits, Lane};

use super::term::{TermId, Terms};

define_ids! {
    /// A value of the matched or the new IR.
    pub(super) struct ValueId;
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ty {
    /// A signless integer.
    Int(u32),
    Index,
    /// Any other type, for example a float or a signed integer.
    Other(TypeId),
}

impl Ty {
    pub(super) fn of(context: &Context, ty: TypeId) -> Self {
        match context.type_kind(ty) {
            TypeKind::Integer { width, signedness: Signedness::Signless } if *width > 0 => Ty::Int(*width),
            TypeKind::Index => Ty::Index,
            _ => Ty::Other(ty),
        }
    }

    /// The text of an integer or index type. The text of any other type is `another type`.
    pub(super) fn text(self) -> String {
        match self {
            Ty::Int(width) => format!("i{width}"),
            Ty::Index => "index".to_owned(),
            Ty::Other(_) => "another type".to_owned(),
        }
    }

    /// The width of integer attributes of the type; `None` if the type is neither an integer nor `index`. Attributes of
    /// type `index` have 64 bits on every target.
    pub(super) fn attr_width(self) -> Option<u32> {
        match self {
            Ty::Int(width) => Some(width),
            Ty::Index => Some(64),
            Ty::Other(_) => None,
        }
    }
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Attr {
    /// An integer attribute.
    Int { ty: Ty, value: TermId },
    /// `#arith.overflow`.
    Overflow { nsw: TermId, nuw: TermId },
    /// A unit attribute if the bit `present` is set, and null otherwise.
    Unit { present: TermId },
    /// Any other attribute.
    Other(AttrId),
}

impl Attr {
    pub(super) fn of(context: &Context, terms: &mut Terms, attr: AttrId) -> Self {
        match context.attr_kind(attr) {
            AttrKind::Integer { value, ty } => {
                let ty = Ty::of(context, *ty);
                match ty.attr_width() {
                    Some(width) if width == value.width() => {
                        Attr::Int { ty, value: terms.constant(value.clone()) }
                    }
                    _ => Attr::Other(attr),
                }
            }
            AttrKind::Unit => Attr::Unit { present: terms.boolean(true) },
            _ => {
                let text = context.attr_text(attr);
                let words = text.strip_prefix("#arith.overflow<").and_then(|text| text.strip_suffix('>'));
                let Some(words) = words else { return Attr::Other(attr) };
                let has = |word: &str| words.split(',').any(|w| w.trim() == word);
                let (nsw, nuw) = (terms.boolean(has("nsw")), terms.boolean(has("nuw")));
                Attr::Overflow { nsw, nuw }
            }
        }
    }
}

/// The bit that is set if two attributes are equal.
pub(super) fn equal_attrs(terms: &mut Terms, a: &Attr, b: &Attr) -> TermId {
    match (a, b) {
        (Attr::Int { ty: t, value: x }, Attr::Int { ty: u, value: y }) if t == u => terms.eq(x, y),
        (Attr::Overflow { nsw, nuw }, Attr::Overflow { nsw: nsw2, nuw: nuw2 }) => {
            let (x, y) = (terms.eq(nsw, nsw2), terms.eq(nuw, nuw2));
            terms.and(&x, &y)
        }
        (Attr::Unit { present: x }, Attr::Unit { present: y }) => terms.eq(x, y),
        (Attr::Other(x), Attr::Other(y)) => {
            let equal = x == y;
            terms.boolean(equal)
        }
        _ => terms.boolean(false),
    }
}

/// The definition of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Definition {
    /// An operand that the rule does not describe.
    Leaf,
    /// A result of the operation with this index.
    Result { op: usize },
    /// A result of a constant operation with this attribute.
    Constant(Attr),
}

/// A value of the IR.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) ty: Ty,
    pub(super) lane: Lane<TermId>,
    pub(super) definition: Definition,
    /// For a leaf: the bit that is set if the value is the result of a constant operation, and the attribute of that
    /// operation.
    pub(super) constant: Option<(TermId, Attr)>,
    /// The bit that is set if the value has no uses.
    pub(super) unused: Option<TermId>,
    /// The bit that is set if the value has exactly one use.
    pub(super) one_use: Option<TermId>,
}

/// The value of an expression of a snippet, or of a node of a rule.
#[derive(Clone, Debug)]
pub(super) enum Val {
    Null,
    Bool(TermId),
    /// A C++ integer or enumerator, as a signed term of [`INT_WIDTH`] bits, which is wide enough that no operation
    /// overflows.
    Int(TermId),
    ApInt(TermId),
    Str(String),
    Type(Ty),
    Attr(Attr),
    Value(ValueId),
    /// The operation with this index.
    Op(usize),
    /// The uses of a value.
    Uses(ValueId),
    /// A matcher of constants, with the output that it binds.
    Matcher(crate::snippet::data::Builtin, Option<u32>),
    Location,
    Types(Vec<Ty>),
    Values(Vec<ValueId>),
}

/// The width of the terms of C++ integers. Sums, differences, products and shifts of 64-bit integers fit.
pub(super) const INT_WIDTH: u32 = 130;

/// The term of a C++ integer.
pub(super) fn int(terms: &mut Terms, value: i128) -> TermId {
    terms.constant(ApInt::from_bigint(INT_WIDTH, &value.into()))
}
