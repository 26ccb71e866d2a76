//! The verification of operations whose definitions a context has read.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::definitions::Definitions;
use super::error;
use super::wire::decode;
use crate::host::{Natives, OpNameId};
use crate::ir::{IrHost, OpId};
use crate::source::Diagnostic;

/// The definitions that the context of a host has read, linked to this host.
#[derive(Default)]
pub(crate) struct LoadedDefinitions {
    parts: Vec<Definitions>,
    /// For each operation, the index of the part that defines it.
    ops: HashMap<OpNameId, usize, FxBuildHasher>,
    /// The number of linked entries of [`Context::constraints`](crate::ir::Context::constraints).
    linked: usize,
}

impl LoadedDefinitions {
    /// Links the definitions that the context has read since the last call.
    ///
    /// # Errors
    /// The definitions are damaged.
    pub(crate) fn update(&mut self, host: &mut IrHost, natives: &Natives<IrHost>) -> Result<(), Diagnostic> {
        while let Some(bytes) = host.context.constraints().get(self.linked).cloned() {
            self.linked += 1;
            let rules = decode(&bytes).map_err(error::damaged)?;
            let part = Definitions::link(&rules.ops, &rules.strings, &rules.snippets, host, natives);
            self.ops.extend(part.ops.keys().map(|&name| (name, self.parts.len())));
            self.parts.push(part);
        }
        Ok(())
    }

    /// Returns the first violation of an operation's definition, if the operation has a definition.
    pub(crate) fn check(&self, host: &IrHost, op: OpId) -> Option<Diagnostic> {
        let part = &self.parts[*self.ops.get(&host.module.name(op))?];
        part.check_definition_of(host, op)
    }
}
