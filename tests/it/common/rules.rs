//! Diagnostics of rules in TableGen.

use std::path::PathBuf;

use drrvm::internal::frontend::{drr, ods, prelude, tablegen};
use drrvm::pdl::RuleSet;
use drrvm::source::{Diagnostics, SourceMap};

/// Returns the diagnostics of a rule file with errors, or no diagnostics if the file has no errors. Loading stops after
/// the first stage with an error.
pub(crate) fn errors_of(
    name: &str,
    text: &str,
    include_dirs: Vec<PathBuf>,
    defines: Vec<String>,
) -> (SourceMap, Diagnostics) {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text.to_owned()).expect("the file is small");
    let config = tablegen::Config { include_dirs, defines, embedded: prelude::FILES, ..Default::default() };
    let errors = match tablegen::parse(&mut sources, file, &config) {
        Ok(parsed) => {
            let mut rules = RuleSet::default();
            drr::lower(&ods::read(&parsed.records), &sources, &mut rules).err().unwrap_or_default()
        }
        Err(errors) => ods::advise(errors, &sources),
    };
    (sources, errors)
}
