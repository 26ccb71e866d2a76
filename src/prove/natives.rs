//! The natives of `arith` over symbolic values. Other constraints are uninterpreted functions if they have no result,
//! or one result whose kind is Boolean, integer or not stated. The meaning of all other natives is unknown.
//!
//! Specification: the results are those of the natives in [`crate::natives::arith`].

use crate::host::Kind;
use crate::natives::INVERSE;
use crate::number::ApInt;
use crate::semantics::Bits;

use super::state::State;
use super::stop::{Result, Stop, unknown};
use super::term::TermId;
use super::value::{Attr, INT_WIDTH, Ty, Val, int};

/// The result of a native, and the bit that is set if the native fails.
pub(super) struct Called {
    pub(super) value: Val,
    pub(super) failed: TermId,
}

/// Calls a native. `results` has the kinds of its results. `matching` is true for a constraint, which is called while
/// matching.
pub(super) fn call(
    state: &mut State<'_>,
    name: &str,
    args: &[Val],
    results: &[Option<Kind>],
    matching: bool,
) -> Result<Called> {
    let mut failed = state.terms.boolean(false);
    let value = match (name, args) {
        ("getIntOrSplatIntValue", [Val::Attr(Attr::Int { value, .. })]) => Val::ApInt(*value),
        ("getIntOrSplatIntValue", [Val::Attr(Attr::Unit { .. } | Attr::Overflow { .. })]) => Val::Null,
        ("getScalarOrElementWidth", [of]) => {
            let ty = match of {
                Val::Type(ty) => *ty,
                Val::Value(value) => state.values[*value].ty,
                Val::Op(op) => match state.ops[*op].results.first() {
                    Some(&result) => state.values[result].ty,
                    None => return unknown("a native reads the width of an operation without results"),
                },
                _ => return unknown("a native reads the width of an entity without a type"),
            };
            state.type_matters(ty);
            let width = match ty {
                Ty::Int(width) => i128::from(width),
                Ty::Index => -1,
                Ty::Other(_) => {
                    return unknown(
                        "a native reads the width of a type that is neither an integer nor 'index'",
                    );
                }
            };
            Val::Int(int(&mut state.terms, width))
        }
        (
            "addIntegerAttrs" | "subIntegerAttrs" | "mulIntegerAttrs",
            [Val::Value(of), Val::Attr(Attr::Int { value: a, .. }), Val::Attr(Attr::Int { value: b, .. })],
        ) => {
            let ty = state.values[*of].ty;
            let terms = &mut state.terms;
            if terms.width(a) != terms.width(b) || ty.attr_width() != Some(terms.width(a)) {
                return Err(Stop::Fails);
            }
            let value = match name {
                "addIntegerAttrs" => terms.add(a, b),
                "subIntegerAttrs" => terms.sub(a, b),
                _ => terms.mul(a, b),
            };
            Val::Attr(Attr::Int { ty, value })
        }
        (
            "mergeOverflowFlags",
            [Val::Attr(Attr::Overflow { nsw: s1, nuw: u1 }), Val::Attr(Attr::Overflow { nsw: s2, nuw: u2 })],
        ) => Val::Attr(Attr::Overflow { nsw: state.terms.and(s1, s2), nuw: state.terms.and(u1, u2) }),
        ("invertPredicate", [Val::Attr(Attr::Int { ty, value })]) => {
            let terms = &mut state.terms;
            let width = terms.width(value);
            let mut inverted = *value;
            failed = terms.boolean(true);
            for (predicate, inverse) in (0..).zip(INVERSE) {
                let predicate = terms.constant(ApInt::from_u64(width, predicate));
                let inverse = terms.constant(ApInt::from_u64(width, inverse));
                let is = terms.eq(value, &predicate);
                inverted = terms.select(&is, &inverse, &inverted);
                let not = terms.not(&is);
                failed = terms.and(&failed, &not);
            }
            Val::Attr(Attr::Int { ty: *ty, value: inverted })
        }
        ("getI1SameShape", [Val::Type(Ty::Int(_) | Ty::Index)]) => Val::Type(Ty::Int(1)),
        _ if matching => uninterpreted(state, name, args, results)?,
        _ => return unknown(format!("the native '{name}' has no known meaning")),
    };
    Ok(Called { value, failed })
}

/// The result of a constraint that is only known to be a function of its arguments.
fn uninterpreted(state: &mut State<'_>, name: &str, args: &[Val], results: &[Option<Kind>]) -> Result<Val> {
    let key = format!("{name} {args:?}");
    let width = match results {
        [] | [None | Some(Kind::Bool)] => 1,
        [Some(Kind::Int)] => 64,
        _ => return unknown(format!("the native '{name}' has no known meaning")),
    };
    let term = match state.functions.get(&key) {
        Some(&term) => term,
        None => {
            let term = state.terms.var(width);
            state.functions.insert(key, term);
            term
        }
    };
    if !state.uninterpreted.iter().any(|known| known == name) {
        state.uninterpreted.push(name.to_owned());
    }
    Ok(if width == 1 { Val::Bool(term) } else { Val::Int(state.terms.sext_or_trunc(&term, INT_WIDTH)) })
}
