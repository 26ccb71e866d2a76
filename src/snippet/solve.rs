//! Constants for which the comparisons in a snippet may hold.
//!
//! Specification: [`Snippets::solutions`] returns the literals of the snippet, and inputs near which the result of a
//! comparison with a constant changes. The search is incomplete, and a solution need not satisfy the snippet as a
//! whole.
//!
//! Method: inverts the arithmetic between the input and the constant, one operation at a time. If both operands of an
//! operation contain an input (`x * x + x == 12`), bisection finds one value for all inputs.

use hashbrown::HashMap;

use super::data::{BinaryOp, Builtin, Expr, ExprId, Group, LocalId, SnippetId, Snippets};

/// The maximum number of expressions that the inversion of one snippet visits, and that one computation of a value
/// visits.
const VISITS: usize = 1_000;
/// The maximum number of solutions of each kind.
const SOLUTIONS: usize = 64;
/// The largest magnitude of an input in a bisection.
const BOUND: i128 = 1 << 63;

/// Constants for which a snippet may hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Solutions {
    pub(crate) ints: Vec<i64>,
    pub(crate) floats: Vec<f64>,
    pub(crate) strings: Vec<String>,
    /// Widths of integer types.
    pub(crate) widths: Vec<u32>,
}

impl Snippets {
    /// Returns constants for which the comparisons in a snippet may hold, without repetitions.
    pub(crate) fn solutions(&self, id: SnippetId) -> Solutions {
        let mut solver =
            Solver { snippets: self, locals: HashMap::new(), visits: VISITS, found: Solutions::default() };
        let all: Vec<&Expr> = self.expressions_of(id).collect();
        for expr in &all {
            if let Expr::Let(local, value, _) = **expr {
                solver.locals.insert(local, value);
            }
        }
        all.into_iter().for_each(|expr| solver.expression(expr));
        solver.found
    }
}

struct Solver<'a> {
    snippets: &'a Snippets,
    /// The expressions that are assigned to locals.
    locals: HashMap<LocalId, ExprId>,
    visits: usize,
    found: Solutions,
}

fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if list.len() < SOLUTIONS && !list.contains(&item) {
        list.push(item);
    }
}

impl<'a> Solver<'a> {
    fn get(&self, id: ExprId) -> Option<&'a Expr> {
        self.snippets.exprs.get(id)
    }

    /// Adds the solutions that one expression suggests, for example a comparison or a literal.
    fn expression(&mut self, expr: &Expr) {
        match *expr {
            Expr::Binary(op, _, a, b) if op.compares() => self.comparison(a, b),
            Expr::Truth(value, _) => {
                if let Some(Expr::Binary(op, ..)) = self.get(value)
                    && !op.compares()
                {
                    self.solve(value, &[0, 1]);
                }
            }
            Expr::Builtin(builtin, list) => match (builtin, self.snippets.list(list)) {
                (
                    Builtin::ApEq
                    | Builtin::ApNe
                    | Builtin::ApUlt
                    | Builtin::ApUle
                    | Builtin::ApUgt
                    | Builtin::ApUge
                    | Builtin::ApSlt
                    | Builtin::ApSle
                    | Builtin::ApSgt
                    | Builtin::ApSge,
                    &[a, b],
                ) => self.comparison(a, b),
                (
                    Builtin::IsInteger
                    | Builtin::IsSignlessInteger
                    | Builtin::IsSignedInteger
                    | Builtin::IsUnsignedInteger,
                    &[_, width],
                ) => {
                    if let Some(width) = self.constant(width).and_then(|width| u32::try_from(width).ok()) {
                        add(&mut self.found.widths, width);
                    }
                }
                _ => {}
            },
            Expr::Int(value) => self.unknown(&[value]),
            Expr::Double(value) => {
                for neighbour in [value, value - 1.0, value + 1.0] {
                    add(&mut self.found.floats, neighbour);
                }
            }
            Expr::Str(text) => add(&mut self.found.strings, self.snippets.str(text).to_owned()),
            Expr::Enum(id) => {
                for case in &self.snippets.enumeration(id).cases {
                    add(&mut self.found.strings, self.snippets.str(case.text).to_owned());
                }
            }
            _ => {}
        }
    }

    /// If one side is constant, adds inputs for which the other side is equal to the constant or differs from it by
    /// one.
    fn comparison(&mut self, a: ExprId, b: ExprId) {
        for (unknown, other) in [(a, b), (b, a)] {
            if let Some(value) = self.constant(other) {
                self.solve(unknown, &[value, value.saturating_add(1), value.saturating_sub(1)]);
            }
        }
    }

    /// Adds values of an input to the solutions.
    fn unknown(&mut self, values: &[i128]) {
        for value in values.iter().filter_map(|&value| i64::try_from(value).ok()) {
            add(&mut self.found.ints, value);
        }
    }

    /// If an expression passes on the value of one of its parts, returns this part. Conversions between types are
    /// ignored.
    fn passed_on(&self, expr: &Expr) -> Option<ExprId> {
        match *expr {
            Expr::Convert(inner, _)
            | Expr::Function(_, inner)
            | Expr::Deref(inner)
            | Expr::Cast(inner, ..)
            | Expr::Then(_, inner)
            | Expr::Let(_, _, inner)
            | Expr::Assign(_, inner) => Some(inner),
            Expr::Local(local) => self.locals.get(&local).copied(),
            Expr::Builtin(Builtin::MakeApInt, list) => self.snippets.list(list).get(1).copied(),
            Expr::Builtin(builtin, list) if builtin.group() == Group::Numbers => {
                let same = matches!(
                    builtin,
                    Builtin::SExtValue
                        | Builtin::ZExtValue
                        | Builtin::LimitedValue
                        | Builtin::ZextOrTrunc
                        | Builtin::SextOrTrunc
                );
                self.snippets.list(list).first().copied().filter(|_| same)
            }
            _ => None,
        }
    }

    /// The value of an expression without inputs; `None` for other expressions.
    fn constant(&self, id: ExprId) -> Option<i128> {
        self.value_for(id, None)
    }

    /// The value of an expression if all its inputs have the value `input`. Expressions that are not understood count
    /// as inputs. Returns `None` if the value cannot be computed, for example because it overflows, or because it
    /// depends on an input and `input` is `None`.
    fn value_for(&self, id: ExprId, input: Option<i128>) -> Option<i128> {
        let mut visits = VISITS;
        self.value(id, input, &mut visits)
    }

    fn value(&self, id: ExprId, input: Option<i128>, visits: &mut usize) -> Option<i128> {
        *visits = visits.checked_sub(1)?;
        let expr = self.get(id)?;
        if let Some(inner) = self.passed_on(expr) {
            return self.value(inner, input, visits);
        }
        match *expr {
            Expr::Int(value) => Some(value),
            Expr::Bool(value) => Some(i128::from(value)),
            Expr::Neg(inner, _) => self.value(inner, input, visits)?.checked_neg(),
            Expr::BitNot(inner, _) => Some(!self.value(inner, input, visits)?),
            Expr::Binary(op, _, a, b) => {
                let (a, b) = (self.value(a, input, visits)?, self.value(b, input, visits)?);
                compute(op, a, b)
            }
            _ => input,
        }
    }

    /// Adds inputs for which an expression may have one of these values.
    fn solve(&mut self, id: ExprId, targets: &[i128]) {
        let Some(visits) = self.visits.checked_sub(1) else { return };
        self.visits = visits;
        let Some(expr) = self.get(id) else { return };
        if let Some(inner) = self.passed_on(expr) {
            return self.solve(inner, targets);
        }
        match *expr {
            Expr::Neg(inner, _) => self.solve_each(inner, targets, |target| vec![target.checked_neg()]),
            Expr::BitNot(inner, _) => self.solve_each(inner, targets, |target| vec![Some(!target)]),
            Expr::Select(_, a, b) => {
                self.solve(a, targets);
                self.solve(b, targets);
            }
            Expr::Binary(op, _, a, b) if !op.compares() => match (self.constant(a), self.constant(b)) {
                (_, Some(b)) => self.solve_each(a, targets, |target| left(op, target, b)),
                (Some(a), None) => self.solve_each(b, targets, |target| right(op, a, target)),
                (None, None) => {
                    targets.iter().for_each(|&target| self.bisect(id, target));
                    // If the operands contain different inputs, one of them may have a simple value.
                    for simple in [0, 1] {
                        self.unknown(&[simple]);
                        self.solve_each(a, targets, |target| left(op, target, simple));
                        self.solve_each(b, targets, |target| right(op, simple, target));
                    }
                }
            },
            Expr::Builtin(Builtin::Abs | Builtin::ApAbs, list) => {
                if let Some(&inner) = self.snippets.list(list).first() {
                    self.solve_each(inner, targets, |target| vec![Some(target), target.checked_neg()]);
                }
            }
            Expr::Builtin(Builtin::Max | Builtin::Min, list) => {
                self.snippets.list(list).to_vec().into_iter().for_each(|inner| self.solve(inner, targets));
            }
            Expr::Builtin(Builtin::Log2 | Builtin::Log2Of, list) => {
                if let Some(&inner) = self.snippets.list(list).first() {
                    self.solve_each(inner, targets, |target| vec![compute(BinaryOp::Shl, 1, target)]);
                }
            }
            Expr::Builtin(Builtin::BitWidth | Builtin::ElementBitWidth, _) => {
                for width in targets.iter().filter_map(|&width| u32::try_from(width).ok()) {
                    add(&mut self.found.widths, width);
                }
            }
            _ => self.unknown(targets),
        }
    }

    fn solve_each(&mut self, id: ExprId, targets: &[i128], invert: impl Fn(i128) -> Vec<Option<i128>>) {
        let mut all: Vec<i128> = targets.iter().copied().flat_map(invert).flatten().collect();
        all.dedup();
        all.truncate(SOLUTIONS);
        self.solve(id, &all);
    }

    /// For each sign, adds the input closest to zero at which the value of an expression reaches the target, and the
    /// input before it. These inputs are correct if the expression is monotonic for all inputs of this sign.
    fn bisect(&mut self, id: ExprId, target: i128) {
        for sign in [1, -1] {
            let at = |input: i128| self.value_for(id, Some(sign * input));
            let rising = match (at(0), at(1_000)) {
                (Some(start), Some(later)) => start <= later,
                _ => continue,
            };
            // An input whose value overflows counts as beyond the target.
            let reaches =
                |input| at(input).is_none_or(|value| if rising { value >= target } else { value <= target });
            let (mut low, mut high) = (0, BOUND);
            while low < high {
                let middle = low + (high - low) / 2;
                if reaches(middle) { high = middle } else { low = middle + 1 }
            }
            self.unknown(&[sign * low, sign * (low - 1)]);
        }
    }
}

/// Applies an operator without the bounds of the operands' type. Returns `None` if the result does not fit in 128 bits,
/// if the divisor is zero, if a shift amount is not from 0 to 63, or if the operator compares.
fn compute(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
    let amount = || u32::try_from(b).ok().filter(|amount| *amount < 64);
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::Shl => a.checked_mul(1i128 << amount()?),
        BinaryOp::Shr => Some(a >> amount()?),
        BinaryOp::And => Some(a & b),
        BinaryOp::Or => Some(a | b),
        BinaryOp::Xor => Some(a ^ b),
        _ => None,
    }
}

/// Candidates for `x` in `x op b == target`.
fn left(op: BinaryOp, target: i128, b: i128) -> Vec<Option<i128>> {
    match op {
        BinaryOp::Add => vec![target.checked_sub(b)],
        BinaryOp::Sub => vec![target.checked_add(b)],
        BinaryOp::Mul => vec![target.checked_div(b)],
        BinaryOp::Div => {
            let product = target.checked_mul(b);
            vec![product, product.and_then(|product| product.checked_add(b)?.checked_sub(1))]
        }
        BinaryOp::Rem => vec![Some(target), target.checked_add(b)],
        BinaryOp::Shl => vec![compute(BinaryOp::Shr, target, b)],
        BinaryOp::Shr => vec![compute(BinaryOp::Shl, target, b)],
        BinaryOp::And => vec![Some(target), Some(b), Some(target | !b)],
        BinaryOp::Or => vec![Some(target), Some(target & !b)],
        BinaryOp::Xor => vec![Some(target ^ b)],
        _ => Vec::new(),
    }
}

/// Candidates for `x` in `a op x == target`.
fn right(op: BinaryOp, a: i128, target: i128) -> Vec<Option<i128>> {
    match op {
        BinaryOp::Sub => vec![a.checked_sub(target)],
        BinaryOp::Div => vec![a.checked_div(target)],
        BinaryOp::Rem => vec![a.checked_sub(target)],
        // All 64 valid shift amounts are tried.
        BinaryOp::Shl | BinaryOp::Shr => {
            (0..64).map(Some).filter(|b| b.and_then(|b| compute(op, a, b)) == Some(target)).collect()
        }
        _ => left(op, target, a),
    }
}

#[cfg(all(test, feature = "frontend"))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frontend::cxx::{self, Expected, NoResolver, Placeholder, Request, Text};
    use crate::host::{Entity, Natives};
    use crate::ir::{Context, IrHost, Module};
    use crate::snippet::{Linked, Ty};
    use crate::source::Span;

    const INPUT: &str = "::llvm::cast<::mlir::IntegerAttr>($_self).getInt()";

    /// The solutions of a predicate, in which `x` is the integer of an attribute. The second list has the solutions
    /// that satisfy the predicate according to the evaluator.
    fn solved(predicate: &str) -> (Vec<i64>, Vec<i64>) {
        let text = predicate.replace('x', INPUT);
        let mut snippets = Snippets::default();
        let params = [Placeholder::new("$_self", Ty::ATTR)];
        let request = Request { params: &params, expected: Expected::Predicate, resolver: &NoResolver };
        let id = cxx::compile(&mut snippets, &Text::new(&text, Span::NONE), &request);
        let id = id.unwrap_or_else(|failure| panic!("{text}: {:?}", failure.into_diagnostic()));
        let mut context = Context::new();
        let module = Module::new(&mut context);
        let mut host = IrHost::new(context, module);
        let linked = Linked::link(&snippets, &mut host, &Natives::new());
        let ints = snippets.solutions(id).ints;
        let holds = |&value: &i64| {
            let attr = crate::host::Bind::bind_attr(&mut host, &format!("{value} : i64"));
            matches!(linked.holds(&snippets, id, &host, &[Entity::Attr(attr)]), Ok(Some(_)))
        };
        let satisfying = ints.iter().copied().filter(holds).collect();
        (ints, satisfying)
    }

    #[test]
    fn arithmetic_is_inverted() {
        for (predicate, solution) in [
            ("x == 7", 7),
            ("12 == x", 12),
            ("x * 3 + 4 == 19", 5),
            ("4 - x == 9", -5),
            ("-(x - 6) == 2", 4),
            ("~x == 41", -42),
            ("(x ^ 255) == 240", 15),
            ("(x << 4) == 96", 6),
            ("(x >> 3) == 5", 40),
            ("x / 7 == 3", 21),
            ("x % 8 == 5", 5),
            ("(x & 12) == 8", 8),
            ("(x | 3) == 11", 8),
            ("96 / x == 8", 12),
            // The other operand of this comparison is an expression without inputs.
            ("x == 3 * 5 - 1", 14),
        ] {
            let (all, satisfying) = solved(predicate);
            assert!(satisfying.contains(&solution), "{predicate}: {all:?}");
        }
    }

    /// If the input occurs several times, bisection finds positive and negative solutions.
    #[test]
    fn repeated_inputs_are_solved_by_bisection() {
        for (predicate, solutions) in [
            ("x * x == 152399025", &[12_345, -12_345][..]),
            ("x * x + x == 12", &[3, -4]),
            ("x * x * x == 1000", &[10]),
            ("x * x * x == -1000", &[-10]),
            ("x + x == 86", &[43]),
        ] {
            let (all, mut satisfying) = solved(predicate);
            satisfying.sort_unstable();
            let mut solutions = solutions.to_vec();
            solutions.sort_unstable();
            satisfying.retain(|value| solutions.contains(value));
            assert_eq!(satisfying, solutions, "{predicate}: {all:?}");
        }
    }

    /// An inequality gets values on both sides of its limit.
    #[test]
    fn limits_have_neighbours() {
        let (all, satisfying) = solved("x * 2 < 20");
        assert!(satisfying.contains(&9) && all.contains(&10), "{all:?}");
        let (all, satisfying) = solved("x != 5");
        assert!(satisfying.contains(&6) && satisfying.contains(&4) && all.contains(&5), "{all:?}");
    }

    #[test]
    fn widths_strings_and_floats_are_collected() {
        let solutions = |text: &str, ty: Ty| {
            let mut snippets = Snippets::default();
            let params = [Placeholder::new("$_self", ty)];
            let request = Request { params: &params, expected: Expected::Predicate, resolver: &NoResolver };
            let id = cxx::compile(&mut snippets, &Text::new(text, Span::NONE), &request);
            snippets.solutions(id.expect(text))
        };
        assert_eq!(solutions("$_self.isSignlessInteger(24)", Ty::TYPE).widths, [24]);
        let doubled = "$_self.getIntOrFloatBitWidth() * 2 == 48";
        assert!(solutions(doubled, Ty::TYPE).widths.contains(&24));
        let named = "::llvm::cast<::mlir::StringAttr>($_self).getValue() == \"name\"";
        assert_eq!(solutions(named, Ty::ATTR).strings, ["name"]);
        let float = "::llvm::cast<::mlir::FloatAttr>($_self).getValueAsDouble() > 2.5";
        assert_eq!(solutions(float, Ty::ATTR).floats, [2.5, 1.5, 3.5]);
    }

    /// A function of an input and a constant.
    type Operation = fn(i64, i64) -> i64;

    /// An exactly invertible operation with a constant, in C++ and as a function.
    fn step() -> impl Strategy<Value = (String, Operation, i64)> {
        let ops: [(&str, Operation); 8] = [
            ("(X + C)", |x, c| x + c),
            ("(X - C)", |x, c| x - c),
            ("(C - X)", |x, c| c - x),
            ("(X * C)", |x, c| x * c),
            ("(X ^ C)", |x, c| x ^ c),
            ("(-X)", |x, _| -x),
            ("(~X)", |x, _| !x),
            ("(X << C)", |x, c| x << c),
        ];
        (proptest::sample::select(ops.to_vec()), 1..7_i64)
            .prop_map(|((text, run), constant)| (text.replace('C', &constant.to_string()), run, constant))
    }

    proptest! {
        #![proptest_config(crate::test_seed::config())]

        /// The solver finds the input of a chain of invertible operations from its result.
        #[test]
        fn chains_of_invertible_operations_are_solved(
            steps in prop::collection::vec(step(), 1..6), input in -50..50_i64
        ) {
            let (mut text, mut value) = ("x".to_owned(), input);
            for (operation, run, constant) in &steps {
                text = operation.replace('X', &text);
                value = run(value, *constant);
            }
            let (all, satisfying) = solved(&format!("{text} == {value}"));
            prop_assert!(satisfying.contains(&input), "{text} == {value}: {all:?}");
        }
    }
}
