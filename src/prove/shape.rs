//! The operations that a rule matches, and the types that their operands and results can have. Each operation comes
//! after the operations that define its operands.
//!
//! A slot is an operand that the rule does not describe, a result of a matched operation, or an intermediate value in
//! the description of an operation. The signatures of the operations relate the types of slots.

use hashbrown::HashMap;

use crate::id::Id;
use crate::pdl::{
    Callee, MatchPart, Node, NodeId, OperandGroup, OperationNode, Pattern, RuleSet, ValueSource,
};
use crate::semantics::{DescribedNode, Description, IntOp, Operations, Signature};

use super::value::Ty;

/// The meaning of a matched operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A constant operation.
    Constant,
    Int(IntOp),
    /// An operation of another dialect with one result.
    Described(Description),
}

impl Meaning {
    fn operands(&self) -> usize {
        match self {
            Meaning::Constant => 0,
            Meaning::Int(op) => op.operands(),
            Meaning::Described(description) => description.operands,
        }
    }

    fn results(&self) -> usize {
        match self {
            Meaning::Int(op) => op.results(),
            _ => 1,
        }
    }
}

/// A relation between the types of slots: an operation with its operands and results.
#[derive(Clone, Debug)]
struct Relation {
    op: IntOp,
    operands: Vec<usize>,
    results: Vec<usize>,
}

/// A matched operation.
#[derive(Clone, Debug)]
pub(super) struct ShapeOp {
    pub(super) name: String,
    pub(super) meaning: Meaning,
    /// The slots of the operands.
    pub(super) operands: Vec<usize>,
    /// The slots of the results.
    pub(super) results: Vec<usize>,
}

/// The matched operations of a rule.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    pub(super) ops: Vec<ShapeOp>,
    pub(super) slots: usize,
    /// The slots of operands that the rule does not describe. The node is the value node of the operand, or the
    /// operation node if the rule lists no operands of the operation.
    pub(super) leaves: Vec<(usize, NodeId)>,
    /// The slots of value nodes.
    pub(super) values: HashMap<NodeId, usize>,
    /// The indices of operation nodes in `ops`.
    pub(super) op_index: HashMap<NodeId, usize>,
    relations: Vec<Relation>,
    /// Pairs of slots with equal types.
    ties: Vec<(usize, usize)>,
}

/// Classes of slots that have the same type. The first slot of a class identifies the class.
struct TypeClasses {
    /// The class of each slot.
    of: Vec<usize>,
    /// The classes that have the type `i1`.
    bits: Vec<usize>,
    /// All other classes.
    free: Vec<usize>,
}

/// The largest number of shapes of one rule.
const MAX_SHAPES: usize = 64;
/// The largest number of type assignments of one shape.
pub(super) const MAX_ASSIGNMENTS: usize = 2_000;
/// The largest number of matched operations.
const MAX_OPS: usize = 100;

/// The shapes of a rule. A shape fixes the order of each `either` pair, and the result for each operand that can be any
/// result of a nested operation. There is one shape for each combination of these choices.
///
/// # Errors
/// Returns the reason, such as an operation without a known meaning.
pub(super) fn shapes(
    rules: &RuleSet,
    pattern: &Pattern,
    operations: &Operations,
) -> Result<Vec<Shape>, String> {
    let part = &pattern.matcher;
    let mut meanings = HashMap::new();
    let mut either = Vec::new();
    let mut any_result = Vec::new();
    for (id, node) in part.iter_enumerated() {
        match node {
            Node::Operation(op) => {
                meanings.insert(id, meaning(rules, part, id, op, operations)?);
                either.extend(op.either.iter().map(|&pair| (id, pair)));
            }
            Node::Value { source: Some(ValueSource::DefinedBy { op }), .. } => any_result.push((id, *op)),
            _ => {}
        }
    }
    if meanings.len() > MAX_OPS {
        return Err(format!("the rule matches more than {MAX_OPS} operations"));
    }
    let mut choices: Vec<usize> = vec![2; either.len()];
    for (_, op) in &any_result {
        choices.push(match meanings.get(op) {
            Some((_, meaning)) => meaning.results(),
            None => 1,
        });
    }
    let total = choices.iter().try_fold(1_usize, |all, choice| all.checked_mul(*choice));
    let total = total.filter(|total| *total <= MAX_SHAPES);
    let total = total.ok_or("the rule matches its operands in more than 64 ways")?;
    (0..total)
        .map(|mut number| {
            let mut digits = choices.iter().map(|choice| {
                let digit = number % choice;
                number /= choice;
                digit
            });
            let swapped: Vec<(NodeId, (u32, u32))> = either
                .iter()
                .zip(&mut digits)
                .filter(|(_, digit)| *digit == 1)
                .map(|(pair, _)| *pair)
                .collect();
            let results: HashMap<NodeId, usize> =
                any_result.iter().map(|(value, _)| *value).zip(&mut digits).collect();
            let mut builder =
                Builder { part, meanings: &meanings, swapped, results, shape: Shape::default() };
            for &root in &part.roots {
                builder.op(root, 0)?;
            }
            Ok(builder.shape)
        })
        .collect()
}

/// The name and the meaning of an operation.
fn meaning(
    rules: &RuleSet,
    part: &MatchPart,
    id: NodeId,
    op: &OperationNode,
    operations: &Operations,
) -> Result<(String, Meaning), String> {
    let Some(name) = op.name else {
        // `ConstantLikeMatcher` matches any operation that is a constant.
        let constant = part.constraints.iter().any(|call| {
            let Callee::Snippet(snippet) = call.callee else { return false };
            let argument = rules.snippets().constant_argument(snippet);
            let taken = argument.and_then(|at| call.args.get(at)?.taken());
            !call.negated
                && taken.is_some_and(|node| {
                    node == id || part[node].source().is_some_and(|source| source.op() == id)
                })
        });
        return match constant {
            true => Ok(("arith.constant".to_owned(), Meaning::Constant)),
            false => Err("the rule matches operations of any name".to_owned()),
        };
    };
    let name = &rules.strings()[name];
    meaning_of(name, operations).map(|meaning| (name.to_owned(), meaning))
}

/// The meaning of the operation with this name.
pub(super) fn meaning_of(name: &str, operations: &Operations) -> Result<Meaning, String> {
    if name == "arith.constant" {
        return Ok(Meaning::Constant);
    }
    if let Some(op) = name.strip_prefix("arith.").and_then(IntOp::find) {
        return Ok(Meaning::Int(op));
    }
    if let Some(description) = operations.find(name) {
        return Ok(Meaning::Described(description.clone()));
    }
    const FLOATS: &[&str] =
        &["fptosi", "fptoui", "sitofp", "uitofp", "convertf", "scaling_extf", "scaling_truncf"];
    let float = name
        .strip_prefix("arith.")
        .is_some_and(|op| op.ends_with('f') || FLOATS.contains(&op) || ["maxnumf", "minnumf"].contains(&op));
    Err(match float {
        true => format!("'{name}' computes with floats"),
        false => format!("the operation '{name}' has no known meaning"),
    })
}

struct Builder<'a> {
    part: &'a MatchPart,
    meanings: &'a HashMap<NodeId, (String, Meaning)>,
    swapped: Vec<(NodeId, (u32, u32))>,
    results: HashMap<NodeId, usize>,
    shape: Shape,
}

impl Builder<'_> {
    fn slot(&mut self) -> usize {
        self.shape.slots += 1;
        self.shape.slots - 1
    }

    fn op(&mut self, id: NodeId, depth: usize) -> Result<usize, String> {
        if let Some(&index) = self.shape.op_index.get(&id) {
            return Ok(index);
        }
        if depth > MAX_OPS {
            return Err(format!("the rule matches more than {MAX_OPS} operations"));
        }
        let Node::Operation(op) = &self.part[id] else {
            return Err("the rule is malformed".to_owned());
        };
        let (name, meaning) = self.meanings[&id].clone();
        let mut nodes = Vec::new();
        for group in op.operands.as_deref().unwrap_or_default() {
            match group {
                OperandGroup::One(node) => nodes.push(*node),
                OperandGroup::List(list) => nodes.extend(list),
                OperandGroup::Range(_) | OperandGroup::Any if meaning == Meaning::Constant => {}
                _ => return Err(format!("the rule matches any number of operands of '{name}'")),
            }
        }
        for (_, (a, b)) in self.swapped.iter().filter(|(of, _)| *of == id) {
            let (a, b) = (*a as usize, *b as usize);
            if a < nodes.len() && b < nodes.len() {
                nodes.swap(a, b);
            }
        }
        let arity = meaning.operands();
        let mut operands = Vec::new();
        if op.operands.is_some() {
            if nodes.len() != arity {
                return Err(format!(
                    "the number of matched operands of '{name}' is {} instead of {arity}",
                    nodes.len()
                ));
            }
            for node in nodes {
                operands.push(self.value(node, depth)?);
            }
        } else {
            operands.extend((0..arity).map(|_| self.slot()));
            let new = operands.iter().map(|&slot| (slot, id));
            self.shape.leaves.extend(new);
        }
        let results: Vec<usize> = (0..meaning.results()).map(|_| self.slot()).collect();
        match &meaning {
            Meaning::Constant => {}
            Meaning::Int(op) => {
                let (operands, results) = (operands.clone(), results.clone());
                self.shape.relations.push(Relation { op: *op, operands, results });
            }
            Meaning::Described(description) => self.describe(description, &operands, results[0]),
        }
        self.shape.ops.push(ShapeOp { name, meaning, operands, results });
        self.shape.op_index.insert(id, self.shape.ops.len() - 1);
        Ok(self.shape.ops.len() - 1)
    }

    /// Adds the relations between the types of a described operation.
    fn describe(&mut self, description: &Description, operands: &[usize], result: usize) {
        let mut slots: Vec<usize> = Vec::new();
        for (index, node) in description.nodes.iter().enumerate() {
            let last = index + 1 == description.nodes.len();
            let slot = match node {
                DescribedNode::Operand(at) => {
                    if last {
                        self.shape.ties.push((operands[*at], result));
                    }
                    operands[*at]
                }
                _ if last => result,
                _ => self.slot(),
            };
            if let DescribedNode::Op { op, args, .. } = node {
                let operands = args.iter().map(|&arg| slots[arg]).collect();
                self.shape.relations.push(Relation { op: *op, operands, results: vec![slot] });
            }
            slots.push(slot);
        }
    }

    fn value(&mut self, id: NodeId, depth: usize) -> Result<usize, String> {
        if let Some(&slot) = self.shape.values.get(&id) {
            return Ok(slot);
        }
        let slot = match &self.part[id] {
            Node::Value { source: None, .. } => {
                let slot = self.slot();
                self.shape.leaves.push((slot, id));
                slot
            }
            Node::Value { source: Some(source), .. } => {
                let op = self.op(source.op(), depth + 1)?;
                let at = match source {
                    ValueSource::Result { index, .. } => *index as usize,
                    // `shapes` chooses a result for each of these nodes.
                    ValueSource::DefinedBy { .. } => self.results[&id],
                    ValueSource::Results { .. } => 0,
                };
                let results = &self.shape.ops[op].results;
                *results.get(at).ok_or("the rule matches a result that an operation does not have")?
            }
            _ => return Err("the rule matches ranges of operands".to_owned()),
        };
        self.shape.values.insert(id, slot);
        Ok(slot)
    }
}

impl Shape {
    /// True if two rules match the same operations with the same operands.
    pub(super) fn is_like(&self, other: &Shape) -> bool {
        let slots = |shape: &Shape| shape.leaves.iter().map(|(slot, _)| *slot).collect::<Vec<_>>();
        self.slots == other.slots
            && slots(self) == slots(other)
            && self.ops.len() == other.ops.len()
            && self.ops.iter().zip(&other.ops).all(|(a, b)| {
                a.name == b.name
                    && a.meaning == b.meaning
                    && a.operands == b.operands
                    && a.results == b.results
            })
    }

    /// Binds the value nodes that are not operands, such as results that constraints read, to their slots.
    pub(super) fn bind_results(&mut self, part: &MatchPart) {
        for (id, node) in part.iter_enumerated() {
            if let Node::Value { source: Some(source), .. } = node
                && !self.values.contains_key(&id)
                && let Some(&op) = self.op_index.get(&source.op())
            {
                let at = match source {
                    ValueSource::Result { index, .. } => *index as usize,
                    _ => 0,
                };
                if let Some(&slot) = self.ops[op].results.get(at) {
                    self.values.insert(id, slot);
                }
            }
        }
    }

    /// True if no operation is a cast, and all slots whose type is not always `i1` have the same type.
    pub(super) fn has_one_type(&self) -> bool {
        let converts = |relation: &Relation| {
            matches!(
                relation.op.signature(),
                Signature::Bitcast | Signature::Widen | Signature::Narrow | Signature::IndexCast
            )
        };
        self.type_classes().free.len() == 1 && !self.relations.iter().any(converts)
    }

    /// All valid assignments of types to the slots. `None` if there are more than [`MAX_ASSIGNMENTS`].
    ///
    /// Conditions of `select`, results of comparisons, and carries have the type `i1`. All other slots have an integer
    /// type of one of the widths, or `index`.
    pub(super) fn assignments(&self, widths: &[u32]) -> Option<Vec<Vec<Ty>>> {
        let mut found = Vec::new();
        let TypeClasses { of, bits, free } = self.type_classes();
        let mut types: Vec<Option<Ty>> = vec![None; self.slots];
        for bit in bits {
            types[bit] = Some(Ty::Int(1));
        }
        let mut candidates: Vec<Ty> = widths.iter().map(|&width| Ty::Int(width)).collect();
        candidates.push(Ty::Index);
        let complete = self.assign(&free, &candidates, &of, &mut types, &mut found);
        complete.then_some(found)
    }

    /// The classes of slots that the operations require to have the same type.
    fn type_classes(&self) -> TypeClasses {
        let mut parents: Vec<usize> = (0..self.slots).collect();
        fn root(parents: &[usize], mut slot: usize) -> usize {
            while parents[slot] != slot {
                slot = parents[slot];
            }
            slot
        }
        let mut bits = Vec::new();
        let mut tie = |a: usize, b: usize| {
            let (a, b) = (root(&parents, a), root(&parents, b));
            parents[a.max(b)] = a.min(b);
        };
        for &(a, b) in &self.ties {
            tie(a, b);
        }
        for Relation { op: int, operands, results } in &self.relations {
            match int.signature() {
                Signature::Same => {
                    operands[1..].iter().chain(results).for_each(|&slot| tie(operands[0], slot));
                }
                Signature::Comparison => {
                    tie(operands[0], operands[1]);
                    bits.push(results[0]);
                }
                Signature::WithCarry => {
                    tie(operands[0], operands[1]);
                    tie(operands[0], results[0]);
                    bits.push(results[1]);
                }
                Signature::Select => {
                    tie(operands[1], operands[2]);
                    tie(operands[1], results[0]);
                    bits.push(operands[0]);
                }
                Signature::Bitcast | Signature::Widen | Signature::Narrow | Signature::IndexCast => {}
            }
        }
        let of: Vec<usize> = (0..self.slots).map(|slot| root(&parents, slot)).collect();
        let bits: Vec<usize> = bits.into_iter().map(|bit| of[bit]).collect();
        let mut free = of.clone();
        free.sort_unstable();
        free.dedup();
        free.retain(|class| !bits.contains(class));
        TypeClasses { of, bits, free }
    }

    /// Assigns types to classes of slots. Returns false if there are too many assignments.
    fn assign(
        &self,
        order: &[usize],
        candidates: &[Ty],
        classes: &[usize],
        types: &mut Vec<Option<Ty>>,
        found: &mut Vec<Vec<Ty>>,
    ) -> bool {
        let fits = self.relations.iter().all(|relation| {
            let of = |slot: &usize| types[classes[*slot]];
            let (from, to) = (relation.operands.first().and_then(of), relation.results.first().and_then(of));
            from.zip(to).is_none_or(|(from, to)| is_valid(relation.op.signature(), from, to))
        });
        if !fits {
            return true;
        }
        let Some((&class, rest)) = order.split_first() else {
            if found.len() == MAX_ASSIGNMENTS {
                return false;
            }
            found.extend(classes.iter().map(|&class| types[class]).collect::<Option<Vec<Ty>>>());
            return true;
        };
        for &candidate in candidates {
            types[class] = Some(candidate);
            let complete = self.assign(rest, candidates, classes, types, found);
            types[class] = None;
            if !complete {
                return false;
            }
        }
        true
    }
}

/// False for a cast that cannot convert the first type to the second, and true otherwise.
pub(super) fn is_valid(signature: Signature, from: Ty, to: Ty) -> bool {
    match (signature, from, to) {
        (Signature::Widen, Ty::Int(from), Ty::Int(to)) => from < to,
        (Signature::Narrow, Ty::Int(from), Ty::Int(to)) => from > to,
        (Signature::Bitcast, Ty::Int(from), Ty::Int(to)) => from == to,
        (Signature::IndexCast, Ty::Int(_), Ty::Index) | (Signature::IndexCast, Ty::Index, Ty::Int(_)) => true,
        (Signature::Widen | Signature::Narrow | Signature::Bitcast | Signature::IndexCast, ..) => false,
        _ => true,
    }
}

/// The result types of an operation with operands of these types; `None` if the operand types do not determine the
/// result types.
pub(super) fn inferred(op: IntOp, operands: &[Ty]) -> Option<Vec<Ty>> {
    let first = *operands.first()?;
    Some(match op.signature() {
        Signature::Same => vec![first; op.results()],
        Signature::Comparison => vec![Ty::Int(1)],
        Signature::Select => vec![*operands.get(1)?],
        Signature::WithCarry => vec![first, Ty::Int(1)],
        Signature::Widen | Signature::Narrow | Signature::IndexCast | Signature::Bitcast => return None,
    })
}

/// True if an operation can have operands and results of these types.
pub(super) fn is_valid_op(op: IntOp, operands: &[Ty], results: &[Ty]) -> bool {
    if operands.len() != op.operands() || results.len() != op.results() {
        return false;
    }
    match op.signature() {
        Signature::Same | Signature::Comparison | Signature::WithCarry => {
            operands.iter().all(|ty| *ty == operands[0]) && inferred(op, operands).as_deref() == Some(results)
        }
        Signature::Select => {
            operands[0] == Ty::Int(1) && operands[1] == operands[2] && results[0] == operands[1]
        }
        signature => is_valid(signature, operands[0], results[0]),
    }
}

/// The type of the result of a described operation with operands of these types. If the last operation of the
/// description is a cast, the result has the type `listed`. `None` if the operands do not fit the description, or do
/// not determine the type.
pub(super) fn described_type(description: &Description, operands: &[Ty], listed: Option<Ty>) -> Option<Ty> {
    if operands.len() != description.operands {
        return None;
    }
    let mut types: Vec<Option<Ty>> = Vec::new();
    for (index, node) in description.nodes.iter().enumerate() {
        types.push(match node {
            DescribedNode::Operand(at) => Some(operands[*at]),
            DescribedNode::Literal(_) => None,
            DescribedNode::Op { op, args, .. } => {
                // A literal has the type of another argument of the same operation.
                let sibling = args.iter().rev().find_map(|&arg| types[arg])?;
                let args: Vec<Ty> = args.iter().map(|&arg| types[arg].unwrap_or(sibling)).collect();
                let last = index + 1 == description.nodes.len();
                let own = inferred(*op, &args).map(|types| types[0]);
                let to = own.or(listed.filter(|_| last))?;
                Some(to).filter(|to| is_valid_op(*op, &args, &[*to]))
            }
        });
        if matches!(node, DescribedNode::Op { .. }) && types[index].is_none() {
            return None;
        }
    }
    types.pop().flatten()
}

/// The name of a node for messages: the name in the rule, or `default` with the node's number.
pub(super) fn node_name(rules: &RuleSet, pattern: &Pattern, node: NodeId, default: &str) -> String {
    match pattern.matcher.name(node) {
        Some(name) => rules.strings()[name].to_owned(),
        None => format!("{default}{}", node.index()),
    }
}
