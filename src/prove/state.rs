//! The state of a symbolic execution: the values and operations of the matched and the new IR.

use hashbrown::HashMap;

use crate::id::IdVec;
use crate::number::ApInt;
use crate::pdl::RuleSet;
use crate::semantics::{Bits, Flags, IntOp, Lane};

use super::term::{TermId, Terms};
use super::value::{Attr, Definition, Ty, Value, ValueId};

/// An operation of the matched or the new IR.
#[derive(Clone, Debug)]
pub(super) struct Op {
    pub(super) name: String,
    pub(super) operands: Vec<ValueId>,
    pub(super) results: Vec<ValueId>,
    /// The attributes on which the meaning of the operation depends.
    pub(super) attrs: Vec<(&'static str, Attr)>,
}

impl Op {
    pub(super) fn attr(&self, name: &str) -> Option<&Attr> {
        self.attrs.iter().find(|(found, _)| *found == name).map(|(_, attr)| attr)
    }
}

/// The names of the attributes on which the meaning of an operation depends.
pub(super) fn attributes(op: IntOp) -> &'static [&'static str] {
    match op {
        IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Shl | IntOp::Trunc => &["overflowFlags"],
        IntOp::DivS | IntOp::DivU | IntOp::ShrS | IntOp::ShrU => &["isExact"],
        IntOp::Compare => &["predicate"],
        _ => &[],
    }
}

/// The flags that attributes state.
pub(super) fn flags(attrs: &[(&'static str, Attr)]) -> Flags<TermId> {
    let mut flags = Flags::default();
    for (name, attr) in attrs {
        match (*name, attr) {
            ("overflowFlags", Attr::Overflow { nsw, nuw }) => {
                (flags.nsw, flags.nuw) = (Some(*nsw), Some(*nuw));
            }
            ("isExact", Attr::Unit { present }) => flags.exact = Some(*present),
            ("predicate", Attr::Int { value, .. }) => flags.predicate = Some(*value),
            _ => {}
        }
    }
    flags
}

/// The values, operations and assumptions of an execution.
#[derive(Clone, Debug)]
pub(super) struct State<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) terms: Terms,
    pub(super) index_width: u32,
    pub(super) values: IdVec<ValueId, Value>,
    /// The operations; those of the match part come first.
    pub(super) ops: Vec<Op>,
    /// The conditions that hold in every match.
    pub(super) assumptions: Vec<TermId>,
    /// Pairs of values, each with the bit that is set if both are the same value.
    pub(super) same: Vec<(ValueId, ValueId, TermId)>,
    /// The results of uninterpreted functions, by name and arguments.
    pub(super) functions: HashMap<String, TermId>,
    /// The names of the natives that are uninterpreted functions.
    pub(super) uninterpreted: Vec<String>,
}

impl<'a> State<'a> {
    pub(super) fn new(rules: &'a RuleSet, index_width: u32) -> Self {
        Self {
            rules,
            terms: Terms::default(),
            index_width,
            values: IdVec::default(),
            ops: Vec::new(),
            assumptions: Vec::new(),
            same: Vec::new(),
            functions: HashMap::new(),
            uninterpreted: Vec::new(),
        }
    }

    /// The width of values of a type; `None` for a type that is neither an integer nor `index`.
    pub(super) fn width(&self, ty: Ty) -> Option<u32> {
        match ty {
            Ty::Int(width) => Some(width),
            Ty::Index => Some(self.index_width),
            Ty::Other(_) => None,
        }
    }

    pub(super) fn add_value(&mut self, ty: Ty, lane: Lane<TermId>, definition: Definition) -> ValueId {
        self.values.push(Value { ty, lane, definition, constant: None, unused: None, one_use: None })
    }

    /// Adds a value about which nothing is known.
    pub(super) fn add_leaf(&mut self, ty: Ty, width: u32) -> ValueId {
        let lane = Lane { bits: self.terms.var(width), poison: self.terms.var(1) };
        self.add_value(ty, lane, Definition::Leaf)
    }

    /// Adds the result of a constant operation.
    pub(super) fn add_constant(&mut self, ty: Ty, width: u32, value: TermId) -> ValueId {
        let lane = Lane { bits: self.terms.zext_or_trunc(&value, width), poison: self.terms.boolean(false) };
        self.add_value(ty, lane, Definition::Constant(Attr::Int { ty, value }))
    }

    /// Assumes that a bit is set.
    pub(super) fn assume(&mut self, condition: TermId) {
        self.assumptions.push(condition);
    }

    /// Assumes that `then` is set if `condition` is set.
    fn assume_if(&mut self, condition: TermId, then: TermId) {
        let not = self.terms.not(&condition);
        let holds = self.terms.or(&not, &then);
        self.assumptions.push(holds);
    }

    /// The number of uses of a value by the operations that the state contains so far.
    pub(super) fn uses_in_ops(&self, value: ValueId) -> usize {
        self.ops.iter().flat_map(|op| &op.operands).filter(|operand| **operand == value).count()
    }

    /// The bit that is set if a value has no uses.
    pub(super) fn unused(&mut self, value: ValueId) -> TermId {
        if let Some(unused) = self.values[value].unused {
            return unused;
        }
        let unused = match self.uses_in_ops(value) {
            0 => self.terms.var(1),
            _ => self.terms.boolean(false),
        };
        self.values[value].unused = Some(unused);
        unused
    }

    /// The bit that is set if a value has exactly one use.
    pub(super) fn one_use(&mut self, value: ValueId) -> TermId {
        if let Some(one_use) = self.values[value].one_use {
            return one_use;
        }
        let one_use = match self.uses_in_ops(value) {
            0 | 1 => self.terms.var(1),
            _ => self.terms.boolean(false),
        };
        self.values[value].one_use = Some(one_use);
        let unused = self.unused(value);
        let used = self.terms.not(&unused);
        self.assume_if(one_use, used);
        one_use
    }

    /// The bit that is set if two values are the same value.
    pub(super) fn same_value(&mut self, a: ValueId, b: ValueId) -> TermId {
        if a == b {
            return self.terms.boolean(true);
        }
        if let Some((.., same)) = self.same.iter().find(|(x, y, _)| (*x, *y) == (a, b) || (*x, *y) == (b, a))
        {
            return *same;
        }
        let (x, y) = (self.values[a].clone(), self.values[b].clone());
        let same = match x.ty == y.ty {
            true => self.terms.var(1),
            false => {
                // Types that differ here can be equal for another width, so the proof depends on them.
                self.type_matters(x.ty);
                self.type_matters(y.ty);
                self.terms.boolean(false)
            }
        };
        self.same.push((a, b, same));
        if x.ty == y.ty {
            let bits = self.terms.eq(&x.lane.bits, &y.lane.bits);
            let poison = self.terms.eq(&x.lane.poison, &y.lane.poison);
            let equal = self.terms.and(&bits, &poison);
            self.assume_if(same, equal);
        }
        same
    }

    /// The bit that is set if a value is the result of a constant operation, and the attribute of that operation;
    /// `None` if the value cannot be such a result.
    pub(super) fn constant_of(&mut self, value: ValueId) -> Option<(TermId, Attr)> {
        let Value { ty, lane, definition, constant, .. } = self.values[value].clone();
        match definition {
            Definition::Constant(attr) => Some((self.terms.boolean(true), attr)),
            Definition::Result { .. } => None,
            Definition::Leaf => {
                if constant.is_some() {
                    return constant;
                }
                let width = ty.attr_width()?;
                let is_constant = self.terms.var(1);
                let value_bits = match self.terms.width(&lane.bits) == width {
                    true => lane.bits,
                    false => self.terms.var(width),
                };
                let narrow = self.terms.zext_or_trunc(&value_bits, self.terms.width(&lane.bits));
                let equal = self.terms.eq(&narrow, &lane.bits);
                let defined = self.terms.not(&lane.poison);
                let holds = self.terms.and(&equal, &defined);
                self.assume_if(is_constant, holds);
                let found = (is_constant, Attr::Int { ty, value: value_bits });
                self.values[value].constant = Some(found.clone());
                Some(found)
            }
        }
    }

    /// The bit that is set if all assumptions hold.
    pub(super) fn all_assumptions(&mut self) -> TermId {
        let mut all = self.terms.boolean(true);
        for condition in self.assumptions.clone() {
            all = self.terms.and(&all, &condition);
        }
        all
    }

    /// Records that a step depends on a type.
    pub(super) fn type_matters(&mut self, ty: Ty) {
        if let Ty::Int(width) = ty {
            self.terms.depends_on(width);
        }
    }

    /// A number as a term.
    pub(super) fn number(&mut self, width: u32, value: u64) -> TermId {
        self.terms.constant(ApInt::from_u64(width, value))
    }
}
