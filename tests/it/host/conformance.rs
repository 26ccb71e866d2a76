//! Tests the conformance kit: it accepts a correct host and finds each fault of an incorrect one.
//!
//! The host resembles one that an embedder would write: vectors, a single block, and the types of the built-in
//! IR.

use std::collections::HashMap;

use drrvm::conformance::{self, Case, Kit, Operation};
use drrvm::host::{ApFloat, ApInt};
use drrvm::host::{
    AttrKind, AttrNameId, AttrSpec, Bind, ElementValue, Facets, Ir, IrMut, OpNameId, OpState, Refusal,
    TypeKind, TypeSpec, WalkOrder,
};
use drrvm::ir::{AttrId, IrHost, TypeId, ValueId};

/// The fault of a host.
#[derive(Clone, Copy, Debug, PartialEq)]
enum HostFault {
    Nothing,
    OperandsSwapped,
    ResultIndex,
    DefiningOp,
    ValueType,
    AttrByIndex,
    LastUseMissing,
    CyclicUses,
    UseIndex,
    OpName,
    ParentIsSelf,
    PostOrder,
    ReplacesNothing,
    ErasesNothing,
    CreatesAtTheEnd,
    DropsAttributes,
    DropsOperands,
    IntegerWidth,
    IntegerValue,
}

const ALL: [HostFault; 18] = [
    HostFault::OperandsSwapped,
    HostFault::ResultIndex,
    HostFault::DefiningOp,
    HostFault::ValueType,
    HostFault::AttrByIndex,
    HostFault::LastUseMissing,
    HostFault::CyclicUses,
    HostFault::UseIndex,
    HostFault::OpName,
    HostFault::ParentIsSelf,
    HostFault::PostOrder,
    HostFault::ReplacesNothing,
    HostFault::ErasesNothing,
    HostFault::CreatesAtTheEnd,
    HostFault::DropsAttributes,
    HostFault::DropsOperands,
    HostFault::IntegerWidth,
    HostFault::IntegerValue,
];

/// A host in which operations and values are numbers, and operation 0 is the module. Types and attributes are
/// those of the built-in IR.
struct Flat {
    fault: HostFault,
    meanings: IrHost,
    ops: Vec<Op>,
    /// The type of each value, with the operation and index of a result.
    values: Vec<(TypeId, Option<(u32, u32)>)>,
    block: Vec<u32>,
}

struct Op {
    name: OpNameId,
    operands: Vec<u32>,
    results: Vec<u32>,
    attrs: Vec<(AttrNameId, AttrId)>,
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap()
}

impl Flat {
    /// Converts a module of the built-in IR; returns `None` if it has regions.
    fn of(own: &IrHost, fault: HostFault) -> Option<(Self, u32)> {
        let top = own.module.top();
        let module = Op { name: own.op_name(top), operands: vec![], results: vec![], attrs: vec![] };
        let (values, block) = Default::default();
        let mut flat = Self { fault, meanings: own.clone(), ops: vec![module], values, block };
        let mut known: HashMap<ValueId, u32> = HashMap::new();
        for op in own.module.preorder(top).skip(1) {
            if !own.module.regions(op).is_empty() {
                return None;
            }
            let operands = own.module.operands(op).iter().map(|value| known.get(value).copied());
            let operands: Option<Vec<u32>> = operands.collect();
            let types: Vec<TypeId> = own.module.results(op).map(|value| own.value_type(value)).collect();
            let dictionaries = [own.module.properties(op), own.module.attrs(op)];
            let attrs = dictionaries.into_iter().flat_map(|d| own.context.entries(d).to_vec()).collect();
            let new = flat.push(flat.block.len(), own.op_name(op), &operands?, &types, attrs);
            known.extend(own.module.results(op).zip(flat.op(new).results.iter().copied()));
        }
        Some((flat, 0))
    }

    fn op(&self, op: u32) -> &Op {
        &self.ops[op as usize]
    }

    fn push(
        &mut self,
        at: usize,
        name: OpNameId,
        operands: &[u32],
        types: &[TypeId],
        attrs: Vec<(AttrNameId, AttrId)>,
    ) -> u32 {
        let op = number(self.ops.len());
        let first = self.values.len();
        self.values.extend(types.iter().enumerate().map(|(i, &ty)| (ty, Some((op, number(i))))));
        let results = (first..self.values.len()).map(number).collect();
        self.ops.push(Op { name, operands: operands.to_vec(), results, attrs });
        self.block.insert(at, op);
        op
    }

    /// The uses of a value, oldest first.
    fn uses(&self, value: u32) -> Vec<(u32, u32)> {
        let of = |&op: &u32| {
            let operands = self.op(op).operands.iter().enumerate();
            operands
                .filter(|&(_, &operand)| operand == value)
                .map(move |(i, _)| (op, number(i)))
                .collect::<Vec<_>>()
        };
        self.block.iter().flat_map(of).collect()
    }
}

impl Ir for Flat {
    type Op = u32;
    type Value = u32;
    type Type = TypeId;
    type Attr = AttrId;
    type Use = (u32, u32);
    type Location = ();

    fn op_name(&self, op: u32) -> OpNameId {
        self.op(op).name
    }
    fn operand_count(&self, op: u32) -> u32 {
        number(self.op(op).operands.len())
    }
    fn operand(&self, op: u32, index: u32) -> u32 {
        let operands = &self.op(op).operands;
        let index = index as usize;
        operands[if self.fault == HostFault::OperandsSwapped { operands.len() - 1 - index } else { index }]
    }
    fn result_count(&self, op: u32) -> u32 {
        number(self.op(op).results.len())
    }
    fn result(&self, op: u32, index: u32) -> u32 {
        self.op(op).results[index as usize]
    }
    fn attr(&self, op: u32, name: AttrNameId) -> Option<AttrId> {
        let attrs = &self.op(op).attrs;
        match self.fault {
            HostFault::AttrByIndex => attrs.first().map(|attr| attr.1),
            _ => attrs.iter().find(|attr| attr.0 == name).map(|attr| attr.1),
        }
    }
    fn defining_op(&self, value: u32) -> Option<u32> {
        self.values[value as usize].1.map(|(op, _)| op).filter(|_| self.fault != HostFault::DefiningOp)
    }
    fn value_type(&self, value: u32) -> TypeId {
        self.values[if self.fault == HostFault::ValueType { 0 } else { value as usize }].0
    }
    fn attr_type(&self, attr: AttrId) -> Option<TypeId> {
        self.meanings.attr_type(attr)
    }
    fn first_use(&self, value: u32) -> Option<(u32, u32)> {
        let mut uses = self.uses(value);
        if self.fault == HostFault::LastUseMissing {
            uses.pop();
        }
        uses.last().copied()
    }
    fn next_use(&self, used: (u32, u32)) -> Option<(u32, u32)> {
        let uses = self.uses(self.op(used.0).operands[used.1 as usize]);
        let at = uses.iter().position(|&other| other == used)?;
        match at.checked_sub(1) {
            None if self.fault == HostFault::CyclicUses => uses.last().copied(),
            before => before.map(|before| uses[before]),
        }
    }
    fn use_owner(&self, used: (u32, u32)) -> u32 {
        used.0
    }
    fn use_index(&self, used: (u32, u32)) -> u32 {
        used.1 + u32::from(self.fault == HostFault::UseIndex)
    }
    fn location(&self, _op: u32) {}
    fn op_name_text(&self, name: OpNameId) -> String {
        self.meanings.op_name_text(name)
    }
    fn result_index(&self, value: u32) -> Option<u32> {
        self.values[value as usize]
            .1
            .map(|(_, index)| index + u32::from(self.fault == HostFault::ResultIndex))
    }
    fn parent_op(&self, op: u32) -> Option<u32> {
        match self.fault {
            HostFault::ParentIsSelf => Some(op),
            _ => (op != 0).then_some(0),
        }
    }
    fn walk(&self, root: u32, order: WalkOrder, visit: &mut dyn FnMut(u32)) {
        let reversed = self.fault == HostFault::PostOrder && order == WalkOrder::Post;
        if order == WalkOrder::Pre {
            visit(root);
        }
        match root {
            0 if reversed => self.block.iter().rev().for_each(|&op| visit(op)),
            0 => self.block.iter().for_each(|&op| visit(op)),
            _ => {}
        }
        if order == WalkOrder::Post {
            visit(root);
        }
    }
}

impl Bind for Flat {
    fn bind_op_name(&mut self, name: &str) -> OpNameId {
        match self.fault {
            HostFault::OpName => self.meanings.bind_op_name(&format!("{name}.")),
            _ => self.meanings.bind_op_name(name),
        }
    }
    fn bind_attr_name(&mut self, name: &str) -> AttrNameId {
        self.meanings.bind_attr_name(name)
    }
    fn bind_type(&mut self, text: &str) -> Option<TypeId> {
        self.meanings.bind_type(text)
    }
    fn bind_attr(&mut self, text: &str) -> Option<AttrId> {
        self.meanings.bind_attr(text)
    }
}

impl Facets for Flat {
    fn type_kind(&self, ty: TypeId) -> TypeKind<TypeId> {
        match self.meanings.type_kind(ty) {
            TypeKind::Integer { width, signedness } if self.fault == HostFault::IntegerWidth => {
                TypeKind::Integer { width: width + 1, signedness }
            }
            kind => kind,
        }
    }
    fn type_dim(&self, ty: TypeId, dim: u32) -> Option<i64> {
        self.meanings.type_dim(ty, dim)
    }
    fn type_dim_is_scalable(&self, ty: TypeId, dim: u32) -> bool {
        self.meanings.type_dim_is_scalable(ty, dim)
    }
    fn type_part(&self, ty: TypeId, index: u32) -> Option<TypeId> {
        self.meanings.type_part(ty, index)
    }
    fn type_extra(&self, ty: TypeId) -> Option<AttrId> {
        self.meanings.type_extra(ty)
    }
    fn type_text(&self, ty: TypeId) -> String {
        self.meanings.type_text(ty)
    }
    fn attr_kind(&self, attr: AttrId) -> AttrKind {
        self.meanings.attr_kind(attr)
    }
    fn attr_int(&self, attr: AttrId) -> Option<ApInt> {
        let value = self.meanings.attr_int(attr)?;
        Some(if self.fault == HostFault::IntegerValue { value.not() } else { value })
    }
    fn attr_float(&self, attr: AttrId) -> Option<ApFloat> {
        self.meanings.attr_float(attr)
    }
    fn attr_string(&self, attr: AttrId) -> Option<String> {
        self.meanings.attr_string(attr)
    }
    fn attr_held_type(&self, attr: AttrId) -> Option<TypeId> {
        self.meanings.attr_held_type(attr)
    }
    fn attr_element(&self, attr: AttrId, index: u64) -> Option<ElementValue<AttrId>> {
        self.meanings.attr_element(attr, index)
    }
    fn attr_entry_name(&self, attr: AttrId, index: u64) -> Option<String> {
        self.meanings.attr_entry_name(attr, index)
    }
    fn attr_text(&self, attr: AttrId) -> String {
        self.meanings.attr_text(attr)
    }
    fn find_attr_name(&self, name: &str) -> Option<AttrNameId> {
        self.meanings.find_attr_name(name)
    }
    fn find_type(&self, spec: &TypeSpec<TypeId, AttrId>) -> Option<TypeId> {
        self.meanings.find_type(spec)
    }
    fn find_attr(&self, spec: &AttrSpec<TypeId, AttrId>) -> Option<AttrId> {
        self.meanings.find_attr(spec)
    }
    fn make_type(&mut self, spec: &TypeSpec<TypeId, AttrId>) -> Option<TypeId> {
        self.meanings.make_type(spec)
    }
    fn make_attr(&mut self, spec: &AttrSpec<TypeId, AttrId>) -> Option<AttrId> {
        self.meanings.make_attr(spec)
    }
}

impl IrMut for Flat {
    fn create(&mut self, before: u32, state: &OpState<'_, Self>) -> Result<u32, Refusal> {
        let place = self.block.iter().position(|&op| op == before);
        let place = place.ok_or_else(|| Refusal::new("not in the block"))?;
        let place = if self.fault == HostFault::CreatesAtTheEnd { self.block.len() } else { place };
        let mut attrs: Vec<_> = state.attributes.iter().map(|attr| (attr.name, attr.value)).collect();
        if self.fault == HostFault::DropsAttributes {
            attrs.pop();
        }
        let operands = match state.operands {
            [rest @ .., _] if self.fault == HostFault::DropsOperands => rest,
            all => all,
        };
        Ok(self.push(place, state.name, operands, state.result_types, attrs))
    }
    fn replace_all_uses(&mut self, from: u32, to: u32) {
        if self.fault != HostFault::ReplacesNothing {
            let operands = self.ops.iter_mut().flat_map(|op| &mut op.operands);
            operands.filter(|operand| **operand == from).for_each(|operand| *operand = to);
        }
    }
    fn erase(&mut self, op: u32) {
        if self.fault != HostFault::ErasesNothing {
            self.block.retain(|&other| other != op);
        }
    }
}

#[test]
fn correct_host_passes() {
    let report = conformance::check(|own| Flat::of(own, HostFault::Nothing));
    println!("{report}");
    assert!(report.is_right(), "{report}");
    assert!(report.compared.len() > 5 * report.passed_over.len(), "{report}");
}

#[test]
fn each_fault_of_a_host_is_found() {
    let cases = drrvm::internal::corpus::cases();
    for fault in ALL {
        let compare = |case| Kit::new(|own: &IrHost| Flat::of(own, fault)).case(case).report();
        let reports = cases.iter().map(compare);
        let report = reports.into_iter().find(|report| !report.faults.is_empty()).unwrap_or_default();
        println!("{fault:?}: {report}");
        assert!(!report.faults.is_empty() && !report.is_right(), "{fault:?} was not detected");
    }
}

#[test]
fn host_that_represents_no_case_does_not_pass() {
    let report = conformance::check(|_| None::<(Flat, u32)>);
    assert!(!report.is_right());
    assert!(report.compared.is_empty() && report.faults.is_empty());
    assert!(
        report.to_string().contains("; skipped, because the host cannot represent them: ")
            && report.to_string().contains("benefit"),
        "{report}"
    );
}

fn own_operations() -> [Operation; 4] {
    [
        Operation::new("calc.number").attribute("value", ["0 : i32", "7 : i32"]).results(["i32"]),
        Operation::new("calc.add").operands(["i32", "i32"]).results(["i32"]),
        Operation::new("calc.split").operands(["i32"]).results(["i32", "f32"]),
        Operation::new("calc.print").operands(["f32"]),
    ]
}

/// A host with a closed set of operations, which cannot represent the corpus.
fn closed(own: &IrHost, fault: HostFault) -> Option<(Flat, u32)> {
    let of_calc = |op| own.op_name_text(own.op_name(op)).starts_with("calc.");
    own.module.preorder(own.module.top()).skip(1).all(of_calc).then(|| Flat::of(own, fault))?
}

/// Cases from the host's own operations find the faults of a host that cannot represent the corpus. They do not find
/// wrong integers in attributes, because no rule of these cases reads the value of an attribute.
#[test]
fn cases_from_own_operations_find_each_fault() {
    let compare = |fault| Kit::new(|own: &IrHost| closed(own, fault)).operations(&own_operations()).report();
    let report = compare(HostFault::Nothing);
    assert!(report.is_right() && report.passed_over.is_empty(), "{report}");
    assert!(report.compared.len() > 15, "{report}");
    for fault in ALL {
        let found = !compare(fault).faults.is_empty();
        assert_eq!(found, !matches!(fault, HostFault::IntegerWidth | HostFault::IntegerValue), "{fault:?}");
    }
}

/// A case that the embedder adds and that has errors is reported as a fault. So is an operation if no operation
/// produces values of the types of its operands.
#[test]
fn cases_that_cannot_be_compared_are_faults() {
    let case = Case::parse(
        "broken",
        "A rule with an error.\n=== rules.mlir\npdl.pattern @r\n=== ir\n=== rewritten\n",
    );
    let kit = || Kit::new(|own: &IrHost| Flat::of(own, HostFault::Nothing));
    let report = kit().case(&case.unwrap()).report();
    assert!(
        report.to_string().starts_with("broken: the case has errors: rules.mlir:1:15: error: "),
        "{report}"
    );
    let report = kit().operations(&[Operation::new("calc.drop").operands(["i32"])]).report();
    assert!(report.to_string().contains("no operation produces a value of type i32"), "{report}");
    assert!(report.to_string().contains("0 cases compared, 1 differences, which is a failure"), "{report}");
}

#[test]
fn the_built_in_ir_conforms_in_changes_of_blocks() {
    let report = Kit::new(|own: &IrHost| Some((own.clone(), own.module.top()))).blocks().report();
    assert!(report.is_right(), "{report}");
    assert!(report.compared.len() > 50, "{report}");
}
