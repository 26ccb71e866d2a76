//! The integer operations of `arith`.
//!
//! Poison propagates through all operations except `select`, which ignores the operand that it does not choose. The
//! behaviour of a division or remainder is undefined if the divisor is zero or poison (poison can be zero). The
//! behaviour of a signed division is also undefined if the quotient overflows.

use super::bits::Bits;
use crate::number::{ApInt, MAX_WIDTH};

/// One element of a value: its bits, and one bit that is set if it is poison. The bits of poison have no meaning.
#[derive(Clone, Debug)]
pub(crate) struct Lane<V> {
    pub(crate) bits: V,
    pub(crate) poison: V,
}

/// The results of an operation, and one bit that is set if the behaviour is undefined.
#[derive(Clone, Debug)]
pub(crate) struct Outcome<V> {
    pub(crate) results: Vec<Lane<V>>,
    pub(crate) undefined: V,
}

/// The flags and the predicate of an operation. A flag is one bit; an absent flag is not set.
#[derive(Clone, Debug)]
pub(crate) struct Flags<V> {
    pub(crate) nsw: Option<V>,
    pub(crate) nuw: Option<V>,
    pub(crate) exact: Option<V>,
    /// The operand of an extension is not negative.
    pub(crate) nneg: Option<V>,
    /// The operands of a disjunction have no bit in common.
    pub(crate) disjoint: Option<V>,
    /// The number of the predicate of a comparison, which must be less than 10.
    pub(crate) predicate: Option<V>,
}

impl<V> Default for Flags<V> {
    fn default() -> Self {
        Self { nsw: None, nuw: None, exact: None, nneg: None, disjoint: None, predicate: None }
    }
}

/// The relation between the types of operands and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signature {
    /// All operands and all results have one type.
    Same,
    /// Both operands have one type, and the result is one bit.
    Comparison,
    /// The first operand is one bit. The other two operands and the result have one type.
    Select,
    /// The result is an integer that is wider than the operand.
    Widen,
    /// The result is an integer that is narrower than the operand.
    Narrow,
    /// Either the operand or the result is an `index`.
    IndexCast,
    /// The result has the width of the operand, and neither is an `index`.
    Bitcast,
    /// Both operands and the first result have one type, and the second result is one bit.
    WithCarry,
}

macro_rules! int_ops {
    ($($variant:ident $name:literal $operands:literal $results:literal $signature:ident;)*) => {
        /// An integer operation of `arith`, except `arith.constant`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum IntOp { $($variant,)* }

        impl IntOp {
            /// All operations.
            #[cfg(test)]
            pub(crate) const ALL: &'static [IntOp] = &[$(IntOp::$variant,)*];

            /// The operation with this name, without the dialect.
            pub(crate) fn find(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }

            /// The number of operands.
            pub(crate) fn operands(self) -> usize {
                match self { $(Self::$variant => $operands,)* }
            }

            /// The number of results.
            pub(crate) fn results(self) -> usize {
                match self { $(Self::$variant => $results,)* }
            }

            /// The relation between the types of operands and results.
            pub(crate) fn signature(self) -> Signature {
                match self { $(Self::$variant => Signature::$signature,)* }
            }
        }
    };
}
int_ops! {
    Add "addi" 2 1 Same;
    Sub "subi" 2 1 Same;
    Mul "muli" 2 1 Same;
    And "andi" 2 1 Same;
    Or "ori" 2 1 Same;
    Xor "xori" 2 1 Same;
    MaxS "maxsi" 2 1 Same;
    MaxU "maxui" 2 1 Same;
    MinS "minsi" 2 1 Same;
    MinU "minui" 2 1 Same;
    Shl "shli" 2 1 Same;
    ShrS "shrsi" 2 1 Same;
    ShrU "shrui" 2 1 Same;
    DivS "divsi" 2 1 Same;
    DivU "divui" 2 1 Same;
    CeilDivS "ceildivsi" 2 1 Same;
    CeilDivU "ceildivui" 2 1 Same;
    FloorDivS "floordivsi" 2 1 Same;
    RemS "remsi" 2 1 Same;
    RemU "remui" 2 1 Same;
    AddExtended "addui_extended" 2 2 WithCarry;
    MulSExtended "mulsi_extended" 2 2 Same;
    MulUExtended "mului_extended" 2 2 Same;
    Compare "cmpi" 2 1 Comparison;
    Select "select" 3 1 Select;
    ExtS "extsi" 1 1 Widen;
    ExtU "extui" 1 1 Widen;
    Trunc "trunci" 1 1 Narrow;
    IndexCast "index_cast" 1 1 IndexCast;
    IndexCastU "index_castui" 1 1 IndexCast;
    Bitcast "bitcast" 1 1 Bitcast;
}

impl IntOp {
    /// Computes the results. `widths` has the widths of the results. Returns `None` if the number or the widths of
    /// operands or results are wrong, if a comparison has no predicate, or if an exact product needs more than
    /// [`MAX_WIDTH`] bits. A cast to the same width is accepted and changes nothing.
    pub(crate) fn apply<D: Bits>(
        self,
        d: &mut D,
        flags: &Flags<D::Value>,
        args: &[Lane<D::Value>],
        widths: &[u32],
    ) -> Option<Outcome<D::Value>> {
        if args.len() != self.operands() || widths.len() != self.results() {
            return None;
        }
        let of: Vec<u32> = args.iter().map(|arg| d.width(&arg.bits)).collect();
        let fits = match self.signature() {
            Signature::Same => of.iter().chain(widths).all(|width| *width == of[0]),
            Signature::Comparison => of[0] == of[1] && widths[0] == 1,
            Signature::WithCarry => of[0] == of[1] && of[0] == widths[0] && widths[1] == 1,
            Signature::Select => of[0] == 1 && of[1] == of[2] && of[1] == widths[0],
            Signature::Bitcast => of[0] == widths[0],
            Signature::Widen => of[0] <= widths[0],
            Signature::Narrow => of[0] >= widths[0],
            Signature::IndexCast => true,
        };
        if !fits {
            return None;
        }
        if self == IntOp::Select {
            return Some(select(d, args));
        }
        let poison = match args {
            [a] => a.poison.clone(),
            [a, b] => d.or(&a.poison, &b.poison),
            _ => return None,
        };
        let mut undefined = d.boolean(false);
        let mut results: Vec<(D::Value, Option<D::Value>)> = Vec::new();
        match args {
            [a] => results.push(self.unary(d, flags, &a.bits, widths[0])),
            [a, b] if self.is_division() => {
                undefined = self.division_is_undefined(d, a, b);
                results.push(self.division(d, flags, &a.bits, &b.bits));
            }
            [a, b] if self.results() == 2 => {
                let (low, high) = self.extended(d, &a.bits, &b.bits)?;
                results.extend([(low, None), (high, None)]);
            }
            [a, b] => results.push(self.binary(d, flags, &a.bits, &b.bits)?),
            _ => return None,
        }
        let lane = |(bits, more): (D::Value, Option<D::Value>), d: &mut D| {
            let poison = more.map_or_else(|| poison.clone(), |more| d.or(&poison, &more));
            Lane { bits, poison }
        };
        let results = results.into_iter().map(|result| lane(result, d)).collect();
        Some(Outcome { results, undefined })
    }

    /// True for the operations whose behaviour can be undefined.
    pub(crate) fn is_division(self) -> bool {
        matches!(
            self,
            Self::DivS
                | Self::DivU
                | Self::CeilDivS
                | Self::CeilDivU
                | Self::FloorDivS
                | Self::RemS
                | Self::RemU
        )
    }

    fn binary<D: Bits>(
        self,
        d: &mut D,
        flags: &Flags<D::Value>,
        a: &D::Value,
        b: &D::Value,
    ) -> Option<(D::Value, Option<D::Value>)> {
        let signed = |op: IntOp| matches!(op, Self::MaxS | Self::MinS);
        Some(match self {
            Self::Add => {
                let sum = d.add(a, b);
                let signed = |d: &mut D| {
                    // The sum overflows if its sign differs from the sign of both operands.
                    let (x, y) = (d.xor(a, &sum), d.xor(b, &sum));
                    let both = d.and(&x, &y);
                    d.is_negative(&both)
                };
                let poison = overflow(d, flags, signed, |d| d.ult(&sum, a));
                (sum, poison)
            }
            Self::Sub => {
                let difference = d.sub(a, b);
                let signed = |d: &mut D| {
                    let (x, y) = (d.xor(a, b), d.xor(a, &difference));
                    let both = d.and(&x, &y);
                    d.is_negative(&both)
                };
                let poison = overflow(d, flags, signed, |d| d.ult(a, b));
                (difference, poison)
            }
            Self::Mul => {
                let product = d.mul(a, b);
                let width = d.width(a);
                let wide = width.checked_mul(2).filter(|wide| *wide <= MAX_WIDTH);
                if wide.is_none() && (flags.nsw.is_some() || flags.nuw.is_some()) {
                    return None;
                }
                let wide = wide.unwrap_or(width);
                let signed = |d: &mut D| {
                    let (x, y) = (d.sext_or_trunc(a, wide), d.sext_or_trunc(b, wide));
                    let (exact, wrapped) = (d.mul(&x, &y), d.sext_or_trunc(&product, wide));
                    d.ne(&exact, &wrapped)
                };
                let unsigned = |d: &mut D| {
                    let (x, y) = (d.zext_or_trunc(a, wide), d.zext_or_trunc(b, wide));
                    let (exact, wrapped) = (d.mul(&x, &y), d.zext_or_trunc(&product, wide));
                    d.ne(&exact, &wrapped)
                };
                let poison = overflow(d, flags, signed, unsigned);
                (product, poison)
            }
            Self::And => (d.and(a, b), None),
            Self::Xor => (d.xor(a, b), None),
            Self::Or => {
                let poison = flags.disjoint.as_ref().map(|disjoint| {
                    let common = d.and(a, b);
                    let none = d.is_zero(&common);
                    let some = d.not(&none);
                    d.and(disjoint, &some)
                });
                (d.or(a, b), poison)
            }
            Self::MaxS | Self::MaxU | Self::MinS | Self::MinU => {
                let less = if signed(self) { d.slt(a, b) } else { d.ult(a, b) };
                let larger = matches!(self, Self::MaxS | Self::MaxU);
                let (if_less, otherwise) = if larger { (b, a) } else { (a, b) };
                (d.select(&less, if_less, otherwise), None)
            }
            Self::Shl => {
                let shifted = d.shl(a, b);
                let signed = |d: &mut D| {
                    let back = d.ashr(&shifted, b);
                    d.ne(&back, a)
                };
                let unsigned = |d: &mut D| {
                    let back = d.lshr(&shifted, b);
                    d.ne(&back, a)
                };
                let wraps = overflow(d, flags, signed, unsigned);
                let poison = too_far(d, b, wraps);
                (shifted, Some(poison))
            }
            Self::ShrS | Self::ShrU => {
                let shifted = if self == Self::ShrS { d.ashr(a, b) } else { d.lshr(a, b) };
                let inexact = flags.exact.as_ref().map(|exact| {
                    let back = d.shl(&shifted, b);
                    let lost = d.ne(&back, a);
                    d.and(exact, &lost)
                });
                let poison = too_far(d, b, inexact);
                (shifted, Some(poison))
            }
            Self::Compare => (compare(d, flags.predicate.as_ref()?, a, b), None),
            _ => return None,
        })
    }

    fn unary<D: Bits>(
        self,
        d: &mut D,
        flags: &Flags<D::Value>,
        a: &D::Value,
        width: u32,
    ) -> (D::Value, Option<D::Value>) {
        match self {
            Self::ExtS | Self::IndexCast => (d.sext_or_trunc(a, width), None),
            Self::Trunc => {
                let low = d.zext_or_trunc(a, width);
                let from = d.width(a);
                let signed = |d: &mut D| {
                    let back = d.sext_or_trunc(&low, from);
                    d.ne(&back, a)
                };
                let unsigned = |d: &mut D| {
                    let back = d.zext_or_trunc(&low, from);
                    d.ne(&back, a)
                };
                let poison = overflow(d, flags, signed, unsigned);
                (low, poison)
            }
            Self::ExtU | Self::IndexCastU => {
                let poison = flags.nneg.as_ref().map(|nneg| {
                    let negative = d.is_negative(a);
                    d.and(nneg, &negative)
                });
                (d.zext_or_trunc(a, width), poison)
            }
            _ => (a.clone(), None),
        }
    }

    /// The two results of an operation with an extended result; `None` if the product is too wide.
    fn extended<D: Bits>(self, d: &mut D, a: &D::Value, b: &D::Value) -> Option<(D::Value, D::Value)> {
        if self == Self::AddExtended {
            let sum = d.add(a, b);
            let carry = d.ult(&sum, a);
            return Some((sum, carry));
        }
        let width = d.width(a);
        let wide = width.checked_mul(2).filter(|wide| *wide <= MAX_WIDTH)?;
        let extend = |d: &mut D, x: &D::Value| match self {
            Self::MulSExtended => d.sext_or_trunc(x, wide),
            _ => d.zext_or_trunc(x, wide),
        };
        let (x, y) = (extend(d, a), extend(d, b));
        let product = d.mul(&x, &y);
        let by = d.constant(ApInt::from_u64(wide, width.into()));
        let high = d.lshr(&product, &by);
        Some((d.zext_or_trunc(&product, width), d.zext_or_trunc(&high, width)))
    }

    fn division_is_undefined<D: Bits>(self, d: &mut D, a: &Lane<D::Value>, b: &Lane<D::Value>) -> D::Value {
        let zero = d.is_zero(&b.bits);
        let by_zero = d.or(&zero, &b.poison);
        // The documentation of the remainder excludes only a zero divisor.
        if !matches!(self, Self::DivS | Self::CeilDivS | Self::FloorDivS) {
            return by_zero;
        }
        let width = d.width(&a.bits);
        let (least, minus_one) = (d.constant(ApInt::min_signed(width)), d.constant(ApInt::all_ones(width)));
        let (is_least, is_minus_one) = (d.eq(&a.bits, &least), d.eq(&b.bits, &minus_one));
        // Poison counts as the dividend for which the division overflows, because it can have any value.
        let can_be_least = d.or(&is_least, &a.poison);
        let overflows = d.and(&can_be_least, &is_minus_one);
        d.or(&by_zero, &overflows)
    }

    fn division<D: Bits>(
        self,
        d: &mut D,
        flags: &Flags<D::Value>,
        a: &D::Value,
        b: &D::Value,
    ) -> (D::Value, Option<D::Value>) {
        let signed = matches!(self, Self::DivS | Self::CeilDivS | Self::FloorDivS | Self::RemS);
        let width = d.width(a);
        let (negative_a, negative_b) = match signed {
            true => (d.is_negative(a), d.is_negative(b)),
            false => (d.boolean(false), d.boolean(false)),
        };
        let magnitude = |d: &mut D, x: &D::Value, negative: &D::Value| {
            let negated = d.neg(x);
            d.select(negative, &negated, x)
        };
        let with_sign = |d: &mut D, x: D::Value, negative: &D::Value| {
            let negated = d.neg(&x);
            d.select(negative, &negated, &x)
        };
        let (x, y) = match signed {
            true => (magnitude(d, a, &negative_a), magnitude(d, b, &negative_b)),
            false => (a.clone(), b.clone()),
        };
        let remainder = d.urem(&x, &y);
        if matches!(self, Self::RemS | Self::RemU) {
            let value = if signed { with_sign(d, remainder, &negative_a) } else { remainder };
            return (value, None);
        }
        let quotient = d.udiv(&x, &y);
        let signs_differ = d.xor(&negative_a, &negative_b);
        let quotient = if signed { with_sign(d, quotient, &signs_differ) } else { quotient };
        let exact = d.is_zero(&remainder);
        let inexact = d.not(&exact);
        match self {
            Self::DivS | Self::DivU => {
                let poison = flags.exact.as_ref().map(|flag| d.and(flag, &inexact));
                (quotient, poison)
            }
            Self::FloorDivS => {
                let lower = d.and(&inexact, &signs_differ);
                let lower = d.zext_or_trunc(&lower, width);
                (d.sub(&quotient, &lower), None)
            }
            _ => {
                let signs_agree = d.not(&signs_differ);
                let higher = d.and(&inexact, &signs_agree);
                let higher = d.zext_or_trunc(&higher, width);
                (d.add(&quotient, &higher), None)
            }
        }
    }
}

/// The bit that is set if an operation overflows although a flag excludes the overflow; `None` if there are no flags.
fn overflow<D: Bits>(
    d: &mut D,
    flags: &Flags<D::Value>,
    signed: impl FnOnce(&mut D) -> D::Value,
    unsigned: impl FnOnce(&mut D) -> D::Value,
) -> Option<D::Value> {
    let signed = flags.nsw.as_ref().map(|nsw| {
        let wraps = signed(d);
        d.and(nsw, &wraps)
    });
    let unsigned = flags.nuw.as_ref().map(|nuw| {
        let wraps = unsigned(d);
        d.and(nuw, &wraps)
    });
    match (signed, unsigned) {
        (Some(signed), Some(unsigned)) => Some(d.or(&signed, &unsigned)),
        (signed, unsigned) => signed.or(unsigned),
    }
}

/// The bit that is set if a shift is by the width or more, or if `more` is set.
fn too_far<D: Bits>(d: &mut D, by: &D::Value, more: Option<D::Value>) -> D::Value {
    let width = d.width(by);
    // The only valid shift of an `i1` is by zero.
    let far = if width == 1 {
        by.clone()
    } else {
        let width = d.constant(ApInt::from_u64(width, width.into()));
        let within = d.ult(by, &width);
        d.not(&within)
    };
    more.map_or_else(|| far.clone(), |more| d.or(&far, &more))
}

fn select<D: Bits>(d: &mut D, args: &[Lane<D::Value>]) -> Outcome<D::Value> {
    let [condition, a, b] = args else { unreachable!("a selection has three operands") };
    let bits = d.select(&condition.bits, &a.bits, &b.bits);
    let chosen = d.select(&condition.bits, &a.poison, &b.poison);
    let poison = d.or(&condition.poison, &chosen);
    Outcome { results: vec![Lane { bits, poison }], undefined: d.boolean(false) }
}

/// Compares two values by the predicate with this number. From 0 on, the predicates are: eq, ne, slt, sle, sgt, sge,
/// ult, ule, ugt, uge. The result for other numbers is false.
fn compare<D: Bits>(d: &mut D, predicate: &D::Value, a: &D::Value, b: &D::Value) -> D::Value {
    let eq = d.eq(a, b);
    let (slt, ult) = (d.slt(a, b), d.ult(a, b));
    let (sle, ule) = (d.or(&slt, &eq), d.or(&ult, &eq));
    let results = [
        eq.clone(),
        d.not(&eq),
        slt.clone(),
        sle.clone(),
        d.not(&sle),
        d.not(&slt),
        ult.clone(),
        ule.clone(),
        d.not(&ule),
        d.not(&ult),
    ];
    let width = d.width(predicate);
    let mut value = d.boolean(false);
    for (number, result) in (0..).zip(&results) {
        let number = d.constant(ApInt::from_u64(width, number));
        let chosen = d.eq(predicate, &number);
        value = d.select(&chosen, result, &value);
    }
    value
}
