//! Expressions that lowering adds to rules, built without C++ text.

use crate::frontend::cxx::{Expected, to_kind};
use crate::host::Kind;
use crate::snippet::{
    AttrClass, Builder, Builtin, CastMode, IntTy, Member, ObjectClass, PropertyTy, Ty, TypeError, Typed,
};

/// An expression over the parameters of a snippet.
pub(super) enum Helper {
    /// The first value of a range.
    First,
    /// The type of the first value of a range.
    FirstType,
    /// The type of a typed attribute.
    TypeOfAttr,
    /// The type that a type attribute holds.
    HeldType,
    /// The first parameter, or the second if the first is null.
    OrElse,
    /// The attribute that stores a property.
    Property(PropertyTy),
    /// A result group of an operation, by its number.
    Results { number: usize, member: Member, ty: Ty, kind: Kind },
    /// Moves a region of the operation `$1` to the operation `$0`.
    TakeRegion { to: u32, from: u32 },
    /// True for attributes of a class, whose C++ name is `storage`.
    IsA { class: AttrClass, storage: String },
}

impl Helper {
    /// The expression in C++, which dumps show.
    pub(super) fn notation(&self) -> String {
        match self {
            Helper::First => "$0.front()".to_owned(),
            Helper::FirstType => "$0.front().getType()".to_owned(),
            Helper::TypeOfAttr => "::llvm::cast<::mlir::TypedAttr>($0).getType()".to_owned(),
            Helper::HeldType => "::llvm::cast<::mlir::TypeAttr>($0).getValue()".to_owned(),
            Helper::OrElse => "$0 ? $0 : $1".to_owned(),
            Helper::Property(_) => "$0".to_owned(),
            Helper::Results { number, .. } => format!("$0.getODSResults({number})"),
            Helper::TakeRegion { to, from } => format!("takeRegion($0, {to}, $1, {from})"),
            Helper::IsA { storage, .. } => format!("::llvm::isa<{storage}>($_self)"),
        }
    }

    /// The expected result of the expression.
    pub(super) fn expected(&self) -> Expected {
        match self {
            Helper::First => Expected::Kind(Kind::Value),
            Helper::FirstType | Helper::TypeOfAttr | Helper::HeldType => Expected::Kind(Kind::Type),
            Helper::OrElse => Expected::Kind(Kind::Attr),
            Helper::Property(ty) => Expected::Property(*ty),
            Helper::Results { kind, .. } => Expected::Kind(*kind),
            Helper::TakeRegion { .. } => Expected::Nothing,
            Helper::IsA { .. } => Expected::Predicate,
        }
    }

    /// Builds the expression.
    ///
    /// # Errors
    /// A parameter does not have a fitting type.
    pub(super) fn build(self, b: &mut Builder<'_>) -> Result<Typed, TypeError> {
        let first = b.param(0)?;
        match self {
            Helper::First => method(b, first, "front"),
            Helper::FirstType => {
                let value = method(b, first, "front")?;
                method(b, value, "getType")
            }
            Helper::TypeOfAttr => {
                let typed = b.cast(first, ObjectClass::Attr(AttrClass::Typed), CastMode::Must)?;
                method(b, typed, "getType")
            }
            Helper::HeldType => {
                let held = b.cast(first, ObjectClass::Attr(AttrClass::Type), CastMode::Must)?;
                method(b, held, "getValue")
            }
            Helper::OrElse => {
                let (value, other) = (b.param(0)?, b.param(1)?);
                let either = b.select(first, value, other)?;
                to_kind(b, either, Kind::Attr)
            }
            Helper::Property(ty) => b.property_attr(first, ty),
            Helper::Results { member, ty, kind, .. } => {
                let group = b.member(first, member, ty)?;
                to_kind(b, group, kind)
            }
            Helper::TakeRegion { to, from } => {
                let op = b.param(1)?;
                let [to, from] = [b.int(to.into(), IntTy::I64)?, b.int(from.into(), IntTy::I64)?];
                b.algorithm(Builtin::TakeRegion, &[first, to, op, from], Ty::NULL)
            }
            Helper::IsA { class, .. } => b.isa(first, &[ObjectClass::Attr(class)], false),
        }
    }
}

/// A call of a built-in method, or of a native with this name if the receiver has no such method.
fn method(b: &mut Builder<'_>, on: Typed, name: &str) -> Result<Typed, TypeError> {
    match b.method(on, name, &[], None) {
        Some(result) => result,
        None => b.native(name, &[on], &[], Ty::UNKNOWN),
    }
}
