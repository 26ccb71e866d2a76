//! Checks that the attributes and types of dialects follow their declared formats.
//!
//! Each type and attribute is checked once, even if it occurs in many lists, function types or tensors.

use std::cell::RefCell;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::error::{self, CheckResult};
use crate::host::{AttrKind, ElementValue, Facets, TypeKind};
use crate::ir::{AttrId, IrHost, OpId, TypeId, brief};
use crate::snippet::Snippets;
use crate::stack::with_room;

/// The cached results for types and attributes.
#[derive(Default)]
pub(super) struct TextChecks {
    types: RefCell<HashMap<TypeId, CheckResult, FxBuildHasher>>,
    attrs: RefCell<HashMap<AttrId, CheckResult, FxBuildHasher>>,
}

impl TextChecks {
    /// Checks the attributes of an operation and the types of its operands and results.
    pub(super) fn check_op(&self, host: &IrHost, snippets: &Snippets, op: OpId) -> CheckResult {
        let module = &host.module;
        for attr in [module.attrs(op), module.properties(op)] {
            self.of_attr(host, snippets, attr)?;
        }
        let mut values = module.operands(op).iter().copied().chain(module.results(op));
        values.try_for_each(|value| self.of_type(host, snippets, module.value_type(value)))
    }

    fn of_type(&self, host: &IrHost, snippets: &Snippets, ty: TypeId) -> CheckResult {
        if let Some(known) = self.types.borrow().get(&ty) {
            return known.clone();
        }
        let parts = |count: u32| {
            let mut parts = (0..count).filter_map(|index| host.type_part(ty, index));
            parts.try_for_each(|part| self.of_type(host, snippets, part))
        };
        let verdict = with_room(|| match host.type_kind(ty) {
            TypeKind::Dialect => read(snippets, &host.type_text(ty)),
            TypeKind::Function { inputs, results } => parts(inputs.saturating_add(results)),
            TypeKind::Tuple(count) => parts(count),
            TypeKind::Complex(element)
            | TypeKind::Vector { element, .. }
            | TypeKind::RankedTensor { element, .. }
            | TypeKind::UnrankedTensor(element)
            | TypeKind::MemRef { element, .. }
            | TypeKind::UnrankedMemRef(element) => self.of_type(host, snippets, element),
            TypeKind::Integer { .. } | TypeKind::Index | TypeKind::Float(_) | TypeKind::None => Ok(()),
        });
        self.types.borrow_mut().insert(ty, verdict.clone());
        verdict
    }

    fn of_attr(&self, host: &IrHost, snippets: &Snippets, attr: AttrId) -> CheckResult {
        if let Some(known) = self.attrs.borrow().get(&attr) {
            return known.clone();
        }
        let verdict = with_room(|| match host.attr_kind(attr) {
            AttrKind::Other => read(snippets, &host.attr_text(attr)),
            AttrKind::Array { len } | AttrKind::Dictionary { len } => {
                (0..len).try_for_each(|index| match host.attr_element(attr, index) {
                    Some(ElementValue::Attr(element)) => self.of_attr(host, snippets, element),
                    _ => Ok(()),
                })
            }
            AttrKind::Type => host.attr_held_type(attr).map_or(Ok(()), |ty| self.of_type(host, snippets, ty)),
            _ => Ok(()),
        });
        self.attrs.borrow_mut().insert(attr, verdict.clone());
        verdict
    }
}

fn read(snippets: &Snippets, text: &str) -> CheckResult {
    let Some(class) = snippets.class_of_text(text) else { return Ok(()) };
    snippets
        .read_body(class, text)
        .map(drop)
        .map_err(|problem| error::body(&brief(text.to_owned()), &brief(problem)))
}
