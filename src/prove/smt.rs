//! Terms as SMT-LIB 2 text, and the values that a solver answers.
//!
//! Terms of one bit are vectors of one bit, not Booleans. Division by zero has the same meaning as in [`Terms`].

use std::fmt::Write;

use crate::id::IdVec;
use crate::number::ApInt;

use super::term::{Term, TermId, Terms, VarId};

/// A script that checks if a term of one bit is satisfiable, and requests the values of all variables.
pub(super) fn script(terms: &Terms, goal: TermId) -> String {
    let mut out = String::from("(set-option :produce-models true)\n(set-logic QF_BV)\n");
    for (var, width) in terms.var_widths() {
        let _ = writeln!(out, "(declare-const v{} (_ BitVec {width}))", var.raw());
    }
    for id in terms.reachable(&[goal]) {
        let width = terms.width_of(id);
        let _ = writeln!(out, "(define-fun t{} () (_ BitVec {width}) {})", id.raw(), operation(terms, id));
    }
    let _ = writeln!(out, "(assert (= t{} #b1))\n(check-sat)", goal.raw());
    let names: Vec<String> = terms.var_widths().map(|(var, _)| format!("v{}", var.raw())).collect();
    if !names.is_empty() {
        let _ = writeln!(out, "(get-value ({}))", names.join(" "));
    }
    out.push_str("(exit)\n");
    out
}

fn number(value: &ApInt) -> String {
    format!("(_ bv{} {})", value.to_unsigned_string(), value.width())
}

fn chain(name: &str, first: String, rest: impl Iterator<Item = String>) -> String {
    rest.fold(first, |all, next| format!("({name} {all} {next})"))
}

fn operation(terms: &Terms, id: TermId) -> String {
    let width = terms.width_of(id);
    let name = |id: &TermId| format!("t{}", id.raw());
    let two = |op: &str, a: &TermId, b: &TermId| format!("({op} {} {})", name(a), name(b));
    match terms.get(id) {
        Term::Const(value) => number(value),
        Term::Var(var) => format!("v{}", var.raw()),
        Term::Sum(constant, parts) => chain(
            "bvadd",
            number(constant),
            parts.iter().map(|(part, c)| match c.is_one() {
                true => name(part),
                false => format!("(bvmul {} {})", number(c), name(part)),
            }),
        ),
        Term::Product(factors) => chain("bvmul", name(&factors[0]), factors[1..].iter().map(name)),
        Term::And(constant, parts) => chain("bvand", number(constant), parts.iter().map(name)),
        Term::Xor(constant, parts) => chain("bvxor", number(constant), parts.iter().map(name)),
        Term::Udiv(a, b) => two("bvudiv", a, b),
        Term::Urem(a, b) => two("bvurem", a, b),
        Term::Shl(a, b) => two("bvshl", a, b),
        Term::Lshr(a, b) => two("bvlshr", a, b),
        Term::Ashr(a, b) => two("bvashr", a, b),
        Term::Eq(a, b) => format!("(ite {} #b1 #b0)", two("=", a, b)),
        Term::Ult(a, b) => format!("(ite {} #b1 #b0)", two("bvult", a, b)),
        Term::Select(c, a, b) => format!("(ite (= {} #b1) {} {})", name(c), name(a), name(b)),
        Term::Zext(a) => format!("((_ zero_extend {}) {})", width - terms.width_of(*a), name(a)),
        Term::Sext(a) => format!("((_ sign_extend {}) {})", width - terms.width_of(*a), name(a)),
        Term::Trunc(a) => format!("((_ extract {} 0) {})", width - 1, name(a)),
    }
}

/// The values in an answer to `get-value`; `None` if the answer is malformed or incomplete.
pub(super) fn values(terms: &Terms, answer: &str) -> Option<IdVec<VarId, ApInt>> {
    let spaced = answer.replace('(', " ( ").replace(')', " ) ");
    let mut tokens = spaced.split_whitespace();
    if terms.vars() == 0 {
        return Some(IdVec::default());
    }
    let expect =
        |wanted: &str, tokens: &mut std::str::SplitWhitespace<'_>| (tokens.next()? == wanted).then_some(());
    expect("(", &mut tokens)?;
    let mut values = IdVec::default();
    for (var, width) in terms.var_widths() {
        expect("(", &mut tokens)?;
        expect(&format!("v{}", var.raw()), &mut tokens)?;
        let value = match tokens.next()? {
            "(" => {
                expect("_", &mut tokens)?;
                let digits = tokens.next()?.strip_prefix("bv")?;
                expect(&width.to_string(), &mut tokens)?;
                expect(")", &mut tokens)?;
                in_radix(width, digits, 10)?
            }
            token => {
                let (digits, radix, bits) = match (token.strip_prefix("#b"), token.strip_prefix("#x")) {
                    (Some(digits), _) => (digits, 2, digits.len()),
                    (_, Some(digits)) => (digits, 16, digits.len() * 4),
                    _ => return None,
                };
                if bits as u64 != u64::from(width) {
                    return None;
                }
                in_radix(width, digits, radix)?
            }
        };
        values.push(value);
        expect(")", &mut tokens)?;
    }
    expect(")", &mut tokens)?;
    tokens.next().is_none().then_some(values)
}

fn in_radix(width: u32, digits: &str, radix: u32) -> Option<ApInt> {
    let value = num_bigint::BigUint::parse_bytes(digits.as_bytes(), radix)?;
    (value.bits() <= u64::from(width)).then(|| ApInt::from_biguint(width, &value))
}
