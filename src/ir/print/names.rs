//! The names of values and blocks.
//!
//! A region's values are numbered in order, arguments of entry blocks as `%arg0` and so on. In the custom
//! form the regions inside it go on from where it ended, each from the same number, so that siblings
//! reuse names. In generic form no name comes twice, and the last region is numbered first.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use crate::id::Id;
use crate::ir::module::{BlockId, Module, OpId, RegionId, ValueId};

/// Number of an argument of an entry block.
const ARGUMENT: u32 = 1 << 31;
/// Index of a name of its own.
const NAMED: u32 = 1 << 30;
const NONE: u32 = u32::MAX;

/// What the values and blocks of a module are called.
pub(super) struct SsaNumbering {
    values: Vec<u32>,
    named: Vec<String>,
    blocks: Vec<u32>,
    predecessors: HashMap<BlockId, Vec<BlockId>, FxBuildHasher>,
}

/// How far the numbers have come.
#[derive(Clone, Copy, Default)]
struct NameCounters {
    value: u32,
    argument: u32,
    conflict: u32,
}

impl SsaNumbering {
    /// Numbers everything, with no name twice if `unique`; `suggest` gives the names an operation wants for its results:
    /// none, one for all together, or one each.
    pub(super) fn new(module: &Module, unique: bool, suggest: impl Fn(OpId) -> Vec<String>) -> Self {
        let mut names = Self {
            values: vec![NONE; module.value_slots()],
            named: Vec::new(),
            blocks: vec![NONE; module.block_slots()],
            predecessors: HashMap::default(),
        };
        let mut counters = NameCounters::default();
        let top = module.top();
        if module.result_count(top) > 0 {
            names.values[module.result(top, 0).index()] = counters.value;
            counters.value += 1;
        }
        // What each name that is taken belongs to, innermost region last.
        let mut used: Vec<(String, usize)> = Vec::new();
        let mut taken: HashSet<String, FxBuildHasher> = HashSet::default();
        let mut regions: Vec<(RegionId, NameCounters, usize)> =
            module.regions(top).iter().map(|&region| (region, counters, 0)).collect();
        while let Some((region, inherited, depth)) = regions.pop() {
            if !unique {
                counters = inherited;
            }
            // SsaNumbering of regions that do not hold this one are free again.
            while used.last().is_some_and(|name| name.1 > depth) {
                if let Some((name, _)) = used.pop() {
                    taken.remove(&name);
                }
            }
            let suggestions = names.region(module, region, &mut counters, &suggest, &mut taken);
            used.extend(suggestions.into_iter().map(|name| (name, depth + 1)));
            for block in module.region_blocks(region) {
                for op in module.ops(block) {
                    for &successor in module.successors(op) {
                        names.predecessors.entry(successor).or_default().push(block);
                    }
                    regions.extend(module.regions(op).iter().map(|&region| (region, counters, depth + 1)));
                }
            }
        }
        names
    }

    /// Numbers a region; gives the names it took.
    fn region(
        &mut self,
        module: &Module,
        region: RegionId,
        counters: &mut NameCounters,
        suggest: &impl Fn(OpId) -> Vec<String>,
        taken: &mut HashSet<String, FxBuildHasher>,
    ) -> Vec<String> {
        let mut took = Vec::new();
        for (number, block) in (0..).zip(module.region_blocks(region)) {
            self.blocks[block.index()] = number;
            for &arg in module.args(block) {
                let counter = if number == 0 { &mut counters.argument } else { &mut counters.value };
                let flag = if number == 0 { ARGUMENT } else { 0 };
                self.values[arg.index()] = flag | *counter;
                *counter += 1;
            }
            for op in module.ops(block) {
                if module.result_count(op) == 0 {
                    continue;
                }
                let value = module.result(op, 0).index();
                let suggested = suggest(op);
                if suggested.is_empty() {
                    self.values[value] = counters.value;
                    counters.value += 1;
                    continue;
                }
                for (result, name) in module.results(op).zip(suggested) {
                    let mut unique = name.clone();
                    while taken.contains(&unique) {
                        unique = format!("{name}_{}", counters.conflict);
                        counters.conflict += 1;
                    }
                    self.values[result.index()] = NAMED | u32::try_from(self.named.len()).unwrap_or(0);
                    taken.insert(unique.clone());
                    took.push(unique.clone());
                    self.named.push(unique);
                }
            }
        }
        took
    }

    /// Whether each result of an operation has a name of its own.
    pub(super) fn apart(&self, module: &Module, op: OpId) -> bool {
        module.result_count(op) > 1 && self.values[module.result(op, 1).index()] != NONE
    }

    /// Writes a value's name.
    pub(super) fn value(&self, out: &mut String, module: &Module, value: ValueId, with_number: bool) {
        use crate::ir::module::ValueDef;
        let (first, number) = match module.value_def(value) {
            ValueDef::Result { op, index } if module.result_count(op) > 1 && !self.apart(module, op) => {
                (module.result(op, 0), Some(index))
            }
            _ => (value, None),
        };
        match self.values[first.index()] {
            NONE => return out.push_str("<<UNKNOWN SSA VALUE>>"),
            name if name & ARGUMENT != 0 => {
                out.push_str("%arg");
                push_number(out, name & !ARGUMENT);
            }
            name if name & NAMED != 0 => {
                out.push('%');
                out.push_str(&self.named[(name & !NAMED) as usize]);
            }
            name => {
                out.push('%');
                push_number(out, name);
            }
        }
        if let Some(number) = number.filter(|_| with_number) {
            out.push('#');
            push_number(out, number);
        }
    }

    /// Writes a block's name.
    pub(super) fn block(&self, out: &mut String, block: BlockId) {
        match self.blocks[block.index()] {
            NONE => out.push_str("INVALIDBLOCK"),
            number => {
                out.push_str("^bb");
                push_number(out, number);
            }
        }
    }

    /// Whether some block branches to a block.
    pub(super) fn has_predecessors(&self, block: BlockId) -> bool {
        self.predecessors.contains_key(&block)
    }

    /// The blocks that branch to a block, one entry a branch, in the order of their numbers.
    pub(super) fn predecessors(&self, block: BlockId) -> Vec<BlockId> {
        let mut blocks = self.predecessors.get(&block).cloned().unwrap_or_default();
        blocks.sort_by_key(|block| self.blocks[block.index()]);
        blocks
    }
}

/// Writes a number; faster than the formatting machinery.
pub(super) fn push_number(out: &mut String, mut number: u32) {
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or(""));
}
