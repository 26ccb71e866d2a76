//! Lowers the constructors and methods of `APSInt`.

use super::lvalue::Held;
use crate::frontend::cxx::ast::NodeId;
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Lower, Lowered};
use crate::snippet::{Builtin, Form, Item, Ty, Typed};

impl Lower<'_, '_> {
    /// Lowers `APSInt(arguments)`.
    pub(in crate::frontend::cxx) fn construct_signed(&mut self, node: NodeId, args: &[Typed]) -> Lowered {
        let (first, is_unsigned) = match args {
            [one] if self.b.is_signed_number(one.ty) => return Ok(*one),
            [one] => (*one, self.build(node, |b| b.bool(true))?),
            &[one, is_unsigned] => (one, is_unsigned),
            _ => {
                let ty = self.b.signed_number_ty();
                return self.default_value(node, ty);
            }
        };
        let value = match first.ty {
            // If the argument is a machine integer, it is the width, and the value is zero.
            Ty { item: Item::Int(_), form: Form::One } => {
                self.library_function(node, "APInt::getZero", &[first])?
            }
            _ => self.build(node, |b| b.convert(first, Ty::AP_INT))?,
        };
        self.build(node, |b| b.signed_number(value, is_unsigned))
    }

    /// A static member function of `APSInt`; `None` for another function.
    pub(in crate::frontend::cxx) fn signed_function(
        &mut self,
        node: NodeId,
        path: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let e = match (path, args) {
            ("APSInt::get" | "APSInt::getUnsigned", &[value]) => self.build(node, |b| {
                let (width, unsigned) =
                    (b.int(64, crate::snippet::IntTy::U32)?, path == "APSInt::getUnsigned");
                let value = b.convert(value, if unsigned { Ty::U64 } else { Ty::I64 })?;
                let is_unsigned = b.bool(unsigned)?;
                let value = b.algorithm(Builtin::MakeApInt, &[width, value], Ty::AP_INT)?;
                b.signed_number(value, is_unsigned)
            })?,
            ("APSInt::getMaxValue" | "APSInt::getMinValue", &[width, is_unsigned]) => {
                let mut held = Held::new();
                let width = self.hold(node, width, &mut held)?;
                let is_unsigned = self.hold(node, is_unsigned, &mut held)?;
                let limits = match path {
                    "APSInt::getMaxValue" => [Builtin::ApAllOnes, Builtin::ApMaxSigned],
                    _ => [Builtin::ApZero, Builtin::ApMinSigned],
                };
                let e = self.build(node, |b| {
                    let value = b.by_sign(is_unsigned, limits, &[width], Ty::AP_INT)?;
                    b.signed_number(value, is_unsigned)
                })?;
                self.bind_held(node, held, e)?
            }
            _ => return Ok(None),
        };
        Ok(Some(e))
    }

    /// A method of `APSInt` that `APInt` does not have, or that depends on the signedness; `None` for another method.
    pub(super) fn signed_method(
        &mut self,
        node: NodeId,
        on: Typed,
        method: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let mut held = Held::new();
        let on = self.hold(node, on, &mut held)?;
        let (value, is_unsigned) = self.build(node, |b| Ok((b.number_of(on)?, b.is_unsigned(on)?)))?;
        let e = match (method, args) {
            ("isSigned", []) => self.build(node, |b| b.not(is_unsigned))?,
            ("getExtValue", []) => {
                let read = [Builtin::ZExtValue, Builtin::SExtValue];
                let fits = self.fits_int64(node, value, is_unsigned)?;
                self.build(node, |b| {
                    let value = b.by_sign(is_unsigned, read, &[value], Ty::U64)?;
                    let value = b.convert(value, Ty::I64)?;
                    let wrong = b.fail("the number does not fit into int64_t")?;
                    b.select(fits, value, Typed { ty: Ty::I64, ..wrong })
                })?
            }
            ("isNegative", []) => {
                let negative = self.library_method(node, value, "isNegative", &[])?;
                self.build(node, |b| {
                    let signed = b.not(is_unsigned)?;
                    b.and(signed, negative)
                })?
            }
            ("isNonNegative", []) => {
                let positive = self.library_method(node, value, "isNonNegative", &[])?;
                self.build(node, |b| b.or(is_unsigned, positive))?
            }
            ("isStrictlyPositive", []) => {
                let negative = self.library_method(node, value, "isNegative", &[])?;
                let zero = self.library_method(node, value, "isZero", &[])?;
                self.build(node, |b| {
                    let signed = b.not(is_unsigned)?;
                    let negative = b.and(signed, negative)?;
                    let other = b.or(negative, zero)?;
                    b.not(other)
                })?
            }
            ("extend" | "extOrTrunc" | "trunc", &[width]) => {
                let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
                if width.ty.form != Form::One {
                    return Err(error::args(method, "a width", lo, hi));
                }
                let extend = [Builtin::ZextOrTrunc, Builtin::SextOrTrunc];
                self.build(node, |b| {
                    let value = b.by_sign(is_unsigned, extend, &[value, width], Ty::AP_INT)?;
                    b.signed_number(value, is_unsigned)
                })?
            }
            ("isRepresentableByInt64", []) => self.fits_int64(node, value, is_unsigned)?,
            _ => return Ok(None),
        };
        self.bind_held(node, held, e).map(Some)
    }

    /// True if a signed or unsigned number fits into `int64_t`.
    fn fits_int64(&mut self, node: NodeId, value: Typed, is_unsigned: Typed) -> Lowered {
        self.build(node, |b| {
            let (all, positive) =
                (b.int(64, crate::snippet::IntTy::U32)?, b.int(63, crate::snippet::IntTy::U32)?);
            let signed = b.algorithm(Builtin::ApIsSignedIntN, &[value, all], Ty::BOOL)?;
            let unsigned = b.algorithm(Builtin::ApIsIntN, &[value, positive], Ty::BOOL)?;
            b.select(is_unsigned, unsigned, signed)
        })
    }

    /// A method that changes the signedness of an `APSInt`; `None` for another method.
    pub(super) fn change_sign(
        &mut self,
        node: NodeId,
        object: NodeId,
        method: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let &[to] = args else { return Ok(None) };
        if !matches!(method, "setIsSigned" | "setIsUnsigned") {
            return Ok(None);
        }
        let to = self.expression(to, Some(Ty::BOOL))?;
        let changed = self.update_with(node, object, |b, before| {
            let is_unsigned = if method == "setIsSigned" { b.not(to)? } else { to };
            let value = b.number_of(before)?;
            b.signed_number(value, is_unsigned)
        })?;
        Ok(Some(changed))
    }
}
