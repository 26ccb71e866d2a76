//! The folds of `arith`.
//!
//! Specification: each operation folds as in MLIR 22.1. In particular, a shift of a vector does not fold if the last
//! element is shifted by too many bits. Other elements that are shifted by too many bits become 0 or copies of their
//! sign bit.

use super::elements::{self, Elements, compute, constant_int, element, element_type, float, integer};
use super::names::Names;
use crate::host::{AttrKind, Blocks, Facets, Folded, Ir};
use crate::number::{ApFloat, ApInt};
use crate::semantics::arith::{Flags, apply};
use crate::semantics::{Element, Scalar};

/// An operation that is folded.
pub(super) struct Fold<'a, H: Ir> {
    pub(super) host: &'a mut H,
    pub(super) op: H::Op,
    /// The attribute of each operand that is a constant; `None` for the other operands.
    pub(super) constants: &'a [Option<H::Attr>],
    pub(super) names: &'a Names,
}

/// One entry for each result of the operation. The list is empty if the operation changed in place. `None` if the
/// operation does not fold.
pub(super) type Results<H> = Option<Vec<Folded<H>>>;
pub(super) type FoldRule<H> = fn(&mut Fold<'_, H>) -> Results<H>;

/// The folds, by the names of operations.
pub(super) fn folds<H: Facets + Blocks>() -> Vec<(&'static str, FoldRule<H>)> {
    vec![
        ("addi", addi),
        ("addui_extended", addui_extended),
        ("subi", subi),
        ("muli", muli),
        ("mulsi_extended", multiply_extended),
        ("mului_extended", multiply_extended),
        ("divui", divide),
        ("divsi", divide),
        ("ceildivui", divide),
        ("ceildivsi", divide),
        ("floordivsi", divide),
        ("remui", remainder),
        ("remsi", remainder),
        ("andi", andi),
        ("ori", ori),
        ("xori", xori),
        ("maxsi", extreme_int),
        ("maxui", extreme_int),
        ("minsi", extreme_int),
        ("minui", extreme_int),
        ("shli", shift),
        ("shrui", shift),
        ("shrsi", shift),
        ("negf", negf),
        ("addf", float_identity),
        ("subf", float_identity),
        ("mulf", float_identity),
        ("divf", float_identity),
        ("remf", float_identity),
        ("maximumf", extreme_float),
        ("maxnumf", extreme_float),
        ("minimumf", extreme_float),
        ("minnumf", extreme_float),
        ("extui", extend),
        ("extsi", extend),
        ("extf", extf),
        ("trunci", trunci),
        ("truncf", truncf),
        ("uitofp", cast),
        ("sitofp", cast),
        ("fptoui", cast),
        ("fptosi", cast),
        ("index_cast", cast),
        ("index_castui", cast),
        ("bitcast", bitcast),
        ("cmpi", cmpi),
        ("cmpf", cmpf),
        ("select", select),
    ]
}

impl<H: Facets + Blocks> Fold<'_, H> {
    /// The name of the operation, without the dialect.
    fn name(&self) -> String {
        let name = self.host.op_name_text(self.host.op_name(self.op));
        name.strip_prefix("arith.").map(str::to_owned).unwrap_or(name)
    }

    pub(super) fn operand(&self, index: u32) -> H::Value {
        self.host.operand(self.op, index)
    }

    fn operands(&self) -> (H::Value, H::Value) {
        (self.operand(0), self.operand(1))
    }

    fn result_type(&self, index: u32) -> H::Type {
        self.host.value_type(self.host.result(self.op, index))
    }

    /// The operation that defines a value, if the operation has this name.
    pub(super) fn defined_by(&self, value: H::Value, name: crate::host::OpNameId) -> Option<H::Op> {
        self.host.defining_op(value).filter(|&op| self.host.op_name(op) == name)
    }

    /// The attribute of a value that an `arith.constant` defines.
    fn constant(&self, value: H::Value) -> Option<H::Attr> {
        let op = self.defined_by(value, self.names.constant)?;
        self.host.attr(op, self.names.attr.value)
    }

    /// The other operand of a binary operation that has `known` as an operand.
    fn other_operand(&self, op: H::Op, known: H::Value) -> Option<H::Value> {
        let (a, b) = (self.host.operand(op, 0), self.host.operand(op, 1));
        if known == b { Some(a) } else { (known == a).then_some(b) }
    }

    fn predicate(&self, op: H::Op) -> Option<u64> {
        self.host.attr_int(self.host.attr(op, self.names.attr.predicate)?)?.to_u64()
    }

    /// True if an attribute that lists flags contains this flag.
    fn has_flag(&self, op: H::Op, attr: crate::host::AttrNameId, flag: &str) -> bool {
        let Some(attr) = self.host.attr(op, attr) else { return false };
        let text = self.host.attr_text(attr);
        let flags = text.split_once('<').map_or(text.as_str(), |(_, flags)| flags.trim_end_matches('>'));
        flags.split(',').any(|name| name.trim() == flag)
    }

    fn has_fast_math(&self, op: H::Op, flag: &str) -> bool {
        let name = self.names.attr.fast_math;
        self.has_flag(op, name, flag) || self.has_flag(op, name, "fast")
    }

    /// The poison attribute, if an operand is poison.
    fn poison(&self) -> Option<H::Attr> {
        let mut constants = self.constants.iter().flatten().copied();
        constants.find(|&attr| {
            self.host.attr_kind(attr) == AttrKind::Other && self.host.attr_text(attr) == "#ub.poison"
        })
    }

    fn zero(&mut self) -> Results<H> {
        let ty = self.result_type(0);
        Some(vec![Folded::Attr(constant_int(self.host, 0, ty)?)])
    }

    /// Computes the results if all operands are constants. If an operand is poison, the results are poison.
    fn compute(&mut self) -> Results<H> {
        let name = self.name();
        self.compute_as(&name)
    }

    fn compute_as(&mut self, name: &str) -> Results<H> {
        if let Some(poison) = self.poison() {
            return Some(vec![Folded::Attr(poison); self.host.result_count(self.op) as usize]);
        }
        let args: Vec<H::Attr> = self.constants.iter().copied().collect::<Option<_>>()?;
        let types: Vec<H::Type> = (0..self.host.result_count(self.op)).map(|i| self.result_type(i)).collect();
        let results = compute(self.host, name, 0, &args, &types)?;
        Some(results.into_iter().map(Folded::Attr).collect())
    }

    /// Replaces the only operand.
    pub(super) fn set_operand(&mut self, value: H::Value) -> Results<H> {
        self.host.set_operand(self.op, 0, value);
        Some(Vec::new())
    }
}

fn value<H: Ir>(value: H::Value) -> Results<H> {
    Some(vec![Folded::Value(value)])
}

fn addi<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let (lhs, rhs) = f.operands();
    if integer(f.host, f.constants[1]).is_some_and(|rhs| rhs.is_zero()) {
        return value::<H>(lhs);
    }
    for (sum, other) in [(lhs, rhs), (rhs, lhs)] {
        if let Some(sub) = f.defined_by(sum, f.names.subi)
            && f.host.operand(sub, 1) == other
        {
            return value::<H>(f.host.operand(sub, 0));
        }
    }
    f.compute()
}

fn addui_extended<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    if integer(f.host, f.constants[1]).is_some_and(|rhs| rhs.is_zero()) {
        let ty = f.result_type(1);
        let carry = constant_int(f.host, 0, ty)?;
        return Some(vec![Folded::Value(f.operand(0)), Folded::Attr(carry)]);
    }
    // MLIR does not fold this operation if an operand is poison.
    if f.poison().is_some() { None } else { f.compute() }
}

fn subi<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let (lhs, rhs) = f.operands();
    if lhs == rhs
        && let Some(zero) = f.zero()
    {
        return Some(zero);
    }
    if integer(f.host, f.constants[1]).is_some_and(|rhs| rhs.is_zero()) {
        return value::<H>(lhs);
    }
    if let Some(other) = f.defined_by(lhs, f.names.addi).and_then(|add| f.other_operand(add, rhs)) {
        return value::<H>(other);
    }
    f.compute()
}

fn muli<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let (lhs, rhs) = f.operands();
    match integer(f.host, f.constants[1]) {
        Some(constant) if constant.is_zero() => value::<H>(rhs),
        Some(constant) if constant.is_one() => value::<H>(lhs),
        _ => f.compute(),
    }
}

fn multiply_extended<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let name = f.name();
    if let (Some(rhs), Some(attr)) = (integer(f.host, f.constants[1]), f.constants[1]) {
        if rhs.is_zero() {
            return Some(vec![Folded::Attr(attr); 2]);
        }
        if rhs.is_one() && name == "mului_extended" {
            let ty = f.result_type(1);
            return Some(vec![Folded::Value(f.operand(0)), Folded::Attr(constant_int(f.host, 0, ty)?)]);
        }
    }
    f.compute_as(&name)
}

fn divide<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let (lhs, rhs) = f.operands();
    let name = f.name();
    if integer(f.host, f.constants[1]).is_some_and(|rhs| rhs.is_one()) {
        return value::<H>(lhs);
    }
    let flag = match name.as_str() {
        "divui" => Some("nuw"),
        "divsi" => Some("nsw"),
        _ => None,
    };
    // (a * b) / b is a.
    if let Some(flag) = flag
        && let Some(product) = f.defined_by(lhs, f.names.muli)
        && f.has_flag(product, f.names.attr.overflow, flag)
        && let Some(other) = f.other_operand(product, rhs)
    {
        return value::<H>(other);
    }
    // MLIR negates the operands of this division. The negation of the smallest signed number overflows, so the division
    // folds only if the dividend is 0 or if neither operand is this number.
    if name == "ceildivsi"
        && let (Some(a), Some(b)) = (f.constants[0], f.constants[1])
    {
        elements::map(f.host, &[a, b], |numbers| match numbers {
            [Scalar::Int(a), Scalar::Int(b)] => {
                (a.is_zero() || !a.is_min_signed() && !b.is_min_signed()).then(Vec::new)
            }
            _ => None,
        })?;
    }
    f.compute_as(&name)
}

fn remainder<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    if integer(f.host, f.constants[1]).is_some_and(|rhs| rhs.is_one()) {
        return f.zero();
    }
    f.compute()
}

/// If `complement` is `xori(of, c)` and all bits of the constant `c` are ones, returns `c`.
fn complement<H: Facets + Blocks>(f: &Fold<'_, H>, of: H::Value, complement: H::Value) -> Option<H::Value> {
    let xor = f.defined_by(complement, f.names.xori)?;
    let ones = f.host.operand(xor, 1);
    let is_ones = integer(f.host, f.constant(ones)).is_some_and(|value| value.is_all_ones());
    (f.host.operand(xor, 0) == of && is_ones).then_some(ones)
}

fn andi<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let (lhs, rhs) = f.operands();
    match integer(f.host, f.constants[1]) {
        Some(constant) if constant.is_zero() => return value::<H>(rhs),
        Some(constant) if constant.is_all_ones() => return value::<H>(lhs),
        _ => {}
    }
    if complement(f, lhs, rhs).or_else(|| complement(f, rhs, lhs)).is_some() {
        return f.zero();
    }
    for (inner, other) in [(lhs, rhs), (rhs, lhs)] {
        if let Some(and) = f.defined_by(inner, f.names.andi)
            && (f.host.operand(and, 0) == other || f.host.operand(and, 1) == other)
        {
            return value::<H>(inner);
        }
    }
    f.compute()
}

fn ori<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let (lhs, rhs) = f.operands();
    if let (Some(constant), Some(attr)) = (integer(f.host, f.constants[1]), f.constants[1]) {
        if constant.is_zero() {
            return value::<H>(lhs);
        }
        if constant.is_all_ones() {
            return Some(vec![Folded::Attr(attr)]);
        }
    }
    if let Some(ones) = complement(f, lhs, rhs).or_else(|| complement(f, rhs, lhs)) {
        return value::<H>(ones);
    }
    f.compute()
}

fn xori<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let (lhs, rhs) = f.operands();
    if integer(f.host, f.constants[1]).is_some_and(|rhs| rhs.is_zero()) {
        return value::<H>(lhs);
    }
    if lhs == rhs
        && let Some(zero) = f.zero()
    {
        return Some(zero);
    }
    for (inner, other) in [(lhs, rhs), (rhs, lhs)] {
        if let Some(other) = f.defined_by(inner, f.names.xori).and_then(|xor| f.other_operand(xor, other)) {
            return value::<H>(other);
        }
    }
    f.compute()
}

fn extreme_int<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let (lhs, rhs) = f.operands();
    if lhs == rhs {
        return value::<H>(rhs);
    }
    let name = f.name();
    if let Some(constant) = integer(f.host, f.constants[1]) {
        let least = if name.ends_with("si") { constant.is_min_signed() } else { constant.is_zero() };
        let largest = if name.ends_with("si") { constant.is_max_signed() } else { constant.is_all_ones() };
        let (absorbs, is_neutral) = if name.starts_with("max") { (largest, least) } else { (least, largest) };
        if absorbs {
            return value::<H>(rhs);
        }
        if is_neutral {
            return value::<H>(lhs);
        }
    }
    f.compute_as(&name)
}

fn shift<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    if integer(f.host, f.constants[1]).is_some_and(|rhs| rhs.is_zero()) {
        return value::<H>(f.operand(0));
    }
    if let Some(poison) = f.poison() {
        return Some(vec![Folded::Attr(poison)]);
    }
    let (name, ty) = (f.name(), f.result_type(0));
    let to = element(f.host, ty)?;
    let mut is_bounded = false;
    let mut results = elements::map(f.host, &[f.constants[0]?, f.constants[1]?], |numbers| {
        let mut results = apply(&name, Flags::default(), numbers, &[to]).ok()?;
        is_bounded = !results.contains(&Scalar::Poison);
        if let ([Scalar::Int(a), _], false) = (numbers, is_bounded) {
            let is_copied = name == "shrsi" && a.is_negative();
            let bits = if is_copied { ApInt::all_ones(a.width()) } else { ApInt::zero(a.width()) };
            results = vec![Scalar::Int(bits)];
        }
        Some(results)
    })?;
    let elements = results.pop().filter(|_| is_bounded)?;
    Some(vec![Folded::Attr(elements::make(f.host, elements, ty)?)])
}

fn negf<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    if let Some(inner) = f.defined_by(f.operand(0), f.names.negf) {
        return value::<H>(f.host.operand(inner, 0));
    }
    f.compute()
}

fn float_identity<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let (lhs, rhs) = f.operands();
    let name = f.name();
    if let Some(constant) = float(f.host, f.constants[1]) {
        let is_neutral = match name.as_str() {
            "addf" => constant.is_zero() && constant.is_negative(),
            "subf" => constant.is_zero() && !constant.is_negative(),
            "mulf" | "divf" => constant.is_one(),
            _ => false,
        };
        if is_neutral {
            return value::<H>(lhs);
        }
        if name == "mulf"
            && constant.is_zero()
            && f.has_fast_math(f.op, "nnan")
            && f.has_fast_math(f.op, "nsz")
        {
            return value::<H>(rhs);
        }
    }
    f.compute_as(&name)
}

fn extreme_float<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let (lhs, rhs) = f.operands();
    if lhs == rhs {
        return value::<H>(rhs);
    }
    let name = f.name();
    let is_neutral = |x: ApFloat| match name.as_str() {
        "maximumf" => x.is_infinite() && x.is_negative(),
        "minimumf" => x.is_infinite() && !x.is_negative(),
        _ => x.is_nan(),
    };
    if float(f.host, f.constants[1]).is_some_and(is_neutral) {
        return value::<H>(lhs);
    }
    f.compute_as(&name)
}

fn extend<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    if let Some(inner) = f.defined_by(f.operand(0), f.host.op_name(f.op)) {
        let from = f.host.operand(inner, 0);
        return f.set_operand(from);
    }
    f.compute()
}

/// Computes a conversion of floats, if it is exact.
fn convert_exactly<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    if let Some(poison) = f.poison() {
        return Some(vec![Folded::Attr(poison)]);
    }
    let ty = f.result_type(0);
    let Element::Float(format) = element(f.host, ty)? else { return None };
    let mut results = elements::map(f.host, &[f.constants[0]?], |numbers| {
        let [Scalar::Float(from)] = numbers else { return None };
        from.is_exact_in(format).then(|| vec![Scalar::Float(from.convert(format))])
    })?;
    Some(vec![Folded::Attr(elements::make(f.host, results.pop()?, ty)?)])
}

fn extf<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    if let Some(inner) = f.defined_by(f.operand(0), f.names.truncf) {
        let from = f.host.operand(inner, 0);
        if f.host.value_type(from) == f.result_type(0)
            && f.has_fast_math(inner, "contract")
            && f.has_fast_math(f.op, "contract")
        {
            return value::<H>(from);
        }
    }
    convert_exactly(f)
}

fn trunci<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let operand = f.operand(0);
    let extension = f.defined_by(operand, f.names.extui).or_else(|| f.defined_by(operand, f.names.extsi));
    if let Some(extension) = extension {
        let from = f.host.operand(extension, 0);
        let (from_type, to_type) = (f.host.value_type(from), f.result_type(0));
        if let (Some(Element::Int(source)), Some(Element::Int(target))) =
            (element(f.host, from_type), element(f.host, to_type))
        {
            if source > target {
                return f.set_operand(from);
            }
            if source == target {
                return value::<H>(from);
            }
        }
    }
    if let Some(inner) = f.defined_by(operand, f.names.trunci) {
        let from = f.host.operand(inner, 0);
        return f.set_operand(from);
    }
    f.compute()
}

fn truncf<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    if let Some(extension) = f.defined_by(f.operand(0), f.names.extf) {
        let from = f.host.operand(extension, 0);
        let (from_type, to_type) = (f.host.value_type(from), f.result_type(0));
        let between = f.host.value_type(f.operand(0));
        if let (Some(Element::Float(source)), Some(Element::Float(middle)), Some(Element::Float(target))) =
            (element(f.host, from_type), element(f.host, between), element(f.host, to_type))
            && source.is_representable_in(middle)
        {
            if source.width() > target.width() {
                return f.set_operand(from);
            }
            if source == target {
                return value::<H>(from);
            }
        }
    }
    convert_exactly(f)
}

fn cast<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    f.compute()
}

fn bitcast<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    if f.constants[0].is_none() && f.host.value_type(f.operand(0)) == f.result_type(0) {
        return value::<H>(f.operand(0));
    }
    if let Some(poison) = f.poison() {
        return Some(vec![Folded::Attr(poison)]);
    }
    let ty = f.result_type(0);
    let to = element(f.host, ty)?;
    let mut results = elements::map(f.host, &[f.constants[0]?], |numbers| {
        let bits = match numbers {
            [Scalar::Int(value)] => u128::try_from(value.to_biguint()).ok()?,
            [Scalar::Float(value)] => value.to_bits(),
            _ => return None,
        };
        Some(vec![match to {
            Element::Int(width) => Scalar::Int(ApInt::from_biguint(width, &bits.into())),
            Element::Float(format) => Scalar::Float(ApFloat::from_bits(format, bits)),
        }])
    })?;
    Some(vec![Folded::Attr(elements::make(f.host, results.pop()?, ty)?)])
}

/// For each predicate, the equivalent predicate for exchanged operands: eq, ne, sgt, sge, slt, sle, ugt, uge, ult, ule.
const EXCHANGED: [u64; 10] = [0, 1, 4, 5, 2, 3, 8, 9, 6, 7];
/// The predicates that hold for equal operands.
const REFLEXIVE: [bool; 10] = [true, false, false, true, false, true, false, true, false, true];

fn cmpi<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let (lhs, rhs) = f.operands();
    let predicate = f.predicate(f.op)?;
    let index = usize::try_from(predicate).ok().filter(|&index| index < EXCHANGED.len())?;
    let ty = f.result_type(0);
    if lhs == rhs {
        let holds = constant_int(f.host, -i64::from(REFLEXIVE[index]), ty)?;
        return Some(vec![Folded::Attr(holds)]);
    }
    let is_bit =
        |f: &Fold<'_, H>, value: H::Value| element(f.host, f.host.value_type(value)) == Some(Element::Int(1));
    if let Some(constant) = integer(f.host, f.constants[1]) {
        let (is_eq, is_ne) = (predicate == 0, predicate == 1);
        if constant.is_zero() && is_ne {
            let extension = f.defined_by(lhs, f.names.extsi).or_else(|| f.defined_by(lhs, f.names.extui));
            if let Some(from) = extension.map(|op| f.host.operand(op, 0))
                && is_bit(f, from)
            {
                return value::<H>(from);
            }
        }
        if is_bit(f, lhs) && (constant.is_zero() && is_ne || constant.is_one() && is_eq) {
            return value::<H>(lhs);
        }
    }
    if f.constants[0].is_some() && f.constants[1].is_none() {
        let attr = f.host.attr(f.op, f.names.attr.predicate)?;
        let number = ApInt::from_u64(f.host.attr_int(attr)?.width(), EXCHANGED[index]);
        let attr_type = f.host.attr_type(attr)?;
        let attr = f.host.make_attr(&crate::host::AttrSpec::Integer(number, attr_type))?;
        crate::rewrite::segments::set_attributes(f.host, f.op, &[(f.names.attr.predicate, attr)]);
        f.host.set_operands(f.op, &[rhs, lhs]);
        return Some(Vec::new());
    }
    let args = [f.constants[0]?, f.constants[1]?];
    let results = compute(f.host, "cmpi", predicate, &args, &[ty])?;
    Some(results.into_iter().map(Folded::Attr).collect())
}

fn cmpf<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let predicate = f.predicate(f.op)?;
    let scalar = |attr: Option<H::Attr>| attr.filter(|&attr| f.host.attr_kind(attr) == AttrKind::Float);
    let (mut lhs, mut rhs) = (scalar(f.constants[0]), scalar(f.constants[1]));
    // A comparison with NaN does not depend on the other operand.
    let nan =
        [lhs, rhs].into_iter().flatten().find(|&attr| f.host.attr_float(attr).is_some_and(ApFloat::is_nan));
    if nan.is_some() {
        (lhs, rhs) = (nan, nan);
    }
    let ty = f.result_type(0);
    let results = compute(f.host, "cmpf", predicate, &[lhs?, rhs?], &[ty])?;
    Some(results.into_iter().map(Folded::Attr).collect())
}

fn select<H: Facets + Blocks>(f: &mut Fold<'_, H>) -> Results<H> {
    let (condition, (yes, no)) = (f.operand(0), (f.operand(1), f.operand(2)));
    if yes == no {
        return value::<H>(yes);
    }
    match integer(f.host, f.constants[0]) {
        Some(constant) if constant.is_one() => return value::<H>(yes),
        Some(constant) if constant.is_zero() => return value::<H>(no),
        _ => {}
    }
    let is_poison = |f: &Fold<'_, H>, index: usize| {
        f.constants[index].is_some_and(|attr| {
            f.host.attr_kind(attr) == AttrKind::Other && f.host.attr_text(attr) == "#ub.poison"
        })
    };
    if is_poison(f, 1) {
        return value::<H>(no);
    }
    if is_poison(f, 2) {
        return value::<H>(yes);
    }
    let ty = f.result_type(0);
    let (is_shaped, numbers) = (element_type(f.host, ty).1, [1, 2].map(|i| integer(f.host, f.constants[i])));
    if !is_shaped
        && element(f.host, ty) == Some(Element::Int(1))
        && let [Some(a), Some(b)] = &numbers
        && a.is_one()
        && b.is_zero()
    {
        return value::<H>(condition);
    }
    if let Some(compare) = f.defined_by(condition, f.names.cmpi)
        && let Some(predicate @ (0 | 1)) = f.predicate(compare)
    {
        let (a, b) = (f.host.operand(compare, 0), f.host.operand(compare, 1));
        if (a, b) == (yes, no) || (b, a) == (yes, no) {
            return value::<H>(if predicate == 1 { yes } else { no });
        }
    }
    let dense = |attr: H::Attr| matches!(f.host.attr_kind(attr), AttrKind::DenseElements { .. });
    let args: Vec<H::Attr> = f.constants.iter().copied().collect::<Option<_>>()?;
    if !args.iter().all(|&attr| dense(attr)) {
        return None;
    }
    let mut results = elements::map(f.host, &args, |numbers| match numbers {
        [Scalar::Int(condition), yes, no] => Some(vec![if condition.is_zero() { *no } else { *yes }.clone()]),
        _ => None,
    })?;
    let result: Elements = results.pop()?;
    Some(vec![Folded::Attr(elements::make(f.host, result, ty)?)])
}
