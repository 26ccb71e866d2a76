mod builtin;
mod errors;
mod formats;
mod ods_verify;
mod text;
