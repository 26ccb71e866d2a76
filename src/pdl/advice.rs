//! Warnings about rules: unused symbols, and replacements whose type may differ.
//!
//! Specification: the warnings are heuristic. A warning can report something that the author intended, and a mistake
//! can remain without a warning. This module reads only rules, no IR. The matcher tree finds rules that can never
//! match.

use hashbrown::HashSet;

use super::match_part::{Arg, MatchPart, Node, NodeId, OperandGroup, ValueSource};
use super::op_table::{OpDef, Trait, TypeRecipe};
use super::rewrite_part::{LocationSpec, Replacement, ResultTypes, Source, Step};
use super::rule_set::{Pattern, PatternId, RuleSet};
use crate::id::IdVec;
use crate::intern::StrId;

/// The depth to which types are followed through definitions.
const DEPTH: u32 = 64;

/// The rules that bind symbols without using them, each with its unused symbols.
pub(crate) fn unused_symbols(rules: &RuleSet) -> Vec<(PatternId, Vec<StrId>)> {
    let of = |pattern: &Pattern| -> Vec<StrId> {
        let used = uses(pattern);
        let part = &pattern.matcher;
        part.ids().filter(|&node| used[node] < 2).filter_map(|node| part.name(node)).collect()
    };
    let all = rules.patterns.iter_enumerated().map(|(id, pattern)| (id, of(pattern)));
    all.filter(|(_, names)| !names.is_empty()).collect()
}

/// For each node of a rule, a count that is at least 2 if the rule uses the node in addition to defining it.
fn uses(pattern: &Pattern) -> IdVec<NodeId, u32> {
    let part = &pattern.matcher;
    let mut used: IdVec<NodeId, u32> = part.iter().map(|_| 0).collect();
    part.roots.iter().for_each(|&root| used[root] += 1);
    for node in part.iter() {
        match node.source() {
            // A nested pattern consists of this node and its operation, so the node is not a use of the operation.
            Some(ValueSource::DefinedBy { op }) => used[op] += 1,
            // A rule that names a result by number, a result group or all results uses the operation.
            Some(source) => used[source.op()] += 2,
            None => {}
        }
        node.for_each_child(|child| {
            if node.source().is_none_or(|source| source.op() != child) {
                used[child] += 1;
            }
        });
    }
    for call in &part.constraints {
        call.args.iter().filter_map(Arg::taken).for_each(|node| used[node] += 1);
        call.results.iter().for_each(|&node| used[node] += 1);
    }
    let mut take = |source: &Source| {
        if let Source::Matched(node) = source {
            used[*node] += 1;
        }
    };
    pattern.rewrite.located.iter().for_each(|&node| take(&Source::Matched(node)));
    for step in &pattern.rewrite.steps {
        for_each_source(step, &mut take);
    }
    // The replacement of the root is not a use of its name.
    if let [root] = part.roots[..] {
        used[root] = used[root].saturating_sub(1);
    }
    used
}

fn for_each_source(step: &Step, take: &mut impl FnMut(&Source)) {
    let location = |spec: &LocationSpec, take: &mut dyn FnMut(&Source)| match spec {
        // The default location contains all matched operations. `RewritePart::located` has the nodes that a rule names.
        LocationSpec::Fused { .. } => {}
        LocationSpec::Named { child, .. } => child.iter().for_each(take),
    };
    match step {
        Step::Attr { .. } | Step::Type { .. } => {}
        Step::TypeOf { of, .. } => take(of),
        Step::Result { op, .. } | Step::Results { op, .. } | Step::Erase { op } => take(op),
        Step::Range { parts, .. } => parts.iter().for_each(take),
        Step::Call { args, .. } => args.iter().filter_map(Arg::taken).for_each(|source| take(&source)),
        Step::Location { spec, .. } => location(spec, take),
        Step::Create(create) => {
            create.operands.iter().for_each(&mut *take);
            create.attributes.iter().for_each(|(_, source, _)| take(source));
            if let ResultTypes::Listed(types) = &create.results {
                types.iter().for_each(&mut *take);
            }
            location(&create.location, take);
        }
        Step::Replace { op, with } => {
            take(op);
            match with {
                Replacement::Values(values) => values.iter().for_each(take),
                Replacement::Op(op) => take(op),
            }
        }
    }
}

/// Finds rules that replace a result by a matched value whose type may differ. Returns each rule with the number of the
/// result. A replacement is not reported if a constraint takes the result or its operation.
pub(crate) fn retyping_replacements(rules: &RuleSet) -> Vec<(PatternId, usize)> {
    let mut found = Vec::new();
    for (id, pattern) in rules.patterns.iter_enumerated() {
        let types = Types::new(rules, &pattern.matcher);
        for step in &pattern.rewrite.steps {
            let Step::Replace { op: Source::Matched(op), with: Replacement::Values(values) } = step else {
                continue;
            };
            for (index, value) in values.iter().enumerate() {
                let Source::Matched(value) = value else { continue };
                let root = types.result(*op, index, DEPTH);
                if root != types.value(*value, DEPTH) && !types.is_constrained(*op, index) {
                    found.push((id, index));
                }
            }
        }
    }
    found
}

/// The equalities between types of a rule that follow from definitions.
struct Types<'r> {
    rules: &'r RuleSet,
    part: &'r MatchPart,
    /// For each value, the operations that take it as a single operand, with the number of the operand group.
    users: IdVec<NodeId, Vec<(NodeId, usize)>>,
    /// For each operation, the values that are its results.
    values: IdVec<NodeId, Vec<NodeId>>,
    /// The arguments of constraints.
    constrained: HashSet<NodeId>,
}

/// A type as a term. Equal terms denote equal types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TypeTerm {
    OfValue(NodeId),
    Node(NodeId),
    OfResult(NodeId, usize),
    Constant(super::Constant),
    OfOperands(NodeId),
}

impl<'r> Types<'r> {
    fn new(rules: &'r RuleSet, part: &'r MatchPart) -> Self {
        let mut users: IdVec<NodeId, Vec<(NodeId, usize)>> = part.iter().map(|_| Vec::new()).collect();
        let mut values: IdVec<NodeId, Vec<NodeId>> = part.iter().map(|_| Vec::new()).collect();
        for (id, node) in part.iter_enumerated() {
            for (group, operand) in node.operands().enumerate() {
                if let OperandGroup::One(value) = operand {
                    users[*value].push((id, group));
                }
            }
            if let Some(source) = node.source() {
                values[source.op()].push(id);
            }
        }
        let constrained =
            part.constraints.iter().flat_map(|call| &call.args).filter_map(Arg::taken).collect();
        Self { rules, part, users, values, constrained }
    }

    /// True if a constraint takes this result, all results, or the operation itself.
    fn is_constrained(&self, op: NodeId, index: usize) -> bool {
        let may_be_result = |value: &NodeId| match self.part[*value].source() {
            Some(ValueSource::Result { index: at, .. }) => at as usize == index,
            _ => true,
        };
        let is_taken = |node: &NodeId| self.constrained.contains(node);
        is_taken(&op) || self.values[op].iter().filter(|value| may_be_result(value)).any(is_taken)
    }

    fn def(&self, op: NodeId) -> Option<&OpDef> {
        self.rules.ops.find(self.part[op].as_operation()?.name?)
    }

    /// The type of a result.
    fn result(&self, op: NodeId, index: usize, depth: u32) -> TypeTerm {
        let own = TypeTerm::OfResult(op, index);
        let Some(def) = self.def(op) else { return own };
        if let Some(listed) = self.part[op].as_operation().and_then(|op| op.results.as_ref())
            && let Some(&ty) = listed.get(index)
        {
            return TypeTerm::Node(ty);
        }
        if def.traits.contains(&Trait::SameOperandsAndResultType) {
            return self.operands(op, 0, depth);
        }
        match def.result_types.as_ref().and_then(|types| types.get(index)) {
            Some(TypeRecipe::Operand(group)) => self.operands(op, *group as usize, depth),
            Some(TypeRecipe::Fixed(constant)) => TypeTerm::Constant(*constant),
            Some(TypeRecipe::Result(other)) if (*other as usize) < index => {
                self.result(op, *other as usize, depth)
            }
            _ => own,
        }
    }

    /// The type of an operand.
    fn operands(&self, op: NodeId, group: usize, depth: u32) -> TypeTerm {
        let def = self.def(op);
        let same = def.is_some_and(|def| {
            def.traits.contains(&Trait::SameOperandsAndResultType)
                || def.traits.contains(&Trait::SameTypeOperands)
        });
        let group = def.map_or(group, |def| first_of_type(def, group));
        match self.part[op].operands().nth(group) {
            Some(OperandGroup::One(value)) if !same && depth > 0 => self.value(*value, depth - 1),
            _ => TypeTerm::OfOperands(op),
        }
    }

    /// The type of a value. It follows from a constant type, or else from the first user that determines it, or else
    /// from the operation that defines the value.
    fn value(&self, value: NodeId, depth: u32) -> TypeTerm {
        if let Node::Value { ty: Some(ty), .. } = self.part[value]
            && self.part[ty].is_constant()
        {
            return TypeTerm::Node(ty);
        }
        for &(op, group) in &self.users[value] {
            let Some(def) = self.def(op) else { continue };
            let same = def.traits.contains(&Trait::SameOperandsAndResultType);
            if same || def.traits.contains(&Trait::SameTypeOperands) {
                // In a chain of such operations, the outermost operation determines the type.
                return match self.used_result(op).filter(|_| same && depth > 0) {
                    Some(outer) => self.value(outer, depth - 1),
                    None => TypeTerm::OfOperands(op),
                };
            }
            let first = first_of_type(def, group);
            if first != group && depth > 0 {
                return self.operands(op, first, depth - 1);
            }
            let fixed = def.operands.get(group).and_then(|def| def.constraint);
            for (result, recipe) in def.result_types.iter().flatten().enumerate() {
                let constraint = def.results.get(result).and_then(|def| def.constraint);
                if let TypeRecipe::Fixed(constant) = recipe
                    && fixed.is_some()
                    && fixed.map(|c| c.holds) == constraint.map(|c| c.holds)
                {
                    return TypeTerm::Constant(*constant);
                }
            }
        }
        match self.part[value].source() {
            Some(ValueSource::Result { op, index }) if depth > 0 => {
                self.result(op, index as usize, depth - 1)
            }
            _ => TypeTerm::OfValue(value),
        }
    }

    /// The first result that another operation of the rule takes.
    fn used_result(&self, op: NodeId) -> Option<NodeId> {
        self.values[op].iter().copied().find(|&value| !self.users[value].is_empty())
    }
}

/// The first operand that must have the same type as this operand.
fn first_of_type(def: &OpDef, operand: usize) -> usize {
    let operand_of = |set: &&Vec<u32>| set.iter().any(|&index| index as usize == operand);
    let set = def.same_types.iter().find(operand_of);
    set.and_then(|set| set.iter().min()).map_or(operand, |&first| first as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_that_is_only_bound_is_unused() {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("erase_nop", 1);
        let value = rule.value();
        rule.name(value, "input");
        let root = rule.op("t.nop").operand(value).matched();
        rule.erase(root);
        let erase_nop = rule.finish().unwrap();
        let unused = unused_symbols(&rules);
        let [(rule, names)] = &unused[..] else { panic!("{unused:?}") };
        assert_eq!(
            (*rule, names.iter().map(|&name| &rules.strings[name]).collect()),
            (erase_nop, vec!["input"])
        );
    }

    #[test]
    fn a_replacement_of_unknown_type_is_found() {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("remove_cast", 1);
        let value = rule.value();
        let root = rule.op("t.cast").operand(value).matched();
        rule.replace(root, [value]);
        let remove_cast = rule.finish().unwrap();
        assert_eq!(retyping_replacements(&rules), [(remove_cast, 0)]);
    }
}
