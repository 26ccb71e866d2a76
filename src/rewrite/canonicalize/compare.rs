//! Comparisons of integers that were converted to floats.
//!
//! Specification: MLIR's `CmpFIntToFPConst`. The comparison of a converted integer with a constant float becomes a
//! comparison of two integers, or a constant, unless the conversion can round the integer across the float.

use num_bigint::BigInt;

use super::cf::create_constant;
use super::edit::{Editor, New};
use super::elements::{constant_int, element, element_type};
use super::names::Names;
use crate::host::{AttrKind, AttrSpec, Blocks, Facets, NamedAttr, Signedness, TypeSpec};
use crate::number::{ApFloat, ApInt};
use crate::semantics::Element;

/// The relation that a predicate tests. Ordered and unordered predicates share a relation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Eq,
    Gt,
    Ge,
    Lt,
    Le,
    Ne,
}

impl Relation {
    const ALL: [Self; 6] = [Self::Eq, Self::Gt, Self::Ge, Self::Lt, Self::Le, Self::Ne];

    /// The number of the corresponding predicate of `arith.cmpi`.
    fn predicate(self, signed: bool) -> u64 {
        match (self, signed) {
            (Self::Eq, _) => 0,
            (Self::Ne, _) => 1,
            (Self::Lt, true) => 2,
            (Self::Le, true) => 3,
            (Self::Gt, true) => 4,
            (Self::Ge, true) => 5,
            (Self::Lt, false) => 6,
            (Self::Le, false) => 7,
            (Self::Gt, false) => 8,
            (Self::Ge, false) => 9,
        }
    }
}

/// The replacement of a comparison.
enum Outcome {
    Constant(bool),
    /// A comparison of the integer with another integer.
    Compare(Relation, ApInt),
}

/// The exponent of the highest bit of a number; `None` for zero and for numbers that are too small for a normal `f64`.
fn highest_bit(x: ApFloat) -> Option<i64> {
    let field = i64::try_from(x.to_f64().to_bits() >> 52 & 0x7FF).ok()?;
    (field > 0).then_some(field - 1023)
}

/// Simplifies the comparison of an integer of this width with a float. `None` if the conversion of the integer can
/// change the result, or if the float is NaN, too large, or not exact in `f64`.
fn compare(relation: Relation, signed: bool, width: u32, with: ApFloat) -> Option<Outcome> {
    let format = with.format();
    let is_exact = ApFloat::from_f64(format, with.to_f64()).to_bits() == with.to_bits();
    if with.is_nan() || !is_exact {
        return None;
    }
    let (precision, bits) =
        (i64::from(format.precision()), i64::from(if signed { width - 1 } else { width }));
    if i64::from(width) > precision {
        if with.is_infinite() {
            if highest_bit(ApFloat::largest(format, false))? < bits {
                return None;
            }
        } else if highest_bit(with).is_some_and(|bit| precision <= bit && bit <= bits) {
            return None;
        }
    }
    let convert = |value: &BigInt| ApFloat::parse_decimal(format, &value.to_string());
    let (least, largest) = match signed {
        true => (ApInt::min_signed(width).to_bigint(), ApInt::max_signed(width).to_bigint()),
        false => (BigInt::ZERO, ApInt::all_ones(width).to_biguint().into()),
    };
    if convert(&largest)?.compare(with)?.is_lt() {
        return Some(Outcome::Constant(matches!(relation, Relation::Ne | Relation::Lt | Relation::Le)));
    }
    if convert(&least)?.compare(with)?.is_gt() {
        return Some(Outcome::Constant(matches!(relation, Relation::Ne | Relation::Gt | Relation::Ge)));
    }
    let truncated = with.to_f64().trunc();
    if truncated.abs() >= 1e38 {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, reason = "it is below 1e38")]
    let integer = BigInt::from(truncated as i128);
    if integer < least || integer > largest {
        return None;
    }
    let number = ApInt::from_bigint(width, &integer);
    if convert(&integer)?.compare(with)?.is_eq() {
        return Some(Outcome::Compare(relation, number));
    }
    // `number` is the constant rounded towards zero, so it is below a positive constant and above a negative constant.
    let negative = with.is_negative();
    let relation = match relation {
        Relation::Ne => return Some(Outcome::Constant(true)),
        Relation::Eq => return Some(Outcome::Constant(false)),
        Relation::Lt | Relation::Le if negative && !signed => return Some(Outcome::Constant(false)),
        Relation::Gt | Relation::Ge if negative && !signed => return Some(Outcome::Constant(true)),
        Relation::Lt | Relation::Le if negative => Relation::Lt,
        Relation::Lt | Relation::Le => Relation::Le,
        Relation::Gt | Relation::Ge if negative => Relation::Ge,
        Relation::Gt | Relation::Ge => Relation::Gt,
    };
    Some(Outcome::Compare(relation, number))
}

/// Applies the rule to an `arith.cmpf`.
pub(super) fn compare_integers<H: Facets + Blocks>(
    e: &mut Editor<'_, H>,
    op: H::Op,
    names: &Names,
) -> Option<()> {
    let (lhs, rhs) = (e.host.operand(op, 0), e.host.operand(op, 1));
    let constant = e.host.defining_op(rhs).filter(|&op| e.host.op_name(op) == names.constant)?;
    let value = e.host.attr(constant, names.attr.value)?;
    if e.host.attr_kind(value) != AttrKind::Float {
        return None;
    }
    let with = e.host.attr_float(value)?;
    let conversion = e.host.defining_op(lhs)?;
    let signed = match e.host.op_name(conversion) {
        name if name == names.sitofp => true,
        name if name == names.uitofp => false,
        _ => return None,
    };
    let integer = e.host.operand(conversion, 0);
    let ty = e.host.value_type(integer);
    let Some(Element::Int(width)) = element(e.host, ty).filter(|_| !element_type(e.host, ty).1) else {
        return None;
    };
    let result_type = e.host.value_type(e.host.result(op, 0));
    let predicate = e.host.attr_int(e.host.attr(op, names.attr.predicate)?)?.to_u64()?;
    let outcome = match usize::try_from(predicate).ok()? {
        // A converted integer is not a NaN.
        7 if !with.is_nan() => Outcome::Constant(true),
        14 if !with.is_nan() => Outcome::Constant(false),
        // The predicates 1 to 6 do not hold for unordered operands; 8 to 13 do.
        number @ (1..=6 | 8..=13) => compare(*Relation::ALL.get((number - 1) % 7)?, signed, width, with)?,
        _ => return None,
    };
    let replacement = match outcome {
        Outcome::Constant(holds) => {
            let attr = constant_int(e.host, -i64::from(holds), result_type)?;
            create_constant(e, op, attr, result_type, names)?
        }
        Outcome::Compare(relation, number) => {
            let spec = TypeSpec::Integer { width: 64, signedness: Signedness::Signless };
            let i64_type = e.host.make_type(&spec)?;
            let predicate = ApInt::from_u64(64, relation.predicate(signed));
            let predicate = e.host.make_attr(&AttrSpec::Integer(predicate, i64_type))?;
            let attr = e.host.make_attr(&AttrSpec::Integer(number, ty))?;
            let operands = [integer, create_constant(e, op, attr, ty, names)?];
            let attributes = [NamedAttr { name: names.attr.predicate, value: predicate, inherent: true }];
            let types = [result_type];
            let new = New {
                name: names.cmpi,
                operands: &operands,
                types: &types,
                attributes: &attributes,
                successors: &[],
            };
            let compare = e.create(op, &new).ok()?;
            e.host.result(compare, 0)
        }
    };
    e.replace(op, &[replacement]);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::FloatFormat;

    /// Compares every 8-bit integer with constants of `f32`, which represents these integers exactly.
    #[test]
    fn the_outcome_is_that_of_the_comparison_of_floats() {
        let constants = [
            -1e30,
            -129.5,
            -129.0,
            -128.0,
            -127.5,
            -4.5,
            -1.0,
            -0.5,
            -0.0,
            0.0,
            0.25,
            4.0,
            4.5,
            127.0,
            127.5,
            128.0,
            255.0,
            255.5,
            256.0,
            1e30,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ];
        let holds = |relation, order: std::cmp::Ordering| match relation {
            Relation::Eq => order.is_eq(),
            Relation::Ne => order.is_ne(),
            Relation::Lt => order.is_lt(),
            Relation::Le => order.is_le(),
            Relation::Gt => order.is_gt(),
            Relation::Ge => order.is_ge(),
        };
        let mut checked = 0;
        for (signed, constant, relation) in [true, false].into_iter().flat_map(|signed| {
            constants
                .into_iter()
                .flat_map(move |c| Relation::ALL.into_iter().map(move |relation| (signed, c, relation)))
        }) {
            let with = ApFloat::from_f64(FloatFormat::F32, constant);
            let Some(outcome) = compare(relation, signed, 8, with) else {
                panic!("{constant} is not compared")
            };
            for x in 0..=u8::MAX {
                let value = if signed { f64::from(x.cast_signed()) } else { f64::from(x) };
                let want = holds(relation, value.partial_cmp(&constant).expect("no NaN"));
                let number = ApInt::from_u64(8, x.into());
                let got = match &outcome {
                    Outcome::Constant(holds) => *holds,
                    Outcome::Compare(relation, with) if signed => holds(*relation, number.cmp_signed(with)),
                    Outcome::Compare(relation, with) => holds(*relation, number.cmp_unsigned(with)),
                };
                assert_eq!(got, want, "{value} and {constant}, signed {signed}");
                checked += 1;
            }
        }
        assert_eq!(checked, 2 * 22 * 6 * 256);
    }

    #[test]
    fn comparisons_stay_if_rounding_can_change_them_or_the_constant_is_nan() {
        let compare = |width, constant| {
            compare(Relation::Lt, true, width, ApFloat::from_f64(FloatFormat::F32, constant))
        };
        assert!(compare(32, 16_777_216.0).is_none());
        assert!(compare(32, 8_388_608.0).is_some());
        assert!(compare(25, f64::NAN).is_none());
    }
}
