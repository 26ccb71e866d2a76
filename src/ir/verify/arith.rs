//! What `arith` operations ask of the types of their operands and results, and of their predicates.
//!
//! Types of dialects are passed over: they may be numbers to their dialect.

use super::Verifier;
use crate::ir::forms::{FLOAT_PREDICATES, Form, INT_PREDICATES};
use crate::ir::{AttrKind, Context, OpId, Signedness, TypeId, TypeKind};

/// What a number can be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A signless integer or `index`.
    Int,
    /// A signless integer.
    FixedInt,
    Index,
    Float,
    /// A signless integer or a float; the only class that elements of a memref may be of.
    Bits,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Class::Int => "signless-integer-like",
            Class::FixedInt => "signless-fixed-width-integer-like",
            Class::Index => "index-like",
            Class::Float => "floating-point-like",
            Class::Bits => "signless-integer-or-float-like or memref of signless-integer or float",
        }
    }
}

/// How the widths of a cast's two sides go together.
#[derive(Clone, Copy)]
enum Widths {
    Any,
    Grow,
    Shrink,
    Same,
}

impl Verifier<'_> {
    /// The types of an operation of one operand class, or of a cast.
    pub(super) fn arith_types(&self, op: OpId, form: Form) -> Result<(), String> {
        let name = self.context.op_name_text(self.module.name(op));
        let Some(name) = name.strip_prefix("arith.") else { return Ok(()) };
        self.flags(op)?;
        match form {
            Form::Cast(_) => self.cast(op, name),
            Form::CompareInts => {
                self.operand_classes(op, Class::Int)?;
                self.predicate(op, INT_PREDICATES.len())?;
                self.compared(op)
            }
            Form::CompareFloats => {
                self.operand_classes(op, Class::Float)?;
                self.predicate(op, FLOAT_PREDICATES.len())?;
                self.compared(op)
            }
            // By the last letter: `addi`, `divsi`, `shrui` are of integers, `addf`, `negf` of floats.
            Form::Binary(_) | Form::Unary(_) if name.ends_with('f') => self.operand_classes(op, Class::Float),
            Form::Binary(_) | Form::ExtendedAdd | Form::ExtendedMultiply => {
                self.operand_classes(op, Class::Int)
            }
            _ => Ok(()),
        }
    }

    fn operand_classes(&self, op: OpId, class: Class) -> Result<(), String> {
        for (i, &operand) in self.module.operands(op).iter().enumerate() {
            self.of_class(self.module.value_type(operand), class, "operand", i)?;
        }
        Ok(())
    }

    fn of_class(&self, ty: TypeId, class: Class, what: &str, index: usize) -> Result<(), String> {
        if self.is_of(ty, class) {
            return Ok(());
        }
        let text = self.context.brief_type(ty);
        Err(format!("{what} #{index} must be {}, but got '{text}'", class.name()))
    }

    fn is_of(&self, ty: TypeId, class: Class) -> bool {
        match self.context.type_kind(self.number_in(ty)) {
            _ if self.is_memref(ty) && class != Class::Bits => false,
            TypeKind::Dialect(_) => true,
            TypeKind::Integer { signedness: Signedness::Signless, .. } => {
                matches!(class, Class::Int | Class::FixedInt | Class::Bits)
            }
            TypeKind::Index => matches!(class, Class::Int | Class::Index),
            TypeKind::Float(_) => matches!(class, Class::Float | Class::Bits),
            _ => false,
        }
    }

    /// The element type of a vector, tensor or memref, or the type itself.
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
        let predicate = self.property(op, "predicate").map(|attr| self.context.attr_kind(attr));
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

    /// A comparison gives a bit for each pair.
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

    fn cast(&self, op: OpId, name: &str) -> Result<(), String> {
        let module = self.module;
        let (from, to) = (module.value_type(module.operand(op, 0)), module.value_type(module.result(op, 0)));
        let (operand, result, widths) = match name {
            "extsi" | "extui" => (Class::FixedInt, Class::FixedInt, Widths::Grow),
            "trunci" => (Class::FixedInt, Class::FixedInt, Widths::Shrink),
            "extf" => (Class::Float, Class::Float, Widths::Grow),
            "truncf" => (Class::Float, Class::Float, Widths::Shrink),
            "sitofp" | "uitofp" => (Class::FixedInt, Class::Float, Widths::Any),
            "fptosi" | "fptoui" => (Class::Float, Class::FixedInt, Widths::Any),
            // Of whole buffers as well.
            "index_cast" | "index_castui" if self.is_memref(from) && self.is_memref(to) => return Ok(()),
            "index_cast" | "index_castui" => {
                let to_index = self.is_of(to, Class::Index);
                let (operand, result) =
                    if to_index { (Class::FixedInt, Class::Index) } else { (Class::Index, Class::FixedInt) };
                (operand, result, Widths::Any)
            }
            _ => (Class::Bits, Class::Bits, Widths::Same),
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
        let fits = match (self.width(from), self.width(to), widths) {
            (Some(a), Some(b), Widths::Grow) => a < b,
            (Some(a), Some(b), Widths::Shrink) => a > b,
            (Some(a), Some(b), Widths::Same) => a == b,
            _ => true,
        };
        if fits {
            return Ok(());
        }
        let (from, to) = (self.context.brief_type(from), self.context.brief_type(to));
        Err(format!("operand type '{from}' and result type '{to}' are cast incompatible"))
    }

    /// Whether both are numbers, or elements of the same shape, all of whose sizes are said alike.
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

    /// Whether two operands of one operation go together: sizes that only one of the two knows do.
    pub(super) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        use crate::ir::DYNAMIC;
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

    /// The flags an operation has are flags.
    fn flags(&self, op: OpId) -> Result<(), String> {
        if !matches!(self.context.attr_kind(self.module.properties(op)), AttrKind::Dictionary(_)) {
            return Err("expected a dictionary as properties".to_owned());
        }
        for (name, dialect) in [("overflowFlags", "arith.overflow<"), ("fastmath", "arith.fastmath<")] {
            let fits = match self.property(op, name).map(|attr| self.context.attr_kind(attr)) {
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
