//! Access to the blocks and regions of the built-in IR through the trait [`Blocks`].

use super::attributes::AttrKind;
use super::host::{IrHost, length};
use super::ids::{AttrId, LocId, TypeId};
use super::module::{BlockId, OpId, RegionId, ValueDef, ValueId};
use crate::host::{Blocks, Edge, InsertionPoint, NamedAttr, OpState, Refusal, Region};

impl IrHost {
    fn region_id(&self, region: Region<OpId>) -> RegionId {
        self.module.region(region.op, region.index as usize)
    }
}

impl Blocks for IrHost {
    type Block = BlockId;

    fn region_count(&self, op: OpId) -> u32 {
        length(self.module.regions(op).len())
    }
    fn first_block(&self, region: Region<OpId>) -> Option<BlockId> {
        self.module.first_block(self.region_id(region))
    }
    fn next_block(&self, block: BlockId) -> Option<BlockId> {
        self.module.next_block(block)
    }
    fn block_region(&self, block: BlockId) -> Option<Region<OpId>> {
        let (op, index) = self.module.region_place(block)?;
        Some(Region { op, index: length(index) })
    }
    fn arg_count(&self, block: BlockId) -> u32 {
        length(self.module.args(block).len())
    }
    fn arg(&self, block: BlockId, index: u32) -> ValueId {
        self.module.args(block)[index as usize]
    }
    fn arg_location(&self, block: BlockId, index: u32) -> LocId {
        self.module.arg_locs(block)[index as usize]
    }
    fn arg_block(&self, value: ValueId) -> Option<BlockId> {
        match self.module.value_def(value) {
            ValueDef::Argument { block, .. } => Some(block),
            _ => None,
        }
    }
    fn block(&self, op: OpId) -> Option<BlockId> {
        self.module.block(op)
    }
    fn first_op(&self, block: BlockId) -> Option<OpId> {
        self.module.first_op(block)
    }
    fn last_op(&self, block: BlockId) -> Option<OpId> {
        self.module.last_op(block)
    }
    fn next_op(&self, op: OpId) -> Option<OpId> {
        self.module.next(op)
    }
    fn successor_count(&self, op: OpId) -> u32 {
        length(self.module.successors(op).len())
    }
    fn successor(&self, op: OpId, index: u32) -> BlockId {
        self.module.successors(op)[index as usize]
    }
    fn edges_to(&self, block: BlockId, max: usize) -> Vec<Edge<Self>> {
        let Some(region) = self.module.block_region(block) else { return Vec::new() };
        let is_in_region = |op| {
            let from = self.module.block(op);
            from.is_some_and(|from| self.module.block_region(from) == Some(region))
        };
        let edges = self.module.edges_to(block).filter(|edge| is_in_region(edge.op));
        edges.map(|edge| (edge.op, edge.index)).take(max).collect()
    }
    fn attributes(&self, op: OpId) -> Vec<NamedAttr<AttrId>> {
        let entries = |dictionary, inherent| {
            let entries = self.context.entries(dictionary).iter();
            entries.map(move |&(name, value)| NamedAttr { name, value, inherent })
        };
        entries(self.module.properties(op), true).chain(entries(self.module.attrs(op), false)).collect()
    }

    fn create_at(
        &mut self,
        place: InsertionPoint<OpId, BlockId>,
        state: &OpState<'_, Self>,
        successors: &[BlockId],
    ) -> Result<OpId, Refusal> {
        if let InsertionPoint::Before(before) = place
            && self.module.block(before).is_none()
        {
            return Err(Refusal::new("the operation to insert before is in no block"));
        }
        let op = self.create_detached(state, successors);
        self.attach(op, place);
        Ok(op)
    }
    fn copy(&mut self, op: OpId) -> Result<OpId, Refusal> {
        Ok(self.module.clone_op(op))
    }
    fn attach(&mut self, op: OpId, place: InsertionPoint<OpId, BlockId>) {
        match place {
            InsertionPoint::Before(before) => self.module.insert_before(before, op),
            InsertionPoint::End(block) => self.module.append(block, op),
        }
    }
    fn detach(&mut self, op: OpId) {
        self.module.detach(op);
    }
    fn set_operands(&mut self, op: OpId, operands: &[ValueId]) {
        self.module.set_operands(op, operands);
    }
    fn set_operand(&mut self, op: OpId, index: u32, value: ValueId) {
        self.module.set_operand(op, index, value);
    }
    fn set_successor(&mut self, op: OpId, index: u32, block: BlockId) {
        self.module.set_successor(op, index as usize, block);
    }
    fn set_attributes(&mut self, op: OpId, attributes: &[NamedAttr<AttrId>]) {
        // Properties that are not a dictionary contain no attributes, so they are not changed.
        if matches!(self.context.attr_kind(self.module.properties(op)), AttrKind::Dictionary(_)) {
            let properties = self.dictionary(attributes, true);
            self.module.set_properties(op, properties);
        }
        let attrs = self.dictionary(attributes, false);
        self.module.set_attrs(op, attrs);
    }
    fn create_block(&mut self, args: &[(TypeId, LocId)]) -> Result<BlockId, Refusal> {
        let block = self.module.create_block();
        for &(ty, loc) in args {
            self.module.add_arg(block, ty, loc);
        }
        Ok(block)
    }
    fn attach_block(&mut self, block: BlockId, region: Region<OpId>, before: Option<BlockId>) {
        match before {
            Some(before) => self.module.insert_block_before(before, block),
            None => self.module.push_block(self.region_id(region), block),
        }
    }
    fn detach_block(&mut self, block: BlockId) {
        self.module.detach_block(block);
    }
    fn erase_block(&mut self, block: BlockId) {
        self.module.erase_blocks(&[block]);
    }
    fn insert_arg(
        &mut self,
        block: BlockId,
        index: u32,
        (ty, loc): (TypeId, LocId),
    ) -> Result<ValueId, Refusal> {
        Ok(self.module.insert_arg(block, index as usize, ty, loc))
    }
    fn erase_arg(&mut self, block: BlockId, index: u32) {
        self.module.erase_arg(block, index as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equivalence::Random;
    use crate::host::{Changes, Journal, Listener, NoListener, Rewriter, blocks_of, ops_of};
    use crate::ir::{Context, PrintOptions, parse_module};
    use crate::source::SourceMap;

    const TEXT: &str = r#"
        "t.f"() ({
        ^bb0(%a: i32, %b: i32):
          %0:2 = "t.a"(%a, %b) {x = 1 : i32} : (i32, i32) -> (i32, i32)
          "t.br"(%0#0)[^bb1, ^bb2] <{p = 2 : i32}> : (i32) -> ()
        ^bb1(%c: i32):
          %1 = "t.loop"(%0#1) ({
          ^bb0(%i: i64):
            "t.use"(%c, %i, %0#0) : (i32, i64, i32) -> ()
          }, {
          }) : (i32) -> i32
          "t.br"(%1)[^bb2] : (i32) -> ()
        ^bb2:
          "t.end"() : () -> ()
        }) : () -> ()
        "t.f"() ({
          %2 = "t.c"() : () -> f32
          "t.use"(%2) : (f32) -> ()
          "t.end"() : () -> ()
        }, {
        ^bb0(%d: f32):
          "t.end"(%d) : (f32) -> ()
        }) : () -> ()
    "#;

    fn host() -> IrHost {
        let mut sources = SourceMap::default();
        let file = sources.add("t.mlir", TEXT).expect("the text is short");
        let mut context = Context::new();
        let module = parse_module(&mut context, sources.file(file)).expect("well-formed");
        IrHost::new(context, module)
    }

    fn text(host: &IrHost) -> String {
        host.module.print(&host.context, PrintOptions::new().generic(true))
    }

    /// Asserts that the edges to each block equal the edges that a search of its region finds.
    fn check_edges(host: &IrHost) {
        let regions = choices(host).regions;
        for block in regions.iter().flat_map(|&region| blocks_of(host, region)) {
            let mut found = Vec::new();
            let region = host.block_region(block).expect("the block is in a region");
            for op in blocks_of(host, region).flat_map(|from| ops_of(host, from)) {
                let edges = (0..host.successor_count(op)).filter(|&index| host.successor(op, index) == block);
                found.extend(edges.map(|index| (op, index)));
            }
            let mut edges = host.edges_to(block, usize::MAX);
            edges.sort_unstable();
            found.sort_unstable();
            assert_eq!(edges, found);
        }
    }

    /// The entities from which a random step chooses.
    struct Choices {
        ops: Vec<OpId>,
        blocks: Vec<BlockId>,
        regions: Vec<Region<OpId>>,
        values: Vec<ValueId>,
    }

    fn choices(host: &IrHost) -> Choices {
        let top = host.module.top();
        let all: Vec<OpId> = host.module.preorder(top).collect();
        let regions: Vec<_> = all
            .iter()
            .flat_map(|&op| (0..host.region_count(op)).map(move |index| Region { op, index }))
            .filter(|region| region.op != top)
            .collect();
        let blocks: Vec<BlockId> =
            regions.iter().flat_map(|&region| blocks_of(host, region).collect::<Vec<_>>()).collect();
        let ops: Vec<OpId> =
            blocks.iter().flat_map(|&block| ops_of(host, block).collect::<Vec<_>>()).collect();
        let results = ops.iter().flat_map(|&op| host.module.results(op).collect::<Vec<_>>());
        let args = blocks.iter().flat_map(|&block| host.module.args(block).to_vec());
        let values = results.chain(args).collect();
        Choices { ops, blocks, regions, values }
    }

    /// True if `inner` is `op` or inside it.
    fn is_inside(host: &IrHost, inner: OpId, op: OpId) -> bool {
        std::iter::successors(Some(inner), |&op| host.module.parent(op)).any(|outer| outer == op)
    }

    fn pick<T: Copy>(rng: &mut Random, from: &[T]) -> Option<T> {
        rng.pick(from).copied()
    }

    /// Makes one random change that a log can undo. Returns `None` if the chosen change is impossible.
    fn change(host: &mut IrHost, changes: &mut Changes<IrHost>, rng: &mut Random) -> Option<()> {
        let Choices { ops, blocks, regions, values } = choices(host);
        let (op, other) = (pick(rng, &ops)?, pick(rng, &ops)?);
        let (block, to) = (pick(rng, &blocks)?, pick(rng, &blocks)?);
        let (region, from) = (pick(rng, &regions)?, pick(rng, &regions)?);
        let value = pick(rng, &values);
        let name = host.context.op_name("t.new");
        match rng.below(12) {
            0 if !is_inside(host, other, op) => changes.move_op(host, op, InsertionPoint::Before(other)),
            1 if !is_inside(host, host.module.block_parent(to)?, op) => {
                changes.move_op(host, op, InsertionPoint::End(to));
            }
            2 if host.module.results(op).all(|result| host.module.is_unused(result)) => {
                changes.detach_for_erasure(host, op)
            }
            3 => {
                let operands: Vec<ValueId> = (0..rng.below(3)).filter_map(|_| value).collect();
                changes.set_operands(host, op, &operands);
            }
            4 => changes.replace_uses(host, value?, pick(rng, &values)?, None),
            5 => {
                let args = [(Context::I32, Context::UNKNOWN)];
                changes.create_block(host, &args, region, None).ok()?;
            }
            6 if !is_inside(host, region.op, host.module.block_parent(block)?) || region.op != from.op => {
                let outer = host.module.ops(block).any(|op| is_inside(host, region.op, op));
                (!outer).then(|| changes.move_block(host, block, region, None))?;
            }
            7 if !is_inside(host, region.op, from.op) => changes.move_region(host, from, region, None),
            8 => drop(changes.copy_region(host, from, region, None).ok()?),
            9 => {
                let index = length(rng.below(host.module.args(block).len() + 1));
                changes.insert_arg(host, block, index, (Context::I32, Context::UNKNOWN)).ok()?;
            }
            10 if host.successor_count(op) > 0 => changes.set_successor(host, op, 0, to),
            _ => {
                changes.save(host, op);
                let mut attributes = host.attributes(op);
                attributes.truncate(1);
                host.set_attributes(op, &attributes);
                let operands: Vec<_> = value.into_iter().collect();
                let state = OpState {
                    name,
                    operands: &operands,
                    result_types: &[Context::I32],
                    attributes: &[],
                    regions: 1,
                    location: Context::UNKNOWN,
                };
                changes.create(host, InsertionPoint::End(to), &state, &[to]).ok()?;
            }
        }
        Some(())
    }

    /// Undoing random changes back to a mark restores the text that the module had at this mark. Marks are nested.
    #[test]
    fn a_log_of_changes_is_undone() {
        let seed = crate::test_seed::seed();
        let mut changed = 0;
        for case in 0..400 {
            let mut rng = Random::new(seed).fork(case);
            let (mut host, mut changes) = (host(), Changes::<IrHost>::default());
            let mut marks = Vec::new();
            for _ in 0..=rng.below(24) {
                if rng.percent(30) {
                    marks.push((changes.mark(), text(&host)));
                }
                changed += usize::from(change(&mut host, &mut changes, &mut rng).is_some());
                check_edges(&host);
            }
            while let Some((mark, before)) = marks.pop() {
                changes.undo_to(&mut host, mark);
                assert_eq!(text(&host), before, "case {case}");
                check_edges(&host);
                if rng.percent(20) {
                    change(&mut host, &mut changes, &mut rng);
                    changes.undo_to(&mut host, mark);
                    assert_eq!(text(&host), before, "case {case}");
                }
            }
        }
        assert!(changed > 2000, "only {changed} changes were made");
    }

    /// Makes one random structural change in a rewrite. Returns `None` if the chosen change is impossible.
    fn rewrite(rewriter: &mut Rewriter<'_, IrHost>, rng: &mut Random) -> Option<()> {
        let Choices { ops, blocks, regions, values } = choices(rewriter.host());
        let (op, other, to) = (pick(rng, &ops)?, pick(rng, &ops)?, pick(rng, &blocks)?);
        let (region, from) = (pick(rng, &regions)?, pick(rng, &regions)?);
        let arg = (Context::I32, Context::UNKNOWN);
        match rng.below(7) {
            0 if !is_inside(rewriter.host(), other, op) => {
                rewriter.move_op(op, InsertionPoint::Before(other))
            }
            1 => drop(rewriter.create_block(&[arg], region, None).ok()?),
            2 if !is_inside(rewriter.host(), region.op, from.op) => {
                rewriter.inline_region_before(from, region, None);
            }
            3 => drop(rewriter.copy_region_before(from, region, None).ok()?),
            4 => drop(rewriter.insert_arg(to, 0, arg).ok()?),
            5 if rewriter.host().successor_count(op) > 0 => rewriter.set_successor(op, 0, to),
            _ => {
                let name = rewriter.host_mut().context.op_name("t.new");
                let operands: Vec<_> = pick(rng, &values).into_iter().collect();
                let state = OpState {
                    name,
                    operands: &operands,
                    result_types: &[Context::I32],
                    attributes: &[],
                    regions: 2,
                    location: Context::UNKNOWN,
                };
                rewriter.create_at(InsertionPoint::End(to), &state, &[to]).ok()?;
            }
        }
        Some(())
    }

    #[test]
    fn structural_changes_of_a_rewrite_are_undone() {
        let seed = crate::test_seed::seed();
        let mut changed = 0;
        for case in 0..400 {
            let mut rng = Random::new(seed).fork(case);
            let mut host = host();
            let before = text(&host);
            let root = host.module.first_op(host.module.body()).expect("an operation");
            let mut journal = Journal::new();
            let mut rewriter = Rewriter::new(&mut host, root, &mut journal);
            for _ in 0..=rng.below(14) {
                changed += usize::from(rewrite(&mut rewriter, &mut rng).is_some());
            }
            check_edges(rewriter.host());
            rewriter.roll_back();
            assert_eq!(text(&host), before, "case {case}");
            check_edges(&host);
        }
        assert!(changed > 1500, "only {changed} changes were made");
    }

    #[test]
    fn a_rewrite_moves_a_region_and_erases_a_block() {
        let mut host = host();
        let ops: Vec<_> = host.module.ops(host.module.body()).collect();
        let [first, second] = ops[..] else { panic!("two operations") };
        let mut journal = Journal::new();
        let mut rewriter = Rewriter::new(&mut host, second, &mut journal);
        let (from, to) = (Region { op: second, index: 1 }, Region { op: first, index: 0 });
        rewriter.inline_region_before(from, to, None);
        let entry = rewriter.host().first_block(Region { op: second, index: 0 }).expect("a block");
        rewriter.erase_block(entry);
        rewriter.commit(&mut NoListener).expect("the changes are legal");
        assert_eq!(host.module.region_blocks(host.module.region(first, 0)).count(), 4);
        assert!(host.module.first_block(host.module.region(second, 0)).is_none());
        assert!(host.module.first_block(host.module.region(second, 1)).is_none());
    }

    /// A listener that records the operations that were modified.
    #[derive(Default)]
    struct Modified(Vec<OpId>);

    impl Listener<IrHost> for Modified {
        fn modified(&mut self, _: &IrHost, op: OpId) {
            self.0.push(op);
        }
    }

    #[test]
    fn listeners_are_notified_of_changes_of_blocks() {
        type Change = fn(&mut Rewriter<'_, IrHost>, BlockId) -> Result<(), Refusal>;
        let changes: [(usize, Change); 3] = [
            (0, |rewriter, block| rewriter.insert_arg(block, 0, (Context::I32, Context::UNKNOWN)).map(drop)),
            (0, |rewriter, block| {
                let with = rewriter.host().arg(block, 1);
                rewriter.erase_arg(block, 0, Some(with))
            }),
            (1, |rewriter, block| {
                rewriter.erase_block(block);
                Ok(())
            }),
        ];
        for (index, change) in changes {
            let mut host = host();
            let ops: Vec<_> = host.module.ops(host.module.body()).collect();
            let block = host.first_block(Region { op: ops[index], index: 0 }).expect("a block");
            let mut journal = Journal::new();
            let mut rewriter = Rewriter::new(&mut host, ops[0], &mut journal);
            change(&mut rewriter, block).expect("the change is legal");
            let mut modified = Modified::default();
            rewriter.commit(&mut modified).expect("the change is legal");
            assert!(modified.0.contains(&ops[index]), "{:?}", modified.0);
        }
    }

    #[test]
    fn arguments_keep_their_indices_in_order() {
        let mut host = host();
        let op = host.module.first_op(host.module.body()).expect("an operation");
        let block = host.first_block(Region { op, index: 0 }).expect("a block");
        let old = host.module.args(block).to_vec();
        let new = host.insert_arg(block, 1, (Context::I32, Context::UNKNOWN)).expect("created");
        assert_eq!(host.module.args(block), [old[0], new, old[1]]);
        assert_eq!(host.module.value_def(old[1]), ValueDef::Argument { block, index: 2 });
        host.erase_arg(block, 1);
        assert_eq!(host.module.value_def(old[1]), ValueDef::Argument { block, index: 1 });
        assert_eq!(text(&host), text(&self::host()));
    }
}
