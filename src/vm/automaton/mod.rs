//! The automaton: labels operations from their operands up. A label decides which rules match.
//!
//! Specification: like every [`Engine`], it finds exactly the matches of the reference matcher.
//!
//! The label of an operation contains a state: the set of subpatterns that hold at the operation. A subpattern is one
//! operation of a rule with its tests and the subpatterns of its operands (see
//! [`matcher_tree::decompose`](crate::matcher_tree::decompose)). The state depends only on the operation itself and on
//! the states of the operations that define its operands. A walk through tables finds the state; missing entries are
//! computed on demand (`tables.rs`). The rules whose root subpatterns hold are then tried in order. Residual tests are
//! the tests that no subpattern contains, for example comparisons between operations. Each rule has separate code for
//! its residual tests and its guards (such as tests of users, and calls of natives). This code runs when the rule is
//! tried.
//!
//! Subpatterns are finite trees, so there is exactly one correct labelling, even in a graph region, where an operation
//! may depend on itself. A label that was computed from unfinished labels is computed again, until no label changes. No
//! function recurses over the IR, so chains may have any length.
//!
//! After a change that the cache was notified of, the automaton labels the changed operations again. If the inner set
//! of an operation changes, it also labels the users of this operation again. It detects other changes by
//! [`Ir::change_count`](crate::host::Ir), and then forgets all labels. Tables that grow past a cap are discarded. If
//! they led to few labels, or if they are discarded twice for one label, the tree takes over.
//!
//! Sources: Ertl, Casey and Gregg, *Fast and flexible instruction selection with on-demand tree-parsing automata*
//! (2006); Thier, Ertl and Krall, *Fast and flexible instruction selection with constraints* (2018).

mod cache;
mod candidates;
mod comb;
mod ids;
mod labels;
mod memo;
mod rules;
mod tables;
mod transition;
mod tuple;

use std::sync::Arc;

use smallvec::SmallVec;

use super::engine::{Engine, sealed};
use super::tree::{Matcher, Scratch, Trace};
use crate::bytecode::Address;
use crate::host::{Both, Entity, Facets, IrMut, Listener, Refusal};
use crate::id::Id;
use crate::matcher_tree::{Answer, Position, Side};
use crate::pdl::{NodeId, PatternId};

use cache::ChangeCount;
use ids::{DeferredId, End, FirstRule, InnerSetId, KindId, PlanId, PropertyValue, StateId, Target};
use labels::{Label, Labels};
use memo::Memos;
use rules::{Property, Residual, Rules};
use tables::{OperandPlan, Place, RowRange, Tables};
use transition::Source;
use tuple::{PartValues, TupleValues};

pub use cache::AutomatonCache;

/// The bottom-up engine for a matcher's rules. Use it where many operations are matched against many rules and few
/// operations change.
///
/// ```
/// use drrvm::vm::{Automaton, Engine, Matcher};
/// # use drrvm::host::Facets;
/// fn count_matches<H: Facets>(matcher: Matcher<H>, host: &H, ops: &[H::Op]) -> usize {
///     let automaton = Automaton::new(matcher);
///     let mut cache = automaton.cache();
///     ops.iter().filter(|&&op| automaton.match_first(host, op, &mut cache).is_some()).count()
/// }
/// ```
pub struct Automaton<H: Facets> {
    matcher: Arc<Matcher<H>>,
    rules: Rules,
    memory: usize,
    /// [`Self::PATIENCE`] if the engine is chosen while matching; 0 if operations get labels from the start.
    patience: u32,
}

/// Counts the instructions of a match.
struct Steps(u64);

impl Trace for Steps {
    #[inline]
    fn step(&mut self, _address: Address) {
        self.0 += 1;
    }
}

/// The result of looking for an operation's state.
enum Found<O> {
    State(StateId),
    /// This operation must be labelled first.
    Needs(O),
}

impl<H: Facets> Automaton<H> {
    /// The default of [`Self::memory`].
    pub const MEMORY: usize = 64 << 20;

    /// The number of matches of an operation after which its label has saved time. The label makes each match faster,
    /// but computing it and the tables takes time.
    ///
    /// Matching a labelled operation takes 2 ns instead of 55 (1,000 rules of the matching workload, 100,000
    /// operations). Labelling it from empty tables takes 215 ns, which 4 matches save. With 4,000 rules, 14 matches are
    /// needed. 10 lies between the two.
    pub(crate) const PATIENCE: u32 = 10;

    /// The maximum number of operations with tests whose evaluation failed. These tests are repeated after each change.
    /// If more operations have such tests, the cache gives up.
    const MAX_FAILED: usize = 1024;

    /// The automaton for the rules of a matcher. The matcher can be shared (`Arc`). The time depends only on the size
    /// of the rules, because tables are computed while matching.
    pub fn new(matcher: impl Into<Arc<Matcher<H>>>) -> Self {
        let matcher = matcher.into();
        let linked = &matcher.linked;
        let attr_name = |position| match linked.program.positions[position] {
            Position::Attribute { name, .. } => linked.attr_names.get(name),
            _ => None,
        };
        let rules = Rules::new(&linked.program, attr_name, |rule| linked.is_dropped(rule));
        Self { matcher, rules, memory: Self::MEMORY, patience: 0 }
    }

    /// Sets the approximate maximum size of the tables of one cache, in bytes. The labels take at least eight more
    /// bytes for each operation.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Chooses the engine while matching: the tree until operations have been matched 10 times on average, and then the
    /// automaton. A match that runs many instructions of the tree counts as several matches. If the average match is
    /// long, because deep rules nearly match, operations get labels much earlier. On a host without
    /// [slots](crate::host::Ir::op_slot), the tree always matches.
    #[must_use]
    pub fn automatic(mut self) -> Self {
        self.patience = Self::PATIENCE;
        self
    }

    /// The tree for the same rules.
    pub fn matcher(&self) -> &Arc<Matcher<H>> {
        &self.matcher
    }

    /// Labels those of `ops` that have no label. This is fastest if the operations that define the operands of an
    /// operation come before it in `ops`. Ends the current match. Labels nothing while the tree matches (see
    /// [`Self::automatic`] and [`AutomatonCache::has_given_up`]).
    pub fn label(&self, host: &H, ops: impl IntoIterator<Item = H::Op>, cache: &mut AutomatonCache<H>) {
        cache.end_match();
        self.refresh(host, cache);
        for op in ops {
            if cache.labels.get(host, op) == Label::Unknown && self.find_label(host, op, cache).is_none() {
                return;
            }
        }
    }

    /// True if the host has counted changes that the cache has not [acknowledged](Engine::acknowledge_changes), so that
    /// all labels will be computed again. Always false for a host that does not count its changes.
    pub fn is_stale(&self, host: &H, cache: &AutomatonCache<H>) -> bool {
        cache.seen != ChangeCount::NEVER && cache.seen != ChangeCount::of(host)
    }

    /// Updates the labels after changes.
    fn refresh(&self, host: &H, cache: &mut AutomatonCache<H>) {
        if cache.seen != ChangeCount::of(host) {
            cache.labels.clear();
            cache.seen = ChangeCount::of(host);
        }
        if cache.labels.changed {
            cache.labels.changed = false;
            cache.discards = 0;
            if cache.labels.failed.len() > Self::MAX_FAILED {
                cache.give_up();
            }
            let Labels { dirty, failed, .. } = &mut cache.labels;
            dirty.extend(failed.drain(..));
            self.settle(host, cache);
        }
    }

    /// Labels an operation and the operations that it depends on. The result is a reserved state if the cache has
    /// given up.
    ///
    /// Not inlined, so that the caller keeps all registers for the common case.
    #[inline(never)]
    fn new_label(&self, host: &H, op: H::Op, cache: &mut AutomatonCache<H>) -> StateId {
        if !cache.labels.enabled {
            return StateId::UNKNOWN;
        }
        // This walk suffices if the operations that define the operands have labels, and if the tables and caches
        // contain all entries that the walk reads.
        let AutomatonCache { tables, labels, memos, .. } = cache;
        let target =
            tables.walk_tables().walk::<false, H>(&self.rules, &self.matcher.linked, host, op, labels, memos);
        if let Some(state) = target.state() {
            cache.found += 1;
            labels.set(host, op, Label::Found(tables.label(state)));
            return state;
        }
        if target != Target::UNKNOWN {
            let state = self.state_at(host, op, target, cache);
            if cache.tables.bytes() <= self.memory {
                cache.labels.set(host, op, Label::Found(cache.tables.label(state)));
                return state;
            }
        }
        self.find_label(host, op, cache).unwrap_or(StateId::UNKNOWN)
    }

    /// Labels an operation and the operations that it depends on; `None` if the cache has given up.
    #[inline(never)]
    fn find_label(&self, host: &H, op: H::Op, cache: &mut AutomatonCache<H>) -> Option<StateId> {
        cache.discards = 0;
        while cache.labels.enabled {
            // If the operations that define the operands have labels, no stack is needed.
            if let Found::State(state) = self.find(host, op, cache)
                && cache.labels.dirty.is_empty()
                && cache.tables.bytes() <= self.memory
            {
                cache.labels.set(host, op, Label::Found(cache.tables.label(state)));
                return Some(state);
            }
            self.descend(host, op, cache);
            self.settle(host, cache);
            if let Label::Found(label) = cache.labels.get(host, op) {
                return Some(label.state);
            }
        }
        None
    }

    /// Labels an operation, and all operations that it depends on and that have no label. Discards the tables and stops
    /// if they grow past the cap.
    fn descend(&self, host: &H, op: H::Op, cache: &mut AutomatonCache<H>) {
        let mut stack = std::mem::take(&mut cache.stack);
        stack.clear();
        stack.push(op);
        cache.labels.set(host, op, Label::InProgress);
        while let Some(&op) = stack.last() {
            match self.find(host, op, cache) {
                Found::Needs(defining) => {
                    cache.labels.set(host, defining, Label::InProgress);
                    stack.push(defining);
                }
                Found::State(state) => {
                    cache.labels.set(host, op, Label::Found(cache.tables.label(state)));
                    stack.pop();
                }
            }
            if cache.tables.bytes() > self.memory {
                self.discard_tables(cache);
                break;
            }
        }
        cache.stack = stack;
    }

    /// Computes the labels of dirty operations again, until no operation is dirty.
    fn settle(&self, host: &H, cache: &mut AutomatonCache<H>) {
        while let Some(op) = cache.labels.dirty.pop_front() {
            let Label::Found(before) = cache.labels.get(host, op) else { continue };
            match self.find(host, op, cache) {
                Found::Needs(defining) => {
                    cache.labels.dirty.push_front(op);
                    self.descend(host, defining, cache);
                }
                Found::State(state) if state != before.state => {
                    let label = cache.tables.label(state);
                    cache.labels.set(host, op, Label::Found(label));
                    if label.inner != before.inner {
                        cache.labels.mark_users_dirty(host, op);
                    }
                }
                Found::State(_) => {}
            }
            if cache.tables.bytes() > self.memory {
                self.discard_tables(cache);
            }
        }
    }

    /// Discards the tables and all labels. Gives up if the tables led to few labels, or if they are discarded a second
    /// time for the same label.
    fn discard_tables(&self, cache: &mut AutomatonCache<H>) {
        let gave_few = cache.found < 10 * cache.tables.counts().0 as u64;
        cache.discards += 1;
        cache.found = 0;
        cache.tables = Tables::new(&self.rules);
        cache.labels.clear();
        if gave_few || cache.discards > 1 {
            cache.give_up();
        }
    }

    /// Finds the state of an operation from the labels of the operations that define its operands.
    fn find(&self, host: &H, op: H::Op, cache: &mut AutomatonCache<H>) -> Found<H::Op> {
        let AutomatonCache { tables, labels, memos, .. } = cache;
        let walk_tables = tables.walk_tables();
        let mut target =
            walk_tables.walk::<true, H>(&self.rules, &self.matcher.linked, host, op, labels, memos);
        if target == Target::UNKNOWN {
            match self.make_path(host, op, cache) {
                Ok(made) => target = made,
                Err(defining) => return Found::Needs(defining),
            }
        }
        Found::State(self.state_at(host, op, target, cache))
    }

    /// Returns the state to which the last target of an operation's table walk leads. Runs the deferred tests, if there
    /// are any.
    fn state_at(&self, host: &H, op: H::Op, target: Target, cache: &mut AutomatonCache<H>) -> StateId {
        cache.found += 1;
        match target.end() {
            End::State(state) => state,
            End::Deferred(node) => self.run_deferred(host, op, node, cache),
        }
    }

    /// Walks an operation through the tables, and computes the missing transitions. `Err` is an operation that must be
    /// labelled first.
    #[cold]
    #[inline(never)]
    fn make_path(&self, host: &H, op: H::Op, cache: &mut AutomatonCache<H>) -> Result<Target, H::Op> {
        let AutomatonCache { tables, labels, .. } = cache;
        let linked = &self.matcher.linked;
        let name = [host.op_name(op).index(), self.rules.name_index(linked.op_number(host, op))];
        let (operands, results) = (host.operand_count(op), host.result_count(op));
        let plan = tables.make_plan(&self.rules, &linked.program.positions, name, operands, results);
        let (mut place, mut too_early) = (Place::Start, false);
        let mut index = 0;
        while let Some(OperandPlan { operand, .. }) = tables.operand_step(plan, index) {
            let value = host.operand(op, operand);
            let defining = host.defining_op(value).map(|op| (op, labels.get(host, op)));
            let inner = match defining {
                None => InnerSetId::EMPTY,
                Some((_, Label::Found(label))) => label.inner,
                Some((defining, Label::Unknown)) => return Err(defining),
                Some((_, Label::InProgress)) => {
                    too_early = true;
                    InnerSetId::EMPTY
                }
            };
            place = tables.step(&self.rules, plan, index, place, inner);
            index += 1;
        }
        let target = if tables.plan(plan).has_tuple {
            let (values, failed) = self.tuple_values(host, op, plan, cache);
            if failed {
                cache.labels.failed.push(op);
            }
            cache.tables.step_by_tuple(&self.rules, plan, place, &values)
        } else {
            tables.target(plan, place)
        };
        if too_early {
            cache.labels.dirty.push_back(op);
        }
        Ok(target)
    }

    /// Reads the properties that the tuple of an operation's plan contains. Also returns true if the evaluation of a
    /// predicate failed.
    fn tuple_values(
        &self,
        host: &H,
        op: H::Op,
        plan: PlanId,
        cache: &mut AutomatonCache<H>,
    ) -> (TupleValues, bool) {
        let AutomatonCache { tables, scratch, memos, .. } = cache;
        let mut any_failed = false;
        let values = tables.tuple(plan).iter().map(|part| {
            let properties = part.digits.iter().map(|digit| self.rules.properties[digit.property]);
            let mut failed = false;
            let values: SmallVec<_> = properties
                .map(|property| self.property(host, op, property, scratch, memos, &mut failed))
                .collect();
            any_failed |= failed;
            let kind = match part.source {
                // The values may change, because a later evaluation may succeed.
                _ if failed => KindId::UNKNOWN,
                Source::Attr(name) => {
                    let classes = self.rules.classes_of(name);
                    memos.attr_kind::<true>(&self.rules, &self.matcher.linked, host, op, name, classes)
                }
                Source::TypeOf(Side::Operands, index) => {
                    memos.type_kind::<true>(host, host.operand(op, index))
                }
                Source::TypeOf(Side::Results, index) => memos.type_kind::<true>(host, host.result(op, index)),
                Source::SameOperands(..) => KindId::UNKNOWN,
            };
            PartValues { kind, values }
        });
        (values.collect(), any_failed)
    }

    /// Runs deferred tests from a node on, until they lead to a state.
    fn run_deferred(
        &self,
        host: &H,
        op: H::Op,
        mut node: DeferredId,
        cache: &mut AutomatonCache<H>,
    ) -> StateId {
        let AutomatonCache { tables, labels, scratch, memos, .. } = cache;
        let mut failed = false;
        loop {
            let property = self.rules.properties[tables.tested(node)];
            let value = self.property(host, op, property, scratch, memos, &mut failed);
            match tables.by_value(&self.rules, node, value).end() {
                End::Deferred(next) => node = next,
                End::State(state) => {
                    if failed {
                        labels.failed.push(op);
                    }
                    return state;
                }
            }
        }
    }

    /// The value of a property. Sets `failed` if the evaluation of a predicate failed.
    fn property(
        &self,
        host: &H,
        op: H::Op,
        property: Property,
        scratch: &mut Scratch<H>,
        memos: &mut Memos<H>,
        failed: &mut bool,
    ) -> PropertyValue {
        let linked = &self.matcher.linked;
        let operand = |index| (index < host.operand_count(op)).then(|| host.operand(op, index));
        let type_of = |side, index| {
            let value = match side {
                Side::Operands => operand(index),
                Side::Results => (index < host.result_count(op)).then(|| host.result(op, index)),
            };
            value.map(|value| host.value_type(value))
        };
        let value = match property {
            Property::Attr(name) => {
                host.attr(op, name).map_or(PropertyValue::ABSENT, |attr| memo::attr_constant(linked, attr))
            }
            Property::TypeOf(side, index) => type_of(side, index).map_or(PropertyValue::OTHER, |ty| {
                PropertyValue::from_constant(linked.constants.type_keys.get(&ty).copied())
            }),
            Property::AttrHolds(name, class) => {
                // An attribute counts as absent if the predicate is false or cannot be evaluated.
                let holds = host.attr(op, name).map(|attr| memos.attr_holds(linked, host, attr, class));
                *failed |= holds == Some(None);
                holds.flatten().unwrap_or(false).into()
            }
            Property::TypeHolds(side, index, snippet) => match type_of(side, index) {
                Some(ty) => {
                    memos.type_holds(linked, host, ty, snippet).map_or(PropertyValue::FAILED, Into::into)
                }
                None => PropertyValue::OTHER,
            },
            Property::SameOperands(a, b) => (operand(a) == operand(b)).into(),
            Property::Constant(position) => {
                scratch.state.look_at(op);
                PropertyValue::from_constant(linked.eval(host, scratch).constant(position))
            }
            Property::Holds(question) => {
                scratch.state.look_at(op);
                let mut eval = linked.eval(host, scratch);
                if eval.ask(question, Answer::YES) {
                    true.into()
                } else if linked.program.predicates[question].is_boolean() || eval.ask(question, Answer::NO) {
                    false.into()
                } else {
                    PropertyValue::FAILED
                }
            }
            // Operand steps read this property.
            Property::DefiningOp(_) => PropertyValue::OTHER,
        };
        *failed |= value == PropertyValue::FAILED;
        value
    }

    /// Finds the first match by running code: the residual tests of the state's rules in order, or the tree if there is
    /// no state.
    #[inline(never)]
    fn match_by_code(
        &self,
        host: &H,
        op: H::Op,
        state: StateId,
        cache: &mut AutomatonCache<H>,
    ) -> Option<PatternId> {
        cache.root = None;
        if !state.is_known() {
            cache.rows = RowRange::default();
            cache.in_code = true;
            return self.matcher.match_first(host, op, &mut cache.scratch);
        }
        cache.scratch.set_root(op);
        cache.rows = cache.tables.rows_of(state);
        cache.in_code = false;
        self.next_row(host, cache)
    }

    /// Finds the first match by the tree, while the cache waits until labels save time.
    #[inline(never)]
    fn match_by_tree(&self, host: &H, op: H::Op, cache: &mut AutomatonCache<H>) -> Option<PatternId> {
        cache.root = None;
        cache.rows = RowRange::default();
        cache.in_code = true;
        let mut steps = Steps(0);
        let matched = self.matcher.match_first_traced(host, op, &mut cache.scratch, &mut steps);
        cache.wait(host.op_slot(op), self.patience, steps.0);
        matched
    }

    /// Finds the next match among the remaining rules of the state.
    fn next_row(&self, host: &H, cache: &mut AutomatonCache<H>) -> Option<PatternId> {
        cache.begin();
        loop {
            if cache.in_code {
                if let Some(pattern) = self.matcher.next_match(host, &mut cache.scratch) {
                    return Some(pattern);
                }
                cache.in_code = false;
            }
            let Some(index) = cache.rows.take_first() else {
                cache.scratch.matched = None;
                return None;
            };
            let row = self.rules.rows[cache.tables.rule_row(index)];
            match row.residual {
                Residual::Nothing => {
                    cache.scratch.matched = Some(row.pattern);
                    return Some(row.pattern);
                }
                Residual::Code(code) => {
                    cache.scratch.go_to(code);
                    cache.in_code = true;
                }
                Residual::Tree => {
                    cache.rows = RowRange::default();
                    cache.in_code = true;
                    return self.matcher.match_first(host, cache.scratch.state.root?, &mut cache.scratch);
                }
            }
        }
    }
}

impl<H: Facets> sealed::Sealed for Automaton<H> {}

impl<H: Facets> Engine<H> for Automaton<H> {
    type Cache = AutomatonCache<H>;

    fn matcher(&self) -> &Matcher<H> {
        &self.matcher
    }

    fn cache(&self) -> Self::Cache {
        AutomatonCache::new(self.matcher.cache(), Tables::new(&self.rules), self.patience > 0)
    }

    #[inline]
    fn match_first(&self, host: &H, op: H::Op, cache: &mut Self::Cache) -> Option<PatternId> {
        // There are no labels yet.
        if cache.waiting {
            return self.match_by_tree(host, op, cache);
        }
        if cache.seen != ChangeCount::of(host) || cache.labels.changed {
            self.refresh(host, cache);
        }
        let mut state = cache.labels.state(host, op);
        if !state.is_known() {
            state = self.new_label(host, op, cache);
        }
        cache.root = Some((op, state));
        let first = cache.tables.verdict(state).first;
        if first == FirstRule::BY_CODE {
            return self.match_by_code(host, op, state, cache);
        }
        // Branch-free, because it is unpredictable whether a rule matches.
        first.rule()
    }

    fn next_match(&self, host: &H, cache: &mut Self::Cache) -> Option<PatternId> {
        self.next_row(host, cache)
    }

    fn binding(&self, host: &H, cache: &mut Self::Cache, node: NodeId) -> Option<Entity<H>> {
        cache.begin();
        self.matcher.binding(host, &mut cache.scratch, node)
    }

    fn rewrite(
        &self,
        host: &mut H,
        cache: &mut Self::Cache,
        listener: &mut dyn Listener<H>,
    ) -> Result<(), Refusal>
    where
        H: IrMut,
    {
        cache.begin();
        let stale = cache.seen != ChangeCount::of(host);
        let AutomatonCache { scratch, labels, .. } = cache;
        let done = self.matcher.rewrite(host, scratch, &mut Both(labels, listener));
        // Even a refused rewrite may have created types, so failed tests may succeed now.
        cache.labels.changed = true;
        if !stale {
            cache.seen = ChangeCount::of(host);
        }
        if done.is_ok() {
            cache.end_match();
        }
        done
    }

    fn acknowledge_changes(&self, host: &H, cache: &mut Self::Cache) {
        cache.seen = ChangeCount::of(host);
    }
}
