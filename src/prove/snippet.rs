//! Symbolic execution of snippets.
//!
//! Specification: for all values of the variables, the result is that of the evaluator of `snippet` on the IR that the
//! variables describe. An expression without a symbolic form stops the execution, with a reason.
//!
//! If an evaluation fails, neither a predicate nor its negation holds. The execution collects the condition under which
//! an evaluation fails.

use crate::number::ApInt;
use crate::pdl::RuleSet;
use crate::semantics::Bits;
use crate::snippet::data::{
    AttrClass, BinaryOp, Builtin, CastMode, ClassKind, DEPTH_LIMIT, Expr, ExprId, ExprList, GroupRef, IntTy,
    Item, Member, ObjectClass, Snippets, TruthBy, Ty as StaticTy, TypeClass,
};
use crate::snippet::{SnippetId, apint_method};
use crate::stack::with_room;

use super::natives;
use super::state::State;
use super::stop::{Result, Stop, unknown};
use super::term::{Term, TermId, Terms};
use super::value::{Attr, Definition, INT_WIDTH, Ty, Val, ValueId, equal_attrs, int};
use crate::id::Id;

/// The result of a snippet.
pub(super) struct Evaluated {
    pub(super) value: Val,
    /// The values of the output parameters, in order.
    pub(super) outputs: Vec<Val>,
    /// The bit that is set if the evaluation fails.
    pub(super) failed: TermId,
}

/// The largest number of expressions that one evaluation visits.
const STEPS: usize = 20_000;

/// Evaluates a snippet.
pub(super) fn evaluate(state: &mut State<'_>, id: SnippetId, args: &[Val]) -> Result<Evaluated> {
    let rules: &RuleSet = state.rules;
    let snippets = rules.snippets();
    let snippet = snippets.get(id);
    if snippet.inputs().count() != args.len() {
        return unknown("a snippet has the wrong number of arguments");
    }
    let mut args = args.iter().cloned();
    let params: Vec<Val> =
        snippet.params.iter().map(|p| if p.out { None } else { args.next() }.unwrap_or(Val::Null)).collect();
    let (guard, failed) = (state.terms.boolean(true), state.terms.boolean(false));
    let outputs = vec![None; snippet.params.len()];
    let locals = vec![Val::Null; snippet.locals as usize];
    let mut run =
        Run { state, snippets, params, outputs, locals, guard, failed, choices: 0, steps: STEPS, depth: 0 };
    for (at, param) in snippet.params.iter().enumerate() {
        run.params[at] = run.as_param(run.params[at].clone(), param.ty)?;
    }
    let value = run.eval(snippet.root)?;
    let (failed, bound) = (run.failed, run.outputs);
    let outputs = bound.into_iter().zip(&snippet.params).filter(|(_, param)| param.out);
    let outputs = outputs.map(|(output, _)| output.unwrap_or(Val::Null)).collect();
    Ok(Evaluated { value, outputs, failed })
}

struct Run<'r, 'a> {
    state: &'r mut State<'a>,
    snippets: &'r Snippets,
    params: Vec<Val>,
    outputs: Vec<Option<Val>>,
    locals: Vec<Val>,
    /// The bit that is set if the current expression is evaluated.
    guard: TermId,
    failed: TermId,
    /// The number of enclosing `||` and `?:` expressions whose condition depends on variables.
    choices: u32,
    steps: usize,
    depth: u32,
}

impl Run<'_, '_> {
    fn bool(&mut self, value: bool) -> Val {
        Val::Bool(self.state.terms.boolean(value))
    }

    fn int(&mut self, value: i128) -> Val {
        Val::Int(int(&mut self.state.terms, value))
    }

    /// Makes the evaluation fail if this bit is set.
    fn fail_if(&mut self, condition: TermId) -> Result<()> {
        match self.state.terms.truth(condition) {
            Some(true) => Err(Stop::Fails),
            Some(false) => Ok(()),
            None => {
                let terms = &mut self.state.terms;
                let here = terms.and(&self.guard, &condition);
                self.failed = terms.or(&self.failed, &here);
                Ok(())
            }
        }
    }

    /// Evaluates an expression under a condition. The result is `None` if the evaluation always fails.
    fn under(&mut self, condition: TermId, id: ExprId) -> Result<Option<Val>> {
        let outer = self.guard;
        self.guard = self.state.terms.and(&outer, &condition);
        let value = self.eval(id);
        let here = std::mem::replace(&mut self.guard, outer);
        match value {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Fails) => {
                self.failed = self.state.terms.or(&self.failed, &here);
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    fn as_param(&mut self, value: Val, ty: StaticTy) -> Result<Val> {
        let scalar = matches!(
            ty.item,
            Item::Int(_)
                | Item::Bool
                | Item::ApInt
                | Item::Enum(_)
                | Item::Double
                | Item::Float
                | Item::ApFloat
        );
        if scalar && matches!(value, Val::Attr(_)) { self.convert(value, ty.item) } else { Ok(value) }
    }

    fn eval(&mut self, id: ExprId) -> Result<Val> {
        self.steps = match self.steps.checked_sub(1) {
            Some(steps) if self.depth < DEPTH_LIMIT => steps,
            _ => return unknown("a snippet is too long"),
        };
        self.depth += 1;
        let value = with_room(|| self.eval_here(id));
        self.depth -= 1;
        value
    }

    fn eval_here(&mut self, id: ExprId) -> Result<Val> {
        let Some(&expr) = self.snippets.exprs.get(id) else { return unknown("a snippet is malformed") };
        Ok(match expr {
            Expr::Param(index) => {
                let index = index as usize;
                match self.outputs.get(index).cloned().flatten() {
                    Some(value) => value,
                    None => self.params.get(index).cloned().unwrap_or(Val::Null),
                }
            }
            Expr::Local(local) => self.locals.get(local.index()).cloned().unwrap_or(Val::Null),
            Expr::Null => Val::Null,
            Expr::Bool(value) => self.bool(value),
            Expr::Int(value) => self.int(value),
            Expr::Str(text) => Val::Str(self.snippets.str(text).to_owned()),
            // Enumerations are only arguments of built-ins. No built-in with a symbolic form reads such an argument.
            Expr::Enum(_) => Val::Null,
            Expr::Truth(of, by) => {
                let value = self.eval(of)?;
                Val::Bool(match by {
                    TruthBy::Presence => self.present(&value),
                    TruthBy::Value => self.truth_of(&value),
                })
            }
            Expr::Not(of) => {
                let truth = self.truth(of)?;
                Val::Bool(self.state.terms.not(&truth))
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                let either = matches!(expr, Expr::Or(..));
                let first = self.truth(a)?;
                match self.state.terms.truth(first) {
                    Some(first) if first == either => return Ok(self.bool(either)),
                    Some(_) => {
                        let second = self.truth(b)?;
                        return Ok(Val::Bool(second));
                    }
                    None => {}
                }
                let condition = if either { self.state.terms.not(&first) } else { first };
                self.choices += u32::from(either);
                let second = self.under(condition, b);
                self.choices -= u32::from(either);
                let second = match second? {
                    Some(value) => self.truth_of(&value),
                    None => self.state.terms.boolean(false),
                };
                let terms = &mut self.state.terms;
                Val::Bool(if either { terms.or(&first, &second) } else { terms.and(&first, &second) })
            }
            Expr::Select(condition, a, b) => {
                let condition = self.truth(condition)?;
                match self.state.terms.truth(condition) {
                    Some(chosen) => return self.eval(if chosen { a } else { b }),
                    None => {
                        let inverse = self.state.terms.not(&condition);
                        self.choices += 1;
                        let (a, b) = (self.under(condition, a)?, self.under(inverse, b)?);
                        self.choices -= 1;
                        match (a, b) {
                            (Some(a), Some(b)) => return self.merge(condition, a, b),
                            (Some(one), None) | (None, Some(one)) => one,
                            (None, None) => return Err(Stop::Fails),
                        }
                    }
                }
            }
            Expr::Then(a, b) => {
                self.eval(a)?;
                return self.eval(b);
            }
            Expr::Let(local, value, rest) => {
                let value = self.eval(value)?;
                match self.locals.get_mut(local.index()) {
                    Some(slot) => *slot = value,
                    None => return unknown("a snippet is malformed"),
                }
                return self.eval(rest);
            }
            Expr::Function(_, inner) => return self.eval(inner),
            Expr::Neg(of, item) => {
                let zero = self.int(0);
                let value = self.eval(of)?;
                return self.binary(BinaryOp::Sub, item, zero, value);
            }
            Expr::BitNot(of, item) => {
                let ones = self.int(-1);
                let value = self.eval(of)?;
                return self.binary(BinaryOp::Xor, item, value, ones);
            }
            Expr::Binary(op, item, a, b) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                return self.binary(op, item, a, b);
            }
            Expr::Convert(of, item) => {
                let value = self.eval(of)?;
                return self.convert(value, item);
            }
            Expr::Deref(of) => match self.eval(of)? {
                Val::Null => return Err(Stop::Fails),
                value => {
                    let present = self.present(&value);
                    let absent = self.state.terms.not(&present);
                    self.fail_if(absent)?;
                    value
                }
            },
            Expr::Builtin(op, list) => return self.builtin(op, list),
            Expr::Native(native, args, outs) => {
                let native = &self.snippets.natives[native];
                let name = self.snippets.str(native.name).to_owned();
                let mut values = Vec::new();
                for &arg in self.snippets.list(args) {
                    values.push(self.eval(arg)?);
                }
                if outs.len > 0 {
                    return unknown(format!("the native '{name}' binds parameters"));
                }
                let (kinds, matching) = (native.results.clone(), native.matching);
                let called = natives::call(self.state, &name, &values, &kinds, matching)?;
                self.fail_if(called.failed)?;
                called.value
            }
            Expr::IsA(of, class) => {
                let value = self.eval(of)?;
                Val::Bool(self.is_a(&value, class)?)
            }
            Expr::Cast(of, class, mode) => {
                let value = self.eval(of)?;
                return self.cast(value, class, mode);
            }
            Expr::Assign(output, of) => {
                let value = self.eval(of)?;
                self.assign(output, value.clone())?;
                value
            }
            Expr::Member(of, member) => {
                let value = self.eval(of)?;
                return self.member(&value, member);
            }
            Expr::Double(_) => return unknown("a snippet computes with floats"),
            Expr::Dynamic(name, list) => {
                let name = self.snippets.str(name);
                let ids = self.snippets.list(list).to_vec();
                let Some((&receiver, rest)) = ids.split_first() else {
                    return unknown("a snippet is malformed");
                };
                match (self.eval(receiver)?, apint_method(name, rest.len())) {
                    (Val::Null, _) => return Err(Stop::Fails),
                    (value @ Val::ApInt(_), Some(op)) => {
                        let mut args = vec![value];
                        for &id in rest {
                            args.push(self.eval(id)?);
                        }
                        return self.number(op, &args);
                    }
                    _ => {
                        return unknown(format!(
                            "a snippet calls '{name}' on a value whose type is not known"
                        ));
                    }
                }
            }
            Expr::List(_) | Expr::Lambda { .. } => return unknown("a snippet computes with ranges"),
            Expr::Tuple(_) | Expr::Field(..) => return unknown("a snippet computes with tuples"),
            Expr::Call(..) | Expr::Apply(..) => return unknown("a snippet calls a function"),
            Expr::Body(_)
            | Expr::Block(_)
            | Expr::Return(_)
            | Expr::Break
            | Expr::Continue
            | Expr::Loop { .. }
            | Expr::ForEach(..)
            | Expr::Switch(..)
            | Expr::Update(..) => return unknown("a snippet has statements"),
            Expr::Fail(_) => return Err(Stop::Fails),
            Expr::ToAttr(..) => return unknown("a snippet converts a property to an attribute"),
            Expr::Create(..) => return unknown("a snippet creates an operation"),
            Expr::Make(..) => return unknown("a snippet makes an attribute or type of a dialect"),
        })
    }

    fn truth(&mut self, id: ExprId) -> Result<TermId> {
        let value = self.eval(id)?;
        Ok(self.truth_of(&value))
    }

    fn truth_of(&mut self, value: &Val) -> TermId {
        match value {
            Val::Bool(bit) => *bit,
            Val::Int(number) => {
                let zero = int(&mut self.state.terms, 0);
                self.state.terms.ne(number, &zero)
            }
            other => self.present(other),
        }
    }

    /// The bit that is set if a value is not null.
    fn present(&mut self, value: &Val) -> TermId {
        match value {
            Val::Null => self.state.terms.boolean(false),
            Val::Attr(Attr::Unit { present }) => *present,
            _ => self.state.terms.boolean(true),
        }
    }

    /// The value of `condition ? a : b`.
    fn merge(&mut self, condition: TermId, a: Val, b: Val) -> Result<Val> {
        let terms = &mut self.state.terms;
        Ok(match (a, b) {
            (Val::Bool(a), Val::Bool(b)) => Val::Bool(terms.select(&condition, &a, &b)),
            (Val::Int(a), Val::Int(b)) => Val::Int(terms.select(&condition, &a, &b)),
            (Val::ApInt(a), Val::ApInt(b)) if terms.width(&a) == terms.width(&b) => {
                Val::ApInt(terms.select(&condition, &a, &b))
            }
            (Val::Type(a), Val::Type(b)) if a == b => Val::Type(a),
            (Val::Value(a), Val::Value(b)) if a == b => Val::Value(a),
            (Val::Attr(Attr::Int { ty: t, value: a }), Val::Attr(Attr::Int { ty: u, value: b }))
                if t == u =>
            {
                Val::Attr(Attr::Int { ty: t, value: terms.select(&condition, &a, &b) })
            }
            (Val::Attr(Attr::Overflow { nsw, nuw }), Val::Attr(Attr::Overflow { nsw: s, nuw: u })) => {
                let (nsw, nuw) = (terms.select(&condition, &nsw, &s), terms.select(&condition, &nuw, &u));
                Val::Attr(Attr::Overflow { nsw, nuw })
            }
            (Val::Attr(Attr::Unit { present: a }), Val::Attr(Attr::Unit { present: b })) => {
                Val::Attr(Attr::Unit { present: terms.select(&condition, &a, &b) })
            }
            (Val::Attr(Attr::Unit { present }), Val::Null) => {
                Val::Attr(Attr::Unit { present: terms.and(&condition, &present) })
            }
            (Val::Null, Val::Attr(Attr::Unit { present })) => {
                let inverse = terms.not(&condition);
                Val::Attr(Attr::Unit { present: terms.and(&inverse, &present) })
            }
            (Val::Null, Val::Null) => Val::Null,
            _ => return unknown("a snippet chooses between values of different kinds"),
        })
    }

    /// A number as an `APInt`.
    fn ap_int(&mut self, value: &Val) -> Result<TermId> {
        match value {
            Val::ApInt(bits) | Val::Attr(Attr::Int { value: bits, .. }) => Ok(*bits),
            Val::Null => Err(Stop::Fails),
            _ => unknown("a snippet uses a value that is not an APInt as an APInt"),
        }
    }

    /// A value as a C++ integer.
    fn machine_int(&mut self, value: &Val) -> Result<TermId> {
        let terms = &mut self.state.terms;
        match value {
            Val::Int(number) => Ok(*number),
            Val::Bool(bit) => Ok(terms.zext_or_trunc(bit, INT_WIDTH)),
            Val::Null => Err(Stop::Fails),
            _ => unknown("a snippet uses a value that is not an integer as an integer"),
        }
    }

    /// An `APInt` as a C++ integer. The evaluation fails if the number does not fit in 64 bits.
    fn fitting(&mut self, bits: TermId, signed: bool) -> Result<TermId> {
        let width = self.state.terms.width(&bits);
        let terms = &mut self.state.terms;
        if width > 64 {
            let low = terms.zext_or_trunc(&bits, 64);
            let back =
                if signed { terms.sext_or_trunc(&low, width) } else { terms.zext_or_trunc(&low, width) };
            let lost = terms.ne(&back, &bits);
            self.fail_if(lost)?;
            let terms = &mut self.state.terms;
            return Ok(if signed {
                terms.sext_or_trunc(&low, INT_WIDTH)
            } else {
                terms.zext_or_trunc(&low, INT_WIDTH)
            });
        }
        Ok(if signed { terms.sext_or_trunc(&bits, INT_WIDTH) } else { terms.zext_or_trunc(&bits, INT_WIDTH) })
    }

    fn wrap(&mut self, ty: IntTy, number: TermId) -> TermId {
        let terms = &mut self.state.terms;
        let low = terms.zext_or_trunc(&number, ty.bits.into());
        if ty.signed { terms.sext_or_trunc(&low, INT_WIDTH) } else { terms.zext_or_trunc(&low, INT_WIDTH) }
    }

    fn convert(&mut self, value: Val, item: Item) -> Result<Val> {
        Ok(match item {
            Item::Int(ty) => {
                let number = match &value {
                    Val::ApInt(bits) | Val::Attr(Attr::Int { value: bits, .. }) => {
                        self.fitting(*bits, ty.signed)?
                    }
                    other => self.machine_int(other)?,
                };
                Val::Int(self.wrap(ty, number))
            }
            Item::Enum(_) => match value {
                Val::Attr(Attr::Int { value, .. }) | Val::ApInt(value) => {
                    Val::Int(self.fitting(value, false)?)
                }
                Val::Attr(Attr::Overflow { nsw, nuw }) => {
                    let terms = &mut self.state.terms;
                    let (low, high) =
                        (terms.zext_or_trunc(&nsw, INT_WIDTH), terms.zext_or_trunc(&nuw, INT_WIDTH));
                    let twice = terms.add(&high, &high);
                    Val::Int(terms.add(&low, &twice))
                }
                other => Val::Int(self.machine_int(&other)?),
            },
            Item::Bool => match &value {
                Val::ApInt(bits) | Val::Attr(Attr::Int { value: bits, .. }) => {
                    let zero = self.state.terms.is_zero(bits);
                    Val::Bool(self.state.terms.not(&zero))
                }
                other => Val::Bool(self.truth_of(other)),
            },
            Item::ApInt => Val::ApInt(self.ap_int(&value)?),
            Item::Value => match value {
                Val::Op(op) => Val::Value(self.single_result(op)?),
                value => value,
            },
            Item::Attr(class) if matches!(value, Val::Attr(_)) => {
                let present = self.present(&value);
                let is = self.is_a(&value, ObjectClass::Attr(class))?;
                let terms = &mut self.state.terms;
                let not = terms.not(&is);
                let wrong = terms.and(&present, &not);
                self.fail_if(wrong)?;
                value
            }
            Item::Double | Item::Float | Item::ApFloat => return unknown("a snippet computes with floats"),
            _ => value,
        })
    }

    fn binary(&mut self, op: BinaryOp, item: Item, a: Val, b: Val) -> Result<Val> {
        match item {
            Item::Int(ty) => {
                let Val::Int(x) = self.convert(a, item)? else { return unknown("a snippet is malformed") };
                let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                let other = if shift { IntTy::I64.item() } else { item };
                let Val::Int(y) = self.convert(b, other)? else { return unknown("a snippet is malformed") };
                self.int_binary(op, ty, x, y)
            }
            Item::Enum(_) => {
                let (x, y) = (self.convert(a, item)?, self.convert(b, item)?);
                match (x, y) {
                    (Val::Int(x), Val::Int(y)) => self.int_binary(op, IntTy::U64, x, y),
                    _ => unknown("a snippet is malformed"),
                }
            }
            Item::Unknown if matches!(op, BinaryOp::Eq | BinaryOp::Ne) => {
                let equal = self.equal(&a, &b)?;
                Ok(Val::Bool(if op == BinaryOp::Eq { equal } else { self.state.terms.not(&equal) }))
            }
            Item::Str => match (a, b) {
                (Val::Str(a), Val::Str(b)) if op == BinaryOp::Eq => Ok(self.bool(a == b)),
                (Val::Str(a), Val::Str(b)) if op == BinaryOp::Ne => Ok(self.bool(a != b)),
                _ => unknown("a snippet computes with strings"),
            },
            Item::Double | Item::Float | Item::ApFloat => unknown("a snippet computes with floats"),
            _ => self.dynamic_binary(op, &a, &b),
        }
    }

    fn dynamic_binary(&mut self, op: BinaryOp, a: &Val, b: &Val) -> Result<Val> {
        match (a, b) {
            (Val::ApInt(_), _) | (_, Val::ApInt(_)) => self.ap_binary(op, a, b),
            (Val::Int(_) | Val::Bool(_), Val::Int(_) | Val::Bool(_)) => {
                let (x, y) = (self.machine_int(a)?, self.machine_int(b)?);
                self.int_binary(op, IntTy::I64, x, y)
            }
            (Val::Null, _) | (_, Val::Null) => Err(Stop::Fails),
            _ => unknown(format!("a snippet applies '{}' to values that are not numbers", op.text())),
        }
    }

    fn int_binary(&mut self, op: BinaryOp, ty: IntTy, a: TermId, b: TermId) -> Result<Val> {
        if op.compares() {
            return Ok(Val::Bool(self.compare(op, a, b, true)));
        }
        let terms = &mut self.state.terms;
        let exact = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                // The exact result of narrow numbers is computed in the width that it needs.
                let (x, y) = (signed_width(terms, a), signed_width(terms, b));
                let width = if op == BinaryOp::Mul { x + y } else { x.max(y) + 1 };
                let width = width.min(INT_WIDTH);
                let (a, b) = (terms.sext_or_trunc(&a, width), terms.sext_or_trunc(&b, width));
                let exact = match op {
                    BinaryOp::Add => terms.add(&a, &b),
                    BinaryOp::Sub => terms.sub(&a, &b),
                    _ => terms.mul(&a, &b),
                };
                terms.sext_or_trunc(&exact, INT_WIDTH)
            }
            BinaryOp::And => terms.and(&a, &b),
            BinaryOp::Or => terms.or(&a, &b),
            BinaryOp::Xor => terms.xor(&a, &b),
            BinaryOp::Shl | BinaryOp::Shr => {
                let bound = int(terms, ty.bits.into());
                let within = terms.ult(&b, &bound);
                let far = terms.not(&within);
                self.fail_if(far)?;
                let terms = &mut self.state.terms;
                if op == BinaryOp::Shr {
                    terms.ashr(&a, &b)
                } else {
                    let shifted = terms.shl(&a, &b);
                    return Ok(Val::Int(self.wrap(ty, shifted)));
                }
            }
            BinaryOp::Div | BinaryOp::Rem => {
                let zero = terms.is_zero(&b);
                self.fail_if(zero)?;
                self.divide(op == BinaryOp::Div, a, b)
            }
            _ => return unknown("a snippet is malformed"),
        };
        let wrapped = self.wrap(ty, exact);
        if ty.signed {
            let lost = self.state.terms.ne(&wrapped, &exact);
            self.fail_if(lost)?;
        }
        Ok(Val::Int(wrapped))
    }

    /// The quotient or the remainder of signed numbers, rounded towards zero. The divisor is not zero.
    fn divide(&mut self, quotient: bool, a: TermId, b: TermId) -> TermId {
        let terms = &mut self.state.terms;
        // Narrow numbers are divided in the width that they need.
        let width = (signed_width(terms, a).max(signed_width(terms, b)) + 1).min(INT_WIDTH);
        let (a, b) = (terms.sext_or_trunc(&a, width), terms.sext_or_trunc(&b, width));
        let (negative_a, negative_b) = (terms.is_negative(&a), terms.is_negative(&b));
        let (minus_a, minus_b) = (terms.neg(&a), terms.neg(&b));
        let (x, y) = (terms.select(&negative_a, &minus_a, &a), terms.select(&negative_b, &minus_b, &b));
        let (magnitude, negative) = match quotient {
            true => (terms.udiv(&x, &y), terms.xor(&negative_a, &negative_b)),
            false => (terms.urem(&x, &y), negative_a),
        };
        let minus = terms.neg(&magnitude);
        let result = terms.select(&negative, &minus, &magnitude);
        terms.sext_or_trunc(&result, INT_WIDTH)
    }

    fn compare(&mut self, op: BinaryOp, a: TermId, b: TermId, signed: bool) -> TermId {
        let terms = &mut self.state.terms;
        let less = |terms: &mut Terms, a: &TermId, b: &TermId| {
            if signed { terms.slt(a, b) } else { terms.ult(a, b) }
        };
        match op {
            BinaryOp::Eq => terms.eq(&a, &b),
            BinaryOp::Ne => terms.ne(&a, &b),
            BinaryOp::Lt => less(terms, &a, &b),
            BinaryOp::Gt => less(terms, &b, &a),
            BinaryOp::Le => {
                let greater = less(terms, &b, &a);
                terms.not(&greater)
            }
            _ => {
                let less = less(terms, &a, &b);
                terms.not(&less)
            }
        }
    }

    /// Compares an `APInt` with a machine integer. The integer is converted to `int64_t` or `uint64_t`, and not to the
    /// width of the `APInt`.
    fn compare_with_machine_int(&mut self, op: BinaryOp, x: TermId, number: TermId, signed: bool) -> TermId {
        let number = self.wrap(if signed { IntTy::I64 } else { IntTy::U64 }, number);
        let terms = &mut self.state.terms;
        let mut width = terms.width_of(x);
        if let Some(value) = terms.value(number) {
            let extend = if signed { ApInt::sext_or_trunc } else { ApInt::zext_or_trunc };
            if extend(&extend(value, width), INT_WIDTH) != *value {
                // The number does not fit in the width of the `APInt`, so every `APInt` of this width compares with the
                // number as zero does.
                let zero = int(terms, 0);
                return self.compare(op, zero, number, true);
            }
        } else {
            width = width.max(signed_width(terms, number));
        }
        let extend = if signed { Terms::sext_or_trunc } else { Terms::zext_or_trunc };
        let (x, number) = (extend(terms, &x, width), extend(terms, &number, width));
        self.compare(op, x, number, signed)
    }

    /// Converts both operands to `APInt`. A machine integer takes the width of the other operand. The evaluation fails
    /// if the operands are two `APInt`s of different widths.
    fn ap_ints(&mut self, a: &Val, b: &Val) -> Result<(TermId, TermId)> {
        let width = match (a, b) {
            (Val::ApInt(x), _) | (_, Val::ApInt(x)) => self.state.terms.width(x),
            _ => return unknown("a snippet is malformed"),
        };
        let mut term = |value: &Val| match value {
            Val::ApInt(x) if self.state.terms.width(x) == width => Ok(*x),
            Val::ApInt(_) => Err(Stop::Fails),
            other => {
                let number = self.machine_int(other)?;
                // A machine integer is at most 64 bits wide, and is extended with its sign.
                Ok(self.state.terms.sext_or_trunc(&number, width))
            }
        };
        Ok((term(a)?, term(b)?))
    }

    fn ap_binary(&mut self, op: BinaryOp, a: &Val, b: &Val) -> Result<Val> {
        if let (BinaryOp::Eq | BinaryOp::Ne, Val::ApInt(x), other)
        | (BinaryOp::Eq | BinaryOp::Ne, other, Val::ApInt(x)) = (op, a, b)
            && !matches!(other, Val::ApInt(_))
        {
            // The equality operators of `APInt` take a `uint64_t`.
            let number = self.machine_int(other)?;
            return Ok(Val::Bool(self.compare_with_machine_int(op, *x, number, false)));
        }
        if op == BinaryOp::Shl {
            return unknown("a snippet shifts an APInt");
        }
        let (x, y) = self.ap_ints(a, b)?;
        let terms = &mut self.state.terms;
        Ok(Val::ApInt(match op {
            BinaryOp::Add => terms.add(&x, &y),
            BinaryOp::Sub => terms.sub(&x, &y),
            BinaryOp::Mul => terms.mul(&x, &y),
            BinaryOp::And => terms.and(&x, &y),
            BinaryOp::Or => terms.or(&x, &y),
            BinaryOp::Xor => terms.xor(&x, &y),
            BinaryOp::Eq | BinaryOp::Ne => return Ok(Val::Bool(self.compare(op, x, y, false))),
            _ => return Err(Stop::Fails),
        }))
    }

    fn equal(&mut self, a: &Val, b: &Val) -> Result<TermId> {
        let terms = &mut self.state.terms;
        Ok(match (a, b) {
            (Val::Null, other) | (other, Val::Null) => {
                let present = self.present(other);
                self.state.terms.not(&present)
            }
            (Val::Type(x), Val::Type(y)) => {
                if x != y {
                    self.state.type_matters(*x);
                    self.state.type_matters(*y);
                }
                self.state.terms.boolean(x == y)
            }
            (Val::Attr(x), Val::Attr(y)) => equal_attrs(terms, x, y),
            (Val::Value(x), Val::Value(y)) => self.state.same_value(*x, *y),
            (Val::Op(x), Val::Op(y)) if x == y => terms.boolean(true),
            (Val::Op(_), Val::Op(_)) => return unknown("a snippet compares operations"),
            (Val::Op(op), Val::Value(y)) | (Val::Value(y), Val::Op(op)) => {
                let x = self.single_result(*op)?;
                self.state.same_value(x, *y)
            }
            (Val::Str(x), Val::Str(y)) => terms.boolean(x == y),
            _ => {
                let equal = self.dynamic_binary(BinaryOp::Eq, a, b)?;
                self.truth_of(&equal)
            }
        })
    }

    fn single_result(&mut self, op: usize) -> Result<ValueId> {
        match self.state.ops[op].results[..] {
            [one] => Ok(one),
            _ => Err(Stop::Fails),
        }
    }

    fn value(&mut self, of: &Val) -> Result<ValueId> {
        match of {
            Val::Value(value) => Ok(*value),
            Val::Op(op) => self.single_result(*op),
            Val::Null => Err(Stop::Fails),
            _ => unknown("a snippet uses an entity that is not a value as a value"),
        }
    }

    fn type_of(&mut self, of: &Val) -> Result<Ty> {
        match of {
            Val::Type(ty) => Ok(*ty),
            Val::Attr(Attr::Int { ty, .. }) => Ok(*ty),
            Val::Attr(_) => unknown("a snippet reads the type of an attribute that is not an integer"),
            other => {
                let value = self.value(other)?;
                Ok(self.state.values[value].ty)
            }
        }
    }

    fn is_a(&mut self, value: &Val, class: ObjectClass) -> Result<TermId> {
        let present = self.present(value);
        let named = |run: &Self, id| run.snippets.class(id).kind;
        let is = match (class, value) {
            (_, Val::Null) => false,
            (ObjectClass::Type(TypeClass::Any), Val::Type(_)) => true,
            (_, Val::Type(Ty::Other(_)) | Val::Attr(Attr::Other(_))) => {
                return unknown("a snippet tests the class of a type or attribute that has no symbolic form");
            }
            (ObjectClass::Type(TypeClass::Named(id)), Val::Type(_)) => match named(self, id) {
                ClassKind::Type(_) => false,
                _ => return unknown("a snippet tests for an interface or a class that only C++ knows"),
            },
            (ObjectClass::Type(class), Val::Type(ty)) => match class {
                TypeClass::Integer => matches!(ty, Ty::Int(_)),
                TypeClass::Index => *ty == Ty::Index,
                _ => false,
            },
            (ObjectClass::Attr(AttrClass::Any), Val::Attr(_)) => true,
            (ObjectClass::Attr(AttrClass::Named(id)), Val::Attr(attr)) => match (named(self, id), attr) {
                (ClassKind::IntEnumAttr(width, cases), Attr::Int { ty: Ty::Int(found), value }) => {
                    if *found != width {
                        self.state.terms.depends_on(*found);
                        return Ok(self.state.terms.boolean(false));
                    }
                    if self.snippets.enumeration(cases).bit_separator.is_some() {
                        return unknown("a snippet tests for an enumeration whose cases are sets of bits");
                    }
                    let value = *value;
                    let mut any = self.state.terms.boolean(false);
                    for case in &self.snippets.enumeration(cases).cases {
                        let terms = &mut self.state.terms;
                        let case = terms.constant(crate::number::ApInt::from_u64(width, case.value));
                        let equal = terms.eq(&value, &case);
                        any = terms.or(&any, &equal);
                    }
                    return Ok(any);
                }
                (ClassKind::IntEnumAttr(..), _) => false,
                (ClassKind::Attr(text) | ClassKind::EnumAttr(text, _), attr) => {
                    matches!(attr, Attr::Overflow { .. }) && self.snippets.str(text) == "#arith.overflow"
                }
                _ => return unknown("a snippet tests for an interface or a class that only C++ knows"),
            },
            (ObjectClass::Attr(class), Val::Attr(attr)) => match (class, attr) {
                (AttrClass::Typed | AttrClass::Integer, Attr::Int { .. })
                | (AttrClass::Unit, Attr::Unit { .. }) => true,
                (AttrClass::Bool, Attr::Int { ty, .. }) => *ty == Ty::Int(1),
                _ => false,
            },
            (ObjectClass::Op(id), Val::Op(_) | Val::Value(_)) => {
                let op = match value {
                    Val::Op(op) => *op,
                    other => {
                        let value = self.value(other)?;
                        match self.state.values[value].definition {
                            Definition::Result { op } => op,
                            _ => return unknown("a snippet tests the operation that defines an operand"),
                        }
                    }
                };
                match named(self, id) {
                    ClassKind::Op(name) => self.state.ops[op].name == self.snippets.str(name),
                    _ => return unknown("a snippet tests for an interface or a class that only C++ knows"),
                }
            }
            (ObjectClass::AnyOp, Val::Op(_)) | (ObjectClass::Value, Val::Value(_)) => true,
            (ObjectClass::OpResult | ObjectClass::BlockArgument, Val::Value(value)) => {
                match self.state.values[*value].definition {
                    Definition::Result { .. } => class == ObjectClass::OpResult,
                    _ => return unknown("a snippet tests the operation that defines an operand"),
                }
            }
            _ => false,
        };
        let is = self.state.terms.boolean(is);
        Ok(self.state.terms.and(&present, &is))
    }

    fn cast(&mut self, value: Val, class: ObjectClass, mode: CastMode) -> Result<Val> {
        if matches!(value, Val::Null) {
            return match mode {
                CastMode::Must | CastMode::Try => Err(Stop::Fails),
                CastMode::MustIfPresent | CastMode::TryIfPresent => Ok(Val::Null),
            };
        }
        let (is, present) = (self.is_a(&value, class)?, self.present(&value));
        let absent = self.state.terms.not(&present);
        if matches!(mode, CastMode::Must | CastMode::Try) {
            self.fail_if(absent)?;
        }
        let terms = &mut self.state.terms;
        let not = terms.not(&is);
        let wrong = terms.and(&present, &not);
        match (mode, self.state.terms.truth(wrong)) {
            (CastMode::Must | CastMode::MustIfPresent, _) => self.fail_if(wrong)?,
            (_, Some(false)) => {}
            (_, Some(true)) => return Ok(Val::Null),
            (_, None) => return unknown("the result of a cast depends on values"),
        }
        Ok(match (class, value) {
            (ObjectClass::Op(_) | ObjectClass::AnyOp, Val::Value(value)) => self.defining_op(value)?,
            (_, value) => value,
        })
    }

    fn defining_op(&mut self, value: ValueId) -> Result<Val> {
        match self.state.values[value].definition {
            Definition::Result { op } => Ok(Val::Op(op)),
            _ => unknown("a snippet reads the operation that defines an operand"),
        }
    }

    fn assign(&mut self, output: u32, value: Val) -> Result<()> {
        if self.choices > 0 {
            return unknown("a snippet binds a parameter under a condition");
        }
        match self.outputs.get_mut(output as usize) {
            Some(slot) => *slot = Some(value),
            None => return unknown("a snippet is malformed"),
        }
        Ok(())
    }

    fn member(&mut self, of: &Val, member: Member) -> Result<Val> {
        let op = match of {
            Val::Op(op) => *op,
            Val::Null => return Err(Stop::Fails),
            _ => return unknown("a snippet reads a parameter of an attribute or type"),
        };
        match member {
            Member::Attr(name) | Member::UnitAttr(name) => {
                let name = self.snippets.str(name);
                let Some(attr) = self.state.ops[op].attr(name).cloned() else {
                    return unknown(format!("the attribute '{name}' has no known meaning"));
                };
                let value = Val::Attr(attr);
                Ok(match member {
                    Member::UnitAttr(_) => Val::Bool(self.present(&value)),
                    _ => value,
                })
            }
            Member::Operands(GroupRef::One(index)) => {
                let operand = self.state.ops[op].operands.get(index as usize).copied();
                operand.map_or(Err(Stop::Fails), |value| Ok(Val::Value(value)))
            }
            Member::Results(GroupRef::One(index)) => {
                let result = self.state.ops[op].results.get(index as usize).copied();
                result.map_or(Err(Stop::Fails), |value| Ok(Val::Value(value)))
            }
            _ => unknown("a snippet reads a variadic group"),
        }
    }

    fn match_pattern(&mut self, on: &Val, matcher: &Val) -> Result<Val> {
        let Val::Matcher(kind, output) = *matcher else { return unknown("a snippet is malformed") };
        let (is_constant, attr) = match on {
            Val::Attr(attr) => (self.state.terms.boolean(true), attr.clone()),
            other => {
                let value = self.value(other)?;
                match self.state.constant_of(value) {
                    Some(found) => found,
                    None => return Ok(self.bool(false)),
                }
            }
        };
        let Attr::Int { value, .. } = &attr else {
            return unknown("a snippet matches a constant that is not an integer");
        };
        let value = *value;
        let terms = &mut self.state.terms;
        let holds = match kind {
            Builtin::MatchConstant => {
                if let Some(output) = output {
                    self.assign(output, Val::Attr(attr))?;
                }
                return Ok(Val::Bool(is_constant));
            }
            Builtin::MatchZero => terms.is_zero(&value),
            Builtin::MatchNonZero => {
                let zero = terms.is_zero(&value);
                terms.not(&zero)
            }
            Builtin::MatchOne => {
                let one = crate::number::ApInt::one(terms.width(&value));
                let one = terms.constant(one);
                terms.eq(&value, &one)
            }
            // The other matchers match floats.
            _ => terms.boolean(false),
        };
        Ok(Val::Bool(terms.and(&is_constant, &holds)))
    }

    fn builtin(&mut self, op: Builtin, list: ExprList) -> Result<Val> {
        use Builtin as B;
        let ids = self.snippets.list(list).to_vec();
        let mut args = Vec::new();
        for &id in &ids {
            args.push(self.eval(id)?);
        }
        let arg = |at: usize| args.get(at).cloned().unwrap_or(Val::Null);
        let on = arg(0);
        Ok(match op {
            B::TypeOf => Val::Type(self.type_of(&on)?),
            B::ElementTypeOrSelf => Val::Type(self.type_of(&on)?),
            B::HasOneUse | B::UseEmpty => {
                let value = self.value(&on)?;
                Val::Bool(if op == B::HasOneUse {
                    self.state.one_use(value)
                } else {
                    self.state.unused(value)
                })
            }
            B::Uses => Val::Uses(self.value(&on)?),
            B::IsEmpty => match on {
                Val::Uses(value) => Val::Bool(self.state.unused(value)),
                _ => return unknown("a snippet computes with ranges"),
            },
            B::DefiningOp => {
                let value = self.value(&on)?;
                return self.defining_op(value);
            }
            B::OpResult => match on {
                Val::Op(op) => Val::Value(self.single_result(op)?),
                _ => return unknown("a snippet reads the result of an entity that is not an operation"),
            },
            B::OpResultAt | B::OpOperandAt => {
                let Val::Op(index) = on else {
                    return unknown("a snippet reads the result of an entity that is not an operation");
                };
                let at = self.machine_int(&arg(1))?;
                let Some(at) = self.state.terms.value(at).and_then(ApInt::to_u64) else {
                    return unknown("a snippet computes an index");
                };
                let op_values = &self.state.ops[index];
                let values = if op == B::OpResultAt { &op_values.results } else { &op_values.operands };
                match usize::try_from(at).ok().and_then(|at| values.get(at)) {
                    Some(value) => Val::Value(*value),
                    // If the index is out of range, the evaluation fails, as in the evaluator.
                    None => return Err(Stop::Fails),
                }
            }
            B::OpNumOperands | B::OpNumResults => match on {
                Val::Op(index) => {
                    let found = &self.state.ops[index];
                    let count =
                        if op == B::OpNumResults { found.results.len() } else { found.operands.len() };
                    return Ok(self.int(count as i128));
                }
                _ => return unknown("a snippet counts the operands of an entity that is not an operation"),
            },
            B::OpName => match on {
                Val::Op(index) => Val::Str(self.state.ops[index].name.clone()),
                _ => return unknown("a snippet reads the name of an entity that is not an operation"),
            },
            B::MatchPattern => return self.match_pattern(&on, &arg(1)),
            B::MatchConstant => {
                let output = match on {
                    Val::Int(number) if !args.is_empty() => {
                        self.state.terms.value(number).and_then(|x| u32::try_from(x.to_u64()?).ok())
                    }
                    _ => None,
                };
                Val::Matcher(op, output)
            }
            _ if op.is_constant_matcher() => Val::Matcher(op, None),
            B::Context | B::UnknownLoc => Val::Null,
            B::Success | B::Failure => return Ok(self.bool(op == B::Success)),
            B::SuccessIf | B::Succeeded | B::HasValue => Val::Bool(self.truth_of(&on)),
            B::FailureIf | B::Failed => {
                let truth = self.truth_of(&on);
                Val::Bool(self.state.terms.not(&truth))
            }
            B::ValueOf => match on {
                Val::Null => return Err(Stop::Fails),
                value => value,
            },
            B::AttrInt | B::AttrSInt | B::AttrUInt | B::AttrApInt | B::AttrBool => {
                let Val::Attr(Attr::Int { value, .. }) = on else { return Err(Stop::Fails) };
                match op {
                    B::AttrApInt => Val::ApInt(value),
                    B::AttrBool => {
                        let zero = self.state.terms.is_zero(&value);
                        Val::Bool(self.state.terms.not(&zero))
                    }
                    _ => Val::Int(self.fitting(value, op != B::AttrUInt)?),
                }
            }
            B::AttrEnum => match on {
                Val::Attr(Attr::Int { value, .. }) => Val::Int(self.fitting(value, false)?),
                Val::Attr(Attr::Overflow { .. }) => {
                    return self.convert(on, Item::Enum(crate::snippet::EnumId::from_raw(0)));
                }
                _ => return unknown("a snippet reads an enumeration that is not known"),
            },
            B::IntegerAttr => {
                let Val::Type(ty) = on else { return Err(Stop::Fails) };
                return self.integer_attr(ty, &arg(1));
            }
            B::I1Attr => return self.integer_attr(Ty::Int(1), &on),
            B::I8Attr => return self.integer_attr(Ty::Int(8), &on),
            B::I16Attr => return self.integer_attr(Ty::Int(16), &on),
            B::I32Attr => return self.integer_attr(Ty::Int(32), &on),
            B::I64Attr => return self.integer_attr(Ty::Int(64), &on),
            B::IndexAttr => return self.integer_attr(Ty::Index, &on),
            B::BoolAttr => {
                let value = self.truth_of(&on);
                Val::Attr(Attr::Int { ty: Ty::Int(1), value })
            }
            B::UnitAttr => Val::Attr(Attr::Unit { present: self.state.terms.boolean(true) }),
            B::ZeroAttr | B::OneAttr => {
                let Val::Type(ty) = on else { return Err(Stop::Fails) };
                let number = self.int(i128::from(op == B::OneAttr));
                return self.integer_attr(ty, &number);
            }
            B::EnumAttr => return self.enum_attr(&on, &arg(1)),
            B::I1 => Val::Type(Ty::Int(1)),
            B::I8 => Val::Type(Ty::Int(8)),
            B::I16 => Val::Type(Ty::Int(16)),
            B::I32 => Val::Type(Ty::Int(32)),
            B::I64 => Val::Type(Ty::Int(64)),
            B::Index => Val::Type(Ty::Index),
            B::IntegerType => {
                let width = self.machine_int(&on)?;
                let width = self.state.terms.value(width).and_then(ApInt::to_u64);
                match width.and_then(|width| u32::try_from(width).ok()) {
                    Some(width) if width > 0 && width <= crate::number::MAX_WIDTH => {
                        self.state.terms.depends_on(width);
                        Val::Type(Ty::Int(width))
                    }
                    Some(_) => return Err(Stop::Fails),
                    None => return unknown("a snippet computes a width"),
                }
            }
            B::BitWidth if matches!(on, Val::ApInt(_)) => {
                let bits = self.ap_int(&on)?;
                let width = self.state.terms.width(&bits);
                self.state.terms.depends_on(width);
                return Ok(self.int(width.into()));
            }
            B::BitWidth => match on {
                Val::Type(Ty::Int(width)) => {
                    self.state.terms.depends_on(width);
                    return Ok(self.int(width.into()));
                }
                Val::Type(Ty::Index) | Val::Null => return Err(Stop::Fails),
                _ => return unknown("a snippet reads the width of a type that is not an integer"),
            },
            _ => match self.type_test(op, &on, &arg(1), args.len())? {
                Some(value) => value,
                None => return self.number(op, &args),
            },
        })
    }

    /// Evaluates a test of a scalar type; `None` if `op` is another built-in, or if `on` is not a type.
    fn type_test(&mut self, op: Builtin, on: &Val, width: &Val, args: usize) -> Result<Option<Val>> {
        use Builtin as B;
        let Val::Type(ty) = on else { return Ok(None) };
        let (integer, index) = match ty {
            Ty::Int(width) => (Some(*width), false),
            Ty::Index => (None, true),
            Ty::Other(_) => return unknown("a snippet tests a type that is neither an integer nor 'index'"),
        };
        let holds = match op {
            B::IsInteger | B::IsSignlessInteger => integer.is_some(),
            B::IsSignedInteger | B::IsUnsignedInteger => false,
            B::IsIndex => index,
            B::IsF16 | B::IsF32 | B::IsF64 | B::IsBF16 | B::IsF80 | B::IsF128 | B::IsTF32 => false,
            B::IsIntOrFloat | B::IsSignlessIntOrFloat => integer.is_some(),
            B::IsIntOrIndex
            | B::IsIntOrIndexOrFloat
            | B::IsSignlessIntOrIndex
            | B::IsSignlessIntOrIndexOrFloat => true,
            B::IsSignless if integer.is_some() => true,
            B::IsSigned | B::IsUnsigned if integer.is_some() => false,
            B::IsSignless | B::IsSigned | B::IsUnsigned => return Err(Stop::Fails),
            _ => return Ok(None),
        };
        if holds && args >= 2 {
            let wanted = self.machine_int(width)?;
            self.state.type_matters(*ty);
            let own = int(&mut self.state.terms, integer.unwrap_or_default().into());
            return Ok(Some(Val::Bool(self.state.terms.eq(&wanted, &own))));
        }
        Ok(Some(self.bool(holds)))
    }

    fn integer_attr(&mut self, ty: Ty, value: &Val) -> Result<Val> {
        let Some(width) = ty.attr_width() else {
            return unknown(
                "a snippet makes an integer attribute of a type that is neither an integer nor 'index'",
            );
        };
        let value = match value {
            Val::ApInt(bits) if self.state.terms.width(bits) == width => *bits,
            Val::ApInt(_) => return Err(Stop::Fails),
            other => {
                let number = self.machine_int(other)?;
                self.state.terms.sext_or_trunc(&number, width)
            }
        };
        Ok(Val::Attr(Attr::Int { ty, value }))
    }

    fn enum_attr(&mut self, class: &Val, value: &Val) -> Result<Val> {
        let number = self.machine_int(value)?;
        match class {
            Val::Str(text) if text == "#arith.overflow" => {
                let terms = &mut self.state.terms;
                let one = int(terms, 1);
                let half = terms.lshr(&number, &one);
                let (nsw, nuw) = (terms.zext_or_trunc(&number, 1), terms.zext_or_trunc(&half, 1));
                Ok(Val::Attr(Attr::Overflow { nsw, nuw }))
            }
            Val::Int(width) => {
                let width =
                    self.state.terms.value(*width).and_then(|width| u32::try_from(width.to_u64()?).ok());
                let Some(width) = width.filter(|width| (1..=64).contains(width)) else {
                    return unknown("a snippet is malformed");
                };
                let value = self.state.terms.zext_or_trunc(&number, width);
                Ok(Val::Attr(Attr::Int { ty: Ty::Int(width), value }))
            }
            _ => unknown("a snippet makes an attribute of a dialect"),
        }
    }

    fn number(&mut self, op: Builtin, args: &[Val]) -> Result<Val> {
        use Builtin as B;
        let Some(on) = args.first() else { return unknown(not_understood(op)) };
        let arg = args.get(1).cloned().unwrap_or(Val::Null);
        if op == B::MakeApInt {
            let width = self.machine_int(on)?;
            let width = self.state.terms.value(width).and_then(|width| u32::try_from(width.to_u64()?).ok());
            let Some(width) = width.filter(|width| (1..=4096).contains(width)) else {
                return unknown("a snippet computes a width");
            };
            let signed = match args.get(2) {
                Some(flag) => self.truth_of(flag),
                None => self.state.terms.boolean(false),
            };
            let Some(signed) = self.state.terms.truth(signed) else { return unknown(not_understood(op)) };
            let number = self.machine_int(&arg)?;
            let terms = &mut self.state.terms;
            terms.depends_on(width);
            let low = terms.zext_or_trunc(&number, 64);
            return Ok(Val::ApInt(if signed {
                terms.sext_or_trunc(&low, width)
            } else {
                terms.zext_or_trunc(&low, width)
            }));
        }
        if matches!(op, B::Max | B::Min) {
            let less = self.dynamic_binary(BinaryOp::Lt, on, &arg)?;
            let less = self.truth_of(&less);
            return if op == B::Max {
                self.merge(less, arg, on.clone())
            } else {
                self.merge(less, on.clone(), arg)
            };
        }
        let Val::ApInt(x) = *on else { return unknown(not_understood(op)) };
        let width = self.state.terms.width(&x);
        let terms = &mut self.state.terms;
        let constant = |value: ApInt, terms: &mut Terms| {
            let value = terms.constant(value);
            Val::Bool(terms.eq(&x, &value))
        };
        Ok(match op {
            B::BitWidth => {
                terms.depends_on(width);
                return Ok(self.int(width.into()));
            }
            B::IsZero => constant(ApInt::zero(width), terms),
            B::IsOne => constant(ApInt::one(width), terms),
            B::IsAllOnes => constant(ApInt::all_ones(width), terms),
            B::IsMinSigned => constant(ApInt::min_signed(width), terms),
            B::IsMaxSigned => constant(ApInt::max_signed(width), terms),
            B::IsNegative => Val::Bool(terms.is_negative(&x)),
            B::IsNonNegative => {
                let negative = terms.is_negative(&x);
                Val::Bool(terms.not(&negative))
            }
            B::IsStrictlyPositive => {
                let zero = terms.constant(ApInt::zero(width));
                Val::Bool(terms.slt(&zero, &x))
            }
            B::IsPowerOf2 => {
                let one = terms.constant(ApInt::one(width));
                let below = terms.sub(&x, &one);
                let common = terms.and(&x, &below);
                let (single, zero) = (terms.is_zero(&common), terms.is_zero(&x));
                let positive = terms.not(&zero);
                Val::Bool(terms.and(&single, &positive))
            }
            B::Log2 => {
                if terms.is_generic(width) {
                    return unknown("a logarithm depends on the width");
                }
                // The logarithm of zero wraps to the largest number of 32 bits.
                let mut log = int(&mut self.state.terms, u32::MAX.into());
                for bit in 0..width {
                    let terms = &mut self.state.terms;
                    let by = terms.constant(ApInt::from_u64(width, bit.into()));
                    let shifted = terms.lshr(&x, &by);
                    let set = terms.zext_or_trunc(&shifted, 1);
                    let value = int(terms, bit.into());
                    log = terms.select(&set, &value, &log);
                }
                Val::Int(log)
            }
            B::SExtValue => Val::Int(self.fitting(x, true)?),
            B::ZExtValue => Val::Int(self.fitting(x, false)?),
            B::ApAbs => {
                let (negative, negated) = (terms.is_negative(&x), terms.neg(&x));
                Val::ApInt(terms.select(&negative, &negated, &x))
            }
            B::ZextOrTrunc | B::SextOrTrunc => {
                let to = self.machine_int(&arg)?;
                let to = self.state.terms.value(to).and_then(|width| u32::try_from(width.to_u64()?).ok());
                let Some(to) = to.filter(|width| (1..=4096).contains(width)) else {
                    return unknown("a snippet computes a width");
                };
                let terms = &mut self.state.terms;
                terms.depends_on(to);
                Val::ApInt(if op == B::SextOrTrunc {
                    terms.sext_or_trunc(&x, to)
                } else {
                    terms.zext_or_trunc(&x, to)
                })
            }
            B::ApEq
            | B::ApNe
            | B::ApUlt
            | B::ApUle
            | B::ApUgt
            | B::ApUge
            | B::ApSlt
            | B::ApSle
            | B::ApSgt
            | B::ApSge => {
                let (compare, signed) = match op {
                    B::ApEq => (BinaryOp::Eq, false),
                    B::ApNe => (BinaryOp::Ne, false),
                    B::ApUlt => (BinaryOp::Lt, false),
                    B::ApUle => (BinaryOp::Le, false),
                    B::ApUgt => (BinaryOp::Gt, false),
                    B::ApUge => (BinaryOp::Ge, false),
                    B::ApSlt => (BinaryOp::Lt, true),
                    B::ApSle => (BinaryOp::Le, true),
                    B::ApSgt => (BinaryOp::Gt, true),
                    _ => (BinaryOp::Ge, true),
                };
                if matches!(arg, Val::ApInt(_)) {
                    let (x, y) = self.ap_ints(on, &arg)?;
                    return Ok(Val::Bool(self.compare(compare, x, y, signed)));
                }
                let number = self.machine_int(&arg)?;
                Val::Bool(self.compare_with_machine_int(compare, x, number, signed))
            }
            _ => return unknown(not_understood(op)),
        })
    }
}

/// A number of bits in which a C++ integer fits as a signed number.
fn signed_width(terms: &Terms, id: TermId) -> u32 {
    match terms.get(id) {
        Term::Sext(inner) => terms.width_of(*inner),
        Term::Zext(inner) => terms.width_of(*inner) + 1,
        Term::Const(value) => {
            let magnitude = if value.is_negative() { value.not() } else { value.clone() };
            magnitude.active_bits() + 1
        }
        _ => INT_WIDTH,
    }
}

fn not_understood(op: Builtin) -> String {
    format!("a snippet calls the built-in '{op:?}', which has no symbolic form")
}
