//! States and transitions, made when they are first met.
//!
//! All operations of one name with so many operands and results go the same way, a [`Plan`]: a step for
//! each operand that some item asks about, then one for all that is read off the operation itself. A
//! node is where a step stands: the items that may still hold, with what each of them still requires.
//! Its row says where each answer leads. A way ends at a state, the set of items that hold; or, where
//! questions are open that cost more, at a late node, which asks the first of them.
//!
//! What a plan wants to know of an operand's state is which of a few items hold there: states that agree
//! on these are one class to it (*representer states*), so a row is short, however many states there are.
//!
//! PERF: a step is two loads, the class of the answer and the entry of the row, without a branch that
//! depends on the operation. What is not known yet is 0 everywhere, and 0 leads to 0.

use std::hash::BuildHasher;

use hashbrown::{HashMap, HashTable};
use rustc_hash::FxBuildHasher;

use crate::matcher_tree::{Positions, Side, bits};

use super::labels::STATES;
use super::rules::{Ask, Rules};

/// An item that may hold, and which of its parts are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Live {
    item: u32,
    open: u64,
}

/// A step by the state of what defines an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperandStep {
    pub(super) operand: u32,
    ask: u32,
    projection: u32,
}

/// Something that is read off the operation itself, and which answers are told apart.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) what: Ask,
    ask: u32,
    /// What each answer that is wanted adds to the number of the tuple; 0 for what is not.
    adds: Box<[u32]>,
    stride: u32,
    /// The answers that are wanted, ascending.
    answers: Box<[u32]>,
}

impl Told {
    /// What an answer adds to the number of the tuple of all answers.
    #[inline]
    pub(super) fn add(&self, answer: u32) -> u32 {
        self.adds.get(answer as usize).copied().unwrap_or(0)
    }

    /// The answer in a tuple; `None` for one that nobody wants.
    fn answer(&self, tuple: u32) -> Option<u32> {
        let index = (tuple / self.stride) as usize % (self.answers.len() + 1);
        self.answers.get(index.wrapping_sub(1)).copied()
    }
}

/// The way of the operations of one name and these counts.
#[derive(Debug, Default)]
pub(super) struct Plan {
    counts: u64,
    /// The plan for the same name that was met before this one; 0 if none was.
    other: u32,
    first: u32,
    pub(super) operands: Box<[OperandStep]>,
    /// Types first.
    pub(super) own: Box<[Told]>,
    pub(super) types: u32,
}

impl Plan {
    fn steps(&self) -> usize {
        self.operands.len() + usize::from(!self.own.is_empty())
    }

    /// Where the way begins.
    #[inline]
    pub(super) fn first(&self) -> u32 {
        self.first
    }
}

/// Where a way leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    State(u32),
    Late(u32),
}

/// Where it is written where a way goes on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    First,
    Entry(usize),
}

/// Where a step stands.
#[derive(Debug)]
struct Node {
    plan: u32,
    step: u32,
    /// Its row as it is now; where it was before is left as it was.
    row: u32,
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
}

/// The set of items that hold.
#[derive(Debug)]
struct State {
    /// Ascending.
    items: Set,
    /// The items that others want, as a set; equal numbers mean that no operation above sees a difference.
    seen: u32,
}

type Set = Box<[u32]>;

/// All that has been made.
#[derive(Debug)]
pub(super) struct Tables {
    /// The plan of each name that was met last; 0 if none was.
    starts: Vec<u32>,
    /// The first is that of no name.
    plans: Vec<Plan>,
    /// The rows: how many entries, the node, the entries. An entry is where the way goes on: another row,
    /// or after the last step a state and one, or a late node with [`LATE`].
    rows: Vec<u32>,
    /// The rules whose items hold in a state, in order, as a range of `rules`.
    matching: Vec<(u32, u32)>,
    rules: Vec<u32>,
    projections: Vec<Projection>,
    /// The class of each label, by projection.
    classes: Vec<Vec<u32>>,
    nodes: Vec<Node>,
    late: Vec<Late>,
    states: Vec<State>,
    counted: HashMap<(u32, u64), u32, FxBuildHasher>,
    answered: HashMap<(u32, u32), u32, FxBuildHasher>,
    node_ids: HashTable<u32>,
    late_ids: HashTable<u32>,
    state_ids: HashTable<u32>,
    seen_ids: HashMap<Set, u32, FxBuildHasher>,
    projection_ids: HashMap<Set, u32, FxBuildHasher>,
    class_ids: HashMap<(u32, Set), u32, FxBuildHasher>,
    /// Roughly.
    bytes: usize,
}

/// In an entry: a late node.
const LATE: u32 = 1 << 31;

/// How many answers a late node compares with before it asks the hash table.
const SHORT: usize = 16;

/// How many tuples of answers a plan may tell apart; what would make them more is asked late.
const MAX_TUPLES: usize = 1 << 8;

/// How many plans of a name are compared with before the hash table is asked.
const NEAR: usize = 4;

/// How many words of rows there may be, so that places in them are below [`LATE`].
const MAX_ROWS: usize = 1 << 30;

impl Tables {
    pub(super) fn new(rules: &Rules) -> Self {
        let mut tables = Self {
            starts: vec![0; rules.names() + 1],
            plans: vec![Plan::default()],
            // A row without entries, so that what is unknown leads to what is unknown.
            rows: vec![0, 0],
            matching: Vec::new(),
            rules: Vec::new(),
            projections: Vec::new(),
            classes: Vec::new(),
            nodes: Vec::new(),
            late: Vec::new(),
            states: Vec::new(),
            counted: HashMap::default(),
            answered: HashMap::default(),
            node_ids: HashTable::new(),
            late_ids: HashTable::new(),
            state_ids: HashTable::new(),
            seen_ids: HashMap::default(),
            projection_ids: HashMap::default(),
            class_ids: HashMap::default(),
            bytes: 0,
        };
        tables.state(rules, Box::default());
        tables
    }

    /// What the tables take, roughly.
    pub(super) fn bytes(&self) -> usize {
        if self.rows.len() > MAX_ROWS { usize::MAX } else { self.bytes }
    }

    /// How many nodes and states there are.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.nodes.len() + self.late.len(), self.states.len())
    }

    /// The rules whose items hold in a state, as a range for [`Self::rule`].
    #[inline]
    pub(super) fn matching(&self, state: u32) -> (u32, u32) {
        self.matching[state as usize]
    }

    #[inline]
    pub(super) fn rule(&self, at: u32) -> u32 {
        self.rules[at as usize]
    }

    /// What operations above can tell of a state.
    pub(super) fn seen(&self, state: u32) -> u32 {
        self.states[state as usize].seen
    }

    /// The plan for a name and counts, if it is among those that were met last.
    #[inline]
    pub(super) fn plan(&self, name: usize, operands: u32, results: u32) -> Option<&Plan> {
        let counts = counts(operands, results);
        let mut plan = self.starts[name];
        for _ in 0..NEAR {
            let found = &self.plans[plan as usize];
            if found.counts == counts && plan != 0 {
                return Some(found);
            }
            plan = found.other;
        }
        None
    }

    /// A plan by its number.
    pub(super) fn numbered(&self, plan: u32) -> &Plan {
        &self.plans[plan as usize]
    }

    /// The class of a label at a step; 0 if it is not known.
    #[inline]
    pub(super) fn class(&self, step: OperandStep, label: u32) -> u32 {
        self.classes[step.projection as usize].get(label as usize).copied().unwrap_or(0)
    }

    /// Where a row leads by a class; 0 if it is not known.
    #[inline]
    pub(super) fn next(&self, row: u32, class: u32) -> u32 {
        let row = row as usize;
        if class.wrapping_sub(1) < self.rows[row] { self.rows[row + 1 + class as usize] } else { 0 }
    }

    /// What the end of a way is, that is known.
    #[inline]
    pub(super) fn end(&self, at: u32) -> End {
        if at & LATE == 0 { End::State(at - 1) } else { End::Late(at - LATE) }
    }

    /// What is written at a slot.
    pub(super) fn at(&self, plan: u32, slot: Slot) -> u32 {
        match slot {
            Slot::First => self.plans[plan as usize].first,
            Slot::Entry(at) => self.rows[at],
        }
    }

    /// The number of the plan for a name and counts, made if there is none.
    pub(super) fn make_plan(
        &mut self,
        rules: &Rules,
        positions: &Positions,
        name: usize,
        operands: u32,
        results: u32,
    ) -> u32 {
        let key = (number_of(name), counts(operands, results));
        match self.counted.get(&key) {
            Some(&plan) => plan,
            None => {
                let items = rules.start(positions, name, operands, results);
                let plan = self.new_plan(rules, items, operands, results);
                self.plans[plan as usize].other = std::mem::replace(&mut self.starts[name], plan);
                self.counted.insert(key, plan);
                plan
            }
        }
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
        let (mut steps, mut own, mut tuples) = (Vec::new(), Vec::new(), 1usize);
        for asked in wanted.chunk_by(|a, b| a.0 == b.0) {
            let ask = asked[0].0;
            let answers = asked.iter().map(|a| a.1);
            match rules.asks[ask as usize] {
                Ask::Operand(operand) => {
                    let projection = self.projection(answers.collect());
                    steps.push(OperandStep { operand, ask, projection });
                }
                Ask::SameOperands(a, b) if a.max(b) >= operands => {}
                what @ (Ask::Attr(_) | Ask::TypeOf(..) | Ask::SameOperands(..))
                    if tuples * (answers.len() + 1) <= MAX_TUPLES =>
                {
                    let stride = number_of(tuples);
                    let mut adds = Vec::new();
                    for (index, answer) in (1u32..).zip(answers.clone()) {
                        adds.resize(answer as usize, 0);
                        adds.push(index * stride);
                    }
                    tuples *= answers.len() + 1;
                    self.bytes += 64 + 4 * (adds.len() + answers.len());
                    own.push(Told { what, ask, adds: adds.into(), stride, answers: answers.collect() });
                }
                _ => {}
            }
        }
        let plan = number_of(self.plans.len());
        self.bytes += 128 + 12 * steps.len();
        let counts = counts(operands, results);
        own.sort_by_key(|told: &Told| !matches!(told.what, Ask::TypeOf(..)));
        let types = own.iter().filter(|told| matches!(told.what, Ask::TypeOf(..))).count();
        let (operands, own, types) = (steps.into(), own.into(), number_of(types));
        self.plans.push(Plan { counts, other: 0, first: 0, operands, own, types });
        self.plans[plan as usize].first = self.place(rules, plan, 0, lives);
        plan
    }

    /// Goes one step on, from what is written at a slot, by a label or a tuple of answers; makes what is
    /// not there. The slot where it is written how it goes on.
    pub(super) fn go(&mut self, rules: &Rules, plan: u32, step: usize, slot: Slot, answer: u32) -> Slot {
        let mut row = self.at(plan, slot) as usize;
        let node = self.rows[row + 1] as usize;
        let class = self.make_class(plan, step, answer);
        if class > self.rows[self.nodes[node].row as usize] {
            self.lengthen(node, class);
        }
        if row != self.nodes[node].row as usize {
            row = self.nodes[node].row as usize;
            match slot {
                Slot::First => self.plans[plan as usize].first = self.nodes[node].row,
                Slot::Entry(at) => self.rows[at] = self.nodes[node].row,
            }
        }
        let entry = row + 1 + class as usize;
        if self.rows[entry] == 0 {
            let lives = self.after_step(rules, node, class);
            self.rows[entry] = self.place(rules, plan, step + 1, lives);
        }
        Slot::Entry(entry)
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

    /// The items that may still hold after a node's step by a class.
    fn after_step(&self, rules: &Rules, node: usize, class: u32) -> Vec<Live> {
        let Node { plan, step, lives, .. } = &self.nodes[node];
        let plan = &self.plans[*plan as usize];
        match plan.operands.get(*step as usize) {
            Some(step) => {
                let holding = &self.projections[step.projection as usize].members[class as usize - 1];
                after(rules, lives, |asked, wanted| {
                    (asked == step.ask).then(|| holding.binary_search(&wanted).is_ok())
                })
            }
            None => {
                let tuple = class - 1;
                after(rules, lives, |asked, wanted| {
                    let told = plan.own.iter().find(|told| told.ask == asked)?;
                    Some(told.answer(tuple) == Some(wanted))
                })
            }
        }
    }

    /// The class of a label or tuple of answers at a step of a plan.
    fn make_class(&mut self, plan: u32, step: usize, answer: u32) -> u32 {
        let plan = &self.plans[plan as usize];
        let at = answer as usize;
        let Some(step) = plan.operands.get(step) else { return answer + 1 };
        let projection = step.projection;
        let known = &mut self.projections[projection as usize];
        let classes = &mut self.classes[projection as usize];
        if classes.len() <= at {
            self.bytes += (at + 1 - classes.len()) * 4;
            classes.resize(at + 1, 0);
        }
        if classes[at] != 0 {
            return classes[at];
        }
        let items = &self.states[(answer - STATES) as usize].items;
        let holding: Set = known.wanted.iter().copied().filter(|i| items.binary_search(i).is_ok()).collect();
        let next = number_of(known.members.len() + 1);
        let class = *self.class_ids.entry((projection, holding)).or_insert_with_key(|(_, holding)| {
            self.bytes += 64 + 8 * holding.len();
            known.members.push(holding.clone());
            next
        });
        classes[at] = class;
        class
    }

    /// Gives a node a longer row, that has an entry for a class.
    fn lengthen(&mut self, node: usize, class: u32) {
        let old = self.nodes[node].row as usize;
        let length = self.rows[old];
        let longer = class.max(length.saturating_add(length / 2)).next_multiple_of(2);
        let new = self.rows.len();
        self.rows.extend([longer, number_of(node)]);
        self.rows.extend_from_within(old + 2..old + 2 + length as usize);
        self.rows.resize(new + 2 + longer as usize, 0);
        self.bytes += 4 * (self.rows.len() - new);
        self.nodes[node].row = number_of(new);
    }

    /// Where the way of a plan goes on before a step.
    fn place(&mut self, rules: &Rules, plan: u32, step: usize, lives: Vec<Live>) -> u32 {
        if step == self.plans[plan as usize].steps() {
            return self.place_late(rules, lives);
        }
        let step = number_of(step);
        let hash = FxBuildHasher.hash_one((plan, step, &lives[..]));
        let same = |&id: &u32| {
            let node = &self.nodes[id as usize];
            node.plan == plan && node.step == step && *node.lives == lives[..]
        };
        if let Some(&id) = self.node_ids.find(hash, same) {
            return self.nodes[id as usize].row;
        }
        let (id, row) = (number_of(self.nodes.len()), number_of(self.rows.len()));
        self.rows.extend([0, id]);
        self.bytes += 72 + 16 * lives.len();
        self.nodes.push(Node { plan, step, row, lives: lives.into() });
        let all = &self.nodes;
        self.node_ids.insert_unique(hash, id, |&id| {
            let node = &all[id as usize];
            FxBuildHasher.hash_one((node.plan, node.step, &node.lives[..]))
        });
        row
    }

    /// Where it goes on after a plan.
    fn place_late(&mut self, rules: &Rules, lives: Vec<Live>) -> u32 {
        let asked = |live: &Live| {
            bits(live.open).map(|bit| rules.items[live.item as usize].parts[bit].ask).collect::<Vec<_>>()
        };
        let Some(ask) = lives.iter().flat_map(asked).min() else {
            return self.state(rules, lives.iter().map(|live| live.item).collect()) + 1;
        };
        let hash = FxBuildHasher.hash_one(&lives[..]);
        if let Some(&id) = self.late_ids.find(hash, |&id| *self.late[id as usize].lives == lives[..]) {
            return id | LATE;
        }
        let id = number_of(self.late.len());
        self.bytes += 96 + 16 * lives.len();
        self.late.push(Late { ask, table: Vec::new(), lives: lives.into() });
        let all = &self.late;
        self.late_ids.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(&all[id as usize].lives[..]));
        id | LATE
    }

    fn projection(&mut self, wanted: Set) -> u32 {
        let next = number_of(self.projections.len());
        *self.projection_ids.entry(wanted).or_insert_with_key(|wanted| {
            self.bytes += 128 + 8 * wanted.len();
            self.projections.push(Projection { wanted: wanted.clone(), members: Vec::new() });
            self.classes.push(Vec::new());
            next
        })
    }

    fn state(&mut self, rules: &Rules, items: Set) -> u32 {
        let hash = FxBuildHasher.hash_one(&items[..]);
        if let Some(&id) = self.state_ids.find(hash, |&id| self.states[id as usize].items == items) {
            return id;
        }
        let start = self.rules.len();
        self.rules.extend(items.iter().flat_map(|&item| &rules.items[item as usize].rows));
        self.rules[start..].sort_unstable();
        let seen: Set = items.iter().copied().filter(|&item| rules.items[item as usize].wanted).collect();
        let next = number_of(self.seen_ids.len());
        let seen = *self.seen_ids.entry(seen).or_insert(next);
        let id = number_of(self.states.len());
        self.bytes += 128 + 8 * items.len() + 4 * (self.rules.len() - start);
        self.matching.push((number_of(start), number_of(self.rules.len())));
        self.states.push(State { items, seen });
        let all = &self.states;
        self.state_ids.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(&all[id as usize].items[..]));
        id
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

fn open_parts(parts: usize) -> u64 {
    match parts {
        0 => 0,
        parts => u64::MAX >> (64 - parts.min(64)),
    }
}

fn counts(operands: u32, results: u32) -> u64 {
    u64::from(operands) << 32 | u64::from(results)
}

fn number_of(len: usize) -> u32 {
    u32::try_from(len).expect("the cap on memory is far below 4 Gi entries")
}
