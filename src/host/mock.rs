//! A small host for tests, with a single block of operations.
//!
//! Types and attributes are interned texts, so equal texts have equal ids. Of an attribute, only the ` : type` at the
//! end and the elements of `array<i32: …>` are parsed. Operation 0 is the module, and all others are in its block.
//! Tests compare [`Mock::text`] to detect changes.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::id::{IdVec, define_ids};
use crate::intern::{Interner, StrId};

use crate::number::ApInt;

use super::facets::{AttrKind, ElementValue, Facets};
use super::ir::{AttrNameId, Bind, Ir, IrMut, NamedAttr, OpNameId, OpSignature, OpState, Refusal, WalkOrder};

define_ids! {
    /// An operation of a [`Mock`].
    pub(crate) struct MockOp;
    /// A value of a [`Mock`].
    pub(crate) struct MockValue;
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MockType(pub(crate) StrId);

/// An attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MockAttr(pub(crate) StrId);

/// A location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MockLocation(pub(crate) StrId);

/// A use: an operation, and the index of one of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MockUse(MockOp, u32);

#[derive(Clone)]
struct OpData {
    name: StrId,
    operands: Vec<MockValue>,
    results: Vec<MockValue>,
    attributes: Vec<(StrId, MockAttr)>,
    location: MockLocation,
}

#[derive(Clone)]
struct ValueData {
    ty: MockType,
    result_of: Option<(MockOp, u32)>,
    uses: Vec<MockUse>,
}

/// The host.
#[derive(Clone)]
pub(crate) struct Mock {
    texts: Interner,
    ops: IdVec<MockOp, OpData>,
    values: IdVec<MockValue, ValueData>,
    block: Vec<MockOp>,
    /// The name of an operation that [`IrMut::create`] refuses, for tests of roll-back.
    pub(crate) refused: Option<&'static str>,
    /// True if the host has no operation slots and no change count.
    pub(crate) bare: bool,
    /// The definitions of operations.
    pub(crate) signatures: Vec<(&'static str, OpSignature)>,
    /// The names of all operations, if the set is closed.
    pub(crate) closed: Option<Vec<String>>,
    /// True if linking drops the ` : type` of an attribute, so that different texts can be the same attribute.
    pub(crate) untyped: bool,
    /// The difference between the host's number of an operation name and the raw id of the name in `texts`.
    pub(crate) first_name: u32,
    changes: u64,
    /// The number of reads of operations and values.
    reads: Arc<AtomicUsize>,
}

impl Default for Mock {
    fn default() -> Self {
        let mut texts = Interner::default();
        let name = texts.intern("builtin.module");
        let location = MockLocation(texts.intern("unknown"));
        let mut ops = IdVec::default();
        ops.push(OpData { name, operands: vec![], results: vec![], attributes: vec![], location });
        Self {
            texts,
            ops,
            values: IdVec::default(),
            block: Vec::new(),
            refused: None,
            bare: false,
            signatures: Vec::new(),
            closed: None,
            untyped: false,
            first_name: 0,
            changes: 0,
            reads: Arc::default(),
        }
    }
}

impl Mock {
    /// The operation that contains all others.
    pub(crate) fn module(&self) -> MockOp {
        MockOp::from_raw(0)
    }

    /// A value that no operation defines.
    pub(crate) fn arg(&mut self, ty: &str) -> MockValue {
        let ty = MockType(self.texts.intern(ty));
        self.values.push(ValueData { ty, result_of: None, uses: vec![] })
    }

    /// Adds an operation at the end of the block. The location of operation 1 is `loc1`.
    pub(crate) fn op(
        &mut self,
        name: &str,
        operands: &[MockValue],
        attributes: &[(&str, &str)],
        results: &[&str],
    ) -> MockOp {
        let location = MockLocation(self.texts.intern(&format!("loc{}", self.ops.len())));
        let name = self.texts.intern(name);
        let attributes = attributes.iter().map(|(n, v)| (self.texts.intern(n), self.attribute(v))).collect();
        let types: Vec<_> = results.iter().map(|t| MockType(self.texts.intern(t))).collect();
        self.insert(self.block.len(), name, operands, attributes, &types, location)
    }

    /// Adds an operation like [`Self::op`], with one result. Returns the result.
    pub(crate) fn value(
        &mut self,
        name: &str,
        operands: &[MockValue],
        attributes: &[(&str, &str)],
        ty: &str,
    ) -> MockValue {
        let op = self.op(name, operands, attributes, &[ty]);
        self.ops[op].results[0]
    }

    /// The operations in the block.
    pub(crate) fn block(&self) -> &[MockOp] {
        &self.block
    }

    /// The text of a type, attribute or location.
    pub(crate) fn str(&self, id: StrId) -> &str {
        &self.texts[id]
    }

    /// The attribute with this text.
    pub(crate) fn attribute(&mut self, text: &str) -> MockAttr {
        if let Some((_, ty)) = text.rsplit_once(" : ") {
            self.texts.intern(ty);
        }
        MockAttr(self.texts.intern(text))
    }

    /// Sets an operand.
    pub(crate) fn set_operand(&mut self, op: MockOp, index: u32, value: MockValue) {
        self.changes += 1;
        let used = MockUse(op, index);
        let before = std::mem::replace(&mut self.ops[op].operands[index as usize], value);
        self.values[before].uses.retain(|&other| other != used);
        self.values[value].uses.push(used);
    }

    /// Calls `f`. Returns its result, and the number of reads of operations and values during the call.
    pub(crate) fn reads_during<T>(&self, f: impl FnOnce() -> T) -> (T, usize) {
        let before = self.reads();
        let value = f();
        (value, self.reads() - before)
    }

    /// The number of reads of operations and values so far.
    pub(crate) fn reads(&self) -> usize {
        self.reads.load(Relaxed)
    }

    fn count_read(&self) {
        self.reads.fetch_add(1, Relaxed);
    }

    /// The whole block as text.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for &op in &self.block {
            let op = &self.ops[op];
            for (i, r) in op.results.iter().enumerate() {
                let comma = if i > 0 { ", " } else { "" };
                write!(out, "{comma}%{}: {}", r.raw(), self.str(self.values[*r].ty.0)).expect("to a string");
            }
            let equals = if op.results.is_empty() { "" } else { " = " };
            write!(out, "{equals}{}(", self.str(op.name)).expect("to a string");
            for (i, v) in op.operands.iter().enumerate() {
                write!(out, "{}%{}", if i > 0 { ", " } else { "" }, v.raw()).expect("to a string");
            }
            out.push(')');
            for (i, (name, value)) in op.attributes.iter().enumerate() {
                let sign = if i > 0 { "," } else { " {" };
                write!(out, "{sign} {} = {}", self.str(*name), self.str(value.0)).expect("to a string");
            }
            out.push_str(if op.attributes.is_empty() { "" } else { " }" });
            writeln!(out, " @{}", self.str(op.location.0)).expect("to a string");
        }
        out
    }

    fn insert(
        &mut self,
        at: usize,
        name: StrId,
        operands: &[MockValue],
        attributes: Vec<(StrId, MockAttr)>,
        types: &[MockType],
        location: MockLocation,
    ) -> MockOp {
        self.changes += 1;
        let op = self.ops.push(OpData {
            name,
            operands: operands.to_vec(),
            results: vec![],
            attributes,
            location,
        });
        let results = (0u32..)
            .zip(types)
            .map(|(i, &ty)| self.values.push(ValueData { ty, result_of: Some((op, i)), uses: vec![] }))
            .collect();
        self.ops[op].results = results;
        for (i, &operand) in (0u32..).zip(operands) {
            self.values[operand].uses.push(MockUse(op, i));
        }
        self.block.insert(at, op);
        op
    }
}

impl Ir for Mock {
    type Op = MockOp;
    type Value = MockValue;
    type Type = MockType;
    type Attr = MockAttr;
    type Use = MockUse;
    type Location = MockLocation;

    fn op_name(&self, op: MockOp) -> OpNameId {
        self.count_read();
        OpNameId::from_raw(self.ops[op].name.raw() + self.first_name)
    }
    fn operand_count(&self, op: MockOp) -> u32 {
        self.count_read();
        u32::try_from(self.ops[op].operands.len()).expect("tests are small")
    }
    fn operand(&self, op: MockOp, index: u32) -> MockValue {
        self.count_read();
        self.ops[op].operands[index as usize]
    }
    fn result_count(&self, op: MockOp) -> u32 {
        self.count_read();
        u32::try_from(self.ops[op].results.len()).expect("tests are small")
    }
    fn result(&self, op: MockOp, index: u32) -> MockValue {
        self.count_read();
        self.ops[op].results[index as usize]
    }
    fn attr(&self, op: MockOp, name: AttrNameId) -> Option<MockAttr> {
        self.count_read();
        self.ops[op].attributes.iter().find(|(n, _)| n.raw() == name.raw()).map(|&(_, value)| value)
    }
    fn defining_op(&self, value: MockValue) -> Option<MockOp> {
        self.count_read();
        self.values[value].result_of.map(|(op, _)| op)
    }
    fn value_type(&self, value: MockValue) -> MockType {
        self.count_read();
        self.values[value].ty
    }
    fn attr_type(&self, attr: MockAttr) -> Option<MockType> {
        let (_, ty) = self.str(attr.0).rsplit_once(" : ")?;
        // `attribute` has interned the type.
        self.texts.find(ty).map(MockType)
    }
    fn first_use(&self, value: MockValue) -> Option<MockUse> {
        self.count_read();
        self.values[value].uses.last().copied()
    }
    fn next_use(&self, used: MockUse) -> Option<MockUse> {
        self.count_read();
        let uses = &self.values[self.ops[used.0].operands[used.1 as usize]].uses;
        let at = uses.iter().position(|&u| u == used)?;
        at.checked_sub(1).map(|before| uses[before])
    }
    fn use_owner(&self, used: MockUse) -> MockOp {
        used.0
    }
    fn use_index(&self, used: MockUse) -> u32 {
        used.1
    }
    fn location(&self, op: MockOp) -> MockLocation {
        self.ops[op].location
    }
    fn op_name_text(&self, name: OpNameId) -> String {
        self.str(StrId::from_raw(name.raw() - self.first_name)).to_owned()
    }
    fn op_slot(&self, op: MockOp) -> Option<u32> {
        (!self.bare).then(|| op.raw())
    }
    fn change_count(&self) -> u64 {
        if self.bare { 0 } else { self.changes + self.texts.len() as u64 }
    }
    fn parent_op(&self, op: MockOp) -> Option<MockOp> {
        (op != self.module()).then(|| self.module())
    }
    fn walk(&self, root: MockOp, order: WalkOrder, visit: &mut dyn FnMut(MockOp)) {
        if order == WalkOrder::Pre {
            visit(root);
        }
        if root == self.module() {
            for &op in &self.block {
                visit(op);
            }
        }
        if order == WalkOrder::Post {
            visit(root);
        }
    }
    fn is_isolated(&self, op: MockOp) -> bool {
        self.op_name_text(self.op_name(op)) == "t.isolated"
    }
}

impl Bind for Mock {
    fn bind_op_name(&mut self, name: &str) -> OpNameId {
        OpNameId::from_raw(self.texts.intern(name).raw() + self.first_name)
    }
    fn bind_attr_name(&mut self, name: &str) -> AttrNameId {
        AttrNameId::from_raw(self.texts.intern(name).raw())
    }
    fn bind_type(&mut self, text: &str) -> Option<MockType> {
        Some(MockType(self.texts.intern(text)))
    }
    fn bind_attr(&mut self, text: &str) -> Option<MockAttr> {
        let number = text.rsplit_once(" : ").filter(|_| self.untyped).map_or(text, |(number, _)| number);
        Some(self.attribute(number))
    }
    fn op_names(&self) -> Option<Vec<String>> {
        self.closed.clone()
    }
    fn op_signature(&self, name: &str) -> Option<OpSignature> {
        self.signatures.iter().find(|s| s.0 == name).map(|s| s.1.clone())
    }
}

impl Mock {
    /// The elements of `array<i32: 1, 2>`.
    fn array(&self, attr: MockAttr) -> Option<Vec<i64>> {
        let list = self.str(attr.0).strip_prefix("array<i32")?.strip_suffix('>')?;
        let numbers = list.trim_start_matches(':').split(',').filter(|number| !number.is_empty());
        numbers.map(|number| number.trim().parse().ok()).collect()
    }
}

impl Facets for Mock {
    fn attr_kind(&self, attr: MockAttr) -> AttrKind {
        match self.array(attr) {
            Some(array) => AttrKind::DenseArray { len: array.len() as u64 },
            None => AttrKind::Other,
        }
    }
    fn attr_element(&self, attr: MockAttr, index: u64) -> Option<ElementValue<MockAttr>> {
        let number = *self.array(attr)?.get(usize::try_from(index).ok()?)?;
        Some(ElementValue::Int(ApInt::from_i64(32, number)))
    }
}

impl IrMut for Mock {
    fn create(&mut self, before: MockOp, state: &OpState<'_, Self>) -> Result<MockOp, Refusal> {
        if self.refused.is_some_and(|refused| refused == self.op_name_text(state.name)) {
            return Err(Refusal::new("the test refuses this operation"));
        }
        let at = self.block.iter().position(|&op| op == before).expect("the root is in the block");
        let attribute = |a: &NamedAttr<MockAttr>| (StrId::from_raw(a.name.raw()), a.value);
        let attributes = state.attributes.iter().map(attribute).collect();
        let name = StrId::from_raw(state.name.raw() - self.first_name);
        Ok(self.insert(at, name, state.operands, attributes, state.result_types, state.location))
    }
    fn replace_all_uses(&mut self, from: MockValue, to: MockValue) {
        self.changes += 1;
        for used in std::mem::take(&mut self.values[from].uses) {
            self.ops[used.0].operands[used.1 as usize] = to;
            self.values[to].uses.push(used);
        }
    }
    fn erase(&mut self, op: MockOp) {
        self.changes += 1;
        for &result in &self.ops[op].results {
            assert!(self.values[result].uses.is_empty(), "an operation with uses is erased");
        }
        for i in 0..self.ops[op].operands.len() {
            let operand = self.ops[op].operands[i];
            self.values[operand].uses.retain(|used| used.0 != op);
        }
        let at = self.block.iter().position(|&other| other == op).expect("an operation is erased once");
        self.block.remove(at);
    }
    fn fuse_locations(&mut self, locations: &[MockLocation], metadata: Option<&str>) -> MockLocation {
        let mut parts: Vec<&str> = locations.iter().map(|l| self.str(l.0)).collect();
        let mut seen = Vec::new();
        parts.retain(|part| {
            !seen.contains(part) && {
                seen.push(part);
                true
            }
        });
        let text = match (&parts[..], metadata) {
            (&[one], None) => one.to_owned(),
            (_, None) => format!("fused[{}]", parts.join(", ")),
            (_, Some(metadata)) => format!("fused<{metadata:?}>[{}]", parts.join(", ")),
        };
        MockLocation(self.texts.intern(&text))
    }
    fn bind_location(&mut self, text: &str) -> Option<MockLocation> {
        Some(MockLocation(self.texts.intern(text)))
    }
    fn is_terminator(&self, _op: MockOp) -> bool {
        false
    }
    fn region_index(&self, _op: MockOp) -> u32 {
        0
    }
    fn entry_op(&self, parent: MockOp, _index: u32) -> Option<MockOp> {
        if parent == self.module() { self.block.first().copied() } else { None }
    }
    fn previous_in_block(&self, op: MockOp) -> Result<Option<MockOp>, Refusal> {
        let at = self.block.iter().position(|&other| other == op);
        Ok(at.and_then(|at| at.checked_sub(1)).map(|before| self.block[before]))
    }
    fn move_before(&mut self, op: MockOp, before: MockOp) {
        let place = |block: &[MockOp], op| block.iter().position(|&o| o == op).expect("it is in the block");
        self.block.remove(place(&self.block, op));
        self.block.insert(place(&self.block, before), op);
    }
    fn forget_location(&mut self, op: MockOp) {
        self.ops[op].location = MockLocation(self.texts.intern("unknown"));
    }
}

/// The default of `next_in_block` refuses, because `None` would mean that each operation is the last one of its block.
#[test]
fn next_in_block_refuses_by_default() {
    let mut ir = Mock::default();
    let op = ir.op("t.a", &[], &[], &[]);
    assert_eq!(ir.previous_in_block(op), Ok(None));
    assert!(ir.next_in_block(op).is_err_and(|refusal| refusal.0.contains("next_in_block")));
}

#[test]
fn uses_are_newest_first_and_follow_replacement() {
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    let a = ir.value("t.a", &[x, x], &[("v", "1 : i32")], "i32");
    let b = ir.op("t.b", &[a, x], &[], &[]);
    let mut seen = Vec::new();
    let mut next = ir.first_use(x);
    while let Some(used) = next {
        seen.push((ir.op_name_text(ir.op_name(ir.use_owner(used))), ir.use_index(used)));
        next = ir.next_use(used);
    }
    assert_eq!(seen, [("t.b".into(), 1), ("t.a".into(), 1), ("t.a".into(), 0)]);
    ir.replace_all_uses(a, x);
    ir.erase(ir.defining_op(a).expect("t.a"));
    assert_eq!(ir.text(), "t.b(%0, %0) @loc2\n");
    assert_eq!(ir.block(), [b]);
}
