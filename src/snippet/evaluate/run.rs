//! The evaluation of expressions, and the dispatch of built-ins.
//!
//! Evaluation allocates no memory for integers of at most 64 bits, nor for the parameters, outputs and locals if there
//! are at most four of each.

use super::affine;
use super::arithmetic;
use super::budget::Limit;
use super::convert::{number_of, width_cost};
use super::entity::to_entity;
use super::error::fail;
use super::evaluator::{Evaluator, Jump};
use super::number;
use super::value::{Args, Evaluated, SmallList, Val, element};
use crate::host::{AttrSpec, Facets, Refusal};
use crate::id::Id;
use crate::intern::StrId;
use crate::snippet::data::{Builtin, DEPTH_LIMIT, Expr, ExprId, ExprList, Group, TruthBy};
use crate::snippet::library::rows;
use crate::stack::with_room;

impl<H: Facets> Evaluator<'_, H> {
    /// Evaluates an expression.
    ///
    /// The depth is bounded here as well as in the builder, because functions can call themselves and a forged file may
    /// contain cycles.
    pub(super) fn eval(&mut self, id: ExprId) -> Evaluated<H> {
        if self.depth == DEPTH_LIMIT {
            return self.exhaust(Limit::Depth, "the snippet is nested too deeply");
        }
        self.depth += 1;
        // Only every fourth level checks the room on the stack.
        let value = if self.depth.is_multiple_of(4) {
            with_room(|| self.eval_at_depth(id))
        } else {
            self.eval_at_depth(id)
        };
        self.depth -= 1;
        value
    }

    /// Evaluates an expression. Operands in tail position are evaluated in the loop, so that long chains do not
    /// recurse.
    fn eval_at_depth(&mut self, mut id: ExprId) -> Evaluated<H> {
        loop {
            self.step(1)?;
            let Some(&expr) = self.snippets.exprs.get(id) else {
                return fail("the snippet refers to an expression that does not exist");
            };
            return match expr {
                Expr::And(a, b) | Expr::Or(a, b) => {
                    let decides = matches!(expr, Expr::Or(..));
                    match self.truth(a) {
                        Ok(value) if value == decides => return Ok(Val::Bool(decides)),
                        Ok(_) => {
                            id = b;
                            continue;
                        }
                        Err(refusal) => self.decided_by(b, decides, refusal),
                    }
                }
                Expr::Select(c, a, b) => {
                    id = if self.truth(c)? { a } else { b };
                    continue;
                }
                Expr::Then(a, b) => {
                    self.eval(a)?;
                    id = b;
                    continue;
                }
                Expr::Let(local, value, rest) => {
                    let value = self.eval(value)?;
                    self.set_local(local, value)?;
                    id = rest;
                    continue;
                }
                Expr::Block(list) => {
                    let Some((&last, before)) = self.list(list).split_last() else { return Ok(Val::Null) };
                    for &statement in before {
                        self.eval(statement)?;
                        if self.jump.is_some() {
                            return Ok(Val::Null);
                        }
                    }
                    id = last;
                    continue;
                }
                Expr::Switch(subject, list) => {
                    let subject = self.eval(subject)?;
                    match self.case(&subject, list)? {
                        Some(body) => id = body,
                        None => return fail("the snippet is malformed"),
                    }
                    continue;
                }
                Expr::Function(name, inner) => match self.linked.override_of(name) {
                    None => {
                        id = inner;
                        continue;
                    }
                    Some(native) => self.overridden(native, inner),
                },
                other => self.eval_one(other),
            };
        }
    }

    fn eval_one(&mut self, expr: Expr) -> Evaluated<H> {
        Ok(match expr {
            Expr::Param(index) => {
                let output = self.outputs.get(index as usize).cloned().flatten();
                match output.or_else(|| self.params.get(index as usize).cloned()) {
                    Some(value) => value,
                    None => return fail("a parameter is missing"),
                }
            }
            Expr::Local(local) => self.locals.get(self.frame + local.index()).cloned().unwrap_or(Val::Null),
            Expr::Null => Val::Null,
            Expr::Bool(b) => Val::Bool(b),
            Expr::Int(i) => Val::Int(i),
            Expr::Double(d) => Val::Double(d),
            Expr::Str(text) => self.linked.text(self.snippets, text),
            Expr::Enum(id) => Val::count(id.index()),
            Expr::Truth(e, by) => {
                let value = self.eval(e)?;
                Val::Bool(match by {
                    TruthBy::Presence => !value.is_null(),
                    TruthBy::Value => value.is_true(),
                })
            }
            Expr::Not(e) => Val::Bool(!self.truth(e)?),
            Expr::Neg(e, item) => {
                let value = self.eval(e)?;
                return number::negate(number_of(&value)?, item).map(Val::from);
            }
            Expr::BitNot(e, item) => {
                let value = self.eval(e)?;
                return number::complement(number_of(&value)?, item).map(Val::from);
            }
            Expr::Binary(op, item, a, b) => {
                let a = self.eval(a)?;
                let b = self.eval(b)?;
                return self.binary(op, item, a, b);
            }
            Expr::Convert(e, item) => {
                let value = self.eval(e)?;
                return self.convert(value, item);
            }
            Expr::Deref(e) => match self.eval(e)? {
                Val::Null => return fail("null is dereferenced"),
                Val::Iterator(items, at) => return element(&items, at as i128),
                value => value,
            },
            Expr::Builtin(Builtin::CreateFolded, list) => return self.create_folded(list),
            Expr::Builtin(op, list) => {
                let args = self.args(list)?;
                return self.call(op, args);
            }
            Expr::Dynamic(name, list) => return self.dynamic(name, list),
            Expr::Native(native, args, outs) => {
                let kinds = &self.snippets.natives[native].params;
                let entities = self.list(args).iter().enumerate().map(|(i, &arg)| {
                    let value = self.eval(arg)?;
                    to_entity(value, kinds.get(i).copied().flatten())
                });
                let mut entities: SmallList<_> = entities.collect::<Result<_, Refusal>>()?;
                return self.native(native.index(), &mut entities, outs);
            }
            Expr::IsA(e, class) => {
                let value = self.eval(e)?;
                Val::Bool(self.is_a(&value, class)?)
            }
            Expr::Cast(e, class, mode) => {
                let value = self.eval(e)?;
                return self.cast(value, class, mode);
            }
            Expr::List(list) => {
                let mut items = Vec::with_capacity(list.len as usize);
                for &id in self.list(list) {
                    match self.eval(id)? {
                        Val::Range(range) => {
                            self.step(range.len() as u64)?;
                            items.extend(range.iter().cloned());
                        }
                        value => items.push(value),
                    }
                }
                Val::range(items)
            }
            Expr::Lambda { first, params, body } => Val::Lambda { first, params, body, frame: self.frame },
            Expr::Call(function, args, outs) => return self.call_function(function, args, outs),
            Expr::Apply(lambda, list) => {
                let lambda = self.eval(lambda)?;
                let args = self.values_of(list)?;
                return self.apply(&lambda, &args);
            }
            Expr::Body(body) => return self.body(body),
            Expr::Return(value) => {
                let value = self.eval(value)?;
                self.jump = Some(Jump::Return(value));
                Val::Null
            }
            Expr::Break => {
                self.jump = Some(Jump::Break);
                Val::Null
            }
            Expr::Continue => {
                self.jump = Some(Jump::Continue);
                Val::Null
            }
            Expr::Loop { condition, step, body } => return self.repeat(condition, step, body),
            Expr::ForEach(local, range, body) => return self.for_each(local, range, body),
            Expr::Update(update, local, list) => {
                let args = self.values_of(list)?;
                return self.update(update, local, args);
            }
            Expr::Tuple(list) => Val::Tuple(self.values_of(list)?.into()),
            Expr::Field(e, index) => match self.eval(e)? {
                Val::Tuple(fields) => return element(&fields, i128::from(index)),
                Val::Attr(a) => return self.signed_number_field(&a, index),
                other => return fail(format!("{} has no fields", other.variant_name())),
            },
            Expr::Fail(reason) => return fail(self.snippets.str(reason).to_owned()),
            Expr::Assign(output, e) => {
                let value = self.eval(e)?;
                self.assign(output, value.clone())?;
                value
            }
            Expr::Member(e, member) => {
                let value = self.eval(e)?;
                return self.member(value, member);
            }
            Expr::ToAttr(e, item) => {
                let value = self.eval(e)?;
                return self.property_attr(value, item);
            }
            Expr::Create(plan, list) => {
                let values = self.values_of(list)?;
                return self.create(plan, &values, false);
            }
            Expr::Make(class, list) => {
                let values = self.values_of(list)?;
                return self.make_of_class(class, &values);
            }
            Expr::And(..)
            | Expr::Or(..)
            | Expr::Select(..)
            | Expr::Then(..)
            | Expr::Let(..)
            | Expr::Block(..)
            | Expr::Switch(..)
            | Expr::Function(..) => return fail("the snippet is malformed"),
        })
    }

    fn args(&mut self, list: ExprList) -> Result<Args<H>, Refusal> {
        let mut args = Args::new();
        for &id in self.list(list) {
            args.push(self.eval(id)?)?;
        }
        Ok(args)
    }

    pub(super) fn values_of(&mut self, list: ExprList) -> Result<Vec<Val<H>>, Refusal> {
        self.list(list).iter().map(|&id| self.eval(id)).collect()
    }

    pub(super) fn truth(&mut self, e: ExprId) -> Result<bool, Refusal> {
        let value = self.eval(e)?;
        Ok(value.is_true())
    }

    /// The value of `a && b` or `a || b` after `a` failed with `refusal`. If `a` is not known, `b` can decide.
    fn decided_by(&mut self, b: ExprId, decides: bool, refusal: Refusal) -> Evaluated<H> {
        let Some(unknown) = self.unknown.take() else { return Err(refusal) };
        match self.truth(b) {
            Ok(value) if value == decides => Ok(Val::Bool(decides)),
            _ => {
                self.unknown = Some(unknown);
                Err(refusal)
            }
        }
    }

    fn dynamic(&mut self, name: StrId, list: ExprList) -> Evaluated<H> {
        let args = self.args(list)?;
        let name = self.snippets.str(name);
        let receiver = args.receiver().clone();
        if receiver.is_null() {
            return fail(format!("'{name}' is called on null"));
        }
        for row in rows(name) {
            let arity = args.len().saturating_sub(1);
            if arity <= row.args.len()
                && arity + row.optional >= row.args.len()
                && self.receives(row.receiver, &receiver)?
            {
                return self.call(row.op, args);
            }
        }
        fail(format!("{} has no method '{name}'", receiver.variant_name()))
    }

    fn overridden(&mut self, native: usize, inner: ExprId) -> Evaluated<H> {
        let args = match self.snippets.exprs.get(inner) {
            Some(&Expr::Builtin(_, list)) => self.list(list),
            Some(Expr::IsA(of, _)) => std::slice::from_ref(of),
            _ => return self.eval(inner),
        };
        let entities = args.iter().map(|&arg| {
            let value = self.eval(arg)?;
            to_entity(value, None)
        });
        let mut entities: SmallList<_> = entities.collect::<Result<_, Refusal>>()?;
        self.native(native, &mut entities, ExprList::EMPTY)
    }

    fn call(&mut self, op: Builtin, args: Args<H>) -> Evaluated<H> {
        match op.group() {
            Group::Ir => self.call_ir(op, args),
            Group::Blocks => self.call_blocks(op, args),
            Group::Types if matches!(args.receiver(), Val::ApInt(_)) => call_numbers(op, args),
            Group::Types => self.call_types(op, args),
            Group::MakeTypes => self.make_types(op, args),
            Group::Attrs => self.call_attrs(op, args),
            Group::MakeAttrs => self.make_attrs(op, args),
            Group::Affine => self.query_map(op, args),
            Group::MakeAffine => self.construct_map(op, args),
            Group::Numbers => call_numbers(op, args),
            Group::Ranges => self.call_ranges(op, args),
            Group::Enums => self.call_enums(op, args),
            Group::Lambdas => self.call_lambdas(op, args),
            Group::Arithmetic => {
                self.step(width_cost(args.receiver()))?;
                call_arithmetic(op, args)
            }
            Group::Algorithms => self.call_algorithm(op, args),
            Group::Strings => self.call_strings(op, args),
        }
    }

    fn query_map(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        let map = args.take(0);
        let text = self.attr_text(&map.as_attr()?);
        self.step(text.len() as u64)?;
        Ok(match affine::query(op, &text, optional_number(&args.take(1))?)? {
            affine::Answer::Null => Val::Null,
            affine::Answer::Bool(value) => Val::Bool(value),
            affine::Answer::Int(value) => Val::Int(value),
            affine::Answer::Ints(values) => Val::range(values.into_iter().map(Val::Int).collect()),
            affine::Answer::Receiver => map,
            affine::Answer::Map(text) => return self.make_attr(AttrSpec::Text(text)),
        })
    }

    fn construct_map(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        let (mut numbers, mut list): (SmallList<i128>, _) = (SmallList::new(), Vec::new());
        for i in 0..args.len() {
            match args.take(i) {
                range @ Val::Range(_) => list = self.ints(&range)?,
                number => numbers.push(number.int()?),
            }
        }
        let text = affine::construct(op, &numbers, &list)?;
        self.step(text.len() as u64)?;
        self.make_attr(AttrSpec::Text(text))
    }

    /// Evaluates a range algorithm that calls a lambda.
    fn call_lambdas(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        let items = self.items(&args.take(0))?;
        let lambda = args.take(1);
        if op == Builtin::MapRange {
            let mapped = items.iter().map(|item| {
                self.step(1)?;
                self.apply(&lambda, std::slice::from_ref(item))
            });
            return mapped.collect::<Result<_, _>>().map(Val::range);
        }
        let mut count = 0;
        for item in items.iter() {
            self.step(1)?;
            let holds = self.apply(&lambda, std::slice::from_ref(item))?.is_true();
            match (op, holds) {
                (Builtin::AllOf, false) | (Builtin::NoneOf, true) => return Ok(Val::Bool(false)),
                (Builtin::AnyOf, true) => return Ok(Val::Bool(true)),
                _ => count += usize::from(holds),
            }
        }
        Ok(match op {
            Builtin::CountIf => Val::count(count),
            Builtin::AllOf | Builtin::NoneOf => Val::Bool(true),
            _ => Val::Bool(false),
        })
    }
}

fn call_numbers<H: Facets>(op: Builtin, mut args: Args<H>) -> Evaluated<H> {
    let mut number = |index| optional_number(&args.take(index));
    number::call(op, [number(0)?, number(1)?, number(2)?]).map(Val::from)
}

fn call_arithmetic<H: Facets>(op: Builtin, mut args: Args<H>) -> Evaluated<H> {
    let mut numbers: SmallList<number::Number> = SmallList::new();
    for index in 0..args.len() {
        numbers.push(number_of(&args.take(index))?);
    }
    arithmetic::call(op, &numbers).map(Val::from)
}

/// The value as a number; `None` if it is null.
fn optional_number<H: Facets>(value: &Val<H>) -> Result<Option<number::Number>, Refusal> {
    if value.is_null() { Ok(None) } else { number_of(value).map(Some) }
}
