//! The casts that remain after all operations are legal.
//!
//! Specification: casts that no operation uses, and casts of casts back to the same types, are removed. A
//! materialisation replaces each of the other casts, unless casts are kept. If there is no materialisation or if it
//! refuses, the conversion fails.

use super::config::Conversion;
use super::driver::failure;
use super::report::{ConversionFailure, FailureKind};
use super::state::State;
use crate::host::{Blocks, Facets, Journal, Refusal, Rewriter};

/// Removes or replaces the pending casts. Returns the number of casts that could not be removed.
pub(super) fn resolve<H: Facets + Blocks>(
    state: &mut State<'_, H>,
    conversion: &Conversion<H>,
) -> Result<u64, Vec<ConversionFailure<H>>> {
    let casts = state.casts.clone();
    for &cast in &casts {
        fold(state, cast);
    }
    for &cast in casts.iter().rev() {
        let mut unused = vec![cast];
        while let Some(cast) = unused.pop() {
            if !state.is_dead(cast) && is_unused(state.host, cast) {
                let inputs = inputs(state.host, cast);
                state.erase_cast(cast);
                let defining = inputs.into_iter().filter_map(|input| state.host.defining_op(input));
                unused.extend(defining.filter(|&op| state.is_pending_cast(op)));
            }
        }
    }
    state.move_source_casts();
    let (mut failures, mut remaining) = (Vec::new(), 0);
    for cast in casts {
        if state.is_dead(cast) {
            continue;
        }
        remaining += 1;
        if conversion.keep_casts {
            continue;
        }
        if let Err(refusal) = materialize(state, cast) {
            failures.push(unmaterialized(state.host, cast, refusal));
        }
    }
    if failures.is_empty() { Ok(remaining) } else { Err(failures) }
}

fn inputs<H: Blocks>(host: &H, cast: H::Op) -> Vec<H::Value> {
    (0..host.operand_count(cast)).map(|index| host.operand(cast, index)).collect()
}

fn results<H: Blocks>(host: &H, cast: H::Op) -> Vec<H::Value> {
    (0..host.result_count(cast)).map(|index| host.result(cast, index)).collect()
}

fn is_unused<H: Blocks>(host: &H, op: H::Op) -> bool {
    results(host, op).into_iter().all(|result| host.first_use(result).is_none())
}

/// Searches back through the chain of casts that ends with `cast` for the nearest cast whose inputs have the same types
/// as the results of `cast`. If there is one, its inputs replace these results.
fn fold<H: Facets + Blocks>(state: &mut State<'_, H>, cast: H::Op) {
    if state.is_dead(cast) {
        return;
    }
    let wanted = results(state.host, cast);
    let types = |host: &H, values: &[H::Value]| {
        values.iter().map(|&value| host.value_type(value)).collect::<Vec<_>>()
    };
    let wanted_types = types(state.host, &wanted);
    let mut values = inputs(state.host, cast);
    while types(state.host, &values) != wanted_types {
        let Some(before) = values.first().and_then(|&value| state.host.defining_op(value)) else { return };
        if !state.is_pending_cast(before) || results(state.host, before) != values {
            return;
        }
        values = inputs(state.host, before);
    }
    for (from, to) in wanted.into_iter().zip(values) {
        // The types are equal, so this creates no cast and cannot fail.
        let _ = state.replace_value(from, &[to], |_| None);
    }
}

fn materialize<H: Facets + Blocks>(state: &mut State<'_, H>, cast: H::Op) -> Result<(), Option<Refusal>> {
    let converter = state.converter.ok_or(None)?;
    let (given, wanted) = (inputs(state.host, cast), results(state.host, cast));
    let types: Vec<_> = wanted.iter().map(|&value| state.host.value_type(value)).collect();
    // A cast to an illegal type serves operations that were not converted, so it is a source materialisation. A cast to
    // legal types is a target materialisation.
    let is_target = types.iter().all(|&ty| state.is_legal_type(ty));
    let make = if is_target { &converter.target } else { &converter.source };
    let make = make.as_ref().ok_or(None)?;
    let mut journal = Journal::new();
    let mut rewriter = Rewriter::new(state.host, cast, &mut journal);
    let made = match make(&mut rewriter, &given, &types) {
        Ok(made) => made,
        Err(refusal) => {
            rewriter.roll_back();
            return Err(Some(refusal));
        }
    };
    state.take(&mut journal).map_err(Some)?;
    let fits = made.len() == types.len()
        && made.iter().zip(&types).all(|(&value, &ty)| state.host.value_type(value) == ty);
    if !fits {
        return Err(Some(Refusal::new(
            "the materialisation returned values that differ from the results of the cast in number or type",
        )));
    }
    for (from, to) in wanted.into_iter().zip(made) {
        state.replace_value(from, &[to], |_| None).map_err(Some)?;
    }
    state.erase_cast(cast);
    Ok(())
}

fn unmaterialized<H: Facets + Blocks>(
    host: &H,
    cast: H::Op,
    reason: Option<Refusal>,
) -> ConversionFailure<H> {
    let texts = |values: Vec<H::Value>| {
        values.into_iter().map(|value| host.type_text(host.value_type(value))).collect()
    };
    let used = results(host, cast).into_iter().find_map(|result| host.first_use(result));
    let user = used.map(|used| host.op_name_text(host.op_name(host.use_owner(used))));
    let kind = FailureKind::Unmaterialized {
        from: texts(inputs(host, cast)),
        to: texts(results(host, cast)),
        user,
        reason: reason.map(|refusal| refusal.to_string()),
    };
    ConversionFailure { op: None, ..failure(host, cast, kind) }
}
