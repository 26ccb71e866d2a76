//! A decision DAG and the rewrites of its rules as a program.
//!
//! `tree.rs` writes the code that matches, `rewrite.rs` the code that rewrites; here they are put together with the
//! tables that both use.

mod rewrite;
mod tree;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::id::IdVec;
use crate::intern::StrId;
use crate::matcher_tree::{self, Guard, Position, Row, Tree, TreeNodeId};
use crate::pdl::{Callee, Pattern, PatternId, RuleSet, Step, VerifiedRules};
use crate::snippet::SnippetId;
use crate::source::Diagnostics;

use super::assemble::Assembler;
use super::debug::{Debug, PatternDebug};
use super::error;
use super::program::{Part, PatternCall, PatternInfo, Program};
use rewrite::RewriteCode;
use tree::TreeCode;

/// The program for a tree and the rules it was built from.
///
/// # Errors
/// A rule set too large for 32-bit addresses and numbers.
pub fn compile(rules: VerifiedRules<'_>, tree: &Tree) -> Result<Program, Diagnostics> {
    compile_mapped(rules, tree).map(|(program, _)| program)
}

/// Where the code of each node of a tree starts; `None`: it is part of the node before it.
pub(crate) type NodeMap = IdVec<TreeNodeId, Option<u32>>;

/// As [`compile`], with where the code of each node is.
///
/// # Errors
/// As [`compile`].
pub(crate) fn compile_mapped(
    rules: VerifiedRules<'_>,
    tree: &Tree,
) -> Result<(Program, NodeMap), Diagnostics> {
    compile_within(rules.rules(), tree, Assembler::LIMIT)
}

/// As [`compile_mapped`], with at most so many words of code.
fn compile_within(rules: &RuleSet, tree: &Tree, limit: usize) -> Result<(Program, NodeMap), Diagnostics> {
    let mut words = 0;
    compile_all(rules, tree, limit, &mut words).ok_or_else(|| {
        let mut errors = Diagnostics::default();
        let rules = rules.patterns.len();
        let much = words > limit;
        errors.push(if much { error::too_much_code(rules, words, limit) } else { error::too_large(rules) });
        errors
    })
}

/// Everything; `words` becomes how many words of code there are.
fn compile_all(rules: &RuleSet, tree: &Tree, limit: usize, words: &mut usize) -> Option<(Program, NodeMap)> {
    let strings = rules.strings.clone();
    let mut positions = tree.positions().clone();
    let mut code = TreeCode {
        rules,
        tree,
        asm: Assembler::new(limit),
        labels: IdVec::from_iter(tree.nodes().iter().map(|_| None)),
        registers: HashMap::default(),
        register_positions: tree.positions().find(Position::Root).into_iter().collect(),
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
    let bottom_up = code.bottom_up(&forest)?;
    let places = code.labels.iter().map(|label| code.asm.address((*label)?)).collect();
    let TreeCode { asm, mut decisions, choices, mut register_positions, names, .. } = code;
    if register_positions.is_empty() {
        register_positions.extend(positions.intern(Position::Root));
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
        let snippets = snippets_of(pattern).into_iter().map(PatternCall::Snippet);
        let used = constraints.chain(rewrites.used.drain(..)).chain(snippets);
        patterns.try_push(PatternInfo {
            benefit: pattern.benefit,
            recursive: pattern.recursive,
            any: row.root.is_none(),
            rewrite,
            bindings: Part::append(&mut bindings, row.bindings.iter().copied())?,
            locals: Part::append(&mut locals, pattern.rewrite.locals.iter().copied())?,
            calls: Part::append(&mut calls, used)?,
        })?;
        let mut intern = |string: StrId| debug.strings.intern(&rules.strings[string]);
        let pattern_debug = PatternDebug {
            name: intern(pattern.name),
            labels: pattern.labels.iter().map(|&label| intern(label)).collect(),
            names: pattern.matcher.ids().map(|node| pattern.matcher.name(node).map(&mut intern)).collect(),
            origin: pattern.origin,
            root: row.root,
            asks: row.steps.clone(),
        };
        debug.patterns.try_push(pattern_debug)?;
    }
    let RewriteCode { asm, calls: rewrite_calls, locations, names, attr_names, .. } = rewrites;
    *words = asm.len();
    let mut made_attr_names = attr_names;
    made_attr_names.sort_unstable();
    made_attr_names.dedup();
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
        made_attr_names,
        entries,
        any,
        registers: register_positions,
        choices,
        code: asm.finish()?,
        debug: debug.into(),
        bottom_up,
    };
    Some((program, places))
}

/// The expressions that a rule evaluates, each once.
fn snippets_of(pattern: &Pattern) -> Vec<SnippetId> {
    let callee = |callee: &Callee| if let Callee::Snippet(s) = callee { Some(*s) } else { None };
    let mut found: Vec<SnippetId> =
        pattern.matcher.constraints.iter().filter_map(|call| callee(&call.callee)).collect();
    for node in pattern.matcher.iter() {
        found.extend(node.as_operation().into_iter().flat_map(|op| &op.attributes).filter_map(|a| a.storage));
    }
    found.extend(pattern.rewrite.steps.iter().filter_map(|step| match step {
        Step::Call { callee: called, .. } => callee(called),
        _ => None,
    }));
    found.sort_unstable();
    found.dedup();
    found
}

/// Numbers for operation names, in order of first use, so that tables over them are full.
#[derive(Default)]
struct Names {
    list: Vec<StrId>,
    numbers: HashMap<StrId, u32, FxBuildHasher>,
}

impl Names {
    fn number(&mut self, name: StrId) -> u32 {
        // There are no more names than strings.
        let next = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(name).or_insert_with(|| {
            self.list.push(name);
            next
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::Opcode;
    use crate::matcher_tree::Config;
    use crate::pdl::{NodeId, PatternBuilder};

    /// Addresses have 32 bits; here as if they had fewer.
    #[test]
    fn code_past_the_largest_address_says_how_much_there_is() {
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

    /// The instructions of a program that ask for something, in order.
    fn asking(make: impl Fn(&mut RuleSet)) -> Vec<&'static str> {
        let mut rules = RuleSet::default();
        make(&mut rules);
        let rules = rules.verify().unwrap();
        let tree = matcher_tree::build(rules, &Config::new().copies(None)).unwrap();
        let program = compile(rules, &tree).unwrap();
        let (mut at, mut asking) = (0, Vec::new());
        while let Some(instruction) = crate::bytecode::instruction::decode(program.code(), at) {
            at = instruction.end;
            let mnemonic = instruction.layout.mnemonic;
            if ["counts.are", "operands.are", "results.are", "operand_op.is", "operand_op", "operands.same"]
                .contains(&mnemonic)
            {
                asking.push(mnemonic);
            }
        }
        asking
    }

    /// What is said of each instruction in `instruction.rs`.
    #[test]
    fn questions_that_go_together_are_one_instruction() {
        let one = |make: fn(&mut PatternBuilder<'_>) -> NodeId| {
            asking(|rules| {
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
    fn counts_are_two_questions_where_rules_differ_in_one() {
        let two = |second_has_results: Option<bool>| {
            asking(|rules| {
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
        // One has a result, the other has none: that tells them apart, is asked first and of each, and then
        // each asks for its operands.
        assert_eq!(two(Some(false)), ["results.are", "results.are", "operands.are", "operands.are"]);
        // One does not care: without the result that the first needs, the second still matches.
        assert_eq!(two(None), ["operands.are", "results.are"]);
    }

    /// Names whose numbers are near each other are a table by number, else pairs.
    #[test]
    fn names_that_are_near_each_other_are_a_table() {
        let mut seen = [false; 2];
        for between in 0..12 {
            let mut rules = RuleSet::default();
            let names: Vec<String> = (0..between).map(|i| format!("t.between{i}")).collect();
            let all = ["t.first"].into_iter().chain(names.iter().map(String::as_str)).chain(["t.last"]);
            // As roots they are numbered in this order.
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
            let (mut at, mut found) = (0, Vec::new());
            while let Some(instruction) = crate::bytecode::instruction::decode(program.code(), at) {
                at = instruction.end;
                if matches!(instruction.layout.opcode, Opcode::OperandOpTable | Opcode::OperandOpSwitch)
                    && instruction.small[1] == 0
                {
                    let is_table = instruction.layout.opcode == Opcode::OperandOpTable;
                    assert_eq!(instruction.tail.len(), if is_table { distance + 1 } else { 4 });
                    found.push(is_table);
                }
            }
            // Two names are a table where it has less than three times as many entries.
            assert!(
                !found.is_empty() && found.iter().all(|&is_table| is_table == (distance < 6)),
                "{distance}"
            );
            seen[usize::from(distance < 6)] = true;
        }
        assert_eq!(seen, [true; 2]);
    }
}
