//! Evaluation: expressions over a host, bounded in steps and depth.
//!
//! A null dereference, a cast to the wrong class, a division by zero, signed overflow and whatever
//! else C++ leaves undefined is a [`Refusal`]; so is running out of steps. Nothing here panics.
//!
//! Evaluation allocates only for what a snippet makes (strings, ranges, types and attributes that the host
//! does not have, integers of more than 64 bits), for more than four parameters or variables, and what natives
//! and the host's [`Facets`] allocate themselves.

mod affine;
mod attrs;
mod body;
mod direct;
mod enums;
mod interfaces;
mod ir;
mod link;
mod numbers;
mod ranges;
mod types;
mod value;
mod view;
mod world;

use std::sync::Arc;

use smallvec::SmallVec;

use super::data::{
    AttrClass, BinaryOp, Builtin, CastMode, ClassId, ClassKind, DEPTH_LIMIT, Expr, ExprId, ExprList, Form,
    Group, Item, ObjectClass, Snippet, Snippets, TruthBy, Ty, TypeClass,
};
use super::library::{Receiver, rows};
use super::text::split_class;
use crate::host::{AttrKind, Entity, Facets, Kind, Refusal};
use crate::id::Id;
use crate::stack::with_room;
use value::{AttrRef, TypeRef, Val};
use world::World;

pub use link::{Linked, Misfit};

/// How many steps one evaluation may take; an element of a range is a step.
const STEP_LIMIT: u32 = 4_000_000;

/// A list that is on the heap only if it is long.
type Few<T> = SmallVec<[T; 4]>;

type Evaluated<H> = Result<Val<H>, Refusal>;

fn fail<T>(reason: impl Into<std::borrow::Cow<'static, str>>) -> Result<T, Refusal> {
    Err(Refusal::new(reason))
}

/// The arguments of a built-in: few, and never on the heap.
struct Args<H: Facets> {
    items: [Val<H>; 4],
    len: usize,
}

impl<H: Facets> Args<H> {
    fn take(&mut self, index: usize) -> Val<H> {
        match self.items.get_mut(index) {
            Some(slot) => std::mem::replace(slot, Val::Null),
            None => Val::Null,
        }
    }
}

/// One evaluation.
struct Evaluator<'a, H: Facets> {
    snippets: &'a Snippets,
    linked: &'a Linked<H>,
    world: &'a mut dyn World<H>,
    params: &'a [Val<H>],
    locals: Few<Val<H>>,
    outputs: Few<Option<Val<H>>>,
    declared: &'a Snippet,
    steps: u32,
    depth: u32,
    /// Whether what failed did so since it is not known here.
    unknown: bool,
}

impl<'a, H: Facets> Evaluator<'a, H> {
    fn host(&self) -> &H {
        self.world.host()
    }

    fn step(&mut self, count: u64) -> Result<(), Refusal> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        match self.steps.checked_sub(count) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => fail("the snippet takes too many steps"),
        }
    }

    /// No deeper than the builder allows: what was read from a file may be nested in itself.
    fn eval(&mut self, id: ExprId) -> Evaluated<H> {
        if self.depth == DEPTH_LIMIT {
            return fail("the snippet is nested too deeply");
        }
        self.depth += 1;
        // PERF: the room is looked for at every fourth level only.
        let value = if self.depth.is_multiple_of(4) {
            with_room(|| self.eval_at_depth(id))
        } else {
            self.eval_at_depth(id)
        };
        self.depth -= 1;
        value
    }

    /// Operands in place of their parent are evaluated in this loop, so that long chains do not recurse.
    fn eval_at_depth(&mut self, mut id: ExprId) -> Evaluated<H> {
        loop {
            self.step(1)?;
            let Some(&expr) = self.snippets.exprs.get(id) else {
                return fail("the snippet refers to an expression it does not have");
            };
            return match expr {
                Expr::And(a, b) | Expr::Or(a, b) => {
                    let decides = matches!(expr, Expr::Or(..));
                    match self.truth(a) {
                        Ok(known) if known == decides => return Ok(Val::Bool(decides)),
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
            Expr::Local(index) => self.locals.get(index as usize).cloned().unwrap_or(Val::Null),
            Expr::Null => Val::Null,
            Expr::Bool(b) => Val::Bool(b),
            Expr::Int(i) => Val::Int(i),
            Expr::Double(d) => Val::Double(d),
            Expr::Str(text) => self.linked.text(self.snippets, text),
            Expr::Truth(e, by) => {
                let value = self.eval(e)?;
                Val::Bool(match by {
                    TruthBy::Presence => !value.is_null(),
                    TruthBy::Value => is_true(&value),
                })
            }
            Expr::Not(e) => Val::Bool(!self.truth(e)?),
            Expr::Neg(e, item) => {
                let value = self.eval(e)?;
                return self.negate(value, item);
            }
            Expr::BitNot(e, item) => {
                let value = self.eval(e)?;
                return self.complement(value, item);
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
                Val::Iterator(items, at) => return element(&items, i128::from(at)),
                value => value,
            },
            Expr::Builtin(op, list) => {
                let args = self.args(list)?;
                return self.call(op, args);
            }
            Expr::Dynamic(name, list) => return self.dynamic(name, list),
            Expr::Native(native, args, outs) => {
                let use_ = &self.snippets.natives[native];
                let entities = self.list(args).iter().enumerate().map(|(i, &arg)| {
                    let value = self.eval(arg)?;
                    to_entity(value, use_.params.get(i).copied().flatten())
                });
                let mut entities: Few<_> = entities.collect::<Result<_, Refusal>>()?;
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
                        Val::Range(range) => items.extend(range.iter().cloned()),
                        value => items.push(value),
                    }
                }
                Val::range(items)
            }
            Expr::Lambda { first, params, body } => Val::Lambda { first, params, body },
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
            Expr::Create(plan, list) => return self.create(plan, list),
            Expr::Make(class, list) => return self.make_of_class(class, list),
            Expr::And(..)
            | Expr::Or(..)
            | Expr::Select(..)
            | Expr::Then(..)
            | Expr::Let(..)
            | Expr::Function(..) => return fail("the snippet is malformed"),
        })
    }

    fn list(&self, list: ExprList) -> &'a [ExprId] {
        self.snippets.list(list)
    }

    fn args(&mut self, list: ExprList) -> Result<Args<H>, Refusal> {
        let mut args = Args { items: [const { Val::Null }; 4], len: list.len as usize };
        if args.len > args.items.len() {
            return fail("a built-in has too many arguments");
        }
        for i in 0..args.len {
            let Some(&id) = self.snippets.list(list).get(i) else {
                return fail("the snippet is malformed");
            };
            args.items[i] = self.eval(id)?;
        }
        Ok(args)
    }

    fn truth(&mut self, e: ExprId) -> Result<bool, Refusal> {
        let value = self.eval(e)?;
        Ok(is_true(&value))
    }

    /// What `a && b` or `a || b` is after `a` failed with `refusal`: where that is not known, `b` can decide.
    fn decided_by(&mut self, b: ExprId, decides: bool, refusal: Refusal) -> Evaluated<H> {
        if !std::mem::take(&mut self.unknown) {
            return Err(refusal);
        }
        match self.truth(b) {
            Ok(known) if known == decides => Ok(Val::Bool(decides)),
            _ => {
                self.unknown = true;
                Err(refusal)
            }
        }
    }

    /// Fails since nothing here says what holds in C++.
    fn unknown<T>(&mut self, reason: impl Into<std::borrow::Cow<'static, str>>) -> Result<T, Refusal> {
        self.unknown = true;
        fail(reason)
    }

    fn set_local(&mut self, local: u32, value: Val<H>) -> Result<(), Refusal> {
        match self.locals.get_mut(local as usize) {
            Some(slot) => {
                *slot = value;
                Ok(())
            }
            None => fail("the snippet is malformed"),
        }
    }

    /// Calls a lambda with one or two arguments.
    fn apply(&mut self, lambda: &Val<H>, args: &[Val<H>]) -> Evaluated<H> {
        let Val::Lambda { first, params, body } = *lambda else {
            return fail("what is called is no lambda");
        };
        if params as usize != args.len() {
            return fail("a lambda is called with the wrong number of arguments");
        }
        for (local, arg) in (first..).zip(args) {
            self.set_local(local, arg.clone())?;
        }
        self.eval(body)
    }

    /// Binds an output; whether it can be bound to this.
    fn assign(&mut self, output: u32, value: Val<H>) -> Result<bool, Refusal> {
        let Some(param) = self.declared.params.get(output as usize) else {
            return fail("the snippet is malformed");
        };
        if let (Item::Attr(class), Val::Attr(_)) = (param.ty.item, &value)
            && !self.is_a(&value, ObjectClass::Attr(class))?
        {
            return Ok(false);
        }
        match self.outputs.get_mut(output as usize) {
            Some(slot) => *slot = Some(value),
            None => return fail("the snippet is malformed"),
        }
        Ok(true)
    }

    fn dynamic(&mut self, name: crate::intern::StrId, list: ExprList) -> Evaluated<H> {
        let mut args = self.args(list)?;
        let name = self.snippets.str(name);
        let receiver = args.items[0].clone();
        if receiver.is_null() {
            return fail(format!("'{name}' is called on null"));
        }
        for row in rows(name) {
            let arity = args.len.saturating_sub(1);
            if arity <= row.args.len()
                && arity + row.optional >= row.args.len()
                && self.receives(row.receiver, &receiver)?
            {
                // A range is what a method of ranges expects.
                if matches!(row.receiver, Receiver::Range | Receiver::RangeOf(_)) {
                    args.items[0] = Val::Range(self.items(&receiver)?);
                }
                return self.call(row.op, args);
            }
        }
        fail(format!("{} has no method '{name}'", receiver.what()))
    }

    fn receives(&mut self, receiver: Receiver, value: &Val<H>) -> Result<bool, Refusal> {
        Ok(match receiver {
            Receiver::Free | Receiver::Optional | Receiver::Enum => false,
            Receiver::Range | Receiver::RangeOf(_) => matches!(value, Val::Range(_)),
            Receiver::One(item) => match (item, value) {
                (Item::Type(class), Val::Type(_)) => self.is_a(value, ObjectClass::Type(class))?,
                (Item::Attr(class), Val::Attr(_)) => self.is_a(value, ObjectClass::Attr(class))?,
                (Item::AffineMap, Val::Attr(_)) => {
                    self.is_a(value, ObjectClass::Attr(AttrClass::AffineMap))?
                }
                (Item::Value, Val::Value(_))
                | (Item::Op(_), Val::Op(_))
                | (Item::Use, Val::Use(_))
                | (Item::Str | Item::Name, Val::Str(_))
                | (Item::ApInt, Val::ApInt(_))
                | (Item::ApFloat, Val::ApFloat(_)) => true,
                _ => false,
            },
        })
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
        let mut entities: Few<_> = entities.collect::<Result<_, Refusal>>()?;
        self.native(native, &mut entities, ExprList::EMPTY)
    }

    fn native(&mut self, index: usize, args: &mut [Entity<H>], outs: ExprList) -> Evaluated<H> {
        let native = self.linked.native(index);
        if let Some(native) = native {
            native.adapt(self.world.host(), args);
        }
        let args = &*args;
        let given = match native {
            Some(link::Native { rewrite: Some(rewrite), .. })
                if let Some(given) = self.world.rewrite(&**rewrite, args) =>
            {
                Some(given?)
            }
            Some(link::Native { constraint: Some(constraint), .. }) => constraint(self.world.host(), args),
            _ => return fail("a native that the snippet calls is not registered for this"),
        };
        let Some(given) = given else { return Ok(Val::Null) };
        let mut values: Vec<Val<H>> = given.into_iter().map(from_entity).collect();
        let outputs = self.list(outs);
        if values.len() < outputs.len() {
            return fail("a native gives fewer results than are bound");
        }
        let bound = values.split_off(values.len() - outputs.len());
        for (&id, value) in outputs.iter().zip(bound) {
            if let Some(&Expr::Param(output)) = self.snippets.exprs.get(id)
                && !self.assign(output, value)?
            {
                return Ok(Val::Null);
            }
        }
        Ok(match values.len() {
            0 => Val::Bool(true),
            1 => values.swap_remove(0),
            _ => Val::range(values),
        })
    }

    fn is_a(&mut self, value: &Val<H>, class: ObjectClass) -> Result<bool, Refusal> {
        Ok(match (class, value) {
            (ObjectClass::Type(TypeClass::Named(id)), Val::Type(t)) => {
                self.is_named(id, Val::Type(t.clone()))?
            }
            (ObjectClass::Type(kind), Val::Type(t)) => {
                self.type_is(t, kind) || self.dialect_declares(class, value)?
            }
            (ObjectClass::Attr(AttrClass::Named(id)), Val::Attr(a)) => {
                self.is_named(id, Val::Attr(a.clone()))?
            }
            (ObjectClass::Attr(kind), Val::Attr(a)) => {
                self.attr_is(a, kind) || self.dialect_declares(class, value)?
            }
            (ObjectClass::Op(id), Val::Op(op)) => self.is_named(id, Val::Op(*op))?,
            (ObjectClass::Op(id), Val::Value(v)) => match self.host().defining_op(*v) {
                Some(op) => self.is_named(id, Val::Op(op))?,
                None => false,
            },
            (ObjectClass::AnyOp, Val::Op(_)) | (ObjectClass::Value, Val::Value(_)) => true,
            (ObjectClass::OpResult, Val::Value(v)) => self.host().defining_op(*v).is_some(),
            (ObjectClass::BlockArgument, Val::Value(v)) => self.host().defining_op(*v).is_none(),
            _ => false,
        })
    }

    fn is_named(&mut self, id: ClassId, value: Val<H>) -> Result<bool, Refusal> {
        let Some(class) = self.snippets.classes.get(id) else { return fail("the snippet is malformed") };
        let of_text = |text: &str, class: &str| split_class(text).is_some_and(|(own, _)| own == class);
        match (class.kind, &value) {
            (ClassKind::Op(name), Val::Op(op)) => {
                Ok(self.linked.op_name(name).is_some_and(|name| self.host().op_name(*op) == name))
            }
            (ClassKind::OneOf(_, names), Val::Type(_) | Val::Attr(_)) => {
                let name = self.snippets.str(class.cxx_name);
                self.step(1)?;
                self.has_interface(name, self.snippets.str(names), &value)
            }
            (ClassKind::OneOf(_, names), Val::Op(op)) => {
                let name = self.host().op_name_text(self.host().op_name(*op)).to_owned();
                self.step(1)?;
                Ok(self.snippets.str(names).split(',').any(|one| *one == name))
            }
            (ClassKind::Type(text), Val::Type(t)) => Ok(of_text(&self.type_text(t), self.snippets.str(text))),
            (ClassKind::Attr(text) | ClassKind::EnumAttr(text, _), Val::Attr(a)) => {
                Ok(of_text(&self.attr_text(a), self.snippets.str(text)))
            }
            (ClassKind::IntEnumAttr(width, id), Val::Attr(a)) => Ok(self.holds_enum(a, width, id)),
            (ClassKind::Native(native), _) => {
                let arg = to_entity(value, None)?;
                let holds = self.native(native.index(), &mut [arg], ExprList::EMPTY)?;
                Ok(is_true(&holds))
            }
            _ => Ok(false),
        }
    }

    fn cast(&mut self, value: Val<H>, class: ObjectClass, mode: CastMode) -> Evaluated<H> {
        if value.is_null() {
            return match mode {
                CastMode::Must | CastMode::Try => fail("null is cast"),
                CastMode::MustIfPresent | CastMode::TryIfPresent => Ok(Val::Null),
            };
        }
        if self.is_a(&value, class)? {
            return Ok(match (class, value) {
                (ObjectClass::Op(_) | ObjectClass::AnyOp, Val::Value(v)) => {
                    self.host().defining_op(v).map_or(Val::Null, Val::Op)
                }
                (_, value) => value,
            });
        }
        match mode {
            CastMode::Must | CastMode::MustIfPresent => {
                fail(format!("{} is not of the class it is cast to", value.what()))
            }
            CastMode::Try | CastMode::TryIfPresent => Ok(Val::Null),
        }
    }

    fn binary(&mut self, op: BinaryOp, item: Item, a: Val<H>, b: Val<H>) -> Evaluated<H> {
        match item {
            Item::Unknown => self.compare(op, &a, &b),
            Item::Str => {
                let (a, b) = (self.string(&a)?, self.string(&b)?);
                if op == BinaryOp::Add {
                    self.step((a.len() as u64).saturating_add(b.len() as u64))?;
                    return Ok(Val::Str(Arc::from(format!("{a}{b}"))));
                }
                Ok(Val::Bool(numbers::holds(op, Some(a.cmp(&b)))))
            }
            _ => self.arithmetic(op, item, a, b),
        }
    }

    /// Comparison of things that are not numbers, or not known to be.
    fn compare(&mut self, op: BinaryOp, a: &Val<H>, b: &Val<H>) -> Evaluated<H> {
        match op {
            BinaryOp::Eq => self.equal(a, b).map(Val::Bool),
            BinaryOp::Ne => self.equal(a, b).map(|equal| Val::Bool(!equal)),
            _ => self.dynamic_arithmetic(op, a.clone(), b.clone()),
        }
    }

    fn equal(&mut self, a: &Val<H>, b: &Val<H>) -> Result<bool, Refusal> {
        self.step(1)?;
        Ok(match (a, b) {
            (Val::Null, Val::Null) => true,
            (Val::Null, _) | (_, Val::Null) => false,
            (Val::Type(x), Val::Type(y)) => x == y,
            (Val::Attr(x), Val::Attr(y)) => x == y,
            (Val::Value(x), Val::Value(y)) => x == y,
            (Val::Op(x), Val::Op(y)) => x == y,
            (Val::Use(x), Val::Use(y)) => x == y,
            (Val::Location(x), Val::Location(y)) => x == y,
            (Val::Op(op), Val::Value(v)) | (Val::Value(v), Val::Op(op)) => {
                self.host().result_count(*op) == 1 && self.host().result(*op, 0) == *v
            }
            (Val::Str(_), _) | (_, Val::Str(_)) => self.string(a)? == self.string(b)?,
            (Val::Range(x), Val::Range(y)) => {
                if x.len() != y.len() {
                    return Ok(false);
                }
                for (x, y) in x.iter().zip(y.iter()) {
                    if !self.equal(x, y)? {
                        return Ok(false);
                    }
                }
                true
            }
            (Val::Iterator(_, x), Val::Iterator(_, y)) => x == y,
            _ => is_true(&self.dynamic_arithmetic(BinaryOp::Eq, a.clone(), b.clone())?),
        })
    }

    /// Conversion to an item; of a range, of each element.
    fn convert(&mut self, value: Val<H>, item: Item) -> Evaluated<H> {
        if let Val::Range(items) = &value {
            let mut out = Vec::with_capacity(items.len());
            for value in items.iter() {
                self.step(1)?;
                out.push(self.convert(value.clone(), item)?);
            }
            return Ok(Val::range(out));
        }
        match item {
            Item::Int(_) | Item::Double | Item::ApInt | Item::ApFloat | Item::Bool | Item::Enum(_) => {
                self.number(value, item)
            }
            Item::Str => self.string(&value).map(Val::Str),
            Item::Value => match value {
                Val::Op(op) => self.single_result(op),
                value => Ok(value),
            },
            Item::Attr(class) => match value {
                Val::Attr(_) if !self.is_a(&value, ObjectClass::Attr(class))? => {
                    fail("an attribute is not of the class it is used as")
                }
                value => Ok(value),
            },
            _ => Ok(value),
        }
    }

    fn string(&mut self, value: &Val<H>) -> Result<Arc<str>, Refusal> {
        match value {
            Val::Str(text) => Ok(text.clone()),
            Val::Attr(a) => match self.attr_string(a) {
                Some(text) => Ok(Arc::from(text)),
                None => fail("an attribute without text is used as a string"),
            },
            Val::Op(op) => Ok(Arc::from(self.host().op_name_text(self.host().op_name(*op)))),
            other => fail(format!("{} is used as a string", other.what())),
        }
    }

    fn call(&mut self, op: Builtin, args: Args<H>) -> Evaluated<H> {
        match op.group() {
            Group::Ir => self.call_ir(op, args),
            Group::Types => self.call_types(op, args),
            Group::MakeTypes => self.make_types(op, args),
            Group::Attrs => self.call_attrs(op, args),
            Group::MakeAttrs => self.make_attrs(op, args),
            Group::Affine => self.call_affine(op, args),
            Group::MakeAffine => self.make_map(op, args),
            Group::Numbers => self.call_numbers(op, args),
            Group::Ranges | Group::Lambdas | Group::Enums => self.call_ranges(op, args),
        }
    }
}

fn is_true<H: Facets>(value: &Val<H>) -> bool {
    match value {
        Val::Null => false,
        Val::Bool(b) => *b,
        Val::Int(i) => *i != 0,
        Val::Double(d) => *d != 0.0,
        _ => true,
    }
}

fn element<H: Facets>(items: &[Val<H>], at: i128) -> Evaluated<H> {
    match usize::try_from(at).ok().and_then(|at| items.get(at)) {
        Some(value) => Ok(value.clone()),
        None => fail(format!("element {at} of a range of {}", items.len())),
    }
}

fn from_entity<H: Facets>(entity: Entity<H>) -> Val<H> {
    match entity {
        Entity::Op(op) => Val::Op(op),
        Entity::Value(v) => v.map_or(Val::Null, Val::Value),
        Entity::Values(vs) => Val::range(vs.into_iter().map(Val::Value).collect()),
        Entity::Type(t) => Val::Type(TypeRef::Host(t)),
        Entity::Types(ts) => Val::range(ts.into_iter().map(|t| Val::Type(TypeRef::Host(t))).collect()),
        Entity::Attr(a) => a.map_or(Val::Null, |a| Val::Attr(AttrRef::Host(a))),
        Entity::Attrs(list) => Val::range(list.into_iter().map(|a| Val::Attr(AttrRef::Host(a))).collect()),
        Entity::Int(i) => Val::Int(i128::from(i)),
        Entity::Bool(b) => Val::Bool(b),
        Entity::Str(text) => Val::Str(text),
        Entity::ApInt(x) => Val::ApInt(x),
        Entity::ApFloat(x) => Val::ApFloat(x),
        Entity::Location(l) => Val::Location(l),
    }
}

/// A value as it leaves the language.
fn to_entity<H: Facets>(value: Val<H>, kind: Option<Kind>) -> Result<Entity<H>, Refusal> {
    Ok(match value {
        Val::Null => match kind {
            Some(Kind::Value) => Entity::Value(None),
            Some(Kind::Attr) | None => Entity::Attr(None),
            Some(kind) => return fail(format!("null is given where a {kind} is expected")),
        },
        Val::Bool(b) => Entity::Bool(b),
        Val::Int(i) => match i64::try_from(i) {
            Ok(i) => Entity::Int(i),
            Err(_) => return fail("an integer does not fit 64 bits"),
        },
        Val::Double(d) => Entity::ApFloat(numbers::double(d)),
        Val::Str(text) => Entity::Str(text),
        Val::ApInt(x) => Entity::ApInt(x),
        Val::ApFloat(x) => Entity::ApFloat(x),
        Val::Type(TypeRef::Host(t)) => Entity::Type(t),
        Val::Attr(AttrRef::Host(a)) => Entity::Attr(Some(a)),
        Val::Type(TypeRef::Fresh(_)) | Val::Attr(AttrRef::Fresh(_)) => {
            return fail("the IR does not have the type or attribute that is given");
        }
        Val::Value(v) => Entity::Value(Some(v)),
        Val::Op(op) => Entity::Op(op),
        Val::Location(l) => Entity::Location(l),
        Val::Range(items) => return range_entity(&items, kind),
        other => return fail(format!("{} cannot leave a snippet", other.what())),
    })
}

fn range_entity<H: Facets>(items: &[Val<H>], kind: Option<Kind>) -> Result<Entity<H>, Refusal> {
    let mixed = || Refusal::new("a range passed to a native holds things that no range entity holds");
    match (items.first(), kind) {
        (Some(Val::Value(_)), _) | (None, Some(Kind::Values) | None) => {
            let values = items.iter().map(|v| match v {
                Val::Value(v) => Some(*v),
                _ => None,
            });
            values.collect::<Option<Vec<_>>>().map(Entity::Values).ok_or_else(mixed)
        }
        (Some(Val::Type(_)), _) | (None, Some(Kind::Types)) => {
            let types = items.iter().map(|v| match v {
                Val::Type(t) => t.host(),
                _ => None,
            });
            types.collect::<Option<Vec<_>>>().map(Entity::Types).ok_or_else(mixed)
        }
        (Some(Val::Attr(_)), _) | (None, Some(Kind::Attrs)) => {
            let attrs = items.iter().map(|v| match v {
                Val::Attr(a) => a.host(),
                _ => None,
            });
            attrs.collect::<Option<Vec<_>>>().map(Entity::Attrs).ok_or_else(mixed)
        }
        _ => Err(mixed()),
    }
}

/// Whether a parameter of this type is a number, a truth or a string.
fn is_scalar(ty: Ty) -> bool {
    matches!(
        ty.item,
        Item::Int(_) | Item::Bool | Item::Double | Item::ApInt | Item::ApFloat | Item::Str | Item::Enum(_)
    )
}

/// A value read as a parameter of this type: attributes are read where a number or string is expected.
fn as_param<H: Facets>(evaluator: &mut Evaluator<'_, H>, value: Val<H>, ty: Ty) -> Evaluated<H> {
    let scalar = is_scalar(ty);
    match (&value, ty.form) {
        // A property that need not be there is a list of one or none.
        (Val::Attr(a), Form::Optional)
            if scalar && matches!(evaluator.attr_kind(a), AttrKind::Array { .. }) =>
        {
            match evaluator.items(&value)?.first() {
                Some(held) => evaluator.convert(held.clone(), ty.item),
                None => Ok(Val::Null),
            }
        }
        (Val::Attr(_), Form::One | Form::Optional) if scalar => evaluator.convert(value, ty.item),
        (Val::Attr(_), Form::Range) => {
            let items = evaluator.items(&value)?;
            if scalar { evaluator.convert(Val::Range(items), ty.item) } else { Ok(Val::Range(items)) }
        }
        _ => Ok(value),
    }
}
