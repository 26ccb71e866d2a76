mod builtin;
mod custom_forms;
mod errors;
mod formats;
mod mlirbc;
mod ods_verify;
mod stablehlo;
mod text;
