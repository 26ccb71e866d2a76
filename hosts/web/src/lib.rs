//! drrvm for a web page: requests and answers as JSON.
//!
//! [`Session`] answers requests and can be tested without a browser. On `wasm32`, `exports.rs` passes the bytes between
//! JavaScript and a session.

mod diagnostics;
#[cfg(target_family = "wasm")]
mod exports;
mod request;
mod session;

pub use session::Session;
