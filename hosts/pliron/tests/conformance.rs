//! Compares pliron's IR with the built-in IR on the corpus.
//!
//! Operations of pliron are Rust types. Here each operation name of the corpus has a number, and each number has a
//! type.
#![allow(clippy::unwrap_used, reason = "a failing setup fails the test")]

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use drrvm::conformance::{self, Kit};
use drrvm::host::{Bind, Blocks, Facets, Ir, Region};
use drrvm::ir::{self, BlockId, IrHost, ValueId};
use drrvm_pliron::PlironHost;
use pliron::basic_block::BasicBlock;
use pliron::builtin::op_interfaces::OneRegionInterface;
use pliron::builtin::ops::ModuleOp;
use pliron::common_traits::Verify;
use pliron::context::{Context, Ptr};
use pliron::dialect::DialectName;
use pliron::identifier::Identifier;
use pliron::linked_list::ContainsLinkedList;
use pliron::op::{Op, OpId, OpName, OpObj};
use pliron::operation::Operation;
use pliron::printable::{Printable, State};
use pliron::result::Result;
use pliron::value::Value;

/// The names of the operations in the corpus.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut names = BTreeSet::new();
    for case in conformance::cases() {
        let all = case.rules.iter().map(|(_, text)| text).chain([&case.ir]).chain(&case.rewritten);
        for text in all {
            let quoted = text.split('"').skip(1).step_by(2);
            names.extend(quoted.filter(|name| name.split('.').count() == 2).map(str::to_owned));
        }
        // A definition in ODS states the name of the operation without the dialect, which is `t` or `u`.
        for dialect in ["t", "u"] {
            for (_, text) in &case.rules {
                let ops = text.split(": Op<").skip(1).filter_map(|op| op.split('"').nth(1));
                names.extend(ops.map(|op| format!("{dialect}.{op}")));
            }
        }
    }
    let is_name = |name: &String| name.split('.').all(|part| Identifier::try_from(part).is_ok());
    names.into_iter().filter(is_name).collect()
});

/// The type of the operations whose name has this number.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Numbered<const N: usize> {
    op: Ptr<Operation>,
}

impl<const N: usize> Printable for Numbered<N> {
    fn fmt(&self, _: &Context, _: &State, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&NAMES[N])
    }
}

impl<const N: usize> Verify for Numbered<N> {
    fn verify(&self, _: &Context) -> Result<()> {
        Ok(())
    }
}

impl<const N: usize> Op for Numbered<N> {
    fn get_operation(&self) -> Ptr<Operation> {
        self.op
    }
    fn wrap_operation(op: Ptr<Operation>) -> OpObj {
        OpObj::new(Self { op })
    }
    fn from_operation(op: Ptr<Operation>) -> Self {
        Self { op }
    }
    fn get_opid(&self) -> OpId {
        Self::get_opid_static()
    }
    fn get_opid_static() -> OpId {
        let (dialect, name) = NAMES[N].split_once('.').unwrap();
        OpId { dialect: DialectName::try_new(dialect).unwrap(), name: OpName::try_new(name).unwrap() }
    }
    fn verify_interfaces(&self, _: &Context) -> Result<()> {
        Ok(())
    }
}

type Maker = (fn(Ptr<Operation>) -> OpObj, std::any::TypeId);

/// Registers a type for each name, and returns their constructors.
fn register(host: &mut PlironHost) -> HashMap<&'static str, Maker> {
    let mut makers: HashMap<&'static str, Maker> = HashMap::new();
    macro_rules! each {
        ($($tens:literal)*) => {$(
            each!(@ $tens 0 1 2 3 4 5 6 7 8 9);
        )*};
        (@ $tens:literal $($ones:literal)*) => {$(
            if let Some(name) = NAMES.get($tens * 10 + $ones) {
                host.register::<Numbered<{ $tens * 10 + $ones }>>();
                makers.insert(name, Numbered::<{ $tens * 10 + $ones }>::get_concrete_op_info());
            }
        )*};
    }
    each!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29);
    assert_eq!(makers.len(), NAMES.len(), "the corpus has more operations than there are numbers");
    makers
}

/// Converts a module to pliron. Returns `None` if it has types, attributes or keys that pliron lacks, or uses of values
/// before their definitions.
fn convert(original: &IrHost) -> Option<(PlironHost, Ptr<Operation>)> {
    let mut context = Context::new();
    let module = ModuleOp::new(&mut context, Identifier::try_from("corpus").unwrap());
    let top = module.get_operation();
    let block = module.get_region(&context).deref(&context).get_head().unwrap();
    let mut host = PlironHost::new(context, top);
    let makers = register(&mut host);
    let mut copy = Copy { original, host, makers, values: HashMap::new() };
    let body = original.first_block(Region { op: original.module.top(), index: 0 })?;
    copy.ops(body, block, &HashMap::new())?;
    Some((copy.host, top))
}

/// The copy of a module, under construction.
struct Copy<'a> {
    original: &'a IrHost,
    host: PlironHost,
    makers: HashMap<&'static str, Maker>,
    values: HashMap<ValueId, Value>,
}

impl Copy<'_> {
    /// Copies the operations of a block. `blocks` has the copies of all blocks of the region.
    fn ops(
        &mut self,
        from: BlockId,
        to: Ptr<BasicBlock>,
        blocks: &HashMap<BlockId, Ptr<BasicBlock>>,
    ) -> Option<()> {
        let original = self.original;
        for op in original.module.ops(from) {
            let maker = *self.makers.get(&*original.op_name_text(original.op_name(op)))?;
            let operands = original.module.operands(op).iter().map(|value| self.values.get(value).copied());
            let operands = operands.collect::<Option<_>>()?;
            let types = original
                .module
                .results(op)
                .map(|value| self.host.bind_type(&original.type_text(original.value_type(value))));
            let types = types.collect::<Option<_>>()?;
            let mut attrs = Vec::new();
            for dictionary in [original.module.properties(op), original.module.attrs(op)] {
                for &(name, attr) in original.context.entries(dictionary) {
                    let key = Identifier::try_from(original.context.attr_name_text(name)).ok()?;
                    let attr = self.host.bind_attr(&original.attr_text(attr))?;
                    attrs.push((key, self.host.attr_object(attr).clone()));
                }
            }
            let successors = original.module.successors(op).iter().map(|block| blocks.get(block).copied());
            let successors = successors.collect::<Option<_>>()?;
            let regions = original.region_count(op);
            let context = self.host.context_mut();
            let new = Operation::new(context, maker, types, operands, successors, regions as usize);
            new.deref_mut(context).attributes.0.extend(attrs);
            new.insert_at_back(to, context);
            let results = new.deref(context).results().collect::<Vec<_>>();
            self.values.extend(original.module.results(op).zip(results));
            for index in 0..regions {
                self.region(Region { op, index }, Region { op: new, index })?;
            }
        }
        Some(())
    }

    fn region(&mut self, from: Region<ir::OpId>, to: Region<Ptr<Operation>>) -> Option<()> {
        let original = self.original;
        let mut blocks = HashMap::new();
        let all: Vec<BlockId> =
            std::iter::successors(original.first_block(from), |&block| original.next_block(block)).collect();
        for &block in &all {
            let mut args = Vec::new();
            for index in 0..original.arg_count(block) {
                let ty = original.type_text(original.value_type(original.arg(block, index)));
                args.push((self.host.bind_type(&ty)?, self.host.location(to.op)));
            }
            let new = self.host.create_block(&args).ok()?;
            self.host.attach_block(new, to, None);
            for index in 0..original.arg_count(block) {
                self.values.insert(original.arg(block, index), self.host.arg(new, index));
            }
            blocks.insert(block, new);
        }
        all.into_iter().try_for_each(|block| self.ops(block, blocks[&block], &blocks))
    }
}

#[test]
fn host_conforms_to_the_built_in_ir() {
    let report = Kit::new(convert).corpus().blocks().report();
    println!("{report}");
    assert!(report.passed(), "{report}");
    assert!(report.compared.len() > report.skipped.len(), "{report}");
    assert!(report.compared.iter().any(|case| case == "blocks of regions"), "{report}");
}
