mod builtin;
mod errors;
mod ods_verify;
mod text;
