//! MLIR's own engine on the same IR, to hold the host to and to time it beside: PDL patterns, compiled
//! and run by MLIR.

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

/// A set of `pdl` patterns that MLIR has compiled. It belongs to the context of one host.
pub struct MlirPatterns(FrozenPatternSet);

impl MlirPatterns {
    /// No patterns: what applying them does is to remove what is dead.
    pub fn none(host: &MlirHost) -> Self {
        // SAFETY: the context is there; freezing takes the set over.
        unsafe { Self(mlirFreezeRewritePattern(mlirRewritePatternSetCreate(host.context))) }
    }

    /// Compiles a module of `pdl` patterns; `None` if MLIR does not read it, or if there is no pattern in it, which
    /// MLIR's compiler does not survive.
    pub fn compile(host: &MlirHost, pdl: &str) -> Option<Self> {
        // SAFETY: each object is made from the one before, which takes it over.
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

    /// Applies them to the host's module with MLIR's greedy driver, without folding, uniquing of constants and
    /// simplification of regions; whether it converged.
    pub fn apply(&self, host: &mut MlirHost) -> bool {
        // SAFETY: the patterns and the module are of one context; the settings are made and destroyed here.
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
        // SAFETY: the set is there, and used no more.
        unsafe { mlirFrozenRewritePatternSetDestroy(self.0) }
    }
}
