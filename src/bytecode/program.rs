//! A compiled rule set: plain data that depends on no host.

use std::cmp::Reverse;

use crate::host::Kind;
use crate::id::{Id, IdVec};
use crate::intern::{Interner, StrId};
use crate::matcher_tree::{CallId, Position, PositionId, Positions, Predicates, Question, SplitId};
use crate::pdl::{self, Arg, Callee, GroupSplit, LocalId, NodeId, OpTable, PatternId};
use crate::snippet::{SnippetId, Snippets};
use crate::source::{Diagnostics, Span};

use super::debug::{Debug, DebugMap, Decision, PatternDebug, ProgramShape};
use super::ids::{Address, LocationId, OpNumber, Register, RewriteCallId, SourceRef, SourceWord};
use super::instruction::{Instruction, decode};
use super::items::EncodedItems;

/// A call of a native or a snippet in a rewrite.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RewriteCall {
    /// The native or snippet.
    pub callee: Callee,
    /// The arguments.
    pub args: Vec<Arg<SourceWord>>,
    /// The locals that the results are assigned to.
    pub to: Vec<LocalId>,
    /// The kinds of the results.
    pub kinds: Vec<Kind>,
    /// The place of the call in the source.
    pub span: Span,
}

/// A location that a rewrite creates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// A fused location.
    Fused {
        /// The operations, values or locations whose locations are fused.
        of: Vec<SourceWord>,
        /// The metadata string.
        metadata: Option<StrId>,
    },
    /// A named location.
    Named {
        /// The name.
        name: StrId,
        /// The child location.
        child: Option<SourceWord>,
    },
}

/// The properties of a rule that engines need; see also [`Program::pattern_debug`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternInfo {
    /// The benefit.
    pub benefit: u16,
    /// True if the rule is marked as [recursive](crate::pdl::PatternBuilder::recursive).
    pub recursive: bool,
    /// True if the root may have any name.
    pub any: bool,
    /// The address of the rewrite.
    pub rewrite: Address,
    pub(crate) bindings: TableRange,
    pub(crate) locals: TableRange,
    pub(crate) calls: TableRange,
}

/// The entries of one rule in a table that all rules share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableRange {
    start: u32,
    len: u32,
}

impl TableRange {
    /// Appends entries to a table; `None` if the table becomes too large.
    pub(super) fn append<T>(table: &mut Vec<T>, items: impl IntoIterator<Item = T>) -> Option<Self> {
        let start = table.len();
        table.extend(items);
        let len = u32::try_from(table.len() - start).ok()?;
        Self::new(start, len)
    }

    /// The range of `len` entries from `start`; `None` if `start` has more than 32 bits.
    pub(super) fn new(start: usize, len: u32) -> Option<Self> {
        Some(Self { start: u32::try_from(start).ok()?, len })
    }

    /// The entries in a table.
    pub(super) fn of<T>(self, table: &[T]) -> &[T] {
        &table[self.start as usize..][..self.len as usize]
    }
}

/// A native or snippet that a rule calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternCall {
    /// A constraint call.
    Constraint(CallId),
    /// A call of a native or a snippet in the rewrite.
    Rewrite(RewriteCallId),
    /// An expression, which may call natives.
    Snippet(SnippetId),
    /// The type inference of an operation that a rewrite creates.
    Inference {
        /// The name of the operation.
        name: StrId,
        /// The place in the source where the operation is created.
        span: Span,
    },
}

/// A compiled rule set.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) strings: Interner,
    pub(crate) positions: Positions,
    pub(crate) predicates: Predicates,
    pub(crate) snippets: Snippets,
    pub(crate) ops: OpTable,
    pub(crate) patterns: IdVec<PatternId, PatternInfo>,
    pub(super) bindings: Vec<PositionId>,
    pub(super) locals: Vec<Kind>,
    pub(super) calls: Vec<PatternCall>,
    pub(crate) rewrite_calls: IdVec<RewriteCallId, RewriteCall>,
    pub(crate) locations: IdVec<LocationId, Location>,
    /// The operation names that code uses.
    pub(crate) op_names: IdVec<OpNumber, StrId>,
    /// The address at which matching starts, for each name that roots have.
    pub(crate) entries: Vec<(OpNumber, Address)>,
    /// The address at which matching starts for all other names.
    pub(crate) any: Address,
    /// The names of attributes that rewrites write.
    pub(crate) written_attr_names: Vec<StrId>,
    /// The position of the operation in each register.
    pub(crate) registers: IdVec<Register, PositionId>,
    /// The number of choice registers.
    pub(crate) choices: u32,
    pub(crate) code: Vec<u32>,
    pub(super) debug: DebugMap,
    /// The rules as items, for the automaton.
    pub(crate) items: EncodedItems,
}

impl Program {
    /// The rules, in rule-list order.
    pub fn patterns(&self) -> &IdVec<PatternId, PatternInfo> {
        &self.patterns
    }

    /// The debug data of a rule.
    pub fn pattern_debug(&self, id: PatternId) -> &PatternDebug {
        &self.debug().patterns[id]
    }

    /// The key that sorts rules into application order: see `RuleSet::in_order`.
    pub(crate) fn precedence(&self, rule: PatternId) -> (Reverse<u16>, bool, PatternId) {
        (Reverse(self.patterns[rule].benefit), self.pattern_debug(rule).root.is_none(), rule)
    }

    /// The name of a rule.
    pub fn pattern_name(&self, id: PatternId) -> &str {
        let debug = self.debug();
        &debug.strings[debug.patterns[id].name]
    }

    /// The labels of a rule, by which it can be enabled and disabled.
    pub fn labels(&self, id: PatternId) -> impl Iterator<Item = &str> {
        let debug = self.debug();
        debug.patterns[id].labels.iter().map(|&label| &debug.strings[label])
    }

    /// The symbol of a node in its rule, if it has one.
    pub fn node_name(&self, id: PatternId, node: NodeId) -> Option<&str> {
        let debug = self.debug();
        let name = *debug.patterns[id].names.get(node)?;
        name.map(|name| &debug.strings[name])
    }

    /// The positions of a rule's nodes, by [`NodeId`].
    pub fn bindings(&self, id: PatternId) -> &[PositionId] {
        self.patterns[id].bindings.of(&self.bindings)
    }

    /// The names of the operations that the rewrite code of a rule creates. Calls in this code may create others.
    pub(crate) fn created_ops(&self, id: PatternId) -> impl Iterator<Item = &str> {
        let mut at = Some(self.patterns[id].rewrite);
        std::iter::from_fn(move || {
            loop {
                let step = decode(&self.code, at?)?;
                at = Some(step.end);
                match step.instruction() {
                    Instruction::Done(_) => at = None,
                    Instruction::Create(create) => return Some(&self.strings[self.op_names[create.name]]),
                    _ => {}
                }
            }
        })
    }

    /// The nodes of a rule.
    pub fn nodes(&self, id: PatternId) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.patterns[id].bindings.len).map(NodeId::from_raw)
    }

    /// The kinds of a rule's locals, by [`LocalId`].
    pub fn locals(&self, id: PatternId) -> &[Kind] {
        self.patterns[id].locals.of(&self.locals)
    }

    /// The natives and snippets that a rule calls.
    pub fn calls(&self, id: PatternId) -> &[PatternCall] {
        self.patterns[id].calls.of(&self.calls)
    }

    /// The known operation definitions; names are ids of [`Self::strings`].
    pub fn ops(&self) -> &OpTable {
        &self.ops
    }

    /// The rules that a selection leaves out. The strings in `enable` and `disable` are names or labels of rules. The
    /// selection starts with the rules that `enable` states, or with all rules if `enable` is empty. It then leaves out
    /// the rules that `disable` states.
    ///
    /// # Errors
    /// One error for each string that is neither the name nor a label of any rule.
    pub fn unselected(&self, enable: &[String], disable: &[String]) -> Result<Vec<PatternId>, Diagnostics> {
        let debug = self.debug();
        let rules = debug.patterns.iter_enumerated().map(|(id, rule)| (id, rule.name, &*rule.labels));
        pdl::unwanted(&debug.strings, rules, enable, disable)
    }

    /// The names of operations that rules match or create.
    pub fn mentioned_ops(&self) -> impl Iterator<Item = &str> {
        self.op_names.iter().map(|&name| &self.strings[name])
    }

    /// The strings of the program, except those of [`Self::pattern_debug`].
    pub fn strings(&self) -> &Interner {
        &self.strings
    }

    /// The expressions of the rules.
    pub fn snippets(&self) -> &Snippets {
        &self.snippets
    }

    /// The code.
    pub fn code(&self) -> &[u32] {
        &self.code
    }

    /// The kinds of the arguments of a call in a rule's rewrite.
    pub(crate) fn rewrite_params(&self, pattern: PatternId, call: RewriteCallId) -> Vec<Kind> {
        let kind = |source: SourceWord| match source.get() {
            SourceRef::Matched(position) => self.positions.kind(position),
            SourceRef::Local(local) => self.locals(pattern)[local.index()],
        };
        self.rewrite_calls[call].args.iter().filter_map(|arg| arg.kind(kind)).collect()
    }

    /// The addresses at which the interpreter of match code may start.
    pub(super) fn match_roots(&self) -> impl Iterator<Item = Address> + '_ {
        let residuals = self.items.rows.iter().filter_map(|row| row.residual);
        self.entries.iter().map(|entry| entry.1).chain([self.any]).chain(residuals)
    }

    /// The constraint call whose result is the start of a position's path; `None` if the path starts elsewhere.
    pub(crate) fn starting_call(&self, position: PositionId) -> Option<CallId> {
        let mut next = Some(position);
        while let Some(position) = next {
            if let Position::CallResult { call, .. } = self.positions[position] {
                return Some(call);
            }
            next = self.positions.parent(position);
        }
        None
    }

    /// The attribute names that linking binds.
    pub(crate) fn bound_attr_names(&self) -> impl Iterator<Item = StrId> + '_ {
        let of_split = |split: SplitId| match self.positions.split(split).rule {
            GroupSplit::Attribute(name) => Some(name),
            GroupSplit::Rest | GroupSplit::Equal => None,
        };
        let at_positions = self.positions.iter().filter_map(move |(_, position)| match position {
            Position::Attribute { name, .. } => Some(*name),
            Position::Slice { split, .. } => of_split(*split),
            _ => None,
        });
        let in_questions = self.predicates.iter().filter_map(move |(_, question)| match question {
            Question::Fits { split, .. } => of_split(*split),
            _ => None,
        });
        at_positions.chain(in_questions).chain(self.written_attr_names.iter().copied())
    }

    /// The nodes that instructions test, ascending by address.
    pub fn decisions(&self) -> &[Decision] {
        &self.debug().decisions
    }

    /// The debug data, which is decoded on first use.
    pub(crate) fn debug(&self) -> &Debug {
        self.debug.get(&self.shape())
    }

    /// The parts of the program that debug data refers to.
    pub(super) fn shape(&self) -> ProgramShape<'_> {
        ProgramShape {
            nodes: self.patterns.iter().map(|info| info.bindings.len).collect(),
            predicates: &self.predicates,
            strings: self.strings.len(),
            constants: self.positions.constants().len(),
            choices: self.choices,
            code: self.code.len(),
        }
    }
}
