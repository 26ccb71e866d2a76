//! States and transitions, made when they are first met.
//!
//! All operations of one name with so many operands and results go the same way, a [`Plan`]: a step for
//! each operand that some item asks about, then one for all that is read off the operation itself. A
//! node is where a step stands: the items that may still hold, with what each of them still requires.
//! Its row says where each answer leads. A way ends at a state, the set of items that hold; or, where
//! questions are open that cost more, at a late node, which asks the first of them.
//!
//! What users see of a state is its view, the items among them that operands are asked for; what a plan
//! wants to know of a view is which of a few items hold there: views that agree on these are one class to
//! it (*representer states*), so a row is short, however many states there are.
//!
//! What is read for each operation, and what holds of it, is in `transition.rs`: plans; the rows of nodes, in
//! `comb.rs`; and numbers, in which answers become classes.

use std::hash::BuildHasher;

use hashbrown::{HashMap, HashTable};
use rustc_hash::FxBuildHasher;

use crate::matcher_tree::{Positions, Side, bits};

use super::comb::Comb;
use super::labels::{Known, NO_STATES, NOTHING, UNSEEN};
use super::rules::{Ask, Rules};
use super::transition::{
    ANY, AttrStep, Classes, MAX_STEPS, MAX_TUPLES, Numbers, Operand, OperandStep, Own, OwnStep, Plan, Ways,
};

/// An item that may hold, and which of its parts are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Live {
    item: u32,
    open: u64,
}

/// A question about the operation itself, and which answers are told apart.
#[derive(Debug)]
struct Told {
    what: Ask,
    ask: u32,
    stride: u32,
    /// The answers that are wanted, ascending.
    answers: Box<[u32]>,
}

impl Told {
    /// The answer in a tuple; `None` for one that nobody wants.
    fn answer(&self, tuple: u32) -> Option<u32> {
        let index = (tuple / self.stride) as usize % (self.answers.len() + 1);
        self.answers.get(index.wrapping_sub(1)).copied()
    }
}

/// What is asked of what defines an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperandPlan {
    pub(super) operand: Operand,
    ask: u32,
    projection: u32,
}

/// What a plan is besides.
#[derive(Debug, Default)]
struct PlanData {
    by_operands: Box<[OperandPlan]>,
    told: Box<[Told]>,
}

/// Where a way leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    State(u32),
    Late(u32),
}

/// Where a step stands.
#[derive(Debug)]
struct Node {
    plan: u32,
    step: u32,
    lives: Box<[Live]>,
}

/// What is asked after the plan.
#[derive(Debug)]
struct Late {
    /// Of [`Rules::asks`].
    ask: u32,
    /// Answers and where they lead, in turn.
    table: Vec<u32>,
    lives: Box<[Live]>,
}

/// What some step wants to know of a state.
#[derive(Debug)]
struct Projection {
    /// The items, ascending.
    wanted: Set,
    /// Which of the items hold in each class, the first being class 1.
    members: Vec<Set>,
    /// The class of each view; 0 if it is not known or does not fit.
    classes: Classes,
    /// The plans, and the steps of them, that say where the classes are.
    steps: Vec<(u32, usize)>,
}

/// What follows from a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    /// What users see of it. Equal numbers mean that they see no difference.
    view: u32,
    /// The first rule, [`NO_RULE`] or [`BY_CODE`], which it is also for no state.
    pub(super) first: u32,
}

/// What is known of a state besides.
#[derive(Debug, Default)]
struct State {
    /// The items that hold, ascending.
    items: Set,
    /// Their rules, in order, as a range for [`Tables::rule`].
    rules: (u32, u32),
}

/// In the place of a first rule: none matches.
pub(super) const NO_RULE: u32 = u32::MAX;
/// In the place of a first rule: code says whether it matches.
pub(super) const BY_CODE: u32 = u32::MAX - 1;

type Set = Box<[u32]>;

/// All that has been made.
#[derive(Debug)]
pub(super) struct Tables {
    /// The plan of each name of the host that was met last; 0 if none was.
    starts: Vec<u32>,
    /// The plans as they are read for each operation; the first fits nothing.
    plans: Vec<Plan>,
    /// The rows of all nodes. An entry is where the way goes on: another row, or after the last step a state,
    /// or a late node with [`LATE`].
    comb: Comb,
    /// By state; in the places of [`UNKNOWN`] and [`OPEN`] what is to be done where there is none.
    ///
    /// PERF: apart from what is asked rarely: a verdict takes half as much of a cache.
    verdicts: Vec<Verdict>,
    /// Classes of views; what answers add to the number of a tuple.
    ///
    /// PERF: bytes, of which twice as many are in a cache as of anything larger.
    numbers: Vec<u8>,
    /// The rules that states name, one list after the other.
    rules: Vec<u32>,
    plan_data: Vec<PlanData>,
    projections: Vec<Projection>,
    /// By row.
    nodes: Vec<Node>,
    late: Vec<Late>,
    states: Vec<State>,
    /// The items that others want of a state, by view; the first is that of no view.
    views: Vec<Set>,
    /// The plan of each name of the program that was met last; 0 if none was.
    heads: Vec<u32>,
    counted: HashMap<(u32, u64), u32, FxBuildHasher>,
    answered: HashMap<(u32, u32), u32, FxBuildHasher>,
    node_ids: HashTable<u32>,
    late_ids: HashTable<u32>,
    state_ids: HashTable<u32>,
    view_ids: HashMap<Set, u32, FxBuildHasher>,
    projection_ids: HashMap<Set, u32, FxBuildHasher>,
    class_ids: HashMap<(u32, Set), u32, FxBuildHasher>,
    /// Roughly.
    bytes: usize,
}

/// In an entry: a late node.
const LATE: u32 = 1 << 31;

/// How many answers a late node compares with before it asks the hash table.
const SHORT: usize = 16;

/// Larger answers are asked late, as what an answer adds is looked up by it.
const MAX_ANSWER: u32 = 1 << 16;

/// How long a table may be, so that numbers are below [`LATE`].
const MAX_LENGTH: usize = 1 << 30;

impl Tables {
    pub(super) fn new(rules: &Rules) -> Self {
        let mut tables = Self {
            starts: Vec::new(),
            plans: vec![Plan::none()],
            comb: Comb::new(number(MAX_TUPLES)),
            verdicts: vec![Verdict { view: UNSEEN, first: BY_CODE }; NO_STATES],
            numbers: vec![0],
            rules: Vec::new(),
            plan_data: vec![PlanData::default()],
            projections: Vec::new(),
            nodes: Vec::new(),
            late: Vec::new(),
            states: (0..NO_STATES).map(|_| State::default()).collect(),
            views: vec![Set::default()],
            heads: vec![0; rules.names() + 1],
            counted: HashMap::default(),
            answered: HashMap::default(),
            node_ids: HashTable::new(),
            late_ids: HashTable::new(),
            state_ids: HashTable::new(),
            view_ids: HashMap::default(),
            projection_ids: HashMap::default(),
            class_ids: HashMap::default(),
            bytes: 0,
        };
        let nothing = tables.state(rules, Box::default());
        debug_assert_eq!(tables.verdict(nothing).view, NOTHING);
        tables
    }

    /// What the tables take, roughly.
    pub(super) fn bytes(&self) -> usize {
        let length = self.comb.slots().len().max(self.numbers.len());
        if length > MAX_LENGTH { usize::MAX } else { self.bytes + self.comb.bytes() }
    }

    /// How many nodes and states there are.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.nodes.len() + self.late.len(), self.states.len() - NO_STATES)
    }

    /// What follows from a state, or from there being none.
    #[inline]
    pub(super) fn verdict(&self, state: u32) -> Verdict {
        self.verdicts[state as usize]
    }

    /// A state with what users see of it.
    #[inline]
    pub(super) fn known(&self, state: u32) -> Known {
        Known { state, view: self.verdict(state).view }
    }

    /// The rules whose items hold in a state, in order, as a range for [`Self::rule`].
    pub(super) fn rules_of(&self, state: u32) -> (u32, u32) {
        self.states[state as usize].rules
    }

    #[inline]
    pub(super) fn rule(&self, at: u32) -> u32 {
        self.rules[at as usize]
    }

    /// What is read for each operation.
    #[inline]
    pub(super) fn ways(&self) -> Ways<'_> {
        Ways { starts: &self.starts, plans: &self.plans, slots: self.comb.slots(), numbers: &self.numbers }
    }

    /// A plan by its number.
    pub(super) fn numbered(&self, plan: u32) -> &Plan {
        &self.plans[plan as usize]
    }

    /// A step by an operand, if there are so many.
    pub(super) fn operand_step(&self, plan: u32, step: usize) -> Option<OperandPlan> {
        self.plan_data[plan as usize].by_operands.get(step).copied()
    }

    /// What the end of a way is, that is known.
    #[inline]
    pub(super) fn end(&self, at: u32) -> End {
        if at & LATE == 0 { End::State(at) } else { End::Late(at - LATE) }
    }

    /// What is written at a slot of a way; 0 is the slot of the plan, where the way begins.
    pub(super) fn at(&self, plan: u32, slot: u32) -> u32 {
        if slot == 0 { self.plans[plan as usize].first } else { self.comb.slots()[slot as usize].to }
    }

    /// The number of the plan for a name, by the host's number and the program's, and counts; made if there
    /// is none.
    pub(super) fn make_plan(
        &mut self,
        rules: &Rules,
        positions: &Positions,
        [host_name, name]: [usize; 2],
        operands: u32,
        results: u32,
    ) -> u32 {
        let is_idle = rules.is_idle(name);
        let key = (number(name), if is_idle { 0 } else { counts(operands, results) });
        let plan = match self.counted.get(&key) {
            Some(&plan) => plan,
            None => {
                let items = rules.start(positions, name, operands, results);
                let plan = self.new_plan(rules, items, operands, results);
                let made = &mut self.plans[plan as usize];
                if is_idle {
                    made.operands = ANY;
                }
                made.other = std::mem::replace(&mut self.heads[name], plan);
                self.counted.insert(key, plan);
                plan
            }
        };
        if self.starts.len() <= host_name {
            self.bytes += (host_name + 1 - self.starts.len()) * 4;
            self.starts.resize(host_name + 1, 0);
        }
        self.starts[host_name] = self.heads[name];
        plan
    }

    fn new_plan(&mut self, rules: &Rules, items: Vec<u32>, operands: u32, results: u32) -> u32 {
        let is_there = |ask: Ask| match ask {
            Ask::Operand(index) | Ask::TypeOf(Side::Operands, index) => index < operands,
            Ask::TypeOf(Side::Results, index) => index < results,
            _ => true,
        };
        let mut wanted: Vec<(u32, u32)> = Vec::new();
        let mut lives = Vec::new();
        for item in items {
            let parts = &rules.items[item as usize].parts;
            if parts.iter().all(|part| is_there(rules.asks[part.ask as usize])) {
                lives.push(Live { item, open: open_parts(parts.len()) });
                wanted.extend(parts.iter().map(|part| (part.ask, part.wanted)));
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        let (mut steps, mut told, mut tuples) = (Vec::new(), Vec::new(), 1usize);
        for asked in wanted.chunk_by(|a, b| a.0 == b.0) {
            let ask = asked[0].0;
            let answers: Set = asked.iter().map(|a| a.1).collect();
            match rules.asks[ask as usize] {
                Ask::Operand(operand) => {
                    let projection = self.projection(answers);
                    let operand = Operand { index: operand, ..Operand::default() };
                    steps.push(OperandPlan { operand, ask, projection });
                }
                Ask::SameOperands(a, b) if a.max(b) >= operands => {}
                what @ (Ask::Attr(_) | Ask::TypeOf(..) | Ask::SameOperands(..))
                    if told.len() < MAX_STEPS
                        && tuples * (answers.len() + 1) <= MAX_TUPLES
                        && answers.last().is_some_and(|&largest| largest < MAX_ANSWER) =>
                {
                    tuples *= answers.len() + 1;
                    told.push(Told { what, ask, stride: 0, answers });
                }
                _ => {}
            }
        }
        let (mut own, mut attrs, mut stride) = (Vec::new(), Vec::new(), 1);
        for told in &mut told {
            told.stride = stride;
            stride *= number(told.answers.len() + 1);
            let start = self.numbers.len();
            for (index, &answer) in (1..).zip(&told.answers) {
                self.numbers.resize(start + answer as usize, 0);
                self.numbers.push(byte(index * told.stride as usize));
            }
            let adds = Numbers { at: number(start), len: number(self.numbers.len() - start) };
            self.bytes += 64 + adds.len as usize + 4 * told.answers.len();
            let what = match told.what {
                Ask::Attr(name) => {
                    attrs.push(AttrStep { name, adds });
                    continue;
                }
                Ask::SameOperands(a, b) => {
                    let indices = |pair: &[OperandPlan]| [pair[0].operand.index, pair[1].operand.index];
                    match steps.windows(2).position(|pair| indices(pair) == [a, b]) {
                        Some(before) => {
                            steps[before + 1].operand.same = adds;
                            continue;
                        }
                        None => Own::Same(a, b),
                    }
                }
                Ask::TypeOf(Side::Results, index) => Own::ResultType(index),
                Ask::TypeOf(Side::Operands, index) => {
                    match steps.iter_mut().find(|s| s.operand.index == index) {
                        Some(step) => {
                            step.operand.types = adds;
                            continue;
                        }
                        None => Own::OperandType(index),
                    }
                }
                _ => continue,
            };
            own.push(OwnStep { what, adds });
        }
        let number_of = number(self.plans.len());
        self.bytes += size_of::<Plan>() + 64 + 32 * steps.len() + 24 * told.len();
        let mut plan = Plan { results, has_own: !told.is_empty(), ..Plan::none() };
        (plan.operand_steps, plan.own_steps) = (number(steps.len()), number(own.len()));
        plan.attr_steps = number(attrs.len());
        plan.by_attrs[..attrs.len()].copy_from_slice(&attrs);
        if steps.len() <= MAX_STEPS {
            plan.operands = operands;
        }
        plan.by_own[..own.len()].copy_from_slice(&own);
        for (index, (to, step)) in plan.by_operands.iter_mut().zip(&steps).enumerate() {
            let projection = &mut self.projections[step.projection as usize];
            projection.steps.push((number_of, index));
            *to = OperandStep { operand: step.operand, classes: projection.classes };
        }
        self.plans.push(plan);
        self.plan_data.push(PlanData { by_operands: steps.into(), told: told.into() });
        self.plans[number_of as usize].first = self.place(rules, number_of, 0, lives);
        number_of
    }

    /// Goes one step on, from what is written at a slot, by an operand's view; makes what is not there. The
    /// slot where it is written how it goes on.
    pub(super) fn go(&mut self, rules: &Rules, plan: u32, step: usize, slot: u32, view: u32) -> u32 {
        let OperandPlan { ask, projection, .. } = self.plan_data[plan as usize].by_operands[step];
        let class = self.make_class(projection, view);
        let row = self.comb.row(self.at(plan, slot));
        if !self.comb.has(row, class) {
            let holding = &self.projections[projection as usize].members[class as usize - 1];
            let lives = after(rules, &self.nodes[row].lives, |asked, wanted| {
                (asked == ask).then(|| holding.binary_search(&wanted).is_ok())
            });
            let to = self.place(rules, plan, step + 1, lives);
            self.comb.set(row, class, to);
        }
        self.follow(plan, slot, row) + class
    }

    /// As [`Self::go`], by what is read off the operation itself.
    pub(super) fn go_own(&mut self, rules: &Rules, plan: u32, slot: u32, tuple: u32) -> u32 {
        let row = self.comb.row(self.at(plan, slot));
        if !self.comb.has(row, tuple) {
            let all = &self.plan_data[plan as usize].told;
            let lives = after(rules, &self.nodes[row].lives, |asked, wanted| {
                let told = all.iter().find(|told| told.ask == asked)?;
                Some(told.answer(tuple) == Some(wanted))
            });
            let to = self.place_late(rules, lives);
            self.comb.set(row, tuple, to);
        }
        self.follow(plan, slot, row) + tuple
    }

    /// Writes at the slot that leads to a row the number that the row has now, which is returned.
    fn follow(&mut self, plan: u32, slot: u32, row: usize) -> u32 {
        let number = self.comb.number(row);
        match slot {
            0 => self.plans[plan as usize].first = number,
            _ => self.comb.lead(slot, number),
        }
        number
    }

    /// Where a late node leads.
    pub(super) fn by_answer(&mut self, rules: &Rules, late: u32, answer: u32) -> u32 {
        let (pairs, _) = self.late[late as usize].table.as_chunks::<2>();
        if let Some(pair) = pairs.iter().find(|pair| pair[0] == answer) {
            return pair[1];
        }
        self.make_by_answer(rules, late, answer)
    }

    /// What a late node asks, of [`Rules::asks`].
    pub(super) fn asked(&self, late: u32) -> u32 {
        self.late[late as usize].ask
    }

    #[cold]
    fn make_by_answer(&mut self, rules: &Rules, late: u32, answer: u32) -> u32 {
        if let Some(&next) = self.answered.get(&(late, answer)) {
            return next;
        }
        let Late { ask, lives, .. } = &self.late[late as usize];
        let lives = after(rules, lives, |asked, wanted| (asked == *ask).then_some(wanted == answer));
        let next = self.place_late(rules, lives);
        let table = &mut self.late[late as usize].table;
        if table.len() < 2 * SHORT {
            table.extend([answer, next]);
            self.bytes += 8;
        } else {
            self.answered.insert((late, answer), next);
            self.bytes += 24;
        }
        next
    }

    /// The class of a view by a projection.
    fn make_class(&mut self, projection: u32, view: u32) -> u32 {
        let known = &self.projections[projection as usize];
        if known.classes.views <= view {
            let views = (view + 1).max(2 * known.classes.views);
            self.move_classes(projection, views, known.classes.is_wide);
        }
        let class = self.ways().class(self.projections[projection as usize].classes, view);
        if class != 0 {
            return class;
        }
        let known = &mut self.projections[projection as usize];
        let items = &self.views[view as usize];
        let holding: Set = known.wanted.iter().copied().filter(|i| items.binary_search(i).is_ok()).collect();
        let next = number(known.members.len() + 1);
        let class = *self.class_ids.entry((projection, holding)).or_insert_with_key(|(_, holding)| {
            self.bytes += 64 + 8 * holding.len();
            known.members.push(holding.clone());
            self.comb.widen(next + 1);
            next
        });
        let Classes { views, is_wide, .. } = known.classes;
        if is_wide == 0 && class > u8::MAX.into() {
            self.move_classes(projection, views, 1);
        }
        let Classes { at, is_wide, .. } = self.projections[projection as usize].classes;
        let [low, high] = u16::try_from(class).unwrap_or(0).to_le_bytes();
        if is_wide == 0 {
            self.numbers[(at + view) as usize] = low;
        } else {
            self.numbers[(at + 2 * view) as usize..][..2].copy_from_slice(&[low, high]);
        }
        class
    }

    /// Gives a projection room for the classes of so many views.
    fn move_classes(&mut self, projection: u32, views: u32, is_wide: u32) {
        let known = &mut self.projections[projection as usize];
        let (before, start) = (known.classes, self.numbers.len());
        let after = Classes { at: number(start), views, is_wide };
        for view in 0..before.views {
            let at = (before.at + (view << before.is_wide)) as usize;
            let high = if before.is_wide == 0 { 0 } else { self.numbers[at + 1] };
            let class = [self.numbers[at], high];
            self.numbers.extend(&class[..1 << is_wide]);
        }
        self.numbers.resize(start + ((views as usize) << is_wide), 0);
        self.bytes += self.numbers.len() - start;
        known.classes = after;
        for &(plan, step) in &known.steps {
            self.plans[plan as usize].by_operands[step].classes = after;
        }
    }

    /// Where the way of a plan goes on before a step.
    fn place(&mut self, rules: &Rules, plan: u32, step: usize, lives: Vec<Live>) -> u32 {
        let to = &self.plan_data[plan as usize];
        if step == to.by_operands.len() && to.told.is_empty() {
            return self.place_late(rules, lives);
        }
        let step = number(step);
        let hash = FxBuildHasher.hash_one((plan, step, &lives[..]));
        let same = |&id: &u32| {
            let node = &self.nodes[id as usize];
            node.plan == plan && node.step == step && *node.lives == lives[..]
        };
        if let Some(&id) = self.node_ids.find(hash, same) {
            return self.comb.number(id as usize);
        }
        let row = self.comb.add();
        self.bytes += 56 + 16 * lives.len();
        self.nodes.push(Node { plan, step, lives: lives.into() });
        debug_assert_eq!(self.nodes.len(), row + 1);
        let all = &self.nodes;
        self.node_ids.insert_unique(hash, number(row), |&id| {
            let node = &all[id as usize];
            FxBuildHasher.hash_one((node.plan, node.step, &node.lives[..]))
        });
        self.comb.number(row)
    }

    /// Where it goes on after a plan.
    fn place_late(&mut self, rules: &Rules, lives: Vec<Live>) -> u32 {
        let asked = |live: &Live| {
            bits(live.open).map(|bit| rules.items[live.item as usize].parts[bit].ask).collect::<Vec<_>>()
        };
        let Some(ask) = lives.iter().flat_map(asked).min() else {
            return self.state(rules, lives.iter().map(|live| live.item).collect());
        };
        let hash = FxBuildHasher.hash_one(&lives[..]);
        if let Some(&id) = self.late_ids.find(hash, |&id| *self.late[id as usize].lives == lives[..]) {
            return id | LATE;
        }
        let id = number(self.late.len());
        self.bytes += 96 + 16 * lives.len();
        self.late.push(Late { ask, table: Vec::new(), lives: lives.into() });
        let all = &self.late;
        self.late_ids.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(&all[id as usize].lives[..]));
        id | LATE
    }

    fn projection(&mut self, wanted: Set) -> u32 {
        let next = number(self.projections.len());
        *self.projection_ids.entry(wanted).or_insert_with_key(|wanted| {
            self.bytes += 128 + 8 * wanted.len();
            self.projections.push(Projection {
                wanted: wanted.clone(),
                members: Vec::new(),
                classes: Classes::default(),
                steps: Vec::new(),
            });
            next
        })
    }

    /// The state in which these items hold.
    fn state(&mut self, rules: &Rules, items: Set) -> u32 {
        let hash = FxBuildHasher.hash_one(&items[..]);
        if let Some(&state) = self.state_ids.find(hash, |&state| self.states[state as usize].items == items) {
            return state;
        }
        let start = self.rules.len();
        self.rules.extend(items.iter().flat_map(|&item| &rules.items[item as usize].rows));
        self.rules[start..].sort_unstable();
        let wanted: Set = items.iter().copied().filter(|&item| rules.items[item as usize].wanted).collect();
        let next = number(self.views.len());
        let view = *self.view_ids.entry(wanted).or_insert_with_key(|wanted| {
            self.bytes += 64 + 8 * wanted.len();
            self.views.push(wanted.clone());
            next
        });
        self.bytes += 64 + 4 * items.len() + 4 * (self.rules.len() - start);
        let first = self.rules.get(start).map(|&row| &rules.rows[row as usize]);
        let first = first.map_or(NO_RULE, |row| if row.tail.is_none() { row.pattern.raw() } else { BY_CODE });
        let state = number(self.states.len());
        self.verdicts.push(Verdict { view, first });
        self.states.push(State { items, rules: (number(start), number(self.rules.len())) });
        let all = &self.states;
        self.state_ids
            .insert_unique(hash, state, |&state| FxBuildHasher.hash_one(&all[state as usize].items[..]));
        state
    }
}

/// The items of `lives` that may hold still, `met` saying of a part whether it is decided, and how.
fn after(rules: &Rules, lives: &[Live], met: impl Fn(u32, u32) -> Option<bool>) -> Vec<Live> {
    let mut left = Vec::with_capacity(lives.len());
    'lives: for &live in lives {
        let mut open = live.open;
        for bit in bits(live.open) {
            let part = rules.items[live.item as usize].parts[bit];
            match met(part.ask, part.wanted) {
                Some(false) => continue 'lives,
                Some(true) => open &= !(1 << bit),
                None => {}
            }
        }
        left.push(Live { item: live.item, open });
    }
    left
}

/// Whether a way that ends at an address ends at a state.
#[inline]
pub(super) fn is_state(at: u32) -> bool {
    (1..LATE).contains(&at)
}

fn open_parts(parts: usize) -> u64 {
    match parts {
        0 => 0,
        parts => u64::MAX >> (64 - parts.min(64)),
    }
}

fn counts(operands: u32, results: u32) -> u64 {
    u64::from(operands) << 32 | u64::from(results)
}

#[inline]
pub(super) fn number(len: usize) -> u32 {
    u32::try_from(len).expect("the cap on memory is far below 4 Gi entries")
}

fn byte(entry: usize) -> u8 {
    u8::try_from(entry).expect("a plan has at most 256 tuples")
}
