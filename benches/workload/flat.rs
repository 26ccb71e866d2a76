//! A minimal host for the workload: flat tables, so that matching dominates the measured time.

use drrvm::host::Id;
use drrvm::host::{AttrNameId, Bind, Facets, Ir, OpNameId, WalkOrder};
use drrvm::internal::intern::{Interner, StrId};

/// Operations with one result, at most two operands and one attribute each.
#[derive(Default)]
pub struct Flat {
    ops: Vec<OpData>,
    texts: Interner,
}

#[derive(Clone, Copy)]
struct OpData {
    name: u32,
    count: u32,
    operands: [u32; 2],
    attr_name: u32,
    attr: u32,
    ty: u32,
}

impl Flat {
    /// Parses the workload's text.
    pub fn read(text: &str) -> Self {
        let mut flat = Flat::default();
        for line in text.lines() {
            let Some((_, rest)) = line.split_once(" = \"") else { continue };
            let (name, rest) = rest.split_once('"').expect("a name");
            let (operands, rest) = rest[1..].split_once(')').expect("operands");
            let (attr_name, rest) = rest.trim_start_matches(" <{").split_once(" = ").expect("an attribute");
            let (attr, rest) = rest.split_once('}').expect("an attribute");
            let (_, ty) = rest.rsplit_once("-> ").expect("a type");
            let mut data = OpData {
                name: flat.texts.intern(name).raw(),
                count: 0,
                operands: [0; 2],
                attr_name: flat.texts.intern(attr_name).raw(),
                attr: flat.texts.intern(attr).raw(),
                ty: flat.texts.intern(ty).raw(),
            };
            for operand in operands.split(", ").filter(|o| !o.is_empty()) {
                data.operands[data.count as usize] = operand[1..].parse().expect("a value's number");
                data.count += 1;
            }
            flat.ops.push(data);
        }
        flat
    }

    /// Creates operations with 2,000 names. Only 64 of these names occur in the workload's rules, and only 5% of the
    /// operations have one of the 64 names. These names, the operands and the attributes have the distributions of
    /// `definition::ir`.
    pub fn idle(count: u32) -> Self {
        const ARITIES: [u32; 8] = [2, 1, 2, 0, 2, 1, 2, 1];
        let mut flat = Flat::default();
        let mut state = 0x1234_u64;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from((state >> 33) % u64::from(below)).expect("below a u32")
        };
        let (attr_name, ty) = (flat.texts.intern("value").raw(), flat.texts.intern("i32").raw());
        for op in 0..count {
            let (u, v) = (draw(64), draw(64));
            let busy = draw(20) == 0;
            let mut name = if busy { (u * (v + 1)) >> 6 } else { 64 + draw(1_936) };
            if op < 2 {
                name = 3;
            }
            let mut data = OpData {
                name: flat.texts.intern(&format!("t.op{name}")).raw(),
                count: ARITIES[name as usize & 7],
                operands: [0; 2],
                attr_name,
                attr: flat.texts.intern(&format!("{} : i32", draw(10))).raw(),
                ty,
            };
            for operand in &mut data.operands[..data.count as usize] {
                *operand = op - 1 - draw(op.min(16));
            }
            flat.ops.push(data);
        }
        flat
    }

    /// Returns true if no rule of the workload starts at `op`.
    pub fn is_idle(&self, op: u32) -> bool {
        let name = &self.texts[StrId::from_raw(self.ops[op as usize].name)];
        name["t.op".len()..].parse::<u32>().is_ok_and(|number| number >= 64)
    }

    /// The operations in order.
    pub fn ops(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.ops.len()).expect("a workload is small")
    }
}

impl Ir for Flat {
    type Op = u32;
    /// A value is its defining operation, which has one result.
    type Value = u32;
    type Type = u32;
    type Attr = u32;
    type Use = u32;
    type Location = ();

    #[inline]
    fn op_name(&self, op: u32) -> OpNameId {
        OpNameId::from_raw(self.ops[op as usize].name)
    }
    #[inline]
    fn operand_count(&self, op: u32) -> u32 {
        self.ops[op as usize].count
    }
    #[inline]
    fn operand(&self, op: u32, index: u32) -> u32 {
        self.ops[op as usize].operands[index as usize]
    }
    #[inline]
    fn result_count(&self, _op: u32) -> u32 {
        1
    }
    #[inline]
    fn result(&self, op: u32, _index: u32) -> u32 {
        op
    }
    #[inline]
    fn attr(&self, op: u32, name: AttrNameId) -> Option<u32> {
        let op = &self.ops[op as usize];
        (op.attr_name == name.raw()).then_some(op.attr)
    }
    #[inline]
    fn defining_op(&self, value: u32) -> Option<u32> {
        Some(value)
    }
    #[inline]
    fn value_type(&self, value: u32) -> u32 {
        self.ops[value as usize].ty
    }
    fn attr_type(&self, _attr: u32) -> Option<u32> {
        None
    }
    fn first_use(&self, _value: u32) -> Option<u32> {
        None
    }
    fn next_use(&self, _used: u32) -> Option<u32> {
        None
    }
    fn use_owner(&self, used: u32) -> u32 {
        used
    }
    fn use_index(&self, _used: u32) -> u32 {
        0
    }
    #[inline]
    fn op_slot(&self, op: u32) -> Option<u32> {
        Some(op)
    }
    fn location(&self, _op: u32) {}
    fn op_name_text(&self, name: OpNameId) -> String {
        self.texts[StrId::from_raw(name.raw())].to_owned()
    }
    /// There is no nesting.
    fn parent_op(&self, _op: u32) -> Option<u32> {
        None
    }
    fn walk(&self, root: u32, _order: WalkOrder, visit: &mut dyn FnMut(u32)) {
        visit(root);
    }
}

impl Bind for Flat {
    fn bind_op_name(&mut self, name: &str) -> OpNameId {
        OpNameId::try_from_index(self.texts.intern(name).index()).expect("a workload is small")
    }
    fn bind_attr_name(&mut self, name: &str) -> AttrNameId {
        AttrNameId::from_raw(self.texts.intern(name).raw())
    }
    fn bind_type(&mut self, text: &str) -> Option<u32> {
        Some(self.texts.intern(text).raw())
    }
    fn bind_attr(&mut self, text: &str) -> Option<u32> {
        Some(self.texts.intern(text).raw())
    }
}

impl Facets for Flat {}
