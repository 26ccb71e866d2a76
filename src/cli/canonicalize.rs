//! Canonicalisation for `drrvm opt --canonicalize`: its options, which are spelled as those of MLIR's pass.

use clap::Args;

use super::exit::Failed;
use super::session::Session;
use crate::compile::Compiled;
use crate::pdl::{PatternId, shown_name};
use crate::rewrite::{Canonicalization, RegionSimplification};
use crate::source::Diagnostic;

/// Options of canonicalisation.
#[derive(Debug, Args)]
#[command(next_help_heading = "Canonicalization")]
pub(super) struct CanonicalizeArgs {
    /// Fold operations, apply the rules and the built-in ones of arith, cf, func and builtin, remove dead code, and
    /// simplify regions, like mlir-opt's pass. OPTIONS are those of the pass, separated by spaces: top-down=true,
    /// region-simplify=disabled|normal|aggressive, max-iterations=N, max-num-rewrites=N, test-convergence=true,
    /// filter-dialects=NAMES, enable-patterns=NAMES, disable-patterns=NAMES
    #[arg(long, value_name = "OPTIONS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(conflicts_with_all = ["convert", "debug", "kind", "traversal", "max_iterations", "max_rewrites"])]
    #[arg(conflicts_with_all = ["max_rewrites_per_sweep", "strictness", "no_fold", "keep_constants"])]
    canonicalize: Option<String>,
}

/// The canonicalisation that the options describe.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) config: Canonicalization,
    /// Reaching a bound is an error.
    pub(super) test_convergence: bool,
}

impl CanonicalizeArgs {
    pub(super) fn chosen(&self, session: &Session) -> Result<Option<Chosen>, Failed> {
        let Some(text) = &self.canonicalize else { return Ok(None) };
        parse(text).map(Some).map_err(|wrong| session.misused(*wrong))
    }
}

impl Chosen {
    /// Leaves out the rules that `filter-dialects`, `enable-patterns` and `disable-patterns` exclude.
    pub(super) fn select(&self, compiled: &mut Compiled) {
        let Compiled { program, rules, left_out } = compiled;
        for rule in program.patterns().ids() {
            let root = rules.as_ref().and_then(|rules| {
                let root = rules.patterns.iter().nth(crate::id::Id::index(rule))?.root_name()?;
                Some(&rules.strings[root])
            });
            let name = shown_name(program.pattern_name(rule));
            if !self.config.allows(root.unwrap_or_default(), name) && !left_out.contains(&rule) {
                left_out.push(rule);
            }
        }
        left_out.sort_unstable_by_key(|&rule: &PatternId| crate::id::Id::index(rule));
    }
}

/// Parses the options of the pass, with or without braces.
fn parse(text: &str) -> Result<Chosen, Box<Diagnostic>> {
    let mut config = Canonicalization::default();
    let mut test_convergence = false;
    let text = text.trim();
    let text = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(text);
    for option in text.split_whitespace() {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
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
        let names = || value.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        config = match name {
            "top-down" => config.top_down(flag()?),
            "region-simplify" => config.region_simplification(match value {
                "disabled" => RegionSimplification::Disabled,
                "normal" => RegionSimplification::Normal,
                "aggressive" => RegionSimplification::Aggressive,
                _ => return Err(expected("`disabled`, `normal` or `aggressive`")),
            }),
            "max-iterations" => {
                let max = limit()?.map(|max| u32::try_from(max).map_err(|_| expected("a smaller number")));
                config.max_iterations(max.transpose()?)
            }
            "max-num-rewrites" => config.max_num_rewrites(limit()?),
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
    Ok(Chosen { config, test_convergence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_of_the_pass() {
        let chosen = parse("{top-down=true region-simplify=aggressive max-iterations=-1 max-num-rewrites=3 test-convergence enable-patterns=A,B}").expect("valid");
        assert!(chosen.test_convergence && chosen.config.top_down);
        assert_eq!(chosen.config.region_simplification, RegionSimplification::Aggressive);
        assert_eq!((chosen.config.max_iterations, chosen.config.max_num_rewrites), (None, Some(3)));
        assert_eq!(chosen.config.enable_patterns, ["A", "B"]);
        assert_eq!(parse("").expect("valid").config.max_iterations, Some(10));
    }

    #[test]
    fn wrong_options_list_the_expected_values() {
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
