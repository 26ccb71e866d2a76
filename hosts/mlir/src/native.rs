//! MLIR's own engine on the same IR, for tests and comparisons: PDL patterns that MLIR compiles and applies.

use std::ffi::c_int;

use crate::capi::{
    FrozenPatternSet, mlirApplyPatternsAndFoldGreedily, mlirFreezeRewritePattern,
    mlirFrozenRewritePatternSetDestroy, mlirGreedyRewriteDriverConfigCreate,
    mlirGreedyRewriteDriverConfigDestroy, mlirGreedyRewriteDriverConfigEnableConstantCSE,
    mlirGreedyRewriteDriverConfigEnableFolding, mlirGreedyRewriteDriverConfigSetRegionSimplificationLevel,
    mlirModuleCreateParse, mlirModuleDestroy, mlirModuleGetOperation, mlirPDLPatternModuleFromModule,
    mlirRewritePatternSetCreate, mlirRewritePatternSetFromPDLPatternModule,
};
use crate::host::MlirHost;

/// `MLIR_GREEDY_SIMPLIFY_REGION_LEVEL_DISABLED`.
const NO_SIMPLIFICATION: c_int = 0;

/// A set of `pdl` patterns that MLIR has compiled, in the context of one host.
pub struct MlirPatterns(FrozenPatternSet);

impl MlirPatterns {
    /// Returns an empty set of patterns; applying it removes dead operations.
    pub fn none(host: &MlirHost) -> Self {
        // SAFETY: the context exists, and freezing takes ownership of the set.
        unsafe { Self(mlirFreezeRewritePattern(mlirRewritePatternSetCreate(host.context))) }
    }

    /// Compiles a module of `pdl` patterns. Returns `None` if MLIR rejects it, or if it has no patterns, on which
    /// MLIR's compiler crashes.
    pub fn compile(host: &MlirHost, pdl: &str) -> Option<Self> {
        // SAFETY: each object is created from the previous one, which it takes ownership of.
        unsafe {
            let module = mlirModuleCreateParse(host.context, pdl.into());
            if module.0 == 0 {
                return None;
            }
            if MlirHost::inside(mlirModuleGetOperation(module)).is_empty() {
                mlirModuleDestroy(module);
                return None;
            }
            let patterns = mlirRewritePatternSetFromPDLPatternModule(mlirPDLPatternModuleFromModule(module));
            Some(Self(mlirFreezeRewritePattern(patterns)))
        }
    }

    /// Applies the patterns to the host's module with MLIR's greedy driver, without folding, uniquing of
    /// constants and simplification of regions. Returns true if the driver converged.
    pub fn apply(&self, host: &mut MlirHost) -> bool {
        // SAFETY: the patterns and the module share a context; the settings are created and destroyed here.
        unsafe {
            let config = mlirGreedyRewriteDriverConfigCreate();
            mlirGreedyRewriteDriverConfigEnableFolding(config, false);
            mlirGreedyRewriteDriverConfigEnableConstantCSE(config, false);
            mlirGreedyRewriteDriverConfigSetRegionSimplificationLevel(config, NO_SIMPLIFICATION);
            let result = mlirApplyPatternsAndFoldGreedily(host.module, self.0, config);
            mlirGreedyRewriteDriverConfigDestroy(config);
            result.value != 0
        }
    }
}

impl Drop for MlirPatterns {
    fn drop(&mut self) {
        // SAFETY: the set exists and is not used afterwards.
        unsafe { mlirFrozenRewritePatternSetDestroy(self.0) }
    }
}
