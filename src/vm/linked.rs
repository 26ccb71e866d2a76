//! A program linked to a host: the program, and tables with the host's numbers, entities and natives for the program's
//! names, constants and calls.
//!
//! `link/` fills the tables once; after that they are immutable. The interpreters of `tree/` and the other engines
//! read them.

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::{Address, OpNumber, Program, RewriteCallId};
use crate::host::{
    AttrNameId, ConstraintFn, Entity, Facets, Hooks, InferFn, Ir, IrMut, Kind, OpNameId, Refusal, RewriteFn,
    Rewriter,
};
use crate::id::{Id, IdVec};
use crate::intern::StrId;
use crate::matcher_tree::{ConstantId, PositionId};
use crate::pdl::{Constant, MissingNative, PatternId};
use crate::snippet::{Linked, SnippetId};
use crate::source::Diagnostics;

/// A program and its tables for one host.
pub(super) struct LinkedProgram<H: Facets> {
    pub(super) program: Arc<Program>,
    pub(super) op_names: OpNames,
    pub(super) attr_names: AttrNames,
    pub(super) constants: Constants<H>,
    pub(super) calls: Calls<H>,
    pub(super) snippets: Linked<H>,
    pub(super) snippet_slots: SnippetSlots,
    /// The folds, effects and verifiers that are registered in [`Natives`](crate::host::Natives).
    pub(super) hooks: Hooks<H>,
    /// The warnings of linking.
    pub(super) warnings: Diagnostics,
}

/// The mapping between the operation names of a program and those of the host.
pub(super) struct OpNames {
    /// The host's number of each name, by the program's number.
    pub(super) of_host: Vec<OpNameId>,
    /// The program's number of each name, by the host's number.
    pub(super) of_program: Vec<OpNumber>,
    /// The address at which matching starts, by the host's number of the root's name.
    pub(super) roots: Vec<Address>,
    /// The address at which matching starts for all other names.
    pub(super) any: Address,
}

impl OpNames {
    /// The address at which matching starts for a name.
    #[inline]
    pub(super) fn start(&self, name: OpNameId) -> Address {
        self.roots.get(name.index()).copied().unwrap_or(self.any)
    }
}

/// The host's numbers of attribute names.
pub(super) struct AttrNames(Vec<AttrNameId>);

impl AttrNames {
    /// The entry of a string that is not bound as an attribute name.
    const UNBOUND: AttrNameId = AttrNameId::from_raw(u32::MAX);

    /// A table for this many strings, before any of them is bound.
    pub(super) fn new(strings: usize) -> Self {
        Self(vec![Self::UNBOUND; strings])
    }

    /// Binds a string, unless it is bound already.
    pub(super) fn bind(&mut self, name: StrId, bind: impl FnOnce() -> AttrNameId) {
        let number = &mut self.0[name.index()];
        if *number == Self::UNBOUND {
            *number = bind();
        }
    }

    /// The host's number of a string, if the string is bound.
    #[inline]
    pub(super) fn get(&self, name: StrId) -> Option<AttrNameId> {
        self.0.get(name.index()).copied().filter(|&id| id != Self::UNBOUND)
    }

    /// The host's number of a string that match code reads as an attribute name. Linking binds all such strings.
    #[inline]
    pub(super) fn bound(&self, name: StrId) -> AttrNameId {
        self.0[name.index()]
    }
}

/// A constant as the host represents it.
pub(super) enum BoundConstant<H: Ir> {
    Attr(H::Attr),
    Type(H::Type),
}

impl<H: Ir> Clone for BoundConstant<H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H: Ir> Copy for BoundConstant<H> {}

/// The host's types and attributes for a program's constants.
pub(super) struct Constants<H: Ir> {
    /// The attributes among the constants, by [`ConstantId`].
    pub(super) attrs: Vec<Option<H::Attr>>,
    /// The types among the constants, by [`ConstantId`].
    pub(super) types: Vec<Option<H::Type>>,
    /// The plain constants by attribute.
    pub(super) attr_keys: HashMap<H::Attr, ConstantId, FxBuildHasher>,
    /// The plain constants by type.
    pub(super) type_keys: HashMap<H::Type, ConstantId, FxBuildHasher>,
    /// All constants, including those of calls and operation definitions.
    pub(super) all: HashMap<(Kind, Constant), BoundConstant<H>, FxBuildHasher>,
}

/// The natives that a program calls, and the rules that are left out.
pub(super) struct Calls<H: Facets> {
    /// The native of each constraint, by call. If the constraint is a snippet, the entry holds the native that decides
    /// it; `None` if the snippet is evaluated.
    pub(super) constraints: Vec<Option<Arc<ConstraintFn<H>>>>,
    /// True for calls whose answer cannot change while one root is matched, by call.
    pub(super) has_one_answer: Vec<bool>,
    /// The positions whose types and attributes determine the answer of a constraint, by call. Empty for a call whose
    /// answers are not cached.
    pub(super) keys: Vec<Box<[KeyPart]>>,
    /// Native rewrites, by call. If the rewrite is a snippet, the entry holds the native that replaces the snippet;
    /// `None` if the snippet is evaluated.
    ///
    /// PERF: a rewrite by MLIR's `arith` rules takes 14,500 instead of 16,300 CPU instructions; some 6,000 of these are
    /// MLIR's (callgrind, `hosts/mlir/bench/run arith`).
    pub(super) rewrites: IdVec<RewriteCallId, Option<Arc<RewriteFn<H>>>>,
    /// Type inferences, by operation name.
    pub(super) inferences: HashMap<StrId, Arc<InferFn<H>>, FxBuildHasher>,
    /// The string arguments of constraints, in the form that natives take.
    pub(super) texts: HashMap<StrId, Arc<str>, FxBuildHasher>,
    /// True for rules that are left out, by rule.
    pub(super) dropped: Vec<bool>,
    /// The natives that are not registered.
    pub(super) missing: Vec<MissingNative>,
}

/// The maximum number of types and attributes that determine a cached answer of a call.
pub(super) const MAX_KEY: usize = 4;

/// A type or an attribute that determines the answer of a call.
#[derive(Clone, Copy)]
pub(super) enum KeyPart {
    /// The type at a position.
    Type(PositionId),
    /// The type of the value at a position.
    TypeOf(PositionId),
    /// The attribute at a position.
    Attr(PositionId),
}

/// A slot for each snippet whose answers are cached by type or attribute.
#[derive(Default)]
pub(super) struct SnippetSlots {
    slots: IdVec<SnippetId, Option<usize>>,
    count: usize,
}

impl SnippetSlots {
    /// Gives a snippet a slot, unless it has one.
    pub(super) fn add(&mut self, snippet: SnippetId) {
        while self.slots.len() <= snippet.index() {
            self.slots.push(None);
        }
        if self.slots[snippet].is_none() {
            self.slots[snippet] = Some(self.count);
            self.count += 1;
        }
    }

    /// The slot of a snippet, and the number of slots.
    #[inline]
    pub(super) fn get(&self, snippet: SnippetId) -> Option<(usize, usize)> {
        Some(((*self.slots.get(snippet)?)?, self.count))
    }
}

impl<H: Facets> LinkedProgram<H> {
    /// The program's number of an operation's name.
    #[inline]
    pub(super) fn op_number(&self, host: &H, op: H::Op) -> OpNumber {
        self.op_names.of_program.get(host.op_name(op).index()).copied().unwrap_or(OpNumber::UNKNOWN)
    }

    /// True if linking left the rule out.
    pub(super) fn is_dropped(&self, rule: PatternId) -> bool {
        self.calls.dropped[rule.index()]
    }

    /// The attribute that a constant stands for.
    pub(super) fn constant_attr(&self, constant: Constant) -> Option<H::Attr> {
        match self.constants.all.get(&(Kind::Attr, constant))? {
            BoundConstant::Attr(attr) => Some(*attr),
            BoundConstant::Type(_) => None,
        }
    }

    /// The type that a constant stands for.
    pub(super) fn constant_type(&self, constant: Constant) -> Option<H::Type> {
        match self.constants.all.get(&(Kind::Type, constant))? {
            BoundConstant::Type(ty) => Some(*ty),
            BoundConstant::Attr(_) => None,
        }
    }

    /// The answer of a snippet with one argument; `None` if the snippet fails.
    pub(super) fn snippet_holds(&self, host: &H, snippet: SnippetId, arg: Entity<H>) -> Option<bool> {
        self.snippets.holds_in(&self.program.snippets, snippet, host, &[arg], &mut Vec::new()).ok()
    }

    /// Evaluates a constraint that is a snippet; `None` if the evaluation fails. If the constraint holds, returns true
    /// and appends its results to `results`, which must be empty.
    pub(super) fn snippet_constraint(
        &self,
        host: &H,
        snippet: SnippetId,
        args: &[Entity<H>],
        results: &mut Vec<Entity<H>>,
    ) -> Option<bool> {
        self.snippets.holds_in(&self.program.snippets, snippet, host, args, results).ok()
    }
}

impl<H: Facets + IrMut> LinkedProgram<H> {
    /// Runs a rewrite that is a snippet, and returns its results.
    pub(super) fn snippet_rewrite(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        snippet: SnippetId,
        args: &[Entity<H>],
    ) -> Result<Vec<Entity<H>>, Refusal> {
        self.snippets.rewrite(&self.program.snippets, snippet, rewriter, args)
    }
}
