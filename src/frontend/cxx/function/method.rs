//! Lowers methods of numbers, strings, attributes, operations and ranges that the library does not list. Most of them
//! change their object or an argument.

use super::lvalue::Held;
use crate::frontend::cxx::ast::{NodeId, NodeKind};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{ContainerKind, Lower, Lowered, Order};
use crate::frontend::cxx::resolve::InlineBody;
use crate::snippet::{AttrClass, BinaryOp, Builtin, ClassId, Form, GroupRef, IntTy, Item, Member, Ty, Typed};

impl Lower<'_, '_> {
    /// A method that changes an `APInt` or `APFloat`; `None` for another method or other arguments.
    pub(super) fn change_number(
        &mut self,
        node: NodeId,
        object: NodeId,
        ty: Ty,
        method: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let changed = match (method, args) {
            ("setBit", &[at]) => self.update_by(node, object, Builtin::ApWithBit, at),
            ("clearBit", &[at]) => self.update_by(node, object, Builtin::ApWithoutBit, at),
            ("lshrInPlace", &[by]) => self.update_by(node, object, Builtin::ApLshr, by),
            ("ashrInPlace", &[by]) => self.update_by(node, object, Builtin::ApAshr, by),
            ("negate" | "changeSign", []) => self.update_with(node, object, |b, value| b.unary('-', value)),
            ("flipAllBits", []) => self.update_with(node, object, |b, value| b.unary('~', value)),
            ("setAllBits", []) => self.update_place(node, object, |this, value| {
                let width = this.library_method(node, value, "getBitWidth", &[])?;
                this.build(node, |b| b.algorithm(Builtin::ApAllOnes, &[width], ty))
            }),
            ("setBits", &[from, to]) => self.set_bits(node, object, Some(from), Some(to)),
            ("setBitsFrom", &[from]) => self.set_bits(node, object, Some(from), None),
            ("setLowBits", &[to]) => self.set_bits(node, object, None, Some(to)),
            ("setHighBits", &[count]) => self.update_place(node, object, |this, value| {
                let count = this.expression(count, None)?;
                this.build(node, |b| {
                    let width = b.algorithm(Builtin::BitWidth, &[value], Ty::U32)?;
                    let mask = b.algorithm(Builtin::ApHighBits, &[width, count], ty)?;
                    b.binary(BinaryOp::Or, value, mask)
                })
            }),
            ("clearLowBits", &[count]) => self.update_place(node, object, |this, value| {
                let count = this.expression(count, None)?;
                this.build(node, |b| {
                    let width = b.algorithm(Builtin::BitWidth, &[value], Ty::U32)?;
                    let mask = b.algorithm(Builtin::ApLowBits, &[width, count], ty)?;
                    let mask = b.unary('~', mask)?;
                    b.binary(BinaryOp::And, value, mask)
                })
            }),
            ("setSignBit" | "clearSignBit", []) => self.update_with(node, object, |b, value| {
                let width = b.algorithm(Builtin::BitWidth, &[value], Ty::U32)?;
                let mask = b.algorithm(Builtin::ApMinSigned, &[width], ty)?;
                if method == "setSignBit" {
                    return b.binary(BinaryOp::Or, value, mask);
                }
                let mask = b.unary('~', mask)?;
                b.binary(BinaryOp::And, value, mask)
            }),
            ("flipBit", &[at]) => self.update_place(node, object, |this, value| {
                let at = this.expression(at, None)?;
                this.build(node, |b| {
                    let width = b.algorithm(Builtin::BitWidth, &[value], Ty::U32)?;
                    let mask = b.algorithm(Builtin::ApOneBit, &[width, at], ty)?;
                    b.binary(BinaryOp::Xor, value, mask)
                })
            }),
            ("convertToInteger", &[to, mode, exact]) => {
                self.convert_to_integer(node, object, to, mode, exact)
            }
            ("insertBits", &[part, at]) => self.insert_bits(node, object, part, at),
            ("clearAllBits", []) => self.update_place(node, object, |this, value| {
                let width = this.library_method(node, value, "getBitWidth", &[])?;
                this.build(node, |b| b.algorithm(Builtin::ApZero, &[width], ty))
            }),
            ("convert", &[to, mode, loses]) => self.convert_float(node, object, to, mode, loses),
            _ => return self.overflowing(node, object, method, args),
        };
        changed.map(Some)
    }

    /// Sets the bits from `from` to the bit before `to`. If `from` is `None`, the range starts at bit 0. If `to` is
    /// `None`, the range ends at the last bit.
    fn set_bits(
        &mut self,
        node: NodeId,
        object: NodeId,
        from: Option<NodeId>,
        to: Option<NodeId>,
    ) -> Lowered {
        let mut held = Held::new();
        let from = match from {
            Some(from) => self.expression(from, None)?,
            None => self.build(node, |b| b.int(0, IntTy::U32))?,
        };
        let from = self.hold(node, from, &mut held)?;
        let to = match to {
            Some(to) => {
                let to = self.expression(to, None)?;
                Some(self.hold(node, to, &mut held)?)
            }
            None => None,
        };
        let stored = self.update_with(node, object, |b, value| {
            let width = b.algorithm(Builtin::BitWidth, &[value], Ty::U32)?;
            let to = to.unwrap_or(width);
            let (high, low) = (
                b.algorithm(Builtin::ApLowBits, &[width, to], Ty::AP_INT)?,
                b.algorithm(Builtin::ApLowBits, &[width, from], Ty::AP_INT)?,
            );
            let mask = b.binary(BinaryOp::Xor, high, low)?;
            let new = b.binary(BinaryOp::Or, value, mask)?;
            let ordered = b.algorithm(Builtin::ApIsSubsetOf, &[low, high], Ty::BOOL)?;
            let wrong = b.fail("the first bit is after the last one")?;
            b.select(ordered, new, Typed { ty: Ty::AP_INT, ..wrong })
        })?;
        self.bind_held(node, held, stored)
    }

    /// Lowers `value.convertToInteger(result, mode, &isExact)`, whose value is the status.
    fn convert_to_integer(
        &mut self,
        node: NodeId,
        object: NodeId,
        to: NodeId,
        mode: NodeId,
        exact: NodeId,
    ) -> Lowered {
        let mut held = Held::new();
        let mode = self.expression(mode, None)?;
        let mode = self.hold(node, mode, &mut held)?;
        let value = self.expression(object, None)?;
        let value = self.hold(node, value, &mut held)?;
        let result = self.expression(to, None)?;
        if !self.b.is_signed_number(result.ty) {
            let (lo, hi) = (self.ast[to].lo, self.ast[to].hi);
            return Err(error::unsupported(
                "'convertToInteger' with a result other than an 'APSInt'",
                lo,
                hi,
            ));
        }
        let result = self.hold(node, result, &mut held)?;
        let (status, new) = self.build(node, |b| {
            let (number, is_unsigned) = (b.number_of(result)?, b.is_unsigned(result)?);
            let width = b.algorithm(Builtin::BitWidth, &[number], Ty::U32)?;
            let args = [value, width, is_unsigned, mode];
            let status = b.algorithm(Builtin::FloatToIntStatus, &args, Ty::I32)?;
            let new = b.algorithm(Builtin::FloatToInt, &args, Ty::AP_INT)?;
            Ok((status, b.signed_number(new, is_unsigned)?))
        })?;
        let status = self.hold(node, status, &mut held)?;
        let stored = self.store(node, to, new)?;
        let is_exact = self.build(node, |b| {
            let ok = b.int(0, IntTy::I32)?;
            let ok = b.binary(BinaryOp::Eq, status, ok)?;
            let negative_zero = b.algorithm(Builtin::IsNegZero, &[value], Ty::BOOL)?;
            let other = b.not(negative_zero)?;
            b.and(ok, other)
        })?;
        let exact_stored = self.store(node, exact, is_exact)?;
        let both = self.build(node, |b| {
            let both = b.then(stored, exact_stored)?;
            b.then(both, status)
        })?;
        self.bind_held(node, held, both)
    }

    /// Lowers `number.insertBits(part, at)`, where the part is an `APInt`.
    fn insert_bits(&mut self, node: NodeId, object: NodeId, part: NodeId, at: NodeId) -> Lowered {
        let mut held = Held::new();
        let part = self.expression(part, None)?;
        if part.ty != Ty::AP_INT {
            let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
            return Err(error::unsupported("'insertBits' with a part other than an 'APInt'", lo, hi));
        }
        let part = self.hold(node, part, &mut held)?;
        let at = self.expression(at, None)?;
        let at = self.hold(node, at, &mut held)?;
        let stored = self.update_place(node, object, |this, before| {
            let mut held = Held::new();
            let before = this.hold(node, before, &mut held)?;
            let width = this.library_method(node, before, "getBitWidth", &[])?;
            let width = this.hold(node, width, &mut held)?;
            let part_width = this.library_method(node, part, "getBitWidth", &[])?;
            let part_width = this.hold(node, part_width, &mut held)?;
            let end = this.build(node, |b| b.binary(BinaryOp::Add, at, part_width))?;
            let fits = this.build(node, |b| b.binary(BinaryOp::Le, end, width))?;
            let new = this.build(node, |b| {
                let mask = b.algorithm(Builtin::ApLowBits, &[width, part_width], Ty::AP_INT)?;
                let mask = b.algorithm(Builtin::ApShl, &[mask, at], Ty::AP_INT)?;
                let mask = b.unary('~', mask)?;
                let kept = b.binary(BinaryOp::And, before, mask)?;
                let wide = b.algorithm(Builtin::ZextOrTrunc, &[part, width], Ty::AP_INT)?;
                let moved = b.algorithm(Builtin::ApShl, &[wide, at], Ty::AP_INT)?;
                let new = b.binary(BinaryOp::Or, kept, moved)?;
                let wrong = b.fail("the inserted bits do not fit")?;
                b.select(fits, new, Typed { ty: Ty::AP_INT, ..wrong })
            })?;
            this.bind_held(node, held, new)
        })?;
        self.bind_held(node, held, stored)
    }

    /// Applies `op` to a number and an argument, and assigns the result to the number.
    fn update_by(&mut self, node: NodeId, object: NodeId, op: Builtin, arg: NodeId) -> Lowered {
        let arg = self.expression(arg, None)?;
        self.update_with(node, object, |b, value| b.algorithm(op, &[value, arg], value.ty))
    }

    /// Lowers `attribute.mapValues(type, function)`. Returns `None` for other arguments.
    pub(in crate::frontend::cxx) fn map_values(
        &mut self,
        node: NodeId,
        on: Typed,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let &[element, by] = args else { return Ok(None) };
        let element = self.expression(element, None)?;
        let Ty { item: Item::Attr(class), form: Form::One } = on.ty else { return Ok(None) };
        // The parameter of the function selects the overload of `DenseElementsAttr`.
        let ast = self.ast;
        let declared = match &ast[by].kind {
            NodeKind::Lambda(params, ..) => params.first().map(|(ty, _)| ty.path.as_str()),
            _ => None,
        };
        let item = match (class, declared) {
            (AttrClass::DenseIntElements, _) | (AttrClass::DenseElements, Some("APInt")) => Item::ApInt,
            (AttrClass::DenseFloatElements, _) | (AttrClass::DenseElements, Some("APFloat")) => Item::ApFloat,
            _ => return Ok(None),
        };
        let mut held = Held::new();
        let on = self.hold(node, on, &mut held)?;
        let values = self.build(node, |b| b.algorithm(Builtin::ElementsOf, &[on], Ty::range(item)))?;
        let by = self.function_argument(by, &[Ty::one(item)])?;
        let mapped =
            self.build(node, |b| b.algorithm(Builtin::MapRange, &[values, by], Ty::range(Item::ApInt)))?;
        let ty = self.library_method(node, on, "getType", &[])?;
        let ty = self.library_method(node, ty, "clone", &[element])?;
        let e = self.library_function(node, "DenseElementsAttr::get", &[ty, mapped])?;
        self.bind_held(node, held, e).map(Some)
    }

    /// `text.split(parts, separator)`, with an optional limit and an optional `keepEmpty`. The call appends the parts
    /// to the variable `parts`.
    pub(in crate::frontend::cxx) fn split_into(
        &mut self,
        node: NodeId,
        on: Typed,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let Some((&target, rest)) = args.split_first().filter(|_| on.ty == Ty::STR) else { return Ok(None) };
        let mut passed = vec![on];
        for (&arg, to) in rest.iter().zip([Ty::STR, Ty::I32, Ty::BOOL]) {
            let arg = self.expression(arg, None)?;
            passed.push(self.build(node, |b| b.argument(arg, to))?);
        }
        self.update_place(node, target, |this, before| {
            this.build(node, |b| {
                let parts = b.algorithm(Builtin::StrSplitAll, &passed, Ty::range(Item::Str))?;
                b.algorithm(Builtin::Concat, &[before, parts], before.ty)
            })
        })
        .map(Some)
    }

    /// Lowers `value.convert(semantics, mode, &losesInfo)`, whose value is the status.
    fn convert_float(
        &mut self,
        node: NodeId,
        object: NodeId,
        to: NodeId,
        mode: NodeId,
        loses: NodeId,
    ) -> Lowered {
        let to = self.expression(to, None)?;
        let mut held = Held::new();
        let mode = self.expression(mode, None)?;
        let mode = self.hold(node, mode, &mut held)?;
        let to = self.hold(node, to, &mut held)?;
        let before = self.expression(object, None)?;
        let before = self.hold(node, before, &mut held)?;
        let after = self.build(node, |b| b.algorithm(Builtin::FloatTo, &[to, before, mode], Ty::AP_FLOAT))?;
        let after = self.hold(node, after, &mut held)?;
        let status =
            self.build(node, |b| b.algorithm(Builtin::FloatConversionStatus, &[before, after], Ty::I32))?;
        let status = self.hold(node, status, &mut held)?;
        let stored = self.store(node, object, after)?;
        let lost =
            self.build(node, |b| b.algorithm(Builtin::FloatConversionLoses, &[before, after], Ty::BOOL))?;
        let loss_stored = self.store(node, loses, lost)?;
        let both = self.build(node, |b| {
            let both = b.then(stored, loss_stored)?;
            b.then(both, status)
        })?;
        self.bind_held(node, held, both)
    }

    /// `a.sadd_ov(b, overflow)` and similar methods; `None` for another method.
    pub(in crate::frontend::cxx) fn overflowing(
        &mut self,
        node: NodeId,
        object: NodeId,
        method: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let (test, op) = match method {
            "sadd_ov" => (Builtin::ApSaddOverflows, BinaryOp::Add),
            "uadd_ov" => (Builtin::ApUaddOverflows, BinaryOp::Add),
            "ssub_ov" => (Builtin::ApSsubOverflows, BinaryOp::Sub),
            "usub_ov" => (Builtin::ApUsubOverflows, BinaryOp::Sub),
            "smul_ov" => (Builtin::ApSmulOverflows, BinaryOp::Mul),
            "umul_ov" => (Builtin::ApUmulOverflows, BinaryOp::Mul),
            "sdiv_ov" => (Builtin::ApSdivOverflows, BinaryOp::Div),
            _ => return Ok(None),
        };
        let &[by, overflow] = args else { return Ok(None) };
        let mut held = Held::new();
        let on = self.expression(object, None)?;
        let on = match on.ty.form {
            Form::Optional | Form::Iterator => self.build(node, |b| b.deref(on))?,
            _ => on,
        };
        let on = self.hold(node, on, &mut held)?;
        let by = self.expression(by, None)?;
        let by = self.hold(node, by, &mut held)?;
        let overflows = self.build(node, |b| b.algorithm(test, &[on, by], Ty::BOOL))?;
        let stored = self.store(node, overflow, overflows)?;
        let both = self.build(node, |b| {
            let value = match op {
                BinaryOp::Div => b.algorithm(Builtin::ApSdiv, &[on, by], Ty::AP_INT)?,
                _ => b.binary(op, on, by)?,
            };
            b.then(stored, value)
        })?;
        self.bind_held(node, held, both).map(Some)
    }

    /// A method that changes a string; `None` for another method.
    pub(super) fn change_string(
        &mut self,
        node: NodeId,
        object: NodeId,
        method: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let part = match (method, args) {
            ("consume_front" | "consume_back", &[part]) => part,
            ("push_back" | "append", &[part]) => {
                let part = self.expression(part, None)?;
                return self
                    .update_with(node, object, |b, text| b.binary(BinaryOp::Add, text, part))
                    .map(Some);
            }
            ("clear", []) => return self.update_with(node, object, |b, _| b.str("")).map(Some),
            ("reserve", _) | ("flush", []) => return self.build(node, |b| b.null(Ty::NULL)).map(Some),
            ("pop_back", []) => {
                let changed = self.update_place(node, object, |this, text| {
                    let one = this.build(node, |b| b.int(1, IntTy::U64))?;
                    this.part_of_text(node, text, "drop_back", one)
                })?;
                return Ok(Some(changed));
            }
            ("erase", &[first, _]) => return self.erase_characters(node, object, first),
            ("insert", &[at, part]) => return self.insert_text(node, object, at, part).map(Some),
            _ => return Ok(None),
        };
        let front = method == "consume_front";
        let mut held = Held::new();
        let part = self.expression(part, Some(Ty::STR))?;
        let part = match part.ty.item {
            Item::Int(_) => self.build(node, |b| b.algorithm(Builtin::CharText, &[part], Ty::STR))?,
            _ => part,
        };
        let part = self.hold(node, part, &mut held)?;
        let text = self.expression(object, None)?;
        let fits = if front { "starts_with" } else { "ends_with" };
        let fits = self.library_method(node, text, fits, &[part])?;
        let whole = self.library_method(node, text, "size", &[])?;
        let length = self.library_method(node, part, "size", &[])?;
        let left = self.build(node, |b| b.binary(BinaryOp::Sub, whole, length))?;
        let zero = self.build(node, |b| b.int(0, IntTy::I64))?;
        let from = if front { length } else { zero };
        let rest = self.build(node, |b| b.algorithm(Builtin::Substr, &[text, from, left], Ty::STR))?;
        let stored = self.store(node, object, rest)?;
        let e = self.store_if(node, fits, stored, true)?;
        self.bind_held(node, held, e).map(Some)
    }

    /// `text.insert(index, part)` and `text.insert(text.begin(), part)`.
    fn insert_text(&mut self, node: NodeId, object: NodeId, at: NodeId, part: NodeId) -> Lowered {
        let text = |node: NodeId| self.text.get(self.ast[node].lo..self.ast[node].hi);
        let begin = self.range_of_begin(at).is_some_and(|of| text(of) == text(object));
        let mut held = Held::new();
        let at = match begin {
            true => self.build(node, |b| b.int(0, IntTy::U64))?,
            false => self.expression(at, None)?,
        };
        if !matches!(at.ty, Ty { item: Item::Int(_), form: Form::One }) {
            let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
            return Err(error::unsupported("'insert' at this position of a string", lo, hi));
        }
        let at = self.hold(node, at, &mut held)?;
        let part = self.expression(part, None)?;
        let part = self.hold(node, part, &mut held)?;
        let stored = self.update_place(node, object, |this, text| {
            let before = this.part_of_text(node, text, "take_front", at)?;
            let after = this.part_of_text(node, text, "drop_front", at)?;
            this.build(node, |b| {
                let before = b.binary(BinaryOp::Add, before, part)?;
                b.binary(BinaryOp::Add, before, after)
            })
        })?;
        self.bind_held(node, held, stored)
    }

    /// Lowers `tie(a, b) = value`.
    pub(super) fn store_tied(&mut self, node: NodeId, targets: &[NodeId], value: Typed) -> Lowered {
        let mut held = Held::new();
        let value = self.hold(node, value, &mut held)?;
        let mut all = Vec::new();
        for (field, &target) in (0..).zip(targets) {
            if matches!(&self.ast[target].kind, NodeKind::Name(name) if name.path == "ignore") {
                continue;
            }
            let field = self.build(node, |b| b.field_at(value, field))?;
            all.push(self.store(node, target, field)?);
        }
        let block = self.build(node, |b| b.block(&all))?;
        self.bind_held(node, held, block)
    }

    /// `op->setAttr(name, value)` and other methods on the attributes of an operation; `None` for another method.
    pub(in crate::frontend::cxx) fn attribute_method(
        &mut self,
        node: NodeId,
        on: Typed,
        method: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        if !matches!(on.ty, Ty { item: Item::Op(_), form: Form::One }) {
            return Ok(None);
        }
        if let &[value] = args
            && let Some(set) = self.set_declared(node, on, method, value)?
        {
            return Ok(Some(set));
        }
        if let ([], Some(getter)) = (args, method.strip_prefix("remove"))
            && let Item::Op(Some(class)) = on.ty.item
            && let setter = format!("set{getter}")
            && let Some(removed) = self.request.resolver.setter(self.b.snippets(), class, &setter)
            && removed.body.is_none()
        {
            return self
                .build(node, |b| {
                    let name = b.str(&removed.attribute)?;
                    b.algorithm(Builtin::RemoveAttr, &[on, name], Ty::ATTR)
                })
                .map(Some);
        }
        let list = Ty::range(self.b.snippets().named_attribute().item);
        let (op, passed, ty) = match (method, args) {
            ("setAttr" | "setDiscardableAttr" | "setInherentAttr", &[name, value]) => {
                let op = match method {
                    "setAttr" => Builtin::SetAttr,
                    "setDiscardableAttr" => Builtin::SetDiscardableAttr,
                    _ => Builtin::SetInherentAttr,
                };
                let name = self.build(node, |b| b.convert(name, Ty::STR))?;
                let value = self.b.convert(value, Ty::ATTR);
                (op, vec![on, name, self.at_node(node, value)?], Ty::NULL)
            }
            ("removeAttr" | "removeDiscardableAttr", &[name]) => {
                let is_any = method == "removeAttr";
                let op = if is_any { Builtin::RemoveAttr } else { Builtin::RemoveDiscardableAttr };
                let name = self.b.convert(name, Ty::STR);
                (op, vec![on, self.at_node(node, name)?], Ty::ATTR)
            }
            ("getAttrs", []) => (Builtin::OpAttributes, vec![on], list),
            ("getDiscardableAttrs", []) => (Builtin::DiscardableAttributes, vec![on], list),
            ("getAttrDictionary" | "getDiscardableAttrDictionary", []) => {
                let is_all = method == "getAttrDictionary";
                let op = if is_all { Builtin::OpAttributes } else { Builtin::DiscardableAttributes };
                let entries = self.build(node, |b| b.algorithm(op, &[on], list))?;
                (Builtin::DictionaryAttr, vec![entries], Ty::attr(AttrClass::Dictionary))
            }
            ("setAttrs" | "setDiscardableAttrs", &[attrs]) => {
                let is_any = method == "setAttrs";
                let op = if is_any { Builtin::SetAttrs } else { Builtin::SetDiscardableAttrs };
                let attrs = self.b.convert(attrs, list);
                (op, vec![on, self.at_node(node, attrs)?], Ty::NULL)
            }
            _ => return Ok(None),
        };
        self.build(node, |b| b.algorithm(op, &passed, ty)).map(Some)
    }

    /// Lowers the generated setter of an attribute: `op.setXAttr(attribute)`, or `op.setX(value)` with the C++ value.
    /// Returns `None` for another method, and for an optional argument of a setter that takes no optional.
    fn set_declared(
        &mut self,
        node: NodeId,
        on: Typed,
        method: &str,
        value: Typed,
    ) -> Result<Option<Typed>, Fault> {
        let Item::Op(Some(class)) = on.ty.item else { return Ok(None) };
        let Some(setter) = self.request.resolver.setter(self.b.snippets(), class, method) else {
            return Ok(None);
        };
        let mut held = Held::new();
        let attribute = match &setter.body {
            None => value,
            Some(_) if setter.is_optional && (value.ty.item == Item::Null || self.b.is_default(value)) => {
                self.build(node, |b| b.null(Ty::ATTR))?
            }
            Some(body) if value.ty.form == Form::Optional => {
                let range = self.container_of(value).held;
                if !setter.is_optional || value.ty.is_unknown() && range.is_none() {
                    return Ok(None);
                }
                let value = self.hold(node, value, &mut held)?;
                let inner = self.build(node, |b| b.deref(value))?;
                let inner = Typed { ty: range.unwrap_or(inner.ty), ..inner };
                let Some(built) = self.attribute_of(node, class, method, body, inner)? else {
                    return Ok(None);
                };
                self.build(node, |b| {
                    let (present, none) = (b.truth(value)?, b.null(Ty::ATTR)?);
                    let built = b.convert(built, Ty::ATTR)?;
                    b.select(present, built, none)
                })?
            }
            Some(body) => match self.attribute_of(node, class, method, body, value)? {
                Some(attribute) => attribute,
                None => return Ok(None),
            },
        };
        let set = self.build(node, |b| {
            let (name, attribute) = (b.str(&setter.attribute)?, b.convert(attribute, Ty::ATTR)?);
            b.algorithm(Builtin::SetAttr, &[on, name, attribute], Ty::NULL)
        })?;
        self.bind_held(node, held, set).map(Some)
    }

    /// Lowers `assign(value)`, `set(value)` and `get()` of a single operand, which is `op.getXMutable()` or
    /// `op->getOpOperand(0)`. Returns `None` for another call.
    pub(in crate::frontend::cxx) fn mutable_operand(
        &mut self,
        node: NodeId,
        object: NodeId,
        name: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        if !matches!((name, args), ("assign" | "set", [_]) | ("get", [])) {
            return Ok(None);
        }
        let NodeKind::Call(callee, indices) = &self.ast[object].kind else { return Ok(None) };
        let NodeKind::Member { object: of, name: method, .. } = &self.ast[*callee].kind else {
            return Ok(None);
        };
        let getter = method.strip_suffix("Mutable").filter(|_| indices.is_empty());
        if self.b.is_matching() || getter.is_none() && (method.as_str(), indices.len()) != ("getOpOperand", 1)
        {
            return Ok(None);
        }
        let mut held = Held::new();
        let on = self.expression(*of, None)?;
        let on = if on.ty.form == Form::Optional { self.build(node, |b| b.deref(on))? } else { on };
        let Ty { item: Item::Op(class), form: Form::One } = on.ty else { return Ok(None) };
        let group = match (class, getter) {
            (Some(class), Some(getter)) => {
                match self.request.resolver.member(self.b.snippets(), class, getter) {
                    Some((Member::Operands(group), _)) => Some(group),
                    _ => return Ok(None),
                }
            }
            (None, Some(_)) => return Ok(None),
            (_, None) => None,
        };
        let on = self.hold(node, on, &mut held)?;
        let int = |this: &mut Self, at: u32| this.build(node, |b| b.int(at.into(), IntTy::I64));
        let index = match group {
            Some(GroupRef::One(at)) => int(self, at)?,
            Some(GroupRef::FromEnd(at)) => {
                let count = self.library_method(node, on, "getNumOperands", &[])?;
                let count = self.convert_number(node, count, Ty::I64)?;
                let from_end = int(self, at + 1)?;
                self.build(node, |b| b.binary(BinaryOp::Sub, count, from_end))?
            }
            Some(_) => return Ok(None),
            None => {
                let index = self.expression(indices[0], None)?;
                self.convert_number(node, index, Ty::I64)?
            }
        };
        let done = match args {
            [] => self.library_method(node, on, "getOperand", &[index])?,
            args => {
                let value = self.expression(args[0], None)?;
                self.build(node, |b| {
                    let value = b.convert(value, Ty::VALUE)?;
                    b.algorithm(Builtin::SetOperand, &[on, index, value], Ty::NULL)
                })?
            }
        };
        self.bind_held(node, held, done).map(Some)
    }

    /// The attribute that a generated setter builds from a C++ value; `None` if the body of the setter does not
    /// compile.
    fn attribute_of(
        &mut self,
        node: NodeId,
        class: ClassId,
        method: &str,
        body: &InlineBody,
        value: Typed,
    ) -> Result<Option<Typed>, Fault> {
        let getter = method.replacen("set", "get", 1);
        let range = self.request.resolver.optional_range(self.b.snippets(), class, &getter);
        let declared = self.request.resolver.member(self.b.snippets(), class, &getter);
        let value = match (range, declared) {
            (Some((_, range)), _) => self.build(node, |b| b.convert(value, range))?,
            (None, Some((_, ty))) if ty.form != Form::Range => {
                self.convert_number(node, value, Ty::one(ty.item))?
            }
            _ => value,
        };
        self.inline_value(node, body, &[value])
    }

    /// Lowers `value.use_begin()`, `value.user_end()` and similar methods. Returns `None` for another method.
    pub(in crate::frontend::cxx) fn use_iterator(
        &mut self,
        node: NodeId,
        on: Typed,
        method: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let is_object = matches!(on.ty, Ty { item: Item::Value | Item::Op(_), form: Form::One });
        let (range, op) = match method {
            "use_begin" => ("getUses", Builtin::Begin),
            "use_end" => ("getUses", Builtin::End),
            "user_begin" => ("getUsers", Builtin::Begin),
            "user_end" => ("getUsers", Builtin::End),
            _ => return Ok(None),
        };
        if !is_object || !args.is_empty() {
            return Ok(None);
        }
        let range = self.library_method(node, on, range, &[])?;
        let iterator = Ty { item: range.ty.item, form: Form::Iterator };
        self.build(node, |b| b.algorithm(op, &[range], iterator)).map(Some)
    }

    /// An argument, converted to the type of the elements of a range.
    fn element_argument(&mut self, node: NodeId, range: Typed, value: Typed) -> Lowered {
        let element = Ty::one(range.ty.item);
        match element.item {
            Item::Tuple(_) => self.build(node, |b| b.returned(value, element)),
            _ => self.convert_number(node, value, element),
        }
    }

    /// Lowers range methods that the library does not list, such as methods of sets, and `rbegin` and `rend`. Returns
    /// `None` for another method.
    pub(in crate::frontend::cxx) fn range_method(
        &mut self,
        node: NodeId,
        on: Typed,
        method: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        if on.ty.form != Form::Range {
            return Ok(None);
        }
        let iterator = Ty { item: on.ty.item, form: Form::Iterator };
        let e = match (method, args) {
            ("rbegin" | "rend", []) => {
                let reversed = self.build(node, |b| b.algorithm(Builtin::Reversed, &[on], on.ty))?;
                let op = if method == "rbegin" { Builtin::Begin } else { Builtin::End };
                self.b.algorithm(op, &[reversed], iterator)
            }
            // The parameter of these methods of sets has the type of the elements.
            ("contains", &[value]) => {
                let value = self.element_argument(node, on, value)?;
                self.b.algorithm(Builtin::IsContained, &[on, value], Ty::BOOL)
            }
            ("count", &[value]) => {
                let value = self.element_argument(node, on, value)?;
                let size = self.container_of(on).counts.count();
                self.b.algorithm(Builtin::Count, &[on, value], size)
            }
            ("find", &[value]) if self.container_of(on).kind == ContainerKind::Set => {
                let value = self.element_argument(node, on, value)?;
                self.b.algorithm(Builtin::Find, &[on, value], iterator)
            }
            ("lower_bound" | "upper_bound", &[value]) if self.container_of(on).order == Order::Ascending => {
                let mut held = Held::new();
                let value = self.element_argument(node, on, value)?;
                let value = self.hold(node, value, &mut held)?;
                let found = self.sorted_bound(node, on, value, method == "lower_bound", false)?;
                return self.bind_held(node, held, found).map(Some);
            }
            ("equals", &[other]) => self.b.algorithm(Builtin::EqualRanges, &[on, other], Ty::BOOL),
            // The argument of `at` on a map is a key, not an index.
            ("at", &[index]) if !matches!(on.ty.item, Item::Tuple(_)) => self.b.index(on, index),
            ("getArrayRef" | "takeVector", []) => Ok(on),
            _ => return Ok(None),
        };
        self.at_node(node, e).map(Some)
    }

    /// An iterator to the bound of a key in a sorted range. The bound is the first element that is not before the key
    /// if `is_lower` is true, and the first element after the key if `is_lower` is false. If `of_pairs` is true, the
    /// first fields of the elements are their keys.
    pub(super) fn sorted_bound(
        &mut self,
        node: NodeId,
        range: Typed,
        key: Typed,
        is_lower: bool,
        of_pairs: bool,
    ) -> Lowered {
        self.build(node, |b| {
            let local = b.new_local(Ty::one(range.ty.item))?;
            let element = b.local(local)?;
            let of_element = if of_pairs { b.field_at(element, 0)? } else { element };
            let is_before = if is_lower {
                b.binary(BinaryOp::Lt, of_element, key)?
            } else {
                let is_after = b.binary(BinaryOp::Lt, key, of_element)?;
                b.not(is_after)?
            };
            let by = b.lambda(&[local], is_before)?;
            let iterator = Ty { item: range.ty.item, form: Form::Iterator };
            b.algorithm(Builtin::PartitionPoint, &[range, by], iterator)
        })
    }
}
