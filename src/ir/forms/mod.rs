//! Forms and directives that only C++ code describes upstream, by dialect.
//!
//! Specification: for valid operations, each form reads the text that the C++ parser reads, and prints the text that
//! the C++ printer prints. The parsers and printers are those of MLIR 22.1, and of the packages `jaxlib` 0.10
//! (StableHLO), `circt` 1.62, `triton` 3.9, `iree-base-compiler` 3.13, `torch_mlir` 20261001 and `heir_py` 2026.11.1.
//!
//! A declared format takes precedence over a form of this folder, unless a part of the format needs C++ code. The
//! reason is that another project can define an operation with the same name and another format.
//!
//! An embedder can register more forms in the same way, with [`Context::forms_mut`](super::Context::forms_mut).

mod acc;
mod affine;
mod asynchronous;
pub(in crate::ir) mod circt;
mod class_lists;
mod control_flow;
mod dlti;
mod error;
mod function;
mod gpu;
pub(in crate::ir) mod heir;
mod index_list;
mod iree;
mod linalg;
mod lists;
mod llvm;
mod llvm_calls;
mod llvm_types;
mod memref;
mod named;
mod nvvm;
mod omp;
mod omp_schedule;
mod pdl;
mod quant;
mod scf;
mod shape;
mod signature;
mod sparse_tensor;
mod spirv;
mod spirv_types;
mod stablehlo;
mod torch;
mod tosa;
mod transform;
mod triton;
mod vector;
mod vector_elements;

use std::sync::{Arc, OnceLock};

use super::dialect::Forms;

/// All forms and directives of this folder.
pub(super) fn upstream() -> Arc<Forms> {
    // The table is immutable. Building it for each context would take longer than many runs.
    static FORMS: OnceLock<Arc<Forms>> = OnceLock::new();
    let all = || {
        let mut forms = Forms::default();
        acc::register(&mut forms);
        affine::register(&mut forms);
        asynchronous::register(&mut forms);
        circt::register(&mut forms);
        control_flow::register(&mut forms);
        dlti::register(&mut forms);
        function::register(&mut forms);
        gpu::register(&mut forms);
        heir::register(&mut forms);
        index_list::register(&mut forms);
        iree::register(&mut forms);
        linalg::register(&mut forms);
        llvm::register(&mut forms);
        llvm_calls::register(&mut forms);
        llvm_types::register(&mut forms);
        memref::register(&mut forms);
        named::register(&mut forms);
        nvvm::register(&mut forms);
        omp::register(&mut forms);
        omp_schedule::register(&mut forms);
        pdl::register(&mut forms);
        quant::register(&mut forms);
        scf::register(&mut forms);
        shape::register(&mut forms);
        signature::register(&mut forms);
        sparse_tensor::register(&mut forms);
        spirv::register(&mut forms);
        spirv_types::register(&mut forms);
        stablehlo::register(&mut forms);
        torch::register(&mut forms);
        tosa::register(&mut forms);
        transform::register(&mut forms);
        triton::register(&mut forms);
        vector::register(&mut forms);
        vector_elements::register(&mut forms);
        forms.override_formats();
        Arc::new(forms)
    };
    FORMS.get_or_init(all).clone()
}
