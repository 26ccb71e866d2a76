//! Verifies the types, predicates and flags of the operations of `arith`.
//!
//! Types of dialects are not checked, because they may be number types.

use super::kind::{CastRule, FLOAT_PREDICATES, INT_PREDICATES, NumberClass, OpKind, WidthRelation};
use super::names::AttrNames;
use crate::host::Signedness;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::ids::TypeId;
use crate::ir::module::{Module, OpId};
use crate::ir::types::{DYNAMIC, TypeKind};

/// Verifies the operations of `arith`.
#[derive(Clone, Copy)]
pub(super) struct ArithVerifier<'a> {
    pub(super) context: &'a Context,
    pub(super) module: &'a Module,
    pub(super) names: &'a AttrNames,
}

impl ArithVerifier<'_> {
    /// Verifies the types, predicate and flags of an operation.
    pub(super) fn types(&self, op: OpId, kind: OpKind) -> Result<(), String> {
        self.flags(op)?;
        match kind {
            OpKind::Cast(rule) => self.cast(op, rule),
            OpKind::ScaledCast(widths) => self.scaled_cast(op, widths),
            OpKind::CompareInts => {
                self.operand_classes(op, NumberClass::Int)?;
                self.predicate(op, INT_PREDICATES)?;
                self.compared(op)
            }
            OpKind::CompareFloats => {
                self.operand_classes(op, NumberClass::Float)?;
                self.predicate(op, FLOAT_PREDICATES)?;
                self.compared(op)
            }
            OpKind::Binary(class) | OpKind::Unary(class) => self.operand_classes(op, class),
            OpKind::ExtendedAdd | OpKind::ExtendedMultiply => self.operand_classes(op, NumberClass::Int),
            _ => Ok(()),
        }
    }

    fn operand_classes(&self, op: OpId, class: NumberClass) -> Result<(), String> {
        for (i, &operand) in self.module.operands(op).iter().enumerate() {
            self.of_class(self.module.value_type(operand), class, "operand", i)?;
        }
        Ok(())
    }

    fn of_class(&self, ty: TypeId, class: NumberClass, what: &str, index: usize) -> Result<(), String> {
        if self.is_of(ty, class) {
            return Ok(());
        }
        let text = self.context.brief_type(ty);
        Err(format!("{what} #{index} must be {}, but got '{text}'", class.name()))
    }

    fn is_of(&self, ty: TypeId, class: NumberClass) -> bool {
        match self.context.type_kind(self.number_in(ty)) {
            _ if self.is_memref(ty) && class != NumberClass::Bits => false,
            TypeKind::Dialect(_) => true,
            TypeKind::Integer { signedness: Signedness::Signless, .. } => {
                matches!(class, NumberClass::Int | NumberClass::FixedInt | NumberClass::Bits)
            }
            TypeKind::Index => matches!(class, NumberClass::Int | NumberClass::Index),
            TypeKind::Float(_) => matches!(class, NumberClass::Float | NumberClass::Bits),
            _ => false,
        }
    }

    /// The element type of a vector, tensor or ranked memref; any other type itself.
    fn number_in(&self, ty: TypeId) -> TypeId {
        match *self.context.type_kind(ty) {
            TypeKind::Vector { element, .. }
            | TypeKind::RankedTensor { element, .. }
            | TypeKind::MemRef { element, .. }
            | TypeKind::UnrankedTensor(element) => element,
            _ => ty,
        }
    }

    fn is_memref(&self, ty: TypeId) -> bool {
        matches!(self.context.type_kind(ty), TypeKind::MemRef { .. } | TypeKind::UnrankedMemRef { .. })
    }

    fn width(&self, ty: TypeId) -> Option<u32> {
        match *self.context.type_kind(self.number_in(ty)) {
            TypeKind::Integer { width, .. } => Some(width),
            TypeKind::Float(format) => Some(format.width()),
            _ => None,
        }
    }

    fn predicate(&self, op: OpId, count: usize) -> Result<(), String> {
        let predicate = self.names.predicate.and_then(|name| self.module.attr(self.context, op, name));
        let predicate = predicate.map(|attr| self.context.attr_kind(attr));
        let value = match predicate {
            Some(AttrKind::Integer { value, ty: Context::I64 }) => value.to_i64(),
            Some(_) => None,
            None => return Err("requires attribute 'predicate'".to_owned()),
        };
        match value.and_then(|value| usize::try_from(value).ok()).filter(|&value| value < count) {
            Some(_) => Ok(()),
            None => Err(format!("requires attribute 'predicate', an i64 from 0 to {}", count - 1)),
        }
    }

    /// Requires the result of a comparison to have element type `i1` and the shape of the operands.
    fn compared(&self, op: OpId) -> Result<(), String> {
        let module = self.module;
        let operand = module.value_type(module.operand(op, 0));
        let result = module.value_type(module.result(op, 0));
        if matches!(self.context.type_kind(operand), TypeKind::Dialect(_)) {
            return Ok(());
        }
        match self.context.find_with_element(operand, Context::I1) == Some(result) {
            true => Ok(()),
            false => {
                Err("failed to verify that result type has i1 element type and same shape as operands"
                    .to_owned())
            }
        }
    }

    fn cast(&self, op: OpId, rule: CastRule) -> Result<(), String> {
        let module = self.module;
        let (from, to) = (module.value_type(module.operand(op, 0)), module.value_type(module.result(op, 0)));
        let (operand, result, widths) = match rule {
            CastRule::Classes { operand, result, widths } => (operand, result, widths),
            CastRule::Index if self.is_memref(from) && self.is_memref(to) => return Ok(()),
            CastRule::Index if self.is_of(to, NumberClass::Index) => {
                (NumberClass::FixedInt, NumberClass::Index, WidthRelation::Any)
            }
            CastRule::Index => (NumberClass::Index, NumberClass::FixedInt, WidthRelation::Any),
        };
        self.of_class(from, operand, "operand", 0)?;
        self.of_class(to, result, "result", 0)?;
        let numbers = (self.number_in(from), self.number_in(to));
        let opaque = |ty| matches!(self.context.type_kind(ty), TypeKind::Dialect(_));
        if opaque(numbers.0) || opaque(numbers.1) {
            return Ok(());
        }
        if !self.same_shape(from, to) {
            return Err("requires the same shape for all operands and results".to_owned());
        }
        self.cast_widths(from, to, widths)
    }

    /// Requires floats. As in MLIR, the shapes of the operand, the scale and the result are not compared.
    fn scaled_cast(&self, op: OpId, widths: WidthRelation) -> Result<(), String> {
        let module = self.module;
        let [from, scale] = [0, 1].map(|index| module.value_type(module.operand(op, index)));
        let to = module.value_type(module.result(op, 0));
        self.of_class(from, NumberClass::Float, "operand", 0)?;
        self.of_class(scale, NumberClass::Float, "operand", 1)?;
        self.of_class(to, NumberClass::Float, "result", 0)?;
        self.cast_widths(from, to, widths)
    }

    fn cast_widths(&self, from: TypeId, to: TypeId, widths: WidthRelation) -> Result<(), String> {
        let fits = match (self.width(from), self.width(to), widths) {
            (Some(a), Some(b), WidthRelation::Grow) => a < b,
            (Some(a), Some(b), WidthRelation::Shrink) => a > b,
            (Some(a), Some(b), WidthRelation::Same) => a == b,
            _ => true,
        };
        if fits {
            return Ok(());
        }
        let (from, to) = (self.context.brief_type(from), self.context.brief_type(to));
        Err(format!("operand type '{from}' and result type '{to}' are cast incompatible"))
    }

    /// True if neither type is shaped, or if both are of the same kind and have the same shape. As in MLIR, two
    /// unranked types do not have the same shape.
    fn same_shape(&self, a: TypeId, b: TypeId) -> bool {
        match (self.context.type_kind(a), self.context.type_kind(b)) {
            (
                TypeKind::Vector { shape: a, scalable: x, .. },
                TypeKind::Vector { shape: b, scalable: y, .. },
            ) => a == b && x == y,
            (TypeKind::RankedTensor { shape: a, .. }, TypeKind::RankedTensor { shape: b, .. })
            | (TypeKind::MemRef { shape: a, .. }, TypeKind::MemRef { shape: b, .. }) => a == b,
            (a, b) => !a.is_shaped() && !b.is_shaped(),
        }
    }

    /// True if two types are equal or are compatible tensors. Two ranked tensors are compatible if they differ only in
    /// sizes, and one of two different sizes is dynamic. An unranked and a ranked tensor are compatible if they have
    /// the same element type and the ranked tensor has no encoding.
    pub(super) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        let agree = |a: &[i64], b: &[i64]| {
            a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| a == b || a == DYNAMIC || b == DYNAMIC)
        };
        a == b
            || match (self.context.type_kind(a), self.context.type_kind(b)) {
                (
                    TypeKind::RankedTensor { shape: a, element: x, encoding: e },
                    TypeKind::RankedTensor { shape: b, element: y, encoding: f },
                ) => x == y && e == f && agree(a, b),
                (TypeKind::UnrankedTensor(x), TypeKind::RankedTensor { element: y, encoding: None, .. })
                | (TypeKind::RankedTensor { element: x, encoding: None, .. }, TypeKind::UnrankedTensor(y)) => {
                    x == y
                }
                _ => false,
            }
    }

    /// Verifies that the properties of an operation are a dictionary, and that its flags are attributes of the right
    /// class.
    fn flags(&self, op: OpId) -> Result<(), String> {
        let properties = self.module.properties(op);
        if [properties, self.module.attrs(op)] == [Context::EMPTY_DICTIONARY; 2] {
            return Ok(());
        }
        if !matches!(self.context.attr_kind(properties), AttrKind::Dictionary(_)) {
            return Err("expected a dictionary as properties".to_owned());
        }
        for (name, id, dialect) in [
            ("overflowFlags", self.names.overflow_flags, "arith.overflow<"),
            ("fastmath", self.names.fastmath, "arith.fastmath<"),
        ] {
            let attr = id.and_then(|id| self.module.attr(self.context, op, id));
            let fits = match attr.map(|attr| self.context.attr_kind(attr)) {
                None => true,
                Some(AttrKind::Dialect { body, .. }) => self.context.str(body.text).starts_with(dialect),
                Some(_) => false,
            };
            if !fits {
                return Err(format!("invalid attribute '{name}' among the properties"));
            }
        }
        Ok(())
    }
}
