//! The kit for embedders says that a right host is right, and finds what is wrong with one that is not.
//!
//! The host is such as an embedder might write: vectors, one block, types and attributes that are their text.

#![cfg(feature = "conformance")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a panic is how a test fails")]

use drrvm::conformance;
use drrvm::host::{
    AttrKind, AttrNameId, AttrSpec, Bind, Facets, Ir, IrMut, OpNameId, OpState, Refusal, Signedness,
    TypeKind, TypeSpec, WalkOrder,
};
use drrvm::ir::{IrHost, ValueId};
use drrvm::number::ApInt;

/// What a host gets wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Nothing,
    OperandsSwapped,
    ResultIndex,
    DefiningOp,
    ValueType,
    AttrByPlace,
    LastUseForgotten,
    UsesGoRound,
    UseIndex,
    NameBoundAnew,
    ParentIsItself,
    PostOrder,
    ReplacesNothing,
    ErasesNothing,
    MakesAtTheEnd,
    DropsAttributes,
    DropsOperands,
    WidthOfIntegers,
    ValueOfIntegers,
}

const ALL: [Wrong; 18] = [
    Wrong::OperandsSwapped,
    Wrong::ResultIndex,
    Wrong::DefiningOp,
    Wrong::ValueType,
    Wrong::AttrByPlace,
    Wrong::LastUseForgotten,
    Wrong::UsesGoRound,
    Wrong::UseIndex,
    Wrong::NameBoundAnew,
    Wrong::ParentIsItself,
    Wrong::PostOrder,
    Wrong::ReplacesNothing,
    Wrong::ErasesNothing,
    Wrong::MakesAtTheEnd,
    Wrong::DropsAttributes,
    Wrong::DropsOperands,
    Wrong::WidthOfIntegers,
    Wrong::ValueOfIntegers,
];

/// Everything has a number; operation 0 is the module.
struct Flat {
    wrong: Wrong,
    texts: Vec<String>,
    ops: Vec<Op>,
    /// The type of each value, and what it is a result of.
    values: Vec<(u32, Option<(u32, u32)>)>,
    block: Vec<u32>,
}

struct Op {
    name: u32,
    operands: Vec<u32>,
    results: Vec<u32>,
    attrs: Vec<(u32, u32)>,
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap()
}

impl Flat {
    fn new(wrong: Wrong) -> Self {
        let mut flat =
            Self { wrong, texts: Vec::new(), ops: Vec::new(), values: Vec::new(), block: Vec::new() };
        let name = flat.text("builtin.module");
        flat.ops.push(Op { name, operands: vec![], results: vec![], attrs: vec![] });
        flat
    }

    fn text(&mut self, text: &str) -> u32 {
        let known = self.texts.iter().position(|known| known == text);
        number(known.unwrap_or_else(|| {
            self.texts.push(text.to_owned());
            self.texts.len() - 1
        }))
    }

    fn str(&self, text: u32) -> &str {
        &self.texts[text as usize]
    }

    fn op(&self, op: u32) -> &Op {
        &self.ops[op as usize]
    }

    fn value(&mut self, ty: u32, of: Option<(u32, u32)>) -> u32 {
        self.values.push((ty, of));
        number(self.values.len() - 1)
    }

    fn push(&mut self, at: usize, name: u32, operands: &[u32], types: &[u32], attrs: Vec<(u32, u32)>) -> u32 {
        let op = number(self.ops.len());
        let results =
            types.iter().enumerate().map(|(i, &ty)| self.value(ty, Some((op, number(i))))).collect();
        self.ops.push(Op { name, operands: operands.to_vec(), results, attrs });
        self.block.insert(at, op);
        op
    }

    /// The flat module that this one is; `None` if it has regions.
    fn of(own: &IrHost, wrong: Wrong) -> Option<(Self, u32)> {
        let mut flat = Self::new(wrong);
        let mut values: std::collections::HashMap<ValueId, u32> = std::collections::HashMap::new();
        for op in own.module.preorder(own.module.top()).skip(1) {
            if !own.module.regions(op).is_empty() {
                return None;
            }
            let operands: Option<Vec<u32>> =
                own.module.operands(op).iter().map(|v| values.get(v).copied()).collect();
            let types: Vec<u32> =
                own.module.results(op).map(|v| flat.text(&own.type_text(own.value_type(v)))).collect();
            let mut attrs = Vec::new();
            for dictionary in [own.module.properties(op), own.module.attrs(op)] {
                for &(name, attr) in own.context.entries(dictionary) {
                    attrs
                        .push((flat.text(own.context.attr_name_text(name)), flat.text(&own.attr_text(attr))));
                }
            }
            let name = flat.text(own.context.op_name_text(own.module.name(op)));
            let new = flat.push(flat.block.len(), name, &operands?, &types, attrs);
            values.extend(own.module.results(op).zip(flat.op(new).results.iter().copied()));
        }
        Some((flat, 0))
    }

    /// The uses of a value, the oldest first.
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

    fn integer(&self, attr: u32) -> Option<(i64, u32)> {
        let text = self.str(attr);
        if let "true" | "false" = text {
            return Some((i64::from(text == "true"), 1));
        }
        let (value, ty) = text.split_once(" : i")?;
        Some((value.parse().ok()?, ty.parse().ok()?))
    }
}

impl Ir for Flat {
    type Op = u32;
    type Value = u32;
    type Type = u32;
    type Attr = u32;
    type Use = (u32, u32);
    type Location = ();

    fn op_name(&self, op: u32) -> OpNameId {
        OpNameId::from_raw(self.op(op).name)
    }
    fn operand_count(&self, op: u32) -> u32 {
        number(self.op(op).operands.len())
    }
    fn operand(&self, op: u32, index: u32) -> u32 {
        let operands = &self.op(op).operands;
        let index = index as usize;
        operands[if self.wrong == Wrong::OperandsSwapped { operands.len() - 1 - index } else { index }]
    }
    fn result_count(&self, op: u32) -> u32 {
        number(self.op(op).results.len())
    }
    fn result(&self, op: u32, index: u32) -> u32 {
        self.op(op).results[index as usize]
    }
    fn attr(&self, op: u32, name: AttrNameId) -> Option<u32> {
        let attrs = &self.op(op).attrs;
        match self.wrong {
            Wrong::AttrByPlace => attrs.first().map(|attr| attr.1),
            _ => attrs.iter().find(|attr| attr.0 == name.raw()).map(|attr| attr.1),
        }
    }
    fn defining_op(&self, value: u32) -> Option<u32> {
        self.values[value as usize].1.map(|(op, _)| op).filter(|_| self.wrong != Wrong::DefiningOp)
    }
    fn value_type(&self, value: u32) -> u32 {
        if self.wrong == Wrong::ValueType { 0 } else { self.values[value as usize].0 }
    }
    fn attr_type(&self, attr: u32) -> Option<u32> {
        let (_, width) = self.integer(attr)?;
        self.texts.iter().position(|text| *text == format!("i{width}")).map(number)
    }
    fn first_use(&self, value: u32) -> Option<(u32, u32)> {
        let mut uses = self.uses(value);
        if self.wrong == Wrong::LastUseForgotten {
            uses.pop();
        }
        uses.last().copied()
    }
    fn next_use(&self, used: (u32, u32)) -> Option<(u32, u32)> {
        let uses = self.uses(self.op(used.0).operands[used.1 as usize]);
        let at = uses.iter().position(|&other| other == used)?;
        match at.checked_sub(1) {
            None if self.wrong == Wrong::UsesGoRound => uses.last().copied(),
            before => before.map(|before| uses[before]),
        }
    }
    fn use_owner(&self, used: (u32, u32)) -> u32 {
        used.0
    }
    fn use_index(&self, used: (u32, u32)) -> u32 {
        used.1 + u32::from(self.wrong == Wrong::UseIndex)
    }
    fn location(&self, _op: u32) {}
    fn op_name_text(&self, name: OpNameId) -> String {
        self.str(name.raw()).to_owned()
    }
    fn result_index(&self, value: u32) -> Option<u32> {
        self.values[value as usize].1.map(|(_, index)| index + u32::from(self.wrong == Wrong::ResultIndex))
    }
}

impl Bind for Flat {
    fn bind_op_name(&mut self, name: &str) -> OpNameId {
        if self.wrong == Wrong::NameBoundAnew {
            self.texts.push(name.to_owned());
            return OpNameId::from_raw(number(self.texts.len() - 1));
        }
        OpNameId::from_raw(self.text(name))
    }
    fn bind_attr_name(&mut self, name: &str) -> AttrNameId {
        AttrNameId::from_raw(self.text(name))
    }
    fn bind_type(&mut self, text: &str) -> Option<u32> {
        Some(self.text(text))
    }
    fn bind_attr(&mut self, text: &str) -> Option<u32> {
        Some(self.text(text))
    }
}

impl Facets for Flat {
    fn type_kind(&self, ty: u32) -> TypeKind<u32> {
        match self.str(ty).strip_prefix('i').and_then(|width| width.parse::<u32>().ok()) {
            Some(width) => TypeKind::Integer {
                width: width + u32::from(self.wrong == Wrong::WidthOfIntegers),
                signedness: Signedness::Signless,
            },
            None => TypeKind::Dialect,
        }
    }
    fn type_text(&self, ty: u32) -> String {
        self.str(ty).to_owned()
    }
    fn attr_kind(&self, attr: u32) -> AttrKind {
        let text = self.str(attr);
        if self.integer(attr).is_some() {
            AttrKind::Integer
        } else if text.starts_with('"') {
            AttrKind::String
        } else if text == "unit" {
            AttrKind::Unit
        } else {
            AttrKind::Other
        }
    }
    fn attr_int(&self, attr: u32) -> Option<ApInt> {
        let (value, width) = self.integer(attr)?;
        Some(ApInt::from_i64(width, value + i64::from(self.wrong == Wrong::ValueOfIntegers)))
    }
    fn attr_string(&self, attr: u32) -> Option<String> {
        Some(self.str(attr).strip_prefix('"')?.strip_suffix('"')?.to_owned())
    }
    fn attr_text(&self, attr: u32) -> String {
        self.str(attr).to_owned()
    }
    fn find_type(&self, spec: &TypeSpec<u32, u32>) -> Option<u32> {
        let text = match spec {
            TypeSpec::Integer { width, signedness: Signedness::Signless } => format!("i{width}"),
            TypeSpec::Float(format) => format.name().to_owned(),
            _ => return None,
        };
        self.texts.iter().position(|known| *known == text).map(number)
    }
    fn make_attr(&mut self, spec: &AttrSpec<u32, u32>) -> Option<u32> {
        match spec {
            AttrSpec::Integer(value, ty) => {
                let text = match self.str(*ty) {
                    "i1" => (!value.is_zero()).to_string(),
                    ty => format!("{} : {ty}", value.to_signed_string()),
                };
                Some(self.text(&text))
            }
            _ => None,
        }
    }
}

impl IrMut for Flat {
    fn create(&mut self, before: u32, state: &OpState<'_, Self>) -> Result<u32, Refusal> {
        let place =
            self.block.iter().position(|&op| op == before).ok_or_else(|| Refusal::new("not in the block"))?;
        let place = if self.wrong == Wrong::MakesAtTheEnd { self.block.len() } else { place };
        let mut attrs: Vec<_> = state.attributes.iter().map(|attr| (attr.name.raw(), attr.value)).collect();
        if self.wrong == Wrong::DropsAttributes {
            attrs.pop();
        }
        let operands = match state.operands {
            [rest @ .., _] if self.wrong == Wrong::DropsOperands => rest,
            all => all,
        };
        Ok(self.push(place, state.name.raw(), operands, state.result_types, attrs))
    }
    fn replace_all_uses(&mut self, from: u32, to: u32) {
        if self.wrong != Wrong::ReplacesNothing {
            let operands = self.ops.iter_mut().flat_map(|op| &mut op.operands);
            operands.filter(|operand| **operand == from).for_each(|operand| *operand = to);
        }
    }
    fn erase(&mut self, op: u32) {
        if self.wrong != Wrong::ErasesNothing {
            self.block.retain(|&other| other != op);
        }
    }
    fn parent_op(&self, op: u32) -> Option<u32> {
        match self.wrong {
            Wrong::ParentIsItself => Some(op),
            _ => (op != 0).then_some(0),
        }
    }
    fn walk(&self, root: u32, order: WalkOrder, visit: &mut dyn FnMut(u32)) {
        let reversed = self.wrong == Wrong::PostOrder && order == WalkOrder::Post;
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

#[test]
fn a_right_host_is_right() {
    let report = conformance::check(|own| Flat::of(own, Wrong::Nothing));
    println!("{report}");
    assert!(report.is_right(), "{report}");
    assert!(report.compared.len() > report.passed_over.len(), "{report}");
}

#[test]
fn what_is_wrong_with_a_host_is_found() {
    for wrong in ALL {
        let report = conformance::check(|own| Flat::of(own, wrong));
        println!("{wrong:?}: {report}");
        assert!(!report.faults.is_empty(), "{wrong:?} is not found");
    }
}

#[test]
fn a_host_that_holds_nothing_is_not_called_right() {
    let report = conformance::check(|_| None::<(Flat, u32)>);
    assert!(!report.is_right());
    assert!(report.compared.is_empty() && report.faults.is_empty());
    assert!(report.to_string().starts_with("0 cases compared, 0 differences; not held: benefit"), "{report}");
}
