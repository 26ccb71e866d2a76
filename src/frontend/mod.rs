//! The front ends: rule files to the rule form.

pub mod cxx;
pub mod drr;
pub mod load;
pub mod ods;
pub mod pdl_text;
pub mod prelude;
pub mod tablegen;
