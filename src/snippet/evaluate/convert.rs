//! Conversions, comparisons and arithmetic on values.

use std::sync::Arc;

use super::error::fail;
use super::evaluator::Evaluator;
use super::number::{self, Number};
use super::value::{AttrRef, Evaluated, Val};
use crate::host::{Facets, Refusal, Signedness, TypeKind};
use crate::snippet::data::{BinaryOp, Item, ObjectClass};

impl<H: Facets> Evaluator<'_, H> {
    pub(super) fn binary(&mut self, op: BinaryOp, item: Item, a: Val<H>, b: Val<H>) -> Evaluated<H> {
        match item {
            Item::Unknown => self.compare(op, &a, &b),
            Item::Str => {
                let (a, b) = (self.string(&a)?, self.string(&b)?);
                if op == BinaryOp::Add {
                    self.step((a.len() as u64).saturating_add(b.len() as u64))?;
                    return Ok(Val::Str(Arc::from(format!("{a}{b}"))));
                }
                Ok(Val::Bool(number::holds(op, Some(a.cmp(&b)))))
            }
            _ => {
                let (a, b) = match item {
                    Item::Int(_) => (self.as_number(a, item)?, self.as_number(b, item)?),
                    _ => {
                        self.step(width_cost(&a))?;
                        (number_of(&a)?, number_of(&b)?)
                    }
                };
                number::binary(op, item, a, b).map(Val::from)
            }
        }
    }

    /// Applies an operator to values that are not known to be numbers.
    fn compare(&mut self, op: BinaryOp, a: &Val<H>, b: &Val<H>) -> Evaluated<H> {
        match op {
            BinaryOp::Eq => self.equal(a, b).map(Val::Bool),
            BinaryOp::Ne => self.equal(a, b).map(|equal| Val::Bool(!equal)),
            _ => dynamic_binary(op, a, b),
        }
    }

    pub(super) fn equal(&mut self, a: &Val<H>, b: &Val<H>) -> Result<bool, Refusal> {
        self.step(1)?;
        Ok(match (a, b) {
            (Val::Null, Val::Null) => true,
            (Val::Null, _) | (_, Val::Null) => false,
            (Val::Type(x), Val::Type(y)) => x == y,
            (Val::Attr(x), Val::Attr(y)) => x == y,
            (Val::Value(x), Val::Value(y)) => x == y,
            (Val::Attr(_), Val::Value(_)) | (Val::Value(_), Val::Attr(_)) => false,
            (Val::Op(x), Val::Op(y)) => x == y,
            (Val::Use(x), Val::Use(y)) => x == y,
            (Val::Location(x), Val::Location(y)) => x == y,
            (Val::Block(x), Val::Block(y)) => x == y,
            (Val::Region(x), Val::Region(y)) => x == y,
            (Val::Op(op), Val::Value(v)) | (Val::Value(v), Val::Op(op)) => {
                self.host().result_count(*op) == 1 && self.host().result(*op, 0) == *v
            }
            (Val::Str(_), _) | (_, Val::Str(_)) => self.string(a)? == self.string(b)?,
            (Val::Range(x), Val::Range(y)) | (Val::Tuple(x), Val::Tuple(y)) => {
                if x.len() != y.len() {
                    return Ok(false);
                }
                for (x, y) in x.iter().zip(y.iter()) {
                    if !self.equal(x, y)? {
                        return Ok(false);
                    }
                }
                true
            }
            (Val::Iterator(_, x), Val::Iterator(_, y)) => x == y,
            _ => dynamic_binary(BinaryOp::Eq, a, b)?.is_true(),
        })
    }

    /// Converts to an item. Each element of a range is converted.
    pub(super) fn convert(&mut self, value: Val<H>, item: Item) -> Evaluated<H> {
        if let Val::Range(items) = &value {
            let mut out = Vec::with_capacity(items.len());
            for value in items.iter() {
                self.step(1)?;
                out.push(self.convert(value.clone(), item)?);
            }
            return Ok(Val::range(out));
        }
        match item {
            Item::Int(_)
            | Item::Double
            | Item::Float
            | Item::ApInt
            | Item::ApFloat
            | Item::Bool
            | Item::Enum(_) => self.as_number(value, item)?.convert(item).map(Val::from),
            Item::Str => self.string(&value).map(Val::Str),
            Item::Value => match value {
                Val::Op(op) => self.single_result(op),
                value => Ok(value),
            },
            Item::Attr(class) => match value {
                Val::Attr(_) if !self.is_a(&value, ObjectClass::Attr(class))? => {
                    fail("an attribute is used as a member of a class to which it does not belong")
                }
                value => Ok(value),
            },
            _ => Ok(value),
        }
    }

    /// A field of the `APSInt` that an attribute holds: the number, or a Boolean that is true if the type of the
    /// attribute is an unsigned integer type.
    pub(super) fn signed_number_field(&self, a: &AttrRef<H>, field: u32) -> Evaluated<H> {
        let Some(value) = self.attr_int(a) else {
            return fail("an attribute that is not an integer is read as an APSInt");
        };
        if field == 0 {
            return Ok(Val::ApInt(value));
        }
        let kind = self.attr_type(a).map(|ty| self.type_kind(&ty));
        let unsigned = matches!(kind, Some(TypeKind::Integer { signedness: Signedness::Unsigned, .. }));
        Ok(Val::Bool(unsigned))
    }

    /// Reads a value as a number that [`Number::convert`] converts to an item.
    fn as_number(&self, value: Val<H>, item: Item) -> Result<Number, Refusal> {
        let a = match &value {
            Val::Attr(a) => a,
            // A value that is neither a number nor null converts to true.
            other if item == Item::Bool && !other.is_null() => {
                return Ok(other.number().unwrap_or(Number::Bool(true)));
            }
            other => return number_of(other),
        };
        if let Item::Enum(id) = item {
            return Ok(Number::Int(i128::from(self.enum_value(a, id)?)));
        }
        match (self.attr_int(a), self.attr_float(a)) {
            (Some(value), _) => Ok(Number::ApInt(value)),
            (_, Some(value)) => Ok(Number::ApFloat(value)),
            _ => fail("an attribute that is not a number is used as one"),
        }
    }
}

/// The number of additional steps that an operation on this number takes: one for each 64 bits of its width.
pub(super) fn width_cost<H: Facets>(value: &Val<H>) -> u64 {
    match value {
        Val::ApInt(x) => u64::from(x.width() / 64),
        _ => 0,
    }
}

/// The value as a number.
pub(super) fn number_of<H: Facets>(value: &Val<H>) -> Result<Number, Refusal> {
    value.number().ok_or_else(|| Refusal::new(format!("{} is used as a number", value.variant_name())))
}

/// Applies an operator to two values without static types.
pub(super) fn dynamic_binary<H: Facets>(op: BinaryOp, a: &Val<H>, b: &Val<H>) -> Evaluated<H> {
    match (a.number(), b.number()) {
        (Some(a), Some(b)) => number::dynamic_binary(op, a, b).map(Val::from),
        _ => fail(format!(
            "operator '{}' does not apply to {} and {}",
            op.text(),
            a.variant_name(),
            b.variant_name()
        )),
    }
}
