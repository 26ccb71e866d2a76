//! Arithmetic: machine integers as C++ computes them, `APInt`, `APFloat` and doubles.

use std::cmp::Ordering;

use super::value::Val;
use super::{Args, Builtin, Evaluated, Evaluator, fail};
use crate::host::{Facets, Refusal};
use crate::number::{ApFloat, ApInt, FloatFormat, MAX_WIDTH};
use crate::snippet::{BinaryOp, IntTy, Item};

/// A double as it crosses to the host.
pub(super) fn double(value: f64) -> ApFloat {
    ApFloat::from_f64(FloatFormat::F64, value)
}

/// Whether a comparison holds for this order; `None`: unordered.
pub(super) fn holds(op: BinaryOp, order: Option<Ordering>) -> bool {
    match op {
        BinaryOp::Eq => order == Some(Ordering::Equal),
        BinaryOp::Ne => order != Some(Ordering::Equal),
        BinaryOp::Lt => order == Some(Ordering::Less),
        BinaryOp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        BinaryOp::Gt => order == Some(Ordering::Greater),
        BinaryOp::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        _ => false,
    }
}

/// What C++ computes; `None` where it has no meaning.
fn int_binary(op: BinaryOp, ty: IntTy, a: i128, b: i128) -> Option<i128> {
    let exact = match op {
        BinaryOp::Add => a.checked_add(b)?,
        BinaryOp::Sub => a.checked_sub(b)?,
        BinaryOp::Mul => match a.checked_mul(b) {
            Some(product) => product,
            // Only unsigned 64-bit products pass i128: these wrap.
            None => return Some(i128::from(u64::try_from(a).ok()?.wrapping_mul(u64::try_from(b).ok()?))),
        },
        BinaryOp::Div => a.checked_div(b)?,
        BinaryOp::Rem => a.checked_rem(b)?,
        BinaryOp::Shl | BinaryOp::Shr => {
            let amount = u32::try_from(b).ok().filter(|amount| *amount < u32::from(ty.bits))?;
            if op == BinaryOp::Shr {
                a >> amount
            } else {
                // A signed shift is the unsigned one's bits.
                return Some(ty.wrap(a.wrapping_shl(amount)));
            }
        }
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        _ => return Some(i128::from(holds(op, Some(a.cmp(&b))))),
    };
    let wrapped = ty.wrap(exact);
    (wrapped == exact || !ty.signed).then_some(wrapped)
}

impl<H: Facets> Evaluator<'_, H> {
    pub(super) fn int(&self, value: &Val<H>) -> Result<i128, Refusal> {
        match value {
            Val::Int(i) => Ok(*i),
            Val::Bool(b) => Ok(i128::from(*b)),
            other => fail(format!("{} is used as an integer", other.what())),
        }
    }

    pub(super) fn double(&self, value: &Val<H>) -> Result<f64, Refusal> {
        match value {
            Val::Double(d) => Ok(*d),
            Val::Int(i) => {
                #[allow(clippy::cast_precision_loss, reason = "conversion rounds in C++, too")]
                let rounded = *i as f64;
                Ok(rounded)
            }
            Val::Bool(b) => Ok(f64::from(u8::from(*b))),
            Val::ApFloat(x) => Ok(x.to_f64()),
            other => fail(format!("{} is used as a float", other.what())),
        }
    }

    pub(super) fn number(&mut self, value: Val<H>, item: Item) -> Evaluated<H> {
        let attr = match &value {
            Val::Attr(a) => Some(a.clone()),
            Val::Null => return fail("null is used as a number"),
            _ => None,
        };
        let value = match (&attr, item) {
            (None, _) => value,
            (Some(a), Item::Enum(id)) => return Ok(Val::Int(i128::from(self.enum_value(a, id)?))),
            (Some(a), _) => match (self.attr_int(a), self.attr_float(a)) {
                (Some(value), _) => Val::ApInt(value),
                (_, Some(value)) => Val::ApFloat(value),
                _ => return fail("an attribute that is no number is used as one"),
            },
        };
        Ok(match (item, value) {
            (Item::Int(ty), Val::ApInt(x)) => {
                let read = if ty.signed { x.to_i64().map(i128::from) } else { x.to_u64().map(i128::from) };
                match read {
                    Some(value) => Val::Int(ty.wrap(value)),
                    None => return fail("an APInt does not fit 64 bits"),
                }
            }
            (Item::Int(ty), Val::Double(d)) => {
                let whole = d.trunc();
                let limit = 2_f64.powi(i32::from(ty.bits));
                if whole.is_nan() || whole.abs() >= limit {
                    return fail("a float does not fit the integer it is converted to");
                }
                #[allow(clippy::cast_possible_truncation, reason = "checked above")]
                let value = whole as i128;
                if ty.wrap(value) != value {
                    return fail("a float does not fit the integer it is converted to");
                }
                Val::Int(value)
            }
            (Item::Int(ty), value) => Val::Int(ty.wrap(self.int(&value)?)),
            (Item::Enum(_), Val::ApInt(x)) => match x.to_u64() {
                Some(value) => Val::Int(i128::from(value)),
                None => return fail("an APInt does not fit 64 bits"),
            },
            (Item::Enum(_), value) => Val::Int(self.int(&value)?),
            (Item::Bool, Val::ApInt(x)) => Val::Bool(!x.is_zero()),
            (Item::Bool, value) => Val::Bool(super::is_true(&value)),
            (Item::Double, value) => Val::Double(self.double(&value)?),
            (Item::ApInt, value @ Val::ApInt(_)) | (Item::ApFloat, value @ Val::ApFloat(_)) => value,
            (_, value) => return fail(format!("{} is used as another kind of number", value.what())),
        })
    }

    pub(super) fn arithmetic(&mut self, op: BinaryOp, item: Item, a: Val<H>, b: Val<H>) -> Evaluated<H> {
        match item {
            Item::Int(ty) => {
                // The right operand of a shift is not converted.
                let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                let (a, b) =
                    (self.number(a, item)?, self.number(b, if shift { IntTy::I64.item() } else { item })?);
                let (a, b) = (self.int(&a)?, self.int(&b)?);
                match int_binary(op, ty, a, b) {
                    Some(value) if op.compares() => Ok(Val::Bool(value != 0)),
                    Some(value) => Ok(Val::Int(value)),
                    None if b == 0 => fail("division by zero"),
                    None => fail("integer overflow"),
                }
            }
            Item::Enum(_) => {
                let (a, b) = (self.int(&a)?, self.int(&b)?);
                int_binary(op, IntTy::U64, a, b).map_or_else(|| fail("integer overflow"), |v| Ok(Val::Int(v)))
            }
            Item::Double => {
                let (a, b) = (self.double(&a)?, self.double(&b)?);
                Ok(match op {
                    BinaryOp::Add => Val::Double(a + b),
                    BinaryOp::Sub => Val::Double(a - b),
                    BinaryOp::Mul => Val::Double(a * b),
                    BinaryOp::Div => Val::Double(a / b),
                    _ if op.compares() => Val::Bool(holds(op, a.partial_cmp(&b))),
                    _ => return fail("an operator that floats do not have"),
                })
            }
            Item::ApInt => self.ap_int_binary(op, &a, &b),
            Item::ApFloat => self.ap_float_binary(op, &a, &b),
            _ => self.dynamic_arithmetic(op, a, b),
        }
    }

    /// Arithmetic on what has no static type.
    pub(super) fn dynamic_arithmetic(&mut self, op: BinaryOp, a: Val<H>, b: Val<H>) -> Evaluated<H> {
        match (&a, &b) {
            (Val::ApInt(_), _) | (_, Val::ApInt(_)) => self.ap_int_binary(op, &a, &b),
            (Val::ApFloat(_), Val::ApFloat(_)) => self.ap_float_binary(op, &a, &b),
            (Val::Double(_), _) | (_, Val::Double(_)) => self.arithmetic(op, Item::Double, a, b),
            (Val::Int(_) | Val::Bool(_), Val::Int(_) | Val::Bool(_)) => {
                self.arithmetic(op, Item::Int(IntTy::I64), a, b)
            }
            _ => fail(format!("operator '{}' on {} and {}", op.text(), a.what(), b.what())),
        }
    }

    /// Both as `APInt`; a machine integer takes the other's width.
    fn ap_ints(&self, a: &Val<H>, b: &Val<H>) -> Result<(ApInt, ApInt), Refusal> {
        let wide = |value: &Val<H>, width: u32| match i64::try_from(self.int(value)?) {
            Ok(value) => Ok(ApInt::from_i64(width, value)),
            Err(_) => fail("an integer does not fit 64 bits"),
        };
        match (a, b) {
            (Val::ApInt(a), Val::ApInt(b)) if a.width() == b.width() => Ok((a.clone(), b.clone())),
            (Val::ApInt(_), Val::ApInt(_)) => fail("two APInts differ in width"),
            (Val::ApInt(a), other) => Ok((a.clone(), wide(other, a.width())?)),
            (other, Val::ApInt(b)) => Ok((wide(other, b.width())?, b.clone())),
            _ => fail("neither operand is an APInt"),
        }
    }

    fn ap_int_binary(&self, op: BinaryOp, a: &Val<H>, b: &Val<H>) -> Evaluated<H> {
        if let (BinaryOp::Eq | BinaryOp::Ne, Val::ApInt(x), other)
        | (BinaryOp::Eq | BinaryOp::Ne, other, Val::ApInt(x)) = (op, a, b)
            && !matches!(other, Val::ApInt(_))
        {
            // The machine integer is converted to uint64_t, the APInt is read as unsigned.
            let wanted = IntTy::U64.wrap(self.int(other)?);
            let equal = x.to_u64().is_some_and(|x| i128::from(x) == wanted);
            return Ok(Val::Bool(equal == (op == BinaryOp::Eq)));
        }
        if op == BinaryOp::Shl {
            let Val::ApInt(x) = a else { return fail("an integer is shifted by an APInt") };
            let amount = match b {
                Val::ApInt(amount) => amount.to_u64(),
                other => u64::try_from(self.int(other)?).ok(),
            };
            return match amount.filter(|amount| *amount <= u64::from(x.width())) {
                Some(amount) => Ok(Val::ApInt(x.shl(amount))),
                None => fail("an APInt is shifted by more than its width"),
            };
        }
        let (x, y) = self.ap_ints(a, b)?;
        Ok(Val::ApInt(match op {
            BinaryOp::Add => x.wrapping_add(&y),
            BinaryOp::Sub => x.wrapping_sub(&y),
            BinaryOp::Mul => x.wrapping_mul(&y),
            BinaryOp::And => x.and(&y),
            BinaryOp::Or => x.or(&y),
            BinaryOp::Xor => x.xor(&y),
            BinaryOp::Eq => return Ok(Val::Bool(x == y)),
            BinaryOp::Ne => return Ok(Val::Bool(x != y)),
            _ => return fail(format!("operator '{}' on an APInt", op.text())),
        }))
    }

    fn ap_float_binary(&self, op: BinaryOp, a: &Val<H>, b: &Val<H>) -> Evaluated<H> {
        let (Val::ApFloat(a), Val::ApFloat(b)) = (a, b) else { return fail("an operand is no APFloat") };
        if a.format() != b.format() {
            return fail("two APFloats differ in format");
        }
        Ok(match op {
            BinaryOp::Add => Val::ApFloat(a.add(*b)),
            BinaryOp::Sub => Val::ApFloat(a.sub(*b)),
            BinaryOp::Mul => Val::ApFloat(a.mul(*b)),
            BinaryOp::Div => Val::ApFloat(a.div(*b)),
            _ if op.compares() => Val::Bool(holds(op, a.compare(*b))),
            _ => return fail(format!("operator '{}' on an APFloat", op.text())),
        })
    }

    pub(super) fn negate(&mut self, value: Val<H>, item: Item) -> Evaluated<H> {
        match (item, value) {
            (Item::Int(_), value @ (Val::Int(_) | Val::Bool(_))) => {
                self.arithmetic(BinaryOp::Sub, item, Val::Int(0), value)
            }
            (_, Val::Double(d)) => Ok(Val::Double(-d)),
            (_, Val::ApInt(x)) => Ok(Val::ApInt(x.wrapping_neg())),
            (_, Val::ApFloat(x)) => Ok(Val::ApFloat(x.neg())),
            (_, Val::Int(i)) => self.negate(Val::Int(i), IntTy::I64.item()),
            (_, value) => fail(format!("operator '-' on {}", value.what())),
        }
    }

    pub(super) fn complement(&mut self, value: Val<H>, item: Item) -> Evaluated<H> {
        match (item, value) {
            (Item::Int(ty), Val::Int(i)) => Ok(Val::Int(ty.wrap(!i))),
            (Item::Enum(_), Val::Int(i)) => Ok(Val::Int(IntTy::U64.wrap(!i))),
            (_, Val::ApInt(x)) => Ok(Val::ApInt(x.not())),
            (_, Val::Int(i)) => Ok(Val::Int(IntTy::I64.wrap(!i))),
            (_, Val::Bool(b)) => Ok(Val::Int(!i128::from(b))),
            (_, value) => fail(format!("operator '~' on {}", value.what())),
        }
    }

    fn width(&self, value: &Val<H>) -> Result<u32, Refusal> {
        match u32::try_from(self.int(value)?) {
            Ok(width) if width <= MAX_WIDTH => Ok(width),
            _ => fail("an APInt of an impossible width"),
        }
    }

    pub(super) fn call_numbers(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let a = args.take(0);
        let b = args.take(1);
        match (op, &a) {
            (B::MakeApInt, width) => {
                let width = self.width(width)?;
                let value = self.int(&b)?;
                let signed = args.len > 2 && super::is_true(&args.take(2));
                let Some(low) = u64::try_from(IntTy::U64.wrap(value)).ok() else {
                    return fail("malformed integer");
                };
                return Ok(Val::ApInt(if signed {
                    ApInt::from_i64(width, low.cast_signed())
                } else {
                    ApInt::from_u64(width, low)
                }));
            }
            (B::MakeApFloat, value) => return Ok(Val::ApFloat(double(self.double(value)?))),
            (B::QuietNan, _) => return Ok(Val::Double(f64::NAN)),
            (B::Infinity, _) => return Ok(Val::Double(f64::INFINITY)),
            (B::Abs, Val::Int(i)) => return Ok(Val::Int(i.abs())),
            (B::Abs, Val::Bool(b)) => return Ok(Val::Int(i128::from(*b))),
            (B::Abs, Val::Double(d)) => return Ok(Val::Double(d.abs())),
            (B::Abs, Val::ApFloat(x)) => return Ok(Val::ApFloat(x.abs())),
            (B::Sqrt, value) => return Ok(Val::Double(self.double(value)?.sqrt())),
            (B::Max | B::Min, _) => {
                let less = super::is_true(&self.dynamic_arithmetic(BinaryOp::Lt, a.clone(), b.clone())?);
                return Ok(if less == (op == B::Max) { b } else { a });
            }
            (B::Log2Of | B::IsPowerOf2Of, value) => {
                let value = self.int(value)?;
                let Ok(value) = u64::try_from(value) else { return fail("a logarithm of a negative number") };
                return Ok(match (op, value.checked_ilog2()) {
                    (B::IsPowerOf2Of, _) => Val::Bool(value.is_power_of_two()),
                    (_, Some(log)) => Val::Int(i128::from(log)),
                    (_, None) => return fail("the logarithm of zero"),
                });
            }
            _ => {}
        }
        match a {
            Val::ApInt(x) => self.ap_int_method(op, &x, &b),
            Val::ApFloat(x) => self.ap_float_method(op, x, &b),
            other => fail(format!("a number's method is called on {}", other.what())),
        }
    }

    fn ap_int_method(&mut self, op: Builtin, x: &ApInt, b: &Val<H>) -> Evaluated<H> {
        use Builtin as B;
        let log = || x.active_bits().checked_sub(1);
        Ok(match op {
            B::IsZero => Val::Bool(x.is_zero()),
            B::IsOne => Val::Bool(x.is_one()),
            B::IsAllOnes => Val::Bool(x.is_all_ones()),
            B::IsNegative => Val::Bool(x.is_negative()),
            B::IsNonNegative => Val::Bool(!x.is_negative()),
            B::IsStrictlyPositive => Val::Bool(x.is_strictly_positive()),
            B::IsPowerOf2 => Val::Bool(x.is_power_of_two()),
            B::IsMinSigned => Val::Bool(x.is_min_signed()),
            B::IsMaxSigned => Val::Bool(x.is_max_signed()),
            B::BitWidth => Val::Int(i128::from(x.width())),
            B::SExtValue => match x.to_i64() {
                Some(value) => Val::Int(i128::from(value)),
                None => return fail("an APInt does not fit 64 bits"),
            },
            B::ZExtValue => match x.to_u64() {
                Some(value) => Val::Int(i128::from(value)),
                None => return fail("an APInt does not fit 64 bits"),
            },
            B::LimitedValue => {
                let limit = if b.is_null() { i128::from(u64::MAX) } else { self.int(b)? };
                Val::Int(x.to_u64().map_or(limit, |x| limit.min(i128::from(x))))
            }
            B::ZextOrTrunc => Val::ApInt(x.zext_or_trunc(self.width(b)?)),
            B::SextOrTrunc => Val::ApInt(x.sext_or_trunc(self.width(b)?)),
            B::Log2 => match log() {
                Some(log) => Val::Int(i128::from(log)),
                None => return fail("the logarithm of zero"),
            },
            B::ApAbs => Val::ApInt(if x.is_negative() { x.wrapping_neg() } else { x.clone() }),
            _ => {
                let (x, y) = self.ap_ints(&Val::ApInt(x.clone()), b)?;
                let (unsigned, signed) = (x.cmp_unsigned(&y), x.cmp_signed(&y));
                let (order, op) = match op {
                    B::ApEq => (unsigned, BinaryOp::Eq),
                    B::ApNe => (unsigned, BinaryOp::Ne),
                    B::ApUlt => (unsigned, BinaryOp::Lt),
                    B::ApUle => (unsigned, BinaryOp::Le),
                    B::ApUgt => (unsigned, BinaryOp::Gt),
                    B::ApUge => (unsigned, BinaryOp::Ge),
                    B::ApSlt => (signed, BinaryOp::Lt),
                    B::ApSle => (signed, BinaryOp::Le),
                    B::ApSgt => (signed, BinaryOp::Gt),
                    B::ApSge => (signed, BinaryOp::Ge),
                    _ => return fail("an APInt has no such method"),
                };
                Val::Bool(holds(op, Some(order)))
            }
        })
    }

    fn ap_float_method(&mut self, op: Builtin, x: ApFloat, b: &Val<H>) -> Evaluated<H> {
        use Builtin as B;
        Ok(match op {
            B::IsZero => Val::Bool(x.is_zero()),
            B::IsOne => Val::Bool(x.is_one()),
            B::IsNegative => Val::Bool(x.is_negative()),
            B::IsNan => Val::Bool(x.is_nan()),
            B::IsInfinite => Val::Bool(x.is_infinite()),
            B::IsPosInfinity => Val::Bool(x.is_infinite() && !x.is_negative()),
            B::IsNegInfinity => Val::Bool(x.is_infinite() && x.is_negative()),
            B::IsPosZero => Val::Bool(x.is_zero() && !x.is_negative()),
            B::IsNegZero => Val::Bool(x.is_zero() && x.is_negative()),
            B::IsFinite => Val::Bool(!x.is_nan() && !x.is_infinite()),
            B::IsLargest => Val::Bool(x.abs() == ApFloat::largest(x.format(), false)),
            B::IsExactly => {
                let wanted = self.double(b)?;
                Val::Bool(x == ApFloat::from_f64(x.format(), wanted))
            }
            B::ToDouble => Val::Double(x.to_f64()),
            _ => return fail("an APFloat has no such method"),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_type() -> impl Strategy<Value = IntTy> {
        (prop_oneof![Just(32_u8), Just(64)], any::<bool>()).prop_map(|(bits, signed)| IntTy { bits, signed })
    }

    proptest! {
        #![proptest_config(crate::test_seed::config())]
        /// Against Rust's own machine integers.
        #[test]
        fn machine_integers_compute_as_the_machine_does(a in any::<i64>(), b in any::<i64>()) {
            let pairs = [
                (BinaryOp::Add, a.checked_add(b)),
                (BinaryOp::Sub, a.checked_sub(b)),
                (BinaryOp::Mul, a.checked_mul(b)),
                (BinaryOp::Div, a.checked_div(b)),
                (BinaryOp::Rem, a.checked_rem(b)),
            ];
            for (op, want) in pairs {
                let got = int_binary(op, IntTy::I64, a.into(), b.into());
                prop_assert_eq!(got, want.map(i128::from), "{} {:?} {}", a, op, b);
            }
            let (x, y) = (a.cast_unsigned(), b.cast_unsigned());
            let pairs = [
                (BinaryOp::Add, Some(x.wrapping_add(y))),
                (BinaryOp::Sub, Some(x.wrapping_sub(y))),
                (BinaryOp::Mul, Some(x.wrapping_mul(y))),
                (BinaryOp::Div, x.checked_div(y)),
                (BinaryOp::Rem, x.checked_rem(y)),
                (BinaryOp::Shl, u32::try_from(y).ok().and_then(|y| x.checked_shl(y))),
                (BinaryOp::Shr, u32::try_from(y).ok().and_then(|y| x.checked_shr(y))),
            ];
            for (op, want) in pairs {
                let got = int_binary(op, IntTy::U64, x.into(), y.into());
                prop_assert_eq!(got, want.map(i128::from), "{} {:?} {}", x, op, y);
            }
        }

        #[test]
        fn shifts_within_the_width_are_the_machines(a in any::<i32>(), by in 0_u32..32) {
            let left = int_binary(BinaryOp::Shl, IntTy::I32, a.into(), by.into());
            prop_assert_eq!(left, Some(i128::from(a << by)));
            let right = int_binary(BinaryOp::Shr, IntTy::I32, a.into(), by.into());
            prop_assert_eq!(right, Some(i128::from(a >> by)));
        }

        /// The usual arithmetic conversions: -1 is the largest unsigned number.
        #[test]
        fn wrapping_is_congruent_and_in_range(value in any::<i128>(), ty in any_type()) {
            let wrapped = ty.wrap(value);
            let modulus = 1_i128 << ty.bits;
            prop_assert_eq!(wrapped.rem_euclid(modulus), value.rem_euclid(modulus));
            let low = if ty.signed { -(modulus / 2) } else { 0 };
            prop_assert!(wrapped >= low && wrapped < low + modulus);
        }
    }
}
