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
//! it (*representer states*), so a row is short, however many states there are. In the same way a node's
//! last row has an entry only for what its own items tell apart of what is read off the operation.
//!
//! PERF: a step is two loads, the class of the answer and the entry of the row, without a branch that
//! depends on the operation. What is not known yet is 0 everywhere, and 0 leads to 0. All that is read for
//! each operation is in two vectors, so that where they are stays in registers: words, in which plans, rows
//! and verdicts refer to each other by address, and halves, in which answers become classes.

use std::hash::BuildHasher;

use hashbrown::{HashMap, HashTable};
use rustc_hash::FxBuildHasher;

use crate::host::AttrNameId;
use crate::matcher_tree::{Positions, Side, bits};

use super::labels::{Known, NOTHING};
use super::rules::{Ask, Rules};

/// An item that may hold, and which of its parts are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Live {
    item: u32,
    open: u64,
}

/// A step by what is seen of the operation that defines an operand; the operand's type is read on the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperandStep {
    pub(super) operand: u32,
    /// The class of each view.
    pub(super) classes: Halves,
    pub(super) types: Halves,
}

impl OperandStep {
    #[inline]
    pub(super) fn of([operand, classes, views, types, len]: [u32; STEP]) -> Self {
        let (classes, types) = (Halves { at: classes, len: views }, Halves { at: types, len });
        Self { operand, classes, types }
    }
}

/// Something that is read off the operation itself, and what it adds to the number of the tuple.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnStep {
    pub(super) what: Own,
    pub(super) adds: Halves,
}

/// What is read off an operation itself, besides the types that are read on the way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Own {
    Attr(AttrNameId),
    /// Whether two operands are the same value.
    Same(u32, u32),
    OperandType(u32),
    ResultType(u32),
}

impl OwnStep {
    #[inline]
    pub(super) fn of([kind, a, b, at, len]: [u32; STEP]) -> Self {
        let what = match kind {
            0 => Own::Attr(AttrNameId::from_raw(a)),
            1 => Own::Same(a, b),
            2 => Own::OperandType(a),
            _ => Own::ResultType(a),
        };
        Self { what, adds: Halves { at, len } }
    }

    fn words(self) -> [u32; STEP] {
        let (kind, a, b) = match self.what {
            Own::Attr(name) => (0, name.raw(), 0),
            Own::Same(a, b) => (1, a, b),
            Own::OperandType(index) => (2, index, 0),
            Own::ResultType(index) => (3, index, 0),
        };
        [kind, a, b, self.adds.at, self.adds.len]
    }
}

/// A number for each answer, 0 for all that are not among them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Halves {
    at: u32,
    len: u32,
}

impl Halves {
    /// Whether nobody wants to know.
    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.len == 0
    }
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

/// The way of the operations of one name and counts, as it is read for each of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan<'t> {
    words: &'t [u32; PLAN],
    /// What stands after it: the steps by operands, then those by what is read off the operation itself.
    rest: &'t [u32],
}

impl<'t> Plan<'t> {
    /// Where the way begins.
    #[inline]
    pub(super) fn first(self) -> u32 {
        self.words[FIRST]
    }

    /// The steps by operands.
    #[inline]
    pub(super) fn operands(self) -> &'t [[u32; STEP]] {
        self.rest[..self.words[OPERAND_STEPS] as usize * STEP].as_chunks().0
    }

    /// The steps by what is read off the operation itself; `None` if nothing is, not even on the way.
    #[inline]
    pub(super) fn own(self) -> Option<&'t [[u32; STEP]]> {
        if self.words[OWN] == 0 {
            return None;
        }
        let start = self.words[OPERAND_STEPS] as usize * STEP;
        Some(self.rest[start..][..self.words[OWN_STEPS] as usize * STEP].as_chunks().0)
    }
}

/// What a plan is besides.
#[derive(Debug, Default)]
struct PlanData {
    at: u32,
    /// The operand, the question and the projection of each step.
    operands: Box<[(u32, u32, u32)]>,
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
    /// The class of each view; 0 if it is not known or does not fit.
    classes: Halves,
    /// The steps that have it, which say where the classes are.
    steps: Vec<u32>,
}

/// What follows from a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    /// The first rule, [`NO_RULE`] or [`BY_CODE`].
    pub(super) first: u32,
    /// The rules whose items hold, in order, as a range for [`Tables::rule`].
    pub(super) start: u32,
    pub(super) end: u32,
    /// What users see of it. Equal numbers mean that they see no difference.
    view: u32,
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
    /// Plans ([`PLAN`]), rows ([`ROW`]) and verdicts ([`VERDICT`]). In a row an entry is where the way goes
    /// on: another row, or after the last step a verdict, or a late node with [`LATE`].
    words: Vec<u32>,
    /// Classes of views; what answers add to the number of a tuple; which entry of a row each tuple has.
    halves: Vec<u16>,
    /// The rules that states name, one list after the other.
    rules: Vec<u32>,
    /// The first is that of no name.
    plans: Vec<PlanData>,
    projections: Vec<Projection>,
    nodes: Vec<Node>,
    late: Vec<Late>,
    /// The items that hold in each state, ascending, and where its verdict is.
    states: Vec<(Set, u32)>,
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
    map_ids: HashTable<(u32, u32)>,
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

/// How many words a plan has before its steps: the seven that follow.
const PLAN: usize = 7;
/// Where the way begins.
const FIRST: usize = 0;
/// How many operands there are, or [`ANY`] or [`NEVER`].
const OPERANDS: usize = 1;
/// How many results there are.
const RESULTS: usize = 2;
/// The plan for the same name that was met before this one; 0 if none was.
const OTHER: usize = 3;
/// How many steps by operands there are.
const OPERAND_STEPS: usize = 4;
/// How many more steps there are.
const OWN_STEPS: usize = 5;
/// Whether anything is read off the operation itself, be it on the way.
const OWN: usize = 6;

/// How many words a step has. By an operand: which one, where its classes are and how many, what its type
/// adds and for how many. By something of the operation itself: what it is, in three words, what it adds and
/// for how many.
pub(super) const STEP: usize = 5;

/// How many words a row has before its entries: how many there are, or for the last step where the entry of
/// each tuple is written; the node.
const ROW: usize = 2;

/// How many words a verdict has: the view, the first rule, the rules as a range.
const VERDICT: usize = 4;
/// Which of them the first rule is.
const FIRST_RULE: usize = 1;
// Where there is no state, the verdict is read from the plan that is none, and must be left to code.
const _: () = assert!(FIRST_RULE == OPERANDS);

/// In the place of a number of operands: whatever there are, as no rule has anything to say of the name.
const ANY: u32 = u32::MAX;
/// In the place of a number of operands: no operation has so many.
const NEVER: u32 = BY_CODE;

/// Larger answers are asked late, as what an answer adds is looked up by it.
const MAX_ANSWER: u32 = 1 << 16;

/// How many plans of a name are compared with before the hash table is asked.
const NEAR: usize = 4;

/// How many words there may be, so that addresses are below [`LATE`].
const MAX_WORDS: usize = 1 << 30;

impl Tables {
    pub(super) fn new(rules: &Rules) -> Self {
        let mut tables = Self {
            starts: Vec::new(),
            // A plan and a row of each kind, so that what is unknown leads to what is unknown.
            words: vec![0; PLAN],
            halves: vec![0; MAX_TUPLES],
            rules: Vec::new(),
            plans: vec![PlanData::default()],
            projections: Vec::new(),
            nodes: Vec::new(),
            late: Vec::new(),
            states: Vec::new(),
            views: vec![Set::default()],
            heads: vec![0; rules.names() + 1],
            counted: HashMap::default(),
            answered: HashMap::default(),
            node_ids: HashTable::new(),
            late_ids: HashTable::new(),
            state_ids: HashTable::new(),
            view_ids: HashMap::default(),
            map_ids: HashTable::new(),
            projection_ids: HashMap::default(),
            class_ids: HashMap::default(),
            bytes: 0,
        };
        tables.words[OPERANDS] = NEVER;
        let nothing = tables.state(rules, Box::default());
        debug_assert_eq!(tables.verdict(nothing).view, NOTHING);
        tables
    }

    /// What the tables take, roughly.
    pub(super) fn bytes(&self) -> usize {
        if self.words.len().max(self.halves.len()) > MAX_WORDS { usize::MAX } else { self.bytes }
    }

    /// How many nodes and states there are.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.nodes.len() + self.late.len(), self.states.len())
    }

    /// What follows from a state.
    #[inline]
    pub(super) fn verdict(&self, state: u32) -> Verdict {
        let [view, first, start, end] = *self.record::<VERDICT>(state);
        Verdict { first, start, end, view }
    }

    /// A state with what users see of it.
    #[inline]
    pub(super) fn known(&self, state: u32) -> Known {
        Known { state, view: self.verdict(state).view }
    }

    /// The first rule of a state, [`NO_RULE`] or [`BY_CODE`], which it is also for no state.
    #[inline]
    pub(super) fn first_rule(&self, state: u32) -> u32 {
        self.words[state as usize + FIRST_RULE]
    }

    #[inline]
    fn record<const N: usize>(&self, at: u32) -> &[u32; N] {
        let at = at as usize;
        self.words[at..at + N].try_into().expect("the range is as long as the array")
    }

    #[inline]
    pub(super) fn rule(&self, at: u32) -> u32 {
        self.rules[at as usize]
    }

    /// The plan for a name of the host and counts, if it is among those that were met last.
    #[inline(always)]
    pub(super) fn plan(&self, name: usize, operands: u32, results: u32) -> Option<Plan<'_>> {
        let mut at = self.starts.get(name).copied()?;
        // PERF: mostly it is the first.
        for _ in 0..NEAR {
            let plan = self.plan_at(at);
            let words = plan.words;
            if words[OPERANDS] == operands && words[RESULTS] == results || words[OPERANDS] == ANY {
                return Some(plan);
            }
            at = words[OTHER];
        }
        None
    }

    /// The plan at an address.
    #[inline(always)]
    fn plan_at(&self, at: u32) -> Plan<'_> {
        let (words, rest) = self.words[at as usize..].split_first_chunk().expect("plans are whole");
        Plan { words, rest }
    }

    /// A plan by its number.
    pub(super) fn numbered(&self, plan: u32) -> Plan<'_> {
        self.plan_at(self.plans[plan as usize].at)
    }

    /// The number of an answer; 0 if there is none.
    #[inline]
    pub(super) fn half(&self, halves: Halves, answer: u32) -> u32 {
        if answer < halves.len { self.halves[(halves.at + answer) as usize].into() } else { 0 }
    }

    /// Where a row leads by a class; 0 if it is not known.
    #[inline]
    pub(super) fn next(&self, row: u32, class: u32) -> u32 {
        let row = row as usize;
        if class.wrapping_sub(1) < self.words[row] { self.words[row + ROW - 1 + class as usize] } else { 0 }
    }

    /// Where a row leads by what is read off the operation itself; 0 if it is not known.
    #[inline]
    pub(super) fn next_own(&self, row: u32, tuple: u32) -> u32 {
        self.words[self.own_entry(row, tuple)]
    }

    #[inline]
    fn own_entry(&self, row: u32, tuple: u32) -> usize {
        let map = self.words[row as usize];
        row as usize + ROW + usize::from(self.halves[(map + tuple) as usize])
    }

    /// What the end of a way is, that is known.
    #[inline]
    pub(super) fn end(&self, at: u32) -> End {
        if at & LATE == 0 { End::State(at) } else { End::Late(at - LATE) }
    }

    /// What is written at an address.
    pub(super) fn at(&self, slot: u32) -> u32 {
        self.words[slot as usize]
    }

    /// Where it is written where the way of a plan begins.
    pub(super) fn first_slot(&self, plan: u32) -> u32 {
        self.plans[plan as usize].at + number(FIRST)
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
                let at = self.plans[plan as usize].at;
                if is_idle {
                    self.words[at as usize + OPERANDS] = ANY;
                }
                self.words[at as usize + OTHER] = std::mem::replace(&mut self.heads[name], at);
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
                    steps.push((operand, ask, projection));
                }
                Ask::SameOperands(a, b) if a.max(b) >= operands => {}
                what @ (Ask::Attr(_) | Ask::TypeOf(..) | Ask::SameOperands(..))
                    if tuples * (answers.len() + 1) <= MAX_TUPLES
                        && answers.last().is_some_and(|&largest| largest < MAX_ANSWER) =>
                {
                    tuples *= answers.len() + 1;
                    told.push(Told { what, ask, stride: 0, answers });
                }
                _ => {}
            }
        }
        let mut types = vec![Halves::default(); steps.len()];
        let (mut own, mut stride) = (Vec::new(), 1);
        for told in &mut told {
            told.stride = stride;
            stride *= number(told.answers.len() + 1);
            let start = self.halves.len();
            for (index, &answer) in (1..).zip(&told.answers) {
                self.halves.resize(start + answer as usize, 0);
                self.halves.push(half(index * told.stride as usize));
            }
            let adds = Halves { at: number(start), len: number(self.halves.len() - start) };
            self.bytes += 64 + 2 * adds.len as usize + 4 * told.answers.len();
            let what = match told.what {
                Ask::Attr(name) => Own::Attr(name),
                Ask::SameOperands(a, b) => Own::Same(a, b),
                Ask::TypeOf(Side::Results, index) => Own::ResultType(index),
                Ask::TypeOf(Side::Operands, index) => match steps.iter().position(|step| step.0 == index) {
                    Some(step) => {
                        types[step] = adds;
                        continue;
                    }
                    None => Own::OperandType(index),
                },
                _ => continue,
            };
            own.push(OwnStep { what, adds });
        }
        let (plan, at) = (number(self.plans.len()), number(self.words.len()));
        self.bytes += 192 + 32 * steps.len() + 24 * told.len();
        let mut words = [0; PLAN];
        (words[OPERANDS], words[RESULTS]) = (operands, results);
        words[OPERAND_STEPS] = number(steps.len());
        words[OWN_STEPS] = number(own.len());
        words[OWN] = u32::from(!told.is_empty());
        self.words.extend(words);
        for (&(operand, _, projection), types) in steps.iter().zip(types) {
            let projection = &mut self.projections[projection as usize];
            projection.steps.push(number(self.words.len()));
            let Halves { at, len } = projection.classes;
            self.words.extend([operand, at, len, types.at, types.len]);
        }
        self.words.extend(own.into_iter().flat_map(OwnStep::words));
        self.plans.push(PlanData { at, operands: steps.into(), told: told.into() });
        self.words[at as usize + FIRST] = self.place(rules, plan, 0, lives);
        plan
    }

    /// Goes one step on, from what is written at an address, by an operand's view; makes what is not there.
    /// The address where it is written how it goes on.
    pub(super) fn go(&mut self, rules: &Rules, plan: u32, step: usize, slot: u32, view: u32) -> u32 {
        let node = self.words[self.at(slot) as usize + 1] as usize;
        let (_, ask, projection) = self.plans[plan as usize].operands[step];
        let class = self.make_class(projection, view);
        if class > self.words[self.nodes[node].row as usize] {
            self.lengthen(node, class);
        }
        let row = self.nodes[node].row;
        self.words[slot as usize] = row;
        let entry = row as usize + ROW - 1 + class as usize;
        if self.words[entry] == 0 {
            let holding = &self.projections[projection as usize].members[class as usize - 1];
            let lives = after(rules, &self.nodes[node].lives, |asked, wanted| {
                (asked == ask).then(|| holding.binary_search(&wanted).is_ok())
            });
            self.words[entry] = self.place(rules, plan, step + 1, lives);
        }
        number(entry)
    }

    /// As [`Self::go`], by what is read off the operation itself.
    pub(super) fn go_own(&mut self, rules: &Rules, plan: u32, slot: u32, tuple: u32) -> u32 {
        let row = self.at(slot);
        let entry = self.own_entry(row, tuple);
        if self.words[entry] == 0 {
            let all = &self.plans[plan as usize].told;
            let node = &self.nodes[self.words[row as usize + 1] as usize];
            let lives = after(rules, &node.lives, |asked, wanted| {
                let told = all.iter().find(|told| told.ask == asked)?;
                Some(told.answer(tuple) == Some(wanted))
            });
            self.words[entry] = self.place_late(rules, lives);
        }
        number(entry)
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
        let known = &mut self.projections[projection as usize];
        if known.classes.len <= view {
            let Halves { at, len } = known.classes;
            let longer = Halves { at: number(self.halves.len()), len: (view + 1).max(2 * len) };
            self.halves.extend_from_within(at as usize..(at + len) as usize);
            self.halves.resize((longer.at + longer.len) as usize, 0);
            self.bytes += 2 * longer.len as usize;
            known.classes = longer;
            for &step in &known.steps {
                self.words[step as usize + 1..][..2].copy_from_slice(&[longer.at, longer.len]);
            }
        }
        let at = (known.classes.at + view) as usize;
        if self.halves[at] != 0 {
            return self.halves[at].into();
        }
        let items = &self.views[view as usize];
        let holding: Set = known.wanted.iter().copied().filter(|i| items.binary_search(i).is_ok()).collect();
        let next = number(known.members.len() + 1);
        let class = *self.class_ids.entry((projection, holding)).or_insert_with_key(|(_, holding)| {
            self.bytes += 64 + 8 * holding.len();
            known.members.push(holding.clone());
            next
        });
        self.halves[at] = u16::try_from(class).unwrap_or(0);
        class
    }

    /// Gives a node a longer row, that has an entry for a class.
    fn lengthen(&mut self, node: usize, class: u32) {
        let old = self.nodes[node].row as usize;
        let length = self.words[old];
        let longer = class.max(length.saturating_add(length / 2)).next_multiple_of(2);
        let new = self.words.len();
        self.words.extend([longer, number(node)]);
        self.words.extend_from_within(old + ROW..old + ROW + length as usize);
        self.words.resize(new + ROW + longer as usize, 0);
        self.bytes += 4 * (self.words.len() - new);
        self.nodes[node].row = number(new);
    }

    /// Where the way of a plan goes on before a step.
    fn place(&mut self, rules: &Rules, plan: u32, step: usize, lives: Vec<Live>) -> u32 {
        let to = &self.plans[plan as usize];
        let is_last = step == to.operands.len();
        if is_last && to.told.is_empty() {
            return self.place_late(rules, lives);
        }
        let step = number(step);
        let hash = FxBuildHasher.hash_one((plan, step, &lives[..]));
        let same = |&id: &u32| {
            let node = &self.nodes[id as usize];
            node.plan == plan && node.step == step && *node.lives == lives[..]
        };
        if let Some(&id) = self.node_ids.find(hash, same) {
            return self.nodes[id as usize].row;
        }
        let (id, row) = (number(self.nodes.len()), number(self.words.len()));
        let (map, entries) = if is_last { self.map(rules, plan, &lives) } else { (0, 0) };
        self.words.extend([map, id]);
        self.words.resize(self.words.len() + entries, 0);
        self.bytes += 4 * entries;
        self.bytes += 72 + 16 * lives.len();
        self.nodes.push(Node { plan, step, row, lives: lives.into() });
        let all = &self.nodes;
        self.node_ids.insert_unique(hash, id, |&id| {
            let node = &all[id as usize];
            FxBuildHasher.hash_one((node.plan, node.step, &node.lives[..]))
        });
        row
    }

    /// Which entry of a row each tuple of answers has, so that those have one entry that the items which
    /// may hold do not tell apart: where the map is, and how many entries there are.
    fn map(&mut self, rules: &Rules, plan: u32, lives: &[Live]) -> (u32, usize) {
        // The entries of the tuples of the answers so far; each answer more adds a copy of them.
        let mut map = vec![0u16];
        let mut entries = 1;
        for told in &self.plans[plan as usize].told {
            let is_wanted = |answer: u32| {
                lives.iter().any(|live| {
                    let parts = &rules.items[live.item as usize].parts;
                    bits(live.open).any(|bit| parts[bit].ask == told.ask && parts[bit].wanted == answer)
                })
            };
            let before = map.clone();
            let mut added = 0;
            for &answer in &told.answers {
                added += usize::from(is_wanted(answer));
                let by = if is_wanted(answer) { added * entries } else { 0 };
                map.extend(before.iter().map(|&entry| half(usize::from(entry) + by)));
            }
            entries *= added + 1;
        }
        if entries == 1 {
            return (0, 1);
        }
        let hash = FxBuildHasher.hash_one(&map);
        let all = &self.halves;
        let at = |&(at, len): &(u32, u32)| &all[at as usize..][..len as usize];
        if let Some(&(at, _)) = self.map_ids.find(hash, |known| at(known) == map) {
            return (at, entries);
        }
        let new = (number(self.halves.len()), number(map.len()));
        self.bytes += 2 * map.len() + 16;
        self.halves.append(&mut map);
        let all = &self.halves;
        self.map_ids.insert_unique(hash, new, |&(at, len)| {
            FxBuildHasher.hash_one(&all[at as usize..][..len as usize])
        });
        (new.0, entries)
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
                classes: Halves::default(),
                steps: Vec::new(),
            });
            next
        })
    }

    /// Where the verdict of a set of items is.
    fn state(&mut self, rules: &Rules, items: Set) -> u32 {
        let hash = FxBuildHasher.hash_one(&items[..]);
        if let Some(&id) = self.state_ids.find(hash, |&id| self.states[id as usize].0 == items) {
            return self.states[id as usize].1;
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
        let first = first.map_or(NO_RULE, |row| if row.tail == 0 { row.pattern.raw() } else { BY_CODE });
        let (id, at) = (number(self.states.len()), number(self.words.len()));
        self.words.extend([view, first, number(start), number(self.rules.len())]);
        self.states.push((items, at));
        let all = &self.states;
        self.state_ids.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(&all[id as usize].0[..]));
        at
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

#[inline]
fn number(len: usize) -> u32 {
    u32::try_from(len).expect("the cap on memory is far below 4 Gi entries")
}

fn half(entry: usize) -> u16 {
    u16::try_from(entry).expect("a plan has at most 256 tuples")
}
