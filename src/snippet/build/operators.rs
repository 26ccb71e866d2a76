//! Operators.

use super::builder::{Builder, Checked, Typed};
use super::error::TypeError;
use crate::snippet::data::{BinaryOp, Builtin, EnumId, Expr, Form, IntTy, Item, LocalId, Ty};

/// The type `char`.
pub(super) const CHAR: Item = Item::Int(IntTy::I8);

impl Builder<'_> {
    /// Builds `!e`. For an `APInt`, which does not convert to `bool`, the result is true if the number is zero.
    #[allow(clippy::should_implement_trait, reason = "named after what it builds")]
    pub(crate) fn not(&mut self, e: Typed) -> Checked {
        let e = self.number_of(e)?;
        if e.ty == Ty::one(Item::ApInt) {
            return self.builtin(Builtin::IsZero, &[e], Ty::BOOL);
        }
        let e = self.truth(e)?;
        self.add(Expr::Not(e.id), Ty::BOOL)
    }

    /// Builds `a && b`.
    pub(crate) fn and(&mut self, a: Typed, b: Typed) -> Checked {
        let (a, b) = (self.truth(a)?, self.truth(b)?);
        self.add(Expr::And(a.id, b.id), Ty::BOOL)
    }

    /// Builds `a || b`.
    pub(crate) fn or(&mut self, a: Typed, b: Typed) -> Checked {
        let (a, b) = (self.truth(a)?, self.truth(b)?);
        self.add(Expr::Or(a.id, b.id), Ty::BOOL)
    }

    /// Builds `c ? a : b`.
    pub(crate) fn select(&mut self, c: Typed, a: Typed, b: Typed) -> Checked {
        let c = self.truth(c)?;
        let (a, b, ty) = self.unify(a, b)?;
        self.add(Expr::Select(c.id, a.id, b.id), ty)
    }

    /// Builds `-e`, `+e` or `~e`.
    pub(crate) fn unary(&mut self, sign: char, e: Typed) -> Checked {
        if self.is_signed_number(e.ty) {
            return self.signed_unary(sign, e);
        }
        let item = match (e.ty.form, e.ty.item) {
            (Form::One, Item::Bool | Item::Enum(_)) => Item::Int(IntTy::I32),
            (Form::One, Item::Int(t)) => Item::Int(t.common(IntTy::I32)),
            (Form::One, item @ (Item::ApInt | Item::Unknown)) => item,
            (Form::One, item @ (Item::Double | Item::Float | Item::ApFloat)) if sign != '~' => item,
            _ => return Err(TypeError::operand(&sign.to_string(), &self.show(e.ty))),
        };
        let item = match (sign, e.ty.item) {
            ('~', Item::Enum(_)) => e.ty.item,
            _ => item,
        };
        let ty = Ty::one(item);
        match sign {
            '-' => self.add(Expr::Neg(e.id, item), ty),
            '~' => {
                let all = self.add(Expr::BitNot(e.id, item), ty)?;
                match item {
                    Item::Enum(id) => self.only_bits_of(id, all),
                    _ => Ok(all),
                }
            }
            _ => self.convert(e, ty),
        }
    }

    /// Removes the bits that no enumerator has, as the operator `~` that MLIR generates for a set of bits does.
    fn only_bits_of(&mut self, id: EnumId, value: Typed) -> Checked {
        let definition = &self.snippets.enums[id];
        if definition.bit_separator.is_none() {
            return Ok(value);
        }
        let bits = definition.cases.iter().fold(0, |all, case| all | case.value);
        let bits = self.add(Expr::Int(i128::from(bits)), value.ty)?;
        self.binary(BinaryOp::And, value, bits)
    }

    /// Builds `*e`, which is also the first step of `->`.
    pub(crate) fn deref(&mut self, e: Typed) -> Checked {
        match (e.ty.form, e.ty.item) {
            (Form::Optional | Form::Iterator, item) => self.add(Expr::Deref(e.id), Ty::one(item)),
            (Form::One, Item::Unknown | Item::Op(_) | Item::Block | Item::Region | Item::Use) => {
                self.add(Expr::Deref(e.id), e.ty)
            }
            _ => Err(TypeError::operand("*", &self.show(e.ty))),
        }
    }

    /// Builds `a op b`.
    pub(crate) fn binary(&mut self, op: BinaryOp, a: Typed, b: Typed) -> Checked {
        if self.is_signed_number(a.ty) || self.is_signed_number(b.ty) {
            return self.signed_binary(op, a, b);
        }
        let mismatch = |this: &Self| TypeError::operands(op, &this.show(a.ty), &this.show(b.ty));
        // Only the operators of a class compare its objects.
        if a.ty.form != Form::Iterator && self.contains_object(a.ty) && self.contains_object(b.ty) {
            return Err(mismatch(self));
        }
        let result = |item: Item| if op.compares() { Ty::BOOL } else { Ty::one(item) };
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let (ia, ib) = (a.ty.item, b.ty.item);
        if a.ty.form == Form::Iterator {
            return match (op, b.ty.form, ib) {
                (BinaryOp::Add | BinaryOp::Sub, Form::One, Item::Int(_)) => {
                    // The negative of an unsigned number is a positive number.
                    let b = self.convert(b, Ty::I64)?;
                    let b = if op == BinaryOp::Sub { self.unary('-', b)? } else { b };
                    self.builtin(Builtin::Next, &[a, b], a.ty)
                }
                (BinaryOp::Sub, Form::Iterator, _) => self.builtin(Builtin::Distance, &[b, a], Ty::I64),
                (_, form, item) if equality && (form == Form::Iterator || item == Item::Unknown) => {
                    self.add(Expr::Binary(op, Item::Unknown, a.id, b.id), Ty::BOOL)
                }
                _ => Err(mismatch(self)),
            };
        }
        if ia == Item::Unknown || ib == Item::Unknown {
            let item = if op.compares() {
                Item::Unknown
            } else if ia == Item::Unknown {
                ib
            } else {
                ia
            };
            return self.add(Expr::Binary(op, item, a.id, b.id), result(item));
        }
        if equality && (ia == Item::Null || ib == Item::Null) {
            let other = if ia == Item::Null { b } else { a };
            let pointer = other.ty.form == Form::Optional
                || matches!(
                    other.ty.item,
                    Item::Type(_) | Item::Attr(_) | Item::Value | Item::Op(_) | Item::FoldResult | Item::Null
                );
            if !pointer {
                return Err(mismatch(self));
            }
            return self.add(Expr::Binary(op, Item::Unknown, a.id, b.id), Ty::BOOL);
        }
        if op.compares()
            && !equality
            && let Some(ordered) = self.ordered(op, a, b)
        {
            return ordered;
        }
        if a.ty.form == Form::Range || b.ty.form == Form::Range {
            if op.compares() && !equality && a.ty.form == b.ty.form {
                return self.ordered_ranges(op, a, b);
            }
            if !equality || a.ty.form != b.ty.form || !are_comparable(ia, ib) {
                return Err(mismatch(self));
            }
            return self.add(Expr::Binary(op, Item::Unknown, a.id, b.id), Ty::BOOL);
        }
        if a.ty.form == Form::Optional || b.ty.form == Form::Optional {
            if !equality || !are_comparable(ia, ib) {
                return Err(mismatch(self));
            }
            let b = self.compared(b, ia)?;
            return self.add(Expr::Binary(op, Item::Unknown, a.id, b.id), Ty::BOOL);
        }
        // If the other operand is a float, a `bool` is the number 0 or 1.
        if let (Item::Double | Item::Float, Item::Bool) | (Item::Bool, Item::Double | Item::Float) = (ia, ib)
        {
            let int = Ty::one(Item::Int(IntTy::I32));
            let number = |this: &mut Self, e: Typed| match e.ty.item {
                Item::Bool => this.convert(e, int),
                _ => Ok(e),
            };
            let (a, b) = (number(self, a)?, number(self, b)?);
            return self.binary(op, a, b);
        }
        let item = match (ia, ib) {
            (Item::Enum(x), Item::Enum(y)) if x == y => match op {
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => ia,
                _ if op.compares() => Item::Int(IntTy::U64),
                _ => return Err(mismatch(self)),
            },
            (Item::Int(_) | Item::Bool | Item::Enum(_), Item::Int(_) | Item::Bool | Item::Enum(_)) => {
                let int = |item: Item| match item {
                    Item::Int(t) => t,
                    Item::Enum(_) => IntTy::U64,
                    _ => IntTy::I32,
                };
                match op {
                    BinaryOp::Shl | BinaryOp::Shr => Item::Int(int(ia).common(IntTy::I32)),
                    _ => Item::Int(int(ia).common(int(ib))),
                }
            }
            (Item::ApInt, Item::ApInt | Item::Int(_) | Item::Bool) | (Item::Int(_), Item::ApInt) => {
                if !equality && op.compares() || matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shr) {
                    return Err(mismatch(self)
                        .with_help("APInt has ult, slt, udiv and others, which state the signedness"));
                }
                Item::ApInt
            }
            (Item::Float | Item::Int(_), Item::Float | Item::Int(_)) if is_arithmetic(op) => Item::Float,
            (Item::Double | Item::Float | Item::Int(_), Item::Double | Item::Float | Item::Int(_))
                if is_arithmetic(op) =>
            {
                Item::Double
            }
            (Item::ApFloat, Item::ApFloat) if is_arithmetic(op) => Item::ApFloat,
            (Item::Str | Item::Name | Item::Attr(_), Item::Str | Item::Name | Item::Attr(_))
                if matches!(ia, Item::Str | Item::Name) || matches!(ib, Item::Str | Item::Name) =>
            {
                if !op.compares() && op != BinaryOp::Add {
                    return Err(mismatch(self));
                }
                let a = self.convert(a, Ty::STR)?;
                let b = self.convert(b, Ty::STR)?;
                return self.add(Expr::Binary(op, Item::Str, a.id, b.id), result(Item::Str));
            }
            // An integer that is added to a string is converted to `char`. A string literal is a pointer, not a string.
            (Item::Str, Item::Int(_)) | (CHAR, Item::Str)
                if op == BinaryOp::Add && !self.is_literal(if ia == Item::Str { a } else { b }) =>
            {
                let text = |this: &mut Self, e: Typed| match e.ty.item {
                    Item::Int(_) => {
                        let character = this.convert(e, Ty::one(CHAR))?;
                        this.builtin(Builtin::CharText, &[character], Ty::STR)
                    }
                    _ => Ok(e),
                };
                let (a, b) = (text(self, a)?, text(self, b)?);
                return self.add(Expr::Binary(op, Item::Str, a.id, b.id), Ty::STR);
            }
            _ if equality && are_comparable(ia, ib) => Item::Unknown,
            _ => return Err(mismatch(self)),
        };
        self.add(Expr::Binary(op, item, a.id, b.id), result(item))
    }

    /// Builds the order of two pairs or tuples, or of two values of which at least one is an optional. `op` is `<`,
    /// `<=`, `>` or `>=`. Returns `None` for other operands.
    fn ordered(&mut self, op: BinaryOp, a: Typed, b: Typed) -> Option<Checked> {
        let is_optional = |e: Typed| e.ty.form == Form::Optional;
        let is_one = |e: Typed| e.ty.form == Form::One || is_optional(e);
        let is_tuple = |this: &Self, e: Typed| match e.ty {
            Ty { item: Item::Tuple(id), form: Form::One } => this.tuple_name(id).is_none(),
            _ => false,
        };
        let tuples = is_tuple(self, a) && is_tuple(self, b);
        if !tuples && !(is_one(a) && is_one(b) && (is_optional(a) || is_optional(b))) {
            return None;
        }
        Some(self.new_local(a.ty).and_then(|first| {
            let second = self.new_local(b.ty)?;
            let ordered = match tuples {
                true => match op {
                    BinaryOp::Lt => self.tuple_is_less(first, second),
                    BinaryOp::Gt => self.tuple_is_less(second, first),
                    BinaryOp::Le => self.tuple_is_less(second, first).and_then(|e| self.not(e)),
                    _ => self.tuple_is_less(first, second).and_then(|e| self.not(e)),
                },
                false => self.ordered_optionals(op, first, second),
            }?;
            let inner = self.bind(second, b, ordered)?;
            self.bind(first, a, inner)
        }))
    }

    /// Builds `a < b` for two variables that hold pairs or tuples: the first fields that differ decide.
    fn tuple_is_less(&mut self, a: LocalId, b: LocalId) -> Checked {
        let (from, to) = (self.local_ty(a), self.local_ty(b));
        let count = |this: &Self, ty| this.field_types(ty).map_or(0, |fields| fields.len());
        if count(self, from) != count(self, to) {
            return Err(TypeError::operands(BinaryOp::Lt, &self.show(from), &self.show(to)));
        }
        let mut less = self.bool(false)?;
        for index in (0..u32::try_from(count(self, from)).unwrap_or(0)).rev() {
            let mut field_is_less = |a, b| {
                let (a, b) = (self.local(a)?, self.local(b)?);
                let (a, b) = (self.field_at(a, index)?, self.field_at(b, index)?);
                self.binary(BinaryOp::Lt, a, b)
            };
            let (before, after) = (field_is_less(a, b)?, field_is_less(b, a)?);
            let same = self.not(after)?;
            let rest = self.and(same, less)?;
            less = self.or(before, rest)?;
        }
        Ok(less)
    }

    /// Builds the order of two ranges: the first elements that differ decide.
    fn ordered_ranges(&mut self, op: BinaryOp, a: Typed, b: Typed) -> Checked {
        if !self.are_ordered(a.ty.item, b.ty.item) {
            return Err(TypeError::operands(op, &self.show(a.ty), &self.show(b.ty)));
        }
        // `a > b` is `b < a`, and `a <= b` is `!(b < a)`. The operands are evaluated in order.
        let (first, second) = (self.new_local(a.ty)?, self.new_local(b.ty)?);
        let (x, y) = (self.local(first)?, self.local(second)?);
        let swapped = matches!(op, BinaryOp::Gt | BinaryOp::Le);
        let (x, y) = if swapped { (y, x) } else { (x, y) };
        let less = self.builtin(Builtin::LexicographicLess, &[x, y], Ty::BOOL)?;
        let less = if matches!(op, BinaryOp::Le | BinaryOp::Ge) { self.not(less)? } else { less };
        let inner = self.bind(second, b, less)?;
        self.bind(first, a, inner)
    }

    /// True if the evaluator orders elements of these two types as C++ does.
    fn are_ordered(&self, a: Item, b: Item) -> bool {
        let fields = |this: &Self, item: Item| this.field_types(Ty::one(item)).unwrap_or_default();
        match (a, b) {
            (Item::Tuple(_), Item::Tuple(_)) => {
                let (a, b) = (fields(self, a), fields(self, b));
                a.len() == b.len()
                    && a.iter().zip(&b).all(|(a, b)| {
                        a.form == Form::One && b.form == Form::One && self.are_ordered(a.item, b.item)
                    })
            }
            (Item::Int(a), Item::Int(b)) => a.signed == b.signed,
            (Item::Bool, Item::Bool) | (Item::Str, Item::Str) => true,
            (Item::Double | Item::Float, Item::Double | Item::Float) => true,
            _ => false,
        }
    }

    /// Builds the order of two variables, of which at least one holds an optional. An optional without a value is less
    /// than any value.
    fn ordered_optionals(&mut self, op: BinaryOp, a: LocalId, b: LocalId) -> Checked {
        let mut read = |local| -> Result<(Typed, Typed), TypeError> {
            let e = self.local(local)?;
            let present = match e.ty.form {
                Form::Optional => self.truth(e)?,
                _ => self.bool(true)?,
            };
            Ok((present, Typed { ty: Ty::one(e.ty.item), ..e }))
        };
        let ((has_a, a), (has_b, b)) = (read(a)?, read(b)?);
        let both = self.binary(op, a, b)?;
        // `first` is the presence of the operand that decides first. The result is `without_first` if this operand has
        // no value, and `without_second` if only the other operand has no value.
        let (first, second, without_first, without_second) = match op {
            BinaryOp::Lt => (has_b, has_a, false, true),
            BinaryOp::Le => (has_a, has_b, true, false),
            BinaryOp::Gt => (has_a, has_b, false, true),
            _ => (has_b, has_a, true, false),
        };
        let (without_first, without_second) = (self.bool(without_first)?, self.bool(without_second)?);
        let inner = self.select(second, both, without_second)?;
        self.select(first, inner, without_first)
    }

    /// Builds `e[i]`.
    pub(crate) fn index(&mut self, e: Typed, index: Typed) -> Checked {
        let e = self.number_of(e)?;
        if e.ty == Ty::AP_INT {
            return self.builtin(Builtin::ApBit, &[e, index], Ty::BOOL);
        }
        let e = if e.ty.form == Form::Iterator { e } else { self.as_range(e)? };
        let index = self.convert(index, Ty::I64)?;
        self.builtin(Builtin::At, &[e, index], Ty::one(e.ty.item))
    }
}

/// True if floats have the operator.
fn is_arithmetic(op: BinaryOp) -> bool {
    op.compares() || matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div)
}

/// True if values of the two items can be compared for equality.
fn are_comparable(a: Item, b: Item) -> bool {
    match (a, b) {
        (Item::Type(_), Item::Type(_))
        | (Item::Attr(_), Item::Attr(_) | Item::Location)
        | (Item::Location, Item::Attr(_))
        | (Item::Op(_), Item::Op(_))
        | (Item::Op(_), Item::Value)
        | (Item::Value, Item::Op(_))
        | (Item::ApInt, Item::Int(_))
        | (Item::Int(_), Item::ApInt)
        | (Item::Int(_) | Item::Bool, Item::Int(_) | Item::Bool)
        | (Item::Null | Item::Unknown, _)
        | (_, Item::Null | Item::Unknown) => true,
        _ => a == b,
    }
}
