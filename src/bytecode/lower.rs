//! A decision DAG and the rewrites of its rules as code.
//!
//! Every node becomes one instruction, or a short run of them; the answer that a node waits for
//! falls through, so straight paths have no jumps. A node is written when all that lead to it have been,
//! so code only goes forward, which is what makes it quick to validate. An operation that a name question has found
//! stays in its position's register for all that is asked below it.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::matcher_tree::{
    self, Answer, Guard, Position, PositionId, Positions, Question, QuestionId, Row, Side, Test, Tree,
    TreeNode, TreeNodeId,
};
use crate::pdl::{
    Arg, Callee, CreateOp, LocalId, LocationSpec, NodeId, OpTable, Pattern, PatternId, Replacement,
    ResultTypes, RuleSet, Source, Step, TypeRecipe,
};
use crate::snippet::SnippetId;
use crate::source::Diagnostics;

use super::assemble::{Assembler, Label, Word};
use super::bottom_up::{ANY, BottomUp, BottomUpRow};
use super::debug::{Debug, PatternDebug};
use super::error;
use super::instruction::Opcode;
use super::program::{
    Decision, Location, LocationId, Part, PatternCall, PatternInfo, Program, RewriteCall, RewriteCallId,
    SourceWord,
};

/// The program for a tree and the rules it was built from.
///
/// # Errors
/// A rule set too large for 32-bit addresses and numbers.
pub fn compile(rules: &RuleSet, tree: &Tree) -> Result<Program, Diagnostics> {
    compile_mapped(rules, tree).map(|(program, _)| program)
}

/// Where the code of each node of a tree starts; `None`: it is part of the node before it.
pub type NodeMap = IdVec<TreeNodeId, Option<u32>>;

/// As [`compile`], with where the code of each node is.
///
/// # Errors
/// As [`compile`].
pub fn compile_mapped(rules: &RuleSet, tree: &Tree) -> Result<(Program, NodeMap), Diagnostics> {
    compile_within(rules, tree, Assembler::LIMIT)
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
    let taken_apart = matcher_tree::bottom_up(tree.rows(), &mut positions, &mut predicates);
    let bottom_up = code.bottom_up(&taken_apart)?;
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
            names: pattern.matcher.names.iter().map(|name| name.map(&mut intern)).collect(),
            origin: pattern.origin,
            root: row.root,
            asks: row.asks.clone(),
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
    for node in pattern.matcher.nodes.iter() {
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

/// Where the code of the tree's failing node is: the first instruction.
const FAIL: TreeNodeId = TreeNodeId::from_raw(0);

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

struct TreeCode<'a> {
    rules: &'a RuleSet,
    tree: &'a Tree,
    asm: Assembler,
    /// Nodes that are wanted or written.
    labels: IdVec<TreeNodeId, Option<Label>>,
    registers: HashMap<PositionId, u32, FxBuildHasher>,
    register_positions: Vec<PositionId>,
    /// How often each node is led to by nodes that are not written yet.
    waiting: IdVec<TreeNodeId, u32>,
    /// Nodes to write that no unwritten node leads to.
    ready: Vec<TreeNodeId>,
    /// Scratch: where the node that is written leads.
    reached: Vec<TreeNodeId>,
    decisions: Vec<Decision>,
    choices: u32,
    names: Names,
}

/// A table is dense where at least this share of it, one in so many, is full.
const SPARSENESS: u32 = 3;

impl TreeCode<'_> {
    fn run(&mut self) -> (Vec<(u32, Label)>, Label) {
        let fail = self.label(FAIL);
        self.asm.place(fail);
        self.asm.emit(Opcode::Fail, &[], &[]);
        let entries = self.tree.entries().iter();
        let entries = entries.map(|&(name, node)| (self.names.number(name), self.label(node))).collect();
        let any = self.label(self.tree.any());
        self.count_waiting();
        while let Some(node) = self.ready.pop() {
            self.chain(node);
        }
        (entries, any)
    }

    /// Counts what leads to each node that is to be written, and finds those to start with.
    fn count_waiting(&mut self) {
        let mut roots: Vec<TreeNodeId> = self.tree.entries().iter().map(|entry| entry.1).collect();
        roots.push(self.tree.any());
        let mut found: IdVec<TreeNodeId, bool> = self.tree.nodes().iter().map(|_| false).collect();
        let mut todo = roots.clone();
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut found[node], true) {
                continue;
            }
            let from = todo.len();
            self.ways(node, &mut todo);
            for &to in &todo[from..] {
                self.waiting[to] += 1;
            }
        }
        // Each once, and the first last, so that it is written first.
        for root in roots.into_iter().rev() {
            if root != FAIL && self.waiting[root] == 0 {
                self.waiting[root] = u32::MAX;
                self.ready.push(root);
            }
        }
    }

    /// Appends where the code of a node leads, as often as it does, without the failing node.
    fn ways(&self, node: TreeNodeId, to: &mut Vec<TreeNodeId>) {
        match &self.tree.nodes()[node] {
            TreeNode::Fail => {}
            TreeNode::Try { first, then } => to.extend([*then, *first].into_iter().filter(|&n| n != FAIL)),
            TreeNode::Leaf { next, .. } => to.extend([*next].into_iter().filter(|&n| n != FAIL)),
            TreeNode::Switch { question, cases, otherwise } => {
                let fused = self.both_counts(*question, cases, *otherwise).map(|counts| counts.2);
                let cases = cases.iter().map(|case| fused.unwrap_or(case.1));
                to.extend(std::iter::once(*otherwise).chain(cases).filter(|&n| n != FAIL));
            }
        }
    }

    /// The label of a node.
    fn label(&mut self, node: TreeNodeId) -> Label {
        if let Some(label) = self.labels[node] {
            return label;
        }
        let label = self.asm.label();
        self.labels[node] = Some(label);
        label
    }

    /// Writes a node and those that it falls through to.
    fn chain(&mut self, first: TreeNodeId) {
        let mut node = first;
        loop {
            let label = self.label(node);
            self.asm.place(label);
            let next = self.node(node);
            let mut ways = std::mem::take(&mut self.reached);
            self.ways(node, &mut ways);
            for to in ways.drain(..) {
                self.waiting[to] -= 1;
                if self.waiting[to] == 0 && Some(to) != next {
                    self.ready.push(to);
                }
            }
            self.reached = ways;
            match next {
                None => return,
                Some(FAIL) => {
                    self.asm.emit(Opcode::Fail, &[], &[]);
                    return;
                }
                Some(next) if self.waiting[next] > 0 => {
                    let label = self.label(next);
                    self.asm.emit(Opcode::Jump, &[], &[label.into()]);
                    return;
                }
                Some(next) => node = next,
            }
        }
    }

    /// Writes one node; what it falls through to, if anything.
    fn node(&mut self, node: TreeNodeId) -> Option<TreeNodeId> {
        let at = self.asm.here();
        for ask in self.tree.asks(node) {
            let span = self.rules.patterns[ask.pattern].matcher.spans[ask.node];
            self.decisions.push(Decision { at, pattern: ask.pattern, node: ask.node, span });
        }
        match &self.tree.nodes()[node] {
            TreeNode::Fail => {
                self.asm.emit(Opcode::Fail, &[], &[]);
                None
            }
            TreeNode::Try { first, then } => {
                let then = self.label(*then);
                self.asm.emit(Opcode::Try, &[], &[then.into()]);
                Some(*first)
            }
            TreeNode::Leaf { row, next } => {
                let row = &self.tree.rows()[*row];
                if row.guards.is_empty() {
                    self.asm.emit(Opcode::Accept, &[], &[row.pattern.raw().into()]);
                    return Some(*next);
                }
                let next = self.label(*next);
                self.asm.emit(Opcode::Try, &[], &[next.into()]);
                self.guards(&row.guards);
                self.asm.emit(Opcode::AcceptGuarded, &[], &[row.pattern.raw().into()]);
                self.asm.emit(Opcode::Fail, &[], &[]);
                None
            }
            TreeNode::Switch { question, cases, otherwise } => self.switch(*question, cases, *otherwise),
        }
    }

    /// The rules as items, and code for what these do not say.
    fn bottom_up(&mut self, taken: &matcher_tree::BottomUp) -> Option<BottomUp> {
        let mut result = BottomUp::default();
        for item in taken.items.iter() {
            let name = item.name.map_or(ANY, |name| self.names.number(name));
            let (tests, operands) = (item.tests.len(), item.operands.len());
            result.items.extend([name, u32::try_from(tests).ok()?, u32::try_from(operands).ok()?]);
            result.items.extend(item.tests.iter().flat_map(|&(question, answer)| [question.raw(), answer.0]));
            result.items.extend(item.operands.iter().flat_map(|&(operand, item)| [operand, item.raw()]));
        }
        for (row, taken) in self.tree.rows().iter().zip(taken.rows.iter()) {
            let residual = taken.residual.iter();
            let mut guards: Vec<Guard> = residual
                .map(|&Test { question, answer, node, .. }| Guard::Test { question, answer, node })
                .collect();
            guards.extend(&row.guards);
            let mut tail = 0;
            if !guards.is_empty() {
                tail = self.asm.here();
                self.guards(&guards);
                self.asm.emit(Opcode::AcceptGuarded, &[], &[row.pattern.raw().into()]);
                self.asm.emit(Opcode::Fail, &[], &[]);
            }
            result.rows.push(BottomUpRow { pattern: row.pattern, item: taken.item.raw(), tail });
        }
        Some(result)
    }

    fn guards(&mut self, guards: &[Guard]) {
        let fail = self.label(FAIL);
        for guard in guards {
            match *guard {
                Guard::Test { question, answer, .. } => {
                    if let Question::Name(op) = self.tree.predicates()[question] {
                        let to = self.register(op);
                        let name = self.names.number(StrId::from_raw(answer.0));
                        self.asm.emit(Opcode::LoadOp, &[to], &[op.raw().into(), fail.into()]);
                        self.asm.emit(Opcode::NameIs, &[to], &[name.into(), fail.into()]);
                        continue;
                    }
                    self.asm.emit(Opcode::Ask, &[], &[question.raw().into(), answer.0.into(), fail.into()]);
                }
                Guard::EachUser { choice, value, place } => {
                    self.choices = self.choices.max(choice + 1);
                    self.asm.emit(Opcode::EachUser, &[choice], &[value.raw().into(), place.raw().into()]);
                }
                Guard::Either { choice } => {
                    self.choices = self.choices.max(choice + 1);
                    self.asm.emit(Opcode::Either, &[choice], &[]);
                }
                Guard::Call { call, negated } => {
                    self.asm.emit(Opcode::Constrain, &[u32::from(negated)], &[call.raw().into()]);
                }
            }
        }
    }

    /// The register of an operation that is on the path to what is asked.
    fn register(&mut self, op: PositionId) -> u32 {
        if self.tree.positions()[op] == Position::Root {
            return 0;
        }
        let positions = &mut self.register_positions;
        *self.registers.entry(op).or_insert_with(|| {
            // There are no more registers than positions; the root has register 0.
            let next = u32::try_from(positions.len()).unwrap_or(u32::MAX);
            positions.push(op);
            next
        })
    }

    fn switch(
        &mut self,
        question: QuestionId,
        cases: &[(Answer, TreeNodeId)],
        otherwise: TreeNodeId,
    ) -> Option<TreeNodeId> {
        let positions = self.tree.positions();
        match self.tree.predicates()[question] {
            Question::Name(op) => self.name_switch(op, cases, otherwise),
            Question::Present(op) if positions.kind(op) == Kind::Op => {
                let [(answer, found)] = cases else { return self.ask(question, cases, otherwise) };
                let (yes, no) =
                    if *answer == Answer::YES { (*found, otherwise) } else { (otherwise, *found) };
                let to = self.register(op);
                let no = self.label(no);
                match self.operand(op) {
                    Some((from, operand)) => {
                        self.asm.emit(Opcode::OperandOp, &[from, operand, to], &[no.into()]);
                    }
                    None => {
                        let value = op.raw().into();
                        self.asm.emit(Opcode::LoadOp, &[to], &[value, no.into()]);
                    }
                }
                Some(yes)
            }
            Question::Count { op, side } => {
                if let Some((count, results, yes)) = self.both_counts(question, cases, otherwise) {
                    let register = self.register(op);
                    let no = self.label(otherwise);
                    self.asm.emit(Opcode::CountsAre, &[register, count.0, results.0], &[no.into()]);
                    return Some(yes);
                }
                let opcode = match side {
                    Side::Operands => Opcode::OperandCountIs,
                    Side::Results => Opcode::ResultCountIs,
                };
                let register = self.register(op);
                self.each_case(cases, otherwise, |code, answer, no| {
                    code.asm.emit(opcode, &[register, answer.0], &[no.into()]);
                })
            }
            Question::Constant(position) => self.constant_switch(position, cases, otherwise),
            Question::Same(a, b) => {
                if let (Position::Operand { op: a_op, index: a }, Position::Operand { op: b_op, index: b }) =
                    (positions[a], positions[b])
                    && let &[(Answer::YES, yes)] = cases
                {
                    let (a_op, b_op) = (self.register(a_op), self.register(b_op));
                    let no = self.label(otherwise);
                    self.asm.emit(Opcode::SameOperands, &[a_op, a, b_op], &[b.into(), no.into()]);
                    return Some(yes);
                }
                self.ask(question, cases, otherwise)
            }
            Question::Holds(snippet, position) => {
                let Some((op, operand)) = self.operand_type(position) else {
                    return self.ask(question, cases, otherwise);
                };
                self.each_case(cases, otherwise, |code, answer, no| {
                    let words = [snippet.raw().into(), no.into()];
                    code.asm.emit(Opcode::OperandTypeHolds, &[op, operand, answer.0], &words);
                })
            }
            _ => self.ask(question, cases, otherwise),
        }
    }

    /// How many operands and results there are to be, and where to go on then, if a node asks for the
    /// one and what comes next for the other.
    fn both_counts(
        &self,
        question: QuestionId,
        cases: &[(Answer, TreeNodeId)],
        otherwise: TreeNodeId,
    ) -> Option<(Answer, Answer, TreeNodeId)> {
        let asked = self.tree.predicates();
        let (&[(operands, next)], Question::Count { op, side: Side::Operands }) = (cases, asked[question])
        else {
            return None;
        };
        let TreeNode::Switch { question, cases, otherwise: no } = &self.tree.nodes()[next] else {
            return None;
        };
        match (&cases[..], asked[*question]) {
            (&[(results, yes)], Question::Count { op: of, side: Side::Results })
                if of == op && *no == otherwise =>
            {
                Some((operands, results, yes))
            }
            _ => None,
        }
    }

    /// The register and operand index, if a position is the operation that defines an operand.
    fn operand(&mut self, op: PositionId) -> Option<(u32, u32)> {
        let Position::DefiningOp(value) = self.tree.positions()[op] else { return None };
        let Position::Operand { op, index } = self.tree.positions()[value] else { return None };
        Some((self.register(op), index))
    }

    /// The register and operand index, if a position is the type of an operand.
    fn operand_type(&mut self, ty: PositionId) -> Option<(u32, u32)> {
        let Position::TypeOf(value) = self.tree.positions()[ty] else { return None };
        let Position::Operand { op, index } = self.tree.positions()[value] else { return None };
        Some((self.register(op), index))
    }

    /// Tests the answers one after the other; the last one falls through.
    fn each_case(
        &mut self,
        cases: &[(Answer, TreeNodeId)],
        otherwise: TreeNodeId,
        mut test: impl FnMut(&mut Self, Answer, Label),
    ) -> Option<TreeNodeId> {
        let (&(last, last_to), before) = cases.split_last()?;
        for &(answer, to) in before {
            let skip = self.asm.label();
            test(self, answer, skip);
            let to = self.label(to);
            self.asm.emit(Opcode::Jump, &[], &[to.into()]);
            self.asm.place(skip);
        }
        let no = self.label(otherwise);
        test(self, last, no);
        Some(last_to)
    }

    fn ask(
        &mut self,
        question: QuestionId,
        cases: &[(Answer, TreeNodeId)],
        otherwise: TreeNodeId,
    ) -> Option<TreeNodeId> {
        self.each_case(cases, otherwise, |code, answer, no| {
            code.asm.emit(Opcode::Ask, &[], &[question.raw().into(), answer.0.into(), no.into()]);
        })
    }

    fn table(&mut self, cases: &[(Answer, TreeNodeId)]) -> Vec<(u32, Label)> {
        let mut table: Vec<(u32, Label)> = cases.iter().map(|&(a, to)| (a.0, self.label(to))).collect();
        table.sort_unstable_by_key(|&(key, _)| key);
        table
    }

    fn name_switch(
        &mut self,
        op: PositionId,
        cases: &[(Answer, TreeNodeId)],
        otherwise: TreeNodeId,
    ) -> Option<TreeNodeId> {
        let to = self.register(op);
        let operand = self.operand(op);
        let no = self.label(otherwise);
        let cases: Vec<(Answer, TreeNodeId)> = cases
            .iter()
            .map(|&(name, to)| (Answer(self.names.number(StrId::from_raw(name.0))), to))
            .collect();
        if operand.is_none() {
            self.asm.emit(Opcode::LoadOp, &[to], &[op.raw().into(), no.into()]);
        }
        if let &[(name, yes)] = &cases[..] {
            let words = [name.0.into(), no.into()];
            match operand {
                Some((from, index)) => self.asm.emit(Opcode::OperandOpIs, &[from, index, to], &words),
                None => self.asm.emit(Opcode::NameIs, &[to], &words),
            }
            return Some(yes);
        }
        let table = self.table(&cases);
        let (Some(&(low, _)), Some(&(high, _))) = (table.first(), table.last()) else { return None };
        let full = u32::try_from(table.len()).unwrap_or(u32::MAX);
        let span = high - low;
        match operand {
            Some((from, index)) if span / SPARSENESS < full && span < u32::MAX => {
                let mut words: Vec<Word> = vec![low.into(), no.into(), (span + 1).into()];
                let mut entries = table.into_iter().peekable();
                for key in low..=high {
                    let to = entries.next_if(|&(k, _)| k == key).map_or(no, |(_, to)| to);
                    words.push(to.into());
                }
                self.asm.emit(Opcode::OperandOpTable, &[from, index, to], &words);
            }
            _ => {
                let mut words: Vec<Word> = vec![no.into(), full.into()];
                words.extend(table.into_iter().flat_map(|(key, to)| [Word::from(key), to.into()]));
                match operand {
                    Some((from, index)) => self.asm.emit(Opcode::OperandOpSwitch, &[from, index, to], &words),
                    None => self.asm.emit(Opcode::NameSwitch, &[to], &words),
                }
            }
        }
        None
    }

    fn constant_switch(
        &mut self,
        position: PositionId,
        cases: &[(Answer, TreeNodeId)],
        otherwise: TreeNodeId,
    ) -> Option<TreeNodeId> {
        let attribute = match self.tree.positions()[position] {
            Position::Attribute { op, name, storage: None, default: None } => Some((self.register(op), name)),
            _ => None,
        };
        let no = self.label(otherwise);
        if let (&[(value, yes)], Some((op, name))) = (cases, attribute) {
            self.asm.emit(Opcode::AttrIs, &[op], &[name.raw().into(), value.0.into(), no.into()]);
            return Some(yes);
        }
        if let (&[(value, yes)], Some((op, operand))) = (cases, self.operand_type(position)) {
            self.asm.emit(Opcode::OperandTypeIs, &[op, operand], &[value.0.into(), no.into()]);
            return Some(yes);
        }
        let table = self.table(cases);
        let length = u32::try_from(table.len()).unwrap_or(u32::MAX);
        let entries = table.into_iter().flat_map(|(key, to)| [Word::from(key), to.into()]);
        match attribute {
            Some((op, name)) => {
                let mut words: Vec<Word> = vec![name.raw().into(), no.into(), length.into()];
                words.extend(entries);
                self.asm.emit(Opcode::AttrSwitch, &[op], &words);
            }
            None => {
                let mut words: Vec<Word> = vec![position.raw().into(), no.into(), length.into()];
                words.extend(entries);
                self.asm.emit(Opcode::ConstantSwitch, &[], &words);
            }
        }
        None
    }
}

struct RewriteCode<'a> {
    positions: &'a mut Positions,
    names: Names,
    attr_names: Vec<StrId>,
    ops: &'a OpTable,
    asm: Assembler,
    calls: IdVec<RewriteCallId, RewriteCall>,
    locations: IdVec<LocationId, Location>,
    bindings: &'a IdVec<NodeId, PositionId>,
    used: Vec<PatternCall>,
}

impl RewriteCode<'_> {
    fn rewrite(&mut self, pattern: &Pattern) -> Option<()> {
        for step in &pattern.rewrite.steps {
            self.step(step, &pattern.rewrite.locals)?;
        }
        self.asm.emit(Opcode::Done, &[], &[]);
        Some(())
    }

    fn source(&self, source: Source) -> Option<SourceWord> {
        match source {
            Source::Matched(node) => SourceWord::matched(*self.bindings.get(node)?),
            Source::Local(local) => SourceWord::local(local),
        }
    }

    fn sources(&self, sources: &[Source]) -> Option<Vec<Word>> {
        sources.iter().map(|&s| Some(Word::from(self.source(s)?.0))).collect()
    }

    fn step(&mut self, step: &Step, locals: &IdVec<LocalId, Kind>) -> Option<()> {
        let local = |id: &LocalId| Word::from(id.raw());
        match step {
            Step::Attr { value, to } => {
                let value = self.positions.intern_constant(Kind::Attr, *value);
                self.asm.emit(Opcode::MakeConstant, &[], &[value.raw().into(), local(to)]);
            }
            Step::Type { value, to } => {
                let value = self.positions.intern_constant(Kind::Type, *value);
                self.asm.emit(Opcode::MakeConstant, &[], &[value.raw().into(), local(to)]);
            }
            Step::Location { spec, to } => {
                let location = self.location(spec)?;
                self.asm.emit(Opcode::MakeLocation, &[], &[location.raw().into(), local(to)]);
            }
            Step::TypeOf { of, to } => {
                let of = self.source(*of)?.0;
                self.asm.emit(Opcode::TypeOf, &[], &[of.into(), local(to)]);
            }
            Step::Result { op, index, to } => {
                let op = self.source(*op)?.0;
                self.asm.emit(Opcode::GetResult, &[], &[op.into(), (*index).into(), local(to)]);
            }
            Step::Results { op, range, to } => {
                let op = self.source(*op)?.0;
                match range {
                    Some((first, count)) => {
                        let words = [op.into(), (*first).into(), (*count).into(), local(to)];
                        self.asm.emit(Opcode::GetResults, &[], &words);
                    }
                    None => self.asm.emit(Opcode::GetAllResults, &[], &[op.into(), local(to)]),
                }
            }
            Step::Range { parts, to } => {
                let mut words = vec![local(to), u32::try_from(parts.len()).ok()?.into()];
                words.extend(self.sources(parts)?);
                self.asm.emit(Opcode::MakeRange, &[], &words);
            }
            Step::Call { callee, args, to, span } => {
                let args = args.iter().map(|arg| self.arg(arg)).collect::<Option<_>>()?;
                let kinds = to.iter().map(|&id| locals[id]).collect();
                let call = RewriteCall { callee: *callee, args, to: to.clone(), kinds, span: *span };
                let call = self.calls.try_push(call)?;
                self.used.push(PatternCall::Rewrite(call));
                self.asm.emit(Opcode::CallRewrite, &[], &[call.raw().into()]);
            }
            Step::Create(create) => self.create(create)?,
            Step::Replace { op, with } => {
                let op = self.source(*op)?.0;
                match with {
                    Replacement::Values(values) => {
                        let mut words = vec![op.into(), u32::try_from(values.len()).ok()?.into()];
                        words.extend(self.sources(values)?);
                        self.asm.emit(Opcode::Replace, &[], &words);
                    }
                    Replacement::Op(by) => {
                        let by = self.source(*by)?.0;
                        self.asm.emit(Opcode::ReplaceByOp, &[], &[op.into(), by.into()]);
                    }
                }
            }
            Step::Erase { op } => {
                let op = self.source(*op)?.0;
                self.asm.emit(Opcode::Erase, &[], &[op.into()]);
            }
        }
        Some(())
    }

    fn arg(&self, arg: &Arg<Source>) -> Option<Arg<SourceWord>> {
        Some(match *arg {
            Arg::Of(source) => Arg::Of(self.source(source)?),
            Arg::Each(source) => Arg::Each(self.source(source)?),
            Arg::Attr(c) => Arg::Attr(c),
            Arg::Type(c) => Arg::Type(c),
            Arg::Int(i) => Arg::Int(i),
            Arg::Bool(b) => Arg::Bool(b),
            Arg::Str(s) => Arg::Str(s),
        })
    }

    fn location(&mut self, spec: &LocationSpec) -> Option<LocationId> {
        let location = match spec {
            LocationSpec::Fused { of, metadata } => Location::Fused {
                of: of.iter().map(|&s| self.source(s)).collect::<Option<_>>()?,
                metadata: *metadata,
            },
            LocationSpec::Named { name, child } => Location::Named {
                name: *name,
                child: match child {
                    Some(source) => Some(self.source(*source)?),
                    None => None,
                },
            },
        };
        if let Some(id) = self.locations.ids().next_back().filter(|&id| self.locations[id] == location) {
            return Some(id);
        }
        self.locations.try_push(location)
    }

    fn create(&mut self, create: &CreateOp) -> Option<()> {
        let location = self.location(&create.location)?;
        let types = match &create.results {
            ResultTypes::Listed(types) => &types[..],
            ResultTypes::Inferred => &[],
        };
        let segment = |name: Option<StrId>| name.map_or(create.name, |n| n);
        let segments =
            u32::from(create.operand_segments.is_some()) | u32::from(create.result_segments.is_some()) << 1;
        let mut words = vec![
            self.names.number(create.name).into(),
            create.to.raw().into(),
            location.raw().into(),
            segment(create.operand_segments).raw().into(),
            segment(create.result_segments).raw().into(),
            u32::try_from(create.attributes.len()).ok()?.into(),
            u32::try_from(create.operands.len()).ok()?.into(),
            u32::try_from(types.len()).ok()?.into(),
        ];
        self.attr_names.extend(create.operand_segments);
        self.attr_names.extend(create.result_segments);
        for &(name, value, inherent) in &create.attributes {
            self.attr_names.push(name);
            words.extend([Word::from(name.raw()), self.source(value)?.0.into(), u32::from(inherent).into()]);
        }
        words.extend(self.sources(&create.operands)?);
        words.extend(self.sources(types)?);
        let inferred = create.results == ResultTypes::Inferred;
        if inferred {
            match self.ops.find(create.name).and_then(|op| op.result_types.as_ref()) {
                Some(recipes) => {
                    let snippets = recipes.iter().flat_map(TypeRecipe::snippets);
                    self.used.extend(snippets.map(PatternCall::Snippet));
                }
                None => self.used.push(PatternCall::Inference { name: create.name, span: create.span }),
            }
        }
        self.asm.emit(Opcode::Create, &[u32::from(inferred), segments], &words);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher_tree::Config;

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
        let tree = matcher_tree::build(&rules, &Config::new()).unwrap();
        let whole = compile(&rules, &tree).unwrap().code().len();
        assert!(compile_within(&rules, &tree, whole).is_ok());
        let errors = compile_within(&rules, &tree, whole - 1).unwrap_err();
        let expected =
            format!("the program for 2 rules has {whole} words of code; the limit is {}", whole - 1);
        assert_eq!(errors.iter().map(|error| &error.message).collect::<Vec<_>>(), [&expected]);
    }
}
