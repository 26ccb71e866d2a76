//! The comparison of two rules that match the same operations.
//!
//! Specification: two rules are the same if the following holds for all attributes and operands that have the tried
//! types and give the matched operations defined behaviour. Either both rules match or neither matches. If both match,
//! either both have undefined behaviour or neither has, and the new values are equal, including poison.

use super::counterexample::{After, case, replay_both, text};
use super::execute::{Setting, execute, execute_on};
use super::shape::shapes;
use super::solver;
use super::value::Ty;
use super::{Options, types_text};
use crate::ir::{Context, IrHost, Module};
use crate::pdl::{PatternId, RuleSet};
use crate::semantics::Bits;
use crate::snippet::Linked;

/// The result of [`compare`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// The rules are the same for these types.
    Same(Vec<String>),
    /// The rules differ.
    Different(Box<Difference>),
    /// The comparison is not decided, for these reasons.
    Unknown(Vec<String>),
}

/// Values for which two rules give different results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The types of the operands and results.
    pub types: String,
    /// A module in which at least one of the rules matches.
    pub module: String,
    /// The operands, each with its name in the module and its value.
    pub operands: Vec<(String, String)>,
    /// The results of the first rule; `None` if it does not match.
    pub first: Option<After>,
    /// The results of the second rule; `None` if it does not match.
    pub second: Option<After>,
}

/// Compares two rules of two rule sets.
///
/// ```
/// use drrvm::RuleSet;
/// use drrvm::pdl::term::{op, var};
/// use drrvm::prove::{Options, Sameness, compare};
/// # fn main() -> Result<(), drrvm::Diagnostics> {
/// let mut rules = RuleSet::default();
/// let twice = op("arith.andi", [var("a"), var("a")]);
/// let a = rules.replacement("a", 1, &twice, &var("a"))?;
/// let b = rules.replacement("b", 1, &twice, &op("arith.ori", [var("a"), var("a")]))?;
/// let options = Options::default().widths(vec![8]);
/// assert!(matches!(compare([(&rules, a), (&rules, b)], &options), Sameness::Same(_)));
/// # Ok(()) }
/// ```
pub fn compare([a, b]: [(&RuleSet, PatternId); 2], options: &Options) -> Sameness {
    let mut reasons: Vec<String> = Vec::new();
    let mut same = Vec::new();
    match find_difference([a, b], options, &mut same, &mut reasons) {
        Some(difference) => Sameness::Different(Box::new(difference)),
        None if !reasons.is_empty() => Sameness::Unknown(reasons),
        None if same.is_empty() => Sameness::Unknown(vec![
            "neither rule matches integers of the compared widths or 'index' values".to_owned(),
        ]),
        None => Sameness::Same(same),
    }
}

fn find_difference(
    [a, b]: [(&RuleSet, PatternId); 2],
    options: &Options,
    same: &mut Vec<String>,
    reasons: &mut Vec<String>,
) -> Option<Difference> {
    let mut add = |reason: String| {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    let patterns = [a, b].map(|(rules, rule)| &rules.patterns()[rule]);
    let mut found = Vec::new();
    for ((rules, _), pattern) in [a, b].into_iter().zip(patterns) {
        match shapes(rules, pattern, &options.operations) {
            Ok(shapes) => found.push(shapes),
            Err(reason) => {
                add(reason);
                return None;
            }
        }
    }
    let (mut second, mut first) = (found.pop()?, found.pop()?);
    if first.len() != second.len() || !first.iter().zip(&second).all(|(a, b)| a.is_like(b)) {
        add("the rules match different operations".to_owned());
        return None;
    }
    let mut context = Context::new();
    let module = Module::new(&mut context);
    let mut host = IrHost::new(context, module);
    let natives = crate::natives::all();
    let linked = [a, b].map(|(rules, _)| Linked::link(rules.snippets(), &mut host, &natives));
    for (x, y) in first.iter_mut().zip(&mut second) {
        x.bind_results(&patterns[0].matcher);
        y.bind_results(&patterns[1].matcher);
        let Some(assignments) = x.assignments(&options.widths) else {
            add("the rules have too many assignments of types".to_owned());
            continue;
        };
        for types in assignments {
            let widths: &[u32] = if types.contains(&Ty::Index) { &options.index_widths } else { &[64] };
            for &index_width in widths {
                let label = types_text(a.0, patterns[0], x, &types, index_width);
                let operations = &options.operations;
                let mut setting =
                    Setting { rules: a.0, linked: &linked[0], host: &mut host, index_width, operations };
                let old = execute(&mut setting, patterns[0], x, &types);
                let mut setting =
                    Setting { rules: b.0, linked: &linked[1], host: &mut host, index_width, operations };
                let (old, new) = match old {
                    Ok(Some(old)) => {
                        let new = execute_on(&mut setting, patterns[1], y, &types, Some(&old));
                        (Some(old), new)
                    }
                    Ok(None) => (None, execute(&mut setting, patterns[1], y, &types)),
                    Err(reason) => {
                        add(reason);
                        continue;
                    }
                };
                let new = match new {
                    Ok(new) => new,
                    Err(reason) => {
                        add(reason);
                        continue;
                    }
                };
                let (mut query, goal) = match (old, new) {
                    (None, None) => continue,
                    // Only one of the rules can match with these types, so the goal is a match of this rule.
                    (Some(query), None) | (None, Some(query)) => {
                        let goal = query.matches;
                        (query, goal)
                    }
                    (Some(mut old), Some(mut new)) => {
                        if old.invalid.is_some() || new.invalid.is_some() {
                            add(format!("{label}: a rule creates invalid operations"));
                            continue;
                        }
                        // Both rules are executed on the same matched operations.
                        old.replaced.sort_unstable();
                        new.replaced.sort_unstable();
                        old.erased.sort_unstable();
                        new.erased.sort_unstable();
                        let of_same_results =
                            old.replaced.iter().map(|x| x.0).eq(new.replaced.iter().map(|y| y.0));
                        if !of_same_results || old.erased != new.erased {
                            add(format!("{label}: the rules replace or erase different operations"));
                            continue;
                        }
                        let terms = &mut new.state.terms;
                        let mut differ = terms.xor(&old.target_undefined, &new.target_undefined);
                        for (x, y) in old.replaced.iter().zip(&new.replaced) {
                            // Values of both rules can have the same ids, so the values of each rule are read from its
                            // own state.
                            let (x, y) = (&old.state.values[x.1].lane, &new.state.values[y.1].lane);
                            let poison = terms.xor(&x.poison, &y.poison);
                            let bits = terms.ne(&x.bits, &y.bits);
                            let defined = terms.not(&x.poison);
                            let bits = terms.and(&bits, &defined);
                            let lane = terms.or(&poison, &bits);
                            differ = terms.or(&differ, &lane);
                        }
                        let both = terms.and(&old.matches, &new.matches);
                        let differ = terms.and(&both, &differ);
                        let one = terms.xor(&old.matches, &new.matches);
                        let goal = terms.or(&one, &differ);
                        (new, goal)
                    }
                };
                let assumptions = query.state.all_assumptions();
                let defined = query.state.terms.not(&query.source_undefined);
                let goal = query.state.terms.and(&goal, &defined);
                let goal = query.state.terms.and(&goal, &assumptions);
                match options.solver.decide(&query.state.terms, goal, options.timeout) {
                    solver::Verdict::Never => same.push(label),
                    solver::Verdict::Unknown(reason) => add(format!("{label}: {reason}")),
                    solver::Verdict::Set(_) if !query.state.uninterpreted.is_empty() => {
                        let names = query.state.uninterpreted.join("', '");
                        add(format!(
                            "{label}: the rules differ for some results of natives without a known meaning: '{names}'"
                        ));
                    }
                    solver::Verdict::Set(values) => {
                        let found = case(&query, &values, 0);
                        match replay_both([a, b], &found, index_width, operations) {
                            Ok((module, first, second)) => {
                                let operands = found.inputs.iter();
                                return Some(Difference {
                                    types: label,
                                    module,
                                    operands: operands
                                        .map(|(name, value)| (name.clone(), text(value)))
                                        .collect(),
                                    first,
                                    second,
                                });
                            }
                            Err(reason) => add(format!("{label}: a difference was not confirmed: {reason}")),
                        }
                    }
                }
            }
        }
    }
    None
}
