//! Symbolic bit vectors: terms that are stored once and simplified when they are created.
//!
//! Specification: for all values of its variables, a term has the value of the operation that created it.
//!
//! Sums and products are polynomials whose coefficients have the width of the term, so terms that are equal by the laws
//! of a commutative ring are one term, unless a product is too long to be expanded. Conjunctions and exclusive
//! disjunctions are sorted lists without repetitions. Terms with the same operation, operands and width have the same
//! id.
//!
//! A table [for any width](Terms::for_any_width) records if a step depends on the width; `generic.rs` explains the
//! proof.

use hashbrown::HashMap;

use crate::id::{IdVec, define_ids};
use crate::number::ApInt;
use crate::semantics::{Bits, Concrete};
use crate::stack::with_room;

define_ids! {
    /// A term of a [`Terms`] table. A term refers only to terms with smaller ids.
    pub(crate) struct TermId;
    /// A variable of a [`Terms`] table.
    pub(crate) struct VarId;
}

/// The maximum number of products in the expansion of a product of sums.
const MAX_PRODUCTS: usize = 12;

/// The operation that computes a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    Const(ApInt),
    Var(VarId),
    /// The sum of a constant and of terms with coefficients, sorted by term. No coefficient is zero.
    Sum(ApInt, Vec<(TermId, ApInt)>),
    /// The product of at least two sorted factors, none of which is a constant or a product. A sum is a factor only if
    /// the expanded product would be too long.
    Product(Vec<TermId>),
    Udiv(TermId, TermId),
    Urem(TermId, TermId),
    /// The conjunction of a constant and of sorted terms without repetitions.
    And(ApInt, Vec<TermId>),
    /// The exclusive disjunction of a constant and of sorted terms without repetitions.
    Xor(ApInt, Vec<TermId>),
    Shl(TermId, TermId),
    Lshr(TermId, TermId),
    Ashr(TermId, TermId),
    Eq(TermId, TermId),
    Ult(TermId, TermId),
    Select(TermId, TermId, TermId),
    Zext(TermId),
    Sext(TermId),
    /// The low bits of a term.
    Trunc(TermId),
}

impl Term {
    /// Visits the operands.
    pub(crate) fn for_each_operand(&self, mut visit: impl FnMut(TermId)) {
        match self {
            Term::Const(_) | Term::Var(_) => {}
            Term::Sum(_, terms) => terms.iter().for_each(|(term, _)| visit(*term)),
            Term::Product(terms) | Term::And(_, terms) | Term::Xor(_, terms) => {
                terms.iter().copied().for_each(visit);
            }
            Term::Udiv(a, b)
            | Term::Urem(a, b)
            | Term::Shl(a, b)
            | Term::Lshr(a, b)
            | Term::Ashr(a, b)
            | Term::Eq(a, b)
            | Term::Ult(a, b) => {
                visit(*a);
                visit(*b);
            }
            Term::Select(a, b, c) => {
                visit(*a);
                visit(*b);
                visit(*c);
            }
            Term::Zext(a) | Term::Sext(a) | Term::Trunc(a) => visit(*a),
        }
    }
}

/// Terms and variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    terms: IdVec<TermId, (Term, u32)>,
    ids: HashMap<(Term, u32), TermId>,
    vars: IdVec<VarId, u32>,
    generic: Option<Generic>,
}

/// The state of a table in which one width stands for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Generic {
    /// Every step so far is valid for all widths.
    Holds,
    /// A step depends on the width.
    Fails,
}

/// The number of low bits that can have any values in a constant that stands for all widths. All higher bits except the
/// sign are equal.
const GENERIC_BITS: u32 = 6;

impl Terms {
    /// Returns a table in which one width stands for every width *w* from [`Terms::LEAST_GENERIC`] on: a term of
    /// [`Terms::ANY_WIDTH`] bits stands for a term of *w* bits, and a term of twice as many bits stands for a term of
    /// 2*w* bits.
    pub(crate) fn for_any_width() -> Self {
        Self { generic: Some(Generic::Holds), ..Self::default() }
    }

    /// The width that stands for all widths. It is a prime number, so that rules are unlikely to mention it. If a rule
    /// mentions it, [`Self::depends_on`] records that.
    pub(crate) const ANY_WIDTH: u32 = 1031;

    /// The smallest width that the generic width stands for. It has room for the low bits of constants, one bit that
    /// stands for the middle bits, and the sign.
    pub(crate) const LEAST_GENERIC: u32 = GENERIC_BITS + 2;

    /// True if every step that created a term is valid for all widths.
    pub(crate) fn holds_for_any_width(&self) -> bool {
        self.generic == Some(Generic::Holds)
    }

    /// True if `width` stands for all widths, or for the doubles of all widths.
    pub(crate) fn is_generic(&self, width: u32) -> bool {
        self.generic.is_some() && (width == Self::ANY_WIDTH || width == 2 * Self::ANY_WIDTH)
    }

    /// Records that a step depends on a width.
    pub(crate) fn depends_on(&mut self, width: u32) {
        if self.is_generic(width) {
            self.generic = Some(Generic::Fails);
        }
    }

    /// Records that a constant depends on the width, unless all bits between the low bits and the sign are equal.
    fn note_constant(&mut self, value: &ApInt) {
        let width = value.width();
        if self.is_generic(width) {
            let middle = value.lshr(GENERIC_BITS.into()).zext_or_trunc(width - 1 - GENERIC_BITS);
            if !middle.is_zero() && !middle.is_all_ones() {
                self.depends_on(width);
            }
        }
    }

    /// Records that a conversion depends on the width, unless it is the same for all widths: a conversion between two
    /// generic widths, between two other widths, from one bit, or to one bit. A conversion of a constant to a generic
    /// width is checked when the resulting constant is interned.
    fn note_conversion(&mut self, from: TermId, to: u32) {
        let width = self.width_of(from);
        let alike = self.is_generic(width) == self.is_generic(to) || width == 1 || to == 1;
        let constant = self.is_generic(to) && self.value(from).is_some();
        if !alike && !constant {
            self.depends_on(width);
            self.depends_on(to);
        }
    }

    /// Creates a variable.
    pub(crate) fn var(&mut self, width: u32) -> TermId {
        let var = self.vars.push(width);
        self.intern(Term::Var(var), width)
    }

    /// The term with this id.
    pub(crate) fn get(&self, id: TermId) -> &Term {
        &self.terms[id].0
    }

    /// The width of a term.
    pub(crate) fn width_of(&self, id: TermId) -> u32 {
        self.terms[id].1
    }

    /// The ids of all terms.
    pub(crate) fn ids(&self) -> impl ExactSizeIterator<Item = TermId> + use<> {
        self.terms.ids()
    }

    /// The number of variables.
    pub(crate) fn vars(&self) -> usize {
        self.vars.len()
    }

    /// The variables with their widths.
    pub(crate) fn var_widths(&self) -> impl Iterator<Item = (VarId, u32)> + '_ {
        self.vars.iter_enumerated().map(|(id, width)| (id, *width))
    }

    /// The value, if the term is a constant.
    pub(crate) fn value(&self, id: TermId) -> Option<&ApInt> {
        if let Term::Const(value) = self.get(id) { Some(value) } else { None }
    }

    /// The truth value, if the term is a constant of one bit.
    pub(crate) fn truth(&self, id: TermId) -> Option<bool> {
        self.value(id).map(|value| !value.is_zero())
    }

    fn intern(&mut self, term: Term, width: u32) -> TermId {
        let key = (term, width);
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        if self.is_generic(width) {
            match &key.0 {
                Term::Const(value) | Term::And(value, _) | Term::Xor(value, _) => self.note_constant(value),
                Term::Sum(value, parts) => {
                    self.note_constant(value);
                    parts.iter().for_each(|(_, coefficient)| self.note_constant(coefficient));
                }
                _ => {}
            }
        }
        let id = self.terms.push(key.clone());
        self.ids.insert(key, id);
        id
    }

    /// The parts of a term as a sum: the constant, and the terms with their coefficients.
    fn parts(&self, id: TermId) -> (ApInt, Vec<(TermId, ApInt)>) {
        let width = self.width_of(id);
        match self.get(id) {
            Term::Const(value) => (value.clone(), Vec::new()),
            Term::Sum(constant, terms) => (constant.clone(), terms.clone()),
            _ => (ApInt::zero(width), vec![(id, ApInt::one(width))]),
        }
    }

    fn sum(&mut self, width: u32, constant: ApInt, mut terms: Vec<(TermId, ApInt)>) -> TermId {
        terms.sort_unstable_by_key(|(term, _)| *term);
        let mut merged: Vec<(TermId, ApInt)> = Vec::with_capacity(terms.len());
        for (term, coefficient) in terms {
            match merged.last_mut() {
                Some((last, sum)) if *last == term => *sum = sum.wrapping_add(&coefficient),
                _ => merged.push((term, coefficient)),
            }
        }
        merged.retain(|(_, coefficient)| !coefficient.is_zero());
        match &merged[..] {
            [] => self.intern(Term::Const(constant), width),
            [(term, coefficient)] if constant.is_zero() && coefficient.is_one() => *term,
            _ => self.intern(Term::Sum(constant, merged), width),
        }
    }

    /// Multiplies two terms that are not constants, without expanding sums.
    fn product(&mut self, a: TermId, b: TermId) -> TermId {
        let factors = |id: TermId| match self.get(id) {
            Term::Product(factors) => factors.clone(),
            _ => vec![id],
        };
        let mut all = factors(a);
        all.extend(factors(b));
        all.sort_unstable();
        self.intern(Term::Product(all), self.width_of(a))
    }

    /// Collects the operands of an associative operation on two terms: the combined constants, and the other terms,
    /// sorted. `operands` returns the operands of a term that is the same operation, and `None` for other terms.
    fn flattened(
        &self,
        terms: [TermId; 2],
        neutral: ApInt,
        combine: impl Fn(&ApInt, &ApInt) -> ApInt,
        operands: impl Fn(&Term) -> Option<(ApInt, Vec<TermId>)>,
    ) -> (ApInt, Vec<TermId>) {
        let (mut constant, mut all) = (neutral, Vec::new());
        for id in terms {
            let term = self.get(id);
            if let Term::Const(value) = term {
                constant = combine(&constant, value);
            } else if let Some((value, more)) = operands(term) {
                constant = combine(&constant, &value);
                all.extend(more);
            } else {
                all.push(id);
            }
        }
        all.sort_unstable();
        (constant, all)
    }

    /// The value of a term under an assignment of values to variables.
    pub(crate) fn evaluate(&self, id: TermId, values: &IdVec<VarId, ApInt>) -> ApInt {
        // Terms refer only to earlier terms, so one pass computes all of them.
        let mut known: HashMap<TermId, ApInt> = HashMap::new();
        for at in self.reachable(&[id]) {
            let value = self.evaluate_one(at, values, |operand| &known[&operand]);
            known.insert(at, value);
        }
        known.remove(&id).expect("the term is reachable from itself")
    }

    /// The values of all terms under an assignment of values to variables.
    pub(crate) fn evaluate_all(&self, values: &IdVec<VarId, ApInt>) -> IdVec<TermId, ApInt> {
        let mut known: IdVec<TermId, ApInt> = IdVec::default();
        for id in self.ids() {
            let value = self.evaluate_one(id, values, |operand| &known[operand]);
            known.push(value);
        }
        known
    }

    fn evaluate_one<'k>(
        &self,
        id: TermId,
        values: &IdVec<VarId, ApInt>,
        known: impl Fn(TermId) -> &'k ApInt,
    ) -> ApInt {
        let mut d = Concrete;
        let width = self.width_of(id);
        let get = |id: &TermId| known(*id);
        match self.get(id) {
            Term::Const(value) => value.clone(),
            Term::Var(var) => values[*var].clone(),
            Term::Sum(constant, terms) => terms.iter().fold(constant.clone(), |sum, (term, coefficient)| {
                sum.wrapping_add(&get(term).wrapping_mul(coefficient))
            }),
            Term::Product(factors) => {
                factors.iter().fold(ApInt::one(width), |product, factor| product.wrapping_mul(get(factor)))
            }
            Term::Udiv(a, b) => d.udiv(get(a), get(b)),
            Term::Urem(a, b) => d.urem(get(a), get(b)),
            Term::And(constant, terms) => terms.iter().fold(constant.clone(), |all, term| all.and(get(term))),
            Term::Xor(constant, terms) => terms.iter().fold(constant.clone(), |all, term| all.xor(get(term))),
            Term::Shl(a, b) => d.shl(get(a), get(b)),
            Term::Lshr(a, b) => d.lshr(get(a), get(b)),
            Term::Ashr(a, b) => d.ashr(get(a), get(b)),
            Term::Eq(a, b) => d.eq(get(a), get(b)),
            Term::Ult(a, b) => d.ult(get(a), get(b)),
            Term::Select(c, a, b) => d.select(get(c), get(a), get(b)),
            Term::Sext(a) => get(a).sext_or_trunc(width),
            Term::Zext(a) | Term::Trunc(a) => get(a).zext_or_trunc(width),
        }
    }

    /// The given terms and their direct and indirect operands. Operands precede the terms that use them.
    pub(crate) fn reachable(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen: hashbrown::HashSet<TermId> = roots.iter().copied().collect();
        let mut todo: Vec<TermId> = roots.to_vec();
        while let Some(id) = todo.pop() {
            self.get(id).for_each_operand(|operand| {
                if seen.insert(operand) {
                    todo.push(operand);
                }
            });
        }
        let mut all: Vec<TermId> = seen.into_iter().collect();
        all.sort_unstable();
        all
    }

    /// The operand, if the term is the complement of another term.
    pub(crate) fn complemented(&self, id: TermId) -> Option<TermId> {
        match self.get(id) {
            Term::Xor(constant, terms) if constant.is_all_ones() && terms.len() == 1 => Some(terms[0]),
            _ => None,
        }
    }

    fn fold2(
        &mut self,
        a: TermId,
        b: TermId,
        compute: impl FnOnce(&mut Concrete, &ApInt, &ApInt) -> ApInt,
    ) -> Option<TermId> {
        let value = compute(&mut Concrete, self.value(a)?, self.value(b)?);
        Some(self.constant(value))
    }

    /// Folds a division or a shift of constants. The result can depend on the width, unlike the result of a sum.
    fn fold_by_width(
        &mut self,
        a: TermId,
        b: TermId,
        compute: impl FnOnce(&mut Concrete, &ApInt, &ApInt) -> ApInt,
    ) -> Option<TermId> {
        let folded = self.fold2(a, b, compute)?;
        self.depends_on(self.width_of(a));
        Some(folded)
    }
}

impl Bits for Terms {
    type Value = TermId;

    fn width(&self, a: &TermId) -> u32 {
        self.width_of(*a)
    }

    fn constant(&mut self, value: ApInt) -> TermId {
        let width = value.width();
        self.intern(Term::Const(value), width)
    }

    fn add(&mut self, a: &TermId, b: &TermId) -> TermId {
        if self.width_of(*a) == 1 {
            return self.xor(a, b);
        }
        let ((x, mut terms), (y, more)) = (self.parts(*a), self.parts(*b));
        terms.extend(more);
        self.sum(self.width_of(*a), x.wrapping_add(&y), terms)
    }

    fn sub(&mut self, a: &TermId, b: &TermId) -> TermId {
        if self.width_of(*a) == 1 {
            return self.xor(a, b);
        }
        let ((x, mut terms), (y, more)) = (self.parts(*a), self.parts(*b));
        terms.extend(more.into_iter().map(|(term, coefficient)| (term, coefficient.wrapping_neg())));
        self.sum(self.width_of(*a), x.wrapping_sub(&y), terms)
    }

    fn mul(&mut self, a: &TermId, b: &TermId) -> TermId {
        let width = self.width_of(*a);
        if width == 1 {
            return self.and(a, b);
        }
        let ((x, xs), (y, ys)) = (self.parts(*a), self.parts(*b));
        if xs.len() * ys.len() > MAX_PRODUCTS {
            return self.product(*a, *b);
        }
        let mut terms = Vec::new();
        terms.extend(xs.iter().map(|(term, c)| (*term, c.wrapping_mul(&y))));
        terms.extend(ys.iter().map(|(term, c)| (*term, c.wrapping_mul(&x))));
        for (one, c) in &xs {
            for (other, k) in &ys {
                terms.push((self.product(*one, *other), c.wrapping_mul(k)));
            }
        }
        self.sum(width, x.wrapping_mul(&y), terms)
    }

    fn udiv(&mut self, a: &TermId, b: &TermId) -> TermId {
        if let Some(folded) = self.fold_by_width(*a, *b, |d, a, b| d.udiv(a, b)) {
            return folded;
        }
        if self.value(*b).is_some_and(ApInt::is_one) {
            return *a;
        }
        if a == b {
            let width = self.width_of(*a);
            let (by_zero, zero) = (self.constant(ApInt::all_ones(width)), self.is_zero(a));
            let one = self.constant(ApInt::one(width));
            return self.select(&zero, &by_zero, &one);
        }
        self.intern(Term::Udiv(*a, *b), self.width_of(*a))
    }

    fn urem(&mut self, a: &TermId, b: &TermId) -> TermId {
        if let Some(folded) = self.fold_by_width(*a, *b, |d, a, b| d.urem(a, b)) {
            return folded;
        }
        let width = self.width_of(*a);
        if a == b || self.value(*b).is_some_and(ApInt::is_one) {
            return self.constant(ApInt::zero(width));
        }
        self.intern(Term::Urem(*a, *b), width)
    }

    fn and(&mut self, a: &TermId, b: &TermId) -> TermId {
        let width = self.width_of(*a);
        let operands = |term: &Term| match term {
            Term::And(constant, terms) => Some((constant.clone(), terms.clone())),
            _ => None,
        };
        let (constant, mut terms) = self.flattened([*a, *b], ApInt::all_ones(width), ApInt::and, operands);
        terms.dedup();
        let contradiction =
            terms.iter().any(|&id| self.complemented(id).is_some_and(|x| terms.binary_search(&x).is_ok()));
        if constant.is_zero() || contradiction {
            return self.constant(ApInt::zero(width));
        }
        match &terms[..] {
            [] => self.constant(constant),
            [one] if constant.is_all_ones() => *one,
            _ => self.intern(Term::And(constant, terms), width),
        }
    }

    fn xor(&mut self, a: &TermId, b: &TermId) -> TermId {
        let width = self.width_of(*a);
        let operands = |term: &Term| match term {
            Term::Xor(constant, terms) => Some((constant.clone(), terms.clone())),
            _ => None,
        };
        let (constant, terms) = self.flattened([*a, *b], ApInt::zero(width), ApInt::xor, operands);
        // A term that occurs twice cancels.
        let mut odd: Vec<TermId> = Vec::with_capacity(terms.len());
        for term in terms {
            if odd.last() == Some(&term) {
                odd.pop();
            } else {
                odd.push(term);
            }
        }
        match &odd[..] {
            [] => self.constant(constant),
            [one] if constant.is_zero() => *one,
            _ => self.intern(Term::Xor(constant, odd), width),
        }
    }

    fn shl(&mut self, a: &TermId, by: &TermId) -> TermId {
        if let Some(folded) = self.fold_by_width(*a, *by, |d, a, b| d.shl(a, b)) {
            return folded;
        }
        let width = self.width_of(*a);
        if let Some(by) = self.value(*by) {
            // A shift by a constant is a product, so that it takes part in sums.
            let factor = Concrete.shl(&ApInt::one(width), &by.clone());
            let factor = self.constant(factor);
            return self.mul(a, &factor);
        }
        if self.value(*a).is_some_and(ApInt::is_zero) {
            return *a;
        }
        self.intern(Term::Shl(*a, *by), width)
    }

    fn lshr(&mut self, a: &TermId, by: &TermId) -> TermId {
        if let Some(folded) = self.fold_by_width(*a, *by, |d, a, b| d.lshr(a, b)) {
            return folded;
        }
        if self.value(*by).is_some_and(ApInt::is_zero) || self.value(*a).is_some_and(ApInt::is_zero) {
            return *a;
        }
        self.intern(Term::Lshr(*a, *by), self.width_of(*a))
    }

    fn ashr(&mut self, a: &TermId, by: &TermId) -> TermId {
        if let Some(folded) = self.fold_by_width(*a, *by, |d, a, b| d.ashr(a, b)) {
            return folded;
        }
        if self.value(*by).is_some_and(ApInt::is_zero) || self.width_of(*a) == 1 {
            return *a;
        }
        self.intern(Term::Ashr(*a, *by), self.width_of(*a))
    }

    fn eq(&mut self, a: &TermId, b: &TermId) -> TermId {
        if a == b {
            return self.boolean(true);
        }
        let difference = self.sub(a, b);
        if let Some(value) = self.value(difference) {
            let equal = value.is_zero();
            return self.boolean(equal);
        }
        if self.width_of(*a) == 1 {
            let differ = self.xor(a, b);
            return self.not(&differ);
        }
        let (a, b) = self.balanced(difference);
        match (self.get(a), self.get(b)) {
            (Term::Zext(x), Term::Zext(y)) | (Term::Sext(x), Term::Sext(y))
                if self.width_of(*x) == self.width_of(*y) =>
            {
                let (x, y) = (*x, *y);
                return self.eq(&x, &y);
            }
            (&Term::Zext(x), Term::Const(value)) | (Term::Const(value), &Term::Zext(x)) => {
                let value = value.clone();
                return self.extension_is(x, &value, ApInt::zext_or_trunc);
            }
            (&Term::Sext(x), Term::Const(value)) | (Term::Const(value), &Term::Sext(x)) => {
                let value = value.clone();
                return self.extension_is(x, &value, ApInt::sext_or_trunc);
            }
            _ => {}
        }
        let (first, second) = if a < b { (a, b) } else { (b, a) };
        self.intern(Term::Eq(first, second), 1)
    }

    fn ult(&mut self, a: &TermId, b: &TermId) -> TermId {
        if let Some(folded) = self.fold2(*a, *b, |d, a, b| d.ult(a, b)) {
            return folded;
        }
        let impossible = a == b
            || self.value(*b).is_some_and(ApInt::is_zero)
            || self.value(*a).is_some_and(ApInt::is_all_ones);
        if impossible {
            return self.boolean(false);
        }
        if self.width_of(*a) == 1 {
            let not_a = self.not(a);
            return self.and(&not_a, b);
        }
        match (self.get(*a), self.get(*b)) {
            (Term::Zext(x), Term::Zext(y)) if self.width_of(*x) == self.width_of(*y) => {
                let (x, y) = (*x, *y);
                self.ult(&x, &y)
            }
            _ => self.intern(Term::Ult(*a, *b), 1),
        }
    }

    fn select(&mut self, condition: &TermId, a: &TermId, b: &TermId) -> TermId {
        if let Some(chosen) = self.truth(*condition) {
            return if chosen { *a } else { *b };
        }
        if a == b {
            return *a;
        }
        if let Some(inner) = self.complemented(*condition) {
            return self.select(&inner, b, a);
        }
        let width = self.width_of(*a);
        if width == 1 {
            let (if_set, not_set) = (self.and(condition, a), self.not(condition));
            let otherwise = self.and(&not_set, b);
            return self.or(&if_set, &otherwise);
        }
        self.intern(Term::Select(*condition, *a, *b), width)
    }

    fn zext_or_trunc(&mut self, a: &TermId, width: u32) -> TermId {
        let from = self.width_of(*a);
        if width == from {
            return *a;
        }
        self.note_conversion(*a, width);
        if width < from {
            return self.truncated(*a, width);
        }
        match self.get(*a) {
            Term::Const(value) => {
                let value = value.zext_or_trunc(width);
                self.constant(value)
            }
            Term::Zext(inner) => self.intern(Term::Zext(*inner), width),
            _ => self.intern(Term::Zext(*a), width),
        }
    }

    fn sext_or_trunc(&mut self, a: &TermId, width: u32) -> TermId {
        let from = self.width_of(*a);
        if width == from {
            return *a;
        }
        self.note_conversion(*a, width);
        if width < from {
            return self.truncated(*a, width);
        }
        match self.get(*a) {
            Term::Const(value) => {
                let value = value.sext_or_trunc(width);
                self.constant(value)
            }
            Term::Sext(inner) => self.intern(Term::Sext(*inner), width),
            // The sign bit of a zero extension is zero.
            Term::Zext(inner) => self.intern(Term::Zext(*inner), width),
            _ => self.intern(Term::Sext(*a), width),
        }
    }
}

impl Terms {
    /// Two terms that are equal if and only if the difference is zero: the parts of the difference with positive
    /// coefficients, and the negated parts with negative coefficients.
    fn balanced(&mut self, difference: TermId) -> (TermId, TermId) {
        let (constant, parts) = self.parts(difference);
        let width = constant.width();
        let (mut left, mut right) = (Vec::new(), Vec::new());
        // A difference and its negation give the same two terms, with the sides exchanged.
        let turned = parts.first().is_some_and(|(_, coefficient)| coefficient.is_negative());
        for (term, coefficient) in parts {
            let (side, coefficient) = match coefficient.is_negative() {
                true => (&mut right, coefficient.wrapping_neg()),
                false => (&mut left, coefficient),
            };
            side.push((term, coefficient));
        }
        let (constant, zero) = (constant.wrapping_neg(), ApInt::zero(width));
        let (left_constant, right_constant) =
            if turned { (constant.wrapping_neg(), zero) } else { (zero, constant) };
        (self.sum(width, left_constant, left), self.sum(width, right_constant, right))
    }

    /// A term of one bit that is set if the extension of a term equals a constant.
    fn extension_is(&mut self, x: TermId, value: &ApInt, extend: fn(&ApInt, u32) -> ApInt) -> TermId {
        let low = value.zext_or_trunc(self.width_of(x));
        if extend(&low, value.width()) != *value {
            return self.boolean(false);
        }
        let whole = self.constant(value.clone());
        self.note_conversion(whole, low.width());
        let low = self.constant(low);
        self.eq(&x, &low)
    }

    /// Applies the operation of a term to the operands that `new` returns for its operands.
    pub(crate) fn rebuilt(&mut self, id: TermId, new: impl Fn(TermId) -> TermId) -> TermId {
        let width = self.width_of(id);
        let term = self.get(id).clone();
        let mut changed = false;
        term.for_each_operand(|operand| changed |= new(operand) != operand);
        if !changed {
            return id;
        }
        match term {
            Term::Const(_) | Term::Var(_) => id,
            Term::Sum(constant, parts) => {
                let mut sum = self.constant(constant);
                for (part, coefficient) in parts {
                    let coefficient = self.constant(coefficient);
                    let part = self.mul(&new(part), &coefficient);
                    sum = self.add(&sum, &part);
                }
                sum
            }
            Term::Product(factors) => self.folded(ApInt::one(width), factors, new, Self::mul),
            Term::And(constant, parts) => self.folded(constant, parts, new, Self::and),
            Term::Xor(constant, parts) => self.folded(constant, parts, new, Self::xor),
            Term::Udiv(a, b) => self.udiv(&new(a), &new(b)),
            Term::Urem(a, b) => self.urem(&new(a), &new(b)),
            Term::Shl(a, b) => self.shl(&new(a), &new(b)),
            Term::Lshr(a, b) => self.lshr(&new(a), &new(b)),
            Term::Ashr(a, b) => self.ashr(&new(a), &new(b)),
            Term::Eq(a, b) => self.eq(&new(a), &new(b)),
            Term::Ult(a, b) => self.ult(&new(a), &new(b)),
            Term::Select(c, a, b) => self.select(&new(c), &new(a), &new(b)),
            Term::Zext(a) | Term::Trunc(a) => self.zext_or_trunc(&new(a), width),
            Term::Sext(a) => self.sext_or_trunc(&new(a), width),
        }
    }

    fn folded(
        &mut self,
        start: ApInt,
        operands: Vec<TermId>,
        new: impl Fn(TermId) -> TermId,
        join: fn(&mut Self, &TermId, &TermId) -> TermId,
    ) -> TermId {
        let start = self.constant(start);
        operands.into_iter().fold(start, |all, operand| join(self, &all, &new(operand)))
    }

    /// Solves the equation `a = b` for a variable. Returns the variable and its value, which does not contain the
    /// variable.
    pub(crate) fn solved(&mut self, a: TermId, b: TermId) -> Option<(TermId, TermId)> {
        if self.width_of(a) == 1 {
            return None;
        }
        let difference = self.sub(&a, &b);
        let (constant, parts) = self.parts(difference);
        let width = constant.width();
        let all: Vec<TermId> = parts.iter().map(|(part, _)| *part).collect();
        let (at, inverse) = parts.iter().enumerate().find_map(|(at, (part, coefficient))| {
            let rest: Vec<TermId> = all.iter().copied().filter(|other| other != part).collect();
            let unit = coefficient.is_one() || coefficient.is_all_ones();
            let usable = unit && matches!(self.get(*part), Term::Var(_)) && !self.contain(&rest, *part);
            // The coefficient is 1 or -1, so the variable equals the rest times the negated coefficient.
            usable.then(|| (at, coefficient.wrapping_neg()))
        })?;
        let mut parts = parts;
        let (var, _) = parts.remove(at);
        let parts = parts.into_iter().map(|(part, c)| (part, c.wrapping_mul(&inverse))).collect();
        Some((var, self.sum(width, constant.wrapping_mul(&inverse), parts)))
    }

    /// True if one of `terms` contains `term`.
    pub(crate) fn contain(&self, terms: &[TermId], term: TermId) -> bool {
        self.reachable(terms).binary_search(&term).is_ok()
    }

    /// The low bits of a term. The low bits of sums, products and bitwise operations depend only on low bits.
    fn truncated(&mut self, a: TermId, width: u32) -> TermId {
        if self.width_of(a) == width {
            return a;
        }
        with_room(|| self.truncated_here(a, width))
    }

    fn truncated_here(&mut self, a: TermId, width: u32) -> TermId {
        match self.get(a).clone() {
            Term::Const(value) => self.constant(value.zext_or_trunc(width)),
            Term::Trunc(inner) => self.truncated(inner, width),
            Term::Zext(inner) => self.zext_or_trunc(&inner, width),
            Term::Sext(inner) => self.sext_or_trunc(&inner, width),
            Term::Sum(constant, terms) => {
                let mut sum = self.constant(constant.zext_or_trunc(width));
                for (term, coefficient) in terms {
                    let coefficient = self.constant(coefficient.zext_or_trunc(width));
                    let term = self.truncated(term, width);
                    let part = self.mul(&term, &coefficient);
                    sum = self.add(&sum, &part);
                }
                sum
            }
            Term::Product(factors) => self.truncated_fold(ApInt::one(width), factors, Self::mul),
            Term::And(constant, terms) => {
                self.truncated_fold(constant.zext_or_trunc(width), terms, Self::and)
            }
            Term::Xor(constant, terms) => {
                self.truncated_fold(constant.zext_or_trunc(width), terms, Self::xor)
            }
            Term::Select(condition, x, y) => {
                let (x, y) = (self.truncated(x, width), self.truncated(y, width));
                self.select(&condition, &x, &y)
            }
            _ => self.intern(Term::Trunc(a), width),
        }
    }

    /// Combines a constant with the low bits of terms.
    fn truncated_fold(
        &mut self,
        constant: ApInt,
        terms: Vec<TermId>,
        combine: fn(&mut Self, &TermId, &TermId) -> TermId,
    ) -> TermId {
        let width = constant.width();
        let constant = self.constant(constant);
        terms.into_iter().fold(constant, |all, term| {
            let term = self.truncated(term, width);
            combine(self, &all, &term)
        })
    }
}
