//! Affine expressions, maps and integer sets.
//!
//! Specification: the constructors simplify expressions by MLIR's rules, so that an expression is printed as in MLIR.
//!
//! An expression is a flat list of nodes in postfix order. Therefore, cloning, comparing and dropping a deep expression
//! do not recurse.

/// A node of an expression. Operands are indices of earlier nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum AffineNode {
    /// `d0`.
    Dim(u32),
    /// `s0`.
    Symbol(u32),
    /// A number.
    Constant(i64),
    /// An operation on two expressions.
    Binary(AffineOp, u32, u32),
}

/// An operation of an affine expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum AffineOp {
    /// `+`.
    Add,
    /// `*`.
    Mul,
    /// `mod`: the result is never negative.
    Mod,
    /// `floordiv`.
    FloorDiv,
    /// `ceildiv`.
    CeilDiv,
}

/// An expression: its nodes, with operands before their operation. The last node is the root.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AffineExpr(Box<[AffineNode]>);

/// An affine map, such as `affine_map<(d0)[s0] -> (d0 + s0)>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AffineMap {
    /// The number of dimensions.
    pub dims: u32,
    /// The number of symbols.
    pub symbols: u32,
    /// The results.
    pub(crate) results: Box<[AffineExpr]>,
}

/// An integer set, such as `affine_set<(d0)[s0] : (d0 - s0 >= 0)>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IntegerSet {
    /// The number of dimensions.
    pub dims: u32,
    /// The number of symbols.
    pub symbols: u32,
    /// The constraints.
    pub(crate) constraints: Box<[AffineConstraint]>,
}

/// A constraint of an integer set: an expression is 0, or at least 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AffineConstraint {
    /// The expression.
    pub expr: AffineExpr,
    /// True for `expr == 0`, false for `expr >= 0`.
    pub equality: bool,
}

impl AffineMap {
    /// The identity map of `rank` dimensions.
    pub fn identity(rank: u32) -> Self {
        Self { dims: rank, symbols: 0, results: (0..rank).map(AffineExpr::dim).collect() }
    }

    /// True if this is an identity map.
    pub fn is_identity(&self) -> bool {
        self.results.len() == self.dims as usize
            && self.results.iter().zip(0..).all(|(expr, i)| expr.root() == AffineNode::Dim(i))
    }
}

impl AffineExpr {
    /// Dimension `index`.
    pub(crate) fn dim(index: u32) -> Self {
        Self([AffineNode::Dim(index)].into())
    }

    /// Symbol `index`.
    pub(crate) fn symbol(index: u32) -> Self {
        Self([AffineNode::Symbol(index)].into())
    }

    /// A number.
    pub(crate) fn constant(value: i64) -> Self {
        Self([AffineNode::Constant(value)].into())
    }

    /// The nodes, with the root last.
    pub(crate) fn nodes(&self) -> &[AffineNode] {
        &self.0
    }

    /// The outermost node.
    pub(crate) fn root(&self) -> AffineNode {
        *self.0.last().expect("an expression has a node")
    }

    /// The value, if it is a number.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        match self.root() {
            AffineNode::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The operation and operands of the outermost node.
    pub(crate) fn as_binary(&self) -> Option<(AffineOp, AffineExpr, AffineExpr)> {
        match self.root() {
            AffineNode::Binary(op, lhs, rhs) => Some((op, self.subexpr(lhs), self.subexpr(rhs))),
            _ => None,
        }
    }

    fn subexpr(&self, root: u32) -> AffineExpr {
        // In postfix order, the nodes of the right operand directly precede the operation, and the nodes of the left
        // operand precede the right operand.
        let root = root as usize;
        let mut start = root;
        let mut wanted = 1usize;
        loop {
            wanted -= 1;
            if let AffineNode::Binary(..) = self.0[start] {
                wanted += 2;
            }
            if wanted == 0 {
                break;
            }
            start -= 1;
        }
        let base = u32::try_from(start).expect("fewer nodes than an id holds");
        let moved = self.0[start..=root].iter().map(|&node| match node {
            AffineNode::Binary(op, l, r) => AffineNode::Binary(op, l - base, r - base),
            other => other,
        });
        Self(moved.collect())
    }

    fn node(op: AffineOp, lhs: &Self, rhs: &Self) -> Self {
        let index = |n: usize| u32::try_from(n).expect("fewer nodes than an id holds");
        let base = index(lhs.0.len());
        let moved = rhs.0.iter().map(|&node| match node {
            AffineNode::Binary(op, l, r) => AffineNode::Binary(op, l + base, r + base),
            other => other,
        });
        let mut nodes: Vec<AffineNode> = lhs.0.iter().copied().chain(moved).collect();
        let right = index(nodes.len() - 1);
        nodes.push(AffineNode::Binary(op, base - 1, right));
        Self(nodes.into())
    }

    /// True if the expression contains no dimension.
    pub(crate) fn is_symbolic_or_constant(&self) -> bool {
        !self.0.iter().any(|node| matches!(node, AffineNode::Dim(_)))
    }

    /// Returns the number that MLIR's `getLargestKnownDivisor` returns. This number divides every value of the
    /// expression.
    fn known_divisor(&self) -> u64 {
        let mut divisors: Vec<u64> = Vec::with_capacity(self.0.len());
        for &node in &self.0 {
            divisors.push(match node {
                AffineNode::Dim(_) | AffineNode::Symbol(_) => 1,
                AffineNode::Constant(value) => value.unsigned_abs(),
                AffineNode::Binary(AffineOp::Mul, l, r) => {
                    divisors[l as usize].saturating_mul(divisors[r as usize])
                }
                AffineNode::Binary(AffineOp::Add | AffineOp::Mod, l, r) => {
                    gcd(divisors[l as usize], divisors[r as usize])
                }
                AffineNode::Binary(AffineOp::FloorDiv | AffineOp::CeilDiv, l, r) => {
                    let by = match self.0[r as usize] {
                        AffineNode::Constant(value) if value != 0 => value.unsigned_abs(),
                        _ => 0,
                    };
                    let lhs = divisors[l as usize];
                    if by != 0 && lhs.is_multiple_of(by) { lhs / by } else { 1 }
                }
            });
        }
        *divisors.last().expect("an expression has a node")
    }

    /// Returns a commutative operation. If both operands are single dimensions or symbols, dimensions come before
    /// symbols, and lower numbers before higher ones.
    fn commutative(op: AffineOp, lhs: &Self, rhs: &Self) -> Self {
        let swap = match (lhs.root(), rhs.root()) {
            (AffineNode::Dim(l), AffineNode::Dim(r)) | (AffineNode::Symbol(l), AffineNode::Symbol(r)) => {
                l > r
            }
            (AffineNode::Symbol(_), AffineNode::Dim(_)) => true,
            _ => false,
        };
        if swap { Self::node(op, rhs, lhs) } else { Self::node(op, lhs, rhs) }
    }

    /// Returns `self + rhs`.
    #[must_use]
    pub(crate) fn add(&self, rhs: &Self) -> Self {
        self.simpler_sum(rhs).unwrap_or_else(|| Self::commutative(AffineOp::Add, self, rhs))
    }

    fn simpler_sum(&self, rhs: &Self) -> Option<Self> {
        if let (Some(a), Some(b)) = (self.as_constant(), rhs.as_constant()) {
            return a.checked_add(b).map(Self::constant);
        }
        // Constants, and expressions without dimensions, move to the right side.
        if self.as_constant().is_some() || (self.is_symbolic_or_constant() && !rhs.is_symbolic_or_constant())
        {
            return Some(rhs.add(self));
        }
        if rhs.as_constant() == Some(0) {
            return Some(self.clone());
        }
        let left = self.as_binary();
        let constant_term = match &left {
            Some((AffineOp::Add, l, r)) => r.as_constant().map(|c| (l, c)),
            _ => None,
        };
        if let (Some((l, a)), Some(b)) = (constant_term, rhs.as_constant()) {
            // As in MLIR, an overflow of the sum is not an error.
            return Some(l.add(&Self::constant(a.wrapping_add(b))));
        }
        // c1 * e + c2 * e is (c1 + c2) * e.
        let term = |expr: &Self| match expr.as_binary() {
            Some((AffineOp::Mul, e, c)) if c.as_constant().is_some() => (e, c.as_constant()),
            _ => (expr.clone(), None),
        };
        let ((e1, c1), (e2, c2)) = (term(self), term(rhs));
        if e1 == e2 {
            return Some(e1.mul(&Self::constant(c1.unwrap_or(1).wrapping_add(c2.unwrap_or(1)))));
        }
        // (e + c) + f is (e + f) + c.
        if let Some((l, c)) = constant_term {
            return Some(l.add(rhs).add(&Self::constant(c)));
        }
        self.remainder(left.as_ref(), rhs)
    }

    /// Simplifies `self + rhs`, where `rhs` is a product with a `floordiv`. The sum becomes `e mod c` if `self` is `e`
    /// and `rhs` is `(e floordiv c) * -c`. Otherwise, `rhs` is combined with the last summand of `self`. Returns `None`
    /// if the sum is not simplified. `left` is `self.as_binary()`.
    fn remainder(&self, left: Option<&(AffineOp, Self, Self)>, rhs: &Self) -> Option<Self> {
        let (op, multiple, factor) = rhs.as_binary()?;
        // e + (e floordiv q) * q * -1 is e mod q.
        if factor.as_constant() == Some(-1)
            && let Some((AffineOp::Mul, quotient, by)) = multiple.as_binary()
        {
            let (AffineOp::FloorDiv, e, divisor) = quotient.as_binary()? else { return None };
            if divisor == by && e == *self {
                return Some(self.modulo(&by));
            }
        }
        // e + (e floordiv c) * -c is e mod c.
        let (AffineOp::Mul, (AffineOp::FloorDiv, e, divisor)) = (op, multiple.as_binary()?) else {
            return None;
        };
        if divisor.as_constant().is_some_and(|c| c > 0) && e == *self && divisor == factor.negate() {
            return Some(self.modulo(&divisor));
        }
        match left {
            Some((AffineOp::Add, l, r)) => Some(l.add(&r.simpler_sum(rhs)?)),
            _ => None,
        }
    }

    /// Returns `self * rhs`.
    #[must_use]
    pub(crate) fn mul(&self, rhs: &Self) -> Self {
        self.simpler_product(rhs).unwrap_or_else(|| Self::commutative(AffineOp::Mul, self, rhs))
    }

    fn simpler_product(&self, rhs: &Self) -> Option<Self> {
        if let (Some(a), Some(b)) = (self.as_constant(), rhs.as_constant()) {
            return a.checked_mul(b).map(Self::constant);
        }
        if !self.is_symbolic_or_constant() && !rhs.is_symbolic_or_constant() {
            return None;
        }
        if !rhs.is_symbolic_or_constant() || self.as_constant().is_some() {
            return Some(rhs.mul(self));
        }
        match rhs.as_constant() {
            Some(1) => return Some(self.clone()),
            Some(0) => return Some(rhs.clone()),
            _ => {}
        }
        let (AffineOp::Mul, l, r) = self.as_binary()? else { return None };
        let a = r.as_constant()?;
        Some(match rhs.as_constant() {
            // As in MLIR, an overflow of the product is not an error.
            Some(b) => l.mul(&Self::constant(a.wrapping_mul(b))),
            // (e * c) * s is (e * s) * c.
            None => l.mul(rhs).mul(&r),
        })
    }

    /// Returns `self mod rhs`.
    #[must_use]
    pub(crate) fn modulo(&self, rhs: &Self) -> Self {
        let Some(divisor) = rhs.as_constant().filter(|&c| c >= 1) else {
            return Self::node(AffineOp::Mod, self, rhs);
        };
        if let Some(value) = self.as_constant() {
            return Self::constant(value.rem_euclid(divisor));
        }
        if self.known_divisor().is_multiple_of(divisor.unsigned_abs()) {
            return Self::constant(0);
        }
        match self.as_binary() {
            // A summand that is a multiple of the divisor is dropped.
            Some((AffineOp::Add, l, r)) => {
                if l.known_divisor().is_multiple_of(divisor.unsigned_abs()) {
                    return r.modulo(rhs);
                }
                if r.known_divisor().is_multiple_of(divisor.unsigned_abs()) {
                    return l.modulo(rhs);
                }
            }
            // (e mod a) mod b is e mod b if b divides a.
            Some((AffineOp::Mod, l, r)) if r.as_constant().is_some_and(|a| a >= 1 && a % divisor == 0) => {
                return l.modulo(rhs);
            }
            _ => {}
        }
        Self::node(AffineOp::Mod, self, rhs)
    }

    /// Returns `self floordiv rhs`.
    #[must_use]
    pub(crate) fn floor_div(&self, rhs: &Self) -> Self {
        let Some(divisor) = rhs.as_constant().filter(|&c| c != 0) else {
            return Self::node(AffineOp::FloorDiv, self, rhs);
        };
        if let Some(simple) = self.simpler_quotient(divisor, false) {
            return simple;
        }
        if let Some((AffineOp::Add, l, r)) = self.as_binary() {
            let by = divisor.unsigned_abs();
            if l.known_divisor().is_multiple_of(by) || r.known_divisor().is_multiple_of(by) {
                return l.floor_div(rhs).add(&r.floor_div(rhs));
            }
        }
        Self::node(AffineOp::FloorDiv, self, rhs)
    }

    /// Returns `self ceildiv rhs`.
    #[must_use]
    pub(crate) fn ceil_div(&self, rhs: &Self) -> Self {
        let divisor = rhs.as_constant().filter(|&c| c != 0);
        let simple = divisor.and_then(|divisor| self.simpler_quotient(divisor, true));
        simple.unwrap_or_else(|| Self::node(AffineOp::CeilDiv, self, rhs))
    }

    /// The quotient, rounded up or down, if it simplifies to a constant, to `self`, or to a product with another
    /// constant factor; otherwise `None`.
    fn simpler_quotient(&self, divisor: i64, up: bool) -> Option<Self> {
        if let Some(value) = self.as_constant() {
            let (quotient, rest) = (value.checked_div(divisor)?, value.checked_rem(divisor)?);
            let positive = (value < 0) == (divisor < 0);
            return Some(Self::constant(match (rest, up) {
                (0, _) => quotient,
                (_, true) => quotient + i64::from(positive),
                (_, false) => quotient - i64::from(!positive),
            }));
        }
        if divisor == 1 {
            return Some(self.clone());
        }
        let (AffineOp::Mul, l, r) = self.as_binary()? else { return None };
        let factor = r.as_constant()?;
        let quotient = factor.checked_div(divisor)?;
        (factor.checked_rem(divisor)? == 0).then(|| l.mul(&Self::constant(quotient)))
    }

    /// Returns `-self`.
    #[must_use]
    pub(crate) fn negate(&self) -> Self {
        self.mul(&Self::constant(-1))
    }

    /// Returns `self - rhs`.
    #[must_use]
    pub(crate) fn sub(&self, rhs: &Self) -> Self {
        self.add(&rhs.negate())
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
