//! Lowers a decision DAG and the rewrites of its rules to a program.
//!
//! `tree.rs` lowers the DAG to match code, and `rewrite.rs` lowers rewrites. This file assembles the program from
//! both.

mod names;
mod rewrite;
mod tree;

use hashbrown::HashMap;

use crate::id::IdVec;
use crate::intern::StrId;
use crate::matcher_tree::{self, Guard, Position, Row, Tree, TreeNodeId};
use crate::pdl::{Arg, Callee, Constant, Pattern, PatternId, RuleSet, Step, VerifiedRules};
use crate::snippet::{SnippetId, Snippets};
use crate::source::Diagnostics;

use super::assemble::Assembler;
use super::debug::{Debug, PatternDebug};
use super::error;
use super::ids::Address;
use super::program::{PatternCall, PatternInfo, Program, TableRange};
use names::Names;
use rewrite::RewriteCode;
use tree::TreeCode;

/// Lowers a tree and the rules from which it was built.
///
/// # Errors
/// The rule set is too large for 32-bit addresses and numbers.
pub(crate) fn compile(rules: VerifiedRules<'_>, tree: &Tree) -> Result<Program, Diagnostics> {
    compile_mapped(rules, tree).map(|(program, _)| program)
}

/// The address of each node of a tree; `None` if the node has no instruction of its own.
pub(crate) type NodeMap = IdVec<TreeNodeId, Option<Address>>;

/// Lowers like [`compile`], and also returns the address of each node.
///
/// # Errors
/// See [`compile`].
pub(crate) fn compile_mapped(
    rules: VerifiedRules<'_>,
    tree: &Tree,
) -> Result<(Program, NodeMap), Diagnostics> {
    compile_within(rules.rules(), tree, Assembler::LIMIT)
}

/// Lowers like [`compile_mapped`], with at most `limit` words of code.
fn compile_within(rules: &RuleSet, tree: &Tree, limit: usize) -> Result<(Program, NodeMap), Diagnostics> {
    let mut words = 0;
    compile_all(rules, tree, limit, &mut words).ok_or_else(|| {
        let mut errors = Diagnostics::default();
        let rules = rules.patterns.len();
        errors.push(if words > limit {
            error::too_much_code(rules, words, limit)
        } else {
            error::too_large(rules)
        });
        errors
    })
}

/// Lowers everything; `None` if the code or a table becomes too large. Sets `words` to the number of words of code.
fn compile_all(rules: &RuleSet, tree: &Tree, limit: usize, words: &mut usize) -> Option<(Program, NodeMap)> {
    let strings = rules.strings.clone();
    let mut positions = tree.positions().clone();
    let mut code = TreeCode {
        rules,
        tree,
        asm: Assembler::new(limit),
        labels: IdVec::from_iter(tree.nodes().iter().map(|_| None)),
        registers: HashMap::default(),
        register_positions: Vec::from_iter(tree.positions().find(Position::Root)).into(),
        waiting: IdVec::from_iter(tree.nodes().iter().map(|_| 0)),
        ready: Vec::new(),
        reached: Vec::new(),
        decisions: Vec::new(),
        choices: 0,
        names: Names::default(),
    };
    let (entries, any) = code.run();
    let mut predicates = tree.predicates().clone();
    let forest = matcher_tree::decompose(tree.rows(), &mut positions, &mut predicates);
    let items = code.items(&forest)?;
    let addresses = code.labels.iter().map(|label| code.asm.address((*label)?)).collect();
    let TreeCode { asm, mut decisions, choices, mut register_positions, names, .. } = code;
    if register_positions.is_empty() {
        register_positions.push(positions.intern(Position::Root)?);
    }
    decisions.sort_by_key(|d| d.at);

    let mut rewrites = RewriteCode {
        positions: &mut positions,
        asm,
        calls: IdVec::default(),
        locations: IdVec::default(),
        bindings: &IdVec::default(),
        names,
        attr_names: Vec::new(),
        ops: &rules.ops,
        used: Vec::new(),
    };
    let mut rows: IdVec<PatternId, Option<&Row>> = IdVec::from_iter(rules.patterns.iter().map(|_| None));
    for row in tree.rows().iter() {
        rows[row.pattern] = Some(row);
    }
    let mut patterns = IdVec::default();
    let (mut bindings, mut locals, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    let mut debug = Debug { decisions, ..Debug::default() };
    for (id, pattern) in rules.patterns.iter_enumerated() {
        let row = rows[id]?;
        rewrites.bindings = &row.bindings;
        let rewrite = rewrites.asm.here();
        rewrites.rewrite(pattern)?;
        let constraints = row.guards.iter().filter_map(|g| match g {
            Guard::Call { call, .. } => Some(PatternCall::Constraint(*call)),
            _ => None,
        });
        let snippets = snippets_of(&rules.snippets, pattern).into_iter().map(PatternCall::Snippet);
        let used = constraints.chain(rewrites.used.drain(..)).chain(snippets);
        patterns.try_push(PatternInfo {
            benefit: pattern.benefit,
            recursive: pattern.recursive,
            any: row.root.is_none(),
            rewrite,
            bindings: TableRange::append(&mut bindings, row.bindings.iter().copied())?,
            locals: TableRange::append(&mut locals, pattern.rewrite.locals.iter().copied())?,
            calls: TableRange::append(&mut calls, used)?,
        })?;
        let mut intern = |string: StrId| debug.strings.intern(&rules.strings[string]);
        let pattern_debug = PatternDebug {
            name: intern(pattern.name),
            labels: pattern.labels.iter().map(|&label| intern(label)).collect(),
            names: pattern.matcher.ids().map(|node| pattern.matcher.name(node).map(&mut intern)).collect(),
            origin: pattern.origin,
            root: row.root,
            steps: row.steps.clone(),
        };
        debug.patterns.try_push(pattern_debug)?;
    }
    let RewriteCode { asm, calls: rewrite_calls, locations, names, attr_names, .. } = rewrites;
    *words = asm.len();
    let mut written_attr_names = attr_names;
    written_attr_names.sort_unstable();
    written_attr_names.dedup();
    let entries =
        entries.into_iter().map(|(name, label)| Some((name, asm.address(label)?))).collect::<Option<_>>()?;
    let any = asm.address(any)?;
    let program = Program {
        strings,
        positions,
        predicates,
        snippets: rules.snippets.clone(),
        ops: rules.ops.clone(),
        patterns,
        bindings,
        locals,
        calls,
        rewrite_calls,
        locations,
        op_names: names.list,
        written_attr_names,
        entries,
        any,
        registers: register_positions,
        choices,
        code: asm.finish()?,
        debug: debug.into(),
        items,
    };
    Some((program, addresses))
}

/// The snippets in the constraints, storage predicates and rewrite calls of a rule. The list also contains a snippet
/// that computes a constant of the rewrite, if this snippet calls natives. Each snippet occurs once.
fn snippets_of(snippets: &Snippets, pattern: &Pattern) -> Vec<SnippetId> {
    let callee = |callee: &Callee| if let Callee::Snippet(s) = callee { Some(*s) } else { None };
    let mut found: Vec<SnippetId> =
        pattern.matcher.constraints.iter().filter_map(|call| callee(&call.callee)).collect();
    for node in pattern.matcher.iter() {
        found.extend(node.as_operation().into_iter().flat_map(|op| &op.attributes).filter_map(|a| a.storage));
    }
    let constant = |constant: &Constant| match constant {
        Constant::Snippet(snippet) => Some(*snippet).filter(|&id| !snippets.natives_of(id).is_empty()),
        Constant::Text(_) => None,
    };
    for step in &pattern.rewrite.steps {
        match step {
            Step::Call { callee: called, args, .. } => {
                found.extend(callee(called));
                found.extend(args.iter().filter_map(|arg| match arg {
                    Arg::Attr(value) | Arg::Type(value) => constant(value),
                    _ => None,
                }));
            }
            Step::Attr { value, .. } | Step::Type { value, .. } => found.extend(constant(value)),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::instruction::{Opcode, decode};
    use crate::matcher_tree::Config;
    use crate::pdl::{NodeId, PatternBuilder};

    #[test]
    fn the_error_about_too_much_code_states_the_size_of_the_code() {
        let mut rules = RuleSet::default();
        for name in ["t.a", "t.b"] {
            let mut rule = rules.pattern(name, 1);
            let root = rule.op(name).matched();
            rule.erase(root);
            rule.finish().unwrap();
        }
        let rules = rules.verify().unwrap();
        let tree = matcher_tree::build(rules, &Config::new()).unwrap();
        let whole = compile(rules, &tree).unwrap().code().len();
        assert!(compile_within(&rules, &tree, whole).is_ok());
        let errors = compile_within(&rules, &tree, whole - 1).unwrap_err();
        let expected =
            format!("the program for 2 rules has {whole} words of code; the limit is {}", whole - 1);
        assert_eq!(errors.iter().map(|error| &error.message).collect::<Vec<_>>(), [&expected]);
    }

    /// The mnemonics of the instructions that test counts, operands or defining operations, in order.
    fn tests_of(make: impl Fn(&mut RuleSet)) -> Vec<&'static str> {
        let mut rules = RuleSet::default();
        make(&mut rules);
        let rules = rules.verify().unwrap();
        let tree = matcher_tree::build(rules, &Config::new().copies(None)).unwrap();
        let program = compile(rules, &tree).unwrap();
        let (mut at, mut found) = (Address::FAIL, Vec::new());
        while let Some(instruction) = decode(program.code(), at) {
            at = instruction.end;
            let mnemonic = instruction.layout.mnemonic;
            if ["counts.are", "operands.are", "results.are", "operand_op.is", "operand_op", "operands.same"]
                .contains(&mnemonic)
            {
                found.push(mnemonic);
            }
        }
        found
    }

    #[test]
    fn related_questions_are_one_instruction() {
        let one = |make: fn(&mut PatternBuilder<'_>) -> NodeId| {
            tests_of(|rules| {
                let mut rule = rules.pattern("rule", 1);
                let root = make(&mut rule);
                rule.erase(root);
                rule.finish().unwrap();
            })
        };
        assert_eq!(one(|rule| rule.op("t.op").no_operands().no_results().matched()), ["counts.are"]);
        assert_eq!(one(|rule| rule.op("t.op").no_operands().matched()), ["operands.are"]);
        let twice = one(|rule| {
            let value = rule.value();
            rule.op("t.op").operand(value).operand(value).matched()
        });
        assert_eq!(twice, ["operands.are", "operands.same"]);
        let nested = one(|rule| {
            let inner = rule.op("t.inner").no_operands().matched();
            let value = rule.result(inner, 0);
            rule.op("t.op").operand(value).matched()
        });
        assert_eq!(nested[..2], ["operands.are", "operand_op.is"]);
    }

    #[test]
    fn counts_are_two_instructions_if_rules_differ_in_one_count() {
        let two = |second_has_results: Option<bool>| {
            tests_of(|rules| {
                for results in [Some(true), second_has_results] {
                    let mut rule = rules.pattern("rule", 1);
                    let root = match results {
                        None => rule.op("t.op").no_operands().matched(),
                        Some(false) => rule.op("t.op").no_operands().no_results().matched(),
                        Some(true) => {
                            let ty = rule.any_type();
                            rule.op("t.op").no_operands().result_type(ty).matched()
                        }
                    };
                    rule.erase(root);
                    rule.finish().unwrap();
                }
            })
        };
        assert_eq!(two(Some(true)), ["counts.are"]);
        // The number of results distinguishes the rules, so it is tested first. Then each rule tests its operands.
        assert_eq!(two(Some(false)), ["results.are", "results.are", "operands.are", "operands.are"]);
        // The second rule does not test the results: it still matches an operation without results.
        assert_eq!(two(None), ["operands.are", "results.are"]);
    }

    /// A switch on names is a table with the numbers of the names as indices if these numbers are close to each other.
    /// Otherwise the switch consists of cases.
    #[test]
    fn a_dense_switch_is_a_table() {
        let mut seen = [false; 2];
        for between in 0..12 {
            let mut rules = RuleSet::default();
            let names: Vec<String> = (0..between).map(|i| format!("t.between{i}")).collect();
            let all = ["t.first"].into_iter().chain(names.iter().map(String::as_str)).chain(["t.last"]);
            // Names of roots are numbered in this order.
            for name in all {
                let mut rule = rules.pattern(name, 2);
                let root = rule.op(name).matched();
                rule.erase(root);
                rule.finish().unwrap();
            }
            for name in ["t.first", "t.last"] {
                let mut rule = rules.pattern(name, 1);
                let below = rule.op(name).matched();
                let value = rule.defined_by(below);
                let root = rule.op("t.root").operand(value).matched();
                rule.erase(root);
                rule.finish().unwrap();
            }
            let rules = rules.verify().unwrap();
            let tree = matcher_tree::build(rules, &Config::new()).unwrap();
            let program = compile(rules, &tree).unwrap();
            let number = |name: &str| program.op_names.iter().position(|&id| &program.strings[id] == name);
            let distance = number("t.first").unwrap().abs_diff(number("t.last").unwrap());
            let (mut at, mut found) = (Address::FAIL, Vec::new());
            while let Some(instruction) = decode(program.code(), at) {
                at = instruction.end;
                if matches!(instruction.layout.opcode, Opcode::OperandOpTable | Opcode::OperandOpSwitch)
                    && instruction.small()[1] == 0
                {
                    let is_table = instruction.layout.opcode == Opcode::OperandOpTable;
                    assert_eq!(instruction.tail.len(), if is_table { distance + 1 } else { 4 });
                    found.push(is_table);
                }
            }
            // The two names become a table if it has at most three entries for each name.
            assert!(
                !found.is_empty() && found.iter().all(|&is_table| is_table == (distance < 6)),
                "{distance}"
            );
            seen[usize::from(distance < 6)] = true;
        }
        assert_eq!(seen, [true; 2]);
    }
}
