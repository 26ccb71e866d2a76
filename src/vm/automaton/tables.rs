//! States and transitions, made when they are first met.
//!
//! A node is a set of items that may still hold at an operation, with what each of them still
//! requires. It asks the first question that is open, and where an answer leads is remembered. A node
//! that has nothing to ask is a state: the set of items that hold. What a node wants to know of an
//! operand's state is which of a few items hold there: states that agree on these are one class to it
//! (*representer states*), so a node has few ways on, however many states there are.

use std::hash::BuildHasher;

use hashbrown::{HashMap, HashTable};
use rustc_hash::FxBuildHasher;

use crate::matcher_tree::{Positions, bits};

use super::rules::{Ask, Rules};

/// The state of what has no operation: nothing holds.
pub(super) const NOTHING: u32 = 0;

/// An item that may hold, and which of its parts are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Live {
    item: u32,
    open: u64,
}

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// This is the state.
    State(u32),
    /// Goes on by the state of what defines an operand.
    Operand(u32),
    /// Goes on by the answer to [`Rules::asks`].
    Ask(u32),
}

/// A node; what is needed to go on from it.
#[derive(Debug)]
struct Node {
    kind: Kind,
    /// What it asks, of [`Rules::asks`].
    ask: u32,
    /// For a node that goes on by an operand.
    projection: u32,
    /// By class: the next node and one; or answers and next nodes in turn.
    table: Vec<u32>,
}

/// What some node wants to know of a state.
#[derive(Debug)]
struct Projection {
    /// The items, ascending.
    wanted: Box<[u32]>,
    /// The class of each state, and one.
    classes: Vec<u32>,
    /// Which of the items hold in each class.
    members: Vec<Box<[u32]>>,
}

/// The set of items that hold.
#[derive(Debug)]
struct State {
    /// Ascending.
    items: Box<[u32]>,
    /// The items that others want, as a set; equal numbers mean that no operation above sees a difference.
    seen: u32,
    /// The rules whose items hold, in order.
    rows: (u32, u32),
}

/// Where the first question leads: how many operands and results, and the node.
#[derive(Clone, Copy, Debug)]
struct Start {
    counts: u64,
    next: u32,
}

type Set = Box<[u32]>;

/// All that has been made.
#[derive(Debug)]
pub(super) struct Tables {
    starts: Vec<Start>,
    nodes: Vec<Node>,
    states: Vec<State>,
    rows: Vec<u32>,
    projections: Vec<Projection>,
    lives: Vec<Box<[Live]>>,
    counted: HashMap<(u32, u64), u32, FxBuildHasher>,
    answered: HashMap<(u32, u32), u32, FxBuildHasher>,
    node_ids: HashTable<u32>,
    state_ids: HashTable<u32>,
    seen_ids: HashMap<Set, u32, FxBuildHasher>,
    projection_ids: HashMap<Set, u32, FxBuildHasher>,
    class_ids: HashMap<(u32, Set), u32, FxBuildHasher>,
    /// Roughly.
    bytes: usize,
}

/// How many answers a node compares with before it asks the hash table.
const SHORT: usize = 16;

impl Tables {
    pub(super) fn new(rules: &Rules) -> Self {
        let mut tables = Self {
            starts: vec![Start { counts: u64::MAX, next: 0 }; rules.names() + 1],
            nodes: Vec::new(),
            states: Vec::new(),
            rows: Vec::new(),
            projections: Vec::new(),
            lives: Vec::new(),
            counted: HashMap::default(),
            answered: HashMap::default(),
            node_ids: HashTable::new(),
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
        self.bytes
    }

    /// How many nodes and states there are.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.nodes.len(), self.states.len())
    }

    #[inline]
    pub(super) fn kind(&self, node: u32) -> Kind {
        self.nodes[node as usize].kind
    }

    /// The rules whose items hold in a state, as a range for [`Self::row`].
    #[inline]
    pub(super) fn rows(&self, state: u32) -> (u32, u32) {
        self.states[state as usize].rows
    }

    #[inline]
    pub(super) fn row(&self, at: u32) -> u32 {
        self.rows[at as usize]
    }

    /// What operations above can tell of a state.
    pub(super) fn seen(&self, state: u32) -> u32 {
        self.states[state as usize].seen
    }

    /// The node for an operation of the name whose start this is.
    #[inline]
    pub(super) fn start(
        &mut self,
        rules: &Rules,
        positions: &Positions,
        name: usize,
        operands: u32,
        results: u32,
    ) -> u32 {
        let counts = u64::from(operands) << 32 | u64::from(results);
        let start = self.starts[name];
        if start.counts == counts && start.next != 0 {
            return start.next - 1;
        }
        self.make_start(rules, positions, name, operands, results)
    }

    #[cold]
    fn make_start(
        &mut self,
        rules: &Rules,
        positions: &Positions,
        name: usize,
        operands: u32,
        results: u32,
    ) -> u32 {
        let counts = u64::from(operands) << 32 | u64::from(results);
        let key = (u32::try_from(name).unwrap_or(u32::MAX), counts);
        let next = match self.counted.get(&key) {
            Some(&next) => next,
            None => {
                let items = rules.start(positions, name, operands, results).into_iter();
                let lives = items.map(|item| Live { item, open: open_parts(rules, item) }).collect();
                let next = self.node(rules, lives);
                self.counted.insert(key, next);
                self.bytes += 32;
                next
            }
        };
        self.starts[name] = Start { counts, next: next + 1 };
        next
    }

    /// The node after one that goes on by an operand, whose defining operation is in a state.
    #[inline]
    pub(super) fn by_state(&mut self, rules: &Rules, node: u32, state: u32) -> u32 {
        let from = &self.nodes[node as usize];
        let class = self.projections[from.projection as usize].classes.get(state as usize);
        // No class yet is 0, which wraps to what no table has.
        if let Some(&class) = class
            && let Some(&next) = from.table.get((class as usize).wrapping_sub(1))
            && next != 0
        {
            return next - 1;
        }
        self.make_by_state(rules, node, state)
    }

    #[cold]
    fn make_by_state(&mut self, rules: &Rules, node: u32, state: u32) -> u32 {
        let projection = self.nodes[node as usize].projection;
        let class = self.class(projection, state);
        let holding = std::mem::take(&mut self.projections[projection as usize].members[class]);
        let next = self.after(rules, node, |wanted| holding.binary_search(&wanted).is_ok());
        self.projections[projection as usize].members[class] = holding;
        let table = &mut self.nodes[node as usize].table;
        if table.len() <= class {
            self.bytes += (class + 1 - table.len()) * 4;
            table.resize(class + 1, 0);
        }
        table[class] = next + 1;
        next
    }

    /// The node after one that goes on by an answer, if that was met before.
    #[inline]
    pub(super) fn by_answer(&mut self, rules: &Rules, node: u32, answer: u32) -> u32 {
        let (pairs, _) = self.nodes[node as usize].table.as_chunks::<2>();
        if let Some(pair) = pairs.iter().find(|pair| pair[0] == answer) {
            return pair[1];
        }
        self.make_by_answer(rules, node, answer)
    }

    #[cold]
    fn make_by_answer(&mut self, rules: &Rules, node: u32, answer: u32) -> u32 {
        if let Some(&next) = self.answered.get(&(node, answer)) {
            return next;
        }
        let next = self.after(rules, node, |wanted| wanted == answer);
        let table = &mut self.nodes[node as usize].table;
        if table.len() < 2 * SHORT {
            table.extend([answer, next]);
            self.bytes += 8;
        } else {
            self.answered.insert((node, answer), next);
            self.bytes += 24;
        }
        next
    }

    /// The node after what one asks; `met` says which wanted answers were given.
    fn after(&mut self, rules: &Rules, node: u32, met: impl Fn(u32) -> bool) -> u32 {
        let ask = self.nodes[node as usize].ask;
        let mut lives = Vec::with_capacity(self.lives[node as usize].len());
        'lives: for &live in &self.lives[node as usize] {
            let mut open = live.open;
            for bit in bits(live.open) {
                let part = rules.items[live.item as usize].parts[bit];
                if part.ask != ask {
                    continue;
                }
                if !met(part.wanted) {
                    continue 'lives;
                }
                open &= !(1 << bit);
            }
            lives.push(Live { item: live.item, open });
        }
        self.node(rules, lives)
    }

    /// The class of a state to a projection.
    fn class(&mut self, projection: u32, state: u32) -> usize {
        let known = &mut self.projections[projection as usize];
        let at = state as usize;
        if known.classes.len() <= at {
            self.bytes += (at + 1 - known.classes.len()) * 4;
            known.classes.resize(at + 1, 0);
        }
        if let Some(class) = (known.classes[at] as usize).checked_sub(1) {
            return class;
        }
        let items = &self.states[at].items;
        let holding: Set = known.wanted.iter().copied().filter(|i| items.binary_search(i).is_ok()).collect();
        let next = known.members.len();
        let class = *self.class_ids.entry((projection, holding)).or_insert_with_key(|(_, holding)| {
            self.bytes += 64 + 8 * holding.len();
            known.members.push(holding.clone());
            number(next)
        });
        known.classes[at] = class + 1;
        class as usize
    }

    fn node(&mut self, rules: &Rules, lives: Vec<Live>) -> u32 {
        let hash = FxBuildHasher.hash_one(&lives[..]);
        if let Some(&id) = self.node_ids.find(hash, |&id| *self.lives[id as usize] == lives[..]) {
            return id;
        }
        let first = lives
            .iter()
            .flat_map(|live| bits(live.open).map(|bit| rules.items[live.item as usize].parts[bit].ask))
            .min();
        let mut projection = 0;
        let kind = match first {
            None => Kind::State(self.state(rules, lives.iter().map(|live| live.item).collect())),
            Some(ask) => match rules.asks[ask as usize] {
                Ask::Operand(operand) => {
                    let mut wanted = Vec::new();
                    for live in &lives {
                        let parts = &rules.items[live.item as usize].parts;
                        wanted.extend(
                            bits(live.open).map(|b| parts[b]).filter(|p| p.ask == ask).map(|p| p.wanted),
                        );
                    }
                    wanted.sort_unstable();
                    wanted.dedup();
                    projection = self.projection(wanted.into());
                    Kind::Operand(operand)
                }
                _ => Kind::Ask(ask),
            },
        };
        let id = number(self.nodes.len());
        self.bytes += 96 + 16 * lives.len();
        self.nodes.push(Node { kind, ask: first.unwrap_or(0), projection, table: Vec::new() });
        self.lives.push(lives.into());
        let all = &self.lives;
        self.node_ids.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(&all[id as usize][..]));
        id
    }

    fn projection(&mut self, wanted: Set) -> u32 {
        let next = number(self.projections.len());
        *self.projection_ids.entry(wanted).or_insert_with_key(|wanted| {
            self.bytes += 128 + 8 * wanted.len();
            self.projections.push(Projection {
                wanted: wanted.clone(),
                classes: Vec::new(),
                members: Vec::new(),
            });
            next
        })
    }

    fn state(&mut self, rules: &Rules, items: Set) -> u32 {
        let hash = FxBuildHasher.hash_one(&items[..]);
        if let Some(&id) = self.state_ids.find(hash, |&id| self.states[id as usize].items == items) {
            return id;
        }
        let start = self.rows.len();
        self.rows.extend(items.iter().flat_map(|&item| &rules.items[item as usize].rows));
        self.rows[start..].sort_unstable();
        let seen: Set = items.iter().copied().filter(|&item| rules.items[item as usize].wanted).collect();
        let next = number(self.seen_ids.len());
        let seen = *self.seen_ids.entry(seen).or_insert(next);
        let id = number(self.states.len());
        self.bytes += 128 + 8 * items.len() + 4 * (self.rows.len() - start);
        let rows = (number(start), number(self.rows.len()));
        self.states.push(State { items, seen, rows });
        let all = &self.states;
        self.state_ids.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(&all[id as usize].items[..]));
        id
    }
}

fn open_parts(rules: &Rules, item: u32) -> u64 {
    match rules.items[item as usize].parts.len() {
        0 => 0,
        parts => u64::MAX >> (64 - parts.min(64)),
    }
}

fn number(len: usize) -> u32 {
    u32::try_from(len).expect("the cap on memory is far below 4 Gi entries")
}
