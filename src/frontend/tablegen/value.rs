//! Values. They are hash-consed: a value is a `u32`, and equal values have equal ids.
//!
//! A value is concrete or open. A concrete value consists of literals, lists, dags and records. An open value also
//! mentions names that are not bound yet, and [`resolve`](super::resolve) rewrites the value when names become bound. A
//! concrete value is neither copied nor walked when the class that contains it is instantiated.
//!
//! Invariants: the children of a node have smaller ids than the node, so values are acyclic. The parser and the
//! evaluator bound the depth, and each node stores its depth.

use std::hash::{BuildHasher, BuildHasherDefault, Hash};

use hashbrown::{HashMap, HashTable};
use rustc_hash::{FxBuildHasher, FxHasher};
use smallvec::SmallVec;

use super::bang::Op;
use super::ids::{OptName, OriginId, RecordId, SeqId, TypeId, ValueId};
use crate::id::{Id, IdVec};
use crate::intern::StrId;
use crate::source::Span;

/// The structure of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Unset,
    Bit(bool),
    Int(i64),
    /// A string. The flag is true if it was written as code, which affects printing only.
    Str(StrId, bool),
    /// Bits, least significant first.
    Bits(SeqId),
    /// The elements and the element type.
    List(SeqId, TypeId),
    Def(RecordId),
    /// A dag. `args` alternates values and names.
    Dag {
        op: ValueId,
        name: OptName,
        args: SeqId,
        origin: OriginId,
    },
    /// An unbound name: a field, a template argument or a loop variable.
    Var(StrId, TypeId),
    /// A bit of an open value.
    VarBit(ValueId, u32),
    /// A field of an open record.
    Field(ValueId, StrId, TypeId),
    /// An operator that cannot be computed yet.
    Call {
        op: Op,
        ty: TypeId,
        args: SeqId,
    },
    /// `Class<args>` with arguments that are not all known. `args` alternates names and values.
    Instance(RecordId, SeqId),
    /// The name of an anonymous record, which the last resolution replaces by `anonymous_` and the number. If a record
    /// has this name already, the anonymous record gets a new number.
    Anonymous(u32),
}

/// The flags of a value, which are computed when it is interned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueFlags(u8);

impl ValueFlags {
    const OPEN: u8 = 1;
    const INCOMPLETE: u8 = 2;
    const ABSTRACT: u8 = 4;
    const PLACED: u8 = 8;

    /// True if some part may still be rewritten.
    pub(super) fn open(self) -> bool {
        self.0 & Self::OPEN != 0
    }
    /// True if no part is unset. Like `llvm-tblgen`, this looks into lists and bits but not into dags.
    pub(super) fn complete(self) -> bool {
        self.0 & Self::INCOMPLETE == 0
    }
    /// True if some dag in the value has an origin.
    fn placed(self) -> bool {
        self.0 & Self::PLACED != 0
    }
    /// True if a field of a fully resolved record may hold the value.
    pub(super) fn concrete(self) -> bool {
        self.0 & Self::ABSTRACT == 0
    }
}

/// The bit of a name in the masks of [`Values::names`].
pub(super) fn name_bit(name: StrId) -> u64 {
    // Multiplying spreads adjacent ids, such as those of the arguments of a class.
    1 << (name.raw().wrapping_mul(0x9e37_79b1) >> 26).min(62)
}

/// The bit of values that a resolution may change even if it binds none of their names.
pub(super) const ALWAYS_BIT: u64 = 1 << 63;

/// The maximum depth of nested values.
pub(super) const DEPTH_LIMIT: u16 = 5000;

/// The ids of the non-negative integers below this number are in a table.
const SMALL_INTS: usize = 1024;

/// The places of a dag and its arguments in the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    pub(super) span: Span,
    pub(super) args: Box<[Span]>,
}

/// The computed properties of a node. They are stored together because they are read together.
#[derive(Clone, Copy, Debug)]
struct NodeInfo {
    names: u64,
    depth: u16,
    flags: ValueFlags,
}

/// An entry of a hash table. It stores 32 bits of the hash, so that a lookup rarely reads a value or sequence that
/// differs from the wanted one.
#[derive(Clone, Copy, Debug)]
struct IndexEntry<I> {
    code: u32,
    id: I,
}

/// The values of one run.
#[derive(Debug)]
pub(super) struct Values {
    nodes: IdVec<ValueId, Node>,
    infos: Vec<NodeInfo>,
    index: HashTable<IndexEntry<ValueId>>,
    pool: Vec<u32>,
    seqs: IdVec<SeqId, (usize, u32)>,
    seq_index: HashTable<IndexEntry<SeqId>>,
    origins: IdVec<OriginId, Origin>,
    origin_index: HashMap<Origin, OriginId, FxBuildHasher>,
    scratch: Vec<u32>,
    plain: HashMap<ValueId, ValueId, FxBuildHasher>,
    small_ints: Vec<Option<ValueId>>,
    of_strings: Vec<Option<ValueId>>,
    of_records: Vec<Option<ValueId>>,
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(value)
}

/// Folds a hash into the 32 bits that table entries store. On platforms with 32-bit addresses, a hash has only 32 bits,
/// and this function returns it unchanged.
fn short(code: u64) -> u32 {
    u32::try_from((code ^ (code >> 32)) & u64::from(u32::MAX)).expect("the value is masked to 32 bits")
}

/// Computes the hash of a table entry from the 32 bits that the entry stores. The hash tables use the lowest and the
/// highest bits of this hash, so both must be well mixed.
fn spread(code: u32) -> u64 {
    u64::from(code).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Default for Values {
    fn default() -> Self {
        let mut values = Self {
            nodes: IdVec::default(),
            infos: Vec::new(),
            index: HashTable::new(),
            pool: Vec::new(),
            seqs: IdVec::default(),
            seq_index: HashTable::new(),
            origins: IdVec::default(),
            origin_index: HashMap::default(),
            scratch: Vec::new(),
            plain: HashMap::default(),
            small_ints: Vec::new(),
            of_strings: Vec::new(),
            of_records: Vec::new(),
        };
        values.seq(&[]);
        values.origin(Origin { span: Span::NONE, args: Box::default() });
        for (node, id) in [
            (Node::Unset, ValueId::UNSET),
            (Node::Bit(false), ValueId::FALSE),
            (Node::Bit(true), ValueId::TRUE),
        ] {
            let made = values.intern(node);
            debug_assert_eq!(made, id);
        }
        values
    }
}

impl Values {
    /// Returns the id of a node, and adds the node if it is new.
    pub(super) fn intern(&mut self, node: Node) -> ValueId {
        let code = hash(&node);
        let same = |entry: &IndexEntry<ValueId>| entry.code == short(code) && self.nodes[entry.id] == node;
        if let Some(entry) = self.index.find(spread(short(code)), same) {
            return entry.id;
        }
        let info = self.inspect(&node);
        let id = self.nodes.push(node);
        self.infos.push(info);
        let entry = IndexEntry { code: short(code), id };
        self.index.insert_unique(spread(entry.code), entry, |entry| spread(entry.code));
        id
    }

    fn inspect(&self, node: &Node) -> NodeInfo {
        const OPEN: u8 = ValueFlags::OPEN | ValueFlags::ABSTRACT | ValueFlags::PLACED;
        const PLACED: u8 = ValueFlags::PLACED;
        let mut flags = 0;
        let mut depth = 0;
        let mut names = 0;
        let mut visit = |id: ValueId, mask: u8| {
            let info = self.infos[id.index()];
            flags |= info.flags.0 & mask;
            depth = depth.max(info.depth);
            names |= info.names;
        };
        let own = match *node {
            Node::Unset => ValueFlags::INCOMPLETE,
            Node::Bit(_) | Node::Int(_) | Node::Str(..) | Node::Def(_) => 0,
            Node::Bits(seq) | Node::List(seq, _) => {
                self.items(seq).for_each(|id| visit(id, u8::MAX));
                0
            }
            Node::Dag { op, args, origin, .. } => {
                visit(op, OPEN);
                self.pairs(args).for_each(|(id, _)| visit(id, OPEN));
                if origin == OriginId::NONE { 0 } else { PLACED }
            }
            Node::Var(..) | Node::Anonymous(_) => OPEN & !PLACED,
            Node::VarBit(of, _) | Node::Field(of, ..) => {
                visit(of, PLACED);
                OPEN & !PLACED
            }
            Node::Call { args, .. } => {
                self.items(args).for_each(|id| visit(id, PLACED));
                OPEN & !PLACED
            }
            Node::Instance(_, args) => {
                self.named(args).for_each(|(_, id)| visit(id, PLACED));
                OPEN & !PLACED
            }
        };
        if let Node::Var(name, _) = *node {
            names |= name_bit(name);
        }
        match *node {
            Node::Anonymous(_) => names |= ALWAYS_BIT,
            // Resolution, unlike evaluation, can decide the result of these operators by the first argument alone.
            Node::Call { op: Op::And | Op::Or, args, .. } => {
                let first = self.item(args, 0).map(|first| self.node(first));
                if let Some(Node::Int(_) | Node::Bit(_) | Node::Bits(_)) = first {
                    names |= ALWAYS_BIT;
                }
            }
            _ => {}
        }
        NodeInfo { names, depth: depth.saturating_add(1), flags: ValueFlags(flags | own) }
    }

    /// Returns the id of a sequence.
    pub(super) fn seq(&mut self, raw: &[u32]) -> SeqId {
        let code = hash(raw);
        let Self { seqs, pool, seq_index, .. } = self;
        let same =
            |entry: &IndexEntry<SeqId>| entry.code == short(code) && slice(pool, seqs[entry.id]) == raw;
        if let Some(entry) = seq_index.find(spread(short(code)), same) {
            return entry.id;
        }
        let len = u32::try_from(raw.len()).expect("no list is longer than the sources and limits allow");
        let id = seqs.push((pool.len(), len));
        pool.extend_from_slice(raw);
        let entry = IndexEntry { code: short(code), id };
        seq_index.insert_unique(spread(entry.code), entry, |entry| spread(entry.code));
        id
    }

    /// Returns the id of a sequence of values.
    pub(super) fn value_seq(&mut self, ids: &[ValueId]) -> SeqId {
        let mut raw = std::mem::take(&mut self.scratch);
        raw.clear();
        raw.extend(ids.iter().map(|id| id.raw()));
        let seq = self.seq(&raw);
        self.scratch = raw;
        seq
    }

    /// Returns the id of a dag's origin.
    pub(super) fn origin(&mut self, origin: Origin) -> OriginId {
        if let Some(&id) = self.origin_index.get(&origin) {
            return id;
        }
        let id = self.origins.push(origin.clone());
        self.origin_index.insert(origin, id);
        id
    }

    /// Returns the places of a dag.
    pub(super) fn origin_of(&self, id: OriginId) -> &Origin {
        &self.origins[id]
    }

    /// Returns the structure of a value.
    pub(super) fn node(&self, id: ValueId) -> Node {
        self.nodes[id]
    }

    /// Returns the computed properties of a value.
    pub(super) fn flags(&self, id: ValueId) -> ValueFlags {
        self.infos[id.index()].flags
    }

    /// Returns the name mask of a value: the [`name_bit`]s of the names that the value mentions, and [`ALWAYS_BIT`] if
    /// a resolution may change the value in any case.
    pub(super) fn names(&self, id: ValueId) -> u64 {
        self.infos[id.index()].names
    }

    /// Returns the nesting depth of a value.
    pub(super) fn depth(&self, id: ValueId) -> u16 {
        self.infos[id.index()].depth
    }

    /// The number of distinct values.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The number of ids in all sequences together.
    pub(super) fn pooled(&self) -> usize {
        self.pool.len()
    }

    /// The raw ids of a sequence.
    pub(super) fn raw(&self, seq: SeqId) -> &[u32] {
        slice(&self.pool, self.seqs[seq])
    }

    /// The values of a sequence of values.
    pub(super) fn items(&self, seq: SeqId) -> impl DoubleEndedIterator<Item = ValueId> + ExactSizeIterator {
        self.raw(seq).iter().map(|&raw| ValueId::from_raw(raw))
    }

    /// The number of ids of a sequence.
    pub(super) fn width(&self, seq: SeqId) -> u32 {
        self.seqs[seq].1
    }

    /// The number of ids of a sequence, as a `usize`.
    pub(super) fn count(&self, seq: SeqId) -> usize {
        self.width(seq) as usize
    }

    /// Value `index` of a sequence of values.
    pub(super) fn item(&self, seq: SeqId, index: usize) -> Option<ValueId> {
        self.raw(seq).get(index).map(|&raw| ValueId::from_raw(raw))
    }

    /// The values and names of a dag's arguments.
    pub(super) fn pairs(&self, seq: SeqId) -> impl ExactSizeIterator<Item = (ValueId, OptName)> {
        self.raw(seq).chunks_exact(2).map(|pair| (ValueId::from_raw(pair[0]), OptName::from_raw(pair[1])))
    }

    /// The names and values of an instance's arguments.
    pub(super) fn named(&self, seq: SeqId) -> impl ExactSizeIterator<Item = (OptName, ValueId)> {
        self.raw(seq).chunks_exact(2).map(|pair| (OptName::from_raw(pair[0]), ValueId::from_raw(pair[1])))
    }

    /// Interns an integer.
    pub(super) fn int(&mut self, value: i64) -> ValueId {
        match usize::try_from(value) {
            Ok(at) if at < SMALL_INTS => {
                remember(self, at, |values| &mut values.small_ints, Node::Int(value))
            }
            _ => self.intern(Node::Int(value)),
        }
    }

    /// Interns a string.
    pub(super) fn string(&mut self, text: StrId) -> ValueId {
        remember(self, text.index(), |values| &mut values.of_strings, Node::Str(text, false))
    }

    /// Interns the value that refers to a record.
    pub(super) fn def(&mut self, record: RecordId) -> ValueId {
        remember(self, record.index(), |values| &mut values.of_records, Node::Def(record))
    }

    /// Interns a list.
    pub(super) fn list(&mut self, items: &[ValueId], element: TypeId) -> ValueId {
        let seq = self.value_seq(items);
        self.intern(Node::List(seq, element))
    }

    /// Interns bits, least significant first.
    pub(super) fn bits(&mut self, bits: &[ValueId]) -> ValueId {
        let seq = self.value_seq(bits);
        self.intern(Node::Bits(seq))
    }

    /// Returns the value without the origins of its dags. Two values are equivalent if their plain values are equal.
    pub(super) fn plain(&mut self, id: ValueId) -> ValueId {
        if !self.flags(id).placed() {
            return id;
        }
        if let Some(&plain) = self.plain.get(&id) {
            return plain;
        }
        let node = match self.node(id) {
            Node::Bits(seq) => Node::Bits(self.plain_seq(seq, 1, 0)),
            Node::List(seq, element) => Node::List(self.plain_seq(seq, 1, 0), element),
            Node::Dag { op, name, args, .. } => Node::Dag {
                op: self.plain(op),
                name,
                args: self.plain_seq(args, 2, 0),
                origin: OriginId::NONE,
            },
            Node::VarBit(of, bit) => Node::VarBit(self.plain(of), bit),
            Node::Field(of, name, ty) => Node::Field(self.plain(of), name, ty),
            Node::Call { op, ty, args } => Node::Call { op, ty, args: self.plain_seq(args, 1, 0) },
            Node::Instance(class, args) => Node::Instance(class, self.plain_seq(args, 2, 1)),
            node => node,
        };
        let plain = self.intern(node);
        self.plain.insert(id, plain);
        plain
    }

    /// Makes every `stride`-th id of a sequence plain, starting with `first`.
    pub(super) fn plain_seq(&mut self, seq: SeqId, stride: usize, first: usize) -> SeqId {
        let mut values = self.raw(seq).iter().skip(first).step_by(stride);
        if !values.any(|&id| self.flags(ValueId::from_raw(id)).placed()) {
            return seq;
        }
        let mut raw: SmallVec<[u32; 16]> = SmallVec::from_slice(self.raw(seq));
        for id in raw.iter_mut().skip(first).step_by(stride) {
            *id = self.plain(ValueId::from_raw(*id)).raw();
        }
        self.seq(&raw)
    }
}

/// Interns a node and stores its id as entry `at` of a table.
///
/// The nodes in these tables are interned most often. A small table stays in the CPU cache, and the index of all values
/// does not.
fn remember(
    values: &mut Values,
    at: usize,
    table: impl Fn(&mut Values) -> &mut Vec<Option<ValueId>>,
    node: Node,
) -> ValueId {
    if let Some(&Some(id)) = table(values).get(at) {
        return id;
    }
    let id = values.intern(node);
    let table = table(values);
    if table.len() <= at {
        table.resize(at + 1, None);
    }
    table[at] = Some(id);
    id
}

fn slice(pool: &[u32], (start, len): (usize, u32)) -> &[u32] {
    &pool[start..start + len as usize]
}
