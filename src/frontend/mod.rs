//! The front ends, which read rule files and definitions of dialects, and lower the rules to the rule form.

pub(crate) mod cxx;
pub(crate) mod dialects;
pub(crate) mod drr;
pub(crate) mod load;
mod loaded;
pub(crate) mod ods;
pub(crate) mod pdl_text;
pub(crate) mod prelude;
pub mod tablegen;
