//! The automaton: operations are labelled from their operands up, and a label says which rules match.
//!
//! Specification: as every [`Engine`], in everything the same as the reference matcher.
//!
//! An operation's label is a state: the set of items (a rule's operations with what is asked of each,
//! see [`matcher_tree::bottom_up`](crate::matcher_tree::bottom_up)) that hold there. It depends on the
//! operation and the states of what defines its operands, and is found by a walk through tables that
//! are made as they are needed (`tables.rs`). The rules whose items hold are tried in order; what an
//! item does not say (comparisons between operations, users, natives) is code run for the rule alone.
//!
//! Items are finite trees, so there is exactly one right labelling, of graph regions too, where an
//! operation may be above itself: labels that were found from others not yet known are found again
//! until nothing changes. Nothing here recurses, so chains may have any length.
//!
//! After a change that the cache was told of, what changed is labelled anew, and its users as far as
//! they see a difference. A change that it was not told of, known by [`Ir::change_count`](crate::host::Ir),
//! makes it forget all labels. Tables that grow past a cap are forgotten; where that does not help the
//! cache goes on with the tree.
//!
//! After Ertl, Casey and Gregg, *Fast and flexible instruction selection with on-demand tree-parsing
//! automata* (2006), and Thier, Ertl and Krall, *Fast and flexible instruction selection with
//! constraints* (2018).

mod comb;
mod labels;
mod memo;
mod rules;
mod tables;
mod transition;

use std::sync::Arc;

use crate::host::{Both, Entity, Facets, IrMut, Listener, Refusal, forward_listener};
use crate::id::Id;
use crate::matcher_tree::{Answer, Position, Side};
use crate::pdl::{NodeId, PatternId};

use super::engine::{Engine, sealed};
use super::tree::{Matcher, Scratch};

use labels::{Label, Labels, NOTHING, OPEN, UNKNOWN};
use memo::Memos;
use rules::{Ask, Rules};
use tables::{BY_CODE, End, NO_RULE, OperandPlan, Tables, is_state};

/// The bottom-up engine for a matcher's rules. Use it where many operations are matched against many
/// rules and few change.
///
/// ```
/// use std::sync::Arc;
/// use drrvm::vm::{Automaton, Engine, Matcher};
/// # use drrvm::host::Facets;
/// fn count_matches<H: Facets>(matcher: Matcher<H>, host: &H, ops: &[H::Op]) -> usize {
///     let automaton = Automaton::new(Arc::new(matcher));
///     let mut cache = automaton.cache();
///     ops.iter().filter(|&&op| automaton.match_first(host, op, &mut cache).is_some()).count()
/// }
/// ```
pub struct Automaton<H: Facets> {
    matcher: Arc<Matcher<H>>,
    rules: Rules,
    memory: usize,
    patience: u32,
}

impl<H: Facets> Automaton<H> {
    /// How much the tables of one cache may take, unless [`Self::memory`] says otherwise.
    pub const MEMORY: usize = 64 << 20;

    /// How often an operation must be matched until its label and its share of the tables are paid for.
    ///
    /// Matching a labelled operation saves some 50 ns (2 where the tree takes 55; 1,000 rules of the matching
    /// workload, 100,000 operations), and the label costs 215 where nothing is known yet: 4 times. With 4,000
    /// rules it is 14 times.
    pub const PATIENCE: u32 = 10;

    /// How many operations at which a question failed are asked again after each change.
    const MAX_UNCERTAIN: usize = 1024;

    /// The automaton for the rules of a matcher. Linear in the size of the rules.
    pub fn new(matcher: Arc<Matcher<H>>) -> Self {
        let program = matcher.program();
        let attr_name = |position| match program.positions[position] {
            Position::Attribute { name, .. } => matcher.linked.attr_names.get(name),
            _ => None,
        };
        let rules = Rules::new(program, attr_name, |pattern| matcher.linked.is_dropped(pattern));
        Self { matcher, rules, memory: Self::MEMORY, patience: 0 }
    }

    /// Sets how many bytes the tables of one cache may take, roughly. The labels come on top: four
    /// bytes for each operation.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// The better of the two engines for unknown use: the tree, until operations have been matched so many
    /// times on average ([`Self::PATIENCE`]) that labels will pay; then the automaton. On a host without
    /// [slots](crate::host::Ir::op_slot) always the tree.
    #[must_use]
    pub fn automatic(mut self) -> Self {
        self.patience = Self::PATIENCE;
        self
    }

    /// The tree for the same rules.
    pub fn matcher(&self) -> &Arc<Matcher<H>> {
        &self.matcher
    }

    /// Labels operations, as far as they are not yet; those that come before their users in `ops` are
    /// labelled in one step each. Ends the current match.
    pub fn label(&self, host: &H, ops: impl IntoIterator<Item = H::Op>, cache: &mut AutomatonCache<H>) {
        cache.end_match();
        self.refresh(host, cache);
        for op in ops {
            if cache.labels.get(host, op) == Label::Unknown && self.find_label(host, op, cache).is_none() {
                return;
            }
        }
    }

    /// Whether the IR has changed in a way that the cache was not told of, so that all labels will be
    /// found anew. Never for a host that does not count its changes.
    pub fn is_stale(&self, host: &H, cache: &AutomatonCache<H>) -> bool {
        cache.seen != NEVER && cache.seen != host.change_count()
    }

    /// Makes the labels right again, if there was a change.
    fn refresh(&self, host: &H, cache: &mut AutomatonCache<H>) {
        if cache.seen != host.change_count() {
            cache.labels.clear();
            cache.seen = host.change_count();
        }
        if cache.labels.changed {
            cache.labels.changed = false;
            cache.flushed = 0;
            if cache.labels.uncertain.len() > Self::MAX_UNCERTAIN {
                cache.give_up();
            }
            let Labels { dirty, uncertain, .. } = &mut cache.labels;
            dirty.extend(uncertain.drain(..));
            self.settle(host, cache);
        }
    }

    /// Labels an operation and what it needs; no state if the cache has given up.
    ///
    /// PERF: a function of its own, in which little but what is done for each operation has registers.
    #[inline(never)]
    fn new_label(&self, host: &H, op: H::Op, cache: &mut AutomatonCache<H>) -> u32 {
        if !cache.labels.on {
            return UNKNOWN;
        }
        // PERF: what is visited in order, when the tables are made, takes no more than this.
        let AutomatonCache { tables, labels, memos, .. } = cache;
        let state = self.known::<false>(host, op, tables.ways(), labels, memos);
        if is_state(state) {
            cache.found += 1;
            let known = tables.known(state);
            labels.set(host, op, Label::Known(known));
            return state;
        }
        self.find_label(host, op, cache).unwrap_or(UNKNOWN)
    }

    /// Labels an operation and what it needs; `None` if the cache has given up.
    #[inline(never)]
    fn find_label(&self, host: &H, op: H::Op, cache: &mut AutomatonCache<H>) -> Option<u32> {
        cache.flushed = 0;
        while cache.labels.on {
            // What is visited in order needs no stack.
            if let Found::State(state) = self.find(host, op, cache)
                && cache.labels.dirty.is_empty()
                && cache.tables.bytes() <= self.memory
            {
                cache.labels.set(host, op, Label::Known(cache.tables.known(state)));
                return Some(state);
            }
            self.descend(host, op, cache);
            self.settle(host, cache);
            if let Label::Known(known) = cache.labels.get(host, op) {
                return Some(known.state);
            }
        }
        None
    }

    /// Labels an operation and all below it that has no label.
    fn descend(&self, host: &H, op: H::Op, cache: &mut AutomatonCache<H>) {
        let mut stack = std::mem::take(&mut cache.stack);
        stack.clear();
        stack.push(op);
        cache.labels.set(host, op, Label::Open);
        while let Some(&op) = stack.last() {
            match self.find(host, op, cache) {
                Found::Needs(below) => {
                    cache.labels.set(host, below, Label::Open);
                    stack.push(below);
                }
                Found::State(state) => {
                    cache.labels.set(host, op, Label::Known(cache.tables.known(state)));
                    stack.pop();
                }
            }
            if cache.tables.bytes() > self.memory {
                self.flush(cache);
                break;
            }
        }
        cache.stack = stack;
    }

    /// Finds the labels anew that may be wrong, until none is.
    fn settle(&self, host: &H, cache: &mut AutomatonCache<H>) {
        while let Some(op) = cache.labels.dirty.pop_front() {
            let Label::Known(before) = cache.labels.get(host, op) else { continue };
            match self.find(host, op, cache) {
                Found::Needs(below) => {
                    cache.labels.dirty.push_front(op);
                    self.descend(host, below, cache);
                }
                Found::State(state) if state != before.state => {
                    let known = cache.tables.known(state);
                    cache.labels.set(host, op, Label::Known(known));
                    if known.view != before.view {
                        cache.labels.touch_users(host, op);
                    }
                }
                Found::State(_) => {}
            }
            if cache.tables.bytes() > self.memory {
                self.flush(cache);
            }
        }
    }

    /// Forgets the tables and with them all labels; gives up if that happens again and again.
    fn flush(&self, cache: &mut AutomatonCache<H>) {
        let poor = cache.found < 10 * cache.tables.size().0 as u64;
        cache.flushed += 1;
        cache.found = 0;
        cache.tables = Tables::new(&self.rules);
        cache.labels.clear();
        if poor || cache.flushed > 1 {
            cache.give_up();
        }
    }

    /// The state of an operation by those below it.
    fn find(&self, host: &H, op: H::Op, cache: &mut AutomatonCache<H>) -> Found<H::Op> {
        let AutomatonCache { tables, labels, memos, .. } = cache;
        let mut at = self.known::<true>(host, op, tables.ways(), labels, memos);
        if at == 0 {
            match self.make(host, op, cache) {
                Ok(made) => at = made,
                Err(below) => return Found::Needs(below),
            }
        }
        cache.found += 1;
        Found::State(match cache.tables.end(at) {
            End::State(state) => state,
            End::Late(node) => self.ask_late(host, op, node, cache),
        })
    }

    /// As [`Self::known`], making what is missing; `Err` is an operation that needs a label first.
    #[cold]
    #[inline(never)]
    fn make(&self, host: &H, op: H::Op, cache: &mut AutomatonCache<H>) -> Result<u32, H::Op> {
        let AutomatonCache { tables, labels, memos, .. } = cache;
        let number = (self.matcher.linked.op_number(host, op).index()).min(self.rules.names());
        let name = [host.op_name(op).index(), number];
        let (operands, results) = (host.operand_count(op), host.result_count(op));
        let positions = &self.matcher.program().positions;
        let plan = tables.make_plan(&self.rules, positions, name, operands, results);
        let (mut slot, mut early, mut tuple, mut before) = (0, false, 0, None);
        let mut index = 0;
        while let Some(OperandPlan { operand, .. }) = tables.operand_step(plan, index) {
            let value = host.operand(op, operand.index);
            let ty = self.type_of(host, value, memos);
            tuple += tables.ways().of_operand(operand, ty, before == Some(value));
            before = Some(value);
            let view = match host.defining_op(value).map(|below| (below, labels.get(host, below))) {
                None => NOTHING,
                Some((_, Label::Known(known))) => known.view,
                Some((below, Label::Unknown)) => return Err(below),
                Some((_, Label::Open)) => {
                    early = true;
                    NOTHING
                }
            };
            slot = tables.go(&self.rules, plan, index, slot, view);
            index += 1;
        }
        if tables.numbered(plan).has_own {
            let own = self.own::<true>(host, op, tables.numbered(plan), tables.ways(), memos);
            tuple += own.unwrap_or(0);
            slot = tables.go_own(&self.rules, plan, slot, tuple);
        }
        if early {
            labels.dirty.push_back(op);
        }
        Ok(tables.at(plan, slot))
    }

    /// The state after a late node.
    fn ask_late(&self, host: &H, op: H::Op, node: u32, cache: &mut AutomatonCache<H>) -> u32 {
        let AutomatonCache { tables, labels, scratch, memos, .. } = cache;
        let (mut node, mut failed) = (node, false);
        loop {
            let answer = self.answer(host, op, self.rules.asks[tables.asked(node) as usize], scratch, memos);
            failed |= answer == FAILED;
            let at = tables.by_answer(&self.rules, node, answer);
            match tables.end(at) {
                End::Late(next) => node = next,
                End::State(state) => {
                    if failed {
                        labels.uncertain.push(op);
                    }
                    return state;
                }
            }
        }
    }

    /// The answer to a question about one operation: a constant's number, 1 for yes, 0 for no.
    fn answer(&self, host: &H, op: H::Op, ask: Ask, scratch: &mut Scratch<H>, memos: &mut Memos<H>) -> u32 {
        let operand = |index| (index < host.operand_count(op)).then(|| host.operand(op, index));
        match ask {
            Ask::Attr(name) => self.attr::<true>(host, op, name, memos).unwrap_or(NO_CONSTANT),
            Ask::TypeOf(side, index) => {
                let value = match side {
                    Side::Operands => operand(index),
                    Side::Results => (index < host.result_count(op)).then(|| host.result(op, index)),
                };
                value.map_or(NO_CONSTANT, |value| self.type_of(host, value, memos))
            }
            Ask::SameOperands(a, b) => u32::from(operand(a) == operand(b)),
            Ask::Constant(position) => {
                scratch.state.root = Some(op);
                let constant = self.matcher.linked.eval(host, scratch).constant(position);
                constant.map_or(NO_CONSTANT, |constant| constant.raw())
            }
            Ask::Holds(question) => {
                scratch.state.root = Some(op);
                let mut eval = self.matcher.linked.eval(host, scratch);
                let boolean = self.matcher.program().predicates[question].is_boolean();
                if eval.ask(question, Answer::YES) {
                    Answer::YES.0
                } else if boolean || eval.ask(question, Answer::NO) {
                    Answer::NO.0
                } else {
                    FAILED
                }
            }
            // Those are asked by the plans.
            Ask::Counts | Ask::Operand(_) => NO_CONSTANT,
        }
    }

    /// The first match by code: of a state whose first rule has some, or of the tree if there is no state.
    #[inline(never)]
    fn match_by_code(
        &self,
        host: &H,
        op: H::Op,
        state: u32,
        cache: &mut AutomatonCache<H>,
    ) -> Option<PatternId> {
        cache.root = None;
        if state == UNKNOWN {
            if cache.waiting {
                cache.wait(host.op_slot(op), self.patience);
            }
            cache.rows = (0, 0);
            cache.in_tail = true;
            return self.matcher.match_first(host, op, &mut cache.scratch);
        }
        cache.scratch.set_root(op);
        cache.rows = cache.tables.rules_of(state);
        cache.in_tail = false;
        self.next_row(host, cache)
    }

    /// Goes on with the rules of the state.
    fn next_row(&self, host: &H, cache: &mut AutomatonCache<H>) -> Option<PatternId> {
        cache.begin();
        loop {
            if cache.in_tail {
                if let Some(pattern) = self.matcher.next_match(host, &mut cache.scratch) {
                    return Some(pattern);
                }
                cache.in_tail = false;
            }
            let (at, end) = cache.rows;
            if at == end {
                cache.scratch.matched = None;
                return None;
            }
            cache.rows.0 += 1;
            let row = self.rules.rows[cache.tables.rule(at) as usize];
            let Some(tail) = row.tail else {
                cache.scratch.matched = Some(row.pattern);
                return Some(row.pattern);
            };
            cache.scratch.go_to(tail);
            cache.in_tail = true;
        }
    }
}

/// An attribute or type that is none of the plain constants.
const NO_CONSTANT: u32 = u32::MAX;
/// A question about a type or attribute that cannot be answered; it may be later.
const FAILED: u32 = u32::MAX - 1;

/// In the place of a count of changes: the IR has not been looked at yet.
const NEVER: u64 = u64::MAX;

/// What came of looking for an operation's state.
enum Found<O> {
    State(u32),
    /// This one's state is needed first.
    Needs(O),
}

/// What one thread knows of an IR: tables, labels, and the current match.
pub struct AutomatonCache<H: Facets> {
    scratch: Scratch<H>,
    tables: Tables,
    labels: Labels<H>,
    memos: Box<Memos<H>>,
    stack: Vec<H::Op>,
    /// A root whose first match needed no more than its state: nothing else is written of it yet.
    root: Option<(H::Op, u32)>,
    /// The rules that are still to be tried, as a range for [`Tables::rule`].
    rows: (u32, u32),
    /// Whether a rule's code has more to give.
    in_tail: bool,
    /// The host's count of changes when the labels were right.
    seen: u64,
    /// How many labels were found since the tables were empty.
    found: u64,
    /// How often the tables were forgotten while one label was looked for.
    flushed: u32,
    /// Whether the tree is asked until it has been asked often enough.
    waiting: bool,
    /// How often that was.
    waited: u64,
    /// One past the largest slot of an operation that was matched.
    slots: u64,
}

impl<H: Facets> AutomatonCache<H> {
    /// What the tables take, in bytes, roughly.
    pub fn table_bytes(&self) -> usize {
        self.tables.bytes()
    }

    /// How many nodes and how many states the tables have.
    pub fn table_size(&self) -> (usize, usize) {
        self.tables.size()
    }

    /// Whether the tables did not pay, so that matching goes on with the tree.
    pub fn has_given_up(&self) -> bool {
        !self.labels.on && !self.waiting
    }

    /// Counts a match by the tree, and turns labels on when there have been enough.
    fn wait(&mut self, slot: Option<u32>, patience: u32) {
        self.waited += 1;
        self.slots = self.slots.max(slot.map_or(u64::MAX, |slot| u64::from(slot) + 1));
        if self.waited > self.slots.saturating_mul(u64::from(patience)) {
            self.waiting = false;
            self.labels.on = true;
        }
    }

    /// Forgets what is known of the IR, but not the tables: for after changes that the cache was not told
    /// of, on a host that does not count them, and before going on with another IR.
    pub fn forget_labels(&mut self) {
        self.end_match();
        if self.labels.on {
            self.labels.clear();
        }
    }

    fn give_up(&mut self) {
        self.waiting = false;
        self.labels.turn_off();
    }

    /// Writes down where the match stands, if that was not done.
    #[inline]
    fn begin(&mut self) {
        if let Some((op, state)) = self.root.take() {
            let first = self.tables.verdict(state).first;
            self.scratch.set_root(op);
            self.scratch.matched = (first != NO_RULE).then_some(PatternId::from_raw(first));
            let (start, end) = self.tables.rules_of(state);
            self.rows = (end.min(start + 1), end);
            self.in_tail = false;
        }
    }

    fn end_match(&mut self) {
        self.root = None;
        self.rows = (0, 0);
        self.in_tail = false;
        self.scratch.matched = None;
    }
}

impl<H: Facets> Listener<H> for AutomatonCache<H> {
    forward_listener!(H; |this| this.labels);
}

impl<H: Facets> sealed::Sealed for Automaton<H> {}

impl<H: Facets> Engine<H> for Automaton<H> {
    type Cache = AutomatonCache<H>;

    fn matcher(&self) -> &Matcher<H> {
        &self.matcher
    }

    fn cache(&self) -> Self::Cache {
        AutomatonCache {
            scratch: self.matcher.scratch(),
            tables: Tables::new(&self.rules),
            labels: Labels::new(self.patience == 0),
            memos: Box::default(),
            waiting: self.patience > 0,
            waited: 0,
            slots: 0,
            stack: Vec::new(),
            root: None,
            rows: (0, 0),
            in_tail: false,
            seen: NEVER,
            found: 0,
            flushed: 0,
        }
    }

    #[inline]
    fn match_first(&self, host: &H, op: H::Op, cache: &mut Self::Cache) -> Option<PatternId> {
        if cache.seen != host.change_count() || cache.labels.changed {
            self.refresh(host, cache);
        }
        let mut state = cache.labels.state(host, op);
        if state <= OPEN {
            state = self.new_label(host, op, cache);
        }
        // PERF: whether a rule matches is no branch, as nobody could foretell it.
        cache.root = Some((op, state));
        match cache.tables.verdict(state).first {
            BY_CODE => self.match_by_code(host, op, state, cache),
            first => (first != NO_RULE).then_some(PatternId::from_raw(first)),
        }
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
        let stale = cache.seen != host.change_count();
        let AutomatonCache { scratch, labels, .. } = cache;
        let done = self.matcher.rewrite(host, scratch, &mut Both(labels, listener));
        // A rewrite that refuses may have made types, of which a question can be asked now.
        cache.labels.changed = true;
        if !stale {
            cache.seen = host.change_count();
        }
        if done.is_ok() {
            cache.end_match();
        }
        done
    }

    fn acknowledge_changes(&self, host: &H, cache: &mut Self::Cache) {
        cache.seen = host.change_count();
    }
}
