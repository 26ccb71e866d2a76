//! Compiles rules to a program by calling the stages in order.

#[cfg(feature = "frontend")]
use std::path::{Path, PathBuf};

use crate::bytecode::{self, Program};
#[cfg(feature = "frontend")]
use crate::frontend::load::error;
use crate::log::span;
use crate::matcher_tree;
#[cfg(feature = "frontend")]
use crate::pdl::PatternId;
use crate::pdl::RuleSet;
#[cfg(feature = "frontend")]
use crate::source::read;
use crate::source::{Diagnostics, SourceMap};

#[cfg(feature = "frontend")]
pub use crate::frontend::dialects::DialectFiles;
#[cfg(feature = "frontend")]
pub use crate::frontend::load::{Loaded, Options, Rejected, load, load_added, records, rules};

/// Compiles rules to a program.
///
/// ```
/// use drrvm::{compile, pdl::RuleSet};
/// let mut rules = RuleSet::default();
/// let mut rule = rules.pattern("erase_nop", 1);
/// let root = rule.op("t.nop").matched();
/// rule.erase(root);
/// rule.finish()?;
/// let program = compile::program(&rules)?;
/// assert_eq!(program.patterns().len(), 1);
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
///
/// # Errors
/// A rule does not verify or cannot be compiled, or the program would exceed a limit.
pub fn program(rules: &RuleSet) -> Result<Program, Diagnostics> {
    program_with(rules, &matcher_tree::Config::default())
}

/// Like [`program`], with a configuration of the matcher tree.
pub(crate) fn program_with(rules: &RuleSet, config: &matcher_tree::Config) -> Result<Program, Diagnostics> {
    span!("compile", rules = rules.patterns.len());
    let rules = rules.verify()?;
    let tree = matcher_tree::build(rules, config)?;
    bytecode::compile(rules, &tree)
}

/// The content of a `.drrbc` file with a program, which [`Program::from_bytes`] loads.
///
/// ```
/// use drrvm::{Program, RuleSet, SourceMap, compile};
/// let program = compile::program(&RuleSet::default())?;
/// let bytes = compile::file(&program, &SourceMap::default())?;
/// let loaded = Program::from_bytes(&bytes, &mut SourceMap::default()).expect("a file that was just written");
/// assert_eq!(loaded.patterns().len(), 0);
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
///
/// # Errors
/// The program exceeds a limit of [`Program::from_bytes`], for example on the steps of a match.
pub fn file(program: &Program, sources: &SourceMap) -> Result<Vec<u8>, Diagnostics> {
    let bytes = program.to_bytes(sources);
    match Program::from_bytes(&bytes, &mut SourceMap::default()) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(error.of_new(program.patterns().len()).into()),
    }
}

/// A program with the selection of its rules.
#[cfg(feature = "frontend")]
#[derive(Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// The rules that the program was compiled from; `None` for a loaded program.
    pub rules: Option<RuleSet>,
    /// The rules of a loaded program that are not selected; see [`LinkOptions::left_out`](crate::vm::LinkOptions).
    pub left_out: Vec<PatternId>,
}

/// Compiles rule files, or loads a compiled program, which must be the only file. Returns the warnings too.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("rules.td");
/// # std::fs::write(&path, r#"
/// # include "mlir/IR/PatternBase.td"
/// # def T_Dialect : Dialect { let name = "t"; }
/// # def Neg : Op<T_Dialect, "neg"> {
/// #   let arguments = (ins AnyType:$x);
/// #   let results = (outs AnyType:$y);
/// # }
/// # def NegNeg : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;
/// # "#).expect("a file");
/// use drrvm::{SourceMap, compile};
/// let options = compile::Options::default();
/// let (compiled, warnings) = compile::compiled(&mut SourceMap::default(), &[path], &options)?;
/// assert_eq!(compiled.program.patterns().len(), 1);
/// assert!(warnings.is_empty());
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
///
/// # Errors
/// All errors of all files; a compiled program together with other files or with [`Options::commute`].
#[cfg(feature = "frontend")]
pub fn compiled(
    sources: &mut SourceMap,
    files: &[PathBuf],
    options: &Options,
) -> Result<(Compiled, Diagnostics), Diagnostics> {
    let Some(path) = files.iter().find(|path| is_program(path)) else {
        let (rules, warnings) = rules(sources, files, options)?;
        let compiled = Compiled { program: program(&rules)?, rules: Some(rules), left_out: Vec::new() };
        return Ok((compiled, warnings));
    };
    if files.len() > 1 {
        return Err(error::not_alone(path).into());
    }
    if options.commute {
        return Err(error::not_commuted(path).into());
    }
    let (name, bytes) = read(path)?;
    let program = Program::from_bytes(&bytes, sources).map_err(|error| error.diagnostic(&name))?;
    let left_out = program.unselected(&options.enable, &options.disable)?;
    Ok((Compiled { program, rules: None, left_out }, Diagnostics::default()))
}

/// True if the file name is the name of a compiled program.
#[cfg(feature = "frontend")]
pub(crate) fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "drrbc")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdl::{LocalId, Step};

    #[test]
    fn rules_that_do_not_verify_are_errors() {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("rule", 1);
        rule.op("t.op").matched();
        let rule = rule.finish().expect("a valid rule");
        assert!(program(&rules).is_ok());

        let mut changed = rules.patterns()[rule].clone();
        changed.rewrite.steps.push(Step::Erase { op: LocalId::from_raw(7).into() });
        let errors = program(&rules.with_patterns([changed])).expect_err("an invalid rule");
        let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(messages, ["a rewrite step refers to a local that the rule does not have"]);
    }
}
