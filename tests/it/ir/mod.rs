mod builtin;
mod errors;
mod formats;
mod mlirbc;
mod ods_verify;
mod text;
