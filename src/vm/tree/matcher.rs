//! The tree engine: a linked program whose rules are matched by one decision tree.

use std::sync::Arc;

use super::rewrite::{Bound, Preview};
use super::run::{NoTrace, Trace};
use super::scratch::Scratch;
use crate::bytecode::{Address, Program};
use crate::host::{Bind, Entity, Facets, Hooks, IrMut, Journal, Listener, Natives, Refusal, Set};
use crate::id::Id;
use crate::pdl::{MissingNative, NodeId, PatternId};
#[cfg(any(feature = "parallel", feature = "ir"))]
use crate::snippet::ExhaustedSnippets;
use crate::source::Diagnostics;
use crate::vm::link::{LinkError, LinkOptions, link};
use crate::vm::linked::LinkedProgram;
use crate::vm::{budget, failed, undecided};

/// A program that is linked to a host, as an engine that matches with the decision tree.
pub struct Matcher<H: Facets> {
    pub(in crate::vm) linked: LinkedProgram<H>,
}

impl<H: Facets + Bind> Matcher<H> {
    /// Links a program to a host and its natives. The matcher must be used with this host, or with a host that has the
    /// same numbers for names, types and attributes.
    ///
    /// # Errors
    /// The error lists all problems of these kinds:
    ///
    /// - A rule calls a native that is not registered, or whose signature does not fit the call.
    /// - The host [defines](Bind::op_signature) an operation differently from the definition that the rules were
    ///   compiled against.
    /// - The host's number of an operation name is too large.
    ///
    /// With [`LinkOptions::allow_missing`], rules that call missing natives are left out instead.
    pub fn link(
        program: Arc<Program>,
        host: &mut H,
        natives: &Natives<H>,
        options: &LinkOptions,
    ) -> Result<Self, LinkError> {
        link(program, host, natives, options).map(|linked| Self { linked })
    }
}

impl<H: Facets> Matcher<H> {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.linked.program
    }

    /// The warnings of linking: operations that are not among the host's [names](Bind::op_names), different constants
    /// that the host reads as one, and kinds of questions that rules ask and the host's [`Facets`] do not answer.
    pub fn warnings(&self) -> &Diagnostics {
        &self.linked.warnings
    }

    /// The errors and warnings of all evaluations so far.
    ///
    /// The errors are about expressions and helpers that have exceeded the budget of an evaluation. Each rule that
    /// evaluates such an expression or helper has one error. If no rule evaluates the expression or helper, the error
    /// names no rule. A rule does not match if one of its constraints exceeds the budget, and a rewrite that exceeds
    /// the budget is undone.
    ///
    /// The warnings are about rules that have tested an object for a class without a definition, because such a test
    /// decides nothing, and about rewrites that were undone because the evaluation of their C++ failed.
    pub fn failures(&self) -> Diagnostics {
        let LinkedProgram { program, snippets, .. } = &self.linked;
        let mut failures = budget::failures(program, snippets.exhausted());
        failures.extend(undecided::warnings(program, snippets.undecided()));
        failures.extend(failed::warnings(program, snippets.failed()));
        failures
    }

    /// The snippets that have exceeded the budget of an evaluation so far.
    #[cfg(any(feature = "parallel", feature = "ir"))]
    pub(crate) fn exhausted(&self) -> &ExhaustedSnippets {
        self.linked.snippets.exhausted()
    }

    /// The natives that are missing; the rules that call them are left out.
    pub fn missing(&self) -> &[MissingNative] {
        &self.linked.calls.missing
    }

    /// The rules that are left out.
    pub fn dropped(&self) -> impl Iterator<Item = PatternId> {
        self.linked.program.patterns.ids().filter(|&rule| self.linked.is_dropped(rule))
    }

    /// The folds, effects and verifiers that are registered in [`Natives`]. Drivers use them.
    pub fn hooks(&self) -> &Hooks<H> {
        &self.linked.hooks
    }

    /// Working memory for one thread; see [`Engine::cache`](crate::vm::Engine::cache).
    pub fn cache(&self) -> Scratch<H> {
        let program = self.program();
        Scratch::new(program.registers.len(), program.choices as usize, program.predicates.calls().len())
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
    /// let mut scratch = matcher.cache();
    /// assert_eq!(matcher.match_first(&host, nop, &mut scratch), Some(erase_nop));
    /// assert_eq!(matcher.next_match(&host, &mut scratch), None);
    /// # Ok::<(), drrvm::Diagnostics>(())
    /// ```
    #[inline]
    pub fn match_first(&self, host: &H, op: H::Op, scratch: &mut Scratch<H>) -> Option<PatternId> {
        self.match_first_traced(host, op, scratch, &mut NoTrace)
    }

    /// The first rule that matches at an operation. Calls `trace` for every instruction.
    #[inline]
    pub(in crate::vm) fn match_first_traced<T: Trace>(
        &self,
        host: &H,
        op: H::Op,
        scratch: &mut Scratch<H>,
        trace: &mut T,
    ) -> Option<PatternId> {
        let start = self.linked.op_names.start(host.op_name(op));
        if start == Address::FAIL {
            scratch.end();
            return None;
        }
        scratch.begin(op, start);
        self.linked.run(host, scratch, trace)
    }

    /// The next match, in order: of the same rule with other bindings, or of a later rule. The IR must be
    /// unchanged since the first match was found.
    #[inline]
    pub fn next_match(&self, host: &H, scratch: &mut Scratch<H>) -> Option<PatternId> {
        self.next_match_traced(host, scratch, &mut NoTrace)
    }

    /// The next match. Calls `trace` for every instruction.
    #[inline]
    pub(in crate::vm) fn next_match_traced<T: Trace>(
        &self,
        host: &H,
        scratch: &mut Scratch<H>,
        trace: &mut T,
    ) -> Option<PatternId> {
        self.linked.run(host, scratch, trace)
    }

    /// The entity to which a node of the current match is bound; `None` if there is no match.
    pub fn binding(&self, host: &H, scratch: &mut Scratch<H>, node: NodeId) -> Option<Entity<H>> {
        let pattern = scratch.matched?;
        let position = *self.program().bindings(pattern).get(node.index())?;
        self.linked.eval(host, scratch).entity(position)
    }
}

impl<H: Facets + IrMut> Matcher<H> {
    /// Applies the rule of the current match. After a success there is no current match.
    ///
    /// # Errors
    /// The rule refused, or there is no current match. The IR is unchanged, and [`Matcher::next_match`] finds the next
    /// match.
    pub fn rewrite(
        &self,
        host: &mut H,
        scratch: &mut Scratch<H>,
        listener: &mut dyn Listener<H>,
    ) -> Result<(), Refusal> {
        self.linked.rewrite(host, scratch, None, listener)
    }

    /// The entities to which the nodes of the current match are bound, by their positions.
    pub(crate) fn bound(&self, host: &H, scratch: &mut Scratch<H>) -> Bound<H> {
        let Some(pattern) = scratch.matched else { return Bound::default() };
        let positions = self.program().bindings(pattern);
        let mut eval = self.linked.eval(host, scratch);
        positions.iter().filter_map(|&position| Some((position, eval.entity(position)?))).collect()
    }

    /// Runs the rule of the current match, and leaves the commit to the caller. The entities in `bound` replace those
    /// that the rule matched. `types` lists types of matched values with their replacements. `hidden_args` are block
    /// arguments that the caller will erase; natives and helper functions do not see them.
    pub(crate) fn rewrite_uncommitted<'s>(
        &self,
        host: &mut H,
        scratch: &'s mut Scratch<H>,
        bound: Option<&Bound<H>>,
        types: &[(H::Type, H::Type)],
        hidden_args: &mut Set<H::Value>,
    ) -> Result<&'s mut Journal<H>, Refusal> {
        self.linked.rewrite_uncommitted(host, scratch, bound, types, hidden_args)
    }

    /// Calls `look` with the effects of the rule of the current match, and undoes them. The IR is unchanged, and
    /// [`Matcher::next_match`] finds the next match.
    ///
    /// # Errors
    /// The rule would refuse, or there is no current match.
    pub fn preview<T>(
        &self,
        host: &mut H,
        scratch: &mut Scratch<H>,
        look: impl FnOnce(&H, &Preview<'_, H>) -> T,
    ) -> Result<T, Refusal> {
        self.linked.preview(host, scratch, look)
    }
}
