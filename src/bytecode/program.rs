//! A compiled rule set: plain data that knows no host and no place in memory.

use crate::host::Kind;
use crate::id::{Id, IdVec, define_ids};
use crate::intern::{Interner, StrId};
use crate::matcher_tree::{CallId, Position, PositionId, Positions, Predicates, Question, SplitId};
use crate::pdl::{self, Arg, Callee, GroupSplit, LocalId, NodeId, OpTable, PatternId};
use crate::snippet::{SnippetId, Snippets};
use crate::source::{Diagnostics, Span};

use super::bottom_up::BottomUp;
use super::debug::{DebugMap, PatternDebug};

define_ids! {
    /// A call of a rewrite, of a [`Program`].
    pub struct RewriteCallId;
    /// A location that rewrites make, of a [`Program`].
    pub struct LocationId;
}

/// Something that was matched or made, as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SourceWord(pub(super) u32);

/// What a [`SourceWord`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceRef {
    /// What is at a position.
    Matched(PositionId),
    /// What an earlier step made.
    Local(LocalId),
}

impl SourceWord {
    /// The word of a position; `None` for one past half the numbers.
    pub fn matched(position: PositionId) -> Option<Self> {
        position.raw().checked_mul(2).map(Self)
    }

    /// The word of a local; `None` for one past half the numbers.
    pub fn local(local: LocalId) -> Option<Self> {
        local.raw().checked_mul(2).map(|n| Self(n | 1))
    }

    /// The source that a word of code is.
    pub fn from_word(word: u32) -> Self {
        Self(word)
    }

    /// What it is.
    pub fn get(self) -> SourceRef {
        if self.0 & 1 == 0 {
            SourceRef::Matched(PositionId::from_raw(self.0 / 2))
        } else {
            SourceRef::Local(LocalId::from_raw(self.0 / 2))
        }
    }
}

/// A call while rewriting.
#[derive(Clone, Debug, PartialEq)]
pub struct RewriteCall {
    /// What is called.
    pub callee: Callee,
    /// With what.
    pub args: Vec<Arg<SourceWord>>,
    /// What it gives.
    pub to: Vec<LocalId>,
    /// The kinds of what it gives.
    pub kinds: Vec<Kind>,
    /// Where it was written.
    pub span: Span,
}

/// A location to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// Several fused into one.
    Fused {
        /// Operations, values or locations.
        of: Vec<SourceWord>,
        /// The string it carries.
        metadata: Option<StrId>,
    },
    /// A name, around a location or alone.
    Named {
        /// The name.
        name: StrId,
        /// What is inside.
        child: Option<SourceWord>,
    },
}

/// What the engine knows of one rule; see also [`Program::pattern_debug`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternInfo {
    /// Its benefit.
    pub benefit: u16,
    /// Whether it may fire on what it produced itself.
    pub recursive: bool,
    /// Whether its root may have any name.
    pub any: bool,
    /// Where its rewrite starts.
    pub rewrite: u32,
    pub(crate) bindings: Part,
    pub(crate) locals: Part,
    pub(crate) calls: Part,
}

/// A rule's part of a table that all rules share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    start: u32,
    len: u32,
}

impl Part {
    /// What `items` append to a table; `None` if it is full then.
    pub(super) fn append<T>(table: &mut Vec<T>, items: impl IntoIterator<Item = T>) -> Option<Self> {
        let start = table.len();
        table.extend(items);
        let len = u32::try_from(table.len() - start).ok()?;
        Self::new(start, len)
    }

    /// `len` entries from `start`.
    pub(super) fn new(start: usize, len: u32) -> Option<Self> {
        Some(Self { start: u32::try_from(start).ok()?, len })
    }

    pub(super) fn of<T>(self, table: &[T]) -> &[T] {
        &table[self.start as usize..][..self.len as usize]
    }
}

/// A native or snippet that a rule calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternCall {
    /// While matching.
    Constraint(CallId),
    /// While rewriting.
    Rewrite(RewriteCallId),
    /// An expression, which may call natives.
    Snippet(SnippetId),
    /// To infer the result types of operations of this name.
    Inference {
        /// The name.
        name: StrId,
        /// Where such an operation is made.
        span: Span,
    },
}

/// Which rule's node an instruction decides on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The instruction's address.
    pub at: u32,
    /// The rule.
    pub pattern: PatternId,
    /// Its node.
    pub node: NodeId,
    /// Where the node was written.
    pub span: Span,
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
    /// The operation names that code speaks of, by the number it uses for them.
    pub(crate) op_names: Vec<StrId>,
    pub(crate) entries: Vec<(u32, u32)>,
    pub(crate) any: u32,
    /// The names of attributes that rewrites write.
    pub(crate) made_attr_names: Vec<StrId>,
    /// Where the operation is that each operation register is for.
    pub(crate) registers: Vec<PositionId>,
    pub(crate) choices: u32,
    pub(crate) code: Vec<u32>,
    pub(super) debug: DebugMap,
    /// The rules once more, for the automaton.
    pub(crate) bottom_up: BottomUp,
}

impl Program {
    /// The rules, in rule-list order.
    pub fn patterns(&self) -> &IdVec<PatternId, PatternInfo> {
        &self.patterns
    }

    /// What messages and tools are told of a rule.
    pub fn pattern_debug(&self, id: PatternId) -> &PatternDebug {
        &self.debug().patterns[id]
    }

    /// A rule's name.
    pub fn pattern_name(&self, id: PatternId) -> &str {
        let debug = self.debug();
        &debug.strings[debug.patterns[id].name]
    }

    /// What a rule can be enabled or disabled by, besides its name.
    pub fn labels(&self, id: PatternId) -> impl Iterator<Item = &str> {
        let debug = self.debug();
        debug.patterns[id].labels.iter().map(|&label| &debug.strings[label])
    }

    /// What a rule calls one of its nodes, if it does.
    pub fn node_name(&self, id: PatternId, node: NodeId) -> Option<&str> {
        let debug = self.debug();
        let name = *debug.patterns[id].names.get(node)?;
        name.map(|name| &debug.strings[name])
    }

    /// Where the nodes of a rule are, by their ids.
    pub fn bindings(&self, id: PatternId) -> &[PositionId] {
        self.patterns[id].bindings.of(&self.bindings)
    }

    /// The nodes of a rule.
    pub fn nodes(&self, id: PatternId) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.patterns[id].bindings.len).map(NodeId::from_raw)
    }

    /// The kind of each thing a rule's rewrite makes.
    pub fn locals(&self, id: PatternId) -> &[Kind] {
        self.patterns[id].locals.of(&self.locals)
    }

    /// What a rule calls.
    pub fn calls(&self, id: PatternId) -> &[PatternCall] {
        self.patterns[id].calls.of(&self.calls)
    }

    /// What is known of operations; names are ids of [`Self::strings`].
    pub fn ops(&self) -> &OpTable {
        &self.ops
    }

    /// The rules to leave out when only those are wanted that a name or label in `enable` is of (all,
    /// if it is empty), less those that one in `disable` is of.
    ///
    /// # Errors
    /// A name that is of no rule, one error each.
    pub fn unselected(&self, enable: &[String], disable: &[String]) -> Result<Vec<PatternId>, Diagnostics> {
        let debug = self.debug();
        let rules = debug.patterns.iter_enumerated().map(|(id, rule)| (id, rule.name, &*rule.labels));
        pdl::unwanted(&debug.strings, rules, enable, disable)
    }

    /// The names of operations that rules match or make.
    pub fn mentioned_ops(&self) -> impl Iterator<Item = &str> {
        self.op_names.iter().map(|&name| &self.strings[name])
    }

    /// Every string the program mentions, less those of [`Self::pattern_debug`].
    pub fn strings(&self) -> &Interner {
        &self.strings
    }

    /// The expressions it computes.
    pub fn snippets(&self) -> &Snippets {
        &self.snippets
    }

    /// The code.
    pub fn code(&self) -> &[u32] {
        &self.code
    }

    /// The kinds of the arguments of a rule's call while rewriting.
    pub(crate) fn rewrite_params(&self, pattern: PatternId, call: RewriteCallId) -> Vec<Kind> {
        let kind = |source: SourceWord| match source.get() {
            SourceRef::Matched(position) => self.positions.kind(position),
            SourceRef::Local(local) => self.locals(pattern)[local.index()],
        };
        self.rewrite_calls[call].args.iter().filter_map(|arg| arg.kind(kind)).collect()
    }

    /// The addresses at which matching may start.
    pub(super) fn match_roots(&self) -> impl Iterator<Item = u32> + '_ {
        let tails = self.bottom_up.rows.iter().map(|row| row.tail).filter(|&tail| tail != 0);
        self.entries.iter().map(|entry| entry.1).chain([self.any]).chain(tails)
    }

    /// The call that what is at a position comes from, if it does.
    pub(crate) fn call_below(&self, position: PositionId) -> Option<CallId> {
        let mut next = Some(position);
        while let Some(position) = next {
            if let Position::CallResult { call, .. } = self.positions[position] {
                return Some(call);
            }
            next = self.positions.parent(position);
        }
        None
    }

    /// The attribute names that a host is asked for when the program is linked.
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
        at_positions.chain(in_questions).chain(self.made_attr_names.iter().copied())
    }

    /// Which rules' nodes the instructions decide on, ascending by address.
    pub fn decisions(&self) -> &[Decision] {
        &self.debug().decisions
    }
}
