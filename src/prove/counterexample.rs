//! Counterexamples, and their replay.
//!
//! Specification: [`replay`] confirms a counterexample only if the compiled matcher applies the rule to its module, and
//! one of the following holds: the new module does not verify, it has undefined behaviour, or its results in the
//! interpreter of `equivalence` do not refine the results of the old module.

use std::sync::Arc;

use hashbrown::HashMap;

use super::execute::Query;
use super::term::{TermId, VarId};
use super::value::{Attr, Definition, ValueId};
use crate::equivalence;
use crate::id::{Id, IdVec};
use crate::ir::{Context, IrHost, PrintOptions, parse_module, verify};
use crate::number::ApInt;
use crate::pdl::{PatternId, RuleSet};
use crate::rewrite;
use crate::semantics::Operations;
use crate::source::SourceMap;
use crate::vm::{LinkOptions, Matcher};
use crate::{compile, natives};

/// Values for which a rule changes the meaning of the IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The types of the operands and results.
    pub types: String,
    /// The attributes of the matched operations. The first text of a pair has the names of the operation's results and
    /// then the attribute's name (`%v0_0 value`). The second text is the attribute's value.
    pub attributes: Vec<(String, String)>,
    /// The operands, each with its name in the module and its value.
    pub operands: Vec<(String, String)>,
    /// The results before the rewrite.
    pub before: Vec<String>,
    /// The results after the rewrite.
    pub after: After,
    /// A module in which the rule matches.
    pub module: String,
}

/// The results of the IR after a rewrite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum After {
    /// These values.
    Results(Vec<String>),
    /// The behaviour is undefined.
    Undefined,
    /// The IR is invalid, for this reason.
    Invalid(String),
}

/// A function in which a rule matches, and the values of its parameters.
pub(super) struct Case {
    pub(super) function: String,
    /// The results of the function before the rewrite; `None` for poison.
    pub(super) before: Vec<Option<ApInt>>,
    pub(super) inputs: Vec<(String, Option<ApInt>)>,
    pub(super) attributes: Vec<(String, String)>,
}

fn number(value: &ApInt) -> String {
    if value.width() == 1 { u8::from(!value.is_zero()).to_string() } else { value.to_signed_string() }
}

/// The text of a result of the interpreter.
pub(super) fn text(value: &Option<ApInt>) -> String {
    value.as_ref().map_or_else(|| "poison".to_owned(), number)
}

/// Prints the matched operations of a query as a function. `values` has the values of the variables. If `number` is 0,
/// the name of the function is `@f0`.
pub(super) fn case(query: &Query<'_>, values: &IdVec<VarId, ApInt>, number: usize) -> Case {
    case_of(query, &query.state.terms.evaluate_all(values), number)
}

/// Does the same as [`case`], but `values` has the values of all terms.
pub(super) fn case_of(query: &Query<'_>, values: &IdVec<TermId, ApInt>, number: usize) -> Case {
    let state = &query.state;
    let set = |term: &TermId| !values[*term].is_zero();
    let attr = |attr: &Attr| attr_text(values, attr);
    let mut names: HashMap<ValueId, String> = HashMap::new();
    let mut body = String::new();
    let mut parameters = Vec::new();
    let mut inputs = Vec::new();
    let mut attributes = Vec::new();
    for &leaf in &query.leaves {
        let value = &state.values[leaf];
        // A value that is the same as an earlier leaf has the name of that leaf.
        let shared = state.same.iter().filter(|(.., same)| set(same)).find_map(|(a, b, _)| {
            let other = if *a == leaf {
                b
            } else if *b == leaf {
                a
            } else {
                return None;
            };
            names.get(other).cloned()
        });
        let constant = value.constant.as_ref().filter(|(is, _)| set(is)).map(|(_, found)| found);
        let name = match (shared, constant) {
            (Some(name), _) => name,
            (None, Some(found)) => {
                let name = format!("%c{}", leaf.index());
                body += &format!(
                    "    {name} = \"arith.constant\"() <{{value = {}}}> : () -> {}\n",
                    attr(found).unwrap_or_default(),
                    value.ty.text()
                );
                name
            }
            (None, None) => {
                let name = format!("%arg{}", inputs.len());
                parameters.push(format!("{name}: {}", value.ty.text()));
                let poison = set(&value.lane.poison);
                let bits = values[value.lane.bits].clone();
                inputs.push((name.clone(), (!poison).then_some(bits)));
                name
            }
        };
        names.insert(leaf, name);
    }
    for (index, op) in state.ops[..query.matched].iter().enumerate() {
        let results: Vec<String> = (0..op.results.len()).map(|at| format!("%v{index}_{at}")).collect();
        names.extend(op.results.iter().copied().zip(results.iter().cloned()));
        let operands: Vec<String> = op.operands.iter().map(|operand| names[operand].clone()).collect();
        let types = |list: &[ValueId]| {
            list.iter().map(|&value| state.values[value].ty.text()).collect::<Vec<_>>().join(", ")
        };
        let mut properties = Vec::new();
        for (name, found) in &op.attrs {
            let Some(text) = attr(found) else { continue };
            properties.push(if text == "unit" { (*name).to_owned() } else { format!("{name} = {text}") });
            attributes.push((format!("{} {name}", results.join(", ")), text));
        }
        let properties = match properties.is_empty() {
            true => String::new(),
            false => format!(" <{{{}}}>", properties.join(", ")),
        };
        body += &format!(
            "    {} = \"{}\"({}){properties} : ({}) -> ({})\n",
            results.join(", "),
            op.name,
            operands.join(", "),
            types(&op.operands),
            types(&op.results)
        );
    }
    let mut returned: Vec<ValueId> = Vec::new();
    for index in 0..query.matched {
        for &result in &state.ops[index].results {
            let value = &state.values[result];
            let unused = value.unused.is_some_and(|unused| set(&unused));
            let inner = state.uses_in_ops(result) > 0;
            let more_uses = value.one_use.is_some_and(|one_use| !set(&one_use));
            let constant = matches!(value.definition, Definition::Constant(_));
            if !unused && (!inner || more_uses) && !constant {
                returned.push(result);
            }
        }
    }
    let list = |of: &dyn Fn(&ValueId) -> String| returned.iter().map(of).collect::<Vec<_>>().join(", ");
    let values_text = list(&|value| names[value].clone());
    let types_text = list(&|value| state.values[*value].ty.text());
    let function = format!(
        "  func.func @f{number}({}) -> ({types_text}) {{\n{body}    \"func.return\"({values_text}) : ({types_text}) -> ()\n  }}\n",
        parameters.join(", ")
    );
    let before = returned.iter().map(|&value| {
        let lane = &state.values[value].lane;
        (!set(&lane.poison)).then(|| values[lane.bits].clone())
    });
    Case { function, before: before.collect(), inputs, attributes }
}

/// The text of an attribute; `None` if it is absent or has no known value.
fn attr_text(values: &IdVec<TermId, ApInt>, attr: &Attr) -> Option<String> {
    let set = |term: &TermId| !values[*term].is_zero();
    Some(match attr {
        Attr::Int { ty, value } => {
            let value = &values[*value];
            match value.width() {
                1 => (if value.is_zero() { "false" } else { "true" }).to_owned(),
                _ => format!("{} : {}", value.to_signed_string(), ty.text()),
            }
        }
        Attr::Overflow { nsw, nuw } => {
            let flags = match (set(nsw), set(nuw)) {
                (false, false) => "none",
                (true, false) => "nsw",
                (false, true) => "nuw",
                (true, true) => "nsw, nuw",
            };
            format!("#arith.overflow<{flags}>")
        }
        Attr::Unit { present } => return set(present).then(|| "unit".to_owned()),
        Attr::Other(_) => return None,
    })
}

/// The result of a replay.
pub(super) struct Replayed {
    pub(super) module: String,
    pub(super) before: Vec<String>,
    pub(super) after: After,
}

/// Parses functions, and compiles and links one rule.
pub(super) fn link(
    rules: &RuleSet,
    rule: PatternId,
    functions: &str,
) -> Result<(IrHost, Matcher<IrHost>), String> {
    let mut sources = SourceMap::default();
    let text = format!("module {{\n{functions}}}\n");
    let file = sources.add("counterexample.mlir", text).map_err(|error| error.message)?;
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file))
        .map_err(|errors| format!("the counterexample is not a valid module: {errors}"))?;
    let mut host = IrHost::new(context, module);
    let only = rules.with_patterns([rules.patterns()[rule].clone()]);
    let program = Arc::new(compile::program(&only).map_err(|errors| errors.to_string())?);
    let options = LinkOptions { allow_missing: true, ..LinkOptions::default() };
    let matcher =
        Matcher::link(program, &mut host, &natives::all(), &options).map_err(|error| error.to_string())?;
    Ok((host, matcher))
}

/// Applies a rule to a function. Returns the module before the rewrite, and the results of the function after it;
/// `None` instead of the results if the rule does not match.
fn rewritten(
    rules: &RuleSet,
    rule: PatternId,
    case: &Case,
    index_width: u32,
    operations: &Operations,
) -> Result<(String, Option<After>), String> {
    let (mut host, matcher) = link(rules, rule, &case.function)?;
    let text = host.module.print(&host.context, PrintOptions::new());
    let inputs: Vec<Option<ApInt>> = case.inputs.iter().map(|(_, value)| value.clone()).collect();
    if apply_once(&mut host, &matcher) == 0 {
        return Ok((text, None));
    }
    if let Some(error) = verify(&host.context, &host.module).iter().next() {
        return Ok((text, Some(After::Invalid(error.message.clone()))));
    }
    let after = equivalence::run(&host, &host.module, 0, &inputs, index_width, operations)?;
    let texts = |results: Vec<Option<ApInt>>| After::Results(results.iter().map(self::text).collect());
    Ok((text, Some(after.map_or(After::Undefined, texts))))
}

/// Applies a rule at most once. Returns the number of rewrites.
fn apply_once(host: &mut IrHost, matcher: &Matcher<IrHost>) -> u64 {
    let config =
        rewrite::Config::default().max_rewrites(Some(1)).max_sweeps(1).unique_constants(false).fold(false);
    let root = host.module.top();
    rewrite::apply_greedily(host, root, matcher, &config, &mut crate::NoListener).rewrites
}

/// Applies each of two rules to a copy of a function. Returns the module before the rewrites, and the results after
/// each rewrite; `None` instead of the results if a rule does not match.
///
/// # Errors
/// Returns a reason if the results are the same, if a rule cannot be compiled, or if the function cannot be parsed or
/// run.
pub(super) fn replay_both(
    [a, b]: [(&RuleSet, PatternId); 2],
    case: &Case,
    index_width: u32,
    operations: &Operations,
) -> Result<(String, Option<After>, Option<After>), String> {
    let (module, first) = rewritten(a.0, a.1, case, index_width, operations)?;
    let (_, second) = rewritten(b.0, b.1, case, index_width, operations)?;
    if first == second {
        Err("the interpreter finds no difference".to_owned())
    } else {
        Ok((module, first, second))
    }
}

/// Runs a function before and after a rule is applied to it.
///
/// # Errors
/// Returns the reason why the counterexample is not confirmed, for example that the rule does not match, or that the
/// new results are a refinement.
pub(super) fn replay(
    rules: &RuleSet,
    rule: PatternId,
    case: &Case,
    index_width: u32,
    operations: &Operations,
) -> Result<Replayed, String> {
    let (mut host, matcher) = link(rules, rule, &case.function)?;
    let before_text = host.module.print(&host.context, PrintOptions::new());
    let inputs: Vec<Option<ApInt>> = case.inputs.iter().map(|(_, value)| value.clone()).collect();
    let before = equivalence::run(&host, &host.module, 0, &inputs, index_width, operations)?
        .ok_or("the behaviour before the rewrite is undefined")?;
    if before != case.before {
        return Err("the interpreter gives other results before the rewrite".to_owned());
    }
    let rewrites = apply_once(&mut host, &matcher);
    let texts = |results: &[Option<ApInt>]| results.iter().map(text).collect::<Vec<_>>();
    if rewrites == 0 {
        return Err("the rule does not match the counterexample".to_owned());
    }
    let found = |after| Ok(Replayed { module: before_text, before: texts(&before), after });
    if let Some(error) = verify(&host.context, &host.module).iter().next() {
        return found(After::Invalid(error.message.clone()));
    }
    let Some(after) = equivalence::run(&host, &host.module, 0, &inputs, index_width, operations)? else {
        return found(After::Undefined);
    };
    let refines = before.len() == after.len()
        && before.iter().zip(&after).all(|(before, after)| before.is_none() || before == after);
    if refines {
        return Err("the interpreter finds no difference".to_owned());
    }
    found(After::Results(texts(&after)))
}
