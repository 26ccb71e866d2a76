//! The owner of a parsed module and its context.

use crate::capi::{Context, Module, mlirContextDestroy, mlirModuleDestroy};

/// A module and its context, which are destroyed when this owner is dropped.
pub(crate) struct OwnedModule {
    pub(crate) context: Context,
    pub(crate) module: Module,
}

impl Drop for OwnedModule {
    fn drop(&mut self) {
        // SAFETY: nothing else owns the module and the context, and the module is destroyed before its context.
        unsafe {
            mlirModuleDestroy(self.module);
            mlirContextDestroy(self.context);
        }
    }
}
