//! The names of values and blocks.
//!
//! The values of a region are numbered in order, and arguments of its entry block are `%arg0` and so on. By default,
//! each nested region continues after the last number of its parent region, so sibling regions use the same numbers. In
//! generic form, or with `unique_ssa_ids`, the numbers continue from region to region, so that no name such as `%3` or
//! `%arg3` occurs twice; sibling regions are numbered from the last to the first.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use super::suggested_names::Suggestions;
use crate::id::Id;
use crate::ir::module::{BlockId, Module, OpId, RegionId, ValueId};

/// The name of a value.
#[derive(Clone, Copy)]
enum ValueName {
    /// The value has no name.
    None,
    /// `%0#3`: the result with this number among the results that share a name.
    Shared(u32),
    /// `%3`
    Number(u32),
    /// `%arg3`, an argument of an entry block.
    Argument(u32),
    /// An index in the list of names.
    Named(u32),
}

/// The names of the values and blocks of a module.
pub(super) struct SsaNumbering {
    values: Vec<ValueName>,
    named: Vec<String>,
    /// The number of each block in its region.
    blocks: Vec<Option<u32>>,
    /// The names that operations suggest for blocks.
    named_blocks: HashMap<BlockId, &'static str, FxBuildHasher>,
    predecessors: HashMap<BlockId, Vec<BlockId>, FxBuildHasher>,
}

/// The next free numbers.
#[derive(Clone, Copy, Default)]
struct NameCounters {
    value: u32,
    argument: u32,
    conflict: u32,
}

impl SsaNumbering {
    /// Numbers the values and blocks of a module. If `unique` is true, no name such as `%3` or `%arg3` is used twice;
    /// suggested names can still be equal in two regions if neither contains the other.
    pub(super) fn new(module: &Module, unique: bool, suggestions: &Suggestions<'_>) -> Self {
        let mut names = Self {
            values: vec![ValueName::None; module.value_slots()],
            named: Vec::new(),
            blocks: vec![None; module.block_slots()],
            named_blocks: HashMap::default(),
            predecessors: HashMap::default(),
        };
        let mut counters = NameCounters::default();
        let top = module.top();
        if module.result_count(top) > 0 {
            names.values[module.result(top, 0).index()] = ValueName::Number(counters.value);
            counters.value += 1;
        }
        // The names in use, each with the depth of its region, innermost region last.
        let mut used: Vec<(String, usize)> = Vec::new();
        let mut taken: HashSet<String, FxBuildHasher> = HashSet::default();
        let mut regions: Vec<(RegionId, NameCounters, usize)> =
            module.regions(top).iter().map(|&region| (region, counters, 0)).collect();
        while let Some((region, inherited, depth)) = regions.pop() {
            if !unique {
                counters = inherited;
            }
            // Names of regions that do not contain this one are free again.
            while used.last().is_some_and(|name| name.1 > depth) {
                if let Some((name, _)) = used.pop() {
                    taken.remove(&name);
                }
            }
            let took = names.region(module, region, &mut counters, suggestions, &mut taken);
            used.extend(took.into_iter().map(|name| (name, depth + 1)));
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

    /// Numbers a region, and returns the suggested names that it uses.
    fn region(
        &mut self,
        module: &Module,
        region: RegionId,
        counters: &mut NameCounters,
        suggestions: &Suggestions<'_>,
        taken: &mut HashSet<String, FxBuildHasher>,
    ) -> Vec<String> {
        let mut took = Vec::new();
        let parent = module.region_op(region);
        let mut argument_names = Vec::new();
        if module.regions(parent).first() == Some(&region) {
            argument_names = suggestions.of_arguments(parent);
            if let (Some(name), Some(entry)) =
                (suggestions.of_entry_block(parent), module.region_blocks(region).next())
            {
                self.named_blocks.insert(entry, name);
            }
        }
        let mut argument_names = argument_names.into_iter();
        for (number, block) in (0..).zip(module.region_blocks(region)) {
            self.blocks[block.index()] = Some(number);
            for (&arg, &loc) in module.args(block).iter().zip(module.arg_locs(block)) {
                let name = argument_names.next();
                let is_counted = number == 0 && name.is_none();
                match suggestions.of_location(loc).or(name) {
                    Some(name) if name.is_empty() => self.number(arg, counters),
                    Some(name) => took.push(self.suggested(arg, name, counters, taken)),
                    None if is_counted => {
                        self.values[arg.index()] = ValueName::Argument(counters.argument);
                    }
                    None => self.number(arg, counters),
                }
                counters.argument += u32::from(is_counted);
            }
            for op in module.ops(block) {
                if module.result_count(op) == 0 {
                    continue;
                }
                let suggested = suggestions.of(op);
                if suggested.is_empty() {
                    self.number(module.result(op, 0), counters);
                }
                for (result, name) in suggested {
                    let value = module.result(op, result);
                    if name.is_empty() {
                        self.number(value, counters);
                        continue;
                    }
                    took.push(self.suggested(value, name, counters, taken));
                }
                let mut number = 0;
                for result in module.results(op).skip(1) {
                    let name = &mut self.values[result.index()];
                    number = if let ValueName::None = name { number + 1 } else { 0 };
                    if number > 0 {
                        *name = ValueName::Shared(number);
                    }
                }
            }
        }
        took
    }

    /// Gives a value the suggested name, followed by a number if another value has this name. Returns the name.
    fn suggested(
        &mut self,
        value: ValueId,
        name: String,
        counters: &mut NameCounters,
        taken: &mut HashSet<String, FxBuildHasher>,
    ) -> String {
        let mut unique = name.clone();
        while taken.contains(&unique) {
            unique = format!("{name}_{}", counters.conflict);
            counters.conflict += 1;
        }
        let index = u32::try_from(self.named.len()).expect("a module has fewer values than ids");
        self.values[value.index()] = ValueName::Named(index);
        taken.insert(unique.clone());
        self.named.push(unique.clone());
        unique
    }

    fn number(&mut self, value: ValueId, counters: &mut NameCounters) {
        self.values[value.index()] = ValueName::Number(counters.value);
        counters.value += 1;
    }

    /// The groups of results that share a name, as the index of the first result and the number of results.
    pub(super) fn result_groups(&self, module: &Module, op: OpId) -> impl Iterator<Item = (u32, u32)> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let first = next;
            next = first + 1;
            while self.is_shared(module, op, next) {
                next += 1;
            }
            (first < module.result_count(op)).then_some((first, next - first))
        })
    }

    /// True if an operation has a result with this index, and the result shares the name of the result before it.
    fn is_shared(&self, module: &Module, op: OpId, index: u32) -> bool {
        index < module.result_count(op)
            && matches!(self.values[module.result(op, index).index()], ValueName::Shared(_))
    }

    /// Writes a value's name.
    pub(super) fn value(&self, out: &mut String, module: &Module, value: ValueId, with_number: bool) {
        use crate::ir::module::ValueDef;
        let (first, number) = match module.value_def(value) {
            ValueDef::Result { op, index } => match self.values[value.index()] {
                ValueName::Shared(number) => (module.result(op, index - number), Some(number)),
                _ => (value, self.is_shared(module, op, index + 1).then_some(0)),
            },
            ValueDef::Argument { .. } | ValueDef::Forward => (value, None),
        };
        match self.values[first.index()] {
            ValueName::None | ValueName::Shared(_) => return out.push_str("<<UNKNOWN SSA VALUE>>"),
            ValueName::Argument(number) => {
                out.push_str("%arg");
                push_number(out, number);
            }
            ValueName::Named(index) => {
                out.push('%');
                out.push_str(&self.named[index as usize]);
            }
            ValueName::Number(number) => {
                out.push('%');
                push_number(out, number);
            }
        }
        if let Some(number) = number.filter(|_| with_number) {
            out.push('#');
            push_number(out, number);
        }
    }

    /// Writes a block's name.
    pub(super) fn block(&self, out: &mut String, block: BlockId) {
        if let Some(name) = self.named_blocks.get(&block) {
            out.push('^');
            out.push_str(name);
            return;
        }
        match self.blocks[block.index()] {
            None => out.push_str("INVALIDBLOCK"),
            Some(number) => {
                out.push_str("^bb");
                push_number(out, number);
            }
        }
    }

    /// True if some block branches to a block.
    pub(super) fn has_predecessors(&self, block: BlockId) -> bool {
        self.predecessors.contains_key(&block)
    }

    /// The blocks that branch to a block, with an entry for each branch, in the order of their numbers.
    pub(super) fn predecessors(&self, block: BlockId) -> Vec<BlockId> {
        let mut blocks = self.predecessors.get(&block).cloned().unwrap_or_default();
        blocks.sort_unstable_by_key(|block| self.blocks[block.index()]);
        blocks
    }
}

/// Writes a number. This is faster than `write!`.
pub(super) fn push_number(out: &mut String, mut number: u32) {
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10).to_le_bytes()[0];
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or(""));
}
