//! Canonicalisation for `drrvm opt --canonicalize`: the options of MLIR's pass, the option `filter-dialects`, and the
//! rule files beside definitions.

use std::path::{Path, PathBuf};

use clap::Args;

use super::error;
use super::exit::Failed;
use super::session::Session;
use crate::bytecode::Program;
use crate::compile::Compiled;
use crate::host::Natives;
use crate::ir::IrHost;
use crate::pdl::{PatternId, shown_name};
use crate::rewrite::{Canonicalization, RegionSimplification, Traversal, built_in_rules};
use crate::source::{Diagnostic, Diagnostics};

/// Options of canonicalisation.
#[derive(Debug, Args)]
#[command(next_help_heading = "Canonicalization")]
pub(super) struct CanonicalizeArgs {
    /// Fold operations, apply the given rules and the built-in rules of arith, cf, func and tensor, remove dead code,
    /// and simplify regions, like mlir-opt's pass. OPTIONS are separated by spaces. They are the options of that pass
    /// (top-down=true, region-simplify=disabled|normal|aggressive, max-iterations=N, max-num-rewrites=N,
    /// test-convergence=true, enable-patterns=NAMES, disable-patterns=NAMES) and filter-dialects=NAMES. Unless --rules
    /// names a compiled program, files `*Canonicalization.td` are rule files too if they are in a folder of --dialects,
    /// or beside a file of --dialects
    #[arg(long, value_name = "OPTIONS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(conflicts_with_all = ["convert", "debug", "kind", "traversal", "max_iterations"])]
    #[arg(conflicts_with_all = ["max_rewrites_per_sweep", "strictness", "no_fold", "keep_constants"])]
    canonicalize: Option<String>,
}

/// The canonicalisation that the options describe.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) config: Canonicalization,
    /// True if reaching the limit on sweeps is an error.
    pub(super) test_convergence: bool,
}

impl CanonicalizeArgs {
    pub(super) fn chosen(
        &self,
        session: &Session,
        max_rewrites: Option<u64>,
    ) -> Result<Option<Chosen>, Failed> {
        let Some(text) = &self.canonicalize else { return Ok(None) };
        let mut chosen = parse(text).map_err(|wrong| session.misused(*wrong))?;
        chosen.config.driver.max_rewrites = max_rewrites;
        Ok(Some(chosen))
    }
}

/// Returns the files `*Canonicalization.td` in the folders of `--dialects` and beside the files of `--dialects`, in the
/// order of their paths, without the files that are among the rules already.
pub(super) fn files_beside(definitions: &[PathBuf], rules: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in definitions {
        if path.is_dir() {
            search(path, MAX_DEPTH, &mut files);
        } else if let Some(folder) = path.parent() {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            search(folder, 0, &mut files);
        }
    }
    files.sort();
    files.dedup();
    let is_new = |path: &PathBuf| !rules.iter().any(|rule| is_same_file(rule, path));
    files.retain(is_new);
    files
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// The maximum number of levels of subfolders that are searched below a folder of `--dialects`.
const MAX_DEPTH: usize = 32;

/// Adds the rule files in a folder, and in its subfolders down to `depth` levels. Skips folders that cannot be read, as
/// the search for definitions does.
fn search(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, kind) = (entry.path(), entry.file_type());
        let is_rules = path
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.ends_with("Canonicalization.td"));
        if is_rules && path.is_file() {
            files.push(path);
        } else if kind.is_ok_and(|kind| kind.is_dir()) && depth > 0 {
            search(&path, depth - 1, files);
        }
    }
}

impl Chosen {
    /// Leaves out the rules that `filter-dialects`, `enable-patterns` and `disable-patterns` exclude.
    pub(super) fn select(&self, compiled: &mut Compiled) {
        let Compiled { program, left_out, .. } = compiled;
        for rule in program.patterns().ids() {
            let is_any = program.patterns()[rule].any;
            let root =
                program.pattern_debug(rule).root.filter(|_| !is_any).map(|root| &program.strings()[root]);
            let name = shown_name(program.pattern_name(rule));
            if !self.config.allows(root.unwrap_or_default(), name) && !left_out.contains(&rule) {
                left_out.push(rule);
            }
        }
        left_out.sort_unstable_by_key(|&rule: &PatternId| crate::id::Id::index(rule));
    }

    /// Warnings about names in `enable-patterns` and `disable-patterns` that no rule has.
    pub(super) fn unknown_names(&self, program: &Program, natives: &Natives<IrHost>) -> Diagnostics {
        let mut known: Vec<&str> = built_in_rules().collect();
        known.extend(program.patterns().ids().map(|rule| shown_name(program.pattern_name(rule))));
        known.extend(natives.canonicalization_names());
        let mut warnings = Diagnostics::default();
        for (option, names) in [
            ("enable-patterns", &self.config.enable_patterns),
            ("disable-patterns", &self.config.disable_patterns),
        ] {
            for name in names.iter().filter(|name| !known.contains(&name.as_str())) {
                warnings.push(error::no_rule_to_canonicalize(option, name, known.iter().copied()));
            }
        }
        warnings
    }
}

/// Parses the options of the pass, with or without braces.
fn parse(text: &str) -> Result<Chosen, Box<Diagnostic>> {
    let mut config = Canonicalization::default();
    let mut driver = config.driver.clone();
    let mut test_convergence = false;
    for option in options(without_braces(text.trim())) {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let value = without_braces(value);
        let expected = |what: &str| {
            let message = format!("'{value}' is not a value of the option '{name}' of --canonicalize");
            Box::new(Diagnostic::error(message).help(format!("expected {what}")))
        };
        let flag = || match value {
            "" | "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(expected("`true` or `false`")),
        };
        let limit = || match value.parse::<i64>() {
            Ok(-1) => Ok(None),
            Ok(number) if number >= 0 => Ok(Some(number.unsigned_abs())),
            _ => Err(expected("a number, or `-1` for no limit")),
        };
        // MLIR names a pattern by its C++ class with namespaces. The name of a rule has no namespace, but the name of a
        // built-in rule can be that of a function in a class, such as `AssertOp::canonicalize`.
        let short = |name: &str| {
            let name = name.trim();
            let is_named = |rule: &&str| {
                name.strip_suffix(*rule).is_some_and(|outer| outer.is_empty() || outer.ends_with("::"))
            };
            let last = name.rsplit("::").next().unwrap_or(name).trim();
            built_in_rules().find(is_named).unwrap_or(last).to_owned()
        };
        let names = || value.split(',').map(short).filter(|name| !name.is_empty()).collect();
        config = match name {
            "top-down" => {
                driver.traversal = if flag()? { Traversal::TopDown } else { Traversal::BottomUp };
                config
            }
            "region-simplify" => config.region_simplification(match value {
                "disabled" => RegionSimplification::Disabled,
                "normal" => RegionSimplification::Normal,
                "aggressive" => RegionSimplification::Aggressive,
                _ => return Err(expected("`disabled`, `normal` or `aggressive`")),
            }),
            "max-iterations" => {
                let max = limit()?.map(|max| u32::try_from(max).map_err(|_| expected("a smaller number")));
                driver.max_sweeps = max.transpose()?;
                config
            }
            "max-num-rewrites" => {
                driver.max_rewrites_per_sweep = limit()?;
                config
            }
            "test-convergence" => {
                test_convergence = flag()?;
                config
            }
            "filter-dialects" => config.filter_dialects(names()),
            "enable-patterns" => config.enable_patterns(names()),
            "disable-patterns" => config.disable_patterns(names()),
            _ => {
                let message = format!("--canonicalize has no option '{name}'");
                return Err(Box::new(Diagnostic::error(message).help(
                    "the options are top-down, region-simplify, max-iterations, max-num-rewrites, test-convergence, \
                     filter-dialects, enable-patterns and disable-patterns",
                )));
            }
        };
    }
    Ok(Chosen { config: config.driver(driver), test_convergence })
}

/// The text inside braces, or the whole text.
fn without_braces(text: &str) -> &str {
    text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(text)
}

/// Splits a text at the spaces outside braces and parentheses.
fn options(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let parts = text.split(move |c: char| {
        depth += i32::from(matches!(c, '{' | '(')) - i32::from(matches!(c, '}' | ')'));
        c.is_whitespace() && depth == 0
    });
    parts.filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;
    use crate::pdl::RuleSet;
    use crate::source::SourceMap;

    #[test]
    fn options_are_those_of_the_pass() {
        let chosen = parse("{top-down=true region-simplify=aggressive max-iterations=-1 max-num-rewrites=3 test-convergence enable-patterns=A,B}").expect("valid");
        let driver = &chosen.config.driver;
        assert!(chosen.test_convergence && driver.traversal == Traversal::TopDown);
        assert_eq!(chosen.config.region_simplification, RegionSimplification::Aggressive);
        assert_eq!((driver.max_sweeps, driver.max_rewrites_per_sweep), (None, Some(3)));
        assert_eq!(chosen.config.enable_patterns, ["A", "B"]);
        assert_eq!(parse("").expect("valid").config.driver.max_sweeps, Some(10));
        let chosen = parse("disable-patterns={(anonymous namespace)::A, B} top-down=false").expect("valid");
        assert_eq!(chosen.config.disable_patterns, ["A", "B"]);
        assert_eq!(chosen.config.driver.traversal, Traversal::BottomUp);
    }

    #[test]
    fn filter_dialects_selects_rules_of_a_compiled_program() {
        let mut rules = RuleSet::default();
        for root in ["a.op", "b.op"] {
            let mut rule = rules.pattern(root, 1);
            let matched = rule.op(root).matched();
            rule.erase(matched);
            rule.finish().expect("a valid rule");
        }
        let bytes = compile::program(&rules).expect("valid").to_bytes(&SourceMap::default());
        let program = Program::from_bytes(&bytes, &mut SourceMap::default()).expect("valid");
        let mut compiled = Compiled { program, rules: None, left_out: Vec::new() };
        parse("filter-dialects=b").expect("valid").select(&mut compiled);
        let names = compiled.left_out.iter().map(|&rule| compiled.program.pattern_name(rule));
        assert_eq!(names.collect::<Vec<_>>(), ["a.op"]);
    }

    #[test]
    fn a_name_that_no_rule_has_is_reported() {
        let program = compile::program(&RuleSet::default()).expect("valid");
        let chosen =
            parse("enable-patterns=SimplifyConstCondBranchPred disable-patterns=simplifyConstSwitch,Mine");
        let natives = Natives::new().canonicalize("t.op", "Mine", |_, _| Ok(false));
        let warnings = chosen.expect("valid").unknown_names(&program, &natives);
        let messages: Vec<String> = warnings.into_iter().map(|warning| warning.message).collect();
        assert_eq!(messages, ["'disable-patterns': no rule has the name 'simplifyConstSwitch'"]);
    }

    #[test]
    fn names_of_functions_keep_their_class() {
        let names =
            "AssertOp::canonicalize,mlir::cf::BranchOp::canonicalize,mlir::cf::DropUnreachableCondBranch";
        let chosen = parse(&format!("disable-patterns={names}")).expect("valid");
        assert_eq!(
            chosen.config.disable_patterns,
            ["AssertOp::canonicalize", "BranchOp::canonicalize", "DropUnreachableCondBranch"]
        );
        let program = compile::program(&RuleSet::default()).expect("valid");
        assert!(chosen.unknown_names(&program, &Natives::new()).is_empty());
        assert!(!chosen.config.allows("cf.assert", "AssertOp::canonicalize"));
    }

    #[test]
    fn rules_beside_definitions_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("a/b")).expect("writable");
        for name in ["Ops.td", "ACanonicalization.td", "a/Ops.td", "a/b/BCanonicalization.td"] {
            std::fs::write(at(name), "").expect("writable");
        }
        assert_eq!(
            files_beside(&[folder.path().to_owned()], &[]),
            [at("ACanonicalization.td"), at("a/b/BCanonicalization.td")]
        );
        assert_eq!(files_beside(&[at("Ops.td"), at("a/Ops.td")], &[]), [at("ACanonicalization.td")]);
        assert!(files_beside(&[at("Ops.td")], &[at("a/../ACanonicalization.td")]).is_empty());
        assert!(files_beside(&[at("missing/Ops.td")], &[]).is_empty());
    }

    #[test]
    fn unknown_options_and_wrong_values_are_errors() {
        for (text, message) in [
            ("top-down=maybe", "'maybe' is not a value of the option 'top-down' of --canonicalize"),
            ("max-iterations=-2", "'-2' is not a value of the option 'max-iterations' of --canonicalize"),
            (
                "max-iterations=4294967296",
                "'4294967296' is not a value of the option 'max-iterations' of --canonicalize",
            ),
            ("region-simplify", "'' is not a value of the option 'region-simplify' of --canonicalize"),
            ("cse=true", "--canonicalize has no option 'cse'"),
        ] {
            assert_eq!(parse(text).expect_err(text).message, message);
        }
    }
}
