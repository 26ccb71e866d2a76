//! The front ends, which lower rule files to the rule form.

pub(crate) mod cxx;
pub(crate) mod dialects;
pub(crate) mod drr;
pub(crate) mod load;
mod loaded;
pub(crate) mod ods;
pub(crate) mod pdl_text;
pub(crate) mod prelude;
pub mod tablegen;
