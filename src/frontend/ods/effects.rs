//! The memory effects that the definition of an operation states.
//!
//! Specification: an operation gets [`Trait::Pure`], [`Trait::ReadsMemory`] or [`Trait::NestedEffects`] only if the
//! effects that its definition states allow MLIR's `isOpTriviallyDead` to return true for the unused operation. For
//! `NestedEffects`, the return value also depends on the operations in the regions. Terminators and symbols are never
//! trivially dead in MLIR, but they can get these traits as well.

use super::fields::text;
use crate::frontend::tablegen::{Dag, Record, Records, Value};
use crate::pdl::Trait;

const ALLOCATE: &str = "::mlir::MemoryEffects::Allocate";
const READ: &str = "::mlir::MemoryEffects::Read";

/// The trait for the effects of an operation with these traits, operands and results; `None` if its effects keep it
/// alive, or if they are unknown.
pub(super) fn effects_trait(
    records: &Records,
    traits: &[Record<'_>],
    arguments: Dag<'_>,
    results: Dag<'_>,
) -> Option<Trait> {
    // For each effect, true if it does not keep the operation alive.
    let mut removable = Vec::new();
    let mut add = |found: Vec<&str>, of_allocated: bool| {
        removable.extend(found.into_iter().map(|effect| of_allocated || effect == READ));
    };
    let is_interface = |item: &&Record<'_>| text(**item, "trait") == "MemoryEffectOpInterface::Trait";
    for item in traits.iter().filter(is_interface) {
        // Without a list, C++ code implements the interface.
        add(memory_effects(records, *item, "effects")?, false);
    }
    arguments.args().for_each(|argument| add(decorators(records, argument.value), false));
    for result in results.args() {
        let found = decorators(records, result.value);
        let allocates = found.contains(&ALLOCATE);
        add(found, allocates);
    }
    let is_nested = traits.iter().any(|item| text(*item, "trait") == "HasRecursiveMemoryEffects");
    match () {
        () if removable.contains(&false) => None,
        () if is_nested => Some(Trait::NestedEffects),
        () if !removable.is_empty() => Some(Trait::ReadsMemory),
        () => traits.iter().any(|item| is_interface(&item)).then_some(Trait::Pure),
    }
}

/// The effects in the list of a decorated operand, attribute or result.
fn decorators(records: &Records, value: Value) -> Vec<&str> {
    match value {
        Value::Def(id) => memory_effects(records, records.record(id), "decorators").unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// The names of the memory effects in the list `field`; `None` if the record has no such list.
fn memory_effects<'a>(records: &'a Records, record: Record<'a>, field: &str) -> Option<Vec<&'a str>> {
    let effects = record.list_field(field).ok()?.filter_map(|item| match item {
        Value::Def(id) => Some(records.record(id)).filter(|effect| effect.is_subclass_of("MemoryEffect")),
        _ => None,
    });
    Some(effects.map(|effect| text(effect, "effect")).collect())
}
