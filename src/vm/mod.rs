//! Running programs.
//!
//! Specification: a [`Matcher`] finds what the reference matcher finds in the rules that its program
//! was compiled from, in the same order.
//!
//! [`Matcher::link`] links a [`Program`] to a host: it binds names, constants and natives once. A matcher is
//! immutable and shared between threads. Each thread has its own [`Scratch`]; once this is warm, matching allocates
//! only what natives allocate, and what [snippets](crate::snippet) compute that is not a number or an id: strings,
//! ranges, new types and attributes. Matches are found one at a time, on demand; none are collected or sorted. Applying
//! a rule changes the IR completely or not at all.
//!
//! Method: an interpreter over 32-bit words (`tree/run.rs`). Rare questions are answered by following paths from the root
//! (`tree/eval.rs`).

mod automaton;
mod engine;
mod explain;
mod layers;
mod link;
mod reference;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::{Program, RewriteCallId};
use crate::host::{
    AttrNameId, Bind, ConstraintFn, Entity, Facets, Hooks, InferFn, IrMut, Kind, Natives, OpNameId, Refusal,
    RewriteFn, Rewriter,
};
use crate::id::{Id, IdVec};
use crate::intern::StrId;
use crate::matcher_tree::ConstantId;
use crate::pdl::{Constant, MissingNative, NodeId, PatternId};
use crate::snippet::{Linked, SnippetId};

use link::{Bound, Known};
use tree::run::{NoTrace, Trace};

pub use automaton::{Automaton, AutomatonCache};
pub use engine::Engine;
pub use explain::{Explanation, Found, Near, Progress, Step, Survey};
pub use layers::{
    CostModel, CostModelCache, Log, LoggingEngine, NonRecursive, NonRecursiveCache, Profile, ProfileCache,
    Profiler, RuleProfile,
};
pub use link::{LinkError, LinkOptions, SignatureDifference};
pub use reference::{Reference, ReferenceCache};
pub use tree::rewrite::{Outcome, Preview};
pub use tree::scratch::Scratch;

/// A program bound to a host.
pub struct Matcher<H: Facets> {
    program: Arc<Program>,
    /// Where to start, by the host's number of the root's name.
    roots: Vec<u32>,
    any: u32,
    /// The program's number of an operation name, by the host's.
    numbers: Vec<u32>,
    /// The host's number of an operation name, by the program's.
    names: Vec<OpNameId>,
    /// The host's number of an attribute name, by its string; `u32::MAX` for what is none.
    attr_names: Vec<AttrNameId>,
    /// The constants, by [`ConstantId`].
    attrs: Vec<Option<H::Attr>>,
    types: Vec<Option<H::Type>>,
    /// The plain constants by what they are.
    attr_keys: HashMap<H::Attr, ConstantId, FxBuildHasher>,
    type_keys: HashMap<H::Type, ConstantId, FxBuildHasher>,
    /// All constants, those of calls and definitions too.
    known: Known<H>,
    /// The strings that constraints are called with, as natives take them.
    texts: HashMap<StrId, Arc<str>, FxBuildHasher>,
    /// The natives, by call.
    constraints: Vec<Option<Arc<ConstraintFn<H>>>>,
    /// Which calls have one answer for a root.
    remember_call: Vec<bool>,
    rewrites: IdVec<RewriteCallId, Option<Arc<RewriteFn<H>>>>,
    inferences: HashMap<StrId, Arc<InferFn<H>>, FxBuildHasher>,
    hooks: Hooks<H>,
    /// Rules that are left out.
    dropped: Vec<bool>,
    missing: Vec<MissingNative>,
    snippets: Linked<H>,
    /// A slot for each snippet that is remembered by type or attribute, and how many there are.
    snippet_slots: HashMap<SnippetId, usize, FxBuildHasher>,
    remembered: usize,
}

impl<H: Facets + Bind> Matcher<H> {
    /// Links a program to a host and its natives. The matcher must be used with this host, or with one that has
    /// the same numbers for names, types and attributes.
    ///
    /// # Errors
    /// Rules call natives that are not registered; the error lists all of them, with the signatures to register.
    /// With [`LinkOptions::allow_missing`] the rules that call them are left out instead. Or the host
    /// [defines](Bind::op_signature) operations differently from what the rules were compiled against.
    pub fn link(
        program: Arc<Program>,
        host: &mut H,
        natives: &Natives<H>,
        options: &LinkOptions,
    ) -> Result<Self, LinkError> {
        link::link(program, host, natives, options)
    }
}

impl<H: Facets> Matcher<H> {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The natives that are missing; the rules that call them are left out.
    pub fn missing(&self) -> &[MissingNative] {
        &self.missing
    }

    /// The rules that are left out.
    pub fn dropped(&self) -> impl Iterator<Item = PatternId> {
        let dropped = &self.dropped;
        self.program.patterns.ids().filter(|id| dropped[id.index()])
    }

    /// Folds, effects and verifiers that natives registered, for drivers.
    pub fn hooks(&self) -> &Hooks<H> {
        &self.hooks
    }

    /// Working memory for one thread.
    pub fn scratch(&self) -> Scratch<H> {
        let choices = self.program.choices as usize;
        Scratch::new(self.program.registers.len(), choices, self.constraints.len())
    }

    /// The first rule that matches at an operation.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use drrvm::{LinkOptions, Natives, SourceMap, compile, pdl::RuleSet, vm::Matcher};
    /// # use drrvm::{host::Bind, ir::{Context, IrHost, Module, OpSpec}};
    /// let mut rules = RuleSet::default();
    /// let mut rule = rules.pattern("erase_nop", 1);
    /// let root = rule.op("t.nop").matched();
    /// rule.erase(root);
    /// let erase_nop = rule.finish()?;
    /// let program = Arc::new(compile::program(&rules)?);
    /// # let mut context = Context::new();
    /// # let module = Module::new(&mut context);
    /// # let mut host = IrHost::new(context, module);
    /// # let name = host.bind_op_name("t.nop");
    /// # let nop = host.module.create(&OpSpec::new(name));
    /// let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default())?;
    /// let mut scratch = matcher.scratch();
    /// assert_eq!(matcher.match_first(&host, nop, &mut scratch), Some(erase_nop));
    /// assert_eq!(matcher.next_match(&host, &mut scratch), None);
    /// # Ok::<(), drrvm::Diagnostics>(())
    /// ```
    #[inline]
    pub fn match_first(&self, host: &H, op: H::Op, scratch: &mut Scratch<H>) -> Option<PatternId> {
        self.match_first_traced(host, op, scratch, &mut NoTrace)
    }

    /// As [`Self::match_first`]; calls `trace` for every instruction.
    #[inline]
    pub(crate) fn match_first_traced<T: Trace>(
        &self,
        host: &H,
        op: H::Op,
        scratch: &mut Scratch<H>,
        trace: &mut T,
    ) -> Option<PatternId> {
        let start = self.roots.get(host.op_name(op).index()).copied().unwrap_or(self.any);
        if start == 0 {
            // PERF: nothing else is touched for what no rule starts at.
            scratch.end();
            return None;
        }
        scratch.begin(op, start);
        self.run(host, scratch, trace)
    }

    /// The next match, in order: of the same rule with other bindings, or of a later rule. The IR must be
    /// unchanged since the first match was found.
    #[inline]
    pub fn next_match(&self, host: &H, scratch: &mut Scratch<H>) -> Option<PatternId> {
        self.next_match_traced(host, scratch, &mut NoTrace)
    }

    /// As [`Self::next_match`]; calls `trace` for every instruction.
    #[inline]
    pub(crate) fn next_match_traced<T: Trace>(
        &self,
        host: &H,
        scratch: &mut Scratch<H>,
        trace: &mut T,
    ) -> Option<PatternId> {
        self.run(host, scratch, trace)
    }

    /// What a node of the current match is bound to; `None` if there is no match.
    pub fn binding(&self, host: &H, scratch: &mut Scratch<H>, node: NodeId) -> Option<Entity<H>> {
        let pattern = scratch.matched?;
        let position = *self.program.bindings(pattern).get(node.index())?;
        self.eval(host, scratch).entity(position)
    }

    /// The host's number of an attribute name of the program.
    fn attr_name(&self, name: StrId) -> Option<AttrNameId> {
        self.attr_names.get(name.index()).copied().filter(|id| id.raw() != u32::MAX)
    }

    fn constant_attr(&self, constant: Constant) -> Option<H::Attr> {
        match self.known.get(&(Kind::Attr, constant))? {
            Bound::Attr(attr) => Some(*attr),
            Bound::Type(_) => None,
        }
    }

    fn constant_type(&self, constant: Constant) -> Option<H::Type> {
        match self.known.get(&(Kind::Type, constant))? {
            Bound::Type(ty) => Some(*ty),
            Bound::Attr(_) => None,
        }
    }

    /// The slot in which a snippet's answers are remembered, and how many slots there are.
    fn remembered(&self, snippet: SnippetId) -> Option<(usize, usize)> {
        self.snippet_slots.get(&snippet).map(|&slot| (slot, self.remembered))
    }

    /// Whether a snippet over one thing holds; `None` if it fails.
    fn snippet_holds(&self, host: &H, snippet: SnippetId, arg: Entity<H>) -> Option<bool> {
        let holds = self.snippets.holds(&self.program.snippets, snippet, host, &[arg]);
        holds.ok().map(|results| results.is_some())
    }

    /// A constraint that is a snippet: `None` if it fails, `Some(None)` if it does not hold.
    #[allow(clippy::option_option, reason = "failing and not holding are different")]
    fn snippet_constraint(
        &self,
        host: &H,
        snippet: SnippetId,
        args: &[Entity<H>],
    ) -> Option<Option<Vec<Entity<H>>>> {
        self.snippets.holds(&self.program.snippets, snippet, host, args).ok()
    }
}

impl<H: Facets + IrMut> Matcher<H> {
    fn snippet_rewrite(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        snippet: SnippetId,
        args: &[Entity<H>],
    ) -> Result<Vec<Entity<H>>, Refusal> {
        self.snippets.rewrite(&self.program.snippets, snippet, rewriter, args)
    }
}
