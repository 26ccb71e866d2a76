//! Lowers methods to combinations of other methods of the library.

use super::lvalue::Held;
use crate::frontend::cxx::ast::NodeId;
use crate::frontend::cxx::error::Fault;
use crate::frontend::cxx::lower::{Lower, Lowered};
use crate::snippet::{AttrClass, BinaryOp, Builtin, Form, IntTy, Item, Ty, TypeClass, Typed};

impl Lower<'_, '_> {
    /// Lowers a method that is a combination of other methods; `None` for any other method.
    pub(in crate::frontend::cxx) fn composed_method(
        &mut self,
        node: NodeId,
        on: Typed,
        method: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        match (on.ty, method, args) {
            // The accessor of an operation with one operand.
            (Ty { item: Item::Op(_), form: Form::One }, "getOperand", []) => {
                let first = self.build(node, |b| b.int(0, IntTy::I64))?;
                self.library_method(node, on, "getOperand", &[first]).map(Some)
            }
            (Ty { item: Item::Name, form: Form::One }, "stripDialect", []) => {
                let text = self.library_method(node, on, "getStringRef", &[])?;
                let Some(pair) = self.tuple_type(&[Ty::STR, Ty::STR]) else { return Ok(None) };
                self.build(node, |b| {
                    let point = b.str(".")?;
                    let parts = b.algorithm(Builtin::StrSplit, &[text, point], pair)?;
                    b.field_at(parts, 1)
                })
                .map(Some)
            }
            (Ty { item: Item::Attr(class), form: Form::One }, "getAPSInt", [])
                if class.is_a(AttrClass::Integer) =>
            {
                let ty = self.b.signed_number_ty();
                Ok(Some(Typed { ty, ..on }))
            }
            (Ty { item: Item::Attr(class), form: Form::One }, "resizeSplat", &[to])
                if class.is_a(AttrClass::DenseElements) =>
            {
                let value = self.library_method(node, on, "getSplatValue", &[])?;
                let resized = self.library_function(node, "DenseElementsAttr::get", &[to, value])?;
                Ok(Some(Typed { ty: on.ty, ..resized }))
            }
            (Ty { item: Item::Attr(class), form: Form::One }, "bitcast", &[element])
                if class.is_a(AttrClass::DenseElements) =>
            {
                let ty = self.library_method(node, on, "getShapedType", &[])?;
                let to = self.library_method(node, ty, "clone", &[element])?;
                let result = Ty::attr(AttrClass::DenseElements);
                self.build(node, |b| b.algorithm(Builtin::Bitcast, &[on, to], result)).map(Some)
            }
            (Ty { item: Item::Attr(AttrClass::Dictionary), form: Form::One }, "getValue", []) => {
                self.build(node, |b| b.as_range(on)).map(Some)
            }
            (Ty { item: Item::Attr(AttrClass::Dictionary), form: Form::One }, "begin" | "end", []) => {
                let entries = self.build(node, |b| b.as_range(on))?;
                self.library_method(node, entries, method, &[]).map(Some)
            }
            (
                Ty { item: Item::Attr(class), form: Form::One },
                "getLeafReference" | "getNestedReferences",
                [],
            ) if class.is_a(AttrClass::SymbolRef) => self.symbols(node, on, method).map(Some),
            (Ty { item: Item::Type(TypeClass::RankedTensor), form: Form::One }, ..) => {
                self.changed_tensor_type(node, on, method, args)
            }
            (ty, ..) if self.b.is_signed_number(ty) => self.signed_method(node, on, method, args),
            (Ty::AP_INT, "getBoolValue", []) => {
                let zero = self.library_method(node, on, "isZero", &[])?;
                self.build(node, |b| b.not(zero)).map(Some)
            }
            (Ty::AP_INT, "isNegatedPowerOf2", []) => {
                let mut held = Held::new();
                let on = self.hold(node, on, &mut held)?;
                let is_negative = self.library_method(node, on, "isNegative", &[])?;
                let negated = self.build(node, |b| b.unary('-', on))?;
                let is_power = self.library_method(node, negated, "isPowerOf2", &[])?;
                let e = self.build(node, |b| b.and(is_negative, is_power))?;
                self.bind_held(node, held, e).map(Some)
            }
            (Ty::AP_INT, "isShiftedMask", []) => {
                let mut held = Held::new();
                let on = self.hold(node, on, &mut held)?;
                let is_zero = self.library_method(node, on, "isZero", &[])?;
                let filled = self.build(node, |b| {
                    let one = b.int(1, IntTy::U64)?;
                    let before = b.binary(BinaryOp::Sub, on, one)?;
                    b.binary(BinaryOp::Or, before, on)
                })?;
                let is_mask = self.library_method(node, filled, "isMask", &[])?;
                let e = self.build(node, |b| {
                    let not_zero = b.not(is_zero)?;
                    b.and(not_zero, is_mask)
                })?;
                self.bind_held(node, held, e).map(Some)
            }
            (Ty::AP_FLOAT, "isFiniteNonZero", []) => {
                let mut held = Held::new();
                let on = self.hold(node, on, &mut held)?;
                let is_finite = self.library_method(node, on, "isFinite", &[])?;
                let is_zero = self.library_method(node, on, "isZero", &[])?;
                let e = self.build(node, |b| {
                    let not_zero = b.not(is_zero)?;
                    b.and(is_finite, not_zero)
                })?;
                self.bind_held(node, held, e).map(Some)
            }
            (Ty { item: Item::Type(TypeClass::Tuple), form: Form::One }, "getType", &[index]) => {
                let types = self.library_method(node, on, "getTypes", &[])?;
                self.build(node, |b| b.index(types, index)).map(Some)
            }
            (Ty::AP_INT, "exactLogBase2", []) => {
                let mut held = Held::new();
                let on = self.hold(node, on, &mut held)?;
                let exact = self.library_method(node, on, "isPowerOf2", &[])?;
                let log = self.library_method(node, on, "logBase2", &[])?;
                let log = self.build(node, |b| b.convert(log, Ty::one(Item::Int(IntTy::I32))))?;
                let none = self.build(node, |b| b.int(-1, IntTy::I32))?;
                let e = self.build(node, |b| b.select(exact, log, none))?;
                self.bind_held(node, held, e).map(Some)
            }
            (Ty::AP_INT, _, &[by]) => self.saturating(node, on, method, by),
            (
                Ty::STR,
                "starts_with_insensitive"
                | "ends_with_insensitive"
                | "contains_insensitive"
                | "equals_insensitive",
                &[part],
            ) => {
                let part = self.build(node, |b| b.convert(part, Ty::STR))?;
                if method == "equals_insensitive" {
                    return self.equals_insensitive(node, on, part).map(Some);
                }
                let (on, part) = (self.in_lower_case(node, on)?, self.in_lower_case(node, part)?);
                self.library_method(node, on, method.trim_end_matches("_insensitive"), &[part]).map(Some)
            }
            (
                Ty { item: Item::Type(TypeClass::Function), form: Form::One },
                "getInput" | "getResult",
                &[index],
            ) => {
                let all = if method == "getInput" { "getInputs" } else { "getResults" };
                let types = self.library_method(node, on, all, &[])?;
                self.build(node, |b| b.index(types, index)).map(Some)
            }
            (Ty::STR, "front" | "back" | "begin" | "end" | "rbegin" | "rend", []) => {
                let characters = self.build(node, |b| b.as_range(on))?;
                match self.range_method(node, characters, method, &[])? {
                    Some(iterator) => Ok(Some(iterator)),
                    None => self.library_method(node, characters, method, &[]).map(Some),
                }
            }
            (Ty::STR, "take_front" | "take_back" | "drop_front" | "drop_back", []) => {
                let one = self.build(node, |b| b.int(1, IntTy::U64))?;
                self.part_of_text(node, on, method, one).map(Some)
            }
            (Ty::STR, "take_front" | "take_back" | "drop_front" | "drop_back", &[count]) => {
                self.part_of_text(node, on, method, count).map(Some)
            }
            (Ty::STR, "slice", &[from, to]) => {
                let mut held = Held::new();
                let (from, to) =
                    self.build(node, |b| Ok((b.convert(from, Ty::U64)?, b.convert(to, Ty::U64)?)))?;
                let from = self.hold(node, from, &mut held)?;
                let to = self.hold(node, to, &mut held)?;
                let e = self.build(node, |b| {
                    let (zero, count) = (b.int(0, IntTy::U64)?, b.binary(BinaryOp::Sub, to, from)?);
                    let is_ordered = b.binary(BinaryOp::Le, from, to)?;
                    let count = b.select(is_ordered, count, zero)?;
                    b.algorithm(Builtin::Substr, &[on, from, count], Ty::STR)
                })?;
                self.bind_held(node, held, e).map(Some)
            }
            // The entries of `StringMap` and `DenseMap`.
            (Ty { item: Item::Tuple(_), form: Form::One }, "getKey" | "getFirst", [])
                if self.b.field_index(on.ty, "first").is_some() =>
            {
                self.build(node, |b| b.field_at(on, 0)).map(Some)
            }
            (Ty { item: Item::Tuple(_), form: Form::One }, "getValue" | "getSecond", [])
                if self.b.field_index(on.ty, "second").is_some() =>
            {
                self.build(node, |b| b.field_at(on, 1)).map(Some)
            }
            (Ty { item: Item::Bool, form: Form::Range }, ..) => self.bits_method(node, on, method, args),
            _ => Ok(None),
        }
    }

    /// `reference.getLeafReference()` and `reference.getNestedReferences()`.
    fn symbols(&mut self, node: NodeId, on: Typed, method: &str) -> Lowered {
        self.build(node, |b| {
            let names = b.algorithm(Builtin::SymbolNames, &[on], Ty::range(Item::Str))?;
            if method == "getLeafReference" {
                let leaf = b.algorithm(Builtin::Back, &[names], Ty::STR)?;
                return b.algorithm(Builtin::StringAttr, &[leaf], Ty::attr(AttrClass::String));
            }
            let nested = b.algorithm(Builtin::DropFront, &[names], names.ty)?;
            let local = b.new_local(Ty::STR)?;
            let name = b.local(local)?;
            let flat = Ty::attr(AttrClass::FlatSymbolRef);
            let reference = b.algorithm(Builtin::SymbolRefAttr, &[name], flat)?;
            let make = b.lambda(&[local], reference)?;
            b.algorithm(Builtin::MapRange, &[nested, make], Ty::range(flat.item))
        })
    }

    /// `APInt::getBitsSet(width, from, to)` and `APInt::getBitsSetFrom(width, from)`; `None` for another function.
    pub(in crate::frontend::cxx) fn bits_set(
        &mut self,
        node: NodeId,
        function: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let mut held = Held::new();
        let mut all = Vec::new();
        for &arg in args {
            let arg = self.build(node, |b| b.convert(arg, Ty::U32))?;
            all.push(self.hold(node, arg, &mut held)?);
        }
        let (width, from, to) = match (function, &all[..]) {
            ("APInt::getBitsSet", &[width, from, to]) => (width, from, to),
            ("APInt::getBitsSetFrom", &[width, from]) => (width, from, width),
            _ => return Ok(None),
        };
        let e = self.build(node, |b| {
            let high = b.algorithm(Builtin::ApLowBits, &[width, to], Ty::AP_INT)?;
            let low = b.algorithm(Builtin::ApLowBits, &[width, from], Ty::AP_INT)?;
            let bits = b.binary(BinaryOp::Xor, high, low)?;
            let ordered = b.binary(BinaryOp::Le, from, to)?;
            let wrong = b.fail("the first bit is after the last one")?;
            b.select(ordered, bits, Typed { ty: Ty::AP_INT, ..wrong })
        })?;
        self.bind_held(node, held, e).map(Some)
    }

    /// `text.drop_front(count)` and similar methods.
    pub(super) fn part_of_text(&mut self, node: NodeId, text: Typed, method: &str, count: Typed) -> Lowered {
        let mut held = Held::new();
        let text = self.hold(node, text, &mut held)?;
        let count = self.hold(node, count, &mut held)?;
        let size = self.library_method(node, text, "size", &[])?;
        let e = self.build(node, |b| {
            let zero = b.int(0, IntTy::U64)?;
            let count = b.convert(count, Ty::U64)?;
            let fits = b.binary(BinaryOp::Le, count, size)?;
            let rest = b.binary(BinaryOp::Sub, size, count)?;
            let part = match method {
                "take_front" => b.algorithm(Builtin::Substr, &[text, zero, count], Ty::STR)?,
                "drop_front" => b.algorithm(Builtin::Substr, &[text, count], Ty::STR)?,
                "drop_back" => b.algorithm(Builtin::Substr, &[text, zero, rest], Ty::STR)?,
                _ => b.algorithm(Builtin::Substr, &[text, rest], Ty::STR)?,
            };
            let otherwise = match method {
                "take_front" | "take_back" => text,
                _ => {
                    let wrong = b.fail("a text has too few characters")?;
                    Typed { ty: Ty::STR, ..wrong }
                }
            };
            b.select(fits, part, otherwise)
        })?;
        self.bind_held(node, held, e)
    }

    fn in_lower_case(&mut self, node: NodeId, text: Typed) -> Lowered {
        self.library_method(node, text, "lower", &[])
    }

    /// True if two texts are equal up to the case of letters.
    pub(super) fn equals_insensitive(&mut self, node: NodeId, a: Typed, b: Typed) -> Lowered {
        let (a, b) = (self.in_lower_case(node, a)?, self.in_lower_case(node, b)?);
        self.build(node, |builder| builder.binary(BinaryOp::Eq, a, b))
    }

    /// `a.sadd_sat(b)` and similar methods; `None` for another method.
    fn saturating(
        &mut self,
        node: NodeId,
        on: Typed,
        method: &str,
        by: Typed,
    ) -> Result<Option<Typed>, Fault> {
        let (overflows, op) = match method {
            "sadd_sat" => (Builtin::ApSaddOverflows, BinaryOp::Add),
            "uadd_sat" => (Builtin::ApUaddOverflows, BinaryOp::Add),
            "ssub_sat" => (Builtin::ApSsubOverflows, BinaryOp::Sub),
            "usub_sat" => (Builtin::ApUsubOverflows, BinaryOp::Sub),
            "smul_sat" => (Builtin::ApSmulOverflows, BinaryOp::Mul),
            "umul_sat" => (Builtin::ApUmulOverflows, BinaryOp::Mul),
            _ => return Ok(None),
        };
        let mut held = Held::new();
        let on = self.hold(node, on, &mut held)?;
        let by = self.build(node, |b| b.convert(by, Ty::AP_INT))?;
        let by = self.hold(node, by, &mut held)?;
        let width = self.library_method(node, on, "getBitWidth", &[])?;
        let e = self.build(node, |b| {
            let value = b.binary(op, on, by)?;
            let overflows = b.algorithm(overflows, &[on, by], Ty::BOOL)?;
            let mut limit = |op| b.algorithm(op, &[width], Ty::AP_INT);
            let limit = match method {
                "usub_sat" => limit(Builtin::ApZero)?,
                "uadd_sat" | "umul_sat" => limit(Builtin::ApAllOnes)?,
                _ => {
                    let (min, max) = (limit(Builtin::ApMinSigned)?, limit(Builtin::ApMaxSigned)?);
                    let negative = b.algorithm(Builtin::IsNegative, &[on], Ty::BOOL)?;
                    let negative = match op {
                        BinaryOp::Mul => {
                            let other = b.algorithm(Builtin::IsNegative, &[by], Ty::BOOL)?;
                            b.binary(BinaryOp::Ne, negative, other)?
                        }
                        _ => negative,
                    };
                    b.select(negative, min, max)?
                }
            };
            b.select(overflows, limit, value)
        })?;
        self.bind_held(node, held, e).map(Some)
    }

    /// The methods of `RankedTensorType::Builder`, which is represented by a tensor type; `None` for another method.
    fn changed_tensor_type(
        &mut self,
        node: NodeId,
        on: Typed,
        method: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let mut held = Held::new();
        let on = self.hold(node, on, &mut held)?;
        let e = match (method, args) {
            ("setElementType" | "setShape", &[with]) => self.library_method(node, on, "clone", &[with])?,
            ("setEncoding", &[encoding]) => {
                let shape = self.library_method(node, on, "getShape", &[])?;
                let element = self.library_method(node, on, "getElementType", &[])?;
                self.library_function(node, "RankedTensorType::get", &[shape, element, encoding])?
            }
            ("dropDim", &[at]) => {
                let at = self.hold(node, at, &mut held)?;
                let shape = self.library_method(node, on, "getShape", &[])?;
                let one = self.build(node, |b| b.int(1, IntTy::I64))?;
                let next = self.build(node, |b| b.binary(BinaryOp::Add, at, one))?;
                let before = self.library_method(node, shape, "take_front", &[at])?;
                let after = self.library_method(node, shape, "drop_front", &[next])?;
                let shape = self.build(node, |b| b.algorithm(Builtin::Concat, &[before, after], shape.ty))?;
                self.library_method(node, on, "clone", &[shape])?
            }
            ("insertDim", &[size, at]) => {
                let at = self.hold(node, at, &mut held)?;
                let shape = self.library_method(node, on, "getShape", &[])?;
                let size = self.build(node, |b| b.convert(size, Ty::I64))?;
                let size = self.build(node, |b| b.list(&[size]))?;
                let before = self.library_method(node, shape, "take_front", &[at])?;
                let after = self.library_method(node, shape, "drop_front", &[at])?;
                let shape = self.build(node, |b| {
                    let before = b.algorithm(Builtin::Concat, &[before, size], shape.ty)?;
                    b.algorithm(Builtin::Concat, &[before, after], shape.ty)
                })?;
                self.library_method(node, on, "clone", &[shape])?
            }
            _ => return Ok(None),
        };
        self.bind_held(node, held, e).map(Some)
    }

    /// The methods of `BitVector`, which is represented by a range of Booleans; `None` for another method.
    fn bits_method(
        &mut self,
        node: NodeId,
        on: Typed,
        method: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let contains = |this: &mut Self, value| {
            this.build(node, |b| {
                let value = b.bool(value)?;
                b.algorithm(Builtin::IsContained, &[on, value], Ty::BOOL)
            })
        };
        let e = match (method, args) {
            ("test", &[at]) => self.build(node, |b| b.index(on, at))?,
            ("any", []) => contains(self, true)?,
            ("none" | "all", []) => {
                let found = contains(self, method == "none")?;
                self.build(node, |b| b.not(found))?
            }
            ("count", []) => {
                let size = self.container_of(on).counts.count();
                self.build(node, |b| {
                    let value = b.bool(true)?;
                    b.algorithm(Builtin::Count, &[on, value], size)
                })?
            }
            ("set_bits", []) => {
                self.build(node, |b| b.algorithm(Builtin::SetBits, &[on], Ty::range(IntTy::U32.item())))?
            }
            ("find_first", []) => {
                let mut held = Held::new();
                let on = self.hold(node, on, &mut held)?;
                let found = self.build(node, |b| {
                    let value = b.bool(true)?;
                    let iterator = Ty { item: Item::Bool, form: Form::Iterator };
                    let (begin, end) = (
                        b.algorithm(Builtin::Begin, &[on], iterator)?,
                        b.algorithm(Builtin::End, &[on], iterator)?,
                    );
                    let at = b.algorithm(Builtin::Find, &[on, value], iterator)?;
                    let index = b.algorithm(Builtin::Distance, &[begin, at], Ty::I32)?;
                    let missing = b.binary(BinaryOp::Eq, at, end)?;
                    let none = b.int(-1, IntTy::I32)?;
                    b.select(missing, none, index)
                })?;
                self.bind_held(node, held, found)?
            }
            _ => return Ok(None),
        };
        Ok(Some(e))
    }
}
