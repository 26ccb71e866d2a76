//! The printer of a module, and the parts of its lines that all forms share.

use super::names::SsaNumbering;
use super::options::PrintOptions;
use super::printer::Printer;
use crate::ir::ids::{LocId, TypeId};
use crate::ir::module::{Module, ValueId};
use crate::ir::verbatim::AliasTarget;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

/// A type function and its argument. The address of the `TypeFunction` identifies the function.
type Application = (usize, TypeId);

/// The computed results of type functions.
#[derive(Default)]
pub(super) struct InferredTypes {
    /// The texts of the results; `None` if the function yields no types.
    pub(super) texts: HashMap<Application, Option<Arc<[String]>>, FxBuildHasher>,
    /// For an application and a type, true if the function yields exactly this type.
    pub(super) single: HashMap<(Application, TypeId), bool, FxBuildHasher>,
}

/// A module that is being written.
pub(super) struct ModulePrinter<'a> {
    pub(super) printer: Printer<'a>,
    pub(super) module: &'a Module,
    pub(super) names: SsaNumbering,
    pub(super) options: PrintOptions,
    pub(super) inferred: InferredTypes,
}

impl ModulePrinter<'_> {
    pub(super) fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.printer.out.push_str("  ");
        }
    }

    pub(super) fn value(&mut self, value: ValueId) {
        self.names.value(&mut self.printer.out, self.module, value, true);
    }

    pub(super) fn trailing_loc(&mut self, loc: LocId, alias: bool) {
        if self.options.debug_info {
            if !alias {
                // MLIR defines an alias for the location of an argument, although the text of the argument does not
                // contain the alias.
                self.printer.used.insert(AliasTarget::Loc(loc));
            }
            self.printer.out.push(' ');
            self.printer.loc(loc, !alias);
        }
    }
}
