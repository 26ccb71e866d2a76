//! Modules that are parsed, owned and printed by the package, for tests and for programs without MLIR's own driver.

use std::ffi::c_void;

use crate::capi::{
    Operation, StringCallback, StringRef, mlirContextCreate, mlirContextDestroy,
    mlirContextSetAllowUnregisteredDialects, mlirDialectHandleLoadDialect, mlirGetDialectHandle__arith__,
    mlirGetDialectHandle__cf__, mlirGetDialectHandle__func__, mlirGetDialectHandle__memref__,
    mlirGetDialectHandle__scf__, mlirGetDialectHandle__tensor__, mlirGetDialectHandle__vector__,
    mlirModuleCreateParse, mlirModuleGetOperation, mlirOpPrintingFlagsCreate, mlirOpPrintingFlagsDestroy,
    mlirOpPrintingFlagsPrintGenericOpForm, mlirOperationPrintWithFlags, mlirOperationVerify,
};
use crate::host::MlirHost;
use crate::owned::OwnedModule;

unsafe extern "C" fn append(text: StringRef, to: *mut c_void) {
    // SAFETY: `printed` passes its own buffer, and MLIR passes a string with its length.
    let (to, piece) =
        unsafe { (&mut *to.cast::<Vec<u8>>(), std::slice::from_raw_parts(text.data.cast(), text.length)) };
    to.extend_from_slice(piece);
}

/// Returns the text that one of MLIR's printers writes.
pub(crate) fn printed(print: impl FnOnce(StringCallback, *mut c_void)) -> String {
    let mut text: Vec<u8> = Vec::new();
    print(append, (&raw mut text).cast());
    String::from_utf8_lossy(&text).into_owned()
}

impl MlirHost {
    /// Parses a module in a new context, and returns the host with the operation of the module. Returns `None` if MLIR
    /// rejects the text; MLIR writes the reason to standard error.
    ///
    /// # Panics
    /// The loaded MLIR has another version or memory layout than the MLIR that the package was built for.
    pub fn parse(text: &str) -> Option<(Self, Operation)> {
        // MLIR's lexer reads one byte past the text, and expects a zero there.
        let terminated = format!("{text}\0");
        // SAFETY: the context is new. It is destroyed below if there is no module, or else by the `OwnedModule`.
        let (context, module) = unsafe {
            let context = mlirContextCreate();
            mlirContextSetAllowUnregisteredDialects(context, true);
            for dialect in [
                mlirGetDialectHandle__arith__,
                mlirGetDialectHandle__cf__,
                mlirGetDialectHandle__func__,
                mlirGetDialectHandle__memref__,
                mlirGetDialectHandle__scf__,
                mlirGetDialectHandle__tensor__,
                mlirGetDialectHandle__vector__,
            ] {
                mlirDialectHandleLoadDialect(dialect(), context);
            }
            (context, mlirModuleCreateParse(context, terminated[..text.len()].into()))
        };
        if module.0 == 0 {
            // SAFETY: nothing else refers to the context.
            unsafe { mlirContextDestroy(context) };
            return None;
        }
        let mut host = Self::attach(context).unwrap_or_else(|error| panic!("{error}"));
        host.owned = Some(std::sync::Arc::new(OwnedModule { context, module }));
        // SAFETY: the module exists.
        Some((host, unsafe { mlirModuleGetOperation(module) }))
    }

    /// Returns true if MLIR's verifier accepts an operation; otherwise MLIR reports the errors.
    pub fn verify(&self, op: Operation) -> bool {
        // SAFETY: the operation exists.
        unsafe { mlirOperationVerify(op) }
    }

    /// The text of an operation in generic form.
    pub fn print(&self, op: Operation) -> String {
        // SAFETY: the flags are created and destroyed here.
        unsafe {
            let flags = mlirOpPrintingFlagsCreate();
            mlirOpPrintingFlagsPrintGenericOpForm(flags);
            let text = printed(|callback, to| mlirOperationPrintWithFlags(op, flags, callback, to));
            mlirOpPrintingFlagsDestroy(flags);
            text
        }
    }
}
