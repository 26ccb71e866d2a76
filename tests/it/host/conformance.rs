//! Tests the conformance kit: it accepts a correct host and finds each fault of an incorrect host.
//!
//! The host resembles the host of an embedder: it keeps its operations in vectors, has a single block, and uses the
//! types and attributes of the built-in IR.

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

/// A host in which operations and values are numbers, and operation 0 is the module. Types and attributes are those of
/// the built-in IR.
struct Flat {
    fault: HostFault,
    /// The built-in IR, which interprets types and attributes.
    builtin: IrHost,
    ops: Vec<Op>,
    /// The type of each value and, if the value is a result, its operation and its index.
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
    /// Converts a module of the built-in IR. Returns `None` if one of its operations has regions or uses a value before
    /// the definition.
    fn of(builtin: &IrHost, fault: HostFault) -> Option<(Self, u32)> {
        let top = builtin.module.top();
        let module = Op { name: builtin.op_name(top), operands: vec![], results: vec![], attrs: vec![] };
        let (values, block) = Default::default();
        let mut flat = Self { fault, builtin: builtin.clone(), ops: vec![module], values, block };
        let mut known: HashMap<ValueId, u32> = HashMap::new();
        for op in builtin.module.preorder(top).skip(1) {
            if !builtin.module.regions(op).is_empty() {
                return None;
            }
            let operands = builtin.module.operands(op).iter().map(|value| known.get(value).copied());
            let operands: Option<Vec<u32>> = operands.collect();
            let types: Vec<TypeId> =
                builtin.module.results(op).map(|value| builtin.value_type(value)).collect();
            let dictionaries = [builtin.module.properties(op), builtin.module.attrs(op)];
            let attrs = dictionaries.into_iter().flat_map(|d| builtin.context.entries(d).to_vec()).collect();
            let new = flat.push(flat.block.len(), builtin.op_name(op), &operands?, &types, attrs);
            known.extend(builtin.module.results(op).zip(flat.op(new).results.iter().copied()));
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

    /// The uses of a value, in the order of the block.
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
        self.builtin.attr_type(attr)
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
        self.builtin.op_name_text(name)
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
            HostFault::OpName => self.builtin.bind_op_name(&format!("{name}.")),
            _ => self.builtin.bind_op_name(name),
        }
    }
    fn bind_attr_name(&mut self, name: &str) -> AttrNameId {
        self.builtin.bind_attr_name(name)
    }
    fn bind_type(&mut self, text: &str) -> Option<TypeId> {
        self.builtin.bind_type(text)
    }
    fn bind_attr(&mut self, text: &str) -> Option<AttrId> {
        self.builtin.bind_attr(text)
    }
}

impl Facets for Flat {
    fn type_kind(&self, ty: TypeId) -> TypeKind<TypeId> {
        match self.builtin.type_kind(ty) {
            TypeKind::Integer { width, signedness } if self.fault == HostFault::IntegerWidth => {
                TypeKind::Integer { width: width + 1, signedness }
            }
            kind => kind,
        }
    }
    fn type_dim(&self, ty: TypeId, dim: u32) -> Option<i64> {
        self.builtin.type_dim(ty, dim)
    }
    fn type_dim_is_scalable(&self, ty: TypeId, dim: u32) -> bool {
        self.builtin.type_dim_is_scalable(ty, dim)
    }
    fn type_part(&self, ty: TypeId, index: u32) -> Option<TypeId> {
        self.builtin.type_part(ty, index)
    }
    fn type_extra(&self, ty: TypeId) -> Option<AttrId> {
        self.builtin.type_extra(ty)
    }
    fn type_text(&self, ty: TypeId) -> String {
        self.builtin.type_text(ty)
    }
    fn attr_kind(&self, attr: AttrId) -> AttrKind {
        self.builtin.attr_kind(attr)
    }
    fn attr_int(&self, attr: AttrId) -> Option<ApInt> {
        let value = self.builtin.attr_int(attr)?;
        Some(if self.fault == HostFault::IntegerValue { value.not() } else { value })
    }
    fn attr_float(&self, attr: AttrId) -> Option<ApFloat> {
        self.builtin.attr_float(attr)
    }
    fn attr_string(&self, attr: AttrId) -> Option<String> {
        self.builtin.attr_string(attr)
    }
    fn attr_held_type(&self, attr: AttrId) -> Option<TypeId> {
        self.builtin.attr_held_type(attr)
    }
    fn attr_element(&self, attr: AttrId, index: u64) -> Option<ElementValue<AttrId>> {
        self.builtin.attr_element(attr, index)
    }
    fn attr_entry_name(&self, attr: AttrId, index: u64) -> Option<String> {
        self.builtin.attr_entry_name(attr, index)
    }
    fn attr_text(&self, attr: AttrId) -> String {
        self.builtin.attr_text(attr)
    }
    fn find_attr_name(&self, name: &str) -> Option<AttrNameId> {
        self.builtin.find_attr_name(name)
    }
    fn find_type(&self, spec: &TypeSpec<TypeId, AttrId>) -> Option<TypeId> {
        self.builtin.find_type(spec)
    }
    fn find_attr(&self, spec: &AttrSpec<TypeId, AttrId>) -> Option<AttrId> {
        self.builtin.find_attr(spec)
    }
    fn make_type(&mut self, spec: &TypeSpec<TypeId, AttrId>) -> Option<TypeId> {
        self.builtin.make_type(spec)
    }
    fn make_attr(&mut self, spec: &AttrSpec<TypeId, AttrId>) -> Option<AttrId> {
        self.builtin.make_attr(spec)
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
    let report = conformance::check(|builtin| Flat::of(builtin, HostFault::Nothing));
    println!("{report}");
    assert!(report.passed(), "{report}");
    assert!(report.compared.len() > 5 * report.skipped.len(), "{report}");
}

#[test]
fn each_fault_of_a_host_is_found() {
    let cases = drrvm::internal::corpus::cases();
    for fault in ALL {
        let compare = |case| Kit::new(|builtin: &IrHost| Flat::of(builtin, fault)).case(case).report();
        let reports = cases.iter().map(compare);
        let report = reports.into_iter().find(|report| !report.faults.is_empty()).unwrap_or_default();
        println!("{fault:?}: {report}");
        assert!(!report.faults.is_empty() && !report.passed(), "{fault:?} was not detected");
    }
}

#[test]
fn host_that_represents_no_case_does_not_pass() {
    let report = conformance::check(|_| None::<(Flat, u32)>);
    assert!(!report.passed());
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

/// Converts a module that consists of operations of `calc`. A host with such a closed set of operations cannot
/// represent the corpus.
fn of_calculator(builtin: &IrHost, fault: HostFault) -> Option<(Flat, u32)> {
    let of_calc = |op| builtin.op_name_text(builtin.op_name(op)).starts_with("calc.");
    builtin.module.preorder(builtin.module.top()).skip(1).all(of_calc).then(|| Flat::of(builtin, fault))?
}

/// If a host cannot represent the corpus, cases from the host's operations find its faults. They do not find wrong
/// values of integer attributes or wrong widths of integer types, because no rule of these cases reads such values or
/// widths.
#[test]
fn cases_from_the_operations_of_a_host_find_its_faults() {
    let compare = |fault| {
        Kit::new(|builtin: &IrHost| of_calculator(builtin, fault)).operations(&own_operations()).report()
    };
    let report = compare(HostFault::Nothing);
    assert!(report.passed() && report.skipped.is_empty(), "{report}");
    assert!(report.compared.len() > 15, "{report}");
    for fault in ALL {
        let found = !compare(fault).faults.is_empty();
        assert_eq!(found, !matches!(fault, HostFault::IntegerWidth | HostFault::IntegerValue), "{fault:?}");
    }
}

/// A case that the embedder adds and that has errors is reported as a fault. An operation with an operand is also
/// reported if no operation that can be generated produces a value of the operand's type.
#[test]
fn cases_that_cannot_be_compared_are_faults() {
    let case = Case::parse(
        "broken",
        "A rule with an error.\n=== rules.mlir\npdl.pattern @r\n=== ir\n=== rewritten\n",
    );
    let kit = || Kit::new(|builtin: &IrHost| Flat::of(builtin, HostFault::Nothing));
    let report = kit().case(&case.unwrap()).report();
    assert!(
        report.to_string().starts_with("broken: the case has errors: rules.mlir:1:15: error: "),
        "{report}"
    );
    let report = kit().operations(&[Operation::new("calc.drop").operands(["i32"])]).report();
    assert!(
        report.to_string().contains("no operation that can be generated produces a value of type i32"),
        "{report}"
    );
    assert!(
        report.to_string().contains("0 cases compared, 1 fault; no case was compared, so the check fails: "),
        "{report}"
    );
}

#[test]
fn the_built_in_ir_conforms_in_changes_of_blocks() {
    let report = Kit::new(|builtin: &IrHost| Some((builtin.clone(), builtin.module.top()))).blocks().report();
    assert!(report.passed(), "{report}");
    assert!(report.compared.len() > 50, "{report}");
}
