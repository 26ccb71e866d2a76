//! `APSInt`: an `APInt` together with its signedness.
//!
//! A value is a tuple of an `APInt` and `isUnsigned`. If an integer attribute is read as an `APSInt`, `isUnsigned` is
//! true if the type of the attribute is an unsigned integer type.

use super::builder::{Builder, Checked, Typed};
use super::error::TypeError;
use crate::snippet::data::{BinaryOp, Builtin, Form, IntTy, Item, LocalId, Ty};

impl Builder<'_> {
    /// The type `APSInt`.
    pub(crate) fn signed_number_ty(&mut self) -> Ty {
        Ty::one(Item::Tuple(self.snippets.signed_number()))
    }

    /// True for the type `APSInt`.
    pub(crate) fn is_signed_number(&self, ty: Ty) -> bool {
        matches!(ty, Ty { item: Item::Tuple(id), form: Form::One } if self.snippets.is_signed_number(id))
    }

    /// Builds an `APSInt` from an `APInt` and its signedness.
    pub(crate) fn signed_number(&mut self, value: Typed, is_unsigned: Typed) -> Checked {
        let id = self.snippets.signed_number();
        self.tuple(id, &[value, is_unsigned])
    }

    /// The `APInt` of an `APSInt`. Other expressions are returned unchanged.
    pub(crate) fn number_of(&mut self, e: Typed) -> Checked {
        if self.is_signed_number(e.ty) { self.field_at(e, 0) } else { Ok(e) }
    }

    /// `isUnsigned()` of an `APSInt`.
    pub(crate) fn is_unsigned(&mut self, e: Typed) -> Checked {
        self.field_at(e, 1)
    }

    /// Builds a call of one of two built-ins, depending on the signedness of an `APSInt`.
    pub(crate) fn by_sign(
        &mut self,
        is_unsigned: Typed,
        [unsigned, signed]: [Builtin; 2],
        args: &[Typed],
        ty: Ty,
    ) -> Checked {
        let unsigned = self.builtin(unsigned, args, ty)?;
        let signed = self.builtin(signed, args, ty)?;
        self.select(is_unsigned, unsigned, signed)
    }

    /// Builds a unary operator on an `APSInt`.
    pub(super) fn signed_unary(&mut self, sign: char, e: Typed) -> Checked {
        let local = self.new_local(e.ty)?;
        let read = self.local(local)?;
        let (value, is_unsigned) = (self.number_of(read)?, self.is_unsigned(read)?);
        let value = self.unary(sign, value)?;
        let result = self.signed_number(value, is_unsigned)?;
        self.bind(local, e, result)
    }

    /// Builds a binary operator with an `APSInt` as at least one operand.
    pub(super) fn signed_binary(&mut self, op: BinaryOp, a: Typed, b: Typed) -> Checked {
        let mut held: Vec<(LocalId, Typed)> = Vec::new();
        let mut hold = |this: &mut Self, e: Typed| {
            let local = this.new_local(e.ty)?;
            held.push((local, e));
            this.local(local)
        };
        let (a, b) = (hold(self, a)?, hold(self, b)?);
        let mut result = self.signed_binary_of_locals(op, a, b)?;
        for (local, value) in held.into_iter().rev() {
            result = self.bind(local, value, result)?;
        }
        Ok(result)
    }

    fn signed_binary_of_locals(&mut self, op: BinaryOp, a: Typed, b: Typed) -> Checked {
        use Builtin as B;
        let (x, y) = (self.number_of(a)?, self.number_of(b)?);
        let both = self.is_signed_number(a.ty) && self.is_signed_number(b.ty);
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let is_machine = |e: Typed| matches!(e.ty, Ty { item: Item::Int(_) | Item::Bool, form: Form::One });
        if !(both || is_shift && is_machine(b)) {
            return match (is_machine(a), is_machine(b), op.compares()) {
                (false, true, true) => self.compare_with_machine_integer(op, a, b),
                (true, false, true) => self.compare_with_machine_integer(op.mirrored(), b, a),
                // The operators of `APInt` return an `APInt`.
                _ => self.binary(op, x, y),
            };
        }
        let is_unsigned = self.is_unsigned(a)?;
        let by_sign = match op {
            BinaryOp::Lt => Some(([B::ApUlt, B::ApSlt], Ty::BOOL)),
            BinaryOp::Le => Some(([B::ApUle, B::ApSle], Ty::BOOL)),
            BinaryOp::Gt => Some(([B::ApUgt, B::ApSgt], Ty::BOOL)),
            BinaryOp::Ge => Some(([B::ApUge, B::ApSge], Ty::BOOL)),
            BinaryOp::Div => Some(([B::ApUdiv, B::ApSdiv], Ty::AP_INT)),
            BinaryOp::Rem => Some(([B::ApUrem, B::ApSrem], Ty::AP_INT)),
            BinaryOp::Shr => Some(([B::ApLshr, B::ApAshr], Ty::AP_INT)),
            _ => None,
        };
        let value = match by_sign {
            Some((builtins, ty)) => self.by_sign(is_unsigned, builtins, &[x, y], ty)?,
            None => self.binary(op, x, y)?,
        };
        if op.compares() { Ok(value) } else { self.signed_number(value, is_unsigned) }
    }

    /// Builds the comparison of an `APSInt` with a machine integer, which is converted to `int64_t`.
    fn compare_with_machine_integer(&mut self, op: BinaryOp, a: Typed, b: Typed) -> Checked {
        let (x, is_unsigned) = (self.number_of(a)?, self.is_unsigned(a)?);
        let y = self.convert(b, Ty::I64)?;
        // One more bit makes room for the sign of an unsigned number.
        let width = self.builtin(Builtin::BitWidth, &[x], Ty::U32)?;
        let one = self.int(1, IntTy::U32)?;
        let width = self.binary(BinaryOp::Add, width, one)?;
        let wide = [Builtin::ZextOrTrunc, Builtin::SextOrTrunc];
        let x = self.by_sign(is_unsigned, wide, &[x, width], Ty::AP_INT)?;
        let compare = |this: &mut Self, builtin| this.builtin(builtin, &[x, y], Ty::BOOL);
        match op {
            BinaryOp::Lt => compare(self, Builtin::ApSlt),
            BinaryOp::Le => compare(self, Builtin::ApSle),
            BinaryOp::Gt => compare(self, Builtin::ApSgt),
            BinaryOp::Ge => compare(self, Builtin::ApSge),
            BinaryOp::Eq | BinaryOp::Ne => {
                let (less, greater) = (compare(self, Builtin::ApSlt)?, compare(self, Builtin::ApSgt)?);
                let differs = self.or(less, greater)?;
                if op == BinaryOp::Ne { Ok(differs) } else { self.not(differs) }
            }
            _ => Err(TypeError::operands(op, &self.show(a.ty), &self.show(b.ty))),
        }
    }
}
